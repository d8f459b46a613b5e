#!/usr/bin/env python3
"""Puts the figures of docs/lessons/measured.json, which bench/lessons.py writes, into the pages of the lessons.

    python3 bench/lesson_tables.py

A page has a place for them between `<!-- measured -->` and `<!-- end -->`. Without the file, the places are empty."""
import json
import os
import re

LESSONS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "lessons")
PLACE = re.compile(r"^<!-- measured -->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL)


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(measured, lesson):
    """The rows of a lesson: {"what", "unit", "ours", "others": {name: value}}."""
    rows = measured.get("rows", {}).get(lesson, [])
    if not rows:
        return ""
    names = list(dict.fromkeys(name for r in rows for name in r["others"]))
    lines = [row(["measured", "unit", "this kernel", *names]), row(["---"] * (3 + len(names)))]
    for r in rows:
        lines.append(row([r["what"], r["unit"], figure(r["ours"]), *(figure(r["others"][n]) if n in r["others"] else "" for n in names)]))
    return "\n" + "".join(lines) + f"\nOn {measured['device']}, by `bench/lessons.py`; the median of single calls.\n\n"


def pages():
    """(path from the root, text, text with the tables) of every page that has a place."""
    path = os.path.join(LESSONS, "measured.json")
    measured = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            measured = json.load(stream)
    for folder in sorted(os.listdir(LESSONS)):
        page = os.path.join(LESSONS, folder, "README.md")
        if os.path.isfile(page):
            with open(page, encoding="utf-8") as stream:
                text = stream.read()
            made = PLACE.sub(lambda _, lesson=folder: f"<!-- measured -->\n{table(measured, lesson)}<!-- end -->\n", text)
            yield page, text, made


def stale():
    return [os.path.relpath(page, os.path.dirname(os.path.dirname(LESSONS))) for page, text, made in pages() if text != made]


def main():
    for page, text, made in pages():
        if text != made:
            with open(page, "w", encoding="utf-8") as stream:
                stream.write(made)
            print(os.path.relpath(page))


if __name__ == "__main__":
    main()
