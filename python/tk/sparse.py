"""Attention to lists of blocks, the selected branch of native sparse attention, on examples/attention/nsa_selected.tk; its gradients
by nsa_selected_backward.tk and nsa_selected_backward_apart.tk."""
import functools
import math
from typing import Tuple

import torch

from . import checks, dtypes
from .sdpa import _readable

_GROUP = 64  # heads that may share those of k
BLOCKS = (16, 32, 64, 128)
_WIDE = (192, 128)  # head dimensions of k and v
_WITH_GRADIENTS = ((64, 64), (128, 128), _WIDE)


@functools.lru_cache(maxsize=None)
def _module(file, dtype, head, head_v, group, block, device):
    from . import example, load

    return load(example(file), device=device, T=dtype, D=head, DV=head_v, G=group, BS=block)


def _kernel(name, q, k, v, block):
    file = "nsa_selected" if name == "nsa_selected_rows" else name
    module = _module(file + ".tk", dtypes.of_torch(q.dtype), q.shape[3], v.shape[3], q.shape[2] // k.shape[2], block, q.device.type)
    return getattr(module, name)


def _as_rows(x):
    """Where all heads share those of k, the rows of a token are after those of the one before: nothing is copied for it."""
    return x.flatten(1, 2).unsqueeze(1)


def _grouped(x, heads):
    """The heads that share those of k have an axis of their own."""
    return x.unflatten(2, (heads, x.shape[2] // heads))


@torch.library.custom_op("tk::sparse_attention", mutates_args=())
def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, indices: torch.Tensor, counts: torch.Tensor, block: int,
               scale: float) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the log-sum-exp of every row."""
    o, lse = _empty(q, v)
    heads = k.shape[2]
    name, arranged = ("nsa_selected_rows", _as_rows) if heads == 1 else ("nsa_selected", functools.partial(_grouped, heads=heads))
    _kernel(name, q, k, v, block)(arranged(_readable(q)), _readable(k), _readable(v), indices, counts, scale, O=arranged(o),
                                  LSE=arranged(lse))
    return o, lse


def _empty(q, v):
    return q.new_empty((*q.shape[:3], v.shape[3])), q.new_empty(q.shape[:3], dtype=torch.float32)


@_attention.register_fake
def _(q, k, v, indices, counts, block, scale):
    return _empty(q, v)


@torch.library.custom_op("tk::sparse_attention_backward", mutates_args=())
def _attention_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, lse: torch.Tensor, do: torch.Tensor,
                        indices: torch.Tensor, counts: torch.Tensor, block: int,
                        scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    made = dq, dk, dv = tuple(x.new_empty(x.shape) for x in (q, k, v))
    heads = k.shape[2]
    name = "nsa_selected_backward" + ("_apart" if torch.are_deterministic_algorithms_enabled() else "")
    _kernel(name, q, k, v, block)(
        _grouped(_readable(q), heads), _readable(k), _readable(v), _grouped(_readable(o), heads), _grouped(lse, heads),
        _grouped(_readable(do), heads), indices, counts, scale, dQ=_grouped(dq, heads), dK=dk, dV=dv)
    return made


@_attention_backward.register_fake
def _(q, k, v, o, lse, do, indices, counts, block, scale):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted."""
    q, k, v, indices, counts, ctx.block, ctx.scale = inputs
    o, lse = output
    ctx.mark_non_differentiable(lse)
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(q, k, v, o, lse, indices, counts)


def _gradients(ctx, do, _):
    q, k, v, o, lse, indices, counts = ctx.saved_tensors
    return *_attention_backward(q, k, v, o, lse, do, indices, counts, ctx.block, ctx.scale), None, None, None, None


_attention.register_autograd(_gradients, setup_context=_keep)
_attention_backward.register_autograd(checks.first_derivatives_only("sparse_attention"))


def unsupported(q, k, v):
    """What is wrong with the arguments; None: nothing."""
    names = ("batch", "tokens", "heads", "head dimension")
    wrong = checks.emulated(q, k, v) or checks.types(q, k, v) or checks.axes(q, k, v, names)
    if wrong is not None:
        return wrong
    if k.shape[:3] != v.shape[:3] or k.shape[:2] != q.shape[:2]:
        return "k and v must have one shape but for the head dimension, and the batch and the tokens of q"
    if k.shape[3] != q.shape[3]:
        return "q and k must have one head dimension"
    group = q.shape[2] // k.shape[2] if k.shape[2] > 0 else 0
    if not 0 < group <= _GROUP or group * k.shape[2] != q.shape[2]:
        return f"the heads of q, {q.shape[2]}, must be a multiple of those of k, {k.shape[2]}, up to {_GROUP} times as many"
    if (q.shape[3], v.shape[3]) != _WIDE and (checks.head(q.shape[3], step=16) or checks.head(v.shape[3], step=16)):
        return (f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported; supported are "
                "multiples of 16 up to 128, and 192 with 128 of v")
    return None


def _no_gradients(q, k, v):
    """Why there are none, where they are wanted."""
    if not checks.wants_gradients(q, k, v):
        return None
    if (q.shape[3], v.shape[3]) not in _WITH_GRADIENTS or (q.shape[3] == 192 and q.shape[2] > 32 * k.shape[2]):
        return (f"there are no gradients for head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v with "
                f"{q.shape[2] // k.shape[2]} heads per head of k; supported are 64, 128, and 192 with 128 of v up to 32 such heads")
    return checks.any_order() if q.shape[3] != v.shape[3] else None


def _lists(q, k, indices, counts, block):
    """What is wrong with the arguments; None: nothing."""
    shape = (*q.shape[:2], k.shape[2])
    if block not in BLOCKS:
        return f"block_size must be one of {', '.join(map(str, BLOCKS))}, got {block}"
    if indices.dtype not in (torch.int32, torch.int64) or indices.dim() != 4 or indices.shape[:3] != shape:
        return f"block_indices must be int32 or int64, [batch, tokens, heads of k, blocks], here {[*shape, 'blocks']}".replace("'", "")
    if indices.device != q.device:
        return f"block_indices are on {indices.device}, and q on {q.device}"
    if isinstance(counts, torch.Tensor):
        if counts.dtype not in (torch.int32, torch.int64) or counts.shape != shape:
            return f"block_counts must be a number, or int32 or int64, [batch, tokens, heads of k], here {list(shape)}"
        if counts.device != q.device:
            return f"block_counts are on {counts.device}, and q on {q.device}"
    return None


def sparse_attention(q, k, v, block_indices, block_counts=None, *, block_size=64, scale=None, return_lse=False):
    """Attention in which every token sees the blocks of keys in its list, up to its own key: the selected branch of
    native sparse attention.

    q is [batch, tokens, heads, head dimension], k and v likewise with fewer heads. block_indices[b, t, h] lists the
    blocks of block_size keys that token t sees in head h of k, in any order; block_counts says how many of them count,
    one number or one for each list; None: all. Entries that are not a block, -1 or any number from the block count on, are
    ignored, and so are blocks after the token. Unsupported arguments raise a ValueError with the reason; docs/python.md
    lists them. With return_lse the log-sum-exp of every row follows the outputs, [batch, tokens, heads], without a
    gradient.
    """
    wrong = unsupported(q, k, v) or checks.positive(scale) or _lists(q, k, block_indices, block_counts, block_size) or _no_gradients(q, k, v)
    if wrong is not None:
        raise ValueError(f"sparse_attention: {wrong}")
    if not isinstance(block_counts, torch.Tensor):
        listed = block_indices.shape[3] if block_counts is None else block_counts
        block_counts = torch.full(block_indices.shape[:3], listed, dtype=torch.int32, device=q.device)
    lists = [x.to(torch.int32).contiguous() for x in (block_indices, block_counts)]
    o, lse = _attention(q, k, v, *lists, block_size, 1 / math.sqrt(q.shape[3]) if scale is None else float(scale))
    return (o, lse) if return_lse else o
