"""Cross-check: generated code against the eager graph, two engines that share the derivative rules and nothing else.

What is judged are the results: value and gradients of the generated function against those of the user's own function, run on
the eager engine. Where they differ, the normal form of the function is run eagerly too, and the first generated line that leaves
a wrong value is found by comparing the local variables of the two runs, statement by statement.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from ...analysis.abstraction import abstract
from ...compiler.pipeline import with_unit
from ...compiler.unit import Request, Unit
from ...dispatch import cache
from ...dispatch.arguments import parameters_named
from ...dispatch.called_directly import as_python
from ...dispatch.dispatcher import Dispatcher
from ...dispatch.entry import Entry
from ...dispatch.wrappers import forwarding_of_call, forwards
from ...eager.library_run.recording import run_gradient
from ...errors import AliasingError, CrossCheckError, SourcediffError
from ...runtime.copies import copied
from ...runtime.trees import leaves
from ...runtime.whose_error import pass_on
from ...syntax.function import current, held, name_of, plain
from .closeness import Tolerance, Wanted, off, tolerance
from .copying import Bench, check_readable
from .listing import Listing
from .locate import Difference, Findings, Locator, Looking, names_alike, places_of
from .reference import Reference, run_reference
from .tangents import TangentCheck, agreement, check_tangents, cross_check_tangent, magnitude
from .watching import Watcher


class CrossCheck(NamedTuple):
    """What was compared: the function, its generated file, how many intermediate values, the largest relative difference.

    ``remark`` says why intermediates were not compared, or that one differed without an effect; empty where all is well.
    """

    function: str
    wrt: tuple[str, ...]
    path: str
    intermediates: int
    largest: float
    remark: str = ""

    def __str__(self) -> str:
        compared = f"the value, the gradient with respect to {', '.join(self.wrt)}, and {self.intermediates} intermediate values"
        return agreement(self, "gradient", compared)


def cross_check(
    function: Callable[..., Any], *args: Any, wrt: Any = 0, mode: str = "reverse", **kwargs: Any,
) -> CrossCheck | TangentCheck:
    """Compare the compiled value and gradient of a function with those of the eager engine, at these arguments.

    With ``mode="forward"`` the value and its tangent, for random tangents, and the dot products of the two modes.
    Both run on copies: the arguments and the random state stay as they are, and nothing is printed. Raises CrossCheckError that names
    the first generated line with a wrong result and the user's line it comes from; and what ``grad`` and the function itself raise.

    >>> import numpy as np
    >>> def energy(x, k):
    ...     return k * np.sum(x ** 2)
    >>> print(str(cross_check(energy, np.ones(3), 0.5, wrt=(0, 1))).splitlines()[0])
    energy: the compiled gradient and the eager graph agree
    """
    function = as_python(function)
    if forwards(function, wrt):
        function, wrt = forwarding_of_call(function, len(args), tuple(kwargs), wrt)
    names, single = parameters_named(function, wrt)
    dispatcher = Dispatcher(plain(function), names, single, value=True)
    first, named = held(function)
    values = dispatcher.bound((*first, *args), {**named, **kwargs})
    if mode == "forward":
        return cross_check_tangent(plain(function), names, dict(zip(dispatcher.parameters, values)))
    if mode != "reverse":
        raise ValueError(f"mode is reverse or forward, not {mode!r}")
    return check_entry(dispatcher, dispatcher.entry(values), values)


def check_file(path: str | os.PathLike[str], function: Callable[..., Any], *args: Any, wrt: Any = 0, **kwargs: Any) -> CrossCheck:
    """As :func:`cross_check`, for a generated file as it is now, edited or not: the gradient of ``function`` with respect to ``wrt``.

    Raises also what the file raises when it is run.
    """
    function = as_python(function)
    if forwards(function, wrt):
        function, wrt = forwarding_of_call(function, len(args), tuple(kwargs), wrt)
    names, single = parameters_named(function, wrt)
    inner = plain(function)
    loaded = cache.load_file(path)
    value = f"{name_of(inner)}_value_and_grad" in loaded.namespace
    dispatcher = Dispatcher(inner, names, single, value)
    return check_entry(dispatcher, dispatcher.entry_of(loaded), dispatcher.bound(args, kwargs))


def check_entry(dispatcher: Dispatcher, entry: Entry, values: list[Any]) -> CrossCheck:
    """Check one specialisation that is about to be used, for the values of all parameters."""
    return _Check(dispatcher, entry, values).report()


class _Check:
    """One comparison. The runs are made in turn, on copies, under the same conditions."""

    def __init__(self, dispatcher: Dispatcher, entry: Entry, values: list[Any]):
        self.dispatcher = dispatcher
        self.entry = entry
        self.values = values
        self.function = dispatcher.function
        outside = [current(owner, name) for owner, name in entry.surroundings.data]
        check_readable(self.function, [*values, *outside])
        self.bench = Bench(outside)
        self.remark = ""

    def arguments(self) -> dict[str, Any]:
        return dict(zip(self.dispatcher.parameters, copied(self.values)))

    def eager(self) -> tuple[Any, tuple[Any, ...]]:
        """Value and gradients of the user's function on the eager engine."""
        with self.bench.run():
            value, gradients = run_gradient(self.function, self.arguments(), self.dispatcher.wrt, self.dispatcher.has_aux)
        return value[0] if self.dispatcher.has_aux else value, gradients

    def normal_form(self) -> Reference | None:
        """The watched eager run of the normal form; None (and a remark) where that engine cannot run it."""
        known = tuple((name, abstract(value, name)) for name, value in zip(self.dispatcher.parameters, self.values))
        request = Request(
            self.dispatcher.wrt, self.dispatcher.single, self.dispatcher.value, known, settled=self.entry.settled,
            islands=self.dispatcher.islands, has_aux=self.dispatcher.has_aux)

        def watched(unit: Unit) -> Reference:
            with self.bench.run():
                return run_reference(unit, self.arguments())

        try:
            return with_unit(self.function, request, watched)
        except SourcediffError as error:
            self.remark = f"intermediates were not compared: {error.problem}"
            return None

    def generated(self, expected: Reference | None) -> tuple[Any, Exception | None, Watcher, Listing]:
        """The result of the generated function (or what it raised), watched."""
        call = self.entry.call
        listing = Listing(self.entry.loaded.text, call.__name__)
        looking = Looking(names_alike(listing, expected) if expected else frozenset(), listing.partial)
        watcher = Watcher(inspect.unwrap(call).__code__, listing, looking.before, looking.after)
        captured = copied(self.dispatcher.captured(self.entry))
        with self.bench.run():
            try:
                return watcher.run(call, *copied(self.values), *captured), None, watcher, listing
            except Exception as error:
                pass_on(error)
                return None, error, watcher, listing

    def report(self) -> CrossCheck:
        value, gradients = self.eager()
        expected = self.normal_form()
        result, error, watcher, listing = self.generated(expected)
        if self.dispatcher.has_aux and error is None:  # which is handed on, and not compared
            result = (result[0][0], result[1]) if self.dispatcher.value else result[0]
        largest = max([expected.largest if expected else 0.0, *(size for size in map(magnitude, (value, *gradients)))])
        allowed = tolerance([self.values, gradients], largest)
        findings = Findings()
        if expected is not None:
            findings = Locator(listing, watcher.steps, expected, allowed, finished=error is None).findings()
        if isinstance(error, AliasingError):
            raise error  # a refusal, which is nothing wrong
        if error is not None:
            line = watcher.failed
            raised = Difference(line, "", f"{type(error).__name__}: {error}") if line else None
            raise self.wrong(f"it raised {type(error).__name__}, and the function does not", findings.first or raised) from error
        wrong, relative = self.results(result, value, gradients, allowed)
        if wrong:
            last = Difference(watcher.steps[-1].line, "the result", wrong) if watcher.steps else None
            raise self.wrong(wrong, findings.first or last)
        if findings.first is not None:
            self.remark = f"{findings.differ}, first {findings.first.name} differs, without an effect on the result: {findings.first.words}"
        path = self.entry.loaded.path
        return CrossCheck(
            self.function.__qualname__, self.dispatcher.wrt, path, findings.agree, max(relative, findings.largest), self.remark,
        )

    def results(self, result: Any, value: Any, gradients: tuple[Any, ...], allowed: Tolerance) -> tuple[str, float]:
        """What is wrong with the results, in words (empty: nothing), and the largest relative difference."""
        gradient = result[1] if self.dispatcher.value else result
        parts = [("the gradient with respect to " + name, part, whole) for name, part, whole in zip(
            self.dispatcher.wrt, (gradient,) if self.dispatcher.single else gradient, gradients,
        )]
        if self.dispatcher.value:
            parts.insert(0, ("the value", result[0], value))
        largest = 0.0
        for what, found, wanted in parts:
            structure = {path: Wanted(leaf) for path, leaf in leaves(wanted)}
            if dict(leaves(found)).keys() != structure.keys():
                return f"{what} has another structure than {wanted!r}", largest
            one = off(found, structure, allowed)
            if not one.within:
                return f"{what}{'' if one.words.startswith('[') else ' '}{one.words}", largest
            largest = max(largest, one.relative)
        return "", largest

    def wrong(self, what: str, first: Difference | None) -> CrossCheckError:
        """The error: what is wrong, the first wrong line, the user's line."""
        places = [] if first is None else places_of(first, self.entry.loaded)
        return CrossCheckError(
            f"the compiled gradient of {self.function.__qualname__} is wrong: {what}", places=places,
            why="the eager engine gives something else" + (f"; {self.remark}" if self.remark else ""),
            remedy="use mode='eager' for this function, and report it, please, with the function and these lines",
        )


__all__ = ["CrossCheck", "TangentCheck", "check_entry", "check_file", "check_tangents", "cross_check"]
