"""Name the shapes of values of which the reverse sweep asks nothing else: these are saved in place of the values.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def total(x, rows):
...     s = 0.0
...     for row in rows:
...         s = s + np.sum(x + np.outer(row, row))
...     return s
>>> print(text_after("inline_temporaries", total))
s = 0.0
s_shape_saved = []
t1_shape_saved = []
t2_shape_saved = []
for row in rows:
    t1 = x + np.outer(row, row)
    t2 = np.sum(t1)
    s_shape_saved.append(np.shape(s))
    s = s + t2
    t1_shape_saved.append(np.shape(t1))
    t2_shape_saved.append(np.shape(t2))
scalar_output(s)
s_bar = 1.0
x_bar = zeros_like(x)
for row in reversed(rows):
    t2_shape = t2_shape_saved.pop()
    t1_shape = t1_shape_saved.pop()
    s_shape = s_shape_saved.pop()
    t2_bar = sum_to(s_bar, t2_shape)
    s_bar = sum_to(s_bar, s_shape)
    x_bar = x_bar + sum_to(np.broadcast_to(t2_bar, t1_shape), np.shape(x))
return like(x_bar, x)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.applications import application
from ...analysis.lengths import Dim, Length, unbroadcast
from ...analysis.statements import base, binds, loads, mutates, position, shrunk, simple, target_names
from ...analysis.states import extended
from ...rules.formula import metadata_read
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, names, place, remade, statement
from .adjoint_state import NUMBERS
from .steps import Step
from .to_be_recorded import Record

Block = list[n.stmt]


class Site(NamedTuple):
    """A step, and the steps and the statements of the block that it stands in."""

    step: Step
    steps: list[Step]
    block: Block


def name_shapes(body: Block, record: Record) -> dict[str, n.expr]:
    """Put statements that name shapes into a program and its steps, and have the code of the steps read these names.

    Returns by what each of these names can be saved: ``t_shape`` by ``np.shape(t)``. It is empty if nothing is saved for its shape alone.
    """
    return ShapesAlone(body, record).named()


class ShapesAlone:
    """Finds what is saved for its shape alone."""

    def __init__(self, body: Block, record: Record):
        self.body = body
        self.record = record
        self.values, self.scope = record.values, record.values.scope
        self.sites = list(sites(record.steps, body))
        self.asked: dict[str, n.expr] = {}  # what each of the new names stands for
        self.bound: dict[str, list[Site | None]] = {}  # where a name is bound; None: it is a parameter
        self.alike: dict[str, str] = {}  # of a value another one that has its shape
        self.filled: set[str] = set()  # the names of what other arrays are made like

    def named(self) -> dict[str, n.expr]:
        """Name them; see :func:`name_shapes`."""
        asked = self._asked()
        for site in self.sites if asked else ():
            node = site.step.node
            for name in asked.keys() & (binds(node) if not compound(node) else target_names(getattr(node, "target", n.Pass()))):
                self.bound.setdefault(name, []).append(site)
        for name in asked.keys() & self.record.given:
            self.bound.setdefault(name, []).append(None)
        asked = {name: where for name, where in asked.items() if name not in self.filled or self._floats(name)}
        where_bound = {name for name in asked if self._keeps(name) and self._follows(name, asked[name])}
        where_read = {name for name in asked.keys() - where_bound if len(asked[name]) == 1 and self._leaves(name, asked[name][0])}
        made: dict[tuple[str, str], str] = {}
        own: list[tuple[Step, list[Step]]] = []
        for name in sorted(where_bound):
            self._elsewhere(name, asked[name])
        for site in {id(site.step): site for name in where_bound | where_read for site in asked[name]}.values():
            here = {key: name for key, name in made.items() if key[0] in where_bound}
            for parts in (site.step.code, site.step.also):
                parts[:] = [self._reading(part, where_bound | where_read, here) for part in parts]
            for key, measure in here.items():
                if key[0] in where_read:
                    self._put(site, measure, before=True)
            made |= here
            if site.step.node is not None and (bound := binds(site.step.node)) and bound.isdisjoint(names(site.step.code)):
                if not site.step.reads_old and any(site is other for name in bound & where_bound for other in asked[name]):
                    own.append((site.step, site.steps))
                site.step.reads_old = site.step.reads_new = False
        for (name, _), measure in made.items():
            for place_ in self.bound[name] if name in where_bound else ():
                self._put(place_, measure)
        for step, steps in own:  # the shape is the one that the statement makes
            at = next(k for k, other in enumerate(steps) if other is step)
            if following := [*itertools.takewhile(lambda other: other.measures, steps[at + 1:])]:
                following[-1].code, step.code = step.code, []
        return {made[key]: self.asked[made[key]] if key[0] in where_bound else expression(made[key]) for key in made}

    def _elsewhere(self, name: str, asking: list[Site]) -> None:
        """Note a value that has the same shape and is there anyway: a parameter, or what the value was made of, entry by entry."""
        (first, *others) = self.bound[name]
        known = self._known(name, first)
        if known.kind != "array" or not known.dims:
            return
        if all(self._known(name, site).dims == known.dims for site in others) and all(map(told_by_call, known.dims)):
            given = self.values.before[self.body[0]]
            steady = [other for other in sorted(self.record.given - self.changing) if given[other].kind == "array"]
            if (alike := next((other for other in steady if given[other].dims == known.dims), None)) is not None:
                self.alike[name] = alike
                return
        node = first.step.node if first is not None else None
        if first is None or others or not isinstance(node, n.Assign) or any(site.block is not first.block for site in asking):
            return
        applied = application(node.value, self.scope)
        if applied is None or applied.rule is None or applied.rule.kind != "elementwise":
            return
        places = [site.step.node or site.step.at for site in asking]
        if any(place_ not in first.block for place_ in places):
            return
        between = first.block[first.block.index(node): max(map(first.block.index, places)) + 1]
        operands = {part.id for part in applied.args if isinstance(part, n.Name)}  # not what stands deeper in one: y in y[:3] > 0
        for other in sorted(operands & self.valued - binds(between) - mutates(between)):
            operand = self.values.before[node].get(other, UNKNOWN)
            if operand.kind == "array" and len(operand.dims) == len(known.dims) and unbroadcast(operand.dims, known.dims) == ((), ()):
                self.alike[name] = other
                return

    def _asked(self) -> dict[str, list[Site]]:
        """The names of what is saved (or computed again of what is), and asked for its shape alone, with the steps whose code asks."""
        cheap = self.record.cheap
        again = {name for saves in self.record.saves.values() for name in saves.again}
        saved = self.record.saved() - self.scope.counters
        followed = saved | again
        values: set[str] = set()
        found: dict[str, list[Site]] = {}
        for site in self.sites if followed else ():
            step, node, saves = site.step, site.step.node, self.record.saves.get(id(site.step))
            if saves is None:  # it is undone with the statement that it is in
                continue
            here: set[str] = set()
            for part in (*step.code, *step.also):
                if not followed.isdisjoint(names(part)):
                    values |= self._asked_of(part, here)
            for name in here & followed:
                found.setdefault(name, []).append(site)
            if isinstance(node, (n.If, n.While)) and not step.idle:
                values |= loads(node.test)
            elif isinstance(node, n.For) and not step.idle:
                values |= loads(node.iter)
            elif node is not None and (step.new is not None or shrunk(node) or isinstance(node, n.AugAssign) and not step.reads_old):
                values |= here & binds(node)  # the code asks the value that is made, or the reverse sweep does
            if saves.slice_ is not None:
                values |= loads(saves.slice_) - {base(saves.slice_)}
            elif saves.grown or saves.shrunk:
                values = values.union(*map(loads, position(node)))
        read = {name: loads(cheap[name].value) for name in again}
        values |= reached(values, read)
        self.valued = values & saved - again - self.scope.counters  # what is computed again is so where its value is asked, not before
        return {name: where for name, where in found.items() if name not in values
                and not (reached({name}, read) if name in again else {name}).isdisjoint(saved - values)}

    def _asked_of(self, node: n.AST, measured: set[str]) -> set[str]:
        """The names of which code reads the values; those of which it asks the shape are added to ``measured``."""
        if (found := metadata_read(node)) is not None:
            measured.add(found[0])
        elif (parts := arrays_measured(node)) is not None:
            found_in = [self._asked_of(part, measured) for part in parts if not isinstance(part, n.Name)]
            measured |= {part.id for part in parts if isinstance(part, n.Name)}
            return set().union(*found_in)
        elif (name := filled_like(node)) is not None:
            measured.add(name)
            self.filled.add(name)
            return set().union(*(self._asked_of(part, measured) for part in node.args[1:]))
        elif isinstance(node, n.Name):
            return {node.id}
        else:
            return set().union(*(self._asked_of(part, measured) for part in n.below(node)))
        return set()

    @cached_property
    def changing(self) -> set[str]:
        """The names that some statement binds, and those of what changes in place."""
        return binds(self.body) | self.record.mutable

    @cached_property
    def shared(self) -> set[str]:
        """The names that share memory with others."""
        return self.record.aliases.shared()

    def _keeps(self, name: str) -> bool:
        """Whether what a name stands for has one shape from where it is bound to where it is bound again."""
        if name not in self.record.mutable or all(self._known(name, site).kind == "array" for site in self.bound[name]):
            return True
        changes = [node for node in simple(self.body) if not compound(node) and name in mutates(node)]
        return name not in self.shared and all(isinstance(node, n.AugAssign) and isinstance(node.target, n.Name) for node in changes)

    def _floats(self, name: str) -> bool:
        """Whether arrays made like a value are those that NumPy makes of its shape alone."""
        return all(known.kind == "array" and known.dtype == float for known in (self._known(name, site) for site in self.bound[name]))

    def _known(self, name: str, site: Site | None) -> Abstract:
        """What is known of a value where it is bound."""
        node = None if site is None else site.step.node
        if node is None or isinstance(node, n.For):
            return self.values.before[self.body[0] if node is None else node.body[0]].get(name, UNKNOWN)
        return self.values.after[node].get(name, UNKNOWN)

    def _follows(self, name: str, asking: list[Site]) -> bool:
        """Whether a shape is asked wherever the name is bound to what need not have one."""
        return all(self._known(name, site).kind in NUMBERS or site is not None and any(other.block is site.block for other in asking)
                   for site in self.bound[name])

    def _leaves(self, name: str, site: Site) -> bool:
        """Whether the statement at which a shape is asked leaves it alone."""
        node = site.step.node
        return node is not None and not compound(node) and name not in binds(node) | mutates(node) | self.record.unfollowed(node)

    def _reading(self, part: n.AST, of: set[str], made: dict[tuple[str, str], str]) -> n.AST:
        """Code with names for the shapes of these values."""
        if (name := filled_like(part)) in of:
            shape = self._reading(n.Attribute(value=expression(name), attr="shape", ctx=n.Load()), of, made)
            function = n.Attribute(value=part.func.value, attr=part.func.attr.removesuffix("_like"), ctx=n.Load())
            kind = [expression("float")] if part.func.attr == "full_like" else []
            return n.Call(func=function, args=[shape, *(self._reading(each, of, made) for each in part.args[1:]), *kind], keywords=[])
        if not of.isdisjoint(getattr(inner, "id", "") for inner in arrays_measured(part) or ()):
            shape = n.Attribute(value=expression(self.scope.imported("np", np)), attr="shape", ctx=n.Load())
            shapes = [expression("$f($a)", f=shape, a=inner) for inner in part.args[0].elts]
            return n.List(elts=[self._reading(each, of, made) for each in shapes], ctx=n.Load())
        found = metadata_read(part)
        if found is None or found[0] not in of:
            return remade(part, lambda inner: self._reading(inner, of, made))
        what = part.func.id if isinstance(part, n.Call) and isinstance(part.func, n.Name) else found[1]
        key = found[0], what
        if found[0] in self.alike and what != "dtype":
            return clone(part, {found[0]: expression(self.alike[found[0]])})
        if key not in made:
            made[key] = self.scope.fresh(f"{found[0]}_{what}")
            self.asked[made[key]] = part
        return expression(made[key])

    def _put(self, site: Site | None, measure: str, before: bool = False) -> None:
        """Put the statement that names a shape after a statement, or before it; at the beginning of the program, or of a loop's trip."""
        node = None if site is None else site.step.node
        at, number = 0, 0
        if site is None:
            steps, block = self.record.steps, self.body
        elif isinstance(node, n.For):
            steps, block = site.step.body, node.body
        else:
            steps, block = site.steps, site.block
            at = block.index(node) + (not before)
            number = next(k for k, step in enumerate(steps) if step is site.step) + (not before)
        known = self.values.after[block[at - 1]] if at and not before else self.values.before[block[at]]
        made = place(statement("$m = $e", m=measure, e=clone(self.asked[measure])), node or block[0])
        block.insert(at, made)
        steps.insert(number, Step(made, measures=number > 0 and not before))
        self.values.before[made] = known
        self.values.after[made] = extended(known, {measure: self.values.of(made.value, known)})


