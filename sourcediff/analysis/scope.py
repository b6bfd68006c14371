"""What the free names of a program stand for: closure cells, globals and builtins of the functions it is made of."""

from __future__ import annotations

import builtins
import importlib
import types
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..rules.frames import Rule, is_singleton, rule_for
from ..runtime.arrays.library import library_of
from ..runtime.derivative import form
from ..runtime.user_objects import is_composite
from ..syntax import nodes as n
from ..syntax.function import unjitted
from .environment.asked_of_classes import is_helper
from .environment.captured import MISSING, current

__all__ = ["MISSING", "Free", "Scope", "bound_names", "current", "function_names", "imported_names", "loaded_names", "same_value"]


class Free(NamedTuple):
    """A free name: what it stands for now, and the function and the name under which it is read again at each call."""

    value: Any
    function: Any  # a types.FunctionType
    name: str


class Scope:
    """The names of one program, which may be made of several functions inlined into one another.

    ``free`` maps a free name of the program to what it stands for; ``taken`` are all names in use; ``helpers`` the names that
    generated code imports, filled while it is derived; ``bars`` and ``dots`` map variables to the names of their adjoints and
    tangents; ``functions`` are the local names that stand for one function; ``counters`` those that count the trips of a loop;
    ``tapes`` are the lists of generated code that are empty again when it ends, ``copies`` those that hold copies alone: what is taken
    from one of these is held by nothing else; ``followed`` are the functions that it is made of, or calls, by their source;
    ``quiet`` the floating-point errors that the user's code silences; ``flags`` what tells how a loop was left, and sums of
    generators: names of no line of the user's; ``iterators`` are names of what may be used up; ``tried`` maps a line (file and
    number) to what a ``try`` would catch there; ``equal`` are pairs of lengths that Python would insist on being equal.
    """

    def __init__(self) -> None:
        self.free: dict[str, Free] = {}
        self.followed: list[types.FunctionType] = []
        self.taken: set[str] = set()
        self.counted: Counter[str] = Counter()  # how many names of each stem have been tried
        self.helpers: dict[str, Any] = {}
        self.bars: dict[str, str] = {}
        self.adjoints: set[str] = set()  # the values of that
        self.dots: dict[str, str] = {}
        self.functions: dict[str, Any] = {}
        self.counters: set[str] = set()
        self.quiet: set[str] = set()
        self.flags: set[str] = set()
        self.mirrors: set[str] = set()  # copies that are kept the same as what they are copies of
        self.tapes: set[str] = set()
        self.copies: set[str] = set()
        self.once: dict[str, n.expr | None] = {}  # what each name stands for that is bound once, None of one that is bound more often
        self.numbers: set[str] = set()  # of what the compiler has written: names of numbers, whatever binds them
        self.iterators: set[str] = set()
        self.tried: dict[tuple[str, int], tuple[type, ...]] = {}
        self.equal: set[frozenset[str]] = set()
        self.ordered: frozenset[tuple[Any, Any]] = frozenset()  # pairs of lengths of which the second is taken for no smaller
        self.idle: set[n.stmt] = set()  # statements whose values nothing depends on that has a derivative
        self.unguarded = False  # whether a guard of zeros has been left out, so that the finished gradient is to be looked at
        self.checked: set[str] = set()  # names that a path may leave unbound, and of which it is asked whether it has
        self.mappings: set[str] = set()  # names that stand for dicts, and for nothing else
        self.within: tuple[Any, ...] = ()  # the functions of which it is asked what they give
        self.numeric: set[str] = set()  # parameters that are given numbers
        self.records: dict[str, Any] = {}  # names that stand for constant objects of libraries, and what is known of these
        self.returned: Any = None  # what tells what a call gives that is not written out, of its function, the positions, and the arguments
        self.watched: Callable[[], Sequence[Any]] = tuple  # what tells the functions that may run, of which a later change is seen
        self.unsettled = False  # whether that is being found out by what is told
        self.callees: dict[Any, Any] = {}  # what is known of the user's functions that are called (``callees.py``)

    def helper(self, name: str) -> bool:
        """Whether a name is a helper that generated code imports."""
        return name in self.helpers

    def imported(self, name: str, value: Any) -> str:
        """The name under which generated code imports a helper (or NumPy): its own, unless the program uses that otherwise."""
        for known, other in self.helpers.items():
            if other is value:
                return known
        free = self.free.get(name)
        spelled = name if free is not None and free.value is value else self.fresh(name)
        self.helpers[spelled] = value
        return spelled

    def fresh(self, base: str) -> str:
        """A name not in use yet: ``base`` itself, else ``base1``, ``base2`` … in order."""
        name = base
        while name in self.taken or name != "_" and hasattr(builtins, name):  # an interactive session keeps its last result as _
            self.counted[base] += 1
            name = f"{base}{self.counted[base]}"
        self.taken.add(name)
        return name

    def release(self, name: str) -> None:
        """Give back a name of :meth:`fresh` that nothing has come to stand under."""
        self.taken.discard(name)
        base = name.rstrip("0123456789")
        if name == f"{base}{self.counted[base]}":
            self.counted[base] -= 1

    def bar(self, name: str) -> str:
        """The name of a variable's adjoint, ``x_bar`` in the field's notation (longer where the program has a name like that)."""
        made = self._beside(name, "_bar", self.bars)
        self.adjoints.add(made)
        return made

    def dot(self, name: str) -> str:
        """The name of a variable's tangent, ``x_dot`` in the field's notation."""
        return self._beside(name, "_dot", self.dots)

    def _beside(self, name: str, suffix: str, known: dict[str, str]) -> str:
        if name not in known:
            made, count = name + suffix, 1
            while made in self.taken:
                made, count = f"{name}{suffix}{count}", count + 1
            self.taken.add(made)
            known[name] = made
        return known[name]

    def adopt(
        self, tree: n.FunctionDef, function: types.FunctionType, keep: bool, given: Mapping[str, tuple[Any, Any, str]] | None = None,
    ) -> dict[str, str]:
        """Make room for a function's names; old name → name in the program, for the names that change.

        ``keep`` leaves the function's local names as they are (the outermost function's), but for those of builtins that are called.
        ``given``: what free names stand for that the function itself does not read.
        """
        self.followed.append(function)
        renamed: dict[str, str] = {}
        local = bound_names(tree)
        parameters = {part.id for part in n.walk(tree.args) if isinstance(part, n.Name)}
        imports: dict[str, Any] = {}
        for part in n.walk(tree):
            if isinstance(part, (n.Import, n.ImportFrom)):
                imports |= imported_names(part)
        for name in sorted(local):
            if keep and (name not in CALLED or name in parameters):
                self.taken.add(name)
            elif (new := self.fresh(name)) != name:
                renamed[name] = new
        for name in sorted(loaded_names(tree) - local):
            if given and name in given:
                new = self.outside(given[name][2], given[name][1], given[name][0], name)
            else:
                new = self.outside(name, function, imports[name]) if name in imports else self.outside(name, function)
            if new != name:
                renamed[name] = new
        return renamed

    def outside(self, name: str, function: Any, value: Any = MISSING, written: str = "") -> str:
        """The program's name for what a name stands for in a function that it is made of, or in a rule's formula.

        ``written`` is how it is called in the tree, if that was written by the compiler.
        """
        value = current(function, name) if value is MISSING else value
        shown = written or name
        if value is MISSING:
            return shown
        if is_helper(value) or function is None and is_composite(value) and rule_for(value) is not None:  # of a rule's formula
            return self.imported(shown, value)
        known = self.free.get(shown)
        if known is None and shown not in self.taken or known is not None and same_value(known, value, function, name):
            new = shown
        else:
            new = next((other for other, free in self.free.items() if same_value(free, value, function, name)), None) or self.fresh(shown)
        self.taken.add(new)
        self.free[new] = Free(value, function, name)
        return new

    def known(self, module: types.ModuleType, name: str, function: types.FunctionType) -> str:
        """The program's name for a module, ``name`` if it has none yet."""
        for other, free in self.free.items():
            if free.value is module:
                return other
        new = self.fresh(name)
        self.free[new] = Free(module, function, name)
        return new

    def lookup(self, name: str) -> Any:
        """The object that a free name stands for, or MISSING."""
        free = self.free.get(name)
        if free is not None:
            return unjitted(free.value)
        if name in self.functions:
            return self.functions[name]
        if name in self.helpers:
            return self.helpers[name]
        return MISSING if name in self.taken else getattr(builtins, name, MISSING)

    def is_fixed(self, name: str) -> bool:
        """Whether a name is free, and not of an array, which may be stored into."""
        free = self.free.get(name)
        return free is not None and not library_of(free.value)

    def is_builtin(self, name: str) -> bool:
        """Whether a name is that of one of Python's builtins."""
        return name not in self.taken and hasattr(builtins, name)

    def resolve(self, node: n.AST) -> Any:
        """The object that ``np.linalg.inv`` or ``helper`` stands for, or MISSING if it depends on local values."""
        if isinstance(node, n.Name):
            return form(self.lookup(node.id))
        if isinstance(node, n.Attribute):
            owner = self.resolve(node.value)
            if isinstance(owner, (types.ModuleType, type)) or type(owner).__name__ == "ufunc":
                return form(unjitted(getattr(owner, node.attr, MISSING)))
            if is_singleton(owner) and isinstance(method := getattr(owner, node.attr, None), types.MethodType):
                return method
        return MISSING

    def rule(self, node: n.AST) -> Rule | None:
        """The derivative rule of the function that a call's ``func`` stands for."""
        found = self.resolve(node)
        return None if found is MISSING else rule_for(found)


