"""Functions that move, copy and join entries. Their adjoints move them back and add up the copies."""

import numpy as np

from ..runtime import arrays as helpers
from ..runtime.arrays import (
    cast,
    inverse,
    join_like,
    numbers,
    put_back,
    repeated,
    scatter,
    shapes,
    split_like,
    sum_to,
    undiagonal,
    unsplit,
    untile,
)
from .frames import alias, constant, linear, named

# Shapes


@linear(np.reshape, only={"order": ("C", "F")})
def reshape(g, z, a, shape, order="C"):
    return np.reshape(g, np.shape(a)) if order == "C" else np.reshape(g, np.shape(a), order)


@linear(np.ravel, only={"order": ("C", "F")})
def ravel(g, z, a, order="C"):
    return np.reshape(g, np.shape(a)) if order == "C" else np.reshape(g, np.shape(a), order)


@linear(np.squeeze)
def squeeze(g, z, a, axis=None):
    return np.reshape(g, np.shape(a))


@linear(np.expand_dims)
def expand_dims(g, z, a, axis):
    return np.reshape(g, np.shape(a))


@linear(np.atleast_1d, np.atleast_2d, np.atleast_3d)
def atleast(g, z, a):
    return np.reshape(g, np.shape(a))


@linear(np.atleast_1d, ranks=(0,))
def atleast_of_number(g, z, a):
    return g[0]


@linear(np.atleast_1d, ranks=(1,))
def atleast_of_vector(g, z, a):
    return g


@linear(np.transpose)
def transpose(g, z, a, axes=None):
    return np.transpose(g) if axes is None else np.transpose(g, inverse(axes))


@linear(np.matrix_transpose)
def matrix_transpose(g, z, x):
    return np.matrix_transpose(g)


@linear(np.swapaxes)
def swapaxes(g, z, a, axis1, axis2):
    return np.swapaxes(g, axis1, axis2)


@linear(np.moveaxis)
def moveaxis(g, z, a, source, destination):
    return np.moveaxis(g, destination, source)


@linear(np.rollaxis)
def rollaxis(g, z, a, axis, start=0):
    return put_back(g, np.shape(a), np.rollaxis(numbers(np.shape(a)), axis, start))


# Order of entries


@linear(np.flip)
def flip(g, z, m, axis=None):
    return np.flip(g, axis)


@linear(np.fliplr)
def fliplr(g, z, m):
    return np.fliplr(g)


@linear(np.flipud)
def flipud(g, z, m):
    return np.flipud(g)


@linear(np.roll)
def roll(g, z, a, shift, axis=None):
    return np.roll(g, np.negative(shift, dtype=np.intp, casting="unsafe"), axis)


@linear(np.rot90, only={"k": tuple(range(-8, 9))})
def rot90(g, z, m, k=1, axes=(0, 1)):
    return np.rot90(g, -k, axes)


# Copies of entries


@linear(np.broadcast_to)
def broadcast_to(g, z, array, shape):
    return sum_to(g, np.shape(array))


@linear(np.tile)
def tile(g, z, A, reps):
    return untile(g, np.shape(A), reps)


@linear(np.repeat)
def repeat(g, z, a, repeats, axis=None):
    shape = (np.size(a),) if axis is None else np.shape(a)
    return np.reshape(scatter(g, shape, repeated(shape, repeats, axis)), np.shape(a))


@linear(np.resize)
def resize(g, z, a, new_shape):
    return put_back(g, np.shape(a), np.resize(numbers(np.shape(a)), new_shape))


@linear(np.pad, only={"mode": ("constant", "edge", "wrap", "reflect", "symmetric")}, refuses=("constant_values",))
def pad(g, z, array, pad_width, mode="constant", *, constant_values=0):
    return put_back(g, np.shape(array), np.pad(numbers(np.shape(array)) + 1, pad_width, mode) - 1)


@pad.pushforward
def pad_forward(z, darray, array, pad_width, mode="constant", *, constant_values=0):
    return np.pad(darray, pad_width, mode)


