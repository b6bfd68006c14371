"""What a step over several workers costs beside the gradients themselves: ``python -m benchmarks.scale``. Needs sourcediff[dask].

The figures of docs/scale.md. A loss that does nothing shows the cost of the step, against the number of parts and the size of the
parameters; one that takes longer, how much faster two workers are than one.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sourcediff import distributed

PARTS = (2, 8, 32, 128)
PARAMETERS = (100, 10_000, 100_000, 1_000_000, 10_000_000)
ROUNDS = (1, 10, 50, 200)


def nothing(w: Any, X: Any) -> Any:
    return w[0] * np.sum(X)


def rounds_of_work(w: Any, X: Any, rounds: int) -> Any:
    total = 0.0
    for _ in range(rounds):
        total = total + np.sum(np.tanh(X @ w))
    return total


def part(rows: int) -> Any:
    return np.ones((rows, 20))


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as made, Client(made) as client:
        yield client


def milliseconds(call: Callable[..., Any], *args: Any, number: int = 15) -> float:
    """The median of several calls, after two others."""
    times = []
    for _ in range(number + 2):
        began = time.perf_counter()
        call(*args)
        times.append(time.perf_counter() - began)
    return 1e3 * statistics.median(times[2:])


def main() -> None:
    from dask import delayed

    with cluster(2) as client:
        for parts in PARTS:
            data = [delayed(part)(10) for _ in range(parts)]
            took = milliseconds(distributed.value_and_grad(nothing, "X", client=client), np.ones(100), data)
            print(f"{parts:4} parts: {took:8.1f} ms a step")
        for size in PARAMETERS:
            data = [delayed(part)(10) for _ in range(8)]
            took = milliseconds(distributed.value_and_grad(nothing, "X", client=client), np.ones(size), data, number=7)
            print(f"{8 * size / 1e6:8.3f} MB of parameters: {took:8.1f} ms a step")
    times: dict[tuple[int, int], float] = {}
    for workers in (1, 2):
        with cluster(workers) as client:
            data = [delayed(part)(20_000) for _ in range(2)]
            over = distributed.value_and_grad(rounds_of_work, "X", client=client)
            for rounds in ROUNDS:
                times[workers, rounds] = milliseconds(over, np.ones(20), data, rounds, number=7)
    for rounds in ROUNDS:
        one, two = times[1, rounds], times[2, rounds]
        print(f"{one:8.0f} ms a step with one worker: {two:8.0f} ms with two, {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
