"""What a function reads from outside: closure cells, globals and builtins, and the user's functions among them.

Looked at before every call of generated code, so it imports no parser.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import arrays, calls, spectra, structures
from ..objects import is_own, is_users, methods_of
from ..rules.frames import OWN, Rule, rule_for
from ..syntax.function import MISSING, current, defaults_of
from .abstract import Abstract, abstract, known_callables
from .description import Description

__all__ = ["MISSING", "Surroundings", "Watched", "current", "defaults_of", "is_user_function"]


def is_user_function(function: Any) -> bool:
    """Whether a function is a plain Python function of the user's, to be read and inlined (not one of NumPy's, nor a gradient)."""
    if not isinstance(function, types.FunctionType) or rule_for(function) is not None:
        return False
    if hasattr(function, "sourcediff") or hasattr(function, "__recorded__"):
        return False
    return (function.__module__ or "").split(".")[0] not in ("numpy", "scipy", "math", "builtins") and not is_own(function)


def is_helper(value: Any) -> bool:
    """Whether an object is one of the helpers that generated code calls."""
    return isinstance(value, types.FunctionType) and getattr(HELPERS.get(value.__module__), value.__name__, None) is value


GIVEN_SOME = (types.MethodType, functools.partial)
"""What calls a function with something that it holds."""

MAKING = ("__new__", "__init__", "__post_init__")
"""The methods that say how an object is made."""

HELPERS = {"sourcediff.arrays": arrays, "sourcediff.spectra": spectra, "sourcediff.structures": structures, "sourcediff.calls": calls}


def is_derivative(function: Any) -> bool:
    """Whether a function is what a transform has made of another one."""
    return isinstance(function, types.FunctionType) and hasattr(function, "sourcediff")


class Watched(NamedTuple):
    """A free name that generated code relies on: where it is read, and what it must still stand for."""

    namespace: Any  # a dict, a closure cell, a module, or a class (what it holds itself)
    name: Any  # a str; in the table of rules, a function
    value: Any


class Surroundings:
    """What a function and all that may be inlined into it read from outside; ``given`` are functions and classes among its arguments."""

    def __init__(self, function: types.FunctionType, given: Sequence[Any] = ()):
        self.functions: list[types.FunctionType] = []
        self.classes: list[type] = []
        self.watched: list[Watched] = []
        self.data: list[tuple[types.FunctionType, str]] = []
        self.held: list[Any] = []  # the functions and classes in the data
        self.rules: list[Rule] = []
        self.methods: set[tuple[type, str]] = set()  # those that have been looked at
        self.names = {*MAKING, "__call__", "__enter__", "__exit__"}  # what may be a method that is called
        pending: list[Any] = list(given)
        self._follow(function, pending)
        while pending:
            self._meet(pending.pop(0), pending)
            if not pending:
                pending += [inner for kind in self.classes for inner in self._methods(kind)]
        self.watched += [Watched(inner.__kwdefaults__, name, value) for inner in self.functions
                         for name, value in (inner.__kwdefaults__ or {}).items()]
        self.bodies = [(inner, inner.__code__, inner.__defaults__, inner.__kwdefaults__) for inner in self.functions]
        self.readers = [(reader(namespace), name, value) for namespace, name, value in self.watched]
        self.readers += [(functools.partial(getattr, kind), "__mro__", kind.__mro__) for kind in self.classes]
        for base in dict.fromkeys(base for kind in self.classes for base in kind.__mro__ if is_users(base)):
            self.readers.append((functools.partial(_count, base), "", len(vars(base))))  # what is new may be a method
            for name in self.names & vars(base).keys():  # and data may become one
                if (base, name) not in self.methods:
                    self.readers.append((functools.partial(_type_in, base), name, type(vars(base)[name])))

    def _meet(self, found: Any, pending: list[Any]) -> None:
        """Look at a function or a class that something reads."""
        rule = rule_for(found)
        if rule is not None and rule.own:
            for formula in self._formulas(rule):
                self._follow(formula, pending)
        elif isinstance(found, type) and is_users(found):
            if found not in self.classes:
                self.classes.append(found)
                for name in MAKING:  # which may be given to it later
                    self._watch([base for base in found.__mro__ if is_users(base)], name)
        elif is_derivative(found):
            self._follow(found, pending)
        elif is_user_function(found):
            self.watched.append(Watched(OWN, found, MISSING))
            self._follow(found, pending)

    def _follow(self, function: types.FunctionType, pending: list[Any]) -> None:
        """Look at what a function reads, once; of a derivative, at what it is the derivative of."""
        if any(function is seen for seen in self.functions):
            return
        self.functions.append(function)
        if is_derivative(function):
            pending.append(function.sourcediff.function)  # type: ignore[attr-defined]
        else:
            self.names.update(names_of(function.__code__))
            pending += [*self._look(function), *filter(callable, defaults_of(function).values())]

    def _methods(self, kind: type) -> list[Any]:
        """The functions of a class of which the names have been read, and that have not been looked at."""
        bases = [base for base in kind.__mro__ if is_users(base)]
        found = []
        for base, name, inner in methods_of(kind, self.names):
            if (base, name) not in self.methods:
                self.methods.add((base, name))
                found.append(inner)
                self._watch(bases[:bases.index(base) + 1], name)
        return found

    def _watch(self, kinds: Sequence[type], name: str) -> None:
        """Watch what classes hold under a name, as it stands there (a class method as such), up to the first that holds it."""
        for kind in kinds:
            self.watched.append(Watched(kind, name, vars(kind).get(name, MISSING)))
            if name in vars(kind):
                break

    def _look(self, function: types.FunctionType) -> list[Any]:
        found: list[Any] = []
        for name in names_of(function.__code__):
            value = current(function, name)
            if value is MISSING:
                continue
            if getattr(builtins, name, MISSING) is value and name not in function.__globals__:
                self.watched.append(Watched(function.__globals__, name, MISSING))  # a global of that name would hide it
                continue
            if is_data(value):
                found += self._data(function, name, value)
                continue
            found.append(value)
            if isinstance(value, (types.ModuleType, type)):
                found += self._members(function, name, value)
            if name in function.__code__.co_freevars and function.__closure__:
                self.watched.append(Watched(function.__closure__[function.__code__.co_freevars.index(name)], name, value))
            else:
                self.watched.append(Watched(function.__globals__, name, value))
        return found

    def _data(self, function: types.FunctionType, name: str, value: Any) -> list[Any]:
        """Note data that a function reads; the functions and classes in them."""
        self.data.append((function, name))
        held = known_callables(abstract(value, name))
        self.held += held
        return held

    def _formulas(self, rule: Rule) -> list[types.FunctionType]:
        """The formulas of a rule of one's own: they are a part of what is generated."""
        self.rules.append(rule)
        self.watched.append(Watched(OWN, rule.function, rule))
        self.watched += [Watched(vars(rule), name, getattr(rule, name)) for name in ("tangent", "for_complex")]
        return [formula for formula in rule.formulas if isinstance(formula, types.FunctionType)]

    def _members(self, function: types.FunctionType, name: str, owner: Any) -> list[Any]:
        """The callables that a function may read of a module or class, and of those in it, at any depth; what else it may read is data.

        Python's own library is looked at no deeper than its modules.
        """
        found: list[Any] = []
        owners = [(name, owner)]
        for path, owner in owners:
            for attribute in names_of(function.__code__) if _foreign(owner) else ():
                member = getattr(owner, attribute, MISSING)
                if member is MISSING:
                    continue
                if isinstance(owner, type):
                    self._watch(owner.__mro__, attribute)
                    member = member.__func__ if isinstance(member, types.MethodType) and isinstance(member.__self__, type) else member
                if is_data(member):
                    found += self._data(function, f"{path}.{attribute}", member)
                    continue
                found.append(member)
                if not isinstance(owner, type):
                    self.watched.append(Watched(owner, attribute, member))
                inner = isinstance(member, (types.ModuleType, type)) and not _of_python(member)
                if inner and not any(member is other for _, other in owners):
                    owners.append((f"{path}.{attribute}", member))
        return found

    def unchanged(self) -> bool:
        """Whether every watched name still stands for the same object, and every function is still what it was."""
        for read, name, value in self.readers:
            if read(name, MISSING) is not value:
                return False
        for function, code, defaults, named in self.bodies:
            if function.__code__ is not code or function.__defaults__ is not defaults or function.__kwdefaults__ is not named:
                return False
        return True

    def holds(self, data: tuple[Abstract, ...]) -> bool:
        """Whether these abstract values of the data have the functions and classes in them that were looked at."""
        found = known_callables(data)
        return len(found) == len(self.held) and all(one is other for one, other in zip(found, self.held))

    def description(self, arguments: Any) -> list[str]:
        """All of it that a generated text depends on, and the abstract values of the arguments, as text."""
        text = Description()
        bases = dict.fromkeys(base for kind in self.classes for base in kind.__mro__ if is_users(base))
        for known in (*self.functions, *bases):
            text.number(known)
        parts = [*map(text.function, self.functions), *map(text.kind, bases), *map(text.rule, self.rules)]
        parts += [f"{text.number(namespace)} {name}: {text.of(value)}" for namespace, name, value in self.watched if isinstance(name, str)]
        parts += [f"{text.of(function)} {name}" for function, name in self.data]
        parts.append(text.known((arguments, self.data_values())))
        if any(is_of_scipy(value) for _, _, value in self.watched):
            parts.append(sys.modules["scipy"].__version__)
        return parts

    def data_now(self) -> list[Any]:
        """The data read from outside, as they are at this moment."""
        return [current(function, name) for function, name in self.data]

    def data_values(self) -> tuple[Abstract, ...]:
        """The abstract values of the data read from outside (the values themselves are read at each call)."""
        return tuple(abstract(current(function, name), name) for function, name in self.data)


