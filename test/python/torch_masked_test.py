"""tk.torch.masked_attention: masks as text, their lists, messages, graphs, and results against PyTorch's attention with a dense
mask. By the emulator; on a Hopper GPU with nvcc, the kernels themselves."""
import math
import os
import unittest

import torch
import torch.nn.functional as F

import tk
import torch_test
from tk import masked
from torch_test import randn

FN = """
// Two documents see each other where both are even.
fn even(x: i32) -> bool { return x % 2 == 0; }
fn related(col: i32, row: i32, of_row: i32, of_col: i32) -> bool {
    return row >= col and (of_row == of_col or (even(of_row) and even(of_col)));
}
"""


def places(m, n):
    return torch.arange(m)[:, None], torch.arange(n)[None]


def window(m, n):
    row, col = places(m, n)
    return (row >= col) & (row - col < 100)


def attended(q, k, v, do, function):
    """What attention gives, and its gradients."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    o = function(*leaves)
    return [o.detach(), *torch.autograd.grad(o, leaves, do)]


def exact(q, k, v, do, dense, scale=None):
    """The same in float64, with a dense mask; 0 where a row sees nothing."""
    def function(q, k, v):
        shape = torch.broadcast_shapes(dense.shape, (q.shape[0], q.shape[1], *dense.shape[-2:]))
        seen = dense.to(q.device).expand(shape)
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=seen | ~seen.any(-1, keepdim=True), scale=scale, enable_gqa=True)
        return o * seen.any(-1, keepdim=True)
    return attended(q.double(), k.double(), v.double(), do.double(), function)


def inputs(batch, heads, kv_heads, m, n, cells, kind=torch.bfloat16):
    """q, k, v and dO."""
    made = [randn(batch, *shape, cells, seed=i) for i, shape in enumerate([(heads, m), (kv_heads, n), (kv_heads, n), (heads, m)])]
    return [x.to(kind) for x in made]


class Case(torch_test.Case):
    def setUp(self):
        super().setUp()
        masked._program.cache_clear()  # each test has a cache of its own
        masked._kernel.cache_clear()

    def agree(self, got, want, within=1e-2):
        for a, b in zip(got, want):
            self.assertEqual(a.shape, b.shape)
            if b.count_nonzero() == 0:  # gradients of q and k where each row sees one key
                self.assertLess(a.abs().max().item(), within)
            else:
                self.close(a, b, within)

    def check(self, mask, dense, *tensors, scale=None, within=1e-2):
        ours = lambda q, k, v: tk.torch.masked_attention(q, k, v, mask, scale=scale, enable_gqa=True)  # noqa: E731
        self.agree(attended(*tensors, ours), exact(*tensors, dense, scale), within)


class Masked(Case):
    def test_conditions(self):
        row, col = places(200, 300)
        for cells, kind, within in [(64, torch.bfloat16, 1e-2), (96, torch.float16, 2e-3), (128, torch.bfloat16, 1e-2),
                                    (63, torch.float16, 2e-3), (112, torch.bfloat16, 1e-2)]:
            tensors = inputs(2, 4, 2, 200, 300, cells, kind)
            with self.subTest(cells=cells):
                self.check(tk.torch.mask("row >= col and row - col < 100"), window(200, 300), *tensors, within=within)
        batch, head = torch.arange(2)[:, None, None, None], torch.arange(4)[None, :, None, None]
        asks = tk.torch.mask("row // 16 % 2 == (b + h) % 2 or\n  // later heads see the first keys\n  col < 40 * h")
        dense = (row // 16 % 2 == (batch + head) % 2) | (col < 40 * head)
        self.assertEqual(tk.torch.block_mask(asks, 2, 4, 200, 300, device="cpu").count.shape, (2, 4, 2))
        self.check(asks, dense, *inputs(2, 4, 2, 200, 300, 64), scale=0.3)
        tensors = inputs(1, 2, 2, 5, 3, 64)
        self.check(tk.torch.mask("true"), torch.ones(5, 3, dtype=torch.bool), *tensors)
        made = attended(*tensors, lambda *x: tk.torch.masked_attention(*x, tk.torch.mask("row < 0")))
        self.assertEqual([x.double().norm().item() for x in made], [0] * 4)

    def test_documents(self):
        documents = torch.arange(2 * 300).view(2, 300) // 70
        row, col = places(300, 300)
        of_row, of_col = documents[:, None, :, None], documents[:, None, None]
        tensors = inputs(2, 2, 1, 300, 300, 64)
        same = tk.torch.mask("of_row == of_col and row >= col", of_row=documents, of_col=documents)
        self.check(same, (of_row == of_col) & (row >= col), *tensors)
        even = (of_row % 2 == 0) & (of_col % 2 == 0)
        self.check(tk.torch.mask(FN, of_row=documents, of_col=documents), ((of_row == of_col) | even) & (row >= col), *tensors)
        prefix = tk.torch.mask("col < of_row or row >= col", of_row=torch.full((300,), 90))  # one for all batches
        self.check(prefix, (col < 90) | (row >= col), *tensors)
        self.assertEqual(tk.torch.block_mask(prefix, 2, 2, 300, 300, device="cpu").count.shape, (1, 1, 3))

    def test_lists(self):
        blocks = tk.torch.block_mask(tk.torch.mask("row >= col and row - col < 200"), 2, 4, 500, 400, device="cpu")
        self.assertEqual(blocks.count.tolist(), [[[1, 2, 3, 3]]])
        self.assertEqual(blocks.whole.tolist(), [[[0, 0, 0, 0]]])
        self.assertEqual([blocks.list[0, 0, i, :n].tolist() for i, n in enumerate((1, 2, 3, 3))],
                         [[0], [0, 1], [0, 1, 2], [1, 2, 3]])
        self.assertEqual(blocks.count_of.tolist(), [[[3, 3, 2, 1]]])
        self.assertEqual(blocks.list_of[0, 0, 1, :3].tolist(), [1, 2, 3])
        self.assertAlmostEqual(blocks.sparsity, 7 / 16)
        causal = tk.torch.block_mask(tk.torch.mask("row >= col"), 1, 1, 384, 384, device="cpu")
        self.assertEqual(causal.whole.tolist(), [[[0, 1, 2]]])
        self.assertEqual(causal.list[0, 0, 2].tolist(), [0, 1, 2])
        self.assertEqual(causal.list_of[0, 0, 0].tolist(), [1, 2, 0])  # seen wholly, then in part
        tensors = inputs(2, 4, 2, 384, 384, 64)
        self.check(causal, torch.ones(384, 384).tril().bool(), *tensors)
        # A mask keeps the lists of what it was called with; numbers of rows may change.
        mask = tk.torch.mask("row >= col")
        q, k, v, _ = inputs(1, 2, 2, 40, 40, 64)
        tk.torch.masked_attention(q, k, v, mask)
        tk.torch.masked_attention(q, k, v, mask)
        self.assertEqual(len(mask._lists), 1)
        documents = torch.zeros(40, dtype=torch.int64)
        mask = tk.torch.mask("of_row == of_col and row >= col", of_row=documents, of_col=documents)
        before = tk.torch.masked_attention(q, k, v, mask)
        documents[:] = torch.arange(40)
        self.assertFalse(torch.equal(before, tk.torch.masked_attention(q, k, v, mask)))
        self.close(tk.torch.masked_attention(q, k, v, mask), v)

    def test_messages(self):
        with self.raises(tk.CompileError, "unknown name `colm`", "mask.tk:2:", "row - colm < 256", "did you mean `col`?"):
            tk.torch.mask("row >= col and\n  row - colm < 256")
        with self.raises(tk.CompileError, "mask.tk:3:30", "cool"):
            tk.torch.mask("\nfn near(row: i32, col: i32) -> bool {\n    return col < row and 3 > cool;\n}")
        with self.raises(tk.CompileError, "expected an expression, found `;`", "row >="):
            tk.torch.mask("row >=")
        with self.raises(tk.CompileError, "is bool, and i32 does not convert to bool implicitly"):
            tk.torch.mask("row + col")
        with self.raises(ValueError, "`near` takes `place`, and a mask is asked for b, h, row, col, of_row, of_col"):
            tk.torch.mask("fn near(place: i32) -> bool { return place > 3; }")
        with self.raises(ValueError, "there is no function in this text"):
            tk.torch.mask("import std.activation;")
        with self.raises(ValueError, "asks for `of_row`, which is not given"):
            tk.torch.mask("of_row == col")
        with self.raises(TypeError, "takes text in the language", "got function"):
            tk.torch.mask(lambda row, col: row >= col)
        with self.raises(TypeError, "`of_row` must be an integer tensor", "torch.float32"):
            tk.torch.mask("of_row == col", of_row=torch.zeros(3))
        numbered = tk.torch.mask("of_row == col", of_row=torch.zeros(3, dtype=torch.int32))
        with self.raises(ValueError, "`of_row` has 3 numbers, of 4 rows"):
            tk.torch.block_mask(numbered, 1, 1, 4, 4, device="cpu")
        with self.raises(TypeError, "block_mask() takes a mask of tk.torch.mask, got str"):
            tk.torch.block_mask("row >= col", 1, 1, 4, 4, device="cpu")

    def test_what_it_does_not_take(self):
        mask = tk.torch.mask("row >= col")
        q, k, v, _ = inputs(2, 4, 2, 40, 50, 64)

        def refused(*words, q=q, k=k, v=v, mask=mask, error=ValueError, **more):
            with self.raises(error, "masked_attention: ", *words):
                tk.torch.masked_attention(q, k, v, mask, **more)

        refused("mask is made by tk.torch.mask", mask="row >= col", error=TypeError)
        refused("heads of q must be those of k, or with enable_gqa")
        refused("scale must be positive", enable_gqa=True, scale=-1.0)
        refused("all bfloat16 or all float16", q=q.float())
        refused("four axes", q=q[0], k=k[0], v=v[0])
        refused("head dimension 144 is not supported: 1 to 128 are", q=q.new_zeros(2, 4, 40, 144), k=k.new_zeros(2, 4, 50, 144),
                v=v.new_zeros(2, 4, 50, 144))
        refused("k and v must have one shape", v=v[:, :, 1:])
        blocks = tk.torch.block_mask(mask, 1, 1, 40, 60, device="cpu")
        refused("of 40 rows and 60 keys, and q has 40, k 50", mask=blocks, enable_gqa=True)
        heads = tk.torch.block_mask(tk.torch.mask("row >= col + h"), 1, 3, 40, 50, device="cpu")
        refused("of 3 heads, and q has 4", mask=heads, enable_gqa=True)
        o = tk.torch.masked_attention(q.requires_grad_(), k, v, mask, enable_gqa=True)
        given, = torch.autograd.grad(o.sum(), q, create_graph=True)
        with self.raises(RuntimeError, "first derivatives only"):
            given.sum().backward()
        torch.use_deterministic_algorithms(True)
        try:
            refused("differ from run to run", enable_gqa=True)
        finally:
            torch.use_deterministic_algorithms(False)

    def test_keeps(self):
        blocks = tk.torch.block_mask(tk.torch.mask("row >= col"), 1, 1, 20, 20, device="cpu")
        q, k, v, _ = inputs(1, 2, 2, 20, 20, 64)
        call = lambda: tk.torch.masked_attention(q, k, v, blocks)  # noqa: E731
        self.assertEqual(self.kept(call), 0)
        q.requires_grad_()
        self.assertEqual(self.kept(call), 10)  # of which half are the lists, and small

    def test_in_graphs(self):
        mask = tk.torch.mask("row >= col and row - col < 100")
        blocks = tk.torch.block_mask(mask, 1, 1, 40, 40, device="cpu")
        q, k, v, _ = (x.requires_grad_() for x in inputs(2, 4, 2, 40, 40, 64))
        torch.library.opcheck(torch.ops.tk.mask_lists.default, (blocks.of_row, blocks.of_col, 1, mask.text))
        torch.library.opcheck(torch.ops.tk.masked_attention.default,
                              (q, k, v, blocks.of_row, blocks.of_col, blocks.count, blocks.whole, blocks.list, blocks.count_of,
                               blocks.whole_of, blocks.list_of, blocks.keys_of, mask.text, 0.125))
        for given in (mask, blocks):
            torch._dynamo.reset()
            traced = torch.compile(lambda q, k, v, m: tk.torch.masked_attention(q, k, v, m, enable_gqa=True) * 2, fullgraph=True,
                                   backend="aot_eager")
            for rows in (40, 24, 32) if given is mask else (40,):  # the second size makes the axis a symbol
                tensors = inputs(1, 4, 2, rows, rows, 64)
                want = exact(*tensors, window(rows, rows))
                self.agree(attended(*tensors, lambda *x: traced(*x, given)), [2 * x for x in want])

    def test_shapes_of_fakes(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            q, k = torch.empty(2, 300, 4, 64, dtype=torch.bfloat16).transpose(1, 2), torch.empty(2, 2, 400, 64, dtype=torch.bfloat16)
            lists = torch.ops.tk.mask_lists(torch.empty(1, 300, dtype=torch.int32), torch.empty(1, 400, dtype=torch.int32), 4, "true")
            self.assertEqual([tuple(x.shape) for x in lists],
                             [(1, 4, 3), (1, 4, 3), (1, 4, 3, 4), (1, 4, 4), (1, 4, 4), (1, 4, 4, 3), (1, 512)])
            o, lse = torch.ops.tk.masked_attention(q, k, k, *(torch.empty(1, n, dtype=torch.int32) for n in (300, 400)), *lists,
                                                   "true", 0.125)
            self.assertEqual((o.shape, o.dtype, lse.shape, lse.dtype), (q.shape, q.dtype, q.shape[:3], torch.float32))
            self.assertTrue(o.transpose(1, 2).is_contiguous())
            made = torch.ops.tk.masked_attention_backward(q, k, k, o, lse, q, *(torch.empty(1, n, dtype=torch.int32) for n in (300, 400)),
                                                          *lists[3:6], "true", 0.125)
            self.assertEqual([x.shape for x in made], [q.shape, k.shape, k.shape])


@unittest.skipIf(not torch_test.HOPPER or torch_test.NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(Case):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=torch_test.NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_masks(self):
        for m, n in [(512, 512), (300, 300), (129, 1000), (1000, 130), (1, 3)]:
            row, col = places(m, n)
            head = torch.arange(8)[:, None, None]
            documents = torch.arange(m) // 90, torch.arange(n) // 90
            masks = [("row >= col", row >= col, {}), ("row >= col and row - col < 100", window(m, n), {}),
                     ("row // 16 % 2 == h % 2 or col < 40 * h", (row // 16 % 2 == head % 2) | (col < 40 * head), {}),
                     ("of_row == of_col", documents[0][:, None] == documents[1], dict(of_row=documents[0], of_col=documents[1]))]
            for cells, kind in [(64, torch.bfloat16), (96, torch.float16), (128, torch.bfloat16), (128, torch.float16)]:
                tensors = [x.cuda() for x in inputs(2, 8, 2, m, n, cells, kind)]
                for text, dense, words in masks:
                    if m == 1 and not dense.any():
                        continue
                    with self.subTest(m=m, n=n, cells=cells, kind=kind, mask=text):
                        self.check(tk.torch.mask(text, **words), dense, *tensors, within=1e-2 if kind == torch.bfloat16 else 2e-3)

    def test_compiled(self):
        mask = tk.torch.mask("row >= col and row - col < 100")
        blocks = tk.torch.block_mask(mask, 1, 1, 384, 384)
        tensors = [x.cuda() for x in inputs(2, 4, 2, 384, 384, 64)]
        want = exact(*tensors, window(384, 384))
        for words in ({}, {"mode": "reduce-overhead"}):
            torch._dynamo.reset()
            traced = torch.compile(lambda q, k, v: tk.torch.masked_attention(q, k, v, blocks, enable_gqa=True) * 2, fullgraph=True,
                                   **words)
            for _ in range(4):
                torch.compiler.cudagraph_mark_step_begin()
                got = [x.clone() for x in attended(*tensors, traced)]
            self.agree(got, [2 * x for x in want])

    def test_graph(self):
        documents = (torch.arange(300) // 70).cuda()
        mask = tk.torch.mask("of_row == of_col and row >= col", of_row=documents, of_col=documents)
        tensors = [x.cuda() for x in inputs(2, 8, 2, 300, 300, 128)]
        call = lambda q, k, v: tk.torch.masked_attention(q, k, v, mask, enable_gqa=True)  # noqa: E731
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            attended(*tensors, call)  # loads the kernels
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            held = attended(*tensors, call)
        row, col = places(300, 300)
        for width in (70, 33):  # the lists are made in the graph: other documents at the same address
            documents.copy_(torch.arange(300) // width)
            graph.replay()
            self.agree(held, exact(*tensors, (row // width == col // width) & (row >= col)))


if __name__ == "__main__":
    unittest.main()
