"""What the reverse sweep does at each statement: what ``to_be_recorded.py`` and ``weave.py`` work on."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...syntax import nodes as n

Block = list[n.stmt]


@dataclass
class Step:
    """A statement of the primal with its adjoint code; ``node`` None: adjoint code alone, run at this point of the reverse sweep,
    after the statement ``at`` or within it.

    ``reads_old``: the code reads the value that the statement overwrites; ``new``: the name under which it reads the value that
    the statement made, where it reads both. ``also`` are expressions that are read at this point though they are written elsewhere.
    ``checks`` are calls that come first: what they ask is only known when the program runs. ``measures``: it names a shape of what
    the step before it binds.
    """

    node: n.stmt | None
    code: Block = field(default_factory=list)
    body: list[Step] = field(default_factory=list)
    orelse: list[Step] = field(default_factory=list)
    also: list[n.expr] = field(default_factory=list)
    checks: list[n.expr] = field(default_factory=list)
    at: n.stmt | None = None
    measures: bool = False
    reads_old: bool = False
    reads_new: bool = False
    new: str | None = None

    @property
    def idle(self) -> bool:
        """Whether the reverse sweep has nothing to do here."""
        return not self.code and all(step.idle for step in self.body) and all(step.idle for step in self.orelse)


def asked_again(steps: list[Step]) -> list[n.AST]:
    """What the reverse sweep evaluates of some steps."""
    found: list[n.AST] = []
    for step in steps:
        found += [*step.code, *step.also]
        if isinstance(step.node, (n.If, n.While)):
            found.append(step.node.test)
        elif isinstance(step.node, n.For):
            found.append(step.node.iter)
        found += [*asked_again(step.body), *asked_again(step.orelse)]
    return found
