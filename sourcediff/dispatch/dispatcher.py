"""From a call to the generated code for it: specialisations, found by the kinds of the arguments, checked at each call."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from threading import get_ident
from typing import Any

from ..analysis.abstract import Abstract
from ..analysis.abstraction import abstract
from ..analysis.environment.captured import Surroundings
from ..backends.python import entry_name
from ..eager.engine.anomaly import ANOMALY
from ..errors import (
    NonDifferentiableError,
    SourcediffError,
    SourceUnavailableError,
    UnsupportedSyntaxError,
)
from ..runtime.arrays.library import device_version
from ..runtime.copies import DRAWING
from ..runtime.equal_spectra import DECIDING
from ..runtime.function_cache import OfFunction, keeping_alive
from ..runtime.user_objects import forget_classes, object_alike
from ..runtime.whose_error import pass_on
from ..syntax.function import frozen, needed
from . import cache
from .arguments import as_float, checked_parts, checked_places, holds_variables, signature_of
from .device import library_asked, on_device, sent
from .digests import digest
from .entry import Entry, watched
from .equal_lengths import check_lengths
from .internal_errors import attempted, own_error
from .looked_at import is_unguarded, looked_at
from .made import Made
from .refusals import is_lasting, refusal_of, refusal_text
from .request import are_as_assumed, going_on, measured, settled_now, telling
from .restore import mutated_parameters, restoring
from .sent import text_for
from .separate import check_separate

Arguments = tuple[tuple[str, Abstract], ...]
MODES = ("auto", "compiled", "eager")
REFUSING = DECIDING | {"with_pullback", "with_tangent", "check_overlap", "check_numbers", "check_apart"}
"""The helpers that may refuse a call half-way."""

DRAWN = re.compile(rf"\brandom\b|\.(?:{'|'.join(sorted(DRAWING))})\(")
"""What a text says that draws random numbers."""

TRIES = 20
"""How often a function is compiled that changes while it is compiled."""


class Changed(Exception):
    """What a text was made of has changed while it was made."""


class Dispatcher(OfFunction):
    """Calls the generated code of one request: a function, the parameters to differentiate, and what to return.

    ``mode``, ``strong`` and ``has_aux`` are those of the compiler's Request; ``islands``: where it refuses, it is asked again with
    ``islands``; ``as_given``: what is differentiated may hold what has no derivative; ``guarded``: its text keeps zeros that meet what
    is infinite, else that is asked of another one, once a gradient has NaN.
    """

    def __init__(
        self, function: types.FunctionType, wrt: tuple[str, ...], single: bool, value: bool, mode: str = "reverse",
        strong: bool = False, islands: bool = False, has_aux: bool = False, as_given: bool = False, guarded: bool = True,
    ):
        super().__init__(function)
        self.wrt = wrt
        self.single = single
        self.value = value
        self.mode = mode
        self.strong = strong
        self.islands = islands
        self.has_aux = has_aux
        self.as_given = as_given
        self.guarded = guarded
        self.keeping_zeros: Dispatcher | None = None
        self.beside: dict[tuple[str, ...], Dispatcher] = {}  # of the same function, for calls with Variables elsewhere
        self.holder: types.FunctionType | None = None
        self.made = attempted(function, lambda: Made(function))

    @property
    def surroundings(self) -> Surroundings:
        """What the function reads from outside."""
        return self.made.surroundings

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return self.made.parameters

    def now(self) -> Made:
        """What is known of the function as it is now. Every door asks here, at each call, whether what it was made from changed."""
        made = self.made
        return made if made.unchanged() else self.look()

    def look(self) -> Made:
        """Look at the function as it is now, and at what it reads from outside; what was known of it is forgotten.

        Raises UnknownParameterError for one that was given other parameters since.
        """
        forget_classes()
        function = self.function
        checked_places(function, self.wrt, self.made.parameters, signature_of(function))
        self.made = made = attempted(function, lambda: Made(function))
        return made

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], on_graph: Callable[..., Any] | None = None) -> Any:
        """Call the specialisation for these arguments. Shapes seen before are found without looking at kinds again.

        Where Variables come in, ``on_graph`` answers, if it is given.
        """
        made = self.made if self.made.unchanged() else self.look()  # as now() does, without a call
        given = args if not kwargs and len(args) == made.positional == made.count else made.arranged(args, kwargs)
        shapes: Any = None
        if given is not None and not ANOMALY:
            shapes = made.shapes(given)
            entry = made.fast.get(shapes)
            if entry is not None and (entry.surroundings is made.surroundings or entry.surroundings.unchanged()):  # as known() does
                return entry.call(*given) if entry.direct else self.called(entry, given)
        values = self.bound(args, kwargs)
        if on_graph is not None and self.holds_variables(values):
            return on_graph(args, kwargs)
        entry = self.entry(values)
        if shapes is not None and made is self.made:
            made.remember(shapes, values, entry)
        return self.called(entry, values)

    def again(self, values: Sequence[Any]) -> Entry | None:
        """The specialisation for arguments of the exact shapes of an earlier call (all of the function's, in order), if nothing changed."""
        made = self.now()
        return made.known(made.shapes(values))

    def entry_by_shapes(self, values: Sequence[Any]) -> Entry:
        """The specialisation for arguments (all of the function's, in order), found by their shapes where such have come before."""
        entry = self.again(values)
        if entry is None:
            made = self.made
            entry = self.entry(list(values))
            if made is self.made:
                made.remember(made.shapes(values), values, entry)
        return entry

    def last(self) -> cache.Loaded | None:
        """The generated module that was made last, None if there is none yet."""
        return next((entry.loaded for entry in reversed(self.made.entries.values())), None)

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The value of every parameter, in order, defaults filled in; an int that is differentiated becomes a float."""
        call = self.now().signature.bind(*args, **kwargs)
        call.apply_defaults()
        return [as_float(value) if name in self.wrt else value for name, value in call.arguments.items()]

    def holds_variables(self, values: list[Any]) -> bool:
        """Whether a Variable is among the arguments, or among what the function reads from outside."""
        return holds_variables(values) or holds_variables(self.surroundings.data_now())

    def called(self, entry: Entry, values: Sequence[Any]) -> Any:
        """Call generated code, with what it reads from outside as that is now."""
        captured = self.captured(entry)
        if ANOMALY and get_ident() in ANOMALY:
            entry = watched(self.with_guards().entry(list(values)) if is_unguarded(entry.loaded) else entry)
        if entry.mutated:
            check_separate(self.function, self.parameters, entry, values, captured)
        return restoring(entry, self.parameters, values, captured) if entry.refusing else entry.call(*values, *captured)

    def captured(self, entry: Entry) -> list[Any]:
        """What generated code is passed of what the function reads from outside, as it is now."""
        found = [needed(self.function if function is None else function, name) for function, name in entry.captured]
        if entry.library == "numpy":
            return found
        changed = mutated_parameters(entry.loaded.namespace)
        return [sent(self.function, self.made, place, value, place[1] in changed) for place, value in zip(entry.captured, found)]

    def entry(self, values: list[Any]) -> Entry:
        """The specialisation for these arguments, compiled or fetched at the first call.

        Raises what the compiler refuses; InternalError where it fails.
        """
        try:
            found, surroundings = self.found(values)
            if "ASSUMED" in found.loaded.namespace and not are_as_assumed(found.loaded.namespace["ASSUMED"], zip(self.parameters, values)):
                found, surroundings = self.found(values, assuming=False)
        except (SourcediffError, MemoryError, Warning):
            raise
        except Exception as error:
            pass_on(error)
            raise own_error(error, self.function, zip(self.parameters, values)) from error
        if "EQUAL" in found.loaded.namespace:
            known = found.loaded.namespace
            check_lengths(self.function, self.made.signature, known["EQUAL"], values, surroundings, "TRIED" in known)
        return found

    def found(self, values: list[Any], assuming: bool = True) -> tuple[Entry, Surroundings]:
        """The same, and what the function reads from outside with these arguments.

        ``assuming``: lengths are taken for equal that are so unless one of them is 1.

        Raises UnsupportedSyntaxError where the function goes on changing while it is compiled.
        """
        for _ in range(TRIES):
            made = self.now()
            for name, value in zip(made.parameters, values):
                checked_parts(name, value, self.wrt, self.function, self.as_given, self.mode == "reverse")
            arguments = tuple(abstract(value, name) for name, value in zip(made.parameters, values))
            surroundings = made.around(self.function, arguments)
            data = surroundings.data_now()
            known = surroundings.data_values(data)
            library = library_asked(self.function, zip(made.parameters, values), zip([name for _, name in surroundings.data], data))
            settled: tuple[tuple[str, Any], ...] = ()
            found = made.entries.get((arguments, known, library, assuming, settled))
            while found is not None and (now := settled_now(found.settled, zip(made.parameters, values))) != found.settled:
                settled = now
                found = made.entries.get((arguments, known, library, assuming, settled))
            if not surroundings.unchanged() or not surroundings.holds(known) or found is None and not surroundings.watches(data):
                self.look()
                continue
            if found is None:
                made.check_refused((arguments, known, library))
                try:
                    named = tuple(zip(made.parameters, arguments))
                    facts = telling(zip(made.parameters, values))
                    found = self.somehow(named, surroundings, data, library, assuming, settled, facts)
                    while (now := settled_now(found.settled, zip(made.parameters, values))) != found.settled:
                        made.entries[arguments, known, library, assuming, settled] = found  # it leads to this one
                        settled = now
                        found = self.somehow(named, surroundings, data, library, assuming, settled, facts)
                except Changed:
                    self.look()
                    continue
                except SourcediffError as error:
                    made.refuses((arguments, known, library), error)
                    if isinstance(error, NonDifferentiableError):
                        raise measured(error, zip(self.parameters, values)) from None
                    raise
                made.entries[arguments, known, library, assuming, settled] = found
            return found, surroundings
        raise going_on(self.function)

    def somehow(
        self, arguments: Arguments, surroundings: Surroundings, data: Sequence[Any], library: str, assuming: bool,
        settled: tuple[tuple[str, Any], ...], facts: Mapping[str, Any],
    ) -> Entry:
        """Generated code for abstract arguments; if need be, and ``islands`` allows it, with calls that the eager engine answers.

        ``settled`` is what a text has asked for of these arguments, ``facts`` all that may be.
        """
        if assuming and not settled and (found := self.that_came(arguments, surroundings, data, library)) is not None:
            return found
        try:
            return self.compiled(arguments, surroundings, data, library, False, assuming, settled, facts)
        except (UnsupportedSyntaxError, SourceUnavailableError) as error:
            if not self.islands:
                raise
            try:
                return self.compiled(arguments, surroundings, data, library, True, assuming, settled, facts)
            except SourcediffError:
                raise error from None

    def that_came(self, arguments: Arguments, surroundings: Surroundings, data: Sequence[Any], library: str) -> Entry | None:
        """The same where the text has come with a derivative that was sent here; None where none has, or where it does not run."""
        known = surroundings.data_values(data)
        if (text := text_for(functools.partial(self.key, arguments, known, surroundings, sent=True, library=library))) is None:
            return None
        try:
            loaded = cache.fetch(self.key(arguments, known, surroundings, library=library), str, self.stem, text)
            return self.entry_of(loaded, surroundings, library)
        except ImportError:  # of what is there where it came from
            return None

    def compiled(
        self, arguments: Arguments, surroundings: Surroundings, data: Sequence[Any], library: str, islands: bool,
        assuming: bool, settled: tuple[tuple[str, Any], ...], facts: Mapping[str, Any],
    ) -> Entry:
        """Generated code for abstract arguments, from the cache or compiled now. Raises Changed if it was made of what is no more."""
        known = surroundings.data_values(data)

        def request() -> Any:
            from ..compiler.pipeline import Request

            return Request(
                self.wrt, self.single, self.value, arguments, mode=self.mode, strong=self.strong, islands=islands, has_aux=self.has_aux,
                library=library, guarded=self.guarded or islands or library != "numpy", assuming=assuming,
                settled=tuple(facts.items()))

        def build() -> str:
            from ..compiler.pipeline import compile_gradient, uncollected

            try:
                with uncollected(), frozen(surroundings.standing(data)):  # until the trees are gone; another thread may bind names anew
                    text = attempted(self.function, lambda: compile_gradient(self.function, request()).text)
            except Exception as error:
                pass_on(error)
                if not surroundings.as_it_was(known):
                    raise Changed from error
                if isinstance(error, SourcediffError) and is_lasting(error):
                    return refusal_text(error)
                raise
            if not surroundings.as_it_was(known):
                raise Changed
            return text

        key = self.key(arguments, known, surroundings, islands, library=library, assuming=assuming, settled=settled)
        loaded = cache.fetch(key, build, self.stem)
        if (refusal := refusal_of(loaded.namespace)) is not None:
            raise refusal

        def outlined(number: int) -> types.FunctionType:
            from ..compiler.nested import solvers_of

            with frozen(surroundings.standing(data)):
                return solvers_of(self.function, request(), number)

        return self.entry_of(loaded, surroundings, library, outlined)

    @property
    def stem(self) -> str:
        """The name of the generated function."""
        return entry_name(self.function, self.mode, self.value)

    def entry_of(
        self, loaded: cache.Loaded, surroundings: Surroundings | None = None, library: str = "numpy",
        outlined: Callable[[int], types.FunctionType] | None = None,
    ) -> Entry:
        """A generated module that has been run, ready to be called; ``outlined`` gives what holds the functions outlined of what was
        interpreted, by the number of the attempt.
        """
        made = loaded.namespace[self.stem]
        names = loaded.namespace.get("CAPTURED", {})
        surroundings = surroundings or self.surroundings
        numbers = {number for number, _ in names.values() if number < -1}
        holders = {number: outlined(-number - 2) for number in numbers if outlined is not None}
        captured = tuple((holders[number] if number < -1 else self.reader(number, surroundings), name) for number, name in names.values())
        mutated = bool(mutated_parameters(loaded.namespace))
        random = DRAWN.search(loaded.text) is not None
        refusing = "TRIED" in loaded.namespace or (mutated or random) and not REFUSING.isdisjoint(loaded.namespace)
        if library != "numpy":
            made = on_device(made, self.function)
        if is_unguarded(loaded):
            gradient = itemgetter(1 if self.value else 0) if self.value or self.has_aux else lambda found: found
            made = looked_at(made, loaded, self.parameters, gradient, self.called_with_guards)
        direct = not (mutated or captured or refusing)
        back = loaded.namespace.get(entry_name(self.function, "back"))
        deciding = any(loaded.namespace[name] is not object_alike for name in DECIDING & loaded.namespace.keys())  # which is "alike", too
        return Entry(made, loaded, captured, surroundings, mutated, direct, refusing, random, back, deciding, library,
                     loaded.namespace.get("SETTLED", ()))

    def reader(self, number: int, surroundings: Surroundings) -> types.FunctionType | None:
        """The function with this number among those that read something from outside, None for the function itself.

        Of islands (−1) there is one that reads them all.
        """
        if number >= 0:
            return surroundings.functions[number] if number else None
        if self.holder is None:
            keeping_alive(self.function)
            from ..frontend.read.islands import islands_of

            function: Any = self.function
            while hasattr(function, "sourcediff"):
                function = function.sourcediff.function
            self.holder = islands_of(function)
        return self.holder

    def key(
        self, arguments: Arguments, data: tuple[Abstract, ...], surroundings: Surroundings, islands: bool = False, sent: bool = False,
        library: str = "numpy", assuming: bool = True, settled: tuple[tuple[str, Any], ...] = (),
    ) -> str:
        """A digest of everything that the generated text depends on; ``sent``: as another machine finds it, too."""
        how: tuple[Any, ...] = self.mode, self.strong, self.islands if sent else islands, self.has_aux, self.guarded
        if library != "numpy":
            how += library, device_version()
        if not assuming:
            how += ("not assuming",)
        if settled:
            how += (settled,)
        return digest((self.wrt, self.single, self.value, how), surroundings.description((arguments, data), not sent), sent)

    def with_guards(self) -> Dispatcher:
        """What answers the same with a text that keeps zeros."""
        if self.keeping_zeros is None:
            self.keeping_zeros = Dispatcher(
                self.function, self.wrt, self.single, self.value, islands=self.islands, has_aux=self.has_aux, as_given=self.as_given)
        return self.keeping_zeros

    def called_with_guards(self, unguarded: Callable[..., Any], given: Sequence[Any]) -> Any:
        """What the text gives that keeps zeros; it answers from now on where the ``unguarded`` function did."""
        values, other = given[:len(self.parameters)], self.with_guards()
        entry = other.entry(list(values))
        found = other.called(entry, values)
        for known in (self.made.entries, self.made.fast):
            known.update({key: entry for key, old in list(known.items()) if old.call is unguarded})
        return found
