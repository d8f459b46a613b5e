"""Checks and times examples/attention/attention_backward.tk, .._apart.tk and .._wide.tk next to cuDNN's backward kernels (through
PyTorch) and FlashAttention-4's (where peers.py finds it) on the same tensors, in one run.

Build the libraries with bench/build.sh, then: python3 bench/attention_backward.py [--check] [--time] [--deterministic] [--seconds 2]
[--only 64 96 128 192 256]
The check compares errors of the gradients against float64 with those of PyTorch's FlashAttention-2 on the same inputs. With
--deterministic it does so for the kernels in which key blocks add to dQ in turn, and that they give the same bits in every run;
they are timed next to the fast ones and cuDNN's.
"""
import argparse
import math

import torch

from attention import Libraries, error_of
from gemm import geometric_mean
from peers import flash_attention_4_backward
from timing import measure, recorded

aten = torch.ops.aten
SHAPES = [(16, 16, 1024), (16, 16, 2048), (16, 16, 4096), (16, 16, 8192), (1, 16, 16384)]  # B, H, N
ODD_SHAPES = [(2, 4, 2, 256, 256), (1, 4, 4, 200, 333), (1, 2, 1, 300, 130), (1, 1, 1, 1, 1), (2, 2, 2, 1000, 1024),
              (1, 8, 2, 2048, 2048), (3, 2, 1, 129, 257), (1, 2, 2, 127, 64)]  # B, H, HKV, M, N


def ours(libraries, causal, q, k, v, o, do, lse, deterministic=False):
    """A call ready to be repeated, and the gradients that it writes."""
    batches, heads, m, d = q.shape
    rows = 128 if d <= 64 else 64 if causal or d != 128 else 80
    padded = -(-m // rows) * rows
    dq, dk, dv = (torch.full_like(t, math.nan) for t in (q, k, v))
    rows_of_lse, delta = (torch.full((batches, heads, padded), math.nan, device="cuda") for _ in range(2))
    name = "attention_backward" + ("_wide" if d > 128 else "_apart" if 64 < d < 128 else "")
    shape = (m, d) if name.endswith(("_wide", "_apart")) else (padded // rows, rows * d // 32, 32)  # dQ as threads hold it
    sums = torch.full((batches, heads, *shape), math.nan, device="cuda")
    library = libraries[f"attention_backward_{d}" + ("_causal" if causal else "") + ("_in_turn" if deterministic else "")]
    arguments = (q, k, v, o, lse, do, dq, dk, dv, rows_of_lse, delta, sums, d**-0.5)
    call = library.bind(name, *arguments)
    call.keep = arguments  # the call holds addresses
    return call, (dq, dk, dv)


def forward(q, k, v, causal):
    """cuDNN's results: O and the log-sum-exp, and what its backward pass wants besides."""
    return aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, causal, False)


def cudnn(q, k, v, do, made, causal):
    o, lse, cum_q, cum_k, max_q, max_k, seed, offset, _ = made
    return aten._scaled_dot_product_cudnn_attention_backward(do, q, k, v, o, lse, seed, offset, None, cum_q, cum_k, max_q, max_k,
                                                             0.0, causal)


def gradients_in_float64(q, k, v, do, causal):
    group = q.shape[1] // k.shape[1]
    q, k, v = (t.double().requires_grad_() for t in (q, k, v))
    wide = [t.repeat_interleave(group, 1) for t in (k, v)]
    s = q @ wide[0].transpose(2, 3) / math.sqrt(q.shape[3])
    if causal:
        m, n = s.shape[2:]
        s = s.masked_fill(torch.arange(n, device=s.device)[None, :] > torch.arange(m, device=s.device)[:, None], -math.inf)
    o = torch.softmax(s, 3) @ wide[1]
    o.backward(do.double())
    return o.detach(), torch.logsumexp(s, 3).detach(), (q.grad, k.grad, v.grad)


def flash_attention_2(q, k, v, do, causal):
    group = q.shape[1] // k.shape[1]
    q, k, v = (t.detach().requires_grad_() for t in (q, k, v))
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        o = torch.nn.functional.scaled_dot_product_attention(q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1),
                                                             is_causal=causal)
    o.backward(do)
    return q.grad, k.grad, v.grad


def same_bits(call, got, runs):
    """Whether each run gives the bits of the first."""
    first = [t.clone() for t in got]
    for _ in range(runs):
        for t in got:
            t.fill_(math.nan)
        call()
        torch.cuda.synchronize()
        if not all(torch.equal(a.view(torch.int16), b.view(torch.int16)) for a, b in zip(first, got)):
            return False
    return True


