#!/usr/bin/env python3
# The rules of the language, one file each in test/rules/: programs that break the rule and get exactly
# the message that they carry, and programs that come close and are accepted.
#
#     rules_test.py --tkc build/tests/tkc [FILE ...]
#     rules_test.py --tkc build/tests/tkc --update FILE ...    write the expected messages in
#
# test/rules/TK3010.tk belongs to message TK3010. Its parts begin with a line
#
#     //--- wrong: the inner extents differ
#     //--- near: the extents differ in name and agree in value
#
# Performance notes are asked for where the file is about one: elsewhere they are irrelevant.
#
# A `wrong` part holds one expectation, `//~ ^^^ error[TK3010]: ..`, as `tkc check --verify` reads it; a
# `near` part holds none. A file has at least one of the first and two of the second.
import argparse
import os
import re
import subprocess
import sys
import tempfile

import catalogue

RULES = os.path.join(catalogue.ROOT, "test", "rules")
PART = re.compile(r"^//--- (wrong|near): (.+)$")
EXPECTED = re.compile(r"^\s*//~.*\b(?:error|warning|performance note)\[(TK\d{4})\]", re.MULTILINE)

# Rules that no single program can break, and why.
NOT_HERE = {
    "TK1018": "bytes: test/diagnostics", "TK1019": "bytes: test/diagnostics", "TK1020": "sizes: test/diagnostics",
    "TK1021": "sizes: test/diagnostics", "TK1022": "sizes: test/diagnostics", "TK1035": "an empty file",
    "TK2012": "about -D", "TK2013": "about -D", "TK2015": "several files: test/driver", "TK5005": "about --strict",
    "TK2039": "a file without kernels", "TK4013": "handwritten IR", "TK4014": "handwritten IR",
    "TK4015": "handwritten IR", "TK6012": "sizes: test/fuzz", "TK6013": "about --target: test/driver", "TK7001": "no rule: what the compiler cannot do yet",
}
OF_TOOL = ("TK8", "TK9")
NOTES = "TK61"


def parts(text):
    """(kind, title, first line, text) of each part."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        match = PART.match(line)
        if match:
            found.append([match[1], match[2], number, []])
        elif found:
            found[-1][3].append(line)
        elif line.strip() and not line.startswith("//"):
            raise ValueError(f"line {number}: text before the first part")
    return [(kind, title, number, "\n".join(lines).rstrip("\n") + "\n") for kind, title, number, lines in found]


def verify(tkc, folder, name, text, notes):
    """What is wrong with the messages of a part, as text."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    options = [] if notes else ["--no-notes"]
    done = subprocess.run([tkc, "check", "--verify", *options, path], capture_output=True, check=False, timeout=60)
    return done.stderr.decode(errors="replace") if done.returncode else ""


def faults(tkc, path, counts):
    code = os.path.basename(path)[:-3]
    found = parts(catalogue.read(path))
    kinds = [kind for kind, *_ in found]
    if kinds.count("wrong") < 1 or kinds.count("near") < 2:
        yield 1, "wants at least one part `wrong` and two parts `near`"
    with tempfile.TemporaryDirectory() as folder:
        for place, (kind, title, line, text) in enumerate(found):
            counts[kind] += 1
            wanted = [code] if kind == "wrong" else []
            if EXPECTED.findall(text) != wanted:
                yield line, f"{title}: expects {EXPECTED.findall(text)}, and the file is about {code}"
            report = verify(tkc, folder, f"part{place}.tk", text, code.startswith(NOTES))
            if report:
                yield line, f"{title}:\n{report}"


def update(tkc, path):
    """Writes the messages into the parts that break the rule."""
    text = catalogue.read(path)
    tool = os.path.join(catalogue.ROOT, "test", "update_expectations.py")
    made = text[:text.index("//--- ")]
    with tempfile.TemporaryDirectory() as folder:
        for kind, title, _, body in parts(text):
            file = os.path.join(folder, "part.tk")
            with open(file, "w", encoding="utf-8") as stream:
                stream.write(body)
            if kind == "wrong":
                subprocess.run([sys.executable, tool, "--tkc", tkc, file], check=True, stdout=subprocess.DEVNULL)
            made += f"//--- {kind}: {title}\n{catalogue.read(file)}"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    names = catalogue.messages()
    present = sorted(os.path.join(RULES, f) for f in os.listdir(RULES) if f.endswith(".tk"))
    if options.update:
        for path in options.files:
            update(options.tkc, path)
    bad = 0
    counts = {"wrong": 0, "near": 0}
    for path in options.files or present:
        for line, fault in faults(options.tkc, path, counts):
            print(f"{os.path.relpath(path)}:{line}: {fault}")
            bad += 1
    if not options.files:
        have = {os.path.basename(path)[:-3] for path in present}
        for code in sorted(have - set(names)):
            print(f"test/rules/{code}.tk: no message has this code")
            bad += 1
        for code, name in names.items():
            if code not in have and code not in NOT_HERE and not code.startswith(OF_TOOL):
                print(f"{code} {name}: no file in test/rules")
                bad += 1
    print(f"{counts['wrong']} programs that break a rule, {counts['near']} that come close, {bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
