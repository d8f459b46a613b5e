#!/usr/bin/env python3
# Generates the tables of docs/language/ from those of the compiler (language/*.def), and docs/llms.txt, the reference in
# one file for language models.
#
#     reference_tables.py            writes the tables between their markers, and docs/llms.txt
#     reference_tables.py --check    changes nothing, and reports files that are not up to date
#
# A table is between `<!-- begin NAME -->` and `<!-- end NAME -->`; NAME is one of TABLES below, or
# `messages TK1012 TK1013`, the headlines of these messages.
#
# `<!-- not in llms.txt -->` after a heading omits that section from llms.txt, directly above a paragraph or a block only
# that one, and before the first section the whole page. Always omitted are rejected programs and their messages, tests
# except those of one page, tables of messages, and bare references: "([products](products.md))".
import argparse
import os
import re
import sys
import textwrap

import catalogue

ROOT = catalogue.ROOT
PAGES = os.path.join(ROOT, "docs", "language")
MARKED = re.compile(r"<!-- begin (.+?) -->\n(?:.*\n)*?<!-- end (.+?) -->")
MOST_BYTES = 61_440  # of docs/llms.txt: as much as a model reads at once and follows
LEFT_OUT = "<!-- not in llms.txt -->"
EXAMPLES = ("examples/routing/embedding.tk", "examples/gemm/gemm_simple.tk", "examples/attention/attention_simple.tk")


# ---- the compiler's tables -------------------------------------------------------------------------------------------


def arguments(text, start):
    """The arguments of a macro, from the text after its `(`; adjacent strings are joined."""
    found, word, strings = [], "", []
    depth, place = 0, start
    while True:
        char = text[place]
        if char == '"':
            end = re.compile(r'(?:[^"\\]|\\.)*"').match(text, place + 1).end()
            strings.append(text[place + 1:end - 1].replace('\\"', '"'))
            place = end
            continue
        if depth == 0 and char in ",)":
            found.append("".join(strings) if strings else word.strip())
            word, strings = "", []
            if char == ")":
                return found
        else:
            depth += (char == "(") - (char == ")")
            word += char
        place += 1


def rows(table, *macros):
    """The rows of a table, comments left out: the macro and its arguments."""
    text = re.sub(r"^\s*//.*$", "", catalogue.read(os.path.join(ROOT, "language", table)), flags=re.MULTILINE)
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    return [(m[1], arguments(text, m.end())) for m in re.finditer(rf"\b({'|'.join(macros)})\(", text)]


def cell(text):
    return text.replace("|", "\\|")


def table(heads, lines):
    made = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join(made + ["| " + " | ".join(line) + " |" for line in lines]) + "\n"


def code(text):
    return f"`{cell(text)}`" if text else ""


def dtypes():
    kinds = {"integer": "integers", "natural": "integers, 0", "real": "floating-point numbers", "boolean": "true, false"}
    lines = []
    for _, (_, spelling, bits, kind, cuda, _) in rows("dtypes.def", "TK_DTYPE"):
        bits = int(bits)
        held = kinds[kind]
        if kind == "integer":
            held += f", -2^{bits - 1} to 2^{bits - 1} - 1"
        elif kind == "natural":
            held += f" to 2^{bits} - 1"
        lines.append([code(spelling), str(bits), held, code(cuda)])
    return table(["dtype", "bits", "values", "in CUDA"], lines)


def tile_functions():
    lines = []
    for _, (_, spelling, _, signature, doc) in rows("tile_functions.def", "TK_TILE_FUNCTION"):
        lines.append([code(spelling + signature), cell(doc)])
    for _, (_, spelling, doc) in rows("tile_functions.def", "TK_TILE_OPERATOR"):
        if spelling in ("max", "min"):
            lines.append([code(spelling + "(x: T[M, N], axis) -> T[M, 1] or T[1, N]"), cell(doc)])
        elif spelling == "transpose":
            lines.append([code("x.T"), cell(doc)])
    return table(["function", "returns"], sorted(lines))


def operations(*effects):
    lines = [[code(spelling + signature), cell(doc)]
             for _, (_, spelling, signature, effect, doc) in rows("operations.def", "TK_OPERATION")
             if effect in effects and signature != "signature"]
    return table(["operation", "meaning"], lines)


