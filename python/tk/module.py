"""A loaded program: its functions, and its texts."""
import ctypes
import os
import shutil
import subprocess
import tempfile

from . import cache, compiler, launch, libraries
from .contract import Contract
from .errors import BuildError
from .text import Text


class Module:
    """The kernels and entries of a .tk file as attributes; itself callable where it is clear which is meant."""

    def __init__(self, program, name, device):
        self._program = program
        self._name = name
        self._device = device
        loaded = libraries.load(program, device)
        self._key = loaded.key
        self.contracts = {row["name"]: Contract(row) for row in loaded.functions}
        if device == "cuda":
            self._path = loaded.library
            try:
                library = ctypes.CDLL(self._path)
            except OSError as error:
                raise BuildError(f"the library of {name} cannot be loaded: {error}; if the file system allows no programs "
                                 "(noexec), set TK_CACHE to a folder on another one") from None
            self._make = lambda contract: launch.function(contract, library)
        else:
            from . import emulated  # NumPy is needed here only
            service = emulated.Service(program, loaded.files)
            self._make = lambda contract: emulated.function(contract, service)
        for hidden in self.contracts.keys() & set(super().__dir__()):  # a kernel may be called like a method
            self._function(hidden)

    def _function(self, name):
        contract = self.contracts[name]
        function = self._make(contract)
        function.__doc__ = contract.description()
        function.__module__ = "tk"
        function.contract = contract
        function.module = self
        return self.__dict__.setdefault(name, function)  # another thread may have made it

    def __getattr__(self, name):
        # A function is made when it is first asked for: a file may have many, and Python compiles each.
        if name in self.__dict__.get("contracts", ()):
            return self._function(name)
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"{self._name} has no function `{name}`; it has {', '.join(self.contracts)}")

    def __dir__(self):
        return sorted({*super().__dir__(), *self.contracts})

    def __call__(self, *values, **named):
        """The only function, or the one that is called like the file."""
        name = os.path.splitext(self._name)[0]
        if name not in self.contracts and len(self.contracts) == 1:
            (name,) = self.contracts
        if name not in self.contracts:
            raise TypeError(f"which function of {self._name}? It has {', '.join(self.contracts)}")
        return getattr(self, name)(*values, **named)

    def __repr__(self):
        lines = [f"<tk module {self._name} on {self._device}>"]
        return "\n  ".join(lines + [c.signature() for c in self.contracts.values()])

    def __reduce__(self):
        # A copy, and what another process unpickles, is loaded anew. A function of it cannot be pickled, as Python has it.
        return Module, (self._program, self._name, self._device)

    def key(self):
        """A word that two modules share only if they were made of the same program for the same device."""
        return f"{self._key}-{self._device}"

    # ---- texts ---------------------------------------------------------------------------------

    def source(self):
        """The program."""
        return Text(self._program.source(), "tk")

    def cuda(self):
        """The CUDA C++ that tkc makes of it."""
        return Text(self._program.cuda(), "cuda")

    def explain(self):
        """What became of each load and store, who takes what, which lines wait, what was proved."""
        return Text(self._program.explain(), "explain")

    def ptx(self):
        """What nvcc makes of the CUDA C++."""
        nvcc = compiler.find_nvcc()
        if nvcc is None:
            raise BuildError(f"PTX is made by nvcc, and there is none: {compiler.no_nvcc()}")
        with tempfile.TemporaryDirectory(prefix="tkc-") as folder:
            path = self._program.output(folder, self._key, ".ptx")
            with compiler.Progress(f"nvcc compiles {self._name}"):
                self._program.build(path, nvcc)
            with open(path, encoding="utf-8") as stream:
                return Text(stream.read(), "ptx")

    def sass(self):
        """The machine's instructions in the library, by the toolkit's cuobjdump."""
        if self._device != "cuda":
            raise BuildError(f"{self._name} was loaded with device=\"cpu\": there is no machine code of it")
        nvcc = compiler.find_nvcc()
        near = os.path.join(os.path.dirname(nvcc), "cuobjdump") if nvcc else "cuobjdump"
        tool = shutil.which(near) or shutil.which("cuobjdump")
        if tool is None:
            raise BuildError("cuobjdump, which reads machine code, is neither next to nvcc nor in PATH; it is part of the CUDA "
                             "Toolkit (package cuda-cuobjdump, with cuda-nvdisasm)")
        done = subprocess.run([tool, "-sass", self._path], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError(f"{tool} exited with status {done.returncode}:\n{done.stderr}")
        return Text(done.stdout, "sass")


def load(path, /, *, device="cuda", include=(), debug=False, target=None, **constants):
    """Compiles a .tk file, or finds what was compiled before, and returns its functions.

    Keywords are the constants of its kernels, as `-D` has them: integers, bools, functions by their names, and dtypes as
    "bf16" or as NumPy's or PyTorch's.
    device="cpu" runs the functions in the emulator, on NumPy's arrays; it needs no nvcc and no GPU. `include`: folders to search
    for imports. `debug`: `print` and `assert` of kernels stay in what runs. `target`: the GPU to compile for, such as "sm_80";
    the default is Hopper.
    """
    path = os.fspath(path)
    _check_device(device)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}")
    return Module(compiler.Program(path, constants, include, debug, target=target), os.path.basename(path), device)


def from_source(text, /, *, name="cell", device="cuda", include=(), debug=False, target=None, **constants):
    """The same for a program as a string. Imports are searched for in the current folder and in `include`."""
    _check_device(device)
    if not isinstance(text, str):
        raise TypeError(f"from_source() takes the text of a program, got {type(text).__name__}; tk.load() takes a path")
    if os.path.basename(name) != name:
        raise ValueError(f"from_source(): `name` is the name of a file, without its folder and `.tk`; got {name!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"from_source(): the text has {text[error.start]!r} at {error.start}, half a character, which no file "
                         "can have") from None
    file = f"{name}.tk"
    path = cache.keep_source(text, file)
    folders = [*include, os.getcwd()]
    program = compiler.Program(file, constants, folders, debug, os.path.dirname(path), target)
    return Module(program, file, device)


def _check_device(device):
    if device not in ("cuda", "cpu"):
        raise ValueError(f"device must be \"cuda\" or \"cpu\", got {device!r}; tensors decide which GPU a call runs on")
