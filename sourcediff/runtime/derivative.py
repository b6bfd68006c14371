"""What ``grad`` and its like return: a thing that is called as the function is, and that can be handed about.

It is pickled and copied as what it was made of (or, where its name stands for it, by that name, as functions are), and has a name, a
docstring, a representation and tokens for hashing of its own. To the compiler it is what :func:`form` gives: a plain function with
the mark ``sourcediff``, or a method or ``functools.partial`` of one.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

WORDS = {
    "grad": "gradient", "value_and_grad": "value and gradient", "jacobian": "Jacobian", "hessian": "Hessian",
    "hvp": "product of Hessian and vector", "elementwise_grad": "derivative, entry by entry,",
}


class DerivativeFunction:
    """The function that a transform has made of a callable: ``door(callable, **options)``.

    ``runner`` answers ``(args, kwargs)``; before the arguments of a call it is given ``first``, and ``named`` by name: what a method, an
    object that is called or a partial of :func:`functools.partial` holds. Functions may have attributes, and so may this.
    """

    __slots__ = ("__dict__", "__weakref__", "_door", "_first", "_form", "_function", "_named", "_options", "_runner", "_standing")

    def __init__(
        self, door: Callable[..., Any], function: Any, options: Mapping[str, Any], runner: Any, first: tuple[Any, ...],
        named: dict[str, Any],
    ):
        self._door = door
        self._function = function
        self._options = dict(options)
        self._runner = runner
        self._first = first
        self._named = named
        self._form: Any = None
        self._standing = ""  # where it stands in a class
        of = runner.function
        own = inspect.getdoc(of)
        vars(self).update(
            __module__=of.__module__, __name__=self._called(of.__name__), __qualname__=self._called(of.__qualname__), __wrapped__=function,
            __doc__=f"The {self._said()}." + (f"\n\n{own}" if own else ""),
        )

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._runner.__call__(args, kwargs)  # a call by the method's name takes half the time

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method, where it stands in a class."""
        if instance is None:
            return self
        if self._standing:  # the class finds it again by that name
            return types.MethodType(self, instance)
        function = types.MethodType(self._function, instance)
        return handed(self._door, function, self._options, self._runner, (*self._first, instance), self._named)

    def __set_name__(self, owner: type, name: str) -> None:
        self._standing = f"{owner.__qualname__}.{name}"
        vars(self).update(__name__=name, __qualname__=self._standing)

    # What it is

    @property
    def sourcediff(self) -> Any:
        """What answers the calls; the mark of a derivative."""
        return self._runner

    @property
    def wrapped(self) -> Any:
        """What it was made of."""
        return self._function

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":  # what is returned is something else than what the function returns
            return inspect.signature(self._function).replace(return_annotation=inspect.Signature.empty)
        if name == "__annotations__":
            return {part: kind for part, kind in self._runner.function.__annotations__.items() if part != "return"}
        if name in ("__self__", "__func__", "func", "args", "keywords") and (self._first or self._named):
            return getattr(form(self), name)  # as of a method, or of a partial
        raise AttributeError(f"a derivative has no attribute {name!r}", name=name, obj=self)

    @property
    def __self__(self) -> Any:
        """The object of a method."""
        if isinstance(self._function, types.MethodType):
            return self._function.__self__
        raise AttributeError("__self__")

    @property
    def source(self) -> str:
        """The generated text: that of the last kind of call, or, before the first, the general one, which says so."""
        text: str = self._runner.source()
        return text

    @property
    def file(self) -> str | None:
        """The file that the generated text of the last kind of call is in; None before the first, and where the eager engine answers."""
        path: str | None = self._runner.file()
        return path

    def _called(self, name: str) -> str:
        """A name of its own: ``loss_grad``; with the parameters, where these are not just the first."""
        wrt = self._options.get("wrt", 0)
        several = isinstance(wrt, (tuple, list))
        parts = "" if wrt == 0 and not several else "_" + "_".join(str(part).replace(".", "_") for part in (wrt if several else (wrt,)))
        return f"{name}_{self._door.__name__}{parts}{'_' if several else ''}"

    def _said(self) -> str:
        wrt = getattr(self._runner, "wrt", ())
        names = ", ".join(map(str, wrt)) if isinstance(wrt, (tuple, list)) else str(wrt)
        return f"{WORDS[self._door.__name__]} of {self._runner.function.__qualname__} with respect to {names}"

    def __repr__(self) -> str:
        """What it is, and of what code: where something else is meant, something else is said."""
        digest = hashlib.sha256(code_of(self._runner.function.__code__).encode("utf-8", "surrogatepass"))
        options = [f"{name}={value!r}" for name, value in self._options.items() if name != "wrt" and value not in ("auto", False)]
        held = [repr(part) for part in self._first] + [f"{name}={part!r}" for name, part in self._named.items()]
        more = "".join(f", {part}" for part in ([f"of ({', '.join(held)})"] if held else []) + options)
        single = "" if not isinstance(self._options.get("wrt", 0), (tuple, list)) else " as a tuple"
        return f"<{self._said()}{single}{more} (code {digest.hexdigest()[:8]})>"

    # Handed about

    def __reduce_ex__(self, protocol: Any) -> Any:
        """What it was made of; from protocol 4 on with what was generated for it. (joblib hashes by protocol 3, and that is to last.)"""
        name = None if by_value(self.__module__) else self._found_by()
        if protocol < 4 and name is not None:
            return name
        parcel = self._runner.parcel() if protocol >= 4 else None
        if name is not None:
            return named, (self.__module__, name, parcel)
        return again, (self._door, self._function, self._options, dict(self.__dict__), parcel)

    def _found_by(self) -> str | None:
        """The name in its module by which it is found, as that of a decorated function is; None if there is none."""
        names: list[str] = [self._runner.function.__qualname__, *([self._standing] if self._standing else [])]
        for name in names:
            found: Any = sys.modules.get(self.__module__)
            for part in name.split("."):
                found = getattr(found, part, None)
            if found is self:
                return name
        return None

    def __copy__(self) -> DerivativeFunction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not self._first and not self._named:
            return self
        import copy

        return again(self._door, copy.deepcopy(self._function, memo), self._options, dict(self.__dict__))

    def __dask_tokenize__(self) -> Any:
        from dask.base import normalize_token

        return "sourcediff", self._door.__name__, normalize_token(self._function), normalize_token(sorted(self._options.items()))


