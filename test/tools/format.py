#!/usr/bin/env python3
# Formats our C++ in place with clang-format 14, or with --check only says which lines differ.
import argparse
import concurrent.futures
import os
import subprocess
import sys

import check_tree

# The runtime's tables of inline PTX are laid out by hand.
FOLDERS = tuple(f"{folder}/" for folder in check_tree.LAYERS) + ("test/unit/",)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="change nothing, fail on differences")
    arguments.add_argument("--clang-format", default="clang-format-14")
    arguments.add_argument("files", nargs="*", help="these alone")
    options = arguments.parse_args()

    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    files = options.files or [
        os.path.join(root, name)
        for name in check_tree.list_files(root)
        if name.startswith(FOLDERS) and name.endswith((".h", ".cpp"))
    ]
    mode = ["--dry-run", "-Werror", "--ferror-limit=1"] if options.check else ["-i"]

    def format_one(path):
        command = [options.clang_format, "--style=file", *mode, path]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(format_one, files))
    bad = [result for result in results if result.returncode != 0]
    for result in bad:
        print(result.stderr, end="")
    if bad:
        print(f"{len(bad)} of {len(files)} files are not laid out as .clang-format says:"
              " run test/tools/format.py")
    else:
        print(f"{len(files)} files are laid out as .clang-format says")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
