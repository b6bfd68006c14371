"""Compile ``grad(f)`` inside of a program: in place of its call stands the derivative that the compiler writes for it.

>>> import numpy as np
>>> import sourcediff
>>> from sourcediff.api.explain import text_after
>>> def steepness(x, k):
...     slope = sourcediff.grad(lambda y: k * y ** 3)(x)
...     return slope ** 2
>>> print(text_after("unbound_names", steepness, args=(2.0, 3.0)))
t = x ** 2
t1 = 3 * t
y1_bar = k * t1
slope = y1_bar
value = slope ** 2

What a derivative is specialised for is known only once the statements before it are in normal form. So the program is brought into
that form twice: first with calls of derivatives that are not looked into (``arguments`` is None), then with their texts.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...analysis.abstract import FLOAT, Abstract
from ...analysis.environment.asked_of_classes import is_derivative
from ...analysis.environment.captured import defaults_of
from ...analysis.literals import constant
from ...analysis.scope import MISSING, bound_names, loaded_names
from ...core.facts.derivative_results import Taken
from ...runtime.derivative import form
from ...syntax import nodes as n
from ...syntax.function import TRANSFORMS, as_wrt
from ...syntax.quote import altered, clone, expression, place
from ...syntax.source import Source
from ..function_trees import headed
from ..lower.forms import nothing
from ..room import Room
from .attributes import Bound
from .calls import Inner

Key = tuple[tuple[int, int], ...]
Arguments = tuple[tuple[str, Abstract], ...]


class InnerDerivative(NamedTuple):
    """A derivative of a function that is defined inside, or of another such derivative.

    ``mode`` is what the compiler is asked for: ``"reverse"``, or ``"forward"``, ``"batched"`` and ``"pullback"`` for the transforms;
    ``"made"``: ``of`` is itself the derivative.
    """

    of: Any
    parameters: tuple[str, ...]
    wrt: tuple[str, ...]
    single: bool
    value: bool
    mode: str = "reverse"


class Deriving(NamedTuple):
    """How derivatives are written: ``write(function or source, derivative or None, arguments)`` gives the source of one, of a pullback the
    sources of both sweeps; ``returned`` likewise what is known of the value of the function that a derivative is of.

    ``arguments`` are the abstract values that each call gives, by its place; None where they are not known yet.
    """

    write: Callable[[Any, InnerDerivative | None, Arguments], Any]
    returned: Callable[[Any, InnerDerivative, Arguments], Abstract]
    arguments: Mapping[Key, Sequence[Abstract]] | None = None


class InnerDerivativeCall(NamedTuple):
    """A call of a derivative: what is known of its parameters (None: nothing yet), and the operands that they are given, by name.

    ``lifted`` is a function that is defined inside as one of its own.
    """

    taken: InnerDerivative
    lifted: Source | None
    parameters: list[str]
    operands: dict[str, n.expr]
    defaults: dict[str, Any]
    key: Key
    node: n.Call
    known: Arguments | None


class Gradients(Room):
    """Knows calls of derivatives. ``pending`` are those that have not been looked into: the place of each, and how it is called."""

    def called(self, node: n.Call) -> Any:
        """The function of the user's, or the derivative of one, that a call is of, or None."""
        if isinstance(node.func, n.Call) and (made := self.lower.transformed(node.func)) is not None:
            return self.for_call(made, node)
        function = self.lower.expressions.called(node)
        if function is None and is_derivative(found := self.scope.resolve(node.func)):
            return self.for_call(found, node)
        return function

    def for_call(self, derivative: Any, node: n.Call) -> Any:
        """The derivative for a call: of a wrapper that takes anything there is one for each way of calling it."""
        at = getattr(derivative.sourcediff, "at", None) if is_derivative(derivative) else None
        return derivative if at is None else form(at(len(node.args), tuple(keyword.arg for keyword in node.keywords)))

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a function, or what is written for a derivative, in place of its call; the expression it returns."""
        if isinstance(function, InnerDerivative) or is_derivative(function):
            return self.derivative(function, node)
        return self.lower.calls.inlined(function, node)

    def transformed(self, node: n.expr) -> Any:
        """The derivative that a call like ``grad(f, 1)`` makes, or None if it is another call."""
        door = self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        if door is MISSING or not inspect.isfunction(door) or door not in TRANSFORMS:
            return None
        assert isinstance(node, n.Call)
        bound = inspect.signature(door).bind(*node.args, **as_wrt({keyword.arg: keyword.value for keyword in node.keywords}))
        return self.lower.made_by(door, bound.arguments, node)

    def made_by(self, door: Any, given: Mapping[str, Any], node: n.Call) -> Any:
        """What ``door`` makes of the function that a call gives it; None if it is refused."""
        asked = {name: constant(part) for name, part in given.items() if name != "function"}
        of = self.lower.function_of(given.get("function"))
        if of is None or MISSING in asked.values() or asked.get("mode") == "eager" or asked.get("has_aux") or asked.get("check"):
            self.unknown(node)
            return None
        if not isinstance(of, (Inner, InnerDerivative)):
            return form(door(of, **asked))
        names, single = self.wrt_of(of, asked.get("wrt", 0))
        return InnerDerivative(of, self.parameters(of), names, single, door.__name__ == "value_and_grad")

    def unknown(self, node: n.AST) -> None:
        """Refuse a derivative of a function that is not known."""
        self.refused(node, "this derivative inside a differentiated function", "its function is not known, or it has no source",
                     "name the function, and give wrt alone, as a literal")

    def parameters(self, of: Any) -> tuple[str, ...]:
        """The names of the parameters of a function that is known."""
        if isinstance(of, Inner):
            return tuple(map(name_of_derivative, (*of.tree.args.posonlyargs, *of.tree.args.args, *of.tree.args.kwonlyargs)))
        return of.parameters if isinstance(of, InnerDerivative) else tuple(inspect.signature(of).parameters)

    def wrt_of(self, of: Any, wrt: Any) -> tuple[tuple[str, ...], bool]:
        """The names of the parameters that ``wrt`` stands for, and whether it is one."""
        parameters, single = self.parameters(of), not isinstance(wrt, tuple)
        return tuple(parameters[part] if isinstance(part, int) else part for part in ((wrt,) if single else wrt)), single

    def function_of(self, node: Any) -> Any:
        """The function that the argument of a transform names, or None."""
        at = node
        if isinstance(node, n.Lambda):
            return self.state.functions[self.lower.calls.lambda_(node).id]
        if isinstance(node, n.Call):
            if (made := self.lower.transformed(node)) is not None:
                return made
            if isinstance(node.func, n.Call):
                node = altered(node, func=self.operand(node.func, always=True))
            node = self.value(node) if self.lower.called(node) is not None or self.scope.resolve(node.func) is functools.partial else None
        if isinstance(node, n.Name) and node.id in self.state.functions:
            return self.state.functions[node.id]
        if isinstance(node, n.Name) and node.id in self.state.partly:
            return self.completed(node, at)
        found = self.scope.resolve(node) if isinstance(node, (n.Name, n.Attribute)) else MISSING
        return found if inspect.isfunction(found) else None

    def completed(self, node: n.Name, at: n.AST) -> Any:
        """A function that was given some arguments already, or a method, as one of the others; None if that is not known."""
        given: Bound = self.state.partly[node.id]
        of = self.lower.function_of(given.callee)
        if of is None or isinstance(of, Inner) and (of.tree.args.vararg or of.tree.args.kwarg):
            return None
        if not isinstance(of, (Inner, InnerDerivative)) and any(
            each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in inspect.signature(of).parameters.values()
        ):
            return None
        defaults = of.defaults if isinstance(of, Inner) else {} if isinstance(of, InnerDerivative) else defaults_of(of)
        left = [name for name in self.parameters(of)[len(given.first):] if name not in given.named and name not in defaults]
        named = {**given.named, **{name: expression(name) for name in left}}
        call = n.Call(func=given.callee, args=list(given.first), keywords=[n.keyword(arg=name, value=part) for name, part in named.items()])
        return self.state.functions[self.lower.calls.lambda_(place(n.Lambda(args=headed("", left).args, body=place(call, at)), at)).id]

    def derivative(self, function: Any, node: n.Call) -> n.expr:
        """What is written for a derivative, in place of its call; a call that is not looked into, where its arguments are not known yet."""
        taken = function if isinstance(function, InnerDerivative) else InnerDerivative(
            function, tuple(inspect.signature(function).parameters), function.sourcediff.wrt, function.sourcediff.single,
            getattr(function.sourcediff, "value", False), "made")
        asked = self.asked_at(taken, node.args, node.keywords, node)
        if asked is None:
            return nothing()
        if asked.known is None:
            return self.opaque(asked, "gradient")
        return self.embodied(self.written(taken, asked.lifted, asked.known), asked)

    def asked_at(
        self, taken: InnerDerivative, args: Sequence[n.expr], keywords: Sequence[n.keyword], node: n.Call,
    ) -> InnerDerivativeCall | None:
        """What a call gives to a derivative, by the names of its parameters; None if it is refused."""
        assert self.state.deriving is not None
        inner = taken
        while isinstance(inner.of, InnerDerivative):
            inner = inner.of
        lifted = self.closed(inner.of, node) if isinstance(inner.of, Inner) else None
        call = place(n.Call(func=node.func, args=list(args), keywords=list(keywords)), node)
        given = self.lower.arguments.given_names(headed(getattr(inner.of, "__name__", "a derivative"), taken.parameters), call)
        if given is None:
            return None
        plain = getattr(getattr(inner.of, "sourcediff", None), "function", inner.of)
        defaults = inner.of.defaults if isinstance(inner.of, Inner) else defaults_of(plain)
        outer = [] if lifted is None else [name_of_derivative(part) for part in lifted.tree.args.args[len(taken.parameters):]]
        given = {parameter: is_floating_argument(part) if parameter in taken.wrt else part for parameter, part in given.items()}
        operands = {parameter: self.operand(part, always=True) for parameter, part in given.items()}
        operands |= {name: expression(name) for name in outer}
        parameters = [*taken.parameters, *outer]
        key = tuple((part.lineno, part.col_offset) for part in (*self.state.calls, node))
        known = None
        if self.state.deriving.arguments is not None:
            known = tuple(zip(parameters, self.state.deriving.arguments.get(key, ())))
            for parameter, value in known:
                if parameter in taken.wrt and value.dtype is not None and value.dtype.kind in "iub":
                    self.refused(node, f"the derivative with respect to {parameter}, which holds integers,",
                                 "only floating-point arrays have a gradient here", f"pass {parameter}.astype(float)")
        return InnerDerivativeCall(taken, lifted, parameters, operands, defaults, key, node, known)

    def embodied(self, source: Source, asked: InnerDerivativeCall) -> n.expr:
        """The body of what is written for a derivative, in place of the call; the expression it returns."""
        renamed = self.scope.adopt(source.tree, source.function, False, source.given)
        start = self.lower.arguments.passed_on(source, asked.node, asked.operands, renamed, asked.defaults)
        return nothing() if start is None else self.lower.calls._called(source, asked.node, start, renamed)

    def written(self, taken: InnerDerivative, lifted: Source | None, arguments: Arguments) -> Any:
        """The source of a derivative, for these arguments."""
        assert self.state.deriving is not None
        if taken.mode == "made":
            return self.state.deriving.write(taken.of, None, arguments)
        return self.state.deriving.write(self.within(taken, lifted, arguments), taken, arguments)

    def within(self, taken: InnerDerivative, lifted: Source | None, arguments: Arguments) -> Any:
        """The source of the function that a derivative is of, or that function."""
        if isinstance(taken.of, InnerDerivative):
            return self.written(taken.of, lifted, arguments)
        return taken.of if lifted is None else lifted

    def opaque(self, asked: InnerDerivativeCall, what: str) -> n.expr:
        """A call of a derivative that is not looked into; ``what`` it gives."""
        taken, name = asked.taken, self.scope.fresh("derivative")

        def returned(values: Sequence[Abstract]) -> Abstract:
            assert self.state.deriving is not None
            known = tuple(zip(asked.parameters, differentiated(values, positions)))
            return self.state.deriving.returned(self.within(taken, asked.lifted, known), taken, known)

        positions = tuple(map(asked.parameters.index, taken.wrt))
        self.scope.functions[name] = Taken(positions, taken.single, taken.value, what, returned)
        self.state.pending[asked.key] = name
        values = [asked.operands.get(parameter, defaulted(asked.defaults.get(parameter))) for parameter in asked.parameters]
        call = place(n.Call(func=expression(name), args=values, keywords=[]), asked.node)
        self.state.names |= {name}
        return self.bound(self.scope.fresh("value"), call, asked.node)

    def closed(self, inner: Inner, node: n.Call) -> Source:
        """A function that is defined inside as one of its own: what it reads from around it are further parameters."""
        trees, names = [inner.tree], loaded_names(inner.tree) - bound_names(inner.tree)
        own = {inner.tree.name}
        for tree in trees:
            for name in sorted(loaded_names(tree) - bound_names(tree) - own):
                other = self.state.functions.get(name)
                if other is None:
                    continue
                made = other.tree if isinstance(other, Inner) else self.state.defined.get(name, (None,))[0]
                single = isinstance(made, n.Assign) and isinstance(made.targets[0], n.Name) and isinstance(made.value, n.Call)
                if not isinstance(other, Inner) and not single:
                    self.refused(node, f"a derivative of a function that reads {name}", "what that stands for was made outside of it",
                                 f"make {name} within the function")
                    continue
                trees.append(made)
                own.add(name)
                names |= loaded_names(made) - bound_names(made)
        if any(isinstance(part, n.Nonlocal) for tree in trees for part in n.walk(tree)):
            self.refused(node, "the derivative of a function with nonlocal", "it changes what is around it", "return the value")
        free = {*self.scope.free, *self.scope.helpers, *own}
        outer = sorted(name for name in names if name not in free and not self.scope.is_builtin(name))
        tree = clone(inner.tree)
        parameters = (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)
        tree.args = headed(tree.name, [*map(name_of_derivative, parameters), *outer]).args
        tree.body = [*map(clone, reversed(trees[1:])), *tree.body]
        given = {name: tuple(known) for name, known in self.scope.free.items()}
        given |= {name: (value, None, name) for name, value in self.scope.helpers.items()}
        return inner.source._replace(tree=tree, given=given)


def is_floating_argument(node: n.expr) -> n.expr:
    """A whole number that is differentiated, as a float."""
    value = constant(node)
    return n.Constant(value=float(value), kind=None) if type(value) is int else node


def defaulted(value: Any) -> n.expr:
    """The tree of a default."""
    return value if isinstance(value, n.AST) else n.Constant(value=value, kind=None)


def name_of_derivative(parameter: n.expr) -> str:
    """The name of a parameter."""
    name: str = parameter.id
    return name


def known_arguments(body: Sequence[n.stmt], pending: Mapping[Key, str], values: Any) -> dict[Key, list[Abstract]]:
    """The abstract values that the calls of derivatives are given, by their places."""
    places = {name: key for key, name in pending.items()}
    found: dict[Key, list[Abstract]] = {}
    for node, environment in values.before.items():
        call = node.value if isinstance(node, n.Assign) else None
        if isinstance(call, n.Call) and isinstance(call.func, n.Name) and call.func.id in places:
            taken = values.scope.functions[call.func.id]
            given = [values.of(part, environment) for part in call.args]
            found[places[call.func.id]] = differentiated(given, taken.positions)
    return found


def differentiated(values: Sequence[Abstract], positions: Sequence[int]) -> list[Abstract]:
    """What is known of arguments, with Python's numbers as floats where they are differentiated."""
    return [FLOAT if position in positions and part.kind == "python" else part for position, part in enumerate(values)]
