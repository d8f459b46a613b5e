# Grows expressions at random: a pool of values that are in scope, joined step by step into a tile of the wanted
# shape and data type.
from dataclasses import replace

import random_expressions as ex

COMPARISONS = ["<", "<=", "==", "!=", ">", ">="]


class Pool:
    """`leaves` are the values in scope: tiles, rows, columns, numbers, places. `calls` declares functions, or is None."""

    def __init__(self, choices, rows, cols, leaves, functions=None, selection_only=False):
        self.choices = choices
        self.rows, self.cols = rows, cols
        self.leaves = list(leaves)
        self.functions = functions
        self.selection_only = selection_only

    def grow(self, dtype, steps=None, start=None, approximate=False):
        """A tile of `dtype`, made of `start` (or a leaf) by some steps."""
        value = start or self.tile()
        steps = self.choices.number(0, 5) if steps is None else steps
        for _ in range(steps):
            made = self.step(value)
            if made is not None and self.fits(made):
                value = made
        if approximate and value.exact:
            made = self.approximated(value)
            value = made if made is not None else value
        return self.fit(value, dtype)

    def fits(self, made):
        """A whole tile still, of numbers and texts that are not too large."""
        short = len(made.code.text) < 400 and len(made.meaning.text) < 700
        return short and made.bound < 2**20 and (made.rows, made.cols) == (self.rows, self.cols)

    def tile(self):
        full = [v for v in self.leaves if v.rows == self.rows and v.cols == self.cols and v.dtype != "bool" and v.name]
        return self.choices.pick(full)

    def fit(self, value, dtype):
        """The value in the wanted type, made smaller where it would not fit."""
        if dtype in ex.LARGEST and value.bound > ex.LARGEST[dtype]:
            value = value if value.dtype in ("f32", "i32") else ex.cast("f32", value)
            value = ex.clamped(value, 256) if value is not None else None
        return value if value is None or value.dtype == dtype else ex.cast(dtype, value)

    def approximated(self, value):
        made = ex.approximate(self.choices, value)
        if made is None:
            return None
        other = self.tile()
        if other.is_real() and other.bound < 2**12:
            how = self.choices.draw(4)
            joined = None
            if how == 1:
                joined = ex.arithmetic("*", other, made)
            elif how == 2:
                mask = self.condition(made)
                joined = ex.where(mask, made, other) if mask is not None else None
            elif how == 3:
                joined = ex.extreme("max", made, other)
            if joined is not None and joined.dtype == "f32":
                return joined
        return made

    def operand(self, value):
        """Something to join with `value`: a leaf, or a number of the program."""
        kind = self.choices.draw(4)
        if kind == 0 or self.selection_only:
            return ex.number(self.choices.pick([1, 2, 3, 0, -1, -3, 4, 7]))
        if kind == 1 and value.is_real():
            return ex.fraction(self.choices.pick([0.5, 2.0, 1.5, -0.25, 0.125, -1.0]))
        return self.leaf(value)

    def leaf(self, value):
        """A leaf, in a type that joins with the value's."""
        other = self.choices.pick(self.leaves)
        if other.dtype == "bool":
            return other
        if ex.common(value.dtype, other.dtype) is not None and "bool" not in (value.dtype, other.dtype):
            return other
        dtype = self.choices.pick(["f32", value.dtype])
        return ex.cast(dtype, other) or other

    def condition(self, value):
        """A tile of bools, or a single one."""
        kind = self.choices.draw(5)
        if kind >= 3:
            first, second = self.condition(value), self.condition(value)
            if first is None or second is None:
                return None
            if kind == 4:
                first = ex.negated_truth(first)
            return ex.logic(self.choices.pick(["and", "or"]), first, second)
        operator = self.choices.pick(COMPARISONS)
        if kind == 0:
            places = [v for v in self.leaves if v.dtype == "i32" and not v.scalar]
            if places:
                return ex.compare(operator, self.choices.pick(places), ex.number(self.choices.pick([3, 0, 17, 64, 100])))
        if value.dtype == "bool":
            return value
        other = self.leaf(value) if kind == 1 and not self.selection_only else ex.number(self.choices.pick([0, 1, -2]))
        if other.dtype == "bool":
            return other
        made = ex.compare(operator, value, other)
        return made if made is not None else ex.compare(operator, value, ex.number(1))

    def step(self, value):
        """One function more around the value, or None where what was chosen does not fit."""
        if value.dtype == "bool":
            return ex.cast("f32", value)
        if self.selection_only:
            kind = self.choices.pick(["min", "max", "where", "neg", "abs"])
        else:
            kind = self.choices.pick(["+", "*", "-", "min", "max", "where", "abs", "neg", "reversed -", "fma", "cast",
                                      "integers", "mask", "call"])
        if kind in ("+", "-", "*"):
            return ex.arithmetic(kind, value, self.operand(value))
        if kind == "reversed -":
            return ex.arithmetic("-", self.operand(value), value)
        if kind in ("min", "max"):
            return ex.extreme(kind, value, self.operand(value))
        if kind == "abs":
            return ex.absolute(value)
        if kind == "neg":
            return ex.negated(value)
        if kind == "where":
            mask = self.condition(value)
            other = self.operand(value)
            if mask is None or not value.exact:
                return None
            return ex.where(mask, value, other) if self.choices.chance(50) else ex.where(mask, other, value)
        if kind == "fma":
            return ex.fused(value, self.operand(value), self.operand(value))
        if kind == "cast":
            dtype = self.choices.pick_type(["f32", "bf16", "f16", "i32", "i8", "u8", "i16", "i64", "u32", "fp8_e4m3",
                                            "fp8_e5m2"])
            return ex.cast(dtype, value)
        if kind == "integers":
            whole = value if value.dtype in ("i32", "i64") else ex.cast("i32", value)
            operator = self.choices.pick(["//", "%", "ceil_div"])
            return None if whole is None else ex.divided(operator, whole, self.choices.pick([2, 3, 7, 16]))
        if kind == "mask":
            mask = self.condition(value)
            return None if mask is None else ex.cast(self.choices.pick(["f32", "i32"]), mask)
        return self.call(value)

    def call(self, value):
        """A function of the file, made for this place: its body is grown over its parameters."""
        if self.functions is None or value.scalar or value.dtype == "bool" or len(self.functions) >= 3:
            return None
        arguments = [value]
        if self.choices.chance(60):
            other = self.choices.pick(self.leaves)
            if other.dtype != "bool":
                arguments.append(other)
        taken = []
        signature = []
        for place, argument in enumerate(arguments):
            name = f"x{place}"
            meaning = ex.Text(argument.meaning.inside(ex.POSTFIX))
            if argument.scalar:
                if argument.dtype == "number":
                    continue
                signature.append(f"{name}: {argument.dtype}")
            else:
                extents = ", ".join(("R" if n == self.rows else "1", "C" if n == self.cols else "1")[axis]
                                    for axis, n in enumerate((argument.rows, argument.cols)))
                signature.append(f"{name}: {argument.dtype}[{extents}]")
            taken.append((argument, replace(argument, code=ex.Text(name), meaning=meaning, name=name)))
        full = taken[0][1]
        if (full.rows, full.cols) != (self.rows, self.cols):
            return None
        leaves = [inner for _, inner in taken]
        # No places: row_index counts inside of the tile here, and inside of the whole matrix in the reference.
        inner = Pool(self.choices, self.rows, self.cols, leaves, None, self.selection_only)
        body = inner.grow(full.dtype, self.choices.number(1, 4), full)
        if body is None:
            return None
        lines = []
        name = f"f{len(self.functions)}"
        if self.choices.chance(30):
            lines.append(f"let y = {body.code.text};")
            result = ex.Text("y")
        else:
            result = body.code
        parameters = list(signature)
        given = [outer.code for outer, _ in taken]
        if self.choices.chance(30):  # a branch that is decided when the kernel is compiled
            parameters.append("const FLAG: bool")
            given.append(ex.Text("true"))
            lines.insert(0, "if not FLAG { return x0; }")
        lines.append(f"return {result.text};")
        head = f"fn {name}({', '.join(parameters)}) -> {body.dtype}[R, C]"
        self.functions.append(f"{head} {{ {' '.join(lines)} }}")
        return replace(body, code=ex.call(name, *given), name="")
