#!/usr/bin/env python3
"""Checks and times the kernels of examples/sequence: linear attention, retention, gated linear attention, Mamba-1, Mamba-2, the gated delta
rule, Based, Hedgehog and the short convolution with their gradients, Kimi delta attention, and steps of one token.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/sequence.py [--seconds 1] [--families based mamba2] [--shapes 0 1]

Next to them in the same run are the kernels of flash-linear-attention, mamba_ssm and causal-conv1d, where they can be imported; else the times that
these had on an H100 in another run (fla 0.6.0) are in brackets. `bytes` is the time that reading the inputs and writing the outputs
once takes at 3.0 TB/s. Calls are replayed as CUDA graphs; a time is the median of single calls in turn with their peers, and of bursts.
Errors are relative ones against the same recurrences in float64, of all tokens of the first and the last head of the first sequence.
The script ends with 1 where one is over 1e-2. --device cpu checks one small shape by the emulator and times nothing.
"""
import argparse
import sys

import torch
import torch.nn.functional as F

import tk
from tk import sequence as tk_sequence
from delta_families import GatedDelta, GatedDeltaGradients, KimiDelta, KimiDeltaGradients, Rwkv7, Rwkv7Gradients, rwkv7_tensors
from families import Backward, Family, Step, imported, normal
from feature_families import Based, BasedGradients, BasedStep, Hedgehog, HedgehogGradients, HedgehogStep
from recurrences import decayed, delta, error, gated, kimi, taken
from scan_families import SelectiveScan, SelectiveScanGradients
from timing import measure, recorded

SHAPES = [(8, 4096, 16), (8, 8192, 16), (1, 65536, 16)]  # batch, tokens, heads
RATE = 3.0e12  # bytes a second
# ms on an H100 in another run, by family, (batch, tokens) and width of heads.
ELSEWHERE = {("linear", 8, 4096, 64): 0.102, ("linear", 8, 4096, 128): 0.477, ("linear", 1, 65536, 128): 1.97,
             ("retention", 8, 4096, 64): 0.212, ("retention", 8, 4096, 128): 0.498, ("gradients", 8, 4096, 128): 2.2,
             ("gated", 8, 4096, 128): 1.583, ("based", 8, 4096, 64): 1.176, ("based", 8, 4096, 128): 1.952, ("mamba2", 8, 4096, 128): 0.673,
             ("gated_delta", 8, 4096, 64): 0.668, ("gated_delta", 8, 4096, 128): 1.215, ("gated_delta", 1, 65536, 128): 3.40,
             ("delta_gradients", 8, 4096, 128): 4.29, ("kimi_delta", 8, 4096, 128): 2.43, ("kimi_delta", 1, 65536, 128): 5.9, ("rwkv7", 8, 4096, 128): 4.45,
             ("conv", 8, 4096, 128): 0.234, ("conv_gradients", 8, 4096, 128): 1.61}


# ---- families ------------------------------------------------------------------------------------


class Linear(Family):
    decay = 0.0

    def make(self):
        d, heads = self.width, self.shape[2]
        self.q, self.k, self.v = self.random(d), self.random(d, seed=1) * d**-0.5, self.random(d, seed=2)
        self.g = torch.zeros(heads, device=self.device) if not self.decay else torch.log1p(-2.0**(-5 - torch.arange(heads, device=self.device) % 8))
        self.before, self.scale = self.state(d, d), d**-0.5
        self.bytes = 2 * 4 * self.q.numel() + 4 * 2 * self.before.numel()

    def results(self):
        return tk.torch.linear_attention(self.q, self.k, self.v, self.g, self.scale, self.before, True)

    def calls(self):
        found = {"ours": self.results}
        peer = self.peer(self.q, self.k, self.v)
        return found if peer is None else dict(found, fla=peer)

    def peer(self, *tensors):
        call = imported("fla.ops.simple_gla", "chunk_simple_gla") if self.decay else imported("fla.ops.linear_attn", "chunk_linear_attn")
        words = dict(scale=self.scale, initial_state=self.before, output_final_state=True)
        words.update(dict(g_gamma=self.g) if self.decay else dict(normalize=False))
        return None if call is None else lambda: call(*tensors, **words)

    def exact(self, h, *tensors):
        q, k, v = (x[0, :, h].double() for x in tensors)
        return decayed(q * self.scale, k, v, self.g[h].double().expand(len(q)), self.before[0, h].double())

    def errors(self, made):
        o, state = made

        def of(h):
            want = self.exact(h, self.q, self.k, self.v)
            return {"o": error(o[0, :, h], want[0]), "state": error(state[0, h], want[1])}
        return self.per_head(of)


