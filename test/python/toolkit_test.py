"""Which nvcc: its order, the one that pip installs into the Python environment, and the command `tkc` of the wheel."""
import os
import subprocess
import sys
import unittest
from unittest import mock

import support
import tk
from tk import compiler

SHOW = "from tk import compiler; print(compiler.find_nvcc())"
# As the script `tkc` that pip makes; the compiler prints what it was given.
COMMAND = "import sys; from tk import command; sys.argv[1:] = ['new', 'x']; command.main()"


class Toolkit(support.Case):
    def setUp(self):
        super().setUp()
        tools = os.path.join(self.folder, "tools")  # a PATH without nvcc
        os.mkdir(tools)
        self.environment = dict(os.environ, PATH=tools, TKC_NVCC="", CUDA_HOME="", TK_TKC=compiler.tkc(),
                                PYTHONPATH=os.pathsep.join([os.path.join(self.folder, "site"), *sys.path]))

    def run_python(self, code, **variables):
        done = subprocess.run([sys.executable, "-c", code], env={**self.environment, **variables}, capture_output=True, text=True,
                              check=False)
        return done.stdout.strip() + done.stderr.strip()

    def test_order(self):
        found = []
        last = "/usr/local/cuda/bin/nvcc"
        if not os.path.exists(last):
            last = "None"
        self.assertIn(self.run_python(SHOW), [last, compiler.environment_nvcc()])
        found.append(self.nvcc("site/nvidia/cu13/bin/nvcc", "13.0.3"))
        self.assertEqual(self.run_python(SHOW), found[-1])
        found.append(self.nvcc("tools/nvcc", "13.0.4"))
        self.assertEqual(self.run_python(SHOW), found[-1])
        found.append(self.nvcc("home/bin/nvcc", "13.0.5"))
        self.environment["CUDA_HOME"] = os.path.join(self.folder, "home")
        self.assertEqual(self.run_python(SHOW), found[-1])
        found.append(self.nvcc("named", "13.0.6"))
        self.assertEqual(self.run_python(SHOW, TKC_NVCC=found[-1]), found[-1])
        self.assertEqual(self.run_python(SHOW, TKC_NVCC=os.path.join(self.folder, "missing")), "None")

    def test_relative(self):
        """The path is good in every folder, since tkc may run in another one."""
        self.nvcc("named", "13.0.6")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.set(TKC_NVCC="./named")
        self.assertEqual(compiler.find_nvcc(), os.path.join(os.getcwd(), "named"))
        with open(support.PROBE, encoding="utf-8") as stream:
            tk.from_source(stream.read(), name="probe")

    def test_package_is_not_imported(self):
        """Looking for nvcc imports none of the packages of the folder `nvidia`."""
        self.nvcc("site/nvidia/cu13/bin/nvcc", "13.0.3")
        self.write("site/nvidia/cu13/__init__.py", "raise RuntimeError('imported')\n")
        self.write("site/nvidia/__init__.py", "raise RuntimeError('imported')\n")
        found = self.run_python(SHOW + "; import sys; assert 'nvidia' not in sys.modules")
        self.assertEqual(found, os.path.join(self.folder, "site", "nvidia", "cu13", "bin", "nvcc"))

    def test_command(self):
        """`tkc` is given the environment's nvcc if no other comes before it."""
        shows = self.write("shows", "#!/bin/sh\necho \"$TKC_NVCC $*\"\n")
        os.chmod(shows, 0o755)
        self.environment["TK_TKC"] = shows
        own = self.nvcc("site/nvidia/cu13/bin/nvcc", "13.0.3")
        self.assertEqual(self.run_python(COMMAND), f"{own} new x")
        self.assertEqual(self.run_python(COMMAND, TKC_NVCC="/missing"), "/missing new x")
        self.nvcc("home/bin/nvcc", "13.0.5")
        self.assertEqual(self.run_python(COMMAND, CUDA_HOME=os.path.join(self.folder, "home")), "new x")
        self.nvcc("tools/nvcc", "13.0.4")
        self.assertEqual(self.run_python(COMMAND), "new x")

    def test_none(self):
        self.set(TKC_NVCC="")
        with mock.patch.object(compiler, "find_nvcc", lambda: None):
            with self.raises(tk.BuildError, "$CUDA_HOME/bin, PATH, this Python environment or /usr/local/cuda/bin",
                           "pip install \"cuda-toolkit[nvcc]==13.0.*\"", "device=\"cpu\""):
                tk.load(support.PROBE)
            with self.raises(tk.BuildError, "PTX is made by nvcc", "pip install \"cuda-toolkit[nvcc]==13.0.*\""):
                tk.load(support.PROBE, device="cpu").ptx()


if __name__ == "__main__":
    unittest.main()
