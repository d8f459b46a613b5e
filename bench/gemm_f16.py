#!/usr/bin/env python3
"""Products of f16 with sums in f16 (examples/gemm/gemm_f16.tk), next to PyTorch's with sums in f16 and in f32.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/gemm_f16.py [--seconds 2] [--shapes 4096x4096x4096]

Calls are in CUDA graphs; "turn" and "burst" as in timing.py. Errors are of 64 rows against float64, as a relative norm.
"""
import argparse

import torch

import tk
from timing import measure, recorded

SHAPES = ["1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "8192x4096x14336"]  # M x N x K
CALLS = 4  # in a graph


def contenders(a, b, names):
    """By name, a graph and the tensor that it writes."""
    made = {}
    module = tk.load(tk.example("gemm_f16.tk"))
    for name in names:
        c = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=torch.float16)
        made[name] = recorded(lambda function=getattr(module, name), c=c: function(a, b, C=c), CALLS), c
    for name, in_f16 in (("PyTorch, f16", True), ("PyTorch, f32", False)):
        c = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=torch.float16)
        torch.backends.cuda.matmul.allow_fp16_accumulation = in_f16
        torch.matmul(a, b, out=c)  # outside of the capture
        made[name] = recorded(lambda c=c: torch.matmul(a, b, out=c), CALLS), c
        torch.backends.cuda.matmul.allow_fp16_accumulation = False
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--shapes", nargs="+", default=SHAPES, help="MxNxK")
    parser.add_argument("--instances", nargs="*", default=[], help="also these: gemm_f16_low, ..")
    args = parser.parse_args()
    torch.manual_seed(1)
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    for text in args.shapes:
        m, n, k = map(int, text.split("x"))
        a, b = (torch.randn(rows, cols, device="cuda").half() for rows, cols in ((m, k), (k, n)))
        rows = torch.randint(0, m, (64,), device="cuda")
        want = a[rows].double() @ b.double()
        made = contenders(a, b, ["gemm_f16", *args.instances])
        rates = measure({name: graph for name, (graph, _) in made.items()}, CALLS * 2.0 * m * n * k, args.seconds)
        print(f"{text}:")
        for name, (_, c) in made.items():
            error = ((c[rows].double() - want).norm() / want.norm()).item()
            print(f"  {name:18} {rates[name, 'turn'][0]:6.0f} in turn {rates[name, 'burst'][0]:6.0f} in burst, error {error:.1e}")


if __name__ == "__main__":
    main()
