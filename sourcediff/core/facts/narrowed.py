"""What is known of a variable in the branches of an ``if`` that asks whether it is None."""

from __future__ import annotations

from ...analysis.abstract import UNKNOWN
from ...analysis.literals import constant
from ...analysis.scope import bound_names
from ...analysis.states import Environment, extended
from ...syntax import nodes as n
from .evaluator import Evaluator


def narrowed(node: n.If, block: list[n.stmt], values: Evaluator, environment: Environment) -> tuple[Environment, Environment]:
    """What is known in the two branches of a statement of a block: of an array that may be None, that it is one."""
    test = test_of(node, block)
    if not isinstance(test, n.Compare) or not isinstance(test.left, n.Name) or not isinstance(test.ops[0], (n.Is, n.IsNot)):
        return environment, environment
    known = environment.get(test.left.id, UNKNOWN)
    if len(test.ops) > 1 or constant(test.comparators[0]) is not None or known.certain is known:
        return environment, environment
    inner = extended(environment)
    inner[test.left.id] = values.measured(test.left.id, known.certain, node)
    return (inner, environment) if isinstance(test.ops[0], n.IsNot) else (environment, inner)


def test_of(node: n.If, block: list[n.stmt]) -> n.expr:
    """The test of a statement; of one that has a name, what that stands for, if nothing of it changes on the way from there."""
    if not isinstance(node.test, n.Name):
        return node.test
    changed: set[str] = set()
    for statement in reversed(block[:block.index(node)]):
        if isinstance(statement, n.Assign) and any(isinstance(part, n.Name) and part.id == node.test.id for part in statement.targets):
            read = {part.id for part in n.walk(statement.value) if isinstance(part, n.Name)}
            return node.test if changed & read else statement.value
        changed |= bound_names(statement)
        if node.test.id in changed:
            break
    return node.test
