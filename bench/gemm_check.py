"""Checks the GEMM examples and the test kernels on a GPU against float64.

Build the libraries with bench/build.sh, then: python3 bench/gemm_check.py
Small integers must come out bit for bit (every sum is exact in f32), normal numbers within what bf16 allows; outputs are
filled with NaN first, so that an element that nobody writes shows.
"""
import argparse
import sys

import torch

from library import Library, Refused

EXTENTS = [(128, 256, 64), (256, 512, 256), (200, 328, 136), (1, 8, 8), (8, 1, 64), (130, 264, 72), (1000, 1000, 1000),
           (2056, 1992, 520), (64, 64, 0), (4104, 4088, 256), (300, 8192, 192), (8, 8, 8), (127, 8, 4096), (129, 257, 65),
           (64, 64, 1), (33, 77, 1)]


def integers(rows, cols, dtype=torch.bfloat16):
    return torch.randint(-4, 5, (rows, cols), device="cuda").to(dtype)


def padded(tensor, multiple=8):
    """The same values as a slice of a larger matrix, whose rows start at multiples of `multiple` elements."""
    rows, cols = tensor.shape
    stride = max(multiple, (cols + multiple - 1) // multiple * multiple) + multiple
    large = torch.full((rows + 2, stride), float("nan"), device=tensor.device, dtype=tensor.dtype)
    part = large[1:1 + rows, :cols]
    part.copy_(tensor)
    return part


class Checker:
    def __init__(self, folder):
        self.folder = folder
        self.passed = 0
        self.failed = []

    def library(self, name):
        return Library(f"{self.folder}/lib{name}.so")

    def expect(self, what, got, reference, tolerance):
        """tolerance 0: bit for bit after rounding to the output's dtype; else of the relative Frobenius norm."""
        torch.cuda.synchronize()
        if tolerance == 0:
            good = torch.equal(got, reference.to(got.dtype))
            detail = "" if good else f"{(got != reference.to(got.dtype)).sum().item()} elements differ"
        else:
            error = ((got.double() - reference).norm() / reference.norm().clamp_min(1e-30)).item()
            good = error < tolerance
            detail = f"error {error:.2e}"
        if good:
            self.passed += 1
        else:
            self.failed.append(f"{what}: {detail}")
            print("WRONG", what, detail, flush=True)

    def refused(self, what, call, words):
        try:
            call()
        except Refused as refusal:
            if words in str(refusal):
                self.passed += 1
                return
            self.failed.append(f"{what}: the sentence is `{refusal}`")
        else:
            self.failed.append(f"{what}: not refused")
        print("WRONG", self.failed[-1], flush=True)


def orders(check):
    """Every order of A and B, every extent, dense and as slices of larger matrices; gelu on top in one of them."""
    for name, function, a_turned, b_turned, dtype in (
            ("gemm", "gemm", False, False, torch.bfloat16), ("gemm", "gemm_square", False, False, torch.bfloat16),
            ("gemm", "gemm_pairs", False, False, torch.bfloat16), ("gemm", "gemm_tall", False, False, torch.bfloat16),
            ("gemm", "gemm_turns", False, False, torch.bfloat16),
            ("gemm", "gemm_narrow", False, False, torch.bfloat16), ("gemm", "gemm_low", False, False, torch.bfloat16),
            ("gemm", "gemm_low_64", False, False, torch.bfloat16), ("gemm", "gemm_low_32", False, False, torch.bfloat16),
            ("gemm_nt", "gemm_nt", False, True, torch.bfloat16), ("gemm_tn", "gemm_tn", True, False, torch.bfloat16),
            ("gemm_nt", "gemm_nt_pairs", False, True, torch.bfloat16), ("gemm_nt", "gemm_nt_tall", False, True, torch.bfloat16),
            ("gemm_nt", "gemm_nt_turns", False, True, torch.bfloat16),
            ("gemm_nt", "gemm_nt_low", False, True, torch.bfloat16), ("gemm_nt", "gemm_nt_low_32", False, True, torch.bfloat16),
            ("gemm_tn", "gemm_tn_pairs", True, False, torch.bfloat16), ("gemm_tn", "gemm_tn_tall", True, False, torch.bfloat16),
            ("gemm_tt_f16", "gemm_tt_f16", True, True, torch.float16)):
        library = check.library(name)
        for m, n, k in EXTENTS:
            a, b = integers(m, k, dtype), integers(k, n, dtype)
            reference = a.double() @ b.double()
            stored_a, stored_b = (a.T.contiguous() if a_turned else a), (b.T.contiguous() if b_turned else b)
            aligned = all(x.shape[1] % 8 == 0 for x in (stored_a, stored_b)) and n % 8 == 0
            for way in ("dense", "slice"):
                if way == "dense" and not aligned:
                    continue
                c = torch.full((m, n), float("nan"), device="cuda", dtype=dtype)
                operands = (stored_a, stored_b, c)
                if way == "slice":
                    operands = tuple(padded(x) for x in operands)
                library.run(function, *operands)
                check.expect(f"{function} {m}x{n}x{k} {way}", operands[2], reference, 0)


def divided(check):
    """K divided among programs."""
    for name, function, b_turned in (("gemm_split", "gemm_split", False), ("gemm_split", "gemm_nt_split", True),
                                     ("gemm_few", "gemm_few", True)):
        library = check.library(name)
        for m, n, k in EXTENTS:
            if function == "gemm_few" and m > 300:
                continue
            a, b = integers(m, k), integers(k, n)
            reference = a.double() @ b.double()
            operands = [padded(x) for x in (a, b.T.contiguous() if b_turned else b)]
            for splits in (1, 2, 7):
                c = padded(torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16))
                shape = (splits, n, m) if function == "gemm_few" else (splits, m, n)
                library.run(function, *operands, c, torch.full(shape, float("nan"), device="cuda"), splits)
                check.expect(f"{function} {m}x{n}x{k} / {splits}", c, reference, 0)


