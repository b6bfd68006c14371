"""``python -m tests.kernels``: print how every kernel stands today, as the table that the test holds.

``python -m tests.kernels npbench PATH`` and ``… tangent PATH`` print it of a checkout, the kernels that are right too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tests.kernels import KERNELS
from tests.kernels.checkout import READERS
from tests.kernels.judge import Judged, judged, of_kernel, standings
from tests.kernels.loss import NoDerivative
from tests.standing import table


def stand(subjects: Iterable[tuple[str, Callable[[], Judged]]]) -> dict[str, dict[str, str]]:
    """How each of them stands; what has no derivative, and what is wrong, is told on the way."""
    found: dict[str, dict[str, str]] = {}
    for name, judge in subjects:
        try:
            found[name] = standings(judge())
        except NoDerivative as reason:
            print(f"{name}: {reason}", file=sys.stderr)
        except Exception as fault:  # whatever it is, it is a finding
            print(f"{name}: {type(fault).__name__}: {fault}", file=sys.stderr)
    return found


def main(words: list[str]) -> None:
    if words:
        kind, path = words
        subjects: Any = ((name, lambda f=f, make=make: judged(f, make())) for name, f, make in READERS[kind](path))
        found = stand(subjects)
        print(f"# right in every mode: {', '.join(name for name, standing in found.items() if not any(standing.values()))}")
    else:
        found = stand((kernel.name, lambda kernel=kernel: of_kernel(kernel)) for kernel in KERNELS)
    print(table(found), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
