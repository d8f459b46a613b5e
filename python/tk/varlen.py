"""Attention over packed sequences with the arguments of FlashAttention's flash_attn_varlen_func, on
examples/attention/attention_varlen.tk; its gradients by attention_varlen_backward.tk and attention_varlen_backward_apart.tk."""
import functools
from typing import Tuple

import torch

from . import checks, dtypes, sdpa

_NAME = "attention_varlen"


@functools.lru_cache(maxsize=None)
def _kernel(name, dtype, head, causal, window, capped, device):
    from . import example, load

    constants = dict(T=dtype, D=head, CAUSAL=causal, WINDOW=window, SOFTCAP=capped)
    return getattr(load(example(name + ".tk"), device=device, **constants), name)


@torch.library.custom_op("tk::attention_varlen", mutates_args=())
def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, start_q: torch.Tensor, start_k: torch.Tensor, longest_q: int,
               longest_k: int, scale: float, causal: bool, window: int, softcap: float) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the log-sum-exp of every row. window: how many keys a row sees, 0: all; softcap: 0: none. The GPU finds out
    how long the sequences are; longest_k is for the gradients."""
    kernel = _kernel(_NAME, dtypes.of_torch(q.dtype), q.shape[-1], causal, window, softcap > 0, q.device.type)
    return kernel(*map(sdpa._readable, (q, k, v)), start_q, start_k, scale, softcap, O=sdpa._empty(q, q.shape))


@_attention.register_fake
def _(q, k, v, start_q, start_k, longest_q, longest_k, scale, causal, window, softcap):
    return sdpa._empty(q, q.shape), q.new_empty((q.shape[1], q.shape[0]), dtype=torch.float32)


@torch.library.custom_op("tk::attention_varlen_backward", mutates_args=())
def _attention_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, start_q: torch.Tensor, start_k: torch.Tensor,
                        o: torch.Tensor, lse: torch.Tensor, do: torch.Tensor, longest_k: int, scale: float, causal: bool,
                        window: int, softcap: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    head = q.shape[-1]
    name = _NAME + ("_backward_apart" if head <= 96 else "_backward")
    kernel = _kernel(name, dtypes.of_torch(q.dtype), head, causal, window, softcap > 0, q.device.type)
    return kernel(*map(sdpa._readable, (q, k, v, o)), lse, sdpa._readable(do), start_q, start_k, longest_k, scale, softcap,
                  dQ=sdpa._empty(q, q.shape), dK=sdpa._empty(k, k.shape), dV=sdpa._empty(v, v.shape))


@_attention_backward.register_fake
def _(q, k, v, start_q, start_k, o, lse, do, longest_k, scale, causal, window, softcap):
    return sdpa._empty(q, q.shape), sdpa._empty(k, k.shape), sdpa._empty(v, v.shape)


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted: without one, nothing is kept."""
    q, k, v, start_q, start_k, _, *ctx.rest = inputs
    o, lse = output
    ctx.mark_non_differentiable(lse)
    ctx.set_materialize_grads(False)  # no zeros for lse
    ctx.save_for_backward(q, k, v, start_q, start_k, o, lse)


def _gradients(ctx, do, _):
    return *_attention_backward(*ctx.saved_tensors, do, *ctx.rest), *[None] * 8


_attention.register_autograd(_gradients, setup_context=_keep)
_attention_backward.register_autograd(checks.first_derivatives_only("attention_varlen"))


def _packed(q, k, v, start_q, start_k):
    """What is wrong with the tensors; None: nothing."""
    tensors = q, k, v, start_q, start_k
    if not all(x.is_cuda and x.device == q.device for x in tensors) or not checks.is_hopper(q.device.index):
        return "tensors must be on one GPU, of compute capability 9.0"
    wrong = (checks.types(q, k, v) or checks.axes(q, k, v, ("rows of all sequences", "heads", "head dimension"))
             or checks.head(q.shape[-1]))
    if wrong is not None:
        return wrong
    head = q.shape[-1]
    if k.shape != v.shape or k.shape[-1] != head:
        return "k and v must have one shape, and the head dimension of q"
    if k.shape[1] == 0 or q.shape[1] % k.shape[1] != 0:
        return f"the heads of q, {q.shape[1]}, must be a multiple of those of k, {k.shape[1]}"
    if any(x.dtype != torch.int32 or x.dim() != 1 for x in (start_q, start_k)):
        return "cu_seqlens_q and cu_seqlens_k must be int32, with one axis"
    if start_q.shape != start_k.shape or start_q.shape[0] == 0:
        return "cu_seqlens_q and cu_seqlens_k must have one length, one more than there are sequences"
    return None


def _unsupported(q, k, v, start_q, start_k, longest_q, longest_k, scale, causal, window_size, softcap, deterministic):
    """Why our kernels cannot do this; None where they can."""
    wrong = _packed(q, k, v, start_q, start_k)
    if wrong is not None:
        return wrong
    left, right = window_size
    if longest_q < 0 or longest_k < 0:
        return "max_seqlen_q and max_seqlen_k must not be negative"
    wrong = checks.positive(scale, "softmax_scale")
    if wrong is not None:
        return wrong
    if softcap < 0:
        return "softcap must be positive, or 0 for none"
    if left < -1:
        return "the left side of window_size must be at least 0, or -1 for all keys"
    if right not in (-1, 0) and not (causal and right >= 0):
        return "the right side of window_size must be -1 or 0: a row sees all keys after its own, or none"
    if checks.wants_gradients(q, k, v):
        if deterministic:
            return "the last bits of the gradients differ from run to run, and deterministic=True is asked for"
        return checks.any_order()
    return None


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, *, softmax_scale=None, causal=False,
                     window_size=(-1, -1), softcap=0.0, deterministic=False, return_lse=False):
    """flash_attn_varlen_func of FlashAttention, with the same arguments and meaning, on our kernels.

    q is [rows of all sequences, heads, head dimension], k and v likewise; sequence i has the rows cu_seqlens[i] to
    cu_seqlens[i + 1]. Unsupported arguments raise a ValueError with the reason; docs/python.md lists them. With
    return_lse the log-sum-exp of every row follows the outputs, [heads, rows], without a gradient.
    """
    reason = _unsupported(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale, causal, window_size,
                          softcap, deterministic)
    if reason is not None:
        raise ValueError(f"attention_varlen: {reason}")
    scale = q.shape[-1]**-0.5 if softmax_scale is None else softmax_scale
    left, right = window_size
    o, lse = _attention(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, causal or right == 0, left + 1,
                        float(softcap))
    return (o, lse) if return_lse else o
