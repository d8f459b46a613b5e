"""The Hadamard transform of rows, on examples/rows/hadamard.tk."""
import functools

import torch

from . import checks, dtypes

_KINDS = (torch.bfloat16, torch.float16, torch.float32)
_LEAST, _MOST = 8, 16384


@functools.lru_cache(maxsize=None)
def _kernel(device, kind, cols):
    from . import example, load

    return load(example("hadamard.tk"), device=device, T=kind, C=cols).hadamard


@torch.library.custom_op("tk::hadamard_transform", mutates_args=())
def _hadamard(x: torch.Tensor, scale: float) -> torch.Tensor:
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    rows = x.contiguous().view(-1, x.shape[-1])
    _kernel(x.device.type, dtypes.of_torch(x.dtype), x.shape[-1])(rows, scale, Y=y.view(-1, x.shape[-1]))
    return y


@_hadamard.register_fake
def _(x, scale):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _keep(ctx, inputs, output):
    ctx.scale = inputs[1]


def _gradients(ctx, dy):
    return _hadamard(dy, ctx.scale), None


_hadamard.register_autograd(_gradients, setup_context=_keep)


def _unsupported(x):
    if x.dtype not in _KINDS:
        return "x must be bfloat16, float16 or float32"
    cols = x.shape[-1] if x.dim() > 0 else 0
    if cols < _LEAST or cols > _MOST or cols & (cols - 1) != 0:
        return f"the last axis of x has {cols} elements: powers of two from {_LEAST} to {_MOST} are supported"
    return checks.emulated(x)


def hadamard_transform(x, scale=1.0):
    """scale x H of the rows of x, with the Hadamard matrix H: hadamard_transform of fast-hadamard-transform, for rows of a power of two.

    The sums are f32. It has gradients of every order. Unsupported arguments raise a ValueError with the reason.
    """
    wrong = _unsupported(x)
    if wrong is not None:
        raise ValueError(f"hadamard_transform: {wrong}")
    return _hadamard(x, float(scale))
