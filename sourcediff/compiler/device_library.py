"""What a program asks of the library of a device: its names in place of NumPy's, and refusals of what it does not have."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..analysis.abstract import UNKNOWN
from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING, bound_names
from ..analysis.statements import simple, target_names, targets
from ..frontend.read.unsupported import refusal
from ..rules.facts import FACTS
from ..rules.frames import spelling
from ..runtime.arrays.library import DEVICE, device_class
from ..runtime.device_facts import MISSING as ABSENT
from ..runtime.device_facts import SCIPY, arguments_named, arrays_of, in_library, lacks, spelled
from ..runtime.device_functions import WRITTEN
from ..runtime.device_lists import sent
from ..runtime.linked_calls import plain_call
from ..syntax import nodes as n
from ..syntax.quote import place
from ..syntax.text import to_source
from .unit import Unit

HELPERS = "sourcediff.on_cupy"
"""The module of the helpers that compute on a device."""



def on_device(text: str) -> str:
    """An import of NumPy's or SciPy's as one of the device's library."""
    if text.startswith("import scipy") and " as " not in text:
        return f"import {SCIPY} as scipy" if text == "import scipy" else text.replace("scipy", SCIPY, 1)
    text = re.sub(r"^(import|from) scipy\b", rf"\1 {SCIPY}", text)
    return re.sub(r"^(import|from) numpy\b", rf"\1 {DEVICE}", text) + (" as numpy" if text == "import numpy" else "")


def arrays_of_function(function: Any) -> tuple[bool, ...]:
    """For each parameter of the device's function of the same name whether it takes arrays alone."""
    path = path_of_function(function)
    return arrays_of(path) if path else ()


def refuse_missing(unit: Unit) -> None:
    """Refuse a program that reads what the device's library does not have, by itself or by a helper, or that calls another library."""
    assert unit.derived is not None
    places, said = [], set()
    for node in simple([*unit.derived.body, *unit.derived.back]):
        for part in n.walk(node):
            for problem, why in problems(part, unit):
                if problem not in said:
                    said.add(problem)
                    remedy = "write it with what CuPy has, or compute on the computer's own arrays: x.get()"
                    places.append(unit.pointer(part if "file" in part.__dict__ else node, problem, why, remedy))
    if places:
        raise refusal(unit.function, places)


def problems(node: n.AST, unit: Unit) -> Iterator[tuple[str, str]]:
    """What is not to be had on a device of one node."""
    why = "CuPy does not have it"
    if getattr(node.func if isinstance(node, n.Call) else node, "id", "") in unit.at_home:
        return
    if isinstance(node, n.Call):
        path = numpy_path(node.func, unit)
        if asks_for_class(node, unit):
            yield f"{to_source(node.func)} of what may be a number", "on a device numbers are arrays without dimensions"
        if path.startswith("random."):
            yield spelled(path), "a device draws other numbers than NumPy does"
        elif path and in_library(path) is not ABSENT:
            given = [*arguments_named(path, len(node.args)), *(each.arg for each in node.keywords if each.arg)]
            if lacking := lacks(path, given):
                yield lacking, why
    elif isinstance(node, (n.Attribute, n.Name)) and (path := numpy_path(node, unit)) and in_library(path) is ABSENT \
            and not path.startswith("random."):
        yield spelled(path), why
    if isinstance(node, n.Attribute) and hasattr(np.ndarray, node.attr) and not hasattr(device_class(), node.attr):
        if not numpy_path(node, unit):
            yield f"array.{node.attr}", why
    if isinstance(node, n.Name):
        found = unit.scope.lookup(node.id)
        named = isinstance(found, (types.FunctionType, types.BuiltinFunctionType)) or type(found).__name__ == "ufunc"
        module = str(getattr(found, "__module__", None) or "") if named else ""
        apart = hasattr(found, "__noinline__")  # whose own text is for the device
        if module.startswith("sourcediff.rules") and not apart or module.startswith("scipy.") and not numpy_path(node, unit):
            yield f"{node.id} of SciPy", "it computes in the computer's own memory"
        if node.id in unit.scope.helpers and isinstance(found, types.FunctionType):
            for lacking in lacking_of(found):
                yield f"the derivative with {node.id}, which takes {lacking}", why


