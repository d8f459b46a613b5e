# Random programs that may be right or wrong: where they read and write, what they mask and pad, and what they decide by
# is drawn freely, so that every kind of fault occurs. Each is the text of a file, and statements that a launch
# (random_cells.py) executes.
import random_cells as cells
import random_positions as positions
from random_positions import Made, Walk, ended, joined, number
from random_text import Node


class Extent:
    def __init__(self, text, value=None):
        self.text = text
        self.value = value or (lambda launch: launch.size(text))

    def __call__(self, launch):
        return self.value(launch)


class Matrix:
    """A tensor of two axes, or a view of some of its rows."""

    def __init__(self, name, extents, view=None, exact=False, begin=""):
        self.name, self.extents, self.view, self.exact = name, extents, view, exact
        self.begin = begin  # of rows that are named without the view: they go on past its end

    def axes(self, launch, rows, cols):
        """The axes of a slice. A view ends where its sequence does, and before its start lies the one before it."""
        across = cols(launch, self.extents[1](launch))
        if self.view is None:
            return self.name, [rows(launch, self.extents[0](launch)), across]
        start, length = launch.sequence()
        if self.begin:
            length = launch.size("T") - start
        down = rows(launch, length)
        if any(p is not None and p < 0 for p in down.positions):  # a view has no edge there: `pad` leaves it alone
            launch.ambiguous = True
        inside = [start + p if p is not None and p < length else None for p in down.positions]
        return self.view, [cells.Axis(inside, down.ends, down.number), across]

    def load(self, launch, rows, cols):
        return launch.load(*self.axes(launch, rows, cols))

    def store(self, launch, rows, cols, value):
        name, axes = self.axes(launch, rows, cols)
        launch.store(name, axes, value)


class Tensor:
    def __init__(self, name, mode, dtype, extents, fill):
        self.name, self.mode, self.dtype, self.extents, self.fill = name, mode, dtype, extents, fill

    def head(self):
        return f"{self.name}: {self.dtype}[{', '.join(e.text for e in self.extents)}]"


class Scope:
    """Rows and columns that tiles have here, and their names."""

    def __init__(self, rows, cols, sample=None, named=(), numbers=(), kept=()):
        self.rows, self.cols, self.sample = rows, cols, sample
        self.named, self.numbers, self.kept = list(named), list(numbers), list(kept)

    def readable(self):
        return [m for m in self.kept if m.exact]


