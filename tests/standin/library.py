"""The modules ``cupy``, ``cupy.linalg``, ``cupy.fft`` … made from the facts: each function calls NumPy's of the same name."""

from __future__ import annotations

import importlib
import importlib.machinery
import inspect
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .arrays import DTYPES, FACTS, array, ndarray, operand, over, supported, ufunc
from .read_facts import namesake
from .transfers import note

PLAIN = frozenset(
    "shape ndim size result_type can_cast isscalar iscomplexobj isrealobj isfortran may_share_memory shares_memory common_type "
    "min_scalar_type array_repr array_str array2string".split()
)
"""Functions whose results are Python's objects."""
WAITS = frozenset(
    "nonzero flatnonzero argwhere unique unique_all unique_counts unique_inverse unique_values bincount histogram extract compress place "
    "trim_zeros delete intersect1d union1d setdiff1d setxor1d average percentile quantile digitize ravel_multi_index "
    "array_repr array_str array2string".split()
)
"""Functions that ask for values; ``repeat`` by an array too."""
HOST = {
    "take": ["indices"],
    "repeat": ["repeats"],
    "compress": ["condition"],
    "tile": ["reps"],
    "pad": ["pad_width"],
    "put": ["ind", "v"],
    "split": ["indices_or_sections"],
    "array_split": ["indices_or_sections"],
    "linspace": [],
    "full": ["fill_value"],
}
"""Parameters that take arrays of the host."""
ARRAYS = frozenset("a b x y z m v p A val arr ary array tup x1 x2 ar1 ar2 arr1 arr2 a1 a2 ar prototype condition filt element M".split())
"""Names of parameters for which CuPy wants an array of its own, not a number or a list."""
EXCEPT = {
    "where": "x y",
    "full_like": "",
    "isscalar": "element",
    "shape": "a",
    "ndim": "a",
    "bartlett": "M",
    "blackman": "M",
    "hamming": "M",
    "hanning": "M",
    "kaiser": "M",
    "append": "arr",
    "eye": "M",
    "tri": "M",
    "iscomplexobj": "x",
    "isrealobj": "x",
    "min_scalar_type": "a",
    "isclose": "b",
    "allclose": "b",
    "compress": "condition",
    "real": "val",
    "imag": "val",
}
OLDER = {
    "alltrue": "all",
    "sometrue": "any",
    "product": "prod",
    "cumproduct": "cumprod",
    "round_": "round",
    "row_stack": "vstack",
    "in1d": "isin",
    "trapz": "trapezoid",
    "msort": "sort",
}


def signature(parameters: str) -> inspect.Signature:
    kinds = inspect.Parameter
    kind, made = kinds.POSITIONAL_OR_KEYWORD, []
    for word in parameters.split(", ") if parameters else []:
        if word == "*":
            kind = kinds.KEYWORD_ONLY
        elif word.startswith("**"):
            made.append(kinds(word[2:], kinds.VAR_KEYWORD))
        elif word.startswith("*"):
            made.append(kinds(word[1:], kinds.VAR_POSITIONAL))
            kind = kinds.KEYWORD_ONLY
        else:
            made.append(kinds(word.rstrip("="), kind, default=None if word.endswith("=") else kinds.empty))
    return inspect.Signature(made)


def held(value: Any, host: bool = False) -> Any:
    """What NumPy computes with; raises TypeError for an array of the host, as CuPy does."""
    if isinstance(value, ndarray):
        return value._held
    if isinstance(value, (list, tuple)):
        return type(value)(held(part, host) for part in value)
    if isinstance(value, np.ndarray) and not host or hasattr(value, "__array_ufunc__") and not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(f"Unsupported type {type(value)}")
    if callable(value) and not isinstance(value, type):
        return lambda *args, **kwargs: held(value(*(on_device(arg, []) for arg in args), **kwargs))
    return value


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def on_device(value: Any, inputs: list[Any]) -> Any:
    """A result: arrays and NumPy's numbers become the device's, views of the input that they share memory with."""
    if isinstance(value, (tuple, list)):
        parts = [on_device(part, inputs) for part in value]
        return type(value)(*parts) if type(value).__name__.startswith("Unique") else parts if isinstance(value, list) else tuple(parts)
    if not isinstance(value, (np.ndarray, np.generic, bool, int, float, complex)):
        return value
    for part in inputs:
        if isinstance(part, ndarray) and isinstance(value, np.ndarray) and np.may_share_memory(value, part._held):
            return part if value is part._held else over(value, part)
    return over(value.copy() if isinstance(value, np.ndarray) and value.base is not None else value)


