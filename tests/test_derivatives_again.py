"""Derivatives of derivatives by compiling what was compiled: the corpus, derivatives inside, pairs of sweeps, many tangents at once."""

from __future__ import annotations

import contextlib
import inspect
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from sourcediff.checks.numeric import compare, in_structure_of, vector
from sourcediff.dispatch import linear_maps as linearizing
from sourcediff.errors import SourcediffError, UnsupportedSyntaxError
from tests.corpus import CASES
from tests.corpus.case import Case
from tests.corpus.judge import copied
from tests.golden.experts import EXPERTS, arguments
from tests.sampling import name_of, sampled

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"
SMALL = 16  # entries of an argument of which the whole Hessian is asked

# what the compiler takes once, but not twice; what it refuses the first time is refused here too
REFUSED_TWICE = {f"{group}.{name}" for group, names in {
    "asked":
        "counted_words entries_that_come_later largest_entry_replaced visited_keys",
    "dicts":
        "nested_dict",
    "entries":
        "appended_mutated",
    "falsely": "spread",
    "found":
        "copy_that_need_not_be_one",
    "mirrors":
        "cast_without_a_copy "
        "stack_of_matrices",
    "numbered": "flat_under_other_names stored_by_numbers",
    "opaque":
        "changed_after "
        "falling_in_place "
        "not_falling_in_place "
        "of_a_numpy_number",
    "positions": "index_shortened",
    "queues":
        "asked_only_if_need_be products_by_key sums_by_key sums_of_an_object",
    "sequenced": "draws_in_comprehensions matched_by_its_own_name queue_of_what_is_still_read",
    "tables": "functions_of_an_object", "parts": "loops_over_splits_of_a_matrix",
    "views": "condition_through_a_view parameter_changed_while_its_view_is_weighed view_in_a_loop_that_is_left",
}.items() for name in names.split()}


def positions(case: Case) -> tuple[int, ...]:
    names = list(inspect.signature(case.function).parameters)
    return tuple(names.index(w) if isinstance(w, str) else w for w in (case.wrt if isinstance(case.wrt, tuple) else (case.wrt,)))


def plain(case: Case) -> bool:
    args, kwargs = case.make()
    return not kwargs and all(position < len(args) for position in positions(case))


PLAIN = [case for case in CASES if plain(case)]


