#!/usr/bin/env python3
"""Small models of Mamba-2 and of the gated delta rule with random weights: their layers, and their training, with our kernels and others.

    TK_TKC=build/release/tkc python3 bench/train_sequence.py                  on a Hopper GPU
    TK_TKC=build/release/tkc python3 bench/train_sequence.py --families gated_delta --head 128
    TK_TKC=.. python3 bench/train_sequence.py --device cpu --small            in the emulator, to try the script

`exact` has PyTorch in float32 in the kernels' place, and rounds their results and gradients to bfloat16. The peer has the whole layers
of mamba_ssm and of flash-linear-attention, where these can be imported. All have one set of weights.

Layers: the stream after each block, and the gradients of the weights of all blocks, against the model in float64. Errors are relative,
root of the mean square. Training: `seed 1` to `seed 3` are `exact`, rounded up or down at random, so that they differ as rounding makes
a model differ. Ends with 1 unless errors of ours are at most FACTORS times the largest of the others, of which a peer's counts up to
twice that of `exact`, every loss drops by --drop, and ours keeps as near to the seeds as they do to each other, with the
factors and the margins of training.LIMITS.
"""
import argparse
import os
import sys
import time

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

import sequence_models  # noqa: E402
import training  # noqa: E402
from recurrences import error  # noqa: E402
from sequence_models import Exact, Model, Ours  # noqa: E402

# Errors of ours may be so many times the largest of the others.
FACTORS = {"the stream": 1.25, "gradients": 1.5}
BATCHES = 4  # that errors are taken over
SEEDS = ("seed 1", "seed 2", "seed 3")


def made(args, family, kernels):
    """A model whose weights are the same in each call."""
    torch.manual_seed(0)
    return Model(family, args.dim, args.layers, args.head, kernels)


def with_peers(args, family):
    """The package that has the peers, and the model with them; or None, None."""
    model = made(args, family, None)
    package = model.with_peers()
    return (None, None) if package is None else (package, model)


def look(model, batches):
    """For some batches of tokens and those wanted: what the blocks give, by block, and gradients of weights, by name; lists of tensors."""
    states, gradients = {}, {}
    for tokens, wanted in batches:
        stream = model.states(tokens)
        logits = model.logits(stream[-1]).to(stream[0].dtype)
        model.zero_grad()
        F.cross_entropy(logits.flatten(0, 1), wanted.flatten()).backward()
        for i, behind in enumerate(stream[1:]):
            states.setdefault(f"block {i + 1}", []).append(behind.detach())
            for name, weight in model.blocks[i].named_parameters():
                gradients.setdefault(name, []).append(weight.grad)
    return states, gradients


def joined(tensors):
    return torch.cat([t.flatten() for t in tensors])


def layers(args, family, data, starts):
    """Prints errors. True if those of ours are no larger than others have."""
    batches = [training.windows(args, data, rows) for rows in starts[:BATCHES]]
    package, theirs = with_peers(args, family)
    models = {"exact": made(args, family, Exact()), "ours": made(args, family, Ours)}
    if package is not None:
        models = {package: theirs, **models}
    truth = look(made(args, family, Exact()).to(args.device).double(), batches)
    found = {}
    for name, model in models.items():
        with torch.autocast(args.device, torch.bfloat16):
            found[name] = look(model.to(args.device), batches)
    good = True
    for part, (title, factor) in enumerate(FACTORS.items()):
        print(f"\n  {family}, errors of {title:<13}" + "".join(f"{name:>11}" for name in found))
        for row, want in truth[part].items():
            errors = {name: error(joined(of[part][row]), joined(want)) for name, of in found.items()}
            # A peer that is far off excuses nothing.
            right = errors["ours"] <= factor * min(max(e for name, e in errors.items() if name != "ours"), 2 * errors["exact"])
            good &= right
            print(f"    {row:<{len(family) + 23}}" + "".join(f"{e:11.2e}" for e in errors.values()) + ("" if right else " TOO LARGE"), flush=True)
    return good


def curves(args, family, data, starts):
    """Trains, and compares the losses. True if ours are as they are to be."""
    models = {name: made(args, family, Exact(torch.Generator(args.device).manual_seed(i))) for i, name in enumerate(SEEDS)}
    package, theirs = with_peers(args, family)
    if package is not None:
        models[package] = theirs
    models["ours"] = made(args, family, Ours)
    losses = {}
    print()
    for name, model in models.items():
        losses[name], seconds = training.train(args, model.to(args.device), data, starts)
        print(f"  {family}, {name}: {training.parameters(model)}, {seconds:.1f} s", flush=True)
    return training.compare(losses, SEEDS, args.drop)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=list(sequence_models.LAYERS), default=list(sequence_models.LAYERS))
    parser.add_argument("--head", type=int, choices=[64, 128], default=64)
    parser.add_argument("--only", choices=["layers", "training"])
    sizes = dict(steps=(100, 8), dim=(512, 64), layers=(4, 2), batch=(16, 2), length=(512, 70))
    training.arguments(parser, sizes)
    args = training.parsed(parser, sizes)
    if args.dim % args.head != 0:
        parser.error(f"--dim {args.dim} has no whole number of heads of {args.head} cells")

    torch.backends.cudnn.allow_tf32 = False  # convolutions of `exact`
    begin = time.perf_counter()
    data, starts = training.batches(args)
    good = True
    for family in args.families:
        if args.only != "training":
            good &= layers(args, family, data, starts)
        if args.only != "layers":
            good &= curves(args, family, data, starts)
    print(f"\n{'all is well' if good else 'FAILED'} ({time.perf_counter() - begin:.0f} s)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
