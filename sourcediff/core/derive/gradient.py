"""The gradient of a whole function: both sweeps and what is returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ...analysis.abstract import COMPLEX, FLOAT, UNKNOWN, Abstract, same_dtype
from ...analysis.bindings import is_method
from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.source.may_be_active import carries
from ...analysis.source.sharing import connected
from ...analysis.statements import binds, mutates, simple
from ...errors import NO_SCALAR, OF_SEVERAL, AliasingError, NonDifferentiableError, UnsupportedSyntaxError, complex_refused, counted
from ...runtime.checks import scalar_output
from ...runtime.linked_calls import RUNNING
from ...syntax import nodes as n
from ...syntax.quote import expression, statement
from ..facts.activity import Activity
from ..facts.aliases import Aliases
from ..facts.complexes import Complexes, holds_complex
from ..facts.distinct_entries import changed_inside
from ..facts.later_changes import LaterChanges
from ..facts.liveness import Liveness
from ..facts.unfollowed_changes import written_by_calls
from ..facts.values import Values
from .adjoints import Adjoint
from .emit import Emitter, Moment
from .object_arrays import check_object_arrays
from .reverse import Reverse
from .shapes_alone import name_shapes
from .steps import Step
from .to_be_recorded import Record, definite
from .weave import Assembly

Block = list[n.stmt]


class Program(NamedTuple):
    """A function in normal form: its statements, its parameters, the name of what it returns, and the analyses of it.

    ``aux`` is the name of what it returns besides, if it does; ``runs_again`` says whether its gradient may be looked at once it is
    finished, and another one, with guards, be run instead; ``last``, whether it is not derived again.
    """

    body: Block
    parameters: list[str]
    output: str
    aliases: Aliases
    environment: dict[str, Abstract]
    pointer: Any
    aux: str = ""
    runs_again: Callable[[], bool] = bool
    last: bool = False

    @property
    def values(self) -> Values:
        """The abstract values at each statement."""
        return self.aliases.values


class Derived(NamedTuple):
    """The statements of a gradient, the arrays in it that nobody else can see, and the parameters that it changes in place;
    ``resized`` are others, lists that it makes longer or shorter.

    ``sharing`` are the names among them by which a store into one of these arrays can be seen. ``back`` is the reverse sweep where it is
    a function of its own; ``aliases`` is what shares memory, and ``writer`` writes copies, where that is asked again.
    """

    body: Block
    local: set[str]
    mutated: tuple[str, ...]
    aliases: Aliases | None = None
    writer: Emitter | None = None
    back: Sequence[n.stmt] = ()
    sharing: Mapping[str, frozenset[str]] = MappingProxyType({})
    resized: tuple[str, ...] = ()


class Sweeps(NamedTuple):
    """Both sweeps of a program, the gradients as they are returned, and what is known of names when the sweeps were written.

    ``unbound`` binds what a path may leave unbound; ``taken`` are the names that the reverse sweep binds, ``rewound`` the arrays of
    others that it changes back, ``absent`` those of them that a path may leave unbound; ``local`` are the names that nobody outside
    can see, ``mutated`` the parameters that are changed in place, ``resized`` other lists among them that get another length.
    """

    unbound: Block
    forward: Block
    backward: Block
    gradients: list[n.expr]
    taken: set[str]
    rewound: set[str]
    absent: set[str]
    local: set[str]
    mutated: tuple[str, ...]
    resized: tuple[str, ...]
    aliases: Aliases
    writer: Emitter


def analysed(program: Program, wrt: tuple[str, ...]) -> tuple[Liveness, Aliases, Activity, Complexes]:
    """What either mode has to know of a program before it writes. Raises AliasingError and ComplexError where neither may."""
    aliases = program.aliases
    check_aliases(aliases, program)
    body = program.body
    activity = Activity(body, set(wrt), program.values)
    if activity.strays:
        raise UnsupportedSyntaxError("a differentiated value gets somewhere that is not followed", places=[program.pointer(
            node, "what is read here has been stored into by a way that is not followed", "its derivative would be lost",
            "store by the array's own name, or loop over indices",
        ) for node in dict.fromkeys(activity.strays)])
    for node in simple(body):
        narrow_link(node, activity)
    complexes = Complexes(body, program.values, program.environment)
    for name in wrt:
        if holds_complex(known := program.environment[name]) and known.kind in ("sequence", "mapping"):
            raise complex_refused(f"what {name} holds", program.pointer(None, "complex numbers in a list, tuple or dict are not followed"))
    check_constant(activity, complexes, program)
    check_object_arrays(body, program.values, activity, program.pointer)
    return aliases.live, aliases, activity, complexes


def narrow_link(node: n.stmt, activity: Activity) -> None:
    """Ask a call that stays a call for the derivatives alone that depend on the inputs: an object may hold more."""
    called = node.value if isinstance(node, n.Assign) and isinstance(node.value, n.Call) else None
    if called is not None and activity.scope.helpers.get(getattr(called.func, "id", "")) in RUNNING:
        given, asked = called.args[0].elts, constant(called.args[2])
        moving = tuple(k for k in asked if carries(given[k], activity.varied[node], activity.scope))
        called.args[2] = expression(repr(moving))


def gradient_program(program: Program, wrt: tuple[str, ...], with_value: bool, arranged: Callable[[list[n.expr]], n.expr]) -> Derived:
    """The body of the function that returns the gradients with respect to ``wrt``, ``arranged`` (with the value before them).

    Raises AliasingError where a change in place could be seen through another name, MissingRuleError where a function on the
    way from the inputs to the output has no rule.
    """
    scope, output = program.values.scope, program.output
    final = program.values.after[program.body[-1]] if program.body else program.environment
    known = final.get(output, UNKNOWN)
    both = sweeps(program, wrt, Adjoint(expression("1.0"), FLOAT), known)
    checks: Block = []
    may_be_complex = known.dtype is None and both.writer.may_be_complex(expression(output), known)
    if known.kind == "unknown" or known.kind == "array" or may_be_complex:
        checks.append(statement("$check($v)", check=scope.imported("scalar_output", scalar_output), v=output))
    kept = output
    put_back = mutates(both.backward) & {output, *both.aliases.final.get(output, ())} if not known.scalar else set()
    if with_value and (output in both.taken or put_back):
        kept = scope.fresh("value")
        checks.append(statement("$k = $o", k=kept, o=both.writer.copied(output, known) if put_back else expression(output)))
    rewinds = [
        statement("$a = $c", a=name, c=both.writer.copied(name, UNKNOWN if name in both.absent else final.get(name, UNKNOWN)))
        for name in sorted(both.rewound)
    ]
    result = arranged(both.gradients)
    if with_value:
        value = expression("$v, $a", v=kept, a=program.aux) if program.aux else expression(kept)
        result = n.Tuple(elts=[value, result], ctx=n.Load())
    elif program.aux:
        result = n.Tuple(elts=[result, expression(program.aux)], ctx=n.Load())
    returned = statement("return $r", r=result)
    body = [*both.unbound, *both.forward, *checks, *rewinds, *both.backward, returned]
    return Derived(body, both.local, both.mutated, resized=both.resized)


def sweeps(program: Program, wrt: tuple[str, ...], seed: Adjoint, scalar: Abstract | None = None) -> Sweeps:
    """Both sweeps, given the adjoint of the output. ``scalar``: what is known of an output that has to be one number.

    Raises AliasingError, MissingRuleError, NonDifferentiableError and ComplexError as ``gradient`` does.
    """
    body, scope, values = program.body, program.values.scope, program.values
    output = program.output
    live, aliases, activity, complexes = analysed(program, wrt)
    if scalar is not None:
        _check_output(scalar)
    inside, held = changed_inside(body, values)
    by_calls = {name for node in simple(body) for name, alone in written_by_calls(node, aliases).items() if not alone}
    copies = {node for node in simple(body) if isinstance(node, n.Assign) and is_method(node.value, "copy")
              and values.of(node.value.func.value, values.before[node]).kind == "array"}
    mutable = connected(body, mutates(body, growth=False) | by_calls, scope, (), copies) | mutates(body)
    mutable |= connected(body, inside, scope, held, copies)
    early = unbound_at_first(body, output, scope) - set(program.environment)
    moment = Moment(values, complexes, activity, program.pointer, program.runs_again, program.last)
    reverse = Reverse(moment, mutable, early)
    if output in activity.final:
        reverse.ledger.adjoints[output] = seed
    steps = reverse.block(body)
    first = Step(None)
    moment.code, moment.environment = first.code, program.environment
    gradients = first.also = [_finished(reverse, name) for name in wrt]
    steps = [first, *steps]
    record = Record(body, steps, values, aliases, live, mutable)
    if measures := name_shapes(body, record):
        record = Record(body, steps, values, aliases, live, mutable, measures)
    if record.lost:
        raise UnsupportedSyntaxError("a container changes that is asked again", places=[program.pointer(
            node, "what is in it is needed again as it was before", "it is not put back", "name what is asked of it before it changes",
        ) for node in dict.fromkeys(record.lost)])
    assembly = Assembly(record, scope, LaterChanges(body, aliases, record.parents, {output, program.aux}))
    forward = assembly.forward(steps)
    backward = assembly.reverse(steps)
    entangled = aliases.shared() | set(scope.free)
    local = {name for name in binds(body) | mutates(body) if name not in entangled} | set(scope.bars.values())
    seen = aliases.changed_outside()
    absent = record.rewound - definite(body) - set(program.environment)  # perhaps on a path that was not taken
    unbound = [unset_name(name, scope) for name in sorted({*record.unbound, *reverse.ledger.to_bind, *absent})]
    taken = assembly.taken_back | binds(backward)
    mutated = tuple(name for name in program.parameters if name in seen)
    resized = tuple(name for name in program.parameters if name in aliases.changed_outside(growth=True) - seen)
    return Sweeps(unbound, forward, backward, gradients, taken, record.rewound, absent, local, mutated, resized, aliases, reverse)


def unset_name(name: str, scope: Scope) -> n.stmt:
    """What binds a name beforehand that a path may leave unbound: to ``...``, if it is asked whether it has."""
    return statement("$x = $v", x=name, v=n.Constant(value=... if name in scope.checked else None, kind=None))


def unbound_at_first(body: Block, output: str, scope: Scope) -> set[str]:
    """The names of which a zero may be made before they are bound: read later if a flag says so, and carried through a loop till then.

    A name may be bound nowhere: where a pass has named by another name all that the flag would let read.
    """
    return {name for name in Liveness(body, {output}, flags=False).entry if name in binds(body) or scope.lookup(name) is MISSING}


def check_aliases(aliases: Aliases, program: Program) -> None:
    """Refuse a program in which a change in place could be seen through another name."""
    places = []

    def report(node: n.stmt, changed: str, seen: str) -> None:
        places.append(program.pointer(
            node, f"{changed} is changed in place while {seen}, which may share its memory, is still in use",
            "their adjoints would have to share memory in the same way, which cannot be proven here",
            f"take a copy where {seen} and {changed} part ways, or index {seen} directly",
        ))

    aliases.conflicts(report)
    if places:
        unique = list(dict.fromkeys(places))
        raise AliasingError(f"{counted(len(unique), 'change')} in place could be seen through another name", places=unique)


def check_constant(activity: Activity, complexes: Complexes, program: Program) -> None:
    """Refuse complex numbers in functions that are constant for real ones alone (``np.sign``), which nobody has looked at yet."""
    scope = program.values.scope
    for node in simple(program.body) if complexes.names else ():
        for call in (part for part in n.walk(node) if isinstance(part, n.Call)):
            rule = scope.rule(call.func)
            if rule is None or rule.kind != "constant" or rule.for_complex is not None:
                continue
            varies = any(carries(part, activity.varied.get(node, frozenset()), scope) for part in call.args)
            if varies and any(map(complexes.may_be, call.args)):
                raise complex_refused(f"the argument of {rule.name}", program.pointer(node, "of complex numbers it is not constant"))


def _check_output(known: Abstract) -> None:
    """Refuse an output that is certainly no floating-point scalar."""
    if known.dtype is not None and known.dtype.kind == "c" and not known.dims:
        raise NonDifferentiableError(
            "the function returns a complex number, and its gradient was asked for", why="it has no gradient: it does not grow or fall",
            remedy="return np.real(...), np.imag(...) or np.abs(...) of it",
        )
    if known.scalar and known.dtype is not None and known.dtype.kind in "iub":
        raise NonDifferentiableError(
            f"the function returns a number of {known.dtype}, which has no derivative",
            why="an integer or a truth value does not change a little", remedy="return a float",
        )
    if known.kind == "array" and known.dims or known.kind in ("sequence", "mapping", "static"):
        error = NonDifferentiableError(NO_SCALAR, why=f"it returns {_described(known)}", remedy=OF_SEVERAL)
        error.dims = known.dims  # type: ignore[attr-defined]  # the caller knows how long they are
        raise error


def _described(known: Abstract) -> str:
    if known.kind == "array":
        return f"an array of {counted(len(known.dims), 'dimension')}"
    return {"sequence": "a tuple or list", "mapping": "a dict"}.get(known.kind, "no number")


def _finished(reverse: Reverse, name: str) -> n.expr:
    """The gradient of a parameter as it is returned: in its shape and dtype, writable, and shared with nothing."""
    known = reverse.moment.environment.get(name, UNKNOWN)
    adjoint = reverse.ledger.adjoints.get(name)
    if known.kind == "array" and adjoint is None:
        return reverse.numpy("np.zeros_like($x)", x=name)
    if known.scalar and adjoint is None:
        return expression("0j" if known == COMPLEX else "0.0") if known.kind == "python" else expression("$x.dtype.type(0)", x=name)
    if adjoint is None:
        adjoint = reverse.ledger.canonical(name, owned=True, narrow=False)
    expr = adjoint.expr
    if known == COMPLEX:
        return expr if adjoint.value == COMPLEX else expression("complex($g)", g=expr)
    if known.dtype is not None and known.dtype.kind == "c" and not (same_dtype(adjoint.value, known) and known.dims):
        return reverse.helper("complex_like", expr, name)
    if known.kind == "array" and not known.dims:  # arithmetic on 0-d arrays gives numbers
        return reverse.helper("like", expr, name)
    if known.kind == "array":
        if adjoint.narrow:
            return reverse.numpy("np.full_like($x, $g)", x=name, g=expr)
        alike = adjoint.value.kind == "array" and same_dtype(adjoint.value, known) and adjoint.value.dims == known.dims
        if alike and None not in known.dims:
            return expr if adjoint.owned or reverse.is_new(expr) else reverse.numpy("np.array($g)", g=expr)
        if adjoint.value.kind == "array" and adjoint.value.floating and known.dtype.isnative and known.dtype != adjoint.value.dtype:
            return reverse.numpy(f"$g.astype(np.{known.dtype.name})", g=expr)
        return reverse.helper("complex_like" if known.dtype is not None and known.dtype.kind == "c" else "like", expr, name)
    if known.kind == "mapping" and all(item.kind == "array" and item.floating and item.dims for _, item in known.items):
        same = adjoint.owned and name not in reverse.ledger.mutable  # else it may have got other entries
        return expr if same else reverse.helper("like", expr, name)
    if known.kind == "python":
        if adjoint.value.kind == "python" and adjoint.value.floating:
            return expr
        return expression("float($g)", g=expr)
    if known.kind == "numpy":
        return expr if adjoint.value == Abstract("numpy", known.dtype) else expression("$x.dtype.type($g)", x=name, g=expr)
    return reverse.helper("like", expr, name)

