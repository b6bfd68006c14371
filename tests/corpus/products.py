"""Products and linear algebra."""

import functools
import operator

import numpy as np

from .case import array, case, definite, positive


def matrix_vector(a, x):
    return np.sum(np.sin(a @ x))


case(matrix_vector, array("m n"), array("n"), float32=True, units=True)


def vector_matrix(x, a):
    return np.sum((x @ a) ** 2)


case(vector_matrix, array("m"), array("m n"), units=True)


def matrix_matrix(a, b):
    return np.sum(np.tanh(a @ b))


case(matrix_matrix, array("m n"), array("n k"), units=True)


def vector_vector(x, y):
    return (x @ y) ** 2 + np.dot(x, y) + np.inner(x, y) * 3


case(vector_vector, array("n"), array("n"), float32=True)


def stacked_matrices(a, b):
    return np.sum(np.matmul(a, b) ** 2)


case(stacked_matrices, array("k m n"), array("k n m"))


def stacked_broadcast(a, b):
    return np.sum(np.matmul(a, b) ** 2)


case(stacked_broadcast, array("k m n"), array("n m"), units=True)


def dot_shapes(a, b, x):
    return np.sum(np.dot(a, b)) * np.dot(x, x) + np.sum(np.dot(a, x)) + np.sum(a.dot(b) ** 2)


case(dot_shapes, array("m n"), array("n k"), array("n"))


def outer_product(x, y):
    return np.sum(np.outer(x, y) ** 2 * np.outer(x, x)[0, 0])


case(outer_product, array("m"), array("n"))


def tensor_product(a, b):
    return np.sum(np.tensordot(a, b, axes=1) ** 2) + np.tensordot(a, a, axes=2)


case(tensor_product, array("m n"), array("n k"))


def einsum_two_operands(a, b):
    return np.sum(np.einsum("ij,jk->ik", a, b) ** 2) + np.einsum("ij,ij->", a, a)


case(einsum_two_operands, array("m n"), array("n k"))


def quadratic_form(x, a):
    return x @ a @ x


case(quadratic_form, array("n"), array("n n"), units=True)


def gram(a):
    return np.trace(a.T @ a) + np.sum(np.diag(a @ a.T) ** 2)


case(gram, array("m n"))


def inverse(a):
    return np.sum(np.linalg.inv(a) ** 2)


case(inverse, definite("m"))


def linear_solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x ** 2)


case(linear_solve, definite("m"), array("m n"))


def linear_solve_vector(a, b):
    return np.sum(np.linalg.solve(a, b) ** 3)


case(linear_solve_vector, definite("m"), array("m"))


def determinant(a):
    return np.linalg.det(a) * 0.01 + np.log(np.linalg.det(a))


case(determinant, definite("m"))


def log_determinant(a):
    sign, logabs = np.linalg.slogdet(a)
    return sign * logabs


case(log_determinant, definite("m"))


def gaussian_likelihood(a, x):
    root = np.linalg.cholesky((a + a.T) / 2)
    z = np.linalg.solve(root, x)
    return -0.5 * np.sum(z ** 2) - np.sum(np.log(np.diag(root)))


case(gaussian_likelihood, definite("m"), array("m"))


def two_layer_net(w1, w2, x, y):
    h = np.maximum(x @ w1, 0)
    residual = h @ w2 - y
    return np.sum(residual ** 2)


case(two_layer_net, array("n k"), array("k m"), array("6 n"), array("6 m"), wrt=(0, 1), float32=True)


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return np.sum((weights @ v) ** 2)


case(attention, array("m k"), array("n k"), array("n k"))


def squared_distances(x, y):
    xx = np.sum(x ** 2, axis=1)
    yy = np.sum(y ** 2, axis=1)
    d = xx[:, None] + yy[None, :] - 2 * x @ y.T
    return np.sum(np.exp(-d))


case(squared_distances, array("m k"), array("n k"))


def ridge(w, x, y, penalty):
    residual = x @ w - y
    return residual @ residual / len(y) + penalty * w @ w


case(ridge, array("n"), array("8 n"), array("8"), positive(""), wrt=(0, 3))


def several_at_once(x, a):
    z = np.einsum("i,ij,j->", x, a, x) + np.sum(np.einsum("ij,jk,kl", a, a, a) ** 2)
    return z * np.sum(np.einsum("i,j,k->kij", x, x, x)[0] * a)


case(several_at_once, array("3"), array("3 3"))


def operators_as_functions(x):
    z = functools.reduce(operator.mul, x) + operator.pow(x[0], 2) - operator.neg(x[1])
    return operator.truediv(z, 3.0 + operator.matmul(x, x))


case(operators_as_functions, array("3"))


def layers_over_time(wx, wh, b, xs, h):
    total = 0.0
    for t in range(2):
        for layer in range(2):
            h = np.cos(0.2 * (wx @ xs[t % len(xs)] + wh @ h + b))
            if layer == 1:
                h = h + 0.2 * (wh @ np.sin(h))
        total = total + np.sum(h ** 2)
    return total


case(layers_over_time, array("3 n"), array("3 3"), array("3"), array("m n"), array("3"))


def weights_in_a_dict(weights, xs, h):
    for x in xs:
        h = np.cos(0.2 * (h @ weights["h"] + weights["x"] @ x))
    return np.sum(h * (weights["x"] @ xs[0])) + np.sum(weights["h"] ** 2)


case(weights_in_a_dict, {"x": array("3 n"), "h": array("3 3")}, array("m n"), array("3"))


def in_place_over_time(w, xs, h):
    h = h.copy()
    r = np.zeros(3)
    for x in xs:
        h[:] = np.cos(0.2 * (w @ h + x))
        r = r + w @ x
        h[0] = h[1] * r[2]
    return np.sum(h ** 2)


case(in_place_over_time, array("3 3"), array("m 3"), array("3"))


def weights_read_elsewhere(w, xs):
    h = xs[0]
    for k in range(len(xs)):
        h = np.sin(0.2 * (w @ h)) + 0.1 * w[k % 2] * h
        w = w + 0.1 * np.outer(h, xs[k])
        for _ in range(0):
            h = w @ h
    return np.sum(h)


case(weights_read_elsewhere, array("3 3"), array("m 3"))


def contracted(a, b, x):
    for _ in range(2):
        x = np.sin(np.einsum("ij,j->i", a, x))
    pairs = np.einsum("kij,nj->nki", b[None] * np.ones((2, 1, 1)), a)
    return np.sum(pairs ** 2) + np.einsum("i,i->", x, x) + np.sum(np.einsum("ij,ij->i", a, x[:, None]) ** 3) + np.sum(a * a)


case(contracted, array("3 3"), array("3 3"), array("3"))
