#!/usr/bin/env python3
"""Checks and times tk.torch.fft_conv, long convolutions by Fourier transforms, next to torch.fft.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/fft_conv.py [--families causal gradients] [--tokens 1024 4096]

`ours` transforms the filter in every call, as torch.fft does; `spectrum` is given its transform. torch.fft computes in
float16, and in float32. FlashFFTConv is next to them where it can be imported. `bytes` is the time that reading the
inputs and writing the outputs once takes at 3.0 TB/s. A time is the median of single calls, replayed as CUDA graphs in
turn with their peers, and of bursts. Errors are relative ones against float64, of the first sequence. The script ends
with 1 where one is over 5e-3, or over 1e-3 and over that of torch.fft in float16. --device cpu checks a small shape by
the emulator and times nothing.
"""
import argparse
import sys

import torch

import tk
from recurrences import error
from sequence import RATE, imported, normal, times

BATCH, HEADS = 16, 768  # fewer heads of more than 4096 tokens
TOKENS = (256, 1024, 4096, 8192, 16384, 32768)


def convolved(u, filters, gate_in=None, gate_out=None, causal=True):
    u = u if gate_in is None else gate_in * u
    size = 2 * u.shape[-1] if causal else u.shape[-1]
    y = torch.fft.irfft(torch.fft.rfft(u, size) * torch.fft.rfft(filters, size), size)[..., :u.shape[-1]]
    return y if gate_out is None else gate_out * y


class Causal:
    causal, gated, kind = True, False, torch.float16

    def __init__(self, batch, heads, tokens, device):
        def random(*shape, seed):
            return normal(*shape, device=device, kind=self.kind, seed=seed)

        self.u = random(batch, heads, tokens, seed=0)
        # Of the length 1, so that sums stay in the range of float16 there.
        self.filters = (normal(heads, tokens, device=device, kind=torch.float32, seed=1) * tokens**-0.5)
        self.gates = [random(batch, heads, tokens, seed=i) for i in (2, 3)] if self.gated else [None, None]
        self.dy = random(batch, heads, tokens, seed=4)
        self.bytes = 2 * self.u.numel() * (4 if self.gated else 2)
        self.make()

    def make(self):
        self.spectrum = tk.torch.fft_conv_spectrum(self.filters, self.u.shape[-1], self.causal)

    def ours(self):
        return tk.torch.fft_conv(self.u, self.filters, *self.gates, causal=self.causal)

    def given(self):
        return tk.torch.fft_conv(self.u, self.spectrum, *self.gates, causal=self.causal)

    def in_kind(self, kind):
        gates = [None if g is None else g.to(kind) for g in self.gates]
        u, filters = self.u.to(kind), self.filters.to(kind)
        return lambda: convolved(u, filters, *gates, self.causal)

    def flash(self):
        make = imported("flashfftconv", "FlashFFTConv")
        tokens = self.u.shape[-1]
        if make is None:
            return None
        call = make(2 * tokens if self.causal else tokens, dtype=self.kind).to(self.u.device)
        return lambda: call(self.u, self.filters, *(g for g in self.gates if g is not None))

    def calls(self):
        found = {"ours": self.ours, "spectrum": self.given, "torch f16": self.in_kind(torch.float16), "torch f32": self.in_kind(torch.float32)}
        flash = self.flash()
        return found if flash is None else dict(found, FlashFFTConv=flash)

    def errors(self):
        want = convolved(self.u[:1].double(), self.filters.double(), *(None if g is None else g[:1].double() for g in self.gates), self.causal)
        found = {"y": error(self.ours()[:1], want), "y of spectrum": error(self.given()[:1], want)}
        if self.u.is_cuda:
            found["y of torch f16"] = error(self.in_kind(torch.float16)()[:1], want)
        return found


class Round(Causal):
    causal = False


class Gated(Causal):
    gated, kind = True, torch.bfloat16


class Gradients(Causal):
    """Forward and backward."""

    def make(self):
        self.bytes += 2 * self.u.numel() * (7 if self.gated else 3)

    def both(self, call, kind):
        """filters stay float32 where the call takes them so."""
        given = [self.u.to(kind), self.filters if call is tk.torch.fft_conv else self.filters.to(kind)]
        leaves = [x.detach().requires_grad_() for x in given + [g.to(kind) for g in self.gates if g is not None]]
        dy = self.dy.to(kind)
        return lambda: torch.autograd.grad(call(*leaves, causal=self.causal), leaves, dy)

    def calls(self):
        return {"ours": self.both(tk.torch.fft_conv, self.kind), "torch f16": self.both(convolved, torch.float16),
                "torch f32": self.both(convolved, torch.float32)}

    def errors(self):
        """Of the first heads: all sequences count for the filter."""
        few = [x[..., :8, :].double().requires_grad_() for x in (self.u, self.filters, *self.gates) if x is not None]
        want = torch.autograd.grad(convolved(*few, causal=self.causal), few, self.dy[:, :8].double())
        calls = self.calls()
        found = {}
        for name, call in (("", calls["ours"]), (" of torch f16", calls["torch f16"]))[:2 if self.u.is_cuda else 1]:
            for of, got, right in zip(("du", "dfilter", "din", "dout"), call(), want):
                found[of + name] = error(got[..., :8, :], right)
        return found


class GatedGradients(Gradients):
    gated, kind = True, torch.bfloat16


FAMILIES = {"causal": Causal, "round": Round, "gated": Gated, "gradients": Gradients, "gated_gradients": GatedGradients}


def is_wrong(family, errors):
    """torch.fft in float16 may overflow: then its error is not a number, and no measure."""
    for name, e in errors.items():
        peer = errors.get(name.split(" ")[0] + " of torch f16", 0)
        if "torch" not in name and (not e < 5e-3 or family.kind == torch.float16 and peer > 0 and e > max(1e-3, peer)):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--tokens", nargs="+", type=int, default=TOKENS)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--heads", type=int, default=HEADS)
    args = parser.parse_args()
    on_gpu = args.device == "cuda"
    if on_gpu:
        print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    print(f"{'family':15} {'B, heads, tokens':>18}  {'bytes':>6}  ms in turn, in bursts; errors")
    wrong = False
    for name in args.families:
        for tokens in args.tokens if on_gpu else (256,):
            shape = (args.batch, args.heads * 4096 // max(4096, tokens), tokens) if on_gpu else (2, 3, tokens)
            family = FAMILIES[name](*shape, args.device)
            errors = family.errors()
            wrong = wrong or is_wrong(family, errors)
            text = [f"{who} {turn:.3f}, {burst:.3f}" for who, (turn, burst) in times(family, args.seconds).items()] if on_gpu else []
            text.append("errors of " + ", ".join(f"{k} {e:.1e}" for k, e in errors.items()))
            print(f"{name:15} {str(shape):>18}  {family.bytes / RATE * 1e3:6.3f}  " + "; ".join(text), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
