# What a launch does, cell by cell, in plain Python: tiles with edges, memory that knows who touched it, programs one
# after the other. It is slow, small and no part of the compiler, so that the two can be compared (random_verdicts.py).
import math

LARGEST = 1 << 22  # above it, f32 and the numbers here may round differently


class Stop(Exception):
    """The launch cannot go on."""


class Tile:
    """rows x cols cells. `ends[axis]` is None, or says of every row (0) or column (1) whether it lies past the edge of
    the tensor that the tile came from."""

    __slots__ = ("rows", "cols", "cells", "ends")

    def __init__(self, rows, cols, cells, ends=(None, None)):
        self.rows, self.cols, self.cells, self.ends = rows, cols, cells, ends

    def row(self, r):
        return self.cells[r * self.cols:(r + 1) * self.cols]

    def turned(self):
        cells = [self.cells[r * self.cols + c] for c in range(self.cols) for r in range(self.rows)]
        return Tile(self.cols, self.rows, cells, (self.ends[1], self.ends[0]))

    def part(self, rows, cols):
        cells = [self.cells[r * self.cols + c] for r in rows for c in cols]
        return Tile(len(rows), len(cols), cells, (chosen(self.ends[0], rows), chosen(self.ends[1], cols)))


class Holes(list):
    """`ends` of a list of positions, which may name nothing at any of them. Where it meets others, it is data."""


def chosen(ends, places):
    return None if ends is None else type(ends)(ends[i] for i in places)


def as_tile(value):
    return value if isinstance(value, Tile) else Tile(1, 1, [value])


def joined_ends(launch, parts):
    """Of tiles that end in several places nobody knows which cells are meant: `launch.ambiguous`. What a list names
    outside of its tensor is such a place of its own, even where it is the same one."""
    known = [ends for ends in parts if ends is not None]
    if not known:
        return None
    lists = sum(isinstance(ends, Holes) for ends in known)
    listed = lists > 0
    if any(ends != known[0] for ends in known) or listed and lists < len(parts):
        launch.ambiguous = True
    return (Holes if listed else list)(any(ends[i] for ends in known) for i in range(len(known[0])))


def cell_by_cell(launch, function, *values):
    """As numpy: an extent of 1 is repeated."""
    if not any(isinstance(v, Tile) for v in values):
        return function(*values)
    tiles = [as_tile(v) for v in values]
    rows, cols = max(t.rows for t in tiles), max(t.cols for t in tiles)
    ends = (joined_ends(launch, [t.ends[0] for t in tiles if t.rows == rows]),
            joined_ends(launch, [t.ends[1] for t in tiles if t.cols == cols]))
    steps = [((t.cols if t.rows > 1 else 0), (1 if t.cols > 1 else 0), t.cells) for t in tiles]
    cells = [function(*[cells[r * down + c * right] for down, right, cells in steps])
             for r in range(rows) for c in range(cols)]
    return Tile(rows, cols, cells, ends)


def largest(a, b):
    return math.nan if a != a or b != b else max(a, b)


def smallest(a, b):
    return math.nan if a != a or b != b else min(a, b)


def reduced(name, values):
    if name == "sum":
        return sum(values)
    if name in ("argmax", "argmin"):
        for place, value in enumerate(values):
            if value != value:
                return place
        best = (max if name == "argmax" else min)(values, default=None)
        return values.index(best) if values else 0
    if any(v != v for v in values):
        return math.nan
    return max(values, default=-math.inf) if name == "max" else min(values, default=math.inf)


def lines_of(x, axis):
    return [x.row(r) for r in range(x.rows)] if axis == 1 else [x.cells[c::x.cols] for c in range(x.cols)]


def reduce(launch, name, x, axis):
    """Over all cells of the tile, or, in what is meant, over those that the tensor has."""
    ends = x.ends[axis]
    made = []
    for line in lines_of(x, axis):
        if not launch.meant or ends is None or len(line) == 1:  # a line of one cell is that cell
            made.append(reduced(name, line))
            continue
        inside = [i for i in range(len(line)) if not ends[i]]
        value = reduced(name, [line[i] for i in inside])
        made.append(inside[value] if name.startswith("arg") and inside else value)
    launch.see(made)
    return Tile(x.rows, 1, made, (x.ends[0], None)) if axis == 1 else Tile(1, x.cols, made, (None, x.ends[1]))


