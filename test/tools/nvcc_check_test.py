#!/usr/bin/env python3
# Tests nvcc_check.py and nvcc_joined.py: what they make of logs of ptxas, and, where nvcc is, of small kernels.
import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

import nvcc_check
import nvcc_joined

CLEAN = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 3 barriers, 1024 bytes smem, 352 bytes cmem[0]
"""


SPILLS = """ptxas info    : Compiling entry function '{0}' for 'sm_90a'
ptxas info    : Function properties for {0}
    8 bytes stack frame, {1} bytes spill stores, {1} bytes spill loads
ptxas info    : Used 80 registers
"""
FEW = "_Z10few_kernelPf"
# As tkc writes it: what a kernel may spill, on one line or two.
ALLOWS = ("// few: kernel few.\n// 256 threads, 80 registers each; may spill 52 bytes\n// per thread.\n"
          "__global__ void __launch_bounds__(256, 3) few_kernel(float* p) {\n")


class Judge(unittest.TestCase):
    def faults(self, source, symbol, spilled):
        return [line.partition(" (")[0] for _, line in nvcc_check.judge(SPILLS.format(symbol, spilled), source)[0]]

    def test_a_kernel_may_spill_what_its_comment_says(self):
        for spilled, allowed in [(8, 1), (52, 1), (56, 0)]:
            self.assertEqual(not self.faults(ALLOWS, FEW, spilled), bool(allowed))
        self.assertEqual(self.faults(ALLOWS, FEW, 56), ["few: 56 bytes per thread; 52 are allowed"])
        self.assertEqual(self.faults(ALLOWS.replace("; may spill 52 bytes\n// per thread", ""), FEW, 8),
                         ["few: 8 bytes per thread; 0 are allowed"])

    def test_no_other_kernel_may(self):
        """Neither one whose name ends or begins with that one's, nor an instance, nor another function."""
        for symbol in ("_Z13fewfew_kernelPf", "_Z14few_kernel_morePf", "_Z10few_kernelILi2EEvPf", "_Z3fewPf"):
            self.assertEqual(self.faults(ALLOWS, symbol, 8), [f"{symbol}: 8 bytes per thread; 0 are allowed"])

    def test_a_stack_frame_counts(self):
        self.assertEqual(self.faults(ALLOWS.replace("52", "4"), FEW, 0), ["few: 8 bytes per thread; 4 are allowed"])

    def test_instances_may_spill_what_their_part_says(self):
        source = ("// one: kernel share with ROWS = 2.\n// 256 threads, 80 registers each; may spill 16 bytes per thread: share<2,\n"
                  "// 3>.\n// two: kernel share with ROWS = 4.\n// 256 threads, 255 registers each: share<4, 1>.\n"
                  "template <int ROWS, int blocks>\n__global__ void __launch_bounds__(256, blocks) share(")
        self.assertEqual(self.faults(source, "_Z5shareILi2ELi3EEvPf", 16), [])
        self.assertEqual(self.faults(source, "_Z5shareILi2ELi3EEvPf", 20), ["one: 20 bytes per thread; 16 are allowed"])
        self.assertEqual(self.faults(source, "_Z5shareILi4ELi1EEvPf", 16), ["two: 16 bytes per thread; 0 are allowed"])

    def test_instances_that_share_a_function(self):
        """The one that allows the least decides, in any order, and each is compiled."""
        parts = ["// {}: kernel share with S = {}.\n// 256 threads, 80 registers each{}: share<2>.\n".format(*words) for words in
                 (("rows", 16, "; may spill 16 bytes per thread"), ("five", 0, ""), ("six", 9, "; may spill 9 bytes per thread"))]
        for order in (parts, parts[::-1]):
            source = "".join(order) + "template <int ROWS>\n__global__ void __launch_bounds__(256) share("
            self.assertEqual(self.faults(source, "_Z5shareILi2EEvPf", 16), ["five: 16 bytes per thread; 0 are allowed"])
            kernels = nvcc_check.judge(SPILLS.format("_Z5shareILi2EEvPf", 16), source)[1]
            self.assertEqual(kernels, dict.fromkeys(("rows", "five", "six"), nvcc_check.Usage(80, 0, 16)))
            source = source.replace("share<2>", "rows_kernel").replace("template <int ROWS>\n", "").replace("share(", "rows_kernel(")
            self.assertEqual(self.faults(source, "_Z11rows_kernelPf", 12), ["five: 12 bytes per thread; 0 are allowed"])
            self.assertEqual(self.faults(source, "_Z11five_kernelPf", 12), ["_Z11five_kernelPf: 12 bytes per thread; 0 are allowed"])

    def test_kernels_for_any_strides_may_spill(self):
        """As `tkc build` lets them. Only such a name does not make one."""
        general = ALLOWS.replace("few", "few_general").replace("; may spill 52 bytes\n// per thread", "")
        self.assertEqual(self.faults(ALLOWS + general, "_Z18few_general_kernelPf", 400), [])
        self.assertEqual(len(self.faults(general, "_Z18few_general_kernelPf", 400)), 1)

    def test_what_is_said_of_a_kernel(self):
        kernels = nvcc_check.judge(SPILLS.format(FEW, 12), ALLOWS)[1]
        self.assertEqual(kernels, {"few": nvcc_check.Usage(80, 0, 12)})
        self.assertEqual(nvcc_check.passed(kernels), (
            True, "few: 80 registers, 0 bytes of static shared memory, 12 bytes spilled\n", {"few": [80, 12]}))

    def test_clean(self):
        self.assertEqual(nvcc_check.judge(CLEAN), (
            [], {"gemm": nvcc_check.Usage(168, 1024, 0)}))
        arrive = "ptxas info    : (C7519) warpgroup.arrive is injected in around line 9 by compiler\n"
        self.assertEqual(nvcc_check.judge(CLEAN + arrive), nvcc_check.judge(CLEAN))

    def test_each_fault(self):
        for line, reason in [
            ("ptxas info    : (C7517) Potential Performance Loss: warpgroup.wait injected",
             "ptxas changed"),
            ("ptxas info    : Potential Performance Loss: 'setmaxnreg ignored to allow debugging",
             "setmaxnreg"),
            ("ptxas info    : Potential Performance Loss: wgmma.mma_async instructions are"
             " serialized", "tensor-core"),
            ("    64 bytes stack frame, 60 bytes spill stores, 60 bytes spill loads", "registers"),
            ("    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", "registers"),
            ("ptxas warning : Local memory used for function 'k', size of stack frame: 8 bytes", "registers"),
            ("k.cu(3): warning #177-D: variable \"x\" was declared but never referenced",
             "there was a warning"),
        ]:
            faults, _ = nvcc_check.judge(CLEAN + line + "\n")
            self.assertEqual(len(faults), 1, line)
            self.assertTrue(faults[0][0].startswith(reason), (line, faults))
            counts = 1 if "warning" in line else 0
            self.assertEqual(len(nvcc_check.judge(CLEAN + line + "\n", quick=True)[0]), counts, line)


