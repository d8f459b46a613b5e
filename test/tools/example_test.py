#!/usr/bin/env python3
"""Tests one example: its CUDA is what stands beside it, twice the same, and nvcc makes a fast kernel of it.

    example_test.py --tkc build/dev/tkc [--nvcc NVCC] examples/gemm/gemm.tk
    example_test.py --tkc build/dev/tkc --update examples/*/*.tk     writes what stands beside them

Without --nvcc, nvcc is left out.
"""
import argparse
import difflib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def emitted(tkc, example, folder):
    path = os.path.join(folder, "example.cu")
    subprocess.run([tkc, example, "--no-notes", "-o", path], check=True)
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def test(args, example):
    golden = os.path.splitext(example)[0] + ".cu"
    with tempfile.TemporaryDirectory() as folder:
        text = emitted(args.tkc, example, folder)
        if args.update:
            with open(golden, "w", encoding="utf-8") as stream:
                stream.write(text)
            return True
        if emitted(args.tkc, example, folder) != text:
            print(f"{example}: two runs of tkc give two texts")
            return False
    before = ""
    if os.path.exists(golden):
        with open(golden, encoding="utf-8") as stream:
            before = stream.read()
    if before != text:
        name = os.path.relpath(golden, ROOT)
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), text.splitlines(True), name, "now"))
        print(f"{name} is not what tkc emits; if that is meant: test/tools/example_test.py --tkc {args.tkc}"
              f" --update {os.path.relpath(example, ROOT)}")
        return False
    if not args.nvcc:
        return True
    check = [sys.executable, os.path.join(HERE, "nvcc_check.py"), "--nvcc", args.nvcc,
             "--skip-general", *(["--read"] if args.read else []), "-I", os.path.join(ROOT, "runtime"), golden]
    return subprocess.run(check, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--read", action="store_true", help="for nvcc_check.py")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("examples", nargs="+")
    args = parser.parse_args()
    return 0 if all([test(args, os.path.abspath(e)) for e in args.examples]) else 1


if __name__ == "__main__":
    sys.exit(main())
