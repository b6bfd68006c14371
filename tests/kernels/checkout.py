"""The originals, where somebody has them: kernels of an NPBench checkout, test functions of a Tangent checkout, as they lie there.

``NPBENCH_CHECKOUT`` and ``TANGENT_CHECKOUT`` name the folders. Each kernel is called with small arguments, made by its own
initialisation or by the conventions of the file, and wrapped in a loss as our twins are.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.corpus.judge import copied

from .judge import folder

Subject = tuple[str, Callable[..., Any], Callable[[], dict[str, Any]]]
"""A name, the function as it lies there, and what makes its arguments."""

SMALL = 6
SIZES: Mapping[str, Mapping[str, Any]] = {
    "cavity_flow": {"ny": 5, "nx": 5, "nt": 2, "nit": 2},
    "channel_flow": {"ny": 5, "nx": 5, "nit": 2},
    "conv2d": {"C_in": 2, "C_out": 2, "H": 5, "K": 2, "N": 1, "W": 5},
    "lenet": {"N": 1, "H": 16, "W": 16},
    "mlp": {"C_in": 3, "N": 2, "S0": 4, "S1": 3, "S2": 2},
    "nbody": {"N": 3, "tEnd": 0.02, "dt": 0.01},
    "resnet": {"N": 2, "W": 4, "H": 4, "C1": 4, "C2": 2},
    "scattering_self_energies": {"Nkz": 1, "NE": 2, "Nqz": 1, "Nw": 1, "N3D": 2, "NA": 2, "NB": 1, "Norb": 2},
    "stockham_fft": {"R": 2, "K": 3},
}
"""Sizes of kernels for which a small number in every place is not enough."""


def npbench(checkout: str | Path, preset: str | None = None) -> Iterator[Subject]:
    """Every benchmark that has a description in ``bench_info`` and a version in NumPy; small, or of the sizes of a preset."""
    root = Path(checkout).resolve()
    for description in sorted((root / "bench_info").glob("*.json")):
        info = json.loads(description.read_text())["benchmark"]
        package = ".".join(("npbench.benchmarks", *info["relative_path"].split("/")))
        path = root.joinpath(*package.split("."), f"{info['module_name']}_numpy.py")
        if path.exists():
            function = getattr(_imported(f"{package}.{info['module_name']}_numpy", root), info["func_name"])
            yield description.stem, function, lambda info=info, package=package: _arguments(info, package, root, preset)


def _arguments(info: Mapping[str, Any], package: str, root: Path, preset: str | None) -> dict[str, Any]:
    """What the benchmark's own initialisation makes of its sizes."""
    values: dict[str, Any] = dict(info["parameters"][preset or "S"])
    if preset is None:
        values = {name: min(size, SMALL) if isinstance(size, int) else size for name, size in values.items()}
        values |= SIZES.get(info["module_name"], {})
    if info.get("init"):
        initialize = getattr(_imported(f"{package}.{info['module_name']}", root), info["init"]["func_name"])
        made = initialize(*(values[name] for name in info["init"]["input_args"]))
        names = info["init"]["output_args"]
        values.update(zip(names, made if len(names) > 1 else (made,)))
    return {name: copied(values[name]) for name in info["input_args"]}


def _imported(name: str, root: Path) -> ModuleType:
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return import_module(name)


_POINT = {"a": 1.3, "b": 0.7, "c": -0.4}
VALUES: Mapping[str, Any] = {
    **_POINT, "n": 3, "i": 1, "x": np.array([0.4, 1.2, -0.8]), "abc_packed_in_tuple": tuple(_POINT.values()), "val": dict(_POINT),
    "p": {"i": {"j": 1.5, "k": 0.6}}, "input": np.array([[0.4, 1.2, -0.8]]), "label": np.array([[1.0, 0.0, 1.0]]),
    "W": np.linspace(-0.5, 0.7, 9).reshape(3, 3), "U": np.linspace(0.8, -0.3, 9).reshape(3, 3), "h": np.array([0.1, -0.6, 0.3]),
    "inputs": np.linspace(-1.0, 1.0, 9).reshape(3, 3),
}
"""The arguments of Tangent's functions go by their names."""
OWN_VALUES: Mapping[str, Mapping[str, Any]] = {
    "listcomp": {"a": np.array([0.4, 1.2, -0.8])}, "bilinear": {"b": np.array([0.2, 0.1, -0.5])},
    "logistic_regression": {"b": np.array([0.2, 0.1, -0.5])}, "iterpower_with_nested_def": {"a": 0.9}, "serial_for": {"a": 0.9},
}


def tangent(checkout: str | Path) -> Iterator[Subject]:
    """Every function of ``tests/functions.py`` that needs nothing but NumPy."""
    text = (Path(checkout) / "tests" / "functions.py").read_text()
    module = _with_numpy_alone(text)
    for name, function in vars(module).items():
        if inspect.isfunction(function) and not name.startswith("_"):
            parameters = list(inspect.signature(function).parameters)
            values = {**VALUES, **OWN_VALUES.get(name, {})}
            if all(parameter in values for parameter in parameters):
                yield name, function, lambda values=values, parameters=parameters: copied({key: values[key] for key in parameters})


def _with_numpy_alone(text: str) -> ModuleType:
    """The functions of a file, word for word, without those that use Tangent or TensorFlow."""
    strange = {"tf", "tangent", "insert_grad_of"}
    parts = ["import numpy as np"]
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and not strange & {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}:
            parts.append(ast.get_source_segment(text, node) or "")
    path = folder() / "tangent_functions.py"
    path.write_text("\n\n\n".join(parts) + "\n")
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = sys.modules[path.stem] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


READERS: Mapping[str, Callable[[str | Path], Iterator[Subject]]] = {"npbench": npbench, "tangent": tangent}
