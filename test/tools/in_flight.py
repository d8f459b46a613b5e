#!/usr/bin/env python3
"""Finds machine code that writes to registers of a wgmma in flight: to an operand that it reads, or to its sums.

    in_flight.py FILE.sass ..           what `cuobjdump -sass` printed
    in_flight.py --tkc build/tests/tkc  compiles all examples, as they are and of f16, and looks at each; hours on 2 cores
    in_flight.py --tkc build/tests/tkc examples/sequence/kimi_delta_backward.tk

ptxas has made such code of right PTX (docs/hopper.md): no emulator sees it, and a run on a GPU may be right by chance.
Lines are followed in the order of the text, not of branches: a wait for products ends what was in flight.

It needs a tkc, nvcc and cuobjdump (nvcc_check.py finds or installs it). waits_test.py tries a sample of examples in CI.
Ends with 1 if something is found or was not compiled, else with 0.
"""
import argparse
import concurrent.futures
import dataclasses
import glob
import os
import re
import subprocess
import sys
import tempfile

import nvcc_check
from catalogue import ROOT, read

INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,6})\*/\s+(?:@!?U?P\w+\s+)?(.*?)\s*;")
PRODUCT = re.compile(r"[HQI]GMMA\.64x(\d+)x\d+\.(F32|F16|S32)\S*\s+R(\d+), (?:R(\d+)|gdesc)")
WAIT = re.compile(r"WARPGROUP\.DEPBAR\.LE gsb0, (0x[0-9a-f]+)")
# These write no general registers, or are what the rest is about.
WRITES_NONE = ("ST", "RED", "BAR", "BRA", "ISETP", "FSETP", "HSETP2", "PLOP3", "U", "R2P", "VOTEU", "SYNCS", "FENCE",
               "MEMBAR", "CCTL", "DEPBAR", "ERRBAR", "WARP", "HGMMA", "QGMMA", "IGMMA", "NOP", "EXIT")


@dataclasses.dataclass
class Product:
    """A product that was issued: the address, its group of products, and the registers of its operand and of its sums."""
    address: str
    group: int
    operand: set
    sums: set


def written(text):
    """The general registers that an instruction writes."""
    name, _, rest = text.partition(" ")
    if name.startswith(WRITES_NONE):
        return []
    operands = [word.strip() for word in rest.split(",")]
    while operands and re.fullmatch(r"PT|P\d", operands[0]):  # of a comparison or a vote, which comes first
        operands.pop(0)
    first = re.fullmatch(r"R(\d+)", operands[0]) if operands else None
    if first is None:
        return []
    count = 1
    if ".128" in name or ".M88.4" in name or ".MT88.4" in name:
        count = 4
    elif ".64" in name or ".M88.2" in name or ".MT88.2" in name or ".WIDE" in name or name.startswith("CS2R"):
        count = 2
    return range(int(first.group(1)), int(first.group(1)) + count)


def scan(lines):
    """(function, address of the product, of the write, its text) for each write to registers in flight."""
    function, flying, group = "", [], 0
    for line in lines:
        if "Function :" in line:
            function, flying, group = line.split(":")[1].strip(), [], 0
            continue
        match = INSTRUCTION.match(line)
        if not match:
            continue
        address, text = match.groups()
        product = PRODUCT.match(text)
        wait = WAIT.search(text)
        if product:
            width, kind, sums, operand = product.groups()
            count = int(width) // (4 if kind == "F16" else 2)
            flying.append(Product(address, group, set(range(int(operand), int(operand) + 4)) if operand else set(),
                                  set(range(int(sums), int(sums) + count))))
            group += "gsb0" in text
        elif wait:
            flying = [p for p in flying if p.group >= group - int(wait.group(1), 16)]
        elif text.startswith(("EXIT", "RET")):
            flying = []
        else:
            registers = set(written(text))
            for p in flying:
                if registers & (p.operand | p.sums):
                    yield function, p.address, address, text


def compiled(options, folder, path, words):
    """Lines of machine code of a kernel file; a sentence if it is not for this target or was not compiled."""
    stem = os.path.join(folder, re.sub(r"\W+", "_", os.path.relpath(path, ROOT) + "".join(words)))
    steps = ([options.tkc, path, *words, "--no-notes", "-o", stem + ".cu"],
             [options.nvcc, "-std=c++17", "-O3", "-fmad=false", "-gencode=arch=compute_90a,code=sm_90a",
              "-I", os.path.join(ROOT, "runtime"), "-cubin", "-o", stem + ".cubin", stem + ".cu"],
             [options.cuobjdump, "-sass", stem + ".cubin"])
    for step in steps:
        done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
        if done.returncode != 0:
            return None, (done.stderr + done.stdout).strip().split("\n", maxsplit=1)[0]
    os.remove(stem + ".cubin")
    return done.stdout.split("\n"), ""


def sentence(function, product, address, text):
    """What `scan` found, for people."""
    return f"{function}: the product at {product} is in flight at {address}: {text}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tkc", help="compile .tk files, all examples if none is given")
    arguments.add_argument("--nvcc", default="")
    arguments.add_argument("--cuobjdump")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("files", nargs="*")
    options = arguments.parse_args()
    found = failed = looked_at = 0

    def report(name, lines):
        count = 0
        for write in scan(lines):
            print(f"{name}: {sentence(*write)}", flush=True)
            count += 1
        return count

    if not options.tkc:
        if not options.files:
            arguments.error("give it files of machine code, or --tkc")
        for path in options.files:
            found += report(path, read(path).split("\n"))
            looked_at += 1
    else:
        options.nvcc = nvcc_check.find_nvcc(options.nvcc)
        options.cuobjdump = options.cuobjdump or nvcc_check.find_cuobjdump()
        for name, found_here in (("nvcc", options.nvcc), ("cuobjdump", options.cuobjdump)):
            if not found_here:
                sys.exit(f"in_flight.py: there is no {name} here: name it by --{name}")
        paths = options.files or sorted(glob.glob(os.path.join(ROOT, "examples", "*", "*.tk")))
        calls = [(path, words) for path in paths for words in ([], ["-D", "T=f16"]) if not words or "T: dtype" in read(path)]
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            made = [(path, words, pool.submit(compiled, options, folder, path, words)) for path, words in calls]
            for path, words, future in made:
                name = " ".join([os.path.relpath(path, ROOT), *words])
                lines, problem = future.result()
                if lines is None:
                    failed += not words  # not every kernel is for f16
                    print(f"{name}: not compiled: {problem}", flush=True)
                    continue
                found += report(name, lines)
                looked_at += 1
    print(f"{looked_at} files: {found} writes to registers in flight" + (f"; {failed} were not compiled" if failed else ""))
    return 1 if found or failed or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
