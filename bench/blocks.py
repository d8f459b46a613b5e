#!/usr/bin/env python3
"""How many blocks of a multiprocessor tkc divides the registers among, and with how many ptxas spills.

    python3 bench/blocks.py --tkc build/release/tkc [-D NAME=VALUE ..] [FILE.tk ..]

For kernels of warps; without files, those of the examples and of some tests, norms and softmax with rows of several
lengths. Every kernel is compiled for 1 to 8 blocks (`__launch_bounds__`). chosen: tkc's estimate. without spills: the
most for which ptxas spills no more than the 16 bytes that `tkc build` lets pass. one more spills: the bytes that it
stores and loads with one block more. General versions, which take what registers there are, are left out. The last line
compares as many blocks as have 1024 threads.

--libraries FOLDER: also builds FOLDER/N/libNAME.so for N blocks, and FOLDER/0 for the chosen ones, for compare.py.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "tools"))
import instances  # noqa: E402
import nvcc_check  # noqa: E402
from registers import judged  # noqa: E402

MOST = 8
THREADS = 1024  # of a multiprocessor: more are worth little (docs/performance.md)
ROWS = ("norms/rmsnorm", "norms/layernorm", "norms/layernorm_backward", "norms/dropout_norm", "rows/softmax",
        "rows/log_softmax", "elementwise/quantise")
TESTS = ("ahead", "fp8", "library", "random", "wide_rows")
BOUNDS = re.compile(r"(?:template <([^<>]*)>\s+)?__global__ void __launch_bounds__\((\w+), (\w+)\)\s+(\w+)\(")


def chosen(text):
    """{kernel: blocks} of the text of a .cu."""
    found, templates = {}, {}
    for parameters, _, blocks, function in BOUNDS.findall(text):
        if blocks.isdigit():
            found[function.removesuffix("_kernel")] = int(blocks)
        templates[function] = blocks, [p.split()[-1] for p in parameters.split(",")] if parameters else []
    for name, function, arguments in instances.instances(text):
        blocks, parameters = templates[function]
        found[name] = int(blocks if blocks.isdigit() else arguments[parameters.index(blocks)])
    return found


def threads(text):
    return int(re.search(r"__launch_bounds__\((\d+)", text)[1])


def compiled(nvcc, text, blocks, library):
    """{kernel: bytes spilled} with so many blocks; 0: as chosen. Makes the library, too, if it has a name."""
    with tempfile.TemporaryDirectory() as folder:
        source, bounded = os.path.join(folder, "kernel.cu"), text
        if blocks:
            bounded = re.sub(r"__launch_bounds__\((\w+), \w+\)", rf"__launch_bounds__(\1, {blocks})", text)
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(bounded)
        flags = [*nvcc_check.FLAGS, nvcc_check.target_flag(source), f"-I{nvcc_check.RUNTIME}"]
        output = os.path.join(folder, "kernel.cubin")
        if library:
            os.makedirs(os.path.dirname(library), exist_ok=True)
            flags = [f for f in flags if f != "-cubin"] + ["-shared", "-cudart", "static", "-Xcompiler", "-fPIC"]
            output = library
        done = subprocess.run([nvcc, *flags, "-o", output, source], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    return {kernel: spilled for kernel, (_, spilled) in judged(done.stdout, text).items()}


def cases(options):
    """(file, defines) of what was named, or of everything."""
    if options.files:
        return [(path, [f"-D{d}" for d in options.defines]) for path in options.files]
    examples = os.path.join(ROOT, "examples")
    files = [path for folder in ("elementwise", "norms", "routing", "rows")
             for path in sorted(glob.glob(os.path.join(examples, folder, "*.tk")))]
    files += sorted(glob.glob(os.path.join(examples, "attention", "rope*.tk")))
    files += [os.path.join(ROOT, "test", "kernels", f"{name}.tk") for name in TESTS]
    return [(path, []) for path in files] + [(os.path.join(examples, f"{name}.tk"), [f"-DC={cols}"])
                                             for cols in (1024, 4096, 5000, 8192) for name in ROWS]


def library_of(options, path, defines, blocks):
    if not options.libraries:
        return ""
    name = "_".join([os.path.basename(path).removesuffix(".tk"), *(d.partition("=")[2] for d in defines)])
    return os.path.join(options.libraries, str(blocks), f"lib{name}.so")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--libraries", default="", metavar="FOLDER")
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    nvcc = nvcc_check.find_nvcc(options.nvcc)
    kernels = short = wrong = spilling = 0
    print("| kernel | chosen | without spills | one more spills |\n| --- | --- | --- | --- |")
    pool = ThreadPoolExecutor(os.cpu_count())
    waiting = []
    for path, defines in cases(options):
        command = [options.tkc, "--no-notes", "--emit=cuda", *defines, path]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        waiting.append((text, [pool.submit(compiled, nvcc, text, n, library_of(options, path, defines, n))
                               for n in range(MOST + 1)]))
    for text, jobs in waiting:
        by_blocks = [job.result() for job in jobs]
        for kernel, blocks in chosen(text).items():
            if kernel.endswith("_general"):
                continue
            fits = 0
            while fits < MOST and by_blocks[fits + 1][kernel] <= 2 * nvcc_check.FEW:  # stores and loads
                fits += 1
            more = by_blocks[fits + 1][kernel] if fits < MOST else ""
            print(f"| {kernel} | {blocks} | {fits}{' or more' if fits == MOST else ''} | {more} |", flush=True)
            enough = max(1, THREADS // threads(text))
            missing = min(fits, enough) - min(blocks, enough)
            kernels, short, wrong = kernels + 1, short + abs(missing), wrong + (missing != 0)
            spilling += by_blocks[0][kernel] > 2 * nvcc_check.FEW
    print(f"{kernels} kernels; {short} blocks in {wrong} of them beside the most; {spilling} spill")


if __name__ == "__main__":
    main()
