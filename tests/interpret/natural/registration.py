"""Image registration: affine plus B-spline-like displacement, multi-resolution pyramid, mutual information by Parzen windows."""
import numpy as np
from scipy import ndimage


def pyramid(image, levels):
    out = [image]
    for _ in range(levels - 1):
        smooth = ndimage.gaussian_filter(out[-1], 1.0, mode="nearest")
        out.append(smooth[::2, ::2])
    return out[::-1]


def warp(image, A, shift, bumps):
    h, w = image.shape
    yy, xx = np.meshgrid(np.arange(h, dtype=float), np.arange(w, dtype=float), indexing="ij")
    cy, cx = (h - 1) / 2, (w - 1) / 2
    u = A[0, 0] * (yy - cy) + A[0, 1] * (xx - cx) + cy + shift[0] * h
    v = A[1, 0] * (yy - cy) + A[1, 1] * (xx - cx) + cx + shift[1] * w
    for (by, bx), amount in bumps:
        g = np.exp(-((yy - by * h) ** 2 + (xx - bx * w) ** 2) / (0.1 * h * w))
        u += amount[0] * h * g
        v += amount[1] * w * g
    return bilinear(image, u, v)


def bilinear(image, y, x):
    h, w = image.shape
    y, x = np.clip(y, 0, h - 1.001), np.clip(x, 0, w - 1.001)
    y0, x0 = y.astype(int), x.astype(int)
    fy, fx = y - y0, x - x0
    return ((1 - fy) * (1 - fx) * image[y0, x0] + fy * (1 - fx) * image[y0 + 1, x0]
            + (1 - fy) * fx * image[y0, x0 + 1] + fy * fx * image[y0 + 1, x0 + 1])


def mutual_information(a, b, bins=6):
    centres = np.linspace(0, 1, bins)
    width = 0.6 * (centres[1] - centres[0])

    def weights(im):
        W = np.exp(-0.5 * ((im.ravel()[:, None] - centres) / width) ** 2)
        return W / W.sum(axis=1, keepdims=True)
    joint = weights(a).T @ weights(b) / a.size
    pa, pb = joint.sum(axis=1), joint.sum(axis=0)
    return np.sum(joint * np.log(joint / np.outer(pa, pb)))


def f(theta, moving, fixed, levels=2):
    A = np.eye(2) + theta[:4].reshape(2, 2)
    shift, amounts = theta[4:6], theta[6:].reshape(-1, 2)
    centres = [(0.3, 0.3), (0.7, 0.6)]
    cost = 0.0
    for level, (m, t) in enumerate(zip(pyramid(moving, levels), pyramid(fixed, levels))):
        warped = warp(m, A, shift, zip(centres, amounts))
        cost -= (level + 1) * mutual_information(warped, t)
        mask = ndimage.binary_erosion(t > 0.3)
        if mask.any():
            cost += 0.1 * np.mean((warped - t)[mask] ** 2)
    return cost + np.sum(amounts ** 2) + 0.1 * (np.linalg.det(A) - 1) ** 2


WRT = (0, 1)


def args():
    yy, xx = np.mgrid[0:16, 0:16] / 16
    blob = lambda cy, cx, s: np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / s)
    fixed = np.clip(blob(0.45, 0.5, 0.06) + 0.4 * blob(0.8, 0.3, 0.02), 0, 1)
    moving = np.clip(blob(0.5, 0.55, 0.07) + 0.4 * blob(0.82, 0.38, 0.02), 0, 1)
    return np.array([0.02, -0.05, 0.03, 0.01, 0.013, 0.021, 0.01, -0.02, 0.015, 0.004]), moving, fixed
