#!/usr/bin/env python3
# Checks what no compiler checks: which folder may include which, the size of files, stray spaces,
# paths of one machine, first lines. Run it from anywhere: test/tools/check_tree.py [ROOT]
import os
import re
import subprocess
import sys

# Lowest first. A folder includes headers of its own and of folders of lower ranks.
RANKS = {"language": 0, "base": 1, "target": 1, "arithmetic": 2, "ir": 3, "facts": 4, "tiles": 5, "verify": 6, "frontend": 7,
         "checks": 8, "lowering": 9, "emulator": 9, "compiler": 10, "driver": 11}
LAYERS = list(RANKS)
# Independent: nothing includes them, and they include none of our headers.
ALONE = ["runtime"]
# May include everything.
ABOVE_ALL = ["test", "bench"]

# Only these files include the parser generator.
ANTLR_FILES = ("frontend/parse/parse.cpp", "frontend/parse/lex.cpp", "frontend/parse/lex.h")

LINE_LIMIT = 600
SOURCE = (".h", ".cpp", ".cuh", ".cu", ".def", ".g4", ".tk", ".tir", ".py", ".cmake", ".in", ".sh")
COMMENT_STARTS = ("//", "#", '"""', "/*")
# Written by others, or data: no rule about their text.
FOREIGN = ("LICENSE",)
FUZZED = re.compile(r"^test/fuzz/corpus/[0-9a-f]{12}\.(?:tk|tir)$")  # as a fuzzer made them
BINARY = (".png", ".jpg", ".gif", ".pdf", ".svg", ".npz")
# Long by nature: what the compiler wrote, the manual, the tables.
LONG_IS_FINE = ("examples/", "docs/")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.$})])/(?:work|home|root|Users|scratch|mnt)/\w")
# Spelled so that this file does not match itself.
LEFT_OVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
LIT_FOLDERS = re.compile(r"^test/(?!rules/|tools/|unit/)[^/]+/(?!(?:.*/)?Inputs/).*\.(?:tk|tir|test|cu)$")


def list_files(root):
    """Tracked files and new ones that git does not ignore; without git, all but build folders."""
    try:
        command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        files = [name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        files = []
        for folder, below, names in os.walk(root):
            below[:] = [b for b in below if b not in (".git", "build", "__pycache__")]
            files += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(f for f in set(files) if os.path.isfile(os.path.join(root, f)))


def check_includes(name, text, files):
    """Layering, includes written from the root, and the own header first."""
    top = name.split("/")[0]
    includes = INCLUDE.findall(text)
    for included in includes:
        if "antlr4" in included or re.match(r"Tk(Lexer|Parser)", included):
            if name not in ANTLR_FILES:
                yield f"includes {included}: only {ANTLR_FILES[0]} sees the parser generator"
            continue
        target = included.split("/")[0]
        if top in ALONE:
            if target in LAYERS:
                yield f"includes {included}: {top}/ stands alone"
            continue
        if top not in LAYERS:
            continue
        if target not in LAYERS + ALONE + ABOVE_ALL:
            yield f'includes "{included}": write it from the root, as "{top}/..."'
        elif target not in LAYERS:
            yield f"includes {included}: nothing stands on {target}/"
        elif RANKS[target] > RANKS[top]:
            yield f"includes {included}: {target}/ is above {top}/"
        elif target != top and RANKS[target] == RANKS[top]:
            yield f"includes {included}: {target}/ and {top}/ know nothing of each other"
        elif included not in files:
            yield f"includes {included}, which is not there"
    own = name[: -len(".cpp")] + ".h"
    own_names = (own, os.path.basename(own))  # the short form in tests, which are not a layer
    if name.endswith(".cpp") and own in files and includes and includes[0] not in own_names:
        yield f"includes {includes[0]} before its own header {own}"


def check_text(name, text):
    """Spaces, length, first line, machine paths."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f"line {number}: blanks at the end"
        if "\t" in line and not name.endswith((".tsv", "Makefile")):
            yield f"line {number}: a tab"
        if MACHINE_PATH.search(line):
            yield f"line {number}: a path of one machine"
    if text and not text.endswith("\n"):
        yield "no newline at the end"
    if not is_source(name):
        return
    if len(lines) - 1 > LINE_LIMIT and not name.startswith(LONG_IS_FINE):
        yield f"{len(lines) - 1} lines: more than {LINE_LIMIT}"
    if "/Inputs/" in name:
        return  # what a test reads may have to be just so
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if not first.startswith(COMMENT_STARTS) or first.startswith(("#include", "#pragma", "#define")):
        yield "the first line does not say what the file is for"
    if name.endswith((".h", ".cuh")) and "#pragma once" not in text:
        yield "no #pragma once"
    found = LEFT_OVER.search(text)
    if found:
        yield f"line {text[: found.start()].count(chr(10)) + 1}: {found.group()} left over"
    if LIT_FOLDERS.match(name) and "RUN:" not in text:
        yield "a test without a RUN line (files that tests read go in a folder Inputs/)"


SWITCH = re.compile(r"^( *)switch \(.*\{$")


def check_switches(text):
    """A `default:` among the names of an enum of ours: the build would not name what forgets a new one."""
    lines = text.split("\n")
    for start, line in enumerate(lines):
        found = SWITCH.match(line)
        if not found:
            continue
        end = next(i for i in range(start, len(lines)) if lines[i] == found.group(1) + "}" or i == len(lines) - 1)
        labels = [l for l in lines[start:end] if re.match(found.group(1) + r"    (case|default)\b", l)]
        if any("::" in l or "case TKC_" in l for l in labels) and any("default:" in l for l in labels):
            yield f"line {start + 1}: a `default:` over an enum; name what is left"


def is_source(name):
    return name.endswith(SOURCE) or name.endswith("CMakeLists.txt")


def check(root):
    """All complaints about a tree, as `file: what` lines."""
    files = list_files(root)
    known = set(files)
    complaints = []
    for name in files:
        if name in FOREIGN or name.endswith(BINARY) or FUZZED.match(name):
            continue
        with open(os.path.join(root, name), "rb") as stream:
            raw = stream.read()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            complaints.append(f"{name}: not UTF-8")
            continue
        found = list(check_text(name, text))
        if name.endswith((".h", ".cpp", ".cuh")):
            found += check_includes(name, text, known)
        if name.endswith((".h", ".cpp")) and name.split("/")[0] in RANKS:
            found += check_switches(text)
        complaints += [f"{name}: {what}" for what in found]
    return complaints, len(files)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    complaints, count = check(root)
    for complaint in complaints:
        print(complaint)
    print(f"check_tree: {count} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
