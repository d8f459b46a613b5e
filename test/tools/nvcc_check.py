#!/usr/bin/env python3
# Compiles a .cu for Hopper and fails unless the result is what a fast kernel needs.
#
# It fails on any warning, on spilled registers and local memory, and on ptxas's remarks C75xx: that
# it serialized tensor-core instructions, inserted waits by itself or ignored setmaxnreg. ptxas prints
# those as information and returns 0. The result is printed by kernel: registers, shared memory.
#
# A kernel may spill as much as the comment above it says (`may spill 52 bytes per thread`), and its variant for any
# strides, which runs where no fast one can, may spill more: `tkc build` accepts that with a warning.
#
# With --quick nvcc optimizes little, and only warnings and errors count: for files of many small cases that show what
# nvcc accepts, of which none has to be fast.
#
# With --read nvcc reads the device code, with its templates, and generates nothing: for kernels that differ from others
# only in a mask, an order or a packing, so that ptxas has seen their code there. With TKC_NVCC_WHOLE=1 in the environment
# they are compiled as all others.
#
# Results are kept by the content of everything that was read, so that unchanged kernels cost nothing:
# in $TKC_NVCC_CACHE, $XDG_CACHE_HOME/tkc/nvcc or ~/.cache/tkc/nvcc.
import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import instances

DUMP_PACKAGES = ["nvidia-cuda-cuobjdump", "nvidia-cuda-nvdisasm"]  # the first calls the second
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNTIME = os.path.join(ROOT, "runtime")
FLAGS = ["-std=c++17", "-O3", "-fmad=false", "-cubin"]
WHOLE = ["-Xptxas", "-v,-warn-spills,-warn-lmem-usage"]
# Half of the time or less, from CUDA 13.0 on. Some loops then stay loops, so that what they index lies in local memory;
# setmaxnreg is ignored, and waits may be put in.
QUICK = ["-Xptxas", "-v", "--Ofast-compile=mid"]
READ = ["-ptx", "-fdevice-syntax-only"]  # in place of -cubin
# What it is compiled for: as tkc writes it at the head of a file, else a Hopper GPU.
TARGET = re.compile(r"^// nvcc .*-gencode=arch=(\w+),code=\[?(\w+)", re.MULTILINE)

# Numbers differ between toolkits, so the words count too.
SLOW = [
    # C7519 costs nothing: one more arrive, where registers of a product are written after the last one.
    (re.compile(r"\(C75(?!19)\d\d\)"), "ptxas changed or gave up on the asynchronous instructions"),
    (re.compile(r"setmaxnreg ignored", re.I), "setmaxnreg was ignored"),
    (re.compile(r"wgmma.*serialized", re.I), "tensor-core instructions were serialized"),
]
SPILLS = "registers were spilled, or arrays do not fit into them"
FAULTS = [
    (re.compile(r"\bwarning\b", re.I), "there was a warning"),
    (re.compile(r"\berror\b", re.I), "there was an error"),
]
# Texts that hold one of the words above and mean nothing.
HARMLESS = re.compile(r"\b0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")

SPILLED = re.compile(r"(\d+) bytes stack frame|size of stack frame: (\d+) bytes|(\d+) bytes spill")
FUNCTION = re.compile(r"Function properties for (\S+)|[Ff]unction '([^']+)'")

ENTRY = re.compile(r"Compiling entry function '([^']+)'")
USED = re.compile(r"Used (\d+) registers(.*)")
SHARED = re.compile(r"(\d+) bytes smem")


class BadNvcc(Exception):
    """A program that is not nvcc."""


class Usage(NamedTuple):
    """What a kernel uses, as ptxas reports it."""
    registers: int  # per thread
    shared: int  # bytes of static shared memory
    spilled: int  # bytes per thread: the most of its stack frame, spill stores and spill loads


class Verdict(NamedTuple):
    """The judgment of a source."""
    passed: bool
    text: str
    kernels: dict = {}  # from the kernel's name in the .tk to [registers, spilled bytes]


# The head of a kernel, with the parameters of its template, as far as its body.
HEAD = re.compile(r"^(?:template <([^<>]*)>\s)?__global__ void __launch_bounds__\([^)]*\)\s+(\w+)\([^{}]*\) \{\n", re.MULTILINE)


