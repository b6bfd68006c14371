"""What is known of the results of the user's calls that stay calls: what follows from their bodies, by the kinds of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ...analysis.abstract import UNKNOWN, Abstract, item_of, without_lengths
from ...analysis.abstraction import abstract
from ...analysis.environment.captured import is_user_function
from ...analysis.lengths_given import at_call
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...syntax import nodes as n
from .evaluator import Evaluator

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY)
"""The kinds of parameters that stand for one argument each."""


def linked_call(call: n.Call | None, args: Abstract, values: Evaluator) -> Abstract:
    """What a call gives that is not written out, and whose derivative is linked."""
    if call is None or type(args.items) is not tuple:
        return UNKNOWN
    function, moving = values.scope.resolve(call.args[1]), constant(call.args[2])
    given = tuple(map(without_lengths, args.items))
    if not inspect.isfunction(function) or moving is MISSING or None in given:
        return UNKNOWN
    return at_call(values.scope.returned(function, moving, given), dict(zip(inspect.signature(function).parameters, args.items)))


def user_call(node: n.Call, function: Any, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """What a call of the user's gives of which nothing is differentiated; UNKNOWN of a generator."""
    return UNKNOWN if inspect.isgeneratorfunction(function) else returned(node, function, values, environment)


def generated(node: n.expr, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """What a generator of the user's gives one after the other, of which nothing is differentiated; UNKNOWN of all else."""
    made = values.scope.once.get(node.id) if isinstance(node, n.Name) else node
    function = values.scope.resolve(made.func) if isinstance(made, n.Call) else None
    if not isinstance(made, n.Call) or not inspect.isgeneratorfunction(function):
        return UNKNOWN
    return item_of(returned(made, function, values, environment))


def returned(node: n.Call, function: Any, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """What the body of a function returns; of a generator a list of what it gives."""
    if values.scope.returned is None or not is_user_function(function) or any(isinstance(part, n.Starred) for part in node.args):
        return UNKNOWN
    if all(function is not known for known in values.scope.watched()):
        return UNKNOWN
    parameters = inspect.signature(function).parameters
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    given = dict(zip(parameters, node.args)) | named
    if not given.keys() <= parameters.keys() or any(each.kind not in NAMED for each in parameters.values()):
        return UNKNOWN
    kinds = [values.of(given[name], environment) if name in given else abstract(each.default, "") for name, each in parameters.items()]
    values.scope.followed.append(function)
    found = values.scope.returned(function, (), tuple(without_lengths(kind) or UNKNOWN for kind in kinds))
    return at_call(found, dict(zip(parameters, kinds)))
