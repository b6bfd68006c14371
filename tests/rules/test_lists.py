"""Lists and tuples where NumPy takes an array: every function of the table, on lists, tuples, lists grown in a loop and lists chosen by a
condition, in both engines and both modes. The judge is differences of the plain call; what is refused is refused by name.
"""

from __future__ import annotations

import importlib.util
import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sourcediff import SourcediffError, grad, jvp
from sourcediff.rules import RULES
from sourcediff.rules.frames import spelling
from tests.sampling import sampled

from .samples import SAMPLES, Sample

PROGRAM = """
import math
import operator
import scipy
import numpy as np
from sourcediff.runtime import arrays, structures

def given(p):
    z = {call}
    return np.sum(np.real(z * W))

def grown(p):
    parts = []
    for v in p:
        parts.append(v)
    z = {grown}
    return np.sum(np.real(z * W))

def chosen(p):
    q = p if np.size(W) > 0 else [v * 2.0 for v in p]
    z = {chosen}
    return np.sum(np.real(z * W))
"""


class Case(NamedTuple):
    """A call of a function with an array of floats at one place, to be given as a list."""

    function: Any
    sample: Sample
    place: int | str


def cases(function: Any) -> Iterator[Case]:
    """For each argument of a function one sample in which it is a vector, or else a matrix."""
    seen = set()
    written = [sample for sample in SAMPLES[function] if "<" not in repr(sample)]
    for sample in sorted(written, key=ranks):
        for place, value in itertools.chain(enumerate(sample.args), sample.kwargs.items()):
            if not isinstance(value, np.ndarray) or value.dtype != float or value.ndim not in (1, 2) or not value.size:
                continue
            if np.isnan(value).any() or place in seen:
                continue
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    found = call(function, sample, place, value.tolist())
                except Exception:  # it takes no list there
                    continue
            if isinstance(found, np.ndarray | np.generic | float) and np.asarray(found).dtype.kind in "fc" and np.size(found):
                seen.add(place)
                yield Case(function, sample, place)


def ranks(sample: Sample) -> int:
    return max((np.ndim(arg) for arg in sample.args if isinstance(arg, np.ndarray)), default=0)


def call(function: Any, sample: Sample, place: int | str, value: Any) -> Any:
    args = [value if position == place else arg for position, arg in enumerate(sample.args)]
    return function(*args, **{name: value if name == place else arg for name, arg in sample.kwargs.items()})


AT_KINKS = (np.heaviside,)
"""Functions of which the samples lie on jumps."""
NUMPYS = [function for function in SAMPLES if function not in AT_KINKS and function in RULES
          and spelling(function).startswith(("np.", "scipy.", "special."))]
CASES = [case for function in NUMPYS for case in cases(function)]


def text_of(case: Case, spelled: str) -> str:
    parts = [spelled if position == case.place else f"A[{position}]" if "array(" in repr(arg) else repr(arg)
             for position, arg in enumerate(case.sample.args)]
    parts += [f"{name}={spelled if name == case.place else repr(arg)}" for name, arg in case.sample.kwargs.items()]
    return f"F({', '.join(parts)})"


def programs(case: Case, folder: Path) -> dict[str, Callable[..., Any]]:
    value = call_value(case)
    file = folder / "lists.py"
    parts = {"call": text_of(case, "p"), "grown": text_of(case, "parts"), "chosen": text_of(case, "q")}
    file.write_text(PROGRAM.format(**parts))
    found = importlib.util.spec_from_file_location("lists", file)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    vars(module).update(F=case.function, A=list(case.sample.args))
    found.loader.exec_module(module)
    z = np.asarray(call(case.function, case.sample, case.place, value))
    weights = np.random.default_rng(1).normal(size=z.shape)
    vars(module)["W"] = weights + (0.5j * weights[::-1] if z.dtype.kind == "c" and z.ndim else 0)
    return {name: getattr(module, name) for name in ("given", "grown", "chosen")}


def call_value(case: Case) -> Any:
    return case.sample.kwargs[case.place] if isinstance(case.place, str) else case.sample.args[case.place]


def slopes(f: Callable[..., Any], at: Any) -> Any:
    found = np.zeros(at.shape)
    for index in np.ndindex(at.shape):
        step = np.zeros(at.shape)
        step[index] = 1e-6
        found[index] = (f((at + step).tolist()) - f((at - step).tolist())) / 2e-6
    return found


def label(case: Case) -> str:
    return f"{spelling(case.function)}-{case.place}-{call_value(case).ndim}d"


@sampled(16, "case", CASES, ids=label, name=label)
def test_a_list_is_taken_for_an_array(case: Case, tmp_path: Path) -> None:
    at = call_value(case)
    v = np.random.default_rng(2).normal(size=at.shape)
    wrong = []
    for name, f in programs(case, tmp_path).items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = slopes(f, at)
            except Exception:
                continue
            modes = ("compiled",) if name == "chosen" else ("compiled", "eager")  # eager calls see in it the list that was given
            for kind, mode in itertools.product((list, tuple) if name == "given" else (list,), modes):
                value, tangent = kind(at.tolist()), kind(v.tolist())
                for door, ask, wanted in (
                    ("grad", lambda: grad(f, mode=mode)(value), expected),  # noqa: B023
                    ("jvp", lambda: jvp(f, (value,), (tangent,), mode=mode)[1], np.sum(expected * v)),  # noqa: B023
                ):
                    try:
                        found = np.asarray(ask(), float)
                    except SourcediffError:
                        continue
                    except Exception as error:
                        wrong.append(f"{name} {kind.__name__} {mode} {door}: {type(error).__name__}: {str(error)[:200]}")
                        continue
                    if not np.allclose(found, wanted, rtol=1e-4, atol=1e-5):
                        wrong.append(f"{name} {kind.__name__} {mode} {door}: {found.tolist()} for {np.asarray(wanted).tolist()}")
    assert not wrong, "\n".join(wrong)
