"""Run a function and look at its local variables before and after each of its statements."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .listing import Line, Listing

Seen = dict[str, Any]
Look = Callable[[Line, Mapping[str, Any]], Seen]


class WatchedStep(NamedTuple):
    """One execution of a statement: what was looked at before and after it."""

    line: Line
    before: Seen
    after: Seen


class Watcher:
    """Collects the steps of the first call of a code object. ``before`` and ``after`` say what to keep of the local variables."""

    def __init__(self, code: types.CodeType, listing: Listing, before: Look, after: Look):
        self.code = code
        self.listing = listing
        self.before = before
        self.after = after
        self.steps: list[WatchedStep] = []
        self.failed: Line | None = None
        self._frame: types.FrameType | None = None
        self._line: Line | None = None
        self._seen: Seen = {}

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call the function and watch. A debugger's or coverage's own trace function is back in place afterwards."""
        others = sys.gettrace()
        sys.settrace(self._called)
        try:
            return function(*args, **kwargs)
        finally:
            sys.settrace(others)
            self._frame = None

    def _called(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code is not self.code or self._frame is not None:
            return None
        self._frame = frame
        return self._local

    def _local(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.failed = None
            line = self.listing.at(frame.f_lineno)
            if line is None or line is self._line and not line.loop:
                return self._local  # a statement over several lines
            self._finish(frame)
            self._line, self._seen = line, self.before(line, frame.f_locals)
        elif event == "exception":
            self.failed = self._line
        elif event == "return" and self.failed is None:
            self._finish(frame)
        return self._local

    def _finish(self, frame: types.FrameType) -> None:
        if self._line is not None:
            self.steps.append(WatchedStep(self._line, self._seen, self.after(self._line, frame.f_locals)))
        self._line = None
