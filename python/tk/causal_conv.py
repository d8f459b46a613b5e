"""The short causal convolution before a state space model, on examples/sequence/causal_conv.tk, causal_conv_backward.tk and
causal_conv_step.tk, with the arguments of the package causal-conv1d."""
from typing import Optional, Tuple

import torch

from . import checks, dtypes
from .sdpa import _readable
from .sequence import _count, _kernel_of, _offsets, _packed

_ACTIVATIONS = (None, "silu", "swish")
_KINDS = (torch.bfloat16, torch.float16, torch.float32)
_SUMS = 1024  # programs that fill the GPU: with fewer, a program of the gradients takes fewer tokens


def _kernel(name, x, weight, silu, **constants):
    return _kernel_of(name, x, TW=dtypes.of_torch(weight.dtype), W=weight.shape[1], SILU=silu, **constants)


def _tokens_first(x):
    """[.., channels, tokens] as kernels take it, with the channels of a token side by side."""
    x = x.transpose(-1, -2)
    return _readable(x) if x.shape[-1] % 8 == 0 else x.contiguous()


def _made(like, *shape):
    """A tensor [.., channels, tokens] in which the channels of a token lie side by side, and the same tokens first."""
    y = like.new_empty(*shape[:-2], shape[-1], shape[-2])
    return y.transpose(-1, -2), y


def _of_channels(weight, bias):
    """As kernels take them."""
    return weight.t().contiguous(), weight.new_empty(0) if bias is None else bias.to(weight.dtype).contiguous()


def _before(x, initial, halo):
    return x.new_empty((0, halo, x.shape[1])) if initial is None else _tokens_first(initial)


@torch.library.custom_op("tk::causal_conv1d", mutates_args=())
def _causal_conv(x: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor], initial: Optional[torch.Tensor],
                 start: Optional[torch.Tensor], silu: bool, final: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the last tokens, of no sequences without `final`. start: where packed sequences begin and end."""
    halo = weight.shape[1] - 1
    (y, y_rows), (last, last_rows) = _made(x, *x.shape), _made(x, _count(x, start) if final else 0, x.shape[1], halo)
    rows, others = _tokens_first(x), (*_of_channels(weight, bias), _before(x, initial, halo))
    if start is None:
        _kernel("causal_conv", x, weight, silu)(rows, *others, Y=y_rows, Behind=last_rows)
    else:
        _kernel("causal_conv_packed", x, weight, silu)(rows[0], *others, start, Y=y_rows[0], Behind=last_rows)
    return y, last


@_causal_conv.register_fake
def _(x, weight, bias, initial, start, silu, final):
    return _made(x, *x.shape)[0], _made(x, _count(x, start) if final else 0, x.shape[1], weight.shape[1] - 1)[0]


@torch.library.custom_op("tk::causal_conv1d_backward", mutates_args=())
def _causal_conv_backward(x: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor], initial: Optional[torch.Tensor],
                          start: Optional[torch.Tensor], dy: torch.Tensor, dlast: Optional[torch.Tensor],
                          silu: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of x and of the tokens before; of weights, and below them of the bias, float32, [weights + 1, channels]."""
    halo = weight.shape[1] - 1
    batch, channels, tokens = x.shape
    (dx, dx_rows), (dinitial, dinitial_rows) = _made(x, *x.shape), _made(x, *_before_shape(x, weight, initial, start))
    sums = x.new_empty((halo + 2, channels), dtype=torch.float32)
    many = batch * -(-channels // 256) * -(-tokens // 128) >= _SUMS
    name = "causal_conv_backward" if start is None else "causal_conv_packed_backward"
    kernel = _kernel(name, x, weight, silu, CHUNK=128 if many else 32)
    rows, dy_rows = _tokens_first(x), _tokens_first(dy)
    others, behind = (*_of_channels(weight, bias), _before(x, initial, halo)), _before(x, dlast, halo)
    if start is None:
        kernel(rows, *others, dy_rows, behind, dX=dx_rows, dBefore=dinitial_rows, dWeight=sums)
    else:
        kernel(rows[0], *others, dy_rows[0], behind, start, dX=dx_rows[0], dBefore=dinitial_rows, dWeight=sums)
    return dx, sums, dinitial


def _before_shape(x, weight, initial, start):
    return 0 if initial is None else _count(x, start), x.shape[1], weight.shape[1] - 1


@_causal_conv_backward.register_fake
def _(x, weight, bias, initial, start, dy, dlast, silu):
    return (_made(x, *x.shape)[0], x.new_empty((weight.shape[1] + 1, x.shape[1]), dtype=torch.float32),
            _made(x, *_before_shape(x, weight, initial, start))[0])


def _keep(ctx, inputs, output):
    *tensors, ctx.silu, ctx.final = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors)


def _gradients(ctx, dy, dlast):
    x, weight, bias, initial, start = ctx.saved_tensors
    if dy is None:
        dy = torch.zeros_like(x)
    dx, sums, dinitial = _causal_conv_backward(x, weight, bias, initial, start, dy, dlast if ctx.final else None, ctx.silu)
    dbias = None if bias is None else sums[-1].to(bias.dtype)
    return dx, sums[:-1].t().to(weight.dtype), dbias, None if initial is None else dinitial, None, None, None


_causal_conv.register_autograd(_gradients, setup_context=_keep)
_causal_conv_backward.register_autograd(checks.first_derivatives_only("causal_conv1d"))


