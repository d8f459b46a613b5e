#!/usr/bin/env python3
"""What power and clock the GPU has while examples/gemm/gemm.tk and cuBLAS multiply matrices of 8192 rows and columns, of normal numbers
and of zeros: one line each, with TFLOP/s of 1000 calls after 300 that are not timed.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 bench/power.py
"""
import statistics
import subprocess
import threading
import time

import torch

import tk

SIZE = 8192
QUERY = ["nvidia-smi", "--query-gpu=power.draw.instant,clocks.sm,clocks_event_reasons.sw_power_cap",
         "--format=csv,noheader,nounits", "-lms", "50"]
EDGE = 15  # samples before the clock has settled


def watch(stop, lines):
    with subprocess.Popen(QUERY, stdout=subprocess.PIPE, text=True) as process:
        while not stop.is_set():
            lines.append(process.stdout.readline().strip())
        process.kill()


def measured(call):
    """TFLOP/s, and medians of watts and MHz, and whether the limit of power held the clock down."""
    call()
    torch.cuda.synchronize()
    stop, lines = threading.Event(), []
    watcher = threading.Thread(target=watch, args=(stop, lines))
    watcher.start()
    time.sleep(0.5)
    for _ in range(300):
        call()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(1000):
        call()
    end.record()
    torch.cuda.synchronize()
    stop.set()
    watcher.join()
    rows = [line.split(", ") for line in lines[EDGE:-3] if line.count(",") == 2]
    watts, clock = (statistics.median(float(row[i]) for row in rows) for i in (0, 1))
    return 2 * SIZE**3 / start.elapsed_time(end) * 1e-6, watts, clock, any(row[2] == "Active" for row in rows)


def main():
    module = tk.load(tk.example("gemm.tk"))
    c = torch.empty(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)
    for name, make in (("normal", torch.randn), ("zeros", torch.zeros)):
        a, b = (make(SIZE, SIZE, device="cuda").bfloat16() for _ in range(2))
        for kernel, call in (("tkc", lambda: module.gemm(a, b, C=c)), ("cuBLAS", lambda: torch.matmul(a, b, out=c))):
            flops, watts, clock, capped = measured(call)
            print(f"{name:7} {kernel:7} {flops:4.0f} TFLOP/s {watts:4.0f} W {clock:5.0f} MHz{', power limit' if capped else ''}", flush=True)


if __name__ == "__main__":
    main()
