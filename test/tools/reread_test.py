#!/usr/bin/env python3
"""The text of the IR says all that counts: read back after every pass, a program becomes the same CUDA.

    reread_test.py --tkc build/dev/tkc FILE.tk..

Comments and line numbers may differ: the text has no places in the `.tk`. Files whose head says `[nvcc: syntax only]` are
skipped: their operations occur in others.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import emitted


def cuda(tkc, path, *options):
    """The CUDA of a file without comments and blank lines, or what tkc said instead."""
    done = subprocess.run([tkc, path, "--emit=cuda", "--no-notes", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr
    return comparable(done.stdout), ""


def comparable(text):
    text = re.sub(r"\s*//.*", "", text)
    # What one lane does is one block a line of the `.tk`, or one statement.
    text = re.sub(r"\n( *)if \(elected\) ([^{\n]*;)", r"\n\1if (elected) {\n\1    \2\n\1}", text)
    text = re.sub(r"\n\s*\}\n\s*if \(elected\) \{", "", text)
    return [line for line in text.splitlines() if line]


def check(tkc, path):
    straight, said = cuda(tkc, path)
    if straight is None:
        return f"{path}: {said}"
    reread, said = cuda(tkc, path, "--reread")
    if reread is None:
        return f"{path}: {said}"
    for here, there in zip(straight, reread):
        if here != there:
            return f"{path}: read back, this is emitted:\n    {there}\ninstead of\n    {here}"
    return "" if len(straight) == len(reread) else f"{path}: {len(straight)} lines, and {len(reread)} when read back"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = [path for path in args.files if not emitted.syntax_only(path)]
        wrong = [text for text in pool.map(lambda path: check(args.tkc, path), files) if text]
    for text in wrong:
        print(text)
    print(f"{len(files)} files, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
