"""Views that may be copies, as NumPy decides, and names for one array or another: right, and none of them refused."""

import numpy as np

from .case import array, case


def reshaped_and_stored_into(a):
    b = a * 1.0
    f = b.reshape(-1)
    f[1] = f[0] * f[2]
    return np.sum(b ** 2)


case(reshaped_and_stored_into, array("3 4"))


def flattened_and_stored_into(a):
    b = a * 1.0
    f = b.ravel()
    f[1:] *= f[:-1]
    return np.sum(b ** 2) + np.sum(f ** 3)


case(flattened_and_stored_into, array("3 4"))


def flattened_transpose(a):
    b = a * 1.0
    f = b.T.ravel()
    f[1] = f[0] * f[2]
    return np.sum(b ** 2) + np.sum(f ** 3)


case(flattened_transpose, array("3 4"))


def argument_flattened(a):
    f = a.reshape(-1)
    f[0] = a[1, 1] ** 2
    return np.sum(a ** 2)


case(argument_flattened, array("3 4"))


def result_filled_through_its_flat_view(a):
    out = np.zeros(a.shape)
    flat = out.ravel()
    x = a.ravel()
    for i in range(a.size):
        flat[i] = x[i] ** 2 + (flat[i - 1] if i else 0.0)
    return np.sum(out[1] * out[0])


case(result_filled_through_its_flat_view, array("3 4"))


def axes_swapped(a):
    b = np.stack([a, 2 * a])
    s = np.swapaxes(b, 0, 2)
    s[0] *= s[1]
    return np.sum(b ** 2)


case(axes_swapped, array("3 4"))


def axis_moved(a):
    b = np.stack([a, 2 * a])
    s = np.moveaxis(b, 0, -1)
    s[0, 0] = a[0, :2]
    return np.sum(b ** 2)


case(axis_moved, array("3 4"))


def axes_transposed(a):
    b = np.stack([a, 2 * a])
    s = b.transpose(1, 0, 2)
    s[0, 1] = a[1] ** 2
    s += 1
    return np.sum(b ** 2)


case(axes_transposed, array("3 4"))


def squeezed(a):
    b = (a * 1.0)[:, None, :]
    s = b.squeeze()
    s[0] = s[1] * s[2]
    return np.sum(b ** 2)


case(squeezed, array("3 4"))


def squeezed_along_an_axis(a):
    b = (a * 1.0)[None]
    s = np.squeeze(b, axis=0)
    s[0] = s[1] * s[2]
    return np.sum(b ** 2)


case(squeezed_along_an_axis, array("3 4"))


def expanded(a):
    b = a * 1.0
    s = np.expand_dims(b, 1)
    s[0] = s[1] * s[2]
    return np.sum(b ** 2)


case(expanded, array("3 4"))


def halves_of_a_split(a):
    b = a * 1.0
    l, r = np.split(b, 2, axis=1)
    l *= r
    return np.sum(b ** 2)


case(halves_of_a_split, array("3 4"))


def halves_side_by_side(a):
    b = a * 1.0
    l, r = np.hsplit(b, 2)
    l += r ** 2
    return np.sum(b ** 2)


case(halves_side_by_side, array("3 4"))


def uneven_parts(a):
    b = a * 1.0
    parts = np.array_split(b, 2)
    parts[0][0] = parts[1][0] ** 2
    return np.sum(b ** 2)


case(uneven_parts, array("3 4"))


def parts_at_places(a):
    b = a.ravel() * 1.0
    x, y, z = np.split(b, [2, 5])
    x[:] = y[:2] * z[:2]
    return np.sum(b ** 2)


case(parts_at_places, array("3 4"))


def made_a_matrix(a):
    b = a[0] * 1.0
    m = np.atleast_2d(b)
    m[0, 1] = m[0, 0] ** 2
    return np.sum(b ** 2)


case(made_a_matrix, array("3 4"))


