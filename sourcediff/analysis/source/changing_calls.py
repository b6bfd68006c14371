"""Which calls of a library change an array that they are given."""

from __future__ import annotations

import builtins
import types

from ...syntax import nodes as n
from ...syntax.container_methods import MUTATING
from ..scope import MISSING, Scope
from .effects import CHANGING
from .out_arguments import among, goes_out


def alters(call: n.Call, scope: Scope) -> bool:
    """Whether a call of a library's changes an array that it is given.

    >>> from sourcediff.syntax.quote import expression
    >>> alters(expression("np.add(a, b, out=c)"), Scope()), alters(expression("a.sum()"), Scope())
    (True, False)
    """
    function = scope.resolve(call.func)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    out = keywords.get("out")
    if out is not None and not (isinstance(out, n.Constant) and out.value is None):
        return True
    if goes_out(call, function) or isinstance(call.func, n.Attribute) and call.func.attr in ("shuffle", "at"):
        return True
    if function is MISSING:
        return isinstance(call.func, n.Attribute) and call.func.attr in MUTATING["array"]
    if among(function, CHANGING):
        return function not in (builtins.next, builtins.print, builtins.input, builtins.open)
    return isinstance(function, types.MethodDescriptorType) and function.__name__ in MUTATING["array"]
