"""tk.torch on CPU tensors, by the emulator: operators, compiled graphs, gradients, attention, the Llama block. Needs PyTorch. What
only a GPU has, graphs and the compiler's kernels among it, is tested where there is a Hopper GPU with nvcc."""
import math
import os
import unittest

import torch
import torch.nn.functional as F

import support
import tk
from tk import checks, compiler, sdpa

NVCC = compiler.find_nvcc()  # the tests' own is a stand-in
HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)


def load(name, **constants):
    return tk.load(tk.example(name), device="cpu", **constants)


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


def attended(q, k, v, do, causal, function=F.scaled_dot_product_attention):
    """What attention gives, and its gradients."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o = function(*leaves, is_causal=causal, enable_gqa=True)
    return [o.detach(), *torch.autograd.grad(o, leaves, do)]


def attended_in_float64(q, k, v, do, causal):
    return attended(q.double(), k.double(), v.double(), do.double(), causal)


def emulated(q, k, v, is_causal, enable_gqa=True):
    """tk.torch.scaled_dot_product_attention as it is on a GPU; for tensors on the CPU the function itself takes PyTorch's."""
    return torch.ops.tk.scaled_dot_product_attention(q, k, v, is_causal, q.shape[-1]**-0.5)[0]


class Case(support.Case):
    def close(self, got, want, within=1e-2):
        size = want.double().norm().item()
        error = (got.double() - want.double()).norm().item()
        self.assertLess(error / size if size > 0 else error, within)  # what is 0 is met to within a rounding

    def kept(self, function):
        """How many tensors are kept for a backward pass."""
        names = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: names.append(t.shape) or t, lambda t: t):
            function()
        return len(names)


