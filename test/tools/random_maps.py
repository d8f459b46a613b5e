# Kernels without products: tiles that are worked on cell by cell, straight from memory or through pipelines and relays,
# once a program or in loops that change a variable in an order that matters.
import random_expressions as ex
from random_builder import Builder
from random_epilogue import Epilogue
from random_streams import Network, Stream
from random_text import Node, Role
from random_walks import Step

DTYPES = ["f32", "bf16", "f16", "i32", "bf16", "f32", "i8", "i16", "u8", "i64", "u32", "fp8_e4m3"]


# In the reference: an array of the shape of an output, whose cells do not matter.
OUTPUT = "§OUT"


class Once:
    """No loop at all."""

    form = "once"

    @staticmethod
    def nodes(make):
        return make(Step("", "0"))


class Counted:
    """A loop over an axis of positions; the reference walks it in the same order, under the same conditions."""

    def __init__(self, choices, b):
        forms = ["plain", "reversed", "peeled", "pairs", "skip", "odd", "from", "deep"]
        # Programs of a cluster must agree on the number of steps.
        self.form = choices.pick(forms if "cluster" in b.kernel.tags else [*forms, "triangle"])
        b.kernel.tags.add("count " + self.form)
        b.plan.tiles["S"] = [2, 1, 3, 4, 7]
        b.plan.positive.add("S")
        if self.form == "pairs":
            b.kernel.conditions.append("S % 2 == 0")
            b.plan.tiles["S"] = [2, 4, 6]
        if self.form in ("skip", "from"):
            b.kernel.parameters.append("skip: i32")
            b.kernel.reads.append("skip")
            b.plan.parameters["skip"] = [1, 0, 2, 9]
            if self.form == "from":
                b.kernel.conditions.append("skip >= 0")

    def nodes(self, make):
        plain = make(Step("t", "t"))
        heads = {"plain": "t in S", "reversed": "t in reversed 0..S", "from": "t in skip..S",
                 "triangle": "t in 0..min(S, m.index + 1)"}
        if self.form in heads:
            return [Node(f"for {heads[self.form]}", "loop", "t", plain)]
        if self.form == "peeled":
            return make(Step("0", "0", "f")) + [Node("for t in 1..S", "loop", "t", plain)]
        if self.form == "pairs":
            return [Node("for t in S // 2", "loop", "t", make(Step("2 * t", "(2 * t)", "e")) +
                         make(Step("2 * t + 1", "(2 * t + 1)", "o")))]
        if self.form == "deep":
            return [Node("for t in S, again in 2", "loop", "t", plain)]
        condition = "t >= skip" if self.form == "skip" else "t % 3 != 1"
        return [Node("for t in S", "loop", "t", [Node(f"if {condition}", "if", "t", plain)])]

    def meaning(self, nodes, target, width):
        """The reference's statements, each of which sets `target` to a new value."""
        if self.form == "triangle":
            rows = f"t <= row_index({target}) // {width}"
            changed = [Node(n.text.replace(f"{target} = ", f"{target} = where({rows}, ", 1)[:-1] + f", {target});")
                       for n in nodes]
            return [Node("for t in S", "", "", changed)]
        heads = {"reversed": "t in reversed S", "from": "t in skip..S", "deep": "t in S, again in 2"}
        if self.form in ("skip", "odd"):
            condition = "t >= skip" if self.form == "skip" else "t % 3 != 1"
            nodes = [Node(f"if {condition}", "", "", nodes)]
        return [Node(f"for {heads.get(self.form, 't in S')}", "", "", nodes)]


