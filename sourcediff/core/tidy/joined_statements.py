"""Write as one statement what several do: names that take a value apart, the entries of a small array, what begins alike.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import block_lines
>>> body = statements('''
... check_length(y, 2)
... prey = y[0]
... predator = y[1]
... prey_bar = 0.0
... predator_bar = 0.0
... ''')
>>> print("\\n".join(block_lines(joined(body, "check_length"), 0, [""])))
prey, predator = y
prey_bar = predator_bar = 0.0
>>> body = statements('''
... y_bar = np.zeros_like(y)
... y_bar[1] = a_bar
... y_bar[0] -= b_bar
... ''')
>>> print("\\n".join(block_lines(entries_joined(body, "np", lambda name: 2, lambda node: True), 0, [""])))
y_bar = np.array([-b_bar, a_bar])
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ...analysis.literals import constant
from ...analysis.statements import loads, simple
from ...syntax import nodes as n
from ...syntax.quote import altered, as_target, expression, names, negated, place, statement

Block = list[n.stmt]

NEAR = 8  # statements among which those are looked for that begin alike


def joined(body: Block, check: str, own: Collection[str] = (), length: Callable[[str], int | None] = lambda name: None) -> Block:
    """A body in which a tuple of names takes a value apart, and names of one number, or of empty lists, are bound together.

    ``check`` is what the helper is called that asks how many entries a value has; the user's ``own`` begin as the user wrote it.
    ``length`` tells of names how many entries the arrays have that they stand for; in loops only what the user took apart is, since
    arrays give their entries one by one faster.
    """
    unread = "_" not in loads(simple(body))

    def block(body: Block, length: Callable[[str], int | None]) -> Block:
        done: Block = []
        position = 0
        while position < len(body):
            node = body[position]
            apart, taken = taken_apart(body[position:], check, unread, length)
            together = None
            if apart is None:
                together, taken = begun_alike(body[position:], own)
            if isinstance(node, (n.If, n.For, n.While)):
                inner = length if isinstance(node, n.If) else lambda name: None
                node = altered(node, body=block(node.body, inner), orelse=block(node.orelse, inner))
            done += together or [apart or node]
            position += taken
        return done

    return block(body, length)


def taken_apart(body: Block, check: str, unread: bool, length: Callable[[str], int | None]) -> tuple[n.stmt | None, int]:
    """``a, b = y`` for ``a = y[0]`` and ``b = y[1]``, if a block begins so, and how many statements that is for.

    Names that nobody reads are ``_``, if that is ``unread``.
    """
    asked = asked_length(body[0], check)
    first = entry_taken(body[0] if asked is None else body[1] if len(body) > 1 else None)
    if first is None or asked is not None and first[1] != asked[0]:
        return None, 1
    whole, number = asked or (first[1], length(first[1]) or 0)
    found: dict[int, n.Name] = {}
    for node in body[1 if asked else 0:]:
        name, of, index = entry_taken(node) or (None, "", -1)
        if of != whole or not 0 <= index < number or index in found or whole in (each.id for each in found.values()):
            break
        found[index] = name
    ignored = number - len(found)
    if ignored and not (unread and ignored <= len(found)) or len({name.id for name in found.values()}) < len(found):
        return None, 1
    if asked is None and len(found) < 2:
        return None, 1
    parts = [found.get(place, n.Name(id="_", ctx=n.Store(), annotation=None, type_comment=None)) for place in range(number)]
    target = as_target(n.Tuple(elts=parts, ctx=n.Store()))
    return place(statement("$t = $w", t=target, w=expression(whole)), body[0]), len(found) + (asked is not None)


def entry_taken(node: n.stmt | None) -> tuple[n.Name, str, int] | None:
    """The name that is bound to an entry, the name of the whole, and the entry's place, if a statement does that."""
    value = node.value if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) else None
    if not isinstance(value, n.Subscript) or not isinstance(value.value, n.Name) or type(index := constant(value.slice)) is not int:
        return None
    return node.targets[0], value.value.id, index  # type: ignore[union-attr]


