#!/usr/bin/env python3
"""Products of warps by mma.sync, and the small products that they are for, next to PyTorch, in one process and in turn.

    bench/build.sh; bench/hand/build.sh mma_loop; python3 bench/warps.py [FOLDER] [--seconds 1]

Times are of calls in a CUDA graph. Each row has the relative error against float32 or float64 next to it."""
import argparse
import ctypes
import os

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from bandwidth import normal, seconds_of
from library import Library
from timing import recorded

CALLS = 20  # in a graph: launches take longer than small kernels

BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "bench")


def error_of(result, expected):
    return ((result.double() - expected.double()).norm() / expected.double().norm()).item()


def seconds_in_graphs(calls, seconds):
    for call in calls.values():  # libraries make themselves ready outside of the capture
        call()
    torch.cuda.synchronize()
    times = seconds_of({name: recorded(call, CALLS) for name, call in calls.items()}, seconds)
    return {name: time / CALLS for name, time in times.items()}


def show(name, times, errors, operations=None):
    peer = times["PyTorch"] if "PyTorch" in times else None
    for contender, seconds in times.items():
        ratio = f"{peer / seconds:6.3f}" if peer else ""
        error = f"error {errors[contender]:.1e}" if contender in errors else ""
        rate_of = f"{operations / seconds / 1e12:6.1f} T/s" if operations else ""
        print(f"{name:44} {contender:22} {seconds * 1e6:9.2f} us {rate_of} {ratio} {error}", flush=True)


def batched(folder, seconds):
    """Batches of products of 64 x 64, by warpgroups and by warps."""
    by_warpgroups = Library(f"{folder}/libgemm_batched.so")
    by_warps = Library(f"{folder}/libgemm_batched_32.so")
    for count in (1000, 8000):
        a, b = normal(count, 64, 64), normal(count, 64, 64)
        results = {name: torch.empty_like(a) for name in ("tkc", "tkc, warps", "PyTorch")}
        calls = {"tkc": by_warpgroups.bind("gemm_batched", a, b, results["tkc"]),
                 "tkc, warps": by_warps.bind("gemm_batched", a, b, results["tkc, warps"]),
                 "PyTorch": lambda a=a, b=b, c=results["PyTorch"]: torch.bmm(a, b, out=c)}
        times = seconds_in_graphs(calls, seconds)
        expected = a.float() @ b.float()
        show(f"{count} x 64 x 64 x 64", times, {name: error_of(c, expected) for name, c in results.items()})


def decode(folder, seconds):
    """16 queries of each of 32 heads against 8,192 keys of 8 heads."""
    library = Library(f"{folder}/libattention_decode.so")
    batches, heads, shared_by, queries, keys, dim = 16, 8, 4, 16, 8192, 128
    q = normal(batches, heads * shared_by, queries, dim)
    k, v = (normal(batches, heads, keys, dim) for _ in range(2))
    packed = q.view(batches, heads, shared_by * queries, dim)  # the same memory: a head's queries follow each other
    kept = torch.arange(keys, device="cuda")[None, :] <= keys - queries + torch.arange(queries, device="cuda")[:, None]
    expected = functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), attn_mask=kept, enable_gqa=True)
    calls, results = {}, {}
    for name, function in (("tkc", "attention_decode"), ("tkc, 16 rows", "attention_decode_16"), ("tkc, 64 rows", "attention_decode_64")):
        results[name] = torch.empty_like(packed)
        lse = torch.empty(batches, heads, shared_by * queries, device="cuda")
        calls[name] = library.bind(function, packed, k, v, results[name], lse, queries, dim**-0.5)

    def peer(backend, **options):
        def call():
            with sdpa_kernel(backend):
                return functional.scaled_dot_product_attention(q, k, v, **options)
        return call

    # Without the mask among the last 16 keys: less work than ours.
    calls["cuDNN, no mask"] = peer(SDPBackend.CUDNN_ATTENTION, enable_gqa=True)
    calls["flash, no mask"] = peer(SDPBackend.FLASH_ATTENTION, enable_gqa=True)
    times = seconds_in_graphs(calls, seconds)
    errors = {name: error_of(o.view_as(q), expected) for name, o in results.items()}
    show("32 heads x 16 queries, 8 x 8192 keys, B = 16", times, errors)


