"""Tile kernels in Python: `tk.load("attention.tk", D=128)` compiles a .tk file, and its kernels are functions over tensors.

    import tk, torch
    gemm = tk.load(tk.example("gemm.tk"))
    c = gemm(a, b)                  # PyTorch's tensors on a Hopper GPU, on the current stream

docs/python.md is the manual. `tk.torch` turns kernels into PyTorch operators, with torch.compile and gradients.
"""
import glob
import importlib
import os

from .errors import BuildError, CompileError, Error, LaunchError
from .module import Module, from_source, load

__all__ = ["BuildError", "CompileError", "Error", "LaunchError", "Module", "bits", "decode", "encode", "example", "from_source",
           "load", "__version__"]


def example(name):
    """The path of an installed example, whatever its family: `tk.load(tk.example("softmax.tk"))`."""
    here = os.path.dirname(os.path.abspath(__file__))
    # Installed, they lie in the package; in the source tree, next to it.
    for folder in (os.path.join(here, "examples"), os.path.join(os.path.dirname(os.path.dirname(here)), "examples")):
        for path in (os.path.join(folder, name), *glob.glob(os.path.join(glob.escape(folder), "*", glob.escape(name)))):
            if os.path.isfile(path):
                return path
    raise FileNotFoundError(f"there is no example {name} in {os.path.join(here, 'examples')}")


def __getattr__(name):
    # What needs NumPy or PyTorch is imported by those who use it.
    if name in ("bits", "encode", "decode"):
        return getattr(importlib.import_module(".emulated", __name__), name)
    if name in ("torch", "llama", "decoder"):
        return importlib.import_module("." + name, __name__)
    if name == "__version__":
        return importlib.import_module(".compiler", __name__).version()
    raise AttributeError(f"module `tk` has no attribute `{name}`")
