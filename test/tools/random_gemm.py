# Kernels with products: operands of every kind and order, several products and accumulators, relays, two readers.
import re
import random_expressions as ex
from random_builder import Builder
from random_epilogue import Epilogue
from random_streams import Network, Stream
from random_text import Node, Role
from random_walks import Walk

LEFT = ["plain", "plain", "transposed", "registers", "relay", "shared", "shared transposed", "direct",
        "relay transposed"]
RIGHT = ["plain", "plain", "transposed", "shared", "shared transposed", "relay", "relay transposed", "direct shared"]
MOST_OPERAND = 8


class Operand:
    """One side of a product: a stream, how its tile is written, and what the matrix is."""

    def __init__(self, form, stream, meaning, bound, bits, clean, change=None):
        self.form, self.stream, self.meaning = form, stream, meaning
        self.bound, self.bits, self.clean, self.change = bound, bits, clean, change

    def transposed(self):
        return "transposed" in self.form

    def matrix(self):
        return ex.Text(f"{self.meaning.inside(ex.POSTFIX)}.T") if self.transposed() else self.meaning


class Gemm:
    def __init__(self, choices):
        self.choices = choices
        self.b = b = Builder(choices)
        self.dtype = choices.pick(["bf16", "f16"])
        self.groups = choices.pick([1, 2, 1, 2, 3])
        self.bm = 64 * self.groups * (choices.pick([1, 1, 2]) if self.groups < 3 else 1)
        self.large = choices.chance(8) and self.groups < 3  # accumulators that leave no room for other tiles
        most = min(256, 128 * (128 if self.large else 64 if self.groups < 3 else 32) * self.groups // self.bm)
        self.bn = min(choices.pick([64, 32, 128, 16, 8, 96, 24, 40, 48, 80, 192, 256, 72, 160]), most // 8 * 8)
        self.bk = choices.pick([64, 32, 16, 128, 48, 96])
        self.texts = {name: b.constant(name, value) for name, value in (("BM", self.bm), ("BN", self.bn), ("BK", self.bk))}
        b.plan.tiles.update(M=self.bm, N=self.bn, K=self.bk)
        b.set_batch()
        self.cluster = b.set_grid([("m", "M", self.texts["BM"]), ("n", "N", self.texts["BN"])])
        b.add_scalars()
        row_tile = ("m", self.bm) if self.cluster[1] == 1 else None
        self.walk = Walk(choices, b.kernel, self.texts["BK"], self.bk, row_tile)
        b.plan.parameters.update(self.walk.limits)
        b.plan.products.append(["M", "N", "K"])
        b.approximate = choices.chance(20)
        self.network = Network(b, self.walk)
        self.functions_before = []

    # ---- operands

    def stream(self, left, transposed):
        outer = ("M", "BM", self.bm, "m") if left else ("N", "BN", self.bn, "n")
        inner = ("K", "BK", self.bk, None)
        rows, cols = (outer, inner) if left != transposed else (inner, outer)
        tensor = self.b.tensor(self.dtype, rows[0], cols[0])
        meaning = self.b.matrix(tensor)
        return Stream(tensor, self.dtype, (self.texts[rows[1]], rows[2]), (self.texts[cols[1]], cols[2]), rows[0], cols[0],
                      meaning, subscripts={rows[0]: rows[3], cols[0]: cols[3]})

    def transfer(self, stream):
        """Which word loads it, and whether programs of a cluster fetch it together."""
        stream.word = self.b.loader(stream.tensor, stream.rows[1], stream.cols[1])
        axis, size = self.cluster
        if size == 1 or not self.b.can_be_tma(stream.tensor, stream.rows[1], stream.cols[1]):
            return
        uses = axis.upper() in stream.tensor.axes
        parts = stream.rows[1] % (8 * size) == 0
        if not uses and parts and self.choices.chance(70):
            stream.hint = " multicast" + self.choices.pick(["", f"({axis})"])
            self.b.kernel.tags.add("multicast")

    def changed(self, stream, must_be_clean):
        """An elementwise expression on the tile; its text at a step, and its meaning."""
        rows, cols = stream.rows[1], stream.cols[1]
        value = ex.Value(ex.Text("§X"), stream.meaning, stream.dtype, stream.bound, 0, rows, cols, name="§X")
        starts = {"K": "§K", "M": "m.start", "N": "n.start"}
        places = self.b.places(value.code, value.meaning, rows, cols, starts[stream.row_axis], starts[stream.col_axis])
        made = self.b.grow(value, places, "f32", self.choices.number(0, 3))
        made = ex.clamped(made, MOST_OPERAND)
        # Of the tile something must be left: what is made of places alone may lie anywhere, and has no edge.
        has_data = "§X" in re.sub(r"(row|col)_index\(§X\)", "", made.code.text)
        if not made.exact or made.bits > 3 or not has_data:
            made = ex.cast("f32", value)
        clean = False
        if must_be_clean or self.choices.chance(30):  # inside of the walk's extent, else zero
            place = [p for p in places if p.code.text.startswith("§K")][0]
            inside = ex.compare("<", place, ex.Value(ex.Text("K"), ex.Text("K"), "i32", 4096, scalar=True))
            made = ex.where(inside, made, ex.number(0))
            clean = True
        made = ex.cast(stream.dtype, made)
        return made, clean

    def operand(self, left, other=None):
        form = self.choices.pick(LEFT if left else RIGHT)
        rows = (self.bk if left else self.bn) if "transposed" in form else (self.bm if left else self.bk)
        if "relay" in form and rows % 64 != 0 or "shared" in form and rows % (64 * self.groups) != 0:
            form = "transposed" if "transposed" in form else "plain"
        self.b.kernel.tags.add(f"{'a' if left else 'b'} {form}")
        stream = self.stream(left, "transposed" in form)
        clean = True
        change = None
        meaning, bound, bits = stream.meaning, stream.bound, 0
        if form in ("registers", "shared", "shared transposed", "relay", "relay transposed"):
            made, clean = self.changed(stream, other is not None and not other.clean)
            change, meaning, bound, bits = made.code.text, made.meaning, made.bound, made.bits
        mask = self.walk.mask(*self.places_of(stream, meaning)) if left else ""
        if mask:
            meaning = ex.Text(f"where({mask}, {meaning.text}, 0)")
        made = Operand(form, stream, meaning, bound, bits, clean, change)
        if "direct" not in form:
            self.transfer(stream)
        return made

    def places_of(self, stream, meaning):
        row, col = ex.call("row_index", meaning).text, ex.call("col_index", meaning).text
        return (row, col) if stream.row_axis == "K" else (col, row)

    # ---- the kernel

    def make(self):
        choices, b = self.choices, self.b
        products = []
        for i in range(choices.pick([1, 1, 1, 2])):
            left = products[0][0] if i and choices.chance(40) else self.operand(True)
            right = self.operand(False, left)
            products.append((left, right))
        operands = []
        for pair in products:
            operands += [o for o in pair if o not in operands]
        raws = []
        for o in operands:
            if "direct" in o.form:
                continue
            raws.append(o.stream)
        self.network.load(raws)
        for o in operands:
            if "relay" in o.form:
                o.stream = self.network.relay(o.stream, self.substituted(o.change), None)
        readers = [products]
        if choices.chance(15):
            readers.append([choices.pick(products)])
            b.kernel.tags.add("two readers")
        self.network.add_service_roles()
        self.network.add_relay_roles()
        reference = []
        for number, mine in enumerate(readers):
            reference += self.consumer(number, mine, products)
        b.kernel.reference = b.batch_loop(reference)
        b.finish()
        return b.kernel, b.plan

    @staticmethod
    def substituted(change):
        return lambda access, step, _: change.replace("§X", access).replace("§K", step.start)

    def written(self, operand, access, step):
        """The operand as an argument of mma."""
        form = operand.form
        if "direct" in form:
            text = f"load({self.b.slice(operand.stream.tensor, self.network.subscripts(operand.stream, step))})"
            return f"shared({text})" if "shared" in form else text
        text = access(operand.stream)
        if form == "registers" or "shared" in form:
            text = operand.change.replace("§X", text).replace("§K", step.start)
        if "shared" in form:
            text = f"shared({text})"
        return text + (".T" if operand.transposed() else "")

    def accumulators(self, products):
        """Which product goes to which accumulator, and the bounds of the sums."""
        places = [0 if i == 0 or self.choices.chance(50) else 1 for i in range(len(products))]
        if self.bm * self.bn // (128 * self.groups) > 32:
            places = [0 for _ in places]
        return places

    def consumer(self, number, products, all_products):
        choices, b = self.choices, self.b
        places = self.accumulators(products)
        names = [f"acc{number}{i}" for i in range(max(places) + 1)]
        used = []
        for pair in products:
            for o in pair:
                if "direct" not in o.form and o.stream.pipeline not in used:
                    used.append(o.stream.pipeline)
        if number == 0:  # every pipeline has a reader
            for pair in all_products:
                for o in pair:
                    if "direct" not in o.form and o.stream.pipeline not in used:
                        used.append(o.stream.pipeline)
        used = [p for p in b.kernel.pipelines if p in used]
        role = Role(b.name("consumer"), self.groups, "warpgroup", [])
        begin = choices.pick(["0", "0", "1", "bias", "-2", "own", "handed", "memory"])
        if begin in ("handed", "memory") and (self.large or self.cluster[1] > 1 or b.used_bytes + self.bm * self.bn * 4 > 150_000):
            begin = "own"
        starts, owns, handed = [], [], []
        if begin == "handed":
            handed = [self.hand_output(number, i) for i in range(len(names))]
        b.kernel.roles.append(role)
        body = role.body
        bound, bits = 4, 0
        shape = f"f32[{self.texts['BM']}, {self.texts['BN']}]"
        for name in names:
            start = begin
            if begin == "bias":
                tensor = b.tensor(choices.pick(["f32", "bf16"]), "M", "N")
                tile = f"load({b.slice(tensor, {'M': 'm', 'N': 'n'})})"
                body.append(Node(f"var {name} = {tile if tensor.dtype == 'f32' else f'f32({tile})'};"))
                start = b.matrix(tensor).text
            elif begin == "own":
                tensor = b.tensor(choices.pick(["f32", "f32", "bf16"]), "M", "N", mode="inout")
                tile = f"load({b.slice(tensor, {'M': 'm', 'N': 'n'})})"
                body.append(Node(f"var {name} = {tile if tensor.dtype == 'f32' else f'f32({tile})'};"))
                start = b.matrix(tensor).text
                owns.append(tensor)
            elif begin == "memory":  # the sums stay in memory
                tensor = b.tensor("f32", "M", "N", mode="inout")
                start = b.matrix(tensor).text
                owns.append(tensor)
            else:
                begin = "0" if begin == "handed" else begin
                body.append(Node(f"var {name}: {shape} = {begin};"))
            starts.append(start)

        def step_body(step):
            access, wrap = self.network.take(used, step, f"s{number}")
            nodes = []
            for place, (left, right) in zip(places, products):
                a, c = self.written(left, access, step), self.written(right, access, step)
                if begin == "memory":
                    target = b.slice(owns[place], {"M": "m", "N": "n"})
                    product = b.name("w")
                    word = "tma_store" if b.can_be_tma(owns[place], self.bm, self.bn) and b.wants_tma(owns[place]) else "store"
                    nodes.append(Node(f"let {product} = mma({a}, {c});", "mma", product))
                    nodes.append(Node(f"{word}({target}, load({target}) + {product});", "update", owns[place].name))
                else:
                    nodes.append(Node(f"{names[place]} += mma({a}, {c});", "mma", names[place]))
            return wrap(nodes)

        body += self.walk.nodes(step_body)
        if begin == "memory":
            body += [Node(f"let {name} = load({b.slice(own, {'M': 'm', 'N': 'n'})});") for name, own in zip(names, owns)]
        for name, (own, pipeline) in zip(names, handed):
            taken = b.name("c")
            body.append(Node(f"let {taken} = consume {pipeline.name};", "consume", pipeline.name))
            body.append(Node(f"{name} += {taken};"))
            owns.append(own)
        if owns:
            b.kernel.tags.add("C " + ("handed" if handed else begin))
        reference = []
        for i, name in enumerate(names):
            terms = [b.matrix(owns[i]).text if handed else starts[i]]
            for place, (left, right) in zip(places, products):
                if place == i:
                    terms.append(f"{left.matrix().inside(ex.PRODUCT)} @ {right.matrix().inside(ex.UNARY)}")
            total = " + ".join(terms)
            reference.append(Node(f"let {name} = {total};"))
        for left, right in products:
            bound += left.bound * right.bound * 256
            bits = max(bits, left.bits + right.bits)
        values = [ex.Value(ex.Text(n), ex.Text(n), "f32", min(bound, 2.0**20), bits, self.bm, self.bn, name=n) for n in names]
        leaves = b.side_inputs(values[0], ("M", "m"), ("N", "n"), "m.start", "n.start")
        leaves.append(b.start_of_tile(values[0], "m", self.bm, True))
        for value in values:
            epilogue = Epilogue(b, value, leaves + [v for v in values if v is not value], row_tile=("m", self.bm))
            if not self.large:
                epilogue.statements()
            own = owns[values.index(value)] if owns else None
            epilogue.store("M", "N", {"M": "m", "N": "n"}, tensor=own)
            body += epilogue.code
            reference += epilogue.meaning
        return reference

    def hand_output(self, number, i):
        """An output's old values, which another role loads before this one stores it."""
        b = self.b
        tensor = b.tensor("f32", "M", "N", mode="inout")
        word = b.loader(tensor, self.bm, self.bn)
        pipeline = b.pipeline([("", "f32", self.texts["BM"], self.texts["BN"])], 1)
        load = f"{word}({b.slice(tensor, {'M': 'm', 'N': 'n'})})"
        b.service([Node(f"produce {pipeline.name} = {load};", "produce", pipeline.name)])
        return tensor, pipeline


def make(choices):
    return Gemm(choices).make()
