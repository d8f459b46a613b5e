#!/usr/bin/env python3
"""Compiles many .cu as nvcc_check.py does, several by one call of nvcc: a third of its time goes to the headers.

    nvcc_joined.py --nvcc NVCC --tkc build/tests/tkc examples/*/*.tk test/kernels/*.tk

For an example it compiles the text that tkc emits, or only reads it if the head of the .tk says `[nvcc: syntax only]`.
Registers and spills must be those of that list, if it was written with this version of nvcc. For a lit test it compiles
what the lines with %nvcc-check name. The verdicts are kept where nvcc_check.py looks for them, so that later tests do
not wait. Each file becomes a namespace, after the headers that it includes and no others. A kernel that an earlier file
has in the same words is compiled only there. If there is a fault, the files are compiled once more, each alone, and
these verdicts hold.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import emitted
import emitted_list
import instances
import nvcc_check

MOST = 10  # files of one call
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
FILE_OF = re.compile(r"\dinput_([a-z])_\d")  # in a symbol
# A kernel that is not a template: its head, its name, its body.
KERNEL = re.compile(r"(?<!>\n)^(__global__ void __launch_bounds__\([^)]*\)\s+(\w+)_kernel\([^{}]*\) )(\{.*?^\}\n)", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"^(?:// )?RUN: %tkc (.*-o (%t[.\w]*))$", re.MULTILINE)
CHECKED = re.compile(r"^(?:// )?RUN: %nvcc-check((?: --skip-general| --quick| --read)*) (\S+)((?: -I \S+)*)$", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def of_lit_test(path, tkc, folder):
    """[(source, include folders, options of nvcc_check.py)] of what such a test has compiled."""
    test = read(path)
    names = {"%s": path, "%S": os.path.dirname(path), "%runtime": nvcc_check.RUNTIME, "%t": os.path.join(folder, os.path.basename(path))}

    def plain(text):
        return re.sub(r"%(?:runtime|[sSt])", lambda name: names[name[0]], text)

    made = {plain(file): plain(arguments).split() for arguments, file in MADE.findall(test)}
    found = []
    for options, file, includes in CHECKED.findall(test):
        if plain(file) in made and subprocess.run([tkc, *made[plain(file)]], stdout=subprocess.DEVNULL,
                                                  stderr=subprocess.DEVNULL, check=False).returncode == 0:
            found.append((plain(file), tuple(plain(includes).replace("-I", "").split()), tuple(options.split())))
    return found


def groups_of(sources):
    """Lists of sources that may be joined: for one machine, and each includes what those before it include."""
    def key(source):
        return len(INCLUDE.findall(read(source))), source

    groups = []
    for source in sorted(sources, key=key):
        includes, target = set(INCLUDE.findall(read(source))), nvcc_check.target_flag(source)
        fitting = [g for g in groups if g["target"] == target and g["includes"] <= includes and len(g["sources"]) < MOST]
        if not fitting:
            fitting = [{"target": target, "sources": []}]
            groups += fitting
        closest = max(fitting, key=lambda g: len(g.get("includes", ())))
        closest["includes"] = includes
        closest["sources"].append(source)
    return [g["sources"] for g in groups]


def letter(number):
    return chr(ord("a") + number)


def words_of(body, kernel):
    """What decides what becomes of a kernel, besides headers: its text and its shared memory, under no name of its own."""
    name = kernel[2]
    struct = re.search(rf"^struct {name}_shared {{.*?^}};", body, re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\s*//.*\n", "", (struct[0] if struct else "") + kernel[0], flags=re.MULTILINE)
    return "".join(re.sub(rf"\b{name}_(?=kernel|shared)", "_", text).split())


def without_known(body, known):
    """The text with empty bodies of kernels that are known, {name: words} of these and of the others."""
    found, new = {}, {}

    def shortened(kernel):
        words = words_of(body, kernel)
        (found if words in known else new)[kernel[2]] = words
        return kernel[1] + "{}\n" if words in known else kernel[0]

    return KERNEL.sub(shortened, body), found, new


def joined(bodies, sources):
    text, before = "", []
    for number, (body, source) in enumerate(zip(bodies, sources)):
        new = [line for line in INCLUDE.findall(body) if line not in before]
        before += new
        # Two files may export functions of one name.
        body = INCLUDE.sub("\n", body).replace('extern "C" {', "inline namespace exported {")
        text += f'{"".join(new)}namespace input_{letter(number)}_ {{\n#line 1 "{source}"\n{body}\n}}\n'
    return text


def by_file(log):
    """{letter: lines} of a log of ptxas; what is about no file has no letter."""
    parts, current = {"": ""}, ""
    for line in log.splitlines(True):
        named = FILE_OF.search(line)
        current = named[1] if named else current
        parts[current] = parts.get(current, "") + line
    return parts


def alone(symbol):
    """The symbol that a kernel has where its file is compiled alone, up to its parameters."""
    begin = re.match(r"_ZN8input_[a-z]_((\d+).*)", symbol)
    if not begin:
        return symbol
    end = len(begin[2]) + int(begin[2])
    return "_Z" + begin[1][:end] + begin[1][end:].removeprefix("E")


def check_joined(checker, sources, folder, compiled):
    """Keeps a verdict of each source if none has a fault, and returns whether that is so. compiled: by target, the
    kernels so far, {their words: Usage, or None if they are only read}, to which those of these sources are added."""
    path = os.path.join(folder, "joined.cu")
    target = nvcc_check.target_flag(sources[0])
    known = compiled.setdefault(target, {})
    words, bodies, elsewhere, here = set(known), [], [], []
    for source in sources:
        body, found, new = without_known(checker.read(source), words)
        words |= set(new.values())
        bodies.append(body)
        elsewhere.append(found)
        here.append(new)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(joined(bodies, sources))
    flags = [*checker.flags, target]
    status, log = nvcc_check.compile_once(checker.nvcc, path, flags, checker.limit * len(sources))
    parts = by_file(log)
    if status != 0 or nvcc_check.judge(parts.pop(""), quick=checker.quick)[0]:
        return False
    judged = [nvcc_check.judge(parts.get(letter(n), ""), read(source), checker.quick) for n, source in enumerate(sources)]
    if any(faults for faults, _ in judged):
        return False
    usage = dict(known)
    for source, new, (_, kernels) in zip(sources, here, judged):
        for function, words in new.items():
            [name, *_] = nvcc_check.names_of(function + "_kernel", instances.heads(read(source)))
            usage[words] = kernels.get(name)
    for source, found, (_, kernels) in zip(sources, elsewhere, judged):
        text = read(source)
        heads, general = instances.heads(text), instances.general_names(text)
        known_here = {name: usage[words] for function, words in found.items() if usage[words]
                      for name in nvcc_check.names_of(function + "_kernel", heads)}
        kernels.update(known_here)
        if any(kernel.spilled > nvcc_check.allowed(name, heads, general) for name, kernel in known_here.items()):
            return False  # the other file allows more
    for source, (_, kernels) in zip(sources, judged):
        checker.keep(source, nvcc_check.passed({alone(name): kernel for name, kernel in kernels.items()}))
    known.update(usage)
    return True


def example_of(path):
    """The name of an example in the list, or None."""
    name = os.path.relpath(path, emitted.EXAMPLES).removesuffix(".tk")
    return name if path.endswith(".tk") and not name.startswith("..") else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    try:
        listed, nvcc_then = emitted_list.read()
        return check_all(options, listed, nvcc_then)
    except (emitted_list.BadList, nvcc_check.BadNvcc) as problem:
        emitted.stop(problem)


def check_all(options, listed, nvcc_then):
    checked, bad = 0, {}
    with tempfile.TemporaryDirectory(prefix="nvcc-joined-") as folder:
        tkc = os.path.abspath(options.tkc)
        paths = [os.path.abspath(path) for path in options.files]
        examples = {os.path.join(folder, name + ".cu"): name for name in map(example_of, paths) if name}
        texts = emitted.emit_all(tkc, list(examples.values()), folder, 1)
        bad.update((name, "tkc does not compile it\n") for name in examples.values() if name not in texts)
        sources = {}  # by the folders that they may include, and options
        for path, name in examples.items():
            source = os.path.join(emitted.EXAMPLES, name + ".tk")
            mode = ("--skip-general", "--read") if emitted.syntax_only(source) else ("--skip-general",)
            if name in texts:
                sources.setdefault(((), mode), []).append(path)
        for path in paths:
            if path.endswith(".cu"):
                sources.setdefault(((), ("--skip-general",)), []).append(path)
            elif not example_of(path):
                for source, include, chosen in of_lit_test(path, tkc, folder):
                    sources.setdefault((include, chosen), []).append(source)
        for (include, chosen), named in sources.items():
            checker = nvcc_check.Checker(nvcc_check.find_nvcc(options.nvcc), include, general="--skip-general" not in chosen,
                                         quick="--quick" in chosen, read="--read" in chosen)
            checked += len(named)
            compiled = {}
            for group in groups_of([source for source in named if not checker.kept(source)]):
                if len(group) > 1:
                    check_joined(checker, group, folder, compiled)
            for source in named:
                name, verdict = examples.get(source), checker.check(source)
                faults = "" if verdict.passed else verdict.text
                if verdict.passed and name in listed and not checker.only_read and checker.named_version == nvcc_then:
                    faults = "".join(f"{line}\n" for line in
                                     emitted_list.differences(listed[name], verdict.kernels, False))
                if faults:
                    bad[name or source] = faults
    for name, faults in bad.items():
        print(f"{name}:\n{faults}", end="")
    print(f"{checked} files, {len(bad)} faults")
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
