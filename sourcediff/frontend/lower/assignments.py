"""Lower assignments: targets taken apart name by name, stores in the order in which Python makes them."""

from __future__ import annotations

from typing import Any

from ...analysis.abstract import Abstract, item_of
from ...analysis.fresh import is_fresh
from ...analysis.lengths import Length
from ...analysis.literals import constant
from ...analysis.statements import binds, grown, loads, mutates, simple
from ...core.prepare.view_inverse import parts_in
from ...runtime.checks import check_length
from ...runtime.user_objects import is_named
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, expression, names, place, position_of, statement
from ..desugar.numpy_functions import for_each
from ..function_trees import parameters_of
from ..room import Block, Room
from .forms import entry


class Assignments(Room):
    """Assignments, updates, and lists that are extended."""

    def extend(self, name: str, given: n.expr, at: n.stmt) -> None:
        """``parts.extend(xs)`` and ``parts += xs``, as one ``append`` after the other."""
        if isinstance(given, n.Name) and given.id == name:  # what it holds now
            given = place(expression("$l[:]", l=name), at)
        item = expression(self.scope.fresh("item"))
        values = list(given.elts) if isinstance(given, (n.Tuple, n.List)) else [item]
        if values != [item] and any(isinstance(part, n.Call) or getattr(part, "id", "") in self.state.lists
                                    for value in values[1:] for part in n.walk(value)):  # all of them, before the list is longer
            values = [expression(self.scope.fresh("item")) for _ in values]
            for value, part in zip(values, given.elts):
                self.statement(place(statement("$t = $v", t=value.id, v=part), at))
        steps: Block = [place(statement("$l.append($v)", l=name, v=value), at) for value in values]
        if values == [item]:
            self.state.names |= {item.id} if self.carries(given) else set()
            target = as_target(item)
            steps = [place(n.For(target=target, iter=given, body=steps, orelse=[], type_comment=None), at)]
        for step in steps:
            self.statement(step)

    def append(self, node: n.Expr) -> None:
        """``parts.append(x)`` of a list that is made here."""
        name, given = grown(node), list(node.value.args)
        if name not in self.state.lists or len(given) != 1 or node.value.keywords:
            self.refused(node, "append to this object", "only lists that the function makes itself are followed", "begin with parts = []")
            return
        value = self.operand(given[0]) if self.carries(given[0]) else given[0]
        self.state.kinds[name] = Abstract("sequence")
        self.state.out.append(place(statement("$l.append($v)", l=name, v=value), node))

    def assign(self, target: n.expr, value: n.expr, at: n.stmt) -> None:
        if isinstance(target, (n.Tuple, n.List)):
            self.unpack(target.elts, value, at)
        elif isinstance(target, n.Name):
            value = self.lower.comprehensions.itemised(self.lower.expressions.chosen(value)) if self.carries(value) else value
            if (made := self.lower.transformed(value)) is not None:
                if target.id in self.state.often:
                    self.refused(at, f"{target.id}, a derivative,", "it is bound more than once", "give each derivative a name of its own")
                self.state.functions[target.id] = made
                self.state.defined[target.id] = at, self.state.sources[-1]
            elif isinstance(value, n.Lambda):
                self.lower.calls.lambda_(value, target.id)
            elif isinstance(value, n.ITEM_BY_ITEM) and self.carries(value) and target.id not in names(value):
                if isinstance(value, n.GeneratorExp):
                    self.refused(value, "a generator with a name", "its items are computed when they are asked for", "make a list")
                self.lower.comprehended(value, target.id)
            elif self.carries(value) and target.id not in names(value) and (made := self.lower.listed(value, target.id)) is not None:
                if getattr(made, "id", "") != target.id:
                    self.bound(target.id, made, at)
            elif isinstance(value, n.IfExp) and self.carries(value):
                self.lower.expressions.branch(target.id, value, at)
            elif isinstance(value, n.Call) and self.lower.construction.made(value) is not None:
                self.lower.construction.constructed(value, target.id)
            else:
                before = set(self.state.instances)
                given = self.value(value)
                if isinstance(value, n.Call) and isinstance(given, n.Name) and given.id in self.state.instances:
                    self.lower.construction.returned_object(target.id, given.id, before, at)
                else:
                    self.bound(target.id, given, at)
        elif isinstance(target, n.Subscript) and self.lower.flat_indices.is_flat(target.value):
            self.lower.flat_indices.store_flat(target, value, at)
        elif isinstance(target, n.Subscript):
            stored = self.operand(value, always=self.carries(value))
            if self.known(target.value).kind == "mapping":
                self.lower.expressions.checked_key(target.slice)
            container = self.container(target)
            if constant(target.slice) is ... and self.lower.kinds.is_sequence(container):  # it was taken for an array
                self.refused(at, "a change of a whole list that another function made, or that is an item,",
                             "that it is a list was not seen where it is changed", "change a list(...) of it, or write r = sorted(r)")
            index = self.lower.expressions.steady(target.slice, container)
            self.state.out.append(place(statement("$a[$i] = $v", a=container, i=index, v=stored), at))
        elif (slot := self.lower.flat_indices.slot(target)) is not None:
            self.assign(slot, value, at)
        elif isinstance(target, n.Attribute):
            self.refused(target, "storing to an attribute", "it would change an object that is not made here",
                         "use local variables and return the result")
        else:
            self.refused(target, "this assignment target", "only names, subscripts and tuples of these are followed", "use a local name")

    def container(self, target: n.Subscript) -> n.expr:
        """The name that a store goes to; a chain ``a[i][j]`` goes through a view of ``a``."""
        return target.value if isinstance(target.value, n.Name) else self.operand(target.value, always=True)

    def unpack(self, targets: list[n.expr], value: n.expr, at: n.stmt) -> None:
        """``a, b = …``: from a display value by value, from anything else by index."""
        if isinstance(value, n.Call) and (function := self.called(value)) is not None:
            value = self.inlined(function, value)
        if (instance := self.lower.attributes.instance(value)) is not None and is_named(instance.kind):
            fields = [place(n.Attribute(value=value, attr=field, ctx=n.Load()), at) for field in instance.kind._fields]
            value = place(n.Tuple(elts=[self.lower.attributes.open(field) for field in fields], ctx=n.Load()), at)
        if isinstance(value, n.Call) and self.carries(value):
            spelled = self.lower.applications.substituted(for_each(self.scope.resolve(value.func), value, len(targets)))
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
            self.state.out.append(place(n.Assign(targets=[whole], value=value, type_comment=None), at))
            for store in stores:
                self.statement(store)
        else:
            if self.lower.arguments.has_no_order(value):
                self.refused(value, "a dict or a set taken apart by names", "it gives its keys, or has no order", "name its entries")
                return
            known = self.note_length(value, len(targets), at)
            whole = value if entry(value, self.state.counters) else self.operand(value, always=True)
            if not known:
                self.check_length(whole, len(targets), at)
            for position, target in enumerate(targets):
                self.assign(target, expression("$whole[$i]", whole=whole, i=position), at)

    def check_length(self, whole: n.expr, count: int, at: n.AST, more: bool = False) -> None:
        """Let that be found when it runs; ``more``: a star takes what is left."""
        given = {"c": self.scope.imported("check_length", check_length), "w": whole, "k": n.Constant(value=count, kind=None)}
        check = expression("$c($w, $k, True)" if more else "$c($w, $k)", **given)
        self.state.out.append(place(n.Expr(value=place(check, at)), at))

    def note_length(self, value: n.expr, count: int, at: n.AST) -> bool:
        """Note how long a value must be that so many names, or parameters, take apart: in a longer one no index would fail.

        False if that is not known before it runs.
        """
        depth = 0
        while isinstance(value, n.Subscript) and isinstance(value.slice, n.Name) and value.slice.id in self.state.counters:
            value, depth = value.value, depth + 1
        known = self.known(value)
        for _ in range(depth):
            known = known._replace(dims=known.dims[1:]) if known.kind == "array" else item_of(known)
        length: Any = known.dims[0] if known.kind == "array" and known.dims else parts_in(value, self.scope)
        if type(known.items) is tuple and known.kind == "sequence":
            length = len(known.items)
        elif known.kind == "sequence" and isinstance(value, n.Name) and not depth and self.is_given(value.id):
            length = f"{value.id}.0"
        length = None if isinstance(length, Length) and not length.of_call else length
        if length is not None and length != count:
            self.scope.equal.add(frozenset((str(length), str(count))))
        elif length is None and self.catches(at, TypeError if isinstance(at, n.Call) else ValueError):
            self.refused(at, "what is taken apart in a try", "whether it has as many entries as there are names is not known",
                         "ask for its length before")
        return length is not None

    def is_given(self, name: str) -> bool:
        """Whether a name is that of an argument, or of something outside: its length can be asked for at each call."""
        return name in self.scope.free or name in parameters_of(self.state.sources[0].tree)

    def catches(self, at: n.AST, error: type[Exception]) -> bool:
        """Whether the function catches an error that is raised here."""
        return any(issubclass(error, kind) for kind in self.scope.tried.get(position_of(at) or ("", 0), ()))

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
        whole = value if entry(value, self.state.counters) else self.operand(value, always=True)
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

    def updated(self, node: n.AugAssign) -> None:
        carried = self.carries(node.value) or self.carries(node.target)
        listed = self.known(node.value).kind == "sequence" or isinstance(node.value, n.ITEM_BY_ITEM)  # an array is added
        own = isinstance(node.target, n.Name) and node.target.id in self.state.lists and self.known(node.target).kind == "sequence"
        if own and listed and isinstance(node.op, n.Add):
            self.extend(node.target.id, node.value, node)
            return
        if isinstance(node.op, n.BitOr) and (carried or self.known(node.target).kind == "mapping"):
            self.refused(node, "an update of a dict by |=", "which of its entries are replaced is not followed", "store its entries")
            return
        if carried and self.known(node.target).kind == "sequence":
            self.refused(node, "a list that grows", "its entries have no fixed place", "use an array")
            return
        target = node.target
        if isinstance(target, n.Subscript) and self.lower.flat_indices.is_flat(target.value):
            self.lower.flat_indices.store_flat(target, node.value, node, node.op)
            return
        if isinstance(target, n.Attribute) and target.attr in ("real", "imag"):
            target = self.lower.flat_indices.slot(target) or target
        if isinstance(target, n.Subscript):  # the place first, as Python does
            container = self.container(target)
            target = n.Subscript(value=container, slice=self.lower.expressions.steady(target.slice, container), ctx=n.Store())
        elif isinstance(target, n.Attribute):
            self.refused(target, "storing to an attribute", "it would change an object that is not made here",
                         "use local variables and return the result")
            return
        elif not isinstance(target, n.Name):
            self.refused(node, "this assignment target", "only names and subscripts are followed", "use a local name")
            return
        value = self.operand(node.value) if carried else node.value
        self.state.out.append(place(n.AugAssign(target=target, op=node.op, value=value), node))

    def read_first(self, start: int) -> None:
        """Let ``a[i] += f()``, the last statement from ``start`` on, read ``a[i]`` before ``f`` runs, where that changes something."""
        *between, last = self.state.out[start:] or [None]
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
        del self.state.out[-1]
        read = self.bound(self.scope.fresh("t"), as_read(last.target), last)
        self.state.out.insert(start, self.state.out.pop())
        value = n.BinOp(left=read, op=last.op, right=self.operand(last.value, always=True))
        stored = self.bound(self.scope.fresh("t"), value, last)
        self.state.out.append(place(n.Assign(targets=[last.target], value=stored, type_comment=None), last))


SHOWN = (n.Constant, n.List, n.Tuple, n.Dict, n.ListComp)


def _hazard(targets: list[n.expr], values: list[n.expr]) -> bool:
    """Whether storing to a target, in order, would change a later value."""
    stored: set[str] = set()
    for target, value in zip(targets, values):
        if stored & {part.id for part in n.walk(value) if isinstance(part, n.Name)}:
            return True
        stored |= {part.id for part in n.walk(target) if isinstance(part, n.Name)}
    return False
