"""What is known of the items of a container of the text: objects, lists of them, and references."""

from __future__ import annotations

from typing import Any, NamedTuple


class Record(NamedTuple):
    """The form of an object: its class, and its parts by name or position, each with the form of an object that it is, or None."""

    kind: type
    parts: tuple[tuple[Any, Any], ...]


class Reference(NamedTuple):
    """The form of an object in a pool (``pools.py``): its class; the text has its key."""

    kind: type


class Listing(NamedTuple):
    """The form of a list within a container of the text: that of its items, which have keys."""

    item: Any

    @property
    def kind(self) -> type:
        """What it is."""
        return list


Form = Record | Reference | Listing

KEPT = (Reference, Listing)
"""The forms of what a list of the text may hold as any list does: it may change."""