def diagonal_read_after_a_store(a):
    b = a[:3, :3] * 1.0
    d = np.diagonal(b)
    b[0, 0] = 5 * a[1, 1]
    return np.sum(d ** 2)


case(diagonal_read_after_a_store, array("3 4"))


def real_part_stored_into(a):
    z = a + 1j * a ** 2
    r = z.real
    r[0] *= 2
    return np.sum(np.abs(z) ** 2)


case(real_part_stored_into, array("3 4"))


def imaginary_part_stored_into(a):
    z = a + 1j * a ** 2
    z.imag[0] = a[1]
    return np.sum(np.abs(z) ** 2)


case(imaginary_part_stored_into, array("3 4"))


def view_of_a_flat_view(a):
    b = a * 1.0
    c = b.reshape(-1)[2:]
    c[0] = c[1] ** 2
    c *= 2
    return np.sum(b ** 2)


case(view_of_a_flat_view, array("3 4"))


def three_shapes_of_one_array(a):
    b = a * 1.0
    c = b.reshape(4, 3)
    d = c.reshape(-1)
    d[1] = c[1, 1] * b[0, 0]
    c[2] *= d[0]
    b[0] += d[1]
    return np.sum(b ** 2) + np.sum(c ** 3) + np.sum(d)


case(three_shapes_of_one_array, array("3 4"))


def rows_flattened(a):
    b = a * 1.0
    c = b[1:].reshape(-1)
    c[0] = c[1] * b[0, 0]
    return np.sum(b ** 2)


case(rows_flattened, array("3 4"))


def flat_view_updated(a):
    b = a * 1.0
    f = b.reshape(-1)
    f += 1
    f *= f
    return np.sum(b * a)


case(flat_view_updated, array("3 4"))


def flat_view_without_a_name(a):
    b = a * 1.0
    b.reshape(-1)[3] = b[0, 0] ** 2
    b.ravel()[::2] *= 3
    return np.sum(b ** 2)


case(flat_view_without_a_name, array("3 4"))


def view_or_copy(a):
    flag = a.shape[0] > 2
    b = a[1:] if flag else a.copy()
    b[0] = a[0] ** 2
    return np.sum(a ** 2) + np.sum(b)


case(view_or_copy, array("3 4"))


def one_row_or_the_other(a):
    b = a * 1.0
    y = b[0] if b[0, 0] > 0 else b[1]
    y += 1
    y *= y
    return np.sum(b ** 2)


case(one_row_or_the_other, array("3 4"))


def one_array_or_the_other(a):
    x = a * 2
    z = a ** 2
    y = x if a[0, 0] > 0 else z
    y += 1
    return np.sum(x * z)


case(one_array_or_the_other, array("3 4"))


def array_or_its_copy(a):
    x = a * 2
    if a[0, 0] > 0:
        y = x
    else:
        y = x.copy()
    y[0] = x[1] ** 2
    return np.sum(x ** 2) + np.sum(y * a)


case(array_or_its_copy, array("3 4"))


def row_or_copy_in_a_loop(a):
    x = a * 2
    for i in range(3):
        if x[i, 0] > 0:
            y = x[0]
        else:
            y = x[i].copy()
        y += x[1]
        x[2] *= y
    return np.sum(x ** 2)


case(row_or_copy_in_a_loop, array("3 4"))


def current_buffer(a):
    x = a * 2
    z = a ** 2
    cur = x
    for i in range(4):
        cur[0] += cur[1] * x[2]
        if i % 2:
            cur = x
        else:
            cur = z
    return np.sum(x * z)


case(current_buffer, array("3 4"))


def row_carried_through_a_loop(a):
    b = a * 1.0
    w = b[0]
    for k in range(3):
        w[0] += b[k, 1]
        w = b[k]
    return np.sum(b ** 2) + np.sum(w)


case(row_carried_through_a_loop, array("3 4"))


def made_contiguous(a):
    b = np.ascontiguousarray(a)
    b[0] = a[1] ** 2
    return np.sum(a * b)


