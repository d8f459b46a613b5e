"""The recurrences of sequence.py in float64, in chunks, of one head: q, k [N, DK], v [N, DV], g [N] logarithms of decays."""
import torch

CHUNK = 64


def chunks(*tensors):
    return zip(*(x.split(CHUNK) for x in tensors))


def decayed(q, k, v, g, state):
    """o_t = q_t S_t, S_t = e^(g_t) S_(t-1) + k_t' v_t; and the state after."""
    made = []
    for q, k, v, g in chunks(q, k, v, g):
        sums = g.cumsum(0)
        away = (sums[:, None] - sums).masked_fill(torch.ones(len(g), len(g), device=g.device).triu(1).bool(), -torch.inf)
        made.append((q @ k.T * away.exp()) @ v + sums.exp()[:, None] * (q @ state))
        state = sums[-1].exp() * state + (k * (sums[-1] - sums).exp()[:, None]).T @ v
    return torch.cat(made), state


def gated(q, k, v, g, state):
    """The same with a decay for each channel: g [N, DK]. In chunks of 16, where gates are such that factors stay numbers."""
    made = []
    for q, k, v, g in zip(*(x.split(16) for x in (q, k, v, g))):
        sums = g.cumsum(0)
        made.append(((q * sums.exp()) @ (k * (-sums).exp()).T).tril() @ v + (q * sums.exp()) @ state)
        state = sums[-1].exp()[:, None] * state + (k * (sums[-1] - sums).exp()).T @ v
    return torch.cat(made), state


def delta(q, k, v, g, beta, state):
    """The same with S_t = e^(g_t) (S_(t-1) - beta_t k_t' k_t S_(t-1)) + beta_t k_t' v_t."""
    made = []
    for q, k, v, g, beta in chunks(q, k, v, g, beta):
        sums = g.cumsum(0)
        away = (sums[:, None] - sums).masked_fill(torch.ones(len(g), len(g), device=g.device).triu(1).bool(), -torch.inf).exp()
        m = (beta[:, None] * (k @ k.T) * away).tril(-1) + torch.eye(len(g), dtype=g.dtype, device=g.device)
        right = beta[:, None] * (v - sums.exp()[:, None] * (k @ state))
        u = torch.linalg.solve_triangular(m, right, upper=False, unitriangular=True)
        made.append(sums.exp()[:, None] * (q @ state) + (q @ k.T * away) @ u)
        state = sums[-1].exp() * state + (k * (sums[-1] - sums).exp()[:, None]).T @ u
    return torch.cat(made), state


def kimi(q, k, v, g, beta, state):
    """delta with a decay for each channel, as `gated`."""
    made = []
    for q, k, v, g, beta in zip(*(x.split(16) for x in (q, k, v, g, beta))):
        sums = g.cumsum(0)
        away = k * (-sums).exp()
        m = (beta[:, None] * (k * sums.exp()) @ away.T).tril(-1) + torch.eye(len(g), dtype=g.dtype, device=g.device)
        u = torch.linalg.solve_triangular(m, beta[:, None] * (v - (k * sums.exp()) @ state), upper=False, unitriangular=True)
        made.append((q * sums.exp()) @ state + ((q * sums.exp()) @ away.T).tril() @ u)
        state = sums[-1].exp()[:, None] * state + (k * (sums[-1] - sums).exp()).T @ u
    return torch.cat(made), state


def taken(r, w, k, v, a, b, state):
    """That of RWKV-7: S_t = diag(e^(w_t)) S_(t-1) + b_t' (a_t S_(t-1)) + k_t' v_t."""
    made = []
    for r, w, k, v, a, b in zip(*(x.split(16) for x in (r, w, k, v, a, b))):
        sums = w.cumsum(0)
        reads, away = a * (sums - w).exp(), (-sums).exp()
        m = torch.eye(len(w), dtype=w.dtype, device=w.device) - (reads @ (b * away).T).tril(-1)
        u = torch.linalg.solve_triangular(m, (reads @ (k * away).T).tril(-1) @ v + reads @ state, upper=False, unitriangular=True)
        queries = r * sums.exp()
        made.append(queries @ state + (queries @ (k * away).T).tril() @ v + (queries @ (b * away).T).tril() @ u)
        rest = (sums[-1] - sums).exp()
        state = sums[-1].exp()[:, None] * state + (k * rest).T @ v + (b * rest).T @ u
    return torch.cat(made), state


def taylor(q, k, v):
    """Weights 1 + s + s^2 / 2, normalized, by their features."""
    def features(x):
        return torch.cat([x.new_ones(len(x), 1), x, (x[:, :, None] * x[:, None]).flatten(1) * 0.5**0.5], 1)

    none = torch.zeros(len(q), dtype=q.dtype, device=q.device)
    q, k = features(q), features(k)
    v = torch.cat([v, v.new_ones(len(v), 1)], 1)
    o, _ = decayed(q, k, v, none, v.new_zeros(q.shape[1], v.shape[1]))
    return o[:, :-1] / (o[:, -1:] + 1e-6)


def mixed(q, k, v, wq, wk, alpha, beta, scale):
    """Hedgehog: softmax weights for the keys of a block and the one before, products of features for those before them."""
    def features(x, w):
        x = x @ w
        return torch.cat([x.softmax(1), (-x).softmax(1)], 1).clamp(min=1e-6)

    made, places = [], torch.arange(len(q), device=q.device)
    for first in range(0, len(q), CHUNK):
        own, before = slice(first, first + CHUNK), max(first - CHUNK, 0)
        s = q[own] @ k[before:first + CHUNK].T
        s = s.masked_fill(places[before:first + CHUNK] > places[own, None], -torch.inf)
        near = beta * ((s - s.max(1, keepdim=True).values) * scale).exp()
        far = alpha * features(q[own], wq) @ features(k[:before], wk).T
        w = torch.cat([far, near], 1)
        made.append(w @ v[:first + CHUNK] / (w.sum(1, keepdim=True) + 1e-6))
    return torch.cat(made)


def error(got, want):
    return ((got.double() - want).norm() / want.norm()).item()
