"""examples/emitted.txt: for each example a hash of the CUDA that tkc emits, and what nvcc makes of each kernel."""
import dataclasses
import hashlib
import os
import re

import instances
import nvcc_check

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(ROOT, "examples", "emitted.txt")
COMMAND = "test/tools/emitted.py --update"
HEAD = f"""\
# What tkc emits for each example, and what {{nvcc}} makes of it. This command writes it:
#
#     {COMMAND}
#
# An example's line: the number of lines and of kernels, and 16 digits of the SHA-256 of the text.
#
# A kernel's line: registers per thread, as ptxas allots them, and in parentheses the limit of each role, or of all
# threads; bytes of shared memory per block; bytes that a thread spills, if any (the largest of its stack frame, spill
# stores and spill loads). `?`: nvcc has not compiled this text. NAME_general is NAME for any strides and alignment.
# A file does not get its line if ptxas serialized products or made another remark C75xx, or if a kernel spills more
# than `spills(..)` in its grid allows.
"""
NVCC = re.compile(r"and what (nvcc [\d.]+|nvcc) makes of it")
EXAMPLE = re.compile(r"([\w/]+): (\d+) lines, (\d+) kernels?, ([0-9a-f]{16})$")
KERNEL = re.compile(r"  (\w+): (\d+|\?) registers \(([\w ,]+)\), (\d+) shared(?:, (\d+) spilled)?$")


class BadList(Exception):
    """A line of the list cannot be read."""


class BadText(Exception):
    """An emitted text is not as this reads it."""


@dataclasses.dataclass
class Kernel:
    limits: str  # of registers per thread: `producer 24, consumer 240`, or `all 64`
    shared: int
    registers: int = -1  # per thread; -1: unknown
    spilled: int = 0  # bytes per thread

    def line(self, name):
        registers = "?" if self.registers < 0 else self.registers
        spilled = f", {self.spilled} spilled" if self.spilled else ""
        return f"  {name}: {registers} registers ({self.limits}), {self.shared} shared{spilled}"


@dataclasses.dataclass
class Example:
    lines: int
    hash: str
    kernels: dict  # by name

    def known(self):
        """Whether nvcc has compiled this text."""
        return all(kernel.registers >= 0 for kernel in self.kernels.values())

    def text_differences(self, listed):
        """Sentences about what the list has otherwise, of all that follows from the text: not registers and spills."""
        if listed is None:
            yield "not in the list yet"
        elif self.hash != listed.hash:
            yield "the text is not the one in the list"
        else:
            if self.lines != listed.lines:
                yield f"the text has {self.lines} lines, the list {listed.lines}"
            for name in sorted(self.kernels.keys() | listed.kernels.keys()):
                now, then = self.kernels.get(name), listed.kernels.get(name)
                if then is None:
                    yield f"{name}: the list lacks this kernel of the text"
                elif now is None:
                    yield f"{name}: the list has this kernel, and the text does not"
                else:
                    if now.limits != then.limits:
                        yield f"{name}: the text has the limits ({now.limits}), the list ({then.limits})"
                    if now.shared != then.shared:
                        yield f"{name}: {now.shared} bytes of shared memory in the text, {then.shared} in the list"

    def compiled(self, kernels):
        """The same with what nvcc_check.py reports, {kernel: [registers, spilled bytes]}."""
        missing = sorted(self.kernels.keys() ^ kernels.keys())
        if missing:
            where = "has no comment in the text" if missing[0] in kernels else "is in the text, and nvcc has not compiled it"
            raise BadText(f"the kernel {missing[0]} {where}\n")
        changed = {name: dataclasses.replace(kernel, registers=kernels[name][0], spilled=kernels[name][1])
                   for name, kernel in self.kernels.items()}
        return dataclasses.replace(self, kernels=changed)

    def text(self, name):
        count = f"{len(self.kernels)} kernel{'' if len(self.kernels) == 1 else 's'}"
        head = f"{name}: {self.lines} lines, {count}, {self.hash}"
        return "\n".join([head, *(kernel.line(each) for each, kernel in sorted(self.kernels.items()))]) + "\n"


def of_text(text):
    """The example with this emitted text, before nvcc has compiled it."""
    kernels = {}
    for head in instances.heads(text):
        if head.registers < 0:
            raise BadText(f"the comment above the kernel {head.kernel} does not name its threads and registers, as in"
                          " `// 384 threads, 168 registers each`; instances.py reads it\n")
        limits = ", ".join(f"{role} {number}" for role, number in head.roles) or f"all {head.registers}"
        kernels[head.kernel] = Kernel(limits, head.shared)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Example(text.count("\n"), digest, kernels)


def read():
    """({name: Example}, the nvcc that compiled them; empty if none did)"""
    if not os.path.exists(PATH):
        return {}, ""
    try:
        with open(PATH, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except UnicodeDecodeError as problem:
        number = nvcc_check.read_bytes(PATH)[:problem.start].count(b"\n") + 1
        raise bad_line(number, "this line is not UTF-8") from problem
    examples, nvcc, last, heads = {}, "", None, {}
    for number, line in enumerate(lines, 1):
        example, kernel, version = EXAMPLE.match(line), KERNEL.match(line), NVCC.search(line)
        if line.startswith("#"):
            nvcc = version[1] if version and version[1] != "nvcc" else nvcc
        elif example:
            if example[1] in examples:
                raise bad_line(number, f"{example[1]} has a line above already: {line}")
            last = Example(int(example[2]), example[4], {})
            examples[example[1]] = last
            heads[example[1]] = number, int(example[3])
        elif kernel and last:
            if kernel[1] in last.kernels:
                raise bad_line(number, f"this example has a line of the kernel {kernel[1]} above already: {line}")
            last.kernels[kernel[1]] = Kernel(kernel[3], int(kernel[4]), -1 if kernel[2] == "?" else int(kernel[2]),
                                             int(kernel[5] or 0))
        elif line:
            raise bad_line(number, f"this is neither the line of an example nor of a kernel: {line}")
    for name, (number, count) in heads.items():
        if len(examples[name].kernels) != count:
            raise bad_line(number, f"the head of {name} has {count} as the number of kernels, and"
                                   f" {len(examples[name].kernels)} lines of kernels follow")
    return examples, nvcc


def bad_line(number, reason):
    return BadList(f"{os.path.relpath(PATH, ROOT)}:{number}: {reason}\n"
                   f"Restore the line, or delete the lines of its example and run {COMMAND}.")


def write(examples, nvcc):
    text = HEAD.format(nvcc=nvcc or "nvcc") + "".join("\n" + examples[name].text(name) for name in sorted(examples))
    nvcc_check.write(PATH, text)


def differences(listed, kernels, whole=True):
    """Sentences about kernels for which nvcc reports other numbers than the list has. whole: also about those for any
    strides, and those for which the list has none yet."""
    for name, kernel in sorted(listed.kernels.items()):
        general = name.endswith("_general") and name.removesuffix("_general") in listed.kernels
        if not whole and (general or kernel.registers < 0):
            continue
        if kernel.registers < 0:
            yield f"{name}: the list has no registers yet"
        elif name not in kernels:
            yield f"{name}: nvcc did not compile it"
        elif [kernel.registers, kernel.spilled] != kernels[name]:
            yield (f"{name}: {kernels[name][0]} registers, {kernels[name][1]} bytes spilled;"
                   f" the list has {kernel.registers} and {kernel.spilled}")
    for name in sorted(kernels.keys() - listed.kernels.keys()):
        if whole or not (name.endswith("_general") and name.removesuffix("_general") in kernels):
            yield f"{name}: nvcc compiled it, and the list lacks it"
