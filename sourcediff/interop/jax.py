"""NumPy functions in JAX, and JAX's in NumPy: ``sourcediff.interop.jax``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jax.tree_util import tree_flatten, tree_leaves, tree_map, tree_unflatten

from ..api.gradients import value_and_grad
from .bridge import adjoint, fitted, of_complex, paths
from .foreign import Library, ruled


def function(f: Callable[..., Any], out: Any = None) -> Callable[..., Any]:
    """A NumPy function as a function of JAX, with a reverse derivative of any order: in ``jit``, ``grad``, ``vmap``, ``scan``.

    It runs on the host, one ``pure_callback`` a call; a function that returns one number computes its gradient in the same one. Arguments
    and results are pytrees of arrays; ``f`` gets arrays that cannot be written to, a NumPy number for an array without dimensions.
    ``out`` holds the shapes and dtypes of the result (``jax.ShapeDtypeStruct``); without it ``f`` is run once on ones for each
    kind of arguments. Dtypes are JAX's: float32 unless ``jax_enable_x64`` is set.

    Raises ComplexError; what :func:`sourcediff.vjp` raises comes as JAX's error of a callback, with its text. Forward mode (``jvp``,
    ``jacfwd``, ``hessian``) is refused by JAX for any function with a reverse rule of its own.
    """
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
            return tree_map(lambda shape, part: fitted(part, shape.shape, shape.dtype), shapes, f(*tree_map(array_of, args)))

        return jax.pure_callback(host, shapes, *args, vmap_method="sequential")

    def forward(*primals: Any) -> Any:
        args = tree_map(lambda primal: primal.value, primals)
        wrt = tuple([k for k, arg in enumerate(primals) if any(primal.perturbed and is_float(primal.value) for primal in tree_leaves(arg))])
        shapes = result(args)
        if getattr(shapes, "shape", None) != () or not wrt:
            return called(*args), (args, dict.fromkeys(wrt), None)
        value, adjoints = function(gradient(wrt), (shapes, tuple([tree_map(kind, args[k]) for k in wrt])))(*args)
        return value, (args, dict.fromkeys(wrt), adjoints)

    def backward(kept: Any, g: Any) -> Any:
        args, wrt, adjoints = kept[0], tuple(kept[1]), kept[2]
        if adjoints is None:
            given = tree_map(lambda part: None if isinstance(part, SymbolicZero) or not is_float(part) else part, g)
            if not tree_leaves(given):
                return (None,) * len(args)
            adjoints = function(pulled(paths(given), wrt), tuple([tree_map(kind, args[k]) for k in wrt]))(*tree_leaves(given), *args)
        else:
            adjoints = tree_map(lambda part: jnp.where(g == 0, 0, g * part), adjoints)
        found = dict(zip(wrt, adjoints))
        return tuple([found.get(k) for k in range(len(args))])

    called.defvjp(forward, backward, symbolic_zeros=True)
    return called


def rule(fn: Callable[..., Any], *, wrt: Sequence[str] | None = None, outputs: int = 1) -> Callable[..., Any]:
    """A function of JAX's as a function of NumPy's with a rule: arrays in, arrays out, compiled by ``jit``, two derivatives in both modes.

    It computes in the precision of its arguments, whatever ``jax_enable_x64`` says. ``wrt`` names the parameters that have a derivative
    (all, if left out), ``outputs`` says how many results there are. Raises RuleError for a function that does not say what it takes.
    """

    def on_arrays(fn: Callable[..., Any]) -> Callable[..., Any]:
        compiled = jax.jit(fn)

        def called(*args: Any) -> Any:
            with jax.enable_x64(True):
                return tree_map(lambda part: np.array(part)[()], compiled(*args))  # arrays of their own

        return called

    return ruled(fn, Library(jax.vjp, jax.jvp, on_arrays), wrt, outputs)


def result_on_ones(f: Callable[..., Any], form: Any, *kinds: Any) -> Any:
    """The shapes and dtypes of the result, by one run on ones."""
    ones = [np.broadcast_to(np.ones((), part.dtype), part.shape)[()] for part in kinds]  # which cannot be written to
    return tree_map(kind, f(*tree_unflatten(form, ones)))


def kind(x: Any) -> Any:
    """The shape and the dtype of an array or a number, in the precision that JAX is set to. Raises ComplexError."""
    dtype = jax.dtypes.canonicalize_dtype(jax.dtypes.result_type(x))
    if dtype.kind == "c":
        raise of_complex("JAX")
    return jax.ShapeDtypeStruct(np.shape(x), dtype)


def is_float(x: Any) -> bool:
    return bool(jnp.issubdtype(kind(x).dtype, jnp.floating))


def array_of(x: Any) -> Any:
    """JAX's array as NumPy's, which cannot be written to; as a number, if it has no dimensions."""
    array = np.asarray(x)
    return array if array.ndim else array[()]
