"""Objects of the user's classes: which there are, what they hold, what their class says of an attribute, and their gradients."""

from __future__ import annotations

import abc
import functools
import os
import sys
import types
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from .arrays.library import library_of
from .derivative import form

CLOSED = frozenset("pandas xarray dask polars pyarrow numba sympy matplotlib torch jax tensorflow h5py netCDF4 PIL cv2".split())
"""Packages that compute on arrays of their own kind, or in C: their code is called as it is. (It may call the user's.)"""

FOREIGN = ("numpy.", "scipy.", *(f"{package}." for package in sorted(CLOSED)))
"""Packages whose objects are not looked into; nor are those of Python's own library."""

LIBRARY = os.path.dirname(os.__file__) + os.sep
"""Where the files of Python's own library are."""

HEAP = 1 << 9
"""The flag of a class that was made while the program runs, by ``class`` or ``type``."""

BUILT_IN = (dict, list, str, int, float, complex, set, frozenset, bytes, type, BaseException, types.ModuleType, np.ndarray)

ARRAYS = ("__array__", "__array_priority__", "__array_ufunc__", "__array_function__")
"""What a class has whose objects are arrays of their own kind."""

DATA = (int, float, bool, str, type(None), np.ndarray, np.generic, tuple, list, dict)
"""What a class may hold for its objects to read, other than methods."""


COMPOSITES = ("sourcediff.rules.scipy.", "sourcediff.rules.composites.", "sourcediff.interop.sklearn")
"""Where functions of libraries are said in plain NumPy Python, which is read and run as the user's own."""


def is_composite(value: Any) -> bool:
    """Whether a function or class says one of a library's in plain NumPy Python."""
    return str(getattr(value, "__module__", None)).startswith(COMPOSITES)


def is_own(value: Any) -> bool:
    """Whether a function or class is one of sourcediff's own."""
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or not module.startswith("sourcediff.") or is_composite(value):
        return False
    return getattr(sys.modules.get(module), value.__name__, None) is value


def is_of_python(value: Any) -> bool:
    """Whether a function or class is one of Python's own library: a file of one's own may have the name of one of its modules."""
    module = str(getattr(value, "__module__", None))
    if module.split(".")[0] not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or file.startswith(LIBRARY) and "site-packages" not in file


def is_users(kind: Any) -> bool:
    """Whether a class is the user's own, and looking up attributes of its objects does nothing but that."""
    known: bool = _is_users(kind, members_of(kind) if kind.__flags__ & HEAP else ())
    return known


def is_still_users(kind: Any) -> bool:
    """The same, of a class that was asked for at the beginning of this call."""
    return _is_users(kind, ())


def members_of(kind: type) -> tuple[Any, ...]:
    """What tells that a class or one of its bases has been given another member: how many there are, and the last of them."""
    return tuple([(len(members), next(reversed(members), None)) for base in kind.__mro__[:-1] if (members := base.__dict__)])


@functools.lru_cache(maxsize=1024)
def _is_users(kind: Any, members: tuple[Any, ...]) -> bool:
    if kind is types.SimpleNamespace:
        return True
    module = f"{kind.__module__}."
    if not kind.__flags__ & HEAP or module.startswith(FOREIGN) or is_of_python(kind) or is_own(kind):
        return False
    if issubclass(kind, BUILT_IN) or issubclass(kind, tuple) and not hasattr(kind, "_fields"):
        return False
    if any(getattr(kind, name, None) is not None for name in ARRAYS) or isinstance(member(kind, "__call__"), types.WrapperDescriptorType):
        return False  # the last are functions that Cython has made
    base = tuple if issubclass(kind, tuple) else object
    usual = all(getattr(kind, name, None) is getattr(base, name, None) for name in ("__getattribute__", "__getattr__"))
    return usual and issubclass(type(kind), (type(abc.ABC), type)) and type(kind).__call__ in (type.__call__, abc.ABCMeta.__call__)


def forget_classes() -> None:
    """Ask anew what classes are: one may have been changed."""
    _is_users.cache_clear()
    _computes.cache_clear()
    slots_of.cache_clear()


OPERATORS = [f"__{side}{name}__" for side in ("", "r") for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "or", "and", "xor", "lshift", "rshift")]
OPERATORS += ["__neg__", "__pos__", "__invert__", "__abs__"]


def computes(kind: Any) -> bool:
    """Whether a class (or one that it is made of) says itself what operators mean. Python's own and NumPy's in C do not count.

    >>> computes(float), computes(np.float64), computes(np.ndarray), computes(np.ma.MaskedArray), computes(np.poly1d)
    (False, False, False, True, True)
    """
    known: bool = _computes(kind, members_of(kind) if kind.__flags__ & HEAP else ())
    return known


