"""No hidden conversion to NumPy: the core runs on CuPy's arrays (without ``--device cupy`` a strict stand-in's), with NumPy's numbers."""

import copy
import pickle

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Variable, backward, detect_anomaly, grad, no_grad
from sourcediff.eager.view import graph
from sourcediff.errors import AnomalyError, InPlaceError, NonDifferentiableError
from tests.standin import transfers

from .core import PROGRAMS, Relu, X, gradients_of_net, same_on, train


@pytest.fixture
def leaf(device):
    return lambda array=X: Variable(device.array(array), requires_grad=True)


@pytest.fixture
def tolerance(pytestconfig):
    return 0.0 if pytestconfig.getoption("device") == "standin" else 1e-9


def held(array):
    assert type(array).__module__ == "cupy"
    return array.get()


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "prod"])
def test_programs(name, device, tolerance):
    same_on(device.array, held, PROGRAMS[name], tolerance=1e-4 if tolerance and name == "float32" else tolerance)


def test_the_product_has_two_gradients(leaf):
    x = leaf(X[0])
    z = x.prod()
    np.testing.assert_allclose(held(grad(z, x, retain_graph=True)[0].data), np.prod(X[0]) / X[0])
    (g,) = grad(z, x, create_graph=True)
    a, b, c = X[0]
    np.testing.assert_allclose(held(grad(g.sum(), x)[0].data), [b + c, a + c, a + b])


def test_backward_accumulates_in_the_same_kind_of_array(leaf, device):
    x = leaf()
    for _ in range(2):
        backward([x * x], [device.array(np.full((2, 3), 0.5))])
    np.testing.assert_allclose(held(x.grad.data), 2 * X)
    x.grad.zero_()
    assert not held(x.grad.data).any()


def test_a_seed_is_of_the_same_kind_of_array(leaf):
    x = leaf()
    with pytest.raises(NonDifferentiableError, match=r"a seed in a ndarray(.|\n)*output's kind of array"):
        (x * x).backward(np.ones((2, 3)))


def test_nothing_waits_for_values_on_the_way(device):
    with transfers("wait") as waits:
        losses = train(device.array)
    assert not waits
    np.testing.assert_allclose([loss.item() for loss in losses], train(np.array))
    assert losses[-1].item() < losses[0].item() / 5


def test_operands_both_ways_round(leaf, device):
    x, a = leaf(), device.array(X)
    for y in (a * x, x * a, np.multiply(a, x), np.multiply(x, a)):
        assert type(y) is Variable and y.requires_grad
        np.testing.assert_allclose(held(grad(y.sum(), x)[0].data), X)
    for y in (a > x, x < a, x == a):
        assert type(y) is device.ndarray and y.dtype == bool
    for mixed in (lambda: x * X, lambda: X * x, lambda: np.add(X, x), lambda: np.where(X > 1, x, 0.0), lambda: a.__iadd__(x)):
        with pytest.raises(TypeError, match="Unsupported type"):
            mixed()


def test_function_and_hooks(leaf):
    x, y = leaf(), leaf()
    x.register_hook(lambda g: g * 3)
    a, b = Relu.apply(x, y)
    (a.sum() + (b * b).sum()).backward()
    np.testing.assert_allclose(held(x.grad.data), 3.0 * (X > 0.5))
    np.testing.assert_allclose(held(y.grad.data), np.zeros((2, 3)))


def test_several_results_of_which_one_is_used(leaf):
    x = leaf()
    a, _ = Relu.apply(x, leaf())
    a.sum().backward()
    np.testing.assert_allclose(held(x.grad.data), 1.0 * (X > 0.5))


def test_anomaly(leaf):
    x = leaf([0.0, 1.0])
    with detect_anomaly(), np.errstate(divide="ignore"), pytest.raises(AnomalyError, match=r"np.sqrt gave inf"):
        np.sqrt(x).sum().backward()


def test_in_place_is_right_or_refused(leaf):
    x = leaf()
    y = x * 1.0
    z = (y * y).sum()
    y *= 2
    with pytest.raises(InPlaceError, match=r"np.multiply needs was changed"):
        z.backward()
    with pytest.raises(InPlaceError, match="leaf that requires grad"):
        x[0] *= 2
    with no_grad():
        x[0] *= 2
    np.testing.assert_allclose(held(x.data), X * [[2.0], [1.0]])
    with pytest.raises(InPlaceError, match="names an entry twice"):
        y[:, [0, 0]] = x[:, [0, 1]]
    w = leaf()
    loss = (w * w).sum()
    w.data -= 0.5 * w.data
    with pytest.raises(InPlaceError, match=r"changed by the in-place operation .data"):
        loss.backward()


def test_leaving(leaf):
    x = leaf()
    assert x.sum().item() == float(x.sum().detach()) == 7.0 and x.tolist() == X.tolist() and bool(x.sum())
    assert f"{x.sum():.1f}" == "7.0" and str(x) == str(Variable(X)) and repr(x * 2) == repr(Variable(X, requires_grad=True) * 2)
    np.testing.assert_allclose(held(copy.deepcopy(x).data), X)
    np.testing.assert_allclose(held(pickle.loads(pickle.dumps(x)).data), X)
    with pytest.raises(NonDifferentiableError, match=r"np.stack|\.data"):
        np.asarray(x)
    for convert in (np.asarray, lambda v: v.numpy()):
        with pytest.raises(NonDifferentiableError, match=r"another memory(.|\n)*\.cpu\(\)"):
            convert(x.detach())


def test_the_graph_is_shown_without_a_look_at_the_values(device):
    def drawn(array):
        x = Variable(array, requires_grad=True)
        g = graph((x * np.sin(x)[0]).sum())
        assert g.dot().startswith("digraph")
        return g.summary, [(node.title, node.saved) for node in g.nodes]

    with transfers() as found:
        x = device.array(X)
        assert drawn(x) == drawn(X)
    assert {transfer.name for transfer in found} <= {"array"}


def test_cpu_is_recorded(leaf, device):
    x = leaf()
    y = x.cpu() * X
    assert type(y.data) is np.ndarray
    (g,) = grad((y * y).sum(), x, create_graph=True)
    np.testing.assert_allclose(held(g.data), 2 * X**3)
    (h,) = grad((g * g).sum(), x)
    np.testing.assert_allclose(held(h.data), 8 * X**5)
    assert not x.detach().cpu().requires_grad and Variable(device.array(X), volatile=True).cpu().volatile


def test_library_runs(device):
    for got, expected in zip(gradients_of_net(device.array), gradients_of_net(np.array), strict=True):
        np.testing.assert_allclose(held(got), expected)


def test_library_runs_leave_the_arguments_as_a_plain_call_does(device):
    def doubles(x):
        x *= 2.0
        x[0] = x[1]
        return np.sum(x * x)

    a, b = device.array(X), X.copy()
    value, gradient = sourcediff.value_and_grad(doubles, mode="eager")(a)
    expected = sourcediff.value_and_grad(doubles, mode="eager")(b)
    assert value.item() == expected[0]
    np.testing.assert_allclose(held(gradient), expected[1])
    np.testing.assert_allclose(held(a), b)
