"""In-place code: the patterns in which other tools have been silently wrong, and the programs that people write with them."""

import numpy as np

from .case import array, case, count, definite, number, positive


def read_then_overwritten(x, b):
    y = x[1] * b[0]
    b[0] += 100
    return y * np.sum(b)


case(read_then_overwritten, array("n"), array("n"))


def read_then_replaced(x):
    b = x * 2
    y = b[0] * b[1]
    b[0] = y
    return np.sum(b ** 2)


case(read_then_replaced, array("n"))


def self_alias(x):
    a = x.copy()
    for i in range(len(a)):
        a[i] = a[i] ** 2
    return np.sum(a * x)


case(self_alias, array("n"), float32=True)


def self_alias_on_the_argument(a):
    for i in range(len(a)):
        a[i] = a[i] ** 2
    return np.sum(a)


case(self_alias_on_the_argument, array("n"))


def recurrence_under_a_branch(x):
    e = np.zeros(len(x) + 1)
    e[0] = x[0]
    for i in range(len(x)):
        if x[i] > 0:
            e[i + 1] = e[i] + np.sin(e[i]) * x[i]
        else:
            e[i + 1] = e[i] * x[i]
    return e[-1] + np.sum(e)


case(recurrence_under_a_branch, array("n"))


def recurrence_in_the_argument(e):
    for i in range(len(e) - 1):
        if i != 1:
            e[i + 1] = e[i] + np.sin(e[i])
    return np.sum(e ** 2)


case(recurrence_in_the_argument, array("n"))


def third_assignment_to_one_buffer(x):
    b = np.zeros(3)
    b[0] = x[0] * x[1]
    y = b[0] ** 2
    b[0] = np.sin(x[2])
    y = y + b[0] ** 2
    b[0] = y
    return y * b[0]


case(third_assignment_to_one_buffer, array("n"))


def whole_buffer_three_times(x):
    b = np.empty_like(x)
    b[:] = x ** 2
    total = np.sum(b * x)
    b[:] = np.sin(b)
    total = total + np.sum(b * x)
    b[:] = 1.0
    return total + np.sum(b * x)


case(whole_buffer_three_times, array("n"))


def swap(x):
    a = x * 1.0
    a[0], a[2] = a[2], a[0]
    return np.sum(a * np.arange(len(a)) ** 2 * x)


case(swap, array("n"))


def swap_in_the_argument(a, w):
    a[0], a[1] = a[1], a[0]
    return np.sum(a ** 2 * w)


case(swap_in_the_argument, array("n"), array("n"))


def rotation_of_three(x):
    a = x.copy()
    a[0], a[1], a[2] = a[2], a[0] * a[1], a[0]
    return a[0] + 2 * a[1] * a[2]


case(rotation_of_three, array("n"))


def swapped_rows(a, x):
    b = a.copy()
    b[[0, 1]] = b[[1, 0]]
    return np.sum((b @ x) ** 2 * np.arange(len(b)))


case(swapped_rows, array("m n"), array("n"))


def augmented_slices(x, y):
    a = x.copy()
    a[1:] += y[:-1]
    a[:-1] *= y[1:]
    a[::2] -= y[::2] ** 2
    a[1:-1] /= 2 + y[1:-1] ** 2
    return np.sum(a ** 2)


case(augmented_slices, array("n"), array("n"), float32=True)


def augmented_by_itself(x):
    a = x.copy()
    a[1:] += a[:-1]
    a[:-1] *= a[1:]
    a += a
    a *= a
    return np.sum(a * np.arange(1.0, len(a) + 1))


case(augmented_by_itself, array("n"))


def overlapping_store(x):
    a = x.copy()
    a[1:] = a[:-1] * 2
    a[:2] = a[1:3]
    return np.sum(a ** 2)


case(overlapping_store, array("n"))


def shift_by_loop(x):
    a = x.copy()
    for i in range(len(a) - 1, 0, -1):
        a[i] = a[i - 1] * 1.5
    a[0] = 0.0
    return np.sum(a ** 3)


case(shift_by_loop, array("n"))


def power_update(x, s):
    a = x.copy()
    a **= 2
    a -= s
    a /= s
    return np.sum(a ** 2)


case(power_update, array("n"), number(1.5))


def division_by_a_scalar_element(x):
    a = x.copy()
    a /= a[0]
    return np.sum(np.sin(a))


