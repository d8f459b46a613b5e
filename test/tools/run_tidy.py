#!/usr/bin/env python3
# Runs clang-tidy over our sources; the target `tidy` calls it. Fails on any finding.
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

import check_tree

# clang 14 cannot read the headers of ANTLR's 4.9 runtime.
UNREADABLE = check_tree.ANTLR_FILES


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--clang-tidy", default="clang-tidy-14")
    arguments.add_argument("--build", required=True, help="a build folder, configured")
    arguments.add_argument("files", nargs="*", help="these alone, written from the root")
    options = arguments.parse_args()

    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(options.build, "compile_commands.json"), encoding="utf-8") as stream:
        compiled = {os.path.relpath(entry["file"], root) for entry in json.load(stream)}
    files = sorted(name for name in compiled
                   if name.split("/")[0] in check_tree.LAYERS and name not in UNREADABLE)
    if options.files:
        files = [name for name in files if name in options.files]

    def tidy(name):
        command = [options.clang_tidy, "-p", options.build, "--quiet", "--warnings-as-errors=*",
                   # g++'s own warning options are in the recorded commands.
                   "--extra-arg=-Wno-unknown-warning-option", os.path.join(root, name)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in zip(files, pool.map(tidy, files)):
            if result.returncode != 0:
                failed += 1
                print(f"{name}\n{result.stdout}{result.stderr}")
    print(f"clang-tidy: {len(files)} files, findings in {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