class Program:
    kernel = "k"

    def __init__(self, choices):
        self.choices = choices
        self.constants, self.tensors, self.parameters = {}, [], {}
        self.requires, self.trusts, self.grid, self.words = [], [], [], []
        self.before, self.nodes, self.statements = [], [], []  # before: functions and structs
        self.counters, self.tags, self.count = [], set(), 0
        self.has_roles = False
        self.extents = {}

    def tag(self, text):
        self.tags.add(text)

    def require(self, text):
        if text not in self.requires:
            self.requires.append(text)

    def parameter(self, name, values):
        self.parameters[name] = values

    def name(self, start):
        self.count += 1
        return f"{start}{self.count}"

    def extent(self, name):
        self.extents.setdefault(name, None)
        return Extent(name)

    def tensor(self, mode, extents, dtype="f32", fill="ints", start="X"):
        made = Tensor(self.name(start), mode, dtype, extents, fill)
        self.tensors.append(made)
        return made

    def input(self, start, extents, dtype="f32", fill="ints"):
        """One that others may have asked for, too."""
        wanted = [self.extent(e) if isinstance(e, str) else e for e in extents]
        same = [t for t in self.tensors if t.mode == "in" and t.name.startswith(start) and t.dtype == dtype
                and [e.text for e in t.extents] == [e.text for e in wanted]]
        if same and not self.choices.chance(20):
            return same[0].name
        return self.tensor("in", wanted, dtype, fill, start).name

    def matrix(self, scope, choices):
        """To read: over the rows and columns of the scope; sometimes shorter or longer ones."""
        if scope.rows.extent == "length":
            name = self.input("X", ["T", scope.cols.extent])
            if scope.sample is not None and choices.chance(15):
                self.tag("rows past a sequence")
                return Matrix(name, [Extent("length"), self.extent(scope.cols.extent)], name, False, "start[b] + ")
            return self.packed(name, scope)
        if scope.sample is not None and choices.chance(8):
            self.tag("tensors of other extents")
            down, across = choices.pick([(scope.rows.extent, "L"), ("L", scope.cols.extent)])
            return Matrix(self.input("X", [down, across]), [self.extent(down), self.extent(across)])
        return Matrix(self.input("X", [scope.rows.extent, scope.cols.extent]),
                      [self.extent(scope.rows.extent), self.extent(scope.cols.extent)])

    def packed(self, tensor, scope):
        """The rows of one sequence."""
        name = f"{tensor}b"
        if name not in [n.text.split()[1] for n in self.nodes if n.text.startswith("let ")]:
            self.nodes.insert(1, Node(f"let {name} = {tensor}[start[b] +: length];"))
        return Matrix(name, [Extent("length"), self.extent(scope.cols.extent)],
                      tensor)

    def programs(self, launch):
        """The variables of every program, in the order in which they start."""
        made = [{}]
        for walk in reversed(self.grid):
            end = launch.size(walk.extent)
            step = launch.size(walk.width) if walk.width else 1
            made = [{**rest, walk.var: at} for rest in made for at in range(0, end, step)]
        return made

    @staticmethod
    def head(tensor):
        return tensor.head()

    def heads(self):
        return [f"{'' if t.mode == 'in' else t.mode + ' '}{t.head()}" for t in self.tensors] + \
            [f"{name}: i32" for name in self.parameters]

    def lines(self, wanted=()):
        """The file, with further parameters of the kernel."""
        heads = [*wanted, *self.heads(), *(f"counter {name}[{', '.join(sizes)}]" for name, sizes in self.counters)]
        constants = ", ".join(f"{'schedule ' if len(v) > 1 else ''}{n}: int = {v[0]}"
                              for n, v in self.constants.items())
        yield from self.before
        yield f"kernel {self.kernel}<{constants}>({', '.join(heads)})"
        if self.requires:
            yield "requires " + ", ".join(self.requires)
        if self.trusts:
            yield "trusts " + ", ".join(self.trusts)
        yield "{"
        walks = ", ".join(f"{w.var} in {w.extent}" + (f" by {w.width}" if w.width else "") for w in self.grid)
        width = "" if self.has_roles else " warps(1)"
        yield f"    grid ({walks}){width}{''.join(' ' + w for w in self.words)};"
        for node in self.nodes:
            yield from node.lines(1)
        yield "}"
        if self.alternatives():
            other = ", ".join(f"{n} = {v[1]}" for n, v in self.constants.items() if len(v) > 1)
            yield f"instance {self.kernel}<{other}> as other;"

    def launch(self, sizes, constants, data, meant):
        return cells.Launch(self, sizes, constants, data, meant).run()

    def shapes(self, sizes):
        """The extents of each tensor."""
        launch = cells.Launch(self, sizes, self.own(), {}, False)
        return {name: memory.shape for name, memory in launch.memory.items()}

    def alternatives(self):
        """The constants of the instance, if there is one."""
        others = {n: v[-1] for n, v in self.constants.items()}
        return [others] if any(len(v) > 1 for v in self.constants.values()) else []

    def own(self):
        return {n: v[0] for n, v in self.constants.items()}


