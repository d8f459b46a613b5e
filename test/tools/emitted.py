#!/usr/bin/env python3
"""Compares the CUDA that tkc emits for the examples with examples/emitted.txt, and updates that list.

    emitted.py                          compares hashes, and the few .cu that are committed; 15 seconds on 2 cores
    emitted.py --update                 compiles changed texts whole with nvcc, and rewrites their lines
    emitted.py --update gemm/gemm       only this one, even if its text is the same, as after a change of runtime/
    emitted.py --update --without-nvcc  rewrites hashes; registers of changed texts become `?`
    emitted.py --compile                compiles all texts whole, and compares registers and spills with the list
    emitted.py --to FOLDER              only writes the texts, as FOLDER/gemm/gemm.cu

It needs Python, a tkc (--tkc; else the newest of build/{dev,tests,release}/tkc) and, to compile, nvcc. Verdicts are
kept where nvcc_check.py keeps them, so that a second run compiles only what has changed.

Ends with 3 if --seconds were over before all was done (call it again), else with 1 if something differs or was refused,
or if it cannot begin.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import difflib
import glob
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time

import emitted_list
import nvcc_check

ROOT = emitted_list.ROOT
EXAMPLES = os.path.join(ROOT, "examples")
BUILDS = ("dev", "tests", "release")
LIMIT = 900  # seconds of processor time of a step of nvcc: whole files are long
OUT_OF_TIME = 3


def stop(message):
    """Ends the tool, this one or one that uses this one, with a message."""
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def find_tkc(named):
    """The compiler that was named, or the newest that was built."""
    built = [path for path in (os.path.join(ROOT, "build", name, "tkc") for name in BUILDS) if os.path.exists(path)]
    if named:
        found = named
    elif built:
        found = max(built, key=os.path.getmtime)
    else:
        stop("there is no tkc in build/{dev,tests,release}: build it with ./setup, or name one with --tkc PATH")
    if not os.path.isfile(found) or not os.access(found, os.X_OK):
        stop(f"{found} is not a program: name a compiler with --tkc PATH")
    return os.path.abspath(found)


def names_of(given):
    """Examples as the list names them, gemm/gemm, from such names or from paths of their .tk."""
    known = sorted(os.path.relpath(path, EXAMPLES).removesuffix(".tk") for path in glob.glob(os.path.join(EXAMPLES, "*", "*.tk")))
    wanted = []
    for name in given:
        path = os.path.relpath(os.path.abspath(name), EXAMPLES) if os.path.exists(name) else name
        path = os.path.splitext(path)[0]
        if path not in known:
            stop(f"there is no example {name}: write it as gemm/gemm or examples/gemm/gemm.tk")
        wanted.append(path)
    return known, list(dict.fromkeys(wanted))


def syntax_only(path):
    """Whether the head of a .tk says `[nvcc: syntax only]`: tests then compile no machine code of it, to save time."""
    with open(path, encoding="utf-8") as stream:
        for line in itertools.takewhile(lambda line: line.startswith("//"), stream):
            if line.endswith(" [nvcc: syntax only]\n"):
                return True
    return False


def emit(tkc, name, folder):
    """Writes FOLDER/NAME.cu. Returns its text, or None if tkc failed, which has printed why."""
    path = os.path.join(folder, name + ".cu")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)  # one of an earlier run
    done = subprocess.run([tkc, os.path.join(EXAMPLES, name + ".tk"), "--no-notes", "-o", path], check=False)
    if done.returncode != 0:
        return None
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except (FileNotFoundError, UnicodeDecodeError) as problem:
        reason = "wrote no text" if isinstance(problem, FileNotFoundError) else "wrote a text that is not UTF-8"
        print(f"{name}: {tkc} reported success and {reason}: is it a tkc?")
        return None


def emit_all(tkc, names, folder, jobs):
    """{name: text}; what tkc refused is left out."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        texts = dict(zip(names, pool.map(lambda name: emit(tkc, name, folder), names)))
    for name in [name for name, text in texts.items() if text is None]:
        print(f"{name}: tkc does not compile it")
    return {name: text for name, text in texts.items() if text is not None}


def committed(name):
    """The path of the text that is committed next to the example, or None."""
    path = os.path.join(EXAMPLES, name + ".cu")
    return path if os.path.exists(path) else None


def difference(name, text):
    """The lines in which the committed text differs, if there is one."""
    path = committed(name)
    if path is None:
        return []
    with open(path, encoding="utf-8", errors="replace") as stream:
        before = stream.read()
    label = os.path.relpath(path, ROOT)
    return list(difflib.unified_diff(before.splitlines(True), text.splitlines(True), label, "now"))


