"""Loading: constants, messages with carets, texts and their HTML; and the contract of every example."""
import glob
import os
import re
import subprocess
import tempfile
import unittest

import support
import tk
from tk import compiler, dtypes
from tk.contract import Contract, evaluate

ROOT = os.path.dirname(os.path.dirname(support.HERE))
EXAMPLES = sorted(glob.glob(os.path.join(ROOT, "examples", "*", "*.tk")))
LONG = re.compile("selective_scan_backward|_packed_backward|nsa_")  # seconds of lowering, for functions like others


class Contracts(support.Case):
    def test_examples(self):
        self.assertGreater(len(EXAMPLES), 25)
        for path in EXAMPLES:
            if LONG.search(path):
                continue
            program = compiler.Program(path, {})
            described = program.contract()
            header = program.emit("header")
            with self.subTest(os.path.basename(path)):
                self.assertEqual(described["source"], os.path.basename(path))
                self.assertEqual(described["files"][0], path)
                # As many functions as the C header has, with parameters of the same names in the same C order.
                declared = dict(re.findall(r"^int (\w+)\(((?:.|\n)*?)void\* workspace", header, re.MULTILINE))
                contracts = [Contract(row) for row in described["functions"]]
                self.assertEqual(sorted(declared), sorted(c.symbol for c in contracts))
                for c in contracts:
                    in_c = re.findall(r"(\w+),", declared[c.symbol])
                    self.assertEqual(in_c, [p.name for p in c.tensors + c.scalars])
                    self.check_sizes(c)

    def check_sizes(self, contract):
        """With some extents, the shapes of all inputs give back those of all outputs."""
        names = sorted({n for p in contract.tensors for n in re.findall(r"[A-Za-z_]\w*", p.shape) if n != "ceil_div"})
        values = {name: 3 + i for i, name in enumerate(names)}
        shapes = {p.name: contract.shape(p, values) for p in contract.tensors}
        self.assertNotIn(None, shapes.values())
        found = contract.extents_of({p.name: shapes[p.name] for p in contract.inputs if p.is_tensor}, {})
        for p in contract.outputs + contract.scratch:
            # What an input does not fix, the caller passes: outputs of which the kernel takes the sizes as they are.
            fixed = all(name in found for e in p.extents for name in _names(e))
            if fixed:
                self.assertEqual(contract.shape(p, found), shapes[p.name])
            else:
                self.assertIsNone(contract.shape(p, found))

    def test_dtypes(self):
        with open(os.path.join(ROOT, "language", "dtypes.def"), encoding="utf-8") as stream:
            rows = re.findall(r'^TK_DTYPE\(\w+, "(\w+)", (\d+), \w+, "[^"]*", (\d+)\)', stream.read(), re.MULTILINE)
        self.assertEqual({name: (int(code), int(bits)) for name, bits, code in rows},
                         {name: row[:2] for name, row in dtypes.TABLE.items()})

    def test_arithmetic(self):
        for extent, value in [(["ceil_div", "R", 64], 3), (["/", "R", 64], 2), (["%", "R", 64], 2), (["-", "R", 1], 129),
                              (["max", "R", 200], 200), (["min", "R", 200], 130), (["*", 2, ["+", "R", 1]], 262)]:
            self.assertEqual(evaluate(extent, {"R": 130}), value)
        self.assertIsNone(evaluate(["*", 2, "S"], {"R": 130}))


def _names(extent):
    from tk.contract import names_in
    return names_in(extent)