@linear(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(g, z, x, window_shape, axis=None):
    return put_back(g, np.shape(x), np.lib.stride_tricks.sliding_window_view(numbers(np.shape(x)), window_shape, axis))


# Parts of matrices


@linear(np.diag, selects=True)
def diag(g, z, v, k=0):
    return np.diag(g, k) if np.ndim(v) == 1 else undiagonal(g, np.shape(v), k)


@linear(np.diagonal, selects=True)
def diagonal(g, z, a, offset=0, axis1=0, axis2=1):
    return undiagonal(g, np.shape(a), offset, axis1, axis2)


@linear(np.diagflat, selects=True)
def diagflat(g, z, v, k=0):
    return np.reshape(np.diagonal(g, k), np.shape(v))


@linear(np.trace, selects=True)
def trace(g, z, a, offset=0, axis1=0, axis2=1):
    return undiagonal(np.expand_dims(g, -1), np.shape(a), offset, axis1, axis2)


@linear(np.tril, selects=True)
def tril(g, z, m, k=0):
    return sum_to(np.tril(g, k), np.shape(m))  # of a vector it makes a matrix


@linear(np.tril, selects=True, ranks=(2,))
def tril_of_matrix(g, z, m, k=0):
    return np.tril(g, k)


@linear(np.triu, selects=True)
def triu(g, z, m, k=0):
    return sum_to(np.triu(g, k), np.shape(m))


@linear(np.triu, selects=True, ranks=(2,))
def triu_of_matrix(g, z, m, k=0):
    return np.triu(g, k)


# Joining: the contribution to the sequence is the list of the parts


@linear(np.concatenate, sequence=True)
def concatenate(g, z, arrays, axis=0):
    return split_like(g, shapes(arrays), axis)


@linear(np.stack, sequence=True)
def stack(g, z, arrays, axis=0):
    return split_like(g, shapes(arrays), axis)


@linear(np.vstack, *named(np, "row_stack"), sequence=True)
def vstack(g, z, tup):
    return split_like(g, shapes(tup), 0)


@linear(np.hstack, sequence=True)
def hstack(g, z, tup):
    return split_like(g, shapes(tup), 0 if np.ndim(z) == 1 else 1)


@linear(np.dstack, sequence=True)
def dstack(g, z, tup):
    return split_like(g, shapes(tup), 2)


@linear(np.column_stack, sequence=True)
def column_stack(g, z, tup):
    return split_like(g, shapes(tup), 1)


@linear(np.append)
def append(g, z, arr, values, axis=None):
    parts = split_like(g, (np.shape(arr), np.shape(values)), axis)
    return parts[0], parts[1]


@linear(np.insert)
def insert(g, z, arr, obj, values, axis=None):
    arr_bar = put_back(g, np.shape(arr), np.insert(numbers(np.shape(arr)), obj, np.full(np.shape(values), -1), axis))
    places = np.insert(np.full(np.shape(arr), -1), obj, numbers(np.shape(values)), axis)
    kept = np.issubdtype(z.dtype, np.inexact)  # an array of integers takes the values as integers
    return arr_bar, None, put_back(g * kept, np.shape(values), places)


@insert.pushforward
def insert_forward(z, darr, dvalues, arr, obj, values, axis=None):
    kept = np.issubdtype(z.dtype, np.inexact)
    moved = np.insert(np.zeros(np.shape(arr), z.dtype), obj, dvalues, axis)
    return np.insert(darr, obj, np.zeros_like(values), axis) + moved * kept


# Splitting: the adjoints of the parts come as a list


@linear(np.split, np.array_split, outputs=0)
def split(g, z, ary, indices_or_sections, axis=0):
    return unsplit(g, np.shape(ary), indices_or_sections, axis)


@linear(np.vsplit, outputs=0)
def vsplit(g, z, ary, indices_or_sections):
    return unsplit(g, np.shape(ary), indices_or_sections, 0)


@linear(np.hsplit, outputs=0)
def hsplit(g, z, ary, indices_or_sections):
    return unsplit(g, np.shape(ary), indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


@linear(np.dsplit, outputs=0)
def dsplit(g, z, ary, indices_or_sections):
    return unsplit(g, np.shape(ary), indices_or_sections, 2)


@linear(*named(np, "unstack"), outputs=0)
def unstack(g, z, x, *, axis=0):
    return join_like(g, np.shape(x), axis)


# Copies and conversions


@linear(np.copy)
def copy(g, z, a):
    return g


@linear(np.ascontiguousarray)
def ascontiguousarray(g, z, a):
    return np.reshape(g, np.shape(a))


@linear(np.asarray)
def asarray(g, z, a, dtype=None):
    return g if dtype is None else cast(g, z.dtype, z.dtype)


@asarray.pushforward
def asarray_forward(z, da, a, dtype=None):
    return cast(da, z.dtype, z.dtype)


@linear(np.array)
def array(g, z, object, dtype=None, *, copy=True):
    return g if dtype is None else cast(g, z.dtype, z.dtype)


@array.pushforward
def array_forward(z, dobject, object, dtype=None, *, copy=True):
    return cast(dobject, z.dtype, z.dtype)


@linear(helpers.astype)
def astype(g, z, x, dtype, *, copy=True):
    return cast(g, z.dtype, x.dtype)


@astype.of_complex
def astype_of_complex(g, z, x, dtype, *, copy=True):
    return cast(g, z.dtype, z.dtype)  # a real argument gets the real part


@astype.pushforward
def astype_forward(z, dx, x, dtype, *, copy=True):
    return cast(dx, z.dtype, z.dtype)


for _function in named(np, "astype"):
    alias(_function, helpers.astype)
constant(np.shape, np.ndim, np.size, len, np.result_type, np.isscalar, np.shares_memory, np.may_share_memory, isinstance)
