#!/usr/bin/env python3
"""Does a launcher take the fastest of its candidates? Each by its own function, and the launcher's choice, in one process and in turn.

    TK_TKC=build/release/tkc python3 bench/candidates.py [--only attention gemm] [--seconds 1]

A row: the time of every candidate, that of the choice, and the choice's time over the best candidate's: 1 is right, and what is
above 1 and no noise is lost by the estimate. `tkc explain FILE --extents ..` tells what the estimate says."""
import argparse

import torch

import tk
from bandwidth import normal, seconds_of
from timing import recorded

CALLS = 20  # in a graph: launches take longer than small kernels


def attention(function, batches, heads, length):
    q, k, v = (normal(batches, heads, length, 128) for _ in range(3))
    o, lse = torch.empty_like(q), torch.empty(batches, heads, length, device="cuda")
    return lambda: function(q, k, v, 128**-0.5, O=o, LSE=lse)


def decode(function, batches, heads, rows, keys):
    q = normal(batches, heads, rows, 128)
    k, v = (normal(batches, heads, keys, 128) for _ in range(2))
    o, lse = torch.empty_like(q), torch.empty(batches, heads, rows, device="cuda")
    return lambda: function(q, k, v, min(16, rows), 128**-0.5, O=o, LSE=lse)


def gemm(function, m, n, k):
    a, b = normal(m, k), normal(k, n)
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    return lambda: function(a, b, C=c)


ATTENTION = [(1, 4, 128), (1, 16, 256), (1, 16, 512), (2, 16, 512), (1, 8, 1024), (1, 16, 1024), (4, 16, 1024), (1, 4, 4096),
             (16, 16, 1024), (1, 16, 16384)]  # B, H, N
# The kernel, its file, an instance that names it alone, the other candidates, how to call, shapes.
CASES = [
    ("attention", "attention.tk", "BM = 128", ["attention_low"], attention, ATTENTION),
    ("attention_causal", "attention.tk", "CAUSAL = true, BM = 128", ["attention_low_causal"], attention, ATTENTION),
    ("attention_decode", "attention_decode.tk", "BM = 16", ["attention_decode_64"], decode,
     [(1, 8, 16, 4096), (1, 8, 64, 8192), (4, 8, 64, 8192), (8, 8, 64, 8192), (16, 8, 64, 8192)]),  # B, HKV, rows, keys
    ("gemm", "gemm.tk", "BN = 256", ["gemm_square", "gemm_pairs", "gemm_tall", "gemm_narrow", "gemm_low", "gemm_low_64", "gemm_low_32"], gemm,
     [(256, 256, 4096), (1024, 1024, 1024), (1024, 4096, 4096), (2048, 2048, 2048), (4096, 4096, 4096), (4000, 4088, 4040)]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[case[0] for case in CASES])
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    for name, path, constants, others, bind, shapes in CASES:
        if name not in options.only:
            continue
        kernel = path.removesuffix(".tk")
        with open(tk.example(path), encoding="utf-8") as source:
            text = source.read() + f"\ninstance {kernel}<{constants}> as {name}_alone;\n"
        module = tk.from_source(text, name=kernel)
        functions = {f"{name}_alone": getattr(module, f"{name}_alone"), **{other: getattr(module, other) for other in others},
                     "choice": getattr(module, name)}
        for shape in shapes:
            calls = {label: bind(function, *shape) for label, function in functions.items()}
            for call in calls.values():  # outside of the capture
                call()
            torch.cuda.synchronize()
            times = seconds_of({label: recorded(call, CALLS) for label, call in calls.items()}, options.seconds)
            best = min(time for label, time in times.items() if label != "choice")
            row = "  ".join(f"{label} {time / CALLS * 1e6:8.1f}" for label, time in times.items())
            print(f"{name:17} {'x'.join(map(str, shape)):17} {row} us  {times['choice'] / best:.3f}", flush=True)


if __name__ == "__main__":
    main()
