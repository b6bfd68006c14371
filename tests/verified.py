"""The core form is verified after every stage of the compiler that leaves a program in it, in all tests."""

from __future__ import annotations

from sourcediff import compiler
from sourcediff.analysis.carrying import carries, carrying
from sourcediff.analysis.effects import binds, loads
from sourcediff.analysis.scope import MISSING
from sourcediff.compiler import Pass, Unit
from sourcediff.core.form import Fault, Names, verify
from sourcediff.syntax.quote import expression
from sourcediff.syntax.source import read
from sourcediff.syntax.text import block_lines


def faults(unit: Unit) -> list[Fault]:
    """What breaks the core form in the body of a unit. A name that the user's own program binds nowhere is to be told when it runs."""
    names = Names({*unit.parameters, *unit.opened}, {*unit.scope.free, *unit.scope.helpers})
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
    """Raise AssertionError where a stage leaves what is not in the core form."""
    if stage.core and (found := faults(unit)):
        said = "\n".join(f"  {fault.problem}: {' / '.join(block_lines([fault.statement], 0, ['']))}" for fault in found)
        raise AssertionError(f"after {stage.name}, {unit.function.__qualname__} is not in the core form:\n{said}")


def install() -> None:
    """Verify from now on."""
    compiler.AFTER.append(look)
