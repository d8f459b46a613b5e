"""tk.torch.causal_conv1d and causal_conv1d_update against PyTorch's convolution in float64, their messages and graphs. By the
emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
import torch_test
from torch_test import randn


def convolved(x, weight, bias, before, silu):
    """The outputs and the last tokens."""
    x = torch.cat([before, x], 2)
    y = F.conv1d(x, weight[:, None], bias, groups=x.shape[1])
    return F.silu(y) if silu else y, x[:, :, x.shape[2] - weight.shape[1] + 1:]


def inputs(batch, channels, tokens, width, kind=torch.bfloat16):
    """x, weight, bias, the tokens before; gradients of the outputs and of the last tokens."""
    shapes = [(batch, channels, tokens), (channels, width), (channels,), (batch, channels, width - 1), (batch, channels, tokens),
              (batch, channels, width - 1)]
    return [randn(*shape, seed=i).to(kind) for i, shape in enumerate(shapes)]


class Case(torch_test.Case):
    def agree(self, got, want, within):
        for a, b in zip(got, want, strict=True):
            self.assertEqual(a.shape, b.shape)
            if within == 0:
                self.assertTrue(torch.equal(a, b))
            else:
                self.close(a, b, within)

    def check(self, x, weight, bias, before, dy, dlast, activation, within=1e-2):
        """Of outputs, last tokens and all gradients."""
        leaves = [t.detach().requires_grad_() for t in (x, weight, bias, before)]
        made = tk.torch.causal_conv1d(*leaves[:3], None, leaves[3], True, activation=activation)
        self.assertTrue(torch.equal(made[1], torch.cat([before, x], 2)[:, :, x.shape[2]:]))
        got = [t.detach() for t in made] + list(torch.autograd.grad(made, leaves, (dy, dlast)))
        self.assertEqual([t.dtype for t in got[2:]], [t.dtype for t in leaves])
        exact = [t.detach().double().requires_grad_() for t in leaves]
        made = convolved(*exact, activation is not None)
        want = [t.detach() for t in made] + list(torch.autograd.grad(made, exact, (dy.double(), dlast.double())))
        self.agree(got, want, within)


class Convolution(Case):
    def test_results(self):
        for width in (2, 3, 4):
            self.check(*inputs(2, 24, 70, width), "silu")
        self.check(*inputs(1, 30, 5, 4, torch.float16), None, within=2e-3)
        self.check(*inputs(1, 16, 1, 4, torch.float32), "swish", within=1e-5)
        x, weight, bias, *others = inputs(1, 16, 40, 4)
        self.check(x, weight.float(), bias, *others, "silu")

    def test_without_states(self):
        x, weight, bias, before, dy, _ = inputs(2, 16, 40, 4)
        y = tk.torch.causal_conv1d(x, weight, bias, activation="silu")
        self.agree([y], tk.torch.causal_conv1d(x, weight, bias, None, torch.zeros_like(before), True, activation="silu")[:1], 0)
        leaves = [t.requires_grad_() for t in (x, weight)]
        y = tk.torch.causal_conv1d(*leaves)
        exact = [t.detach().double().requires_grad_() for t in leaves]
        want = convolved(*exact, None, torch.zeros_like(before).double(), False)[0]
        self.agree(torch.autograd.grad(y, leaves, dy), torch.autograd.grad(want, exact, dy.double()), 1e-2)

    def test_gradient_of_the_last_tokens(self):
        x, weight, bias, before, _, dlast = inputs(1, 16, 2, 4)
        leaves = [t.requires_grad_() for t in (x, before)]
        _, last = tk.torch.causal_conv1d(leaves[0], weight, bias, None, leaves[1], True)
        dx, dbefore = torch.autograd.grad(last, leaves, dlast)
        self.assertTrue(torch.equal(dx, dlast[:, :, 1:]))
        self.assertTrue(torch.equal(dbefore[:, :, 2], dlast[:, :, 0]) and not dbefore[:, :, :2].any())

    def test_layouts_and_nothing(self):
        x, weight, bias, *_ = inputs(2, 24, 20, 4)
        wide = torch.cat([x, x], 1).transpose(1, 2).contiguous()[:, :, 24:].transpose(1, 2)
        self.assertEqual(wide.stride(1), 1)
        got = tk.torch.causal_conv1d(wide, weight, bias)
        self.assertEqual(got.stride(1), 1)
        self.agree([got], [tk.torch.causal_conv1d(x, weight, bias)], 0)
        _, last = tk.torch.causal_conv1d(x[:, :, :0], weight, bias, None, x[:, :, :3], True)
        self.assertTrue(torch.equal(last, x[:, :, :3]))

    def test_steps(self):
        x, weight, bias, before, *_ = inputs(3, 24, 6, 4)
        want, last = tk.torch.causal_conv1d(x, weight, bias, None, before, True, activation="silu")
        for length in (3, 4):
            state = torch.zeros(3, length, 24, dtype=x.dtype).transpose(1, 2)
            state[:, :, -3:] = before
            got = [tk.torch.causal_conv1d_update(x[:, :, t], state, weight, bias, "silu") for t in range(6)]
            self.agree([torch.stack(got, 2), state[:, :, -3:]], [want, last], 0)
        slots = torch.tensor([4, 0, 2], dtype=torch.int32)
        states = randn(5, 24, 3, seed=9)
        kept = states.clone()
        states[slots.long()] = before
        got = tk.torch.causal_conv1d_update(x[:, :, :1], states, weight, bias, "silu", conv_state_indices=slots)
        self.agree([got, states[1], states[3]], [want[:, :, :1], kept[1], kept[3]], 0)

    def test_graph(self):
        torch._dynamo.reset()
        x, weight, bias, before, *_ = inputs(2, 24, 20, 4)
        words = dict(initial_states=before, return_final_states=True, activation="silu")
        graph = torch.compile(lambda *t: tk.torch.causal_conv1d(*t, **words), backend="aot_eager", fullgraph=True)
        self.agree(graph(x, weight, bias), tk.torch.causal_conv1d(x, weight, bias, **words), 0)
        leaves = [t.requires_grad_() for t in (x, weight, bias)]
        made = torch.autograd.grad(graph(*leaves)[0].sum(), leaves)
        self.agree(made, torch.autograd.grad(tk.torch.causal_conv1d(*leaves, **words)[0].sum(), leaves), 0)
        state, same = before.clone(), before.clone()
        step = torch.compile(lambda x, s: tk.torch.causal_conv1d_update(x, s, weight, bias), backend="aot_eager", fullgraph=True)
        with torch.no_grad():
            self.agree([step(x[:, :, 0], state), state], [tk.torch.causal_conv1d_update(x[:, :, 0], same, weight, bias), same], 0)
        with FakeTensorMode():
            x, weight = torch.empty(2, 24, 9), torch.empty(24, 3)
            y, last = tk.torch.causal_conv1d(x, weight, return_final_states=True)
            self.assertEqual((y.shape, y.stride(), last.shape), (x.shape, (216, 1, 24), (2, 24, 2)))

    def test_messages(self):
        x, weight, bias, before, *_ = inputs(2, 24, 9, 4)
        for words, call in [
            ("packed sequences", lambda: tk.torch.causal_conv1d(x, weight, bias, torch.zeros(2, 9))),
            ("three axes", lambda: tk.torch.causal_conv1d(x[0], weight)),
            ("bfloat16, float16 or float32", lambda: tk.torch.causal_conv1d(x.double(), weight)),
            ("2 to 4], here [24, ..]", lambda: tk.torch.causal_conv1d(x, weight[:, :1])),
            ("each channel, here [24]", lambda: tk.torch.causal_conv1d(x, weight, bias[:3])),
            ("got 'gelu'", lambda: tk.torch.causal_conv1d(x, weight, activation="gelu")),
            ("be [2, 24, 3]", lambda: tk.torch.causal_conv1d(x, weight, initial_states=before[:, :, :2])),
            ("final_states_out", lambda: tk.torch.causal_conv1d(x, weight, final_states_out=before)),
        ]:
            with self.raises(ValueError, "causal_conv1d: ", words):
                call()
        for words, call in [
            ("one token", lambda: tk.torch.causal_conv1d_update(x, before, weight)),
            ("cache_seqlens", lambda: tk.torch.causal_conv1d_update(x[:, :, 0], before, weight, cache_seqlens=torch.zeros(2))),
            ("[slots, 24, 3 or more]", lambda: tk.torch.causal_conv1d_update(x[:, :, 0], before[:, :, :2], weight)),
            ("1 slots for 2", lambda: tk.torch.causal_conv1d_update(x[:, :, 0], before[:1], weight)),
            ("int32", lambda: tk.torch.causal_conv1d_update(x[:, :, 0], before, weight, conv_state_indices=torch.arange(2))),
            ("no gradients", lambda: tk.torch.causal_conv1d_update(x[:, :, 0], before, weight.clone().requires_grad_())),
        ]:
            with self.raises(ValueError, "causal_conv1d_update: ", words):
                call()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for width, channels, tokens in ((4, 264, 1000), (4, 100, 70), (3, 4096, 300), (2, 256, 1)):
            for kind, within in ((torch.bfloat16, 1e-2), (torch.float32, 1e-5)):
                with self.subTest(width=width, channels=channels, tokens=tokens, kind=kind):
                    self.check(*(t.cuda() for t in inputs(2, channels, tokens, width, kind)), "silu", within=within)

    def test_steps(self):
        x, weight, bias, before, *_ = (t.cuda() for t in inputs(3, 264, 6, 4))
        want, last = tk.torch.causal_conv1d(x, weight, bias, None, before, True, activation="silu")
        state = before.transpose(1, 2).contiguous().transpose(1, 2)
        got = [tk.torch.causal_conv1d_update(x[:, :, t], state, weight, bias, "silu") for t in range(6)]
        self.agree([torch.stack(got, 2), state], [want, last], 0)


if __name__ == "__main__":
    unittest.main()
