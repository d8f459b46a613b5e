"""Matrix products in bf16, on examples/gemm: gemm.tk, gemm_nt.tk (gemm_bias.tk with a bias) and gemm_tn.tk if they have
enough tiles, gemm_few.tk and gemm_split.tk, which divide K among programs, otherwise."""
import functools
import math
from typing import NamedTuple, Tuple

import torch

from . import checks
from .kv_cache import _module, _multiprocessors
from .sdpa import _readable

MOST_SPLITS = 32
FEW = 64  # up to so many rows are the columns of products: a tile of them is what a warpgroup multiplies by

# Cycles of an H100: of a program besides its steps, and of the second kernel, 1.5 us. Bytes a cycle that a multiprocessor gets from
# L2 while all draw on it, of matrices that fit into it (64 x 2112 x 7168) and of those that do not (512 x 4096 x 14336); that all get
# from memory; that the second kernel reads and writes. The least that a step takes, since it waits for the one before, and where
# most rows of a tile lie past the edge (16 x 4096 x 14336: 224 steps of 64 in 56 us).
_PROGRAM, _SECOND = 3456, 2600
_FROM_L2, _FROM_FULL_L2, _FROM_MEMORY, _PARTS = 70, 52, 1700, 2000
_L2 = 40 << 20
_STEP, _STEP_PAST_EDGE = 150, 420


class Plan(NamedTuple):
    """splits == 1: the kernel whose launcher chooses the tiles."""
    file: str
    splits: int
    constants: Tuple[Tuple[str, int], ...] = ()


