"""A NumPy function in JAX: ``sourcediff.interop.jax.function(f)``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.tree_util import tree_flatten, tree_leaves, tree_map, tree_unflatten

from ..api.gradients import value_and_grad
from .adjoint import adjoint, paths


def function(f: Callable[..., Any], out: Any = None) -> Callable[..., Any]:
    on_ones = functools.cache(functools.partial(result_on_ones, f))
    gradient = functools.cache(functools.partial(value_and_grad, f))
    pulled = functools.cache(functools.partial(adjoint, f))

    def result(args: tuple[Any, ...]) -> Any:
        kinds, form = tree_flatten(tree_map(kind, args))
        return on_ones(form, *kinds) if out is None else out

    @jax.custom_vjp
    @functools.wraps(f)
    def called(*args: Any) -> Any:
        shapes = result(args)

        def host(*args: Any) -> Any:
            return tree_map(lambda shape, part: np.asarray(part, shape.dtype), shapes, f(*tree_map(array_of, args)))

        return jax.pure_callback(host, shapes, *args, vmap_method="sequential")

    def forward(*args: Any) -> Any:
        shapes, wrt = result(args), differentiable(args)
        if getattr(shapes, "shape", None) != () or not wrt:
            return called(*args), (args, None)
        value, adjoints = function(gradient(wrt), (shapes, tuple(tree_map(kind, args[k]) for k in wrt)))(*args)
        return value, (args, adjoints)

    def backward(kept: Any, g: Any) -> Any:
        args, adjoints = kept
        wrt = differentiable(args)
        if adjoints is None:
            g = tree_map(lambda part: part if is_float(part) else None, g)
            adjoints = function(pulled(paths(g), wrt), tuple(tree_map(kind, args[k]) for k in wrt))(*tree_leaves(g), *args)
        else:
            adjoints = tree_map(lambda part: g * part, adjoints)
        found = dict(zip(wrt, adjoints))
        return tuple([found.get(k) for k in range(len(args))])

    called.defvjp(forward, backward)
    return called


def result_on_ones(f: Callable[..., Any], form: Any, *kinds: Any) -> Any:
    """The shapes and dtypes of the result, of one run on ones."""
    return tree_map(kind, f(*tree_unflatten(form, [array_of(np.ones(part.shape, part.dtype)) for part in kinds])))


def kind(x: Any) -> Any:
    """The shape and the dtype of an array or a number, in the precision that JAX is set to."""
    return jax.ShapeDtypeStruct(np.shape(x), jax.dtypes.canonicalize_dtype(jax.dtypes.result_type(x)))


def is_float(x: Any) -> bool:
    return bool(np.issubdtype(kind(x).dtype, np.floating))


def differentiable(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The positions of the arguments that hold floats."""
    return tuple([k for k, arg in enumerate(args) if any(map(is_float, tree_leaves(arg)))])


def array_of(x: Any) -> Any:
    """NumPy's array; a number, if it has no dimensions."""
    array = np.asarray(x)
    return array if array.ndim else array[()]