@functools.lru_cache(maxsize=1024)
def _computes(kind: Any, members: tuple[Any, ...]) -> bool:
    for base in kind.__mro__:
        in_c = base.__module__ == "numpy" and not base.__flags__ & HEAP
        if not in_c and not is_of_python(base) and any(name in vars(base) for name in OPERATORS):
            return True
    return False


def is_named(kind: Any) -> bool:
    """Whether a class is one of named tuples, which are made of their fields and of nothing else."""
    made = getattr(member(kind, "__new__"), "__func__", member(kind, "__new__"))
    written = getattr(getattr(made, "__code__", None), "co_filename", "")
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and written.startswith("<") and member(kind, "__init__") is object.__init__


def stores_plainly(kind: Any) -> bool:
    """Whether storing to an attribute of an object of a class does nothing but that."""
    return kind.__setattr__ in (object.__setattr__, types.SimpleNamespace.__setattr__)


def member(kind: type, name: str) -> Any:
    """What a class holds under a name, as it stands there (a property as a property); None if nothing."""
    for base in kind.__mro__:
        if name in vars(base):
            return form(vars(base)[name])
    return None


def held_by(value: Any) -> dict[str, Any]:
    """The data that an object's attributes are: its own, and those of its class."""
    kind = type(value)
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__[:-1]):  # Python's own ``object`` holds no data
        for name, part in vars(base).items():
            if isinstance(part, DATA) and not name.startswith("__"):
                found[name] = part
            else:
                found.pop(name, None)
    if isinstance(value, tuple):
        return found | own(value)
    return found | {name: part for name, part in own(value).items() if not _computed(member(kind, name))}


def _computed(part: Any) -> bool:
    """Whether a class computes what an attribute is, whatever an object holds under its name."""
    return hasattr(type(part), "__set__") and not isinstance(part, types.MemberDescriptorType)


def getter(part: Any) -> Any:
    """The function that computes an attribute, of a property or a cached one, None of anything else."""
    return part.fget if isinstance(part, property) else part.func if isinstance(part, functools.cached_property) else None


def methods_of(kind: type, names: Collection[str]) -> list[tuple[type, str, Any]]:
    """The functions of these names of a class and its bases: where each stands, its name, and the function itself."""
    found = []
    for base in kind.__mro__:
        for name, part in sorted(vars(base).items()) if is_users(base) else ():  # a class that was pickled has lost their order
            functions = [form(getter(part) or getattr(part, "__func__", part)), getattr(part, "fset", None)]
            found += [(base, name, inner) for inner in functions if name in names and isinstance(inner, types.FunctionType)]
    return found


DEEPEST = 6
"""Objects within objects that are looked into. (They may hold one another.)"""

MOST = 256
"""Objects and containers in an object that is looked into. (Some hold a whole program.)"""


def is_open(value: Any) -> bool:
    """Whether a value is an object of a user's class that is small enough to be looked into."""
    if not is_users(type(value)):
        return False
    pending, count = [(value, 0)], 0
    while pending and count <= MOST:
        part, depth = pending.pop()
        if is_users(type(part)):
            inside: Any = held_by(part).values() if depth <= DEEPEST else ()
            depth += 1
        else:
            inside = part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else ()
        count += bool(inside)
        pending += [(item, depth) for item in inside if isinstance(item, (dict, list, tuple)) or is_users(type(item))]
    return count <= MOST


def active(value: Any, depth: int = 0) -> tuple[str, ...]:
    """The attributes of an object that have a gradient."""
    held = held_by(value)
    return tuple(name for name, part in own(value).items() if name in held and differentiable(part, depth + 1))


def differentiable(value: Any, depth: int = 0) -> bool:
    """Whether an attribute has a gradient: a float, an array of floats, an object with one, or a container with one in it, whatever else
    that holds."""
    if is_users(type(value)):
        return depth <= DEEPEST and (depth > 0 or is_open(value)) and bool(active(value, depth))
    if isinstance(value, (dict, list, tuple)):
        return any(differentiable(part, depth) for part in (value.values() if isinstance(value, dict) else value))
    return is_floating(value)


def has_object(value: Any, depth: int = 0) -> bool:
    """Whether a value is, or is a container of, an object other than a named tuple that has a gradient."""
    if isinstance(value, (dict, list, tuple)):
        return any(has_object(part, depth) for part in (value.values() if isinstance(value, dict) else value))
    return is_users(type(value)) and differentiable(value, depth)


WORDS = (str, bool, np.bool_, type(None))
"""What stands in a record beside the floats that are differentiated, and has no gradient."""


def is_mixed(value: Any) -> bool:
    """Whether a value is a container of objects that have a gradient, or a record, in which words, tests or None stand beside floats.

    >>> is_mixed({"rate": 2.0, "name": "decay"}), is_mixed({"rate": 2.0})
    (True, False)
    """
    if not isinstance(value, (dict, list, tuple)) or is_users(type(value)):
        return has_object(value)
    return has_object(value) or holds_words(value) and holds_floats(value)