def any_strides(check):
    library = check.library("gemm_any")
    for m, n, k in EXTENTS:
        a, b = integers(m, k), integers(k, n)
        reference = a.double() @ b.double()
        for way in ("dense", "columns first", "odd slices"):
            c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
            if way == "columns first":
                a_view, b_view, c = a.T.contiguous().T, b.T.contiguous().T, torch.full_like(c.T, float("nan")).T
            elif way == "odd slices":
                a_view, b_view, c = (padded(x, 3) for x in (a, b, c))
            else:
                a_view, b_view = a, b
            library.run("gemm_any", a_view, b_view, c)
            check.expect(f"gemm_any {m}x{n}x{k} {way}", c, reference, 0)


def gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def epilogues(check):
    library = check.library("gemm_bias")
    for m, n, k in ((200, 328, 136), (512, 1024, 512), (1, 8, 8), (64, 64, 0)):
        a, b = (torch.randn(rows, k, device="cuda").bfloat16() for rows in (m, n))
        bias = torch.randn(n, device="cuda").bfloat16()
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
        library.run("gemm_bias", a, b, bias, c)
        check.expect(f"gemm_bias {m}x{n}x{k}", c, a.double() @ b.double().T + bias.double(), 4e-3)
        library.run("gemm_bias_gelu", a, b, bias, c)
        check.expect(f"gemm_bias_gelu {m}x{n}x{k}", c, gelu(a.double() @ b.double().T + bias.double()), 4e-3)
    library = check.library("gemm_registers")
    for m, n, k in ((200, 328, 136), (512, 1024, 512), (1, 8, 8), (128, 128, 0)):
        a, b = integers(m, k), integers(k, n)
        residual = torch.randint(-9, 9, (m, n), device="cuda").float()
        for clamp in (0, 1):
            c = torch.full((m, n), float("nan"), device="cuda")
            library.run("gemm_registers", a, b, residual, c, 2.0, clamp)
            reference = 2 * (a.double() @ b.double()) + residual
            check.expect(f"gemm_registers {m}x{n}x{k} clamp {clamp}", c, reference.clamp_min(0) if clamp else reference, 0)
    library = check.library("gemm_relay")
    for z, m, n, k in ((3, 200, 328, 136), (1, 64, 64, 64), (2, 8, 8, 8), (5, 100, 200, 1000)):
        a, b = (torch.randint(-4, 5, shape, device="cuda").bfloat16() for shape in ((z, m, k), (z, k, n)))
        c = torch.full((z, m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
        library.run("gemm_relay", a, b, c)
        check.expect(f"gemm_relay {z}x{m}x{n}x{k}", c, (a.double() + 1) @ b.double(), 0)
    library = check.library("gemm_quads")
    for z, m, n, k in ((1, 64, 128, 64), (2, 200, 328, 136), (3, 1000, 136, 264), (1, 4096, 4096, 1024), (2, 8, 8, 8)):
        a, b, r = integers(z * m, k).view(z, m, k), integers(z * n, k).view(z, n, k), integers(64, n)
        c = torch.full((z, m, n), float("nan"), device="cuda")
        library.run("gemm_quads", a, b, r, c)
        rows = r.double().repeat(m // 64 + 1, 1)[:m]
        check.expect(f"gemm_quads {z}x{m}x{n}x{k}", c, a.double() @ b.double().transpose(1, 2) + rows, 0)


def normal_numbers(check):
    library = check.library("gemm")
    for m, n, k in ((2048, 2304, 4096), (1000, 1000, 8192)):
        a, b = (torch.randn(shape, device="cuda").bfloat16() for shape in ((m, k), (k, n)))
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
        library.run("gemm", a, b, c)
        check.expect(f"gemm {m}x{n}x{k} normal", c, a.double() @ b.double(), 3e-3)
    for run in range(20):  # the same bits every time
        d = torch.full_like(c, float("nan"))
        library.run("gemm", a, b, d)
        check.expect(f"gemm, run {run}", d, c, 0)


def empty(check):
    library = check.library("gemm")
    for m, n in ((0, 64), (64, 0), (0, 0)):
        a, b = (torch.randn(shape, device="cuda").bfloat16() for shape in ((m, 64), (64, n)))
        c = torch.empty((m, n), device="cuda", dtype=torch.bfloat16)
        library.run("gemm", a, b, c)
        check.expect(f"gemm {m}x{n}x64", c, c.double(), 0)


def refusals(check):
    library = check.library("gemm")
    a, b, c = integers(64, 64), integers(64, 64), integers(64, 64)
    run = library.run
    check.refused("inner extents", lambda: run("gemm", a, integers(72, 64), c), "K")
    check.refused("dtype", lambda: run("gemm", a.half(), b, c), "bf16")
    check.refused("rank", lambda: run("gemm", a[0], b, c), "A")
    check.refused("device", lambda: run("gemm", a.cpu(), b, c), "A")
    check.refused("overlap", lambda: run("gemm", a, b, a), "overlap")
    check.refused("row stride", lambda: run("gemm", padded(a, 3), b, c), "A")
    check.refused("base", lambda: run("gemm", integers(65, 64).flatten()[1:4097].view(64, 64), b, c), "A")
    check.refused("innermost stride", lambda: run("gemm", a.T, b, c), "A")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {part.__name__: part for part in (orders, divided, any_strides, epilogues, normal_numbers, empty, refusals)}
    parser.add_argument("--libraries", default="build/bench")
    parser.add_argument("--parts", nargs="*", choices=parts, default=list(parts))
    args = parser.parse_args()
    torch.manual_seed(1)
    check = Checker(args.libraries)
    for part in (parts[name] for name in args.parts):
        before = check.passed, len(check.failed)
        part(check)
        print(f"{part.__name__}: {check.passed - before[0]} passed, {len(check.failed) - before[1]} failed", flush=True)
    print(f"{check.passed} passed, {len(check.failed)} failed")
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
