#!/usr/bin/env python3
"""What `tkc fmt` made stays as it is, whatever spaces and line ends the text had before.

    format_test.py --tkc build/dev/tkc [--rounds 2] [--seed 1] FILE.tk..

Formats copies of the files, as they are and with spaces strewn about, and formats what comes out once more. Files that
do not parse are left alone. That nothing but spaces changes is checked by tkc itself, which else speaks of a bug.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

# What stays whole: comments, strings, words and numbers, signs of two characters, line ends.
PIECES = re.compile(r'//[^\n]*|"[^"\n]*"|[A-Za-z_0-9.]+|->|\+:|\.\.|<<|>>|[-+*/<>=!]=|\n|[ \t]+|.', re.DOTALL)


def strew(text, rng):
    """The text with other spaces and some other line ends. It may mean something else; then it is another text."""
    mood = rng.choice(["few", "many", "indentation", "none"])
    pieces = []
    for piece in PIECES.findall(text):
        is_blank = piece.strip(" \t") == ""
        starts_line = not pieces or pieces[-1].endswith("\n")
        if is_blank and (starts_line or mood != "indentation"):
            if mood == "none" and not starts_line:
                piece = " "
            elif mood != "few" or rng.random() < 0.1:
                piece = rng.choice(["", "  ", "    ", "\t", " " * 9]) if starts_line else " " * rng.randint(1, 4)
        elif piece == "\n" and rng.random() < 0.1:
            piece = rng.choice(["\n\n\n", " \n", "\r\n", "\n\n"])
        elif piece in ("(", ")", "[", "]", "{", "}", ",", ";", "=", "<", ">") and mood == "many":
            piece += rng.choice(["", "", " ", "   ", "\n" if rng.random() < 0.2 else ""])
            piece = rng.choice(["", "", " "]) + piece
        pieces.append(piece)
    return "".join(pieces)


def run(tkc, arguments, count):
    result = subprocess.run([tkc, "fmt"] + arguments, capture_output=True, text=True, timeout=60 + count, check=False)
    if result.returncode not in (0, 1) or "TK9" in result.stderr:
        print(result.stderr[-4000:])
        sys.exit(f"tkc fmt ends with {result.returncode}")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    formatted = 0
    with tempfile.TemporaryDirectory() as folder:
        before = {}
        for index, source in enumerate(args.files):
            with open(source, encoding="utf-8", errors="surrogateescape", newline="") as stream:
                text = stream.read()
            for number in range(args.rounds + 1):
                path = os.path.join(folder, f"{index}_{number}_{os.path.basename(source)}")
                before[path] = text if number == 0 else strew(text, rng)
                with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
                    stream.write(before[path])
        paths = list(before)
        told = run(args.tkc, paths, len(paths)).stderr
        again = run(args.tkc, ["--check"] + paths, len(paths))
        for line in again.stdout.splitlines():
            path, number = line.split(":")[:2]
            with open(path, encoding="utf-8", errors="surrogateescape") as stream:
                shown = stream.read().splitlines()[max(int(number) - 4, 0):int(number) + 1]
            print(line, *shown, sep="\n")
        if again.stdout:
            sys.exit("what was formatted is not: seed " + str(args.seed))
        for path, text in before.items():
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
                changed = stream.read() != text
            if changed and f"{path}:" in told:
                sys.exit(f"{path} does not parse, and was changed")
            formatted += changed
    print(f"{formatted} of {len(before)} texts changed once, none twice")
    if formatted == 0:
        sys.exit("nothing was formatted")


if __name__ == "__main__":
    main()
