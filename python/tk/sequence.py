"""Models with a state of fixed size: linear attention with a decay for each head, on examples/sequence/linear_attention.tk, or for each
channel, on gated_linear_attention.tk, and the scan of Mamba-2, on mamba2.tk. Gradients are those of the files whose names end in
_backward. Those that also take something away are in delta_rules.py."""
import functools
import math
from typing import Optional, Tuple

import torch

from . import checks, dtypes
from .kv_cache import _multiprocessors
from .sdpa import _readable

_WIDTHS = (64, 128)
_SHORTEST = 1024  # tokens of a segment: shorter ones cost more than they gain


@functools.lru_cache(maxsize=None)
def _kernel(name, function, device, constants):
    from . import example, load

    return getattr(load(example(name + ".tk"), device=device, **dict(constants)), function)


def _kernel_of(name, x, function=None, **constants):
    """The function of the file's name, or another of the file."""
    return _kernel(name, function or name, x.device.type, tuple(dict(constants, T=dtypes.of_torch(x.dtype)).items()))


def _states(like, sequences, *shape):
    """States of so many sequences; a kernel neither reads nor writes those of none."""
    return like.new_empty((sequences, *shape), dtype=torch.float32)


def _count(x, start):
    """How many sequences x holds: its batch, or those that the offsets in start tell apart."""
    return x.shape[0] if start is None else start.shape[0] - 1


def _starts(x, start):
    """As kernels take them."""
    return torch.empty(0, dtype=torch.int32, device=x.device) if start is None else start