def lines_of(texts):
    """{name: Example} of the texts, and {name: problem} of those that cannot be read."""
    lines, problems = {}, {}
    for name, text in texts.items():
        try:
            lines[name] = emitted_list.of_text(text)
        except emitted_list.BadText as problem:
            problems[name] = str(problem)
    return lines, problems


def compare(tkc, texts, listed):
    """The examples that differ, which it names."""
    lines, problems = lines_of(texts)
    bad = sorted(problems)
    for name in bad:
        print(f"{name}: {problems[name]}", end="")
    for name, text in sorted((name, texts[name]) for name in lines):
        changed = difference(name, text)
        sys.stdout.writelines(changed)
        found = list(lines[name].text_differences(listed.get(name)))
        if changed or found:
            bad.append(name)
        with tempfile.TemporaryDirectory(prefix="emitted-") as folder:
            again = emit(tkc, name, folder) if found else text
        if again != text:
            print(f"{name}: two runs of tkc give two texts")
        else:
            sys.stdout.writelines(f"{name}: {sentence}\n" for sentence in found)
    return bad


class Compilation:
    """Compiles emitted texts whole, several at once, and prints its progress."""

    def __init__(self, nvcc, jobs, end):
        self.checker = nvcc_check.Checker(nvcc, limit=LIMIT)
        self.version = self.checker.named_version
        self.jobs, self.end = jobs, end

    def run(self, names, folder):
        """Yields (name, verdict) as they come; the verdict is None where there was no time left."""
        def one(name):
            start = time.monotonic()
            if start >= self.end:
                return None, 0
            verdict = self.checker.check(os.path.join(folder, name + ".cu"), self.end)
            late = not verdict.passed and time.monotonic() >= self.end
            return None if late else verdict, time.monotonic() - start

        def size(name):
            return os.path.getsize(os.path.join(folder, name + ".cu"))

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            # The longest first, so that no core waits for them in the end.
            waiting = {pool.submit(one, name): name for name in sorted(names, key=size, reverse=True)}
            try:
                for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
                    name, (verdict, seconds) = waiting[future], future.result()
                    if verdict:
                        result = f"{len(verdict.kernels)} kernels" if verdict.passed else "refused"
                        print(f"[{done}/{len(waiting)}] {name}: {result}, {seconds:.0f} s", flush=True)
                    yield name, verdict
            except BaseException:
                self.end = 0  # those that wait do not begin
                for call in list(nvcc_check.running):
                    nvcc_check.kill(call)
                raise


def update(options, texts, known, listed, nvcc_then, folder):
    """Rewrites the lines of texts that changed or that nvcc has not compiled; of all, with --all or if they are named."""
    fresh, refused = lines_of(texts)
    lines = {name: line for name, line in listed.items() if name in known}
    wanted = sorted(name for name, line in fresh.items()
                    if any(line.text_differences(listed.get(name))) or difference(name, texts[name]))
    if options.without_nvcc:
        compilation, verdicts, nvcc_now = None, [(name, None) for name in wanted], nvcc_then
    else:
        compilation = Compilation(options.nvcc, options.jobs, options.end)
        nvcc_now = compilation.version
        if nvcc_then not in ("", nvcc_now):
            if not options.all or options.examples:
                stop(f"the list is of {nvcc_then}, and this is {nvcc_now}: name the other with --nvcc, or write"
                     " all lines anew with --update --all")
            lines = {name: forgotten(line) for name, line in lines.items()}
        if options.all or options.examples:
            wanted = sorted(fresh)
        else:
            wanted = sorted({*wanted, *(name for name, line in lines.items() if name in fresh and not line.known())})
        verdicts = compilation.run(wanted, folder)

    written, late = 0, 0
    for name, verdict in verdicts:
        if compilation and not verdict:
            late += 1
            continue
        try:
            line = fresh[name].compiled(verdict.kernels) if verdict and verdict.passed else fresh[name]
        except emitted_list.BadText as problem:
            verdict = nvcc_check.Verdict(False, str(problem))
        if verdict and not verdict.passed:
            refused[name] = verdict.text
        else:
            lines[name] = line
            written += 1
            if committed(name):
                nvcc_check.write(committed(name), texts[name])
            emitted_list.write(lines, nvcc_now)
    emitted_list.write(lines, nvcc_now)
    for name, text in sorted(refused.items()):
        print(f"\n{name} keeps its old line:\n{text}", end="")
    print(f"{len(texts)} examples: {written} lines written, {len(refused)} refused, {late} left for want of time")
    return OUT_OF_TIME if late else 1 if refused else 0