def asks_for_class(node: n.Call, unit: Unit) -> bool:
    """Whether a call asks what a value is that may be a number on a device: of an argument it is known."""
    function = unit.scope.resolve(node.func)
    if not node.args or not any(function is one for one in (builtins.isinstance, builtins.type, np.isscalar)):
        return False
    known = dict(unit.request.arguments).get(getattr(node.args[0], "id", ""))
    return known is None or known.kind == "numpy"


def numpy_path(node: n.AST, unit: Unit) -> str:
    """The name in NumPy of what a node stands for: ``linalg.norm``; "" for anything else."""
    words: list[str] = []
    while isinstance(node, n.Attribute):
        words.insert(0, node.attr)
        node = node.value
    if not isinstance(node, n.Name):
        return ""
    found = unit.scope.lookup(node.id)
    if isinstance(found, types.ModuleType) and found.__name__.split(".")[0] in ("numpy", "scipy"):
        package, *inner = found.__name__.split(".")
        return ".".join([*(["scipy"] if package == "scipy" else []), *inner, *words])
    return "" if words else path_of_function(found)


def path_of_function(function: Any) -> str:
    """``linalg.norm`` for that function of NumPy's, ``scipy.special.erf`` for that of SciPy's; "" for any other."""
    written = spelling(function) if hasattr(function, "__name__") else ""
    path = written.removeprefix("np.")
    return path if written.startswith(("np.", "scipy.")) and host(path) is function else ""


def host(path: str) -> Any:
    """What NumPy (or SciPy) has under a name."""
    package, _, rest = path.partition(".")
    found: Any = sys.modules.get("scipy", MISSING) if package == "scipy" else np
    for name in (rest if package == "scipy" else path).split("."):
        found = getattr(found, name, MISSING)
    return found


@functools.cache
def lacking_of(helper: Callable[..., Any]) -> tuple[str, ...]:
    """What the device's library lacks of what a helper reads, itself and by others that it calls."""
    from ..on_cupy import GIVEN

    pending: list[Any] = [helper]
    seen: set[Any] = {helper}
    found: list[str] = []
    while pending:
        function = pending.pop()
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
            if isinstance(node, ast.Call) and (path := path_of(node.func)) not in ("", *GIVEN):
                found.append(lacks(path, [each.arg for each in node.keywords if each.arg]))
            elif isinstance(node, ast.Attribute) and (path := path_of(node)) not in ("", *GIVEN):
                found.append(lacks(path, []))
            elif isinstance(node, ast.Name) and is_helper(inner := vars(sys.modules[function.__module__]).get(node.id), seen):
                seen.add(inner)
                pending.append(inner)
    return tuple(dict.fromkeys(filter(None, found)))


def is_helper(value: Any, seen: set[Any]) -> bool:
    """Whether a value is a function of the runtime's that has not been seen."""
    return isinstance(value, types.FunctionType) and value.__module__.startswith("sourcediff.runtime") and value not in seen


