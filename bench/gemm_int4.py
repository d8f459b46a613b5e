#!/usr/bin/env python3
"""Checks and times tk.torch.linear_int4 and linear_int8: bf16 rows times weights of 4 and 8 bits.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/gemm_int4.py [--seconds 1] [--rows 1 16] [--weights 16384x16384] [--splits 1 2]

Next to them: PyTorch's linear layer on the weight in bf16, and its own product of 4-bit weights (_weight_int4pack_mm), where there is
one. Weights come cold: a graph calls each contender on weights in turn, which are 256 MB together at least, and is replayed.
Numbers are us a call, and GB/s of packed weights, scales and zero points, with their share of a copy's GB/s, as it takes 1 GiB to
another place (read and written). By the median over replays in turn with the others. Errors are relative ones against float64 of
what the packed weights stand for, in 64 rows of the weight. --splits: our kernels with so many parts of K, too, each as a
contender. The script ends with 1 where ours is wrong. --device cpu only checks, by the emulator.
"""
import argparse
import json
import random
import statistics
import sys
from unittest import mock

import torch
import torch.nn.functional as F

import tk
from tk import quantised

WEIGHTS = [(16384, 16384), (8192, 57344), (6144, 4096), (4096, 14336), (28672, 4096), (2112, 7168)]
ROWS = [1, 16, 64, 128, 256]
COLD = 256 << 20  # bytes, several times the L2 cache


