"""Which names may carry a derivative, whatever the order of statements: the first, coarse cut.

What does not carry is left as the user wrote it; what carries is brought into normal form.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from ..errors import SourceUnavailableError
from ..rules import rule_for
from ..syntax import nodes as n
from ..syntax.source import Source, read
from .applications import METADATA, METHODS, is_user_function
from .effective import among
from .effects import base, mutates, target_names
from .holders import holders
from .scope import MISSING, Scope
from .surroundings import current

CONSTANT_BUILTINS = frozenset({builtins.len, builtins.range, builtins.int, builtins.bool, builtins.isinstance, builtins.type,
                               builtins.print, builtins.round, builtins.id, builtins.any, builtins.all})

ORDERING = (builtins.sorted, builtins.max, builtins.min)

INDEXED = (np.ndarray, list, tuple, dict, str)
"""What an index only selects from."""


COUNTING = ("index", "count")
"""Methods of lists that give an int."""


def is_method(node: n.AST, name: str) -> bool:
    """Whether a node is a call like ``d.items()``, without arguments."""
    if not isinstance(node, n.Call) or node.args or node.keywords:
        return False
    return isinstance(node.func, n.Attribute) and node.func.attr == name


def carries(node: n.AST | None, names: Set[str], scope: Scope) -> bool:
    """Whether the value of an expression may depend, in a differentiable way, on one of ``names``."""
    if isinstance(node, n.Name):
        return node.id in names
    if node is None or isinstance(node, (n.Constant, n.Compare)):
        return False
    if isinstance(node, n.BinOp):
        return carries(node.left, names, scope) or carries(node.right, names, scope)
    if isinstance(node, (n.ListComp, n.GeneratorExp, n.SetComp, n.DictComp)):
        inner = set(names)
        for loop in node.generators:
            _spread(loop, inner, scope)
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
            return True
        known = scope.resolve(node.value)  # np.r_[x] and its like compute with their index
        return known is not MISSING and not isinstance(known, INDEXED) and carries(node.slice, names, scope)
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
        rule = None if function is MISSING else rule_for(function)
        if (rule is not None and rule.kind == "constant") or among(function, CONSTANT_BUILTINS):
            return False
        return any(carries(part, names, scope) for part in parts)
    return any(carries(child, names, scope) for child in n.below(node))


SPREADING = (n.Assign, n.AugAssign, n.Expr, n.NamedExpr, n.FunctionDef, n.For, n.comprehension, n.Call)
"""The nodes by which one name comes to carry what another one does."""


def carrying(body: list[n.stmt], start: Iterable[str], scope: Scope) -> set[str]:
    """The names that may carry a derivative from the names ``start``, to a fixpoint over all statements."""
    names = set(start)
    keys = over_keys(body)
    spreading = [node for statement in body for node in n.walk(statement) if isinstance(node, SPREADING) and node not in keys]
    inner = changed_in({node.name: node for node in spreading if isinstance(node, n.FunctionDef)}, scope)
    stored = {node: found for node in spreading if isinstance(node, n.Call) and (found := _stored_into(node, scope, inner))}
    changed = behind(body, mutates(body).union(*stored.values()), scope)
    while True:
        before = len(names)
        for node in spreading:
            _spread(node, names, scope)
            names |= _behind(node, names & changed, scope)
        for call, found in stored.items():
            if any(carries(part, names, scope) for part in n.below(call)):
                names |= found
        if len(names) == before:
            return names


def _spread(node: n.AST, names: set[str], scope: Scope) -> None:
    if isinstance(node, n.Assign):
        for target in node.targets:
            _bind(target, node.value, names, scope)
    elif isinstance(node, n.AugAssign):
        _bind(node.target, node.value, names, scope)
    elif isinstance(node, n.Expr) and isinstance(node.value, n.Call) and isinstance(node.value.func, n.Attribute):
        owner = node.value.func.value
        if isinstance(owner, n.Call) and isinstance(owner.func, n.Attribute) and owner.func.attr in ("setdefault", "get", "pop"):
            owner = owner.func.value  # d.setdefault(k, []).append(x)
        # parts.append(x), parts.extend(xs): whatever the method, it may keep its arguments
        holder = base(owner) if scope.resolve(owner) is MISSING else None
        if holder is not None and any(carries(part, names, scope) for part in node.value.args):
            names.add(holder)
    elif isinstance(node, n.NamedExpr):
        _bind(node.target, node.value, names, scope)
    elif isinstance(node, n.FunctionDef):
        names.add(node.name)
    elif isinstance(node, (n.For, n.comprehension)):
        iterated, target = node.iter, node.target
        if isinstance(iterated, n.Call) and isinstance(target, n.Tuple) and len(target.elts) == len(iterated.args):
            if scope.resolve(iterated.func) is builtins.zip:
                for part, source in zip(target.elts, iterated.args):
                    _bind(part, source, names, scope)
                return
        counting = isinstance(iterated, n.Call) and scope.resolve(iterated.func) in (builtins.enumerate, np.ndenumerate)
        if counting and isinstance(target, n.Tuple):
            _bind(target.elts[1], iterated.args[0], names, scope)
            return
        if is_method(iterated, "items") and isinstance(target, n.Tuple) and len(target.elts) == 2:
            _bind(target.elts[1], iterated, names, scope)
            return
        _bind(target, iterated, names, scope)


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


def _behind(node: n.AST, changed: set[str], scope: Scope) -> set[str]:
    """``x`` of ``y = x``, ``y = x[1:]`` and ``for y in x``, if what ``y`` carries was written into it: the memory is one."""
    if isinstance(node, n.Assign) and changed & set().union(*map(target_names, node.targets)):
        return holders(node.value, scope)
    return holders(node.iter, scope) if isinstance(node, n.For) and changed & target_names(node.target) else set()


Inner = Mapping[str, tuple[n.FunctionDef, set[str]]]
"""Functions that are defined inside, by name, each with the names whose contents it may change."""


def changed_in(trees: Mapping[str, n.FunctionDef], scope: Scope) -> Inner:
    """What inner functions may change, by themselves and by calling one another, to a fixpoint."""
    calls = {name: [part for statement in tree.body for part in n.walk(statement) if isinstance(part, n.Call)]
             for name, tree in trees.items()}
    found: Inner = {name: (tree, mutates(tree.body)) for name, tree in trees.items()}
    while True:
        new = {name: (tree, behind(tree.body, changed.union(*(_stored_into(call, scope, found) for call in calls[name])), scope))
               for name, (tree, changed) in found.items()}
        if new == found:
            return found
        found = new


def _stored_into(call: n.Call, scope: Scope, inner: Inner) -> set[str]:
    """The arguments of a call of a user's function, or of an ``inner`` one, that it may write into."""
    if isinstance(call.func, n.Name) and call.func.id in inner:
        return _given(call, *inner[call.func.id], scope)
    function = scope.resolve(call.func)
    return _written_by(call, function, (), scope) if is_user_function(function) else set()