case(division_by_a_scalar_element, positive("n"))


def update_of_a_scalar(s, t):
    u = s
    u += t
    u *= s
    u -= t * u
    u /= 2
    return u * s


case(update_of_a_scalar, number(0.7), number(-0.4))


def update_of_a_zero_d_array(z):
    y = z * 1
    y += z
    y *= y
    return y


case(update_of_a_zero_d_array, array(""))


def update_of_the_argument(x, y):
    x += y
    x *= x
    return np.sum(x * y)


case(update_of_the_argument, array("n"), array("n"))


def another_name_updated(x):
    y = x
    y += 1
    return np.sum(x * y)


case(another_name_updated, array("n"), may_refuse=True)


def another_name_of_a_scalar_updated(s):
    t = s
    t += 1
    return s * t


case(another_name_of_a_scalar_updated, number(1.4))


def another_name_stored_into(x):
    b = x * 2
    c = b
    c[0] = 5.0 * c[1]
    return np.sum(b ** 2)


case(another_name_stored_into, array("n"), may_refuse=True)


def view_changed_through_its_base(x):
    b = x * 2
    v = b[1:3]
    b[1] = b[0] * 3
    return np.sum(v ** 2)


case(view_changed_through_its_base, array("n"), may_refuse=True)


def base_changed_through_a_view(x):
    b = x * 2
    v = b[1:3]
    v[0] = x[0] ** 2
    v *= 3
    return np.sum(b ** 2)


case(base_changed_through_a_view, array("n"), may_refuse=True)


def view_of_a_view(x):
    b = x * 1.0
    v = b[1:]
    w = v[::2]
    w *= x[0]
    b += v[0]
    return np.sum(w * v[:len(w)]) + np.sum(b)


case(view_of_a_view, array("n"), may_refuse=True)


def row_view(a):
    b = a * 1.0
    row = b[1]
    row[0] = 7.0
    row += b[0]
    return np.sum(b ** 2)


case(row_view, array("m n"), may_refuse=True)


def transposed_view(a):
    b = a * 1.0
    t = b.T
    t[0] *= 2
    b[0] *= t[1, 0]
    return np.sum(t ** 2)


case(transposed_view, array("m n"), may_refuse=True)


def reshaped_view(a):
    b = a * 1.0
    flat = b.reshape(-1)
    flat[1] = flat[0] * flat[2]
    return np.sum(b ** 2)


case(reshaped_view, array("m n"), may_refuse=True)


def rows_changed_while_iterated(a):
    b = a * 1.0
    for row in b:
        row *= row[0]
    return np.sum(b ** 2)


case(rows_changed_while_iterated, array("m n"), may_refuse=True)


def row_iterated_and_base_changed(a):
    b = a * 1.0
    total = 0.0
    for i, row in enumerate(b):
        b[i] = row * row
        total = total + np.sum(row)
    return total


case(row_iterated_and_base_changed, array("m n"), may_refuse=True)


def scalars_stored(s, t, k):
    a = np.zeros(k)
    a[0] = s
    a[1:] = t
    a[k - 1] = s * t
    return np.sum(a ** 2)


case(scalars_stored, number(0.8), number(-1.2), count("n"))


def broadcast_store(x, s):
    a = np.zeros((3, len(x)))
    a[:] = x
    a[1] = s
    a[:, 0] = s ** 2
    a[2, 1:] += x[1:]
    a += x
    return np.sum(a ** 2)


case(broadcast_store, array("n"), number(0.9))


def constant_store(x):
    a = x * 2
    a[1] = 3.0
    a[2:] = 0.0
    return np.sum(a * x)


case(constant_store, array("n"))


def overwritten_completely(x):
    a = np.sin(x)
    a[:] = 2.0
    a[0] = 1.0
    return np.sum(a)


case(overwritten_completely, array("n"))


def gather_update(x, y):
    a = x.copy()
    a[[0, 2]] *= y[:2]
    a[[1, 1, 3]] += y[0]
    a[a > 10.0] = 0.0
    return np.sum(a ** 2)


case(gather_update, array("n"), array("n"))


def repeated_indices_last_wins(x, y):
    a = x.copy()
    a[[1, 1]] = y[:2] ** 2
    return np.sum(a ** 3)


case(repeated_indices_last_wins, array("n"), array("n"), may_refuse=True)