case(made_contiguous, array("3 4"))


def transpose_made_contiguous(a):
    b = np.ascontiguousarray(a.T)
    b[0] = a[:, 1] ** 2
    return np.sum(a.T * b)


case(transpose_made_contiguous, array("3 4"))


def cast_without_a_copy(a):
    b = a.astype(float, copy=False)
    b[0] = a[1] ** 2
    return np.sum(a * b)


case(cast_without_a_copy, array("3 4"))


def flipped_along_an_axis(a):
    b = a * 1.0
    c = np.flip(b, 1)
    c[0, 0] = b[1, 1] ** 2
    d = b[::-1]
    d[0] *= 2
    return np.sum(b ** 2)


case(flipped_along_an_axis, array("3 4"))


def flipped_both_ways(a):
    b = a * 1.0
    c = np.fliplr(b)
    c[0, 0] = b[1, 1] ** 2
    np.flipud(b)[0] *= 3
    return np.sum(b ** 2)


case(flipped_both_ways, array("3 4"))


def turned(a):
    b = a * 1.0
    c = np.rot90(b)
    c[0, 0] = b[1, 1] ** 2
    return np.sum(b ** 2)


case(turned, array("3 4"))


def callee_is_given_flat_views(a):
    def scale(v, s):
        v *= s
        v[0] = s ** 2
    b = a * 1.0
    scale(b.reshape(-1), a[0, 0])
    scale(b.T.reshape(-1), a[0, 1])
    return np.sum(b ** 2)


case(callee_is_given_flat_views, array("3 4"))


def flat_view_in_a_while(a):
    b = a * 1.0
    f = b.ravel()
    i = 1
    while i < f.size:
        f[i] = f[i - 1] * 0.5 + b[0, 0]
        i += 2
    return np.sum(b ** 2)


case(flat_view_in_a_while, array("3 4"))


def flat_view_and_no_trip(a):
    b = a * 1.0
    f = b.ravel()
    for i in range(0):
        f[i] = 2
    b[0, 0] = b[1, 1] ** 2
    return np.sum(f ** 2)


case(flat_view_and_no_trip, array("3 4"))


def out_is_a_flat_view(a):
    b = np.empty((3, 4))
    np.multiply(a, a, out=b)
    np.add(b.reshape(-1), 1.0, out=b.reshape(-1))
    return np.sum(b ** 2)


case(out_is_a_flat_view, array("3 4"))


def argument_changed_under_its_other_shape(a):
    m = a.reshape(2, 6)
    a[0] *= 2
    m[1] += m[0]
    a[1] = m[0, :4] ** 2
    return np.sum(m ** 2) + np.sum(a)


case(argument_changed_under_its_other_shape, array("3 4"))


def stack_of_matrices(a):
    b = np.concatenate([a, a]).reshape(2, 3, 4)
    c = b.reshape(6, 4)
    for k in range(2):
        b[k] *= k + 2.0
        c[k] += c[k + 1]
    return np.sum(b ** 2)


case(stack_of_matrices, array("3 4"))


def parameters_in_one_vector(a):
    theta = a.ravel()
    W = theta[:8].reshape(2, 4)
    v = theta[8:]
    W *= 2
    v += W[0]
    return np.sum(theta ** 2) + np.sum(a)


case(parameters_in_one_vector, array("3 4"))


def parts_of_one_buffer(a):
    g = np.zeros(12)
    gW = g[:8].reshape(2, 4)
    gv = g[8:]
    gW += a[:2] ** 2
    gv[:] = a[2] * 3
    return np.sum(g ** 3)


case(parts_of_one_buffer, array("3 4"))


def state_and_its_derivative(a):
    y = a.ravel()
    dy = np.empty_like(y)
    u, v = y.reshape(2, 6)
    du, dv = dy.reshape(2, 6)
    du[:] = v
    dv[:] = -np.sin(u)
    return np.sum(dy ** 2)


case(state_and_its_derivative, array("3 4"))
