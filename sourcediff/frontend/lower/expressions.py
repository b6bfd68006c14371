"""Flatten expressions: what may carry a derivative becomes one application to names, the rest stays as the user wrote it.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def loss(x, y, k):
...     return np.sum((x[k + 1] if k else x[0]) * max(x[1], x[2], y))
>>> print(text_after("normalise", loss))
if k:
    t = x[k + 1]
else:
    t = x[0]
t1 = x[1]
t2 = x[2]
t3 = max(t1, t2)
t4 = max(t3, y)
t5 = t * t4
value = np.sum(t5)
"""

from __future__ import annotations

import builtins
import enum
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, item_of, of_entries
from ...analysis.applications import Application, application, is_user_function
from ...analysis.bindings import is_method
from ...analysis.scope import MISSING, Scope
from ...analysis.source.effects import Effective, among
from ...analysis.source.may_be_active import carries
from ...analysis.source.sharing import grouped
from ...analysis.statements import base
from ...errors import OF_A_DRAW, Place
from ...runtime.structures import check_numbers, copied, zeros_like
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, place, remade, statement
from ...syntax.source import Source
from ..desugar.deques_and_defaults import Plain
from ..desugar.index_tricks import Beside, Unwritten
from ..desugar.lists_of_views import certainly_array
from ..desugar.numpy_functions import Writing, substituted
from .list_repetition import multiplies

Block = list[n.stmt]


class Awaited(NamedTuple):
    """A generator that became a list: what that is called, what the generator reads ``late``, with each item, what it reads at all."""

    name: str
    late: set[str]
    read: set[str]
    built: Block
    node: n.GeneratorExp
    source: Source


