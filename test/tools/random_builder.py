# What all families of random kernels are made with: tensors and their slices, pipelines and who fills them, the values
# that expressions start from, and the statements between the last element and the stores.
import random_expressions as ex
from random_pool import Pool
from random_tests import Plan, Tensor
from random_text import Kernel, Node, Pipeline, Role

SHARED_MEMORY = 150_000  # of pipelines; the rest is for staging


class Builder:
    def __init__(self, choices):
        self.choices = choices
        self.kernel = Kernel()
        self.plan = Plan()
        self.functions = self.kernel.functions
        self.batch = []  # (grid variable, extent)
        self.names = 0
        self.exact = True
        self.approximate = False
        self.used_bytes = 0
        self.scalars = []
        self.special = False

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    # ---- the frame

    def constant(self, name, value):
        """The extent of a tile: a constant of the kernel, or a number."""
        if self.choices.chance(60):
            self.kernel.constants.append((name, value))
            return name
        return str(value)

    def set_batch(self):
        for var, extent in (("z", "Z"), ("h", "H"))[: self.choices.pick([0, 0, 1, 2])]:
            self.batch.append((var, extent))
            self.plan.tiles[extent] = [1, 2, 3]

    def set_grid(self, axes, cluster=True):
        """axes: (variable, extent, width). Returns the axis along which programs form clusters, and their number."""
        items = [f"{v} in {e} by {w}" for v, e, w in axes] + [f"{v} in {e}" for v, e in self.batch]
        tiled = [v for v, _, _ in axes]
        if self.choices.chance(30):
            at = self.choices.draw(len(items))
            items = items[at:] + items[:at]
        words = []
        if self.choices.chance(40):
            words.append("persistent")
        first = items[0].split()[0]
        size = self.choices.pick([2, 4]) if cluster and self.choices.chance(20) else 1
        if self.choices.chance(30) or (size > 1 and first not in tiled):
            first = self.choices.pick(tiled)
            words.append(f"raster({first}, {size * self.choices.pick([1, 2, 8])})")
        if size > 1:
            words.append(f"cluster({first} = {size})")
            self.kernel.tags.add("cluster")
        self.kernel.tags.update(w.split("(")[0] for w in words)
        self.kernel.grid = f"grid ({', '.join(items)}){''.join(' ' + w for w in words)};"
        return (first, size) if size > 1 else (None, 1)

    def add_scalars(self, dtypes=("f32", "i32", "i64")):
        """Parameters that are numbers."""
        for name, dtype, values, bound, bits in (("scale", "f32", [0.5, 2, -1, 0.25], 2, 2),
                                                 ("step", "i32", [1, 0, 3, -2], 3, 0),
                                                 ("wide", "i64", [1, 5, -100], 100, 0)):
            if not self.choices.chance(25) or dtype not in dtypes or (self.choices.core and dtype not in ("f32", "i32")):
                continue
            self.kernel.parameters.append(f"{name}: {dtype}")
            self.kernel.reads.append(name)
            self.plan.parameters[name] = values
            text = ex.Text(name)
            self.scalars.append(ex.Value(text, text, dtype, bound, bits, scalar=True))

    # ---- tensors

    def tensor(self, dtype, rows, cols, tma=False, batched=True, mode="in", fill=None, extra=()):
        """A tensor with axes `rows` and `cols` (extents, numbers, or None) in this order, and some of the batch's."""
        axes = [axis for axis in (*extra, rows, cols) if axis is not None]
        written = mode != "in"
        for _, extent in self.batch:
            if written or (batched and self.choices.chance(70)):
                last = len(axes) if self.choices.chance(20) and not tma else len(axes) - 1
                axes.insert(self.choices.draw(max(1, last + (1 if last == len(axes) else 1))), extent)
        axes = axes[:5] if len(axes) > 5 else axes
        low_high = fill if fill is not None else ((0, 5) if dtype in ("u8", "u32") else (-4, 4))
        made = Tensor(self.name({"in": "A", "out": "C", "inout": "Z", "scratch": "S"}[mode]), dtype, axes, tma, mode, low_high)
        self.plan.tensors.append(made)
        (self.kernel.outputs if written else self.kernel.parameters).append(made.declaration())
        if mode in ("in", "inout"):
            self.kernel.reads.append(made.name)
        if mode in ("out", "inout"):
            self.kernel.results.append(made.name)
        self.kernel.tags.add(f"rank {len(axes)}")
        self.kernel.tags.add(mode)
        self.kernel.tags.add(dtype)
        return made

    def slice(self, tensor, subscripts):
        """In the kernel: extents name their axes, `subscripts` says what stands for them."""
        known = {extent: var for var, extent in self.batch} | subscripts
        return f"{tensor.name}[{', '.join(str(known.get(axis, ':')) for axis in tensor.axes)}]"

    def matrix(self, tensor, subscripts=None):
        """In the reference: what is left when the batch's axes are numbers."""
        known = {extent: var for var, extent in self.batch} | (subscripts or {})
        if not any(axis in known for axis in tensor.axes):
            return ex.Text(tensor.name)
        return ex.Text(f"{tensor.name}[{', '.join(str(known.get(axis, ':')) for axis in tensor.axes)}]")

    def bound_of(self, tensor):
        return 5 if tensor.dtype in ("u8", "u32") else 4

    def loader(self, tensor, rows, cols):
        """`load` or `tma_load`, where TMA can serve."""
        return "tma_load" if self.can_be_tma(tensor, rows, cols) and self.wants_tma(tensor) else "load"

    def can_be_tma(self, tensor, rows, cols):
        if tensor.axes[-1] in [extent for _, extent in self.batch] or tensor.dtype == "i64":
            return False
        last = tensor.axes[-1]
        if tensor.mode == "scratch" and (isinstance(last, str) or last * tensor.bytes % 16 != 0):
            return False  # its rows lie side by side
        return rows > 1 and cols > 1 and cols * tensor.bytes % 32 == 0 and rows % 8 == 0 and rows <= 256

    def wants_tma(self, tensor):
        if not tensor.tma and not self.choices.chance(45):
            return False
        tensor.tma = True
        self.kernel.tags.add("tma")
        return True

    # ---- pipelines and roles

    def pipeline(self, fields, stages=None):
        """fields: (name, dtype, rows, cols) with numbers or names of constants."""
        values = dict((name, value) for name, value in self.kernel.constants)
        sized = [(n, d, int(values.get(r, r)), int(values.get(c, c))) for n, d, r, c in fields]
        one = Pipeline("", 1, sized).bytes(ex.BYTES)
        room = max(1, (SHARED_MEMORY - self.used_bytes) // max(1, one))
        stages = stages or min(self.choices.pick([2, 1, 3, 4, 5]), room)
        made = Pipeline(self.name("p"), stages, fields)
        self.used_bytes += stages * one
        self.kernel.pipelines.append(made)
        return made

    def service(self, body):
        """A role that only loads."""
        unit, width = self.choices.pick([("warp", 1), ("warp", 1), ("warp", 4), ("warp", 2), ("warpgroup", 1), ("warp", 3)])
        self.kernel.roles.append(Role(self.name("load_"), width, unit, body))
        self.kernel.tags.add(f"service {width} {unit}")

    # ---- expressions

    def places(self, code, meaning, rows, cols, row_start, col_start):
        """The row and the column of a cell in the whole matrix."""
        made = []
        for function, start in (("row_index", row_start), ("col_index", col_start)):
            if start is None:
                continue
            inner = ex.call(function, code)
            text = inner if start == "0" else ex.infix(ex.Text(start), "+", inner)
            made.append(ex.Value(text, ex.call(function, meaning), "i32", 4096, 0, rows, cols))
        return made

    def grow(self, value, leaves, dtype, steps=None, approximate=False):
        """An expression of the value's shape around it; the value itself, cast, where nothing came of it."""
        pool = Pool(self.choices, value.rows, value.cols, [value, *leaves, *self.scalars], self.functions, self.special)
        made = pool.grow(dtype, steps, value, approximate) or pool.fit(value, dtype)
        if made is None:  # too large for the type, or no single rounding away
            made = ex.cast("f32", value) or value
            made = (pool.fit(ex.clamped(made, 100), dtype) or made) if dtype != "f32" else made
        self.exact = self.exact and made.exact
        return made

    def side_inputs(self, value, row_axis, col_axis, row_start, col_start):
        """Loads where they are used: whole tiles, rows and columns; places; extents."""
        made = []
        rows, cols = value.rows, value.cols
        subscripts = {row_axis[0]: row_axis[1], col_axis[0]: col_axis[1]}
        for kind in ("row", "column", "tile"):
            if self.special or not self.choices.chance(25):
                continue
            dtype = self.choices.pick_type(["f32", "bf16", "f16", "i32", "i8"])
            self.kernel.tags.add("side " + kind)
            if kind == "row":
                tensor = self.tensor(dtype, None, col_axis[0])
                shape = (1, cols)
            elif kind == "tile":
                if rows * cols > 128 * 128:
                    continue
                tensor = self.tensor(dtype, row_axis[0], col_axis[0])
                shape = (rows, cols)
            else:
                tensor = self.tensor(dtype, row_axis[0], 3)
                shape = (rows, 1)
            where = dict(subscripts)
            meant = {}
            if kind == "column":
                where[3] = meant[3] = f"{self.choices.draw(3)} +: 1"
            code = ex.Text(f"load({self.slice(tensor, where)})")
            made.append(ex.Value(code, self.matrix(tensor, meant), dtype, self.bound_of(tensor), 0, *shape))
        made += self.places(value.code, value.meaning, rows, cols, row_start, col_start)
        for var, _ in self.batch:
            made.append(ex.Value(ex.Text(var), ex.Text(var), "i32", 4, 0, scalar=True))
        for extent in (row_axis[0], col_axis[0]):
            if isinstance(extent, str):
                made.append(ex.Value(ex.Text(extent), ex.Text(extent), "i32", 1024, 0, scalar=True))
        return made

    def start_of_tile(self, value, variable, width, by_row):
        """`m.start` as a number; the reference knows it from the place of the cell."""
        index = ex.call("row_index" if by_row else "col_index", value.meaning)
        meaning = ex.infix(ex.infix(index, "//", ex.number(width).code), "*", ex.number(width).code)
        return ex.Value(ex.Text(f"{variable}.start"), meaning, "i32", 2048, 0, scalar=True)

    def batch_loop(self, nodes):
        """Reference statements for every place of the batch."""
        if not self.batch:
            return nodes
        return [Node("for " + ", ".join(f"{v} in {e}" for v, e in self.batch), "", "", nodes)]

    def finish(self):
        """The tolerance that the functions used allow, or none."""
        if self.exact:
            self.plan.within = "0"
            return
        self.kernel.tags.add("approximate")
        narrow = any(t.dtype in ("bf16", "f16") for t in self.plan.tensors if t.out)
        # Half a unit in the last place of bf16 is up to 2^-8, and f32 may be made of it.
        self.plan.within = "1.2e-2" if narrow else "5e-3"
