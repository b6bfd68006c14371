"""Interpret a function: what it does with objects, closures and generators is done now, what it does with arrays and numbers is written."""

from __future__ import annotations

import contextlib
import functools
import operator
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..analysis.abstract import Abstract
from ..analysis.scope import MISSING
from ..analysis.source.effects import Effective
from ..errors import UnsupportedSyntaxError
from ..syntax import nodes as n
from ..syntax.container_methods import MUTATING, RESIZING
from ..syntax.function import unjitted
from ..syntax.quote import altered, expression, following, names, place
from ..syntax.source import Source
from .columns import Separated
from .known_parts import TELLING
from .outside import Outside
from .state import Names, Site, State
from .statements import Statements
from .trees import RESULT, bound_in, own_parts
from .values import Frame, Grown, Kept, Known, NotInterpreted, Run, Structure, TooLong, Unordered, Unsettled, Value

LONGEST = 4
"""How many times as long a text may be where no shorter one is taken."""


class Interpreter(Statements):
    """One function, interpreted."""

    def __init__(
        self, source: Source, wrt: Sequence[str], arguments: Sequence[tuple[str, Abstract]], settled: Mapping[str, Any], known: int,
        linked: Callable[[Source], bool], islands: bool, brief: bool, may_stay: Callable[[Any], bool],
    ):
        self.trees, self.known_ones, self.known_rows, self.islands, self.brief = {}, known == 2, known == 1, islands, brief
        source = source._replace(tree=self.with_one_exit(source.tree, source.function))
        taken = {part.id for part in n.walk(source.tree) if isinstance(part, n.Name)}
        taken |= {part.name for part in n.walk(source.tree) if isinstance(part, n.FunctionDef)}
        bound = bound_in(source.tree)
        self.state = State(Names(taken))
        self.state.final = bound_for_good(source.tree)
        self.state.most += 2 * sum(isinstance(part, n.stmt) for part in n.walk(source.tree))
        self.state.active = {path.split(".")[0] for path in wrt}
        self.outside = Outside(source, dict(arguments), bound, self.state, settled)
        self.outside.rebound = frozenset(
            part.id for part in own_parts(source.tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store))
        self.state.is_fixed, self.state.is_object, self.state.is_numeric = (
            self.outside.is_fixed, self.outside.is_object, self.outside.is_numeric)
        self.state.given = {name for name, _ in arguments}
        self.state.attributes = self.attributes_of
        self.state.is_number, self.state.is_constant = self.outside.is_number, self.outside.is_constant
        self.state.is_part = lambda node: self.outside.path(node) is not None
        self.state.records.meant, self.state.records.asked = self.outside.meant, known in (3, 5)
        self.pooling, self.pools, self.references = known == 5, {}, {}
        self.outside.linked, self.outside.may_stay = linked, may_stay
        self.effective = Effective(source.function, altered(source.tree, body=[]), self.outside.meant)
        self.effective.makers = self.state.makers
        self.settled = settled
        self.loops, self.begun, self.catching = [], [], []
        self.separated, self.walked, self.walked_series, self.counted = None, [], [], set()
        self.one_by_one = 0
        self.consumers, self.counters, self.imports, self.ahead = {}, set(), {}, []
        self.source = source
        self.variables = bound

    def run_function(self) -> Source:
        """The function without what is known now."""
        tree = self.source.tree
        args = tree.args
        identity = self.state.new({})
        for name in self.variables:
            self.state.named[identity, name] = name
        stars = [part for part in (args.vararg, args.kwarg) if part is not None]
        for part in (*args.posonlyargs, *args.args, *args.kwonlyargs, *stars):
            known = self.settled.get(part.id, MISSING)
            kind = self.outside.arguments.get(part.id)
            if part.id in self.outside.rebound and kind is not None and kind.kind in ("object", "sequence", "mapping"):
                self.state.named[identity, part.id] = self.state.fresh(part.id)  # what is given keeps its name
                self.outside.rebound -= {part.id}
            if isinstance(known, TELLING):
                self.outside.used[part.id] = known
                self.state.held[identity][part.id] = Known(known)
            elif kind is not None and kind.kind == "function":
                self.state.held[identity][part.id] = Known(unjitted(kind.items.value), expression(part.id))
            else:
                self.state.held[identity][part.id] = Run(expression(part.id))
        self.state.frames = [Frame(identity, self.variables, self.source.function, None, tree)]
        self.make_pools()
        self.block(tree.body)
        value = self.state.held[identity].get(RESULT, Known(None))
        self.state.at, self.state.frames = tree.body[-1], []
        self.state.emit(n.Return(value=self.text(self.whole(value, set()))))
        self.check_counters()
        self.check_heaps(self.state.out)
        self.check_ahead(self.state.out)
        parts = [part for node in self.state.out for part in n.walk(node)]
        if self.outside.counted:
            grown = [part.value for part in parts if isinstance(part, n.Attribute) and part.attr in RESIZING
                     and not isinstance(self.outside.meant(part.value), types.ModuleType)]
            if not all(self.is_made_here(node, parts) for node in grown):
                raise NotInterpreted("a list grows, and the length of one decides")
        nested = any("[" in path or ":" in path for path in self.outside.used)
        if nested and any(is_renewal(part) and not self.is_made_here(part.value, parts) for part in parts):
            raise NotInterpreted("a dict gets other entries, and the length of one decides")
        if self.outside.opened:
            self.check_opened()
        try:
            self.state.out = self.state.records.settled(self.state.out)
        except NotInterpreted:
            self.state.at = self.state.records.place or self.state.at
            raise
        self.state.out = [*(node for name, node in self.imports.items() if name in names(self.state.out)), *self.state.out]
        made = altered(tree, body=self.state.out)
        for node in self.state.out:
            for part in n.walk(node):
                if getattr(part, "lineno", None) is None:
                    place(part, node)
        following(made.body, tree, within=True)
        source: Source = self.source
        return source._replace(
            tree=made, given=self.outside.given, followed=tuple(self.outside.followed),
            own=frozenset(names(tree) | self.made_in_time() | self.state.doubtful))

    def is_made_here(self, node: n.AST, parts: list[n.AST], around: frozenset[str] = frozenset()) -> bool:
        """Whether a container is certainly one that the text makes, or an entry of one that holds no others."""
        if isinstance(node, n.Subscript) and isinstance(node.value, n.Name):
            makers = [*self.state.makers.get(node.value.id, ())]
            stored = [part.value for part in parts if isinstance(part, n.Assign) for target in part.targets
                      if isinstance(target, n.Subscript) and isinstance(target.value, n.Name) and target.value.id == node.value.id]
            held = [value for maker in makers if isinstance(maker, n.Dict) for value in maker.values]
            return all(isinstance(maker, n.Dict) for maker in makers) and bool(makers) and all(
                self.is_made_here(part, parts, around | {node.value.id}) for part in held + stored)
        if isinstance(node, n.Name):
            makers = self.state.makers.get(node.id, [])
            return node.id in self.state.lists or node.id not in around and bool(makers) and all(
                self.is_made_here(maker, parts, around | {node.id}) for maker in makers)
        return isinstance(node, (n.List, n.Dict, n.ListComp, n.DictComp))

    def check_opened(self) -> None:
        """Refuse a text that may give other entries to a dict from outside of which it is known which it has."""
        parts = [part for node in self.state.out for part in n.walk(node)]
        stored: dict[str, list[Any]] = {}
        for node in parts:
            for target in node.targets if isinstance(node, n.Assign) else [node.target] if isinstance(node, n.For) else ():
                plain = isinstance(node, n.Assign) and isinstance(target, n.Name)
                for part in n.walk(target):
                    if isinstance(part, n.Name) and isinstance(part.ctx, n.Store):
                        stored.setdefault(part.id, []).append(node.value if plain else None)
        own = stored.keys() - self.outside.arguments.keys()
        while others := {name for name in own if not all(self.is_own_of(value, own) for value in stored[name])}:
            own -= others
        own |= self.state.lists
        shared = functools.reduce(operator.and_, ({key for key, _ in known.items or ()} for known in self.outside.opened))
        for part in parts:
            of: Any = part.value if isinstance(part, (n.Attribute, n.Subscript)) else None
            if of is None or isinstance(of, n.Name) and of.id in own:
                continue
            if isinstance(part, n.Attribute):
                changes = part.attr in MUTATING["dict"]
            else:
                key = getattr(part.slice, "value", MISSING) if isinstance(part, n.Subscript) else MISSING
                known = self.outside.known(of)
                changes = not isinstance(part.ctx, n.Load) and key not in shared and (
                    type(key) is str or known is not None and known.kind == "mapping")
            if changes:
                raise NotInterpreted("a dict gets other entries, and which it has decides")

    def is_own_of(self, node: Any, own: set[str]) -> bool:
        """Whether an expression makes a dict or a list, or is the name of one that the text makes; a slice is no dict."""
        if isinstance(node, n.Call):
            return self.outside.meant(node.func) in (list, sorted)
        sliced = isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice)
        return sliced or isinstance(node, (n.Dict, n.DictComp, n.List, n.ListComp)) or isinstance(node, n.Name) and node.id in own

    def whole(self, value: Value, seen: set[int]) -> Value:
        """The result, of which no list or dict is held in two places: the text would make two of it."""
        if isinstance(value, Structure) and value.kind in (tuple, list, dict):
            if value.identity in seen and value.kind is not tuple:
                raise NotInterpreted("a list or a dict is kept in two places")
            seen.add(value.identity)
            for part in self.parts(value):
                self.whole(part, seen)
        return value

    def refusal(self, why: str) -> UnsupportedSyntaxError:
        """The error that names the statement at which the interpreter stands, and the reason."""
        function = self.state.frames[-1].function if self.state.frames else self.source.function
        source = self.outside.sources.get(function, self.source)
        node = self.state.at or source.tree
        at = source.place(node, "this is not taken by the compiler", why, "leave mode out: the eager engine takes it")
        return UnsupportedSyntaxError(f"{self.source.function.__qualname__} cannot be compiled because of one place", places=[at])

    def made_in_time(self) -> set[str]:
        """The names of what calls give that have to be made where they stand."""
        stored = [part for node in self.state.out for part in n.walk(node) if isinstance(part, n.Assign) and isinstance(part.value, n.Call)]
        return {name for node in stored if self.effective.counts(node.value) for target in node.targets for name in names(target)}


