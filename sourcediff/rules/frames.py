"""What a rule is, the kinds of Jacobian, and the table.

A rule is a small named function, linear in ``g``, written once; its *kind* gives it both modes::

    @elementwise(np.arctan2)
    def arctan2(g, z, y, x):
        r2 = x**2 + y**2
        return g * x / r2, -g * y / r2

Its parameters are ``g`` (the adjoint of the result), ``z`` (the result) and then the parameters of the NumPy function under
NumPy's own names. It returns one contribution for each of the leading parameters, ``None`` for one that has no derivative;
parameters beyond these are *static*. The body is assignments, then one return. It reads values (``x``) or metadata
(``np.shape(x)``, ``np.ndim(x)``, ``np.size(x)``, ``x.dtype``); what a slice of it reads is what has to be saved.
Broadcasting, dtype and shape restoration belong to the frame of the kind, never to the rule.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import MissingRuleError, NonDifferentiableError
from ..runtime.arrays.broadcasting import contribution
from ..runtime.arrays.library import is_array
from ..runtime.device_facts import FAULTY
from ..runtime.device_functions import WRITTEN
from ..syntax.function import MISSING, current
from .families import written_for

KINDS = ("constant", "elementwise", "reduction", "linear", "multilinear", "general")

Function = Callable[..., Any]


class Rule:
    """The derivative of one NumPy function.

    ``kind`` is one of :data:`KINDS`, ``function`` what it differentiates, ``name`` how generated code spells that
    (``np.linalg.inv``), ``formula`` the rule itself (None for a constant). ``selects``: what is not selected gets a zero
    that stays zero. ``singular``: the local derivative can be infinite, so a zero that passed a selection is guarded;
    ``overflows``: where the argument is large.
    ``sequence``: the first parameter is a sequence of arrays and its contribution a sequence alike. ``outputs``: how many
    results the function has (``g`` and ``z`` are tuples then; 0: a list of any length). ``only``: for a static parameter, the
    values with which the formula is right. ``variants`` holds simpler formulas for fixed ``ranks``. ``holomorphic``: the function
    has a complex derivative, so the formula is right for complex numbers as it stands (linear and multilinear functions are so
    unless they say otherwise); ``for_complex`` is the rule for complex numbers, None where they are refused.
    ``refuses``: parameters on which the function does depend smoothly, though the rule has no derivative for them (None otherwise
    says that it is zero). ``keywords``: what an alias calls otherwise (SciPy's ``x`` is NumPy's ``a``), None for what changes no number
    (``workers``).
    """

    own = False
    """Whether it is a rule from outside of the table, which is held to more (:mod:`sourcediff.rules.own`)."""

    def __init__(
        self, kind: str, function: Function, formula: Function | None, *,
        selects: bool = False, singular: bool = False, overflows: bool = False, sequence: bool = False, outputs: int = 1,
        only: Mapping[str, tuple[Any, ...]] | None = None, holomorphic: bool | None = None, refuses: tuple[str, ...] = (),
    ):
        self.kind = kind
        self.function = function
        self.formula = formula
        self.name = spelling(function)
        self.otherwise_on_device = self.name.startswith("scipy.") or self.name.removeprefix("np.") in {*FAULTY, *WRITTEN}
        self.selects = selects
        self.singular = singular
        self.overflows = overflows
        self.sequence = sequence
        self.outputs = outputs
        self.only = dict(only or {})
        self.refuses = frozenset(refuses)
        self.variants: dict[tuple[int, ...], Rule] = {}
        self.ranks: tuple[int, ...] | None = None
        self.tangent: Function | None = None
        self.family = [self]
        self.keywords: Mapping[str, str | None] = {}
        if holomorphic is None:
            holomorphic = kind in ("constant", "linear", "multilinear")
        self.for_complex: Rule | None = self if holomorphic else None

    def __repr__(self) -> str:
        return f"<{self.kind} rule of {self.name}>"

    @property
    def label(self) -> str:
        """What an error calls the rule."""
        return self.name

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters of the NumPy function that the rule knows, by name and in order."""
        if self.formula is None:
            return {}
        return dict(list(inspect.signature(self.formula).parameters.items())[2:])

    @property
    def of_method(self) -> bool:
        """Whether it is of a method of a library's objects, whose first parameter is the object."""
        return next(iter(self.parameters), "") == "self"

    @property
    def of_objects(self) -> frozenset[str]:
        """The parameters that may be objects of a library's, constant ones."""
        return self.refuses | {"self"} if self.of_method else self.refuses

    @cached_property
    def positional(self) -> list[str]:
        """Those of them that may be given by position."""
        return [name for name, known in self.parameters.items() if known.kind is not inspect.Parameter.KEYWORD_ONLY]

    @property
    def formulas(self) -> tuple[Function | None, ...]:
        """All that is written of it: the formula, the forward formula, and the formula for complex numbers where that is another one."""
        return self.formula, self.tangent, self.for_complex.formula if self.for_complex not in (None, self) else None

    @property
    def namespace(self) -> dict[str, Any]:
        """What the names of the formula stand for."""
        assert self.formula is not None
        return self.formula.__globals__  # type: ignore[attr-defined, no-any-return]

    @cached_property
    def text(self) -> Any:
        """The parsed formula, a :class:`~sourcediff.rules.formula.Formula`."""
        return PARSERS["formula"](self)

    @cached_property
    def forward_text(self) -> Any:
        """The parsed forward formula, a :class:`~sourcediff.rules.formula.Pushforward`."""
        return PARSERS["pushforward"](self)

    @cached_property
    def differentiable(self) -> tuple[str, ...]:
        """The names of the parameters that have a derivative."""
        return () if self.formula is None else self.text.differentiable

    @cached_property
    def flat(self) -> frozenset[str]:
        """The parameters whose derivative the rule states to be zero."""
        stated = [] if self.formula is None else list(self.parameters)[self.of_method:len(self.text.contributions)]
        return frozenset(stated) - frozenset(self.differentiable) - self.refuses

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """A call's arguments by NumPy's parameter names, defaults filled in.

        Raises MissingRuleError for a keyword, or for a keyword's value, that the rule does not know: it is refused, never ignored.
        """
        bound: dict[str, Any] = {}
        names, positional = list(self.parameters), self.positional
        if len(args) > len(positional):
            raise MissingRuleError(
                f"the rule of {self.name} takes {len(positional)} positional arguments, {len(args)} were given",
                why=f"the rule knows {', '.join(names)}", remedy="call it with these only, for one array at a time",
            )
        for name, value in zip(positional, args):
            bound[name] = value
        for name, value in kwargs.items():
            if (meant := self.keywords.get(name, name)) is None:
                continue
            name = meant
            if name not in self.parameters:
                raise MissingRuleError(
                    f"{self.name} has a derivative rule, but not with the keyword {name}=",
                    why=f"the rule knows {', '.join(names)}", remedy=f"call {self.name} without {name}=",
                )
            if name in bound:
                raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
            bound[name] = value
        for name, parameter in self.parameters.items():
            if name not in bound:
                if parameter.default is inspect.Parameter.empty:
                    raise TypeError(f"{self.name}() missing the argument '{name}'")
                bound[name] = parameter.default
        for name in self.only:
            self.check(name, bound[name])
        return {name: bound[name] for name in names}

    def check(self, name: str, value: Any) -> None:
        """Raise MissingRuleError if the formula is not right with this value of a static parameter.

        What is no plain Python value (a tree, in the compiler) is not judged: the compiler asks again with the literal.
        """
        known = self.only.get(name)
        judged = value is None or isinstance(value, (bool, int, float, str))
        if known is not None and (judged and value not in known or is_array(value)):
            raise MissingRuleError(
                f"{self.name} has a derivative rule, but not with {name}={value!r}",
                why=f"the rule is right with {name} = {' or '.join(map(repr, known))} only", remedy=self.instead(name, value),
            )

    def instead(self, name: str, value: Any) -> str:
        """What to write in place of a value that the formula is not right with."""
        if self.parameters[name].default in self.only[name]:
            return f"leave {name} out, or write the function out with others that have rules"
        return f"give {name}={self.only[name][0]!r}, or write the function out with others that have rules"

    def variant(self, ranks: tuple[int | None, ...]) -> Rule:
        """The formula for these numbers of dimensions of the differentiable arguments, else the general one."""
        return self.variants.get(ranks, self) if self.variants else self  # type: ignore[arg-type]

    def over_complex(self) -> Rule:
        """The rule for complex numbers. Raises NonDifferentiableError if there is none: it is refused, never applied regardless."""
        if self.for_complex is None:
            raise NonDifferentiableError(
                f"{self.name} has a derivative rule, but not for complex numbers",
                why="what it does has no complex derivative, or the rule is that of real numbers",
                remedy="apply it to the real and the imaginary part, or to the absolute value: np.real(z), np.imag(z), np.abs(z)",
            )
        return self.for_complex

    def of_complex(self, formula: Function) -> Function:
        """Decorator: the formula for complex numbers, of a function that has no complex derivative (``absolute``) or another one.

        ``g`` is ∂u/∂x − i ∂u/∂y of the result, and what is returned is that of the arguments; a real argument gets the real part.
        Of an elementwise function or a reduction with a real result, the tangent is the real part of the formula's.
        """
        rule = type(self)(
            self.kind, self.function, formula, selects=self.selects, singular=self.singular, overflows=self.overflows,
            sequence=self.sequence, outputs=self.outputs, only=self.only, holomorphic=True,
        )
        vars(rule)["parameters"] = self.parameters
        rule.tangent = self.tangent
        self.for_complex = rule
        return formula

    def pushforward(self, formula: Function) -> Function:
        """Decorator: the forward formula of a ``general`` rule, ``formula(z, *tangents, *parameters)``.

        One tangent, an array (never None), stands for each differentiable parameter, in order.
        """
        for rule in self.family:
            rule.tangent = written_for(rule.function, formula)
        return formula


