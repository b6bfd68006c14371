"""What every pass of the compiler leaves is verified, in all tests: each row's body, and the core form after each stage that has it."""

from __future__ import annotations

import operator
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from sourcediff.analysis.scope import MISSING
from sourcediff.analysis.source.may_be_active import carries, carrying
from sourcediff.analysis.statements import binds, loads
from sourcediff.compiler import pipeline as compiler
from sourcediff.compiler.unit import Unit
from sourcediff.core.form import BoundNames, Fault, verify
from sourcediff.frontend import passes
from sourcediff.frontend.body_passes import BODY
from sourcediff.frontend.passes import ENTERED, Pass
from sourcediff.syntax import nodes as n
from sourcediff.syntax.quote import expression
from sourcediff.syntax.source import Source, read
from sourcediff.syntax.text import block_lines
from tests.sampling import is_chosen


def faults(unit: Unit) -> list[Fault]:
    """What breaks the core form in the body of a unit. A name that the user's own program binds nowhere is to be told when it runs."""
    names = BoundNames({*unit.parameters, *unit.opened}, {*unit.scope.free, *unit.scope.helpers})
    active = carrying(unit.body, unit.start or unit.active, unit.scope)
    found = verify(unit.body, names, active=lambda node: carries(node, active, unit.scope))
    return [fault for fault in found if not fault.problem.startswith("nothing binds") or not left_open(fault.node.id, unit)]


def left_open(name: str, unit: Unit) -> bool:
    """Whether a name stands for something outside, or one of the functions that a program is made of reads it, and does not bind it."""
    assert unit.source is not None
    if unit.scope.resolve(expression(name)) is not MISSING:
        return True
    bodies = [unit.source.tree.body, *(read(function).tree.body for function in unit.scope.followed)]
    return any(name in loads(body) - binds(body) for body in bodies)


def look(stage: Pass, unit: Unit) -> None:
    """Raise AssertionError where a stage leaves what is not in the core form. What it leaves as it was is not looked through again."""
    if stage.core and not is_as_before(unit) and (found := faults(unit)):
        before.clear()
        said = "\n".join(f"  {fault.problem}: {' / '.join(block_lines([fault.statement], 0, ['']))}" for fault in found)
        raise AssertionError(f"after {stage.name}, {unit.function.__qualname__} is not in the core form:\n{said}")


before: list[Any] = []
"""What was verified last: the unit, what its names and operations are held against, and the nodes, with the words in them."""


def is_as_before(unit: Unit) -> bool:
    """Whether nothing that is verified has changed since the last stage of this unit; most stages find nothing to do."""
    nodes = [part for statement in unit.body for part in n.walk(statement)]
    against = {*unit.parameters, *unit.opened}, {*unit.scope.free, *unit.scope.helpers}, set(unit.start or unit.active)
    words = [getattr(node, "id", None) for node in nodes]
    now = [unit, against, words, nodes]
    same = bool(before) and before[0] is unit and before[1:3] == now[1:3] and all(map(operator.is_, before[3], nodes))
    before[:] = now
    return same


gone: weakref.WeakKeyDictionary[types.FunctionType, set[type]] = weakref.WeakKeyDictionary()
"""The classes of nodes that are not there any more, of each function that passes are at."""


def look_at_row(row: Pass, body: list[n.stmt], source: Source) -> None:
    """Raise AssertionError where a pass leaves a node twice in the tree, a statement without a place, or what should be gone."""
    left = gone.setdefault(source.function, set()) | row.gone
    gone[source.function] = set(row.gone) if row is ENTERED else left
    seen: set[int] = set()
    for node in outside_inner(body):
        kind = type(node).__name__
        assert id(node) not in seen, f"after {row.name}, {kind} is a part of the tree of {source.tree.name} twice"
        assert type(node) not in gone[source.function], f"after {row.name}, there is still a {kind} in {source.tree.name}"
        placed = row is ENTERED or row not in BODY or not isinstance(node, n.stmt) or hasattr(node, "lineno")
        assert placed, f"after {row.name}, a {kind} in {source.tree.name} has no position"
        seen.add(id(node))


def outside_inner(nodes: Iterable[n.AST]) -> Iterator[n.AST]:
    """The nodes of a body, but for what is within inner functions."""
    for node in nodes:
        yield node
        if not isinstance(node, (n.FunctionDef, n.Lambda)):
            yield from outside_inner(n.below(node))


def is_looked_at(function: types.FunctionType) -> bool:
    """Whether the passes of a function are verified: of one of three, which halves what it costs; with ``--long`` of all."""
    return is_chosen(3, f"{function.__qualname__} {function.__code__.co_firstlineno}")


def look_at_some(stage: Pass, unit: Unit) -> None:
    """Verify what a stage leaves of some functions."""
    if is_looked_at(unit.function):
        look(stage, unit)


def look_at_rows_of_some(row: Pass, body: list[n.stmt], source: Source) -> None:
    """Verify what a pass leaves of some functions."""
    if is_looked_at(source.function):
        look_at_row(row, body, source)


def install() -> None:
    """Verify from now on."""
    compiler.AFTER.append(look_at_some)
    passes.AFTER.set((*passes.AFTER.get(), look_at_rows_of_some))
