# Kernels whose bounds and positions come from data of several types, from products and shifts of parameters, and from
# quotients of extents: lengths, gathers, places to store to.
import random_expressions as ex
from random_builder import Builder
from random_text import Bare, Node, Role

MOST = 32


class Steered:
    def __init__(self, choices):
        self.choices = choices
        self.b = b = Builder(choices)
        self.roles = choices.chance(50)
        self.rows = 64 if self.roles else choices.pick([8, 4, 16, 1, 32])
        self.cols = choices.pick([32, 64, 16, 128] if self.roles else [64, 32, 40, 33, 128])
        self.row_text = b.constant("BM", self.rows)
        b.plan.tiles.update(M=self.rows, B=[2, 1, 3], S=[4, 1, 7, 12])
        b.plan.positive.update("BS")
        words = " persistent" if choices.chance(30) else ""
        b.kernel.grid = f"grid (m in M by {self.row_text}, b in B){words};" if choices.chance(50) else \
            f"grid (b in B, m in M by {self.row_text}){words};"
        b.kernel.conditions.append("S > 0")
        b.plan.products.append(["M", "B", self.cols, 400])

    def data(self, name, dtype, axis, fill):
        """A tensor of one axis."""
        tensor = self.b.tensor(dtype, None, axis, batched=False, fill=fill)
        tensor.name, old = name, tensor.name
        self.b.kernel.parameters[-1] = tensor.declaration()
        self.b.kernel.reads[self.b.kernel.reads.index(old)] = name
        return tensor

    def parameter(self, name, values, low, high, requires):
        b = self.b
        b.kernel.parameters.append(f"{name}: i32")
        b.kernel.reads.append(name)
        b.plan.parameters[name] = values
        if requires:
            b.kernel.conditions += [f"{name} >= {low}", f"{name} <= {high}"]

    def length(self):
        """How many steps, as two texts that mean one number; and whether these are positions of S."""
        choices, b = self.choices, self.b
        form = choices.pick(["clamped i32", "clamped i64", "u8", "trusted", "product", "shift", "quotient", "sum of two",
                             "difference", "within S", "remainder"])
        b.kernel.tags.add("length " + form)
        if form == "clamped i32":
            self.data("len", "i32", "B", choices.pick([(0, 9), (-5, 20), (-2**31, 2**31 - 1)]))
            text = choices.pick(["min(max(len[b], 0), 9)", "max(min(len[b], 9), 0)", "min(len[b], 9)"])
            return text, text, False
        if form == "clamped i64":
            self.data("len", "i64", "B", choices.pick([(0, 9), (-5, 20), (-2**40, 2**40)]))
            text = choices.pick(["i32(min(max(len[b], 0), 9))", "i32(max(min(len[b], 7), -1))"])
            return text, text, False
        if form == "u8":
            self.data("len", "u8", "B", choices.pick([(0, 9), (0, 255)]))
            text = choices.pick(["min(i32(len[b]), 9)", "i32(len[b]) // 32", "i32(len[b]) % 5", "i32(len[b]) >> 5"])
            return text, text, False
        if form == "trusted":
            dtype = choices.pick(["i32", "i64"])
            self.data("len", dtype, "B", (0, 8))
            b.kernel.trusted.append("within(len, 0, 9)")
            text = "i32(len[b])" if dtype == "i64" else choices.pick(["len[b]", "len[b] + 1", "2 * len[b]"])
            return text, text, False
        if form == "product":
            self.parameter("p", [1, 0, 2, 3], 0, 100, True)
            self.parameter("q", [2, 0, 1, 3], 0, 100, True)
            return *choices.pick([("p * q", "q * p"), ("(p + 1) * q", "p * q + q"), ("p * p", "p * p"),
                                  ("p * q + 1", "1 + q * p")]), False
        if form == "shift":
            self.parameter("p", [1, 0, 2, 3], 0, choices.pick([3, 10]), True)
            text = choices.pick(["1 << p", "13 >> p", "(5 << p) // 4", "p << 1"])
            return text, text, False
        if form == "quotient":
            self.parameter("p", [8, 0, 4, 12], 0, 1000, True)
            b.kernel.conditions.append("p % 4 == 0")
            return *choices.pick([("p / 4", "p // 4"), ("p / 2", "p / 4 * 2"), ("ceil_div(p, 4)", "p / 4")]), False
        if form == "sum of two":
            self.data("len", choices.pick(["i32", "u8"]), "B", (0, 6))
            self.parameter("p", [1, 0, 3], 0, 100, True)
            text = "min(max(i32(len[b]), 0), 9) + p"
            return text, choices.pick([text, "p + min(max(i32(len[b]), 0), 9)"]), False
        if form == "difference":
            self.data("first", "i32", "B", (0, 3))
            self.data("last", "i32", "B", (2, 9))
            b.kernel.trusted += ["within(first, 0, 10)", "within(last, 0, 10)"]
            return "last[b] - first[b]", "last[b] - first[b]", False
        if form == "remainder":
            self.parameter("p", [1, 5, 9], 0, 1 << 20, True)
            return "p % 6", choices.pick(["p % 6", "p - p // 6 * 6"]), False
        self.data("len", choices.pick(["i32", "i64"]), "B", (-2, 15))
        text = "i32(min(max(len[b], 0), S))"
        return text, text, True

    def position(self, within):
        """Where along S the step `t` reads; what lies outside reads as 0."""
        choices, b = self.choices, self.b
        forms = ["t", "t % S", "t // 2", "t >> 1", "2 * t + 1", "S - 1 - t", "t - 2", "min(t, S - 1)", "scaled", "bits"]
        if within:
            forms += ["gathered", "gathered", "gathered"]
        form = choices.pick(forms)
        b.kernel.tags.add("position " + form)
        if form == "gathered":
            dtype = choices.pick(["i32", "i64", "u8"])
            tensor = self.data("idx", dtype, "S", lambda values: (0, values["S"] - 1))
            tensor.fill = choices.pick([tensor.fill, "range()"])
            how = choices.draw(3)
            if how == 0:
                b.kernel.trusted.append("within(idx, 0, S)")
                return "idx[t]" if dtype == "i32" else "i32(idx[t])"
            if how == 1 or dtype == "u8":
                return "min(max(i32(idx[t]), 0), S - 1)"
            return "i32(min(max(idx[t], 0), S - 1))"
        if form == "scaled":
            self.parameter("scale", [1, 0, 2], 0, 1000, True)
            return choices.pick(["t * scale", "(t * scale) % S", "t * scale + 1"])
        if form == "bits":
            return choices.pick(["t & 3", "t ^ 1", "(t << 1) | 1"])
        return form

    def make(self):
        choices, b = self.choices, self.b
        one, other, within = self.length()
        where = self.position(within)
        dtype = choices.pick_type(["f32", "bf16", "i32", "f16"])
        tensor = b.tensor(dtype, "M", self.cols, extra=("S",))
        access = b.slice(tensor, {"S": where, "M": "m"})
        # A slice of one, since a single position must lie inside.
        meaning = ex.Text(b.matrix(tensor, {"S": f"{where} +: 1"}).text + "[0]")
        y = ex.Text("y")
        total = ex.Value(y, y, "f32", MOST, 2, self.rows, self.cols, name="y")
        code = "x" if self.roles else f"load({access})"
        value = ex.Value(ex.Text(code), meaning, dtype, 4, 0, self.rows, self.cols)
        leaves = [value, ex.Value(ex.Text("t"), ex.Text("t"), "i32", 1024, 0, scalar=True)]
        made = b.grow(total, leaves, "f32", choices.number(0, 3))
        real = value if dtype == "f32" else ex.cast("f32", value)
        if code not in made.code.text or (made.rows, made.cols) != (self.rows, self.cols):
            made = ex.arithmetic("+", made, real) or real
        if made.bits > 2:
            made = ex.cast("f32", ex.cast("i32", ex.clamped(made, MOST)))
        made = ex.clamped(made, MOST)
        header = f"for t in {choices.pick(['', '0..'])}"
        named = choices.chance(40) and one == other
        if named:
            b.kernel.lets.append(f"let count = {one};")
            one = other = "count"
        shape = f"f32[{self.row_text}, {self.cols}]"
        update = Node(f"y = {made.code.text};", "update", "y")
        out, mode, target, reference = self.output()
        code = [Node(f"var y: {shape} = {choices.pick(['0', '1'])};")]
        start = code[0].text[-2]
        if self.roles:
            word = b.loader(tensor, self.rows, self.cols)
            pipeline = b.pipeline([("", dtype, self.row_text, self.cols)])
            b.service([Node(header + one, "loop", "t", [Node(f"produce {pipeline.name} = {word}({access});", "produce",
                                                             pipeline.name)])])
            code.append(Node(header + other, "loop", "t", [Node(f"let x = consume {pipeline.name};", "consume", pipeline.name),
                                                           update]))
        else:
            code.append(Node(header + other, "loop", "t", [update]))
        stored = "y" if mode == "out" else f"y + load({target})"
        code.append(Node(f"store({target}, {stored});", "store", out.name))
        if self.roles:
            b.kernel.roles.append(Role("consumer", 1, "warpgroup", code))
        else:
            b.kernel.roles.append(Bare("", choices.pick([4, 1, 2, 8]), "warp", code))
        inner = [Node(f"var y: f64[M, {self.cols}] = {start};")]
        if named:
            inner.append(Node(f"let count = {b.kernel.lets[-1][12:]}"))
        meant = "count" if named else one
        inner.append(Node(f"for t in 0..{meant}", "", "", [Node(f"y = {made.meaning.text};")]))
        inner.append(Node(f"{reference} = y{'' if mode == 'out' else f' + {reference}'};"))
        b.kernel.reference = [Node("for b in B", "", "", inner)]
        b.kernel.tags.add("steered " + ("roles" if self.roles else "bare"))
        b.finish()
        return b.kernel, b.plan

    def output(self):
        """The tensor of the results, and where the program of b stores."""
        choices, b = self.choices, self.b
        mode = choices.pick(["out", "out", "inout"])
        out = b.tensor("f32", "M", self.cols, mode=mode, extra=("B",))
        place = "b"
        if choices.chance(30):  # in an order that data say, or parameters
            how = choices.pick(["data", "turned", "backwards"])
            if how == "data":
                tensor = self.data("to", choices.pick(["i32", "i64"]), "B", "range()")
                b.kernel.trusted += [f"disjoint({out.name})", "within(to, 0, B)"]
                b.kernel.trusted.append(f"covers({out.name})" if mode == "out" else f"reads_own({out.name})")
                place = "to[b]" if tensor.dtype == "i32" else "i32(to[b])"
            elif how == "turned":
                self.parameter("turn", [1, 0, 5], 0, 1000, True)
                place = "(b + turn) % B"
            else:
                place = "B - 1 - b"
            b.kernel.tags.add("stores to " + how)
        return out, mode, b.slice(out, {"B": place, "M": "m"}), b.matrix(out, {"B": place}).text


def make(choices):
    return Steered(choices).make()