RULES: dict[Function, Rule] = {}
"""The table: NumPy function → rule."""

OWN: dict[Function, Rule] = {}
"""The rules of one's own: function → rule."""

PARSERS: dict[str, Callable[[Any], Any]] = {}
"""What needs a parser, or SciPy, and is imported when it is first asked for (by ``rules/__init__.py``, which fills this)."""


def rule_for(function: Any) -> Rule | None:
    """The rule of a function, or None."""
    try:
        rule = RULES.get(function)
    except TypeError:  # unhashable: certainly no NumPy function
        return None
    if rule is None and meet_scipy(function):
        rule = RULES.get(function)
    return OWN.get(getattr(function, "__recorded__", function)) if rule is None and OWN else rule


def singleton_name(value: Any) -> str:
    """What a package of SciPy's calls an object that it has for the functions of a family, a distribution like ``stats.norm``; else ''."""
    kind = type(value)
    names = (getattr(value, "name", ""), kind.__name__.removesuffix("_gen")) if str(kind.__module__).startswith("scipy.stats.") else ()
    return next((name for name in names if getattr(sys.modules["scipy.stats"], name, None) is value), "")


def is_singleton(value: Any) -> bool:
    """Whether a value is such an object."""
    return bool(singleton_name(value))


def meet_scipy(function: Any) -> bool:
    """Load the rules of a package of SciPy's when the first of its functions is met; whether there may be one for this function now."""
    if isinstance(function, np.ufunc) and "scipy.special" in sys.modules:
        return PARSERS["scipy"]("special")
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):  # the methods of NumPy's old generators do not say where they are from
        return False
    if module == "math" and function.__name__ in ("erf", "erfc", "gamma", "lgamma"):
        return PARSERS["scipy"]("special")
    return module.startswith("scipy.") and PARSERS["scipy"](module.split(".")[1])


