"""Values that are being differentiated as the keys of dicts.

They are found under any number that is equal to them. What a dict (a cache of results, say) holds there was made of that number.
"""

from __future__ import annotations

import operator
import sys
from types import FrameType
from typing import Any

from ...errors import NonDifferentiableError
from ..engine.nodes import Node, Recorded
from .namespaces import Namespace
from .watch import WATCH, looking_up, refused


def note_hashed() -> None:
    """Note where in the program a value was asked for its hash value: what it is then compared with there are keys."""
    frame = _asking()
    WATCH.hashed = None if frame is None else (id(frame), frame.f_lasti)


def refuse_lookup(x: Any, y: Any) -> None:
    """Refuse that one of two equal numbers is found under the other in a dict, unless the graph has them at the same place."""
    frame = _asking()
    if frame is None or WATCH.hashed != (id(frame), frame.f_lasti):
        return
    if looking_up(frame) and not _same_place(_place(x), _place(y)):
        raise refused(NonDifferentiableError(
            "a value that is being differentiated was looked up in a dict, and found under another number that is equal to it",
            why="what the dict holds there was made of that other number: it does not depend on this value",
            remedy="leave a cache of results out of what is differentiated, or look up a number: round(x), int(x)",
        ))


def _asking() -> FrameType | None:
    """The innermost frame of the program, but for what objects say themselves of their hash values and of equality."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and (not isinstance(frame.f_globals, Namespace) or frame.f_code.co_name in ("__hash__", "__eq__")):
        frame = frame.f_back
    return frame


def _place(value: Any) -> Any:
    return value._node if isinstance(value, Recorded) else None


def _same_place(one: Any, two: Any) -> bool:
    """Whether two nodes are one, or two reads of one entry."""
    if one is two or type(one) is not Node or type(two) is not Node:
        return one is two
    entries = one.plan is two.plan and one.plan.rule.function is operator.getitem
    return entries and one.edges == two.edges and repr(one.saved) == repr(two.saved)
