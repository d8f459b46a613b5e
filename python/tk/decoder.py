"""Greedy decoding of a model of Llama's shape with a paged cache: the kernels of examples/ combined, token by token.

    model = tk.decoder.Model(vocabulary=128256, layers=32, dim=4096, heads=32, kv_heads=8, hidden=14336, device="cuda")
    greedy = tk.decoder.Greedy(model, batch=16, capacity=2048)
    greedy.prompt(texts)                # lists of numbers, of any lengths
    greedy.capture()                    # from now on a step is the replay of a CUDA graph
    greedy.step()                       # one more token of each
    greedy.text, greedy.lengths         # on the GPU; the graph reads and changes them

Weights are bf16, and random until they are filled. `Model.reference` is the same model built from PyTorch's functions,
in any type.
"""
import torch
import torch.nn.functional as F

from .kv_cache import append_to_cache, decode
from .llama import _kernel
from .products import linear

_CHUNK = 512  # tokens of a prompt that pass through the model together


def _weight(rows, columns, device):
    return torch.nn.Parameter(torch.randn(rows, columns, device=device, dtype=torch.bfloat16) / columns**0.5, requires_grad=False)


def _ones(dim, device):
    return torch.nn.Parameter(torch.ones(dim, device=device, dtype=torch.bfloat16), requires_grad=False)


class Layer(torch.nn.Module):
    """The weights of one block. qkv has the heads of q, then of k, then of v; gate_up the gate, and what it multiplies."""

    def __init__(self, dim, heads, kv_heads, head, hidden, device):
        super().__init__()
        self.norm1, self.norm2 = _ones(dim, device), _ones(dim, device)
        self.qkv = _weight((heads + 2 * kv_heads) * head, dim, device)
        self.out = _weight(dim, heads * head, device)
        self.gate_up = _weight(2 * hidden, dim, device)
        self.down = _weight(dim, hidden, device)


class Model(torch.nn.Module):
    """An embedding, blocks, a norm and the scores of the next token. places: how many have angles. device: "cuda", or "cpu" for
    the emulator."""

    def __init__(self, vocabulary, layers, dim, heads, kv_heads, hidden, places=8192, eps=1e-5, base=10000.0, device="cuda"):
        super().__init__()
        if heads % kv_heads or dim % heads or dim // heads % 8 or dim // heads > 128:
            raise ValueError(f"heads ({heads}) must be a multiple of kv_heads ({kv_heads}), and dim ({dim}) be heads of a multiple of "
                             "8 cells, 128 at most")
        if vocabulary % 8 or hidden % 8:
            raise ValueError(f"the vocabulary ({vocabulary}) and hidden ({hidden}) must be multiples of 8")
        self.heads, self.kv_heads, self.head, self.eps = heads, kv_heads, dim // heads, eps
        self.embedding = torch.nn.Parameter(torch.randn(vocabulary, dim, device=device, dtype=torch.bfloat16), requires_grad=False)
        self.layers = torch.nn.ModuleList(Layer(dim, heads, kv_heads, self.head, hidden, device) for _ in range(layers))
        self.norm = _ones(dim, device)
        self.scores = _weight(vocabulary, dim, device)
        angle = torch.arange(places, device=device)[:, None] * base ** (-torch.arange(0, self.head, 2, device=device) / self.head)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())
        kind = torch.device(device).type
        self.embed = _kernel("embedding.tk", "embedding", kind, C=dim)
        self.rmsnorm = _kernel("rmsnorm.tk", "rmsnorm", kind, C=dim)
        self.add_rmsnorm = _kernel("rmsnorm.tk", "add_rmsnorm", kind, C=dim)
        self.swiglu = _kernel("swiglu.tk", "swiglu", kind)
        self.argmax = _kernel("argmax.tk", "argmax_rows", kind)

    def forward(self, tokens, lengths, caches, table):
        """The scores of what follows the last of `tokens`, int32 [batch, new tokens], whose keys and values go to the caches.
        lengths counts the new ones, as in `tk.torch.decode`; caches holds those of the keys and of the values for each layer."""
        batch, count = tokens.shape
        x = self.embed(self.embedding, tokens.flatten())
        normed = self.rmsnorm(x, self.layers[0].norm1, self.eps)
        for i, layer in enumerate(self.layers):
            packed = linear(normed, layer.qkv).view(batch, count, -1, self.head)
            q, k, v = packed.split([self.heads, self.kv_heads, self.kv_heads], dim=2)
            q = append_to_cache(k, v, *caches[i], table, lengths, q=q, cos=self.cos, sin=self.sin)
            mixed = decode(q, *caches[i], table, lengths).view(batch * count, -1)
            x, normed, _ = self.add_rmsnorm(linear(mixed, layer.out), x, layer.norm2, self.eps)
            inner = self.swiglu(*linear(normed, layer.gate_up).chunk(2, dim=1))
            following = self.layers[i + 1].norm1 if i + 1 < len(self.layers) else self.norm
            x, normed, _ = self.add_rmsnorm(linear(inner, layer.down), x, following, self.eps)
        return linear(normed.view(batch, count, -1)[:, -1], self.scores)

    def reference(self, tokens, dtype=torch.float32, last=None):
        """The scores after each of `tokens`, [batch, tokens], or after the last ones, computed by PyTorch's functions
        without a cache. Weights are converted layer by layer."""
        batch, count = tokens.shape
        cos, sin = self.cos[:count], self.sin[:count]

        def turned(t):
            a, b = t.float().chunk(2, dim=-1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(dtype)

        def product(t, weight):
            return F.linear(t, weight.to(dtype))

        x = self.embedding[tokens.long()].to(dtype)
        for layer in self.layers:
            normed = F.rms_norm(x, x.shape[-1:], layer.norm1.to(dtype), self.eps)
            packed = product(normed, layer.qkv).view(batch, count, -1, self.head).transpose(1, 2)
            q, k, v = packed.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
            mixed = F.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True, enable_gqa=True)
            x = x + product(mixed.transpose(1, 2).flatten(2), layer.out)
            gate, up = product(F.rms_norm(x, x.shape[-1:], layer.norm2.to(dtype), self.eps), layer.gate_up).chunk(2, dim=-1)
            x = x + product(F.silu(gate) * up, layer.down)
        x = x if last is None else x[:, count - last:]
        return product(F.rms_norm(x, x.shape[-1:], self.norm.to(dtype), self.eps), self.scores)


