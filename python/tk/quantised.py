"""Linear layers in bf16 with 4-bit or 8-bit weights, and the packing of such weights: on examples/gemm/gemm_int4.tk and
gemm_int8_weights.tk."""
import functools
from typing import NamedTuple, Optional, Tuple

import torch

from . import checks, dtypes
from .kv_cache import _module, _multiprocessors
from .products import _flat
from .sdpa import _readable

DEPTH = {4: 256, 8: 128}  # columns of a weight that a step takes; of 4 bits two groups with a scale and a zero point each
MOST_SPLITS = 32

# Cycles of an H100: of a program besides its steps, and of the second kernel, 1.5 us; bytes a cycle that a multiprocessor gets from
# L2, that all get from memory, and that the second kernel reads and writes; instructions of a warp for a step of 64 rows of weights,
# by bits.
_PROGRAM, _SECOND, _FROM_L2, _FROM_MEMORY, _PARTS = 3456, 2600, 50, 1700, 2000
_ISSUED = {4: 440, 8: 330}
_SHARED = 226 * 1024  # bytes, for stages and for where results leave, 64 rows of a warpgroup


class Plan(NamedTuple):
    rows: int  # of x, which are columns of products
    width: int  # rows of the weights
    stages: int  # of weights, or of weights and x
    splits: int
    inputs: int = 0  # stages of x where it has its own


