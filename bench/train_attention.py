#!/usr/bin/env python3
"""Trains one small model of Llama's kind with the attention of PyTorch's backends and with ours, and compares the curves of the loss.

    TK_TKC=build/release/tkc python3 bench/train_attention.py                 on a Hopper GPU, heads of 64 cells
    TK_TKC=build/release/tkc python3 bench/train_attention.py --head 128
    TK_TKC=.. python3 bench/train_attention.py --device cpu --small           in the emulator, to try the script

The text is the project's own, its bytes the vocabulary. Weights, batches and all else are the same for every run; what differs is
rounding. Ends with 1 unless every loss drops by --drop, and ours keeps as near to either of the others as they do to each other,
with the factors and the margins of LIMITS; over all steps, and over the first quarter, where rounding has not grown much and an
error of a gradient shows best.
"""
import argparse
import math
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

import tk  # noqa: E402

FOLDERS = ["base", "bench", "docs", "driver", "emulator", "examples", "frontend", "ir", "language", "lowering", "python", "runtime",
           "stdlib", "target"]
SUFFIXES = (".cpp", ".cu", ".cuh", ".def", ".h", ".md", ".py", ".tk")

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION,
            "cudnn": SDPBackend.CUDNN_ATTENTION, "math": SDPBackend.MATH}

# Of differences between curves: so many times that of PyTorch's two, and so much besides.
LIMITS = {"mean": (2.0, 1e-4), "largest": (3.0, 1e-3)}


def text_of_project():
    """Sources and documents one after the other, in the order of their paths."""
    paths = []
    for folder in FOLDERS:
        for here, _, names in os.walk(os.path.join(ROOT, folder)):
            paths += [os.path.join(here, name) for name in names if name.endswith(SUFFIXES)]
    pieces = []
    for path in sorted(paths):
        with open(path, "rb") as stream:
            pieces.append(stream.read())
    return b"".join(pieces), len(paths)


class Model(torch.nn.Module):
    def __init__(self, dim, layers, heads, kv_heads, hidden, attention):
        super().__init__()
        self.embedding = torch.nn.Embedding(256, dim)
        self.blocks = torch.nn.ModuleList(tk.llama.Reference(dim, heads, kv_heads, hidden, attention=attention) for _ in range(layers))
        self.norm = torch.nn.Parameter(torch.ones(dim))
        self.head = torch.nn.Parameter(0.02 * torch.randn(256, dim))
        for block in self.blocks:  # the residual stream keeps its size
            for weight in (block.out, block.down):
                weight.data *= (2 * layers)**-0.5

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return F.linear(F.rms_norm(x, self.norm.shape, self.norm), self.head)


def of_backend(backend):
    """PyTorch's attention on one backend. Not all of them know groups: heads of k and v are repeated."""
    def attention(q, k, v, is_causal, enable_gqa):
        k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
    return attention


def ours(q, k, v, is_causal, enable_gqa):
    if q.is_cuda:
        return tk.torch.scaled_dot_product_attention(q, k, v, is_causal=is_causal, enable_gqa=enable_gqa, fallback=False)
    return torch.ops.tk.scaled_dot_product_attention(q, k, v, is_causal, q.shape[-1]**-0.5)[0]  # the emulator


