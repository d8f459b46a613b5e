"""Gradients of tk.torch.gated_delta_rule, kimi_delta_attention, rwkv7 and gated_linear_attention against those of PyTorch, through their
recurrences in float64. By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest

import torch
import torch.nn.functional as F

import tk
import torch_sequence_test
import torch_test
from torch_sequence_steps_test import delta, kimi, recurrent, ruled, taken
from torch_sequence_test import gated, inputs
from torch_test import randn


class Case(torch_sequence_test.Case):
    def gradients(self, ours, exact, tensors, before, within, behind=None):
        """Of all tensors and of the state before, from random gradients of the outputs and, where it is given, of the state after."""
        do = None
        made = []
        for function, kind in ((ours, None), (exact, torch.float64)):
            leaves = [None if t is None else t.detach().to(t.device, kind, copy=True).requires_grad_() for t in (*tensors, before)]
            results = function(*leaves)
            do = randn(*results[0].shape, seed=20).to(results[0]) if do is None else do
            given = [do.to(results[0])] + ([] if behind is None else [behind.to(results[1])])
            made.append(torch.autograd.grad(results[:len(given)], [t for t in leaves if t is not None], given))
        self.agree(*made, within)

    def delta(self, tensors, within, scale=0.1, behind=None):
        *tensors, before = tensors
        self.gradients(lambda *t: tk.torch.gated_delta_rule(*t[:5], scale, t[5], True),
                       lambda *t: delta(*t[:5], scale, t[5]), tensors, before, within, behind)

    def kimi(self, tensors, g, within, scale=0.1, behind=None):
        q, k, v, _, beta, before = tensors
        self.gradients(lambda *t: tk.torch.kimi_delta_attention(*t[:5], scale, t[5], True),
                       lambda *t: kimi(*t[:5], scale, t[5]), (q, k, v, g, beta), before, within, behind)

    def rwkv7(self, tensors, within, scale=0.3, behind=None):
        *tensors, before = tensors
        self.gradients(lambda *t: tk.torch.rwkv7(*t[:6], scale, t[6], True), lambda *t: taken(*t[:6], scale, t[6]), tensors, before, within,
                       behind)

    def gated(self, tensors, g, within, scale=0.3, behind=None):
        q, k, v, _, before, _ = tensors
        self.gradients(lambda *t: tk.torch.gated_linear_attention(*t[:4], scale, t[4], True),
                       lambda *t: gated(*t[:4], scale, t[4]), (q, k, v, g), before, within, behind)


class Gated(Case):
    def test_results(self):
        g = F.logsigmoid(randn(1, 70, 2, 64, seed=7).float()) / 4
        for gates in (g, g.bfloat16()):
            self.gated(inputs(1, 70, 2, 64), gates, 1e-2, behind=randn(1, 2, 64, 64, seed=9).float())
        forgotten = g.clone()
        forgotten[:, 40] = -torch.inf
        self.gated(inputs(1, 70, 2, 64), forgotten, 1e-2)
        self.gated(inputs(1, 65, 1, 128, 64, torch.float16), F.logsigmoid(randn(1, 65, 1, 128, seed=7).float()), 4e-3,
                   behind=randn(1, 1, 128, 64, seed=9).float())

    def test_parts(self):
        q, k, v, _, before, _ = inputs(1, 9, 2, 64)
        g = -q.abs()
        self.gradients(lambda *t: tk.torch.gated_linear_attention(*t[:4]), lambda *t: gated(*t[:4], 0.125, 0 * before), (q, k, v, g), None, 1e-2)
        leaf = g.clone().requires_grad_()
        _, state = tk.torch.gated_linear_attention(q, k, v, leaf, output_final_state=True)
        exact = g.double().requires_grad_()
        _, want = gated(q, k, v, exact, 1, 0 * before)
        self.agree(torch.autograd.grad(state, leaf, before), torch.autograd.grad(want, exact, before.double()), 1e-2)

    def test_graph(self):
        torch._dynamo.reset()
        q, k, v, _, before, _ = inputs(1, 9, 1, 64)
        leaves = [t.clone().requires_grad_() for t in (q, k, v, -q.abs().float(), before)]
        ours = lambda *t: tk.torch.gated_linear_attention(*t[:4], None, t[4])[0]
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        self.agree(torch.autograd.grad(graph(*leaves).sum(), leaves), torch.autograd.grad(ours(*leaves).sum(), leaves), 0)
        (first,) = torch.autograd.grad(ours(*leaves).sum(), leaves[0], create_graph=True)
        with self.raises(RuntimeError, "gated_linear_attention", "first derivatives only"):
            first.sum().backward()

    def test_messages(self):
        q, k, v, *_ = inputs(1, 9, 2, 64, 72)
        with self.raises(ValueError, "gated_linear_attention: ", "no gradients for head dimension 72 of v"):
            tk.torch.gated_linear_attention(q.clone().requires_grad_(), k, v, q)


class Delta(Case):
    def test_results(self):
        self.delta(ruled(1, 70, 2, 64), 1e-2, behind=randn(1, 2, 64, 64, seed=9).float())
        self.delta(ruled(1, 65, 1, 128, 64, torch.float16), 4e-3, behind=randn(1, 1, 128, 64, seed=9).float())

    def test_grouped(self):
        self.delta(ruled(1, 70, 6, 64, group=3), 1e-2, behind=randn(1, 6, 64, 64, seed=9).float())
        torch._dynamo.reset()
        leaves = [t.clone().requires_grad_() for t in ruled(1, 9, 2, 64, group=2)]
        ours = lambda *t: tk.torch.gated_delta_rule(*t[:5], None, t[5])[0]
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        self.agree(torch.autograd.grad(graph(*leaves).sum(), leaves), torch.autograd.grad(ours(*leaves).sum(), leaves), 0)

    def test_parts(self):
        q, k, v, g, beta, before = ruled(1, 9, 2, 64)
        self.gradients(lambda q, k, v, _: tk.torch.gated_delta_rule(q, k, v), lambda q, k, v, _: delta(q, k, v, 0 * g, 0 * g + 1, 0.125, 0 * before),
                       (q, k, v), None, 1e-2)
        half = beta.bfloat16()  # with gates of another type
        self.gradients(lambda *t: tk.torch.gated_delta_rule(*t[:5], 0.1, t[5]), lambda *t: delta(*t[:5], 0.1, t[5]), (q, k, v, g, half), before, 1e-2)
        leaf = v.clone().requires_grad_()
        _, state = tk.torch.gated_delta_rule(q, k, leaf, g, beta, output_final_state=True)
        exact = v.double().requires_grad_()
        _, want = delta(q, k, exact, g, beta, 1, 0 * before)
        self.agree(torch.autograd.grad(state, leaf, before), torch.autograd.grad(want, exact, before.double()), 1e-2)

    def test_graph(self):
        torch._dynamo.reset()
        leaves = [t.requires_grad_() for t in ruled(1, 9, 1, 64)]
        ours = lambda *t: tk.torch.gated_delta_rule(*t[:5], None, t[5])[0]
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        self.agree(torch.autograd.grad(graph(*leaves).sum(), leaves), torch.autograd.grad(ours(*leaves).sum(), leaves), 0)
        (first,) = torch.autograd.grad(ours(*leaves).sum(), leaves[0], create_graph=True)
        with self.raises(RuntimeError, "gated_delta_rule", "first derivatives only"):
            first.sum().backward()

    def test_messages(self):
        q, k, v, g, beta, _ = ruled(1, 9, 2, 64, 72)
        with self.raises(ValueError, "gated_delta_rule: ", "no gradients for head dimension 72 of v"):
            tk.torch.gated_delta_rule(q.requires_grad_(), k, v, g, beta)


class Kimi(Case):
    def test_results(self):
        g = F.logsigmoid(randn(1, 70, 2, 64, seed=9).float()) / 4
        for gates in (g, g.bfloat16()):
            self.kimi(ruled(1, 70, 2, 64), gates, 1e-2, behind=randn(1, 2, 64, 64, seed=10).float())
        forgotten = g.clone()
        forgotten[:, 40] = -torch.inf
        self.kimi(ruled(1, 70, 2, 64), forgotten, 1e-2)
        self.kimi(ruled(1, 65, 1, 128, 64, torch.float16), F.logsigmoid(randn(1, 65, 1, 128, seed=9).float()), 4e-3,
                  behind=randn(1, 1, 128, 64, seed=10).float())

    def test_grouped(self):
        g = F.logsigmoid(randn(1, 70, 4, 64, seed=9).float()) / 4
        self.kimi(ruled(1, 70, 4, 64, group=2), g, 1e-2, behind=randn(1, 4, 64, 64, seed=10).float())

    def test_parts(self):
        q, k, v, _, beta, before = ruled(1, 9, 2, 64)
        g = -q.abs()
        half = beta.bfloat16()
        self.gradients(lambda *t: tk.torch.kimi_delta_attention(*t[:5]), lambda *t: kimi(*t[:5], 0.125, 0 * before), (q, k, v, g, half), None, 1e-2)
        leaf = beta.clone().requires_grad_()
        _, state = tk.torch.kimi_delta_attention(q, k, v, g, leaf, output_final_state=True)
        exact = beta.double().requires_grad_()
        _, want = kimi(q, k, v, g, exact, 1, 0 * before)
        self.agree(torch.autograd.grad(state, leaf, before), torch.autograd.grad(want, exact, before.double()), 1e-2)

    def test_graph(self):
        torch._dynamo.reset()
        q, k, v, _, beta, before = ruled(1, 9, 1, 64)
        leaves = [t.clone().requires_grad_() for t in (q, k, v, -q.abs().float(), beta, before)]
        ours = lambda *t: tk.torch.kimi_delta_attention(*t[:5], None, t[5])[0]
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        self.agree(torch.autograd.grad(graph(*leaves).sum(), leaves), torch.autograd.grad(ours(*leaves).sum(), leaves), 0)
        (first,) = torch.autograd.grad(ours(*leaves).sum(), leaves[0], create_graph=True)
        with self.raises(RuntimeError, "kimi_delta_attention", "first derivatives only"):
            first.sum().backward()


class Rwkv7(Case):
    def test_results(self):
        self.rwkv7(recurrent(1, 70, 2, 64), 1e-2, behind=randn(1, 2, 64, 64, seed=10).float())
        self.rwkv7(recurrent(1, 65, 1, 128, 64, torch.float16), 4e-3, behind=randn(1, 1, 128, 64, seed=10).float())
        self.rwkv7(recurrent(1, 65, 1, 128, 128), 1e-2, behind=randn(1, 1, 128, 128, seed=10).float())

    def test_parts(self):
        *tensors, before = recurrent(1, 9, 2, 64)
        tensors[1] = tensors[1].bfloat16()
        self.gradients(lambda *t: tk.torch.rwkv7(*t[:6]), lambda *t: taken(*t[:6], 1, 0 * before), tensors, None, 1e-2)
        leaf, exact = tensors[4].clone().requires_grad_(), tensors[4].double().requires_grad_()
        _, state = tk.torch.rwkv7(*tensors[:4], leaf, tensors[5], initial_state=before, output_final_state=True)
        _, want = taken(*tensors[:4], exact, tensors[5], 1, before)
        self.agree(torch.autograd.grad(state, leaf, before), torch.autograd.grad(want, exact, before.double()), 1e-2)

    def test_graph(self):
        torch._dynamo.reset()
        leaves = [t.requires_grad_() for t in recurrent(1, 9, 1, 64)]
        ours = lambda *t: tk.torch.rwkv7(*t[:6], 1.0, t[6])[0]
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        self.agree(torch.autograd.grad(graph(*leaves).sum(), leaves), torch.autograd.grad(ours(*leaves).sum(), leaves), 0)
        (first,) = torch.autograd.grad(ours(*leaves).sum(), leaves[0], create_graph=True)
        with self.raises(RuntimeError, "rwkv7", "first derivatives only"):
            first.sum().backward()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_delta(self):
        for tokens in (1, 1000):
            for cells, cells_v in ((64, 64), (128, 128), (128, 64), (64, 128)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    self.delta([t.cuda() for t in ruled(2, tokens, 3, cells, cells_v)], 1e-2,
                               behind=randn(2, 3, cells, cells_v, seed=9).float().cuda())
                    self.delta([t.cuda() for t in ruled(2, tokens, 4, cells, cells_v, group=2)], 1e-2)

    def test_gated(self):
        for tokens in (1, 1000):
            for cells, cells_v in ((64, 64), (128, 128), (128, 64), (64, 128)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    g = F.logsigmoid(randn(2, tokens, 3, cells, seed=7).float().cuda()) / 4
                    for gates in (g, g.bfloat16()):
                        self.gated([t.cuda() for t in inputs(2, tokens, 3, cells, cells_v)], gates, 1e-2,
                                   behind=randn(2, 3, cells, cells_v, seed=9).float().cuda())

    def test_kimi(self):
        for tokens in (1, 1000):
            for cells, cells_v in ((64, 64), (128, 128), (128, 64), (64, 128)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    g = F.logsigmoid(randn(2, tokens, 3, cells, seed=9).float().cuda()) / 4
                    for gates in (g, g.bfloat16()):
                        self.kimi([t.cuda() for t in ruled(2, tokens, 3, cells, cells_v)], gates, 1e-2,
                                  behind=randn(2, 3, cells, cells_v, seed=10).float().cuda())
                        self.kimi([t.cuda() for t in ruled(2, tokens, 3, cells, cells_v, group=3)], gates, 1e-2)

    def test_rwkv7(self):
        for tokens in (1, 1000):
            for cells, cells_v in ((64, 64), (128, 128), (128, 64), (64, 128)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    self.rwkv7([t.cuda() for t in recurrent(2, tokens, 3, cells, cells_v)], 1e-2,
                               behind=randn(2, 3, cells, cells_v, seed=10).float().cuda())


if __name__ == "__main__":
    unittest.main()
