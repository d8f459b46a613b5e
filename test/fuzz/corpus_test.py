#!/usr/bin/env python3
"""Runs tkc on what once was too much for it: every input must be taken or refused, soon.

    corpus_test.py --tkc build/dev/tkc [--time 10] [--memory 2048]

The inputs are the files of corpus/ (a .tk or .tir each, as a fuzzer found and shrank it), and large ones
that are made here.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
GRID = "grid (m in M by 64, n in N by 64);\n"
OPEN = f"kernel k(A: bf16[M, N], out C: bf16[M, N]) {{\n{GRID}role w(1 warpgroup) {{\nlet x = load(A[m, n]);\n"
CLOSE = "store(C[m, n], x); } }\n"


def lines(count, make):
    return "".join(make(i) for i in range(count))


def in_kernel(text):
    return OPEN + text + CLOSE


# What grows in every direction that a text can grow in, up to the size that tkc reads.
LARGE = {
    "brackets": "{" * 400000,
    "signs": ";" * 1000000,
    "characters": "$ " * 500000,
    "words": "kernel\n" * 100000,
    "lines": "\n" * 1000000 + "x",
    "comment": "// " + "x" * 1000000 + "\n" + in_kernel(""),
    "too large": "// comment\n" * 1500000,
    "binary": "\x00\x01\x02" * 1000,
    "empty": "",
    "minus": in_kernel("let y = " + "-" * 900 + "1;\n"),
    "parentheses": in_kernel("let y = " + "(" * 190 + "1" + ")" * 190 + ";\n"),
    "conditions": in_kernel(lines(180, lambda i: f"if m.start > {i} {{\n") + "}" * 180),
    "instances": in_kernel("").replace("kernel k(", "kernel k<X: int = 64>(").replace("m in M by 64", "m in M by X")
    + lines(200, lambda i: f"instance k<X = {64 * (i % 4 + 1)}> as k{i};\n"),
    "kernels": lines(300, lambda i: in_kernel("").replace("kernel k(", f"kernel k{i}(")),
    "tests": in_kernel("") + "reference k(A) -> (C) { C = A; }\n"
    + lines(4000, lambda i: f"test t{i} {{ M = 64; N = 64; A = normal(); expect C ~ reference within 0; }}\n"),
    "changes": in_kernel("var y = f32(x);\n" + "y = y * 2.0 + 1.0;\n" * 3000),
    "doubled": in_kernel("let a0 = m.start;\n" + lines(40, lambda i: f"let a{i + 1} = max(a{i}, a{i} * a{i});\n")),
    "chain": in_kernel("let a0 = m.start;\n" + lines(190, lambda i: f"let a{i + 1} = a{i} * M + {i};\n")),
    "long chain": in_kernel("let a0 = m.start;\n" + lines(5000, lambda i: f"let a{i + 1} = a{i} + M;\n")),
    "alternatives": in_kernel("").replace("{\ngrid", "requires " + " or ".join(f"M == {i}" for i in range(90)) + "\n{\ngrid"),
    "factors": in_kernel("if " + " and ".join(f"(M == {i} or N == {i})" for i in range(30)) + " { print(\"many\"); }\n"),
    "requirements": in_kernel("").replace("{\ngrid", "requires " + ", ".join(f"M > {i}" for i in range(3000)) + "\n{\ngrid"),
    "loops": in_kernel(lines(60, lambda i: f"for j{i} in 0..M {{\n") + "}" * 60),
    "parameters": in_kernel("").replace("kernel k(", "kernel k(" + lines(5000, lambda i: f"X{i}: bf16[M, N], ")),
    "maps": "kernel k(" + lines(250, lambda i: f"X{i}: bf16[M, N], ") + "out C: bf16[M, N]) {\n" + GRID
    + "pipeline p[2]: bf16[64, 64];\nrole l(1 warp) {" + lines(250, lambda i: f"produce p = tma_load(X{i}[m, n]);\n")
    + "}\nrole w(1 warpgroup) { var x: bf16[64, 64] = 0;" + "consume p as s { x = s; }\n" * 250 + CLOSE,
    "roles": "kernel k(A: bf16[M, N]) {\n" + GRID + lines(20000, lambda i: f"role w{i}(1 warp) {{ print(\"\"); }}\n") + "}",
    "unknown names": in_kernel(lines(30000, lambda i: f"print(\"{{}}\", q{i});\n")),
    "structs": "struct S0 { a: f32; b: f32; }\n" + lines(60, lambda i: f"struct S{i + 1} {{ a: S{i}; b: S{i}; }}\n")
    + "fn f(x: S60) -> f32 { return x.a.b.a; }\n" + in_kernel(""),
    "struct values": "struct S0 { a: f32; b: f32; }\n" + lines(30, lambda i: f"struct S{i + 1} {{ a: S{i}; b: S{i}; }}\n")
    + in_kernel("let z0 = S0 { a = 1.0, b = 2.0 };\n"
                + lines(30, lambda i: f"let z{i + 1} = S{i + 1} {{ a = z{i}, b = z{i} }};\n")),
    "functions": lines(12, lambda i: f"fn g{i}(x: i32) -> i32 {{ return g{i + 1}(x) + g{i + 1}(x); }}\n")
    + "fn g12(x: i32) -> i32 { return x; }\n" + in_kernel("let y = g0(m.start);\n"),
}


def run(tkc, path, seconds, megabytes):
    """Empty if all is well, else what is not."""
    def limit():
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    try:
        done = subprocess.run([tkc, "check", path], capture_output=True, timeout=seconds, check=False,
                              preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return f"takes more than {seconds} s"
    said = done.stderr.decode(errors="replace")
    return "" if done.returncode in (0, 1) else f"ends with {done.returncode}\n{said[:500]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--time", type=float, default=30, help="seconds for one input")
    parser.add_argument("--memory", type=int, default=2048, help="MB; 0: no limit")
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted(CORPUS.glob("*.t*"))
        for name, text in LARGE.items():
            path = pathlib.Path(folder) / f"{name}.tk"
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        for path in paths:
            wrong = run(options.tkc, path, options.time, options.memory)
            if wrong:
                faults += 1
                print(f"{path.name}: {wrong}")
    print(f"{len(paths)} inputs, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
