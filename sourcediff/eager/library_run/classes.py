"""Copies of the user's classes for a library run, with methods that see what the function sees.

The copy has the original's name, bases (copies too, where these are the user's), attributes and slots. The classes themselves are
never touched. An attribute that the run assigns to a copy is assigned to the class when the run ends.
"""

from __future__ import annotations

import abc
import enum
import functools
import sys
import types
from _abc import _get_dump  # type: ignore[import-not-found]
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.arrays.library import is_array_class
from .generic import GenericMethod
from .object_proxies import HEAP, MISSING
from .run import Run
from .type_proxies import original_of

DESCRIBED = (
    types.FunctionType, classmethod, staticmethod, property, functools.cached_property, functools.partialmethod,
    functools.singledispatchmethod,
)
MADE_ANEW = (types.GetSetDescriptorType, types.MemberDescriptorType)


class Classes:
    """The copies of classes of one run."""

    def __init__(self, rebinder: Run) -> None:
        self.rebinder = rebinder
        self.made: list[tuple[type, type, dict[str, Any]]] = []  # the class, its copy, the attributes that the copy got
        self.known: set[type] = set()
        self.copying = 0

    def copied(self, kind: type) -> type:
        """The copy of a class; the class itself where none is needed or possible (arrays, exceptions and enumerations without methods)."""
        if is_array_class(kind) or issubclass(kind, np.generic) or not _is_python(kind):
            return kind
        rebound = self.rebinder.rebound
        special = issubclass(kind, (BaseException, enum.Enum))
        if special and all(rebound(base) is base for base in kind.__bases__) and not _has_arithmetic(kind):
            return kind
        if issubclass(kind, enum.Enum):
            return self._enumeration(kind)
        plain = {name: part for name, part in vars(kind).items() if _is_plain(name, part)}
        bases = tuple(original_of(rebound(base)) for base in kind.__bases__)
        if id(kind) in self.rebinder.known:  # a base holds its subclasses, in a registry
            return self.rebinder.known[id(kind)][1]  # type: ignore[no-any-return]
        meta = rebound(type(kind)) if type(kind) is not type else type
        make: Callable[..., type] = abc.ABCMeta.__new__ if issubclass(meta, abc.ABCMeta) else type.__new__
        self.copying += 1
        try:
            copy = make(meta, kind.__name__, bases, plain)
        except TypeError:  # not a class that Python code can make
            return kind
        finally:
            self.copying -= 1
        self.rebinder.knows(kind, copy)  # before its methods, whose __class__ is this
        for name, part in vars(kind).items():
            if not isinstance(part, MADE_ANEW) and name not in UNCHANGED:
                made = self.part(part, name)
                if made is not plain.get(name, MISSING):
                    type.__setattr__(copy, name, made)
        own = vars(kind).get("__getattribute__")
        if not issubclass(kind, type) and (own or not any(base in self.known for base in copy.__mro__[1:])):
            inner: Any = self.rebinder.method(own) if own else copy.__getattribute__
            type.__setattr__(copy, "__getattribute__", self._reading(inner))
        if "__abstractmethods__" in vars(kind):
            copy.__abstractmethods__ = kind.__abstractmethods__  # type: ignore[attr-defined]
        if isinstance(copy, abc.ABCMeta):
            self._register(kind, copy)
        self.made.append((kind, copy, dict(vars(copy))))
        self.known.add(copy)
        return copy

    def _register(self, kind: Any, copy: Any) -> None:
        """The classes that were registered with an abstract one are subclasses of its copy too, and so are their copies."""
        for known in _get_dump(kind)[0]:
            registered = known()
            if registered is not None:
                copy.register(registered)
                copy.register(original_of(self.rebinder.rebound(registered)))

    def _enumeration(self, kind: Any) -> type:
        """The copy of an enumeration, with members of its own; the class itself where members are made of more than a number or text."""
        inner = kind._member_type_
        if type(kind) is not type(enum.Enum) or issubclass(kind, enum.Flag) or inner not in (object, int, float, str):
            return kind  # type: ignore[no-any-return]
        own = {name: part for name, part in vars(kind).items() if _is_plain(name, part) and name not in kind._member_map_}
        copy: Any = type.__new__(type(kind), kind.__name__, tuple(original_of(self.rebinder.rebound(base)) for base in kind.__bases__), own)
        self.rebinder.knows(kind, copy)
        for member in kind._member_map_.values():
            if id(member) not in self.rebinder.known:
                self.rebinder.shadows.member(member, copy, inner)
        for name, part in vars(kind).items():
            if name in kind._member_map_:
                type.__setattr__(copy, name, self.rebinder.rebound(kind._member_map_[name]))
            elif name in ("_member_map_", "_value2member_map_"):
                type.__setattr__(copy, name, {key: self.rebinder.rebound(member) for key, member in part.items()})
            elif name not in UNCHANGED and not isinstance(part, MADE_ANEW):
                type.__setattr__(copy, name, self.part(part, name))
        self.made.append((kind, copy, dict(vars(copy))))
        return copy  # type: ignore[no-any-return]

    def part(self, part: Any, name: str = "") -> Any:
        """An attribute of a class as its copy has it."""
        rebound, method = self.rebinder.rebound, self.rebinder.method
        if isinstance(part, types.FunctionType):
            return method(part)
        if isinstance(part, (classmethod, staticmethod)):
            inner = method(part.__func__)
            return type(part)(self._inheriting(inner) if name == "__init_subclass__" else inner)
        if isinstance(part, property):
            accessors = (None if accessor is None else method(accessor) for accessor in (part.fget, part.fset, part.fdel))
            return type(part)(*accessors, part.__doc__)  # type: ignore[call-arg]
        if isinstance(part, functools.cached_property):
            made = functools.cached_property(method(part.func))
            made.__set_name__(None, part.attrname or name)  # type: ignore[arg-type]
            return made
        if isinstance(part, functools.partialmethod):
            return functools.partialmethod(method(part.func), *map(rebound, part.args), **part.keywords)
        if isinstance(part, functools.singledispatchmethod):
            return GenericMethod(self.rebinder, self.part, part)
        return rebound(part)

    def _inheriting(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        """``__init_subclass__``, which is told of the subclasses that the run makes, not of the copies of known ones."""

        def init_subclass(cls: type, **kwargs: Any) -> Any:
            return None if self.copying else inner(cls, **kwargs)

        return init_subclass

    def _reading(self, inner: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
        """``__getattribute__`` of objects that may be shadows, whose attributes are rebound when they are first read."""
        shadows = self.rebinder.shadows
        waiting = shadows.waiting

        def __getattribute__(self: Any, name: str) -> Any:
            if id(self) in waiting:
                shadows.read(self, name)
            return inner(self, name)

        return __getattribute__

    def give_back(self, released: Callable[[Any], Any]) -> None:
        """Assign to the classes what the run has assigned to their copies."""
        for kind, copy, given in self.made:
            now = vars(copy)
            for name in given.keys() - now.keys():
                type.__delattr__(kind, name)
            for name, part in list(now.items()):
                if part is not given.get(name, MISSING) and name not in UNCHANGED and not isinstance(part, MADE_ANEW):
                    type.__setattr__(kind, name, released(part))


UNCHANGED = frozenset(
    "__dict__ __weakref__ __module__ __qualname__ __slots__ __doc__ __orig_bases__ __parameters__ __annotations__ __abstractmethods__ "
    "_abc_impl __dataclass_fields__ __dataclass_params__ __match_args__ __firstlineno__ __static_attributes__ __type_params__ "
    "__annotate__ __annotate_func__ __annotations_cache__ __classcell__ __getattribute__".split()
)


def _is_python(kind: type) -> bool:
    """Whether a class was made by Python code: one that was made of C has slots of its own."""
    slots = (part for part in vars(kind).values() if isinstance(part, (types.WrapperDescriptorType, types.MethodDescriptorType)))
    return bool(kind.__flags__ & HEAP) and not any(slot.__objclass__ is kind for slot in slots)


def _has_arithmetic(kind: type) -> bool:
    """Whether a class has functions of the user's, or properties and the like."""
    for part in vars(kind).values():
        if isinstance(part, DESCRIBED):
            function = next((getattr(part, name) for name in ("__func__", "fget", "func") if hasattr(part, name)), part)
            top = str(getattr(function, "__module__", None)).partition(".")[0]
            if top not in sys.stdlib_module_names and top not in ("numpy", "scipy", "sourcediff"):
                return True
    return False


def _is_plain(name: str, part: Any) -> bool:
    """Whether a class's attribute can be given to its copy at once: nothing that is rebound, or that is told its name."""
    if name in ("__dict__", "__weakref__", "_abc_impl", "__abstractmethods__") or isinstance(part, (*MADE_ANEW, *DESCRIBED)):
        return False
    return not hasattr(type(part), "__set_name__")
