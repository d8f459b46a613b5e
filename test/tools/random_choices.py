# A record of random decisions, and its reduction. A kernel is a function of the numbers drawn while it is
# made, so a smaller kernel that still fails is found by making these numbers fewer and smaller, and
# generating again: whatever comes out is well-typed by construction.
import random
import time

CORE = ("bf16", "f16", "f32", "i32")


class Choices:
    """Numbers that were drawn before, then random ones (with a seed) or zeros: the simplest choice is always 0."""

    def __init__(self, seed=None, values=(), core=False):
        self.core = core  # only the data types that kernels are mostly made of
        self._random = None if seed is None else random.Random(seed)
        self._given = values
        self.drawn = []

    def draw(self, count):
        """A number below `count`."""
        place = len(self.drawn)
        if place < len(self._given):
            value = min(self._given[place], count - 1)
        elif self._random is None:
            value = 0
        else:
            value = self._random.randrange(count)
        self.drawn.append(value)
        return value

    def pick(self, items):
        """One of the items; the first is the simplest. An item that is twice is twice as likely."""
        return items[self.draw(len(items))]

    def pick_type(self, dtypes):
        return self.pick([d for d in dtypes if d in CORE] if self.core else dtypes)

    def chance(self, percent):
        return self.draw(100) >= 100 - percent

    def number(self, low, high):
        return low + self.draw(high - low + 1)


def shorter(values):
    """Candidates simpler than `values`: parts left out, then parts made zero, then single numbers lowered."""
    for size in (64, 32, 16, 8, 4, 2, 1):
        for start in range(len(values) - size, -1, -max(1, size // 2)):
            yield values[:start] + values[start + size:]
    for size in (16, 8, 4, 1):
        for start in range(0, len(values), size):
            if any(values[start:start + size]):
                yield values[:start] + [0] * len(values[start:start + size]) + values[start + size:]
    for place, value in enumerate(values):
        for lower in (value // 2, value - 1):
            if 0 < lower < value:
                yield values[:place] + [lower] + values[place + 1:]


def shrink(values, still_fails, seconds):
    """The simplest list found for which `still_fails(list)` returns the list of what was drawn, instead of None."""
    deadline = time.monotonic() + seconds
    tried = set()
    improved = True
    while improved:
        improved = False
        for candidate in shorter(values):
            if time.monotonic() > deadline:
                return values
            if tuple(candidate) in tried:
                continue
            tried.add(tuple(candidate))
            drawn = still_fails(candidate)
            if drawn is not None and (len(drawn), drawn) < (len(values), values):
                values = drawn
                improved = True
                break
    return values
