"""Calling launchers (docs/launcher.md) by ctypes, with little to do for a call like the one before it.

What a call needs is kept by the geometry of its tensors: shape, strides, dtype, device. For a geometry that was seen before
only addresses and numbers are written, into a frame: the arguments of the C function, which one call uses at a time. They are
ctypes' own objects, which it passes on at a third of what it takes to convert Python's. The function that does so is made
from the contract, so that it has the kernel's own parameters: Python itself tells which is missing.
"""
import ctypes
import keyword

from . import arguments, dtypes, tensors
from .errors import LaunchError

_C_TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8, "i16": ctypes.c_int16,
            "i32": ctypes.c_int32, "i64": ctypes.c_int64, "u8": ctypes.c_uint8, "u32": ctypes.c_uint32,
            "bool": ctypes.c_bool}

_WORDS = ctypes.sizeof(tensors.DLTensor) // 8  # a frame is written as words: the address is the first of each tensor's
_MOST_PLANS = 1024  # of one function; then they are made anew


class Frame:
    """The arguments of one call."""

    def __init__(self, contract, geometries):
        self.tensors = (tensors.DLTensor * len(geometries))()
        self.keep = []
        for t, g in zip(self.tensors, geometries):
            self.keep.append(tensors.describe(t, g))
        self.words = memoryview(self.tensors).cast("B").cast("Q")
        self.numbers = tuple(_C_TYPES[p.dtype]() for p in contract.scalars)
        self.work, self.size, self.stream = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p()
        self.inputs = (*map(ctypes.byref, self.tensors), *self.numbers)
        self.all = (*self.inputs, self.work, self.size, self.stream)
        self.parts = (self.words, self.stream, self.all, *self.numbers)


class Plan:
    """What is known of all calls with the same geometry."""

    def __init__(self, contract, geometries, missing):
        self.contract, self.geometries = contract, geometries
        self.index = geometries[0].index if geometries else 0
        self.missing = missing  # (shape, dtype) of what is to be made, by place among the tensors; None: given
        self.frames = []

    def frame(self):
        return Frame(self.contract, self.geometries)


class Launcher:
    """The C functions of one function of a library."""

    def __init__(self, contract, library):
        self.contract = contract
        self.run = getattr(library, contract.symbol)
        self.run.restype = ctypes.c_int
        self.workspace = getattr(library, contract.symbol + "_workspace")
        self.workspace.restype = ctypes.c_size_t
        self.sentence = getattr(library, contract.symbol + "_error")
        self.sentence.argtypes, self.sentence.restype = [], ctypes.c_char_p
        self.plans = {}

    def failure(self, code):
        """The exception for a launcher's code; the sentence is the calling thread's."""
        text = self.sentence().decode()
        return ValueError(text) if code in (1, 2) else LaunchError(text, code)

    def number(self, name, value):
        return arguments.number(self.contract.name, name, self.contract.by_name[name].dtype, value)

    def plan(self, given):
        """The plan for these arguments, which are checked."""
        checked = arguments.check(self.contract, given, tensors.CUDA)
        geometries, missing = [], []
        for p in self.contract.tensors:
            if p.name in checked.views:
                geometries.append(checked.views[p.name].geometry)
                missing.append(None)
            else:
                shape, dtype = checked.missing[p.name]
                first = checked.views[next(iter(checked.views))].geometry
                geometries.append(tensors.Geometry(shape, tensors.dense_strides(shape), dtype, tensors.CUDA, first.index, dtype))
                missing.append((shape, dtype))
        return Plan(self.contract, geometries, missing), checked

    def remember(self, key, given):
        """The plan of a new geometry of PyTorch's tensors."""
        plan, _ = self.plan(given)
        torch = tensors.torch()
        plan.missing = [None if m is None else (m[0], dtypes.to_torch(m[1])) for m in plan.missing]
        plan.device = torch.device("cuda", plan.index)
        if len(self.plans) >= _MOST_PLANS:
            self.plans.clear()
        self.plans[key] = plan
        return plan

    def general(self, given):
        """A call with tensors of any library."""
        plan, checked = self.plan(given)
        made = arguments.make(checked)
        frame = plan.frame()
        views = [checked.views[p.name] if p.name in checked.views else tensors.view(made[p.name])
                 for p in self.contract.tensors]
        for i, v in enumerate(views):
            frame.words[_WORDS * i] = v.address
        for p, place in zip(self.contract.scalars, frame.numbers):
            place.value = self.number(p.name, given[p.name])
        size = self.workspace(*frame.inputs) if self.contract.workspace else 0
        work = tensors.empty(checked.like, (size,), "u8") if size > 0 else None
        frame.work.value, frame.size.value = tensors.view(work).address if size > 0 else None, size
        frame.stream.value = tensors.current_stream(checked.like)
        code = self.run(*frame.all)
        if code != 0:
            raise self.failure(code)
        results = tuple(made.get(p.name, given[p.name]) for p in self.contract.outputs)
        return results[0] if len(results) == 1 else results or None


