"""tk.torch.hadamard_transform against products with the matrix, its gradients, graphs and messages. By the emulator; on a Hopper GPU
with nvcc, the kernel itself."""
import os
import unittest

import torch

import tk
import torch_test
from torch_test import randn


def matrix(size):
    h = torch.ones(1, 1, dtype=torch.float64)
    while len(h) < size:
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    return h


class Case(torch_test.Case):
    def check(self, x, within):
        x = x.detach().requires_grad_()
        scale = x.shape[-1]**-0.5
        y = tk.torch.hadamard_transform(x, scale)
        h = matrix(x.shape[-1]).to(x.device)
        self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
        self.close(y, x.double() @ h * scale, within)
        dy = randn(*x.shape, seed=1).to(x.dtype).to(x.device)
        self.close(torch.autograd.grad(y, x, dy)[0], dy.double() @ h * scale, within)


class Hadamard(Case):
    def test_results(self):
        self.check(randn(2, 3, 64), 5e-3)
        self.check(randn(5, 1024).half(), 1e-3)
        self.check(randn(2, 4096).float(), 1e-6)
        self.check(randn(16, 6).t().contiguous().t()[:8].t().float(), 1e-6)

    def test_graph(self):
        torch._dynamo.reset()
        x = randn(3, 128)
        graph = torch.compile(lambda x: tk.torch.hadamard_transform(x, 0.5), backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(graph(x), tk.torch.hadamard_transform(x, 0.5)))

    def test_second_gradient(self):
        x = randn(3, 16).float().requires_grad_()
        (first,) = torch.autograd.grad(tk.torch.hadamard_transform(x).square().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
        self.close(second, torch.full_like(second, 32), 1e-6)

    def test_messages(self):
        for words, x in [("float32", randn(2, 64).double()), ("100 elements", randn(2, 100)), ("4 elements", randn(2, 4)),
                         ("0 elements", torch.zeros(()))]:
            with self.raises(ValueError, "hadamard_transform: ", words):
                tk.torch.hadamard_transform(x)


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernel itself. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for cols in (8, 256, 4096, 8192, 16384):
            for kind, within in ((torch.bfloat16, 5e-3), (torch.float32, 1e-6)):
                with self.subTest(cols=cols, kind=kind):
                    self.check(randn(7, cols).to(kind).cuda(), within)


if __name__ == "__main__":
    unittest.main()
