"""Attention by a mask that is written in the language, on examples/attention/attention_masked.tk and the files of its gradients.

    near = tk.torch.mask("row >= col and row - col < 256")
    o = tk.torch.masked_attention(q, k, v, near)

A mask becomes a module of its own, which programs made here import: nvcc runs once for each text, dtype and head dimension.
"""
import functools
import math
import os
import re
from typing import Tuple

import torch

from . import cache, checks, compiler, dtypes
from .sdpa import _made_like, _readable

_PLACES = ("b", "h", "row", "col", "of_row", "of_col")  # what a mask may ask
_BLOCK = 128  # rows and keys of a block of the lists

# The programs around a mask, which is the function `tk_mask` of the module `mask`.
_LISTS = """import attention_masked;
import mask;
instance attention_masked.mask_blocks<MASK = mask.tk_mask> as lists;
"""
_FORWARD = """import attention_masked;
import mask;
instance attention_masked.attention_masked<T = {T}, D = {D}, MASK = mask.tk_mask> as forward;
"""
_BACKWARD = """import attention_masked_backward{apart};
import mask;
instance attention_masked_backward{apart}.attention_masked_backward{apart}<T = {T}, D = {D}, MASK = mask.tk_mask> as backward;
"""


# ---- masks ---------------------------------------------------------------------------------------

_COMMENT = re.compile(r"//[^\n]*")
_HEAD = re.compile(r"\bfn\s+(\w+)\s*(?:<[^>]*>)?\s*\(([^)]*)\)")
_TAKES = "b: i32, h: i32, row: i32, col: i32, of_row: i32, of_col: i32"


def _module_of(text):
    """The text of the module `mask`, with the user's lines where they are, and the places that the mask asks.

    `//` is also the quotient: text that looks like a comment is skipped only in the search for positions, which is harmless: those
    that are in one cost lists for each batch and head.
    """
    if re.match(r"(\s|//[^\n]*\n)*(fn|import|extern)\b", text) is None:
        asked = {name for name in _PLACES if re.search(rf"\b{name}\b", text)}
        end = "\n" if "//" in text[text.rfind("\n") + 1:] else ""  # after what may be a comment
        return f"fn tk_mask({_TAKES}) -> bool {{ return {text}{end}; }}\n", asked
    heads = list(_HEAD.finditer(_COMMENT.sub(lambda m: " " * len(m.group()), text)))
    if not heads:
        raise ValueError("mask(): there is no function in this text: a mask is a condition, \"row >= col\", or a function, "
                         "\"fn near(row: i32, col: i32) -> bool { return row - col < 256; }\"")
    name, params = heads[-1].group(1), heads[-1].group(2)
    names = [p.partition(":")[0].strip() for p in params.split(",") if p.strip()]
    for word in names:
        if word not in _PLACES:
            raise ValueError(f"mask(): `{name}` takes `{word}`, and a mask is asked for {', '.join(_PLACES)}: numbers of type i32, "
                             "in any order")
    return f"{text}\nfn tk_mask({_TAKES}) -> bool {{ return {name}({', '.join(names)}); }}\n", set(names)


@functools.lru_cache(maxsize=None)
def _program(text, kind, dtype=None, head=None):
    from . import example

    module, _ = _module_of(text)
    folders = [os.path.dirname(cache.keep_source(module, "mask.tk")), os.path.dirname(example("attention_masked.tk"))]
    apart = "_apart" if kind == "backward" and head <= 96 else ""
    source = {"lists": _LISTS, "forward": _FORWARD, "backward": _BACKWARD}[kind]
    if kind != "lists":
        source = source.format(T=dtype, D=head, apart=apart)
    file = f"masked_{kind}.tk"
    return compiler.Program(file, {}, folders, folder=os.path.dirname(cache.keep_source(source, file)))


@functools.lru_cache(maxsize=None)
def _check_text(text):
    """A CompileError where the text has errors."""
    _program(text, "lists").contract()


@functools.lru_cache(maxsize=None)
def _kernel(text, kind, device, dtype=None, head=None):
    from .module import Module

    return getattr(Module(_program(text, kind, dtype, head), f"masked_{kind}.tk", device), kind)


class Mask:
    """Which rows see which keys. `numbers`: what the caller knows of each row and each key."""

    def __init__(self, text, of_row=None, of_col=None):
        if not isinstance(text, str):
            raise TypeError(f"mask() takes text in the language, such as \"row >= col\"; got {type(text).__name__}")
        _, self.asks = _module_of(text)
        self.text = text
        self.of_row, self.of_col = of_row, of_col
        for name, x in (("of_row", of_row), ("of_col", of_col)):
            if x is None:
                if name in self.asks:
                    raise ValueError(f"mask(): the text asks for `{name}`, which is not given: mask(.., {name}=x) takes a whole "
                                     f"number for each {'row' if name == 'of_row' else 'key'}, [rows] or [batch, rows]")
                continue
            if not isinstance(x, torch.Tensor) or x.is_floating_point() or x.is_complex() or x.dim() not in (1, 2):
                raise TypeError(f"mask(): `{name}` must be an integer tensor, [rows] or [batch, rows]; got "
                                f"{f'{x.dtype} of shape {tuple(x.shape)}' if isinstance(x, torch.Tensor) else type(x).__name__}")
        _check_text(text)  # here is where it was written
        self._lists = {}

    def __repr__(self):
        return f"tk.torch.mask({self.text!r})"


