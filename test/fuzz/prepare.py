#!/usr/bin/env python3
"""Makes what a fuzzer starts from: programs of this tree, and a dictionary of the language's words.

    prepare.py FOLDER      FOLDER/program, FOLDER/ir: seeds; FOLDER/words.dict: the dictionary
"""
import argparse
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 6000  # bytes: small seeds are tried faster


def pieces(path):
    """The programs of a file; those of test/rules are in one file, apart by lines of `//---`."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = "\n".join(line for line in text.splitlines() if not re.match(r"\s*//", line)
                     or line.startswith("//---"))
    return [part.strip() + "\n" for part in re.split(r"(?m)^//---.*$", text) if part.strip()]


def write_seeds(folder, paths):
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        for text in pieces(path):
            if len(text) <= LONGEST:
                name = hashlib.sha1(text.encode()).hexdigest()[:16]
                (folder / name).write_text(text, encoding="utf-8")


def words():
    """Everything between quotes in the grammar, and the names in the tables."""
    grammar = (ROOT / "language/Tk.g4").read_text(encoding="utf-8")
    found = set(re.findall(r"'([^'\\\n]+)'", grammar))
    for table in ROOT.glob("language/*.def"):
        for row in re.findall(r"(?m)^[A-Z_]+\((.*)$", table.read_text(encoding="utf-8")):
            found.update(re.findall(r"\b[a-z][a-z0-9_]*\b", row.split('"')[0]))
    return sorted(w for w in found if len(w) < 24)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    programs = [path for part in ("examples", "stdlib", "test") for path in sorted((ROOT / part).rglob("*.tk"))]
    write_seeds(folder / "program", programs)
    write_seeds(folder / "ir", sorted((ROOT / "test").rglob("*.tir")))
    quoted = ['"' + w.replace("\\", "\\\\").replace('"', '\\"') + '"\n' for w in words()]
    (folder / "words.dict").write_text("".join(quoted), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
