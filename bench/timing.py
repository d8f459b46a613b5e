"""Timing kernels next to their baselines so that a difference between two figures means something."""
import random
import statistics

import torch


def recorded(call, calls):
    """A call that replays `calls` calls as one graph; graphs themselves are replayed one after another."""
    if isinstance(getattr(call, "__self__", None), torch.cuda.CUDAGraph):
        def replays():
            for _ in range(calls):
                call()
        return replays
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return graph.replay


def measure(contenders, flops, seconds):
    """TFLOP/s per contender and way of measuring: the median and the spread (5 % to 95 %).

    "burst": 60 ms of back-to-back calls after 30 ms of the same call untimed, so that clock and power settle on the
    contender; "turn": single calls. Both in a new random order every round, because what runs before a call decides
    how warm and how throttled the GPU is."""
    one = flops / 600e12
    small = one < 100e-6  # launches would be slower than kernels
    group = 50 if small else 1
    for call in contenders.values():
        call()
    torch.cuda.synchronize()
    calls = {name: recorded(call, group) if small else call for name, call in contenders.items()}
    names = list(contenders)
    rates = {}
    for way, lead, timed, share in (("turn", 0, 1, 0.3),
                                    ("burst", max(1, int(0.03 / one / group)), max(1, int(0.06 / one / group)), 0.7)):
        rounds = max(5, int(seconds * share / (one * group * (lead + timed) * len(names))))
        events = {name: [] for name in names}
        for _ in range(rounds):
            random.shuffle(names)
            for name in names:
                call = calls[name]
                for _ in range(lead):
                    call()
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                for _ in range(timed):
                    call()
                end.record()
                events[name].append((start, end))
            torch.cuda.synchronize()
        for name in contenders:
            found = sorted(flops * group * timed / (s.elapsed_time(e) * 1e-3) / 1e12 for s, e in events[name])
            rates[name, way] = (statistics.median(found), found[int(0.05 * len(found))],
                                found[int(0.95 * (len(found) - 1))])
    return rates
