#!/usr/bin/env python3
"""How many blocks of a multiprocessor tkc divides the registers among, and with how many ptxas spills.

    python3 bench/blocks.py --tkc build/release/tkc [-D NAME=VALUE ..] FILE.tk ..

For kernels of warps. Every kernel is compiled for 1 to 8 blocks (`__launch_bounds__`). chosen: tkc's estimate. without
spills: the most that keep spills within the 16 bytes that `tkc build` lets pass. A number beside it: the bytes that the
worst of one more spill. General versions, which take what registers there are, are left out.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "tools"))
import nvcc_check  # noqa: E402
from registers import judged  # noqa: E402

MOST = 8
BOUNDS = re.compile(r"__launch_bounds__\((\w+|constants::\w+), (\w+|constants::(\w+))\)\s+(\w+)_kernel\(")
CONSTANTS = re.compile(r"^struct (\w+)_constants \{(.*?)^\};", re.MULTILINE | re.DOTALL)


def chosen(text):
    """{kernel: blocks} of the text of a .cu."""
    found = {}
    instances = {name: dict(re.findall(r"(\w+) = (\w+)", body)) for name, body in CONSTANTS.findall(text)}
    for _, blocks, constant, kernel in BOUNDS.findall(text):
        if not constant:
            found[kernel] = int(blocks)
    for name, constants in instances.items():
        # Of which template an instance is, the launch says.
        template = re.search(rf"(\w+)_kernel<{name}_constants>", text)[1]
        _, blocks, constant, _ = next(b for b in BOUNDS.findall(text) if b[3] == template)
        found[name] = int(constants[constant] if constant else blocks)
    return found


def spills(nvcc, text, blocks):
    """{kernel: bytes spilled} with so many blocks."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "kernel.cu")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(BOUNDS.sub(lambda b: f"__launch_bounds__({b[1]}, {blocks}) {b[4]}_kernel(", text))
        flags = [*nvcc_check.FLAGS, nvcc_check.target_flag(source), f"-I{nvcc_check.RUNTIME}"]
        done = subprocess.run([nvcc, *flags, "-o", os.path.join(folder, "kernel.cubin"), source], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return {kernel: spilled for kernel, (_, spilled) in judged(done.stdout).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    nvcc = nvcc_check.find_nvcc(options.nvcc)
    print("| kernel | chosen | without spills | one more spills |\n| --- | --- | --- | --- |")
    for path in options.files:
        defines = [f"-D{d}" for d in options.defines]
        command = [options.tkc, "--no-notes", "--emit=cuda", *defines, path]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            by_blocks = list(pool.map(lambda n: spills(nvcc, text, n), range(1, MOST + 1)))
        for kernel, blocks in chosen(text).items():
            if kernel.endswith("_general"):
                continue
            fits = 0
            while fits < MOST and by_blocks[fits][kernel] <= 2 * nvcc_check.FEW:  # stores and loads
                fits += 1
            more = by_blocks[fits][kernel] if fits < MOST else ""
            print(f"| {kernel} | {blocks} | {fits}{' or more' if fits == MOST else ''} | {more} |", flush=True)


if __name__ == "__main__":
    main()
