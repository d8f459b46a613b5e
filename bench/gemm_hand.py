"""Checks and times the hand-written GEMM (bench/hand) next to cuBLAS on the same tensors.

Build with bench/hand/build.sh, then: python3 bench/gemm_hand.py [--check] [--time] [--bands] [--json FILE]
Needs PyTorch with CUDA and a Hopper GPU.
"""
import argparse
import ctypes
import itertools
import json

import torch

from timing import measure

MODEL_SHAPES = [  # M, N, K, B stored [N, K]
    (4096, 4096, 4096, False),
    (8192, 8192, 8192, False),
    (16384, 16384, 16384, False),
    (8192, 4096, 14336, False),
    (4096, 14336, 4096, True),
    (8192, 28672, 8192, True),
    (4096, 4096, 11008, True),
    (2048, 5120, 5120, True),
    (4096, 4096, 4096, True),
    (8192, 8192, 8192, True),
]
ODD_SHAPES = [  # rows at any multiple of 16 bytes, in all operands or in some
    (4000, 4088, 4040, False),
    (4096, 4088, 4096, False),
    (4096, 4096, 4040, False),
    (8100, 8200, 8136, True),
    (4000, 4088, 4096, True),
]
PADDED_SHAPES = [
    (4096, 4096, 4096, False),
    (8192, 8448, 8192, True),
]
SMALL_SHAPES = [
    (1024, 1024, 1024, False),
    (512, 512, 4096, False),
    (1024, 1024, 8192, True),
    (2048, 2048, 2048, False),
    (2048, 5120, 5120, True),
]
PROMOTIONS = ["none", "64", "128", "256"]
CHECKED = [(200, 328, 136), (1, 8, 8), (128, 256, 64), (130, 264, 72), (1000, 1000, 1000), (2056, 1992, 520),
           (64, 64, 0), (4104, 4088, 256), (300, 8192, 192)]


class Hand:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.gemm_name.restype = ctypes.c_char_p
        self.names = [self.lib.gemm_name(i).decode() for i in range(self.lib.gemm_variants())]
        self.message = ctypes.create_string_buffer(256)

    def run(self, i, nt, a, b, c, band=8, blocks=0, promotion=3):
        m, k = a.shape
        code = self.lib.gemm_run(i, int(nt), ctypes.c_void_p(a.data_ptr() or c.data_ptr()),
                                 ctypes.c_void_p(b.data_ptr() or c.data_ptr()), ctypes.c_void_p(c.data_ptr()), m,
                                 c.shape[1], k, band, blocks, promotion, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
                                 self.message, ctypes.c_size_t(256))
        if code:
            raise RuntimeError(f"{self.names[i]}: {self.message.value.decode()}")


def integers(rows, cols):
    return torch.randint(-4, 5, (rows, cols), device="cuda").to(torch.bfloat16)


def normal(rows, cols):
    return torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16)


def check(hand, variants):
    """Every variant on integers, bit for bit, three times; then on normal numbers against float64."""
    failures = 0
    for i in variants:
        name = hand.names[i]
        for nt in (False, True):
            if nt and name == "plain":
                continue
            for m, n, k in CHECKED:
                if k == 0 and "flag" in name:
                    continue
                a, b = integers(m, k), integers(n, k) if nt else integers(k, n)
                ref = (a.double() @ (b.double().T if nt else b.double())).to(torch.bfloat16)
                for band in (8, 1, 3):
                    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
                    hand.run(i, nt, a, b, c, band)
                    torch.cuda.synchronize()
                    if not torch.equal(c, ref):
                        wrong = (c != ref).sum().item()
                        where = (c != ref).nonzero()[0].tolist()
                        print(f"WRONG {name} nt={nt} {m}x{n}x{k} band {band}: {wrong} elements, first {where}", flush=True)
                        failures += 1
                        break
            m, n, k = 2048, 2304, 4096
            a, b = normal(m, k), normal(n, k) if nt else normal(k, n)
            ref = a.double() @ (b.double().T if nt else b.double())
            c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
            hand.run(i, nt, a, b, c)
            error = ((c.double() - ref).norm() / ref.norm()).item()
            if not error < 3e-3:
                print(f"WRONG {name} nt={nt} normal: error {error:.2e}", flush=True)
                failures += 1
    print("check:", "all exact" if failures == 0 else f"{failures} failures", flush=True)
    return failures == 0


