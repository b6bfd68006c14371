"""Print a derived program: its imports, where each line comes from, and what a call has to look at before it runs."""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

import numpy as np

from .. import runtime
from ..analysis.abstract import UNKNOWN, known_callables
from ..analysis.environment.captured import is_user_function
from ..analysis.environment.patched import is_exchanged
from ..analysis.scope import CALLED, MISSING, Scope
from ..backends.python import entry_name, source_head
from ..core.derive.zero_length_marks import straight
from ..core.prepare.unbound_names import unneeded
from ..core.tidy.joined_statements import joined
from ..core.tidy.one_name import one_name
from ..core.tidy.one_tape import one_tape
from ..core.tidy.own_names import own_names
from ..frontend.read.unsupported import refusal
from ..frontend.room import Block
from ..naming import is_name, is_path_of_names, label
from ..rules.frames import rule_for, spelling
from ..runtime.checks import check_length
from ..runtime.derivative import form
from ..syntax import nodes as n
from ..syntax.quote import expression, names
from ..syntax.text import block_lines
from ..version import __version__
from .device_library import HELPERS, on_device, refuse_missing
from .unit import Unit
from .watching import number_of_reader

UNGUARDED = "UNGUARDED = True  # 0 * inf is NaN here, and where that is in the gradient, a text that keeps zeros is run"


def write(unit: Unit) -> None:
    """Print it, with what it imports and where each line comes from."""
    assert unit.derived is not None and unit.source is not None
    with_builtins(unit)
    refuse_exchanged(unit)
    back = unit.derived.back
    body = [*unit.opening(unit.derived.body), *(unneeded(unit.derived.body) if unit.scope.checked else unit.derived.body)]
    body, back = straight(body, unit.scope), straight(back, unit.scope)
    if unit.request.tidy and not unit.inside:
        body, back = (own_names(part, unit.scope.tapes, unit.scope.fresh) for part in (body, back))
        body, back = (tidied(part, unit) for part in one_tape([body, back], unit.scope.tapes, unit.scope.fresh))
    used = set().union(*map(names, [*body, *back]))
    device = unit.request.library != "numpy"
    quiet = [] if device else unit.quiet
    numpy = unit.scope.imported("np", np) if quiet else ""
    used |= {numpy} if quiet else set()
    imports: list[str] = []
    helpers: dict[str, list[str]] = {}
    unit.captured = []
    for free in sorted(used & set(unit.scope.free)):
        value = unit.scope.free[free].value
        text = imported(free, value, unit.importing)
        if text is not None and device:
            text = on_device(text)
        if text is None:
            unit.captured.append(free)
        elif text:
            imports.append(text)
    for helper in sorted(used & set(unit.scope.helpers)):
        value = unit.scope.helpers[helper]
        if isinstance(value, types.ModuleType):
            if helper not in unit.scope.free:
                text = f"import {value.__name__} as {helper}"
                imports.append(on_device(text) if device else text)
        else:
            own = value.__name__
            module = (HELPERS if device else runtime.__name__) if getattr(runtime, own, None) is value else value.__module__
            helpers.setdefault(module, []).append(helper if helper == own else f"{own} as {helper}")
    at = f"{label(unit.source.file)}:{unit.source.tree.lineno}"
    lines = [f'"""{unit.request.title(unit.function)} Written by sourcediff {__version__}."""', ""]
    files = dict.fromkeys([unit.source.file, *files_of([*body, *back])])
    lines += source_head({label(file): file for file in files}).rstrip("\n").split("\n")
    for group in (imports, [f"from {module} import {', '.join(members)}" for module, members in helpers.items()]):
        lines += ["", *sorted(set(group))] if group else []
    parameters = ", ".join([*unit.parameters, *unit.tangents, *([unit.count] if unit.count else []), *unit.captured])
    # where the derivative is infinite, the zero of what was not selected is kept without a warning
    silent = [f"@{numpy}.errstate({', '.join(f'{kind}={chr(39)}ignore{chr(39)}' for kind in quiet)})"] if quiet else []
    lines += ["", "", *silent, f"def {unit.request.entry(unit.function)}({parameters}):  # {at}"]
    lines += block_lines(body, 1, [""])
    if back:
        pullback_name = entry_name(unit.function, "back")
        lines += ["", "", *silent, f"def {pullback_name}(tape, {unit.scope.bar(unit.output)}):  # {at}"]
        lines += block_lines(list(back), 1, [""])
    if unit.captured and not unit.inside:
        where = {free: (number_of_reader(unit.scope.free[free], unit), unit.scope.free[free].name) for free in unit.captured}
        lines += ["", "", f"CAPTURED = {where!r}  # by the number of the function that reads it, and the name there"]
    for title, changed in (("MUTATED", unit.derived.mutated), ("RESIZED", unit.derived.resized)):
        if changed:
            roots = [unit.opened[name][0].replace("[", ".").split(".")[0] if name in unit.opened else name for name in changed]
            named = tuple(unit.scope.free[root].name if root in unit.scope.free else root for root in dict.fromkeys(roots))
            lines += ["" if lines[-1].startswith(("CAPTURED", "MUTATED")) else "\n", f"{title} = {named!r}"]
    assert unit.values is not None
    if device:
        refuse_missing(unit)
    if pairs := assumed_equal(unit):
        lines += ["" if unit.captured or lines[-1].startswith(("MUTATED", "RESIZED")) else "\n", equalities(pairs)]
    if taken := [(symbol, "==", str(dim)) for symbol, dim in unit.same.items()] + [
            (str(one), "<=", str(other)) for one, other in unit.scope.ordered]:
        lines += ["" if lines[-1].startswith(("CAPTURED", "MUTATED", "RESIZED", "EQUAL")) else "\n", f"ASSUMED = {tuple(sorted(taken))!r}"]
    if unit.scope.tried:
        above = ("CAPTURED", "MUTATED", "RESIZED", "EQUAL", "ASSUMED")
        lines += ["" if lines[-1].startswith(above) else "\n", f"TRIED = {tried(unit.scope)!r}"]
    if unit.settled:
        lines += ["\n", f"SETTLED = {unit.settled!r}"]
    if unit.scope.unguarded:
        lines += ["" if lines[-1].startswith(("CAPTURED", "EQUAL", "ASSUMED", "TRIED")) else "\n", UNGUARDED]
    unit.text = "\n".join(lines) + "\n"


