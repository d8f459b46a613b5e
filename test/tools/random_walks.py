# Ways to go along an axis tile by tile: the same elements in the same order in every role that follows, told to the
# reference as a condition on places.
from dataclasses import dataclass

from random_text import Node


@dataclass
class Step:
    """One tile of the axis: its subscript, and where it starts."""

    subscript: str
    start: str
    tag: str = ""  # distinguishes the names of a step outside a loop from the others


class Walk:
    """Along axis `k` of extent K by tiles of `width` (a text and its value)."""

    def __init__(self, choices, kernel, width, value, row_tile=None, allowed=()):
        self.choices, self.kernel = choices, kernel
        self.width, self.value = width, value
        self.row_tile = row_tile  # name and width of the tile index that bounds a triangle
        self.limits = {}  # of parameters, for the tests: name -> values
        forms = ["plain", "range", "reversed", "peeled", "last", "nested", "previous", "split", "skip", "flag", "lets"]
        if row_tile:
            forms += ["triangle"]
        forms += list(allowed)
        self.form = choices.pick(["plain", "plain", "plain"] + forms)
        kernel.tags.add("walk " + self.form)
        if self.form in ("split", "skip", "flag"):
            self.name = {"split": "cut", "skip": "skip", "flag": "flag"}[self.form]
            kernel.parameters.append(f"{self.name}: i32")
            kernel.reads.append(self.name)
            self.limits[self.name] = {"split": [1, 0, 2, 5], "skip": [0, value, 40, 1000], "flag": [1, 0, -2]}[self.form]
            if self.form == "split":
                kernel.conditions.append("cut >= 0")
        if self.form == "triangle":
            kernel.lets.append(f"let end = min({row_tile[0]}.end, K);")
        if self.form == "lets":
            kernel.lets.append("let far = K + 0 * K;" if choices.chance(20) else "let far = K;")
        self.shadow = choices.chance(30)

    def loop(self, header, body):
        return Node(f"for {header}", "loop", "k", body)

    def nodes(self, make):
        """The statements that do `make(step)` for every step."""
        w = self.width
        plain = Step("k", "k.start")
        simple = {"plain": f"k in K by {w}", "range": f"k in 0..K by {w}", "reversed": f"k in reversed K by {w}",
                  "triangle": f"k in end by {w}", "lets": f"k in 0..far by {w}"}
        if self.form in simple:
            return [self.loop(simple[self.form], make(plain))]
        if self.form == "peeled":
            first = Step(f"0 +: {w}", "0", "f")
            return make(first) + [self.loop(f"k in {w}..K by {w}", make(plain))]
        if self.form == "last":
            last = Step("tail", "tail.start", "l")
            return [self.loop(f"k in K - {w} by {w}", make(plain)), Node(f"let tail = last_tile(K, {w});")] + make(last)
        if self.form == "nested":
            inner = Step(f"k.start + i * {w} +: {w}", f"(k.start + i * {w})")
            if self.shadow:
                return [self.loop(f"k in K by 2 * {w}, i in 2", make(inner))]
            return [self.loop(f"k in K by 2 * {w}", [self.loop("i in 0..2", make(inner))])]
        if self.form == "previous":
            return [self.loop(f"k in {w}..K + {w} by {w}", make(Step("k.prev", "k.prev.start")))]
        if self.form == "split":
            return [self.loop(f"k in min(cut * {w}, K) by {w}", make(plain)),
                    self.loop(f"k in cut * {w}..K by {w}", make(plain))]
        if self.form == "skip":
            return [self.loop(f"k in K by {w}", [Node("if k.start >= skip", "if", "k", make(plain))])]
        return [Node("if flag != 0", "if", "k", [self.loop(f"k in K by {w}", make(plain))])]

    def mask(self, along, across):
        """Which elements are walked over, by their place on the axis and on the one of `row_tile`. '': all."""
        w = self.value
        if self.form == "skip":
            return f"{along} // {w} * {w} >= skip"
        if self.form == "flag":
            return f"flag != 0 and {along} >= 0"
        if self.form == "triangle":
            end = f"({across} // {self.row_tile[1]} + 1) * {self.row_tile[1]}"
            return f"{along} < ceil_div({end}, {w}) * {w}"
        return ""
