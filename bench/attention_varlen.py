"""Checks and times examples/attention/attention_varlen.tk and its gradients: sequences of different lengths, packed.

Build the libraries with bench/build.sh, then: python3 bench/attention_varlen.py [--seconds 2] [--backward [--only 64 96 128]]
Next to it in the same run: PyTorch's FlashAttention-2 on the same packed tensors, and examples/attention/attention.tk on a batch of
sequences that are all as long as the mean, which is what the work would cost if nothing varied. With --backward the same for
attention_varlen_backward.tk (D = 128), attention_varlen_backward_apart.tk (64 and 96) and attention_backward.tk or .._apart.tk.
"""
import argparse
import math

import torch

import attention_backward
from attention import Libraries, error_of, reference
from timing import measure

HEADS, D = 16, 128
BATCHES = {  # lengths of the sequences
    "16 of 2048": [2048] * 16,
    "128 to 4096": [128 * (i + 1) for i in range(32)],
    "one long": [16384] + [257] * 32,
    "short, odd": [(37 * i) % 509 + 1 for i in range(128)],
}


def starts(lengths):
    return torch.tensor([sum(lengths[:i]) for i in range(len(lengths) + 1)], device="cuda", dtype=torch.int32)


def check(q, k, v, o, lse, lengths, causal):
    """The largest error of a sequence, in O and in the log-sum-exp, against float64."""
    at, worst, worst_lse = 0, 0.0, 0.0
    for n in lengths:
        part = slice(at, at + n)
        at += n
        if n > 4096:  # float64 scores of longer ones do not fit
            continue
        want, want_lse = reference(*(t[part].transpose(0, 1)[None] for t in (q, k, v)), causal)
        worst = max(worst, error_of(o[part].transpose(0, 1)[None], want))
        worst_lse = max(worst_lse, (lse[:, part].double() - want_lse[0]).abs().max().item())
    return worst, worst_lse