def types(folder, seconds):
    """Products of 8-bit integers and of f32 as tf32, in roles of warps, next to PyTorch's."""
    library = Library(f"{folder}/libgemm_types.so")
    torch.backends.cuda.matmul.allow_tf32 = True
    for size in (1024, 4096, 8192):
        a, b = (torch.randint(-128, 128, (size, size), dtype=torch.int8, device="cuda") for _ in range(2))
        rows, cols = (torch.rand(size, device="cuda") * 0.01 for _ in range(2))
        c, peer = (torch.empty(size, size, dtype=torch.int32, device="cuda") for _ in range(2))
        scaled = torch.empty(size, size, dtype=torch.bfloat16, device="cuda")
        calls = {"tkc": library.bind("gemm_i8", a, b, c), "tkc, scales": library.bind("gemm_w8a8", a, b, rows, cols, scaled),
                 "PyTorch": lambda a=a, b=b, c=peer: torch._int_mm(a, b.t(), out=c)}
        times = seconds_in_graphs(calls, seconds)
        right = torch.equal(c, peer)
        errors = {"tkc": error_of(c, peer), "tkc, scales": error_of(scaled, peer.double() * rows[:, None] * cols)}
        show(f"i8, {size}^3, {'right' if right else 'WRONG'}", times, errors, 2 * size**3)
        x, y = (normal(size, size, dtype=torch.float32) for _ in range(2))
        turned = y.t().contiguous()
        results = {name: torch.empty_like(x) for name in ("tkc", "tkc, B as [N, K]", "PyTorch")}
        calls = {"tkc": library.bind("gemm_tf32", x, y, results["tkc"]),
                 "tkc, B as [N, K]": library.bind("gemm_tf32_nt", x, turned, results["tkc, B as [N, K]"]),
                 "PyTorch": lambda x=x, y=y, z=results["PyTorch"]: torch.matmul(x, y, out=z)}
        times = seconds_in_graphs(calls, seconds)
        expected = x.double() @ y.double()
        show(f"tf32, {size}^3", times, {name: error_of(z, expected) for name, z in results.items()}, 2 * size**3)
    torch.backends.cuda.matmul.allow_tf32 = False


def rate(folder, hand, seconds):
    """Products in tiles of 64 x 64 a warp, operands in shared memory, over mma.sync in a loop without loads."""
    library = Library(f"{folder}/libresident_products.so")
    loop = ctypes.CDLL(os.path.join(hand, "mma_loop.so")).mma_loop
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    nowhere = torch.empty(1, device="cuda")
    steps = 4096
    for function, warps, rows, cols in (("resident_products", 8, 256, 128), ("resident_products_4", 4, 256, 64)):
        a, b = (torch.randint(-4, 5, shape, device="cuda").bfloat16() for shape in ((rows, 64), (64, cols)))
        c = torch.empty(blocks, rows, cols, device="cuda")

        def alone(warps=warps, a=a):  # on the same numbers: how fast a GPU multiplies depends on them
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            where = ctypes.c_void_p(a.data_ptr()), ctypes.c_void_p(nowhere.data_ptr())
            assert loop(*where, steps * 4, blocks, warps, stream) == 0

        calls = {"tkc": library.bind(function, a, b, c, steps), "loop": alone}
        library.bind(function, a, b, c, 1)()
        right = torch.equal(c, (a.float() @ b.float()).expand_as(c))
        times = seconds_of(calls, seconds)
        flops = 2 * rows * cols * 64 * steps * blocks
        print(f"{warps} warps: {flops / times['tkc'] / 1e12:.1f} of {flops / times['loop'] / 1e12:.1f} TFLOP/s, "
              f"{times['loop'] / times['tkc']:.3f}, {'right' if right else 'WRONG'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=BESIDE)
    parser.add_argument("--hand", default=os.path.join(BESIDE, "..", "hand"))
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    batched(options.folder, options.seconds)
    decode(options.folder, options.seconds)
    types(options.folder, options.seconds)
    rate(options.folder, options.hand, options.seconds)


if __name__ == "__main__":
    main()
