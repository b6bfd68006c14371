"""Functions of libraries that differentiate themselves, as functions of NumPy's with a rule."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..extend import made_formula, parameters_of_call
from ..rules.own import register


class Library(NamedTuple):
    """What a library has as ``vjp(f, *primals)`` and ``jvp(f, primals, tangents)``, and what makes its functions take NumPy's arrays."""

    vjp: Callable[..., Any]
    jvp: Callable[..., Any]
    on_arrays: Callable[[Callable[..., Any]], Callable[..., Any]]


def ruled(fn: Callable[..., Any], library: Library, wrt: Sequence[str] | None, outputs: int) -> Callable[..., Any]:
    """A library's function as one of NumPy's, with a rule for two derivatives in both modes.

    ``wrt`` are the names of the parameters that have a derivative (all of them, if left out). Raises RuleError for a function that does
    not say what it takes.
    """
    names, reserved = parameters_of_call(fn), {"g", "z", "back", "push", "found"}
    free = {name: f"{name}_" if name in reserved else name for name in names}
    return with_rule(fn, library, list(free.values()), [free[name] for name in (names if wrt is None else wrt)], outputs, 2)


def with_rule(
    fn: Callable[..., Any], library: Library, names: Sequence[str], wrt: Sequence[str], outputs: int, order: int,
) -> Callable[..., Any]:
    """The same for ``order`` derivatives: the pullback and the pushforward are functions of the library, and have rules in their turn."""
    called: Any = library.on_arrays(fn)
    called.__name__ = called.__qualname__ = getattr(fn, "__name__", type(fn).__name__).strip("<>")  # of a lambda
    called.__doc__ = fn.__doc__
    called.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])
    if not order:
        return called  # type: ignore[no-any-return]
    places = [names.index(name) for name in wrt]
    moved = len(places)

    def of_moved(args: Sequence[Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        def of(*primals: Any) -> Any:
            given = dict(zip(places, primals))
            return fn(*[given.get(k, arg) for k, arg in enumerate(args)])

        return of, tuple([args[place] for place in places])

    def back(*given: Any) -> Any:
        of, primals = of_moved(given[outputs:])
        found = library.vjp(of, *primals)[1](given[0] if outputs == 1 else given[:outputs])
        return found[0] if moved == 1 else found

    def push(*given: Any) -> Any:
        of, primals = of_moved(given[moved:])
        return library.jvp(of, primals, given[:moved])[1]

    cotangents, tangents = [f"g{order}_{k}" for k in range(outputs)], [f"d{order}_{name}" for name in wrt]
    listed, along = ", ".join(names), ", ".join(tangents)
    given = "g" if outputs == 1 else ", ".join(f"g[{k}]" for k in range(outputs))
    adjoints = ", ".join("None" if name not in wrt else "found" if moved == 1 else f"found[{list(wrt).index(name)}]" for name in names)
    rule = register("general", called, made_formula(
        f"def {called.__name__}_rule(g, z, {listed}):\n    found = back({given}, {listed})\n    return {adjoints}\n",
        {"back": with_rule(back, library, [*cotangents, *names], [*cotangents, *wrt], moved, order - 1)}), {"outputs": outputs})
    rule.pushforward(made_formula(
        f"def {called.__name__}_forward(z, {along}, {listed}):\n    return push({along}, {listed})\n",
        {"push": with_rule(push, library, [*tangents, *names], [*tangents, *wrt], outputs, order - 1)}))
    return called  # type: ignore[no-any-return]
