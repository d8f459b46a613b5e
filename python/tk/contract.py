"""The contract of a function (tkc --emit=contract), and the sizes and messages derived from it, in Python's terms."""
import keyword

READ = ("in", "inout")
MADE = ("out", "accumulate")


class Parameter:
    """One parameter; `mode` is None for a number."""

    def __init__(self, row):
        self.name = row["name"]
        self.dtype = row["dtype"]
        self.mode = row.get("mode")
        self.shape = row.get("shape")  # as text, over the extents: [B, H, 128]
        self.extents = row.get("extents", [])
        # What Python calls it: a parameter of a .tk may be called `lambda`, and `_x` is a name of tk.launch's own.
        self.python_name = self.name + "_" if keyword.iskeyword(self.name) else self.name
        if self.name.startswith("_"):
            self.python_name = "p" + self.name

    @property
    def is_tensor(self):
        return self.mode is not None

    def __str__(self):
        return f"{self.name}: {self.dtype}{self.shape if self.is_tensor else ''}"


class Contract:
    """One function of a program."""

    def __init__(self, row):
        self.name = row["name"]
        self.symbol = row["symbol"]
        self.kind = row["kind"]
        self.deterministic = row["deterministic"]
        self.workspace = row["workspace"]  # whether a call may need memory next to its arguments
        self.constants = row["constants"]
        self.launches = row["launches"]
        # Of a kernel's function: the kernels among which its launcher chooses. None is compared with a general one.
        self.candidates = self.launches[0]["kernels"] if self.kind == "kernel" else []
        self.conditions = row["conditions"]
        self.bindings = row["bindings"]
        self.parameters = [Parameter(p) for p in row["parameters"]]
        self.inputs = [p for p in self.parameters if p.mode is None or p.mode in READ]
        self.outputs = [p for p in self.parameters if p.mode in MADE]
        self.scratch = [p for p in self.parameters if p.mode == "scratch"]
        self.tensors = [p for p in self.parameters if p.is_tensor]
        self.scalars = [p for p in self.parameters if not p.is_tensor]
        self.by_name = {p.name: p for p in self.parameters}
        named = {name for p in self.tensors for extent in p.extents for name in names_in(extent)}
        self.extent_numbers = [p for p in self.scalars if p.name in named]
        # Kernels of the same parameters whose constant extents differ: the launcher takes the one that fits.
        self.others = [Contract({**row, **other, "others": []}) for other in row["others"]]

    def signature(self):
        """attention(Q: bf16[..], .., *, O: bf16[..] = None) -> O, LSE"""
        words = [str(p) for p in self.inputs]
        optional = [f"{p} = None" for p in self.outputs + self.scratch]
        if optional:
            words += ["*", *optional]
        made = ", ".join(p.name for p in self.outputs)
        return f"{self.name}({', '.join(words)})" + (f" -> {made}" if made else "")

    def description(self):
        """The signature, and the criteria of the launcher if it has a choice."""
        if sum(not kernel["general"] for kernel in self.candidates) < 2:
            return self.signature()
        lines = [self.signature(), "", "The cheapest kernel that accepts the arguments runs. Cost: waves of programs over the "
                 "SMs, times cycles."]
        for kernel in self.candidates:
            constants = ", ".join(f"{name} = {value}" for name, value in kernel["constants"].items())
            last = "; fallback" if kernel["general"] else ""
            lines += [f"  {kernel['name']}: {constants}{last}",
                      f"      {kernel['programs']} programs of {kernel['cycles']} cycles"]
        return "\n".join(lines)

    def extents_of(self, shapes, numbers):
        """The extents that follow from these shapes, by parameter, and numbers."""
        values = dict(numbers)
        waiting = [(self.by_name[name], axis) for name, shape in shapes.items() for axis in range(len(shape))]
        for b in self.bindings:
            if b["tensor"] in shapes and b["extent"] not in values:
                values[b["extent"]] = shapes[b["tensor"]][b["axis"]] - b["offset"]
        # A name that is alone somewhere is known; one that is a factor or a term may follow: 3*HKV is 12.
        while True:
            known = len(values)
            for parameter, axis in waiting:
                found = solve(parameter.extents[axis], shapes[parameter.name][axis], values)
                if found is not None:
                    values.setdefault(*found)
            if len(values) == known:
                return values

    def fit(self, shapes, numbers):
        """The kernel for these shapes, this one or one of the others, and its extents. Raises ValueError if none fits.

        `numbers`: the arguments that `extent_numbers` names.
        """
        refusals = []
        for contract in [self, *self.others]:
            # Outputs that are given do not say what the inputs are to be.
            read = {p.name: shapes[p.name] for p in self.inputs if p.name in shapes}
            extents = {**contract.extents_of(shapes, numbers), **contract.extents_of(read, numbers)}
            try:
                contract.check_shapes(shapes, extents)
                return contract, extents
            except ValueError as error:
                refusals.append(error)
        if len(refusals) == 1:
            raise refusals[0]
        given = ", ".join(f"`{name}` {tuple(shape)}" for name, shape in shapes.items())
        lines = [str(refusal).partition("(): ")[2] for refusal in refusals]
        raise ValueError("\n  ".join([f"{self.name}(): none of its kernels takes {given}:", *lines]))

    def check_shapes(self, shapes, values):
        """Raises ValueError if a shape contradicts the extents. The launch checks symbolic sizes."""
        for name, shape in shapes.items():
            parameter = self.by_name[name]
            for axis, extent in enumerate(parameter.extents):
                wanted = evaluate(extent, values)
                if isinstance(wanted, int) and isinstance(shape[axis], int) and wanted != shape[axis]:
                    raise ValueError(f"{self.name}(): `{name}` must have shape {parameter.shape}"
                                     f"{_where(parameter, values)}, got {tuple(shape)}: axis {axis} is {shape[axis]}, "
                                     f"must be {wanted}")

    def shape(self, parameter, values):
        """The shape of a tensor to be allocated; None if it does not follow from the extents."""
        shape = tuple(evaluate(e, values) for e in parameter.extents)
        return None if None in shape else shape


