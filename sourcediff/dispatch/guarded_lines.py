"""Errors on lines that a ``try`` of the user's would have caught."""

from __future__ import annotations

from ..backends.python import generated_frames
from ..backends.python import origin as blamed_on
from ..errors import HandledError, Place, SourcediffError
from ..runtime.whose_error import from_outside


def would_be_caught(error: Exception, tried: dict[str, tuple[str, ...]]) -> SourcediffError | None:
    """The refusal of a call in which something was raised that the function itself would have caught; None if it would not."""
    if not tried or from_outside(error):
        return None
    origins = [found for frame in generated_frames(error) if (found := blamed_on(*frame)) is not None]
    kinds = {f"{kind.__module__}:{kind.__qualname__}" for kind in type(error).__mro__}
    if isinstance(error, NameError):  # an attribute of an object that is made in the function is a name in generated code
        kinds.add("builtins:AttributeError")
    guarded = [origin for origin in origins if kinds & set(tried.get(f"{origin.label}:{origin.line}", ()))]
    if not guarded:
        return None
    origin = guarded[-1]
    name = type(error).__name__
    place = Place(origin.path, origin.line, None, origin.text, f"{name}: {error}", "a handler would have caught it here")
    return HandledError(
        f"{name} was raised in a try, of which the compiler takes the way without exceptions alone", places=[place],
        remedy="use mode='eager', or test the condition with if", at_run_time=True,
    )
