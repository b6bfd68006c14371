"""Name what may carry a derivative: statement by statement, a function comes into the normal form that is derived.

Expressions are flattened (``expressions.py``), calls of user functions inlined (``calls.py``), loops over values indexed (``index_loops.py``).
What carries no derivative (indices, tests, shapes, sizes) stays nested, as the user wrote it.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import logging
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import NOT_ONE, UNKNOWN, Abstract, item_of, joined
from ...analysis.environment.captured import is_helper
from ...analysis.fresh import is_fresh
from ...analysis.literals import constant
from ...analysis.scope import Scope, bound_names
from ...analysis.source.effects import CHANGING_METHODS, DRAWING, among
from ...analysis.source.sharing import connected
from ...analysis.statements import base, binds, breaks, grown, loads, mutates, simple, target_names
from ...core.prepare.view_inverse import parts_in
from ...core.tidy.dead_code import pure
from ...errors import Place
from ...runtime.structures import check_length
from ...runtime.user_objects import member
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, clone, expression, names, place, placed, statement, where
from ...syntax.source import Source
from ..desugar.comprehension_loops import COMPREHENSIONS, bound_by, loops
from ..desugar.deques_and_defaults import Told
from ..desugar.numpy_functions import for_each
from ..inline.attributes import leaves_of, owners_of
from ..inline.calls import Named, binding_counts, parameters_of, resolving
from ..inline.gradients import Deriving
from ..inline.linked_calls import INSIDE, Linking
from ..inline.options import asks, decided, is_plain_function
from ..order.named_expressions import HEADS
from ..read.unsupported import refusal
from .expressions import Block, entry
from .lazy_generators import Meanwhile
from .mutating_calls import store


def name(
    source: Source, start: tuple[str, ...], scope: Scope, kinds: Mapping[str, Abstract] | None = None, deriving: Deriving | None = None,
    linking: Linking = INSIDE,
) -> Named:
    """The body of ``source`` in normal form, given the parameters that may carry a derivative, and what is known of them.

    >>> import numpy as np
    >>> from sourcediff.api.explain import text_after
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
    functions = {parameter: known.items.value for parameter, known in (kinds or {}).items() if known.kind == "function"}
    given = {parameter: value for parameter, value in functions.items() if is_plain_function(value)}
    if given or asks(source.tree):
        source = source._replace(tree=decided(source.tree, given, resolving(source.function, source.tree)))
    namer = Namer(scope, kinds or {})
    namer.deriving = deriving
    namer.linking = linking
    for parameter, known in (kinds or {}).items():
        if parameter not in binding_counts(source.tree.body):
            namer.knows(parameter, known, parameter)
    namer.sources.append(source)
    asked = [namer.asked(path, source.tree) for path in start]
    namer.sources.pop()
    owners = {path.split(".")[0] for path in start if "." in path}.union(*map(owners_of, asked))
    namer.leaves |= set(leaves_of(asked))
    named = namer.function(source, owners.union(leaves_of(asked)), keep=True)
    named[:0] = namer.beginning([*named, named.result], source)
    namer.uncalled(named, source, owners)
    namer.asked_in_time(named)
    namer.unshared(named, source)
    namer.unaltered(named, source, owners.union(leaves_of(asked)))
    if namer.places:
        raise refusal(source.function, in_order(namer.places))
    named.pending = namer.pending
    named.asked = asked
    named.opened = {local: (path, namer.kinds[local]) for local, path in namer.opened.items()}
    return named


def in_order(places: list[Place]) -> list[Place]:
    """Places in reading order, file after file."""
    files = list(dict.fromkeys(place.file for place in places))
    return sorted(places, key=lambda place: (files.index(place.file), place.line, place.column or 0))


class Standing(NamedTuple):
    """What is known of an attribute at some point: as a container, the function that it stands for, whether it may be no list."""

    kind: Abstract
    callee: n.expr | None = None
    unsure: bool = False