def tidied(body: Block, unit: Unit) -> Block:
    """A body as one reads it best; nothing is derived of it any more."""
    given = {"tape", unit.scope.bar(unit.output), *unit.parameters, *unit.tangents, *unit.opened, *dir(builtins)}
    bars = [bar for name, bar in unit.scope.bars.items() if name in unit.user_names]
    body = one_name(body, {*given, *unit.scope.free, *unit.scope.helpers}, unit.user_names, bars, functions_of(unit), unit.scope.checked)
    check = next((name for name, value in unit.scope.helpers.items() if value is check_length), "")
    return joined(body, check, unit.user_names, unit.entries)


def functions_of(unit: Unit) -> set[str]:
    """The names of modules and functions that a program calls, and may be imported."""
    return {name for name, free in unit.scope.free.items() if imported(name, free.value) is not None} | set(unit.scope.helpers)


def refuse_exchanged(unit: Unit) -> None:
    """Refuse to write a formula with a function of NumPy's that the program has exchanged for another one.

    What the program calls itself by such a name, and nothing is derived of, means the other one.
    """
    assert unit.derived is not None
    for node in [*unit.derived.body, *unit.derived.back]:
        for part in n.walk(node):
            module = unit.scope.resolve(part.value) if isinstance(part, n.Attribute) else None
            if isinstance(module, types.ModuleType) and is_exchanged(module, part.attr):
                value = getattr(module, part.attr, None)
                if rule_for(value) is not None or is_user_function(value):
                    error = refusal(unit.function, [unit.pointer(
                        node, f"{module.__name__}.{part.attr} is not what it was, and the derivative is written with it",
                        "it was exchanged for another function", "put the other one under a name of its own",
                    )])
                    error.at_run_time = True  # the eager engine knows no better
                    raise error


