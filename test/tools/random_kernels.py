#!/usr/bin/env python3
# Random kernels with references and tests, run through tkc: what is right by construction must be accepted and agree
# with its reference, as it is written and as it is lowered; what is broken by one change must be refused.
#
#     random_kernels.py --tkc build/dev/tkc --seed 1 --count 100          a hundred kernels and their broken twins
#     random_kernels.py --tkc .. --seed 1 --time 600 --keep found         ten minutes; what fails is kept, made smaller
#     random_kernels.py --write folder --seed 1 --count 100               the files alone, for `tkc test --on=gpu folder/*.tk`
#
# The same seed makes the same kernels.
import argparse
import collections
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import random_broken
import random_chain
import random_gemm
import random_maps
import random_memory
import random_races
import random_steered
import random_tests
import random_warps
from random_choices import Choices, shrink

BUILD_TIMEOUT = 300
CODE = re.compile(r"error\[(TK\d+)\]: (.*)")
FAMILIES = [random_maps, random_gemm, random_chain, random_memory, random_steered, random_warps]
FOUND = ("TK8111", "TK8112", "TK8113", "TK8114", "TK8117")  # what the emulator tells of a program that is wrong
MOST_SHRUNK = 2  # of failures that look alike


def generate(choices):
    """A kernel with tests; None where the tests came out too large."""
    kernel, plan = choices.pick(FAMILIES).make(choices)
    for number in range(choices.pick([2, 1, 3])):
        for _ in range(3):
            test = random_tests.make_test(choices, kernel, plan, f"t{number}")
            if test:
                kernel.tests.append(test)
                break
    if kernel.may_draw_programs() and choices.chance(50):
        kernel.grid = kernel.grid.replace(" persistent", " persistent dynamic")
        kernel.tags.add("dynamic")
    for role in kernel.may_alternate():
        if choices.chance(50):
            role.width, role.words = choices.pick([2, 3]), " alternate"
            kernel.tags.add("alternate")
            kernel.not_yet.add("TK2088")  # it fills a pipeline, or programs take different numbers of elements
    return kernel if kernel.tests else None


def plain(text):
    """What a message says apart from names and numbers: it tells one bug from another."""
    return re.sub(r"%\w+|\d+|`[^`]*`", "..", text)[:80]


class Result:
    def __init__(self, command, code, output):
        self.command, self.code, self.output = command, code, output

    def errors(self):
        return CODE.findall(self.output)

    def signature(self):
        """What two failures of one cause share: '' where all went well."""
        if self.code is None:
            return "hang"
        if self.code < 0:
            return f"signal {signal.Signals(-self.code).name}"
        errors = self.errors()
        if errors:
            code, text = errors[0]
            return f"{code} {plain(text)}" if code == "TK9001" else code
        if self.code == 0:
            return ""
        inside = re.search(r"internal error: (.*)", self.output)
        return f"internal error {plain(inside.group(1))}" if inside else f"exit code {self.code}"

    def is_excused(self, not_yet=()):
        """Refused for what the compiler cannot do yet, or for what does not fit the machine."""
        errors = self.errors()
        return bool(errors) and all(code == "TK7001" or code in not_yet or code.startswith("TK6") for code, _ in errors)


