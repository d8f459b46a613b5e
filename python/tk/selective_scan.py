"""The scan of Mamba-1, on examples/sequence/selective_scan.tk and selective_scan_backward.tk, with the arguments of mamba_ssm."""
from typing import Optional, Tuple

import torch

from . import checks, dtypes
from .kv_cache import _multiprocessors
from .sdpa import _readable
from .sequence import _count, _kernel_of, _offsets, _packed, _starts, _state, _states

_KINDS = (torch.bfloat16, torch.float16, torch.float32)
_STATES = (8, 16)
_WARPS = 8  # of 32 channels each, that a multiprocessor has at once
_SHORTEST = 8  # chunks of 32 tokens of a segment: shorter ones cost more than they gain


def _in_groups(x, groups):
    """[batch, channels, tokens] as kernels take it, the channels of each group apart and the tokens of each channel side by side."""
    x = _readable(x) if x.shape[2] % 8 == 0 else x.contiguous()
    return x.unflatten(1, (groups, x.shape[1] // groups))


def _tokens_first(x):
    """[batch, groups, states, tokens] with the states of a token side by side, in float32."""
    return x.transpose(2, 3).float().contiguous()


def _constants(u, delta, a, z, softplus, start):
    return dict(TD=dtypes.of_torch(delta.dtype), S=a.shape[1], GATED=z is not None, SOFTPLUS=softplus, PACKED=start is not None)


def _gate(u, z, groups):
    return u.new_empty((0, groups, u.shape[1] // groups, u.shape[2])) if z is None else _in_groups(z, groups)


def _segments(u, groups, idle):
    """How many segments a sequence is cut into, and of how many chunks of 32 tokens: so that warps fill the GPU, where without segments
    they leave more than the part `idle` of it without work."""
    chunks = max(-(-u.shape[2] // 32), 1)
    warps = u.shape[0] * groups * -(-(u.shape[1] // groups) // 32)
    most = _WARPS * (_multiprocessors(u.device.index) if u.is_cuda else 132)
    count = 1 if warps == 0 or warps > (1 - idle) * most else min(round(most / warps), chunks // _SHORTEST)
    length = chunks if count <= 1 else -(-chunks // count)
    return -(-chunks // length), length


def _handed_on(u, segments, start, *shape):
    """What segments tell their neighbors: what they make of no states, and the sum of their steps. And how many packed sequences have
    ended before each."""
    ended = torch.empty(0 if start is None else segments + 1, dtype=torch.int32, device=u.device)
    return dict(Ended=ended, End=_states(u, u.shape[0], segments - 1, *shape), Left=_states(u, u.shape[0], segments - 1, *shape[:2]))


def _in_apart(states, u, groups, cells):
    """States of sequences as kernels take them; None: of no sequences."""
    apart = (groups, u.shape[1] // groups)
    return _states(u, 0, *apart, cells) if states is None else states.unflatten(1, apart)


@torch.library.custom_op("tk::selective_scan", mutates_args=())
def _scan(u: torch.Tensor, delta: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor,
          z: Optional[torch.Tensor], bias: torch.Tensor, initial: Optional[torch.Tensor], start: Optional[torch.Tensor], softplus: bool,
          final: bool, save: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The outputs, the states after the last token (no sequences without `final`), and those before every 32 tokens, of
    none without `save`. start: where packed sequences begin and end."""
    groups = b.shape[1]
    apart = (groups, u.shape[1] // groups)
    y, state, saved = _outputs(u, a, b, start, final, save)
    segments, chunks = _segments(u, groups, 0.7)  # the states before each cost as much again
    together = segments > 1 or start is not None
    kernel = _kernel_of("selective_scan", u, function="selective_scan_segments" if together else None,
                        **_constants(u, delta, a, z, softplus, start))
    starts, memory = _starts(u, start), {}
    before, nothing = _in_apart(initial, u, groups, a.shape[1]), _in_apart(None, u, groups, a.shape[1])
    if together:
        memory = dict(_handed_on(u, segments, start, *apart, a.shape[1]), Start=_states(u, u.shape[0] * segments, *apart, a.shape[1]))
    kernel(_in_groups(u, groups), _in_groups(delta, groups), a.unflatten(0, apart), _tokens_first(b), _tokens_first(c),
           d.unflatten(0, apart), _gate(u, z, groups), bias.unflatten(0, apart), before, starts, *(() if together else (starts, nothing)),
           segments, chunks, Y=y.unflatten(1, apart), State=state.unflatten(1, apart), Saved=saved, **memory)
    return y, state, saved


def _outputs(u, a, b, start, final, save):
    groups = b.shape[1]
    saved = _states(u, u.shape[0] if save else 0, -(-u.shape[2] // 32), groups, u.shape[1] // groups, a.shape[1])
    return u.new_empty(u.shape), _states(u, _count(u, start) if final else 0, *a.shape), saved


@_scan.register_fake
def _(u, delta, a, b, c, d, z, bias, initial, start, softplus, final, save):
    return _outputs(u, a, b, start, final, save)


@torch.library.custom_op("tk::selective_scan_backward", mutates_args=())
def _scan_backward(
        u: torch.Tensor, delta: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor,
        z: Optional[torch.Tensor], bias: torch.Tensor, initial: Optional[torch.Tensor], start: Optional[torch.Tensor], saved: torch.Tensor,
        dy: torch.Tensor, dstate: Optional[torch.Tensor], softplus: bool
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of all tensors but start; those of z and initial have no sequences where there is none."""
    groups, states = b.shape[1], a.shape[1]
    apart = (groups, u.shape[1] // groups)
    kernel = _kernel_of("selective_scan_backward", u, **_constants(u, delta, a, z, softplus, start))
    du, ddelta, da, db, dc, dd, dz, dbias, dinitial = _gradients_of(u, delta, a, b, c, d, z, bias, initial)
    of_tokens = _states(u, u.shape[0], groups, -(-u.shape[2] // 8), 16 * states)  # of every 8 tokens
    segments, chunks = _segments(u, groups, 0.4)
    memory = _handed_on(u, segments, start, *apart, states)
    memory.update((name, _states(u, u.shape[0], segments, *apart, states)) for name in ("Behind", "ofA"))
    memory.update((name, _states(u, u.shape[0], segments, *apart)) for name in ("ofD", "ofBias"))
    before, behind = (_in_apart(s, u, groups, states) for s in (initial, dstate))
    kernel(_in_groups(u, groups), _in_groups(delta, groups), a.unflatten(0, apart), _tokens_first(b), _tokens_first(c), d.unflatten(0, apart),
           _gate(u, z, groups), bias.unflatten(0, apart), saved, before, _starts(u, start), _in_groups(dy, groups), behind,
           segments, chunks,
           dU=du.unflatten(1, apart), dDt=ddelta.unflatten(1, apart), dA=da.unflatten(0, apart), dBC=of_tokens, dD=dd.unflatten(0, apart),
           dZ=dz.unflatten(1, apart), dbias=dbias.unflatten(0, apart), dS0=dinitial.unflatten(1, apart), **memory)
    of_tokens = of_tokens.view(u.shape[0], groups, of_tokens.shape[2] * 8, 2, states)[:, :, :u.shape[2]].permute(3, 0, 1, 4, 2)
    db.copy_(of_tokens[0])
    dc.copy_(of_tokens[1])
    return du, ddelta, da, db, dc, dd, dz, dbias, dinitial


def _gradients_of(u, delta, a, b, c, d, z, bias, initial):
    """Without contents. Of what is not given, of no sequences."""
    made = [t.new_empty(t.shape) for t in (u, delta, a, b, c, d)]
    gate = u.new_empty((0, *u.shape[1:]) if z is None else z.shape)
    return *made, gate, bias.new_empty(bias.shape), _states(u, 0 if initial is None else initial.shape[0], *a.shape)


@_scan_backward.register_fake
def _(u, delta, a, b, c, d, z, bias, initial, start, saved, dy, dstate, softplus):
    return _gradients_of(u, delta, a, b, c, d, z, bias, initial)


def _keep(ctx, inputs, output):
    *tensors, ctx.softplus, ctx.final, save = inputs
    assert save  # selective_scan sees to that
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, output[2])


def _gradients(ctx, dy, dstate, dsaved):
    *tensors, saved = ctx.saved_tensors
    if dy is None:
        dy = torch.zeros_like(tensors[0])
    dstate = dstate.contiguous() if ctx.final and dstate is not None else None
    made = _scan_backward(*tensors, saved, dy, dstate, ctx.softplus)
    return *(None if t is None else g for t, g in zip(tensors, made)), None, None, None, None


_scan.register_autograd(_gradients, setup_context=_keep)
_scan_backward.register_autograd(checks.first_derivatives_only("selective_scan"))


def _of_channels(given, name, channels, device):
    """What is wrong with numbers for each channel; None: nothing."""
    if given is None:
        return None
    if given.shape != (channels,):
        return f"{name} must have one number for each channel, here [{channels}]"
    return None if given.device == device else f"{name} is on {given.device}, and u on {device}"


def _unsupported(u, delta, a, b, c, d, z, bias, initial, start):
    if u.dim() != 3:
        return "u must have three axes, [batch, channels, tokens]"
    wrong = checks.emulated(u, delta, a, b, c)
    if wrong is not None:
        return wrong.replace("q, k and v", "u, delta, A, B and C")
    if u.dtype not in _KINDS or delta.dtype not in (u.dtype, torch.float32) or delta.shape != u.shape:
        return "u must be bfloat16, float16 or float32, and delta have its shape, and be float32 or of its type"
    if a.is_complex() or b.is_complex() or c.is_complex():
        return "complex states are not supported"
    if a.dim() != 2 or a.shape[0] != u.shape[1] or a.shape[1] not in _STATES:
        return f"A must be [channels, states], here [{u.shape[1]}, 8 or 16]; got {list(a.shape)}"
    shapes = [(t.shape[0], *t.shape[2:]) for t in (b, c) if t.dim() == 4]
    if len(shapes) != 2 or b.shape != c.shape or shapes[0] != (u.shape[0], a.shape[1], u.shape[2]):
        return (f"B and C must be [batch, states, tokens] or [batch, groups, states, tokens], with the batch and the tokens of u; B and C "
                f"that are the same for all tokens are not supported")
    if b.shape[1] == 0 or u.shape[1] % b.shape[1] != 0:
        return f"the channels of u, {u.shape[1]}, must be a multiple of the groups of B, {b.shape[1]}"
    if z is not None and (z.shape != u.shape or z.dtype != u.dtype or z.device != u.device):
        return "z must have the shape, the type and the device of u"
    return (_of_channels(d, "D", u.shape[1], u.device) or _of_channels(bias, "delta_bias", u.shape[1], u.device) or _packed(u, start)
            or _state(initial, "initial_states", (_count(u, start), *a.shape), u.device))


def selective_scan(u, delta, A, B, C, D=None, z=None, delta_bias=None, delta_softplus=False, return_last_state=False, initial_states=None,
                   cu_seqlens=None):
    """selective_scan_fn of mamba_ssm, with the same arguments and meaning: the scan of Mamba-1, of each channel d by
    itself, h_n = exp(delta A_dn) h_n + delta B_n u, y = (sum over n of C_n h_n + D_d u) silu(z).

    u, delta and z are [batch, channels, tokens], A [channels, states], B and C [batch, states, tokens] or [batch,
    groups, states, tokens], D and delta_bias [channels]. With delta_softplus the steps are softplus(delta +
    delta_bias). States are float32. Returns y, or with return_last_state also the states after the last token, [batch,
    channels, states], as initial_states are those before the first one; None: zeros. With cu_seqlens a batch of 1
    contains concatenated sequences, sequence i from token cu_seqlens[i] to cu_seqlens[i + 1], each with its own states,
    [sequences, channels, states]. All tensors have gradients. Unsupported arguments raise a ValueError with the reason;
    docs/python.md lists them.
    """
    B, C = (t.unsqueeze(1) if t.dim() == 3 else t for t in (B, C))
    wrong = _unsupported(u, delta, A, B, C, D, z, delta_bias, initial_states, cu_seqlens)
    if wrong is not None:
        raise ValueError(f"selective_scan: {wrong}")
    save = checks.wants_gradients(*(t for t in (u, delta, A, B, C, D, z, delta_bias, initial_states) if t is not None))
    d, bias = (torch.zeros(u.shape[1], device=u.device) if t is None else t.float().contiguous() for t in (D, delta_bias))
    initial = None if initial_states is None else initial_states.contiguous()
    y, state, _ = _scan(u, delta, A.float().contiguous(), B, C, d, z, bias, initial, _offsets(cu_seqlens), delta_softplus,
                        return_last_state, save)
    return (y, state) if return_last_state else y