def code_of(code: types.CodeType) -> str:
    """What a function does, as text that any process would write alike."""
    constants = [code_of(part) if isinstance(part, types.CodeType) else repr(part) for part in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


class Holding(DerivativeFunction):
    """One that is given something before the arguments of a call."""

    __slots__ = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._runner((*self._first, *args), {**self._named, **kwargs})


class OfObject(Holding):
    """One of an object that is called: made anew when its class has been given another ``__call__``."""

    __slots__ = ("_called_then",)

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._called_then = type(self._function).__call__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        self.look()
        return super().__call__(*args, **kwargs)

    def look(self) -> None:
        if type(self._function).__call__ is not self._called_then:
            made = again(self._door, self._function, self._options, {})
            self._runner, self._called_then, self._form = made._runner, made._called_then, None


def handed(
    door: Callable[..., Any], function: Any, options: Mapping[str, Any], runner: Any, first: tuple[Any, ...] = (),
    named: dict[str, Any] | None = None, of_object: bool = False,
) -> DerivativeFunction:
    """The derivative ``door(function, **options)``, whose calls ``runner(args, kwargs)`` answers; ``of_object``: one that is called."""
    kind = OfObject if of_object else Holding if first or named else DerivativeFunction
    return kind(door, function, options, runner, first, named or {})


def by_value(module: str) -> bool:
    """Whether a pickle is being made by cloudpickle, of which what a module holds is a part: of the main program, as in a notebook."""
    found = [sys.modules.get(name) for name in ("cloudpickle", "joblib.externals.cloudpickle")]
    makers = [maker for maker in found if maker is not None and (module == "__main__" or module in maker.list_registry_pickle_by_value())]
    codes = [maker.CloudPickler.dump.__code__ for maker in makers]
    frame: Any = sys._getframe() if codes else None
    while frame is not None and frame.f_code not in codes:
        frame = frame.f_back
    return frame is not None


def named(module: str, name: str, parcel: Any) -> Any:
    """The derivative that is found by a name, as a decorated function is. (A ``parcel`` has taken effect when it was unpickled.)"""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def again(door: Callable[..., Any], function: Any, options: Mapping[str, Any], attributes: Mapping[str, Any], parcel: Any = None) -> Any:
    """A derivative anew, of what it was made of."""
    made = door(function, **options)
    vars(made).update(attributes)
    return made


def form(value: Any) -> Any:
    """A derivative as the compiler knows it: a plain function, or a method or partial of one. Anything else as it is."""
    if not isinstance(value, DerivativeFunction):
        return value
    if isinstance(value, OfObject):
        value.look()
    if value._form is None:
        runner = value._runner

        @functools.wraps(runner.function)
        def derivative(*args: Any, **kwargs: Any) -> Any:
            return runner(args, kwargs)

        derivative.sourcediff = runner  # type: ignore[attr-defined]
        if not value._first and not value._named:
            value._form = derivative
        elif len(value._first) == 1 and not value._named and not isinstance(value._function, functools.partial):
            value._form = types.MethodType(derivative, value._first[0])
        else:
            value._form = functools.partial(derivative, *value._first, **value._named)
    return value._form
