"""Hooks: functions of the user's that see the gradient when it is known, and may replace it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import InPlaceError, NonDifferentiableError
from ...runtime.arrays import is_array, is_host_array, on_device
from .apply import raw
from .graph import HOOKED
from .mutation import REWRITTEN
from .nodes import Recorded
from .variable import Variable, on_graph
from .views import refresh

ADDING = threading.RLock()
"""Held while a gradient is added to what ``grad`` has: two threads may come to one Variable. Reentrant: a finalizer may walk a graph."""


class Hook:
    """What ``register_hook`` gives: calling it, or its ``remove``, takes the hook off again."""

    def __init__(self, node: Any, called: Callable[[Any], Any]):
        self._node = weakref.ref(node)
        self._called = called

    def remove(self) -> None:
        """Take the hook off; a second time does nothing."""
        hooks = getattr(self._node(), "hooks", [])
        if self._called in hooks:
            hooks.remove(self._called)

    __call__ = remove


class Keep:
    """The hook of ``retain_grad``: it comes after all others, and adds to ``grad`` what they have left."""

    def __init__(self, variable: Variable):
        self.variable = weakref.ref(variable)
        self.node = weakref.ref(variable._node)

    def __call__(self, g: Any) -> None:
        variable = self.variable()
        if variable is not None and variable._node is self.node():  # not changed in place since
            own = np.copy(g) if is_array(raw(g)) else g  # type: ignore[call-overload]
            gradient = own if isinstance(own, Recorded) else on_graph(own, None)
            with ADDING:
                have = variable.grad
                variable._grad = gradient if have is None else have + gradient  # type: ignore[attr-defined]


def register_hook(variable: Variable, hook: Callable[[Variable], Any]) -> Hook:
    """Call ``hook(gradient)`` when this Variable's gradient is known; what it returns, unless None, replaces it.

    The gradient is a Variable of its own, which cannot be written to. Several hooks are called in the order of registration.
    Returns a handle: calling it, or its ``remove()``, takes the hook off. Raises NonDifferentiableError without requires_grad.
    """

    def called(g: Any) -> Any:
        recording = isinstance(g, Recorded)
        try:
            given = hook(sealed(g) if recording else on_graph(guarded_hook(g), None))
        except ValueError as error:
            if "read-only" in str(error):
                raise read_only("a hook", "return g.clamp(-1, 1)") from error
            raise
        if given is None:
            return None
        replacement = fitting(given, raw(g))
        if not recording:
            return replacement
        if not isinstance(given, Recorded):
            return on_graph(replacement, None)
        return given[...] if is_array(replacement) else given  # type: ignore[index]  # a view: the user has that one

    hooks = hooks_of(variable, "a hook")
    hooks.insert(len(hooks) - any(isinstance(hook, Keep) for hook in hooks), called)
    return Hook(variable._node, called)


def retain_grad(variable: Variable) -> None:
    """Keep the gradient of this Variable in ``grad``, though it is no leaf, as its hooks leave it.

    Raises NonDifferentiableError without requires_grad.
    """
    hooks = hooks_of(variable, "retain_grad")
    if not variable.is_leaf and not any(isinstance(hook, Keep) for hook in hooks):
        hooks.append(Keep(variable))


def hooks_of(variable: Variable, what: str) -> list[Callable[[Any], Any]]:
    """The hooks at a Variable's node. Raises NonDifferentiableError if it does not require grad."""
    if REWRITTEN:
        refresh(variable)
    if not variable.requires_grad:
        raise NonDifferentiableError(
            f"{what} needs a Variable that requires grad", why="no gradient ever comes to this one",
            remedy="make it with Variable(data, requires_grad=True), or of such Variables",
        )
    node = variable._node
    if not hasattr(node, "hooks"):
        node.hooks = []
    if not HOOKED:
        HOOKED.append(True)
    return node.hooks  # type: ignore[no-any-return]


def read_only(who: str, instead: str) -> InPlaceError:
    """The error for a user's code that wrote to a gradient that it was given, or to another array that cannot be written to."""
    return InPlaceError(
        f"{who} would change a read-only array, as the gradient is that it is given", why="others may have been given the same array",
        remedy=f"return what is to take its place: {instead}",
    )


def sealed(g: Any) -> Any:
    """An adjoint for a user's code to read: the same memory, which cannot be written to through it."""
    if isinstance(g, Recorded):
        return on_graph(sealed(g._value), g._node)
    if not is_host_array(g):
        return g.copy() if on_device(g) else g  # which cannot be sealed
    seen = g.view()
    seen.flags.writeable = False
    return seen


def guarded_hook(g: Any) -> Any:
    """A gradient for a hook to see, and to keep: a copy that cannot be written to."""
    return sealed(np.copy(g)) if is_array(g) else g


def fitting(given: Any, g: Any) -> Any:
    """What a hook returned, in the dtype of the gradient ``g`` that it replaces. Raises NonDifferentiableError if it cannot be one."""
    value = raw(given)
    kind = getattr(value, "dtype", None) or np.asarray(value).dtype
    if np.shape(value) != np.shape(g) or kind.kind not in ("biufc" if np.iscomplexobj(g) else "biuf"):
        raise NonDifferentiableError(
            f"a hook returned a {type(value).__name__} ({kind}, of shape {np.shape(value)}) for a gradient of shape {np.shape(g)}",
            why="what a hook returns takes the gradient's place", remedy="return a gradient like it, or None to leave it as it is",
        )
    if not hasattr(g, "dtype"):
        return type(g)(value)
    return np.asarray(value, g.dtype, like=g)[...] if is_array(g) else g.dtype.type(value)  # a view: others may have that array
