"""Times the GEMM examples next to cuBLAS (PyTorch) on the same tensors, in one run; the launcher chooses the kernel. large: next to
QuACK, too, where it can be imported (peers.py), with the best of its tiles.

Build the libraries with bench/build.sh, then: python3 bench/gemm.py [--only large ragged small short plans] [--seconds 2] [--json FILE]
`bench/gemm_check.py` says whether the results are right; a shape is also checked here before it is timed.

large, ragged: in turn and in bursts (timing.py). small (few rows, little products) and short (short K, askew waves): graphs of
calls in turn, hot on the same matrices each time, and cold on others, so many that they do not fit in the L2 cache together. There
K is divided among programs where tk.torch.linear and matmul do so; the undivided product, whole, is then timed next to it. plans:
all ways to divide K that are not estimated to be far off, on the shapes of small, cold; the fastest, and what is chosen.
"""
import argparse
import functools
import json
from unittest import mock

import torch

from bandwidth import seconds_of
from library import Library
from peers import quack
from timing import measure, recorded

from tk import products  # library has put the package on the path

SHAPES = [  # M, N, K, B stored [N, K]: large squares, and layers of Llama 3 8B, 70B and 405B
    (4096, 4096, 4096, False),
    (8192, 8192, 8192, False),
    (16384, 16384, 16384, False),
    (8192, 4096, 14336, False),
    (4096, 14336, 4096, True),
    (8192, 28672, 8192, True),
    (4096, 16384, 53248, True),
]
RAGGED = [  # extents that are not multiples of a tile, each next to the next one that is
    ((4000, 4160, 4160, False), (4096, 4352, 4160, False)),
    ((8100, 8128, 8128, True), (8192, 8192, 8128, True)),
    ((4000, 4088, 4096, True), (4096, 4096, 4096, True)),
    ((4000, 4088, 4040, False), (4096, 4096, 4096, False)),
]
LAYERS = [(6144, 4096), (4096, 14336), (28672, 4096), (2112, 7168)]  # N, K: of Llama 3 8B, and of DeepSeek-V3
SMALL = [(1024, 1024, 1024, False), (2048, 2048, 2048, False), (512, 512, 4096, False), (512, 512, 4096, True)] \
    + [(m, n, k, True) for m in (16, 64, 128, 512) for n, k in LAYERS]
SHORT = [(4096, 4096, 512, False), (4096, 4096, 1024, False), (8192, 8192, 1024, False), (8192, 8192, 2048, False),
         (4000, 4160, 4160, False)] + [(8192, n, k, True) for n, k in LAYERS]
COLD = 256 << 20  # bytes, several times the L2 cache
CALLS = 20  # in a graph that stays hot


def geometric_mean(values):
    product = 1.0
    for v in values:
        product *= v
    return product ** (1 / len(values))


def contenders(libraries, shape, divided=False):
    """Our call and cuBLAS's on matrices of their own, and the error of ours in 64 rows. divided: K may be, and then the call that
    does not divide it is next to it."""
    m, n, k, turned = shape
    a = torch.randn(m, k, device="cuda").bfloat16()
    b = (torch.randn(n, k, device="cuda") if turned else torch.randn(k, n, device="cuda")).bfloat16()
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    peer = torch.empty_like(c)
    right = b.T if turned else b
    name = "gemm_nt" if turned else "gemm"
    ours = whole = libraries[name].bind(name, a, b, c)
    plan = products.plan(m, n, k, turned, torch.cuda.get_device_properties(0).multi_processor_count)
    if divided and plan.splits > 1:
        function = products.linear if turned else products.matmul
        c.copy_(function(a, b))

        def ours():
            function(a, b)
    else:
        ours()
    rows = torch.randint(0, m, (64,), device="cuda")
    reference = a[rows].double() @ right.double()
    error = ((c[rows].double() - reference).norm() / reference.norm()).item()
    calls = {"tkc": ours, "cuBLAS": functools.partial(torch.matmul, input=a, other=right, out=peer)}
    return calls if ours is whole else calls | {"whole": whole}, error


def name_of(shape):
    m, n, k, turned = shape
    return f"{m}x{n}x{k} {'NT' if turned else 'NN'}"


