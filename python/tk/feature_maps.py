"""Linear attention by features of queries and keys: Based, on examples/sequence/based.tk, and Hedgehog, on hedgehog.tk. Gradients are those
of the files whose names end in _backward."""
import math
from typing import Optional, Tuple

import torch

from . import checks
from .sdpa import _readable
from .sequence import _WIDTHS, _count, _kernel_of, _of_heads, _offsets, _packed, _segments, _starts, _states

_EPS = 1e-6  # next to sums of weights


def _new(*tensors):
    return tuple(t.new_empty(t.shape) for t in tensors)


def _memory_of_segments(states, q, v, segments, begin=("Start", "Before")):
    """For what their kernels hand on: what each adds to a state, and what each begins with."""
    memory = {}
    for names in (("End", "Added"), begin):
        memory.update(zip(names, states(q, v, q.shape[0] * segments)))
    return memory


# ---- Based ---------------------------------------------------------------------------------------

_CELLS = 16  # of queries and keys
_ROWS = 192  # of a state


def _based_shapes(q, v):
    """Of the state of a sequence, and of its sums of features."""
    return (q.shape[2], _ROWS, v.shape[3]), (q.shape[2], _ROWS)


def _based_states(q, v, sequences):
    return tuple(_states(q, sequences, *shape) for shape in _based_shapes(q, v))


def _or_none(given, none):
    """States that were given, or those of no sequences."""
    return [n if t is None else t for t, n in zip(given, none)]


@torch.library.custom_op("tk::based", mutates_args=())
def _based(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: Optional[torch.Tensor], sums: Optional[torch.Tensor],
           start: Optional[torch.Tensor], scale: float, norm: bool, final: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The outputs, and the states after the last tokens with their sums, of no sequences without `final`."""
    made = _based_outputs(q, v, start, final)
    given = (*map(_readable, (q, k, v)), *_or_none((state, sums), _based_states(q, v, 0)), _starts(q, start), scale, _EPS)
    outputs = dict(zip(("O", "State", "Sums"), made))
    segments, length = _based_segments(q, v, start)
    if segments == 1:
        _kernel_of("based", q, NORM=norm, PACKED=start is not None)(*given, **outputs)
        return made
    kernel = _kernel_of("based", q, function="based_segments", NORM=norm)
    kernel(*given, segments, length, **outputs, **_memory_of_segments(_based_states, q, v, segments))
    return made


def _based_segments(q, v, start):
    """How many, and of how many tokens; 1: in one piece. A program has 64 columns of v of one head of a sequence."""
    return (1, 64) if start is not None else _segments(q, q.shape[0] * q.shape[2] * -(-v.shape[3] // 64), alone=True)


def _based_outputs(q, v, start, final):
    return v.new_empty(v.shape), *_based_states(q, v, _count(q, start) if final else 0)


@_based.register_fake
def _(q, k, v, state, sums, start, scale, norm, final):
    return _based_outputs(q, v, start, final)


@torch.library.custom_op("tk::based_backward", mutates_args=())
def _based_backward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, state: Optional[torch.Tensor], sums: Optional[torch.Tensor],
        start: Optional[torch.Tensor], do: torch.Tensor, dstate: Optional[torch.Tensor], dsums: Optional[torch.Tensor], scale: float,
        norm: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _based_gradients(q, k, v, state, start)
    none = _based_states(q, v, 0)
    segments, length = _based_segments(q, v, start)
    memory = {}
    if segments > 1:
        parts = (-(-v.shape[3] // 64), q.shape[0] * segments, *_based_shapes(q, v)[1])
        memory = dict(_memory_of_segments(_based_states, q, v, segments), Parts=q.new_empty(parts, dtype=torch.float32))
    kernel = _kernel_of("based_backward", q, NORM=norm, PACKED=start is not None, SEGMENTS=segments > 1)
    kernel(*map(_readable, (q, k, v, o)), *_or_none((state, sums), none), _readable(do), *_or_none((dstate, dsums), none), _starts(q, start), scale,
           _EPS, segments, length, **dict(zip(("dQ", "dK", "dV", "dS0", "dZ0"), made)), **memory)
    return made


def _based_gradients(q, k, v, state, start):
    return *_new(q, k, v), *_based_states(q, v, 0 if state is None else _count(q, start))


@_based_backward.register_fake
def _(q, k, v, o, state, sums, start, do, dstate, dsums, scale, norm):
    return _based_gradients(q, k, v, state, start)


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted."""
    *tensors, ctx.scale, ctx.norm, ctx.final = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, output[0] if ctx.norm else tensors[2])  # the kernel does not look at outputs of bare sums