def function_names(body: list[n.stmt], scope: Scope) -> dict[str, Any]:
    """The local names that a block binds once, to a function that is known: ``activation = np.tanh``."""
    bound: dict[str, list[n.AST]] = {}
    for statement in body:
        for part in n.walk(statement):
            if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name):
                bound.setdefault(part.targets[0].id, []).append(part.value)
            elif isinstance(part, n.Name) and not isinstance(part.ctx, n.Load):
                bound.setdefault(part.id, []).append(part)
    found = {}
    for name, values in bound.items():  # each assignment shows twice: as such and by its target
        value = scope.resolve(values[0]) if len(values) == 2 and isinstance(values[0], (n.Name, n.Attribute)) else MISSING
        if value is not MISSING and callable(value):
            found[name] = value
    return found


def same_value(known: Free, value: Any, function: types.FunctionType, name: str) -> bool:
    """Whether a known free name stands for the same thing, and always will (a variable is the same only in the same place)."""
    if known.value is not value:
        return False
    if isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)) or type(value).__name__ == "ufunc":
        return True
    return known.name == name and place_in_code(known.function, name) is place_in_code(function, name)


def place_in_code(function: types.FunctionType, name: str) -> Any:
    """Where a function reads a free name: a cell of its own, or its globals."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__:
        return function.__closure__[code.co_freevars.index(name)]
    return function.__globals__


CALLED = frozenset({"len", "range", "min", "list", "tuple", "reversed", "enumerate", "zip", "slice", "isinstance"})
"""The builtins that generated code calls."""


def bound_names(tree: n.AST) -> set[str]:
    """Every name that a function's tree binds: parameters, assignments, loop targets, inner functions."""
    bound = {part.id for part in n.walk(tree) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)}
    return bound | {part.name for part in n.walk(tree) if isinstance(part, n.FunctionDef) and part is not tree}


KNOWN_MODULES = ("numpy", "scipy", "math", "itertools", "functools", "operator")


def imported_names(node: Any) -> dict[str, Any]:
    """What the names stand for that an import statement in a function binds. Raises ImportError for modules that may change."""
    modules = [node.module or ""] if isinstance(node, n.ImportFrom) else [alias.name for alias in node.names]
    if getattr(node, "level", 0) or any(module.split(".")[0] not in KNOWN_MODULES for module in modules):
        raise ImportError
    if isinstance(node, n.ImportFrom):
        module = importlib.import_module(node.module)
        return {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}
    found = {}
    for alias in node.names:
        module = importlib.import_module(alias.name)
        name = alias.asname or alias.name.split(".")[0]
        found[name] = module if alias.asname else importlib.import_module(name)
    return found


def loaded_names(tree: n.AST) -> set[str]:
    """Every name that a function's body reads (annotations and defaults aside: they are evaluated outside of it)."""
    body = tree.body if isinstance(tree, n.FunctionDef) else [tree]
    return {part.id for statement in body for part in n.walk(statement) if isinstance(part, n.Name) and isinstance(part.ctx, n.Load)}
