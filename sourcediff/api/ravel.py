"""``ravel``: the floating-point numbers of a structure as one vector, and back, by two functions that are written for its layout.

What is written is plain NumPy, so the compiler takes it as it takes the user's own functions:

>>> import inspect
>>> _, restore = ravel({"w": np.ones((2, 3)), "b": 0.5})
>>> print(inspect.getsource(restore))
def restore(vector):
    if np.shape(vector) != (7,):
        raise ValueError('restore takes a vector of 7 numbers')
    return {
        'w': vector[0:6].reshape((2, 3)).copy(),
        'b': float(vector[6]),
    }
<BLANKLINE>
"""

from __future__ import annotations

import builtins
import dataclasses
import hashlib
import linecache
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dispatch.arguments import holds_variables
from ..eager.engine.nodes import Recorded
from ..errors import NonDifferentiableError, article
from ..naming import is_name
from ..runtime.arrays.library import is_array, is_plain_array, on_device
from ..runtime.structures import filled, refilled
from ..runtime.trees import leaves
from ..runtime.user_objects import active, is_floating, is_open, object_with, own

LITERALS = (str, bytes, int, bool, type(None))

FLOAT = np.dtype(float)

THERE = "<there>"
"""What stands in a text for an array on the device until one is found."""

MANY = 16
"""Floats in a list or tuple from which on they are gone over in a loop."""


