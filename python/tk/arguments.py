"""Checks the arguments of a call against the contract, in Python's terms, and allocates the outputs that were not given."""
import ctypes
import math
import operator
import sys

from . import dtypes, tensors

LARGEST_F32 = 3.4028234663852886e38
RANGES = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u32": 32}


class Checked:
    """A checked call: views of the tensors that were given, and shapes of those to be allocated."""

    def __init__(self, views, missing, like):
        self.views = views  # by name
        self.missing = missing  # by name: (shape, dtype)
        self.like = like  # a tensor whose library and device the missing ones get


def number(contract, name, dtype, value):
    """A scalar argument for ctypes: a bool, an int, or a float that the type can represent (f32: rounded to it)."""
    wanted = "a bool" if dtype == "bool" else "an integer" if dtype in RANGES else "a number"
    where = f"{contract}(): `{name}` must be {wanted} ({dtype})"
    if hasattr(value, "__dlpack__") and getattr(value, "ndim", 0) + (tensors.library(value) == "torch"):
        raise TypeError(f"{where}, got a tensor; its value is `.item()`, for which the host waits")
    if dtype in RANGES:
        try:
            whole = operator.index(value)
        except TypeError:
            raise TypeError(f"{where}, got {value!r} of {_name(type(value))}") from None
        bits = RANGES[dtype]
        low, high = (0, 2**bits) if dtype.startswith("u") else (-(2**(bits - 1)), 2**(bits - 1))
        if not low <= whole < high:
            raise ValueError(f"{where}, {low} to {high - 1}, got {whole}")
        return whole
    refusal = TypeError(f"{where}, got {value!r} of {_name(type(value))}")
    if dtype == "bool":
        if type(value).__name__ in ("bool", "bool_"):  # Python's and NumPy's
            return bool(value)
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
        raise refusal
    if isinstance(value, (str, bytes, bytearray)):  # which float() would read
        raise refusal
    try:
        real = float(value)
    except (TypeError, ValueError):
        raise refusal from None
    except OverflowError:
        raise ValueError(f"{where}, got {value!r}, which no float holds") from None
    if dtype != "f32":
        return real
    rounded = ctypes.c_float(real).value
    if math.isinf(rounded) and not math.isinf(real):
        raise ValueError(f"{where}, got {real!r}, which is beyond the largest f32, 3.4e38")
    return rounded


def check(contract, given, device):
    """Checks all tensors of a call. `given`: what was passed, by name, None if nothing was. Raises TypeError and ValueError."""
    views, like = {}, None
    for parameter in contract.tensors:
        value = given[parameter.name]
        if value is None:
            if parameter.mode in ("in", "inout"):
                raise TypeError(f"{contract.name}(): `{parameter.name}` must be a tensor, {parameter}, got None")
            continue
        found = views[parameter.name] = _view(contract, parameter, value)
        _check_type(contract, parameter, value, found.geometry)
        if parameter.mode != "in" and tensors.library(value) == "numpy" and not value.flags.writeable:
            raise ValueError(f"{contract.name}(): `{parameter.name}` is written, and its array is read-only")
        if like is None:
            like = value
    _check_devices(contract, views, device)
    shapes = {name: v.geometry.shape for name, v in views.items()}
    numbers = {p.name: number(contract.name, p.name, p.dtype, given[p.name]) for p in contract.extent_numbers}
    fitting, extents = contract.fit(shapes, numbers)
    if like is None and device == tensors.CPU:
        import numpy
        like = numpy.empty(0)
    missing = {}
    for parameter in contract.tensors:
        if given[parameter.name] is not None:
            continue
        shape = fitting.shape(fitting.by_name[parameter.name], extents)
        if shape is None or like is None:
            raise ValueError(f"{contract.name}(): the shape of `{parameter.name}`, {parameter.shape}, does not follow from "
                             f"the arguments: pass `{parameter.name}=` yourself")
        if min(shape, default=0) < 0:
            raise ValueError(f"{contract.name}(): the shape of `{parameter.name}`, {parameter.shape}, would be {shape}: an "
                             "extent is at least 0")
        missing[parameter.name] = (shape, parameter.dtype)
    return Checked(views, missing, like)


def make(checked):
    """Allocates the tensors that were not given, by name."""
    return {name: tensors.empty(checked.like, shape, dtype) for name, (shape, dtype) in checked.missing.items()}


def _name(kind):
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _view(contract, parameter, value):
    found = tensors.view(value)
    if found is None:
        raise TypeError(f"{contract.name}(): `{parameter.name}` must be a tensor, {parameter}, got {_name(type(value))}")
    return found


def _check_type(contract, parameter, value, geometry):
    where = f"{contract.name}(): `{parameter.name}`"
    if _is_masked(value):
        raise TypeError(f"{where} is a masked array, and kernels see no masks: pass `{parameter.name}.filled(..)`")
    if geometry.dtype != parameter.dtype:
        raise TypeError(f"{where} must be {parameter.dtype}, got {geometry.library_dtype}; {_conversion(parameter, value)}")
    if len(geometry.shape) != len(parameter.extents):
        count = len(parameter.extents)
        raise ValueError(f"{where} must have {count} {'axis' if count == 1 else 'axes'}, {parameter.shape}, got shape "
                         f"{tuple(geometry.shape)}")


def _is_masked(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ma.MaskedArray)


def _conversion(parameter, value):
    if tensors.library(value) == "numpy" and value.dtype.name == dtypes.BITS.get(parameter.dtype):
        return (f"if these are the bits of {parameter.dtype}, pass `tk.bits({parameter.name}, \"{parameter.dtype}\")`; "
                f"`tk.encode({parameter.name}, \"{parameter.dtype}\")` converts numbers")
    if tensors.library(value) == "torch":
        return f"`{parameter.name}.to(torch.{dtypes.TABLE[parameter.dtype][3]})` converts it"
    if tensors.library(value) == "numpy" and parameter.dtype in dtypes.BITS:
        return f"`tk.encode({parameter.name}, \"{parameter.dtype}\")` converts it"
    if tensors.library(value) == "numpy":
        return f"`{parameter.name}.astype(numpy.{dtypes.TABLE[parameter.dtype][2]})` converts it"
    return "convert it"


def _check_devices(contract, views, device):
    first = None
    for name, v in views.items():
        g = v.geometry
        if device == tensors.CPU and g.device != tensors.CPU:
            raise ValueError(f"{contract.name}(): `{name}` is on {g.where()}, but the module was loaded with device=\"cpu\"")
        if device == tensors.CUDA and g.device != tensors.CUDA:
            raise ValueError(f"{contract.name}(): `{name}` is on the CPU and must be on a GPU; to run on the CPU, load the "
                             "module with device=\"cpu\"")
        if first is None:
            first = (name, g)
        elif (g.device, g.index) != (first[1].device, first[1].index):
            raise ValueError(f"{contract.name}(): `{first[0]}` is on {first[1].where()} and `{name}` on {g.where()}: all "
                             "tensors must be on one device")
