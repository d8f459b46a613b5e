"""tk.torch.linear_attention_update, gated_delta_update, kimi_delta_update, rwkv7_update and selective_state_update: token by token they
give what a float64 recurrence gives, and what the functions for whole sequences give; the outputs of gated_delta_rule,
kimi_delta_attention and rwkv7; messages and graphs. By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import os
import unittest
import unittest.mock

import torch
import torch.nn.functional as F

import tk
import torch_sequence_test
import torch_test
from tk import sequence
from torch_sequence_test import gated, inputs, recurrence, scan, scanned
from torch_test import randn


def delta(q, k, v, g, beta, scale, state):
    """The recurrence of the gated delta rule in float64."""
    q, k, v, g, beta, state = (t.double() for t in (*shared(q, k, v), v, g, beta, state))
    o = []
    for t in range(q.shape[1]):
        read = (k[:, t, :, :, None] * state).sum(2, keepdim=True)
        u = beta[:, t, :, None, None] * (v[:, t, :, None, :] - g[:, t, :, None, None].exp() * read)
        state = g[:, t, :, None, None].exp() * state + k[:, t, :, :, None] * u
        o.append(scale * (q[:, t, :, :, None] * state).sum(2))
    return torch.stack(o, 1), state


def kimi(q, k, v, g, beta, scale, state):
    """That of Kimi delta attention: g has a decay for each channel."""
    q, k, v, g, beta, state = (t.double() for t in (*shared(q, k, v), v, g, beta, state))
    o = []
    for t in range(q.shape[1]):
        state = g[:, t, :, :, None].exp() * state
        u = beta[:, t, :, None] * (v[:, t] - (k[:, t, :, :, None] * state).sum(2))
        state = state + k[:, t, :, :, None] * u[:, :, None]
        o.append(scale * (q[:, t, :, :, None] * state).sum(2))
    return torch.stack(o, 1), state


def shared(q, k, v):
    """q and k once more for each head of v that shares one of theirs."""
    return [t.repeat_interleave(v.shape[2] // t.shape[2], 2) for t in (q, k)]


def taken(r, w, k, v, a, b, scale, state):
    """That of RWKV-7."""
    r, w, k, v, a, b, state = (t.double() for t in (r, w, k, v, a, b, state))
    o = []
    for t in range(r.shape[1]):
        u = (a[:, t, :, :, None] * state).sum(2)
        state = w[:, t, :, :, None].exp() * state + b[:, t, :, :, None] * u[:, :, None] + k[:, t, :, :, None] * v[:, t, :, None]
        o.append(scale * (r[:, t, :, :, None] * state).sum(2))
    return torch.stack(o, 1), state


def recurrent(batch, tokens, heads, cells, cells_v=None, kind=torch.bfloat16):
    """r, w, k, v, a, b and a state, as a layer of RWKV-7 makes them."""
    r, k, v, _, before, _ = inputs(batch, tokens, heads, cells, cells_v, kind)
    n = F.normalize(randn(batch, tokens, heads, cells, seed=7).float(), dim=3)
    w, rate = (randn(batch, tokens, heads, cells, seed=i).float().sigmoid() for i in (8, 9))
    return r, -0.6065 * w, k, v, -n.to(kind), (n * rate).to(kind), before


def ruled(batch, tokens, heads, cells, cells_v=None, kind=torch.bfloat16, group=1):
    """q, k, v, g, beta and a state; `group` of the heads share one of q and k."""
    q, k, v, _, before, _ = inputs(batch, tokens, heads, cells, cells_v, kind)
    k = F.normalize(k.float(), dim=3).to(kind)
    g, beta = (randn(batch, tokens, heads, seed=i).float().sigmoid() for i in (7, 8))
    return q[:, :, ::group], k[:, :, ::group], v, g.log(), beta, before


class Case(torch_sequence_test.Case):
    def step_by_step(self, step, state, tokens, want, within=1e-2):
        """step(t) gives the outputs of a token and changes `state`."""
        with torch.no_grad():
            got = torch.stack([step(t) for t in range(tokens)], 1)
        self.agree([got, state], want, within)


class Steps(Case):
    def test_linear(self):
        q, k, v, _, before, _ = inputs(2, 5, 3, 64)
        decay = torch.tensor([-0.5, -0.01, 0.0])
        state = before.clone()
        self.step_by_step(lambda t: tk.torch.linear_attention_update(q[:, t], k[:, t], v[:, t], state, decay), state, 5,
                          recurrence(*(x.double() for x in (q, k, v, decay)), 0.125, before.double()))
        self.agree([state], tk.torch.linear_attention(q, k, v, decay, None, before, True)[1:], 1e-2)

    def test_gated(self):
        q, k, v, _, before, _ = inputs(2, 5, 2, 128, 72, torch.float16)
        g = F.logsigmoid(randn(2, 5, 2, 128, seed=7).float())
        state = before.clone()
        self.step_by_step(lambda t: tk.torch.linear_attention_update(q[:, t], k[:, t], v[:, t], state, None, g[:, t], 0.3), state, 5,
                          gated(q, k, v, g, 0.3, before), 2e-3)

    def test_delta(self):
        q, k, v, g, beta, before = ruled(2, 5, 3, 64)
        state = before.clone()
        want = delta(q, k, v, g, beta, 0.125, before)
        self.step_by_step(lambda t: tk.torch.gated_delta_update(q[:, t], k[:, t], v[:, t], g[:, t], beta[:, t], state), state, 5, want)
        self.agree(tk.torch.gated_delta_rule(q, k, v, g, beta, None, before, True), want, 1e-2)

    def test_grouped(self):
        q, k, v, g, beta, before = ruled(2, 5, 6, 64, group=3)
        state = before.clone()
        want = delta(q, k, v, g, beta, 0.125, before)
        self.step_by_step(lambda t: tk.torch.gated_delta_update(q[:, t], k[:, t], v[:, t], g[:, t], beta[:, t], state), state, 5, want)
        self.agree(tk.torch.gated_delta_rule(q, k, v, g, beta, None, before, True), want, 1e-2)
        gates = -randn(2, 5, 6, 64, seed=9).float().abs()
        state = before.clone()
        want = kimi(q, k, v, gates, beta, 0.125, before)
        self.step_by_step(lambda t: tk.torch.kimi_delta_update(q[:, t], k[:, t], v[:, t], gates[:, t], beta[:, t], state), state, 5, want)
        self.agree(tk.torch.kimi_delta_attention(q, k, v, gates, beta, None, before, True), want, 1e-2)
        q, k, v, g, beta, before = ruled(1, 150, 4, 128, 72, torch.float16, group=2)
        self.agree(tk.torch.gated_delta_rule(q, k, v, g, beta, None, before, True), delta(q, k, v, g, beta, 128**-0.5, before), 4e-3)
        for words, call in [
            ("the heads of v, 3, must be a multiple of those of q and k, 2", lambda: tk.torch.gated_delta_rule(q, k, v[:, :, :3], g, beta)),
            ("g and beta must be", lambda: tk.torch.gated_delta_rule(q, k, v, g[:, :, :2], beta)),
            ("[1, 2, 128, 72]", lambda: tk.torch.gated_delta_rule(q, k, v[:, :, :2], g[:, :, :2], beta[:, :, :2], None, before)),
        ]:
            with self.raises(ValueError, "gated_delta_rule: ", words):
                call()

    def test_delta_rule(self):
        q, k, v, g, beta, before = ruled(1, 150, 2, 128, 64, torch.float16)
        self.agree(tk.torch.gated_delta_rule(q, k, v, g, beta, 0.2, before, True), delta(q, k, v, g, beta, 0.2, before), 4e-3)
        o, state = tk.torch.gated_delta_rule(q, k, v)
        self.assertIsNone(state)
        self.agree([o], delta(q, k, v, 0 * g, 0 * g + 1, 128**-0.5, 0 * before)[:1], 4e-3)

    def test_segments(self):
        for tokens, programs, want in ((65536, 32, (4, 16384)), (65536, 48, (5, 13120)), (65536, 80, (1, 0)), (5000, 8, (4, 1280)), (2000, 8, (1, 0))):
            self.assertEqual(sequence._segments(torch.empty(1, tokens), programs, alone=True), want)
        q, k, v, g, beta, before = ruled(1, 200, 2, 64, 72)
        with unittest.mock.patch.object(sequence, "_SHORTEST", 64):
            self.agree(tk.torch.gated_delta_rule(q, k, v, g, beta, 0.2, before, True), delta(q, k, v, g, beta, 0.2, before), 1e-2)
            grouped = ruled(1, 200, 2, 64, group=2)
            self.agree(tk.torch.gated_delta_rule(*grouped[:5], 0.2, grouped[5], True), delta(*grouped[:5], 0.2, grouped[5]), 1e-2)
            self.assertIsNone(tk.torch.gated_delta_rule(q, k, v, g.half(), beta.half())[1])
            g = F.logsigmoid(randn(1, 200, 2, 64, seed=9).float()) / 16
            self.agree(tk.torch.kimi_delta_attention(q, k, v, g, beta, 0.2, before, True), kimi(q, k, v, g, beta, 0.2, before), 1e-2)
            *tensors, before = recurrent(1, 200, 2, 64, 72)
            self.agree(tk.torch.rwkv7(*tensors, 0.3, before, True), taken(*tensors, 0.3, before), 1e-2)

    def test_kimi(self):
        for cells, cells_v, kind, within in ((64, 64, torch.bfloat16, 1e-2), (128, 72, torch.float16, 2e-3)):
            q, k, v, _, beta, before = ruled(1, 70, 2, cells, cells_v, kind)
            g = F.logsigmoid(randn(1, 70, 2, cells, seed=9).float()) / 4
            self.agree(tk.torch.kimi_delta_attention(q, k, v, g, beta, 0.3, before, True), kimi(q, k, v, g, beta, 0.3, before), within)
        half = [t.half() for t in (g, beta)]
        o, state = tk.torch.kimi_delta_attention(q, k, v, *half)
        self.assertIsNone(state)
        self.agree([o], kimi(q, k, v, *half, 128**-0.5, 0 * before)[:1], 2e-3)
        graph = torch.compile(lambda *t: tk.torch.kimi_delta_attention(*t)[0], backend="aot_eager", fullgraph=True)
        self.agree([graph(q, k, v, *half)], [o], 0)
        for words, call in [
            ("beta must be", lambda: tk.torch.kimi_delta_attention(q, k, v, g, g)),
            ("g must be", lambda: tk.torch.kimi_delta_attention(q, k, v, beta, beta)),
            ("no gradients", lambda: tk.torch.kimi_delta_attention(q, k, v, g, beta.clone().requires_grad_())),
        ]:
            with self.raises(ValueError, "kimi_delta_attention: ", words):
                call()

    def test_kimi_update(self):
        q, k, v, _, beta, before = ruled(2, 5, 3, 64)
        g = -randn(2, 5, 3, 64, seed=9).float().abs()
        state = before.clone()
        want = kimi(q, k, v, g, beta, 0.125, before)
        self.step_by_step(lambda t: tk.torch.kimi_delta_update(q[:, t], k[:, t], v[:, t], g[:, t], beta[:, t], state), state, 5, want)
        self.agree(tk.torch.kimi_delta_attention(q, k, v, g, beta, None, before, True), want, 1e-2)
        for words, call in [
            ("g must be", lambda: tk.torch.kimi_delta_update(q[:, 0], k[:, 0], v[:, 0], beta[:, 0], beta[:, 0], state)),
            ("beta must be", lambda: tk.torch.kimi_delta_update(q[:, 0], k[:, 0], v[:, 0], g[:, 0], g[:, 0], state)),
            ("has 1 slots", lambda: tk.torch.kimi_delta_update(q[:, 0], k[:, 0], v[:, 0], g[:, 0], beta[:, 0], state[:1])),
        ]:
            with self.raises(ValueError, "kimi_delta_update: ", words):
                call()

    def test_rwkv7(self):
        for cells, cells_v, kind, within in ((64, 64, torch.bfloat16, 1e-2), (128, 72, torch.float16, 2e-3)):
            *tensors, before = recurrent(1, 70, 2, cells, cells_v, kind)
            self.agree(tk.torch.rwkv7(*tensors, 0.3, before, True), taken(*tensors, 0.3, before), within)
        tensors[1] = tensors[1].half()
        o, state = tk.torch.rwkv7(*tensors)
        self.assertIsNone(state)
        self.agree([o], taken(*tensors, 1.0, 0 * before)[:1], 2e-3)
        graph = torch.compile(lambda *t: tk.torch.rwkv7(*t)[0], backend="aot_eager", fullgraph=True)
        self.agree([graph(*tensors)], [o], 0)
        r, w, k, v, a, b = tensors
        for words, call in [
            ("b must have the shape and the type of r", lambda: tk.torch.rwkv7(r, w, k, v, a, b.float())),
            ("w must have the shape of r", lambda: tk.torch.rwkv7(r, w[..., :1], k, v, a, b)),
            ("64 and 128 are", lambda: tk.torch.rwkv7(*(t[..., :32] for t in tensors))),
            ("no gradients", lambda: tk.torch.rwkv7(r, w, k, v, a.clone().requires_grad_(), b)),
        ]:
            with self.raises(ValueError, "rwkv7: ", words):
                call()

    def test_rwkv7_update(self):
        *tensors, before = recurrent(2, 5, 3, 64)
        state = before.clone()
        want = taken(*tensors, 1.0, before)
        self.step_by_step(lambda t: tk.torch.rwkv7_update(*(x[:, t] for x in tensors), state), state, 5, want)
        self.agree(tk.torch.rwkv7(*tensors, 1.0, before, True), want, 1e-2)
        r, w, k, v, a, b = tensors
        for words, call in [
            ("a and b must have", lambda: tk.torch.rwkv7_update(r[:, 0], w[:, 0], k[:, 0], v[:, 0], a[:, 0].half(), b[:, 0], state)),
            ("w must have the shape of r", lambda: tk.torch.rwkv7_update(r[:, 0], w[:, 0, 0], k[:, 0], v[:, 0], a[:, 0], b[:, 0], state)),
            ("must be one token", lambda: tk.torch.rwkv7_update(*tensors, state)),
            ("has 1 slots", lambda: tk.torch.rwkv7_update(*(x[:, 0] for x in tensors), state[:1])),
        ]:
            with self.raises(ValueError, "rwkv7_update: ", words):
                call()

    def test_mamba2(self):
        x, dt, a, b, c = scanned(2, 5, 4, 64, 2, 128)
        d, bias, before = randn(4, seed=5).float(), randn(4, seed=6).float(), randn(2, 4, 64, 128, seed=9).float()
        state = before.clone()
        want = scan(x, dt, a, b, c, d, None, bias, before, True)

        def step(t):
            return tk.torch.selective_state_update(state, x[:, t], dt[:, t], a, b[:, t], c[:, t], d, None, bias, True)

        self.step_by_step(step, state, 5, want)
        # As mamba_ssm's module calls it.
        wide = {"dt": dt[..., None].expand(2, 5, 4, 64), "A": a[:, None, None].expand(4, 64, 128), "D": d[:, None].expand(4, 64)}
        again = before.clone()
        y = tk.torch.selective_state_update(again, x[:, 0], wide["dt"][:, 0], wide["A"], b[:, 0], c[:, 0], wide["D"], None,
                                            bias[:, None].expand(4, 64), True)
        self.agree([y], [want[0][:, 0]], 1e-2)
        z = randn(2, 5, 4, 64, seed=7)
        y = tk.torch.selective_state_update(before.clone(), x[:, 0], dt[:, 0].abs(), a, b[:, 0], c[:, 0], z=z[:, 0])
        self.agree([y], [scan(x, dt.abs(), a, b, c, None, z, None, before)[0][:, 0]], 1e-2)

    def test_slots_and_shapes(self):
        q, k, v, g, beta, before = ruled(2, 1, 3, 64)
        slots = torch.tensor([3, 1], dtype=torch.int32)
        states = randn(5, 3, 64, 64, seed=11)
        kept = states.clone()
        states[slots.long()] = before.bfloat16()
        o = tk.torch.gated_delta_update(q, k, v, g, beta, states, state_indices=slots)
        self.assertEqual(o.shape, v.shape)
        want = delta(q, k, v, g, beta, 0.125, before.bfloat16())
        self.agree([o, states[slots.long()]], want, 1e-2)
        self.assertTrue(torch.equal(states[[0, 2, 4]], kept[[0, 2, 4]]))

    def test_graph(self):
        torch._dynamo.reset()
        q, k, v, g, beta, before = (x if x.dim() == 4 and x.shape[1] == 3 else x[:, 0] for x in ruled(2, 1, 3, 64))
        state, same = before.clone(), before.clone()
        graph = torch.compile(lambda s, *x: tk.torch.gated_delta_update(*x, s), backend="aot_eager", fullgraph=True)
        self.agree([graph(state, q, k, v, g, beta), state], [tk.torch.gated_delta_update(q, k, v, g, beta, same), same], 0)
        graph = torch.compile(lambda s, *x: tk.torch.linear_attention_update(*x, s), backend="aot_eager", fullgraph=True)
        self.agree([graph(state, q, k, v), state], [tk.torch.linear_attention_update(q, k, v, same), same], 0)
        x, dt, a, b, c = (t[:, 0] if t.dim() > 1 else t for t in scanned(1, 1, 2, 64, 1, 64))
        state = torch.zeros(1, 2, 64, 64)
        same = state.clone()
        graph = torch.compile(lambda s, *x: tk.torch.selective_state_update(s, *x), backend="aot_eager", fullgraph=True)
        self.agree([graph(state, x, dt, a, b, c), state], [tk.torch.selective_state_update(same, x, dt, a, b, c), same], 0)

    def test_messages(self):
        q, k, v, g, beta, state = ruled(2, 1, 3, 64)
        ours = tk.torch.gated_delta_update
        for words, call in [
            ("one token", lambda: ours(*(x.expand(2, 2, 3, 64) for x in (q, k, v)), g, beta, state)),
            ("all bfloat16", lambda: ours(q.float(), k, v, g, beta, state)),
            ("64 and 128 are", lambda: ours(q[..., :32], k[..., :32], v, g, beta, state)),
            ("here [2, 1, 3]", lambda: ours(q, k, v, g[:, 0], beta, state)),
            ("here [slots, 3, 64, 64]", lambda: ours(q, k, v, g, beta, state[..., :32])),
            ("1 slots for 2", lambda: ours(q, k, v, g, beta, state[:1])),
            ("int32, here [2]", lambda: ours(q, k, v, g, beta, state, state_indices=torch.arange(2))),
            ("no gradients", lambda: ours(q.clone().requires_grad_(), k, v, g, beta, state)),
        ]:
            with self.raises(ValueError, "gated_delta_update: ", words):
                call()
        for words, call in [
            ("g must have", lambda: tk.torch.linear_attention_update(q, k, v, state, None, g)),
            ("one number for each head, here [3]", lambda: tk.torch.linear_attention_update(q, k, v, state, torch.zeros(2))),
        ]:
            with self.raises(ValueError, "linear_attention_update: ", words):
                call()
        with self.raises(ValueError, "gated_delta_rule: ", "g and beta"):
            tk.torch.gated_delta_rule(q, k, v, g[:, 0], beta)
        x, dt, a, b, c = (t[:, 0] if t.dim() > 1 else t for t in scanned(1, 1, 2, 64, 1, 64))
        state = torch.zeros(1, 2, 64, 64)
        ours = tk.torch.selective_state_update
        for words, call in [
            ("head dimension of 32, 64 or 128", lambda: ours(state, x[..., :8], dt, a, b, c)),
            ("A must have one number for each head", lambda: ours(state, x, dt, torch.zeros(2, 64, 64), b, c)),
            ("dt must have", lambda: ours(state, x, dt[:, :1], a, b, c)),
            ("here [slots, 2, 64, 64]", lambda: ours(state[..., :32], x, dt, a, b, c)),
            ("z must have", lambda: ours(state, x, dt, a, b, c, z=x[:, :1])),
            ("contiguous", lambda: ours(state.transpose(2, 3), x, dt, a, b, c)),
        ]:
            with self.raises(ValueError, "selective_state_update: ", words):
                call()


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_attention(self):
        for cells, cells_v in ((64, 64), (128, 128), (128, 72)):
            with self.subTest(cells=cells, cells_v=cells_v):
                q, k, v, g, beta, before = (x.cuda() for x in ruled(3, 4, 5, cells, cells_v))
                state = before.clone()
                self.step_by_step(lambda t: tk.torch.gated_delta_update(q[:, t], k[:, t], v[:, t], g[:, t], beta[:, t], state), state, 4,
                                  delta(q, k, v, g, beta, cells**-0.5, before))
                gates = F.logsigmoid(randn(3, 4, 5, cells, seed=7).cuda())
                state = before.clone()
                self.step_by_step(lambda t: tk.torch.linear_attention_update(q[:, t], k[:, t], v[:, t], state, None, gates[:, t]), state, 4,
                                  gated(q, k, v, gates, cells**-0.5, before))

    def test_rule(self):
        for tokens in (1, 1000, 5000):  # the last ones in segments
            tensors = [x.cuda() for x in ruled(2, tokens, 3, 128)]
            self.agree(tk.torch.gated_delta_rule(*tensors[:5], 0.1, tensors[5], True), delta(*tensors[:5], 0.1, tensors[5]), 1e-2)

    def test_kimi(self):
        for tokens in (1, 1000, 5000):
            for cells in (64, 128):
                q, k, v, _, beta, before = (t.cuda() for t in ruled(2, tokens, 3, cells))
                g = F.logsigmoid(randn(2, tokens, 3, cells, seed=9).float().cuda()) / 4
                want = kimi(q, k, v, g, beta, 0.1, before)
                self.agree(tk.torch.kimi_delta_attention(q, k, v, g, beta, 0.1, before, True), want, 1e-2)
                if tokens == 1:
                    state = before.clone()
                    o = tk.torch.kimi_delta_update(*(t[:, 0] for t in (q, k, v, g, beta)), state, 0.1)
                    self.agree([o[:, None], state], want, 1e-2)

    def test_rwkv7(self):
        for tokens in (1, 1000):
            for cells in (64, 128):
                *tensors, before = (t.cuda() for t in recurrent(2, tokens, 3, cells))
                want = taken(*tensors, 1.0, before)
                self.agree(tk.torch.rwkv7(*tensors, 1.0, before, True), want, 1e-2)
                if tokens == 1:
                    state = before.clone()
                    o = tk.torch.rwkv7_update(*(t[:, 0] for t in tensors), state)
                    self.agree([o[:, None], state], want, 1e-2)

    def test_mamba2(self):
        for kind in (torch.float32, torch.bfloat16):
            x, dt, a, b, c = (t.cuda() for t in scanned(3, 1, 8, 64, 2, 128))
            state = randn(3, 8, 64, 128, seed=9).cuda().to(kind)
            want = scan(x, dt, a, b, c, state=state, softplus=True)
            y = tk.torch.selective_state_update(state, x[:, 0], dt[:, 0], a, b[:, 0], c[:, 0], dt_softplus=True)
            self.agree([y[:, None], state], want, 1e-2)


if __name__ == "__main__":
    unittest.main()
