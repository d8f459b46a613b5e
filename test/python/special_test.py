"""What a NaN in the data of an example reaches, and what it leaves as it is (docs/numerics.md): on the CPU."""
import unittest

import numpy as np

import support
import tk


class Special(support.Case):
    def setUp(self):
        super().setUp()
        self.draw = np.random.default_rng(0)

    def normal(self, *shape, scale=1.0):
        return self.draw.standard_normal(shape) * scale

    def uniform(self, low, high, *shape):
        return self.draw.uniform(low, high, shape)

    def changed(self, call, tensors, name, where):
        """By output: which cells are others, or no numbers, if `name` has NaN at `where`."""
        before = call(tensors)
        spoiled = tensors[name].copy()
        spoiled[where] = np.nan
        after = call(tensors | {name: spoiled})
        for x in before:
            self.assertFalse(np.isnan(x).any())
        return [(a != b) | np.isnan(b) for a, b in zip(before, after)]

    def only(self, changed, allowed):
        """Nothing outside of `allowed` has changed, and something in it has."""
        inside = np.zeros(changed.shape, bool)
        inside[allowed] = True
        self.assertFalse((changed & ~inside).any())
        self.assertTrue((changed & inside).any())

    def test_attention(self):
        m = tk.load(tk.example("attention.tk"), D=64, CAUSAL=True, device="cpu")
        tensors = {"q": self.normal(2, 4, 150, 64), "k": self.normal(2, 2, 150, 64), "v": self.normal(2, 2, 150, 64)}

        def call(x):
            o, lse = m(*(tk.encode(x[name], "bf16") for name in "qkv"), 0.125)
            return tk.decode(o, "bf16"), lse

        for x in self.changed(call, tensors, "q", (1, 2, 7)):
            self.only(x, np.s_[1, 2, 7])
        for x in self.changed(call, tensors, "k", (1, 1, 70)):
            self.only(x, np.s_[1, 2:, 70:])
        o, lse = self.changed(call, tensors, "v", (1, 1, 70))
        self.only(o, np.s_[1, 2:])
        self.assertFalse(lse.any())

    def test_attention_gradients(self):
        """Other batches and heads stay as they are."""
        words = {"D": 64, "CAUSAL": True, "device": "cpu"}
        forward, m = tk.load(tk.example("attention.tk"), **words), tk.load(tk.example("attention_backward.tk"), **words)
        q, do = self.normal(2, 4, 100, 64), self.normal(2, 4, 100, 64)
        k, v = self.normal(2, 2, 100, 64), self.normal(2, 2, 100, 64)
        q, k, v = (tk.encode(x, "bf16") for x in (q, k, v))
        o, lse = forward(q, k, v, 0.125)

        def call(x):
            made = m.attention_backward(q, k, v, o, lse, tk.encode(x["do"], "bf16"), 0.125)
            return [tk.decode(y, "bf16") for y in made]

        dq, dk, dv = self.changed(call, {"do": do}, "do", (1, 2, 7))
        self.only(dq, np.s_[1, 2, 7])
        self.only(dk, np.s_[1, 1])
        self.only(dv, np.s_[1, 1])

    def test_states(self):
        """Heads, batches and earlier chunks stay as they are."""
        b, n, h, t = 2, 150, 2, 100
        m = tk.load(tk.example("linear_attention.tk"), DK=64, DV=64, device="cpu")
        tensors = {name: self.normal(b, n, h, 64) for name in "qkv"}

        def linear(x):
            o, state = m.linear_attention(
                *(tk.encode(x[name], "bf16") for name in "qkv"), np.float32([-0.1, -0.03]),
                np.zeros((0, h, 64, 64), np.float32), np.zeros(0, np.int32), 0.3,
                State=np.zeros((b, h, 64, 64), np.float32))
            return tk.decode(o, "bf16"), state

        for name in "kv":
            o, state = self.changed(linear, tensors, name, (1, t, 1))
            self.only(o, np.s_[1, 64:, 1])
            self.only(state, np.s_[1, 1])
        o, state = self.changed(linear, tensors, "q", (1, t, 1))
        self.only(o, np.s_[1, t, 1])
        self.assertFalse(state.any())

    def packed(self, call, tensors, starts):
        """A NaN anywhere in the second sequence leaves the others as they are."""
        for name in tensors:
            o, state = self.changed(call, tensors, name, np.s_[0, starts[1]:starts[2]])
            self.only(o, np.s_[:, starts[1]:starts[2]])
            if state.any():
                self.only(state, np.s_[1])

    def test_kimi_delta_packed(self):
        starts, n = np.int32([0, 40, 75, 110]), 110
        m = tk.load(tk.example("kimi_delta_packed.tk"), DK=64, TG="f32", device="cpu")
        tensors = {"q": self.normal(1, n, 1, 64), "k": self.normal(1, n, 1, 64, scale=0.1), "v": self.normal(1, n, 1, 64),
                   "g": self.uniform(-0.3, 0, 1, n, 1, 64), "beta": self.uniform(0, 1, 1, n, 1)}

        def call(x):
            o, state = m.kimi_delta_packed(
                *(tk.encode(x[name], "bf16") for name in "qkv"), x["g"].astype(np.float32), x["beta"].astype(np.float32),
                np.zeros((0, 1, 64, 64), np.float32), starts, 0.125, State=np.zeros((3, 1, 64, 64), np.float32))
            return tk.decode(o, "bf16"), state

        self.packed(call, tensors, starts)

    def test_causal_conv_packed(self):
        starts, n = np.int32([0, 40, 75, 110]), 110
        m = tk.load(tk.example("causal_conv_packed.tk"), device="cpu")
        weight, bias = tk.encode(self.normal(4, 32), "bf16"), tk.encode(self.normal(32), "bf16")

        def call(x):
            y, behind = m.causal_conv_packed(
                tk.encode(x["x"][0], "bf16"), weight, bias, tk.encode(np.zeros((0, 3, 32)), "bf16"), starts,
                Behind=tk.encode(np.zeros((3, 3, 32)), "bf16"))
            return tk.decode(y, "bf16")[None], tk.decode(behind, "bf16")

        self.packed(call, {"x": self.normal(1, n, 32)}, starts)

    def test_hedgehog_gradients_packed(self):
        """Those of queries, keys, values and states stay in their sequence; those of weights are sums over all."""
        starts, n = np.int32([0, 70, 198, 200, 264]), 264
        m = tk.load(tk.example("hedgehog_backward.tk"), D=64, DV=64, PACKED=True, STATES=True, device="cpu")
        draw = {"WQ": self.normal(1, 64, 64, scale=0.2), "WK": self.normal(1, 64, 64, scale=0.2),
                "O": self.normal(1, n, 1, 64, scale=0.2)}
        rest = {name: tk.encode(x, "bf16") for name, x in draw.items()}
        states = self.normal(4, 1, 128, 64).astype(np.float32), self.uniform(1, 2, 4, 1, 128).astype(np.float32)
        zero = np.zeros((0, 1, 128, 64), np.float32), np.zeros((0, 1, 128), np.float32)
        tensors = {name: self.normal(1, n, 1, 64) for name in ("Q", "K", "V", "dO")}

        def call(x):
            x = {name: tk.encode(x[name], "bf16") for name in tensors} | rest
            made = m.hedgehog_backward(x["Q"], x["K"], x["V"], x["WQ"], x["WK"], np.float32([1.5]), np.float32([0.5]), x["O"],
                                       *states, x["dO"], *zero, starts, 0.125, 1e-6, 1, 64,
                                       dS0=np.zeros((4, 1, 128, 64), np.float32), dZ0=np.zeros((4, 1, 128), np.float32))
            return [tk.decode(y, "bf16") for y in made[:3]] + list(made[-2:])

        for name in tensors:
            for q in range(4):
                dq, dk, dv, ds, dz = self.changed(call, tensors, name, np.s_[0, starts[q]:starts[q + 1]])
                own = np.s_[:, starts[q]:starts[q + 1]]
                for x in (dq, dk, dv):
                    if x.any():
                        self.only(x, own)
                for x in (ds, dz):
                    if x.any():
                        self.only(x, np.s_[q])

    def test_top_of_few(self):
        """More places than experts: refused, with the condition."""
        with self.assertRaises(tk.CompileError) as caught:
            tk.load(tk.example("moe_routing.tk"), E=4, TOP=8, device="cpu")
        self.assertIn("`TOP <= E` does not hold", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
