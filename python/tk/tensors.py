"""How the package inspects and allocates tensors of any library: PyTorch, NumPy, CuPy, and others that support DLPack."""
import ctypes
import sys
from typing import Any, NamedTuple

from . import dtypes

CPU, CUDA = 1, 2  # DLPack's kinds of devices
CUDA_HOST, CUDA_MANAGED = 3, 13  # memory that a GPU can read, too


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    """DLPack's tensor: what launchers take (docs/launcher.md)."""
    _fields_ = [("data", ctypes.c_void_p), ("device", DLDevice), ("ndim", ctypes.c_int32), ("dtype", DLDataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Geometry(NamedTuple):
    """Everything about a tensor except its address. Strides count elements; `dtype` is None if the language has none for it."""
    shape: tuple
    strides: tuple
    dtype: Any
    device: int  # the kind
    index: int
    library_dtype: str  # for messages

    def where(self):
        return "cpu" if self.device == CPU else f"cuda:{self.index}"


class View(NamedTuple):
    geometry: Geometry
    address: int
    keep: Any  # what holds the memory while the view is used


def describe(t, geometry):
    """Fills a DLTensor except its address. It points to the returned objects."""
    rank = len(geometry.shape)
    shape, strides = (ctypes.c_int64 * rank)(*geometry.shape), (ctypes.c_int64 * rank)(*geometry.strides)
    t.device.type, t.device.id = geometry.device, geometry.index
    t.ndim = rank
    t.dtype.code, t.dtype.bits, *_ = dtypes.TABLE[geometry.dtype]
    t.dtype.lanes = 1
    t.shape, t.strides = shape, strides
    return shape, strides


def torch():
    """PyTorch, if the program uses it; this package does not import it."""
    return sys.modules.get("torch")


def is_torch(x):
    module = torch()
    return module is not None and isinstance(x, module.Tensor)


def view(x):
    """The view of a tensor of any library; None if it is not a tensor."""
    if is_torch(x):
        return _view_torch(x)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(x, numpy.ndarray):
        return _view_numpy(x)
    if hasattr(x, "__dlpack__"):
        return _view_dlpack(x)
    if hasattr(x, "__cuda_array_interface__"):
        return _view_interface(x)
    return None


def _view_torch(x):
    kind = CUDA if x.is_cuda else CPU if x.device.type == "cpu" else -1
    geometry = Geometry(tuple(x.shape), x.stride(), dtypes.of_torch(x.dtype), kind, max(x.get_device(), 0), str(x.dtype))
    return View(geometry, x.data_ptr(), x)


def _view_numpy(x):
    size = max(x.itemsize, 1)
    strides = tuple(s // size for s in x.strides)
    if any(s % size for s in x.strides):
        raise ValueError("the strides of a NumPy array must be multiples of its element size: make it contiguous")
    return View(Geometry(x.shape, strides, dtypes.of_numpy(x.dtype), CPU, 0,
                         x.dtype.name if x.dtype.isnative else f"big-endian {x.dtype.name}"), x.ctypes.data, x)


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _view_dlpack(x):
    kind = x.__dlpack_device__()[0]
    if kind == CUDA:
        # The producer makes the data ready on the stream that will read them; 1 is the default stream's name there.
        capsule = x.__dlpack__(stream=current_stream(x) or 1)
    else:
        capsule = x.__dlpack__()
    # A DLManagedTensor begins with its DLTensor; the capsule holds it until nobody needs it.
    t = DLTensor.from_address(_pointer(capsule, b"dltensor"))
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = tuple(t.strides[i] for i in range(t.ndim)) if t.strides else dense_strides(shape)
    device = CPU if t.device.type == CUDA_HOST else CUDA if t.device.type == CUDA_MANAGED else t.device.type
    name = f"{type(x).__name__} of DLPack's type {t.dtype.code}, {t.dtype.bits} bits"
    dtype = dtypes.of_dlpack(t.dtype.code, t.dtype.bits) if t.dtype.lanes == 1 else None
    return View(Geometry(shape, strides, dtype, device, t.device.id, name), (t.data or 0) + t.byte_offset, (x, capsule))


# numba's and others' way to say a dtype: kind and bytes.
_TYPESTR = {"f2": "f16", "f4": "f32", "f8": "f64", "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8",
            "u4": "u32", "b1": "bool"}


def _view_interface(x):
    held = x.__cuda_array_interface__
    shape = tuple(held["shape"])
    typestr = held["typestr"]
    size = int(typestr[2:])
    given = held.get("strides")
    strides = tuple(s // size for s in given) if given else dense_strides(shape)
    device = getattr(getattr(x, "device", None), "id", 0)
    dtype = _TYPESTR.get(typestr[1:])
    return View(Geometry(shape, strides, dtype, CUDA, device, typestr), held["data"][0] or 0, x)


def dense_strides(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def library(x):
    """The name of the library that made a tensor: torch, numpy, cupy, .."""
    return "torch" if is_torch(x) else type(x).__module__.partition(".")[0]


def empty(like, shape, dtype):
    """A new tensor of `like`'s library and device. Raises TypeError if that library has no way to do so."""
    name = library(like)
    if name == "torch":
        return torch().empty(shape, dtype=dtypes.to_torch(dtype), device=like.device)
    if name == "numpy":
        import numpy
        return numpy.empty(shape, dtypes.to_numpy(dtype))
    if name == "cupy" and dtype not in dtypes.BITS:
        cupy = sys.modules["cupy"]
        with like.device:
            return cupy.empty(shape, dtypes.TABLE[dtype][2])
    raise TypeError(f"tensors of `{name}` and type {dtype} cannot be made here: pass the outputs yourself")


def current_stream(like):
    """The current stream of a tensor's library, as a number; 0: the default stream."""
    name = library(like)
    if name == "torch":
        return torch().cuda.current_stream(like.device).cuda_stream
    if name == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    return 0
