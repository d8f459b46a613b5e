"""tk.torch.linear_fp8 and LinearFp8: results and gradients against products in f64 of what the matrices in fp8 stand for, scales, kept
weights, graphs, messages, and a model that learns. By the emulator; on a Hopper GPU with nvcc, the kernels. Needs PyTorch."""
import os
import unittest
from unittest import mock

import torch

import support
import tk
import torch_test
from tk import fp8
from torch_test import randn

E4M3, E5M2 = fp8.LARGEST


def stands_for(x, kind, scale=None):
    """What fp8 makes of x, in f64."""
    scale = x.abs().max().float() / fp8.LARGEST[kind] if scale is None else scale
    most = fp8.LARGEST[kind]
    return (x.float() / scale).clamp(-most, most).to(kind).double() * scale.double()


class Case(torch_test.Case):
    device = "cpu"

    def inputs(self, m, n, k, of=torch.bfloat16):
        x = randn(m, k).to(self.device).requires_grad_()
        w = (randn(n, k, seed=1) / k**0.5).to(of).to(self.device).requires_grad_()
        return x, w, (1e-6 * randn(m, n, seed=2)).to(self.device)

    def check(self, m, n, k, of=torch.bfloat16):
        x, w, dy = self.inputs(m, n, k, of)
        y = tk.torch.linear_fp8(x, w)
        dx, dw = torch.autograd.grad(y, (x, w), dy)
        self.assertEqual((y.dtype, dx.dtype, dw.dtype), (torch.bfloat16, torch.bfloat16, of))
        # Where x / scale lies between two numbers of fp8, the last bits of the scale decide which of them it becomes.
        a, b, c = stands_for(x.detach(), E4M3), stands_for(w.detach(), E4M3), stands_for(dy, E5M2)
        for got, want in zip((y, dx, dw), (a @ b.t(), c @ b, c.t() @ a)):
            self.close(got, want, 8e-3)
        for got, want in zip((y, dx, dw), (x.double() @ w.double().t(), dy.double() @ w.double(), dy.double().t() @ x.double())):
            self.close(got, want, 0.1)