def without_general(source):
    """The text with variants for any strides that end before they begin: nvcc reads them, and has nothing to optimize.

    They take a quarter of its time. What ptxas makes of such loads and stores, test/kernels shows.
    """
    general = {}  # the arguments of templates, by function; of other functions none
    names = instances.general_names(source)
    for head in instances.heads(source):
        if head.kernel in names:
            general.setdefault(head.function, []).append(head.arguments)

    def ended(head):
        own = [parameter.split()[-1] for parameter in (head[1] or "").split(",") if parameter]
        text = head[0]
        for arguments in general.get(head[2], []):
            same = " && ".join(f"{parameter} == {a}" for parameter, a in zip(own, arguments))
            text += f"    if ({same}) __builtin_unreachable();\n" if same else "    __builtin_unreachable();\n"
        return text

    return HEAD.sub(ended, source)


def only_read(wanted):
    """Whether such files are only read, in this environment."""
    return wanted and os.environ.get("TKC_NVCC_WHOLE", "0") in ("", "0")


def find_cuobjdump():
    """The tool of $TKC_CUOBJDUMP, PATH, CUDA, or of the packages, which are installed next to the cache. None: none."""
    def named(folder):
        for where, _, names in os.walk(folder):
            if "cuobjdump" in names:
                return os.path.join(where, "cuobjdump")
        return None

    for candidate in (os.environ.get("TKC_CUOBJDUMP"), "cuobjdump", "/usr/local/cuda/bin/cuobjdump"):
        found = shutil.which(candidate) if candidate else None
        if found:
            return found
    tools = os.path.join(os.path.dirname(cache_folder()), "cuobjdump")
    if not named(tools):
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--retries", "1", "--no-deps", "--target", tools, *DUMP_PACKAGES],
                       capture_output=True, check=False)
    return named(tools)


def find_nvcc(named):
    """The nvcc to use: the one named, $TKC_NVCC, $CUDA_HOME, PATH, the usual place. None: none."""
    if named or os.environ.get("TKC_NVCC"):
        return shutil.which(named or os.environ["TKC_NVCC"])
    home = os.environ.get("CUDA_HOME")
    in_home = shutil.which(os.path.join(home, "bin", "nvcc")) if home else None
    return in_home or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def allowed(name, heads, general):
    """How many bytes per thread a kernel may spill."""
    head = next((head for head in heads if head.kernel == name), None)
    if head is None:
        return 0
    return float("inf") if name in general else head.may_spill


def names_of(symbol, heads):
    """The kernels' names in the .tk, several if instances share a function; the symbol of one that no comment describes."""
    return [head.kernel for head in heads if head.has(symbol)] or [symbol]


def judge(log, source="", quick=False):
    """Splits a log of nvcc, about this text, into faults [(reason, line)] and {name in the .tk, or symbol: Usage}."""
    looked_for = FAULTS if quick else SLOW + FAULTS
    faults, kernels, spills, symbol, function = [], {}, {}, "?", "?"
    heads, general = instances.heads(source), instances.general_names(source)
    for line in log.splitlines():
        entry, used, about = ENTRY.search(line), USED.search(line), FUNCTION.search(line)
        function = next(filter(None, about.groups())) if about else function
        spilled = max((int(number) for found in SPILLED.findall(line) for number in found if number), default=0)
        spills[function] = max(spilled, spills.get(function, 0))
        if entry:
            symbol = entry.group(1)
        elif used:
            shared = SHARED.search(line)
            usage = Usage(int(used.group(1)), int(shared.group(1)) if shared else 0, spills.get(symbol, 0))
            kernels.update((name, usage) for name in names_of(symbol, heads))
        elif not HARMLESS.search(line) and (quick or not spilled):
            reason = next((why for pattern, why in looked_for if pattern.search(line)), None)
            if reason:
                faults.append((reason, line.strip()))
    for function, spilled in {} if quick else spills.items():
        # Each of the instances that share it runs this code, so the one that allows the least decides.
        least, name = min((allowed(name, heads, general), name) for name in names_of(function, heads))
        if spilled > least:
            faults.append((SPILLS, f"{name}: {spilled} bytes per thread; {least} are allowed"
                                   f" (`spills({spilled})` in its grid allows these)"))
    return faults, kernels


def inputs_of(source, folders):
    """The files that a compilation may read, apart from the toolkit's own: what is included, and what that includes."""
    files = {os.path.abspath(source)}
    waiting = [os.path.abspath(source)]
    while waiting:
        path = waiting.pop()
        text = read_bytes(path).decode("utf-8", "replace")
        for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, re.MULTILINE):
            for folder in [os.path.dirname(path), *folders]:
                found = os.path.normpath(os.path.join(folder, name))
                if os.path.isfile(found) and found not in files:
                    files.add(found)
                    waiting.append(found)
    return sorted(files)


