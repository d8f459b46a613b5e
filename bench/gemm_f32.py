#!/usr/bin/env python3
"""Products of f32 matrices: by three products of bf16 (examples/gemm/gemm_3xbf16.tk) and by tf32 (gemm_tf32.tk), next to PyTorch's
with the precisions "highest" (f32) and "high" (tf32), in one process and in turn.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/gemm_f32.py [--seconds 1] [--shapes 4096x4096x4096]

Times are of calls in a CUDA graph; scratch memory is made in it. Errors are of 64 rows against float64: the norm of the difference over
that of the product, and the largest difference over the sum of magnitudes that the number is a sum of, with that of numbers of one sign
after it. "parts" is the product of gemm_3xbf16 alone, of parts that were made before. "tf32 NT" takes B as [N, K], "tf32" turns
B first. Instances are timed by their names, too; "parts", "parts precise" and "tf32 NT" choose among theirs. "tf32 by warps" and
"tf32, not turned" are the forms of test/kernels/gemm_types.tk, by mma.sync. It ends with 1 where an error is too large.
"""
import argparse
import os
import sys

import torch

import tk
from bandwidth import seconds_of
from timing import recorded

SHAPES = ["1024x1024x1024", "4096x4096x4096", "8192x8192x8192", "4096x14336x4096", "4000x4090x4090"]  # M x N x K


def limit_of(name, k):
    """Of an error over the sum of magnitudes; None of PyTorch's."""
    if name.startswith("3xbf16"):
        # Two operands and the product that is left out, each 2^-18; sums that are cut off to 24 bits every 16 numbers, of a step of 64
        # or of all, and those of steps, which are rounded.
        return 3 * 2.0**-18 + (12 * 2.0**-23 + k / 64 * 2.0**-24 if "precise" in name else 3 * k / 16 * 2.0**-23)
    return 2.0**-10 + k / 8 * 2.0**-23 if name.startswith("tf32") else None


def contenders(shape, a, b):
    """By name, calls that give the product."""
    m, n, _ = shape
    by_bf16, by_tf32 = tk.load(tk.example("gemm_3xbf16.tk")), tk.load(tk.example("gemm_tf32.tk"))
    made = {}

    def into(name, function, *inputs):
        c = torch.empty(m, n, device="cuda")

        def call():
            function(*inputs, C=c)
            return c
        made[name] = call

    def peer(name, allow):
        c = torch.empty(m, n, device="cuda")

        def call():
            torch.backends.cuda.matmul.allow_tf32 = allow
            torch.matmul(a, b, out=c)
            torch.backends.cuda.matmul.allow_tf32 = False
            return c
        made[name] = call

    into("3xbf16", by_bf16.gemm_3xbf16, a, b)
    into("3xbf16 precise", by_bf16.gemm_3xbf16_precise, a, b)
    parts = [part for x in (a, b) for part in by_bf16.split(x)]
    for name in ("parts", "parts_square", "parts_tall", "parts_precise", "parts_precise_tall"):
        into(f"3xbf16, {name.replace('_', ' ')}", getattr(by_bf16, f"gemm_of_{name}"), *parts)
    if a.shape[1] % 4 == 0 and n % 4 == 0:
        turned = b.t().contiguous()
        into("tf32", by_tf32.gemm_tf32, a, b)
        for name in ("gemm_tf32_nt", "gemm_tf32_nt_pairs", "gemm_tf32_nt_square", "gemm_tf32_nt_turns", "gemm_tf32_nt_low"):
            into(f"tf32 NT{name[12:].replace('_', ' ')}", getattr(by_tf32, name), a, turned)
        by_loads = tk.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "kernels", "gemm_types.tk"))
        into("tf32 by warps", by_loads.gemm_tf32_nt, a, turned)
        into("tf32, not turned", by_loads.gemm_tf32, a, b)
    peer("PyTorch highest", False)
    peer("PyTorch high", True)
    return made


def errors_of(call, a, b, rows):
    c = call()[rows].double()
    want = a[rows].double() @ b.double()
    sums = a[rows].abs().double() @ b.abs().double()
    return ((c - want).norm() / want.norm()).item(), ((c - want).abs() / sums).max().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--shapes", nargs="+", default=SHAPES, help="MxNxK")
    args = parser.parse_args()
    torch.manual_seed(1)
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    right = True
    for text in args.shapes:
        shape = m, n, k = tuple(map(int, text.split("x")))
        a, b = torch.randn(m, k, device="cuda"), torch.randn(k, n, device="cuda")
        rows = torch.randint(0, m, (64,), device="cuda")
        calls = contenders(shape, a, b)
        errors = {name: errors_of(call, a, b, rows) for name, call in calls.items()}
        one_sign = contenders(shape, a.abs(), b.abs())
        drifts = {name: errors_of(call, a.abs(), b.abs(), rows)[1] for name, call in one_sign.items()}
        del one_sign
        count = max(1, min(20, int(2e-3 / (2.0 * m * n * k / 200e12))))
        graphs = {name: recorded(call, count) for name, call in calls.items()}
        times = {name: spent / count for name, spent in seconds_of(graphs, args.seconds).items()}
        print(f"{text}:")
        for name, spent in times.items():
            norm, most = errors[name]
            limit = limit_of(name, k)
            good = limit is None or most <= limit and drifts[name] <= limit
            right &= good
            print(f"  {name:24} {spent * 1e6:9.1f} us {2e-12 * m * n * k / spent:6.1f} TFLOP/s, {times['PyTorch highest'] / spent:5.2f} of "
                  f"highest, {times['PyTorch high'] / spent:5.2f} of high; errors {norm:.1e}, {most:.1e}, {drifts[name]:.1e}"
                  f"{'' if good else f' ABOVE {limit:.1e}'}", flush=True)
        del calls, graphs
        torch.cuda.empty_cache()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