def tiles_of(walk):
    """How many tiles the range has."""
    return Extent(f"ceil_div({walk.extent}, {walk.width})",
                  lambda launch: -(-launch.size(walk.extent) // launch.size(walk.width)))


class Writer:
    """Makes the statements of a program."""

    def __init__(self, choices):
        self.choices = choices
        self.program = Program(choices)
        self.positions = positions.Positions(choices, self.program)
        self.tiles = positions.Tiles(choices, self.program, self.positions)
        self.streams = None  # of a kernel with roles: what takes an element, and what makes it

    # ---- statements: (node, what a launch does)

    def let(self, scope, made, start="x", word="let"):
        name = self.program.name(start)

        def run(launch):
            launch.vars[name] = self.filled(launch, made)
        named = Made(name, lambda launch: launch.vars[name], made.rows, made.cols)
        return named, (Node(f"{word} {name} = {made.text};"), run)

    @staticmethod
    def filled(launch, made):
        value = cells.as_tile(made.value(launch))
        rows, cols = launch.size(made.rows), launch.size(made.cols)
        if (value.rows, value.cols) == (rows, cols):
            return value
        blank = cells.Tile(rows, cols, [0] * (rows * cols))
        return cells.cell_by_cell(launch, lambda a, b: a, value, blank)

    def sample(self, scope):
        """A tile that places and masks use."""
        program = self.program
        matrix = program.matrix(scope, self.choices)
        rows, cols = self.positions.plain(scope.rows), self.positions.plain(scope.cols)
        word = "load"
        if self.streams is not None:  # by another role, and a pipeline
            boxes = program.kernel == "k" and all(v % 8 == 0 for values in program.constants.values() for v in values)
            word = self.choices.pick(["load", "tma_load", "load"] if boxes else ["load"])
        slice_ = f"{word}({matrix.name}[{rows[0]}, {cols[0]}])"
        made = Made(slice_ if self.streams is None else "consume ring",
                    lambda launch: matrix.load(launch, rows[1], cols[1]), scope.rows.width, scope.cols.width)
        named, pair = self.let(scope, made)
        if self.streams is not None:
            self.streams[pair[0].text] = f"produce ring = {slice_};"
            program.tag(f"pipeline by {word}")
        scope.sample = named
        scope.named.append(named)
        return [pair]

    def lets(self, scope):
        pairs = self.sample(scope)
        for _ in range(self.choices.pick([0, 1, 2])):
            made = self.tiles.whole(scope, self.tiles.tile(scope, self.choices.pick([1, 2, 3])))
            named, pair = self.let(scope, made)
            scope.named.append(named)
            pairs.append(pair)
        return pairs

    def value(self, scope, depth=None):
        if depth is None:
            depth = self.choices.pick([1, 2, 0, 3])
        return self.tiles.whole(scope, self.tiles.tile(scope, depth))

    def block(self, header, pairs, run, others=()):
        nodes = [n for n, _ in pairs]
        made = Node(header, "", "", nodes, [n for n, _ in others] or None)
        return made, run

    def condition(self, scope):
        """The same for the whole program. What cells decide may follow from padding."""
        choices, program = self.choices, self.program
        walk = choices.pick([w for w in program.grid])
        kind = choices.pick(["parity", "start", "parameter", "inside", "element", "cell"])
        program.tag(f"condition: {kind}")
        if kind == "cell" and scope.sample is not None:
            x = self.tiles.whole(scope, self.tiles.tile(scope, 1))
            top = positions.reduced("max", positions.reduced("max", x, 1), 0)
            k = choices.pick(["0", "1", "-1"])
            return (f"scalar(where({top.text} > {k}.0, 1, 0)) != 0",
                    lambda launch: cells.as_tile(top.value(launch)).cells[0] > int(k))
        if kind == "parameter":
            program.parameter("q", [1, 0, 2])
            return choices.pick([("q > 0", lambda launch: launch.sizes["q"] > 0),
                                 ("q != 1", lambda launch: launch.sizes["q"] != 1)])
        if kind == "element":
            name = program.input("F", [walk.extent], "i32", "bits")
            by = choices.pick([0, 0, 1, -1])
            text = f"{walk.var}.start" if walk.width else walk.var
            shifted = text if by == 0 else f"{text} {'+' if by > 0 else '-'} {abs(by)}"
            return f"{name}[{shifted}] > 0", lambda launch: launch.element(name, [launch.vars[walk.var] + by]) > 0
        if not walk.width:
            return f"{walk.var} > 0", lambda launch: launch.vars[walk.var] > 0
        width = walk.width
        if kind == "parity":
            return f"{walk.var}.index % 2 == 0", lambda launch: launch.vars[walk.var] // launch.size(width) % 2 == 0
        if kind == "inside":
            return (f"{walk.var}.end <= {walk.extent}",
                    lambda launch: launch.vars[walk.var] + launch.size(width) <= launch.size(walk.extent))
        return f"{walk.var}.start >= {width}", lambda launch: launch.vars[walk.var] >= launch.size(width)

    def guarded(self, scope, pairs, others=()):
        text, f = self.condition(scope)

        def run(launch):
            for _, step in (pairs if f(launch) else others):
                step(launch)
        return self.block(f"if {text}", pairs, run, others)

    def loop(self, walk, pairs, down=False, begin="0"):
        low = (lambda launch: 0) if begin == "0" else (lambda launch: launch.size(walk.width))
        span = walk.extent if begin == "0" else f"{walk.width}..{walk.extent}"
        header = f"for {walk.var} in {'reversed ' if down else ''}{span}"

        def run(launch):
            end = launch.size(walk.extent)
            steps = range(low(launch), end, launch.size(walk.width))
            for at in reversed(steps) if down else steps:
                launch.vars[walk.var] = at
                for _, step in pairs:
                    step(launch)
        return self.block(f"{header} by {walk.width}", pairs, run)

    # ---- what is stored

    def stored(self, name, axes, made, word="store"):
        """axes: (text, function of the launch and the extent) for every axis of the tensor."""
        texts = ", ".join(text for text, _ in axes)
        tensor = next(t for t in self.program.tensors if t.name == name)

        def run(launch):
            at = [f(launch, e(launch)) for (_, f), e in zip(axes, tensor.extents)]
            launch.store(name, at, made.value(launch), word == "reduce_add")
        return Node(f"{word}({name}[{texts}], {made.text});"), run

    def target(self, scope, mode="out", wide=False):
        """A tensor over the rows and columns of the scope, and where in it the tile belongs."""
        program = self.program
        rows, cols = program.extent(scope.rows.extent), program.extent(scope.cols.extent)
        if wide:
            name, more = cols.text, self.choices.pick([1, 3])
            cols = Extent(f"{name} + {more}", lambda launch: launch.size(name) + more)
        return program.tensor(mode, [rows, cols], start={"out": "Y", "inout": "Z", "scratch": "T"}[mode]).name

    def here(self, scope, slip=12):
        """Subscripts of the tile; sometimes slightly wrong ones."""
        axes = [self.positions.plain(scope.rows), self.positions.plain(scope.cols)]
        if self.choices.chance(slip):
            which = self.choices.pick([0, 1])
            walk = (scope.rows, scope.cols)[which]
            axes[which] = self.positions.near(walk, walk.extent)
        return axes

    def view_store(self, scope, made):
        """Of a packed tensor: by the view, or past the end of the sequence."""
        choices, program = self.choices, self.program
        tensor = program.tensor("out", [program.extent("T"), program.extent(scope.cols.extent)], start="Y")
        for fact in (f"covers({tensor.name})", f"disjoint({tensor.name})"):
            if choices.chance(85):
                program.trusts.append(fact)
        cols = self.positions.plain(scope.cols)
        if choices.chance(85):
            view = program.packed(tensor.name, scope)
            rows = self.positions.plain(scope.rows)
            return [(Node(f"store({view.name}[{rows[0]}, {cols[0]}], {made.text});"),
                     lambda launch: view.store(launch, rows[1], cols[1], made.value(launch)))]
        walk = scope.rows
        program.tag("store past a sequence")
        rows = (f"start[b] + {walk.var}.start +: {walk.width}",
                lambda launch, e: ended([launch.sequence()[0] + p for p in walk.places(launch)], e))
        return [self.stored(tensor.name, [rows, cols], made)]

    def map(self, scope):
        if scope.rows.extent == "length":
            return self.view_store(scope, self.value(scope))
        if self.choices.chance(4):
            tensor = self.target(scope, wide=True)
            self.program.tag("longer target")
        else:
            tensor = self.target(scope)
        return [self.stored(tensor, self.here(scope), self.value(scope))]

    def conditional(self, scope):
        """One way or the other; sometimes only one."""
        if scope.rows.extent == "length":
            return self.map(scope)
        mode = self.choices.pick(["out", "inout"])
        tensor = self.target(scope, mode)
        self.program.tag("store under a condition")
        yes = [self.stored(tensor, self.here(scope, 5), self.value(scope, 1))]
        no = [self.stored(tensor, self.here(scope, 5), self.value(scope, 1))] if self.choices.chance(70) else []
        return [self.guarded(scope, yes, no)]

    def loaded_if(self, scope):
        """A tile that a condition gives another value."""
        name = self.program.name("y")
        first, second = self.value(scope, 1), self.value(scope, 2)
        extents = f"f32[{scope.rows.width}, {scope.cols.width}]"
        self.program.tag("value under a condition")

        def begin(launch):
            launch.vars[name] = self.filled(launch, first)
            # Whichever value it has in this program, `pad` sees the ends of both.
            launch.ambiguous |= launch.vars[name].ends != self.filled(launch, second).ends

        def change(launch):
            launch.vars[name] = self.filled(launch, second)
        pairs = [(Node(f"var {name}: {extents} = {first.text};"), begin),
                 self.guarded(scope, [(Node(f"{name} = {second.text};"), change)])]
        scope.named.append(Made(name, lambda launch: launch.vars[name], scope.rows.width, scope.cols.width))
        return pairs

    def in_place(self, scope):
        if scope.rows.extent == "length":
            return self.map(scope)
        tensor = self.target(scope, "inout")
        self.program.tag("inout")
        axes = self.here(scope)
        old = self.loaded(scope, tensor, axes)
        made = joined(self.choices.pick(["+", "max", "-"]), old, self.value(scope, 1))
        return [self.stored(tensor, self.here(scope, 8), self.tiles.whole(scope, made))]

    def loaded(self, scope, name, axes):
        extents = next(t for t in self.program.tensors if t.name == name).extents

        def value(launch):
            return launch.load(name, [f(launch, e(launch)) for (_, f), e in zip(axes, extents)])
        return Made(f"load({name}[{', '.join(t for t, _ in axes)}])", value, scope.rows.width, scope.cols.width)

    def by_scratch(self, scope):
        """Stored, and read again, now and then elsewhere or before."""
        if scope.rows.extent == "length":
            return self.map(scope)
        tensor = self.target(scope, "scratch")
        self.program.tag("scratch")
        pairs = [self.stored(tensor, self.here(scope, 8), self.value(scope, 1))]
        if self.choices.chance(15):
            pairs = [self.guarded(scope, pairs)]
        axes = self.here(scope)
        named, pair = self.let(scope, self.loaded(scope, tensor, axes))
        scope.named.append(named)
        pairs = [*pairs, pair] if not self.choices.chance(6) else [pair, *pairs]
        return [*pairs, self.stored(self.target(scope), self.here(scope, 0), named)]

    def parts(self, scope):
        """A reduction of each tile."""
        if scope.rows.extent == "length" or scope.cols not in self.program.grid:
            return self.map(scope)
        program, cols = self.program, scope.cols
        extents = [program.extent(scope.rows.extent), tiles_of(cols)]
        tensor = program.tensor("out", extents, start="P")
        made = self.tiles.reduction(scope, self.value(scope), 1)
        if made.text.startswith("f32(arg"):
            made = Made(made.text[4:-1], made.value, made.rows, made.cols)
            tensor.dtype = "i32"
        axes = [self.positions.plain(scope.rows), self.positions.plain(cols, True)]
        return [self.stored(tensor.name, axes, made)]

    def once(self, scope):
        """A vector that one of the programs stores, or each does."""
        program = self.program
        if len(program.grid) < 2 or scope.rows.loop or scope.cols.loop:
            return self.map(scope)
        walk, other = self.choices.pick([(scope.cols, scope.rows), (scope.rows, scope.cols)])
        source = program.input("V", [walk.extent])
        tensor = program.tensor("out", [program.extent(walk.extent)], start="R").name
        here = self.positions.plain(walk)
        made = Made(f"(load({source}[{walk.var}]) + 1.0)", lambda launch: cells.cell_by_cell(
            launch, lambda v: v + 1, launch.load(source, [here[1](launch, launch.size(walk.extent))])), 1, walk.width)
        store = self.stored(tensor, [here], made)
        program.tag("store that one axis does not move")
        text, least = self.choices.pick([("index == 0", 0), ("start < 1", 0), ("index == 0", 0), ("index == 1", 1),
                                         ("", None)])
        if least is None:
            return [store]

        def run(launch):
            if launch.vars[other.var] // launch.size(other.width) == least:
                store[1](launch)
        return [self.block(f"if {other.var}.{text}", [store], run)]

    def numbers(self, scope):
        """One number of each tile, to an element."""
        walks = [w for w in self.program.grid if w.width]
        if len(walks) != len(self.program.grid) or scope.rows.loop or scope.cols.loop:
            return self.map(scope)
        program = self.program
        tensor = program.tensor("out", [tiles_of(w) for w in walks], start="G").name
        name = self.choices.pick(["sum", "max", "min"])
        inner = self.tiles.reduction(scope, self.value(scope), 1, (name,))
        neutral = number({"sum": "0.0", "max": "-inf", "min": "inf"}[name])
        if self.choices.chance(70):
            inner = positions.padded(inner, 0, neutral)
        made = positions.reduced(name, inner, 0)
        program.tag("scalar")
        one = Made(f"scalar({made.text})", lambda launch: cells.as_tile(made.value(launch)).cells[0])
        return [self.stored(tensor, [self.positions.plain(w, True) for w in walks], one)]

    def adds(self, scope):
        """Sums over programs."""
        program, axis = self.program, self.choices.pick([0, 1])
        walk = scope.cols if axis == 0 else scope.rows
        if walk.extent == "length":
            axis, walk = 0, scope.cols
        tensor = program.tensor("accumulate", [program.extent(walk.extent)], start="A").name
        made = self.tiles.reduction(scope, self.value(scope), axis, ("sum", "sum", "max"))
        program.tag("reduce_add")
        where = self.positions.plain(walk) if not self.choices.chance(10) else self.positions.shifted(walk, 1)
        return [self.stored(tensor, [where], made, "reduce_add")]

    def permuted(self, scope):
        """Rows stored to positions that are computed."""
        if scope.rows.extent == "length":
            return self.map(scope)
        tensor = self.target(scope)
        rows = self.positions.listed(scope.rows, scope.rows.extent) if self.choices.chance(80) else \
            self.positions.from_memory(scope.rows)
        self.program.tag("store to a list")
        return [self.stored(tensor, [rows, self.positions.plain(scope.cols)], self.value(scope, 1))]

    def transposed(self, scope):
        if scope.rows.extent == "length":
            return self.map(scope)
        program = self.program
        extents = [program.extent(scope.cols.extent), program.extent(scope.rows.extent)]
        tensor = program.tensor("out", extents, start="Y").name
        made = self.value(scope, 1)
        turned = Made(f"({made.text}).T", lambda launch: made.value(launch).turned(), made.cols, made.rows)
        program.tag("transposed store")
        rows, cols = self.here(scope)
        return [self.stored(tensor, [cols, rows], turned)]