def _cycles(m, n, k, tile, splits, multiprocessors, pairs=False):
    """tile: rows, columns, and how much of K a step has."""
    rows, cols, depth = tile
    size = 2 * (m * k + n * k + m * n)
    programs = -(-m // rows) * -(-n // cols) * splits
    steps = -(-(-(-k // depth)) // splits)
    fed = 2 * depth * (rows + cols / (2 if pairs else 1)) / (_FROM_L2 if size < _L2 else _FROM_FULL_L2)
    products = max(rows, 64) * depth * cols / 2048
    inside = -(-programs // multiprocessors) * steps * max(products, fed, _STEP_PAST_EDGE * depth / 64 if 2 * m < rows else _STEP)
    memory = size / _FROM_MEMORY
    first = max(inside, memory) + min(inside, memory) / 8 + _PROGRAM  # the shorter one is not hidden to the last
    return first if splits == 1 else first + _SECOND + 4 * splits * m * n * 2 / _PARTS


_TILES = ((128, 256, 64), (256, 128, 64), (128, 128, 64), (128, 64, 64), (64, 128, 64), (64, 64, 64))
_TILES_OF_TURNED = (*_TILES, (128, 224, 64), (64, 48, 64), (64, 32, 128))
# Of gemm_split.tk: warpgroups, stages, pairs.
_SPLIT = {(128, 256, 64): (2, 4, True), (128, 128, 64): (2, 6, False), (64, 128, 64): (1, 8, False)}
_STAGES_OF_FEW = {16: 10, 32: 8, 64: 6}


def candidates(m, n, k, turned, multiprocessors=132):
    """Ways to compute C = A B, or A B' where B is stored [N, K] (turned), and the estimated cycles of each."""
    whole = min(_cycles(m, n, k, tile, 1, multiprocessors) for tile in (_TILES_OF_TURNED if turned else _TILES))
    yield Plan("gemm_nt" if turned else "gemm", 1), whole
    for splits in range(2, min(MOST_SPLITS, -(-k // 128)) + 1):
        at_once = min(4, 1 << (splits - 1).bit_length())
        if turned and m <= FEW:
            rows = max(16, 1 << max(m - 1, 0).bit_length())
            # The kernel's rows are ours of B: 64 of them, of whom rows columns are multiplied.
            made = Plan("gemm_few", splits, (("BM", rows), ("S", _STAGES_OF_FEW[rows]), ("BS", at_once)))
            yield made, _cycles(n, m, k, (64, rows, 128), splits, multiprocessors)
        for tile, (groups, stages, pairs) in _SPLIT.items():
            pairs = pairs and -(-m // tile[0]) % 2 == 0
            made = Plan("gemm_split", splits, (("BM", tile[0]), ("BN", tile[1]), ("CM", 2 if pairs else 1), ("WG", groups),
                                               ("S", stages), ("BS", at_once)))
            yield made, _cycles(m, n, k, tile, splits, multiprocessors, pairs)


@functools.lru_cache(maxsize=4096)
def plan(m, n, k, turned, multiprocessors=132):
    """Which kernels to use. A second kernel has to gain 10 %, since these are estimates."""
    (first, whole), *others = candidates(m, n, k, turned, multiprocessors)
    found, time = min(others, key=lambda made: made[1], default=(first, whole))
    return found if time < whole / 1.1 else first


def _run(a, b, turned, bias=None):
    """bias: of a turned product alone. Where K is divided, it is added to the rounded product."""
    m, k = a.shape
    n = b.shape[0 if turned else 1]
    count = _multiprocessors(a.device.index) if a.is_cuda else 132
    made = plan(m, n, k, turned, count)
    module = _module(made.file, a.device.type, made.constants)
    if made.splits == 1 and bias is not None:
        return _module("gemm_bias", a.device.type, ()).gemm_bias(a, b, bias)
    if made.splits == 1:
        return getattr(module, made.file)(a, b)
    few = made.file == "gemm_few"
    function = module.gemm_few if few else module.gemm_nt_split if turned else module.gemm_split
    c = a.new_empty((m, n))
    function(a, b, made.splits, C=c, Part=a.new_empty((made.splits, *((n, m) if few else (m, n))), dtype=torch.float32))
    return c if bias is None else c.add_(bias)


@torch.library.custom_op("tk::matmul", mutates_args=())
def _matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return _run(_readable(a), _readable(b), False)


@_matmul.register_fake
def _(a, b):
    return a.new_empty((a.shape[0], b.shape[1]))


@torch.library.custom_op("tk::linear", mutates_args=())
def _linear(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return _run(_readable(x), _readable(weight), True)


@_linear.register_fake
def _(x, weight):
    return x.new_empty((x.shape[0], weight.shape[0]))


@torch.library.custom_op("tk::linear_bias", mutates_args=())
def _linear_bias(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return _run(_readable(x), _readable(weight), True, _readable(bias))


@_linear_bias.register_fake
def _(x, weight, bias):
    return x.new_empty((x.shape[0], weight.shape[0]))


@torch.library.custom_op("tk::matmul_of_columns", mutates_args=())
def _matmul_of_columns(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A' B of a [K, M] and b [K, N]."""
    return _module("gemm_tn", a.device.type, ()).gemm_tn(_readable(a), _readable(b))


@_matmul_of_columns.register_fake
def _(a, b):
    return a.new_empty((a.shape[1], b.shape[1]))


def _keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:2])


def _matmul_gradients(ctx, dc):
    a, b = ctx.saved_tensors
    needed = ctx.needs_input_grad
    return _linear(dc, b) if needed[0] else None, _matmul_of_columns(a, dc) if needed[1] else None


def _linear_gradients(ctx, dy):
    x, weight = ctx.saved_tensors
    needed = ctx.needs_input_grad
    return _matmul(dy, weight) if needed[0] else None, _matmul_of_columns(dy, x) if needed[1] else None


def _linear_bias_gradients(ctx, dy):
    return *_linear_gradients(ctx, dy), dy.sum(0) if ctx.needs_input_grad[2] else None


_matmul.register_autograd(_matmul_gradients, setup_context=_keep)
_linear.register_autograd(_linear_gradients, setup_context=_keep)
_linear_bias.register_autograd(_linear_bias_gradients, setup_context=_keep)


def _unsupported(a, b, turned):
    if a.dtype != torch.bfloat16 or b.dtype != torch.bfloat16:
        return "both matrices must be bfloat16"
    if a.dim() < 2 or b.dim() != 2:
        return "the first must have two axes at least, and the second two"
    inner = b.shape[1 if turned else 0]
    if a.shape[-1] != inner:
        return f"the first has {a.shape[-1]} columns, and the second {inner}"
    if any(e % 8 for e in b.shape):
        return f"the second has axes of {b.shape[0]} and {b.shape[1]}: multiples of 8 are supported"
    return checks.emulated(a, b)


def _flat(x):
    return x if x.dim() == 2 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def matmul(a, b):
    """torch.matmul of bf16 matrices, a of two axes or more and b of two, with sums in f32. It has gradients.

    If there are few tiles and K is long, K is divided among programs, depending only on the shape and the GPU: the same
    shapes give the same bits. Unsupported arguments raise a ValueError with the reason.
    """
    wrong = _unsupported(a, b, False)
    if wrong is not None:
        raise ValueError(f"matmul: {wrong}")
    turned = b.stride(0) == 1 and b.stride(1) != 1  # a weight of linear, seen as [K, N]: no copy
    c = _linear(_flat(a), b.t()) if turned else _matmul(_flat(a), b)
    return c.view(*a.shape[:-1], b.shape[1])


def linear(x, weight, bias=None):
    """torch.nn.functional.linear in bf16, weight as [N, K], bias as [N]. Otherwise as matmul."""
    wrong = _unsupported(x, weight, True)
    if wrong is None and bias is not None:
        wrong = _unsupported_bias(bias, weight)
    if wrong is not None:
        raise ValueError(f"linear: {wrong}")
    y = _linear(_flat(x), weight) if bias is None else _linear_bias(_flat(x), weight, bias)
    return y.view(*x.shape[:-1], weight.shape[0])


def _unsupported_bias(bias, weight):
    if bias.dtype != torch.bfloat16:
        return f"the bias must be bfloat16, not {str(bias.dtype).removeprefix('torch.')}"
    if bias.shape != weight.shape[:1]:
        return f"the bias must have the {weight.shape[0]} elements of an output's row, and has the shape {list(bias.shape)}"
    if bias.device != weight.device:
        return f"the bias is on {bias.device}, and the weight on {weight.device}"
    return None