def check(libraries, dimensions, deterministic):
    wrong = passed = 0
    ratios = []
    for d in dimensions:
        for batches, heads, kv_heads, m, n in ODD_SHAPES:
            for causal in (False, True):
                q, do = (torch.randn(batches, heads, m, d, device="cuda", dtype=torch.bfloat16) for _ in range(2))
                k, v = (torch.randn(batches, kv_heads, n, d, device="cuda", dtype=torch.bfloat16) for _ in range(2))
                o, lse, want = gradients_in_float64(q, k, v, do, causal)
                call, got = ours(libraries, causal, q, k, v, o.bfloat16(), do, lse.float(), deterministic)
                call()
                torch.cuda.synchronize()
                if deterministic:
                    good = same_bits(call, got, 10)
                    passed += good
                    wrong += not good
                    if not good:
                        print(f"WRONG D{d} B{batches} H{heads}/{kv_heads} M{m} N{n} {'causal' if causal else 'full'} bits differ")
                theirs = flash_attention_2(q, k, v, do, causal) if not causal or m == n else (None,) * 3
                errors = []
                for name, g, w, t in zip(("dQ", "dK", "dV"), got, want, theirs):
                    error = error_of(g, w) if w.abs().max() > 1e-9 else g.double().abs().max().item()
                    peer = math.nan if t is None else error_of(t, w) if w.abs().max() > 1e-9 else 1e-3
                    good = not torch.isnan(g).any() and error <= (1e-2 if t is None else max(1.05 * peer, 4e-3))
                    if t is not None and min(error, peer) > 1e-6:
                        ratios.append(error / peer)
                    errors.append(f"{name} {error:.2e} ({peer:.2e})")
                    passed += bool(good)
                    wrong += not good
                    if not good:
                        print(f"WRONG D{d} B{batches} H{heads}/{kv_heads} M{m} N{n} {'causal' if causal else 'full'} {errors[-1]}")
                if m >= 1000:
                    print(f"D{d} H{heads}/{kv_heads} M{m} N{n} {'causal' if causal else 'full  '}: {', '.join(errors)}", flush=True)
    mean = geometric_mean(ratios) if ratios else math.nan
    print(f"{passed} passed, {wrong} wrong; error over FlashAttention-2's: geometric mean {mean:.4f}, {max(ratios):.3f} at most")
    return wrong == 0


def time_shape(libraries, d, shape, causal, seconds, deterministic):
    batches, heads, n = shape
    q, k, v, do = (torch.randn(batches, heads, n, d, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    made = forward(q, k, v, causal)
    lse = made[1].reshape(batches, heads, n).float()
    call, got = ours(libraries, causal, q, k, v, made[0], do, lse)
    theirs = cudnn(q, k, v, do, made, causal)
    call()
    apart = max(error_of(g, t.double()) for g, t in zip(got, theirs))
    contenders = {"tkc": call, "cuDNN": lambda: cudnn(q, k, v, do, made, causal)}
    same = None
    for name, in_turn in (("FA4", False), ("FA4 in turn", True))[:1 + deterministic]:
        if d in (64, 96, 128) and (flash4 := flash_attention_4_backward(q, k, v, made[0], do, lse, causal, in_turn)):
            apart = max(apart, *(error_of(g, t.double()) for g, t in zip(got, flash4())))
            contenders[name] = flash4
    if deterministic:
        contenders["in turn"], got = ours(libraries, causal, q, k, v, made[0], do, lse, True)
        contenders["in turn"]()
        torch.cuda.synchronize()
        apart = max(apart, *(error_of(g, t.double()) for g, t in zip(got, theirs)))
        same = same_bits(contenders["in turn"], got, 5)
    for other in contenders.values():
        other()
    torch.cuda.synchronize()
    # Of Python, whoever's it is, only a graph's launch is timed.
    contenders = {name: recorded(c, 1) for name, c in contenders.items()}
    flops = 10.0 * batches * heads * n * n * d / (2 if causal else 1)
    rates = measure(contenders, flops, seconds)
    return {"d": d, "shape": shape, "causal": causal, "apart": apart, "same": same, "rates": rates}


def line(r):
    batches, heads, n = r["shape"]
    text = f"D{r['d']:<3} B{batches:<2} H{heads} N{n:<5} {'causal' if r['causal'] else 'full  '}"
    for way in ("turn", "burst"):
        text += f" | {way} " + " / ".join(f"{r['rates'][who, way][0]:4.0f}" for who in ("tkc", "cuDNN"))
        text += f" = {ratio(r, way):.3f}"
        if ("FA4", way) in r["rates"]:
            text += f", FA4 {r['rates']['FA4', way][0]:4.0f} = {ratio(r, way, theirs='FA4'):.3f}"
        if ("FA4 in turn", way) in r["rates"]:
            text += f", FA4 in turn {r['rates']['FA4 in turn', way][0]:4.0f}"
        if r["same"] is not None:
            text += f", in turn {r['rates']['in turn', way][0]:4.0f} = {ratio(r, way, 'in turn', 'tkc'):.3f} of fast"
    bits = "" if r["same"] is None else ", same bits" if r["same"] else ", BITS DIFFER"
    return text + f" | {r['apart']:.1e}{bits}"


def ratio(r, way, ours="tkc", theirs="cuDNN"):
    return r["rates"][ours, way][0] / r["rates"][theirs, way][0]


def time(libraries, dimensions, seconds, shapes, deterministic):
    results = []
    for d in dimensions:
        for shape in shapes:
            for causal in (False, True):
                results.append(time_shape(libraries, d, shape, causal, seconds, deterministic))
                print(line(results[-1]), flush=True)
                torch.cuda.empty_cache()
    for way in ("turn", "burst"):
        ratios = [ratio(r, way) for r in results]
        print(f"{way}: geometric mean {geometric_mean(ratios):.3f} of cuDNN, lowest {min(ratios):.3f}")
        for causal in (False, True) if deterministic else ():
            ratios = [ratio(r, way, "in turn", "tkc") for r in results if r["causal"] == causal]
            print(f"{way}, {'causal' if causal else 'full'}: in turn {geometric_mean(ratios):.3f} of fast, lowest {min(ratios):.3f}")
    return all(r["same"] is not False for r in results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", type=int, nargs="*", default=[64, 96, 128, 192, 256])
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(SHAPES)))
    parser.add_argument("--folder", default="build/bench")
    arguments = parser.parse_args()
    libraries = Libraries(arguments.folder)
    good = check(libraries, arguments.only, arguments.deterministic) if arguments.check else True
    if arguments.time:
        shapes = [SHAPES[i] for i in arguments.shapes]
        good = time(libraries, arguments.only, arguments.seconds, shapes, arguments.deterministic) and good
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
