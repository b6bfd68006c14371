"""A derivative is a thing that can be handed about: pickled, copied, sent to pools, to joblib and dask, hashed; it stays itself."""

from __future__ import annotations

import concurrent.futures
import copy
import functools
import inspect
import multiprocessing
import pickle
import pydoc
import types
import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff import elementwise_grad, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

X, V = np.array([0.5, -2.0]), np.array([1.0, 3.0])


def loss(x, k: float = 2.0) -> float:
    """A cubic loss."""
    return k * np.sum(x**3)


def two(x, y):
    return np.sum(x**2 * y)


def entrywise(x):
    return x**3


def given_first(a, x, s=1.0):
    return a * s * np.sum(x**3)


def scaled(factor):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return factor * function(*args, **kwargs)

        return wrapper

    return decorate


@scaled(3.0)
def wrapped(x):
    return np.sum(x**3)


class Model:
    def __init__(self, k=2.0):
        self.k = k

    def loss(self, x, s=1.0):
        return s * self.k * np.sum(x**3)

    def __call__(self, x, s=1.0):
        return s * self.k * np.sum(x**3)

    @grad
    def slope(self, x):
        return self.k * np.sum(x**3)

    @value_and_grad(wrt="x")
    def both(self, x):
        return self.k * np.sum(x**3)


Model.later = grad(Model.loss, wrt="x")


@grad
def decorated(x):
    return np.sum(x**4)


@jacobian(wrt="y")
def decorated_jacobian(x, y):
    return x * y**2


MODEL = Model(3.0)

HANDED = {
    "function": (lambda: grad(loss), (X,), 6 * X**2),
    "second parameter": (lambda: grad(two, wrt=1), (X, V), X**2),
    "by name": (lambda: grad(two, wrt="y"), (X, V), X**2),
    "method": (lambda: grad(MODEL.loss), (X,), 9 * X**2),
    "object": (lambda: grad(MODEL), (X,), 9 * X**2),
    "partial": (lambda: grad(functools.partial(loss, k=5.0)), (X,), 15 * X**2),
    "partial of a method": (lambda: grad(functools.partial(MODEL.loss, s=2.0)), (X,), 18 * X**2),
    "partial by position": (lambda: grad(functools.partial(given_first, 4.0)), (X,), 12 * X**2),
    "partial of a gradient": (lambda: functools.partial(grad(loss), k=5.0), (X,), 15 * X**2),
    "wrapper": (lambda: grad(wrapped), (X,), 9 * X**2),
    "of a wrapping object": (lambda: grad(scaled_by_object), (X,), 6 * X**2),
    "jacobian": (lambda: jacobian(entrywise), (X,), np.diag(3 * X**2)),
    "jacobian forwards": (lambda: jacobian(entrywise, direction="forward"), (X,), np.diag(3 * X**2)),
    "hessian": (lambda: hessian(MODEL.loss), (X,), np.diag(18 * X)),
    "hvp": (lambda: hvp(functools.partial(MODEL.loss, s=2.0)), (X, V), 36 * X * V),
    "elementwise": (lambda: elementwise_grad(entrywise), (X,), 3 * X**2),
    "of a gradient": (lambda: jacobian(grad(MODEL.loss)), (X,), np.diag(18 * X)),
    "eager": (lambda: grad(loss, mode="eager"), (X,), 6 * X**2),
    "decorated": (lambda: decorated, (X,), 4 * X**3),
    "decorated, with options": (lambda: decorated_jacobian, (X, V), np.diag(2 * X * V)),
    "of what is decorated": (lambda: jacobian(decorated), (X,), np.diag(12 * X**2)),
    "decorated method": (lambda: MODEL.slope, (X,), 9 * X**2),
    "put into a class later": (lambda: MODEL.later, (X,), 9 * X**2),
}


class Doubling:
    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return 2.0 * self.__wrapped__(*args, **kwargs)


def cubes(x):
    return np.sum(x**3)


scaled_by_object = Doubling(cubes)

EVERY = pytest.mark.parametrize("name", HANDED)


def handed(name):
    make, args, expected = HANDED[name]
    return make(), args, expected


@EVERY
def test_it_is_right_before_it_is_handed_on(name):
    made, args, expected = handed(name)
    np.testing.assert_allclose(made(*args), expected, rtol=1e-12)


@EVERY
def test_pickle(name):
    made, args, expected = handed(name)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(made, protocol))
        np.testing.assert_allclose(again(*args), expected, rtol=1e-12, err_msg=f"protocol {protocol}")


@EVERY
def test_copies(name):
    made, args, expected = handed(name)
    for copied in (copy.copy(made), copy.deepcopy(made), copy.deepcopy({"k": [made]})["k"][0]):
        np.testing.assert_allclose(copied(*args), expected, rtol=1e-12)


