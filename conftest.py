"""Settings that hold for every test and doctest: a cache folder of their own, short or long fuzzing, a verifier in the compiler."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests import sampling

LIBRARIES = "jax", "pytensor", "scipy", "sklearn", "torch", "xarray"

collect_ignore = [
    "docs/interop.md",  # tests/test_docs.py runs it, a section for each library that is installed
    *(f"sourcediff/interop/{library}.py" for library in LIBRARIES if find_spec(library) is None),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="fuzz for longer, and run all cases of the tests that are sampled otherwise")
    parser.addoption("--update-golden", action="store_true", help="store the generated texts in tests/golden as they are now")
    parser.addoption("--device", choices=("standin", "cupy"), default="standin", help="what the tests take for CuPy")


def pytest_configure(config: pytest.Config) -> None:
    """Set before anything is collected, because a module may compile while it is imported."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays of the tests are small: threads would wait for one another
    scratch = tempfile.TemporaryDirectory(prefix="sourcediff-tests-")
    os.environ["SOURCEDIFF_CACHE_DIR"] = os.path.join(scratch.name, "cache")
    os.environ.pop("SOURCEDIFF_CACHE_SIZE", None)
    config.addinivalue_line("markers", "sampled(n): every n-th of these cases is run, all of them with --long")
    from tests.verified import install

    sampling.everything = config.getoption("--long") or bool(config.getoption("keyword")) or any("::" in word for word in config.args)
    install()
    config.add_cleanup(scratch.cleanup)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of single cases that are marked ``sampled(n)`` run every n-th; of whole tests ``tests.sampling`` does not even collect the others."""
    marked = [(item, item.get_closest_marker("sampled")) for item in items]
    left = {item for item, mark in marked if mark is not None and not sampling.is_chosen(mark.args[0], item.nodeid)}
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """What is collected and imported is no garbage: looking through it again and again takes a third of the time of some tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """Whether ``--long`` was given."""
    return bool(request.config.getoption("--long"))


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The module ``cupy``: for the test a strict stand-in takes its place; with ``--device cupy`` it is CuPy."""
    if request.config.getoption("--device") == "standin":
        from tests.standin import installed

        with installed() as cupy:
            yield cupy
        return
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'sourcediff[cuda12]'")
    try:
        cupy.zeros(1)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"CuPy finds no GPU: {error}")
    yield cupy


@pytest.fixture(autouse=True)
def nothing_told() -> None:
    """No test has warned of a function before another one, which uses the same: the library says a thing once."""
    from sourcediff.runtime import function_cache as keeping

    for _, found in list(keeping._kept.values()):
        found.get("told", set()).clear()