def reader(namespace: Any) -> Callable[[Any, Any], Any]:
    """What reads a name of a namespace, ``read(name, default)``."""
    if isinstance(namespace, dict):
        return namespace.get
    if isinstance(namespace, type):
        return vars(namespace).get
    if isinstance(namespace, types.CellType):
        return lambda name, default: namespace.cell_contents
    return functools.partial(getattr, namespace)


def _count(kind: type, name: str, default: Any) -> int:
    """How many names a class holds."""
    return len(vars(kind))


def _type_in(kind: type, name: str, default: Any) -> type:
    """The type of what a class holds under a name."""
    return type(vars(kind).get(name, default))


def is_data(value: Any) -> bool:
    """Whether a value is read at each call, and what is known of it asked anew; it may hold functions."""
    if isinstance(value, GIVEN_SOME) or is_users(type(value)):
        return True
    return not callable(value) and not isinstance(value, types.ModuleType)


def names_of(code: types.CodeType) -> list[str]:
    """The names that a code reads from outside, and those of attributes; in the lambdas, comprehensions and functions within too."""
    found = [*code.co_names, *code.co_freevars]
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found += [name for name in names_of(inner) if name not in code.co_cellvars]
    return list(dict.fromkeys(found))


def is_of_scipy(value: Any) -> bool:
    """Whether a value is SciPy, one of its modules, or a function of one."""
    scipy = sys.modules.get("scipy.special")
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or ""
    return name.split(".")[0] == "scipy" or scipy is not None and getattr(scipy, getattr(value, "__name__", ""), None) is value


def _foreign(owner: Any) -> bool:
    """Whether a module or a class may hold functions of the user's."""
    return _package(owner) not in ("numpy", "scipy", "math", "builtins", "sourcediff")


def _of_python(owner: Any) -> bool:
    """Whether a module or a class is of Python's own library."""
    return _package(owner) in sys.stdlib_module_names


def _package(owner: Any) -> str:
    """The package that a module or a class is in."""
    module: str = owner.__name__ if isinstance(owner, types.ModuleType) else owner.__module__
    return module.split(".")[0]
