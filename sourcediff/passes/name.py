"""Name what may carry a derivative: nested expressions become one application a statement, calls of user functions their bodies.

What carries none (indices, tests, shapes, sizes) stays nested, as the user wrote it.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..analysis.abstract import UNKNOWN, Abstract, item_of
from ..analysis.applications import Application, application, is_user_function
from ..analysis.carrying import carries, carrying, is_method
from ..analysis.effects import base
from ..analysis.scope import MISSING, Scope, bound_names, function_names
from ..errors import Place
from ..rules import rule_for
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, place, statement
from ..syntax.source import Source, read
from .refuse import places_of, refusal
from .unify import unify

Block = list[n.stmt]


class Named(Block):
    """A block in normal form; ``result`` is the expression that the function returns (None: nothing)."""

    result: n.expr | None = None


def name(source: Source, start: tuple[str, ...], scope: Scope, kinds: Mapping[str, Abstract] | None = None) -> Named:
    """The body of ``source`` in normal form, given the parameters that may carry a derivative, and what is known of them.

    >>> from sourcediff.explaining import text_after
    >>> def layer(w, x, k):
    ...     h = np.maximum(x[k + 1:] @ w, 0) - x[0]
    ...     return h.sum()
    >>> print(text_after("normalise", layer))
    t = x[k + 1:]
    t1 = t @ w
    t2 = np.maximum(t1, 0)
    t3 = x[0]
    h = t2 - t3
    value = h.sum()

    Raises UnsupportedSyntaxError for what cannot be brought into the form, all places at once.
    """
    namer = Namer(scope, kinds or {})
    named = namer.function(source, set(start), keep=True)
    if namer.places:
        raise refusal(source.function, in_order(namer.places))
    return named


def in_order(places: list[Place]) -> list[Place]:
    """Places in reading order, file after file."""
    files = list(dict.fromkeys(place.file for place in places))
    return sorted(places, key=lambda place: (files.index(place.file), place.line, place.column or 0))


class Namer:
    """Walks function bodies, one inside another where calls are inlined."""

    def __init__(self, scope: Scope, kinds: Mapping[str, Abstract]):
        self.scope = scope
        self.kinds = dict(kinds)  # what is known of a name at this point: lists, tuples and dicts
        self.calls: list[n.AST] = []  # the calls that led from each source to the next
        self.places: list[Place] = []
        self.sources: list[Source] = []
        self.out: Block = []
        self.names: set[str] = set()
        self.counters: set[str] = set()  # names that are certainly ints: the positions of loops over values

    # -- functions ------------------------------------------------------------------------------------------------------

    def function(self, source: Source, start: set[str], keep: bool, renamed: dict[str, str] | None = None) -> Named:
        """The body of one function; ``start`` are the (renamed) parameters that may carry."""
        renamed = self.scope.adopt(source.tree, source.function, keep) if renamed is None else renamed
        body = [clone(part, {old: expression(new) for old, new in renamed.items()}) for part in source.tree.body]
        result = self.scope.fresh("value")
        body = unify(body, result)
        if not any(isinstance(part, n.Name) and part.id == result for s in body for part in n.walk(s)):
            self.scope.taken.discard(result)
        self.scope.functions.update(function_names(body, self.scope))
        outer = self.out, self.names
        self.out, self.names = [], carrying(body, start, self.scope)
        self.sources.append(source)
        returned: n.expr | None = None
        for part in body:
            if isinstance(part, n.Return):
                returned = self._returned(part)
            else:
                self.statement(part)
        self.sources.pop()
        named = Named(self.out)
        named.result = returned
        self.out, self.names = outer
        return named

    def _returned(self, node: n.Return) -> n.expr | None:
        if node.value is None or isinstance(node.value, n.Constant):
            return node.value
        if isinstance(node.value, (n.Tuple, n.List)):
            return clone_with(node.value, [self.operand(part) for part in node.value.elts])
        if isinstance(node.value, n.Name):
            return node.value
        if not self.carries(node.value) and len(self.sources) > 1:
            return node.value
        return self.bound(self.scope.fresh("value"), self.value(node.value), node)

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        for depth, source in enumerate(self.sources):
            if source.function is function:
                what, why, remedy = f"{function.__name__}, which calls itself,", "recursion is not followed yet", "write a loop"
                for around, call in zip(self.sources[depth:], [*self.calls[depth:], node]):
                    self.refused(call, what, why, remedy, around)
                return n.Constant(value=None, kind=None)
        if len(self.sources) > 40:
            return self.refused(node, "calls nested too deeply", "more than 40 levels of calls", "flatten the calls")
        source = read(function)
        if refused := places_of(source):
            self.places.extend(place for place in refused if place not in self.places)
            return n.Constant(value=None, kind=None)
        tree = source.tree
        positional = [parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)]
        keywords = [parameter.id for parameter in tree.args.kwonlyargs]
        given: dict[str, n.expr] = {}
        if any(isinstance(a, n.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            return self.refused(node, "a call with * or **", "which parameters it fills is not known", "write the arguments out")
        if len(node.args) > len(positional):
            return self.refused(node, f"a call of {function.__name__} with too many arguments", "Python would raise TypeError",
                                "check the call")
        given.update(zip(positional, node.args))
        for keyword in node.keywords:
            if keyword.arg in given or keyword.arg not in positional + keywords:
                return self.refused(node, f"a call of {function.__name__} with a wrong keyword", "Python would raise TypeError",
                                    "check the call")
            given[keyword.arg] = keyword.value
        operands = {parameter: self.operand(argument, always=True) for parameter, argument in given.items()}
        renamed = self.scope.adopt(tree, function, keep=False)
        stored = {part.id for part in n.walk(tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        defaults = _defaults(function)
        start: set[str] = set()
        for parameter in positional + keywords:
            new = renamed.get(parameter, parameter)
            if parameter in operands:
                argument = operands[parameter]
                if isinstance(argument, n.Name) and parameter not in stored:  # never bound anew: the argument itself will do
                    renamed[parameter] = new = argument.id
                if self.carries(argument):
                    start.add(new)
                if new == getattr(argument, "id", None):
                    continue
                self.kinds[new] = self.known(argument)
                self.out.append(place(statement("$p = $a", p=new, a=argument), node))
            elif parameter in defaults and isinstance(defaults[parameter], (int, float, bool, str, type(None))):
                self.out.append(place(statement("$p = $a", p=new, a=n.Constant(value=defaults[parameter], kind=None)), node))
            else:
                return self.refused(node, f"a call of {function.__name__} without {parameter}", "it has no simple default", "pass it")
        self.names |= start
        self.calls.append(node)
        named = self.function(source, start, keep=False, renamed=renamed)
        self.calls.pop()
        self.out.extend(named)
        self.names |= carrying(named, start, self.scope)
        return named.result if named.result is not None else n.Constant(value=None, kind=None)

    # -- statements -----------------------------------------------------------------------------------------------------

    def statement(self, node: n.stmt) -> None:
        """Append the normal form of one statement to the block."""
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            self.refused(node, f"{type(node).__name__}", "the compiler has no form for it", "write it with assignments, if, for and while")
            return
        method(node)

    def block(self, body: Block) -> Block:
        outer, self.out = self.out, []
        for part in body:
            self.statement(part)
        done, self.out = self.out, outer
        return done

    def _pass(self, node: n.Pass) -> None:
        """Nothing."""

    def _expr(self, node: n.Expr) -> None:
        if isinstance(node.value, n.Constant):  # a docstring
            return
        if isinstance(node.value, n.Call):
            function = self.scope.resolve(node.value.func)
            if function is builtins.print:
                self.out.append(node)
                return
            if is_user_function(function):
                self.inlined(function, node.value)
                return
        if not any(isinstance(part, (n.Call, n.Attribute)) for part in n.walk(node.value)):
            return  # computed and thrown away
        self.refused(node, "a statement that is only an expression", "it can only matter by what it changes, which is not followed",
                     "assign its result, or store with x[...] = ...")

    def _assert(self, node: n.Assert) -> None:
        self.out.append(node)

    def _annassign(self, node: n.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, node.value, node)

    def _assign(self, node: n.Assign) -> None:
        if len(node.targets) == 1:
            self.assign(node.targets[0], node.value, node)
            return
        value = self.operand(node.value, always=True)
        for target in node.targets:
            self.assign(target, value, node)

    def assign(self, target: n.expr, value: n.expr, at: n.stmt) -> None:
        if isinstance(target, (n.Tuple, n.List)):
            self.unpack(target.elts, value, at)
        elif isinstance(target, n.Name):
            if isinstance(value, n.IfExp) and self.carries(value):
                self.branch(target.id, value, at)
            else:
                self.bound(target.id, self.value(value), at)
        elif isinstance(target, n.Subscript):
            if self.known(target.value).kind in ("sequence", "mapping") and (self.carries(value) or self.carries(target.value)):
                self.refused(target, "a store into a list or dict", "other names may hold its entries", "use an array, or local names")
                return
            stored = self.operand(value, always=self.carries(value))
            container = self.container(target)
            self.out.append(place(statement("$a[$i] = $v", a=container, i=self.index(target.slice, container), v=stored), at))
        else:
            self.refused(target, "this assignment target", "only names, subscripts and tuples of these are followed", "use a local name")

    def container(self, target: n.Subscript) -> n.expr:
        """The name that a store goes to; a chain ``a[i][j]`` goes through a view of ``a``."""
        return target.value if isinstance(target.value, n.Name) else self.operand(target.value, always=True)

    def index(self, node: n.expr, stored_into: n.expr | None = None) -> n.expr:
        """An index whose parts mean the same when they are asked again: masks get names, and what reads the array stored into."""
        self.checked(node)
        if isinstance(node, n.Tuple):
            return place(n.Tuple(elts=[self.index(part, stored_into) for part in node.elts], ctx=n.Load()), node)
        if isinstance(node, (n.Slice, n.Name, n.Constant)) and stored_into is None:
            return node
        own = stored_into.id if isinstance(stored_into, n.Name) else None
        reads_own = any(isinstance(part, n.Subscript) and base(part) == own for part in n.walk(node))
        mask = any(isinstance(part, n.Compare) for part in n.walk(node))
        if not (mask or reads_own):
            return node
        if isinstance(node, n.Slice):
            ends = {field: None if part is None else self.index(part, stored_into) for field, part in n.iter_fields(node)}
            return place(n.Slice(**ends), node)
        return self.bound(self.scope.fresh("t"), node, node)

    def unpack(self, targets: list[n.expr], value: n.expr, at: n.stmt) -> None:
        """``a, b = …``: from a display value by value, from anything else by index."""
        if isinstance(value, n.Call) and is_user_function(function := self.scope.resolve(value.func)):
            value = self.inlined(function, value)
        if isinstance(value, (n.Tuple, n.List)) and len(value.elts) == len(targets):
            values = value.elts
            if _hazard(targets, values):
                values = [self.bound(self.scope.fresh("t"), self.value(part), at) for part in values]
            for target, part in zip(targets, values):
                self.assign(target, part, at)
        elif not self.carries(value):
            self.out.append(place(n.Assign(targets=[n.Tuple(elts=targets, ctx=n.Store())], value=value, type_comment=None), at))
        else:
            whole = value if _entry(value, self.counters) else self.operand(value, always=True)
            for position, target in enumerate(targets):
                self.assign(target, expression("$whole[$i]", whole=whole, i=position), at)

    def _augassign(self, node: n.AugAssign) -> None:
        carried = self.carries(node.value) or self.carries(node.target)
        if carried and self.known(node.target).kind == "sequence":
            self.refused(node, "a list that grows", "its entries have no fixed place", "use an array")
            return
        value = self.operand(node.value) if carried else node.value
        target = node.target
        if isinstance(target, n.Subscript):
            container = self.container(target)
            target = n.Subscript(value=container, slice=self.index(target.slice, container), ctx=n.Store())
        elif not isinstance(target, n.Name):
            self.refused(node, "this assignment target", "only names and subscripts are followed", "use a local name")
            return
        self.out.append(place(n.AugAssign(target=target, op=node.op, value=value), node))

    def _if(self, node: n.If) -> None:
        self.checked(node.test)
        self.out.append(place(n.If(test=node.test, body=self.block(node.body), orelse=self.block(node.orelse)), node))

    def _while(self, node: n.While) -> None:
        self.checked(node.test)
        self.out.append(place(n.While(test=node.test, body=self.block(node.body), orelse=[]), node))

    def _for(self, node: n.For) -> None:
        self.checked(node.iter)
        if self.carries(node.iter):
            self.indexed(node)
        else:
            body = self.block(node.body)
            self.out.append(place(n.For(target=node.target, iter=node.iter, body=body, orelse=[], type_comment=None), node))

    def indexed(self, node: n.For) -> None:
        """A loop over values that carry becomes a loop over their positions, or over the keys of a dict."""
        if (is_method(node.iter, "items") or is_method(node.iter, "values")) and self.scope.resolve(node.iter.func) is MISSING:
            self.entries(node, node.iter.func)
            return
        if self.known(node.iter).kind == "mapping":
            self.over_keys(node, node.target, node.iter, None)
            return
        counts = self.counts_from_zero(node)
        position = node.target.elts[0] if counts else expression(self.scope.fresh("k"))
        self.counters.add(position.id)
        if counts:
            element, length = self.element(node.iter.args[0], position, node)
            target = node.target.elts[1]
        else:
            element, length = self.element(node.iter, position, node)
            target = node.target
        outer, self.out = self.out, []
        self.assign(target, element, node)
        for part in node.body:
            self.statement(part)
        body, self.out = self.out, outer
        loop = n.For(target=clone_as(position, n.Store), iter=expression("range($n)", n=length), body=body, orelse=[], type_comment=None)
        self.out.append(place(loop, node))

    def counts_from_zero(self, node: n.For) -> bool:
        """Whether the loop is ``for i, x in enumerate(xs)``: then ``i`` itself is the position."""
        iterated, target = node.iter, node.target
        return (
            isinstance(iterated, n.Call) and self.scope.resolve(iterated.func) is builtins.enumerate and len(iterated.args) == 1
            and not iterated.keywords and isinstance(target, n.Tuple) and len(target.elts) == 2 and isinstance(target.elts[0], n.Name)
        )

    def element(self, iterated: n.expr, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """What an iterable gives at a position, and its length."""
        at_position = clone_as(position, n.Load)
        function = self.scope.resolve(iterated.func) if isinstance(iterated, n.Call) else MISSING
        if function is builtins.zip and iterated.args and not iterated.keywords:
            parts = [self.element(part, position, at) for part in iterated.args]
            lengths = [length for _, length in parts]
            shortest = lengths[0] if len(lengths) == 1 else n.Call(func=expression("min"), args=lengths, keywords=[])
            return n.Tuple(elts=[part for part, _ in parts], ctx=n.Load()), shortest
        if function is builtins.enumerate and iterated.args:
            given = [*iterated.args[1:], *(keyword.value for keyword in iterated.keywords)]
            number = expression("$k + $s", k=at_position, s=self.operand(given[0], always=True)) if given else at_position
            value, length = self.element(iterated.args[0], position, at)
            return n.Tuple(elts=[number, value], ctx=n.Load()), length
        if function is builtins.reversed:
            sequence = self.operand(iterated.args[0], always=True)
            return expression("$s[len($s) - 1 - $k]", s=sequence, k=at_position), expression("len($s)", s=sequence)
        known = function is MISSING or function in (builtins.range, builtins.list) or is_user_function(function) or rule_for_known(function)
        if isinstance(iterated, n.Call) and not known:
            self.refused(iterated, "this loop over values that are differentiated",
                         "only sequences, enumerate, zip, reversed and dict.items are followed", "loop over range(len(...)) and index")
        sequence = self.operand(iterated, always=True)
        if isinstance(sequence, n.Name) and any(sequence.id in bound_names(part) for part in at.body):  # the loop keeps what it began with
            sequence = self.bound(self.scope.fresh("t"), sequence, at)
        return expression("$s[$k]", s=sequence, k=at_position), expression("len($s)", s=sequence)

    def entries(self, node: n.For, method: n.Attribute) -> None:
        """``for key, value in d.items()`` and ``for value in d.values()`` become loops over the keys."""
        key, target = expression(self.scope.fresh("key")), node.target
        if method.attr == "items":
            if not (isinstance(target, n.Tuple) and len(target.elts) == 2 and isinstance(target.elts[0], n.Name)):
                self.refused(target, "this target of items()", "a key and a value are expected", "write for key, value in d.items()")
                return
            key, target = target.elts
        self.over_keys(node, key, method.value, target)

    def over_keys(self, node: n.For, key: n.expr, mapping: n.expr, target: n.expr | None) -> None:
        """A loop over the keys of a dict, each entry bound to ``target`` first."""
        mapping = self.operand(mapping, always=True)
        self.names -= {part.id for part in n.walk(key) if isinstance(part, n.Name)}
        outer, self.out = self.out, []
        if target is not None:
            self.assign(target, expression("$d[$k]", d=mapping, k=clone_as(key, n.Load)), node)
        for part in node.body:
            self.statement(part)
        body, self.out = self.out, outer
        iterable = expression("list($d.keys())", d=mapping)
        self.out.append(place(n.For(target=clone_as(key, n.Store), iter=iterable, body=body, orelse=[], type_comment=None), node))

    # -- expressions ----------------------------------------------------------------------------------------------------

    def carries(self, node: n.expr) -> bool:
        return carries(node, self.names, self.scope)

    def known(self, node: n.expr) -> Abstract:
        """What is known of a value as a container; UNKNOWN of everything else."""
        if isinstance(node, n.Name):
            return self.kinds.get(node.id, UNKNOWN)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant):
            return item_of(self.known(node.value), node.slice.value)
        if isinstance(node, n.Dict):
            return Abstract("mapping")
        if isinstance(node, (n.List, n.Tuple)):
            return Abstract("sequence", items=tuple(map(self.known, node.elts)))
        if isinstance(node, n.Call):
            function = self.scope.resolve(node.func)
            return Abstract("mapping") if function is dict else Abstract("sequence") if function in (list, tuple, sorted) else UNKNOWN
        return UNKNOWN

    def bound(self, target: str, value: n.expr, at: n.AST) -> n.expr:
        """Append ``target = value`` and give the name back."""
        if self.carries(value):
            self.names.add(target)
        self.kinds[target] = self.known(value)
        self.out.append(place(statement("$t = $v", t=target, v=value), at))
        return expression(target)

    def operand(self, node: n.expr, always: bool = False) -> n.expr:
        """A name or a constant for the value of ``node``; without ``always`` a simple expression that carries nothing may stay."""
        if isinstance(node, (n.Name, n.Constant)):
            return node
        if not always and _simple(node) and not self.carries(node):
            return node
        if isinstance(node, n.IfExp) and self.carries(node):
            target = self.scope.fresh("t")
            self.branch(target, node, node)
            return expression(target)
        value = self.value(node)
        if isinstance(value, (n.Name, n.Constant)):
            return value
        return self.bound(self.scope.fresh("t"), value, node)

    def value(self, node: n.expr) -> n.expr:
        """The right-hand side of an assignment: one application to operands."""
        if isinstance(node, n.Call) and is_user_function(function := self.scope.resolve(node.func)):
            return self.inlined(function, node)
        if not self.carries(node):
            self.checked(node)
            return node
        if isinstance(node, n.Call) and (spelled := self.several(node)) is not None:
            return self.value(spelled)
        if isinstance(node, (n.Tuple, n.List)):
            return clone_with(node, [self.operand(part) for part in node.elts])
        if isinstance(node, n.Dict):
            return place(n.Dict(keys=node.keys, values=[self.operand(part) for part in node.values]), node)
        if isinstance(node, n.IfExp):
            return self.operand(node)
        if isinstance(node, (n.Name, n.JoinedStr)):
            return node
        applied = application(node, self.scope)
        if applied is None:
            return self.refused(node, "this expression", "the compiler cannot tell what function it applies to a differentiated value",
                                "use NumPy functions, operators, and functions with Python source")
        if applied.rule is None and (kind := opaque(applied.function)):
            return self.refused(node, f"a call of a {kind}", "objects with state are not followed yet",
                                "call a function written in Python")
        if isinstance(node, n.BinOp):
            sides = (self.known(node.left), self.known(node.right))
            if any(side.kind in ("sequence", "mapping") for side in sides) and not any(side.kind == "array" for side in sides):
                return self.refused(node, "arithmetic with a list or tuple", "it joins or repeats the list",
                                    "use an array, or write the entries out")
            if _text(node.left) or _text(node.right):
                return self.refused(node, "a number turned into text", "text has no derivative", "keep the number itself")
        return self.applied(node, applied)

    def several(self, node: n.Call) -> n.expr | None:
        """``sum([a, b, c])``, ``max(a, b, c)``: Python's functions of several numbers, two at a time."""
        function = self.scope.resolve(node.func)
        parts = list(node.args)
        if len(parts) == 1 and isinstance(parts[0], (n.Tuple, n.List)):
            parts = list(parts[0].elts)
        elif function is builtins.sum or len(parts) < 3:
            return None
        if node.keywords or function not in (builtins.sum, builtins.max, builtins.min) or not parts:
            return None
        total = parts[0]
        for part in parts[1:]:
            if function is builtins.sum:
                total = place(expression("$a + $b", a=total, b=part), node)
            else:
                total = place(n.Call(func=clone(node.func), args=[total, part], keywords=[]), node)
        return total

    def applied(self, node: n.expr, applied: Application) -> n.expr:
        """The same application on operands; what the rule treats as static stays as written."""
        if applied.function is np.array and applied.args and isinstance(applied.args[0], (n.Tuple, n.List)):
            return self.stacked(applied.args[0], node)
        if applied.function is operator.getitem:
            assert isinstance(node, n.Subscript)
            self.checked(node.slice)
            if self.carries(node.slice):
                return self.refused(node.slice, "an index that is differentiated", "an index is an integer, it has no derivative",
                                    "use int(...)")
            inner = node.value if _entry(node.value, self.counters) else self.operand(node.value)
            return place(n.Subscript(value=inner, slice=self.index(node.slice), ctx=n.Load()), node)
        replaced: dict[int, n.expr] = {}
        for argument in (*applied.args, *applied.kwargs.values()):
            if self.carries(argument) or not _static(argument, applied):
                if isinstance(argument, (n.Tuple, n.List)):
                    replaced[id(argument)] = clone_with(argument, [self.operand(part) for part in argument.elts])
                else:
                    replaced[id(argument)] = self.operand(argument)
        return _rebuilt(node, replaced)

    def stacked(self, display: n.expr, at: n.expr) -> n.expr:
        """``np.array([a, b])`` of differentiated values is ``np.stack``."""
        numpy = self.scope.known(np, "np", self.sources[0].function)
        parts = []
        for part in display.elts:
            if isinstance(part, (n.Tuple, n.List)):
                parts.append(self.bound(self.scope.fresh("t"), self.stacked(part, at), at))
            else:
                parts.append(self.operand(part))
        return place(expression("$np.stack($parts)", np=numpy, parts=n.Tuple(elts=parts, ctx=n.Load())), at)

    def branch(self, target: str, node: n.IfExp, at: n.AST) -> None:
        """``target = a if test else b`` as an ``if``."""
        self.checked(node.test)
        bodies = []
        for value in (node.body, node.orelse):
            outer, self.out = self.out, []
            if isinstance(value, n.IfExp):
                self.branch(target, value, at)
            else:
                self.bound(target, self.value(value), at)
            bodies.append(self.out)
            self.out = outer
        self.names.add(target)
        self.out.append(place(n.If(test=node.test, body=bodies[0], orelse=bodies[1]), at))

    # -- refusals -------------------------------------------------------------------------------------------------------

    def checked(self, node: n.AST) -> None:
        """Refuse an expression that stays nested but calls a user function which changes something."""
        for part in n.walk(node):
            if isinstance(part, n.Call) and is_user_function(function := self.scope.resolve(part.func)) and changes(function):
                self.refused(part, f"a call of {function.__name__} inside an expression", "it changes its arguments or other state",
                             "call it in a statement of its own")

    def refused(self, node: n.AST, problem: str, why: str, remedy: str, source: Source | None = None) -> n.expr:
        self.places.append((source or self.sources[-1]).place(node, f"{problem} is not taken by the compiler", why, remedy))
        return n.Constant(value=None, kind=None)


