#!/usr/bin/env python3
"""Checks and times tk.torch.decode: one new token a sequence, caches in pages of 64 and 16 tokens and in one piece.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/decode.py [--seconds 1] [--heads 64/8] [--batches 1 16] [--keys 1024]

Beside it on the same keys, where they can be imported and can do it: PyTorch's scaled_dot_product_attention on the cache in one piece,
as it is called (gqa) and with the heads that share keys as its rows (rows); flashinfer's wrapper for decoding (its kernels of tensor
cores) and XQA, on pages of 64 and 16; FlashAttention's flash_attn_with_kvcache, versions 2 and 3. A contender that fails is left out,
with its reason.

Caches come cold: a graph calls each contender on caches in turn, which are 256 MB together at least, and is replayed. Numbers
are GB/s of keys and values, by the median over replays in turn with the others, and us a call. Errors are relative ones against
float64, of the first and the last sequence. The script ends with 1 where one is wrong. --device cpu only checks, by the
emulator.
"""
import argparse
import math
import random
import statistics
import sys

import torch
import torch.nn.functional as F

import tk

D = 128
COLD = 256 << 20  # bytes, several times the L2 cache


def normal(*shape, device, dtype=torch.bfloat16):
    made = torch.empty(shape, device=device, dtype=dtype)
    for part in made if made.numel() > 1 << 28 else [made]:
        part.normal_()
    return made


