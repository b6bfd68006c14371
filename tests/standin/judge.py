"""How a function's gradient on arrays of the device stands beside the one on arrays of the host."""

from __future__ import annotations

import copy
import types
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError

from . import mapped, to_device, to_host
from .transfers import Transfer, transfers


class Verdict(NamedTuple):
    kind: str
    """``right``, ``refused`` (by an error of the library's own), ``wrong``, ``host`` (right, but an array is NumPy's) or ``error``."""
    said: str = ""
    transfers: tuple[Transfer, ...] = ()
    """What the call copied, without its arguments."""


def numbers(tree: Any) -> list[Any]:
    """The leaves that are arrays or numbers."""
    found: list[Any] = []
    mapped(lambda leaf: found.append(leaf) if hasattr(leaf, "dtype") or isinstance(leaf, (int, float, complex)) else None, tree)
    return found


def same(a: Any, b: Any, rtol: float) -> bool:
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=rtol, atol=1e-12, equal_nan=True)


def on_device(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], wrt: Any, mode: str, rtol: float = 1e-9) -> Verdict:
    """Value and gradient, and the arguments afterwards, on the device, judged by those on the host. Raises what the host's call raises."""
    derived = sourcediff.value_and_grad(function, wrt, mode=mode)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        host = copy.deepcopy((args, kwargs))
        wanted = derived(*host[0], **host[1])
        there = to_device(copy.deepcopy((args, kwargs)))
        placed = derived
        if isinstance(function, types.MethodType):  # whose object is an argument too
            placed = sourcediff.value_and_grad(types.MethodType(function.__func__, to_device(function.__self__)), wrt, mode=mode)
        with transfers() as found:
            try:
                got = placed(*there[0], **there[1])
            except SourcediffError as refusal:
                return Verdict("refused", str(refusal))
            except Exception as error:
                return Verdict("error", f"{type(error).__name__}: {error}", tuple(found))
    for what, one, other in (("value and gradient", got, wanted), ("arguments afterwards", there, host)):
        pairs = numbers(to_host(one)), numbers(to_host(other))
        if len(pairs[0]) != len(pairs[1]) or not all(same(a, b, rtol) for a, b in zip(*pairs, strict=True)):
            return Verdict("wrong", f"{what}: {pairs[0]} for {pairs[1]}", tuple(found))
    if any(isinstance(leaf, np.ndarray) for leaf in numbers(got)):
        return Verdict("host", "", tuple(found))
    return Verdict("right", "", tuple(found))