def read_bytes(path):
    with open(path, "rb") as stream:
        return stream.read()


def write(path, text):
    """Replaces a file at once: no reader sees half of it, and it stays as it was if the disk is full."""
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), encoding="utf-8", delete=False) as stream:
        try:
            stream.write(text)
            stream.flush()
            os.chmod(stream.name, 0o644)
            os.replace(stream.name, path)
        except BaseException:
            os.remove(stream.name)
            raise


def cache_key(nvcc, version, flags, source, files):
    """A hash of everything that decides the result; these scripts too, as they have the rules. Not the source's folder."""
    key = hashlib.sha256()
    parts = [nvcc.encode(), version.encode(), "\0".join(flags).encode()]
    folder = os.path.dirname(os.path.abspath(source))
    parts.append(read_bytes(source))
    for path in [os.path.abspath(__file__), os.path.abspath(instances.__file__), *files]:
        if path != os.path.abspath(source):  # its place among the others is that of its folder
            name = os.path.relpath(path, folder if path.startswith(folder + os.sep) else ROOT)
            parts += [name.encode(), read_bytes(path)]
    for part in parts:
        key.update(len(part).to_bytes(8, "little") + part)
    return key.hexdigest()


def version_of(nvcc):
    """The text of `nvcc --version`, and `nvcc 13.0.88`."""
    try:
        done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, errors="replace", check=False)
    except OSError as problem:
        raise BadNvcc(f"{nvcc} cannot be run: {problem.strerror}. Name another with --nvcc PATH") from problem
    found = re.search(r"release [\d.]+, V([\d.]+)", done.stdout)
    if done.returncode != 0 or not found:
        raise BadNvcc(f"`{nvcc} --version` ended with status {done.returncode} and"
                      f" {'names' if found else 'does not name'} a release of nvcc. Name another with --nvcc PATH")
    return done.stdout, f"nvcc {found[1]}"


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("TKC_NVCC_CACHE") or os.path.join(home, "tkc", "nvcc")


def target_flag(path):
    with open(path, encoding="utf-8", errors="replace") as stream:
        found = TARGET.search(stream.read(4096))
    arch, code = found.groups() if found else ("compute_90a", "sm_90a")
    return f"-gencode=arch={arch},code={code}"


running = set()  # calls of nvcc, of all threads


def kill(run):
    """Ends a call of nvcc with the steps that it started."""
    if run.poll() is None:
        os.killpg(run.pid, signal.SIGKILL)