def table_of(batch, keys, page, device):
    """Pages in any order."""
    return torch.randperm(batch * keys // page, device=device).to(torch.int32).view(batch, -1)


def exact(q, k, v):
    """One sequence in float64: q [tokens, heads, D], k and v [keys, heads of the keys, D]."""
    tokens, heads, _ = q.shape
    o = torch.zeros(q.shape, dtype=torch.float64, device=q.device)
    group = heads // k.shape[1]
    hidden = torch.arange(k.shape[0], device=q.device)[None] > k.shape[0] - tokens + torch.arange(tokens, device=q.device)[:, None]
    for h in range(heads if k.shape[0] else 0):
        s = q[:, h].double() @ k[:, h // group].double().T / math.sqrt(D)
        s = s.masked_fill(hidden, -math.inf)
        o[:, h] = torch.nan_to_num(torch.softmax(s, 1)) @ v[:, h // group].double()
    return o


def gathered(cache, row, length):
    return cache[row.long()].flatten(0, 1)[:length]


def error_of(got, want):
    return ((got.double() - want).norm() / want.norm().clamp(min=1e-30)).item()


# ---- odd shapes ----------------------------------------------------------------------------------


def check(device):
    """The largest error over lengths, pages, tokens and heads that are odd in some way."""
    worst = 0.0
    longest = 5000 if device == "cuda" else 100
    for page in (16, 32, 48, 64, 256):
        for tokens, heads, of_keys in ((1, 8, 8), (1, 14, 2), (3, 16, 2), (16, 16, 2), (1, 64, 8)):
            lengths = [longest, 0, 1, page, page + 1, 2 * page - 1]
            most = -(-max(lengths) // page)
            table = torch.randperm(len(lengths) * most, device=device).to(torch.int32).view(len(lengths), most)
            k, v = normal(2, table.numel(), page, of_keys, D, device=device)
            q = normal(len(lengths), tokens, heads, D, device=device)
            on_device = torch.tensor(lengths, dtype=torch.int32, device=device)
            for splits in (None, 1, 5):
                o = tk.torch.decode(q, k, v, table, on_device, num_splits=splits)
                for b, n in enumerate(lengths):
                    want = exact(q[b], *(gathered(x, table[b], n) for x in (k, v)))
                    worst = max(worst, error_of(o[b], want), 1.0 if torch.isnan(o[b]).any() else 0.0)
    return worst


# ---- contenders: functions of a cache (k, v), [batch, keys, heads, D], that give [batch, heads, D] --


def ours(q, lengths, table, page):
    def call(k, v):
        if table is None:
            return tk.torch.decode(q[:, None], k, v, None, lengths)[:, 0]
        k, v = (x.view(-1, page, *x.shape[2:]) for x in (k, v))
        return tk.torch.decode(q[:, None], k, v, table, lengths)[:, 0]
    return call


def pytorch(q, of_keys, rows):
    def call(k, v):
        k, v = k.transpose(1, 2), v.transpose(1, 2)
        if rows:
            return F.scaled_dot_product_attention(q.unflatten(1, (of_keys, -1)), k, v).flatten(1, 2)
        return F.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]
    return call


def flashinfer_wrapper(q, of_keys, table, page, keys):
    import flashinfer

    batch, pages = table.shape
    space = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    first = torch.arange(batch + 1, dtype=torch.int32, device="cuda") * pages
    last = torch.full((batch,), (keys - 1) % page + 1, dtype=torch.int32, device="cuda")
    wrapper = flashinfer.BatchDecodeWithPagedKVCacheWrapper(
        space, "NHD", use_cuda_graph=True, use_tensor_cores=True, paged_kv_indptr_buffer=first.clone(),
        paged_kv_indices_buffer=table.flatten().clone(), paged_kv_last_page_len_buffer=last.clone())
    wrapper.plan(first, table.flatten(), last, q.shape[1], of_keys, D, page, q_data_type=q.dtype, kv_data_type=q.dtype)

    def call(k, v):
        return wrapper.run(q, tuple(x.view(-1, page, *x.shape[2:]) for x in (k, v)))
    return call


def flashinfer_xqa(q, table, lengths, page, keys):
    import flashinfer

    space = torch.zeros(256 << 20, dtype=torch.uint8, device="cuda")

    def call(k, v):
        k, v = (x.view(-1, page, *x.shape[2:]) for x in (k, v))
        return flashinfer.decode.trtllm_batch_decode_with_kv_cache(q, (k, v), space, table, lengths, keys, bmm1_scale=D**-0.5,
                                                                   bmm2_scale=1.0, kv_layout="NHD", backend="xqa")
    return call


def flash_attention(q, lengths, table, page, version):
    if version == 3:
        from flash_attn_interface import flash_attn_with_kvcache
        words = dict(page_table=table)
    else:
        from flash_attn import flash_attn_with_kvcache
        words = dict(block_table=table)

    def call(k, v):
        k, v = (x.view(-1, page, *x.shape[2:]) for x in (k, v))
        made = flash_attn_with_kvcache(q[:, None], k, v, cache_seqlens=lengths, causal=True, **words)
        return (made[0] if isinstance(made, tuple) else made)[:, 0]
    return call


def contenders_of(q, of_keys, lengths, tables, keys):
    """(name, its pages or None, a function that makes the contender)."""
    made = [(f"tkc {page}", tables[page], lambda page=page: ours(q, lengths, tables[page], page)) for page in tables]
    made.append(("tkc whole", None, lambda: ours(q, lengths, None, keys)))
    made += [(f"PyTorch {name}", None, lambda rows=rows: pytorch(q, of_keys, rows)) for name, rows in (("rows", True), ("gqa", False))]
    for page, table in tables.items():
        made.append((f"flashinfer {page}", table, lambda p=page, t=table: flashinfer_wrapper(q, of_keys, t, p, keys)))
        made.append((f"XQA {page}", table, lambda p=page, t=table: flashinfer_xqa(q, t, lengths, p, keys)))
    for version in (2, 3):
        page = 256 if version == 2 else 64
        table = tables.get(page)
        if table is None:
            table = table_of(q.shape[0], keys, page, q.device)
        made.append((f"FlashAttention-{version}", table, lambda p=page, t=table, n=version: flash_attention(q, lengths, t, p, n)))
    return made


def wrong_by(call, q, caches, table):
    """The error on the first and the last cache."""
    worst = 0.0
    for k, v in {id(c): c for c in (caches[0], caches[-1])}.values():
        got = call(k, v).view(q.shape)
        for b in {0, q.shape[0] - 1}:
            if table is None:
                own = k[b], v[b]
            else:
                page = k.shape[1] // table.shape[1]
                own = [gathered(x.view(-1, page, *x.shape[2:]), table[b], k.shape[1]) for x in (k, v)]
            worst = max(worst, error_of(got[b], exact(q[b, None], *own)[0]))
    return worst


def recorded(call, caches, count):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call(*caches[0])
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            call(*caches[i % len(caches)])
    return graph


def timed(graphs, count, seconds):
    """us a call by the median, in turn."""
    names, taken = list(graphs), {name: [] for name in graphs}
    for name in names:
        graphs[name].replay()
    torch.cuda.synchronize()
    spent = 0.0
    while spent < seconds * 1e6 * len(names) or len(taken[names[0]]) < 5:
        random.shuffle(names)
        for name in names:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graphs[name].replay()
            end.record()
            torch.cuda.synchronize()
            taken[name].append(start.elapsed_time(end) * 1e3 / count)
            spent += taken[name][-1] * count
    return {name: statistics.median(found) for name, found in taken.items()}


def compare(batch, keys, heads, of_keys, seconds, told):
    """Prints a line; whether ours are right."""
    size = 2 * batch * keys * of_keys * D * 2
    caches = [tuple(normal(2, batch, keys, of_keys, D, device="cuda")) for _ in range(-(-COLD // size))]
    count = len(caches) * max(1, round(1e-3 / (len(caches) * (size / 2.5e12 + 4e-6))))
    q = normal(batch, heads, D, device="cuda")
    lengths = torch.full((batch,), keys, dtype=torch.int32, device="cuda")
    tables = {page: table_of(batch, keys, page, "cuda") for page in (64, 16)}
    graphs, errors, right, live = {}, {}, True, []
    for name, table, make in contenders_of(q, of_keys, lengths, tables, keys):
        try:
            call = make()
            errors[name] = wrong_by(call, q, caches, table)
            if not errors[name] < 1e-2:
                raise ValueError(f"wrong: error {errors[name]:.1e}")
            graphs[name] = recorded(call, caches, count)
            live.append(call)
        except Exception as reason:  # a peer may fail in any way
            right = right and not name.startswith("tkc")
            if name not in told or name.startswith("tkc"):
                told.add(name)
                print(f"  {name} is left out: {type(reason).__name__}: {str(reason).splitlines()[0] if str(reason) else ''}", flush=True)
            torch.cuda.synchronize()
    if graphs:
        found = timed(graphs, count, seconds)
        text = ", ".join(f"{name} {size / us / 1e3:.0f} ({us:.1f}, {errors[name]:.0e})" for name, us in found.items())
        print(f"{heads}/{of_keys} heads, B {batch}, {keys} keys: {text}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each contender and shape")
    parser.add_argument("--heads", nargs="+", default=["64/8", "32/8"])
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 4, 16, 64])
    parser.add_argument("--keys", nargs="+", type=int, default=[1024, 8192, 65536])
    args = parser.parse_args()
    torch.manual_seed(1)
    error = check(args.device)
    right = error < 1e-2
    print(f"odd shapes: error {error:.1e}{'' if right else ' WRONG'}", flush=True)
    if args.device != "cuda":
        return 0 if right else 1
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "| GB/s (us, error)")
    told = set()
    for pair in args.heads:
        heads, of_keys = map(int, pair.split("/"))
        for batch in args.batches:
            for keys in args.keys:
                try:
                    right = compare(batch, keys, heads, of_keys, args.seconds, told) and right
                except Exception as reason:  # say, too little memory
                    right = right and isinstance(reason, torch.cuda.OutOfMemoryError)
                    print(f"{pair} heads, B {batch}, {keys} keys: {type(reason).__name__}: {reason}", flush=True)
                torch.cuda.empty_cache()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
