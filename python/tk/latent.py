"""Multi-head latent attention of a few new tokens to a cache in pages or in one piece, on examples/attention/mla_decode.tk, and the
writing of new ones to it, on cache_append.tk."""
from typing import Optional, Tuple

import torch

from . import checks, dtypes
from .kv_cache import _module, _multiprocessors, _piece, as_tokens, splits_of, wrong_pages
from .sdpa import _readable

CELLS = 512, 64  # of what is key and value, and of what is turned by its place
_ROWS = 64  # of a program that has many
# bench/decode.py times others, too.
FEW = 32  # rows that may be columns of products
PIECES_AS_ROWS = True  # whether they are rows nevertheless, padded to 64, where pages are whole pieces: 1.0 to 1.6 times as fast
PAIRS = True  # whether two programs of many rows load their keys together


def _columns(rows, piece):
    """How many rows of Q are the columns of a program's products, or None where they are rows."""
    if rows > FEW or (piece > 1 and PIECES_AS_ROWS):
        return None
    return next(n for n in (8, 16, 32) if rows <= n)


@torch.library.custom_op("tk::mla_decode", mutates_args=())
def _mla_decode(q_nope: torch.Tensor, q_pe: torch.Tensor, ckv_cache: torch.Tensor, kpe_cache: torch.Tensor,
                table: Optional[torch.Tensor], lengths: torch.Tensor, scale: float, longest: int,
                splits: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs, and the log-sum-exp as [batch, tokens, heads]. Of lengths and table only shapes are looked at."""
    batch, tokens, heads, _ = q_nope.shape
    *caches, page, pitch = as_tokens(ckv_cache, kpe_cache)
    piece = _piece(page, table is not None)
    rows, few = tokens * heads, _columns(tokens * heads, piece)
    blocks = -(-rows // (few or _ROWS))
    count = _multiprocessors(q_nope.device.index) if q_nope.is_cuda else 132
    # Many rows have large parts to write, and tiles that take half the time.
    splits = splits or splits_of(batch * blocks, longest, count, *((2, 2) if few else (5, 4)))
    # Programs that load together see as many keys, though those of earlier tokens need fewer.
    constants = dict(BH=few) if few else dict(CM=2 if PAIRS and blocks % 2 == 0 and tokens <= _ROWS else 1)
    constants.update(T=dtypes.of_torch(q_nope.dtype), PAGED=table is not None, PIECE=piece)
    module = _module("mla_decode", q_nope.device.type, tuple(constants.items()))
    o = q_nope.new_empty(q_nope.shape)
    lse = q_nope.new_empty((batch, tokens, heads), dtype=torch.float32)
    table = lengths[:, None] if table is None else table  # for its shape
    given = *(_readable(q.flatten(1, 2)) for q in (q_nope, q_pe)), *caches, table, lengths, page, pitch
    if splits == 1 and not few:
        module.mla_decode_whole(*given, tokens, scale, O=o.view(1, batch, rows, -1), LSE=lse.view(1, batch, rows))
        return o, lse
    part = q_nope.new_empty((splits, batch, CELLS[0], rows) if few else (splits, batch, rows, CELLS[0]), dtype=torch.float32)
    logs = q_nope.new_empty((splits, batch, rows), dtype=torch.float32)
    function = module.mla_decode_few if few else module.mla_decode
    function(*given, splits, tokens, scale, O=o.flatten(1, 2), LSE=lse.flatten(1, 2), Part=part, Log=logs)
    return o, lse


@_mla_decode.register_fake
def _(q_nope, q_pe, ckv_cache, kpe_cache, table, lengths, scale, longest, splits):
    return q_nope.new_empty(q_nope.shape), q_nope.new_empty(q_nope.shape[:3], dtype=torch.float32)


def _cache(new, caches, table, lengths):
    """What is wrong with a cache, and with the two tensors of new tokens for it; None: nothing."""
    tensors = [*new, *caches]
    if any(x.device != new[0].device for x in (*tensors, lengths, *(() if table is None else (table,)))):
        return "all tensors must be on one device"
    wrong = checks.emulated(new[0])
    if wrong is not None:
        return wrong
    if new[0].dtype not in (torch.bfloat16, torch.float16) or any(x.dtype != new[0].dtype for x in tensors):
        return "new tokens and caches must be all bfloat16 or all float16"
    if any(x.dim() != 3 for x in caches) or caches[0].shape[:2] != caches[1].shape[:2]:
        return "ckv_cache and kpe_cache must have the axes [pages, tokens of a page, cells]"
    if any(x.shape[-1] != n for x, n in zip(tensors, CELLS * 2)):
        return f"ckv_cache and what belongs to it must have {CELLS[0]} cells, kpe_cache {CELLS[1]}: there is no kernel for others"
    if any(x.stride(2) != 1 or any(n > 1 and s % 8 != 0 for n, s in zip(x.shape[:2], x.stride())) for x in caches):
        return "the cells of a token must lie in one piece in the caches, and begin at multiples of 16 bytes"
    batch = new[0].shape[0]
    if lengths.dtype != torch.int32 or lengths.shape != (batch,) or not lengths.is_contiguous():
        return f"lengths must be int32, one for each sequence, here [{batch}]"
    if table is None:
        return None if caches[0].shape[0] >= batch else "without a block_table, each sequence has its own page of the caches"
    if table.dtype != torch.int32 or table.dim() != 2 or table.shape[0] != batch or table.shape[1] == 0:
        return f"block_table must be int32, [batch, pages of the longest], here [{batch}, ..]"
    return "a page must have a token at least" if caches[0].shape[1] == 0 else None


def _unsupported(q_nope, q_pe, ckv_cache, kpe_cache, table, lengths, scale, longest, splits):
    if q_nope.dim() != 4 or q_pe.dim() != 4 or q_nope.shape[:3] != q_pe.shape[:3]:
        return "q_nope and q_pe must have the axes [batch, new tokens, heads, cells], or [batch, heads, cells] for one token"
    wrong = _cache((q_nope, q_pe), (ckv_cache, kpe_cache), table, lengths) or wrong_pages(ckv_cache, kpe_cache)
    if wrong is not None:
        return wrong
    if 0 in q_nope.shape[1:3]:
        return "there must be a new token and a head at least"
    wrong = checks.positive(scale, "softmax_scale")
    if wrong is not None:
        return wrong
    if longest is not None and longest < 0 or splits is not None and splits < 1:
        return "max_seqlen must not be negative, and num_splits at least 1"
    given = (q_nope, q_pe, ckv_cache, kpe_cache)
    return "there are no gradients: call it under torch.no_grad()" if checks.wants_gradients(*given) else None


def mla_decode(q_nope, q_pe, ckv_cache, kpe_cache, block_table, lengths, *, softmax_scale, max_seqlen=None, num_splits=None,
               return_lse=False):
    """Multi-head latent attention of the newest tokens of every sequence to a cache that holds theirs already.

    q_nope is [batch, new tokens, heads, 512], multiplied by the weights that make keys of the cache's cells; q_pe is
    [.., 64], turned by the token's place. One new token may leave its axis out. ckv_cache is [pages, tokens of a page,
    512], keys and values, and kpe_cache [.., 64], the keys' turned cells. Outputs are weighted sums of ckv_cache's
    rows, in the shape of q_nope. block_table, lengths, max_seqlen and num_splits are those of `decode`. With return_lse
    the log-sum-exp follows the outputs, [batch, heads, new tokens], without an axis for one token where q_nope has
    none. Unsupported arguments raise a ValueError with the reason; docs/python.md lists them.
    """
    one = q_nope.dim() == 3 and q_pe.dim() == 3
    q_nope, q_pe = (q[:, None] if one else q for q in (q_nope, q_pe))
    wrong = _unsupported(q_nope, q_pe, ckv_cache, kpe_cache, block_table, lengths, softmax_scale, max_seqlen, num_splits)
    if wrong is not None:
        raise ValueError(f"mla_decode: {wrong}")
    held = ckv_cache.shape[1] * (1 if block_table is None else block_table.shape[1])
    o, lse = _mla_decode(q_nope, q_pe, ckv_cache, kpe_cache, block_table, lengths, float(softmax_scale),
                         held if max_seqlen is None else min(held, max_seqlen), num_splits or 0)
    o, lse = (o[:, 0], lse[:, 0]) if one else (o, lse.transpose(1, 2))
    return (o, lse) if return_lse else o


# ---- the cache -----------------------------------------------------------------------------------


@torch.library.custom_op("tk::append_to_latent_cache", mutates_args=("ckv_cache", "kpe_cache"))
def _append(ckv: torch.Tensor, kpe: torch.Tensor, ckv_cache: torch.Tensor, kpe_cache: torch.Tensor, table: Optional[torch.Tensor],
            lengths: torch.Tensor) -> None:
    module = _module("cache_append", ckv.device.type, (("T", dtypes.of_torch(ckv.dtype)), ("PAGED", table is not None)))
    module.cache_append_latent(_readable(ckv), _readable(kpe), lengths[:, None] if table is None else table, lengths, ckv_cache,
                               kpe_cache)


def append_to_latent_cache(ckv, kpe, ckv_cache, kpe_cache, block_table, lengths):
    """Writes new tokens, ckv [batch, new tokens, 512] and kpe [.., 64], turned already, to their places in the caches of `mla_decode`.

    lengths counts the new tokens: they are the last ones of their sequences. Those that would lie before the first place are left
    out, so that length 0 says that there is no sequence.
    """
    wrong = "ckv and kpe must have the axes [batch, new tokens, cells]" if ckv.dim() != 3 or ckv.shape[:2] != kpe.shape[:2] else None
    wrong = wrong or _cache((ckv, kpe), (ckv_cache, kpe_cache), block_table, lengths)
    if wrong is None and checks.wants_gradients(ckv, kpe, ckv_cache, kpe_cache):
        wrong = "there are no gradients: call it under torch.no_grad()"
    if wrong is not None:
        raise ValueError(f"append_to_latent_cache: {wrong}")
    _append(ckv, kpe, ckv_cache, kpe_cache, block_table, lengths)
