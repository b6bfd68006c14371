"""The backward of a rule, run on Variables: so it is recorded, and can be differentiated again."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from ..errors import MissingRuleError, SourcediffError
from ..rules.frames import Rule, rule_for, spelling
from ..rules.own import Names
from .apply import apply
from .graph import Recorded


def recording(rule: Rule, function: Any, helpers: Mapping[str, Any]) -> Any:
    """The same function, with the helpers that it calls recorded; NumPy's functions record by themselves, by protocol."""
    if rule.own:
        assert isinstance(rule.formula, FunctionType)
        scope: dict[str, Any] = Names(rule.formula, lambda value: seen_by_own(value, rule))
    else:
        scope = {name: seen(value) for name, value in function.__globals__.items()}
    scope.update({name: seen(value) for name, value in helpers.items()}, _spread=np.broadcast_to, __builtins__=builtins)
    return FunctionType(function.__code__, scope)


def seen(value: Any) -> Any:
    """What a formula sees instead of a value: a helper, or a function with a rule of one's own, as one that records."""
    known = rule_for(value)
    helper = isinstance(value, FunctionType) and known is not None and not value.__module__.startswith("numpy")
    return (lambda *args, **kwargs: apply(known, args, kwargs)) if helper or known is not None and known.own else value


def seen_by_own(value: Any, rule: Rule) -> Any:
    """What a formula of one's own sees instead of a value."""
    numpys = isinstance(value, (type, np.ufunc)) or str(getattr(value, "__module__", "")).startswith("numpy")
    return seen(value) if numpys or not callable(value) or rule_for(value) is not None else without_rule(value, rule)


def without_rule(function: Any, rule: Rule) -> Any:
    """A function without a rule that a formula calls: it may be NumPy, which records by itself; if it is not, it lacks a rule."""

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except SourcediffError:
            raise
        except Exception as error:
            if not any(isinstance(value, Recorded) for value in (*args, *kwargs.values())):
                raise
            raise MissingRuleError(
                f"{spelling(function)}, which the rule {rule.label} calls, has no derivative rule",
                why=f"for second derivatives, or tangents on this engine, it is given Variables, and said: {error or type(error).__name__}",
                remedy="write a rule for it with sourcediff.extend",
            ) from error

    return called
