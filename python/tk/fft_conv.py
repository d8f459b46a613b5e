"""Convolutions as long as the sequence, on examples/sequence/fft_conv.tk and fft_conv_backward.tk, and for more than 4096 tokens on
fft_conv_long.tk and fft_conv_long_backward.tk."""
import functools
from typing import NamedTuple, Optional, Tuple

import torch
import torch.nn.functional as F

from . import checks
from .kv_cache import _multiprocessors
from .sdpa import _readable
from .sequence import _kernel_of

_KINDS = (torch.bfloat16, torch.float16)
_LEAST, _BLOCK, _MOST = 64, 4096, 131072  # tokens; of more than a block, all take part in each other's work


class Spectrum(NamedTuple):
    """A filter, transformed: what fft_conv_spectrum makes and fft_conv takes."""
    cells: torch.Tensor
    scales: torch.Tensor
    heads: int
    tokens: int
    causal: bool


# ---- kernels -------------------------------------------------------------------------------------


def _padded(tokens):
    """Tokens of the kernel: a power of two, or blocks."""
    return max(_LEAST, 1 << (tokens - 1).bit_length()) if tokens <= _BLOCK else -(-tokens // _BLOCK) * _BLOCK


def _filled_taps(taps, length, causal):
    """Tokens of a filter of the kernel."""
    return max(1, -(-taps // _BLOCK)) * _BLOCK if causal and length > _BLOCK else length


def _rows(x):
    """[batch, heads, tokens] as kernels take it, in rows of 64 tokens; in blocks by heads."""
    batch, heads, tokens = x.shape
    return _readable(x.reshape(batch, heads * tokens // 64, 64) if tokens <= _BLOCK else x.reshape(batch, heads, tokens // 64, 64))


def _factors(tokens):
    """n1 and root."""
    n1 = min(tokens, _BLOCK) // 64
    return n1, 1 << (n1.bit_length() - 1) // 2


_made = {}


def _tables(x, tokens, causal):
    """The matrices, those of filters one more, made once: but memory of a graph that is being recorded is that graph's."""
    quarters = int(causal or tokens > _BLOCK)
    key = (x.device, min(tokens, _BLOCK), quarters)
    if key not in _made:
        made = [x.new_empty((count, 64, 64), dtype=torch.float16) for count in (7, 2, 6)]
        _functions("fft_conv", x)("tables")(*_factors(tokens), quarters, F=made[0], Turn=made[1], Rest=made[2])
        if x.is_cuda:
            if torch.cuda.is_current_stream_capturing():
                return made
            torch.cuda.current_stream(x.device).synchronize()  # other streams find them ready
        _made[key] = made
    return _made[key]


@functools.lru_cache(maxsize=None)
def _work(tiles, batch, most):
    """How many pairs of tiles and sequences a program takes, so that the last one to end is early: it costs about three sequences to
    begin, and one for a filter."""
    best = None
    for parts in range(1, min(batch, 64) + 1):
        size = -(-batch // parts)
        pairs = -(-tiles // 2)
        for rounds in (1, 2, 3, 4):
            each = max(1, -(-pairs * parts // (rounds * most)))
            waves = -(-(-(-pairs // each) * -(-batch // size)) // most)
            cost = waves * (3 + each * (1 + size))
            if best is None or cost < best[0]:
                best = cost, each, size
    return best[1:]


@functools.lru_cache(maxsize=None)
def _heads_of(heads, others, blocks, most):
    """How many heads a program takes, of which there are `others` next to each other."""
    def cost(each):
        return -(-(-(-heads // each) * others) // most) * (3 + each * blocks)
    return min(range(1, max(1, heads) + 1), key=cost)


def _multiprocessors_of(u):
    return _multiprocessors(u.device.index) if u.is_cuda else 132


def _work_of(u):
    tiles = -(-u.shape[1] * u.shape[2] // _BLOCK)
    return _work(max(1, tiles), max(1, len(u)), _multiprocessors_of(u))


def _functions(name, x, gate_in=None, gate_out=None, **constants):
    return lambda function: _kernel_of(name, x, function=function, GATE_IN=gate_in is not None, GATE_OUT=gate_out is not None, **constants)


def _of_blocks(x, gate_in, gate_out, causal, back):
    """One sequence gives its two roles neighboring blocks."""
    return _functions("fft_conv_long", x, gate_in, gate_out, CAUSAL=causal, BACK=back, NEIGHBOURS=len(x) == 1)


def _gate(x, rows):
    return rows.new_empty((0, *rows.shape[1:])) if x is None else _rows(x)


def _transformed(x, filters, tokens, gate_in, gate_out, causal, sign):
    """The transforms of filters for so many tokens, by functions that are loaded for x and gates."""
    heads = filters.shape[0]
    cells, scales = _spectrum_like(filters, tokens)
    tables = _tables(x, tokens, causal)
    if tokens <= _BLOCK:
        kernel = _functions("fft_conv", x, gate_in, gate_out)
        rows = F.pad(filters, (0, 0, 0, cells.shape[1] - heads)).contiguous().view(-1, 64)
        kernel("spectrum")(rows, *tables, *_factors(tokens), float(sign), K=cells.view(2, -1, 64), Scale=scales)
        return cells, scales
    kernel, rows = _of_blocks(x, gate_in, gate_out, causal, sign < 0), filters.contiguous().view(heads, -1, 64)
    most = torch.empty_like(scales)
    kernel("levels")(rows, Most=most, Bound=scales)
    kernel("spectra")(rows, *tables, most, scales, float(sign), G=cells.view(2, heads, -1, 64))
    return cells, scales


def _transforms(u, gate_in, gate_out, causal, back=False):
    """Of blocks; None: there is one."""
    if u.shape[2] <= _BLOCK:
        return None
    rows = _rows(u)
    z = u.new_empty((2, *rows.shape), dtype=torch.float16)
    heads = _heads_of(rows.shape[1], max(1, len(u)), rows.shape[2] // 64, _multiprocessors_of(u))
    kernel = _of_blocks(u, gate_in, gate_out, causal, back)
    kernel("transforms")(rows, _gate(gate_in, rows), *_tables(u, u.shape[2], causal)[:2], heads, Z=z)
    return z


def _convolve(u, z, cells, scales, gate_in, gate_out, causal, y, back=False):
    """z: the transforms of blocks. back: with a conjugate, the gradient."""
    tables = _tables(u, u.shape[2], causal)[:2]
    if z is not None:
        _, batch, heads, length, _ = z.shape
        each = _heads_of(heads, max(1, -(-batch // 2)), length // 64 * (cells.shape[2] // _BLOCK + 1) // 2, _multiprocessors_of(y))
        rows = y.view(z.shape[1:])
        kernel = _of_blocks(u, gate_in, gate_out, causal, back)
        kernel("sums")(z, cells.view(2, heads, -1, 64), scales, _gate(gate_out, rows), *tables, each, Y=rows)
        return
    rows = _rows(u)
    _functions("fft_conv", u, gate_in, gate_out)("convolve")(rows, _gate(gate_in, rows), _gate(gate_out, rows), *tables,
                                                            cells.view(2, -1, 64), scales, *_work_of(u), Y=y.view(rows.shape))


def _filter_gradients(u, dy, d, gate_in, gate_out, causal, sums):
    """d: the transforms of blocks of dy."""
    tables = _tables(u, u.shape[2], causal)[:2]
    if d is not None:
        kernel = _functions("fft_conv_long_backward", u, gate_in, gate_out, CAUSAL=causal)
        z = _transforms(u, gate_in, gate_out, causal)
        shape = (sums.shape[0], sums.shape[1] // 64, 64)
        programs = max(1, shape[0] * -(-shape[1] // 128))  # of all sequences
        batch = max(1, -(-len(u) // max(1, _multiprocessors_of(u) // programs)))
        parts = u.new_empty((-(-len(u) // batch), *shape), dtype=torch.float32)
        kernel("filter_sums")(z, d, *tables, batch, Part=parts)
    else:
        kernel, rows, work = _functions("fft_conv_backward", u, gate_in, gate_out), _rows(u), _work_of(u)
        shape = rows.shape[1:]
        parts = u.new_empty((-(-len(u) // work[1]), *shape), dtype=torch.float32)
        kernel("filter_gradients")(rows, _gate(gate_in, rows), _gate(gate_out, rows), _rows(dy), *tables, *_factors(u.shape[2]), *work,
                                   Part=parts)
    kernel("sums_of_parts")(parts, Sum=sums.view(shape))


# ---- operators -----------------------------------------------------------------------------------


def _spectrum_like(filters, tokens):
    """With heads to fill the last two tiles; of blocks one more."""
    heads = filters.shape[0]
    if tokens > _BLOCK:
        cells, scales = min(filters.shape[1] + _BLOCK, tokens), heads
    else:
        some = max(1, 2 * _BLOCK // tokens)
        heads = -(-heads // some) * some
        cells, scales = tokens, heads * tokens // 64
    return filters.new_empty((2, heads, cells), dtype=torch.float16), filters.new_empty((scales,), dtype=torch.float32)


@torch.library.custom_op("tk::fft_conv_spectrum", mutates_args=())
def _spectrum(filters: torch.Tensor, tokens: int, causal: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    return _transformed(filters.new_empty(0, dtype=torch.bfloat16), filters, tokens, None, None, causal, 1)


@_spectrum.register_fake
def _(filters, tokens, causal):
    return _spectrum_like(filters, tokens)


@torch.library.custom_op("tk::fft_conv", mutates_args=())
def _fft_conv(u: torch.Tensor, filters: Optional[torch.Tensor], cells: Optional[torch.Tensor], scales: Optional[torch.Tensor],
              gate_in: Optional[torch.Tensor], gate_out: Optional[torch.Tensor], causal: bool) -> torch.Tensor:
    """By a filter, or by its transform. Filters are float32, of as many tokens as u, or of blocks."""
    if filters is not None:
        cells, scales = _transformed(u, filters, u.shape[2], gate_in, gate_out, causal, 1)
    y = u.new_empty(u.shape)
    _convolve(u, _transforms(u, gate_in, gate_out, causal), cells, scales, gate_in, gate_out, causal, y)
    return y


@_fft_conv.register_fake
def _(u, filters, cells, scales, gate_in, gate_out, causal):
    return u.new_empty(u.shape)


def _gradients_like(u, filters, of_u, of_filter):
    return u.new_empty(u.shape if of_u else 0), u.new_empty(filters.shape if of_filter else 0, dtype=torch.float32)


@torch.library.custom_op("tk::fft_conv_backward", mutates_args=())
def _fft_conv_backward(u: torch.Tensor, filters: Optional[torch.Tensor], cells: Optional[torch.Tensor], scales: Optional[torch.Tensor],
                       gate_in: Optional[torch.Tensor], gate_out: Optional[torch.Tensor], dy: torch.Tensor, causal: bool, of_u: bool,
                       of_filter: bool, of_gate: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """The gradients of u, or where those of gate_in are wanted, too, those of u times gate_in; and those of filters."""
    du, dfilters = _gradients_like(u, filters, of_u, of_filter)
    behind = None if of_gate else gate_in
    d = _transforms(dy, gate_out, behind, causal, back=True)
    if of_u:
        if filters is not None:
            cells, scales = _transformed(u, filters, u.shape[2], gate_out, behind, causal, -1)
        else:
            cells = torch.stack([cells[0], -cells[1]])
        _convolve(dy, d, cells, scales, gate_out, behind, causal, du, back=True)
    if of_filter:
        _filter_gradients(u, dy, d, gate_in, gate_out, causal, dfilters)
    return du, dfilters


@_fft_conv_backward.register_fake
def _(u, filters, cells, scales, gate_in, gate_out, dy, causal, of_u, of_filter, of_gate):
    return _gradients_like(u, filters, of_u, of_filter)


def _keep(ctx, inputs, output):
    *tensors, ctx.causal = inputs
    ctx.save_for_backward(*tensors)


def _gradients(ctx, dy):
    u, filters, cells, scales, gate_in, gate_out = ctx.saved_tensors
    of_u, of_filter, _, _, of_gate, of_gate_out, _ = ctx.needs_input_grad
    du, dfilters, dgate_in, dgate_out = None, None, None, None
    if of_u or of_filter or of_gate:
        du, dfilters = _fft_conv_backward(*ctx.saved_tensors, dy, ctx.causal, of_u or of_gate, of_filter, of_gate)
    if of_gate:
        du, dgate_in = du * gate_in, du * u
    if of_gate_out:
        dgate_out = _fft_conv(u, filters, cells, scales, gate_in, dy, ctx.causal)
    return du if of_u else None, dfilters if of_filter else None, None, None, dgate_in, dgate_out, None


_fft_conv.register_autograd(_gradients, setup_context=_keep)
_fft_conv_backward.register_autograd(checks.first_derivatives_only("fft_conv"))

# ---- functions -----------------------------------------------------------------------------------


def _unsupported_tokens(tokens, causal):
    if tokens > _MOST:
        return f"{tokens} tokens are not supported: up to {_MOST} are"
    if not causal and tokens != _padded(tokens):
        return f"what goes round must have a power of two of tokens, from {_LEAST}, or a multiple of {_BLOCK}, got {tokens}"
    return None


def _unsupported_filter(filter, heads, tokens):
    if not filter.is_floating_point() or filter.dim() != 2 or filter.shape[0] != heads or filter.shape[1] > tokens:
        return f"filter must be [heads, up to as many tokens as u], here [{heads}, {tokens}], of real numbers"
    return None


def _unsupported(u, filter, gate_in, gate_out, causal):
    gates = [x for x in (gate_in, gate_out) if x is not None]
    if u.dim() != 3:
        return "u must have three axes, [batch, heads, tokens]"
    if u.dtype not in _KINDS or any(x.dtype != u.dtype or x.shape != u.shape for x in gates):
        return "u must be bfloat16 or float16, and gates as it is, of the same shape"
    wrong = checks.emulated(u, *gates, filter.cells if isinstance(filter, Spectrum) else filter)
    if wrong is not None:
        return wrong.replace("q, k and v", "u, filter and gates")
    heads, tokens = u.shape[1:]
    if not isinstance(filter, Spectrum):
        return _unsupported_tokens(tokens, causal) or _unsupported_filter(filter, heads, tokens)
    if tuple(filter[2:]) != (heads, tokens, causal):
        return f"the spectrum is of {filter.heads} heads of {filter.tokens} tokens, causal={filter.causal}"
    return None


def _filled(x, tokens):
    return x if x is None or x.shape[-1] == tokens else F.pad(x, (0, tokens - x.shape[-1]))


def fft_conv(u, filter, gate_in=None, gate_out=None, causal=True):
    """gate_out * (filter convolved with gate_in * u), of each head by itself, by Fourier transforms.

    u is [batch, heads, tokens], bfloat16 or float16, the gates are like it. filter is [heads, up to as many tokens], of
    any real type, or what fft_conv_spectrum made of one. causal: y_t is the sum of filter_d u_(t - d) over d <= t.
    Otherwise u goes round. u, filter and gates have gradients. Unsupported arguments raise a ValueError with the
    reason; docs/python.md lists them.
    """
    wrong = _unsupported(u, filter, gate_in, gate_out, causal)
    if wrong is not None:
        raise ValueError(f"fft_conv: {wrong}")
    tokens, length = u.shape[-1], _padded(u.shape[-1])
    filters, cells, scales = None, None, None
    if isinstance(filter, Spectrum):
        cells, scales = filter.cells, filter.scales
    else:
        filters = _filled(filter.float(), _filled_taps(filter.shape[1], length, causal))
    y = _fft_conv(_filled(u, length), filters, cells, scales, _filled(gate_in, length), _filled(gate_out, length), causal)
    return y if length == tokens else y[..., :tokens]


def fft_conv_spectrum(filter, tokens, causal=True):
    """What fft_conv takes instead of a filter that does not change, for u of so many tokens. It has no gradients."""
    wrong = _unsupported_tokens(tokens, causal) or checks.emulated(filter)
    wrong = wrong or _unsupported_filter(filter, filter.shape[0] if filter.dim() > 0 else 0, tokens)
    if wrong is None and checks.wants_gradients(filter):
        wrong = "there are no gradients: call it under torch.no_grad()"
    if wrong is not None:
        raise ValueError(f"fft_conv_spectrum: {wrong}")
    length = _padded(tokens)
    filters = _filled(filter.float(), _filled_taps(filter.shape[1], length, causal))
    return Spectrum(*_spectrum(filters, length, causal), filter.shape[0], tokens, causal)
