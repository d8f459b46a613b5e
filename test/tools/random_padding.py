#!/usr/bin/env python3
# Random reductions of tiles that reach past the edge of a tensor. Each is computed here twice for several inputs: over
# all cells of the tile, and over those that the tensor has. What differs is harmful, and tkc must refuse it; of the
# others it may refuse a few.
#
#     random_padding.py --tkc build/dev/tkc --seed 1 --count 300
#
# The same seed makes the same kernels.
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

WIDTH = 8
MOST_ERRORS = 20  # tkc tells no more
NUMBERS = ["-2.0", "-1.0", "-0.5", "0.0", "0.5", "1.0", "3.0"]
WITH = ["-inf", "inf", "0.0", "1.0", "-3.0"]


class Expression:
    """Text of the language, and the same as a function of a cell: x and y of it, its column, where the tile begins.
    `pads` is told whether the cell lies past the edge."""

    def __init__(self, text, value):
        self.text, self.value = text, value


def number(text):
    value = float(text)
    return Expression(text, lambda cell: value)


def leaf(rng):
    kind = rng.randrange(10)
    if kind < 5:
        return Expression("x", lambda cell: cell.x)
    if kind < 7:
        return Expression("y", lambda cell: cell.y)
    if kind < 8:
        return Expression("s", lambda cell: 0.75)
    if kind < 9:
        return Expression("f32(c.start + col_index(x))", lambda cell: float(cell.start + cell.column))
    return Expression("f32(col_index(x))", lambda cell: float(cell.column))


def exponential(x):
    return math.exp(x) if x < 60 else math.exp(60)


def unary(rng, e):
    f, k = e.value, rng.choice(NUMBERS)
    v = float(k)
    text = e.text
    return rng.choice([
        lambda: Expression(f"abs({text})", lambda c: abs(f(c))),
        lambda: Expression(f"exp({text})", lambda c: exponential(f(c))),
        lambda: Expression(f"(-({text}))", lambda c: -f(c)),
        lambda: Expression(f"sqrt(abs({text}))", lambda c: math.sqrt(abs(f(c)))),
        lambda: Expression(f"(({text}) * ({text}))", lambda c: f(c) * f(c)),
        lambda: Expression(f"tanh({text})", lambda c: math.tanh(f(c))),
        lambda: Expression(f"floor({text})", lambda c: math.floor(f(c)) if math.isfinite(f(c)) else f(c)),
        lambda: Expression(f"max({text}, {k})", lambda c: max(f(c), v)),
        lambda: Expression(f"min({text}, {k})", lambda c: min(f(c), v)),
        lambda: Expression(f"where({text} > {k}, {text}, {k})", lambda c: f(c) if f(c) > v else v),
        lambda: Expression(f"where({text} < {k}, f32(col_index(x)), {k})",
                           lambda c: float(c.column) if f(c) < v else v),
        lambda: Expression(f"where(c.start + col_index(x) < C, {text}, {k})",
                           lambda c: v if c.past else f(c)),
        lambda: Expression(f"({text} + {k})", lambda c: f(c) + v),
        lambda: Expression(f"({text} * {k})", lambda c: f(c) * v if f(c) else 0.0),
        lambda: Expression(f"f32(bf16({text}))", f),
    ])()


def binary(rng, a, b):
    f, g = a.value, b.value
    return rng.choice([
        lambda: Expression(f"({a.text} + {b.text})", lambda c: f(c) + g(c)),
        lambda: Expression(f"({a.text} - {b.text})", lambda c: f(c) - g(c)),
        lambda: Expression(f"(({a.text}) * ({b.text}))", lambda c: f(c) * g(c)),
        lambda: Expression(f"max({a.text}, {b.text})", lambda c: max(f(c), g(c))),
        lambda: Expression(f"min({a.text}, {b.text})", lambda c: min(f(c), g(c))),
    ])()


def padded(rng, e):
    f, k = e.value, rng.choice(WITH)
    v = float(k)
    return Expression(f"pad({e.text}, axis = 1, with = {k})", lambda c: v if c.past else f(c))


def expression(rng, depth):
    if depth == 0:
        return leaf(rng)
    if rng.random() < 0.65:
        return unary(rng, expression(rng, depth - 1))
    return binary(rng, expression(rng, depth - 1), expression(rng, depth - 1))


def of_tensors(rng, depths):
    """An expression that has padding: places and numbers alone have none."""
    while True:
        made = expression(rng, rng.randrange(depths))
        if re.search(r"\b[xy]\b", made.text.replace("col_index(x)", "")):
            return made


