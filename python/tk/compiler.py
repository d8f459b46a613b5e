"""Running tkc, and finding nvcc for it."""
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading

from . import dtypes
from .errors import BuildError, CompileError, Error

HERE = os.path.dirname(os.path.abspath(__file__))


@functools.lru_cache(maxsize=None)
def tkc():
    """The compiler: $TK_TKC, the one that the wheel brought, or one in PATH."""
    named = os.environ.get("TK_TKC")
    if named:
        if not os.access(named, os.X_OK):
            raise BuildError(f"$TK_TKC names `{named}`, which is no program")
        return os.path.abspath(named)
    own = os.path.join(HERE, "bin", "tkc")
    found = own if os.access(own, os.X_OK) else shutil.which("tkc")
    if found is None:
        raise BuildError(f"there is no tkc in {os.path.dirname(own)} or in PATH: install the wheel, or set TK_TKC")
    return found


@functools.lru_cache(maxsize=None)
def tkc_content():
    """A hash of tkc itself: the runtime's headers, the standard library and nvcc's flags are inside."""
    with open(tkc(), "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()


@functools.lru_cache(maxsize=None)
def version():
    """The compiler's and the package's, which are one."""
    said = subprocess.run([tkc(), "--version"], capture_output=True, text=True, check=True)
    return said.stdout.split()[-1]


def find_nvcc():
    """The nvcc that tkc would take, or None: $TKC_NVCC, $CUDA_HOME/bin, PATH, /usr/local/cuda/bin."""
    named = os.environ.get("TKC_NVCC")
    if named:
        return shutil.which(named)
    home = os.environ.get("CUDA_HOME")
    in_home = shutil.which(os.path.join(home, "bin", "nvcc")) if home else None
    return in_home or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


@functools.lru_cache(maxsize=None)
def nvcc_version(nvcc):
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"release (\d+\.\d+)(?:, V([\d.]+))?", said.stdout)
    if match is None:
        raise BuildError(f"`{nvcc} --version` did not tell a CUDA release:\n{said.stdout}{said.stderr}")
    return match.group(2) or match.group(1)


def constant_text(name, value):
    """A constant as `-D` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    dtype = dtypes.of_any(value)
    if dtype is not None:
        return dtype
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", value):
        return value  # a function of the file, or of a module; tkc says what is none
    if hasattr(value, "__index__"):  # NumPy's integers
        return repr(value.__index__())
    raise TypeError(f"constant `{name}` must be a whole number, a bool, a dtype "
                    f"({', '.join(dtypes.TABLE)}) or the name of a function, got {value!r}")


class Program:
    """A .tk file with its constants: what every run of tkc is told.

    folder: where tkc runs, if not here.
    """

    def __init__(self, path, constants, include=(), debug=False, folder=None, target=None):
        self.path = os.fspath(path)
        self.folder = folder
        self.options = [f"-D{name}={constant_text(name, value)}" for name, value in constants.items()]
        self.options += [f"-I{os.path.abspath(folder)}" for folder in include]
        beside = os.path.dirname(os.path.join(folder or "", self.path))
        self.folders = [beside or ".", *(os.path.abspath(folder) for folder in include)]
        if debug:
            self.options.append("--debug")
        if target is not None:
            self.options.append(f"--target={target}")

    def headers(self, text):
        """What the headers of external functions hold that the CUDA text includes, and what those include."""
        contents = {}
        waiting = [(text, [])]  # texts, and the folder that quoted names are looked for in first
        while waiting:
            text, beside = waiting.pop()
            for name in re.findall(r'^\s*#\s*include\s*["<](?!tk/)([^">]+)[">]', text, re.MULTILINE):
                for place in (os.path.normpath(os.path.join(folder, name)) for folder in beside + self.folders):
                    if not os.path.isfile(place):
                        continue
                    if place not in contents:
                        with open(place, encoding="utf-8", errors="replace") as stream:
                            contents[place] = stream.read()
                        waiting.append((contents[place], [os.path.dirname(place)]))
                    break
        return "".join(contents.values())

    def run(self, *words):
        """Runs tkc. Gives what it printed."""
        command = [tkc(), *words, self.path, *self.options]
        try:
            process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise BuildError(f"{command[0]} did not start: {error}") from None
        output, messages = process.communicate()
        if process.returncode != 0:
            raise failure(process.returncode, messages)
        return output

    def source(self):
        path = os.path.join(self.folder or "", self.path)
        with open(path, encoding="utf-8") as stream:
            return stream.read()

    def contract(self):
        """The functions of the program as data."""
        return json.loads(self.run("--emit=contract", "--no-notes"))

    def cuda(self):
        return self.run("--emit=cuda", "--no-notes")

    def explain(self):
        return self.run("explain")

    def build(self, output, nvcc):
        """Runs nvcc, too; `output` is a library or a .ptx. The .cu stays beside it."""
        self.run("build", "--keep", "--no-notes", "-o", output, "--nvcc", nvcc)


def failure(code, messages):
    """What tkc's exit code says, as an exception."""
    text = messages.strip()
    if code == 1:
        return CompileError(text)
    if code == 2:
        return BuildError(text)
    return Error(f"tkc failed with status {code}:\n{text}")


class Progress:
    """Says on standard error what takes so long, where somebody is there to read it: in a terminal or a notebook."""

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
