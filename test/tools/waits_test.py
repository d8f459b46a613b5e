#!/usr/bin/env python3
"""Tests what nvcc and ptxas make of waits: attention's for the product for O comes after the maxima of its softmax, no access
to global memory comes before the wait for the previous kernel (decision 46), and nothing writes to registers of a product
in flight (in_flight.py, of which this is the sample that CI runs).

    waits_test.py [--nvcc NVCC] [--tkc TKC] [examples/attention/*.tk]

For each kernel's loop with products and exponentials, it prints what comes before its last wait in machine code. For
named examples that is all, besides early accesses; without names it reads some examples, and judges the loops of
attention. cuobjdump comes with CUDA, or from PyPI by pip; if it is missing and cannot be installed, or nvcc is missing,
the test is skipped (77).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import emitted
import in_flight
import instances
import nvcc_check

SKIPPED = 77
LOOPS = ["attention/attention", "attention/attention_shared"]
# What loads by ld.global.nc, which a compiler may take for loads of what never changes; by TMA, by cp.async, by atomics.
OTHERS = ["rows/softmax", "norms/rmsnorm_backward", "gemm/gemm_split", "attention/cache_append", "sequence/causal_conv", "routing/topk"]

FUNCTION = re.compile(r"\s*Function : (\S+)")
CODE = re.compile(r"\s*/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][\w.]*)(.*?);")
TARGET = re.compile(r"0x([0-9a-f]+)")
ACCESS = re.compile(r"(LDG|STG|LD|ST|ATOM|ATOMG|RED|LDGSTS|UTMALDG|UTMASTG|UTMAREDG|UBLKCP|UBLKRED)\b")
MAXIMUM, EXPONENTIAL, PRODUCT, WAIT = "FMNMX", "MUFU.EX2", "HGMMA", "WARPGROUP.DEPBAR"
KERNEL_BEFORE = "ACQBULK"  # griddepcontrol.wait


def functions(text):
    """{symbol: [(address, opcode, operands)]} of the output of cuobjdump -sass."""
    found, code = {}, []
    for line in text.splitlines():
        function, instruction = FUNCTION.match(line), CODE.match(line)
        if function:
            code = found.setdefault(function[1], [])
        elif instruction:
            code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return found


def hot_loop(code):
    """The opcodes of the shortest loop that has products and exponentials; none where there is no such loop."""
    index, loops = {address: i for i, (address, _, _) in enumerate(code)}, []
    for i, (address, opcode, operands) in enumerate(code):
        target = TARGET.search(operands) if opcode == "BRA" else None
        if target and int(target[1], 16) < address:
            loop = [opcode for _, opcode, _ in code[index[int(target[1], 16)]:i + 1]]
            if all(any(opcode.startswith(kind) for opcode in loop) for kind in (EXPONENTIAL, PRODUCT)):
                loops.append(loop)
    return min(loops, key=len, default=[])


def last_wait(loop):
    """(maxima, all of them, exponentials, all of them) before the loop's last wait for products."""
    at = max(i for i, opcode in enumerate(loop) if opcode.startswith(WAIT))
    return [sum(opcode.startswith(kind) for opcode in part) for kind in (MAXIMUM, EXPONENTIAL) for part in (loop[:at], loop)]


def early_access(code):
    """What reaches memory before the wait for the kernel before; "no wait" where there is none."""
    for _, opcode, operands in code:
        if opcode == KERNEL_BEFORE:
            return None
        if ACCESS.match(opcode):
            return opcode + operands
    return "no wait"


def measured(nvcc, cuobjdump, source):
    """{kernel: result of last_wait}, {kernel: result of early_access}, [result of in_flight.scan] of an emitted file, kept
    by the content of everything that decides them. The verdict of nvcc_check.py is kept as well, if it is good."""
    checker = nvcc_check.Checker(nvcc, general=False)
    flags = [*checker.flags, nvcc_check.target_flag(source)]
    files = [*nvcc_check.inputs_of(source, checker.folders), os.path.abspath(__file__), in_flight.__file__]
    kept = os.path.join(nvcc_check.cache_folder(), nvcc_check.cache_key(nvcc, checker.version, flags, source, files) + ".json")
    if os.path.isfile(kept):
        with open(kept, encoding="utf-8") as stream:
            return json.load(stream)
    with tempfile.TemporaryDirectory(prefix="waits-") as folder:
        cubin = os.path.join(folder, "kernel.cubin")
        log = subprocess.run([nvcc, *flags, "-o", cubin, source], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True).stdout
        dump = subprocess.run([cuobjdump, "-sass", cubin], check=True, capture_output=True, text=True).stdout
    with open(source, encoding="utf-8") as stream:
        text = stream.read()
    faults, registers = nvcc_check.judge(log, text)
    if not faults:
        checker.keep(source, nvcc_check.passed(registers))
    kernels = {instances.kernel_of(symbol, text): code for symbol, code in functions(dump).items()}
    loops = {kernel: hot_loop(code) for kernel, code in kernels.items()}
    early = {kernel: early_access(code) for kernel, code in kernels.items()}
    found = [{kernel: last_wait(loop) for kernel, loop in loops.items() if loop}, {k: e for k, e in early.items() if e},
             list(in_flight.scan(dump.splitlines()))]
    os.makedirs(nvcc_check.cache_folder(), exist_ok=True)
    with open(kept, "w", encoding="utf-8") as stream:
        json.dump(found, stream)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--tkc", default="", help="the compiler (the newest of build/{dev,tests,release}/tkc)")
    parser.add_argument("examples", nargs="*")
    args = parser.parse_args()
    nvcc, cuobjdump = nvcc_check.find_nvcc(args.nvcc), nvcc_check.find_cuobjdump()
    if nvcc is None or cuobjdump is None:
        print("skipped: there is no", "nvcc" if nvcc is None else "cuobjdump: pip install " + " ".join(nvcc_check.DUMP_PACKAGES))
        return SKIPPED
    named = emitted.names_of(args.examples)[1]
    names = named or LOOPS + OTHERS
    with tempfile.TemporaryDirectory(prefix="waits-") as folder:
        texts = emitted.emit_all(emitted.find_tkc(args.tkc), names, folder, 1)
        failed = [faults(nvcc, cuobjdump, os.path.join(folder, name + ".cu"), not named and name in LOOPS) for name in texts]
    return 1 if any(failed) or len(texts) < len(names) else 0


def faults(nvcc, cuobjdump, file, judged):
    """Prints what is so in a file. True: something is not as it should be; judged: in its loops, too."""
    found, early, flying = measured(nvcc, cuobjdump, file)
    failed = bool(early) or bool(flying) or judged and not found
    name = os.path.basename(file)
    for write in flying:
        print(f"{name}: {in_flight.sentence(*write)}")
    for kernel, access in early.items():
        print(f"{name}: {kernel} does not wait for the previous kernel: {access}")
    if judged and not found:
        print(f"{name}: no loop has products and exponentials")
    for kernel, (maxima, all_maxima, exponentials, all_exponentials) in found.items():
        # What is to run under the product does, and the second half may hide what is left of it.
        good = not judged or all_maxima > 0 and maxima >= 0.9 * all_maxima and exponentials <= all_exponentials / 2
        failed = failed or not good
        print(f"{kernel}: the last wait comes after {maxima} of {all_maxima} maxima and {exponentials} of"
              f" {all_exponentials} exponentials{'' if good else ', not where pin_waits should keep it'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
