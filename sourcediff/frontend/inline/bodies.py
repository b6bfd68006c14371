"""Lower the body of one function, the outermost one or a callee's: the passes over it, then its statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...analysis.abstract import Abstract
from ...analysis.literals import constant
from ...analysis.scope import function_names
from ...analysis.source.dicts import mappings
from ...analysis.source.may_be_active import carrying
from ...analysis.source.sharing import iterators
from ...analysis.statements import loads, nested
from ...core.facts.liveness import Liveness
from ...syntax import nodes as n
from ...syntax.quote import clone, expression
from ...syntax.source import Source
from ..body_passes import Frame, body_after_passes
from ..desugar.star_arguments import changing
from ..function_trees import around_of, binding_counts, names_outside, parameters_of
from ..lower.forms import clone_with
from ..order.with_and_try import note_tried
from ..room import Block, Room
from .options import bound_first


class Bodies(Room):
    """One function body within another."""

    def function(self, source: Source, start: set[str], keep: bool, renamed: dict[str, str] | None = None) -> Named:
        """The body of one function; ``start`` are the (renamed) parameters that may carry."""
        renamed = self.scope.adopt(source.tree, source.function, keep, source.given) if renamed is None else renamed
        self.lower.attributes.knows_free()
        self.scope.quiet |= source.quiet
        self.scope.tapes |= {renamed.get(tape, tape) for tape in source.tapes}
        self.scope.copies |= {renamed.get(tape, tape) for tape in source.copies}
        self.scope.numbers |= {renamed.get(name, name) for name in source.numbers}
        first = next(iter(source.tree.args.posonlyargs + source.tree.args.args), None)
        self.state.selves.append((source.function, renamed.get(first.id, first.id) if first is not None else ""))
        new_names = {old: expression(new) for old, new in renamed.items()}
        body = [self.lower.attributes.open(clone(part, new_names)) for part in source.tree.body]
        for part in n.walk(source.tree):
            if isinstance(part, n.With):
                said = [keyword for item in part.items for keyword in item.context_expr.keywords]
                self.scope.quiet |= {keyword.arg for keyword in said if keyword.arg in SILENCED and constant(keyword.value) == "ignore"}
        self.scope.tried.update(source.tried)
        note_tried(source.tree, self.scope, renamed)
        result = self.scope.fresh("value")
        given = {renamed.get(parameter, parameter) for parameter in parameters_of(source.tree)}
        attributes = frozenset(self.state.locals.values())
        nonlocal_ = {renamed.get(name, name) for part in n.walk(source.tree) if isinstance(part, n.Nonlocal) for name in part.names}
        shared = attributes.union(renamed.get(name, name) for name in around_of(source.tree))  # bound elsewhere too
        frame = Frame(source, self.scope, self.lower, frozenset(given), frozenset(start), result, attributes | nonlocal_, shared)
        body = body_after_passes(body, frame)
        counts = self.state.counts  # of what is written, before some of it is written twice
        lasting = given - bound_first(body, given)
        # that, or what was given
        shut = shared | {name for name in lasting - self.state.unset if self.known(expression(name)).kind != "static"}
        self.scope.functions.update({name: known for name, known in function_names(body, self.scope).items() if name not in shut})
        self.scope.iterators |= iterators(body, self.scope)
        self.scope.mappings |= {name for name in given if self.known(expression(name)).kind == "mapping"}
        self.scope.mappings |= mappings(body, given, self.scope)
        start = start | self.state.names | self.state.heads.keys()
        start |= {local for (owner, _), local in self.state.locals.items() if owner in start and local not in self.state.opened}
        outer, self.state.names = self.state.names, carrying(body, start, self.scope)
        self.state.often |= {name for name, count in counts.items() if count > 1 or name in lasting}
        self.state.changing |= changing(body)
        outside, self.state.outside = self.state.outside, self.state.outside | names_outside(body)
        self.state.sources.append(source)
        self.deleted(body)
        returned: n.expr | None = None
        with self.state.apart() as done:
            for part in body:
                if isinstance(part, n.Return):
                    returned = self.returned(self.lower.statements.prepared(part))
                else:
                    self.statement(part)
            known = {getattr(returned, "id", ""), *self.state.locals.values()}  # the caller gets these functions that are defined here
            kept = {name: function for name, function in self.state.functions.items() if name in known}
        self.state.functions |= kept
        self.state.sources.pop()
        self.state.selves.pop()
        self.state.names, self.state.outside = outer | self.state.heads.keys(), outside
        named = Named(done)
        named.result = returned
        return named

    def counted(self, body: Block) -> None:
        """Note how often each name is bound in a body."""
        self.state.counts = binding_counts(body)

    def lists_around(self) -> set[str]:
        """The names of lists that other functions bind, and the one at hand does not."""
        return {name for name in self.state.lists if not self.state.counts[name] and self.lower.kinds.is_sequence(expression(name))}

    def made_in(self, body: Block) -> set[str]:
        """The names that stand for new objects of the user's classes somewhere in a body."""
        bound = [part for part in nested(body) if isinstance(part, n.Assign) and isinstance(part.targets[0], n.Name)]
        return {node.targets[0].id for node in bound if isinstance(node.value, n.Call) and self.lower.construction.made(node.value)}

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
        new = self.scope.fresh(name) if name in self.state.outside else name
        self.state.outside = self.state.outside | {new}
        return new

    def returned(self, node: n.Return) -> n.expr | None:
        if node.value is None or isinstance(node.value, n.Constant):
            return node.value
        if isinstance(node.value, (n.Tuple, n.List)):
            return clone_with(node.value, [self.operand(part) for part in node.value.elts])
        if isinstance(node.value, n.Name):
            return node.value
        if isinstance(node.value, n.Lambda):
            return self.lower.calls.lambda_(node.value)
        if isinstance(node.value, n.Call) and (self.lower.construction.made(node.value) or self.called(node.value)):
            value = self.value(node.value)
            return value if isinstance(value, n.Name) or not self.carries(value) else self.bound(self.scope.fresh("value"), value, node)
        if not self.carries(node.value) and len(self.state.sources) > 1:
            self.lower.expressions.checked(node.value)
            return node.value
        return self.bound(self.scope.fresh("value"), self.value(node.value), node)


SILENCED = ("all", "divide", "invalid", "over", "under")
"""What ``np.errstate`` silences."""


class Named(Block):
    """A block in normal form; ``result`` is the expression that the function returns (None: nothing).

    ``pending`` are the calls of derivatives that have not been looked into; ``opened`` the names of what is reached from outside: how,
    and what is known of it; ``asked`` what a gradient is asked for of.
    """

    result: n.expr | None = None
    pending: Mapping[Any, str] = {}
    opened: Mapping[str, tuple[str, Abstract]] = {}
    asked: Sequence[Any] = ()