class Loading(support.Case):
    def test_constants(self):
        m = tk.load(tk.example("attention.tk"), device="cpu", T="f16", D=96, CAUSAL=True)
        c = m.attention.contract.constants
        self.assertEqual((c["T"], c["D"], c["CAUSAL"]), ("f16", "96", "true"))
        import numpy
        m = tk.load(tk.example("attention.tk"), device="cpu", T=numpy.float16, D=numpy.int64(96))
        c = m.attention.contract.constants
        self.assertEqual((c["T"], c["D"], c["CAUSAL"]), ("f16", "96", "false"))
        with self.raises(TypeError, "constant `D`", "bf16", "[1]"):
            tk.load(tk.example("attention.tk"), device="cpu", D=[1])
        with self.raises(tk.CompileError, "`-D DD`", "no kernel of this file has a constant of that name"):
            tk.load(tk.example("attention.tk"), device="cpu", DD=1)

    def test_functions_as_constants(self):
        text = """import std.activation;
fn twice(x: f32[R, C]) -> f32[R, C] { return x + x; }
kernel f<ACT: fn = twice>(X: f32[N], out Y: f32[N]) { grid (n in N by 64) warps(1); store(Y[n], ACT(load(X[n]))); }
"""
        for name in ("twice", "activation.silu"):
            function = tk.from_source(text, device="cpu", ACT=name).f
            self.assertEqual(function.contract.constants["ACT"], name)

    def test_headers_are_part_of_the_key(self):
        with tempfile.TemporaryDirectory() as folder:
            path, header = (os.path.join(folder, name) for name in ("f.tk", "f.cuh"))
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("""extern cuda fn mine(x: f32) -> f32 from "f.cuh" { return x; }
kernel f(X: f32[N], out Y: f32[N]) { grid (n in N by 64) warps(1); store(Y[n], mine(load(X[n]))); }
""")
            keys = set()
            for body in ("x", "x + 0", "x"):
                with open(header, "w", encoding="utf-8") as stream:
                    stream.write(f"__device__ float mine(float x) {{ return {body}; }}")
                keys.add(self.load(path).key)
            self.assertEqual(len(keys), 2)
            # What they include counts, too, and headers may include one another.
            os.mkdir(os.path.join(folder, "more"))
            with open(header, "w", encoding="utf-8") as stream:
                stream.write('#include "more/g.cuh"\n__device__ float mine(float x) { return other(x); }')
            for body in ("x", "x + 0", "x"):
                with open(os.path.join(folder, "more", "g.cuh"), "w", encoding="utf-8") as stream:
                    stream.write(f'#include "../f.cuh"\n__device__ float other(float x) {{ return {body}; }}')
                keys.add(self.load(path).key)
            self.assertEqual(len(keys), 4)

    def test_which_function(self):
        m = tk.load(tk.example("softmax.tk"), device="cpu")
        with self.raises(AttributeError, "softmax.tk has no function `softmaxx`; it has softmax, softmax_backward"):
            m.softmaxx
        self.assertIn("softmax_backward", dir(m))
        self.assertEqual(len(dir(m)), len(set(dir(m))))
        self.assertIn("softmax(X: bf16[R, 1024], *, Y: bf16[R, 1024] = None) -> Y", repr(m))
        self.assertEqual(m.softmax.__doc__, "softmax(X: bf16[R, 1024], *, Y: bf16[R, 1024] = None) -> Y")
        with self.raises(TypeError, "which function of permute.tk?", "transpose"):
            tk.load(tk.example("permute.tk"), device="cpu")(1)

    def test_names_of_functions(self):
        """A kernel may be called like a method of a module, or like nothing that Python would show."""
        text = "kernel NAME(X: f32[N], out Y: f32[N]) { grid (n in N by 64) warps(1); store(Y[n], load(X[n])); }\n"
        for name in ("source", "key", "_hidden", "contracts_", "__call"):
            m = tk.from_source(text.replace("NAME", name), device="cpu")
            self.assertEqual(getattr(m, name).contract.name, name)
            self.assertIs(getattr(m, name), getattr(m, name))
            self.assertIn(name, dir(m))

    def test_mistakes(self):
        with self.raises(FileNotFoundError, "there is no file nowhere.tk"):
            tk.load("nowhere.tk")
        with self.raises(ValueError, "device must be \"cuda\" or \"cpu\", got 'gpu'"):
            tk.load(tk.example("softmax.tk"), device="gpu")
        with self.raises(TypeError, "from_source() takes the text of a program, got int"):
            tk.from_source(3)
        with self.raises(ValueError, "`name` is the name of a file, without its folder", "'../cell'"):
            tk.from_source("", name="../cell")
        with self.raises(tk.CompileError, "`-D spills`", "no kernel of this file has a constant of that name"):
            tk.load(tk.example("softmax.tk"), device="cpu", spills=True)
        with self.raises(FileNotFoundError, "no example nothing.tk"):
            tk.example("nothing.tk")

    def test_caret(self):
        text = "kernel k(A: f32[M], out B: f32[M])\n{\n    grid (m in M by 64) warps(1);\n    store(B[m], load(A[m]) + wrong);\n}\n"
        with self.assertRaises(tk.CompileError) as caught:
            tk.from_source(text, device="cpu")
        lines = str(caught.exception).splitlines()
        at = next(i for i, line in enumerate(lines) if "store(B[m]" in line)
        self.assertIn("--> cell.tk:4:", str(caught.exception))
        self.assertEqual(lines[at].index("wrong"), lines[at + 1].index("^"))
        # In a file, the path is the one that was given.
        path = self.write("mine.tk", text)
        with self.raises(tk.CompileError, f"--> {path}:4:"):
            tk.load(path, device="cpu")

    def test_imports_of_a_cell(self):
        self.write("twice.tk", "fn f(x: f32[M, N]) -> f32[M, N] { return 2 * x; }\n")
        text = ("import twice;\nkernel k(A: f32[M], out B: f32[M])\n{\n    grid (m in M by 64) warps(1);\n"
                "    store(B[m], twice.f(load(A[m])));\n}\n")
        with self.raises(tk.CompileError, "twice"):
            tk.from_source(text, device="cpu")
        self.assertEqual(tk.from_source(text, device="cpu", include=[self.folder]).source(), text)

    def test_texts(self):
        m = tk.load(tk.example("softmax.tk"), device="cpu")
        self.assertIn("kernel softmax<", m.source())
        self.assertIn("__global__", m.cuda())
        explained = m.explain()
        self.assertIn("shared memory:", explained)
        html = explained._repr_html_()
        self.assertTrue(html.startswith("<pre") and html.endswith("</pre>"))
        self.assertIn("softmax&lt;C = 1024", html)
        bare = re.sub(r"</?(?:pre|span)[^>]*>", "", html)
        self.assertNotRegex(bare, "[<>]")  # all of the text is escaped
        import html as library
        self.assertEqual(library.unescape(bare), str(explained))
        self.assertEqual(explained._repr_mimebundle_()["text/plain"], str(explained))
        self.assertRegex(m.source()._repr_html_(), r'<span style="[^"]*">kernel</span>')
        with self.raises(tk.BuildError, "device=\"cpu\"", "no machine code"):
            m.sass()

    def test_machine_code(self):
        m = tk.load(support.PROBE)
        before = os.environ["PATH"]
        self.set(PATH=self.folder)
        with self.raises(tk.BuildError, "cuobjdump", "neither next to nvcc nor in PATH"):
            m.sass()
        tool = self.write("cuobjdump", "#!/bin/sh\n[ $1 = -sass ] && echo \"EXIT of $2\"\n")
        os.chmod(tool, 0o755)
        self.set(PATH=f"{self.folder}:{before}")
        self.assertEqual(m.sass(), f"EXIT of {m._path}\n")
        self.write("cuobjdump", "#!/bin/sh\necho broken >&2; exit 3\n")
        with self.raises(tk.BuildError, "exited with status 3", "broken"):
            m.sass()

    def test_nothing_is_printed(self):
        code = "import tk; tk.load(tk.example('softmax.tk')).softmax"
        import sys
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        # The stand-in's library has other functions: the load fails after the build, which was silent.
        self.assertNotIn("nvcc compiles", done.stderr + done.stdout)
        self.assertEqual(self.builds(), 1)


if __name__ == "__main__":
    unittest.main()
