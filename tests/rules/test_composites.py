"""Functions that are said by others: the same value as the library's own, and the derivative that differences of that one have."""

from __future__ import annotations

import types

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import numeric_jvp
from sourcediff.rules.frames import is_singleton
from sourcediff.rules.library_functions import COMPOSITES, FUNCTIONALS
from tests.sampling import is_chosen

from . import samples

CASES = [
    pytest.param(function, sample, id=f"{COMPOSITES[function].__name__}-{number}")
    for function, known in samples.COMPOSITES.items() for number, sample in enumerate(known)
]


def chosen(case):
    """Whether a case is run: a quarter of the first ones, some of the others; some of the many that are written of one row."""
    if is_singleton(getattr(case.values[0], "__self__", None)):
        return is_chosen(40, case.id)
    return is_chosen(4 if case.id.endswith("-0") else 16, case.id)


def flat(value):
    """The numbers of a result, of all its parts."""
    parts = value if isinstance(value, (tuple, list)) else [value]
    parts = [half for part in parts for half in ((np.real(part), np.imag(part)) if np.iscomplexobj(part) else (part,))]
    return np.concatenate([np.ravel(np.asarray(part, float)) for part in parts])


@pytest.mark.parametrize("function, sample", list(filter(chosen, CASES)))
def test_composite(function, sample):
    moving = [k for k, arg in enumerate(sample.args) if isinstance(arg, float) or getattr(getattr(arg, "dtype", None), "kind", "") == "f"]
    named = {name: arg for name, arg in sample.kwargs.items() if isinstance(arg, float) or getattr(arg, "dtype", None) == np.float64}
    plain = COMPOSITES[function]

    def through(of):
        def called(*moved):
            args = list(sample.args)
            for position, value in zip(moving, moved):
                args[position] = value
            return of(*args, **{**sample.kwargs, **dict(zip(named, moved[len(moving):]))})

        return called

    given = [*(sample.args[k] for k in moving), *named.values()]
    np.testing.assert_allclose(flat(through(plain)(*given)), flat(through(function)(*given)), rtol=1e-9, atol=1e-12)
    weights = np.cos(np.arange(flat(through(function)(*given)).size))
    program = program_of(plain, sample, moving, named, through(function)(*given))
    rng = np.random.default_rng(0)
    along = [rng.uniform(0.2, 1.0, np.shape(value)) if np.ndim(value) else 0.7 for value in given]
    slope = numeric_jvp(lambda *moved: weights @ flat(through(function)(*moved)), given, along, complex_step=False)
    for mode in ("compiled", "eager"):
        found = sourcediff.grad(program, wrt=tuple(range(len(given))), mode=mode)(*given, weights)
        assert np.allclose(sum(np.vdot(g, v) for g, v in zip(found, along)), slope.value, rtol=2e-6, atol=1e-8), mode
    if is_chosen(6, plain.__name__):
        sourcediff.check_grads(program, *given, weights, wrt=tuple(range(len(given))), order=2)


def program_of(plain, sample, moving, named, gives):
    """``lambda a, b, w: np.sum(w * np.ravel(plain(a, 2, scale=b)))`` as a function with a source; of several results all."""
    names = [f"a{k}" for k in range(len(moving) + len(named))]
    held = {f"c{k}": arg for k, arg in enumerate(sample.args)} | {f"k_{name}": arg for name, arg in sample.kwargs.items()}
    args = [names[moving.index(k)] if k in moving else f"c{k}" for k in range(len(sample.args))]
    args += [f"{name}={names[len(moving) + list(named).index(name)] if name in named else 'k_' + name}" for name in sample.kwargs]
    parts = [f"r{k}" for k in range(len(gives))] if isinstance(gives, (tuple, list)) else ["r"]
    text = f"def program({', '.join(names)}, w):\n    {', '.join(parts)} = plain({', '.join(args)})\n"
    given = gives if isinstance(gives, (tuple, list)) else [gives]
    parts = [half for part, value in zip(parts, given) for half in (
        (f"np.real({part})", f"np.imag({part})") if np.iscomplexobj(value) else (part,))]
    text += f"    return np.sum(w * np.concatenate(({', '.join(f'np.ravel({part})' for part in parts)},)))\n"
    return made(text, {"np": np, "plain": plain, **held})


def made(text, scope):
    import linecache

    name = f"<composite {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope["program"]


ELSEWHERE = (
    ".complex_numbers", ".scipy.radial", *(f".scipy.{name}" for name in "coordinates rotation interpolants pieces surfaces".split()))


def test_every_composite_has_a_sample():
    """Classes are tried in test_records.py, ``cmath`` in test_cmath.py, splines in test_interpolants.py, solvers in test_solvers.py and
    test_integrals.py.
    """
    functions = [
        function for function, plain in COMPOSITES.items() if isinstance(plain, types.FunctionType)
        and not isinstance(function, type) and plain is not function and not plain.__module__.endswith(ELSEWHERE)
    ]
    tried = {*samples.COMPOSITES, *FUNCTIONALS, *(function for function in functions if function.__name__ in ("fixed_quad", "eigvals"))}
    assert not [function for function in functions if function not in tried]
