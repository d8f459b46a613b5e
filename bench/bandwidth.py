#!/usr/bin/env python3
"""Kernels that are all memory traffic, next to a device copy of the same bytes and PyTorch's own.

    python3 bandwidth.py --libraries ../build/bench [--only softmax] [--seconds 2] [--no-compile]

Each row: how many times faster than the others the kernel is, by the median of single calls in turn, and its error
against float64 next to PyTorch's. The copy reads and writes, together, as many bytes as the kernel."""
import argparse
import ctypes
import random
import statistics

import torch
import torch.nn.functional as functional
from library import Library



def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


class Case:
    """A kernel on one shape: what its C function is called with (tensors, then numbers), and its peer in PyTorch, which
    returns the first of the outputs."""

    def __init__(self, kernel, library, shape, arguments, inputs, outputs, peer, moved=None):
        self.kernel, self.library, self.shape = kernel, library, shape
        self.arguments, self.inputs, self.outputs, self.peer = arguments, inputs, outputs, peer
        self.moved = moved or sum(t.numel() * t.element_size() for t in inputs + outputs)


def rmsnorm(rows, cols):
    x, w, y = normal(rows, cols), normal(cols), torch.empty(rows, cols, device="cuda", dtype=torch.bfloat16)
    return Case("rmsnorm", f"rmsnorm_{cols}", (rows, cols), [x, w, y, 1e-5], [x, w], [y],
                lambda x, w: functional.rms_norm(x, x.shape[-1:], w, 1e-5))


def softmax(rows, cols):
    x, y = normal(rows, cols), torch.empty(rows, cols, device="cuda", dtype=torch.bfloat16)
    return Case("softmax", f"softmax_{cols}", (rows, cols), [x, y], [x], [y], lambda x: torch.softmax(x, -1))


def softmax_any(rows, cols):
    case = softmax(rows, cols)
    case.kernel = case.library = "softmax_any"
    return case


def layernorm(rows, cols):
    x, w, b = normal(rows, cols), normal(cols), normal(cols)
    y, mean, rstd = torch.empty_like(x), torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    return Case("layernorm", f"layernorm_{cols}", (rows, cols), [x, w, b, y, mean, rstd, 1e-5], [x, w, b], [y, mean, rstd],
                lambda x, w, b: functional.layer_norm(x, x.shape[-1:], w, b, 1e-5))


def swiglu(rows, cols):
    gate, up = normal(rows, cols), normal(rows, cols)
    y = torch.empty_like(gate)
    return Case("swiglu", "swiglu", (rows, cols), [gate, up, y], [gate, up], [y], lambda g, u: functional.silu(g) * u)


def rope(batch, heads, length, depth):
    qkv = normal(batch, length, 3 * heads, depth)
    angle = torch.rand(length, depth // 2, device="cuda") * 6
    cos, sin = angle.cos(), angle.sin()
    outputs = [torch.empty(batch, heads, length, depth, device="cuda", dtype=torch.bfloat16) for _ in range(3)]

    def peer(qkv, cos, sin):
        q, k, v = qkv.transpose(1, 2).split(heads, 1)
        cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)

        def turn(x):
            a, b = x.chunk(2, -1)
            return (x * cos + torch.cat((-b, a), -1) * sin).to(x.dtype)

        return turn(q).contiguous(), turn(k).contiguous(), v.contiguous()

    return Case("rope", "rope", (batch, heads, length, depth), [qkv, cos, sin, *outputs], [qkv, cos, sin], outputs, peer)


def rope_pairs(batch, heads, length, depth):
    qkv = normal(batch, length, 3 * heads, depth)
    angle = torch.rand(length, depth // 2, device="cuda") * 6
    freqs = torch.polar(torch.ones_like(angle), angle)
    outputs = [torch.empty(batch, heads, length, depth, device="cuda", dtype=torch.bfloat16) for _ in range(3)]

    def peer(qkv, freqs):
        q, k, v = qkv.transpose(1, 2).split(heads, 1)
        cos, sin = freqs[:, 0::2], freqs[:, 1::2]

        def turn(x):
            a, b = x[..., 0::2].float(), x[..., 1::2].float()
            return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2).to(x.dtype)

        return turn(q).contiguous(), turn(k).contiguous(), v.contiguous()

    pairs = torch.view_as_real(freqs).reshape(length, depth).contiguous()
    return Case("rope_pairs", "rope_pairs", (batch, heads, length, depth), [qkv, pairs, *outputs], [qkv, pairs], outputs, peer)


