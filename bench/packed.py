#!/usr/bin/env python3
"""Times packed sequences (cu_seqlens) next to a batch of as many tokens, and next to the same tokens in sequences of uneven lengths: linear
attention, gated linear attention, the gated delta rule, Kimi delta attention, RWKV-7, Based, Hedgehog, Mamba-2, Mamba-1 and the short
convolution.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/packed.py [--seconds 1] [--families linear conv_gradients] [--width 64]

`batch` is [8, 4096, ..] without offsets, `equal` the same sequences packed, `uneven` 8 others that are as long together. Each is a forward
pass, with the backward one in families `.._gradients`; calls are replayed as CUDA graphs. Errors are relative ones of `equal` against
`batch`; the script ends with 1 where one is over 1e-2.
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

HEADS = 16
WORK = 1e12  # what `measure` takes for the work of a call


def linear(heads, q, k, v, start):
    decay = torch.log1p(-2.0**(-5 - torch.arange(heads, device=q.device) % 8))
    return lambda *t: tk.torch.linear_attention(*t, decay, None, None, False, start)[0], (q, k, v)


def delta(heads, q, k, v, start):
    g = -F.softplus(q[..., 0].float())
    beta = torch.sigmoid(v[..., 0].float())
    keys = F.normalize(k.float(), dim=3).to(k.dtype)
    return lambda *t: tk.torch.gated_delta_rule(*t, None, None, False, start)[0], (q, keys, v, g, beta)


def gates(q):
    return -0.3 * F.softplus(q.float())


def gated(heads, q, k, v, start):
    return lambda *t: tk.torch.gated_linear_attention(*t, None, None, False, start)[0], (q, k, v, gates(q).to(q.dtype))


def kimi(heads, q, k, v, start):
    beta = torch.sigmoid(v[..., 0].float())
    keys = F.normalize(k.float(), dim=3).to(k.dtype)
    return lambda *t: tk.torch.kimi_delta_attention(*t, None, None, False, start)[0], (q, keys, v, gates(q), beta)


def rwkv(heads, q, k, v, start):
    q, k, v = (t.unflatten(3, (-1, 64)).flatten(2, 3) for t in (q, k, v))  # heads of 64, whatever the width is
    n = F.normalize(k.float(), dim=3)
    given = (q, gates(q), k * 0.1, v, (-n).to(k.dtype), (n * torch.sigmoid(v.float())).to(k.dtype))
    return lambda *t: tk.torch.rwkv7(*t, 1.0, None, False, start)[0].unflatten(2, (heads, -1)).flatten(3), given


def based(heads, q, k, v, start):
    return lambda *t: tk.torch.based(*t, cu_seqlens=start), (q[..., :16].contiguous(), k[..., :16].contiguous(), v)


def hedgehog(heads, q, k, v, start):
    maps = [normal(heads, q.shape[3], 64, device=q.device, seed=i) * q.shape[3]**-0.5 for i in (5, 6)]
    factors = [torch.linspace(0.1, most, heads, device=q.device) for most in (3, 1)]
    return lambda *t: tk.torch.hedgehog(*t, *maps, *factors, cu_seqlens=start), (q, k, v)


def scan(heads, q, k, v, start):
    a = torch.linspace(-1, -0.1, heads, device=q.device)
    dt, b, c = F.softplus(q[..., 0]), k[:, :, :1] * 0.1, q[:, :, :1]
    return lambda *t: tk.torch.mamba2(*t, cu_seqlens=start), (v, dt, a, b.contiguous(), c.contiguous())


def selective(heads, q, k, v, start):
    x, delta = (t.flatten(2).transpose(1, 2).contiguous() for t in (q, v))  # a channel's tokens side by side
    b, c = (t[:, :, 0, :16].transpose(1, 2).contiguous() for t in (k, q))
    a = -torch.arange(1, 17, device=q.device).float().repeat(x.shape[1], 1)
    bias = torch.full((x.shape[1],), -4.0, device=q.device)
    return lambda *t: tk.torch.selective_scan(*t, None, None, bias, True, False, None, start), (x, delta, a, b, c)


def conv(heads, q, k, v, start):
    x = q.flatten(2).transpose(1, 2)
    weight = normal(x.shape[1], 4, device=q.device, seed=5)
    return lambda *t: tk.torch.causal_conv1d(*t, activation="silu", cu_seqlens=start), (x, weight)


FAMILIES = {"linear": linear, "gated": gated, "delta": delta, "kimi": kimi, "rwkv7": rwkv, "based": based, "hedgehog": hedgehog, "mamba2": scan,
            "selective": selective, "conv": conv}
GRADIENTS = {f"{name}_gradients": name for name in FAMILIES}


def call_of(name, heads, tensors, do, start):
    """What gives a list of results: the outputs, or the gradients of all tensors by way of the outputs."""
    function, given = FAMILIES[GRADIENTS.get(name, name)](heads, *tensors, start)
    if name in FAMILIES:
        return lambda: [function(*given)]
    leaves = [t.detach().requires_grad_() for t in given]
    if name in ("selective_gradients", "conv_gradients"):
        do = do.flatten(2).transpose(1, 2)
    do = do.contiguous() if name == "selective_gradients" else do
    return lambda: torch.autograd.grad(function(*leaves), leaves, do)


def packed(t, like):
    """Of the results of a batch, those that have a batch and tokens, as packed ones lie."""
    if t.shape == like.shape:
        return t
    return t.flatten(0, 1)[None] if t.shape[2:] == like.shape[2:] else t.transpose(0, 1).flatten(1, 2)[None]


def offsets(lengths, device):
    return torch.tensor([sum(lengths[:i]) for i in range(len(lengths) + 1)], dtype=torch.int32, device=device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--families", nargs="+", choices=[*FAMILIES, *GRADIENTS], default=[*FAMILIES, *GRADIENTS])
    parser.add_argument("--width", type=int, default=128, help="cells of a head")
    args = parser.parse_args()
    batch, tokens, heads = (8, 4096, HEADS) if args.device == "cuda" else (2, 70, 2)
    uneven = [tokens * batch * (2 * i + 1) // batch**2 for i in range(batch)]
    uneven[-1] += tokens * batch - sum(uneven)
    wrong = False
    for name in args.families:
        *given, do = (normal(batch, tokens, heads, args.width, device=args.device, seed=i) for i in range(4))
        one = [t.flatten(0, 1)[None] for t in (*given, do)]
        calls = {"batch": call_of(name, heads, given, do, None),
                 "equal": call_of(name, heads, one[:3], one[3], offsets([tokens] * batch, args.device)),
                 "uneven": call_of(name, heads, one[:3], one[3], offsets(uneven, args.device))}
        off = max(error(got, packed(want, got).double()) for want, got in zip(calls["batch"](), calls["equal"](), strict=True))
        wrong = wrong or not off < 1e-2
        text = ""
        if args.device == "cuda":
            rates = measure({who: recorded(call, 1) for who, call in calls.items()}, WORK, args.seconds)
            text = "; ".join(f"{who} " + ", ".join(f"{WORK / (rates[who, way][0] * 1e12) * 1e3:.3f}" for way in ("turn", "burst")) for who in calls)
        print(f"{name:16} {text} error {off:.1e}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
