"""Logistic regression over ten million rows of a file, on two worker processes, one of which is killed meanwhile.

    python examples/many_rows.py

The loss is a plain NumPy function of a part of the rows; ``sourcediff.distributed`` adds up its value and gradient over the parts, which
lie with Dask's workers. SciPy's minimiser is given both. The file (1.7 GB, made at first) is read part by part by the worker that
needs it, so the parts of the one that is killed are read again by another, and the gradient has the same bits. With fewer rows:
``--rows 1000000``. Needs sourcediff[dask,scipy].
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from dask import delayed
from distributed import Client, LocalCluster
from scipy.optimize import minimize

from sourcediff import distributed

Array = Any
COLUMNS = 20


class Fitted(NamedTuple):
    """The weights that made the labels, those found, the gradients at zero before and after a worker was lost, and seconds a step."""

    hidden: Array
    found: Array
    gradient: Array
    after_loss: Array
    seconds: float


def loss(weights: Array, table: Array) -> Array:
    """The negative log likelihood of the labels, ±1 in the last column, given the features, in the others."""
    margins = table[:, -1] * (table[:, :-1] @ weights)
    return np.sum(np.logaddexp(0.0, -margins))


def write(path: Path, rows: int, hidden: Array, chunk: int = 500_000) -> None:
    """A file of features and labels, (rows, COLUMNS + 1)."""
    table = np.lib.format.open_memmap(path, "w+", float, (rows, COLUMNS + 1))
    random = np.random.default_rng(0)
    for start in range(0, rows, chunk):
        part = table[start:start + chunk]
        part[:, :-1] = random.normal(size=(len(part), COLUMNS))
        chance = 1 / (1 + np.exp(-part[:, :-1] @ hidden))
        part[:, -1] = np.where(random.random(len(part)) < chance, 1.0, -1.0)
    table.flush()


def read(path: str, start: int, stop: int) -> Array:
    """Rows of the file."""
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def kill_one(client: Client, after: float) -> threading.Timer:
    """Kill a worker some seconds from now, as a machine that is lost does."""
    pid = next(iter(client.run(os.getpid).values()))
    timer = threading.Timer(after, os.kill, (pid, signal.SIGKILL))
    timer.start()
    return timer


def main(rows: int = 10_000_000, parts: int = 16, workers: int = 2, after: float = 0.5) -> Fitted:
    hidden = np.linspace(-1.0, 1.0, COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        write(path, rows, hidden)
        ends = np.linspace(0, rows, parts + 1).astype(int).tolist()
        table = [delayed(read)(str(path), start, stop) for start, stop in itertools.pairwise(ends)]
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
            objective = distributed.value_and_grad(loss, over="table", client=client)
            zero = np.zeros(COLUMNS)
            gradient = objective(zero, table)[1]
            began = time.perf_counter()
            for _ in range(3):
                objective(zero, table)
            seconds = (time.perf_counter() - began) / 3
            print(f"{rows} rows, {parts} parts, {workers} workers: {seconds:.3f} s a step")
            timer = kill_one(client, after * seconds)
            after_loss = objective(zero, table)[1]
            timer.join()
            print(f"a worker was killed; the largest difference of the gradient is {np.max(np.abs(after_loss - gradient))}")
            found = minimize(objective, zero, args=(table,), jac=True, method="L-BFGS-B").x
            print(f"the largest error of a weight is {np.max(np.abs(found - hidden)):.5f}, after {objective.steps} steps")
    return Fitted(hidden, found, gradient, after_loss, seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--parts", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    main(given.rows, given.parts, given.workers)