class Retention(Linear):
    decay = 1.0


class Gradients(Retention):
    """Forward and backward of retention."""

    def make(self):
        super().make()
        self.do, self.behind = self.random(self.width, seed=3), self.state(self.width, self.width, seed=4)
        self.bytes += 2 * 7 * self.q.numel() + 4 * 3 * self.before.numel()

    def gradients(self):
        return torch.ops.tk.linear_attention_backward(self.q, self.k, self.v, self.g, self.before, None, self.do, self.behind, self.scale)

    def calls(self):
        def ours():
            self.results()
            return self.gradients()

        leaves = [x.detach().clone().requires_grad_() for x in (self.q, self.k, self.v)]
        peer = self.peer(*leaves)

        def theirs():
            return torch.autograd.grad(peer(), leaves, (self.do, self.behind))
        return {"ours": ours} if peer is None else {"ours": ours, "fla": theirs}

    def errors(self, made):
        def of(h):
            leaves = [x[0, :, h].detach().double().requires_grad_() for x in (self.q, self.k, self.v)] + [
                self.before[0, h].double().requires_grad_()]
            results = decayed(leaves[0] * self.scale, *leaves[1:3], self.g[h].double().expand(len(leaves[0])), leaves[3])
            want = torch.autograd.grad(results, leaves, (self.do[0, :, h].double(), self.behind[0, h].double()))
            got = [x[0, :, h] for x in made[:3]] + [x[0, h] for x in made[3:]]
            return {name: error(a, b) for name, a, b in zip(("dq", "dk", "dv", "ds"), got, want)}
        return self.per_head(of)


class Gated(Family):
    """A decay for each channel, in bf16, as the layers of GLA make it."""

    def make(self):
        d = self.width
        self.q, self.k, self.v = self.random(d), self.random(d, seed=1) * d**-0.5, self.random(d, seed=2)
        self.g = (F.logsigmoid(self.random(d, seed=3).float()) / self.gates).bfloat16()
        self.before, self.scale = self.state(d, d), d**-0.5
        self.bytes = 2 * 5 * self.q.numel() + 4 * 2 * self.before.numel()

    def results(self):
        return tk.torch.gated_linear_attention(self.q, self.k, self.v, self.g, self.scale, self.before, True)

    def calls(self):
        found = {"ours": self.results}
        peer = imported("fla.ops.gla", "chunk_gla")
        if peer is not None:
            found["fla"] = lambda: peer(self.q, self.k, self.v, self.g, scale=self.scale, initial_state=self.before,
                                        output_final_state=True)
        return found

    def errors(self, made):
        o, state = made

        def of(h):
            q, k, v, g = (x[0, :, h].double() for x in (self.q, self.k, self.v, self.g))
            want = gated(q * self.scale, k, v, g, self.before[0, h].double())
            return {"o": error(o[0, :, h], want[0]), "state": error(state[0, h], want[1])}
        return self.per_head(of)


class GatedGradients(Backward, Gated):
    exact = staticmethod(gated)

    def tensors(self):
        return self.q, self.k, self.v, self.g, self.before

    def functions(self):
        return tk.torch.gated_linear_attention, imported("fla.ops.gla", "chunk_gla")


