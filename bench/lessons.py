#!/usr/bin/env python3
"""Checks and times the kernels of docs/lessons next to PyTorch's: a copy of as many bytes, cuBLAS, and attention by cuDNN.

    bench/build.sh && python3 bench/lessons.py [--libraries build/bench] [--only 4 8] [--seconds 2]
    python3 bench/lessons.py --out docs/lessons/measured.json && python3 bench/lesson_tables.py       puts the figures into the pages

Each result is compared with float64, of some rows or heads; the script ends with 1 where the relative error is over 1e-2. Rates are
the medians of single calls in turn with those of the peer; `burst`, in the JSON, is that of 60 ms of calls."""
import argparse
import json
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from bandwidth import error, normal, seconds_of
from library import Library
from timing import measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZE = 8192  # rows and columns of lessons 1 to 3
CUBES = (4096, 8192)
HEADS = (4, 16, 4096, 128)  # B, H, N, D
FUNCTIONS = ["copy", "add", "softmax", *["product"] * 5, *["attention"] * 4]  # of lessons 1 to 12


def empty(*shape, dtype=torch.bfloat16):
    return torch.full(shape, float("nan"), device="cuda", dtype=dtype)


class Lesson:
    """A lesson by its number: its folder, and its function in the library that bench/build.sh made of it."""

    def __init__(self, libraries, number):
        self.number, self.function = number, FUNCTIONS[number - 1]
        folders = os.listdir(os.path.join(ROOT, "docs", "lessons"))
        self.folder = next(f for f in folders if f.startswith(f"{number:02}-"))
        self.library = Library(os.path.join(libraries, f"liblesson_{number:02}.so"))

    def bind(self, *arguments):
        return self.library.bind(self.function, *arguments)


def memory(lesson, seconds):
    """Lessons 1 to 3: bytes that must move, next to a copy that moves as many."""
    x, y, w, out = normal(SIZE, SIZE), normal(SIZE, SIZE), normal(SIZE), empty(SIZE, SIZE)
    inputs, exact = {
        1: ([x], lambda x: x),
        2: ([x, y, w], lambda x, y, w: x + w * y),
        3: ([x], lambda x: torch.softmax(x, 1)),
    }[lesson.number]
    run = lesson.bind(*inputs, out)
    run()
    wrong = error(out, exact(*(t.double() for t in inputs)))
    moved = sum(t.numel() * t.element_size() for t in [*inputs, out])
    source = torch.empty(moved // 2, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = seconds_of({"ours": run, "copy": lambda: target.copy_(source)}, seconds)
    yield {"what": f"{SIZE} x {SIZE}", "unit": "GB/s", "ours": moved / times["ours"] / 1e9,
           "others": {"copy": moved / times["copy"] / 1e9}, "error": wrong}


def timed(what, ours, peer, theirs, flops, seconds, wrong):
    rates = measure({"ours": ours, peer: theirs}, flops, seconds)
    return {"what": what, "unit": "TFLOP/s", "ours": rates["ours", "turn"][0], "others": {peer: rates[peer, "turn"][0]},
            "burst": {name: rates[name, "burst"][0] for name in ("ours", peer)}, "error": wrong}


def products(lesson, seconds):
    """Lessons 4 to 8, next to cuBLAS."""
    for n in CUBES:
        a, b, c = normal(n, n), normal(n, n), empty(n, n)
        other = torch.empty_like(c)
        run = lesson.bind(a, b, c)
        run()
        rows = torch.randint(0, n, (64,), device="cuda")
        wrong = error(c[rows], a[rows].double() @ b.double())
        yield timed(f"{n} x {n} x {n}", run, "cuBLAS", lambda a=a, b=b, other=other: torch.matmul(a, b, out=other), 2.0 * n**3,
                    seconds, wrong)


def attentions(lesson, seconds):
    """Lessons 9 to 12, next to cuDNN."""
    batches, heads, n, d = HEADS
    q, k, v = (normal(batches, heads, n, d) for _ in range(3))
    o = empty(batches, heads, n, d)
    scratch = [empty(batches, heads, n, n, dtype=torch.float32), empty(batches, heads, n, n)] if lesson.number == 9 else []
    run = lesson.bind(q, k, v, o, *scratch, d**-0.5)
    run()
    wrong = max(error(o[at], torch.softmax(q[at].double() @ k[at].double().T * d**-0.5, 1) @ v[at].double())
                for at in ((0, 0), (batches - 1, heads - 1)))

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return sdpa(q, k, v)

    yield timed(f"B {batches}, H {heads}, N {n}, D {d}", run, "cuDNN", cudnn, 4.0 * batches * heads * n * n * d, seconds, wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", default=os.path.join(ROOT, "build", "bench"))
    parser.add_argument("--only", type=int, nargs="*", default=range(1, 13), help="numbers of lessons")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--out", default="", help="a JSON file")
    options = parser.parse_args()
    torch.manual_seed(1)
    device, rows, good = torch.cuda.get_device_name(), {}, True
    print(device, "torch", torch.__version__)
    for number in options.only:
        lesson = Lesson(options.libraries, number)
        for row in (memory if number <= 3 else products if number <= 8 else attentions)(lesson, options.seconds):
            rows.setdefault(lesson.folder, []).append(row)
            good = good and row["error"] <= 1e-2
            peers = "  ".join(f"{name} {rate:.0f}, ratio {row['ours'] / rate:.3f}" for name, rate in row["others"].items())
            print(f"{lesson.folder:26} {row['what']:26} {row['ours']:6.0f} {row['unit']:7}  {peers}  error {row['error']:.1e}", flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as stream:
            json.dump({"device": device, "torch": torch.__version__, "rows": rows}, stream, indent=1)
            stream.write("\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
