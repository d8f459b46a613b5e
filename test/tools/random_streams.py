# Tiles on their way through a kernel: from a tensor into a pipeline, perhaps through a relay, to the roles that read it.
from dataclasses import dataclass, field

import random_expressions as ex
from random_text import Node, Role


@dataclass
class Stream:
    """One field of the elements of a pipeline."""

    tensor: object
    dtype: str
    rows: tuple  # text and value of the tile's rows
    cols: tuple
    row_axis: str  # the extent along the rows, and its subscript and start where they are fixed
    col_axis: str
    meaning: ex.Text
    bound: float = 4
    bits: int = 0
    clean: bool = True  # zero beyond the tensor
    pipeline: object = None
    field_name: str = ""
    word: str = "load"
    hint: str = ""
    source: object = None  # the stream that a relay makes it of
    subscripts: dict = field(default_factory=dict)


class Network:
    """Pipelines that are filled once a step of a walk, and the roles that fill them."""

    def __init__(self, builder, walk):
        self.b, self.walk, self.choices = builder, walk, builder.choices
        self.loaded = []  # pipelines in the order in which they are filled, with their streams
        self.relays = []  # (raw streams, made streams)

    def load(self, streams):
        """Puts streams that come from memory into pipelines, some together."""
        rest = list(streams)
        while rest:
            count = self.choices.number(1, len(rest)) if self.choices.chance(50) else len(rest)
            together, rest = rest[:count], rest[count:]
            bare = len(together) == 1 and self.choices.chance(60)
            fields = []
            for stream in together:
                stream.field_name = "" if bare else self.b.name("t")
                fields.append((stream.field_name, stream.dtype, stream.rows[0], stream.cols[0]))
            pipeline = self.b.pipeline(fields)
            for stream in together:
                stream.pipeline = pipeline
            self.loaded.append((pipeline, together))

    def relay(self, raw, change, clean_axis):
        """A role of its own takes `raw`, works on it, and hands it on."""
        made = Stream(raw.tensor, raw.dtype, raw.rows, raw.cols, raw.row_axis, raw.col_axis, raw.meaning, source=raw)
        made.field_name = self.choices.pick(["", "t"])
        made.pipeline = self.b.pipeline([(made.field_name, raw.dtype, raw.rows[0], raw.cols[0])])
        self.relays.append((raw, made, change, clean_axis))
        self.b.kernel.tags.add("relay")
        return made

    # ---- statements

    def subscripts(self, stream, step):
        return {axis: (step.subscript if sub is None else sub) for axis, sub in stream.subscripts.items()}

    def produce(self, pipeline, streams, step):
        loads = [f"{s.word}({self.b.slice(s.tensor, self.subscripts(s, step))}){s.hint}" for s in streams]
        if streams[0].field_name == "":
            return Node(f"produce {pipeline.name} = {loads[0]};", "produce", pipeline.name)
        fields = [Node(f"{s.field_name} = {load};", "field", s.field_name) for s, load in zip(streams, loads)]
        if self.choices.chance(30):
            fields.reverse()
        return Node(f"produce {pipeline.name}", "produce", pipeline.name, fields)

    def add_service_roles(self):
        if not self.loaded:
            return
        groups = [self.loaded]
        if len(self.loaded) > 1 and self.choices.chance(40):
            at = self.choices.number(1, len(self.loaded) - 1)
            groups = [self.loaded[:at], self.loaded[at:]]
        for group in groups:
            self.b.service(self.walk.nodes(lambda step, g=group: [self.produce(p, s, step) for p, s in g]))

    def add_relay_roles(self):
        """One role for each relayed stream."""
        for raw, made, change, clean_axis in self.relays:
            rows = raw.rows[1]
            width = self.choices.pick([w for w in (1, 2) if rows % (64 * w) == 0])

            def body(step, raw=raw, made=made, change=change, clean_axis=clean_axis):
                name = self.b.name("x")
                access, wrap = self.take([raw.pipeline], step, name)
                text = change(access(raw), step, clean_axis)
                fill = (Node(f"produce {made.pipeline.name} = {text};", "produce", made.pipeline.name)
                        if made.field_name == "" else
                        Node(f"produce {made.pipeline.name}", "produce", made.pipeline.name,
                             [Node(f"{made.field_name} = {text};", "field", made.field_name)]))
                return wrap([fill])

            self.b.kernel.roles.append(Role(self.b.name("relay_"), width, "warpgroup", self.walk.nodes(body)))

    def take(self, pipelines, step, stem):
        """Takes one element of each: how a stream's tile is called, and what puts statements after it."""
        names = {p.name: f"{stem}_{i}{step.tag}" for i, p in enumerate(pipelines)}
        blocks = self.choices.chance(50) and not step.tag
        mixed = self.choices.chance(20)

        def access(stream):
            name = names[stream.pipeline.name]
            return name if stream.field_name == "" else f"{name}.{stream.field_name}"

        def wrap(nodes):
            for i, pipeline in reversed(list(enumerate(pipelines))):
                name = names[pipeline.name]
                if blocks and not (mixed and i % 2):
                    nodes = [Node(f"consume {pipeline.name} as {name}", "consume", pipeline.name, nodes)]
                else:
                    nodes = [Node(f"let {name} = consume {pipeline.name};", "consume", pipeline.name), *nodes]
            return nodes

        return access, wrap
