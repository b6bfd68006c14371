"""Labels in, labels out: NumPy functions and their derivatives for arrays of xarray's, ``sourcediff.interop.xarray``.

The functions are NumPy's: they get the arrays without labels, of a Dataset a dict of arrays. A derivative has the labels of what it is by:

>>> def roughness(u):
...     return np.sum(np.diff(u) ** 2)
>>> u = xarray.DataArray([1.0, 3.0, 2.0], dims="x", coords={"x": [10, 20, 30]}, name="u")
>>> grad(roughness)(u)
<xarray.DataArray 'u' (x: 3)> Size: 24B
array([-4.,  6., -2.])
Coordinates:
  * x        (x) int64 24B 10 20 30

Arguments that share a dimension have the same coordinates there, or xarray's error is raised: nothing is aligned, and nothing is mixed up.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray

from .. import api

LABELLED = (xarray.DataArray, xarray.Dataset)
Dims = Mapping[str, Sequence[str]]


def function(f: Callable[..., Any], out: Sequence[str] = (), dims: Dims | None = None) -> Callable[..., Any]:
    """A NumPy function as one of labelled arrays. ``out`` names the dimensions of its result, none for a number.

    ``dims`` says in which order a parameter's dimensions are to come, by its name: such an argument is transposed. Where the result has a
    dimension of an argument, it has its coordinates. Raises ValueError where ``out`` does not fit the result, where the coordinates of
    arguments differ, and for a dimension that an argument does not have.

    >>> u = xarray.DataArray([1.0, 2.0, 4.0], dims="x", coords={"x": [10, 20, 30]})
    >>> function(np.cumsum, out=["x"])(u).sel(x=30).item()
    7.0
    """

    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        given, _ = arranged(f, args, kwargs, dims)
        return labelled_by(f(*plain(given.args), **plain(given.kwargs)), out, given)

    return called


def grad(f: Callable[..., Any], wrt: Any = 0, *, dims: Dims | None = None, **options: Any) -> Callable[..., Any]:
    """The gradient of a NumPy function that returns a number, for labelled arguments: in the dimensions and with the coordinates of the
    argument, a Dataset of a Dataset. ``wrt`` and the options are those of :func:`sourcediff.grad`, ``dims`` those of :func:`function`.
    """
    return _of(f, api.gradients.grad(f, wrt, **options), wrt, dims, lambda found, of, given: like(found, of))


def value_and_grad(f: Callable[..., Any], wrt: Any = 0, *, dims: Dims | None = None, **options: Any) -> Callable[..., Any]:
    """The value, a number, and the gradient, as :func:`grad` gives it."""
    made = api.gradients.value_and_grad(f, wrt, **options)
    return _of(f, made, wrt, dims, lambda found, of, given: (found[0], like(found[1], of)))


def jacobian(
    f: Callable[..., Any], wrt: Any = 0, out: Sequence[str] = (), *, dims: Dims | None = None, **options: Any,
) -> Callable[..., Any]:
    """The Jacobian of a NumPy function by one of its arguments: the dimensions ``out`` of its result, then those of the argument.

    A dimension of the argument that the result has, too, has the ending ``_wrt``. Of a Dataset it is a Dataset.

    >>> u = xarray.DataArray([1.0, 2.0], dims="x", coords={"x": [10, 20]})
    >>> jacobian(lambda u: u ** 2, out=["x"])(u).sel(x=20, x_wrt=20).item()
    4.0
    """

    def labelled(found: Any, of: Any, given: inspect.BoundArguments) -> Any:
        if isinstance(of, xarray.Dataset):
            return xarray.Dataset({name: labelled(part, of[name], given) for name, part in found.items()})
        if not isinstance(of, xarray.DataArray):
            return found
        own = of.rename({dim: f"{dim}_wrt" for dim in of.dims if dim in out})
        whole = labelled_by(found, (*out, *map(str, own.dims)), given, own)
        return whole.rename(of.name)

    return _of(f, api.transforms.jacobian(f, wrt, **options), wrt, dims, labelled)


def _of(f: Any, made: Any, wrt: Any, dims: Dims | None, labelled: Callable[[Any, Any, inspect.BoundArguments], Any]) -> Callable[..., Any]:
    """A derivative of labelled arguments, of one of plain ones; ``labelled`` says what becomes of what it gives."""

    @functools.wraps(made)
    def called(*args: Any, **kwargs: Any) -> Any:
        given, own = arranged(f, args, kwargs, dims)
        names = list(given.signature.parameters)
        several = isinstance(wrt, (tuple, list))
        parts = [given.arguments.get(part if isinstance(part, str) else names[part]) for part in (wrt if several else (wrt,))]
        found = made(*plain(given.args), **plain(given.kwargs))
        return own(labelled(found, tuple(parts) if several else parts[0], given))

    return called


def arranged(f: Any, args: Any, kwargs: Any, dims: Dims | None) -> tuple[inspect.BoundArguments, Callable[[Any], Any]]:
    """The arguments of a call, with their dimensions in the order that is asked for, and what brings back the order of a derivative."""
    given = inspect.signature(f).bind(*args, **kwargs)
    orders: dict[frozenset[Any], tuple[Any, ...]] = {}
    for name, order in (dims or {}).items():
        if isinstance(value := given.arguments.get(name), LABELLED):
            if isinstance(value, xarray.DataArray):
                orders[frozenset(value.dims)] = value.dims
            given.arguments[name] = value.transpose(*order)
    xarray.align(*leaves([*given.args, *given.kwargs.values()]), join="exact", copy=False)

    def own(found: Any) -> Any:
        if isinstance(found, tuple):
            return tuple(map(own, found))
        order = orders.get(frozenset(found.dims)) if isinstance(found, xarray.DataArray) else None
        return found if order is None else found.transpose(*order)

    return given, own


def leaves(value: Any) -> list[Any]:
    """The labelled arrays of a structure."""
    if isinstance(value, LABELLED):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [leaf for part in inside for leaf in leaves(part)]


def plain(value: Any) -> Any:
    """A structure without labels."""
    if isinstance(value, xarray.DataArray):
        return value.values
    if isinstance(value, (xarray.Dataset, dict)):
        return {name: plain(part) for name, part in (value.data_vars if isinstance(value, xarray.Dataset) else value).items()}
    if isinstance(value, (list, tuple)):
        parts = map(plain, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def like(found: Any, of: Any) -> Any:
    """What has the structure of something labelled, with its labels."""
    if isinstance(of, xarray.DataArray):
        return xarray.DataArray(found, of.coords, of.dims, of.name)
    if isinstance(of, xarray.Dataset):
        return xarray.Dataset({name: like(part, of[name]) for name, part in found.items()}, of.coords)
    if isinstance(of, dict):
        return {name: like(part, of[name]) for name, part in found.items()}
    if isinstance(of, (list, tuple)):
        parts = map(like, found, of)
        return type(of)(*parts) if hasattr(of, "_fields") else type(of)(parts)
    return found


def labelled_by(found: Any, out: Sequence[str], given: inspect.BoundArguments, *more: Any) -> Any:
    """A result with dimensions of these names, and the coordinates that arguments have there."""
    if not out and not np.ndim(found):
        return found
    if np.ndim(found) != len(out):
        raise ValueError(f"the result has the shape {np.shape(found)}, and out names {', '.join(out) or 'no dimensions'}")
    lengths: dict[Any, int] = dict(zip(out, np.shape(found)))
    coords: dict[Any, Any] = {}
    for leaf in (*leaves([*given.args, *given.kwargs.values()]), *more):
        for dim, size in leaf.sizes.items():
            if lengths.get(dim, size) != size:
                raise ValueError(f"the result has the length {lengths[dim]} along {dim}, and an argument has {size}")
        for name, coordinate in leaf.coords.items():
            if coordinate.dims and lengths.keys() >= set(coordinate.dims):
                coords.setdefault(name, coordinate)
    return xarray.DataArray(found, coords, out)
