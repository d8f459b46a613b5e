"""Calls the C functions of a library that `tkc build` made, on PyTorch tensors."""
import ctypes

import torch


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


DTYPES = {torch.float16: (2, 16), torch.bfloat16: (4, 16), torch.float32: (2, 32), torch.int32: (0, 32),
          torch.int64: (0, 64), torch.uint8: (1, 8), torch.bool: (6, 8),
          torch.float8_e4m3fn: (10, 8), torch.float8_e5m2: (12, 8)}


def describe(tensor):
    """A DLTensor of the tensor's memory; it holds the arrays that it points to."""
    rank = tensor.dim()
    code, bits = DTYPES[tensor.dtype]
    shape = (ctypes.c_int64 * rank)(*tensor.shape)
    strides = (ctypes.c_int64 * rank)(*tensor.stride())
    device = Device(2 if tensor.is_cuda else 1, tensor.device.index or 0)
    result = DLTensor(tensor.data_ptr(), device, rank, DataType(code, bits, 1), shape, strides, 0)
    result.keep = (shape, strides)
    return result


class Refused(RuntimeError):
    """The launcher returned a code; the text is its sentence."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def bind(self, name, *arguments):
        """A call of the launcher `name`, ready to be repeated; integers are i32, floats f32, others ctypes."""
        function = getattr(self.library, name)
        error = getattr(self.library, name + "_error")
        error.restype = ctypes.c_char_p
        converted = []
        for x in arguments:
            if isinstance(x, torch.Tensor):
                converted.append(ctypes.byref(describe(x)))
            elif isinstance(x, ctypes._SimpleCData):
                converted.append(x)
            elif isinstance(x, float):
                converted.append(ctypes.c_float(x))
            else:
                converted.append(ctypes.c_int32(x))
        nothing = (ctypes.c_void_p(None), ctypes.c_size_t(0))

        def call():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            code = function(*converted, *nothing, stream)
            if code != 0:
                raise Refused(code, error().decode())

        return call

    def run(self, name, *arguments):
        self.bind(name, *arguments)()
