"""Models whose tokens also take away from a state of fixed size: the gated delta rule, on examples/sequence/gated_delta.tk and, for heads of
128, gated_delta_segments.tk and gated_delta_packed.tk; Kimi delta attention, on kimi_delta.tk; and the recurrence of RWKV-7, on rwkv7.tk.
Segments of few long rows are those of the files whose names end in _segments, gradients those of _backward."""
import math
from typing import Optional, Tuple

import torch

from . import checks, dtypes
from .sdpa import _readable
from .sequence import (_WIDTHS, _count, _gradients_by, _group, _keep, _kernel_of, _linear_outputs, _of_wide_values, _offsets, _packed, _rounded, _segments, _starts, _state,
                       _state_shape, _states, _unsupported_gated, _wrong_heads)

# ---- the gated delta rule ------------------------------------------------------------------------


@torch.library.custom_op("tk::gated_delta_rule", mutates_args=())
def _gated_delta(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor, start: Optional[torch.Tensor],
                 initial: Optional[torch.Tensor], scale: float, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the states after the last tokens; without `final` they have no sequences. start: where packed
    sequences begin and end."""
    o, state = _linear_outputs(q, v, final, start)
    initial = _states(q, 0, *_state_shape(q, v)) if initial is None else initial
    constants = dict(TG=dtypes.of_torch(g.dtype), DK=q.shape[3], GROUP=_group(q, v))
    # The kernels have states transposed, with any strides.
    given = (*map(_readable, (q, k, v)), g, beta, initial.transpose(2, 3), _starts(q, start), scale)
    made = dict(O=o, State=state.transpose(2, 3))
    # Inverses are made beforehand for heads of 128, where it is 1.1 to 1.4 times as fast on an H100, and for segments. At 64 it is slower.
    wide = q.shape[3] == 128
    segments, length = (1, 0) if start is not None else _delta_segments(q, v)
    if segments == 1 and not wide:
        _kernel_of("gated_delta", q, PACKED=start is not None, **constants)(*given, **made)
    elif start is not None:
        _kernel_of("gated_delta_packed", q, **constants)(*given, **made)
    elif segments == 1:
        _kernel_of("gated_delta_segments", q, function="gated_delta_apart", **constants)(*given, **made)
    else:
        _kernel_of("gated_delta_segments", q, **constants)(*given, segments, length, **made, **_memory_of_segments(q, v, segments))
    return o, state


def _delta_segments(q, v):
    """How many, and of how many tokens; 1, 0: in one piece. A program has 64 columns of v of one head of a sequence."""
    return _segments(q, v.shape[0] * v.shape[2] * -(-v.shape[3] // 64), alone=True)


def _memory_of_segments(q, v, segments):
    """For the data that their kernels pass on: for all segments but the last the terms of the next state, and the initial state of each."""
    heads, cells, cells_v = _state_shape(q, v)
    return dict(End=_states(q, q.shape[0] * (segments - 1), heads, -(-cells_v // 64) * 64 + cells, cells),
                Start=_states(q, q.shape[0] * segments, heads, cells_v, cells))


@_gated_delta.register_fake
def _(q, k, v, g, beta, start, initial, scale, final):
    return _linear_outputs(q, v, final, start)


@torch.library.custom_op("tk::gated_delta_rule_backward", mutates_args=())
def _gated_delta_backward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor, start: Optional[torch.Tensor],
        initial: Optional[torch.Tensor], do: torch.Tensor, dstate: Optional[torch.Tensor],
        scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _delta_gradients(q, k, v, g, beta, initial)
    nothing = _states(q, 0, *_state_shape(q, v))
    before, behind = ((nothing if s is None else s).transpose(2, 3) for s in (initial, dstate))
    kernel = _kernel_of("gated_delta_backward", q, TG=dtypes.of_torch(g.dtype), DK=q.shape[3], DV=v.shape[3], PACKED=start is not None,
                        GROUP=_group(q, v))
    each = _each(q, v, made)
    kernel(*map(_readable, (q, k, v)), g, beta, before, _readable(do), behind, _starts(q, start), scale, dQ=each[0], dK=each[1],
           **dict(zip(("dV", "dGate", "dBeta"), made[2:])), dS0=made[5].transpose(2, 3))
    return _added(each, made)


def _each(q, v, made):
    """For the gradients of q and k as kernels make them, of each head of v: where they belong, unless heads of v share them."""
    if _group(q, v) == 1:
        return made[:2]
    return [q.new_empty((*v.shape[:3], q.shape[3])) for _ in range(2)]


def _added(each, made):
    """All gradients, those of q and k added up over the heads of v that share them."""
    for whole, parts in zip(made, each):
        if whole is not parts:
            torch.sum(parts.unflatten(2, (whole.shape[2], -1)), 3, out=whole)
    return made


def _delta_gradients(q, k, v, g, beta, initial):
    """As many states as `initial` has."""
    return *(t.new_empty(t.shape) for t in (q, k, v, g, beta)), _states(q, 0 if initial is None else initial.shape[0], *_state_shape(q, v))


@_gated_delta_backward.register_fake
def _(q, k, v, g, beta, start, initial, do, dstate, scale):
    return _delta_gradients(q, k, v, g, beta, initial)


_gated_delta.register_autograd(_gradients_by(_gated_delta_backward, packed=True), setup_context=_keep)
_gated_delta_backward.register_autograd(checks.first_derivatives_only("gated_delta_rule"))


def _unsupported_delta(q, k, v, g, beta, initial, start):
    given = [t for t in (q, k, v, g, beta, initial) if t is not None]
    wrong = checks.emulated(*given) or checks.types(q, k, v) or checks.axes(q, k, v, ("batch", "tokens", "heads", "head dimension"))
    if wrong is not None:
        return wrong
    wrong = _wrong_heads(q, k, v)
    if wrong is not None:
        return wrong
    kinds = (torch.bfloat16, torch.float16, torch.float32)
    if any(t is not None and (t.shape != v.shape[:3] or t.dtype not in kinds) for t in (g, beta)):
        return f"g and beta must be bfloat16, float16 or float32, here {list(v.shape[:3])}"
    if q.shape[3] not in _WIDTHS or v.shape[3] % 8 != 0 or v.shape[3] == 0:
        return f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported: 64 and 128 are, of v multiples of 8"
    wrong = _packed(q, start) or _state(initial, "initial_state", (_count(q, start), *_state_shape(q, v)), q.device)
    return wrong or _of_wide_values(v, *given)


def gated_delta_rule(q, k, v, g=None, beta=None, scale=None, initial_state=None, output_final_state=False, cu_seqlens=None):
    """chunk_gated_delta_rule of flash-linear-attention, with the same arguments and meaning: S_t = exp(g_t) (S_(t-1) -
    beta_t k_t' k_t S_(t-1)) + beta_t k_t' v_t, o_t = scale q_t S_t.

    q and k are [batch, tokens, heads, head dimension], keys of length 1 or less; v likewise, with its own head
    dimension, and as many heads or a multiple: each head of q and k then serves as many heads of v in a row. g, the
    logarithms of decays, and beta are [batch, tokens, heads of v]. None: no decay, and 1. scale: None for 1 / sqrt(head
    dimension). The state is float32, [batch, heads of v, head dimension of k, of v]. Returns the outputs, and the state
    after the last token, or None. All tensors have gradients if v has 64 or 128 cells. With cu_seqlens a batch of 1
    contains concatenated sequences, sequence i from token cu_seqlens[i] to cu_seqlens[i + 1], each with its own state.
    Unsupported arguments raise a ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported_delta(q, k, v, g, beta, initial_state, cu_seqlens)
    if wrong is not None:
        raise ValueError(f"gated_delta_rule: {wrong}")
    g = torch.zeros(v.shape[:3], device=q.device) if g is None else g.contiguous()
    beta = torch.ones_like(g) if beta is None else beta.contiguous()
    if g.dtype != beta.dtype:
        g, beta = g.float(), beta.float()
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    initial = None if initial_state is None else initial_state.contiguous()
    o, state = _gated_delta(q, k, v, g, beta, _offsets(cu_seqlens), initial, scale, output_final_state)
    return o, state if output_final_state else None


# ---- Kimi delta attention ------------------------------------------------------------------------


@torch.library.custom_op("tk::kimi_delta_attention", mutates_args=())
def _kimi_delta(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor, start: Optional[torch.Tensor],
                initial: Optional[torch.Tensor], scale: float, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the states after the last tokens; without `final` they have no sequences. start: where packed
    sequences begin and end."""
    o, state = _linear_outputs(q, v, final, start)
    initial = _states(q, 0, *_state_shape(q, v)) if initial is None else initial
    gates = _rounded(g) if start is None else g
    constants = dict(TG=dtypes.of_torch(gates.dtype), TB=dtypes.of_torch(beta.dtype), DK=q.shape[3], GROUP=_group(q, v))
    # The kernels have states transposed, with any strides.
    given = (*map(_readable, (q, k, v, gates)), beta, initial.transpose(2, 3), _starts(q, start), scale)
    made = dict(O=o, State=state.transpose(2, 3))
    segments, length = (1, 0) if start is not None else _delta_segments(q, v)
    if segments == 1:
        _kernel_of("kimi_delta" if start is None else "kimi_delta_packed", q, **constants)(*given, **made)
    else:
        _kernel_of("kimi_delta_segments", q, **constants)(*given, segments, length, **made, **_memory_of_segments(q, v, segments))
    return o, state


@_kimi_delta.register_fake
def _(q, k, v, g, beta, start, initial, scale, final):
    return _linear_outputs(q, v, final, start)


@torch.library.custom_op("tk::kimi_delta_attention_backward", mutates_args=())
def _kimi_delta_backward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor, start: Optional[torch.Tensor],
        initial: Optional[torch.Tensor], do: torch.Tensor, dstate: Optional[torch.Tensor],
        scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _delta_gradients(q, k, v, g, beta, initial)
    nothing = _states(q, 0, *_state_shape(q, v))
    before, behind = ((nothing if s is None else s).transpose(2, 3) for s in (initial, dstate))
    constants = dict(TB=dtypes.of_torch(beta.dtype), DK=q.shape[3], DV=v.shape[3], GROUP=_group(q, v))
    if start is not None:
        gates, kernel = g, _kernel_of("kimi_delta_packed_backward", q, TG=dtypes.of_torch(g.dtype), **constants)
    else:
        gates = _rounded(g)
        kernel = _kernel_of("kimi_delta_backward", q, TG=dtypes.of_torch(gates.dtype), TDG=dtypes.of_torch(g.dtype), **constants)
    each = _each(q, v, made)
    kernel(*map(_readable, (q, k, v, gates)), beta, before, _readable(do), behind, _starts(q, start), scale, dQ=each[0], dK=each[1],
           **dict(zip(("dV", "dG", "dBeta"), made[2:])), dS0=made[5].transpose(2, 3))
    return _added(each, made)


@_kimi_delta_backward.register_fake
def _(q, k, v, g, beta, start, initial, do, dstate, scale):
    return _delta_gradients(q, k, v, g, beta, initial)


_kimi_delta.register_autograd(_gradients_by(_kimi_delta_backward, packed=True), setup_context=_keep)
_kimi_delta_backward.register_autograd(checks.first_derivatives_only("kimi_delta_attention"))


def _unsupported_kimi(q, k, v, g, beta, initial, start):
    wrong = _unsupported_gated(q, k, v, g, initial, start, grouped=True) or checks.emulated(q, beta)
    if wrong is not None:
        return wrong
    if beta.shape != v.shape[:3] or beta.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        return f"beta must be bfloat16, float16 or float32, here {list(v.shape[:3])}"
    return _of_wide_values(v, beta)


def kimi_delta_attention(q, k, v, g, beta, scale=None, initial_state=None, output_final_state=False, cu_seqlens=None):
    """chunk_kda of flash-linear-attention, with the same arguments and meaning: the delta rule with a decay for each
    channel of the keys, S_t = (1 - beta_t k_t' k_t) diag(exp(g_t)) S_(t-1) + beta_t k_t' v_t, o_t = scale q_t S_t.

    q and k are [batch, tokens, heads, head dimension], keys of length 1 or less; v likewise, with its own head
    dimension, and as many heads or a multiple: each head of q and k then serves as many heads of v in a row. g, the
    logarithms of decays, is [batch, tokens, heads of v, head dimension of k], and beta [batch, tokens, heads of v]. g
    is at most 0, and finite unless it is float32. scale: None for 1 / sqrt(head dimension). The state is float32,
    [batch, heads of v, head dimension of k, of v]. Returns the outputs, and the state after the last token, or None.
    All tensors have gradients if v has 64 or 128 cells. With cu_seqlens a batch of 1 contains concatenated sequences,
    sequence i from token cu_seqlens[i] to cu_seqlens[i + 1], each with its own state. Unsupported arguments raise a
    ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported_kimi(q, k, v, g, beta, initial_state, cu_seqlens)
    if wrong is not None:
        raise ValueError(f"kimi_delta_attention: {wrong}")
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    initial = None if initial_state is None else initial_state.contiguous()
    o, state = _kimi_delta(q, k, v, g, beta.contiguous(), _offsets(cu_seqlens), initial, scale, output_final_state)
    return o, state if output_final_state else None


# ---- RWKV-7 --------------------------------------------------------------------------------------


@torch.library.custom_op("tk::rwkv7", mutates_args=())
def _rwkv7(r: torch.Tensor, w: torch.Tensor, k: torch.Tensor, v: torch.Tensor, a: torch.Tensor, b: torch.Tensor,
           start: Optional[torch.Tensor], initial: Optional[torch.Tensor], scale: float, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the states after the last tokens; without `final` they have no sequences. start: where packed
    sequences begin and end."""
    o, state = _linear_outputs(r, v, final, start)
    initial = _states(r, 0, *_state_shape(r, v)) if initial is None else initial
    decays = _rounded(w) if start is None else w
    constants = dict(TG=dtypes.of_torch(decays.dtype), DK=r.shape[3])
    # The kernels have states transposed, with any strides.
    given = (*map(_readable, (r, decays, k, v, a, b)), initial.transpose(2, 3), _starts(r, start), scale)
    made = dict(O=o, State=state.transpose(2, 3))
    segments, length = (1, 0) if start is not None else _delta_segments(r, v)
    if segments == 1:
        _kernel_of("rwkv7" if start is None else "rwkv7_packed", r, **constants)(*given, **made)
    else:
        _kernel_of("rwkv7_segments", r, **constants)(*given, segments, length, **made, **_memory_of_segments(r, v, segments))
    return o, state


@_rwkv7.register_fake
def _(r, w, k, v, a, b, start, initial, scale, final):
    return _linear_outputs(r, v, final, start)


@torch.library.custom_op("tk::rwkv7_backward", mutates_args=())
def _rwkv7_backward(
        r: torch.Tensor, w: torch.Tensor, k: torch.Tensor, v: torch.Tensor, a: torch.Tensor, b: torch.Tensor, start: Optional[torch.Tensor],
        initial: Optional[torch.Tensor], do: torch.Tensor, dstate: Optional[torch.Tensor], scale: float
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _rwkv7_gradients(r, w, k, v, a, b, initial)
    nothing = _states(r, 0, *_state_shape(r, v))
    before, behind = ((nothing if s is None else s).transpose(2, 3) for s in (initial, dstate))
    widths = dict(DK=r.shape[3], DV=v.shape[3])
    if start is not None:
        decays, kernel = w, _kernel_of("rwkv7_packed_backward", r, TG=dtypes.of_torch(w.dtype), **widths)
    else:
        decays = _rounded(w)
        kernel = _kernel_of("rwkv7_backward", r, TG=dtypes.of_torch(decays.dtype), TDW=dtypes.of_torch(w.dtype), **widths)
    kernel(*map(_readable, (r, decays, k, v, a, b)), before, _readable(do), behind, _starts(r, start), scale,
           **dict(zip(("dR", "dW", "dK", "dV", "dA", "dB"), made)), dS0=made[6].transpose(2, 3))
    return made


def _rwkv7_gradients(r, w, k, v, a, b, initial):
    """As many states as `initial` has."""
    return *(t.new_empty(t.shape) for t in (r, w, k, v, a, b)), _states(r, 0 if initial is None else initial.shape[0], *_state_shape(r, v))


@_rwkv7_backward.register_fake
def _(r, w, k, v, a, b, start, initial, do, dstate, scale):
    return _rwkv7_gradients(r, w, k, v, a, b, initial)


def _gradients_of_rwkv7(ctx, do, dstate):
    *tensors, initial = ctx.saved_tensors
    if do is None:
        do = torch.zeros_like(tensors[3])
    dstate = dstate.contiguous() if ctx.final and dstate is not None else None
    *made, dinitial = _rwkv7_backward(*tensors, initial, do, dstate, ctx.scale)
    return *made, None, None if initial is None else dinitial, None, None


_rwkv7.register_autograd(_gradients_of_rwkv7, setup_context=_keep)
_rwkv7_backward.register_autograd(checks.first_derivatives_only("rwkv7"))


def _unsupported_rwkv7(r, w, k, v, a, b, initial, start):
    wrong = checks.emulated(r, w, k, v, a, b)
    if wrong is not None:
        return wrong.replace("q, k and v", "all tensors")
    names = {"k": k, "a": a, "b": b}
    for name, t in names.items():
        if t.shape != r.shape or t.dtype != r.dtype:
            return f"{name} must have the shape and the type of r"
    wrong = _unsupported_gated(r, k, v, w, initial, start)
    if wrong is not None:
        return wrong.replace("q, k and v", "r, k and v").replace("q and k", "r and k").replace("g must have the shape of q", "w must have the shape of r")
    return _of_wide_values(v, a, b)


def rwkv7(r, w, k, v, a, b, scale=1.0, initial_state=None, output_final_state=False, cu_seqlens=None):
    """chunk_rwkv7 of flash-linear-attention, with the same arguments and meaning: S_t = diag(exp(w_t)) S_(t-1) + b_t'
    (a_t S_(t-1)) + k_t' v_t, o_t = scale r_t S_t.

    r, k, a, b and w, the logarithms of decays, are [batch, tokens, heads, head dimension]; v likewise, with its own
    head dimension. w is at most 0, and finite unless it is float32; a and b are such that a token takes away no more
    than there is, as the model makes them: -n and n times at most 1, with n of length 1. The state is float32, [batch,
    heads, head dimension of k, of v]. Returns the outputs, and the state after the last token, or None. All tensors
    have gradients if v has 64 or 128 cells. With cu_seqlens a batch of 1 contains concatenated sequences, sequence i
    from token cu_seqlens[i] to cu_seqlens[i + 1], each with its own state. Unsupported arguments raise a ValueError
    with the reason; docs/python.md lists them.
    """
    wrong = _unsupported_rwkv7(r, w, k, v, a, b, initial_state, cu_seqlens)
    if wrong is not None:
        raise ValueError(f"rwkv7: {wrong}")
    initial = None if initial_state is None else initial_state.contiguous()
    o, state = _rwkv7(r, w, k, v, a, b, _offsets(cu_seqlens), initial, float(scale), output_final_state)
    return o, state if output_final_state else None
