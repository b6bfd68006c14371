"""Arrays on a device: the numbers are NumPy's, or the call is refused. On a stand-in, or on CuPy with ``--device cupy``."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import integrate, linalg, ndimage, optimize, signal
from scipy.interpolate import CubicSpline
from scipy.spatial import distance

import sourcediff
from sourcediff.errors import DeviceWarning, NonDifferentiableError, SourcediffError, UnsupportedSyntaxError
from sourcediff.runtime.device_facts import lacks
from sourcediff.runtime.placement import is_refused
from sourcediff.runtime.waits import WAITS
from tests.corpus import CASES
from tests.corpus.case import Case
from tests.golden.experts import EXPERTS, arguments
from tests.kernels import KERNELS
from tests.kernels.judge import of_kernel
from tests.kernels.loss import NoDerivative
from tests.rules.samples import SAMPLES
from tests.sampling import sampled
from tests.standin import mapped, to_device, to_host, transfers
from tests.standin.judge import on_device, same

MODES = ("compiled", "eager")
X = np.array([1.5, -2.0, 0.5, 0.25])


def holds_arrays(case: Case) -> bool:
    found: list[bool] = []
    mapped(lambda leaf: found.append(isinstance(leaf, np.ndarray) and leaf.ndim > 0 and leaf.dtype.kind in "biufc"), case.make())
    return any(found)


PROGRAMS = [case for case in CASES if not case.name.startswith("opaque.") and holds_arrays(case)]
"""Those with arrays among their arguments; ``opaque`` asks itself that arrays are NumPy's."""


def right_or_refused(function: Any, args: Any, kwargs: Any, wrt: Any, mode: str) -> str:
    try:
        verdict = on_device(function, args, kwargs, wrt, mode)
    except SourcediffError:
        return "refused on the host"
    assert verdict.kind in ("right", "refused"), f"{inspect.getsource(function)}\n{verdict.said}"
    return verdict.kind


@sampled(32, "case, mode", PROGRAMS, MODES)
def test_the_corpus(device, case, mode):
    args, kwargs = case.make()
    right_or_refused(case.function, args, kwargs, case.wrt, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXPERTS)
def test_golden_programs(device, name, mode):
    program, _, wrt, _ = EXPERTS[name]
    args = tuple(arguments(name))
    if not any(isinstance(arg, np.ndarray) for arg in args):
        pytest.skip("it takes no arrays")
    assert right_or_refused(program, args, {}, wrt, mode) == "right"


@sampled(12, "kernel, mode", KERNELS, MODES)
def test_kernels(device, kernel, mode):
    try:
        case = of_kernel(kernel).case
    except NoDerivative as nothing:
        pytest.skip(str(nothing))
    right_or_refused(case.function, *case.make(), case.wrt, mode)


# The text


