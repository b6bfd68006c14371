"""Two inverse problems of heat flow, solved by differentiating a simulation that works in place.

    python examples/heat.py

A rod is heated and left alone; its ends are kept cold. It is measured now and then, at every point. First the hidden initial
temperature is recovered from these measurements, then (the start known) the hidden conductivity of the material. The
simulation is the loop that one would write anyway, ``u[1:-1] += …``; SciPy's minimiser gets value and gradient from
``value_and_grad``. The picture goes to examples/output/heat.png.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from sourcediff import value_and_grad

Array = Any
OUTPUT = Path(__file__).parent / "output"


class Recovered(NamedTuple):
    """What was looked for, the guess that the search began with, and what it found."""

    name: str
    hidden: Array
    guess: Array
    found: Array

    @property
    def error(self) -> float:
        """The largest difference, relative to the range of the hidden values."""
        return float(np.max(np.abs(self.found - self.hidden)) / np.ptp(self.hidden))


def misfit(start: Array, conductivity: Array, measured: Array, steps: int) -> Array:
    """Simulate, and compare with what was measured.

    ``start`` (n,) is the temperature at the points, ``conductivity`` (n - 1,) that of the pieces between them (in units in
    which a step is stable below 1/2), ``measured`` (m, n) was taken each ``steps`` steps.
    """
    u = start.copy()
    total = 0.0
    for row in measured:
        for k in range(steps):
            flow = conductivity * (u[1:] - u[:-1])
            u[1:-1] += flow[1:] - flow[:-1]
        total += np.sum((u - row) ** 2)
    return total


def measure(start: Array, conductivity: Array, times: int, steps: int) -> Array:
    """What the thermometers show, (times, n): the same simulation."""
    u = start.copy()
    rows = []
    for i in range(times):
        for k in range(steps):
            flow = conductivity * (u[1:] - u[:-1])
            u[1:-1] += flow[1:] - flow[:-1]
        rows.append(u.copy())
    return np.array(rows)


def search(name: str, objective: Callable[[Array], tuple[Any, Array]], guess: Array, bounds: tuple[float, float]) -> Array:
    """Minimise with L-BFGS-B, value and gradient from one function, printing now and then."""
    rounds = 0

    def progress(intermediate_result: Any) -> None:
        nonlocal rounds
        rounds += 1
        if rounds % 100 == 0:
            print(f"  {name}: round {rounds}, misfit {intermediate_result.fun:.3g}", flush=True)

    options = {"maxiter": 600, "maxfun": 1000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
    found = minimize(objective, guess, jac=True, method="L-BFGS-B", bounds=[bounds] * guess.size, callback=progress, options=options)
    print(f"  {name}: misfit {objective(guess)[0]:.3g} at the start, {found.fun:.3g} after {found.nit} rounds")
    return found.x


def main(points: int = 60, times: int = 10, steps: int = 2, output: Path = OUTPUT) -> list[Recovered]:
    """Solve both problems, print how close the answers are, save the picture."""
    place = np.linspace(0, 1, points)
    start = np.exp(-(((place - 0.3) / 0.07) ** 2)) + 0.6 * ((place > 0.55) & (place < 0.75)) + 0.15 * np.sin(9 * place) ** 2
    start[[0, -1]] = 0
    middle = (place[1:] + place[:-1]) / 2
    conductivity = 0.2 + 0.12 * np.sin(7 * middle) + 0.1 * (middle > 0.6)
    measured = measure(start, conductivity, times, steps)
    gradient = value_and_grad(misfit, wrt="start"), value_and_grad(misfit, wrt="conductivity")

    print(f"the initial temperature at {points} points, from {times} measurements")
    guess = np.zeros(points)
    found = search("temperature", lambda u: gradient[0](u, conductivity, measured, steps), guess, (-1.0, 2.0))
    temperature = Recovered("initial temperature", start, guess, found)

    print(f"the conductivity of {points - 1} pieces, from the same measurements")
    guess = np.full(points - 1, 0.2)
    found = search("conductivity", lambda c: gradient[1](start, c, measured, steps), guess, (0.01, 0.49))
    material = Recovered("conductivity", conductivity, guess, found)

    for each in (temperature, material):
        print(f"{each.name}: recovered to within {100 * each.error:.2g} % of its range")
    picture = draw([place, middle], [temperature, material], output)
    print(f"the picture: {picture}")
    return [temperature, material]


def draw(places: list[Array], recovered: list[Recovered], output: Path) -> Path:
    """Hidden, guessed and found, side by side for both problems."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, place, each in zip(figure.subplots(1, 2), places, recovered):
        axes.plot(place, each.hidden, color="black", linewidth=3, alpha=0.25, label="hidden")
        axes.plot(place, each.guess, color="gray", linestyle=":", label="first guess")
        axes.plot(place, each.found, color="tab:red", linewidth=1, label="found")
        axes.set(title=each.name, xlabel="place on the rod")
        axes.legend(fontsize="small")
    output.mkdir(parents=True, exist_ok=True)
    path = output / "heat.png"
    figure.savefig(path, dpi=110)
    return path


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()
