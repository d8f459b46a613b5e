"""The families of sequence.py of Mamba-1: the selective scan, and with it its gradients."""
import torch
import torch.nn.functional as F

import tk
from families import Family, imported, normal
from recurrences import error


class SelectiveScan(Family):
    """Of 2 * heads * width channels with 16 states, whose tokens lie side by side."""

    def make(self):
        batch, tokens, heads = self.shape
        channels = 2 * heads * self.width
        self.shape, self.ends = (batch, tokens, channels), [0, channels - 1]
        self.u, self.delta = (normal(batch, channels, tokens, device=self.device, seed=i) for i in (1, 2))
        self.b, self.c = (normal(batch, 16, tokens, device=self.device, seed=i) for i in (3, 4))
        self.a = -torch.arange(1, 17, device=self.device).float().repeat(channels, 1)
        self.d, self.bias = torch.ones(channels, device=self.device), torch.full((channels,), -4.0, device=self.device)
        self.bytes = 2 * (3 * self.u.numel() + 2 * self.b.numel())

    def results(self):
        return tk.torch.selective_scan(self.u, self.delta, self.a, self.b, self.c, self.d, None, self.bias, True, True)

    def calls(self):
        found = {"ours": self.results}
        peer = imported("mamba_ssm.ops.selective_scan_interface", "selective_scan_fn")
        if peer is not None:
            found["mamba_ssm"] = lambda: peer(self.u, self.delta, self.a, self.b, self.c, self.d, None, self.bias, True, True)
        return found

    def of_ends(self):
        """The first and the last channel of the first sequence: u, delta, A and the bias, and B and C of all."""
        return [t.detach().double() for t in (self.u[0, self.ends], self.delta[0, self.ends], self.a[self.ends], self.bias[self.ends],
                                              self.b[0], self.c[0])]

    def exact(self, u, delta, a, bias, b, c):
        dt = F.softplus(delta + bias[:, None])
        h, made = u.new_zeros(len(u), 16), []
        for t in range(u.shape[1]):
            h = torch.exp(dt[:, t, None] * a) * h + (dt[:, t] * u[:, t])[:, None] * b[:, t]
            made.append((h * c[:, t]).sum(1) + u[:, t])
        return torch.stack(made, 1), h

    def errors(self, made):
        of_ends = (t[0, self.ends] for t in made)
        return {name: error(a, b) for name, a, b in zip(("y", "state"), of_ends, self.exact(*self.of_ends()))}


class SelectiveScanGradients(SelectiveScan):
    """Forward and backward."""

    def make(self):
        super().make()
        self.dy = normal(*self.u.shape, device=self.device, seed=5)
        self.bytes += 2 * (5 * self.u.numel() + 4 * self.b.numel())
        self.leaves = [t.detach().requires_grad_() for t in (self.u, self.delta, self.a, self.b, self.c, self.d, self.bias)]
        self.u, self.delta, self.a, self.b, self.c, self.d, self.bias = self.leaves

    def calls(self):
        def both(call):
            return lambda: torch.autograd.grad(call()[0], self.leaves, self.dy)
        return {name: both(call) for name, call in super().calls().items()}

    def errors(self, made):
        du, ddelta, *_ = made
        exact = self.of_ends()
        leaves = [t.requires_grad_() for t in exact[:2]]
        want = torch.autograd.grad(self.exact(*exact)[0], leaves, self.dy[0, self.ends].double())
        return {name: error(a[0, self.ends], b) for name, a, b in zip(("du", "ddelta"), (du, ddelta), want)}
