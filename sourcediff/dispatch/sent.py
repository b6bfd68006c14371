"""Generated text that travels with a derivative: where it arrives, nothing has to be compiled for the kinds of calls that were answered.

A text is found there by a key that says all that it was made of, but for the files in which functions stood; of another version of
Python, NumPy or sourcediff, or of other functions, it is not found, and the compiler is asked as ever. It is as trustworthy as the
pickle that it came in, which may run anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..runtime.function_cache import MOST
from ..syntax.sent import Sent, arrive

_texts: dict[str, str] = {}


def text_for(key: Callable[[], str]) -> str | None:
    """The text that has come for a request, by what its ``key`` would be as it is sent, if one has."""
    return _texts.get(key()) if _texts else None


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
