"""The scripts of bench/ that train small models: by the emulator, a few steps each."""
import os
import subprocess
import sys
import types
import unittest
import unittest.mock

import torch

import support

BENCH = os.path.join(support.HERE, "..", "..", "bench")
sys.path.insert(0, BENCH)

import sequence_models  # noqa: E402
import train_sequence  # noqa: E402
import training  # noqa: E402


class Scripts(unittest.TestCase):
    def learn(self, script, *words):
        command = [sys.executable, os.path.join(BENCH, script), "--device", "cpu", "--small", "--text", os.path.join(BENCH, "..", "LICENSE"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_attention(self):
        self.assertEqual(self.learn("train_attention.py", "--steps", "12", "--drop", "0.7").count("ours differs from them by"), 2)

    def test_fp8(self):
        self.learn("train_fp8.py", "--rate", "5e-3", "--drop", "0.7", "--limit", "0.01")

    def test_sequence(self):
        told = self.learn("train_sequence.py", "--rate", "3e-3", "--steps", "12", "--drop", "0.4")
        self.assertEqual(told.count("errors of"), 4)
        self.assertEqual(told.count("ours differs from them by"), 4)


class Wrong(sequence_models.Ours):
    """A rule whose gradients of decays are too small by a tenth."""

    @staticmethod
    def gated_delta(q, k, v, g, beta):
        return sequence_models.Ours.gated_delta(q, k, v, 0.9 * g + 0.1 * g.detach(), beta)


class Judgement(unittest.TestCase):
    """What must not pass, does not."""

    def test_wrong_gradients(self):
        args = types.SimpleNamespace(device="cpu", dim=64, layers=1, head=64, batch=1, length=70)
        data, starts = torch.randint(256, (400,), generator=torch.Generator().manual_seed(0)), 80 * torch.arange(4)[:, None]
        self.assertTrue(train_sequence.layers(args, "gated_delta", data, starts))
        with unittest.mock.patch.object(train_sequence, "Ours", Wrong):
            self.assertFalse(train_sequence.layers(args, "gated_delta", data, starts))

    def test_curves(self):
        curve = torch.linspace(5, 3, 40, dtype=torch.float64)
        losses = {"a": curve, "b": curve + 1e-3, "ours": curve + 1e-3}
        self.assertTrue(training.compare(losses, ("a", "b"), 1.5))
        self.assertFalse(training.compare(losses, ("a", "b"), 2.5))
        self.assertFalse(training.compare({**losses, "ours": curve + 4e-3}, ("a", "b"), 1.5))
        self.assertFalse(training.compare({**losses, "ours": curve * torch.nan}, ("a", "b"), 1.5))
        self.assertTrue(training.compare({**losses, "peer": curve + 4e-3}, ("a", "b"), 1.5))

    def test_rounding_at_random(self):
        x = torch.full((100000,), 1 + 2**-9)  # a quarter of the way from 1 to the next bfloat16
        rounded = sequence_models.Rounded.cast(x, torch.Generator().manual_seed(0)).float()
        self.assertEqual(rounded.unique().tolist(), [1, 1 + 2**-7])
        self.assertAlmostEqual((rounded - 1).mean().item() / 2**-7, 0.25, delta=0.01)


if __name__ == "__main__":
    unittest.main()
