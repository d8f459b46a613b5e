# Where a role's accesses to memory lie: rows and columns of its program, in the kernel and in the reference.
from dataclasses import dataclass


@dataclass
class Window:
    """Where an access lies along an axis, in the kernel and in the reference."""

    code: str
    meaning: str
    size: int
    low: int = 0
    high: int = 0
    inside: bool = True  # no cell of it lies outside of its tensor for sure


@dataclass
class Place:
    """A tensor that one role comes back to."""

    tensor: object
    vector: bool = False
    ready: tuple = (0, 1 << 30)  # columns that have values, for scratch
    stored: bool = False


class Scope:
    """Values with names, and the loops around."""

    def __init__(self, values=(), loops=(), depth=0):
        self.values, self.loops, self.depth = list(values), list(loops), depth

    def inner(self, loop=None):
        return Scope(self.values, self.loops + ([loop] if loop else []), self.depth + 1)


@dataclass
class Loop:
    var: str
    width: int  # of a chunk; 0: it counts
    trips: int


class Windows:
    """Of a program with `rows` rows and `cols` columns, from `m.start` on and, where it is `tiled`, from `n.start`."""

    def half(self):
        return self.cols // 2 if self.cols < 16 else self.cols // 16 * 8

    def row_window(self, whole=False):
        if self.by_program and self.form != "warpgroups" and self.rows > 1 and not whole and self.choices.chance(25):
            size = self.choices.pick([n for n in (self.rows // 2, 1, self.rows - 1) if n > 0])
            first = self.choices.number(0, self.rows - size)
            start = "m.start" if first == 0 else f"m.start + {first}"
            return Window(f"{start} +: {size}", f"{start} +: {size}", size)
        return Window("m", f"m.start +: {self.rows}" if self.by_program else ":", self.rows, inside=False)

    def col_window(self, scope, size=None):
        """Some columns, within those of the program."""
        choices = self.choices
        forms = ["whole", "whole", "part", "chunk", "chunk", "near"]
        chunks = [loop for loop in scope.loops if loop.width]
        for _ in range(6):
            form = choices.pick(forms if chunks else forms[:3])
            if form == "whole":
                made = self.whole_cols()
            elif form == "part":
                width = size or choices.pick([self.cols // 2, 16, 8, self.cols // 4, 32])
                if not 0 < width <= self.cols or self.unfit(width):
                    continue
                first = choices.pick([0, self.cols - width, (self.cols - width) // 2, min(8, self.cols - width)])
                made = self.part("", first, width, first, first + width)
            else:
                loop = choices.pick(chunks)
                shift = 0 if form == "chunk" else choices.pick([8, -8, 1, loop.width, -loop.width, 3])
                width = loop.width if form == "chunk" else size or choices.pick([loop.width, loop.width // 2 or 1, 8])
                if self.unfit(width):
                    continue
                last = (loop.trips - 1) * loop.width + shift + width
                if self.tiled and (shift < 0 or last > self.cols):
                    continue
                if form == "chunk" and not self.tiled and choices.chance(60):
                    made = Window(loop.var, f"{loop.var}.start +: {width}", width, 0, last)
                else:
                    made = self.part(f"{loop.var}.start", shift, width, shift, last)
            if size is None or made.size == size:
                made.inside = not self.tiled and made.low >= 0 and made.high <= self.cols
                return made
        return self.whole_cols() if size in (None, self.cols) else self.part("", 0, size, 0, size)

    def unfit(self, width):
        """Whether warpgroups have no tiles of so many columns."""
        return self.form == "warpgroups" and width % 8 != 0

    def whole_cols(self):
        if self.tiled:
            return Window("n", f"n.start +: {self.cols}", self.cols, 0, self.cols, False)
        return Window(":", ":", self.cols, 0, self.cols)

    def part(self, start, shift, width, low, high):
        terms = [t for t in ("n.start" if self.tiled else "", start) if t]
        text = " + ".join(terms + ([str(shift)] if shift > 0 or not terms else []))
        text += f" - {-shift}" if shift < 0 and terms else ""
        return Window(f"{text} +: {width}", f"{text} +: {width}", width, low, high, not self.tiled)