class Torch(Case):
    def compare(self, ours, theirs, *inputs):
        """Outputs and gradients against PyTorch's in f32."""
        def run(function, kind):
            leaves = [x.to(kind).detach().requires_grad_() for x in inputs]
            made = function(*leaves)
            made = made if isinstance(made, (tuple, list)) else (made,)
            torch.autograd.backward(made, [randn(*y.shape, seed=9).to(y.dtype) for y in made])
            return [*made, *(x.grad for x in leaves)]

        for a, b in zip(run(ours, torch.bfloat16), run(theirs, torch.float32)):
            self.close(a, b)

    def test_call(self):
        m, x = load("softmax.tk", C=40), randn(13, 40)
        y = m(x)
        self.assertEqual((y.dtype, y.device.type), (torch.bfloat16, "cpu"))
        self.close(y, torch.softmax(x.float(), -1))
        out = torch.zeros(13, 80).bfloat16()
        self.assertEqual(m(x, Y=out[:, ::2]).data_ptr(), out.data_ptr())
        self.close(out[:, ::2], torch.softmax(x.float(), -1))
        self.assertTrue((out[:, 1::2] == 0).all())
        with self.raises(TypeError, "`X` must be bf16, got torch.float32", "X.to(torch.bfloat16)"):
            m(x.float())

    def test_fp8(self):
        a, b = (torch.randint(-4, 5, (rows, 256)).float() for rows in (70, 136))
        rows, cols = torch.rand(70), torch.rand(136)
        m = load("gemm_fp8.tk")
        x, y = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
        self.assertTrue(torch.equal(m.gemm_fp8_f32(x, y), a @ b.T))
        c = m.gemm_fp8_rows(x, y, rows, cols)
        self.assertEqual(c.dtype, torch.bfloat16)
        self.close(c, (a @ b.T) * rows[:, None] * cols)
        self.close(m.gemm_fp8_rows_e5m2(a.to(torch.float8_e5m2), y, rows, cols), (a @ b.T) * rows[:, None] * cols)
        with self.raises(TypeError, "`A` must be fp8_e4m3, got torch.float8_e5m2"):
            m.gemm_fp8(a.to(torch.float8_e5m2), y)

    def test_gradients(self):
        op = tk.torch.op
        softmax, gate = load("softmax.tk", C=40), load("swiglu.tk")
        self.compare(op(softmax.softmax, backward=softmax.softmax_backward), lambda x: torch.softmax(x, -1), randn(13, 40))
        self.compare(op(gate.swiglu, backward=gate.swiglu_backward), lambda g, u: F.silu(g) * u, randn(5, 70), randn(5, 70, seed=1))
        rms, back = load("rmsnorm.tk", C=64), load("rmsnorm_backward.tk", C=64)
        norm = op(rms.rmsnorm_train, backward=back.rmsnorm_backward)
        self.compare(lambda x, w: norm(x, w, 1e-5)[0], lambda x, w: F.rms_norm(x, (64,), w, 1e-5), randn(9, 64), randn(64, seed=1))
        layer, back = load("layernorm.tk", C=64), load("layernorm_backward.tk", C=64)
        with self.raises(ValueError, "`dB`", "gradients={\"dB\""):
            op(layer.layernorm, backward=back.layernorm_backward)
        norm = op(layer.layernorm, backward=back.layernorm_backward, gradients={"dB": "Bias"})
        self.compare(lambda x, w, b: norm(x, w, b, 1e-5)[0], lambda x, w, b: F.layer_norm(x, (64,), w, b, 1e-5),
                     randn(9, 64), randn(64, seed=1), randn(64, seed=2))
        y, mean, rstd = norm(*(t.requires_grad_() for t in (randn(9, 64), randn(64), randn(64))), 1e-5)
        self.assertEqual((y.requires_grad, mean.requires_grad, rstd.requires_grad), (True, False, False))

    def linear(self):
        gemm, gemm_tn = tk.torch.op(load("gemm.tk").gemm), tk.torch.op(load("gemm_tn.tk").gemm_tn)

        def linear_backward(dC, A, B):
            return {"dA": gemm(dC, B), "dB": gemm_tn(dC, A)}
        return tk.torch.op(load("gemm_nt.tk").gemm_nt, backward=linear_backward)

    def test_compile(self):
        linear, gate = self.linear(), load("swiglu.tk")
        swiglu = tk.torch.op(gate.swiglu, backward=gate.swiglu_backward)

        def model(x, w, u):
            return torch.tanh(swiglu(linear(x, w), linear(x, u)))

        def reference(x, w, u):
            return torch.tanh(F.silu(F.linear(x, w)) * F.linear(x, u))

        torch._dynamo.reset()
        traced = torch.compile(model, fullgraph=True, backend="aot_eager")
        for rows in (16, 24, 40):  # the second size makes the axis a symbol
            self.compare(traced, reference, randn(rows, 64), randn(32, 64, seed=1) / 8, randn(32, 64, seed=2) / 8)

    def test_opcheck(self):
        m = load("softmax.tk", C=40)
        softmax = tk.torch.op(m.softmax, backward=m.softmax_backward)
        torch.library.opcheck(softmax, (randn(5, 40).requires_grad_(),))
        rope = load("rope.tk", D=64, G=2)
        torch.library.opcheck(tk.torch.op(rope.rope), (randn(2, 5, 8, 64), torch.rand(5, 32), torch.rand(5, 32)))

    def test_mistakes(self):
        m, gate = load("softmax.tk", C=40), load("swiglu.tk")
        with self.raises(TypeError, "takes a function of a loaded module"):
            tk.torch.op(torch.softmax)
        with self.raises(ValueError, "swiglu_backward() takes `Gate`, and `softmax` has nothing like it"):
            tk.torch.op(m.softmax, backward=gate.swiglu_backward)
        with self.raises(ValueError, "namespace::name"):
            tk.torch.op(m.softmax, name="softmax")
        rope = load("rope.tk", D=64, G=1)
        turn = tk.torch.op(rope.rope, backward=rope.rope_backward)
        q, _, _ = turn(randn(1, 5, 3, 64).requires_grad_(), torch.rand(5, 32, requires_grad=True), torch.rand(5, 32))
        with self.raises(RuntimeError, "`rope` has no gradient for `Cos`", "detach()"):
            q.sum().backward()
        self.assertIs(tk.torch.op(m.softmax), tk.torch.op(m.softmax))

    def test_attention(self):
        for heads, kind, causal in [(64, torch.bfloat16, True), (128, torch.float16, False), (63, torch.float16, True), (72, torch.bfloat16, False),
                                    (160, torch.bfloat16, False), (192, torch.bfloat16, True)]:
            q, k, v = randn(1, 4, 50, heads).to(kind), randn(1, 2, 70, heads, seed=1).to(kind), randn(1, 2, 70, heads, seed=2).to(kind)
            got, lse = torch.ops.tk.scaled_dot_product_attention(q, k, v, causal, heads**-0.5)
            want = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal, enable_gqa=True)
            self.close(got, want)
            scores = q.float() @ k.float().repeat_interleave(2, 1).transpose(2, 3) * heads**-0.5
            if causal:
                scores = scores.masked_fill(torch.ones(50, 70).tril().logical_not(), -math.inf)
            self.close(lse, scores.logsumexp(-1), 1e-5)
        wide = v[..., :128]  # keys and values of latent attention, written out
        got, _ = torch.ops.tk.scaled_dot_product_attention(q, k, wide, True, heads**-0.5)
        self.close(got, want[..., :128])
        torch.library.opcheck(torch.ops.tk.scaled_dot_product_attention.default, (q.transpose(1, 2).contiguous().transpose(1, 2), k, wide,
                                                                                  True, 0.1), test_utils="test_faketensor")
        unaligned = torch.empty(q.numel() + 1, dtype=q.dtype)[1:].view(q.shape).copy_(q)
        self.close(emulated(unaligned, k, v, causal), want)
        got = tk.torch.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)  # falls back
        self.close(got, want)

    def test_attention_gradients(self):
        cases = [(64, torch.bfloat16, 4, 2, 50, 70), (128, torch.bfloat16, 3, 1, 130, 65), (64, torch.float16, 2, 2, 129, 129),
                 (128, torch.float16, 1, 1, 1, 3), (64, torch.bfloat16, 2, 1, 70, 1), (40, torch.bfloat16, 2, 1, 50, 70),
                 (63, torch.float16, 2, 1, 50, 70), (72, torch.bfloat16, 2, 1, 50, 70), (112, torch.bfloat16, 1, 1, 50, 70),
                 (136, torch.bfloat16, 1, 1, 50, 70)]
        for cells, kind, heads, kv_heads, m, n in cases:
            q, do = randn(2, heads, m, cells).to(kind), randn(2, heads, m, cells, seed=3).to(kind)
            k, v = randn(2, kv_heads, n, cells, seed=1).to(kind), randn(2, kv_heads, n, cells, seed=2).to(kind)
            for causal in (False, True):
                with self.subTest(cells=cells, kind=kind, m=m, n=n, causal=causal):
                    got, want = attended(q, k, v, do, causal, emulated), attended_in_float64(q, k, v, do, causal)
                    for a, b in zip(got, want):
                        self.assertEqual((a.dtype, a.shape), (kind, b.shape))
                        if b.norm() > 1e-6:
                            self.close(a, b, 1e-2 if kind == torch.bfloat16 else 2e-3)
                        else:  # one key: its weight is 1 whatever it is
                            self.assertLess(a.double().abs().max().item(), 2e-2)
        for m, n in ((0, 5), (5, 0)):
            q, k, v = randn(1, 2, m, 64), randn(1, 1, n, 64), randn(1, 1, n, 64)
            self.assertEqual([x.double().norm().item() for x in attended(q, k, v, randn(1, 2, m, 64), True, emulated)], [0] * 4)

    def test_attention_layouts(self):
        # Packed as [batch, rows, heads, cells]: read where it lies, and what is made lies so, too.
        packed = randn(2, 40, 8, 64)
        q, k, v = packed.transpose(1, 2).split([4, 2, 2], dim=1)
        do = randn(2, 40, 4, 64, seed=1).transpose(1, 2)
        for x in (q, k, v, do, randn(2, 4, 40, 64), randn(2, 4, 40, 128)[..., 64:]):
            self.assertIs(sdpa._readable(x), x)
        got, want = attended(q, k, v, do, True, emulated), attended_in_float64(q, k, v, do, True)
        for a, b in zip(got, want):
            self.close(a, b)
            self.assertTrue(a.transpose(1, 2).is_contiguous())
        # Rows of 63 cells are made 64 apart.
        odd = [x[..., :63].contiguous() for x in (q, k, v, do)]
        got = attended(*odd, True, emulated)
        for a, b in zip(got, attended_in_float64(*odd, True)):
            self.close(a, b)
            self.assertEqual(a.stride()[2:], (64, 1))
        self.assertIs(sdpa._readable(got[0]), got[0])
        # Strides of axes of one element are anybody's.
        inputs = [x.as_strided((1, 2, 1, 64), (3, 64, 5, 1)) for x in (q, k, v, do)]
        for x in inputs:
            self.assertIs(sdpa._readable(x), x)
        for a, b in zip(attended(*inputs, False, emulated), attended_in_float64(*inputs, False)):
            self.assertTrue(b.norm() < 1e-6 or (a.double() - b).norm() < 1e-2 * b.norm())
        # What cannot be read where it lies: columns, one row for all, rows of 65 cells, a start between multiples of 16 bytes.
        turned = randn(2, 4, 64, 40).transpose(2, 3)
        once = randn(1, 1, 1, 64).expand(2, 4, 40, 64)
        wide = randn(2, 4, 40, 65)[..., :64]
        late = torch.empty(2 * 4 * 40 * 64 + 1, dtype=torch.bfloat16)[1:].view(2, 4, 40, 64).copy_(wide)
        for x in (turned, once, wide, late):
            self.assertIsNot(sdpa._readable(x), x)
            self.assertTrue(torch.equal(sdpa._readable(x), x))
        for inputs in ((turned, late, wide, once), (late, wide, once, turned)):
            for a, b in zip(attended(*inputs, False, emulated), attended_in_float64(*inputs, False)):
                self.assertTrue(b.norm() < 1e-6 or (a.double() - b).norm() < 1e-2 * b.norm())

    def test_attention_in_turn(self):
        # Where deterministic algorithms are asked for, kernels with counters make the gradients.
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        for causal in (False, True):
            for head in (64, 128):
                made = sdpa._backward_module("bf16", head, causal, "cpu", True).contract
                self.assertEqual((made.deterministic, made.workspace), (True, True))
                open_order = sdpa._backward_module("bf16", head, causal, "cpu", False).contract
                self.assertEqual((open_order.deterministic, open_order.workspace), (False, False))
            q, k, v, do = (randn(1, n, 150, 64, seed=i) for i, n in enumerate((4, 2, 2, 4)))
            for a, b in zip(attended(q, k, v, do, causal, emulated), attended_in_float64(q, k, v, do, causal)):
                self.close(a, b)

    def test_attention_keeps(self):
        q, k, v = (randn(1, 2, 20, 64, seed=i) for i in range(3))
        self.assertEqual(self.kept(lambda: emulated(q, k, v, True)), 0)
        q.requires_grad_()
        with torch.no_grad():
            self.assertEqual(self.kept(lambda: emulated(q, k, v, True)), 0)
        self.assertEqual(self.kept(lambda: emulated(q, k, v, True)), 5)
        o, lse = torch.ops.tk.scaled_dot_product_attention(q, k, v, True, 0.125)
        self.assertEqual((o.requires_grad, lse.requires_grad), (True, False))
        given, = torch.autograd.grad(o.sum(), q, create_graph=True)
        with self.raises(RuntimeError, "first derivatives only", "SDPBackend.MATH"):
            given.sum().backward()

    def test_attention_in_graphs(self):
        op = torch.ops.tk.scaled_dot_product_attention.default
        q, k, v = (randn(2, 20, n, 64, seed=i).transpose(1, 2).requires_grad_() for i, n in enumerate((4, 2, 2)))
        torch.library.opcheck(op, (q, k, v, True, 0.125))
        torch.library.opcheck(op, tuple(x.detach()[..., :63].requires_grad_() for x in (q, k, v)) + (True, 0.125))
        q, k, v = (randn(2, n, 20, 64, seed=i).requires_grad_() for i, n in enumerate((4, 2, 2)))
        torch.library.opcheck(op, (q, k, v, False, 0.125))
        torch._dynamo.reset()
        traced = torch.compile(lambda *x, **words: emulated(*x, **words) * 2, fullgraph=True, backend="aot_eager")
        for rows in (16, 24, 40):  # the second size makes the axis a symbol
            inputs = [randn(1, n, rows, 64, seed=i) for i, n in enumerate((4, 2, 2, 4))]
            got, want = attended(*inputs, True, traced), attended_in_float64(*inputs, True)
            for a, b in zip(got, want):
                self.close(a, 2 * b)

    def test_what_attention_does_not_take(self):
        # The reasons that are after the device's.
        before = checks.is_hopper
        checks.is_hopper = lambda index: True
        self.addCleanup(setattr, checks, "is_hopper", before)

        class Here(torch.Tensor):
            is_cuda = True
        x = randn(1, 4, 50, 64).as_subclass(Here)

        def reason(q=x, k=x, v=x, mask=None, drop=0.0, scale=None, gqa=False):
            return sdpa._unsupported(q, k, v, mask, drop, scale, gqa)
        self.assertIsNone(reason())
        self.assertIn("attn_mask", reason(mask=x))
        self.assertIn("dropout_p", reason(drop=0.1))
        self.assertIn("bfloat16", reason(q=x.float().as_subclass(Here)))
        self.assertIn("four axes", reason(q=x[0]))
        self.assertIsNone(reason(x[..., :40], x[..., :40], x[..., :40]))
        y = randn(1, 4, 50, 264).as_subclass(Here)
        self.assertIn("head dimension 264 is not supported: 1 to 256 are", reason(y, y, y))
        self.assertIn("one head dimension", reason(k=x[..., :48]))
        self.assertIn("one head dimension", reason(v=x[..., :48]))
        self.assertIn("one shape", reason(k=x[:, :, :8]))
        y = randn(1, 4, 50, 192).as_subclass(Here)
        self.assertIsNone(reason(y, y, y[..., :128]))
        self.assertIn("another head dimension", reason(y.detach().requires_grad_(), y, y[..., :128]))
        self.assertIn("enable_gqa", reason(k=x[:, :2], v=x[:, :2]))
        self.assertIsNone(reason(k=x[:, :2], v=x[:, :2], gqa=True))
        self.assertIn("scale", reason(scale=-1.0))
        self.assertIsNone(reason(q=x.transpose(2, 3).contiguous().transpose(2, 3)))
        self.assertIsNone(reason(q=x.detach().requires_grad_()))
        z = randn(1, 4, 50, 112).as_subclass(Here)
        self.assertIsNone(reason(z.detach().requires_grad_(), z, z))
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        self.assertIsNone(reason(v=x.detach().requires_grad_()))
        with self.raises(ValueError, "scaled_dot_product_attention: ", "dropout_p"):
            tk.torch.scaled_dot_product_attention(x, x, x, dropout_p=0.5, fallback=False)

    def test_llama(self):
        torch.manual_seed(0)
        block = tk.llama.Block(128, 4, 2, 256, device="cpu")
        x = randn(2, 40, 128)
        y, want = block(x), block.reference(x)
        self.close(y, want)
        self.close(y - x, want - x, 2e-2)
        torch._dynamo.reset()
        self.assertTrue(torch.equal(torch.compile(block, fullgraph=True, backend="aot_eager")(x), y))
        traced = torch.compile(block.reference, fullgraph=True, backend="aot_eager")
        self.assertTrue(torch.equal(traced(x), want))
        block = tk.llama.Block(96, 4, 2, 64, device="cpu")  # heads of 24
        self.close(block(x[..., :96].contiguous()), block.reference(x[..., :96]))
        with self.raises(ValueError, "kv_heads"):
            tk.llama.Block(128, 4, 3, 256, device="cpu")
        with self.raises(ValueError, "a head has 20 cells", "multiples of 8"):
            tk.llama.Block(80, 4, 2, 64, device="cpu")

    def test_llama_learns(self):
        torch.manual_seed(0)
        block = tk.llama.Reference(128, 2, 1, 256, dtype=torch.bfloat16)
        x, dy, made = randn(2, 40, 128), randn(2, 40, 128, seed=1), []
        for block.attention in (emulated, F.scaled_dot_product_attention):
            made.append(torch.autograd.grad(block(x), list(block.parameters()), dy))
        for a, b in zip(*made, strict=True):
            self.close(a, b, 2e-2)


