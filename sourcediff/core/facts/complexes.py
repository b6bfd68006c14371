"""Complex numbers: which values of a program may be complex, as far as its text and its arguments tell."""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, holds_complex
from ...analysis.abstraction import is_complex_record
from ...analysis.applications import METADATA, application
from ...analysis.complex_data import CONTAINERS, MAPPINGS, is_complex_data, parts_of_data
from ...analysis.environment.captured import Surroundings, is_user_function
from ...analysis.literals import POWERS, constant, folded
from ...analysis.scope import MISSING, Scope
from ...analysis.source.out_arguments import among
from ...analysis.statements import base, entry_put_in, grown, simple, target_names, targets
from ...rules.facts import FACTS
from ...rules.frames import RULES, rule_for
from ...rules.library_functions import composite_for
from ...rules.library_objects import record_for
from ...runtime.user_objects import CLOSED, is_users
from ...syntax import nodes as n
from ...syntax.function import codes
from .values import Values

MOVING = frozenset({np.fft.fftshift, np.fft.ifftshift, np.fft.fftfreq, np.fft.rfftfreq})
"""Functions beside the Fourier transforms that are none."""

GIVING = frozenset({"numpy.fft", "numpy.lib.scimath", "cmath", "pickle", "_pickle"})
"""Modules of functions that may give complex numbers where real ones go in; SciPy's may, those with a rule aside."""

NAMED = frozenset("Polynomial cmath dft eig eigs eigvals emath fft freqz hankel1 hankel1e hankel2 hankel2e hilbert lambertw load loads "
                  "logm poly1d roots scimath sort_complex sph_harm sph_harm_y sqrtm wofz".split())
"""And the names of such functions and modules, by which they are known elsewhere; every function of ``numpy.polynomial`` with a name
that ends in ``roots`` is one."""

TRANSFORMS = frozenset("fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn ihfft hilbert".split())
"""The names of functions of SciPy's with a rule that give them."""

OF_MATRICES = frozenset("fractional_matrix_power funm ordqz qz rsf2csf schur signm".split())
"""The names of those among the functions of ``scipy.linalg``."""

CODES = frozenset("complex complex64 complex128 complex192 complex256 csingle cdouble clongdouble c8 c16 c24 c32 D G".split())
"""The names of complex dtypes, but for "F", which may mean an order too."""

OF_TABLES = frozenset({"pandas", "xarray"})
"""Packages that give complex numbers for complex ones only, or where they are read from a file or a text."""

KNOWN = {*sys.stdlib_module_names, "numpy", "scipy", ""}
"""Packages of which it is known which functions, written in other languages, give complex numbers."""

REAL = frozenset(RULES[function].formula for function in FACTS["real"] if function in RULES) - {None}
"""The rules of functions that give real numbers of complex ones: SciPy's inverse transforms have those of NumPy's."""

POLYNOMIALS = (np.poly1d, np.polynomial.polynomial.Polynomial)
"""What has roots."""


class Complexes:
    """``names``: those that may hold complex numbers.

    They come from complex arguments and constants, from dtypes that say so, from roots of negative constants, and from functions that
    give complex numbers of real ones: Fourier transforms, eigenvalues, whatever of SciPy has no rule, and functions of unknown packages
    that are not written in Python. What is not among the names is certainly real (but for a power of a negative Python number that is
    no constant); what is among them may be real after all, where its dtype is not known.
    """

    def __init__(self, body: list[n.stmt], values: Values, arguments: Mapping[str, Abstract]):
        self.scope: Scope = values.scope
        self.functions: dict[Any, bool] = {}
        self.names = {name for name, known in arguments.items() if holds_complex(known) or self.gives_complex(known)}
        nodes = list(simple(body))
        count = -1
        while count < len(self.names):
            count = len(self.names)
            for node in nodes:
                self._spread(node, values)

    def _spread(self, node: n.stmt, values: Values) -> None:
        if isinstance(node, n.For):
            if self.may_be(node.iter):
                self.names |= target_names(node.target)
        elif isinstance(node, (n.Assign, n.AugAssign)):
            if self.may_be(node.value):
                names = {name for target in targets(node) for name in target_names(target) or {base(target) or ""}}
                self.names |= {name for name in names if not _is_real(values, node, name)}
        elif (parts := grown(node)) is not None and self.may_be(entry_put_in(node)):
            self.names.add(parts)

    def gives_complex(self, known: Abstract) -> bool:
        """Whether methods of the objects that an argument is, or holds, may give complex numbers."""
        if known.kind == "object":
            kind, held, _ = known.items
            return self.known_complex(kind.value) or any(self.gives_complex(part) for _, part in held)
        if known.kind == "mapping":
            return any(self.gives_complex(part) for _, part in known.items or ())
        items = known.items if type(known.items) is tuple else (known.items,)
        return known.kind == "sequence" and any(self.gives_complex(part) for part in items if isinstance(part, Abstract))

    def may_be(self, node: n.AST) -> bool:
        """Whether the value of an expression may be complex."""
        if isinstance(node, n.Name):
            return node.id in self.names or self.known_complex(self.scope.lookup(node.id))
        if isinstance(node, n.Constant):
            return isinstance(node.value, complex) or isinstance(node.value, str) and node.value.lstrip("<>=|") in CODES
        if isinstance(node, n.Subscript) and any(self.scope.resolve(node.value) is grid for grid in GRIDS):
            items = node.slice.elts if isinstance(node.slice, n.Tuple) else [node.slice]
            ends = [[item.lower, item.upper] if isinstance(item, n.Slice) else [item] for item in items]
            return any(end is not None and self.may_be(end) for part in ends for end in part)  # a step says how many there are
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant):
            return self.may_be(node.value)
        if isinstance(node, n.keyword) and node.arg == "dtype" and constant(node.value) == "F":
            return True
        if isinstance(node, n.Attribute):
            found = self.scope.resolve(node)
            if found is not MISSING:
                return self.known_complex(found)
            return node.attr not in NEVER and self.may_be(node.value)
        if isinstance(node, n.Call):
            applied = application(node, self.scope)
            function = applied.function if applied is not None else None
            if applied is not None and applied.rule is not None and (function in FACTS["real"] or applied.rule.formula in REAL):
                return False
            if among(function, POWERS) and len(node.args) == 2:
                return self.may_be(n.BinOp(left=node.args[0], op=n.Pow(), right=node.args[1]))
        if isinstance(node, n.BinOp) and isinstance(node.op, n.Pow) and isinstance(folded(node, self.scope.once), complex):
            return True
        return not isinstance(node, n.Compare) and any(self.may_be(part) for part in n.below(node))

    def known_complex(self, value: Any) -> bool:
        """Whether something from outside is, holds or gives complex numbers; of a function it is asked once."""
        if not isinstance(value, (types.FunctionType, type)):
            return value is not MISSING and _holds_complex(value)
        if value not in self.functions:
            self.functions[value] = _holds_complex(value)
        return self.functions[value]


