#!/usr/bin/env python3
# Compiles a .cu for Hopper and fails unless the result is what a fast kernel needs.
#
# It fails on any warning, on spilled registers and local memory, and on ptxas's remarks C75xx: that
# it serialised tensor-core instructions, put waits in by itself or ignored setmaxnreg. ptxas prints
# those as information and returns 0. What it found is printed by kernel: registers, shared memory.
#
# With --quick nvcc optimises little, and only warnings and errors count: for files of many small cases that show what
# nvcc accepts, of which none has to be fast.
#
# With --read nvcc reads the device code, with its templates, and makes nothing of it: for kernels that are others with another
# mask, order or packing, whose code ptxas has seen there. With TKC_NVCC_WHOLE=1 in the environment they are compiled as all others.
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
import subprocess
import sys
import tempfile

import instances

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
    (re.compile(r"\(C75\d\d\)"), "ptxas changed or gave up on the asynchronous instructions"),
    (re.compile(r"setmaxnreg ignored", re.I), "setmaxnreg was ignored"),
    (re.compile(r"wgmma.*serialized", re.I), "tensor-core instructions were serialised"),
    (re.compile(r"\b[1-9]\d* bytes spill|spilled to local", re.I), "registers were spilled"),
    (re.compile(r"\b[1-9]\d* bytes stack frame|uses local memory", re.I), "local memory is used"),
]
FAULTS = [
    (re.compile(r"\bwarning\b", re.I), "there was a warning"),
    (re.compile(r"\berror\b", re.I), "there was an error"),
]
# Texts that hold one of the words above and mean nothing.
HARMLESS = re.compile(r"\b0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")

# Kernels whose blocks share a multiprocessor may spill this much, as `tkc build` lets them: a block less in flight costs more.
FEW = 16
SHARING = re.compile(r"__launch_bounds__\([\w:]+, (?:[2-9]|\d\d+)\)\s+(\w+)\(")
# The same of instances of a template, of which a parameter says how many blocks.
TEMPLATE = re.compile(r"^template <([^<>]*)>\s__global__ void __launch_bounds__\(\w+, ([a-z]\w*)\)\s+(\w+)\(", re.MULTILINE)
SPILLED = re.compile(r"(\d+) bytes stack frame|size of stack frame: (\d+) bytes|(\d+) bytes spill")
FUNCTION = re.compile(r"Function properties for (\S+)|[Ff]unction '([^']+)'")

ENTRY = re.compile(r"Compiling entry function '([^']+)'")
USED = re.compile(r"Used (\d+) registers(.*)")
SHARED = re.compile(r"(\d+) bytes smem")


# The head of a kernel, with the parameters of its template, as far as its body.
HEAD = re.compile(r"^(?:template <([^<>]*)>\s)?__global__ void __launch_bounds__\([^)]*\)\s+(\w+)\([^{}]*\) \{\n", re.MULTILINE)


def without_general(source):
    """The text with variants for any strides that end before they begin: nvcc reads them, and has nothing to optimise.

    They take a quarter of its time. What ptxas makes of such loads and stores, test/kernels shows.
    """
    general = {}  # the arguments of templates, by function
    found = instances.instances(source)
    names = {name for name, _, _ in found} | {head[2].removesuffix("_kernel") for head in HEAD.finditer(source)}
    for name, function, arguments in found:
        if name.endswith("_general") and name.removesuffix("_general") in names:
            general.setdefault(function, []).append(arguments)

    def ended(head):
        parameters, function = head[1], head[2]
        if parameters is None:
            name = function.removesuffix("_kernel")
            leave = name.endswith("_general") and name.removesuffix("_general") in names
            return head[0] + ("    __builtin_unreachable();\n" if leave else "")
        own = [p.split()[-1] for p in parameters.split(",")]
        same = [" && ".join(f"{p} == {a}" for p, a in zip(own, arguments)) for arguments in general.get(function, [])]
        return head[0] + "".join(f"    if ({condition}) __builtin_unreachable();\n" for condition in same)

    return HEAD.sub(ended, source)


def only_read(wanted):
    """Whether such files are only read, in this environment."""
    return wanted and os.environ.get("TKC_NVCC_WHOLE", "0") in ("", "0")


def find_nvcc(named):
    """The nvcc to use: the one named, $TKC_NVCC, $CUDA_HOME, PATH, the usual place. None: none."""
    if named or os.environ.get("TKC_NVCC"):
        return shutil.which(named or os.environ["TKC_NVCC"])
    home = os.environ.get("CUDA_HOME")
    in_home = shutil.which(os.path.join(home, "bin", "nvcc")) if home else None
    return in_home or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def sharing_kernels(source):
    """What the symbols of kernels whose blocks share a multiprocessor contain."""
    found = SHARING.findall(source)
    for parameters, blocks, kernel in TEMPLATE.findall(source):
        place = [p.split()[-1] for p in parameters.split(",")].index(blocks)
        found += [instances.mangled(function, arguments) for _, function, arguments in instances.instances(source)
                  if function == kernel and int(arguments[place]) > 1]
    return found