def _gradients(ctx, do, *after):
    q, k, v, state, sums, start, o = ctx.saved_tensors
    do = torch.zeros_like(v) if do is None else do
    after = _gradients_behind(after, _based_states(q, v, _count(q, start))) if ctx.final else (None, None)
    *made, dstate, dsums = _based_backward(q, k, v, o, state, sums, start, do, *after, ctx.scale, ctx.norm)
    given = (None, None) if state is None else (dstate, dsums)
    return *made, *given, None, None, None, None


def _gradients_behind(given, like):
    """Gradients of the parts of states: zeros for what has none, and None for all where none has."""
    if all(t is None for t in given):
        return given
    return tuple(n.zero_() if t is None else t.contiguous() for t, n in zip(given, like))


_based.register_autograd(_gradients, setup_context=_keep)
_based_backward.register_autograd(checks.first_derivatives_only("based"))


def _unsupported(q, k, v, start):
    wrong = checks.emulated(q, k, v) or checks.types(q, k, v) or checks.axes(q, k, v, ("batch", "tokens", "heads", "head dimension"))
    if wrong is not None:
        return wrong
    if k.shape != q.shape or v.shape[:3] != q.shape[:3]:
        return "q and k must have one shape, and v their batch, tokens and heads"
    return _packed(q, start)


def _wrong_parts(given, names, shapes, kinds, device):
    """What is wrong with a state that has parts; None: nothing."""
    if given is None:
        return None
    if not isinstance(given, (tuple, list)) or len(given) != len(names) or not all(isinstance(t, torch.Tensor) for t in given):
        return f"initial_state must be a tuple of {len(names)} tensors: {', '.join(names)}"
    for t, name, shape, kind in zip(given, names, shapes, kinds):
        if t.dtype != kind or t.shape != shape:
            return f"{name} of initial_state must be {str(kind).replace('torch.', '')}, here {list(shape)}"
        if t.device != device:
            return f"{name} of initial_state is on {t.device}, and the other tensors on {device}"
    return None


def based(q, k, v, scale=None, use_norm=True, initial_state=None, output_final_state=False, cu_seqlens=None):
    """fused_chunk_based of flash-linear-attention, with the same arguments and meaning, with states and packed
    sequences: attention with 1 + s + s^2 / 2 instead of exp(s).

    q and k are [batch, tokens, heads, 16], v likewise, with a multiple of 8 cells. s_ij = scale q_i k_j for the tokens j up to i; scale:
    None for 1 / 4. use_norm divides by the sum of these weights. The outputs have the type of v, and all tensors gradients, the same
    bits in every run.

    A state is a pair of float32 tensors, what tokens gave to 192 features of k: sums of feature times v, [batch, heads,
    192, cells of v], and of features, [batch, heads, 192]. Row 16 n + c is k_c k_((c + n) % 16), n from 0 to 8, rows
    144 to 159 are k, row 160 is 1, and the others are 0. With output_final_state, returns the outputs and the state
    after the last token. With cu_seqlens a batch of 1 contains concatenated sequences, sequence i from token
    cu_seqlens[i] to cu_seqlens[i + 1], each with its own state. Unsupported arguments raise a ValueError with the
    reason; docs/python.md lists them.
    """
    wrong = _unsupported(q, k, v, cu_seqlens)
    if wrong is None and (q.shape[3] != _CELLS or v.shape[3] % 8 != 0 or v.shape[3] == 0):
        wrong = f"head dimensions {q.shape[3]} of q and k and {v.shape[3]} of v are not supported: 16 is, of v multiples of 8"
    if wrong is None:
        shapes = [(_count(q, cu_seqlens), *shape) for shape in _based_shapes(q, v)]
        wrong = _wrong_parts(initial_state, ("the state", "the sums"), shapes, (torch.float32,) * 2, q.device)
    if wrong is not None:
        raise ValueError(f"based: {wrong}")
    state, sums = (None, None) if initial_state is None else (t.contiguous() for t in initial_state)
    scale = 1 / math.sqrt(_CELLS) if scale is None else float(scale)
    o, *last = _based(q, k, v, state, sums, _offsets(cu_seqlens), scale, bool(use_norm), bool(output_final_state))
    return (o, tuple(last)) if output_final_state else o


# ---- Hedgehog ------------------------------------------------------------------------------------

_FEATURES = 64  # of each sign
_BLOCK = 64  # tokens


def _hedgehog_kernel(name, q, v, packed, states, **constants):
    return _kernel_of(name, q, D=q.shape[3], DV=v.shape[3], PACKED=packed, STATES=states, **constants)


def _hedgehog_states(q, v, sequences):
    """What blocks gave to the features of keys of both signs, and sums of features."""
    return tuple(_states(q, sequences, q.shape[2], 2 * _FEATURES, *cells) for cells in ((v.shape[3],), ()))


