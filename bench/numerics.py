"""Measures the error of the approximate functions on a GPU against float64, over every f32 number of their domain.

Build the libraries with bench/build.sh, then: python3 bench/numerics.py [--libraries DIR]
Errors are in units in the last place (ulp) of the exact result, and absolute near its zeros; results below the smallest normal
number, which the instructions flush to zero, are counted apart. Fails if a bound of docs/numerics.md does not hold.
"""
import argparse
import math
import sys

import torch

from library import Library

# name, launcher, exact function, domain (lowest, highest), (bound, what it is of)
ROWS = [
    ("exp2", "approximate", lambda x, y: torch.exp2(x), (-126.0, 127.99), (2.5, "ulp")),
    ("log2", "approximate_log2", lambda x, y: torch.log2(x), (1.2e-38, 3.4e38), (2.0**-21, "absolute, or 3 ulp")),
    ("sqrt", "approximate_sqrt", lambda x, y: torch.sqrt(x), (1.2e-38, 3.4e38), (2.0, "ulp")),
    ("rsqrt", "approximate_rsqrt", lambda x, y: torch.rsqrt(x), (1.2e-38, 3.4e38), (2.5, "ulp")),
    ("tanh", "approximate_tanh", lambda x, y: torch.tanh(x), (-100.0, 100.0), (2.0**-10.5, "relative")),
    ("sin", "approximate_sin", lambda x, y: torch.sin(x), (-math.pi, math.pi), (2.0**-20.5, "absolute")),
    ("cos", "approximate_cos", lambda x, y: torch.cos(x), (-math.pi, math.pi), (2.0**-20.5, "absolute")),
    ("/", "approximate_div", lambda x, y: x / y, (1.2e-38, 3.4e38), (2.5, "ulp")),
    ("exp", "approximate_exp", lambda x, y: torch.exp(x), (-87.0, 88.0), (2.0**-16.5, "relative")),
    ("erf", "approximate_erf", lambda x, y: torch.erf(x), (-10.0, 10.0), (2.5, "ulp")),
    ("pow", "approximate_pow", lambda x, y: torch.pow(x, y), (0.01, 100.0), (2.0**-18, "relative")),
    ("floor", "approximate_floor", lambda x, y: torch.floor(x), (-1e6, 1e6), (0.0, "ulp")),
    ("ceil", "approximate_ceil", lambda x, y: torch.ceil(x), (-1e6, 1e6), (0.0, "ulp")),
    ("round", "approximate_round", lambda x, y: torch.round(x), (-1e6, 1e6), (0.0, "ulp")),
    ("log", "approximate_log", lambda x, y: torch.log(x), (1.2e-38, 3.4e38), (2.0**-21, "absolute, or 4 ulp")),
]
CHUNK = 1 << 26


def bits_of(x):
    return torch.tensor(x, dtype=torch.float32).view(torch.int32).item()


def numbers(lowest, highest):
    """Every f32 of the domain, in chunks of one size (the last repeats its end)."""
    parts = [(bits_of(max(lowest, 0.0)), bits_of(highest))]
    if lowest < 0:
        parts.append((bits_of(lowest), bits_of(-0.0)))
    for first, last in parts:
        first, last = min(first, last), max(first, last)
        for start in range(first, last + 1, CHUNK):
            stop = min(start + CHUNK, last + 1)
            values = torch.arange(start, stop, device="cuda", dtype=torch.int64).to(torch.int32).view(torch.float32)
            padding = CHUNK - values.numel()
            yield torch.cat([values, values[-1:].expand(padding)]) if padding else values


def measure(library, launcher, exact, domain, bound):
    worst = {"ulp": 0.0, "absolute": 0.0, "relative": 0.0}
    flushed, broken, at = 0, 0, None
    limit, kind = bound
    result = torch.empty(CHUNK, device="cuda").view(8192, -1)
    other = torch.empty(CHUNK, device="cuda")
    generator = torch.Generator(device="cuda").manual_seed(1)
    for x in numbers(*domain):
        other.uniform_(0.5, 2.0, generator=generator)
        library.bind(launcher, x.view(8192, -1), other.view(8192, -1), result)()
        r = exact(x.double(), other.double())
        y = result.view(-1)
        small = r.abs() < 2.0**-126
        flushed += (small & (y == 0)).sum().item()
        inside = ~small & torch.isfinite(r) & (r.abs() < 3.4e38)
        error = torch.where(inside, (y.double() - r).abs(), 0.0)
        ulp = torch.exp2(torch.floor(torch.log2(r.abs().clamp_min(2.0**-126))) - 23)
        ulps, relative = error / ulp, error / r.abs().clamp_min(2.0**-126)
        worst["ulp"] = max(worst["ulp"], ulps.max().item())
        worst["absolute"] = max(worst["absolute"], error.max().item())
        worst["relative"] = max(worst["relative"], relative.max().item())
        if kind == "ulp":
            wrong = ulps > limit
        elif kind == "relative":
            wrong = relative > limit
        else:
            also = float(kind.split(" or ")[1].split()[0]) if " or " in kind else 0.0
            wrong = (error > limit) & (ulps > also)
        if wrong.any() and at is None:
            at = x[wrong.nonzero()[0, 0]].item()
        broken += wrong.sum().item()
    return worst, flushed, broken, at


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--libraries", default="build/bench")
    options = arguments.parse_args()
    library = Library(f"{options.libraries}/libelementwise.so")
    failed = 0
    print(f"{'':6} {'worst ulp':>12} {'relative':>10} {'absolute':>10}  bound")
    for name, launcher, exact, domain, bound in ROWS:
        worst, flushed, broken, at = measure(library, launcher, exact, domain, bound)
        told = f"  BROKEN {broken} times, first at {at!r}" if broken else ""
        failed += broken != 0
        print(f"{name:6} {worst['ulp']:12.2f} {worst['relative']:10.2e} {worst['absolute']:10.2e}  "
              f"{bound[0]:.3g} {bound[1]}; {flushed} flushed{told}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
