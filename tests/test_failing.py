"""A fault of the compiler's own is a warning in ``auto``, which asks for a report, and the eager engine's answer; else an error of ours."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import sourcediff
from sourcediff import FallbackWarning, NonDifferentiableError, SourcediffError
from sourcediff.api import save as saving
from sourcediff.compiler import pipeline as compiler
from sourcediff.dispatch import cache
from sourcediff.errors import InternalError
from tests.sampling import sampled

X = np.array([0.5, 1.25, 2.0])


def cubes(x):
    y = x * x
    return np.sum(y * x)


def vector(x):
    return x * x * x


@pytest.fixture(params=["source", "lowering", "record_control_flow", "values", "derive", "dead_code", "write"])
def planted(request, monkeypatch):
    """A stage of the compiler that fails."""
    plant(monkeypatch, request.param)


def plant(monkeypatch, name):
    def fails(unit):
        raise KeyError("planted")

    passes = tuple(each._replace(run=fails) if each.name == name else each for each in compiler.PIPELINE)
    monkeypatch.setattr(compiler, "PIPELINE", passes)
    if name == "write":
        monkeypatch.setattr(saving, "write", fails)
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "0")
    cache.forget()


def fresh(function):
    """A function that nothing is known of yet."""
    return type(function)(function.__code__, function.__globals__, function.__name__)


DOORS = {
    "grad": lambda f, v, mode: sourcediff.grad(f, mode=mode)(X),
    "value_and_grad": lambda f, v, mode: sourcediff.value_and_grad(f, mode=mode)(X)[1],
    "vjp": lambda f, v, mode: sourcediff.vjp(f, X, mode=mode)[1](1.0)[0],
    "vjp of a vector": lambda f, v, mode: sourcediff.vjp(v, X, mode=mode)[1](np.ones(3))[0],
    "jvp": lambda f, v, mode: sourcediff.jvp(v, (X,), (np.ones(3),), mode=mode)[1],
    "jacobian": lambda f, v, mode: np.diag(sourcediff.jacobian(v, mode=mode)(X)),
    "jacobian forwards": lambda f, v, mode: np.diag(sourcediff.jacobian(v, direction="forward", mode=mode)(X)),
    "hvp": lambda f, v, mode: sourcediff.hvp(f, mode=mode)(X, X) / 2,
    "hessian": lambda f, v, mode: sourcediff.hessian(f, mode=mode)(X) @ X / 2,
    "elementwise_grad": lambda f, v, mode: sourcediff.elementwise_grad(v, mode=mode)(X),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_auto_answers_and_asks_for_a_report(door, planted):
    with pytest.warns(FallbackWarning) as said:
        found = door(fresh(cubes), fresh(vector), "auto")
    np.testing.assert_allclose(found, 3 * X**2, rtol=1e-12)
    assert len(said) == 1, [str(one.message) for one in said]
    text = str(said[0].message)
    assert "KeyError: 'planted'" in text and "please report it" in text and __file__ in text and said[0].filename == __file__


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_compiled_raises_an_error_of_the_family(door, planted):
    with pytest.raises(InternalError, match="KeyError: 'planted'") as caught:
        door(fresh(cubes), fresh(vector), "compiled")
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.places[0].file == __file__ and 'mode="eager"' in str(caught.value)


@pytest.mark.parametrize("show", [
    lambda f: sourcediff.gradient_source(f, args=(X,)), lambda f: sourcediff.explain(f, args=(X,)),
    lambda f: sourcediff.gradient_source(f), lambda f: sourcediff.cross_check(f, X),
])
def test_what_shows_source_raises_it_too(show, planted):
    with pytest.raises(InternalError, match="please report it"):
        show(cubes)


def test_a_node_of_a_graph_is_made_by_the_eager_engine(planted):
    x = sourcediff.Variable(X, requires_grad=True)
    with pytest.warns(FallbackWarning, match="planted"):
        gradient = sourcediff.grad(fresh(cubes))(x)
    np.testing.assert_allclose(gradient.data, 3 * X**2, rtol=1e-12)


def test_it_is_said_once_and_the_function_stays_on_the_eager_engine(planted):
    gradient = sourcediff.grad(cubes)
    with pytest.warns(FallbackWarning):
        gradient(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(gradient(2 * X), 12 * X**2, rtol=1e-12)


@pytest.mark.parametrize("text", ["def cubes_grad(x:\n", "print(unknown_name)\n", "def f(): return f()\nf()\n", "other = 1\n"])
def test_generated_text_that_cannot_be_loaded(text, monkeypatch):
    def writes(unit):
        unit.text = text

    stages = (*compiler.PIPELINE[:-1], compiler.PIPELINE[-1]._replace(run=writes))
    monkeypatch.setattr(compiler, "PIPELINE", stages)
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "0")
    cache.forget()
    with pytest.warns(FallbackWarning):
        np.testing.assert_allclose(sourcediff.grad(cubes)(X), 3 * X**2, rtol=1e-12)
    with pytest.raises(SourcediffError):
        sourcediff.grad(cubes, mode="compiled")(X)
    cache.forget()


def test_what_the_user_raises_stays_the_users(monkeypatch):
    def fails(x):
        if x.shape[0] == 3:
            raise ZeroDivisionError("the user's")
        return np.sum(x)

    with pytest.raises(ZeroDivisionError, match="the user's"):
        sourcediff.grad(fails)(X)


def test_the_command_line_says_it_in_words(tmp_path: Path):
    (tmp_path / "program.py").write_text("import numpy as np\ndef f(x):\n    return np.sum(x ** 2)\n")
    main = f"""
