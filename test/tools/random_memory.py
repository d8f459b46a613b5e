# Programs that come back to memory of their own: in-place updates, scratch that is written and read, sums along rows
# that are stored and loaded as columns, stores to one place again and again, slices that overlap, elements of pipelines
# that are loaded from what was stored. The reference does the same in the order of the text.
import random_expressions as ex
from random_builder import Builder
from random_text import Bare, Node, Role
from random_windows import Loop, Place, Scope, Window, Windows

MOST = 32  # of the numbers in memory that is written, so that no loop makes them grow
FINEST = 2  # they are multiples of 2^-2
DTYPES = ["f32", "f32", "bf16", "i32", "f16", "i8", "u8"]
FRAGMENTS = ["f32", "f32", "bf16", "i32", "f16"]  # what warpgroups hold in registers by name


def wide(dtype):
    """What the reference declares for it: reals are exact by their bounds, and integers stay whole."""
    return "f64" if dtype in ex.DIGITS else dtype


class Memory(Windows):
    def __init__(self, choices):
        self.choices = choices
        self.b = b = Builder(choices)
        self.form = choices.pick(["bare", "bare", "warps", "warpgroups"])
        self.tiled = choices.chance(30)
        if self.form == "warpgroups":
            self.width = choices.pick([1, 2])
            self.rows = 64 * self.width
            self.cols = choices.pick([64, 32, 96, 40, 128, 16])
            threads = 128 * self.width
        else:
            self.width = choices.pick([4, 1, 2, 8])
            self.rows = choices.pick([8, 4, 16, 1, 2, 3, 32, 64])
            self.cols = choices.pick([64, 32, 96, 40, 128, 20, 33, 256])
            threads = 32 * self.width
        self.cols = min(self.cols, max(8, 32 * threads // self.rows))
        self.row_text = b.constant("BM", self.rows)
        b.plan.tiles["M"] = self.rows
        axes = [("m", "M", self.row_text)]
        self.col_axis = self.cols
        if self.tiled:
            axes.append(("n", "N", b.constant("BN", self.cols)))
            b.plan.tiles["N"] = self.cols
            self.col_axis = "N"
        b.set_batch()
        b.set_grid(axes, cluster=False)
        if choices.chance(40):
            b.add_scalars(("f32", "i32"))
        self.by_program = self.tiled or choices.chance(50)
        b.plan.products.append(["M", self.col_axis, *[e for _, e in b.batch], 400])
        self.places = []
        self.inputs = []
        self.clean = set()  # names of values without padding along the columns
        self.statements = 0
        self.handed = None  # the pipeline to another role

    def subscripts(self, place, rows, cols):
        code, meaning = {"M": rows.code}, {"M": rows.meaning}
        if not place.vector:
            code[self.col_axis], meaning[self.col_axis] = cols.code, cols.meaning
        return self.b.slice(place.tensor, code), self.b.matrix(place.tensor, meaning).text

    # ---- what

    def place(self, mode, vector=False):
        choices, b = self.choices, self.b
        dtype = choices.pick(["f32", "i32"]) if vector else choices.pick_type(FRAGMENTS if self.form == "warpgroups" else DTYPES)
        tensor = b.tensor(dtype, "M", None if vector else self.col_axis, mode=mode)
        made = Place(tensor, vector, (0, 1 << 30) if mode != "scratch" else (0, 0))
        (self.inputs if mode == "in" else self.places).append(made)
        return made

    def readable(self, vector=False):
        return [p for p in self.inputs + self.places + self.places
                if p.vector == vector and p.tensor.mode != "out" and p.ready[1] > 0]

    def loaded(self, scope, rows, size=None, place=None, cols=None):
        """A load, as an expression."""
        candidates = self.readable() if place is None else [place]
        if place is None and not candidates:
            candidates = [self.place("in")]
        place = place or self.choices.pick(candidates)
        for _ in range(4):
            window = cols or self.col_window(scope, size)
            if window.low >= place.ready[0] and min(window.high, self.cols) <= place.ready[1]:
                break
        else:
            place = next(p for p in self.inputs)
        code, meaning = self.subscripts(place, rows, window)
        bound = self.b.bound_of(place.tensor) if place.tensor.mode == "in" else MOST
        bits = 0 if place.tensor.mode == "in" else FINEST if place.tensor.dtype in ex.DIGITS else 0
        texts = ex.Text(f"load({code})"), ex.Text(meaning)
        value = ex.Value(*texts, place.tensor.dtype, bound, bits, rows.size, window.size)
        return value, window.inside

    def column(self, rows):
        """A column that comes from a vector."""
        vectors = self.readable(vector=True)
        if not vectors:
            return None
        place = self.choices.pick(vectors)
        code, meaning = self.subscripts(place, rows, None)
        texts = ex.Text(f"column(load({code}))"), ex.Text(f"column({meaning})")
        return ex.Value(*texts, place.tensor.dtype, MOST, FINEST if place.tensor.dtype == "f32" else 0, rows.size, 1)

    def settled(self, made, dtype):
        """The value in the type and within the bounds of memory."""
        if made.bits > FINEST or not made.exact:
            made = ex.cast("i32", ex.clamped(made, MOST)) or made
        if made.dtype != dtype:
            made = ex.clamped(made, MOST)
            made = ex.cast(dtype, made) or ex.cast(dtype, ex.cast("f32", made))
        return ex.clamped(made, MOST)

    def leaves(self, scope, value, rows):
        found = [v for v in scope.values if v.rows in (1, value.rows) and v.cols in (1, value.cols)]
        if self.choices.chance(40):
            found.append(self.loaded(scope, rows, value.cols)[0])
        column = self.column(rows) if self.choices.chance(40) else None
        if column is not None:
            found.append(column)
        if value.name:
            index = ex.call("col_index", ex.Text(value.name))
            found.append(ex.Value(index, index, "i32", 256, 0, value.rows, value.cols))
        for loop in scope.loops:
            text = ex.Text(f"{loop.var}.start" if loop.width else loop.var)
            found.append(ex.Value(text, text, "i32", 256, 0, scalar=True))
        return found

    def expression(self, scope, value, rows, dtype):
        made = self.b.grow(value, self.leaves(scope, value, rows), dtype, self.choices.number(0, 3))
        if (made.rows, made.cols) != (value.rows, value.cols):
            made = value
        return self.settled(made, dtype)

    def named(self, scope, value, clean):
        name = self.b.name("x")
        text = ex.Text(name)
        made = ex.replace(value, code=text, meaning=text, name=name)
        scope.values.append(made)
        if clean:
            self.clean.add(name)
        return made, (Node(f"let {name} = {value.code.text};"), Node(f"let {name} = {value.meaning.text};"))

    # ---- statements: pairs of nodes, of the kernel and of the reference

    def let(self, scope):
        value, clean = self.loaded(scope, self.row_window())
        return [self.named(scope, value, clean)[1]]

    def operand(self, scope, rows, cols):
        """Something to store there: a value in scope, or loaded where it is used."""
        fitting = [v for v in scope.values if (v.rows, v.cols) == (rows.size, cols.size)]
        if fitting and self.choices.chance(50):
            return self.choices.pick(fitting)
        return self.loaded(scope, rows, cols.size)[0]

    def store(self, scope, place=None, rows=None, cols=None, value=None):
        if place is None:
            mode = self.choices.pick(["inout", "inout", "scratch", "out"])
            there = [p for p in self.places if p.tensor.mode == mode and not p.vector]
            if not there or len(self.places) < 4 and self.choices.chance(25):
                place = self.place(mode)
                if mode == "scratch":
                    return self.initialise(scope, place)
            else:
                place = self.choices.pick(there)
        rows = rows or self.row_window()
        cols = cols or self.col_window(scope)
        if value is None:
            own = place.tensor.mode in ("inout", "scratch") and self.choices.chance(60)
            there = cols if self.choices.chance(60) else None
            start = self.loaded(scope, rows, cols.size, place, there)[0] if own else None
            if start is None or (start.rows, start.cols) != (rows.size, cols.size):
                start = self.operand(scope, rows, cols)
            value = self.expression(scope, start, rows, place.tensor.dtype)
        return [self.stored(place, rows, cols, value)]

    def stored(self, place, rows, cols, value):
        code, meaning = self.subscripts(place, rows, cols)
        word = "store"
        bulk = self.form == "warpgroups" and not place.vector
        if bulk and self.b.can_be_tma(place.tensor, rows.size, cols.size) and self.b.wants_tma(place.tensor):
            word = "tma_store"
        place.stored = True
        self.b.kernel.tags.add(f"{word} {place.tensor.mode}")
        return (Node(f"{word}({code}, {value.code.text});", "store", place.tensor.name),
                Node(f"{meaning} = {value.meaning.text};"))

    def initialise(self, scope, place):
        """The first stores to scratch: all of it, in one of several ways, or a part."""
        if scope.depth > 0:
            how = "whole"
        else:
            how = self.choices.pick(["whole", "chunks", "halves", "backwards", "part"])
        self.b.kernel.tags.add("scratch " + how)
        whole = self.row_window(whole=True)
        if how in ("chunks", "backwards"):
            loop, header = self.chunks()
            if how == "backwards":
                header = header.replace(" in ", " in reversed ")
            cols = (Window(loop.var, f"{loop.var}.start +: {loop.width}", loop.width) if not self.tiled else
                    self.part(f"{loop.var}.start", 0, loop.width, 0, self.cols))
            inner = scope.inner(loop)
            value = self.expression(inner, self.fresh(inner, whole, cols.size), whole, place.tensor.dtype)
            body = self.store(inner, place, whole, cols, value)
            place.ready = (0, 1 << 30)
            return [self.block(header, header, body)]
        if how == "halves":
            half = self.half()
            made = [self.part("", 0, half, 0, half), self.part("", half, self.cols - half, half, self.cols)]
        elif how == "part" and self.cols >= 16:
            made = [self.part("", 0, self.half(), 0, self.half())]
        else:
            made = [self.whole_cols()]
        nodes = []
        for cols in made:
            value = self.expression(scope, self.fresh(scope, whole, cols.size), whole, place.tensor.dtype)
            nodes += self.store(scope, place, whole, cols, value)
        # Under a loop or a condition, this is known further on only inside of it.
        place.ready = (0, 1 << 30) if how != "part" or self.cols < 16 else (0, self.half())
        if scope.depth > 0:
            self.closing[-1].append(place)
        return nodes

    def fresh(self, scope, rows, size):
        return self.loaded(scope, rows, size)[0]

    def chunks(self):
        widths = [w for w in (32, 16, 64, 24, 8, self.cols // 2)
                  if 0 < w <= self.cols and not self.unfit(w) and (not self.tiled or self.cols % w == 0) and -(-self.cols // w) <= 8]
        width = self.choices.pick(widths or [self.cols])
        loop = Loop(self.b.name("c"), width, -(-self.cols // width))
        return loop, f"for {loop.var} in {self.choices.pick(['0..', ''])}{self.cols} by {width}"

    def block(self, header, meant, pairs, others=()):
        code, meaning = [c for c, _ in pairs], [m for _, m in pairs]
        kind = "loop" if header.startswith("for") else "if"
        made = Node(header, kind, "m", code), Node(meant, "", "", meaning)
        if others:
            made[0].otherwise, made[1].otherwise = [c for c, _ in others], [m for _, m in others]
        return made

    def loop(self, scope):
        if self.choices.chance(60):
            loop, header = self.chunks()
            if self.choices.chance(25):
                header = header.replace(" in ", " in reversed ")
        else:
            loop = Loop(self.b.name("t"), 0, 4)
            count = self.choices.pick(["3", "2", "times"])
            if count == "times":
                self.parameter("times", [2, 0, 1, 4])
            header = f"for {loop.var} in {count}"
        return [self.block(header, header, self.body(scope.inner(loop)))]

    def parameter(self, name, values):
        if name not in self.b.plan.parameters:
            self.b.plan.parameters[name] = values
            self.b.kernel.parameters.append(f"{name}: i32")
            self.b.kernel.reads.append(name)

    def condition(self, scope):
        conditions = ["mode > 0", "mode != 1"]
        if self.by_program:
            conditions += ["m.index % 2 == 0", f"m.start >= {self.rows}"]
        for loop in scope.loops:
            conditions.append(f"{loop.var}.start >= {loop.width}" if loop.width else f"{loop.var} != 1")
        made = self.choices.pick(conditions)
        if "mode" in made:
            self.parameter("mode", [1, 0, 2])
        return f"if {made}"

    def branch(self, scope):
        header = self.condition(scope)
        yes = self.body(scope.inner())
        no = self.body(scope.inner()) if self.choices.chance(40) else []
        return [self.block(header, header, yes, no)]

    def reduce(self, scope):
        clean = [v for v in scope.values if v.name in self.clean and v.cols > 1 and v.bound * v.cols < 2**20]
        if self.tiled or not clean:
            return self.let(scope)
        value = self.choices.pick(clean)
        if value.dtype not in ("f32", "i32"):
            value = ex.cast(self.choices.pick(["f32", "i32"]) if not value.bits else "f32", value)
            if value is None:
                return self.let(scope)
        name = self.choices.pick(["sum", "max", "min"])
        bound = value.bound * (value.cols if name == "sum" else 1)
        texts = [ex.Text(f"{name}({t.text}, axis = 1)") for t in (value.code, value.meaning)]
        made = ex.Value(*texts, value.dtype, bound, value.bits, value.rows, 1)
        self.b.kernel.tags.add("reduction " + name)
        column, pair = self.named(scope, made, False)
        pairs = [pair]
        if made.rows == self.rows and self.choices.chance(70):
            vectors = [p for p in self.places if p.vector]
            place = (self.choices.pick(vectors) if vectors and self.choices.chance(60) else
                     self.place(self.choices.pick(["inout", "scratch", "inout"]), True))
            value = self.settled(column, place.tensor.dtype)
            pairs.append(self.stored(place, self.row_window(whole=True), None, value))
            if place.tensor.mode == "scratch" and place.ready[1] == 0:
                place.ready = (0, 1 << 30)
                if scope.depth > 0:
                    self.closing[-1].append(place)
        return pairs

    def carry(self, scope):
        """A variable that gathers what a loop reads, next to what it stores."""
        rows = self.row_window()
        loop, header = self.chunks()
        name = self.b.name("y")
        text = ex.Text(name)
        dtype = self.choices.pick(["f32", "i32"])
        value = ex.Value(text, text, dtype, MOST, FINEST if dtype == "f32" else 0, rows.size, loop.width, name=name)
        inner = scope.inner(loop)
        self.closing.append([])
        first = self.loaded(inner, rows, loop.width)[0]
        inner.values.append(value)
        made = self.b.grow(value, [first, *self.leaves(inner, value, rows)], dtype, self.choices.number(1, 3))
        made = self.settled(made if made.cols == value.cols and made.rows == value.rows else first, dtype)
        body = [*self.some(inner), (Node(f"{name} = {made.code.text};"), Node(f"{name} = {made.meaning.text};"))]
        self.reopen()
        scope.values.append(value)
        start = (Node(f"var {name}: {dtype}[{rows.size}, {loop.width}] = 0;"),
                 Node(f"var {name}: {wide(dtype)}[{self.height(rows)}, {loop.width}] = 0;"))
        return [start, self.block(header, header, body)]

    def height(self, rows):
        return str(rows.size) if self.by_program else "M"

    def hand(self, scope):
        """An element for the other role, loaded from what this one has stored."""
        if self.handed is None:
            return self.store(scope)
        pipeline, place, size, y, made = self.handed
        if place.ready[1] < (1 << 30):
            return self.store(scope)
        rows = self.row_window(whole=True)
        cols = self.col_window(scope, size)
        code, meaning = self.subscripts(place, rows, cols)
        word = self.b.loader(place.tensor, rows.size, size)
        self.b.kernel.tags.add(f"hands on by {word}")
        text = made.meaning.text.replace("§E", f"({meaning})" if " " in meaning and "[" not in meaning else meaning)
        return [(Node(f"produce {pipeline.name} = {word}({code});", "produce", pipeline.name), Node(f"{y} = {text};"))]

    def statement(self, scope):
        self.statements += 1
        kinds = [self.store, self.store, self.let, self.reduce, self.store]
        if self.handed:
            kinds += [self.hand, self.hand]
        if scope.depth < 2 and self.statements < 14:
            kinds += [self.loop, self.loop, self.branch, self.carry]
        return self.choices.pick(kinds)(scope)

    def some(self, scope):
        made = []
        for _ in range(self.choices.number(1, 3)):
            made += self.statement(scope)
        return made

    def body(self, scope):
        self.closing.append([])
        made = self.some(scope)
        if not any(c.kind or c.body for c, _ in made):
            made += self.store(scope)
        self.reopen()
        return made

    def reopen(self):
        for place in self.closing.pop():  # written under a condition only
            place.ready = (0, 0)

    # ---- the kernel

    def last_store(self, scope, place):
        """Covers an output, with the last of several stores."""
        rows, whole = self.row_window(whole=True), self.whole_cols()
        nodes = []
        how = self.choices.pick(["once", "again", "branches", "halves"])
        if how == "again":
            loop = Loop(self.b.name("t"), 0, 3)
            inner = scope.inner(loop)
            body = self.store(inner, place, rows, whole)
            header = f"for {loop.var} in {self.choices.pick([2, 3])}"
            return [self.block(header, header, body)]
        if how == "branches":
            header = self.condition(scope)
            return [self.block(header, header, self.store(scope, place, rows, whole), self.store(scope, place, rows, whole))]
        if how == "halves":
            half = self.half()
            for cols in (self.part("", half, self.cols - half, half, self.cols), self.part("", 0, half, 0, half)):
                nodes += self.store(scope, place, rows, cols)
            return nodes
        return self.store(scope, place, rows, whole)

    def role(self):
        """All statements of one role, over tensors of its own."""
        choices = self.choices
        self.places, self.statements, self.closing = [], 0, [[]]
        scope = Scope()
        pairs = []
        if self.handed:
            place = self.handed[1]
            self.places.append(place)
            if place.tensor.mode == "scratch":
                pairs += self.initialise(scope, place)
                if place.ready[1] < (1 << 30):
                    place.ready = (0, 0)
                    pairs += self.store(scope, place, self.row_window(whole=True), self.whole_cols(),
                                        self.settled(self.loaded(scope, self.row_window(whole=True), self.cols)[0],
                                                     place.tensor.dtype))
                    place.ready = (0, 1 << 30)
        for _ in range(choices.number(2, 5)):
            pairs += self.statement(scope)
        if self.handed:
            pairs += self.hand(scope)
        for place in self.places:
            if place.tensor.mode == "out":
                pairs += self.last_store(scope, place)
            elif place.tensor.mode == "inout" and not place.stored and not place.vector:
                pairs += self.store(scope, place)
        return [c for c, _ in pairs], [m for _, m in pairs]

    def hands_on(self):
        """A pipeline to a second role, what that role does with its elements, and where they come from."""
        choices, b = self.choices, self.b
        place = self.place(choices.pick(["scratch", "inout"]))
        size = choices.pick([w for w in (32, 64, 16, self.cols) if w <= self.cols])
        dtype = place.tensor.dtype
        pipeline = b.pipeline([("", dtype, self.row_text, size)])
        y = b.name("y")
        text, element = ex.Text(y), ex.Text("§E")
        total = ex.Value(text, text, "f32", MOST, FINEST, self.rows, size, name=y)
        value = ex.Value(element, element, dtype, MOST, FINEST if dtype in ex.DIGITS else 0, self.rows, size)
        made = b.grow(total, [value], "f32", choices.number(0, 2))
        real = value if dtype == "f32" else ex.cast("f32", value)
        joined = ex.arithmetic("+", made, real) if (made.rows, made.cols) == (self.rows, size) else real
        self.handed = pipeline, place, size, y, self.settled(joined or real, "f32")

    def following(self, nodes):
        """The statements of the other role: the same loops and conditions, with an element taken where one is made."""
        pipeline, _, _, y, made = self.handed
        found = []
        for node in nodes:
            if node.kind == "produce":
                name = self.b.name("e")
                found.append(Node(f"let {name} = consume {pipeline.name};", "consume", pipeline.name))
                found.append(Node(f"{y} = {made.code.text.replace('§E', name)};"))
            elif node.body is not None:
                yes, no = self.following(node.body), self.following(node.otherwise or [])
                if yes or no:
                    found.append(Node(node.text, node.kind, node.about, yes, no))
        return found

    def make(self):
        choices, b = self.choices, self.b
        self.place("in")
        reference = []
        if self.form == "bare":
            code, reference = self.role()
            b.kernel.roles.append(Bare("", self.width, "warp", code))
        else:
            unit = "warp" if self.form == "warps" else "warpgroup"
            if not self.tiled and choices.chance(60):
                self.hands_on()
            code, meaning = self.role()
            b.kernel.roles.append(Role("first", self.width, unit, code))
            if self.handed:
                pipeline, _, size, y, _ = self.handed
                b.kernel.tags.add("hands on")
                out = b.tensor("f32", "M", size, mode="out")
                body = [Node(f"var {y}: f32[{self.row_text}, {size}] = 0;"), *self.following(code)]
                self.col_axis, kept = size, self.col_axis
                rows = self.row_window(whole=True)
                text, meant = self.subscripts(Place(out), rows, Window(":", ":", size))
                self.col_axis = kept
                body.append(Node(f"store({text}, {y});", "store", out.name))
                meaning = [Node(f"var {y}: f64[{self.height(rows)}, {size}] = 0;"), *meaning, Node(f"{meant} = {y};")]
                unit, width = ("warpgroup", self.rows // 64) if self.rows % 64 == 0 and self.rows <= 128 else ("warp", 4)
                b.kernel.roles.append(Role("second", width, unit, body))
            elif choices.chance(25):
                more, meant = self.role()
                b.kernel.roles.append(Role("second", self.width, unit, more))
                b.kernel.tags.add("two roles in memory")
                meaning = meaning + meant
            reference = meaning
        if not b.kernel.results:
            return make(choices)  # nothing would be seen
        for tensor in b.plan.tensors:
            if tensor.mode == "scratch":
                extents = ", ".join(str(a) for a in tensor.axes)
                reference_start = Node(f"var {tensor.name}: {wide(tensor.dtype)}[{extents}] = 0;")
                b.kernel.reference.append(reference_start)
        if self.by_program:
            header = f"for m in M by {self.rows}" + (f", n in N by {self.cols}" if self.tiled else "")
            reference = [Node(header, "", "", reference)]
        b.kernel.reference += b.batch_loop(reference)
        b.kernel.tags.add(f"memory {self.form}" + (" tiled" if self.tiled else ""))
        b.finish()
        return b.kernel, b.plan


def make(choices):
    return Memory(choices).make()
