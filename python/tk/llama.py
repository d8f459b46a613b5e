"""A transformer block as Llama has it: on the example kernels, what a model on them looks like, forward only and in bf16; and by
PyTorch's functions, with gradients and any attention.

    block = tk.llama.Block(dim=4096, heads=32, kv_heads=8, hidden=14336).cuda()
    y = block(x)                        # x: [batch, time, dim]

The sum of the first residual and the second norm are one kernel; every other step is one kernel, too.
"""
import torch

from . import example, load
from .torch import op


def _kernel(file, name, device, **constants):
    return op(getattr(load(example(file), device=device, **constants), name))


class Kernels:
    """The operators of one block, compiled for its sizes."""

    def __init__(self, dim, head, group, device):
        self.norm = _kernel("rmsnorm.tk", "rmsnorm", device, C=dim)
        self.add_norm = _kernel("rmsnorm.tk", "add_rmsnorm", device, C=dim)
        self.linear = _kernel("gemm_nt.tk", "gemm_nt", device)
        self.rope = _kernel("rope.tk", "rope", device, D=head, G=group)
        self.attention = _kernel("attention.tk", "attention", device, D=head, CAUSAL=True)
        self.merge = _kernel("permute.tk", "bhtd_to_bthd", device, D=head)
        self.swiglu = _kernel("swiglu.tk", "swiglu", device)
        self.residual = _kernel("residual.tk", "residual", device)


class Reference(torch.nn.Module):
    """Attention and feed-forward, each after an RMSNorm and with a residual, by PyTorch's own functions.

    attention: a function that takes what PyTorch's takes, tk.torch.scaled_dot_product_attention say.
    """

    def __init__(self, dim, heads, kv_heads, hidden, eps=1e-5, base=10000.0, dtype=torch.float32,
                 attention=torch.nn.functional.scaled_dot_product_attention):
        super().__init__()
        if heads % kv_heads or dim % heads:
            raise ValueError(f"heads ({heads}) must be a multiple of kv_heads ({kv_heads}) and divide dim ({dim})")
        self.heads, self.kv_heads, self.head, self.eps, self.base = heads, kv_heads, dim // heads, eps, base
        self.attention = attention

        def weight(rows, columns):
            return torch.nn.Parameter((torch.randn(rows, columns) / columns**0.5).to(dtype))

        self.norm1 = torch.nn.Parameter(torch.ones(dim, dtype=dtype))
        self.norm2 = torch.nn.Parameter(torch.ones(dim, dtype=dtype))
        self.qkv = weight((heads + 2 * kv_heads) * self.head, dim)  # heads of q, then of k, then of v
        self.out = weight(dim, heads * self.head)
        self.gate = weight(hidden, dim)
        self.up = weight(hidden, dim)
        self.down = weight(dim, hidden)

    def angles(self, time, device):
        """Cosines and sines of the positions, as rope.tk takes them."""
        frequencies = self.base ** (-torch.arange(0, self.head, 2, device=device, dtype=torch.float32) / self.head)
        angle = torch.arange(time, device=device, dtype=torch.float32)[:, None] * frequencies
        return angle.cos(), angle.sin()

    def forward(self, x):
        batch, time, dim = x.shape
        functional = torch.nn.functional
        norm = functional.rms_norm(x, (dim,), self.norm1, self.eps)
        packed = functional.linear(norm, self.qkv).view(batch, time, -1, self.head).transpose(1, 2)
        queries, keys, values = packed.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
        cosine, sine = self.angles(time, x.device)

        def turned(t):
            a, b = t.float().chunk(2, dim=-1)
            return torch.cat([a * cosine - b * sine, b * cosine + a * sine], dim=-1).to(t.dtype)

        mixed = self.attention(turned(queries), turned(keys), values, is_causal=True, enable_gqa=True)
        middle = x + functional.linear(mixed.transpose(1, 2).reshape(batch, time, dim), self.out)
        normed = functional.rms_norm(middle, (dim,), self.norm2, self.eps)
        inner = functional.silu(functional.linear(normed, self.gate)) * functional.linear(normed, self.up)
        return middle + functional.linear(inner, self.down)


class Block(Reference):
    """The same on the example kernels, without gradients. device: "cuda", or "cpu" for the emulator."""

    def __init__(self, dim, heads, kv_heads, hidden, eps=1e-5, base=10000.0, device="cuda"):
        super().__init__(dim, heads, kv_heads, hidden, eps, base, torch.bfloat16)
        if self.head % 8 or self.head > 128:
            raise ValueError(f"a head has {self.head} cells; attention.tk takes dense rows of multiples of 8 up to 128")
        self.requires_grad_(False)
        self.kernels = Kernels(dim, self.head, heads // kv_heads, device)

    def forward(self, x):
        batch, time, dim = x.shape
        k = self.kernels
        flat = x.reshape(batch * time, dim)
        packed = k.linear(k.norm(flat, self.norm1, self.eps), self.qkv)
        cosine, sine = self.angles(time, x.device)
        queries, keys, values = k.rope(packed.view(batch, time, -1, self.head), cosine, sine)
        mixed, _ = k.attention(queries, keys, values, self.head**-0.5)
        mixed = k.merge(mixed).view(batch * time, dim)
        middle, normed, _ = k.add_norm(k.linear(mixed, self.out), flat, self.norm2, self.eps)
        inner = k.swiglu(k.linear(normed, self.gate), k.linear(normed, self.up))
        return k.residual(k.linear(inner, self.down), middle, 1.0).view(batch, time, dim)

    def reference(self, x):
        """The same by PyTorch's own functions, for comparison."""
        return super().forward(x)