class Flattener(ABC):
    """Appends to a block what an expression needs first, and gives back what is left of the expression."""

    def __init__(self, scope: Scope, kinds: Mapping[str, Abstract]):
        self.scope = scope
        self.kinds = dict(kinds)  # what is known of a name at this point: lists, tuples and dicts
        self.odd = {name for name, known in self.kinds.items() if known.kind == "unknown"}  # parameters that may be anything
        self.calls: list[n.AST] = []  # the calls that led from each source to the next
        self.places: list[Place] = []
        self.sources: list[Source] = []
        self.known_effects: dict[n.AST, Effective] = {}  # of the functions' trees
        self.out: Block = []
        self.around: list[Block] = []  # the blocks around it
        self.outside: frozenset[str] = frozenset()  # names that are bound outside of comprehensions and inner functions
        self.functions: dict[str, Any] = {}  # the inner functions that can be called here
        self.defined: dict[str, tuple[n.AST, Source]] = {}  # all that there are
        self.often: set[str] = set()  # names that are bound more than once
        self.changing: set[str] = set()  # names of lists and dicts whose entries change
        self.unsettled: set[str] = set()  # names of attributes that a branch or a loop may have bound anew
        self.shared: list[set[str]] = []  # pairs of names for one list or dict
        self.stars: list[tuple[n.expr, Abstract, Source]] = []  # what has been written out, and what was known of it
        self.awaited: list[Awaited] = []  # generators whose items were computed at once
        self.names: set[str] = set()
        self.callees: dict[str, n.expr] = {}  # attributes that stand for functions at this point, and what these are called
        self.unset: set[str] = set()  # names that are None at this point
        self.lists: set[str] = set()  # names that are bound to a new list somewhere
        self.sets: set[str] = set()  # names that are bound to a new set somewhere
        self.unsure: set[str] = set()  # names that stand for a list at one time only
        self.instances: dict[str, Any] = {}  # names that stand for objects of the user's classes
        self.classes: dict[type, n.expr] = {}  # how the text speaks of the classes of which objects are made inside
        self.selves: list[tuple[Any, str]] = []  # the functions at hand, and what their first parameters stand for
        self.loops = 0  # how many loops are around
        self.partly: dict[str, Any] = {}  # names that stand for functions that were given some arguments already
        self.locals: dict[tuple[str, str], str] = {}  # the local name of an object's attribute
        self.opened: dict[str, str] = {}  # how such a name is reached, if it is of an object from outside
        self.leaves: set[str] = set()  # what is differentiated, and what is reached of it: no constants
        self.heads: dict[str, n.expr] = {}  # names for such parts, each with the entry of a leaf that it stands for
        self.paths: dict[str, str] = {}  # how everything from outside is reached of which more is known
        self.openable: set[str] = set()  # those of them that are objects or functions, or hold some
        self.drawn: dict[str, set[Any]] = {}  # of containers from outside: the keys of the functions and objects that were read
        self.standing_in: set[str] = set()  # names for functions that the generated text does not know
        self.outer: set[str] = set()  # those of partly that stand for something from outside
        self.seen: set[str] = set()  # the free names that have been looked at
        self.pending: dict[Any, str] = {}  # the calls of derivatives that have not been looked into
        self.pulls: dict[Any, int] = {}  # how often each pullback is called, or may be
        self.come: dict[str, list[type]] = {}  # the classes of objects from outside, with items of their own, that names may stand for
        self.counters: set[str] = set()  # names that are certainly ints: the positions of loops over values
        self.plainly: dict[str, Plain] = {}  # names for deques and default dicts that several functions use: what writes them plainly

    @abstractmethod
    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a user's function in place of its call; the expression it returns."""

    @abstractmethod
    def lifted(self, node: n.expr) -> n.expr:
        """An expression that carries nothing, without calls that must be inlined: these stand in the block before it."""

    @abstractmethod
    def made(self, node: n.Call) -> type | None:
        """The user's class that a call makes an object of."""

    @abstractmethod
    def constructed(self, node: n.Call, target: str = "") -> n.expr:
        """The attributes of a new object, called ``target`` if that is given, in local names; the object's name."""

    @abstractmethod
    def owned(self, node: n.expr) -> n.expr:
        """``Spring(k).energy(x)`` and its like with a name for the object that is made there."""

    @abstractmethod
    def known_function(self, node: n.expr) -> bool:
        """Whether an expression stands for a function that is known."""

    @abstractmethod
    def is_partial(self, node: n.expr) -> TypeGuard[n.Call]:
        """Whether an expression is ``functools.partial(f, …)`` of a function that is known."""

    @abstractmethod
    def partly_given(self, node: n.Call) -> n.expr:
        """``functools.partial(f, …)`` as a name that is only called."""

    @abstractmethod
    def named_again(self, target: str, name: str, at: n.AST) -> None:
        """Let ``target`` be another name of an object, if it can be no other object later."""

    @abstractmethod
    def refused_object(self, node: n.AST, source: Source | None = None) -> n.expr:
        """Refuse an object that is more than its attributes."""

    @abstractmethod
    def comprehended(self, node: n.expr, target: str = "") -> n.expr:
        """A comprehension as a list (called ``target``, if that is given) or a dict."""

    @abstractmethod
    def collected(self, node: n.expr, target: str = "") -> n.expr:
        """A display with stars of unknown length, as a list that grows."""

    @abstractmethod
    def listed(self, node: n.expr, target: str = "") -> n.expr | None:
        """An operation on lists in normal form (its result called ``target``, if that is given); None of any other expression."""

    @abstractmethod
    def consumed(self, node: n.Call) -> n.expr | None:
        """``sum``, ``max``, ``list`` … of a generator, or None if the call is none of these."""

    @abstractmethod
    def lambda_(self, node: n.Lambda, name: str = "") -> n.expr:
        """A lambda as an inner function, called ``name``, if that is given."""

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
        """What has been written and noted so far."""
        noted = {name: value.copy() for name, value in vars(self).items() if isinstance(value, (dict, list, set))}
        return {"functions of the scope": dict(self.scope.functions), **noted}

    def restore(self, before: dict[str, Any]) -> None:
        """Go back to what was :meth:`remembered`."""
        noted = dict(before)
        self.out[:] = noted.pop("out")
        self.scope.functions = noted.pop("functions of the scope")
        vars(self).update(noted)

    def called(self, node: n.Call) -> Any:
        """The function of the user's that a call is of, an inner one included, or None."""
        if isinstance(node.func, n.Lambda):
            return self.functions[self.lambda_(node.func).id]
        if isinstance(node.func, n.Name) and node.func.id in self.functions:
            return self.functions[node.func.id]
        if isinstance(node.func, n.Name) and node.func.id in self.partly:
            return self.partly[node.func.id]
        function = self.scope.resolve(node.func)
        function = getattr(function, "py_func", function)  # of a function that Numba compiles
        return function if is_user_function(function) else None

    def carries(self, node: n.expr) -> bool:
        return carries(node, self.names, self.scope)

    def known(self, node: n.expr) -> Abstract:
        """What is known of a value as a container; UNKNOWN of everything else."""
        if isinstance(node, n.Name):
            return self.kinds.get(node.id, UNKNOWN)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant):
            return item_of(self.known(node.value), node.slice.value)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Name) and (held := self.known(node.value)).kind == "sequence":
            return item_of(held)
        if isinstance(node, n.Dict):
            return mapping_of(node, self.known)
        if isinstance(node, (n.List, n.Tuple)):
            return Abstract("sequence") if has_stars(node) else Abstract("sequence", items=tuple(map(self.known, node.elts)))
        if isinstance(node, (n.Subscript, n.BinOp, n.ListComp)):
            return Abstract("sequence") if self.makes_list(node) else UNKNOWN
        if isinstance(node, n.Call):
            function = self.scope.resolve(node.func)
            if function is dict:
                return self.known(shown) if (shown := self.displayed(node)) is not node else Abstract("mapping")
            if function is copied and node.args:
                return self.known(node.args[0])
            if is_method(node, "copy") and (owner := self.known(node.func.value)).kind == "mapping":
                return owner
            return Abstract("sequence") if function in (list, tuple, sorted) or self.makes_list(node) else UNKNOWN
        return UNKNOWN

    def multiplies(self, times: n.expr) -> bool | None:
        """Whether a list times this multiplies the entries, since it is an array; False: it is an int; None: it may be either."""
        return multiplies(times, self.scope, self.kinds)

    def makes_list(self, node: n.expr) -> bool:
        """Whether an expression is an operation on lists that gives a list."""
        if isinstance(node, n.ListComp):
            return True
        if isinstance(node, n.Subscript):
            return isinstance(node.slice, n.Slice) and self.is_sequence(node.value)
        if isinstance(node, n.BinOp):
            if isinstance(node.op, n.Add):  # the right side first: of a long sum it is the short one
                return self.is_sequence(node.right) and self.is_sequence(node.left)
            if not isinstance(node.op, n.Mult) or (right := self.is_sequence(node.right)) == self.is_sequence(node.left):
                return False
            times = node.left if right else node.right
            return not self.multiplies(times) and not self.carries(times)
        method = node.func if isinstance(node, n.Call) and not node.args else None
        return isinstance(method, n.Attribute) and method.attr == "copy" and self.is_sequence(method.value)

    def is_sequence(self, node: n.expr) -> bool:
        """Whether the value of an expression is certainly a list or a tuple."""
        if isinstance(node, n.Name) and node.id in self.unsure:
            return False
        return self.known(node).kind == "sequence"

    def displayed(self, node: n.expr) -> n.expr:
        """``dict(a=1)`` as ``{"a": 1}``, ``dict(d)`` as ``d.copy()``, ``dict(zip(names, values))`` as a comprehension; else as it is."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) and len(node.args) == 1 and not node.keywords else None
        if function is dict and self.known(node.args[0]).kind == "mapping":
            return place(expression("$d.copy()", d=node.args[0]), node)
        if function is dict and isinstance(node.args[0], n.Call) and self.scope.resolve(node.args[0].func) is zip:
            key, entry_ = self.scope.fresh("key"), self.scope.fresh("entry")
            return place(expression(f"{{{key}: {entry_} for {key}, {entry_} in $z}}", z=node.args[0]), node)
        if not isinstance(node, n.Call) or self.scope.resolve(node.func) is not dict or node.args or not all(k.arg for k in node.keywords):
            return node
        keys = [n.Constant(value=keyword.arg, kind=None) for keyword in node.keywords]
        return place(n.Dict(keys=keys, values=[keyword.value for keyword in node.keywords]), node)

    def bound(self, target: str, value: n.expr, at: n.AST) -> n.expr:
        """Append ``target = value`` and give the name back."""
        if isinstance(value, n.Name) and value.id in self.instances:
            self.named_again(target, value.id, at)
            return expression(target)
        if target in self.instances:
            return self.refused(at, f"{target}, which stands for several things,", "which one it is is not known before the program runs",
                                "use a name for each")
        if isinstance(value, n.Name) and value.id in self.partly:
            if target in self.often or target in self.partly or target in self.callees:
                return self.refused(at, "a name for several functions", "which one it is is not known", "use two names")
            self.partly[target] = self.partly[value.id]
            self.names.add(target)
            return expression(target)
        if isinstance(value, n.Name) and value.id in self.functions and value.id != target:
            if target in self.often or target in self.functions or target in self.callees:
                return self.refused(at, "a name for several functions", "which one it is is not known", "use two names")
            self.functions[target] = self.functions[value.id]
            self.names.add(target)
            return expression(target)
        value = self.callees.get(getattr(value, "id", ""), value)
        self.stands_for(target, value, at)
        if target in self.scope.directories:
            self.into(target, value, at)
        (self.unset.add if isinstance(value, n.Constant) and value.value is None else self.unset.discard)(target)
        if self.carries(value):
            self.names.add(target)
        self.kinds[target] = self.known(value)
        if target in self.scope.directories:
            self.kinds[target] = UNKNOWN
            self.out.append(place(statement("$t = $v", t=target, v=value), at))
            return expression(target)
        if target in self.unsure and target in self.locals.values():
            self.unsure.discard(target)
        if isinstance(value, n.Name):
            self.unsure |= {target} if value.id in self.unsure else set()
            self.lists |= {target} if value.id in self.lists else set()
        if isinstance(value, (n.List, n.ListComp)) or isinstance(value, n.BinOp) and self.is_sequence(value):
            self.lists.add(target)
        elif isinstance(value, n.Call) and self.new_list(value):
            self.lists.add(target)
        if self.is_set(value):
            self.sets.add(target)
        self.out.append(place(statement("$t = $v", t=target, v=value), at))
        return expression(target)

    def stands_for(self, target: str, value: n.expr, at: n.AST) -> None:
        """Note the function that a name is bound to. One that is an attribute may be bound to another one in another body."""
        function = self.scope.resolve(value) if isinstance(value, (n.Attribute, n.Name)) else MISSING
        if target not in self.locals.values():
            if isinstance(value, n.Attribute) and callable(function) and target not in self.often:
                self.scope.functions[target] = function
        elif target in self.functions or target in self.partly:
            self.refused(at, "a name for several functions", "which one it is is not known", "use two names")
        elif callable(function):
            self.callees[target] = value
            self.scope.functions[target] = function
        elif self.callees.pop(target, None) is not None:
            self.scope.functions.pop(target, None)

    def default_read(self, default: Any, parameter: str, function: Any, written: str) -> n.expr | None:
        """A default that is a class, or a member of an enumeration, as what it is at each call; None of any other."""
        if not isinstance(default, (type, enum.Enum)):
            return None
        return expression(self.scope.outside(f"{parameter}=", function, written=written))

    def into(self, name: str, value: n.AST, at: n.AST) -> None:
        """Refuse what is differentiated in a container that was taken for one that holds nothing such."""
        if self.carries(value) and not self.sources[-1].given:  # of the compiler's own it is known
            self.refused(at, f"what is differentiated in {name}", "what else changes in it is not undone",
                         "use a container of its own, or an array")

    def shares(self, name: str, value: n.expr) -> None:
        """Note that a name stands for the list or dict that another one stands for."""
        if isinstance(value, n.Name) and (value.id in self.lists or self.known(value).kind in ("sequence", "mapping")):
            self.shared.append({name, value.id})

    def sharing(self, name: str, once: bool = False) -> set[str]:
        """The names of the list or dict that a name stands for, as far as they have been met; ``once``: that are bound once."""
        return grouped(pair for pair in self.shared if not once or not pair & self.often).get(name, {name})

    def new_list(self, node: n.Call) -> bool:
        """Whether a call makes a list (or an adjoint that may be one) which nobody else knows."""
        function = self.scope.resolve(node.func)
        return function in (zeros_like, list, sorted) or function is copied and self.is_sequence(node.args[0])

    def is_set(self, node: n.expr) -> bool:
        """Whether an expression is certainly a set of something that carries nothing."""
        if isinstance(node, n.BinOp):
            return self.is_set(node.left) and self.is_set(node.right)
        if isinstance(node, n.Name):
            return node.id in self.sets
        called = isinstance(node, n.Call) and self.scope.resolve(node.func) in (set, frozenset)
        return (called or isinstance(node, (n.Set, n.SetComp))) and not self.carries(node)

    def operand(self, node: n.expr, always: bool = False) -> n.expr:
        """A name or a constant for the value of ``node``; without ``always`` a simple expression that carries nothing may stay."""
        if isinstance(node, (n.Name, n.Constant)):
            return node
        if not always and _simple(node) and not self.carries(node):
            return node
        node = self.chosen(node)
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
        if isinstance(node, (n.Call, n.Attribute)):
            node = self.owned(node)
        if isinstance(node, n.Call) and (callee := self.callees.get(getattr(node.func, "id", ""))) is not None:
            node = altered(node, func=clone(callee))
        if isinstance(node, n.Call) and (function := self.called(node)) is not None:
            return self.inlined(function, node)
        if isinstance(node, n.Call) and self.made(node) is not None:
            return self.constructed(node)
        if self.is_partial(node):
            return self.partly_given(node)
        if isinstance(node, n.Lambda):
            return self.lambda_(node)
        node = self.displayed(node) if self.carries(node) else node
        if has_stars(node) and self.carries(node):
            return self.collected(node)
        if isinstance(node, n.Dict) and None in node.keys and self.carries(node):
            return self.refused(node, "** in a dict", "which entries it stands for is not known", "write the entries out")
        if not self.carries(node):
            node = self.lifted(node)
            self.checked(node)
            return node
        if isinstance(node, n.Set):
            return self.refused(node, "a set of differentiated values", "its order is not defined", "use a list or a tuple")
        if isinstance(node, (n.ListComp, n.GeneratorExp, n.SetComp, n.DictComp)):
            return self.comprehended(node)
        if isinstance(node, n.Call) and (value := self.consumed(node)) is not None:
            return value if isinstance(value, n.Name) else self.value(value)
        if isinstance(node, n.Call) and (spelled := self.several(node) or self.substituted(node)) is not None:
            return self.value(spelled)
        if isinstance(node, (n.Tuple, n.List)):
            return clone_with(node, [self.operand(part) for part in node.elts])
        if isinstance(node, n.Dict):
            pairs = [(self.shown_key(key), self.operand(part)) for key, part in zip(node.keys, node.values)]
            return place(n.Dict(keys=[key for key, _ in pairs], values=[part for _, part in pairs]), node)
        if isinstance(node, (n.IfExp, n.BoolOp)):
            return self.operand(node)
        if (made := self.listed(node)) is not None:
            return made
        if isinstance(node, (n.Name, n.JoinedStr)):
            return node
        applied = application(node, self.scope)
        if applied is None and isinstance(node, n.Call) and (star := star_of(node)) is not None:
            return self.refused(star, "this star", "how many values it stands for is not known", "write the arguments out")
        if applied is None:
            drawn = isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in DRAWS
            return self.refused(node, "this expression", "the compiler cannot tell what function it applies to a differentiated value",
                                OF_A_DRAW if drawn else "use NumPy functions, operators, and functions with Python source")
        asked = node.func if isinstance(node, n.Call) else node
        if isinstance(asked, n.Attribute) and (owner := self.lacking(asked)):
            return self.refused(node, f".{asked.attr} of {owner}", f"{owner} has none: Python raises AttributeError",
                                "make an array of it, or use NumPy's function")
        if applied.rule is None and (kind := opaque(applied.function)):
            return self.refused(node, f"a call of a {kind}", "objects with state are not followed yet",
                                "call a function written in Python")
        if isinstance(node, n.BinOp):
            sides = [self.known(side).kind for side in (node.left, node.right)]
            if not {"sequence", "mapping"}.isdisjoint(sides) and not any(map(self.multiplies, (node.left, node.right))):
                return self.refused(node, "arithmetic with a list or tuple", "it joins or repeats the list",
                                    "use an array, or write the entries out")
            if _text(node.left) or _text(node.right):
                return self.refused(node, "a number turned into text", "text has no derivative", "keep the number itself")
        return self.applied(node, applied)

    def lacking(self, node: n.Attribute) -> str:
        """What the owner of an attribute is, if it is one of Python's own numbers or containers, which have none of this name."""
        if self.scope.resolve(node) is not MISSING:
            return ""
        what, kinds = OWN.get(self.known(node.value).kind, ("", ()))
        return "" if any(hasattr(kind, node.attr) for kind in kinds) else what

    def chosen(self, node: n.expr) -> n.expr:
        """``a or b`` of differentiated values as ``a if a else b``; anything else as it is."""
        if not isinstance(node, n.BoolOp) or not self.carries(node):
            return node
        (first, *others) = node.values
        rest = others[0] if len(others) == 1 else place(n.BoolOp(op=node.op, values=others), node)
        given = self.operand(first, always=True)
        then, other = (given, rest) if isinstance(node.op, n.Or) else (rest, given)
        return place(n.IfExp(test=given, body=then, orelse=other), node)

    def substituted(self, node: n.Call) -> n.expr | None:
        """A call of a function that is others in disguise, by means of these."""
        return substituted(self.scope.resolve(node.func), node, Writing(
            lambda: self.scope.known(np, "np", self.sources[0].function), self.scope.imported, lambda part: self.operand(part, always=True),
            self.carries,
        ))

    def several(self, node: n.Call) -> n.expr | None:
        """``sum([a, b, c])``, ``max(a, b, c)``: Python's functions of several numbers, two at a time."""
        function = self.scope.resolve(node.func)
        parts = list(node.args)
        shown = len(parts) == 1 and isinstance(parts[0], (n.Tuple, n.List))
        if shown:
            parts = list(parts[0].elts)
        elif len(parts) == 1 and among(function, EXTREMES) and not node.keywords and self.known(parts[0]).kind == "sequence":
            return self.extreme_of_list(self.operand(parts[0], always=True), node)
        if among(function, EXTREMES) and any(isinstance(part, (n.Tuple, n.List)) or self.is_sequence(part) for part in parts):
            return self.refused(node, "the largest or smallest of lists or tuples", "Python compares them entry by entry", "give key=")
        if not shown and (function is builtins.sum or len(parts) < 3):
            return None
        if node.keywords or function not in (builtins.sum, builtins.max, builtins.min) or not parts:
            return None
        total = parts[0]
        for part in parts[1:]:
            if function is builtins.sum:
                total = place(n.BinOp(left=total, op=n.Add(), right=part), node)
            else:
                total = place(n.Call(func=clone(node.func), args=[total, part], keywords=[]), node)
        return total

    def extreme_of_list(self, values: n.expr, at: n.Call) -> n.expr:
        """The largest or smallest of a list of numbers. (That it is one may show when it runs.) Of zeros and nans the one Python takes."""
        items = self.known(values).items
        if type(items) is not tuple or not all(item.scalar for item in items):
            check = expression("$c($p)", c=self.scope.imported("check_numbers", check_numbers), p=values)
            self.out.append(place(n.Expr(value=place(check, at)), at))
        numpy = self.scope.known(np, "np", self.sources[0].function)
        return place(expression("$m($np.array($p))", m=at.func, np=numpy, p=values), at)

    def takes_integers(self, node: n.expr) -> bool:
        """Whether what has an index is an array, a list or a tuple: with anything but integers, which have no derivative, Python raises."""
        found = self.scope.resolve(node)
        if found is not MISSING:
            return isinstance(found, (np.ndarray, list, tuple))
        once = self.scope.once.get(getattr(node, "id", ""))
        return self.known(node).kind in ("array", "sequence") or once is not None and certainly_array(once, self.scope)

    def applied(self, node: n.expr, applied: Application) -> n.expr:
        """The same application on operands; what the rule treats as static stays as written."""
        stars = {part: self.collected(part) for part in (*applied.args, *applied.kwargs.values()) if has_stars(part)}
        if stars:
            return self.value(_rebuilt(node, stars))
        if applied.function is np.array and applied.args and isinstance(applied.args[0], (n.Tuple, n.List)):
            return self.stacked(applied.args[0], node)
        if applied.function is operator.getitem and not isinstance(node, n.Subscript):
            node = place(n.Subscript(value=applied.args[0], slice=applied.args[1], ctx=n.Load()), node)
        if applied.function is operator.getitem:
            assert isinstance(node, n.Subscript)
            self.checked(node.slice)
            if (function := self.scope.resolve(node.value)) is np.r_ or function is np.c_:
                return self.beside(function, node)
            if self.carries(node.slice) and not self.takes_integers(node.value):
                return self.refused(node.slice, "an index that is differentiated", "where something is found has no derivative",
                                    "use int(...)")
            inner = node.value if entry(node.value, self.counters) else self.operand(node.value)
            return place(n.Subscript(value=inner, slice=self.steady(node.slice), ctx=n.Load()), node)
        replaced: dict[n.expr, n.expr] = {}
        for argument in (*applied.args, *applied.kwargs.values()):
            if isinstance(argument, n.Name) and argument.id in self.instances:
                return self.refused_object(argument)
            if self.carries(argument) or not _static(argument, applied):
                of_arrays = applied.rule is not None and not applied.rule.sequence and not _static(argument, applied)
                if isinstance(argument, (n.Tuple, n.List)) and of_arrays:
                    replaced[argument] = self.bound(self.scope.fresh("t"), self.stacked(argument, node, False), node)
                elif isinstance(argument, (n.Tuple, n.List)):
                    replaced[argument] = clone_with(argument, [self.operand(part) for part in argument.elts])
                elif self.is_array_like(argument, node, applied):
                    whole = self.numpy("$np.array($a)", node, a=self.operand(argument, always=True))
                    replaced[argument] = self.bound(self.scope.fresh("t"), whole, node)
                else:
                    replaced[argument] = self.operand(argument)
        return _rebuilt(node, replaced)

    def beside(self, function: Any, node: n.Subscript) -> n.expr:
        """``np.r_[a, b]`` and ``np.c_[a, b]`` as concatenations."""
        numpy = self.scope.known(np, "np", self.sources[0].function)
        try:
            made = Beside(self.known, self.carries, lambda part: self.operand(part, always=True), numpy).written(function, node.slice)
        except Unwritten as error:
            name = "np.r_" if function is np.r_ else "np.c_"
            return self.refused(error.node, f"this part of {name}", error.why, "use np.concatenate or np.stack")
        return self.value(place(made, node))

    def numpy(self, text: str, at: n.AST, **holes: Any) -> n.expr:
        """An expression that calls NumPy, under the name that it has in the program."""
        return place(expression(text, np=self.scope.known(np, "np", self.sources[0].function), **holes), at)

    def is_array_like(self, argument: n.expr, node: n.expr, applied: Application) -> bool:
        """Whether a list is given to one of NumPy's functions for an array: to it ``+`` and ``*`` mean something else."""
        rule, function = applied.rule, self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        if rule is None or rule.sequence or rule.own or function in (MISSING, np.array, np.asarray):
            return False
        if not (getattr(function, "__module__", None) or "numpy").startswith(("numpy", "scipy")):
            return False
        given = {**dict(zip(rule.parameters, applied.args)), **applied.kwargs}
        return any(part is argument and name in rule.differentiable for name, part in given.items()) and self.is_sequence(argument)

    def stacked(self, display: n.expr, at: n.expr, applied_array: bool = True) -> n.expr:
        """``np.array([a, b])`` of differentiated values, and a list where an array is meant, is ``np.stack``."""
        if applied_array and (len(at.args) > 1 or at.keywords):
            return self.refused(at, "np.array of differentiated values with a keyword", "their dtype would not be theirs",
                                "leave the keyword out, or use np.stack(...).astype(dtype)")
        numpy = self.scope.known(np, "np", self.sources[0].function)
        parts = []
        for part in display.elts:
            if isinstance(part, n.Dict) or self.known(part).kind == "mapping":
                return self.refused(at, "an array of dicts", "its entries are objects, which NumPy does not compute with", "use a list")
            if isinstance(part, (n.Tuple, n.List)):
                parts.append(self.bound(self.scope.fresh("t"), self.stacked(part, at, applied_array), at))
            else:
                parts.append(self.operand(part))
        return place(expression("$np.stack($parts)", np=numpy, parts=n.Tuple(elts=parts, ctx=n.Load())), at)

    def branch(self, target: str, node: n.IfExp, at: n.AST) -> None:
        """``target = a if test else b`` as an ``if``."""
        test = self.lifted(node.test)
        self.checked(test)
        bodies = []
        for value in (node.body, node.orelse):
            with self.apart() as body:
                if isinstance(value, n.IfExp):
                    self.branch(target, value, at)
                else:
                    self.bound(target, self.value(value), at)
            bodies.append(body)
        self.names.add(target)
        self.out.append(place(n.If(test=test, body=bodies[0], orelse=bodies[1]), at))

    def shown_key(self, node: n.expr) -> n.expr:
        """A key of a dict display, which is computed before its value."""
        self.checked_key(node)
        return self.operand(node, always=any(isinstance(part, (n.Subscript, n.Attribute, n.Call)) for part in n.walk(node)))

    def checked_key(self, node: n.expr) -> None:
        """Refuse a key of a dict that is differentiated."""
        if self.carries(node):
            self.refused(node, "a key that is differentiated", "what is read of it would have no derivative", "use a list of pairs")

    def steady(self, node: n.expr, stored_into: n.expr | None = None) -> n.expr:
        """An index whose parts mean the same when they are asked again: masks get names, and what reads the array stored into."""
        node = self.lifted(node)
        self.checked(node)
        if isinstance(node, n.Tuple):
            return place(n.Tuple(elts=[self.steady(part, stored_into) for part in node.elts], ctx=n.Load()), node)
        asks = not self.scope.directories.isdisjoint(names(node))
        if asks and not isinstance(node, n.Slice):
            return self.bound(self.scope.fresh("place"), node, node)
        if isinstance(node, (n.Slice, n.Name, n.Constant)) and stored_into is None and not asks:
            return node
        own = stored_into.id if isinstance(stored_into, n.Name) else None
        reads_own = any(isinstance(part, n.Subscript) and base(part) == own for part in n.walk(node))
        mask = any(isinstance(part, n.Compare) for part in n.walk(node))
        if not (mask or reads_own or asks):
            return node
        if isinstance(node, n.Slice):
            ends = {field: None if part is None else self.steady(part, stored_into) for field, part in n.iter_fields(node)}
            return place(n.Slice(**ends), node)
        return self.bound(self.scope.fresh("t"), node, node)

    @property
    def effective(self) -> Effective:
        """What is known of the calls in the source at hand."""
        source = self.sources[-1]
        if source.tree not in self.known_effects:
            self.known_effects[source.tree] = Effective(source.function, source.tree)
        return self.known_effects[source.tree]

    def checked(self, node: n.AST) -> None:
        """Refuse an expression that stays nested but calls a user function which changes something."""
        for part in n.walk(node):
            if isinstance(part, n.Call) and isinstance(part.func, n.Name) and part.func.id in self.functions:
                self.refused(part, f"a call of {part.func.id} inside an expression", "it is only looked into where its result is named",
                             "give the result a name first")
            called = self.scope.resolve(part.func) if isinstance(part, n.Call) else MISSING
            if is_user_function(called) and not self.effective.object_is_pure(called):
                self.refused(part, f"a call of {called.__name__} inside an expression", "it changes its arguments or other state",
                             "call it in a statement of its own")

    def refused(self, node: n.AST, problem: str, why: str, remedy: str, source: Source | None = None) -> n.expr:
        self.places.append((source or self.sources[-1]).place(node, f"{problem} is not taken by the compiler", why, remedy))
        return nothing()


