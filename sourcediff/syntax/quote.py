"""Trees are made from text with holes: ``statement("$x = np.sin($y)", x=..., y=...)``, never by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

from . import nodes as n

Node = TypeVar("Node", bound=n.AST)
Filling: TypeAlias = n.AST | str | int | float | bool | None

_HOLE = re.compile(r"\$(\w+)")
_NEW = n.AST.__new__
_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset", "file")


def clone(node: Node, replace: Mapping[str, n.AST] | None = None) -> Node:
    """A deep copy of ``node``, positions included; names in ``replace`` become copies of the trees given for them.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(clone(expression("x + y"), {"x": expression("2 * z")}))
    '2 * z + y'
    """
    return _with_fillings(node, replace) if replace else _copy(node)


def _copy(node: Node) -> Node:
    copied = _NEW(type(node))
    copied.__dict__ = made = node.__dict__.copy()
    for name in n.children[type(node)]:
        value = made.get(name)
        if value is None:
            continue
        if type(value) is not list:
            made[name] = _copy(value)
        elif name in n.MIXED:
            made[name] = [_copy(item) if isinstance(item, n.AST) else item for item in value]
        else:
            made[name] = [_copy(item) for item in value]
    return copied


def _with_fillings(node: Node, replace: Mapping[str, n.AST]) -> Node:
    kind = type(node)
    if isinstance(node, n.Name):
        other = replace.get(node.id)
        if other is None:
            return _twin(node)
        filling: Any = _copy(other)
        if isinstance(filling, (n.Name, n.Subscript, n.Attribute, n.Starred, n.Tuple, n.List)):
            filling.ctx = node.ctx
        return filling  # type: ignore[no-any-return]
    copied = _NEW(kind)
    copied.__dict__ = made = node.__dict__.copy()
    for name in n.children[kind]:
        value = made.get(name)
        if type(value) is list:
            made[name] = [_with_fillings(item, replace) if isinstance(item, n.AST) else item for item in value]
        elif value is not None:
            made[name] = _with_fillings(value, replace)
    if kind is n.FunctionDef and isinstance(new := replace.get(made["name"]), n.Name):
        made["name"] = new.id
    if kind is n.Nonlocal:
        made["names"] = [new.id if isinstance(new := replace.get(name), n.Name) else name for name in made["names"]]
    return copied


def remade(node: Node, child: Callable[[Any], n.AST]) -> Node:
    """A copy of ``node``, its position included, with what ``child`` makes of each node right below it."""
    copied = _twin(node)
    made = copied.__dict__
    for name in n.children[type(node)]:
        value = made.get(name)
        if type(value) is list:
            made[name] = [child(item) if isinstance(item, n.AST) else item for item in value]
        elif value is not None:
            made[name] = child(value)
    return copied


def altered(node: Node, **fields: Any) -> Node:
    """A copy of ``node`` with other fields; what is below it is not copied."""
    copied = _twin(node)
    copied.__dict__.update(fields)
    return copied


def _twin(node: Node) -> Node:
    """Another node with the same fields, the same position, and the very same nodes below."""
    copied = _NEW(type(node))
    copied.__dict__ = node.__dict__.copy()
    return copied


def place(node: Node, at: n.AST) -> Node:
    """Give ``node`` the source position of ``at``."""
    given, placed = at.__dict__, node.__dict__
    for name in _POSITION:
        if given.get(name) is not None:
            placed[name] = given[name]
    return node


def placed(node: Node, at: n.AST) -> Node:
    """A tree whose parts all have a place in the source: that of ``at``, where they have none of their own."""
    for part in n.walk(node):
        if getattr(part, "lineno", None) is None:
            place(part, at)
    return node


def following(body: list[n.stmt], at: n.AST, within: bool = False) -> n.AST:
    """Give each statement that has no place in the source that of the one before it in the text, the first one that of ``at``.

    ``within``: its expressions get that of the statement. Returns the last statement.

    >>> body = [statement("x = 1"), place(statement("y = 2"), n.parse("f()").body[0]), statement("z = 3")]
    >>> [node.lineno for node in (following(body, body[1]), *body)]
    [1, 1, 1, 1]
    """
    for node in body:
        if getattr(node, "lineno", None) is None:
            place(node, at)
        at = node
        for part in n.below(node) if within else ():
            if not isinstance(part, n.stmt):
                placed(part, node)
        for name in n.BLOCKS:
            if block := getattr(node, name, None):
                at = following(block, at, within)
    return at


@cache
def _parse(text: str) -> tuple[n.stmt, ...]:
    tree = n.parse(_HOLE.sub(r"hole_\1_", text))
    for node in n.walk(tree):  # the positions within the template mean nothing
        for name in _POSITION:
            if hasattr(node, name):
                delattr(node, name)
    return tuple(tree.body)


Maker: TypeAlias = Callable[[Mapping[str, n.AST]], Any]


@cache
def _template(text: str) -> tuple[Maker, ...]:
    """For each statement of a template, what makes it of its fillings."""
    return tuple(map(_template_maker, _parse(text)))


def _template_maker(node: n.AST) -> Maker:
    if isinstance(node, (n.FunctionDef, n.Nonlocal)) or isinstance(node, n.Name) and node.id.startswith("hole_"):
        return lambda fillings: _with_fillings(node, fillings)
    if not any(isinstance(part, (n.Name, n.FunctionDef, n.Nonlocal)) for part in n.walk(node)):
        return lambda fillings: _copy(node)
    held = node.__dict__
    single = [(name, _template_maker(held[name])) for name in n.children[type(node)] if isinstance(held.get(name), n.AST)]
    several = [(name, [_template_maker(item) for item in held[name]]) for name in n.children[type(node)] if type(held.get(name)) is list]

    def make(fillings: Mapping[str, n.AST]) -> n.AST:
        copied = _twin(node)
        made = copied.__dict__
        for name, child in single:
            made[name] = child(fillings)
        for name, children in several:
            made[name] = [child(fillings) for child in children]
        return copied

    return make


def _fillings(holes: Mapping[str, Filling]) -> dict[str, n.AST]:
    return {f"hole_{name}_": tree(value) for name, value in holes.items()}


def tree(value: Filling) -> n.AST:
    """The expression that a filling stands for: a tree is itself, a string is a name, a number a constant."""
    if isinstance(value, n.AST):
        return value
    if isinstance(value, str):
        return expression(value)
    return n.Constant(value=value, kind=None)


def as_read(target: Node) -> Node:
    """What the target of an assignment holds, as an expression."""
    node = clone(target)
    node.ctx = n.Load()
    return node


def rebased(place_: n.expr, array: n.expr) -> n.expr:
    """The same place in another array. What an index reads stays what it is, the first array too.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(rebased(expression("x[np.argmax(x)][i]"), expression("x_bar")))
    'x_bar[np.argmax(x)][i]'
    """
    if not isinstance(place_, (n.Subscript, n.Attribute)):
        return clone(array)
    return altered(clone(place_), value=rebased(place_.value, array))


def as_index(index: n.expr, numpy: Callable[[], str]) -> n.expr:
    """An index as an argument of a call: ``1:3`` is not an expression outside of brackets. ``numpy`` gives the name that NumPy has."""
    sliced = any(isinstance(part, n.Slice) for part in n.walk(index))
    return expression("$np.s_[$i]", np=numpy(), i=index) if sliced else index


def as_target(node: Node) -> Node:
    """An expression as the target of an assignment."""
    target = clone(node)
    target.ctx = n.Store()
    return target


def statements(text: str, **holes: Filling) -> list[n.stmt]:
    """The statements of ``text`` with each ``$name`` replaced by the tree, name or number given for it."""
    fillings = _fillings(holes)
    return [make(fillings) for make in _template(text)]


def statement(text: str, **holes: Filling) -> n.stmt:
    """The one statement of ``text``, its holes filled."""
    (make,) = _template(text)
    return make(_fillings(holes))  # type: ignore[no-any-return]


def expression(text: str, **holes: Filling) -> n.expr:
    """The expression that ``text`` is, its holes filled."""
    if not holes and text.isidentifier() and text not in ("None", "True", "False"):
        return _name(text)
    return cast(n.expr, statement(text, **holes).value)


_LOAD = n.Load()


def _name(identifier: str) -> n.Name:
    made = _NEW(n.Name)
    made.__dict__ = {"id": identifier, "ctx": _LOAD, "annotation": None, "type_comment": None}
    return made


def names(node: Any) -> set[str]:
    """Every name that occurs in a tree (or in a list of trees)."""
    if isinstance(node, list):
        return set().union(*map(names, node)) if node else set()
    return {name.id for name in n.names_in(node)}


def unused(stem: str, taken: set[str]) -> str:
    """A name that is not taken, and is from now on.

    >>> unused("t", {"t", "t1"})
    't2'
    """
    new = next(name for name in (stem, *(f"{stem}{k}" for k in range(1, len(taken) + 2))) if name not in taken)
    taken.add(new)
    return new


def negated(node: n.expr) -> n.expr | None:
    """``e`` if the expression is ``-e``, or a product or quotient with one such factor; else None."""
    if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub):
        return node.operand
    if isinstance(node, n.BinOp) and isinstance(node.op, (n.Mult, n.Div)):
        if (left := negated(node.left)) is not None:
            return n.BinOp(left=left, op=node.op, right=node.right)
        if (right := negated(node.right)) is not None:
            return n.BinOp(left=node.left, op=node.op, right=right)
    return None


def sum_of(a: n.expr, b: n.expr) -> n.expr:
    """``a + b``, as ``a - c`` where ``b`` is ``-c``."""
    term = negated(b)
    return expression("$a + $b", a=a, b=b) if term is None else expression("$a - $b", a=a, b=term)


def put_in(parts: Filling, where: list[n.expr], value: Filling) -> n.expr:
    """``parts.append(value)``, or ``parts.insert(i, value)`` where there is a place."""
    if not where:
        return expression("$l.append($v)", l=parts, v=value)
    return expression("$l.insert($i, $v)", l=parts, i=clone(where[0]), v=value)


def taken_out(parts: Filling, where: list[n.expr]) -> n.expr:
    """``parts.pop()``, or ``parts.pop(i)`` where there is a place."""
    return expression("$l.pop($i)", l=parts, i=clone(where[0])) if where else expression("$l.pop()", l=parts)


def position_of(node: n.AST) -> tuple[str, int] | None:
    """The file and line of a node, None for one that was made."""
    line = getattr(node, "lineno", None)
    return None if line is None or not hasattr(node, "file") else (node.file, line)
