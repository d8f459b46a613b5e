"""What a family of sequence.py is: a model of one shape, its peer, and its errors."""
import torch
import torch.nn.functional as F

import tk
from recurrences import error


def normal(*shape, device, kind=torch.bfloat16, seed=0):
    generator = torch.Generator(device).manual_seed(seed)
    return torch.randn(shape, device=device, generator=generator).to(kind)


def imported(path, name):
    try:
        return getattr(__import__(path, fromlist=[name]), name)
    except Exception:  # they fail in many ways where Triton or CUDA is another
        return None


class Family:
    """What a family has: `calls`, ours and its peer's; `errors` of what a call gives, which are named; `bytes` that must move."""
    gates = 16.0  # of decays a channel: logarithms are log(sigmoid(normal)) over this

    def __init__(self, batch, tokens, heads, width, device):
        self.shape, self.width, self.device = (batch, tokens, heads), width, device
        self.ends = sorted({0, heads - 1})
        self.make()

    def random(self, *last, seed=0, kind=torch.bfloat16, heads=True):
        return normal(*(self.shape if heads else self.shape[:2]), *last, device=self.device, seed=seed, kind=kind)

    def kernel(self, file, name=None, **constants):
        return getattr(tk.load(tk.example(file + ".tk"), device=self.device, **constants), name or file)

    def state(self, rows, cols, seed=9):
        return normal(self.shape[0], self.shape[2], rows, cols, device=self.device, kind=torch.float32, seed=seed)

    def per_head(self, function):
        """The largest errors of each result over the heads that are looked at."""
        found = [function(h) for h in self.ends]
        return {name: max(f[name] for f in found) for name in found[0]}


class Step(Family):
    """One token of 16 times as many sequences, the states of which change in place: errors are those of a first call."""

    def make(self):
        self.shape = (16 * self.shape[0], 1, self.shape[2])
        self.inputs()
        self.bytes = 2 * 4 * self.before.numel()

    def inputs(self):
        d = self.width
        self.q, self.v = self.random(d), self.random(d, seed=1)
        self.k = F.normalize(self.random(d, seed=2).float(), dim=3).bfloat16()
        self.g = F.logsigmoid(self.random(seed=3, kind=torch.float32) + 4)
        self.beta = torch.sigmoid(self.random(seed=4, kind=torch.float32))
        self.before, self.scale = self.state(d, d), d**-0.5

    def calls(self):
        state, theirs = self.before.clone(), self.before.clone()
        found, peer = {"ours": lambda: (self.step(state), state)}, self.peer(theirs)
        return found if peer is None else dict(found, **{self.theirs: peer})

    def errors(self, made):
        o, state = made

        def of(h):
            want = self.exact(h)
            return {"o": error(o[0].reshape(want[0].shape[0], -1, o.shape[-1])[:, h], want[0]), "state": error(state[0, h], want[1])}
        return self.per_head(of)


class Backward:
    """Forward and backward of a family whose `leaves` end with the state before, and of which `exact` computes one head."""
    names = ("dq", "dk", "dv", "dg", "dbeta")

    def make(self):
        super().make()
        self.leaves = [t.detach().requires_grad_() for t in self.tensors()]
        cells = self.leaves[-1].shape[3]
        self.do, self.behind = self.random(cells, seed=5), self.state(self.width, cells, seed=6)
        self.bytes += 2 * sum(t.numel() * t.element_size() for t in self.leaves) + self.do.numel() * 2 + self.behind.numel() * 4

    def both(self, call):
        made = call(*self.leaves[:-1], scale=self.scale, initial_state=self.leaves[-1], output_final_state=True)
        return torch.autograd.grad(made, self.leaves, (self.do, self.behind))

    def calls(self):
        ours, peer = self.functions()
        found = {"ours": lambda: self.both(ours)}
        return found if peer is None else dict(found, fla=lambda: self.both(peer))

    def errors(self, made):
        def of(h):
            exact = [t[0, :, h].detach().double() for t in self.leaves[:-1]] + [self.leaves[-1][0, h].detach().double()]
            exact = [t.requires_grad_() for t in exact]
            want = torch.autograd.grad(self.exact(exact[0] * self.scale, *exact[1:]), exact,
                                       (self.do[0, :, h].double(), self.behind[0, h].double()))
            got = [t[0, :, h] for t in made[:-1]] + [made[-1][0, h]]
            return {name: error(a, b) for name, a, b in zip(self.names[:len(got) - 1] + ("ds",), got, want)}
        return self.per_head(of)