class Namer(Meanwhile):
    """One method per statement form of the user's language."""

    def statement(self, node: n.stmt) -> None:
        """Append the normal form of one statement to the block."""
        node = self.prepared(node)
        for part in self.plain(node):
            self.formed(part)

    def plain(self, node: n.stmt) -> Block:
        """A statement with deques and default dicts that several functions use as lists and dicts."""
        done = [node]
        if not self.plainly or hasattr(node, "settled"):
            return done
        try:
            for name in sorted(self.plainly.keys() & names(node)):
                written = self.plainly[name].statement
                done = [made for part in done for made in ([part] if hasattr(part, "settled") else written(part, deep=False))]
        except Told:
            self.refused(node, f"this use of {name}", "what several functions do with a deque or a default dict is followed only in part",
                         "use a list or a dict")
            return [node]
        return [placed(made, node) for made in done]

    def formed(self, node: n.stmt) -> None:
        """Append the normal form of a statement of which the parts are ready."""
        start = len(self.out)
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            self.refused(node, f"{type(node).__name__}", "the compiler has no form for it", "write it with assignments, if, for and while")
            return
        loop, stars = isinstance(node, (n.For, n.While)), len(self.stars)
        bound = self.kinds.keys() & self.locals.values() if loop or isinstance(node, n.If) else set()
        self.loops += loop
        try:
            if loop and self.locals:
                self.repeated(functools.partial(method, node))
            else:
                method(node)
        finally:
            self.loops -= loop
        if bound:
            self.unsettled |= bound & binds(self.out[start:])
        if loop and len(self.stars) > stars:
            self.stars_in_loop(self.out[start:], stars)
        if isinstance(node, n.AugAssign):
            self.read_first(start)

    def ready(self, node: n.stmt) -> n.stmt:
        """The statement with objects opened in what is evaluated before its blocks."""
        field = HEADS.get(type(node))
        if field is None:
            return node if isinstance(node, n.FunctionDef) else self.open(node)
        return altered(node, **{field: self.open(getattr(node, field))})

    def beginning(self, body: list[Any], source: Source) -> Block:
        """The statements that give names to what a body reads of the parts of what is differentiated."""
        read = set().union(*(names(part) for part in body if part is not None))
        done: Block = []
        for local, value in reversed(self.heads.items()):
            if local in read:
                read |= names(value)
                done.append(place(statement("$x = $v", x=local, v=value), source.tree))
        return done[::-1]

    def uncalled(self, named: Named, source: Source, owners: set[str]) -> None:
        """Refuse an inner function that is not only called, and an object that is made here, or is differentiated, as a whole."""
        parts = [part for each in [*named, named.result] if each is not None for part in n.walk(each)]
        read = {part.id for part in parts if isinstance(part, n.Name)} if self.defined else set()
        for node in self.changeable(parts):
            self.refused(node, f"{node.id}, of which more than its parts is used,", "what was read of it might be exchanged",
                         "use its entries, attributes and methods alone", source)
        for node in parts:
            known = self.instance(node)
            made = known is not None and (not known.path or any(known is self.instances.get(owner) for owner in owners))
            if made or isinstance(node, n.Name) and node.id in self.partly and node.id not in self.outer:
                self.refused_object(node, source)
            if isinstance(node, n.Name) and node.id in self.standing_in and isinstance(self.scope.functions[node.id], type):
                self.refused(node, f"the class {self.scope.functions[node.id].__name__}, as it is reached here,",
                             "by what name it can be read is not known", "call it by its name, or as module.name", source)
            if isinstance(node, n.Call) and self.scope.resolve(node.func) is builtins.super:
                self.refused(node, "super() here", "which class's method that is, is not followed", "call the method by its class", source)
        made_here = {owner for owner, known in self.instances.items() if not known.path}
        given = binds(list(named))
        for (owner, attribute), local in self.locals.items():
            if owner in self.leaves and local in self.opened and attribute in self.instances[owner].active:
                self.refused(source.tree, f"{attribute} of an object in a container that is differentiated", "it would be a constant",
                             "give a named tuple, or a dict", source)
            if owner in made_here and local not in given and local not in self.opened and local not in self.scope.free:
                unbound = next((part for part in parts if isinstance(part, n.Name) and part.id == local), None)
                if unbound is not None:
                    self.refused(unbound, f"an attribute, {attribute}, that is read without having been stored",
                                 "it would raise an AttributeError", "store it where the object is made, as None if it comes later", source)
        for name in sorted(read & set(self.defined)):
            tree, around = self.defined[name]
            self.refused(tree, "an inner function that is more than called", "functions made at run time are not followed",
                         "define it at module level, or call it directly", around)

    def block(self, body: Block) -> Block:
        with self.apart() as done:
            for part in body:
                self.statement(part)
        return done

    def _pass(self, node: n.stmt) -> None:
        """Nothing."""

    _import = _importfrom = _global = _nonlocal = _pass

    def _functiondef(self, node: n.FunctionDef) -> None:
        self.define(node.name, node)

    def _expr(self, node: n.Expr) -> None:
        if isinstance(node.value, n.Constant):  # a docstring
            return
        if isinstance(node.value, n.Call):
            function = self.scope.resolve(node.value.func)
            if function is builtins.print or is_helper(function) or self.tells(node.value):  # or a check that generated code makes
                self.out.append(node)
                return
            if (called := self.called(node.value)) is not None:
                given = self.inlined(called, node.value)
                if isinstance(given, n.Call) and not pure(given, self.scope):  # it was called for what it changes
                    known = {*self.instances, *self.lists}
                    for part in store([place(n.Expr(value=given), node)], self.scope, self.sources[-1].function, known):
                        self.statement(part)
                return
            if isinstance(node.value.func, n.Attribute) and (name := base(node.value.func.value)) in self.scope.directories:
                for given in (*node.value.args, *node.value.keywords):
                    self.into(name, given, node)
                self.out.append(altered(node, value=self.lifted(node.value)))
                return
            if self.altered(node) or self.of_set(node):
                return
            if grown(node) is not None:
                self.append(node)
                return
            if (name := extended(node)) in self.lists and len(node.value.args) == 1 and not node.value.keywords:
                self.extend(name, node.value.args[0], node)
                return
            if (upon := self.upon_returned(node.value)) is not None:
                self.statement(altered(node, value=upon))
                return
        if not any(isinstance(part, (n.Call, n.Attribute)) for part in n.walk(node.value)):
            if where(node) in self.scope.tried:  # by raising, it may matter
                self.bound(self.scope.fresh("t"), node.value, node)
            return  # computed and thrown away
        self.refused(node, "a statement that is only an expression", "it can only matter by what it changes, which is not followed",
                     "assign its result, or store with x[...] = ...")

    def upon_returned(self, call: n.Call) -> n.Call | None:
        """A call of a method of the object that another call returns, which is made before; None if it is none."""
        owner = call.func.value if isinstance(call.func, n.Attribute) else None
        if not isinstance(owner, n.Call):
            return None
        owner = self.open(self.upon_returned(owner) or owner)
        function = self.called(owner)
        given = None if function is None else self.inlined(function, owner)
        return None if self.instance(given) is None else altered(call, func=altered(call.func, value=given))

    def tells(self, call: n.Call) -> bool:
        """Whether a call writes a message, or moves a generator of random numbers on, and does nothing else."""
        function = self.scope.resolve(call.func)
        attribute = call.func.attr if isinstance(call.func, n.Attribute) else ""
        owner = self.scope.resolve(call.func.value) if attribute else None
        logs = (isinstance(owner, logging.Logger) or owner is logging) and attribute in MESSAGES
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if logs or function is warnings.warn or function is np.random.seed:
            known = self.effective
            return not any(known.counts(inner) for part in given for inner in n.walk(part))
        simply = all(isinstance(part, n.Constant) for part in given) and (not attribute or attribute in DRAWING)
        return simply and self.effective.draws(call)

    def extend(self, name: str, given: n.expr, at: n.stmt) -> None:
        """``parts.extend(xs)`` and ``parts += xs``, as one ``append`` after the other."""
        if isinstance(given, n.Name) and given.id == name:  # what it holds now
            given = place(expression("$l[:]", l=name), at)
        item = expression(self.scope.fresh("item"))
        values = list(given.elts) if isinstance(given, (n.Tuple, n.List)) else [item]
        if values != [item] and any(isinstance(part, n.Call) or getattr(part, "id", "") in self.lists
                                    for value in values[1:] for part in n.walk(value)):  # all of them, before the list is longer
            values = [expression(self.scope.fresh("item")) for _ in values]
            for value, part in zip(values, given.elts):
                self.statement(place(statement("$t = $v", t=value.id, v=part), at))
        steps: Block = [place(statement("$l.append($v)", l=name, v=value), at) for value in values]
        if values == [item]:
            self.names |= {item.id} if self.carries(given) else set()
            target = as_target(item)
            steps = [place(n.For(target=target, iter=given, body=steps, orelse=[], type_comment=None), at)]
        for step in steps:
            self.statement(step)

    def append(self, node: n.Expr) -> None:
        """``parts.append(x)`` of a list that is made here."""
        name, given = grown(node), list(node.value.args)
        if name not in self.lists or len(given) != 1 or node.value.keywords:
            self.refused(node, "append to this object", "only lists that the function makes itself are followed", "begin with parts = []")
            return
        value = self.operand(given[0]) if self.carries(given[0]) else given[0]
        self.kinds[name] = Abstract("sequence")
        self.out.append(place(statement("$l.append($v)", l=name, v=value), node))

    def _assert(self, node: n.Assert) -> None:
        self.out.append(node)

    def _raise(self, node: n.Raise) -> None:
        self.out.append(node)

    def _break(self, node: n.Break) -> None:
        self.out.append(node)

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
            value = self.itemised(self.chosen(value)) if self.carries(value) else value
            if (made := self.transformed(value)) is not None:
                if target.id in self.often:
                    self.refused(at, f"{target.id}, a derivative,", "it is bound more than once", "give each derivative a name of its own")
                self.functions[target.id] = made
                self.defined[target.id] = at, self.sources[-1]
            elif isinstance(value, n.Lambda):
                self.lambda_(value, target.id)
            elif isinstance(value, COMPREHENSIONS[:2]) and self.carries(value) and target.id not in names(value):
                if isinstance(value, n.GeneratorExp) and self.has_effects(value):
                    self.refused(value, "a generator of what changes", "its items are computed when they are asked for", "make a list")
                self.comprehended(value, target.id)
            elif self.carries(value) and target.id not in names(value) and (made := self.listed(value, target.id)) is not None:
                if getattr(made, "id", "") != target.id:
                    self.bound(target.id, made, at)
            elif isinstance(value, n.IfExp) and self.carries(value):
                self.branch(target.id, value, at)
            elif isinstance(value, n.Call) and self.made(value) is not None:
                self.constructed(value, target.id)
            else:
                before = set(self.instances)
                given = self.value(value)
                if isinstance(value, n.Call) and isinstance(given, n.Name) and given.id in self.instances:
                    self.returned_object(target.id, given.id, before, at)
                else:
                    self.bound(target.id, given, at)
        elif isinstance(target, n.Subscript) and self.is_flat(target.value):
            self.store_flat(target, value, at)
        elif isinstance(target, n.Subscript) and base(target) in self.scope.directories:
            self.into(base(target) or "", value, at)
            self.out.append(place(statement("$t = $v", t=target, v=self.lifted(value)), at))
        elif isinstance(target, n.Subscript):
            stored = self.operand(value, always=self.carries(value))
            if self.known(target.value).kind == "mapping":
                self.checked_key(target.slice)
            container = self.container(target)
            if constant(target.slice) is ... and self.is_sequence(container):  # it was taken for an array
                self.refused(at, "a change of a whole list that another function made, or that is an item,",
                             "that it is a list was not seen where it is changed", "change a list(...) of it, or write r = sorted(r)")
            self.out.append(place(statement("$a[$i] = $v", a=container, i=self.steady(target.slice, container), v=stored), at))
        elif (slot := self.slot(target)) is not None:
            self.assign(slot, value, at)
        elif isinstance(target, n.Attribute):
            self.refused(target, "storing to an attribute", "it would change an object that is not made here",
                         "use local variables and return the result")
        else:
            self.refused(target, "this assignment target", "only names, subscripts and tuples of these are followed", "use a local name")

    def has_effects(self, node: n.expr) -> bool:
        """Whether a generator does something besides when it is asked for its items."""
        return any(map(self.effective.counts, n.walk(node)))

    def container(self, target: n.Subscript) -> n.expr:
        """The name that a store goes to; a chain ``a[i][j]`` goes through a view of ``a``."""
        return target.value if isinstance(target.value, n.Name) else self.operand(target.value, always=True)

    def unpack(self, targets: list[n.expr], value: n.expr, at: n.stmt) -> None:
        """``a, b = …``: from a display value by value, from anything else by index."""
        if isinstance(value, n.Call) and (function := self.called(value)) is not None:
            value = self.inlined(function, value)
        if isinstance(value, n.Call) and self.carries(value):
            spelled = self.substituted(for_each(self.scope.resolve(value.func), value, len(targets)))
            value = value if spelled is None else spelled
        if any(isinstance(target, n.Starred) for target in targets):
            self.starred(targets, value, at)
        elif isinstance(value, (n.Tuple, n.List)) and len(value.elts) == len(targets):
            values = value.elts
            if _hazard(targets, values):
                values = [self.bound(self.scope.fresh("t"), self.value(part), at) for part in values]
            for target, part in zip(targets, values):
                self.assign(target, part, at)
        elif not self.carries(value):
            stores: Block = []
            whole = self.names_for(n.Tuple(elts=targets, ctx=n.Store()), stores)
            self.out.append(place(n.Assign(targets=[whole], value=value, type_comment=None), at))
            for store in stores:
                self.statement(store)
        else:
            if self.has_no_order(value):
                self.refused(value, "a dict or a set taken apart by names", "it gives its keys, or has no order", "name its entries")
                return
            known = self.note_length(value, len(targets), at)
            whole = value if entry(value, self.counters) else self.operand(value, always=True)
            if not known:
                self.check_length(whole, len(targets), at)
            for position, target in enumerate(targets):
                self.assign(target, expression("$whole[$i]", whole=whole, i=position), at)

    def check_length(self, whole: n.expr, count: int, at: n.AST, more: bool = False) -> None:
        """Let that be found when it runs; ``more``: a star takes what is left."""
        given = {"c": self.scope.imported("check_length", check_length), "w": whole, "k": n.Constant(value=count, kind=None)}
        check = expression("$c($w, $k, True)" if more else "$c($w, $k)", **given)
        self.out.append(place(n.Expr(value=place(check, at)), at))

    def note_length(self, value: n.expr, count: int, at: n.AST) -> bool:
        """Note how long a value must be that so many names, or parameters, take apart: in a longer one no index would fail.

        False if that is not known before it runs.
        """
        depth = 0
        while isinstance(value, n.Subscript) and isinstance(value.slice, n.Name) and value.slice.id in self.counters:
            value, depth = value.value, depth + 1
        known = self.known(value)
        for _ in range(depth):
            known = known._replace(dims=known.dims[1:]) if known.kind == "array" else item_of(known)
        length: Any = known.dims[0] if known.kind == "array" and known.dims else parts_in(value, self.scope)
        if type(known.items) is tuple and known.kind == "sequence":
            length = len(known.items)
        elif known.kind == "sequence" and isinstance(value, n.Name) and not depth and self.is_given(value.id):
            length = f"{value.id}.0"
        length = None if length == NOT_ONE else length
        if length is not None and length != count:
            self.scope.equal.add(frozenset((str(length), str(count))))
        elif length is None and self.catches(at, TypeError if isinstance(at, n.Call) else ValueError):
            self.refused(at, "what is taken apart in a try", "whether it has as many entries as there are names is not known",
                         "ask for its length before")
        return length is not None

    def is_given(self, name: str) -> bool:
        """Whether a name is that of an argument, or of something outside: its length can be asked for at each call."""
        return name in self.scope.free or name in parameters_of(self.sources[0].tree)

    def catches(self, at: n.AST, error: type[Exception]) -> bool:
        """Whether the function catches an error that is raised here."""
        return any(issubclass(error, kind) for kind in self.scope.tried.get(where(at) or ("", 0), ()))

    def starred(self, targets: list[n.expr], value: n.expr, at: n.stmt) -> None:
        """``a, *b, c = …``: what the star takes is a new list."""
        position = next(position for position, target in enumerate(targets) if isinstance(target, n.Starred))
        after = len(targets) - position - 1
        if isinstance(value, (n.Tuple, n.List)):
            end = len(value.elts) - after
            middle = n.List(elts=value.elts[position:end], ctx=n.Load())
            parts = [target.value if isinstance(target, n.Starred) else target for target in targets]
            self.unpack(parts, n.Tuple(elts=[*value.elts[:position], middle, *value.elts[end:]], ctx=n.Load()), at)
            return
        whole = value if entry(value, self.counters) else self.operand(value, always=True)
        known = self.known(whole)
        if len(targets) > 1 and not (known.kind == "sequence" and type(known.items) is tuple and len(known.items) >= len(targets) - 1):
            self.check_length(whole, len(targets) - 1, at, more=True)
        for place_, target in enumerate(targets[:position]):
            self.assign(target, expression("$w[$i]", w=whole, i=place_), at)
        k = self.scope.fresh("k")
        middle = expression(f"[$w[{k}] for {k} in range($i, len($w) - $j)]", w=whole, i=position, j=after)
        self.assign(targets[position].value, place(middle, at), at)
        for place_, target in enumerate(targets[position + 1:]):
            self.assign(target, expression("$w[$i]", w=whole, i=expression(f"-{after - place_}")), at)

    def names_for(self, target: n.expr, stores: Block) -> n.expr:
        """A target of names alone: from the first subscript on, new names stand in it, and ``stores`` hands them on, in order."""
        if isinstance(target, (n.Tuple, n.List)):
            return n.Tuple(elts=[self.names_for(part, stores) for part in target.elts], ctx=n.Store())
        if isinstance(target, n.Name) and not stores:
            return target
        given = expression(self.scope.fresh("t"))
        stores.append(place(statement("$x = $t", x=target, t=given), target))
        return as_target(given)

    def _augassign(self, node: n.AugAssign) -> None:
        carried = self.carries(node.value) or self.carries(node.target)
        listed = self.known(node.value).kind == "sequence" or isinstance(node.value, (n.ListComp, n.GeneratorExp))  # an array is added
        own = isinstance(node.target, n.Name) and node.target.id in self.lists and self.known(node.target).kind == "sequence"
        if own and listed and isinstance(node.op, n.Add):
            self.extend(node.target.id, node.value, node)
            return
        if (name := base(node.target)) in self.scope.directories:
            self.into(name, node.value, node)
            self.out.append(altered(node, value=self.lifted(node.value)))
            return
        if isinstance(node.op, n.BitOr) and (carried or self.known(node.target).kind == "mapping"):
            self.refused(node, "an update of a dict by |=", "which of its entries are replaced is not followed", "store its entries")
            return
        if carried and self.known(node.target).kind == "sequence":
            self.refused(node, "a list that grows", "its entries have no fixed place", "use an array")
            return
        target = node.target
        if isinstance(target, n.Subscript) and self.is_flat(target.value):
            self.store_flat(target, node.value, node, node.op)
            return
        if isinstance(target, n.Attribute) and target.attr in ("real", "imag"):
            target = self.slot(target) or target
        if isinstance(target, n.Subscript):  # the place first, as Python does
            container = self.container(target)
            target = n.Subscript(value=container, slice=self.steady(target.slice, container), ctx=n.Store())
        elif isinstance(target, n.Attribute):
            self.refused(target, "storing to an attribute", "it would change an object that is not made here",
                         "use local variables and return the result")
            return
        elif not isinstance(target, n.Name):
            self.refused(node, "this assignment target", "only names and subscripts are followed", "use a local name")
            return
        value = self.operand(node.value) if carried else node.value
        self.out.append(place(n.AugAssign(target=target, op=node.op, value=value), node))

    def read_first(self, start: int) -> None:
        """Let ``a[i] += f()``, the last statement from ``start`` on, read ``a[i]`` before ``f`` runs, where that changes something."""
        *between, last = self.out[start:] or [None]
        if not isinstance(last, n.AugAssign) or not isinstance(last.target, n.Subscript):
            return
        made = [part for part in simple(between) if isinstance(part, n.Assign) and (is_fresh(part.value) or isinstance(part.value, SHOWN))]
        fresh = set().union(*(binds([part]) for part in made))
        changed = mutates(between) - fresh
        if not changed:
            return
        index = last.target.slice
        simply = all(isinstance(part, (n.Name, n.Constant)) for part in (index.elts if isinstance(index, n.Tuple) else [index]))
        if not simply or loads(last.target) & binds(between) or loads(index) & changed:
            self.refused(last, "an update whose value changes what it updates", "Python reads the place first, then computes the value",
                         "compute the value on a line of its own")
            return
        del self.out[-1]
        read = self.bound(self.scope.fresh("t"), as_read(last.target), last)
        self.out.insert(start, self.out.pop())
        value = n.BinOp(left=read, op=last.op, right=self.operand(last.value, always=True))
        stored = self.bound(self.scope.fresh("t"), value, last)
        self.out.append(place(n.Assign(targets=[last.target], value=stored, type_comment=None), last))

    def _if(self, node: n.If) -> None:
        self.checked(node.test)
        before = self.attributes()
        body = self.block(node.body)
        then = self.attributes()
        self.back(before)
        orelse = self.block(node.orelse)
        self.met(then, self.attributes())
        self.out.append(place(n.If(test=node.test, body=body, orelse=orelse), node))

    def attributes(self) -> dict[str, Standing]:
        """What is known at this point of the attributes of objects that are made here.

        One that is None is left out: nothing is asked of it before it is bound anew.
        """
        bound = {local for local in self.locals.values() if local in self.kinds} - self.opened.keys() - self.leaves - self.unset
        return {local: Standing(self.kinds[local], self.callees.get(local), local in self.unsure) for local in sorted(bound)}

    def know(self, name: str, known: Standing) -> None:
        """Note what is known of an attribute."""
        self.unset.discard(name)
        (self.unsure.add if known.unsure else self.unsure.discard)(name)
        self.kinds[name] = known.kind
        if known.callee is not None:
            self.callees[name] = known.callee
            self.scope.functions[name] = self.scope.resolve(known.callee)
        elif self.callees.pop(name, None) is not None:
            self.scope.functions.pop(name, None)

    def back(self, before: Mapping[str, Standing]) -> None:
        """Know of attributes what was known ``before``."""
        for name in self.attributes().keys() - before.keys():
            self.know(name, Standing(UNKNOWN))
            self.unset.add(name)
        for name, known in before.items():
            self.know(name, known)

    def met(self, one: Mapping[str, Standing], other: Mapping[str, Standing]) -> None:
        """Know of attributes what is so on one path and on another."""
        for name in sorted({*one, *other}):
            here, there = one.get(name) or other[name], other.get(name) or one[name]
            mixed = here.kind.kind != there.kind.kind and "sequence" in (here.kind.kind, there.kind.kind)
            alike = here.callee and there.callee and self.scope.resolve(here.callee) is self.scope.resolve(there.callee)
            kind = Abstract("sequence") if mixed else joined(here.kind, there.kind)
            self.know(name, Standing(kind, here.callee if alike else None, mixed or here.unsure or there.unsure))

    def repeated(self, method: Callable[[], None]) -> None:
        """Append a loop; again, as long as a trip leaves something else in an attribute than what it began with."""
        while True:
            start, before, embeddings = self.remembered(), self.attributes(), self.embeddings
            method()
            after = self.attributes()
            self.met(before, after)
            if all(self.attributes()[name] == known for name, known in before.items()):
                return
            self.restore(start)
            self.embeddings = embeddings
            self.met(before, {name: known for name, known in after.items() if name in before})

    def _while(self, node: n.While) -> None:
        self.checked(node.test)
        self.out.append(place(n.While(test=node.test, body=self.block(node.body), orelse=[]), node))

    def functions_in(self, node: n.For) -> list[n.expr] | None:
        """The functions that a loop runs over, if that is what it does."""
        known = self.known(node.iter)
        if not isinstance(node.target, n.Name) or breaks(node.body) or node.target.id in binds(node.body):
            return None
        if isinstance(node.iter, (n.Tuple, n.List)) and node.iter.elts and all(map(self.known_function, node.iter.elts)):
            return list(node.iter.elts)
        items = known.items if known.kind == "sequence" and type(known.items) is tuple and isinstance(node.iter, n.Name) else ()
        if not items or not all(item.kind in ("function", "bound", "object") for item in items):
            return None
        return [expression(f"{node.iter.id}[{position}]") for position in range(len(items))]

    def _for(self, node: n.For) -> None:
        self.checked(node.iter)
        if (functions := self.functions_in(node)) is not None:
            assert isinstance(node.target, n.Name)
            self.often |= {name for part in node.body for name in named_so(part, node.target.id)}
            for function in functions:
                for part in node.body:
                    self.statement(self.open(clone(part, {node.target.id: function})))
            if read_outside(self.sources[-1].tree, node.target.id):  # it stands for the last one then
                self.often.add(node.target.id)
                self.statement(self.open(place(n.Assign(targets=[node.target], value=functions[-1], type_comment=None), node)))
            return
        if (unending := self.unending(node) or self.until(node)) is not None:
            for part in unending:
                self.statement(place(part, node))
            return
        if any(map(self.calls_until, n.walk(node.iter))):
            self.refused(node.iter, "a call of iter with two arguments inside another one",
                         "it calls a function each time an item is taken", "loop over it alone, or use while")
            return
        self.comes(node.target, list(map(type, self.items_held(node.iter))))
        node = self.taken_once(node)
        generators = [part for part in n.walk(node.iter) if isinstance(part, n.GeneratorExp)]
        endless = isinstance(node.iter, n.GeneratorExp) and len(node.iter.generators) == 1 and breaks(node.body) and not node.orelse
        if endless or any(map(self.has_effects, generators)) or any(self.reads_what_changes(part, node) for part in generators):
            self.taking_turns(node)
            return
        stores: Block = []
        target = self.names_for(node.target, stores)
        if stores:
            node = place(n.For(target=target, iter=node.iter, body=[*stores, *node.body], orelse=[], type_comment=None), node)
        rows = self.known(node.iter).kind == "array" and mutates(node.body) & target_names(node.target)  # they are views
        lists, start = self.gone_over(node.iter), len(self.out)
        if not (changing := self.resized_in(node.body, lists)):
            if self.carries(node.iter) or rows or self.is_flat(node.iter):
                self.indexed(node)
            else:
                self.repeat(node.target, node.iter, self.block(node.body), node)
            changing = self.resized_in(self.out[start:], lists)  # by what it calls
        if changing:
            self.refused(node, f"{changing}, which becomes longer or shorter in a loop over it,", "how many trips that are is not known",
                         "loop over list(...) of it, or use while")

    def unending(self, node: n.For) -> Block | None:
        """``for i in itertools.count():``, of which there is no list, as a ``while``; the same of ``cycle`` and ``repeat``."""
        function = self.scope.resolve(node.iter.func) if isinstance(node.iter, n.Call) and not node.iter.keywords else None
        given = node.iter.args if isinstance(node.iter, n.Call) else []
        endless = function is itertools.repeat and len(given) == 1 or function is itertools.count and len(given) < 3
        if not endless and (function is not itertools.cycle or self.carries(node.iter)):
            return None
        at, test = self.scope.fresh("at"), expression("True")
        if function is itertools.count:
            start, step = [*given, expression("1")][:2] if given else [expression("0"), expression("1")]
            before, value, after = [statement("$a = $s", a=at, s=start)], expression(at), [statement("$a = $a + $s", a=at, s=step)]
        elif function is itertools.repeat:
            before, value, after = [statement("$a = $v", a=at, v=given[0])], expression(at), []
        else:
            items = self.scope.fresh("items")
            before = [statement("$l = list($i)", l=items, i=given[0]), statement("$a = 0", a=at)]
            value = expression("$l[$a]", l=items, a=at)
            test, after = expression("len($l) > 0", l=items), [statement("$a = ($a + 1) % len($l)", a=at, l=items)]
        body = [place(part, node) for part in (statement("$t = $v", t=node.target, v=value), *after)]
        return [*before, n.While(test=test, body=[*body, *node.body], orelse=[])]

    def calls_until(self, node: n.AST) -> bool:
        """Whether an expression is ``iter(function, last)``, which calls the function at each trip."""
        return isinstance(node, n.Call) and len(node.args) == 2 and self.scope.resolve(node.func) is builtins.iter

    def until(self, node: n.For) -> Block | None:
        """``for v in iter(function, last):`` as a ``while``; None for other loops."""
        if not self.calls_until(node.iter):
            return None
        function, last = node.iter.args
        end, item = self.scope.fresh("last"), self.scope.fresh("item")
        self.names |= {item} if self.carries(node.iter) else set()
        taken = statement("$v = $c", v=item, c=n.Call(func=function, args=[], keywords=[]))
        bound = place(statement("$v = $i", v=node.target, i=item), node)
        trip = n.If(test=expression("$v == $l", v=item, l=end), body=[place(n.Break(), node)], orelse=[bound, *node.body])
        body = [place(part, node) for part in (taken, trip)]
        return [statement("$l = $e", l=end, e=last), n.While(test=expression("True"), body=body, orelse=[])]

    def taken_once(self, node: n.For) -> n.For:
        """A loop over an object whose class says in Python what its items are, or that gives them once, as one over a list of them."""
        walking = isinstance(node.iter, n.Call) and among(self.scope.resolve(node.iter.func), WALKING)
        if not walking:
            return altered(node, iter=self.items_of(node.iter, not breaks(node.body)))
        if not self.carries(node.iter):  # it is asked for what it goes over as in Python
            once = any(hasattr(kind, "__next__") for part in node.iter.args for kind in self.kinds_of(part))
            return altered(node, iter=self.items_of(node.iter, not breaks(node.body))) if once else node
        whole = not breaks(node.body) and (self.scope.resolve(node.iter.func) is not builtins.zip or len(node.iter.args) == 1)
        return altered(node, iter=altered(node.iter, args=[self.items_of(part, whole) for part in node.iter.args]))

    def items_of(self, node: n.expr, whole: bool) -> n.expr:
        """A name for a list of what such an object gives; anything else as it is. ``whole``: all of it is asked for."""
        given = node.args if isinstance(node, n.Call) else [node]
        kinds = [kind for part in given for kind in self.kinds_of(part) if iterates(kind)]
        if self.carries(node) or not kinds:
            return node
        if not whole and not all(hasattr(kind, "__len__") for kind in kinds):
            return self.refused(node, "a loop over a part of what an object gives", "whether that ends is not known", "loop over a list")
        return self.bound(self.scope.fresh("items"), place(expression("list($i)", i=node), node), node)

    def kinds_of(self, node: n.expr) -> list[type]:
        """The classes that a value may have which comes from outside, as far as they are known."""
        if isinstance(node, (n.IfExp, n.BoolOp)):
            parts = [node.body, node.orelse] if isinstance(node, n.IfExp) else node.values
            return [kind for part in parts for kind in self.kinds_of(part)]
        if isinstance(node, n.Subscript):
            return list(map(type, self.items_held(node.value)))
        if isinstance(node, n.Name) and node.id in self.come:
            return self.come[node.id]
        instance = self.instance(node)
        return [type(self.held(node))] if instance is None else [instance.kind]

    def items_held(self, node: n.expr) -> list[Any]:
        """What a container from outside holds."""
        held = self.held(node)
        return list(held.values()) if isinstance(held, dict) else list(held) if isinstance(held, (list, tuple)) else []

    def comes(self, target: n.expr, kinds: list[type]) -> None:
        """Note which objects with items of their own a name may stand for."""
        if isinstance(target, n.Name) and (found := [kind for kind in kinds if iterates(kind)]):
            self.come[target.id] = [*self.come.get(target.id, ()), *found]

    def bound(self, target: str, value: n.expr, at: n.AST) -> n.expr:
        """Append ``target = value`` and give the name back."""
        self.comes(expression(target), self.kinds_of(value))
        self.shares(target, value)
        return super().bound(target, value, at)

    def reads_what_changes(self, generator: n.GeneratorExp, loop: n.For) -> bool:
        """Whether the body of a loop may change what a generator reads that it goes over: it is asked for one item at a time."""
        own = set().union(*(target_names(part.target) for part in generator.generators))
        read = loads(generator) - own
        parts = [part for node in loop.body for part in n.walk(node)]
        stored = {base(part) or "" for part in parts if isinstance(part, (n.Subscript, n.Attribute)) and not isinstance(part.ctx, n.Load)}
        changed = set().union(*map(bound_names, loop.body)) | mutates(loop.body) | stored
        known = self.effective
        for call in parts:
            if known.counts(call) and not known.draws(call):
                if not isinstance(call, n.Call) or not isinstance(call.func, n.Attribute) or call.func.attr not in CHANGING_METHODS:
                    return bool(read)
                changed.add(base(call.func.value) or "")
        return bool(read & (connected(self.sources[-1].tree.body, changed, self.scope) | target_names(loop.target)))

    def taking_turns(self, node: n.For) -> None:
        """A loop over a generator as one over what that goes over, each item computed when it is its turn."""
        if not isinstance(node.iter, n.GeneratorExp) or len(node.iter.generators) > 1 or node.orelse:
            self.refused(node.iter, "a loop over a generator that does something besides", "that and the loop take turns", "make a list")
            return
        renamed = {name: expression(self.scope.fresh(name)) for name in bound_by(node.iter)}
        self.names |= {new.id for name, new in renamed.items() if name in self.names}
        given = n.Assign(targets=[node.target], value=clone(node.iter.elt, renamed), type_comment=None)
        self.statement(loops(node.iter, [place(given, node), *node.body], renamed))


