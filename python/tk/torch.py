"""Kernels as PyTorch operators: they work in graphs of torch.compile, and have gradients if there is a backward kernel.

    m = tk.load(tk.example("softmax.tk"), C=4096)
    softmax = tk.torch.op(m.softmax, backward=m.softmax_backward)
    y = softmax(x)

The shapes of the outputs follow from the contract, so that tracing needs no GPU.
"""
import inspect
import re

import torch

from . import cache, dtypes
from .causal_conv import causal_conv1d, causal_conv1d_update
from .delta_rules import gated_delta_rule, kimi_delta_attention, rwkv7
from .feature_maps import based, hedgehog
from .fft_conv import fft_conv, fft_conv_spectrum
from .fp8 import LinearFp8, linear_fp8
from .hadamard import hadamard_transform
from .kv_cache import append_to_cache, decode
from .latent import append_to_latent_cache, mla_decode
from .masked import block_mask, mask, masked_attention
from .nsa import native_sparse_attention
from .products import linear, matmul
from .quantised import linear_int4, linear_int8, pack_int4, pack_int8
from .sdpa import scaled_dot_product_attention
from .selective_scan import selective_scan
from .sequence import gated_linear_attention, linear_attention, mamba2
from .sequence_steps import (based_update, gated_delta_update, hedgehog_update, kimi_delta_update, linear_attention_update, rwkv7_update,
                             selective_state_update)
from .sparse import sparse_attention
from .varlen import attention_varlen

__all__ = ["LinearFp8", "append_to_cache", "append_to_latent_cache", "attention_varlen", "based", "based_update", "block_mask",
           "causal_conv1d", "causal_conv1d_update", "decode", "fft_conv", "fft_conv_spectrum", "gated_delta_rule",
           "gated_delta_update", "gated_linear_attention", "hadamard_transform", "hedgehog", "hedgehog_update", "kimi_delta_attention",
           "kimi_delta_update", "linear", "linear_attention", "linear_attention_update", "linear_fp8", "linear_int4",
           "linear_int8", "mamba2", "mask", "masked_attention", "matmul", "mla_decode", "native_sparse_attention",
           "op", "pack_int4", "pack_int8", "rwkv7", "rwkv7_update", "scaled_dot_product_attention", "selective_scan",
           "selective_state_update", "sparse_attention"]

_SCALARS = {"f32": "float", "f64": "float", "bool": "bool"}  # integers may be sizes: SymInt


def op(function, *, backward=None, gradients=None, name=None):
    """The operator of a function of a module.

    backward: the kernel of the gradients, or a Python function that calls operators and returns a dict. Its inputs and
    outputs are identified by names: `dY` is the gradient of `Y`; a parameter, an output or a number of the forward
    kernel has its own name. gradients: names that do not follow this rule, {"dB": "Bias"}. Outputs without a gradient
    count as constants. name: "namespace::name"; without it, one is made of the module's and the function's names and of
    what it was compiled from.
    """
    contract = getattr(function, "contract", None)
    if contract is None:
        raise TypeError(f"tk.torch.op takes a function of a loaded module, as in tk.torch.op(m.softmax); got {function!r}")
    if not contract.outputs and not any(p.mode == "inout" for p in contract.parameters):
        raise TypeError(f"`{contract.name}` makes nothing: an operator has outputs")
    plan = None if backward is None else _Gradients(contract, backward, gradients or {})
    qualified = name or _name_of(function, plan)
    if "::" not in qualified:
        raise ValueError(f"the name of an operator is \"namespace::name\", got {qualified!r}")
    namespace, _, short = qualified.partition("::")
    made = _made.get(qualified)
    if made is None:
        made = _made[qualified] = _define(qualified, function, contract, plan)
    del made  # kept so that the definition lives
    return getattr(getattr(torch.ops, namespace), short).default


_made = {}


def _name_of(function, plan):
    """Two functions have the same name only if they are the same."""
    parts = [function.module.key(), function.contract.name]
    if plan is not None:
        parts.append(plan.identity())
    stem = re.sub(r"\W", "_", function.module._name.rpartition(".")[0])
    return f"tk::{stem}_{function.contract.name}_{cache.digest(*parts)[:12]}"


def _schema(contract):
    words = []
    for i, p in enumerate(contract.inputs):
        if not p.is_tensor:
            words.append(f"{_SCALARS.get(p.dtype, 'SymInt')} {p.python_name}")
        else:
            words.append(f"Tensor{f'(a{i}!)' if p.mode == 'inout' else ''} {p.python_name}")
    made = ["Tensor"] * len(contract.outputs)
    return f"({', '.join(words)}) -> {made[0] if len(made) == 1 else '(' + ', '.join(made) + ')'}"


def _define(name, function, contract, plan):
    changed = [p.python_name for p in contract.inputs if p.mode == "inout"]

    def run(*values):
        return function(*values)

    made = torch.library.custom_op(name, run, mutates_args=changed, schema=_schema(contract))
    made.register_fake(lambda *values: _fake(contract, values))
    if plan is not None:
        made.register_autograd(plan.backward, setup_context=plan.setup)
    return made


