#!/usr/bin/env python3
# Every message has a page, and the programs on it do what they say: `Wrong:` gets exactly the message
# that the page is about, `Right:` gets none.
#
#     pages_test.py --tkc build/tests/tkc [CODE ...]
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import catalogue

# Pages without programs, and why.
NO_PROGRAM = {
    "TK1018": "about bytes", "TK1019": "about bytes", "TK1020": "about sizes",
    "TK1021": "about sizes", "TK1022": "about sizes",
    "TK2012": "about -D", "TK2013": "about -D", "TK2015": "takes several files", "TK5005": "about --strict",
    "TK6012": "about sizes", "TK6013": "about --target", "TK4013": "only handwritten IR", "TK4014": "only handwritten IR", "TK4015": "only handwritten IR",
}
# Messages that speak of files, runs or the tool, and not of a program.
OF_TOOL = ("TK8", "TK9")
NOTES = "TK61"  # performance notes, which programs of other pages may get too

SECTION = re.compile(r"^(Wrong|Right):\n\n((?:    .*\n|\n)+)", re.MULTILINE)


def programs(page):
    """The programs of a page by their heading."""
    found = {}
    for heading, block in SECTION.findall(page):
        lines = [line[4:] for line in block.strip("\n").split("\n")]
        found[heading] = "\n".join(lines) + "\n"
    return found


def reported(tkc, text, notes):
    """The codes that `tkc check` reports for a file of this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.tk")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        options = [] if notes else ["--no-notes"]
        done = subprocess.run([tkc, "check", "--json", *options, path], capture_output=True, check=False)
    lines = done.stdout.decode().splitlines()
    return [json.loads(line)["code"] for line in lines if line.startswith("{")]


def faults(tkc, code, page):
    found = programs(page)
    if not found and (code in NO_PROGRAM or code.startswith(OF_TOOL)):
        return
    if code in NO_PROGRAM:
        yield "has programs now: take it off the list of those without"
    for heading, wanted in (("Wrong", [code]), ("Right", [])):
        if heading not in found:
            yield f"no program `{heading}:`"
            continue
        codes = reported(tkc, found[heading], code.startswith(NOTES))
        if codes != wanted:
            yield f"`{heading}:` gets {', '.join(codes) or 'no message'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("codes", nargs="*")
    options = parser.parse_args()
    names = catalogue.messages()
    bad = 0
    for page in sorted(os.listdir(catalogue.PAGES)):
        if page[:-3] not in names:
            print(f"language/messages/{page}: no message has this code")
            bad += 1
    for code in options.codes or names:
        path = os.path.join(catalogue.PAGES, code + ".md")
        if not os.path.exists(path):
            print(f"{code} {names[code]}: no page")
            bad += 1
            continue
        for fault in faults(options.tkc, code, catalogue.read(path)):
            print(f"{code} {names[code]}: {fault}")
            bad += 1
    print(f"{len(options.codes or names)} pages, {bad} faults")
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
