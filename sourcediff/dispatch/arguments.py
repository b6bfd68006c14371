"""What a call hands over: the parameters asked for, what can be differentiated, and what tells one kind of call from another."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..backends.python import blamed
from ..eager.engine.nodes import Recorded
from ..errors import NonDifferentiableError, Place, UnknownParameterError, UnsupportedSyntaxError, article
from ..naming import is_name
from ..runtime.arrays.library import is_number, is_plain_array, library_of
from ..runtime.function_cache import forget_function, kept
from ..runtime.user_objects import (
    DEEPEST,
    active,
    changeable_in,
    container_of_objects,
    is_mixed,
    is_open,
    is_users,
    own,
)
from ..syntax.function import definition, held, plain

OUT_OF_WRT = "leave it out of wrt"
"""What to do with an argument that has no derivative."""


def signature_of(function: types.FunctionType) -> inspect.Signature:
    """The parameters of a function: its own, or, where these are ``*args`` or ``**kwargs``, those of what it wraps."""
    if function.__kwdefaults__ or function.__dict__:  # where something may be exchanged unseen
        return _signature(function)
    code, defaults, found = kept(function, signature_of, lambda: (function.__code__, function.__defaults__, _signature(function)))
    if code is not function.__code__ or defaults is not function.__defaults__:
        forget_function(function, signature_of)
        return signature_of(function)
    return found


def _signature(function: types.FunctionType) -> inspect.Signature:
    own = inspect.signature(function, follow_wrapped=False)
    open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return inspect.signature(function) if any(parameter.kind in open_ended for parameter in own.parameters.values()) else own


def plain_position(part: Any) -> Any:
    """A part of ``wrt`` with Python's int for what counts as one (NumPy's); anything else as it is."""
    counts = hasattr(type(part), "__index__") and not isinstance(part, (int, np.bool_)) and not library_of(part)
    return operator.index(part) if counts else part


def parameters_named(function: Any, wrt: Any) -> tuple[tuple[str, ...], bool]:
    """``wrt`` as names of parameters, and whether it was one alone.

    Raises UnknownParameterError for a position or a name that the function does not have.
    """
    inner = plain(function)
    known = list(signature_of(inner).parameters)
    first, named = held(function)
    names = [name for name in known[max(len(first), known[:1] == ["self"]):] if name not in named]  # positions count what is not given
    single = not isinstance(wrt, (tuple, list))
    found = []
    for part in map(plain_position, (wrt,) if single else wrt):
        position = isinstance(part, int) and not isinstance(part, bool) and -len(names) <= part < len(names)
        if not position and not (isinstance(part, str) and part.split(".")[0] in known):
            raise UnknownParameterError(
                f"{inner.__qualname__} has no parameter {part!r}",
                why=f"its parameters are {', '.join(names)}" if names else "it has no parameters",
                remedy="give wrt a position, a parameter's name, or a tuple of them",
            )
        if unnamed := [] if position else [word for word in part.split(".")[1:] if not is_name(word)]:
            raise UnknownParameterError(
                f"{part!r} is nothing that a gradient can be asked for by", why=f"{unnamed[0]!r} is no name, or a keyword of Python's",
                remedy="give the attribute another name",
            )
        found.append(names[part] if position else part)
    if not found:
        raise UnknownParameterError("wrt names no parameter", remedy="give a position, a parameter's name, or a tuple of them")
    return tuple(found), single


def checked_places(function: types.FunctionType, wrt: tuple[str, ...], before: Sequence[str], signature: inspect.Signature) -> None:
    """Raise UnknownParameterError where a function was changed, and what is differentiated is another parameter than it was ``before``."""
    names = list(signature.parameters)
    for name in (path.split(".")[0] for path in wrt if before):
        if name not in names or names.index(name) != before.index(name):
            raise UnknownParameterError(
                f"{function.__qualname__} was changed, and {name!r} is not the parameter that it was",
                why=f"its parameters are now {', '.join(names)}" if names else "it has no parameters any more",
                remedy="make the derivative again",
            )


def as_float(value: Any) -> Any:
    """A Python int given for a differentiated number counts as a float, in structures too. A structure of plain floats is itself, and
    one with objects or words in it, where an int is as those of objects are."""
    if type(value) is int:
        return float(value)
    if type(value) not in (list, tuple, dict) or is_plain(value) or is_mixed(value):
        return value
    if type(value) is dict:
        return {key: as_float(item) for key, item in value.items()}
    return type(value)(map(as_float, value))


def as_float_along(value: Any, tangent: Any) -> Any:
    """The same where there is a tangent; what has None there stays what it is."""
    if tangent is None:
        return value
    if type(value) in (list, tuple) and isinstance(tangent, (list, tuple)) and len(tangent) == len(value):
        return value if all(map(is_plain, value)) else type(value)(map(as_float_along, value, tangent))
    if type(value) is dict and isinstance(tangent, dict):
        return value if all(map(is_plain, value.values())) else {key: as_float_along(item, tangent.get(key)) for key, item in value.items()}
    return as_float(value)


def without_unmoved(tangent: Any, value: Any) -> Any:
    """A tangent with None for each int of a value that it does not move: it stays an int, as a plain call is given it.

    >>> without_unmoved((1.0, 0.0, 0.0), (2.0, 3, 0.5))
    (1.0, None, 0.0)
    """
    if type(value) is int:
        return None if isinstance(tangent, (int, float)) and tangent == 0 else tangent
    if type(value) in (list, tuple) and type(tangent) in (list, tuple) and len(tangent) == len(value):
        return tangent if all(map(is_plain, value)) else type(tangent)(map(without_unmoved, tangent, value))
    if type(value) is dict and type(tangent) is dict and not is_plain(value):
        return {key: without_unmoved(part, value.get(key)) for key, part in tangent.items()}
    return tangent


def is_plain(value: Any) -> bool:
    """Whether a value is a float or an array, or a structure of these: what a function does to it, it does to the caller's."""
    if type(value) in (list, tuple, dict):
        return all(map(is_plain, value.values() if type(value) is dict else value))
    return isinstance(value, (float, complex, np.generic)) or bool(library_of(value))


