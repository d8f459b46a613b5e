"""Checks and times attention with a sliding window and over documents, forward and with gradients, next to PyTorch's flex_attention
(compiled, with a block mask) on the same tensors, in one run.

Build the libraries with bench/build.sh, then: python3 bench/attention_variants.py [--seconds 2] [--rows 16384]
Ours are examples/attention/attention_window.tk and attention_backward.tk -D WINDOW=1024, attention_document.tk and
attention_document_backward.tk. Errors are those of two heads, against float64; of flex_attention's figures Python takes no part,
since graphs are timed.
"""
import argparse
import math

import torch

from attention import Libraries, error_of
from timing import measure, recorded

HEADS, D, WINDOW = 16, 128, 1024


def documents(rows, longest):
    """Where each row's document begins; lengths go through a fixed series up to the longest."""
    first, at, i = [], 0, 0
    while at < rows:
        length = min(1 + (i * 2654435761 >> 7) % longest, rows - at)
        first += [at] * length
        at, i = at + length, i + 1
    return torch.tensor(first, device="cuda", dtype=torch.int32)


def blank(like):
    return torch.full_like(like, math.nan)


def ours(libraries, first, q, k, v, do):
    """A call of the forward pass, one of both passes, and what they write."""
    n = q.shape[2]
    o, lse, made = blank(q), torch.full(q.shape[:3], math.nan, device="cuda"), [blank(t) for t in (q, k, v)]
    rows = [torch.full((1, HEADS, -(-n // 64) * 64), math.nan, device="cuda") for _ in range(2)]
    sums = torch.full((1, HEADS, -(-n // 64), 64 * D // 32, 32), math.nan, device="cuda")  # dQ as threads hold it
    scale = D**-0.5
    if first is None:
        forward = libraries["attention_window_1024"].bind("attention_window", q, k, v, o, lse, scale)
        library = libraries["attention_backward_window_1024"]
        gradients = library.bind("attention_backward", q, k, v, o, lse, do, *made, *rows, sums, scale)
        extra = ()
    else:
        extra = (torch.empty(1, -(-n // 64) * 64, device="cuda", dtype=torch.int32),
                 torch.empty(1, -(-n // 128), device="cuda", dtype=torch.int32))
        forward = libraries["attention_document"].bind("attention_document", q, k, v, first[None], o, lse, scale)
        name = "attention_document_backward"
        gradients = libraries[name].bind(name, q, k, v, o, lse, do, first[None], *made, *rows, *extra, sums, scale)

    def both():
        forward()
        gradients()
    both.keep = (rows, sums, lse, extra)  # calls hold addresses
    return forward, both, [o, *made]


def flex(visible, q, k, v, do):
    """The same of flex_attention; None where PyTorch or the machine has no such thing."""
    try:
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        n = q.shape[2]
        mask = create_block_mask(visible, None, None, n, n, device="cuda")
        compiled = torch.compile(flex_attention)
        leaves = [t.detach().requires_grad_() for t in (q, k, v)]

        def forward():
            with torch.no_grad():
                return compiled(q, k, v, block_mask=mask)

        def both():
            o = compiled(*leaves, block_mask=mask)
            return [o.detach(), *torch.autograd.grad(o, leaves, do)]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # compiles; a graph may be captured after that
            for _ in range(3):
                forward()
                made = both()
        torch.cuda.current_stream().wait_stream(side)
        recorded(both, 1)()  # if it cannot be, it is told here
        torch.cuda.synchronize()
        return forward, both, made
    except Exception as error:  # pylint: disable=broad-exception-caught
        print(f"flex_attention is not there: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
        return None


def ready(call, flops):
    """A graph of the call, but where `measure` makes one of many."""
    return call if flops < 60e9 else recorded(call, 1)


def in_float64(seen, q, k, v, do, head):
    leaves = [t[0, head].double().requires_grad_() for t in (q, k, v)]
    s = (leaves[0] @ leaves[1].T * D**-0.5).masked_fill(~seen, -math.inf)
    o = torch.softmax(s, 1) @ leaves[2]
    return [o.detach(), *torch.autograd.grad(o, leaves, do[0, head].double())]


def largest_errors(made, wanted, head):
    return max(error_of(g[0, head], w) for g, w in zip(made, wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", default="build/bench")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rows", type=int, default=16384)
    args = parser.parse_args()
    torch.manual_seed(1)
    libraries = Libraries(args.folder)
    n, good = args.rows, True
    row, key = torch.arange(n, device="cuda")[:, None], torch.arange(n, device="cuda")[None, :]
    print(torch.cuda.get_device_name(), "torch", torch.__version__, f"| H{HEADS} D{D}, {n} rows; TFLOP/s, median")
    cases = {f"window of {WINDOW}": None}
    cases.update({f"documents up to {longest}": documents(n, longest) for longest in (1024, 8192)})
    for name, first in cases.items():
        if first is None:
            def visible(_b, _h, i, j):
                return (j <= i) & (j > i - WINDOW)
        else:
            def visible(_b, _h, i, j, first=first):
                return (j <= i) & (j >= first[i])
        q, k, v, do = (torch.randn(1, HEADS, n, D, device="cuda", dtype=torch.bfloat16) for _ in range(4))
        forward, both, made = ours(libraries, first, q, k, v, do)
        both()
        peer = flex(visible, q, k, v, do)
        seen = visible(0, 0, row, key) if first is None else (key <= row) & (key >= first[:, None])
        errors, theirs = [], []
        for head in (0, HEADS - 1):
            wanted = in_float64(seen, q, k, v, do, head)
            errors.append(largest_errors(made, wanted, head))
            theirs.append(largest_errors(peer[2], wanted, head) if peer else math.nan)
            torch.cuda.empty_cache()
        right = max(errors) < (1.1 * max(theirs) if peer else 1e-2) and not any(torch.isnan(t).any() for t in made)
        good = good and right
        flops = 4.0 * HEADS * D * seen.sum().item()
        for what, at, share in (("forward", 0, 1.0), ("forward and backward", 1, 3.5)):
            contenders = {"tkc": ready((forward, both)[at], flops * share)}
            if peer:
                contenders["flex"] = ready(peer[at], flops * share)
            rates = measure(contenders, flops * share, args.seconds)
            text = f"{name:22} {what:20}"
            for way in ("turn", "burst"):
                text += f" | {way} {rates['tkc', way][0]:4.0f}"
                if peer:
                    text += f" / flex_attention {rates['flex', way][0]:4.0f} = {rates['tkc', way][0] / rates['flex', way][0]:.2f}"
            print(text + f" | error {max(errors):.1e} ({max(theirs):.1e}){'' if right else ' WRONG'}", flush=True)
        torch.cuda.empty_cache()
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
