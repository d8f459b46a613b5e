#!/usr/bin/env python3
# Random programs, right and wrong ones (random_forms.py), and what tkc says of them, against what they do in small
# launches, executed here cell by cell (random_cells.py):
#
# * a program of which `tkc check` says nothing has no fault in any launch tried: no race, no element that is not
#   written, or read before it is; no element outside; no result that depends on padding, or on which candidate runs;
# * where it warns, the emulator finds the fault in the launch that has it;
# * the sizes that an error names show the fault;
# * both emulators compute what is computed here, for every candidate.
#
#     random_verdicts.py --tkc build/dev/tkc --seed 1 --count 100         a hundred programs
#     random_verdicts.py --tkc .. --seed 1 --time 3600 --keep found       an hour; what fails is kept, made smaller
#
# The same seed makes the same programs.
import argparse
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import random_forms
from random_choices import Choices, shrink

# What a fault is said by, as an error or as a warning.
SAID = {"gap": ("TK5001", "TK5004"), "twice": ("TK5002", "TK5004"), "race": ("TK5003", "TK5002", "TK5004", "TK5013"),
        "unset": ("TK5006", "TK5003", "TK5004"), "outside": ("TK5009", "TK5004"), "stuck": ("TK5013",),
        "padding": ("TK5010", "TK5011", "TK5012", "TK5015", "TK5016", "TK5017"),
        "candidates": ("TK2085", "TK2089")}
REFUTES = {"TK5001": "gap", "TK5002": "twice", "TK5003": "race", "TK5006": "unset", "TK5009": "outside"}
FOUND = ("TK8111", "TK8112", "TK8113", "TK8114", "TK8117")  # what the emulator reports of a program that is wrong
HARMLESS = ("TK2040", "TK2089")  # they say nothing of one launch
LAUNCHES = 10
WITNESSES = 24
TESTS = 3


def sizes_of(rng, program):
    """Extents about the widths of the tiles, and parameters."""
    sizes = {}
    for name in program.extents:
        width = program.constants.get("BM" if name in ("M", "T") else "BN", [2])[0]
        choices = [1, 2, width - 1, width, width + 1, 2 * width, 2 * width + 1, 3, width + 2]
        if width > 8:
            choices = [1, width, width + 1, width - 1, 5]
        if name == "B":
            choices = [1, 2, 3]
        if name in ("N", "K") and f"{name} > 0" not in program.requires and len(program.grid) < 2:
            choices += [0]
        sizes[name] = rng.choice(choices)
    for name, values in program.parameters.items():
        sizes[name] = rng.choice(values)
    return sizes


def data_of(rng, program, sizes):
    shapes = program.shapes(sizes)
    kind = rng.choice([(-4, 4), (-4, 4), (1, 4), (-4, -1), (2, 2), (0, 0), (-9, -9)])
    odd = rng.choice([(), (), (), (), (math.inf,), (-math.inf,), (math.nan, math.inf)])
    data = {}
    for tensor in program.tensors:
        count = math.prod(shapes[tensor.name])
        if tensor.fill == "starts":
            inner = sorted(rng.randint(0, sizes["T"]) for _ in range(count - 2))
            data[tensor.name] = [0, *inner, sizes["T"]]
        elif tensor.fill == "bits":
            data[tensor.name] = [rng.randint(0, 1) for _ in range(count)]
        elif tensor.fill == "places":
            data[tensor.name] = [rng.randint(-1, count) for _ in range(count)]
        elif tensor.mode in ("in", "inout"):
            data[tensor.name] = [rng.choice(odd) if odd and rng.random() < 0.1 else float(rng.randint(*kind))
                                 for _ in range(count)]
    return data


def same(a, b):
    return a == b or (a != a and b != b)