def refused(case: Case) -> bool:
    """Whether the compiler does not take the function at all."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            grad(case.function, case.wrt, mode="compiled")(*copied(case.make()[0]))
    except SourcediffError:
        return True
    return False


def is_complex(case: Case) -> bool:
    """Whether it is differentiated with respect to a complex argument: then there is no forward mode, and there are no matrices."""
    return any(np.iscomplexobj(vector(case.make()[0][position])) for position in positions(case))


def again(case: Case, mode: str) -> Any:
    """Second derivatives in three ways: forward over reverse, reverse over reverse, and, of small arguments, the matrix."""
    args, wrt = case.make()[0], positions(case)
    asked = [args[position] for position in wrt]
    direction = tuple(in_structure_of(part, np.random.default_rng(3).normal(size=vector(part).size)) for part in asked)
    direction = tuple(v * (1 - 2j) if np.iscomplexobj(vector(args[position])) else v for v, position in zip(direction, wrt))
    gradient = grad(case.function, wrt, mode="eager" if mode == "eager" else "auto")
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        pushed = None if is_complex(case) else hvp(case.function, wrt, mode=mode)(*copied(args), direction)
        _, pullback = vjp(gradient, *copied(args), wrt=wrt, mode=mode)
        pulled = pullback(direction), pullback(direction)
        small = vector(direction).size <= SMALL and not is_complex(case)
        matrix = hessian(case.function, wrt, mode=mode)(*copied(args)) if small else None
    return pushed, pulled, matrix


@sampled(120, "case", PLAIN, ids=name_of)
def test_second_derivatives_agree_with_the_eager_engine(case: Case) -> None:
    try:
        found = again(case, "compiled")
    except SourcediffError:
        assert case.name in REFUSED_TWICE or refused(case)
        return
    assert case.name not in REFUSED_TWICE, "it is taken now: it leaves the table"
    compare(found, again(case, "eager"), rtol=1e-7, atol=1e-9)


@sampled(96, "case", PLAIN, ids=name_of)
def test_pullbacks_and_columns_agree_with_the_eager_engine(case: Case) -> None:
    """The pullback is called twice: the first call must not use up what is on the tape."""
    args, wrt = case.make()[0], positions(case)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        try:
            value, pullback = vjp(case.function, *copied(args), wrt=wrt, mode="compiled")
        except SourcediffError:
            return
        seed = 2.0 if isinstance(value, float) else 2 * np.ones_like(value)
        expected = vjp(case.function, *copied(args), wrt=wrt, mode="eager")[1](seed)
        for _ in range(2):
            compare(pullback(seed), expected, rtol=1e-7, atol=1e-9)
        if not is_complex(case):
            columns, rows = (
                jacobian(case.function, wrt, direction=direction, mode=mode)(*copied(args))
                for direction, mode in (("forward", "compiled"), ("reverse", "eager"))
            )
            compare(columns, rows, rtol=1e-7, atol=1e-9)


def cubes(x):
    return np.sum(x ** 3)


gradient_of_cubes = grad(cubes)
factor = 2.0


def of_a_gradient(x):
    return np.sum(gradient_of_cubes(x) ** 2)


def of_a_gradient_made_here(x):
    return np.sum(grad(cubes)(x) ** 2)


def confused_by_a_sum(x):
    return x * grad(lambda y: x + y)(1.0)


def confused_by_a_product(x):
    return x * grad(lambda y: x * y)(1)


def of_an_inner_function(x):
    def inner(y):
        return x * y ** 2

    slope = grad(inner)
    return slope(x) * x


def in_a_loop(x, n):
    total = 0.0
    for i in range(n):
        value, slope = value_and_grad(lambda y: np.sin(x * y) * i)(x)  # noqa: B023
        total = total + value * slope
    return total


def twice_inside(x):
    return grad(grad(lambda y: x * y ** 4))(x)


def one_in_another(x):
    return grad(lambda y: y * grad(lambda z: x * y * z ** 2)(y))(x)


def with_a_global(x):
    return grad(lambda y: factor * y ** 3)(x) * factor


def under_a_branch(x):
    if x > 1:
        return grad(lambda y: np.exp(x * y))(x)
    return x ** 2


def of_a_program_in_place(x):
    def energy(u):
        v = np.zeros(4)
        v[0] = u
        for i in range(1, 4):
            v[i] = v[i - 1] * np.sin(u) + x
        v[1:] *= v[:-1]
        return np.sum(v)

    return grad(energy)(x) ** 2


INSIDE = [
    (confused_by_a_sum, (3.0,)), (confused_by_a_product, (4.0,)), (of_an_inner_function, (1.5,)), (in_a_loop, (0.7, 3)),
    (in_a_loop, (0.7, 0)), (twice_inside, (1.3,)), (one_in_another, (1.3,)), (with_a_global, (1.3,)), (under_a_branch, (1.3,)),
    (under_a_branch, (0.3,)),
    (of_a_program_in_place, (0.6,)),
]
inside = pytest.mark.parametrize(("f", "args"), INSIDE, ids=lambda part: getattr(part, "__name__", ""))


@inside
def test_a_derivative_inside_is_differentiated(f: Any, args: Any) -> None:
    x, h = args[0], 1e-4
    (far, near) = ((f(x + step, *args[1:]) - f(x - step, *args[1:])) / (2 * step) for step in (h, h / 2))
    expected = (4 * near - far) / 3
    assert grad(f, mode="compiled")(*args) == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert jvp(f, args, (1.0, *(None for _ in args[1:])), mode="compiled")[1] == pytest.approx(expected, rel=1e-8, abs=1e-10)


@inside
def test_and_differentiated_again_to_third_order(f: Any, args: Any) -> None:
    second, third = grad(grad(f)), grad(grad(grad(f)))
    x, h = args[0], 1e-3
    at = {step: grad(f, mode="compiled")(x + step, *args[1:]) for step in (-2 * h, -h, 0, h, 2 * h)}
    slope = (8 * (at[h] - at[-h]) - (at[2 * h] - at[-2 * h])) / (12 * h)
    bend = (16 * (at[h] + at[-h]) - (at[2 * h] + at[-2 * h]) - 30 * at[0]) / (12 * h * h)
    scale = 1 + abs(at[0])
    assert second(*args) == pytest.approx(slope, rel=1e-6, abs=1e-8 * scale)
    assert third(*args) == pytest.approx(bend, rel=1e-4, abs=1e-5 * scale)


@pytest.mark.parametrize("f", [of_a_gradient, of_a_gradient_made_here])
def test_a_gradient_of_an_array_inside(f: Any) -> None:
    x = np.array([1.0, -2.0])
    np.testing.assert_allclose(grad(f, mode="compiled")(x), 36 * x ** 3)
    np.testing.assert_allclose(hessian(f, mode="compiled")(x), np.diag(108 * x ** 2))


def test_perturbations_are_told_apart_in_mixed_modes() -> None:
    def forward_over_reverse(x):
        return jvp(lambda y: x * grad(lambda z: y * z)(1.0), (x,), (1.0,), mode="compiled")[1]

    def reverse_over_forward(x):
        return x * jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert forward_over_reverse(3.0) == 3.0
    assert grad(reverse_over_forward, mode="compiled")(3.0) == 1.0


def test_a_derivative_of_something_unknown_is_refused() -> None:
    def of_what(f, x):
        return grad(f)(x) * x

    with pytest.raises(UnsupportedSyntaxError, match="derivative inside"):
        sourcediff.gradient_source(of_what, 1)


def buffers(x, w):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] * (y[i - 1] + w) if i else w ** 2
    y[1:] *= y[:-1]
    return {"y": y, "total": (np.sum(y), w * y[2])}


def test_a_pullback_can_be_called_again_and_keeps_what_it_reads() -> None:
    x = np.array([0.3, 0.5, -0.7, 1.2])
    value, pullback = vjp(buffers, x, 1.5, mode="compiled")
    seed = {"y": np.arange(4.0), "total": (2.0, None)}
    first = pullback(seed)
    x[:] = np.nan
    value["y"][:] = np.nan
    compare(pullback(seed), first, rtol=0, atol=0)
    x[:] = [0.3, 0.5, -0.7, 1.2]
    compare(first, vjp(buffers, x, 1.5, mode="eager")[1](seed), rtol=1e-12, atol=0)


def test_a_pullback_never_writes_to_the_cotangent() -> None:
    seed = np.ones(4)
    _, pullback = vjp(lambda x: x[::-1] * 1.0, np.arange(4.0), mode="compiled")
    (found,) = pullback(seed)
    found += 1
    assert np.array_equal(seed, np.ones(4)) and np.array_equal(pullback(seed)[0], np.ones(4))


def waves(u, c):
    u = u.copy()
    for _ in range(3):
        u[1:-1] += c * np.sin(u[2:] - u[:-2])
    return np.stack((u, u ** 2))[:, 1:]


@pytest.mark.parametrize("room", [1 << 22, 16])
@pytest.mark.parametrize("direction", ["forward", "reverse", "auto"])
def test_every_direction_and_any_number_of_sweeps_give_one_jacobian(direction: str, room: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(linearizing, "ROOM", room)
    args = np.linspace(0, 1, 6) ** 2, 0.3
    found = jacobian(waves, (0, 1), direction=direction, mode="compiled")(*args)
    compare(found, jacobian(waves, (0, 1), mode="eager")(*args), rtol=1e-12, atol=1e-14)


def test_a_batched_sweep_is_used_where_there_is_one() -> None:
    text = sourcediff.gradient_source(waves, (0, 1), args=(np.ones(6), 0.3), mode="batched")
    assert "u_dot[:, 1:-1] +=" in text and "for _ in range(3)" in text
    with pytest.raises(UnsupportedSyntaxError, match="leading axis"):
        sourcediff.gradient_source(lambda x: np.sort(x, axis=0), args=(np.eye(3),), mode="batched")


def test_what_draws_numbers_is_run_once() -> None:
    rng = np.random.default_rng(1)

    def noisy(x):
        return x * rng.normal(size=3)

    with contextlib.suppress(SourcediffError):
        found = jacobian(noisy, direction="forward")(np.ones(3))
        assert np.array_equal(np.diag(found), np.random.default_rng(1).normal(size=3))
        assert rng.normal() == np.random.default_rng(1).normal(size=4)[3]


def doubles(x):
    x *= 2
    return x * x


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_an_argument_that_is_changed_is_changed_once(direction: str) -> None:
    x = np.array([1.0, 3.0])
    np.testing.assert_array_equal(jacobian(doubles, direction=direction, mode="compiled")(x), np.diag([8.0, 24.0]))
    assert x.tolist() == [2.0, 6.0]


def turned(x):
    w = np.exp(1j * x)
    return np.sum(np.real(w * w) + np.imag(w))


def turned_again_and_again(x):
    total = 0j
    for i in range(3):
        total = total * 1j + x[i] ** 2
    return np.real(total) * np.imag(total)


def stored_among_complex_numbers(x):
    a = np.zeros(3, complex)
    for i in range(3):
        a[i] = x[i] * (1j + x[i])
    a[1:] *= a[:-1]
    a += x ** 2
    return np.sum(np.abs(a) ** 2)


def spectrum(x):
    return np.sum(np.real(np.fft.ifft(np.fft.fft(x) ** 2)) * x)


@pytest.mark.parametrize("f", [turned, turned_again_and_again, stored_among_complex_numbers, spectrum])
def test_complex_numbers_on_the_way_of_a_real_function(f: Any) -> None:
    x, v = np.array([1.0, 2.0, 3.0]), np.array([0.3, -1.0, 2.0])
    for transform in (jacobian, hessian, lambda f, mode: jacobian(f, direction="forward", mode=mode)):
        compare(transform(f, mode="compiled")(x), transform(f, mode="eager")(x), rtol=1e-10, atol=1e-12)
    compare(hvp(f, mode="compiled")(x, v), hessian(f, mode="eager")(x) @ v, rtol=1e-10, atol=1e-12)
    (by_pullback,) = vjp(f, x, mode="compiled")[1](2.0)
    compare(by_pullback, 2 * jacobian(f, mode="eager")(x), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", [lambda x: np.abs(np.fft.fft(x)), lambda x: np.imag(np.exp(1j * x)[:, None] * x) ** 2])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_complex_numbers_on_the_way_to_an_array(f: Any, direction: str) -> None:
    x = np.array([1.0, 2.0, 4.0])
    compare(jacobian(f, direction=direction, mode="compiled")(x), jacobian(f, mode="eager")(x), rtol=1e-10, atol=1e-12)


def test_a_pullback_of_complex_numbers() -> None:
    z, seed = np.array([1 + 2j, 3 - 1j]), np.array([1j, 2.0])
    (found,) = vjp(lambda z: z * z * np.exp(z), z, mode="compiled")[1](seed)
    compare(found, seed * (2 * z + z * z) * np.exp(z), rtol=1e-12, atol=0)
    (twice,) = vjp(grad(lambda z: np.sum(np.abs(z) ** 2)), z, mode="compiled")[1](seed)
    compare(twice, 2 * np.conj(seed), rtol=1e-12, atol=0)


@pytest.mark.parametrize("transform", [jacobian, hessian])
def test_matrices_of_complex_arguments_are_refused(transform: Any) -> None:
    with pytest.raises(sourcediff.NonDifferentiableError, match="complex"):
        transform(lambda z: np.sum(np.abs(z) ** 2), mode="compiled")(np.array([1 + 2j]))


TEXTS = {
    "pendulum_second": lambda: sourcediff.gradient_source(grad(EXPERTS["pendulum"][0]), args=arguments("pendulum")),
    "heat_hvp": lambda: sourcediff.gradient_source(grad(EXPERTS["heat"][0]), args=arguments("heat"), mode="forward"),
    "waves_jvps": lambda: sourcediff.gradient_source(waves, args=(np.ones(6), 0.3), mode="batched"),
    "waves_pullback": lambda: sourcediff.gradient_source(waves, args=(np.ones(6), 0.3), mode="pullback"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_the_stored_one(name: str, request: Any) -> None:
    text = TEXTS[name]().replace(f"{ROOT}/", "")
    path = GOLDEN / f"{name}.py"
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_an_adjoint_that_a_helper_hands_on_changes_in_place() -> None:
    def f(c: Any) -> Any:
        x = c / np.sqrt(c[0] * np.sum(c**2))
        return x[0] ** 2 + 3 * x[1]

    c = np.array([1.0, 2.0])
    np.testing.assert_allclose(sourcediff.hessian(f, mode="compiled")(c), sourcediff.hessian(f, mode="eager")(c), rtol=1e-12)
