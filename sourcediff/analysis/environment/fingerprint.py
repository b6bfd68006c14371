"""What generated text depends on, as text that any process would write alike: a function or a class goes by the number of its place.

Two functions of one name, or of one code, are then told apart, and where one of them stands twice that is seen.

>>> import math
>>> def scaling(k):
...     return lambda x: k * x
>>> double, triple = scaling(2), scaling(3)
>>> text = Description()
>>> [text.of(function).split()[:2] for function in (double, triple, double)]
[['function', '0'], ['function', '1'], ['function', '0']]
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...rules.frames import Rule, spelling
from ...runtime.derivative import form
from ...runtime.user_objects import getter
from ...syntax.function import MISSING, defaults_of
from ...syntax.sent import constant
from ..abstract import known_callables
from ..abstraction import abstract
from .unchanged import ITSELF, Absent, Bases, Body, ClosureCell, Kind, Member, Word

LITERALS = (int, float, complex, str, bytes, type(None))
"""The types of which values are written as they are: defaults stand so in generated text."""

UNSTEADY = ("__annotat", "__dict__", "__weakref__", "__slotnames__")
"""How the names of members begin that come and go by themselves."""


class Description:
    """Counts the functions, classes and namespaces that it meets, and writes what they are; ``placed``: and in which files."""

    def __init__(self, itself: Any = None, owners: Mapping[int, type] | None = None, placed: bool = True) -> None:
        self.itself = itself
        self.placed = placed
        self.owners = owners or {}
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []  # for as long as they are known by their addresses

    def number(self, value: Any) -> int:
        """The number of an object, by the order in which they were met."""
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.numbers)
            self.kept.append(value)
        return self.numbers[id(value)]

    def of(self, value: Any) -> str:
        """What stands somewhere: a function or a class as a number, a literal as such, of other data what is known when it is read."""
        value = form(self.itself if value is ITSELF else value)
        if isinstance(value, (types.FunctionType, type)):
            return f"{type(value).__name__} {self.number(value)} {named_by_number(value)}"
        if isinstance(value, (staticmethod, classmethod)):
            return f"{type(value).__name__} {self.of(value.__func__)}"
        if (function := getter(value)) is not None:
            setter = getattr(value, "fset", None)
            return f"{type(value).__name__} {self.of(function)}" + (f" {self.of(setter)}" if setter is not None else "")
        if value is MISSING or isinstance(value, Rule):
            return repr(value)
        if isinstance(value, (*LITERALS, np.dtype)):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, re.Pattern):
            return f"Pattern {value.pattern!r} {value.flags}"
        if type(value) in (tuple, list):
            return f"({', '.join(map(self.of, value))})"
        if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is not value:
            return f"module {self.number(value)} {value.__name__}, which no import gives"
        if callable(value) or isinstance(value, types.ModuleType):
            spelled = spelling(value) if hasattr(value, "__name__") else repr(value)
            shown = "" if " at 0x" in spelled else spelled  # an address says nothing elsewhere
            return f"{type(value).__name__} {named_by_number(value)} {shown}"
        return self.known(abstract(value, ""))

    def known(self, values: Any) -> str:
        """Abstract values, with the numbers of the functions and classes in them."""
        return repr((values, [self.of(found) for found in known_callables(values)]))

    def condition(self, condition: Any) -> str:
        """What has to hold at each call; "" for what is described otherwise."""
        if isinstance(condition, (Absent, Body, Bases)) or not isinstance(getattr(condition, "name", ""), str):
            return ""
        if isinstance(condition, ClosureCell):
            return f"{self.of(condition.function)} {condition.position}: {self.of(condition.value)}"
        if isinstance(condition, Word):
            return f"{condition.name}: {self.of(condition.value)}"
        owner = condition.owner if isinstance(condition, Member) else condition.namespace
        owner = self.owners.get(id(owner), owner)
        form = f" {condition.dtype} {condition.rank}" if isinstance(condition, Kind) and condition.dtype is not None else ""
        return f"{self.number(owner)} {condition.name}: {self.of(condition.value)}{form}"

    def function(self, function: types.FunctionType) -> str:
        """A function: its code, its defaults, and the namespaces that it reads."""
        cells = [self.number(cell) for cell in function.__closure__ or ()]
        defaults = [f"{name}={self.of(value)}" for name, value in defaults_of(function).items()]
        runner = getattr(function, "sourcediff", None)  # of a derivative
        of = (repr(runner), self.of(runner.function)) if runner is not None else ()
        return repr((self.of(function), of, described(function.__code__, self.placed), self.number(function.__globals__), cells, defaults))

    def kind(self, kind: type) -> str:
        """A class: the order in which its bases are looked at, and what sort of members it has."""
        members = sorted((name, type(part).__qualname__) for name, part in vars(kind).items() if not name.startswith(UNSTEADY))
        return repr((self.of(kind), [self.of(base) for base in kind.__mro__], type(kind).__qualname__, members))

    def rule(self, rule: Rule) -> str:
        """A rule of one's own: what it is of, its formulas, and what it says of them."""
        formulas = [self.of(formula) for formula in (rule.function, *rule.formulas)]
        said = rule.parameters, rule.differentiable, rule.selects, rule.singular, rule.overflows, rule.sequence, rule.outputs, rule.only
        return repr((rule, formulas, said))


def named_by_number(value: Any) -> str:
    """The module and the name of a function, class or module."""
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', getattr(value, '__name__', ''))}"


def described(code: types.CodeType, placed: bool = True) -> str:
    """A code object as text: what it does, where it stands (provenance depends on that), and with ``placed`` in which file."""
    constants = [described(value, placed) if isinstance(value, types.CodeType) else constant(value) for value in code.co_consts]
    lines = tuple((start, line) for start, _, line in code.co_lines())
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    parameters = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    place = code.co_filename if placed else "", code.co_name, code.co_firstlineno
    return repr((place, parameters, code.co_code, getattr(code, "co_exceptiontable", b""), constants, names, lines))
