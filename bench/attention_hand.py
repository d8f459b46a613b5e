"""Checks and times the hand-written attention (bench/hand) next to cuDNN on the same tensors.

Build with bench/hand/build.sh, then: python3 bench/attention_hand.py [--check] [--time] [--only TEXT] [--seconds S]
Needs PyTorch with CUDA and a Hopper GPU.
"""
import argparse
import ctypes
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from attention import SHAPES, reference
from timing import measure

CHECKED = [  # B, H, HKV, M, N
    (1, 2, 2, 256, 256),
    (2, 4, 2, 200, 333),
    (1, 1, 1, 1, 1),
    (1, 2, 1, 300, 130),
    (2, 2, 2, 1000, 1024),
    (1, 16, 4, 4096, 4096),
]


class Hand:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.attention_name.restype = ctypes.c_char_p
        count = self.lib.attention_variants()
        self.names = [self.lib.attention_name(i).decode() for i in range(count)]
        self.head_dimensions = [self.lib.attention_head_dimension(i) for i in range(count)]
        self.message = ctypes.create_string_buffer(256)

    def run(self, i, causal, q, k, v, o, lse):
        batches, heads, m, d = q.shape
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (q, k, v, o, lse)]
        code = self.lib.attention_run(i, int(causal), *pointers, ctypes.c_float(d**-0.5), batches, heads, k.shape[1],
                                      m, k.shape[2], ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
                                      self.message)
        if code != 0:
            raise RuntimeError(f"{self.names[i]}: {self.message.value.decode()}")


def check(hand, only):
    for batches, heads, kv_heads, m, n in CHECKED:
        for i, name in enumerate(hand.names):
            if only not in name:
                continue
            d = hand.head_dimensions[i]
            for causal in (False, True):
                q = torch.randn(batches, heads, m, d, device="cuda", dtype=torch.bfloat16)
                k, v = (torch.randn(batches, kv_heads, n, d, device="cuda", dtype=torch.bfloat16) for _ in range(2))
                o = torch.full_like(q, math.nan)
                lse = torch.full((batches, heads, m), math.nan, device="cuda")
                hand.run(i, causal, q, k, v, o, lse)
                torch.cuda.synchronize()
                want, want_lse = reference(q, k, v, causal)
                error = ((o.double() - want).norm() / want.norm()).item()
                empty = want_lse == -math.inf
                same = bool(((lse == -math.inf) == empty).all())
                error_lse = (lse.double() - want_lse)[~empty].abs().max().item()
                good = error < 4e-3 and error_lse < 1e-3 and same
                if not good:
                    print(f"WRONG {name} causal={causal} {batches, heads, kv_heads, m, n}: {error:.2e} {error_lse:.2e}")
    print("checked")


def time(hand, only, seconds, shapes):
    for d in (128, 64, 256):
        for batches, heads, n in shapes:
            for causal in (False, True):
                chosen = [i for i, x in enumerate(hand.head_dimensions) if x == d and only in hand.names[i]]
                if not chosen:
                    continue
                q, k, v = (torch.randn(batches, heads, n, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
                o, lse = torch.empty_like(q), torch.empty(batches, heads, n, device="cuda")

                def cudnn():
                    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                        return sdpa(q, k, v, is_causal=causal)

                contenders = {"cuDNN": cudnn}
                for i in chosen:
                    contenders[hand.names[i]] = lambda i=i: hand.run(i, causal, q, k, v, o, lse)
                flops = 4 * batches * heads * n * n * d / (2 if causal else 1)
                rates = measure(contenders, flops, seconds)
                print(f"D{d} B{batches} H{heads} N{n} {'causal' if causal else 'full'}")
                for name in contenders:
                    turn, burst = rates[name, "turn"], rates[name, "burst"]
                    print(f"    {name:20} turn {turn[0]:6.1f} ({turn[0] / rates['cuDNN', 'turn'][0]:.3f})"
                          f"  burst {burst[0]:6.1f} ({burst[0] / rates['cuDNN', 'burst'][0]:.3f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", default="../build/hand/attention.so")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--shapes", default="0,1,2,3,4,5", help="which of the six shapes")
    chosen = parser.parse_args()
    hand = Hand(chosen.library)
    if chosen.check:
        check(hand, chosen.only)
    if chosen.time:
        time(hand, chosen.only, chosen.seconds, [SHAPES[int(i)] for i in chosen.shapes.split(",")])


if __name__ == "__main__":
    main()
