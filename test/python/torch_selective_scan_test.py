"""tk.torch.selective_scan against the recurrence in float64, its messages and graphs. By the emulator; on a Hopper GPU with nvcc, the
kernels themselves."""
import os
import unittest

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
import torch_test
from torch_test import randn


def scanned(u, delta, a, b, c, d, z, bias, softplus):
    """The outputs and the last states, in float64."""
    u, delta, a, b, c, d, bias = (t.double() for t in (u, delta, a, b, c, d, bias))
    delta = delta + bias[:, None]
    delta = F.softplus(delta, threshold=100) if softplus else delta
    b, c = (t.repeat_interleave(u.shape[1] // t.shape[1], 1) for t in (b, c))
    state, made = torch.zeros(*u.shape[:2], a.shape[1], dtype=u.dtype, device=u.device), []
    for t in range(u.shape[2]):
        state = torch.exp(delta[:, :, t, None] * a) * state + (delta[:, :, t] * u[:, :, t])[:, :, None] * b[:, :, :, t]
        made.append((state * c[:, :, :, t]).sum(-1) + d * u[:, :, t])
    y = torch.stack(made, 2)
    return y if z is None else y * F.silu(z.double()), state


def inputs(batch, channels, tokens, states=16, groups=1, kind=torch.bfloat16):
    """u, delta, A, B, C, D, z, the bias of delta."""
    shapes = [(batch, channels, tokens), (batch, channels, tokens), (channels, states), (batch, groups, states, tokens),
              (batch, groups, states, tokens), (channels,), (batch, channels, tokens), (channels,)]
    u, delta, a, b, c, d, z, bias = (randn(*shape, seed=i) for i, shape in enumerate(shapes))
    return [u.to(kind), delta.to(kind), -torch.exp(a.float()), b.to(kind), c.to(kind), d.float(), z.to(kind), bias.float() - 2]


class Case(torch_test.Case):
    def check(self, tensors, softplus=True, within=1e-2):
        got = tk.torch.selective_scan(*tensors, softplus, True)
        for a, b in zip(got, scanned(*tensors, softplus), strict=True):
            self.assertEqual(a.shape, b.shape)
            self.close(a, b, within)
        return got


class Scan(Case):
    def test_results(self):
        self.check(inputs(2, 24, 70))
        self.check(inputs(1, 40, 16, 8, 2, torch.float16), within=2e-3)
        self.check(inputs(1, 130, 9, kind=torch.float32), within=1e-4)
        u, delta, *others = inputs(1, 16, 24)
        self.check([u, delta.float().sigmoid(), *others[:-1], torch.zeros(16)], softplus=False)

    def test_without_what_may_be_left_out(self):
        u, delta, a, b, c, d, z, bias = inputs(1, 16, 40)
        nothing = torch.zeros(16)
        want, _ = scanned(u, delta, a, b, c, nothing, None, nothing, True)
        got = tk.torch.selective_scan(u, delta, a, b[:, 0], c[:, 0], delta_softplus=True)
        self.close(got, want, 1e-2)
        # Channels of a token side by side are copied.
        turned = u.transpose(1, 2).contiguous().transpose(1, 2)
        self.assertTrue(torch.equal(tk.torch.selective_scan(turned, delta, a, b, c, delta_softplus=True), got))

    def test_nothing(self):
        for batch, tokens in ((0, 5), (1, 0)):
            made, state = tk.torch.selective_scan(*inputs(batch, 8, tokens), True, True)
            self.assertEqual((made.shape, state.shape), ((batch, 8, tokens), (batch, 8, 16)))
            self.assertEqual(state.float().abs().sum().item(), 0)

    def test_graph(self):
        tensors = inputs(1, 16, 16)
        with FakeTensorMode() as mode:
            y, state = tk.torch.selective_scan(*(mode.from_tensor(t) for t in tensors), True, True)
        self.assertEqual((y.shape, y.dtype, state.shape, state.dtype), (tensors[0].shape, torch.bfloat16, (1, 16, 16), torch.float32))

    def test_messages(self):
        u, delta, a, b, c, d, z, bias = inputs(1, 16, 16)
        for given, text in (((u, delta[:, :8], a, b, c), "delta have its shape"), ((u, delta, a[:, :4], b, c), "8 or 16"),
                            ((u, delta, a, b[..., 0], c[..., 0]), "the same for all tokens"), ((u, delta, a, b, c[:, :, :8]), "B and C"),
                            ((u, delta, a, b, c, d[:8]), "D must have one number"), ((u, delta, a, b, c, d, z[:, :8]), "z must have"),
                            ((u, delta, a, b, c, None, None, bias[None]), "delta_bias must have"),
                            ((u.double(), delta, a, b, c), "float32"), ((u[0], delta, a, b, c), "three axes"),
                            ((u, delta, a, b.repeat(1, 3, 1, 1), c.repeat(1, 3, 1, 1)), "multiple of the groups"),
                            ((u.requires_grad_(), delta, a, b, c), "no gradients")):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "selective_scan: .*" + text):
                tk.torch.selective_scan(*given)
            u = u.detach()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for channels, tokens, groups in ((4096, 1000, 1), (264, 71, 2), (48, 4096, 1)):
            for kind, within in ((torch.bfloat16, 1e-2), (torch.float32, 1e-4)):
                with self.subTest(channels=channels, tokens=tokens, kind=kind):
                    self.check([t.cuda() for t in inputs(2, channels, tokens, groups=groups, kind=kind)], within=within)


if __name__ == "__main__":
    unittest.main()
