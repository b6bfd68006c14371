"""Rules of one's own: what a formula that is not of the table is held to, and how its names are found.

The table's formulas are tested as a whole (``tests/rules``); one from outside is read when it is registered, and what it gives is
looked at each time it is used.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from ..errors import Place, RuleError, SourcediffError, UnsupportedSyntaxError
from ..syntax.function import MISSING, definition
from .frames import OWN, Function, Rule, meaning_of, rule_for, spelling


class FormulaNames(dict[str, Any]):
    """The names that a formula reads from outside, each looked up when it is read; a dict, since functions want one.

    ``seen`` makes of each value what the formula is to see.

    >>> import numpy as np
    >>> def formula(g, z, x):
    ...     return g * slope
    >>> slope = 2.0
    >>> FormulaNames(formula)["np"] is np
    True
    """

    def __init__(self, formula: types.FunctionType, seen: Callable[[Any], Any] = lambda value: value):
        super().__init__()
        self.formula = formula
        self.seen = seen

    def __missing__(self, name: str) -> Any:
        value = meaning_of(self.formula, name)
        if value is MISSING:
            raise KeyError(name)
        return self.seen(value)


class OwnRule(Rule):
    """A rule that the table does not have. ``label`` says where it is written, for errors while it runs."""

    own = True

    @property
    def namespace(self) -> dict[str, Any]:
        """What the names of the formula stand for now."""
        return FormulaNames(self.formula)  # type: ignore[arg-type]

    @property
    def label(self) -> str:
        """The rule's name and line: ``drag_rule (flow.py:12)``."""
        assert self.formula is not None
        return labelled(self.formula)

    @cached_property
    def forward_text(self) -> Any:
        """The parsed forward formula, an :class:`~sourcediff.rules.vanishing.OwnPushforward`."""
        from .vanishing import OwnPushforward

        return OwnPushforward(self)

    def pushforward(self, formula: Function) -> Function:
        """Decorator: the forward formula, ``formula(z, *tangents, *parameters)``, of a ``general`` rule."""
        tangents = len(self.differentiable)
        checked_text(formula)
        given = list(inspect.signature(formula).parameters)
        if len(given) != 1 + tangents + len(self.parameters) or given[1 + tangents:] != list(self.parameters):
            raise rule_refusal(
                formula, f"the forward formula of {self.name} takes ({', '.join(given)})",
                f"it takes the result, a tangent for each of {', '.join(self.differentiable)}, and then the function's own parameters",
                f"write def {formula.__name__}(z, {', '.join(['d' + name for name in self.differentiable] + list(self.parameters))})",
            )
        vars(self).pop("forward_text", None)
        return super().pushforward(formula)

    def of_complex(self, formula: Function) -> Function:
        """Decorator: the formula for complex numbers; see :meth:`Rule.of_complex`."""
        checked_text(formula)
        super().of_complex(formula)
        return formula


def register(kind: str, function: Any, formula: Any, options: Mapping[str, Any]) -> OwnRule:
    """Enter a formula as the rule of a function; it replaces an earlier one. Raises RuleError for a formula that is no rule."""
    function = getattr(function, "__recorded__", function)
    known = rule_for(function)
    if known is not None and not known.own:
        raise rule_refusal(
            formula, f"{spelling(function)} has a rule already", "every program relies on the rules of the table",
            "give a function of your own that calls it a rule",
        )
    contributions = checked_text(formula)
    rule = OwnRule(kind, function, formula, **options)
    given = list(inspect.signature(formula).parameters.values())
    if [parameter.name for parameter in given[:2]] != ["g", "z"]:
        raise rule_refusal(
            formula, f"the rule of {rule.name} takes ({', '.join(parameter.name for parameter in given)})",
            "a rule takes g, the adjoint of the result, z, the result, and then the function's own parameters",
            f"write def {formula.__name__}(g, z, …)",
        )
    vars(rule)["parameters"] = checked_parameters(rule, {parameter.name: parameter for parameter in given[2:]})
    checked_contributions(rule, contributions)
    rule.refuses = frozenset(list(rule.parameters)[:contributions]) - frozenset(rule.differentiable)
    OWN[function] = rule
    return rule


def register_constant(function: Any) -> None:
    """Enter a function whose derivative is zero."""
    function = getattr(function, "__recorded__", function)
    known = rule_for(function)
    if known is not None and not known.own:
        raise RuleError(f"{spelling(function)} has a rule already", why="every program relies on the rules of the table")
    OWN[function] = OwnRule("constant", function, None)


