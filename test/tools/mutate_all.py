#!/usr/bin/env python3
"""Whether tests would notice a slip: `tkc test --mutate` on everything that has tests.

    mutate_all.py --tkc build/release/tkc                      examples, the library, lessons and recipes
    mutate_all.py --tkc build/release/tkc examples/rows stdlib/softmax.tk docs/recipes
    mutate_all.py --tkc build/release/tkc --seconds 60 examples/norms      no mutant of a file begins later

An example or a lesson is tried by its own tests, a module of stdlib/ by those of all examples and test kernels that
import it, a recipe block by block. Printed are every file with the seconds that it took, those of processors after a
slash, and their sums by folder. Ends with 1 where a slip would go unnoticed, or where mutants were not run in time.
"""
import argparse
import collections
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import docs_test
from catalogue import ROOT, read

TESTED = re.compile(r"^\s*test \w+", re.MULTILINE)
FOLDERS = ("examples", "stdlib", "docs/lessons", "docs/recipes")
# Their tests fail, which the reader mends.
UNFINISHED = "exercise.tk"


def files_below(path):
    """The .tk and .md files of a folder, or the file."""
    if os.path.isfile(path):
        return [path]
    found = []
    for folder, _, names in os.walk(path):
        found += [os.path.join(folder, name) for name in names if name.endswith((".tk", ".md"))]
    return sorted(found)


def users_of(module):
    """Files with tests that import a module of the library, the small ones first."""
    wanted = re.compile(rf"^import std\.{module};", re.MULTILINE)
    found = []
    for folder in ("examples", os.path.join("test", "kernels")):
        for path in files_below(os.path.join(ROOT, folder)):
            text = read(path)
            if path.endswith(".tk") and wanted.search(text) and TESTED.search(text):
                found.append(path)
    return sorted(found, key=lambda path: len(read(path)))


def tasks_of(path, folder):
    """(name, words of the call) for what a file holds. `folder`: for the programs of pages."""
    name = os.path.relpath(path, ROOT)
    if os.path.dirname(name) == "stdlib":
        module = os.path.splitext(os.path.basename(name))[0]
        users = users_of(module)
        if users:
            yield name, ["--module", f"std.{module}", *users]
    elif name.endswith(".tk"):
        if os.path.basename(name) != UNFINISHED and TESTED.search(read(path)):
            yield name, [path]
    else:
        blocks, _, _ = docs_test.read_page(path)
        for block in blocks:
            plain = block.words[:1] == ["tk"] and block.words[1:2] in ([], ["file"])
            if not plain or not TESTED.search(block.text):
                continue
            program = os.path.join(folder, f"{os.path.basename(name)[:-3]}_{block.line}.tk")
            with open(program, "w", encoding="utf-8") as stream:
                stream.write(block.text)
            yield f"{name}:{block.line}", [program]


class Clock:
    """Seconds, and seconds of processors: these are the same on a loaded machine."""

    def __init__(self):
        self.began = self.now()

    @staticmethod
    def now():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.monotonic(), used.ru_utime + used.ru_stime

    def spent(self):
        return [now - then for now, then in zip(self.now(), self.began)]


def written(spent):
    return " / ".join(f"{seconds:.1f}" for seconds in spent) + " s"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tkc", required=True)
    arguments.add_argument("--jobs", type=int, help="mutants at once; as many as there are cores without it")
    arguments.add_argument("--seconds", type=int, help="for each file: no mutant begins later")
    arguments.add_argument("--reference", action="store_true", help="change references, not kernels")
    arguments.add_argument("--tolerance", action="store_true", help="also fail where tolerances are far too wide")
    arguments.add_argument("--verbose", action="store_true", help="print what is said of each file")
    arguments.add_argument("paths", nargs="*", help="files or folders")
    options = arguments.parse_args()

    words = [os.path.abspath(options.tkc), "test", "--mutate"]
    for name in ("jobs", "seconds"):
        if getattr(options, name):
            words += [f"--{name}", str(getattr(options, name))]
    words += [f"--{name}" for name in ("reference", "tolerance") if getattr(options, name)]
    failed = unfinished = 0
    sums = collections.defaultdict(lambda: [0.0, 0.0])
    with tempfile.TemporaryDirectory() as folder:
        paths = options.paths or [os.path.join(ROOT, name) for name in FOLDERS]
        for path in [file for given in paths for file in files_below(os.path.abspath(given))]:
            for name, call in tasks_of(path, folder):
                clock = Clock()
                done = subprocess.run([*words, *call], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                said = done.stdout.decode("utf-8", "replace")
                last = said.rstrip().rsplit("\n", 1)[-1]
                spent = clock.spent()
                family = os.path.join(*os.path.dirname(name).split(os.sep)[:2])
                sums[family] = [a + b for a, b in zip(sums[family], spent)]
                print(f"{'pass' if done.returncode == 0 else 'FAIL'} {name}  {written(spent)}: {last}", flush=True)
                if done.returncode != 0 or options.verbose:
                    print(said, flush=True)
                failed += done.returncode != 0
                unfinished += re.search(r"\b\d+ not run\b", last) is not None
    for family, spent in sums.items():
        print(f"{family}: {written(spent)}")
    if failed:
        print(f"{failed} files with tests that would not notice a slip")
    if unfinished:
        print(f"{unfinished} files with mutants that were not run: give them more `--seconds`, or an idle machine")
    if not failed and not unfinished:
        print("every slip would be noticed")
    return 1 if failed or unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
