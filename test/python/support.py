"""What the tests of the Python package share: a cache of their own, a stand-in for nvcc, and tensors that claim to be on a GPU."""
import contextlib
import ctypes
import os
import shutil
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "Inputs")
PROBE = os.path.join(INPUTS, "probe.tk")


class Case(unittest.TestCase):
    """Each test has an empty cache, and nvcc is the stand-in."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tk-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.log = os.path.join(self.folder, "nvcc.log")
        self.set(TK_CACHE=os.path.join(self.folder, "cache"), TKC_NVCC=os.path.join(INPUTS, "nvcc.py"), FAKE_NVCC_LOG=self.log)

    def set(self, **variables):
        for name, value in variables.items():
            before = os.environ.get(name)
            os.environ[name] = value
            if before is None:
                self.addCleanup(os.environ.pop, name, None)
            else:
                self.addCleanup(os.environ.__setitem__, name, before)

    def load(self, path, device="cuda", **words):
        """What tk.load finds, without a look into the library: of most programs, the stand-in's has other functions."""
        constants = {name: words.pop(name) for name in list(words) if name.isupper()}
        return libraries.load(compiler.Program(path, constants, **words), device)

    def nvcc(self, name, version):
        """Another stand-in."""
        path = self.write(name, f"#!/bin/sh\n[ $1 = --version ] && echo release 13.0, V{version} && exit 0\n"
                                f"exec {os.path.join(INPUTS, 'nvcc.py')} \"$@\"\n")
        os.chmod(path, 0o755)
        return path

    def builds(self):
        """How often nvcc was called."""
        if not os.path.exists(self.log):
            return 0
        with open(self.log, encoding="utf-8") as stream:
            return len(stream.readlines())

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    @contextlib.contextmanager
    def raises(self, kind, *words):
        """The block raises `kind`, with all these words in what it says."""
        with self.assertRaises(kind) as caught:
            yield caught
        for word in words:
            self.assertIn(word, str(caught.exception))


class Seen(ctypes.Structure):
    """What probe.c remembers."""
    _fields_ = [("calls", ctypes.c_int64), ("code", ctypes.c_int64), ("workspace_wanted", ctypes.c_int64),
                ("tensors", ctypes.c_int64 * 8 * 4), ("n", ctypes.c_int64), ("workspace", ctypes.c_int64),
                ("workspace_bytes", ctypes.c_int64), ("stream", ctypes.c_int64), ("s", ctypes.c_double)]


class OnGpu:
    """A tensor of some library that speaks DLPack and claims to be on a GPU; nobody reads its memory."""

    def __init__(self, address, shape, strides, dtype=(2, 32), index=0):
        self.managed = Managed()
        t = self.managed.tensor
        self.held = ((ctypes.c_int64 * len(shape))(*shape), (ctypes.c_int64 * len(shape))(*strides))
        t.data, t.ndim, (t.shape, t.strides) = address, len(shape), self.held
        t.device.type, t.device.id = 2, index
        t.dtype.code, t.dtype.bits = dtype
        t.dtype.lanes = 1
        self.ndim = len(shape)
        self.streams = []

    def __dlpack_device__(self):
        return (2, self.managed.tensor.device.id)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


def fake_torch():
    """As much of PyTorch as the short way of a call touches; its tensors are on a GPU."""
    torch = types.ModuleType("torch")
    torch.made = []

    class Dtype:
        def __init__(self, name):
            self.name = name

        def __str__(self):
            return f"torch.{self.name}"

    class Device:
        def __init__(self, kind, index):
            self.type, self.index = kind, index

    class Tensor:
        def __init__(self, shape, dtype, device, address):
            self.shape, self.dtype, self.device, self.address = tuple(shape), dtype, device, address
            self.is_cuda = device.type == "cuda"
            self.ndim = len(shape)

        def is_contiguous(self):
            return True

        def stride(self):
            return (self.shape[1], 1) if self.ndim == 2 else (1,) * self.ndim

        def get_device(self):
            return self.device.index if self.is_cuda else -1

        def data_ptr(self):
            return self.address

    def empty(shape, dtype, device):
        torch.made.append(Tensor(shape, dtype, device, 4096 * (1 + len(torch.made))))
        return torch.made[-1]

    for name in ("float32", "bfloat16", "uint8"):
        setattr(torch, name, Dtype(name))
    torch.Tensor, torch.empty, torch.device = Tensor, empty, Device
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 70 + index)
    return torch


@contextlib.contextmanager
def torch_in_place(module):
    before = sys.modules.get("torch")
    sys.modules["torch"] = module
    try:
        yield module
    finally:
        if before is None:
            del sys.modules["torch"]
        else:
            sys.modules["torch"] = before


from tk import compiler, libraries, tensors  # noqa: E402: the path to it is the caller's


class Managed(ctypes.Structure):
    """DLPack's DLManagedTensor."""
    _fields_ = [("tensor", tensors.DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]
