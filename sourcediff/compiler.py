"""The pipeline: a user's function in, the text of its gradient out."""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .analysis.abstract import UNKNOWN, Abstract, joined_all, known_callables
from .analysis.carrying import carrying
from .analysis.effects import loads
from .analysis.scope import MISSING, Scope
from .analysis.surroundings import Surroundings
from .analysis.values import Values
from .arrays import keep_zeros
from .backends.python import source_head
from .derive.gradient import Derived, Program, gradient
from .derive.tangent import tangent
from .errors import NonDifferentiableError, UnknownParameterError
from .objects import alike
from .passes.drop import DeadCode, keeps
from .passes.expose import leaves_of
from .passes.hold import hold
from .passes.inline import parameters_of
from .passes.name import name
from .passes.nest import Inline
from .passes.refuse import refuse
from .passes.respell import respell
from .rules.frames import spelling
from .syntax import nodes as n
from .syntax.function import name_of
from .syntax.quote import expression, names, place, statement
from .syntax.source import Source, located, read, short
from .syntax.text import block_lines
from .version import __version__

Block = list[n.stmt]


class Request(NamedTuple):
    """What is asked for. ``arguments`` are the abstract values of the parameters, empty for the general version.

    ``mode`` is ``"reverse"`` (a gradient) or ``"forward"`` (value and tangent); ``strong``: the tangents that are given may hold zeros.
    """

    wrt: tuple[str, ...]
    single: bool
    value: bool
    arguments: tuple[tuple[str, Abstract], ...] = ()
    tidy: bool = True
    mode: str = "reverse"
    strong: bool = False

    @property
    def forward(self) -> bool:
        """Whether a tangent is asked for."""
        return self.mode == "forward"

    def entry(self, function: types.FunctionType) -> str:
        """The name of the generated function."""
        return f"{name_of(function)}_{'jvp' if self.forward else 'value_and_grad' if self.value else 'grad'}"

    def title(self, function: types.FunctionType) -> str:
        """What the generated function is, in words."""
        what = "Value and tangent" if self.forward else "Value and gradient" if self.value else "Gradient"
        return f"{what} of {name_of(function)} with respect to {', '.join(self.wrt)}."


@dataclass
class Unit:
    """One function on its way through the pipeline."""

    function: types.FunctionType
    request: Request
    scope: Scope = field(default_factory=Scope)
    source: Source | None = None
    parameters: list[str] = field(default_factory=list)
    opened: dict[str, tuple[str, Abstract]] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    body: Block = field(default_factory=list)
    output: str = ""
    values: Values | None = None
    environment: dict[str, Abstract] = field(default_factory=dict)
    derived: Derived | None = None
    captured: list[str] = field(default_factory=list)
    user_names: frozenset[str] = frozenset()
    text: str = ""
    importing: bool = False  # the user's functions are imported, not passed in: for a module that stands alone

    @property
    def active(self) -> tuple[str, ...]:
        """The names to differentiate by: parameters, and attributes of those that are objects."""
        return tuple(leaves_of(self.asked))

    def arranged(self, gradients: list[n.expr]) -> n.expr:
        """What is returned for the gradients of the active names: each alone, or as an object."""
        given = dict(zip(self.active, gradients))
        parts = [self.gradient_of(asked, given) for asked in self.asked]
        return parts[0] if self.request.single else n.Tuple(elts=parts, ctx=n.Load())

    def gradient_of(self, asked: Any, given: dict[str, n.expr]) -> n.expr:
        """The gradient of a name, or an object of gradients."""
        if isinstance(asked, str):
            return given[asked]
        owner, attributes = asked
        keywords = [n.keyword(arg=name, value=self.gradient_of(part, given)) for name, part in attributes.items()]
        path = self.opened[owner][0] if owner in self.opened else owner
        made = self.scope.imported("alike", alike)
        return n.Call(func=expression(made), args=[statement(path).value], keywords=keywords)  # type: ignore[attr-defined]

    def opening(self, used: set[str]) -> Block:
        """The statements that give local names to what is read of objects from outside."""
        return [statement(f"$x = {path}", x=local) for local, (path, _) in self.opened.items() if local in used]

    def pointer(self, node: n.AST | None, problem: str, why: str = "", remedy: str = "") -> Any:
        """The place of a statement in the user's source, for an error."""
        assert self.source is not None
        node = node if node is not None else self.source.tree
        return located(node, getattr(node, "file", self.source.file), problem, why, remedy)


