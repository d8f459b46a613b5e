"""Checks and times tk.torch.masked_attention next to PyTorch's FlexAttention, compiled, with the same masks, forward and backward.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/attention_masked.py [--seconds 2] [--only window documents] [--heads 64 128]

Both get lists of blocks that are made before: FlexAttention's create_block_mask and tk.torch.block_mask, whose times are told, too.
A rate counts the products of cells that the mask lets through, and nothing else. Backward passes are timed after forward ones, whose
time is taken off. After the rates are the errors of both against float64, of the first head: O, dQ, dK and dV. The script ends with 1 where one of ours is over 1.5 times FlexAttention's and 4e-3.
"""
import argparse
import math
import time

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import tk
from timing import measure, recorded

SHAPES = [(4, 16, 4096), (2, 16, 8192), (1, 16, 16384)]  # B, H, N


def lengths(n):
    """Of documents: a few long ones and many short ones, the same in every run."""
    generator = torch.Generator().manual_seed(3)
    found = []
    while sum(found) < n:
        found.append(int(64 * 2 ** (6 * torch.rand(1, generator=generator).item())))
    return found


def documents(n):
    of = torch.repeat_interleave(torch.arange(len(lengths(n))), torch.tensor(lengths(n)))[:n]
    return of.to(device="cuda", dtype=torch.int32)


class Case:
    """One mask in both languages; of: what it knows of rows and keys."""

    def __init__(self, text, function, of=None):
        self.function = function
        self.mask = tk.torch.mask(text, **({} if of is None else dict(of_row=of, of_col=of)))

    def ours(self, batches, heads, n):
        return tk.torch.block_mask(self.mask, batches, heads, n, n)

    def theirs(self, n):
        return torch.compile(create_block_mask)(self.function, None, None, n, n, device="cuda")

    def dense(self, n):
        row, col = (torch.arange(n, device="cuda") for _ in range(2))
        return self.function(None, None, row[:, None], col[None])


def cases(n):
    of = documents(n)
    return {
        "causal": Case("row >= col", lambda b, h, row, col: row >= col),
        "window": Case("row >= col and row - col < 1024", lambda b, h, row, col: (row >= col) & (row - col < 1024)),
        "documents": Case("of_row == of_col and row >= col", lambda b, h, row, col: (of[row] == of[col]) & (row >= col), of),
    }


def made(call, q, k, v, do):
    """O and the gradients."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o = call(*leaves)
    return o.detach(), *torch.autograd.grad(o, leaves, do)


def exact(q, k, v, do, dense):
    """O and the gradients of the first head in float64."""
    leaves = [x[:1, :1].double().requires_grad_() for x in (q, k, v)]
    s = (leaves[0] @ leaves[1].transpose(2, 3) / math.sqrt(q.shape[3])).masked_fill(~dense, -math.inf)
    o = torch.softmax(s, 3) @ leaves[2]
    return [o.detach(), *torch.autograd.grad(o, leaves, do[:1, :1].double())]


def errors(got, want):
    return [((x[:1, :1].double() - w).norm() / w.norm()).item() for x, w in zip(got, want)]


def seconds_of(function):
    function()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    function()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def run(name, case, shape, d, seconds):
    batches, heads, n = shape
    q, k, v, do = (torch.randn(batches, heads, n, d, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    flex = torch.compile(flex_attention, dynamic=False)
    ours, theirs = case.ours(batches, heads, n), case.theirs(n)
    lists = [seconds_of(lambda: case.ours(batches, heads, n)), seconds_of(lambda: case.theirs(n))]
    calls = {"tkc": lambda q, k, v: tk.torch.masked_attention(q, k, v, ours),
             "flex": lambda q, k, v: flex(q, k, v, block_mask=theirs)}
    dense = case.dense(n)
    cells = dense.sum().item()
    want = exact(q, k, v, do, dense)
    del dense
    forward, both, found = {}, {}, {}
    for who, call in calls.items():
        found[who] = errors(made(call, q, k, v, do), want)
        # Of Python, whoever's it is, only a graph's launch is timed.
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            made(call, q, k, v, do)
            with torch.no_grad():
                call(q, k, v)
        torch.cuda.current_stream().wait_stream(side)
        with torch.no_grad():
            forward[who] = recorded(lambda call=call: call(q, k, v), 1)
        both[who] = recorded(lambda call=call: made(call, q, k, v, do), 1)
    good = all(a <= max(1.5 * b, 4e-3) for a, b in zip(found["tkc"], found["flex"]))
    flops = batches * heads * cells * d
    rates = {"forward": measure(forward, 4.0 * flops, seconds), "both": measure(both, 14.0 * flops, seconds)}
    for what, part in (("forward", slice(0, 1)), ("backward", slice(1, 4))):
        text = f"{name:9} D{d:<3} B{batches} H{heads} N{n:<5} {what:8}"
        for way in ("turn", "burst"):
            rate = {}
            for who in calls:
                ahead, all_of_it = (rates[which][who, way][0] for which in ("forward", "both"))
                rate[who] = ahead if what == "forward" else 10.0 / (14.0 / all_of_it - 4.0 / ahead)
            text += f" | {way} {rate['tkc']:4.0f} / {rate['flex']:4.0f} = {rate['tkc'] / rate['flex']:.2f}"
        for who in calls:
            text += f" | {who} " + " ".join(f"{e:.1e}" for e in found[who][part])
        print(text, flush=True)
    print(f"{'':9} lists {lists[0] * 1e3:.2f} ms / {lists[1] * 1e3:.2f} ms, {100 * ours.sparsity:.0f} % of blocks are not looked at"
          + ("" if good else "   WRONG"), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", nargs="*", default=["causal", "window", "documents"])
    parser.add_argument("--heads", type=int, nargs="*", default=[64, 128], help="head dimensions")
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(SHAPES)))
    args = parser.parse_args()
    torch._dynamo.config.recompile_limit = 1000  # a program for each case; past the limit it runs uncompiled
    torch.manual_seed(1)
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s, median, ours / FlexAttention's, in turn and in burst")
    good = True
    for d in args.heads:
        for shape in (SHAPES[i] for i in args.shapes):
            for name, case in cases(shape[2]).items():
                if name in args.only:
                    good = run(name, case, shape, d, args.seconds) and good
                    torch.cuda.empty_cache()
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
