#!/usr/bin/env python3
"""Sequential kernels, whose roles are derived, next to the kernels with roles, in one process and in turn.

    bench/build.sh build/release/tkc build/bench; python3 bench/simple.py [FOLDER] [--seconds 1]

Each row: the time of the simple form, the speed of it over that of the other, whether the results are equal bit for bit, and the
relative error against PyTorch."""
import argparse
import os

import torch

from bandwidth import normal, seconds_of
from gemm import SHAPES, geometric_mean
from library import Library

BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "bench")


def gemms(folder):
    simple, other = Library(f"{folder}/libgemm_simple.so"), Library(f"{folder}/libgemm.so")
    for m, n, k, turned in SHAPES:
        if turned:
            continue
        a, b = normal(m, k), normal(k, n)
        c, d = (torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        yield f"gemm {m}x{n}x{k}", simple.bind("gemm_simple", a, b, c), other.bind("gemm", a, b, d), c, d, a.float() @ b.float()


def attentions(folder, dim):
    simple, other = Library(f"{folder}/libattention_simple.so"), Library(f"{folder}/libattention.so")
    for causal in (False, True):
        for batches, heads, length in ((16, 16, 1024), (16, 16, 4096), (1, 16, 16384)):
            q, k, v = (normal(batches, heads, length, dim) for _ in range(3))
            o, p = torch.empty_like(q), torch.empty_like(q)
            lse, lse_too = (torch.empty(batches, heads, length, device="cuda") for _ in range(2))
            suffix = ("_64" if dim == 64 else "") + ("_causal" if causal else "")
            yield (f"attention {dim}, {length}{', causal' if causal else ''}",
                   simple.bind("attention_simple" + suffix, q, k, v, o, lse, dim**-0.5),
                   other.bind("attention" + suffix, q, k, v, p, lse_too, dim**-0.5), o, p,
                   torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).float())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=BESIDE)
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    for cases in (gemms(options.folder), attentions(options.folder, 128), attentions(options.folder, 64)):
        ratios = []
        for name, simple, other, result, beside, expected in cases:
            times = seconds_of({"simple": simple, "other": other}, options.seconds)
            ratios.append(times["other"] / times["simple"])
            error = ((result.float() - expected).norm() / expected.norm()).item()
            equal = "equal" if torch.equal(result, beside) else "different"
            print(f"{name:28} {times['simple'] * 1e6:9.1f} us  {ratios[-1]:.4f}  {equal}, error {error:.1e}", flush=True)
        print(f"geometric mean {geometric_mean(ratios):.4f}", flush=True)


if __name__ == "__main__":
    main()
