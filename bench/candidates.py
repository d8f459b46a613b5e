#!/usr/bin/env python3
"""Does a launcher take the fastest of its candidates? Each by its own function, and the choice, in one process, in turn.

    TK_TKC=build/release/tkc python3 bench/candidates.py [--only attention gemm] [--seconds 1]
    TK_TKC=build/release/tkc python3 bench/candidates.py --only gemm gemm_nt --random 100 --limit 240 --seconds 0.1

A row: the time of every candidate, that of the choice, and the choice's time over the best candidate's: 1 is right, and what is
above 1 and no noise is lost by the estimate. `--random N` draws shapes of matrix products instead, and tells at the end how many
choices are within 2 % of the best; candidates that take three times as long as the best in a first call are left out. `--shapes
M,N,K ..` takes these. `--also` adds instances: `--also "BN = 256, W = 16"`. `tkc explain FILE --extents ..` tells what the
estimate says."""
import argparse
import random
import time

import torch

import tk
from bandwidth import normal, seconds_of
from timing import recorded

CALLS = 20  # in a graph: launches take longer than small kernels
GRAPH_SECONDS = 2e-3  # but no longer than this
CLOSE = 1.02


def attention(function, batches, heads, length):
    q, k, v = (normal(batches, heads, length, 128) for _ in range(3))
    o, lse = torch.empty_like(q), torch.empty(batches, heads, length, device="cuda")
    return lambda: function(q, k, v, 128**-0.5, O=o, LSE=lse)


def decode(function, batches, heads, rows, keys):
    q = normal(batches, heads, rows, 128)
    k, v = (normal(batches, heads, keys, 128) for _ in range(2))
    o, lse = torch.empty_like(q), torch.empty(batches, heads, rows, device="cuda")
    return lambda: function(q, k, v, min(16, rows), 128**-0.5, O=o, LSE=lse)


def product(b_turned):
    made = {}  # all candidates of a shape multiply the same matrices

    def bind(function, m, n, k):
        if (m, n, k) not in made:
            made.clear()
            made[m, n, k] = (normal(m, k), normal(n, k) if b_turned else normal(k, n),
                             torch.empty(m, n, device="cuda", dtype=torch.bfloat16))
        a, b, c = made[m, n, k]
        return lambda: function(a, b, C=c)

    return bind


ATTENTION = [(1, 4, 128), (1, 16, 256), (1, 16, 512), (2, 16, 512), (1, 8, 1024), (1, 16, 1024), (4, 16, 1024), (1, 4, 4096),
             (16, 16, 1024), (1, 16, 16384)]  # B, H, N
PRODUCTS = [(256, 256, 4096), (1024, 1024, 1024), (1024, 4096, 4096), (2048, 2048, 2048), (4096, 4096, 4096), (4000, 4088, 4040),
            (8192, 8192, 1024), (512, 6144, 4096), (16, 4096, 4096), (512, 512, 4096), (4000, 4160, 4160)]  # M, N, K
# The kernel, its file, an instance that names it alone, how to call, shapes.
CASES = [
    ("attention", "attention.tk", "BM = 128", attention, ATTENTION),
    ("attention_causal", "attention.tk", "CAUSAL = true, BM = 128", attention, ATTENTION),
    ("attention_decode", "attention_decode.tk", "BM = 16", decode,
     [(1, 8, 16, 4096), (1, 8, 64, 8192), (4, 8, 64, 8192), (8, 8, 64, 8192), (16, 8, 64, 8192)]),  # B, HKV, rows, keys
    ("gemm", "gemm.tk", "BN = 256", product(False), PRODUCTS),
    ("gemm_nt", "gemm_nt.tk", "BN = 256", product(True), PRODUCTS),
]


