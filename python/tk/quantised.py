"""Linear layers in bf16 with weights of 4 or 8 bits, and how such weights are made: on examples/gemm/gemm_int4.tk and
gemm_int8_weights.tk."""
import functools
from typing import NamedTuple, Optional, Tuple

import torch

from . import checks, dtypes
from .kv_cache import _module, _multiprocessors
from .products import _flat
from .sdpa import _readable

GROUP = 128  # columns of a weight that share a scale and a zero point
MOST_SPLITS = 32

# Cycles of an H100: of a program beside its steps, and of the second kernel, 1.5 us; bytes a cycle that all multiprocessors get from
# memory, and that the second kernel reads and writes; instructions of a step of 64 rows of weights, 128 columns each, by bits.
_PROGRAM, _SECOND, _FROM_MEMORY, _PARTS = 3456, 2600, 1700, 2000
_ISSUED = {4: 230, 8: 330}


class Plan(NamedTuple):
    rows: int  # of x, which are columns of products
    width: int  # rows of the weights
    stages: int
    splits: int


@functools.lru_cache(maxsize=4096)
def plan(m, n, k, bits, multiprocessors=132):
    """Tiles and parts of [m, k] times weights [n, k]'. A second kernel has to gain 10 %, since these are estimates."""
    rows = next((r for r in (8, 16, 32, 64) if m <= r), 128)
    width = 256 if rows <= 32 else 128
    stage = width * bits * 16 + 256 * rows + (4 * width if bits == 4 else 0)
    stages = min(10, 220 * 1024 // stage)
    tiles = -(-m // rows) * -(-n // width)
    steps = -(-k // 128)
    # One of the four schedulers issues for a quarter of the warps.
    issued = _ISSUED[bits] * width / 64 * 1.2
    products = max(rows / 2, 16) * 8 * width / 64

    def cycles(splits):
        programs = tiles * splits
        at_once = min(programs, multiprocessors)
        step = max(issued, products, at_once * stage / _FROM_MEMORY)
        waves = -(-programs // multiprocessors)
        first = waves * (-(-steps // splits) * step + _PROGRAM)
        return first if splits == 1 else first + _SECOND + 4 * splits * m * n * 2 / _PARTS
    best, found = cycles(1) / 1.1, 1
    for splits in range(2, min(MOST_SPLITS, steps) + 1):
        time = cycles(splits)
        if time < best:
            best, found = time, splits
    return Plan(rows, width, stages, found)


def _run(name, x, weights, n, bits, **constants):
    m, k = x.shape
    count = _multiprocessors(x.device.index) if x.is_cuda else 132
    rows, width, stages, splits = plan(m, n, k, bits, count)
    constants |= dict(BM=rows, BN=width, S=stages)
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
    groups = weight.new_empty((k // GROUP, n), dtype=torch.bfloat16)
    return weight.new_empty((n, k // 2), dtype=torch.uint8), groups, torch.empty_like(groups)


@torch.library.custom_op("tk::pack_int8", mutates_args=())
def _pack_int8(weight: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return tuple(_module("gemm_int8_weights", weight.device.type, ()).pack(weight))


@_pack_int8.register_fake
def _(weight):
    n, _ = weight.shape
    return torch.empty_like(weight, dtype=torch.int8), weight.new_empty((n,), dtype=torch.float32)


def _unsupported_weight(weight, columns):
    if weight.dtype not in (torch.bfloat16, torch.float16, torch.float32) or weight.dim() != 2:
        return "the weight must be [N, K], in bfloat16, float16 or float32"
    if weight.shape[0] % 8 or weight.shape[1] % columns:
        return f"the weight is {list(weight.shape)}: N must be a multiple of 8, and K of {columns}"
    return checks.emulated(weight)


def _unsupported_input(x, columns, *weights):
    if x.dtype != torch.bfloat16 or x.dim() < 2:
        return "x must be bfloat16, of two axes at least"
    if x.shape[-1] != columns:
        return f"x has {x.shape[-1]} columns, and the weight {columns}"
    if checks.wants_gradients(x):
        return "there are no gradients"
    if not all(w.is_contiguous() for w in weights):
        return "what was packed must be contiguous"
    return checks.emulated(x, *weights)


def pack_int4(weight):
    """A weight [N, K] in 4 bits: q as uint8 [N, K / 2], scale and zero as bf16 [K / 128, N].

    weight is about (number - (zero - 128)) * scale in groups of 128 columns, with numbers from 0 to 15, of which a byte of q has
    column k of its group in the low half, and column k + 64 in the high half.
    """
    wrong = _unsupported_weight(weight, GROUP)
    if wrong is not None:
        raise ValueError(f"pack_int4: {wrong}")
    return _pack_int4(_readable(weight.bfloat16()))


def pack_int8(weight):
    """A weight [N, K] in 8 bits: q as int8 [N, K], and scale as f32 [N]. weight is about q * scale[:, None]."""
    wrong = _unsupported_weight(weight, 16)
    if wrong is not None:
        raise ValueError(f"pack_int8: {wrong}")
    return _pack_int8(_readable(weight.bfloat16()))


def linear_int4(x, q, scale, zero, bias: Optional[torch.Tensor] = None):
    """x times the weight that pack_int4 made q, scale and zero of: torch.nn.functional.linear of bf16 x, without gradients.

    Sums are f32, and scales multiply the sums of their groups. Made for up to some 256 rows of x; a bias is added to the rounded
    product.
    """
    right = q.dtype == torch.uint8 and q.dim() == 2 and all(
        t.dtype == torch.bfloat16 and t.shape == (2 * q.shape[1] // GROUP, q.shape[0]) for t in (scale, zero))
    wrong = _unsupported_input(x, 2 * q.shape[-1], q, scale, zero) if right else "q, scale and zero must be what pack_int4 gives"
    if wrong is not None:
        raise ValueError(f"linear_int4: {wrong}")
    y = _linear_int4(_flat(x), q, scale, zero).view(*x.shape[:-1], q.shape[0])
    return y if bias is None else y + bias


def linear_int8(x, q, scale, bias: Optional[torch.Tensor] = None):
    """The same of a weight in 8 bits: q as int8, or fp8, with a scale for each row, as pack_int8 gives them."""
    right = q.dtype in (torch.int8, torch.float8_e4m3fn, torch.float8_e5m2) and q.dim() == 2 and scale.dtype == torch.float32 \
        and scale.shape == q.shape[:1]
    wrong = _unsupported_input(x, q.shape[-1], q, scale) if right else "q and scale must be what pack_int8 gives, or q in fp8"
    if wrong is not None:
        raise ValueError(f"linear_int8: {wrong}")
    y = _linear_int8(_flat(x), q, scale).view(*x.shape[:-1], q.shape[0])
    return y if bias is None else y + bias
