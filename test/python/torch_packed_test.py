"""tk.torch's functions of packed sequences (cu_seqlens) against the same functions of each sequence by itself: outputs, states, gradients;
their messages and graphs. By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest
import unittest.mock

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
import torch_test
from torch_test import randn


def offsets(lengths, device="cpu"):
    return torch.tensor([sum(lengths[:i]) for i in range(len(lengths) + 1)], dtype=torch.int32, device=device)


def states(lengths, *shape, seed=9):
    return randn(len(lengths), *shape, seed=seed).float()


class Case(torch_test.Case):
    def agree(self, got, want, within):
        for a, b in zip(got, want, strict=True):
            self.assertEqual(a.shape, b.shape)
            if within == 0:
                self.assertTrue(torch.equal(a, b))
            else:
                self.close(a, b, within)

    def check(self, function, lengths, tensors, before, rest=(), tokens=1, gradients=True, within=1e-2):
        """function(tensors, states, cu_seqlens) gives outputs and states. Axis `tokens` of the tensors counts tokens; `rest` belong to all
        sequences. What each sequence gives by itself is exact, but for its roundings."""
        device = tensors[0].device
        start = offsets(lengths, device)
        parts = [(sum(lengths[:i]), n) for i, n in enumerate(lengths)]
        leaves = [t.detach().requires_grad_(gradients) for t in (*tensors, *rest, before)]
        with torch.set_grad_enabled(gradients):
            made = function(leaves[:-1], leaves[-1], start)
        same = [t.detach().requires_grad_(gradients) for t in (*tensors, *rest, before)]
        with torch.set_grad_enabled(gradients):
            alone = [function([*(t.narrow(tokens, at, n) for t in same[:len(tensors)]), *same[len(tensors):-1]], same[-1][i:i + 1], None)
                     for i, (at, n) in enumerate(parts)]
            want = torch.cat([o for o, _ in alone], tokens), torch.cat([s for _, s in alone])
        self.agree([t.detach() for t in made], [t.detach() for t in want], within)
        if gradients:
            given = [randn(*t.shape, seed=20 + i).to(t) for i, t in enumerate(made)]
            self.agree(torch.autograd.grad(made, leaves, given), torch.autograd.grad(want, same, given), within)


def linear(tensors, before, start):
    decay = torch.log1p(-2.0**(-2 - torch.arange(tensors[0].shape[2], device=tensors[0].device)))
    return tk.torch.linear_attention(*tensors, decay, None, before, True, start)


def delta(tensors, before, start):
    return tk.torch.gated_delta_rule(*tensors, None, before, True, start)


def gated(tensors, before, start):
    return tk.torch.gated_linear_attention(*tensors, None, before, True, start)


def kimi(tensors, before, start):
    return tk.torch.kimi_delta_attention(*tensors, None, before, True, start)


def rwkv(tensors, before, start):
    return tk.torch.rwkv7(*tensors, 0.5, before, True, start)


def based(tensors, before, start):
    """With sums of features as a last column of states."""
    o, (state, sums) = tk.torch.based(*tensors, None, True, (before[..., :-1], before[..., -1]), True, start)
    return o, torch.cat([state, sums[..., None]], 3)


def hedgehog(tensors, before, start):
    """States as one row of numbers for each sequence; without any where there are none."""
    if before.shape[1] == 0:
        return tk.torch.hedgehog(*tensors, cu_seqlens=start), before
    (_, _, heads, cells), cells_v, kind = tensors[0].shape, tensors[2].shape[3], tensors[0].dtype
    shapes = [(heads, 128, cells_v), (heads, 128), (64, heads, cells), (64, heads, cells_v)]
    parts = [t.unflatten(1, n) for t, n in zip(before.split([torch.Size(n).numel() for n in shapes], 1), shapes)]
    state = (*parts[:2], *(t.to(kind) for t in parts[2:]))
    o, last = tk.torch.hedgehog(*tensors, None, 1e-6, state, True, start)
    return o, torch.cat([t.flatten(1).float() for t in last], 1)


def convolution(tensors, before, start):
    return tk.torch.causal_conv1d(*tensors, None, before, True, activation="silu", cu_seqlens=start)


def scan(tensors, before, start):
    x, dt, b, c, *rest = tensors
    z = rest[0] if rest else None
    heads = x.shape[2]
    a, bias = torch.linspace(-1, -0.1, heads, device=x.device), torch.linspace(-3, -1, heads, device=x.device)
    return tk.torch.mamba2(x, dt, a, b, c, D=a, z=z, dt_bias=bias, initial_states=before, dt_softplus=True, cu_seqlens=start,
                           **{"return_final_states" if start is None else "return_varlen_states": True})


def selective(tensors, before, start):
    u, delta, b, c, *gate, a, d, bias = tensors
    return tk.torch.selective_scan(u, delta, a, b, c, d, gate[0] if gate else None, bias, True, True, before, start)


def of_linear(lengths, heads, cells, cells_v, kind=torch.bfloat16):
    q, k, v = (randn(1, sum(lengths), heads, n, seed=i).to(kind) for i, n in enumerate((cells, cells, cells_v)))
    return (q, k * 0.125, v), states(lengths, heads, cells, cells_v)


def of_delta(lengths, heads, cells, cells_v):
    (q, k, v), before = of_linear(lengths, heads, cells, cells_v)
    g, beta = -F.softplus(randn(1, sum(lengths), heads, seed=3).float()), torch.sigmoid(randn(1, sum(lengths), heads, seed=4).float())
    return (q, F.normalize(k.float(), dim=3).bfloat16(), v, g, beta), before


def shared(given):
    """Two heads of v for each of q and k."""
    (q, k, *rest), before = given
    return (q[:, :, ::2], k[:, :, ::2], *rest), before


def of_gated(lengths, heads, cells, cells_v, kind=torch.bfloat16, gates=torch.float32):
    (q, k, v), before = of_linear(lengths, heads, cells, cells_v, kind)
    return (q, k, v, (-0.3 * F.softplus(randn(1, sum(lengths), heads, cells, seed=3).float())).to(gates)), before


def of_kimi(lengths, heads, cells, cells_v, kind=torch.bfloat16, gates=torch.float32):
    (q, k, v, g), before = of_gated(lengths, heads, cells, cells_v, kind, gates)
    beta = torch.sigmoid(randn(1, sum(lengths), heads, seed=4).float())
    return (q, F.normalize(k.float(), dim=3).to(kind), v, g, beta), before


def of_rwkv(lengths, heads, cells, cells_v, kind=torch.bfloat16, gates=torch.float32):
    (r, k, v, w), before = of_gated(lengths, heads, cells, cells_v, kind, gates)
    n = F.normalize(randn(1, sum(lengths), heads, cells, seed=4).float(), dim=3)
    c = torch.sigmoid(randn(1, sum(lengths), heads, cells, seed=5).float())
    return (r, w, k, v, (-n).to(kind), (n * c).to(kind)), before


def of_based(lengths, heads, cells, kind=torch.bfloat16):
    """States as of 20 tokens whose k are ones, and some noise."""
    q, k, v = (randn(1, sum(lengths), heads, n, seed=i).to(kind) for i, n in enumerate((16, 16, cells)))
    before = states(lengths, heads, 192, cells + 1)
    before[..., -1] = before[..., -1] * 0.1 + 20
    return (q, k, v), before


def of_hedgehog(lengths, heads, cells, cells_v, known=True, kind=torch.bfloat16):
    """Sums of features as of some tokens; the maps and factors are of all sequences."""
    q, k, v = (randn(1, sum(lengths), heads, n, seed=i).to(kind) for i, n in enumerate((cells, cells, cells_v)))
    rest = [*((randn(heads, cells, 64, seed=i) * cells**-0.5).to(kind) for i in (7, 8)), *(torch.linspace(0.1, most, heads) for most in (3, 1))]
    parts = [states(lengths, heads * 128 * cells_v), states(lengths, heads * 128).abs() + 1, *(states(lengths, 64 * heads * n) for n in (cells, cells_v))]
    return (q, k, v), torch.cat(parts, 1)[:, :None if known else 0], rest


def of_convolution(lengths, channels, width, kind=torch.bfloat16):
    weights = randn(channels, width, seed=1).to(kind), randn(channels, seed=2).to(kind)
    return (randn(1, channels, sum(lengths)).to(kind),), randn(len(lengths), channels, width - 1, seed=3).to(kind), weights


def of_scan(lengths, heads, cells, groups, state, gated):
    n = sum(lengths)
    shapes = [(1, n, heads, cells), (1, n, heads), (1, n, groups, state), (1, n, groups, state), (1, n, heads, cells)]
    x, dt, b, c, z = (randn(*shape, seed=i) for i, shape in enumerate(shapes))
    return (x, dt, b * 0.3, c, *[z] * gated), states(lengths, heads, cells, state)


def of_selective(lengths, channels, groups, cells, gated, kind=torch.bfloat16):
    n = sum(lengths)
    shapes = [(1, channels, n), (1, channels, n), (1, groups, cells, n), (1, groups, cells, n), (1, channels, n)]
    u, delta, b, c, z = (randn(*shape, seed=i).to(kind) for i, shape in enumerate(shapes))
    a, d, bias = -torch.exp(randn(channels, cells, seed=5).float()), randn(channels, seed=6).float(), randn(channels, seed=7).float() - 2
    return (u, delta, b, c, *[z] * gated), states(lengths, channels, cells), (a, d, bias)


LENGTHS = [70, 1, 0, 130, 64]


class Packed(Case):
    def test_linear_attention(self):
        self.check(linear, LENGTHS, *of_linear(LENGTHS, 2, 64, 128))
        self.check(linear, [129], *of_linear([129], 1, 128, 64, torch.float16), within=2e-3)

    def test_gated_delta_rule(self):
        self.check(delta, LENGTHS, *of_delta(LENGTHS, 2, 64, 128), within=1.5e-2)
        for cells in (64, 128):
            self.check(delta, LENGTHS, *of_delta(LENGTHS, 1, cells, 72), gradients=False)
        self.check(delta, [70, 1], *shared(of_delta([70, 1], 4, 64, 64)), within=1.5e-2)
        self.check(delta, [70, 1], *shared(of_delta([70, 1], 2, 128, 72)), gradients=False)

    def test_gated_linear_attention(self):
        self.check(gated, LENGTHS, *of_gated(LENGTHS, 2, 64, 128))
        self.check(gated, [129], *of_gated([129], 1, 128, 64, torch.float16, torch.float16), within=5e-3)
        self.check(gated, LENGTHS, *of_gated(LENGTHS, 1, 64, 72, gates=torch.bfloat16), gradients=False)

    def test_kimi_delta_attention(self):
        self.check(kimi, LENGTHS, *of_kimi(LENGTHS, 2, 64, 128), within=1.5e-2)
        self.check(kimi, LENGTHS, *of_kimi(LENGTHS, 1, 64, 72, gates=torch.bfloat16), gradients=False)
        self.check(kimi, [70, 1], *shared(of_kimi([70, 1], 4, 64, 64)), within=1.5e-2)

    def test_rwkv7(self):
        self.check(rwkv, LENGTHS, *of_rwkv(LENGTHS, 2, 64, 64), within=1.5e-2)
        self.check(rwkv, [70, 1], *of_rwkv([70, 1], 1, 128, 128), within=1.5e-2)
        self.check(rwkv, LENGTHS, *of_rwkv(LENGTHS, 1, 64, 72, gates=torch.bfloat16), gradients=False)

    def test_based(self):
        self.check(based, LENGTHS, *of_based(LENGTHS, 2, 72))
        self.check(based, [129], *of_based([129], 1, 64, torch.float16), within=2e-3)

    def test_hedgehog(self):
        tensors, before, rest = of_hedgehog([64, 192, 128], 2, 64, 64)
        self.check(hedgehog, [64, 192, 128], tensors, before, rest)
        for lengths in (LENGTHS, [129]):
            tensors, before, rest = of_hedgehog(lengths, 1, 64, 64, known=False)
            self.check(hedgehog, lengths, tensors, before, rest)

    def test_convolution(self):
        for width, lengths in ((4, LENGTHS), (3, [1, 2, 3, 140, 1]), (2, [5])):
            tensors, before, weights = of_convolution(lengths, 24, width)
            self.check(convolution, lengths, tensors, before, weights, tokens=2)
        tensors, before, weights = of_convolution([1] * 150, 16, 4, torch.float32)
        self.check(convolution, [1] * 150, tensors, before, weights, tokens=2, within=1e-5)

    def test_mamba2(self):
        for gated in (False, True):
            self.check(scan, LENGTHS, *of_scan(LENGTHS, 4, 64, 2, 64, gated))
        self.check(scan, LENGTHS, *of_scan(LENGTHS, 2, 128, 1, 128, False), within=1.5e-2)

    def test_selective_scan(self):
        tensors, before, rest = of_selective(LENGTHS, 24, 2, 8, True)
        self.check(selective, LENGTHS, tensors, before, rest, tokens=-1)
        with unittest.mock.patch("tk.selective_scan._SHORTEST", 2):  # segments, which begin inside of sequences
            lengths = [33, 0, 2, 100]
            tensors, before, rest = of_selective(lengths, 16, 1, 8, True)
            self.check(selective, lengths, tensors, before, rest, tokens=-1)

    def test_without_states(self):
        start = offsets(LENGTHS)
        (q, k, v), before = of_linear(LENGTHS, 1, 64, 64)
        o, state = tk.torch.linear_attention(q, k, v, cu_seqlens=start.long())
        same, _ = tk.torch.linear_attention(q, k, v, None, None, torch.zeros_like(before), True, start)
        self.assertTrue(state is None and torch.equal(o, same))
        (x,), before, weights = of_convolution(LENGTHS, 16, 4)
        index = torch.arange(5, dtype=torch.int32).repeat_interleave(torch.tensor(LENGTHS))[None]
        y = tk.torch.causal_conv1d(x, *weights, index, cu_seqlens=start)
        same, _ = tk.torch.causal_conv1d(x, *weights, None, torch.zeros_like(before), True, cu_seqlens=start)
        self.assertTrue(torch.equal(y, same))

    def test_foreign_numbers(self):
        """What a sequence gives does not depend on its neighbors."""
        start = offsets(LENGTHS)
        for function, (tensors, before, *rest), axis in ((linear, of_linear(LENGTHS, 1, 64, 64), 1), (delta, of_delta(LENGTHS, 1, 64, 64), 1),
                                                         (delta, of_delta(LENGTHS, 1, 128, 64), 1),
                                                         (gated, of_gated(LENGTHS, 1, 64, 64), 1),
                                                         (kimi, of_kimi(LENGTHS, 1, 64, 64), 1), (rwkv, of_rwkv(LENGTHS, 1, 64, 64), 1),
                                                         (based, of_based(LENGTHS, 1, 64), 1),
                                                         (hedgehog, of_hedgehog(LENGTHS, 1, 64, 64, known=False), 1),
                                                         (scan, of_scan(LENGTHS, 2, 64, 1, 64, False), 1),
                                                         (selective, of_selective(LENGTHS, 16, 1, 8, True), -1),
                                                         (convolution, of_convolution(LENGTHS, 16, 4), -1)):
            rest = rest[0] if rest else ()
            want, _ = function([*tensors, *rest], before, start)
            other = [t.clone() for t in tensors]
            for t in other[:3:2]:
                t.narrow(axis, 71, 130).mul_(100)
            got, _ = function([*other, *rest], before, start)
            for at, n in ((0, 71), (201, 64)):
                self.assertTrue(torch.equal(got.narrow(axis, at, n), want.narrow(axis, at, n)))

    def test_foreign_gradients(self):
        """The same of gradients."""
        start = offsets(LENGTHS)
        for function, (tensors, before, *rest), axis in (
                (linear, of_linear(LENGTHS, 1, 64, 64), 1), (delta, of_delta(LENGTHS, 1, 64, 64), 1), (gated, of_gated(LENGTHS, 1, 64, 64), 1),
                (kimi, of_kimi(LENGTHS, 1, 64, 64), 1), (rwkv, of_rwkv(LENGTHS, 1, 64, 64), 1),
                (scan, of_scan(LENGTHS, 2, 64, 1, 64, False), 1), (selective, of_selective(LENGTHS, 24, 2, 8, True), -1),
                (based, of_based(LENGTHS, 1, 64), 1), (hedgehog, of_hedgehog(LENGTHS, 1, 64, 64, known=False), 1)):
            made = []
            for factor in (1, 100):
                leaves = [t.clone() for t in tensors]
                leaves[0].narrow(axis, 71, 130).mul_(factor)
                leaves = [t.requires_grad_() for t in leaves]
                o, _ = function([*leaves, *(rest[0] if rest else ())], before, start)
                do = randn(*o.shape, seed=7)
                do.narrow(axis, 71, 130).mul_(factor)
                made.append(torch.autograd.grad(o, leaves, do.to(o)))
            for want, got in zip(*made, strict=True):
                for at, n in ((0, 71), (201, 64)):
                    self.assertTrue(torch.equal(got.narrow(axis, at, n), want.narrow(axis, at, n)))

    def test_graph(self):
        torch._dynamo.reset()
        start = offsets([70, 10])
        (q, k, v), before = of_linear([70, 10], 1, 64, 64)
        graph = torch.compile(lambda *t: tk.torch.linear_attention(*t[:3], None, None, t[3], True, t[4]), backend="aot_eager", fullgraph=True)
        leaves = [t.requires_grad_() for t in (q, k, v, before)]
        eager = tk.torch.linear_attention(*leaves[:3], None, None, leaves[3], True, start)
        made = graph(*leaves, start)
        self.agree(made, eager, 0)
        self.agree(torch.autograd.grad(made[0].sum(), leaves), torch.autograd.grad(eager[0].sum(), leaves), 0)
        for function, (tensors, before) in ((delta, of_delta([70, 10], 1, 64, 64)), (gated, of_gated([70, 10], 1, 64, 64)),
                                            (kimi, of_kimi([70, 10], 1, 64, 64)), (rwkv, of_rwkv([70, 10], 1, 64, 64)),
                                            (scan, of_scan([70, 10], 2, 64, 1, 64, False)), (based, of_based([70, 10], 1, 64))):
            graph = torch.compile(lambda *t, f=function: f(t[:-2], t[-2], t[-1]), backend="aot_eager", fullgraph=True)
            leaves = [t.requires_grad_() for t in (*tensors, before)]
            made = [torch.autograd.grad(o.sum() + s.sum(), leaves) for o, s in (graph(*leaves, start), function(leaves[:-1], leaves[-1], start))]
            self.agree(*made, 0)
        with FakeTensorMode():
            y, last = tk.torch.causal_conv1d(torch.empty(1, 24, 9), torch.empty(24, 3), return_final_states=True,
                                             cu_seqlens=torch.empty(5, dtype=torch.int32))
            self.assertEqual((y.shape, last.shape), ((1, 24, 9), (4, 24, 2)))

    def test_messages(self):
        start = offsets([4, 5])
        (q, k, v), before = of_linear([4, 5], 1, 64, 64)
        two = [torch.cat([t, t]) for t in (q, k, v)]
        for words, call in [
            ("one axis", lambda: tk.torch.linear_attention(q, k, v, cu_seqlens=start[:1])),
            ("int32 or int64", lambda: tk.torch.linear_attention(q, k, v, cu_seqlens=start.float())),
            ("a batch of 1, and that of this call is 2", lambda: tk.torch.linear_attention(*two, cu_seqlens=start)),
            ("here [2, 1, 64, 64]", lambda: tk.torch.linear_attention(q, k, v, None, None, before[:1], cu_seqlens=start)),
        ]:
            with self.raises(ValueError, "linear_attention: ", words):
                call()
        x, dt, b, c = of_scan([4, 5], 1, 64, 1, 64, False)[0]
        a = torch.zeros(1)
        for words, call in [
            ("seq_idx alone", lambda: tk.torch.mamba2(x, dt, a, b, c, seq_idx=torch.zeros(1, 9))),
            ("there is no cu_seqlens", lambda: tk.torch.mamba2(x, dt, a, b, c, return_varlen_states=True)),
            ("return_varlen_states gives", lambda: tk.torch.mamba2(x, dt, a, b, c, cu_seqlens=start, return_final_states=True)),
        ]:
            with self.raises(ValueError, "mamba2: ", words):
                call()
        (u, delta, b, c), before, (a, *_) = of_selective([4, 5], 8, 1, 8, False)
        for words, given in (("one axis", (None, start[:1])), ("here [2, 8, 8]", (before[:1], start)), ("here [1, 8, 8]", (before, None))):
            with self.raises(ValueError, "selective_scan: ", words):
                tk.torch.selective_scan(u, delta, a, b, c, initial_states=given[0], cu_seqlens=given[1])


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    LENGTHS = [700, 1, 0, 1300, 64, 63, 2000]

    def on_card(self, function, made, **words):
        tensors, before, *rest = made
        self.check(function, self.LENGTHS, [t.cuda() for t in tensors], before.cuda(), [t.cuda() for t in (rest[0] if rest else ())], **words)

    def test_linear_attention(self):
        self.on_card(linear, of_linear(self.LENGTHS, 4, 128, 128))

    def test_gated_delta_rule(self):
        for cells in (64, 128):
            self.on_card(delta, of_delta(self.LENGTHS, 4, cells, 128), within=1.5e-2)
        self.on_card(delta, of_delta(self.LENGTHS, 3, 128, 72), gradients=False)  # of an odd number of heads
        self.on_card(delta, shared(of_delta(self.LENGTHS, 4, 128, 128)), within=1.5e-2)

    def test_gated_linear_attention(self):
        self.on_card(gated, of_gated(self.LENGTHS, 4, 128, 128))

    def test_kimi_delta_attention(self):
        self.on_card(kimi, of_kimi(self.LENGTHS, 4, 128, 128), within=1.5e-2)
        self.on_card(kimi, shared(of_kimi(self.LENGTHS, 4, 128, 128)), within=1.5e-2)

    def test_rwkv7(self):
        for cells in (64, 128):
            self.on_card(rwkv, of_rwkv(self.LENGTHS, 4, cells, cells), within=1.5e-2)

    def test_based(self):
        self.on_card(based, of_based(self.LENGTHS, 4, 128))

    def test_hedgehog(self):
        self.on_card(hedgehog, of_hedgehog(self.LENGTHS, 4, 128, 128, known=False))
        tensors, before, rest = of_hedgehog([64, 1280, 192], 4, 64, 128)
        self.check(hedgehog, [64, 1280, 192], [t.cuda() for t in tensors], before.cuda(), [t.cuda() for t in rest])

    def test_convolution(self):
        self.on_card(convolution, of_convolution(self.LENGTHS, 264, 4), tokens=2)

    def test_mamba2(self):
        self.on_card(scan, of_scan(self.LENGTHS, 4, 64, 2, 128, False), within=1.5e-2)
        self.on_card(scan, of_scan(self.LENGTHS, 2, 128, 1, 128, False), within=1.5e-2)

    def test_selective_scan(self):
        for channels, groups, gated in ((264, 2, False), (2048, 1, True)):
            self.on_card(selective, of_selective(self.LENGTHS, channels, groups, 16, gated), tokens=-1)
        self.on_card(selective, of_selective(self.LENGTHS, 72, 1, 8, True, torch.float32), tokens=-1, within=1e-4)


if __name__ == "__main__":
    unittest.main()
