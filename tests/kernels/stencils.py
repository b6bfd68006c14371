"""Grids that are swept in time, in place and by turns, and the recurrences of numerical weather prediction."""

import numpy as np

from tests.corpus.case import array, number, positive

from .kernel import kernel, scaled


def jacobi_1d(steps, A, B):
    for t in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


kernel(jacobi_1d, steps=4, A=array("8"), B=array("8"))


def jacobi_2d(steps, A, B):
    for t in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


kernel(jacobi_2d, steps=3, A=array("5 5"), B=array("5 5"))


def heat_3d(steps, A, B):
    for t in range(1, steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1]
        )


kernel(heat_3d, steps=3, A=array("4 4 4"), B=array("4 4 4"))


def seidel_2d(steps, n, A):
    for t in range(steps - 1):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


kernel(seidel_2d, steps=3, n=5, A=array("5 5"))


def fdtd_2d(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


kernel(fdtd_2d, steps=3, ex=array("m n"), ey=array("m n"), hz=array("m n"), source=array("3"))


def adi(steps, n, u):
    v = np.empty_like(u)
    p = np.empty_like(u)
    q = np.empty_like(u)
    step, time = 1.0 / n, 1.0 / steps
    a = -2.0 * time / step**2 / 2.0
    b = 1.0 + 2.0 * time / step**2
    d = -time / step**2 / 2.0
    e = 1.0 + time / step**2
    for t in range(1, steps + 1):
        v[0, 1:n - 1] = 1.0
        p[1:n - 1, 0] = 0.0
        q[1:n - 1, 0] = v[0, 1:n - 1]
        for j in range(1, n - 1):
            p[1:n - 1, j] = -a / (a * p[1:n - 1, j - 1] + b)
            q[1:n - 1, j] = (
                -d * u[j, 0:n - 2] + (1.0 + 2.0 * d) * u[j, 1:n - 1] - d * u[j, 2:n] - a * q[1:n - 1, j - 1]
            ) / (a * p[1:n - 1, j - 1] + b)
        v[n - 1, 1:n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:n - 1] = p[1:n - 1, j] * v[j + 1, 1:n - 1] + q[1:n - 1, j]
        u[1:n - 1, 0] = 1.0
        p[1:n - 1, 0] = 0.0
        q[1:n - 1, 0] = u[1:n - 1, 0]
        for j in range(1, n - 1):
            p[1:n - 1, j] = -d / (d * p[1:n - 1, j - 1] + e)
            q[1:n - 1, j] = (
                -a * v[0:n - 2, j] + (1.0 + 2.0 * a) * v[1:n - 1, j] - a * v[2:n, j] - d * q[1:n - 1, j - 1]
            ) / (d * p[1:n - 1, j - 1] + e)
        u[1:n - 1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:n - 1, j] = p[1:n - 1, j] * u[1:n - 1, j + 1] + q[1:n - 1, j]


kernel(adi, steps=2, n=5, u=array("5 5"))


def deriche(alpha, image):
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha)) / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    c1 = c2 = 1
    y1 = np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2 = np.empty_like(image)
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    out = c1 * (y1 + y2)
    y1[0, :] = a5 * out[0, :]
    y1[1, :] = a5 * out[1, :] + a6 * out[0, :] + b1 * y1[0, :]
    for i in range(2, image.shape[0]):
        y1[i, :] = a5 * out[i, :] + a6 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
    y2[-1, :] = 0.0
    y2[-2, :] = a7 * out[-1, :]
    for i in range(image.shape[0] - 3, -1, -1):
        y2[i, :] = a7 * out[i + 1, :] + a8 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
    out[:] = c2 * (y1 + y2)
    return out


kernel(deriche, alpha=number(0.25), image=array("5 6"))


def hdiff(in_field, out_field, coeff):
    ni, nj = out_field.shape[:2]
    lap = 4.0 * in_field[1:ni + 3, 1:nj + 3, :] - (
        in_field[2:ni + 4, 1:nj + 3, :] + in_field[0:ni + 2, 1:nj + 3, :]
        + in_field[1:ni + 3, 2:nj + 4, :] + in_field[1:ni + 3, 0:nj + 2, :]
    )
    flux = lap[1:, 1:nj + 1, :] - lap[:-1, 1:nj + 1, :]
    flx = np.where(flux * (in_field[2:ni + 3, 2:nj + 2, :] - in_field[1:ni + 2, 2:nj + 2, :]) > 0, 0, flux)
    flux = lap[1:ni + 1, 1:, :] - lap[1:ni + 1, :-1, :]
    fly = np.where(flux * (in_field[2:ni + 2, 2:nj + 3, :] - in_field[2:ni + 2, 1:nj + 2, :]) > 0, 0, flux)
    out_field[:, :, :] = in_field[2:ni + 2, 2:nj + 2, :] - coeff[:, :, :] * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )


kernel(hdiff, in_field=array("6 6 2"), out_field=array("2 2 2"), coeff=array("2 2 2"))


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    bet_m = bet_p = 0.5
    nk = utens_stage.shape[2]
    ccol = np.empty_like(utens_stage)
    dcol = np.empty_like(utens_stage)
    data_col = np.empty(utens_stage.shape[:2], dtype=utens_stage.dtype)
    for k in range(nk):
        here, above = max(k, 0), min(k + 1, nk - 1)
        gav = -0.25 * (wcon[1:, :, here] + wcon[:-1, :, here]) if k > 0 else np.zeros(data_col.shape)
        gcv = 0.25 * (wcon[1:, :, above] + wcon[:-1, :, above]) if k < nk - 1 else np.zeros(data_col.shape)
        acol = gav * bet_p
        correction = np.zeros(data_col.shape)
        if k > 0:
            correction -= gav * bet_m * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        if k < nk - 1:
            correction -= gcv * bet_m * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        ccol[:, :, k] = gcv * bet_p
        bcol = dtr_stage - acol - ccol[:, :, k]
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction
        if k > 0:
            divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
            dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided
        else:
            divided = 1.0 / bcol
            dcol[:, :, k] *= divided
        ccol[:, :, k] *= divided
    for k in range(nk - 1, -1, -1):
        if k == nk - 1:
            data_col[:] = dcol[:, :, k]
        else:
            data_col[:] = dcol[:, :, k] - ccol[:, :, k] * data_col
        utens_stage[:, :, k] = dtr_stage * (data_col - u_pos[:, :, k])


kernel(
    vadv, utens_stage=array("2 2 4"), u_stage=array("2 2 4"), wcon=array("3 2 4"), u_pos=array("2 2 4"), utens=array("2 2 4"),
    dtr_stage=number(3.0),
)


def smoothed_by_turns(A, B, weights, steps):
    for t in range(steps):
        for i in range(1, A.shape[0] - 1):
            B[i] = weights[0] * A[i - 1] + weights[1] * A[i] + weights[2] * A[i + 1]
        A, B = B, A
    return A


kernel(smoothed_by_turns, A=array("6"), B=scaled(positive("6"), 0.1), weights=array("3"), steps=3)