def random_products(count, seed):
    """Extents spread evenly by their logarithms, most of them multiples of 64, that take a millisecond or so at most."""
    draw = random.Random(seed)
    shapes = []
    while len(shapes) < count:
        m, n, k = (int(2 ** draw.uniform(low, 14)) for low in (3, 6, 6))
        unit = 64 if draw.random() < 0.7 else 8
        n, k = (max(unit, x - x % unit) for x in (n, k))
        if m * n * k <= 2 ** 39 and (m * k + n * k + m * n) * 2 <= 2 ** 31:
            shapes.append((m, n, k))
    return shapes


def candidates(name, path, constants, also):
    """The functions that run one kernel each, and the one that chooses."""
    kernel = path.removesuffix(".tk")
    extra = {f"{name}_alone": constants, **{f"{name}_also_{i}": text for i, text in enumerate(also)}}
    with open(tk.example(path), encoding="utf-8") as source:
        text = source.read() + "".join(f"\ninstance {kernel}<{value}> as {label};\n" for label, value in extra.items())
    module = tk.from_source(text, name=kernel)
    chooser = getattr(module, name)
    labels = [x["name"] for x in chooser.contract.candidates if not x["general"]]
    functions = {f"{name}_alone" if label == name else label: getattr(module, f"{name}_alone" if label == name else label)
                 for label in labels}
    return {**functions, "choice": chooser}


def first_seconds(call):
    """About how long a call takes: the second one."""
    call()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e-3


def time_shape(functions, bind, shape, seconds, few):
    """The seconds of a call by each function; with `few`, of those that are not much slower."""
    calls = {label: bind(function, *shape) for label, function in functions.items()}
    spent = {}
    for label, call in calls.items():
        try:
            spent[label] = first_seconds(call)  # outside of the capture
        except (tk.LaunchError, ValueError):  # made for other extents, or for rows that begin elsewhere
            if label == "choice":
                raise
    calls = {label: call for label, call in calls.items() if label in spent}
    best = min(spent.values())
    if few:
        calls = {label: call for label, call in calls.items() if label == "choice" or spent[label] < 3 * max(best, 2e-5)}
    count = max(1, min(CALLS, int(GRAPH_SECONDS / best)))
    times = seconds_of({label: recorded(call, count) for label, call in calls.items()}, seconds)
    return {label: time / count for label, time in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[case[0] for case in CASES])
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--random", type=int, default=0, help="so many shapes of matrix products, drawn")
    parser.add_argument("--shapes", nargs="*", default=[], metavar="M,N,K", help="these shapes of matrix products instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds for all shapes, building left out")
    parser.add_argument("--also", nargs="*", default=[], help="constants of further instances")
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    given = [tuple(map(int, shape.split(","))) for shape in options.shapes]
    of_products = options.random or given
    cases = [case for case in CASES if case[0] in options.only and (not of_products or case[4] is PRODUCTS)]
    built = [candidates(*case[:3], options.also) for case in cases]
    until = time.monotonic() + options.limit
    for i, ((name, _, _, bind, shapes), functions) in enumerate(zip(cases, built)):
        shapes = given or (random_products(options.random, options.seed) if options.random else shapes)
        share = time.monotonic() + (until - time.monotonic()) / (len(cases) - i)  # of what is left
        ratios = []
        for shape in shapes:
            if time.monotonic() > share:
                break
            times = time_shape(functions, bind, shape, options.seconds, options.random)
            best = min((label for label in times if label != "choice"), key=times.get)
            ratios.append(times["choice"] / times[best])
            row = "  ".join(f"{label} {seconds * 1e6:.1f}" for label, seconds in times.items())
            print(f"{name:17} {'x'.join(map(str, shape)):17} {ratios[-1]:.3f} of {best}  | {row} us", flush=True)
        if options.random and ratios:
            close = sum(ratio <= CLOSE for ratio in ratios)
            mean = sum(ratios) / len(ratios)
            print(f"{name}: {close} of {len(ratios)} choices within 2 % of the best; mean {mean:.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
