"""One token of the models of sequence.py and feature_maps.py, where a model writes text token by token: the state changes in place. On
examples/sequence/linear_attention_step.tk, based_step.tk, hedgehog_step.tk, gated_delta_step.tk, kimi_delta_step.tk, rwkv7_step.tk, mamba2_step.tk and
selective_scan_step.tk."""
import math
from typing import Optional

import torch

from . import checks, dtypes
from .feature_maps import _BLOCK, _CELLS, _EPS, _FEATURES, _ROWS, _unsupported_maps
from .sequence import _group, _kernel_of, _of_heads, _wrong_heads

_KINDS = (torch.bfloat16, torch.float16, torch.float32)


def _slots(slots, x):
    return torch.empty(0, dtype=torch.int32, device=x.device) if slots is None else slots


def _given(*tensors):
    return [t for t in tensors if t is not None]


def _heads(x):
    """[batch, heads, cells] of one token."""
    return x.reshape(x.shape[0], *x.shape[-2:])


def _wrong_states(state, name, shape, x, slots, slots_name):
    """What is wrong with the states of all slots; None: nothing."""
    if state.dtype not in _KINDS or state.dim() != 1 + len(shape) or tuple(state.shape[1:]) != shape:
        return f"{name} must be float32, bfloat16 or float16, here [slots, {', '.join(map(str, shape))}]"
    if slots is None and state.shape[0] < x.shape[0]:
        return f"{name} has {state.shape[0]} slots for {x.shape[0]} sequences"
    if slots is not None and (slots.dtype != torch.int32 or slots.shape != x.shape[:1]):
        return f"{slots_name} must be int32, here [{x.shape[0]}]"
    return None


def _wrong_devices(*tensors):
    wrong = checks.emulated(*_given(*tensors))
    return None if wrong is None else wrong.replace("q, k and v", "all tensors")


def _wrong_gradients(*tensors):
    return "there are no gradients: call it under torch.no_grad()" if checks.wants_gradients(*_given(*tensors)) else None


def _wrong_tokens(q, k, v, widths=(64, 128), grouped=False):
    """Of one token of attention. grouped: heads of v may share one of q and k."""
    wrong = checks.types(q, k, v)
    if wrong is not None:
        return wrong
    if any(x.dim() not in (3, 4) or x.dim() == 4 and x.shape[1] != 1 for x in (q, k, v)):
        return "q, k and v must be one token, [batch, heads, head dimension] or [batch, 1, heads, head dimension]"
    if not grouped and (k.shape != q.shape or v.shape[:-1] != q.shape[:-1]):
        return "q and k must have one shape, and v their batch and heads"
    wrong = _wrong_heads(q, k, v)
    if wrong is not None:
        return wrong
    return None if q.shape[-1] in widths else f"head dimension {q.shape[-1]} of q and k is not supported: {' and '.join(map(str, widths))} are"


# ---- linear attention ----------------------------------------------------------------------------


@torch.library.custom_op("tk::linear_attention_update", mutates_args=("state",))
def _linear_update(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: torch.Tensor, decay: torch.Tensor, g: Optional[torch.Tensor],
                   slots: Optional[torch.Tensor], scale: float) -> torch.Tensor:
    o = v.new_empty(v.shape)
    g = q.new_empty(0, *q.shape[1:]) if g is None else g
    kernel = _kernel_of("linear_attention_step", q, TG=dtypes.of_torch(g.dtype), TS=dtypes.of_torch(state.dtype), DK=q.shape[2],
                        INDEXED=slots is not None)
    kernel(q, k, v, decay, g, _slots(slots, q), scale, state, O=o)
    return o


@_linear_update.register_fake
def _(q, k, v, state, decay, g, slots, scale):
    return v.new_empty(v.shape)


