#!/usr/bin/env python3
"""Trains one small model of Llama's kind with linear layers in bf16 and in fp8 (tk.torch.LinearFp8, current and delayed scaling), compares
the curves of the loss, and times layers.

    TK_TKC=build/release/tkc python3 bench/train_fp8.py                       on a Hopper GPU
    TK_TKC=build/release/tkc python3 bench/train_fp8.py --only layers         the times alone
    TK_TKC=.. python3 bench/train_fp8.py --device cpu --small                 in the emulator, to try the script

The text is the project's own, its bytes the vocabulary. Weights, batches and all else are the same for every run. The embedding and
the last layer stay in bf16, as is usual. Products in fp8 have errors of some percent, each in another direction; so curves cannot be
those of bf16 step by step, but their means must be: over every eighth of the steps, the mean loss may be --limit higher than that of
bf16 by PyTorch. Every loss has to drop by --drop. The script ends with 1 where that is not so.

Times of layers are those of a forward and a backward pass as one CUDA graph, in turn, in us: F.linear in bf16, by PyTorch; ours, which
converts the weight as well; ours with the weight that was converted before, as for all but the first of several batches of a step
("kept"); and a layer with current scaling of PyTorch's functions, compiled, whose products are torch._scaled_mm.
"""
import argparse
import functools
import os
import random
import statistics
import sys
from unittest import mock

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

import tk  # noqa: E402
from tk.fp8 import LARGEST  # noqa: E402
import training  # noqa: E402

LAYERS = [(8192, 4096, 4096), (8192, 28672, 4096), (8192, 4096, 14336)]  # tokens, outputs, inputs: of Llama 3 8B
FORMS = {"bf16": None, "fp8, current": "current", "fp8, delayed": "delayed"}


def layer(inputs, outputs, scaling):
    made = torch.nn.Linear(inputs, outputs, bias=False)
    made.weight.data.normal_().mul_(inputs**-0.5)
    return made if scaling is None else tk.torch.LinearFp8.of(made, scaling=scaling)


