"""Functions on the CPU: `tkc run` executes them as the emulator does (docs/emulator.md), on arrays of NumPy and what shares memory with it."""
import contextlib
import json
import os
import subprocess
import tempfile
import threading
import weakref

import numpy

from . import arguments, compiler, dtypes, inputs, launch, tensors
from .errors import BuildError, Error, LaunchError

ALIGNMENT = 256  # what the emulator takes the start of a storage to be aligned to


class Service:
    """A process that runs the functions of one program, one call at a time. Starts with the first call."""

    def __init__(self, program, files):
        self.program = program
        self.files, self.tkc = files, compiler.tkc_content()  # which the contract was made from
        self.lock = threading.Lock()
        self.process = None
        self.owner = None  # the process that started it: after a fork the child starts its own

    def start(self):
        now = inputs.Snapshot(self.files)
        if now.hashes != self.files or compiler.tkc_content() != self.tkc:
            raise self.changed(now)
        self.messages = tempfile.TemporaryFile()
        call = self.program.call(["run"])
        try:
            self.process = subprocess.Popen(call, cwd=self.program.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.messages)
        except OSError as error:
            raise BuildError(f"{call[0]} did not start: {error.strerror or error}") from None
        self.owner = os.getpid()
        self.end = weakref.finalize(self, _end, self.process, self.messages, self.owner)
        self.read_line()  # what it can do is known from the contract
        if not now.holds():
            self.drop()
            raise self.changed(inputs.Snapshot(self.files))

    def changed(self, now):
        """The error for files that are other ones than those that were loaded: their functions may be others, too."""
        places = [path for path, hashed in self.files.items() if now.hashes[path] != hashed]
        if compiler.tkc_content() != self.tkc:
            places.append(compiler.tkc())
        return BuildError(f"{[*places, self.program.file][0]} changed since {self.program.path} was loaded: load it again")

    def read_line(self):
        line = self.process.stdout.readline()
        if not line:
            raise self.failure()
        return json.loads(line)

    def failure(self):
        code = self.process.wait()
        self.messages.seek(0)
        text = self.messages.read().decode(errors="replace")
        self.process = None
        return compiler.failure(code, text) if code > 0 else Error(f"`tkc run` ended by signal {-code}\n{text}")

    def drop(self):
        """Ends the process, whatever it is doing."""
        if self.process is not None and self.owner == os.getpid():
            self.process.kill()
            self.end()
        self.process = None

    def call(self, header, storages, sizes):
        """Sends a request. Gives the answer, and as many storages of these sizes as it brings."""
        with self.lock:
            try:
                if self.process is None or self.owner != os.getpid():
                    self.start()
                return self.exchange(header, storages, sizes)
            except BaseException:
                # Ctrl-C, most of all: the process waits for the rest of a request, or its answer would be taken for that to
                # the next one.
                self.drop()
                raise

    def exchange(self, header, storages, sizes):
        try:
            self.process.stdin.write(json.dumps(header).encode() + b"\n")
            for storage in storages:
                self.process.stdin.write(storage)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.failure() from None
        answer = self.read_line()
        written = []
        if answer["end"] == "finished":
            for size in sizes:
                data = self.process.stdout.read(size)
                if len(data) != size:
                    raise self.failure()
                written.append(data)
        return answer, written


def _overlap(a, b):
    """Whether the memory of two arrays overlaps, by the rule of the launchers (runtime/tk/host/tensor.h)."""
    if not numpy.may_share_memory(a, b):
        return False
    steps = {s for x in (a, b) for n, s in zip(x.shape, x.strides) if n > 1 and s > 0}
    return not any(_apart(a, b, step) for step in steps)


def _apart(a, b, step):
    """Whether two arrays lie in different columns of rows that are `step` bytes apart."""
    columns = []
    for x in (a, b):
        reach = sum((n - 1) * s for n, s in zip(x.shape, x.strides) if s % step != 0)
        columns.append((x.ctypes.data % step, reach + x.itemsize))
    (first, width), (second, other) = columns
    return width <= (second - first) % step and other <= (first - second) % step


def _end(process, messages, owner):
    messages.close()
    if owner != os.getpid():
        return
    with contextlib.suppress(BrokenPipeError):  # it may have ended before it read everything
        process.stdin.close()
    process.stdout.close()
    process.wait()


def memory_of(name, x):
    """An array of plain bits over the memory of a tensor on the CPU."""
    if tensors.is_torch(x):
        torch = tensors.torch()
        kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        return x.detach().view(kinds[x.element_size()]).numpy()
    array = x if isinstance(x, numpy.ndarray) else numpy.from_dlpack(x)
    return array.view(numpy.dtype(f"u{array.itemsize}"))


