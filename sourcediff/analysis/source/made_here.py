"""Which containers and arrays a function certainly made itself."""

from __future__ import annotations

import builtins
import collections
from typing import Any

import numpy as np

from ...rules.facts import FACTS, having
from ...rules.frames import rule_for
from ...runtime.copies import GENERATORS as RANDOM
from ...runtime.user_objects import is_users
from ...syntax import nodes as n
from ...syntax.function import MISSING
from ..statements import base, target_names
from .out_arguments import among


def made_here(tree: Any, known: Any) -> set[str]:
    """The names that stand for nothing but numbers and containers that the function has made."""
    found: dict[str, bool] = {}
    named: dict[str, set[str]] = {}
    for part in n.walk(tree):
        one = part.targets[0] if isinstance(part, n.Assign) and len(part.targets) == 1 else None
        if isinstance(one, n.Name) and isinstance(part.value, n.Name):  # type: ignore[attr-defined]
            named.setdefault(one.id, set()).add(part.value.id)  # type: ignore[attr-defined]
        elif isinstance(one, n.Name):
            found[one.id] = found.get(one.id, True) and _is_new(part.value, known)  # type: ignore[attr-defined]
        elif isinstance(one, n.Tuple) and isinstance(of := part.value, n.Subscript) and isinstance(of.value, n.Name):  # type: ignore[attr-defined]
            new = holds_only_new(tree, of.value.id, known, True)
            found |= {name: found.get(name, True) and new for name in target_names(one)}
        elif isinstance(part, (n.Assign, n.For, n.comprehension, n.NamedExpr)):
            for target in part.targets if isinstance(part, n.Assign) else [part.target]:
                found.update(dict.fromkeys(target_names(target), False))
        elif isinstance(part, n.arguments):
            parameters = {parameter.id for parameter in n.walk(part) if isinstance(parameter, n.Name)}
            renewed = {name for name in parameters if part is getattr(tree, "args", None) and is_renewed_first(tree, name, known)}
            found.update(dict.fromkeys(parameters - renewed, False))
    own = {name for name in {*found, *named} if found.get(name, True) and name not in _declared(tree)}
    while others := {name for name in own & set(named) if not named[name] <= own}:
        own -= others
    return own


def is_renewed_first(tree: Any, name: str, known: Any) -> bool:
    """Whether the first that a function does with a parameter is to bind it to something new: ``x = x.copy()``."""
    body = tree.body if isinstance(tree, n.FunctionDef) else []
    first = next((part for part in body if any(isinstance(each, n.Name) and each.id == name for each in n.walk(part))), None)
    one = first.targets[0] if isinstance(first, n.Assign) and len(first.targets) == 1 else None
    return isinstance(one, n.Name) and one.id == name and _is_new(first.value, known)  # type: ignore[union-attr]


def holds_new(tree: Any, target: Any, known: Any) -> bool:
    """Whether ``w[0] += 1`` or ``self.v *= 2``, of a ``w`` or ``self`` made here, changes no array that something else holds too."""
    name = base(target) if isinstance(target.value, n.Subscript) else getattr(target.value, "id", None)
    assigned = [(slot, part.value) for part in n.walk(tree) if isinstance(part, n.Assign) for slot in part.targets]
    if isinstance(target, n.Attribute):
        slots = [(slot, value) for slot, value in assigned for each in n.walk(slot) if isinstance(each, n.Attribute)
                 and each.attr == target.attr and getattr(each.value, "id", None) == name]
        return bool(slots) and all(isinstance(slot, n.Attribute) and _is_new(value, known) for slot, value in slots)
    return holds_only_new(tree, name, known)


def holds_only_new(tree: Any, name: Any, known: Any, within: bool = False) -> bool:
    """Whether a container that has a name was made here, and so was all that it holds, and ``within`` that, which are tuples, too."""
    assigned = [(slot, part.value) for part in n.walk(tree) if isinstance(part, n.Assign) for slot in part.targets]
    updates = [part for part in n.walk(tree) if isinstance(part, n.AugAssign)]
    bound = [part.id for part in n.walk(tree) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)]
    for update in updates:
        if isinstance(update.target, n.Name):
            bound.remove(update.target.id)
    made, called = [], [name]
    for one in called:  # by other names, too
        values = [value for slot, value in assigned if getattr(slot, "id", None) == one]
        if not values or len(values) < bound.count(one):
            return False
        called += [value.id for value in values if isinstance(value, n.Name) and value.id not in called]
        made += [value for value in values if not isinstance(value, n.Name)]
    filled = [value for value in made if not (isinstance(value, n.Call) and among(known.resolve(value.func), FACTS["creates"]))]
    if not filled:  # arrays, which copy what is stored into them
        return bool(made) and not within
    if len(called) > 1:
        return False
    filled += [update.value for update in updates if getattr(update.target, "id", None) == name]
    if not all(_is_container(value, known) for value in filled):
        return False
    inside = [item for value in filled for part in n.walk(value) if isinstance(part, SHOWN) for item in _items(part)]
    stored = [value for slot, value in assigned for each in n.walk(slot) if getattr(getattr(each, "value", None), "id", None) == name]
    calls = [part for part in n.walk(tree) if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)]
    stored += [given for call in calls if getattr(call.func.value, "id", None) == name
               for given in call.args[call.func.attr in ("setdefault", "get"):]]
    if within and not all(isinstance(item, n.Tuple) for item in (*stored, *(item for value in filled for item in _first_items(value)))):
        return False
    return all(_is_new(value, known) for value in (*inside, *stored))