def heat(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def swapped(x):
    a, b = x[0], x[1]
    x[0], x[1] = b * 2, a * 3
    s = x[2]
    t = s
    s *= x[3]
    x[2] = 0.0
    return np.sum(x) + s * t


def test_the_names_stand_for_the_library_of_the_device(device):
    for function, more in ((heat, (0.1, 2)), (energy, ())):
        text = sourcediff.gradient_source(function, args=(to_device(X), *more))
        assert "numpy" not in text
        assert text.replace("cupy", "numpy") == sourcediff.gradient_source(function, args=(X, *more))
    assert "\nimport cupy as np\n" in text


@pytest.mark.parametrize("mode", MODES)
def test_numbers_are_values(device, mode):
    """On a device ``a = x[0]`` is a view of x, and ``s *= 2`` changes it: NumPy's meaning holds."""
    x, there = X.copy(), to_device(X)
    value, gradient = sourcediff.value_and_grad(swapped, mode=mode)(x)
    other, derivative = sourcediff.value_and_grad(swapped, mode=mode)(there)
    np.testing.assert_allclose(to_host(derivative), gradient)
    np.testing.assert_allclose(to_host(there), x)
    assert float(other) == float(value)


def first_and_rest(x):
    t = x[0]
    kept = [x[1], x[2]]
    for k in range(2):
        t = t * kept[k]
    return t * x[3]


def entry(x):
    return x[1]


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_what_is_handed_out_and_kept_are_numbers(device, mode):
    """Also where the caller changes the array between the two sweeps, or after the call."""
    x = to_device(X)
    value, pull = sourcediff.vjp(first_and_rest, x, mode=mode)
    other, _ = sourcediff.vjp(entry, x, mode=mode)
    third, _ = sourcediff.value_and_grad(entry, mode=mode)(x)
    wanted, back = sourcediff.vjp(first_and_rest, X)
    x[...] = 0.0
    assert float(value) == wanted and float(other) == float(third) == X[1]
    np.testing.assert_allclose(to_host(pull(1.0)[0]), back(1.0)[0])


def test_both_libraries_are_known_by_one_derivative(device):
    derived = sourcediff.grad(heat, mode="compiled")
    for _ in range(2):
        assert type(derived(X, 0.1, 2)) is np.ndarray
        assert type(derived(to_device(X), 0.1, 2)) is device.ndarray


def test_a_gradient_is_saved_for_the_device(device, tmp_path):
    x = to_device(X)
    path = tmp_path / "saved.py"
    for function, more in ((heat, (0.1, 2)), (swapped, ())):
        sourcediff.save_gradient(function, path, args=(x, *more))
        namespace: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        found = namespace[f"{function.__name__}_grad"](to_device(X), *more)
        np.testing.assert_allclose(to_host(found), sourcediff.grad(function)(X.copy(), *more))


# Waits


def branching(x):
    if x[0] > 0:
        return np.sum(x**2)
    return np.sum(x)


def waiting(x):
    total = 0.0
    for v in x:
        if v > 0:
            total = total + v * v
    return total


def test_a_program_without_branches_does_not_wait(device):
    x = to_device(X)
    for mode in MODES:
        derived = sourcediff.value_and_grad(heat, ("u", "c"), mode=mode)
        derived(x, 0.1, 3)
        with transfers() as found:
            derived(x, 0.1, 3)
        assert not found


BLUR = np.array([[0.1, 0.2, 0.0], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]])


def filtered(x, k):
    blank = ndimage.convolve(np.zeros_like(x), BLUR, mode="nearest")  # of constants alone
    near = ndimage.convolve(ndimage.uniform_filter(x, size=2), BLUR, mode="nearest")
    far = ndimage.correlate(ndimage.gaussian_filter(k * x, 0.8), BLUR, mode="mirror", origin=1)
    return np.sum(np.sin(blank + near) * far)


@pytest.mark.parametrize("mode", MODES)
def test_filters(device, mode):
    args = np.sin(np.arange(48.0)).reshape(6, 8), 1.5
    verdict = on_device(filtered, args, {}, (0, 1), mode)
    assert verdict.kind == "right", verdict.said
    assert not [each for each in verdict.transfers if each.kind == "wait"]


def test_a_wait_is_marked_in_the_text(device):
    x = to_device(X)
    assert "if fetched(x[0] > 0):" in sourcediff.gradient_source(branching, args=(x,))
    assert "fetched(" in sourcediff.explain(branching, args=(x,)) and "fetched(" not in sourcediff.explain(branching, args=(X,))
    before = WAITS.count
    sourcediff.grad(branching, mode="compiled")(x)
    assert WAITS.count == before + 1