def opaque(function: Any) -> str:
    """The kind of a callable that is neither a function of a known library nor a gradient, so nobody knows what it does; else ""."""
    module = getattr(function, "__module__", None) or type(function).__module__
    known = module.split(".")[0] in ("numpy", "scipy", "math", "cmath", "builtins", "operator", "_operator", "sourcediff")
    return "" if known or hasattr(function, "sourcediff") else type(function).__name__


def changes(function: Any) -> bool:
    """Whether a user function stores to anything but its own local names."""
    for part in n.walk(read(function).tree):
        if isinstance(part, (n.Subscript, n.Attribute)) and not isinstance(part.ctx, n.Load):
            return True
        if isinstance(part, (n.AugAssign, n.Global, n.Nonlocal)):
            return True
    return False


def _text(node: n.expr) -> bool:
    return isinstance(node, n.JoinedStr) or isinstance(node, n.Constant) and isinstance(node.value, str)


def _entry(node: n.expr, counters: set[str]) -> bool:
    """``p["w"]``, ``p[0]["w"]`` or a row by a loop's own counter: an entry that stays where it is, reached again by the same path."""
    if isinstance(node, n.Name):
        return True
    if not isinstance(node, n.Subscript) or not _entry(node.value, counters):
        return False
    if isinstance(node.slice, n.Name):
        return node.slice.id in counters
    return isinstance(node.slice, n.Constant) and isinstance(node.slice.value, (int, str))