class Case:
    """A launch as it is executed, as it is meant, and by the other candidate."""

    def __init__(self, program, sizes, data):
        self.program, self.sizes, self.data = program, sizes, data
        self.machine = program.launch(sizes, program.own(), data, False)
        self.faults = self.machine.faults
        self.meant = program.launch(sizes, program.own(), data, True)
        self.others = [program.launch(sizes, other, data, False) for other in program.alternatives()]
        self.ambiguous = self.machine.ambiguous or any(o.ambiguous for o in self.others)
        for other in self.others:
            for kind, names in other.faults.items():
                self.faults.setdefault(kind, set()).update(names)
        # What is said of padding and of candidates, is said of finite data.
        if self.faults or any(not math.isfinite(v) for cells in data.values() for v in cells):
            return
        if not self.ambiguous:
            self.compare("padding", self.meant)
        if "padding" not in self.faults:
            for other in self.others:
                self.compare("candidates", other)

    def compare(self, kind, other):
        """Infinity and NaN are not compared: what is made of them is not said of finite data."""
        for name, memory in self.machine.memory.items():
            if memory.mode not in ("in", "scratch"):
                if any(math.isfinite(b) and not same(a, b) and not (kind == "candidates" and not math.isfinite(a))
                       for a, b in zip(memory.cells, other.memory[name].cells)):
                    self.machine.fault(kind, name)

    def is_exact(self):
        """Whether the emulators, and every candidate, must compute the same cells."""
        padded = self.ambiguous and any("pad(" in line for line in self.program.lines())
        return not padded and not self.machine.inexact and not any(o.inexact or self.differs(o) for o in self.others)

    def differs(self, other):
        return any(not same(a, b) for name, memory in self.machine.memory.items()
                   if memory.mode not in ("in", "scratch") for a, b in zip(memory.cells, other.memory[name].cells))

    def test(self, name):
        items = [f"{n} = {v};" for n, v in self.sizes.items()]
        for tensor in self.program.tensors:
            if tensor.name in self.data:
                items.append(f"{tensor.name} = {self.given(tensor.name)};")
            if tensor.mode not in ("in", "scratch"):
                items.append(f"W{tensor.name} = {self.listed(tensor.name, self.machine.memory[tensor.name].cells)};")
        results = ", ".join(t.name for t in self.program.tensors if t.mode not in ("in", "scratch"))
        return f"test {name} {{ {' '.join(items)} expect {results} ~ reference within 0; }}"

    def given(self, name):
        """With rows of 16 bytes where TMA wants that."""
        text, shape = self.listed(name, self.data[name]), self.machine.memory[name].shape
        if "pipeline by tma_load" in self.program.tags and len(shape) == 2:
            return f"value({text}, strides = [{max(4, (shape[1] + 3) // 4 * 4)}, 1])"
        return text

    def listed(self, name, cells):
        shape = self.machine.memory[name].shape
        if 0 in shape:
            return "0"
        texts = ["inf - inf" if v != v else f"{v:g}" if math.isinf(v) or float(f"{v:g}") == v else repr(v) for v in cells]
        for extent in reversed(shape[1:]):
            texts = ["[" + ", ".join(texts[i:i + extent]) + "]" for i in range(0, len(texts), extent)]
        return "[" + ", ".join(texts) + "]"


def file_of(program, cases=()):
    """The program; with tests, it takes what they want as tensors of their own."""
    if not cases:
        return "\n".join(program.lines()) + "\n"
    outs = [t for t in program.tensors if t.mode not in ("in", "scratch")]
    lines = [*program.lines([f"W{program.head(t)}" for t in outs]),
             f"reference {program.kernel}({', '.join('W' + t.name for t in outs)}) -> "
             f"({', '.join(t.name for t in outs)}) {{ " + " ".join(f"{t.name} = W{t.name};" for t in outs) + " }",
             *(case.test(f"t{i}") for i, case in enumerate(cases))]
    return "\n".join(lines) + "\n"


