"""The data types of the language (language/dtypes.def), and what other libraries call them."""
import sys

# Name: DLPack's code, bits, NumPy's name, PyTorch's name. NumPy has those from `ml_dtypes` where it is installed.
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

# Types that NumPy has only by way of ml_dtypes, and the integers that hold their bits otherwise.
BITS = {"bf16": "uint16", "fp8_e4m3": "uint8", "fp8_e5m2": "uint8"}


def of_dlpack(code, bits):
    """The language's name, or None."""
    return _BY_DLPACK.get((code, bits))


def of_numpy(dtype):
    return _BY_NUMPY.get(dtype.name)


def of_torch(dtype):
    return _BY_TORCH.get(str(dtype))


def to_torch(name):
    return getattr(sys.modules["torch"], TABLE[name][3])


def to_numpy(name):
    """NumPy's dtype; for bf16 and fp8 that of ml_dtypes, or the integer that holds the bits where that is missing."""
    import numpy

    if name not in BITS:
        return numpy.dtype(TABLE[name][2])
    try:
        import ml_dtypes
    except ImportError:
        return numpy.dtype(BITS[name])
    return numpy.dtype(getattr(ml_dtypes, TABLE[name][2]))


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
