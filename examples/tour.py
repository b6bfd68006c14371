"""A short tour: a function, its generated gradient, the check of one engine against the other, and one timing.

    python examples/tour.py
"""

from __future__ import annotations

import inspect
import statistics
import time
from typing import Any

import numpy as np

import sourcediff

Array = Any


def heat(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def heat_by_hand(u: Array, c: float, steps: int) -> Array:
    """The gradient with respect to u as somebody who knows the subject writes it."""
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    u_bar = 2 * u
    for k in reversed(range(steps)):
        t_bar = c * u_bar[1:-1]
        u_bar[2:] += t_bar
        u_bar[1:-1] -= 2 * t_bar
        u_bar[:-2] += t_bar
    return u_bar


def main(points: int = 1000, steps: int = 100, rounds: int = 15) -> float:
    """Print the tour; return the ratio of the generated gradient's time to that of the one by hand."""
    u, c = np.sin(np.linspace(0, 3, points)), 0.25
    gradient = sourcediff.grad(heat)

    title("The function")
    print(inspect.getsource(heat))
    title("Its gradient with respect to u, generated from this source")
    print(sourcediff.gradient_source(heat, args=(u, c, steps)))

    title("The same gradient on the eager engine, compared value by value")
    print(sourcediff.cross_check(heat, u, c, steps))
    by_hand = heat_by_hand(u, c, steps)
    print(f"largest difference from the gradient by hand: {np.max(np.abs(gradient(u, c, steps) - by_hand)):.1g}\n")

    title(f"One timing: {points} points, {steps} steps, {rounds} rounds in turn")
    ours, theirs = medians([lambda: gradient(u, c, steps), lambda: heat_by_hand(u, c, steps)], rounds)
    print(f"generated {1000 * ours:.2f} ms, by hand {1000 * theirs:.2f} ms: {ours / theirs:.2f} times")
    return ours / theirs


def title(text: str) -> None:
    print(f"{text}\n{'-' * len(text)}")


def medians(functions: list[Any], rounds: int) -> list[float]:
    """The median time of a call of each, in seconds, the calls taken in turn."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, own in zip(functions, times):
            start = time.perf_counter()
            function()
            own.append(time.perf_counter() - start)
    return [statistics.median(own) for own in times]


if __name__ == "__main__":
    main()