def _where(parameter, values):
    names = dict.fromkeys(n for e in parameter.extents for n in names_in(e) if n in values)
    return f" with {', '.join(f'{n} = {values[n]}' for n in names)}" if names else ""


def names_in(extent):
    """The names in an extent."""
    if isinstance(extent, str):
        return [extent]
    if isinstance(extent, list):
        return [name for argument in extent[1:] for name in names_in(argument)]
    return []


FUNCTIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b=None: -a if b is None else a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "ceil_div": lambda a, b: -(-a // b),
    "min": lambda a, b: a if a < b else b,
    "max": lambda a, b: b if a < b else a,
}


def evaluate(extent, values):
    """The value of an extent; None if a name is not known, or it is not plain arithmetic."""
    if isinstance(extent, str):
        return values.get(extent)
    if not isinstance(extent, list):
        return extent  # a number, or None
    function = FUNCTIONS.get(extent[0])
    arguments = [evaluate(a, values) for a in extent[1:]]
    return None if function is None or None in arguments else function(*arguments)


def solve(extent, value, values):
    """(name, value) where `extent` is a sum of one unknown name, times a number, and of what is known; else None."""
    unknown = {n for n in names_in(extent) if n not in values}
    if len(unknown) != 1:
        return None
    name = unknown.pop()
    line = _line(extent, values)
    if line is None or isinstance(line[0], int) and line[0] == 0:
        return None
    factor, rest = line
    found = (value - rest) // factor
    # Where it does not come out even, check_shapes tells.
    return name, found


def _line(extent, values):
    """(factor, rest) of an extent that is factor * unknown + rest; else None."""
    if isinstance(extent, str):
        return (0, values[extent]) if extent in values else (1, 0)
    if not isinstance(extent, list):
        return None if extent is None else (0, extent)
    if extent[0] not in ("+", "-", "*") or len(extent) != 3:
        return None
    a, b = (_line(argument, values) for argument in extent[1:])
    if a is None or b is None:
        return None
    if extent[0] == "+":
        return a[0] + b[0], a[1] + b[1]
    if extent[0] == "-":
        return a[0] - b[0], a[1] - b[1]
    if isinstance(a[0], int) and a[0] == 0:
        return a[1] * b[0], a[1] * b[1]
    if isinstance(b[0], int) and b[0] == 0:
        return a[0] * b[1], a[1] * b[1]
    return None
