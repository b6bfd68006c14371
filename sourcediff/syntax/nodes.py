"""The node classes of the syntax tree. This file and its neighbours in ``syntax/`` are the only importers of gast.

gast is Python's ``ast`` with one shape for all Python versions: function parameters are ``Name`` nodes, and so on.
Elsewhere: ``from sourcediff.syntax import nodes as n``.
"""

from gast import (  # noqa: F401
    AST, Add, And, AnnAssign, Assert, Assign, Attribute, AugAssign, BinOp, BitAnd, BitOr, BitXor, BoolOp, Break, Call, Compare,
    Constant, Continue, Del, Delete, Dict, DictComp, Div, Eq, ExceptHandler, Expr, FloorDiv, For, FormattedValue, FunctionDef, GeneratorExp,
    Global, Gt, GtE, If, IfExp, Import, ImportFrom, In, Invert, Is, IsNot, JoinedStr, Lambda, List, ListComp, Load, LShift, Lt, LtE,
    Match, MatchAs, MatchClass, MatchMapping, MatchOr, MatchSequence, MatchSingleton, MatchStar, MatchValue, MatMult, Mod, Module, Mult,
    Name, NamedExpr, NodeTransformer, NodeVisitor, Nonlocal, Not, NotEq, NotIn, Or, Param, Pass, Pow, Raise,
    Return, RShift, Set, SetComp, Slice, Starred, Store, Sub, Subscript, Try, Tuple, UAdd, UnaryOp, USub, While, With, Yield, YieldFrom,
    alias, arguments, comprehension, copy_location, dump, expr, fix_missing_locations, iter_child_nodes, iter_fields, keyword,
    parse, stmt,
)
from gast import ast_to_gast as from_ast  # noqa: F401


_WITHOUT_NODES = frozenset(
    "ctx op ops id attr arg module level kind type_comment is_async simple conversion name asname rest annotation returns".split())


def _children(kind: type[AST]) -> dict[type[AST], tuple[str, ...]]:
    found = {kind: tuple(name for name in kind._fields if name not in _WITHOUT_NODES)}
    for narrower in kind.__subclasses__():
        found |= _children(narrower)
    return found


children: dict[type[AST], tuple[str, ...]] = _children(AST) | {Constant: (), Name: (), MatchSingleton: ()}
"""The fields of a class of nodes that can hold nodes; contexts, operators and annotations are not looked into."""


MIXED = frozenset({"keys", "kw_defaults", "kwd_attrs", "names"})
"""The fields that hold lists with something else among the nodes: None, or names."""


ITEM_BY_ITEM = (ListComp, GeneratorExp)
"""Comprehensions that give items in a row."""

COMPREHENSIONS = (ListComp, GeneratorExp, SetComp, DictComp)
"""All comprehensions."""

SCOPES = (FunctionDef, Lambda, *COMPREHENSIONS)
"""What binds names of its own."""


BLOCKS = ("body", "orelse", "finalbody")
"""The fields of a statement that hold blocks, but for handlers."""


def walk(node: AST) -> list[AST]:
    """A node and all within, breadth first, but for what :data:`children` leaves out.

    >>> [type(part).__name__ for part in walk(parse("y = x + 1"))]
    ['Module', 'Assign', 'Name', 'BinOp', 'Name', 'Constant']
    """
    found = [node]
    for part in found:
        names = children[type(part)]
        if not names:
            continue
        held = part.__dict__
        for name in names:
            value = held.get(name)
            if value is None:
                continue
            if type(value) is not list:
                found.append(value)
            elif name in MIXED:
                found += [item for item in value if isinstance(item, AST)]
            else:
                found += value
    return found


def names_in(node: AST) -> list[Name]:
    """The names among what :func:`walk` gives, in that order. (Its loop once more: it is asked ten thousand times, a fifth faster so.)"""
    found: list[Name] = []
    queue = [node]
    for part in queue:
        kind = type(part)
        if kind is Name:
            found.append(part)  # type: ignore[arg-type]
            continue
        held = part.__dict__
        for name in children[kind]:
            value = held.get(name)
            if value is None:
                continue
            if type(value) is not list:
                queue.append(value)
            elif name in MIXED:
                queue += [item for item in value if isinstance(item, AST)]
            else:
                queue += value
    return found


def below(node: AST) -> list[AST]:
    """The nodes right below one, but for what :data:`children` leaves out."""
    found: list[AST] = []
    for name in children[type(node)]:
        value = node.__dict__.get(name)
        if value is None:
            continue
        if type(value) is not list:
            found.append(value)
        elif name in MIXED:
            found += [item for item in value if isinstance(item, AST)]
        else:
            found += value
    return found