def test_a_deep_copy_has_an_object_of_its_own():
    model = Model(2.0)
    made = grad(model.loss)
    shallow, deep = copy.copy(made), copy.deepcopy(made)
    model.k = 5.0
    np.testing.assert_allclose(made(X), 15 * X**2)
    np.testing.assert_allclose(shallow(X), 15 * X**2)
    np.testing.assert_allclose(deep(X), 6 * X**2)


def test_what_is_decorated_comes_back_as_itself():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert pickle.loads(pickle.dumps(Model.slope)) is Model.slope
    assert pickle.loads(pickle.dumps(decorated_jacobian)) is decorated_jacobian
    value, gradient = pickle.loads(pickle.dumps(MODEL.both))(X)
    assert value == pytest.approx(3 * np.sum(X**3))
    np.testing.assert_allclose(gradient, 9 * X**2)


def test_lambdas_and_closures_are_refused_by_pickle_and_never_the_function_itself():
    def inner(x):
        return np.sum(x**2)

    for made in (grad(lambda x: np.sum(x**2)), grad(inner)):
        with pytest.raises((pickle.PicklingError, AttributeError), match=r"lambda|inner"):
            pickle.dumps(made)
        assert copy.copy(made)(2.0) == copy.deepcopy(made)(2.0) == 4.0


@EVERY
def test_cloudpickle(name):
    cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
    made, args, expected = handed(name)
    np.testing.assert_allclose(pickle.loads(cloudpickle.dumps(made))(*args), expected, rtol=1e-12)
    k = 2.0
    np.testing.assert_allclose(pickle.loads(cloudpickle.dumps(grad(lambda x: k * np.sum(x**2), mode="eager")))(X), 4 * X)


def call(given):
    made, args = given
    return made(*args)


