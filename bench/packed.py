#!/usr/bin/env python3
"""Times packed sequences (cu_seqlens) beside a batch of as many tokens, and beside the same tokens in sequences of uneven lengths: linear
attention, the gated delta rule, Mamba-2 and the short convolution.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/packed.py [--seconds 1] [--families linear conv]

`batch` is [8, 4096, ..] without offsets, `equal` the same sequences packed, `uneven` 8 others that are as long together. Each is a forward
pass; calls are replayed as CUDA graphs. Errors are relative ones of `equal` against `batch`; the script ends with 1 where one is over 1e-2.
--device cpu checks a small shape by the emulator and times nothing.
"""
import argparse
import sys

import torch
import torch.nn.functional as F

import tk
from families import normal
from recurrences import error
from timing import measure, recorded

HEADS, WIDTH = 16, 128
WORK = 1e12  # what `measure` takes for the work of a call


def linear(heads, q, k, v, start):
    decay = torch.log1p(-2.0**(-5 - torch.arange(heads, device=q.device) % 8))
    return lambda: tk.torch.linear_attention(q, k, v, decay, None, None, False, start)[0]


def delta(heads, q, k, v, start):
    g = -F.softplus(q[..., 0].float())
    beta = torch.sigmoid(v[..., 0].float())
    keys = F.normalize(k.float(), dim=3).to(k.dtype)
    return lambda: tk.torch.gated_delta_rule(q, keys, v, g, beta, None, None, False, start)[0]


def scan(heads, q, k, v, start):
    a = torch.linspace(-1, -0.1, heads, device=q.device)
    dt, b, c = F.softplus(q[..., 0]), k[:, :, :1] * 0.1, q[:, :, :1]
    return lambda: tk.torch.mamba2(v, dt, a, b.contiguous(), c.contiguous(), cu_seqlens=start)


def conv(heads, q, k, v, start):
    x = q.flatten(2).transpose(1, 2)
    weight = normal(x.shape[1], 4, device=q.device, seed=5)
    return lambda: tk.torch.causal_conv1d(x, weight, activation="silu", cu_seqlens=start)


FAMILIES = {"linear": linear, "delta": delta, "mamba2": scan, "conv": conv}


def offsets(lengths, device):
    return torch.tensor([sum(lengths[:i]) for i in range(len(lengths) + 1)], dtype=torch.int32, device=device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    args = parser.parse_args()
    batch, tokens, heads = (8, 4096, HEADS) if args.device == "cuda" else (2, 70, 2)
    uneven = [tokens * batch * (2 * i + 1) // batch**2 for i in range(batch)]
    uneven[-1] += tokens * batch - sum(uneven)
    wrong = False
    for name in args.families:
        q, k, v = (normal(batch, tokens, heads, WIDTH, device=args.device, seed=i) for i in range(3))
        packed = [x.flatten(0, 1)[None] for x in (q, k, v)]
        calls = {"batch": FAMILIES[name](heads, q, k, v, None),
                 "equal": FAMILIES[name](heads, *packed, offsets([tokens] * batch, args.device)),
                 "uneven": FAMILIES[name](heads, *packed, offsets(uneven, args.device))}
        want, got = calls["batch"](), calls["equal"]()
        want = want.transpose(0, 1).flatten(1, 2)[None] if name == "conv" else want.flatten(0, 1)[None]
        off = error(got, want.double())
        wrong = wrong or not off < 1e-2
        text = ""
        if args.device == "cuda":
            rates = measure({who: recorded(call, 1) for who, call in calls.items()}, WORK, args.seconds)
            text = "; ".join(f"{who} " + ", ".join(f"{WORK / (rates[who, way][0] * 1e12) * 1e3:.3f}" for way in ("turn", "burst")) for who in calls)
        print(f"{name:8} {text} error {off:.1e}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