def cross_entropy(rows, cols):
    x = normal(rows, cols)
    label = torch.randint(cols, (rows,), device="cuda", dtype=torch.int32)
    loss, lse = torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    return Case("cross_entropy", "cross_entropy", (rows, cols), [x, label, loss, lse, -1], [x, label], [loss, lse],
                lambda x, label: functional.cross_entropy(x, label.long(), reduction="none"))


def embedding(rows, cols):
    table, ids = normal(128256, cols), torch.randint(128256, (rows,), device="cuda", dtype=torch.int32)
    y = torch.empty(rows, cols, device="cuda", dtype=torch.bfloat16)
    return Case("embedding", "embedding", (rows, cols), [table, ids, y], [table, ids], [y],
                lambda table, ids: functional.embedding(ids, table), 2 * y.numel() * 2)


def quantise(rows, cols):
    x = normal(rows, cols)
    y, scale = torch.empty(rows, cols, device="cuda", dtype=torch.float8_e4m3fn), torch.empty(rows, device="cuda")

    def peer(x):
        top = x.abs().amax(-1, keepdim=True).float()
        scale = torch.where(top == 0, 1.0, top / 448)
        return (x / scale).to(torch.float8_e4m3fn), scale

    return Case("quantise", f"quantise_{cols}", (rows, cols), [x, y, scale], [x], [y, scale], peer)


