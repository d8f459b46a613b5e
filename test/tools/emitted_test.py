#!/usr/bin/env python3
# Tests emitted.py, compare_emitted.py and what nvcc_joined.py compares with the list: emitted_test.py
#
# The compiler here is a script that copies a `.tk`, so that these hold the texts. Only the last test calls nvcc.
import contextlib
import io
import os
import re
import sys
import tempfile
import time
import unittest
from unittest import mock

import compare_emitted
import emitted
import emitted_list
import nvcc_check
import nvcc_joined

TEXT = """\
// {name}: kernel {name} with BM = 128.
// producer: 1 warp, 24 registers per thread; consumer: 2 warpgroups that alternate, 240 registers per
// thread.
// 384 threads, 168 registers each at first, 2048 bytes of shared memory; may spill {may} bytes per
// thread.
__global__ void __launch_bounds__(384, 1) {name}_kernel(
    int* p) {{
    *p = {number};
}}

// rows: kernel rows.
// 128 threads, 64 registers each: rows_kernel<2, true>.
// rows_general: kernel rows; any strides and alignment.
// 128 threads, 255 registers each: rows_kernel<1, false>.
template <int vector, bool vectors>
__global__ void __launch_bounds__(128) rows_kernel(int* p) {{
    *p = vector;
}}
template __global__ void rows_kernel<2, true>(int*);
template __global__ void rows_kernel<1, false>(int*);
"""
VERSION = "nvcc 13.0.88"
USUAL = {"rows": [40, 0], "rows_general": [200, 12]}
TKC = """\
#!/bin/sh
# The compiler of this test: tkc FILE --no-notes -o OUT
grep -q wrong "$1" && { echo "tkc: this is wrong" >&2; exit 1; }
cp "$1" "$4"
grep -q random "$1" && date +%N >> "$4"
exit 0
"""


class Checker:
    """In place of nvcc: its verdicts, by the example's first kernel, and the calls."""
    calls = []
    verdicts = {}

    def __init__(self, *_, **__):
        self.named_version = VERSION

    def check(self, source, _end):
        name = os.path.basename(source).removesuffix(".cu")
        self.calls.append(name)
        return self.verdicts.get(name, nvcc_check.Verdict(True, "", {**USUAL, name: [168, 4]}))


