# The `test` blocks of a random kernel: extents that are not multiples of the tiles, and layouts of all kinds.

# Elements of the largest tensor of a test, and multiplications of all its products: what keeps a test short.
MOST_ELEMENTS = 60_000
MOST_PRODUCTS = 4_000_000


class Tensor:
    """`mode` is what is before its name: in, out, inout or scratch."""

    def __init__(self, name, dtype, axes, tma=False, mode="in", fill=(-4, 4)):
        self.name, self.dtype, self.axes, self.tma, self.mode, self.fill = name, dtype, axes, tma, mode, fill
        self.out = mode == "out"
        self.bytes = {"f32": 4, "i32": 4, "u32": 4, "i64": 8, "bf16": 2, "f16": 2, "i16": 2}.get(dtype, 1)

    def extents(self):
        return ", ".join(str(axis) for axis in self.axes)

    def declaration(self):
        return f"{'' if self.mode == 'in' else self.mode + ' '}{self.name}: {self.dtype}[{self.extents()}]"


def sizes(choices, tile):
    """Extents that tile sizes make interesting."""
    return choices.pick([tile, 1, tile + 1, max(1, tile - 1), 2 * tile, 37, 63, 65, 8, 2 * tile + 8, 101, max(2, 3 * tile - 5),
                         tile // 2 or 1, 16])


def layout(choices, tensor, shape):
    """Arguments of a fill that place the tensor in memory, as TMA asks where it must serve."""
    unit = 16 // tensor.bytes
    order = list(range(len(shape)))
    how = choices.draw(4)
    if how == 0 and not (tensor.tma and shape[-1] % unit):
        return []
    if len(order) > 1 and how >= 2:  # other axes first in memory
        last = len(order) - (1 if tensor.tma else 0)
        moved = order[:last]
        at = choices.draw(len(moved))
        order = moved[at:] + moved[:at] + order[last:]
    strides = [0] * len(shape)
    stride = 1
    for place, axis in enumerate(reversed(order)):
        strides[axis] = stride
        stride *= max(1, shape[axis])
        if tensor.tma:
            stride = (stride + unit - 1) // unit * unit + unit * choices.draw(2)
        elif place == 0 and how == 1:
            stride += choices.pick([8, 1, 3, 0])
    if stride > 4 * MOST_ELEMENTS:
        return [] if not tensor.tma else None
    made = ["strides = [" + ", ".join(map(str, strides)) + "]"]
    if choices.chance(30):
        made.append(f"offset = {unit * choices.number(1, 3) if tensor.tma else choices.number(1, 9)}")
    return made


def make_test(choices, kernel, plan, name, constants=()):
    """A test as text, or None if its extents came out too large."""
    tiles = dict(plan.tiles)
    values = dict(plan.fixed)
    lines = [f"{key} = {value};" for key, value in constants]
    for extent, tile in tiles.items():
        if extent in values:
            continue
        if isinstance(tile, list):
            values[extent] = choices.pick(tile)
        else:
            values[extent] = sizes(choices, tile)
            if extent in plan.multiples:
                step = plan.multiples[extent]
                values[extent] = (values[extent] + step - 1) // step * step
    if choices.chance(4):
        empty = choices.pick(sorted(tiles))
        if empty not in plan.multiples and empty not in plan.positive:
            values[empty] = 0
    if plan.work(values) > MOST_PRODUCTS:
        return None
    lines += [f"{extent} = {value};" for extent, value in values.items()]
    lines += [f"{parameter} = {choices.pick(list(options))};" for parameter, options in plan.parameters.items()]
    for tensor in plan.tensors:
        shape = [values.get(axis, axis) for axis in tensor.axes]
        elements = 1
        for extent in shape:
            elements *= extent
        if elements > MOST_ELEMENTS:
            return None
        if tensor.mode == "scratch":
            continue
        where = layout(choices, tensor, shape)
        if where is None:
            return None
        if tensor.out:
            if where:
                lines.append(f"{tensor.name} = layout({', '.join(where)});")
        elif tensor.fill == "special":
            lines.append(f"{tensor.name} = special({', '.join(['inf', '-inf', 'nan', 'denormal', 'large', '0'] + where)});")
        elif isinstance(tensor.fill, str):
            lines.append(f"{tensor.name} = {tensor.fill};")
        else:
            low, high = tensor.fill(values) if callable(tensor.fill) else tensor.fill
            lines.append(f"{tensor.name} = ints({', '.join([str(low), str(high)] + where)});")
    names = ", ".join(kernel.results)
    lines.append(f"expect {names} ~ reference within {plan.within};")
    return f"test {name} {{ {' '.join(lines)} }}"


class Plan:
    """What the tests of a kernel need to know."""

    def __init__(self):
        self.tiles = {}  # extent -> size of its tiles, or a list of values
        self.fixed = {}
        self.multiples = {}
        self.positive = set()
        self.parameters = {}  # name -> values
        self.tensors = []
        self.within = "0"
        self.products = []  # extents whose product is the work

    def work(self, values):
        total = 0
        for product in self.products:
            size = 1
            for axis in product:
                size *= max(1, values.get(axis, axis) if isinstance(axis, str) else axis)
            total += size
        return total
