"""Explain: one function carried through the pipeline, its text after every stage."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from ..analysis.abstract import Abstract
from ..analysis.lengths import NOT_ONE, Length
from ..analysis.statements import binds, mutates, simple, target_names
from ..compiler.nested import begin
from ..compiler.pipeline import program_passes, run, step, with_unit
from ..compiler.unit import Unit
from ..dispatch.internal_errors import attempted
from ..dispatch.request import requested
from ..frontend.function_trees import parameters_of
from ..frontend.passes import AFTER, ENTERED, Pass
from ..naming import one_line
from ..syntax import nodes as n
from ..syntax.function import name_of
from ..syntax.source import Source
from ..syntax.text import block_lines

KINDS = {
    "python": "Python number", "numpy": "NumPy scalar", "array": "array",
    "sequence": "list or tuple", "mapping": "dict", "static": "constant", "set": "set",
    "mixed": "list, dict or something else", "never": "nothing yet",
}


def explained(function: Any, wrt: Any = 0, args: Any = None, mode: str = "reverse", passes: bool = False) -> str:
    """The text of ``function`` after every pass over the whole program, each under a heading; the whole is Python, prose is in comments.

    Each but the last is shown as a function of the user's parameters; the last one shows the module that is written. With ``passes``
    the passes over single functions are shown too, where they change something. Raises what :func:`sourcediff.grad` raises.
    """
    inner, request = requested(function, wrt, args, mode=mode)
    return attempted(inner, lambda: with_unit(inner, request, lambda unit: "\n\n\n".join(sections(unit, passes)) + "\n"))


def sections(unit: Unit, passes: bool = False) -> Iterator[str]:
    """The heading and the text of each pass over the whole program, and of each pass over a function that changes something."""
    text = ""
    for each in program_passes(unit.request.library):
        with changes() if passes else nullcontext(()) as found:
            step(each, unit)
        yield from found
        before, text = text, "\n".join(unit.text.rstrip("\n").split("\n") if each.name == "write" else after(each, unit))
        yield "\n".join([heading(each), "", text if text != before else UNCHANGED])


UNCHANGED = "# The text stays as it is."
"""What is shown of a pass that changes nothing."""


@contextmanager
def changes() -> Iterator[list[str]]:
    """What the passes over functions change meanwhile: a heading, and the text after the pass, in the order in which they run."""
    found: list[str] = []
    before: dict[Any, str] = {}

    def look(row: Pass, body: list[n.stmt], source: Source) -> None:
        text = "\n".join(block_lines(body, 1, [""]))
        if row is not ENTERED and text != before[source.function]:
            title = f"# -- {row.phase}/{row.name}, of {source.tree.name}: {row.says}"
            found.append("\n".join([title, "", f"def {source.tree.name}({', '.join(parameters_of(source.tree))}):", text]))
        before[source.function] = text

    token = AFTER.set((*AFTER.get(), look))
    try:
        yield found
    finally:
        AFTER.reset(token)


def text_after(last: str, function: Any, wrt: Any = 0, args: Any = None, mode: str = "reverse") -> str:
    """The statements of a function as the named pass over whole programs leaves them."""
    if last not in {each.name for each in program_passes()}:
        raise ValueError(f"no pass over whole programs is called {last!r}")
    return begin(*requested(function, wrt, args, mode=mode), run, lambda unit: text_of_body(run(unit, last)))


def text_of_body(unit: Unit) -> str:
    """The statements that there are at a moment, as text."""
    return "\n".join(block_lines(body_of(unit), 0, [""], comments=False))


def heading(each: Pass) -> str:
    """The comment over a pass: its phase and name, and what it does.

    >>> heading(program_passes()[0])
    "# -- read/source: Find the function's source and parse it; refuse what the compiler does not take, in it and in all it calls."
    """
    return f"# -- {each.phase}/{each.name}: {each.says}"


def body_of(unit: Unit) -> list[n.stmt]:
    """The statements that there are at a moment: of the source, of the lowered program, of what is derived."""
    if unit.derived is not None:
        return unit.derived.body
    return unit.body or (unit.source.tree.body if unit.source is not None else [])


def after(each: Pass, unit: Unit) -> Iterator[str]:
    """The lines of the function as a pass leaves it."""
    facts = each.name in FACTS
    body = body_of(unit)
    lines = block_lines(body, 1, [""], comments=not facts)
    if facts and unit.values is not None:
        yield from (f"# {name}: {abstract_in_words(value)}" for name, value in unit.environment.items())
        lines = with_facts(lines, body, unit.values.after)
    yield f"def {name_of(unit.function)}({', '.join(unit.parameters)}):"
    yield from lines
    if unit.output and unit.derived is None:
        yield f"    return {unit.output}"


FACTS = ("values", "lists_to_arrays", "rewrite_views")
"""The passes after which what is known of values is shown."""


def with_facts(lines: list[str], body: list[n.stmt], facts: Mapping[n.stmt, Mapping[str, Abstract]]) -> list[str]:
    """The lines of a block with what is known of each name after the statement that binds it, as comments."""
    tree = ast.parse("\n".join(["if block:", *lines]))
    written = [node for node in preorder(tree.body[0]) if not isinstance(node, ast.Pass)]
    commented = list(lines)
    for node, at in zip((node for node in simple(body) if not isinstance(node, n.Pass)), written):
        if isinstance(node, (n.If, n.While)):
            continue
        names = target_names(node.target) if isinstance(node, n.For) else binds(node) | mutates(node)
        known = facts.get(first_inside(node), {})
        said = "; ".join(f"{name}: {abstract_in_words(known[name])}" for name in sorted(names) if name in known)
        end = (at.body[0].lineno - 1 if isinstance(at, ast.For) else at.end_lineno or at.lineno) - 2
        commented[end] += f"  # {said}" if said else ""
    return commented


def first_inside(node: n.stmt) -> n.stmt:
    """The statement whose facts hold what a statement binds: its own, a loop's first one for the loop's variable."""
    return node.body[0] if isinstance(node, n.For) and node.body else node


def preorder(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements within a compound statement, outer ones first, as they stand in the text."""
    for inner in [*getattr(node, "body", []), *getattr(node, "orelse", [])]:
        yield inner
        yield from preorder(inner)


def abstract_in_words(value: Abstract) -> str:
    """An abstract value in words.

    >>> import numpy as np
    >>> abstract_in_words(Abstract("array", np.dtype(float), (Length((("u.0", 1),)), Length((("u.0", 1),), -2), 1, None)))
    'array of float64, u.0 × max(0, u.0 - 2) × 1 × ?'
    """
    if value.kind == "unknown":
        return "unknown"
    if value.kind in ("function", "object"):
        return one_line(f"{value.kind} {value.items!r}" if value.kind == "function" else f"object of {value.items[0]!r}")
    if value.kind == "foreign":
        return one_line(f"object of another library's class{f', {value.items}' if value.items else ''}")
    if value.kind == "bound":
        return f"{abstract_in_words(value.items[0])}, partly given its arguments"
    words = KINDS[value.kind] + (f" of {value.dtype}" if value.dtype is not None else "")
    if value.kind != "array":
        return words
    return f"{words}, {' × '.join(map(length, value.dims)) or '0-d'}"


def length(dim: Any) -> str:
    """A symbolic length in words."""
    if not isinstance(dim, Length):
        return "?" if dim is None else str(dim)
    if dim == NOT_ONE:
        return "not 1"
    return f"max(0, {dim._replace(constant=0)} - {-dim.constant})" if dim.constant < 0 else str(dim)
