"""tk.torch.attention_varlen on CPU tensors, by the emulator; and on a Hopper GPU with nvcc where there is one. Needs PyTorch."""
import math
import os
import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
from tk import checks, sdpa, varlen
from torch_test import HOPPER, NVCC, Case, randn

Q_LENGTHS, K_LENGTHS = (30, 1, 0, 70), (40, 90, 3, 20)


def starts(lengths, device="cpu"):
    return torch.tensor([sum(lengths[:i]) for i in range(len(lengths) + 1)], dtype=torch.int32, device=device)


def packed(q_lengths, k_lengths, heads, kv_heads, cells, kind=torch.bfloat16, device="cpu"):
    """q, k, v and dO."""
    rows, keys = sum(q_lengths), sum(k_lengths)
    shapes = (rows, heads, cells), (keys, kv_heads, cells), (keys, kv_heads, cells), (rows, heads, cells)
    return [randn(*shape, seed=i).to(kind).to(device) for i, shape in enumerate(shapes)]


def sequence_in_float64(q, k, v, causal, window, softcap):
    """Outputs and log-sum-exp of one sequence."""
    group = q.shape[1] // k.shape[1]
    q, k, v = q.transpose(0, 1), *(x.repeat_interleave(group, 1).transpose(0, 1) for x in (k, v))
    s = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    s = softcap * torch.tanh(s / softcap) if softcap else s
    own = torch.arange(s.shape[1], device=s.device)[:, None] + s.shape[2] - s.shape[1]
    key = torch.arange(s.shape[2], device=s.device)[None, :]
    hidden = (key > own if causal else key < 0) | (key < own - window[0] if window[0] >= 0 else key < 0)
    hidden = hidden | (key > own if window[1] == 0 else key < 0)
    s = s.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(s, 2) if s.shape[2] else s.new_full(s.shape[:2], -math.inf)
    weights = torch.exp(s - lse.masked_fill(lse == -math.inf, 0)[..., None])
    return (weights @ v).transpose(0, 1), lse


def in_float64(q, k, v, do, q_lengths, k_lengths, causal=False, window=(-1, -1), softcap=0.0):
    """Outputs, log-sum-exp and gradients, one sequence after the other."""
    leaves = [x.double().detach().requires_grad_() for x in (q, k, v)]
    parts = zip(leaves[0].split(q_lengths), leaves[1].split(k_lengths), leaves[2].split(k_lengths))
    made = [sequence_in_float64(*part, causal, window, softcap) for part in parts]
    o, lse = torch.cat([x for x, _ in made]), torch.cat([x for _, x in made], 1)
    return [o.detach(), lse.detach(), *torch.autograd.grad(o, leaves, do.double())]


def ours(q, k, v, do, start_q, start_k, longest_q, longest_k, function, **words):
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o, lse = function(*leaves, start_q, start_k, longest_q, longest_k, return_lse=True, **words)
    return [o.detach(), lse, *torch.autograd.grad(o, leaves, do)]


def emulated(q, k, v, start_q, start_k, longest_q, longest_k, *, causal=False, window_size=(-1, -1), softcap=0.0, return_lse=False):
    """tk.torch.attention_varlen as it is on a GPU."""
    o, lse = torch.ops.tk.attention_varlen(q, k, v, start_q, start_k, longest_q, longest_k, q.shape[-1]**-0.5,
                                           causal or window_size[1] == 0, window_size[0] + 1, softcap)
    return (o, lse) if return_lse else o


CASES = [dict(), dict(causal=True), dict(window_size=(20, -1)), dict(window_size=(20, 0)), dict(causal=True, softcap=2.0),
         dict(causal=True, window_size=(0, 0)), dict(softcap=30.0, window_size=(5, -1))]


