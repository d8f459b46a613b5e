"""Kernels of a stream see what those before them wrote, and none writes what the one before it still reads, though each starts while the
one before it ends (decision 46). On a Hopper GPU with nvcc, next to kernels of PyTorch, alone and in a graph."""
import os
import unittest

import torch

import support
import tk
import torch_test

COPY = os.path.join(support.HERE, "..", "..", "docs", "lessons", "01-copy", "copy.tk")


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(torch_test.Case):
    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))
        self.copy = tk.load(COPY).copy
        self.a, self.b, self.c = (torch.zeros(4096, 4096, dtype=torch.bfloat16, device="cuda") for _ in range(3))
        self.wrong = torch.zeros((), dtype=torch.int64, device="cuda")

    def chain(self, rounds):
        """Values go a -> b -> c -> a; each kernel overwrites what another one has just read. The last blocks are as late as the first."""
        for i in range(rounds):
            self.a.fill_(i % 200)                 # PyTorch, then ours
            self.copy(self.a, Y=self.b)
            self.copy(self.b, Y=self.c)             # ours, then ours: what was written
            self.copy(self.c, Y=self.a)             # and a, which the first one read
            self.a.add_(1)                        # ours, then PyTorch
            self.copy(self.a, Y=self.b)
            self.b.zero_()                        # a clearing between
            self.copy(self.b, Y=self.a)
            self.wrong.add_((self.c != i % 200).sum() + (self.a != 0).sum())

    def test_alone(self):
        self.chain(300)
        self.assertEqual(self.wrong.item(), 0)

    def test_products(self):
        w = torch.ones(2112, 7168, dtype=torch.bfloat16, device="cuda")
        x = torch.zeros(16, 7168, dtype=torch.bfloat16, device="cuda")
        for i in range(300):
            x.fill_(i % 3)
            y = tk.torch.linear(x, w)             # two kernels: parts, and their sums
            z = tk.torch.linear(y[:, :1024], w[:512, :1024])
            self.wrong.add_((y != 7168 * (i % 3)).sum() + (z != 7168 * 1024 * (i % 3)).sum())
        self.assertEqual(self.wrong.item(), 0)

    def test_graph(self):
        self.chain(1)
        other = torch.cuda.Stream()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.chain(5)
            self.a.fill_(3)
            other.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(other):        # ours on another branch, which joins before ours
                self.copy(self.a, Y=self.b)
                self.b.mul_(2)
            self.c.fill_(1)
            torch.cuda.current_stream().wait_stream(other)
            self.copy(self.b, Y=self.c)
            self.wrong.add_((self.c != 6).sum())
        for _ in range(50):
            graph.replay()
        self.assertEqual(self.wrong.item(), 0)


if __name__ == "__main__":
    unittest.main()
