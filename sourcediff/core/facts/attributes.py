"""What is known of attributes of objects from outside."""

from __future__ import annotations

from ...analysis.abstract import UNKNOWN, Abstract, is_constant, of_entries
from ...analysis.environment.stored_attributes import stored_attributes
from ...analysis.scope import Scope


def attribute_of(owner: Abstract, name: str, scope: Scope) -> Abstract:
    """What is known of a number or an array that an object holds, of which nothing that runs stores to the attribute; of what a partial
    is given.
    """
    if owner.kind == "bound" and name == "keywords":
        return of_entries(dict(owner.items[2]))
    if owner.kind == "bound" and name == "args":
        return Abstract("sequence", items=tuple(part for _, part in owner.items[1]))
    known = dict(owner.items[1] or ()).get(name, UNKNOWN) if owner.kind == "object" else UNKNOWN
    if known.kind not in ("array", "numpy", "python"):
        return UNKNOWN
    if is_constant(owner.items[0].value):
        return known
    stored = stored_attributes(scope.watched())
    return UNKNOWN if stored is None or name in stored else known
