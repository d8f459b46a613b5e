"""Calls of launchers: what arrives in the C function, from PyTorch's tensors and from others; outputs, scratch, workspace, messages."""
import ctypes
import threading
import unittest

import support
import tk
from support import OnGpu, Seen
from tk import launch


class Launch(support.Case):
    def setUp(self):
        super().setUp()
        self.module = tk.load(support.PROBE)
        self.seen = Seen.in_dll(ctypes.CDLL(self.module._path), "seen")
        self.seen.calls = self.seen.code = self.seen.workspace_wanted = 0

    def given(self):
        return (OnGpu(0x1000, (5, 64), (64, 1)), dict(T=OnGpu(0x2000, (5, 64), (64, 1)), Y=OnGpu(0x3000, (5, 64), (80, 1)),
                                                      Z=OnGpu(0x4000, (5,), (1,))))

    def test_any_library(self):
        x, made = self.given()
        y, z = self.module.probe(x, 7, 0.5, **made)
        self.assertIs(y, made["Y"])
        self.assertIs(z, made["Z"])
        self.assertEqual(x.streams, [1])  # the default stream by DLPack's name
        rows = [list(row) for row in self.seen.tensors]
        self.assertEqual(rows[0], [0x1000, 2, 0, 2, 2, 32, 5, 64])
        self.assertEqual(rows[2], [0x3000, 2, 0, 2, 2, 32, 5, 80])
        self.assertEqual(rows[3], [0x4000, 2, 0, 1, 2, 32, 5, 1])
        self.assertEqual((self.seen.n, self.seen.s, self.seen.workspace, self.seen.stream), (7, 0.5, 0, 0))

    def test_outputs_of_a_library_that_cannot_be_asked(self):
        x, made = self.given()
        del made["Y"]
        with self.raises(TypeError, "f32", "pass the outputs yourself"):
            self.module.probe(x, 7, 0.5, **made)

    def test_torch(self):
        with support.torch_in_place(support.fake_torch()) as torch:
            x = torch.Tensor((5, 64), torch.float32, torch.device("cuda", 1), 0x9000)
            y, z = self.module.probe(x, 7, s=0.25)
            self.assertEqual((y.shape, z.shape, y.dtype), ((5, 64), (5,), torch.float32))
            self.assertEqual([t.shape for t in torch.made], [(5, 64), (5,), (5, 64)])  # Y, Z, and T for scratch
            self.assertEqual(list(self.seen.tensors[0]), [0x9000, 2, 1, 2, 2, 32, 5, 64])
            self.assertEqual(self.seen.tensors[2][0], y.address)
            self.assertEqual(self.seen.stream, 71)  # of the tensors' device
            # The same geometry again: another address, and an output that is given.
            again = torch.Tensor((5, 64), torch.float32, torch.device("cuda", 1), 0xa000)
            result = self.module.probe(again, 8, 1, Z=z)
            self.assertIs(result[1], z)
            self.assertEqual((self.seen.tensors[0][0], self.seen.n, self.seen.s), (0xa000, 8, 1.0))
            self.assertEqual(self.seen.calls, 2)

    def test_workspace(self):
        contract = self.module.contracts["probe"]
        contract.workspace = True  # as no kernel says yet
        probe = launch.function(contract, ctypes.CDLL(self.module._path))
        self.seen.workspace_wanted = 512
        with support.torch_in_place(support.fake_torch()) as torch:
            x = torch.Tensor((5, 64), torch.float32, torch.device("cuda", 0), 0x9000)
            probe(x, 7, 0.5)
            self.assertEqual((torch.made[-1].shape, torch.made[-1].dtype), ((512,), torch.uint8))
            self.assertEqual((self.seen.workspace, self.seen.workspace_bytes), (torch.made[-1].address, 512))

    def test_threads(self):
        with support.torch_in_place(support.fake_torch()) as torch:
            wrong = []

            def work(n):
                for i in range(200):
                    x = torch.Tensor((5, 64), torch.float32, torch.device("cuda", 0), 16 * n)
                    y = torch.Tensor((5, 64), torch.float32, torch.device("cuda", 0), 1 << 20)
                    if self.module.probe(x, i, 0.5, Y=y, Z=torch.Tensor((5,), torch.float32, x.device, 64))[0] is not y:
                        wrong.append(i)

            threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_refusals(self):
        x, made = self.given()
        self.seen.code = 2
        with self.raises(ValueError, "probe: `X`: a sentence"):
            self.module.probe(x, 7, 0.5, **made)
        self.seen.code = 4
        with self.raises(tk.LaunchError, "a sentence") as caught:
            self.module.probe(x, 7, 0.5, **made)
        self.assertEqual(caught.exception.code, 4)

    def test_messages(self):
        x, made = self.given()
        probe = self.module.probe
        with self.raises(TypeError, "missing", "'X'"):
            probe(n=1, s=2)
        with self.raises(TypeError, "unexpected keyword", "W"):
            probe(x, 1, 2, W=3)
        with self.raises(TypeError, "`X` must be a tensor", "f32[R, 64]", "got list"):
            probe([1, 2], 1, 2, **made)
        with self.raises(TypeError, "`X` must be f32"):
            probe(OnGpu(0, (5, 64), (64, 1), dtype=(2, 64)), 1, 2, **made)
        with self.raises(ValueError, "`X` must have 2 axes", "[R, 64]", "(5,)"):
            probe(OnGpu(0, (5,), (1,)), 1, 2, **made)
        with self.raises(ValueError, "`X` must have shape [R, 64]", "axis 1 is 63, must be 64"):
            probe(OnGpu(0, (5, 63), (63, 1)), 1, 2, **made)
        with self.raises(ValueError, "`Z` must have shape [R] with R = 5", "axis 0 is 6, must be 5"):
            probe(x, 1, 2, **{**made, "Z": OnGpu(0, (6,), (1,))})
        with self.raises(ValueError, "`X` is on cuda:0 and `Z` on cuda:1", "one device"):
            probe(x, 1, 2, **{**made, "Z": OnGpu(0, (5,), (1,), index=1)})
        with self.raises(TypeError, "`n` must be an integer", "1.5"):
            probe(x, 1.5, 2, **made)
        with self.raises(ValueError, "`n`", "-2147483648 to 2147483647", "2147483648"):
            probe(x, 2**31, 2, **made)
        with self.raises(TypeError, "`s` must be a number", "'two'"):
            probe(x, 1, "two", **made)
        with self.raises(TypeError, "`s` must be a number", ".item()"):
            probe(x, 1, made["Z"], **made)
        self.assertEqual(self.seen.calls, 0)

    def test_not_on_a_gpu(self):
        import numpy
        with self.raises(ValueError, "`X` is on the CPU", "device=\"cpu\""):
            self.module.probe(numpy.zeros((5, 64), "f4"), 1, 2)


if __name__ == "__main__":
    unittest.main()