class BlockMask:
    """A mask's lists for some extents: which blocks of 128 keys a block of 128 rows sees, wholly or in part, and the reverse."""

    def __init__(self, mask, rows, keys, of_row, of_col, lists):
        self.mask, self.rows, self.keys, self.of_row, self.of_col = mask, rows, keys, of_row, of_col
        self.count, self.whole, self.list, self.count_of, self.whole_of, self.list_of, self.keys_of = lists

    @property
    def sparsity(self):
        """The share of blocks that nobody looks at."""
        blocks = self.list.numel()
        return 1 - self.count.sum().item() / blocks if blocks else 0.0

    def __repr__(self):
        return f"<tk block mask {self.mask.text!r}, {self.rows} rows, {self.keys} keys>"


def mask(text, *, of_row=None, of_col=None):
    """A mask for masked_attention: a condition in the language over `row`, `col`, `b`, `h`, `of_row` and `of_col`, or functions of
    which the last is the mask and takes some of these.

    of_row, of_col: integers that the mask may ask of a row and of a key, [rows] or [batch, rows].
    A text that does not compile is a tk.CompileError with the place in it.
    """
    return Mask(text, of_row, of_col)


def _numbers(name, x, batches, extent, device):
    """What is known of rows or keys, as the kernels take it."""
    if x is None:
        return torch.zeros((batches, extent), dtype=torch.int32, device=device)
    if x.shape[-1] != extent:
        raise ValueError(f"block_mask(): `{name}` has {x.shape[-1]} numbers, of {extent} {'rows' if name == 'of_row' else 'keys'}")
    if x.dim() == 2 and x.shape[0] not in (1, batches):
        raise ValueError(f"block_mask(): `{name}` is of {x.shape[0]} batches, of {batches}")
    return x.to(device=device, dtype=torch.int32).expand(batches, extent).contiguous()