def checked(name: str, arguments: dict[str, Any]) -> None:
    for parameter, value in arguments.items():
        if parameter == "tup":
            for part in value:
                if not isinstance(part, ndarray):
                    raise TypeError(f"cupy.{name} joins arrays of the device, no {type(part).__name__}")
        if parameter in ("dtype", "newdtype") and value is not None:
            supported(value)
        if parameter in ARRAYS and parameter not in EXCEPT.get(name, "").split() and not isinstance(value, ndarray):
            if not (isinstance(value, (list, tuple)) and any(isinstance(leaf, ndarray) for leaf in leaves(value))) and value is not None:
                raise TypeError(f"Unsupported type {type(value)} for {parameter!r} of cupy.{name}")


def function(name: str, parameters: str, numpy_function: Any, method: bool = False) -> Callable[..., Any]:
    taken = signature(parameters)
    if not callable(numpy_function):  # NumPy before 2.3 has attributes that raise

        def absent(*args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError(f"the stand-in does not compute cupy.{name}")

        return dressed(absent, name, taken)
    try:
        theirs: Any = inspect.signature(numpy_function).parameters
    except ValueError:
        theirs = None

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = taken.bind(*args[method:], **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        checked(name, bound.arguments)
        for parameter in HOST.get(name, ()):
            if isinstance(bound.arguments.get(parameter), np.ndarray):
                note("send", name)
        if name in WAITS or name == "repeat" and isinstance(bound.arguments["repeats"], ndarray):
            note("wait", name)
        out = bound.arguments.pop("out", None)
        values = {key: held(value, key in HOST.get(name, ())) for key, value in bound.arguments.items()}
        positional, keywords = arranged(values, taken, theirs)
        if name in ("take", "put"):
            keywords.setdefault("mode", "wrap")
        with np.errstate(all="ignore"):
            found = unasked(getattr(args[0]._held, name) if method else numpy_function, positional, keywords)
        if out is not None:
            np.copyto(out._held, found, casting="same_kind")
            return out
        if name in PLAIN:
            return found
        inputs = [leaf for value in (*args, *kwargs.values()) for leaf in leaves(value)]
        return on_device(found, inputs)

    return dressed(called, name, taken)


def unasked(compute: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result; of a singular matrix NaN, since CuPy does not look whether the solver has failed."""
    try:
        return compute(*args, **kwargs)
    except np.linalg.LinAlgError as error:
        if not any(word in str(error) for word in ("Singular", "positive definite", "converge")):
            raise
    found = compute(np.broadcast_to(np.eye(args[0].shape[-1]), args[0].shape), *args[1:], **kwargs)
    return found * np.nan if isinstance(found, np.ndarray) else tuple(part * np.nan for part in found)


def arranged(values: dict[str, Any], taken: inspect.Signature, theirs: Any) -> tuple[list[Any], dict[str, Any]]:
    """By position where CuPy and NumPy agree on the parameter's place, else by name; what is not NumPy's and says nothing is left out."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for i, (name, parameter) in enumerate(taken.parameters.items()):
        if name not in values:
            continue
        agreed = theirs is None or parameter.default is parameter.empty
        agreed = agreed or list(theirs)[i : i + 1] == [name] and theirs[name].kind is not parameter.KEYWORD_ONLY
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += values[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            keywords |= values[name]
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD and len(positional) == i and agreed:
            positional.append(values[name])
        elif theirs is None or name in theirs or any(each.kind is each.VAR_KEYWORD for each in theirs.values()):
            keywords[name] = values[name]
    return positional, keywords


def dressed(called: Callable[..., Any], name: str, taken: inspect.Signature) -> Callable[..., Any]:
    called.__name__ = called.__qualname__ = name
    called.__module__ = "cupy"
    called.__signature__ = taken
    called.__doc__ = f"{name}{taken}"
    return called


class Concatenator:
    """``r_``, ``c_``, ``mgrid``, ``ogrid``."""

    def __init__(self, name: str):
        self._of = getattr(np, name)

    def __getitem__(self, key: Any) -> Any:
        return on_device(self._of[held(key)], [])


# What CuPy does otherwise than NumPy


def asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, blocking: bool = False) -> Any:
    return array(a, dtype, False if copy is None else copy, order)


def asnumpy(a: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True) -> Any:
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        note("wait", "where")
        return tuple(map(over, np.nonzero(condition._held)))
    return WHERE(condition.astype(bool), x, y)


WHERE = ufunc("where", "3 " + " ".join(f"?{char}{char}->{char}" for char in DTYPES), np.where)


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = None) -> None:
    if where is None:
        dst[...] = src
    else:
        np.copyto(dst._held, operand(src), casting=casting, where=operand(where))


def shape(a: Any) -> Any:
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def may_share_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    return isinstance(a, ndarray) and isinstance(b, ndarray) and np.may_share_memory(a._held, b._held)


def clip(a: Any, a_min: Any, a_max: Any, out: Any = None) -> Any:
    if not isinstance(a, ndarray):
        raise TypeError(f"cupy.clip takes no {type(a).__name__} for 'a'")
    found = np.clip(a._held, held(a_min), held(a_max))
    if out is None:
        return over(found)
    np.copyto(out._held, found)
    return out


OWN = {f.__name__: f for f in (array, asarray, asnumpy, where, shape, may_share_memory, clip, copyto)} | {"asanyarray": asarray}


def module(name: str, facts: dict[str, Any], host: Any) -> ModuleType:
    made = ModuleType(name)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    made.__path__ = []
    values: dict[str, Any] = {each: getattr(host, each) for each in facts["numpy"]}
    values |= {each: float(value) for each, value in facts["constants"].items()}
    values |= {each: getattr(np, each, None) or getattr(np.exceptions, each, None) for each in facts["others"]}
    values |= {each: ufunc(each, kinds, getattr(host, each, None)) for each, kinds in facts["ufuncs"].items()}
    for each, parameters in facts["functions"].items():
        values[each] = function(each, parameters, getattr(host, OLDER.get(each, each), None))
        if name == "cupy" and each in OWN:
            values[each] = dressed(OWN[each], each, signature(parameters))
    vars(made).update(values)
    return made


def library() -> dict[str, ModuleType]:
    """The modules by their names in ``sys.modules``."""
    made = {name: module(name, FACTS[name], importlib.import_module(namesake(name))) for name in FACTS if name.startswith("cupy")}
    for name in ("cupy.random", "cupy.lib", "cupy.cuda", "cupy.cuda.runtime", "cupyx", "cupyx.scipy"):
        made[name] = module(name, {"numpy": [], "constants": {}, "others": [], "ufuncs": {}, "functions": {}}, None)
    vars(made["cupy.random"]).update(
        {
            name: function(name, "*args, **kwargs", getattr(np.random, name))
            for name in ("seed rand randn random normal uniform standard_normal randint permutation choice".split())
        }
    )
    made["cupy.cuda.runtime"].CUDARuntimeError = type("CUDARuntimeError", (RuntimeError,), {"__module__": "cupy_backends.cuda.api.runtime"})
    made["cupyx"].scatter_add = lambda a, slices, value: made["cupy"].add.at(a, slices, value)
    vars(made["cupy"]).update(
        ndarray=ndarray,
        ufunc=ufunc,
        newaxis=None,
        __version__=FACTS["version"],
        get_array_module=get_array_module,
        **{name: Concatenator(name) for name in ("r_", "c_", "mgrid", "ogrid")},
    )
    for name in sorted(made):
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(made[parent], last, made[name])
    return made


def get_array_module(*args: Any) -> Any:
    return sys.modules["cupy"] if any(isinstance(arg, ndarray) for arg in args) else np


for _name, _parameters in FACTS["ndarray"]["methods"].items():
    if _name not in vars(ndarray):
        setattr(ndarray, _name, function(_name, _parameters, getattr(np.ndarray, _name, None), method=True))
