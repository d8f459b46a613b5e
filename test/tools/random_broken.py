# Twins of right kernels with one change that breaks a rule for sure: each must be refused with a message of its own.
import copy
import re


def nodes_of(kernel, kind):
    """(role, block, place) of every node of a kind."""
    found = []

    def visit(role, block):
        for place, node in enumerate(block):
            if node.kind == kind:
                found.append((role, block, place))
            if node.body is not None:
                visit(role, node.body)

    for role in kernel.roles:
        visit(role, role.body)
    return found


def touches_pipeline(node):
    return node.kind in ("produce", "consume") or any(touches_pipeline(n) for n in node.body or [])


def short_loop(choices, kernel):
    """One role goes one step less than the others."""
    loops = [(b, p) for _, b, p in nodes_of(kernel, "loop") if touches_pipeline(b[p]) and
             re.search(r"\bK by (\w+)$|in (reversed 0\.\.)?S$", b[p].text)]
    if not loops:
        return False
    block, place = choices.pick(loops)
    text = block[place].text
    shorter = re.sub(r"\bK by (\w+)$", r"K - \1 by \1", text)
    block[place].text = re.sub(r"\bS$", "S - 1", shorter) if shorter == text else shorter
    return True


def conditional_loop(choices, kernel):
    """One role goes only for some extents."""
    loops = [(b, p) for _, b, p in nodes_of(kernel, "loop") if touches_pipeline(b[p])]
    if not loops:
        return False
    block, place = choices.pick(loops)
    node = block[place]
    inner = copy.copy(node)
    node.text, node.body, node.kind = "if M > 100", [inner], "if"
    return True


def no_produce(choices, kernel):
    """Nobody fills a pipeline."""
    found = nodes_of(kernel, "produce")
    if not found:
        return False
    _, block, place = choices.pick(found)
    name = block[place].about
    for _, block, _ in found:
        block[:] = [n for n in block if not (n.kind == "produce" and n.about == name)]
    return True


def consume_twice(choices, kernel):
    """A role takes an element more than is made."""
    found = nodes_of(kernel, "consume")
    if not found:
        return False
    _, block, place = choices.pick(found)
    block.insert(place, type(block[place])(f"let _more = consume {block[place].about};"))
    return True


def unfilled_field(choices, kernel):
    found = nodes_of(kernel, "field")
    if not found:
        return False
    _, block, place = choices.pick(found)
    del block[place]
    return True


def wrong_field(choices, kernel):
    """A field of another shape than what is loaded into it."""
    if not kernel.pipelines:
        return False
    pipeline = choices.pick(kernel.pipelines)
    name, dtype, rows, cols = pipeline.fields[0]
    pipeline.fields = [(name, dtype, rows, f"{cols} + 16"), *pipeline.fields[1:]]
    return True


def uncovered(choices, kernel):
    """The grid ends before the output does."""
    grid = re.sub(r"\bm in M by", "m in M - 1 by", kernel.grid)
    changed = grid != kernel.grid
    kernel.grid = grid
    outputs = any(o.startswith("out ") for o in kernel.outputs)  # others need not be written everywhere
    return changed and outputs and not any("M" in c for c in kernel.conditions)


def same_place(choices, kernel):
    """All programs along an axis store to one place."""
    found = [(b, p) for role, b, p in nodes_of(kernel, "store") if b is role.body]  # under no condition
    if not found:
        return False
    block, place = choices.pick(found)
    width = re.search(r"m in M by (\w+)", kernel.grid).group(1)
    text = re.sub(r"\bm\b(?=[^()]*\],)", f"0 +: {width}", block[place].text, count=1)
    changed = text != block[place].text
    block[place].text = text
    return changed


def narrower_output(choices, kernel):
    """A wide value is stored to a narrow tensor without saying so."""
    wide = [i for i, o in enumerate(kernel.outputs) if re.search(r"^out .*: (f32|i32|i64|i16|f16|bf16)\[", o)]
    if not wide:
        return False
    place = choices.pick(wide)
    kernel.outputs[place] = re.sub(r": (\w+)\[", ": fp8_e4m3[", kernel.outputs[place])
    return True


def missing_sign(choices, kernel):
    """A statement without its semicolon, or a block without its end."""
    kernel.broken_text = choices.pick([(";\n", "\n"), ("}\n", "\n"), ("(", ""), ("]", "")]), choices.draw(1000)
    return True


CHANGES = [short_loop, conditional_loop, no_produce, consume_twice, unfilled_field, wrong_field, uncovered, same_place,
           narrower_output, missing_sign]


def broken_twin(choices, kernel):
    """(name of the change, text of a kernel that must be refused), or None where the change has no place."""
    change = choices.pick(CHANGES)
    twin = copy.deepcopy(kernel)
    if not change(choices, twin):
        return None
    text = twin.text(f"{change.__name__}: must be refused")
    if change is missing_sign:
        (old, new), number = twin.broken_text
        places = [m.start() for m in re.finditer(re.escape(old), text)]
        place = places[number % len(places)]
        text = text[:place] + new + text[place + len(old):]
    return change.__name__, text


TOKEN = re.compile(r"\w+|[^\w\s]|\s+")


def scrambled(choices, text):
    """The text with some tokens changed: right or wrong, it must not be too much for the compiler."""
    tokens = TOKEN.findall(text)
    for _ in range(choices.number(1, 3)):
        here, there = choices.draw(len(tokens)), choices.draw(len(tokens))
        how = choices.draw(3)
        if how == 0:
            tokens[here] = tokens[there]
        elif how == 1:
            tokens[here], tokens[there] = tokens[there], tokens[here]
        else:
            tokens[here] = choices.pick(["0", "-1", "99999999999", "inf", "{", "", "m", "K", "consume", "f32", "..", "1e30"])
    return "".join(tokens)
