# Programs over rows and elements, whose places are numbers that are computed: permutations of an axis, and what is
# nearly one. Whether each element is written by one program, and read by nobody else, hangs on arithmetic alone.
from random_cells import Axis, cell_by_cell
from random_positions import Made, Walk
from random_programs import Extent

# Of the number {i} of an axis of {e}; those that are not a permutation for some e or p are in the second half.
ROWS = [("{i}", lambda i, e, p: i), ("{e} - 1 - {i}", lambda i, e, p: e - 1 - i),
        ("({i} + 1) % {e}", lambda i, e, p: (i + 1) % e),
        ("({i} + p) % {e}", lambda i, e, p: (i + p) % e), ("({e} - {i}) % {e}", lambda i, e, p: (e - i) % e),
        ("where({i} > 0, {i} - 1, {e} - 1)", lambda i, e, p: i - 1 if i > 0 else e - 1),
        ("{i} % 2 * ceil_div({e}, 2) + {i} // 2", lambda i, e, p: i % 2 * -(-e // 2) + i // 2),
        ("where({i} < p, {i}, {e} - 1 - {i} + p)", lambda i, e, p: i if i < p else e - 1 - i + p),
        ("{i} ^ 1", lambda i, e, p: i ^ 1), ("2 * {i}", lambda i, e, p: 2 * i), ("{i} // 2", lambda i, e, p: i // 2),
        ("min({i}, {e} - 2)", lambda i, e, p: min(i, e - 2)), ("max({i} - 1, 0)", lambda i, e, p: max(i - 1, 0)),
        ("3 * {i} % {e}", lambda i, e, p: 3 * i % e), ("{i} + 1", lambda i, e, p: i + 1),
        ("{i} + p", lambda i, e, p: i + p),
        ("abs({i} - 1)", lambda i, e, p: abs(i - 1)), ("{i} % 2 * ({e} // 2) + {i} // 2",
                                                      lambda i, e, p: i % 2 * (e // 2) + i // 2),
        ("({i} * p) % {e}", lambda i, e, p: i * p % e), ("{i} & p", lambda i, e, p: i & p)]
RIGHT = 8
ELEMENTS = [("i * K + j", lambda i, j, m, k: i * k + j), ("j * M + i", lambda i, j, m, k: j * m + i),
            ("i * K + (K - 1 - j)", lambda i, j, m, k: i * k + k - 1 - j),
            ("i * K + (i + j) % K", lambda i, j, m, k: i * k + (i + j) % k),
            ("(i + j) % M * K + j", lambda i, j, m, k: (i + j) % m * k + j),
            ("(i * K + j + 1) % (M * K)", lambda i, j, m, k: (i * k + j + 1) % (m * k)),
            ("M * K - 1 - (i * K + j)", lambda i, j, m, k: m * k - 1 - i * k - j),
            ("i * M + j", lambda i, j, m, k: i * m + j), ("(i * K + j) ^ 1", lambda i, j, m, k: (i * k + j) ^ 1),
            ("i * K + j // 2", lambda i, j, m, k: i * k + j // 2), ("i + j", lambda i, j, m, k: i + j),
            ("i * (K + 1) + j", lambda i, j, m, k: i * (k + 1) + j),
            ("i * K + min(j, K - 2)", lambda i, j, m, k: i * k + min(j, k - 2))]
RIGHT_ELEMENTS = 7


class Numbers:
    """Statements of one kernel, by a writer (random_programs.py)."""

    def __init__(self, writer):
        self.writer, self.choices, self.program = writer, writer.choices, writer.program

    def number(self, right=60):
        """(text, function) of a row."""
        text, f = self.choices.pick(ROWS[:RIGHT] if self.choices.chance(right) else ROWS)
        if "p" in text:
            self.program.parameter("p", [1, 0, 2, 3, 5, -1])
        if "%" in text:
            self.program.require("M > 0")
        return text.format(i="i", e="M"), lambda launch, e: Axis(
            [f(launch.vars["i"], launch.size("M"), launch.sizes.get("p", 0))], None, True)

    def by_rows(self):
        choices, program = self.choices, self.program
        self.writer.widths(rows=False)
        rows, cols = Walk("i", "M", None), Walk("n", "N", "BN")
        program.grid = choices.pick([[rows, cols], [cols, rows]])
        self.writer.words(program.grid)
        pairs = []
        for _ in range(choices.pick([1, 2])):
            pairs += choices.pick([self.map, self.map, self.in_place, self.by_scratch, self.either])(cols)
        return pairs

    def slice(self, name, row, cols):
        col = self.writer.positions.plain(cols)
        return Made(f"load({name}[{row[0]}, {cols.var}])", lambda launch: launch.load(
            name, [row[1](launch, 0), col[1](launch, launch.size(cols.extent))]), 1, cols.width)

    def value(self, cols):
        name = self.program.input("X", ["M", "N"])
        x = self.slice(name, self.number(), cols)
        return Made(f"({x.text} * 2.0)", lambda launch: cell_by_cell(launch, lambda v: v * 2, x.value(launch)),
                    1, cols.width)

    def target(self, mode):
        return self.program.tensor(mode, [self.program.extent("M"), self.program.extent("N")],
                                   start={"out": "Y", "inout": "Z", "scratch": "T"}[mode]).name

    def stored(self, tensor, row, cols, made):
        return self.writer.stored(tensor, [row, self.writer.positions.plain(cols)], made)

    def map(self, cols):
        return [self.stored(self.target("out"), self.number(), cols, self.value(cols))]

    def in_place(self, cols):
        tensor, row = self.target("inout"), self.number()
        old = self.slice(tensor, row if self.choices.chance(70) else self.number(), cols)
        new = self.value(cols)
        made = Made(f"({old.text} + {new.text})", lambda launch: cell_by_cell(
            launch, lambda a, b: a + b, old.value(launch), new.value(launch)), 1, cols.width)
        return [self.stored(tensor, row, cols, made)]

    def by_scratch(self, cols):
        tensor, row = self.target("scratch"), self.number()
        first = self.stored(tensor, row, cols, self.value(cols))
        again = self.slice(tensor, row if self.choices.chance(70) else self.number(), cols)
        return [first, self.stored(self.target("out"), self.number(), cols, again)]

    def either(self, cols):
        """Under a condition here, and under what may be its opposite there."""
        choices, tensor = self.choices, self.target("out")
        self.program.parameter("q", [1, 0, 2, 3])
        text, f, opposite, g = choices.pick([
            ("i < q", lambda i, q, e: i < q, "i >= q", lambda i, q, e: i >= q),
            ("i % 2 == 0", lambda i, q, e: i % 2 == 0, "i % 2 == 1", lambda i, q, e: i % 2 == 1),
            ("i < M // 2", lambda i, q, e: i < e // 2, "i >= ceil_div(M, 2)", lambda i, q, e: i >= -(-e // 2)),
            ("q > 0", lambda i, q, e: q > 0, "q <= 0", lambda i, q, e: q <= 0),
            ("i != q", lambda i, q, e: i != q, "i == q", lambda i, q, e: i == q),
            ("i < q", lambda i, q, e: i < q, "i > q", lambda i, q, e: i > q)])
        row = self.number()
        rows = [row, row if choices.chance(80) else self.number()]
        pairs = []
        for (words, holds), at in zip(((text, f), (opposite, g)), rows):
            store = self.stored(tensor, at, cols, self.value(cols))

            def run(launch, holds=holds, store=store):
                if holds(launch.vars["i"], launch.sizes["q"], launch.size("M")):
                    store[1](launch)
            pairs.append(self.writer.block(f"if {words}", [store], run))
        return pairs

    def by_elements(self):
        """Single elements: places of two numbers in one axis."""
        choices, program = self.choices, self.program
        rows, cols = Walk("i", "M", None), Walk("j", "K", None)
        program.grid = choices.pick([[rows, cols], [cols, rows]])
        program.constants["BN"] = [4]
        program.require("M > 0")
        program.require("K > 0")
        source = program.input("X", ["M", "K"])
        size = Extent("M * K", lambda launch: launch.size("M") * launch.size("K"))
        pairs = []
        for _ in range(choices.pick([1, 2])):
            mode = choices.pick(["out", "inout"])
            tensor = program.tensor(mode, [size], start={"out": "Y", "inout": "Z"}[mode]).name
            text, f = choices.pick(ELEMENTS[:RIGHT_ELEMENTS] if choices.chance(60) else ELEMENTS)

            def at(launch, f=f):
                return f(launch.vars["i"], launch.vars["j"], launch.size("M"), launch.size("K"))
            made = Made(f"({source}[i, j] + 1.0)",
                        lambda launch: launch.element(source, [launch.vars["i"], launch.vars["j"]]) + 1)
            place = (text, lambda launch, e, at=at: Axis([at(launch)], None, True))
            pairs.append(self.writer.stored(tensor, [place], made))
        return pairs
