#!/usr/bin/env python3
"""Checks and times tk.torch.decode: one new token a sequence, caches in pages of 64, 32, 16 and 1 tokens and in one piece.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/decode.py [--seconds 1] [--heads 64/8] [--batches 1 16] [--keys 1024]
    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/decode.py --mla [--heads 128 16] [--batches 16 64] [--keys 8192]
    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/decode.py --mla --tokens 1024 --batches 1 4

Next to it on the same keys, where they can be imported and can do it: PyTorch's scaled_dot_product_attention on the cache in one piece,
as it is called (gqa), with the heads that share keys as its rows (rows), and so by cuDNN alone; flashinfer's wrapper for decoding, by
tensor cores and by others (cores), and XQA, on pages of 64 and 16; FlashAttention's flash_attn_with_kvcache, versions 2 and 3. A
contender that fails is left out, with its reason. flashinfer compiles its kernels at the first call, with nvcc and ninja.

--fp8: caches of 8 bits. --mla: tk.torch.mla_decode on pages of 64, next to flashinfer's wrapper for latent attention, with TFLOP/s and
the share of a copy's GB/s, as it takes 1 GiB to another place; "tkc columns" has the few rows as columns of
products, "tkc single" no pairs of programs; "tkc 16" and "tkc 1" have pages of 16 and 1. flashinfer's backends are fa2 and fa3. With
--tokens, that many new tokens a sequence are its last ones: TFLOP/s count the keys that a token sees.

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
from unittest import mock

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import tk
from tk import latent

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


def check(device, kind):
    """The largest error over lengths, pages, tokens and heads that are odd in some way."""
    worst = 0.0
    longest = 5000 if device == "cuda" else 100
    for page in (1, 8, 16, 32, 48, 64, 256):
        for tokens, heads, of_keys in ((1, 8, 8), (1, 14, 2), (3, 16, 2), (16, 16, 2), (1, 64, 8), (1, 64, 2)):
            if kind.itemsize == 1 and tokens > 1:
                continue
            lengths = [longest, 0, 1, page, page + 1, 2 * page - 1]
            most = -(-max(lengths) // page)
            table = torch.randperm(len(lengths) * most, device=device).to(torch.int32).view(len(lengths), most)
            k, v = normal(2, table.numel(), page, of_keys, D, device=device).to(kind)
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


def pytorch(q, of_keys, rows, cudnn=False):
    def call(k, v):
        k, v = k.transpose(1, 2), v.transpose(1, 2)
        if cudnn:
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return F.scaled_dot_product_attention(q.unflatten(1, (of_keys, -1)), k, v).flatten(1, 2)
        if rows:
            return F.scaled_dot_product_attention(q.unflatten(1, (of_keys, -1)), k, v).flatten(1, 2)
        return F.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]
    return call


def flashinfer_wrapper(q, of_keys, table, page, keys, kind, tensor_cores=True):
    import flashinfer

    batch, pages = table.shape
    space = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    first = torch.arange(batch + 1, dtype=torch.int32, device="cuda") * pages
    last = torch.full((batch,), (keys - 1) % page + 1, dtype=torch.int32, device="cuda")
    wrapper = flashinfer.BatchDecodeWithPagedKVCacheWrapper(
        space, "NHD", use_cuda_graph=True, use_tensor_cores=tensor_cores, paged_kv_indptr_buffer=first.clone(),
        paged_kv_indices_buffer=table.flatten().clone(), paged_kv_last_page_len_buffer=last.clone())
    wrapper.plan(first, table.flatten(), last, q.shape[1], of_keys, D, page, q_data_type=q.dtype, kv_data_type=kind)

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


def contenders_of(q, of_keys, lengths, tables, keys, kind):
    """(name, its pages or None, a function that makes the contender)."""
    if kind != q.dtype:
        table = tables[64]
        return [("tkc 64", table, lambda: ours(q, lengths, table, 64)), ("tkc whole", None, lambda: ours(q, lengths, None, keys)),
                ("tkc 16", tables[16], lambda: ours(q, lengths, tables[16], 16)),
                ("flashinfer 64", table, lambda: flashinfer_wrapper(q, of_keys, table, 64, keys, kind)),
                ("flashinfer cores 64", table, lambda: flashinfer_wrapper(q, of_keys, table, 64, keys, kind, False)),
                ("XQA 64", table, lambda: flashinfer_xqa(q, table, lengths, 64, keys))]
    made = [(f"tkc {page}", tables[page], lambda page=page: ours(q, lengths, tables[page], page)) for page in tables]
    made.append(("tkc whole", None, lambda: ours(q, lengths, None, keys)))
    made += [(f"PyTorch {name}", None, lambda rows=rows: pytorch(q, of_keys, rows)) for name, rows in (("rows", True), ("gqa", False))]
    made.append(("cuDNN", None, lambda: pytorch(q, of_keys, True, cudnn=True)))
    for page in (64, 16):
        table = tables[page]
        made.append((f"flashinfer {page}", table, lambda p=page, t=table: flashinfer_wrapper(q, of_keys, t, p, keys, kind)))
        made.append((f"flashinfer cores {page}", table,
                     lambda p=page, t=table: flashinfer_wrapper(q, of_keys, t, p, keys, kind, False)))
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


def compare(batch, keys, heads, of_keys, seconds, kind, told):
    """Prints a line; whether ours are right."""
    size = 2 * batch * keys * of_keys * D * kind.itemsize
    caches = [tuple(normal(2, batch, keys, of_keys, D, device="cuda").to(kind)) for _ in range(-(-COLD // size))]
    count = len(caches) * max(1, round(1e-3 / (len(caches) * (size / 2.5e12 + 4e-6))))
    q = normal(batch, heads, D, device="cuda")
    lengths = torch.full((batch,), keys, dtype=torch.int32, device="cuda")
    tables = {page: table_of(batch, keys, page, "cuda") for page in (64, 32, 16, 1)}
    graphs, errors, right, live = {}, {}, True, []
    for name, table, make in contenders_of(q, of_keys, lengths, tables, keys, kind):
        try:
            call = make()
            errors[name] = wrong_by(call, q, caches, table)
            bound = 1e-2 if kind == q.dtype or name.startswith("tkc") else 1e-1  # peers may multiply in 8 bits
            if not errors[name] < bound:
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


# ---- latent attention ----------------------------------------------------------------------------

LATENT, TURNED = 512, 64
MLA_SCALE = 192**-0.5


def exact_latent(q, r, c, k):
    """One sequence in float64: q and r [tokens, heads, cells], c and k [keys, cells]."""
    q, k = torch.cat((q, r), -1).double(), torch.cat((c, k), -1).double()
    s = torch.einsum("thd,nd->thn", q, k) * MLA_SCALE
    own = len(k) - q.shape[0] + torch.arange(q.shape[0], device=q.device)[:, None, None]
    s = s.masked_fill(torch.arange(len(k), device=q.device) > own, -math.inf)
    return torch.nan_to_num(torch.softmax(s, 2)) @ c.double()


def check_latent(device):
    """The largest error over lengths, pages, tokens and heads that are odd in some way."""
    worst = 0.0
    longest = 5000 if device == "cuda" else 150
    for page in (1, 16, 64, 128):
        for tokens, heads in ((1, 16), (1, 128), (1, 5), (2, 16), (3, 40), (70, 16)):
            lengths = [longest, 0, 1, page, page + 1, 2 * page - 1]
            most = -(-max(lengths) // page)
            table = torch.randperm(len(lengths) * most, device=device).to(torch.int32).view(len(lengths), most)
            c, k = (normal(table.numel(), page, n, device=device) for n in (LATENT, TURNED))
            q, r = (normal(len(lengths), tokens, heads, n, device=device) for n in (LATENT, TURNED))
            on_device = torch.tensor(lengths, dtype=torch.int32, device=device)
            for splits in (None, 1, 5):
                o = tk.torch.mla_decode(q, r, c, k, table, on_device, softmax_scale=MLA_SCALE, num_splits=splits)
                for b, n in enumerate(lengths):
                    want = exact_latent(q[b], r[b], *(gathered(x, table[b], n) for x in (c, k)))
                    worst = max(worst, error_of(o[b], want), 1.0 if torch.isnan(o[b]).any() else 0.0)
    return worst


def ours_latent(q, r, table, lengths, page=64, **words):
    def attended(c, k):
        c, k = (x.view(-1, page, x.shape[2]) for x in (c, k))
        return tk.torch.mla_decode(q, r, c, k, table, lengths, softmax_scale=MLA_SCALE)

    def call(c, k):
        with mock.patch.multiple(latent, **words):
            return attended(c, k)
    return call if words else attended


def flashinfer_latent(q, r, table, lengths, keys, backend):
    import flashinfer

    batch, pages = table.shape
    tokens, heads = q.shape[1:3]
    space = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    each = torch.arange(batch + 1, dtype=torch.int32, device="cuda")
    wrapper = flashinfer.mla.BatchMLAPagedAttentionWrapper(
        space, use_cuda_graph=True, qo_indptr=each * tokens, kv_indptr=each * pages, kv_indices=table.flatten().clone(),
        kv_len_arr=lengths.clone(), backend=backend)
    wrapper.plan(each * tokens, each * pages, table.flatten(), lengths, heads, LATENT, TURNED, keys // pages, tokens > 1, MLA_SCALE,
                 q.dtype, q.dtype)
    return lambda c, k: wrapper.run(q.flatten(0, 1), r.flatten(0, 1), c, k).view(q.shape)


def copied():
    """GB/s of a copy, read and written bytes."""
    source, place = torch.zeros(2, 1 << 30, dtype=torch.uint8, device="cuda")
    graph = recorded(lambda: place.copy_(source), [()], 4)
    return 2 * source.numel() / timed({"copy": graph}, 4, 0.3)["copy"] / 1e3


def compare_latent(batch, keys, heads, tokens, seconds, copy, told):
    """Prints a line; whether ours are right."""
    page, size = 64, batch * keys * (LATENT + TURNED) * 2
    caches = [tuple(normal(batch * keys // page, page, n, device="cuda") for n in (LATENT, TURNED)) for _ in range(-(-COLD // size))]
    count = len(caches) * max(1, round(1e-3 / (len(caches) * (size / 2.5e12 + 4e-6))))
    q, r = (normal(batch, tokens, heads, n, device="cuda") for n in (LATENT, TURNED))
    lengths = torch.full((batch,), keys, dtype=torch.int32, device="cuda")
    tables = {n: table_of(batch, keys, n, "cuda") for n in (page, 16, 1)}
    table = tables[page]
    makers = {"tkc": lambda: ours_latent(q, r, table, lengths)}
    for n in (16, 1):
        makers[f"tkc {n}"] = lambda n=n: ours_latent(q, r, tables[n], lengths, n)
    if heads * tokens <= latent.FEW:
        makers["tkc columns"] = lambda: ours_latent(q, r, table, lengths, PIECES_AS_ROWS=False)
    elif -(-heads * tokens // 64) % 2 == 0 and tokens <= 64:
        makers["tkc single"] = lambda: ours_latent(q, r, table, lengths, PAIRS=False)
    for backend in ("fa2", "fa3"):
        makers[f"flashinfer {backend}"] = lambda b=backend: flashinfer_latent(q, r, table, lengths, keys, b)
    graphs, errors, right, live = {}, {}, True, []
    for name, make in makers.items():
        try:
            call = make()
            errors[name] = 0.0
            for c, k in {id(x): x for x in (caches[0], caches[-1])}.values():
                got = call(c, k)
                for b in {0, batch - 1}:
                    n = int(name.split()[1]) if name in ("tkc 16", "tkc 1") else page
                    own = [gathered(x.view(-1, n, x.shape[2]), tables[n][b], keys) for x in (c, k)]
                    want = exact_latent(q[b, -8:], r[b, -8:], *own)  # of the last tokens: float64 takes memory
                    errors[name] = max(errors[name], error_of(got[b, -8:], want))
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
        work = 2 * batch * heads * tokens * (keys - (tokens - 1) / 2) * (2 * LATENT + TURNED)
        text = ", ".join(f"{name} {work / us / 1e6:.0f} TFLOP/s, {size / us / 1e3 / copy:.2f} ({us:.1f}, {errors[name]:.0e})"
                         for name, us in timed(graphs, count, seconds).items())
        print(f"{heads} heads, B {batch}, {tokens} tokens, {keys} keys: {text}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each contender and shape")
    parser.add_argument("--mla", action="store_true", help="latent attention")
    parser.add_argument("--tokens", type=int, default=1, help="new ones a sequence, with --mla")
    parser.add_argument("--fp8", action="store_true", help="caches of 8 bits")
    parser.add_argument("--heads", nargs="+", help="64/8 32/8, of --mla 128 16")
    parser.add_argument("--batches", nargs="+", type=int, help="1 4 16 64, of --mla 16 64")
    parser.add_argument("--keys", nargs="+", type=int, help="1024 8192 65536, of --mla 8192")
    args = parser.parse_args()
    args.heads = args.heads or (["128", "16"] if args.mla else ["64/8", "32/8"])
    args.batches = args.batches or ([16, 64] if args.mla else [1, 4, 16, 64])
    args.keys = args.keys or ([8192] if args.mla else [1024, 8192, 65536])
    kind = torch.float8_e4m3fn if args.fp8 else torch.bfloat16
    torch.manual_seed(1)
    error = check_latent(args.device) if args.mla else check(args.device, kind)
    right = error < 1e-2
    print(f"odd shapes: error {error:.1e}{'' if right else ' WRONG'}", flush=True)
    if args.device != "cuda":
        return 0 if right else 1
    copy = copied() if args.mla else None
    told_of = f"a copy {copy:.0f} GB/s | TFLOP/s, share of the copy" if args.mla else "GB/s"
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, f"| {told_of} (us, error)")
    told = set()
    for pair in args.heads:
        for batch in args.batches:
            for keys in args.keys:
                try:
                    if args.mla:
                        right = compare_latent(batch, keys, int(pair), args.tokens, args.seconds, copy, told) and right
                    else:
                        right = compare(batch, keys, *map(int, pair.split("/")), args.seconds, kind, told) and right
                except Exception as reason:  # say, too little memory
                    right = right and isinstance(reason, torch.cuda.OutOfMemoryError)
                    print(f"{pair} heads, B {batch}, {keys} keys: {type(reason).__name__}: {reason}", flush=True)
                torch.cuda.empty_cache()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
