"""tk.torch.matmul and linear against products in f64, with K in one piece and divided, their gradients, graphs and messages. By the
emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest
from unittest import mock

import torch

import tk
import torch_test
from tk import products
from torch_test import randn


class Case(torch_test.Case):
    def check(self, shape, n, turned):
        a = randn(*shape).to(self.device).requires_grad_()
        b = randn(*((n, shape[-1]) if turned else (shape[-1], n)), seed=1).to(self.device).requires_grad_()
        c = tk.torch.linear(a, b) if turned else tk.torch.matmul(a, b)
        self.assertEqual((c.shape, c.dtype), ((*shape[:-1], n), torch.bfloat16))
        exact = [x.detach().double().requires_grad_() for x in (a, b)]
        want = exact[0] @ (exact[1].T if turned else exact[1])
        self.close(c, want, 5e-3)
        dc = randn(*c.shape, seed=2).to(self.device)
        for got, right in zip(torch.autograd.grad(c, (a, b), dc), torch.autograd.grad(want, exact, dc.double())):
            self.close(got, right, 5e-3)

    def check_bias(self, shape, n):
        leaves = [x.to(self.device).requires_grad_() for x in (randn(*shape), randn(n, shape[-1], seed=1), randn(n, seed=2))]
        y = tk.torch.linear(*leaves)
        exact = [x.detach().double().requires_grad_() for x in leaves]
        want = torch.nn.functional.linear(*exact)
        self.assertEqual((y.shape, y.dtype), (want.shape, torch.bfloat16))
        self.close(y, want, 5e-3)
        dy = randn(*y.shape, seed=3).to(self.device)
        for got, right in zip(torch.autograd.grad(y, leaves, dy), torch.autograd.grad(want, exact, dy.double())):
            self.close(got, right, 5e-3)

    def with_plan(self, made, shape, n, turned):
        with mock.patch.object(products, "plan", lambda *_: made):
            a = randn(*shape).to(self.device)
            b = randn(*((n, shape[-1]) if turned else (shape[-1], n)), seed=1).to(self.device)
            c = tk.torch.linear(a, b) if turned else tk.torch.matmul(a, b)
        self.close(c, a.double() @ (b.double().T if turned else b.double()), 5e-3)


class Products(Case):
    device = "cpu"

    def test_whole(self):
        self.check((2, 5, 72), 40, True)
        self.check((70, 72), 40, False)

    def test_transposed(self):
        a, w, dc = randn(70, 72).requires_grad_(), randn(40, 72, seed=1).requires_grad_(), randn(70, 40, seed=2)
        c, y = tk.torch.matmul(a, w.t()), tk.torch.linear(a, w)
        self.assertTrue(torch.equal(c, y))
        for got, want in zip(torch.autograd.grad(c, (a, w), dc), torch.autograd.grad(y, (a, w), dc)):
            self.assertTrue(torch.equal(got, want))
        with mock.patch.object(products, "_readable", wraps=products._readable) as readable:
            tk.torch.matmul(a.detach(), w.detach().t())
        self.assertTrue(all(call[0][0].is_contiguous() for call in readable.call_args_list))  # so that nothing is copied

    def test_bias(self):
        self.check_bias((2, 5, 72), 40)
        self.check_bias((130, 64), 264)
        x, w, bias = randn(5, 64), randn(24, 64, seed=1), randn(25, seed=2)[1:]  # which begins at 2 bytes
        self.assertTrue(torch.equal(tk.torch.linear(x, w, bias), tk.torch.linear(x, w, bias.clone())))
        self.assertEqual(tk.torch.linear(x[:0], w, bias).shape, (0, 24))
        with mock.patch.object(products, "plan", lambda *_: products.Plan("gemm_few", 3, (("BM", 16), ("S", 6), ("BS", 2)))):
            x, w = randn(5, 520), randn(24, 520, seed=1)
            self.assertTrue(torch.equal(tk.torch.linear(x, w, bias), tk.torch.linear(x, w) + bias))

    def test_divided(self):
        self.with_plan(products.Plan("gemm_few", 3, (("BM", 16), ("S", 6), ("BS", 2))), (5, 520), 136, True)
        for turned in (True, False):
            words = dict(BM=64, BN=128, CM=1, WG=1, S=8, BS=4)
            self.with_plan(products.Plan("gemm_split", 5, tuple(words.items())), (70, 520), 136, turned)

    def test_plans(self):
        few = products.plan(16, 2112, 7168, True)
        self.assertEqual(few.file, "gemm_few")
        self.assertTrue(products.plan(256, 4096, 14336, True).splits > 1)
        for shape in [(4096, 4096, 4096), (8192, 8192, 1024), (512, 28672, 4096), (0, 64, 64), (3, 64, 0)]:
            for turned in (True, False):
                self.assertEqual(products.plan(*shape, turned).splits, 1)

    def test_graph(self):
        torch._dynamo.reset()
        x, w, bias = randn(3, 64), randn(24, 64, seed=1), randn(24, seed=2)
        graph = torch.compile(lambda x: tk.torch.linear(x, w, bias), backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(graph(x), tk.torch.linear(x, w, bias)))

    def test_messages(self):
        for words, x, w in [("bfloat16", randn(2, 64).float(), randn(8, 64)), ("64 columns", randn(2, 64), randn(8, 72)),
                            ("multiples of 8", randn(2, 64), randn(9, 64)), ("two axes", randn(64), randn(8, 64))]:
            with self.raises(ValueError, "linear: ", words):
                tk.torch.linear(x, w)
        for words, bias in [("bfloat16, not float32", randn(8).float()), ("8 elements", randn(9)), ("8 elements", randn(1, 8))]:
            with self.raises(ValueError, "linear: the bias", words):
                tk.torch.linear(randn(2, 64), randn(8, 64), bias)


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""
    device = "cuda"

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for shape, n, turned in [((16, 7168), 2112, True), ((3, 14336), 4096, True), ((512, 14336), 4096, True),
                                 ((512, 4096), 512, False), ((2, 100, 256), 264, True)]:
            with self.subTest(shape=shape, n=n, turned=turned):
                self.check(shape, n, turned)
        for shape, n in [((16, 7168), 2112), ((300, 1000), 520), ((2048, 512), 4096)]:
            with self.subTest(shape=shape, n=n):
                self.check_bias(shape, n)

    def test_divided(self):
        for pairs in (1, 2):
            words = dict(BM=128, BN=256, CM=pairs, WG=2, S=4, BS=2)
            for turned in (True, False):
                self.with_plan(products.Plan("gemm_split", 3, tuple(words.items())), (300, 1000), 520, turned)
        for rows, stages in products._STAGES_OF_FEW.items():
            self.with_plan(products.Plan("gemm_few", 5, (("BM", rows), ("S", stages), ("BS", 4))), (rows - 3, 3000), 520, True)


if __name__ == "__main__":
    unittest.main()