@pytest.mark.parametrize("pool", ["multiprocessing", "concurrent.futures"])
def test_pools_of_processes(pool):
    context = multiprocessing.get_context("spawn")
    wanted = [handed(name) for name in HANDED]
    work = [(made, args) for made, args, _ in wanted]
    if pool == "multiprocessing":
        with context.Pool(1) as processes:
            found = processes.map(call, work)
    else:
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as processes:
            found = list(processes.map(call, work))
    for got, (_, _, expected) in zip(found, wanted):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_joblib(tmp_path):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    assert len({joblib.hash(part) for part in (loss, grad(loss), grad(two), grad(two, wrt=1), value_and_grad(two))}) == 5
    assert joblib.hash(grad(two, wrt=1)) == joblib.hash(grad(two, wrt=1))
    assert joblib.hash(grad(Model(2.0).loss)) == joblib.hash(grad(Model(2.0).loss)) != joblib.hash(grad(Model(3.0).loss))
    memory = joblib.Memory(tmp_path, verbose=0)
    for _ in range(2):
        np.testing.assert_allclose(memory.cache(grad(two, wrt=0))(X, V), 2 * X * V)
        np.testing.assert_allclose(memory.cache(grad(two, wrt=1))(X, V), X**2)
        np.testing.assert_allclose(memory.cache(grad(two, wrt=(0,)))(X, V)[0], 2 * X * V)
        np.testing.assert_allclose(memory.cache(value_and_grad(two))(X, V)[1], 2 * X * V)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", joblib.memory.JobLibCollisionWarning)
            np.testing.assert_allclose(memory.cache(grad(functools.partial(loss, k=5.0)))(X), 15 * X**2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", joblib.memory.JobLibCollisionWarning)  # it says that one takes the place of the other
            np.testing.assert_allclose(memory.cache(grad(functools.partial(loss, k=7.0)))(X), 21 * X**2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", joblib.memory.JobLibCollisionWarning)
            np.testing.assert_allclose(memory.cache(grad(loss))(X), 6 * X**2)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(made)(*args) for made, args, _ in map(handed, list(HANDED)[:8]))
    for got, name in zip(found, HANDED):
        np.testing.assert_allclose(got, HANDED[name][2], rtol=1e-12)


@EVERY
def test_dask(name):
    dask = pytest.importorskip("dask", reason="dask is not installed")
    from dask.base import tokenize

    made, args, expected = handed(name)
    if name not in ("partial of a gradient", "decorated method", "of a wrapping object"):  # these tokens are not ours to make
        again = handed(name)[0]
        assert tokenize(made) == tokenize(again) == tokenize(pickle.loads(pickle.dumps(made)))
        assert tokenize(made) not in (tokenize(made.wrapped), tokenize(grad(two, wrt="x")))
    np.testing.assert_allclose(dask.delayed(made)(*args).compute(scheduler="synchronous"), expected, rtol=1e-12)


def test_tokens_of_dask_tell_apart_what_differs():
    tokenize = pytest.importorskip("dask.base", reason="dask is not installed").tokenize
    made = [grad(two), grad(two, wrt=1), grad(two, wrt=(0,)), value_and_grad(two), grad(two, mode="eager"), jacobian(entrywise),
            jacobian(entrywise, direction="forward"), grad(functools.partial(loss, k=1.0)), grad(functools.partial(loss, k=3.0)),
            grad(Model(1.0).loss), grad(Model(2.0).loss), loss, two]
    assert len(set(map(tokenize, made))) == len(made)


@pytest.mark.parametrize("door, more", [
    (grad, ()), (value_and_grad, ()), (jacobian, ()), (hessian, ()), (hvp, ()), (elementwise_grad, ()), (grad, ("k",)),
    (grad, (("x", "k"),)),
])
def test_it_has_a_name_a_docstring_and_a_representation_of_its_own(door, more):
    made = door(loss, *more)
    assert made.__name__.startswith(f"loss_{door.__name__}") and made.__name__.isidentifier() and made.__qualname__ == made.__name__
    assert made.__name__ != grad(loss).__name__ or (door, more) == (grad, ())
    assert made.__module__ == __name__ and made.__wrapped__ is made.wrapped is loss
    assert made.__doc__ != loss.__doc__ and "of loss with respect to" in made.__doc__ and "A cubic loss." in made.__doc__
    assert "of loss with respect to" in repr(made) and "0x" not in repr(made) and repr(made) == repr(door(loss, *more))
    signature = inspect.signature(made)
    assert list(signature.parameters) == ["x", "k"] and signature.return_annotation is inspect.Signature.empty
    assert made.__annotations__.keys() == {"k"}
    assert "A cubic loss." in pydoc.plain(pydoc.render_doc(made)) and made.__name__ in pydoc.plain(pydoc.render_doc(made))
    assert hasattr(made, "sourcediff") and callable(made)
    assert made == made and len({made, made, grad(two)}) == 2


def test_representations_tell_apart_what_differs():
    made = [grad(two), grad(two, wrt=1), grad(two, wrt=(0,)), value_and_grad(two), grad(two, mode="eager"), grad(loss),
            grad(functools.partial(loss, k=1.0)), grad(functools.partial(loss, k=3.0)), grad(Model(1.0).loss), grad(Model(2.0).loss)]
    assert len(set(map(repr, made))) == len(made)


def test_source_and_file():
    sourcediff.cache.forget()  # what was made of it by other tests
    made = grad(two)
    assert made.file is None and "def two_grad(x, y)" in made.source
    made(X, V)
    assert made.source == sourcediff.gradient_source(two, args=(X, V))
    with open(made.file, encoding="utf-8") as file:
        assert file.read().startswith(made.source)
    assert "def entrywise_forward(x)" in jacobian(entrywise).source and "_jvp(" in hvp(loss).source
    assert grad(wrapped).file is None
    with pytest.raises(sourcediff.errors.UnknownParameterError, match="has not been called yet"):
        grad(wrapped).source  # noqa: B018
    asked = grad(wrapped)
    asked(X)
    assert "def wrapped_grad(x" in asked.source


def test_attributes_can_be_given_to_it_and_are_handed_on():
    made = grad(loss)
    made.units = "J/m"
    made.__doc__ = "Its own."
    other = pickle.loads(pickle.dumps(made))
    assert other.units == "J/m" and other.__doc__ == "Its own."


def test_wrapping_one_makes_a_function_of_its_own():
    made = grad(loss)

    @functools.wraps(made)
    def twice(*args, **kwargs):
        return 2 * made(*args, **kwargs)

    np.testing.assert_allclose(twice(X), 12 * X**2)
    np.testing.assert_allclose(jacobian(twice)(X), np.diag(24 * X))
    np.testing.assert_allclose(vjp(twice, X)[1](V)[0], 24 * X * V)

    def plain(x):
        return np.sum(twice(x) ** 2)

    np.testing.assert_allclose(grad(plain)(X), 2 * 144 * 2 * X**3)


HELD = {
    "partial by name": (functools.partial(loss, k=3.0), 3.0),
    "partial of a partial": (functools.partial(functools.partial(loss, k=5.0), k=3.0), 3.0),
    "partial of a method": (functools.partial(MODEL.loss, s=2.0), 6.0),
    "method": (MODEL.loss, 3.0),
    "object": (MODEL, 3.0),
    "partial of an object": (functools.partial(MODEL, s=2.0), 6.0),
    "partial by position": (functools.partial(given_first, 4.0), 4.0),
    "partial by position and name": (functools.partial(given_first, 4.0, s=0.5), 2.0),
}


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
@pytest.mark.parametrize("name", HELD)
def test_derivatives_of_derivatives_keep_what_was_given(name, mode):
    f, k = HELD[name]
    first, second = 3 * k * X**2, 6 * k * X
    np.testing.assert_allclose(grad(f, mode=mode)(X), first)
    np.testing.assert_allclose(hessian(f, mode=mode)(X), np.diag(second))
    np.testing.assert_allclose(hvp(f, mode=mode)(X, V), second * V)
    np.testing.assert_allclose(jacobian(grad(f), mode=mode)(X), np.diag(second))
    np.testing.assert_allclose(jvp(grad(f), (X,), (V,), mode=mode)[1], second * V)
    np.testing.assert_allclose(vjp(grad(f), X, mode=mode)[1](V)[0], second * V)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sourcediff.FallbackWarning)
        np.testing.assert_allclose(grad(hvp_along(f))(X), 6 * k * V)
    np.testing.assert_allclose(jacobian(jacobian(grad(f)), mode=mode)(X)[0, 0], [6 * k, 0.0])