def forgotten(line):
    kernels = {name: dataclasses.replace(kernel, registers=-1, spilled=0) for name, kernel in line.kernels.items()}
    return dataclasses.replace(line, kernels=kernels)


def differences(fresh, listed, kernels, same_nvcc):
    """Sentences about kernels that nvcc compiled: against the text, and against the list, if it is of the same nvcc."""
    try:
        fresh.compiled(kernels)
    except emitted_list.BadText as problem:
        yield str(problem).rstrip()
    else:
        if same_nvcc and listed:
            yield from emitted_list.differences(listed, kernels)


def compile_all(options, texts, listed, nvcc_then, folder):
    """Compiles the texts whole, and prints faults and what differs from the list. Returns the exit status."""
    compilation = Compilation(options.nvcc, options.jobs, options.end)
    same_nvcc = compilation.version == nvcc_then
    fresh, bad = lines_of(texts)
    late = 0
    for name, verdict in compilation.run(sorted(texts), folder):
        if verdict is None:
            late += 1
        elif not verdict.passed:
            bad[name] = verdict.text
        elif name in fresh:
            bad[name] = "".join(f"    {line}\n" for line in differences(fresh[name], listed.get(name), verdict.kernels, same_nvcc))
    bad = {name: text for name, text in bad.items() if text}
    for name, text in sorted(bad.items()):
        print(f"\n{name}:\n{text}", end="")
    if not same_nvcc:
        print(f"Registers and spills were not compared: the list is of {nvcc_then or 'no nvcc yet'}, and this is {compilation.version}.")
    print(f"{len(texts)} examples: {len(bad)} with faults or differences, {late} left for want of time")
    return OUT_OF_TIME if late else 1 if bad or not nvcc_then else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", default="", help="the compiler (the newest of build/{dev,tests,release}/tkc)")
    parser.add_argument("--nvcc", default="", help="(the one of $TKC_NVCC, $CUDA_HOME, PATH, /usr/local/cuda)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that run at the same time (a core each)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of wall time; then what is finished is written")
    parser.add_argument("--to", default="", metavar="FOLDER", help="write the texts there, and compare nothing")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--update", action="store_true")
    what.add_argument("--compile", action="store_true")
    parser.add_argument("--all", action="store_true", help="with --update: compile texts that are the same, too")
    parser.add_argument("--without-nvcc", action="store_true", help="with --update")
    parser.add_argument("examples", nargs="*", help="as gemm/gemm or examples/gemm/gemm.tk")
    options = parser.parse_args()
    if (options.all or options.without_nvcc) and not options.update or options.all and options.without_nvcc:
        parser.error("--all and --without-nvcc need --update, and exclude each other")
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: write the number of programs that run at the same time, 1 or more")
    try:
        return run(options)
    except (emitted_list.BadList, nvcc_check.BadNvcc) as problem:
        stop(problem)
    except OSError as problem:  # as of a full disk
        stop(f"{problem.filename or 'a file'} cannot be written, read or run: {problem.strerror}")


def run(options):
    """Does what the command line says. Returns the exit status."""
    options.end = time.monotonic() + options.seconds
    tkc = find_tkc(options.tkc)
    known, options.examples = names_of(options.examples)
    if options.compile or options.update and not options.without_nvcc:
        named = options.nvcc
        options.nvcc = nvcc_check.find_nvcc(named)
        if options.nvcc is None:
            stop(f"{named or 'nvcc'} is not a program: name one with --nvcc PATH"
                 + (", or write --update --without-nvcc" if options.update else ""))
    listed, nvcc_then = emitted_list.read()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nvcc is ended, too
    with tempfile.TemporaryDirectory(prefix="emitted-") as folder:
        folder = options.to or folder
        texts = emit_all(tkc, options.examples or known, folder, options.jobs)
        refused = len(options.examples or known) - len(texts)
        if options.to:
            print(f"{len(texts)} texts are in {options.to}")
            return 1 if refused else 0
        if options.update:
            return update(options, texts, known, listed, nvcc_then, folder) or (1 if refused else 0)
        status = compile_all(options, texts, listed, nvcc_then, folder) if options.compile else 0
        bad = compare(tkc, texts, listed)
    gone = sorted(set(listed) - set(known))
    for name in gone:
        print(f"{name}: in the list, but there is no example of that name")
    if not bad and not gone and not refused:
        if not status:
            print(f"{len(texts)} examples are as in examples/emitted.txt")
        return status
    print(f"{len(bad) + len(gone) + refused} examples differ from examples/emitted.txt. If that is meant, this updates it:\n\n"
          f"    {emitted_list.COMMAND}" + (f" --tkc {options.tkc}" if options.tkc else ""))
    return 1


if __name__ == "__main__":
    sys.exit(main())