def path_of(node: ast.AST) -> str:
    """``linalg.norm`` for ``np.linalg.norm``."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.insert(0, node.attr)
        node = node.value
    path = ".".join(words)
    return path if isinstance(node, ast.Name) and node.id == "np" else ""


def refuse_stores(unit: Unit) -> None:
    """Refuse stores by arrays of integers, which may name an entry twice: which store is the last one a device does not say."""
    assert unit.values is not None
    places = []
    for node in simple(unit.body):
        for target in targets(node):
            if isinstance(target, n.Subscript) and node in unit.values.before and order_matters(target, node, unit):
                places.append(unit.pointer(
                    node, "a store by an array of integers", "it may name an entry twice, and on a device any of the stores may win",
                    "store by a mask or by slices, or use np.add.at",
                ))
    if places:
        raise refusal(unit.function, places)


def order_matters(target: n.Subscript, node: n.stmt, unit: Unit) -> bool:
    """Whether a store into an array may put several values into one entry."""
    assert unit.values is not None
    before = unit.values.before[node]
    held = unit.values.of(target.value, before).kind in ("mapping", "sequence", "object", "function")
    return not held and not unit.values.of(node.value, before).scalar and may_repeat(target.slice, node, unit)


def may_repeat(index: n.expr, at: n.stmt, unit: Unit) -> bool:
    """Whether an index may name an entry twice."""
    assert unit.values is not None
    if isinstance(index, n.Tuple):
        return any(may_repeat(part, at, unit) for part in index.elts)
    if isinstance(index, (n.Slice, n.Constant)):
        return False
    made = bound_once(index.id, unit) if isinstance(index, n.Name) else index
    if isinstance(made, n.Call) and any(unit.scope.resolve(made.func) is function for function in FACTS["names no entry twice"]):
        return False
    known = unit.values.of(index, unit.values.before[at])
    if known.kind == "array":
        return known.dtype is None or known.dtype.kind != "b"
    return known.kind in ("sequence", "unknown", "mixed") and not known.scalar


def bound_once(name: str, unit: Unit) -> n.expr | None:
    """What a name stands for that one statement binds."""
    if name in unit.scope.once:
        return unit.scope.once[name]
    found = [node for node in simple(unit.body) if name in bound_names(node)]
    return found[0].value if len(found) == 1 and isinstance(found[0], n.Assign) and isinstance(found[0].targets[0], n.Name) else None


def write_missing(unit: Unit) -> None:
    """Call what is written for a device in place of functions that its library lacks."""
    assert unit.derived is not None
    if unit.request.library == "numpy":
        return
    for node in simple([*unit.derived.body, *unit.derived.back]):
        for part in n.walk(node):
            if isinstance(part, n.Call):
                written_otherwise(part, unit, node)


def written_otherwise(node: n.Call, unit: Unit, statement: n.stmt) -> None:
    """Change a call of what the device's library lacks, or of a function of the user's whose text is for the computer's own arrays."""
    path, function = numpy_path(node.func, unit), unit.scope.resolve(node.func)
    if path in WRITTEN:
        node.func = called(WRITTEN[path], unit)
    elif path and in_library(path) is ABSENT and not path.startswith("random.") and host(path) is not MISSING \
            and all(is_of_host(part, unit) for part in (*node.args, *(keyword.value for keyword in node.keywords))):
        send(node, at_home(host(path), unit), unit)
    elif path in SEEDED and node.args and all(is_of_host(part, unit) for part in node.args):
        node.func = at_home(host(path), unit)
        unit.at_home.update(target_names(statement.targets[0]) if isinstance(statement, n.Assign) else ())
    elif isinstance(node.func, n.Attribute) and getattr(node.func.value, "id", "") in unit.at_home:
        send(node, node.func, unit)
    elif is_user_function(function):
        node.func, node.args = called(plain_call, unit), [node.func, *node.args]


SEEDED = ("random.default_rng", "random.RandomState")
"""What draws the same numbers again: NumPy's, whose draws are sent."""


def send(node: n.Call, function: n.expr, unit: Unit) -> None:
    """Call a function in the computer's memory, and send what it gives."""
    inner = place(n.Call(func=function, args=node.args, keywords=node.keywords), node)
    node.func, node.args, node.keywords = called(sent, unit), [inner], []


def at_home(function: Any, unit: Unit) -> n.Name:
    """The name of a function that computes in the computer's memory."""
    own = called(function, unit)
    unit.at_home.add(own.id)
    return own


def called(function: Any, unit: Unit) -> n.Name:
    """The name of a helper, as a function that is called."""
    return n.Name(id=unit.scope.imported(function.__name__, function), ctx=n.Load())


OF_NUMBERS = (n.Constant, n.UnaryOp, n.BinOp, n.Tuple, n.List)


def is_of_host(node: n.AST, unit: Unit) -> bool:
    """Whether an argument is a number or a word that the computer knows."""
    return all(
        unit.environment.get(part.id, UNKNOWN).kind in ("python", "static") if isinstance(part, n.Name) else isinstance(part, OF_NUMBERS)
        for part in n.walk(node) if isinstance(part, n.expr))
