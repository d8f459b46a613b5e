#!/usr/bin/env python3
"""Trains one small model of Llama's kind with the attention of PyTorch's backends and with ours, and compares the curves of the loss.

    TK_TKC=build/release/tkc python3 bench/train_attention.py                 on a Hopper GPU, heads of 64 cells
    TK_TKC=build/release/tkc python3 bench/train_attention.py --head 128
    TK_TKC=.. python3 bench/train_attention.py --device cpu --small           in the emulator, to try the script

The text is the project's own, its bytes the vocabulary. Weights, batches and all else are the same for every run; what differs is
rounding. Ends with 1 unless every loss drops by --drop, and ours keeps as near to either of the others as they do to each other,
with the factors and the margins of training.LIMITS; over all steps, and over the first quarter, where rounding has not grown much and
an error of a gradient shows best.
"""
import argparse
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

import tk  # noqa: E402
import training  # noqa: E402

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION,
            "cudnn": SDPBackend.CUDNN_ATTENTION, "math": SDPBackend.MATH}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", nargs=2, choices=list(BACKENDS), help="PyTorch's backends; flash and efficient, on the CPU flash "
                        "and math")
    parser.add_argument("--head", type=int, choices=[64, 128], default=64)
    sizes = dict(steps=(400, 40), dim=(512, 128), layers=(3, 2), kv_heads=(2, 1), hidden=(1024, 256), batch=(16, 4), length=(512, 96))
    training.arguments(parser, sizes)
    args = training.parsed(parser, sizes)
    peers = args.peers or (["flash", "efficient"] if args.device == "cuda" else ["flash", "math"])

    begin = time.perf_counter()
    data, starts = training.batches(args)
    losses = {}
    for name in [*peers, "ours"]:
        attention = ours if name == "ours" else of_backend(BACKENDS[name])
        torch.manual_seed(0)
        model = Model(args.dim, args.layers, args.dim // args.head, args.kv_heads, args.hidden, attention).to(args.device)
        losses[name], seconds = training.train(args, model, data, starts)
        print(f"  {name}: {training.parameters(model)}, {seconds:.1f} s", flush=True)
    good = training.compare(losses, peers, args.drop)
    print(f"\n{'all is well' if good else 'FAILED'} ({time.perf_counter() - begin:.0f} s)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