def sites(steps: list[Step], block: Block) -> Iterator[Site]:
    """The steps of a block, and those within."""
    for step in steps:
        yield Site(step, steps, block)
        node = step.node
        if isinstance(node, (n.If, n.For, n.While)):
            yield from sites(step.body, node.body)
            yield from sites(step.orelse, node.orelse)


def reached(names_: set[str], read: Mapping[str, set[str]]) -> set[str]:
    """The names that are read to compute some names, by what each reads."""
    found: set[str] = set()
    pending = list(names_)
    while pending:
        new = read.get(pending.pop(), set()) - found
        found |= new
        pending += new
    return found


def told_by_call(length: Dim) -> bool:
    """Whether a length is told by the arguments of a call."""
    return length is not None and (not isinstance(length, Length) or length.of_call)


def compound(node: n.stmt | None) -> bool:
    """Whether a statement is a branch or a loop."""
    return isinstance(node, (n.If, n.For, n.While))


def filled_like(node: n.AST) -> str | None:
    """``x`` for ``np.zeros_like(x)`` and ``np.full_like(x, g)``, else None."""
    function = node.func if isinstance(node, n.Call) and not node.keywords else None
    if not isinstance(function, n.Attribute) or (function.attr, len(node.args)) not in (("zeros_like", 1), ("full_like", 2)):
        return None
    return node.args[0].id if isinstance(node.args[0], n.Name) else None


def arrays_measured(node: n.AST) -> list[n.expr] | None:
    """``[x, y]`` for ``shapes((x, y))``, else None."""
    if not isinstance(node, n.Call) or not isinstance(node.func, n.Name) or node.func.id != "shapes" or len(node.args) != 1:
        return None
    return list(node.args[0].elts) if isinstance(node.args[0], (n.Tuple, n.List)) else None
