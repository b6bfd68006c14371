"""Lower statements, one method per statement form of the user's language."""

from __future__ import annotations

import builtins
import functools
import logging
import warnings

import numpy as np

from ...analysis.environment.asked_of_classes import is_helper
from ...analysis.scope import MISSING
from ...analysis.source.effects import DRAWING
from ...analysis.source.out_arguments import among
from ...analysis.statements import binds, grown
from ...core.tidy.dead_code import pure
from ...rules.facts import FACTS
from ...syntax import nodes as n
from ...syntax.container_methods import RESULT_MATTERS, mutating
from ...syntax.quote import altered, place, position_of
from ..room import Block, Room
from .mutating_calls import mutations_as_stores

HEADS = {n.If: "test", n.While: "test", n.For: "iter"}
"""The expression of a compound statement that is evaluated before its blocks."""


class Statements(Room):
    """One method per statement form of the user's language."""

    def statement(self, node: n.stmt) -> None:
        """Append the normal form of one statement to the block."""
        self.formed(self.prepared(node))

    def prepared(self, node: n.stmt) -> n.stmt:
        """A statement with objects opened, whose own expressions hold no stars; what takes an item out of an entry is refused."""
        node = self.ready(node)
        field = HEADS.get(type(node))
        if field is None:
            node = self.lower.star_arguments.spread(node)
        else:
            node = altered(node, **{field: self.lower.star_arguments.spread(getattr(node, field))})
        own = getattr(node, field) if field else node
        for part in n.walk(own) if not isinstance(node, n.FunctionDef) else ():
            taken = part.func if isinstance(part, n.Call) and isinstance(part.func, n.Attribute) else None
            if taken is None or taken.attr not in RESULT_MATTERS or isinstance(taken.value, n.Name):
                continue
            if self.scope.resolve(taken) is MISSING:
                self.refused(part, "a change of a list or dict in an entry", "which one it is may change", "give the list a name first")
        return node

    def formed(self, node: n.stmt) -> None:
        """Append the normal form of a statement of which the parts are ready."""
        start = len(self.state.out)
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            self.refused(node, f"{type(node).__name__}", "the compiler has no form for it", "write it with assignments, if, for and while")
            return
        loop, stars = isinstance(node, (n.For, n.While)), len(self.state.stars)
        bound = self.state.kinds.keys() & self.state.locals.values() if loop or isinstance(node, n.If) else set()
        self.state.loops += loop
        try:
            if loop and self.state.locals:
                self.lower.joins.repeated(functools.partial(method, node))
            else:
                method(node)
        finally:
            self.state.loops -= loop
        if bound:
            self.state.unsettled |= bound & binds(self.state.out[start:])
        if loop and len(self.state.stars) > stars:
            self.lower.star_arguments.stars_in_loop(self.state.out[start:], stars)
        if isinstance(node, n.AugAssign):
            self.lower.assignments.read_first(start)

    def ready(self, node: n.stmt) -> n.stmt:
        """The statement with objects opened in what is evaluated before its blocks."""
        field = HEADS.get(type(node))
        if field is None:
            return node if isinstance(node, n.FunctionDef) else self.lower.attributes.open(node)
        return altered(node, **{field: self.lower.attributes.open(getattr(node, field))})

    def block(self, body: Block) -> Block:
        with self.state.apart() as done:
            for part in body:
                self.statement(part)
        return done

    def _pass(self, node: n.stmt) -> None:
        """Nothing."""

    _import = _importfrom = _global = _nonlocal = _pass

    def _augassign(self, node: n.AugAssign) -> None:
        self.lower.assignments.updated(node)

    def _delete(self, node: n.Delete) -> None:
        self.lower.list_methods.deleted(node)

    def _for(self, node: n.For) -> None:
        self.lower.for_loops.looped(node)

    def _functiondef(self, node: n.FunctionDef) -> None:
        self.lower.calls.define(node.name, node)

    def _expr(self, node: n.Expr) -> None:
        if isinstance(node.value, n.Constant):  # a docstring
            return
        if isinstance(node.value, n.Call):
            function = self.scope.resolve(node.value.func)
            if function is builtins.print or is_helper(function) or self.tells(node.value):  # or a check that generated code makes
                self.state.out.append(node)
                return
            if among(function, FACTS["exchanges"]):  # of a heap
                self.bound(self.scope.fresh("t"), node.value, node)
                return
            if (called := self.called(node.value)) is not None:
                given = self.inlined(called, node.value)
                if isinstance(given, n.Call) and not pure(given, self.scope):  # it was called for what it changes
                    known = {*self.state.instances, *self.state.lists}
                    for part in mutations_as_stores([place(n.Expr(value=given), node)], self.scope, self.state.sources[-1].function, known):
                        if getattr(part, "value", None) is given:  # which stays as it is
                            self.bound(self.scope.fresh("t"), given, node)
                        else:
                            self.statement(part)
                return
            if self.lower.altered(node) or self.lower.list_methods.of_set(node):
                return
            if grown(node) is not None:
                self.lower.assignments.append(node)
                return
            if (name := extended_list(node)) in self.state.lists and len(node.value.args) == 1 and not node.value.keywords:
                self.lower.assignments.extend(name, node.value.args[0], node)
                return
            if (upon := self.upon_returned(node.value)) is not None:
                self.statement(altered(node, value=upon))
                return
        if not any(isinstance(part, (n.Call, n.Attribute)) for part in n.walk(node.value)):
            if position_of(node) in self.scope.tried:  # by raising, it may matter
                self.bound(self.scope.fresh("t"), node.value, node)
            return  # computed and thrown away
        if isinstance(node.value, n.Call) and isinstance(node.value.func, n.Attribute) and node.value.func.attr in mutating():
            self.refused(node, f"{node.value.func.attr} of this container", "what changes in it is not undone",
                         "give each list a name of its own, or store into an array")
            return
        self.refused(node, "a statement that is only an expression", "it can only matter by what it changes, which is not followed",
                     "assign its result, or store with x[...] = ...")

    def upon_returned(self, call: n.Call) -> n.Call | None:
        """A call of a method of the object that another call returns, which is made before; None if it is none."""
        owner = call.func.value if isinstance(call.func, n.Attribute) else None
        if not isinstance(owner, n.Call):
            return None
        owner = self.lower.attributes.open(self.upon_returned(owner) or owner)
        function = self.called(owner)
        given = None if function is None else self.inlined(function, owner)
        return None if self.lower.attributes.instance(given) is None else altered(call, func=altered(call.func, value=given))

    def tells(self, call: n.Call) -> bool:
        """Whether a call writes a message, or moves a generator of random numbers on, and does nothing else."""
        function = self.scope.resolve(call.func)
        attribute = call.func.attr if isinstance(call.func, n.Attribute) else ""
        owner = self.scope.resolve(call.func.value) if attribute else None
        logs = (isinstance(owner, logging.Logger) or owner is logging) and attribute in MESSAGES
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if logs or function is warnings.warn or function is np.random.seed:
            known = self.lower.expressions.effective
            return not any(known.counts(inner) for part in given for inner in n.walk(part))
        simply = all(isinstance(part, n.Constant) for part in given) and (not attribute or attribute in DRAWING)
        return simply and self.lower.expressions.effective.draws(call)

    def _assert(self, node: n.Assert) -> None:
        self.state.out.append(node)

    def _raise(self, node: n.Raise) -> None:
        self.state.out.append(node)

    def _break(self, node: n.Break) -> None:
        self.state.out.append(node)

    def _assign(self, node: n.Assign) -> None:
        if len(node.targets) == 1:
            self.lower.assignments.assign(node.targets[0], node.value, node)
            return
        value = self.operand(node.value, always=True)
        for target in node.targets:
            self.lower.assignments.assign(target, value, node)

    def _if(self, node: n.If) -> None:
        self.lower.expressions.checked(node.test)
        before = self.lower.joins.attributes()
        body = self.block(node.body)
        then = self.lower.joins.attributes()
        self.lower.joins.back(before)
        orelse = self.block(node.orelse)
        self.lower.joins.met(then, self.lower.joins.attributes())
        self.state.out.append(place(n.If(test=node.test, body=body, orelse=orelse), node))

    def _while(self, node: n.While) -> None:
        self.lower.expressions.checked(node.test)
        self.state.out.append(place(n.While(test=node.test, body=self.block(node.body), orelse=[]), node))


MESSAGES = ("debug", "info", "warning", "error", "critical", "exception", "log")
"""The functions and methods of ``logging`` that write one."""


def extended_list(node: n.Expr) -> str:
    """``parts`` for the statement ``parts.extend(xs)``, else empty."""
    function = node.value.func
    is_method = isinstance(function, n.Attribute) and function.attr == "extend" and isinstance(function.value, n.Name)
    return function.value.id if is_method else ""
