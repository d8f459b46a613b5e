"""Runs tkc, and finds nvcc for it."""
import functools
import glob
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from . import cache, dtypes
from .errors import BuildError, CompileError, Error

HERE = os.path.dirname(os.path.abspath(__file__))


def tkc():
    """The compiler: $TK_TKC, the one in the wheel, or one in PATH."""
    named = os.environ.get("TK_TKC")
    own = os.path.join(HERE, "bin", "tkc")
    if named:
        if not _is_program(named):
            raise BuildError(f"$TK_TKC names `{named}`, which is not a program")
        return os.path.abspath(named)
    found = own if _is_program(own) else shutil.which("tkc")
    if found is None:
        raise BuildError(f"there is no tkc in {os.path.dirname(own)} or in PATH: install the wheel, or set TK_TKC")
    return os.path.abspath(found)


def _is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _run(call, **words):
    """Runs a program to its end. What it prints may be anything."""
    try:
        return subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, check=False, encoding="utf-8",
                              errors="surrogateescape", **words)
    except OSError as error:
        raise BuildError(f"{call[0]} did not start: {error.strerror or error}") from None


def tkc_content():
    """A hash of tkc itself, which contains the runtime's headers, the standard library and nvcc's flags."""
    path = tkc()
    return cache.remembered("tkc", path, lambda: _hash_of_program(path))


def _hash_of_program(path):
    with open(path, "rb") as stream:
        data = stream.read()
    if data.startswith(b"#!"):
        raise BuildError(f"{path} is a script: what it runs can change unnoticed, and libraries in the cache would be out of "
                         "date; set TK_TKC to the path of tkc itself")
    return hashlib.sha256(data).hexdigest()


def runtime_includes():
    """What the runtime's headers include that is not theirs."""
    path = tkc()
    return cache.remembered("runtime", path, lambda: _ask_runtime(path)).split("\n")


