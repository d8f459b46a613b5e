"""tk.torch.decode and append_to_cache on CPU tensors, by the emulator; on a Hopper GPU with nvcc, the kernels. Needs PyTorch."""
import math
import os
import unittest

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import tk
from tk import kv_cache
from torch_test import HOPPER, NVCC, Case, randn


def pages_of(lengths, page, most, spare=3, seed=0):
    """A table of pages in any order, and how many there are. What lies past the end of a sequence names no page."""
    needed = [-(-n // page) for n in lengths]
    order = torch.randperm(sum(needed) + spare, generator=torch.Generator().manual_seed(seed)).tolist()
    table = torch.full((len(lengths), most), -1, dtype=torch.int32)
    for row, count in enumerate(needed):
        table[row, :count] = torch.tensor([order.pop() for _ in range(count)], dtype=torch.int32)
    return table, sum(needed) + spare


class Problem:
    def __init__(self, lengths, page, tokens, heads, of_keys, cells, kind=torch.bfloat16, device="cpu", whole=False, most=None):
        self.tokens, self.page = tokens, page
        self.lengths = torch.tensor(lengths, dtype=torch.int32, device=device)
        self.table, count = None, len(lengths)
        if not whole:
            table, count = pages_of(lengths, page, most or max(-(-max(lengths) // page), 1))
            self.table = table.to(device)
        self.q = randn(len(lengths), tokens, heads, cells, seed=1).to(kind).to(device)
        self.k, self.v = (randn(count, page, of_keys, cells, seed=i).to(kind).to(device) for i in (2, 3))

    def ours(self, function=None, **words):
        function = function or tk.torch.decode
        return function(self.q, self.k, self.v, self.table, self.lengths, return_lse=True, **words)

    def sequence(self, cache, b):
        n = int(self.lengths[b])
        if self.table is None:
            return cache[b, :n].double()
        return cache[self.table[b, :-(-n // self.page)].long()].flatten(0, 1)[:n].double()

    def exact(self, window=None, softcap=0.0, softmax_scale=None, sinks=None, **_):
        """In float64, one sequence after the other."""
        made = []
        for b, q in enumerate(self.q.double()):
            group = self.q.shape[2] // self.k.shape[2]
            k, v = (self.sequence(x, b).repeat_interleave(group, 1) for x in (self.k, self.v))
            s = torch.einsum("thd,nhd->htn", q, k) * (softmax_scale or 1 / math.sqrt(q.shape[-1]))
            s = softcap * torch.tanh(s / softcap) if softcap else s
            own = k.shape[0] - self.tokens + torch.arange(self.tokens, device=s.device)[:, None]
            key = torch.arange(k.shape[0], device=s.device)[None]
            s = s.masked_fill((key > own) | (key <= own - (window or k.shape[0] + 1)), -math.inf)
            lse = torch.logsumexp(s, 2) if k.shape[0] else s.new_full(s.shape[:2], -math.inf)
            lse = lse if sinks is None else torch.logaddexp(lse, sinks.double()[:, None])
            weights = torch.exp(s - lse.masked_fill(lse == -math.inf, 0)[..., None])
            made.append((torch.einsum("htn,nhd->thd", weights, v), lse))
        return [torch.stack(x) for x in zip(*made)]


class DecodeCase(Case):
    def agree(self, got, want, within=1e-2):
        o, lse = got
        self.assertEqual((o.shape, lse.shape), (want[0].shape, want[1].shape))
        self.close(o, want[0], within)
        seen = want[1] > -math.inf
        self.assertTrue(torch.equal(lse > -math.inf, seen))
        self.assertTrue((o.transpose(1, 2)[~seen] == 0).all())
        self.assertLess((lse[seen].double() - want[1][seen]).abs().max().item(), 1e-3)

    def check(self, problem, **words):
        got = problem.ours(**words)
        self.assertEqual((got[0].dtype, got[1].dtype), (problem.q.dtype, torch.float32))
        self.agree(got, problem.exact(**words), 1e-2 if problem.q.dtype == torch.bfloat16 else 2e-3)


class Decode(DecodeCase):
    def test_pages(self):
        for page, cells in ((1, 64), (8, 128), (16, 64), (20, 256), (32, 128), (48, 64), (64, 96), (256, 128)):
            for tokens, heads, of_keys in ((1, 4, 4), (1, 14, 2), (3, 8, 1), (16, 8, 1)):
                with self.subTest(page=page, tokens=tokens, heads=heads, of_keys=of_keys):
                    problem = Problem((page + 1, 0, page, 2, 3 * page - 1), page, tokens, heads, of_keys, cells)
                    for splits in (1, 2, None):
                        self.check(problem, num_splits=splits)

    def test_fp8(self):
        e4m3, e5m2 = kv_cache.FP8
        for kind, heads, cells, page in ((e4m3, 7, 64, 64), (e5m2, 40, 128, None), (e4m3, 2, 256, 64), (e4m3, 7, 128, 16), (e5m2, 3, 64, 1)):
            whole = page is None
            problem = Problem((129, 0, 64, 1), page or 129, 1, 2 * heads, 2, cells, whole=whole)
            held = [x.to(kind) for x in (problem.k, problem.v)]
            for scales in ((None, None), (0.5, 2.0), (torch.tensor([0.5, 1.5]), torch.tensor([3.0]))):
                problem.k, problem.v = (x.bfloat16() * (1 if s is None else torch.as_tensor(s).view(-1, 1)) for x, s in zip(held, scales))
                want = problem.exact(window=70)
                problem.k, problem.v = held
                with self.subTest(kind=kind, heads=heads, scales=scales):
                    for splits in (1, 3, None):
                        self.agree(problem.ours(window=70, k_scale=scales[0], v_scale=scales[1], num_splits=splits), want)

    def test_append_fp8(self):
        problem = Problem((48, 0, 17), 16, 3, 4, 2, 64)
        caches = [x.to(torch.float8_e4m3fn) for x in (problem.k, problem.v)]
        k, v = (randn(3, 3, 2, 64, seed=i).to(torch.float8_e4m3fn) for i in (7, 8))
        want = [x.float().clone() for x in caches]
        for b, n in enumerate((48, 0, 17)):
            for t in range(3 if n else 0):
                place = int(problem.table[b, (n - 3 + t) // 16]), (n - 3 + t) % 16
                want[0][place], want[1][place] = k[b, t].float(), v[b, t].float()
        tk.torch.append_to_cache(k, v, *caches, problem.table, problem.lengths)
        self.assertTrue(all(torch.equal(x.float(), y) for x, y in zip(caches, want)))

    def test_words(self):
        for kind in (torch.bfloat16, torch.float16):
            problem = Problem((100, 33), 32, 2, 4, 2, 64, kind)
            for words in (dict(window=1), dict(window=40, softcap=3.0), dict(softmax_scale=0.3), dict(max_seqlen=100)):
                with self.subTest(kind=kind, **words):
                    self.check(problem, **words)
        self.check(Problem((100, 33), 32, 1, 4, 2, 64), window=40)

    def test_sinks(self):
        sinks = torch.tensor([-1.0, 0.0, 2.0, 5.0])
        for tokens in (1, 3):
            for splits in (1, 2):
                self.check(Problem((100, 0, 33), 32, tokens, 4, 2, 64), sinks=sinks, num_splits=splits)
        self.check(Problem((100, 33), 32, 1, 4, 2, 64), sinks=sinks.bfloat16(), window=40)

    def test_wide(self):
        for cells, page in ((40, 1), (72, 64), (136, 16), (192, 32), (256, 64), (256, 16)):
            self.check(Problem((65, 30), page, 1, 4, 2, cells))

    def test_whole(self):
        for tokens in (1, 4):
            self.check(Problem((130, 0, 7), 130, tokens, 4, 2, 64, whole=True))

    def test_many(self):
        # So many programs that they are drawn, by what the table could hold.
        lengths = tuple(7 * i % 33 for i in range(68))
        self.check(Problem(lengths, 16, 1, 4, 4, 64, most=256))

    def test_layouts(self):
        # Both caches in one tensor; heads before the tokens of a page.
        problem = Problem((50, 17), 16, 1, 4, 2, 64)
        want = problem.exact()
        both = torch.stack((problem.k, problem.v), 1)
        problem.k, problem.v = both[:, 0], both[:, 1]
        self.agree(problem.ours(), want)
        problem.k, problem.v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (problem.k, problem.v))
        self.agree(problem.ours(), want)
        for page in (1, 4):
            problem = Problem((50, 17), page, 1, 4, 2, 64)
            want = problem.exact()
            for both in (torch.stack((problem.k, problem.v), 1), torch.stack((problem.k, problem.v), 2).transpose(1, 2)):
                problem.k, problem.v = both[:, 0], both[:, 1]
                self.agree(problem.ours(), want)
        packed = randn(2, 1, 8, 64)
        packed[:, :, :4] = problem.q
        problem.q = packed[:, :, :4]
        self.agree(problem.ours(), want)

    def test_behind_the_end(self):
        # What lies past the end of a sequence changes nothing, if it is numbers.
        problem = Problem((50, 17), 16, 1, 4, 2, 64)
        clean = problem.ours()
        for cache in (problem.k, problem.v):
            kept = cache.clone()
            cache.fill_(1000.0)
            for b, n in enumerate(problem.lengths.tolist()):
                for t in range(n):
                    place = int(problem.table[b, t // 16]), t % 16
                    cache[place] = kept[place]
        for a, b in zip(problem.ours(), clean):
            self.assertTrue(torch.equal(a, b))

    def test_splits(self):
        self.assertEqual(kv_cache.splits_of(128, 8192, 132), 1)
        self.assertEqual(kv_cache.splits_of(8, 8192, 132), 16)
        self.assertEqual(kv_cache.splits_of(8, 64, 132), 1)
        self.assertEqual(kv_cache.splits_of(1, 0, 132), 1)
        self.assertEqual(kv_cache.splits_of(0, 0, 132), 1)
        for programs in (1, 8, 32, 100, 133, 300):
            for keys in (1, 1000, 65536):
                splits = kv_cache.splits_of(programs, keys, 132)
                rounds = -(-programs * splits // 132)
                alone = -(-programs // 132) * -(-keys // 64)
                self.assertLessEqual(rounds * -(-(-(-keys // 64)) // splits), alone)

    def test_append(self):
        for tokens in (1, 3):
            for whole in (False, True):
                problem = Problem((48, 0, 17, 2), 48 if whole else 16, tokens, 4, 2, 64, whole=whole)
                k, v = randn(4, tokens, 2, 64, seed=7), randn(4, tokens, 4, 64, seed=8)[:, :, ::2]
                want = problem.k.clone(), problem.v.clone()
                for b, n in enumerate(problem.lengths.tolist()):
                    for t in range(tokens):
                        at = n - tokens + t
                        if at >= 0:
                            place = (b, at) if whole else (int(problem.table[b, at // 16]), at % 16)
                            want[0][place], want[1][place] = k[b, t], v[b, t]
                self.assertIsNone(tk.torch.append_to_cache(k, v, problem.k, problem.v, problem.table, problem.lengths))
                self.assertTrue(torch.equal(problem.k, want[0]) and torch.equal(problem.v, want[1]))

    def test_append_turned(self):
        problem = Problem((30, 5), 16, 2, 4, 2, 64)
        k, v = randn(2, 2, 2, 64, seed=7), randn(2, 2, 2, 64, seed=8)
        angle = torch.arange(30)[:, None] * 10.0**(-torch.arange(32) / 8)
        q = tk.torch.append_to_cache(k, v, problem.k, problem.v, problem.table, problem.lengths, q=problem.q, cos=angle.cos(),
                                     sin=angle.sin())
        turned = lambda x, at: torch.cat((x[..., :32].double() * angle[at].cos() - x[..., 32:].double() * angle[at].sin(),  # noqa: E731
                                          x[..., 32:].double() * angle[at].cos() + x[..., :32].double() * angle[at].sin()), -1)
        for b, n in enumerate((30, 5)):
            for t in range(2):
                at = n - 2 + t
                place = int(problem.table[b, at // 16]), at % 16
                self.close(q[b, t], turned(problem.q[b, t], at))
                self.close(problem.k[place], turned(k[b, t], at))
                self.assertTrue(torch.equal(problem.v[place], v[b, t]))

    def test_operators(self):
        problem = Problem((50, 17), 16, 1, 4, 2, 64)
        arguments = problem.q, problem.k, problem.v, problem.table, problem.lengths
        torch.library.opcheck(torch.ops.tk.decode.default, (*arguments, None, 0.125, 0, 0.0, 64, 0))
        k = randn(2, 1, 2, 64)
        torch.library.opcheck(torch.ops.tk.append_to_cache.default, (k, k, *arguments[1:]))
        small, ones = Problem((50, 17), 64, 1, 4, 2, 64), torch.ones(2)
        caches = [x.to(torch.float8_e4m3fn) for x in (small.k, small.v)]
        torch.library.opcheck(torch.ops.tk.decode_fp8.default,
                              (small.q, *caches, ones, ones, small.table, small.lengths, None, 0.125, 0, 0.0, 64, 0),
                              test_utils=("test_autograd_registration", "test_faketensor"))  # PyTorch compares no 8 bits
        with FakeTensorMode():
            q, cache = torch.empty(3, 2, 8, 64).bfloat16(), torch.empty(9, 16, 2, 64).bfloat16()
            table, lengths = torch.empty(3, 4, dtype=torch.int32), torch.empty(3, dtype=torch.int32)
            o, lse = tk.torch.decode(q, cache, cache, table, lengths, return_lse=True)
            self.assertEqual((o.shape, o.dtype, lse.shape, lse.dtype), (q.shape, q.dtype, (3, 8, 2), torch.float32))

    def test_compiled(self):
        torch._dynamo.reset()

        def step(q, k, v, k_cache, v_cache, table, lengths):
            tk.torch.append_to_cache(k, v, k_cache, v_cache, table, lengths)
            return tk.torch.decode(q * 2, k_cache, v_cache, table, lengths, return_lse=True)
        traced = torch.compile(step, fullgraph=True, backend="aot_eager")
        for lengths in ((50, 17), (3, 1, 0)):
            problem = Problem(lengths, 16, 1, 4, 2, 64)
            k, v = (randn(len(lengths), 1, 2, 64, seed=i) for i in (7, 8))
            got = traced(problem.q, k, v, problem.k, problem.v, problem.table, problem.lengths)
            problem.q = problem.q * 2
            self.agree(got, problem.exact())
            last = problem.sequence(problem.k, 0)[-1]
            self.assertTrue(torch.equal(last, k[0, 0].double()))

    def test_messages(self):
        p = Problem((50, 17), 16, 1, 4, 2, 64)
        odd = torch.zeros(8, 16 * 128 + 8, dtype=torch.bfloat16)[:, :16 * 128].unflatten(1, (16, 2, 64))

        def call(q=p.q, k=p.k, v=p.v, table=p.table, lengths=p.lengths, **words):
            return tk.torch.decode(q, k, v, table, lengths, **words)
        for words, given in [
            ("all bfloat16 or all float16", dict(q=p.q.float())),
            ("one shape, [pages", dict(v=p.v[:3])),
            ("four axes", dict(q=p.q[0])),
            ("one head dimension", dict(q=p.q[..., :32])),
            ("multiples of 2 up to 256 are", dict(q=p.q[..., :63], k=p.k[..., :63], v=p.v[..., :63])),
            ("in one piece", dict(k=p.k.transpose(2, 3).contiguous().transpose(2, 3))),
            ("lengths must be int32, one for each sequence, here [2]", dict(lengths=p.lengths.long())),
            ("block_table must be int32", dict(table=p.table.long())),
            ("block_table must be int32", dict(table=p.table[:1])),
            ("a token at least", dict(k=p.k[:, :0], v=p.v[:, :0])),
            ("a page at least", dict(k=p.k[:0], v=p.v[:0])),
            ("equally many whole tokens apart", dict(v=p.v.transpose(1, 2).contiguous().transpose(1, 2))),
            ("equally many whole tokens apart", dict(k=odd, v=odd)),
            ("has its own page", dict(k=p.k[:1], v=p.v[:1], table=None)),
            ("the heads of q, 3, must be a multiple of those of the cache, 2", dict(q=p.q[:, :, :3])),
            ("a new token", dict(q=p.q[:, :0])),
            ("softmax_scale", dict(softmax_scale=0.0)),
            ("softcap", dict(softcap=-1.0)),
            ("here [4]", dict(sinks=torch.zeros(2))),
            ("window", dict(window=0)),
            ("num_splits", dict(num_splits=0)),
            ("no gradients", dict(q=p.q.clone().requires_grad_())),
            ("those of caches of 8 bits", dict(k_scale=1.0)),
            ("both caches must have one type", dict(k=p.k.to(torch.float8_e4m3fn))),
            ("must be all bfloat16 or all float16", dict(k=p.k.to(torch.int8), v=p.v.to(torch.int8))),
        ]:
            with self.raises(ValueError, "decode: ", words):
                call(**given)
        small = Problem((50, 17), 64, 1, 4, 2, 96)
        k8, v8 = (x.to(torch.float8_e4m3fn) for x in (small.k, small.v))
        for words, given in [
            ("64, 128 and 256, not 96", dict(q=small.q, k=k8, v=v8)),
            ("numbers, or tensors of one or of [2]", dict(q=small.q[..., :64], k=k8[..., :64].contiguous(), v=v8[..., :64].contiguous(),
                                                          k_scale=torch.ones(3))),
            ("one new token", dict(q=small.q.repeat(1, 2, 1, 1), k=k8, v=v8)),
            ("q must be", dict(q=small.q.float(), k=k8, v=v8)),
        ]:
            with self.raises(ValueError, "decode: ", words):
                call(table=small.table, **given)
        k = randn(2, 1, 2, 64)
        angles = torch.zeros(60, 32)
        for words, given, more in [
            ("the heads of the cache", (k[:, :, :1], k[:, :, :1]), {}),
            ("one type", (k, k.half()), {}),
            ("come together", (k, k), dict(q=p.q)),
            ("half the head dimension], here [.., 32]", (k, k), dict(q=p.q, cos=angles[:, :16], sin=angles[:, :16])),
            ("no fewer heads", (k, k), dict(q=p.q[:, :, :1], cos=angles, sin=angles)),
        ]:
            with self.raises(ValueError, "append_to_cache: ", words):
                tk.torch.append_to_cache(*given, p.k, p.v, p.table, p.lengths, **more)


@unittest.skipIf(not HOPPER or NVCC is None, "needs a Hopper GPU and nvcc")
class OnHopper(DecodeCase):
    """The kernels themselves. Libraries are kept from run to run."""

    def setUp(self):
        super().setUp()
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.set(TKC_NVCC=NVCC, TK_CACHE=os.path.join(home, "tkc", "python-tests"))

    def test_pages(self):
        for page in (1, 8, 16, 32, 64, 256):
            for kind in (torch.bfloat16, torch.float16):
                for tokens, heads, of_keys in ((1, 8, 8), (1, 14, 2), (3, 64, 8), (16, 16, 2)):
                    problem = Problem((4097, 0, page, 2, 3 * page - 1, 1000), page, tokens, heads, of_keys, 128, kind, "cuda")
                    for splits in (1, 7, None):
                        with self.subTest(page=page, kind=kind, tokens=tokens, heads=heads, splits=splits):
                            self.check(problem, num_splits=splits)

    def test_columns(self):
        for kind in (torch.bfloat16, torch.float16):
            for heads, of_keys, cells in ((8, 8, 128), (14, 2, 64), (64, 2, 128), (32, 2, 256)):
                problem = Problem((4000, 0, 64, 1, 65, 1000), 64, 1, heads, of_keys, cells, kind, "cuda")
                for splits in (2, 7, None):
                    with self.subTest(kind=kind, heads=heads, cells=cells, splits=splits):
                        self.check(problem, num_splits=splits)

    def test_fp8(self):
        for page, heads, of_keys, cells in ((64, 8, 8, 128), (64, 64, 8, 128), (64, 96, 2, 64), (64, 16, 1, 256), (16, 64, 8, 128),
                                            (1, 16, 2, 64)):
            problem = Problem((4097, 0, 64, 1, 65, 1000), page, 1, heads, of_keys, cells, device="cuda")
            held = [x.to(torch.float8_e4m3fn) for x in (problem.k, problem.v)]
            problem.k, problem.v = (x.bfloat16() * 0.5 for x in held)
            want = problem.exact()
            problem.k, problem.v = held
            for splits in (1, 7, None):
                with self.subTest(page=page, heads=heads, cells=cells, splits=splits):
                    self.agree(problem.ours(k_scale=0.5, v_scale=torch.full((of_keys,), 0.5, device="cuda"), num_splits=splits), want)

    def test_whole(self):
        self.check(Problem((3000, 0, 7), 3000, 1, 32, 8, 128, device="cuda", whole=True))
        self.check(Problem((3000, 0, 7), 3000, 4, 32, 8, 64, device="cuda", whole=True))

    def test_graph(self):
        # A step is captured once, and replayed as sequences grow.
        lengths = [500, 3, 0]
        p = Problem((800, 800, 800), 64, 1, 16, 2, 128, device="cuda")
        p.lengths.copy_(torch.tensor(lengths))
        k, v = (randn(3, 1, 2, 128, seed=i).cuda() for i in (7, 8))

        def step():
            tk.torch.append_to_cache(k, v, p.k, p.v, p.table, p.lengths)
            return p.ours()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            step()  # loads the kernels
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            held = step()
        for new in ([501, 4, 1], [640, 64, 65], [800, 1, 0]):
            p.lengths.copy_(torch.tensor(new))
            k.copy_(torch.randn_like(k))
            graph.replay()
            self.assertTrue(torch.equal(p.sequence(p.k, 0)[-1], k[0, 0].double()))
            self.agree(held, p.exact())


if __name__ == "__main__":
    unittest.main()