def _of_one_kind(x, weight, bias, activation):
    """What is wrong with these; None: nothing."""
    tensors = [t for t in (weight, bias) if t is not None]
    wrong = checks.emulated(x, *tensors)
    if wrong is not None:
        return wrong.replace("q, k and v", "x, weight and bias")
    if x.dtype not in _KINDS or any(t.dtype not in _KINDS for t in tensors):
        return "tensors must be bfloat16, float16 or float32"
    if weight.dim() != 2 or weight.shape[0] != x.shape[1] or weight.shape[1] not in (2, 3, 4):
        return f"weight must be [channels, 2 to 4], here [{x.shape[1]}, ..]; got {list(weight.shape)}"
    if bias is not None and bias.shape != x.shape[1:2]:
        return f"bias must have one number for each channel, here [{x.shape[1]}]"
    return None if activation in _ACTIVATIONS else f"activation must be None, \"silu\" or \"swish\", got {activation!r}"


def _unsupported(x, weight, bias, seq_idx, initial, final, final_out, activation, start):
    if seq_idx is not None and start is None:
        return "packed sequences by seq_idx alone are not supported: give cu_seqlens, which says where they begin and end"
    if final_out is not None:
        return "final_states_out is not supported: return_final_states gives a new tensor"
    if x.dim() != 3:
        return "x must have three axes, [batch, channels, tokens]"
    wrong = _of_one_kind(x, weight, bias, activation) or _packed(x, start)
    if wrong is not None or initial is None:
        return wrong
    shape = (_count(x, start), x.shape[1], weight.shape[1] - 1)
    if initial.shape != shape or initial.dtype != x.dtype or initial.device != x.device:
        return f"initial_states must have the type and the device of x, and be {list(shape)}"
    return None


def causal_conv1d(x, weight, bias=None, seq_idx=None, initial_states=None, return_final_states=False, final_states_out=None,
                  activation=None, cu_seqlens=None):
    """causal_conv1d_fn of causal-conv1d: y_t = activation(bias + sum over w of weight_w x_(t - width + 1 + w)), of each channel.

    x is [batch, channels, tokens], weight [channels, width of 2 to 4], the states [batch, channels, width - 1]. Kernels
    take the channels of a token side by side, x.stride(1) == 1: other layouts are copied. Returns y, or with
    return_final_states also the last tokens; both lie like that. x, weight, bias and initial_states have gradients.
    With cu_seqlens a batch of 1 contains concatenated sequences, sequence i from token cu_seqlens[i] to cu_seqlens[i +
    1], there is one state per sequence, and seq_idx, which says the same, is not read. Unsupported arguments raise a
    ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported(x, weight, bias, seq_idx, initial_states, return_final_states, final_states_out, activation,
                         cu_seqlens)
    if wrong is not None:
        raise ValueError(f"causal_conv1d: {wrong}")
    y, last = _causal_conv(x, weight, bias, initial_states, _offsets(cu_seqlens), activation is not None, return_final_states)
    return (y, last) if return_final_states else y


# ---- one token -----------------------------------------------------------------------------------


@torch.library.custom_op("tk::causal_conv1d_update", mutates_args=("state",))
def _update(x: torch.Tensor, state: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor], slots: Optional[torch.Tensor],
            silu: bool) -> torch.Tensor:
    y = x.new_empty(x.shape)
    kernel = _kernel("causal_conv_step", x, weight, silu, INDEXED=slots is not None)
    slots = torch.empty(0, dtype=torch.int32, device=x.device) if slots is None else slots
    kernel(x.contiguous(), *_of_channels(weight, bias), slots, state.transpose(1, 2), Y=y)
    return y


@_update.register_fake
def _(x, state, weight, bias, slots, silu):
    return x.new_empty(x.shape)


def _unsupported_update(x, state, weight, bias, activation, cache_seqlens, slots):
    if cache_seqlens is not None:
        return "states that go round (cache_seqlens) are not supported"
    if x.dim() not in (2, 3) or x.dim() == 3 and x.shape[2] != 1:
        return "x must be one token, [batch, channels] or [batch, channels, 1]"
    wrong = _of_one_kind(x, weight, bias, activation)
    if wrong is not None:
        return wrong
    alike = state.dim() == 3 and state.dtype == x.dtype and state.device == x.device
    if not alike or state.shape[1] != x.shape[1] or state.shape[2] < weight.shape[1] - 1:
        return f"conv_state must have the type and the device of x, and be [slots, {x.shape[1]}, {weight.shape[1] - 1} or more]"
    if slots is None and state.shape[0] < x.shape[0]:
        return f"conv_state has {state.shape[0]} slots for {x.shape[0]} sequences"
    if slots is not None and (slots.dtype != torch.int32 or slots.shape != x.shape[:1] or slots.device != x.device):
        return f"conv_state_indices must be int32, on the device of x, here [{x.shape[0]}]"
    tensors = [t for t in (x, state, weight, bias) if t is not None]
    return "there are no gradients: call it under torch.no_grad()" if checks.wants_gradients(*tensors) else None


def causal_conv1d_update(x, conv_state, weight, bias=None, activation=None, cache_seqlens=None, conv_state_indices=None):
    """causal_conv1d_update of causal-conv1d: one token, x [batch, channels]. conv_state, [slots, channels, width - 1 or more], holds
    the last tokens and gets this one in place; sequence b has slot b, or conv_state_indices[b], which are all different. It is fastest
    where the channels of a token lie side by side."""
    wrong = _unsupported_update(x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices)
    if wrong is not None:
        raise ValueError(f"causal_conv1d_update: {wrong}")
    y = _update(x.reshape(x.shape[:2]), conv_state, weight, bias, conv_state_indices, activation is not None)
    return y.reshape(x.shape)