class Linear(Case):
    def test_results(self):
        for m, n, k in ((1, 16, 16), (37, 48, 208), (144, 272, 144)):
            for of in (torch.bfloat16, torch.float32):
                with self.subTest(m=m, n=n, k=k, of=of):
                    self.check(m, n, k, of)

    def test_shapes(self):
        x, w, _ = self.inputs(12, 32, 48)
        bias = randn(32, seed=3)
        y = tk.torch.linear_fp8(x.view(2, 6, 48), w, bias)
        self.assertTrue(torch.equal(y, (tk.torch.linear_fp8(x, w) + bias).view(2, 6, 32)))
        packed = randn(12, 96)
        self.assertTrue(torch.equal(tk.torch.linear_fp8(packed[:, 48:], w), tk.torch.linear_fp8(packed[:, 48:].contiguous(), w)))
        self.assertEqual(tk.torch.linear_fp8(x[:0], w).shape, (0, 32))

    def test_quantised(self):
        # By powers of two, which both divide exactly: the same bits as PyTorch's; too large numbers become the largest.
        for kind in (E4M3, E5M2):
            for scale in (0.25, 2.0**-12):
                x, at = randn(70, 48), torch.tensor([scale])
                want = (x.float() / scale).clamp(-fp8.LARGEST[kind], fp8.LARGEST[kind]).to(kind)
                y, turned, parts = torch.ops.tk.quantise_both(x, at, kind == E5M2)
                self.assertTrue(torch.equal(y.float(), want.float()) and torch.equal(turned.float(), want.float().t()))
                alone, others = torch.ops.tk.quantise_tensor(x, at, kind == E5M2)
                self.assertTrue(torch.equal(alone.float(), want.float()))
                self.assertEqual(parts.max(), x.abs().max())
                self.assertEqual(others.max(), x.abs().max())
                self.assertEqual(torch.ops.tk.fp8_scale(x, kind == E5M2), x.abs().max().float() / fp8.LARGEST[kind])

    def test_zeros(self):
        x, w, _ = self.inputs(8, 16, 32)
        y = tk.torch.linear_fp8(torch.zeros_like(x).requires_grad_(), w)
        dw, = torch.autograd.grad(y.sum(), w)
        self.assertTrue((y == 0).all() and (dw == 0).all())

    def test_frozen(self):
        # No gradient of the weight, or none of x, is computed where none is wanted.
        x, w, dy = self.inputs(20, 32, 48)
        want = torch.autograd.grad(tk.torch.linear_fp8(x, w), (x, w), dy)
        for of_x in (True, False):
            with mock.patch.object(fp8, "_product", wraps=fp8._product) as product:
                y = tk.torch.linear_fp8(x if of_x else x.detach(), w.detach() if of_x else w)
                got, = torch.autograd.grad(y, x if of_x else w, dy)
                self.assertEqual(product.call_count, 2)
            self.assertTrue(torch.equal(got, want[0 if of_x else 1]))

    def test_operators(self):
        x, scale = randn(20, 32), torch.tensor([0.25])
        names = "test_schema", "test_autograd_registration", "test_faketensor"
        torch.library.opcheck(torch.ops.tk.fp8_scale.default, (x, True), test_utils=names)
        most, scales, end = torch.rand(2, 4), torch.rand(2), torch.tensor([448.0, 57344.0])
        torch.library.opcheck(torch.ops.tk.fp8_keep_most.default, (torch.rand(3, 5), 1, most), test_utils=names)
        torch.library.opcheck(torch.ops.tk.fp8_scales.default, (end, most, scales), test_utils=names)
        for name in ("quantise_tensor", "quantise_both"):
            torch.library.opcheck(getattr(torch.ops.tk, name).default, (x, scale, True), test_utils=names[1:])  # PyTorch compares no 8 bits
        x8, turned, _ = torch.ops.tk.quantise_both(x, scale, False)
        self.assertEqual(turned.stride(), (32, 1))  # rows at multiples of 16 bytes
        torch.library.opcheck(torch.ops.tk.linear_fp8.default, (x8, x8, scale, scale, torch.float32, True), test_utils=names[1:])

    def test_messages(self):
        x, w, _ = self.inputs(4, 16, 32)
        for words, a, b in [("bfloat16 or float16", x.float(), w), ("32 columns, and the weight 48", x, randn(16, 48)),
                            ("multiples of 16", x, randn(24, 32)), ("[N, K]", x, w[0])]:
            with self.raises(ValueError, "linear_fp8: ", words):
                tk.torch.linear_fp8(a, b)
        with self.raises(ValueError, "scaling is"):
            tk.torch.LinearFp8(16, 16, scaling="later")


