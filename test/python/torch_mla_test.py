"""tk.torch.mla_decode and append_to_latent_cache, by the emulator; on a Hopper GPU with nvcc, the kernels. Needs PyTorch."""
import math
import os
import unittest
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
from tk import latent
from torch_decode_test import pages_of
from torch_test import HOPPER, NVCC, Case, randn

SCALE = 192**-0.5


class Problem:
    def __init__(self, lengths, page, tokens, heads, kind=torch.bfloat16, device="cpu", whole=False, most=None):
        self.tokens, self.page = tokens, page
        self.lengths = torch.tensor(lengths, dtype=torch.int32, device=device)
        self.table, count = None, len(lengths)
        if not whole:
            table, count = pages_of(lengths, page, most or max(-(-max(lengths) // page), 1))
            self.table = table.to(device)
        self.q = [randn(len(lengths), tokens, heads, cells, seed=cells).to(kind).to(device) for cells in (512, 64)]
        self.cache = [randn(count, page, cells, seed=cells + 1).to(kind).to(device) for cells in (512, 64)]

    def ours(self, **words):
        words.setdefault("softmax_scale", SCALE)
        return tk.torch.mla_decode(*self.q, *self.cache, self.table, self.lengths, return_lse=True, **words)

    def sequence(self, cache, b):
        n = int(self.lengths[b])
        pages = [b] if self.table is None else self.table[b, :-(-n // self.page)].long()
        return cache[pages].flatten(0, 1)[:n].double()

    def exact(self, softmax_scale=SCALE, **_):
        """In float64, one sequence after the other."""
        made = []
        for b in range(len(self.lengths)):
            c, r = (self.sequence(x, b) for x in self.cache)
            s = torch.einsum("thd,nd->htn", torch.cat([q[b].double() for q in self.q], -1), torch.cat((c, r), -1)) * softmax_scale
            own = c.shape[0] - self.tokens + torch.arange(self.tokens, device=s.device)[:, None]
            s = s.masked_fill(torch.arange(c.shape[0], device=s.device)[None] > own, -math.inf)
            lse = torch.logsumexp(s, 2) if c.shape[0] else s.new_full(s.shape[:2], -math.inf)
            made.append((torch.einsum("htn,nd->thd", torch.nan_to_num(torch.softmax(s, 2)), c), lse))
        return [torch.stack(x) for x in zip(*made)]


class LatentCase(Case):
    def agree(self, got, want, within):
        o, lse = got
        self.assertEqual((o.shape, lse.shape), (want[0].shape, want[1].shape))
        self.close(o, want[0], within)
        seen = want[1] > -math.inf
        self.assertTrue(torch.equal(lse > -math.inf, seen))
        self.assertTrue((o.transpose(1, 2)[~seen] == 0).all())
        self.assertLess((lse[seen].double() - want[1][seen]).abs().max().item(), 1e-3)

    def check(self, problem, **words):
        got = problem.ours(**words)
        kind = problem.q[0].dtype
        self.assertEqual((got[0].dtype, got[1].dtype), (kind, torch.float32))
        self.agree(got, problem.exact(**words), 1e-2 if kind == torch.bfloat16 else 2e-3)


class Latent(LatentCase):
    def test_pages(self):
        for page, tokens, heads in ((64, 1, 16), (64, 1, 70), (128, 3, 8), (64, 2, 33), (192, 4, 1), (1, 1, 16), (16, 1, 70), (20, 2, 33)):
            with self.subTest(page=page, tokens=tokens, heads=heads):
                problem = Problem((page + 1, 0, page, 1), page, tokens, heads)
                for splits in (1, 3, None):
                    self.check(problem, num_splits=splits)

    def test_pairs(self):
        problem = Problem((70, 3), 64, 1, 128)
        for pairs in (False, True):
            with mock.patch.object(latent, "PAIRS", pairs):
                self.check(problem, num_splits=2)

    def test_words(self):
        self.check(Problem((100, 33), 64, 2, 16, torch.float16), softmax_scale=0.02)
        self.check(Problem((100, 33), 64, 1, 40, torch.float16, most=9), max_seqlen=100)

    def test_whole(self):
        for heads in (16, 64):
            self.check(Problem((130, 0, 7), 130, 1, heads, whole=True))

    def test_prefill(self):
        for page, heads in ((64, 16), (64, 3), (16, 5)):
            problem = Problem((200, 130, 0), page, 130, heads)
            for splits in (1, 2, None):
                self.check(problem, num_splits=splits)

    def test_one_token(self):
        problem = Problem((50, 17), 64, 1, 20)
        o, lse = problem.ours()
        problem.q = [q[:, 0] for q in problem.q]
        got = problem.ours()
        self.assertTrue(torch.equal(got[0], o[:, 0]) and torch.equal(got[1], lse[:, :, 0]))
        alone = tk.torch.mla_decode(*problem.q, *problem.cache, problem.table, problem.lengths, softmax_scale=SCALE)
        self.assertTrue(torch.equal(alone, got[0]))

    def test_layouts(self):
        # Both parts of a cache in one tensor, and of the queries; heads before sequences, as a product by weights gives them.
        problem = Problem((50, 17), 64, 1, 20)
        want = problem.exact()
        both = torch.cat(problem.cache, -1)
        problem.cache = [both[..., :512], both[..., 512:]]
        both = torch.cat(problem.q, -1)
        problem.q = [both[..., :512], both[..., 512:]]
        self.agree(problem.ours(), want, 1e-2)
        problem.q[0] = problem.q[0].transpose(0, 2).contiguous().transpose(0, 2)
        self.agree(problem.ours(), want, 1e-2)

    def test_behind_the_end(self):
        # What lies past the end changes nothing, if it is numbers; what is not a value may be NaN.
        for heads in (16, 40):
            problem = Problem((50, 17), 64, 1, heads)
            clean = problem.ours()
            for cache, fill in zip(problem.cache, (1000.0, math.nan)):
                kept = cache.clone()
                cache.fill_(fill)
                for b, n in enumerate(problem.lengths.tolist()):
                    page = int(problem.table[b, 0])
                    cache[page, :n] = kept[page, :n]
            for a, b in zip(problem.ours(), clean):
                self.assertTrue(torch.equal(a, b))

    def test_append(self):
        for whole in (False, True):
            p = Problem((64, 0, 17, 2), 64, 3, 1, whole=whole)
            new = [randn(4, 3, 600, seed=i)[..., :cells] for i, cells in ((7, 512), (8, 64))]
            want = [x.clone() for x in p.cache]
            for b, n in enumerate(p.lengths.tolist()):
                for t in range(3):
                    if n - 3 + t >= 0:
                        for x, y in zip(want, new):
                            x[b if whole else int(p.table[b, 0]), n - 3 + t] = y[b, t]
            self.assertIsNone(tk.torch.append_to_latent_cache(*new, *p.cache, p.table, p.lengths))
            self.assertTrue(all(torch.equal(x, y) for x, y in zip(p.cache, want)))
        for words, given in [("[batch, new tokens, cells]", (new[0], new[1][:, :1])), ("512 cells", (new[1], new[1])),
                             ("all bfloat16 or all float16", (new[0].half(), new[1]))]:
            with self.raises(ValueError, "append_to_latent_cache: ", words):
                tk.torch.append_to_latent_cache(*given, *p.cache, p.table, p.lengths)

    def test_operator(self):
        p = Problem((50, 17), 64, 1, 4)
        torch.library.opcheck(torch.ops.tk.mla_decode.default, (*p.q, *p.cache, p.table, p.lengths, SCALE, 64, 0))
        new = randn(2, 1, 512), randn(2, 1, 64)
        torch.library.opcheck(torch.ops.tk.append_to_latent_cache.default, (*new, *p.cache, p.table, p.lengths))
        with FakeTensorMode():
            q, r = torch.empty(3, 2, 128, 512).bfloat16(), torch.empty(3, 2, 128, 64).bfloat16()
            c, k = torch.empty(9, 64, 512).bfloat16(), torch.empty(9, 64, 64).bfloat16()
            table, lengths = torch.empty(3, 4, dtype=torch.int32), torch.empty(3, dtype=torch.int32)
            tk.torch.append_to_latent_cache(q[:, :, 0], r[:, :, 0], c, k, table, lengths)
            o, lse = tk.torch.mla_decode(q, r, c, k, table, lengths, softmax_scale=1.0, return_lse=True)
            self.assertEqual((o.shape, o.dtype, lse.shape, lse.dtype), (q.shape, q.dtype, (3, 128, 2), torch.float32))

    def test_messages(self):
        p = Problem((50, 17), 64, 1, 4)
        q, r, c, k = *p.q, *p.cache

        def call(q=q, r=r, c=c, k=k, table=p.table, lengths=p.lengths, scale=1.0, **words):
            return tk.torch.mla_decode(q, r, c, k, table, lengths, softmax_scale=scale, **words)
        for words, given in [
            ("all bfloat16 or all float16", dict(q=q.float())),
            ("all bfloat16 or all float16", dict(k=k.half())),
            ("[batch, new tokens, heads, cells]", dict(q=q[:, 0])),
            ("[batch, new tokens, heads, cells]", dict(r=r[:, :, :2])),
            ("[pages, tokens of a page, cells]", dict(c=c[:1])),
            ("512 cells, kpe_cache 64", dict(q=q[..., :256])),
            ("512 cells, kpe_cache 64", dict(k=k[..., :32])),
            ("a new token and a head", dict(q=q[:, :0], r=r[:, :0])),
            ("in one piece", dict(c=c.transpose(1, 2).contiguous().transpose(1, 2))),
            ("lengths must be int32, one for each sequence, here [2]", dict(lengths=p.lengths.long())),
            ("block_table must be int32", dict(table=p.table[:1])),
            ("has its own page", dict(c=c[:1], k=k[:1], table=None)),
            ("a token at least", dict(c=c[:, :0], k=k[:, :0])),
            ("equally many whole tokens apart", dict(c=torch.zeros(c.shape[0], 65, 512).bfloat16()[:, :64])),
            ("softmax_scale must be positive", dict(scale=0.0)),
            ("num_splits", dict(num_splits=0)),
            ("no gradients", dict(q=q.clone().requires_grad_())),
        ]:
            with self.raises(ValueError, "mla_decode: ", words):
                call(**given)


@unittest.skipIf(not HOPPER or NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(LatentCase):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_pages(self):
        for page in (1, 16, 64, 256):
            for kind in (torch.bfloat16, torch.float16):
                for tokens, heads in ((1, 8), (1, 16), (2, 16), (1, 64), (1, 128), (3, 128)):
                    problem = Problem((4097, 0, page, 2, 3 * page - 1, 1000), page, tokens, heads, kind, "cuda")
                    for splits in (1, 7, None):
                        for pairs in (False, True):
                            with self.subTest(page=page, kind=kind, tokens=tokens, heads=heads, splits=splits, pairs=pairs):
                                with mock.patch.object(latent, "PAIRS", pairs):
                                    self.check(problem, num_splits=splits)

    def test_whole(self):
        for heads in (16, 128):
            self.check(Problem((3000, 0, 7), 3000, 1, heads, device="cuda", whole=True))

    def test_prefill(self):
        for page, heads in ((64, 128), (64, 16), (16, 16)):
            problem = Problem((1500, 1000, 0), page, 1000, heads, device="cuda")
            for splits in (1, None):
                self.check(problem, num_splits=splits)

    def test_graph(self):
        # A step is captured once, and replayed as sequences grow.
        for heads in (16, 128):
            p = Problem((800, 800, 800), 64, 2, heads, device="cuda")
            p.lengths.copy_(torch.tensor((500, 3, 0)))
            new = [randn(3, 2, cells, seed=cells).cuda() for cells in (512, 64)]

            def step():
                tk.torch.append_to_latent_cache(*new, *p.cache, p.table, p.lengths)
                return p.ours()
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                step()  # loads the kernels
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                held = step()
            for lengths in ([501, 4, 1], [640, 64, 65], [800, 1, 0]):
                p.lengths.copy_(torch.tensor(lengths))
                new[0].copy_(torch.randn_like(new[0]))
                graph.replay()
                self.assertTrue(torch.equal(p.sequence(p.cache[0], 0)[-2:], new[0][0].double()))
                self.agree(held, p.exact(), 1e-2)


if __name__ == "__main__":
    unittest.main()