def rule_for_known(function: Any) -> Any:
    return None if function is MISSING else rule_for(function)


def clone_with(display: n.expr, elements: list[n.expr]) -> n.expr:
    """A tuple or list display like ``display`` with other elements."""
    return place(type(display)(elts=elements, ctx=n.Load()), display)


def clone_as(node: n.expr, context: type) -> n.expr:
    """A copy of a name with another context."""
    copied = clone(node)
    copied.ctx = context()
    return copied


def _rebuilt(node: n.expr, replaced: dict[int, n.expr]) -> n.expr:
    """A copy of an application's expression with some of its arguments replaced (its spelling kept)."""
    if id(node) in replaced:
        return replaced[id(node)]
    copied = type(node)()
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, n.AST):
            value = _rebuilt(value, replaced)
        elif isinstance(value, list):
            value = [_rebuilt(item, replaced) if isinstance(item, n.AST) else item for item in value]
        setattr(copied, field, value)
    return place(copied, node)


def _defaults(function: Any) -> dict[str, Any]:
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[:code.co_argcount]
    return dict(zip(names[len(names) - len(defaults):], defaults)) | (function.__kwdefaults__ or {})


def _hazard(targets: list[n.expr], values: list[n.expr]) -> bool:
    """Whether storing to a target, in order, would change a later value."""
    stored: set[str] = set()
    for target, value in zip(targets, values):
        if stored & {part.id for part in n.walk(value) if isinstance(part, n.Name)}:
            return True
        stored |= {part.id for part in n.walk(target) if isinstance(part, n.Name)}
    return False


def _simple(node: n.expr) -> bool:
    """A literal, a signed literal, a tuple of these, or metadata such as ``x.shape[0]``: not worth a name."""
    if isinstance(node, (n.Constant, n.Name)):
        return True
    if isinstance(node, n.UnaryOp):
        return isinstance(node.operand, n.Constant)
    if isinstance(node, n.Attribute):
        return isinstance(node.value, n.Name)
    if isinstance(node, n.Subscript):
        return isinstance(node.value, n.Attribute) and _simple(node.value)
    return False


def _static(argument: n.expr, applied: Application) -> bool:
    """Whether an argument that carries nothing sits where the rule has no derivative either (axis, shape, subscripts)."""
    rule = applied.rule
    if rule is None or rule.kind == "constant":
        return True
    for name, given in zip(rule.parameters, applied.args):
        if given is argument:
            return name not in rule.differentiable
    return not any(value is argument and name in rule.differentiable for name, value in applied.kwargs.items())
