# From the last element to the stores: named values, variables that change, branches and loops, outputs.
import random_expressions as ex
from random_text import Node


class Epilogue:
    """Statements of a role, and of the reference, on a tile named alike in both."""

    def __init__(self, builder, value, leaves, suffix="", row_tile=None):
        self.b = builder
        self.choices = builder.choices
        self.value = value
        self.leaves = leaves
        self.code, self.meaning = [], []
        self.suffix = suffix
        self.row_tile = row_tile  # (variable, width)

    def both(self, node_code, node_meaning):
        self.code.append(node_code)
        self.meaning.append(node_meaning)

    def named(self, name, made):
        return ex.Value(ex.Text(name), ex.Text(name), made.dtype, made.bound, made.bits, made.rows, made.cols,
                        exact=made.exact, name=name)

    def arithmetic_type(self):
        return self.choices.pick_type(["f32", "f32", "bf16", "f16", "i32", "i8", "i64", "u8"])

    def let(self):
        dtype = self.value.dtype if self.b.special else self.arithmetic_type()
        made = self.b.grow(self.value, self.leaves, dtype, self.choices.number(0, 3))
        name = self.b.name("v")
        if not made.exact:
            return
        typed = f": {made.dtype}[{self.value.rows}, {self.value.cols}]" if self.choices.chance(20) else ""
        self.both(Node(f"let {name}{typed} = {made.code.text};"), Node(f"let {name} = {made.meaning.text};"))
        self.value = self.named(name, made)
        self.leaves.append(self.value)

    def variable(self):
        """var y, changed under a condition or some times in a loop."""
        dtype = self.value.dtype if self.b.special else self.choices.pick(["f32", "f32", "bf16", "f16", "i32"])
        first = self.b.grow(self.value, self.leaves, dtype, self.choices.number(0, 2))
        if not first.exact:
            return
        name = self.b.name("y")
        self.both(Node(f"var {name} = {first.code.text};"), Node(f"var {name} = {first.meaning.text};"))
        y = self.named(name, first)
        for _ in range(self.choices.number(1, 2)):
            y = self.choices.pick([self.branch, self.repeat, self.assign])(name, y)
        self.value = y
        self.leaves.append(y)

    def other(self, y, limit=None):
        made = self.b.grow(y, self.leaves, y.dtype, self.choices.number(1, 3))
        if limit:
            made = ex.clamped(made, limit) or made
        return made if made.exact and made.dtype == y.dtype else y

    def assign(self, name, y):
        made = self.other(y)
        if self.choices.chance(50) and not self.b.special:
            total = ex.arithmetic("+", y, made)
            if total is not None and total.dtype == y.dtype:
                self.both(Node(f"{name} += {made.code.text};"), Node(f"{name} = {total.meaning.text};"))
                return self.named(name, total)
        self.both(Node(f"{name} = {made.code.text};"), Node(f"{name} = {made.meaning.text};"))
        return self.named(name, made)

    def branch(self, name, y):
        yes, no = self.other(y), self.other(y)
        has_else = self.choices.chance(50)
        both = ex.Value(y.code, y.meaning, y.dtype, max(y.bound, yes.bound, no.bound), max(y.bits, yes.bits, no.bits),
                        y.rows, y.cols)
        by_tile = self.row_tile is not None and self.choices.chance(50)
        if by_tile:
            variable, width = self.row_tile
            limit = self.choices.pick([width, 1, 100])
            condition = f"{variable}.start >= {limit}"
            tile = f"row_index({name}) // {width} * {width} >= {limit}"
            new = f"where({tile}, {yes.meaning.text}, {no.meaning.text if has_else else name})"
            meaning = Node(f"{name} = {new};")
        else:
            if "mode" not in self.b.plan.parameters:
                self.b.plan.parameters["mode"] = [0, 1, 2, -1]
                self.b.kernel.parameters.append("mode: i32")
                self.b.kernel.reads.append("mode")
            condition = self.choices.pick(["mode == 0", "mode > 0", "mode % 2 == 1", "not (mode < 1 or M < 40)"])
            meaning = Node(f"if {condition}", "if", "", [Node(f"{name} = {yes.meaning.text};")])
        self.code.append(Node(f"if {condition}", "if", "", [Node(f"{name} = {yes.code.text};")]))
        self.meaning.append(meaning)
        if has_else:
            self.code[-1].text += f" {{ {name} = {yes.code.text}; }} else"
            self.code[-1].body = [Node(f"{name} = {no.code.text};")]
            if not by_tile:
                meaning.text += f" {{ {name} = {yes.meaning.text}; }} else"
                meaning.body = [Node(f"{name} = {no.meaning.text};")]
        self.b.kernel.tags.add("if on a tile" if by_tile else "if on a parameter")
        return self.named(name, both)

    def repeat(self, name, y):
        """A loop whose every step changes the variable, within bounds."""
        if y.bound > 256 or (y.dtype in ex.DIGITS and y.dtype != "f32") or self.b.special:
            return y
        start = self.named(name, ex.Value(y.code, y.meaning, y.dtype, 256, max(y.bits, 3), y.rows, y.cols))
        made = self.other(start, 256)
        if made.bits > start.bits or made.bound > 256:
            return y
        count = self.choices.pick(["3", "2", "M % 3"])
        header = self.choices.pick([f"for i in {count}", f"for i in 1..{count} + 1", f"for i in reversed {count}"])
        self.both(Node(header, "", "", [Node(f"{name} = {made.code.text};")]),
                  Node(header, "", "", [Node(f"{name} = {made.meaning.text};")]))
        self.b.kernel.tags.add("loop on a variable")
        return self.named(name, start)

    def statements(self):
        for _ in range(self.choices.pick([0, 0, 1, 1, 2, 3])):
            self.choices.pick([self.let, self.variable])()

    def store(self, row_axis, col_axis, subscripts, meant=None, tensor=None):
        """An output with the last value; the same tensor again for another part of it."""
        b = self.b
        if tensor is not None:
            dtype = tensor.dtype
        else:
            dtype = self.value.dtype if b.special else self.choices.pick_type(OUTPUTS)
        approximate = b.approximate and tensor is None and self.choices.chance(60)
        if approximate and dtype not in ("f32", "bf16", "f16"):
            dtype = "f32"
        made = b.grow(self.value, self.leaves, dtype, self.choices.number(0, 2), approximate)
        if not made.exact and made.dtype not in ("f32", "bf16", "f16"):
            made = b.grow(self.value, [], dtype, 0)
        stored = made
        if tensor is None:
            wide = made.dtype in ("bf16", "f16") and self.choices.chance(10)
            tensor = b.tensor("f32" if wide else made.dtype, row_axis, col_axis, mode="out")
        rows, cols = self.value.rows, self.value.cols
        word = "tma_store" if b.can_be_tma(tensor, rows, cols) and b.wants_tma(tensor) else "store"
        self.code.append(Node(f"{word}({b.slice(tensor, subscripts)}, {stored.code.text});", "store", tensor.name))
        target = b.matrix(tensor).text
        self.meaning.append(Node(f"{target} = {stored.meaning.text};"))
        return tensor, word


OUTPUTS = ["f32", "bf16", "f16", "i32", "bf16", "f32", "i8", "u8", "i16", "i64", "u32", "fp8_e4m3", "fp8_e5m2"]
