# Two products in a row, as in attention: the first one's result is worked on in registers, or handed to another role,
# and is the left operand of the second.
import random_expressions as ex
from random_builder import Builder
from random_epilogue import Epilogue
from random_streams import Network, Stream
from random_text import Node, Role
from random_walks import Walk


def make(choices):
    b = Builder(choices)
    kernel = b.kernel
    dtype = choices.pick(["bf16", "f16"])
    groups = choices.pick([1, 2])
    bm, bk, depth = 64 * groups, choices.pick([64, 32, 16, 128]), choices.pick([64, 32, 128, 16])
    texts = {name: b.constant(name, value) for name, value in (("BM", bm), ("BK", bk))}
    deep = "D" if choices.chance(50) else str(depth)  # the whole axis, of constant extent
    if deep == "D":
        kernel.constants.append(("D", depth))
    b.plan.tiles.update(M=bm, K=bk)
    b.set_batch()
    b.set_grid([("m", "M", texts["BM"])], cluster=False)
    b.add_scalars()
    walk = Walk(choices, kernel, texts["BK"], bk, ("m", bm))
    b.plan.parameters.update(walk.limits)
    b.plan.products += [["M", "K", depth], ["M", "K", depth]]
    query, keys, values = (b.tensor(dtype, axis, deep) for axis in ("M", "K", "K"))
    for tensor in (query, keys, values):
        tensor.axes = [depth if axis == deep else axis for axis in tensor.axes]
    q_matrix, k_matrix, v_matrix = (b.matrix(t) for t in (query, keys, values))
    kept = b.pipeline([("", dtype, texts["BM"], deep)], 1)
    network = Network(b, walk)
    streams = []
    for tensor, matrix in ((keys, k_matrix), (values, v_matrix)):
        stream = Stream(tensor, dtype, (texts["BK"], bk), (deep, depth), "K", depth, matrix, subscripts={"K": None})
        stream.word = b.loader(tensor, bk, depth)
        streams.append(stream)
    network.load(streams)
    k_stream, v_stream = streams
    word = b.loader(query, bm, depth)
    produce_query = Node(f"produce {kept.name} = {word}({b.slice(query, {'M': 'm'})});", "produce", kept.name)
    loads = walk.nodes(lambda step: [network.produce(p, s, step) for p, s in network.loaded])
    if choices.chance(50):
        b.service([produce_query, *loads])
    else:
        b.service([produce_query])
        b.service(loads)
    # The first product, and what becomes of it.
    score = ex.Text("score")
    first = ex.Value(ex.Text("§S"), score, "f32", 16 * depth, 0, bm, bk, name="§S")
    places = b.places(first.code, score, bm, bk, "m.start", "§K")
    made = b.grow(ex.clamped(first, 64), places, "f32", choices.number(0, 4))
    made = ex.clamped(made, 8)
    if made.bits > 3 or not made.exact:
        made = ex.clamped(first, 8)
    made = ex.cast(dtype, made)
    reference = [Node(f"let score = {q_matrix.text} @ {k_matrix.inside(ex.POSTFIX)}.T;")]
    mask = walk.mask("col_index(score)", "row_index(score)")
    weights = f"where({mask}, {made.meaning.text}, 0)" if mask else made.meaning.text
    reference.append(Node(f"let weights = {weights};"))
    reference.append(Node(f"let acc = weights @ {v_matrix.inside(ex.UNARY)};"))
    readers = [p for p, _ in network.loaded]
    split = choices.chance(30)  # the second product in a role of its own
    between = b.pipeline([("", dtype, texts["BM"], texts["BK"])]) if split else None
    late = choices.chance(40)  # the weights are named before the second product

    def weights_of(access, step, tag):
        product = f"mma(query, {access(k_stream)}.T)"
        name = f"s{tag}{step.tag}"
        text = made.code.text.replace("§S", name).replace("§K", step.start)
        return [Node(f"let {name} = {product};", "mma", name)], text

    def whole(step):
        access, wrap = network.take(readers, step, "x")
        nodes, text = weights_of(access, step, "a")
        if late:
            nodes.append(Node(f"let p{step.tag} = {text};"))
            text = f"p{step.tag}"
        return wrap([*nodes, Node(f"acc += mma({text}, {access(v_stream)});", "mma", "acc")])

    def first_half(step):
        access, wrap = network.take([k_stream.pipeline], step, "x")
        nodes, text = weights_of(access, step, "b")
        return wrap([*nodes, Node(f"produce {between.name} = {text};", "produce", between.name)])

    def second_half(step):
        access, wrap = network.take([v_stream.pipeline, between], step, "w")
        p = Stream(None, dtype, (), (), "", "", score, pipeline=between)
        return wrap([Node(f"acc += mma({access(p)}, {access(v_stream)});", "mma", "acc")])

    start = [Node(f"let query = consume {kept.name};", "consume", kept.name)]
    zero = Node(f"var acc: f32[{texts['BM']}, {deep}] = 0;")
    if split:
        kernel.tags.add("product between roles")
        kernel.roles.append(Role("scores", groups, "warpgroup", start + walk.nodes(first_half)))
        body = [zero, *walk.nodes(second_half)]
    else:
        body = [*start, zero, *walk.nodes(whole)]
    kernel.tags.add("chain")
    acc = ex.Value(ex.Text("acc"), ex.Text("acc"), "f32", 8 * 4 * 256, made.bits, bm, depth, name="acc")
    leaves = b.side_inputs(acc, ("M", "m"), (depth, ":"), "m.start", "0")
    leaves.append(b.start_of_tile(acc, "m", bm, True))
    epilogue = Epilogue(b, acc, leaves, row_tile=("m", bm))
    epilogue.statements()
    epilogue.store("M", depth, {"M": "m", depth: ":"})
    kernel.roles.append(Role("consumer", groups, "warpgroup", body + epilogue.code))
    kernel.reference = b.batch_loop(reference + epilogue.meaning)
    b.finish()
    return kernel, b.plan