class VarlenCase(Case):
    def agree(self, got, want, within):
        for name, a, b in zip(("o", "lse", "dq", "dk", "dv"), got, want, strict=True):
            self.assertEqual(a.shape, b.shape)
            if name == "lse":
                seen = b > -math.inf
                self.assertTrue(torch.equal(a > -math.inf, seen))
                a, b = a[seen], b[seen]
            # Gradients that vanish, as those of rows that see one key, are compared absolutely.
            floor = 1e-6 * math.sqrt(b.numel())
            self.assertLess((a.double() - b).norm().item(), within * b.norm().item() + floor, name)


def as_ours(words):
    return dict(causal=words.get("causal", False), window=words.get("window_size", (-1, -1)), softcap=words.get("softcap", 0.0))


class Varlen(VarlenCase):
    def test_gradients(self):
        numbers = starts(Q_LENGTHS), starts(K_LENGTHS), max(Q_LENGTHS), max(K_LENGTHS)
        for cells, kind, heads, kv_heads in [(64, torch.bfloat16, 4, 2), (96, torch.float16, 2, 1), (128, torch.bfloat16, 2, 2),
                                             (63, torch.float16, 2, 1), (112, torch.bfloat16, 2, 2)]:
            inputs = packed(Q_LENGTHS, K_LENGTHS, heads, kv_heads, cells, kind)
            for words in CASES if cells % 32 == 0 else CASES[:2]:
                with self.subTest(cells=cells, kind=kind, **words):
                    want = in_float64(*inputs, Q_LENGTHS, K_LENGTHS, **as_ours(words))
                    got = ours(*inputs, *numbers, emulated, **words)
                    self.agree(got, want, 1e-2 if kind == torch.bfloat16 else 2e-3)
                    self.assertEqual({x.dtype for x in got}, {kind, torch.float32})

    def test_neighbours(self):
        # What changes in one sequence stays there.
        numbers = starts(Q_LENGTHS), starts(K_LENGTHS), max(Q_LENGTHS), max(K_LENGTHS)
        inputs = packed(Q_LENGTHS, K_LENGTHS, 2, 1, 64)
        clean = ours(*inputs, *numbers, emulated, causal=True)
        o, _, dq, dk, dv = clean
        again = [x.clone() for x in inputs]
        again[0][:30] *= 100
        again[3][:30] *= 100
        changed = ours(*again, *numbers, emulated, causal=True)
        for a, b, first in zip((o, dq, dk, dv), (changed[0], *changed[2:]), (30, 30, 40, 40)):
            self.assertTrue(torch.equal(a[first:], b[first:]))
            self.assertFalse(torch.equal(a[:first], b[:first]))

    def test_layouts(self):
        # Parts of one packed tensor are read where they lie.
        lengths = (30, 50)
        qkv = randn(80, 3, 2, 64)
        q, k, v = qkv.unbind(1)
        for x in (q, k, v):
            self.assertIs(sdpa._readable(x), x)
        do = randn(1, 1, 1, seed=4).expand(80, 2, 64)
        numbers = starts(lengths), starts(lengths), 50, 50
        got = ours(q, k, v, do, *numbers, emulated, causal=True)
        self.agree(got, in_float64(q, k, v, do, lengths, lengths, causal=True), 1e-2)

    def test_operators(self):
        numbers = starts((20, 13)), starts((5, 40)), 20, 40
        q, k, v, _ = (x.requires_grad_() for x in packed((20, 13), (5, 40), 2, 1, 64))
        op = torch.ops.tk.attention_varlen.default
        torch.library.opcheck(op, (q, k, v, *numbers, 0.125, True, 7, 0.0))
        self.assertEqual(self.kept(lambda: emulated(q, k, v, *numbers)), 7)
        with torch.no_grad():
            self.assertEqual(self.kept(lambda: emulated(q, k, v, *numbers)), 0)
        o, lse = emulated(q, k, v, *numbers, return_lse=True)
        self.assertEqual((o.requires_grad, lse.requires_grad), (True, False))
        given, = torch.autograd.grad(o.sum(), q, create_graph=True)
        with self.raises(RuntimeError, "first derivatives only"):
            given.sum().backward()

    def test_graphs(self):
        torch._dynamo.reset()
        traced = torch.compile(emulated, fullgraph=True, backend="aot_eager")
        for lengths in ((16, 8), (20, 13), (40, 3)):  # the second size makes the axis a symbol
            inputs = packed(lengths, lengths, 2, 1, 64)
            numbers = starts(lengths), starts(lengths), max(lengths), max(lengths)
            self.agree(ours(*inputs, *numbers, traced, causal=True), in_float64(*inputs, lengths, lengths, causal=True), 1e-2)

    def test_shapes(self):
        with FakeTensorMode():
            q, k, v = torch.empty(50, 4, 64).bfloat16(), torch.empty(70, 2, 64).bfloat16(), torch.empty(70, 2, 64).bfloat16()
            start = torch.empty(4, dtype=torch.int32)
            o, lse = torch.ops.tk.attention_varlen(q, k, v, start, start, 30, 40, 0.125, True, 0, 0.0)
            self.assertEqual((o.shape, o.dtype), (q.shape, q.dtype))
            self.assertEqual((lse.shape, lse.dtype), ((4, 50), torch.float32))
            made = torch.ops.tk.attention_varlen_backward(q, k, v, start, start, o, lse, o, 40, 0.125, True, 0, 0.0)
            self.assertEqual([x.shape for x in made], [q.shape, k.shape, v.shape])

    def test_what_it_does_not_take(self):
        before = checks.is_hopper
        checks.is_hopper = lambda index: True
        self.addCleanup(setattr, checks, "is_hopper", before)

        class Here(torch.Tensor):
            is_cuda = True
        x = randn(50, 4, 64).as_subclass(Here)
        start = starts((20, 30)).as_subclass(Here)

        def reason(q=x, k=x, v=x, start_q=start, start_k=start, longest=30, scale=None, causal=False, window=(-1, -1), cap=0.0,
                   deterministic=False):
            return varlen._unsupported(q, k, v, start_q, start_k, longest, longest, scale, causal, window, cap, deterministic)
        self.assertIsNone(reason())
        self.assertIn("on one GPU", reason(v=randn(50, 4, 64)))
        self.assertIn("bfloat16", reason(q=x.float().as_subclass(Here)))
        self.assertIn("three axes", reason(q=x[None]))
        self.assertIsNone(reason(x[..., :40], x[..., :40], x[..., :40]))
        z = randn(50, 4, 136).as_subclass(Here)
        self.assertIn("head dimension 136 is not supported: 1 to 128 are", reason(z, z, z))
        self.assertIn("the head dimension of q", reason(k=x[..., :48], v=x[..., :48]))
        self.assertIn("one shape", reason(k=x[:40]))
        self.assertIn("the heads of q, 4, must be a multiple of those of k, 3", reason(k=x[:, :3], v=x[:, :3]))
        self.assertIsNone(reason(k=x[:, :2], v=x[:, :2]))
        self.assertIn("int32", reason(start_q=start.long()))
        self.assertIn("one length", reason(start_k=start[:2]))
        self.assertIn("max_seqlen", reason(longest=-1))
        self.assertIn("softmax_scale", reason(scale=0.0))
        self.assertIn("softcap", reason(cap=-1.0))
        self.assertIn("left side", reason(window=(-2, 0)))
        self.assertIn("right side", reason(window=(3, 3)))
        self.assertIsNone(reason(window=(3, 3), causal=True))  # FlashAttention takes 0 there
        self.assertIsNone(reason(deterministic=True))
        y = x.detach().requires_grad_()
        self.assertIsNone(reason(q=y))
        self.assertIn("deterministic=True", reason(q=y, deterministic=True))
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        self.assertIn("use_deterministic_algorithms", reason(k=y))
        z = randn(50, 4, 112).as_subclass(Here)
        self.assertIsNone(reason(z, z, z))
        with self.raises(ValueError, "attention_varlen: ", "compute capability 9.0"):
            tk.torch.attention_varlen(randn(50, 4, 64), x, x, start, start, 30, 30)