class Tree(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        self.tkc = os.path.join(self.root, "tkc")
        self.write("tkc", TKC)
        os.chmod(self.tkc, 0o755)
        for name in ("one", "two"):
            self.write(f"gemm/{name}.tk", TEXT.format(name=name, number=1, may=8))
        Checker.calls, Checker.verdicts = [], {}
        for patch in (mock.patch.object(emitted, "EXAMPLES", self.root), mock.patch.object(nvcc_check, "Checker", Checker),
                      mock.patch.object(emitted_list, "PATH", os.path.join(self.root, "emitted.txt")),
                      mock.patch.object(nvcc_check, "find_nvcc", lambda _: "nvcc")):
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8") as stream:
            return stream.read()

    def run_tool(self, *words, tool=emitted):
        """(status, what it prints); a message that ends it is printed, too."""
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["tool", "--tkc", self.tkc, *words]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(out):
            try:
                status = tool.main()
            except SystemExit as end:
                status = 1 if isinstance(end.code, str) else end.code
                print(end.code)
        return status, out.getvalue()


class List(Tree):
    def test_lines(self):
        self.assertEqual(self.run_tool("--update")[0], 0)
        text = self.read("emitted.txt")
        self.assertIn(f"what {VERSION} makes of it", text)
        self.assertRegex(text, r"(?m)^gemm/one: 20 lines, 3 kernels, [0-9a-f]{16}\n"
                               r"  one: 168 registers \(producer 24, consumer 240\), 2048 shared, 4 spilled\n"
                               r"  rows: 40 registers \(all 64\), 0 shared\n"
                               r"  rows_general: 200 registers \(all 255\), 0 shared, 12 spilled\n\ngemm/two: ")
        listed, nvcc = emitted_list.read()
        emitted_list.write(listed, nvcc)
        self.assertEqual(self.read("emitted.txt"), text)

    def test_a_broken_line(self):
        self.run_tool("--update")
        self.write("emitted.txt", self.read("emitted.txt").replace("all 64)", "all"))
        status, text = self.run_tool()
        self.assertEqual(status, 1)
        self.assertRegex(text, r"emitted.txt:\d+: this is neither .*  rows: 40 registers \(all, 0 shared\nRestore the line")

    def test_what_is_not_utf_8(self):
        self.run_tool("--update")
        text = self.read("emitted.txt")
        with open(os.path.join(self.root, "emitted.txt"), "wb") as stream:
            stream.write(text.encode().replace(b"rows: 40", b"r\xffws: 40", 1))
        number = text[:text.index("  rows: 40")].count("\n") + 1
        for words, tool in (((), emitted), (("--nvcc", "nvcc", "gemm/one.tk"), nvcc_joined)):
            status, said = self.run_tool(*words, tool=tool)
            self.assertEqual(status, 1)
            self.assertIn(f"emitted.txt:{number}: this line is not UTF-8\nRestore the line, or", said)

    def test_two_lines_of_one_thing(self):
        self.run_tool("--update")
        before = self.read("emitted.txt")
        rows = "  rows: 40 registers (all 64), 0 shared\n"
        one = before[before.index("gemm/one"):before.index("gemm/two")]
        for text, reason in ((before + "\n" + one, "gemm/one has a line above already: gemm/one: 20"),
                             (before.replace(rows, rows + rows), "a line of the kernel rows above already: " + rows)):
            self.write("emitted.txt", text)
            status, text = self.run_tool()
            self.assertEqual(status, 1)
            self.assertRegex(text, r"emitted.txt:\d+: ")
            self.assertIn(reason, text)

    def test_another_number_of_kernels(self):
        """Also if a kernel's line was deleted or invented."""
        self.run_tool("--update")
        before = self.read("emitted.txt")
        rows = "  rows: 40 registers (all 64), 0 shared\n"
        for old, new, has, follow in (("3 kernels", "4 kernels", 4, 3), (rows, "", 3, 2), (rows, "  ghost" + rows[6:] + rows, 3, 4)):
            self.write("emitted.txt", before.replace(old, new, 1))
            for words in ([], ["--update"], ["--compile"]):
                status, text = self.run_tool(*words)
                self.assertEqual(status, 1)
                self.assertRegex(text, r"emitted.txt:\d+: the head of gemm/one has "
                                       f"{has} as the number of kernels, and {follow} lines of kernels follow\nRestore the line")

    def test_a_kernel_without_its_comment(self):
        self.run_tool("--update")
        self.write("gemm/one.tk", self.read("gemm/one.tk").replace("384 threads, ", "three threads, "))
        for words in ([], ["--update"]):
            status, text = self.run_tool(*words)
            self.assertEqual(status, 1)
            self.assertIn("the comment above the kernel one does not name its threads and registers, as in", text)

    def test_a_kernel_that_nvcc_does_not_have(self):
        Checker.verdicts = {"one": nvcc_check.Verdict(True, "", {"one": [168, 4]})}
        status, text = self.run_tool("--update")
        self.assertEqual(status, 1)
        self.assertIn("the kernel rows is in the text, and nvcc has not compiled it\n2 examples: 1 lines written, 1 refused", text)


class Compare(Tree):
    def test_the_same(self):
        self.run_tool("--update")
        self.assertEqual(self.run_tool(), (0, "2 examples are as in examples/emitted.txt\n"))

    def test_all_that_follows_from_the_text(self):
        self.run_tool("--update")
        before = self.read("emitted.txt")
        for old, new, sentence in (
                (" 20 lines", " 21 lines", "the text has 20 lines, the list 21"),
                ("(all 64)", "(all 1)", "rows: the text has the limits (all 64), the list (all 1)"),
                ("consumer 240", "consumer 8", "one: the text has the limits (producer 24, consumer 240), the list (producer"),
                (", 0 shared", ", 77 shared", "rows: 0 bytes of shared memory in the text, 77 in the list"),
                ("3 kernels", "4 kernels", "ghost: the list has this kernel, and the text does not"),
                ("3 kernels", "2 kernels", "rows: the list lacks this kernel of the text")):
            text = before.replace(old, new, 1)
            line = "  rows: 40 registers (all 64), 0 shared\n"
            if "ghost" in sentence:
                text = text.replace(line, line.replace("rows", "ghost") + line, 1)
            elif "lacks" in sentence:
                text = text.replace(line, "", 1)
            self.write("emitted.txt", text)
            for words in ([], ["--compile"]):
                status, said = self.run_tool(*words)
                self.assertEqual(status, 1, sentence)
                self.assertIn("gemm/one: " + sentence, said)
                self.assertNotIn("as in examples/emitted.txt", said)
            self.assertEqual(self.run_tool("--update")[0], 0)
            self.assertEqual(self.read("emitted.txt"), before)

    def test_other_texts_are_named_with_the_command(self):
        self.run_tool("--update")
        self.write("gemm/one.tk", TEXT.format(name="one", number=2, may=8))
        self.write("gemm/three.tk", TEXT.format(name="three", number=1, may=8))
        os.remove(os.path.join(self.root, "gemm/two.tk"))
        status, text = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("gemm/one: the text is not the one in the list\ngemm/three: not in the list yet\n"
                      "gemm/two: in the list, but there is no example of that name\n"
                      "3 examples differ from examples/emitted.txt. If that is meant, this updates it:\n\n"
                      f"    test/tools/emitted.py --update --tkc {self.tkc}\n", text)

    def test_a_committed_text(self):
        self.run_tool("--update")
        self.write("gemm/one.cu", self.read("gemm/one.tk").replace("= 1;", "= 7;"))
        status, text = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("-    *p = 7;\n+    *p = 1;\n", text)
        self.assertEqual(self.run_tool("--update")[0], 0)
        self.assertEqual(self.read("gemm/one.cu"), self.read("gemm/one.tk"))
        self.assertEqual(self.run_tool()[0], 0)
        self.assertFalse(os.path.exists(os.path.join(self.root, "gemm/two.cu")))

    def test_two_texts_of_one_file(self):
        self.run_tool("--update")
        self.write("gemm/one.tk", self.read("gemm/one.tk") + "// random\n")
        self.assertIn("gemm/one: two runs of tkc give two texts\n", self.run_tool()[1])

    def test_what_tkc_refuses(self):
        self.run_tool("--update")
        before = self.read("emitted.txt")
        self.write("gemm/one.tk", "wrong")
        for words in ([], ["--update"], ["--compile"], ["--to", os.path.join(self.root, "to")]):
            status, text = self.run_tool(*words)
            self.assertEqual(status, 1, words)
            self.assertIn("gemm/one: tkc does not compile it\n", text)
        self.assertEqual(self.read("emitted.txt"), before)

    def test_names(self):
        self.assertIn("there is no example gemm/four: write it as gemm/gemm or", self.run_tool("gemm/four")[1])
        for path in ("/nothing", self.root):
            self.assertIn(f"{path} is not a program: name a compiler with --tkc PATH", self.run_tool("--tkc", path)[1])

    def test_a_name_given_twice_counts_once(self):
        self.run_tool("--update")
        path = os.path.join(self.root, "gemm/one.tk")
        self.assertEqual(self.run_tool("gemm/one", path, "gemm/one"), (0, "1 examples are as in examples/emitted.txt\n"))

    def test_what_cannot_begin(self):
        """A message, and no traceback."""
        self.write("tkc", "#!/nothing\n")
        for words, status, reason in ((["--jobs", "0"], 2, "--jobs 0: write the number of programs that run at the same time"),
                                      (["--to", "/dev/null/x"], 1, "/dev/null/x cannot be written, read or run: Not a directory"),
                                      ([], 1, f"{self.tkc} cannot be written, read or run: No such file or directory")):
            found, text = self.run_tool(*words)
            self.assertEqual(found, status)
            self.assertIn(reason, text)
        with mock.patch.object(nvcc_check, "Checker", side_effect=nvcc_check.BadNvcc("`x --version` failed")):
            self.write("tkc", TKC)
            status, text = self.run_tool("--compile")
            self.assertEqual((status, text.endswith(": `x --version` failed\n")), (1, True))

    def test_a_full_disk(self):
        """The list stays as it was, with nothing next to it."""
        self.run_tool("--update")
        before, files = self.read("emitted.txt"), sorted(os.listdir(self.root))
        self.write("gemm/one.tk", TEXT.format(name="one", number=2, may=8))
        with mock.patch.object(os, "replace", side_effect=OSError(28, "No space left on device")):
            status, text = self.run_tool("--update")
        self.assertEqual(status, 1)
        self.assertIn("cannot be written, read or run: No space left on device\n", text)
        self.assertEqual((self.read("emitted.txt"), sorted(os.listdir(self.root))), (before, files))

    def test_a_compiler_that_writes_nothing(self):
        """Nor does the text of an earlier run count."""
        self.write("tkc", "#!/bin/sh\nexit 0\n")
        self.write("to/gemm/one.cu", "before\n")
        status, text = self.run_tool("--to", os.path.join(self.root, "to"))
        self.assertEqual(status, 1)
        self.assertIn(f"gemm/one: {self.tkc} reported success and wrote no text: is it a tkc?\n", text)
        self.assertIn("gemm/one: tkc does not compile it\n", text)


class Update(Tree):
    def test_only_what_changed_is_compiled(self):
        self.run_tool("--update")
        self.assertEqual(sorted(Checker.calls), ["one", "two"])
        self.run_tool("--update")
        self.assertEqual(len(Checker.calls), 2)
        self.write("gemm/one.tk", TEXT.format(name="one", number=2, may=8))
        self.run_tool("--update")
        self.assertEqual(Checker.calls[2:], ["one"])
        self.run_tool("--update", "gemm/two")
        self.assertEqual(Checker.calls[3:], ["two"])
        self.run_tool("--update", "--all")
        self.assertEqual(sorted(Checker.calls[4:]), ["one", "two"])

    def test_a_refused_one_keeps_its_line(self):
        self.run_tool("--update")
        before = self.read("emitted.txt")
        for name in ("one", "two"):
            self.write(f"gemm/{name}.tk", TEXT.format(name=name, number=2, may=8))
        self.write("gemm/one.cu", "before\n")
        Checker.verdicts = {"one": nvcc_check.Verdict(False, "one: 12 bytes per thread; 8 are allowed\n")}
        status, text = self.run_tool("--update")
        self.assertEqual(status, 1)
        self.assertIn("gemm/one keeps its old line:\none: 12 bytes per thread; 8 are allowed\n2 examples: 1 lines written, 1 refused", text)
        old, new = [re.findall("(?m)^gemm.*", t) for t in (before, self.read("emitted.txt"))]
        self.assertEqual((old[0] == new[0], old[1] == new[1]), (True, False))
        self.assertEqual(self.read("gemm/one.cu"), "before\n")

    def test_without_nvcc(self):
        """Registers of a changed text are unknown then, which only --compile takes for a fault."""
        self.run_tool("--update")
        self.write("gemm/one.tk", TEXT.format(name="one", number=2, may=8))
        self.assertEqual(self.run_tool("--update", "--without-nvcc")[0], 0)
        self.assertIn("  rows: ? registers (all 64), 0 shared\n", self.read("emitted.txt"))
        self.assertIn("  rows: 40 registers (all 64), 0 shared\n", self.read("emitted.txt"))
        self.assertEqual(self.run_tool()[0], 0)
        status, text = self.run_tool("--compile")
        self.assertEqual(status, 1)
        self.assertIn("gemm/one:\n    one: the list has no registers yet\n", text)
        self.assertEqual(self.run_tool("--update")[0], 0)
        self.assertEqual(self.run_tool("--compile")[0], 0)

    def test_no_time_left(self):
        class Slow(Checker):
            def check(self, source, end):
                if source.endswith("two.cu") and end < time.monotonic() + 100:
                    time.sleep(max(0, end - time.monotonic()))
                    return nvcc_check.Verdict(False, "killed")
                return super().check(source, end)

        with mock.patch.object(nvcc_check, "Checker", Slow):
            status, text = self.run_tool("--update", "--seconds", "0.5", "--jobs", "2")
            self.assertEqual((status, text.splitlines()[-1]), (
                emitted.OUT_OF_TIME, "2 examples: 1 lines written, 0 refused, 1 left for want of time"))
            self.assertNotIn("gemm/two", self.read("emitted.txt"))
            self.assertEqual(self.run_tool("--update")[0], 0)
        self.assertEqual(Checker.calls, ["one", "two"])
        self.assertIn("gemm/two", self.read("emitted.txt"))

    def test_another_nvcc(self):
        self.run_tool("--update")
        with mock.patch.object(sys.modules[__name__], "VERSION", "nvcc 13.1.0"):
            self.write("gemm/one.tk", TEXT.format(name="one", number=2, may=8))
            status, text = self.run_tool("--update")
            self.assertEqual(status, 1)
            self.assertIn("the list is of nvcc 13.0.88, and this is nvcc 13.1.0: name the other with --nvcc, or", text)
            self.assertEqual(self.run_tool("--update", "--all")[0], 0)
            self.assertIn("what nvcc 13.1.0 makes of it", self.read("emitted.txt"))
        status, text = self.run_tool("--compile")
        self.assertIn("Registers and spills were not compared: the list is of nvcc 13.1.0, and this is nvcc 13.0.88.", text)


class Compile(Tree):
    def test_what_nvcc_says_is_compared(self):
        self.run_tool("--update")
        self.assertEqual(self.run_tool("--compile")[0], 0)
        Checker.verdicts = {"one": nvcc_check.Verdict(True, "", {**USUAL, "one": [168, 8], "rows_general": [201, 12]})}
        status, text = self.run_tool("--compile")
        self.assertEqual(status, 1)
        self.assertIn("gemm/one:\n    one: 168 registers, 8 bytes spilled; the list has 168 and 4\n"
                      "    rows_general: 201 registers, 12 bytes spilled; the list has 200 and 12\n", text)
        Checker.verdicts = {"one": nvcc_check.Verdict(False, "products were serialized\n")}
        status, text = self.run_tool("--compile")
        self.assertEqual(status, 1)
        self.assertIn("gemm/one:\nproducts were serialized\n", text)
        self.assertNotIn("as in examples/emitted.txt", text)

    def test_other_kernels(self):
        """Each kernel of the text must be compiled, and no other, also by an nvcc that is not the list's."""
        self.run_tool("--update")
        for version in (VERSION, "nvcc 13.1.0"):
            with mock.patch.object(sys.modules[__name__], "VERSION", version):
                for kernels, sentence in (({}, "the kernel one is in the text, and nvcc has not compiled it"),
                                          ({**USUAL, "one": [168, 4], "ghost": [1, 0]}, "the kernel ghost has no comment in the text")):
                    Checker.verdicts = {"one": nvcc_check.Verdict(True, "", kernels)}
                    status, text = self.run_tool("--compile")
                    self.assertEqual(status, 1)
                    self.assertIn(f"gemm/one:\n    {sentence}\n", text)


class Joined(Tree):
    def test_compares_with_the_list(self):
        """The main kernels of what is compiled; not those of what is only read, nor with another nvcc."""
        self.run_tool("--update")
        path = os.path.join(self.root, "gemm/one.tk")

        def joined():
            status, text = self.run_tool("--nvcc", "nvcc", path, tool=nvcc_joined)
            return status, text.splitlines()[:-1]

        class Kept(Checker):
            kernels = {**USUAL, "one": [168, 4]}
            only_read = False

            def __init__(self, *_, read=False, **__):
                super().__init__()
                self.only_read = read

            def kept(self, source):
                return self.check(source)

            def check(self, source, _end=0):
                return nvcc_check.Verdict(True, "", self.kernels)

        with mock.patch.object(nvcc_check, "Checker", Kept):
            self.assertEqual(joined(), (0, []))
            Kept.kernels = {"one": [160, 4], "rows": [40, 0], "rows_general": [5, 0]}
            self.assertEqual(joined(), (1, ["gemm/one:", "one: 160 registers, 4 bytes spilled; the list has 168 and 4"]))
            with mock.patch.object(sys.modules[__name__], "VERSION", "nvcc 13.1.0"):
                self.assertEqual(joined(), (0, []))
            Kept.kernels = {**USUAL, "one": [168, 4], "ghost": [8, 0]}
            self.assertEqual(joined(), (1, ["gemm/one:", "ghost: nvcc compiled it, and the list lacks it"]))
            self.write("gemm/one.tk", "// one.tk: [nvcc: syntax only]\n" + TEXT.format(name="one", number=1, may=8))
            self.assertEqual(joined(), (0, []))
            self.write("gemm/one.tk", "// one.tk: a test.\n\n// [nvcc: syntax only]\n" + TEXT.format(name="one", number=1, may=8))
            self.assertEqual(joined()[0], 1)


class Hunks(Tree):
    def compared(self, *words):
        """What the tool prints of this compiler and another, which writes two things in another way."""
        other = """sed -i -E 's/^( +.p = )([12];)/\\1 1 + \\2/; s/\\(int\\* p/(int *p/' "$4"\n"""
        self.write("new", TKC.replace("exit 0\n", other))
        os.chmod(os.path.join(self.root, "new"), 0o755)
        return self.run_tool("--against", self.tkc, "--tkc", os.path.join(self.root, "new"), *words, tool=compare_emitted)

    def test_equal_changes_are_shown_once(self):
        self.write("gemm/three.tk", TEXT.format(name="three", number=2, may=8))
        status, text = self.compared()
        self.assertEqual(status, 1)
        self.assertIn("3 of 3 files, 3 places: gemm/one, gemm/three, gemm/two\n@@ gemm/one.cu, rows_kernel\n", text)
        self.assertIn("2 of 3 files, 2 places: gemm/one, gemm/two\n@@ gemm/one.cu, one_kernel\n"
                      " __global__ void __launch_bounds__(384, 1) one_kernel(\n     int* p) {\n-    *p = 1;\n+    *p =  1 + 1;\n }\n", text)
        self.assertIn("1 of 3 files, 1 places: gemm/three\n", text)
        self.assertIn("3 texts differ, by 3 different changes in 6 places\n0 of 3 texts are the same\n", text)
        self.assertIn("3 texts differ, by 2 different changes in 6 places\n", self.compared("--blur")[1])

    def test_the_same(self):
        status, text = self.run_tool("--against", self.tkc, tool=compare_emitted)
        self.assertEqual((status, text), (0, "2 of 2 texts are the same\n"))

    def test_a_fault_is_no_difference(self):
        against = ("--against", self.tkc)
        for words, reason in ((("--against", "/nothing"), "/nothing is not a program: name a compiler with"),
                              (("--against", ""), '--against "" names no compiler: write the path of the old one'),
                              ((*against, "--jobs", "0"), "--jobs 0: write the number"),
                              ((*against, "gemm/four"), "there is no example gemm/four: write it as"),
                              ((*against, "--keep", "/dev/null/x"), "cannot be written, read or run: Not a directory")):
            status, text = self.run_tool(*words, tool=compare_emitted)
            self.assertEqual(status, compare_emitted.FAULT, words)
            self.assertIn(reason, text)
        with mock.patch.object(emitted, "emit_all", side_effect=KeyError("x")):
            self.assertEqual(self.run_tool(*against, tool=compare_emitted)[0], compare_emitted.FAULT)

    def test_a_name_given_twice_counts_once(self):
        self.assertEqual(self.run_tool("--against", self.tkc, "gemm/one", "gemm/one", tool=compare_emitted),
                         (0, "1 of 1 texts are the same\n"))

    def test_machine_code_needs_pyelftools(self):
        with mock.patch.object(compare_emitted, "ELFFile", None):
            status, text = self.compared("--code")
        self.assertEqual(status, compare_emitted.FAULT)
        self.assertIn("by pyelftools, which is not installed: `apt install python3-pyelftools`", text)


@unittest.skipIf(nvcc_check.find_nvcc("") is None, "no nvcc here")
class WithNvcc(unittest.TestCase):
    def test_an_end_kills_it(self):
        """With the steps that it starts: the file takes many minutes."""
        text = "#include <cuda_fp16.h>\n" + "".join(
            f"__global__ void k{n}(float* p) {{\n#pragma unroll\n    for (int i = 0; i < 999; ++i) p[i * {n + 3}] = sinf(p[i]);\n}}\n"
            for n in range(9))
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "k.cu")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(text)
            checker = nvcc_check.Checker(nvcc_check.find_nvcc(""), cached=False)
            start = time.monotonic()
            verdict = checker.check(source, start + 2)
            self.assertFalse(verdict.passed)
            self.assertLess(time.monotonic() - start, 12)
            self.assertFalse(nvcc_check.running)


if __name__ == "__main__":
    unittest.main()
