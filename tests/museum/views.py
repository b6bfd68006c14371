"""Two names for one memory."""

import numpy as np

from tests.corpus.case import array, definite

from .exhibit import exhibit, given


def smallest_of_each_row(x):
    """With a copy of each row the gradient was right, with a view of it the ones stood at other places."""
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        row = x[i, :]
        y[i] = np.min(row)
    return np.sum(y)


exhibit(smallest_of_each_row, "EnzymeAD/Enzyme.jl#356", array("3 5"))


def matrix_inside_a_long_vector(y):
    """A reshaped view of a part of a vector: entries of the gradient missing."""
    r = y[6:12].reshape(3, 2)
    total = 0.0
    for i in range(3):
        for j in range(2):
            total += (i + 1) * (j + 1) * r[i, j] ** 2
    return total


exhibit(matrix_inside_a_long_vector, "EnzymeAD/Enzyme.jl#979", array("20"))


def product_with_each_flattened_slice(matrices, x):
    """A loop over products with a view, flattened: all but one slice's gradient was dropped."""
    total = 0.0
    for i in range(2):
        total += np.sum((matrices[i] @ x[:, :, i].reshape(-1)) ** 2)
    return total


exhibit(product_with_each_flattened_slice, "EnzymeAD/Enzyme.jl#1856", array("2 2 4"), array("2 2 2"))


def part_of_a_row_doubled(root):
    """In-place on a view was forbidden, on a view of the view it went through."""
    x = root.copy()
    v1 = x[0]
    v2 = v1[:2]
    v2 *= 2
    return np.sum(v2) + np.sum(x**2)


exhibit(part_of_a_row_doubled, "pytorch/pytorch#36608 pytorch/pytorch#49824", array("3 3"))


def base_changed_under_its_views(x):
    """Views of views, and then the base changes: gradients depended on a line that adds zero."""
    z = x.copy()
    zz = z[2:]
    y = zz[1:]
    z[0] += 0.0
    z[3] *= 2.0
    return np.sum(y**2) + np.sum(zz)


exhibit(base_changed_under_its_views, "pytorch/pytorch#8874", array("4"))


def halves_changed_in_place(x):
    """Several views out of one call, changed in place: silently wrong, later forbidden."""
    z = x * 1.0
    u, v = np.split(z, 2)
    v *= u
    return np.sum(z**2)


exhibit(halves_changed_in_place, "pytorch/pytorch#31258 pytorch/pytorch#46820", array("6"))


def element_by_reference(i):
    """A reference to an element, bound anew in each trip: the adjoint went to one element alone, 1 for 5."""
    arr = np.zeros(5)
    for k in range(5):
        ref = arr[k:k + 1]
        ref[:] = i
    return np.sum(arr)


exhibit(element_by_reference, "vgvassilev/clad#440", given(3.0))


def matrix_times_its_transpose(x):
    """The transpose is another view of the same matrix: half of the gradient."""
    return np.sum(np.dot(x, x.T))


exhibit(matrix_times_its_transpose, "NervanaSystems/neon#169", array("2 3"))


def buffer_scaled_for_each_trip(us, cs):
    """A buffer that is refilled and scaled in each trip of a loop: what was copied into it got changed."""
    t = np.zeros((3, 3))
    res = 0.0
    for k in range(2):
        t[:] = cs
        t *= us[k]
        res += np.linalg.det(t)
    return res


exhibit(buffer_scaled_for_each_trip, "EnzymeAD/Enzyme.jl#2868", array("2 3"), definite("3"))


def clone_and_slice(x, b):
    """``index_add`` of two slices of one buffer, one after the other."""
    y = np.zeros(6)
    y[::2] += x
    y[1::2] += y[::2] * b
    return np.sum(y**3)


exhibit(clone_and_slice, "chrischute/flowplusplus#2", array("3"), array("3"))
