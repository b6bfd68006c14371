#!/usr/bin/env python3
"""Small bundle adjustment.  Cameras are dicts (the way they come out of our
calibration json), points are an (N, 3) array, observations are tuples
(camera id, point index, u, v)."""

import numpy as np


def rodrigues(rvec):
    rvec = np.asarray(rvec).ravel()
    theta = np.linalg.norm(rvec)
    if theta < 1e-12:
        return np.eye(3)
    kx, ky, kz = rvec / theta
    K = np.array([[0, -kz, ky],
                  [kz, 0, -kx],
                  [-ky, kx, 0]])
    return np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * (K @ K)


def distort(xn, yn, dist):
    k1, k2, p1, p2 = dist[:4]
    r2 = xn * xn + yn * yn
    radial = 1 + k1 * r2 + k2 * r2 ** 2
    xd = xn * radial + 2 * p1 * xn * yn + p2 * (r2 + 2 * xn ** 2)
    yd = yn * radial + p1 * (r2 + 2 * yn ** 2) + 2 * p2 * xn * yn
    return xd, yd


def camera_matrix(cam):
    P = np.zeros((3, 4))
    P[:, :3] = rodrigues(cam["rvec"])
    P[:, 3] = cam["tvec"]
    return P


def project(X, cam, intr):
    Xh = np.hstack([X, np.ones((X.shape[0], 1))])
    Xc = (camera_matrix(cam) @ Xh.T).T
    x, y, z = Xc.T
    xd, yd = distort(x / z, y / z, cam.get("dist", intr["dist"]))
    f_ = cam.get("f", intr["f"])
    cx, cy = intr["c"]
    return np.column_stack((f_ * xd + cx, f_ * intr["aspect"] * yd + cy))


def huber(r2, delta):
    r = np.sqrt(r2)
    return np.where(r <= delta, 0.5 * r2, delta * (r - 0.5 * delta))


def f(cams, points, intr, obs, gcps):
    by_cam = {}
    for cid, pid, u, v in obs:
        by_cam.setdefault(cid, ([], []))
        by_cam[cid][0].append(pid)
        by_cam[cid][1].append((u, v))

    cost = 0.0
    for cid in sorted(by_cam):
        pids, uv = by_cam[cid]
        res = project(points[pids], cams[cid], intr) - np.array(uv)
        cost += huber((res ** 2).sum(axis=1), 2.5).sum()

    # ground control
    for pid, (xyz, sigma) in gcps.items():
        dx = (points[pid] - xyz) / sigma
        cost += 0.5 * dx.dot(dx)

    # gps prior on the projection centres
    for cam in cams.values():
        if "gps" in cam:
            C = -rodrigues(cam["rvec"]).T @ cam["tvec"]
            cost += 0.5 * np.sum((C - cam["gps"]) ** 2) / 0.05 ** 2
    return float(cost)


WRT = (0, 1, 2)


def args():
    rng = np.random.default_rng(2024)
    npts = 150
    true_pts = np.c_[rng.uniform(-2, 2, (npts, 2)), rng.uniform(-0.4, 0.4, npts)]
    intr = {"f": 1200.0, "aspect": 1.002, "c": np.array([640.0, 480.0]),
            "dist": np.array([-0.08, 0.02, 1e-3, -5e-4])}
    cams = {}
    for i, ang in enumerate(np.deg2rad([-35, -30, -24, -18, -12, -6, 1, 8, 13, 19, 25, 31])):
        rvec = np.array([0.1 * np.cos(i), ang, 0.05 * (-1) ** i])
        tvec = np.array([0.05 * i - 0.3, 0.1, 7.0 + 0.1 * i])
        cams["IMG_%04d" % (i + 1)] = {"rvec": rvec, "tvec": tvec}
    cams["IMG_0002"]["dist"] = np.array([-0.1, 0.03, 0.0, 0.0])
    cams["IMG_0003"]["gps"] = -rodrigues(cams["IMG_0003"]["rvec"]).T @ cams["IMG_0003"]["tvec"] + 0.02
    cams["IMG_0004"]["f"] = 1190.0
    obs = []
    for cid, cam in cams.items():
        uv = project(true_pts, cam, intr)
        for j in np.flatnonzero(rng.random(npts) < 0.8):
            noise = rng.normal(0, 1.0, 2) if rng.random() > 0.05 else rng.normal(0, 15.0, 2)
            obs.append((cid, int(j), *(uv[j] + noise)))
    gcps = {0: (true_pts[0], 0.01), 5: (true_pts[5] + 0.005, 0.02), 17: (true_pts[17], 0.01)}
    points = true_pts + rng.normal(0, 0.004, true_pts.shape)
    return cams, points, intr, obs, gcps
