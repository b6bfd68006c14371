"""A kernel writes into its arguments, or returns arrays; a loss around it makes one number of all that it computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from tests.corpus.case import Case, Recipe
from tests.corpus.judge import copied, differing_bits, leaves, without_output


class NoDerivative(Exception):
    """The kernel takes no floating-point numbers, or gives none."""


_files = count()


def loss_around(function: Callable[..., Any], arguments: dict[str, Any], folder: Path, of: str = "np.sum(np.sin({}))") -> Case:
    """A function in a file of its own that calls the kernel and sums the sines of all floats that it has written or returned.

    A complex argument is given as its real and its imaginary part, so that everything that is differentiated is real.
    """
    after = copied(arguments)
    with np.errstate(all="ignore"):
        result, _ = without_output(function, **after)
    changed = [name for name in arguments if differing_bits(after[name], arguments[name])]
    text, parameters = _written(function, arguments, changed, result, after, of)
    path = folder / f"{function.__name__}_loss_{next(_files)}.py"
    path.write_text(text)
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    recipes = tuple(Recipe(lambda *_, value=value: copied(value), _holds_floats(value)) for value in parameters.values())
    wrt = tuple(position for position, recipe in enumerate(recipes) if recipe.differentiable)
    if not wrt:
        raise NoDerivative(f"{function.__name__} takes no floating-point numbers")
    return Case(module.loss, recipes, {}, wrt if len(wrt) > 1 else wrt[0])


def _written(
    function: Callable[..., Any], arguments: dict[str, Any], changed: list[str], result: Any, after: dict[str, Any], of: str,
) -> tuple[str, dict[str, Any]]:
    """The text of the loss, and its arguments."""
    parameters: dict[str, Any] = {}
    lines: list[str] = []
    for name, value in arguments.items():
        if np.iscomplexobj(value):
            parameters |= {f"{name}_real": np.real(value).copy(), f"{name}_imag": np.imag(value).copy()}
            lines.append(f"{name} = {name}_real + 1j * {name}_imag")
        else:
            parameters[name] = value
    call = f"{function.__name__}({', '.join(f'{name}={name}' for name in arguments)})"
    outputs = {f"out{i}": part for i, part in enumerate(result)} if isinstance(result, (tuple, list)) else {"out": result}
    if result is None:
        outputs = {}
        lines.append(call)
    else:
        lines.append(f"{', '.join(outputs)} = {call}")
    terms = [term for name, value in [*outputs.items(), *((name, after[name]) for name in changed)] for term in _terms(name, value, of)]
    if not terms:
        raise NoDerivative(f"{function.__name__} gives no floating-point numbers")
    lines.append("return " + " + ".join(terms))
    body = "\n".join(f"    {line}" for line in lines)
    return (
        f'"""A loss around {function.__module__}.{function.__name__}."""\n\nimport numpy as np\n\n'
        f"from {function.__module__} import {function.__name__}\n\n\ndef loss({', '.join(parameters)}):\n{body}\n"
    ), parameters


def _terms(name: str, value: Any, of: str) -> Iterator[str]:
    if np.iscomplexobj(value):
        yield of.format(f"np.real({name})")
        yield of.format(f"np.imag({name})")
    elif _is_float(value):
        yield of.format(name)


def _holds_floats(tree: Any) -> bool:
    return any(_is_float(leaf) for _, leaf in leaves(tree))


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, (np.ndarray, np.generic)) and np.issubdtype(value.dtype, np.inexact))
