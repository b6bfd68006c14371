"""``python -m tests.standin.read_facts`` writes down what CuPy has, where it is installed; no GPU is needed.

Functions are noted with their parameters (``axis=`` is optional), ufuncs with their number of inputs and their types.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pathlib
import re
from typing import Any

PATH = pathlib.Path(__file__).with_name("facts.json")
MODULES = ("cupy", "cupy.linalg", "cupy.fft", "cupy.lib.stride_tricks", "cupyx.scipy.special", "cupyx.scipy.ndimage")
WITH_CUDA = ("cupyx.scipy.linalg", "cupyx.scipy.signal")
"""Modules that import where CUDA's own libraries are: their facts stay as they are elsewhere."""
KINDS = ("numpy", "constants", "functions", "ufuncs", "others")


def namesake(module: str) -> str:
    """NumPy's or SciPy's module: ``numpy.linalg`` of ``cupy.linalg``, ``scipy.special`` of ``cupyx.scipy.special``."""
    return module.removeprefix("cupyx.").replace("cupy", "numpy")


def parameters(function: Any) -> str | None:
    """``a, axis=, *, dtype=``; of a compiled method the docstring's first line tells."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        found = re.match(r"[\w.]+\((.*)\)(\s*->.*)?$", (function.__doc__ or "").partition("\n")[0])
        if found is None:
            return None
        written = [re.sub(r"^(\w+ )?(\*?\w+)", r"\2", part.strip()) for part in found[1].split(",")]
        return ", ".join(re.sub("=.*", "=", part) for part in written if part != "self")
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    words: list[str] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not any(re.match(r"\*(?!\*)", word) for word in words):
            words.append("*")
        if name != "self":
            words.append(marks.get(parameter.kind, "") + name + ("" if parameter.default is parameter.empty else "="))
    return ", ".join(words)


def of_module(module: Any, host: Any) -> dict[str, Any]:
    found: dict[str, Any] = {kind: {} for kind in KINDS} | {"numpy": [], "others": []}
    for name in sorted(vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value) or name == "annotations":
            continue
        if value is getattr(host, name, found) and value is not None:
            found["numpy"].append(name)
        elif isinstance(value, float):
            found["constants"][name] = repr(value)
        elif type(value).__name__ == "ufunc":
            found["ufuncs"][name] = f"{value.nin} {' '.join(value.types)}"
        elif type(value).__name__ == "_GUFunc":
            found["functions"][name] = parameters(type(value).__call__)
        elif callable(value) and not isinstance(value, type):
            found["functions"][name] = parameters(value) or "*args, **kwargs"
        else:
            found["others"].append(name)
    return found


def of_arrays(kind: type) -> dict[str, Any]:
    methods, attributes = {}, []
    for name in sorted(dir(kind)):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_"):
            if name not in dir(object) and not name.startswith(("_c_", "_f_", "_shape", "__pyx")) and name.startswith("__"):
                attributes.append(name)
        elif callable(value):
            methods[name] = parameters(getattr(kind, name)) or ""
        else:
            attributes.append(name)
    return {"methods": methods, "attributes": attributes}


def read() -> dict[str, Any]:
    import cupy
    import numpy

    modules = {name: of_module(importlib.import_module(name), importlib.import_module(namesake(name))) for name in MODULES}
    for name in WITH_CUDA:
        try:
            modules[name] = of_module(importlib.import_module(name), importlib.import_module(namesake(name)))
        except ImportError:
            modules[name] = json.loads(PATH.read_text())[name]
    return {"version": cupy.__version__, "numpy": numpy.__version__, "ndarray": of_arrays(cupy.ndarray), **modules}


if __name__ == "__main__":
    PATH.write_text(json.dumps(read(), indent=1) + "\n")
