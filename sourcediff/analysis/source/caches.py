"""Functions that keep what they have computed: by a decorator, or in a dict of their own."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...syntax import nodes as n
from ...syntax.source import read
from ..environment.captured import is_user_function
from ..scope import bound_names


def keeps_results(function: Any) -> bool:
    """Whether a function hands on what it keeps for its next call."""
    return isinstance(function, functools._lru_cache_wrapper) or is_user_function(function) and has_cache(read(function).tree)


def has_cache(tree: n.FunctionDef) -> bool:
    """Whether a function fills a dict of the module's with what is not there yet."""
    return any(isinstance(part, n.Subscript) and isinstance(part.ctx, n.Store) and fills_cache(tree, part) for part in n.walk(tree))


def fills_cache(tree: Any, entry: Any) -> bool:
    r"""Whether a store fills a dict of the module's with what is not there yet: whoever asks gets the same before and after.

    >>> from sourcediff.syntax.quote import statements
    >>> def stored(text):
    ...     tree, = statements(text)
    ...     return fills_cache(tree, next(part for part in n.walk(tree) if isinstance(part, n.Subscript)))
    >>> stored("def f(k):\n    if k not in cache:\n        cache[k] = g(k)\n    return h(k)")
    True
    >>> stored("def f(k):\n    cache[k] = g(k)\n    return h(k)")
    False
    """
    if not isinstance(entry, n.Subscript) or not isinstance(entry.value, n.Name) or entry.value.id in bound_names(tree):
        return False

    def asks(test: Any, operator: type) -> bool:
        plain = isinstance(test, n.Compare) and isinstance(test.ops[0], operator) and n.dump(test.left) == n.dump(entry.slice)
        return plain and getattr(test.comparators[0], "id", None) == entry.value.id

    def within(body: Sequence[n.stmt], absent: bool) -> bool:
        for node in body:
            if isinstance(node, n.If):
                if within(node.body, absent or asks(node.test, n.NotIn)) or within(node.orelse, absent or asks(node.test, n.In)):
                    return True
                absent = absent or asks(node.test, n.In) and isinstance(node.body[-1], n.Return)
            elif entry in n.walk(node):
                return absent and isinstance(node, n.Assign)
        return False

    return within(tree.body, False)
