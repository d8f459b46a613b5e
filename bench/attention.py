"""Checks and times examples/attention/attention.tk and attention_shared.tk next to PyTorch's attention (cuDNN) and FlashAttention-4 (where
peers.py finds it) on the same tensors, in one run.

Build the libraries with bench/build.sh, then: python3 bench/attention.py [--check] [--time] [--seconds 2] [--only 96 192] [--f16] [--json FILE]
The check compares errors against float64 with those of PyTorch's FlashAttention-2 on the same inputs: each may be 5 % larger,
and the mean of all ratios is printed.
"""
import argparse
import json
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from gemm import geometric_mean
from library import Library
from peers import flash_attention_4
from timing import measure, recorded

SHAPES = [(16, 16, 1024), (16, 16, 2048), (16, 16, 4096), (16, 16, 8192), (4, 32, 4096), (1, 16, 16384)]  # B, H, N
HEAD_DIMENSIONS = [64, 96, 128, 192, 256]

# FlashAttention-3 over cuDNN on one H100 (CUDA 13.0, cuDNN 9.19), both in one run: by head dimension and mask, for N = 1024,
# 2048, 4096, 8192 at B16 H16 and 16384 at B1 H16. Where cuDNN's figure moved, the middle.
FA3 = {
    (128, False): [636 / 597, 687 / 616, 672 / 638, 672 / 622, 702 / 623],
    (128, True): [419 / 427, 554 / 506, 607 / 581.5, 634 / 595, 684 / 581],
    (64, False): [295 / 422, 466 / 467.5, 498 / 480, 507 / 465.5],
    (64, True): [248 / 314, 390 / 398.5, 453 / 437, 499 / 447],
}


def fa3_ratio(d, causal, shape):
    """FlashAttention-3's speed over cuDNN's for the shape, 0 where it was not measured."""
    ratios = FA3.get((d, causal), [])
    at = {1024: 0, 2048: 1, 4096: 2, 8192: 3, 16384: 4}[shape[2]]
    return ratios[at] if at < len(ratios) else 0


def kernel_of(d, causal, m, dtype):
    """Library and function for m rows of a head dimension."""
    if d == 128:
        library, function = "attention", "attention"
    elif d == 96:
        library, function = "attention_96", "attention"
    elif d == 192:
        library, function = "attention_192", "attention_shared"
    elif d == 64 and causal and m <= 2048:
        library, function = "attention", "attention_64"
    else:
        library, function = "attention_shared", "attention_shared" if d == 64 else f"attention_{d}"
    return library + ("_f16" if dtype == torch.float16 else ""), function + ("_causal" if causal else "")


class Libraries:
    """The libraries of a folder, loaded when they are first used."""

    def __init__(self, folder):
        self.folder, self.loaded = folder, {}

    def __getitem__(self, name):
        if name not in self.loaded:
            self.loaded[name] = Library(f"{self.folder}/lib{name}.so")
        return self.loaded[name]


def reference(q, k, v, causal):
    """O and the log-sum-exp in float64; row i sees keys 0 ..= i + N - M."""
    group = q.shape[1] // k.shape[1]
    q, k, v = (t.double() for t in (q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)))
    s = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
    if causal:
        m, n = s.shape[2:]
        hidden = torch.arange(n, device=s.device)[None, :] > torch.arange(m, device=s.device)[:, None] + n - m
        s = s.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(s, 3)
    return torch.exp(s - lse.masked_fill(lse == -math.inf, 0)[..., None]) @ v, lse


def inputs(kind, batches, heads, kv_heads, m, n, d, dtype):
    q = torch.randn(batches, heads, m, d, device="cuda")
    k, v = (torch.randn(batches, kv_heads, n, d, device="cuda") for _ in range(2))
    if kind == "outliers":  # one element in a thousand is large
        for t in (q, k, v):
            t += (torch.rand_like(t) < 1e-3) * 10 * torch.randn_like(t)
    if kind == "peaks":  # the largest scores come last
        k *= torch.linspace(0.1, 4, n, device="cuda")[:, None]
    return [t.to(dtype) for t in (q, k, v)]