def quantise_blocks(rows, cols):
    x = normal(rows, cols)
    y = torch.empty(rows, cols, device="cuda", dtype=torch.float8_e4m3fn)
    scale = torch.empty(rows, cols // 128, device="cuda")

    def peer(x):
        blocks = x.view(rows, -1, 128)
        top = blocks.abs().amax(-1, keepdim=True).float()
        scale = torch.where(top == 0, 1.0, top / 448)
        return (blocks / scale).to(torch.float8_e4m3fn).view(rows, cols), scale

    return Case("quantise_blocks", "quantise", (rows, cols), [x, y, scale], [x], [y, scale], peer)


def log_softmax(rows, cols):
    x, y = normal(rows, cols), torch.empty(rows, cols, device="cuda", dtype=torch.bfloat16)
    return Case("log_softmax", f"log_softmax_{cols}", (rows, cols), [x, y], [x], [y], lambda x: torch.log_softmax(x, -1))


def argmax(rows, cols):
    x, index = normal(rows, cols), torch.empty(rows, device="cuda", dtype=torch.int32)
    return Case("argmax_rows", "argmax", (rows, cols), [x, index], [x], [index], lambda x: torch.argmax(x, -1).int())


def topk(rows, cols):
    x = torch.randn(rows, cols, device="cuda")
    index, weight = torch.empty(rows, 8, device="cuda", dtype=torch.int32), torch.empty(rows, 8, device="cuda")

    def peer(x):
        best, index = torch.topk(x, 8)
        return index.int(), torch.softmax(best, -1)

    return Case("topk", f"topk_{cols}", (rows, cols), [x, index, weight], [x], [index, weight], peer)


def transpose(rows, cols):
    x, y = normal(rows, cols), torch.empty(cols, rows, device="cuda", dtype=torch.bfloat16)
    return Case("transpose", "permute", (rows, cols), [x, y], [x], [y], lambda x: x.T.contiguous())


def dropout_add(rows, cols):
    """What is drawn differs, so the errors say nothing: `tkc test` has the tests of that."""
    x, residual, z = normal(rows, cols), normal(rows, cols), torch.empty(rows, cols, device="cuda", dtype=torch.bfloat16)
    return Case("dropout_add", "dropout", (rows, cols), [x, residual, z, 0.1, ctypes.c_int64(1)], [x, residual], [z],
                lambda x, r: functional.dropout(x, 0.1, True) + r)


def swiglu_backward(rows, cols):
    gate, up, dy = normal(rows, cols), normal(rows, cols), normal(rows, cols)
    dgate, dup = torch.empty_like(gate), torch.empty_like(gate)

    def peer(gate, up, dy):
        gate, up, dy = gate.float(), up.float(), dy.float()
        s = torch.sigmoid(gate)
        return (dy * up * s * (1 + gate * (1 - s))).to(torch.bfloat16), (dy * gate * s).to(torch.bfloat16)

    return Case("swiglu_backward", "swiglu", (rows, cols), [dy, gate, up, dgate, dup], [gate, up, dy], [dgate, dup], peer)


def layernorm_backward(rows, cols):
    x, w, dy = normal(rows, cols), normal(cols), normal(rows, cols)
    wide = x.float()
    mean, rstd = wide.mean(-1), torch.rsqrt(wide.var(-1, unbiased=False) + 1e-5)
    dx, dw, db = torch.empty_like(x), torch.empty(cols, device="cuda"), torch.empty(cols, device="cuda")

    parts = [torch.empty(rows // max(64, 131072 // cols), cols, device="cuda") for _ in range(2)]

    def peer(dy, x, w, mean, rstd):
        return torch.ops.aten.native_layer_norm_backward(dy, x, [cols], mean.view(-1, 1), rstd.view(-1, 1), w, w, [True] * 3)

    return Case("layernorm_backward", f"layernorm_backward_{cols}", (rows, cols), [dy, x, w, mean, rstd, dx, dw, db, *parts],
                [dy, x, w, mean, rstd], [dx, dw, db], peer)


def dropout_add_layernorm(rows, cols):
    x, res, w, b = normal(rows, cols), normal(rows, cols), normal(cols), normal(cols)
    z, y, mean, rstd = torch.empty_like(x), torch.empty_like(x), torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")

    def peer(x, res, w, b):
        z = functional.dropout(x, 0.1) + res
        return z, functional.layer_norm(z, z.shape[-1:], w, b, 1e-5)

    return Case("dropout_add_layernorm", f"dropout_norm_{cols}", (rows, cols),
                [x, res, w, b, z, y, mean, rstd, 0.1, ctypes.c_int64(7), 1e-5], [x, res, w, b], [z, y, mean, rstd], peer)


def add_in_place(rows, cols):
    x, y = normal(rows, cols), normal(rows, cols)
    return Case("add_in_place", "residual_in_place", (rows, cols), [x, y, 1e-3], [x.clone(), y], [x],
                lambda x, y: torch.add(x, y, alpha=1e-3), 3 * x.numel() * 2)


def rmsnorm_in_place(rows, cols):
    x, w = normal(rows, cols), torch.ones(cols, device="cuda", dtype=torch.bfloat16)
    return Case("rmsnorm_in_place", "residual_in_place", (rows, cols), [x, w, 1e-5], [x.clone(), w], [x],
                lambda x, w: functional.rms_norm(x, x.shape[-1:], w, 1e-5), 2 * x.numel() * 2)


def hadamard(rows, cols):
    x, h = normal(rows, cols), torch.ones(1, 1, device="cuda", dtype=torch.bfloat16)
    while len(h) < cols:
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    y, scale = torch.empty_like(x), cols**-0.5
    return Case("hadamard", f"hadamard_{cols}", (rows, cols), [x, y, scale], [x, h], [y], lambda x, h: x @ h * scale, 2 * x.numel() * 2)


ROWS_AND_COLS = [(65536, 1024), (16384, 4096), (8192, 8192), (4096, 16384), (8192, 5000), (2048, 131072)]
CASES = {
    "rmsnorm": (rmsnorm, ROWS_AND_COLS), "softmax": (softmax, ROWS_AND_COLS), "layernorm": (layernorm, ROWS_AND_COLS),
    "softmax_any": (softmax_any, ROWS_AND_COLS + [(8192, 5001)]),
    "swiglu": (swiglu, [(8192, 14336), (8192, 4096)]), "rope": (rope, [(16, 16, 4096, 128)]),
    "rope_pairs": (rope_pairs, [(16, 16, 4096, 128)]),
    "cross_entropy": (cross_entropy, [(8192, 128256), (4096, 32000)]), "embedding": (embedding, [(65536, 4096)]),
    "log_softmax": (log_softmax, [(16384, 4096)]), "argmax": (argmax, [(8192, 128256)]),
    "topk": (topk, [(65536, 64), (65536, 256), (16384, 1024)]),
    "swiglu_backward": (swiglu_backward, [(8192, 14336)]), "dropout_add": (dropout_add, [(8192, 8192)]),
    "dropout_add_layernorm": (dropout_add_layernorm, [(65536, 1024), (16384, 4096), (8192, 8192)]),
    "transpose": (transpose, [(8192, 8192), (16384, 5000)]),
    "layernorm_backward": (layernorm_backward, [(65536, 1024), (16384, 4096)]),
    "add_in_place": (add_in_place, [(16384, 4096), (8192, 14336)]), "rmsnorm_in_place": (rmsnorm_in_place, [(16384, 4096)]),
    "quantise": (quantise, [(16384, 4096), (8192, 8192)]), "quantise_blocks": (quantise_blocks, [(16384, 4096)]),
    "hadamard": (hadamard, [(65536, 1024), (16384, 4096), (8192, 8192)]),
}


def seconds_of(calls, seconds):
    """The median time of each call, in turn and in a new order every round; with its spread."""
    for call in calls.values():
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for call in calls.values():
        call()
    end.record()
    end.synchronize()
    rounds = max(20, int(seconds / (start.elapsed_time(end) * 1e-3)))
    events = {name: [] for name in calls}
    names = list(calls)
    for _ in range(min(rounds, 400)):
        random.shuffle(names)
        for name in names:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            calls[name]()
            end.record()
            events[name].append((start, end))
    torch.cuda.synchronize()
    return {name: statistics.median(s.elapsed_time(e) * 1e-3 for s, e in list_) for name, list_ in events.items()}


def error(found, wanted):
    wanted = wanted.double()
    return ((found.double() - wanted).norm() / wanted.norm()).item()


def first(result):
    return result[0] if isinstance(result, tuple) else result


def share_of(case):
    """The part of the inputs that float64 is computed on, which is what fits."""
    part = 64 if case.kernel in ("rmsnorm", "log_softmax", "softmax_any", "argmax_rows", "swiglu_backward", "quantise", "softmax", "layernorm", "swiglu", "cross_entropy", "add_in_place", "rmsnorm_in_place") else None
    whole = [t for t in case.inputs if t.dim() == 1 and case.kernel != "cross_entropy"]
    return [t[:part] if part and not any(t is w for w in whole) else t for t in case.inputs], part


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", default="../build/bench", help="the folder that bench/build.sh filled")
    parser.add_argument("--only", default="", help="kernels, with commas between them")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    print(f"{'kernel':14} {'shape':>20} {'GB/s':>6} {'copy':>6} {'eager':>6} {'compile':>7}   error (eager)")
    for name, (make, shapes) in CASES.items():
        if options.only and name not in options.only.split(","):
            continue
        for shape in shapes:
            case = make(*shape)
            run = Library(f"{options.libraries}/lib{case.library}.so").bind(case.kernel, *case.arguments)
            run()
            compiled = torch.compile(case.peer, dynamic=False)
            with torch.no_grad():
                inputs, part = share_of(case)
                wide = [t.double() if t.is_floating_point() else t for t in inputs]
                wanted, eager = first(case.peer(*wide)), first(case.peer(*inputs))
                ours, theirs = error(case.outputs[0][:part], wanted), error(eager, wanted)
                del wanted, eager, wide
                source = torch.empty(case.moved // 2, dtype=torch.uint8, device="cuda")
                target = torch.empty_like(source)
                calls = {"ours": run, "copy": lambda: target.copy_(source), "eager": lambda: case.peer(*case.inputs)}
                if not options.no_compile:
                    calls["compile"] = lambda: compiled(*case.inputs)
                times = seconds_of(calls, options.seconds)
            shares = {other: times[other] / times["ours"] for other in times}
            print(f"{name:14} {'x'.join(map(str, shape)):>20} {case.moved / times['ours'] / 1e9:6.0f} {shares['copy']:6.3f} "
                  f"{shares['eager']:6.2f} {shares.get('compile', 0):7.2f}   {ours:.2e} ({theirs:.2e})", flush=True)
            del case, run, calls, source, target
            torch._dynamo.reset()


if __name__ == "__main__":
    main()
