#!/usr/bin/env python3
"""Checks and times examples/attention/attention_sparse_tokens.tk: latent attention of each token to a list of keys.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/attention_sparse_tokens.py [--seconds 2] [--tokens 1 16 128 4096] [--lists random sorted near]

512 + 64 cells, 128 heads and 2,048 keys a token, of a cache of 65,536. Lists are random places, in any order or sorted, or places near
each other: runs of 64 keys, which is what one page would be. Next to it, where it fits into memory, PyTorch: rows gathered by
`index_select`, and products in bf16. TFLOP/s count the products with all keys of the lists. Errors are relative ones against float64,
of the first and the last token. The script ends with 1 where one is over 8e-3. --device cpu checks a small shape by the emulator.
"""
import argparse
import math
import os
import sys

import torch

import tk
from timing import measure

HERE = os.path.dirname(os.path.abspath(__file__))
DV, DR = 512, 64


def listed(tokens, cache, top, kind, device):
    generator = torch.Generator(device).manual_seed(3)
    if kind == "near":
        first = torch.randint(0, max(cache // 64, 1), (tokens, math.ceil(top / 64)), device=device, generator=generator)
        return ((first * 64)[..., None] + torch.arange(64, device=device)).flatten(1)[:, :top].contiguous().int()
    places = torch.rand((tokens, cache), device=device, generator=generator).topk(top, 1).indices if tokens * cache <= 1 << 28 \
        else torch.randint(0, cache, (tokens, top), device=device, generator=generator)
    return (places.sort(1).values if kind == "sorted" else places).int()


def exact(qn, qr, c, kr, places, scale):
    """One token in float64."""
    there = places[(places >= 0) & (places < c.shape[0])].long()
    k, r = c[there].double(), kr[there].double()
    s = (qn.double() @ k.T + qr.double() @ r.T) * scale
    return torch.softmax(s, 1) @ k


def gathered(qn, qr, c, kr, places, scale):
    k, r = c[places.long()], kr[places.long()]
    s = (qn @ k.mT + qr @ r.mT).float() * scale
    return torch.softmax(s, 2).to(qn.dtype) @ k


def run(m, tokens, kind, args):
    device, heads, top, cache = args.device, args.heads, args.top, args.cache
    qn, qr = (torch.randn(tokens, heads, d, device=device, dtype=torch.bfloat16) for d in (DV, DR))
    c, kr = (torch.randn(cache, d, device=device, dtype=torch.bfloat16) for d in (DV, DR))
    places = listed(tokens, cache, top, kind, device)
    places[0, top // 2] = -1
    scale = (DV + DR)**-0.5
    programs = tokens * math.ceil(heads / 64)
    splits = max(1, min(132 // programs, math.ceil(top / 128)))

    o, lse = torch.empty_like(qn), torch.empty((tokens, heads), device=device)
    part, log = (torch.empty((splits, *x.shape), device=device) for x in (o, lse))

    def ours():
        if splits == 1:
            m.attention_sparse_tokens_whole(qn, qr, c, kr, places, scale, O=o[None], LSE=lse[None])
        else:
            m.attention_sparse_tokens(qn, qr, c, kr, places, splits, scale, O=o, LSE=lse, Part=part, Log=log)

    ours()
    worst = 0.0
    for t in {0, tokens - 1}:
        want = exact(qn[t], qr[t], c, kr, places[t], scale)
        worst = max(worst, ((o[t].double() - want).norm() / want.norm()).item())
    good = worst <= 8e-3
    line = f"tokens {tokens:5} {kind:7} splits {splits:2} | error {worst:.1e}{'' if good else '   WRONG'}"
    if device == "cpu":
        print(line)
        return good
    calls = {"tkc": ours}
    if tokens * top * (DV + DR) * 2 <= 1 << 33:
        places = places.clamp(0)
        calls["PyTorch"] = lambda: gathered(qn, qr, c, kr, places, scale)
    flops = 2.0 * tokens * heads * top * (2 * DV + DR)
    rates = measure(calls, flops, args.seconds)
    for name in calls:
        rate = rates[name, "turn"][0]
        line += f" | {name} {flops / rate / 1e6:9.1f} us {rate:6.1f} TFLOP/s"
    bytes_moved = tokens * top * (DV + DR) * 2 * math.ceil(heads / 64)
    line += f" | {bytes_moved * rates['tkc', 'turn'][0] * 1e12 / flops / 1e9:7.0f} GB/s of rows"
    print(line, flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--tokens", type=int, nargs="+", default=[1, 16, 128, 4096])
    parser.add_argument("--lists", nargs="+", default=["random", "sorted", "near"])
    parser.add_argument("--heads", type=int, default=128)
    parser.add_argument("--top", type=int, default=2048)
    parser.add_argument("--cache", type=int, default=65536)
    args = parser.parse_args()
    if args.device == "cpu":
        args.tokens, args.heads, args.top, args.cache = [1, 2], 16, 136, 200
    m = tk.load(os.path.join(HERE, "..", "examples", "attention", "attention_sparse_tokens.tk"), device=args.device)
    good = [run(m, tokens, kind, args) for tokens in args.tokens for kind in args.lists]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
