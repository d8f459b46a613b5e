"""No load finds anything out of date, whatever changed: imports, headers, search paths, tools, files while they are compiled."""
import os
import random
import shutil
import time
import unittest
import warnings
from unittest import mock

import numpy

import support
import tk
from tk import compiler, emulated, inputs

KERNEL = "kernel k(X: f32[N], out Y: f32[N]) {{ grid (n in N by 64) warps(1); store(Y[n], {}); }}\n"
IMPORTING = "import lib;\n" + KERNEL.format("lib.f(load(X[n]))")
EXTERNAL = "extern cuda fn mine(x: f32) -> f32 from \"{}\" { return x; }\n"


def module(factor):
    return f"fn f(x: f32[M, N]) -> f32[M, N] {{ return {factor} * x; }}\n"


class Stale(support.Case):
    def fresh(self, path, **words):
        """A load, of which the result is what tkc says now."""
        loaded = self.load(path, **words)
        on_cpu = self.load(path, "cpu", **words)
        program = compiler.Program(path, {n: v for n, v in words.items() if n.isupper()},
                                   **{n: v for n, v in words.items() if not n.isupper()})
        with open(loaded.library[:-3] + ".cu", encoding="utf-8") as stream:
            self.assertEqual(stream.read(), program.cuda())
        self.assertEqual(loaded.functions, program.contract()["functions"])
        self.assertEqual(on_cpu.functions, loaded.functions)
        return loaded

    def changes(self, path, change, builds=1, **words):
        """The change makes another library of the program."""
        first = self.fresh(path, **words)
        before = self.builds()
        self.assertEqual(self.fresh(path, **words).key, first.key)
        change()
        self.assertNotEqual(self.fresh(path, **words).library, first.library)
        self.assertEqual(self.builds(), before + builds)

    # ---- imports ---------------------------------------------------------------------------------

    def test_edited(self):
        path = self.write("k.tk", IMPORTING)
        self.write("lib.tk", module(2))
        self.changes(path, lambda: self.write("lib.tk", module(3)))
        self.changes(path, lambda: self.write("lib.tk", module(2)), builds=0)  # there is one of it
        self.changes(path, lambda: self.write("k.tk", IMPORTING.replace("lib.f(", "-lib.f(")))

    def test_import_of_an_import(self):
        path = self.write("k.tk", IMPORTING)
        self.write("lib.tk", "import deep.more;\nfn f(x: f32[M, N]) -> f32[M, N] { return more.f(x); }\n")
        self.write("deep/more.tk", "import last;\nfn f(x: f32[M, N]) -> f32[M, N] { return last.f(x); }\n")
        self.write("include/last.tk", module(2))
        words = {"include": [os.path.join(self.folder, "include")]}
        self.changes(path, lambda: self.write("include/last.tk", module(3)), **words)
        self.changes(path, lambda: self.write("deep/last.tk", module(4)), **words)
        self.changes(path, lambda: self.write("deep/more.tk", module(5)), **words)

    def test_earlier_in_the_search_path(self):
        path = self.write("k.tk", IMPORTING)
        self.write("b/lib.tk", module(2))
        words = {"include": [os.path.join(self.folder, "a"), os.path.join(self.folder, "b")]}
        self.changes(path, lambda: self.write("a/lib.tk", module(3)), **words)
        self.changes(path, lambda: self.write("lib.tk", module(4)), **words)
        self.changes(path, lambda: os.unlink(os.path.join(self.folder, "lib.tk")), builds=0, **words)
        self.changes(path, lambda: os.unlink(os.path.join(self.folder, "a", "lib.tk")), builds=0, **words)
        # The same folders in another order.
        self.write("a/lib.tk", module(3))
        self.assertNotEqual(self.fresh(path, **words).key, self.fresh(path, include=words["include"][::-1]).key)

    def test_missing(self):
        path = self.write("k.tk", IMPORTING)
        self.write("lib.tk", module(2))
        self.fresh(path)
        os.unlink(os.path.join(self.folder, "lib.tk"))
        for device in ("cuda", "cpu"):
            with self.raises(tk.CompileError, "lib"):
                self.load(path, device)

    def test_library_of_tkc(self):
        """A file cannot hide a module of tkc's own."""
        text = "import std.activation;\n" + KERNEL.format("activation.silu(load(X[n]))")
        path = self.write("k.tk", text)
        first = self.fresh(path)
        self.write("std/activation.tk", module(2))
        self.assertEqual(self.fresh(path).library, first.library)

    def test_equal_files(self):
        """Two files of one content, with other imports, by relative paths."""
        for folder, factor in (("a", 2), ("b", 3)):
            self.write(f"{folder}/k.tk", IMPORTING)
            self.write(f"{folder}/lib.tk", module(factor))
        self.addCleanup(os.chdir, os.getcwd())
        keys = set()
        for _ in range(2):
            for folder in ("a", "b"):
                os.chdir(os.path.join(self.folder, folder))
                keys.add(self.fresh("k.tk").key)
                keys.add(self.fresh(os.path.join("..", folder, "k.tk")).key)
        self.assertEqual((len(keys), self.builds()), (2, 2))
        # A loaded module knows where it was.
        loaded = tk.load("k.tk", device="cpu")
        cuda = loaded.cuda()
        os.chdir(os.path.join(self.folder, "a"))
        self.assertEqual((loaded.source(), loaded.cuda()), (IMPORTING, cuda))

    def test_folder_that_is_gone(self):
        """A file by its full path needs no current folder."""
        gone = os.path.join(self.folder, "gone")
        os.mkdir(gone)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(gone)
        os.rmdir(gone)
        for _ in range(2):
            self.load(support.PROBE)
        self.assertEqual(self.builds(), 1)

    def test_cell(self):
        """Imports of a text are searched for in the current folder."""
        self.addCleanup(os.chdir, os.getcwd())
        keys = set()
        for _ in range(2):
            for folder, factor in (("a", 2), ("b", 3)):
                self.write(f"{folder}/lib.tk", module(factor))
                os.chdir(os.path.join(self.folder, folder))
                keys.add(tk.from_source(IMPORTING, device="cpu").key())
        self.assertEqual(len(keys), 2)

    def test_links(self):
        for folder, factor in (("a", 2), ("b", 3)):
            self.write(f"{folder}/k.tk", IMPORTING)
            self.write(f"{folder}/lib.tk", module(factor))
        link = os.path.join(self.folder, "now")

        def point(to):
            os.symlink(os.path.join(self.folder, to), link + ".new")
            os.replace(link + ".new", link)

        point("a")
        self.changes(os.path.join(link, "k.tk"), lambda: point("b"))
        os.unlink(link)
        self.write("now/k.tk", IMPORTING)
        link = os.path.join(self.folder, "now", "lib.tk")
        point("a/lib.tk")
        self.changes(os.path.join(self.folder, "now", "k.tk"), lambda: point("b/lib.tk"), builds=0)

    def test_random_edits(self):
        """Files come, go and change in three folders that are searched."""
        seed = random.Random(1)
        self.write("own/k.tk", "import a;\nimport b;\n" + KERNEL.format("a.f(b.f(load(X[n])))"))
        bodies = ["fn f(x: f32[M, N]) -> f32[M, N] {{ return {} * x; }}\n",
                  "import c;\nfn f(x: f32[M, N]) -> f32[M, N] {{ return {} * c.f(x); }}\n"]
        last = "fn f(x: f32[M, N]) -> f32[M, N] {{ return x + {}.0; }}\n"
        for name in "abc":
            self.write(f"third/{name}.tk", (last if name == "c" else bodies[0]).format(1))
        words = {"include": [os.path.join(self.folder, folder) for folder in ("second", "third")]}
        keys = set()
        for _ in range(40):
            name, folder = seed.choice("abc"), seed.choice(["own", "second", "third"])
            path = os.path.join(self.folder, folder, f"{name}.tk")
            if os.path.exists(path) and folder != "third" and seed.random() < 0.5:
                os.unlink(path)
            else:
                self.write(path, (last if name == "c" else seed.choice(bodies)).format(seed.randint(1, 3)))
            keys.add(self.fresh(os.path.join(self.folder, "own", "k.tk"), **words).key)
        self.assertGreater(len(keys), 10)

    # ---- headers ---------------------------------------------------------------------------------

    def external(self, header="f.cuh"):
        return self.write("k.tk", EXTERNAL.replace("{}", header, 1) + KERNEL.format("mine(load(X[n]))"))

    def test_headers(self):
        path = self.external()
        self.write("f.cuh", "#include \\\n \"g.cuh\"\n")
        self.write("include/g.cuh", "// 1\n")
        words = {"include": [os.path.join(self.folder, "include")]}
        self.changes(path, lambda: self.write("f.cuh", "#  include /* as before */ <g.cuh>\n"), **words)
        self.changes(path, lambda: self.write("include/g.cuh", "// 2\n"), **words)
        self.changes(path, lambda: self.write("g.cuh", "// 3\n"), **words)
        self.changes(path, lambda: os.unlink(os.path.join(self.folder, "g.cuh")), builds=0, **words)
        self.changes(path, lambda: self.write("cuda.h", "// 4\n"), **words)

    def test_header_of_the_toolkit(self):
        """A file next to the program hides one of the toolkit's, also from a program that imports nothing."""
        self.changes(self.write("k.tk", KERNEL.format("load(X[n])")), lambda: self.write("cuda.h", "// mine\n"))

    def test_linked_headers(self):
        """What a header includes depends on the folder in which it is a link."""
        path = self.external("a.cuh")
        self.write("a.cuh", "#include \"one/h.cuh\"\n#include \"two/h.cuh\"\n")
        self.write("h.cuh", "#include \"g.cuh\"\n")
        for folder in ("one", "two"):
            self.write(f"{folder}/g.cuh", "// 1\n")
            os.symlink(os.path.join(self.folder, "h.cuh"), os.path.join(self.folder, folder, "h.cuh"))
        self.changes(path, lambda: self.write("two/g.cuh", "// 2\n"))

    def test_computed_include(self):
        """What a macro names, only nvcc knows: such a library is not kept."""
        path = self.external()
        self.write("f.cuh", "#define G \"g.cuh\"\n#include G\n")
        self.write("g.cuh", "// 1\n")
        found = set()
        for builds in (1, 2):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                loaded = self.load(path)
            self.assertEqual(len(caught), 1)
            for word in (os.path.join(self.folder, "f.cuh"), "`#include G`", "write `#include` with the name of the file"):
                self.assertIn(word, str(caught[0].message))
            self.assertEqual(self.builds(), builds)
            found.add(loaded.library)
        self.assertEqual(len(found), 2)
        self.assertFalse(os.path.exists(os.path.join(os.environ["TK_CACHE"], "kernels")))

    def test_ways_to_include(self):
        """However it is written, and also where the preprocessor only asks whether there is a file."""
        path = self.external()
        for text in ("%:include \"g.cuh\"\n", "#/* \n */include \"g.cuh\"\n", "#\finclude\v\"g.cuh\"\n",
                     "#error don't /* no comment\n#include \"g.cuh\"\n", "auto s = R\"(/*)\";\n#include \"g.cuh\"\n",
                     "int x = 1'000; /* it's */\n#include <g.cuh>\n", "#if __has_include(\"g.cuh\")\n#endif\n"):
            with self.subTest(text):
                shutil.rmtree(os.environ["TK_CACHE"], ignore_errors=True)
                self.write("f.cuh", text)
                gone = os.path.join(self.folder, "g.cuh")
                if os.path.exists(gone):
                    os.unlink(gone)
                self.changes(path, lambda: self.write("g.cuh", "// 1\n"))
                self.changes(path, lambda: self.write("g.cuh", "// 2\n"))

    def test_what_only_nvcc_can_tell(self):
        path = self.external()
        for text in ("#define G \"g.cuh\"\n/* a\n b */ #include G\n", "#define G \"g.cuh\"\n%:include G\n",
                     "const char x[] = {\n#embed \"g.cuh\"\n};\n", "asm(\".incbin \\\"g.cuh\\\"\");\n",
                     "#define HAS(F) __has_include(F)\n"):
            with self.subTest(text), self.assertWarnsRegex(UserWarning, "only nvcc can tell"):
                self.write("f.cuh", text)
                before = self.builds()
                self.load(path)
                self.load(path)
                self.assertEqual(self.builds(), before + 2)

    def test_no_include(self):
        """Comments and strings include nothing, and long ones take no time."""
        path = self.external()
        many = 20000
        texts = ["/*\n#include the header\n*/\n// #include X\n", "#if defined(__has_include)\n#endif\n",
                 "#" + "/**/" * many + "x\n", "/**/" * many + "x\n", "# " * many, "#" + " " * many + "x\n", "# " + "/* " * many,
                 "\"" * many, "'" * many, "\\" * many]
        for text in texts:
            with self.subTest(text[:20]), warnings.catch_warnings():
                warnings.simplefilter("error")
                self.write("f.cuh", text)
                start = time.perf_counter()
                self.assertEqual(self.load(path).library, self.load(path).library)
                self.assertLess(time.perf_counter() - start, 3)

    def test_many_headers(self):
        """Headers that include each other are read once."""
        count = 150
        path = self.external("h0.cuh")
        for i in range(count):
            self.write(f"h{i}.cuh", "#pragma once\n" + "".join(f"#include \"h{j}.cuh\"\n" for j in range(count)))
        real, calls = inputs.read, []
        with mock.patch.object(inputs, "read", lambda path: (calls.append(path), real(path))[1]):
            self.load(path)
        self.assertLess(len(calls), 10 * count)

    def test_header_in_a_folder_tk(self):
        """The runtime's headers are in a folder of this name, too."""
        path = self.external("tk/mine.cuh")
        self.write("tk/mine.cuh", "#include \"g.cuh\"\n")
        self.write("g.cuh", "// 1\n")
        self.changes(path, lambda: self.write("tk/mine.cuh", "#include \"g.cuh\"\n// 2\n"))
        self.changes(path, lambda: self.write("tk/g.cuh", "// 3\n"))

    def test_header_called_like_the_program(self):
        """The C header that tkc writes next to the CUDA text would come before it."""
        path = self.external("k.h")
        self.write("k.h", "// 1\n")
        self.assertNotIn("k.h", os.listdir(os.path.dirname(self.load(path).library)))
        self.changes(path, lambda: self.write("k.h", "// 2\n"))
        self.write("kernel.h", "// 1\n")
        m = tk.load(self.external("kernel.h"), device="cpu")
        outputs = []

        def build(_, output, nvcc):
            outputs.append(output)
            with open(output, "w", encoding="utf-8") as stream:
                stream.write(nvcc)

        with mock.patch.object(compiler.Program, "build", build):
            m.ptx()
        self.assertNotIn(os.path.basename(outputs[0]), ("k.ptx", "kernel.ptx"))

    def test_headers_of_the_runtime(self):
        """A file next to the program hides what the runtime includes."""
        for name in ("cstdint", "type_traits", "cuda_runtime_api.h"):
            path = self.write(f"{name}.d/k.tk", KERNEL.format("load(X[n])"))
            self.changes(path, lambda name=name: self.write(f"{name}.d/{name}", "// mine\n"))

    # ---- tools -----------------------------------------------------------------------------------

    def test_tkc_replaced_in_place(self):
        tkc = os.path.join(self.folder, "tkc")
        shutil.copy(compiler.tkc(), tkc)
        self.set(TK_TKC=tkc)
        path = self.write("k.tk", KERNEL.format("load(X[n])"))

        def replace():
            status = os.stat(tkc)
            with open(tkc, "r+b") as stream:
                stream.seek(-1, os.SEEK_END)
                last = stream.read(1)
                stream.seek(-1, os.SEEK_END)
                stream.write(bytes([last[0] ^ 1]))
            os.utime(tkc, ns=(status.st_atime_ns, status.st_mtime_ns))  # the same size, inode and time

        self.changes(path, replace)

    def test_tkc_that_is_a_script(self):
        tkc = self.write("tkc", f"#!/bin/sh\nexec {compiler.tkc()} \"$@\"\n")
        os.chmod(tkc, 0o755)
        self.set(TK_TKC=tkc)
        with self.raises(tk.BuildError, tkc, "is a script", "set TK_TKC"):
            self.load(support.PROBE)

    def test_nvcc_replaced_in_place(self):
        self.set(TKC_NVCC=self.nvcc("bin/nvcc", "13.0.1"))
        self.changes(support.PROBE, lambda: self.nvcc("bin/nvcc", "13.0.2"))

    def test_another_nvcc(self):
        self.nvcc("one/bin/nvcc", "13.1.1")
        self.nvcc("two/bin/nvcc", "13.1.2")
        self.set(TKC_NVCC="", CUDA_HOME=os.path.join(self.folder, "one"))
        self.changes(support.PROBE, lambda: self.set(CUDA_HOME=os.path.join(self.folder, "two")))
        self.changes(support.PROBE, lambda: self.set(TKC_NVCC=os.path.join(self.folder, "one", "bin", "nvcc")), builds=0)
        self.changes(support.PROBE, lambda: self.set(TKC_NVCC=self.nvcc("three/nvcc", "13.1.3")))

    def test_flags_of_nvcc(self):
        self.changes(support.PROBE, lambda: self.set(NVCC_APPEND_FLAGS="-G"))

    # ---- changed between load and call ---------------------------------------------------------

    def test_changed_before_the_first_call(self):
        """The emulator runs what was loaded, or says that it is gone."""
        path = self.write("k.tk", IMPORTING)
        self.write("lib.tk", module(2))
        x = numpy.ones(64, numpy.float32)
        for name, text in (("k.tk", IMPORTING.replace("lib.f(", "-lib.f(")), ("lib.tk", module(3))):
            for _ in range(2):  # made, then found in the cache
                m, key = tk.load(path, device="cpu"), tk.load(path, device="cpu").key()
                with open(os.path.join(self.folder, name), encoding="utf-8") as stream:
                    before = stream.read()
                self.write(name, text)
                self.assertEqual(m.key(), key)
                with self.raises(tk.BuildError, f"{os.path.join(self.folder, name)} changed since {path} was loaded: load it again"):
                    m.k(x)
                self.assertNotEqual(tk.load(path, device="cpu").key(), key)
                self.write(name, before)
                self.assertEqual((m.k(x) == 2).all(), True)
                self.write(name, text)
                self.assertEqual((m.k(x) == 2).all(), True)  # the process has read it
                self.write(name, before)

    def test_changed_while_the_emulator_starts(self):
        path = self.write("k.tk", KERNEL.format("load(X[n])"))
        m = tk.load(path, device="cpu")
        real = emulated.Service.read_line

        def read_line(service):
            self.write("k.tk", KERNEL.format("2 * load(X[n])"))
            return real(service)

        with mock.patch.object(emulated.Service, "read_line", read_line):
            with self.raises(tk.BuildError, "changed since", "load it again"):
                m.k(numpy.ones(64, numpy.float32))

    # ---- saved while it is compiled --------------------------------------------------------------

    def test_saved_while_nvcc_runs(self):
        path = self.write("k.tk", IMPORTING)
        self.write("lib.tk", module(2))
        once = os.path.join(self.folder, "once")
        for i, (name, text) in enumerate([("k.tk", IMPORTING.replace("lib.f(", "-lib.f(")), ("lib.tk", module(3))]):
            new = self.write(f"new{i}", text)
            self.set(FAKE_NVCC_RUNS=f"[ -e {once}{i} ] || {{ touch {once}{i}; cp {new} {os.path.join(self.folder, name)}; }}")
            before = self.builds()
            self.fresh(path)
            self.assertEqual(self.builds(), before + 2)  # of the old text, then of the new one
            shutil.rmtree(os.environ["TK_CACHE"])

    def test_header_saved_while_nvcc_runs(self):
        path = self.external()
        header = self.write("f.cuh", "// 1\n")
        self.set(FAKE_NVCC_RUNS=f"echo // 2 > {header}.new; cmp -s {header} {header}.new || cp {header}.new {header}")
        first = self.fresh(path)
        self.assertEqual(self.builds(), 2)
        self.write("f.cuh", "// 1\n")
        self.set(FAKE_NVCC_RUNS="")
        self.assertNotEqual(self.fresh(path).key, first.key)
        self.assertEqual(self.builds(), 3)

    def test_saved_and_taken_back(self):
        """While tkc ran, the file was another one."""
        path = self.write("k.tk", KERNEL.format("load(X[n])"))
        other = KERNEL.format("load(X[n]) + 1").replace("N", "M")
        for stage in ("contract", "cuda"):
            real, calls = getattr(compiler.Program, stage), []

            def run(program):
                calls.append(stage)
                if len(calls) > 1:
                    return real(program)
                self.write("k.tk", other)
                found = real(program)
                self.write("k.tk", KERNEL.format("load(X[n])"))
                return found

            with mock.patch.object(compiler.Program, stage, run):
                self.load(path)
            self.assertEqual(len(calls), 2)
            self.fresh(path)
            shutil.rmtree(os.environ["TK_CACHE"])

    def test_always_changing(self):
        path = self.write("k.tk", KERNEL.format("load(X[n])"))
        self.set(FAKE_NVCC_RUNS=f"echo >> {path}")
        with self.raises(tk.BuildError, f"{path} changes while it is compiled"):
            self.load(path)
        self.assertFalse(os.path.exists(os.path.join(os.environ["TK_CACHE"], "loads")))

    def test_tkc_replaced_while_nvcc_runs(self):
        tkc = os.path.join(self.folder, "tkc")
        shutil.copy(compiler.tkc(), tkc)
        self.set(TK_TKC=tkc, FAKE_NVCC_RUNS=f"[ -e {tkc}.new ] || {{ cp {tkc} {tkc}.new; echo >> {tkc}.new; "
                                            f"cp {tkc}.new {tkc}.now; mv {tkc}.now {tkc}; }}")
        self.load(support.PROBE)
        self.assertEqual(self.builds(), 2)
        self.fresh(support.PROBE)
        self.assertEqual(self.builds(), 2)


if __name__ == "__main__":
    unittest.main()