def ravel(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The floating-point numbers of a structure as one vector, and ``restore``, which makes such a structure of such a vector.

    A structure is an array, a number, or a dict, list, tuple, named tuple or object (a dataclass, say) of structures. Floats and arrays of
    floats go into the vector, in order; all else (an int, a string, an array of ints) is in what ``restore`` returns what it is here.
    There an array has its shape and dtype, and memory of its own. The dtype of the vector is the one that NumPy gives all of them
    together, float64 where there are none.

    ``restore`` raises ValueError for a vector of another length. It can be differentiated: ``grad(lambda v: loss(restore(v)))``.
    Raises NonDifferentiableError for complex numbers, for subclasses of arrays, and for what is no structure.

    >>> import numpy as np, sourcediff
    >>> vector, restore = sourcediff.ravel({"w": np.array([[1.0, 2.0]]), "b": 3.0, "name": "line"})
    >>> vector, restore(2 * vector)
    (array([1., 2., 3.]), {'w': array([[2., 4.]]), 'b': 6.0, 'name': 'line'})
    """
    layout = Layout(tree)
    return layout.flat(tree), layout.restore


def bare(value: Any) -> Any:
    """The data of a Variable, anything else as it is."""
    return value._value if isinstance(value, Recorded) else value


class Layout:
    """Where the numbers of a structure stand in a vector: ``flat`` makes one of a structure like it, ``restore`` a structure of one."""

    def __init__(self, tree: Any):
        self.size = 0
        self.held: dict[str, Any] = {"np": np, "__name__": "__main__"}  # so that cloudpickle takes it along
        self.on_device = any(on_device(bare(leaf)) and is_floating(leaf) for _, leaf in leaves(tree))
        self.there = ""  # an array on the device, where numbers of Python's are sent to
        self.parts: list[str] = []
        restored = self.written(tree, "tree", 1)
        if not self.size and not isinstance(tree, (dict, list, tuple)) and not is_array(tree):
            raise NonDifferentiableError(
                f"{article(type(tree).__name__)} holds no floats", why="they are what the vector is made of",
                remedy="give floats, arrays of them, or a structure of these")
        self.parts = [part.replace(THERE, self.there) for part in self.parts]
        joined = {0: "np.zeros(0)", 1: "".join(self.parts)}.get(len(self.parts), f"np.concatenate(({', '.join(self.parts)}))")
        self.flat = self.made("flat", f"def flat(tree):\n    return {joined}\n")
        self.text = (
            f"def restore(vector):\n    if np.shape(vector) != ({self.size},):\n"
            f"        raise ValueError('restore takes a vector of {self.size} numbers')\n    return {restored}\n")
        self.restore = self.made("restore", self.text)

    def written(self, value: Any, path: str, depth: int) -> str:
        """The expression for a part, which is at ``path`` of a structure."""
        value = bare(value)
        if isinstance(value, (complex, np.complexfloating)) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
            raise NonDifferentiableError(
                f"{path} is complex", why="a vector of floats has no room for it", remedy="hold its real and its imaginary part")
        if is_array(value) and not is_plain_array(value) and getattr(value.dtype, "kind", "f") == "f":
            raise NonDifferentiableError(
                f"{path} is {article(type(value).__name__)}", why="operators mean something else on it than on a plain array",
                remedy="hold np.asarray of it")
        if isinstance(value, dict):
            entries = [(f"{self.named(key)}: ", part, f"{path}[{self.named(key)}]") for key, part in value.items()]
            shown = self.listed("{", entries, "}", depth)
            return shown if type(value) is dict else f"{self.held_as(filled, 'filled')}({self.held_as(value, 'kind')}, {shown})"
        if isinstance(value, (list, tuple)):
            return self.sequence(value, path, depth)
        if is_floating(value):
            return self.number(value, path)
        if (is_open(value) or holds_variables(list(own(value).values()))) and (names := active(value)):  # a run has classes of its own
            return self.object(value, names, path, depth)
        return self.named(value)

    def sequence(self, value: Any, path: str, depth: int) -> str:
        """The expression for a list or a tuple."""
        if len(value) >= MANY and not self.on_device and type(value) in (list, tuple) and all(type(part) is float for part in value):
            self.parts.append(f"np.array({path})")
            self.size += len(value)
            shown = f"[float(x) for x in vector[{self.size - len(value)}:{self.size}]]"
            return shown if type(value) is list else f"tuple({shown})"
        entries = [("", part, f"{path}[{position}]") for position, part in enumerate(value)]
        if hasattr(value, "_fields"):
            return self.listed(f"{self.held_as(type(value), type(value).__name__)}(", entries, ")", depth)
        shown = self.listed("[", entries, "]", depth) if not isinstance(value, tuple) else self.listed("(", entries, ")", depth)
        if type(value) in (list, tuple):
            return shown
        return f"{self.held_as(refilled, 'refilled')}({self.held_as(value, 'kind')}, {shown})"

    def number(self, value: Any, path: str) -> str:
        """The expression for a floating-point number, or an array of them."""
        shape, dtype = np.shape(value), getattr(value, "dtype", FLOAT)
        start, self.size = self.size, self.size + int(np.prod(shape))
        self.there = self.there or (path if on_device(value) else "")
        sent = self.on_device and not on_device(value)
        self.parts.append(f"np.ravel(np.full_like(np.sum({THERE}), {path}, dtype=float))" if sent else f"np.ravel({path})")
        if isinstance(value, float) and not isinstance(value, np.generic):
            return f"float(vector[{start}])"
        if not is_array(value) and not on_device(value):
            return f"vector[{start}]" if dtype == FLOAT else f"{self.held_as(dtype.type, dtype.name)}(vector[{start}])"
        part = f"vector[{start}:{self.size}]" + (f".reshape({shape})" if len(shape) != 1 else "")
        return f"{part}.copy()" if dtype == FLOAT else f"{part}.astype({self.held_as(dtype.type, dtype.name)})"

    def object(self, value: Any, names: tuple[str, ...], path: str, depth: int) -> str:
        """The expression for an object of which these attributes have numbers: a dataclass is made anew, of others there is a copy."""
        kind: Any = type(value)
        plain = dataclasses.is_dataclass(kind) and not hasattr(kind, "__post_init__")
        fields = dataclasses.fields(kind) if plain else ()
        if plain and all(field.init for field in fields) and own(value).keys() == {field.name for field in fields}:
            begun, others = f"{self.held_as(kind, kind.__name__)}(", [field.name for field in fields if field.name not in names]
        else:
            begun, others = f"{self.held_as(object_with, 'object_with')}({self.held_as(value, 'kind')}, ", []
        shown = [f"{name}={self.written(own(value)[name], f'{path}.{name}', depth)}" for name in names]
        shown += [f"{name}={self.named(own(value)[name])}" for name in others]
        return f"{begun}{', '.join(shown)})"

    def listed(self, begun: str, entries: list[tuple[str, Any, str]], ended: str, depth: int) -> str:
        """Entries between brackets, a line for each."""
        if not entries:
            return begun + ended
        left = "    " * depth
        lines = [f"{left}    {name}{self.written(part, there, depth + 1)},\n" for name, part, there in entries]
        return "".join([begun, "\n", *lines, left, ended])

    def named(self, value: Any) -> str:
        """A constant: as it is written, or a name that stands for it."""
        return repr(value) if type(value) in LITERALS else self.held_as(value, "kept")

    def held_as(self, value: Any, name: str) -> str:
        """A name for something that is not written, ``name`` or one like it."""
        name = name if is_name(name) else "kept"
        free = (f"{name}{number or ''}" for number in range(len(self.held) + 1))
        found = next(one for one in free if one not in self.held or self.held[one] is value)
        self.held[found] = value
        return found

    def made(self, name: str, text: str) -> Any:
        """The function that a text defines, with its lines where Python looks for them."""
        file = f"<sourcediff {name} {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        code = next(part for part in compile(text, file, "exec").co_consts if isinstance(part, types.CodeType))
        return types.FunctionType(code, {**self.held, "__builtins__": builtins})  # extension modules look for them there