def named_so(node: n.stmt, name: str) -> set[str]:
    """The names that are bound in a statement to just what ``name`` stands for."""
    same = [part for part in n.walk(node) if isinstance(part, n.Assign) and getattr(part.value, "id", "") == name]
    return {target.id for part in same for target in part.targets if isinstance(target, n.Name)}


def read_outside(tree: n.AST, name: str) -> bool:
    """Whether a name is read outside of the loops and comprehensions that bind it."""
    if isinstance(tree, n.Name):
        return tree.id == name and isinstance(tree.ctx, n.Load)
    if isinstance(tree, n.For) and name in target_names(tree.target):
        return any(read_outside(part, name) for part in (tree.iter, *tree.orelse))
    loops = getattr(tree, "generators", [])
    if any(name in target_names(loop.target) for loop in loops):
        return any(read_outside(loop.iter, name) for loop in loops)
    return any(read_outside(part, name) for part in n.iter_child_nodes(tree))


def iterates(kind: type) -> bool:
    """Whether the items of an object of a class are what its ``__iter__`` says, written in Python, or can be had once."""
    return isinstance(member(kind, "__iter__"), types.FunctionType) or hasattr(kind, "__next__")


WALKING = (builtins.enumerate, builtins.zip, builtins.map, builtins.filter)
"""What asks for the items of its arguments as a loop does."""

MESSAGES = ("debug", "info", "warning", "error", "critical", "exception", "log")
"""The functions and methods of ``logging`` that write one."""

SHOWN = (n.Constant, n.List, n.Tuple, n.Dict, n.ListComp)


def extended(node: n.Expr) -> str:
    """``parts`` for the statement ``parts.extend(xs)``, else empty."""
    function = node.value.func
    is_method = isinstance(function, n.Attribute) and function.attr == "extend" and isinstance(function.value, n.Name)
    return function.value.id if is_method else ""


def _hazard(targets: list[n.expr], values: list[n.expr]) -> bool:
    """Whether storing to a target, in order, would change a later value."""
    stored: set[str] = set()
    for target, value in zip(targets, values):
        if stored & {part.id for part in n.walk(value) if isinstance(part, n.Name)}:
            return True
        stored |= {part.id for part in n.walk(target) if isinstance(part, n.Name)}
    return False
