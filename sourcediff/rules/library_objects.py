"""Records: what is known of the constant objects of a library's classes (splines, sparse matrices, frozen distributions)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .frames import PARSERS, meet_scipy


class Record(NamedTuple):
    """What is known of the objects of a library's class as constants.

    ``methods``: the function that stands for a method of this name, where that is not the class's own; such a function, and the class's
    own under any other name, may have a rule or a composite, whose first parameter is the object. ``alike``: the attributes and methods
    that give another object of the class (or of a class of the same record).
    """

    kind: type
    methods: Mapping[str, Any]
    alike: frozenset[str]

    def method(self, name: str) -> Any:
        """The function that a method is, called with the object first."""
        return self.methods.get(name) or getattr(self.kind, name, None)


RECORDS: dict[type, Record] = {}
"""Class of a library's → what is known of its objects."""

MAKERS: dict[Any, type] = {}
"""Function → the class of the objects that it makes."""


def record(kind: type, *makers: Any, methods: Mapping[str, Any] | None = None, alike: str = "") -> None:
    """Register a class of a library's, of which constant objects have methods with rules; ``makers`` make such objects."""
    RECORDS[kind] = Record(kind, methods or {}, frozenset(alike.split()))
    MAKERS.update(dict.fromkeys(makers, kind))


def record_for(kind: Any) -> Record | None:
    """What is known of the objects of a class, or of what a function makes; None if nothing is."""
    if str(getattr(kind, "__module__", "")).startswith("scipy.") and not meet_scipy(kind):
        return None
    if isinstance(kind, type):
        return next((RECORDS[base] for base in kind.__mro__ if base in RECORDS), None)
    try:
        return RECORDS[MAKERS[kind]] if kind in MAKERS else None
    except TypeError:  # unhashable
        return None


FROZEN: dict[Any, Record] = {}
"""Distribution of SciPy's → what is known of the constant objects that it makes when it is called."""


def frozen_from(value: Any) -> Any:
    """The distribution that a frozen one is of, None of all else."""
    if not str(type(value).__module__).startswith("scipy.stats.") or not hasattr(value, "dist") or not PARSERS["scipy"]("stats"):
        return None
    return next((known for known in FROZEN if type(known) is type(value.dist) and known.name == value.dist.name), None)


def record_of_object(value: Any) -> Record | None:
    """What is known of an object of a library's, None if nothing is."""
    made_by = frozen_from(value)
    return record_for(type(value)) if made_by is None else FROZEN[made_by]