@unittest.skipIf(not HOPPER or NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """tk.torch.scaled_dot_product_attention itself. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    @staticmethod
    def ours(*inputs, **words):
        return tk.torch.scaled_dot_product_attention(*inputs, fallback=False, **words)

    def inputs(self, batch, heads, kv_heads, m, n, cells, kind=torch.bfloat16):
        """q, k, v and dO."""
        made = [randn(batch, *shape, cells, seed=i) for i, shape in enumerate([(heads, m), (kv_heads, n), (kv_heads, n), (heads, m)])]
        return [x.to(kind).cuda() for x in made]

    def agree(self, got, want, within=1e-2):
        for a, b in zip(got, want):
            self.close(a, b, within)

    def test_gradients(self):
        for heads, kv_heads, m, n in [(4, 4, 512, 512), (8, 2, 300, 300), (2, 1, 129, 1000), (3, 1, 1000, 130)]:
            for cells, kind in [(64, torch.bfloat16), (128, torch.bfloat16), (64, torch.float16), (128, torch.float16)]:
                for causal in (False, True):
                    with self.subTest(heads=heads, m=m, n=n, cells=cells, kind=kind, causal=causal):
                        inputs = self.inputs(2, heads, kv_heads, m, n, cells, kind)
                        exact = attended_in_float64(*inputs, causal)
                        theirs = attended(*inputs, causal)
                        for a, b, c in zip(attended(*inputs, causal, self.ours), exact, theirs):
                            usual = ((c.double() - b).norm() / b.norm()).item()
                            self.close(a, b, 1.5 * usual + (2e-3 if kind == torch.bfloat16 else 3e-4))

    def test_wide_keys(self):
        for m, n, kind in ((300, 300, torch.bfloat16), (129, 1000, torch.float16), (2048, 2048, torch.bfloat16)):
            for causal in (False, True):
                q, k, v, _ = self.inputs(2, 4, 4, m, n, 192, kind)
                v = v[..., :128]
                want = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
                self.close(self.ours(q, k, v, is_causal=causal), want, 1e-2)

    def test_layouts(self):
        q, k, v = randn(2, 300, 12, 128).cuda().transpose(1, 2).split([8, 2, 2], dim=1)
        do = randn(2, 300, 8, 128, seed=1).cuda().transpose(1, 2)
        got = attended(q, k, v, do, True, self.ours)
        self.agree(got, attended_in_float64(q, k, v, do, True))
        self.assertTrue(all(x.transpose(1, 2).is_contiguous() for x in got))
        one = do[:1, :1, :1].expand(2, 8, 300, 128)
        self.agree(attended(q, k, v, one, True, self.ours), attended_in_float64(q, k, v, one, True))

    def test_compiled(self):
        def block(q, k, v, **words):
            return torch.tanh(self.ours(q * 0.5, k, v, **words).transpose(1, 2)).transpose(1, 2)

        def reference(q, k, v, **words):
            return torch.tanh(F.scaled_dot_product_attention(q * 0.5, k, v, **words))

        torch._dynamo.reset()
        traced = torch.compile(block, fullgraph=True)
        for rows in (256, 300, 384):
            inputs = self.inputs(2, 4, 2, rows, rows, 64)
            exact = attended(*(x.double() for x in inputs), True, reference)
            self.agree(attended(*inputs, True, traced), exact)
        torch._dynamo.reset()
        quick = torch.compile(block, fullgraph=True, mode="reduce-overhead")
        for _ in range(4):  # recorded in CUDA graphs by then
            torch.compiler.cudagraph_mark_step_begin()
            got = [x.clone() for x in attended(*inputs, True, quick)]
        self.agree(got, exact)

    def test_graph(self):
        q, k, v, do = self.inputs(2, 8, 2, 300, 300, 128)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            attended(q, k, v, do, True, self.ours)  # loads the kernels
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            held = attended(q, k, v, do, True, self.ours)
        for seed in (7, 8):  # new data at the same addresses
            for i, x in enumerate((q, k, v, do)):
                x.copy_(randn(*x.shape, seed=seed + i))
            graph.replay()
            self.agree(held, attended_in_float64(q, k, v, do, True))
            for a, b in zip(held, attended(q, k, v, do, True, self.ours)):
                self.close(a, b, 1e-3)  # the last bits of dQ differ

    def test_kept(self):
        q, k, v, _ = self.inputs(1, 4, 2, 100, 100, 64)
        call = lambda: self.ours(q, k, v, is_causal=True, enable_gqa=True)  # noqa: E731
        self.assertEqual(self.kept(call), 0)
        q.requires_grad_()
        with torch.no_grad():
            self.assertEqual(self.kept(call), 0)
        self.assertEqual(self.kept(call), 5)

    def test_what_falls_back(self):
        q, k, v, do = self.inputs(1, 4, 2, 100, 100, 112)
        with self.raises(ValueError, "no gradients for head dimension 112"):
            attended(q, k, v, do, True, self.ours)
        self.agree(attended(q, k, v, do, True, tk.torch.scaled_dot_product_attention), attended_in_float64(q, k, v, do, True))


if __name__ == "__main__":
    unittest.main()
