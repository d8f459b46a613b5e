#!/usr/bin/env python3
"""Tests docs/lessons and docs/fifteen-minutes.md: the kernels are right, the exercises are not yet, and the pages show what tkc prints.

    lessons_test.py --tkc build/dev/tkc [FOLDER ..]        all lessons, or those whose folders are named: 07-roles
    lessons_test.py --tkc build/dev/tkc --update           puts what tkc prints now into the pages: read the difference
    lessons_test.py --tkc build/dev/tkc --nvcc NVCC        the CUDA of the last product and of the last attention, by nvcc

In a folder, the tests of every .tk pass, with --scheduled too. Those of exercise.tk do not: they end with the message that its comment
`// As it stands: TKnnnn` names. Fences of a page:

    tk fragment     lines of a .tk of the folder
    tk error CODE   a program that is refused with this code; its first line names the file for the commands that follow, `// broken.tk: ..`
    tk              a program whose tests pass
    console         commands, `$ tkc ..`, and what they print. Times may differ, and a line `..` stands for any lines
    cuda FILE       lines of what tkc makes of the file
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench"))

import lesson_tables  # noqa: E402

LESSONS = os.path.join("docs", "lessons")
WITH_NVCC = ("08-fast-product/fast.tk", "12-overlap/overlap.tk")  # nvcc takes long

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
AS_IT_STANDS = re.compile(r"^// As it stands: (TK\d{4})$", re.MULTILINE)
CODE = re.compile(r"^error\[(TK\d{4})\]", re.MULTILINE)
TIME = re.compile(r" +[\d.]+ ms$|\([\d.]+ s\)$", re.MULTILINE)
NAMED = re.compile(r"// (\w+\.tk):")


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


class Tkc:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def run(self, arguments, folder):
        """(exit code, what it printed)"""
        done = subprocess.run([self.path, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def shell(self, command, folder):
        """What a line of a shell prints, in which `tkc` is this one."""
        path = os.path.dirname(self.path) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env=dict(os.environ, PATH=path))
        return done.stdout.decode("utf-8", "replace")


def without_margin(text):
    lines = text.rstrip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def holds(text, part):
    """Whether the lines of `part` are in `text` one after the other, with any margin."""
    wanted, lines = without_margin(part), text.split("\n")
    return any(without_margin("\n".join(lines[at:at + len(wanted)])) == wanted for at in range(len(lines) - len(wanted) + 1))


def agrees(shown, printed):
    """Whether `shown`, in which a line `..` stands for any lines, is what was printed."""
    def comparable(text):
        return [line.rstrip() for line in TIME.sub("", text).strip("\n").split("\n")]

    lines, parts, at = comparable(printed), [[]], 0
    for line in comparable(shown):
        if line == "..":
            parts.append([])
        else:
            parts[-1].append(line)
    for number, part in enumerate(parts):
        first, last = number == 0, number == len(parts) - 1
        places = range(at, len(lines) - len(part) + 1)
        if first:
            places = [p for p in places if p == 0]
        if last:
            places = [p for p in places if p + len(part) == len(lines)] if part or first else [len(lines)]
        at = next((p + len(part) for p in places if lines[p:p + len(part)] == part), None)
        if at is None:
            return False
    return True


def renewed(shown, printed):
    """`shown` with the closest line of `printed` in place of each line that was not printed."""
    lines = printed.split("\n")

    def renew(line):
        margin = "" if line in lines else line[:len(line) - len(line.lstrip())]
        close = [] if line in lines or line == ".." else difflib.get_close_matches(line.strip(), [x.strip() for x in lines], 1)
        return margin + close[0] if close else line

    return "\n".join(map(renew, shown.split("\n")))


class Page:
    """A page in a copy of the lessons, `folder` its folder there."""

    def __init__(self, tkc, name, folder):
        self.tkc, self.name, self.folder = tkc, name, folder
        self.text = read(os.path.join(ROOT, name))
        self.now = self.text  # with what tkc prints

    def faults(self):
        for fence, body in BLOCK.findall(self.text):
            kind, _, rest = fence.partition(" ")
            kind = kind + "_" + rest.split(" ")[0] if kind == "tk" and rest else kind
            check = getattr(self, "check_" + kind, None)
            if check:
                yield from check(body, rest)

    def update(self):
        for fault in self.faults():
            print(f"{self.name}: {fault}")
        write(os.path.join(ROOT, self.name), self.now)

    def differs(self, shown, printed, fault):
        self.now = self.now.replace(shown, renewed(shown, TIME.sub("", printed)), 1)
        return f"{fault}:\n{printed}"

    def check_tk(self, body, _):
        named = NAMED.match(body)
        name = named[1] if named else "program.tk"
        write(os.path.join(self.folder, name), body)
        code, printed = self.tkc.run(["test", name], self.folder)
        if code and not (code == 1 and "nothing to test" in printed):
            yield f"a program does not pass:\n{body}{printed}"

    def check_tk_fragment(self, body, _):
        files = [f for f in sorted(os.listdir(self.folder)) if f.endswith(".tk")]
        if not any(holds(read(os.path.join(self.folder, f)), body) for f in files):
            yield f"no .tk of the folder has these lines:\n{body}"

    def check_tk_error(self, body, rest):
        named = NAMED.match(body)
        if not named:
            yield f"the first line names no file:\n{body}"
            return
        write(os.path.join(self.folder, named[1]), body)
        code = rest.split(" ")[1]
        _, printed = self.tkc.run(["check", "--no-notes", named[1]], self.folder)
        if CODE.findall(printed) != [code]:
            yield f"{named[1]} is not refused with {code} alone:\n{printed}"

    def check_console(self, body, _):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            printed = self.tkc.shell(command, self.folder)
            if not agrees(shown, printed):
                yield self.differs(shown, printed, f"`{command}` prints something else")

    def check_cuda(self, body, file):
        code, printed = self.tkc.run([file, "-o", "made.cu"], self.folder)
        if code:
            yield f"{file} does not compile:\n{printed}"
            return
        made = read(os.path.join(self.folder, "made.cu"))
        if not holds(made, body):
            yield self.differs(body, made, f"{file} becomes something else")


def check_kernels(tkc, folder):
    for name in sorted(f for f in os.listdir(folder) if f.endswith(".tk")):
        if name == "exercise.tk":
            wanted = AS_IT_STANDS.search(read(os.path.join(folder, name)))
            code, printed = tkc.run(["test", name], folder)
            if not wanted or code != 1 or set(CODE.findall(printed)) != {wanted[1]}:
                yield f"{name} does not end with the message that it names:\n{printed}"
            continue
        for options in ([], ["--scheduled"]):
            code, printed = tkc.run(["test", *options, name], folder)
            if code:
                yield f"{' '.join(['test', *options, name])} fails:\n{printed}"


def by_nvcc(tkc, nvcc):
    checker = os.path.join(HERE, "nvcc_check.py")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for file in WITH_NVCC:
            made = os.path.join(folder, "made.cu")
            code, printed = tkc.run([os.path.join(ROOT, LESSONS, file), "-o", made], folder)
            print(f"{file}\n{printed}", end="", flush=True)
            check = [sys.executable, checker, "--nvcc", nvcc, "-I", os.path.join(ROOT, "runtime"), made]
            good = code == 0 and subprocess.run(check, check=False).returncode == 0 and good
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("folders", nargs="*")
    args = parser.parse_args()
    tkc = Tkc(args.tkc)
    if args.nvcc:
        return 0 if by_nvcc(tkc, args.nvcc) else 1
    lessons = sorted(f for f in os.listdir(os.path.join(ROOT, LESSONS)) if re.match(r"\d\d-", f))
    faults = []
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(os.path.join(ROOT, LESSONS), os.path.join(copy, "lessons"))
        for lesson in args.folders or lessons:
            folder = os.path.join(copy, "lessons", lesson)
            page = os.path.join(LESSONS, lesson, "README.md")
            if args.update:
                Page(tkc, page, folder).update()
                continue
            faults += [(os.path.join(LESSONS, lesson), fault) for fault in check_kernels(tkc, folder)]
            faults += [(page, fault) for fault in Page(tkc, page, folder).faults()]
        if not args.folders and not args.update:
            for page in (os.path.join(LESSONS, "README.md"), os.path.join("docs", "fifteen-minutes.md")):
                faults += [(page, fault) for fault in Page(tkc, page, copy).faults()]
            faults += [(page, "its table is not that of measured.json: python3 bench/lesson_tables.py") for page in lesson_tables.stale()]
    for place, fault in faults:
        print(f"{place}: {fault}")
    if faults:
        print("If tkc prints something else now, and that is meant: add --update to the command, and read what git says of the pages.")
    print(f"{len(args.folders or lessons)} lessons, {len(faults)} faults")
    return 1 if faults or not lessons else 0


if __name__ == "__main__":
    sys.exit(main())
