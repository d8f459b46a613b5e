"""tk.torch.sparse_attention and native_sparse_attention against dense attention in float64, their messages and graphs. By the emulator; on a Hopper GPU with nvcc,
the kernels themselves."""
import math
import os
import subprocess
import sys
import unittest

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

import support
import tk
import torch_test
from tk import sparse
from torch_test import randn


def inputs(batch, tokens, heads, kv_heads, cells, cells_v=None, kind=torch.bfloat16):
    """q, k, v and dO."""
    cells_v = cells_v or cells
    shapes = [(heads, cells), (kv_heads, cells), (kv_heads, cells_v), (heads, cells_v)]
    return [randn(batch, tokens, *shape, seed=i).to(kind) for i, shape in enumerate(shapes)]


def lists(batch, tokens, kv_heads, blocks, block, seed=5):
    """Of random blocks, among them some twice, none and some after the token."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-1, max(tokens // block, 1) + 1, (batch, tokens, kv_heads, blocks), generator=generator)


def seen(indices, counts, tokens, block):
    """Which keys a token sees, [batch, tokens, heads of k, keys]."""
    counts = indices.shape[3] if counts is None else counts[..., None] if isinstance(counts, torch.Tensor) else counts
    place = torch.arange(indices.shape[3], device=indices.device)
    indices = torch.where(place < counts, indices, -1)
    key = torch.arange(tokens, device=indices.device)
    listed = (indices[..., None] == key // block).any(3)
    return listed & (key <= key[:, None, None])


def exact(q, k, v, dense, scale=None):
    """Dense attention: what is given, and log-sum-exp."""
    heads = k.shape[2]
    s = torch.einsum("bthgd,bshd->bthgs", q.unflatten(2, (heads, -1)), k) * (q.shape[3]**-0.5 if scale is None else scale)
    s = s.masked_fill(~dense[:, :, :, None], -math.inf)
    lse = torch.logsumexp(s, 4)
    p = torch.exp(s - lse.masked_fill(lse == -math.inf, 0)[..., None])
    return torch.einsum("bthgs,bshd->bthgd", p, v).flatten(2, 3), lse.flatten(2, 3)


def attended(q, k, v, do, function):
    """What attention gives, and its gradients."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o = function(*leaves)
    return [o.detach(), *torch.autograd.grad(o, leaves, do)]


class Case(torch_test.Case):
    def agree(self, got, want, within):
        for a, b in zip(got, want):
            self.assertEqual(a.shape, b.shape)
            self.close(a, b, within)

    def check(self, q, k, v, do, indices, counts=None, within=1e-2, **words):
        got = attended(q, k, v, do, lambda q, k, v: tk.torch.sparse_attention(q, k, v, indices, counts, **words))
        dense = seen(indices, counts, q.shape[1], words.get("block_size", 64))
        want = attended(*(x.double() for x in (q, k, v, do)), lambda q, k, v: exact(q, k, v, dense, words.get("scale"))[0])
        self.agree(got, want, within)