OWN: dict[str, tuple[str, tuple[type, ...]]] = {
    "python": ("a Python number", (float, complex)), "sequence": ("a list or tuple", (list,)), "mapping": ("a dict", (dict,)),
}
"""What the kinds of values are that are Python's own, and the classes of which they have the attributes."""

DRAWS = frozenset("normal uniform exponential laplace logistic gumbel lognormal rayleigh gamma multivariate_normal".split())
"""Methods of generators of random numbers whose parameters are often differentiated."""


def has_stars(node: n.expr) -> bool:
    """Whether an expression is a display like ``[*a, b]``."""
    return isinstance(node, (n.Tuple, n.List)) and any(isinstance(part, n.Starred) for part in node.elts)


def star_of(node: n.Call) -> n.AST | None:
    """The first star in a call."""
    parts = (*node.args, *node.keywords)
    return next((part for part in parts if isinstance(part, n.Starred) or isinstance(part, n.keyword) and part.arg is None), None)


def mapping_of(node: n.Dict, known: Callable[[n.expr], Abstract]) -> Abstract:
    """What is known of a dict display: its entries, if all keys are literals."""
    if not all(isinstance(key, n.Constant) for key in node.keys):
        return Abstract("mapping")
    return of_entries({key.value: known(value) for key, value in zip(node.keys, node.values)})


