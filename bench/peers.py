"""FlashAttention-4 and QuACK as peers: their Hopper kernels, where their wheels can be imported (flash-attn-4, quack-kernels,
nvidia-cutlass-dsl with its -libs-core, -libs-base and -libs-cu13, whose folder nvidia_cutlass_dsl/dsl_packages has to be on Python's
path where the wheels are not installed but unpacked). Kernels are compiled at the first call for a head dimension and mask, or for a
tile and the orders of the operands."""
import functools
import statistics

import torch

try:
    from flash_attn.cute import flash_attn_func
    from flash_attn.cute.interface import _flash_attn_bwd
except ImportError:
    flash_attn_func = None


def turned(*tensors):
    """Tensors [B, H, N, D] as [B, N, H, D] and back, by their strides."""
    return [t.transpose(1, 2) for t in tensors]


def flash_attention_4(q, k, v, causal):
    """A call that gives O, or None where it cannot be imported."""
    if flash_attn_func is None:
        return None
    views = turned(q, k, v)

    def call():
        result = flash_attn_func(*views, causal=causal)
        return turned(result[0] if isinstance(result, tuple) else result)[0]

    return call


def flash_attention_4_backward(q, k, v, o, do, lse, causal, deterministic=False):
    """A call that gives dQ, dK, dV, or None where it cannot be imported; lse [B, H, N] is in natural logarithms."""
    if flash_attn_func is None:
        return None
    q, k, v, o, do = turned(q, k, v, o, do)
    return lambda: turned(*_flash_attn_bwd(q, k, v, o, do, lse, causal=causal, deterministic=deterministic))


# Tiles (rows, columns, whether warpgroups take them in turn) and clusters out of QuACK's own list for Hopper.
QUACK_TILES = ((128, 256, False), (256, 128, False), (256, 192, False), (128, 192, True), (128, 208, True))
QUACK_CLUSTERS = ((2, 1), (1, 2))


def quack(a, b, out):
    """A call of QuACK's product out = a b with the fastest of its tiles for these matrices, or None where it cannot be imported."""
    try:
        from quack.gemm_config import GemmConfig
        from quack.gemm_interface import gemm_tuned
    except ImportError:
        return None
    times = {}
    for (rows, cols, turns), (cluster_m, cluster_n) in ((t, c) for t in QUACK_TILES for c in QUACK_CLUSTERS):
        config = GemmConfig(tile_m=rows, tile_n=cols, pingpong=turns, cluster_m=cluster_m, cluster_n=cluster_n, device_capacity=9,
                            is_dynamic_persistent=False, use_tma_gather=False)
        call = functools.partial(gemm_tuned.fn, a, b, out, config=config)
        call()  # compiles
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(8)]
        for start, end in events:
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        times[call] = statistics.median(start.elapsed_time(end) for start, end in events)
    return min(times, key=times.get)