def time_small(libraries, shape, seconds):
    """TFLOP/s and seconds, hot and cold."""
    m, n, k, _ = shape
    sets = max(1, -(-COLD // (2 * (m * k + n * k + m * n))))
    made = [contenders(libraries, shape, True) for _ in range(sets)]
    result = {"shape": name_of(shape), "error": max(error for _, error in made)}
    ways = {"hot": [made[0][0]] * CALLS, "cold": [calls for calls, _ in made]}
    for way, calls in ways.items():
        for pair in calls[-1:]:
            for call in pair.values():  # outside of the capture
                call()
        graphs = {}
        for who in calls[0]:
            def all_of_them(list_=[pair[who] for pair in calls]):
                for call in list_:
                    call()
            graphs[who] = recorded(all_of_them, 1)
        for who, spent in seconds_of(graphs, seconds / 2).items():
            result[f"{who}, {way}"] = [2.0 * m * n * k / (spent / len(calls)) / 1e12, spent / len(calls)]
    return result


def line_of_small(result):
    text = f"{result['shape']:22s} error {result['error']:.1e}"
    for way in ("hot", "cold"):
        ours, theirs = result[f"tkc, {way}"], result[f"cuBLAS, {way}"]
        text += f" | {way} {ours[0]:5.1f} / {theirs[0]:5.1f} TFLOP/s, {ours[1] * 1e6:6.1f} / {theirs[1] * 1e6:6.1f} us" \
                f" = {theirs[1] / ours[1]:.3f}"
        if f"whole, {way}" in result:
            text += f" (whole {result[f'whole, {way}'][1] * 1e6:6.1f} us)"
    return text


def time_shape(libraries, shape, seconds, beside_quack=False):
    m, n, k, _ = shape
    calls, error = contenders(libraries, shape)
    if beside_quack:
        a, right, out = calls["cuBLAS"].keywords["input"], calls["cuBLAS"].keywords["other"], calls["cuBLAS"].keywords["out"]
        call = quack(a, right, torch.empty_like(out))
        if call is not None:
            calls["QuACK"] = recorded(call, 1)  # without its Python
    rates = measure(calls, 2.0 * m * n * k, seconds)
    result = {"shape": name_of(shape), "error": error}
    for way in ("turn", "burst"):
        for who in calls:
            result[f"{who}, {way}"] = rates[who, way]
    return result


def line(result):
    text = f"{result['shape']:22s} error {result['error']:.1e}"
    for way in ("turn", "burst"):
        ours, theirs = result[f"tkc, {way}"], result[f"cuBLAS, {way}"]
        text += f" | {way} {ours[0]:4.0f} ({ours[1]:.0f}..{ours[2]:.0f}) / {theirs[0]:4.0f}" \
                f" ({theirs[1]:.0f}..{theirs[2]:.0f}) = {ours[0] / theirs[0]:.3f}"
        if f"QuACK, {way}" in result:
            theirs = result[f"QuACK, {way}"]
            text += f", QuACK {theirs[0]:4.0f} = {ours[0] / theirs[0]:.3f}"
    return text


def time_large(libraries, seconds):
    results = []
    for shape in SHAPES:
        results.append(time_shape(libraries, shape, seconds, beside_quack=True))
        print(line(results[-1]), flush=True)
        torch.cuda.empty_cache()
    for way in ("turn", "burst"):
        for peer in ("cuBLAS", "QuACK"):
            if f"{peer}, {way}" in results[0]:
                ratios = [r[f"tkc, {way}"][0] / r[f"{peer}, {way}"][0] for r in results]
                print(f"geometric mean, {way}, over {peer}: {geometric_mean(ratios):.4f}, lowest {min(ratios):.3f}")
    return results


def time_ragged(libraries, seconds):
    results = []
    for shape, full in RAGGED:
        ragged, padded = (time_shape(libraries, s, seconds / 2) for s in (shape, full))
        print(line(ragged))
        print(line(padded), flush=True)
        # A caller who pads waits for the padded problem.
        work = (full[0] * full[1] * full[2]) / (shape[0] * shape[1] * shape[2])
        print("    time of the padded problem / ours: " + ", ".join(
            f"{way} {work * ragged[f'tkc, {way}'][0] / padded[f'tkc, {way}'][0]:.3f}" for way in ("turn", "burst")),
              flush=True)
        results += [ragged, padded]
        torch.cuda.empty_cache()
    return results


def time_smalls(shapes):
    def time_all(libraries, seconds):
        results = []
        for shape in shapes:
            results.append(time_small(libraries, shape, seconds))
            print(line_of_small(results[-1]), flush=True)
            torch.cuda.empty_cache()
        for way in ("hot", "cold"):
            ratios = [r[f"cuBLAS, {way}"][1] / r[f"tkc, {way}"][1] for r in results]
            print(f"geometric mean, {way}: {geometric_mean(ratios):.4f}, lowest {min(ratios):.3f}")
        return results
    return time_all


def time_plans(_, seconds):
    results = []
    count = torch.cuda.get_device_properties(0).multi_processor_count
    for m, n, k, turned in SMALL:
        sets = max(1, -(-COLD // (2 * (m * k + n * k + m * n))))
        made = [(torch.randn(m, k, device="cuda").bfloat16(), torch.randn(*((n, k) if turned else (k, n)), device="cuda").bfloat16())
                for _ in range(sets)]
        found = list(products.candidates(m, n, k, turned, count))
        least = min(cycles for _, cycles in found)
        graphs = {}
        for plan, cycles in found:
            if plan.splits > 1 and cycles > 1.3 * least:
                continue
            with mock.patch.object(products, "plan", lambda *_: plan):
                def all_of_them():
                    for a, b in made:
                        (products.linear if turned else products.matmul)(a, b)
                all_of_them()  # outside of the capture
                graphs[plan] = recorded(all_of_them, 1)
        times = {plan: spent / sets for plan, spent in seconds_of(graphs, seconds / 2).items()}
        ranked = sorted(times, key=times.get)
        chosen = products.plan(m, n, k, turned, count)
        print(name_of((m, n, k, turned)) + f": chosen {told(chosen)} {times[chosen] * 1e6:.1f} us | "
              + ", ".join(f"{told(plan)} {times[plan] * 1e6:.1f}" for plan in ranked[:6]), flush=True)
        results.append({"shape": name_of((m, n, k, turned)), "chosen": told(chosen), "us": {told(p): times[p] * 1e6 for p in ranked}})
        del graphs, made
        torch.cuda.empty_cache()
    return results


def told(plan):
    words = dict(plan.constants)
    return plan.file + (f" {words['BM']} x {words.get('BN', 64)} / {plan.splits}" if words else "")


GROUPS = {"plans": time_plans, "large": time_large, "ragged": time_ragged, "small": time_smalls(SMALL), "short": time_smalls(SHORT)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default="build/bench")
    parser.add_argument("--only", nargs="*", choices=list(GROUPS), default=[name for name in GROUPS if name != "plans"])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    torch.manual_seed(1)
    libraries = {name: Library(f"{args.libraries}/lib{name}.so") for name in ("gemm", "gemm_nt")}
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s: tkc / cuBLAS, median (5 %..95 %)")
    results = []
    for name in args.only:
        print(name)
        results += GROUPS[name](libraries, args.seconds)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