class Cell:
    def __init__(self, x, y, column, start, past):
        self.x, self.y, self.column, self.start, self.past = x, y, column, start, past


def reduced(name, values):
    if any(math.isnan(v) for v in values):
        return math.nan
    if name == "sum":
        return math.fsum(values) if all(math.isfinite(v) for v in values) else math.nan
    if name in ("argmax", "argmin"):
        best = (max if name == "argmax" else min)(values)
        return values.index(best)
    return (max if name == "max" else min)(values)


def same(a, b):
    if math.isnan(a) or math.isnan(b):
        return False
    return a == b or (math.isfinite(a - b) and abs(a - b) <= 1e-9 * max(abs(a), abs(b)))


def rows_of(rng):
    """Inputs of several kinds: of any sign, of one sign, all alike, with zeros."""
    makers = [lambda: rng.gauss(0, 2), lambda: abs(rng.gauss(0, 2)) + 0.1, lambda: -abs(rng.gauss(0, 2)) - 0.1,
              lambda: 0.0, lambda: rng.choice([-1.0, 0.0, 1.0]), lambda: -9.0, lambda: 9.5, lambda: 0.25]
    for extent in (1, WIDTH - 1, WIDTH + 3):
        for make_x in makers:
            make_y = rng.choice(makers)
            yield extent, [make_x() for _ in range(extent)], [make_y() for _ in range(extent)]


def tiles(extent, xs, ys):
    for start in range(0, extent, WIDTH):
        places = range(start, start + WIDTH)
        yield [Cell(xs[i] if i < extent else 0.0, ys[i] if i < extent else 0.0, i - start, start, i >= extent)
               for i in places]


class OneTile:
    """A reduction of an expression over each tile."""

    def __init__(self, rng):
        e = of_tensors(rng, 4)
        if rng.random() < 0.25:
            e = padded(rng, e)
            if rng.random() < 0.5:
                e = unary(rng, e)
        self.e = e
        self.name = rng.choice(["max", "max", "min", "sum", "argmax", "argmin"])

    def lines(self, number):
        dtype = "i32" if self.name.startswith("arg") else "f32"
        return [f"kernel k{number}(X: f32[R, C], Y: f32[R, C], s: f32, out S: {dtype}[R, ceil_div(C, {WIDTH})])",
                "requires s > 0",
                "{",
                f"    grid (r in R by 4, c in C by {WIDTH}) warps(1);",
                "    let x = load(X[r, c]);",
                "    let y = load(Y[r, c]);",
                f"    store(S[r, c.index], {self.name}({self.e.text}, axis = 1));",
                "}"]

    def is_harmful(self, rng):
        for extent, xs, ys in rows_of(rng):
            for tile in tiles(extent, xs, ys):
                values = [self.e.value(cell) for cell in tile]
                inside = [v for v, cell in zip(values, tile) if not cell.past]
                if not same(reduced(self.name, values), reduced(self.name, inside)):
                    return True
        return False


def condition(rng, depth):
    """Of places, and of a tile t that changes later."""
    if depth > 0 and rng.random() < 0.75:
        a, b = condition(rng, depth - 1), condition(rng, depth - 1)
        f, g = a.value, b.value
        return rng.choice([
            lambda: Expression(f"({a.text} and {b.text})", lambda c: f(c) and g(c)),
            lambda: Expression(f"({a.text} and {b.text})", lambda c: f(c) and g(c)),
            lambda: Expression(f"({a.text} or {b.text})", lambda c: f(c) or g(c)),
            lambda: Expression(f"(not {a.text})", lambda c: not f(c)),
        ])()
    k = rng.choice(NUMBERS)
    v = float(k)
    return rng.choice([
        lambda: Expression("(c.start + col_index(x) < C)", lambda c: not c.past),
        lambda: Expression("(c.start + col_index(x) < C)", lambda c: not c.past),
        lambda: Expression("(c.start + col_index(x) >= C)", lambda c: c.past),
        lambda: Expression(f"(t > {k})", lambda c: c.y + 1 > v),
    ])()