def functions():
    takes = {"arithmetic": "numbers of one dtype", "integer": "integers", "bits": "i32 or u32", "real": "f32, some f64",
             "pattern": "f32", "number": "i32", "compare": "numbers of one dtype", "logic": "bools", "select": "a bool and two values"}
    lines = []
    for _, (_, spelling, arity, kind, precedence, _, doc) in rows("functions.def", "TK_FUNCTION"):
        names = ["x", "y", "z"][:int(arity)]
        if precedence == "0":
            written = f"{spelling}({', '.join(names)})"
        elif arity == "1":
            written = f"{spelling} x" if spelling.isalpha() else spelling + "x"
        else:
            written = f"x {spelling} y"
        lines.append([code(written), takes[kind], cell(doc)])
    return table(["expression", "operands", "result"], lines)


def fills():
    return table(["fill", "data"], [[code(spelling + signature), cell(doc)]
                                     for _, (_, spelling, _, _, signature, doc) in rows("fills.def", "TK_FILL")])


def reference_functions():
    lines = []
    for _, (_, spelling, least, most, axis, doc) in rows("reference_functions.def", "TK_REFERENCE_FUNCTION"):
        names = ["x", "y", "z"]
        written = ", ".join(names[:int(least)]) + "".join(f"[, {n}]" for n in names[int(least):int(most)])
        lines.append([code(f"{spelling}({written}{'[, axis]' if axis == 'named' else ''})"), cell(doc)])
    for _, (_, spelling, number, _, doc) in rows("tile_functions.def", "TK_TILE_FUNCTION"):
        lines.append([code(f"{spelling}(x[, axis]{', ' + number if number else ''})"), cell(doc)])
    return table(["function", "returns"], lines)


def headlines():
    """(kind, headline) of every message by its code."""
    found = {}
    for name in sorted(os.listdir(catalogue.TABLES)):
        for macro, (number, _, text) in rows(os.path.join("diagnostics", name), "TK_ERROR", "TK_WARNING", "TK_NOTE"):
            text = re.sub(r"`\{\}`", "`..`", text).replace("{}", "..").replace("}}", "}").replace("{{", "{")
            found[f"TK{int(number):04}"] = {"TK_ERROR": "error", "TK_WARNING": "warning", "TK_NOTE": "note"}[macro], text
    return dict(sorted(found.items()))


def message_page(message):
    return f"[{message}](../../language/messages/{message}.md)"


def rule(message):
    """The first sentence of the message's page."""
    page = catalogue.read(os.path.join(catalogue.PAGES, message + ".md"))
    return re.match(r"(?:[^.`]|`[^`]*`|\.(?!\s))+", page)[0].replace("\n", " ")


def in_words(message, headline):
    """The headline, or the rule if the headline is little more than holes."""
    return headline if len(re.findall(r"[a-z]{3,}", headline)) >= 2 else rule(message)


def messages(*codes):
    known = headlines()
    return table(["message", "text", "rule"],
                 [[message_page(c), cell(known[c][1]), cell(rule(c))] for c in codes])


def all_messages():
    """The whole catalogue, by the files of language/diagnostics.def."""
    known, made = headlines(), ""
    text = catalogue.read(os.path.join(ROOT, "language", "diagnostics.def"))
    for name, title in re.findall(r'#include "language/diagnostics/(\w+)\.def"\s*// \d+x+: (.+)', text):
        lines = []
        for _, (number, _, _) in rows(f"diagnostics/{name}.def", "TK_ERROR", "TK_WARNING", "TK_NOTE"):
            kind, headline = known[f"TK{int(number):04}"]
            lines.append([message_page(f"TK{int(number):04}"), kind, cell(in_words(f"TK{int(number):04}", headline))])
        made += f"## {title[0].upper()}{title[1:]}\n\n" + table(["message", "kind", "text"], lines) + "\n"
    return made.rstrip("\n") + "\n"


def not_yet():
    """Constructs of the language that the checker rejects."""
    return [row[1][1] for row in rows("../frontend/check/unsupported.def", "TK_NOT_YET")]


def comment(lines):
    """The text of comment lines: paragraphs, and indented lines as blocks of text."""
    made, block = "", []
    for line in [*lines, ""]:
        line = line[2:]
        if line.startswith("     "):
            block.append(line[5:])
            continue
        if block:
            made += "```text\n" + "\n".join(block) + "\n```\n"
            block = []
        made += line[1:] + "\n"
    return re.sub(r"\n{3,}", "\n\n", made.strip("\n"))