def judge(log, source="", quick=False):
    """Splits a log of nvcc, about this text, into faults [(reason, line)] and one summary line a kernel."""
    looked_for = FAULTS if quick else SLOW + FAULTS
    faults, kernels, name, function = [], [], "?", ""
    sharing = sharing_kernels(source)
    for line in log.splitlines():
        entry, used, about = ENTRY.search(line), USED.search(line), FUNCTION.search(line)
        function = next(filter(None, about.groups())) if about else function
        spilled = [int(number) for found in SPILLED.findall(line) for number in found if number]
        if spilled and max(spilled) <= FEW and any(kernel in function for kernel in sharing):
            continue
        if entry:
            name = entry.group(1)
        elif used:
            shared = SHARED.search(line)
            kernels.append(f"{name}: {used.group(1)} registers,"
                           f" {shared.group(1) if shared else 0} bytes of static shared memory")
        elif not HARMLESS.search(line):
            reason = next((why for pattern, why in looked_for if pattern.search(line)), None)
            if reason:
                faults.append((reason, line.strip()))
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


def cache_key(nvcc, version, flags, source, files):
    """A hash of everything that decides the result; this script too, as it holds the rules. Not where the source lies."""
    key = hashlib.sha256()
    parts = [nvcc.encode(), version.encode(), "\0".join(flags).encode()]
    beside = os.path.dirname(os.path.abspath(source))
    parts.append(read_bytes(source))
    for path in [os.path.abspath(__file__), *files]:
        if path != os.path.abspath(source):  # its place among the others is that of its folder
            name = os.path.relpath(path, beside if path.startswith(beside + os.sep) else ROOT)
            parts += [name.encode(), read_bytes(path)]
    for part in parts:
        key.update(len(part).to_bytes(8, "little") + part)
    return key.hexdigest()


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("TKC_NVCC_CACHE") or os.path.join(home, "tkc", "nvcc")


def target_flag(path):
    with open(path, encoding="utf-8", errors="replace") as stream:
        found = TARGET.search(stream.read(4096))
    arch, code = found.groups() if found else ("compute_90a", "sm_90a")
    return f"-gencode=arch={arch},code={code}"


def compile_once(nvcc, source, flags, limit):
    """Runs nvcc. Gives (exit status, log); status None where the time was up."""

    def bound():
        # Processor seconds of each step rather than the clock: a busy machine changes nothing.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    with tempfile.TemporaryDirectory(prefix="nvcc-check-") as folder:
        command = [nvcc, *flags, "-o", os.path.join(folder, "kernel.cubin"), source]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", preexec_fn=bound,
                                  timeout=20 * limit, check=False)
        except subprocess.TimeoutExpired:
            return None, ""
    if done.returncode != 0 and re.search(r"died due to signal (24|9)\b", done.stdout):
        return None, done.stdout
    return done.returncode, done.stdout


def passed(kernels):
    """The verdict on a source without a fault."""
    return True, "\n".join(kernels) + "\n" if kernels else "no kernel is compiled\n"


def render(status, log, command, quick):
    """The verdict: (passed, text)."""
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
    return False, "\n".join([*lines, *kernels, "the command: " + " ".join(command)]) + "\n"


class Checker:
    """What one nvcc says of sources; its verdicts are kept."""

    def __init__(self, nvcc, include=(), define=(), limit=90, cached=True, general=True, quick=False, read=False):
        self.nvcc, self.limit, self.cached, self.general = nvcc, limit, cached, general
        self.quick, self.only_read = quick, only_read(read)
        self.folders = list(dict.fromkeys(os.path.realpath(folder) for folder in [RUNTIME, *include]))
        self.version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        release = re.search(r"release (\d+)", self.version)
        faster = release is not None and int(release[1]) >= 13
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
        """(passed, text), or None."""
        if not self.cached or not os.path.isfile(self.kept_at(source)):
            return None
        with open(self.kept_at(source), encoding="utf-8") as stream:
            verdict = json.load(stream)
        return verdict["passed"], verdict["text"]

    def keep(self, source, passed, text):
        if not self.cached:
            return
        try:
            os.makedirs(cache_folder(), exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=cache_folder(), delete=False) as stream:
                json.dump({"passed": passed, "text": text}, stream)
            os.replace(stream.name, self.kept_at(source))
        except OSError as problem:
            print(f"nvcc-check: the result was not kept: {problem}", file=sys.stderr)

    def check(self, source):
        """(passed, text)"""
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
            status, log = compile_once(self.nvcc, text, flags, self.limit)
        if status is None:
            return False, (f"nvcc-check: a step of nvcc took more than {self.limit} seconds of processor time"
                           f" on {source}\n{log}")
        verdict = render(status, log, [self.nvcc, *flags, "-o", "kernel.cubin", source], self.quick)
        self.keep(source, *verdict)
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
    checker = Checker(nvcc, options.include, options.define, options.limit, not options.no_cache,
                      not options.skip_general, options.quick, options.read)
    good, text = checker.check(options.source)
    sys.stdout.write(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