class Pass(NamedTuple):
    """A stage: its name, what it does to the unit, and the statements to show after it."""

    name: str
    run: Callable[[Unit], None]
    show: Callable[[Unit], Block]

    def __repr__(self) -> str:
        return f"<{self.name}: {(self.run.__doc__ or '').strip().splitlines()[0]}>"


def _read(unit: Unit) -> None:
    """Find the function's source and parse it; refuse what the compiler does not take, in it and in all it calls."""
    unit.source = refuse(read(unit.function))
    unit.user_names = frozenset(names(unit.source.tree))
    unit.parameters = parameters_of(unit.source.tree)
    unknown = [wanted for wanted in unit.request.wrt if wanted.split(".")[0] not in unit.parameters]
    if unknown:
        raise UnknownParameterError(
            f"{unit.function.__qualname__} has no parameter {unknown[0]!r}", why=f"it has {', '.join(unit.parameters)}",
            remedy="give wrt a position or one of these names",
        )


def _normalise(unit: Unit) -> None:
    """Bring what may carry a derivative into normal form, calls of user functions inlined."""
    assert unit.source is not None
    named = name(unit.source, unit.request.wrt, unit.scope, dict(unit.request.arguments))
    result = named.result
    if result is None:
        result = n.Constant(value=None, kind=None)
    structure = isinstance(result, (n.Tuple, n.List)) or isinstance(result, n.Constant) and result.value is None
    if structure and not unit.request.forward:
        raise NonDifferentiableError(
            f"{unit.function.__qualname__} does not return a scalar", places=[unit.pointer(None, "defined here")],
            why="it returns nothing" if isinstance(result, n.Constant) else "a gradient is of one number",
            remedy="return a scalar",
        )
    unit.body = list(named)
    unit.opened, unit.asked = dict(named.opened), list(named.asked)
    if isinstance(result, n.Name) and result.id not in unit.scope.free:
        unit.output = result.id
    else:
        unit.output = unit.scope.fresh("value")
        unit.body.append(place(statement("$v = $r", v=unit.output, r=result), result))


def _hold(unit: Unit) -> None:
    """Name the conditions and loop ranges that the reverse sweep could not ask again, count the trips of while loops."""
    if unit.request.forward:
        return  # it asks nothing again
    carried = carrying(unit.body, unit.active, unit.scope)
    unit.body = hold(unit.body, carried, [*unit.parameters, *unit.opened], unit.scope)


def _analyse(unit: Unit) -> None:
    """Find the abstract value of every name at every statement."""
    given = dict(unit.request.arguments)
    unit.environment = {parameter: given.get(parameter, UNKNOWN) for parameter in unit.parameters}
    unit.environment |= {local: known for local, (_, known) in unit.opened.items()}
    unit.values = Values(unit.scope)
    unit.values.block(unit.body, unit.environment)
    respelled = respell(unit.body, list(unit.environment), unit.values, unit.output)
    if respelled is not unit.body:
        unit.body, unit.values = respelled, Values(unit.scope)
        unit.values.block(unit.body, unit.environment)


def _derive(unit: Unit) -> None:
    """Write the forward and the reverse sweep."""
    assert unit.values is not None
    program = Program(unit.body, [*unit.parameters, *unit.opened], unit.output, unit.values, unit.environment, unit.pointer)
    if unit.request.forward:
        unit.derived = tangent(program, unit.active, unit.request.strong)
    else:
        unit.derived = gradient(program, unit.active, unit.request.value, unit.arranged)