def _ask_runtime(path):
    with tempfile.TemporaryDirectory(prefix="tkc-") as folder:
        done = _run([path, "runtime", folder])
        if done.returncode != 0:
            raise failure(done.returncode, done.stderr)
        texts = []
        for name in glob.glob(os.path.join(glob.escape(folder), "**"), recursive=True):
            if os.path.isfile(name):
                with open(name, encoding="utf-8") as stream:
                    texts.append(stream.read())
    names = {name for text in texts for name in re.findall(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", text, re.MULTILINE)}
    return "\n".join(sorted(names))


@functools.lru_cache(maxsize=None)
def version():
    """The compiler's and the package's, which are one."""
    said = _run([tkc(), "--version"])
    if said.returncode != 0 or not said.stdout:
        raise failure(said.returncode, said.stderr)
    return said.stdout.split()[-1]


def find_nvcc():
    """The path of nvcc, or None: $TKC_NVCC, or the first in $CUDA_HOME/bin, PATH, this Python environment, /usr/local/cuda/bin."""
    named = os.environ.get("TKC_NVCC")
    if named:
        found = shutil.which(named)
    else:
        home = os.environ.get("CUDA_HOME")
        found = (shutil.which(os.path.join(home, "bin", "nvcc")) if home else None) or shutil.which("nvcc") \
            or environment_nvcc() or shutil.which("/usr/local/cuda/bin/nvcc")
    return found and os.path.abspath(found)


def environment_nvcc():
    """The nvcc that `pip install "cuda-toolkit[nvcc]"` installs, or None."""
    try:
        nvidia = importlib.util.find_spec("nvidia")  # the parent of many packages; none of them is imported
    except ValueError:  # it was imported, and says not from where
        nvidia = None
    for folder in nvidia.submodule_search_locations or () if nvidia else ():
        found = shutil.which(os.path.join(folder, "cu13", "bin", "nvcc"))
        if found:
            return found
    return None


def no_nvcc():
    """Why find_nvcc() found none, and what to do."""
    named = os.environ.get("TKC_NVCC")
    if named:
        return f"$TKC_NVCC names `{named}`, which is not a program: correct it, or unset it"
    return ("it is not in $CUDA_HOME/bin, PATH, this Python environment or /usr/local/cuda/bin: run "
            "`pip install \"cuda-toolkit[nvcc]==13.0.*\"`, or install the CUDA Toolkit 12.4 or later")


def nvcc_version(nvcc):
    return cache.remembered("nvcc", nvcc, lambda: _ask_version(nvcc))


def _ask_version(nvcc):
    said = _run([nvcc, "--version"])
    match = re.search(r"release (\d+\.\d+)(?:, V([\d.]+))?", said.stdout)
    if match is None:
        printed = f"{said.stdout}{said.stderr}".encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        raise BuildError(f"`{nvcc} --version` did not print a CUDA release:\n{printed}")
    return match.group(2) or match.group(1)


def constant_text(name, value):
    """A constant as `-D` accepts it."""
    kind = getattr(getattr(value, "dtype", None), "kind", None) if getattr(value, "shape", None) == () else None  # NumPy's numbers
    if isinstance(value, bool) or kind == "b":
        return "true" if value else "false"
    if isinstance(value, float) or kind == "f":
        return repr(float(value))
    if isinstance(value, int):
        return repr(int(value))  # an enum's own repr is not a number
    dtype = dtypes.of_any(value)
    if dtype is not None:
        return dtype
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", value):
        return value  # a function of the file, or of a module; tkc says what is none
    if hasattr(value, "__index__"):  # NumPy's integers
        return repr(value.__index__())
    raise TypeError(f"constant `{name}` must be an integer, a bool, a dtype "
                    f"({', '.join(dtypes.TABLE)}) or the name of a function, got {value!r}")


class Program:
    """A .tk file with its constants, and the arguments of every run of tkc for it.

    folder: where tkc runs. Without it, that is where a relative path leads from, so that a later change of the current
    folder changes nothing.
    """

    def __init__(self, path, constants, include=(), debug=False, folder=None, target=None):
        self.path = os.fspath(path)
        if self.path.startswith("-"):  # tkc would take it for an option
            self.path = os.path.join(os.curdir, self.path)
        self.folder = folder or (os.path.dirname(self.path) if os.path.isabs(self.path) else os.getcwd())
        if include is None or isinstance(include, (str, bytes, os.PathLike)):
            raise TypeError(f"`include` must be a list of folders, got {include!r}: write include=[\"FOLDER\"]")
        self.include = [os.path.abspath(os.fspath(place)) for place in include]
        self.constants = [f"-D{name}={constant_text(name, value)}" for name, value in constants.items()]
        self.modes = ["--debug"] if debug else []
        if target not in (None, "sm_90a"):  # which is the default
            self.modes.append(f"--target={target}")

    @property
    def file(self):
        return os.path.join(self.folder, self.path)

    @property
    def folders(self):
        """Where imports and headers are searched for."""
        return [os.path.dirname(self.file), *self.include]

    def call(self, command, *words):
        """A command line of tkc."""
        return [tkc(), *command, self.path, *self.constants, *self.modes, *(f"-I{place}" for place in self.include), *words]

    def run(self, command, *words):
        """Runs tkc. Returns what it printed."""
        call = self.call(command, *words)
        done = _run(call, cwd=self.folder)
        if done.returncode != 0:
            raise failure(done.returncode, done.stderr)
        return done.stdout

    def source(self):
        with open(self.file, encoding="utf-8") as stream:
            return stream.read()

    def emit(self, stage):
        return self.run([], f"--emit={stage}", "--no-notes")

    def contract(self):
        """The functions of the program as data, and the files that it was made from."""
        return json.loads(self.emit("contract"))

    def cuda(self):
        return self.emit("cuda")

    def explain(self):
        return self.run(["explain"])

    def output(self, folder, key, ending):
        """What `build` is to write. Its .cu and C header get the same name, which no header that the program includes has."""
        return os.path.join(folder, f"{os.path.splitext(os.path.basename(self.path))[0]}-{key[:12]}{ending}")

    def build(self, output, nvcc):
        """Runs nvcc, too; `output` is a library or a .ptx. The .cu stays next to it."""
        self.run(["build"], "--keep", "--no-notes", "-o", output, "--nvcc", nvcc)


def failure(code, messages):
    """The exception for tkc's exit code."""
    text = messages.strip()
    if code == 1:
        return CompileError(text)
    if code == 2:
        return BuildError(text)
    return Error(f"tkc failed with status {code}:\n{text}")


class Progress:
    """Reports on standard error what takes so long, if someone can read it: in a terminal or a notebook."""

    def __init__(self, text):
        self.text = text
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.done = threading.Event()
        self.thread = None

    def __enter__(self):
        if self.terminal:
            self.thread = threading.Thread(target=self._count, daemon=True)
            self.thread.start()
        elif _in_notebook():
            print(f"tkc: {self.text} ..", file=sys.stderr, flush=True)
        return self

    def _count(self):
        seconds = 0
        while not self.done.wait(1):
            seconds += 1
            print(f"\r\x1b[Ktkc: {self.text} .. {seconds} s", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_):
        self.done.set()
        if self.thread is not None:
            self.thread.join()
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _in_notebook():
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell is not None else None
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"
