"""What is sent with a derivative to another process: the sources of its functions, and the texts that were generated for them."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from ..runtime.function_cache import known, twin
from ..syntax.sent import Sent, digest
from .dispatcher import Dispatcher
from .sent import Parcel


def parcel_of(maker: Any) -> Parcel:
    """What is to be sent with a derivative that ``maker`` answers for: the sources and texts of its function and of all that this calls."""
    from ..syntax.source import to_send

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
    for value in [value for one in {id(one): one for one in (function, twin(function))}.values() for value in (known(one) or {}).values()]:
        if isinstance(value, types.FunctionType):
            yield value
        for held in (value, getattr(value, "dispatcher", None), *values_of(getattr(value, "dispatchers", None))):
            if isinstance(held, Dispatcher):
                yield held


def values_of(found: Any) -> Iterable[Any]:
    """The values of a dict, nothing of anything else."""
    return found.values() if isinstance(found, dict) else ()