EXTREMES = (builtins.max, builtins.min)


def nothing() -> n.expr:
    """What stands for a value that there is none of."""
    return n.Constant(value=None, kind=None)


def opaque(function: Any) -> str:
    """The kind of a callable that is neither a function of a known library nor a gradient, so nobody knows what it does; else ""."""
    module = getattr(function, "__module__", None) or type(function).__module__
    known = module.split(".")[0] in ("numpy", "scipy", "math", "cmath", "builtins", "operator", "_operator", "sourcediff")
    return "" if known or hasattr(function, "sourcediff") else type(function).__name__


def _text(node: n.expr) -> bool:
    return isinstance(node, n.JoinedStr) or isinstance(node, n.Constant) and isinstance(node.value, str)


def entry(node: n.expr, counters: set[str]) -> bool:
    """``p["w"]``, ``p[0]["w"]`` or a row by a loop's own counter: an entry that stays where it is, reached again by the same path."""
    if isinstance(node, n.Name):
        return True
    if not isinstance(node, n.Subscript) or not entry(node.value, counters):
        return False
    if isinstance(node.slice, n.Name):
        return node.slice.id in counters
    return isinstance(node.slice, n.Constant) and isinstance(node.slice.value, (int, str))


def clone_with(display: n.expr, elements: list[n.expr]) -> n.expr:
    """A tuple or list display like ``display`` with other elements."""
    return place(type(display)(elts=elements, ctx=n.Load()), display)


def _rebuilt(node: n.expr, replaced: dict[n.expr, n.expr]) -> n.expr:
    """A copy of an application's expression with some of its arguments replaced (its spelling kept)."""
    return replaced.get(node) or remade(node, lambda part: _rebuilt(part, replaced))


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