class Layer(Case):
    def layer(self, scaling, **words):
        torch.manual_seed(0)
        return tk.torch.LinearFp8.of(torch.nn.Linear(48, 32, dtype=torch.bfloat16), scaling=scaling, **words)

    def test_current(self):
        layer = self.layer("current")
        x, _, dy = self.inputs(20, 32, 48)
        ours = torch.autograd.grad(layer(x), (x, layer.weight, layer.bias), dy)
        theirs = torch.autograd.grad(tk.torch.linear_fp8(x, layer.weight, layer.bias), (x, layer.weight, layer.bias), dy)
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(ours, theirs)))

    def test_delayed(self):
        layer = self.layer("delayed", history=3)
        sizes = [1.0, 8.0, 2.0, 0.5, 4.0]
        w = stands_for(layer.weight.detach(), E4M3)
        of_x, of_dy = [], []
        for step, size in enumerate(sizes):
            x, _, dy = self.inputs(20, 32, 48)
            x, dy = (size * x.detach()).requires_grad_(), dy / size
            y = layer(x) - layer.bias
            dx, dw = torch.autograd.grad(y, (x, layer.weight), dy)
            scales = [None, None] if step == 0 else [max(found[-3:]) / most for found, most in
                                                     zip((of_x, of_dy), fp8.LARGEST.values())]
            a, c = (stands_for(t.detach(), kind, None if s is None else s) for t, kind, s in zip((x, dy), (E4M3, E5M2), scales))
            for got, want in zip((y, dx, dw), (a @ w.t(), c @ w, c.t() @ a)):
                self.close(got, want, 1e-2)
            of_x.append(x.detach().abs().max().float())
            of_dy.append(dy.abs().max().float())
        for found, held in zip((of_x, of_dy), layer.most):
            self.assertEqual(held.tolist(), [t.item() for t in found[:1:-1]])
        with torch.no_grad():  # by the scale of now, and nothing is remembered
            before = layer.most.clone()
            self.assertTrue(torch.equal(layer(x), tk.torch.linear_fp8(x, layer.weight, layer.bias)))
            self.assertTrue(torch.equal(before, layer.most))
        self.assertEqual(sorted(layer.state_dict()), ["bias", "most", "scales", "weight"])
        self.assertEqual(layer.bfloat16().most.dtype, torch.float32)

    def test_without_gradients_for_long(self):
        # Steps whose gradients never come leave the gradients' scale as it was.
        layer = self.layer("delayed", history=2)
        x, _, dy = self.inputs(20, 32, 48)
        torch.autograd.grad(layer(x), x, dy)
        for _ in range(4):
            y = layer(x)
        self.assertEqual(layer.scales[1].item(), (dy.abs().max().float() / fp8.LARGEST[E5M2]).item())
        self.close(torch.autograd.grad(y, x, dy)[0], dy.double() @ layer.weight.double(), 0.1)

    def test_kept(self):
        layer = self.layer("current")
        x, _, dy = self.inputs(20, 32, 48)
        with mock.patch.object(fp8, "_weights", wraps=fp8._weights) as converted:
            for _ in range(3):
                layer(x).backward(dy)
            layer(x.detach())
            self.assertEqual(converted.call_count, 1)
            torch.optim.SGD(layer.parameters(), 0.1).step()
            y = layer(x)
            self.assertEqual(converted.call_count, 2)
            self.assertTrue(torch.equal(y, tk.torch.linear_fp8(x, layer.weight, layer.bias)))
            converted.reset_mock()
            layer.load_state_dict({k: 2 * v for k, v in layer.state_dict().items()})
            layer(x)
            layer.float()
            layer(x)
            layer.weight = torch.nn.Parameter(layer.weight.detach().clone())
            layer(x)
            self.assertEqual(converted.call_count, 3)
            with torch.no_grad():
                layer._held = None
                layer(x)  # no transpose
            layer(x)
            self.assertEqual(converted.call_count, 5)

    def test_autocast(self):
        layer = self.layer("current").float()
        x = randn(20, 48).float().requires_grad_()
        with torch.autocast("cpu", torch.bfloat16):
            y = layer(x)
        dx, dw = torch.autograd.grad(y.sum(), (x, layer.weight))
        self.assertEqual((y.dtype, dx.dtype, dw.dtype), (torch.bfloat16, torch.float32, torch.float32))

    def test_traced(self):
        for scaling in ("current", "delayed"):
            torch._dynamo.reset()
            one, other = self.layer(scaling), self.layer(scaling)
            traced = torch.compile(other, fullgraph=True, backend="aot_eager")
            for step in range(3):
                x, _, dy = self.inputs(20, 32, 48)
                made = [torch.autograd.grad(f((step + 1) * x), (x, layer.weight), dy) for f, layer in ((one, one), (traced, other))]
                self.assertTrue(all(torch.equal(a, b) for a, b in zip(*made)))
                self.assertTrue(scaling == "current" or torch.equal(one.most, other.most))


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""
    device = "cuda"

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for m, n, k in ((1, 16, 16), (130, 272, 4096), (1000, 528, 2064), (4096, 512, 512)):
            for of in (torch.bfloat16, torch.float32):
                with self.subTest(m=m, n=n, k=k, of=of):
                    self.check(m, n, k, of)

    def test_graph(self):
        # Forward and backward in one graph, which is replayed with other numbers and another weight; magnitudes are remembered by it.
        for scaling in ("current", "delayed"):
            torch.manual_seed(0)
            layer = tk.torch.LinearFp8(512, 256, bias=False, device="cuda", dtype=torch.bfloat16, scaling=scaling, history=1)
            x, dy = randn(300, 512).cuda().requires_grad_(), randn(300, 256, seed=1).cuda()
            for _ in range(2):
                torch.autograd.grad(layer(x), (x, layer.weight), dy)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = layer(x)
                dx, dw = torch.autograd.grad(y, (x, layer.weight), dy)
            with torch.no_grad():
                x.mul_(4)
                layer.weight.mul_(-2)  # as an optimizer in the graph would
            dy.div_(1024)
            for _ in range(2):  # the second time, delayed scales are those of these numbers
                graph.replay()
            self.close(y, x.double() @ layer.weight.double().t(), 0.1)
            self.close(dx, dy.double() @ layer.weight.double(), 0.1)
            self.close(dw, dy.double().t() @ x.double(), 0.1)


if __name__ == "__main__":
    unittest.main()
