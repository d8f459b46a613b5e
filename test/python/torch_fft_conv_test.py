"""tk.torch.fft_conv and fft_conv_spectrum against PyTorch's transforms in float64, their messages and graphs. By the
emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
import torch_test
from tk import fft_conv
from torch_test import randn

IN, OUT = {"gate_in"}, {"gate_out"}


def convolved(u, filters, gate_in=None, gate_out=None, causal=True):
    u = u if gate_in is None else gate_in * u
    tokens = u.shape[-1]
    size = 2 * tokens if causal else tokens
    y = torch.fft.irfft(torch.fft.rfft(u, size) * torch.fft.rfft(filters, size), size)[..., :tokens]
    return y if gate_out is None else gate_out * y


def inputs(batch, heads, tokens, kind=torch.bfloat16, gates=(), taps=None):
    """u, filter and those gates."""
    u, gate_in, gate_out = (randn(batch, heads, tokens, seed=i).to(kind) for i in range(3))
    found = {"u": u, "filter": randn(heads, tokens if taps is None else taps, seed=3).float()}
    return found | {name: gate for name, gate in (("gate_in", gate_in), ("gate_out", gate_out)) if name in gates}


class Case(torch_test.Case):
    def check(self, given, within, causal=True):
        """Results and all gradients."""
        leaves = {name: t.detach().requires_grad_() for name, t in given.items()}
        exact = {name: t.detach().double().requires_grad_() for name, t in given.items()}
        y = tk.torch.fft_conv(**leaves, causal=causal)
        filters = torch.nn.functional.pad(exact["filter"], (0, y.shape[-1] - exact["filter"].shape[-1]))
        want = convolved(exact["u"], filters, exact.get("gate_in"), exact.get("gate_out"), causal)
        self.assertEqual((y.shape, y.dtype), (given["u"].shape, given["u"].dtype))
        self.close(y, want, within)
        dy = randn(*y.shape, seed=9).to(y.dtype).to(y.device)
        made = torch.autograd.grad(y, list(leaves.values()), dy)
        for name, got, right in zip(given, made, torch.autograd.grad(want, list(exact.values()), dy.double()), strict=True):
            with self.subTest(gradient=name):
                self.assertEqual((got.shape, got.dtype), (given[name].shape, given[name].dtype))
                self.close(got, right, within)
        return y.detach()


class Convolution(Case):
    def test_results(self):
        self.check(inputs(2, 3, 256), 4e-3)
        self.check(inputs(3, 2, 512, torch.float16), 1e-3, causal=False)
        self.check(inputs(1, 2, 256, torch.float16, IN | OUT), 1e-3)
        self.check(inputs(2, 3, 64, torch.bfloat16, IN), 5e-3, causal=False)
        self.check(inputs(2, 1, 128, torch.bfloat16, OUT), 5e-3)

    def test_lengths(self):
        """Numbers of tokens that are not powers of two, and short filters."""
        self.check(inputs(2, 3, 100, torch.float16, IN, taps=7), 1e-3)
        self.check(inputs(1, 2, 1, torch.float16), 1e-3)
        u = randn(2, 3, 0)
        self.assertEqual(tk.torch.fft_conv(u, torch.zeros(3, 0)).shape, u.shape)
        self.assertEqual(tk.torch.fft_conv(randn(0, 3, 64), torch.zeros(3, 64)).shape, (0, 3, 64))

    def test_blocks(self):
        """More than 4096 tokens."""
        given = inputs(1, 1, 8193, torch.bfloat16, IN | OUT, taps=4096)
        want = self.check(given, 5e-3)
        self.assertTrue(torch.equal(tk.torch.fft_conv(**given | {"filter": tk.torch.fft_conv_spectrum(given["filter"], 8193)}), want))
        given = inputs(2, 1, 8192, torch.float16)
        self.close(tk.torch.fft_conv(**given, causal=False), convolved(given["u"].double(), given["filter"].double(), causal=False), 1e-3)

    def test_spectrum(self):
        given = inputs(2, 2, 192, gates=OUT)
        want = self.check(given, 5e-3)
        given["filter"] = tk.torch.fft_conv_spectrum(given["filter"], 192)
        self.assertTrue(torch.equal(tk.torch.fft_conv(**given), want))
        u = given["u"].requires_grad_()
        exact = u.detach().double().requires_grad_()
        want = convolved(exact, torch.nn.functional.pad(inputs(2, 2, 192)["filter"].double(), (0, 0)), None, given["gate_out"].double())
        dy = randn(2, 2, 192, seed=5)
        self.close(torch.autograd.grad(tk.torch.fft_conv(**given), u, dy)[0], torch.autograd.grad(want, exact, dy.double())[0], 5e-3)

    def test_sizes_of_numbers(self):
        """Filters of any size."""
        given = inputs(2, 3, 128, torch.float16)
        self.assertTrue(torch.equal(tk.torch.fft_conv(given["u"].bfloat16(), given["filter"] * 2.0**60), tk.torch.fft_conv(
            given["u"].bfloat16(), given["filter"]) * 2.0**60))
        self.assertFalse(tk.torch.fft_conv(given["u"], torch.zeros(3, 128)).any())
        for head, scale in enumerate((2.0**-30, 1, 2.0**30)):  # they share a tile
            given["filter"][head] *= scale
        y = tk.torch.fft_conv(given["u"].bfloat16(), given["filter"])
        for head in range(3):
            self.close(y[:, head], convolved(given["u"][:, head].double(), given["filter"][head].double()), 5e-3)

    def test_layouts(self):
        given = inputs(2, 3, 128)
        want = tk.torch.fft_conv(**given)
        wide = torch.cat([given["u"], given["u"]], 1)[:, 3:]
        self.assertTrue(torch.equal(tk.torch.fft_conv(wide, given["filter"]), want))
        turned = given["u"].transpose(1, 2).contiguous().transpose(1, 2)
        self.assertTrue(torch.equal(tk.torch.fft_conv(turned, given["filter"].t().contiguous().t()), want))

    def test_work(self):
        """All of it is assigned, and evenly."""
        for tiles in (1, 5, 48, 131, 768):
            for batch in (1, 3, 16, 64):
                pairs, sequences = fft_conv._work(tiles, batch, 132)
                programs = -(-tiles // (2 * pairs)) * -(-batch // sequences)
                self.assertLessEqual(-(-programs // 132) * pairs * sequences, max(2, 1.4 * tiles * batch / 264), (tiles, batch))

    def test_graph(self):
        torch._dynamo.reset()
        given = inputs(2, 3, 100, gates=IN)
        leaves = {name: t.requires_grad_() for name, t in given.items()}
        graph = torch.compile(lambda **t: tk.torch.fft_conv(**t), backend="aot_eager", fullgraph=True)
        y, want = graph(**leaves), tk.torch.fft_conv(**leaves)
        self.assertTrue(torch.equal(y, want))
        for a, b in zip(torch.autograd.grad(y.sum(), list(leaves.values())), torch.autograd.grad(want.sum(), list(leaves.values()))):
            self.assertTrue(torch.equal(a, b))
        with FakeTensorMode():
            u = torch.empty(2, 3, 512, dtype=torch.bfloat16)
            y = tk.torch.fft_conv(u, tk.torch.fft_conv_spectrum(torch.empty(3, 512), 512))
            self.assertEqual((y.shape, y.stride(), y.dtype), (u.shape, u.stride(), u.dtype))

    def test_messages(self):
        given = inputs(2, 3, 128)
        u, filters = given["u"], given["filter"]
        spectrum = tk.torch.fft_conv_spectrum(filters, 128)
        for words, call in [
            ("three axes", lambda: tk.torch.fft_conv(u[0], filters)),
            ("bfloat16 or float16", lambda: tk.torch.fft_conv(u.float(), filters)),
            ("of the same shape", lambda: tk.torch.fft_conv(u, filters, u[:1])),
            ("of the same shape", lambda: tk.torch.fft_conv(u, filters, None, u.half())),
            ("here [3, 128]", lambda: tk.torch.fft_conv(u, filters[:2])),
            ("of real numbers", lambda: tk.torch.fft_conv(u, filters.cfloat())),
            ("a power of two of tokens, from 64, or a multiple of 4096", lambda: tk.torch.fft_conv(u[..., :100], filters[:, :100], causal=False)),
            ("3 heads of 128 tokens, causal=True", lambda: tk.torch.fft_conv(u, spectrum, causal=False)),
            ("3 heads of 128 tokens", lambda: tk.torch.fft_conv(u[:, :2], spectrum)),
        ]:
            with self.raises(ValueError, "fft_conv: ", words):
                call()
        with self.raises(ValueError, "fft_conv_spectrum: ", "under torch.no_grad()"):
            tk.torch.fft_conv_spectrum(filters.requires_grad_(), 128)
        y = tk.torch.fft_conv(u.requires_grad_(), filters)
        (du,) = torch.autograd.grad(y.sum(), u, create_graph=True)
        with self.raises(RuntimeError, "first derivatives only"):
            du.sum().backward()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def on_gpu(self, *shape, **words):
        return {name: t.cuda() for name, t in inputs(*shape, **words).items()}

    def test_results(self):
        for tokens, heads, batch in ((64, 3, 2), (256, 70, 5), (1024, 5, 33), (1500, 4, 2), (2048, 3, 1), (4096, 300, 3)):
            for causal in (True, False) if tokens & tokens - 1 == 0 else (True,):
                with self.subTest(tokens=tokens, heads=heads, causal=causal):
                    self.check(self.on_gpu(batch, heads, tokens, kind=torch.float16), 1e-3, causal=causal)

    def test_gates(self):
        for gates in (IN, OUT, IN | OUT):
            with self.subTest(gates=gates):
                self.check(self.on_gpu(3, 10, 4096, gates=gates), 5e-3)
        self.check(self.on_gpu(3, 2, 12288, gates=IN | OUT), 5e-3)

    def test_blocks(self):
        for tokens, heads, batch in ((8192, 70, 3), (10000, 3, 1), (20480, 3, 1), (12288, 3, 2), (32768, 5, 5)):
            for causal in (True, False) if tokens % 4096 == 0 else (True,):
                with self.subTest(tokens=tokens, causal=causal):
                    self.check(self.on_gpu(batch, heads, tokens, kind=torch.float16), 1.2e-3, causal=causal)
        for batch in (1, 2):  # a short filter
            self.check(self.on_gpu(batch, 3, 32768, kind=torch.float16, taps=5000), 1.2e-3)

    def test_recorded(self):
        """In a graph, and the matrices made there do not outlive it."""
        given = self.on_gpu(2, 3, 512)
        want = tk.torch.fft_conv(**given)
        fft_conv._made.clear()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = tk.torch.fft_conv(**given)
        self.assertFalse(fft_conv._made)
        graph.replay()
        self.assertTrue(torch.equal(y, want))


if __name__ == "__main__":
    unittest.main()
