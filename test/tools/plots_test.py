#!/usr/bin/env python3
# Checks that the plots of docs/performance.md are what docs/plots/plot.py makes of results.json, and that the figures there
# are those of the pages: plots_test.py
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?(?![\w])")


def numbers(line):
    """All numbers of a line of a page."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(line)]


def check_series(series):
    """What is wrong with a series: files that are not there, figures that its page does not have."""
    for kernel in series["kernel"].split(", "):
        if not os.path.exists(os.path.join(ROOT, kernel)):
            yield f"{kernel} is not there"
    path = os.path.join(ROOT, "docs", series["page"])
    if not os.path.exists(path):
        yield f"{series['page']} is not there"
        return
    with open(path, encoding="utf-8") as stream:
        lines = [numbers(line) for line in stream if line.startswith("|")]
    for row in series["rows"]:
        wanted = [float(row[key]) for key in ("ours", "peer", "ratio") if key in row]
        if not any(all(figure in line for figure in wanted) for line in lines):
            yield f"{series['page']} has no row with {wanted}, {series['kernel']} at {row['shape']}"


def main():
    with open(os.path.join(ROOT, "docs", "plots", "results.json"), encoding="utf-8") as stream:
        everything = json.load(stream)
    complaints = [complaint for series in everything for complaint in check_series(series)]
    for complaint in complaints:
        print(complaint)
    drawn = subprocess.run([sys.executable, os.path.join(ROOT, "docs", "plots", "plot.py"), "--check"], check=False)
    return 1 if complaints or drawn.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
