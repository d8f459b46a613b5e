"""The instances of templates in an emitted file: which kernel of the .tk each of them is.

tkc says it in the comment over a template: `// gemm_square: kernel gemm with BN = 128. ..: gemm_kernel<128, true>.`
"""
import re

EACH = re.compile(r"(?:^|\n)// (\w+): kernel (.*?)(?=\n// \w+: kernel |\Z)", re.DOTALL)
INSTANCE = re.compile(r"\b(\w+)<([^<>]*)>\.$")


def mangled(function, arguments):
    """What the symbol of such an instance contains: `11gemm_kernelILi128ELb1EE`."""
    codes = {"true": "b1", "false": "b0"}
    return f"{len(function)}{function}I" + "".join(f"L{codes.get(a, 'i' + a)}E" for a in arguments) + "E"


def instances(source):
    """[(kernel's name in the .tk, function, arguments)] of the emitted text."""
    found = []
    for block in re.findall(r"(?:^//[^\n]*\n)+(?=template <|struct )", source, re.MULTILINE):
        for name, text in EACH.findall("\n" + block.rstrip()):
            instance = INSTANCE.search(text.replace("\n// ", " "))
            if instance:
                found.append((name, instance[1], [a.strip() for a in instance[2].split(",")]))
    return found


def kernel_of(symbol, source=""):
    """The kernel's name in the .tk of a mangled one; of an instance the text must be given, or its symbol is its name."""
    for name, function, arguments in instances(source):
        if mangled(function, arguments) in symbol:
            return name
    length = re.match(r"_Z(\d+)", symbol)
    begin = length.end()
    function = symbol[begin:begin + int(length[1])]
    return symbol if symbol[begin + int(length[1])] == "I" else function.removesuffix("_kernel")
