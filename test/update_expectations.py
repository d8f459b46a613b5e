#!/usr/bin/env python3
# Rewrites the `//~` comments of diagnostics tests from what the compiler reports now.
#
#     test/update_expectations.py test/diagnostics/syntax_semicolon.tk ...
#
# Read the diff before you commit it: the script believes the compiler. Labels are written only for
# files that had some.
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANNOTATION = re.compile(rb"^\s*//~")
LABEL = re.compile(rb"^\s*//~\s*-", re.MULTILINE)


def report(tkc, path):
    """The diagnostics of one file, as JSON objects."""
    done = subprocess.run([tkc, "check", "--json", path], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{path}: {tkc} ended with {done.returncode}\n{done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]


def annotation(span, text, lines, mark):
    """The comment for one place; columns count bytes from 1."""
    begin = span["column"]
    end = span["end_column"]
    if span["end_line"] != span["line"]:  # underlined to the end of its first line
        end = len(lines[span["line"] - 1]) + 1
    end = max(end, begin + 1)
    if begin < 5:
        return b"//~ @%d..%d %s" % (begin, end, text)
    return b"//~" + b" " * (begin - 4) + mark * (end - begin) + b" " + text


def update(tkc, path):
    """Rewrites one file; true if that changed it."""
    with open(path, "rb") as stream:
        old = stream.read()
    lines = [line.rstrip(b"\r") for line in old.split(b"\n")]
    with_labels = LABEL.search(old) is not None
    comments = {}  # line number: the comments below it
    for found in report(tkc, path):
        text = f"{found['severity']}[{found['code']}]: {found['message']}".encode()
        span = found["span"]
        here = span is not None and os.path.samefile(span["file"], path)
        if not here:
            comments.setdefault(1, []).append(b"//~ " + text)
            continue
        comments.setdefault(span["line"], []).append(annotation(span, text, lines, b"^"))
        for label in found["labels"] if with_labels else []:
            place = label["span"]
            if os.path.samefile(place["file"], path) and place["column"] >= 5:
                text = annotation(place, label["text"].encode(), lines, b"-")
                comments.setdefault(place["line"], []).append(text)
    new = []
    for number, line in enumerate(lines, 1):
        if not ANNOTATION.match(line):
            new.append(line)
        elif number in comments:
            sys.exit(f"{path}:{number}: reported inside of an annotation")
        # A comment belongs to the last line that is none.
        new += comments.get(number, [])
    text = b"\n".join(new)
    if text != old:
        with open(path, "wb") as stream:
            stream.write(text)
    return text != old


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tkc", default=os.path.join(ROOT, "build", "dev", "tkc"))
    arguments.add_argument("files", nargs="+")
    options = arguments.parse_args()
    for path in options.files:
        print(f"{path}: {'rewritten' if update(options.tkc, path) else 'as it was'}")


if __name__ == "__main__":
    main()
