"""Inline calls: in place of a call of a user's function stands its body, with names that no other function uses.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def layer(w, x, slope=0.1):
...     y = w @ x
...     return np.maximum(y, slope * y)
>>> def network(w, x):
...     y = layer(w, x)
...     return np.sum(layer(w, y, slope=0))
>>> print(text_after("normalise", network))
slope = 0.1
y1 = w @ x
t = slope * y1
value = np.maximum(y1, t)
y = value
slope1 = 0
y2 = w @ y
t1 = slope1 * y2
value2 = np.maximum(y2, t1)
value1 = np.sum(value2)
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.environment.captured import defaults_of, is_user_function
from ...analysis.literals import constant, literal
from ...analysis.scope import MISSING, bound_names, function_names
from ...analysis.source.dicts import mappings
from ...analysis.source.effects import Effective
from ...analysis.source.may_be_active import carrying
from ...analysis.source.sharing import iterators
from ...analysis.statements import loads, nested
from ...core.facts.liveness import Liveness
from ...errors import SourceUnavailableError
from ...runtime.structures import check_arguments
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, names, place, statement, where
from ...syntax.source import Source, read
from ..body_passes import Frame, written
from ..desugar.star_arguments import changing
from ..desugar.star_parameters import numbered
from ..lower.expressions import Block, clone_with, nothing, star_of
from ..order.with_and_try import note_lines, note_tried
from ..read.lambda_lifting import lifted
from ..read.unsupported import places_of
from ..source_passes import reworded
from .attributes import Bound
from .linked_calls import Linker
from .options import asks, bound_first, decided, is_plain_function

SILENCED = ("all", "divide", "invalid", "over", "under")
"""What ``np.errstate`` silences."""

DEEPEST = 40
"""Levels of calls, one within another, that are followed."""

MANY = 100
"""So many bodies are written out; further calls stay calls, so that what is written grows with the source, not with its calls of calls."""

MOST = 1000
"""So many bodies are written out of functions that cannot stay calls."""


class Named(Block):
    """A block in normal form; ``result`` is the expression that the function returns (None: nothing).

    ``pending`` are the calls of derivatives that have not been looked into; ``opened`` the names of what is reached from outside: how,
    and what is known of it; ``asked`` what a gradient is asked for of.
    """

    result: n.expr | None = None
    pending: Mapping[Any, str] = {}
    opened: Mapping[str, tuple[str, Abstract]] = {}
    asked: Sequence[Any] = ()


class Inner(NamedTuple):
    """A function that is defined inside another one: its tree, a source to point at, and its defaults, each under a name."""

    tree: n.FunctionDef
    source: Source
    defaults: dict[str, Any]


class Inliner(Linker):
    """Walks function bodies, one inside another where calls are inlined."""

    embeddings = 0
    counts: Counter[str]

    @abstractmethod
    def statement(self, node: n.stmt) -> None:
        """Append the normal form of one statement to the block."""

    @abstractmethod
    def plain(self, node: n.stmt) -> Block:
        """A statement with deques and default dicts that several functions use as lists and dicts."""

    @abstractmethod
    def formed(self, node: n.stmt) -> None:
        """Append the normal form of a statement of which the parts are ready."""

    @abstractmethod
    def note_length(self, value: n.expr, count: int, at: n.AST) -> bool:
        """Note how long a value must be that so many names, or parameters, take apart; False if that is not known before it runs."""

    @abstractmethod
    def ready(self, node: n.stmt) -> n.stmt:
        """The statement with objects opened in what is evaluated before its blocks."""

    @abstractmethod
    def rebinds(self, call: n.Call) -> set[str]:
        """The names that a call binds anew, other than by an assignment of what it returns."""

    @abstractmethod
    def rebound(self, body: list[n.stmt]) -> set[str]:
        """The names that a block binds anew, by itself or by what it calls."""

    @abstractmethod
    def rebound_by_calls(self, body: list[n.stmt]) -> set[str]:
        """The names that a block binds anew by what it calls."""

    @abstractmethod
    def prepared(self, node: n.stmt) -> Any:
        """A statement with objects opened, whose own expressions hold no stars and no assignments any more."""

    def function(self, source: Source, start: set[str], keep: bool, renamed: dict[str, str] | None = None) -> Named:
        """The body of one function; ``start`` are the (renamed) parameters that may carry."""
        renamed = self.scope.adopt(source.tree, source.function, keep, source.given) if renamed is None else renamed
        self.knows_free()
        self.scope.quiet |= source.quiet
        self.scope.tapes |= {renamed.get(tape, tape) for tape in source.tapes}
        self.scope.copies |= {renamed.get(tape, tape) for tape in source.copies}
        self.scope.directories |= {renamed.get(name, name) for name in source.directories}
        self.scope.numbers |= {renamed.get(name, name) for name in source.numbers}
        first = next(iter(source.tree.args.posonlyargs + source.tree.args.args), None)
        self.selves.append((source.function, renamed.get(first.id, first.id) if first is not None else ""))
        body = [self.open(clone(part, {old: expression(new) for old, new in renamed.items()})) for part in source.tree.body]
        for part in n.walk(source.tree):
            if isinstance(part, n.With):
                said = [keyword for item in part.items for keyword in item.context_expr.keywords]
                self.scope.quiet |= {keyword.arg for keyword in said if keyword.arg in SILENCED and constant(keyword.value) == "ignore"}
        self.scope.tried.update(source.tried)
        note_tried(source.tree, self.scope, renamed)
        result = self.scope.fresh("value")
        given = {renamed.get(parameter, parameter) for parameter in parameters_of(source.tree)}
        attributes = frozenset(self.locals.values())
        nonlocal_ = {renamed.get(name, name) for part in n.walk(source.tree) if isinstance(part, n.Nonlocal) for name in part.names}
        shared = attributes.union(renamed.get(name, name) for name in around_of(source.tree))  # bound elsewhere too
        frame = Frame(source, self.scope, self, frozenset(given), frozenset(start), result, attributes | nonlocal_, shared)
        body = written(body, frame)
        counts = self.counts  # of what is written, before some of it is written twice
        lasting = given - bound_first(body, given)
        shut = shared | {name for name in lasting - self.unset if self.known(expression(name)).kind != "static"}  # that, or what was given
        self.scope.functions.update({name: known for name, known in function_names(body, self.scope).items() if name not in shut})
        self.scope.iterators |= iterators(body, self.scope)
        self.scope.mappings |= {name for name in given if self.known(expression(name)).kind == "mapping"}
        self.scope.mappings |= mappings(body, given, self.scope)
        start = start | self.names | self.heads.keys()
        start |= {local for (owner, _), local in self.locals.items() if owner in start and local not in self.opened}
        outer, self.names = self.names, carrying(body, start - self.scope.directories, self.scope)
        self.often |= {name for name, count in counts.items() if count > 1 or name in lasting}
        self.changing |= changing(body)
        outside, self.outside = self.outside, self.outside | names_outside(body)
        self.sources.append(source)
        self.deleted(body)
        returned: n.expr | None = None
        with self.apart() as done:
            for part in body:
                if isinstance(part, n.Return):
                    *before, last = self.plain(self.prepared(part))
                    for each in before:
                        self.formed(each)
                    returned = self._returned(last)
                else:
                    self.statement(part)
            known = {getattr(returned, "id", ""), *self.locals.values()}  # the caller gets these functions that are defined here
            kept = {name: function for name, function in self.functions.items() if name in known}
        self.functions |= kept
        self.sources.pop()
        self.selves.pop()
        self.names, self.outside = outer | self.heads.keys(), outside
        named = Named(done)
        named.result = returned
        return named

    def counted(self, body: Block) -> None:
        """Note how often each name is bound in a body."""
        self.counts = binding_counts(body)

    def lists_around(self) -> set[str]:
        """The names of lists that other functions bind, and the one at hand does not."""
        return {name for name in self.lists if not self.counts[name] and self.is_sequence(expression(name))}

    def made_in(self, body: Block) -> set[str]:
        """The names that stand for new objects of the user's classes somewhere in a body."""
        bound = [part for part in nested(body) if isinstance(part, n.Assign) and isinstance(part.targets[0], n.Name)]
        return {node.targets[0].id for node in bound if isinstance(node.value, n.Call) and self.made(node.value)}

    def deleted(self, body: Block) -> None:
        """Refuse what is read after ``del`` has taken its name away."""
        if not any(isinstance(part, n.Delete) for part in nested(body)):
            return
        functions = [part for node in body for part in n.walk(node) if isinstance(part, (n.FunctionDef, n.Lambda))]
        live = Liveness(body, loads(functions))
        for node in nested(body):
            for target in node.targets if isinstance(node, n.Delete) else ():
                if isinstance(target, n.Name) and target.id in live.after[node]:
                    self.refused(target, f"{target.id}, read after del,", "there is nothing to read any more", "leave the del out")

    def flag(self, base: str) -> str:
        """A new name for a flag."""
        name = self.scope.fresh(base)
        self.scope.flags.add(name)
        return name

    def own(self, name: str) -> str:
        """The name for a variable of a comprehension or an inner function: its own, once, if nothing else is called so."""
        new = self.scope.fresh(name) if name in self.outside else name
        self.outside = self.outside | {new}
        return new

    def _returned(self, node: n.Return) -> n.expr | None:
        if node.value is None or isinstance(node.value, n.Constant):
            return node.value
        if isinstance(node.value, (n.Tuple, n.List)):
            return clone_with(node.value, [self.operand(part) for part in node.value.elts])
        if isinstance(node.value, n.Name):
            return node.value
        if isinstance(node.value, n.Lambda):
            return self.lambda_(node.value)
        if isinstance(node.value, n.Call) and (self.made(node.value) or self.called(node.value)):
            value = self.value(node.value)
            return value if isinstance(value, n.Name) or not self.carries(value) else self.bound(self.scope.fresh("value"), value, node)
        if not self.carries(node.value) and len(self.sources) > 1:
            given = self.lifted(node.value)
            self.checked(given)
            return given
        return self.bound(self.scope.fresh("value"), self.value(node.value), node)

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        if isinstance(function, Inner):
            return self.inner(function, node)
        if isinstance(function, Bound):
            return self.value(self.given(function, node))
        if any(source.function is function for source in self.sources):
            return self.linked(function, node) or self._recursive(function, node)
        self.embeddings += 1
        if (self.embeddings > MANY or len(self.sources) > DEEPEST) and (linked := self.linked(function, node)) is not None:
            return linked
        if self.embeddings > MOST:
            if self.embeddings == MOST + 1:
                self.refused(node, "so many calls of helpers", f"more than {MOST} bodies would be copied into one another",
                             "call each helper in fewer places")
            return nothing()
        if self.linking.islands:
            return self.island(function, node)
        return self.embedded(function, node)

    def island(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call, if nothing in it is refused; else what the call, linked, gives."""
        before = self.remembered()
        try:
            made = self.embedded(function, node)
        except SourceUnavailableError:
            made = self.refused(node, "a function without source", "there is nothing to write out", "define it in a file")
        if self.places == before["places"]:
            return made
        after = self.remembered()
        self.restore(before)
        if (linked := self.linked(function, node)) is not None:
            return linked
        self.restore(after)
        return made

    def embedded(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        if len(self.sources) > DEEPEST:
            return self.refused(node, "calls nested too deeply", f"more than {DEEPEST} levels of calls", "flatten the calls")
        source = read(function)
        if lifted(source) is not source and (linked := self.linked(function, node)) is not None:
            return linked  # it has inner functions that call themselves, which are known to it alone
        if refused := places_of(source):
            self.places.extend(place for place in refused if place not in self.places)
            return nothing()
        tree, node = numbered(source.tree, node)
        given = self._given(tree, node)
        if given is None:
            return nothing()
        operands = {parameter: self.operand(argument, always=True) for parameter, argument in given.items()}
        source = reworded(self.with_options(source._replace(tree=tree), given, operands, defaults_of(function), resolving(function, tree)))
        renamed = self.scope.adopt(source.tree, function, keep=False)
        start = self._passed(source, node, operands, renamed, defaults_of(function))
        return nothing() if start is None else self._called(source, node, start, renamed)

    def with_options(
        self, source: Source, given: Mapping[str, n.expr], operands: Mapping[str, n.expr], defaults: Mapping[str, Any],
        resolve: Callable[[n.expr], Any],
    ) -> Source:
        """A function with what it asks of its optional parameters decided: whether they are None, or functions, and which."""
        known: dict[str, Any] = {}
        for parameter in parameters_of(source.tree):
            argument = given.get(parameter, defaults.get(parameter, ...))
            if argument is None or isinstance(argument, n.Constant) and argument.value is None:
                known[parameter] = None
            elif (function := self.function_behind(operands.get(parameter, argument))) is not MISSING:
                known[parameter] = function
        return source._replace(tree=decided(source.tree, known, resolve)) if known or asks(source.tree) else source

    def function_behind(self, argument: Any) -> Any:
        """The function that an argument, or a default, is; MISSING if it is something else, or not known."""
        if isinstance(argument, n.Name) and argument.id in self.functions:
            return self.functions[argument.id]
        found = self.scope.resolve(argument) if isinstance(argument, n.expr) else argument
        return found if is_plain_function(found) else MISSING

    def given(self, function: Bound, node: n.Call) -> n.Call:
        """The call of a function that was given some arguments already, with all of them."""
        own = {keyword.arg for keyword in node.keywords}
        keywords = [n.keyword(arg=name, value=value) for name, value in function.named.items() if name not in own]
        return place(n.Call(func=function.callee, args=[*function.first, *node.args], keywords=[*keywords, *node.keywords]), node)

    def _called(self, source: Source, node: n.Call, start: set[str], renamed: dict[str, str]) -> n.expr:
        """Append a function's body, its parameters bound; the expression it returns."""
        self.names |= start
        if (caught := self.scope.tried.get(where(node) or ("", 0))) is not None:  # what it calls may raise it too
            note_lines(source.tree, caught, self.scope)
        self.calls.append(node)
        named = self.function(source, start, keep=False, renamed=renamed)
        self.calls.pop()
        self.out.extend(named)
        self.names |= carrying(named, self.names, self.scope)
        self.names |= {owner for (owner, _), local in self.locals.items() if local in self.names and owner in self.instances}
        return self.returned_now(named.result, node) if named.result is not None else nothing()

    def returned_now(self, result: n.expr, node: n.Call) -> n.expr:
        """What a call returns, as it is now: the next one may bind the variables around a function anew, and the attributes of objects."""
        if isinstance(result, (n.Tuple, n.List)):
            return clone_with(result, [self.returned_now(part, node) for part in result.elts])
        if isinstance(result, n.Name) and result.id in {*self.instances, *self.functions, *self.partly}:
            return result
        around = {name for function in self.functions.values() if isinstance(function, Inner) for name in around_of(function.tree)}
        made = {local for (owner, _), local in self.locals.items() if owner in self.instances and not self.instances[owner].path}
        if (around | made).isdisjoint(names(result)):
            return result
        return self.bound(self.scope.fresh("t"), result, node)

    def inner(self, function: Inner, node: n.Call) -> n.expr:
        """The body of a function that is defined inside: what it reads from around it are plain names, read now."""
        tree = function.tree
        if any(source.tree is tree for source in self.sources):
            return self.refused(node, f"{tree.name}, which calls itself,", "it changes what is around it, or is more than called",
                                "define it at module level, and give it what it reads")
        tree, node = numbered(tree, node)
        given = self._given(tree, node)
        if given is None:
            return nothing()
        operands = {parameter: self.operand(argument, always=True) for parameter, argument in given.items()}
        renamed = {name: self.own(name) for name in sorted(bound_names(tree) - around_of(tree))}
        source = self.with_options(function.source._replace(tree=tree), given, operands, function.defaults, self.scope.resolve)
        start = self._passed(source, node, operands, renamed, function.defaults)
        return nothing() if start is None else self._called(source, node, start | self.names, renamed)

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
        source = self.sources[-1]
        self.defined[name] = tree, source
        again = name in self.locals.values() and (name in self.functions or name in self.partly)
        if name in self.often or name in self.callees or again:
            self.refused(tree, f"{tree.name}, an inner function,", "it is bound more than once", "give each function a name of its own")
        self.functions[name] = Inner(tree, source._replace(tree=tree), defaults)
        self.names.add(name)

    def lambda_(self, node: n.Lambda, name: str = "") -> n.expr:
        """A lambda as an inner function, called ``name``, if that is given."""
        name = name or self.scope.fresh("function")
        body = [place(n.Return(value=node.body), node)]
        tree = n.FunctionDef(name=name, args=node.args, body=body, decorator_list=[], returns=None, type_comment=None, type_params=[])
        self.define(name, place(tree, node))
        return expression(name)

    def _recursive(self, function: Any, node: n.Call) -> n.expr:
        """Refuse every call on the way from a function back to itself."""
        depth = next(depth for depth, source in enumerate(self.sources) if source.function is function)
        what, why = f"{function.__name__}, which calls itself,", self.unlinked(function, node) or "what it is given is not known"
        for around, call in zip(self.sources[depth:], [*self.calls[depth:], node]):
            self.refused(call, what, why, "write a loop, or a function of arrays and numbers that it leaves as they are", around)
        return nothing()

    def _given(self, tree: n.FunctionDef, node: n.Call) -> dict[str, n.expr] | None:
        """The argument of each parameter that the call fills; None if the call is refused."""
        positional = [parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)]
        keywords = [parameter.id for parameter in (*tree.args.args, *tree.args.kwonlyargs)]
        required = positional[:len(positional) - len(tree.args.defaults)] if tree.args.vararg is None else []
        node = self.unstarred(node, required) if len(required) == len(positional) else node
        if (star := star_of(node)) is not None:
            self.refused(star, "this star", "how many values it stands for is not known", "write the arguments out")
            return None
        wrong = "Python would raise TypeError", "check the call"
        if len(node.args) > len(positional) and tree.args.vararg is None:
            self.refused(node, f"a call of {tree.name} with too many arguments", *wrong)
            return None
        given: dict[str, n.expr] = dict(zip(positional, node.args))
        others: dict[str, n.expr] = {}
        for keyword in node.keywords:
            known = keyword.arg in keywords
            if keyword.arg in given or keyword.arg in others or not known and tree.args.kwarg is None:
                self.refused(node, f"a call of {tree.name} with a wrong keyword", *wrong)
                return None
            (given if known else others)[keyword.arg] = keyword.value
        if tree.args.vararg is not None:
            given[tree.args.vararg.id] = place(n.Tuple(elts=node.args[len(positional):], ctx=n.Load()), node)
        if tree.args.kwarg is not None:
            keys = [n.Constant(value=key, kind=None) for key in others]
            given[tree.args.kwarg.id] = place(n.Dict(keys=keys, values=list(others.values())), node)
        return given

    def has_no_order(self, node: n.expr) -> bool:
        """Whether an expression gives a dict or a set, which has no item at a position."""
        return self.known(node).kind == "mapping" or isinstance(node, (n.Set, n.SetComp, n.Dict, n.DictComp)) or (
            isinstance(node, n.Name) and node.id in self.sets)

    def unstarred(self, node: n.Call, positional: Sequence[str]) -> n.Call:
        """A call with as many arguments in place of its one star as there are parameters left, none of which has a default."""
        stars = [part for part in node.args if isinstance(part, n.Starred)]
        left = len(positional) - len(node.args) + 1 - sum(keyword.arg in positional for keyword in node.keywords)
        if len(stars) != 1 or left < 1 or any(keyword.arg is None for keyword in node.keywords):
            return node
        (star,) = stars
        if self.has_no_order(star.value):
            return node
        known = self.note_length(star.value, left, node)
        whole = self.operand(star.value, always=True)
        if not known:
            given = {"c": self.scope.imported("check_arguments", check_arguments), "w": whole, "k": n.Constant(value=left, kind=None)}
            name = n.Constant(value=getattr(node.func, "id", getattr(node.func, "attr", "function")), kind=None)
            check = place(expression("$c($w, $k, $name)", **given, name=name), node)
            self.out.append(place(n.Expr(value=check), node))
        values = [place(expression(f"$s[{position}]", s=whole), star) for position in range(left)]
        args = [part for given in node.args for part in (values if given is star else [given])]
        return place(n.Call(func=node.func, args=args, keywords=node.keywords), node)

    def _passed(
        self, source: Source, node: n.Call, operands: dict[str, n.expr], renamed: dict[str, str], defaults: dict[str, Any],
    ) -> set[str] | None:
        """Bind the parameters, or rename them to the arguments' own names; the new names that may carry, None if the call is refused."""
        stored = {part.id for part in n.walk(source.tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        called = source.tree.name
        start: set[str] = set()
        rebound = self.rebinds(node)
        inside = captured(source.tree)
        functions = {*self.functions, *self.partly, *self.instances}
        for parameter in parameters_of(source.tree):
            new = renamed.get(parameter, parameter)
            if parameter not in operands and (function := self.function_by_default(defaults.get(parameter))) is not None:
                operands[parameter] = function
            if parameter not in operands and getattr(defaults.get(parameter), "id", None) in self.instances:
                operands[parameter] = defaults[parameter]
            if parameter in operands:
                argument = operands[parameter]
                named = isinstance(argument, n.Name) and (parameter not in inside or self.stays(argument.id))
                if named and parameter not in stored and argument.id not in rebound:  # type: ignore[attr-defined]  # it will do itself
                    renamed[parameter] = new = argument.id  # type: ignore[attr-defined]
                elif isinstance(argument, n.Name) and argument.id in functions:
                    self.refused(node, "a parameter that is a function or an object, and is bound anew",
                                 "which one it is is not known", "use two names")
                if self.carries(argument):
                    start.add(new)
                if new == getattr(argument, "id", None):
                    continue
                self.kinds[new] = self.known(argument)
                self.shares(new, argument)
                self.scope.once[new] = argument
            elif parameter in defaults and isinstance(defaults[parameter], n.AST):
                argument = defaults[parameter]
                if self.carries(argument):
                    start.add(new)
            elif parameter in defaults and (shown := literal(defaults[parameter])) is not None:
                argument = shown
                self.kinds[new] = self.known(argument)
                self.scope.once[new] = argument
            elif (read_now := self.default_read(defaults.get(parameter), parameter, source.function, new)) is not None:
                argument = read_now
            else:
                what = f"a call of {called} without {parameter}"
                self.refused(node, what, "it has no simple default", "pass it")
                return None
            self.out.append(place(statement("$p = $a", p=new, a=argument), node))
        return start

    def stays(self, name: str) -> bool:
        """Whether a name certainly goes on standing for what it stands for here: functions do, and what is bound once, in no loop."""
        if name in {*self.functions, *self.partly, *self.instances} or callable(self.scope.resolve(expression(name))):
            return True
        return not self.loops and name not in self.often and name not in self.locals.values()

    def function_by_default(self, default: Any) -> n.expr | None:
        """A name for a default that is a function, of an inner function's the one that it has."""
        if isinstance(default, n.expr):
            known = isinstance(default, n.Name) and default.id in self.functions or callable(self.scope.resolve(default))
            return self.operand(default, always=True) if known else None
        if is_user_function(default):
            return self.standing(default)
        name = getattr(default, "__name__", "")
        if default is None or getattr(np, name, None) is not default:
            return None
        return self.operand(expression(f"$np.{name}", np=self.scope.imported("np", np)), always=True)


def resolving(function: Any, tree: n.FunctionDef) -> Callable[[n.expr], Any]:
    """What tells what an expression in a function stands for outside of it."""
    known = functools.cache(lambda: Effective(function, tree))
    return lambda node: known().resolve(node)


def parameters_of(tree: n.FunctionDef) -> list[str]:
    """The names of a function's parameters, in the order of its signature."""
    args = tree.args
    stars = [[] if parameter is None else [parameter] for parameter in (args.vararg, args.kwarg)]
    return [parameter.id for parameter in (*args.posonlyargs, *args.args, *stars[0], *args.kwonlyargs, *stars[1])]


def around_of(tree: n.FunctionDef) -> set[str]:
    """The variables around a function that it binds anew, or one within it does."""
    own, inner = _own_parts(tree)
    around = {name for part in own if isinstance(part, n.Nonlocal) for name in part.names}
    local = {part.id for part in own if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)} - around
    return around | set().union(*map(around_of, inner)) - local


def _own_parts(tree: n.FunctionDef) -> tuple[list[n.AST], list[n.FunctionDef]]:
    """The nodes of a function, but for those of the functions that are defined in it; and these."""
    own: list[n.AST] = n.below(tree)
    inner: list[n.FunctionDef] = []
    for part in own:
        if isinstance(part, n.FunctionDef):
            inner.append(part)
        else:
            own += n.below(part)
    return own, inner


def captured(tree: n.FunctionDef) -> set[str]:
    """The names that functions within a function read: one that is returned reads what they stood for then."""
    inner = [part for part in n.walk(tree) if isinstance(part, (n.FunctionDef, n.Lambda)) and part is not tree]
    return names(inner)


def binding_counts(body: Block) -> Counter[str]:
    """How often each name is bound in a body, the functions in it included."""
    parts = [part for node in body for part in n.walk(node)]
    stored = [part.id for part in parts if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)]
    return Counter([*stored, *(part.name for part in parts if isinstance(part, n.FunctionDef))])


def names_outside(body: Block) -> frozenset[str]:
    """The names that occur outside of comprehensions and inner functions."""
    found: set[str] = set()
    pending: list[n.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, n.Name):
            found.add(node.id)
        if isinstance(node, (n.ListComp, n.GeneratorExp, n.SetComp, n.DictComp)):
            pending.append(node.generators[0].iter)
        elif not isinstance(node, (n.FunctionDef, n.Lambda)):
            pending.extend(n.below(node))
    return frozenset(found)
