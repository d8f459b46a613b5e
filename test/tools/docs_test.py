#!/usr/bin/env python3
# Every code block of README.md and of the pages under docs/ is what it says it is: programs are checked and their
# tests run, what is refused is refused with its code, options and files of commands exist, links lead somewhere, and
# messages that are named exist.
#
#     docs_test.py --tkc build/tests/tkc                            README.md and all of docs/
#     docs_test.py --tkc build/tests/tkc docs/language/memory.md    some pages
#
# The words after the three backticks say what a block is:
#
#     tk                       a whole program: `tkc check` says nothing (performance notes aside), its tests pass
#     tk file masks.tk         the same, under a name: later programs of the page import it, commands name it
#     tk from examples/FILE.tk a quotation: it is in that file of the tree, spaces and comments aside; a line
#                              `..` leaves lines out
#     tk error TK4005          a whole program, to which tkc says these codes and nothing else: errors, warnings, a
#                              performance note (TK61nn); of TK81nn, by `tkc test`
#     tk fragment              a part of a program, put in place of `...` in the last context comment above it
#     tk fragment in NAME      .. in the context of that name
#     tk fragment alone        .. in none: it has the syntax of declarations, of statements or of an expression
#     tk fragment error TK3033 .. in its context, refused with this code
#     .. -D BM=64 --strict     words from the first `-` on are options of `tkc check`; they are last
#
#     text                     as it is
#     text message             lines of what tkc says about the program above it, in this order; `..` leaves some out
#     sh, console              commands, in `console` after `$ `: the options of tkc and of scripts of the tree, and
#                              the files that they name, exist
#     console run              the commands are run, tkc's only, and print what is under them; `..` leaves lines out
#     python, json             it parses
#     python run               it is run, on the CPU: with NumPy, the package `tk` and files of the page next to it
#     c, cpp, cuda, cmake, tir as it is
#
# A context is an HTML comment, which no reader sees:
#
#     <!-- tk context NAME
#     kernel k(A: f32[M, N], out C: f32[M, N])
#     {
#         grid (m in M by 64, n in N by 64) warps(8);
#         ...
#     }
#     -->
#
# The name may be left out. Where a page has no context above a fragment, the fragment is checked alone. In fragments, a line `..`
# and a body `{ .. }` stand for what is left out, and unused names are not a fault. Blocks are fenced, never
# only indented. `--list` prints what each block is taken for.
import argparse
import ast
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

import catalogue

ROOT = catalogue.ROOT
FENCE = re.compile(r"^( *)```(.*)$")
CONTEXT = re.compile(r"^<!-- tk context(?: (\w+))?$")
LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
EXAMPLE = re.compile(r"""tk\.example\(f?["']([^"'{}]+)["']""")
AS_THEY_ARE = ("c", "cpp", "cuda", "cmake", "tir", "text")
LANGUAGES = (*AS_THEY_ARE, "tk", "sh", "console", "python", "json")
UNUSED = {"TK2040", "TK2041"}  # warnings about parts that only show something
NO_KERNEL = "TK2039"            # a module for others
NOTES = "TK61"
OF_RUNS = "TK81"
PARTS = ("{}", "kernel k() {{\n{}\n}}", "fn f() {{\n{}\n}}", "test t {{\n{}\n}}", "struct s {{\n{}\n}}",
         "kernel k()\n{}\n{{\n}}", "kernel k({}) {{\n}}", "{}\n{{\n}}", "fn f() {{ x = {}; }}")


class Block:
    """A fenced block: where it is, the words of its fence, its text, the context that is in force."""

    def __init__(self, page, line, words, text, contexts):
        self.page, self.line, self.text = page, line, text
        split = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
        self.words, self.options = words[:split], words[split:]
        self.language = words[0] if words else ""
        self.contexts = contexts
        self.before = None  # the program above, for messages
        self.said = ""      # what tkc said about it