def test_many_waits_are_said_with_their_loop(device):
    x = to_device(np.linspace(-1.0, 1.0, 12))
    derived = sourcediff.grad(waiting, mode="compiled")
    with pytest.warns(DeviceWarning, match=r"waiting waited \d+ times(.|\n)*for v in x"):
        derived(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derived(x)  # it is said once


# Refused


def of_two(x, y):
    return np.sum(x * y)


@pytest.mark.parametrize("mode", ["auto", *MODES])
def test_arrays_of_both_libraries_are_refused(device, mode):
    with pytest.raises(NonDifferentiableError, match=r"memory \(y\) and one on a device \(x\)(.|\n)*cupy\.asarray\(y\)"):
        sourcediff.grad(of_two, mode=mode)(to_device(X), X)


def missing_name(x):
    return np.sum(np.insert(x, 0, 1.0))


def fitted(x):
    return np.sum(np.polyfit(x, x**2, 1, None, False, np.array([1.0, 2.0, 1.0, 1.0])))


def drawn_without_seed(x):
    return np.sum((x + np.random.default_rng().normal(size=4)) ** 2)


def stored_by_numbers(x, k):
    y = np.zeros(4)
    y[k] = x
    return np.sum(y**2)


@pytest.mark.parametrize("function, more, said", [
    (missing_name, (), r"np\.insert(.|\n)*np\.sum\(np\.insert(.|\n)*CuPy does not have it"),
    (fitted, (), r"w= of np\.polyfit \(CuPy changes the other arguments\)"),
    (drawn_without_seed, (), r"np\.random\.default_rng(.|\n)*a device draws other numbers than NumPy does"),
    (stored_by_numbers, (np.array([0, 0, 1, 2]),), r"a store by an array of integers(.|\n)*y\[k\] = x"),
])
def test_what_a_device_does_not_have_is_refused_with_its_line(device, function, more, said):
    with pytest.raises(UnsupportedSyntaxError, match=said):
        sourcediff.value_and_grad(function, mode="compiled")(to_device(X), *to_device(more))


def test_missing_names_and_keywords_are_read_from_the_library(device):
    assert lacks("linalg.norm", ["axis"]) == lacks("exp", ["out"]) == ""
    assert lacks("sum", ["axis", "where"]) == "where= of np.sum" and lacks("exp", ["where"]) == "where= of np.exp"
    assert lacks("linalg.nothing", []) == "np.linalg.nothing"


# From outside

WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])


def weighted(x):
    return np.sum(WEIGHTS * x**2)


def counting(x):
    WEIGHTS[0] += 1.0
    return np.sum(WEIGHTS * x)


@pytest.mark.parametrize("mode", MODES)
def test_arrays_from_outside_are_constants(device, mode):
    x = to_device(X)
    derived = sourcediff.grad(weighted, mode=mode)
    np.testing.assert_allclose(to_host(derived(x)), 2 * WEIGHTS * X)
    if mode == "compiled":
        with transfers() as found:
            derived(x)
        assert not found  # it has been sent
    before = WEIGHTS.copy()
    try:
        WEIGHTS[:] = 1.0
        np.testing.assert_allclose(to_host(derived(x)), 2 * X)
    finally:
        WEIGHTS[:] = before
    with pytest.raises(SourcediffError):
        sourcediff.grad(counting, mode=mode)(x)
    np.testing.assert_array_equal(WEIGHTS, before)


# Other derivatives


def scaled(x, k):
    return np.tanh(k * x) * x


def energy(x):
    return np.sum(np.sin(x) * x**2)


def test_other_derivatives(device):
    x, v = to_device(X), to_device(X[::-1].copy())

    def alike(one: Any, other: Any) -> None:
        assert same(to_host(one), other, 1e-9)

    value, pull = sourcediff.vjp(scaled, x, 0.5)
    wanted, back = sourcediff.vjp(scaled, X, 0.5)
    alike(value, wanted)
    for one, other in zip(pull(v), back(X[::-1])):
        alike(one, other)
    for one, other in zip(sourcediff.jvp(scaled, (x, 0.5), (v, 1.0)), sourcediff.jvp(scaled, (X, 0.5), (X[::-1], 1.0))):
        alike(one, other)
    for direction in ("reverse", "forward"):
        alike(sourcediff.jacobian(scaled, direction=direction)(x, 0.5), sourcediff.jacobian(scaled, direction=direction)(X, 0.5))
    alike(sourcediff.hessian(energy)(x), sourcediff.hessian(energy)(X))
    alike(sourcediff.hvp(energy)(x, v), sourcediff.hvp(energy)(X, X[::-1]))
    alike(sourcediff.grad(energy, check=True)(x), sourcediff.grad(energy)(X))
    for found in (value, *pull(v), sourcediff.hessian(energy)(x), sourcediff.hvp(energy)(x, v)):
        assert type(found) is device.ndarray


# What the library lacks


def highest_so_far(x):
    return np.sum(np.maximum.accumulate(x) ** 2) - np.minimum.accumulate(x)[-1] ** 2


def largest_of_matrix(x):
    return np.linalg.norm(np.reshape(x, (2, 2)), 2) + np.sum(np.linalg.svdvals(np.outer(x, x[::-1]) + np.diag(x)))


def diffused(x):
    bands = np.stack([np.roll(x, 1), 3.0 + x**2, -x])
    return np.sum(linalg.solve_banded((1, 1), bands, x) ** 2)


