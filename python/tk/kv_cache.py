"""Attention of a few new tokens to a cache of keys and values, in pages or in one piece, on examples/attention/attention_paged.tk
and attention_paged_fp8.tk, and the writing of new ones to it, on cache_append.tk."""
import functools
import math
from typing import Optional, Tuple

import torch

from . import checks, dtypes
from .sdpa import _readable

FP8 = torch.float8_e4m3fn, torch.float8_e5m2
MOST_SPLITS = 128
_LONG = 4096  # keys from which several rounds of programs are assigned dynamically, which costs the clearing of a counter
_START, _COMBINE = 3, 4  # what a program costs besides its tiles of 64 keys, and the second kernel, in such tiles


@functools.lru_cache(maxsize=None)
def _module(name, device, constants):
    from . import example, load

    return load(example(name + ".tk"), device=device, **dict(constants))


def _module_of(name, cache, **constants):
    constants = dict(constants, T=dtypes.of_torch(cache.dtype), D=cache.shape[3])
    return _module(name, cache.device.type, tuple(constants.items()))


@functools.lru_cache(maxsize=None)
def _multiprocessors(index):
    return torch.cuda.get_device_properties(index).multi_processor_count


def _piece(page, paged, smaller=()):
    """Keys that lie in one page and are loaded together: 64, one of `smaller`, or 1, whose rows come by a list."""
    return next((n for n in (64, *smaller) if not paged or page % n == 0), 1)


def _pitch(cache):
    """How many tokens after the start of a page the next one begins, where that is an integer; else None."""
    pages, page = cache.shape[:2]
    if pages == 1:
        return page
    if page == 1:
        return 1
    apart, left = divmod(cache.stride(0), max(cache.stride(1), 1))
    return apart if left == 0 and apart > 0 else None


def as_tokens(*caches):
    """Each cache with one axis for the tokens of all pages, and after them the tokens of a page and of the way to the next one."""
    pages, page = caches[0].shape[:2]
    pitch = _pitch(caches[0])
    made = []
    for cache in caches:
        step = cache.stride(0) if page == 1 else cache.stride(1)
        made.append(cache.as_strided(((pages - 1) * pitch + page, *cache.shape[2:]), (step, *cache.stride()[2:])))
    return (*made, page, pitch)


def wrong_pages(*caches):
    """Why the pages of the caches cannot be read as tokens in a row; None: they can."""
    pitches = [_pitch(cache) for cache in caches]
    if caches[0].shape[0] == 0:
        return "the caches must have a page at least"
    if None in pitches or len(set(pitches)) > 1:
        return "the pages of both caches must begin equally many whole tokens apart"
    return None


