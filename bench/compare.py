#!/usr/bin/env python3
"""Two builds of the examples in one process, in turn: does a change of the compiler cost speed?

    bench/build.sh OLD_TKC build/before; bench/build.sh NEW_TKC build/after
    cd bench && python3 compare.py ../build/before ../build/after [--seconds 1]

Each row: the time of the first build over that of the second, so more than 1 is faster now. Libraries that a folder lacks are
left out."""
import argparse
import os

import torch

from attention import kernel_of
from bandwidth import CASES, normal, seconds_of
from gemm import SHAPES, geometric_mean
from library import Library


def bind(folder, library, function, arguments):
    return Library(f"{folder}/lib{library}.so").bind(function, *arguments)


def gemms():
    for m, n, k, turned in SHAPES:
        a, b = normal(m, k), normal(n, k) if turned else normal(k, n)
        name = "gemm_nt" if turned else "gemm"
        yield name, f"{m}x{n}x{k}", name, name, [a, b, torch.empty(m, n, device="cuda", dtype=torch.bfloat16)]


def attentions():
    for d in (64, 128, 256):
        for causal in (False, True):
            for batches, heads, length in ((16, 16, 1024), (16, 16, 2048), (16, 16, 4096), (16, 16, 8192), (1, 16, 16384)):
                q, k, v = (normal(batches, heads, length, d) for _ in range(3))
                o, lse = torch.empty_like(q), torch.empty(batches, heads, length, device="cuda")
                library, function = kernel_of(d, causal, length, torch.bfloat16)
                yield "attention", f"{d}, {length}{', causal' if causal else ''}", library, function, [q, k, v, d**-0.5, o, lse]


def rows():
    for name, (make, shapes) in CASES.items():
        for shape in shapes:
            case = make(*shape)
            yield "bandwidth", f"{name} {'x'.join(map(str, shape))}", case.library, case.kernel, case.arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    ratios = {}
    for cases in (gemms, attentions, rows):
        for family, shape, library, function, arguments in cases():
            folders = {"before": options.before, "after": options.after}
            if not all(os.path.exists(f"{folder}/lib{library}.so") for folder in folders.values()):
                continue
            times = seconds_of({who: bind(folder, library, function, arguments) for who, folder in folders.items()}, options.seconds)
            ratio = times["before"] / times["after"]
            ratios.setdefault(cases.__name__, []).append(ratio)
            print(f"{family:10} {shape:36} {times['after'] * 1e6:9.1f} us  {ratio:.4f}", flush=True)
        if cases.__name__ in ratios:
            print(f"{cases.__name__}: geometric mean {geometric_mean(ratios[cases.__name__]):.4f}", flush=True)
        torch.cuda.empty_cache()
    print(f"all: {geometric_mean([r for group in ratios.values() for r in group]):.4f}")


if __name__ == "__main__":
    main()
