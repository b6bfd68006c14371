"""Compile the other transforms inside of a program (``vjp``, ``jvp``, ``jacobian`` …) by the sweeps that they are made of.

>>> import numpy as np
>>> import sourcediff
>>> from sourcediff.api.explain import text_after
>>> def speed(x, v):
...     return sourcediff.jvp(lambda y: y ** 3, (x,), (v,))[1]
>>> print(text_after("inline_temporaries", speed, args=(2.0, 3.0), wrt=1))
seed_bar = 3 * x ** 2
return seed_bar

``jvp`` is the sweep of forward mode, ``hvp`` that of the gradient. ``vjp`` is the pair of sweeps: the pullback is a function that is
called. A Jacobian is the sweep with all unit vectors at once or, where the rules do not allow that, a loop over them; a Hessian is
the Jacobian of the gradient.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.environment.asked_of_classes import is_derivative
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...errors import UnsupportedSyntaxError
from ...runtime.arrays import as_seed, check_diagonal, probes
from ...runtime.structures import copied
from ...syntax import nodes as n
from ...syntax.function import TRANSFORMS
from ...syntax.quote import altered, as_target, expression, place, statement
from ...syntax.source import Source
from ..function_trees import headed
from ..lower.forms import nothing
from ..room import Room
from .gradients import InnerDerivative, InnerDerivativeCall, is_floating_argument

CURRIED = ("jacobian", "hessian", "hvp", "elementwise_grad")
DIRECT = ("jvp", "vjp")
STRUCTURES = {"sequence", "mapping", "mixed", "object"}


class Mapped(NamedTuple):
    """A function that a transform has made: ``door`` of a function, with respect to some of its parameters."""

    door: str
    of: Any
    wrt: tuple[str, ...]
    single: bool


class Direct(NamedTuple):
    """A call of ``jvp`` or ``vjp``, with its arguments by name."""

    door: str
    of: Any
    given: dict[str, Any]


class InnerPullback(NamedTuple):
    """A pullback: what is on its tape and what takes that, with respect to which arguments; ``value`` is that of the function."""

    tape: tuple[n.expr, ...]
    back: Source | None
    asked: InnerDerivativeCall
    value: Abstract
    output: str
    single: bool
    loops: int


class Transforms(Room):
    """Knows the transforms other than gradients."""

    def called(self, node: n.Call) -> Any:
        """The function of the user's, or what a transform has made of one, that a call is of, or None."""
        door = self.door(node)
        if door in DIRECT:
            return self.direct(node)
        if isinstance(node.func, (n.Subscript, n.Name)) and (pulled := self.pullback(node.func)) is not None:
            return pulled
        return self.lower.gradients.called(node)

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a function, or what is written for a transform of one, in place of its call; the expression it returns."""
        if is_derivative(function) and hasattr(function.sourcediff, "door"):
            runner = function.sourcediff
            if runner.mode == "eager" or runner.has_aux or runner.sparse:
                self.lower.gradients.unknown(node)
                return nothing()
            function = Mapped(runner.door, runner.function, runner.wrt, runner.single)
        if isinstance(function, Mapped):
            return self.transform_of(function, node)
        if isinstance(function, Direct):
            return self.swept(function, node)
        if isinstance(function, InnerPullback):
            return self.pulled_back(function, node)
        return self.lower.gradients.inlined(function, node)

    def value(self, node: n.expr) -> n.expr:
        """The right-hand side of an assignment; of ``jvp(…)[1]`` one entry of what is inlined."""
        position = constant(node.slice) if isinstance(node, n.Subscript) else MISSING
        if type(position) is int and isinstance(node.value, n.Call) and self.is_transform(node.value):
            whole = self.lower.expressions.value(node.value)
            if isinstance(whole, n.Tuple) and -len(whole.elts) <= position < len(whole.elts):
                return self.value(whole.elts[position])
            return self.lower.expressions.value(place(n.Subscript(value=whole, slice=node.slice, ctx=n.Load()), node))
        return self.lower.expressions.value(node)

    def is_transform(self, node: n.Call) -> bool:
        """Whether a call is of ``jvp``, of a pullback, or of what another transform has made."""
        if isinstance(node.func, n.Subscript):
            return self.door(node.func.value) == "vjp"
        made = self.state.functions.get(node.func.id) if isinstance(node.func, n.Name) else None
        return isinstance(made, (Mapped, InnerPullback, InnerDerivative)) or bool(self.door(node) in DIRECT or self.door(node.func))

    def door(self, node: n.expr) -> str:
        """The name of the transform that a call is of, else empty."""
        found = self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        return found.__name__ if inspect.isfunction(found) and found in TRANSFORMS else ""

    def transformed(self, node: n.expr) -> Any:
        """What a call like ``grad(f, 1)`` makes, or the pullback that ``vjp(f, x)[1]`` is; None of any other expression."""
        if isinstance(node, (n.Subscript, n.Name)):
            return self.pullback(node)
        return None if self.door(node) in DIRECT else self.lower.gradients.transformed(node)

    def made_by(self, door: Any, given: Any, node: n.Call) -> Any:
        """What ``door`` makes of the function that a call gives it; None if it is refused."""
        if door.__name__ not in CURRIED:
            return self.lower.gradients.made_by(door, given, node)
        asked = {name: constant(part) for name, part in given.items() if name not in ("function", "direction")}
        of = self.lower.function_of(given.get("function"))
        if of is None or MISSING in asked.values() or asked.get("mode") == "eager" or asked.get("has_aux") or (
                asked.get("sparsity") is not None):
            self.lower.gradients.unknown(node)
            return None
        return Mapped(door.__name__, of, *self.lower.gradients.wrt_of(of, asked.get("wrt", 0)))

    def function_of(self, node: Any) -> Any:
        """The function that the argument of a transform names, or None. What another transform has made is a function that calls it."""
        found = self.lower.gradients.function_of(node)
        if isinstance(found, InnerPullback):
            return None
        if is_derivative(found) and hasattr(found.sourcediff, "door"):
            runner = found.sourcediff
            found = None if runner.mode == "eager" or runner.has_aux else Mapped(runner.door, runner.function, runner.wrt, runner.single)
        if not isinstance(found, Mapped):
            return found
        if found.door == "hvp":  # it does not show that it takes a vector too
            return None
        names = self.lower.gradients.parameters(found.of)
        call = n.Call(func=node, args=[expression(name) for name in names], keywords=[])
        wrapper = n.Lambda(args=headed("", names).args, body=place(call, node))
        return self.state.functions[self.lower.calls.lambda_(place(wrapper, node)).id]

    # jvp and vjp

    def direct(self, node: n.Call) -> Direct | None:
        """A call of ``jvp`` or ``vjp``; None if it is refused."""
        door, keywords = self.door(node), {keyword.arg: keyword.value for keyword in node.keywords}
        names = ("function", "primals", "tangents", "mode") if door == "jvp" else ("function",)
        given: dict[str, Any] = dict.fromkeys(("primals", "tangents"), nothing()) | dict(zip(names, node.args))
        given["args"] = [] if door == "jvp" else list(node.args[1:])
        given |= keywords
        of = self.lower.function_of(given["function"]) if "function" in given else None
        options = [constant(given[name]) for name in ("mode", "wrt", "has_aux", "check") if name in given]
        if of is None or MISSING in options or "eager" in options or True in options or None in keywords:
            self.lower.gradients.unknown(node)
            return None
        given["keywords"] = [keyword for keyword in node.keywords
                             if keyword.arg not in ("function", "primals", "tangents", "mode", "wrt", "has_aux", "check")]
        return Direct(door, of, given)

    def swept(self, function: Direct, node: n.Call) -> n.expr:
        """``(value, tangent)`` of ``jvp``, ``(value, pullback)`` of ``vjp``."""
        given, parameters = function.given, self.lower.gradients.parameters(function.of)
        if function.door == "jvp":
            primals, tangents = given["primals"], given["tangents"]
            both = isinstance(primals, (n.Tuple, n.List)) and isinstance(tangents, (n.Tuple, n.List))
            if not both or len(primals.elts) != len(tangents.elts) or len(primals.elts) > len(parameters):
                return self.refused(node, "this jvp inside a differentiated function", "which tangent goes with which primal is not known",
                                    "write both as tuples: jvp(f, (x, y), (x_dot, y_dot))")
            moved = {name: part for name, part in zip(parameters, tangents.elts)
                     if not isinstance(part, n.Constant) or part.value is not None}
            derivative = InnerDerivative(function.of, parameters, tuple(moved), False, True, "forward")
            asked = self.lower.gradients.asked_at(derivative, primals.elts, given["keywords"], node)
            return nothing() if asked is None else self.pushed(asked, list(moved.values()))
        if "wrt" in given:
            wrt, single = self.lower.gradients.wrt_of(function.of, constant(given["wrt"]))
        else:
            wrt, single = parameters[:len(given["args"])], False
        derivative = InnerDerivative(function.of, parameters, wrt, False, True, "pullback")
        asked = self.lower.gradients.asked_at(derivative, given["args"], given["keywords"], node)
        return nothing() if asked is None else self.pair(asked, single)

    def pushed(self, asked: InnerDerivativeCall, tangents: Sequence[n.expr], checked: bool = True) -> n.expr:
        """The value and the tangent, as a display."""
        seeds = [self.seed(part, asked.operands[name], self.of(asked, name)) if checked else part
                 for name, part in zip(asked.taken.wrt, tangents)]
        if asked.known is None:
            extra = {f"{name}'": seed for name, seed in zip(asked.taken.wrt, seeds)}
            more = asked._replace(parameters=[*asked.parameters, *extra], operands=asked.operands | extra)
            whole = self.lower.gradients.opaque(more, "pushed")
            return place(n.Tuple(elts=[expression("$w[$k]", w=whole, k=k) for k in range(2)], ctx=n.Load()), asked.node)
        source = self.lower.gradients.written(asked.taken, asked.lifted, asked.known)
        return self.lower.gradients.embodied(source, self.extended(asked, source, seeds))

    def extended(self, asked: InnerDerivativeCall, source: Source, seeds: Sequence[n.expr]) -> InnerDerivativeCall:
        """A call with operands for the last parameters of what is written for it."""
        last = [parameter.id for parameter in source.tree.args.args[-len(seeds):]]
        return asked._replace(operands=asked.operands | dict(zip(last, seeds)))

    def of(self, asked: InnerDerivativeCall, name: str) -> Abstract:
        """What is known of an argument."""
        return dict(asked.known or ()).get(name, UNKNOWN)

    def seed(self, given: n.expr, like: n.expr, known: Abstract) -> n.expr:
        """A tangent or cotangent, made sure to have the kind and the shape of what it belongs to."""
        if known.kind in STRUCTURES:
            return self.refused(given, "a tangent of a structure inside a differentiated function",
                                "only those of arrays and numbers are followed", "write the function with an argument for each array")
        if known.scalar and type(constant(given)) is float:
            return given
        return self.helped("seed", "as_seed", as_seed, self.operand(is_floating_argument(given), always=True), self.shape(like), at=given)

    def shape(self, x: n.expr) -> n.expr:
        """The shape of an array, or of a number."""
        return expression("$np.shape($x)", np=self.scope.known(np, "np", self.state.sources[0].function), x=x)

    def pair(self, asked: InnerDerivativeCall, single: bool) -> n.expr:
        """The value of a function and its pullback, as a display."""
        name = self.scope.fresh("pullback")
        if asked.known is None:
            value = self.lower.gradients.opaque(asked, "pulled")
            self.state.functions[name] = InnerPullback((), None, asked, UNKNOWN, value.id, single, self.state.loops)
        else:
            forward, back = self.lower.gradients.written(asked.taken, asked.lifted, asked.known)
            whole = self.lower.gradients.embodied(forward, asked)
            if not isinstance(whole, n.Tuple):
                return nothing()
            shared = {getattr(part, "id", None) for part in asked.operands.values()}
            value, *tape = [part if isinstance(part, n.Name) and part.id not in shared
                            else self.bound(self.scope.fresh("kept"), part, asked.node) for part in whole.elts]
            self.state.functions[name] = InnerPullback(tuple(tape), back, asked, self.known(value), value.id, single, self.state.loops)
        self.state.names.add(name)
        return place(n.Tuple(elts=[value, expression(name)], ctx=n.Load()), asked.node)

    def pullback(self, node: n.expr) -> InnerPullback | None:
        """The pullback that an expression stands for, or None."""
        if isinstance(node, n.Subscript) and constant(node.slice) == 1 and self.door(node.value) == "vjp":
            display = self.value(node.value)
            node = display.elts[1] if isinstance(display, n.Tuple) else node
        found = self.state.functions.get(node.id) if isinstance(node, n.Name) else None
        return found if isinstance(found, InnerPullback) else None

    def pulled_back(self, function: InnerPullback, node: n.Call) -> n.expr:
        """The adjoints that a pullback gives, as a tuple."""
        asked = function.asked
        if len(node.args) != 1 or node.keywords:
            return self.refused(node, "this call of a pullback", "it takes one cotangent", "check the call")
        seed = self.seed(node.args[0], expression(function.output), function.value)
        if function.back is None:
            count = self.state.pulls[asked.key] = self.state.pulls.get(asked.key, 0) + 1 + (self.state.loops > function.loops)
            key = (*asked.key, (-1, count))
            derivative = asked.taken._replace(single=function.single)
            extra = {"cotangent": seed}
            parameters, operands = [*asked.parameters, *extra], asked.operands | extra
            made = InnerDerivativeCall(derivative, asked.lifted, parameters, operands, asked.defaults, key, node, None)
            return self.lower.gradients.opaque(made, "gradient")
        assert self.state.deriving is not None
        often = any((*asked.key, (-1, count)) in (self.state.deriving.arguments or ()) for count in (2, 3))
        back = with_lists(function.back, often)
        names = [parameter.id for parameter in back.tree.args.args]
        swept = asked._replace(operands=dict(zip(names, [*function.tape, seed])), defaults={}, node=node)
        found = self.lower.gradients.embodied(back, swept)
        return self.entry_of(found, 0) if function.single else found

    # What a transform has made

    def transform_of(self, function: Mapped, node: n.Call) -> n.expr:
        """What ``jacobian``, ``hessian``, ``hvp`` or ``elementwise_grad`` of a function gives."""
        of, wrt = function.of, function.wrt
        parameters = self.lower.gradients.parameters(of)
        args = [self.operand(part, always=True) for part in node.args[:len(node.args) - (function.door == "hvp")]]
        if function.door in ("hvp", "hessian"):
            of = InnerDerivative(of, parameters, wrt, function.single, False)
        if function.door == "hvp":
            return self.second(of, wrt, function.single, args, node)
        if not function.single and function.door == "hessian":
            return self.refused(node, "this hessian inside a differentiated function", "it is a tuple of tuples", "give wrt one parameter")
        parts: list[n.expr] = []
        for name in wrt:
            inner = InnerDerivative(of, parameters, (name,), False, True, "forward")
            asked = self.lower.gradients.asked_at(inner, args, node.keywords, node)
            parts.append(nothing() if asked is None else self.matrix(asked, name, function.door == "elementwise_grad"))
        return parts[0] if function.single else place(n.Tuple(elts=parts, ctx=n.Load()), node)

    def second(self, of: InnerDerivative, wrt: tuple[str, ...], single: bool, args: list[n.expr], node: n.Call) -> n.expr:
        """The product of the Hessian and the vector that comes last: the tangent of the gradient."""
        if not node.args or not single and not isinstance(node.args[-1], (n.Tuple, n.List)):
            return self.refused(node, "this hvp inside a differentiated function", "which vector goes with which argument is not known",
                                "write the arguments, and then the vector, or a tuple of vectors")
        vectors = [node.args[-1]] if single else list(node.args[-1].elts)
        asked = self.lower.gradients.asked_at(InnerDerivative(of, of.parameters, wrt, False, True, "forward"), args, node.keywords, node)
        return nothing() if asked is None else self.entry_of(self.pushed(asked, vectors), 1)

    def entry_of(self, whole: n.expr, position: int) -> n.expr:
        """One entry of a tuple that something inlined has returned."""
        return whole.elts[position] if isinstance(whole, n.Tuple) else expression("$w[$k]", w=whole, k=position)

    def matrix(self, asked: InnerDerivativeCall, name: str, diagonal: bool) -> n.expr:
        """A Jacobian, or the diagonal of one."""
        at, x = asked.node, asked.operands[name]
        if asked.known is None:
            return self.lower.gradients.opaque(asked, "gradient" if diagonal else "jacobian")
        assert self.state.deriving is not None
        known = self.of(asked, name)
        value = self.state.deriving.returned(self.lower.gradients.within(asked.taken, asked.lifted, asked.known), asked.taken, asked.known)
        if STRUCTURES & {value.kind, known.kind}:
            return self.refused(at, "the Jacobian of a structure inside a differentiated function", "it would be a structure of arrays",
                                "write a function of one array that returns one")
        if known.scalar and (value.scalar or not diagonal):
            return self.entry_of(self.pushed(asked, [n.Constant(value=1.0, kind=None)], checked=False), 1)
        units = self.helped("units", "probes", probes, x, n.Constant(value=diagonal, kind=None), at=at)
        columns = self.at_once(asked, units) or self.one_after_another(asked, units)
        if diagonal:
            check = expression(self.scope.imported("check_diagonal", check_diagonal))
            call = n.Call(func=check, args=[columns, units, self.shape(x)], keywords=[])
            self.state.out.append(place(n.Expr(value=place(call, at)), at))
            return self.bound(self.scope.fresh("slopes"), place(expression("$c[0]", c=columns), at), at)
        numpy = self.scope.known(np, "np", self.state.sources[0].function)
        moved = self.bound(self.scope.fresh("matrix"), place(expression("$np.moveaxis($c, 0, -1)", np=numpy, c=columns), at), at)
        if known.rank == 1:
            return moved
        shape = expression("$np.shape($c)[1:] + $np.shape($x)", np=numpy, c=columns, x=x)
        whole = self.bound(self.scope.fresh("matrix"), place(expression("$np.reshape($m, $s)", np=numpy, m=moved, s=shape), at), at)
        return whole if known.rank else expression("$m[()]", m=whole)

    def helped(self, name: str, helper: str, function: Any, *args: n.expr, at: n.AST) -> n.expr:
        """Append the call of a helper; its result's name."""
        call = n.Call(func=expression(self.scope.imported(helper, function)), args=list(args), keywords=[])
        return self.bound(self.scope.fresh(name), place(call, at), at)

    def at_once(self, asked: InnerDerivativeCall, units: n.expr) -> n.expr | None:
        """The tangents for all units along a leading axis, by one sweep; None where the rules do not allow that."""
        assert asked.known is not None
        try:
            source = self.lower.gradients.written(asked.taken._replace(mode="batched"), asked.lifted, asked.known)
        except UnsupportedSyntaxError:
            return None
        given = self.extended(asked, source, [units, expression("len($u)", u=units)])
        return self.operand(self.entry_of(self.lower.gradients.embodied(source, given), 1), always=True)

    def one_after_another(self, asked: InnerDerivativeCall, units: n.expr) -> n.expr:
        """The tangents for all units along a leading axis, by a loop."""
        at = asked.node
        columns, k = self.scope.fresh("columns"), self.scope.fresh("k")
        self.bound(columns, place(n.List(elts=[], ctx=n.Load()), at), at)
        self.state.names.add(columns)
        self.state.loops += 1
        with self.state.apart() as body:
            unit = self.bound(self.scope.fresh("unit"), place(expression("$u[$k]", u=units, k=k), at), at)
            tangent = self.operand(self.entry_of(self.pushed(asked, [unit], checked=False), 1), always=True)
            body.append(place(statement("$c.append($t)", c=columns, t=tangent), at))
        self.state.loops -= 1
        trips = expression("range(len($u))", u=units)
        self.state.out.append(place(n.For(target=target_of(k), iter=trips, body=body, orelse=[], type_comment=None), at))
        numpy = self.scope.known(np, "np", self.state.sources[0].function)
        return self.bound(self.scope.fresh("rows"), place(expression("$np.stack($c)", np=numpy, c=columns), at), at)