def masked_store(x, s):
    a = x.copy()
    a[x > 0] = s
    a[x < 0] *= s
    return np.sum(a ** 3)


case(masked_store, array("n"), number(0.6))


def mask_made_from_the_buffer(x):
    a = x.copy()
    a[a < 0] = 0.0
    a[a > 0.5] **= 2
    return np.sum(a * x)


case(mask_made_from_the_buffer, array("n"))


def store_in_two_dimensions(a, x):
    b = a.copy()
    b[0, 1] = x[0] * b[1, 0]
    b[:, 2] *= x[0]
    b[1, ::2] = x[::2]
    b[-1] += x
    b[..., 0] -= 1
    return np.sum(b ** 2)


case(store_in_two_dimensions, array("m n"), array("n"), float32=True)


def prefix_sums(x):
    a = x.copy()
    for i in range(1, len(a)):
        a[i] += a[i - 1]
    return np.sum(a ** 2)


case(prefix_sums, array("n"), float32=True)


def prefix_products_backwards(x):
    a = np.ones(len(x) + 1)
    for i in range(len(x) - 1, -1, -1):
        a[i] = a[i + 1] * x[i]
    return np.sum(np.sin(a))


case(prefix_products_backwards, array("n"))


def heat(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


case(heat, array("8"), number(0.2), count("n"), float32=True)


def heat_on_the_argument(u, c):
    for k in range(4):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
        u[-1] = u[-2] * c
    return np.sum(u ** 2)


case(heat_on_the_argument, array("8"), number(0.2))


def burgers(u, dt):
    u = u.copy()
    for k in range(4):
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2]) / 2
    return np.sum(u ** 2)


case(burgers, array("8"), number(0.1))


def seidel_2d(a, sweeps):
    a = a.copy()
    for t in range(sweeps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] + a[i, j] ** 2) / 5
    return np.sum(a ** 2)


case(seidel_2d, array("4 n"), 2)


def jacobi_two_buffers(a, b, sweeps):
    for t in range(sweeps):
        b[1:-1] = 0.33 * (a[:-2] + a[1:-1] + a[2:]) * a[1:-1]
        a[1:-1] = 0.33 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * b)


case(jacobi_two_buffers, array("n"), array("n"), 3)


def ping_pong(x):
    a = x.copy()
    b = np.zeros_like(a)
    for t in range(3):
        b[1:-1] = a[:-2] * a[2:]
        a, b = b, a
    return np.sum(a) + np.sum(b ** 2)


case(ping_pong, array("n"), may_refuse=True)