def gone_over(tree: Any, known: Any) -> set[str]:
    """The variables that stand for nothing but what containers hold that were made here, as all that they hold: of loops over these."""
    stored = [part.id for part in n.walk(tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)]
    found: list[str] = []
    for loop in (part for part in n.walk(tree) if isinstance(part, n.For)):
        over, target = loop.iter, loop.target
        if isinstance(over, n.Call) and isinstance(over.func, n.Attribute) and not over.args and over.func.attr in ("values", "items"):
            target = target.elts[-1] if over.func.attr == "items" and isinstance(target, n.Tuple) else target
            if isinstance(target, n.Name) and (over.func.attr == "values" or target is not loop.target):
                found += [target.id] if holds_only_new(tree, getattr(over.func.value, "id", None), known) else []
    return {name for name in found if stored.count(name) == found.count(name)}


def _is_container(value: n.expr, known: Any) -> bool:
    """Whether an expression makes a container of what is written in it."""
    if isinstance(value, n.IfExp):
        return _is_container(value.body, known) and _is_container(value.orelse, known)
    if isinstance(value, n.BinOp) and isinstance(value.op, n.Mult):
        return isinstance(value.left, SHOWN) or isinstance(value.right, SHOWN)
    return isinstance(value, SHOWN) or isinstance(value, n.Call) and _is_empty(value, known)


def _is_empty(call: n.Call, known: Any) -> bool:
    """Whether a call makes an empty container, of which the entries are new where it makes them itself."""
    made = known.resolve(call.func)
    if made is collections.defaultdict and len(call.args) == 1 and not call.keywords:
        if isinstance(call.args[0], n.Lambda):
            return _is_new(call.args[0].body, known)
        return among(known.resolve(call.args[0]), {*EMPTY, builtins.int, builtins.float})
    return among(made, EMPTY) and not call.args and not call.keywords


def _items(node: Any) -> list[n.expr]:
    """What a display or a comprehension puts into a container."""
    if isinstance(node, (n.ListComp, n.SetComp)):
        return [node.elt]
    return [node.value] if isinstance(node, n.DictComp) else node.values if isinstance(node, n.Dict) else node.elts  # type: ignore[no-any-return]


def _first_items(node: Any) -> list[n.expr]:
    """What a display, or a ``defaultdict`` of a lambda, puts into a container."""
    if isinstance(node, n.Call):
        return [given.body if isinstance(given, n.Lambda) else given for given in node.args]
    return _items(node) if isinstance(node, SHOWN) else [node]


def _is_new(value: n.expr, known: Any) -> bool:
    if isinstance(value, (n.Constant, n.BinOp, n.UnaryOp, n.Compare, n.List, n.Dict, n.Set, n.ListComp, n.DictComp, n.SetComp)):
        return True
    if isinstance(value, n.Tuple):
        return all(_is_new(part, known) for part in value.elts)
    if not isinstance(value, n.Call):
        return False
    if isinstance(value.func, n.Attribute) and value.func.attr == "copy" and known.resolve(value.func) is MISSING:
        return True
    made = known.resolve(value.func)
    if getattr(made, "__module__", "") == "itertools" and all(isinstance(arg, n.Constant) for arg in value.args):
        return True
    if isinstance(value.func, n.Attribute) and value.func.attr in CONVERTING and made is MISSING:
        return _is_new(value.func.value, known)
    if str(getattr(made, "__module__", "")).startswith("scipy.sparse") and getattr(made, "__name__", "") in SPARSE:
        return True
    if any(keyword.arg in ("copy", "out", "inplace") for keyword in value.keywords):
        return False
    if str(getattr(made, "__module__", "")).startswith("pandas"):
        shown = bool(value.args) and isinstance(value.args[0], SHOWN)
        return getattr(made, "__name__", "") in TABLES or isinstance(made, type) and shown
    if isinstance(value.func, n.Attribute) and value.func.attr in OF_TABLES and made is MISSING:
        return True
    if among(made, NEW) or computes_entries(made):
        return True
    return isinstance(made, type) and is_users(made) or _is_empty(value, known)


def computes_entries(function: Any) -> bool:
    """Whether a function is one of NumPy's that gives an array of what it computes of each entry."""
    rule = rule_for(function)
    entrywise = isinstance(function, np.ufunc) or rule is not None and rule.kind == "elementwise" and not rule.own
    return entrywise and not among(function, having("view", "may share"))


NEW = FACTS["creates"] | {builtins.list, builtins.dict, builtins.set}
"""Functions whose result nothing else holds."""


EMPTY = frozenset({builtins.list, builtins.dict, builtins.set, collections.Counter, collections.deque, collections.OrderedDict})
"""Classes of containers that are empty if they are given nothing."""

CONVERTING = frozenset("tolil tocsr tocsc tocoo todok tobsr todia toarray todense".split())
"""Methods of sparse matrices that give a new one, or the same."""

SPARSE = frozenset("diags diags_array identity eye eye_array kron random block_diag hstack vstack bmat".split())
"""Functions that make a sparse matrix."""

TABLES = frozenset("concat crosstab cut get_dummies melt merge pivot_table qcut".split())
"""Functions of pandas that make a table."""

OF_TABLES = frozenset("dropna fillna pivot_table reset_index set_index sort_index sort_values".split())
"""Methods of its tables that make another one."""

SHOWN = (n.List, n.Tuple, n.Set, n.Dict, n.ListComp, n.SetComp, n.DictComp)
"""Displays and comprehensions of containers."""


GENERATORS = {np.random.default_rng, *RANDOM}


def _declared(tree: Any) -> set[str]:
    """The names that a function itself declares as another one's."""
    pending, found = list(getattr(tree, "body", ())) if isinstance(tree, n.FunctionDef) else [], set()
    for part in pending:
        if isinstance(part, (n.Global, n.Nonlocal)):
            found |= set(part.names)
        elif not isinstance(part, (n.FunctionDef, n.Lambda)):
            pending += n.below(part)
    return found