class Masked:
    """A reduction of cells that masks with names choose."""

    def __init__(self, rng):
        e, mask = of_tensors(rng, 2), condition(rng, 3)
        self.name = rng.choice(["max", "min", "sum"])
        right = {"max": "-inf", "min": "inf", "sum": "0.0"}[self.name]
        other = rng.choice([right, right, right, "1.0"])
        f, holds, k = e.value, mask.value, float(other)
        # By one mask of numbers or of truths, or by two.
        forms = [("let on = {mask};", "where(on, {e}, {k})"), ("let on = not {mask};", "where(on, {k}, {e})"),
                 ("let on = where({mask}, 1.0, 0.0);", "where(on > 0.5, {e}, {k})"),
                 ("let most = {mask};\n    let on = most and t < 9.0;", "where(on, {e}, {k})")]
        if other == "0.0":
            forms.append(("let on = where({mask}, 1.0, 0.0);", "({e}) * on"))
        form = rng.choice(forms)
        self.let, chosen = (part.format(mask=mask.text, e=e.text, k=other) for part in form)
        below = "t < 9.0" in self.let
        self.e = Expression(chosen, lambda c: f(c) if holds(c) and (not below or c.y + 1 < 9) else k)

    def lines(self, number):
        return [f"kernel k{number}(X: f32[R, C], Y: f32[R, C], s: f32, out S: f32[R, ceil_div(C, {WIDTH})])",
                "requires s > 0",
                "{",
                f"    grid (r in R by 4, c in C by {WIDTH}) warps(1);",
                "    let x = load(X[r, c]);",
                "    let y = load(Y[r, c]);",
                f"    var t: f32[4, {WIDTH}] = y + 1;",
                *f"    {self.let}".split("\n"),
                "    t = t * 3;",
                f"    store(S[r, c.index], {self.name}({self.e.text}, axis = 1));",
                "}"]

    is_harmful = OneTile.is_harmful