@torch.library.custom_op("tk::hedgehog", mutates_args=())
def _hedgehog(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, wq: torch.Tensor, wk: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor,
              state: Optional[torch.Tensor], sums: Optional[torch.Tensor], start: Optional[torch.Tensor], scale: float, eps: float,
              final: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The outputs, and the states of all blocks but the last one with their sums, of no sequences without `final`."""
    made = _hedgehog_outputs(q, v, start, final)
    before = _or_none((state, sums), _hedgehog_states(q, v, 0))
    given = (*map(_readable, (q, k, v, wq, wk)), alpha, beta, *before, _starts(q, start), scale, eps)
    outputs = dict(zip(("O", "State", "Sums"), made))
    segments, length = _hedgehog_segments(q, start)
    if segments == 1:
        _hedgehog_kernel("hedgehog", q, v, start is not None, final or state is not None)(*given, **outputs)
        return made
    kernel = _kernel_of("hedgehog", q, function="hedgehog_segments", D=q.shape[3], DV=v.shape[3])
    kernel(*given, segments, length, **outputs, **_memory_of_segments(_hedgehog_states, q, v, segments))
    return made


def _hedgehog_segments(q, start):
    return (1, 64) if start is not None else _segments(q, q.shape[0] * q.shape[2], alone=True)


def _hedgehog_outputs(q, v, start, final):
    return v.new_empty(v.shape), *_hedgehog_states(q, v, _count(q, start) if final else 0)


@_hedgehog.register_fake
def _(q, k, v, wq, wk, alpha, beta, state, sums, start, scale, eps, final):
    return _hedgehog_outputs(q, v, start, final)


@torch.library.custom_op("tk::hedgehog_backward", mutates_args=())
def _hedgehog_backward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, wq: torch.Tensor, wk: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor,
        o: torch.Tensor, state: Optional[torch.Tensor], sums: Optional[torch.Tensor], start: Optional[torch.Tensor], do: torch.Tensor,
        dstate: Optional[torch.Tensor], dsums: Optional[torch.Tensor], scale: float, eps: float
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _hedgehog_all_gradients(q, k, v, wq, wk, alpha, beta, state, start)
    none = _hedgehog_states(q, v, 0)
    names = ("dQ", "dK", "dV", "dWQ", "dWK", "dAlpha", "dBeta", "dS0", "dZ0")
    segments, length = _hedgehog_segments(q, start)
    memory = {} if segments == 1 else _memory_of_segments(_hedgehog_states, q, v, segments, ("Start", "StartSums"))
    states = state is not None or dstate is not None or segments > 1
    kernel = _hedgehog_kernel("hedgehog_backward", q, v, start is not None, states, SEGMENTS=segments > 1)
    kernel(*map(_readable, (q, k, v, wq, wk)), alpha, beta, _readable(o), *_or_none((state, sums), none), _readable(do),
           *_or_none((dstate, dsums), none), _starts(q, start), scale, eps, segments, length, **dict(zip(names, made)), **memory)
    return made


def _hedgehog_all_gradients(q, k, v, wq, wk, alpha, beta, state, start):
    return *_new(q, k, v, wq, wk, alpha, beta), *_hedgehog_states(q, v, 0 if state is None else _count(q, start))


@_hedgehog_backward.register_fake
def _(q, k, v, wq, wk, alpha, beta, o, state, sums, start, do, dstate, dsums, scale, eps):
    return _hedgehog_all_gradients(q, k, v, wq, wk, alpha, beta, state, start)


def _keep_hedgehog(ctx, inputs, output):
    *tensors, ctx.scale, ctx.eps, ctx.final = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, output[0])


def _hedgehog_gradients(ctx, do, *after):
    *tensors, state, sums, start, o = ctx.saved_tensors
    q, v = tensors[0], tensors[2]
    do = torch.zeros_like(v) if do is None else do
    after = _gradients_behind(after, _hedgehog_states(q, v, _count(q, start))) if ctx.final else (None, None)
    *made, dstate, dsums = _hedgehog_backward(*tensors, o, state, sums, start, do, *after, ctx.scale, ctx.eps)
    given = (None, None) if state is None else (dstate, dsums)
    return *made, *given, None, None, None, None


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


def _with_last_blocks(blocks, x, places):
    """The last blocks [sequences, 64, ..] before the tokens of x: of a batch, or of packed sequences at `places`."""
    if places is None:
        return torch.cat([blocks, x], 1)
    return torch.cat([blocks.flatten(0, 1), x[0]]).index_select(0, places)[None]


def _joined(start, tokens, sequences):
    """Packed sequences that each begin with 64 tokens more: for every token of them its place among all blocks, then all tokens; where
    the tokens went; and the new offsets."""
    start, device, added = start.long(), start.device, _BLOCK * sequences
    begin = start + _BLOCK * torch.arange(sequences + 1, device=device)
    place = torch.arange(tokens + added, device=device)
    of = torch.searchsorted(begin[1:], place, right=True).clamp(max=sequences - 1)
    within = place - begin[of]
    source = torch.where(within < _BLOCK, _BLOCK * of + within, added + start[of] + within - _BLOCK)
    token = torch.arange(tokens, device=device)
    to = token + _BLOCK * (torch.searchsorted(start[1:], token, right=True).clamp(max=sequences - 1) + 1)
    return source, to, begin.int()


def _last_blocks(x, start):
    """The last 64 tokens of every sequence."""
    if start is None:
        return x[:, x.shape[1] - _BLOCK:]
    places = start[1:, None].long() - _BLOCK + torch.arange(_BLOCK, device=x.device)
    return x[0][places.clamp(min=0)]


def hedgehog(q, k, v, wq, wk, alpha, beta, scale=None, eps=_EPS, initial_state=None, output_final_state=False, cu_seqlens=None):
    """Hedgehog as ThunderKittens has it: softmax attention to a block of 64 tokens and the one before, linear attention to those before.

    q and k are [batch, tokens, heads, head dimension], v likewise, with its own head dimension: 64 and 128. Near tokens
    weigh beta exp(scale (q_i k_j - the largest of the row)), far ones alpha f(q_i) f(k_j), f(x) = [softmax(x w),
    softmax(-x w)], each at least 1e-6; the sum of all weights, and eps, divides. wq and wk are [heads, head dimension,
    64], of the type of q, alpha and beta have one number for each head. scale: None for 1 / sqrt(head dimension). All
    tensors have gradients, the same bits in every run.

    A state is after a multiple of 64 tokens, at least 64. It is a tuple: what all blocks but the last one gave to the
    features of keys, float32, [batch, heads, 128, head dimension of v], sums of these features, [batch, heads, 128],
    and the keys and values of the last block, [batch, 64, heads, head dimension]. With output_final_state, returns the
    outputs and the state after the last token. With cu_seqlens a batch of 1 contains concatenated sequences, sequence i
    from token cu_seqlens[i] to cu_seqlens[i + 1], each with its own state. Unsupported arguments raise a ValueError
    with the reason; docs/python.md lists them.
    """
    wrong = _unsupported(q, k, v, cu_seqlens) or _unsupported_maps(q, v, wq, wk, alpha, beta, scale)
    if wrong is None:
        count = _count(q, cu_seqlens)
        shapes = [(count, q.shape[2], 2 * _FEATURES, v.shape[3]), (count, q.shape[2], 2 * _FEATURES), *((count, _BLOCK, *t.shape[2:]) for t in (k, v))]
        kinds = (torch.float32, torch.float32, q.dtype, q.dtype)
        wrong = _wrong_parts(initial_state, ("the state", "the sums", "the keys", "the values"), shapes, kinds, q.device)
    if wrong is None and output_final_state:
        wrong = _unfinished(q, cu_seqlens, initial_state)
    if wrong is not None:
        raise ValueError(f"hedgehog: {wrong}")
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    start, rest = _offsets(cu_seqlens), (wq, wk, alpha.float().contiguous(), beta.float().contiguous())
    if initial_state is None:
        o, *last = _hedgehog(q, k, v, *rest, None, None, start, scale, float(eps), bool(output_final_state))
    else:
        state, sums, keys, values = initial_state
        places, to, start = (None, None, None) if start is None else _joined(start, q.shape[1], count)
        q, k, v = (_with_last_blocks(b, t, places) for b, t in ((torch.zeros_like(keys), q), (keys, k), (values, v)))
        o, *last = _hedgehog(q, k, v, *rest, state.contiguous(), sums.contiguous(), start, scale, float(eps), bool(output_final_state))
        o = o[:, _BLOCK:] if to is None else o.index_select(1, to)
    return (o, (*last, _last_blocks(k, start), _last_blocks(v, start))) if output_final_state else o


def _unfinished(q, start, initial):
    """What is wrong with the numbers of tokens if the state after them is requested; None: nothing, or the numbers are on the device."""
    if start is not None and start.is_cuda or torch.compiler.is_compiling() and start is not None:
        return None
    lengths = [q.shape[1]] if start is None else start.diff().tolist()
    if any(n % _BLOCK != 0 or n == 0 and initial is None for n in lengths):
        return f"states exist only after a multiple of {_BLOCK} tokens, at least {_BLOCK}; got {lengths}"
    return None
