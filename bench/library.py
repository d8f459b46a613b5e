"""Calls the C functions of a library that `tkc build` made, on PyTorch tensors: for timing, with calls that are made ready once. What
a program wants is `tk.load` (docs/python.md)."""
import ctypes
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

from tk import tensors  # noqa: E402


def describe(tensor):
    """A DLTensor of the tensor's memory; it holds the arrays that it points to."""
    view = tensors.view(tensor)
    result = tensors.DLTensor(data=view.address)
    result.keep = tensors.describe(result, view.geometry)
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
        size_of = getattr(self.library, name + "_workspace")
        size_of.restype = ctypes.c_size_t
        size = size_of(*converted)
        memory = torch.empty(size, dtype=torch.uint8, device="cuda") if size else None
        work = (ctypes.c_void_p(memory.data_ptr() if size else None), ctypes.c_size_t(size))

        def call():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            code = function(*converted, *work, stream)
            if code != 0:
                raise Refused(code, error().decode())

        call.holds = (arguments, memory)  # whose addresses the call has
        return call

    def run(self, name, *arguments):
        self.bind(name, *arguments)()
