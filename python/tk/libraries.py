"""Loads programs: what their functions are, and for the GPU the library with them.

A load that finds everything starts no process. It looks twice:

1. A key of what is known without running tkc (the text of the file, the constants, tkc's own hash) leads to a manifest:
   the functions, the other files that mattered with their hashes, and the key of the library. If one of these files has
   changed, tkc runs.
2. A key of the CUDA text and of the headers that it includes leads to the library. So an edit that changes no CUDA builds
   nothing, nor does the same file in another folder or on another machine.

What tkc reads is read by Python, too, before and after: a manifest or a library is kept only if nothing changed meanwhile.
"""
import contextlib
import fcntl
import glob
import hashlib
import os
import re
import shutil
import tempfile
import warnings
import weakref

from . import cache, compiler, inputs
from .errors import BuildError, Error

_FORM = "1"  # of manifests; those of another form are not found
# What nvcc reads from its environment. PATH, by which it finds the C++ compiler, changes no kernel.
_ENVIRONMENT = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH")
_ATTEMPTS = 3


class Loaded:
    """What a load found: on the GPU a library; on the CPU the files that the emulator must find as they are, with their hashes."""

    def __init__(self, functions, key, library=None, files=None):
        self.functions, self.key, self.library, self.files = functions, key, library, files


def _for_cpu(program, functions, text, others):
    there = {path: hashed for path, hashed in others.items() if hashed is not None}
    alone = os.path.basename(_manifests(program, "cpu", text)[0])
    key = cache.digest(alone, *(f"{path} {hashed}" for path, hashed in there.items()))
    return Loaded(functions, key, files={program.file: inputs.hash_of(text), **others})


def load(program, device):
    error = None
    for _ in range(_ATTEMPTS):
        try:
            found = _kept(program, device) or _made(program, device)
        except cache.Gone as gone:  # by an `rm -rf`, in all likelihood
            error = gone
            continue
        if found is not None:
            return found
    raise error or BuildError(f"{program.path} changes while it is compiled")


def key_of(program, text, headers):
    """The key of a library: of what nvcc compiles, and how."""
    parts = [text, *headers.parts, compiler.tkc_content(), *program.modes, *_environment()]
    if headers.computed:  # nobody knows what else it is made from
        parts.append(os.urandom(16))
    return cache.digest(*parts)


def _environment():
    return [f"{name}={os.environ.get(name, '')}" for name in _ENVIRONMENT]


# ---- manifests -------------------------------------------------------------------------------------


def _manifests(program, device, text):
    """The paths of two manifests: of a program that is one file, wherever that is, and of one in its folders."""
    alone = cache.digest(_FORM, compiler.tkc_content(), device, program.path, text, *sorted(program.constants), *program.modes,
                         *_environment())
    return [os.path.join(cache.folder(), "loads", key) for key in (alone, cache.digest(alone, *program.folders))]


def _kept(program, device):
    """What an earlier load left, if that is still true."""
    text = inputs.read(program.file)
    for path in [] if text is None else _manifests(program, device, text):
        row = cache.read_record(path)
        if not _is_manifest(row) or not _is_true(program, row):
            continue
        if device == "cpu":
            return _for_cpu(program, row["functions"], text, dict(row["files"]))
        library = _find(program, row["key"])
        if library is not None:
            return Loaded(row["functions"], row["key"], library)
    return None


def _is_manifest(row):
    """Whether a record has the form of those that `_keep` writes."""
    def texts(values):
        return isinstance(values, list) and all(isinstance(value, str) for value in values)

    return isinstance(row, dict) and row.keys() == {"functions", "key", "files", "absent"} \
        and isinstance(row["functions"], list) and all(isinstance(one, dict) for one in row["functions"]) \
        and isinstance(row["key"], str) and re.fullmatch(r"[0-9a-f]{32}", row["key"]) is not None \
        and texts(row["absent"]) and isinstance(row["files"], list) \
        and all(isinstance(pair, list) and len(pair) == 2 and texts([pair[0], pair[1] or ""]) for pair in row["files"])


def _is_true(program, row):
    """Whether all files are still what they were, and those that were not there are still not there."""
    if any(inputs.hash_of(inputs.read(path)) != hashed for path, hashed in row["files"]):
        return False
    return all(inputs.read(os.path.join(folder, name)) is None for name in row["absent"] for folder in program.folders)


def _keep(program, device, text, others, names, made):
    """Writes the manifest. `others`: all files but the program's own; `names`: those of headers in the CUDA text."""
    alone, in_folders = _manifests(program, device, text)
    row = {"functions": made.functions, "key": made.key}
    if any(others.values()):
        cache.write_record(in_folders, {**row, "files": list(others.items()), "absent": []})
    else:
        cache.write_record(alone, {**row, "files": [], "absent": names})


# ---- compiling -------------------------------------------------------------------------------------