def _tidy(unit: Unit) -> None:
    """Drop what is not needed, nest what is used once."""
    assert unit.derived is not None
    dead = DeadCode(keeps(unit.scope, unit.derived.local))
    body = dead.drop(unit.derived.body, frozenset())
    if unit.request.tidy:
        made = {made for node in body for made in names(node) if is_made(made, unit)}
        body = Inline(made, {*unit.scope.bars.values(), *unit.scope.dots.values()}, floating(unit)).block(body)
    unit.derived = unit.derived._replace(body=body)


TEMPORARIES = ("t", "taken", "base", "parts", "columns", "n", "value", "adjoint")


def floating(unit: Unit) -> Callable[[n.expr], bool]:
    """Whether an expression over the user's names is of floats wherever it stands."""
    values = unit.values
    assert values is not None

    def certainly(node: n.expr) -> bool:
        environments = [unit.environment, *values.after.values()]
        everywhere = {}
        for part in loads(node):
            known = {id(environment[part]): environment[part] for environment in environments if part in environment}
            if known:
                everywhere[part] = joined_all(tuple(known.values()))
        return values.of(node, everywhere).floating

    return certainly


def is_made(name: str, unit: Unit) -> bool:
    """Whether a name is the compiler's own temporary (or the adjoint or the tangent of one)."""
    stem = name[:-4] if name.endswith(("_bar", "_dot")) else name
    return not unit.user_names & {name, stem} and stem.rstrip("0123456789") in TEMPORARIES


def _write(unit: Unit) -> None:
    """Print it, with what it imports and where each line comes from."""
    assert unit.derived is not None and unit.source is not None
    body = unit.derived.body
    used = set().union(*(names(node) for node in body)) if body else set()
    opening = unit.opening(used)
    used |= names(opening)
    guarded = any(unit.scope.helpers.get(name) is keep_zeros for name in used)
    quiet = sorted(unit.scope.quiet | ({"divide", "invalid"} if guarded else set()))
    numpy = unit.scope.imported("np", np) if quiet else ""
    used |= {numpy} if quiet else set()
    imports: list[str] = []
    helpers: dict[str, list[str]] = {}
    unit.captured = []
    for free in sorted(used & set(unit.scope.free)):
        value = unit.scope.free[free].value
        text = imported(free, value, unit.importing)
        if text is None:
            unit.captured.append(free)
        elif text:
            imports.append(text)
    for helper in sorted(used & set(unit.scope.helpers)):
        value = unit.scope.helpers[helper]
        if isinstance(value, types.ModuleType):
            if helper not in unit.scope.free:
                imports.append(f"import {value.__name__} as {helper}")
        else:
            own = value.__name__
            helpers.setdefault(value.__module__, []).append(helper if helper == own else f"{own} as {helper}")
    label = short(unit.source.file)
    lines = [f'"""{unit.request.title(unit.function)} Written by sourcediff {__version__}."""', ""]
    lines += source_head({short(file): file for file in dict.fromkeys([unit.source.file, *files_of(body)])}).rstrip("\n").split("\n")
    for group in (imports, [f"from {module} import {', '.join(members)}" for module, members in helpers.items()]):
        lines += ["", *sorted(set(group))] if group else []
    tangents = [unit.scope.dot(name) for name in unit.active] if unit.request.forward else []
    parameters = ", ".join([*unit.parameters, *tangents, *unit.captured])
    lines += ["", ""]
    if quiet:  # where the derivative is infinite, the zero of what was not selected is kept without a warning
        lines += [f"@{numpy}.errstate({', '.join(f'{kind}={chr(39)}ignore{chr(39)}' for kind in quiet)})"]
    lines += [f"def {unit.request.entry(unit.function)}({parameters}):  # {label}:{unit.source.tree.lineno}"]
    lines += block_lines([*opening, *body], 1, [""])
    if unit.captured:
        functions = Surroundings(unit.function, known_callables(unit.request.arguments)).functions
        where = {}
        for free in unit.captured:
            value = unit.scope.free[free]
            where[free] = next(number for number, known in enumerate(functions) if known is value.function), value.name
        lines += ["", "", f"CAPTURED = {where!r}  # by the number of the function that reads it, and the name there"]
    if unit.derived.mutated:
        roots = [unit.opened[name][0].replace("[", ".").split(".")[0] if name in unit.opened else name for name in unit.derived.mutated]
        mutated = tuple(unit.scope.free[root].name if root in unit.scope.free else root for root in dict.fromkeys(roots))
        lines += ["" if unit.captured else "\n", f"MUTATED = {mutated!r}"]
    assert unit.values is not None
    whole = unit.request.value or unit.request.forward
    if unit.values.equal and not whole:  # the forward sweep that would have noticed may be left out
        pairs = tuple(sorted(tuple(sorted(pair)) for pair in unit.values.equal))
        lines += ["" if unit.captured or lines[-1].startswith("MUTATED") else "\n", f"EQUAL = {pairs!r}"]
    if unit.scope.tried:
        lines += ["" if lines[-1].startswith(("CAPTURED", "MUTATED", "EQUAL")) else "\n", f"TRIED = {tried(unit.scope)!r}"]
    unit.text = "\n".join(lines) + "\n"


