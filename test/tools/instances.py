"""The kernels of an emitted file, as the comments above them describe them.

tkc writes one part for each kernel, and for each instance of a template:

    // gemm_square: kernel gemm with BM = 128, BN = 128.
    // producer: 1 warp, 24 registers per thread; consumer: 2 warpgroups, 240 registers per thread.
    // 384 threads, 168 registers each at first, 229472 bytes of shared memory; persistent: gemm_kernel<6, 128>.

Only the part about an instance of a template ends with the instance, and that about one of several instances that share
a function, with that function: `: rows_kernel.`.
"""
import dataclasses
import re

COMMENT = re.compile(r"(?:^//[^\n]*\n)+", re.MULTILINE)
BEGIN = r"\n// (?:\w+):(?: |\n// )kernel\b(?:\n// )?"  # lines are wrapped, and names may be long
EACH = re.compile(BEGIN.replace("?:", "", 1) + rf"(.*?)(?={BEGIN}|\Z)", re.DOTALL)
INSTANCE = re.compile(r"\b(\w+)<([^<>]*)>\.$")
SHARES = re.compile(r": (\w+_kernel)\.$")
ROLE = re.compile(r"(\w+): \d+ warp[^;:.]*?, (\d+) registers (?:a|per) thread")
LAUNCH = re.compile(r"\b\d+ threads, (\d+) registers each")
SHARED = re.compile(r"\b(\d+) bytes of shared memory")
MAY_SPILL = re.compile(r"\bmay spill (\d+) bytes per thread")


@dataclasses.dataclass(frozen=True)
class Head:
    """One kernel, or one instance of a template."""
    kernel: str  # its name in the .tk
    function: str
    arguments: tuple  # of the template; empty if the kernel is not a template
    registers: int  # per thread when the kernel starts; -1 if the comment lacks it
    roles: tuple  # (name, registers per thread) of the roles
    shared: int  # bytes
    may_spill: int  # bytes per thread

    def has(self, symbol):
        """Whether a mangled name is that of this kernel."""
        if self.arguments:
            return mangled(self.function, self.arguments) in symbol
        return re.search(rf"(?<!\d){len(self.function)}{self.function}(?!I)", symbol) is not None or symbol == self.function


def heads(source):
    """All kernels of the emitted text."""
    found = []
    for comment in COMMENT.findall(source):
        for name, wrapped in EACH.findall("\n" + comment.rstrip()):
            text = wrapped.replace("\n// ", " ")
            instance, shares, launch = INSTANCE.search(text), SHARES.search(text), LAUNCH.search(text)
            shared, may_spill = SHARED.search(text), MAY_SPILL.search(text)
            found.append(Head(
                name, instance[1] if instance else shares[1] if shares else name + "_kernel",
                tuple(a.strip() for a in instance[2].split(",")) if instance else (),
                int(launch[1]) if launch else -1, tuple((role, int(number)) for role, number in ROLE.findall(text)),
                int(shared[1]) if shared else 0, int(may_spill[1]) if may_spill else 0))
    return found


def general_names(source):
    """The kernels for any strides and alignment, next to those for which they are in: {name}."""
    names = {head.kernel for head in heads(source)}
    return {name for name in names if name.endswith("_general") and name.removesuffix("_general") in names}


def mangled(function, arguments):
    """What the symbol of such an instance contains: `11gemm_kernelILi128ELb1EE`."""
    codes = {"true": "b1", "false": "b0"}
    return f"{len(function)}{function}I" + "".join(f"L{codes.get(a, 'i' + a)}E" for a in arguments) + "E"


def instances(source):
    """[(kernel's name in the .tk, function, arguments)] of the instances of templates."""
    return [(head.kernel, head.function, list(head.arguments)) for head in heads(source) if head.arguments]


def kernel_of(symbol, source=""):
    """The kernel's name in the .tk of a mangled one. For an instance without the text, its symbol is its name."""
    for name, function, arguments in instances(source):
        if mangled(function, arguments) in symbol:
            return name
    length = re.match(r"_Z(\d+)", symbol)
    begin = length.end()
    function = symbol[begin:begin + int(length[1])]
    return symbol if symbol[begin + int(length[1])] == "I" else function.removesuffix("_kernel")
