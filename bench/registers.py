#!/usr/bin/env python3
"""Compares the registers that tkc counts for each role with those that its code needs.

    python3 bench/registers.py --tkc build/release/tkc [--nvdisasm NVDISASM] [-D NAME=VALUE ..] [FILE.tk ..]

tkc: what `tkc explain` says, registers per thread that the role has, those of its tiles, and in total, as
counted for roles of warpgroups. ptxas reports one number a kernel, which is what it is launched with, because
`setmaxnreg` shares registers out later: of use only where no role changes its own. What a role needs is read from the
code: the most registers that nvdisasm finds alive at once after the role's own `setmaxnreg`. Roles that share a
warpgroup share that number too. Without files: all examples.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "tools"))
import instances  # noqa: E402
import nvcc_check  # noqa: E402

HEADING = re.compile(r"^(\w+)(?:<.*>)?(?:, for operands .*)?$")
ROLE = re.compile(r"^  role (\w+): .*; (\d+) registers per thread(?:, about (\d+) of them for tiles)?(?:, (\d+) in total)?")
ENTRY = re.compile(r"Compiling entry function '([^']+)'")
USED = re.compile(r"Used (\d+) registers")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
LABEL = re.compile(r"^(\.L_x_\d+):")
CODE = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(@!?\w+ )?\s*([A-Z][\w.]*)(.*?);.*?// \|\s*(\d*)")
TARGET = re.compile(r"`\((\.L_x_\d+)\)")
SET = re.compile(r"(0x[0-9a-f]+)")


def roles_of(tkc, defines, path):
    """{kernel: [(role, registers, for tiles, counted)]} as `tkc explain` says."""
    text = subprocess.run([tkc, "explain", *defines, path], check=True, capture_output=True, text=True).stdout
    kernels, name = {}, ""
    for line in text.splitlines():
        heading, role = HEADING.match(line), ROLE.match(line)
        if heading:
            name = heading[1]
        elif role:
            kernels.setdefault(name, []).append((role[1], int(role[2]), int(role[3] or 0), role[4] or ""))
    return kernels


def compiled(tkc, nvcc, defines, path, folder):
    """(ptxas's log, the cubin's path, the emitted text)."""
    source, cubin = os.path.join(folder, "kernel.cu"), os.path.join(folder, "kernel.cubin")
    subprocess.run([tkc, "--no-notes", *defines, path, "-o", source], check=True)
    flags = [*nvcc_check.FLAGS, nvcc_check.target_flag(source), f"-I{nvcc_check.RUNTIME}", "-o", cubin, source]
    done = subprocess.run(["nice", nvcc, *flags], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with open(source, encoding="utf-8") as stream:
        return done.stdout, cubin, stream.read()


def judged(log, source):
    """{kernel: (registers, bytes spilled)} as ptxas says."""
    found, name, spilled = {}, "", 0
    for line in log.splitlines():
        if ENTRY.search(line):
            name = instances.kernel_of(ENTRY.search(line)[1], source)
        elif SPILLS.search(line):
            spilled = sum(int(x) for x in SPILLS.search(line).groups())
        elif USED.search(line):
            found[name] = (int(USED.search(line)[1]), spilled)
    return found


def alive(code):
    """{registers that setmaxnreg gives: most that are alive at once after it}; 0: of the whole kernel."""
    labels, steps = {}, []
    for line in code:
        label, step = LABEL.match(line), CODE.match(line)
        if label:
            labels[label[1]] = len(steps)
        elif step:
            steps.append((bool(step[1]), step[2], step[3], int(step[4] or 0)))
    most = {0: max((s[3] for s in steps), default=0)}
    for begin, (_, name, text, _) in enumerate(steps):
        if not name.startswith("USETMAXREG"):
            continue
        given = int(SET.search(text)[1], 16)
        seen, waiting = set(), [begin + 1]
        while waiting:
            at = waiting.pop()
            if at in seen or at >= len(steps):
                continue
            seen.add(at)
            guarded, what, rest, _ = steps[at]
            target = TARGET.search(rest)
            if target and what.startswith("BRA"):
                waiting.append(labels[target[1]])
            if guarded or what not in ("BRA", "EXIT"):
                waiting.append(at + 1)
        most[given] = max(most.get(given, 0), max(steps[at][3] for at in seen))
    return most


def measured(nvdisasm, cubin, source):
    """{kernel: alive()}."""
    text = subprocess.run([nvdisasm, "-c", "-plr", cubin], check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^//-+ \.text\.(\S+) -+$", text, flags=re.MULTILINE)
    return {instances.kernel_of(symbol, source): alive(code.splitlines())
            for symbol, code in zip(parts[1::2], parts[2::2])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--nvdisasm", default="")
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    nvcc = nvcc_check.find_nvcc(options.nvcc)
    nvdisasm = shutil.which(options.nvdisasm or "nvdisasm") or shutil.which(os.path.join(os.path.dirname(nvcc), "nvdisasm"))
    defines = [f"-D{d}" for d in options.defines]
    examples = os.path.join(ROOT, "examples")
    files = options.files or sorted(glob.glob(os.path.join(examples, "*", "*.tk")))
    print("| kernel | role | has | its tiles | counted | alive | the rest | ptxas | spilled |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            log, cubin, source = compiled(options.tkc, nvcc, defines, path, folder)
            needs = measured(nvdisasm, cubin, source) if nvdisasm else {}
        ptxas = judged(log, source)
        for kernel, roles in roles_of(options.tkc, defines, path).items():
            for role, has, tiles, counted in roles:
                need = needs.get(kernel, {})
                lives = need.get(has, need.get(0) if len(need) == 1 else None)
                rest = "" if lives is None else lives - tiles
                used, spilled = ptxas[kernel]
                print(f"| {kernel} | {role} | {has} | {tiles or ''} | {counted} | {'?' if lives is None else lives} | {rest} "
                      f"| {used} | {spilled} B |", flush=True)


if __name__ == "__main__":
    main()