def splits_of(programs, keys, multiprocessors, start=_START, combine=_COMBINE):
    """Among how many programs the keys of each of `programs` are best divided, where every sequence has `keys` of them.

    A multiprocessor runs one program at a time. The time is that of the rounds of programs, each of which has a share of the
    tiles and costs a start, and that of the kernel that puts parts together. A gain of 3 % is worth no more parts. start and
    combine: what a program costs besides its tiles, and the second kernel, in tiles.
    """
    tiles = max(-(-keys // 64), 1)

    def time(splits):
        return -(-programs * splits // multiprocessors) * (-(-tiles // splits) + start) + (combine if splits > 1 else 0)
    times = [time(splits) for splits in range(1, min(tiles, MOST_SPLITS) + 1)]
    return next(i for i, t in enumerate(times, 1) if t <= 1.03 * min(times))


def _rows(q, heads):
    """q as [batch, heads of the keys, rows, cells]: token by token, the heads that share one of the keys."""
    batch, tokens, _, cells = q.shape
    rows = q.unflatten(2, (heads, -1)).transpose(1, 2)
    return rows[:, :, 0] if tokens == 1 else rows.reshape(batch, heads, -1, cells)


def _decode_fp8_rows(q, caches, scales, table, lengths, sinks, scale, softcap, splits, words, o, lse):
    """One token, where keys are the rows of products: q and o are [batch, heads of the keys, heads that share one, cells]."""
    batch, of_keys, group, cells = q.shape
    *caches, page, pitch = as_tokens(*caches)
    module = _module_of("attention_paged_fp8", q, **words, PIECE=_piece(page, words["PAGED"]), BH=next((n for n in (8, 16) if group <= n), 32))
    part = q.new_empty((splits, batch, of_keys, cells, group), dtype=torch.float32)
    logs = q.new_empty((splits, batch, of_keys, group), dtype=torch.float32)
    module.attention_paged_fp8(q, *caches, *scales, table, lengths, sinks, page, pitch, splits, scale, softcap, O=o, LSE=lse, Part=part,
                               Log=logs)


@torch.library.custom_op("tk::decode", mutates_args=())
def _decode(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, table: Optional[torch.Tensor], lengths: torch.Tensor,
            sinks: Optional[torch.Tensor], scale: float, window: int, softcap: float, longest: int,
            splits: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs, and the log-sum-exp as [batch, heads, tokens]. Of lengths and table only shapes are looked at: what is chosen here
    follows from shapes and `longest`."""
    batch, tokens, heads, cells = q.shape
    page, of_keys = k.shape[1], k.shape[2]
    paged = table is not None
    rows = _readable(_rows(q, of_keys))
    table = table if paged else lengths[:, None]  # for its shape
    seen = longest if window == 0 else min(longest, window + tokens - 1)
    programs = batch * of_keys * -(-rows.shape[2] // 64)
    count = _multiprocessors(q.device.index) if q.is_cuda else 132
    splits = splits or splits_of(programs, seen, count)
    o = q.new_empty(q.shape)
    lse = q.new_empty((batch, heads, tokens), dtype=torch.float32)
    words = dict(PAGED=paged, WINDOW=window, SOFTCAP=softcap > 0, SINK=sinks is not None)
    piece = _piece(page, paged, (32, 16) if cells <= 128 else (16,))
    *tokens_of, page, pitch = as_tokens(k, v)
    sinks = q.new_empty((0, 0), dtype=torch.float32) if sinks is None else sinks.view(of_keys, -1)
    dynamic = programs * splits >= 2 * count and seen >= _LONG and piece > 1  # one warp draws programs
    module = _module_of("attention_paged", k, **words, PIECE=piece, DYNAMIC=dynamic)
    if splits == 1 and tokens == 1 and not words["SINK"]:
        module.attention_paged_whole(rows, *tokens_of, table, lengths, page, pitch, scale, softcap, O=o.view(1, batch, of_keys, -1, cells),
                                     LSE=lse.view(1, batch, of_keys, -1))
    else:
        parts, logs = (q.new_empty((splits, *shape), dtype=torch.float32) for shape in (rows.shape, rows.shape[:3]))
        module.attention_paged(rows, *tokens_of, table, lengths, sinks, page, pitch, splits, tokens, scale, softcap, O=o.unflatten(2, (of_keys, -1)),
                               LSE=lse.unflatten(1, (of_keys, -1)), Part=parts, Log=logs)
    return o, lse


@_decode.register_fake
def _(q, k, v, table, lengths, sinks, scale, window, softcap, longest, splits):
    batch, tokens, heads, _ = q.shape
    return q.new_empty(q.shape), q.new_empty((batch, heads, tokens), dtype=torch.float32)


@torch.library.custom_op("tk::decode_fp8", mutates_args=())
def _decode_fp8(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, k_scale: torch.Tensor, v_scale: torch.Tensor,
                table: Optional[torch.Tensor], lengths: torch.Tensor, sinks: Optional[torch.Tensor], scale: float, window: int,
                softcap: float, longest: int, splits: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """As `tk::decode`, for one token a sequence, and caches of 8 bits, with a scale for each head of the keys."""
    batch, _, heads, _ = q.shape
    of_keys = k.shape[2]
    rows = _readable(_rows(q, of_keys))
    seen = longest if window == 0 else min(longest, window)
    count = _multiprocessors(q.device.index) if q.is_cuda else 132
    # Tiles have half the bytes.
    splits = splits or splits_of(batch * of_keys * -(-rows.shape[2] // 32), seen, count, 2 * _START, 2 * _COMBINE)
    words = dict(PAGED=table is not None, WINDOW=window, SOFTCAP=softcap > 0, SINK=sinks is not None, KV=dtypes.of_torch(k.dtype))
    sinks = q.new_empty((0, 0), dtype=torch.float32) if sinks is None else sinks.view(of_keys, -1)
    o = q.new_empty(q.shape)
    lse = q.new_empty((batch, heads, 1), dtype=torch.float32)
    _decode_fp8_rows(rows, (k, v), (k_scale, v_scale), lengths[:, None] if table is None else table, lengths, sinks,
                     scale, softcap, splits, words, o.view(rows.shape), lse.view(rows.shape[:3]))
    return o, lse


@_decode_fp8.register_fake
def _(q, k, v, k_scale, v_scale, table, lengths, sinks, scale, window, softcap, longest, splits):
    batch, tokens, heads, _ = q.shape
    return q.new_empty(q.shape), q.new_empty((batch, heads, tokens), dtype=torch.float32)


def _cache(tensors, k_cache, v_cache, table, lengths):
    """What is wrong with a cache, and with tensors [batch, tokens, heads, cells] for it; None: nothing."""
    others = [x for x in (*tensors[1:], k_cache, v_cache, table, lengths) if x is not None]
    first = tensors[0]
    if any(x.device != first.device for x in others):
        return "all tensors must be on one device"
    wrong = checks.emulated(first) or (None if k_cache.dtype in FP8 else checks.types(first, k_cache, v_cache))
    if wrong is not None:
        return wrong.replace("q, k and v", "the new tokens and both caches")
    if k_cache.dtype != v_cache.dtype:
        return "both caches must have one type"
    if any(x.dtype != first.dtype for x in tensors):
        return "the new tokens must have one type"
    if k_cache.dim() != 4 or k_cache.shape != v_cache.shape:
        return "k_cache and v_cache must have one shape, [pages, tokens of a page, heads, head dimension]"
    if any(x.dim() != 4 for x in tensors):
        return "the new tokens must have four axes, [batch, tokens, heads, head dimension]"
    cells, batch = k_cache.shape[3], first.shape[0]
    if any(x.shape[3] != cells for x in tensors):
        return "the new tokens and the cache must have one head dimension"
    wrong = checks.head(cells, most=256, step=2)
    if wrong is not None:
        return wrong
    unit = 16 // k_cache.element_size()
    if any(x.stride(3) != 1 or any(n > 1 and s % unit != 0 for n, s in zip(x.shape[:3], x.stride())) for x in (k_cache, v_cache)):
        return "the cells of a head must lie in one piece in the caches, and begin at multiples of 16 bytes"
    if lengths.dtype != torch.int32 or lengths.shape != (batch,) or not lengths.is_contiguous():
        return f"lengths must be int32, one for each sequence, here [{batch}]"
    if table is None:
        return None if k_cache.shape[0] >= batch else "without a block_table, each sequence has its own page of the caches"
    if table.dtype != torch.int32 or table.dim() != 2 or table.shape[0] != batch or table.shape[1] == 0:
        return f"block_table must be int32, [batch, pages of the longest], here [{batch}, ..]"
    return "a page must have a token at least" if k_cache.shape[1] == 0 else None


def _unsupported_fp8(q, k_cache, scales):
    """What is wrong with q and the scales of a cache of 8 bits, which is right by itself."""
    if q.dtype not in (torch.bfloat16, torch.float16):
        return "q must be bfloat16 or float16"
    if q.shape[1] != 1:
        return "caches of 8 bits take one new token a sequence"
    if q.shape[3] not in (64, 128, 256):
        return f"caches of 8 bits have head dimensions 64, 128 and 256, not {q.shape[3]}"
    if any(torch.is_tensor(x) and (x.numel() not in (1, k_cache.shape[2]) or x.device != q.device) for x in scales):
        return f"k_scale and v_scale must be numbers, or tensors of one or of [{k_cache.shape[2]}], on the device of q"
    return None


def _unsupported(q, k_cache, v_cache, table, lengths, sinks, scale, window, softcap, longest, splits, scales):
    wrong = _cache((q,), k_cache, v_cache, table, lengths) or wrong_pages(k_cache, v_cache)
    if wrong is None and k_cache.dtype in FP8:
        wrong = _unsupported_fp8(q, k_cache, scales)
    if wrong is not None:
        return wrong
    if k_cache.dtype not in FP8 and any(x is not None for x in scales):
        return "k_scale and v_scale are those of caches of 8 bits"
    if k_cache.shape[2] == 0 or q.shape[2] % k_cache.shape[2] != 0 or q.shape[2] == 0:
        return f"the heads of q, {q.shape[2]}, must be a multiple of those of the cache, {k_cache.shape[2]}"
    if q.shape[1] == 0:
        return "q must have a new token at least"
    wrong = checks.positive(scale, "softmax_scale")
    if wrong is not None:
        return wrong
    if sinks is not None and (sinks.shape != (q.shape[2],) or sinks.device != q.device):
        return f"sinks must have one number for each head of q, here [{q.shape[2]}], on its device"
    if softcap < 0:
        return "softcap must be positive, or 0 for none"
    if window is not None and window < 1:
        return "window must be at least 1, or None for all keys"
    if longest is not None and longest < 0 or splits is not None and splits < 1:
        return "max_seqlen must not be negative, and num_splits at least 1"
    given = [x for x in (q, k_cache, v_cache, sinks) if x is not None]
    return "there are no gradients: call it under torch.no_grad()" if checks.wants_gradients(*given) else None


def _scale_of(scale, cache):
    """One for each head."""
    if not torch.is_tensor(scale):
        return torch.full((cache.shape[2],), 1.0 if scale is None else float(scale), dtype=torch.float32, device=cache.device)
    return scale.float().flatten().expand(cache.shape[2]).contiguous()


def decode(q, k_cache, v_cache, block_table, lengths, *, softmax_scale=None, window=None, softcap=0.0, sinks=None, k_scale=None,
           v_scale=None, max_seqlen=None, num_splits=None, return_lse=False):
    """Attention of the newest tokens of every sequence to a cache that holds their keys and values already.

    q is [batch, new tokens, heads, head dimension], the caches [pages, tokens of a page, heads of the keys, head
    dimension]. block_table: int32, [batch, pages of a sequence]. None: sequence i lies in page i, as long as need be.
    lengths: int32, the keys of each sequence, new ones included. New token i of n sees keys up to lengths - n + i, with
    `window` the last so many of those. sinks: for each head of q a score of one more key, whose value is zeros; the
    log-sum-exp counts it, too. Caches of 8 bits hold keys divided by k_scale, values by v_scale: a number, or a tensor
    of one or of one for each of their heads. Lengths and table are read by the GPU alone, so that a graph may be
    replayed with others. max_seqlen bounds the lengths, for the number of splits; without it, what the table can hold
    does. With return_lse the log-sum-exp of every row follows the outputs, [batch, heads, new tokens]. Unsupported
    arguments raise a ValueError with the reason; docs/python.md lists them.
    """
    wrong = _unsupported(q, k_cache, v_cache, block_table, lengths, sinks, softmax_scale, window, softcap, max_seqlen, num_splits,
                         (k_scale, v_scale))
    if wrong is not None:
        raise ValueError(f"decode: {wrong}")
    held = k_cache.shape[1] * (1 if block_table is None else block_table.shape[1])
    scale = 1 / math.sqrt(q.shape[3]) if softmax_scale is None else float(softmax_scale)
    sinks = None if sinks is None else sinks.float().contiguous()
    rest = (block_table, lengths, sinks, scale, window or 0, float(softcap), held if max_seqlen is None else min(held, max_seqlen),
            num_splits or 0)
    if k_cache.dtype in FP8:
        scales = (_scale_of(x, k_cache) for x in (k_scale, v_scale))
        o, lse = _decode_fp8(q, k_cache, v_cache, *scales, *rest)
    else:
        o, lse = _decode(q, k_cache, v_cache, *rest)
    return (o, lse) if return_lse else o


# ---- the cache -----------------------------------------------------------------------------------


@torch.library.custom_op("tk::append_to_cache", mutates_args=("k_cache", "v_cache"))
def _append(k: torch.Tensor, v: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, table: Optional[torch.Tensor],
            lengths: torch.Tensor) -> None:
    paged = table is not None
    module = _module_of("cache_append", k_cache, PAGED=paged)
    module.cache_append(_readable(k), _readable(v), table if paged else lengths[:, None], lengths, k_cache, v_cache)


@torch.library.custom_op("tk::append_to_cache_rope", mutates_args=("k_cache", "v_cache"))
def _append_rope(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, k_cache: torch.Tensor,
                 v_cache: torch.Tensor, table: Optional[torch.Tensor], lengths: torch.Tensor) -> torch.Tensor:
    """q, turned."""
    paged = table is not None
    module = _module_of("cache_append", k_cache, PAGED=paged)
    turned = q.new_empty(q.shape)
    module.cache_append_rope(_readable(q), _readable(k), _readable(v), cos, sin, table if paged else lengths[:, None], lengths,
                             k_cache, v_cache, Qr=turned)
    return turned


@_append_rope.register_fake
def _(q, k, v, cos, sin, k_cache, v_cache, table, lengths):
    return q.new_empty(q.shape)


def _unsupported_append(q, k, v, k_cache, v_cache, table, lengths, cos, sin):
    given = [x is not None for x in (q, cos, sin)]
    if any(given) and not all(given):
        return "q, cos and sin come together: q is turned, too"
    wrong = _cache((k, v) if q is None else (k, v, q), k_cache, v_cache, table, lengths)
    if wrong is not None:
        return wrong
    if k.dtype != k_cache.dtype:
        return "the new tokens must have the type of the caches"
    if q is not None and k.dtype in FP8:
        return "keys are turned in 16 bits, before they are converted"
    if k.shape != v.shape or k.shape[2] != k_cache.shape[2]:
        return "k and v must have one shape, and the heads of the cache"
    if q is not None:
        if q.shape[:2] != k.shape[:2] or q.shape[2] < k.shape[2]:
            return "q must have the batch and the tokens of k, and no fewer heads"
        if any(x.dtype != torch.float32 or x.dim() != 2 or x.shape[1] != k.shape[3] // 2 or x.shape[0] == 0 for x in (cos, sin)):
            return f"cos and sin must be float32, [places, half the head dimension], here [.., {k.shape[3] // 2}]"
        if cos.shape != sin.shape or cos.device != k.device or sin.device != k.device:
            return "cos and sin must have one shape, and the device of k"
    if checks.wants_gradients(*(x for x in (k, v, k_cache, v_cache, q) if x is not None)):
        return "there are no gradients: call it under torch.no_grad()"
    return None


def append_to_cache(k, v, k_cache, v_cache, block_table, lengths, *, q=None, cos=None, sin=None):
    """Writes keys and values of new tokens, [batch, new tokens, heads, head dimension], to their places in the caches.

    lengths counts the new tokens: they are the last ones of their sequences. Those that would lie before the first place are
    left out, so that length 0 says that there is no sequence. Caches and block_table are as in `decode`. With q, cos and sin, keys
    are turned by the angles of their places (the first half of a head with the second) and q, turned likewise, is given back.
    """
    wrong = _unsupported_append(q, k, v, k_cache, v_cache, block_table, lengths, cos, sin)
    if wrong is not None:
        raise ValueError(f"append_to_cache: {wrong}")
    if q is None:
        return _append(k, v, k_cache, v_cache, block_table, lengths)
    return _append_rope(q, k, v, cos.contiguous(), sin.contiguous(), k_cache, v_cache, block_table, lengths)