class Mamba2(Family):
    """Twice as many heads of 64 as the others have; `width` is that of the state."""

    def make(self):
        batch, tokens, heads = self.shape = self.shape[0], self.shape[1], 2 * self.shape[2]
        self.ends = [0, heads - 1]
        self.x, self.dt = self.random(64), self.random(seed=1)
        self.a = -torch.arange(1, heads + 1, device=self.device).float() / heads * 8
        self.b, self.c = self.random(1, self.width, seed=2, heads=False) * 0.3, self.random(1, self.width, seed=3, heads=False)
        self.d, self.bias = torch.ones(heads, device=self.device), torch.full((heads,), -4.0, device=self.device)
        self.bytes = 2 * (2 * self.x.numel() + self.dt.numel() + 2 * self.b.numel()) + 4 * batch * heads * 64 * self.width

    def results(self):
        return tk.torch.mamba2(self.x, self.dt, self.a, self.b, self.c, D=self.d, dt_bias=self.bias, dt_softplus=True,
                               return_final_states=True)

    def calls(self):
        found = {"ours": self.results}
        peer = imported("mamba_ssm.ops.triton.ssd_combined", "mamba_chunk_scan_combined")
        if peer is not None:
            found["mamba_ssm"] = lambda: peer(self.x, self.dt, self.a, self.b, self.c, chunk_size=256, D=self.d, dt_bias=self.bias,
                                              dt_softplus=True, return_final_states=True)
        return found

    def errors(self, made):
        y, state = made

        def of(h):
            dt = F.softplus(self.dt[0, :, h].double() + self.bias[h].double())
            x = self.x[0, :, h].double()
            want = decayed(self.c[0, :, 0].double(), self.b[0, :, 0].double(), dt[:, None] * x, dt * self.a[h].double(),
                           x.new_zeros(self.width, 64))
            return {"y": error(y[0, :, h], want[0] + x), "state": error(state[0, h], want[1].T)}
        return self.per_head(of)


class Mamba2Gradients(Mamba2):
    """Forward and backward."""

    def make(self):
        super().make()
        self.dy = self.random(64, seed=4)
        self.bytes += 2 * (3 * self.x.numel() + 2 * self.dt.numel() + 4 * self.b.numel())
        self.leaves = [t.detach().requires_grad_() for t in (self.x, self.dt, self.a, self.b, self.c, self.d, self.bias)]
        self.x, self.dt, self.a, self.b, self.c, self.d, self.bias = self.leaves

    def calls(self):
        def both(call):
            return lambda: torch.autograd.grad(call()[0], self.leaves, self.dy)
        return {name: both(call) for name, call in super().calls().items()}

    def errors(self, made):
        heads, width = self.shape[2], self.width
        exact = [t[:1].detach().double() for t in (self.x, self.dt, self.b, self.c)]
        of_heads = [t.detach().double() for t in (self.a, self.d, self.bias)]
        x, dt, b, c = [t.requires_grad_() for t in exact]
        a, d, bias = [t.requires_grad_() for t in of_heads]
        want = [torch.zeros_like(t) for t in (x, dt, b, c)]
        for h in range(heads):  # B and C are the sums of all heads
            step = F.softplus(dt[0, :, h] + bias[h])
            y, _ = decayed(c[0, :, 0], b[0, :, 0], step[:, None] * x[0, :, h], step * a[h], x.new_zeros(width, 64))
            found = torch.autograd.grad(y + d[h] * x[0, :, h], (x, dt, b, c), self.dy[0, :, h].double())
            for total, part in zip(want, found):
                total += part
        named = zip(("dx", "ddt", "db", "dc"), (made[0], made[1], made[3], made[4]), want)
        return {name: error(got[:1], right) for name, got, right in named}


class LinearStep(Step):
    theirs = "fla"

    def inputs(self):
        super().inputs()
        self.decay = torch.log1p(-2.0**(-5 - torch.arange(self.shape[2], device=self.device) % 8))

    def step(self, state):
        return tk.torch.linear_attention_update(self.q, self.k, self.v, state, self.decay, None, self.scale)

    def peer(self, state):
        call = imported("fla.ops.simple_gla", "fused_recurrent_simple_gla")
        words = dict(g_gamma=self.decay, scale=self.scale, initial_state=state, output_final_state=True)
        return None if call is None else lambda: call(self.q, self.k, self.v, **words)

    def exact(self, h):
        q, k, v = (x[0, :, h].double() for x in (self.q, self.k, self.v))
        return decayed(q * self.scale, k, v, self.decay[h].double().expand(1), self.before[0, h].double())


