#!/usr/bin/env python3
# Checks links between the pages of the tree, and that none is lost: links_test.py
#
# Every link of README.md, of the pages below docs/ and of the READMEs leads to a file that is there, and to a heading
# where it names one. Every page below docs/ can be reached from README.md by links. examples/README.md names every example, and
# the emitted CUDA of some.
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?\s*\)")
FENCE = re.compile(r"^ *(```|~~~)")


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def prose(text):
    """The text without blocks and spans of code, line by line."""
    lines, inside = [], False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        lines.append("" if inside or fence else line)
        inside ^= bool(fence)
    return re.sub(r"`[^`]*`", lambda span: re.sub(r"[^\n]", "", span[0]), "\n".join(lines))


def headings(path):
    """The anchors of a page, as GitHub and the site make them."""
    found, inside = set(), False
    for line in read(path).split("\n"):
        inside ^= bool(FENCE.match(line))
        heading = None if inside else re.match(r"#+ +(.+?)(?: +#+)?$", line)
        if heading:
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            name, count = slug, 0
            while name in found:
                count += 1
                name = f"{slug}-{count}"
            found.add(name)
    return found


def links(path):
    """(line, target, file that it names) for each link that stays in the tree."""
    text = prose(read(path))
    for link in LINK.finditer(text):
        if not re.match(r"[a-z]+:", link[1]):
            file = link[1].partition("#")[0]
            to = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            yield text[:link.start()].count("\n") + 1, link[1], to


def faults_of_links(path):
    for line, target, to in links(path):
        anchor = target.partition("#")[2]
        if not os.path.exists(to):
            yield f"{os.path.relpath(path, ROOT)}:{line}: {target} is not there"
        elif anchor and to.endswith(".md") and anchor not in headings(to):
            yield f"{os.path.relpath(path, ROOT)}:{line}: {target}: no heading of that name"


def reached(start):
    """All pages that links lead to from one. A link to a folder is one to its README."""
    found, left = set(), [start]
    while left:
        page = left.pop()
        if os.path.isdir(page):
            page = os.path.join(page, "README.md")
        if page not in found and page.endswith(".md") and os.path.exists(page):
            found.add(page)
            left += [to for _, _, to in links(page)]
    return found


def below(*parts):
    return sorted(glob.glob(os.path.join(ROOT, *parts), recursive=True))


def main():
    pages = below("docs", "**", "*.md")
    others = [page for name in ("README.md", "*/README.md", "*/*/README.md") for page in below(name)
              if not re.match(r"(build|dist|\.)", os.path.relpath(page, ROOT))]
    faults = [fault for page in sorted({*pages, *others}) for fault in faults_of_links(page)]
    there = reached(os.path.join(ROOT, "README.md"))
    faults += [f"{os.path.relpath(page, ROOT)}: no links lead here from README.md" for page in pages if page not in there]
    named = {to for _, _, to in links(os.path.join(ROOT, "examples", "README.md"))}
    faults += [f"examples/README.md does not name {os.path.relpath(example, ROOT)}"
               for example in below("examples", "*", "*.tk") + below("examples", "*", "*.cu") if example not in named]
    for fault in faults:
        print(fault)
    print(f"{len(pages)} pages, {len(faults)} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