def with_builtins(unit: Unit) -> None:
    """Call the builtins that parameters of the user's hide by names of their own."""
    assert unit.derived is not None
    hidden = {name for name in CALLED.intersection(unit.parameters) if not known_callables(unit.environment.get(name, UNKNOWN))}
    for node in [*unit.derived.body, *unit.derived.back] if hidden else ():
        for part in n.walk(node):
            if isinstance(part, n.Call) and isinstance(part.func, n.Name) and part.func.id in hidden:
                part.func = expression(unit.scope.imported(part.func.id, getattr(builtins, part.func.id)))


def assumed_equal(unit: Unit) -> tuple[tuple[str, ...], ...]:
    """The pairs of lengths that Python, taking values apart, and NumPy, were no forward sweep left out, would insist on being equal."""
    assert unit.values is not None
    whole = unit.request.value or unit.request.mode != "reverse"
    return tuple(sorted(tuple(sorted(pair)) for pair in unit.equal.union(unit.scope.equal, () if whole else unit.values.equal)))


def tried(scope: Scope) -> dict[str, tuple[str, ...]]:
    """The lines that a ``try`` guards, and by their names the exceptions that it would catch there."""
    return {f"{label(file)}:{line}": tuple(f"{kind.__module__}:{kind.__qualname__}" for kind in kinds)
            for (file, line), kinds in sorted(scope.tried.items())}


def files_of(body: Block) -> list[str]:
    """The files that the statements come from, in order."""
    return [found for node in body for part in n.walk(node) if (found := part.__dict__.get("file"))]


def imported(name: str, value: Any, importing: bool = False) -> str | None:
    """The import statement for a free name; "" for a builtin, None for what has to be passed in.

    ``importing``: a function of the user's is imported too, if it is to be found in its module.
    """
    if getattr(builtins, name, MISSING) is value:
        return ""
    owner, own = str(getattr(value, "__module__", None) or "__main__"), str(getattr(value, "__name__", ""))
    if is_name(own) and getattr(builtins, own, MISSING) is value:
        return f"from builtins import {own} as {name}"
    if isinstance(value, types.ModuleType):
        module = value.__name__
        if not is_path_of_names(module) or sys.modules.get(module) is not value:  # importing that would give another one, or none
            return None
        return f"import {module}" if module == name else f"import {module} as {name}"
    spelled = spelling(value) if hasattr(value, "__name__") else ""
    if spelled.startswith(("np.", "math.", "scipy.")) and "." in spelled:
        package, _, attribute = spelled.rpartition(".")
        modules = {"np": "numpy"}.get(package, package.replace("np.", "numpy.")), "numpy.random"
        for module in modules:
            if getattr(sys.modules.get(module), attribute, None) is value:
                return f"from {module} import {attribute}" + ("" if attribute == name else f" as {name}")
    found = form(getattr(sys.modules.get(owner), own, None)) is value and is_path_of_names(owner) and is_name(own)
    if importing and callable(value) and found and owner != "__main__":
        return f"from {owner} import {own}" + ("" if own == name else f" as {name}")
    return None


WIDTH = 140
"""The columns of a line that is written for what generated text says beside its function."""


def equalities(pairs: tuple[tuple[str, ...], ...]) -> str:
    """The statement that says which lengths are taken for equal, a line for each pair where they do not fit into one."""
    line = f"EQUAL = {pairs!r}"
    return line if len(line) <= WIDTH else "\n".join(["EQUAL = (", *(f"    {pair!r}," for pair in pairs), ")"])