def train(args, attention, data, starts):
    """The losses of all steps, and the seconds that they took."""
    torch.manual_seed(0)
    model = Model(args.dim, args.layers, args.dim // args.head, args.kv_heads, args.hidden, attention).to(args.device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=args.rate, betas=(0.9, 0.95), weight_decay=0.1)
    positions = torch.arange(args.length + 1, device=args.device)
    losses = []
    begin = time.perf_counter()
    for step in range(args.steps):
        warm = min(1.0, (step + 1) / (0.1 * args.steps))
        for group in optimiser.param_groups:
            group["lr"] = args.rate * warm * (0.55 + 0.45 * math.cos(math.pi * step / args.steps))
        window = data[starts[step][:, None] + positions].long()
        with torch.autocast(args.device, torch.bfloat16):
            logits = model(window[:, :-1])
        loss = F.cross_entropy(logits.float().flatten(0, 1), window[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.detach())
    losses = torch.stack(losses).double().cpu()
    return losses, time.perf_counter() - begin, sum(p.numel() for p in model.parameters())


def compare(losses, names, drop):
    """Prints curves and differences. True if ours is as the others are."""
    steps = len(losses["ours"])
    tail = max(1, steps // 20)  # the mean of the last ones is what a run has come to
    print("\n  step  " + "".join(f"{name:>11}" for name in losses))
    for step in sorted({0, *range(steps // 12, steps, max(1, steps // 12)), steps - 1}):
        print(f"  {step:>4}  " + "".join(f"{curve[step]:11.4f}" for curve in losses.values()))
    good = True
    for name, curve in losses.items():
        dropped = (curve[0] - curve[-tail:].mean()).item()
        right = dropped >= drop  # false for NaN, too
        good &= right
        print(f"  {name}: from {curve[0]:.4f} to {curve[-tail:].mean():.4f}, a drop of {dropped:.4f}" +
              ("" if right else f", and {drop} was to be"))

    for part in (steps // 4, steps):
        def apart(one, other):
            difference = (losses[one] - losses[other])[:part].abs()
            return {"mean": difference.mean().item(), "largest": difference.max().item()}

        usual = apart(*names)
        bounds = {kind: factor * usual[kind] + margin for kind, (factor, margin) in LIMITS.items()}
        print(f"\n  {part} steps: {names[0]} and {names[1]} differ by {usual['mean']:.5f} in the mean, {usual['largest']:.5f} at most; "
              f"{bounds['mean']:.5f} and {bounds['largest']:.5f} are allowed")
        for name in names:
            found = apart("ours", name)
            right = all(found[kind] <= bounds[kind] for kind in LIMITS)
            good &= right
            print(f"    ours and {name} differ by {found['mean']:.5f} in the mean, {found['largest']:.5f} at most" +
                  ("" if right else ": TOO FAR"))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--small", action="store_true", help="sizes for the emulator")
    parser.add_argument("--peers", nargs=2, choices=list(BACKENDS), help="PyTorch's backends; flash and efficient, on the CPU flash "
                        "and math")
    parser.add_argument("--head", type=int, choices=[64, 128], default=64)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--drop", type=float, default=1.5)
    sizes = dict(steps=(400, 40), dim=(512, 128), layers=(3, 2), kv_heads=(2, 1), hidden=(1024, 256), batch=(16, 4), length=(512, 96))
    for name, (usual, small) in sizes.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help=f"{usual}, small {small}")
    args = parser.parse_args()
    for name, values in sizes.items():
        if getattr(args, name) is None:
            setattr(args, name, values[args.small])
    peers = args.peers or (["flash", "efficient"] if args.device == "cuda" else ["flash", "math"])

    begin = time.perf_counter()
    text, files = text_of_project()
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).to(args.device)
    generator = torch.Generator().manual_seed(1)
    starts = torch.randint(len(text) - args.length, (args.steps, args.batch), generator=generator).to(args.device)
    device = torch.cuda.get_device_name() if args.device == "cuda" else "the emulator"
    print(f"PyTorch {torch.__version__}, {device}; {files} files, {len(text)} bytes; {args.steps} steps of {args.batch} x {args.length}")
    losses = {}
    for name in [*peers, "ours"]:
        attention = ours if name == "ours" else of_backend(BACKENDS[name])
        losses[name], seconds, parameters = train(args, attention, data, starts)
        print(f"  {name}: {parameters / 1e6:.2f} M parameters, {seconds:.1f} s", flush=True)
    good = compare(losses, peers, args.drop)
    print(f"\n{'all is well' if good else 'FAILED'} ({time.perf_counter() - begin:.0f} s)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