def linear_attention_update(q, k, v, state, decay=None, g=None, scale=None, state_indices=None):
    """One token of linear_attention, and with g of gated_linear_attention.

    q and k are [batch, heads, head dimension] or [batch, 1, heads, head dimension], v likewise; decay [heads], g of the
    shape of q. state, [slots, heads, head dimension of k, of v], changes in place; sequence b has slot b, or
    state_indices[b], which are all different. Returns the outputs.
    """
    wrong = _wrong_devices(q, k, v, state, decay, g, state_indices) or _wrong_tokens(q, k, v)
    wrong = wrong or _of_heads(decay, "decay", q.shape[-2], q.device)
    if wrong is None and g is not None and (g.shape != q.shape or g.dtype not in _KINDS):
        wrong = "g must have the shape of q, and be bfloat16, float16 or float32"
    wrong = wrong or _wrong_states(state, "state", (q.shape[-2], q.shape[-1], v.shape[-1]), q, state_indices, "state_indices")
    wrong = wrong or _wrong_gradients(q, k, v, state, decay, g)
    if wrong is not None:
        raise ValueError(f"linear_attention_update: {wrong}")
    decay = torch.zeros(q.shape[-2], device=q.device) if decay is None else decay.float().contiguous()
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    o = _linear_update(*map(_heads, (q, k, v)), state, decay, None if g is None else _heads(g), state_indices, scale)
    return o.reshape(v.shape)


# ---- Based ---------------------------------------------------------------------------------------


@torch.library.custom_op("tk::based_update", mutates_args=("state", "sums"))
def _based_update(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: torch.Tensor, sums: torch.Tensor, slots: Optional[torch.Tensor],
                  scale: float, norm: bool) -> torch.Tensor:
    o = v.new_empty(v.shape)
    kernel = _kernel_of("based_step", q, TS=dtypes.of_torch(state.dtype), NORM=norm, INDEXED=slots is not None)
    kernel(q, k, v, _slots(slots, q), scale, _EPS, state, sums, O=o)
    return o


@_based_update.register_fake
def _(q, k, v, state, sums, slots, scale, norm):
    return v.new_empty(v.shape)


def based_update(q, k, v, state, scale=None, use_norm=True, state_indices=None):
    """One token of based.

    q and k are [batch, heads, 16] or [batch, 1, heads, 16], v likewise, with a multiple of 8 cells. state is a pair as
    based gives it: sums of feature times v, [slots, heads, 192, cells of v], float32, bfloat16 or float16, and of
    features, [slots, heads, 192], float32. Both change in place; sequence b has slot b, or state_indices[b], which are
    all different. Returns the outputs.
    """
    if not isinstance(state, (tuple, list)) or len(state) != 2:
        raise ValueError("based_update: state must be a pair, of sums of feature times v and of features")
    state, sums = state
    wrong = _wrong_devices(q, k, v, state, sums, state_indices) or _wrong_tokens(q, k, v, (_CELLS,))
    if wrong is None and (v.shape[-1] % 8 != 0 or v.shape[-1] == 0):
        wrong = f"head dimension {v.shape[-1]} of v is not supported: multiples of 8 are"
    wrong = wrong or _wrong_states(state, "the state", (q.shape[-2], _ROWS, v.shape[-1]), q, state_indices, "state_indices")
    if wrong is None and (sums.dtype != torch.float32 or sums.shape != state.shape[:3]):
        wrong = f"the sums must be float32, here {list(state.shape[:3])}"
    wrong = wrong or _wrong_gradients(q, k, v, state, sums)
    if wrong is not None:
        raise ValueError(f"based_update: {wrong}")
    scale = 1 / math.sqrt(_CELLS) if scale is None else float(scale)
    return _based_update(*map(_heads, (q, k, v)), state, sums, state_indices, scale, bool(use_norm)).reshape(v.shape)


# ---- Hedgehog ------------------------------------------------------------------------------------