def stands_for(packed, rows, k):
    """Some rows of the weight in float64."""
    q, scale = packed[0][rows], packed[1]
    if len(packed) == 2:
        return q.double() * scale.double()[rows, None]
    n, half = q.shape
    halves = q.view(n, half // 64, 64).long()
    numbers = torch.cat([halves & 15, halves >> 4], dim=2).double()
    scale, zero = (t.flatten(0, 1)[:, rows].double().t()[..., None] for t in packed[1:])
    return ((numbers - (zero - 128)) * scale).reshape(n, 2 * half)[:, :k]


def packed_like(packed):
    """Other weights of the same kind: what is timed need not be drawn by packing."""
    return tuple(x[torch.randperm(x.shape[0], device=x.device)] if i == 0 else x.clone() for i, x in enumerate(packed))


def error_of(call, x, packed):
    rows = torch.randint(0, packed[0].shape[0], (64,), device=x.device)
    want = x.double() @ stands_for(packed, rows, x.shape[1]).t()
    return ((call(x, *packed)[:, rows].double() - want).norm() / want.norm()).item()


def with_splits(function, splits):
    plan = quantised.plan

    def call(*inputs):
        with mock.patch.object(quantised, "plan", lambda *words: plan(*words)._replace(splits=splits)):
            return function(*inputs)
    return call


def torch_int4(n, k):
    """PyTorch's own kernel on numbers of its own; its time is what is looked at."""
    numbers = torch.randint(0, 256, (n, k // 2), dtype=torch.uint8, device="cuda")
    packed = torch.ops.aten._convert_weight_to_int4pack(numbers, 8)
    groups = torch.rand(k // 128, n, 2, device="cuda").bfloat16()
    return lambda x: torch.ops.aten._weight_int4pack_mm(x, packed, 128, groups)


def recorded(calls):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        calls[0]()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    return graph


def timed(graphs, seconds):
    """us a replay by the median, in turn."""
    names, taken = list(graphs), {name: [] for name in graphs}
    for name in names:
        graphs[name].replay()
    torch.cuda.synchronize()
    spent = 0.0
    while spent < seconds * 1e6 or len(taken[names[0]]) < 7:
        random.shuffle(names)
        for name in names:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graphs[name].replay()
            end.record()
            torch.cuda.synchronize()
            taken[name].append(start.elapsed_time(end) * 1e3)
            spent += taken[name][-1]
    return {name: statistics.median(found) for name, found in taken.items()}


def copy_rate():
    """GB/s, read and written."""
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    us = timed({"copy": recorded([lambda: target.copy_(source)])}, 0.3)["copy"]
    return 2 * source.numel() / us * 1e-3


def compare(n, k, rows, args, rate, told):
    """A line for each number of rows; whether ours are right."""
    weight = torch.randn(n, k, device="cuda").bfloat16()
    ours = {"int4": (tk.torch.linear_int4, tk.torch.pack_int4(weight)), "int8": (tk.torch.linear_int8, tk.torch.pack_int8(weight))}
    right, results = True, []
    for m in rows:
        x = torch.randn(m, k, device="cuda").bfloat16()
        errors = {name: error_of(call, x, packed) for name, (call, packed) in ours.items()}
        right = right and all(e < 1e-2 for e in errors.values())
        taken, sizes, kept = {}, {}, []

        def add(name, size, make):
            """make: a function of a set of weights that gives a call on it."""
            count = max(2, -(-COLD // size))
            try:
                calls = [make(i) for i in range(count)]
                kept.append(calls)
                taken[name], sizes[name] = (recorded(calls), count), size
            except Exception as reason:  # a peer may fail in any way
                if name.split()[0] in ("int4", "int8"):
                    raise
                if name not in told:
                    told.add(name)
                    print(f"  {name} is left out: {type(reason).__name__}: {(str(reason).splitlines() or [''])[0]}", flush=True)
        for name, (call, packed) in ours.items():
            size = sum(t.numel() * t.element_size() for t in packed)
            sets = [packed] + [packed_like(packed) for _ in range(max(2, -(-COLD // size)) - 1)]
            kept.append(sets)  # graphs hold addresses alone
            for splits in [None, *args.splits]:
                run = call if splits is None else with_splits(call, splits)
                add(name if splits is None else f"{name} / {splits}", size, lambda i: lambda: run(x, *sets[i]))
        weights = [weight] + [weight.clone() for _ in range(max(2, -(-COLD // (2 * n * k))) - 1)]
        add("bf16", 2 * n * k, lambda i: lambda: F.linear(x, weights[i]))
        add("PyTorch int4", n * k // 2 + n * k // 32, lambda i: (lambda call: lambda: call(x))(torch_int4(n, k)))
        times = timed({name: graph for name, (graph, _) in taken.items()}, args.seconds)
        line = f"{m:4d} x {n} x {k}: errors " + ", ".join(f"{name} {e:.1e}" for name, e in errors.items())
        for name, (_, count) in taken.items():
            us = times[name] / count
            got = sizes[name] / us * 1e-3
            line += f" | {name} {us:.1f} us, {got:.0f} GB/s = {got / rate:.2f}"
            results.append(dict(m=m, n=n, k=k, contender=name, us=us, gbs=got, share=got / rate))
        print(line, flush=True)
        del taken, kept, weights
        torch.cuda.empty_cache()
    return right, results


def check(device):
    """The largest error over shapes that are odd in some way."""
    worst = 0.0
    for n, k in ((264, 384), (8, 128), (1000, 1296)) if device == "cuda" else ((264, 384), (8, 128)):
        weight = torch.randn(n, k, device=device).bfloat16()
        for m in (1, 9, 17, 40, 70, 130, 300) if device == "cuda" else (1, 17):
            x = torch.randn(m, k, device=device).bfloat16()
            for call, packed in ((tk.torch.linear_int4, tk.torch.pack_int4(weight)), (tk.torch.linear_int8, tk.torch.pack_int8(weight))):
                for splits in (1, 2, 3):
                    worst = max(worst, error_of(with_splits(call, splits), x, packed))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rows", nargs="*", type=int, default=ROWS)
    parser.add_argument("--weights", nargs="*", default=[f"{n}x{k}" for n, k in WEIGHTS])
    parser.add_argument("--splits", nargs="*", type=int, default=[])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    torch.manual_seed(1)
    worst = check(args.device)
    print(f"odd shapes: largest error {worst:.1e}")
    right, results, told = worst < 1e-2, [], set()
    if args.device == "cuda":
        rate = copy_rate()
        print(torch.cuda.get_device_name(), "torch", torch.__version__, f"| a copy: {rate:.0f} GB/s")
        for n, k in (map(int, shape.split("x")) for shape in args.weights):
            good, made = compare(n, k, args.rows, args, rate, told)
            right, results = right and good, results + made
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
