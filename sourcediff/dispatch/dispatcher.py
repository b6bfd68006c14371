"""From a call to the generated code for it: specialisations, found by the kinds of the arguments, checked at each call."""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from threading import get_ident
from typing import Any

import numpy as np

from ..analysis.abstract import Abstract, abstract, symbolic_lengths
from ..analysis.environment.captured import Surroundings, current
from ..backends.python import entry_name
from ..eager.engine.anomaly import ANOMALY
from ..errors import (
    AliasingError,
    DegenerateError,
    HandledError,
    NonDifferentiableError,
    SourcediffError,
    SourceUnavailableError,
    UnsupportedSyntaxError,
)
from ..runtime.arrays.library import DEVICE, device_version, is_host_array, library_of, to_device
from ..runtime.copies import DRAWING, GENERATORS, RandomStates, copied
from ..runtime.equal_spectra import DECIDING
from ..runtime.function_cache import OfFunction, keeping_alive
from ..runtime.parts import parts_within
from ..runtime.placement import library_of_call
from ..runtime.user_objects import changeable_in, changeable_in_classes, forget_classes, object_alike
from ..runtime.whose_error import pass_on
from ..syntax.function import definition, frozen, needed
from ..version import __version__
from . import cache
from .arguments import as_float, checked_parts, checked_places, holds_variables, located, signature_of
from .device import on_device
from .entry import Entry
from .guarded_lines import would_be_caught
from .hooks import CHECKS
from .internal_errors import attempted, own_error
from .looked_at import is_unguarded, looked_at
from .made import Made
from .refusals import is_lasting, refusal_of, refusal_text
from .replayable import finds_again
from .request import are_as_assumed, contents, installation, length_named, own_records, sizes_of, telling
from .restore import held_by_changed, held_in, is_one, mutated_parameters, restored, uncounted
from .sent import text_for

MODES = ("auto", "compiled", "eager")
LINKS = frozenset({"with_pullback", "with_tangent"})
REFUSING = LINKS | DECIDING | {"check_overlap", "check_numbers", "check_apart"}
"""The helpers that may refuse a call half-way."""

PLAIN = frozenset({np.ndarray, float, int, bool, complex, str, type(None)})
"""The types of values that hold no others."""

DRAWN = re.compile(rf"\brandom\b|\.(?:{'|'.join(sorted(DRAWING))})\(")
"""What a text says that draws random numbers."""