def program(folder, name, text):
    """The path of such a script, which runs."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(path, 0o755)
    return path


class Programs(unittest.TestCase):
    """Scripts in place of nvcc."""

    def run_with(self, nvcc, folder):
        source = os.path.join(folder, "k.cu")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(ALLOWS + "}\n")
        out = io.StringIO()
        with mock.patch.dict(os.environ, {"TKC_NVCC_CACHE": os.path.join(folder, "kept")}), \
                mock.patch.object(sys, "argv", ["nvcc_check.py", source, "--nvcc", nvcc]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            return nvcc_check.main(), out.getvalue()

    def test_what_is_no_nvcc(self):
        with tempfile.TemporaryDirectory() as folder:
            fails = program(folder, "fails", "#!/bin/sh\necho release 13.0, V13.0.88\nexit 3\n")
            empty = program(folder, "empty", "#!/bin/nothing\n")
            for nvcc, reason in ((fails, f"`{fails} --version` ended with status 3 and names a release of nvcc."),
                                 ("/bin/true", "--version` ended with status 0 and does not name a release of nvcc."),
                                 (empty, f"{empty} cannot be run: No such file or directory.")):
                status, text = self.run_with(nvcc, folder)
                self.assertEqual(status, 2)
                self.assertIn(reason + " Name another with --nvcc PATH\n", text)

    def test_a_kept_verdict_that_is_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            log = SPILLS.format(FEW, 12)
            nvcc = program(folder, "nvcc", f"#!/bin/sh\n[ $1 = --version ] && exec echo release 13.0, V13.0.88\ncat <<END\n{log}END\n")
            first = self.run_with(nvcc, folder)
            self.assertEqual(first, (0, "few: 80 registers, 0 bytes of static shared memory, 12 bytes spilled\n"))
            [name] = os.listdir(os.path.join(folder, "kept"))
            path = os.path.join(folder, "kept", name)
            good = nvcc_check.read_bytes(path)
            for broken in (b"", b"{", b"\xff", b"[]", b"null", b'{"passed": true}', b'{"passed": 1, "text": "", "kernels": {}}',
                           b'{"passed": true, "text": "", "kernels": []}'):
                with open(path, "wb") as stream:
                    stream.write(broken)
                self.assertEqual(self.run_with(nvcc, folder), first, broken)
                self.assertEqual(nvcc_check.read_bytes(path), good)

    def test_a_full_disk_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "list")
            nvcc_check.write(path, "old")
            with mock.patch.object(os, "replace", side_effect=OSError(28, "No space left on device")), self.assertRaises(OSError):
                nvcc_check.write(path, "new")
            self.assertEqual((os.listdir(folder), nvcc_check.read_bytes(path)), (["list"], b"old"))


@unittest.skipIf(nvcc_check.find_nvcc("") is None, "no nvcc here")
class Compile(unittest.TestCase):
    def run_on(self, text, cache, *options):
        out = io.StringIO()
        path = os.path.join(cache, "kernel.cu")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        with mock.patch.dict(os.environ, {"TKC_NVCC_CACHE": os.path.join(cache, "kept")}), \
                mock.patch.object(sys, "argv", ["nvcc_check.py", *options, path]), \
                contextlib.redirect_stdout(out):
            return nvcc_check.main(), out.getvalue()

    def test_a_kernel_and_its_kept_result(self):
        with tempfile.TemporaryDirectory() as cache:
            text = 'extern "C" __global__ void k(int* p) { *p = 1; }\n'
            first = self.run_on(text, cache)
            self.assertEqual(first[0], 0)
            self.assertRegex(first[1], r"^k: \d+ registers, 0 bytes")
            with mock.patch.object(nvcc_check, "compile_once", side_effect=AssertionError):
                self.assertEqual(self.run_on(text, cache), first)

    def test_local_memory_and_its_kept_result(self):
        with tempfile.TemporaryDirectory() as cache:
            # Indices that are known only at run time keep the array out of registers.
            text = ("__global__ void k(int* p) { int a[64] = {}; for (int i = 0; i < *p; ++i)"
                    " a[p[i] & 63] += i; *p = a[p[1] & 63]; }\n")
            first = self.run_on(text, cache)
            self.assertEqual(first[0], 1)
            self.assertIn("_Z1kPi: 256 bytes per thread; 0 are allowed", first[1])
            with mock.patch.object(nvcc_check, "compile_once", side_effect=AssertionError):
                self.assertEqual(self.run_on(text, cache), first)

    def test_quick(self):
        with tempfile.TemporaryDirectory() as cache:
            text = "__global__ void k(int* p) { *p = 1; }\n"
            self.assertEqual(self.run_on(text, cache, "--quick")[0], 0)
            with mock.patch.object(nvcc_check, "compile_once", return_value=(0, "")) as called:
                self.run_on(text, cache, "--quick")
                self.assertFalse(called.called)
                self.run_on(text, cache)  # has a verdict of its own
                self.assertTrue(called.called)
            self.assertEqual(self.run_on(text + "int x = nothing();\n", cache, "--quick")[0], 1)

    def test_read(self):
        local = ("__global__ void k(int* p) { int a[64] = {}; for (int i = 0; i < *p; ++i)"
                 " a[p[i] & 63] += i; *p = a[p[1] & 63]; }\n")
        with tempfile.TemporaryDirectory() as cache:
            with mock.patch.dict(os.environ, TKC_NVCC_WHOLE=""):
                self.assertEqual(self.run_on(local, cache, "--read")[0], 0)
                self.assertEqual(self.run_on(local + "int x = nothing();\n", cache, "--read")[0], 1)
            with mock.patch.dict(os.environ, TKC_NVCC_WHOLE="1"):
                self.assertEqual(self.run_on(local, cache, "--read")[0], 1)

    def test_the_end_of_nvcc_is_no_verdict(self):
        with tempfile.TemporaryDirectory() as cache:
            with mock.patch.object(nvcc_check, "compile_once", return_value=(-9, "")):
                self.assertEqual(self.run_on("__global__ void k() {}\n", cache)[0], 1)
            self.assertEqual(self.run_on("__global__ void k() {}\n", cache)[0], 0)

    def test_an_error_shows_the_command(self):
        with tempfile.TemporaryDirectory() as cache:
            status, text = self.run_on("__global__ void k() { nothing(); }\n", cache)
            self.assertEqual(status, 1)
            self.assertIn('identifier "nothing" is undefined', text)
            self.assertIn("the command: ", text)

    # As tkc writes them: two instances of a template, and two kernels.
    VARIANTS = ("// of: kernel of; 32 threads: of_kernel<2, true>.\n//\n"
                "// of_general: kernel of; any strides and alignment: of_kernel<1, false>.\n"
                "template <int vector, bool vectors>\n"
                "__global__ void __launch_bounds__(32, 1) of_kernel(int* p) {\n%s}\n"
                "template __global__ void of_kernel<2, true>(int*);\ntemplate __global__ void of_kernel<1, false>(int*);\n"
                "// one: kernel one.\n__global__ void __launch_bounds__(32, 1) one_kernel(int* p) {\n    *p = 1;\n}\n"
                "// one_general: kernel\n// one.\n__global__ void __launch_bounds__(32, 1) one_general_kernel(int* p) {\n%s}\n"
                "// alone_general: kernel a.\n__global__ void __launch_bounds__(32, 1) alone_general_kernel(int* p) {\n%s}\n")
    LOCAL = ("    if (!{0}) {{\n        int a[64] = {{}};\n        for (int i = 0; i < *p; ++i) a[p[i] & 63] += i;\n"
             "        *p = a[p[1] & 63];\n    }}\n")

    def test_general_variants_are_only_read(self):
        fine = "    *p = 2;\n"
        with tempfile.TemporaryDirectory() as cache:
            spills = self.VARIANTS % (self.LOCAL.format("vectors"), self.LOCAL.format("false"), fine)
            self.assertRegex(self.run_on(spills, cache)[1], "one_general: .* 256 bytes spilled\n")
            self.assertNotIn("spilled", self.run_on(spills, cache, "--skip-general")[1])
            for wrong in (self.VARIANTS % (self.LOCAL.format("true") + self.LOCAL.format("!vectors"), fine, fine),  # the other
                          self.VARIANTS % (fine, fine, self.LOCAL.format("false")),  # of no kernel
                          self.VARIANTS % (fine, "    nothing();\n", fine)):
                self.assertEqual(self.run_on(wrong, cache, "--skip-general")[0], 1, wrong)

    def run_joined(self, cache, **texts):
        """(status, what is printed, how often nvcc was called) of files that become one."""
        out = io.StringIO()
        paths = [os.path.join(cache, name + ".cu") for name in texts]
        for path, text in zip(paths, texts.values()):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
        nvcc = nvcc_check.find_nvcc("")
        with mock.patch.dict(os.environ, {"TKC_NVCC_CACHE": os.path.join(cache, "kept")}), \
                mock.patch.object(sys, "argv", ["nvcc_joined.py", "--nvcc", nvcc, "--tkc", "tkc", *paths]), \
                mock.patch.object(nvcc_check, "compile_once", side_effect=nvcc_check.compile_once) as calls, \
                contextlib.redirect_stdout(out):
            return nvcc_joined.main(), out.getvalue(), calls.call_count

    # Both export a function of one name, and have a kernel of one name.
    GOOD = '#include <cstdint>\n__global__ void k(int32_t* p) { *p = 1; }\nextern "C" {\nint call() { return 1; }\n}  // extern "C"\n'
    OTHER = GOOD.replace("1;", "2;")
    SPILLS = ("#include <cstdint>\n__global__ void k(int* p) { int a[64] = {}; for (int i = 0; i < *p; ++i) a[p[i] & 63] += i;"
              " *p = a[p[1] & 63]; }\n")

    def test_joined(self):
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.run_joined(cache, a=self.GOOD, b=self.OTHER), (0, "2 files, 0 faults\n", 1))
            with mock.patch.object(nvcc_check, "compile_once", side_effect=AssertionError):
                for text in (self.GOOD, self.OTHER):
                    status, verdict = self.run_on(text, cache, "--skip-general")
                    self.assertEqual(status, 0)
                    self.assertRegex(verdict, r"^_Z1kPi: \d+ registers, 0 bytes")

    def test_a_fault_in_one_of_two(self):
        with tempfile.TemporaryDirectory() as cache:
            status, text, calls = self.run_joined(cache, good=self.GOOD, bad=self.SPILLS)
            self.assertEqual((status, calls), (1, 3))
            self.assertIn("bad.cu:\nnvcc-check: registers were spilled", text)
            self.assertNotIn("good.cu", text)
            self.assertEqual(self.run_on(self.GOOD, cache)[0], 0)
            self.assertEqual(self.run_on(self.SPILLS, cache)[0], 1)

    KERNEL = ("// {0}: kernel {0}.\nstruct {0}_shared {{\n    float a[{1}];\n}};\n__global__ void __launch_bounds__(32, 1) {0}_kernel(float* p) {{\n"
              "    // {0}.tk:3\n    extern __shared__ unsigned char memory[];\n"
              "    p[0] = reinterpret_cast<{0}_shared*>(memory)->a[{1} - 1];\n}}\n")

    def test_a_kernel_of_two_files(self):
        """Under another name it is the same one; with other shared memory it is not."""
        texts = [self.KERNEL.format(*words) for words in (("one", 8), ("other", 8), ("more", 9))]
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.run_joined(cache, a=texts[0], b=texts[1], c=texts[2]), (0, "3 files, 0 faults\n", 1))
            verdicts = [self.run_on(text, cache, "--skip-general")[1] for text in texts]
        self.assertRegex(verdicts[0], r"^one: \d+ registers")
        self.assertEqual(verdicts[1], verdicts[0].replace("one", "other"))
        self.assertRegex(verdicts[2], r"^more: \d+ registers")
        words = nvcc_joined.words_of(texts[0], nvcc_joined.KERNEL.search(texts[0]))
        body, found, _ = nvcc_joined.without_known(texts[1], {words})
        self.assertEqual((found, body.count("reinterpret_cast")), ({"other": words}, 0))

    def test_instances_that_share_a_kernel_of_two_files(self):
        """Each of them is in the verdict on the second file, and its own allowance counts there."""
        head = "// {0}: kernel x.\n// 32 threads, 80 registers each{1}: {2}_kernel.\n"
        texts = [head.format(a, "", b) + head.format(c, "", b) + self.KERNEL.format(b, 8)
                 for a, b, c in (("five", "rows", "rows"), ("two", "one", "one"))]
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.run_joined(cache, a=texts[0], b=texts[1]), (0, "2 files, 0 faults\n", 1))
            verdicts = [self.run_on(text, cache, "--skip-general")[1] for text in texts]
        self.assertRegex(verdicts[0], r"^five: (\d+) registers, .*\nrows: \1 registers")
        self.assertEqual(verdicts[1].replace("two", "five").replace("one", "rows"), verdicts[0])


class Keys(unittest.TestCase):
    def test_where_a_source_lies_does_not_count(self):
        """Not by its place in the order of paths either."""
        with tempfile.TemporaryDirectory() as folder:
            keys = set()
            for name in ("a", "z"):  # before and after the runtime
                os.mkdir(os.path.join(folder, name))
                source = os.path.join(folder, name, "k.cu")
                with open(source, "w", encoding="utf-8") as stream:
                    stream.write("__global__ void k() {}\n")
                files = sorted([source, os.path.join(folder, "runtime.cuh")])
                with open(os.path.join(folder, "runtime.cuh"), "w", encoding="utf-8") as stream:
                    stream.write("// a header\n")
                keys.add(nvcc_check.cache_key("nvcc", "13.0", [], source, files))
            self.assertEqual(len(keys), 1)


class Groups(unittest.TestCase):
    def test_a_file_finds_only_what_it_includes(self):
        with tempfile.TemporaryDirectory() as folder:
            def source(name, *includes, head=""):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(head + "".join(f"#include <{i}>\n" for i in includes))
                return path

            a, b, ab = source("a", "a"), source("b", "b"), source("ab", "a", "b")
            ampere = source("ampere", "a", head="// nvcc -gencode=arch=compute_80,code=sm_80\n")
            self.assertEqual(nvcc_joined.groups_of([ab, b, ampere, a]), [[a, ab], [ampere], [b]])


if __name__ == "__main__":
    unittest.main()
