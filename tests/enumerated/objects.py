"""``python -m tests.enumerated.objects FIRST COUNT``: random programs in which objects go from one list to another and refer to one
another; those that are wrong are printed, and how many are refused.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .programs import T, X, loaded, verdict

PREAMBLE = """
import numpy as np


class Car:
    def __init__(self, x, v):
        self.x, self.v, self.n, self.to, self.log = x, v, 0, None, []

    def step(self, dt):
        self.x = self.x + dt * self.v
        self.n += 1

    def near(self, other):
        return abs(self.x - other.x)

    def __lt__(self, other):
        return self.x < other.x


def f(x, t):
    s = t * 0.3
    a = [Car(t, 0.4)]
    for i, e in enumerate(x):
        a.append(Car(e, 0.5 + 0.1 * i))
    b = []
    p = q = r = a[0]
"""

END = """
    return (s + sum(z.x * (k + 1) + z.v * z.n + sum(z.log) for k, z in enumerate(a)) + sum(z.x * z.x for z in b)
            + p.x + 2 * q.x - r.v)
"""

STATEMENTS = """
    U.step(D)
    U.x = W.x * 0.9 + D
    U.v = W.x * D
    U.x += W.v * D
    U.x, W.x = W.x, U.x
    U = W
    U, W = W, U
    U = L[0] if len(L) > 1 else U
    U = L[-1] if L else W
    if L: U = L.pop()
    if L: U = L.pop(0)
    L.append(U)
    L.append(Car(U.x * 0.5, D))
    L.insert(0, U)
    if U in L: L.remove(U)
    L = [z for z in M if z.x > D]
    L = list(M)
    L = L + [U]
    L = L[:3]
    L, M = M, L
    L.sort(key=lambda z: z.x * z.v)
    L.sort(key=lambda z: -z.v, reverse=True)
    L.sort()
    L.reverse()
    if L: U = min(L, key=lambda z: z.x)
    if L: U = max(L)
    if L: U = sorted(L)[0]
    if L: L[0] = U
    if L and M: L[0], M[-1] = M[-1], L[0]
    U = Car(W.x, W.v)
    U.to = W
    if U.to is not None: U = U.to
    if U.to is not None: U.to.x += D
    U.log.append(W.v)
    if U is not W: U.x += 0.05
    s = s + U.x * D + len(L)
    s = s + sum(z.x for z in L) * 0.1
    s = s + sum(U.log)
    for z in L: z.step(D)
    for z in L: z.x += U.x * 0.1
    for z in L: s = s + z.near(U)
    for z in M: z.to = U
    for z in M: U = z
    for z in a: U = z if z.x > U.x else U
    for z in L[:2]: z.log.append(t)
    for k, z in enumerate(M): z.v += 0.1 * k
    for z, y in zip(L, M): z.x = y.x * D
    while len(L) > 2: L.pop()
"""

BLOCKS = """
    if U.x > D:
    if L:
    for k in range(2):
    for e in x:
    for z in a[:2]:
"""


def generate(seed: int) -> str:
    """The text of a program."""
    chosen = random.Random(seed)

    def filled(line: str) -> str:
        names = {"U": chosen.choice("pqr"), "W": chosen.choice("pqr"), "L": chosen.choice("ab"), "M": chosen.choice("ab")}
        return "".join(names.get(part, chosen.choice(("0.1", "0.3", "-0.2")) if part == "D" else part) for part in line)

    def statements(depth: int) -> list[str]:
        if depth < 3 and chosen.random() < 0.25:
            body = [line for _ in range(chosen.randint(1, 3)) for line in statements(depth + 1)]
            return [filled(chosen.choice(BLOCKS.strip().splitlines()).strip()), *(f"    {line}" for line in body)]
        return [filled(chosen.choice(STATEMENTS.strip().splitlines()).strip())]

    body = [line for _ in range(chosen.randint(5, 11)) for line in statements(1)]
    return PREAMBLE + "\n".join(f"    {line}" for line in body) + END


def main(words: list[str]) -> int:
    """The exit status: 1 where a program is wrong."""
    first, number = map(int, words)
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOURCEDIFF_CACHE_DIR"] = folder
        for seed in range(first, first + number):
            found = judge(seed, Path(folder))
            known = found in ("right", "refused", "raises")
            counted[found if known else "wrong"] += 1
            if not known:
                print(seed, found, generate(seed).split("\n\n\n")[-1], sep="\n", flush=True)
    print(dict(counted))
    return 1 if counted["wrong"] else 0


def judge(seed: int, folder: Path) -> str:
    """What becomes of the program of a seed, as of an enumerated one."""
    return verdict(program(seed, folder), (X.copy(), T))


def program(seed: int, folder: Path) -> Callable[..., Any]:
    """The function of a seed, written to a file of its own."""
    return loaded(generate(seed), folder / f"objects_{seed}.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
