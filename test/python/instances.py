#!/usr/bin/env python3
"""Builds with nvcc, on a machine without a GPU, all kernels that the tests of tk.torch load: what nvcc refuses would else show on a
user's machine. Says also what does not fit into its registers (TK8007), where the package allows that.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 test/python/instances.py                        takes half an hour on 2 cores
    PYTHONPATH=python TK_TKC=build/release/tkc python3 test/python/instances.py torch_packed_test      kernels of one file of tests

Needs PyTorch and nvcc. The tests run in the emulator first, to see which constants they give. What lies in the cache is not built
again, and says nothing: TK_CACHE should name an empty folder. Ends with 1 if one is not built.
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
    """What came of it and why, and the seconds that it took."""
    (path, spills, _), constants = item
    begin, result, reason = time.perf_counter(), "built", ""
    for may_spill in sorted({False, spills}):
        try:
            cache.library(compiler.Program(path, constants, spills=may_spill))
            break
        except Exception as error:  # tkc's, nvcc's, or one of the disk: all are reported
            reason = str(error)
            result = "spills" if spills and "TK8007" in reason and not may_spill else "FAILED"
    return result, reason, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="modules beside this file; all whose names begin with torch")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    names = args.tests or sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "torch*_test.py")))
    found = programs(names)
    print(f"{len(found)} programs", flush=True)
    results = []
    with ThreadPoolExecutor(args.jobs) as workers:
        for ((path, _, constants), _), (result, reason, seconds) in zip(found.items(), workers.map(build, found.items())):
            text = f"{os.path.basename(path)} " + " ".join(f"{name}={value}" for name, value in constants)
            print(f"  {result} {text} ({seconds:.0f} s)" + (f"\n{reason}" if reason else ""), flush=True)
            results.append(result)
    print(f"of {len(found)}, {results.count('spills')} spill and {results.count('FAILED')} are not built")
    return 1 if "FAILED" in results else 0


if __name__ == "__main__":
    sys.exit(main())