def read_page(path):
    """The blocks of a page, its text without them, and faults of its form."""
    blocks, prose, faults = [], [], []
    contexts = {}
    lines = catalogue.read(path).split("\n")
    number = 0
    in_list, above = False, ""
    while number < len(lines):
        line = lines[number]
        number += 1
        fence, context = FENCE.match(line), CONTEXT.match(line)
        if fence:
            start, indent, body = number, len(fence[1]), []
            while number < len(lines) and not re.match(r"^ *```\s*$", lines[number]):
                body.append(lines[number][min(indent, len(lines[number]) - len(lines[number].lstrip())):])
                number += 1
            if number == len(lines):
                faults.append((start, "the block is not closed"))
            number += 1
            prose += [""] * (number - len(prose))
            blocks.append(Block(path, start, fence[2].split(), "\n".join(body) + "\n", dict(contexts)))
        elif context:
            start, body = number, []
            while number < len(lines) and lines[number] != "-->":
                body.append(lines[number])
                number += 1
            number += 1
            text = "\n".join(body) + "\n"
            if text.count("...") != 1:
                faults.append((start, "a context has one `...`, the place of the fragment"))
            contexts[""] = contexts[context[1] or ""] = text
            prose += [""] * (number - len(prose))
        else:
            if line.startswith("    ") and not in_list and not above.strip():
                faults.append((number, "a block that is only indented: fence it"))
            if re.match(r"^\s*([*-]|\d+\.) ", line):
                in_list = True
            elif line.strip() and not line.startswith(" "):
                in_list = False
            prose.append(line)
        above = lines[number - 1] if number <= len(lines) else ""
    return blocks, "\n".join(prose), faults


# ---- links -----------------------------------------------------------------------------------------------------------


def anchors(path):
    """The anchors that GitHub gives to the headings of a page."""
    found = set()
    _, prose, _ = read_page(path)
    for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        name, count = slug, 0
        while name in found:
            count += 1
            name = f"{slug}-{count}"
        found.add(name)
    return found


