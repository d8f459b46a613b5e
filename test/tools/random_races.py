# Programs that are wrong in memory, in numbers that wrap or in what they require, made at random. Each must be refused; where
# tkc cannot decide, it warns, and the test, which shows the fault, must fail in the emulator.

DTYPES = ["f32", "bf16", "i32", "f16"]


def grown(choices, text):
    """Some work on a tile."""
    return choices.pick([text, f"{text} + 1", f"max({text}, 0)", f"2 - {text}", f"{text} * 2"])


def kernel(parameters, rest, clauses=""):
    return f"kernel k({parameters}){' ' + clauses if clauses else ''}\n{{\n{rest}\n}}\n"


def meaning(reads, results, test):
    """What stands for the reference: the programs are refused, or fail before it is compared."""
    body = " ".join(f"{name} = 0 * {name};" for name in results)
    return f"reference k({', '.join(reads)}) -> ({', '.join(results)}) {{ {body} }}\ntest shows {{ {test} expect " \
           f"{', '.join(results)} ~ reference within 0; }}\n"


def in_loop(choices, statement):
    return choices.pick([statement, f"for i in 2 {{ {statement} }}", f"if M > 1 {{ {statement} }}"])


def tile(choices):
    """Rows of a program, columns, warps, data type."""
    return choices.pick([8, 4, 16, 2, 1, 32]), choices.pick([64, 32, 40, 128]), choices.pick([4, 1, 8]), choices.pick(DTYPES)