class Greedy:
    """A batch of texts to which the most likely token is appended repeatedly.

    text: int32 [batch, capacity + 1]. lengths: int32, how many tokens of each have their keys in the cache; the one
    after them is known as well. table: the pages of each. A step reads and changes these only on the GPU, so that they
    may be filled differently between two replays of its graph. logits: the scores of the last step.
    """

    def __init__(self, model, batch, capacity, page=64, table=None):
        if capacity > model.cos.shape[0]:
            raise ValueError(f"the model has angles for {model.cos.shape[0]} places, fewer than {capacity}")
        self.model, self.capacity = model, capacity
        device = model.cos.device
        pages = -(-capacity // page)
        self.table = torch.arange(batch * pages, dtype=torch.int32, device=device).view(batch, pages) if table is None else table
        shape = len(model.layers), 2, batch * pages, page, model.kv_heads, model.head
        self.caches = torch.empty(shape, dtype=torch.bfloat16, device=device)
        self.text = torch.zeros(batch, capacity + 1, dtype=torch.int32, device=device)
        self.lengths = torch.zeros(batch, dtype=torch.int32, device=device)
        self.logits = None
        self._longest, self._graph, self._made = 0, None, None

    @torch.no_grad()
    def prompt(self, texts):
        """Begins with these texts, and finds the first new token of each."""
        most = max(map(len, texts))
        if len(texts) != len(self.text) or min(map(len, texts)) == 0 or most > self.capacity:
            raise ValueError(f"a prompt is {len(self.text)} texts of 1 to {self.capacity} tokens")
        device = self.text.device
        ends = torch.tensor([[0] * (most - len(t)) + [int(n) for n in t] for t in texts], dtype=torch.int32, device=device)
        lengths = torch.tensor([len(t) for t in texts], dtype=torch.int32, device=device)
        for row, t in enumerate(texts):
            self.text[row, :len(t)] = ends[row, most - len(t):]
        self.lengths.copy_(lengths)
        self._longest = most
        for first in range(0, most, _CHUNK):
            tokens = ends[:, first:first + _CHUNK]
            # All texts end together: places before the first one are left out.
            held = (lengths - (most - first - tokens.shape[1])).clamp(min=0)
            self.logits = self.model(tokens, held, self.caches, self.table)
        self._choose()

    def _choose(self):
        self.text.scatter_(1, self.lengths.long()[:, None], self.model.argmax(self.logits)[:, None])

    def _step(self):
        tokens = self.text.gather(1, self.lengths.long()[:, None])
        self.lengths += 1
        self.logits = self.model(tokens, self.lengths, self.caches, self.table)
        self._choose()

    @torch.no_grad()
    def capture(self):
        """Makes the CUDA graph of a step; nothing is changed but the place in the cache that the next step writes."""
        kept = self.text.clone(), self.lengths.clone()
        side = torch.cuda.Stream(self.text.device)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # kernels are compiled and loaded outside of the capture
            self._step()
            self.text.copy_(kept[0])
            self.lengths.copy_(kept[1])
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._step()
        self._made = self.logits  # where replays leave theirs

    @torch.no_grad()
    def step(self):
        """One more token of each text."""
        if self._longest == self.capacity:
            raise ValueError(f"there is place for {self.capacity} tokens")
        self._longest += 1
        if self._graph is None:
            self._step()
        else:
            self._graph.replay()
            self.logits = self._made


def lead_over(logits, tokens):
    """By how much the best of `logits`, [.., vocabulary], exceed those of `tokens`: 0 if these are the best."""
    return logits.amax(-1) - logits.gather(-1, tokens.long()[..., None])[..., 0]