@torch.library.custom_op("tk::mask_lists", mutates_args=())
def _lists(of_row: torch.Tensor, of_col: torch.Tensor, heads: int, text: str) -> Tuple[
        torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    made = _empty_lists(of_row, of_col, heads)
    names = ("Count", "Whole", "List", "CountOf", "WholeOf", "ListOf", "Keys")
    return _kernel(text, "lists", of_row.device.type)(of_row, of_col, **dict(zip(names, made)))


@_lists.register_fake
def _empty_lists(of_row, of_col, heads, text=None):
    batches, m, n = of_row.shape[0], *((x.shape[1] + _BLOCK - 1) // _BLOCK for x in (of_row, of_col))
    shapes = ((m,), (m,), (m, n), (n,), (n,), (n, m))
    return *(of_row.new_empty((batches, heads, *shape)) for shape in shapes), of_row.new_empty((batches, n * _BLOCK))


def block_mask(mask, B, H, M, N, device="cuda"):
    """The lists of a mask for B batches, H heads, M rows and N keys, for many calls of masked_attention.

    B=1 or H=1: one list for all batches or heads, of a mask that asks for neither.
    """
    if not isinstance(mask, Mask):
        raise TypeError(f"block_mask() takes a mask of tk.torch.mask, got {type(mask).__name__}")
    given = [x.shape[0] for x in (mask.of_row, mask.of_col) if x is not None and x.dim() == 2]
    batches = B if "b" in mask.asks or any(n > 1 for n in given) else 1
    heads = H if "h" in mask.asks else 1
    of_row = _numbers("of_row", mask.of_row, batches, M, device)
    of_col = _numbers("of_col", mask.of_col, batches, N, device)
    return BlockMask(mask, M, N, of_row, of_col, _lists(of_row, of_col, heads, mask.text))


_KEPT = 16  # lists of a mask that asks nothing of tensors


def _blocks(mask, q, k):
    """The lists of a mask: kept with it, unless tensors may change or a graph is traced."""
    key = (q.shape[0], q.shape[1], q.shape[2], k.shape[2], q.device)
    changes = mask.of_row is not None or mask.of_col is not None
    if changes or torch.compiler.is_compiling() or (q.is_cuda and torch.cuda.is_current_stream_capturing()):
        return block_mask(mask, *key)
    if key not in mask._lists:
        if len(mask._lists) == _KEPT:
            mask._lists.pop(next(iter(mask._lists)))
        mask._lists[key] = block_mask(mask, *key)
    return mask._lists[key]


# ---- attention -----------------------------------------------------------------------------------


@torch.library.custom_op("tk::masked_attention", mutates_args=())
def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, of_row: torch.Tensor, of_col: torch.Tensor,
               count: torch.Tensor, whole: torch.Tensor, lists: torch.Tensor, count_of: torch.Tensor, whole_of: torch.Tensor,
               lists_of: torch.Tensor, keys_of: torch.Tensor, text: str, scale: float) -> Tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the log-sum-exp of every row. of_col and the lists that end in `_of` are for the gradients; keys_of is of_col up to
    whole blocks."""
    kernel = _kernel(text, "forward", q.device.type, dtypes.of_torch(q.dtype), q.shape[-1])
    return kernel(_readable(q), _readable(k), _readable(v), of_row, keys_of, count, whole, lists, scale, O=_made_like(q))


@_attention.register_fake
def _(q, k, v, of_row, of_col, count, whole, lists, count_of, whole_of, lists_of, keys_of, text, scale):
    return _made_like(q), q.new_empty(q.shape[:-1], dtype=torch.float32)


@torch.library.custom_op("tk::masked_attention_backward", mutates_args=())
def _attention_backward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, lse: torch.Tensor, do: torch.Tensor,
                        of_row: torch.Tensor, of_col: torch.Tensor, count_of: torch.Tensor, whole_of: torch.Tensor,
                        lists_of: torch.Tensor, text: str,
                        scale: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    kernel = _kernel(text, "backward", q.device.type, dtypes.of_torch(q.dtype), q.shape[-1])
    return kernel(_readable(q), _readable(k), _readable(v), _readable(o), lse, _readable(do), of_row, of_col, count_of, whole_of,
                  lists_of, scale, dQ=_made_like(q), dK=_made_like(k), dV=_made_like(v))


@_attention_backward.register_fake
def _(q, k, v, o, lse, do, of_row, of_col, count_of, whole_of, lists_of, text, scale):
    return _made_like(q), _made_like(k), _made_like(v)


def _keep(ctx, inputs, output):
    """Runs only where a gradient is wanted."""
    q, k, v, of_row, of_col, _, _, _, count_of, whole_of, lists_of, _, ctx.text, ctx.scale = inputs
    o, lse = output
    ctx.mark_non_differentiable(lse)
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(q, k, v, o, lse, of_row, of_col, count_of, whole_of, lists_of)


def _gradients(ctx, do, _):
    q, k, v, o, lse, *lists = ctx.saved_tensors
    return *_attention_backward(q, k, v, o, lse, do, *lists, ctx.text, ctx.scale), *(None,) * 11


_attention.register_autograd(_gradients, setup_context=_keep)
_attention_backward.register_autograd(checks.first_derivatives_only("masked_attention"))


def _check(q, k, v, blocks, scale, enable_gqa):
    def refuse(reason):
        raise ValueError(f"masked_attention: {reason}")

    wrong = (checks.emulated(q, k, v) or checks.types(q, k, v)
             or checks.axes(q, k, v, ("batch", "heads", "rows", "head dimension")) or checks.head(q.shape[-1]))
    if wrong is None and (k.shape[-1] != q.shape[-1] or k.shape != v.shape or k.shape[0] != q.shape[0]):
        wrong = "k and v must have one shape, and the batch and the head dimension of q"
    wrong = wrong or checks.shared_heads(q, k, enable_gqa) or checks.positive(scale)
    if wrong is None and checks.wants_gradients(q, k, v):
        wrong = checks.any_order()
    if wrong is not None:
        refuse(wrong)
    if isinstance(blocks, Mask):
        return
    if (blocks.rows, blocks.keys) != (q.shape[2], k.shape[2]):
        refuse(f"the block mask is of {blocks.rows} rows and {blocks.keys} keys, and q has {q.shape[2]}, k {k.shape[2]}")
    for axis, n, what in ((0, q.shape[0], "batches"), (1, q.shape[1], "heads")):
        if blocks.count.shape[axis] not in (1, n):
            refuse(f"the block mask is of {blocks.count.shape[axis]} {what}, and q has {n}")
    if blocks.count.device != q.device:
        refuse(f"the block mask is on {blocks.count.device}, and q on {q.device}")


def masked_attention(q, k, v, mask, *, scale=None, enable_gqa=False):
    """Attention where row i of q sees the keys for which the mask says so: a mask of tk.torch.mask, or its block_mask.

    A row that sees nothing gives zeros. What it takes is listed in docs/python.md; anything else is a ValueError. Tensors on the
    CPU are attended to by the emulator.
    """
    if not isinstance(mask, (Mask, BlockMask)):
        raise TypeError(f"masked_attention: mask is made by tk.torch.mask or tk.torch.block_mask, got {type(mask).__name__}")
    _check(q, k, v, mask, scale, enable_gqa)
    blocks = _blocks(mask, q, k) if isinstance(mask, Mask) else mask
    return _attention(q, k, v, blocks.of_row, blocks.of_col, blocks.count, blocks.whole, blocks.list, blocks.count_of,
                      blocks.whole_of, blocks.list_of, blocks.keys_of, blocks.mask.text,
                      1 / math.sqrt(q.shape[-1]) if scale is None else scale)[0]
