"""The package with the real nvcc: a library that its launchers are called in, PTX and machine code. Kept from run to run by content."""
import os
import shutil
import unittest

import support
import tk
from support import OnGpu
from tk import compiler

os.environ.pop("TKC_NVCC", None)  # the toolkit's own
NVCC = compiler.find_nvcc()


@unittest.skipIf(NVCC is None, "there is no nvcc here")
class Nvcc(support.Case):
    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))
        self.module = tk.load(tk.example("softmax.tk"), C=512)

    def test_launcher(self):
        x, y = OnGpu(0x10000, (5, 512), (512, 1), (4, 16)), OnGpu(0x20000, (5, 512), (512, 1), (4, 16))
        with self.raises(ValueError, "overlaps", "`X`", "`Y`"):
            self.module.softmax(x, Y=OnGpu(0x10100, (5, 512), (512, 1), (4, 16)))
        with self.raises(ValueError, "`Y`"):  # written twice at one place
            self.module.softmax(x, Y=OnGpu(0x20000, (5, 512), (0, 1), (4, 16)))
        if shutil.which("nvidia-smi"):
            self.skipTest("with a GPU, the memory would have to be real")
        # All of the arguments arrived as they should: what is missing is the GPU.
        with self.assertRaises(tk.LaunchError) as caught:
            self.module.softmax(x, Y=y)
        self.assertIn(caught.exception.code, (3, 4))

    def test_texts(self):
        self.assertIn(".target sm_90a", self.module.ptx())
        try:
            self.assertIn("EXIT", self.module.sass())
        except tk.BuildError as error:
            self.assertIn("cuobjdump", str(error))


if __name__ == "__main__":
    unittest.main()
