"""From a call to the generated code for it: kinds of arguments, caches, the fall to the eager engine, links."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..runtime.linked_calls import ENGINE


def _answered(name: str, *given: Any) -> Any:
    """What answers a call that generated code makes; imported with the first one, it puts itself in this place."""
    from . import call_derivatives  # noqa: F401

    return ENGINE[name](*given)


_LINKED: dict[str, Callable[..., Any]] = {
    name: partial(_answered, name) for name in ("quick", "pull", "push", "pull_again", "pull_along", "value")
}
ENGINE.update(_LINKED)