class DeltaStep(Step):
    theirs = "fla"

    def step(self, state):
        return tk.torch.gated_delta_update(self.q, self.k, self.v, self.g, self.beta, state, self.scale)

    def peer(self, state):
        call = imported("fla.ops.gated_delta_rule", "fused_recurrent_gated_delta_rule")
        words = dict(g=self.g, beta=self.beta, scale=self.scale, initial_state=state, output_final_state=True)
        return None if call is None else lambda: call(self.q, self.k, self.v, **words)

    def exact(self, h):
        q, k, v, g, beta = (x[0, :, h].double() for x in (self.q, self.k, self.v, self.g, self.beta))
        return delta(q * self.scale, k, v, g, beta, self.before[0, h].double())


class KimiStep(DeltaStep):
    def inputs(self):
        super().inputs()
        self.g = F.logsigmoid(self.random(self.width, seed=3, kind=torch.float32)) / self.gates

    def step(self, state):
        return tk.torch.kimi_delta_update(self.q, self.k, self.v, self.g, self.beta, state, self.scale)

    def peer(self, state):
        call = imported("fla.ops.kda", "fused_recurrent_kda")
        words = dict(scale=self.scale, initial_state=state, output_final_state=True)
        return None if call is None else lambda: call(self.q, self.k, self.v, self.g, self.beta, **words)

    def exact(self, h):
        q, k, v, g, beta = (x[0, :, h].double() for x in (self.q, self.k, self.v, self.g, self.beta))
        return kimi(q * self.scale, k, v, g, beta, self.before[0, h].double())


class Rwkv7Step(Step):
    theirs = "fla"

    def inputs(self):
        self.given, self.before = rwkv7_tensors(self), self.state(self.width, self.width)

    def step(self, state):
        return tk.torch.rwkv7_update(*self.given, state)

    def peer(self, state):
        call = imported("fla.ops.rwkv7", "fused_recurrent_rwkv7")
        words = dict(scale=1.0, initial_state=state, output_final_state=True)
        return None if call is None else lambda: call(*self.given, **words)

    def exact(self, h):
        return taken(*(x[0, :, h].double() for x in self.given), self.before[0, h].double())


class Mamba2Step(Step):
    """Twice as many heads of 64 as the others have; `width` is that of the state."""
    theirs = "mamba_ssm"

    def inputs(self):
        sequences, _, heads = self.shape = self.shape[0], 1, 2 * self.shape[2]
        self.ends = [0, heads - 1]
        self.x, self.dt = self.random(64)[:, 0], self.random(seed=1)[:, 0]
        self.a = -torch.arange(1, heads + 1, device=self.device).float() / heads * 8
        self.b, self.c = (normal(sequences, 1, self.width, device=self.device, seed=i) for i in (2, 3))
        self.d, self.bias = torch.ones(heads, device=self.device), torch.full((heads,), -4.0, device=self.device)
        self.before = self.state(64, self.width)

    def step(self, state):
        return tk.torch.selective_state_update(state, self.x, self.dt, self.a, self.b, self.c, self.d, None, self.bias, True)

    def peer(self, state):
        call = imported("mamba_ssm.ops.triton.selective_state_update", "selective_state_update")
        if call is None:
            return None
        heads = self.shape[2]
        a, dt = self.a[:, None, None].expand(heads, 64, self.width), self.dt[..., None].expand(-1, -1, 64)
        d, bias = (t[:, None].expand(heads, 64) for t in (self.d, self.bias))
        return lambda: (call(state, self.x, dt, a, self.b, self.c, d, dt_bias=bias, dt_softplus=True), state)

    def exact(self, h):
        dt = F.softplus(self.dt[0, h].double() + self.bias[h].double())
        x = self.x[0, h].double()
        state = (dt * self.a[h]).exp() * self.before[0, h].double() + dt * x[:, None] * self.b[0, 0].double()
        return (state @ self.c[0, 0].double() + x)[None], state


