"""Checks and times tk.torch.sparse_attention, forward and backward, next to dense causal attention by cuDNN, whose work grows with the
square of the tokens, and with --flex next to PyTorch's FlexAttention with an equal mask. --native also times all of
tk.torch.native_sparse_attention, which makes its own lists. --apart also times the gradients of deterministic algorithms.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/attention_sparse.py [--seconds 2] [--shapes 0 1] [--lists near] [--kernels]

Lists name the first block, the token's own, the one before, and the most important others, where importance is a random number.
`alike`: one for 64 tokens, so that neighbors list the same blocks; `random`: one for each token, so that they share three;
`near`: the sum of both. How many blocks tiles of 4 tokens list together is told. Real lists are between the first and the last.
Backward passes are timed after forward ones, whose time is taken off. Errors are against float64: of O and dQ for some tokens, of dK
and dV for some blocks. The script ends with 1 where one is over 8e-3. --kernels tells the time of each kernel.
--device cpu checks one small shape by the emulator and times nothing.
"""
import argparse
import math
import time

import torch
import torch.nn.functional as F

import tk
from timing import measure, recorded

SHAPES = [(1, 8192), (1, 16384), (1, 32768), (2, 16384), (4, 8192), (4, 16384)]  # B, tokens
LISTS = ("random", "near", "alike")


def listed(batch, tokens, heads, blocks, block, kind, device):
    """Blocks of every token, -1 where there are no more."""
    generator = torch.Generator(device).manual_seed(2)
    every = math.ceil(tokens / block)
    place = torch.arange(tokens, device=device) // block
    shape = (batch, every, heads, every)
    score = torch.zeros((batch, tokens, heads, every), device=device)
    if kind != "random":
        score += torch.rand(shape, device=device, generator=generator)[:, place]
    if kind != "alike":
        score += torch.rand(score.shape, device=device, generator=generator)
    which, own = torch.arange(every, device=device), place[:, None, None]
    score.masked_fill_((which == 0) | (which == own) | (which == own - 1), math.inf).masked_fill_(which > own, -math.inf)
    found = score.topk(min(blocks, every), 3)
    return torch.where(found.values == -math.inf, -1, found.indices).int()