def holds_words(value: Any) -> bool:
    """Whether a value is a word, a test or None, or a container with one in it."""
    if isinstance(value, (dict, list, tuple)):
        return any(map(holds_words, value.values() if isinstance(value, dict) else value))
    return isinstance(value, WORDS)


def holds_floats(value: Any) -> bool:
    """Whether a value has a gradient, or is a container with such a part in it."""
    if isinstance(value, (dict, list, tuple)) and not is_users(type(value)):
        return any(map(holds_floats, value.values() if isinstance(value, dict) else value))
    return differentiable(value)


def container_of_objects(value: Any, path: str) -> str:
    """The way to the first container of objects that a value is or holds, as far as it has a gradient; empty if there is none."""
    if isinstance(value, (dict, list, tuple)) and not is_users(type(value)):
        return path if has_object(value) else ""
    found = (container_of_objects(own(value)[name], f"{path}.{name}") for name in (active(value) if is_open(value) else ()))
    return next(filter(None, found), "")


def is_floating(value: Any) -> bool:
    """Whether a value is a float, an array of floats, or a list, tuple, named tuple or dict of nothing but these."""
    if isinstance(value, (dict, list, tuple)) and (is_users(type(value)) or not hasattr(value, "_fields")):
        return bool(value) and all(map(is_floating, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def own(value: Any) -> dict[str, Any]:
    """The attributes that are an object's own, not its class's."""
    if isinstance(value, tuple):
        return dict(zip(type(value)._fields, value))  # type: ignore[attr-defined]
    kind: Any = type(value)
    slots = slots_of(kind)
    if not slots:
        return {**value.__dict__} if hasattr(value, "__dict__") else {}
    return {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})


@functools.lru_cache(maxsize=1024)
def slots_of(kind: Any) -> tuple[str, ...]:
    """The names of the slots of a class, which has them from its beginning."""
    parts = [part for base in kind.__mro__[:-1] for part in vars(base).items()]
    return tuple(name for name, part in parts if isinstance(part, types.MemberDescriptorType) and not name.startswith("__"))


@functools.lru_cache(maxsize=1024)
def holds_own_alone(kind: Any, members: tuple[Any, ...]) -> bool:
    """Whether a class that has these members is the user's, and holds no arrays or containers for its objects to read."""
    parts = [part for base in kind.__mro__[:-1] for name, part in vars(base).items() if not name.startswith("__")]
    held = not issubclass(kind, tuple) and any(isinstance(part, (np.ndarray, tuple, list, dict)) for part in parts)
    return _is_users(kind, members) and not held


def object_alike(x: Any, /, **parts: Any) -> Any:
    """An object of the class of ``x`` with these attributes, None for all others: the gradient of ``x``.

    >>> object_alike(types.SimpleNamespace(w=2.0, name="layer"), w=0.5)
    namespace(w=0.5, name=None)
    """
    if isinstance(x, tuple):
        return tuple.__new__(type(x), [parts.get(name) for name in own(x)])
    made = types.SimpleNamespace() if type(x) is types.SimpleNamespace else object.__new__(type(x))
    kind: Any = type(x)
    if not slots_of(kind):
        made.__dict__.update({name: parts.get(name) for name in x.__dict__})
        return made
    for name in own(x):
        object.__setattr__(made, name, parts.get(name))
    return made


def object_with(x: Any, /, **parts: Any) -> Any:
    """A copy of an object with these attributes, which are stored without asking its class.

    >>> object_with(types.SimpleNamespace(w=2.0, name="layer"), w=0.5)
    namespace(w=0.5, name='layer')
    """
    made = types.SimpleNamespace() if type(x) is types.SimpleNamespace else object.__new__(type(x))
    for name, part in {**own(x), **parts}.items():
        object.__setattr__(made, name, part)
    return made


def changeable_in(value: Any, depth: int = 0, attributes: Callable[[Any], dict[str, Any]] = own) -> list[Any]:
    """The arrays, lists and dicts of a structure, of an object, or of a function that was given them beforehand.

    ``attributes``: which of an object's are looked at, ``held_by`` for those of its class too.
    """
    if library_of(value):
        return [value]
    found = [value] if isinstance(value, (list, dict)) else []
    if isinstance(value, dict):
        value = value.values()
    elif is_users(type(value)):
        value = attributes(value).values() if depth <= DEEPEST and (depth > 0 or is_open(value)) else ()
        depth += 1
    elif isinstance(value, functools.partial):
        value = (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, types.MethodType):
        value = (value.__self__,)
    elif not isinstance(value, (list, tuple)):
        return found
    return [*found, *(part for item in value for part in changeable_in(item, depth, attributes))]


def changeable_in_classes(value: Any) -> list[Any]:
    """The arrays, lists and dicts that the classes of objects hold for them, other than their own."""
    found = {id(part) for part in changeable_in(value)}
    return [part for part in changeable_in(value, attributes=held_by) if id(part) not in found]
