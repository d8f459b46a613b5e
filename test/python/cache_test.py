"""The cache: what is a hit, what is not, several processes, builders that are killed, folders that cannot be written."""
import glob
import os
import signal
import subprocess
import sys
import time
import unittest

import support
import tk
from tk import cache, compiler

LOAD = "import tk, sys; m = tk.load(sys.argv[1]); print(m._path)"
USER = "kernel k<C: int = 64>(X: f32[R, C], out Y: f32[R, C])\n{{\n    grid (r in R by 4) warps(4);\n    store(Y[r, :], {});\n}}\n"


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class Cache(support.Case):
    def key(self, path, **constants):
        """The library's path; of the programs here, the stand-in for nvcc makes one that is never loaded."""
        return cache.library(compiler.Program(path, constants))

    def test_hit(self):
        first = self.key(support.PROBE)
        self.assertEqual(self.key(support.PROBE), first)
        self.assertEqual(self.builds(), 1)
        self.assertTrue(os.path.exists(first))
        names = sorted(os.path.basename(f) for f in glob.glob(os.path.join(os.path.dirname(first), "*")))
        self.assertEqual(names, ["probe.cu", "probe.h", "probe.so"])

    def test_constants_and_content(self):
        path = self.write("k.tk", USER.format("load(X[r, :])"))
        first = self.key(path)
        self.assertNotEqual(self.key(path, C=128), first)
        self.assertEqual(self.key(path, C=64), first)  # the default
        self.write("k.tk", USER.format("2 * load(X[r, :])"))
        self.assertNotEqual(self.key(path), first)
        self.write("k.tk", USER.format("load(X[r, :])"))
        self.assertEqual(self.key(path), first)
        self.assertEqual(self.builds(), 3)

    def test_import(self):
        path = self.write("k.tk", "import twice;\n" + USER.format("twice.f(load(X[r, :]))"))
        self.write("twice.tk", "fn f(x: f32[M, N]) -> f32[M, N] { return 2 * x; }\n")
        first = self.key(path)
        self.write("twice.tk", "fn f(x: f32[M, N]) -> f32[M, N] { return x + x; }\n")
        self.assertNotEqual(self.key(path), first)
        self.assertEqual(self.builds(), 2)

    def test_toolkit(self):
        first = self.key(support.PROBE)
        self.set(FAKE_NVCC_VERSION="13.0.2")
        compiler.nvcc_version.cache_clear()
        self.addCleanup(compiler.nvcc_version.cache_clear)
        self.assertNotEqual(self.key(support.PROBE), first)

    def test_without_nvcc(self):
        self.set(TKC_NVCC=os.path.join(self.folder, "nothing"))
        with self.told(tk.BuildError, "TKC_NVCC names", "device=\"cpu\""):
            self.key(support.PROBE)
        self.set(TKC_NVCC=os.path.join(support.INPUTS, "nvcc.py"))
        first = self.key(support.PROBE)
        self.set(TKC_NVCC=os.path.join(self.folder, "nothing"))
        self.assertEqual(self.key(support.PROBE), first)  # what was built serves

    def start(self):
        return subprocess.Popen([sys.executable, "-c", LOAD, support.PROBE], stdout=subprocess.PIPE, text=True,
                                start_new_session=True)

    def test_two_processes(self):
        self.set(FAKE_NVCC_SLEEP="1")
        processes = [self.start() for _ in range(3)]
        paths = {p.communicate()[0].strip() for p in processes}
        self.assertEqual([p.returncode for p in processes], [0, 0, 0])
        self.assertEqual(len(paths), 1)
        self.assertEqual(self.builds(), 1)

    def test_killed_builder(self):
        self.set(FAKE_NVCC_SLEEP="60")
        process = self.start()
        deadline = time.monotonic() + 30
        while self.builds() == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        kernels = os.path.join(os.environ["TK_CACHE"], "kernels")
        self.assertEqual(len(glob.glob(os.path.join(kernels, "*.new-*"))), 1)  # it left something
        self.set(FAKE_NVCC_SLEEP="0")
        start = time.monotonic()
        self.assertTrue(os.path.exists(self.key(support.PROBE)))
        self.assertLess(time.monotonic() - start, 20)  # it was not waited for
        self.assertEqual(glob.glob(os.path.join(kernels, "*.new-*")), [])

    def test_folder_that_cannot_be_written(self):
        self.set(TK_CACHE=self.write("file", ""))
        with self.told(tk.BuildError, "cannot be written", "set TK_CACHE"):
            self.key(support.PROBE)
        with self.told(tk.BuildError, "cannot be written", "set TK_CACHE"):
            tk.from_source(text_of(support.PROBE), device="cpu")

    def test_folder_that_cannot_be_made(self):
        self.set(TK_CACHE="/proc/self/cache")  # whoever asks, root too
        with self.told(tk.BuildError, "/proc/self/cache cannot be written", "set TK_CACHE"):
            self.key(support.PROBE)

    def test_read_only_hit(self):
        first = self.key(support.PROBE)
        kernels = os.path.dirname(os.path.dirname(first))
        os.chmod(kernels, 0o555)
        self.addCleanup(os.chmod, kernels, 0o755)
        self.assertEqual(self.key(support.PROBE), first)

    def test_failing_nvcc(self):
        path = self.write("bin/nvcc", "#!/bin/sh\n[ \"$1\" = --version ] && echo release 13.0 && exit 0\necho no such luck; exit 1\n")
        os.chmod(path, 0o755)
        self.set(TKC_NVCC=path)
        with self.told(tk.Error, "no such luck"):
            self.key(support.PROBE)
        kernels = os.path.join(os.environ["TK_CACHE"], "kernels")
        self.assertEqual([f for f in os.listdir(kernels) if not f.endswith(".lock")], [])

    def test_path_from_source(self):
        text = text_of(support.PROBE)
        m = tk.from_source(text, name="probe")
        self.assertEqual(m.source(), text)
        self.assertEqual(self.key(support.PROBE), m._path)  # content counts, not where it came from


if __name__ == "__main__":
    unittest.main()
