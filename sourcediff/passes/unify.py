"""Unify the ways out: one return, at the end."""

from __future__ import annotations

from ..syntax import nodes as n
from ..syntax.quote import clone, place, statement

RESULT = "value"


def unify(body: list[n.stmt], result: str = RESULT) -> list[n.stmt]:
    """Rewrite returns in branches into one return at the end. What follows an ``if`` that returns goes into its ``else``.

    >>> from sourcediff.syntax.quote import statements
    >>> from sourcediff.syntax.text import to_source
    >>> print("\\n".join(map(to_source, unify(statements('''
    ... if x > 0:
    ...     return x
    ... return -x
    ... ''')))))
    if x > 0:
        value = x
    else:
        value = -x
    return value
    """
    if not body or (isinstance(body[-1], n.Return) and not any(_returns(s) for s in body[:-1])):
        return body  # already so (or nothing is returned at all)
    unified = _assigned(body, result)
    return [*unified, place(statement("return $result", result=result), body[-1])]


def _returns(node: n.stmt) -> bool:
    return any(isinstance(part, n.Return) for part in n.walk(node))


def _assigned(body: list[n.stmt], result: str) -> list[n.stmt]:
    """The body with its returns turned into assignments of ``result`` on every path."""
    done: list[n.stmt] = []
    for position, current in enumerate(body):
        if isinstance(current, n.Return):
            value = current.value if current.value is not None else n.Constant(value=None, kind=None)
            return [*done, place(statement("$result = $value", result=result, value=value), current)]
        if isinstance(current, n.If) and _returns(current):
            rest = body[position + 1:]
            then = [*current.body, *map(clone, rest)] if _falls(current.body) else current.body
            branch = n.If(test=current.test, body=_assigned(then, result), orelse=_assigned([*current.orelse, *rest], result))
            return [*done, place(branch, current)]
        done.append(current)
    fallen = statement("$result = None", result=result)
    return [*done, place(fallen, body[-1]) if body else fallen]


def _falls(body: list[n.stmt]) -> bool:
    """Whether the end of a block can be reached."""
    if not body:
        return True
    last = body[-1]
    if isinstance(last, n.Return):
        return False
    return not (isinstance(last, n.If) and not _falls(last.body) and not _falls(last.orelse))