def run(libraries, causal, q, k, v):
    o = torch.full(q.shape, math.nan, device="cuda", dtype=q.dtype)
    if q.stride(1) < q.stride(2):  # the same order in memory
        o = o.transpose(1, 2).contiguous().transpose(1, 2)
    lse = torch.full(q.shape[:3], math.nan, device="cuda")
    library, function = kernel_of(q.shape[3], causal, q.shape[2], q.dtype)
    libraries[library].run(function, q, k, v, o, lse, q.shape[3]**-0.5)
    torch.cuda.synchronize()
    return o, lse


def error_of(got, want):
    return ((got.double() - want).norm() / want.norm().clamp_min(1e-30)).item()


def check(libraries, dimensions, dtype):
    wrong = passed = 0
    ratios = []  # of errors, ours over FlashAttention-2's
    for d in dimensions:
        for batches, heads, kv_heads, m, n in ((2, 4, 2, 256, 256), (1, 4, 4, 200, 333), (1, 2, 1, 300, 130), (1, 1, 1, 1, 1),
                                               (2, 2, 2, 1000, 1024), (1, 8, 2, 4096, 4096), (3, 2, 1, 129, 257)):
            for causal in (False, True):
                for kind in ("normal", "outliers", "peaks"):
                    q, k, v = inputs(kind, batches, heads, kv_heads, m, n, d, dtype)
                    want, want_lse = reference(q, k, v, causal)
                    empty = want_lse == -math.inf
                    for order in ("BHND", "BNHD"):
                        if order == "BNHD":
                            q, k, v = (t.transpose(1, 2).contiguous().transpose(1, 2) for t in (q, k, v))
                        o, lse = run(libraries, causal, q, k, v)
                        error = error_of(o, want)
                        error_lse = (lse.double() - want_lse)[~empty].abs().max().item() if (~empty).any() else 0
                        peer = math.nan
                        if not causal or m == n:
                            group = heads // kv_heads
                            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                                theirs = sdpa(q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1), is_causal=causal)
                            peer = error_of(theirs, want)
                            if min(error, peer) > 0:
                                ratios.append(error / peer)
                        good = not torch.isnan(o).any() and error <= (5e-3 if math.isnan(peer) else max(1.05 * peer, 1e-6)) and \
                            error_lse < 1e-4 * max(1, want_lse[~empty].abs().max().item() if (~empty).any() else 1) and \
                            bool(((lse == -math.inf) == empty).all()) and bool((o[empty] == 0).all())
                        passed += good
                        wrong += not good
                        if not good or (kind != "normal" and order == "BHND" and m in (1000, 4096)):
                            print(f"{'' if good else 'WRONG '}D{d} B{batches} H{heads}/{kv_heads} M{m} N{n}"
                                  f" {'causal' if causal else 'full'} {kind} {order}: error {error:.2e},"
                                  f" FlashAttention-2 {peer:.2e}, log-sum-exp {error_lse:.1e}", flush=True)
    print(f"{passed} passed, {wrong} wrong; error over FlashAttention-2's: geometric mean {geometric_mean(ratios):.4f},"
          f" {min(ratios):.3f} to {max(ratios):.3f}")
    return wrong == 0


