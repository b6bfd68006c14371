"""What a call changes in place without a trace in the program: lists and arrays that the reverse sweep cannot give back as they were."""

from __future__ import annotations

import builtins
from collections.abc import Mapping

from ...analysis.abstract import UNKNOWN
from ...analysis.applications import method_application
from ...analysis.scope import MISSING
from ...analysis.source.effects import CHANGING_METHODS
from ...analysis.source.mutated_names import written_into
from ...analysis.source.out_arguments import among
from ...analysis.statements import base, shrunk
from ...rules.facts import FACTS
from ...runtime.user_objects import is_own
from ...syntax import nodes as n
from .aliases import Aliases
from .distinct_entries import CONTAINERS


def written_by_calls(node: n.stmt, aliases: Aliases) -> dict[str, bool]:
    """The names of what the calls of a statement change: ``x = d.pop(k, 0)``, ``i = heapq.heappop(q)``; and whether it is a container
    of which what it holds is left alone."""
    if node not in aliases.by_calls:
        aliases.by_calls[node] = _written_by_calls(node, aliases)
    return aliases.by_calls[node]


def _written_by_calls(node: n.stmt, aliases: Aliases) -> dict[str, bool]:
    resolve = aliases.scope.resolve
    found: dict[str, bool] = {}
    value = node.value if isinstance(node, (n.Assign, n.AugAssign)) else None
    for call in (part for part in n.walk(value) if isinstance(part, n.Call)) if value is not None else ():
        function = resolve(call.func)
        if function is builtins.next:  # what an iterator goes over is left alone
            continue
        applied = method_application(call, aliases.scope)
        if function is not MISSING and is_own(function) or applied is not None and applied.rule is not None:
            continue
        method = function is MISSING and isinstance(call.func, n.Attribute) and call.func.attr in CHANGING_METHODS
        if method and call is value and (name := shrunk(node)) is not None and may_be_list(name, node, aliases):
            continue
        out = (keyword.value for keyword in call.keywords if keyword.arg == "out")
        for changed in [call.func.value] if method else [*written_into(call, resolve), *out]:
            given = base(changed)
            for name in aliases.sources(changed, node) if given is None else {given}:
                container = aliases.values.before[node].get(name, UNKNOWN).kind in CONTAINERS
                found[name] = container and (method or among(function, FACTS["exchanges"])) and found.get(name, True)
    return found


def seen_through(written: Mapping[str, bool], node: n.stmt, aliases: Aliases) -> set[str]:
    """The names through which these changes by a statement are seen."""
    return set(written) | {other for name, alone in written.items() for other in aliases.of(name, node)
                           if not alone or holds(other, name, node, aliases)}


def holds(other: str, name: str, node: n.stmt, aliases: Aliases) -> bool:
    """Whether a list may be what another name stands for at a statement, or be in it."""
    known = aliases.values.before.get(node, {}).get(other, UNKNOWN)
    return known.kind != "array" and not known.scalar and aliases.identity.may_reach(name, other)


def may_be_list(name: str, node: n.stmt, aliases: Aliases) -> bool:
    """Whether a name stands for a list before a statement, as far as the compiler has made it, or knows."""
    known = aliases.values.before[node].get(name, UNKNOWN)
    return known.kind == "sequence" or name in aliases.scope.tapes | aliases.scope.copies