def padded(n):
    return -(-n // 64) * 64


def gradients(libraries, causal, q, k, v, o, lse, do, cu, longest):
    """A call ready to be repeated, and the gradients that it writes."""
    total, heads, d = q.shape
    made = [torch.full_like(t, math.nan) for t in (q, k, v)]
    rows = [torch.full((heads, padded(total)), math.nan, device="cuda") for _ in range(2)]
    sums = torch.full((total, heads, d), math.nan, device="cuda")
    name = "attention_varlen_backward" + ("" if d == 128 else "_apart")
    library = libraries[f"attention_varlen_backward_{d}" + ("_causal" if causal else "")]
    arguments = (q, k, v, o, lse, do, cu, cu, *made, *rows, sums, longest, d**-0.5, 0.0)
    call = library.bind(name, *arguments)
    call.keep = arguments  # the call holds addresses
    return call, made


def check_gradients(got, peer, q, k, v, do, lengths, causal):
    """The largest error of a sequence in any gradient against float64: ours, and the peer's."""
    at, worst = 0, [0.0, 0.0]
    for n in lengths:
        part = slice(at, at + n)
        at += n
        if n > 4096 or n < 16:  # float64 scores of longer ones do not fit; of few keys dQ and dK vanish
            continue
        leaves = [t[part].transpose(0, 1)[None].double().requires_grad_() for t in (q, k, v)]
        o, _ = reference(*leaves, causal)
        wanted = torch.autograd.grad(o, leaves, do[part].transpose(0, 1)[None].double())
        for side, made in enumerate((got, peer)):
            for g, w in zip(made or (), wanted):
                worst[side] = max(worst[side], error_of(g[part].transpose(0, 1)[None], w))
    return worst


def peer_of(q, k, v, do, cu, longest, causal):
    """Outputs and log-sum-exp of PyTorch's FlashAttention-2, and a call of its backward pass, or why there is none."""
    words = dict(scale=q.shape[-1]**-0.5)
    sequences = cu, cu, longest, longest
    o, lse, state, unused, _ = torch.ops.aten._flash_attention_forward(q, k, v, *sequences, 0.0, causal, False, **words)

    def call():
        return torch.ops.aten._flash_attention_backward(do, q, k, v, o, lse, *sequences, 0.0, causal, state, unused, **words)
    try:
        call()
    except (AttributeError, RuntimeError, TypeError) as error:
        print(f"PyTorch's _flash_attention_backward is not there: {error}")
        call = None
    return o, lse, call


def backward(libraries, dimensions, seconds):
    good = True
    for d in dimensions:
        for name, lengths in BATCHES.items():
            for causal in (False, True):
                total, longest, cu = sum(lengths), max(lengths), starts(lengths)
                q, k, v, do = (torch.randn(total, HEADS, d, device="cuda", dtype=torch.bfloat16) for _ in range(4))
                o, lse, flash = peer_of(q, k, v, do, cu, longest, causal)
                ours, got = gradients(libraries, causal, q, k, v, o, lse.float().contiguous(), do, cu, longest)
                ours()
                error, theirs = check_gradients(got, flash() if flash else None, q, k, v, do, lengths, causal)
                right = error < (max(1.1 * theirs, 4e-3) if flash else 1e-2) and not any(torch.isnan(g).any() for g in got)
                good = good and right
                mean = round(math.sqrt(sum(n * n for n in lengths) / len(lengths)))
                batch = [torch.randn(len(lengths), HEADS, mean, d, device="cuda", dtype=torch.bfloat16) for _ in range(5)]
                even, _ = attention_backward.ours(libraries, causal, *batch, torch.full(batch[0].shape[:3], 8.0, device="cuda"))
                flops = 10.0 * HEADS * d * sum(n * n for n in lengths) / (2 if causal else 1)
                contenders = {"tkc": ours, "even": even, **({"flash": flash} if flash else {})}
                rates = measure(contenders, flops, seconds)
                text = f"backward D{d:<3} {name:12} {'causal' if causal else 'full  '}"
                for way in ("turn", "burst"):
                    tkc, dense = (rates[who, way][0] for who in ("tkc", "even"))
                    text += f" | {way} {tkc:4.0f}"
                    if flash:
                        fa2 = rates["flash", way][0]
                        text += f" / FlashAttention-2 {fa2:4.0f} = {tkc / fa2:.2f}"
                    text += f", of even lengths {tkc / dense:.3f}"
                print(text + f" | error {error:.1e} ({theirs:.1e}){'' if right else ' WRONG'}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--libraries", default="../build/bench")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--only", type=int, nargs="*", default=[64, 96, 128])
    args = parser.parse_args()
    torch.manual_seed(1)
    libraries = Libraries(args.libraries)
    good = True
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s, median, in turn and in burst")
    if args.backward:
        raise SystemExit(0 if backward(libraries, args.only, args.seconds) else 1)
    for name, lengths in BATCHES.items():
        for causal in (False, True):
            total, longest = sum(lengths), max(lengths)
            cu = starts(lengths)
            q, k, v = (torch.randn(total, HEADS, D, device="cuda", dtype=torch.bfloat16) for _ in range(3))
            o, lse = torch.full_like(q, math.nan), torch.full((HEADS, total), math.nan, device="cuda")
            function = "attention_varlen_causal" if causal else "attention_varlen"
            blocks = [torch.empty(total // 128 + len(lengths), device="cuda", dtype=torch.int32) for _ in range(2)]
            ours = libraries["attention_varlen"].bind(function, q, k, v, cu, cu, o, lse, *blocks, D**-0.5, 0.0)
            ours()
            error, error_lse = check(q, k, v, o, lse, lengths, causal)
            good = good and error < 5e-3 and error_lse < 1e-4 and not torch.isnan(o).any()

            def flash():
                return torch.ops.aten._flash_attention_forward(q, k, v, cu, cu, longest, longest, 0.0, causal, False, scale=D**-0.5)

            mean = round(math.sqrt(sum(n * n for n in lengths) / len(lengths)))
            batch = [torch.randn(len(lengths), HEADS, mean, D, device="cuda", dtype=torch.bfloat16) for _ in range(3)]
            results = torch.empty_like(batch[0]), torch.empty(batch[0].shape[:3], device="cuda")
            even = libraries["attention"].bind("attention_causal" if causal else "attention", *batch, *results, D**-0.5)
            flops = 4.0 * HEADS * D * sum(n * n for n in lengths) / (2 if causal else 1)
            rates = measure({"tkc": ours, "flash": flash, "even": even}, flops, args.seconds)
            text = f"{name:12} {'causal' if causal else 'full  '}"
            for way in ("turn", "burst"):
                tkc, fa2, dense = (rates[who, way][0] for who in ("tkc", "flash", "even"))
                text += f" | {way} {tkc:4.0f} / FlashAttention-2 {fa2:4.0f} = {tkc / fa2:.2f}, of even lengths {tkc / dense:.3f}"
            print(text + f" | error {error:.1e}, log-sum-exp {error_lse:.1e}", flush=True)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