@torch.library.custom_op("tk::hedgehog_update", mutates_args=("state", "sums", "keys", "values"))
def _hedgehog_update(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, wq: torch.Tensor, wk: torch.Tensor, alpha: torch.Tensor,
                     beta: torch.Tensor, state: torch.Tensor, sums: torch.Tensor, keys: torch.Tensor, values: torch.Tensor,
                     tokens: torch.Tensor, slots: Optional[torch.Tensor], scale: float, eps: float) -> torch.Tensor:
    o = v.new_empty(v.shape)
    kernel = _kernel_of("hedgehog_step", q, D=q.shape[2], DV=v.shape[2], INDEXED=slots is not None)
    kernel(q, k, v, wq, wk, alpha, beta, tokens, _slots(slots, q), scale, eps, state, sums, keys, values, O=o)
    return o


@_hedgehog_update.register_fake
def _(q, k, v, wq, wk, alpha, beta, state, sums, keys, values, tokens, slots, scale, eps):
    return v.new_empty(v.shape)


def hedgehog_update(q, k, v, wq, wk, alpha, beta, state, tokens, scale=None, eps=_EPS, state_indices=None):
    """One token of hedgehog.

    q and k are [batch, heads, head dimension] or [batch, 1, heads, head dimension], v likewise; tokens, int32, [batch],
    is how many came before. state is a tuple of what changes in place: what blocks before the window gave to the
    features of keys, float32, [slots, heads, 128, head dimension of v], sums of these features, [slots, heads, 128],
    and the window, keys and values of the type of q, [slots, 128, heads, head dimension]: the block before in its first
    64 rows, and after them the tokens of the block that goes on. A state of hedgehog has the first 64 rows. Sequence b
    has slot b, or state_indices[b], which are all different. Returns the outputs.
    """
    if not isinstance(state, (tuple, list)) or len(state) != 4:
        raise ValueError("hedgehog_update: state must be four tensors: sums of feature times v and of features, keys and values")
    wrong = _wrong_devices(q, k, v, *state, tokens, state_indices) or _wrong_tokens(q, k, v)
    if wrong is None:
        q4, v4 = (_heads(t)[:, None] for t in (q, v))
        wrong = _unsupported_maps(q4, v4, wq, wk, alpha, beta, scale)
        heads = q.shape[-2]
        wrong = wrong or _wrong_states(state[0], "the state", (heads, 2 * _FEATURES, v.shape[-1]), q, state_indices, "state_indices")
    if wrong is None:
        window = [(state[0].shape[0], 2 * _BLOCK, heads, t.shape[-1]) for t in (k, v)]
        shapes = (*(state[0].shape[:n] for n in (4, 3)), *window)
        names = ("the state", "the sums", "the keys", "the values")
        for t, name, shape, kind in zip(state, names, shapes, (torch.float32, torch.float32, q.dtype, q.dtype)):
            if t.shape != shape or t.dtype != kind:
                wrong = wrong or f"{name} must be {str(kind).replace('torch.', '')}, here {list(shape)}"
        if tokens.dtype != torch.int32 or tokens.shape != q.shape[:1]:
            wrong = wrong or f"tokens must be int32, here [{q.shape[0]}]"
    wrong = wrong or _wrong_gradients(q, k, v, wq, wk, alpha, beta, *state)
    if wrong is not None:
        raise ValueError(f"hedgehog_update: {wrong}")
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    o = _hedgehog_update(*map(_heads, (q, k, v)), wq.contiguous(), wk.contiguous(), alpha.float().contiguous(), beta.float().contiguous(), *state,
                         tokens, state_indices, scale, float(eps))
    return o.reshape(v.shape)


# ---- the gated delta rule ------------------------------------------------------------------------


@torch.library.custom_op("tk::gated_delta_update", mutates_args=("state",))
def _delta_update(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor, state: torch.Tensor,
                  slots: Optional[torch.Tensor], scale: float) -> torch.Tensor:
    o = v.new_empty(v.shape)
    kernel = _kernel_of("gated_delta_step", q, TG=dtypes.of_torch(g.dtype), TS=dtypes.of_torch(state.dtype), DK=q.shape[2],
                        INDEXED=slots is not None, GROUP=_group(q, v))
    kernel(q, k, v, g, beta, _slots(slots, q), scale, state, O=o)
    return o