class Verdicts:
    def __init__(self, args):
        self.args = args
        self.folder = tempfile.TemporaryDirectory(prefix="random_verdicts_")
        self.tags = collections.defaultdict(collections.Counter)  # what became of a program -> constructs
        self.counts, self.codes, self.failures = collections.Counter(), collections.Counter(), collections.Counter()

    def tkc(self, arguments, text):
        path = os.path.join(self.folder.name, "program.tk")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        try:
            done = subprocess.run([self.args.tkc, *arguments, path], capture_output=True, text=True,
                                  timeout=self.args.timeout)
        except subprocess.TimeoutExpired:
            return None, ""
        return done.returncode, done.stdout + done.stderr

    def checked(self, text):
        """(code, message) of errors and of warnings; or what went wrong with the compiler itself."""
        code, output = self.tkc(["check", "--no-notes", "--json"], text)
        if code not in (0, 1):
            return None, None, "hang" if code is None else f"exit code {code}"
        said = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        errors = [(m["code"], m["message"]) for m in said if m["severity"] == "error"]
        warnings = [(m["code"], m["message"]) for m in said if m["severity"] == "warning"]
        if any(c == "TK9001" for c, _ in errors):
            return None, None, "internal error"
        return errors, warnings, None

    def examine(self, program):
        """(what is wrong, the case that shows it) or (None, None); and what became of the program."""
        errors, warnings, broken = self.checked(file_of(program))
        if broken:
            return broken, None, "broken"
        for code, message in errors:
            wrong = self.refuted(program, code, message)
            if wrong:
                return wrong, None, "refused"
        if errors:
            return None, None, f"refused by {errors[0][0]}"
        rng = random.Random(1)
        cases = []
        for _ in range(LAUNCHES):
            sizes = sizes_of(rng, program)
            cases.append(Case(program, sizes, data_of(rng, program, sizes)))
        for case in cases:
            for kind, names in sorted(case.faults.items()):
                unsaid = [n for n in sorted(names) if not self.is_said(program, kind, n, warnings)]
                if unsaid:
                    return f"silent: {kind}", case, "silent"
        wrong, case = self.emulated(program, cases)
        return wrong, case, "warned" if any(c not in HARMLESS for c, _ in warnings) else "silent"

    @staticmethod
    def is_said(program, kind, name, warnings):
        if {"gap": f"covers({name})", "twice": f"disjoint({name})"}.get(kind) in program.trusts:
            return True
        named = kind not in ("padding", "stuck", "candidates")
        return any(code in SAID[kind] and (not named or f"`{name}" in message) for code, message in warnings)

    def refuted(self, program, code, message):
        """An error names sizes, for which it has to be true."""
        kind, name = REFUTES.get(code), re.search(r"`(\w+)", message)
        numbers = dict(re.findall(r"\b(\w+) = (-?\d+)", message.split(" with ")[-1]))
        if kind is None or " with " not in message or "[" in message.split(" with ")[-1]:
            return None
        rng = random.Random(2)
        for _ in range(WITNESSES):
            sizes = sizes_of(rng, program)
            sizes.update({n: int(v) for n, v in numbers.items() if n in sizes})
            if math.prod(max(1, v) for n, v in sizes.items() if n in program.extents) > 1 << 14:
                return None
            faults = Case(program, sizes, data_of(rng, program, sizes)).faults
            if name.group(1).split("[")[0] in faults.get(kind, ()):
                return None
        return f"refuted without a fault: {code}"

    def emulated(self, program, cases):
        """Both emulators compute the same as here, and find what is wrong in a launch."""
        right = [c for c in cases if not c.faults and c.is_exact()][:TESTS]
        modes = (["test", "--jobs", "1"], ["test", "--jobs", "1", "--scheduled", "--seeds", str(self.args.seeds)])
        if right:
            for mode in modes:
                code, output = self.tkc(mode, file_of(program, right))
                if code != 0 and "TK6" not in output and "TK7001" not in output:
                    found = re.search(r"error\[(TK\d+)\]", output)
                    if found and found.group(1) in (*REFUTES, "TK2085"):
                        break  # next to other tensors, what was not decided is refuted
                    how = "scheduled" if "--scheduled" in mode else "plain"
                    failed = re.search(r"FAIL t(\d+)", output)
                    return (f"emulator, {how}: {found.group(1) if found else code}",
                            right[int(failed.group(1)) if failed else 0])
            self.counts["launches compared with both emulators"] += len(right)
        for case in cases:
            # A gap shows where it is compared, and not between the kernels of an entry.
            shown = set(case.faults) - ({"gap"} if "entry" in program.tags else set())
            if shown & set(REFUTES.values()):
                code, output = self.tkc(modes[0], file_of(program, [case]))
                found = re.findall(r"error\[(TK\d+)\]", output)
                unwritten = "gap" in case.faults and "NaN" in output  # what nobody writes begins as NaN
                known = found and (found[0] in FOUND or found[0] in REFUTES)  # next to other tensors, it may be refuted
                if code != 1 or not (known or unwritten and found):
                    return f"not found by the emulator: {', '.join(sorted(case.faults))}", case
                self.counts["faults found by the emulator"] += 1
                break
        return None, None

    def one(self, seed):
        choices = Choices(seed)
        program = random_forms.make(choices)
        self.counts["programs"] += 1
        wrong, case, became = self.examine(program)
        self.codes[became] += 1
        for tag in program.tags:
            self.tags[tag]["made"] += 1
            self.tags[tag][became.split()[0]] += 1
        if wrong:
            self.fail(seed, wrong, choices.drawn)

    def fail(self, seed, wrong, drawn):
        self.failures[wrong] += 1
        print(f"seed {seed}: {wrong}", flush=True)
        if self.failures[wrong] > self.args.most:
            return

        def still_fails(values):
            choices = Choices(None, values)
            try:
                again = self.examine(random_forms.make(choices))[0]
            except RecursionError:
                return None
            return choices.drawn if again == wrong else None

        values = shrink(drawn, still_fails, self.args.shrink)
        program = random_forms.make(Choices(None, values))
        _, case, _ = self.examine(program)
        text = f"// random_verdicts.py, seed {seed}, made smaller: {wrong}\n"
        if case is not None:
            text += f"// {', '.join(f'{k} of ' + ', '.join(sorted(n)) for k, n in case.faults.items())}\n"
        text += file_of(program, [case] if case is not None else [])
        if self.args.keep:
            os.makedirs(self.args.keep, exist_ok=True)
            name = re.sub(r"\W+", "_", f"{wrong} seed {seed}")
            with open(os.path.join(self.args.keep, name + ".tk"), "w", encoding="utf-8") as out:
                out.write(text)
        else:
            print(text, flush=True)

    def all(self):
        begin, number = time.monotonic(), 0
        while number < self.args.count if self.args.time is None else time.monotonic() - begin < self.args.time:
            self.one(self.args.seed * 1_000_000 + number)
            number += 1
        print(f"{time.monotonic() - begin:.0f} s: " + ", ".join(f"{n} {what}" for what, n in self.counts.items()))
        print("of them: " + ", ".join(f"{n} {what}" for what, n in self.codes.most_common()))
        if self.args.verbose:
            for tag, table in sorted(self.tags.items(), key=lambda item: -item[1]["made"]):
                print(f"  {tag}: " + ", ".join(f"{n} {what}" for what, n in table.most_common()))
        for wrong, count in self.failures.most_common():
            print(f"FAILED {count} x {wrong}")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description="compares what tkc says of random programs with what they do")
    parser.add_argument("--tkc", required=True, help="the compiler")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="so many programs")
    parser.add_argument("--time", type=float, help="so many seconds instead")
    parser.add_argument("--seeds", type=int, default=2, help="orders in which each lowered program is run")
    parser.add_argument("--timeout", type=float, default=30, help="seconds after which a run counts as a hang")
    parser.add_argument("--keep", help="a folder for what fails")
    parser.add_argument("--shrink", type=float, default=30, help="seconds to make a failing program smaller")
    parser.add_argument("--most", type=int, default=2, help="of failures that look alike, so many are made smaller")
    parser.add_argument("--verbose", action="store_true",
                        help="how often each construct occurred, and what became of it")
    return Verdicts(parser.parse_args()).all()


if __name__ == "__main__":
    sys.exit(main())
