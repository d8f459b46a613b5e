"""tk.torch.linear_int4 and linear_int8 against products with what the packed weights stand for, in f64; packing, graphs and messages.
By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest
from unittest import mock

import torch

import tk
import torch_test
from tk import quantised
from torch_test import randn


def unpacked_int4(q, scale, zero, k):
    """The weight in f64."""
    n, half = q.shape
    bytes_ = q.view(n, half // 64, 64).long()
    numbers = torch.cat([bytes_ & 15, bytes_ >> 4], dim=2).double()
    scale, zero = (t.double().view(-1, n).t()[..., None] for t in (scale, zero))
    return ((numbers - (zero - 128)) * scale).reshape(n, 2 * half)[:, :k]


class Case(torch_test.Case):
    def packed(self, n, k):
        return randn(n, k, seed=1).to(self.device)

    def check_int4(self, m, n, k, made=None):
        w = self.packed(n, k)
        parts = tk.torch.pack_int4(w)
        stands_for = unpacked_int4(*parts, k)
        step = parts[1].double().view(-1, n).t().repeat_interleave(128, 1)[:, :k]
        self.assertLess(((stands_for - w.double()).abs() / step).max().item(), 1.01)  # half a step, and as much for the ends of a group, since the zero point is whole
        x = randn(m, k).to(self.device)
        with self.planned(made):
            self.close(tk.torch.linear_int4(x, *parts), x.double() @ stands_for.t(), 5e-3)

    def check_int8(self, m, n, k, made=None, kind=torch.int8):
        q, scale = tk.torch.pack_int8(self.packed(n, k))
        self.assertLess((q.double() * scale.double()[:, None] - self.packed(n, k).double()).abs().div(scale[:, None]).max().item(), 0.51)
        if kind != torch.int8:
            q = (q.float() / 127).to(kind)
        x = randn(m, k).to(self.device)
        with self.planned(made):
            self.close(tk.torch.linear_int8(x, q, scale), x.double() @ (q.double() * scale.double()[:, None]).t(), 5e-3)

    @staticmethod
    def planned(made):
        return mock.patch.object(quantised, "plan", (lambda *_: made) if made else quantised.plan)


class Quantised(Case):
    device = "cpu"

    def test_int4(self):
        self.check_int4(3, 24, 256)
        self.check_int4(18, 264, 400, quantised.Plan(32, 256, 3, 2, 4))

    def test_int8(self):
        self.check_int8(3, 24, 208)
        self.check_int8(18, 264, 400, quantised.Plan(32, 256, 4, 3))
        self.check_int8(18, 24, 400, kind=torch.float8_e4m3fn)

    def test_plans(self):
        for n, k in [(16384, 16384), (8192, 57344), (4096, 14336), (28672, 4096), (8, 16)]:
            for m in (0, 1, 16, 17, 64, 65, 256):
                for bits in (4, 8):
                    _, _, stages, splits, inputs = quantised.plan(m, n, k, bits)
                    self.assertTrue(stages >= 3 and 1 <= splits <= -(-k // 128) and (inputs >= 4 or bits == 8))
        self.assertEqual(quantised.plan(16, 8192, 57344, 4).splits, 4)

    def test_graph(self):
        torch._dynamo.reset()
        x, bias, parts = randn(2, 3, 128), randn(24, seed=2), tk.torch.pack_int4(self.packed(24, 128))
        graph = torch.compile(lambda x: tk.torch.linear_int4(x, *parts, bias), backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(graph(x), tk.torch.linear_int4(x, *parts) + bias))
        self.assertEqual(graph(x).shape, (2, 3, 24))

    def test_messages(self):
        parts = tk.torch.pack_int4(self.packed(24, 128))
        for words, call in [("K of 16", lambda: tk.torch.pack_int4(randn(8, 72))), ("N must be", lambda: tk.torch.pack_int8(randn(9, 64))),
                            ("16 to 256", lambda: tk.torch.linear_int4(randn(2, 272), *parts)),
                            ("pack_int4 gives", lambda: tk.torch.linear_int4(randn(2, 128), parts[0], parts[1], parts[2][..., :8])),
                            ("no gradients", lambda: tk.torch.linear_int4(randn(2, 128).requires_grad_(), *parts)),
                            ("bfloat16", lambda: tk.torch.linear_int8(randn(2, 64).float(), *tk.torch.pack_int8(randn(8, 64))))]:
            with self.raises(ValueError, words):
                call()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""
    device = "cuda"

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for m, n, k in [(1, 4096, 14336), (7, 520, 1280), (16, 8192, 4096), (30, 2112, 7168), (64, 2112, 7168), (250, 4096, 4096)]:
            with self.subTest(m=m, n=n, k=k):
                self.check_int4(m, n, k)
                self.check_int8(m, n, k)
        self.check_int8(16, 2112, 7168, kind=torch.float8_e4m3fn)


if __name__ == "__main__":
    unittest.main()
