#!/usr/bin/env python3
"""Shows how the CUDA that two compilers emit for the examples differs, equal changes once.

    compare_emitted.py --against OLD                     the newest of build/{dev,tests,release}/tkc, against another tkc
    compare_emitted.py --tkc NEW --against OLD --blur    changes that differ in numbers and in names of files count as equal
    compare_emitted.py --against OLD --code              compiles texts that differ, and names kernels whose code does
    compare_emitted.py --against OLD --keep FOLDER       leaves the texts, and cubins, in FOLDER/old and FOLDER/new

Each text is compiled with the headers of its own compiler (`tkc runtime`). `bench/sass.py FOLDER/old/gemm
FOLDER/new/gemm` then compares the instructions. --code needs nvcc and the Python package pyelftools.

Ends with 0 if all texts are the same, with 1 if some differ, and with 2 if there is a fault.
"""
import argparse
import collections
import concurrent.futures
import difflib
import os
import re
import subprocess
import sys
import tempfile
import traceback

import emitted
import instances
import nvcc_check

try:
    from elftools.elf.elffile import ELFFile
except ImportError:
    ELFFile = None

FAULT = 2
NAMED = 8  # examples that a line names
CONTEXT = 2  # lines around a change
BLURRED = [(re.compile(r"\w+\.tk\b"), "FILE.tk"), (re.compile(r"\d+"), "0")]
FUNCTION = re.compile(r"(?:template )?__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)|[\w:][^=]*?\b(?!__)(\w+)\(")


def blurred(text):
    for pattern, word in BLURRED:
        text = pattern.sub(word, text)
    return text


def function_at(lines, number):
    """The name of the function that a line is in, or that follows the comment or struct that it is in."""
    inside = lines[number].startswith((" ", "}")) if number < len(lines) else True
    order = range(min(number, len(lines) - 1), -1, -1) if inside else range(number, len(lines))
    for at in order:
        found = FUNCTION.match(lines[at])
        if found:
            return next(filter(None, found.groups()))
    return ""


class Hunk:
    """A change of one text."""

    def __init__(self, name, old, new, group):
        first, last = group[0], group[-1]
        self.name, self.function = name, function_at(new, first[3])
        self.old, self.new = old[first[1]:last[2]], new[first[3]:last[4]]
        self.before, self.after = new[max(0, first[3] - CONTEXT):first[3]], new[last[4]:last[4] + CONTEXT]
        self.changes = [("-", line) for line in self.old] + [("+", line) for line in self.new]
        if len(group) > 1:  # with the lines between
            self.changes = []
            for kind, i, j, k, m in group:
                same = kind == "equal"
                self.changes += [(" " if same else "-", line) for line in old[i:j]]
                self.changes += [] if same else [("+", line) for line in new[k:m]]

    def key(self, blur):
        text = "\n".join(sign + line.strip() for sign, line in self.changes)
        return blurred(text) if blur else text

    def text(self):
        lines = [" " + line for line in self.before] + [sign + line for sign, line in self.changes]
        return "\n".join(lines + [" " + line for line in self.after])


def hunks(name, before, after):
    """The changes of a text; those with at most one line between them are one."""
    old, new = before.splitlines(), after.splitlines()
    group = []
    for step in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if step[0] != "equal":
            group.append(step)
        elif group and step[2] - step[1] <= 1:
            group.append(step)
        elif group:
            yield Hunk(name, old, new, without_end(group))
            group = []
    if group:
        yield Hunk(name, old, new, without_end(group))


def without_end(group):
    return group[:-1] if group[-1][0] == "equal" else group


def names(found):
    """Some of the examples, and how many more there are."""
    found = list(dict.fromkeys(found))
    more = f", and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return f"{', '.join(found[:NAMED])}{more}"


def show(changed, blur):
    """Prints equal changes once, the most frequent first."""
    groups = collections.defaultdict(list)
    for name, (before, after) in changed.items():
        for hunk in hunks(name, before, after):
            groups[hunk.key(blur)].append(hunk)
    for found in sorted(groups.values(), key=lambda found: (-len({hunk.name for hunk in found}), -len(found))):
        files = {hunk.name for hunk in found}
        print(f"\n{len(files)} of {len(changed)} files, {len(found)} places: {names(hunk.name for hunk in found)}\n"
              f"@@ {found[0].name}.cu, {found[0].function}\n{found[0].text()}")
    print(f"\n{len(changed)} texts differ, by {len(groups)} different changes in {sum(map(len, groups.values()))} places")


