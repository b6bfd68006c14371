"""Which iterables can be iterated twice, and backwards; all others are recorded while they are iterated."""

from __future__ import annotations

import builtins
import itertools
from collections import deque
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.bindings import is_method
from ...analysis.scope import MISSING, Scope
from ...analysis.source.out_arguments import among
from ...analysis.statements import loads, target_names
from ...runtime.arrays.library import is_plain_array
from ...runtime.structures import copied, recorded
from ...syntax import nodes as n
from ...syntax.quote import expression

WHOLE = (
    builtins.range, builtins.list, builtins.tuple, builtins.sorted, builtins.set, builtins.frozenset, builtins.dict, deque,
    copied, recorded, np.ndindex, np.nditer, np.ndenumerate,
)
"""What holds, or counts, all of its items from the beginning."""

LAZY = (
    builtins.enumerate, builtins.zip, builtins.reversed, itertools.chain, itertools.combinations, itertools.permutations,
    itertools.combinations_with_replacement, itertools.product, itertools.zip_longest, itertools.pairwise,
)
"""What has an end, calls nothing, and takes its items from what it is given."""

DATA = (str, bytes, list, tuple, dict, range, set, frozenset, deque)


class Iterables:
    """Knows of expressions whether their items can be asked for again. ``undescribed``: parameters of which nothing is told."""

    def __init__(self, scope: Scope, undescribed: Container[str], kinds: Callable[[n.expr, n.stmt], Abstract]):
        self.scope = scope
        self.undescribed = undescribed
        self.kinds = kinds

    def lasts(self, node: n.expr, at: n.stmt) -> bool:
        """Whether it is certain that an iterable has the same items when it is gone over once more, and uses nothing up.

        A generator, a file, a table of another library (whose ``reversed`` may go by labels), what a function returns that is not
        known: these do not, or may not.
        """
        if isinstance(node, n.Name) and node.id in self.undescribed:
            return True
        if isinstance(node, (n.Constant, n.List, n.Tuple, n.Set, n.Dict, n.ListComp, n.SetComp, n.DictComp)):
            return True
        if isinstance(node, n.GeneratorExp):
            return all(self.lasts(part.iter, at) for part in node.generators)
        if isinstance(node, n.Call):
            return self.lasting_call(node, at)
        if isinstance(node, (n.Name, n.Attribute)) and (outside := self.scope.resolve(node)) is not MISSING:
            return type(outside) in DATA or is_plain_array(outside)
        if isinstance(node, n.IfExp):
            return self.lasts(node.body, at) and self.lasts(node.orelse, at)
        return self.is_known(node, at)

    def repeats(self, node: n.expr, at: n.stmt) -> bool:
        """Whether an iterable that lasts may be written a second time, as in ``list(rows)``, too: nothing in it is used up by that."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        if among(function, (builtins.range, np.ndindex)):
            return True
        if among(function, LAZY) and not node.keywords:
            return all(self.repeats(part, at) for part in node.args)
        bound = {name for part in n.walk(node) if isinstance(part, n.comprehension) for name in target_names(part.target)}
        return all(self.is_settled(name, at) for name in loads(node) - bound)

    def is_settled(self, name: str, at: n.stmt) -> bool:
        """Whether a name stands for something that is certainly not used up by going over it."""
        node = expression(name)
        if name in self.undescribed or (outside := self.scope.resolve(node)) is not MISSING and not hasattr(outside, "__next__"):
            return True
        return outside is MISSING and self.kinds(node, at).kind not in ("unknown", "foreign", "mixed")

    def lasting_call(self, node: n.Call, at: n.stmt) -> bool:
        """The same of what a call gives."""
        function = self.scope.resolve(node.func)
        if among(function, WHOLE):
            return True
        if among(function, LAZY):
            return all(self.lasts(part, at) for part in node.args)
        if function in (builtins.map, builtins.filter) and node.args:
            return all(self.lasts(part, at) for part in node.args[1:])
        if function is MISSING and (is_method(node, "keys") or is_method(node, "values") or is_method(node, "items")):
            return self.kinds(node.func.value, at).kind == "mapping"
        if self.of_numpy(function):
            return True
        return self.is_known(node, at)

    def of_numpy(self, function: Any) -> bool:
        """Whether a function gives arrays, or lists of them."""
        module = (getattr(function, "__module__", None) or "").split(".")[0]
        return isinstance(function, np.ufunc) or module == "numpy" and not isinstance(function, type) and function is not np.load

    def is_known(self, node: n.expr, at: n.stmt) -> bool:
        """Whether an expression is known to give an array, a list, a tuple or a dict."""
        return self.kinds(node, at).kind in ("array", "sequence", "mapping")