@_delta_update.register_fake
def _(q, k, v, g, beta, state, slots, scale):
    return v.new_empty(v.shape)


def gated_delta_update(q, k, v, g, beta, state, scale=None, state_indices=None):
    """One token of gated_delta_rule: S = exp(g) (S - beta k' k S) + beta k' v, o = scale q S.

    q and k are [batch, heads, head dimension] or [batch, 1, heads, head dimension]; v likewise, with as many heads or a
    multiple; g and beta as v, without the last axis. state, [slots, heads of v, head dimension of k, of v], changes in
    place; sequence b has slot b, or state_indices[b], which are all different. Returns the outputs.
    """
    wrong = _wrong_devices(q, k, v, g, beta, state, state_indices) or _wrong_tokens(q, k, v, grouped=True)
    if wrong is None and (g.shape != v.shape[:-1] or beta.shape != g.shape or any(t.dtype not in _KINDS for t in (g, beta))):
        wrong = f"g and beta must be bfloat16, float16 or float32, here {list(v.shape[:-1])}"
    wrong = wrong or _wrong_states(state, "state", (v.shape[-2], q.shape[-1], v.shape[-1]), q, state_indices, "state_indices")
    wrong = wrong or _wrong_gradients(q, k, v, g, beta, state)
    if wrong is not None:
        raise ValueError(f"gated_delta_update: {wrong}")
    g, beta = (t.reshape(t.shape[0], t.shape[-1]) for t in (g, beta.to(g.dtype)))
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    return _delta_update(*map(_heads, (q, k, v)), g, beta, state, state_indices, scale).reshape(v.shape)


# ---- Kimi delta attention ------------------------------------------------------------------------


@torch.library.custom_op("tk::kimi_delta_update", mutates_args=("state",))
def _kimi_update(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor, state: torch.Tensor,
                 slots: Optional[torch.Tensor], scale: float) -> torch.Tensor:
    o = v.new_empty(v.shape)
    kernel = _kernel_of("kimi_delta_step", q, TG=dtypes.of_torch(g.dtype), TB=dtypes.of_torch(beta.dtype), TS=dtypes.of_torch(state.dtype),
                        DK=q.shape[2], INDEXED=slots is not None, GROUP=_group(q, v))
    kernel(q, k, v, g, beta, _slots(slots, q), scale, state, O=o)
    return o


@_kimi_update.register_fake
def _(q, k, v, g, beta, state, slots, scale):
    return v.new_empty(v.shape)


def kimi_delta_update(q, k, v, g, beta, state, scale=None, state_indices=None):
    """One token of kimi_delta_attention: S = (1 - beta k' k) diag(exp(g)) S + beta k' v, o = scale q S.

    q and k are [batch, heads, head dimension] or [batch, 1, heads, head dimension]; v likewise, with as many heads or a
    multiple; g has the heads of v, and so has beta, without the last axis. state, [slots, heads of v, head dimension of
    k, of v], changes in place; sequence b has slot b, or state_indices[b], which are all different. Returns the
    outputs.
    """
    wrong = _wrong_devices(q, k, v, g, beta, state, state_indices) or _wrong_tokens(q, k, v, grouped=True)
    if wrong is None and (g.shape != (*v.shape[:-1], q.shape[-1]) or g.dtype not in _KINDS):
        wrong = f"g must be bfloat16, float16 or float32, here {[*v.shape[:-1], q.shape[-1]]}"
    if wrong is None and (beta.shape != v.shape[:-1] or beta.dtype not in _KINDS):
        wrong = f"beta must be bfloat16, float16 or float32, here {list(v.shape[:-1])}"
    wrong = wrong or _wrong_states(state, "state", (v.shape[-2], q.shape[-1], v.shape[-1]), q, state_indices, "state_indices")
    wrong = wrong or _wrong_gradients(q, k, v, g, beta, state)
    if wrong is not None:
        raise ValueError(f"kimi_delta_update: {wrong}")
    beta = beta.reshape(beta.shape[0], beta.shape[-1])
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    return _kimi_update(*map(_heads, (q, k, v, g)), beta, state, state_indices, scale).reshape(v.shape)