SPELLED = (
    ("numpy.lib.stride_tricks", "np.lib.stride_tricks."),
    ("numpy.linalg", "np.linalg."), ("numpy.fft", "np.fft."), ("numpy", "np."), ("math", "math."),
)


def spelling(function: Function) -> str:
    """How generated code spells a function: ``np.sin``, ``np.linalg.inv``, a helper by its bare name."""
    name = getattr(function, "__name__", type(function).__name__)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{spelling(owner)}.{name}"
    module = getattr(function, "__module__", "") or ""
    if module.startswith("numpy.polynomial."):
        return f"np{module.removeprefix('numpy')}.{name}"
    for prefix, short in SPELLED:
        if module == prefix or module.startswith(prefix + "."):
            return short + name
    if module.startswith("scipy."):
        public = [*itertools.takewhile(lambda part: not part.startswith("_"), module.split("."))][:3]
        return ".".join([*public, *filter(None, [singleton_name(owner)]), name])
    if isinstance(function, np.ufunc):
        scipy = sys.modules.get("scipy.special")
        owners = (("np.", np), ("scipy.special.", scipy))  # a ufunc does not say where it is from
        return next((short + name for short, owner in owners if getattr(owner, name, None) is function), name)
    if module in ("operator", "_operator"):
        return f"operator.{name}"
    return name


