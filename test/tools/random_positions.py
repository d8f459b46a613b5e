# Subscripts, masks and tiles of random programs (random_programs.py): each is text of the language, and a function of a
# launch (random_cells.py) that says what it is.
import random_cells as cells
from random_cells import Axis, cell_by_cell


class Made:
    """Text, its value in a launch, and its extents: numbers, or names of constants."""

    def __init__(self, text, value, rows=1, cols=1):
        self.text, self.value, self.rows, self.cols = text, value, rows, cols


class Walk:
    """A variable of the grid or of a loop over an extent, in tiles of a width."""

    def __init__(self, var, extent, width, loop=False):
        self.var, self.extent, self.width, self.loop = var, extent, width, loop

    def places(self, launch):
        start = launch.vars[self.var]
        return range(start, start + launch.size(self.width))


def ended(positions, extent):
    """The positions of a range: what lies past the end is marked, and what lies before the start."""
    return Axis(positions, [not 0 <= p < extent for p in positions])


def listed(positions, extent):
    return Axis(positions, cells.Holes(not 0 <= p < extent for p in positions))


LISTS = [("{e} - 1 - ({at})", lambda at, e, p: e - 1 - at), ("2 * ({at})", lambda at, e, p: 2 * at),
         ("({at}) + 3", lambda at, e, p: at + 3), ("({at}) - 2", lambda at, e, p: at - 2),
         ("({at}) // 2", lambda at, e, p: at // 2), ("({at}) ^ 1", lambda at, e, p: at ^ 1),
         ("(({at}) + p) % {e}", lambda at, e, p: (at + p) % e), ("(({at}) - 1) % {e}", lambda at, e, p: (at - 1) % e),
         ("min(({at}), {e} - 1)", lambda at, e, p: min(at, e - 1)),
         ("max(({at}) - 2, 0)", lambda at, e, p: max(at - 2, 0)),
         ("({at}) + p", lambda at, e, p: at + p)]


class Positions:
    """Subscripts over an axis. What the proofs see and what happens must agree for all of them."""

    def __init__(self, choices, program):
        self.choices, self.program = choices, program

    def plain(self, walk, number=False):
        if number:
            return f"{walk.var}.index", lambda launch, e: Axis(
                [launch.vars[walk.var] // launch.size(walk.width)], None, True)
        return walk.var, lambda launch, e: ended(walk.places(launch), e)

    def shifted(self, walk, by):
        sign = "-" if by < 0 else "+"
        return (f"{walk.var}.start {sign} {abs(by)} +: {walk.width}",
                lambda launch, e: ended([p + by for p in walk.places(launch)], e))

    def listed(self, walk, extent):
        text, f = self.choices.pick(LISTS)
        if "%" in text or "- 1)" in text:
            self.program.require(f"{extent} > 0")
        if "p" in text.replace("{", ""):
            self.program.parameter("p", [0, 1, 2, 3, -1])
        here = text.format(at=f"{walk.var}.start + range({walk.width})", e=extent)
        self.program.tag("computed list")
        return here, lambda launch, e: listed(
            [f(p, launch.size(extent), launch.sizes.get("p", 0)) for p in walk.places(launch)], e)

    def from_memory(self, walk):
        """Rows that data name. What they name outside is data; the list itself ends where its tensor does."""
        name = self.program.input("I", [walk.extent], "i32", "places")
        self.program.tag("list from memory")

        def value(launch, e):
            at = launch.load(name, [ended(walk.places(launch), launch.size(walk.extent))])
            return Axis([None if past else p for p, past in zip(at.cells, at.ends[1])], at.ends[1])
        return f"load({name}[{walk.var}])", value

    def near(self, walk, extent, lists=True):
        """Mostly the tile itself; else what is next to it."""
        choices = self.choices
        if not choices.chance(25):
            return self.plain(walk)
        kind = choices.pick(["shift", "next", "prev", "first", "list", "memory"])
        self.program.tag("positions beside the tile")
        if kind == "list" and lists:
            return self.listed(walk, extent)
        if kind == "memory" and lists:
            return self.from_memory(walk)
        if kind in ("next", "prev"):
            by = 1 if kind == "next" else -1
            return (f"{walk.var}.{kind}",
                    lambda launch, e: ended([p + by * launch.size(walk.width) for p in walk.places(launch)], e))
        if kind == "first":
            at = choices.number(0, 2)
            return (f"{at} +: {walk.width}",
                    lambda launch, e: ended(range(at, at + launch.size(walk.width)), e))
        return self.shifted(walk, choices.pick([1, -1, 2, -3, 4]))


COMPARED = {">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
            "==": lambda a, b: a == b}
JOINED = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
NAMED = {"max": cells.largest, "min": cells.smallest}
NUMBERS = ["0.0", "1.0", "-1.0", "2.0", "-3.0", "0.5"]
FILLS = ["0.0", "-inf", "inf", "1.0", "-2.0"]


def apply(function, *made):
    """Cell by cell, with the extents of the largest."""
    def value(launch):
        return cell_by_cell(launch, function, *[m.value(launch) for m in made])
    rows = next((m.rows for m in made if m.rows != 1), 1)
    cols = next((m.cols for m in made if m.cols != 1), 1)
    return value, rows, cols


def joined(symbol, a, b):
    text = f"({a.text} {symbol} {b.text})" if symbol in JOINED else f"{symbol}({a.text}, {b.text})"
    return Made(text, *apply(JOINED.get(symbol) or NAMED[symbol], a, b))


def number(text):
    value = float(text)
    return Made(text, lambda launch: value)


def whole_number(value):
    return Made(str(value), lambda launch: value)


def reduced(name, x, axis):
    made = Made(f"{name}({x.text}, axis = {axis})", lambda launch: cells.reduce(launch, name, x.value(launch), axis),
                *((x.rows, 1) if axis == 1 else (1, x.cols)))
    return Made(f"f32({made.text})", made.value, made.rows, made.cols) if name.startswith("arg") else made


def padded(x, axis, fill):
    return Made(f"pad({x.text}, axis = {axis}, with = {fill.text})",
                lambda launch: cells.pad(launch, x.value(launch), axis, fill.value(launch)), x.rows, x.cols)


def where(mask, x, y):
    value, rows, cols = apply(lambda c, a, b: a if c else b, mask, x, y)
    along = [(x.rows, y.rows) == (rows, rows), (x.cols, y.cols) == (cols, cols)]

    def run(launch):
        # A tile without edges may be past the edge of another one, and is data there.
        if any(along):
            ends = zip(cells.as_tile(x.value(launch)).ends, cells.as_tile(y.value(launch)).ends, along)
            launch.ambiguous |= any(both and (a is None) != (b is None) for a, b, both in ends)
        return value(launch)
    return Made(f"where({mask.text}, {x.text}, {y.text})", run, rows, cols)


class Tiles:
    """Random tiles over the rows and columns of a scope."""

    def __init__(self, choices, program, positions):
        self.choices, self.program, self.positions = choices, program, positions

    def place(self, scope, axis):
        """The row or column of every cell, in the tensor."""
        x = scope.sample
        walk = scope.rows if axis == 0 else scope.cols
        word = ("row", "col")[axis]

        def value(launch):
            places = walk.places(launch)
            rows, cols = launch.size(x.rows), launch.size(x.cols)
            return cells.Tile(rows, cols, [places[r if axis == 0 else c] for r in range(rows) for c in range(cols)])
        return Made(f"({walk.var}.start + {word}_index({x.text}))", value, x.rows, x.cols)

    def compared(self, a, symbol, b):
        return Made(f"({a.text} {symbol} {b.text})", *apply(COMPARED[symbol], a, b))

    def extent(self, name):
        return Made(name, lambda launch: launch.size(name))

    def mask(self, scope, depth=1):
        choices = self.choices
        kind = choices.pick(["edge", "edge", "causal", "data", "near", "even", "both", "not"])
        if depth == 0 and kind in ("both", "not"):
            kind = "edge"
        self.program.tag(f"mask: {kind}")
        if kind == "both":
            a, b = self.mask(scope, depth - 1), self.mask(scope, depth - 1)
            word, f = choices.pick([("and", lambda p, q: p and q), ("or", lambda p, q: p or q)])
            return Made(f"({a.text} {word} {b.text})", *apply(f, a, b))
        if kind == "not":
            a = self.mask(scope, depth - 1)
            return Made(f"(not {a.text})", *apply(lambda p: not p, a))
        axis = choices.pick([1, 1, 0])
        if kind == "edge":
            walk = scope.cols if axis == 1 else scope.rows
            return self.compared(self.place(scope, axis), choices.pick(["<", "<", "<", ">="]), self.extent(walk.extent))
        if kind == "causal":
            a, b = self.place(scope, 0), self.place(scope, 1)
            return self.compared(a, choices.pick([">=", ">", "<="]), b)
        if kind == "near":
            a, b = self.place(scope, axis), self.extent(scope.cols.extent)
            return self.compared(a, "<", joined(choices.pick("-+"), b, whole_number(choices.pick([1, 2]))))
        if kind == "even":
            made = self.place(scope, axis)
            even = Made(f"({made.text} % 2)", *apply(lambda a: a % 2, made))
            return self.compared(even, "==", whole_number(0))
        return self.compared(self.leaf(scope), choices.pick([">", "<", ">="]), number(choices.pick(NUMBERS)))

    def loaded(self, scope, fresh=False):
        """A slice of a matrix over the rows and columns of the scope."""
        choices = self.choices
        memory = scope.readable()
        again = memory and not fresh and choices.chance(60)
        matrix = choices.pick(memory) if again else self.program.matrix(scope, choices)
        place = self.positions
        if matrix.begin:
            rows = (f"{matrix.begin}{scope.rows.var}.start +: {scope.rows.width}", place.plain(scope.rows)[1])
        elif matrix.exact:
            rows = place.plain(scope.rows)
        else:
            rows = place.near(scope.rows, matrix.extents[0].text, lists=matrix.view is None)
        cols = place.plain(scope.cols)
        if not matrix.exact:
            listed = "range(" in rows[0] or "load(" in rows[0]
            cols = place.near(scope.cols, matrix.extents[1].text, lists=not listed)
        return Made(f"load({matrix.name}[{rows[0]}, {cols[0]}])",
                    lambda launch: matrix.load(launch, rows[1], cols[1]), scope.rows.width, scope.cols.width)

    def vector(self, scope):
        """Along the rows or the columns."""
        choices = self.choices
        if choices.chance(50):
            walk = scope.cols
            name = self.program.input("V", [walk.extent])
            text, f = self.positions.near(walk, walk.extent, lists=False)
            return Made(f"load({name}[{text}])",
                        lambda launch: launch.load(name, [f(launch, launch.size(walk.extent))]), 1, walk.width)
        walk = scope.rows
        if walk.extent == "length":
            return number("2.0")
        name = self.program.input("S", [walk.extent])
        return Made(f"column(load({name}[{walk.var}]))",
                    lambda launch: launch.load(name, [ended(walk.places(launch), launch.size(walk.extent))]).turned(),
                    walk.width, 1)

    def leaf(self, scope):
        choices = self.choices
        kind = choices.pick(["name", "name", "load", "name", "number", "vector", "place"])
        if kind == "name" and scope.named:
            return choices.pick(scope.named)
        if kind == "number":
            return number(choices.pick(NUMBERS))
        if kind == "vector":
            return self.vector(scope)
        if kind == "place":
            self.program.tag("place")
            made = self.place(scope, choices.pick([1, 0]))
            return Made(f"f32({made.text})", made.value, made.rows, made.cols)
        return self.loaded(scope)

    def whole(self, scope, made):
        """With the extents of the scope."""
        if (made.rows, made.cols) == (scope.rows.width, scope.cols.width):
            return made
        return joined(self.choices.pick(["+", "max", "*"]), scope.sample, made)

    def tile(self, scope, depth):
        """Of any extents that go with the scope's."""
        choices = self.choices
        if depth == 0:
            return self.leaf(scope)
        kind = choices.pick(["join", "where", "pad", "reduce", "join", "cumsum", "exchange", "unary", "turn", "part"])
        if kind == "join":
            symbol = choices.pick(["+", "-", "max", "min", "*"])
            a = self.tile(scope, depth - 1)
            b = self.leaf(scope) if symbol != "*" else number(choices.pick(NUMBERS))
            return joined(symbol, a, b)
        x = self.whole(scope, self.tile(scope, depth - 1))
        axis = choices.pick([1, 1, 0])
        self.program.tag(kind)
        if kind == "where":
            other = choices.pick([number(choices.pick(FILLS)), self.leaf(scope)])
            return where(self.mask(scope), x, other) if choices.chance(70) else where(self.mask(scope), other, x)
        if kind == "pad":
            return padded(x, axis, number(choices.pick(FILLS)))
        if kind == "reduce":
            return self.reduction(scope, x, axis)
        if kind == "cumsum":
            return Made(f"cumsum({x.text}, axis = {axis})", lambda launch: cells.cumsum(launch, x.value(launch), axis),
                        x.rows, x.cols)
        if kind == "exchange":
            return Made(f"exchange({x.text}, axis = {axis}, bit = 0)",
                        lambda launch: cells.exchange(x.value(launch), axis, 0), x.rows, x.cols)
        if kind == "turn":
            # There and back, with a function of cells between them.
            bound = number(choices.pick(NUMBERS))
            y = joined("max", Made(f"({x.text}).T", lambda launch: x.value(launch).turned(), x.cols, x.rows), bound)
            return Made(f"({y.text}).T", lambda launch: y.value(launch).turned(), x.rows, x.cols)
        if kind == "part":
            begin, count = choices.pick([(0, 2), (2, 2), (1, 1), (0, 1), (1, 3), (3, 1)])
            name = choices.pick(["sum", "max", "min"])
            part = Made(f"({x.text})[:, {begin} +: {count}]",
                        lambda launch: x.value(launch).part(range(launch.size(x.rows)), range(begin, begin + count)),
                        x.rows, count)
            return reduced(name, part, 1) if count > 1 or choices.chance(50) else part
        return choices.pick([lambda: Made(f"abs({x.text})", *apply(abs, x)),
                             lambda: Made(f"(-{x.text})", *apply(lambda v: -v, x)),
                             lambda: joined("max", x, number(choices.pick(NUMBERS))),
                             lambda: joined("*", x, number("2.0"))])()

    def reduction(self, scope, x, axis, names=("sum", "max", "min", "sum", "argmax", "argmin")):
        """Often of a tile that was made fit for it."""
        name = self.choices.pick(names)
        neutral = {"sum": "0.0", "max": "-inf", "min": "inf", "argmax": "-inf", "argmin": "inf"}[name]
        how = self.choices.pick(["pad", "pad", "mask", "pad", "bare", "pad"])
        if how == "pad":
            x = padded(x, axis, number(neutral))
            self.program.tag("pad")
        if how == "mask":
            x = where(self.mask(scope), x, number(neutral))
        self.program.tag(name)
        return reduced(name, x, axis)