def cholesky_by_loops(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= low[j, k] ** 2
        low[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            t = a[i, j]
            for k in range(j):
                t -= low[i, k] * low[j, k]
            low[i, j] = t / low[j, j]
    return np.sum(low ** 3)


case(cholesky_by_loops, definite("m"))


def cholesky_in_place(a):
    a = a.copy()
    n = len(a)
    for j in range(n):
        a[j, j] = np.sqrt(a[j, j])
        a[j + 1:, j] /= a[j, j]
        for k in range(j + 1, n):
            a[k:, k] -= a[k:, j] * a[k, j]
    total = 0.0
    for j in range(n):
        total += np.log(a[j, j])
    return 2 * total


case(cholesky_in_place, definite("m"))


def lu_in_place(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1:, k] = a[k + 1:, k] / a[k, k]
        a[k + 1:, k + 1:] -= a[k + 1:, k][:, None] * a[k, k + 1:][None, :]
    return np.sum(a ** 2)


case(lu_in_place, definite("m"))


def lu_by_loops_on_the_argument(a):
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    det = 1.0
    for k in range(n):
        det *= a[k, k]
    return np.log(det)


case(lu_by_loops_on_the_argument, definite("m"))


def triangular_solve(a, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - np.dot(a[i, :i], x[:i])) / a[i, i]
    return np.sum(x ** 2)


case(triangular_solve, definite("m"), array("m"))


def back_substitution_in_place(a, b):
    x = b.copy()
    for i in range(len(x) - 1, -1, -1):
        x[i] = x[i] / a[i, i]
        x[:i] -= a[:i, i] * x[i]
    return np.sum(x ** 2)


case(back_substitution_in_place, definite("m"), array("m"))


def gram_schmidt(a):
    q = a.copy()
    for j in range(q.shape[1]):
        for k in range(j):
            q[:, j] -= np.dot(q[:, k], q[:, j]) * q[:, k]
        q[:, j] /= np.linalg.norm(q[:, j])
    return np.sum(q ** 3)


case(gram_schmidt, array("n m"))


def trajectory(x0, steps, dt):
    path = np.zeros((steps + 1, 2))
    path[0] = x0
    for t in range(steps):
        path[t + 1, 0] = path[t, 0] + dt * path[t, 1]
        path[t + 1, 1] = path[t, 1] - dt * np.sin(path[t, 0])
    return np.sum(path ** 2)


case(trajectory, array("2"), count("n"), number(0.1))


def hidden_states_by_row(w, xs):
    h = np.zeros((xs.shape[0] + 1, w.shape[0]))
    for t in range(xs.shape[0]):
        h[t + 1] = np.tanh(w @ h[t] + xs[t])
    return np.sum(h[-1] ** 2) + np.sum(h)


case(hidden_states_by_row, array("m m"), array("n m"))


def histogram_weights(x, k):
    bins = np.zeros(3)
    for i in range(len(x)):
        bins[i % 3] += x[i] ** 2
    return np.sum(bins ** 2) * k


case(histogram_weights, array("n"), 2)


def store_under_a_branch(x, s):
    a = x.copy()
    for i in range(len(a)):
        if a[i] > 0:
            a[i] = a[i] * s
        elif i > 0:
            a[i] = a[i - 1]
        else:
            a[i] += s
    return np.sum(a ** 2)


case(store_under_a_branch, array("n"), number(0.6))


def bubble_sort(x, w):
    a = x.copy()
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return np.sum(a * w)


case(bubble_sort, array("n"), array("n"))


def while_with_stores(x):
    a = x.copy()
    k = 0
    while a[0] < 3 and k < 20:
        a[0] = a[0] * 1.5 + a[1] ** 2 + 0.1
        a[1] *= 0.9
        k += 1
    return np.sum(a ** 2)


case(while_with_stores, positive("n"))


def buffer_reused_over_trips(a):
    scratch = np.zeros(a.shape[1])
    total = 0.0
    for i in range(a.shape[0]):
        scratch[:] = a[i] ** 2
        scratch[1:] += scratch[:-1]
        total = total + np.sum(scratch * a[i])
    return total


case(buffer_reused_over_trips, array("m n"))


def carried_accumulator_array(a):
    total = np.zeros(a.shape[1])
    for i in range(len(a)):
        total += a[i] * total + a[i]
    return np.sum(total ** 2)


case(carried_accumulator_array, array("m n"))


def stored_scalar_then_changed(x):
    a = x.copy()
    s = a[1]
    a[1] = 0.0
    a[0] = s * a[0]
    s = s * 2
    a[2] = s
    return np.sum(a ** 2) + s


case(stored_scalar_then_changed, array("n"))


def expression_saved_before_an_update(x):
    a = x.copy()
    y = np.exp(a)
    y *= a
    a += y
    z = a * y
    y[0] = 3.0
    return np.sum(z) + np.sum(y * a)


case(expression_saved_before_an_update, array("n"))


def index_changed_after_a_store(x):
    a = x.copy()
    i = 0
    a[i] = a[i + 1] ** 2
    i = 2
    a[i] = a[0] * a[i]
    i += 1
    a[i] *= a[i - 1]
    return np.sum(a)


case(index_changed_after_a_store, array("n"))


def index_changed_in_a_loop(x):
    a = x.copy()
    i = len(a) - 1
    while i > 0:
        a[i] *= a[i - 1]
        i -= 1
        a[i] += 1
    return np.sum(a ** 2)


case(index_changed_in_a_loop, array("n"))


def returned_element_of_the_mutated_argument(x):
    x[0] = x[0] ** 2 * x[1]
    return x[0]


case(returned_element_of_the_mutated_argument, array("n"))


def zero_d_argument_mutated_and_returned(z):
    z *= 3.0
    return z


case(zero_d_argument_mutated_and_returned, array(""))


def slice_of_the_argument_updated(x, y):
    x[1:] *= y[1:]
    y[0] = x[1]
    return np.sum(x) * np.sum(y)


case(slice_of_the_argument_updated, array("n"), array("n"))


def not_differentiated_argument_mutated(x, work):
    work[:] = x * 2
    work += 1
    return np.sum(work * x)


case(not_differentiated_argument_mutated, array("n"), array("n"), wrt=0)