def reads_neighbour(choices):
    """A program reads what the next one writes."""
    rows, cols, warps, dtype = tile(choices)
    shift = choices.pick([rows, -rows, 1, -1, max(1, rows // 2), 2 * rows])
    start = f"m.start {'+' if shift > 0 else '-'} {abs(shift)} +: {rows}"
    load = f"load(Z[{start}, :])"
    store = f"store(Z[m, :], {grown(choices, 'x')});"
    body = choices.pick([f"let x = {load}; {store}", f"var x = load(Z[m, :]); for i in 2 {{ x = x + {load}; }} {store}",
                         f"for c in {cols} by 16 {{ let x = load(Z[{start}, c]); store(Z[m, c], x); }}"])
    return kernel(f"inout Z: {dtype}[M, {cols}]", f"    grid (m in M by {rows}) warps({warps});\n    {body}") + \
        meaning(["Z"], ["Z"], f"M = {5 * rows + 3}; Z = ints(-4, 4);")


def writes_neighbour(choices):
    """A program writes into the tile of the next one."""
    rows, cols, warps, dtype = tile(choices)
    more = choices.pick([f"m.start +: {rows + 1}", f"m.start + {max(1, rows // 2)} +: {rows}", f"m.start - 1 +: {rows}"])
    value = choices.pick([f"load(X[{more}, :])", f"load(X[{more}, :]) + 1"])
    own = "" if more.startswith("m.start +:") and choices.chance(50) else "store(Z[m, :], load(X[m, :])); "
    other = in_loop(choices, f"store(Z[{more}, :], {value});")
    return kernel(f"X: {dtype}[M, {cols}], inout Z: {dtype}[M, {cols}]",
                  f"    grid (m in M by {rows}) warps({warps});\n    {own}{other}") + \
        meaning(["X", "Z"], ["Z"], f"M = {5 * rows + 3}; X = ints(-4, 4); Z = 0;")


def scratch_first(choices):
    """Scratch is read where nobody has written."""
    rows, cols, warps, dtype = tile(choices)
    half = cols // 2
    store, load = "store(S[m, :], load(X[m, :]));", "y = y + load(S[m, :]);"
    body = choices.pick([f"{load} {store}", f"for i in 2 {{ {load} {store} }}", f"if mode > 0 {{ {store} }} {load}",
                         f"for i in mode {{ {store} }} {load}", f"store(S[m, 0 +: {half}], load(X[m, 0 +: {half}])); {load}",
                         f"for c in {half}..{cols} by {half} {{ store(S[m, c], load(X[m, c])); }} {load}"])
    return kernel(f"X: {dtype}[M, {cols}], mode: i32, scratch S: {dtype}[M, {cols}], out Y: {dtype}[M, {cols}]",
                  f"    grid (m in M by {rows}) warps({warps});\n    var y: {dtype}[{rows}, {cols}] = 0;\n    {body}\n"
                  f"    store(Y[m, :], y);") + \
        meaning(["X", "mode"], ["Y"], f"M = {2 * rows}; mode = 0; X = ints(1, 4);").replace("Y = 0 * Y", "Y = X")


def wrapping_count(choices):
    """Two roles count alike on paper, but not in 32 bits."""
    shift = choices.pick([26, 27, 28, 29])
    large = (1 << (31 - shift)) + choices.number(1, 3)
    source = choices.pick(["T[0]", "T[0]", "p"])
    dtype = choices.pick(["i32", "i32", "i64"]) if source == "T[0]" else "i32"
    number = f"i32({source})" if dtype == "i64" else source
    wraps = choices.pick([f"{number} * {1 << shift} // {1 << shift}", f"({number} << {shift}) >> {shift}",
                          f"{1 << shift} * {number} // {1 << shift}"])
    counts = [number, wraps]
    if choices.chance(50):
        counts.reverse()
    word = choices.pick(["load", "tma_load"])
    parameters = f"X: f32[M, 64], p: i32, T: {dtype}[B], out Y: f32[M, 64]"
    body = (f"    grid (m in M by 64);\n    pipeline p0[2]: f32[64, 64];\n"
            f"    role a(1 warp) {{ for i in {counts[0]} {{ produce p0 = {word}(X[m, :]); }} }}\n"
            f"    role b(1 warpgroup) {{ var y: f32[64, 64] = 0; for i in {counts[1]} {{ consume p0 as x {{ y += x; }} }} "
            f"store(Y[m, :], y); }}")
    return kernel(parameters, body) + meaning(["X", "p", "T"], ["Y"], f"M = 40; B = 1; p = {large}; T = {large}; X = 1;") \
        .replace("Y = 0 * Y", "Y = X")


def cyclic(choices):
    """Places that go round, and more programs than places."""
    cols, warps, dtype = choices.pick([64, 32, 40]), choices.pick([4, 1, 8]), choices.pick(DTYPES)
    places = choices.pick(["R", "R", "5", "(R + 1)"])
    place = choices.pick([f"t % {places}", f"(t + 3) % {places}", f"(t + R) % {places}", f"(2 * t + 1) % {places}"])
    mode = choices.pick(["inout", "out"])
    reads = ["X", "Y"] if mode == "inout" else ["X"]
    store = in_loop(choices, f"store(Y[{place}, :], load(X[t, :]));").replace("M >", "T >")
    return kernel(f"X: {dtype}[T, {cols}], {mode} Y: {dtype}[R, {cols}]",
                  f"    grid (t in T) warps({warps});\n    {store}",
                  choices.pick(["requires R > 4", "requires T >= R, R > 0", "requires T > 0, R > 0"])) + \
        meaning(reads, ["Y"], "T = 14; R = 5; X = ints(-4, 4);" + (" Y = 0;" if mode == "inout" else ""))


def contradiction(choices):
    """Conditions that no launch meets: everything would be proved."""
    clauses = choices.pick(["M > 5, M < 3", "M % 2 == 0, M % 4 == 1", "p > 3, p <= 3", "M >= p, p > M",
                            "M + p < 0, M > 3, p >= 0", "M == 64, M % 64 == 1", "p * 2 == 7", "M < 0", "p >= 4, p // 4 == 0"])
    rows, cols, warps, dtype = tile(choices)
    body = choices.pick([f"store(Y[0 +: {rows}, :], load(X[m, :]));", "store(Y[m, :], load(X[m, :]));"])
    return kernel(f"X: {dtype}[M, {cols}], p: i32, out Y: {dtype}[M, {cols}]",
                  f"    grid (m in M by {rows}) warps({warps});\n    {body}", "requires " + clauses)


def other_role(choices):
    """A role stores what another one loads, and nothing orders them."""
    cols, dtype = choices.pick([64, 32]), choices.pick(["f32", "i32"])
    groups = choices.pick([1, 2])
    rows = 64 * groups
    load = "store(Y[m, :], load(Z[m, :]));"
    store = f"store(Z[m, :], {grown(choices, 'load(X[m, :])')});"
    first, second = choices.pick([(store, load), (load, store)])
    return kernel(f"X: {dtype}[M, {cols}], inout Z: {dtype}[M, {cols}], out Y: {dtype}[M, {cols}]",
                  f"    grid (m in M by {rows});\n    role a({groups} warpgroup{'s' if groups > 1 else ''}) {{ {first} }}\n"
                  f"    role b({groups} warpgroup{'s' if groups > 1 else ''}) {{ {second} }}") + \
        meaning(["X", "Z"], ["Z", "Y"], f"M = {rows + 1}; X = ints(-4, 4); Z = 0;").replace("Y = 0 * Y", "Y = X")


def handed_too_early(choices):
    """A role stores what another one may still be loading: the element that it took was another."""
    dtype, word = choices.pick(["f32", "i32", "bf16"]), choices.pick(["tma_load", "load"])
    stages, rows = choices.pick([2, 1, 3]), choices.pick([64, 128])
    whole = f"produce p = {word}(Z[m, :]);"
    left, right = (f"produce p = {word}(Z[m, {first} +: 32]);" for first in (0, 32))
    chunks = f"for c in 64 by 32 {{ produce p = {word}(Z[m, c]); }}"
    value = grown(choices, "x")
    cols, first, second = choices.pick([
        (64, f"for i in 2 {{ {whole} }}", f"for i in 2 {{ consume p as x {{ store(Z[m, :], {value}); }} }}"),
        (64, whole, f"store(Z[m, :], load(X[m, :])); let x = consume p; store(Z[m, :], {value});"),
        (64, f"{whole} {whole}", f"let x = consume p; store(Z[m, :], {value}); let y = consume p; store(Z[m, :], y);"),
        (32, f"{left} {right}", f"let x = consume p; store(Z[m, 32 +: 32], {value}); let y = consume p; store(Z[m, 0 +: 32], y);"),
        (32, chunks, f"for c in 64 by 32 {{ consume p as x {{ store(Z[m, c.start + 32 +: 32], {value}); }} }}"),
        (32, chunks, f"for c in reversed 64 by 32 {{ consume p as x {{ store(Z[m, c], {value}); }} }}"),
    ])
    groups = f"{rows // 64} warpgroup{'s' if rows > 64 else ''}"
    return kernel(f"X: {dtype}[M, 64], inout Z: {dtype}[M, 64]",
                  f"    grid (m in M by {rows});\n    pipeline p[{stages}]: {dtype}[{rows}, {cols}];\n"
                  f"    role a(1 warp) {{ {first} }}\n    role b({groups}) {{ {second} }}") + \
        meaning(["X", "Z"], ["Z"], f"M = {rows + 1}; X = 0; Z = ints(-4, 4);")


KINDS = [reads_neighbour, writes_neighbour, scratch_first, wrapping_count, cyclic, contradiction, other_role, handed_too_early]


def wrong_program(choices):
    """(what is wrong, its text)"""
    kind = choices.pick(KINDS)
    return kind.__name__, f"// {kind.__name__}: must be refused, or warned about and found by the emulator\n{kind(choices)}"
