#!/usr/bin/env python3
"""Compiles C++ sources one by one, without their neighbors in a joined source and without precompiled headers.

    compile_alone.py                                 all sources and headers of the compiler; 10 minutes on 2 cores
    compile_alone.py ir/completion.cpp ir/walk.h     only these
    compile_alone.py --changed 10 --seconds 120      those that the working tree or the last 10 commits changed, newest first

A missing include can hide in two ways: a file before it in the joined source has the include, or the precompiled header has.
Users of `pip install .` and of the presets `dev` and `tidy` would meet it. Nothing is generated: the compiler only checks
(-fsyntax-only). Flags are those of a folder where tkc is built (--build; the first of build/{tests,dev,release,portable}),
which has the parser's generated headers, too.

Ends with 1 if a file does not compile, or if it cannot begin: each compiler must first refuse a file with an error. What
the time limit leaves out is named and is not an error.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRESETS = ("tests", "dev", "release", "portable")
FOLDERS = ("base", "language", "target", "arithmetic", "ir", "facts", "tiles", "verify", "frontend", "checks", "lowering", "emulator", "compiler", "driver", "test/unit", "test/fuzz")


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compile_alone.py: git does not name the sources, so name them on the command line: {done.stderr.strip()}")
    return done.stdout


def known_flags(build):
    """As flags_of, or an end with a message."""
    path = os.path.join(build, "compile_commands.json")
    try:
        found = flags_of(path)
        reason = "" if any(source.startswith(ROOT + os.sep) for source in found) else f"it names no source below {ROOT}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else f"it is no list of compile commands ({problem!r})"
    if reason:
        sys.exit(f"compile_alone.py: {path}: {reason}. `cmake -S {ROOT} -B {build}` writes it")
    return found


def flags_of(path):
    """From each source of a build, also those that joined sources hold, to (compiler, flags, folder of the call)."""
    with open(path, encoding="utf-8") as stream:
        entries = json.load(stream)
    found = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        flags, skipped = [], False
        for word in words[1:]:
            if skipped:
                skipped = False
            elif word in ("-o", "-include"):  # what is made; the precompiled header
                skipped = True
            elif word not in ("-c", "-Winvalid-pch", entry["file"]):
                flags.append(word)
        sources = [entry["file"]]
        if re.search(r"unity_\d+_cxx\.cxx$", entry["file"]) and os.path.exists(entry["file"]):
            with open(entry["file"], encoding="utf-8") as stream:
                sources = re.findall(r'^#include "([^"]+)"', stream.read(), re.MULTILINE)
        for source in sources:
            found[os.path.realpath(source)] = words[0], flags, entry["directory"]
    return found


def flags_for(path, known):
    """Those of the file, or of a source in the same folder: headers, and sources that this build does not have."""
    if path in known:
        return known[path]
    folder = os.path.dirname(path)
    while (folder + os.sep).startswith(ROOT + os.sep):
        near = sorted(source for source in known if source.startswith(folder + os.sep))
        if near:
            return known[near[0]]
        folder = os.path.dirname(folder)
    sys.exit(f"compile_alone.py: {path} is not below {ROOT}: name a source of this checkout")


def wanted(options):
    if options.files:
        for name in options.files:
            if not os.path.isfile(name):
                sys.exit(f"compile_alone.py: there is no file {name}")
            if not name.endswith((".cpp", ".h")):
                sys.exit(f"compile_alone.py: {name} is neither a C++ source nor a header: name a .cpp or a .h")
        return list(dict.fromkeys(os.path.realpath(name) for name in options.files))
    names = git("ls-files", "--cached", "--others", "--exclude-standard", "*.cpp", "*.h").split("\n")
    names = [name for name in names if name.startswith(tuple(folder + "/" for folder in FOLDERS))]
    if options.changed:
        changed = git("status", "--porcelain", "--no-renames", "-uall", "-z").split("\0")
        newest = [line[3:] for line in changed] + git("log", "--name-only", "--format=", f"-{options.changed}").split("\n")
        names = [name for name in dict.fromkeys(newest) if name in names]
    return [os.path.join(ROOT, name) for name in names if os.path.isfile(os.path.join(ROOT, name))]


def compile_one(path, call, limit=None):
    """Empty: it compiles. None: there was no time. Else the first errors."""
    compiler, flags, folder = call
    language = ["-x", "c++"] if path.endswith(".h") else []
    unused = ["-Wno-pragma-once-outside-header"] if "clang" in compiler else []
    try:
        done = subprocess.run([compiler, *flags, *unused, "-fsyntax-only", "-w", *language, path], cwd=folder, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return "\n".join(errors[:3]) or done.stderr[:2000] or f"{compiler} ended with status {done.returncode}"


def probe(calls):
    """Ends with a message if a compiler accepts a file with an error: it would accept all others, too."""
    with tempfile.TemporaryDirectory(prefix="compile-alone-") as folder:
        path = os.path.join(folder, "probe.cpp")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("int probe = undeclared;\n")
        for compiler, call in {call[0]: call for call in calls}.items():
            try:
                accepted = compile_one(path, call) == ""
            except OSError as problem:
                sys.exit(f"compile_alone.py: {problem.filename} cannot be run: {problem.strerror}."
                         " Build again, or name another --build")
            if accepted:
                sys.exit(f"compile_alone.py: {compiler} accepts a file with an error, so it is no C++ compiler:"
                         " name another --build")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="a configured build folder")
    parser.add_argument("--changed", type=int, default=0, metavar="COMMITS")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of wall time; then the rest is left out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: write the number of programs that run at the same time, 1 or more")
    if options.changed < 0:
        parser.error(f"--changed {options.changed}: write a number of commits, or leave it out for all files")

    builds = [options.build] if options.build else [os.path.join(ROOT, "build", preset) for preset in PRESETS]
    build = next((b for b in builds if os.path.isfile(os.path.join(b, "tkc"))), None)
    if build is None:
        sys.exit(f"compile_alone.py: there is no tkc in {builds[0]}:"
                 f" cmake --preset {PRESETS[0]} && cmake --build --preset {PRESETS[0]} --target tkc")
    known = known_flags(build)
    end = time.monotonic() + options.seconds
    files = wanted(options)
    calls = {path: flags_for(path, known) for path in files}
    probe(calls.values())

    def check(path):
        left = end - time.monotonic()
        return compile_one(path, calls[path], left if left != float("inf") else None) if left > 0 else None

    bad, skipped = 0, []
    with ThreadPoolExecutor(options.jobs) as workers:
        for path, errors in zip(files, workers.map(check, files)):
            name = os.path.relpath(path, ROOT)
            if errors is None:
                skipped.append(name)
            elif errors:
                bad += 1
                print(f"{name} does not compile alone; it lacks an include:\n{errors}", flush=True)
    if skipped:
        print(f"not tried, for lack of time: {', '.join(skipped)}")
    print(f"{len(files) - len(skipped)} files compiled alone, {bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
