"""Times and checks the 8-bit GEMM examples next to PyTorch's products on the same tensors, in one run; the launcher chooses among the
candidates of a mode, but for those that name one (`_square`, `_pairs`, ..).

Build the libraries with bench/build.sh, then: python3 bench/gemm_fp8.py [--seconds 2] [--only rows,blocks] [--json FILE]
Errors are of 64 rows against float64 of the numbers that the operands stand for, as a relative norm. Peers that this PyTorch does
not have are told once and left out, and so is a shape that fails.
"""
import argparse
import json
import traceback

import torch

from library import Library
from timing import measure

SHAPES = [(1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (4096, 4096, 14336)]
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
LARGEST = {E4M3: 448.0, E5M2: 57344.0}
BLOCK = 128


# ---- operands, and the numbers that they stand for


def drawn(rows, cols, kind):
    """Numbers of either sign, or of one, whose sums drift where they are cut off."""
    x = torch.randn(rows, cols, device="cuda")
    return x.abs() if kind == "positive" else x


def quantised(x, dtype, rows, cols):
    """x in fp8 with a scale for each rows x cols of it, and the scales as [blocks, blocks]."""
    blocks = x.view(x.shape[0] // rows, rows, x.shape[1] // cols, cols)
    scale = blocks.abs().amax(dim=(1, 3), keepdim=True) / LARGEST[dtype]
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    return (blocks / scale).view_as(x).to(dtype), scale[:, 0, :, 0].contiguous()


def numbers(x, scale, rows, cols):
    """What some rows of a quantised operand stand for, in float64."""
    return x.double() * scale.double().repeat_interleave(rows, 0)[:x.shape[0]].repeat_interleave(cols, 1)


def error_of(result, rows, expected):
    return ((result[rows].double() - expected).norm() / expected.norm()).item()


# ---- modes: each gives its operands' scales, our call, and calls of PyTorch by name


class Mode:
    def __init__(self, name, library, function, scales_a, scales_b, dtype=E4M3, out=torch.bfloat16):
        self.name, self.library, self.function = name, library, function
        self.scales_a, self.scales_b = scales_a, scales_b  # extents of a block; 0: the whole axis
        self.dtype, self.out = dtype, out


MODES = [
    Mode("plain", "gemm_fp8", "gemm_fp8", None, None),
    Mode("plain_pairs", "gemm_fp8", "gemm_fp8_pairs", None, None),
    Mode("plain_tall", "gemm_fp8", "gemm_fp8_tall", None, None),
    Mode("plain_f32", "gemm_fp8", "gemm_fp8_f32", None, None, out=torch.float32),
    Mode("rows", "gemm_fp8", "gemm_fp8_rows", (1, 0), (1, 0)),
    Mode("precise", "gemm_fp8", "gemm_fp8_precise", (1, 0), (1, 0)),
    Mode("precise_square", "gemm_fp8", "gemm_fp8_precise_square", (1, 0), (1, 0)),
    Mode("precise_low", "gemm_fp8", "gemm_fp8_precise_low", (1, 0), (1, 0)),
    Mode("rows_e5m2", "gemm_fp8", "gemm_fp8_rows_e5m2", (1, 0), (1, 0), dtype=E5M2),
    Mode("blocks", "gemm_fp8_blocks", "gemm_fp8_blocks", (1, BLOCK), (BLOCK, BLOCK)),
    Mode("blocks_square", "gemm_fp8_blocks", "gemm_fp8_blocks_square", (1, BLOCK), (BLOCK, BLOCK)),
    Mode("blocks_low", "gemm_fp8_blocks", "gemm_fp8_blocks_low", (1, BLOCK), (BLOCK, BLOCK)),
    Mode("blocks_pairs", "gemm_fp8_blocks", "gemm_fp8_blocks_pairs", (1, BLOCK), (BLOCK, BLOCK)),
    Mode("vectors", "gemm_fp8_blocks", "gemm_fp8_vectors", (1, BLOCK), (1, BLOCK)),
    Mode("vectors_square", "gemm_fp8_blocks", "gemm_fp8_vectors_square", (1, BLOCK), (1, BLOCK)),
    Mode("vectors_low", "gemm_fp8_blocks", "gemm_fp8_vectors_low", (1, BLOCK), (1, BLOCK)),
]


def scaled_mm(a, b, scale_a, scale_b, out, fast):
    return lambda: torch._scaled_mm(a, b, scale_a=scale_a, scale_b=scale_b, out_dtype=out, use_fast_accum=fast)


def outer_major(scale):
    """The same scales with the rows of the operand next to each other in memory."""
    return scale.t().contiguous().t()


def padded_rows(scale, multiple=4):
    """The same scales in rows whose lengths are multiples."""
    wide = torch.zeros(scale.shape[0], -(-scale.shape[1] // multiple) * multiple, device="cuda")
    wide[:, :scale.shape[1]] = scale
    return wide[:, :scale.shape[1]]


def recipes(mode):
    """`torch.nn.functional.scaled_mm` and the words for its scales, where this PyTorch has them."""
    from torch.nn.functional import ScalingType, scaled_mm as function
    kinds = {(1, BLOCK): ScalingType.BlockWise1x128, (BLOCK, BLOCK): ScalingType.BlockWise128x128}
    return function, kinds[mode.scales_a], kinds[mode.scales_b]


def peers(mode, a, b, scale_a, scale_b):
    """By name, ways to make a call of the same product: the first that runs and is right is taken."""
    right = b.t()
    if mode.scales_a is None:
        one = torch.ones((), device="cuda")
        return {f"torch, {word}": [lambda fast=fast: scaled_mm(a, right, one, one, mode.out, fast)]
                for word, fast in (("fast", True), ("precise", False))}
    if mode.scales_a == (1, 0):
        rows, cols = scale_a.view(-1, 1), scale_b.view(1, -1)
        return {f"torch, {word}": [lambda fast=fast: scaled_mm(a, right, rows, cols, mode.out, fast)]
                for word, fast in (("fast", True), ("precise", False))}
    ways = []
    left = outer_major(scale_a)
    for of_b in ((outer_major(scale_b), scale_b, padded_rows(scale_b)) if mode.scales_b[0] == 1 else (scale_b, padded_rows(scale_b), outer_major(scale_b))):
        def functional(of_b=of_b):
            function, kind_a, kind_b = recipes(mode)
            return lambda: function(a, right, left, kind_a, of_b, kind_b, output_dtype=mode.out)

        def functional_turned(of_b=of_b):
            function, kind_a, kind_b = recipes(mode)
            return lambda: function(a, right, left, kind_a, of_b.t(), kind_b, output_dtype=mode.out)
        ways += [functional, functional_turned, lambda of_b=of_b: scaled_mm(a, right, left, of_b.t(), mode.out, False)]
    return {"torch, blocks": ways}


def usable(ways, rows, expected, missing, name):
    """The first of the ways that runs and is right; None, and why, where there is none."""
    reasons = []
    for way in ways:
        try:
            call = way()
            error = error_of(call(), rows, expected)
            torch.cuda.synchronize()
        except Exception as failure:  # what a version lacks shows in many ways
            reasons.append(str(failure).strip().split("\n")[0][:150] or type(failure).__name__)
            continue
        if error < 0.05:
            return call, error
        reasons.append(f"error {error:.1e}")
    if name not in missing:
        print(f"    without {name}: " + "; ".join(dict.fromkeys(reasons)), flush=True)
        missing.add(name)
    return None, None


def timed(calls, flops, seconds):
    """Rates of all; of ours alone where a peer does not let itself be recorded or repeated."""
    try:
        return measure(calls, flops, seconds)
    except Exception as failure:
        print(f"    timed alone: {str(failure).strip().splitlines()[:1]}", flush=True)
        torch.cuda.synchronize()
        return measure({"tkc": calls["tkc"]}, flops, seconds)


def time_fp8(libraries, mode, shape, seconds, kind, missing):
    m, n, k = shape
    extents = lambda block, rows: (block[0] or rows, block[1] or k)
    x, y = drawn(m, k, kind), drawn(n, k, kind)
    if mode.scales_a is None:
        a, b = x.to(mode.dtype), y.to(E4M3)
        scale_a = scale_b = None
    else:
        a, scale_a = quantised(x, mode.dtype, *extents(mode.scales_a, m))
        b, scale_b = quantised(y, E4M3, *extents(mode.scales_b, n))
    del x, y
    rows = torch.randint(0, m, (64,), device="cuda")
    if mode.scales_a is None:
        expected = a[rows].double() @ b.double().t()
    else:
        left = numbers(a[rows], scale_a[rows], 1, extents(mode.scales_a, m)[1])
        expected = left @ numbers(b, scale_b, *extents(mode.scales_b, n)).t()
    c = torch.full((m, n), float("nan"), device="cuda", dtype=mode.out)
    function = libraries(mode.library)
    if mode.scales_a is None:
        ours = function.bind(mode.function, a, b, c)
    elif mode.scales_a == (1, 0):
        ours = function.bind(mode.function, a, b, scale_a.view(-1), scale_b.view(-1), c)
    else:  # [K / 128, M], and [N / 128, K / 128] or [K / 128, N]
        of_b = scale_b if mode.scales_b[0] == BLOCK else scale_b.t().contiguous()
        ours = function.bind(mode.function, a, scale_a.t().contiguous(), b, of_b, c)
    ours()
    torch.cuda.synchronize()
    errors = {"tkc": error_of(c, rows, expected)}
    calls = {"tkc": ours}
    for name, ways in peers(mode, a, b, scale_a, scale_b).items():
        call, error = usable(ways, rows, expected, missing, f"{mode.name}: {name}")
        if call is not None:
            calls[name], errors[name] = call, error
    del expected
    rates = timed(calls, 2.0 * m * n * k, seconds) if seconds > 0 else {}
    return {"mode": mode.name, "shape": f"{m}x{n}x{k}", "data": kind, "errors": errors,
            "rates": {f"{who}, {way}": rate for (who, way), rate in rates.items()}}


def time_i8(libraries, scaled, shape, seconds, missing):
    m, n, k = shape
    a, b = (torch.randint(-128, 128, (rows, k), dtype=torch.int8, device="cuda") for rows in (m, n))
    rows = torch.randint(0, m, (64,), device="cuda")
    expected = a[rows].double() @ b.double().t()
    library = libraries("gemm_i8")
    if scaled:
        scale_a, scale_b = (torch.rand(extent, device="cuda") * 0.01 + 0.001 for extent in (m, n))
        expected = expected * scale_a[rows].double()[:, None] * scale_b.double()
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
        ours = library.bind("gemm_i8_rows", a, b, scale_a, scale_b, c)
        ways = {}
    else:
        c = torch.full((m, n), -1, device="cuda", dtype=torch.int32)
        ours = library.bind("gemm_i8", a, b, c)
        ways = {"torch._int_mm": [lambda: lambda: torch._int_mm(a, b.t())]}
    ours()
    torch.cuda.synchronize()
    errors = {"tkc": error_of(c, rows, expected)}
    if not scaled and errors["tkc"] != 0:
        print("    WRONG: sums of integers are exact", flush=True)
    calls = {"tkc": ours}
    for name, makers in ways.items():
        call, error = usable(makers, rows, expected, missing, name)
        if call is not None:
            calls[name], errors[name] = call, error
    rates = timed(calls, 2.0 * m * n * k, seconds)
    return {"mode": "i8_rows" if scaled else "i8", "shape": f"{m}x{n}x{k}", "data": "ints", "errors": errors,
            "rates": {f"{who}, {way}": rate for (who, way), rate in rates.items()}}


def line(result):
    text = f"{result['mode']:14s} {result['shape']:16s} {result['data']:8s} error " + ", ".join(
        f"{who} {error:.1e}" for who, error in result["errors"].items())
    for way in ("turn", "burst"):
        rates = {who: result["rates"].get(f"{who}, {way}") for who in result["errors"]}
        if rates["tkc"] is None:
            continue
        ours = rates["tkc"][0]
        text += f"\n    {way:5s} tkc {ours:5.0f} ({rates['tkc'][1]:.0f}..{rates['tkc'][2]:.0f})" + "".join(
            f" | {who} {rate[0]:5.0f} ({rate[1]:.0f}..{rate[2]:.0f}) = {ours / rate[0]:.3f}"
            for who, rate in rates.items() if who != "tkc" and rate is not None)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default="build/bench")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", default="", help="modes, with commas: " + ", ".join(m.name for m in MODES) + ", i8, i8_rows")
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    torch.manual_seed(1)
    loaded = {}

    def libraries(name):
        if name not in loaded:
            loaded[name] = Library(f"{args.libraries}/lib{name}.so")
        return loaded[name]

    wanted = set(filter(None, args.only.split(",")))
    missing = set()
    results = []

    def attempt(what, work):
        try:
            results.append(work())
            print(line(results[-1]), flush=True)
        except Exception:
            print(f"{what} failed:\n{traceback.format_exc(limit=3)}", flush=True)
        torch.cuda.empty_cache()

    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s: median (5 %..95 %) = ours / theirs")
    for mode in MODES:
        if wanted and mode.name not in wanted:
            continue
        for shape in SHAPES:
            attempt(f"{mode.name} {shape}",
                    lambda mode=mode, shape=shape: time_fp8(libraries, mode, shape, args.seconds, "normal", missing))
        # Numbers of one sign, for the error alone: long sums drift where their last bits are cut off.
        for shape in ((1024, 1024, 1024), (1024, 1024, 8192)):
            attempt(f"{mode.name} {shape}, positive",
                    lambda mode=mode, shape=shape: time_fp8(libraries, mode, shape, 0, "positive", missing))
    for name, scaled in (("i8", False), ("i8_rows", True)):
        if wanted and name not in wanted:
            continue
        for shape in SHAPES:
            attempt(f"{name} {shape}", lambda scaled=scaled, shape=shape: time_i8(libraries, scaled, shape, args.seconds, missing))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