def together(indices, every):
    """How many blocks four neighbors list, on average."""
    batch, tokens, heads, _ = indices.shape
    four = indices[:, :tokens // 4 * 4].view(batch, -1, 4, heads, indices.shape[3]).transpose(2, 3).flatten(3)
    found = torch.zeros((*four.shape[:3], every + 1), dtype=torch.bool, device=indices.device)
    found.scatter_(3, torch.where(four < 0, every, four).long(), True)
    return found[..., :every].sum(3).float().mean().item()


def made(call, q, k, v, do):
    """O and the gradients."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o = call(*leaves)
    return o.detach(), *torch.autograd.grad(o, leaves, do)


def error(got, want):
    return ((got.double() - want).norm() / want.norm()).item()


def errors(q, k, v, do, indices, block, found):
    """The largest relative errors of O, dQ, dK and dV, of the first batch: of 64 tokens that lie apart, of three blocks."""
    o, dq, dk, dv = (x[0] for x in found)
    q, k, v, do = (x[0] for x in (q, k, v, do))
    tokens, heads, cells = k.shape
    scale, group = cells**-0.5, q.shape[1] // heads
    key, worst = torch.arange(tokens, device=q.device), [0.0] * 4
    lse = torch.empty(q.shape[:2], dtype=torch.float64, device=q.device)
    seen_by = []  # of each head: which tokens list which blocks
    for h in range(heads):
        seen_by.append(torch.zeros((tokens, math.ceil(tokens / block) + 1), dtype=torch.bool, device=q.device))
        seen_by[h].scatter_(1, indices[0, :, h].long() % seen_by[h].shape[1], True)  # -1 is the last column
        own = slice(h * group, (h + 1) * group)
        for t in range(0, tokens, 256):
            part = slice(t, min(t + 256, tokens))
            seen = seen_by[h][part][:, key // block] & (key <= key[part, None])
            s = torch.einsum("tgd,sd->tgs", q[part, own].double(), k[:, h].double()) * scale
            s.masked_fill_(~seen[:, None], -math.inf)
            lse[part, own] = torch.logsumexp(s, 2)
            some = slice(0, None, max(tokens // 64 // 4, 1))
            p = torch.exp(s[some] - lse[part, own][some, :, None])
            want = p @ v[:, h].double()
            grad = do[part, own][some].double()
            ds = p * (grad @ v[:, h].double().T - (want * grad).sum(2, keepdim=True))
            worst[0] = max(worst[0], error(o[part, own][some], want))
            worst[1] = max(worst[1], error(dq[part, own][some], ds @ k[:, h].double() * scale))
    delta = (o.double() * do.double()).sum(2)
    for h in (0, heads - 1):
        own = slice(h * group, (h + 1) * group)
        for j in {0, math.ceil(tokens / block) // 2, math.ceil(tokens / block) - 1}:
            keys = slice(j * block, min((j + 1) * block, tokens))
            rows = seen_by[h][:, j].nonzero()[:, 0]
            mine, grad = q[rows, own].double(), do[rows, own].double()
            p = torch.exp(mine @ k[keys, h].double().T * scale - lse[rows, own][..., None])
            p.masked_fill_((key[keys] > rows[:, None])[:, None], 0)
            ds = p * (grad @ v[keys, h].double().T - delta[rows, own][..., None]) * scale
            worst[2] = max(worst[2], error(dk[keys, h], torch.einsum("tgs,tgd->sd", ds, mine)))
            worst[3] = max(worst[3], error(dv[keys, h], torch.einsum("tgs,tgd->sd", p, grad)))
    return worst


def dense(k, v, group):
    """Causal attention by cuDNN; heads of k and v are repeated beforehand."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    wide = [x.transpose(1, 2).repeat_interleave(group, 1) for x in (k, v)]

    def call(q, k, v):
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return call, wide


def flexible(indices, block, heads):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    batch, tokens, kv_heads, _ = indices.shape
    seen = torch.zeros((batch, kv_heads, tokens, math.ceil(tokens / block) + 1), dtype=torch.bool, device=indices.device)
    seen.scatter_(3, indices.transpose(1, 2).long() % seen.shape[3], True)

    def mask(b, h, row, col):
        return seen[b, h // (heads // kv_heads), row, col // block] & (col <= row)
    blocks = torch.compile(create_block_mask)(mask, batch, heads, tokens, tokens, device="cuda")
    attention = torch.compile(flex_attention, dynamic=False)
    return lambda q, k, v: attention(q, k, v, block_mask=blocks, enable_gqa=True)


def milliseconds(calls, seconds):
    """Of each call, in turn with the others."""
    spent = []
    for call in calls.values():
        call()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        spent.append(time.perf_counter() - begin)
    unit = 600e12 * sum(spent) / len(spent)  # what `measure` takes for a call of that length
    return {name: unit / rate[0] / 1e9 for (name, way), rate in measure(calls, unit, seconds).items() if way == "burst"}


def told_by_kernel(call):
    from torch.profiler import ProfilerActivity, profile

    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    for row in sorted(seen.key_averages(), key=lambda row: -row.device_time_total):
        if row.device_time_total > 0:
            print(f"    {row.device_time_total / 1e3:8.3f} ms  {row.key[:110]}")


def run(shape, kind, args):
    batch, tokens = shape
    group, d, block = args.group, args.head, args.block
    tensors = [torch.randn(batch, tokens, n, d, device=args.device, dtype=torch.bfloat16)
               for n in (args.heads * group, args.heads, args.heads, args.heads * group)]
    q, k, v, do = tensors
    indices = listed(batch, tokens, args.heads, args.blocks, block, kind, args.device)
    ours = lambda q, k, v: tk.torch.sparse_attention(q, k, v, indices, block_size=block)  # noqa: E731
    good = True
    for apart in (False, True)[:1 + args.apart]:
        torch.use_deterministic_algorithms(apart)
        worst = errors(*tensors, indices, block, made(ours, *tensors))
        torch.use_deterministic_algorithms(False)
        good = good and max(worst) <= 8e-3
        print(f"B{batch} N{tokens} {kind}{', apart' if apart else ''}: {together(indices, math.ceil(tokens / block)):.1f} blocks for 4 tokens"
              " | errors of O, dQ, dK, dV: " + " ".join(f"{x:.1e}" for x in worst) + ("" if good else "   WRONG"), flush=True)
    if args.device == "cpu":
        return good
    calls = {"tkc": (ours, tensors)}
    turned = [x.transpose(1, 2) for x in (q, do)]
    call, wide = dense(k, v, group)
    calls["cuDNN dense"] = (call, (turned[0], *wide, turned[1]))
    if args.native:
        gates = [torch.rand(q.shape[:3], device=q.device, dtype=q.dtype) for _ in range(3)]
        calls["native"] = (lambda q, k, v: tk.torch.native_sparse_attention(q, k, v, *gates, block_counts=args.blocks,
                                                                            block_size=block), tensors)
    if args.flex:
        calls["flex"] = (flexible(indices, block, args.heads * group), (turned[0], k.transpose(1, 2), v.transpose(1, 2), turned[1]))
    forward, both = {}, {}
    if args.apart:
        calls["apart"] = calls["tkc"]
    for who, (call, given) in calls.items():
        torch.use_deterministic_algorithms(who == "apart")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            made(call, *given)
            with torch.no_grad():
                call(*given[:3])
        torch.cuda.current_stream().wait_stream(side)
        with torch.no_grad():
            forward[who] = recorded(lambda call=call, given=given: call(*given[:3]), 1)
        both[who] = recorded(lambda call=call, given=given: made(call, *given), 1)
        torch.use_deterministic_algorithms(False)
    pairs = (indices >= 0).sum().item() * block * group  # of rows and keys; the token's own block is counted whole
    ahead, all_of_it = milliseconds(forward, args.seconds), milliseconds(both, args.seconds)
    for what, spent, products in (("forward", ahead, 4), ("backward", {who: all_of_it[who] - ahead[who] for who in calls}, 10)):
        print(f"  {what:8} | " + " | ".join(f"{who} {ms:8.3f} ms" for who, ms in spent.items())
              + f" | {spent['cuDNN dense'] / spent['tkc']:5.2f} times as fast as dense | {products * pairs * d / spent['tkc'] / 1e9:4.0f} TFLOP/s",
              flush=True)
    if args.kernels:
        for who in ("tkc", "native") if args.native else ("tkc",):
            print(f"  kernels of {who}:")
            told_by_kernel(lambda call=calls[who][0]: made(call, *tensors))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(SHAPES)), help=f"of {SHAPES}")
    parser.add_argument("--lists", nargs="*", default=LISTS)
    parser.add_argument("--heads", type=int, default=4, help="of k")
    parser.add_argument("--group", type=int, default=16, help="heads of q that share one of k")
    parser.add_argument("--head", type=int, default=128, help="head dimension")
    parser.add_argument("--blocks", type=int, default=16, help="that a token lists")
    parser.add_argument("--block", type=int, default=64, help="keys of a block")
    parser.add_argument("--flex", action="store_true")
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    torch.manual_seed(1)
    torch.utils.deterministic.fill_uninitialized_memory = False
    if args.device == "cpu":
        shapes, args.heads, args.group, args.head, args.blocks = [(1, 200)], 2, 4, 64, 3
    else:
        shapes = [SHAPES[i] for i in args.shapes]
        print(torch.cuda.get_device_name(), "torch", torch.__version__,
              f"| heads {args.heads * args.group} / {args.heads}, D{args.head}, {args.blocks} blocks of {args.block}")
    good = True
    for shape in shapes:
        for kind in args.lists:
            good = run(shape, kind, args) and good
            if args.device != "cpu":
                torch.cuda.empty_cache()
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