def _kind(kind: str) -> Callable[..., Any]:
    def decorator(
        *functions: Function, ranks: tuple[int, ...] | None = None, selects: bool = False, singular: bool = False, overflows: bool = False,
        sequence: bool = False, outputs: int = 1, only: Mapping[str, tuple[Any, ...]] | None = None,
        holomorphic: bool | None = None, refuses: tuple[str, ...] = (),
    ) -> Callable[[Function], Rule]:
        def register(formula: Function) -> Rule:
            made = []
            for function in functions:
                rule = Rule(
                    kind, function, written_for(function, formula),
                    selects=selects, singular=singular, overflows=overflows, sequence=sequence, outputs=outputs,
                    only=only, holomorphic=holomorphic, refuses=refuses,
                )
                if ranks is None:
                    RULES[function] = rule
                else:
                    rule.ranks = ranks
                    RULES[function].variants[ranks] = rule
                made.append(rule)
            made[0].family = made
            return made[0]

        return register

    decorator.__name__ = kind
    decorator.__doc__ = f"Register the formula under it as the {kind} rule of the given functions."
    return decorator


elementwise = _kind("elementwise")
reduction = _kind("reduction")
linear = _kind("linear")
multilinear = _kind("multilinear")
general = _kind("general")


def constant(*functions: Function, holomorphic: bool = True) -> None:
    """Register functions whose derivative is zero everywhere it exists (or that return no numbers)."""
    for function in functions:
        RULES[function] = Rule("constant", function, None, holomorphic=holomorphic)


def alias(function: Function, like: Function, **keywords: str | None) -> None:
    """Give ``function`` (``math.sin``, the builtin ``abs``) the rule of ``like`` (``np.sin``), with its own ``keywords``."""
    known = RULES[like]
    rule = Rule(
        known.kind, function, known.formula, selects=known.selects, singular=known.singular, overflows=known.overflows, only=known.only,
    )
    rule.tangent = known.tangent
    rule.keywords = keywords
    rule.for_complex = rule if known.for_complex is known else known.for_complex
    RULES[function] = rule


def named(module: Any, names: str) -> Iterable[Function]:
    """Those of the functions named (separated by spaces) that this version of NumPy has."""
    return (getattr(module, name) for name in names.split() if hasattr(module, name))


def meaning_of(formula: types.FunctionType, name: str) -> Any:
    """What a name in a formula's text stands for now, or MISSING: NumPy and the helper that its frame adds are always known."""
    if name == contribution.__name__:
        return contribution
    found = current(formula, name)
    return np if found is MISSING and name == "np" else found