def with_lists(back: Source, often: bool) -> Source:
    """A reverse sweep that has lists of its own in place of those on the tape; one that is not run ``often`` may use these up."""
    def is_copy(node: n.stmt) -> bool:
        name = node.targets[0].id if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) else ""
        value = node.value if name else None
        if isinstance(value, n.List) and len(value.elts) == 1 and isinstance(value.elts[0], n.Starred):
            return getattr(value.elts[0].value, "id", "") == name
        return isinstance(value, n.Call) and getattr(value.func, "id", "") == "list" and getattr(value.args[0], "id", "") == name

    lists = [node.targets[0].id for node in back.tree.body if is_copy(node)]
    body = [node for node in back.tree.body if not is_copy(node)]
    if not often or not lists:
        return back._replace(tree=altered(back.tree, body=body))
    helper = "copied" if back.given.get("copied", (copied,))[0] is copied else "copied_list"
    kept = {name: f"{name}_kept" for name in lists}
    own = [place(statement("$l = $c($k)", l=name, c=helper, k=kept[name]), back.tree) for name in lists]
    args = headed("", [kept.get(parameter.id, parameter.id) for parameter in back.tree.args.args]).args
    return back._replace(tree=altered(back.tree, args=args, body=[*own, *body]), given={**back.given, helper: (copied, None, helper)})


def target_of(name: str) -> n.expr:
    """A name as the target of a loop."""
    return as_target(expression(name))
