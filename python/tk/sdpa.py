"""Attention with the signature of PyTorch's, on examples/attention/attention.tk and attention_shared.tk: forward only."""
import functools
import math

import torch

from . import dtypes


@functools.lru_cache(maxsize=None)
def _module(dtype, head, causal, long, device):
    """The kernel for a head dimension. Rows are aligned with the first key, as PyTorch's are."""
    from . import example, load

    constants = dict(T=dtype, D=head, CAUSAL=causal)
    if causal:
        constants["BOTTOM_RIGHT"] = False
    # The choices are those of the files' heads: registers hold Q up to 128, and of 64 only what is short.
    if head <= 128 and not (head == 64 and long):
        return load(example("attention.tk"), device=device, **constants).attention
    shape = {64: {}, 192: dict(BM=128, BN=112, QS=1), 256: dict(BM=128, BN=80, QS=1)}[head]
    return load(example("attention_shared.tk"), device=device, **constants, **shape).attention_shared


_LONG = 2048  # rows from which attention_shared.tk is the faster one for heads of 64


@torch.library.custom_op("tk::scaled_dot_product_attention", mutates_args=())
def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, is_causal: bool, scale: float) -> torch.Tensor:
    kernel = _module(dtypes.of_torch(q.dtype), q.shape[-1], is_causal, q.shape[-2] >= _LONG, q.device.type)
    # Where a tensor begins is not known while a graph is traced; what begins between multiples of 16 bytes is copied.
    q, k, v = (x.clone(memory_format=torch.contiguous_format) if x.data_ptr() % 16 else x for x in (q, k, v))
    return kernel(q, k, v, scale)[0]


@_attention.register_fake
def _(q, k, v, is_causal, scale):
    return q.new_empty(q.shape)


@torch.compiler.assume_constant_result
def _is_hopper(index):
    return torch.cuda.get_device_capability(index) == (9, 0)


def _unsupported(q, k, v, attn_mask, dropout_p, scale, enable_gqa):
    """Why our kernels cannot do this; None where they can."""
    if attn_mask is not None:
        return "attn_mask is not supported"
    if dropout_p > 0:
        return "dropout_p is not supported"
    if torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad):
        return "there is no backward kernel for attention yet"
    if not all(x.is_cuda for x in (q, k, v)) or not _is_hopper(q.device.index):
        return "tensors must be on a GPU of compute capability 9.0"
    if q.dtype not in (torch.bfloat16, torch.float16) or k.dtype != q.dtype or v.dtype != q.dtype:
        return "q, k and v must be all bfloat16 or all float16"
    if q.dim() != 4 or k.dim() != 4 or v.dim() != 4:
        return "q, k and v must have four axes, [batch, heads, rows, head dimension]"
    head = q.shape[-1]
    if not (head in (192, 256) or head <= 128 and head % 16 == 0):
        return f"head dimension {head} is not supported: multiples of 16 up to 128, 192 and 256 are"
    if k.shape[-1] != head or v.shape[-1] != head:
        return "q, k and v must have one head dimension"
    if k.shape != v.shape or k.shape[0] != q.shape[0]:
        return "k and v must have one shape, and the batch of q"
    if q.shape[1] != k.shape[1] and not (enable_gqa and q.shape[1] % k.shape[1] == 0):
        return "the heads of q must be those of k, or with enable_gqa a multiple"
    if scale is not None and scale <= 0:
        return "scale must be positive"
    for x in (q, k, v):
        if x.stride(-1) != 1 or any(n != 1 and (s % 8 or s == 0) for n, s in zip(x.shape[:-1], x.stride())):
            return "rows must be multiples of 16 bytes apart and lie in one piece"
    return None


def scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False,
                                 fallback=True):
    """torch.nn.functional.scaled_dot_product_attention, on our kernels wherever they can do it.

    Where they cannot, PyTorch's own runs; with fallback=False that is a ValueError with the reason. What they can is listed in
    docs/python.md. The first call for a head dimension compiles, unless the cache has it.
    """
    reason = _unsupported(q, k, v, attn_mask, dropout_p, scale, enable_gqa)
    if reason is None:
        return _attention(q, k, v, is_causal, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if not fallback:
        raise ValueError(f"scaled_dot_product_attention: {reason}")
    return torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