@unittest.skipIf(not HOPPER or NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(VarlenCase):
    """tk.torch.attention_varlen itself. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def inputs(self, q_lengths, k_lengths, heads, kv_heads, cells, kind=torch.bfloat16):
        made = packed(q_lengths, k_lengths, heads, kv_heads, cells, kind, "cuda")
        return made, (starts(q_lengths, "cuda"), starts(k_lengths, "cuda"), max(q_lengths), max(k_lengths))

    def test_gradients(self):
        q_lengths, k_lengths = (300, 1, 0, 1000, 128, 65), (300, 90, 30, 700, 256, 0)
        for cells, kind, heads, kv_heads in [(64, torch.bfloat16, 4, 2), (96, torch.float16, 2, 1), (128, torch.bfloat16, 2, 2),
                                             (128, torch.float16, 4, 1)]:
            inputs, numbers = self.inputs(q_lengths, k_lengths, heads, kv_heads, cells, kind)
            for words in CASES:
                with self.subTest(cells=cells, kind=kind, **words):
                    want = in_float64(*inputs, q_lengths, k_lengths, **as_ours(words))
                    got = ours(*inputs, *numbers, tk.torch.attention_varlen, **words)
                    self.agree(got, want, 1e-2 if kind == torch.bfloat16 else 3e-3)

    def test_even_lengths(self):
        # As PyTorch's attention on a batch.
        inputs, numbers = self.inputs((512,) * 4, (512,) * 4, 8, 8, 128)
        got = ours(*inputs, *numbers, tk.torch.attention_varlen, causal=True)
        q, k, v, do = (x.view(4, 512, 8, 128).transpose(1, 2) for x in inputs)
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        o = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=True)
        want = [o.detach(), *torch.autograd.grad(o, leaves, do)]
        for a, b in zip((got[0], *got[2:]), want):
            self.close(a, b.transpose(1, 2).reshape(a.shape), 1e-2)

    def test_neighbours(self):
        inputs, numbers = self.inputs((300, 65, 200), (130, 65, 500), 2, 1, 64)
        clean = ours(*inputs, *numbers, tk.torch.attention_varlen, causal=True)
        for x, first in zip(inputs, (300, 130, 130, 300)):
            x[:first] *= 50
        changed = ours(*inputs, *numbers, tk.torch.attention_varlen, causal=True)
        for a, b, first in zip((clean[0], *clean[2:]), (changed[0], *changed[2:]), (300, 300, 130, 130)):
            self.close(a[first:], b[first:], 1e-3)  # the last bits of dQ differ

    def test_compiled(self):
        torch._dynamo.reset()
        def block(*x, return_lse, **words):
            o, lse = tk.torch.attention_varlen(x[0] * 0.5, *x[1:], return_lse=True, **words)
            return o * 2, lse
        for mode in (None, "reduce-overhead"):
            traced = torch.compile(block, fullgraph=True, mode=mode)
            for lengths in ((256, 100), (300, 20), (300, 20), (300, 20)):
                inputs, numbers = self.inputs(lengths, lengths, 4, 2, 64)
                torch.compiler.cudagraph_mark_step_begin()
                got = [x.clone() for x in ours(*inputs, *numbers, traced, causal=True)]
                want = in_float64(inputs[0] * 0.5, *inputs[1:], lengths, lengths, causal=True)
                want = [2 * want[0], want[1], want[2], 2 * want[3], 2 * want[4]]
                self.agree(got, want, 1e-2)

    def test_graph(self):
        lengths, others = (300, 100, 7), (7, 300, 100)
        inputs, (start_q, start_k, longest, _) = self.inputs(lengths, lengths, 4, 2, 128)
        call = lambda: ours(*inputs, start_q, start_k, longest, longest, tk.torch.attention_varlen, causal=True)  # noqa: E731
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            call()  # loads the kernels
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            held = call()
        for current in (lengths, others):  # new lengths at the same addresses
            start_q.copy_(starts(current))
            start_k.copy_(starts(current))
            graph.replay()
            self.agree(held, in_float64(*inputs, current, current, causal=True), 1e-2)


if __name__ == "__main__":
    unittest.main()