def time_shape(libraries, d, shape, causal, seconds, dtype, n=None):
    batches, heads, full = shape
    n = n or full
    q, k, v = (torch.randn(batches, heads, n, d, device="cuda", dtype=dtype) for _ in range(3))
    o, lse = torch.empty_like(q), torch.empty(batches, heads, n, device="cuda")
    library, function = kernel_of(d, causal, n, dtype)
    ours = libraries[library].bind(function, q, k, v, o, lse, d**-0.5)

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return sdpa(q, k, v, is_causal=causal)

    ours()
    error = error_of(o, cudnn().double())
    flops = 4.0 * batches * heads * n * n * d / (2 if causal else 1)
    contenders = {"tkc": ours, "cuDNN": cudnn}
    flash4 = flash_attention_4(q, k, v, causal)
    if flash4:
        error = max(error, error_of(o, flash4().double()))
        contenders["FA4"] = flash4
    torch.cuda.synchronize()
    # Of Python, whoever's it is, only a graph's launch is timed.
    rates = measure({name: recorded(call, 1) for name, call in contenders.items()}, flops, seconds)
    result = {"d": d, "shape": shape, "n": n, "causal": causal, "apart": error, "FA3": fa3_ratio(d, causal, shape)}
    for way in ("turn", "burst"):
        for who in contenders:
            result[f"{who}, {way}"] = rates[who, way]
    return result


def ratio(result, way, peer="cuDNN"):
    return result[f"tkc, {way}"][0] / result[f"{peer}, {way}"][0]


def of_the_best(result, way):
    """Our speed over that of the best of cuDNN, FlashAttention-4, and FlashAttention-3 as it was next to cuDNN."""
    return min([ratio(result, way) / max(1, result["FA3"])] + ([ratio(result, way, "FA4")] if f"FA4, {way}" in result else []))


def line(result):
    batches, heads, _ = result["shape"]
    text = f"D{result['d']:<3} B{batches:<2} H{heads} N{result['n']:<5} {'causal' if result['causal'] else 'full  '}"
    for way in ("turn", "burst"):
        ours, theirs = result[f"tkc, {way}"], result[f"cuDNN, {way}"]
        text += f" | {way} {ours[0]:4.0f} / {theirs[0]:4.0f} = {ratio(result, way):.3f}"
        if f"FA4, {way}" in result:
            text += f", FA4 {result[f'FA4, {way}'][0]:4.0f} = {ratio(result, way, 'FA4'):.3f}"
        text += f", of the best {of_the_best(result, way):.3f}"
    return text + f" | {result['apart']:.1e}"


def time(libraries, dimensions, seconds, dtype):
    results = []
    for d in dimensions:
        for shape in SHAPES:
            for causal in (False, True):
                results.append(time_shape(libraries, d, shape, causal, seconds, dtype))
                print(line(results[-1]), flush=True)
                torch.cuda.empty_cache()
    for way in ("turn", "burst"):
        against = [ratio(r, way) for r in results]
        best = [of_the_best(r, way) for r in results]
        print(f"{way}: geometric mean {geometric_mean(against):.3f} of cuDNN (lowest {min(against):.3f}),"
              f" {geometric_mean(best):.3f} of the best of all (lowest {min(best):.3f})")
    for d in dimensions:  # odd lengths next to the next multiple of 128
        for causal in (False, True):
            odd, even = (time_shape(libraries, d, (16, 16, 4096), causal, seconds, dtype, n) for n in (4001, 4096))
            spent = [n["n"]**2 / n["tkc, turn"][0] for n in (odd, even)]
            print(f"D{d} {'causal' if causal else 'full'}: time at N = 4001 over that at 4096: {spent[0] / spent[1]:.3f}", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--libraries", default="../build/bench")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--only", type=int, nargs="*", default=[64, 128, 256], help="head dimensions: 64, 96, 128, 192, 256")
    parser.add_argument("--f16", action="store_true", help="f16 instead of bf16")
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(SHAPES)), help="numbers of the shapes to time, from 0")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    torch.manual_seed(1)
    dimensions = [d for d in HEAD_DIMENSIONS if d in args.only]
    libraries = Libraries(args.libraries)
    dtype = torch.float16 if args.f16 else torch.bfloat16
    SHAPES[:] = [SHAPES[i] for i in args.shapes]
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s: tkc / cuDNN, median")
    good = not args.check or check(libraries, dimensions, dtype)
    if args.time:
        results = time(libraries, dimensions, args.seconds, dtype)
        if args.json:
            with open(args.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