def _given(call: n.Call, tree: n.FunctionDef, changed: set[str], scope: Scope | None = None) -> set[str]:
    """The names of the arguments of a call that stand for parameters which are changed; with a ``scope`` those within a view, too."""
    positions = [parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)]
    given = [*zip(positions, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    found: set[str] = set()
    for argument in (argument for parameter, argument in given if parameter in changed):
        name = base(argument)
        found |= {name} if name is not None else holders(argument, scope) if scope is not None else set()
    return found


def _written_by(call: Any, function: Any, callers: tuple[Any, ...], scope: Scope | None = None) -> set[str]:
    """The names among the arguments of a call whose contents the function may change."""
    try:
        source = read(function)
    except SourceUnavailableError:  # such a call is refused, or linked, and watched
        return set()
    return _given(call, source.tree, written(source, callers), scope)


def written(source: Source, callers: tuple[Any, ...] = ()) -> set[str]:
    """The names of a function whose contents may be changed in it: by itself, through another name, or by what it calls.

    What one of ``callers`` changes when it is called again, it changes itself.
    """
    body = source.tree.body
    found = mutates(body)
    for node in (part for statement in body for part in n.walk(statement)):
        function = current(source.function, node.func.id) if isinstance(node, n.Call) and isinstance(node.func, n.Name) else MISSING
        if is_user_function(function) and function is not source.function and function not in callers:
            found |= _written_by(node, function, (*callers, source.function))
    return behind(body, found, Scope())


def behind(body: list[n.stmt], changed: set[str], scope: Scope) -> set[str]:
    """Some names, and those that share their memory."""
    parts = [part for statement in body for part in n.walk(statement) if isinstance(part, (n.Assign, n.For))]
    while True:
        found = set().union(*(_behind(part, changed, scope) for part in parts))
        if found <= changed:
            return changed
        changed = changed | found


def _bind(target: n.AST, value: n.AST | None, names: set[str], scope: Scope) -> None:
    if isinstance(target, (n.Tuple, n.List)):
        values = value.elts if isinstance(value, (n.Tuple, n.List)) and len(value.elts) == len(target.elts) else [value] * len(target.elts)
        for part, source in zip(target.elts, values):
            _bind(part, source, names, scope)
    elif carries(value, names, scope):
        while isinstance(target, (n.Subscript, n.Attribute, n.Starred)):
            target = target.value
        if isinstance(target, n.Name):
            names.add(target.id)
        elif isinstance(target, n.Call):  # b.reshape(2, 2)[1] = x
            names |= holders(target, scope)
