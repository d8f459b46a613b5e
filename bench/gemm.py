"""Times the GEMM examples beside cuBLAS (PyTorch) on the same tensors, in one run; the launcher chooses the kernel.

Build the libraries with bench/build.sh, then: python3 bench/gemm.py [--seconds 2] [--json FILE]
`bench/gemm_check.py` says whether the results are right; a shape is also checked here before it is timed.
"""
import argparse
import json

import torch

from library import Library
from timing import measure

SHAPES = [  # M, N, K, B stored [N, K]: large squares, and layers of Llama 3 8B, 70B and 405B
    (4096, 4096, 4096, False),
    (8192, 8192, 8192, False),
    (16384, 16384, 16384, False),
    (8192, 4096, 14336, False),
    (4096, 14336, 4096, True),
    (8192, 28672, 8192, True),
    (4096, 16384, 53248, True),
]
RAGGED = [  # extents that are no multiples of a tile, each beside the next one that is
    ((4000, 4160, 4160, False), (4096, 4352, 4160, False)),
    ((8100, 8128, 8128, True), (8192, 8192, 8128, True)),
    ((4000, 4088, 4096, True), (4096, 4096, 4096, True)),
    ((4000, 4088, 4040, False), (4096, 4096, 4096, False)),
]


def geometric_mean(values):
    product = 1.0
    for v in values:
        product *= v
    return product ** (1 / len(values))


def time_shape(libraries, shape, seconds):
    m, n, k, turned = shape
    a = torch.randn(m, k, device="cuda").bfloat16()
    b = (torch.randn(n, k, device="cuda") if turned else torch.randn(k, n, device="cuda")).bfloat16()
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    peer = torch.empty_like(c)
    right = b.T if turned else b
    name = "gemm_nt" if turned else "gemm"
    ours = libraries[name].bind(name, a, b, c)
    theirs = lambda: torch.matmul(a, right, out=peer)
    ours()
    rows = torch.randint(0, m, (64,), device="cuda")
    reference = a[rows].double() @ right.double()
    error = ((c[rows].double() - reference).norm() / reference.norm()).item()
    del reference
    rates = measure({"tkc": ours, "cuBLAS": theirs}, 2.0 * m * n * k, seconds)
    result = {"shape": f"{m}x{n}x{k} {'NT' if turned else 'NN'}", "error": error}
    for way in ("turn", "burst"):
        for who in ("tkc", "cuBLAS"):
            result[f"{who}, {way}"] = rates[who, way]
    return result


def line(result):
    text = f"{result['shape']:22s} error {result['error']:.1e}"
    for way in ("turn", "burst"):
        ours, theirs = result[f"tkc, {way}"], result[f"cuBLAS, {way}"]
        text += f" | {way} {ours[0]:4.0f} ({ours[1]:.0f}..{ours[2]:.0f}) / {theirs[0]:4.0f}" \
                f" ({theirs[1]:.0f}..{theirs[2]:.0f}) = {ours[0] / theirs[0]:.3f}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default="build/bench")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    torch.manual_seed(1)
    libraries = {name: Library(f"{args.libraries}/lib{name}.so") for name in ("gemm", "gemm_nt")}
    results = []
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s: tkc / cuBLAS, median (5 %..95 %)")
    for shape in SHAPES:
        results.append(time_shape(libraries, shape, args.seconds))
        print(line(results[-1]), flush=True)
        torch.cuda.empty_cache()
    for way in ("turn", "burst"):
        ratios = [r[f"tkc, {way}"][0] / r[f"cuBLAS, {way}"][0] for r in results]
        print(f"geometric mean, {way}: {geometric_mean(ratios):.4f}, lowest {min(ratios):.3f}")
    for shape, full in RAGGED:
        ragged, padded = (time_shape(libraries, s, args.seconds / 2) for s in (shape, full))
        print(line(ragged))
        print(line(padded), flush=True)
        # A caller who pads waits for the padded problem.
        work = (full[0] * full[1] * full[2]) / (shape[0] * shape[1] * shape[2])
        print("    time of the padded problem / ours: " + ", ".join(
            f"{way} {work * ragged[f'tkc, {way}'][0] / padded[f'tkc, {way}'][0]:.3f}" for way in ("turn", "burst")),
              flush=True)
        results += [ragged, padded]
        torch.cuda.empty_cache()
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