# ---- RWKV-7 --------------------------------------------------------------------------------------


@torch.library.custom_op("tk::rwkv7_update", mutates_args=("state",))
def _rwkv7_update(r: torch.Tensor, w: torch.Tensor, k: torch.Tensor, v: torch.Tensor, a: torch.Tensor, b: torch.Tensor, state: torch.Tensor,
                  slots: Optional[torch.Tensor], scale: float) -> torch.Tensor:
    o = v.new_empty(v.shape)
    kernel = _kernel_of("rwkv7_step", r, TG=dtypes.of_torch(w.dtype), TS=dtypes.of_torch(state.dtype), DK=r.shape[2],
                        INDEXED=slots is not None)
    kernel(r, w, k, v, a, b, _slots(slots, r), scale, state, O=o)
    return o


@_rwkv7_update.register_fake
def _(r, w, k, v, a, b, state, slots, scale):
    return v.new_empty(v.shape)


def rwkv7_update(r, w, k, v, a, b, state, scale=1.0, state_indices=None):
    """One token of rwkv7: S = diag(exp(w)) S + b' (a S) + k' v, o = scale r S.

    r, w, k, a and b are [batch, heads, head dimension] or [batch, 1, heads, head dimension], v likewise. state, [slots,
    heads, head dimension of k, of v], changes in place; sequence b has slot b, or state_indices[b], which are all
    different. Returns the outputs.
    """
    wrong = _wrong_devices(r, w, k, v, a, b, state, state_indices) or _wrong_tokens(r, k, v)
    if wrong is not None:
        wrong = wrong.replace("q, k and v", "r, k and v").replace("q and k", "r and k")
    if wrong is None and any(t.shape != r.shape or t.dtype != r.dtype for t in (a, b)):
        wrong = "a and b must have the shape and the type of r"
    if wrong is None and (w.shape != r.shape or w.dtype not in _KINDS):
        wrong = "w must have the shape of r, and be bfloat16, float16 or float32"
    wrong = wrong or _wrong_states(state, "state", (r.shape[-2], r.shape[-1], v.shape[-1]), r, state_indices, "state_indices")
    wrong = wrong or _wrong_gradients(r, w, k, v, a, b, state)
    if wrong is not None:
        raise ValueError(f"rwkv7_update: {wrong}")
    return _rwkv7_update(*map(_heads, (r, w, k, v, a, b)), state, state_indices, float(scale)).reshape(v.shape)


# ---- Mamba-1 -------------------------------------------------------------------------------------


