"""Lower statements to the core form: every operation on a value that may carry a derivative gets a name.

What carries no derivative (indices, tests, shapes, sizes) stays nested, as the user wrote it. Expressions become single applications
(``lower/expressions.py``), calls of user functions are inlined (``inline/calls.py``), loops over values indexed (``lower/index_loops.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..analysis.abstract import Abstract, record_known
from ..analysis.applications import Application
from ..analysis.scope import Scope
from ..errors import Place
from ..syntax import nodes as n
from ..syntax.source import Source
from .desugar.comprehensions import Comprehensions
from .desugar.dict_methods import DictMethods
from .desugar.itertools_calls import ItertoolsCalls
from .desugar.key_functions import KeyFunctions
from .desugar.list_methods import ListMethods
from .desugar.star_arguments import StarArguments
from .function_trees import binding_counts, resolving
from .inline.arguments import Arguments
from .inline.attributes import Attributes, leaves_of, owners_of, read_by_entry
from .inline.bodies import Bodies, Named
from .inline.calls import Calls
from .inline.construct import Construction
from .inline.gradients import Deriving, Gradients
from .inline.linked_calls import INSIDE, LinkedCalls, Linking
from .inline.methods import Methods
from .inline.operators import Operators
from .inline.options import asks, decided, is_plain_function
from .inline.transforms import Transforms
from .lower.applications import Applications
from .lower.assignments import Assignments
from .lower.bindings import Bindings
from .lower.escapes import Escapes
from .lower.expressions import Expressions
from .lower.flat_indices import FlatIndices
from .lower.for_loops import ForLoops
from .lower.index_loops import IndexLoops
from .lower.joins import Joins
from .lower.kinds import Kinds
from .lower.outer_state import OuterState
from .lower.statements import Statements
from .read.unsupported import refusal
from .room import State


class Lowering:
    """The rooms of the lowering, and what several of them answer one after the other."""

    def __init__(self, scope: Scope, kinds: Mapping[str, Abstract], deriving: Deriving | None, linking: Linking):
        odd = {name for name, known in kinds.items() if known.kind == "unknown"}
        self.state = State(scope, kinds=dict(kinds), odd=odd, deriving=deriving, linking=linking)
        self.applications = Applications(self)
        self.arguments = Arguments(self)
        self.assignments = Assignments(self)
        self.attributes = Attributes(self)
        self.bindings = Bindings(self)
        self.bodies = Bodies(self)
        self.calls = Calls(self)
        self.comprehensions = Comprehensions(self)
        self.construction = Construction(self)
        self.dict_methods = DictMethods(self)
        self.escapes = Escapes(self)
        self.expressions = Expressions(self)
        self.flat_indices = FlatIndices(self)
        self.for_loops = ForLoops(self)
        self.gradients = Gradients(self)
        self.index_loops = IndexLoops(self)
        self.itertools_calls = ItertoolsCalls(self)
        self.joins = Joins(self)
        self.key_functions = KeyFunctions(self)
        self.kinds = Kinds(self)
        self.linked_calls = LinkedCalls(self)
        self.list_methods = ListMethods(self)
        self.methods = Methods(self)
        self.operators = Operators(self)
        self.outer_state = OuterState(self)
        self.star_arguments = StarArguments(self)
        self.statements = Statements(self)
        self.transforms = Transforms(self)

    def comprehended(self, node: n.expr, target: str='') -> n.expr:
        """A comprehension as a list (called ``target``, if that is given) or a dict."""
        return self.comprehensions.comprehended(node, target)

    def applied(self, node: n.expr, applied: Application) -> n.expr:
        """The same application on operands; what the rule treats as static stays as written."""
        return self.flat_indices.applied(node, applied)

    def element(self, iterated: n.expr, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """What an iterable gives at a position, and its length."""
        return self.flat_indices.element(iterated, position, at)

    def indexed(self, node: n.For) -> None:
        """A loop over values that carry becomes a loop over their positions, or over the keys of a dict."""
        return self.flat_indices.indexed(node)

    def listed(self, node: n.expr, target: str='') -> n.expr | None:
        """``xs + ys``, ``xs * n``, ``xs[1:]``, ``xs.copy()`` and ``xs.pop(i)`` in normal form; None if the expression is none of these."""
        return self.dict_methods.listed(node, target)

    def altered(self, node: n.Expr) -> bool:
        """Append the normal form of a call of a list's method of which the result is thrown away; False if it is none."""
        return self.dict_methods.altered(node)

    def in_order(self, node: n.Call) -> n.expr:
        """``sorted(xs)`` as an array in NumPy's order, in which equal ones stay in theirs, as Python keeps them."""
        return self.key_functions.in_order(node)

    def consumed(self, node: n.Call) -> n.expr | None:
        """``sum``, ``max``, ``list`` … of a generator or of ``map``, ``functools.reduce``, or None if the call is none of these."""
        return self.key_functions.consumed(node)

    def called(self, node: n.Call) -> Any:
        """The function of the user's that a call is of, an inner one included, or None."""
        return self.transforms.called(node)

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        return self.transforms.inlined(function, node)

    def value(self, node: n.expr) -> n.expr:
        """The right-hand side of an assignment: one application to operands."""
        return self.transforms.value(node)

    def transformed(self, node: n.expr) -> Any:
        """The derivative that a call like ``grad(f, 1)`` makes, or None if it is another call."""
        return self.transforms.transformed(node)

    def made_by(self, door: Any, given: Mapping[str, Any], node: n.Call) -> Any:
        """What ``door`` makes of the function that a call gives it; None if it is refused."""
        return self.transforms.made_by(door, given, node)

    def function_of(self, node: Any) -> Any:
        """The function that the argument of a transform names, or None."""
        return self.transforms.function_of(node)


