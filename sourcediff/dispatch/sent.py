"""Generated text that travels with a derivative: where it arrives, nothing has to be compiled for the kinds of calls that were answered.

A text is found there by a key that says all that it was made of, but for the files in which functions stood; of another version of
Python, NumPy or sourcediff, or of other functions, it is not found, and the compiler is asked as ever. It is as trustworthy as the
pickle that it came in, which may run anything.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..runtime.function_cache import MOST, known, twin
from ..syntax.sent import Sent, arrive, digest

if TYPE_CHECKING:
    from .dispatcher import Dispatcher

_texts: dict[str, str] = {}


def text_for(dispatcher: Dispatcher, arguments: Any, data: Any, surroundings: Any, library: str) -> str | None:
    """The text that has come for a request, if one has."""
    return _texts.get(dispatcher.key(arguments, data, surroundings, sent=True, library=library)) if _texts else None


class Parcel:
    """What is sent with a derivative: the source of its functions, and what has been generated for them. Unpickled it takes effect."""

    def __init__(self, sources: Mapping[str, Sent], texts: Mapping[str, str]):
        self.sources = sources
        self.texts = texts

    def __reduce__(self) -> Any:
        return unpacked, ({key: tuple(sent) for key, sent in self.sources.items()}, self.texts)


def unpacked(sources: Mapping[str, Any], texts: Mapping[str, str]) -> Parcel:
    """A parcel that has arrived."""
    found = {key: Sent(*sent) for key, sent in sources.items()}
    arrive(found)
    for key, text in texts.items():
        while len(_texts) >= 16 * MOST:
            _texts.pop(next(iter(_texts)))
        _texts[key] = text
    return Parcel(found, texts)


def parcel_of(maker: Any) -> Parcel:
    """What is to be sent with a derivative that ``maker`` answers for: the sources and texts of its function and of all that this calls."""
    from ..syntax.source import to_send
    from .dispatcher import Dispatcher

    sources: dict[str, Sent] = {}
    texts: dict[str, str] = {}
    seen: list[Any] = []
    pending: list[Any] = [maker]
    while pending:
        part = pending.pop()
        if any(part is other for other in seen):
            continue
        seen.append(part)
        if isinstance(part, Dispatcher):
            if part.reference() is None:  # the function is gone
                continue
            pending += part.made.surroundings.functions
            for (arguments, data, library, assuming, settled), entry in list(part.made.entries.items()):
                pending += entry.surroundings.functions
                named = tuple(zip(part.parameters, arguments))
                key = part.key(named, data, entry.surroundings, sent=True, library=library, assuming=assuming, settled=settled)
                texts[key] = entry.loaded.text
        elif not isinstance(part, types.FunctionType):  # what answers for a derivative
            pending += filter(None, (part.function, *map(vars(part).get, ("dispatcher", "gradient"))))
            pending += [made.sourcediff for made in vars(part).get("made", {}).values()]
        elif (runner := getattr(part, "sourcediff", None)) is not None:
            pending += [runner, *made_of(part)]
        else:
            pending += made_of(part)
            if not str(part.__module__).startswith("sourcediff.") and (sent := to_send(part)) is not None:
                sources[digest(part.__code__)] = sent
    return Parcel(sources, texts)


def made_of(function: types.FunctionType) -> Iterator[Any]:
    """The dispatchers, and the functions, that have been made of a function."""
    from .dispatcher import Dispatcher

    for value in [value for one in {id(one): one for one in (function, twin(function))}.values() for value in (known(one) or {}).values()]:
        if isinstance(value, types.FunctionType):
            yield value
        for held in (value, getattr(value, "dispatcher", None), *values_of(getattr(value, "dispatchers", None))):
            if isinstance(held, Dispatcher):
                yield held


def values_of(found: Any) -> Iterable[Any]:
    """The values of a dict, nothing of anything else."""
    return found.values() if isinstance(found, dict) else ()
