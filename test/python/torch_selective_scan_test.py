"""tk.torch.selective_scan and its gradients, and selective_state_update of Mamba-1, against the recurrence in float64; messages and
graphs. By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest
import unittest.mock

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
import torch_test
from torch_test import randn


def scanned(u, delta, a, b, c, d, z, bias, softplus, state=None):
    """The outputs and the last states, in float64. state: the first ones."""
    u, delta, a, b, c, d, bias = (t.double() for t in (u, delta, a, b, c, d, bias))
    delta = delta + bias[:, None]
    delta = F.softplus(delta, threshold=100) if softplus else delta
    b, c = (t.repeat_interleave(u.shape[1] // t.shape[1], 1) for t in (b, c))
    state, made = torch.zeros(*u.shape[:2], a.shape[1], dtype=u.dtype, device=u.device) if state is None else state.double(), []
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
    def check(self, tensors, softplus=True, within=1e-2, state=None):
        got = tk.torch.selective_scan(*tensors, softplus, True, state)
        for a, b in zip(got, scanned(*tensors, softplus, state), strict=True):
            self.assertEqual(a.shape, b.shape)
            self.close(a, b, within)
        return got

    def gradients(self, tensors, softplus=True, within=1e-2, behind=True, state=None):
        """Of all tensors, from random gradients of the outputs, and with `behind` of the last states. state: the first ones."""
        made, given = [], None
        for function, kind in ((tk.torch.selective_scan, None), (scanned, torch.float64)):
            leaves = [None if t is None else t.detach().to(t.device, kind, copy=True).requires_grad_() for t in (*tensors, state)]
            results = function(*leaves[:-1], softplus, *([True] if kind is None else []), leaves[-1])[:2 if behind else 1]
            given = given or [randn(*r.shape, seed=20 + i).to(r) for i, r in enumerate(results)]
            made.append(torch.autograd.grad(results, [t for t in leaves if t is not None], [g.to(r) for g, r in zip(given, results)]))
        for a, b in zip(*made, strict=True):
            self.assertEqual(a.shape, b.shape)
            self.close(a, b, within)
        return made[0]

    def step_by_step(self, tensors, state, softplus=True, within=1e-2, slots=None):
        """selective_state_update of each token."""
        u, delta, a, b, c, d, z, bias = tensors
        of_sequences = slice(len(u)) if slots is None else slots.long()
        y, want = scanned(*tensors, softplus, state[of_sequences])
        for t in range(u.shape[2]):
            gate = None if z is None else z[:, :, t]
            got = tk.torch.selective_state_update(state, u[:, :, t], delta[:, :, t], a, b[..., t], c[..., t], d, gate, bias, softplus, slots)
            self.assertEqual((got.shape, got.dtype), (u.shape[:2], u.dtype))
            self.close(got, y[:, :, t], within)
        self.close(state[of_sequences], want, within)


class Scan(Case):
    def test_results(self):
        self.check(inputs(2, 24, 70))
        self.check(inputs(1, 40, 16, 8, 2, torch.float16), within=2e-3)
        self.check(inputs(1, 130, 9, kind=torch.float32), within=1e-4)
        u, delta, *others = inputs(1, 16, 24)
        self.check([u, delta.float().sigmoid(), *others[:-1], torch.zeros(16)], softplus=False)

    def test_states(self):
        tensors, state = inputs(2, 24, 40), randn(2, 24, 16, seed=9).float()
        self.check(tensors, state=state)
        y, _ = tk.torch.selective_scan(*tensors, True, True)
        self.assertTrue(torch.equal(tk.torch.selective_scan(*tensors, True, initial_states=torch.zeros_like(state)), y))
        tensors, state = inputs(1, 16, 540, 8), randn(1, 16, 8, seed=9).float()  # segments
        self.check(tensors, state=state)

    def test_segments(self):
        tensors = inputs(1, 24, 540)
        got = self.check(tensors)
        for warps in (0, 1):  # none have work without, or all
            with unittest.mock.patch("tk.selective_scan._WARPS", warps):
                same = tk.torch.selective_scan(*tensors, True, True)
            self.close(same[1], got[1].double(), 1e-4)

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
                            ((u, delta, a, b.repeat(1, 3, 1, 1), c.repeat(1, 3, 1, 1)), "multiple of the groups")):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "selective_scan: .*" + text):
                tk.torch.selective_scan(*given)


class Gradients(Case):
    def test_results(self):
        self.gradients(inputs(2, 24, 70))
        self.gradients(inputs(1, 80, 16, 8, 2, torch.float16), within=4e-3, behind=False)
        u, delta, *others = inputs(1, 40, 520, kind=torch.float32)  # segments
        self.gradients([u, delta.sigmoid(), *others[:-1], torch.zeros(40)], softplus=False, within=1e-4)

    def test_states(self):
        self.gradients(inputs(2, 24, 40), state=randn(2, 24, 16, seed=9).float())
        u, delta, *others = inputs(1, 16, 520, 8, kind=torch.float32)  # segments
        self.gradients([u, delta, *others], within=1e-4, behind=False, state=randn(1, 16, 8, seed=9).float())

    def test_without_what_may_be_left_out(self):
        u, delta, a, b, c, *_ = inputs(1, 16, 40)
        nothing = torch.zeros(16)
        leaves = [t.clone().requires_grad_() for t in (u, delta.float(), a, b[:, 0], c[:, 0])]
        got = torch.autograd.grad(tk.torch.selective_scan(*leaves, delta_softplus=True).sum(), leaves)
        exact = [t.double().requires_grad_() for t in (u, delta, a, b, c)]
        want = torch.autograd.grad(scanned(*exact, nothing, None, nothing, True)[0].sum(), exact)
        for x, y, leaf in zip(got, want, leaves, strict=True):
            self.assertEqual((x.shape, x.dtype), (leaf.shape, leaf.dtype))
            self.close(x, y.reshape(x.shape))

    def test_of_states_alone(self):
        tensors = inputs(1, 16, 24)
        leaf, exact = tensors[0].clone().requires_grad_(), tensors[0].double().requires_grad_()
        (got,) = torch.autograd.grad(tk.torch.selective_scan(leaf, *tensors[1:], True, True)[1].sum(), leaf)
        (want,) = torch.autograd.grad(scanned(exact, *tensors[1:], True)[1].sum(), exact)
        self.close(got, want)

    def test_the_same_bits(self):
        tensors = inputs(1, 72, 40)
        for a, b in zip(self.gradients(tensors), self.gradients(tensors), strict=True):
            self.assertTrue(torch.equal(a, b))

    def test_nothing(self):
        for batch, tokens in ((0, 5), (1, 0)):
            leaves = [t.requires_grad_() for t in inputs(batch, 8, tokens)]
            made = torch.autograd.grad(tk.torch.selective_scan(*leaves, True).sum(), leaves)
            for got, leaf in zip(made, leaves, strict=True):
                self.assertEqual((got.shape, got.float().abs().sum().item()), (leaf.shape, 0))

    def test_graph(self):
        torch._dynamo.reset()
        leaves = [t.requires_grad_() for t in inputs(1, 16, 16)]
        graph = torch.compile(lambda *t: tk.torch.selective_scan(*t, True), backend="aot_eager", fullgraph=True)
        ours = tk.torch.selective_scan(*leaves, True)
        got = torch.autograd.grad(graph(*leaves).sum(), leaves)
        for a, b in zip(got, torch.autograd.grad(ours.sum(), leaves), strict=True):
            self.assertTrue(torch.equal(a, b))
        (first,) = torch.autograd.grad(tk.torch.selective_scan(*leaves, True).sum(), leaves[0], create_graph=True)
        with self.raises(RuntimeError, "selective_scan", "first derivatives only"):
            first.sum().backward()

    def test_saved(self):
        # What the backward pass needs is not written where nobody asks for gradients.
        u, delta, a, b, c, d, z, bias = inputs(1, 16, 70)
        for save, sequences in ((False, 0), (True, 1)):
            *_, saved = torch.ops.tk.selective_scan(u, delta, a, b, c, d, z, bias, None, None, True, False, save)
            self.assertEqual(saved.shape, (sequences, 3, 1, 16, 16))


class Update(Case):
    def test_results(self):
        self.step_by_step(inputs(2, 24, 3), randn(2, 24, 16, seed=9).float())
        u, delta, a, b, c, d, _, bias = inputs(2, 40, 2, 64, 2, torch.float16)
        self.step_by_step([u, delta.float().sigmoid(), a, b.float(), c, d, None, 0 * bias], randn(3, 40, 64, seed=9).half(), False, 4e-3)
        self.step_by_step(inputs(1, 130, 2, 8, kind=torch.float32), randn(1, 130, 8, seed=9).float(), within=1e-5)

    def test_slots(self):
        slots = torch.tensor([3, 1], dtype=torch.int32)
        state = randn(5, 24, 16, seed=9)
        kept = state.clone()
        self.step_by_step(inputs(2, 24, 2), state, slots=slots)
        self.assertTrue(torch.equal(state[[0, 2, 4]], kept[[0, 2, 4]]))

    def test_as_the_scan_goes_on(self):
        tensors = inputs(1, 16, 9)
        until = [t[..., :8].contiguous() if t.dim() > 2 else t for t in tensors]
        y, want = tk.torch.selective_scan(*tensors, True, True)
        u, delta, a, b, c, d, z, bias = tensors
        _, state = tk.torch.selective_scan(*until, True, True)
        got = tk.torch.selective_state_update(state, u[..., 8], delta[..., 8], a, b[:, 0, :, 8], c[:, 0, :, 8], d, z[..., 8], bias, True)
        self.close(got, y[..., 8])
        self.close(state, want, 1e-5)

    def test_graph(self):
        torch._dynamo.reset()
        u, delta, a, b, c, *_ = (t[..., 0] if t.dim() > 2 else t for t in inputs(2, 16, 1))
        state, same = torch.zeros(2, 16, 16), torch.zeros(2, 16, 16)
        graph = torch.compile(lambda s, *x: tk.torch.selective_state_update(s, *x), backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(graph(state, u, delta, a, b, c), tk.torch.selective_state_update(same, u, delta, a, b, c)))
        self.assertTrue(torch.equal(state, same))

    def test_messages(self):
        u, delta, a, b, c, d, z, bias = (t[..., 0] if t.dim() > 2 else t for t in inputs(2, 16, 1))
        state = torch.zeros(2, 16, 16)
        for given, text in (((state, u, delta[:1], a, b, c), "x and dt"), ((state, u, delta, a[:, :4], b, c), "8, 16, 32 or 64"),
                            ((state, u, delta, a, b[..., :8], c), "B and C"), ((state, u, delta, a, b, c, d[:8]), "D must have one number"),
                            ((state, u, delta, a, b, c, d, z[:, :8]), "z must have"), ((state[:1], u, delta, a, b, c), "1 slots for 2"),
                            ((state[..., :8], u, delta, a, b, c), "here .slots, 16, 16."),
                            ((state, u, delta, a, b, c, d, z, bias[:4]), "dt_bias must have"),
                            ((state, u, delta, a, b.repeat(1, 3, 1), c.repeat(1, 3, 1)), "multiple of the groups"),
                            ((state, u.clone().requires_grad_(), delta, a, b, c), "no gradients")):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "selective_state_update: .*" + text):
                tk.torch.selective_state_update(*given)


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for channels, tokens, groups in ((4096, 1000, 1), (264, 71, 2), (48, 4100, 1)):
            for kind, within in ((torch.bfloat16, 1e-2), (torch.float32, 1e-4)):
                with self.subTest(channels=channels, tokens=tokens, kind=kind):
                    self.check([t.cuda() for t in inputs(2, channels, tokens, groups=groups, kind=kind)], within=within)

    def test_gradients(self):
        for channels, tokens, groups in ((2048, 1000, 1), (264, 71, 2), (48, 2048, 1)):
            for kind, within in ((torch.bfloat16, 1e-2), (torch.float32, 1e-4)):
                tensors = [t.cuda() for t in inputs(2, channels, tokens, groups=groups, kind=kind)]
                with self.subTest(channels=channels, tokens=tokens, kind=kind):
                    first, again = self.gradients(tensors, within=within), self.gradients(tensors, within=within)
                    self.assertTrue(all(torch.equal(a, b) for a, b in zip(first, again)))
                    tensors[6] = None
                    self.gradients(tensors, within=within, behind=False, state=randn(2, channels, 16, seed=9).float().cuda())

    def test_update(self):
        for kind, within in ((torch.bfloat16, 1e-2), (torch.float32, 1e-4)):
            with self.subTest(kind=kind):
                tensors = [t.cuda() for t in inputs(3, 1000, 4, kind=kind)]
                self.step_by_step(tensors, randn(3, 1000, 16, seed=9).float().cuda(), within=within)
                slots = torch.tensor([4, 0, 2], dtype=torch.int32, device="cuda")
                self.step_by_step(tensors, randn(5, 1000, 16, seed=9).cuda(), within=1e-2, slots=slots)


if __name__ == "__main__":
    unittest.main()