@torch.library.custom_op("tk::selective_scan_update", mutates_args=("state",))
def _scan_update(state: torch.Tensor, x: torch.Tensor, dt: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor,
                 d: torch.Tensor, z: Optional[torch.Tensor], bias: torch.Tensor, slots: Optional[torch.Tensor], softplus: bool) -> torch.Tensor:
    """Of Mamba-1: b and c are [batch, groups, states]."""
    y = x.new_empty(x.shape)
    apart = (b.shape[1], x.shape[1] // b.shape[1])
    kernel = _kernel_of("selective_scan_step", x, TD=dtypes.of_torch(dt.dtype), TB=dtypes.of_torch(b.dtype), TS=dtypes.of_torch(state.dtype),
                        N=a.shape[1], GATED=z is not None, SOFTPLUS=softplus, INDEXED=slots is not None)
    z = x.new_empty((0, x.shape[1])) if z is None else z
    kernel(x.unflatten(1, apart), dt.unflatten(1, apart), a.unflatten(0, apart), b, c, d.unflatten(0, apart), z.unflatten(1, apart),
           bias.unflatten(0, apart), _slots(slots, x), state.unflatten(1, apart), Y=y.unflatten(1, apart))
    return y


@_scan_update.register_fake
def _(state, x, dt, a, b, c, d, z, bias, slots, softplus):
    return x.new_empty(x.shape)


def _unsupported_channels(state, x, dt, a, b, c, d, z, bias, slots):
    """What is wrong with one token of Mamba-1; None: nothing."""
    channels = x.shape[1]
    if x.dtype not in _KINDS or dt.shape != x.shape or dt.dtype not in _KINDS:
        return f"x and dt must be bfloat16, float16 or float32, here {list(x.shape)}"
    if a.dim() != 2 or a.is_complex() or a.shape[0] != channels or a.shape[1] not in (8, 16, 32, 64):
        return f"A must be [channels, states], here [{channels}, 8, 16, 32 or 64]; got {list(a.shape)}"
    if b.dim() != 3 or b.shape != c.shape or b.shape[::2] != (x.shape[0], a.shape[1]) or any(t.dtype not in _KINDS for t in (b, c)):
        return f"B and C must be bfloat16, float16 or float32, here [{x.shape[0]}, {a.shape[1]}] or [{x.shape[0]}, groups, {a.shape[1]}]"
    if b.shape[1] == 0 or channels % b.shape[1] != 0:
        return f"the channels of x, {channels}, must be a multiple of the groups of B, {b.shape[1]}"
    if z is not None and (z.shape != x.shape or z.dtype != x.dtype):
        return "z must have the shape and the type of x"
    for name, t in (("D", d), ("dt_bias", bias)):
        if t is not None and t.shape != (channels,):
            return f"{name} must have one number for each channel, here [{channels}]"
    return _wrong_states(state, "state", tuple(a.shape), x, slots, "state_batch_indices") or _wrong_gradients(state, x, dt, a, b, c, d, z, bias)


def _update_channels(state, x, dt, a, b, c, d, z, bias, softplus, slots):
    b, c = (t.unsqueeze(1) if t.dim() == 2 else t for t in (b, c))
    wrong = _unsupported_channels(state, x, dt, a, b, c, d, z, bias, slots)
    if wrong is not None:
        raise ValueError(f"selective_state_update: {wrong}")
    dt = dt if dt.dtype == x.dtype else dt.float()
    b, c = (b, c) if b.dtype == c.dtype else (b.float(), c.float())
    a, d, bias = (torch.zeros(x.shape[1], device=x.device) if t is None else t.float() for t in (a, d, bias))
    return _scan_update(state, x, dt, a, b, c, d, z, bias, slots, softplus)


# ---- Mamba-2 -------------------------------------------------------------------------------------


@torch.library.custom_op("tk::selective_state_update", mutates_args=("state",))
def _mamba2_update(state: torch.Tensor, x: torch.Tensor, dt: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor,
                   d: torch.Tensor, z: Optional[torch.Tensor], bias: torch.Tensor, slots: Optional[torch.Tensor],
                   softplus: bool) -> torch.Tensor:
    y = x.new_empty(x.shape)
    kernel = _kernel_of("mamba2_step", x, TDT=dtypes.of_torch(dt.dtype), TS=dtypes.of_torch(state.dtype), P=x.shape[2], N=b.shape[2],
                        GATED=z is not None, SOFTPLUS=softplus, INDEXED=slots is not None)
    z = x.new_empty((0, x.shape[1] * x.shape[2])) if z is None else z.flatten(1)
    kernel(x.flatten(1), dt, a, b, c, d, z, bias, _slots(slots, x), state.view(state.shape[0], -1, state.shape[3]), Y=y.view(len(y), -1))
    return y


@_mamba2_update.register_fake
def _(state, x, dt, a, b, c, d, z, bias, slots, softplus):
    return x.new_empty(x.shape)


def _per_head(t, axes):
    """A tensor that mamba_ssm takes for each head and element, where all elements of a head share a number; None: they do not."""
    if t is None or t.dim() == axes:
        return t
    return t[(...,) + (0,) * (t.dim() - axes)] if all(s == 0 for s in t.stride()[axes:]) else None


def selective_state_update(state, x, dt, A, B, C, D=None, z=None, dt_bias=None, dt_softplus=False, state_batch_indices=None):
    """selective_state_update of mamba_ssm, with the same arguments and meaning: one token, the state in place.

    For Mamba-1, state is [slots, channels, states], x, dt and z [batch, channels], A [channels, states], B and C [batch, states] or
    [batch, groups, states], D and dt_bias [channels].

    For Mamba-2, state is [slots, heads, head dimension, state], x and z [batch, heads, head dimension], B and C [batch, groups, state].
    dt, A, D and dt_bias have one number for each head: [batch, heads] and [heads], or expanded to all elements of a head, as mamba_ssm
    takes them.

    Sequence b has slot b, or state_batch_indices[b], which are all different. Returns the outputs.
    """
    wrong = _wrong_devices(state, x, dt, A, B, C, D, z, dt_bias, state_batch_indices)
    if wrong is None and x.dim() == 2:
        return _update_channels(state, x, dt, A, B, C, D, z, dt_bias, dt_softplus, state_batch_indices)
    if wrong is None and (x.dim() != 3 or x.dtype not in (torch.bfloat16, torch.float16) or x.shape[2] not in (32, 64, 128)):
        wrong = "x must be bfloat16 or float16, [batch, heads, head dimension of 32, 64 or 128]"
    if wrong is None and (B.dim() != 3 or B.shape != C.shape or B.shape[0] != x.shape[0] or any(t.dtype != x.dtype for t in (B, C))):
        wrong = "B and C must have the type of x, and be [batch, groups, state]"
    if wrong is None and (B.shape[1] == 0 or x.shape[1] % B.shape[1] != 0):
        wrong = f"the heads of x, {x.shape[1]}, must be a multiple of the groups of B, {B.shape[1]}"
    if wrong is None and z is not None and (z.shape != x.shape or z.dtype != x.dtype):
        wrong = "z must have the shape and the type of x"
    if wrong is None:
        wrong = _wrong_states(state, "state", (*x.shape[1:], B.shape[2]), x, state_batch_indices, "state_batch_indices")
    if wrong is None and not state.is_contiguous():
        wrong = "state must be contiguous"
    if wrong is None:
        given = {"dt": dt, "A": A, "D": D, "dt_bias": dt_bias}
        of_heads = {name: _per_head(t, 2 if name == "dt" else 1) for name, t in given.items()}
        for name, t in of_heads.items():
            shape = x.shape[:2] if name == "dt" else x.shape[1:2]
            if given[name] is not None and (t is None or t.shape != shape):
                wrong = wrong or f"{name} must have one number for each head, or be such a tensor expanded"
    wrong = wrong or _wrong_gradients(state, x, dt, A, B, C, D, z, dt_bias)
    if wrong is not None:
        raise ValueError(f"selective_state_update: {wrong}")
    dt = of_heads["dt"] if of_heads["dt"].dtype in (torch.float32, x.dtype) else of_heads["dt"].float()
    a, d, bias = (torch.zeros(x.shape[1], device=x.device) if t is None else t.float().contiguous()
                  for t in (of_heads["A"], of_heads["D"], of_heads["dt_bias"]))
    x, dt, b, c = (t.contiguous() for t in (x, dt, B, C))
    z = None if z is None else z.contiguous()
    return _mamba2_update(state, x, dt, a, b, c, d, z, bias, state_batch_indices, dt_softplus)
