"""tk.torch.linear_attention, gated_linear_attention and mamba2 against their recurrences in float64, their gradients against those of PyTorch,
their messages and graphs. By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import math
import os
import subprocess
import sys
import unittest
import unittest.mock

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import support
import tk
import torch_test
from tk import sequence
from torch_test import randn


def inputs(batch, tokens, heads, cells, cells_v=None, kind=torch.bfloat16):
    """q, k, v, dO; the states before and, of its gradient, after."""
    cells_v = cells_v or cells
    shapes = [(batch, tokens, heads, n) for n in (cells, cells, cells_v, cells_v)]
    q, k, v, do = (randn(*shape, seed=i).to(kind) for i, shape in enumerate(shapes))
    return q, k * 0.125, v, do, *(randn(batch, heads, cells, cells_v, seed=4 + i).float() for i in (0, 1))


def recurrence(q, k, v, decay, scale, state):
    """In float64."""
    o = []
    for t in range(q.shape[1]):
        state = state * decay.exp()[None, :, None, None] + k[:, t, :, :, None] * v[:, t, :, None, :]
        o.append(scale * (q[:, t, :, :, None] * state).sum(2))
    return torch.stack(o, 1) if o else v.new_zeros(v.shape), state


class Case(torch_test.Case):
    def agree(self, got, want, within):
        for a, b in zip(got, want, strict=True):
            self.assertEqual(a.shape, b.shape)
            if within == 0:
                self.assertTrue(torch.equal(a, b))
            else:
                self.close(a, b, within)

    def check(self, q, k, v, do, before, behind, decay=None, scale=None, within=1e-2):
        """Of outputs, state and all gradients."""
        leaves = [x.detach().requires_grad_() for x in (q, k, v, before)]
        made = tk.torch.linear_attention(*leaves[:3], decay, scale, leaves[3], True)
        got = [x.detach() for x in made] + list(torch.autograd.grad(made, leaves, (do, behind)))
        exact = [x.detach().double().requires_grad_() for x in (q, k, v, before)]
        logs = torch.zeros(q.shape[2], dtype=torch.float64, device=q.device) if decay is None else decay.double()
        made = recurrence(*exact[:3], logs, q.shape[3]**-0.5 if scale is None else scale, exact[3])
        want = [x.detach() for x in made] + list(torch.autograd.grad(made, exact, (do.double(), behind.double())))
        self.agree(got, want, within)


class Linear(Case):
    def test_results(self):
        decay = torch.log1p(-2.0**(-2 - torch.arange(2)))
        self.check(*inputs(2, 100, 2, 64), decay)
        self.check(*inputs(1, 70, 2, 128, 64), None, 0.3)
        self.check(*inputs(1, 65, 1, 128, kind=torch.float16), torch.tensor([-0.5]), within=2e-3)
        self.check(*inputs(1, 1, 2, 64), decay)

    def test_segments(self):
        self.assertEqual([sequence._segments(torch.empty(b, n, h), b * h) for b, n, h in ((8, 4096, 16), (1, 4096, 64), (1, 1000, 1), (0, 4096, 1))],
                         [(1, 0), (2, 2048), (1, 0), (1, 0)])
        self.assertEqual([sequence._segments(torch.empty(1, n), 16) for n in (65536, 65537, 2048, 2100)],
                         [(8, 8192), (8, 8256), (2, 1024), (2, 1088)])
        decay = torch.log1p(-2.0**(-2 - torch.arange(2)))
        with unittest.mock.patch.object(sequence, "_SHORTEST", 64):
            self.check(*inputs(1, 200, 2, 64), decay)
            self.check(*inputs(2, 129, 2, 128, 64), decay)

    def test_without_states(self):
        q, k, v, do, before, _ = inputs(1, 70, 2, 64)
        o, state = tk.torch.linear_attention(q, k, v)
        same, _ = tk.torch.linear_attention(q, k, v, torch.zeros(2), 0.125, torch.zeros_like(before), True)
        self.assertTrue(state is None and torch.equal(o, same))
        leaves = [x.requires_grad_() for x in (q, k, v)]
        o, _ = tk.torch.linear_attention(*leaves)
        o.backward(do)
        exact = [x.detach().double().requires_grad_() for x in leaves]
        recurrence(*exact, torch.zeros(2).double(), 0.125, torch.zeros_like(before).double())[0].backward(do.double())
        self.agree([x.grad for x in leaves], [x.grad for x in exact], 1e-2)

    def test_gradient_of_one_result(self):
        q, k, v, _, before, behind = inputs(1, 70, 2, 64)
        leaves = [x.requires_grad_() for x in (k, v, before)]
        _, state = tk.torch.linear_attention(q, k, v, None, None, before, True)
        state.backward(behind)
        exact = [x.detach().double().requires_grad_() for x in leaves]
        recurrence(q.double(), *exact[:2], torch.zeros(2).double(), 1, exact[2])[1].backward(behind.double())
        self.agree([x.grad for x in leaves], [x.grad for x in exact], 1e-2)

    def test_parts_and_nothing(self):
        packed = randn(1, 70, 2, 192).bfloat16()
        q, k, v = packed.split(64, 3)
        self.agree(tk.torch.linear_attention(q, k, v)[:1], tk.torch.linear_attention(*(x.contiguous() for x in (q, k, v)))[:1], 0)
        q, k, v, do, before, behind = inputs(1, 0, 2, 64)
        before.requires_grad_()
        o, state = tk.torch.linear_attention(q, k, v, None, None, before, True)
        self.assertEqual(o.shape, v.shape)
        self.assertTrue(torch.equal(state, before))
        self.assertTrue(torch.equal(torch.autograd.grad(state, before, behind)[0], behind))

    def test_graph(self):
        torch._dynamo.reset()
        q, k, v, _, before, _ = inputs(1, 70, 2, 64)
        eager = tk.torch.linear_attention(q, k, v, None, None, before, True)
        graph = torch.compile(lambda *x: tk.torch.linear_attention(*x[:3], None, None, x[3], True), backend="aot_eager", fullgraph=True)
        self.agree(graph(q, k, v, before), eager, 0)
        leaves = [x.requires_grad_() for x in (q, k, v, before)]
        graph(*leaves)[0].sum().backward()
        made = [x.grad.clone() for x in leaves]
        for x in leaves:
            x.grad = None
        tk.torch.linear_attention(*leaves[:3], None, None, leaves[3], True)[0].sum().backward()
        self.agree(made, [x.grad for x in leaves], 0)
        with FakeTensorMode():
            q = torch.empty(2, 9, 3, 64, dtype=torch.bfloat16)
            v = torch.empty(2, 9, 3, 128, dtype=torch.bfloat16)
            o, state = tk.torch.linear_attention(q, q, v, output_final_state=True)
            self.assertEqual((o.shape, state.shape, state.dtype), (v.shape, (2, 3, 64, 128), torch.float32))

    def test_messages(self):
        q, k, v, _, before, _ = inputs(1, 9, 2, 64)
        for words, call in [
            ("all bfloat16 or all float16", lambda: tk.torch.linear_attention(q.float(), k, v)),
            ("four axes", lambda: tk.torch.linear_attention(q[0], k, v)),
            ("one shape", lambda: tk.torch.linear_attention(q, k[:, :3], v)),
            ("64 and 128", lambda: tk.torch.linear_attention(q[..., :32], k[..., :32], v)),
            ("detach()", lambda: tk.torch.linear_attention(q, k, v, torch.zeros(2, requires_grad=True))),
            ("one number for each head, here [2]", lambda: tk.torch.linear_attention(q, k, v, torch.zeros(1, 9, 2))),
            ("float32, here [1, 2, 64, 64]", lambda: tk.torch.linear_attention(q, k, v, None, None, before.bfloat16())),
        ]:
            with self.raises(ValueError, "linear_attention: ", words):
                call()
        q.requires_grad_()
        o, _ = tk.torch.linear_attention(q, k, v)
        (first,) = torch.autograd.grad(o.sum(), q, create_graph=True)
        with self.raises(RuntimeError, "first derivatives only"):
            first.sum().backward()


def gated(q, k, v, g, scale, state):
    """The recurrence of gated linear attention in float64."""
    q, k, v, g, state = (t.double() for t in (q, k, v, g, state))
    o = []
    for t in range(q.shape[1]):
        state = state * g[:, t, :, :, None].exp() + k[:, t, :, :, None] * v[:, t, :, None, :]
        o.append(scale * (q[:, t, :, :, None] * state).sum(2))
    return torch.stack(o, 1), state


class Gated(Case):
    def test_results(self):
        for cells, cells_v, kind, within in ((64, 64, torch.bfloat16, 1e-2), (128, 72, torch.float16, 2e-3)):
            q, k, v, _, before, _ = inputs(2, 70, 2, cells, cells_v, kind)
            g = F.logsigmoid(randn(2, 70, 2, cells, seed=7).float()) / 4
            forgotten = g.clone()
            forgotten[:, 40] = -math.inf
            for gates in (g, g.to(kind), forgotten):
                got = tk.torch.gated_linear_attention(q, k, v, gates, 0.3, before, True)
                self.agree(got, gated(q, k, v, gates, 0.3, before), within)
        o, state = tk.torch.gated_linear_attention(q, k, v, g)
        self.assertIsNone(state)
        self.agree([o], gated(q, k, v, g, 128**-0.5, torch.zeros_like(before))[:1], 2e-3)

    def test_segments(self):
        q, k, v, _, before, _ = inputs(1, 200, 2, 64)
        g = F.logsigmoid(randn(1, 200, 2, 64, seed=7).float()) / 16
        with unittest.mock.patch.object(sequence, "_SHORTEST", 64):
            for gates in (g, g.bfloat16()):
                self.agree(tk.torch.gated_linear_attention(q, k, v, gates, 0.3, before, True), gated(q, k, v, gates, 0.3, before), 1e-2)

    def test_one_decay_for_all_channels(self):
        q, k, v, _, before, _ = inputs(1, 100, 2, 64)
        decay = torch.tensor([-0.5, -0.0625])
        got = tk.torch.gated_linear_attention(q, k, v, decay[:, None].expand(1, 100, 2, 64), None, before, True)
        self.agree(got, tk.torch.linear_attention(q, k, v, decay, None, before, True), 1e-2)

    def test_graph(self):
        torch._dynamo.reset()
        q, k, v, _, before, _ = inputs(1, 20, 2, 64)
        given = (q, k, v, -q.abs(), before)
        graph = torch.compile(lambda *x: tk.torch.gated_linear_attention(*x[:4], None, x[4], True), backend="aot_eager", fullgraph=True)
        self.agree(graph(*given), tk.torch.gated_linear_attention(*given[:4], None, before, True), 0)

    def test_messages(self):
        q, k, v, _, before, _ = inputs(1, 9, 2, 64)
        for words, call in [
            ("shape of q", lambda: tk.torch.gated_linear_attention(q, k, v, q[..., :1])),
            ("shape of q", lambda: tk.torch.gated_linear_attention(q, k, v, q.double())),
            ("64 and 128 are", lambda: tk.torch.gated_linear_attention(*(x[..., :32] for x in (q, k, v, q)))),
            ("all bfloat16", lambda: tk.torch.gated_linear_attention(q.float(), k, v, q)),
            ("float32, here [1, 2, 64, 64]", lambda: tk.torch.gated_linear_attention(q, k, v, q, None, before.bfloat16())),
        ]:
            with self.raises(ValueError, "gated_linear_attention: ", words):
                call()


def scan(x, dt, a, b, c, d=None, z=None, bias=None, state=None, softplus=False, limit=(0, math.inf)):
    """The recurrence of Mamba-2 in float64."""
    x, dt, a, b, c = (t.double() for t in (x, dt, a, b, c))
    heads = x.shape[2] // b.shape[2]
    b, c = (t.repeat_interleave(heads, 2) for t in (b, c))
    dt = dt if bias is None else dt + bias.double()
    dt = (F.softplus(dt) if softplus else dt).clamp(*limit)
    state = x.new_zeros(x.shape[0], *x.shape[2:], b.shape[3]) if state is None else state.double()
    y = []
    for t in range(x.shape[1]):
        state = state * (dt[:, t] * a).exp()[..., None, None] + (dt[:, t, :, None] * x[:, t])[..., None] * b[:, t, :, None, :]
        y.append((state * c[:, t, :, None, :]).sum(3))
    y = torch.stack(y, 1)
    y = y if d is None else y + x * d.double()[:, None]
    y = y if z is None else y * F.silu(z.double())
    return y, state


def scanned(batch, tokens, heads, cells, groups, states, kind=torch.bfloat16):
    """x, dt, A, B, C."""
    return (randn(batch, tokens, heads, cells).to(kind), randn(batch, tokens, heads, seed=1).float(),
            -randn(heads, seed=2).float().abs(), (0.3 * randn(batch, tokens, groups, states, seed=3)).to(kind),
            randn(batch, tokens, groups, states, seed=4).to(kind))


class Bench(Case):
    def test_bench(self):
        script = os.path.join(support.HERE, "..", "..", "bench", "sequence.py")
        done = subprocess.run([sys.executable, script, "--device", "cpu", "--widths", "64"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("errors of"), 29)


class Mamba2Case(Case):
    def gradients(self, tensors, within, before=None, behind=None, **words):
        """Of all tensors, from random gradients of y and, where `behind` is given, of the state."""
        named = {name: t for name, t in words.items() if torch.is_tensor(t)}
        leaves = [t.detach().clone().requires_grad_() for t in (*tensors, *named.values())]
        exact = [t.detach().double().requires_grad_() for t in leaves]
        dy = randn(*tensors[0].shape, seed=8).to(tensors[0])
        made = []
        for given, run in ((leaves, tk.torch.mamba2), (exact, scan)):
            others = dict(words, **dict(zip(named, given[5:])))
            if run is scan:
                others = {{"D": "d", "dt_bias": "bias", "dt_softplus": "softplus", "dt_limit": "limit"}.get(k, k): v for k, v in others.items()}
            first = None if before is None else before.detach().to(given[0].device, torch.float64 if run is scan else None).requires_grad_()
            if run is scan:
                results = scan(*given[:5], state=first, **others)
            else:
                results = tk.torch.mamba2(*given[:5], initial_states=first, return_final_states=True, **others)
            of = [(results[0], dy)] + ([] if behind is None else [(results[1], behind)])
            wanted = given if first is None else [*given, first]
            made.append(torch.autograd.grad([r for r, _ in of], wanted, [g.to(r) for r, g in of]))
        self.agree(*made, within)


class Mamba2(Mamba2Case):
    def test_results(self):
        tensors = scanned(2, 70, 4, 64, 2, 128)
        before = randn(2, 4, 64, 128, seed=9).float()
        d, bias = randn(4, seed=5).float(), randn(4, seed=6).float()
        y, state = scan(*tensors, d, None, bias, before, True)
        got = tk.torch.mamba2(*tensors, 256, d, dt_bias=bias, initial_states=before, dt_softplus=True, return_final_states=True)
        self.agree(got, (y, state), 1e-2)
        tensors = scanned(1, 100, 3, 128, 3, 64, torch.float16)
        z = randn(1, 100, 3, 128, seed=7).half()
        y = tk.torch.mamba2(*tensors, z=z, dt_limit=(0.1, 0.5))
        want = scan(*tensors, z=z, limit=(0.1, 0.5))
        self.agree([y], want[:1], 2e-3)
        tensors = list(scanned(1, 65, 2, 64, 1, 64))
        tensors[1] = tensors[1].abs().bfloat16()
        self.agree([tk.torch.mamba2(*tensors)], scan(*tensors)[:1], 1e-2)

    def test_gradients(self):
        before, behind = (randn(1, 4, 64, 128, seed=i).float() for i in (9, 10))
        self.gradients(scanned(1, 70, 4, 64, 2, 128), 1e-2, before, behind, D=randn(4, seed=5).float(), dt_bias=randn(4, seed=6).float(),
                       z=randn(1, 70, 4, 64, seed=7), dt_softplus=True)
        self.gradients(scanned(1, 66, 2, 128, 2, 64, torch.float16), 2e-3, dt_limit=(0.1, 0.5))
        tensors = list(scanned(1, 65, 2, 64, 1, 64))
        tensors[1] = tensors[1].abs().bfloat16()
        self.gradients(tensors, 1e-2)
        x, *others = scanned(1, 9, 2, 64, 1, 64)
        x.requires_grad_()
        (first,) = torch.autograd.grad(tk.torch.mamba2(x, *others, dt_softplus=True).sum(), x, create_graph=True)
        with self.raises(RuntimeError, "mamba2", "first derivatives only"):
            first.sum().backward()

    def test_gradient_of_the_state(self):
        tensors = scanned(1, 66, 2, 64, 1, 64)
        leaves, exact = [t.clone().requires_grad_() for t in tensors], [t.double().requires_grad_() for t in tensors]
        behind = randn(1, 2, 64, 64, seed=10).float()
        got = torch.autograd.grad(tk.torch.mamba2(*leaves, dt_softplus=True, return_final_states=True)[1], leaves, behind)
        want = torch.autograd.grad(scan(*exact, softplus=True)[1], exact[:4], behind.double())
        self.agree(got[:4], want, 1e-2)
        self.assertEqual(got[4].abs().max(), 0)

    def test_segments(self):
        tensors = scanned(1, 200, 4, 64, 2, 64)
        before = randn(1, 4, 64, 64, seed=9).float()
        want = scan(*tensors, state=before, softplus=True)
        with unittest.mock.patch.object(sequence, "_SHORTEST", 64):
            got = tk.torch.mamba2(*tensors, initial_states=before, dt_softplus=True, return_final_states=True)
        self.agree(got, want, 1e-2)

    def test_graph(self):
        torch._dynamo.reset()
        tensors = scanned(1, 20, 2, 64, 1, 64)
        graph = torch.compile(lambda *x: tk.torch.mamba2(*x, dt_softplus=True, return_final_states=True), backend="aot_eager", fullgraph=True)
        self.agree(graph(*tensors), tk.torch.mamba2(*tensors, dt_softplus=True, return_final_states=True), 0)
        leaves = [t.requires_grad_() for t in tensors]
        z = randn(1, 20, 2, 64, seed=7).requires_grad_()
        ours = lambda *t: tk.torch.mamba2(*t[:5], z=t[5], dt_softplus=True)
        graph = torch.compile(ours, backend="aot_eager", fullgraph=True)
        made = [torch.autograd.grad(f(*leaves, z).sum(), (*leaves, z)) for f in (graph, ours)]
        self.agree(*made, 0)

    def test_messages(self):
        x, dt, a, b, c = scanned(1, 9, 4, 64, 2, 64)
        for words, call in [
            ("packed sequences", lambda: tk.torch.mamba2(x, dt, a, b, c, seq_idx=torch.zeros(1, 9))),
            ("all bfloat16 or all float16", lambda: tk.torch.mamba2(x, dt, a, b.float(), c)),
            ("64 and 128 are, of both", lambda: tk.torch.mamba2(x, dt, a, b[..., :16], c[..., :16])),
            ("multiple of the groups", lambda: tk.torch.mamba2(x[:, :, :3], dt[:, :, :3], a[:3], b, c)),
            ("dt must be", lambda: tk.torch.mamba2(x, dt.double(), a, b, c)),
            ("one number for each head", lambda: tk.torch.mamba2(x, dt, a, b, c, D=torch.zeros(4, 64))),
            ("dt_bias must have", lambda: tk.torch.mamba2(x, dt, a, b, c, dt_bias=torch.zeros(3))),
            ("initial_states must be float32", lambda: tk.torch.mamba2(x, dt, a, b, c, initial_states=torch.zeros(1, 4, 64, 32))),
            ("z must have", lambda: tk.torch.mamba2(x, dt, a, b, c, z=x[..., :32])),
        ]:
            with self.raises(ValueError, "mamba2: ", words):
                call()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Mamba2Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_linear(self):
        decay = torch.log1p(-2.0**(-5 - torch.arange(4))).cuda()
        for tokens in (1, 64, 1000):
            for cells, cells_v in ((64, 64), (128, 128), (128, 64), (64, 128)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    self.check(*(x.cuda() for x in inputs(2, tokens, 4, cells, cells_v)), decay)
                    self.check(*(x.cuda() for x in inputs(2, tokens, 4, cells, cells_v, torch.float16)), decay, within=2e-3)

    def test_segments(self):
        decay = torch.log1p(-2.0**(-5 - torch.arange(4))).cuda()
        for cells in (64, 128):
            self.check(*(x.cuda() for x in inputs(1, 5000, 4, cells)), decay)

    def test_gated(self):
        for tokens in (1, 1000, 5000):
            for cells, cells_v in ((64, 64), (128, 128), (128, 256)):
                with self.subTest(tokens=tokens, cells=cells, cells_v=cells_v):
                    q, k, v, _, before, _ = (x.cuda() for x in inputs(2, tokens, 4, cells, cells_v))
                    g = F.logsigmoid(randn(2, tokens, 4, cells, seed=7).float().cuda()) / 4
                    for gates in (g, g.bfloat16()):
                        got = tk.torch.gated_linear_attention(q, k, v, gates, None, before, True)
                        self.agree(got, gated(q, k, v, gates, cells**-0.5, before), 1e-2)

    def test_mamba2(self):
        for tokens in (1, 1000, 5000):
            for cells, states, groups in ((64, 128, 1), (64, 64, 8), (128, 128, 2)):
                with self.subTest(tokens=tokens, cells=cells, states=states, groups=groups):
                    tensors = [x.cuda() for x in scanned(2, tokens, 8, cells, groups, states)]
                    z = randn(2, tokens, 8, cells, seed=7).cuda()
                    got = tk.torch.mamba2(*tensors, z=z, dt_softplus=True, return_final_states=True)
                    self.agree(got, scan(*tensors, z=z, softplus=True), 1e-2)
                    if tokens < 2000:
                        self.gradients(tensors, 1e-2, z=z, dt_softplus=True)


if __name__ == "__main__":
    unittest.main()
