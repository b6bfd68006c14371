"""Refuse what the compiler does not take, all places at once. The only pass that changes nothing."""

from __future__ import annotations

import builtins
import functools
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...analysis.applications import is_user_function
from ...analysis.environment.captured import current
from ...analysis.scope import MISSING, bound_names, imported_names
from ...analysis.statements import base, nested
from ...errors import MissingRuleError, Place, UnsupportedSyntaxError
from ...syntax import nodes as n
from ...syntax.source import Source, read
from ..order.with_and_try import is_no_grad, manager_of, not_stopped

# node class → (what it is, why it is refused, what to write instead)
REFUSED: dict[str, tuple[str, str, str]] = {
    "AsyncFunctionDef": ("an async function", "its statements do not run in order", "write a plain function"),
    "AsyncFor": ("async for", "its statements do not run in order", "use a plain for loop"),
    "AsyncWith": ("async with", "its statements do not run in order", "write a plain function"),
    "Await": ("await", "other code runs in between", "write a plain function"),
    "Yield": ("yield", "a generator is resumed from outside, so its reverse sweep has no fixed order", "return the values"),
    "YieldFrom": ("yield from", "a generator is resumed from outside", "return the values"),
    "ClassDef": ("a class definition", "classes made at run time are not followed", "define it at module level"),
    "TryStar": ("except*", "which statement was left by an exception is not recorded", "test the condition with if"),
    "Match": ("this match", "one of its patterns is not followed", "use if and elif"),
}

UNREADABLE: dict[Any, tuple[str, str, str]] = {
    **{getattr(builtins, name): (f"{name}()", "what it runs cannot be read from the source", "write the code out")
       for name in ("eval", "exec", "compile")},
    **{getattr(builtins, name): (f"{name}()", "it reaches names by their text, past what can be followed", "use the name itself")
       for name in ("locals", "globals", "vars", "__import__")},
    **{getattr(builtins, name): (f"{name}()", "objects with state are not followed yet", "use local variables and return the result")
       for name in ("setattr", "delattr")},
}
"""Builtins that no source tells the meaning of → (what it is, why it is refused, what to write instead)."""


def _global(node: Any, source: Source) -> tuple[str, str, str] | None:
    if not set(node.names) & bound_names(source.tree):
        return None
    return "global", "a gradient must not change module state", "pass the value as an argument and return it"


def _nonlocal(node: Any, source: Source) -> tuple[str, str, str] | None:
    if not set(node.names) & set(source.function.__code__.co_freevars):
        return None
    return "nonlocal", "a gradient must not change outer state", "pass the value as an argument and return it"


def _try(node: Any, source: Source) -> tuple[str, str, str] | None:
    if not any(isinstance(part, (n.Return, n.Break, n.Continue)) for part in nested(node.finalbody)):
        return None
    return "leaving a finally", "what was raised or returned before is forgotten", "leave behind the try"


def _with(node: Any, source: Source) -> tuple[str, str, str] | None:
    items = [item for item in node.items if manager_of(item, lambda part: dotted(part, source)) is None]
    calls = [item.context_expr for item in items if item.optional_vars is None and isinstance(item.context_expr, n.Call)]
    literal = ("ignore", "warn")
    if len(calls) == len(items) and all(
        dotted(call.func, source) is np.errstate and not call.args and all(
            isinstance(given.value, n.Constant) and given.value.value in literal for given in call.keywords) for call in calls
    ):
        return None
    if len(calls) == len(node.items) == 1 and not calls[0].args and getattr(dotted(calls[0].func, source), "__name__", "") == "no_grad":
        if not isinstance(calls[0].func, n.Attribute) and not is_no_grad(dotted(calls[0].func, source)):
            return "this name for no_grad", "stop_gradient is needed from the same module", "write with sourcediff.no_grad():"
        if not_stopped(node.body) is None:
            return None
        return "no_grad around this", "only what is computed anew and bound to a name can be taken for a constant", "use stop_gradient"
    return "with", "what its context manager does is not known", "do it around the call of the gradient"


def _import(node: Any, source: Source) -> tuple[str, str, str] | None:
    try:
        stored = {part.id for part in n.walk(source.tree) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)}
        if stored & imported_names(node).keys():
            return "this import of what is bound otherwise too", "a name must mean the same throughout", "import it under a name of its own"
        if all(isinstance(value, types.ModuleType) or callable(value) for value in imported_names(node).values()):
            return None
    except (ImportError, AttributeError):
        pass
    return "this import inside the function", "names must mean the same at every call", "import at the top of the module"


def _deleted(node: Any, source: Source) -> tuple[str, str, str] | None:
    outer = {name for part in n.walk(source.tree) if isinstance(part, (n.Global, n.Nonlocal)) for name in part.names}
    own = bound_names(source.tree) - outer
    if all(isinstance(target, n.Name) or isinstance(target, n.Subscript) and base(target) in own for target in node.targets):
        return None
    return "del of an entry", "what it takes out of a list or dict is not put back", "make a new one without it"


def _decorated(node: Any, source: Source) -> tuple[str, str, str] | None:
    for decorator in node.decorator_list if node is not source.tree else ():
        found = dotted(decorator.func if isinstance(decorator, n.Call) else decorator, source)
        library = getattr(found, "__module__", "").split(".")[0] in sys.stdlib_module_names
        if library and found not in (functools.wraps, functools.partial):
            return "this decorator of an inner function", "what it makes of the function is not known", "call the function itself"
    return None