Arguments = tuple[tuple[str, Abstract], ...]


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
            self.check_separate(entry, values, captured)
        return self.restoring(entry, values, captured) if entry.refusing else entry.call(*values, *captured)

    def captured(self, entry: Entry) -> list[Any]:
        """What generated code is passed of what the function reads from outside, as it is now."""
        found = [needed(self.function if function is None else function, name) for function, name in entry.captured]
        if entry.library == "numpy":
            return found
        changed = mutated_parameters(entry.loaded.namespace)
        return [self.sent(place, value, place[1] in changed) for place, value in zip(entry.captured, found)]

    def sent(self, place: Any, value: Any, changed: bool) -> Any:
        """An array from outside as one on the device: it is sent once, and once more where it has changed.

        Raises UnsupportedSyntaxError for one that the function changes, or that is held by something else.
        """
        if library_of(value) == DEVICE:
            return value
        if not is_host_array(value):
            scipy = str(type(value).__module__).startswith("scipy.") and not callable(value)
            if changed or scipy or "numpy" in map(library_of, changeable_in(value)):
                raise self.not_sent(place[1], "it is held by something that is not sent")
            return value
        if changed:
            raise self.not_sent(place[1], "the function changes it")
        kept, there = self.made.sent.get(place, (None, None))
        if kept is None or kept.shape != value.shape or kept.dtype != value.dtype or kept.tobytes() != value.tobytes():
            kept, there = self.made.sent[place] = value.copy(), to_device(value)
        return there

    def not_sent(self, name: str, why: str) -> UnsupportedSyntaxError:
        """The error of an array from outside that cannot be a constant on the device."""
        return UnsupportedSyntaxError(
            f"{self.function.__qualname__} reads an array of the computer's memory from outside, {name}, for arrays on a device", why=why,
            remedy=f"pass it as an argument, on the device: cupy.asarray({name})", at_run_time=True,
            places=[definition(self.function, "called here with arrays on a device")],
        )

    def restoring(self, entry: Entry, values: Sequence[Any], captured: Sequence[Any]) -> Any:
        """Call generated code that may refuse the call half-way: then the arguments are given back as they were."""
        before, generators = held_by_changed(entry.loaded.namespace, self.parameters, values), []
        for part, _ in parts_within([value for value in (*values, *captured) if type(value) not in PLAIN]):
            if uncounted(part):
                before.append((part, held_in(part)))
            elif isinstance(part, GENERATORS):
                generators.append(part)
        states = RandomStates(generators) if entry.random or generators else None
        try:
            return entry.call(*values, *captured)
        except Exception as error:
            refused = would_be_caught(error, entry.loaded.namespace.get("TRIED", {}))
            if refused is not None or isinstance(error, (AliasingError, DegenerateError)):
                for part, kept in before:
                    restored(part, kept)
            if states is not None and (refused is not None or isinstance(error, DegenerateError)):
                states.restore()
            if refused is not None:
                raise refused from error
            raise

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
            self.check_lengths(found.loaded.namespace["EQUAL"], values, surroundings, "TRIED" in found.loaded.namespace)
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
            library = self.library(values, surroundings, data)
            settled: tuple[tuple[str, Any], ...] = ()
            found = made.entries.get((arguments, known, library, assuming, settled))
            while found is not None and (now := settled_now(found, zip(made.parameters, values))) != found.settled:
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
                    while (now := settled_now(found, zip(made.parameters, values))) != found.settled:
                        made.entries[arguments, known, library, assuming, settled] = found  # it leads to this one
                        settled = now
                        found = self.somehow(named, surroundings, data, library, assuming, settled, facts)
                except Changed:
                    self.look()
                    continue
                except SourcediffError as error:
                    made.refuses((arguments, known, library), error)
                    if isinstance(error, NonDifferentiableError):
                        raise self.measured(error, values) from None
                    raise
                made.entries[arguments, known, library, assuming, settled] = found
            return found, surroundings
        raise UnsupportedSyntaxError(
            f"{self.function.__qualname__} changes while it is compiled", at_run_time=True,
            places=[definition(self.function, "a function that this one reads is exchanged, again and again")],
            remedy="exchange functions between the calls of a gradient, not during them, or pass them as arguments",
        )

    def check_lengths(self, pairs: tuple[tuple[str, str], ...], values: list[Any], surroundings: Surroundings, handled: bool) -> None:
        """Let the function itself raise where lengths differ that it needs equal: the generated code may have left that part out.

        Raises HandledError where it does not, but might have caught what is raised: it has ``handled`` exceptions.
        """
        known = sizes_of(zip(self.parameters, values))
        for function, name in surroundings.data:
            known.update(symbolic_lengths(current(function, name), name))
        for pair in pairs:
            one, other = (length_named(text, known) for text in pair)
            if one is not None and other is not None and one != other:
                call = inspect.BoundArguments(self.made.signature, dict(zip(self.parameters, copied(values))))
                self.function(*call.args, **call.kwargs)
                if handled or not finds_again(surroundings, values):
                    raise HandledError(
                        f"{self.function.__qualname__} may catch the error of a wrong number of values: a length is {one}, not {other}",
                        places=[definition(self.function, "it has a try, of which the compiler takes the way without exceptions alone")],
                        remedy="use mode='eager', or test the length with if", at_run_time=True,
                    )
                return

    def measured(self, error: NonDifferentiableError, values: list[Any]) -> NonDifferentiableError:
        """The error of an output that is no scalar, with the output's shape in this call where that can be told."""
        known = sizes_of(zip(self.parameters, values))
        dims = [dim if isinstance(dim, int) else length_named(str(dim), known) for dim in getattr(error, "dims", ())]
        if not dims or None in dims:
            return error
        why = f"it returns an array of shape {tuple(dims)}"
        return NonDifferentiableError(error.problem, why=why, remedy=error.remedy, places=error.places)

    def library(self, values: Sequence[Any], surroundings: Surroundings, data: Sequence[Any]) -> str:
        """The library of the arrays of a call."""
        try:
            return library_of_call(self.function, zip(self.parameters, values), zip([name for _, name in surroundings.data], data))
        except NonDifferentiableError as error:
            raise located(error, self.function) from None

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
        versions = (__version__, sys.version, np.__version__, installation())
        if sent:
            versions = (__version__, repr(sys.version_info), np.__version__, contents())
        how: tuple[Any, ...] = self.mode, self.strong, self.islands if sent else islands, self.has_aux, self.guarded
        if library != "numpy":
            how += library, device_version()
        if not assuming:
            how += ("not assuming",)
        if settled:
            how += (settled,)
        request = self.wrt, self.single, self.value, how
        records = [] if sent else own_records()  # the text that is sent has been made with those that it needs
        parts = [repr(versions), repr(request), *records, *surroundings.description((arguments, data), not sent)]
        text = "\0".join(parts)
        if sent:  # a child of multiprocessing calls its parent's main module otherwise
            text = text.replace("__mp_main__", "__main__")
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

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

    def check_separate(self, entry: Entry, values: Sequence[Any], captured: Sequence[Any]) -> None:
        """Refuse arguments that share memory (with one another, or with what is read from outside) where one is changed in place."""
        changed, resized = (entry.loaded.namespace.get(title, ()) for title in ("MUTATED", "RESIZED"))
        named = [*zip(self.parameters, values), *((name, value) for (_, name), value in zip(entry.captured, captured))]
        parts = [(name, part) for name, value in named for part in changeable_in(value)]
        members = [(path, current(function, path)) for function, path in entry.surroundings.data if "." in path]  # of classes and modules
        reached = [(path, part) for path, value in members for part in changeable_in(value)]
        reached += [(name, part) for name, value in named + members for part in changeable_in_classes(value)]
        for position, (name, part) in enumerate(parts):
            if name not in changed and (name not in resized or library_of(part)):  # it is the list that is changed
                continue
            for place, (other, second) in enumerate(parts + reached):
                if place != position and is_one(part, second):
                    error = AliasingError(
                        f"{self.function.__qualname__} changes {name} in place, and {other} shares its memory",
                        places=[definition(self.function, "called with arguments that share memory")],
                        why="the change would be seen through both, which the gradient was not derived for",
                        remedy=f"pass a copy of {other}",
                    )
                    error.at_run_time = True  # of this call alone
                    raise error


def watched(entry: Entry) -> Entry:
    """An entry whose generated function is called statement by statement, for a scope of ``detect_anomaly``."""
    return entry._replace(call=functools.partial(CHECKS["run_watched"], entry.call, entry.loaded))


def settled_now(entry: Entry, arguments: Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """What an entry takes for settled, as it is of the arguments of a call."""
    if not entry.settled:
        return ()
    known = telling(arguments)
    return tuple([(path, known.get(path)) for path, _ in entry.settled])
