# The forms of random programs: their grids and loops, what loops carry on, and programs that wait for each other.
import math
import re

import random_cells as cells
import random_positions as positions
from random_numbers import Numbers
from random_positions import Made, Walk, joined, number, reduced
from random_programs import Extent, Program, Scope, Writer
from random_text import Node

# What a loop goes on with, and what it is where a step has no data: as if that were what changes nothing.
UPDATES = [("{s} + {e}", lambda s, e: s + e, lambda s: s), ("max({s}, {e})", cells.largest, lambda s: s),
           ("min({s}, {e})", cells.smallest, lambda s: s), ("{e}", lambda s, e: e, lambda s: s),
           ("{s} * 0.5 + {e}", lambda s, e: s * 0.5 + e, lambda s: s * 0.5)]


class Forms(Writer):
    def widths(self, rows=True, cols=True):
        """Constants, some of them of the schedule."""
        choices, program = self.choices, self.program
        # TMA moves boxes of 8 rows, and of 32 bytes a row.
        down = [4, 2, 8] if self.streams is None else [8, 4, 8, 16]
        for name, wanted, values in (("BM", rows, down), ("BN", cols, [8, 4, 16])):
            if wanted:
                first = choices.pick(values)
                program.constants[name] = [first]
                alone = self.streams is None or not any(len(v) > 1 for v in program.constants.values())
                if alone and choices.chance(20):
                    program.constants[name].append(choices.pick([v for v in values if v != first]))
                    program.tag("constant of the schedule")

    def outputs(self, scope, count):
        """What a scope stores."""
        pairs = []
        kinds = [self.map, self.map, self.conditional, self.in_place, self.by_scratch, self.parts, self.adds,
                 self.numbers, self.once,
                 self.permuted, self.transposed, self.loaded_if]
        for _ in range(count):
            pairs += self.choices.pick(kinds)(scope)
        if not any(t.mode not in ("in", "scratch") for t in self.program.tensors):
            pairs += self.map(scope)
        return pairs

    def rest(self, outer, extent, width):
        """A scope with a loop of its own along the columns."""
        walk = Walk(self.program.name("c"), extent, width, True)
        self.program.extent(extent)
        return Scope(outer, walk), walk

    # ---- what loops carry

    def row_sums(self, rows):
        """A column that every step adds to, in a variable or in a struct with a function; stored at the end."""
        choices, program = self.choices, self.program
        scope, walk = self.rest(rows, choices.pick(["N", "K"]), "BN")
        body = self.lets(scope)
        made = self.value(scope) if choices.chance(50) else scope.sample
        tensor = program.tensor("out", [program.extent(rows.extent)], start="R").name
        if choices.chance(30):
            pairs, result = self.by_struct(rows, made, body)
        else:
            name, function = program.name("s"), choices.pick(["sum", "max", "min"])
            start = {"sum": "0.0", "max": "-inf", "min": "inf"}[function]
            part = self.tiles.reduction(scope, made, 1, (function,))
            text, f, _ = UPDATES[{"sum": 0, "max": 1, "min": 2}[function]]

            def begin(launch):
                launch.vars[name] = cells.Tile(launch.size(rows.width), 1, [float(start)] * launch.size(rows.width))

            def step(launch):
                launch.vars[name] = cells.cell_by_cell(launch, f, launch.vars[name], part.value(launch))
                launch.see(launch.vars[name].cells)
            pairs = [(Node(f"var {name}: f32[{rows.width}, 1] = {start};"), begin)]
            body.append((Node(f"{name} = {text.format(s=name, e=part.text)};"), step))
            result = Made(name, lambda launch: launch.vars[name], rows.width, 1)
        program.tag("carried column")
        pairs.append(self.loop(walk, body, choices.chance(15)))
        return [*pairs, self.stored(tensor, [self.positions.plain(rows)], result)]

    def by_struct(self, rows, made, body):
        program, name = self.program, self.program.name("s")
        program.tag("struct")
        fill = self.choices.pick([False, True]) if not program.before else "pad" in program.before[2]
        inner = "pad(x, axis = 1, with = -inf)" if fill else "x"
        if not program.before:
            program.before = ["struct seen<R> { top: f32[R, 1]; total: f32[R, 1]; }",
                              "fn see(inout s: seen<R>, x: f32[R, C]) {",
                              f"    s.top = max(s.top, max({inner}, axis = 1));",
                              "    s.total = s.total + sum(x, axis = 1);", "}"]
        taken = positions.padded(made, 1, number("-inf")) if fill else made

        def begin(launch):
            size = launch.size(rows.width)
            launch.vars[f"{name}.top"] = cells.Tile(size, 1, [float("-inf")] * size)
            launch.vars[f"{name}.total"] = cells.Tile(size, 1, [0.0] * size)

        def step(launch):
            for field, value, f in (("top", reduced("max", taken, 1), cells.largest),
                                    ("total", reduced("sum", made, 1), lambda a, b: a + b)):
                launch.vars[f"{name}.{field}"] = cells.cell_by_cell(launch, f, launch.vars[f"{name}.{field}"],
                                                                    value.value(launch))
        body.append((Node(f"see(inout {name}, {made.text});"), step))
        result = joined("max", Made(f"{name}.top", lambda launch: launch.vars[f"{name}.top"], rows.width, 1),
                        Made(f"{name}.total", lambda launch: launch.vars[f"{name}.total"], rows.width, 1))
        return [(Node(f"var {name}: seen<{rows.width}> = {{ top = -inf, total = 0 }};"), begin)], result

    def kept_tile(self, rows):
        """A whole tile that a loop goes on with, reduced after it."""
        choices, program = self.choices, self.program
        scope, walk = self.rest(rows, choices.pick(["K", "N"]), "BN")
        program.require(f"{walk.extent} > 0")
        body = self.lets(scope)
        name = program.name("v")
        text, f, without = choices.pick(UPDATES)
        form = choices.pick([0, 1, 2] if text != "{e}" else [1, 2])
        made = self.value(scope, 1) if form else self.tiles.whole(scope, self.tiles.loaded(scope, True))
        start = choices.pick(["0.0", "-inf", "inf", "1.0"])
        update = text.format(s=name, e=made.text)
        inside = self.tiles.compared(self.tiles.place(scope, 1), "<", self.tiles.extent(walk.extent))
        update = [update, f"pad({update}, axis = 1, with = {name})", f"where({inside.text}, {update}, {name})"][form]

        def begin(launch):
            rows_, cols_ = launch.size(rows.width), launch.size("BN")
            launch.vars[name] = cells.Tile(rows_, cols_, [float(start)] * (rows_ * cols_), (None, [True] * cols_))

        def step(launch):
            x = self.filled(launch, made)
            past = None if form == 0 else x.ends[1] if form == 1 else [not v for v in inside.value(launch).row(0)]
            launch.vars[name] = cells.carried(launch, f, without, launch.vars[name], x, past)
        pairs = [(Node(f"var {name}: f32[{rows.width}, BN] = {start};"), begin)]
        body.append((Node(f"{name} = {update};"), step))
        pairs.append(self.loop(walk, body, choices.chance(15)))
        kept = Made(name, lambda launch: launch.vars[name], rows.width, "BN")
        program.tag("carried tile")
        tensor = program.tensor("out", [program.extent(rows.extent)], start="R").name
        function = choices.pick(["sum", "max", "min"])
        return [*pairs, self.stored(tensor, [self.positions.plain(rows)], reduced(function, kept, 1))]

    def running(self, rows):
        """Running row sums: those of the tile, and those before it."""
        choices, program = self.choices, self.program
        scope, walk = self.rest(rows, "N", "BN")
        body = self.lets(scope)
        made, name = self.value(scope, 1), program.name("s")
        taken = positions.padded(made, 1, number("0.0")) if choices.chance(50) else made

        def begin(launch):
            launch.vars[name] = cells.Tile(launch.size(rows.width), 1, [0.0] * launch.size(rows.width))

        def step(launch):
            launch.vars[name] = cells.cell_by_cell(launch, lambda a, b: a + b, launch.vars[name],
                                                   cells.reduce(launch, "sum", taken.value(launch), 1))
        def result(launch):
            sums = cells.cumsum(launch, made.value(launch), 1)
            return cells.cell_by_cell(launch, lambda a, b: a + b, launch.vars[name], sums)
        sums = Made(f"({name} + cumsum({made.text}, axis = 1))", result, made.rows, made.cols)
        tensor = self.target(scope)
        body += [self.stored(tensor, self.here(scope, 5), sums),
                 (Node(f"{name} = {name} + sum({taken.text}, axis = 1);"), step)]
        program.tag("running sums")
        return [(Node(f"var {name}: f32[{rows.width}, 1] = 0;"), begin), self.loop(walk, body, choices.chance(10))]

    # ---- forms

    def words(self, walks):
        choices, program = self.choices, self.program
        first = walks[0]
        if choices.chance(20):
            program.words.append(f"cluster({first.var} = {choices.pick([2, 4])})")
            program.tag("cluster")
        elif choices.chance(20):
            weight = f"{first.var}.start" if first.width else first.var
            program.words.append(choices.pick(["persistent", f"raster({walks[-1].var}, 2)",
                                               f"heaviest_first({weight})"]))
            program.tag("words of the grid")

    def by_tiles(self):
        self.widths()
        rows, cols = Walk("m", "M", "BM"), Walk("n", "N", "BN")
        self.program.grid = self.choices.pick([[rows, cols], [cols, rows]])
        self.words(self.program.grid)
        scope = Scope(rows, cols)
        pairs = self.lets(scope)
        return pairs + self.outputs(scope, self.choices.pick([1, 2, 3]))

    def by_rows(self):
        self.widths()
        rows = Walk("m", "M", "BM")
        self.program.grid = [rows]
        self.words([rows])
        pairs = []
        for _ in range(self.choices.pick([1, 2]) if self.streams is None else 1):
            kind = self.choices.pick([self.row_sums, self.kept_tile, self.running, None])
            if kind:
                pairs += kind(rows)
                continue
            scope, walk = self.rest(rows, "N", "BN")
            body = self.lets(scope) + self.outputs(scope, self.choices.pick([1, 2]))
            # Sometimes the first tile is left to nobody.
            pairs.append(self.loop(walk, body, self.choices.chance(15), "BN" if self.choices.chance(6) else "0"))
        return pairs

    def packed(self):
        """Sequences that lie one after the other."""
        choices, program = self.choices, self.program
        self.widths()
        program.tensor("in", [Extent("B + 1", lambda launch: launch.size("B") + 1)], "i32", "starts", "start")
        program.tensors[-1].name = "start"
        program.extent("B")
        program.extent("T")
        program.trusts += ["increasing(start)", "start[0] == 0", "start[B] == T"]
        each, cols = Walk("b", "B", None), Walk("n", "N", "BN")
        rows = Walk("i", "length", "BM", True)
        program.grid = [each, cols] if choices.chance(60) else [each]
        program.nodes.append(Node("let length = start[b + 1] - start[b];"))
        program.tag("packed sequences")
        if len(program.grid) == 1:
            scope, walk = Scope(rows, cols), cols
            walk.loop = True
            body = self.lets(scope) + self.outputs(scope, 1)
            return [self.loop(rows, [self.loop(walk, body)])]
        scope = Scope(rows, cols)
        if choices.chance(50):
            return [self.loop(rows, self.lets(scope) + self.outputs(scope, choices.pick([1, 2])))]
        # The sum of a sequence, by its rows.
        body = self.lets(scope)
        made, name, function = self.value(scope), program.name("s"), choices.pick(["sum", "max", "min"])
        start = {"sum": "0.0", "max": "-inf", "min": "inf"}[function]
        program.tag("carried row")
        part = self.tiles.reduction(scope, made, 0, (function,))
        text, f, _ = UPDATES[{"sum": 0, "max": 1, "min": 2}[function]]

        def begin(launch):
            launch.vars[name] = cells.Tile(1, launch.size("BN"), [float(start)] * launch.size("BN"))

        def step(launch):
            launch.vars[name] = cells.cell_by_cell(launch, f, launch.vars[name], part.value(launch))
        body.append((Node(f"{name} = {text.format(s=name, e=part.text)};"), step))
        tensor = program.tensor("out", [program.extent("B"), program.extent("N")], start="R").name
        result = Made(name, lambda launch: launch.vars[name], 1, "BN")
        at = ("b", lambda launch, e: cells.Axis([launch.vars["b"]], None, True))
        return [(Node(f"var {name}: f32[1, BN] = {start};"), begin), self.loop(rows, body),
                self.stored(tensor, [at, self.positions.plain(cols)], result)]

    def waiting(self):
        """Each program takes over from one before it."""
        choices, program = self.choices, self.program
        self.widths()
        for values in program.constants.values():
            del values[1:]
        rows, cols = Walk("m", "M", "BM"), Walk("n", "N", "BN")
        program.grid = choices.pick([[cols, rows], [rows, cols]])
        program.tag("counter")
        scope = Scope(rows, cols)
        pairs = self.lets(scope)
        tiles = Extent("ceil_div(M, BM)", lambda launch: -(-launch.size("M") // launch.size("BM")))
        before = program.tensor("scratch", [tiles, program.extent("N")], start="T").name
        back, back_read = choices.pick([(1, 1), (1, 1), (1, 2), (2, 2), (1, 0), (2, 1)])
        in_turn = choices.chance(30)
        row, late = program.name("s"), choices.chance(15)
        off = 1 if in_turn and choices.chance(15) else 0
        least = back_read if in_turn else max(back, back_read)

        def index(launch, walk):
            return launch.vars[walk.var] // launch.size(walk.width)

        def axes(launch, by):
            return [cells.Axis([index(launch, rows) - by], None, True),
                    self.positions.plain(cols)[1](launch, launch.size("N"))]

        def element(launch, by):
            return (index(launch, cols),) if in_turn else (index(launch, rows) - by, index(launch, cols))

        def begin(launch):
            launch.vars[row] = cells.Tile(1, launch.size("BN"), [0.0] * launch.size("BN"))

        def take(launch):
            if in_turn:
                launch.wait(element(launch, 0), index(launch, rows) - off)
            if index(launch, rows) >= least:
                if not in_turn:
                    launch.wait(element(launch, back), 1)
                launch.vars[row] = launch.load(before, axes(launch, back_read))

        def total(launch):
            own = cells.reduce(launch, "sum", scope.sample.value(launch), 0)
            return cells.cell_by_cell(launch, lambda a, b: a + b, launch.vars[row], own)
        made = Made(f"({row} + sum({scope.sample.text}, axis = 0))", total, 1, "BN")
        counter = ("done", ["ceil_div(N, BN)"] if in_turn else ["ceil_div(M, BM)", "ceil_div(N, BN)"])
        program.counters.append(counter)
        waits = f"await(done[n.index], m.index{' - 1' if off else ''});"
        if not in_turn:
            waits = f"await(done[m.index - {back}, n.index], 1);"
        signals = "signal(done[n.index]);" if in_turn else "signal(done[m.index, n.index]);"
        await_, guard = Node(waits), f"if m.index >= {least}"
        store = (Node(f"store({before}[m.index, n], {made.text});"),
                 lambda launch: launch.store(before, axes(launch, 0), made.value(launch)))
        signal = (Node(signals), lambda launch: launch.signal(element(launch, 0)))
        pairs.append((Node(f"var {row}: f32[1, BN] = 0;"), begin))
        if in_turn:
            pairs.append((await_, lambda launch: None))
        body = [Node(f"{row} = load({before}[m.index{f' - {back_read}' if back_read else ''}, n]);")]
        pairs.append((Node(guard, "", "", body if in_turn else [await_, *body]), take))
        pairs += [signal, store] if late else [store, signal]
        row_tile = Made(row, lambda launch: launch.vars[row], 1, "BN")
        tensor = self.target(scope)
        return [*pairs, self.stored(tensor, self.here(scope, 5), joined("+", scope.sample, row_tile))]

    def products(self):
        """A sum of products: its first operand is computed, and the two may end in different places."""
        choices, program = self.choices, self.program
        for name in ("BM", "BN", "BK"):
            program.constants[name] = [16]
        rows, cols, inner = Walk("m", "M", "BM"), Walk("n", "N", "BN"), Walk("k", "K", "BK", True)
        program.grid = [rows, cols]
        self.words(program.grid)
        for name in ("M", "N", "K"):
            program.extent(name)
        scope = Scope(rows, inner)
        body = self.lets(scope)
        left = self.value(scope) if choices.chance(60) else scope.sample
        if choices.chance(40):
            left = positions.padded(left, 1, number("0.0"))
        down = choices.pick(["K", "K", "K", "L"])
        source = program.input("B", [down, "N"], "bf16")
        at = self.positions.plain(inner)
        if choices.chance(20):
            at = self.positions.shifted(inner, choices.pick([1, -1, 3]))
        across, name = self.positions.plain(cols), program.name("acc")

        def begin(launch):
            size = launch.size("BM") * launch.size("BN")
            launch.vars[name] = cells.Tile(launch.size("BM"), launch.size("BN"), [0.0] * size)

        def step(launch):
            a = self.filled(launch, left)
            if any(math.isfinite(v) and (abs(v) > 128 or v * 2 % 1) for v in a.cells):
                launch.inexact = True  # in bf16
            b = launch.load(source, [at[1](launch, launch.size(down)), across[1](launch, launch.size("N"))])
            made = cells.product(launch, a, b)
            launch.vars[name] = cells.cell_by_cell(launch, lambda x, y: x + y, launch.vars[name], made)
        body.append((Node(f"{name} += mma(bf16({left.text}), load({source}[{at[0]}, n]));"), step))
        program.tag("product")
        tensor = program.tensor("out", [program.extent("M"), program.extent("N")], start="Y").name
        made = Made(name, lambda launch: launch.vars[name], "BM", "BN")
        return [(Node(f"var {name}: f32[BM, BN] = 0;"), begin), self.loop(inner, body, choices.chance(15)),
                self.stored(tensor, [self.positions.plain(rows), across], made)]

    def by_numbers(self):
        return self.choices.pick([Numbers(self).by_rows, Numbers(self).by_elements, Numbers(self).by_rows])()

    def make(self, forms=("by_tiles", "by_rows", "by_tiles", "packed", "by_rows", "waiting", "by_numbers", "products")):
        form = getattr(self, self.choices.pick(forms))
        program = self.program
        program.tag(f"form: {form.__name__}")
        if form in (self.by_rows, self.packed) and self.choices.chance(30):
            self.streams, program.has_roles = {}, True
        pairs = form()
        nodes = [n for n, _ in pairs]
        if program.has_roles:
            program.nodes += [Node(f"pipeline ring[{self.choices.pick([2, 1, 3])}]: f32[BM, BN];"),
                              Node("role producer(1 warp)", "", "", self.producing(nodes)),
                              Node(f"role consumer({self.choices.pick(['4 warps', '1 warp'])})", "", "", nodes)]
        else:
            program.nodes += nodes
        program.statements = [step for _, step in pairs]
        return program

    def producing(self, nodes):
        """The loops of the other role, with what fills an element where one is taken."""
        made = []
        for node in nodes:
            if node.text in self.streams:
                made.append(Node(self.streams[node.text]))
            elif node.body:
                inner = self.producing(node.body)
                if inner:
                    made.append(Node(node.text, "", "", inner))
        return made


class Entry:
    """Two programs in one call, the second of which reads what the first one stores."""

    kernel = "both"
    alternatives = Program.alternatives

    def __init__(self, first, second, between, read):
        self.programs, self.between, self.read = (first, second), between, read
        self.extents, self.parameters = first.extents | second.extents, first.parameters | second.parameters
        self.requires, self.trusts = first.requires + second.requires, first.trusts + second.trusts
        self.constants, self.grid = first.constants, [*first.grid, *second.grid]
        self.tensors = [t for t in (*first.tensors, *second.tensors) if t not in (between, read)]
        self.tags = first.tags | second.tags | {"entry"}

    def own(self):
        return None

    def head(self, tensor):
        """Constants of its kernel are numbers here."""
        text = tensor.head()
        for name, values in next(p for p in self.programs if tensor in p.tensors).constants.items():
            text = re.sub(rf"\b{name}\b", str(values[0]), text)
        return text

    def lines(self, wanted=()):
        first, second = self.programs
        yield from first.lines()
        yield from second.lines()
        heads = [f"{'' if t.mode == 'in' else t.mode + ' '}{self.head(t)}" for t in self.tensors if t.mode != "scratch"]
        yield f"entry both({', '.join([*wanted, *heads, *(f'{n}: i32' for n in self.parameters)])})"
        yield "{"
        for tensor in [self.between, *(t for t in self.tensors if t.mode == "scratch")]:
            yield f"    scratch {self.head(tensor)};"
        for program in self.programs:
            names = [self.between.name if t is self.read else t.name for t in program.tensors]
            yield f"    {program.kernel}({', '.join([*names, *program.parameters])});"
        yield "}"

    def shapes(self, sizes):
        return {n: s for program in self.programs for n, s in program.shapes(sizes).items()}

    def launch(self, sizes, _, data, meant):
        first, second = self.programs
        before = first.launch(sizes, first.own(), data, meant)
        handed = {self.read.name: before.memory[self.between.name].cells}
        after = second.launch(sizes, second.own(), data | handed, meant)
        del before.memory[self.between.name]
        after.memory = before.memory | after.memory
        for kind, names in before.faults.items():
            after.faults.setdefault(kind, set()).update(names)
        after.ambiguous, after.inexact = after.ambiguous or before.ambiguous, after.inexact or before.inexact
        return after


def make(choices):
    program = Forms(choices).make()
    between = [t for t in program.tensors
               if t.mode == "out" and t.dtype == "f32" and [e.text for e in t.extents] == ["M", "N"]]
    if not between or choices.chance(75) or "struct" in program.tags:
        return program
    forms = Forms(choices)
    forms.program.kernel, forms.program.count = "next", 50
    second = forms.make(("by_tiles", "by_rows"))
    read = [t for t in second.tensors if t.mode == "in" and [e.text for e in t.extents] == ["M", "N"]]
    if not read or "struct" in second.tags:
        return program
    for one in (program, second):
        for values in one.constants.values():
            del values[1:]
        one.tags.discard("constant of the schedule")
    return Entry(program, second, choices.pick(between), choices.pick(read))
