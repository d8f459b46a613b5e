#!/usr/bin/env python3
"""How many blocks of a multiprocessor tkc divides the registers among, and with how many ptxas spills.

    python3 bench/blocks.py --tkc build/release/tkc [-D NAME=VALUE ..] [FILE.tk ..]

For kernels of warps; without files, those of the examples and of some tests, norms and softmax with rows of several
lengths; with --all, those of all examples and of test/kernels and test/emit. nvcc compiles each file once, ptxas each
kernel for 1 to 8 blocks (`.minnctapersm`, which `__launch_bounds__` sets) and as many as were chosen. chosen: tkc's
estimate. without spills: the most for which ptxas spills nothing. one more spills: the bytes that it stores and loads
with one block more. spilled: the same with the chosen number. General versions, which take what registers there are,
are left out. The last line compares as many blocks as have 1024 threads.

--libraries FOLDER: also builds FOLDER/N/libNAME.so for N blocks, and FOLDER/0 for the chosen ones, for compare.py.
"""
import argparse
import functools
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

MOST = 8
THREADS = 1024  # of a multiprocessor: more are worth little (docs/performance/compiler.md)
ROWS = ("norms/rmsnorm", "norms/layernorm", "norms/layernorm_backward", "norms/dropout_norm", "rows/softmax",
        "rows/log_softmax", "elementwise/quantise")
TESTS = ("ahead", "fp8", "library", "random", "wide_rows")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
BOUNDS = re.compile(r"(?:template <([^<>]*)>\s+)?__global__ void __launch_bounds__\((\w+), (\w+)\)\s+(\w+)\(")


def chosen(text):
    """{kernel: (threads, blocks)} of the text of a .cu."""
    found, templates = {}, {}
    for parameters, threads, blocks, function in BOUNDS.findall(text):
        if threads.isdigit() and blocks.isdigit():
            found[function.removesuffix("_kernel")] = int(threads), int(blocks)
        templates[function] = threads, blocks, [p.split()[-1] for p in parameters.split(",")] if parameters else []
    for name, function, arguments in instances.instances(text):
        if function in templates:
            *bounds, parameters = templates[function]
            found[name] = tuple(int(b if b.isdigit() else arguments[parameters.index(b)]) for b in bounds)
    return found


def nvcc_run(nvcc, text, output, flags):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "kernel.cu")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(text)
        target = nvcc_check.target_flag(source)
        if output.endswith(".ptx"):
            target = f"-arch={re.search('arch=(compute_[0-9a-z]+)', target)[1]}"
        command = ["nice", nvcc, *nvcc_check.FLAGS[:3], target, f"-I{nvcc_check.RUNTIME}",
                   f"-I{os.path.join(ROOT, 'test', 'kernels')}", *flags, "-o", output, source]
        subprocess.run(command, check=True, capture_output=True)


def library(nvcc, text, blocks, path):
    """Makes the library with so many blocks; 0: as chosen."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if blocks:
        text = re.sub(r"__launch_bounds__\((\w+), \w+\)", rf"__launch_bounds__(\1, {blocks})", text)
    nvcc_run(nvcc, text, path, ["-shared", "-cudart", "static", "-Xcompiler", "-fPIC"])


def spills(nvcc, text):
    """{kernel of warps: function of blocks: bytes spilled}"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.ptx")
        nvcc_run(nvcc, text, path, ["-ptx"])
        with open(path, encoding="utf-8") as stream:
            head, *entries = re.split(r"(?=^\.(?:visible|weak) \.entry )", stream.read(), flags=re.MULTILINE)
    arch = re.search(r"^\.target (\w+)", head, re.MULTILINE)[1]
    return {instances.kernel_of(re.search(r"\.entry (\w+)\(", entry)[1], text):
            functools.partial(spilled, nvcc, arch, head, entry)
            for entry in entries if not re.search("setmaxnreg|wgmma", entry)}


def spilled(nvcc, arch, head, entry, blocks):
    entry = re.sub(r"^\.minnctapersm \d+\n", "", entry, flags=re.MULTILINE)
    entry = re.sub(r"^(\.maxntid .*\n)", rf"\1.minnctapersm {blocks}\n", entry, count=1, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.ptx")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(head + entry)
        ptxas = os.path.join(os.path.dirname(nvcc), "ptxas")
        done = subprocess.run(["nice", ptxas, "-v", f"-arch={arch}", "-o", os.path.join(folder, "cubin"), path],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return sum(int(n) for n in SPILLS.search(done.stdout).groups())


def cases(options):
    """(file, defines) of what was named, or of everything."""
    if options.files:
        return [(path, [f"-D{d}" for d in options.defines]) for path in options.files]
    examples = os.path.join(ROOT, "examples")
    rows = [(os.path.join(examples, f"{name}.tk"), [f"-DC={cols}"]) for cols in (1024, 4096, 5000, 8192) for name in ROWS]
    if options.all:
        folders = [os.path.join(examples, "*", "*.tk"), os.path.join(ROOT, "test", "kernels", "*.tk"),
                   os.path.join(ROOT, "test", "emit", "*.t*")]
        return [(path, []) for folder in folders for path in sorted(glob.glob(folder))] + rows
    files = [path for folder in ("elementwise", "norms", "routing", "rows")
             for path in sorted(glob.glob(os.path.join(examples, folder, "*.tk")))]
    files += sorted(glob.glob(os.path.join(examples, "attention", "rope*.tk")))
    files += [os.path.join(ROOT, "test", "kernels", f"{name}.tk") for name in TESTS]
    return [(path, []) for path in files] + rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--libraries", default="", metavar="FOLDER")
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    nvcc = nvcc_check.find_nvcc(options.nvcc)
    kernels = short = wrong = spilling = 0
    print("| kernel | chosen | spilled | without spills | one more spills |\n| --- | --- | --- | --- | --- |")
    pool = ThreadPoolExecutor(options.jobs)
    for path, defines in cases(options):
        done = subprocess.run([options.tkc, "--no-notes", "--emit=cuda", *defines, path], capture_output=True, text=True)
        text = done.stdout
        number_of = chosen(text) if done.returncode == 0 else {}
        number_of = {k: n for k, n in number_of.items() if not k.endswith("_general")}
        if not number_of:
            continue  # a test of an error
        if options.libraries:
            name = "_".join([os.path.basename(path).removesuffix(".tk"), *(d.partition("=")[2] for d in defines)])
            list(pool.map(lambda n: library(nvcc, text, n, os.path.join(options.libraries, str(n), f"lib{name}.so")),
                          range(MOST + 1)))
        with_blocks = spills(nvcc, text)
        for kernel, (threads, blocks) in number_of.items():
            if kernel not in with_blocks:
                continue
            enough = max(1, THREADS // threads)
            most = max(MOST, enough)
            by_blocks = list(pool.map(with_blocks[kernel], [blocks, *range(1, most + 1)]))
            fits = next((n for n in range(most) if by_blocks[n + 1]), most)
            more = by_blocks[fits + 1] if fits < most else ""
            print(f"| {kernel} | {blocks} | {by_blocks[0]} | {fits}{' or more' if fits == most else ''} | {more} |",
                  flush=True)
            missing = min(fits, enough) - min(blocks, enough)
            kernels, short, wrong = kernels + 1, short + abs(missing), wrong + (missing != 0)
            spilling += by_blocks[0] > 0
    print(f"{kernels} kernels; {short} blocks in {wrong} of them beside the most; {spilling} spill")


if __name__ == "__main__":
    main()