class Maps:
    def __init__(self, choices):
        self.choices = choices
        self.b = b = Builder(choices)
        self.groups = choices.pick([1, 1, 2, 3])
        self.bm = 64 * self.groups * (choices.pick([1, 1, 2]) if self.groups < 2 else 1)
        self.bn = choices.pick([64, 32, 16, 8, 24, 40, 128, 96, 56, 20, 2, 12])
        if self.bm * self.bn > 32 * 128 * self.groups:
            self.bn = 32
        self.texts = {name: b.constant(name, value) for name, value in (("BM", self.bm), ("BN", self.bn))}
        b.plan.tiles.update(M=self.bm, N=self.bn)
        b.set_batch()
        self.cluster = b.set_grid([("m", "M", self.texts["BM"]), ("n", "N", self.texts["BN"])])
        b.special = choices.chance(10)
        if not b.special:
            b.add_scalars()
        b.approximate = not b.special and choices.chance(30)
        b.plan.products.append(["M", "N", 64])
        looping = choices.chance(50)
        self.walk = Counted(choices, b) if looping else Once()
        self.network = Network(b, self.walk)
        self.streams = 0

    def stream(self, kind="tile"):
        choices, b = self.choices, self.b
        dtype = choices.pick(["f32", "bf16", "f16"]) if b.special else choices.pick_type(DTYPES)
        extra = ("S",) if isinstance(self.walk, Counted) and (not self.streams or choices.chance(80)) else ()
        self.streams += 1
        rows = {"tile": "M", "row": None, "column": "M"}[kind]
        cols = {"tile": "N", "row": "N", "column": 3}[kind]
        tensor = b.tensor(dtype, rows, cols, extra=extra, fill="special" if b.special else None)
        if "S" in extra and choices.chance(30) and kind == "tile" and len(tensor.axes) > 1:
            at = choices.draw(len(tensor.axes))
            tensor.axes.remove("S")
            tensor.axes.insert(at, "S")
            b.kernel.parameters[-1] = tensor.declaration()
        column = f"{choices.draw(3)} +: 1" if kind == "column" else None
        meant = {"S": "t"} | ({3: column} if column else {})
        shape = {"tile": (("BM", self.bm), ("BN", self.bn)), "row": (("", 1), ("BN", self.bn)),
                 "column": (("BM", self.bm), ("", 1))}[kind]
        text = [(self.texts.get(name, "1"), value) for name, value in shape]
        made = Stream(tensor, dtype, *text, "M", "N", b.matrix(tensor, meant), bound=b.bound_of(tensor),
                      subscripts={"M": "m", "N": "n", "S": None} | ({3: column} if column else {}))
        able = b.can_be_tma(tensor, text[0][1], text[1][1]) and tensor.axes[-1] not in ("S",)
        if able:
            made.word = b.loader(tensor, text[0][1], text[1][1])
            axis, size = self.cluster
            if size > 1 and axis.upper() not in tensor.axes and text[0][1] % (8 * size) == 0 and choices.chance(70):
                made.hint = " multicast"
                b.kernel.tags.add("multicast")
        return made

    def value(self, stream, code):
        return ex.Value(ex.Text(code), stream.meaning, stream.dtype, stream.bound, 0, stream.rows[1], stream.cols[1],
                        name=code)

    def relayed(self, raw):
        if raw.rows[1] % 64 != 0 or raw.cols[1] == 1:
            return raw
        value = self.value(raw, "§X")
        # Places along an axis that is one position here are not known to the tile.
        places = self.b.places(value.code, value.meaning, raw.rows[1], raw.cols[1], "m.start", "n.start")
        made = self.b.grow(value, places, raw.dtype, self.choices.number(1, 3))
        if not made.exact or made.dtype != raw.dtype or made.bits > 3:
            return raw
        relay = self.network.relay(raw, lambda access, step, _: made.code.text.replace("§X", access), None)
        relay.meaning, relay.bound, relay.bits = made.meaning, made.bound, made.bits
        return relay

    def make(self):
        choices, b = self.choices, self.b
        streams = [self.stream()]
        for _ in range(choices.pick([0, 1, 2])):
            streams.append(self.stream(choices.pick(["tile", "tile", "row", "column"])))
        direct = [s for s in streams if choices.chance(25) and s.word == "load" and not s.hint]
        piped = [s for s in streams if s not in direct]
        if piped:
            self.network.load(piped)
        final = {id(s): s for s in streams}
        for s in piped:
            if choices.chance(25) and not b.special:
                final[id(s)] = self.relayed(s)
        self.network.add_service_roles()
        self.network.add_relay_roles()
        used = [final[id(s)] for s in streams]
        readers = 2 if choices.chance(15) else 1
        reference = []
        for number in range(readers):
            reference += self.reader(number, used, direct)
        if readers == 2:
            b.kernel.tags.add("two readers")
        b.kernel.reference = b.batch_loop(reference)
        b.finish()
        return b.kernel, b.plan

    def reader(self, number, streams, direct):
        choices, b = self.choices, self.b
        pipelines = [p for p in b.kernel.pipelines if any(s.pipeline is p for s in streams)]
        shape = f"[{self.texts['BM']}, {self.texts['BN']}]"
        total = f"y{number}"
        values = [self.value(s, f"§{i}") for i, s in enumerate(streams)]
        values = [v if v.cols > 1 and v.rows > 1 else ex.replace(v, name="") for v in values]
        dtype = choices.pick(["f32", "f32", "i32", "bf16"]) if not b.special else "f32"
        bound, bits = (64, 4) if dtype != "bf16" else (64, 2)
        before = ex.Value(ex.Text(total), ex.Text(total), dtype, bound, bits if dtype != "i32" else 0, self.bm, self.bn,
                          name=total)
        leaves = values + b.places(before.code, before.meaning, self.bm, self.bn, "m.start", "n.start")
        if isinstance(self.walk, Counted):
            leaves.append(ex.Value(ex.Text("§T"), ex.Text("t"), "i32", 8, 0, scalar=True))
        start = before if isinstance(self.walk, Counted) else values[0]
        joined = b.grow(start, leaves, dtype, choices.number(1, 4))
        for value in values:  # every input matters
            if value.code.text not in joined.code.text and not b.special:
                other = ex.cast(dtype, value) or ex.cast("f32", value)
                more = ex.arithmetic("+", joined, other) if other is not None else None
                joined = more if more is not None and more.dtype == dtype else joined
        if joined.bound > bound and not b.special:
            joined = ex.clamped(joined, bound)
        if joined.dtype != dtype or not joined.exact or joined.bits > before.bits:
            joined = ex.arithmetic("-", ex.number(1), before)
        role = Role(b.name("consumer"), self.groups, "warpgroup", [])
        b.kernel.roles.append(role)
        body = role.body
        start_text = choices.pick(["0", "1", "-3"])
        body.append(Node(f"var {total}: {dtype}{shape} = {start_text};"))
        reference = [Node(f"var {total} = {dtype}({start_text} + 0 * row_index({OUTPUT}));")]

        def step_body(step):
            access, wrap = self.network.take(pipelines, step, f"s{number}")
            text = joined.code.text
            for i, s in enumerate(streams):
                written = (f"load({b.slice(s.tensor, self.network.subscripts(s, step))})" if s in direct else access(s))
                text = text.replace(f"§{i}", written)
            text = text.replace("§T", step.start)
            return wrap([Node(f"{total} = {text};", "update", total)])

        body += self.walk.nodes(step_body)
        update = [Node(f"{total} = {joined.meaning.text};")]
        reference += self.walk.meaning(update, total, self.bm) if isinstance(self.walk, Counted) else update
        leaves = b.side_inputs(before, ("M", "m"), ("N", "n"), "m.start", "n.start")
        leaves.append(b.start_of_tile(before, "m", self.bm, True))
        if b.special:
            leaves = leaves[:0]
        epilogue = Epilogue(b, before, leaves, row_tile=("m", self.bm))
        epilogue.statements()
        for _ in range(choices.pick([1, 1, 2])):
            epilogue.store("M", "N", {"M": "m", "N": "n"})
        body += epilogue.code
        return reference + epilogue.meaning


def make(choices):
    family = Maps(choices)
    kernel, plan = family.make()
    output = family.b.matrix(next(t for t in plan.tensors if t.out)).text

    def fill(node):
        node.text = node.text.replace(OUTPUT, output)
        for inner in node.body or []:
            fill(inner)

    for node in kernel.reference:
        fill(node)
    return kernel, plan