def tried(scope: Scope) -> dict[str, tuple[str, ...]]:
    """The lines that a ``try`` guards, and by their names the exceptions that it would catch there."""
    return {f"{short(file)}:{line}": tuple(f"{kind.__module__}:{kind.__qualname__}" for kind in kinds)
            for (file, line), kinds in sorted(scope.tried.items())}


def files_of(body: Block) -> list[str]:
    """The files that the statements come from, in order."""
    return [found for node in body for part in n.walk(node) if (found := getattr(part, "file", None))]


def imported(name: str, value: Any, importing: bool = False) -> str | None:
    """The import statement for a free name; "" for a builtin, None for what has to be passed in.

    ``importing``: a function of the user's is imported too, if it is to be found in its module.
    """
    if getattr(builtins, name, MISSING) is value:
        return ""
    if isinstance(value, types.ModuleType):
        module = value.__name__
        return f"import {module}" if module == name else f"import {module} as {name}"
    spelled = spelling(value) if callable(value) else ""
    if spelled.startswith(("np.", "math.", "scipy.")) and "." in spelled:
        owner, _, attribute = spelled.rpartition(".")
        module = {"np": "numpy"}.get(owner, owner.replace("np.", "numpy."))
        return f"from {module} import {attribute}" + ("" if attribute == name else f" as {name}")
    owner, own = getattr(value, "__module__", None) or "__main__", getattr(value, "__name__", "")
    if importing and callable(value) and owner != "__main__" and getattr(sys.modules.get(owner), own, None) is value:
        return f"from {owner} import {own}" + ("" if own == name else f" as {name}")
    return None


PIPELINE: tuple[Pass, ...] = (
    Pass("read", _read, lambda unit: unit.source.tree.body if unit.source else []),
    Pass("normalise", _normalise, lambda unit: unit.body),
    Pass("hold", _hold, lambda unit: unit.body),
    Pass("analyse", _analyse, lambda unit: unit.body),
    Pass("derive", _derive, lambda unit: unit.derived.body if unit.derived else []),
    Pass("tidy", _tidy, lambda unit: unit.derived.body if unit.derived else []),
    Pass("write", _write, lambda unit: []),
)
"""The stages, in order. Each is a function of the unit; ``explain`` shows what each leaves."""


def compile_gradient(function: types.FunctionType, request: Request) -> Unit:
    """Run the whole pipeline."""
    unit = Unit(function, request)
    for stage in PIPELINE:
        stage.run(unit)
    return unit
