"""Attention with the signature of PyTorch's, on examples/attention/attention.tk and attention_shared.tk; its gradients by
attention_backward.tk, attention_backward_apart.tk and attention_backward_wide.tk."""
import functools
import math
from typing import Tuple

import torch

from . import checks, dtypes


def _constants(dtype, head, causal):
    """Rows are aligned with the first key, as PyTorch's are."""
    constants = dict(T=dtype, D=head, CAUSAL=causal)
    if causal:
        constants["BOTTOM_RIGHT"] = False
    return constants


@functools.lru_cache(maxsize=None)
def _module(dtype, head, head_v, causal, long, device):
    """The kernel for a head dimension."""
    from . import example, load

    constants = _constants(dtype, head, causal)
    # The choices are those of the files' heads: registers hold Q up to 128, and of 64 only what is short.
    if head <= 128 and not (48 < head <= 64 and long):
        return load(example("attention.tk"), device=device, **constants).attention
    shape = {} if head <= 64 else dict(BM=128, QS=1, BN=80 if head > 192 else 112 if head_v == head else 128)
    return load(example("attention_shared.tk"), device=device, DV=head_v, **constants, **shape).attention_shared


@functools.lru_cache(maxsize=None)
def _backward_module(dtype, head, causal, device, deterministic):
    from . import example, load

    name = "attention_backward" + ("_wide" if head > 128 else "_apart" if 64 < head <= 96 else "")
    constants = _constants(dtype, head, causal)
    if deterministic:
        constants["DETERMINISTIC"] = True
    return getattr(load(example(name + ".tk"), device=device, **constants), name)


_WIDE = 192, 128  # head dimensions of q and k and of v, as latent attention has them
_LONG = 2048  # rows from which attention_shared.tk is the faster one for heads of 64


def _readable(x):
    """The tensor where kernels can read it, else a copy.

    Rows lie in one piece and begin at multiples of 16 bytes. Where a tensor begins is not known while a graph is traced, so the
    operators ask when they run.
    """
    in_place = x.stride(-1) == 1 and all(n == 1 or s > 0 and s % 8 == 0 for n, s in zip(x.shape[:-1], x.stride()))
    return x if in_place and x.data_ptr() % 16 == 0 else _empty(x, x.shape).copy_(x)


def _empty(x, shape):
    """A tensor of this shape and x's type, in memory such that rows begin at multiples of 16 bytes."""
    *rows, cells = shape
    return x.new_empty((*rows, -(-cells // 8) * 8))[..., :cells]


def _made_like(x, cells=None):
    """A tensor of x's shape; its rows lie around its heads, [batch, rows, heads, cells], where x's do."""
    batch, heads, rows, own = x.shape
    cells = own if cells is None else cells
    if x.stride(1) < x.stride(2):
        return _empty(x, (batch, rows, heads, cells)).transpose(1, 2)
    return _empty(x, (batch, heads, rows, cells))


@torch.library.custom_op("tk::scaled_dot_product_attention", mutates_args=())
def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, is_causal: bool,
               scale: float) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the log-sum-exp of every row."""
    kernel = _module(dtypes.of_torch(q.dtype), q.shape[-1], v.shape[-1], is_causal, q.shape[-2] >= _LONG, q.device.type)
    return kernel(_readable(q), _readable(k), _readable(v), scale, O=_made_like(q, v.shape[-1]))


@_attention.register_fake
def _(q, k, v, is_causal, scale):
    return _made_like(q, v.shape[-1]), q.new_empty(q.shape[:-1], dtype=torch.float32)


@torch.library.custom_op("tk::scaled_dot_product_attention_backward", mutates_args=())
def _attention_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, lse: torch.Tensor, do: torch.Tensor,
                        is_causal: bool, scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    kernel = _backward_module(dtypes.of_torch(q.dtype), q.shape[-1], is_causal, q.device.type,
                              torch.are_deterministic_algorithms_enabled())
    return kernel(_readable(q), _readable(k), _readable(v), _readable(o), lse, _readable(do), scale,
                  dQ=_made_like(q), dK=_made_like(k), dV=_made_like(v))


@_attention_backward.register_fake
def _(q, k, v, o, lse, do, is_causal, scale):
    return _made_like(q), _made_like(k), _made_like(v)


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted: without one, nothing is kept."""
    q, k, v, ctx.is_causal, ctx.scale = inputs
    o, lse = output
    ctx.mark_non_differentiable(lse)
    ctx.set_materialize_grads(False)  # no zeros for lse
    ctx.save_for_backward(q, k, v, o, lse)


def _gradients(ctx, do, _):
    return *_attention_backward(*ctx.saved_tensors, do, ctx.is_causal, ctx.scale), None, None


def _no_second_gradients(ctx, *given):
    raise RuntimeError("scaled_dot_product_attention of tk.torch has first derivatives only: for a gradient of its gradients take "
                       "PyTorch's, torch.nn.functional.scaled_dot_product_attention, with the backend SDPBackend.MATH")


_attention.register_autograd(_gradients, setup_context=_keep)
_attention_backward.register_autograd(_no_second_gradients)


def _unsupported(q, k, v, attn_mask, dropout_p, scale, enable_gqa):
    """Why our kernels cannot do this; None where they can."""
    if attn_mask is not None:
        return "attn_mask is not supported"
    if dropout_p > 0:
        return "dropout_p is not supported"
    if not all(x.is_cuda for x in (q, k, v)) or not checks.is_hopper(q.device.index):
        return "tensors must be on a GPU of compute capability 9.0"
    wrong = (checks.types(q, k, v) or checks.axes(q, k, v, ("batch", "heads", "rows", "head dimension"))
             or checks.head(q.shape[-1], most=256))
    if wrong is not None:
        return wrong
    head = q.shape[-1]
    if k.shape[-1] != head or v.shape[-1] != head and (head, v.shape[-1]) != _WIDE:
        return "q, k and v must have one head dimension, except 192 of q and k with 128 of v"
    if k.shape[:-1] != v.shape[:-1] or k.shape[0] != q.shape[0]:
        return "k and v must have one shape but for the head dimension, and the batch of q"
    wrong = checks.shared_heads(q, k, enable_gqa) or checks.positive(scale)
    if wrong is None and v.shape[-1] != head and checks.wants_gradients(q, k, v):
        return "there are no gradients where v has another head dimension than q and k"
    return wrong


def scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False,
                                 fallback=True):
    """torch.nn.functional.scaled_dot_product_attention, on our kernels if they support the arguments.

    Otherwise PyTorch's own runs; with fallback=False, a ValueError with the reason is raised. docs/python.md lists the
    supported cases. The first call for a head dimension compiles, unless it is cached.
    """
    reason = _unsupported(q, k, v, attn_mask, dropout_p, scale, enable_gqa)
    if reason is None:
        return _attention(q, k, v, is_causal, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)[0]
    if not fallback:
        raise ValueError(f"scaled_dot_product_attention: {reason}")
    return torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