def compile_once(nvcc, source, flags, limit, end=float("inf"), output=""):
    """Runs nvcc. Returns (exit status, log); status None if the time was up. limit: of processor time; end: of the
    clock; output: where its result stays."""

    def bound():
        # Processor seconds of each step rather than the clock: a busy machine changes nothing.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    with tempfile.TemporaryDirectory(prefix="nvcc-check-") as folder:
        command = [nvcc, *flags, "-o", output or os.path.join(folder, "kernel.cubin"), source]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              preexec_fn=bound, start_new_session=True) as run:
            running.add(run)
            try:
                log, _ = run.communicate(timeout=max(0, min(20 * limit, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                kill(run)
                return None, ""
            except BaseException:
                kill(run)
                raise
            finally:
                running.discard(run)
    if run.returncode != 0 and re.search(r"died due to signal (24|9)\b", log):
        return None, log
    return run.returncode, log


def passed(kernels):
    """The verdict on a source without a fault."""
    lines = [f"{name}: {usage.registers} registers, {usage.shared} bytes of static shared memory"
             + (f", {usage.spilled} bytes spilled" if usage.spilled else "") for name, usage in kernels.items()]
    return Verdict(True, "\n".join(lines) + "\n" if lines else "no kernel is compiled\n",
                   {name: [usage.registers, usage.spilled] for name, usage in kernels.items()})


def render(status, log, command, quick):
    """The verdict of a log."""
    with open(command[-1], encoding="utf-8", errors="replace") as stream:
        faults, kernels = judge(log, stream.read(), quick)
    if status == 0 and not faults:
        return passed(kernels)
    lines = []
    for reason in dict.fromkeys(reason for reason, _ in faults):
        lines.append(f"nvcc-check: {reason}:")
        lines += [f"    {line}" for why, line in faults if why == reason]
    if status != 0 and not faults:
        lines += [f"nvcc-check: nvcc failed with status {status}:", log.rstrip()]
    return Verdict(False, "\n".join([*lines, "the command: " + " ".join(command)]) + "\n")


class Checker:
    """Judges sources by one nvcc; its verdicts are kept."""

    def __init__(self, nvcc, include=(), define=(), limit=90, cached=True, general=True, quick=False, read=False):
        self.nvcc, self.limit, self.cached, self.general = nvcc, limit, cached, general
        self.quick, self.only_read = quick, only_read(read)
        self.folders = list(dict.fromkeys(os.path.realpath(folder) for folder in [RUNTIME, *include]))
        self.version, self.named_version = version_of(nvcc)
        faster = int(re.search(r"release (\d+)", self.version)[1]) >= 13
        if self.only_read:
            common = [flag for flag in FLAGS if flag != "-cubin"]
            mode = READ
        else:
            common = FLAGS
            mode = QUICK if quick and faster else WHOLE
        self.flags = common + mode + [f"-I{folder}" for folder in self.folders] + [f"-D{d}" for d in define]

    def read(self, source):
        """What is compiled of it."""
        text = read_bytes(source).decode("utf-8", "replace")
        return text if self.general else without_general(text)

    def kept_at(self, source):
        flags = [*self.flags, target_flag(source), f"{self.general} {self.quick}"]
        key = cache_key(self.nvcc, self.version, flags, source, inputs_of(source, self.folders))
        return os.path.join(cache_folder(), key + ".json")

    def kept(self, source):
        """The verdict that an earlier run kept, or None. A file that holds no verdict counts as none, and is replaced."""
        if not self.cached or not os.path.isfile(self.kept_at(source)):
            return None
        try:
            with open(self.kept_at(source), encoding="utf-8") as stream:
                verdict = Verdict(**json.load(stream))
        except (OSError, ValueError, TypeError):
            return None
        return verdict if [type(part) for part in verdict] == [bool, str, dict] else None

    def keep(self, source, verdict):
        if not self.cached:
            return
        try:
            os.makedirs(cache_folder(), exist_ok=True)
            write(self.kept_at(source), json.dumps(verdict._asdict()))
        except OSError as problem:
            print(f"nvcc-check: the result was not kept: {problem}", file=sys.stderr)

    def check(self, source, end=float("inf")):
        """The verdict. end: of the clock (time.monotonic()), when nvcc is killed."""
        verdict = self.kept(source)
        if verdict:
            return verdict
        flags = [*self.flags, target_flag(source)]
        with tempfile.TemporaryDirectory(prefix="nvcc-check-") as folder:
            text = source
            if not self.general:
                text = os.path.join(folder, os.path.basename(source))
                flags.append(f"-I{os.path.dirname(os.path.abspath(source))}")
                with open(text, "w", encoding="utf-8") as stream:
                    stream.write(self.read(source))
            status, log = compile_once(self.nvcc, text, flags, self.limit, end)
        if status is None:
            return Verdict(False, f"nvcc-check: a step of nvcc took more than {self.limit} seconds of processor time"
                                  f" on {source}\n{log}")
        verdict = render(status, log, [self.nvcc, *flags, "-o", "kernel.cubin", source], self.quick)
        if status >= 0:  # a signal that ended nvcc says nothing about the source
            self.keep(source, verdict)
        return verdict


def main():
    arguments = argparse.ArgumentParser(description="Compiles a .cu and judges it.")
    arguments.add_argument("source")
    arguments.add_argument("--nvcc", default="")
    arguments.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER")
    arguments.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE")
    arguments.add_argument("--limit", type=int, default=90, metavar="SECONDS",
                           help="processor time that one step of nvcc may take (90)")
    arguments.add_argument("--no-cache", action="store_true")
    arguments.add_argument("--skip-general", action="store_true", help="read the variants for any strides, and no more")
    arguments.add_argument("--quick", action="store_true", help="optimise little: see whether nvcc accepts it")
    arguments.add_argument("--read", action="store_true", help="see whether it is valid C++, and make no machine code")
    options = arguments.parse_args()

    nvcc = find_nvcc(options.nvcc)
    if nvcc is None:
        print("nvcc-check: no nvcc found: set CUDA_HOME, or pass --nvcc PATH", file=sys.stderr)
        return 2
    if not os.path.isfile(options.source):
        print(f"nvcc-check: there is no file {options.source}", file=sys.stderr)
        return 2
    try:
        checker = Checker(nvcc, options.include, options.define, options.limit, not options.no_cache,
                          not options.skip_general, options.quick, options.read)
    except BadNvcc as problem:
        print(f"nvcc-check: {problem}", file=sys.stderr)
        return 2
    verdict = checker.check(options.source)
    sys.stdout.write(verdict.text)
    return 0 if verdict.passed else 1


if __name__ == "__main__":
    sys.exit(main())