def lowered(
    source: Source, start: tuple[str, ...], scope: Scope, kinds: Mapping[str, Abstract] | None = None, deriving: Deriving | None = None,
    linking: Linking = INSIDE,
) -> Named:
    """The body of ``source`` in normal form, given the parameters that may carry a derivative, and what is known of them.

    >>> import numpy as np
    >>> from sourcediff.api.explain import text_after
    >>> def layer(w, x, k):
    ...     h = np.maximum(x[k + 1:] @ w, 0) - x[0]
    ...     return h.sum()
    >>> print(text_after("unbound_names", layer))
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
    low = Lowering(scope, kinds or {}, deriving, linking)
    state = low.state
    for parameter, known in (kinds or {}).items():
        if parameter not in binding_counts(source.tree.body):
            low.attributes.knows(parameter, known, parameter)
        elif (record := record_known(known)) is not None:
            scope.records[parameter] = record
    state.sources.append(source)
    if linking.parting:
        state.parted = read_by_entry(source.tree, {path: kinds[path] for path in start if kinds and path in kinds and path in state.paths})
    asked = [low.attributes.asked(path, source.tree) for path in start]
    state.sources.pop()
    owners = {path.split(".")[0] for path in start if "." in path}.union(*map(owners_of, asked))
    state.leaves |= set(leaves_of(asked))
    named = low.bodies.function(source, owners.union(leaves_of(asked)), keep=True)
    named[:0] = low.escapes.beginning([*named, named.result], source)
    low.escapes.uncalled(named, source, owners)
    low.outer_state.unshared(named, source)
    low.outer_state.unaltered(named, source, owners.union(leaves_of(asked)))
    if not state.places and not state.lacking:  # what they follow from is taken
        state.places, state.follow_ups = state.follow_ups, []
    if state.places or state.lacking:
        raise refusal(source.function, in_order(state.places), state.lacking, len(set(state.follow_ups)))
    named.pending = state.pending
    named.asked = asked
    named.opened = {local: (path, state.kinds[local]) for local, path in state.opened.items()}
    return named


def in_order(places: list[Place]) -> list[Place]:
    """Places in reading order, file after file."""
    files = list(dict.fromkeys(place.file for place in places))
    return sorted(places, key=lambda place: (files.index(place.file), place.line, place.column or 0))



