#!/usr/bin/env python3
"""Decodes with a model of Llama's shape and random weights: tk.decoder, on our kernels and a cache in pages, next to the same weights in
PyTorch with a static cache, compiled.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/decode_model.py [--layers 8] [--batches 1 16] [--prompt 1024] [--tokens 64]

The sizes are those of Llama 3 8B; --layers 32 is all of it. Ours is one CUDA graph of a step, which is replayed. PyTorch's step is
compiled in three forms: `reduce-overhead`, which makes graphs by itself; `graph`, the default mode captured here; `flex`, the same
with FlexAttention. In the others the heads that share keys are the rows of scaled_dot_product_attention, with a mask.

Every token of everyone is judged by the scores that the model has in float32 after the same text (so that one token that differs
spoils no other): the best score may be ahead of the token's by MARGIN deviations of the scores at most. Where the best two are
further apart than that, the token must thus be the reference's; the script prints for how many that is so. It first checks a small
model on texts of different lengths, two prompts by one graph, and the pages in any order. It ends with 1 where anything is wrong.
--device cpu only checks, ours by the emulator and PyTorch's as it is written.
"""
import argparse
import random
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import flex_attention

import tk
from timing import recorded
from tk.decoder import Greedy, Model, lead_over

MARGIN = 0.1  # in deviations of the scores. Scores of bf16 models differ from float32's by some 0.01 of these
RIGHT = 3e-2  # relative error of the scores


