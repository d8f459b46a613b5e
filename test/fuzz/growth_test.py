#!/usr/bin/env python3
"""Runs tkc on programs that grow in one direction each, of two sizes: time and memory must grow as the program does.

    growth_test.py --tkc build/dev/tkc [--only NAME..] [--factor 8] [--sizes 1000,3000]

Each shape is checked with n and 4n of something. Four times as much program may take FACTOR times as long
(4 is linear, 16 quadratic). Where tkc refuses the larger one because of a limit, it must say so soon.
`--sizes` prints seconds and MB for these sizes instead.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

GRID = "grid (m in M by 64, n in N by 64);\n"
HEAD = "kernel k(A: bf16[M, N], out C: bf16[M, N]) {\n"


def lines(count, make):
    return "".join(make(i) for i in range(count))


def in_kernel(text, name="k", before=""):
    return (before + HEAD.replace(" k(", f" {name}(") + GRID + "role w(1 warpgroup) {\nlet x = load(A[m, n]);\n" + text
            + "store(C[m, n], x); } }\n")


def calls(n):
    return in_kernel("") + (
        "entry e(A: bf16[M, N], scratch T: bf16[M, N], scratch U: bf16[M, N], out C: bf16[M, N]) {\nk(A, T);\n"
        + "k(T, U);\nk(U, T);\n" * (n // 2) + "k(T, C);\n}\n")


def conditions(n):
    return ("kernel k(T: i32[S], A: bf16[M, 64], out C: bf16[M, 64])\nrequires S >= %d\n{\ngrid (m in M by 64);\n" % n
            + "pipeline p[2]: bf16[64, 64];\nrole l(1 warp) {\n"
            + lines(n, lambda i: f"if T[{i}] > 0 {{ produce p = tma_load(A[m, 0 +: 64]); }}\n")
            + "}\nrole w(1 warpgroup) { var x: f32[64, 64] = 0;\n"
            + lines(n, lambda i: f"if T[{i}] > 0 {{ consume p as s {{ x += f32(s); }} }}\n")
            + "store(C[m, 0 +: 64], bf16(x)); } }\n")


def stores(n):
    return (f"kernel k(A: bf16[M, N], out C: bf16[M, {8 * n}]) {{\ngrid (m in M by 64);\nrole w(1 warpgroup) {{\n"
            + "var x: bf16[64, 8] = 0;\n" + lines(n, lambda i: f"store(C[m, {8 * i} +: 8], x);\n") + "} }\n")


def chain(n):
    return in_kernel("let a0 = m.start;\n" + lines(n, lambda i: f"let a{i + 1} = a{i} + a{i};\n"))


def ifs(n):
    return in_kernel("var y = f32(x);\n" + lines(n, lambda i: f"if m.start > {i} {{ y = y + 1.0; }}\n"))


def pipelines(n):
    return (HEAD + GRID + lines(n, lambda i: f"pipeline p{i}[2]: bf16[64, 64];\n") + "role l(1 warp) {\n"
            + lines(n, lambda i: f"produce p{i} = tma_load(A[m, n]);\n") + "}\nrole w(1 warpgroup) { var x: f32[64, 64] = 0;\n"
            + lines(n, lambda i: f"consume p{i} as s {{ x += f32(s); }}\n") + "store(C[m, n], bf16(x)); } }\n")


def opposite_conditions(n):
    return ("kernel k(T: i32[S], A: f32[M, 64], out C: f32[M, 64])\nrequires S >= %d\n{\ngrid (m in M by 64);\n" % n
            + lines(n, lambda i: f"pipeline p{i}[1]: f32[64, 8];\n") + "role l(1 warp) {\n"
            + lines(n, lambda i: f"if T[{i}] > 0 {{ produce p{i} = tma_load(A[m, 0 +: 8]); }}\n")
            + "}\nrole w(1 warpgroup) { var x: f32[64, 8] = 0;\n"
            + lines(n, lambda i: f"if T[{n - 1 - i}] > 0 {{ consume p{n - 1 - i} as s {{ x += f32(s); }} }}\n")
            + lines(8, lambda i: f"store(C[m, {8 * i} +: 8], x);\n") + "} }\n")


def loads_and_stores(n):
    return ("kernel k(inout A: f32[M, 64]) {\ngrid (m in M by 8) warps(4);\n"
            + lines(n, lambda i: f"store(A[m, :], load(A[m, :]) + {i});\n") + "}\n")


# Name: the program of a size, the size for the comparison.
SHAPES = {
    "kernels": (lambda n: lines(n, lambda i: in_kernel("", f"k{i}")), 50),
    "stores": (stores, 60),
    "calls": (calls, 100),
    "conditions": (conditions, 6),
    "opposite conditions": (opposite_conditions, 10),
    "loads and stores": (loads_and_stores, 60),
    "lets": (lambda n: in_kernel(lines(n, lambda i: f"let a{i} = m.start + {i};\n")), 400),
    "tile lets": (lambda n: in_kernel(lines(n, lambda i: f"let a{i} = f32(x) + {i}.0;\n")), 200),
    "used lets": (lambda n: in_kernel("var y = f32(x);\n" + lines(n, lambda i: f"let a{i} = f32(x) * {i}.0; y += a{i};\n")), 100),
    "chained lets": (chain, 100),
    "changes": (lambda n: in_kernel("var y = f32(x);\n" + lines(n, lambda i: "y = y * 2.0 + 1.0;\n")), 200),
    "loops side by side": (lambda n: in_kernel("var y = f32(x);\n" + lines(n, lambda i: "for i in 0..M { y += 1.0; }\n")), 100),
    "ifs": (ifs, 100),
    "if chain": (lambda n: in_kernel("var y = f32(x);\n" + lines(n, lambda i: f"if m.start == {i} {{ y += 1.0; }} else ")
                                     + "{ y += 2.0; }\n"), 40),
    "sum": (lambda n: in_kernel("let y = " + " + ".join(["1"] * n) + ";\n"), 40),
    "sum of names": (lambda n: in_kernel("let y = " + " + ".join(["m.start"] * n) + ";\n"), 40),
    "terms": (lambda n: in_kernel(lines(n, lambda i: f"let a{i} = ({'+'.join(['M'] * 100)});\n")), 8),
    "parentheses": (lambda n: in_kernel("let y = " + "(" * n + "1" + ")" * n + ";\n"), 40),
    "nested loops": (lambda n: in_kernel("var y = f32(x);\n" + lines(n, lambda i: f"for j{i} in 0..M {{\n") + "y += 1.0;" + "}" * n), 10),
    "alternatives": (lambda n: in_kernel("").replace("{\ngrid", "requires " + " or ".join(f"M == {i}" for i in range(n))
                                                     + "\n{\ngrid"), 20),
    "requirements": (lambda n: in_kernel("").replace("{\ngrid", "requires " + ", ".join(f"M > {i}" for i in range(n))
                                                     + "\n{\ngrid"), 200),
    "parameters": (lambda n: in_kernel("").replace("kernel k(", "kernel k(" + lines(n, lambda i: f"p{i}: i32, ")), 200),
    "tensors": (lambda n: in_kernel("").replace("kernel k(", "kernel k(" + lines(n, lambda i: f"X{i}: bf16[M{i}, N{i}], ")), 200),
    "loads": (lambda n: in_kernel("var y = f32(x);\n" + lines(n, lambda i: f"y += f32(load(X{i}[m, n]));\n")).replace(
        "kernel k(", "kernel k(" + lines(n, lambda i: f"X{i}: bf16[M, N], ")), 30),
    "tests": (lambda n: in_kernel("") + "reference k(A) -> (C) { C = A; }\n"
              + lines(n, lambda i: f"test t{i} {{ M = 64; N = 64; A = normal(); expect C ~ reference within 0; }}\n"), 400),
    "functions": (lambda n: lines(n, lambda i: f"fn g{i}(x: i32) -> i32 {{ return x + {i}; }}\n")
                  + in_kernel(lines(n, lambda i: f"let a{i} = g{i}(m.start);\n")), 200),
    "calls of calls": (lambda n: lines(n, lambda i: f"fn g{i}(x: i32) -> i32 {{ return g{i + 1}(x) + 1; }}\n")
                       + f"fn g{n}(x: i32) -> i32 {{ return x; }}\n" + in_kernel("let y = g0(m.start);\n"), 15),
    "unused calls of calls": (lambda n: lines(n, lambda i: f"fn g{i}(x: f32) -> f32 {{ return g{i + 1}(x); }}\n")
                              + f"fn g{n}(x: f32) -> f32 {{ return x; }}\n" + in_kernel(""), 750),
    "circle of calls": (lambda n: lines(n, lambda i: f"fn g{i}(x: f32) -> f32 {{ return g{(i + 1) % n}(x); }}\n")
                        + in_kernel(""), 750),
    "doubling calls": (lambda n: lines(n, lambda i: f"fn g{i}(x: i32) -> i32 {{ return g{i + 1}(x) + g{i + 1}(x); }}\n")
                       + f"fn g{n}(x: i32) -> i32 {{ return x; }}\n" + in_kernel("let y = g0(m.start);\n"), 10),
    "structs": (lambda n: "struct S0 { a: f32; }\n" + lines(n, lambda i: f"struct S{i + 1} {{ a: S{i}; b: f32; }}\n")
                + f"fn f(x: S{n}) -> f32 {{ return x.b; }}\n" + in_kernel(""), 40),
    "fields": (lambda n: "struct S {" + lines(n, lambda i: f"a{i}: f32; ") + "}\nfn f(x: S) -> f32 { return x.a0; }\n"
               + in_kernel(""), 500),
    "constants": (lambda n: lines(n, lambda i: f"const c{i}: int = {i};\n") + in_kernel(""), 500),
    "pipelines": (pipelines, 8),
    "roles": (lambda n: HEAD + GRID + lines(n, lambda i: f"role w{i}(1 warp) {{ print(\"\"); }}\n") + "}", 200),
    "unknown names": (lambda n: in_kernel(lines(n, lambda i: f"print(\"{{}}\", q{i});\n")), 500),
    "long name": (lambda n: in_kernel("let " + "a" * (n * 100) + " = 1;\n"), 500),
    "long unknown name": (lambda n: in_kernel("let y = " + "a" * (n * 100) + ";\n"), 500),
    "long line": (lambda n: in_kernel("let y = q; //" + "a" * (n * 100) + "\n"), 500),
    "errors in one line": (lambda n: in_kernel("").replace("\n", " ") + "kernel ; " * n, 400),
}


def run(tkc, path, seconds, megabytes):
    """Seconds of processor time, MB, exit code, size of the messages, what they say first."""
    def limit():
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))

    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen([tkc, "check", path], stdout=said, stderr=said, preexec_fn=limit)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode, os.fstat(said.fileno()).st_size,
                said.read(300).decode(errors="replace"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--only", nargs="*", default=list(SHAPES))
    parser.add_argument("--factor", type=float, default=8, help="what four times as much may cost")
    parser.add_argument("--time", type=float, default=60, help="seconds for one program")
    parser.add_argument("--memory", type=int, default=2048, help="MB; 0: no limit")
    parser.add_argument("--sizes", help="print seconds and MB for these sizes")
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.tk"

        def measure(shape, size):
            path.write_text(SHAPES[shape][0](size), encoding="utf-8")
            return run(options.tkc, str(path), options.time, options.memory)

        for shape in options.only:
            if options.sizes:
                for size in options.sizes.split(","):
                    seconds, megabytes, code, said, text = measure(shape, int(size))
                    first = text.splitlines()[0][:100] if text else ""
                    print(f"{shape:20} {size:>6} {seconds:7.2f} s {megabytes:6.0f} MB  exit {code}  {said} bytes  {first}",
                          flush=True)
                continue
            size = SHAPES[shape][1]
            measured = [measure(shape, size), measure(shape, 4 * size)]
            wrong = [m for m in measured if m[2] not in (0, 1)]
            if wrong:
                faults += 1
                print(f"{shape}: ends with {wrong[0][2]} after {wrong[0][0]:.1f} s\n{wrong[0][4]}")
                continue
            # A process has its own costs; small times are mostly these.
            small, large = (max(0.05, m[0]) for m in measured)
            for _ in range(2):  # the machine's other work is not growth: the best time counts
                if large > options.factor * small:
                    large = min(large, max(0.05, measure(shape, 4 * size)[0]))
            if large > options.factor * small:
                faults += 1
                print(f"{shape}: {size} take {small:.2f} s, {4 * size} take {large:.2f} s")
    print(f"{len(options.only)} shapes, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
