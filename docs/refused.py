"""The programs of ``docs/refused.md``, one for each kind of refusal: small, and as one writes them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.cluster.vq

X = np.array([0.5, 1.5, 2.0])
LOG: list[Any] = []


@dataclass
class Spring:
    stiffness: float
    length: float
    damping: float = 0.0

    def energy(self, x: Any) -> Any:
        return self.stiffness * np.sum((x - self.length) ** 2)


class Counter:
    calls = 0


COUNTER = Counter()


def context_manager(x: Any) -> Any:
    with open(os.devnull, "w") as file:
        file.write("energy")
        y = x**2
    return np.sum(y)


def parts_of(x: Any) -> Any:
    for k in range(3):
        yield x[k] ** k


def generator(x: Any) -> Any:
    left = parts_of(x)
    return next(left) + next(left)


def class_inside(x: Any) -> Any:
    class Scale:
        factor = 2.0
    return np.sum(x) * Scale.factor


def evaluated(x: Any) -> Any:
    return np.sum(eval("x ** 2"))


def module_state(x: Any) -> Any:
    global last
    last = np.sum(x**2)
    return last


def kept_outside(x: Any) -> Any:
    LOG.append(x[0])
    return np.sum(x**2)


def attribute_outside(x: Any) -> Any:
    COUNTER.largest = np.max(x)
    return np.sum(x**2)


def return_in_finally(x: Any) -> Any:
    try:
        y = x**2
    finally:
        return np.sum(y)  # noqa: B012


def rows_in_order(k: Any, x: Any) -> Any:
    rows = [[Spring(k, length)] for length in x]
    rows.sort(key=lambda row: row[0].energy(x))
    return rows[0][0].energy(x)


def fields_from_a_star(params: Any, x: Any) -> Any:
    spring = Spring(*sorted(params))
    return spring.energy(x)


def list_arithmetic(x: Any) -> Any:
    total = 0.0
    for row in [x, 2.0 * x]:
        total += np.sum(row * [x[0], x[1], 1.0])
    return total


def differentiated_set(x: Any) -> Any:
    return sum({x[0] ** 2, x[1]})


def differentiated_key(x: Any) -> Any:
    table = {x[0]: x[1]}
    return sum(table.values())


def differentiated_text(x: Any) -> Any:
    return float("%.17g" % np.sum(x**2))  # noqa: UP031


def without_rule(x: Any) -> Any:
    return np.sum(scipy.cluster.vq.kmeans(x, 2)[0])


def two_buffers(x: Any) -> Any:
    old, new = x.copy(), np.zeros(3)
    ends = new[:2]
    old, new = new, old
    old[:] = new * x[0]
    return np.sum(ends)


def complex_parts(parts: Any) -> Any:
    return np.abs(parts[0]) + np.abs(parts[1]) ** 2


def no_scalar(x: Any) -> Any:
    return x**2


def of_whole_numbers(x: Any) -> Any:
    return np.sum(x**2)


CASES: dict[Any, tuple[Any, ...]] = {
    context_manager: (X,), generator: (X,), class_inside: (X,), evaluated: (X,), module_state: (X,),
    kept_outside: (X,), attribute_outside: (X,), return_in_finally: (X,),
    rows_in_order: (1.5, X), fields_from_a_star: (np.array([2.0, 1.0]), X),
    list_arithmetic: (X,), differentiated_set: (X,), differentiated_key: (X,),
    differentiated_text: (X,), without_rule: (X,), two_buffers: (X,), complex_parts: ([1.0 + 2.0j, 0.5j],), no_scalar: (X,),
    of_whole_numbers: (np.arange(3),),
}
"""The functions, each with arguments at which it is refused; the gradient is asked for of the first."""
