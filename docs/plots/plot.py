#!/usr/bin/env python3
# The plots of docs/performance.md: SVG files drawn from the figures in results.json, with the standard library only;
# that of the lessons is drawn from docs/lessons/measured.json, which bench/lessons.py writes.
#
#     docs/plots/plot.py            writes the SVG files next to this script
#     docs/plots/plot.py --check    reports which of them do not match the figures; ctest runs this
#
# results.json is a list of series. A series has a kernel, a peer, a unit, a machine, the command that measures it, and
# the page that has its table. Its rows have a shape, our figure and the peer's, or the ratio of the two where no more
# was recorded. `plot` and `panel` say where the series is drawn; `family` puts its ratios into the overview.
import argparse
import json
import math
import os
import sys
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = "#2a6fbb"
PEERS = ("#a7b0ba", "#e0a458", "#7fb08a", "#c58bb5", "#8f8ac4")  # a color for each peer of a plot, in order
INK, FAINT, GRID = "#222222", "#666666", "#dddddd"
LESSONS = os.path.join(os.path.dirname(HERE), "lessons", "measured.json")
FONT = "-apple-system, Segoe UI, Helvetica, Arial, sans-serif"
WIDTH = 900


def number(x):
    """A coordinate or a figure in as few digits as show it."""
    return f"{x:.1f}".rstrip("0").rstrip(".") if isinstance(x, float) else str(x)


def faster(series, row):
    """How many times as fast as the peer we are."""
    if "ratio" in row:
        return row["ratio"]
    ratio = row["ours"] / row["peer"]
    return ratio if series["unit"].endswith("/s") else 1 / ratio


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios))


class Picture:
    """The elements of an SVG file, in the order in which they are drawn."""

    def __init__(self, title, height):
        self.title, self.height, self.parts = title, height, []

    def rect(self, x, y, width, height, colour, hint=""):
        size = f'width="{number(width)}" height="{number(height)}"'
        self.shape(f'rect x="{number(x)}" y="{number(y)}" {size}', colour, hint)

    def dot(self, x, y, colour, hint=""):
        self.shape(f'circle cx="{number(x)}" cy="{number(y)}" r="4" fill-opacity="0.55"', colour, hint)

    def shape(self, element, colour, hint):
        title = f"<title>{escape(hint)}</title></{element.split()[0]}>" if hint else ""
        self.parts.append(f'<{element} fill="{colour}"{">" + title if hint else "/>"}')

    def line(self, x1, y1, x2, y2, colour, width=1.0):
        self.parts.append(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
                          f'stroke="{colour}" stroke-width="{number(width)}"/>')

    def text(self, x, y, words, size=12, colour=INK, anchor="start", weight="normal"):
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="{colour}" '
                          f'text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>')

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(self.height)}" role="img" '
                f'font-family="{FONT}">\n<title>{escape(self.title)}</title>\n'
                f'<rect width="{WIDTH}" height="{number(self.height)}" rx="6" fill="#ffffff"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


# ---- ratios: a line for each family of kernels, a dot for each shape, a bar for the mean


def ratios(title, note, lines, low, high, ticks, one, right):
    """`lines` holds (label, text on the right, [(ratio, hint), ..]); `one` says what the line at 1 stands for."""
    top, step, left, end = 88, 25, 235, 605
    picture = Picture(title, top + step * len(lines) + 40)
    place = lambda r: left + (end - left) * math.log(min(max(r, low), high) / low) / math.log(high / low)
    picture.text(20, 28, title, 17, weight="600")
    picture.text(20, 48, note, 12, FAINT)
    bottom = top + step * len(lines)
    for tick in ticks:
        picture.line(place(tick), top - 8, place(tick), bottom, FAINT if tick == 1 else GRID, 1.5 if tick == 1 else 1.0)
        picture.text(place(tick), bottom + 18, f"{tick:g} x", 11, FAINT, "middle")
    picture.text(place(1), top - 14, one, 11, FAINT, "middle")
    picture.text(end + 20, top - 14, "mean", 11, FAINT)
    picture.text(end + 62, top - 14, right, 11, FAINT)
    for index, (label, peer, found) in enumerate(lines):
        y = top + step * index + step / 2
        middle = mean([r for r, _ in found])
        picture.text(left - 14, y + 4, label, 12, anchor="end")
        for ratio, hint in found:
            picture.dot(place(ratio), y, OURS, hint)
        picture.rect(place(middle) - 1.5, y - 9, 3, 18, INK)
        picture.text(end + 20, y + 4, f"{middle:.2f}", 12, weight="600")
        picture.text(end + 62, y + 4, peer, 12, FAINT)
    return picture.svg()


def hint(series, row):
    """What a reader sees with the pointer on a dot or a bar."""
    peer = f"{row['ratio']} of {series['peer']}" if "ratio" in row else f"{series['peer']} {row['peer']}"
    return f"{os.path.basename(series['kernel'].split(',')[0])}, {row['shape']}: {row['ours']} {series['unit']}, {peer}"


def overview(everything):
    """All families that are measured against another library."""
    families = {}
    for series in everything:
        if "family" in series:
            families.setdefault((series["family"], series["peer"]), []).extend(
                (faster(series, row), hint(series, row)) for row in series["rows"])
    lines = [(family, peer, found) for (family, peer), found in families.items()]
    note = "Each dot is a measured shape, each bar a geometric mean. Right of the line, tkc's kernel is faster."
    return ratios("Speedup over the baseline", note, lines, 0.3, 6.5, (0.5, 0.75, 1, 1.5, 2, 4), "the baseline", "baseline")


