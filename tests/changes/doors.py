"""Every door to a derivative, each as a function of a point, with what it is to give there by differences of the plain function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import sourcediff
from sourcediff.analysis.environment.captured import Surroundings, current
from sourcediff.errors import SourcediffError

Door = Callable[[Any], Any]

ALONG = np.array([[1.0, 2.0], [3.0, -1.0]])
"""Directions without zeros, of which the tangents tell the whole gradient."""


def grad(total: Any) -> Door:
    return sourcediff.grad(total, mode="compiled")


def automatic(total: Any) -> Door:
    return sourcediff.grad(total)


def value_and_grad(total: Any) -> Door:
    both = sourcediff.value_and_grad(total, mode="compiled")

    def gradient(x: Any) -> Any:
        value, found = both(x)
        assert value == total(x)
        return found

    return gradient


def vjp(total: Any) -> Door:
    return lambda x: sourcediff.vjp(total, x, mode="compiled")[1](1.0)[0]


def jvp(total: Any) -> Door:
    return lambda x: np.linalg.solve(ALONG, [sourcediff.jvp(total, (x,), (along,), mode="compiled")[1] for along in ALONG])


def backward_jacobian(total: Any) -> Door:
    return sourcediff.jacobian(total, direction="reverse", mode="compiled")


def forward_jacobian(total: Any) -> Door:
    return sourcediff.jacobian(total, direction="forward", mode="compiled")


def hvp(total: Any) -> Door:
    product = sourcediff.hvp(total, mode="compiled")
    return lambda x: np.stack([product(x, along) for along in ALONG])


def hessian(total: Any) -> Door:
    product = sourcediff.hessian(total, mode="compiled")
    return lambda x: ALONG @ product(x)


def one_node(total: Any) -> Door:
    gradient = sourcediff.grad(total, mode="compiled")
    return lambda x: gradient(sourcediff.Variable(x, requires_grad=True)).detach().numpy()


def call_that_stays(total: Any) -> Door:
    return sourcediff.grad(total.__globals__["again"], mode="compiled")


def pushed_call(total: Any) -> Door:
    again = total.__globals__["again"]
    return lambda x: np.linalg.solve(ALONG, [sourcediff.jvp(again, (x,), (along,), mode="compiled")[1] for along in ALONG])


def source(total: Any) -> Door:
    def gradient(x: Any) -> Any:
        namespace: dict[str, Any] = {}
        exec(sourcediff.gradient_source(total, args=(x,)), namespace)
        read = Surroundings(total).functions
        captured = [current(read[number], name) for number, name in namespace.get("CAPTURED", {}).values()]
        return namespace["total_grad"](x.copy(), *captured)

    return gradient


FIRST: tuple[Callable[[Any], Door], ...] = (
    grad, automatic, value_and_grad, vjp, jvp, backward_jacobian, forward_jacobian, one_node, call_that_stays, pushed_call, source)
SECOND: tuple[Callable[[Any], Door], ...] = (hvp, hessian)
FEW = ("value_and_grad", "vjp", "jvp", "call_that_stays")
"""Doors enough to see whether what is kept elsewhere is looked at."""


def made(total: Any, wanted: Any = ()) -> dict[str, Door]:
    """The doors of a function, by their names."""
    return {door.__name__: door(total) for door in FIRST + SECOND if not wanted or door.__name__ in wanted}


def expected(total: Any, x: Any) -> tuple[Any, Any]:
    """The gradient and the products with the Hessian, by differences; an exception where the function raises one."""
    step, second = 1e-6, 1e-4
    units = second * np.eye(x.size)
    try:
        gradient = np.array([(total(x + e) - total(x - e)) / (2 * step) for e in step * np.eye(x.size)])
        rows = [[total(x + a + b) - total(x + a - b) - total(x - a + b) + total(x - a - b) for a in units] for b in units]
    except Exception as error:
        return error, error
    return gradient, ALONG @ np.array(rows) / (4 * second**2)


def wrong(doors: dict[str, Door], total: Any, x: Any, refused: Counter[str]) -> list[str]:
    """Which doors do not give what the plain function has, and what they give; where that raises they are to raise the same.

    A refusal is not wrong, but counted.
    """
    found = []
    truths = expected(total, x)
    for name, door in doors.items():
        truth = truths[name in [second.__name__ for second in SECOND]]
        try:
            answer: Any = door(x)
        except SourcediffError:
            refused[name] += not isinstance(truth, Exception)
            continue
        except Exception as error:
            answer = error
        if isinstance(truth, Exception) or isinstance(answer, Exception):
            right = type(truth) is type(answer)
        else:
            right = np.allclose(answer, truth, rtol=1e-4, atol=1e-5)
        if not right:
            said = f"{type(answer).__name__}: {answer}" if isinstance(answer, Exception) else repr(answer)
            found.append(f"{name}: {said}, not {truth!r}")
    return found
