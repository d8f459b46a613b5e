#!/usr/bin/env python3
"""Stands in for nvcc: makes libraries of probe.c, and notes each in $FAKE_NVCC_LOG.

$FAKE_NVCC_SLEEP: seconds that it needs; $FAKE_NVCC_RUNS: what a shell does meanwhile.
"""
import os
import subprocess
import sys
import time

if "--version" in sys.argv:
    print("Cuda compilation tools, release 13.0, V13.0.1")
    sys.exit(0)
with open(os.environ["FAKE_NVCC_LOG"], "a", encoding="utf-8") as stream:
    stream.write(f"{os.getpid()}\n")
time.sleep(float(os.environ.get("FAKE_NVCC_SLEEP", "0")))
subprocess.run(os.environ.get("FAKE_NVCC_RUNS", ""), shell=True, check=True)
probe = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.c")
sys.exit(subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", sys.argv[sys.argv.index("-o") + 1], probe], check=False).returncode)
