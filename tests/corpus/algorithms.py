"""In-place programs that people write: stencils, factorisations, recurrences, sorting."""

import numpy as np

from .case import array, case, count, definite, number


def shift_by_loop(x):
    a = x.copy()
    for i in range(len(a) - 1, 0, -1):
        a[i] = a[i - 1] * 1.5
    a[0] = 0.0
    return np.sum(a ** 3)


case(shift_by_loop, array("n"))


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


case(ping_pong, array("n"))


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


def bubble_sort(x, w):
    a = x.copy()
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return np.sum(a * w)


case(bubble_sort, array("n"), array("n"))


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
