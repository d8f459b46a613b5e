"""tk.torch.based and hedgehog against their sums in float64, their gradients against those of PyTorch, their messages and graphs. By the
emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import math
import os
import unittest
import unittest.mock

import torch

import tk
from tk import sequence
import torch_sequence_test
import torch_test
from torch_test import randn


def taylor(q, k, v, scale=0.25, norm=True):
    """Based in float64."""
    q, k, v = (t.double().transpose(1, 2) for t in (q, k, v))
    s = scale * q @ k.transpose(2, 3)
    w = (1 + s + s * s / 2).tril()
    return (w @ v / (w.sum(3, keepdim=True) + 1e-6 if norm else 1)).transpose(1, 2)


def summed(k, v):
    """The state of Based past the last token, in float64, with sums of features as a last column."""
    k, v = (t.double().transpose(1, 2) for t in (k, v))
    pairs = [k * k.roll(-n, 3) for n in range(9)]
    features = torch.cat([*pairs, k, torch.ones_like(k[..., :1]), torch.zeros_like(k[..., :1]).expand(*k.shape[:3], 31)], 3)
    return torch.cat([features.transpose(2, 3) @ v, features.sum(2)[..., None]], 3)


def last(k, v, *words):
    """The same of tk.torch.based, whose queries do not matter."""
    state, sums = tk.torch.based(torch.ones_like(k), k, v, *words, output_final_state=True)[1]
    return torch.cat([state, sums[..., None]], 3)


def in_parts(at, *tensors):
    """Based of the first tokens, and of the others with the state after those."""
    o, state = tk.torch.based(*(t[:, :at] for t in tensors), output_final_state=True)
    return torch.cat([o, tk.torch.based(*(t[:, at:] for t in tensors), initial_state=state)], 1)


def mixed(q, k, v, wq, wk, alpha, beta, scale):
    """Hedgehog in float64: softmax weights for the keys of a block of 64 and the one before, products of features for those before."""
    q, k, v, wq, wk, alpha, beta = (t.double() for t in (q, k, v, wq, wk, alpha, beta))
    x, y = torch.einsum("bnhd,hdf->bhnf", q, wq), torch.einsum("bnhd,hdf->bhnf", k, wk)
    far = sum(a.softmax(3).clamp(min=1e-6) @ b.softmax(3).clamp(min=1e-6).transpose(2, 3) for a, b in ((x, y), (-x, -y)))
    s = torch.einsum("bnhd,bmhd->bhnm", q, k) * scale
    place = torch.arange(q.shape[1], device=q.device)
    away = place[:, None] // 64 - place // 64
    near = s.masked_fill((away > 1) | (place > place[:, None]), -math.inf)
    w = beta[:, None, None] * (near - near.amax(3, keepdim=True)).exp() + alpha[:, None, None] * far * (away > 1)
    return (w @ v.transpose(1, 2) / (w.sum(3, keepdim=True) + 1e-6)).transpose(1, 2)


def in_blocks(parts, *tensors):
    """Hedgehog of parts of the tokens, each with the state after the one before it."""
    tokens, rest, made, state = tensors[:3], tensors[3:], [], None
    for at, part in zip((sum(parts[:i]) for i in range(len(parts))), parts):
        given = [t[:, at:at + part] for t in tokens]
        if part == parts[-1]:
            made.append(tk.torch.hedgehog(*given, *rest, initial_state=state))
        else:
            o, state = tk.torch.hedgehog(*given, *rest, initial_state=state, output_final_state=True)
            made.append(o)
    return torch.cat(made, 1)


class Case(torch_sequence_test.Case):
    def check(self, ours, exact, tensors, within):
        """Of outputs, and of the gradients of all tensors."""
        made = []
        for function, kind in ((ours, None), (exact, torch.float64)):
            leaves = [t.detach().to(t.device, kind, copy=True).requires_grad_() for t in tensors]
            o = function(*leaves)
            made.append([o.detach(), *torch.autograd.grad(o, leaves, randn(*o.shape, seed=20).to(o))])
        self.agree(*made, within)

    def graph(self, name, ours, tensors):
        """That graphs give the same bits, and that there are first derivatives only."""
        torch._dynamo.reset()
        leaves = [t.detach().clone().requires_grad_() for t in tensors]
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        self.agree(torch.autograd.grad(graph(*leaves).sum(), leaves), torch.autograd.grad(ours(*leaves).sum(), leaves), 0)
        (first,) = torch.autograd.grad(ours(*leaves).sum(), leaves[0], create_graph=True)
        with self.raises(RuntimeError, name, "first derivatives only"):
            first.sum().backward()


def inputs(batch, tokens, heads, cells, kind=torch.bfloat16):
    return [randn(batch, tokens, heads, n, seed=i).to(kind) for i, n in enumerate((16, 16, cells))]


class Based(Case):
    def steps(self, update, tensors):
        """Tokens one by one after the state of the first five."""
        state = tk.torch.based(*(t[:, :5] for t in tensors), output_final_state=True)[1]
        made = [update(*(t[:, at] for t in tensors), state) for at in range(5, tensors[0].shape[1])]
        self.agree([torch.stack(made, 1)], [taylor(*tensors)[:, 5:]], 1e-2)
        self.agree([torch.cat([state[0], state[1][..., None]], 3)], [summed(*tensors[1:])], 1e-2)

    def test_results(self):
        self.check(tk.torch.based, taylor, inputs(2, 150, 2, 64), 1e-2)
        self.check(tk.torch.based, taylor, inputs(1, 65, 1, 136), 1e-2)
        self.check(lambda *t: tk.torch.based(*t, 0.1, False), lambda *t: taylor(*t, 0.1, False), inputs(1, 70, 1, 64, torch.float16), 2e-3)

    def test_parts(self):
        q, k, v = inputs(1, 70, 2, 64)
        leaf, exact = q.clone().requires_grad_(), q.double().requires_grad_()
        do = randn(1, 2, 70, 64, seed=5).transpose(1, 2)  # as it lies in memory after another transpose
        self.agree(torch.autograd.grad(tk.torch.based(leaf, k, v), leaf, do), torch.autograd.grad(taylor(exact, k, v), exact, do.double()), 1e-2)
        self.assertEqual(self.kept(lambda: tk.torch.based(q, k, v)), 0)
        self.assertEqual(tk.torch.based(*(t[:, :0] for t in (q, k, v))).shape, (1, 0, 2, 64))

    def test_states(self):
        self.check(lambda *t: in_parts(70, *t), taylor, inputs(2, 150, 2, 72), 1e-2)
        _, k, v = inputs(2, 100, 2, 64)
        self.check(last, summed, [k, v], 1e-2)
        self.check(lambda *t: last(*t, None, False), summed, [k[:1], v[:1]], 1e-2)
        for part in (0, 1):  # where the other one has no gradient
            leaves, exact = ([t.detach().to(t.device, kind, copy=True).requires_grad_() for t in (k, v)] for kind in (None, torch.float64))
            got = tk.torch.based(leaves[0], *leaves, output_final_state=True)[1][part]
            want = (summed(*exact)[..., :64], summed(*exact)[..., 64])[part]
            given = randn(*want.shape, seed=9).double()
            self.agree(torch.autograd.grad(got, leaves[0], given.float()), torch.autograd.grad(want, exact[0], given), 1e-2)
        o, state = tk.torch.based(k, k, v, output_final_state=True)
        self.assertTrue(torch.equal(o, tk.torch.based(k, k, v)))
        self.assertTrue(torch.equal(o, tk.torch.based(k, k, v, initial_state=[torch.zeros_like(t) for t in state])))

    def test_segments(self):
        with unittest.mock.patch.object(sequence, "_SHORTEST", 64):
            self.check(tk.torch.based, taylor, inputs(1, 200, 2, 64), 1e-2)
            self.check(lambda *t: in_parts(130, *t), taylor, inputs(2, 300, 1, 72), 1e-2)
            self.check(last, summed, inputs(1, 130, 2, 64)[1:], 1e-2)

    def test_steps(self):
        self.steps(tk.torch.based_update, inputs(3, 9, 2, 72))
        q, k, v = inputs(2, 1, 1, 64, torch.float16)
        pair = randn(5, 1, 192, 64, seed=4), randn(5, 1, 192, seed=5).float() * 0.1 + 20  # the state is bfloat16
        kept = [t.clone() for t in pair]
        graph = torch.compile(lambda *t: tk.torch.based_update(*t[:3], t[3:5], 0.2, False, t[5]), backend="aot_eager", fullgraph=True)
        o = graph(q[:, 0], k[:, 0], v[:, 0], *pair, torch.tensor([3, 1], dtype=torch.int32))
        want, last = tk.torch.based(q, k, v, 0.2, False, [t[[3, 1]].float() for t in kept], True)
        self.agree([o[:, None], *(t[[3, 1]] for t in pair)], [want, *last], 5e-3)
        for a, b in zip(pair, kept):
            self.assertTrue(torch.equal(a[[0, 2, 4]], b[[0, 2, 4]]))

    def test_graph(self):
        self.graph("based", lambda *t: in_parts(4, *t), inputs(1, 9, 1, 64))

    def test_messages(self):
        q, k, v = inputs(1, 9, 2, 64)
        state, sums = torch.zeros(1, 2, 192, 64), torch.zeros(1, 2, 192)
        for words, call in [
            ("16 is, of v multiples of 8", lambda: tk.torch.based(v, v, v)),
            ("16 is, of v multiples of 8", lambda: tk.torch.based(q, k, v[..., :12])),
            ("one shape", lambda: tk.torch.based(q, k[:, :8], v)),
            ("all bfloat16", lambda: tk.torch.based(q.float(), k, v)),
            ("four axes", lambda: tk.torch.based(q[0], k[0], v[0])),
            ("a tuple of 2 tensors", lambda: tk.torch.based(q, k, v, initial_state=state)),
            ("must be float32, here [1, 2, 192, 64]", lambda: tk.torch.based(q, k, v, initial_state=(state[:, :1], sums))),
            ("the sums of initial_state must be float32", lambda: tk.torch.based(q, k, v, initial_state=(state, sums.double()))),
            ("float32, here [1, 2, 192, 64]", lambda: tk.torch.based(q, k, v, initial_state=(state[..., :8], sums))),
            ("a batch of 1, and that of this call is 2", lambda: tk.torch.based(*(torch.cat([t, t]) for t in (q, k, v)), cu_seqlens=torch.arange(3))),
        ]:
            with self.raises(ValueError, "based: ", words):
                call()
        for words, call in [
            ("must be a pair", lambda: tk.torch.based_update(q[:, 0], k[:, 0], v[:, 0], state)),
            ("16 are", lambda: tk.torch.based_update(v[:, 0], v[:, 0], v[:, 0], (state, sums))),
            ("the sums must be float32, here [1, 2, 192]", lambda: tk.torch.based_update(q[:, 0], k[:, 0], v[:, 0], (state, sums[:, :1]))),
            ("no gradients", lambda: tk.torch.based_update(q[:, 0].clone().requires_grad_(), k[:, 0], v[:, 0], (state, sums))),
        ]:
            with self.raises(ValueError, "based_update: ", words):
                call()


def mapped(batch, tokens, heads, cells, cells_v, kind=torch.bfloat16):
    """q, k, v, both maps, alpha and beta."""
    q, k, v = (randn(batch, tokens, heads, n, seed=i).to(kind) for i, n in enumerate((cells, cells, cells_v)))
    maps = [(randn(heads, cells, 64, seed=i) * cells**-0.5).to(kind) for i in (7, 8)]
    return [q, k, v, *maps, *(torch.linspace(0.1, most, heads) for most in (3, 1))]


def window(heads, cells, cells_v, kind):
    """Shapes and types of the parts of a state of a step, without its slots."""
    return [((heads, 128, cells_v), torch.float32), ((heads, 128), torch.float32), ((128, heads, cells), kind), ((128, heads, cells_v), kind)]


class Hedgehog(Case):
    def steps(self, tensors, first, within=1e-2):
        """Tokens one by one after the state of the first ones."""
        (batch, tokens, heads, cells), cells_v, rest = tensors[0].shape, tensors[2].shape[3], tensors[3:]
        state = [torch.zeros(batch, *shape, dtype=kind, device=tensors[0].device) for shape, kind in window(heads, cells, cells_v, tensors[0].dtype)]
        if first > 0:
            given = tk.torch.hedgehog(*(t[:, :first] for t in tensors[:3]), *rest, output_final_state=True)[1]
            state = [*given[:2], *(torch.cat([t, torch.zeros_like(t)], 1) for t in given[2:])]
        made = [tk.torch.hedgehog_update(*(t[:, at] for t in tensors[:3]), *rest, state, torch.full((batch,), at, dtype=torch.int32, device=state[0].device))
                for at in range(first, tokens)]
        self.agree([torch.stack(made, 1)], [mixed(*tensors, cells**-0.5)[:, first:]], within)

    def test_results(self):
        self.check(tk.torch.hedgehog, lambda *t: mixed(*t, 64**-0.5), mapped(2, 200, 2, 64, 64), 1e-2)
        self.check(lambda *t: tk.torch.hedgehog(*t, 0.2), lambda *t: mixed(*t, 0.2), mapped(1, 150, 1, 128, 64, torch.float16), 4e-3)

    def test_parts(self):
        tensors = mapped(1, 140, 1, 64, 64)
        given = [*tensors[:3], *(t.transpose(1, 2).contiguous().transpose(1, 2) for t in tensors[3:5]), *(t.bfloat16() for t in tensors[5:])]
        self.check(tk.torch.hedgehog, lambda *t: mixed(*t, 64**-0.5), given, 1e-2)
        leaf, exact = tensors[3].clone().requires_grad_(), tensors[3].double().requires_grad_()
        got = torch.autograd.grad(tk.torch.hedgehog(*tensors[:3], leaf, *tensors[4:]).sum(), leaf)
        self.agree(got, torch.autograd.grad(mixed(*tensors[:3], exact, *tensors[4:], 64**-0.5).sum(), exact), 1e-2)
        self.assertEqual(self.kept(lambda: tk.torch.hedgehog(*tensors)), 0)

    def test_segments(self):
        def exact(*t):
            return mixed(*t, t[0].shape[3]**-0.5)
        with unittest.mock.patch.object(sequence, "_SHORTEST", 64):
            self.check(tk.torch.hedgehog, exact, mapped(1, 200, 2, 64, 64), 1e-2)
            self.check(lambda *t: in_blocks([128, 172], *t), exact, mapped(2, 300, 1, 64, 128), 1e-2)

    def test_states(self):
        self.check(lambda *t: in_blocks([64, 128, 100], *t), lambda *t: mixed(*t, 64**-0.5), mapped(2, 292, 2, 64, 64), 1e-2)
        tensors = mapped(1, 292, 1, 64, 64)
        self.assertTrue(torch.equal(in_blocks([64, 128, 100], *tensors), tk.torch.hedgehog(*tensors)))
        tensors[:3] = [t[:, :192] for t in tensors[:3]]
        o, state = tk.torch.hedgehog(*tensors, output_final_state=True)
        self.assertTrue(torch.equal(o, tk.torch.hedgehog(*tensors)))
        self.assertTrue(torch.equal(state[2], tensors[1][:, 128:]) and torch.equal(state[3], tensors[2][:, 128:]))
        nothing, same = tk.torch.hedgehog(*(t[:, :0] for t in tensors[:3]), *tensors[3:], initial_state=state, output_final_state=True)
        self.assertEqual(nothing.shape, (1, 0, 1, 64))
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(state, same, strict=True)))

    def test_steps(self):
        self.steps(mapped(2, 134, 2, 64, 64), 128)
        tensors = mapped(2, 67, 1, 64, 128, torch.float16)
        self.steps(tensors, 0, within=4e-3)
        q, k, v, *rest = tensors
        state = tuple(torch.zeros(5, *shape, dtype=kind) for shape, kind in window(1, 64, 128, torch.float16))
        indices, tokens = torch.tensor([3, 1], dtype=torch.int32), torch.zeros(2, dtype=torch.int32)
        graph = torch.compile(lambda *t: tk.torch.hedgehog_update(*t[:3], *rest, t[3:7], *t[7:9], state_indices=indices), backend="aot_eager",
                              fullgraph=True, dynamic=False)
        o = graph(q[:, 0], k[:, 0], v[:, 0], *state, tokens, None)
        self.agree([o[:, None]], [tk.torch.hedgehog(q[:, :1], k[:, :1], v[:, :1], *rest)], 2e-3)
        self.assertTrue(torch.equal(state[2][[3, 1], 64], k[:, 0]) and not state[3][[0, 2, 4]].any())

    def test_graph(self):
        self.graph("hedgehog", lambda *t: in_blocks([64, 76], *t), mapped(1, 140, 1, 64, 64))

    def test_messages(self):
        q, k, v, wq, wk, alpha, beta = mapped(1, 9, 2, 64, 64)
        for words, call in [
            ("64 and 128 are", lambda: tk.torch.hedgehog(q, k, v[..., :32], wq, wk, alpha, beta)),
            ("one shape", lambda: tk.torch.hedgehog(q, k[:, :8], v, wq, wk, alpha, beta)),
            ("here [2, 64, 64]", lambda: tk.torch.hedgehog(q, k, v, wq[:1], wk, alpha, beta)),
            ("here [2, 64, 64]", lambda: tk.torch.hedgehog(q, k, v, wq, wk.float(), alpha, beta)),
            ("alpha must have", lambda: tk.torch.hedgehog(q, k, v, wq, wk, alpha[:1], beta)),
            ("beta must have", lambda: tk.torch.hedgehog(q, k, v, wq, wk, alpha, beta[None])),
            ("must be positive", lambda: tk.torch.hedgehog(q, k, v, wq, wk, alpha, beta, 0)),
            ("multiple of 64 tokens", lambda: tk.torch.hedgehog(q, k, v, wq, wk, alpha, beta, output_final_state=True)),
            ("a tuple of 4 tensors", lambda: tk.torch.hedgehog(q, k, v, wq, wk, alpha, beta, initial_state=(alpha, beta))),
        ]:
            with self.raises(ValueError, "hedgehog: ", words):
                call()
        state = [torch.zeros(1, *shape, dtype=kind) for shape, kind in window(2, 64, 64, q.dtype)]
        one, count = (q[:, 0], k[:, 0], v[:, 0], wq, wk, alpha, beta), torch.zeros(1, dtype=torch.int32)
        for words, call in [
            ("must be four tensors", lambda: tk.torch.hedgehog_update(*one, state[:2], count)),
            ("the keys must be bfloat16, here [1, 128, 2, 64]", lambda: tk.torch.hedgehog_update(*one, [*state[:2], *(t[:, :64] for t in state[2:])], count)),
            ("tokens must be int32, here [1]", lambda: tk.torch.hedgehog_update(*one, state, count.long())),
        ]:
            with self.raises(ValueError, "hedgehog_update: ", words):
                call()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_based(self):
        for tokens in (65, 1000, 5000):  # the last ones in segments
            for cells in (64, 128):
                with self.subTest(tokens=tokens, cells=cells):
                    self.check(tk.torch.based, taylor, [t.cuda() for t in inputs(2, tokens, 3, cells)], 1e-2)
                    self.check(lambda *t, at=tokens // 2: in_parts(at, *t), taylor, [t.cuda() for t in inputs(2, tokens, 3, cells)], 1e-2)
                    self.check(last, summed, [t.cuda() for t in inputs(2, tokens, 3, cells)[1:]], 1e-2)

    def test_based_steps(self):
        for cells in (64, 128):
            Based.steps(self, tk.torch.based_update, [t.cuda() for t in inputs(3, 9, 5, cells)])

    def test_hedgehog_steps(self):
        for cells, cells_v in ((64, 64), (128, 128)):
            Hedgehog.steps(self, [t.cuda() for t in mapped(3, 330, 5, cells, cells_v)], 128)

    def test_hedgehog(self):
        for tokens in (150, 1000, 5000):  # the last ones in segments
            for cells, cells_v in ((64, 64), (128, 128), (128, 64)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    self.check(tk.torch.hedgehog, lambda *t: mixed(*t, t[0].shape[3]**-0.5), [t.cuda() for t in mapped(2, tokens, 3, cells, cells_v)],
                               1e-2)
                    self.check(lambda *t, parts=[64, 64, tokens - 128]: in_blocks(parts, *t), lambda *t: mixed(*t, t[0].shape[3]**-0.5),
                               [t.cuda() for t in mapped(2, tokens, 3, cells, cells_v)], 1e-2)


if __name__ == "__main__":
    unittest.main()
