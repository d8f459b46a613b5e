#!/usr/bin/env python3
"""Compiles many .cu as nvcc_check.py does, several by one call of nvcc: a third of its time goes to the headers.

    nvcc_joined.py --nvcc NVCC --tkc build/tests/tkc examples/*/*.cu test/kernels/*.tk

Of a test of lit it compiles what the lines with %nvcc-check name. The verdicts are kept where nvcc_check.py looks for
them, so that tests which ask for them later wait for nothing. Each file becomes a namespace, behind the headers that it
includes and no others. Where there is a fault, the files are compiled once more, each alone, and these verdicts hold.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import nvcc_check

MOST = 8  # files of one call
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
FILE_OF = re.compile(r"\dinput_([a-z])_\d")  # in a symbol
MADE = re.compile(r"^(?:// )?RUN: %tkc (.*-o (%t[.\w]*))$", re.MULTILINE)
CHECKED = re.compile(r"^(?:// )?RUN: %nvcc-check (\S+)((?: -I \S+)*)$", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def of_lit_test(path, tkc, folder):
    """[(source, include folders)] of what such a test has compiled."""
    test = read(path)
    names = {"%s": path, "%S": os.path.dirname(path), "%runtime": nvcc_check.RUNTIME, "%t": os.path.join(folder, os.path.basename(path))}

    def plain(text):
        return re.sub(r"%(?:runtime|[sSt])", lambda name: names[name[0]], text)

    made = {plain(file): plain(arguments).split() for arguments, file in MADE.findall(test)}
    found = []
    for file, includes in CHECKED.findall(test):
        if plain(file) in made and subprocess.run([tkc, *made[plain(file)]], stdout=subprocess.DEVNULL,
                                                  stderr=subprocess.DEVNULL, check=False).returncode == 0:
            found.append((plain(file), tuple(plain(includes).replace("-I", "").split())))
    return found


def groups_of(sources):
    """Lists of sources that may be joined: for one machine, and each includes what those before it include."""
    def key(source):
        return len(INCLUDE.findall(read(source))), source

    groups = []
    for source in sorted(sources, key=key):
        includes, target = set(INCLUDE.findall(read(source))), nvcc_check.target_flag(source)
        fitting = [g for g in groups if g["target"] == target and g["includes"] <= includes and len(g["sources"]) < MOST]
        if not fitting:
            fitting = [{"target": target, "sources": []}]
            groups += fitting
        closest = max(fitting, key=lambda g: len(g.get("includes", ())))
        closest["includes"] = includes
        closest["sources"].append(source)
    return [g["sources"] for g in groups]


def letter(number):
    return chr(ord("a") + number)


def joined(sources):
    text, before = "", []
    for number, source in enumerate(sources):
        body = read(source)
        new = [line for line in INCLUDE.findall(body) if line not in before]
        before += new
        # Two files may export functions of one name.
        body = INCLUDE.sub("\n", body).replace('extern "C" {', "inline namespace exported {")
        text += f'{"".join(new)}namespace input_{letter(number)}_ {{\n#line 1 "{source}"\n{body}\n}}\n'
    return text


def by_file(log):
    """{letter: lines} of a log of ptxas; what is about no file has no letter."""
    parts, current = {"": ""}, ""
    for line in log.splitlines(True):
        named = FILE_OF.search(line)
        current = named[1] if named else current
        parts[current] = parts.get(current, "") + line
    return parts


def alone(symbol):
    """The symbol that a kernel has where its file is compiled alone, up to its parameters."""
    begin = re.match(r"_ZN8input_[a-z]_((\d+).*)", symbol)
    if not begin:
        return symbol
    end = len(begin[2]) + int(begin[2])
    return "_Z" + begin[1][:end] + begin[1][end:].removeprefix("E")


def check_joined(checker, sources, folder):
    """Keeps a verdict of each source where none has a fault, and says whether that is so."""
    path = os.path.join(folder, "joined.cu")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(joined(sources))
    flags = [*checker.flags, nvcc_check.target_flag(sources[0])]
    status, log = nvcc_check.compile_once(checker.nvcc, path, flags, checker.limit * len(sources))
    parts = by_file(log)
    if status != 0 or nvcc_check.judge(parts.pop(""))[0]:
        return False
    verdicts = [nvcc_check.judge(parts.get(letter(n), ""), read(source)) for n, source in enumerate(sources)]
    if any(faults for faults, _ in verdicts):
        return False
    for source, (_, kernels) in zip(sources, verdicts):
        checker.keep(source, *nvcc_check.passed([alone(kernel) for kernel in kernels]))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    checked, bad = 0, []
    with tempfile.TemporaryDirectory(prefix="nvcc-joined-") as folder:
        sources = {}  # by the folders that they may include
        for path in map(os.path.abspath, options.files):
            found = [(path, ())] if path.endswith(".cu") else of_lit_test(path, os.path.abspath(options.tkc), folder)
            for source, include in found:
                sources.setdefault(include, []).append(source)
        for include, named in sources.items():
            checker = nvcc_check.Checker(nvcc_check.find_nvcc(options.nvcc), include)
            checked += len(named)
            for group in groups_of([source for source in named if not checker.kept(source)]):
                if len(group) > 1:
                    check_joined(checker, group, folder)
            for source in named:
                good, text = checker.check(source)
                if not good:
                    bad.append(source)
                    print(f"{source}:\n{text}")
    print(f"{checked} files, {len(bad)} faults")
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
