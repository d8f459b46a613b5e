# Kernels whose warps multiply by themselves: operands of every type, order and place, grids of warps of every form, with
# roles, without, and with roles that are derived.
import random_expressions as ex
from random_builder import Builder
from random_text import Bare, Node, Role

TYPES = [("bf16", "bf16"), ("i8", "i8"), ("f32", "f32"), ("f16", "f16"), ("u8", "i8"), ("i8", "u8"), ("u8", "u8")]


class Operand:
    """A tensor, the tile of it that a step takes, and its matrix."""

    def __init__(self, b, choices, dtype, outer, tile, step, loaded):
        self.b, self.dtype, self.left = b, dtype, outer == "M"
        self.form = choices.pick(["plain", "turned", "computed"])
        narrow = ex.BYTES[dtype] == 1
        if self.form == "turned" and not loaded:  # `.T` of a field is a view of shared memory
            self.form = "plain"
        self.along = choices.chance(50) or (narrow and self.form != "turned")  # K follows in memory
        if self.form == "turned" and (self.along or not narrow):
            self.form = "plain"
        b.kernel.tags.add(f"{'a' if self.left else 'b'} {self.form} {dtype}{'' if self.along else ' across'}")
        axes = (outer, "K") if self.along else ("K", outer)
        shape = {outer: tile, "K": step}
        self.rows, self.cols = (shape[axis] for axis in axes)
        self.tensor = b.tensor(dtype, *axes)
        matrix = b.matrix(self.tensor)
        if self.along != self.left:
            matrix = ex.Text(f"{matrix.inside(ex.POSTFIX)}.T")
        self.meaning = f"({matrix.text} * 2)" if self.form == "computed" else matrix.inside(ex.PRODUCT)

    def slice(self):
        return f"load({self.b.slice(self.tensor, {'M': 'm', 'N': 'n', 'K': 'k'})})"

    def statement(self, source, name):
        """What is before the product, and the operand of what is there then."""
        if self.form == "turned":  # in registers: no load from shared memory turns it
            return [Node(f"let {name} = {source}.T;")], name if self.left else f"{name}.T"
        if self.form == "computed":
            wide = source if self.dtype == "f32" else f"{'i32' if ex.BYTES[self.dtype] == 1 else 'f32'}({source})"
            value = f"{wide} * 2" if self.dtype == "f32" else f"{self.dtype}({wide} * 2)"
            return [Node(f"let {name} = {value};")], name + self.turn()
        return [], source + self.turn()

    def turn(self):
        return "" if self.along == self.left else ".T"


def make(choices):
    b = Builder(choices)
    kernel = b.kernel
    left_type, right_type = choices.pick(TYPES)
    sums = "i32" if ex.BYTES[left_type] == 1 else "f32"
    down, across = choices.pick([1, 2, 4, 3]), choices.pick([1, 2])
    bm, bn = 16 * down * choices.pick([1, 2]), 8 * across * choices.pick([1, 2, 4, 5])
    bk = 32 // ex.BYTES[left_type] * choices.pick([1, 2, 4])
    b.plan.tiles.update(M=bm, N=bn, K=bk)
    b.plan.products.append(["M", "N", "K"])
    b.set_batch()
    items = [f"m in M by {bm}", f"n in N by {bn}"] + [f"{var} in {extent}" for var, extent in b.batch]
    kernel.grid = f"grid ({', '.join(items)});"
    # Without roles, warpgroups multiply 16 bits where they can: with rules of their own.
    groups = ex.BYTES[left_type] == 2 and down * across % 4 == 0
    form = "roles" if groups else choices.pick(["bare", "roles", "derived"])
    a, c = (Operand(b, choices, dtype, outer, tile, bk, form != "roles")
            for dtype, outer, tile in ((left_type, "M", bm), (right_type, "N", bn)))
    out = b.tensor(choices.pick([sums, "f32"]), "M", "N", mode="out")
    kernel.tags.add(f"warps {down * across}")
    if form == "derived" and "plain" not in (a.form, c.form):
        form = "bare"  # no load could run ahead
    kernel.tags.add(f"products of warps, {form}")

    def product(left, right):
        before, x = a.statement(left, "x")
        more, y = c.statement(right, "y")
        if left_type == "f32":
            x, y = f"tf32({x})", f"tf32({y})"
        return [*before, *more, Node(f"acc += mma({x}, {y});", "mma", "acc")]

    loop = f"for k in K by {bk}" + (f" pipelined({choices.pick([2, 1, 3])})" if form == "derived" else "")
    body = [Node(f"var acc: {sums}[{bm}, {bn}] = 0;")]
    if form == "roles":
        pipeline = b.pipeline([("a", left_type, a.rows, a.cols), ("c", right_type, c.rows, c.cols)])
        fill = Node(f"produce {pipeline.name} {{ a = {a.slice()}; c = {c.slice()}; }}", "produce", pipeline.name)
        b.service([Node(loop, "", "", [fill])])
        body.append(Node(loop, "", "", [Node(f"let s = consume {pipeline.name};", "consume", pipeline.name),
                                        *product("s.a", "s.c")]))
    else:
        body.append(Node(loop, "", "", product(a.slice(), c.slice())))
    value, meaning = choices.pick([("acc", "acc"), ("acc * 2 + 1", "acc * 2 + 1")])
    if out.dtype != sums:
        value = f"f32({value})"
    body.append(Node(f"store({b.slice(out, {'M': 'm', 'N': 'n'})}, {value});", "store", out.name))
    width = down * across
    kernel.roles.append(Role("consumer", width, "warp", body) if form == "roles" else Bare("", width, "warp", body))
    kernel.reference = b.batch_loop([Node(f"let acc = {a.meaning} @ {c.meaning};"),
                                     Node(f"{b.matrix(out).text} = {meaning};")])
    return kernel, b.plan