class Static(torch.nn.Module):
    """The model's step by PyTorch's functions, with a cache of [batch, heads, places, cells]. It changes text, lengths and caches."""

    def __init__(self, model, batch, capacity, flex):
        super().__init__()
        self.model, self.flex = model, flex
        device = model.cos.device
        shape = batch, model.kv_heads, capacity, model.head
        for name in self.cache_names():
            self.register_buffer(name, torch.zeros(shape, dtype=torch.bfloat16, device=device))
        self.register_buffer("text", torch.zeros(batch, capacity + 1, dtype=torch.int32, device=device))
        self.register_buffer("lengths", torch.zeros(batch, dtype=torch.int32, device=device))
        self.register_buffer("rows", torch.arange(batch, device=device))
        self.register_buffer("places", torch.arange(capacity, device=device))

    def cache_names(self):
        return [f"{which}{i}" for i in range(len(self.model.layers)) for which in "kv"]

    def attended(self, q, k, v, at):
        if self.flex:
            def seen(score, b, h, row, key):
                return torch.where(key <= at[b], score, -float("inf"))
            return flex_attention(q[:, :, None], k, v, score_mod=seen, enable_gqa=True)[:, :, 0]
        shared = q.unflatten(1, (k.shape[1], -1))
        mask = (self.places <= at[:, None])[:, None, None].expand(-1, 1, shared.shape[2], -1)
        return F.scaled_dot_product_attention(shared, k, v, attn_mask=mask).flatten(1, 2)

    def step(self):
        m, at = self.model, self.lengths.long()
        cos, sin = m.cos[at][:, None], m.sin[at][:, None]

        def turned(t):
            a, b = t.float().chunk(2, dim=-1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(t.dtype)

        def normed(t, weight):
            return F.rms_norm(t, t.shape[-1:], weight, m.eps)

        x = F.embedding(self.text.gather(1, at[:, None])[:, 0], m.embedding)
        for i, layer in enumerate(m.layers):
            packed = F.linear(normed(x, layer.norm1), layer.qkv).unflatten(1, (-1, m.head))
            q, k, v = packed.split([m.heads, m.kv_heads, m.kv_heads], dim=1)
            keys, values = getattr(self, f"k{i}"), getattr(self, f"v{i}")
            keys[self.rows, :, at] = turned(k)
            values[self.rows, :, at] = v
            x = x + F.linear(self.attended(turned(q), keys, values, at).flatten(1), layer.out)
            gate, up = F.linear(normed(x, layer.norm2), layer.gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, layer.down)
        logits = F.linear(normed(x, m.norm), m.scores)
        self.lengths.add_(1)
        self.text.scatter_(1, at[:, None] + 1, logits.argmax(-1, keepdim=True).int())
        return logits


# ---- contenders: begin() goes back to the end of the prompt, step() adds a token --------------------


class Ours:
    def __init__(self, greedy):
        self.greedy, self.start = greedy, (greedy.text.clone(), greedy.lengths.clone(), greedy._longest)

    def begin(self):
        self.greedy.text.copy_(self.start[0])
        self.greedy.lengths.copy_(self.start[1])
        self.greedy._longest = self.start[2]

    def step(self):
        self.greedy.step()

    def found(self):
        return self.greedy.text


class PyTorchs:
    """how: "written", "reduce-overhead" or "graph"."""

    def __init__(self, greedy, how, flex):
        batch, model = len(greedy.text), greedy.model
        self.static = Static(model, batch, greedy.capacity, flex)
        self.start = greedy.text.clone(), greedy.lengths.clone()
        for name, cache in zip(self.static.cache_names(), greedy.caches.flatten(0, 1)):
            held = cache[greedy.table.long()].flatten(1, 2)[:, :greedy.capacity]
            getattr(self.static, name).copy_(held.transpose(1, 2))
        self.begin()
        self.run = self.static.step
        if how == "reduce-overhead":
            self.run = torch.compile(self.static.step, mode="reduce-overhead", fullgraph=True, dynamic=False)
        elif how == "graph":
            self.run = captured(torch.compile(self.static.step, fullgraph=True, dynamic=False))
        if how != "written":
            for _ in range(3):  # compiles, records
                self.begin()
                self.step()
            self.begin()

    def begin(self):
        self.static.text.copy_(self.start[0])
        self.static.lengths.copy_(self.start[1])

    @torch.no_grad()
    def step(self):
        self.run()

    def found(self):
        return self.static.text


@torch.no_grad()
def captured(call):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            call()
    torch.cuda.current_stream().wait_stream(side)
    return recorded(call, 1)


# ---- judging -------------------------------------------------------------------------------------


class Judged:
    """Tokens after the places that are not given, in texts one after the other."""

    def __init__(self, model):
        self.model, self.lead, self.sure, self.same, self.tokens = model, 0.0, 0, 0, 0

    @torch.no_grad()
    def add(self, text, first):
        """text: known tokens, of which those from `first` on are judged. Gives the reference's last scores."""
        logits = self.model.reference(text[None, :-1], last=len(text) - first)[0]
        scale = logits.std(dim=-1)
        lead = lead_over(logits, text[first:]) / scale
        best = logits.topk(2).values
        self.lead = max(self.lead, lead.max().item())
        self.sure += int(((best[:, 0] - best[:, 1]) / scale > MARGIN).sum())
        self.same += int((lead == 0).sum())
        self.tokens += len(lead)
        return logits[-1]

    def right(self):
        return self.lead <= MARGIN

    def told(self):
        return (f"{self.same} of {self.tokens} tokens are the reference's, {self.sure} of them must be; the best is ahead of others by "
                f"{self.lead:.3f} deviations at most{'' if self.right() else ' WRONG'}")


def small(device):
    """Texts of different lengths, and a graph that is replayed with others."""
    torch.manual_seed(0)
    model = Model(256, 2, 256, 4, 2, 256, places=128, device=device)
    greedy, eager = (Greedy(model, 3, 112, page=16) for _ in range(2))
    judged, error, right = Judged(model), 0.0, True
    for lengths in ((5, 17, 64), (90, 1, 16)):
        texts = [torch.randint(0, 256, (n,)).tolist() for n in lengths]
        greedy.table.copy_(torch.randperm(greedy.table.numel()).view_as(greedy.table))
        for each in (greedy, eager):
            each.prompt(texts)
        if device == "cuda" and greedy._graph is None:
            greedy.capture()
        for _ in range(8):
            greedy.step()
            eager.step()
        right = right and torch.equal(greedy.text, eager.text) and torch.equal(greedy.logits, eager.logits)
        for row, n in enumerate(lengths):
            want = judged.add(greedy.text[row, :n + 9], n)
            error = max(error, ((greedy.logits[row].float() - want).norm() / want.norm()).item())
    print(f"small: {judged.told()}; scores by {error:.1e}; {'same bits' if right else 'OTHER BITS'} without a graph and with other pages",
          flush=True)
    right = right and judged.right() and error < RIGHT
    for each in (PyTorchs(greedy, "written", flex) for flex in (True, False)):
        if device == "cpu" or not each.static.flex:  # which is compiled on a GPU
            for _ in range(4):
                each.step()
            judged = Judged(model)
            for row, n in enumerate(lengths):
                judged.add(each.found()[row, :n + 13], n)
            print(f"small, PyTorch as it is written{', flex' if each.static.flex else ''}: {judged.told()}", flush=True)
            right = right and judged.right()
    return right


# ---- timing --------------------------------------------------------------------------------------


FORMS = {"reduce-overhead": ("reduce-overhead", False), "graph": ("graph", False), "flex": ("graph", True)}


def timed(contenders, tokens, rounds):
    """Seconds of a step by the median, in turn."""
    names, taken = list(contenders), {name: [] for name in contenders}
    for _ in range(rounds):
        random.shuffle(names)
        for name in names:
            contenders[name].begin()
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda.synchronize()
            contenders[name].step()
            start.record()
            for _ in range(tokens - 1):
                contenders[name].step()
            end.record()
            torch.cuda.synchronize()
            taken[name].append(start.elapsed_time(end) / 1e3 / (tokens - 1))
    return {name: statistics.median(found) for name, found in taken.items()}


def compare(model, batch, args):
    """Prints a few lines; whether ours is right."""
    torch._dynamo.reset()
    held = args.prompt + args.tokens
    greedy = Greedy(model, batch, held)
    greedy.table.copy_(torch.randperm(greedy.table.numel()).view_as(greedy.table))
    greedy.prompt(torch.randint(0, model.embedding.shape[0], (batch, args.prompt)).tolist())
    greedy.capture()
    contenders, right = {"tkc": Ours(greedy)}, True
    for name in args.peers:
        start = time.perf_counter()
        try:
            contenders[f"PyTorch {name}"] = PyTorchs(greedy, *FORMS[name])
            print(f"  PyTorch {name}: ready after {time.perf_counter() - start:.0f} s", flush=True)
        except Exception as reason:  # a peer may fail in any way
            print(f"  PyTorch {name} is left out: {type(reason).__name__}: {str(reason).splitlines()[0] if str(reason) else ''}", flush=True)
            torch.cuda.synchronize()
    for name, contender in contenders.items():
        contender.begin()
        for _ in range(args.tokens):
            contender.step()
        judged = Judged(model)
        for row in {0, batch - 1}:
            want = judged.add(contender.found()[row], args.prompt)
            if name == "tkc":
                error = ((greedy.logits[row].float() - want).norm() / want.norm()).item()
                right = right and judged.right() and error < RIGHT
                print(f"  tkc, text {row}: scores by {error:.1e}")
        print(f"  {name}: {judged.told()}", flush=True)
    weights = sum(p.numel() for p in model.parameters()) - model.embedding.numel()
    keys = batch * (args.prompt + args.tokens / 2) * 2 * len(model.layers) * model.kv_heads * model.head
    found = timed(contenders, args.tokens, args.rounds)
    for name, each in found.items():
        print(f"B {batch}, {args.prompt} + {args.tokens} tokens, {name:24} {each * 1e6:8.0f} us a step, {batch / each:8.0f} tokens/s, "
              f"{2 * (weights + keys) / each / 1e9:5.0f} GB/s of weights, keys and values, {each / found['tkc']:.3f} of ours", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 16])
    parser.add_argument("--prompt", type=int, default=1024)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peers", nargs="*", choices=list(FORMS), default=["reduce-overhead", "flex"])
    args = parser.parse_args()
    right = small(args.device)
    if args.device == "cuda":
        print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, f"| tkc {tk.__version__}")
        model = Model(128256, args.layers, 4096, 32, 8, 14336, places=args.prompt + args.tokens)
        for batch in args.batches:
            right = compare(model, batch, args) and right
            torch.cuda.empty_cache()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