def _segments(x, programs, alone=False):
    """How many segments a sequence of x is cut into, and of how many tokens: so that programs, which are that many without, fill the
    GPU, where they leave much of it without work. alone: a multiprocessor has one program at a time, so that the last ones that
    begin should fill it, too."""
    tokens, most = x.shape[1], _multiprocessors(x.device.index) if x.is_cuda else 132
    count = 1 if programs == 0 or programs > 0.6 * most else min(round(most / programs), tokens // _SHORTEST)
    if alone and count > 1:
        count = min(range(1, min(2 * most // programs, tokens // _SHORTEST) + 1), key=lambda n: -(-n * programs // most) / n)
    if count <= 1:
        return 1, 0
    length = -(-tokens // (64 * count)) * 64
    return -(-tokens // length), length


# ---- linear attention ----------------------------------------------------------------------------


def _linear_kernel(name, q, v, packed, *states):
    """The function of a file. That for segments takes two numbers after the scale, and memory: `states` of all segments, and others
    of none."""
    segments, length = (1, 0) if packed else _segments(q, q.shape[0] * q.shape[2])
    constants = dict(DK=q.shape[3], DV=v.shape[3])
    if segments == 1:
        return _kernel_of(name, q, PACKED=packed, **constants), (), {}
    memory = {s: _states(q, 0 if s.startswith("Unused") else q.shape[0] * segments, *_state_shape(q, v)) for s in states}
    return _kernel_of(name, q, function=name + "_segments", **constants), (segments, length), memory


def _state_shape(q, v):
    return v.shape[2], q.shape[3], v.shape[3]


def _group(q, v):
    """How many heads of v share one of q and k."""
    return max(v.shape[-2] // max(q.shape[-2], 1), 1)


def _wrong_heads(q, k, v):
    """Of models whose heads of v may share one of q and k: what is wrong with shapes; None: nothing."""
    if k.shape != q.shape or v.shape[:-2] != q.shape[:-2]:
        return f"q and k must have one shape, and v their batch{' and tokens' if q.dim() == 4 else ''}"
    if v.shape[-2] != _group(q, v) * q.shape[-2]:
        return f"the heads of v, {v.shape[-2]}, must be a multiple of those of q and k, {q.shape[-2]}"
    return None


@torch.library.custom_op("tk::linear_attention", mutates_args=())
def _linear_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, decay: torch.Tensor, initial: Optional[torch.Tensor],
                      start: Optional[torch.Tensor], scale: float, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the states after the last tokens; without `final` they have no sequences. start: where packed
    sequences begin and end."""
    o, state = _linear_outputs(q, v, final, start)
    initial = _states(q, 0, *_state_shape(q, v)) if initial is None else initial
    kernel, segments, memory = _linear_kernel("linear_attention", q, v, start is not None, "End", "Start", "Unused")
    return kernel(*map(_readable, (q, k, v)), decay, initial, _starts(q, start), scale, *segments, O=o, State=state, **memory)


def _linear_outputs(q, v, final, start=None):
    return v.new_empty(v.shape), _states(q, _count(q, start) if final else 0, *_state_shape(q, v))


@_linear_attention.register_fake
def _(q, k, v, decay, initial, start, scale, final):
    return _linear_outputs(q, v, final, start)


@torch.library.custom_op("tk::linear_attention_backward", mutates_args=())
def _linear_attention_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, decay: torch.Tensor, initial: Optional[torch.Tensor],
                               start: Optional[torch.Tensor], do: torch.Tensor, dstate: Optional[torch.Tensor],
                               scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _linear_gradients(q, k, v, initial, start)
    nothing = _states(q, 0, *_state_shape(q, v))
    kernel, segments, memory = _linear_kernel("linear_attention_backward", q, v, start is not None, "End", "Start", "After", "Behind",
                                              "Unused0", "Unused1", "Unused2")
    return kernel(*map(_readable, (q, k, v)), decay, nothing if initial is None else initial, _readable(do),
                  nothing if dstate is None else dstate, _starts(q, start), scale, *segments, **dict(zip(("dQ", "dK", "dV", "dS0"), made)), **memory)


def _linear_gradients(q, k, v, initial, start):
    state = _states(q, 0 if initial is None else _count(q, start), *_state_shape(q, v))
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape), state


@_linear_attention_backward.register_fake
def _(q, k, v, decay, initial, start, do, dstate, scale):
    return _linear_gradients(q, k, v, initial, start)


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted."""
    *tensors, ctx.scale, ctx.final = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors)


def _gradients(ctx, do, dstate):
    q, k, v, decay, initial, start = ctx.saved_tensors
    if do is None:
        do = torch.zeros_like(v)
    dstate = dstate.contiguous() if ctx.final and dstate is not None else None
    *made, dinitial = _linear_attention_backward(q, k, v, decay, initial, start, do, dstate, ctx.scale)
    return *made, None, None if initial is None else dinitial, None, None, None


_linear_attention.register_autograd(_gradients, setup_context=_keep)
_linear_attention_backward.register_autograd(checks.first_derivatives_only("linear_attention"))


def _state(given, name, shape, device):
    """What is wrong with a state that was given; None: nothing."""
    if given is None:
        return None
    if given.dtype != torch.float32 or given.shape != shape:
        return f"{name} must be float32, here {list(shape)}"
    return None if given.device == device else f"{name} is on {given.device}, and the other tensors on {device}"


def _of_heads(given, name, heads, device):
    """The same of numbers for each head."""
    if given is None:
        return None
    if given.shape != (heads,):
        return f"{name} must have one number for each head, here [{heads}]"
    return None if given.device == device else f"{name} is on {given.device}, and the other tensors on {device}"


def _packed(x, start):
    """What is wrong with the offsets of packed sequences; None: nothing."""
    if start is None:
        return None
    if start.dim() != 1 or start.shape[0] < 2 or start.dtype not in (torch.int32, torch.int64):
        return "cu_seqlens must be int32 or int64, with one axis, one number longer than there are sequences"
    if start.device != x.device:
        return f"cu_seqlens is on {start.device}, and the other tensors on {x.device}"
    return None if x.shape[0] == 1 else f"packed sequences lie in a batch of 1, and that of this call is {x.shape[0]}"


def _offsets(start):
    return None if start is None else start.int().contiguous()


def _unsupported(q, k, v, decay, initial, start):
    names = ("batch", "tokens", "heads", "head dimension")
    wrong = checks.emulated(q, k, v) or checks.types(q, k, v) or checks.axes(q, k, v, names)
    if wrong is not None:
        return wrong
    if k.shape != q.shape or v.shape[:3] != q.shape[:3]:
        return "q and k must have one shape, and v their batch, tokens and heads"
    if q.shape[3] not in _WIDTHS or v.shape[3] not in _WIDTHS:
        return f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported: 64 and 128 are"
    if decay is not None and decay.requires_grad:
        return "decay has no gradient: detach() it"
    return (_packed(q, start) or _of_heads(decay, "decay", q.shape[2], q.device)
            or _state(initial, "initial_state", (_count(q, start), *_state_shape(q, v)), q.device))


def linear_attention(q, k, v, decay=None, scale=None, initial_state=None, output_final_state=False, cu_seqlens=None):
    """Causal linear attention with a decay for each head: o_t = scale q_t S_t, S_t = exp(decay_h) S_(t-1) + k_t' v_t.

    q and k are [batch, tokens, heads, head dimension], v likewise, with its own head dimension. decay: the logarithms
    of the decays, one for each head, as g_gamma of flash-linear-attention's chunk_simple_gla; None: no decay. Retention
    has torch.log1p(-2.0 ** (-5 - torch.arange(heads))). scale: None for 1 / sqrt(head dimension). The state is float32,
    [batch, heads, head dimension of k, of v]. Returns the outputs, and the state after the last token, or None; all but
    decay have gradients. With cu_seqlens a batch of 1 contains concatenated sequences, sequence i from token
    cu_seqlens[i] to cu_seqlens[i + 1], each with its own state; only the device knows their lengths. Unsupported
    arguments raise a ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported(q, k, v, decay, initial_state, cu_seqlens)
    if wrong is not None:
        raise ValueError(f"linear_attention: {wrong}")
    decay = torch.zeros(q.shape[2], device=q.device) if decay is None else decay.float().contiguous()
    initial = None if initial_state is None else initial_state.contiguous()
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    o, state = _linear_attention(q, k, v, decay, initial, _offsets(cu_seqlens), scale, output_final_state)
    return o, state if output_final_state else None


# ---- gated linear attention ----------------------------------------------------------------------


@torch.library.custom_op("tk::gated_linear_attention", mutates_args=())
def _gated_linear_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, start: Optional[torch.Tensor],
                            initial: Optional[torch.Tensor], scale: float, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the states after the last tokens; without `final` they have no sequences. start: where packed
    sequences begin and end."""
    o, state = _linear_outputs(q, v, final, start)
    initial = _states(q, 0, *_state_shape(q, v)) if initial is None else initial
    columns = 64 if v.shape[3] <= 64 else 128
    name, constants = "gated_linear_attention", dict(DK=q.shape[3], BV=columns)
    if start is not None:
        name += "_packed"
    elif g.dtype == torch.float32:
        name += "_f32"
    if not name.endswith("_f32"):
        constants["TG"] = dtypes.of_torch(g.dtype)
    segments, length = (1, 0) if start is not None else _segments(q, q.shape[0] * q.shape[2] * -(-v.shape[3] // columns))
    given = (*map(_readable, (q, k, v, g)), initial, _starts(q, start), scale)
    if segments == 1:
        return _kernel_of(name, q, **constants)(*given, O=o, State=state)
    memory = {s: _states(q, 0 if s == "Unused" else q.shape[0] * segments, *_state_shape(q, v)) for s in ("End", "Start", "Unused")}
    memory["Left"] = _states(q, q.shape[0] * segments, *q.shape[2:])
    return _kernel_of(name, q, function=name + "_segments", **constants)(*given, segments, length, O=o, State=state, **memory)


def _rounded(g):
    """Logarithms of decays as kernels take them: f32 as f16, as gated_linear_attention_f32.tk rounds them."""
    if g.dtype != torch.float32:
        return g
    return torch.maximum(g, torch.tensor(-60000.0), out=g.new_empty(g.shape, dtype=torch.float16))  # in one pass over memory


@_gated_linear_attention.register_fake
def _(q, k, v, g, start, initial, scale, final):
    return _linear_outputs(q, v, final, start)


@torch.library.custom_op("tk::gated_linear_attention_backward", mutates_args=())
def _gated_linear_attention_backward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, start: Optional[torch.Tensor],
        initial: Optional[torch.Tensor], do: torch.Tensor, dstate: Optional[torch.Tensor],
        scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _gated_gradients(q, k, v, g, initial)
    nothing = _states(q, 0, *_state_shape(q, v))
    widths = dict(DK=q.shape[3], DV=v.shape[3])
    if start is not None:
        gates, kernel = g, _kernel_of("gated_linear_attention_packed_backward", q, TG=dtypes.of_torch(g.dtype), **widths)
    else:
        gates = _rounded(g)
        kernel = _kernel_of("gated_linear_attention_backward", q, TG=dtypes.of_torch(gates.dtype), TDG=dtypes.of_torch(g.dtype), **widths)
    kernel(*map(_readable, (q, k, v, gates)), nothing if initial is None else initial, _readable(do), nothing if dstate is None else dstate,
           _starts(q, start), scale, **dict(zip(("dQ", "dK", "dV", "dG", "dS0"), made)))
    return made


def _gated_gradients(q, k, v, g, initial):
    """As many states as `initial` has."""
    return *(t.new_empty(t.shape) for t in (q, k, v, g)), _states(q, 0 if initial is None else initial.shape[0], *_state_shape(q, v))


@_gated_linear_attention_backward.register_fake
def _(q, k, v, g, start, initial, do, dstate, scale):
    return _gated_gradients(q, k, v, g, initial)


def _gradients_by(operator, packed=False):
    """What gives the gradients of a function whose tensors are q, k, v, others, the offsets of packed sequences where it takes them, and
    the state before."""
    def gradients(ctx, do, dstate):
        *tensors, initial = ctx.saved_tensors
        if do is None:
            do = torch.zeros_like(tensors[2])
        dstate = dstate.contiguous() if ctx.final and dstate is not None else None
        *made, dinitial = operator(*tensors, initial, do, dstate, ctx.scale)
        return *made, *[None] * packed, None if initial is None else dinitial, None, None
    return gradients


_gated_linear_attention.register_autograd(_gradients_by(_gated_linear_attention_backward, packed=True), setup_context=_keep)
_gated_linear_attention_backward.register_autograd(checks.first_derivatives_only("gated_linear_attention"))


def _of_wide_values(v, *given):
    """What is wrong with the head dimension of v where gradients are wanted."""
    if v.shape[3] not in _WIDTHS and checks.wants_gradients(*given):
        return f"there are no gradients for head dimension {v.shape[3]} of v: 64 and 128 have them; else call it under torch.no_grad()"
    return None


def _unsupported_gated(q, k, v, g, initial, start=None, grouped=False):
    """grouped: heads of v may share one of q and k."""
    wrong = checks.emulated(q, k, v, g) or checks.types(q, k, v) or checks.axes(q, k, v, ("batch", "tokens", "heads", "head dimension"))
    if wrong is not None:
        return wrong
    if not grouped and (k.shape != q.shape or v.shape[:3] != q.shape[:3]):
        return "q and k must have one shape, and v their batch, tokens and heads"
    wrong = _wrong_heads(q, k, v)
    if wrong is not None:
        return wrong
    shape = [*v.shape[:3], q.shape[3]]
    if list(g.shape) != shape or g.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        kinds = "bfloat16, float16 or float32"
        return f"g must be {kinds}, here {shape}" if grouped else f"g must have the shape of q, and be {kinds}"
    if q.shape[3] not in _WIDTHS or v.shape[3] % 8 != 0 or v.shape[3] == 0:
        return f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported: 64 and 128 are, of v multiples of 8"
    given = [t for t in (q, k, v, g, initial) if t is not None]
    return (_packed(q, start) or _state(initial, "initial_state", (_count(q, start), *_state_shape(q, v)), q.device)
            or _of_wide_values(v, *given))


def gated_linear_attention(q, k, v, g, scale=None, initial_state=None, output_final_state=False, cu_seqlens=None):
    """chunk_gla of flash-linear-attention, with the same arguments and meaning: o_t = scale q_t S_t, S_t =
    diag(exp(g_t)) S_(t-1) + k_t' v_t.

    q, k and g, the logarithms of decays, are [batch, tokens, heads, head dimension], v likewise, with its own head
    dimension. g is at most 0, and finite unless it is float32. scale: None for 1 / sqrt(head dimension). The state is
    float32, [batch, heads, head dimension of k, of v]. Returns the outputs, and the state after the last token, or
    None. All tensors have gradients if v has 64 or 128 cells. With cu_seqlens a batch of 1 contains concatenated
    sequences, sequence i from token cu_seqlens[i] to cu_seqlens[i + 1], each with its own state. Unsupported arguments
    raise a ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported_gated(q, k, v, g, initial_state, cu_seqlens)
    if wrong is not None:
        raise ValueError(f"gated_linear_attention: {wrong}")
    initial = None if initial_state is None else initial_state.contiguous()
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    o, state = _gated_linear_attention(q, k, v, g, _offsets(cu_seqlens), initial, scale, output_final_state)
    return o, state if output_final_state else None


# ---- Mamba-2 -------------------------------------------------------------------------------------


def _heads_of_program(x, b):
    """Heads of a group that a program takes: their states have 64 or 128 rows."""
    heads = x.shape[2] // b.shape[2] if b.shape[2] else 0
    return 2 if x.shape[3] == 64 and heads % 2 == 0 else 1


@torch.library.custom_op("tk::mamba2", mutates_args=())
def _mamba2(x: torch.Tensor, dt: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor,
            z: Optional[torch.Tensor], bias: torch.Tensor, initial: Optional[torch.Tensor], start: Optional[torch.Tensor], softplus: bool,
            least: float, most: float, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the state after the last token (no sequences without `final`)."""
    batch, tokens, heads, cells = x.shape
    together = _heads_of_program(x, b)
    segments, length = (1, 0) if start is not None else _segments(x, batch * heads // together)
    constants = dict(TDT=dtypes.of_torch(dt.dtype), P=cells, S=b.shape[3], HEADS=together, GATED=z is not None, SOFTPLUS=softplus)
    y, state = _mamba2_outputs(x, b, final, start)
    z = x.new_empty((0, tokens, heads * cells)) if z is None else _readable(z.flatten(2))
    initial = _states(x, 0, heads * cells, b.shape[3]) if initial is None else initial.flatten(1, 2)
    given = (_readable(x.flatten(2)), dt, a, _readable(b), _readable(c), d, z, bias, initial, _starts(x, start), least, most)
    made = dict(Y=y.flatten(2), State=state.flatten(1, 2))
    if segments == 1:
        _kernel_of("mamba2", x, PACKED=start is not None, **constants)(*given, **made)
        return y, state
    memory = {name: _states(x, batch * segments, heads * cells, b.shape[3]) for name in ("End", "Start")}
    memory.update(Left=_states(x, batch * segments, heads), Unused=_states(x, 0, heads * cells, b.shape[3]))
    _kernel_of("mamba2", x, function="mamba2_segments", **constants)(*given, segments, length, **made, **memory)
    return y, state


def _mamba2_outputs(x, b, final, start):
    return x.new_empty(x.shape), _states(x, _count(x, start) if final else 0, *x.shape[2:], b.shape[3])


@_mamba2.register_fake
def _(x, dt, a, b, c, d, z, bias, initial, start, softplus, least, most, final):
    return _mamba2_outputs(x, b, final, start)


@torch.library.custom_op("tk::mamba2_backward", mutates_args=())
def _mamba2_backward(
        x: torch.Tensor, dt: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, bias: torch.Tensor,
        initial: Optional[torch.Tensor], start: Optional[torch.Tensor], dy: torch.Tensor, dstate: Optional[torch.Tensor], softplus: bool,
        least: float, most: float
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    kernel = _kernel_of("mamba2_backward", x, TDT=dtypes.of_torch(dt.dtype), P=x.shape[3], S=b.shape[3], HEADS=_heads_of_program(x, b),
                        SOFTPLUS=softplus, PACKED=start is not None)
    made = _mamba2_gradients(x, dt, a, b, c, d, bias, initial)
    before, behind = (_states(x, 0, x.shape[2] * x.shape[3], b.shape[3]) if s is None else s.flatten(1, 2) for s in (initial, dstate))
    kernel(_readable(x.flatten(2)), dt, a, _readable(b), _readable(c), d, bias, before, _readable(dy.flatten(2)), behind, _starts(x, start), least, most,
           dX=made[0].flatten(2), dDt=made[1], dA=made[2], dB=made[3], dC=made[4], dD=made[5], dbias=made[6], dS0=made[7].flatten(1, 2))
    return made


def _mamba2_gradients(x, dt, a, b, c, d, bias, initial):
    """As many states as `initial` has."""
    state = _states(x, 0 if initial is None else initial.shape[0], *x.shape[2:], b.shape[3])
    return *(t.new_empty(t.shape) for t in (x, dt, a, b, c, d, bias)), state


@_mamba2_backward.register_fake
def _(x, dt, a, b, c, d, bias, initial, start, dy, dstate, softplus, least, most):
    return _mamba2_gradients(x, dt, a, b, c, d, bias, initial)


def _keep_scan(ctx, inputs, output):
    x, dt, a, b, c, d, z, bias, initial, start, *ctx.words, ctx.final = inputs
    assert z is None  # mamba2 sees to that
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x, dt, a, b, c, d, bias, initial, start)


def _gradients_of_scan(ctx, dy, dstate):
    *tensors, initial, start = ctx.saved_tensors
    if dy is None:
        dy = torch.zeros_like(tensors[0])
    dstate = dstate.contiguous() if ctx.final and dstate is not None else None
    *made, dbias, dinitial = _mamba2_backward(*tensors, initial, start, dy, dstate, *ctx.words)
    return *made, None, dbias, None if initial is None else dinitial, None, None, None, None, None


_mamba2.register_autograd(_gradients_of_scan, setup_context=_keep_scan)
_mamba2_backward.register_autograd(checks.first_derivatives_only("mamba2"))


def _unsupported_scan(x, dt, a, b, c, d, z, bias, initial, seq_idx, cu_seqlens, final_states, varlen_states):
    if seq_idx is not None and cu_seqlens is None:
        return "seq_idx alone is not supported: give cu_seqlens, which says where packed sequences begin and end"
    if varlen_states and cu_seqlens is None:
        return "return_varlen_states gives the states of packed sequences, and there is no cu_seqlens"
    if final_states and cu_seqlens is not None:
        return "return_final_states does not support packed sequences: return_varlen_states returns the state after each"
    if x.dim() != 4 or b.dim() != 4:
        return "x must have four axes, [batch, tokens, heads, head dimension], and B and C, [batch, tokens, groups, state]"
    wrong = checks.emulated(x, dt, a, b, c)
    if wrong is not None:
        return wrong.replace("q, k and v", "x, dt, A, B and C")
    if x.dtype not in (torch.bfloat16, torch.float16) or any(t.dtype != x.dtype for t in (b, c)):
        return "x, B and C must be all bfloat16 or all float16"
    if b.shape != c.shape or b.shape[:2] != x.shape[:2]:
        return "B and C must have one shape, and the batch and the tokens of x"
    if x.shape[3] not in _WIDTHS or b.shape[3] not in _WIDTHS:
        return f"head dimension {x.shape[3]} with a state of {b.shape[3]} is not supported: 64 and 128 are, of both"
    if b.shape[2] == 0 or x.shape[2] % b.shape[2] != 0:
        return f"the heads of x, {x.shape[2]}, must be a multiple of the groups of B, {b.shape[2]}"
    if dt.shape != x.shape[:3] or dt.dtype not in (torch.float32, x.dtype):
        return f"dt must be float32 or of the type of x, [batch, tokens, heads], here {list(x.shape[:3])}"
    if z is not None and (z.shape != x.shape or z.dtype != x.dtype or z.device != x.device):
        return "z must have the shape, the type and the device of x"
    if d is not None and d.dim() != 1:
        return "D must have one number for each head; one for each head and element is not supported"
    heads = x.shape[2]
    wrong = _packed(x, cu_seqlens)
    if wrong is not None:
        return wrong
    return (_of_heads(a, "A", heads, x.device) or _of_heads(d, "D", heads, x.device) or _of_heads(bias, "dt_bias", heads, x.device)
            or _state(initial, "initial_states", (_count(x, cu_seqlens), *x.shape[2:], b.shape[3]), x.device))


def mamba2(x, dt, A, B, C, chunk_size=64, D=None, z=None, dt_bias=None, initial_states=None, seq_idx=None, cu_seqlens=None,
           dt_softplus=False, dt_limit=(0.0, math.inf), return_final_states=False, return_varlen_states=False):
    """mamba_chunk_scan_combined of mamba_ssm, with the same arguments and meaning, on our kernels; all tensors have gradients.

    x is [batch, tokens, heads, head dimension], dt [batch, tokens, heads], A [heads], B and C [batch, tokens, groups,
    state]. Chunks have 64 tokens, whatever chunk_size says: it changes no result. Returns the outputs, or with
    return_final_states also the state after the last token, float32, [batch, heads, head dimension, state]. With
    cu_seqlens a batch of 1 contains concatenated sequences, sequence i from token cu_seqlens[i] to cu_seqlens[i + 1];
    initial_states then has one per sequence, return_varlen_states gives the states after each, and seq_idx, which says
    the same, is not read. Unsupported arguments raise a ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported_scan(x, dt, A, B, C, D, z, dt_bias, initial_states, seq_idx, cu_seqlens, return_final_states,
                              return_varlen_states)
    if wrong is not None:
        raise ValueError(f"mamba2: {wrong}")
    heads = x.shape[2]
    of_heads = [torch.zeros(heads, device=x.device) if t is None else t.float().contiguous() for t in (A, D, dt_bias)]
    initial = None if initial_states is None else initial_states.contiguous()
    gate = None  # where z is not the kernel's: that of gradients has none
    if z is not None and checks.wants_gradients(*(t for t in (x, dt, A, B, C, D, z, dt_bias, initial_states) if t is not None)):
        z, gate = None, torch.nn.functional.silu(z.float())
    limits = [max(min(float(n), torch.finfo(torch.float32).max), torch.finfo(torch.float32).min) for n in dt_limit]
    final = return_final_states or return_varlen_states
    y, state = _mamba2(x, dt.contiguous(), of_heads[0], B, C, of_heads[1], z, of_heads[2], initial, _offsets(cu_seqlens), dt_softplus, *limits,
                       final)
    y = y if gate is None else (y * gate).to(y.dtype)
    return (y, state) if final else y