def _fake(contract, values):
    """Outputs as the contract has them, without memory."""
    given = dict(zip((p.name for p in contract.inputs), values))
    shapes = {}
    for p in contract.inputs:
        if not p.is_tensor:
            continue
        x = given[p.name]
        if x.dtype != dtypes.to_torch(p.dtype):
            raise TypeError(f"{contract.name}(): `{p.name}` must be {p.dtype}, got {x.dtype}")
        if x.dim() != len(p.extents):
            raise ValueError(f"{contract.name}(): `{p.name}` must have {len(p.extents)} axes, {p.shape}, got {x.dim()}")
        shapes[p.name] = tuple(x.shape)
    fitting, extents = contract.fit(shapes, {p.name: given[p.name] for p in contract.extent_numbers})
    like = next(given[p.name] for p in contract.inputs if p.is_tensor)
    made = []
    for p in contract.outputs:
        shape = fitting.shape(fitting.by_name[p.name], extents)
        if shape is None:
            raise ValueError(f"{contract.name}(): the shape of `{p.name}`, {p.shape}, does not follow from the inputs, so that "
                             "it can be no operator")
        made.append(like.new_empty(shape, dtype=dtypes.to_torch(p.dtype)))
    return made[0] if len(made) == 1 else tuple(made)


class _Gradients:
    """Which of a backward function's arguments is what of the forward one."""

    def __init__(self, contract, backward, renamed):
        self.contract = contract
        self.own = getattr(backward, "contract", None)
        self.function = backward
        if self.own is not None:
            self.takes = [p.name for p in self.own.inputs]
            self.gives = [p.name for p in self.own.outputs]
            self.call = op(backward)
        else:
            self.takes = list(inspect.signature(backward).parameters)
            self.gives = None  # a dict, when it has run
            self.call = backward
        self.inputs = [p.name for p in contract.inputs]
        self.outputs = [p.name for p in contract.outputs]
        self.of_output = {f"d{n}": n for n in self.outputs}
        self.of_input = {f"d{n}": n for n in self.inputs}
        for gradient, target in renamed.items():
            (self.of_input if target in self.inputs else self.of_output)[gradient] = target
        self.check()
        self.constant = [n for g, n in self.of_output.items() if g not in self.takes]

    def identity(self):
        if self.own is not None:
            return self.function.module.key() + self.own.name
        return f"{self.function.__module__}.{self.function.__qualname__}.{id(self.function)}"

    def check(self):
        name = self.own.name if self.own is not None else self.function.__name__
        known = [*self.of_output, *self.inputs, *self.outputs]
        for word in self.takes:
            if word not in known:
                raise ValueError(f"{name}() takes `{word}`, and `{self.contract.name}` has nothing like it: there is "
                                 f"{', '.join(known)}; gradients={{..}} gives other names")
        if not any(word in self.of_output for word in self.takes):
            raise ValueError(f"{name}() takes no gradient of an output of `{self.contract.name}`: there is "
                             f"{', '.join(self.of_output)}")
        for word in self.gives or []:
            if word not in self.of_input:
                raise ValueError(f"{name}() gives `{word}`, and there is no such parameter of `{self.contract.name}`: there is "
                                 f"{', '.join(self.of_input)}; gradients={{\"{word}\": \"..\"}} says which it is of")

    def setup(self, ctx, inputs, output):
        """Saves the inputs of the backward function."""
        values = dict(zip(self.inputs, inputs))
        outputs = dict(zip(self.outputs, output if isinstance(output, (tuple, list)) else (output,)))
        if self.constant:
            ctx.mark_non_differentiable(*(outputs[n] for n in self.constant))
        values.update(outputs)
        wanted = [w for w in self.takes if w not in self.of_output]
        ctx.tensors = [w for w in wanted if isinstance(values[w], torch.Tensor)]
        ctx.numbers = {w: values[w] for w in wanted if w not in ctx.tensors}
        ctx.save_for_backward(*(values[w] for w in ctx.tensors))

    def backward(self, ctx, *given):
        values = dict(zip(ctx.tensors, ctx.saved_tensors), **ctx.numbers)
        # A sum gives gradients of one element that is repeated; kernels read rows.
        of_output = {n: g.contiguous() for n, g in zip(self.outputs, given) if g is not None}
        values.update({g: of_output[n] for g, n in self.of_output.items() if n in of_output})
        made = self.call(*(values[w] for w in self.takes))
        if self.gives is not None:
            made = dict(zip(self.gives, made if isinstance(made, (tuple, list)) else (made,)))
        of_input = {self.of_input[g]: value for g, value in made.items()}
        for parameter, needed in zip(self.contract.inputs, ctx.needs_input_grad):
            if needed and parameter.name not in of_input:
                raise RuntimeError(f"`{self.contract.name}` has no gradient for `{parameter.name}`: detach() it")
        return tuple(of_input.get(n) for n in self.inputs)