import sys
from sourcediff.compiler import pipeline as compiler
from sourcediff.api.command import main
def fails(unit): raise AssertionError
compiler.PIPELINE = tuple(each._replace(run=fails) if each.name == "derive" else each for each in compiler.PIPELINE)
sys.exit(main(["show", {str(tmp_path / "program.py:f")!r}]))
"""
    run = subprocess.run([sys.executable, "-c", main], capture_output=True, text=True, cwd=Path(sourcediff.__file__).parents[1])
    assert run.returncode == 1 and "AssertionError" in run.stderr and "please report it" in run.stderr, run.stderr
    assert "Traceback" not in run.stderr


# What is nested deeply


def loaded(text: str, folder: Path, name: str = "f"):
    """A function of a file."""
    path = folder / "deep_program.py"
    path.write_text("import math\nimport numpy as np\n" + text)
    space = {"__name__": "deep_program"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space[name]


LONG = {
    "a sum": " + ".join(f"{i}.0 * x" for i in range(1000)),
    "differences": " - ".join(["x * x"] + [f"math.sin(x * {i}.0)" for i in range(120)]),
    "a product": " * ".join(["1.0"] + ["x"] * 30 + ["1.0"] * 200),
    "functions in functions": "math.sin(" * 60 + "x" + ")" * 60,
    "a chain of and": "x if " + " and ".join(f"x > {-i - 1}" for i in range(500)) + " else 2 * x",
    "a long list": "sum([" + ", ".join(f"{i}.0 * x" for i in range(600)) + "])",
}


@sampled(4, "kind", LONG)
def test_long_expressions_are_compiled_and_right(kind, tmp_path):
    f = loaded(f"def f(x):\n    return {LONG[kind]}\n", tmp_path)
    step = 1e-6
    expected = (f(0.7 + step) - f(0.7 - step)) / (2 * step)
    np.testing.assert_allclose(sourcediff.grad(f, mode="compiled")(0.7), expected, rtol=1e-6)
    np.testing.assert_allclose(sourcediff.jvp(f, (0.7,), (1.0,), mode="compiled")[1], expected, rtol=1e-6)


def test_a_chain_of_helpers_is_compiled(tmp_path):
    text = "def h0(x):\n    return x * x\n" + "".join(f"def h{i}(x):\n    return h{i - 1}(x) + {i}.0 * x\n" for i in range(1, 101))
    f = loaded(text + "def f(x):\n    return h100(x)\n", tmp_path)
    expected = 2 * 0.5 + sum(range(1, 101))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        np.testing.assert_allclose(sourcediff.grad(f)(0.5), expected, rtol=1e-12)
        np.testing.assert_allclose(sourcediff.jvp(f, (0.5,), (1.0,))[1], expected, rtol=1e-12)


def cyclic_list():
    found = [1.0]
    found.append(found)
    return found


def cyclic_dict():
    found = {"x": 1.0}
    found["self"] = {"again": found}
    return found


def deep_list(levels=3000):
    found = [1.0]
    for _ in range(levels):
        found = [found]
    return found


def first_of(p, x):
    return x * x


@pytest.mark.parametrize("made", [cyclic_list, cyclic_dict, deep_list])
@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
@pytest.mark.parametrize("call", [
    lambda p, mode: sourcediff.grad(first_of, wrt="x", mode=mode)(p, 2.0),
    lambda p, mode: sourcediff.grad(first_of, wrt="p", mode=mode)(p, 2.0),
    lambda p, mode: sourcediff.vjp(first_of, p, 2.0, wrt="x", mode=mode),
    lambda p, mode: sourcediff.jvp(first_of, (p, 2.0), (None, 1.0), mode=mode),
    lambda p, mode: sourcediff.jacobian(first_of, wrt="x", mode=mode)(p, 2.0),
    lambda p, mode: sourcediff.hvp(first_of, wrt="x", mode=mode)(p, 2.0, 1.0),
])
def test_containers_without_end_are_refused_by_name(made, mode, call):
    with pytest.raises(NonDifferentiableError, match="the argument p of first_of is nested too deeply"):
        call(made(), mode)


def test_example_arguments_too():
    with pytest.raises(NonDifferentiableError, match="it holds itself"):
        sourcediff.gradient_source(first_of, wrt="x", args=(cyclic_list(), 2.0))


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
def test_hundreds_of_levels_are_right_or_refused(mode):
    p = deep_list(300)
    try:
        gradient = sourcediff.grad(first_of, wrt=("p", "x"), mode=mode)(p, 2.0)
    except NonDifferentiableError as error:
        assert "nested too deeply" in str(error)
    else:
        assert gradient[1] == 4.0 and repr(gradient[0]) == "[" * 301 + "0.0" + "]" * 301


def endless(x):
    return endless(2 * x)


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
def test_a_recursion_of_the_users_stays_the_users(mode):
    with pytest.raises((RecursionError, SourcediffError)) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        sourcediff.grad(endless, mode=mode)(X)
    assert not isinstance(caught.value, (InternalError, NonDifferentiableError))


def test_a_long_expression_of_arrays(tmp_path):
    f = loaded("def f(x):\n    return np.sum(" + " + ".join(f"x ** {i}" for i in range(1, 250)) + ")\n", tmp_path)
    at = X / 4
    expected = sum(i * at ** (i - 1) for i in range(1, 250))
    np.testing.assert_allclose(sourcediff.grad(f, mode="compiled")(at), expected, rtol=1e-10)
