"""Functions on the CPU: results of examples against NumPy, what is refused, layouts, outputs that are given."""
import copy
import os
import pickle
import signal
import threading
import time
import unittest

import numpy as np

import support
import tk


def load(name, **constants):
    return tk.load(tk.example(name), device="cpu", **constants)


def bf16(*shape, seed=0, scale=1.0):
    return tk.encode(np.random.default_rng(seed).standard_normal(shape) * scale, "bf16")


def plain(x):
    return tk.decode(x, "bf16")


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Emulated(support.Case):
    def close(self, got, want, within=1e-2):
        error = np.linalg.norm(got.astype(float) - want) / np.linalg.norm(want)
        self.assertLess(error, within)

    def test_softmax(self):
        m, x = load("softmax.tk", C=40), bf16(13, 40)
        self.close(plain(m(x)), softmax(plain(x)))

    def test_target(self):
        m, x = load("softmax.tk", C=40, target="sm_80"), bf16(13, 40)
        self.close(plain(m(x)), softmax(plain(x)))
        self.assertIn("code=[sm_80,compute_80]", str(m.cuda()))
        with self.assertRaises(tk.CompileError) as caught:
            load("gemm.tk", target="sm_80")
        self.assertIn("TK6013", str(caught.exception))
        with self.assertRaises(tk.BuildError) as caught:
            load("softmax.tk", target="sm_1")
        self.assertIn("sm_1", str(caught.exception))

    def test_gemm_of_views(self):
        a, b = bf16(70, 200), bf16(48, 64, seed=1)
        out = np.zeros((70, 128), a.dtype)
        # Rows of larger arrays; the output's columns next to it stay as they are.
        c = load("gemm.tk").gemm(a[:, 8:56], b, C=out[:, :64])
        self.close(plain(c), plain(a[:, 8:56]) @ plain(b))
        self.assertTrue((plain(out[:, 64:]) == 0).all())
        self.assertTrue(np.shares_memory(c, out))

    def test_attention(self):
        q, k, v = bf16(1, 4, 50, 64), bf16(1, 2, 70, 64, seed=1), bf16(1, 2, 70, 64, seed=2)
        o, lse = load("attention.tk", D=64, CAUSAL=True)(q, k, v, 0.125)
        kk, vv = (np.repeat(plain(x), 2, axis=1) for x in (k, v))
        s = plain(q) @ kk.transpose(0, 1, 3, 2) * 0.125
        s = np.where(np.arange(70)[None, :] <= np.arange(50)[:, None] + 20, s, -np.inf)
        self.close(plain(o), softmax(s) @ vv, 2e-2)
        self.close(lse, np.log(np.exp(s).sum(-1)))
        self.assertEqual((o.shape, lse.shape, lse.dtype), ((1, 4, 50, 64), (1, 4, 50), np.float32))

    def test_attention_backward(self):
        # What the forward kernel made goes into the backward one; the first rows see the first keys.
        q, do = bf16(1, 4, 50, 64), bf16(1, 4, 50, 64, seed=3)
        k, v = bf16(1, 2, 70, 64, seed=1), bf16(1, 2, 70, 64, seed=2)
        constants = dict(D=64, CAUSAL=True, BOTTOM_RIGHT=False)
        o, lse = load("attention.tk", **constants).attention(q, k, v, 0.125)
        got = load("attention_backward.tk", **constants).attention_backward(q, k, v, o, lse, do, 0.125)
        kk, vv = (np.repeat(plain(x), 2, axis=1).astype(float) for x in (k, v))
        turned = lambda x: x.transpose(0, 1, 3, 2)  # noqa: E731
        s = plain(q) @ turned(kk) * 0.125
        p = softmax(np.where(np.arange(70)[None, :] <= np.arange(50)[:, None], s, -np.inf))
        dp = plain(do) @ turned(vv)
        ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * 0.125
        want = ds @ kk, *(x.reshape(1, 2, 2, 70, 64).sum(2) for x in (turned(ds) @ plain(q), turned(p) @ plain(do)))
        for a, b in zip(got, want, strict=True):
            self.close(plain(a), b)

    def test_products_of_bytes(self):
        rng = np.random.default_rng(6)
        a, b = rng.integers(-4, 5, (70, 48)), rng.integers(-4, 5, (40, 48))
        rows, cols = rng.random(70, np.float32), rng.random(40, np.float32)
        bits = np.array([0x00, 0x38, 0x40, 0x44, 0x48], np.uint8)  # of 0 .. 4 in e4m3
        fp8 = lambda x: tk.bits(bits[abs(x)] | np.where(x < 0, 0x80, 0).astype(np.uint8), "fp8_e4m3")  # noqa: E731
        m = load("gemm_fp8.tk")
        self.assertTrue((m.gemm_fp8_f32(fp8(a), fp8(b)) == a @ b.T).all())
        scaled = (a @ b.T) * rows[:, None] * cols
        self.close(plain(m.gemm_fp8_rows(fp8(a), fp8(b), rows, cols)), scaled)
        m = load("gemm_i8.tk")
        c = m.gemm_i8(a.astype(np.int8), b.astype(np.int8))
        self.assertEqual(c.dtype, np.int32)
        self.assertTrue((c == a @ b.T).all())
        self.close(plain(m.gemm_i8_rows(a.astype(np.int8), b.astype(np.int8), rows, cols)), scaled)

    def test_entry_with_scratch(self):
        x, w1, bias, w2 = bf16(20, 64), bf16(64, 128, seed=1, scale=0.1), bf16(128, seed=2), bf16(128, 64, seed=3, scale=0.1)
        h = np.maximum(plain(x) @ plain(w1) + plain(bias), 0)
        self.close(plain(load("mlp.tk")(x, w1, bias, w2)), h @ plain(w2))

    def test_instance_of_an_entry(self):
        self.write("powers.tk", """
kernel multiplied<F: int>(X: f32[M, N], Z: f32[M, N], out Y: f32[M, N])
{
    grid (m in M by 8, n in N by 64) warps(4);
    store(Y[m, n], load(X[m, n]) * load(Z[m, n]) * F);
}
entry cubed<F: int>(X: f32[M, N], out Y: f32[M, N]) { scratch T: f32[M, N]; multiplied<F = 1>(X, X, T); multiplied<..>(X, T, Y); }
""")
        path = self.write("use.tk", "import powers;\ninstance powers.cubed<F = 2> as twice;\ninstance powers.cubed<F = 3> as thrice;\n")
        m, x = tk.load(path, device="cpu"), np.arange(12, dtype=np.float32).reshape(3, 4)
        self.assertTrue((m.twice(x) == 2 * x ** 3).all())
        self.assertTrue((m.thrice(x) == 3 * x ** 3).all())

    def test_extent_behind_a_factor(self):
        m = load("rope.tk", D=64, G=2)  # QKV: [B, T, 4*HKV, 64]; heads of the outputs follow
        rng = np.random.default_rng(4)
        packed, cosine, sine = bf16(2, 5, 12, 64), rng.random((5, 32), np.float32), rng.random((5, 32), np.float32)
        q, k, v = m(packed, cosine, sine)
        self.assertEqual((q.shape, k.shape, v.shape), ((2, 6, 5, 64), (2, 3, 5, 64), (2, 3, 5, 64)))
        x = plain(packed).transpose(0, 2, 1, 3)
        a, b = x[:, :6, :, :32], x[:, :6, :, 32:]
        self.close(plain(q), np.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1))
        self.close(plain(v), x[:, 9:])
        with self.raises(ValueError, "`QKV` must have shape [B, T, 4*HKV, 64]", "axis 2 is 10, must be 8"):
            m(bf16(2, 5, 10, 64), cosine, sine)

    def test_numbers_in_between(self):
        # Parameters are in the order of the .tk, numbers between tensors too.
        x, label = bf16(6, 32), np.array([1, 5, 31, 0, 7, 2], np.int32)
        m = load("cross_entropy.tk")
        loss, lse = m.cross_entropy(x, label, -100)
        want = np.log(np.exp(plain(x)).sum(-1))
        self.close(lse, want)
        self.close(loss, want - plain(x)[np.arange(6), label])
        dx = m.cross_entropy_backward(x, label, -100, lse, 1.0)
        self.close(plain(dx), softmax(plain(x)) - np.eye(32)[label])

    def test_bits_and_types(self):
        m, x = load("softmax.tk", C=8), np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)  # bf16 by hand, cut off
        self.close(plain(m(tk.bits(bits, "bf16"))), softmax((bits.astype(np.uint32) << 16).view(np.float32)))
        with self.raises(TypeError, "`X` must be bf16, got uint16", "pass `tk.bits(X, \"bf16\")`"):
            m(bits)
        with self.raises(TypeError, "the bits of bf16 are uint16, got float32"):
            tk.bits(x, "bf16")
        with self.raises(TypeError, "'f32' must be one of bf16, fp8_e4m3, fp8_e5m2"):
            tk.bits(bits, "f32")
        codes = np.array([0x38, 0xc0], np.uint8)  # 1, -2
        for held in (codes, codes.view(np.int8), tk.bits(codes, "fp8_e4m3")):
            np.testing.assert_array_equal(tk.decode(held, "fp8_e4m3"), np.array([1, -2], np.float32))
        with self.raises(TypeError, "decode(): fp8_e4m3 is decoded from an array, got bytes; `numpy.frombuffer(.., numpy.uint8)`"):
            tk.decode(codes.tobytes(), "fp8_e4m3")
        with self.raises(TypeError, "decode(): 'fp8' must be one of f16, bf16"):
            tk.decode(codes, "fp8")
        values = np.array([1.0, -2.5, 1 + 2**-8, 1 + 3 * 2**-8, np.inf, np.nan, 3e38], np.float32)
        want = [1.0, -2.5, 1.0, 1 + 2**-6, np.inf, np.nan, 226 * 2.0**120]
        np.testing.assert_array_equal(plain(tk.encode(values, "bf16")), np.array(want, np.float32))
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(tk.encode(values, "f16"), values.astype(np.float16))

    def test_cells_of_64_bits(self):
        text = ("kernel k<T: dtype = i64>(X: T[R, 65], s: T, out Y: T[R, 65], out At: i32[R])\n{\n"
                "    grid (r in R by 2) warps(4);\n    let x = load(X[r, :]);\n"
                "    store(Y[r, :], x + x + s);\n    store(At[r], argmax(x, axis = 1));\n}\n")
        random = np.random.default_rng(0)
        for name, x, s in (("i64", random.integers(-2**62, 2**62, (7, 65)) * 2 + 1, 2**40),
                           ("f64", random.standard_normal((7, 65)), 0.1)):
            y, at = tk.from_source(text, device="cpu", T=name).k(x, s)
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(y, x + x + s)  # integers wrap
            np.testing.assert_array_equal(at, x.argmax(axis=1))

    def test_kernels_of_several_widths(self):
        # One launcher: the kernel is the one that fits the rows.
        text = ("kernel k<C: int = 64>(X: f32[R, C], out Y: f32[R, C])\n{\n    grid (r in R by 4) warps(4);\n"
                "    store(Y[r, :], 2 * load(X[r, :]));\n}\ninstance k<C = 128> as k_128;\n")
        k = tk.from_source(text, device="cpu").k
        for columns in (64, 128):
            x = np.random.default_rng(0).standard_normal((3, columns)).astype(np.float32)
            np.testing.assert_array_equal(k(x), 2 * x)
        with self.raises(ValueError, "none of its kernels takes `X` (3, 96)", "must be 64", "must be 128"):
            k(np.ones((3, 96), np.float32))

    def test_candidates(self):
        # One function chooses, each instance has its own, and one with the kernel's constants is a name for it.
        text = ("kernel k<schedule BM: int = 4>(X: f32[R, 64], out Y: f32[R, 64])\n{\n    grid (r in R by BM) warps(4);\n"
                "    store(Y[r, :], 2 * load(X[r, :]));\n}\ninstance k<BM = 16> as k_16;\ninstance k<BM = 4> as k_4;\n")
        m = tk.from_source(text, device="cpu")
        x = np.random.default_rng(0).standard_normal((33, 64)).astype(np.float32)
        for function, candidates in ((m.k, ["k", "k_16"]), (m.k_16, ["k_16"]), (m.k_4, ["k"])):
            np.testing.assert_array_equal(function(x), 2 * x)
            fast = [kernel for kernel in function.contract.candidates if not kernel["general"]]
            self.assertEqual([kernel["name"] for kernel in fast], candidates)
        self.assertIn("  k_16: BM = 16\n      ceil_div(R, 16) programs of ", m.k.__doc__)
        self.assertNotIn("programs", m.k_4.__doc__)

    def test_refusals(self):
        gemm = load("gemm.tk").gemm
        with self.raises(ValueError, "gemm(): ", "multiple of 16"):  # what the launcher would say
            gemm(bf16(64, 63), bf16(63, 64))
        with self.raises(ValueError, "negative stride"):
            gemm(bf16(64, 64)[::-1], bf16(64, 64))
        with self.raises(ValueError, "`C` is written and overlaps `A`"):
            a = bf16(64, 64)
            gemm(a, bf16(64, 64), C=a)
        with self.raises(ValueError, "`C` is written, and its array is read-only"):
            c = bf16(64, 64)
            c.setflags(write=False)
            gemm(bf16(64, 64), bf16(64, 64), C=c)
        with self.raises(TypeError, "`A` must be bf16, got float32", "tk.encode(A, \"bf16\")"):
            gemm(np.zeros((64, 64), np.float32), bf16(64, 64))
        with self.raises(ValueError, "`A` must have 2 axes, [M, K]"):
            gemm(bf16(64), bf16(64, 64))
        with self.raises(ValueError, "`ids` must have 1 axis, [R], got shape (1, 3)"):
            load("embedding.tk", C=8).embedding(bf16(4, 8), np.zeros((1, 3), np.int32))
        with self.raises(TypeError, "`ids` must be i32, got int64; `ids.astype(numpy.int32)` converts it"):
            load("embedding.tk", C=8).embedding(bf16(4, 8), np.zeros(3, np.int64))
        with self.raises(ValueError, "`B` must have shape [K, N] with K = 64", "axis 0 is 32, must be 64"):
            gemm(bf16(64, 64), bf16(32, 64))
        with self.raises(TypeError, "missing", "'B'"):
            gemm(bf16(64, 64))

    def test_arrays_of_other_kinds(self):
        text = "kernel k(X: f32[N], inout Y: f32[N])\n{\n    grid (n in N by 32) warps(1);\n    store(Y[n], load(X[n]));\n}\n"
        k = tk.from_source(text, device="cpu").k
        x, y = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
        with self.raises(TypeError, "`X` must be f32, got big-endian float32", "X.astype(numpy.float32)"):
            k(x.astype(">f4"), y)
        with self.raises(TypeError, "`Y` must be f32, got big-endian float32"):
            k(x, y.astype(">f4"))
        with self.raises(TypeError, "`X` is a masked array", "`X.filled(..)`"):
            k(np.ma.masked_equal(x, 3), y)
        k(tk.encode(x.astype(">f4"), "f32"), y)
        np.testing.assert_array_equal(x, y)

    def test_numbers(self):
        text = ("kernel k(X: f32[N], low: f32, high: f64, flip: bool, out Y: f32[N])\n{\n    grid (n in N by 32) warps(1);\n"
                "    let x = min(max(load(X[n]), low), f32(high));\n    store(Y[n], where(flip, -x, x));\n}\n")
        k, x = tk.from_source(text, device="cpu").k, np.array([-2, 0.5, 3], np.float32)
        infinity = float("inf")
        for low, high, flip in ((0.0, infinity, False), (-infinity, 1, True), (np.float32(-1), np.float64(2), np.bool_(True)), (0, 1e300, 1)):
            want = np.clip(x, low, np.float32(min(high, 100)))
            np.testing.assert_array_equal(k(x, low, high, flip), -want if flip else want)
        k(x, float("nan"), 1.0, False)
        for low, wrong in (("1e-5", "'1e-5' of str"), (b"1", "b'1' of bytes"), (None, "None of NoneType"), (1j, "1j of complex")):
            with self.raises(TypeError, "`low` must be a number (f32), got " + wrong):
                k(x, low, 1.0, False)
        with self.raises(ValueError, "`low` must be a number (f32), got 1e+39, which is beyond the largest f32"):
            k(x, 1e39, 1.0, False)
        with self.raises(ValueError, "which no float holds"):
            k(x, 10**400, 1.0, False)
        for flip in ("False", 2, 0.0):
            with self.raises(TypeError, "`flip` must be a bool (bool), got "):
                k(x, 0.0, 1.0, flip)

    def test_extents_that_are_numbers(self):
        text = ("kernel part(X: f32[N], splits: i32, out P: f32[splits])\n{\n    grid (s in splits) warps(1);\n"
                "    store(P[s], f32(s) + f32(N));\n}\n"
                "kernel total(P: f32[S], out Y: f32[2])\n{\n    grid (i in 2) warps(1);\n    store(Y[i], P[S - 1]);\n}\n"
                "entry last(X: f32[N], splits: i32, out Y: f32[2])\n{\n    scratch P: f32[splits];\n"
                "    part(X, splits, P);\n    total(P, Y);\n}\n"
                "kernel ramp(n: i32, out Y: f32[n])\n{\n    grid (i in n) warps(1);\n    store(Y[i], f32(i));\n}\n")
        m, x = tk.from_source(text, device="cpu"), np.zeros(7, np.float32)
        for splits in (1, 5):
            np.testing.assert_array_equal(m.part(x, splits), 7 + np.arange(splits))
            np.testing.assert_array_equal(m.last(x, splits), [splits + 6] * 2)
        self.assertEqual(m.part(x, 0).shape, (0,))
        np.testing.assert_array_equal(m.ramp(4), np.arange(4))  # no tensor says which library: NumPy
        with self.raises(ValueError, "`P` must have shape [splits] with splits = 5, got (4,)"):
            m.part(x, 5, P=np.zeros(4, np.float32))
        with self.raises(ValueError, "`P`, [splits], would be (-1,)"):
            m.part(x, -1)
        with self.raises(TypeError, "`splits` must be an integer (i32)"):
            m.part(x, 2.0)

    def test_parts_of_one_buffer(self):
        text = "kernel k(X: f32[R, C], out Y: f32[R, C])\n{\n    grid (r in R, c in C by 16) warps(1);\n    store(Y[r, c], load(X[r, c]));\n}\n"
        k, random = tk.from_source(text, device="cpu").k, np.random.default_rng(0)

        def parts():
            a = random.standard_normal((8, 48)).astype(np.float32)
            yield a[:, :20], a[:, 20:40]
            yield a[:, 28:], a[:, 8:28]
            yield a[::2], a[1::2]
            yield a[:, ::2], a[:, 1::2]
            yield a[:4, 8:], a[4:, :40]
            packed = a.reshape(8, 2, 3, 8)
            yield packed[:, 1, 0], packed[:, 0, 2]

        for x, y in parts():
            want = x.copy()
            k(x, Y=y)
            np.testing.assert_array_equal(y, want)
        a = np.zeros((8, 48), np.float32)
        for x, y in ((a[:, :20], a[:, 19:39]), (a[:4], a[3:7]), (a[:, 28:], a[:, 20:40]), (a, a), (a[::2], a[2::2][:3])):
            with self.raises(ValueError, "`Y` is written and overlaps `X`"):
                k(x[:len(y)], Y=y)

    def test_assertion_and_print(self):
        text = ("kernel k(X: f32[N], out Y: f32[N])\n{\n    grid (n in N by 128) warps(4);\n    let x = load(X[n]);\n"
                "    assert(x < 100, \"too large\");\n    store(Y[n], x);\n}\n")
        m = tk.from_source(text, device="cpu", debug=True)
        x = np.arange(50, dtype=np.float32)
        np.testing.assert_array_equal(m(x), x)
        with self.raises(tk.LaunchError, "too large", "cell.tk:5"):
            m(4 * x)
        np.testing.assert_array_equal(m(x), x)  # the process serves on

    def test_data_that_kernels_are_not_made_for(self):
        text = ("kernel rows(X: f32[V, 8], id: i32[T], out Y: f32[T, 8])\ntrusts within(id, 0, V)\n{\n"
                "    grid (t in T by 4) warps(1);\n    store(Y[t, :], load(X[load(id[t]), :]));\n}\n"
                "kernel pages(X: f32[V, 8], id: i64[T], out Y: f32[T, 8])\n{\n"
                "    grid (t in T by 4) warps(1);\n    store(Y[t, :], load(X[i32(load(id[t])), :]));\n}\n")
        x = np.arange(72, dtype=np.float32).reshape(9, 8)
        for debug in (False, True):
            m = tk.from_source(text, device="cpu", debug=debug)
            np.testing.assert_array_equal(m.rows(x, np.array([1, 8], np.int32)), x[[1, 8]])
            with self.raises(tk.LaunchError, "cell [1, 0]: within(id, 0, V)", "cell.tk:5"):
                m.rows(x, np.array([1, 99], np.int32))
            np.testing.assert_array_equal(m.pages(x, np.array([1, 8], np.int64)), x[[1, 8]])
            with self.raises(tk.LaunchError, "`id[t + row_index]` fits in i32", "cell.tk:10"):
                m.pages(x, np.array([1, 2**32 + 1], np.int64))

    def test_forks_and_many_calls(self):
        m, x = load("softmax.tk", C=8), bf16(3, 8)
        want = m(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if (plain(m(x)) == plain(want)).all() else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        for _ in range(50):
            np.testing.assert_array_equal(plain(m(x)), plain(want))

    def test_interrupted_calls(self):
        # What an interrupted call had to say is not the answer to the next one, which has results of the same size.
        text = ("kernel slow(X: f32[M, 64], out Y: f32[M, 64])\n{\n    grid (m in M by 4) warps(4);\n    var x = load(X[m, :]);\n"
                "    for i in 2000 { x = x * 1.0001 + 0.25; }\n    store(Y[m, :], x);\n}\n"
                "kernel twice(X: f32[M, 64], out Y: f32[M, 64])\n{\n    grid (m in M by 4) warps(4);\n"
                "    store(Y[m, :], load(X[m, :]) * 2);\n}\n")
        m, x = tk.from_source(text, device="cpu"), np.ones((2048, 64), np.float32)
        m.twice(x)
        for delay in (1e-4, 1e-2, 5e-2, 0.2):
            timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                m.slow(x)
                time.sleep(10)  # a call that came to its end in time
            np.testing.assert_array_equal(m.twice(x), 2 * x)

    def test_copies_and_pickles(self):
        m, x = load("softmax.tk", C=8), bf16(3, 8)
        want = plain(m(x))
        for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
            np.testing.assert_array_equal(plain(other(x)), want)
        source = tk.from_source("kernel twice(X: f32[N], out Y: f32[N])\n{\n    grid (n in N by 64) warps(1);\n"
                                "    store(Y[n], load(X[n]) * 2);\n}\n", device="cpu")
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(source)).twice(np.float32([1, 2])), [2, 4])

    def test_empty(self):
        y = load("softmax.tk", C=8)(bf16(0, 8))
        self.assertEqual(y.shape, (0, 8))


if __name__ == "__main__":
    unittest.main()
