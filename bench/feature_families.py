"""The families of sequence.py that are linear attention by features: Based and Hedgehog."""
import torch

import tk
from families import Family, Step, imported, normal
from recurrences import error, mixed, taylor


class Based(Family):
    def make(self):
        self.given = [self.random(16), self.random(16, seed=1), self.random(self.width, seed=2)]
        self.bytes = 2 * 2 * (self.given[0].numel() + self.given[2].numel())

    def functions(self):
        found = {"ours": tk.torch.based}
        peer = imported("fla.ops.based", "fused_chunk_based")
        return found if peer is None else dict(found, fla=peer)

    def calls(self):
        return {name: (lambda call=call: call(*self.given, scale=0.25, use_norm=True)) for name, call in self.functions().items()}

    def exact(self, q, k, v):
        return taylor(q * 0.25, k, v)

    def errors(self, made):
        return self.per_head(lambda h: {"o": error(made[0, :, h], self.exact(*(x[0, :, h].double() for x in self.given)))})


class BasedGradients(Based):
    """Forward and backward."""

    def make(self):
        super().make()
        self.leaves = [t.detach().requires_grad_() for t in self.given]
        self.do = self.random(self.width, seed=5)
        self.bytes += 2 * (4 * self.leaves[0].numel() + 4 * self.do.numel())

    def both(self, call):
        return torch.autograd.grad(call(*self.leaves, scale=0.25, use_norm=True), self.leaves, self.do)

    def calls(self):
        return {name: (lambda call=call: self.both(call)) for name, call in self.functions().items()}

    def errors(self, made):
        def of(h):
            exact = [t[0, :, h].detach().double().requires_grad_() for t in self.leaves]
            want = torch.autograd.grad(self.exact(*exact), exact, self.do[0, :, h].double())
            return {name: error(t[0, :, h], w) for name, t, w in zip(("dq", "dk", "dv"), made, want)}
        return self.per_head(of)


class AfterTokens(Step):
    """A step after tokens that the family's own kernel took, which gave the state."""
    before_it = 128

    def inputs(self):
        step, self.shape = self.shape, (self.shape[0], self.before_it, self.shape[2])
        self.make_tokens()
        self.o, self.state_before = self.kernel_of_tokens(*self.given, output_final_state=True)
        self.shape = step
        self.token = [t[:, -1].contiguous() if t.dim() == 4 else t for t in self.given]
        self.before = self.state_before[0]

    def calls(self):
        state = [t.clone() for t in self.state_before]
        return {"ours": lambda: self.step(state)}

    def errors(self, made):
        def of(h):
            tokens = [torch.cat([t[0, :, h], s[:1, h]]) if t.dim() == 4 else t[h] for t, s in zip(self.given, self.token)]
            return {"o": error(made[0, h], self.exact(*(t.double() for t in tokens))[-1])}
        return self.per_head(of)


class BasedStep(AfterTokens, Based):
    def make_tokens(self):
        self.given = [self.random(16), self.random(16, seed=1), self.random(self.width, seed=2)]

    kernel_of_tokens = staticmethod(tk.torch.based)

    def step(self, state):
        return tk.torch.based_update(*self.token, state)


class Hedgehog(Family):
    """With matrices and mixing factors as ThunderKittens tests them."""

    def make(self):
        self.make_tokens()
        self.bytes = 2 * 4 * self.given[0].numel()

    def make_tokens(self):
        d, heads = self.width, self.shape[2]
        self.given = [self.random(d), self.random(d, seed=1), self.random(d, seed=2)]
        self.given += [normal(heads, d, 64, device=self.device, seed=i) * d**-0.5 for i in (3, 4)]
        self.given += [torch.linspace(0.1, most, heads, device=self.device) for most in (3, 1)]

    def calls(self):
        return {"ours": lambda: tk.torch.hedgehog(*self.given)}

    def exact(self, *tensors):
        return mixed(*tensors, self.width**-0.5)

    def of_head(self, h):
        """In float64: of the first sequence, and all that there is of the head."""
        return [t[0, :, h].detach().double() for t in self.given[:3]] + [t[h].detach().double() for t in self.given[3:]]

    def errors(self, made):
        return self.per_head(lambda h: {"o": error(made[0, :, h], self.exact(*self.of_head(h)))})


class HedgehogGradients(Hedgehog):
    """Forward and backward. Errors of what belongs to tokens: the others are sums over all sequences."""

    def make(self):
        super().make()
        self.given = [t.detach().requires_grad_() for t in self.given]
        self.do = self.random(self.width, seed=5)
        self.bytes += 2 * 8 * self.do.numel()

    def both(self):
        return torch.autograd.grad(tk.torch.hedgehog(*self.given), self.given, self.do)

    def calls(self):
        return {"ours": self.both}

    def errors(self, made):
        def of(h):
            exact = [t.requires_grad_() for t in self.of_head(h)]
            want = torch.autograd.grad(self.exact(*exact), exact, self.do[0, :, h].double())
            return {name: error(t[0, :, h], w) for name, t, w in zip(("dq", "dk", "dv"), made, want)}
        return self.per_head(of)


class HedgehogStep(AfterTokens, Hedgehog):
    """Bytes: the states are read, and the window, whose second half is empty. One step of 64 changes them."""

    kernel_of_tokens = staticmethod(tk.torch.hedgehog)

    def inputs(self):
        super().inputs()
        state, sums, *window = self.state_before
        self.state_before = [state, sums, *(torch.cat([t, torch.zeros_like(t)], 1) for t in window)]
        self.tokens = torch.full((self.shape[0],), self.before_it, dtype=torch.int32, device=self.device)

    def make(self):
        super().make()
        self.bytes = sum(t.numel() * t.element_size() for t in self.state_before)

    def step(self, state):
        return tk.torch.hedgehog_update(*self.token, state, self.tokens)
