"""Small models of sequences, with kernels of ours, of a peer, or with PyTorch's float32 in their place.

A layer has the parameters, their names and the mathematics of its peer's: Mamba2 those of mamba_ssm's Mamba2Simple, GatedDeltaNet those of
flash-linear-attention's layer of that name. So the peer's layer loads the weights of ours, and all that differs is who computes it.
"""
import math

import torch
import torch.nn.functional as F

import recurrences
import tk
from families import imported

EPSILON = 1e-5  # of norms
KERNEL = 4      # tokens that a convolution takes


class Ours:
    """tk's kernels. On the CPU they run in the emulator."""

    @staticmethod
    def conv(x, weight, bias):
        return tk.torch.causal_conv1d(x.transpose(1, 2), weight, bias, activation="silu").transpose(1, 2)

    @staticmethod
    def gated_delta(q, k, v, g, beta):
        return tk.torch.gated_delta_rule(q, k, v, g, beta)[0]

    @staticmethod
    def mamba2(x, dt, a, b, c, d):
        return tk.torch.mamba2(x, dt, a, b, c, D=d)


class Exact:
    """PyTorch in float32, or in the type of wider tensors. Results, and gradients of tensors, become bfloat16 again; with a `generator`
    up or down at random, so that two runs show what rounding alone does to a model."""

    def __init__(self, generator=None):
        self.generator = generator

    def _run(self, function, narrow, *tensors):
        """`narrow`: the tensors in the type of the results."""
        with torch.autocast(narrow[0].device.type, enabled=False):
            if narrow[0].dtype == torch.bfloat16:
                narrow = [Rounded.apply(t, self.generator) for t in narrow]
                return Rounded.apply(function(*narrow, *(t.float() for t in tensors)), self.generator)
            return function(*narrow, *tensors)

    def conv(self, x, weight, bias):
        def convolve(x, weight, *bias):
            x = F.pad(x.transpose(1, 2), (KERNEL - 1, 0))
            return F.silu(F.conv1d(x, weight[:, None], *bias, groups=len(weight))).transpose(1, 2)

        return self._run(convolve, [x], weight, *([] if bias is None else [bias]))

    def gated_delta(self, q, k, v, g, beta):
        def rule(q, k, v, g, beta):
            state = q.new_zeros(len(q), q.shape[2], q.shape[3], v.shape[3])
            return per_head(recurrences.delta)(q / math.sqrt(q.shape[3]), k, v, g, beta, state)[0]

        return self._run(rule, [q, k, v], g, beta)

    def mamba2(self, x, dt, a, b, c, d):
        def scan(x, b, c, dt, a, d):
            batch, _, heads, cells = x.shape
            b, c = (t.repeat_interleave(heads // t.shape[2], dim=2) for t in (b, c))
            state = x.new_zeros(batch, heads, b.shape[3], cells)
            return per_head(recurrences.decayed)(c, b, x * dt[..., None], dt * a, state)[0] + x * d[:, None]

        return self._run(scan, [x, b, c], dt, a, d)


def per_head(recurrence):
    """A recurrence of one head, of whose arguments the last is the state, for tensors [batch, tokens, heads, ..]."""
    def call(*tensors):
        of_heads = torch.vmap(recurrence, in_dims=(*(1 for _ in tensors[1:]), 0), out_dims=(1, 0))
        return torch.vmap(of_heads)(*tensors)
    return call


class Rounded(torch.autograd.Function):
    """bfloat16 as float32, and float32 as bfloat16; a gradient the other way. To nearest, or with a generator at random."""

    @staticmethod
    def forward(ctx, x, generator):
        ctx.generator = generator
        return Rounded.cast(x, generator)

    @staticmethod
    def backward(ctx, dy):
        return Rounded.cast(dy, ctx.generator), None

    @staticmethod
    def cast(x, generator):
        if x.dtype != torch.float32:
            return x.float()
        if generator is not None:  # the upper 16 bits of a float32 are a bfloat16: what the lower ones say becomes a probability
            noise = torch.randint(1 << 16, x.shape, dtype=torch.int32, device=x.device, generator=generator)
            x = ((x.contiguous().view(torch.int32) + noise) & ~0xffff).view(torch.float32)
        return x.bfloat16()


def steps(heads):
    """Biases of softplus, so that steps of time begin between 0.001 and 0.1."""
    dt = torch.exp(torch.rand(heads) * math.log(100) + math.log(1e-3))
    return dt + torch.log(-torch.expm1(-dt))


def convolution(channels, bias):
    return torch.nn.Conv1d(channels, channels, KERNEL, groups=channels, padding=KERNEL - 1, bias=bias)


def linear(inputs, outputs):
    return torch.nn.Linear(inputs, outputs, bias=False)


class GatedDeltaNet(torch.nn.Module):
    """A layer of Gated Delta Networks (arXiv 2412.06464, figure 1). x is [batch, tokens, dim], so are the results."""

    def __init__(self, dim, head, kernels):
        super().__init__()
        self.kernels, self.head, heads = kernels, head, dim // head
        for name in ("q", "k", "v", "g", "o"):
            self.add_module(f"{name}_proj", linear(dim, dim))
        self.a_proj, self.b_proj = linear(dim, heads), linear(dim, heads)
        self.A_log, self.dt_bias = torch.nn.Parameter(torch.empty(heads).uniform_(0, 16).log()), torch.nn.Parameter(steps(heads))
        self.q_conv1d, self.k_conv1d, self.v_conv1d = (convolution(dim, bias=False) for _ in range(3))
        self.o_norm = torch.nn.RMSNorm(head, EPSILON)

    def forward(self, x):
        qkv = torch.cat([self.q_proj(x), self.k_proj(x), self.v_proj(x)], -1)
        weight = torch.cat([self.q_conv1d.weight, self.k_conv1d.weight, self.v_conv1d.weight])[:, 0]
        q, k, v = (t.unflatten(2, (-1, self.head)) for t in self.kernels.conv(qkv, weight, None).chunk(3, -1))
        q, k = (normalised(t) for t in (q, k))
        beta = at_least_float(self.b_proj(x)).sigmoid()
        g = -self.A_log.exp() * F.softplus(at_least_float(self.a_proj(x)) + self.dt_bias)
        o = at_least_float(self.kernels.gated_delta(q, k, v, g, beta))
        gate = F.silu(at_least_float(self.g_proj(x)).unflatten(2, (-1, self.head)))
        return self.o_proj((rms_norm(o, self.o_norm) * gate).flatten(2).to(qkv.dtype))


class Mamba2(torch.nn.Module):
    """A layer of Mamba-2 (arXiv 2405.21060, section 7) with one group. x is [batch, tokens, dim], so are the results."""
    STATE = 128

    def __init__(self, dim, head, kernels):
        super().__init__()
        self.kernels, self.head, self.inner = kernels, head, 2 * dim
        heads = self.inner // head
        self.in_proj = linear(dim, 2 * self.inner + 2 * self.STATE + heads)
        self.conv1d = convolution(self.inner + 2 * self.STATE, bias=True)
        self.dt_bias, self.A_log = torch.nn.Parameter(steps(heads)), torch.nn.Parameter(torch.empty(heads).uniform_(1, 16).log())
        self.D = torch.nn.Parameter(torch.ones(heads))
        self.norm = torch.nn.RMSNorm(self.inner, EPSILON)
        self.out_proj = linear(self.inner, dim)

    def forward(self, x):
        z, xbc, dt = self.in_proj(x).split([self.inner, self.inner + 2 * self.STATE, len(self.D)], -1)
        xbc = self.kernels.conv(xbc, self.conv1d.weight[:, 0], self.conv1d.bias)
        x, b, c = (t.unflatten(2, (-1, cells)) for t, cells in
                   zip(xbc.split([self.inner, self.STATE, self.STATE], -1), (self.head, self.STATE, self.STATE)))
        dt = F.softplus(at_least_float(dt) + self.dt_bias)
        y = self.kernels.mamba2(x, dt, -self.A_log.exp(), b, c, self.D)
        y = rms_norm(at_least_float(y).flatten(2) * F.silu(at_least_float(z)), self.norm)
        return self.out_proj(y.to(xbc.dtype))


def at_least_float(x):
    return x if x.dtype == torch.float64 else x.float()


def normalised(x):
    """Rows of length 1, as fla has them."""
    wide = at_least_float(x)
    return (wide * (wide.square().sum(-1, keepdim=True) + 1e-6).rsqrt()).to(x.dtype)


def rms_norm(x, norm):
    """Over the last axis, in the type of x."""
    return F.rms_norm(x, norm.weight.shape, norm.weight.to(x.dtype), norm.eps)


def peer(layer):
    """The name of the package that has the peer of a layer, and the peer with the weights of the layer; None, None where it cannot be
    imported."""
    if isinstance(layer, Mamba2):
        package, kind = "mamba_ssm", imported("mamba_ssm.modules.mamba2_simple", "Mamba2Simple")
        words = dict(d_model=layer.inner // 2, d_state=Mamba2.STATE, d_conv=KERNEL, headdim=layer.head, use_mem_eff_path=False)
    else:
        package, kind = "fla", imported("fla.layers.gated_deltanet", "GatedDeltaNet")
        words = dict(hidden_size=len(layer.A_log) * layer.head, expand_v=1, head_dim=layer.head, num_heads=len(layer.A_log), conv_size=KERNEL,
                     norm_eps=EPSILON, layer_idx=0)
    if kind is None:
        return None, None
    made = kind(**words)
    made.load_state_dict(layer.state_dict())
    return package, made


LAYERS = dict(mamba2=Mamba2, gated_delta=GatedDeltaNet)


class Block(torch.nn.Module):
    """x + layer(norm(x)), and after a layer of the gated delta rule the same with a SwiGLU."""

    def __init__(self, family, dim, head, kernels):
        super().__init__()
        self.norm, self.layer = torch.nn.RMSNorm(dim, EPSILON), LAYERS[family](dim, head, kernels)
        self.after = family == "gated_delta"
        if self.after:
            self.norm_after, self.up, self.down = torch.nn.RMSNorm(dim, EPSILON), linear(dim, 4 * dim), linear(2 * dim, dim)

    def forward(self, x):
        mixed = self.layer(rms_norm(x, self.norm))
        x = x + (mixed[0] if isinstance(mixed, tuple) else mixed)  # layers of fla give caches, too
        if self.after:
            up, gate = self.up(rms_norm(x, self.norm_after)).chunk(2, -1)
            x = x + self.down(F.silu(gate) * up)
        return x


class Model(torch.nn.Module):
    """Logits of 256 bytes, of tokens [batch, tokens]."""

    def __init__(self, family, dim, layers, head, kernels):
        super().__init__()
        self.embedding = torch.nn.Embedding(256, dim)
        self.blocks = torch.nn.ModuleList(Block(family, dim, head, kernels) for _ in range(layers))
        self.norm, self.head = torch.nn.RMSNorm(dim, EPSILON), linear(dim, 256)
        torch.nn.init.normal_(self.head.weight, std=0.02)

    def forward(self, tokens):
        return self.logits(self.states(tokens)[-1])

    def logits(self, x):
        return self.head(rms_norm(x, self.norm))

    def states(self, tokens):
        """The stream after the embedding and after each block."""
        found = [self.embedding(tokens)]
        for block in self.blocks:
            found.append(block(found[-1]))
        return found

    def with_peers(self):
        """Puts the peers of its layers in their place; their package's name, or None where it cannot be imported."""
        package = None
        for block in self.blocks:
            package, layer = peer(block.layer)
            if package is None:
                return None
            block.layer = layer
        return package
