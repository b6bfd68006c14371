"""What a rebound function sees as its globals and modules, what ``globals()`` gives it, and what the text sees that it runs."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...syntax.function import codes
from .run import Run
from .watch import NUMBER, refuse_shown, refused

ASSIGNS_WHY = "a gradient is computed by running the function again, which must not change the program"
ASSIGNS_REMEDY = "return the value instead"


class Namespace(dict[str, Any]):
    """Globals that are looked up in the user's at every read, with what needs it replaced.

    It stays empty but for ``__builtins__``: LOAD_GLOBAL asks ``__missing__`` for everything else.
    """

    def __init__(self, rebinder: Run, original: dict[str, Any]):
        super().__init__(__builtins__=rebinder.builtins)
        self.rebinder = rebinder
        self.known = rebinder.known
        self.original = original

    def __missing__(self, name: str) -> Any:
        if name in self.original:
            value = self.original[name]
            known = self.known.get(id(value))
            return self.rebinder.rebound(value) if known is None else known[1]
        return self.rebinder.builtins[name]


class Globals(Mapping[str, Any]):
    """What ``globals()`` gives: the function's globals as it sees them. Assigning to them is refused."""

    def __init__(self, namespace: Namespace):
        self.namespace = namespace

    def __getitem__(self, name: str) -> Any:
        if name not in self.namespace.original:
            raise KeyError(name)
        return self.namespace[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.namespace.original)

    def __len__(self) -> int:
        return len(self.namespace.original)

    def __setitem__(self, name: str, value: Any) -> None:
        raise refused(UnsupportedSyntaxError(f"the function assigns to the global {name}", why=ASSIGNS_WHY, remedy=ASSIGNS_REMEDY))


class Names(dict[str, Any]):
    """The names that the text given to ``eval`` or ``exec`` sees: of the function that calls it, then its globals."""

    def __init__(self, frame: types.FrameType):
        super().__init__(frame.f_locals)
        self.namespace = frame.f_globals

    def __missing__(self, name: str) -> Any:
        return self.namespace[name]


class ModuleView:
    """A module whose attributes are rebound when they are read. Assigning to one is refused."""

    def __init__(self, rebinder: Run, module: types.ModuleType):
        self.__dict__.update(_rebinder=rebinder, _known=rebinder.known, original=module)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.original, name)
        known = self._known.get(id(value))
        return self._rebinder.rebound(value) if known is None else known[1]

    def __setattr__(self, name: str, value: Any) -> None:
        raise refused(UnsupportedSyntaxError(
            f"the function assigns to {self.original.__name__}.{name}, a module's attribute", why=ASSIGNS_WHY, remedy=ASSIGNS_REMEDY,
        ))

    def __repr__(self) -> str:
        return repr(self.original)


def globals_seen() -> Any:
    """``globals()`` in a library run."""
    namespace = sys._getframe(1).f_globals
    return Globals(namespace) if isinstance(namespace, Namespace) else namespace


def running(function: Any) -> Any:
    """``eval`` or ``exec`` in a library run: the text sees what the function sees that calls it."""

    def called(source: Any, globals: Any = None, locals: Any = None) -> Any:
        frame = sys._getframe(1)
        if isinstance(source, str):
            refuse_shown([sign + number for number in NUMBER.findall(source) for sign in ("", "-")])
        namespace = globals.namespace if isinstance(globals, Globals) else frame.f_globals if globals is None else None
        if namespace is None:
            return function(source, globals, locals)
        code = source if isinstance(source, types.CodeType) else compile(source, "<string>", function.__name__, dont_inherit=True)
        if "STORE_GLOBAL" in {instruction.opname for part in codes(code) for instruction in dis.get_instructions(part)}:
            raise refused(UnsupportedSyntaxError(
                f"the text given to {function.__name__} assigns to a global", why=ASSIGNS_WHY, remedy=ASSIGNS_REMEDY,
            ))
        return function(code, namespace, Names(frame) if locals is None and globals is None else locals)

    return called
