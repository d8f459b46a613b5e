#!/usr/bin/env python3
"""Compares the machine code of two folders of libraries, as bench/build.sh makes them: sass.py BEFORE AFTER.

Of each kernel whose code differs: instructions without padding, registers, and bytes of the stack, where spills lie.
Cubins may be next to the libraries, and the emitted .cu of each, which names its kernels. cuobjdump comes with CUDA, or from PyPI as nvidia-cuda-cuobjdump.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "test" / "tools"))
import instances  # noqa: E402


def dump(cuobjdump, option, path):
    done = subprocess.run([cuobjdump, option, path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{cuobjdump} {option} {path}: {done.stderr.strip()}")
    return done.stdout


def read(cuobjdump, path):
    """A list of (name, code, registers, stack) of the kernels in the file, in its order."""
    code, name = {}, None
    for line in dump(cuobjdump, "-sass", path).splitlines():
        if found := re.match(r"\s*Function : (\S+)", line):
            name = found[1]
            code[name] = []
        elif name and (found := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);", line)):
            code[name].append(found[1])
    usage, name = {}, None
    for line in dump(cuobjdump, "-res-usage", path).splitlines():
        if found := re.match(r"\s*Function (\S+):", line):
            name = found[1]
        elif name and (found := re.search(r"REG:(\d+) STACK:(\d+)", line)):
            usage[name] = (int(found[1]), int(found[2]))
    return [(kernel, lines, *usage[kernel]) for kernel, lines in code.items()]


def by_name(kernels, path):
    """The kernels by their names in the .tk, of instances too where the .cu is there."""
    source = path.with_name(path.name.removeprefix("lib")).with_suffix(".cu")
    text = source.read_text(encoding="utf-8") if source.exists() else ""
    return {instances.kernel_of(kernel[0], text): kernel for kernel in kernels}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("before", type=pathlib.Path)
    arguments.add_argument("after", type=pathlib.Path)
    arguments.add_argument("--cuobjdump", default="cuobjdump")
    options = arguments.parse_args()

    def files(folder):
        return {path.name: path for path in folder.iterdir() if path.suffix in (".so", ".cubin")}

    before, after = files(options.before), files(options.after)
    for name in sorted(before.keys() ^ after.keys()):
        print(f"{name}: only in {options.before if name in before else options.after}")
    both = sorted(before.keys() & after.keys())
    if not both:
        sys.exit("no library or cubin is in both folders")

    def read_both(name):
        return read(options.cuobjdump, before[name]), read(options.cuobjdump, after[name])

    count, rows = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (old, new) in zip(both, pool.map(read_both, both)):
            old, new = by_name(old, before[name]), by_name(new, after[name])
            for kernel in sorted(old.keys() ^ new.keys()):
                print(f"{name} {kernel}: only in {options.before if kernel in old else options.after}")
            for kernel in sorted(old.keys() & new.keys()):
                (_, old_code, *old_usage), (_, new_code, *new_usage) = old[kernel], new[kernel]
                count += 1
                if old_code == new_code and old_usage == new_usage:
                    continue
                lengths = [sum(line != "NOP" for line in code) for code in (old_code, new_code)]
                rows.append((lengths[1] / lengths[0], name, kernel, lengths, old_usage, new_usage))
    for ratio, name, kernel, lengths, old_usage, new_usage in sorted(rows):
        print(f"{ratio:.3f} {name} {kernel}: instructions {lengths[0]} -> {lengths[1]},"
              f" registers {old_usage[0]} -> {new_usage[0]}, stack {old_usage[1]} -> {new_usage[1]}")
    print(f"{count} kernels, {count - len(rows)} identical", end="")
    if rows:
        mean = math.exp(sum(math.log(row[0]) for row in rows) / len(rows))
        print(f"; the others {mean:.3f} of the instructions, geometric mean", end="")
    print()


if __name__ == "__main__":
    main()