def memory(everything):
    """Memory-bound kernels, relative to a copy of the same bytes."""
    lines = [(series["panel"], f"{min(r['ours'] for r in series['rows'])} to {max(r['ours'] for r in series['rows'])}"
              if len(series["rows"]) > 1 else str(series["rows"][0]["ours"]),
              [(faster(series, row), hint(series, row)) for row in series["rows"]])
             for series in everything if series.get("plot") == "memory"]
    title = "Memory-bound kernels: speed relative to a copy of the same bytes"
    note = "Each dot is a measured shape, each bar a geometric mean."
    return ratios(title, note, lines, 0.5, 1.12, (0.5, 0.75, 1), "the copy", "GB/s")


# ---- bars: a panel for each case, a group for each shape, a bar for us and for each peer


def bars(title, everything, name, columns):
    """The series of one plot; those of one panel that have the same shapes are next to each other."""
    panels = {}
    for series in everything:
        if series.get("plot") == name:
            panels.setdefault(series["panel"], []).append(series)
    peers = {}
    for series in (series for found in panels.values() for series in found):
        peers.setdefault(series["peer"], PEERS[len(peers) % len(PEERS)])
    height, top = 190, 66
    picture = Picture(title, top + math.ceil(len(panels) / columns) * height + 6)
    picture.text(20, 28, title, 17, weight="600")
    x = 20
    for words, colour in [("tkc", OURS), *peers.items()]:
        picture.rect(x, 40, 11, 11, colour)
        picture.text(x + 16, 50, words, 12, FAINT)
        x += 40 + 6.6 * len(words)
    width = (WIDTH - 20) / columns
    for index, (panel, found) in enumerate(panels.items()):
        place = 20 + index % columns * width, top + index // columns * height
        draw_panel(picture, panel, found, peers, place, width - 20, height)
    return picture.svg()


def lessons(measured):
    """The lessons that have a peer, as series: a lesson is a row, a case a panel."""
    made = {}
    for lesson, rows in measured["rows"].items():
        for row in rows:
            for peer, figure in row["others"].items():
                if peer != "copy":
                    series = made.setdefault((row["what"], peer), {"plot": "lessons", "panel": row["what"], "peer": peer,
                                                                   "unit": row["unit"], "rows": []})
                    number, *words = lesson.split("-")
                    half = (len(words) + 1) // 2
                    label = f"{int(number)}. {' '.join(words[:half])}\n{' '.join(words[half:])}"
                    series["rows"].append({"shape": lesson, "label": label, "ours": round(row["ours"]), "peer": round(figure)})
    return list(made.values())


def draw_panel(picture, panel, found, peers, place, width, height):
    """One case: its heading, its axis, its bars with their figures."""
    x, y = place
    unit = found[0]["unit"]
    shapes = [row["shape"] for row in found[0]["rows"]]
    cells = {}  # what is at a shape: figures with their colors
    for series in found:
        for row in series["rows"]:
            group = cells.setdefault(row["shape"], [(row["ours"], OURS, "tkc")])
            group.append((row["peer"], peers[series["peer"]], series["peer"]))
    largest = max(figure for group in cells.values() for figure, _, _ in group)
    picture.text(x, y + 14, f"{panel}, {unit}", 13, weight="600")
    base, room = y + height - 38, height - 80
    picture.line(x, base, x + width, base, FAINT)
    group_width = width / len(shapes)
    for index, shape in enumerate(shapes):
        group = cells[shape]
        gap = min(10.0, group_width * 0.16)
        bar = min(42.0, (group_width - gap) / len(group))
        left = x + index * group_width + (group_width - bar * len(group)) / 2
        for slot, (figure, colour, who) in enumerate(group):
            tall = room * figure / largest
            picture.rect(left + slot * bar, base - tall, bar - 1, tall, colour, f"{who}, {shape}: {figure} {unit}")
            if bar >= 18:
                picture.text(left + slot * bar + bar / 2, base - tall - 4, f"{figure:g}", 9, FAINT, "middle")
        label = found[0]["rows"][index].get("label", shape)
        for line, words in enumerate(label.split("\n")):
            picture.text(x + (index + 0.5) * group_width, base + 13 + 11 * line, words, 10, FAINT, "middle")


def plots(everything, measured):
    """The text of every file."""
    return {
        "overview.svg": overview(everything),
        "gemm.svg": bars("bf16 products, M x N x K", everything, "gemm", 1),
        "gemm-8bit.svg": bars("8-bit products, M x N x K", everything, "gemm-8bit", 2),
        "attention.svg": bars("Attention, forward: bf16, B, H, N", everything, "attention", 2),
        "attention-backward.svg": bars("Attention, gradients: bf16, B, H, N", everything, "attention-backward", 2),
        "decode.svg": bars("Attention, few queries and many keys: lower is better", everything, "decode", 2),
        "sequence.svg": bars("Sequence models: lower is better", everything, "sequence", 2),
        "memory.svg": memory(everything),
        "lessons.svg": bars("The lessons: products and attention, bf16", lessons(measured), "lessons", 1),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is wrong")
    check = parser.parse_args().check
    with open(os.path.join(HERE, "results.json"), encoding="utf-8") as stream:
        everything = json.load(stream)
    with open(LESSONS, encoding="utf-8") as stream:
        measured = json.load(stream)
    wrong = 0
    for name, text in plots(everything, measured).items():
        path = os.path.join(HERE, name)
        if check:
            there = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
            if there != text:
                wrong += 1
                print(f"{name} is not what the figures give: run docs/plots/plot.py")
        else:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