def product(launch, a, b):
    """a @ b. What is meant leaves out what lies past an edge of either along the inner axis."""
    ends = [e for e in (a.ends[1], b.ends[0]) if e is not None]
    past = [k for k in range(a.cols) if any(e[k] for e in ends)]
    if any(not math.isfinite(a.cells[r * a.cols + k]) for k in past for r in range(a.rows)):
        launch.ambiguous = True  # times 0: whether that is data, is for the bounds of `a` to say
    inner = [k for k in range(a.cols) if not launch.meant or k not in past]
    made = [sum(a.cells[r * a.cols + k] * b.cells[k * b.cols + c] for k in inner)
            for r in range(a.rows) for c in range(b.cols)]
    launch.see(made)
    return Tile(a.rows, b.cols, made, (a.ends[0], b.ends[1]))


def cumsum(launch, x, axis):
    ends, lines = x.ends[axis], []
    for line in lines_of(x, axis):
        total, inside, made = 0, 0, []
        for place, value in enumerate(line):
            past = ends is not None and ends[place] and not isinstance(ends, Holes)
            total, inside = total + value, inside if past else inside + value
            made.append(inside if launch.meant and not past else total)
        launch.see(made)
        lines.append(made)
    made = Tile(x.rows, x.cols, [v for line in lines for v in line], x.ends)
    return made if axis == 1 else Tile(x.cols, x.rows, made.cells, (made.ends[1], made.ends[0])).turned()


def exchange(x, axis, bit):
    """Where an edge lies between two that change places, what was past it is data."""
    places = [i ^ (1 << bit) for i in range(x.rows if axis == 0 else x.cols)]
    made = x.part(places, range(x.cols)) if axis == 0 else x.part(range(x.rows), places)
    if made.ends[axis] != x.ends[axis] and not isinstance(made.ends[axis], Holes):
        made.ends = (None, x.ends[1]) if axis == 0 else (x.ends[0], None)
    return made


def pad(launch, x, axis, fill):
    """What lies past the edge becomes `fill`, a number or a tile."""
    ends = x.ends[axis]
    if ends is None:
        return x
    with_tile = as_tile(fill)
    down, right = with_tile.cols if with_tile.rows > 1 else 0, 1 if with_tile.cols > 1 else 0
    cells = []
    for r in range(x.rows):
        for c in range(x.cols):
            past = ends[r if axis == 0 else c]
            cells.append(with_tile.cells[r * down + c * right] if past else x.cells[r * x.cols + c])
    return Tile(x.rows, x.cols, cells, x.ends)


def carried(launch, function, without, kept, x, skipped):
    """What a loop goes on with: in what is meant, a cell that a step has no data for goes on without. It ends where no
    step had data. The variable begins as a number, so its first tile has the marks of what was never reached.
    `skipped`: the columns that the program leaves alone itself, or None."""
    if any(isinstance(e, Holes) for e in x.ends):  # data, next to another tile
        launch.ambiguous = True
    ends = []
    for axis in (0, 1):
        before, now = kept.ends[axis], x.ends[axis]
        if now is None:
            ends.append(None if before is None or all(before) else before)
        else:
            ends.append(now if before is None else [a and b for a, b in zip(before, now)])
    cells = []
    for place, (old, new) in enumerate(zip(kept.cells, x.cells)):
        c = place % x.cols
        past = x.ends[1] is not None and x.ends[1][c]
        if skipped is not None and skipped[c]:
            cells.append(old)
        else:
            cells.append(without(old) if launch.meant and past else function(old, new))
    launch.see(cells)
    return Tile(x.rows, x.cols, cells, tuple(ends))


class Memory:
    """A tensor: its cells, and who wrote and read each of them, before or after the program signaled."""

    def __init__(self, name, mode, shape, cells):
        self.name, self.mode, self.shape, self.cells = name, mode, shape, cells
        self.writers = [{} for _ in cells]  # program -> whether its last write is after its signal
        self.readers = [{} for _ in cells]

    def place(self, positions):
        """The number of a cell; None outside of the tensor."""
        found = 0
        for position, extent in zip(positions, self.shape):
            if not 0 <= position < extent:
                return None
            found = found * extent + position
        return found


class Axis:
    """What a subscript names: positions, None for those that a view does not have, and which of them lie past the edge.
    A number drops its axis."""

    def __init__(self, positions, ends=None, number=False):
        self.positions, self.ends, self.number = positions, ends, number


