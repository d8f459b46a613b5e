"""Linear attention by features of queries and keys: Based, on examples/sequence/based.tk, with the gradients of based_backward.tk."""
import math
from typing import Tuple

import torch

from . import checks
from .sdpa import _readable
from .sequence import _kernel_of

_EPS = 1e-6  # beside sums of weights

# ---- Based ---------------------------------------------------------------------------------------

_CELLS = 16  # of queries and keys


@torch.library.custom_op("tk::based", mutates_args=())
def _based(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, norm: bool) -> torch.Tensor:
    return _kernel_of("based", q, NORM=norm)(*map(_readable, (q, k, v)), scale, _EPS, O=v.new_empty(v.shape))


@_based.register_fake
def _(q, k, v, scale, norm):
    return v.new_empty(v.shape)


@torch.library.custom_op("tk::based_backward", mutates_args=())
def _based_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, do: torch.Tensor, scale: float,
                    norm: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _based_gradients(q, k, v)
    _kernel_of("based_backward", q, NORM=norm)(*map(_readable, (q, k, v, o, do)), scale, _EPS, **dict(zip(("dQ", "dK", "dV"), made)))
    return made


def _based_gradients(*tensors):
    return tuple(t.new_empty(t.shape) for t in tensors)


@_based_backward.register_fake
def _(q, k, v, o, do, scale, norm):
    return _based_gradients(q, k, v)


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted."""
    *tensors, ctx.scale, ctx.norm = inputs
    ctx.save_for_backward(*tensors, output if ctx.norm else tensors[2])  # the kernel does not look at outputs of bare sums


def _gradients(ctx, do):
    return *_based_backward(*ctx.saved_tensors, do, ctx.scale, ctx.norm), None, None


_based.register_autograd(_gradients, setup_context=_keep)
_based_backward.register_autograd(checks.first_derivatives_only("based"))


def _unsupported(q, k, v):
    wrong = checks.emulated(q, k, v) or checks.types(q, k, v) or checks.axes(q, k, v, ("batch", "tokens", "heads", "head dimension"))
    if wrong is not None:
        return wrong
    if k.shape != q.shape or v.shape[:3] != q.shape[:3]:
        return "q and k must have one shape, and v their batch, tokens and heads"
    return None


def based(q, k, v, scale=None, use_norm=True):
    """fused_chunk_based of flash-linear-attention, in names and meaning: attention with 1 + s + s^2 / 2 in the place of exp(s).

    q and k are [batch, tokens, heads, 16], v likewise, with a multiple of 8 cells. s_ij = scale q_i k_j for the tokens j up to i; scale:
    None for 1 / 4. use_norm divides by the sum of these weights. The outputs have the type of v, and all tensors gradients, the same
    bits in every run. What is not supported is a ValueError with the reason; docs/python.md lists it.
    """
    wrong = _unsupported(q, k, v)
    if wrong is None and (q.shape[3] != _CELLS or v.shape[3] % 8 != 0 or v.shape[3] == 0):
        wrong = f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported: 16 is, of v multiples of 8"
    if wrong is not None:
        raise ValueError(f"based: {wrong}")
    return _based(q, k, v, 1 / math.sqrt(_CELLS) if scale is None else float(scale), bool(use_norm))
