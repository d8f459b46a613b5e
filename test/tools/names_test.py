#!/usr/bin/env python3
# Finds files, functions and types that comments and pages name, and that are no longer in the tree: names_test.py
#
# In comments and pages: paths such as `ir/facts.h`, from the root or from any folder, and folders in backticks. In comments
# of C++, and in pages about the code: `name`, `name()` and `Type::member` in backticks. Such a name must appear somewhere in
# code. Names of the standard library, of CUDA and of files in an example are not checked: see OTHERS and EXAMPLES.
import os
import re
import sys

import check_tree
import english

ROOT = english.ROOT
# The text of others, or of an earlier time.
SKIPPED = re.compile(r"^test/fuzz/corpus/|/Inputs/|\.cu$|^docs/llms\.txt$|^CHANGELOG\.md$|^docs/peers-bugs\.md$|^test/tools/names_test\w*\.py$")
# Pages whose code spans name functions and types of ours; others name those of CUDA and of other projects, too.
ABOUT_CODE = ("docs/architecture.md", "docs/how-to-add.md", "docs/ir.md", "docs/operations.md", "docs/proofs.md",
              "runtime/README.md")

FILE = re.compile(r"(?<![\w./<>*{}$%:~-])((?:[\w.-]+/)*[\w-]+\.(?:cpp|cuh|cu|h|def|g4|tk|tir|py|md|cmake|sh))\b(?![\w(/]|\.\w)")
FOLDER = re.compile(r"`((?:[\w.-]+/)+)`")
# `name`, `name(..)`, `A::b`, `Type`.
NAME = re.compile(r"`((?:\w+::)*~?[A-Za-z]\w*)(?:\([^`\n]*\))?`")
PLACEHOLDER = re.compile(r"[A-Z]{3,}|TKcode|nnnn")  # FILE.tk, wgmma_nNNN.cuh
EXAMPLES = {"a.cpp", "b.cpp", "lib.tk", "file.tk", "file.cuh", "name.tk", "libgemm.h", "name.h", "cuda_bf16.h",
            "python/tutorials"}  # the last of Triton
OTHERS = re.compile(r"std::|cute?::|cutlass::|__|sum2$|.*_(?:\d+|true|false|general)$")  # the last: names that are made


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as stream:
        return stream.read()


def without_blocks(page):
    for pattern in (r"^ *(```|~~~).*?^ *\1", r"\]\([^)\n]*\)"):  # links_test.py follows the links
        page = re.sub(pattern, english.emptied, page, flags=re.MULTILINE | re.DOTALL)
    return page


def split(text, marks):
    """The comments of a source, each with spaces in place of all else, and its code in the same way."""
    comments, code, last = [], [], 0
    for found in english.TOKENS[marks].finditer(text):
        if found["comment"]:
            code += [text[last:found.start()], english.emptied(found)]
            comments += [re.sub(r"[^\n]", " ", text[last:found.start()]),
                         english.emptied(found) if english.EXPECTED.match(found[0]) else found[0]]
            last = found.end()
    return "".join(comments), "".join(code) + text[last:]


class Tree:
    """The files of the tree, and the words of its code."""

    def __init__(self):
        self.files = check_tree.list_files(ROOT)
        self.by_name, self.folders, self.words, self.prose = {}, set(), set(), {}
        for name in self.files:
            self.by_name.setdefault(os.path.basename(name), []).append(name)
            parts = name.split("/")[:-1]
            self.folders.update("/".join(parts[begin:end]) for begin in range(len(parts)) for end in range(begin + 1, len(parts) + 1))
            self.add(name)

    def add(self, name):
        if name.startswith("test/fuzz/corpus/") or "/Inputs/" in name:
            return
        if name.endswith(".md"):
            self.prose[name] = without_blocks(read(name))
        elif name.endswith(english.SLASHES + english.HASHES):
            comments, code = split(read(name), "//" if name.endswith(english.SLASHES) else "#")
            self.words.update(re.findall(r"[A-Za-z_]\w*", code))
            self.prose[name] = comments

    def has_file(self, path, place):
        names = self.by_name.get(os.path.basename(path), ())
        from_here = os.path.normpath(os.path.join(os.path.dirname(place), path))
        return from_here in names or any(f"/{name}".endswith("/" + path) for name in names)

    def is_ours(self, path, place):
        """Whether a path that leads nowhere can only be meant as one of this tree."""
        base, extension = os.path.basename(path), path.rsplit(".", 1)[1]
        if PLACEHOLDER.search(path) or path in EXAMPLES:
            return False
        if "/" in path:
            return base in self.by_name or path.split("/")[0] in self.folders
        if place.endswith(".md"):  # pages show files that a reader writes
            return extension in ("cpp", "def", "g4") or place in ABOUT_CODE and extension != "tk"
        return extension in ("cpp", "def", "g4") or not place.startswith("test/")

    def missing(self, name):
        """(position, text) of what is named in a file and is not in the tree."""
        prose = self.prose[name]
        for found in FILE.finditer(prose):
            if not self.has_file(found[1], name) and self.is_ours(found[1], name):
                yield found.start(), found[1]
        for found in FOLDER.finditer(prose):
            folder = found[1].rstrip("/")
            if folder.split("/")[0] in self.folders and folder not in self.folders | EXAMPLES:
                yield found.start(), found[1]
        if name in ABOUT_CODE or name.endswith((".h", ".cpp", ".cuh", ".def")):
            for found in NAME.finditer(prose):
                if not OTHERS.match(found[1]) and not PLACEHOLDER.search(found[1]) and not self.words.issuperset(
                        re.findall(r"\w+", found[1])):
                    yield found.start(), found[1]


def main():
    tree = Tree()
    found = [f"{name}:{tree.prose[name].count(chr(10), 0, position) + 1}: {what} is not in the tree"
             for name in sorted(tree.prose) if not SKIPPED.search(name) for position, what in tree.missing(name)]
    for line in found:
        print(line)
    print(f"{len(tree.prose)} files, {len(found)} names that are gone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
