"""Numbers to judge by: differences of the plain function, and comparisons that say what is wrong."""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

Path = tuple[Any, ...]


def copied(tree: Any) -> Any:
    """A deep copy of arguments; an array keeps its dtype, its memory order and whether it may be written.

    >>> copied({"w": [1.0, (2.0,)]})
    {'w': [1.0, (2.0,)]}
    """
    if isinstance(tree, np.ndarray):
        array = tree.copy(order="K")
        array.flags.writeable = tree.flags.writeable
        return array
    if isinstance(tree, dict):
        return {key: copied(part) for key, part in tree.items()}
    return type(tree)(copied(part) for part in tree) if isinstance(tree, (list, tuple)) else tree


def leaves(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every part that is no container, with the way to it."""
    if isinstance(tree, (dict, list, tuple)):
        parts = tree.items() if isinstance(tree, dict) else enumerate(tree)
        for key, part in parts:
            yield from leaves(part, (*path, key))
    else:
        yield path, tree


def replaced(tree: Any, path: Path, leaf: Any) -> Any:
    """The tree with another leaf at ``path``."""
    if not path:
        return leaf
    key, *rest = path
    if isinstance(tree, dict):
        return {**tree, key: replaced(tree[key], tuple(rest), leaf)}
    return type(tree)(replaced(part, tuple(rest), leaf) if i == key else part for i, part in enumerate(tree))


def floating(leaf: Any) -> bool:
    """Whether a leaf is of floats, real or complex."""
    return isinstance(leaf, (float, complex)) or (isinstance(leaf, (np.ndarray, np.generic)) and np.issubdtype(leaf.dtype, np.inexact))


def slope(f: Callable[[float], float], at: float, step: float = 2e-3) -> tuple[float, float]:
    """f'(at) and a bound of its error: central differences, extrapolated twice (Romberg).

    The truncation error is of order h⁶ with h = 2e-3 (``step``), the rounding error some eps·|f|/h ≈ 1e-12·|f|. The bound is the
    last correction: honest for smooth functions, and large at a kink.
    """
    h = step * max(1.0, abs(at))
    coarse, middle, fine = ((f(at + move) - f(at - move)) / (2 * move) for move in (h, h / 2, h / 4))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    best = (16 * second - first) / 15
    return best, abs(best - second)


def without_output(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, str]:
    """A call's result and what it printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        result = f(*args, **kwargs)
    return result, printed.getvalue()


class Reference(NamedTuple):
    """What one plain call does, and the derivative of its value with respect to every float that went in.

    ``slopes`` and ``errors`` hold an array for each path of a float leaf of ``(args, kwargs)``.
    """

    value: Any
    printed: str
    after: tuple[tuple[Any, ...], dict[str, Any]]
    slopes: dict[Path, Any]
    errors: dict[Path, Any]

    def scale(self, path: Path) -> float:
        return 1.0 + abs(float(self.value)) + float(np.max(np.abs(self.slopes[path]), initial=0.0))

    def smooth(self, path: Path) -> Any:
        """Where the differences can be trusted: the point does not sit beside a kink."""
        return self.errors[path] <= 1e-8 * self.scale(path)


def reference(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wrt: Any, step: float = 2e-3,
) -> Reference:
    """Run the plain function, and differentiate it numerically in float64 with respect to ``wrt``, with differences of ``step``."""
    after = copied((args, kwargs))
    value, printed = without_output(function, *after[0], **after[1])
    double = (args, kwargs)
    for path, leaf in leaves(double):
        if floating(leaf) and not isinstance(leaf, (float, complex)):
            wide = np.asarray(leaf, np.result_type(leaf, np.float64))
            double = replaced(double, path, wide if isinstance(leaf, np.ndarray) else wide.item())

    def at(path: Path, index: Any, turn: complex = 1.0) -> Callable[[float], float]:
        def f(number: float) -> float:
            """The function with one number in one place; of a complex number one part is moved, and ``turn`` says which."""
            point = copied(double)
            leaf = dict(leaves(point))[path]
            if np.iscomplexobj(leaf):
                whole = leaf if index is None else leaf[index]
                number = complex(number, whole.imag) if turn == 1 else complex(whole.real, number)  # type: ignore[assignment]
            if index is not None:
                leaf = leaf.copy()
                leaf[index] = number
            else:
                leaf = number
            point = replaced(point, path, leaf)
            return float(without_output(function, *point[0], **point[1])[0])

        return f

    slopes: dict[Path, Any] = {}
    errors: dict[Path, Any] = {}
    roots = [root for root, _ in wrt_paths(function, args, kwargs, wrt)]
    for path, leaf in leaves(double):
        if not floating(leaf) or not any(path[:len(root)] == root for root in roots):
            continue

        def along(index: Any, number: Any, path: Path = path) -> tuple[Any, float]:
            if not np.iscomplexobj(number):
                return slope(at(path, index), float(number), step)
            across, up = slope(at(path, index), float(number.real), step), slope(at(path, index, 1j), float(number.imag), step)
            return across[0] - 1j * up[0], max(across[1], up[1])

        if isinstance(leaf, np.ndarray):
            pairs = [along(index, leaf[index]) for index in np.ndindex(leaf.shape)]
            slopes[path] = np.array([pair[0] for pair in pairs]).reshape(leaf.shape)
            errors[path] = np.array([pair[1] for pair in pairs]).reshape(leaf.shape)
        else:
            slopes[path], errors[path] = map(np.asarray, along(None, leaf))
    return Reference(value, printed, after, slopes, errors)


def wrt_paths(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wrt: Any) -> list[tuple[Path, Any]]:
    """Where in ``(args, kwargs)`` each of the wanted arguments stands, and the argument."""
    names = list(inspect.signature(function).parameters)
    found: list[tuple[Path, Any]] = []
    for name in wrt if isinstance(wrt, tuple) else (wrt,):
        if name in kwargs:
            found.append(((1, name), kwargs[name]))
        else:
            position = name if isinstance(name, int) else names.index(name)
            found.append(((0, position), args[position]))
    return found


def differing_bits(got: Any, expected: Any) -> bool:
    """Whether two arguments differ in type, dtype, shape or any bit of their numbers."""
    if type(got) is not type(expected):
        return True
    if isinstance(expected, np.ndarray):
        return got.dtype != expected.dtype or got.shape != expected.shape or got.tobytes() != expected.tobytes()
    if isinstance(expected, (dict, list, tuple)):
        ours, theirs = list(leaves(got)), list(leaves(expected))
        return [path for path, _ in ours] != [path for path, _ in theirs] or any(
            differing_bits(a, b) for (_, a), (_, b) in zip(ours, theirs)
        )
    return bool(got != expected) and got == got


def wrong_gradient(
    gradient: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wrt: Any, truth: Reference,
) -> list[str]:
    """What is wrong with a gradient: its structure, types, shapes, ownership or numbers. Empty where nothing is."""
    wanted = wrt_paths(function, args, kwargs, wrt)
    if isinstance(wrt, tuple):
        if not isinstance(gradient, tuple) or len(gradient) != len(wrt):
            return [f"a tuple of {len(wrt)} gradients was asked for, got {gradient!r}"]
        found = list(zip(wanted, gradient))
    else:
        found = [(wanted[0], gradient)]
    wrong: list[str] = []
    arrays: list[tuple[str, Any]] = [("an argument", leaf) for _, leaf in leaves((args, kwargs)) if isinstance(leaf, np.ndarray)]
    single = any(getattr(leaf, "dtype", None) == np.float32 for _, leaf in leaves((args, kwargs)))
    for (root, argument), part in found:
        wrong += _wrong_part(part, argument, root, truth, arrays, single)
    return wrong


def _wrong_part(part: Any, argument: Any, path: Path, truth: Reference, arrays: list[tuple[str, Any]], single: bool) -> list[str]:
    where = "".join(f"[{key!r}]" for key in path[1:])
    if isinstance(argument, (dict, list, tuple)):
        if type(part) is not type(argument) or len(part) != len(argument):
            return [f"gradient{where}: {type(argument).__name__} of {len(argument)} expected, got {part!r}"]
        if isinstance(argument, dict) and list(part) != list(argument):
            return [f"gradient{where}: keys {list(argument)} expected, got {list(part)}"]
        keys = argument if isinstance(argument, dict) else range(len(argument))
        return [message for key in keys for message in _wrong_part(part[key], argument[key], (*path, key), truth, arrays, single)]
    wrong: list[str] = []
    if isinstance(argument, np.ndarray):
        if type(part) is not np.ndarray or part.dtype != argument.dtype or part.shape != argument.shape:
            got = f"{type(part).__name__} {getattr(part, 'dtype', '')}{np.shape(part)}: {part!r}"
            return [f"gradient{where}: ndarray {argument.dtype}{argument.shape} expected, got {got}"]
        if not part.flags.writeable:
            wrong.append(f"gradient{where}: is read-only")
        wrong += [f"gradient{where}: shares memory with {name}" for name, other in arrays if np.shares_memory(part, other)]
        arrays.append((f"gradient{where}", part))
    elif isinstance(argument, np.generic):
        if np.ndim(part) or np.asarray(part).dtype != argument.dtype:
            return [f"gradient{where}: a {type(argument).__name__} expected, got {part!r} of {type(part).__name__}"]
    elif not isinstance(part, type(argument) if isinstance(argument, complex) else float):
        return [f"gradient{where}: a float expected, got {part!r} of {type(part).__name__}"]
    if path not in truth.slopes:
        return wrong
    expected, scale = truth.slopes[path], truth.scale(path)
    # float32 anywhere: some hundred roundings of 1.2e-7; float64: the differences' own rounding and ten times their error bound
    allowed = 3e-5 * scale if single else 1e-10 * scale + 10 * truth.errors[path]
    off = np.abs(np.asarray(part, dtype=np.result_type(expected, np.float64)) - expected)
    bad = ~(off <= allowed) & truth.smooth(path)
    if np.any(bad):
        wrong.append(f"gradient{where}:\n  expected {_shown(expected)}\n  got      {_shown(part)}\n  wrong at {np.argwhere(bad).tolist()}")
    return wrong


def _shown(array: Any) -> str:
    return np.array2string(np.asarray(array), precision=12, max_line_width=130, prefix=" " * 11)
