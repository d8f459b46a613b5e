# A kernel with its meaning and its tests, as a tree that can be rendered, and changed before (random_broken.py).
from dataclasses import dataclass, field


@dataclass
class Node:
    """A statement, or a block with a header. `kind` says to those who break kernels what it is; `about`, of what."""

    text: str
    kind: str = ""
    about: str = ""
    body: list = None
    otherwise: list = None  # of an `if`

    def lines(self, indent):
        space = "    " * indent
        if self.body is None:
            yield space + self.text
            return
        yield space + self.text + " {"
        for node in self.body:
            yield from node.lines(indent + 1)
        if self.otherwise:
            yield space + "} else {"
            for node in self.otherwise:
                yield from node.lines(indent + 1)
        yield space + "}"


@dataclass
class Pipeline:
    name: str
    stages: int
    fields: list  # (name, dtype, rows, columns); one that is called "" is the whole element

    def line(self):
        if self.fields[0][0] == "":
            _, dtype, rows, cols = self.fields[0]
            return f"pipeline {self.name}[{self.stages}]: {dtype}[{rows}, {cols}];"
        tiles = " ".join(f"{name}: {dtype}[{rows}, {cols}];" for name, dtype, rows, cols in self.fields)
        return f"pipeline {self.name}[{self.stages}] {{ {tiles} }}"

    def bytes(self, sizes):
        return self.stages * sum(sizes[dtype] * rows * cols for _, dtype, rows, cols in self.fields)


@dataclass
class Role:
    name: str
    width: int
    unit: str  # warp or warpgroup
    body: list
    words: str = ""  # after the width

    def lines(self):
        plural = self.unit + ("s" if self.width != 1 else "")
        yield f"    role {self.name}({self.width} {plural}){self.words} {{"
        for node in self.body:
            yield from node.lines(2)
        yield "    }"


class Bare(Role):
    """The statements of a kernel without roles, which `width` warps execute."""

    def lines(self):
        for node in self.body:
            yield from node.lines(1)


@dataclass
class Kernel:
    name: str = "k"
    constants: list = field(default_factory=list)  # (name, default)
    parameters: list = field(default_factory=list)  # texts, outputs last
    outputs: list = field(default_factory=list)
    conditions: list = field(default_factory=list)
    trusted: list = field(default_factory=list)
    grid: str = ""
    lets: list = field(default_factory=list)
    pipelines: list = field(default_factory=list)
    roles: list = field(default_factory=list)
    functions: list = field(default_factory=list)  # texts
    instances: list = field(default_factory=list)
    reference: list = field(default_factory=list)  # nodes
    reads: list = field(default_factory=list)  # what the reference reads
    results: list = field(default_factory=list)
    tests: list = field(default_factory=list)  # texts
    tags: set = field(default_factory=set)  # what it shows, for the statistics
    not_yet: set = field(default_factory=set)  # codes of refusals of what tkc cannot prove yet

    def text(self, title):
        constants = ", ".join(f"{name}: int = {value}" for name, value in self.constants)
        head = f"kernel {self.name}" + (f"<{constants}>" if constants else "")
        lines = [f"// {title}", *self.functions]
        lines.append(head + "(" + ", ".join(self.parameters + self.outputs) + ")")
        if self.conditions:
            lines.append("requires " + ", ".join(self.conditions))
        if self.trusted:
            lines.append("trusts " + ", ".join(self.trusted))
        lines += ["{", "    " + self.grid_line()]
        lines += ["    " + let for let in self.lets]
        lines += ["    " + pipeline.line() for pipeline in self.pipelines]
        for role in self.roles:
            lines += role.lines()
        lines += ["}", *self.instances]
        lines.append(f"reference {self.name}({', '.join(self.reads)}) -> ({', '.join(self.results)}) {{")
        for node in self.reference:
            lines += node.lines(1)
        lines.append("}")
        lines += self.tests
        return "\n".join(lines) + "\n"

    def may_draw_programs(self):
        """Whether its blocks could take programs from a counter."""
        drawing = [role for role in self.roles if role.unit == "warp" and role.width == 1]
        return " persistent" in self.grid and "cluster" not in self.grid and len(self.roles) > 1 and bool(drawing)

    def may_alternate(self):
        """Roles whose work several warpgroups could do, each for programs of its own."""
        persistent = " persistent" in self.grid and " dynamic" not in self.grid and "heaviest_first" not in self.grid
        return [role for role in self.roles if persistent and role.unit == "warpgroup" and role.width == 1]

    def grid_line(self):
        bare = [role for role in self.roles if isinstance(role, Bare)]
        return self.grid[:-1] + f" warps({bare[0].width});" if bare else self.grid
