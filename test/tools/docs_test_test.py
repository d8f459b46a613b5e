#!/usr/bin/env python3
# That docs_test.py notices what is wrong with a page, and leaves alone what is right.
#
#     docs_test_test.py --tkc build/tests/tkc
import argparse
import os
import subprocess
import sys
import tempfile

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "docs_test.py")
COPY = """kernel copy(X: f32[M, N], out Y: f32[M, N])
{
    grid (m in M by 8, n in N by 64) warps(4);
    store(Y[m, n], load(X[m, n])%s);
}
"""
TESTS = """reference copy(X) -> (Y) { Y = X; }
test small { M = 9; N = 70; X = normal(); expect Y ~ reference within 0; }
"""
CONTEXT = "<!-- tk context\n" + COPY.replace("    store(Y[m, n], load(X[m, n])%s);", "    ...") + "-->\n\n"


def block(words, text):
    return f"```{words}\n{text}```\n"


# A page, and what the tool says about it; nothing is said about the pages with None.
PAGES = [
    (block("tk", COPY % "" + TESTS), None),
    (block("tk", COPY % " * 2" + TESTS), "its tests"),
    (block("tk", COPY % " * Z"), "TK2001"),
    (block("tk", COPY % " * Z").replace("```tk", "```"), "a block says what it is"),
    (block("tk error TK2001", COPY % " * Z"), None),
    (block("tk error TK2001", COPY % ""), "tkc says nothing, expected TK2001"),
    (block("tk error TK2001", COPY % " * bf16(Z, 1)" + "kernel copy"), "expected TK2001"),
    (block("tk error TK8116", COPY % " * 2" + TESTS), None),
    (block("tk error TK8116", COPY % "" + TESTS), "its tests"),
    (block("tk error", COPY % ""), "are not known"),
    (block("tk fragments", COPY % ""), "are not known"),
    (block("tk -D Q=3", COPY % ""), "TK2012"),
    (block("tk file masks.tk", "fn twice(x: f32) -> f32 { return x * 2; }\n")
     + block("tk", "import masks;\n" + COPY % " * masks.twice(1.0)"), None),
    (block("tk", "import masks;\n" + COPY % " * masks.twice(1.0)"), "TK2014"),
    (block("tk from examples/gemm/gemm_any.tk", "grid (m in M by BM,\nn in N by BN)\n..\nstore(C[m, n], bf16(acc)); // so\n"), None),
    (block("tk from examples/gemm/gemm_any.tk", "grid (m in M by BM, n in M by BN)\n"), "does not stand in"),
    (block("tk from examples/gemm/none.tk", "grid\n"), "is not there"),
    (block("tk fragment", "let x = load(X[m, n]);\n..\nif x > 0 { .. }\n"), None),
    (block("tk fragment", "let x = = 1;\n"), "does not parse"),
    (CONTEXT + block("tk fragment", "let x = load(X[m, n]);\nstore(Y[m, n], x);\n"), None),
    (CONTEXT + block("tk fragment", "store(Y[m, n], x);\n"), "TK2001"),
    (CONTEXT + block("tk fragment error TK2001", "store(Y[m, n], x);\n"), None),
    (CONTEXT + block("tk fragment alone", "store(Y[m, n], x);\n"), None),
    (CONTEXT + block("tk fragment in other", "store(Y[m, n], x);\n"), "no context `other`"),
    (CONTEXT.replace("...", ""), "has one `...`"),
    (block("tk error TK2001", COPY % " * Z") + block("text message", "..\nerror[TK2001]: unknown name `Y`\n"),
     "tkc does not say"),
    (block("tk error TK3020", COPY.replace("X[m, n]", "X[m]") % "")
     + block("text message", "error[TK3020]: tensor `X` has 2 axes, found 1 subscript\n"), None),
    (block("sh", "tkc test --scheduled examples/gemm/gemm.tk && build/dev/tkc new me   # --none\n"), None),
    (block("sh", "tkc test --sheduled examples/gemm/gemm.tk\n"), "has no option `--sheduled`"),
    (block("sh", "tkc examples/gemm/gem.tk -o gemm.cu\n"), "names examples/gemm/gem.tk"),
    (block("sh", "tkc tests gemm.tk\n"), "no command `tests`"),
    (block("sh", "tkc --emit=ptx gemm.tk\n"), "emits no `ptx`"),
    (block("sh", "test/tools/random_kernels.py --sead 3\n"), "no option `--sead`"),
    (block("sh", "cd bench && python3 gemms.py\n"), "names bench/gemms.py"),
    (block("sh", "cmake --preset devel\n"), "no preset is called `devel`"),
    (block("tk file copy.tk", COPY % "" + TESTS)
     + block("console run", "$ tkc test copy.tk\npass small  3 ms\n1 passed  (0.1 s)\n"), None),
    (block("tk file copy.tk", COPY % "" + TESTS) + block("console run", "$ tkc test copy.tk\npass small  3 ms\n"),
     "and nothing else"),
    (block("tk file copy.tk", COPY % "" + TESTS) + block("console run", "$ tkc test copy.tk\n..\n2 passed  (0.1 s)\n"),
     "does not print `2 passed"),
    (block("python", "f(tk.example('gemm.tk'))\n"), None),
    (block("python", "f(tk.example('gemms.tk'))\n"), "no example is called gemms.tk"),
    (block("python", "def f(:\n"), "is no Python"),
    (block("python", "import nothing_of_that_name\n"), None),
    (block("python run", "import numpy, tk\nassert tk.load(tk.example('softmax.tk'), C=8, device='cpu')\n"), None),
    (block("python run", "import numpy\nassert numpy.ones(3).sum() == 4\n"), "AssertionError"),
    (block("json", '{"a": }\n'), "is no JSON"),
    ("A text.\n\n    tkc test gemm.tk\n", "only indented"),
    ("```text\nno end\n", "not closed"),
    ("# A heading, with `code`\n\n[here](#a-heading-with-code)\n", None),
    ("# A heading\n\n[here](#the-heading)\n", "no heading of that name"),
    ("[there](other.md)\n", "a link to other.md"),
    ("It is refused (TK9999).\n", "speaks of TK9999"),
]


def main():
    parser = argparse.ArgumentParser(description="Checks docs_test.py.")
    parser.add_argument("--tkc", required=True)
    tkc = parser.parse_args().tkc
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, (page, _) in enumerate(PAGES):
            paths.append(os.path.join(folder, f"page{number:02}.md"))
            with open(paths[-1], "w", encoding="utf-8") as stream:
                stream.write(page + block("text", "so that there is a block\n") if "no end" not in page else page)
        done = subprocess.run([sys.executable, TOOL, "--tkc", tkc, *paths], capture_output=True, check=False)
    said = done.stdout.decode() + done.stderr.decode()
    for number, (page, wanted) in enumerate(PAGES):
        lines = [line for line in said.split(f"page{number:02}.md:")[1:]]
        found = "".join(line.split("/page")[0] for line in lines)
        if (wanted is None and found) or (wanted is not None and wanted not in found):
            print(f"page {number} gets `{found.strip()}`, expected `{wanted}`:\n{page}")
            bad += 1
    if bad and "Traceback" in said:
        print(said)
    print(f"{len(PAGES)} pages, {bad} faults")
    return 1 if bad or not said else 0


if __name__ == "__main__":
    sys.exit(main())
