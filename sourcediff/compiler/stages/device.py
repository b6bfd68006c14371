"""The passes over programs on arrays of a device: NumPy's numbers, the library's arrays, and where it waits."""

from __future__ import annotations

import numpy as np

from ...core.tidy import device_arguments as arguments
from ...core.tidy import device_numbers as numbers
from ...core.tidy import device_waits as waits
from ..device_library import arrays_of_function, refuse_stores
from ..unit import Unit
from .known import known_of, values_anywhere


def device_numbers(unit: Unit) -> None:
    """Give a program on arrays of a device NumPy's numbers."""
    assert unit.derived is not None
    if unit.request.library == "numpy":
        return
    refuse_stores(unit)
    given = [*unit.parameters, *unit.opened, *unit.scope.free]
    body, back = numbers.device_numbers(unit.derived.body, list(unit.derived.back), unit.scope, known_of(unit), given)
    unit.derived = unit.derived._replace(body=body, back=back)


def device_arguments(unit: Unit) -> None:
    """Give the functions of a device's library arrays where NumPy's take numbers and lists."""
    assert unit.derived is not None
    if unit.request.library != "numpy":
        body, back = unit.derived.body, list(unit.derived.back)
        numpy = unit.scope.imported("np", np)
        write = arguments.DeviceArguments([*body, *back], unit.scope, numpy, values_anywhere(unit), arrays_of_function)
        unit.derived = unit.derived._replace(body=write.block(body), back=write.block(back))


def device_waits(unit: Unit) -> None:
    """Mark where a program on arrays of a device waits for them."""
    assert unit.derived is not None
    if unit.request.library != "numpy":
        write = waits.DeviceWaits(unit.scope, [*unit.derived.body, *unit.derived.back], unit.environment)
        unit.derived = unit.derived._replace(body=write.block(unit.derived.body), back=write.block(list(unit.derived.back)))
