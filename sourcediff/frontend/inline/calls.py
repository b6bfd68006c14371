"""Inline calls of user functions: the body stands in place of the call, with names that no other function uses.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def layer(w, x, slope=0.1):
...     y = w @ x
...     return np.maximum(y, slope * y)
>>> def network(w, x):
...     y = layer(w, x)
...     return np.sum(layer(w, y, slope=0))
>>> print(text_after("unbound_names", network))
y1 = w @ x
t = 0.1 * y1
y = np.maximum(y1, t)
y2 = w @ y
t1 = 0 * y2
t2 = np.maximum(y2, t1)
value = np.sum(t2)
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ... import rules
from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.applications import record_of
from ...analysis.environment.captured import defaults_of
from ...analysis.literals import constant, literal
from ...analysis.scope import MISSING, bound_names
from ...analysis.source.may_be_active import carrying
from ...runtime.arrays.library import is_array
from ...runtime.user_objects import is_composite
from ...syntax import nodes as n
from ...syntax.function import name_of
from ...syntax.quote import altered, clone, expression, names, place, position_of, remade
from ...syntax.source import Source, read
from ...syntax.text import to_source
from ..function_trees import around_of, parameters_of, resolving
from ..lower.forms import clone_with, nothing
from ..lower.kinds import certainly_array
from ..order.with_and_try import note_lines
from ..read.lambda_lifting import lifted
from ..read.solver_calls import solver_calls
from ..read.unsupported import unsupported_places
from ..room import Room
from .attributes import Bound
from .options import LITERAL, SOMETHING, Kind, asks, decided, is_plain_function

NUMBER = Abstract("python")
"""A number of whatever dtype."""

DEEPEST = 40
"""Levels of calls, one within another, that are followed."""

MANY = 100
"""So many bodies are written out; further calls stay calls, so that what is written grows with the source, not with its calls of calls."""

MOST = 1000
"""So many bodies are written out of functions that cannot stay calls."""


OF_RULES = rules.__name__ + "."
"""How the modules are called in which rules are written in Python."""


class Inner(NamedTuple):
    """A function that is defined inside another one: its tree, a source to point at, and its defaults, each under a name."""

    tree: n.FunctionDef
    source: Source
    defaults: dict[str, Any]


class Calls(Room):
    """Walks function bodies, one inside another where calls are inlined."""

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        if isinstance(function, Inner):
            return self.inner(function, node)
        if isinstance(function, Bound):
            return self.value(self.given(function, node))
        own = is_composite(function) or function.__module__.startswith(OF_RULES)
        apart = not own or hasattr(function, "__noinline__")
        if not own and not self.carries(node):
            return node
        if apart and (linked := self.lower.linked_calls.linked(function, node)) is not None:
            return linked
        if own:
            return self.embedded(function, node)
        why = self.lower.linked_calls.unlinked(function, node) or "what it is given is not known"
        return self.refused(node, f"{name_of(function)}, which stays a call,", why,
                            "write a loop, or a function of arrays and numbers that it leaves as they are")

    def embedded(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        source = read(function)
        if is_composite(function):
            plain = not function.__annotations__  # else it takes a list or a tuple as it is
            several = inspect.getfullargspec(function).varargs is not None
            node = altered(node, args=[self.array_of(argument, plain and (several or not k)) for k, argument in enumerate(node.args)])
            source = standing_at(source, node, self.state.sources[-1], function, self.lower.expressions.literal)
        if solver_calls(lifted(source)) is not source and (linked := self.lower.linked_calls.linked(function, node)) is not None:
            return linked  # it has inner functions that call themselves, which are known to it alone
        if refused := unsupported_places(source):
            self.state.places.extend(place for place in refused if place not in self.state.places)
            return nothing()
        tree = source.tree
        given = self.lower.arguments.given_names(tree, node)
        if given is None:
            return nothing()
        operands = {parameter: self.argument(argument) for parameter, argument in given.items()}
        for parameter, operand in operands.items() if is_composite(function) else ():
            if isinstance(operand, n.Name) and self.known(operand) is UNKNOWN and self.lower.operators.is_number(given[parameter]):
                self.state.kinds[operand.id] = NUMBER
        source = self.with_options(source, given, operands, defaults_of(function), resolving(function, tree))
        renamed = self.scope.adopt(source.tree, function, keep=False)
        start = self.lower.arguments.passed_on(source, node, operands, renamed, defaults_of(function))
        return nothing() if start is None else self._called(source, node, start, renamed)

    def argument(self, node: n.expr) -> n.expr:
        """An argument of a call that is written out under a name; a derivative, ``grad(f)``, is a function like others."""
        made = self.lower.transformed(node) if isinstance(node, n.Call) else None
        if made is None:
            return self.operand(node, always=True)
        name = self.scope.fresh("derivative")
        self.state.functions[name] = made
        return expression(name)

    def array_of(self, argument: n.expr, first: bool) -> n.expr:
        """An argument of a library's function, an array where that is a list of numbers (or, the ``first`` one, any list)."""
        numbers = isinstance(argument, n.List) and constant(argument) is not MISSING
        known = self.known(argument)
        is_list = isinstance(argument, n.List) or getattr(argument, "id", "") in self.state.lists or type(known.items) is not tuple
        if not numbers and not (first and known.kind == "sequence" and is_list):
            return argument
        return place(expression("$np.array($a)", np=self.scope.imported("np", np), a=argument), argument)

    def with_options(
        self, source: Source, given: Mapping[str, n.expr], operands: Mapping[str, n.expr], defaults: Mapping[str, Any],
        resolve: Callable[[n.expr], Any],
    ) -> Source:
        """A function with what it asks of its parameters decided: whether they are None, functions, words or numbers, and which."""
        known: dict[str, Any] = {}
        for parameter in parameters_of(source.tree):
            argument = given.get(parameter, defaults.get(parameter, ...))
            shown = argument.value if isinstance(argument, n.Constant) else argument
            if shown is None or type(shown) in LITERAL:
                known[parameter] = shown
            elif (function := self.function_behind(operands.get(parameter, argument))) is not MISSING:
                known[parameter] = function
            elif is_composite(source.function) and parameter in given and (
                    self.carries(argument) or isinstance(argument, n.Compare) or self.known(argument).kind == "array"):
                known[parameter] = SOMETHING
        asked = operands.items() if is_composite(source.function) else ()
        kinds = {name: kind for name, part in asked if (kind := self.kind_of(part, given.get(name, part))) is not None}
        return source._replace(tree=decided(source.tree, known, resolve, kinds)) if known or kinds or asks(source.tree) else source

    def kind_of(self, argument: n.expr, as_given: n.expr) -> Kind | None:
        """What class the value of an argument is certainly of, as far as composites ask."""
        if (instance := self.lower.attributes.instance(argument)) is not None:
            return Kind(instance.kind)
        if (record := record_of(argument, self.scope)) is not None:
            return Kind(record.kind, record=record)
        known = self.known(argument)
        if known.kind == "sequence":
            is_tuple = isinstance(known.items, tuple) and getattr(argument, "id", "") not in self.state.lists
            return Kind(tuple, len(known.items)) if is_tuple else None
        read = getattr(self.scope.free.get(getattr(argument, "id", "")), "value", None)
        if certainly_array(as_given, self.scope) or self.lower.kinds.is_array(argument) or is_array(read):
            return Kind(np.ndarray)
        if known.kind in ("array", "python", "numpy") or self.lower.operators.is_number(as_given):
            return Kind(np.ndarray if known.kind == "array" else float)
        return Kind(object) if self.carries(argument) and known.kind == "unknown" else None

    def function_behind(self, argument: Any) -> Any:
        """The function that an argument, or a default, is; MISSING if it is something else, or not known."""
        if isinstance(argument, n.Name) and argument.id in self.state.functions:
            return self.state.functions[argument.id]
        found = self.scope.resolve(argument) if isinstance(argument, n.expr) else argument
        return found if is_plain_function(found) else MISSING

    def given(self, function: Bound, node: n.Call) -> n.Call:
        """The call of a function that was given some arguments already, with all of them."""
        own = {keyword.arg for keyword in node.keywords}
        keywords = [n.keyword(arg=name, value=value) for name, value in function.named.items() if name not in own]
        return place(n.Call(func=function.callee, args=[*function.first, *node.args], keywords=[*keywords, *node.keywords]), node)

    def _called(self, source: Source, node: n.Call, start: set[str], renamed: dict[str, str]) -> n.expr:
        """Append a function's body, its parameters bound; the expression it returns."""
        self.state.names |= start
        if (caught := self.scope.tried.get(position_of(node) or ("", 0))) is not None:  # what it calls may raise it too
            note_lines(source.tree, caught, self.scope)
        self.state.calls.append(node)
        named = self.lower.bodies.function(source, start, keep=False, renamed=renamed)
        self.state.calls.pop()
        self.state.out.extend(named)
        self.state.names |= carrying(named, self.state.names, self.scope)
        active = {owner for (owner, _), local in self.state.locals.items() if local in self.state.names}
        self.state.names |= active & self.state.instances.keys()
        return self.returned_now(named.result, node) if named.result is not None else nothing()

    def returned_now(self, result: n.expr, node: n.Call) -> n.expr:
        """What a call returns, as it is now: the next one may bind the variables around a function anew, and the attributes of objects."""
        if isinstance(result, (n.Tuple, n.List)):
            return clone_with(result, [self.returned_now(part, node) for part in result.elts])
        if isinstance(result, n.Name) and result.id in {*self.state.instances, *self.state.functions, *self.state.partly}:
            return result
        around = {name for function in self.state.functions.values() if isinstance(function, Inner) for name in around_of(function.tree)}
        here = {owner for owner, known in self.state.instances.items() if not known.path}
        made = {local for (owner, _), local in self.state.locals.items() if owner in here}
        if (around | made).isdisjoint(names(result)):
            return result
        return self.bound(self.scope.fresh("t"), result, node)

    def inner(self, function: Inner, node: n.Call) -> n.expr:
        """The body of a function that is defined inside: what it reads from around it are plain names, read now."""
        tree = function.tree
        if any(source.tree is tree for source in self.state.sources):
            return self.refused(node, f"{tree.name}, which calls itself,", "it changes what is around it, or is more than called",
                                "define it at module level, and give it what it reads")
        given = self.lower.arguments.given_names(tree, node)
        if given is None:
            return nothing()
        operands = {parameter: self.argument(argument) for parameter, argument in given.items()}
        renamed = {name: self.lower.bodies.own(name) for name in sorted(bound_names(tree) - around_of(tree))}
        source = self.with_options(function.source._replace(tree=tree), given, operands, function.defaults, self.scope.resolve)
        start = self.lower.arguments.passed_on(source, node, operands, renamed, function.defaults)
        return nothing() if start is None else self._called(source, node, start | self.state.names, renamed)

    def define(self, name: str, tree: n.FunctionDef) -> None:
        """Keep a function that is defined inside for the calls of it; its defaults are computed now."""
        defaults: dict[str, Any] = {}
        positional = [*tree.args.posonlyargs, *tree.args.args]
        pairs = [*zip(positional[len(positional) - len(tree.args.defaults):], tree.args.defaults),
                 *zip(tree.args.kwonlyargs, tree.args.kw_defaults)]
        for parameter, value in pairs:
            if value is not None:
                known = isinstance(value, n.Constant) or isinstance(value, (n.Name, n.Attribute)) and callable(self.scope.resolve(value))
                defaults[parameter.id] = value if known else self.bound(self.scope.fresh(parameter.id), self.value(value), value)
        source = self.state.sources[-1]
        if tree.decorator_list:
            self.refused(tree, "this decorator of an inner function", "what it makes of the function is not known",
                         "call the function itself")
        self.state.defined[name] = tree, source
        again = name in self.state.locals.values() and (name in self.state.functions or name in self.state.partly)
        if name in self.state.often or name in self.state.callees or again:
            self.refused(tree, f"{tree.name}, an inner function,", "it is bound more than once", "give each function a name of its own")
        self.state.functions[name] = Inner(tree, source._replace(tree=tree), defaults)
        self.state.names.add(name)

    def lambda_(self, node: n.Lambda, name: str = "") -> n.expr:
        """A lambda as an inner function, called ``name``, if that is given."""
        name = name or self.scope.fresh("function")
        body = [place(n.Return(value=node.body), node)]
        tree = n.FunctionDef(name=name, args=node.args, body=body, decorator_list=[], returns=None, type_comment=None, type_params=[])
        self.define(name, place(tree, node))
        return expression(name)


