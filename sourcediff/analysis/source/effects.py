"""Side effects of calls: which may change something, or give another result when they are repeated.

Reading a property is a call. A call of the user's function counts if that one stores into what it did not make, binds names around it,
or calls what counts. So do draws of random numbers, printing, and taking from an iterator. What is not known counts.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import SourceUnavailableError
from ...rules.facts import FACTS, having
from ...rules.frames import rule_for
from ...rules.library_objects import record_for
from ...runtime.arrays.library import library_of
from ...runtime.copies import DRAWING
from ...runtime.copies import GENERATORS as RANDOM
from ...runtime.counters import count_up
from ...runtime.parts import ASKING
from ...runtime.user_objects import is_own, is_users, member
from ...syntax import nodes as n
from ...syntax.container_methods import WRITING_FILES, mutating
from ...syntax.function import MISSING, TRANSFORMS, current
from ...syntax.source import read
from ..environment.captured import Surroundings, is_user_function
from ..scope import bound_names
from ..statements import target_names
from .caches import fills_cache
from .made_here import CONVERTING, GENERATORS, _declared, gone_over, holds_new, holds_only_new, made_here
from .out_arguments import among, goes_out

WORLD = {builtins.print, count_up, *ASKING}
"""Functions that take from the world, or tell it something, or an object that counts."""

WRITING = having("writes", "exchanges") - having("shuffles")
"""The functions that change their first argument, and nothing else."""

CHANGING = having("writes", "exchanges") | WORLD
"""Functions of the libraries that change an argument, or the world."""

PURE = {"numpy", "scipy", "math", "cmath", "builtins", "itertools", "functools", "operator", "_operator", "_functools", "collections",
        "_collections", "re", "zlib", "binascii", "unicodedata"}
"""Modules of functions that change nothing, but for those that are :data:`CHANGING`."""

STEADY = {"builtins", "numpy", "collections", "typing", "types", "fractions", "decimal", "functools", "itertools", "operator", "enum",
          "dataclasses", "contextlib", "sourcediff"}
"""Packages of classes whose objects do the same when they are made again and asked the same."""

ASKING_TABLES = frozenset("cumcount dropna fillna get_group groupby isin iterrows itertuples nunique pivot_table reset_index "
                          "set_index sort_index sort_values to_dict to_list to_numpy value_counts".split())
"""Methods of the tables of pandas that change nothing, if they are not told to do so ``inplace``."""

CHANGING_METHODS = mutating() | WRITING_FILES
READING_METHODS = frozenset(
    name for kind in (np.ndarray, np.generic, list, tuple, dict, set, str, float, complex, range) for name in dir(kind)
    if not name.startswith("_")) - CHANGING_METHODS | CONVERTING | ASKING_TABLES
"""Methods of NumPy's arrays, of sparse matrices and of Python's containers that change nothing."""


class Effective:
    """What is known of the calls in the source of one function; ``meant``: what its names stand for, if that is not what they do there."""

    def __init__(self, function: Any, tree: n.FunctionDef, meant: Callable[[n.AST], Any] | None = None):
        self.function, self.meant = function, meant
        self.bound = bound_names(tree)
        self.inner: dict[str, list[Any]] = {}
        self.objects: dict[str, Any] = {}  # names of objects of the user's classes that are made here
        self.iterators: set[str] = set()
        self.generators: set[str] = set()  # of random numbers
        self.makers: dict[str, list[Any]] = {}  # by names of what is called all that they are bound to
        self.pure: dict[Any, bool] = {}  # codes, and trees, of functions, which are held as long as they are known
        self.reading: dict[str, bool] = {}
        self.owner = _owner_of(function, tree)  # the name of the object that a method is called on, and its class
        for part in n.walk(tree):
            if isinstance(part, n.FunctionDef) and part is not tree:
                self.inner.setdefault(part.name, []).append(part)
            elif isinstance(part, n.Assign):
                for target in part.targets:
                    self._noted(target, part.value)
            elif isinstance(part, n.NamedExpr):
                self._noted(part.target, part.value)

    def _noted(self, target: Any, value: Any) -> None:
        if isinstance(target, (n.Tuple, n.List)) and isinstance(value, (n.Tuple, n.List)) and len(target.elts) == len(value.elts):
            for part, given in zip(target.elts, value.elts):
                self._noted(part, given)
        elif isinstance(value, (n.Lambda, n.Call, n.GeneratorExp, n.Name)):
            for name in target_names(target):
                self._assigned(name, value)

    def _assigned(self, name: str, value: Any) -> None:
        if isinstance(value, n.Lambda):
            self.inner.setdefault(name, []).append(value)
            return
        made = self.resolve(value.func) if isinstance(value, n.Call) else MISSING
        if isinstance(made, type) and is_users(made):
            self.objects[name] = made
        if isinstance(value, n.GeneratorExp) or isinstance(value, n.Call) and (self._is_lazy(value) or self._gives_iterator(made)):
            self.iterators.add(name)
        if among(made, GENERATORS):
            self.generators.add(name)
        if isinstance(value, n.Name):
            for known in (self.iterators, self.generators):
                known |= {name} if value.id in known else set()

    def resolve(self, node: n.AST) -> Any:
        """The object that a name, or an attribute of a module or class, stands for from outside; MISSING if it is bound here."""
        return _resolved(node, self.function, self.bound) if self.meant is None else self.meant(node)

    def is_fixed(self, node: n.AST) -> bool:
        """Whether an expression is a function, a class, a module or a constant from outside."""
        if not isinstance(node, (n.Name, n.Attribute)):
            return False
        found = self.resolve(node)
        return not isinstance(found, (type(MISSING), list, dict, set)) and not library_of(found)

    def draws(self, call: Any) -> bool:
        """Whether a call that counts takes random numbers, or takes from an iterator, or prints: that changes no array and no list."""
        if isinstance(call, n.Compare):
            return True
        if isinstance(call, n.Attribute):
            return False
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(map(self.is_iterator, given)) and self._is_pure(call.func) and not any(map(self._is_impure_function, given)):
            return True
        found, function = self.resolve(call.func), call.func
        if found in (builtins.next, builtins.print, builtins.input):
            return True
        named = getattr(function, "attr", getattr(found, "__name__", ""))
        if named == "shuffle" or any(keyword.arg == "out" for keyword in call.keywords):
            return False
        if found is not MISSING:
            return isinstance(getattr(found, "__self__", None), RANDOM)
        owner = function.value if isinstance(function, n.Attribute) else None
        drawn = isinstance(owner, n.Name) and (owner.id in self.generators or isinstance(self.resolve(owner), RANDOM))
        return drawn and function.attr in DRAWING  # type: ignore[attr-defined]

    def changes_array(self, call: n.AST | None) -> bool:
        """Whether an expression is a call of a library's that changes an array or a container, whatever else it gives."""
        if not isinstance(call, n.Call) or not self.counts(call) or self.draws(call):
            return False
        found = self.resolve(call.func)
        named = isinstance(call.func, n.Attribute) and call.func.attr in CHANGING_METHODS
        return named if found is MISSING else not is_user_function(getattr(found, "__func__", found)) and not isinstance(found, type)

    def counts(self, call: n.AST) -> bool:
        """Whether a call (or an ``in``, or reading a property) may change something, or may give something else when it is made again."""
        if isinstance(call, n.Attribute):
            return isinstance(call.ctx, n.Load) and self.resolve(call.value) is MISSING and self._is_effective_property(call)
        if isinstance(call, n.Compare):
            asked = [part for op, part in zip(call.ops, call.comparators) if isinstance(op, (n.In, n.NotIn))]
            return any(map(self.is_iterator, asked))
        if not isinstance(call, n.Call):
            return False
        if any(keyword.arg in ("out", "inplace") for keyword in call.keywords) or goes_out(call, self.resolve(call.func)):
            return True
        if among(self.resolve(call.func), TRANSFORMS):  # the function does not run yet
            return False
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not self._is_lazy(call) and any(map(self.is_iterator, given)):
            return True
        return not self._is_pure(call.func) or any(self._is_impure_function(part) for part in given)

    @functools.cached_property
    def properties(self) -> dict[str, list[types.FunctionType]]:
        """What the properties do of the user's classes that the function may know, by their names."""
        known = [*self.function.__globals__.values(), *Surroundings(self.function).classes, self.owner[1]]
        found: dict[str, list[types.FunctionType]] = {}
        for kind in dict.fromkeys(kind for kind in known if isinstance(kind, type) and is_users(kind)):
            for name, value in (item for base in kind.__mro__ if is_users(base) for item in vars(base).items()):
                if isinstance(value, property) and isinstance(value.fget, types.FunctionType):
                    found.setdefault(name, []).append(value.fget)
        return found

    def _is_effective_property(self, node: n.Attribute) -> bool:
        """Whether reading an attribute may change something."""
        found = self.properties.get(node.attr, [])
        if found and isinstance(node.value, n.Name) and node.value.id in self.objects:
            known = getattr(member(self.objects[node.value.id], node.attr), "fget", None)
            found = [function for function in found if function is known]
        return not all(map(self._function_is_pure, found))

    def _is_lazy(self, node: n.Call) -> bool:
        """Whether a call gives an iterator, and takes nothing yet."""
        return _makes_iterator(self.resolve(node.func))

    def _gives_iterator(self, function: Any) -> bool:
        """Whether a user's function returns an iterator, as it seems."""
        if not is_user_function(function):
            return False
        try:
            tree = read(function).tree
        except SourceUnavailableError:
            return False
        returned = [part.value for part in n.walk(tree) if isinstance(part, n.Return)]
        makers = [_resolved(value.func, function, bound_names(tree)) for value in returned if isinstance(value, n.Call)]
        return any(map(_makes_iterator, makers)) or any(isinstance(value, n.GeneratorExp) for value in returned)

    def is_iterator(self, node: n.expr) -> bool:
        """Whether taking from what an expression gives takes from an iterator that has a name."""
        if isinstance(node, n.Name):
            return node.id in self.iterators
        return isinstance(node, n.Call) and self._is_lazy(node) and any(map(self.is_iterator, node.args))

    def _is_impure_function(self, node: n.expr) -> bool:
        """Whether an argument is a function that counts, which the call may run."""
        if isinstance(node, n.Lambda):
            return not self._body_is_pure(node)
        if not isinstance(node, (n.Name, n.Attribute)):
            return False
        if isinstance(node, n.Name) and node.id in self.inner:
            return not all(map(self._body_is_pure, self.inner[node.id]))
        found = self.resolve(node)
        return isinstance(found, (types.FunctionType, types.MethodType, functools.partial)) and not self.object_is_pure(found)

    def _is_pure(self, function: n.expr) -> bool:
        if isinstance(function, n.Name) and function.id in self.inner:
            return all(map(self._body_is_pure, self.inner[function.id]))
        if isinstance(function, n.Lambda):
            return self._body_is_pure(function)
        if isinstance(function, n.Call) and among(self.resolve(function.func), TRANSFORMS) and function.args:
            return not self._is_impure_function(function.args[0])
        if (found := self.resolve(function)) is not MISSING:
            return self.object_is_pure(found)
        if isinstance(function, n.Name) and function.id in self.makers:
            kinds = [self.resolve(maker.func) if isinstance(maker, n.Call) else MISSING for maker in self.makers[function.id]]
            return all(kind is not MISSING and record_for(kind) is not None for kind in kinds)
        if isinstance(function, n.Attribute) and isinstance(function.value, n.Name) and function.value.id in self.objects:
            method = member(self.objects[function.value.id], function.attr)
            return isinstance(method, types.FunctionType) and self.object_is_pure(method)
        if isinstance(function, n.Attribute):
            own = isinstance(function.value, n.Name) and function.value.id == self.owner[0]
            if function.attr == getattr(self.function, "__name__", "") and self.owner[1] is not None:  # of another object of its kind
                return self._method_is_pure(function.attr) and all(map(self.object_is_pure, self._methods_of(function.attr)))
            return self._method_is_pure(function.attr) if own else self.reads(function.attr)
        return False

    def reads(self, name: str) -> bool:
        """Whether a method of that name changes nothing: of arrays and containers, and of the user's classes that the function may know."""
        if name not in READING_METHODS:
            return False
        if name not in self.reading:
            self.reading[name] = all(map(self.object_is_pure, self._methods_of(name)))
        return self.reading[name]

    def _methods_of(self, name: str) -> list[types.FunctionType]:
        """The methods of that name of the user's classes that the function may know."""
        kinds = [kind for kind in list(self.function.__globals__.values()) if isinstance(kind, type) and is_users(kind)]
        return [method for kind in kinds if isinstance(method := member(kind, name), types.FunctionType)]

    def _method_is_pure(self, name: str) -> bool:
        """Whether a method is pure of the objects of the class that the function is a method of, and of all classes derived from it."""
        if self.owner[1] is None:
            return False
        kinds = [self.owner[1]]
        for kind in kinds:
            kinds += type.__subclasses__(kind)
        methods = [found for kind in kinds if (found := vars(kind).get(name, member(kinds[0], name))) is not None]
        return bool(methods) and all(isinstance(method, types.FunctionType) and self.object_is_pure(method) for method in methods)

    def object_is_pure(self, found: Any) -> bool:
        """Whether calling an object from outside changes nothing."""
        if isinstance(found, types.MethodType):
            return self.object_is_pure(found.__func__)
        if isinstance(found, functools.partial):
            return self.object_is_pure(found.func)
        if hasattr(found, "sourcediff"):
            return self.object_is_pure(getattr(found.sourcediff, "function", None))
        if is_user_function(found):
            return self._function_is_pure(found)
        if isinstance(found, type) and is_users(found):
            makers = [member(found, name) for name in ("__init__", "__post_init__")]
            return all(self._function_is_pure(maker, makes=True) for maker in makers if isinstance(maker, types.FunctionType))
        if isinstance(found, types.MethodDescriptorType):  # list.pop
            return found.__name__ in READING_METHODS
        if rule_for(found) is not None or is_own(found):
            return not among(found, CHANGING)
        owner = found.__self__ if inspect.isbuiltin(found) else None
        if isinstance(owner, np.ufunc):
            return bool(found.__name__ != "at")
        module = (getattr(found, "__module__", None) or type(found).__module__ or "").split(".")
        if among(found, CHANGING) or owner is not None and not isinstance(owner, types.ModuleType) or module[:2] == ["numpy", "random"]:
            return False
        if module[0] == "pandas":
            return not getattr(found, "__name__", "").startswith(("read_", "set_", "reset_", "to_pickle", "option", "show_"))
        return module[0] in PURE and not among(found, (re.finditer,))

    def _function_is_pure(self, function: types.FunctionType, makes: bool = False) -> bool:
        code = function.__code__
        if code not in self.pure:
            self.pure[code] = True  # of one that calls itself, what else it does decides
            try:
                tree = read(function).tree
            except SourceUnavailableError:
                self.pure[code] = code.co_filename.startswith("<")
                return self.pure[code]
            theirs = Effective(function, tree)
            theirs.pure = self.pure
            self.pure[code] = theirs.is_pure(tree, makes)
        return self.pure[code]

    def _body_is_pure(self, tree: Any) -> bool:
        if tree not in self.pure:
            self.pure[tree] = True
            self.pure[tree] = self.is_pure(tree)
        return self.pure[tree]

    def is_pure(self, tree: Any, makes: bool = False) -> bool:
        """Whether a function, written here or elsewhere, changes nothing but what it makes; ``makes``: its first argument is new."""
        parameters = [parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)]
        own = made_here(tree, self) | gone_over(tree, self) | (set(parameters[:1]) if makes else set())

        def is_its(node: Any) -> bool:
            """Whether an expression is of a container made here, or of one that such a container holds."""
            if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in ("setdefault", "get"):
                return isinstance(node.func.value, n.Name) and holds_only_new(tree, node.func.value.id, self)
            within = isinstance(node, n.Subscript) and isinstance(node.value, n.Name)
            return holds_only_new(tree, node.value.id, self) if within else isinstance(node, n.Name) and node.id in own

        for part in n.walk(tree):
            if isinstance(part, (n.Global, n.Nonlocal)) and not set(part.names) <= bound_names(tree) - _declared(tree):
                return False
            if isinstance(part, (n.Subscript, n.Attribute)) and not isinstance(part.ctx, n.Load):
                if not is_its(part.value) and not fills_cache(tree, part):
                    return False
            elif isinstance(part, n.AugAssign):
                if part.target.id not in own if isinstance(part.target, n.Name) else not holds_new(tree, part.target, self):
                    return False
            elif isinstance(part, (n.Call, n.Attribute)) and self.counts(part):
                if isinstance(part, n.Call) and part.args and among(self.resolve(part.func), WRITING) and is_its(part.args[0]):
                    continue
                receiver = part.func.value if isinstance(part, n.Call) and isinstance(part.func, n.Attribute) else None
                if receiver is None or not is_its(receiver) or part.func.attr not in CHANGING_METHODS:  # type: ignore[union-attr]
                    return False
        return True


def _owner_of(function: Any, tree: n.FunctionDef) -> tuple[str, Any]:
    path = getattr(function, "__qualname__", "").split(".")
    found: Any = current(function, path[0]) if len(path) > 1 and "<locals>" not in path else MISSING
    for name in path[1:-1]:
        found = getattr(found, name, MISSING)
    first = next((parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)), "")
    return (first, found) if isinstance(found, type) else ("self", None)


def _resolved(node: n.AST, function: Any, bound: set[str]) -> Any:
    if isinstance(node, n.Name):
        return MISSING if node.id in bound else current(function, node.id)
    if isinstance(node, n.Attribute):
        owner = _resolved(node.value, function, bound)
        known = isinstance(owner, (types.ModuleType, type, np.ufunc))
        return getattr(owner, node.attr, MISSING) if known else MISSING
    return MISSING


def _makes_iterator(function: Any) -> bool:
    return among(function, FACTS["lazy"]) or getattr(function, "__module__", "") == "itertools"
