"""The pullback of a whole function: both sweeps apart, and the tape between them.

The forward sweep returns the value and the tape; the reverse sweep takes the tape and a cotangent, any number of times, and never writes
to the tape. What is on the tape is nobody else's: arrays that the caller can see are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...analysis.abstract import FLOAT, UNKNOWN
from ...analysis.source.sharing import connected, holders
from ...analysis.statements import base, entry_put_in, grown, mutates, simple, target_names
from ...syntax import nodes as n
from ...syntax.quote import as_target, expression, statement
from ..facts.distinct_entries import containers
from ..facts.liveness import Liveness
from ..facts.values import Values
from .adjoint_state import adjoint_value
from .adjoints import Adjoint
from .gradient import Derived, Program, sweeps, unset_name
from .to_be_recorded import definite

Block = list[n.stmt]
PULL = "pull"


def pullback(program: Program, wrt: tuple[str, ...], arranged: Callable[[list[n.expr]], n.expr]) -> Derived:
    """Both sweeps as one body, with a call between them that ``split`` takes out. Raises as ``gradient`` does."""
    scope, values, output = program.values.scope, program.values, program.output
    final = values.after[program.body[-1]] if program.body else program.environment
    known = final.get(output, UNKNOWN)
    value = FLOAT if known.kind == "python" else adjoint_value(known)
    both = sweeps(program, wrt, Adjoint(expression(scope.bar(output)), value, selected=True))
    returned = statement("return $r", r=arranged(both.gradients))
    forward = [*both.unbound, *both.forward]
    between = n.Expr(value=expression(f"{PULL}($v)", v=output))
    body = [*forward, between, *both.backward, returned]
    return Derived(body, both.local, both.mutated, both.aliases, both.writer, resized=both.resized)


def split_sweeps(derived: Derived, program: Program, outside: set[str]) -> Derived:
    """The two sweeps apart, of a body that has been tidied. ``outside`` are the names of modules and functions."""
    body, aliases, writer = derived.body, derived.aliases, derived.writer
    assert aliases is not None and writer is not None
    at = next(position for position, node in enumerate(body) if is_pull(node))
    forward, (value,), backward = body[:at], body[at].value.args, body[at + 1:]
    scope, output = program.values.scope, program.output
    tape = sorted(name for name in Liveness(backward, set()).entry - outside - {scope.bar(output)} if not scope.is_builtin(name))
    sure = {*program.parameters, *definite(forward), *scope.free}
    first = [unset_name(name, scope) for name in tape if name not in sure]
    final = program.values.after[program.body[-1]] if program.body else program.environment
    always = {*program.parameters, *definite(program.body), *scope.free}
    # what is not always bound may be None, and an array without dimensions may be a number
    final = {name: value for name, value in final.items() if name in always and (value.kind != "array" or value.dims)}

    sharing = aliases.anywhere()
    saved = saved_from(forward, set(tape))

    def kept(name: str) -> n.expr:
        others = set(aliases.final.get(name, ())).union(*({source, *sharing.get(source, ())} for source in saved.get(name, ())))
        seen = any(other.startswith("@") or other == output or other in scope.free for other in others)
        if not (seen or name == output or name in scope.free) or final.get(name, UNKNOWN).scalar:
            return expression(name)
        return writer.copied(name, final.get(name, UNKNOWN))

    parts = n.Tuple(elts=[kept(name) for name in tape], ctx=n.Load())
    forward = [*first, *forward, statement("return $v, $t", v=value, t=parts)]
    lists = lists_of(backward)
    within = lists - set(tape) - set(scope.bars.values())  # those that come off the tape
    changed = connected(backward, mutates(backward, growth=False) | within, scope, put_in_containers(backward, program.values))
    own: Block = []
    for name in tape:
        if name in lists - changed and name in sure:
            own.append(statement("$l = $c", l=name, c=expression("[*$l]" if "list" in scope.taken else "list($l)", l=name)))
        elif name in changed | lists:  # a list that may be None is one of a branch that was not taken
            own.append(statement("$a = $c", a=name, c=writer.copied(name, final.get(name, UNKNOWN))))
    unpacked = [taken(tape)] if tape else []
    return derived._replace(body=forward, back=[*unpacked, *own, *backward])


def saved_from(body: Block, tape: set[str]) -> dict[str, set[str]]:
    """For each name on the tape the variables that it was bound to, or that went into the list that it is, as they are."""
    found: dict[str, set[str]] = {}
    for node in simple(body):
        target = node.targets[0].id if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) else grown(node)
        value = node.value if isinstance(node, n.Assign) else entry_put_in(node) if target is not None else None
        if target in tape and isinstance(value, n.Name):
            found.setdefault(target, set()).add(value.id)
    return found


def put_in_containers(body: Block, values: Values) -> list[set[str]]:
    """The lists and dicts into which a block puts something, each with what that may be a part of."""
    known = containers(values)
    found = []
    for node in simple(body):
        target = node.targets[0] if isinstance(node, n.Assign) else None
        name = base(target) if isinstance(target, n.Subscript) else grown(node)
        value = node.value if isinstance(target, n.Subscript) else entry_put_in(node) if grown(node) else None
        if name is not None and name in known and value is not None:
            found.append({name, *holders(value, values.scope)})
    return found


def taken(tape: Sequence[str]) -> n.stmt:
    """The statement that gives what is on the tape its names again."""
    target = n.Tuple(elts=[as_target(expression(name)) for name in tape], ctx=n.Store())
    return n.Assign(targets=[target], value=expression("tape"), type_comment=None)


def takes(node: n.stmt) -> bool:
    """Whether a statement is what :func:`taken` has written."""
    return isinstance(node, n.Assign) and isinstance(node.value, n.Name) and node.value.id == "tape"


def lists_of(body: Block) -> set[str]:
    """The lists that a block makes shorter or longer, by any of their names."""
    calls = [part.func for node in body for part in n.walk(node) if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)]
    found = {call.value.id for call in calls if call.attr in ("pop", "append", "insert") and isinstance(call.value, n.Name)}
    names = [node for node in simple(body) if isinstance(node, n.Assign) and isinstance(node.value, n.Name)]
    while more := {node.value.id for node in names if target_names(node.targets[0]) & found} - found:
        found |= more
    return found


def is_pull(node: n.stmt) -> bool:
    """Whether a statement stands for the end of the forward sweep."""
    call = node.value if isinstance(node, n.Expr) else None
    return isinstance(call, n.Call) and isinstance(call.func, n.Name) and call.func.id == PULL
