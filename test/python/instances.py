#!/usr/bin/env python3
"""Builds with nvcc, on a machine without a GPU, all kernels that the tests of tk.torch load, and reports what fails and why: a
user's machine would show it otherwise. What the tests load on the CPU must build for the GPU, too.

    PYTHONPATH=python TK_TKC=build/release/tkc python3 test/python/instances.py                        takes half an hour on 2 cores
    PYTHONPATH=python TK_TKC=build/release/tkc python3 test/python/instances.py torch_packed_test      kernels of one file of tests

Needs PyTorch and nvcc. The tests run in the emulator first, which shows the constants that they use. What is in the cache is not
built again: TK_CACHE should name an empty folder. Ends with 1 if anything fails.
"""
import argparse
import copy
import glob
import io
import os
import shutil
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from tk import cache, libraries  # noqa: E402


def programs(tests, keep):
    """What the tests load for the emulator. A text that they make is in the cache of a test, which is removed: `keep` gets it."""
    found, load = {}, libraries.load

    def kept(folder):
        if not folder.startswith(cache.folder()):
            return folder
        place = os.path.join(keep, os.path.basename(folder))  # which is named by the text
        shutil.copytree(folder, place, dirs_exist_ok=True)
        return place

    def loaded(program, device):
        made = load(program, device)
        if device == "cpu":
            program = copy.copy(program)
            program.folder, program.include = kept(program.folder), [kept(folder) for folder in program.include]
            found[(program.folder, program.path, *program.constants, *program.modes, *program.include)] = program
        return made

    runner = unittest.TextTestRunner(stream=io.StringIO())
    with mock.patch.object(libraries, "load", loaded):
        for name in tests:
            result = runner.run(unittest.defaultTestLoader.loadTestsFromName(name))
            if not result.wasSuccessful():
                sys.exit(f"{name} fails, without nvcc:\n{''.join(text for _, text in result.errors + result.failures)}")
    return list(found.values())


def build(program):
    """Why it failed, or nothing, and the seconds that it took."""
    begin, reason = time.perf_counter(), ""
    try:
        libraries.load(program, "cuda")
    except Exception as error:  # tkc's, nvcc's, or one of the disk: all are reported
        reason = str(error)
    return reason, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="modules next to this file; all whose names begin with torch")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    names = args.tests or sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "torch*_test.py")))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tk-instances-") as keep, ThreadPoolExecutor(args.jobs) as workers:
        found = programs(names, keep)
        print(f"{len(found)} programs", flush=True)
        for program, (reason, seconds) in zip(found, workers.map(build, found)):
            failed += bool(reason)
            text = " ".join([os.path.basename(program.path), *program.constants, *program.modes])
            print(f"  {'FAILED' if reason else 'built'} {text} ({seconds:.0f} s)" + (f"\n{reason}" if reason else ""), flush=True)
        print(f"of {len(found)}, {failed} are not built")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
