"""Products of cases (every program in every mode, every rule in every spelling), of which a part is tried; with ``--long`` all of them.

What is not tried is not collected either: thousands of cases take longer to be made than to be run.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

everything = False
"""With ``--long``, and where tests are asked for by name. Set before anything is collected."""


def name_of(case: Any) -> str:
    """What a case is known by, the same in every process.

    >>> name_of(("a", 1, pytest.param(2, id="two"), len))
    'a 1 two len'
    """
    if isinstance(case, tuple) and not hasattr(case, "_fields"):
        return " ".join(map(name_of, case))
    for attribute in ("id", "name", "__name__"):
        if isinstance(name := getattr(case, attribute, None), str):
            return name
    text = name_of(tuple(case.values)) if hasattr(case, "values") and hasattr(case, "marks") else str(case)
    assert " at 0x" not in text, f"another one in every process: {text}"
    return text


def is_chosen(n: int, name: str) -> bool:
    """Whether the case of a name is one of every n."""
    return everything or zlib.crc32(name.encode()) % n == 0


def chosen(n: int, cases: Iterable[Any], salt: str = "", name: Callable[[Any], str] = name_of) -> list[Any]:
    """Every n-th case, by its name, and at least one. Which ones does not depend on the others, and is another choice for another salt.

    >>> 0 < len(chosen(2, "abc")) <= 3
    True
    """
    found = list(cases)
    return [case for case in found if is_chosen(n, f"{salt} {name(case)}")] or found[:1]


def sampled(n: int, names: str, *factors: Iterable[Any], ids: Any = None, name: Callable[[Any], str] = name_of) -> Callable[[Test], Test]:
    """As ``pytest.mark.parametrize``, with every n-th of the cases; of several factors, of their product."""
    cases: Sequence[Any] = list(factors[0]) if len(factors) == 1 else list(itertools.product(*factors))

    def of(test: Test) -> Test:
        return pytest.mark.parametrize(names, chosen(n, cases, test.__qualname__, name), ids=ids)(test)

    return of