def asked_of(name: str, value: Any, wrt: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """What is differentiated of an argument: all of it, or attributes, each with the way to it. Raises UnknownParameterError, and
    NonDifferentiableError for an object that holds itself."""
    for path in wrt:
        owner, *attributes = path.split(".")
        if owner == name:
            part = value
            for attribute in attributes:
                if not is_users(type(part)) or attribute not in own(part):
                    raise UnknownParameterError(
                        f"{path} cannot be found", why=f"{article(type(part).__name__)} has no attribute {attribute!r} of its own",
                        remedy="give the name of an attribute that the object holds",
                    )
                part = own(part)[attribute]
            if back := way_back(part, path):
                raise NonDifferentiableError(
                    f"{path} holds itself, as {back}", why="a gradient like it has no end",
                    remedy=f"ask for what it holds, wrt='{path}.w', or do without the way back",
                )
            yield path, part


def way_back(value: Any, path: str) -> str:
    """The way from an object to one that holds it, such as ``node.child.parent``; empty if there is none."""
    above: list[Any] = []
    done: set[int] = set()

    def found(part: Any, way: str) -> str:
        held = is_users(type(part)) and not isinstance(part, tuple)
        if not held and not isinstance(part, (list, tuple, dict)) or id(part) in done:
            return ""
        if held and any(part is one for one in above):
            return way
        above.append(part)
        inside = own(part).items() if held else part.items() if isinstance(part, dict) else enumerate(part)
        back = next(filter(None, (found(item, f"{way}.{key}" if held else f"{way}[{key!r}]") for key, item in inside)), "")
        done.add(id(above.pop()))
        return back

    return found(value, path)


def tangents_of(values: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """The tangents of what is differentiated as generated code takes them: of a named tuple that of each entry."""
    found: list[Any] = []
    for value, tangent in zip(values, tangents):
        if is_open(value) and (names := active(value)):
            found += tangents_of(*([own(part)[name] for name in names] for part in (value, tangent)))
        else:
            found.append(tangent)
    return found


def checked_parts(
    name: str, value: Any, wrt: tuple[str, ...], function: types.FunctionType, as_given: bool = False, reverse: bool = False,
) -> None:
    """Raise as :func:`checked_argument` does, of what is differentiated of an argument (unless it is ``as_given``), and of all of it."""
    checked_argument(name, value, False, function)
    if as_given:
        return
    for path, part in asked_of(name, value, wrt):
        where = container_of_objects(part, path)
        if where and isinstance(part, (list, tuple, dict)):
            check_places(part, path, function)
        if where and not reverse:
            raise UnsupportedSyntaxError(
                f"objects in a container cannot be compiled where they are differentiated, as in {where}",
                places=[definition(function, "asked of this function")], why="which object an index or a loop takes is not followed",
                remedy="on the eager engine the gradient is such a container of objects: mode=\"eager\"",
            )
        if not where and (not is_open(part) or not active(part)) and not is_mixed(part):
            checked_argument(path, part, True, function)


def check_places(value: Any, path: str, function: types.FunctionType) -> None:
    """Raise NonDifferentiableError for an object with a gradient that stands in two places of a container."""
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
    known: dict[int, Any] = {}
    for key, part in pairs:
        if is_users(type(part)) and active(part) and (other := known.setdefault(id(part), key)) != key:
            raise NonDifferentiableError(
                f"{path}[{other!r}] and {path}[{key!r}] of {function.__qualname__} are one object",
                places=[definition(function, "asked of this function")],
                why="its attributes are the same numbers there, of which each place would have a gradient of its own",
                remedy=f"let {path}[{key!r}] be a copy (copy.deepcopy), or hold the object in one place",
            )


def checked_attributes(name: str, value: Any, wrt: tuple[str, ...], function: types.FunctionType) -> None:
    """Raise as :func:`asked_of` does, and NonDifferentiableError for an attribute that is an int: it may have to stay one."""
    for path, part in asked_of(name, value, wrt):
        if isinstance(part, int) and path != name:
            checked_argument(path, part, True, function)


def checked_argument(name: str, value: Any, differentiated: bool, function: types.FunctionType) -> None:
    """Raise NonDifferentiableError for an argument that cannot be differentiated, or that is no plain array."""
    where = f"the argument {name} of {function.__qualname__}"
    if library_of(value) and not is_number(value):
        if not is_plain_array(value) and type(value) is not np.memmap:
            raise NonDifferentiableError(
                f"{where} is {article(type(value).__name__)}", why="operators mean something else on it than on a plain array",
                remedy=f"pass np.asarray({name})",
            )
        if differentiated and value.dtype.kind not in "fc":
            kinds = {"O": "of objects", "b": "of booleans", "U": "of text", "S": "of text"}
            remedies = {"O": "make it an array of floats, or a list of arrays", "V": "split it into real arrays"}
            raise NonDifferentiableError(
                f"{where} is an array {kinds.get(value.dtype.kind, f'of {value.dtype}')}",
                why="only floating-point arrays have a gradient here",
                remedy=f"pass {name}.astype(float)" if value.dtype.kind in "iub" else remedies.get(value.dtype.kind, OUT_OF_WRT),
            )
    elif differentiated:
        if isinstance(value, (list, tuple)):
            for position, item in enumerate(value):
                checked_argument(f"{name}[{position}]", item, True, function)
        elif isinstance(value, dict):
            for key, item in value.items():
                checked_argument(f"{name}[{key!r}]", item, True, function)
        elif not isinstance(value, (float, complex)) and not (is_number(value) and value.dtype.kind in "fc"):
            raise NonDifferentiableError(
                f"{where} is {article(type(value).__name__)}, which has no derivative",
                why="only floating-point numbers can be changed a little",
                remedy=f"{OUT_OF_WRT}, or give a float, an array of floats, or a dict, list or tuple of these",
            )


def checked_along(name: str, value: Any, tangent: Any, function: types.FunctionType) -> None:
    """Raise NonDifferentiableError for what has a tangent and cannot be differentiated."""
    if isinstance(value, (list, tuple)) and isinstance(tangent, (list, tuple)):
        for position, (item, along) in enumerate(zip(value, tangent)):
            checked_along(f"{name}[{position}]", item, along, function)
    elif isinstance(value, dict) and isinstance(tangent, dict):
        for key in value.keys() & tangent.keys():
            checked_along(f"{name}[{key!r}]", value[key], tangent[key], function)
    elif tangent is not None and getattr(getattr(value, "dtype", None), "kind", "") not in ("f", "c") and not is_open(value):
        checked_argument(name, value, True, function)


def located(error: NonDifferentiableError, function: types.FunctionType) -> NonDifferentiableError:
    """The error with its place, if it has none: the line that generated code was at, else the function that was to be differentiated."""
    if error.places:
        return error
    line = blamed(error)
    place = definition(function, "asked of this function") if line is None else Place(line.path, line.line, None, line.text, "met here")
    return error.said(error.problem, [place])  # type: ignore[no-any-return]


def arrays_in(value: Any) -> list[np.ndarray]:
    """The arrays of a structure, or of an object."""
    return [part for part in changeable_in(value) if library_of(part)]


def holds_variables(value: Any, depth: int = 0) -> bool:
    """Whether a value is a Variable, or a structure or an object with one in it."""
    if isinstance(value, (list, tuple)):
        return any(holds_variables(part, depth) for part in value)
    if isinstance(value, dict):
        return any(holds_variables(part, depth) for part in value.values())
    if is_open(value) if depth == 0 else depth <= DEEPEST and is_users(type(value)):
        return any(holds_variables(part, depth + 1) for part in own(value).values())
    return isinstance(value, Recorded)