def _raw_stream():
    """PyTorch's current stream of a device, as a number; by a short way where it has one."""
    torch = tensors.torch()
    short = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return short or (lambda index: torch.cuda.current_stream(index).cuda_stream)


def python_name(contract):
    """What the Python function is called: a kernel may be called `lambda`."""
    return contract.name + "_" if keyword.iskeyword(contract.name) else contract.name


def parameters_text(contract):
    """The parameters of the Python function."""
    words = [p.python_name for p in contract.inputs]
    optional = [f"{p.python_name}=None" for p in contract.outputs + contract.scratch]
    return ", ".join(words + (["*", *optional] if optional else []))


def given_text(contract):
    return "{" + ", ".join(f"{p.name!r}: {p.python_name}" for p in contract.parameters) + "}"


def source_of(contract):
    """The text of the function that calls a launcher, for PyTorch's tensors; others go the general way."""
    def geometry(n):
        # Where a tensor is dense, its shape says the strides; those of axes of one element may be anything.
        return f"{n}.shape, {n}.is_contiguous() or {n}.stride(), {n}.dtype, {n}.get_device()"

    optional = contract.outputs + contract.scratch
    key = [geometry(p.python_name) for p in contract.inputs if p.is_tensor]
    key += [f"None if {p.python_name} is None else ({geometry(p.python_name)})" for p in optional]
    key += [f"_number({p.name!r}, {p.python_name})" for p in contract.extent_numbers]
    lines = [f"def {python_name(contract)}({parameters_text(contract)}):"]
    add = lines.append
    add("    try:")
    add(f"        _key = ({', '.join(key)},)")
    add("    except (AttributeError, TypeError):")  # no tensors of PyTorch; what is wrong is found there
    add(f"        return _general({given_text(contract)})")
    add("    _plan = _plans.get(_key)")
    add("    if _plan is None:")
    add(f"        _plan = _remember(_key, {given_text(contract)})")
    for p in contract.scalars:
        fast = {"f32": "float", "f64": "float", "bool": "bool", "i64": "int", "i32": "int"}.get(p.dtype)
        test = f"type({p.python_name}) is not {fast}"
        if fast == "int":
            bits = arguments.RANGES[p.dtype] - 1
            test += f" or not -{1 << bits} <= {p.python_name} < {1 << bits}"
        elif p.dtype == "f32":  # what is larger, and what is not finite
            test += f" or not -{arguments.LARGEST_F32} <= {p.python_name} <= {arguments.LARGEST_F32}"
        test = f"if {test}: " if fast else ""
        add(f"    {test}{p.python_name} = _number({p.name!r}, {p.python_name})")
    places = {p.name: i for i, p in enumerate(contract.tensors)}
    for p in optional:
        add(f"    if {p.python_name} is None:")
        add(f"        _shape, _dtype = _plan.missing[{places[p.name]}]")
        add(f"        {p.python_name} = _empty(_shape, dtype=_dtype, device=_plan.device)")
    add("    try: _frame = _plan.frames.pop()")  # a call of another thread has its own
    add("    except IndexError: _frame = _plan.frame()")
    numbers = [f"_n{i}" for i in range(len(contract.scalars))]
    add(f"    {', '.join(['_words', '_place', '_all', *numbers])} = _frame.parts")
    for p in contract.tensors:
        add(f"    _words[{_WORDS * places[p.name]}] = {p.python_name}.data_ptr()")
    for number, p in zip(numbers, contract.scalars):
        add(f"    {number}.value = {p.python_name}")
    if contract.workspace:
        add("    _frame.size.value = _size = _workspace(*_frame.inputs)")
        add("    _work = _empty((_size,), dtype=_uint8, device=_plan.device) if _size else None")
        add("    _frame.work.value = _work.data_ptr() if _size else None")
    add("    _place.value = _stream(_plan.index)")
    add("    _code = _run(*_all)")
    add("    _plan.frames.append(_frame)")
    add("    if _code: raise _failure(_code)")
    results = ", ".join(p.python_name for p in contract.outputs)
    if results:
        add(f"    return {results}")
    return "\n".join(lines) + "\n"


def function(contract, library):
    """The Python function of one function of a library."""
    launcher = Launcher(contract, library)
    names = {"_general": launcher.general, "_plans": launcher.plans, "_number": launcher.number,
             "_workspace": launcher.workspace, "_run": launcher.run, "_failure": launcher.failure}

    def remember(key, given):
        # PyTorch is there: what the function needs of it is looked up once.
        torch = tensors.torch()
        names.update(_empty=torch.empty, _uint8=torch.uint8, _stream=_raw_stream())
        return launcher.remember(key, given)

    names["_remember"] = remember
    exec(compile(source_of(contract), f"<tk {contract.name}>", "exec"), names)
    return names[python_name(contract)]
