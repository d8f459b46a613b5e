"""Native sparse attention: three branches and their gates, on examples/attention/nsa_compressed.tk and nsa_gated.tk, with
attention by masked.py, sparse.py and varlen.py."""
import functools
import math
from typing import Tuple

import torch

from . import checks, dtypes, masked, sparse, varlen
from .sdpa import _readable

_MOST_BLOCKS = 2048  # of the widest instance of `chosen`
_WITH_GRADIENTS = (64, 128)


@functools.lru_cache(maxsize=None)
def _module(file, device, constants):
    from . import example, load

    return load(example(file), device=device, **dict(constants))


def _kernel(file, name, x, **constants):
    constants.update(T=dtypes.of_torch(x.dtype), D=x.shape[-1])
    return getattr(_module(file, x.device.type, tuple(constants.items())), name)


# ---- means of blocks -----------------------------------------------------------------------------


@torch.library.custom_op("tk::nsa_pooled", mutates_args=())
def _pooled(x: torch.Tensor, block: int) -> torch.Tensor:
    return _kernel("nsa_compressed.tk", "nsa_pooled", x, BS=block)(_readable(x))


@_pooled.register_fake
def _(x, block):
    return x.new_empty((x.shape[0], (x.shape[1] + block - 1) // block, *x.shape[2:]))


@torch.library.custom_op("tk::nsa_pooled_backward", mutates_args=())
def _pooled_backward(dy: torch.Tensor, tokens: int, block: int) -> torch.Tensor:
    dx = dy.new_empty((dy.shape[0], tokens, *dy.shape[2:]))
    _kernel("nsa_compressed.tk", "nsa_pooled_backward", dy, BS=block)(_readable(dy), dX=dx)
    return dx


@_pooled_backward.register_fake
def _(dy, tokens, block):
    return dy.new_empty((dy.shape[0], tokens, *dy.shape[2:]))


def _keep_pooled(ctx, inputs, output):
    x, ctx.block = inputs
    ctx.tokens = x.shape[1]


_pooled.register_autograd(lambda ctx, dy: (_pooled_backward(dy, ctx.tokens, ctx.block), None), setup_context=_keep_pooled)

# ---- which blocks --------------------------------------------------------------------------------


@torch.library.custom_op("tk::nsa_blocks", mutates_args=())
def _blocks(q: torch.Tensor, k: torch.Tensor, lse: torch.Tensor, blocks: int, block: int,
            scale: float) -> Tuple[torch.Tensor, torch.Tensor]:
    """The blocks of every token, and how many they are. k: the means; lse: of attention to them, [batch, heads, tokens]."""
    heads = k.shape[2]
    group = q.shape[2] // heads
    indices, counts = _empty_blocks(q, k, lse, blocks, block, scale)
    of_tokens = lse.transpose(1, 2).unflatten(2, (heads, group)).contiguous()
    _kernel("nsa_compressed.tk", "nsa_blocks", q, G=group, BS=block)(
        _readable(q).unflatten(2, (heads, group)), _readable(k), of_tokens, scale, list=indices, count=counts)
    return indices, counts


@_blocks.register_fake
def _empty_blocks(q, k, lse, blocks, block, scale):
    shape = (*q.shape[:2], k.shape[2])
    return q.new_empty((*shape, blocks), dtype=torch.int32), q.new_empty(shape, dtype=torch.int32)


# ---- gates ---------------------------------------------------------------------------------------


def _rows(outputs, gates):
    """The output of a head of a token is a row."""
    return [_readable(x).reshape(-1, x.shape[-1]) for x in outputs] + [x.reshape(-1) for x in gates]


@torch.library.custom_op("tk::nsa_gated", mutates_args=())
def _gated(cmp: torch.Tensor, slc: torch.Tensor, swa: torch.Tensor, g_cmp: torch.Tensor, g_slc: torch.Tensor,
           g_swa: torch.Tensor) -> torch.Tensor:
    o = cmp.new_empty(cmp.shape)
    _kernel("nsa_gated.tk", "nsa_gated", cmp)(*_rows((cmp, slc, swa), (g_cmp, g_slc, g_swa)), O=o.view(-1, o.shape[-1]))
    return o


@_gated.register_fake
def _(cmp, slc, swa, g_cmp, g_slc, g_swa):
    return cmp.new_empty(cmp.shape)


@torch.library.custom_op("tk::nsa_gated_backward", mutates_args=())
def _gated_backward(
        cmp: torch.Tensor, slc: torch.Tensor, swa: torch.Tensor, g_cmp: torch.Tensor, g_slc: torch.Tensor, g_swa: torch.Tensor,
        do: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = tuple(x.new_empty(x.shape) for x in (cmp, slc, swa, g_cmp, g_slc, g_swa))
    names = ("dCmp", "dSlc", "dSwa", "dgCmp", "dgSlc", "dgSwa")
    flat = [x.view(-1, x.shape[-1]) for x in made[:3]] + [x.view(-1) for x in made[3:]]
    _kernel("nsa_gated.tk", "nsa_gated_backward", cmp)(*_rows((cmp, slc, swa), (g_cmp, g_slc, g_swa)), *_rows((do,), ()),
                                                       **dict(zip(names, flat)))
    return made


@_gated_backward.register_fake
def _(cmp, slc, swa, g_cmp, g_slc, g_swa, do):
    return tuple(x.new_empty(x.shape) for x in (cmp, slc, swa, g_cmp, g_slc, g_swa))


_gated.register_autograd(lambda ctx, do: _gated_backward(*ctx.saved_tensors, do),
                         setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


for _operator in (_pooled_backward, _gated_backward):
    _operator.register_autograd(checks.first_derivatives_only("native_sparse_attention"))

# ---- attention -----------------------------------------------------------------------------------


def _unsupported(q, k, v, gates, blocks, block, window, scale):
    """Why our kernels cannot do this; None where they can."""
    wrong = sparse.unsupported(q, k, v) or checks.head(q.shape[3], step=16)
    if wrong is not None:
        return wrong
    if k.shape != v.shape:
        return "k and v must have one shape"
    if any(x.shape != q.shape[:3] for x in gates):
        return f"g_cmp, g_slc and g_swa must be [batch, tokens, heads], here {list(q.shape[:3])}"
    if any(x.device != q.device for x in gates):
        return "g_cmp, g_slc and g_swa must be on the device of q"
    if block not in sparse.BLOCKS:
        return f"block_size must be one of {', '.join(map(str, sparse.BLOCKS))}, got {block}"
    if q.shape[1] > _MOST_BLOCKS * block:
        return f"{q.shape[1]} tokens are too many: up to {_MOST_BLOCKS} blocks are chosen among"
    if blocks < 1:
        return "block_counts must be at least 1"
    if window < 1:
        return "window_size must be at least 1"
    wrong = checks.positive(scale)
    if wrong is None and checks.wants_gradients(q, k, v, *gates):
        if q.shape[3] not in _WITH_GRADIENTS:
            return f"there are no gradients for head dimension {q.shape[3]}: 64 and 128 have them"
        wrong = checks.any_order()
    return wrong


def native_sparse_attention(q, k, v, g_cmp, g_slc, g_swa, *, block_counts=16, block_size=64, window_size=512, scale=None):
    """Native sparse attention: g_cmp * attention to the mean of each block + g_slc * attention to the blocks that matter most + g_swa
    * attention to the last window_size keys.

    q is [batch, tokens, heads, head dimension], k and v likewise with fewer heads, the gates are [batch, tokens,
    heads]. A token sees the means of blocks of block_size keys that end with it or before. Which of the blocks it sees
    key by key, block_counts in all, follows from its weights there, summed over the heads that share those of k; the
    first block, its own and the one before are always among them. The choice has no gradient. Unsupported arguments
    raise a ValueError with the reason; docs/python.md lists them.
    """
    gates = g_cmp, g_slc, g_swa
    wrong = _unsupported(q, k, v, gates, block_counts, block_size, window_size, scale)
    if wrong is not None:
        raise ValueError(f"native_sparse_attention: {wrong}")
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    batch, tokens = q.shape[:2]
    means = [_pooled(x, block_size) for x in (k, v)]
    of_row, of_col = (torch.zeros((1, n), dtype=torch.int32, device=q.device) for n in (tokens, means[0].shape[1]))
    ended = f"row >= col * {block_size} + {block_size - 1}"
    lists = torch.ops.tk.mask_lists(of_row, of_col, 1, ended)
    o_cmp, lse = torch.ops.tk.masked_attention(*(x.transpose(1, 2) for x in (q, *means)), of_row, of_col, *lists, ended, scale)
    indices, counts = _blocks(q, means[0], lse, block_counts, block_size, scale)
    o_slc, _ = torch.ops.tk.sparse_attention(q, k, v, indices, counts, block_size, scale)
    start = torch.arange(batch + 1, dtype=torch.int32, device=q.device) * tokens
    o_swa, _ = torch.ops.tk.attention_varlen(*(x.flatten(0, 1) for x in (q, k, v)), start, start, tokens, tokens, scale, True,
                                             window_size, 0.0)
    return _gated(o_cmp.transpose(1, 2), o_slc, o_swa.view(q.shape), *(x.to(q.dtype) for x in gates))