class Driver:
    def __init__(self, args):
        self.args = args
        self.folder = tempfile.TemporaryDirectory(prefix="random_kernels_")
        self.counts = collections.Counter()
        self.tags = collections.Counter()
        self.excuses = collections.Counter()
        self.proofs = collections.Counter()
        self.failures = collections.Counter()
        self.runs = 0

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run(self, arguments, timeout=None):
        self.runs += 1
        timeout = timeout or self.args.timeout
        command = [self.args.tkc, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired as late:
            return Result(command, None, (late.stdout or b"").decode(errors="replace"))
        return Result(command, done.returncode, (done.stdout + done.stderr).decode(errors="replace"))

    def steps(self, build):
        """Names and arguments of what is done with a right kernel; its file is after them."""
        yield "check", ["check"]
        yield "test", ["test", "--jobs", "1"]
        yield "scheduled", ["test", "--jobs", "1", "--scheduled", "--seeds", str(self.args.seeds)]
        yield "emit", ["--emit=cuda", "-o", self.path("kernel.cu")]
        if self.args.on == "gpu":
            yield "gpu", ["test", "--on=gpu"]
        if build:
            yield "build", ["build", "-o", self.path("library.so")]

    def examine(self, file, build, only=None, not_yet=()):
        """The first step that fails, and its result; (None, None) where all is well; (None, result) where refused."""
        for step, arguments in self.steps(build):
            if only and step != only:
                continue
            slow = step in ("build", "gpu")
            result = self.run([*arguments, file], BUILD_TIMEOUT if slow else None)
            if result.is_excused(not_yet):
                return None, result
            if result.signature():
                return step, result
        return None, None

    # ---- one kernel

    def right_kernel(self, seed, build):
        choices = Choices(seed, core=self.args.core)
        kernel = generate(choices)
        if kernel is None:
            return None
        file = self.path("kernel.tk")
        self.write(file, kernel.text(f"random_kernels.py, seed {seed}"))
        self.counts["kernels"] += 1
        self.tags.update(kernel.tags)
        step, result = self.examine(file, build, not_yet=kernel.not_yet)
        if step:
            self.fail(seed, step, result, choices.drawn, build)
        elif result:
            code, text = result.errors()[0]
            self.counts["does not fit" if code.startswith("TK6") else "not yet"] += 1
            self.excuses[f"{code} {re.sub(r'[0-9]+', '..', text)[:70]}"] += 1
        else:
            self.counts["passed"] += 1
            self.count_proofs(file)
        return kernel

    def count_proofs(self, file):
        output = self.run(["explain", file]).output
        for verdict in re.findall(r": (proved|refuted|not decided)$", output, re.MULTILINE):
            self.proofs[verdict] += 1

    def fail(self, seed, step, result, drawn, build):
        signature = f"{step}: {result.signature()}"
        self.failures[signature] += 1
        print(f"seed {seed}: {signature}", flush=True)
        if self.failures[signature] > MOST_SHRUNK:
            return

        def still_fails(values):
            choices = Choices(None, values, self.args.core)
            kernel = generate(choices)
            if kernel is None:
                return None
            file = self.path("smaller.tk")
            self.write(file, kernel.text("smaller"))
            _, again = self.examine(file, build, step, kernel.not_yet)
            return choices.drawn if again is not None and again.signature() == result.signature() else None

        values = shrink(drawn, still_fails, self.args.shrink)
        kernel = generate(Choices(None, values, self.args.core))
        self.keep(f"{signature} seed {seed}", kernel.text(f"random_kernels.py, seed {seed}, made smaller"), build, step)

    def keep(self, title, text, build, step):
        """Stores a failing file with its command and what was said; without a folder, shows them."""
        name = re.sub(r"\W+", "_", title).strip("_")
        file = os.path.join(self.args.keep or self.folder.name, name + ".tk")
        self.write(file, text)
        steps = dict(self.steps(build)) | {"broken": ["check"], "scrambled": ["check"]}
        result = self.run([*steps[step], file], BUILD_TIMEOUT)
        said = f"$ {shlex.join(result.command)}\nexit code {result.code}\n{result.output}"
        if self.args.keep:
            self.write(file[:-3] + ".txt", said)
        else:
            print(text + said, flush=True)

    @staticmethod
    def write(file, text):
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(text)

    # ---- wrong ones

    def broken_kernel(self, seed, kernel):
        choices = Choices(seed)
        twin = random_broken.broken_twin(choices, kernel)
        file = self.path("broken.tk")
        if twin is not None:
            name, text = twin
            self.write(file, text)
            result = self.run(["check", file])
            codes = [code for code, _ in result.errors()]
            self.counts["broken"] += 1
            refused = result.code == 1 and codes and "TK9001" not in codes
            self.excuses[f"broken by {name}: {codes[0] if codes else 'accepted'}"] += 1
            if not refused:
                self.judge_wrong(seed, f"broken by {name}", text, result)
        text = random_broken.scrambled(choices, kernel.text("scrambled"))
        self.write(file, text)
        result = self.run(["check", file])
        self.counts["scrambled"] += 1
        if result.code not in (0, 1) or "TK9001" in result.output:
            self.judge_wrong(seed, "scrambled", text, result)

    def wrong_program(self, seed):
        """What is wrong in a way that no single change of a right kernel makes: refused, or warned about and found."""
        name, text = random_races.wrong_program(Choices(seed))
        file = self.path("wrong.tk")
        self.write(file, text)
        result = self.run(["check", file])
        codes = [code for code, _ in result.errors()]
        self.counts["wrong"] += 1
        if result.code == 1 and codes and "TK9001" not in codes:
            self.excuses[f"wrong by {name}: {codes[0]}"] += 1
            return
        if result.code == 0 and "warning[TK5004]" in result.output:
            for scheduled in ([], ["--scheduled", "--seeds", str(self.args.seeds)]):
                result = self.run(["test", "--jobs", "1", *scheduled, file])
                codes = [code for code, _ in result.errors()]
                if result.code == 1 and codes and codes[0] in FOUND:
                    self.excuses[f"wrong by {name}: TK5004, {codes[0]}"] += 1
                    return
        # Numbers of the launch alone that wrap: the launch is refused.
        if result.code == 0 and name == "wrapping_count":
            result = self.run(["test", "--jobs", "1", file])
            if result.code == 1 and [code for code, _ in result.errors()] == ["TK8110"] and "must fit in" in result.output:
                self.excuses[f"wrong by {name}: TK8110"] += 1
                return
        self.judge_wrong(seed, f"wrong by {name}", text, result)

    def judge_wrong(self, seed, what, text, result):
        signature = f"{what}: {result.signature() or 'accepted'}"
        self.failures[signature] += 1
        print(f"seed {seed}: {signature}", flush=True)
        if self.failures[signature] <= MOST_SHRUNK:
            self.keep(f"{signature} seed {seed}", text, False, "broken")

    # ---- many

    def all_seeds(self):
        begin = time.monotonic()
        number = 0
        while number < self.args.count if self.args.time is None else time.monotonic() - begin < self.args.time:
            seed = self.args.seed * 1_000_000 + number
            kernel = self.right_kernel(seed, self.args.nvcc and number % self.args.nvcc == 0)
            if kernel is not None and not self.args.no_broken:
                self.broken_kernel(seed, kernel)
                self.wrong_program(seed)
            number += 1
        self.report(time.monotonic() - begin)
        return 1 if self.failures else 0

    def report(self, seconds):
        print(f"{seconds:.0f} s, {self.runs} runs: " + ", ".join(f"{n} {what}" for what, n in self.counts.items()))
        if self.args.verbose:
            for title, table in (("shown", self.tags), ("refused", self.excuses)):
                print(f"{title}:")
                for name, count in sorted(table.items(), key=lambda item: (-item[1], item[0])):
                    print(f"  {count:6} {name}")
        print("obligations: " + (", ".join(f"{n} {what}" for what, n in self.proofs.items()) or "none"))
        for name, count in self.failures.most_common():
            print(f"FAILED {count} x {name}")


def write_folder(args):
    os.makedirs(args.write, exist_ok=True)
    driver = Driver(args)
    number = written = 0
    while written < args.count:
        seed = args.seed * 1_000_000 + number
        number += 1
        kernel = generate(Choices(seed, core=args.core))
        if kernel is None:
            continue
        file = os.path.join(args.write, f"random_{seed}.tk")
        Driver.write(file, kernel.text(f"random_kernels.py, seed {seed}"))
        if args.tkc and driver.run(["check", file]).is_excused():  # one refused file would fail the whole folder
            os.remove(file)
            continue
        written += 1
    print(f"{written} files in {args.write}")


def main():
    parser = argparse.ArgumentParser(description="runs random kernels through tkc")
    parser.add_argument("--tkc", help="the compiler")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="so many kernels")
    parser.add_argument("--time", type=float, help="so many seconds instead")
    parser.add_argument("--seeds", type=int, default=2, help="orders in which each lowered kernel is run")
    parser.add_argument("--timeout", type=float, default=20, help="seconds after which a run counts as a hang")
    parser.add_argument("--keep", help="a folder for what fails")
    parser.add_argument("--shrink", type=float, default=30, help="seconds to make a failing kernel smaller")
    parser.add_argument("--on", choices=["emulator", "gpu"], default="emulator")
    parser.add_argument("--nvcc", type=int, metavar="N", help="compile every Nth kernel with nvcc")
    parser.add_argument("--core", action="store_true", help="bf16, f16, f32 and i32 alone")
    parser.add_argument("--no-broken", action="store_true", help="right kernels only")
    parser.add_argument("--write", metavar="DIR", help="write the kernels, and run nothing; with --tkc, only what is not refused")
    parser.add_argument("--verbose", action="store_true", help="what the kernels showed, and why they were refused")
    args = parser.parse_args()
    if args.write:
        write_folder(args)
        return 0
    if not args.tkc:
        parser.error("--tkc names the compiler")
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    return Driver(args).all_seeds()


if __name__ == "__main__":
    sys.exit(main())