class Launch:
    def __init__(self, program, sizes, constants, data, meant):
        self.program, self.sizes, self.constants, self.meant = program, sizes, constants, meant
        self.vars = {}
        self.faults = {}  # kind -> tensor names
        self.ambiguous = False
        self.inexact = False
        self.memory = {}
        self.here = None
        self.signalled = False
        self.known = frozenset()  # programs that this one has waited for
        self.counters = {}  # element -> [(program, what it knew)]
        for tensor in program.tensors:
            shape = [e(self) for e in tensor.extents]
            count = math.prod(shape)
            cells = list(data.get(tensor.name, [0] * count))
            self.memory[tensor.name] = Memory(tensor.name, tensor.mode, shape, cells)

    def size(self, name):
        """A constant, an extent, or the length of the sequence that the program `b` works on."""
        if isinstance(name, int):
            return name
        if name == "length":
            return self.sequence()[1]
        return self.constants[name] if name in self.constants else self.sizes[name]

    def sequence(self):
        """Where the packed sequence begins, and its length."""
        starts, b = self.memory["start"].cells, self.vars["b"]
        return starts[b], starts[b + 1] - starts[b]

    def see(self, values):
        if any(math.isfinite(v) and abs(v) > LARGEST for v in values):
            self.inexact = True

    def fault(self, kind, name):
        self.faults.setdefault(kind, set()).add(name)

    def ordered(self, other, behind):
        """Whether what another program did comes before what this one does now."""
        return other in self.known and not behind

    def touch(self, memory, place, writes):
        if memory.mode in ("in", "accumulate"):
            return
        for other, behind in memory.writers[place].items():
            if other != self.here and not self.ordered(other, behind):
                self.fault("twice" if writes else "race", memory.name)
        if writes:
            for other, behind in memory.readers[place].items():
                if other != self.here and not self.ordered(other, behind):
                    self.fault("race", memory.name)
        (memory.writers if writes else memory.readers)[place][self.here] = self.signalled

    def slices(self, name, axes):
        memory = self.memory[name]
        ranges = [i for i, a in enumerate(axes) if not a.number]
        rows = axes[ranges[0]] if len(ranges) == 2 else Axis([None])
        cols = axes[ranges[-1]] if ranges else Axis([None])
        places = []
        for r in rows.positions:
            for c in cols.positions:
                at = [a.positions[0] for a in axes]
                if len(ranges) == 2:
                    at[ranges[0]] = r
                if ranges:
                    at[ranges[-1]] = c
                places.append(None if any(p is None for p in at) else memory.place(at))
        return memory, places, rows, cols

    def load(self, name, axes):
        memory, places, rows, cols = self.slices(name, axes)
        cells = []
        for place in places:
            if place is None:
                cells.append(0)
                continue
            self.touch(memory, place, False)
            if memory.mode == "scratch" and not memory.writers[place]:
                self.fault("unset", name)
            cells.append(memory.cells[place])
        return Tile(len(rows.positions), len(cols.positions), cells, (rows.ends, cols.ends))

    def element(self, name, positions):
        memory = self.memory[name]
        place = memory.place(positions)
        if place is None:
            self.fault("outside", name)
            return 0
        return memory.cells[place]

    def store(self, name, axes, value, adds=False):
        memory, places, rows, cols = self.slices(name, axes)
        tile = as_tile(value)
        if len(rows.positions) == 1 and tile.cols == 1:  # a column goes to one range
            tile = tile.turned()
        seen = set()
        self.see(tile.cells)
        for number, place in enumerate(places):
            if place is None:
                continue
            r, c = divmod(number, len(cols.positions))
            if tile.rows == 1:
                r = 0
            if tile.cols == 1:
                c = 0
            cell = tile.cells[r * tile.cols + c]
            if adds:
                memory.cells[place] += cell
                self.see([memory.cells[place]])
                memory.writers[place][self.here] = self.signalled
                continue
            if place in seen:
                self.fault("twice", name)
            seen.add(place)
            self.touch(memory, place, True)
            memory.cells[place] = cell

    def signal(self, element):
        self.counters.setdefault(element, []).append((self.here, self.known))
        self.signalled = True

    def wait(self, element, count):
        """Programs start in this order, and those that come later wait before they signal."""
        came = self.counters.get(element, [])
        if len(came) < count:
            self.fault("stuck", "counter")
            raise Stop
        if len(came) == count:
            for program, knew in came:
                self.known |= knew | {program}

    def run(self):
        try:
            for number, variables in enumerate(self.program.programs(self)):
                self.vars = dict(variables)
                self.here, self.signalled, self.known = number, False, frozenset()
                for statement in self.program.statements:
                    statement(self)
        except Stop:
            return self
        for memory in self.memory.values():
            if memory.mode == "out" and not all(memory.writers):
                self.fault("gap", memory.name)
        return self