class SelectiveScanStep(Step):
    """Of 2 * heads * width channels with 16 states."""
    theirs = "mamba_ssm"

    def inputs(self):
        sequences, _, heads = self.shape
        channels = 2 * heads * self.width
        self.shape, self.ends = (sequences, 1, channels), [0, channels - 1]
        self.x, self.dt = (normal(sequences, channels, device=self.device, seed=i) for i in (1, 2))
        self.b, self.c = (normal(sequences, 16, device=self.device, seed=i) for i in (3, 4))
        self.a = -torch.arange(1, 17, device=self.device).float().repeat(channels, 1)
        self.d, self.bias = torch.ones(channels, device=self.device), torch.full((channels,), -4.0, device=self.device)
        self.before = normal(sequences, channels, 16, device=self.device, kind=torch.float32, seed=9)

    def step(self, state):
        return tk.torch.selective_state_update(state, self.x, self.dt, self.a, self.b, self.c, self.d, None, self.bias, True)

    def peer(self, state):
        call = imported("mamba_ssm.ops.triton.selective_state_update", "selective_state_update")
        words = dict(dt_bias=self.bias, dt_softplus=True)
        return None if call is None else lambda: (call(state, self.x, self.dt, self.a, self.b, self.c, self.d, **words), state)

    def errors(self, made):
        y, state = made
        x, dt, a, b, c = (t.double() for t in (self.x[0, self.ends], self.dt[0, self.ends], self.a[self.ends], self.b[0], self.c[0]))
        dt = F.softplus(dt + self.bias[self.ends].double())
        want = torch.exp(dt[:, None] * a) * self.before[0, self.ends].double() + (dt * x)[:, None] * b
        return {"y": error(y[0, self.ends], want @ c + x), "state": error(state[0, self.ends], want)}


class Convolution(Family):
    """Of width 4 with silu, of 2 * heads * width channels, which lie side by side."""

    def make(self):
        batch, tokens, heads = self.shape
        channels = 2 * heads * self.width
        self.shape, self.ends = (batch, tokens, channels), [0, channels - 1]
        self.x = self.random().transpose(1, 2)
        self.weight, self.bias = (normal(*shape, device=self.device, seed=i) for i, shape in enumerate(((channels, 4), (channels,)), 1))
        self.bytes = 2 * 2 * self.x.numel()

    def calls(self):
        found = {"ours": lambda: tk.torch.causal_conv1d(self.x, self.weight, self.bias, activation="silu")}
        ready = imported("causal_conv1d", "causal_conv1d_fn")
        if ready is not None:
            found["causal_conv1d"] = lambda: ready(self.x, self.weight, self.bias, activation="silu")
        peer = imported("fla.modules.convolution", "causal_conv1d") or imported("fla.modules.conv", "causal_conv1d")
        if peer is not None:
            found["fla"] = lambda: peer(self.x.transpose(1, 2), self.weight, self.bias, activation="silu")[0].transpose(1, 2)
        return found

    def exact(self, x, weight, bias):
        return F.silu(F.conv1d(F.pad(x, (3, 0)), weight[:, None], bias, groups=x.shape[1]))

    def of_ends(self):
        return [x.double() for x in (self.x[:, self.ends], self.weight[self.ends], self.bias[self.ends])]

    def errors(self, made):
        return {"y": error(made[:, self.ends], self.exact(*self.of_ends()))}


class ConvolutionGradients(Convolution):
    """Forward and backward."""

    def make(self):
        super().make()
        self.dy = self.random(seed=3).transpose(1, 2)
        self.bytes += 2 * 3 * self.x.numel()

    def calls(self):
        leaves = self.x, self.weight, self.bias = [x.detach().requires_grad_() for x in (self.x, self.weight, self.bias)]

        def both(call):
            return lambda: torch.autograd.grad(call(), leaves, self.dy)
        return {name: both(call) for name, call in super(ConvolutionGradients, self).calls().items()}

    def errors(self, made):
        exact = [x.detach().requires_grad_() for x in self.of_ends()]
        want = torch.autograd.grad(self.exact(*exact), exact, self.dy[:, self.ends].double())
        got = [x[:, self.ends] if x.dim() == 3 else x[self.ends] for x in made]
        return {name: error(a, b) for name, a, b in zip(("dx", "dweight", "dbias"), got, want)}


