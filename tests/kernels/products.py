"""Products of matrices and vectors, updated in place (Dongarra et al., BLAS), and statistics made of them."""

import numpy as np

from tests.corpus.case import array, integers, number

from .kernel import kernel


def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


kernel(gemm, alpha=number(1.5), beta=number(1.2), C=array("n m"), A=array("n k"), B=array("k m"))


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


kernel(
    gemver, alpha=number(1.5), beta=number(1.2), A=array("m m"), u1=array("m"), v1=array("m"), u2=array("m"), v2=array("m"),
    w=array("m"), x=array("m"), y=array("m"), z=array("m"),
)


def gesummv(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


kernel(gesummv, alpha=number(1.5), beta=number(1.2), A=array("m m"), B=array("m m"), x=array("m"))


def symm(alpha, beta, C, A, B):
    temp = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp


kernel(symm, alpha=number(1.5), beta=number(1.2), C=array("m k"), A=array("m m"), B=array("m k"))


def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += alpha * A[i, k] * A[:i + 1, k]


kernel(syrk, alpha=number(1.5), beta=number(1.2), C=array("m m"), A=array("m k"))


def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += A[:i + 1, k] * alpha * B[i, k] + B[:i + 1, k] * alpha * A[i, k]


kernel(syr2k, alpha=number(1.5), beta=number(1.2), C=array("m m"), A=array("m k"), B=array("m k"))


def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1:, i], B[i + 1:, j])
    B *= alpha


kernel(trmm, alpha=number(1.5), A=array("m m"), B=array("m k"))


def two_products(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D


kernel(two_products, alpha=number(1.5), beta=number(1.2), A=array("m k"), B=array("k m"), C=array("m k"), D=array("m k"))


def three_products(A, B, C, D):
    return A @ B @ C @ D


kernel(three_products, A=array("m k"), B=array("k m"), C=array("m k"), D=array("k m"))


def atax(A, x):
    return (A @ x) @ A


kernel(atax, A=array("n m"), x=array("m"))


def bicg(A, p, r):
    return r @ A, A @ p


kernel(bicg, A=array("n m"), p=array("m"), r=array("n"))


def mvt(x1, x2, y1, y2, A):
    x1 += A @ y1
    x2 += y2 @ A


kernel(mvt, x1=array("m"), x2=array("m"), y1=array("m"), y2=array("m"), A=array("m m"))


def doitgen(A, C4):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C4


kernel(doitgen, A=array("2 3 4"), C4=array("4 4"))


def spmv(rows, columns, values, x):
    y = np.empty(rows.size - 1, values.dtype)
    for i in range(rows.size - 1):
        here = columns[rows[i]:rows[i + 1]]
        y[i] = values[rows[i]:rows[i + 1]] @ x[here]
    return y


kernel(spmv, rows=np.array([0, 2, 2, 5, 7]), columns=integers("7", 4), values=array("7"), x=array("4"))


def covariance(data):
    mean = np.mean(data, axis=0)
    data -= mean
    samples, variables = data.shape
    cov = np.zeros((variables, variables), dtype=data.dtype)
    for i in range(variables):
        cov[i:, i] = cov[i, i:] = data[:, i] @ data[:, i:] / (samples - 1.0)
    return cov


kernel(covariance, data=array("n m"))


def covariance_mirrored(data):
    """The other triangle copied from the first: of two vectors that cross, NumPy's result may depend on the order of copying."""
    cov = data.T @ data
    for i in range(cov.shape[0]):
        cov[i, i:] = cov[i:, i]
    return cov


kernel(covariance_mirrored, data=array("n m"))


def correlation(data):
    mean = np.mean(data, axis=0)
    deviation = np.std(data, axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(data.shape[0]) * deviation
    corr = np.eye(data.shape[1], dtype=data.dtype)
    for i in range(data.shape[1] - 1):
        corr[i + 1:, i] = corr[i, i + 1:] = data[:, i] @ data[:, i + 1:]
    return corr


kernel(correlation, data=array("n m"))