def library():
    """The modules of stdlib/: the comment at the head of each, and the signature of every function and struct."""
    made = []
    for name in sorted(os.listdir(os.path.join(ROOT, "stdlib"))):
        module = name[:-3]
        lines = catalogue.read(os.path.join(ROOT, "stdlib", name)).split("\n")
        head = next(n for n, line in enumerate(lines) if not line.startswith("//"))
        lines[0] = "// " + lines[0].split(": ", 1)[1]
        text = comment(lines[:head])
        signatures = []
        for number, line in enumerate(lines):
            if re.match(r"fn ", line):
                end = next(n for n in range(number, len(lines)) if "{" in lines[n])
                signature = " ".join(part.strip() for part in lines[number:end + 1]).split(" {")[0][3:]
            elif re.match(r"struct ", line):
                end = next(n for n in range(number, len(lines)) if "}" in lines[n])
                signature = " ".join(re.sub(r"//.*", "", part).strip() for part in lines[number:end + 1])
            else:
                continue
            first = number
            while lines[first - 1].startswith("//") and first - 1 >= head:
                first -= 1
            says = " ".join(part[3:] for part in lines[first:number])
            signatures.append([code(signature), cell(says)])
        made.append(f"## std.{module}\n\n{text[0].upper()}{text[1:]}\n\n" + table(["declaration", "returns"], signatures))
    return "\n".join(made)


def reserved_words():
    """The words that the grammar spells out; all other words are names."""
    grammar_rules = re.sub(r"//.*", "", catalogue.read(os.path.join(ROOT, "language", "Tk.g4")))
    words = sorted(set(re.findall(r"'([a-z]+)'", grammar_rules)))
    return textwrap.fill(" ".join(code(word) for word in words), 120) + "\n"


TABLES = {
    "library": library,
    "not yet": lambda: "".join(f"* {construct}\n" for construct in not_yet()),
    "dtypes": dtypes, "functions": functions, "tile functions": tile_functions, "fills": fills,
    "reference functions": reference_functions, "all messages": all_messages,
    "reserved words": reserved_words,
    "values": lambda: operations("none"),
    "memory": lambda: operations("reads", "writes"),
    "order": lambda: operations("orders"),
    "facts": lambda: operations("states"),
    "reports": lambda: operations("reports"),
}


def filled(text, path, faults):
    """A page with its tables up to date."""
    def made(match):
        name = match[1]
        if name.split()[0] == "messages" and len(name.split()) > 1:
            unknown = set(name.split()[1:]) - set(headlines())
            if unknown:
                faults.append(f"{path}: no message {', '.join(sorted(unknown))}")
                return match[0]
            body = messages(*name.split()[1:])
        elif name in TABLES:
            body = TABLES[name]()
        else:
            faults.append(f"{path}: no table is called `{name}`")
            return match[0]
        return f"<!-- begin {name} -->\n{body}<!-- end {name.split()[0] if 'messages TK' in name else name} -->"
    return MARKED.sub(made, text)


# ---- docs/llms.txt ---------------------------------------------------------------------------------------------------


LEFT_OUT_RULES = "megakernel|megaItem|op|schedule|partition|instances|per|packed|externFn"


def grammar():
    """The rules of language/Tk.g4, without comments, lexer rules, rejected constructs and CUDA functions."""
    text = catalogue.read(os.path.join(ROOT, "language", "Tk.g4"))
    text = text[text.index("file       :"):text.index("// ---- tokens")]
    lines = [re.sub(r"\s*//(\s.*)?$", "", line).rstrip() for line in text.split("\n")
             if not re.match(rf"({LEFT_OUT_RULES}) +:", line)]
    lines = [re.sub(rf" \| (?:{LEFT_OUT_RULES})(?= )| (?:{LEFT_OUT_RULES})\?", "", line) for line in lines]
    return "\n".join(re.sub(r" {2,}", " ", line) if line[:1].strip() else line for line in lines if line.strip()) + "\n"


def in_a_line(what, names):
    return f"{what}: {', '.join(code(name) for name in names)}.\n"


