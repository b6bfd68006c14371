"""The text of a program of one kind of state, one block in another one, and one way to leave the outer one."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError
from tests.corpus.judge import copied, reference, wrong_gradient

from .states import KINDS, PREAMBLE

OUTER = {
    "nothing": "i, e = 1, x[1]\n*",
    "for": "for i, e in enumerate(x):\n    *",
    "range": "for i in range(len(x)):\n    e = x[i]\n    *",
    "while": "i = -1\nwhile i < 2:\n    i += 1\n    e = x[i]\n    *",
    "if": "i, e = 1, x[1]\nif t > 0.0:\n    *",
    "list": "for i, e in enumerate([x[0], x[1], x[2]]):\n    *",
    "data": "for i, e in DATA:\n    *",
}
"""Blocks in which the number ``i`` of an item ``e`` is bound."""

INNER = {
    "nothing": "*",
    "one trip at most": "for j in range(i % 2):\n    *",
    "two trips": "for j in range(2):\n    *",
    "no trip": "for j in range(0):\n    *",
    "while": "m = 0\nwhile m < i:\n    *\n    m += 1",
    "if": "if i % 2:\n    *",
    "if of a value": "if e > 1.0:\n    *",
    "if and else": "if e > 1.0:\n    *\nelse:\n    s = s * 0.9",
    "if in if": "if i > 0:\n    if e > 1.0:\n        *\n    else:\n        s = s * 0.9",
    "if in for": "for j in range(2):\n    if (i + j) % 2:\n        *",
    "for that is left": "for j in range(3):\n    *\n    if j == i:\n        break",
    "for that a value leaves": "for h in x:\n    if h * e > 1.0:\n        break\n    *",
    "try": "try:\n    *\nfinally:\n    s = s + 0.1",
}

ENDS = {
    "": "*",
    "read": "*\ns = s + READ",
    "break": "*\nif i == 1:\n    break",
    "break by a value": "*\ns = s + t * e\nif s > 3.0:\n    break",
    "break at first": "if i == 2:\n    break\n*",
    "continue": "*\nif i == 1:\n    continue\ns = s + READ",
    "return": "*\nif i == 2:\n    return s * READ",
}
"""What the outer block does after the inner one."""

X, T = np.array([0.523, 1.231, 0.717]), 1.307


class Case(NamedTuple):
    """The names of the parts of a program."""

    kind: str
    outer: str
    inner: str
    end: str


CASES = [Case(*names) for names in itertools.product(KINDS, OUTER, INNER, ENDS)
         if names[1] not in ("nothing", "if") or "break" not in names[3] and names[3] != "continue"]


def around(block: str, statements: str) -> str:
    """A block with statements where its star stands."""
    lines: list[str] = []
    for line in block.splitlines():
        indent = line[:len(line) - len(line.lstrip())]
        lines += [indent + inner for inner in statements.splitlines()] if line.strip() == "*" else [line]
    return "\n".join(lines)


def text(case: Case) -> str:
    """The text of a program, a function ``f`` of ``x`` and ``t``.

    >>> print(text(Case("a number", "for", "if", "read")).split("def f")[1])
    (x, t):
        s = t * 0.3
        p = 1.0
        for i, e in enumerate(x):
            if i % 2:
                p = p * 0.5 + t * e
            s = s + p
        return s + p
    <BLANKLINE>
    """
    kind = KINDS[case.kind]
    change = kind.change if "\n" in kind.change else kind.change.replace("; ", "\n")
    begin = kind.begin if "\n" in kind.begin else kind.begin.replace("; ", "\n")
    inner = around(ENDS[case.end].replace("READ", kind.read), around(INNER[case.inner], change))
    body = f"s = t * 0.3\n{begin}\n{around(OUTER[case.outer], inner)}\nreturn s + {kind.read}"
    return f"{PREAMBLE}\n\ndef f(x, t):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def load(case: Case, folder: Path) -> Callable[..., Any]:
    """The function of a program, written to a file of its own."""
    return loaded(text(case), folder / f"{'_'.join(case)}.py".replace(" ", "_"))


def loaded(source: str, path: Path) -> Callable[..., Any]:
    """The function ``f`` of a text, which is written to a file."""
    path.write_text(source)
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = sys.modules[path.stem] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f  # type: ignore[no-any-return]


def judge(case: Case, folder: Path) -> str:
    """What becomes of a program: ``right``, ``refused``, ``raises`` where the plain one does, or what is wrong."""
    return verdict(load(case, folder), (X.copy(), T))


def verdict(function: Callable[..., Any], args: tuple[Any, Any]) -> str:
    """The same of a function of an array and a number."""
    try:
        truth = reference(function, args, {}, (0, 1))
    except (IndexError, KeyError, RuntimeError, ValueError):
        return "raises"
    try:
        value, gradient = sourcediff.value_and_grad(function, wrt=(0, 1), mode="compiled")(*copied(args))
    except SourcediffError as error:
        return str(error) if "a fault of sourcediff" in str(error) else "refused"
    wrong = wrong_gradient(gradient, function, args, {}, (0, 1), truth)
    if not np.isclose(float(value), float(truth.value)):
        wrong.insert(0, f"the value is {value}, not {truth.value}")
    return "\n".join(wrong) or "right"
