"""The tangent of a whole function: its own statements with their tangents beside them, and what is returned."""

from __future__ import annotations

from ...analysis.abstract import FLOAT, UNKNOWN, Abstract, same_dtype
from ...analysis.source.sharing import connected
from ...analysis.statements import binds, mutates
from ...errors import NonDifferentiableError
from ...syntax import nodes as n
from ...syntax.quote import expression, names, place, statement
from ..facts.distinct_entries import changed_inside
from ..tidy.dead_code import DeadCode, keeps
from ..tidy.inline_temporaries import sharing
from .emit import Moment
from .forward import Forward
from .gradient import Derived, Program, analysed, unbound_at_first, unset_name
from .jvp_terms import Tangent

Block = list[n.stmt]


def tangent(program: Program, wrt: tuple[str, ...], strong: bool) -> Derived:
    """The body of the function that returns the value and its tangent, given a tangent ``x_dot`` for each parameter in ``wrt``.

    ``strong``: these tangents may hold zeros, which stay zero however steep the function is. Raises as ``gradient`` does.
    """
    body, scope, values = program.body, program.values.scope, program.values
    output = program.output
    live, aliases, activity, complexes = analysed(program, wrt)
    unbound = unbound_at_first(body, output, scope) - set(program.environment)
    inside, held = changed_inside(body, values)
    mutable = connected(body, mutates(body), scope) | connected(body, inside, scope, held)
    forward = Forward(Moment(values, complexes, activity, program.pointer), aliases, live, mutable, unbound)
    seen = aliases.changed_outside()
    given = []
    for name in wrt:
        known = program.environment[name]
        forward.state.bind(name, Tangent(expression(scope.dot(name)), FLOAT if known.kind == "python" else known, strong))
        if name in seen and not known.scalar:
            given.append(statement("$t = $c", t=scope.dot(name), c=forward.copied(scope.dot(name), known)))
    code = forward.block(body)
    forward.moment.at = None
    final = values.after[body[-1]] if body else program.environment
    returned = statement("return $v, $t", v=output, t=tangent_returned(forward, output, final.get(output, UNKNOWN), code, wrt))
    if body and not isinstance(body[-1], (n.If, n.For, n.While)):
        place(returned, body[-1])
    bound = [unset_name(name, scope) for name in sorted(forward.state.to_bind)]
    shared = aliases.anywhere()
    here = {name for name in binds(body) | mutates(body) if {name, *shared.get(name, ())}.isdisjoint(scope.free)}
    sharing = {scope.dots[name]: frozenset(scope.dots[other] for other in shared.get(name, ()) if other in scope.dots)
               for name in here if name in scope.dots}  # what the caller gave is changed in a copy: no tangent is seen by anybody else
    derived = Derived([*bound, *given, *code, returned], {*sharing, *here - shared.keys()},
                      tuple(name for name in program.parameters if name in seen), sharing=sharing,
                      resized=tuple(name for name in program.parameters if name in aliases.changed_outside(growth=True) - seen))
    check_known(forward, derived)
    return derived


def tangent_returned(forward: Forward, output: str, known: Abstract, code: Block, wrt: tuple[str, ...]) -> n.expr:
    """The tangent of the output as it is returned: in its shape and dtype, writable, and shared with nothing. A complex one is refused."""
    if forward.may_be_complex(expression(output), known):
        raise NonDifferentiableError(
            "the function returns a complex number, and its tangent was asked for",
            why="the derivative is not one complex number, but a matrix of four real ones",
            remedy="use the real and the imaginary part as two real results",
        )
    found = forward.terms.tangents.get(output)
    if found is None:
        if known.kind == "array" and known.floating:
            return forward.numpy("np.zeros_like($x)", x=output)
        if known.kind == "python" and known.floating:
            return expression("0.0")
        return expression("None") if known.kind == "static" else forward.helper("tangent_like", expression("None"), output)
    if known.scalar and known.floating:
        if found.value.kind == known.kind and same_dtype(found.value, known):
            return found.expr
        return expression("float($t)", t=found.expr) if known.kind == "python" else forward.helper("tangent_like", found.expr, output)
    if known.kind == "array" and known.dims and known.floating and found.value.kind == "array" and same_dtype(found.value, known):
        assert isinstance(found.expr, n.Name)
        given = {forward.state.dot(name) for name in wrt}
        shared = sharing(code).get(found.expr.id, set()) | {found.expr.id}
        return expression("$t.copy()", t=found.expr) if given & shared else found.expr
    return forward.helper("tangent_like", found.expr, output)


def check_known(forward: Forward, derived: Derived) -> None:
    """Raise the error of a tangent that cannot be had, if what is returned depends on it."""
    if forward.terms.missing:
        read = names(DeadCode(keeps(forward.scope, derived.local), derived.sharing).drop(derived.body, frozenset()))
        for name, error in forward.terms.missing.items():
            if name in read:
                raise error