def short(page, name):
    """A page without the parts that a model does not need, or not twice."""
    kept, skip = [], 0
    lines = page.split("\n")
    for number, line in enumerate(lines):
        level = re.match(r"(#+) ", line)
        if level and (not skip or len(level[1]) <= skip):
            left_out = line == "## Messages" or lines[number + 1:number + 4] == ["", LEFT_OUT, ""]
            skip = len(level[1]) if left_out else 0
        if not skip:
            kept.append(line)
    text = "\n".join(kept) + "\n"
    text = re.sub(rf"{LEFT_OUT}\n(```.*?^```\n|(?:[^\n]+\n)+)", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```(?:tk [^\n]*error|text message|console)[^\n]*\n.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!-- begin dtypes -->.*?<!-- end dtypes -->\n", in_a_line(
        "Dtypes", [row[1][1] for row in rows("dtypes.def", "TK_DTYPE")]), text, flags=re.DOTALL)
    text = re.sub(r"<!-- begin functions -->.*?<!-- end functions -->\n", in_a_line(
        "Functions", [f"{row[1][1]}({', '.join(['x', 'y', 'z'][:int(row[1][2])])})"
                      for row in rows("functions.def", "TK_FUNCTION") if row[1][4] == "0"]), text, flags=re.DOTALL)
    if name != "operations.md":
        text = re.sub(r"<!-- begin (memory|facts|reports) -->.*?<!-- end \1 -->\n", "", text, flags=re.DOTALL)
    if name != "references.md":  # one file shows how tests are written
        text = re.sub(r"^(?:reference|test) .*\n(?:[ }].*\n)*", "", text, flags=re.MULTILINE)
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    text = re.sub(r"^```tk.*$", "```tk", text, flags=re.MULTILINE)
    text = re.sub(r"\s+\((?:TK\d{4}(?:, )?)+\)", "", text)
    text = re.sub(r"\s+\((?:\[\w+\]\([^)\n]+\)(?:, )?)+\)", "", text)
    text = re.sub(r"^\| `.*not supported yet: .*\n|^\| `(?:from_)?fragments\(.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^]\n]+)\]\([^)\n]+\)", r"\1", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    for level in ("###", "##"):  # headings of empty sections
        text = re.sub(rf"^{level} .*\n\n(?=#{{1,{len(level)}}} )", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def reading_order():
    """The pages in the order of the index."""
    index = catalogue.read(os.path.join(PAGES, "README.md"))
    found = []
    for name in re.findall(r"\]\((\w+\.md)\)", index):
        if name not in found:
            found.append(name)
    return found


def few_tests(text):
    """An example with its first two tests, without the mark in its head that only our tests read."""
    text = text.replace(" [nvcc: syntax only]\n", "\n")
    tests = list(re.finditer(r"^test .*\n(?:[ }].*\n)*", text, flags=re.MULTILINE))
    return text[:tests[min(2, len(tests)) - 1].end()]


def one_file():
    made = ["# tkc: the language of .tk kernels, in one file\n",
            "Generated from docs/language/ by test/tools/reference_tables.py. `tkc check FILE` reports errors and how to "
            "fix them,\n`tkc test FILE` runs the tests on the CPU, `tkc --explain TK4005` explains a message.\n"]
    for name in reading_order():
        page = catalogue.read(os.path.join(PAGES, name))
        if re.match(rf"# .*\n\n{LEFT_OUT}\n\n", page):
            continue
        made.append(short(page, name))
    made.append("# Not supported yet\n\nIn the grammar, but rejected (TK7001): " + "; ".join(not_yet()) + ".\n")
    made.append("# Grammar\n\n```text\n" + grammar() + "```\n")
    for path in EXAMPLES:
        made.append(f"# {path}\n\n```tk\n{few_tests(catalogue.read(os.path.join(ROOT, path)))}```\n")
    return "\n".join(made)


def main():
    parser = argparse.ArgumentParser(description="Writes the generated tables of docs/language/ and docs/llms.txt.")
    parser.add_argument("--check", action="store_true", help="change nothing, and report files that are not up to date")
    check = parser.parse_args().check
    faults, stale = [], 0

    def put(path, text):
        nonlocal stale
        there = catalogue.read(path) if os.path.exists(path) else ""
        if text == there:
            return
        stale += 1
        if check:
            print(f"{os.path.relpath(path, ROOT)} is not up to date: run test/tools/reference_tables.py")
        else:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)

    for name in sorted(os.listdir(PAGES)):
        path = os.path.join(PAGES, name)
        put(path, filled(catalogue.read(path), os.path.relpath(path, ROOT), faults))
    for name in sorted(set(os.listdir(PAGES)) - set(reading_order()) - {"README.md"}):
        faults.append(f"docs/language/{name} is not in the index, docs/language/README.md")
    text = one_file()
    if len(text.encode()) > MOST_BYTES:
        faults.append(f"docs/llms.txt has {len(text.encode())} bytes, more than {MOST_BYTES}: leave sections out")
    put(os.path.join(ROOT, "docs", "llms.txt"), text)
    for fault in faults:
        print(fault)
    return 1 if faults or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