def checked_text(formula: Any) -> int:
    """The number of contributions of a formula. Raises RuleError unless its text is assignments, then one return."""
    from ..syntax import nodes as n
    from ..syntax.source import read

    if not isinstance(formula, types.FunctionType):
        raise RuleError(f"a rule is a function, not a {type(formula).__name__}", remedy="write it with def")
    try:
        if formula.__name__ == "<lambda>":
            raise UnsupportedSyntaxError("a lambda is no rule", places=[definition(formula, "a rule has a name")])
        source = read(formula)
    except SourcediffError as error:
        raise RuleError(
            f"the text of the rule {formula.__name__} cannot be read", why=error.problem, places=error.places,
            remedy="write it with def, in a file or a notebook cell",
        ) from None
    body = [s for s in source.tree.body if not (isinstance(s, n.Expr) and isinstance(s.value, n.Constant))]
    last = body[-1] if body else source.tree
    odd = next((s for s in body[:-1] if not isinstance(s, n.Assign) or not isinstance(s.targets[0], n.Name)), None)
    if odd is None and (not isinstance(last, n.Return) or last.value is None):
        odd = last
    if odd is not None:
        raise RuleError(
            f"the rule {formula.__name__} is not assignments and then one return",
            places=[source.place(odd, "this is something else", "the compiler writes the rule's own text into gradients",
                                 "compute it in a function of its own, and call that")],
        )
    return len(last.value.elts) if isinstance(last.value, n.Tuple) else 1


def checked_parameters(rule: Rule, mine: dict[str, inspect.Parameter]) -> dict[str, inspect.Parameter]:
    """The parameters that a rule knows, with the function's own defaults. Raises RuleError where names or places differ."""
    assert rule.formula is not None
    try:
        theirs = dict(inspect.signature(rule.function).parameters)
    except (ValueError, TypeError):  # of a function in C, which does not say
        return mine
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in theirs.values()):
        return mine
    places = list(theirs)
    for position, (name, parameter) in enumerate(mine.items()):
        by_keyword = parameter.kind is parameter.KEYWORD_ONLY
        if name not in theirs or not by_keyword and places[position] != name:
            raise rule_refusal(
                rule.formula, f"the rule of {rule.name} knows {', '.join(mine)}", f"{rule.name} takes ({', '.join(theirs)})",
                "give them the function's own names, in its order",
            )
    return {name: theirs[name] for name in mine}


def checked_contributions(rule: Rule, count: int) -> None:
    """Raise RuleError unless the contributions fit the parameters and the kind."""
    assert rule.formula is not None
    names = list(rule.parameters)
    if count > len(names):
        raise rule_refusal(
            rule.formula, f"the rule of {rule.name} returns {count} contributions",
            f"it takes {len(names)} parameters after g and z: {', '.join(names) or 'none'}",
            "return one for each, in order, and None for one without a derivative",
        )
    if not rule.differentiable:
        raise rule_refusal(rule.formula, f"the rule of {rule.name} returns nothing but None", "then no derivative goes through it",
                      f"write constant({rule.name})")
    if rule.kind == "reduction" and rule.differentiable != (names[0],):
        raise rule_refusal(rule.formula, f"the reduction {rule.name} has derivatives for {', '.join(rule.differentiable)}",
                      "a reduction is of one array, its first parameter", "write a general rule")
    if rule.kind in ("elementwise", "reduction") and rule.outputs != 1:
        raise rule_refusal(rule.formula, f"the {rule.kind} rule of {rule.name} has {rule.outputs} outputs",
                      "what such a function gives is one array", "write a general rule")


def rule_refusal(formula: Any, problem: str, why: str, remedy: str) -> RuleError:
    """The error of a formula that is no rule, with its line."""
    places: list[Place] = [definition(formula, "the rule is written here")] if isinstance(formula, types.FunctionType) else []
    return RuleError(problem, why=why, remedy=remedy, places=places)


def labelled(formula: Any) -> str:
    """A formula's name and line: ``drag_rule (flow.py:12)``."""
    code = formula.__code__
    return f"{formula.__name__} ({code.co_filename.replace(chr(92), '/').rpartition('/')[2]}:{code.co_firstlineno})"
