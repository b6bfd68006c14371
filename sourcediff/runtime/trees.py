"""Structures of arrays and numbers: the walk over their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .structures import refilled
from .user_objects import active, is_open, object_with, own


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays and numbers of a structure, with the subscripts and attributes that lead to them.

    >>> list(leaves({"a": [1.0, 2.0]}))
    [("['a'][0]", 1.0), ("['a'][1]", 2.0)]
    """
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, f"{path}[{key!r}]")
    elif isinstance(tree, (list, tuple)) and not hasattr(tree, "more"):
        for i, value in enumerate(tree):
            yield from leaves(value, f"{path}[{i}]")
    elif is_open(tree):
        for name in active(tree):
            yield from leaves(own(tree)[name], f"{path}.{name}")
    elif tree is not None:
        yield path, tree


def mapped(f: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """``f`` of each array of a structure (and of its counterparts in ``others``), in the same structure; None stays None, and so does what
    an object holds that has no gradient.

    >>> import types
    >>> mapped(abs, [types.SimpleNamespace(w=-2.0, name="layer"), -1.0])
    [namespace(w=2.0, name='layer'), 1.0]
    """
    if tree is None:
        return None
    if isinstance(tree, dict):
        return {key: mapped(f, value, *(other[key] for other in others)) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return refilled(tree, [mapped(f, *parts) for parts in zip(tree, *others)])
    if is_open(tree):
        held = [own(each) for each in (tree, *others)]
        return object_with(tree, **{name: mapped(f, *(each[name] for each in held)) for name in active(tree)})
    return f(tree, *others)