class Sparse(Case):
    def test_results(self):
        for heads, cells, cells_v, kind, within in [(2, 64, 64, torch.bfloat16, 1e-2), (32, 128, 128, torch.bfloat16, 1e-2),
                                                    (10, 64, 64, torch.float16, 2e-3), (8, 192, 128, torch.bfloat16, 1e-2)]:
            with self.subTest(heads=heads, cells=cells):
                self.check(*inputs(1, 140, heads, 2, cells, cells_v, kind), lists(1, 140, 2, 3, 64), within=within)
        tensors = inputs(2, 70, 4, 1, 64)
        self.check(*tensors, lists(2, 70, 1, 5, 16), 3, block_size=16, scale=0.3)
        counts = torch.randint(0, 7, (2, 70, 1), dtype=torch.int32)  # more than there are, too
        self.check(*tensors, lists(2, 70, 1, 5, 32).int(), counts, block_size=32)

    def test_in_turn(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        self.check(*inputs(1, 140, 8, 2, 64), lists(1, 140, 2, 3, 64))
        self.check(*inputs(1, 70, 4, 1, 128), lists(1, 70, 1, 3, 64))
        q, k, v, _ = inputs(1, 20, 4, 2, 64)
        for name, same in (("nsa_selected", True), ("nsa_selected_backward", False), ("nsa_selected_backward_apart", True)):
            self.assertEqual(sparse._kernel(name, q, k, v, 64).contract.deterministic, same)

    def test_nothing(self):
        q, k, v, do = inputs(1, 20, 4, 2, 64)
        made = attended(q, k, v, do, lambda q, k, v: tk.torch.sparse_attention(q, k, v, lists(1, 20, 2, 3, 64), 0))
        self.assertEqual([x.double().norm().item() for x in made], [0] * 4)
        _, lse = tk.torch.sparse_attention(q, k, v, torch.full((1, 20, 2, 1), -1), return_lse=True)
        self.assertTrue((lse == -math.inf).all())
        for tokens, batch, blocks in ((0, 1, 3), (3, 0, 3), (3, 1, 0)):
            q, k, v, do = inputs(batch, tokens, 4, 2, 64)
            indices = torch.zeros(batch, tokens, 2, blocks, dtype=torch.int64)
            made = attended(q, k, v, do, lambda q, k, v, i=indices: tk.torch.sparse_attention(q, k, v, i))
            self.assertEqual([(x.shape, x.double().norm().item()) for x in made], [(x.shape, 0) for x in (do, q, k, v)])

    def test_lse(self):
        q, k, v, _ = inputs(1, 70, 4, 2, 64)
        indices = torch.zeros(1, 70, 2, 1, dtype=torch.int64)
        q.requires_grad_()
        o, lse = tk.torch.sparse_attention(q, k, v, indices, return_lse=True)
        _, want = exact(q.double(), k.double(), v.double(), seen(indices, None, 70, 64))
        self.assertEqual((lse.shape, lse.dtype, lse.requires_grad, o.requires_grad), ((1, 70, 4), torch.float32, False, True))
        self.close(lse, want, 1e-3)

    def test_layouts(self):
        # Parts of a packed tensor, tokens after heads, and a gradient that is one number.
        packed = randn(2, 70, 8, 64)
        q, k, v = packed.split((4, 2, 2), 2)
        do = randn(1, 1, 1, 1, seed=4).expand(2, 70, 4, 64)
        indices = lists(2, 70, 2, 2, 64)
        self.check(q, k, v, do, indices)
        self.check(*(x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v, do)), indices.transpose(1, 2).contiguous().transpose(1, 2))
        self.check(torch.cat([q, q], 3)[..., ::2], k, v, do, indices)

    def test_operators(self):
        q, k, v, _ = (x.requires_grad_() for x in inputs(1, 20, 4, 2, 64))
        indices, counts = lists(1, 20, 2, 2, 64).int(), torch.full((1, 20, 2), 2, dtype=torch.int32)
        torch.library.opcheck(torch.ops.tk.sparse_attention.default, (q, k, v, indices, counts, 64, 0.125))
        call = lambda: tk.torch.sparse_attention(q, k, v, indices)  # noqa: E731
        self.assertEqual(self.kept(call), 7)
        with torch.no_grad():
            self.assertEqual(self.kept(call), 0)
        given, = torch.autograd.grad(call().sum(), q, create_graph=True)
        with self.raises(RuntimeError, "first derivatives only"):
            given.sum().backward()

    def test_graphs(self):
        torch._dynamo.reset()
        traced = torch.compile(lambda q, k, v, i: tk.torch.sparse_attention(q, k, v, i) * 2, fullgraph=True, backend="aot_eager")
        for tokens in (40, 24, 70):  # the second size makes the axis a symbol
            tensors, indices = inputs(1, tokens, 4, 2, 64), lists(1, tokens, 2, 2, 64)
            want = attended(*(x.double() for x in tensors), lambda *x: 2 * exact(*x, seen(indices, None, tokens, 64))[0])
            self.agree(attended(*tensors, lambda *x: traced(*x, indices)), want, 1e-2)

    def test_shapes(self):
        with FakeTensorMode():
            q, k, v = (torch.empty(2, 300, n, d, dtype=torch.bfloat16) for n, d in ((8, 192), (2, 192), (2, 128)))
            indices, counts = torch.empty(2, 300, 2, 4, dtype=torch.int32), torch.empty(2, 300, 2, dtype=torch.int32)
            o, lse = torch.ops.tk.sparse_attention(q, k, v, indices, counts, 64, 0.125)
            self.assertEqual((o.shape, o.dtype, lse.shape, lse.dtype), ((2, 300, 8, 128), q.dtype, (2, 300, 8), torch.float32))
            made = torch.ops.tk.sparse_attention_backward(q, k, v, o, lse, o, indices, counts, 64, 0.125)
            self.assertEqual([x.shape for x in made], [q.shape, k.shape, v.shape])

    def test_bench(self):
        script = os.path.join(support.HERE, "..", "..", "bench", "attention_sparse.py")
        done = subprocess.run([sys.executable, script, "--device", "cpu", "--lists", "near"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("errors of O, dQ, dK, dV", done.stdout)

    def test_what_it_does_not_take(self):
        q, k, v, _ = inputs(2, 20, 4, 2, 64)
        listed = lists(2, 20, 2, 3, 64)

        def refused(*words, q=q, k=k, v=v, indices=listed, counts=None, **more):
            with self.raises(ValueError, "sparse_attention: ", *words):
                tk.torch.sparse_attention(q, k, v, indices, counts, **more)

        refused("all bfloat16 or all float16", q=q.float())
        refused("four axes, [batch, tokens, heads, head dimension]", q=q[0], k=k[0], v=v[0])
        refused("head dimensions 64 of q and k and 40 of v are not supported", v=v[..., :40])
        refused("head dimensions 192 of q and k and 64 of v are not supported", q=q.new_zeros(2, 20, 4, 192), k=k.new_zeros(2, 20, 2, 192))
        refused("the batch and the tokens of q", k=k[:, :10], v=v[:, :10])
        refused("one head dimension", k=k[..., :48])
        refused("the heads of q, 4, must be a multiple of those of k, 3", k=k.new_zeros(2, 20, 3, 64), v=v.new_zeros(2, 20, 3, 64))
        refused("up to 64 times", q=q.new_zeros(2, 20, 130, 64))
        refused("scale must be positive", scale=0.0)
        refused("block_size must be one of 16, 32, 64, 128, got 48", block_size=48)
        refused("block_indices must be int32 or int64", "here [2, 20, 2, blocks]", indices=listed[0])
        refused("block_indices must be int32 or int64", indices=listed.double())
        refused("block_counts must be a number", "here [2, 20, 2]", counts=listed[:, :, 0, 0])
        refused("no gradients for head dimensions 96 of q and k and 96 of v, and 2 heads", q=q.new_zeros(2, 20, 4, 96).requires_grad_(),
                k=k.new_zeros(2, 20, 2, 96), v=v.new_zeros(2, 20, 2, 96))
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        refused("differ from run to run", q=q.new_zeros(2, 20, 4, 192), k=k.new_zeros(2, 20, 2, 192),
                v=v.new_zeros(2, 20, 2, 128).requires_grad_())


def chosen(q, k, blocks, block, device="cpu"):
    """The lists that native_sparse_attention makes."""
    tokens = q.shape[1]
    means = torch.ops.tk.nsa_pooled(k, block)
    numbers = [torch.zeros(1, n, dtype=torch.int32, device=device) for n in (tokens, means.shape[1])]
    text = f"row >= col * {block} + {block - 1}"
    made = torch.ops.tk.mask_lists(*numbers, 1, text)
    turned = [x.transpose(1, 2) for x in (q, means, means)]
    _, lse = torch.ops.tk.masked_attention(*turned, *numbers, *made, text, q.shape[3]**-0.5)
    return torch.ops.tk.nsa_blocks(q, means, lse, blocks, block, q.shape[3]**-0.5)


def branches(q, k, v, g_cmp, g_slc, g_swa, indices, block, window):
    """Native sparse attention with given lists; and how important every block is to a token."""
    tokens, whole, heads = q.shape[1], q.shape[1] // block, k.shape[2]
    key = torch.arange(tokens, device=q.device)
    means = [x[:, :whole * block].unflatten(1, (whole, block)).mean(2) for x in (k, v)]
    ended = (torch.arange(1, whole + 1, device=q.device) * block <= key[:, None] + 1)[None, :, None]
    s = torch.einsum("bthgd,bshd->bthgs", q.unflatten(2, (heads, -1)), means[0]) * q.shape[3]**-0.5
    importance = torch.softmax(s.masked_fill(~ended[:, :, :, None], -math.inf), 4).nan_to_num(0).sum(3)
    near = ((key <= key[:, None]) & (key > key[:, None] - window))[None, :, None]
    o = g_cmp[..., None] * exact(q, *means, ended)[0] + g_slc[..., None] * exact(q, k, v, seen(indices, None, tokens, block))[0]
    return o + g_swa[..., None] * exact(q, k, v, near)[0], importance


class Native(Case):
    def tensors(self, batch, tokens, heads, kv_heads, cells, kind=torch.bfloat16, device="cpu"):
        """q, k, v, gates, and dO."""
        *qkv, do = inputs(batch, tokens, heads, kv_heads, cells, kind=kind)
        gates = torch.rand(3, batch, tokens, heads, generator=torch.Generator().manual_seed(8)).to(kind).unbind()
        return [x.to(device) for x in (*qkv, *gates)], do.to(device)

    def check(self, tensors, do, within=1e-2, blocks=4, block=16, window=20):
        leaves = [x.detach().requires_grad_() for x in tensors]
        o = tk.torch.native_sparse_attention(*leaves, block_counts=blocks, block_size=block, window_size=window)
        got = [o.detach(), *torch.autograd.grad(o, leaves, do)]
        q, k = tensors[:2]
        indices, counts = chosen(q, k, blocks, block, q.device)
        leaves = [x.detach().double().requires_grad_() for x in tensors]
        o, importance = branches(*leaves, indices, block, window)
        self.agree(got, [o.detach(), *torch.autograd.grad(o, leaves, do.double())], within)
        self.choice(importance.detach(), indices, counts, blocks, block)

    def choice(self, importance, indices, counts, blocks, block):
        """Each list has the first block, the token's own and the one before, and others of which none is less important than one that is
        left out, but for what rounding does."""
        batch, tokens, heads, whole = importance.shape
        every = -(-tokens // block)
        which = torch.arange(every, device=indices.device)
        own = (torch.arange(tokens, device=indices.device) // block)[:, None, None]
        self.assertTrue(torch.equal(counts, (own[..., 0] + 1).clamp(max=blocks).expand(batch, tokens, heads).int()))
        self.assertTrue(torch.equal((indices >= 0).sum(3), counts))
        taken = (indices[..., None] == which).any(3)
        self.assertTrue(torch.equal(taken.sum(3), counts))
        always = ((which == 0) | (which >= own - 1)) & (which <= own)
        self.assertTrue((taken | ~always).all())
        score = F.pad(importance, (0, every - whole))
        others = ~always & (which <= own)
        least = score.masked_fill(~(taken & others), math.inf).amin(3)
        most = score.masked_fill(~(~taken & others), -math.inf).amax(3)
        self.assertTrue((most <= least * 1.02 + 1e-4).all())

    def test_results(self):
        self.check(*self.tensors(2, 90, 8, 2, 64))
        self.check(*self.tensors(1, 150, 5, 1, 128), blocks=3, block=32, window=64)
        self.check(*self.tensors(1, 70, 4, 2, 64, torch.float16), within=2e-3, blocks=5)
        tensors, do = self.tensors(1, 10, 4, 2, 64)  # no block ends
        leaves = [x.requires_grad_() for x in tensors]
        o = tk.torch.native_sparse_attention(*leaves)
        want, _ = exact(*(x.detach().double() for x in tensors[:3]), torch.ones(10, 10, dtype=torch.bool).tril()[None, :, None])
        self.close(o.detach(), want * (tensors[4] + tensors[5].double()).detach()[..., None])
        self.assertEqual(torch.autograd.grad(o, leaves[3], do)[0].norm().item(), 0)

    def test_graphs(self):
        torch._dynamo.reset()
        call = lambda *x: tk.torch.native_sparse_attention(*x, block_counts=3, block_size=16, window_size=20)  # noqa: E731
        traced = torch.compile(call, fullgraph=True, backend="aot_eager")
        for tokens in (40, 24, 70):
            tensors, do = self.tensors(1, tokens, 4, 2, 64)
            made = []
            for function in (call, traced):
                leaves = [x.detach().requires_grad_() for x in tensors]
                o = function(*leaves)
                made.append([o.detach(), *torch.autograd.grad(o, leaves, do)])
            self.agree(made[1], made[0], 1e-3)

    def test_operators(self):
        (q, k, _, *gates), do = self.tensors(1, 40, 4, 2, 64)
        check = torch.library.opcheck
        check(torch.ops.tk.nsa_pooled.default, (k.requires_grad_(), 16))
        means = torch.ops.tk.nsa_pooled(k.detach(), 16)
        check(torch.ops.tk.nsa_blocks.default, (q, means, torch.zeros(1, 4, 40), 3, 16, 0.125))
        check(torch.ops.tk.nsa_gated.default, (*(x.clone().requires_grad_() for x in (q, do, q)), *(g.clone().requires_grad_() for g in gates)))

    def test_what_it_does_not_take(self):
        (q, k, v, *gates), _ = self.tensors(2, 20, 4, 2, 64)

        def refused(*words, q=q, k=k, v=v, gates=gates, **more):
            with self.raises(ValueError, "native_sparse_attention: ", *words):
                tk.torch.native_sparse_attention(q, k, v, *gates, **more)

        refused("all bfloat16 or all float16", q=q.float())
        refused("head dimensions 192 of q and k and 192 of v are not supported", q=q.new_zeros(2, 20, 4, 192), k=k.new_zeros(2, 20, 2, 192), v=v.new_zeros(2, 20, 2, 192))
        refused("k and v must have one shape", v=v[..., :32])
        refused("g_cmp, g_slc and g_swa must be [batch, tokens, heads], here [2, 20, 4]", gates=[*gates[:2], gates[2][..., None]])
        refused("block_size must be one of", block_size=65)
        refused("block_counts must be at least 1", block_counts=0)
        refused("window_size must be at least 1", window_size=0)
        refused("scale must be positive", scale=-1)
        refused("40000 tokens are too many: up to 2048 blocks", block_size=16, q=q.new_zeros(1, 40000, 4, 16), k=k.new_zeros(1, 40000, 2, 16),
                v=v.new_zeros(1, 40000, 2, 16), gates=[q.new_zeros(1, 40000, 4)] * 3)
        refused("no gradients for head dimension 32", q=q[..., :32], k=k[..., :32], v=v[..., :32], gates=[g.requires_grad_() for g in gates])


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_results(self):
        for tokens in (1, 63, 1000, 1500):
            for heads, cells, cells_v, kind in [(64, 128, 128, torch.bfloat16), (2, 64, 64, torch.float16), (10, 64, 64, torch.bfloat16),
                                                (32, 192, 128, torch.bfloat16), (128, 128, 128, torch.float16)]:
                with self.subTest(tokens=tokens, heads=heads, cells=cells):
                    indices = lists(2, tokens, 2, 16, 64).cuda()
                    indices[..., 0] = 0  # each token sees something
                    tensors = [x.cuda() for x in inputs(2, tokens, heads, 2, cells, cells_v, kind)]
                    self.check(*tensors, indices, within=1e-2 if kind == torch.bfloat16 else 2e-3)
        for block in (16, 32, 128):
            with self.subTest(block=block):
                torch.use_deterministic_algorithms(block == 32)
                self.addCleanup(torch.use_deterministic_algorithms, False)
                self.check(*(x.cuda() for x in inputs(1, 1000, 16, 1, 64)), lists(1, 1000, 1, 30, block).cuda().abs(), block_size=block)

    def test_in_turn(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        q, k, v, do = (x.cuda() for x in inputs(2, 3000, 32, 2, 128))
        indices = lists(2, 3000, 2, 16, 64).cuda()
        made = [attended(q, k, v, do, lambda q, k, v: tk.torch.sparse_attention(q, k, v, indices)) for _ in range(5)]
        for again in made[1:]:
            self.assertTrue(all(torch.equal(a, b) for a, b in zip(made[0], again)))

    def test_native(self):
        for tokens in (1, 500, 1500):
            for heads, cells, kind in [(32, 128, torch.bfloat16), (10, 64, torch.float16)]:
                with self.subTest(tokens=tokens, heads=heads):
                    if tokens == 1:  # no block ends, and no gradient is anything but 0 for it
                        tensors, _ = Native.tensors(self, 2, tokens, heads, 2, cells, kind, "cuda")
                        self.close(tk.torch.native_sparse_attention(*tensors), exact(*(x.double() for x in tensors[:3]), torch.ones(
                            2, 1, 2, 1, dtype=torch.bool, device="cuda"))[0] * (tensors[4] + tensors[5].double())[..., None])
                        continue
                    Native.check(self, *Native.tensors(self, 2, tokens, heads, 2, cells, kind, "cuda"), blocks=5, block=64, window=200,
                                 within=1e-2 if kind == torch.bfloat16 else 2e-3)

    choice = Native.choice

    def test_compiled(self):
        tensors, indices = [x.cuda() for x in inputs(1, 500, 32, 2, 128)], lists(1, 500, 2, 4, 64).cuda().abs()
        want = attended(*(x.double() for x in tensors), lambda *x: 2 * exact(*x, seen(indices, None, 500, 64))[0])
        for words in ({}, {"mode": "reduce-overhead"}):
            torch._dynamo.reset()
            traced = torch.compile(lambda q, k, v: tk.torch.sparse_attention(q, k, v, indices) * 2, fullgraph=True, **words)
            for _ in range(4):
                torch.compiler.cudagraph_mark_step_begin()
                got = [x.clone() for x in attended(*tensors, traced)]
            self.agree(got, want, 1e-2)


if __name__ == "__main__":
    unittest.main()
