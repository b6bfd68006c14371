"""SciPy's distributions: rows of formulas of the standard forms, from which the functions of all methods are written.

A row gives what is particular to a distribution, in ``z = (x - loc) / scale``, in the probability ``q`` and in SciPy's shapes::

    continuous(
        "gamma", low="0", safe="1.0", valid="a > 0", logpdf="special.xlogy(a - 1, z) - z - special.gammaln(a)",
        cdf="special.gammainc(a, z)", sf="special.gammaincc(a, z)", ppf="special.gammaincinv(a, q)", mean="a", var="a",
    )

and what is the same in all of them stands here once. Of that row, ``logpdf`` becomes::

    def gamma_logpdf(x, a, loc=0, scale=1):
        y = (x - loc) / np.where((scale > 0) & (a > 0), scale, np.nan)
        outside = y < 0
        z = np.where(outside, 1.0, y)
        return np.where(outside, -np.inf, special.xlogy(a - 1, z) - z - special.gammaln(a) - np.log(scale))

Parameters that a distribution cannot have make everything nan, and what is outside of the support does not move.
"""

from __future__ import annotations

import linecache
import re
from typing import Any

import numpy as np
from scipy import special, stats

from ..frames import constant
from ..library_functions import COMPOSITES, DISTRIBUTIONS
from ..library_objects import FROZEN, Record


def held(self: Any) -> Any:
    """The parameters of a frozen distribution: its shapes, its location, and its scale if it has one."""
    shapes, loc, scale = self.dist._parse_args(*self.args, **self.kwds)
    return *shapes, loc, *([scale] if isinstance(self.dist, stats.rv_continuous) else [])


constant(held)

NAMESPACE: dict[str, Any] = {"__name__": __name__, "np": np, "special": special, "stats": stats, "held": held}
"""What the formulas read: NumPy, special functions, and helpers of their own (:func:`formula_helper`)."""


def formula_helper(function: Any) -> Any:
    """Let the formulas of rows call a function in plain NumPy Python, which is inlined as they are."""
    NAMESPACE[function.__name__] = function
    return function


def continuous(
    name: str, *, low: str = "", high: str = "", closed: bool = True, outside: str = "", above: str = "", safe: str = "",
    smooth: bool = False, valid: str = "", **row: str,
) -> None:
    """Write the methods of a continuous distribution.

    ``low`` and ``high`` bound its support, which holds them if it is ``closed``; where the shapes decide on which side there is a bound,
    ``outside`` and ``above`` say where a point is. ``safe`` is a point in the support for formulas that may not be evaluated elsewhere
    (that of the density may be where it is ``smooth``); ``valid`` says which shapes there are.
    """
    if not outside:
        outside, above = _bounds(low, high, "<" if closed else "<=", ">" if closed else ">=")
    guarded = f"np.where({' & '.join(['(scale > 0)', *([f'({valid})'] if valid else [])])}, scale, np.nan)"
    logpdf = row.pop("logpdf")
    row = {"pdf": f"np.exp({logpdf})", **row}
    methods = {"logpdf": (f"{logpdf} - np.log(scale)", "-np.inf"), "pdf": (f"({row.pop('pdf')}) / scale", "0.0")}
    for method, formula in _with_logarithms(row).items():
        if method in LOW_SIDE:
            methods[method] = (formula, (BOTH_SIDES if above else LOW_SIDE)[method])
    written = {}
    for method, (formula, aside) in methods.items():
        lines = [f"z = (x - loc) / {'scale' if method == 'logpdf' and not outside and not valid else guarded}"]
        if outside:
            lines += [f"outside = {outside}", *([f"above = {above}"] if "above" in aside else [])]
            formula = f"np.where(outside, {aside}, {formula})"
            if safe and not (smooth and "pdf" in method):
                lines = [*(re.sub(r"\bz\b", "y", line) for line in lines), f"z = np.where(outside, {safe}, y)"]
        written[f"{method}(x"] = (lines, formula)
    for method, formula in _quantiles(row).items():
        checked = ["p = np.where((q >= 0) & (q <= 1), q, np.nan)"] if re.search(r"\bq\b", CHECKED.sub("", formula)) else []
        formula = re.sub(r"\bq\b", "p", formula) if checked else formula
        written[method] = (checked, f"loc + {guarded} * ({formula})")
    moments = {"mean": "loc + {s} * ({f})", "var": "{s}**2 * ({f})", "entropy": "{f} + np.log({s})"}
    if "var" in row:
        row["std"], moments["std"] = f"np.sqrt({row['var']})", "{s} * {f}"
    for method in (method for method in moments if method in row):
        written[f"{method}("] = ([], moments[method].format(s=guarded, f=row[method]))
    _write(name, written, "loc=0, scale=1")