def standing_at(source: Source, node: n.Call, around: Source, function: Any, known: Callable[[n.expr], Any]) -> Source:
    """A function of the library's own as if it stood where it is called, its literal arguments and defaults where it reads them, and
    what it asks of these decided: nobody asks for its lines."""
    args, named = source.tree.args, {keyword.arg: keyword.value for keyword in node.keywords}
    bound = {part.id for part in n.walk(source.tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
    tree = source.tree
    if None not in named and not any(isinstance(part, n.Starred) for part in node.args):
        positional = [*args.posonlyargs, *args.args]
        free = positional[len(positional) - len(args.defaults):]
        given = dict(zip((parameter.id for parameter in free), args.defaults))
        given |= {parameter.id: value for parameter, value in zip(args.kwonlyargs, args.kw_defaults) if value is not None}
        given |= named | {parameter.id: value for parameter, value in zip(positional, node.args)}
        values = {name: known(value) for name, value in given.items() if name not in bound}
        left = {name: spelled(value) for name, value in values.items() if is_plain(value)}
        tree = altered(tree, body=[clone(statement, left) for statement in tree.body])
        tree = decided(tree, {}, resolving(function, tree))
        tree = altered(tree, body=[without_trifles(statement) for statement in tree.body])
    tree = clone(tree)
    for part in n.walk(tree):
        place(part, node)
    return source._replace(tree=tree, file=around.file, first_line=around.first_line, lines=around.lines)


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a word, None, or a tuple of these."""
    return value is None or type(value) in (int, float, bool, str) or type(value) is tuple and all(map(is_plain, value))


def spelled(value: Any) -> n.expr:
    """A literal as a tree.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(spelled((-math.inf, math.nan, "inf")))
    "-np.inf, np.nan, 'inf'"
    """
    if isinstance(value, tuple):
        return n.Tuple(elts=[*map(spelled, value)], ctx=n.Load())
    return expression(f"np.{value}".replace("np.-", "-np.") if isinstance(value, float) and not math.isfinite(value) else repr(value))


def without_trifles(node: Any) -> Any:
    """A tree of the library's own with the numbers that its expressions are, and without what does nothing.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(without_trifles(expression("(x - 0) / np.where((1 > 0) & (a > 0), 1, np.nan) - np.log(1)")))
    'x / np.where(a > 0, 1, np.nan)'
    """
    node = remade(node, without_trifles)
    parts = [part for part in n.walk(node) if isinstance(part, (n.Name, n.Attribute))]
    asked = isinstance(node, n.Compare) and not isinstance(node.ops[0], (n.Is, n.IsNot, n.In, n.NotIn))
    if (asked or isinstance(node, (n.Call, n.BinOp, n.UnaryOp))) and all(isinstance(p, n.Attribute) or p.id == "np" for p in parts):
        try:
            with np.errstate(all="ignore"):
                number = eval(to_source(node), {"np": np})
        except (ArithmeticError, AttributeError, TypeError, ValueError):  # of a part that is not reached
            return node
        if isinstance(number, (int, float, np.bool_, np.number)) and np.isfinite(number):
            return literal(np.asarray(number).item())
    if isinstance(node, n.Subscript) and isinstance(node.value, n.Tuple) and type(position := constant(node.slice)) is int:
        return node.value.elts[position]
    if isinstance(node, n.BinOp):
        left, right = constant(node.left), constant(node.right)
        if left is True and isinstance(node.op, n.BitAnd) or left == 0 and isinstance(node.op, n.Add):
            return node.right
        if right == 0 and isinstance(node.op, (n.Add, n.Sub)) or right == 1 and isinstance(node.op, (n.Mult, n.Div)):
            return node.left
        if left == 1 and isinstance(node.op, n.Mult):
            return node.right
    return node