def hvp_along(f):
    slope = grad(f)

    def along(x):
        return np.sum(hvp_of(x))

    def hvp_of(x):
        return jvp(slope, (x,), (V,))[1]

    return along


def test_what_a_partial_was_given_can_be_given_otherwise():
    f = functools.partial(loss, k=3.0)
    np.testing.assert_allclose(grad(f)(X, k=5.0), 15 * X**2)
    np.testing.assert_allclose(hvp(f)(X, V, k=5.0), 30 * X * V)
    np.testing.assert_allclose(jacobian(grad(f))(X, k=5.0), np.diag(30 * X))
    np.testing.assert_allclose(hvp(MODEL)(X, V, s=2.0), 36 * X * V)
    np.testing.assert_allclose(jacobian(functools.partial(grad(loss), k=3.0))(X), np.diag(18 * X))


class Holder:
    def __init__(self, function):
        self.slope = grad(function)
        self.table = {"slope": grad(function)}

    def step(self, x):
        return np.sum(x - 0.5 * self.slope(x) + self.table["slope"](x))


def test_in_objects_tables_closures_and_arguments():
    made = grad(loss)
    table = {"a": made}

    def closure(x):
        return np.sum(made(x) * table["a"](x))

    def given(x, g=made):
        return np.sum(g(x))

    np.testing.assert_allclose(grad(closure)(X), 4 * 36 * X**3)
    np.testing.assert_allclose(grad(given)(X), 12 * X)
    np.testing.assert_allclose(grad(given)(X, grad(MODEL.loss)), 18 * X)
    np.testing.assert_allclose(grad(Holder(loss).step)(X), 1.0 + 6 * X)
    np.testing.assert_allclose(grad(Holder(MODEL.loss).step)(X), 1.0 + 9 * X)
    np.testing.assert_allclose(grad(uses_a_method)(X, MODEL), 18 * X)


def uses_a_method(x, model):
    return np.sum(model.slope(x))


def test_a_derivative_is_exchanged_and_the_next_call_sees_it():
    namespace = types.SimpleNamespace(slope=grad(loss))
    slope = grad(loss)

    def f(x):
        return np.sum(slope(x))

    def through(x):
        return np.sum(namespace.slope(x))

    made, other = grad(f), grad(through)
    np.testing.assert_allclose(made(X), 12 * X)
    np.testing.assert_allclose(other(X), 12 * X)
    slope = namespace.slope = grad(functools.partial(loss, k=5.0))
    np.testing.assert_allclose(made(X), 30 * X)
    np.testing.assert_allclose(other(X), 30 * X)


def test_of_an_object_whose_class_is_given_another_call() -> None:
    class Scaled:
        def __init__(self, k: float) -> None:
            self.k = k

        def __call__(self, x: np.ndarray) -> np.floating:
            return self.k * np.sum(x ** 2)

    def cubed(self: Scaled, x: np.ndarray) -> np.floating:
        return self.k * np.sum(x ** 3)

    x = np.array([1.0, 2.0])
    for mode in ("compiled", "eager", "auto"):
        then = Scaled.__call__
        first, second = grad(Scaled(3.0), mode=mode), hvp(Scaled(3.0), mode=mode)
        np.testing.assert_allclose(first(x), 6 * x)
        np.testing.assert_allclose(second(x, x), 6 * x)
        Scaled.__call__ = cubed  # type: ignore[method-assign]
        np.testing.assert_allclose(first(x), 9 * x ** 2)
        np.testing.assert_allclose(second(x, x), 18 * x ** 2)
        if mode != "eager":
            np.testing.assert_allclose(jacobian(first)(x), np.diag(18 * x))
        Scaled.__call__ = then  # type: ignore[method-assign]