def discrete(name: str, *, low: str = "0", high: str = "", valid: str, **row: str) -> None:
    """Write the methods of a distribution of whole numbers from ``low`` to ``high``, which it has if its shapes are ``valid``."""
    point = f"y = np.where({valid}, np.floor(k - loc), np.nan)"
    logpmf = row.pop("logpmf")
    outside, _ = _bounds(low, high, "<", ">", "y")
    moved = f"z = np.where(outside, {low}, y)"
    mass = [point, f"outside = {outside} | (y < k - loc)", moved]
    written = {
        "logpmf(k": (mass, f"np.where(outside, -np.inf, {logpmf})"), "pmf(k": (mass, f"np.where(outside, 0.0, np.exp({logpmf}))"),
    }
    outside, above = _bounds(low, high, "<", ">=", "y")
    lines = [point, f"outside = {outside}", *([f"above = {above}"] if high else []), moved]
    aside = BOTH_SIDES if high else LOW_SIDE
    for method, formula in _with_logarithms(row).items():
        if method in aside:
            written[f"{method}(k"] = (lines, f"np.where(outside, {aside[method]}, {formula})")
    if "var" in row:
        row["std"] = f"np.sqrt({row['var']})"
    for method in (method for method in ("mean", "var", "std", "entropy") if method in row):
        start = "loc + " if method == "mean" else ""
        written[f"{method}("] = ([], f"{start}np.where({valid}, {row[method]}, np.nan)")
    _write(name, written, "loc=0")


LOW_SIDE = {"cdf": "0.0", "sf": "1.0", "logcdf": "-np.inf", "logsf": "0.0"}
"""What the distribution functions are outside of a support that has a bound below."""

BOTH_SIDES = {
    "cdf": "np.where(above, 1.0, 0.0)", "sf": "np.where(above, 0.0, 1.0)", "logcdf": "np.where(above, 0.0, -np.inf)",
    "logsf": "np.where(above, -np.inf, 0.0)",
}
"""What they are where there may be one above."""

CHECKED = re.compile(r"special\.(ndtri|logit|gammaincinv|gammainccinv|betaincinv)\(([^()]*, )?(q|1 - q|\(1 - q\))\)")
"""What is nan by itself where a probability is none."""


def _bounds(low: str, high: str, below: str, above: str, point: str = "z") -> tuple[str, str]:
    """What tells that a point is outside of a support, and that it is above it."""
    found = [f"({point} {sign} {bound})" for sign, bound in ((below, low), (above, high)) if bound]
    return " | ".join(found), f"{point} {above} {high}" if high else ""


def _with_logarithms(row: dict[str, str]) -> dict[str, str]:
    """A row with the logarithms of its distribution functions."""
    return {f"log{method}": f"np.log({row[method]})" for method in ("cdf", "sf") if method in row} | row


def _quantiles(row: dict[str, str]) -> dict[str, str]:
    """The formulas of a row for what has a given probability."""
    if "ppf" not in row:
        return {}
    found = {"ppf(q": row["ppf"], "isf(q": row.get("isf", re.sub(r"\bq\b", "(1 - q)", row["ppf"]))}
    return found | {"median(": re.sub(r"\bq\b", "0.5", row["ppf"])}


def _others(name: str, point: str) -> dict[str, tuple[str, str]]:
    """The methods of what a distribution makes that are SciPy's own: their parameters, and the call, with a place for what is held."""
    found = dict.fromkeys(LOW_SIDE, (point, f"{point}, %s")) | dict.fromkeys(("ppf", "isf"), ("q", "q, %s"))
    found |= dict.fromkeys(("mean", "var", "std", "median", "entropy", "support"), ("", "%s"))
    found |= {"moment": ("order", "order, %s"), "interval": ("confidence", "confidence, %s")}
    found |= {"rvs": ("size=None, random_state=None", "%s, size=size, random_state=random_state")}
    return {method: (first, f"stats.{name}.{method}({given})") for method, (first, given) in found.items()}


def _write(name: str, written: dict[str, tuple[list[str], str]], parameters: str) -> None:
    """Make functions of the text of their bodies, which stays readable, and register them for a distribution's methods; also a class for
    what the distribution makes when it is called, which has the other methods, too."""
    distribution = getattr(stats, name)
    parameters = ", ".join([distribution.shapes, parameters] if distribution.shapes else [parameters])
    names = [parameter.partition("=")[0] for parameter in parameters.split(", ")]
    own = ", ".join(f"self.{each}" for each in names)
    functions, methods = "", _others(name, "k" if "pmf(k" in written else "x")
    for head, (lines, result) in written.items():
        method, _, first = head.partition("(")
        start = f"{first}, " if first else ""
        methods[method] = (first, f"{name}_{method}({start}%s)")
        body = "".join(f"    {line}\n" for line in [*lines, f"return {result}"])
        functions += f"\n\ndef {name}_{method}({start}{parameters}):\n{body}"
        functions += f"\n\ndef frozen_{name}_{method}({', '.join(filter(None, ['self', first]))}):\n    {', '.join(names)}, = held(self)\n"
        functions += f"    return {name}_{method}({start}{', '.join(names)})\n"
    text = f"class {name.title()}:\n    def __init__(self, {parameters}):\n" + "".join(f"        self.{each} = {each}\n" for each in names)
    for method, (first, call) in methods.items():
        text += f"\n    def {method}({', '.join(filter(None, ['self', first]))}):\n        return {call % own}\n"
    file, text = f"<scipy.stats.{name}>", text + functions
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), NAMESPACE)
    COMPOSITES[distribution] = NAMESPACE[name.title()]
    frozen = {method: NAMESPACE[f"frozen_{name}_{method}"] for method in (head.partition("(")[0] for head in written)}
    FROZEN[distribution] = Record(NAMESPACE[name.title()], frozen, frozenset())
    COMPOSITES.update((function, function) for function in frozen.values())
    COMPOSITES.update((getattr(distribution, method), NAMESPACE[f"{name}_{method}"]) for method in frozen)
    DISTRIBUTIONS.append(distribution)