class Storage:
    """The piece of memory that an array spans, as the emulator takes it."""

    def __init__(self, contract, parameter, x):
        array = memory_of(parameter.name, x)
        if any(s < 0 for s in array.strides):
            raise ValueError(f"{contract.name}(): `{parameter.name}` has a negative stride: make it contiguous")
        size = array.itemsize
        self.array = array
        self.strides = [s // size for s in array.strides]
        # Alignment is part of the contract: the storage begins where a multiple of 256 bytes lies below the array.
        self.origin = array.ctypes.data % ALIGNMENT // size if array.size else 0
        span = 1 + sum((n - 1) * s for n, s in zip(array.shape, self.strides)) if array.size else 0
        flat = numpy.lib.stride_tricks.as_strided(array, (span,), (size,))
        self.bytes = b"\0" * (self.origin * size) + flat.tobytes()
        self.row = {"name": parameter.name, "dtype": parameter.dtype, "extents": list(array.shape),
                    "strides": self.strides, "origin": self.origin, "bytes": len(self.bytes)}

    def take(self, data):
        """Writes the elements of the array, and nothing between them, as they came back."""
        if self.array.size:
            flat = numpy.frombuffer(data, self.array.dtype)[self.origin:]
            self.array[...] = numpy.lib.stride_tricks.as_strided(flat, self.array.shape, self.array.strides)


class Emulated:
    """One function of a program."""

    def __init__(self, contract, service):
        self.contract = contract
        self.service = service

    def __call__(self, given):
        contract = self.contract
        numbers = {p.name: arguments.number(contract.name, p.name, p.dtype, given[p.name]) for p in contract.scalars}
        numbers = {name: repr(x) if isinstance(x, float) else x for name, x in numbers.items()}  # JSON has no infinity
        given = {name: self._on_cpu(value) for name, value in given.items()}
        checked = arguments.check(contract, given, tensors.CPU)
        made = arguments.make(checked)
        storages = [Storage(contract, p, made.get(p.name, given[p.name])) for p in contract.tensors]
        self._check_overlap(storages)
        header = {"function": contract.name, "scalars": numbers, "tensors": [s.row for s in storages]}
        written = [s for p, s in zip(contract.tensors, storages) if p.mode != "in"]
        answer, data = self.service.call(header, [s.bytes for s in storages], [len(s.bytes) for s in written])
        for line in answer["printed"]:
            print(line)
        if answer["end"] == "refused":
            raise ValueError(f"{contract.name}(): {answer['text']}")
        if answer["end"] != "finished":
            raise LaunchError("\n".join([f"{contract.name}(): {answer['text']}", *answer["places"]]), 6)
        for storage, bits in zip(written, data):
            storage.take(bits)
        results = tuple(made.get(p.name, given[p.name]) for p in contract.outputs)
        return results[0] if len(results) == 1 else results or None

    @staticmethod
    def _on_cpu(value):
        """Arrays of libraries whose memory is not written from outside are read as NumPy's."""
        known = value is None or isinstance(value, numpy.ndarray) or tensors.is_torch(value)
        if known or not hasattr(value, "__dlpack__") or not hasattr(value, "shape") or numpy.isscalar(value):
            return value
        return numpy.asarray(value)

    def _check_overlap(self, storages):
        for p, s in zip(self.contract.tensors, storages):
            for q, other in zip(self.contract.tensors, storages):
                if p is not q and p.mode != "in" and _overlap(s.array, other.array):
                    raise ValueError(f"{self.contract.name}(): `{p.name}` is written and overlaps `{q.name}`")


def function(contract, service):
    """The Python function of one function of a program."""
    names = {"_call": Emulated(contract, service)}
    text = (f"def {launch.python_name(contract)}({launch.parameters_text(contract)}):\n"
            f"    return _call({launch.given_text(contract)})\n")
    exec(compile(text, f"<tk {contract.name}>", "exec"), names)
    return names[launch.python_name(contract)]


def encode(array, dtype):
    """The array's numbers in a type of the language, rounded to nearest even."""
    with numpy.errstate(over="ignore"):  # what is too large becomes infinite
        return numpy.asarray(array).astype(dtypes.to_numpy(dtype))


def bits(array, dtype):
    """The same memory as numbers of bf16, fp8_e4m3 or fp8_e5m2, of which the array holds the bits."""
    array = numpy.asarray(array)
    wanted = dtypes.BITS.get(dtype)
    if wanted is None:
        raise TypeError(f"bits(): {dtype!r} must be one of {', '.join(dtypes.BITS)}")
    if array.dtype.name not in (wanted, wanted.lstrip("u")) or not array.dtype.isnative:
        raise TypeError(f"bits(): the bits of {dtype} are {wanted}, got {array.dtype}")
    return array.view(dtypes.to_numpy(dtype))


def decode(array, dtype):
    """The numbers of an array that `encode` or a kernel made, as float32."""
    if dtype not in dtypes.TABLE:
        raise TypeError(f"decode(): {dtype!r} must be one of {', '.join(dtypes.TABLE)}")
    wanted = dtypes.BITS.get(dtype)
    if isinstance(array, (bytes, bytearray, memoryview)):
        raise TypeError(f"decode(): {dtype} is decoded from an array, got {type(array).__name__}; "
                        f"`numpy.frombuffer(.., numpy.{wanted or dtypes.TABLE[dtype][2]})` makes one of it")
    array = numpy.asarray(array)
    if wanted is not None and array.dtype.name in (wanted, wanted.lstrip("u")):
        array = array.view(dtypes.to_numpy(dtype))
    elif dtypes.of_numpy(array.dtype) is None:
        raise TypeError(f"decode(): {dtype} is decoded from an array of {wanted or dtypes.TABLE[dtype][2]}, got {array.dtype}")
    return array.astype(numpy.float32)
