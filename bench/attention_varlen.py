"""Checks and times examples/attention/attention_varlen.tk: sequences of different lengths, packed.

Build the libraries with bench/build.sh, then: python3 bench/attention_varlen.py [--seconds 2]
Beside it in the same run: PyTorch's FlashAttention-2 on the same packed tensors, and examples/attention/attention.tk on a batch of
sequences that are all as long as the mean, which is what the work would cost if nothing varied.
"""
import argparse
import math

import torch

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--libraries", default="../build/bench")
    parser.add_argument("--seconds", type=float, default=2)
    args = parser.parse_args()
    torch.manual_seed(1)
    libraries = Libraries(args.libraries)
    good = True
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "| TFLOP/s, median, in turn and in burst")
    for name, lengths in BATCHES.items():
        for causal in (False, True):
            total, longest = sum(lengths), max(lengths)
            cu = starts(lengths)
            q, k, v = (torch.randn(total, HEADS, D, device="cuda", dtype=torch.bfloat16) for _ in range(3))
            o, lse = torch.full_like(q, math.nan), torch.full((HEADS, total), math.nan, device="cuda")
            function = "attention_varlen_causal" if causal else "attention_varlen"
            ours = libraries["attention_varlen"].bind(function, q, k, v, cu, cu, o, lse, longest, D**-0.5, 0.0)
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