class Block(torch.nn.Module):
    def __init__(self, dim, heads, hidden, scaling):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = (torch.nn.Parameter(torch.ones(dim)) for _ in range(2))
        self.qkv, self.out = layer(dim, 3 * dim, scaling), layer(dim, dim, scaling)
        self.gate_up, self.down = layer(dim, 2 * hidden, scaling), layer(hidden, dim, scaling)

    def forward(self, x):
        batch, count, dim = x.shape
        q, k, v = self.qkv(F.rms_norm(x, (dim,), self.norm1)).view(batch, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, count, dim))
        gate, up = self.gate_up(F.rms_norm(x, (dim,), self.norm2)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Model(torch.nn.Module):
    def __init__(self, args, scaling):
        super().__init__()
        self.embedding = torch.nn.Embedding(256, args.dim)
        self.places = torch.nn.Parameter(0.1 * torch.randn(args.length, args.dim))
        self.blocks = torch.nn.ModuleList(Block(args.dim, args.dim // 64, args.hidden, scaling) for _ in range(args.layers))
        self.norm = torch.nn.Parameter(torch.ones(args.dim))
        self.head = torch.nn.Parameter(0.02 * torch.randn(256, args.dim))
        for block in self.blocks:  # the residual stream keeps its size
            for weight in (block.out.weight, block.down.weight):
                weight.data *= (2 * args.layers)**-0.5

    def forward(self, tokens):
        x = self.embedding(tokens) + self.places
        for block in self.blocks:
            x = block(x)
        return F.linear(F.rms_norm(x, self.norm.shape, self.norm), self.head)


def compare(losses, drop, limit):
    """Prints means of eighths. True if all are as they must be."""
    eighths = {name: curve[:len(curve) // 8 * 8].view(8, -1).mean(dim=1) for name, curve in losses.items()}
    good = True
    print("  mean loss" + "".join(f"{name:>15}" for name in losses))
    for i in range(8):
        print(f"  part {i + 1} of 8" + "".join(f"{means[i]:14.4f}{' ' if means[i] - eighths['bf16'][i] <= limit else '!'}"
                                             for means in eighths.values()))
    for name, means in eighths.items():
        above = (means - eighths["bf16"]).max().item()
        dropped = (losses[name][0] - means[-1]).item()
        right = above <= limit and dropped >= drop  # false for NaN, too
        good &= right
        print(f"  {name}: drops by {dropped:.4f}, {above:.4f} above bf16 at most" + ("" if right else f": {drop} and {limit} are the limits"))
    return good


# ---- times of layers -----------------------------------------------------------------------------


def converted(x, kind):
    scale = x.abs().max().float() / LARGEST[kind]
    return (x.float() / scale).to(kind), scale


def scaled_product(a, b, scale_a, scale_b, fast):
    """A B', on cuBLASLt."""
    return torch._scaled_mm(a, b.t(), scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16, use_fast_accum=fast)


class Scaled(torch.autograd.Function):
    """The layer with current scaling by PyTorch's functions; its weight is converted in each call."""

    @staticmethod
    def forward(ctx, x, weight):
        x8, x_scale = converted(x, torch.float8_e4m3fn)
        w8, w_scale = converted(weight, torch.float8_e4m3fn)
        ctx.save_for_backward(x8, x_scale, w8, w_scale)
        return scaled_product(x8, w8, x_scale, w_scale, True)

    @staticmethod
    def backward(ctx, dy):
        x8, x_scale, w8, w_scale = ctx.saved_tensors
        dy8, scale = converted(dy, torch.float8_e5m2)
        dx = scaled_product(dy8, w8.t().contiguous(), scale, w_scale, False)
        return dx, scaled_product(dy8.t().contiguous(), x8.t().contiguous(), scale, x_scale, False)


def in_graph(call):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def time_layer(tokens, outputs, inputs, rounds):
    x = torch.randn(tokens, inputs, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    dy = torch.randn(tokens, outputs, device="cuda", dtype=torch.bfloat16)
    layers = {name: layer(inputs, outputs, scaling).cuda().bfloat16() for name, scaling in FORMS.items()}
    calls = {}
    for name, made in layers.items():
        def both(made=made):
            return torch.autograd.grad(made(x), (x, made.weight), dy)

        calls[name] = in_graph(both)
        if name != "bf16":
            with mock.patch.object(made, "_weights", lambda _, held=made._held: held):
                calls[f"{name}, kept"] = in_graph(both)
    peer = torch.compile(Scaled.apply, fullgraph=True, dynamic=False)
    try:
        calls["PyTorch's fp8"] = in_graph(lambda: torch.autograd.grad(peer(x, layers["bf16"].weight), (x, layers["bf16"].weight), dy))
    except Exception as reason:  # a peer may fail in any way
        print(f"  PyTorch's fp8 is left out: {type(reason).__name__}: {str(reason).splitlines()[0] if str(reason) else ''}", flush=True)
        torch.cuda.synchronize()
    held = [made._held for made in layers.values() if hasattr(made, "_held")]  # which graphs read
    errors = {}
    for name, made in layers.items():
        with torch.no_grad():
            made.weight.copy_(layers["bf16"].weight)
        got = made(x), *torch.autograd.grad(made(x), (x, made.weight), dy)
        rows = torch.arange(0, tokens, max(1, tokens // 64), device="cuda")
        want = x[rows].double() @ made.weight.double().t(), dy[rows].double() @ made.weight.double()
        errors[name] = [((g[rows].double() - w).norm() / w.norm()).item() for g, w in zip(got, want)]
        some = torch.arange(0, outputs, max(1, outputs // 64), device="cuda")
        want = dy[:, some].double().t() @ x.double()
        errors[name].append(((got[2][some].double() - want).norm() / want.norm()).item())
    taken = {name: [] for name in calls}
    names = list(calls)
    for _ in range(rounds):
        random.shuffle(names)
        for name in names:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            calls[name]()
            start.record()
            calls[name]()
            end.record()
            torch.cuda.synchronize()
            taken[name].append(start.elapsed_time(end) * 1e3)
    del held
    us = {name: statistics.median(found) for name, found in taken.items()}
    print(f"{tokens} x {outputs} x {inputs}: " + ", ".join(f"{name} {each:.0f} ({us['bf16'] / each:.2f})" for name, each in us.items()))
    print("    errors of y, dx, dw: " + ", ".join(f"{name} " + " ".join(f"{e:.1e}" for e in es) for name, es in errors.items()), flush=True)
    return all(e < (5e-3 if name == "bf16" else 0.1) for name, es in errors.items() for e in es)


def time_parts(tokens, inputs, rounds):
    """GB/s of what is read and written."""
    x = torch.randn(tokens, inputs, device="cuda", dtype=torch.bfloat16)
    one = torch.ones(1, device="cuda")
    other = torch.empty_like(x)
    size = x.numel()
    calls = {"copy": (4 * size, lambda: other.copy_(x)), "fp8_scale": (2 * size, lambda: torch.ops.tk.fp8_scale(x, False)),
             "quantise_tensor": (3 * size, lambda: torch.ops.tk.quantise_tensor(x, one, False)),
             "quantise_both": (4 * size, lambda: torch.ops.tk.quantise_both(x, one, False))}
    for rows, cols in ((64, 64), (128, 64), (128, 128)):  # other tiles
        other_module = tk.load(tk.example("quantise_tensor.tk"), BM=rows, BN=cols)
        calls[f"quantise_both {rows} x {cols}"] = 4 * size, functools.partial(other_module.quantise_both, x, one)
    graphs = {name: in_graph(call) for name, (_, call) in calls.items()}
    taken = {name: [] for name in calls}
    for _ in range(rounds):
        for name, graph in graphs.items():
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph()
            end.record()
            torch.cuda.synchronize()
            taken[name].append(start.elapsed_time(end) / 1e3)
    print(f"{tokens} x {inputs} bf16: " + ", ".join(f"{name} {bytes_ / statistics.median(taken[name]) / 1e9:.0f} GB/s"
                                                     for name, (bytes_, _) in calls.items()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["training", "layers"])
    parser.add_argument("--limit", type=float, default=0.03, help="of a mean loss above that of bf16, in nats")
    parser.add_argument("--rounds", type=int, default=30)
    sizes = dict(steps=(400, 16), dim=(512, 64), layers=(3, 1), hidden=(1024, 128), batch=(16, 2), length=(512, 64))
    training.arguments(parser, sizes)
    args = training.parsed(parser, sizes)
    good = True
    if args.only != "layers":
        data, starts = training.batches(args)
        losses = {}
        for name, scaling in FORMS.items():
            torch.manual_seed(0)
            losses[name], seconds = training.train(args, Model(args, scaling).to(args.device), data, starts)
            print(f"  {name}: {seconds:.1f} s", flush=True)
        good = compare(losses, args.drop, args.limit)
    if args.only != "training" and args.device == "cuda":
        print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
        time_parts(8192, 4096, args.rounds)
        for shape in LAYERS:
            good &= time_layer(*shape, args.rounds)
            torch.cuda.empty_cache()
    print("all is well" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