def asked_length(node: n.stmt, check: str) -> tuple[str, int] | None:
    """The name in ``check_length(y, 2)``, and the number."""
    call = node.value if isinstance(node, n.Expr) else None
    if not isinstance(call, n.Call) or getattr(call.func, "id", "") != check or len(call.args) != 2 or not isinstance(call.args[0], n.Name):
        return None
    number = constant(call.args[1])
    return (call.args[0].id, number) if type(number) is int else None


def begun_alike(body: Block, own: Collection[str]) -> tuple[Block | None, int]:
    """``a = b = 0.0``, or ``a, b = [], []``, for what a block begins with, and how many statements that is for.

    What else is bound between them, without these names, follows.
    """
    first = beginning(body[0], own)
    alike, others = [body[0]], list[n.stmt]()
    last = 1
    for position, node in enumerate(body[1: NEAR] if first is not None else (), 2):
        if beginning(node, own) == first and not any(names(node.targets[0]) & names(other) for other in others):
            alike.append(node)
            last = position
        elif not isinstance(node, n.Assign):
            break
        else:
            others.append(node)
    if len(alike) == 1:
        return None, 1
    others = [node for node in body[1: last] if node not in alike]
    targets = [node.targets[0] for node in alike]
    if first != "[]":
        return [place(n.Assign(targets=targets, value=body[0].value, type_comment=None), body[0]), *others], last
    lists = n.Tuple(elts=[node.value for node in alike], ctx=n.Load())
    return [place(statement("$t = $l", t=n.Tuple(elts=targets, ctx=n.Store()), l=lists), body[0]), *others], last


def beginning(node: n.stmt, own: Collection[str]) -> str | None:
    """What a name begins as, if that is a zero or an empty list."""
    if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Name) or node.targets[0].id in own:
        return None
    if isinstance(node.value, n.List) and not node.value.elts:
        return "[]"
    return "0.0" if isinstance(node.value, n.Constant) and repr(node.value.value) == "0.0" else None


def entries_joined(body: Block, numpy: str, length: Callable[[str], int | None], number: Callable[[n.expr], bool]) -> Block:
    """A body in which arrays are made of their entries, where these are stored, or added, one after the other into zeros.

    ``length`` tells of names of arrays of doubles with one axis how long it is, ``number``, whether an expression is a real number.
    """
    done: Block = []
    position = 0
    while position < len(body):
        node = body[position]
        if isinstance(node, (n.If, n.For, n.While)):
            inner = (entries_joined(block, numpy, length, number) for block in (node.body, node.orelse))
            node = altered(node, **dict(zip(("body", "orelse"), inner)))
        count = length(node.targets[0].id) if begins_as_zeros(node) else None
        values = entries(node.targets[0].id, body[position + 1:][:count], number) if count else {}
        if count and values.keys() == set(range(count)):
            parts = n.List(elts=[values[place] for place in range(count)], ctx=n.Load())
            node = place(statement("$x = $np.array($l)", x=node.targets[0].id, np=numpy, l=parts), node)
            position += count
        done.append(node)
        position += 1
    return done


def begins_as_zeros(node: n.stmt) -> bool:
    """Whether a statement is ``x_bar = np.zeros_like(x)``, or the like."""
    made = isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and isinstance(node.value, n.Call)
    return made and getattr(node.value.func, "attr", "") in ("zeros_like", "zeros")


def entries(name: str, body: Block, number: Callable[[n.expr], bool]) -> dict[int, n.expr]:
    """The numbers that a block stores into, or adds to, different entries of an array of zeros."""
    found: dict[int, n.expr] = {}
    for node in body:
        target = node.targets[0] if isinstance(node, n.Assign) else node.target if isinstance(node, n.AugAssign) else None
        index = constant(target.slice) if isinstance(target, n.Subscript) and getattr(target.value, "id", "") == name else None
        added = isinstance(node, n.Assign) or isinstance(getattr(node, "op", None), (n.Add, n.Sub))
        if type(index) is not int or index < 0 or index in found or not added or name in loads(node.value) or not number(node.value):
            return {}
        minus = isinstance(node, n.AugAssign) and isinstance(node.op, n.Sub)
        found[index] = negated(node.value) or n.UnaryOp(op=n.USub(), operand=node.value) if minus else node.value
    return found