GRIDS = (np.mgrid, np.ogrid, np.r_, np.c_)
"""What makes arrays of slices, in which a complex step is a number of points."""

NEVER = {"real", "imag", *METADATA} - {"dtype"}
"""Attributes that are real whatever they are of. (A dtype makes what is made with it complex.)"""


def _is_real(values: Values, node: n.stmt, name: str) -> bool:
    """Whether a name is certainly not complex after a statement."""
    known = values.after[node].get(name, UNKNOWN)
    return known.dtype is not None and known.dtype.kind != "c"


def _gives_complex(function: Any, seen: tuple[Any, ...]) -> bool:
    """Whether a function may give complex numbers where real ones go in."""
    if isinstance(function, functools._lru_cache_wrapper):  # which keeps what the function returned
        function = function.__wrapped__
    if among(function, FACTS["real"]) or among(function, MOVING) or any(function is other for other in seen):
        return False
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    if module.startswith("scipy.linalg"):
        return name in NAMED | OF_MATRICES
    if module in GIVING or module.split(".")[0] == "scipy":
        unknown = not any(known(function) for known in (rule_for, composite_for, record_for))
        return unknown or module == "numpy.fft" or name in TRANSFORMS | NAMED
    if isinstance(function, types.BuiltinFunctionType) and module.split(".")[0] not in KNOWN:
        return rule_for(function) is None
    if isinstance(function, types.FunctionType) and module.split(".")[0] in CLOSED:
        return module.split(".")[0] not in OF_TABLES or name.startswith(("read", "eval"))
    if is_user_function(function):
        read = Surroundings(function)
        constants = [part for inner in read.functions for code in codes(inner.__code__) for part in code.co_consts]
        found = [value for value in read.values if not is_user_function(value)]
        return bool(read.names & NAMED) or any(_holds_complex(value, (*seen, function)) for value in [*constants, *found, *read.data_now()])
    return name in NAMED or module.startswith("numpy.polynomial") and name.endswith("roots")


def _holds_complex(value: Any, seen: tuple[Any, ...] = (), within: bool = False) -> bool:
    """Whether something from outside the program is complex, holds complex numbers, or stands for their type, or for what gives them;
    ``within`` data of which it is known that none in them are.
    """
    if isinstance(value, POLYNOMIALS) or not within and is_complex_data(value):
        return True
    if isinstance(value, type):
        return issubclass(value, (complex, np.complexfloating, *POLYNOMIALS)) or any(
            _holds_complex(part, (*seen, value)) for part in _members(value) if value not in seen)
    if record_for(type(value)) is not None:
        return is_complex_record(value)
    if any(value is other for other in seen):
        return False
    if is_users(type(value)):
        return _holds_complex(type(value), (*seen, value)) or _holds_complex(getattr(value, "__dict__", {}), (*seen, value), True)
    if isinstance(value, (*CONTAINERS, *MAPPINGS, enum.Enum)):
        return any(_holds_complex(part, (*seen, value), True) for part in parts_of_data(value))
    return callable(value) and _gives_complex(value, seen)


def _members(kind: type) -> list[Any]:
    """What the classes of the user's hold of which an object of a class may be one: they, and what they are derived from."""
    kinds: list[type] = [*kind.__mro__]
    found: list[Any] = []
    for each in kinds:
        if is_users(each):
            kinds += set(each.__subclasses__()).difference(kinds)
            found += [getattr(part, "__func__", getattr(part, "fget", getattr(part, "func", part))) for part in vars(each).values()]
    return found