def _made(program, device):
    """Runs tkc, and nvcc if necessary. None if something changed meanwhile."""
    tkc = compiler.tkc_content()
    files = [program.path]
    for _ in range(_ATTEMPTS):  # which files tkc reads is known only after it has read them
        own = inputs.Snapshot()
        text = own.read(program.file)
        others = inputs.Snapshot(inputs.imports(program, files))
        contract = program.contract()
        if contract["files"] == files:
            break
        files = contract["files"]
    else:
        return None
    snapshots = [own, others]

    def unchanged():
        return compiler.tkc_content() == tkc and all(snapshot.holds() for snapshot in snapshots)

    if device == "cpu":
        if not unchanged():
            return None
        made = _for_cpu(program, contract["functions"], text, others.hashes)
        _keep(program, device, text, others.hashes, [], made)
        return made
    cuda = program.cuda()
    headers = inputs.Headers(program, cuda)
    snapshots.append(headers.snapshot)
    key = key_of(program, cuda, headers)
    library = _find(program, key) or _build(program, key, headers, unchanged)
    if library is None or not unchanged():
        return None
    made = Loaded(contract["functions"], key, library)
    if not headers.computed:
        _keep(program, device, text, {**others.hashes, **headers.snapshot.hashes}, headers.names, made)
    return made


def _place(key, version):
    return os.path.join(cache.folder(), "kernels", f"{key}-cuda{version}")


def _version_of(place):
    return [int(number) for number in re.findall(r"\d+", place.rpartition("-cuda")[2])]


def _find(program, key):
    """The path of a library in the cache, or None. Without nvcc, one of any nvcc: it needs nothing but the driver."""
    nvcc = compiler.find_nvcc()
    if nvcc is not None:
        places = [_place(key, compiler.nvcc_version(nvcc))]
    else:
        found = glob.glob(glob.escape(_place(key, "")) + "*")
        places = sorted((place for place in found if re.search(r"-cuda[\d.]+$", place)), key=_version_of, reverse=True)
    for place in places:
        path = program.output(place, key, ".so")
        if _is_whole(path):
            return path
    return None


def _is_whole(path):
    """Whether a library is as it was built. Loading one that is cut off would end the process."""
    content = cache.read(path)
    return content is not None and cache.read(path + ".sha256") == _sum(path, content)


def _sum(path, content):
    """As sha256sum writes it."""
    return f"{hashlib.sha256(content).hexdigest()}  {os.path.basename(path)}\n".encode()


def _build(program, key, headers, unchanged):
    """Builds a library and puts it into the cache. None if not everything is `unchanged` afterwards."""
    nvcc = compiler.find_nvcc()
    if nvcc is None:
        raise BuildError(f"kernels for the GPU are compiled by nvcc, and there is none: {compiler.no_nvcc()}; or run on the CPU: "
                         "tk.load(.., device=\"cpu\")")
    if headers.computed:
        return _build_apart(program, key, headers.computed, nvcc)
    name = os.path.basename(program.path)
    version = compiler.nvcc_version(nvcc)
    place = _place(key, version)
    path = program.output(place, key, ".so")
    with cache.explained():
        cache.make_folder(os.path.dirname(place))
    with _locked(place + ".lock", name):
        if _is_whole(path):  # another process was faster
            return path
        for left in glob.glob(glob.escape(place) + ".new-*"):  # by a builder that was killed: this one has its lock
            shutil.rmtree(left, ignore_errors=True)
        with cache.explained():
            fresh = tempfile.mkdtemp(prefix=os.path.basename(place) + ".new-", dir=os.path.dirname(place))
        try:
            try:
                _run(program, os.path.join(fresh, os.path.basename(path)), nvcc)
            except Error as error:
                if not os.path.isdir(fresh):
                    raise cache.Gone(str(cache.cannot_write(f"{fresh} was removed while nvcc ran"))) from None
                if isinstance(error, BuildError) and fresh in str(error):
                    raise cache.cannot_write(error) from None
                raise
            if not unchanged() or compiler.nvcc_version(nvcc) != version:
                return None
            with cache.explained():
                _finish(fresh, os.path.basename(path))
                shutil.rmtree(place, ignore_errors=True)  # not whole, whoever left it so
                os.rename(fresh, place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return path


def _run(program, path, nvcc):
    with compiler.Progress(f"nvcc compiles {os.path.basename(program.path)}"):
        program.build(path, nvcc)


def _finish(folder, library):
    """Writes the hash, and lets others read, but not write."""
    with open(os.path.join(folder, library), "rb") as stream:
        content = stream.read()
    with open(os.path.join(folder, library + ".sha256"), "wb") as stream:
        stream.write(_sum(library, content))
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        os.chmod(path, os.stat(path).st_mode & ~0o022)
    os.chmod(folder, 0o755)


def _build_apart(program, key, computed, nvcc):
    """A library that only this load uses, since nobody knows what went into it."""
    warnings.warn(f"{computed} reads a file that only nvcc can tell, so it is not known what {os.path.basename(program.path)} "
                  "is made from, and every load builds it: write `#include` with the name of the file", stacklevel=7)
    folder = tempfile.mkdtemp(prefix="tkc-")
    weakref.finalize(program, shutil.rmtree, folder, ignore_errors=True)
    path = program.output(folder, key, ".so")
    _run(program, path, nvcc)
    return path


@contextlib.contextmanager
def _locked(path, what):
    with cache.explained():
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with cache.explained():
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with compiler.Progress(f"another process compiles {what}"):
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        # A child that was forked meanwhile has the descriptor, too: it must not keep the lock.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)