def runtime_of(tkc, folder):
    """The folder with this compiler's headers, or an end with a message."""
    done = subprocess.run([tkc, "runtime", folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        emitted.stop(f"`{tkc} runtime {folder}` failed:\n{done.stderr}")
    return folder


def machine_code(nvcc, source, headers):
    """{kernel: (code, registers, spilled bytes)} of an emitted file, or a sentence about why there is none."""
    cubin = source.removesuffix(".cu") + ".cubin"
    flags = [*nvcc_check.FLAGS, *nvcc_check.WHOLE, f"-I{headers}", nvcc_check.target_flag(source)]
    status, log = nvcc_check.compile_once(nvcc, source, flags, emitted.LIMIT, output=cubin)
    if status != 0:
        return f"nvcc exited with status {status}:\n{log}"
    with open(source, encoding="utf-8") as stream:
        text = stream.read()
    used, heads = nvcc_check.judge(log, text)[1], instances.heads(text)
    found = {}
    with open(cubin, "rb") as stream:
        for section in ELFFile(stream).iter_sections():
            if section.name.startswith(".text."):
                for name in nvcc_check.names_of(section.name.removeprefix(".text."), heads):
                    registers, _, spilled = used.get(name, nvcc_check.Usage(0, 0, 0))
                    found[name] = section.data(), registers, spilled
    return found


def compare_code(options, nvcc, changed, folders, headers):
    """Prints how the machine code of kernels differs. False: a text could not be compiled."""
    calls = [(name, side) for name in changed for side in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        codes = dict(zip(calls, pool.map(
            lambda call: machine_code(nvcc, os.path.join(folders[call[1]], call[0] + ".cu"), headers[call[1]]), calls)))
    same, differ, good = 0, 0, True
    print()
    for name in changed:
        old, new = codes[name, 0], codes[name, 1]
        for side, code in (("old", old), ("new", new)):
            if isinstance(code, str):
                print(f"{name}: the {side} text cannot be compiled: {code}")
                good = False
        if isinstance(old, str) or isinstance(new, str):
            continue
        for kernel in sorted(old.keys() | new.keys()):
            if kernel not in old or kernel not in new:
                print(f"{name}: {kernel} is only in the {'new' if kernel in new else 'old'} text")
                differ += 1
            elif old[kernel] == new[kernel]:
                same += 1
            else:
                differ += 1
                (before, *had), (after, *has) = old[kernel], new[kernel]
                words = [f"{len(before)} -> {len(after)} bytes" if len(before) != len(after) else f"{len(after)} bytes"]
                words += [f"{a} -> {b} {what}" if a != b else f"{b} {what}"
                          for a, b, what in zip(had, has, ("registers", "bytes spilled")) if a or b]
                print(f"{name}: the code of {kernel} differs: {', '.join(words)}")
    print(f"of the kernels of these texts, {differ} have other machine code, and {same} have the same")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", default="", help="the new compiler (the newest of build/{dev,tests,release}/tkc)")
    parser.add_argument("--against", required=True, metavar="TKC", help="the old compiler")
    parser.add_argument("--blur", action="store_true", help="numbers and names of files make no difference")
    parser.add_argument("--code", action="store_true", help="compare the machine code, too")
    parser.add_argument("--nvcc", default="", help="(the one of $TKC_NVCC, $CUDA_HOME, PATH, /usr/local/cuda)")
    parser.add_argument("--keep", default="", metavar="FOLDER", help="where texts and cubins stay")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that run at the same time (a core each)")
    parser.add_argument("examples", nargs="*", help="as gemm/gemm or examples/gemm/gemm.tk; all")
    options = parser.parse_args()
    if not options.against:
        parser.error("--against \"\" names no compiler: write the path of the old one")
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: write the number of programs that run at the same time, 1 or more")
    try:
        return compare(options)
    except OSError as problem:
        print(f"compare_emitted.py: {problem.filename or 'a file'} cannot be written, read or run: {problem.strerror}",
              file=sys.stderr)
    except SystemExit as end:  # a message, as emitted.py ends
        print(end.code, file=sys.stderr)
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()  # Python would end with 1, as if texts differed
    return FAULT


def compare(options):
    """Does what the command line says. Returns the exit status."""
    nvcc = None
    if options.code:
        if ELFFile is None:
            emitted.stop("--code reads cubins by pyelftools, which is not installed: `apt install python3-pyelftools`,"
                         " or `pip install pyelftools` in a venv")
        nvcc = nvcc_check.find_nvcc(options.nvcc)
        if nvcc is None:
            emitted.stop(f"there is no {options.nvcc or 'nvcc'}: name one with --nvcc PATH")
    compilers = emitted.find_tkc(options.against), emitted.find_tkc(options.tkc)
    known, wanted = emitted.names_of(options.examples)
    with tempfile.TemporaryDirectory(prefix="compare-emitted-") as scratch:
        folders = [os.path.join(options.keep or scratch, side) for side in ("old", "new")]
        old, new = [emitted.emit_all(tkc, wanted or known, folder, options.jobs) for tkc, folder in zip(compilers, folders)]
        both = sorted(old.keys() & new.keys())
        changed = {name: (old[name], new[name]) for name in both if old[name] != new[name]}
        if changed:
            show(changed, options.blur)
        good = len(both) == len(wanted or known)
        if nvcc and changed:
            headers = [runtime_of(tkc, os.path.join(scratch, f"runtime-{side}")) for side, tkc in enumerate(compilers)]
            good = compare_code(options, nvcc, changed, folders, headers) and good
    print(f"{len(both) - len(changed)} of {len(wanted or known)} texts are the same")
    return FAULT if not good else 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
