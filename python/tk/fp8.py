"""Linear layers whose products are fp8, forward and backward, on examples/gemm/gemm_fp8_tensor.tk and
examples/elementwise/quantise_tensor.tk: e4m3 for inputs and weights, e5m2 for the gradients of outputs, one scale for each matrix.

A matrix in fp8 is held as x / scale. Scales lie on the GPU and never come to the host. Products of 8-bit numbers take both operands
along the extent that they share, so what takes part in two products is held both ways.
"""
from typing import Tuple

import torch

from . import checks, dtypes
from .kv_cache import _module
from .products import _flat
from .sdpa import _readable

LARGEST = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}  # of inputs and weights, of gradients
_INPUTS = torch.bfloat16, torch.float16


def _kind(e5m2):
    return torch.float8_e5m2 if e5m2 else torch.float8_e4m3fn


def _quantise_module(x, e5m2=False):
    return _module("quantise_tensor", x.device.type, (("T", dtypes.of_torch(x.dtype)), ("Q", dtypes.of_torch(_kind(e5m2)))))


def _turned_like(x, kind):
    """[N, M] for x as [M, N], with rows that begin at multiples of 16 bytes, as TMA wants them."""
    m, n = x.shape
    return x.new_empty((n, -(-m // 16) * 16), dtype=kind)[:, :m]


def _parts(x, rows, cols):
    m, n = x.shape
    return x.new_empty((-(-m // rows), -(-n // cols)), dtype=torch.float32)


@torch.library.custom_op("tk::fp8_scale", mutates_args=())
def _scale_of(x: torch.Tensor, e5m2: bool) -> torch.Tensor:
    """The scale by which the largest magnitude of x becomes the largest number, as [1]."""
    return _quantise_module(x).scale_now(_readable(x), LARGEST[_kind(e5m2)])


@_scale_of.register_fake
def _(x, e5m2):
    return x.new_empty((1,), dtype=torch.float32)


@torch.library.custom_op("tk::quantise_tensor", mutates_args=())
def _quantise(x: torch.Tensor, scale: torch.Tensor, e5m2: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    """x / scale in fp8, and the largest magnitudes of parts of x."""
    return tuple(_quantise_module(x, e5m2).quantise_tensor(_readable(x), scale))


@_quantise.register_fake
def _(x, scale, e5m2):
    return x.new_empty(x.shape, dtype=_kind(e5m2)), _parts(x, 16, 512)


@torch.library.custom_op("tk::quantise_both", mutates_args=())
def _quantise_both(x: torch.Tensor, scale: torch.Tensor, e5m2: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The same, with the transpose after the matrix."""
    turned = _turned_like(x, _kind(e5m2))
    return tuple(_quantise_module(x, e5m2).quantise_both(_readable(x), scale, Turned=turned))


@_quantise_both.register_fake
def _(x, scale, e5m2):
    kind = _kind(e5m2)
    return x.new_empty(x.shape, dtype=kind), _turned_like(x, kind), _parts(x, 64, 128)


@torch.library.custom_op("tk::fp8_keep_most", mutates_args=("most",))
def _keep_most(parts: torch.Tensor, i: int, most: torch.Tensor) -> None:
    """most[i, 0] becomes the largest of itself and the parts."""
    _module("quantise_tensor", parts.device.type, ()).keep_most(parts, i, most)


@torch.library.custom_op("tk::fp8_scales", mutates_args=("most", "scales"))
def _scales_of_history(end: torch.Tensor, most: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """Scales by the magnitudes in `most`, [kinds, steps], which go on by a step. Gives what `scales` becomes."""
    return _module("quantise_tensor", most.device.type, (("H", most.shape[1]),)).scales_of_history(end, most, scales)


@_scales_of_history.register_fake
def _(end, most, scales):
    return torch.empty_like(scales)


@torch.library.custom_op("tk::linear_fp8", mutates_args=())
def _product(a: torch.Tensor, b: torch.Tensor, scale_a: torch.Tensor, scale_b: torch.Tensor, dtype: torch.dtype,
             precise: bool) -> torch.Tensor:
    """A B' times both scales. precise: sums of 128 products are added in f32, where else the tensor cores keep 14 bits."""
    constants = (("TA", dtypes.of_torch(a.dtype)), ("TB", dtypes.of_torch(b.dtype)), ("TC", dtypes.of_torch(dtype)))
    module = _module("gemm_fp8_tensor", a.device.type, constants)
    return (module.gemm_fp8_tensor_precise if precise else module.gemm_fp8_tensor)(a, b, scale_a, scale_b)


@_product.register_fake
def _(a, b, scale_a, scale_b, dtype, precise):
    return a.new_empty((a.shape[0], b.shape[0]), dtype=dtype)


class _Linear(torch.autograd.Function):
    """x and weight are here for their gradients; what is multiplied are x8 and w8. dy_scale: None for that of now. most, if there is
    one: where the largest magnitude of a gradient is kept."""

    @staticmethod
    def forward(ctx, x, weight, x8, x_turned, x_scale, w8, w_turned, w_scale, dy_scale, most):
        ctx.of_x, ctx.of_weight = x.dtype, weight.dtype
        ctx.most = most  # is changed by others before the gradients come
        ctx.save_for_backward(x_turned, x_scale, w_turned, w_scale, dy_scale)
        return _product(x8, w8, x_scale, w_scale, x.dtype, False)

    @staticmethod
    def backward(ctx, dy):
        x_turned, x_scale, w_turned, w_scale, scale = ctx.saved_tensors
        dy = dy.contiguous()
        if scale is None:
            scale = _scale_of(dy, True)
        dx = dw = None
        if ctx.needs_input_grad[1]:
            dy8, dy_turned, parts = _quantise_both(dy, scale, True)
            dw = _product(dy_turned, x_turned, scale, x_scale, ctx.of_weight, True)
        else:
            dy8, parts = _quantise(dy, scale, True)
        if ctx.needs_input_grad[0]:
            dx = _product(dy8, w_turned, scale, w_scale, ctx.of_x, True)
        if ctx.most is not None:
            _keep_most(parts, 1, ctx.most)
        return dx, dw, None, None, None, None, None, None, None, None


def _unsupported(x, weight):
    if x.dtype not in _INPUTS or x.dim() < 2:
        return "x must be bfloat16 or float16, of two axes at least; under autocast it may be float32"
    if weight.dtype not in (*_INPUTS, torch.float32) or weight.dim() != 2:
        return "the weight must be [N, K], in bfloat16, float16 or float32"
    if any(e % 16 for e in weight.shape):
        return f"the weight is {list(weight.shape)}: N and K must be multiples of 16"
    if x.shape[-1] != weight.shape[1]:
        return f"x has {x.shape[-1]} columns, and the weight {weight.shape[1]}"
    return checks.emulated(x, weight)


def _as_autocast(x):
    kind = x.device.type
    return x.to(torch.get_autocast_dtype(kind)) if x.dtype == torch.float32 and torch.is_autocast_enabled(kind) else x


def _captured(x):
    return x.is_cuda and torch.cuda.is_current_stream_capturing()


def _weights(weight, both):
    """The weight in fp8, its transpose or None, and its scale, which is that of now."""
    with torch.no_grad():
        scale = _scale_of(weight, False)
        if both:
            w8, turned, _ = _quantise_both(weight, scale, False)
            return w8, turned, scale
        return _quantise(weight, scale, False)[0], None, scale


def _run(x, weight, held, scales=None, most=None):
    """scales: those of x and of the gradient, [2], or None for those of now; most, [2, steps]: where magnitudes are kept."""
    flat, both = _flat(x), checks.wants_gradients(weight)
    with torch.no_grad():
        x_scale = _scale_of(flat, False) if scales is None else scales[:1]
        x_turned = None
        if both:
            x8, x_turned, parts = _quantise_both(flat, x_scale, False)
        else:
            x8, parts = _quantise(flat, x_scale, False)
        if most is not None:
            _keep_most(parts, 0, most)
    y = _Linear.apply(flat, weight, x8, x_turned, x_scale, *held, None if scales is None else scales[1:], most)
    return y.view(*x.shape[:-1], weight.shape[0])


def linear_fp8(x, weight, bias=None):
    """torch.nn.functional.linear with products in fp8, and gradients: all scales are those of now, and the weight is converted anew.

    x and the results are bf16 or f16, the weight also f32, with gradients of its type. A bias is added to the rounded product. What is
    not supported is a ValueError with the reason; `LinearFp8` keeps weights and knows delayed scales.
    """
    x = _as_autocast(x)
    wrong = _unsupported(x, weight)
    if wrong is not None:
        raise ValueError(f"linear_fp8: {wrong}")
    y = _run(x, weight, _weights(weight, checks.wants_gradients(x)))
    return y if bias is None else y + bias.to(y.dtype)


class LinearFp8(torch.nn.Linear):
    """torch.nn.Linear with products in fp8: `LinearFp8(in_features, out_features)`, or `LinearFp8.of(linear)` of one that there is.

    scaling: "current" takes the scale of x, and of the gradient of y, from the matrix itself, which is read once more for it;
    "delayed" from the largest magnitudes of the last `history` steps, and what is larger now becomes the largest number. The first step,
    and calls without gradients, take current scales. The weight's scale is always that of now: a weight is converted when it has
    changed, and kept. A graph of torch.compile converts it in each call; so does a CUDA graph, unless it wants no gradient.
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, scaling="current", history=16):
        super().__init__(in_features, out_features, bias, device, dtype)
        if scaling not in ("current", "delayed") or history < 1:
            raise ValueError(f"LinearFp8: scaling is \"current\" or \"delayed\", with a history of 1 at least; got {scaling!r} and {history}")
        self.scaling = scaling
        self._begun = False
        self._held, self._held_of = None, None
        self._remember(history, self.weight.device)

    def _remember(self, history, device):
        if self.scaling == "delayed":
            self.register_buffer("most", torch.zeros(2, history, device=device))  # of x, and of gradients of y
            self.register_buffer("scales", torch.ones(2, device=device))
            self.register_buffer("largest", torch.tensor(list(LARGEST.values()), device=device), persistent=False)

    @classmethod
    def of(cls, linear, scaling="current", history=16):
        """With the parameters of a linear layer."""
        made = cls(linear.in_features, linear.out_features, linear.bias is not None, "meta", linear.weight.dtype, scaling, history)
        made.weight, made.bias = linear.weight, linear.bias
        made._remember(history, linear.weight.device)
        return made

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self._held = None
        for name, buffer in self._buffers.items():  # which other types than f32 are not for
            self._buffers[name] = buffer.float()
        return self

    def _weights(self, both):
        # Of a graph only its first run looks whether the weight has changed.
        if torch.compiler.is_compiling() or checks.wants_gradients(self.weight) and _captured(self.weight):
            return _weights(self.weight, both)
        of = self.weight, self.weight._version
        if self._held is None or self._held_of[0] is not of[0] or self._held_of[1] != of[1] or both and self._held[1] is None:
            self._held, self._held_of = _weights(self.weight, both), of
        return self._held

    def forward(self, x):
        x = _as_autocast(x)
        wrong = _unsupported(x, self.weight)
        if wrong is not None:
            raise ValueError(f"LinearFp8: {wrong}")
        held = self._weights(checks.wants_gradients(x))
        if self.scaling == "current" or not checks.wants_gradients(x, self.weight):
            y = _run(x, self.weight, held)
        else:
            with torch.no_grad():
                scales = _scales_of_history(self.largest, self.most, self.scales)
            y = _run(x, self.weight, held, scales if self._begun else None, self.most)
            self._begun = True
        return y if self.bias is None else y + self.bias.to(y.dtype)

    def extra_repr(self):
        return f"{super().extra_repr()}, scaling={self.scaling}"
