"""tk.torch on CPU tensors, by the emulator: operators, compiled graphs, gradients, attention, the Llama block. Needs PyTorch."""
import unittest

import torch
import torch.nn.functional as F

import support
import tk
from tk import sdpa


def load(name, **constants):
    return tk.load(tk.example(name), device="cpu", **constants)


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


class Torch(support.Case):
    def close(self, got, want, within=1e-2):
        error = (got.double() - want.double()).norm() / want.double().norm()
        self.assertLess(error.item(), within)

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
        with self.told(TypeError, "`X` must be bf16, got torch.float32", "X.to(torch.bfloat16)"):
            m(x.float())

    def test_gradients(self):
        op = tk.torch.op
        softmax, gate = load("softmax.tk", C=40), load("swiglu.tk")
        self.compare(op(softmax.softmax, backward=softmax.softmax_backward), lambda x: torch.softmax(x, -1), randn(13, 40))
        self.compare(op(gate.swiglu, backward=gate.swiglu_backward), lambda g, u: F.silu(g) * u, randn(5, 70), randn(5, 70, seed=1))
        rms, back = load("rmsnorm.tk", C=64), load("rmsnorm_backward.tk", C=64)
        norm = op(rms.rmsnorm_train, backward=back.rmsnorm_backward)
        self.compare(lambda x, w: norm(x, w, 1e-5)[0], lambda x, w: F.rms_norm(x, (64,), w, 1e-5), randn(9, 64), randn(64, seed=1))
        layer, back = load("layernorm.tk", C=64), load("layernorm_backward.tk", C=64)
        with self.told(ValueError, "`dB`", "gradients={\"dB\""):
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
        with self.told(TypeError, "takes a function of a loaded module"):
            tk.torch.op(torch.softmax)
        with self.told(ValueError, "swiglu_backward() takes `Gate`, and `softmax` has nothing like it"):
            tk.torch.op(m.softmax, backward=gate.swiglu_backward)
        with self.told(ValueError, "namespace::name"):
            tk.torch.op(m.softmax, name="softmax")
        rope = load("rope.tk", D=64, G=1)
        turn = tk.torch.op(rope.rope, backward=rope.rope_backward)
        q, _, _ = turn(randn(1, 5, 3, 64).requires_grad_(), torch.rand(5, 32, requires_grad=True), torch.rand(5, 32))
        with self.told(RuntimeError, "`rope` has no gradient for `Cos`", "detach()"):
            q.sum().backward()
        self.assertIs(tk.torch.op(m.softmax), tk.torch.op(m.softmax))

    def test_attention(self):
        for heads, kind, causal in [(64, torch.bfloat16, True), (128, torch.float16, False), (192, torch.bfloat16, True)]:
            q, k, v = randn(1, 4, 50, heads).to(kind), randn(1, 2, 70, heads, seed=1).to(kind), randn(1, 2, 70, heads, seed=2).to(kind)
            got = torch.ops.tk.scaled_dot_product_attention(q, k, v, causal, heads**-0.5)
            want = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal, enable_gqa=True)
            self.close(got, want)
        unaligned = torch.empty(q.numel() + 1, dtype=q.dtype)[1:].view(q.shape).copy_(q)
        self.close(torch.ops.tk.scaled_dot_product_attention(unaligned, k, v, causal, heads**-0.5), want)
        got = tk.torch.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)  # falls back
        self.close(got, want)

    def test_what_attention_does_not_take(self):
        # The reasons that come behind the device's.
        before = sdpa._is_hopper
        sdpa._is_hopper = lambda index: True
        self.addCleanup(setattr, sdpa, "_is_hopper", before)

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
        self.assertIn("head dimension 40", reason(x[..., :40], x[..., :40], x[..., :40]))
        self.assertIn("one head dimension", reason(k=x[..., :48]))
        self.assertIn("one shape", reason(k=x[:, :, :8]))
        self.assertIn("enable_gqa", reason(k=x[:, :2], v=x[:, :2]))
        self.assertIsNone(reason(k=x[:, :2], v=x[:, :2], gqa=True))
        self.assertIn("scale", reason(scale=-1.0))
        self.assertIn("16 bytes", reason(q=x.transpose(2, 3).contiguous().transpose(2, 3)))
        self.assertIn("no backward", reason(q=x.detach().requires_grad_()))
        with self.told(ValueError, "scaled_dot_product_attention: ", "dropout_p"):
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
        with self.told(ValueError, "kv_heads"):
            tk.llama.Block(128, 4, 3, 256, device="cpu")


if __name__ == "__main__":
    unittest.main()
