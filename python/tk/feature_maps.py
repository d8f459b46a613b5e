"""Linear attention by features of queries and keys: Based, on examples/sequence/based.tk, and Hedgehog, on hedgehog.tk. Gradients are those
of the files whose names end in _backward."""
import math
from typing import Tuple

import torch

from . import checks
from .sdpa import _readable
from .sequence import _WIDTHS, _kernel_of, _of_heads

_EPS = 1e-6  # beside sums of weights


def _new(*tensors):
    return tuple(t.new_empty(t.shape) for t in tensors)


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
    made = _new(q, k, v)
    _kernel_of("based_backward", q, NORM=norm)(*map(_readable, (q, k, v, o, do)), scale, _EPS, **dict(zip(("dQ", "dK", "dV"), made)))
    return made


@_based_backward.register_fake
def _(q, k, v, o, do, scale, norm):
    return _new(q, k, v)


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


# ---- Hedgehog ------------------------------------------------------------------------------------

_FEATURES = 64  # of each sign


def _hedgehog_kernel(name, q, v):
    return _kernel_of(name, q, D=q.shape[3], DV=v.shape[3])


@torch.library.custom_op("tk::hedgehog", mutates_args=())
def _hedgehog(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, wq: torch.Tensor, wk: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor,
              scale: float, eps: float) -> torch.Tensor:
    return _hedgehog_kernel("hedgehog", q, v)(*map(_readable, (q, k, v, wq, wk)), alpha, beta, scale, eps, O=v.new_empty(v.shape))


@_hedgehog.register_fake
def _(q, k, v, wq, wk, alpha, beta, scale, eps):
    return v.new_empty(v.shape)


@torch.library.custom_op("tk::hedgehog_backward", mutates_args=())
def _hedgehog_backward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, wq: torch.Tensor, wk: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor,
        o: torch.Tensor, do: torch.Tensor, scale: float, eps: float
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _new(q, k, v, wq, wk, alpha, beta)
    names = ("dQ", "dK", "dV", "dWQ", "dWK", "dAlpha", "dBeta")
    _hedgehog_kernel("hedgehog_backward", q, v)(*map(_readable, (q, k, v, wq, wk)), alpha, beta, *map(_readable, (o, do)), scale, eps,
                                                **dict(zip(names, made)))
    return made


@_hedgehog_backward.register_fake
def _(q, k, v, wq, wk, alpha, beta, o, do, scale, eps):
    return _new(q, k, v, wq, wk, alpha, beta)


def _keep_hedgehog(ctx, inputs, output):
    *tensors, ctx.scale, ctx.eps = inputs
    ctx.save_for_backward(*tensors, output)


def _hedgehog_gradients(ctx, do):
    return *_hedgehog_backward(*ctx.saved_tensors, do, ctx.scale, ctx.eps), None, None


_hedgehog.register_autograd(_hedgehog_gradients, setup_context=_keep_hedgehog)
_hedgehog_backward.register_autograd(checks.first_derivatives_only("hedgehog"))


def _unsupported_maps(q, v, wq, wk, alpha, beta, scale):
    if q.shape[3] not in _WIDTHS or v.shape[3] not in _WIDTHS:
        return f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported: 64 and 128 are"
    shape = (*q.shape[2:], _FEATURES)
    if any(w.shape != shape or w.dtype != q.dtype or w.device != q.device for w in (wq, wk)):
        return f"wq and wk must have the type and the device of q, and a matrix for each head, here {list(shape)}"
    return (_of_heads(alpha, "alpha", q.shape[2], q.device) or _of_heads(beta, "beta", q.shape[2], q.device)
            or checks.positive(scale))


def hedgehog(q, k, v, wq, wk, alpha, beta, scale=None, eps=_EPS):
    """Hedgehog as ThunderKittens has it: softmax attention to a block of 64 tokens and the one before, linear attention to those before.

    q and k are [batch, tokens, heads, head dimension], v likewise, with a head dimension of its own: 64 and 128. Near tokens weigh beta
    exp(scale (q_i k_j - the largest of the row)), far ones alpha f(q_i) f(k_j), f(x) = [softmax(x w), softmax(-x w)], each at least
    1e-6; the sum of all weights, and eps, divides. wq and wk are [heads, head dimension, 64], of the type of q, alpha and beta have one
    number for each head. scale: None for 1 / sqrt(head dimension). All tensors have gradients, the same bits in every run. What is not
    supported is a ValueError with the reason; docs/python.md lists it.
    """
    wrong = _unsupported(q, k, v) or _unsupported_maps(q, v, wq, wk, alpha, beta, scale)
    if wrong is not None:
        raise ValueError(f"hedgehog: {wrong}")
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    return _hedgehog(q, k, v, wq, wk, alpha.float().contiguous(), beta.float().contiguous(), scale, float(eps))
