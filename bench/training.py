"""What the scripts that train small models share: the text, the steps, and how near curves of the loss are to each other."""
import itertools
import math
import os
import sys
import time

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["base", "bench", "compiler", "docs", "driver", "emulator", "examples", "frontend", "ir", "language", "lowering", "python", "runtime",
           "stdlib", "target"]
SUFFIXES = (".cpp", ".cu", ".cuh", ".def", ".h", ".md", ".py", ".tk")

# Of differences between curves: so many times the largest between two others, and so much besides.
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


def arguments(parser, sizes):
    """Those that the scripts share. `sizes`: more of them, by name, each with its usual value and a small one."""
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--small", action="store_true", help="sizes for the emulator")
    parser.add_argument("--text", metavar="FILE", help="what is learned, if not the project's own text")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--drop", type=float, default=1.5, help="of the loss, that is to be seen")
    for name, (usual, small) in sizes.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help=f"{usual}, small {small}")


def parsed(parser, sizes):
    args = parser.parse_args()
    for name, values in sizes.items():
        if getattr(args, name) is None:
            setattr(args, name, values[args.small])
    return args


def batches(args):
    """Prints what is learned, and by what: the text as a tensor of bytes, and [steps, batch] where the rows of each step begin in it."""
    if args.text is None:
        text, files = text_of_project()
    else:
        with open(args.text, "rb") as stream:
            text, files = stream.read(), 1
    if len(text) <= args.length:
        sys.exit(f"the text has {len(text)} bytes, and a row takes {args.length + 1}")
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).to(args.device)
    starts = torch.randint(len(text) - args.length, (args.steps, args.batch), generator=torch.Generator().manual_seed(1)).to(args.device)
    device = torch.cuda.get_device_name() if args.device == "cuda" else "the emulator"
    print(f"PyTorch {torch.__version__}, {device}; {files} files, {len(text)} bytes; {args.steps} steps of {args.batch} x {args.length}")
    return data, starts


def windows(args, data, starts):
    """Tokens [batch, length], and those that follow each."""
    window = data[starts[:, None] + torch.arange(args.length + 1, device=args.device)].long()
    return window[:, :-1], window[:, 1:]


def parameters(model):
    return f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters"


def train(args, model, data, starts):
    """The losses of all steps, and the seconds that they took. starts [steps, batch]: where the rows of a step begin in data."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=args.rate, betas=(0.9, 0.95), weight_decay=0.1)
    losses = []
    begin = time.perf_counter()
    for step in range(args.steps):
        warm = min(1.0, (step + 1) / (0.1 * args.steps))
        for group in optimiser.param_groups:
            group["lr"] = args.rate * warm * (0.55 + 0.45 * math.cos(math.pi * step / args.steps))
        tokens, wanted = windows(args, data, starts[step])
        with torch.autocast(args.device, torch.bfloat16):
            logits = model(tokens)
        loss = F.cross_entropy(logits.float().flatten(0, 1), wanted.flatten())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.detach())
    losses = torch.stack(losses).double().cpu()
    return losses, time.perf_counter() - begin


def compare(losses, names, drop):
    """Prints curves and differences. True if all losses drop, and ours keeps as near to each of `names` as these do to each other."""
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
        def apart(pairs):
            """The largest for any of the pairs."""
            differences = [(losses[one] - losses[other])[:part].abs() for one, other in pairs]
            return {"mean": max(d.mean().item() for d in differences), "largest": max(d.max().item() for d in differences)}

        usual = apart(itertools.combinations(names, 2))
        bounds = {kind: factor * usual[kind] + margin for kind, (factor, margin) in LIMITS.items()}
        print(f"\n  {part} steps: {', '.join(names)} differ by {usual['mean']:.5f} in the mean, {usual['largest']:.5f} at most; "
              f"{bounds['mean']:.5f} and {bounds['largest']:.5f} are allowed")
        for one in [name for name in losses if name not in names]:
            found = apart((one, name) for name in names)
            right = all(found[kind] <= bounds[kind] for kind in LIMITS)
            good &= right or one != "ours"
            print(f"    {one} differs from them by {found['mean']:.5f} in the mean, {found['largest']:.5f} at most" +
                  ("" if right else ": TOO FAR"))
    return good
