"""Libraries that nvcc made, kept by the content of what they were made from.

    kernels/KEY-cuda13.0.88/    a finished library with its .cu and .h; appears at once, by a rename
    kernels/KEY-cuda13.0.88.lock    held while one process builds it
    sources/KEY/cell.tk         what tk.from_source was given

KEY is a hash of the CUDA text, into which everything of the program went that matters (the file, its imports, the
constants), and of tkc itself. A lock belongs to a process and goes with it, so a builder that is killed stops nobody; what it
left behind is removed by the next one.
"""
import contextlib
import fcntl
import glob
import hashlib
import os
import shutil
import tempfile

from . import compiler
from .errors import BuildError


def folder():
    """$TK_CACHE, $XDG_CACHE_HOME/tkc or ~/.cache/tkc."""
    named = os.environ.get("TK_CACHE")
    if named:
        return os.path.abspath(named)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(home, "tkc")


def digest(*parts):
    key = hashlib.sha256()
    for part in parts:
        data = part.encode()
        key.update(len(data).to_bytes(8, "little") + data)
    return key.hexdigest()[:32]


@contextlib.contextmanager
def _explained():
    """Turns a folder that cannot be written into a sentence that says what to do."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise BuildError(f"the cache {folder()} cannot be written: {error.strerror}{where}; "
                         "set TK_CACHE to a folder that can") from None


def keep_source(text, name):
    """A file with this text, for tkc to read."""
    path = os.path.join(folder(), "sources", digest(text), name)
    with contextlib.suppress(OSError):
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return path
    with _explained():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), encoding="utf-8", delete=False) as stream:
            stream.write(text)
        os.replace(stream.name, path)
    return path


def library(program):
    """The path of the program's library; built where the cache does not have it."""
    for _ in range(3):
        text = program.cuda()
        path = _library(program, text)
        if path is not None:
            return path
    raise BuildError(f"{program.path} changes while it is compiled")


def _library(program, text):
    """None: the program is not any more what `text` was made from."""
    key = digest(text, program.headers(text), compiler.tkc_content())
    kernels = os.path.join(folder(), "kernels")
    stem = os.path.splitext(os.path.basename(program.path))[0]
    nvcc = compiler.find_nvcc()
    if nvcc is None:
        # What another machine built serves: it holds all that it needs but the driver.
        for found in sorted(glob.glob(os.path.join(glob.escape(kernels), f"{key}-cuda*", f"{stem}.so")), reverse=True):
            return found
        named = os.environ.get("TKC_NVCC")
        where = f"$TKC_NVCC names `{named}`, which is no program" if named else \
            "it is neither in $CUDA_HOME/bin nor in PATH nor in /usr/local/cuda/bin"
        raise BuildError(f"kernels for the GPU are compiled by nvcc, and there is none: {where}. Install the CUDA "
                         "Toolkit 12.4 or later, or run on the CPU: tk.load(.., device=\"cpu\")")
    place = os.path.join(kernels, f"{key}-cuda{compiler.nvcc_version(nvcc)}")
    path = os.path.join(place, f"{stem}.so")
    if os.path.exists(path):
        return path
    with _explained():
        os.makedirs(kernels, exist_ok=True)
    with _locked(place + ".lock", os.path.basename(program.path)):
        if os.path.exists(path):  # somebody else was faster
            return path
        for left in glob.glob(glob.escape(place) + ".new-*"):  # by a builder that was killed: we hold its lock
            shutil.rmtree(left, ignore_errors=True)
        with _explained():
            fresh = tempfile.mkdtemp(prefix=os.path.basename(place) + ".new-", dir=kernels)
        try:
            with compiler.Progress(f"nvcc compiles {os.path.basename(program.path)}"):
                program.build(os.path.join(fresh, f"{stem}.so"), nvcc)
            if program.cuda() != text:  # the file was saved meanwhile
                return None
            with _explained():
                os.chmod(fresh, 0o755)
                shutil.rmtree(place, ignore_errors=True)  # without its library: not whole, whoever left it so
                os.rename(fresh, place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return path


@contextlib.contextmanager
def _locked(path, what):
    with _explained():
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with _explained():
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with compiler.Progress(f"another process compiles {what}"):
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
