"""What the parts of the lowering share: the state that they write to, and the words that all of them use.

:class:`Lowering` (``lowering.py``) has one :class:`Room` for each subject: loops, calls, kinds, comprehensions. A room reaches another one
as ``self.lower.comprehensions``, and says the commonest things itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from ..analysis.abstract import Abstract
from ..analysis.scope import Scope
from ..analysis.source.effects import Effective
from ..analysis.source.unknown_values import come_of, without_rule
from ..errors import Place
from ..rules.suggestions import lacking
from ..syntax import nodes as n
from ..syntax.quote import names
from ..syntax.source import Source, located_in

Block = list[n.stmt]

REFUSED = "refused"
"""The kind of the constant that stands for the value of what is refused."""


@dataclass
class State:
    """What has been written and noted so far.

    Names here are those of the text that is written: of two functions' variables of one name, one has got another one.
    """

    scope: Scope
    # what is written
    out: Block = field(default_factory=list)  # the block at hand
    around: list[Block] = field(default_factory=list)  # the blocks around it
    places: list[Place] = field(default_factory=list)  # what is refused
    lacking: list[Place] = field(default_factory=list)  # the calls without a rule from which something else follows that is refused
    follow_ups: list[Place] = field(default_factory=list)  # what is refused for a reason that stands among these already
    spoilt: set[str] = field(default_factory=set)  # objects that could not be made
    # where we are
    sources: list[Source] = field(default_factory=list)  # the functions, one called by the other
    calls: list[n.AST] = field(default_factory=list)  # the calls that led from each source to the next
    selves: list[tuple[Any, str]] = field(default_factory=list)  # the functions at hand, and what their first parameters stand for
    loops: int = 0  # how many loops are around
    embeddings: int = 0  # how many bodies were written out
    counts: Counter[str] = field(default_factory=Counter)  # how often each name is bound in the body at hand
    # how it is written
    deriving: Any = None  # what writes the derivatives that are taken inside (Deriving)
    linking: Any = None  # which calls may stay calls (Linking)
    # what is known of values
    kinds: dict[str, Abstract] = field(default_factory=dict)  # of a name at this point: lists, tuples and dicts
    odd: set[str] = field(default_factory=set)  # parameters that may be anything
    names: set[str] = field(default_factory=set)  # that may carry a derivative
    arrays: set[str] = field(default_factory=set)  # names that are bound once, to what is certainly an array
    lists: set[str] = field(default_factory=set)  # names that are bound to a new list somewhere
    sets: set[str] = field(default_factory=set)  # names that are bound to a new set somewhere
    unsure: set[str] = field(default_factory=set)  # names that stand for a list at one time only
    unset: set[str] = field(default_factory=set)  # names that are None at this point
    counters: set[str] = field(default_factory=set)  # names that are certainly ints: the positions of loops over values
    come: dict[str, list[type]] = field(default_factory=dict)  # the classes with items of their own that a name may stand for objects of
    known_effects: dict[n.AST, Effective] = field(default_factory=dict)  # of the functions' trees
    # what is known of names
    outside: frozenset[str] = frozenset()  # that are bound outside of comprehensions and inner functions
    often: set[str] = field(default_factory=set)  # that are bound more than once
    changing: set[str] = field(default_factory=set)  # of lists and dicts whose entries change
    unsettled: set[str] = field(default_factory=set)  # of attributes that a branch or a loop may have bound anew
    shared: list[set[str]] = field(default_factory=list)  # pairs of names for one list or dict
    seen: set[str] = field(default_factory=set)  # the free names that have been looked at
    # functions
    functions: dict[str, Any] = field(default_factory=dict)  # the inner functions that can be called here
    defined: dict[str, tuple[n.AST, Source]] = field(default_factory=dict)  # all that there are
    callees: dict[str, n.expr] = field(default_factory=dict)  # attributes that stand for functions at this point, and what these are called
    partly: dict[str, Any] = field(default_factory=dict)  # names that stand for functions that were given some arguments already
    outer: set[str] = field(default_factory=set)  # those of partly that stand for something from outside
    standing_in: set[str] = field(default_factory=set)  # names for functions that the generated text does not know
    # objects, and what is reached from outside
    instances: dict[str, Any] = field(default_factory=dict)  # names that stand for objects of the user's classes
    classes: dict[type, n.expr] = field(default_factory=dict)  # how the text speaks of the classes of which objects are made inside
    locals: dict[tuple[str, str], str] = field(default_factory=dict)  # the local name of an object's attribute
    opened: dict[str, str] = field(default_factory=dict)  # how such a name is reached, if it is of an object from outside
    leaves: set[str] = field(default_factory=set)  # what is differentiated, and what is reached of it: no constants
    heads: dict[str, n.expr] = field(default_factory=dict)  # names for such parts, each with the entry of a leaf that it stands for
    paths: dict[str, str] = field(default_factory=dict)  # how everything from outside is reached of which more is known
    openable: set[str] = field(default_factory=set)  # those of them that are objects or functions, or hold some
    drawn: dict[str, set[Any]] = field(default_factory=dict)  # of captured containers: the keys of the functions and objects that were read
    parted: set[str] = field(default_factory=set)  # dicts of numbers that are differentiated entry by entry
    divided: dict[str, set[Any]] = field(default_factory=dict)  # of containers of objects: the keys of numbers that are differentiated
    # what is looked at again at the end
    stars: list[tuple[n.expr, Abstract, Source]] = field(default_factory=list)  # what has been written out, and what was known of it
    pending: dict[Any, str] = field(default_factory=dict)  # the calls of derivatives that have not been looked into
    pulls: dict[Any, int] = field(default_factory=dict)  # how often each pullback is called, or may be

    @contextmanager
    def apart(self) -> Iterator[Block]:
        """A block of its own for what is appended meanwhile, and for the functions defined there."""
        outer, self.out = self.out, []
        functions, self.functions = self.functions, dict(self.functions)
        self.around.append(outer)
        try:
            yield self.out
        finally:
            self.out, self.functions = self.around.pop(), functions

    def remembered(self) -> dict[str, Any]:
        """A copy of all containers here, and of what the scope knows of functions."""
        noted = {each.name: getattr(self, each.name) for each in fields(self)}
        copies = {name: value.copy() for name, value in noted.items() if isinstance(value, (dict, list, set))}
        return {"functions of the scope": dict(self.scope.functions), **copies}

    def restore(self, before: Mapping[str, Any]) -> None:
        """Go back to what was :meth:`remembered`."""
        for name, value in before.items():
            if name == "out":
                self.out[:] = value
            elif name == "functions of the scope":
                self.scope.functions = value
            else:
                setattr(self, name, value)


class Room:
    """One subject of the lowering. What it writes goes to ``self.state.out``."""

    def __init__(self, lower: Any):
        self.lower = lower
        self.state: State = lower.state
        self.scope: Scope = lower.state.scope

    def refused(self, node: n.AST, problem: str, why: str, remedy: str, source: Source | None = None) -> n.expr:
        """Note that something is not taken, and give what stands for its value. What follows from another refusal is counted apart."""
        place = (source or self.state.sources[-1]).place(node, f"{problem} is not taken by the compiler", why, remedy)
        (self.state.follow_ups if self._follows(node) else self.state.places).append(place)
        return n.Constant(value=None, kind=REFUSED)

    def _follows(self, node: n.AST) -> bool:
        """Whether a value is unknown since another one is: one that was refused, or has no rule (which is said instead)."""
        if not isinstance(node, (n.expr, n.Expr)):
            return False
        objects = self.state.instances
        spoilt = {name for name, known in objects.items() if any(known is objects.get(other) for other in self.state.spoilt)}
        written = [part for block in (*self.state.around, self.state.out) for part in block]
        causes = come_of(written, self._unknown, spoilt)
        found = next((causes[name] for name in sorted(names(node)) if name in causes), None)
        if isinstance(found, Place) and found not in self.state.lacking:
            self.state.lacking.append(found)
        return found is not None

    def _unknown(self, node: n.AST) -> Place | str | None:
        """What a statement begins of which nothing is known: the call without a rule that it has, empty if it was refused; else None."""
        for part in n.walk(node):
            if isinstance(part, n.Constant) and part.kind == REFUSED or self.lower.attributes.instance(part) is not None:
                return ""
        if (found := without_rule(node, self.state.names, self.scope)) is None:
            return None
        return located_in(found[0], getattr(node, "file", self.state.sources[-1].file), *lacking(found[1]))

    def statement(self, node: n.stmt) -> None:
        """Append the core form of one statement to the block."""
        self.lower.statements.statement(node)

    def operand(self, node: n.expr, always: bool = False) -> n.expr:
        """A name or a constant for the value of ``node``; without ``always`` a simple expression that carries nothing may stay."""
        return self.lower.expressions.operand(node, always)

    def value(self, node: n.expr) -> n.expr:
        """The right-hand side of an assignment: one application to operands."""
        return self.lower.value(node)

    def bound(self, target: str, value: n.expr, at: n.AST) -> n.expr:
        """Append ``target = value`` and give the name back."""
        return self.lower.bindings.bound(target, value, at)

    def called(self, node: n.Call) -> Any:
        """The function of the user's that a call is of, an inner one included, or None."""
        return self.lower.called(node)

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""
        return self.lower.inlined(function, node)

    def carries(self, node: n.expr) -> bool:
        """Whether a value may depend on what is differentiated."""
        return self.lower.kinds.carries(node)

    def known(self, node: n.expr) -> Abstract:
        """What is known of a value as a container; UNKNOWN of everything else."""
        return self.lower.kinds.known(node)
