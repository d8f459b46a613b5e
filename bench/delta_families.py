"""The families of sequence.py whose tokens also take away from a state: delta rules and RWKV-7."""
import torch
import torch.nn.functional as F

import tk
from families import Backward, Family, imported
from recurrences import delta, error, kimi, taken


def rwkv7_tensors(family):
    """r, w, k, v, a and b as a layer of RWKV-7 makes them."""
    d = family.width
    n = F.normalize(family.random(d, seed=2).float(), dim=3)
    return (family.random(d), -0.6065 * torch.sigmoid(family.random(d, seed=3, kind=torch.float32)), family.random(d, seed=4) * d**-0.5,
            family.random(d, seed=1), -n.bfloat16(), (n * torch.sigmoid(family.random(d, seed=5, kind=torch.float32))).bfloat16())


class GatedDelta(Family):
    def make(self):
        d = self.width
        self.q, self.v = self.random(d), self.random(d, seed=1)
        self.k = F.normalize(self.random(d, seed=2).float(), dim=3).bfloat16()
        self.g = F.logsigmoid(self.random(seed=3, kind=torch.float32) + 4)
        self.beta = torch.sigmoid(self.random(seed=4, kind=torch.float32))
        self.before, self.scale = self.state(d, d), d**-0.5
        self.bytes = 2 * 4 * self.q.numel() + 4 * 2 * (self.g.numel() + self.before.numel())

    def results(self):
        return tk.torch.gated_delta_rule(self.q, self.k, self.v, self.g, self.beta, self.scale, self.before, True)

    def calls(self):
        found = {"ours": self.results}
        peer = imported("fla.ops.gated_delta_rule", "chunk_gated_delta_rule")
        if peer is not None:
            found["fla"] = lambda: peer(self.q, self.k, self.v, self.g, self.beta, scale=self.scale, initial_state=self.before,
                                        output_final_state=True)
        return found

    def errors(self, made):
        o, state = made

        def of(h):
            q, k, v, g, beta = (x[0, :, h].double() for x in (self.q, self.k, self.v, self.g, self.beta))
            want = delta(q * self.scale, k, v, g, beta, self.before[0, h].double())
            return {"o": error(o[0, :, h], want[0]), "state": error(state[0, h], want[1])}
        return self.per_head(of)


class GatedDeltaGradients(Backward, GatedDelta):
    exact = staticmethod(delta)

    def tensors(self):
        return self.q, self.k, self.v, self.g, self.beta, self.before

    def functions(self):
        return tk.torch.gated_delta_rule, imported("fla.ops.gated_delta_rule", "chunk_gated_delta_rule")


class KimiDelta(GatedDelta):
    def make(self):
        super().make()
        self.g = F.logsigmoid(self.random(self.width, seed=3, kind=torch.float32)) / self.gates
        self.bytes += 4 * (self.g.numel() - self.beta.numel())

    def both(self, call):
        return call(self.q, self.k, self.v, self.g, self.beta, scale=self.scale, initial_state=self.before, output_final_state=True)

    def calls(self):
        found = {"ours": lambda: self.both(tk.torch.kimi_delta_attention)}
        peer = imported("fla.ops.kda", "chunk_kda")
        return found if peer is None else dict(found, fla=lambda: self.both(peer))

    def errors(self, made):
        o, state = made

        def of(h):
            q, k, v, g, beta = (x[0, :, h].double() for x in (self.q, self.k, self.v, self.g, self.beta))
            want = kimi(q * self.scale, k, v, g, beta, self.before[0, h].double())
            return {"o": error(o[0, :, h], want[0]), "state": error(state[0, h], want[1])}
        return self.per_head(of)


class KimiDeltaGradients(Backward, KimiDelta):
    exact = staticmethod(kimi)

    def tensors(self):
        return self.q, self.k, self.v, self.g, self.beta, self.before

    def functions(self):
        return tk.torch.kimi_delta_attention, imported("fla.ops.kda", "chunk_kda")


class Rwkv7(Family):
    def make(self):
        self.given, self.before, self.scale = rwkv7_tensors(self), self.state(self.width, self.width), 1.0
        self.bytes = sum(t.numel() * t.element_size() for t in self.given) + 2 * self.given[3].numel() + 4 * 2 * self.before.numel()

    def run(self, call):
        return call(*self.given, scale=1.0, initial_state=self.before, output_final_state=True)

    def calls(self):
        found = {"ours": lambda: self.run(tk.torch.rwkv7)}
        peer = imported("fla.ops.rwkv7", "chunk_rwkv7")
        return found if peer is None else dict(found, fla=lambda: self.run(peer))

    def errors(self, made):
        o, state = made

        def of(h):
            want = taken(*(x[0, :, h].double() for x in self.given), self.before[0, h].double())
            return {"o": error(o[0, :, h], want[0]), "state": error(state[0, h], want[1])}
        return self.per_head(of)


class Rwkv7Gradients(Backward, Rwkv7):
    names = ("dr", "dw", "dk", "dv", "da", "db")
    exact = staticmethod(taken)

    def tensors(self):
        return *self.given, self.before

    def functions(self):
        return tk.torch.rwkv7, imported("fla.ops.rwkv7", "chunk_rwkv7")
