#!/usr/bin/env python3
"""Builds with nvcc, on a machine without a GPU, all kernels that the tests of tk.torch load. What nvcc refuses, or what does not fit
into its registers (TK8007), would else show on a user's machine.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 test/python/instances.py                        takes half an hour on 2 cores
    PYTHONPATH=python TK_TKC=build/release/tkc python3 test/python/instances.py torch_packed_test      kernels of one file of tests

Needs PyTorch and nvcc. The tests run in the emulator first, to see which constants they give. Libraries stay in the cache of tk. Ends
with 1 if one is not built.
"""
import argparse
import glob
import io
import os
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tk  # noqa: E402
from tk import cache, compiler  # noqa: E402


def programs(tests):
    """What the tests load for the emulator: paths, whether kernels may spill, and constants."""
    found, load = {}, tk.load

    def loaded(path, /, *, spills=False, **words):
        constants = {name: value for name, value in words.items() if name not in ("device", "include", "debug", "target")}
        if words.get("device") == "cpu" and "target" not in words and "include" not in words:
            found[str(path), spills, tuple(constants.items())] = constants
        return load(path, spills=spills, **words)

    tk.load = loaded
    runner = unittest.TextTestRunner(stream=io.StringIO())
    for name in tests:
        if not runner.run(unittest.defaultTestLoader.loadTestsFromName(name)).wasSuccessful():
            sys.exit(f"{name} fails, without nvcc")
    tk.load = load
    return found


def build(item):
    """What is wrong with it, or None; and the seconds that it took."""
    (path, spills, _), constants = item
    begin = time.perf_counter()
    try:
        cache.library(compiler.Program(path, constants, spills=spills))
    except Exception as error:  # tkc's, nvcc's, or one of the disk: all are reported
        return str(error), time.perf_counter() - begin
    return None, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="modules beside this file; all whose names begin with torch")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    names = args.tests or sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "torch*_test.py")))
    found = programs(names)
    print(f"{len(found)} programs", flush=True)
    wrong = 0
    with ThreadPoolExecutor(args.jobs) as workers:
        for ((path, _, constants), _), (reason, seconds) in zip(found.items(), workers.map(build, found.items())):
            text = f"{os.path.basename(path)} " + " ".join(f"{name}={value}" for name, value in constants)
            print(f"  {'FAILED' if reason else 'built'} {text} ({seconds:.0f} s)" + (f"\n{reason}" if reason else ""), flush=True)
            wrong += reason is not None
    print(f"{wrong} of {len(found)} are not built")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