def spline(x):
    return np.sum(CubicSpline(np.arange(4.0), x)(np.linspace(0.2, 2.7, 6)) ** 2)


def windowed(x, beta=2.0):
    return np.sum(x * signal.windows.kaiser(4, beta) + np.geomspace(1.0, 8.0, 4) * x**2)


def pairwise(x):
    points = np.reshape(x, (2, 2))
    return np.sum(distance.squareform(distance.pdist(np.concatenate([points, points[:1] ** 2]))) ** 3)


def area(x):
    return integrate.quad(lambda t, a: np.exp(-a * t * t), 0, x[0], args=(x[2],))[0]


def decayed(x):
    return np.sum(integrate.solve_ivp(lambda t, y: -y * x[2], (0.0, 1.0), x[:2]).y[:, -1] ** 2)


def rooted(x):
    return optimize.brentq(lambda t: t**3 + t - x[0], 0.0, 3.0) + np.sum(optimize.root(lambda z: z**3 + z - x, x).x)


def first_weights(x, n=4):
    w = np.zeros(n)
    w[: len(x)] = 1.0 + np.abs(x)
    w[0] *= 2.0
    return w / w.sum()


def weighed(x, data):
    return np.sum(x**2 * first_weights(data))


def noisy(x, seed=3):
    rng = np.random.default_rng(seed)
    total = np.sum(np.where(rng.random(4) < 0.4, rng.gamma(1.2, 6.0, 4), 0.5) * x)
    for _ in range(3):
        total += np.sum((x + rng.normal(0, 1.5, x.shape)) ** 2) * rng.uniform()
    return total * x[rng.integers(4)]


LACKING = [highest_so_far, largest_of_matrix, diffused, spline, windowed, pairwise, area, decayed, rooted, noisy]


@pytest.mark.parametrize("mode", ["auto", *MODES])
@pytest.mark.parametrize("function", LACKING)
def test_what_a_device_lacks_is_written_otherwise(device, function, mode):
    try:
        verdict = on_device(function, (X,), {}, 0, mode)
    except SourcediffError:
        assert mode == "compiled"
        pytest.skip("the compiler refuses it on the host too")
    assert verdict.kind == "right" or function is windowed and mode == "eager", verdict.said


def test_what_cupy_says_of_itself_is_a_refusal():
    spaces = {name: {"__name__": name} for name in ("cupyx.scipy.spatial.distance", "users")}
    for space in spaces.values():
        exec("def cdist():\n    raise RuntimeError('cuVS should be installed')", space)
    assert [refusal_of(space["cdist"]) for space in spaces.values()] == [True, False]


def refusal_of(function):
    with pytest.raises(RuntimeError) as raised:
        function()
    return is_refused(raised.value)


@pytest.mark.parametrize("mode", ["auto", *MODES])
def test_calls_without_a_derivative_create_on_the_device(device, mode):
    assert on_device(weighed, (X, X[::-1].copy()), {}, 0, mode) == ("right", "", ())


# The rules


def floats(value: Any) -> bool:
    return isinstance(value, float) or isinstance(value, np.ndarray) and value.dtype.kind == "f"


def one_array(z: Any) -> bool:
    return isinstance(z, (np.ndarray, np.floating)) and z.dtype.kind == "f"


def sum_of(function: Any, kwargs: dict[str, Any]) -> Any:
    def loss(*args: Any) -> Any:
        z = function(*args, **kwargs)
        return np.sum(z * z + z)

    return loss


@sampled(12, "function, mode", [function for function in SAMPLES if isinstance(function, np.ufunc)
                                or str(getattr(function, "__module__", "")).startswith("numpy")], MODES)
def test_rules(device, function, mode):
    """The samples of NumPy's functions that give one array: right, or refused."""
    for sample in SAMPLES[function]:
        args, kwargs = sample.args, sample.kwargs
        wrt = tuple(k for k, arg in enumerate(args) if floats(arg))
        if not wrt or not any(isinstance(arg, np.ndarray) for arg in args) or not one_array(function(*args, **kwargs)):
            continue
        if any(isinstance(part, np.ndarray) for part in kwargs.values()) or any(isinstance(part, type) for part in args):
            continue  # what is in a closure is sent, a type is no argument of ours
        right_or_refused(sum_of(function, kwargs), args, {}, wrt, mode)