FAMILIES = {"linear": Linear, "retention": Retention, "gradients": Gradients, "gated": Gated,
            "gated_gradients": GatedGradients, "based": Based, "based_gradients": BasedGradients, "hedgehog": Hedgehog,
            "hedgehog_gradients": HedgehogGradients, "mamba2": Mamba2,
            "mamba2_gradients": Mamba2Gradients, "selective_scan": SelectiveScan,
            "selective_scan_gradients": SelectiveScanGradients, "gated_delta": GatedDelta,
            "delta_gradients": GatedDeltaGradients, "kimi_delta": KimiDelta,
            "kimi_delta_gradients": KimiDeltaGradients, "rwkv7": Rwkv7, "rwkv7_gradients": Rwkv7Gradients,
            "linear_step": LinearStep, "delta_step": DeltaStep, "kimi_step": KimiStep, "rwkv7_step": Rwkv7Step,
            "mamba2_step": Mamba2Step, "selective_scan_step": SelectiveScanStep, "based_step": BasedStep,
            "hedgehog_step": HedgehogStep, "conv": Convolution,
            "conv_gradients": ConvolutionGradients}


def errors(family, calls):
    """By contender, those of its first call."""
    found = {}
    for name, call in calls.items():
        try:
            found[name] = family.errors(call())
        except Exception as e:
            if name == "ours":
                raise
            print(f"  {name} does not run: {type(e).__name__}: {str(e)[:200]}")
    return found


def times(family, given, seconds):
    """ms by contender: single calls in turn, and bursts."""
    flops = family.bytes / RATE * 600e12  # what `measure` takes for as much work
    calls = {}
    for name, call in given.items():
        try:
            for _ in range(3):
                call()  # Triton tunes itself
            torch.cuda.synchronize()
            calls[name] = recorded(call, 1)
        except Exception as e:
            if name == "ours":
                raise
            print(f"  {name} cannot be timed: {type(e).__name__}: {str(e)[:200]}")
    rates = measure(calls, flops, seconds)
    return {name: [flops / (rates[name, way][0] * 1e12) * 1e3 for way in ("turn", "burst")] for name in calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--shapes", nargs="+", type=int, default=range(len(SHAPES)), help="which of SHAPES")
    parser.add_argument("--widths", nargs="+", type=int, choices=(64, 128), default=(64, 128))
    parser.add_argument("--gates", type=float, default=Family.gates, help="16: decays near 1; 0.25: chunks forget their first tokens")
    parser.add_argument("--times", action="store_true", help="no errors: of 65536 tokens they take minutes, or too much memory")
    parser.add_argument("--shortest", type=int, default=tk_sequence._SHORTEST, help="tokens of the shortest segment")
    args = parser.parse_args()
    Family.gates = args.gates
    tk_sequence._SHORTEST = args.shortest
    shapes = [SHAPES[i] for i in args.shapes] if args.device == "cuda" else [(1, 150, 2)]
    if args.device == "cuda":
        print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    print(f"{'family':16} {'B, tokens, heads':>18} {'width':>5}  {'bytes':>6}  ms in turn, in bursts; errors")
    wrong = False
    for name in args.families:
        for shape in shapes:
            for width in args.widths:
                family = FAMILIES[name](*shape, width, args.device)
                calls = family.calls()
                found = {} if args.times else errors(family, calls)
                wrong = wrong or not all(e < 1e-2 for e in found.get("ours", {}).values())
                text = []
                if args.device == "cuda":
                    text = [f"{who} {turn:.3f}, {burst:.3f}" for who, (turn, burst) in times(family, calls, args.seconds).items()]
                    there = ELSEWHERE.get((name, *shape[:2], width))
                    if len(text) == 1 and there is not None:
                        text.append(f"[{there:.3f} elsewhere]")
                text += [("errors of " if who == "ours" else f"{who}'s ") + ", ".join(f"{k} {e:.1e}" for k, e in of.items())
                         for who, of in found.items()]
                print(f"{name:16} {str(tuple(family.shape)):>18} {width:5}  {family.bytes / RATE * 1e3:6.3f}  " + "; ".join(text), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