def bound_for_good(tree: Any) -> set[str]:
    """The parameters and variables of a function that are bound once, in a statement that runs once on each way."""
    stored = [part.id for part in n.walk(tree) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)]
    args = tree.args
    parameters = {part.id for part in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    plain = [node for node in tree.body if isinstance(node, (n.Assign, n.AnnAssign))]
    once = {part.id for node in plain for part in n.walk(node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)} | parameters
    return {name for name in once if stored.count(name) == 1}


def is_own_error(error: BaseException) -> bool:
    """Whether an error was raised by the library or by what it calls, and not, say, by a handler of a signal that came in between."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    return where in sys.stdlib_module_names or where in (__name__.partition(".")[0], "numpy", "gast")


def is_renewal(node: n.AST) -> bool:
    """Whether a node is the entry of a dict that is stored to."""
    return isinstance(node, n.Subscript) and isinstance(node.ctx, n.Store) and isinstance(node.slice, n.Constant) and isinstance(
        node.slice.value, str)


def interpreted(
    source: Source, wrt: Sequence[str], arguments: Sequence[tuple[str, Abstract]],
    settled: Mapping[str, Any] | None = None, known: int = 0, linked: Callable[[Source], bool] = lambda source: False,
    islands: bool = False, may_stay: Callable[[Any], bool] = lambda function: True, way: str = "whole", opening: bool = False,
) -> tuple[Source, tuple[tuple[str, Any], ...]]:
    """The function as one of arrays and numbers: its objects, closures and generators are known now; and what it takes for settled of
    the arguments: lengths by their symbols, strings and tests by their parameters. ``known``: of 2, a list or dict of the function is
    known part by part, or not taken; of 1, one that holds others; else it may become one of the text; of 3, one that holds objects, too;
    of 4, one of objects is held by attributes; of 5, all objects of a class are.
    ``linked``: whether the call of a function stays one, since its derivative is found otherwise; ``islands``: so do calls of functions
    that are refused. ``way``: the
    ``"whole"`` function is written out; or a ``"brief"`` text, in which calls of functions from outside stay that ``may_stay``; or a
    ``"long"`` one. ``opening``: bodies of functions are written out of which nothing carries a derivative, too.

    Raises UnsupportedSyntaxError for what the interpreter does not take, and TooLong where the whole would be too long.
    """
    separated: dict[Site, tuple[type, tuple[str, ...], frozenset[str], frozenset[str]]] = {}
    references: dict[tuple[type, str], type] = {}
    heaps: set[str] | None = None
    while True:
        interpreter = Interpreter(source, wrt, arguments, settled or {}, known, linked, islands, way == "brief", may_stay)
        interpreter.opening, interpreter.first = opening, way == "whole"
        interpreter.state.most *= LONGEST if way == "long" else 1
        before = len(references)
        interpreter.heaps = heaps
        interpreter.separated, interpreter.references = separated if known in (4, 5) else None, references
        known_heaps = len(heaps or ())
        try:
            return run(interpreter, way)
        except Unordered:
            if heaps is not None and len(heaps) == known_heaps:
                raise interpreter.refusal("the order of the items in a heap") from None
            heaps = set() if heaps is None else heaps
        except Separated as found:
            form = found.kind, found.attributes, found.series, found.links
            if separated.get(found.site) == form and len(references) == before:
                raise interpreter.refusal("what objects in a container of the text hold") from found
            separated[found.site] = form


def run(interpreter: Interpreter, way: str) -> tuple[Source, tuple[tuple[str, Any], ...]]:
    """What an interpreter writes, and what it takes for settled of the arguments."""
    try:
        return interpreter.run_function(), tuple(sorted(interpreter.outside.used.items()))
    except TooLong as problem:
        if way == "whole":
            raise
        raise interpreter.refusal(problem.problem) from problem
    except NotInterpreted as problem:
        raise interpreter.refusal(problem.problem) from problem
    except (Unsettled, Grown, Kept) as problem:
        with contextlib.suppress(NotInterpreted):
            interpreter.separate_container(problem.args if isinstance(problem, Unsettled) else ())
        raise interpreter.refusal("what stands for values of several kinds, by the way that was taken") from problem
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, AssertionError) as problem:  # what the function itself would raise
        if not is_own_error(problem):
            raise
        raise interpreter.refusal("what the function would raise") from problem
