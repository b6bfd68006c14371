"""Leave calls that are not inlined as calls, linked to their derivatives: recursion, and functions that the compiler does not take.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def power(x, k):
...     return x if k == 1 else x * power(x, k - 1)
>>> print(text_after("unbound_names", power, args=(2.0, 3)))
if k == 1:
    t = x
else:
    link = with_pullback((x, k - 1), power, (0,))
    value1 = result(link)
    t = x * value1
value = t

The call has a rule (``rules/calls.py``): its result is as any other function's. What the function may change in place is no result, so a
function that does that is not linked.
"""

from __future__ import annotations

import inspect
import types
from typing import NamedTuple

from ...analysis.source.lasting_effects import leaves_state
from ...analysis.source.mutated_names import copied_first, touched
from ...errors import SourceUnavailableError
from ...runtime import linked_calls as calls
from ...syntax import nodes as n
from ...syntax.quote import expression, names, place
from ...syntax.source import read
from ..room import Room

RESUMED = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
"""What asks for functions of which a call gives no value yet."""

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Linking(NamedTuple):
    """How calls are linked: ``forward``, to their tangents; ``islands``: also of functions that the compiler does not take. ``parting``:
    dicts of numbers may be differentiated entry by entry."""

    forward: bool = False
    islands: bool = False
    parting: bool = False


INSIDE = Linking()
"""What is linked for a gradient: calls of functions that the compiler takes."""


class LinkedCalls(Room):
    """Knows which calls can stay calls."""

    def linked(self, function: types.FunctionType, node: n.Call) -> n.expr | None:
        """The value of a call that is not written out; None where it cannot be linked."""
        if self.unlinked(function, node):
            return None
        self.scope.followed.append(function)
        parameters = inspect.signature(function, follow_wrapped=False).parameters
        given = dict(zip(parameters, node.args))
        given.update({keyword.arg: keyword.value for keyword in node.keywords})
        if len(node.args) > len(parameters) or not given.keys() <= parameters.keys():
            return None
        args: list[n.expr] = []
        for name, parameter in parameters.items():
            if name not in given:
                if type(parameter.default) not in (bool, int, float, str, type(None)):
                    return None
                given[name] = n.Constant(value=parameter.default, kind=None)
            args.append(self.operand(given[name], always=True) if self.carries(given[name]) else given[name])
        moving = tuple(position for position, argument in enumerate(args) if self.carries(argument))
        call = calls.with_tangent if self.state.linking.forward else calls.with_pullback
        positions = expression(repr(moving))
        parts = [n.Tuple(elts=args, ctx=n.Load()), node.func, positions]
        made = place(n.Call(func=expression(self.scope.imported(call.__name__, call)), args=parts, keywords=[]), node)
        link = self.bound(self.scope.fresh("link"), made, node)
        value = n.Call(func=expression(self.scope.imported("result", calls.result)), args=[link], keywords=[])
        return self.bound(self.scope.fresh("value"), place(value, node), node)

    def unlinked(self, function: types.FunctionType, node: n.Call) -> str:
        """Why a call cannot stay a call; "" if it can."""
        if any(asked(function) for asked in RESUMED):
            return "a call of it gives no value yet"
        if not all(part.kind in POSITIONAL for part in inspect.signature(function, follow_wrapped=False).parameters.values()):
            return "it takes arguments by keyword alone, or any number of them"
        if changes_state(function):
            return "it may change an argument in place, or something from outside"
        return "" if self.is_at_hand(node) else "it is given a function or an object that is made while the program runs"

    def is_at_hand(self, node: n.Call) -> bool:
        """Whether the generated text has names for the function of a call and for all that it is given."""
        given = names([*node.args, *(keyword.value for keyword in node.keywords)])
        opaque = {*self.state.instances, *self.state.functions, *self.state.partly}
        return getattr(node.func, "id", "") not in self.state.standing_in and not given & opaque


def changes_state(function: types.FunctionType) -> bool:
    """Whether a function may change an argument, or something from outside, as far as its source tells; of arguments it is made sure of
    when it runs. Without source it may do anything."""
    if hasattr(function, "__island__") or hasattr(function, "__noinline__"):
        return False
    try:
        source = read(function)
    except SourceUnavailableError:
        return True
    parameters = inspect.signature(function, follow_wrapped=False).parameters
    return leaves_state(source) or bool((touched(source, n.walk(source.tree)) - copied_first(source)) & parameters.keys())
