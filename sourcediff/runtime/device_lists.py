"""Lists of arrays and numbers as the functions of a device's library take them."""

from __future__ import annotations

from typing import Any

from .arrays.library import on_device, to_device


def gathered(values: Any) -> Any:
    """A list of which some arrays or numbers lie on a device, with all of them there; anything else as it is.

    >>> gathered([1.0, 2.0])
    [1.0, 2.0]
    """
    return [sent(part) for part in values] if isinstance(values, (list, tuple)) and holds_device(values) else values


def sent_each(values: Any) -> Any:
    """The items of a list or tuple as arrays on the device; an array as it is."""
    return [sent(part) for part in values] if isinstance(values, (list, tuple)) else values


def holds_device(values: Any) -> bool:
    """Whether some of what a list holds lies on a device."""
    return any(holds_device(part) if isinstance(part, (list, tuple)) else on_device(part) for part in values)


def sent(part: Any) -> Any:
    """An item of a list as an array on the device."""
    return part if on_device(part) else to_device(gathered(part))