class Listed:
    """A reduction of cells that lists name, of which some lie outside of the tensor."""

    LISTS = [("2 * ({at})", lambda at, extent: 2 * at), ("({at}) + 3", lambda at, extent: at + 3),
             ("({at}) - 2", lambda at, extent: at - 2), ("C - 1 - ({at})", lambda at, extent: extent - 1 - at),
             ("({at}) // 2", lambda at, extent: at // 2), ("({at}) % C", lambda at, extent: at % extent),
             ("C - 1 - 2 * ({at})", lambda at, extent: extent - 1 - 2 * at),
             ("min(({at}), C - 1)", lambda at, extent: min(at, extent - 1)),
             ("max(({at}) - 2, 0)", lambda at, extent: max(at - 2, 0))]

    def __init__(self, rng):
        e = of_tensors(rng, 3)
        if rng.random() < 0.4:
            e = padded(rng, e)
        self.list, self.position = rng.choice(self.LISTS)
        here = self.list.format(at="c.start + col_index(x)")
        inside = rng.choice([f"({here} >= 0 and {here} < C)", f"(0 <= {here} and C > {here})"])
        if rng.random() < 0.4:
            k = rng.choice(["-inf", "inf", "0.0"])
            f, v = e.value, float(k)
            e = Expression(f"where(c.start + col_index(x) < C, {e.text}, {k})", lambda c: v if c.past else f(c))
        self.e = Expression(e.text.replace("c.start + col_index(x) < C", inside), e.value)
        self.name = rng.choice(["max", "max", "min", "sum"])

    def lines(self, number):
        at = self.list.format(at=f"c.start + range({WIDTH})")
        return [f"kernel k{number}(X: f32[R, C], Y: f32[R, C], s: f32, out S: f32[R, ceil_div(C + 4, {WIDTH})])",
                "requires s > 0, C >= 1",
                "{",
                f"    grid (r in R by 4, c in C + 4 by {WIDTH}) warps(1);",
                f"    let x = load(X[r, {at}]);",
                f"    let y = load(Y[r, {at}]);",
                f"    store(S[r, c.index], {self.name}({self.e.text}, axis = 1));",
                "}"]

    def is_harmful(self, rng):
        nothing = {"max": -math.inf, "min": math.inf, "sum": 0.0}[self.name]
        for extent, xs, ys in rows_of(rng):
            for start in range(0, extent + 4, WIDTH):
                tile = []
                for i in range(WIDTH):
                    at = self.position(start + i, extent)
                    past = not 0 <= at < extent
                    tile.append(Cell(0.0 if past else xs[at], 0.0 if past else ys[at], i, start, past))
                values = [self.e.value(cell) for cell in tile]
                inside = [v for v, cell in zip(values, tile) if not cell.past] or [nothing]
                if not same(reduced(self.name, values), reduced(self.name, inside)):
                    return True
        return False


class Lanes:
    """Cells of a variable that a loop goes on with, reduced after it. What counts is what the tensor has: a column that
    no step reached is left out."""

    UPDATES = [("{s} + {e}", lambda s, e: s + e), ("max({s}, {e})", max), ("min({s}, {e})", min),
               ("{e}", lambda s, e: e), ("({s} + {e}) - {s} * 0.5", lambda s, e: s + e - s * 0.5)]

    def __init__(self, rng):
        self.e = of_tensors(rng, 3)
        self.name = rng.choice(["max", "min", "sum"])
        self.begin = rng.choice(["0.0", "0.0", "-inf", "inf", "1.0"])
        self.update, self.f = rng.choice(self.UPDATES)
        keeping = ["pad({u}, axis = 1, with = v)", "where(c.start + col_index(x) < C, {u}, v)"]
        self.form = rng.choice(keeping if self.update == "{e}" else keeping + ["{u}"])

    def lines(self, number):
        update = self.form.format(u=self.update.format(s="v", e=self.e.text))
        return [f"kernel k{number}(X: f32[R, C], Y: f32[R, C], s: f32, out S: f32[R])",
                "requires s > 0 and C > 0",
                "{",
                "    grid (r in R by 4) warps(1);",
                f"    var v: f32[4, {WIDTH}] = {self.begin};",
                f"    for c in C by {WIDTH} {{",
                "        let x = load(X[r, c]);",
                "        let y = load(Y[r, c]);",
                f"        v = {update};",
                "    }",
                f"    store(S[r], {self.name}(v, axis = 1));",
                "}"]

    def is_harmful(self, rng):
        """None: nothing finite is computed."""
        finite = False
        for extent, xs, ys in rows_of(rng):
            machine = [float(self.begin)] * WIDTH
            meant = [float(self.begin)] * WIDTH
            for tile in tiles(extent, xs, ys):
                for cell in tile:
                    i = cell.column
                    if not cell.past or self.form == "{u}":
                        machine[i] = self.f(machine[i], self.e.value(cell))
                    if not cell.past:
                        meant[i] = self.f(meant[i], self.e.value(cell))
            wanted = reduced(self.name, meant[:min(extent, WIDTH)])
            finite = finite or math.isfinite(wanted)
            if math.isfinite(wanted) and not same(reduced(self.name, machine), wanted):
                return True
        return False if finite else None


def refused(tkc, kernels):
    """The numbers of the kernels that padding makes an error of."""
    text, kernel_at = [], {}
    for n, kernel in enumerate(kernels):
        for line in kernel.lines(n):
            text.append(line)
            kernel_at[len(text)] = n
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "padding.tk")
        with open(path, "w") as out:
            out.write("\n".join(text) + "\n")
        ran = subprocess.run([tkc, "check", "--json", path], capture_output=True, text=True, timeout=300)
    found = set()
    errors = [e for e in map(json.loads, ran.stdout.splitlines()) if e["severity"] == "error"]
    if len(errors) >= MOST_ERRORS and len(kernels) > 1:
        middle = len(kernels) // 2
        return refused(tkc, kernels[:middle]) | {n + middle for n in refused(tkc, kernels[middle:])}
    for error in errors:
        line = error["span"]["line"]
        if error["code"] not in ("TK5010", "TK5012"):
            sys.exit(f"{error['code']} in line {line}: {text[line - 1]}")
        found.add(kernel_at[line])
    if ran.returncode not in (0, 1):
        sys.exit(f"tkc ended with {ran.returncode}\n{ran.stderr}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--most-refused", type=float, default=15, help="of harmless kernels, in percent")
    parser.add_argument("--show", action="store_true", help="harmless kernels that are refused")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    kernels, harmful = [], []
    while len(kernels) < options.count:
        kernel = rng.choice([OneTile, OneTile, Masked, Listed, Lanes])(rng)
        judged = kernel.is_harmful(random.Random(options.seed))
        if judged is not None:
            kernels.append(kernel)
            harmful.append(judged)
    found = refused(options.tkc, kernels)
    accepted = [n for n in range(len(kernels)) if harmful[n] and n not in found]
    missed = [n for n in found if not harmful[n]]
    for n in accepted:
        print("harmful, and accepted:\n" + "\n".join(kernels[n].lines(n)))
    if options.show:
        for n in missed:
            print("harmless, and refused:\n" + "\n".join(kernels[n].lines(n)))
    harmless = len(kernels) - sum(harmful)
    print(f"{sum(harmful)} harmful kernels, {len(accepted)} of them accepted; {harmless} harmless ones, {len(missed)} of "
          "them refused")
    if accepted:
        sys.exit("harmful kernels are accepted")
    if len(missed) * 100 > harmless * options.most_refused:
        sys.exit("too many harmless kernels are refused")


if __name__ == "__main__":
    main()
