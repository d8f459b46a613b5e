"""The data types of the language (language/dtypes.def), and what other libraries call them."""
import sys

# Name: DLPack's code, bits, NumPy's name, PyTorch's name. Some of NumPy's are those of the package `ml_dtypes`.
TABLE = {
    "f16": (2, 16, "float16", "float16"),
    "bf16": (4, 16, "bfloat16", "bfloat16"),
    "f32": (2, 32, "float32", "float32"),
    "f64": (2, 64, "float64", "float64"),
    "i8": (0, 8, "int8", "int8"),
    "i16": (0, 16, "int16", "int16"),
    "i32": (0, 32, "int32", "int32"),
    "i64": (0, 64, "int64", "int64"),
    "u8": (1, 8, "uint8", "uint8"),
    "u32": (1, 32, "uint32", "uint32"),
    "bool": (6, 8, "bool", "bool"),
    "fp8_e4m3": (10, 8, "float8_e4m3fn", "float8_e4m3fn"),
    "fp8_e5m2": (12, 8, "float8_e5m2", "float8_e5m2"),
}

_BY_DLPACK = {(code, bits): name for name, (code, bits, _, _) in TABLE.items()}
_BY_NUMPY = {numpy: name for name, (_, _, numpy, _) in TABLE.items()}
_BY_TORCH = {f"torch.{torch}": name for name, (_, _, _, torch) in TABLE.items()}

# The types of ml_dtypes, and the integers that `tk.bits` takes as their bits.
BITS = {"bf16": "uint16", "fp8_e4m3": "uint8", "fp8_e5m2": "uint8"}


def of_dlpack(code, bits):
    """The language's name, or None."""
    return _BY_DLPACK.get((code, bits))


def of_numpy(dtype):
    """The language's name, or None: for bytes in the other order, too."""
    return _BY_NUMPY.get(dtype.name) if dtype.isnative else None


def of_torch(dtype):
    return _BY_TORCH.get(str(dtype))


def to_torch(name):
    return getattr(sys.modules["torch"], TABLE[name][3])


def to_numpy(name):
    import ml_dtypes
    import numpy

    return numpy.dtype(getattr(ml_dtypes if name in BITS else numpy, TABLE[name][2]))


def of_any(value):
    """The language's name of a dtype that is written as a string or comes from NumPy or PyTorch; None for anything else."""
    if isinstance(value, str):
        return value if value in TABLE else _BY_NUMPY.get(value)
    name = _BY_TORCH.get(str(value))
    if name is not None:
        return name
    numpy = sys.modules.get("numpy")
    is_type = isinstance(value, type) or (numpy is not None and isinstance(value, numpy.dtype))
    if numpy is None or not is_type or value in (int, float, bool):
        return None
    try:
        return of_numpy(numpy.dtype(value))
    except TypeError:
        return None