def time_shapes(hand, shapes, variants, bands, seconds, results, promotions=(3,)):
    for m, n, k, nt in shapes:
        a, b = normal(m, k), normal(n, k) if nt else normal(k, n)
        c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        bt = b.T if nt else b
        contenders = {"cuBLAS": lambda: torch.matmul(a, bt, out=c)}
        contenders["cuBLAS again"] = contenders["cuBLAS"]  # how far two equal contenders come apart
        chosen = [hand.lib.gemm_pick(int(nt), m, n, k)] if variants == "pick" else variants
        for i in chosen:
            if nt and hand.names[i] == "plain":
                continue
            for band, promotion in itertools.product(bands, promotions):
                label = hand.names[i] + (f" band {band}" if len(bands) > 1 else "")
                label += f" L2 {PROMOTIONS[promotion]}" if len(promotions) > 1 else ""
                contenders[label] = lambda i=i, band=band, promotion=promotion: hand.run(
                    i, nt, a, b, c, band, promotion=promotion)
        rates = measure(contenders, 2.0 * m * n * k, seconds)
        print(f"{m}x{n}x{k} {'NT' if nt else 'NN'}", flush=True)
        for name in contenders:
            line = f"  {name:20s}"
            for way in ("turn", "burst"):
                median, low, high = rates[name, way]
                line += f" | {median:5.0f} ({low:.0f}..{high:.0f}) {median / rates['cuBLAS', way][0]:.3f}"
            print(line, flush=True)
        results.append({"m": m, "n": n, "k": k, "nt": nt, "tflops": {f"{name}, {way}": rate for (name, way), rate in rates.items()}})
        del a, b, c, bt, contenders
        torch.cuda.empty_cache()


def summary(results):
    """One line a shape, and the geometric mean over the model shapes."""
    for way in ("turn", "burst"):
        product, count = 1.0, 0
        for r in results:
            base = r["tflops"][f"cuBLAS, {way}"][0]
            name = [key for key in r["tflops"] if not key.startswith("cuBLAS") and key.endswith(way)][0]
            rate = r["tflops"][name][0]
            print(f"{way} | {r['m']}x{r['n']}x{r['k']} {'NT' if r['nt'] else 'NN'} | {name.split(',')[0]} | "
                  f"{rate:.0f} | {base:.0f} | {rate / base:.3f}")
            if count < len(MODEL_SHAPES):
                product, count = product * rate / base, count + 1
        print(f"{way}: geometric mean over the model shapes {product ** (1 / count):.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/hand/gemm.so")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--odd", action="store_true")
    parser.add_argument("--pick", action="store_true", help="what a launcher would choose, on all shapes")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--promotions", default="3")
    parser.add_argument("--shapes", type=int, default=len(MODEL_SHAPES), help="how many of the model shapes")
    parser.add_argument("--odd-bands", default="8")
    parser.add_argument("--bands", default="")
    parser.add_argument("--variants", default="")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    hand = Hand(args.library)
    torch.manual_seed(1)
    results = []
    if args.pick:
        for shapes in (MODEL_SHAPES, ODD_SHAPES + PADDED_SHAPES, SMALL_SHAPES):
            time_shapes(hand, shapes, "pick", [8], args.seconds, results, (2,))
        summary(results)
    variants = [int(v) for v in args.variants.split(",")] if args.variants else range(len(hand.names))
    if args.check and not check(hand, variants):
        raise SystemExit(1)
    if args.time:
        time_shapes(hand, MODEL_SHAPES[:args.shapes], variants, [8], args.seconds, results)
    if args.odd:
        time_shapes(hand, ODD_SHAPES, variants, [int(b) for b in args.odd_bands.split(",")], args.seconds, results,
                    [int(p) for p in args.promotions.split(",")])
    if args.small:
        time_shapes(hand, SMALL_SHAPES, variants, [8], args.seconds, results)
    if args.bands:
        time_shapes(hand, MODEL_SHAPES[:5], [0], [int(b) for b in args.bands.split(",")], args.seconds, results)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()
