"""Moving a Variable between the computer's own memory and a GPU's: recorded, as PyTorch's ``cuda()`` and ``cpu()`` are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import DeviceError
from ...rules.facts import FACTS
from ...runtime.arrays import blank, is_foreign
from ...runtime.device_facts import in_library
from .graph import WalkStep, record
from .nodes import Recorded
from .variable import Variable

CREATING = FACTS["creates"] | FACTS["converts"] | {np.tri, np.diag}
"""NumPy's functions that make arrays of what is none: on a device they make them there."""


def cuda(self: Variable) -> Any:
    """The Variable on the GPU (its data a ``cupy.ndarray``): itself, where it is there already. Gradients come back with it.

    Raises ImportError where CuPy is missing, DeviceError where it finds no GPU.
    """
    try:
        import cupy
    except ImportError as error:
        raise ImportError("Variable.cuda() needs CuPy: pip install 'sourcediff[cuda12]' (or cuda13), for NVIDIA GPUs") from error
    if is_foreign(self._value):
        return self
    try:
        data = cupy.asarray(self._value)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError(
            "Variable.cuda() found no GPU that it can use", why=f"CuPy is installed, but CUDA says: {error}",
            remedy="check the driver with nvidia-smi, or stay on NumPy arrays: leave .cuda() out",
        ) from error
    return moved(self, data, "cuda", lambda g, _: fetched(g))


def cpu(self: Variable) -> Any:
    """The Variable in the computer's own memory: itself, where it is there already. Gradients go back to where it was."""
    data = self._value
    if not is_foreign(data):
        return self
    return moved(self, data.get(), "cpu", lambda g, like: sent(g, *like), blank((0,), data))


def moved(variable: Any, data: Any, name: str, back: Callable[[Any, Any], Any], *saved: Any) -> Any:
    """The Variable of the same values in another memory; ``back`` moves an adjoint: an array or, to be recorded, a Variable."""
    node = variable._node
    if variable.requires_grad:
        node = record(WalkStep(name, back), (node,), saved)
    return variable._result(data, node, None, (), {})


def fetched(g: Any) -> Any:
    """An adjoint brought from the GPU."""
    return cpu(g) if isinstance(g, Recorded) else g.get()  # type: ignore[arg-type]  # what is recorded is a Variable


def sent(g: Any, like: Any) -> Any:
    """An adjoint brought to where ``like`` is."""
    if isinstance(g, Recorded):
        return moved(g, np.asarray(g._value, like=like), "cuda", lambda h, _: fetched(h))
    return np.asarray(g, like=like)


def on_device_instead(function: Any) -> Any:
    """The function of the device's library by the name of one of NumPy's, which it must have."""
    return in_library(function.__name__)