def _comprehended(node: Any, source: Source) -> tuple[str, str, str] | None:
    if not any(isinstance(part, (n.Subscript, n.Attribute)) for loop in node.generators for part in n.walk(loop.target)):
        return None
    return "a comprehension that stores what it goes over", "its variables are names of its own", "write a loop"


CONDITIONAL: dict[str, Any] = {
    "Global": _global, "Nonlocal": _nonlocal, "Try": _try, "With": _with, "Import": _import, "ImportFrom": _import, "Delete": _deleted,
    "FunctionDef": _decorated, **dict.fromkeys(("ListComp", "SetComp", "DictComp", "GeneratorExp"), _comprehended),
}
"""Node → why one is refused, as far as it is."""


def dotted(node: n.AST, source: Source) -> Any:
    """What ``np.errstate`` stands for in a function, or MISSING."""
    if isinstance(node, n.Attribute):
        return getattr(dotted(node.value, source), node.attr, MISSING)
    if not isinstance(node, n.Name):
        return MISSING
    for part in n.walk(source.tree):
        if isinstance(part, (n.Import, n.ImportFrom)) and _import(part, source) is None and node.id in (imported := imported_names(part)):
            return imported[node.id]
    return current(source.function, node.id)


def refuse(source: Source, alone: bool = False) -> Source:
    """Raise UnsupportedSyntaxError listing every construct that is outside the compiler's language, those in its callees too.

    ``alone``: calls of what is outside of it may stay calls. Before and after are the same tree:

    >>> from sourcediff.syntax.source import read
    >>> def counted(x):
    ...     global count
    ...     count = eval("2")
    ...     return x * count
    >>> try:
    ...     refuse(read(counted))
    ... except UnsupportedSyntaxError as error:
    ...     for place in error.places:
    ...         print(f"{place.problem}: {place.why}\\n  instead: {place.remedy}")
    global is not taken by the compiler: a gradient must not change module state
      instead: pass the value as an argument and return it
    eval() is not taken by the compiler: what it runs cannot be read from the source
      instead: write the code out
    """
    if places := unsupported_places(source):
        for callee in () if alone else called_functions(source):
            places += unsupported_places(read(callee))
        raise refusal(source.function, places)
    return source


def refusal(
    function: types.FunctionType, places: list[Place], lacking: Sequence[Place] = (), follow_ups: int = 0,
) -> UnsupportedSyntaxError | MissingRuleError:
    """The error that lists the places for which a function cannot be compiled, calls without a rule first; what follows is counted."""
    unique = list(dict.fromkeys([*lacking, *places]))
    problem = f"{function.__qualname__} cannot be compiled because of {'one place' if len(unique) == 1 else f'{len(unique)} places'}"
    if follow_ups:
        problem += f" ({follow_ups} more {'follows' if follow_ups == 1 else 'follow'} from {'it' if len(unique) == 1 else 'them'})"
    return (UnsupportedSyntaxError if places else MissingRuleError)(problem, places=unique)


def called_functions(source: Source) -> list[types.FunctionType]:
    """The user functions that a function calls by name, and those that they call, each once."""
    found: list[types.FunctionType] = []
    pending = [source]
    while pending:
        calling = pending.pop(0)
        for part in n.walk(calling.tree):
            if isinstance(part, n.Call) and isinstance(part.func, n.Name):
                value = current(calling.function, part.func.id)
                if is_user_function(value) and value is not source.function and value not in found:
                    found.append(value)
                    pending.append(read(value))
    return found


def unsupported_places(source: Source) -> list[Place]:
    """Every place of a function that is refused, in reading order."""
    return sorted((place for _, place in is_marked(source)), key=lambda place: (place.line, place.column or 0))


def is_marked(source: Source) -> list[tuple[n.AST, Place]]:
    """The nodes of a function that are refused, each with its place."""
    found: list[tuple[n.AST, Place]] = []
    tree = source.tree

    def refused(node: n.AST, what: str, why: str, remedy: str) -> None:
        found.append((node, source.place(node, f"{what} is not taken by the compiler", why, remedy)))

    def visit(node: n.AST) -> None:
        name = type(node).__name__
        if name in REFUSED and node is not tree:
            refused(node, *REFUSED[name])
            if name == "ClassDef":
                return
        if name in CONDITIONAL and (reason := CONDITIONAL[name](node, source)) is not None:
            refused(node, *reason)
        if isinstance(node, n.Call) and isinstance(node.func, n.Name) and (unreadable := _unreadable(source, node.func.id)):
            refused(node, *unreadable)
        for child in [*node.body, *node.orelse, *node.finalbody] if isinstance(node, n.Try) else n.below(node):
            visit(child)  # what a handler does is not run

    if type(tree).__name__ == "AsyncFunctionDef":
        refused(tree, *REFUSED["AsyncFunctionDef"])
    for statement in tree.body:
        visit(statement)
    return found


def _unreadable(source: Source, name: str) -> tuple[str, str, str] | None:
    """Why a call of a name cannot be followed, if it is one of the builtins that nobody can."""
    value = current(source.function, name)
    return UNREADABLE.get(value) if isinstance(value, types.BuiltinFunctionType) else None
