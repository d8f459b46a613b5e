"""tk.decoder: greedy decoding of a small model against its float32 reference, by the emulator; on a Hopper GPU with nvcc by the kernels,
as a CUDA graph whose texts change between replays. Needs PyTorch."""
import os
import subprocess
import sys
import unittest
from unittest import mock

import torch

import support
import torch_test
from tk.decoder import Greedy, Model, lead_over
from torch_test import Case

MARGIN = 0.1  # deviations of the scores


class DecoderCase(Case):
    device = "cpu"

    def model(self, layers=2, dim=128):
        torch.manual_seed(0)
        return Model(128, layers, dim, 2, 1, 128, places=96, device=self.device)

    def texts(self, *lengths):
        return [torch.randint(0, 128, (n,)).tolist() for n in lengths]

    @torch.no_grad()
    def judge(self, greedy, given):
        """Every new token is nearly the best one after the text before it, and scores are those of the reference."""
        sure = 0
        for row, first in enumerate(given):
            text = greedy.text[row, :int(greedy.lengths[row]) + 1]
            logits = greedy.model.reference(text[None, :-1], last=len(text) - first)[0]
            lead = lead_over(logits, text[first:]) / logits.std(dim=-1)
            self.assertLess(lead.max().item(), MARGIN)
            best = logits.topk(2).values
            sure += int((best[:, 0] - best[:, 1] > MARGIN * logits.std(dim=-1)).sum())
            self.close(greedy.logits[row], logits[-1], 3e-2)
        self.assertGreater(sure, 0)


class Decoder(DecoderCase):
    def test_greedy(self):
        greedy = Greedy(self.model(), 3, 80, page=16)
        for lengths in ((5, 33, 1), (70, 2, 20)):  # the second prompt over what the first one left
            greedy.table.copy_(torch.randperm(greedy.table.numel()).view_as(greedy.table))
            greedy.prompt(self.texts(*lengths))
            for _ in range(4):
                greedy.step()
            self.assertEqual(greedy.lengths.tolist(), [n + 4 for n in lengths])
            self.judge(greedy, lengths)

    def test_heads(self):
        greedy = Greedy(self.model(1, dim=144), 2, 40, page=16)  # of 72 cells
        greedy.prompt(self.texts(5, 20))
        greedy.step()
        self.judge(greedy, (5, 20))

    def test_chunks(self):
        texts = self.texts(50, 3)
        made = []
        for chunk in (512, 16):
            greedy = Greedy(self.model(), 2, 64, page=64)
            with mock.patch("tk.decoder._CHUNK", chunk):
                greedy.prompt(texts)
            greedy.step()
            made.append((greedy.text, greedy.logits))
            self.judge(greedy, (50, 3))
        self.assertTrue(torch.equal(made[0][0], made[1][0]))
        self.close(made[0][1], made[1][1])

    def test_traced(self):
        torch._dynamo.reset()
        model = self.model(1)
        greedy = Greedy(model, 2, 32, page=16)
        greedy.prompt(self.texts(5, 20))
        arguments = greedy.text.gather(1, greedy.lengths.long()[:, None]), greedy.lengths + 1, greedy.caches, greedy.table
        traced = torch.compile(model, fullgraph=True, backend="aot_eager")
        with torch.no_grad():
            self.assertTrue(torch.equal(traced(*arguments), model(*arguments)))

    def test_judged(self):
        # A token that is not the best one is found.
        greedy = Greedy(self.model(), 1, 32, page=16)
        greedy.prompt(self.texts(8))
        greedy.text[0, 8] = greedy.logits[0].argmin()
        with self.assertRaises(AssertionError):
            self.judge(greedy, (8,))

    def test_messages(self):
        model = self.model(1)
        for words, call in [("a multiple of kv_heads (3)", lambda: Model(128, 1, 128, 4, 3, 128, device="cpu")),
                            ("multiples of 8", lambda: Model(127, 1, 128, 2, 1, 128, device="cpu")),
                            ("96 places", lambda: Greedy(model, 1, 100)),
                            ("2 texts of 1 to 16 tokens", lambda: Greedy(model, 2, 16).prompt([[1], []]))]:
            with self.raises(ValueError, words):
                call()
        greedy = Greedy(model, 1, 3)
        greedy.prompt([[1, 2]])
        greedy.step()
        with self.raises(ValueError, "place for 3 tokens"):
            greedy.step()

    def test_script(self):
        script = os.path.join(support.HERE, "..", "..", "bench", "decode_model.py")
        done = subprocess.run([sys.executable, "-W", "ignore", script, "--device", "cpu"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("same bits", done.stdout)


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(DecoderCase):
    """The kernels themselves. Libraries are kept from run to run."""
    device = "cuda"

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_graph(self):
        model = self.model()
        captured, called = (Greedy(model, 3, 80, page=16) for _ in range(2))
        for lengths in ((5, 33, 1), (60, 2, 20)):
            captured.table.copy_(torch.randperm(captured.table.numel()).view_as(captured.table))
            texts = self.texts(*lengths)
            for greedy in (captured, called):
                greedy.prompt(texts)
            if captured._graph is None:
                captured.capture()
                self.assertEqual(captured.lengths.tolist(), list(lengths))
            for _ in range(12):
                captured.step()
                called.step()
            self.judge(captured, lengths)
            self.assertTrue(torch.equal(captured.text, called.text) and torch.equal(captured.logits, called.logits))


if __name__ == "__main__":
    unittest.main()
