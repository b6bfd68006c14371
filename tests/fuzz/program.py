"""A program as a tree of text, so that it can be written to a file and shrunk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

HELPERS = {
    "blend": "def blend(u, v):\n    w = u * 0.5 + np.sin(v)\n    return w\n",
    "cube": "def cube(s, scale=0.5):\n    if s > 0:\n        return s * s * s * scale\n    else:\n        return s * scale\n",
    "decay": "def decay(s, trips):\n    for _ in range(trips):\n        s = s * 0.8 + 0.1 * np.sin(s)\n    return s\n",
    "bump": "def bump(z, c):\n    z[0] += c\n    z[1:] *= 0.9\n",
    "combine": "def combine(u, *rest, k=0.5):\n    for v in rest:\n        u = u * k + np.sin(v)\n    return u * k\n",
    "falling": "def falling(v, k):\n    return v * 0.5 if k == 0 else 0.5 * v + 0.3 * np.tanh(falling(v * 0.8, k - 1))\n",
    "halved": (
        "def halved(z):\n    middle = len(z) // 2\n    if middle == 0:\n        return z[0] * 0.7\n"
        "    return halved(z[:middle]) - 0.5 * halved(z[middle:]) ** 2\n"
    ),
    "twice": "def twice(f, s):\n    return f(np.tanh(f(s) * 0.5))\n",
    "Spring": (
        "class Spring:\n    def __init__(self, k, rest=0.3):\n        self.k = k\n        self.rest = rest\n\n"
        "    @property\n    def softness(self):\n        return 1 / (1 + self.k ** 2)\n\n"
        "    def stretch(self, s):\n        self.rest = self.rest * 0.5 + s\n\n"
        "    def energy(self, s):\n        return 0.5 * np.tanh(self.k) * np.tanh(s - self.rest)\n"
    ),
    "Pair": (
        "class Pair(NamedTuple):\n    one: object\n    other: object = 0.5\n\n"
        "    def turned(self):\n        return Pair(self.other, np.sin(self.one))\n"
    ),
    "damped": (
        "def damping(f):\n    @functools.wraps(f)\n    def wrapper(*args, **kwargs):\n        return 0.5 * f(*args, **kwargs) + 0.1\n\n"
        "    return wrapper\n\n\n@damping\ndef damped(s, k=0.3):\n    return np.tanh(s) * k\n"
    ),
    "pushed": "def pushed(z, c):\n    z[1:] = z[:-1] * 0.5\n    z[0] = np.sin(c)\n    return z\n",
    "State": (
        "class State:\n    def __init__(self, v):\n        self.v = v * 1.0\n        self.n = 1\n\n"
        "    @property\n    def total(self):\n        return np.sum(np.tanh(self.v)) * self.n\n\n"
        "    def push(self, s):\n        self.v[0] += np.tanh(s)\n        self.v *= 0.9\n        self.n += 1\n        return self.v[1]\n"
    ),
    "drain": "def drain(z):\n    t = z[0]\n    z[0] = 0.5 * z[1]\n    return t * z[1]\n",
}

IMPORTS = {
    "functools.": "import functools\n", "itertools.": "import itertools\n", "partial(": "from functools import partial\n",
    "Pair(": "from typing import NamedTuple\n",
}
"""What a program imports beside NumPy, if it has these words."""


class Compound(NamedTuple):
    """A statement with arms: one for a loop, several for ``if``/``elif``/``else``."""

    arms: tuple[tuple[str, Body], ...]


Statement: TypeAlias = "str | Compound"
Body: TypeAlias = "tuple[Statement, ...]"


@dataclass(frozen=True)
class Program:
    """``f(parameters)``: a body, then the sum of ``terms`` (or, with a condition, of ``terms`` or ``others``) is returned."""

    seed: int
    parameters: tuple[str, ...]
    body: Body
    terms: tuple[str, ...]
    condition: str = ""
    others: tuple[str, ...] = ()
    aliasing: bool = False

    @property
    def source(self) -> str:
        """The text of the module that holds the program.

        >>> print(Program(0, ("x",), ("x[0] = 2.0",), ("np.sum(x)",)).source)
        import numpy as np
        <BLANKLINE>
        <BLANKLINE>
        def f(x):
            x[0] = 2.0
            return np.sum(x)
        <BLANKLINE>
        """
        lines = [f"def f({', '.join(self.parameters)}):", *_lines(self.body, 1)]
        if self.condition:
            lines += [f"    if {self.condition}:", f"        return {' + '.join(self.terms)}"]
            lines += ["    else:", f"        return {' + '.join(self.others)}"]
        else:
            lines += [f"    return {' + '.join(self.terms)}"]
        function = "\n".join(lines) + "\n"
        helpers = [text for name, text in HELPERS.items() if re.search(rf"\b{name}\b", function)]
        imports = "".join(text for name, text in IMPORTS.items() if any(name in part for part in (function, *helpers)))
        imports += "\n" if imports else ""
        return "\n\n".join([f"{imports}import numpy as np\n", *helpers, function])


def _lines(body: Body, depth: int) -> Iterator[str]:
    indent = "    " * depth
    if not body:
        yield indent + "pass"
    for statement in body:
        if isinstance(statement, str):
            yield indent + statement
        else:
            for header, inner in statement.arms:
                yield f"{indent}{header}:"
                yield from _lines(inner, depth + 1)


def size(body: Body) -> int:
    """The number of statements, those inside others included."""
    return sum(1 if isinstance(s, str) else 1 + sum(size(inner) for _, inner in s.arms) for s in body)


def smaller_bodies(body: Body) -> Iterator[Body]:
    """Every body with something less, the boldest cuts first."""
    half = len(body) // 2
    if half > 1:
        yield body[half:]
        yield body[:half]
    for i, statement in enumerate(body):
        before, after = body[:i], body[i + 1:]
        yield before + after
        if isinstance(statement, Compound):
            for _, inner in statement.arms:
                yield before + inner + after
            if len(statement.arms) > 1:
                yield (*before, Compound(statement.arms[:-1]), *after)
            for j, (header, inner) in enumerate(statement.arms):
                kept = inner[-1:] if header.startswith("while") else ()  # what ends the loop
                for less in smaller_bodies(inner[:len(inner) - len(kept)]):
                    yield (*before, Compound((*statement.arms[:j], (header, less + kept), *statement.arms[j + 1:])), *after)


def smaller(program: Program) -> Iterator[Program]:
    """Every program with something less."""
    if program.condition:
        yield replace(program, condition="", others=())
        yield replace(program, condition="", others=(), terms=program.others)
    for i in range(len(program.terms)):
        if len(program.terms) > 1:
            yield replace(program, terms=program.terms[:i] + program.terms[i + 1:])
    for body in smaller_bodies(program.body):
        yield replace(program, body=body)


def shrunk(program: Program, fails: Callable[[Program], bool], patience: int = 400) -> Program:
    """The smallest program found that still fails; ``fails`` is asked at most ``patience`` times."""
    progress = True
    while progress:
        progress = False
        for candidate in smaller(program):
            patience -= 1
            if patience < 0:
                return program
            if fails(candidate):
                program, progress = candidate, True
                break
    return program
