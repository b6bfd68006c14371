"""Losses over rows, in a module that worker processes import."""

from __future__ import annotations

import numpy as np

ROWS, COLUMNS = 4000, 5
TABLE = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
LABELS = np.random.default_rng(1).normal(size=ROWS)


def rows(which, start, stop):
    """Rows of the table (0) or of the labels (1)."""
    return (TABLE, LABELS)[which][start:stop]


def slow_rows(which, start, stop):
    import time

    time.sleep(0.2)
    return rows(which, start, stop)


def squares(p, X, y):
    return np.sum((np.tanh(X @ p["w"] + p["b"]) - y) ** 2)


def squares_of_frame(p, rows):
    return squares(p, rows.drop(columns="label").to_numpy(), rows["label"].to_numpy())


def mean_of_squares(p, X, y):
    return np.mean((np.tanh(X @ p["w"] + p["b"]) - y) ** 2)


def slow_squares(p, X, y):
    for _ in range(400):  # long enough to be killed in
        t = np.tanh(X @ p["w"] + p["b"])
    return np.sum((t - y) ** 2)


def of_many_weights(w, X):
    return np.sum(X) * np.sum(w ** 2)


def asked_of_once(w, X, y):
    return np.sum(np.sinh(X @ w) - y)


def not_compiled(p, X, y):
    return np.sum((X @ p["w"] - y) ** 2) * eval("1.0")


def fails(p, X, y):
    if len(y) > 10:
        raise KeyError("more than ten rows")
    return np.sum((X @ p["w"] + p["b"] - y) ** 2)