@functools.lru_cache(maxsize=4096)
def plan(m, n, k, bits, multiprocessors=132):
    """Tiles and parts of [m, k] times weights [n, k]'. A second kernel has to gain 10 %, since these are estimates."""
    rows = next((r for r in (8, 16, 32, 64) if m <= r), 128)
    width = 256 if rows <= 32 else 128
    depth = DEPTH[bits]
    weights = width * depth * bits // 8 + (8 * width if bits == 4 else 0)
    taken = 2 * rows * depth
    room = _SHARED - (8 if rows <= 16 else 16) * 1024
    stages, inputs = min(8, room // (weights + taken)), 0
    if bits == 4:  # a stage of x is one group
        stages = stages if rows <= 32 else 5 if rows == 64 else 3
        inputs = 2 * stages if rows <= 32 else (room - stages * weights) // (taken // 2)
    tiles = -(-m // rows) * -(-n // width)
    steps = -(-k // depth)
    # Each of the four schedulers issues for a warp of every warpgroup, and not in all cycles.
    issued = _ISSUED[bits] * width / 64 * 1.2
    products = max(rows / 2, 16) * depth / 16 * width / 64

    def cycles(splits):
        programs = tiles * splits
        at_once = min(programs, multiprocessors)
        step = max(issued, products, (weights + taken) / _FROM_L2, at_once * weights / _FROM_MEMORY)
        waves = -(-programs // multiprocessors)
        first = waves * (-(-steps // splits) * step + _PROGRAM)
        return first if splits == 1 else first + _SECOND + 4 * splits * m * n * 2 / _PARTS
    best, found = cycles(1) / 1.1, 1
    for splits in range(2, min(MOST_SPLITS, steps) + 1):
        time = cycles(splits)
        if time < best:
            best, found = time, splits
    return Plan(rows, width, stages, found, inputs)


def _run(name, x, weights, n, bits, **constants):
    m, k = x.shape
    count = _multiprocessors(x.device.index) if x.is_cuda else 132
    rows, width, stages, splits, inputs = plan(m, n, k, bits, count)
    constants |= dict(BM=rows, BN=width, S=stages) | (dict(SX=inputs) if bits == 4 else {})
    if splits == 1:
        module = _module(name, x.device.type, tuple(constants.items()))
        c = x.new_empty((m, n))
        getattr(module, name + "_whole")(x, *weights, C=c.t()[None])
        return c
    constants["BS"] = min(4, 1 << (splits - 1).bit_length())
    module = _module(name, x.device.type, tuple(constants.items()))
    c, part = x.new_empty((m, n)), x.new_empty((splits, n, m), dtype=torch.float32)
    getattr(module, name)(x, *weights, splits, C=c, Part=part)
    return c


@torch.library.custom_op("tk::linear_int4", mutates_args=())
def _linear_int4(x: torch.Tensor, q: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
    return _run("gemm_int4", _readable(x), (q, scale, zero), q.shape[0], 4)


@_linear_int4.register_fake
def _(x, q, scale, zero):
    return x.new_empty((x.shape[0], q.shape[0]))


@torch.library.custom_op("tk::linear_int8", mutates_args=())
def _linear_int8(x: torch.Tensor, q: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return _run("gemm_int8_weights", _readable(x), (q, scale), q.shape[0], 8, D=dtypes.of_torch(q.dtype))


@_linear_int8.register_fake
def _(x, q, scale):
    return x.new_empty((x.shape[0], q.shape[0]))


@torch.library.custom_op("tk::pack_int4", mutates_args=())
def _pack_int4(weight: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return tuple(_module("gemm_int4", weight.device.type, ()).pack(weight))


@_pack_int4.register_fake
def _(weight):
    n, k = weight.shape
    pairs = -(-k // 256)
    scale = weight.new_empty((pairs, 2, n), dtype=torch.bfloat16)
    return weight.new_empty((n, 128 * pairs), dtype=torch.uint8), scale, torch.empty_like(scale)


@torch.library.custom_op("tk::pack_int8", mutates_args=())
def _pack_int8(weight: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return tuple(_module("gemm_int8_weights", weight.device.type, ()).pack(weight))


@_pack_int8.register_fake
def _(weight):
    n, _ = weight.shape
    return torch.empty_like(weight, dtype=torch.int8), weight.new_empty((n,), dtype=torch.float32)


def _unsupported_weight(weight):
    if weight.dtype not in (torch.bfloat16, torch.float16, torch.float32) or weight.dim() != 2:
        return "the weight must be [N, K], in bfloat16, float16 or float32"
    if weight.shape[0] % 8 or weight.shape[1] % 16:
        return f"the weight is {list(weight.shape)}: N must be a multiple of 8, and K of 16"
    return checks.emulated(weight)


def _unsupported_input(x, least, most, *weights):
    """least, most: columns that the weight may have had."""
    if x.dtype != torch.bfloat16 or x.dim() < 2:
        return "x must be bfloat16, of two axes at least"
    if not least <= x.shape[-1] <= most or x.shape[-1] % 16:
        return f"x has {x.shape[-1]} columns, and the weight {most if least == most else f'{least} to {most}, a multiple of 16'}"
    if checks.wants_gradients(x):
        return "there are no gradients"
    if not all(w.is_contiguous() for w in weights):
        return "what was packed must be contiguous"
    return checks.emulated(x, *weights)


def pack_int4(weight):
    """A weight [N, K] in 4 bits: q as uint8 [N, 128 P], scale and zero as bf16 [P, 2, N], for P pairs of groups of 128 columns.

    weight is about (number - (zero - 128)) * scale, with numbers from 0 to 15, of which a byte of q has column k of its group in the
    low half, and column k + 64 in the high half. The last groups are filled up.
    """
    wrong = _unsupported_weight(weight)
    if wrong is not None:
        raise ValueError(f"pack_int4: {wrong}")
    return _pack_int4(_readable(weight.bfloat16()))


def pack_int8(weight):
    """A weight [N, K] in 8 bits: q as int8 [N, K], and scale as f32 [N]. weight is about q * scale[:, None]."""
    wrong = _unsupported_weight(weight)
    if wrong is not None:
        raise ValueError(f"pack_int8: {wrong}")
    return _pack_int8(_readable(weight.bfloat16()))


def linear_int4(x, q, scale, zero, bias: Optional[torch.Tensor] = None):
    """x times the weight that pack_int4 converted to q, scale and zero: torch.nn.functional.linear of bf16 x, without gradients.

    Accumulates in f32; scales multiply the sums of their groups. Intended for up to about 256 rows of x; a bias is
    added to the rounded product.
    """
    right = q.dtype == torch.uint8 and q.dim() == 2 and all(
        t.dtype == torch.bfloat16 and t.shape == (q.shape[1] / 128, 2, q.shape[0]) for t in (scale, zero))
    most = 2 * q.shape[-1]
    wrong = _unsupported_input(x, most - 240, most, q, scale, zero) if right else "q, scale and zero must be what pack_int4 gives"
    if wrong is not None:
        raise ValueError(f"linear_int4: {wrong}")
    y = _linear_int4(_flat(x), q, scale, zero).view(*x.shape[:-1], q.shape[0])
    return y if bias is None else y + bias


def linear_int8(x, q, scale, bias: Optional[torch.Tensor] = None):
    """The same for an 8-bit weight: q as int8, or fp8, with a scale for each row, as pack_int8 returns them."""
    right = q.dtype in (torch.int8, torch.float8_e4m3fn, torch.float8_e5m2) and q.dim() == 2 and scale.dtype == torch.float32 \
        and scale.shape == q.shape[:1]
    wrong = _unsupported_input(x, q.shape[-1], q.shape[-1], q, scale) if right else "q and scale must be what pack_int8 gives, or q in fp8"
    if wrong is not None:
        raise ValueError(f"linear_int8: {wrong}")
    y = _linear_int8(_flat(x), q, scale).view(*x.shape[:-1], q.shape[0])
    return y if bias is None else y + bias