def link_faults(path, prose):
    for number, line in enumerate(prose.split("\n"), 1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(to):
                yield number, f"a link to {target}, which is not there"
            elif anchor and to.endswith(".md") and anchor not in anchors(to):
                yield number, f"a link to {target}: no heading of that name"


def message_faults(prose):
    """Messages that nobody gives."""
    known = catalogue.messages()
    for number, line in enumerate(prose.split("\n"), 1):
        for message in re.findall(r"\bTK\d{4}\b", line):
            if message not in known:
                yield number, f"speaks of {message}, which is no message"


# ---- programs --------------------------------------------------------------------------------------------------------


def run(command, folder, settings=None):
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", **(settings or {})}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=120)


def without_omissions(text):
    """A fragment without the `..` that stand for what is left out."""
    text = re.sub(r"\{\s*\.\.\s*\}", "{ }", text)
    return re.sub(r"^\s*\.\.\s*(//.*)?$", "", text, flags=re.MULTILINE)


def in_context(context, text):
    """A fragment in place of `...`, as far in as that is."""
    place = context.index("...")
    start = context.rindex("\n", 0, place) + 1 if "\n" in context[:place] else 0
    before = context[start:place]
    if before.strip() == "":
        text = textwrap.indent(text.rstrip("\n"), before)[len(before):]
    return context[:place] + text.rstrip("\n") + context[place + 3:]


def parses(tkc, folder, name, text):
    for part in PARTS:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
            stream.write(part.format(text))
        if run([tkc, "--emit=ast", name], folder).returncode == 0:
            return True
    return False


def said_codes(tkc, block, folder, name, notes):
    """(code, line, sentence) of all that `tkc check` says."""
    quiet = [] if notes else ["--no-notes"]
    done = run([tkc, "check", "--json", *quiet, *block.options, name], folder)
    found = []
    for line in done.stdout.decode().splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            found.append((row["code"], (row.get("span") or {}).get("line", 0), row["message"]))
    if not found and done.returncode:
        found.append((f"exit code {done.returncode}", 0, done.stderr.decode().strip()[:300]))
    return found


def quotation_faults(block, path):
    """That the text of a block is in a file of the tree, wherever its lines end."""
    def bare(text):
        return "".join(re.sub(r"(?:^|(?<=[;{},\s]))\s*//.*$", "", line) for line in text.split("\n"))
    try:
        there = re.sub(r"\s", "", bare(catalogue.read(os.path.join(ROOT, path))))
    except OSError:
        yield f"{path} is not there"
        return
    place = 0
    for piece in re.split(r"^\s*\.\.\s*$", block.text, flags=re.MULTILINE):
        wanted = re.sub(r"\s", "", bare(piece))
        found = there.find(wanted, place)
        if found < 0:
            yield f"does not stand in {path}: `{piece.strip().split(chr(10))[0][:80]}` and what follows"
            return
        place = found + len(wanted)


def program_faults(tkc, block, folder, number):
    words = block.words[1:]
    name = f"block{number}.tk"
    fragment = "fragment" in words
    if words[:1] == ["from"] and len(words) == 2:
        yield from quotation_faults(block, words[1])
        return
    if words[:1] == ["file"] and len(words) > 1:
        name, words = words[1], words[2:]
    elif fragment:
        words = words[1:]
    context = block.contexts.get("")
    if fragment and words[:1] == ["alone"]:
        context, words = None, words[1:]
    elif fragment and words[:1] == ["in"] and len(words) > 1:
        context, words = block.contexts.get(words[1]), words[2:]
        if context is None:
            yield f"no context `{block.words[3]}` stands above"
            return
    wanted = words[1:] if words[:1] == ["error"] else []
    if words and (words[0] != "error" or not wanted or not all(re.fullmatch(r"TK\d{4}", w) for w in wanted)):
        yield f"the words `{' '.join(block.words)}` of the fence are not known"
        return
    text = without_omissions(block.text) if fragment else block.text
    if fragment and context is None:
        if wanted:
            yield "a fragment that is refused needs a context"
        elif not parses(tkc, folder, name, text):
            yield "does not parse, neither as declarations nor as statements nor as an expression"
        return
    if fragment:
        text = in_context(context, text)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
        stream.write(text)
    notes = any(code.startswith(NOTES) for code in wanted)
    found = said_codes(tkc, block, folder, name, notes)
    runs = [code for code in wanted if code.startswith(OF_RUNS)]
    wanted = [code for code in wanted if code not in runs]
    allowed = (UNUSED if fragment else {NO_KERNEL} if not re.search(r"^(kernel|entry) ", text, re.MULTILINE) else set())
    told = [row for row in found if row[0] not in allowed - set(wanted)]
    codes = [code for code, *_ in told]
    if set(codes) != set(wanted):
        said = "; ".join(f"{code} in line {line}: {sentence}" for code, line, sentence in told) or "nothing"
        yield f"tkc says {said}" + (f", expected {' '.join(wanted)}" if wanted else "")
    quiet = [] if notes else ["--no-notes"]
    if wanted:
        done = run([tkc, "check", *quiet, *block.options, name], folder)
        block.said = done.stderr.decode() + done.stdout.decode()
    elif re.search(r"^\s*test \w+", text, re.MULTILINE):
        done = run([tkc, "test", "--jobs", "1", *block.options, name], folder)
        block.said = done.stdout.decode() + done.stderr.decode()
        if {c for c in re.findall(r"\[(TK\d{4})\]", block.said)} != set(runs) or (done.returncode != 0) != bool(runs):
            yield f"its tests: {block.said.strip()[:600]}"


# ---- commands --------------------------------------------------------------------------------------------------------


class Options:
    """The options that commands have, as the commands themselves tell."""

    def __init__(self, tkc):
        self.tkc = tkc
        self.texts = {}

    def of(self, sub):
        if sub not in self.texts:
            self.texts[sub] = run([self.tkc, *([sub] if sub else []), "--help"], ROOT).stdout.decode()
        return self.texts[sub]

    def commands(self):
        return set(re.findall(r"^  (\w+)\s", self.of("").split("Subcommands:")[-1], re.MULTILINE))


def presets():
    with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as stream:
        found = json.load(stream)
    return {row["name"] for kind in found.values() if isinstance(kind, list) for row in kind}


def tkc_faults(options, words):
    sub = words[0] if words and words[0] in options.commands() else ""
    if words and not sub and re.fullmatch(r"[a-z]+", words[0]):
        yield f"tkc has no command `{words[0]}`"
        return
    text = options.of(sub)
    for word in words:
        option = re.match(r"--[\w-]+|-[A-Za-z]", word)
        if option and not re.search(rf"(?<![\w-]){re.escape(option[0])}(?![\w-])", text):
            yield f"`tkc {sub}`".replace(" `", "`") + f" has no option `{option[0]}`"
        emitted = re.match(r"--emit=(\w+)$", word)
        if emitted and not re.search(rf"\b{emitted[1]}\b", text):
            yield f"tkc emits no `{emitted[1]}`"


def simple_commands(text, prompted):
    """The words of each command of a shell block."""
    lines = text.replace("\\\n", " ").split("\n")
    if prompted:
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    text = "\n".join(re.sub(r"(^|\s)#\s.*$", "", line) for line in lines)
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;()\n")
        lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
        words = []
        for token in lexer:
            if set(token) <= set("|&;()\n"):
                if words:
                    yield words
                words = []
            else:
                words.append(token)
        if words:
            yield words
    except ValueError as fault:
        yield [f"?{fault}"]


def command_faults(options, block):
    here = ""  # the folder that `cd` went to
    for words in simple_commands(block.text, block.language == "console"):
        if words[0].startswith("?"):
            yield f"the shell does not read this: {words[0][1:]}"
            continue
        while words and re.match(r"\w+=|^(nice|time|-n|\d+|sudo)$", words[0]):
            words = words[1:]
        if not words:
            continue
        for word in words:
            if re.match(r"(\./)?(examples|stdlib|test|bench|docs|python)/[\w/.-]+\.\w+$", word):
                if not os.path.exists(os.path.join(ROOT, word)):
                    yield f"names {word}, which is not there"
        script = next((w for w in words[:2] if re.match(r"(\./)?[\w/]+\.(py|sh)$", w)), None)
        if words[0] == "cd":
            here = "" if len(words) < 2 else words[1]
        elif script and not os.path.exists(os.path.join(ROOT, here, script)):
            yield f"names {os.path.join(here, script)}, which is not there"
        elif os.path.basename(words[0]) == "tkc":
            yield from tkc_faults(options, words[1:])
        elif script:
            text = catalogue.read(os.path.join(ROOT, here, script))
            for word in words[words.index(script) + 1:]:
                option = re.match(r"--[\w-]+", word)
                if option and option[0] not in text:
                    yield f"{script} has no option `{option[0]}`"
        elif words[0] in ("cmake", "ctest") and "--preset" in words[:-1]:
            if words[words.index("--preset") + 1] not in presets():
                yield f"no preset is called `{words[words.index('--preset') + 1]}`"
        elif words[0].startswith("./") and words[0].count("/") == 1 and not os.path.exists(os.path.join(ROOT, words[0])):
            yield f"`{words[0]}` is not there"


def plain(line):
    """A line without what differs from run to run: times, and how wide the spaces are."""
    return re.sub(r"\b\d+(\.\d+)? (ms|s)\b", r"0 \2", re.sub(r"\s+", " ", line.strip()))


def missing_line(wanted, got):
    """The first line that does not come where it should; a line `..` skips some."""
    place, skips = 0, False
    got = [plain(line) for line in got if line.strip()]
    for line in (plain(line) for line in wanted if line.strip()):
        if line == "..":
            skips = True
            continue
        try:
            found = got.index(line, place)
        except ValueError:
            return line
        if found != place and not skips:
            return line
        place, skips = found + 1, False
    return None if skips or place == len(got) else f"(and nothing else, found `{got[place]}`)"


def run_faults(tkc, block, folder):
    """Runs the commands of a block, and compares what they print."""
    shown = []
    for line in block.text.split("\n"):
        if line.startswith("$ "):
            shown.append((line[2:], []))
        elif shown:
            shown[-1][1].append(line)
    for command, wanted in shown:
        words = shlex.split(command, comments=True)
        if words[:1] != ["tkc"]:
            yield f"`{command}` is run by hand: only tkc's commands are run here"
            continue
        done = run([tkc, *words[1:]], folder)
        line = missing_line(wanted, (done.stdout.decode() + done.stderr.decode()).split("\n"))
        if line:
            yield f"`{command}` does not print `{line}`"


def python_faults(tkc, block, folder):
    settings = {"PYTHONPATH": os.path.join(ROOT, "python"), "PYTHONDONTWRITEBYTECODE": "1", "TK_TKC": tkc,
                "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    done = run([sys.executable, "-c", textwrap.dedent(block.text)], folder, settings)
    if done.returncode:
        yield f"ends with {done.stderr.decode().strip()[-400:]}"


# ---- pages -----------------------------------------------------------------------------------------------------------


def block_faults(tkc, options, block, folder, number):
    words = block.words[1:]
    if block.language not in LANGUAGES:
        yield f"a block says what it is, one of {', '.join(LANGUAGES)}; found `{block.language}`"
    elif block.language == "tk":
        yield from program_faults(tkc, block, folder, number)
    elif block.language == "text" and words == ["message"]:
        said = block.before.said if block.before else ""
        wanted = ["..", *block.text.split("\n"), ".."]
        line = missing_line(wanted, said.split("\n"))
        if line:
            yield f"tkc does not say `{line}` about the program above, but\n{said.strip()}"
    elif block.language in ("sh", "console"):
        yield from command_faults(options, block)
        if words == ["run"]:
            yield from run_faults(tkc, block, folder)
    elif block.language == "python":
        try:
            ast.parse(textwrap.dedent(block.text))
        except SyntaxError as fault:
            yield f"is no Python: {fault}"
        else:
            if words == ["run"]:
                yield from python_faults(tkc, block, folder)
    elif block.language == "json":
        try:
            json.loads(block.text)
        except ValueError as fault:
            yield f"is no JSON: {fault}"
    for example in EXAMPLE.findall(block.text):
        places = os.walk(os.path.join(ROOT, "examples"))
        if not any(os.path.basename(example) in names for _, _, names in places):
            yield f"no example is called {example}"


def page_faults(tkc, options, path):
    blocks, prose, form = read_page(path)
    found = form + list(link_faults(path, prose)) + list(message_faults(prose))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "stdlib"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        above = None
        for number, block in enumerate(blocks):
            block.before = above
            try:
                found += [(block.line, fault) for fault in block_faults(tkc, options, block, folder, number)]
            except subprocess.TimeoutExpired:
                found.append((block.line, "takes more than two minutes"))
            if block.language == "tk":
                above = block
    return blocks, sorted(found, key=lambda row: row[0])


def all_pages():
    found = [os.path.join(ROOT, "README.md")]
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, "docs"))):
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
    return found


def main():
    parser = argparse.ArgumentParser(description="Checks the code blocks, commands and links of pages.")
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--list", action="store_true", help="print what each block is taken for")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("pages", nargs="*")
    given = parser.parse_args()
    tkc = os.path.abspath(given.tkc)
    options = Options(tkc)
    options.commands()
    pages = [os.path.abspath(page) for page in given.pages] or all_pages()
    count = bad = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for path, (blocks, found) in zip(pages, pool.map(lambda page: page_faults(tkc, options, page), pages)):
            count += len(blocks)
            bad += len(found)
            if given.list:
                for block in blocks:
                    print(f"{os.path.relpath(path)}:{block.line}: {' '.join(block.words + block.options)}")
            for line, fault in found:
                print(f"{os.path.relpath(path)}:{line}: {fault}")
    print(f"{len(pages)} pages, {count} blocks, {bad} faults")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
