"""Coarse activity: which names may carry a derivative, whatever the order of statements.

What does not carry is left as the user wrote it; what carries is brought into normal form.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterable, Set

from ...rules import rule_for
from ...runtime.arrays.library import is_array
from ...syntax import nodes as n
from ..applications import METADATA, METHODS
from ..bindings import Binding, bindings, is_method
from ..scope import MISSING, Scope
from ..statements import base, target_names
from .callees import callee, entry_of_call
from .dicts import GOING_OVER, gives_keys
from .mutated_arguments import changed_in, stored_into
from .out_arguments import among
from .sharing import holders

CONSTANT_BUILTINS = frozenset({builtins.len, builtins.range, builtins.int, builtins.bool, builtins.isinstance, builtins.type,
                               builtins.print, builtins.round, builtins.id, builtins.any, builtins.all})

ORDERING = (builtins.sorted, builtins.max, builtins.min, itertools.groupby)

INDEXED = (list, tuple, dict, str)
"""What an index only selects from; from arrays too."""


COUNTING = ("index", "count")
"""Methods of lists that give an int."""


def carries(node: n.AST | None, names: Set[str], scope: Scope) -> bool:
    """Whether the value of an expression may depend, in a differentiable way, on one of ``names``."""
    while isinstance(node, n.BinOp):  # of a long sum the right side is the short one
        if carries(node.right, names, scope):
            return True
        node = node.left
    if isinstance(node, n.Name):
        return node.id in names
    if node is None or isinstance(node, (n.Constant, n.Compare)):
        return False
    if isinstance(node, n.COMPREHENSIONS):
        inner = set(names)
        for loop in node.generators:
            _spread(loop, _bound(loop, scope), inner, set(), scope)
        given = [node.key, node.value] if isinstance(node, n.DictComp) else [node.elt]
        return any(carries(part, inner, scope) for part in given)
    if isinstance(node, n.NamedExpr):
        return carries(node.value, names, scope)
    if isinstance(node, n.Lambda):  # so that calls of it are looked into
        return True
    if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
        return False
    if isinstance(node, n.Attribute):
        return node.attr not in METADATA and carries(node.value, names, scope)
    if isinstance(node, n.Subscript):
        if carries(node.value, names, scope):
            entry = entry_of_call(node)
            return entry is None or carries_at(*entry, names, scope)
        known = scope.resolve(node.value)  # np.r_[x] and its like compute with their index
        return known is not MISSING and not (isinstance(known, INDEXED) or is_array(known)) and carries(node.slice, names, scope)
    if isinstance(node, n.IfExp):
        return carries(node.body, names, scope) or carries(node.orelse, names, scope)
    if isinstance(node, n.Call):
        function = scope.resolve(node.func)
        asked = "key" if function in ORDERING else None  # of it depends which item comes where, and nothing else
        parts: list[n.AST] = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != asked)]
        if function is MISSING and (is_method(node, "keys") or isinstance(node.func, n.Attribute) and node.func.attr in COUNTING):
            return False
        if function is MISSING and not isinstance(node.func, n.Attribute):
            parts.append(node.func)  # what is called may itself be made of a differentiated value: partial(np.multiply, x)(2)
        elif function is MISSING:
            parts.append(node.func.value)
            function = METHODS.get(node.func.attr, MISSING)
        if any(function is going for going in GOING_OVER):
            parts = [part for part in parts if not gives_keys(part, scope)]
        rule = None if function is MISSING else rule_for(function)
        if (rule is not None and rule.kind == "constant") or among(function, CONSTANT_BUILTINS):
            return False
        return any(carries(part, names, scope) for part in parts)
    return any(carries(child, names, scope) for child in n.below(node))


def carries_at(call: n.Call, position: int, names: Set[str], scope: Scope) -> bool:
    """Whether what is at a position of what a call returns may carry, if some of that does."""
    known = callee(call, scope, holders)
    given = known.arguments(call) if known is not None else None
    if known is None or given is None or not names.isdisjoint(known.scope.free):
        return True
    active = frozenset(parameter for parameter, argument in given.items() if carries(argument, names, scope))
    if active not in known.carrying:
        known.carrying[active] = set(known.scope.taken)  # of what calls itself: all of it
        known.carrying[active] = carrying(known.body, active, known.scope)
    return any(carries(part, known.carrying[active], known.scope) for part in known.parts(position))


SPREADING = (n.Assign, n.AugAssign, n.Expr, n.NamedExpr, n.FunctionDef, n.For, n.comprehension, n.Call)
"""The nodes by which one name comes to carry what another one does."""


def carrying(body: list[n.stmt], start: Iterable[str], scope: Scope) -> set[str]:
    """The names that may carry a derivative from the names ``start``, to a fixpoint over all statements."""
    names, stored = set(start), set[str]()  # stored: the names into whose contents something that carries goes
    keys = over_keys(body)
    spreading = [node for statement in body for node in n.walk(statement) if isinstance(node, SPREADING) and node not in keys]
    inner = changed_in({node.name: node for node in spreading if isinstance(node, n.FunctionDef)}, scope)
    written = {node: found for node in spreading if isinstance(node, n.Call) and (found := stored_into(node, scope, inner))}
    spreading_to = [(node, _bound(node, scope)) for node in spreading]
    while True:
        before = len(names) + len(stored)
        for node, bound in spreading_to:
            _spread(node, bound, names, stored, scope)
        for call, found in written.items():
            if any(carries(part, names, scope) for part in n.below(call)):
                stored |= found
        names |= stored
        if len(names) + len(stored) == before:
            return names


def _bound(node: n.AST, scope: Scope) -> list[Binding]:
    """What a node binds, but for the keys of a dict that a loop goes over."""
    loop = isinstance(node, (n.For, n.comprehension))
    return [(target, value) for target, value in bindings(node, scope) if not loop or not gives_keys(value, scope)]


def _spread(node: n.AST, bound: list[Binding], names: set[str], stored: set[str], scope: Scope) -> None:
    if isinstance(node, n.Expr) and isinstance(node.value, n.Call) and isinstance(node.value.func, n.Attribute):
        owner = node.value.func.value
        if isinstance(owner, n.Call) and isinstance(owner.func, n.Attribute) and owner.func.attr in ("setdefault", "get", "pop"):
            owner = owner.func.value  # d.setdefault(k, []).append(x)
        # parts.append(x), parts.extend(xs): whatever the method, it may keep its arguments
        holder = base(owner) if scope.resolve(owner) is MISSING else None
        if holder is not None and any(carries(part, names, scope) for part in node.value.args):
            stored.add(holder)
    elif isinstance(node, n.FunctionDef):
        names.add(node.name)
    for target, value in bound:
        if carries(value, names, scope):
            _bind(target, isinstance(node, n.AugAssign), names, stored, scope)
        if target_names(target) & stored and isinstance(node, (n.Assign, n.For)):
            stored |= holders(value, scope)  # x of y = x, y = x[1:] and for y in x: the memory is one


def _bind(target: n.expr, updated: bool, names: set[str], stored: set[str], scope: Scope) -> None:
    """Note that what a target is bound to, or what is stored into it, carries."""
    slot = isinstance(target, (n.Subscript, n.Attribute))
    while isinstance(target, (n.Subscript, n.Attribute, n.Starred)):
        target = target.value
    if isinstance(target, n.Name):
        names.add(target.id)
        stored |= {target.id} if slot or updated else set()
    elif isinstance(target, n.Call):  # b.reshape(2, 2)[1] = x
        stored |= holders(target, scope)


def is_over_keys(node: n.For | n.comprehension, within: list[n.AST]) -> bool:
    """Whether ``for k in d`` goes over the keys of a dict: there is a ``d[k]`` in it, and a float would be no index."""
    if not isinstance(node.iter, n.Name) or not isinstance(node.target, n.Name):
        return False
    indexed = [part for inner in within for part in n.walk(inner) if isinstance(part, n.Subscript)]
    pair = node.iter.id, node.target.id
    return any(isinstance(part.slice, n.Name) and (getattr(part.value, "id", ""), part.slice.id) == pair for part in indexed)


def over_keys(body: list[n.stmt]) -> set[n.AST]:
    """The loops of a body that go over the keys of dicts, those of comprehensions included."""
    found: set[n.AST] = set()
    for part in (part for statement in body for part in n.walk(statement)):
        if isinstance(part, n.For) and is_over_keys(part, part.body):
            found.add(part)
        found |= {loop for loop in getattr(part, "generators", ()) if is_over_keys(loop, list(n.below(part)))}
    return found
