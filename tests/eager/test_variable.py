"""EAGER_API, "Variable": attributes, who requires grad, volatile, operators, printing, copies."""

import copy
import operator
import pickle

import numpy as np
import pytest

from sourcediff.eager import Variable, grad
from sourcediff.errors import InPlaceError, NonDifferentiableError

from .numbers import agree

X = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]])


def test_wraps_without_copying():
    array = np.ones(3)
    assert Variable(array).data is array
    assert Variable([[1, 2], [3, 4.5]]).data.tolist() == [[1, 2], [3, 4.5]]
    assert Variable(2.5).data == 2.5


@pytest.mark.parametrize("data", [3, [1, 2], np.arange(3), np.array([True]), np.int64(3), True])
def test_integers_that_require_grad_are_refused(data):
    with pytest.raises(NonDifferentiableError, match=r"only floats can require grad.*\n.*\n.*give floats"):
        Variable(data, requires_grad=True)
    assert not Variable(data).requires_grad


@pytest.mark.parametrize("data", [np.array([1j, 2.0]), 1j, np.complex64(1j)])
def test_complex_numbers_can_require_grad(data):
    x = Variable(data, requires_grad=True)
    np.real(np.sum(x * x)).backward()  # u = Re z², and ∂u/∂x − i ∂u/∂y is 2 z
    np.testing.assert_array_equal(x.grad.data, 2 * data)
    assert x.grad.dtype == x.dtype


@pytest.mark.parametrize("data", [np.array([None]), np.array(["a"]), np.ma.array([1.0], mask=[True]), "text", None, {}])
def test_what_is_no_numbers_is_refused(data):
    with pytest.raises(NonDifferentiableError, match="cannot be a Variable"):
        Variable(data)


@pytest.mark.parametrize("other", [
    np.array([1, 2, None]), np.array([1.0, "a", 2], object),
    np.ma.array([1.0, 2.0, 3.0], mask=[True, False, False]), np.ones((1, 3)).view(np.matrix),
], ids=repr)
def test_operands_that_cannot_be_differentiated_are_refused(other):
    x = Variable(X, requires_grad=True)
    for operation in (lambda: x * other, lambda: other * x, lambda: np.add(x, other)):
        with pytest.raises((NonDifferentiableError, TypeError, ValueError)):
            operation()


def test_attributes():
    x = Variable(X, requires_grad=True)
    y = x * 2
    assert x.is_leaf and x.grad_fn is None and x.creator is None and x.grad is None
    assert not y.is_leaf and y.grad_fn.name == "np.multiply" and y.creator is y.grad_fn
    assert x.shape == (2, 3) and x.ndim == x.dim() == 2 and x.dtype == np.float64 and x.T.shape == (3, 2)
    assert x.size == 6 and x.size() == (2, 3) and x.size(1) == 3 and x.numel() == 6 and len(x) == 2
    assert [row.data.tolist() for row in x] == X.tolist()
    assert x[0, 1].item() == -2.0 and type(x[0, 1].item()) is float


def test_requires_grad_iff_some_input_does():
    x, c = Variable(X, requires_grad=True), Variable(X)
    assert (x + c).requires_grad and (c + x).requires_grad and np.sin(x).requires_grad
    assert not (c + c).requires_grad and (c + c).grad_fn is None and (c * 2).is_leaf


def test_requires_grad_can_be_turned_on_halfway_on_leaves_only():
    x = Variable(X)
    x.requires_grad = True
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X)
    x.requires_grad = False
    assert not (x * x).requires_grad
    with pytest.raises(InPlaceError, match="leaves"):
        (Variable(X, requires_grad=True) * 2).requires_grad = False


def test_backward_never_enters_what_requires_no_grad():
    x = Variable(X, requires_grad=True)
    y = x * (Variable(X) * 3)
    assert len(y.grad_fn.edges) == 1


def test_volatile_is_contagious_and_stronger():
    x, v = Variable(X, requires_grad=True), Variable(X, volatile=True)
    for y in (x + v, v + x, np.sin(v), v * 2, np.concatenate([x, v]), v[0], v.sum()):
        assert y.volatile and not y.requires_grad and y.grad_fn is None
    with pytest.raises(ValueError, match="volatile"):
        Variable(X, requires_grad=True, volatile=True)


def test_detach_and_clone():
    x = Variable(X, requires_grad=True)
    y = x * 2
    assert y.detach().data is y.data and not y.detach().requires_grad
    assert y.clone().requires_grad and y.clone().data is not y.data
    y.detach_()
    assert y.is_leaf and not y.requires_grad


def test_assigning_data_changes_the_value():
    w = Variable(X.copy(), requires_grad=True)
    w.data -= 0.5 * X
    np.testing.assert_array_equal(w.data, X / 2)
    w.data = np.zeros((2, 3))
    assert w.requires_grad and w.is_leaf


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
@pytest.mark.parametrize("other", [2, 2.5, np.float64(1.5), np.array([1.5, 2.0, 0.5]), np.array(1.5), np.array([[2.0], [3.0]])], ids=repr)
def test_operators_both_ways_round(name, other):
    op = getattr(operator, name)
    x = np.abs(X)
    agree(lambda v: np.sum(op(v, other)), x)
    agree(lambda v: np.sum(op(other, v)), x)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "mod"])
@pytest.mark.parametrize(
    "shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 1)), ((2, 3), ()), ((), (2, 3)), ((0, 3), (3,)), ((1,), (0,))], ids=str,
)
def test_operators_of_variables_broadcast(name, shapes):
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(0.6, 1.9, shape) for shape in shapes)
    agree(lambda u, v: np.sum(getattr(operator, name)(u, v) * 1.5), a, b)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 1))], ids=str,
)
def test_matmul_of_any_ranks(shapes):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape) for shape in shapes)
    agree(lambda u, v: np.sum(np.sin(u @ v)), a, b)
    agree(lambda u: np.sum(np.sin(u @ b)), a)
    agree(lambda v: np.sum(np.sin(a @ v)), b)


def test_unary_operators():
    agree(lambda v: np.sum(-v * +v + abs(v)), X)


def test_mixed_dtypes_give_gradients_of_their_own_dtype():
    a, b = Variable(X.astype(np.float32), requires_grad=True), Variable(X[0], requires_grad=True)
    y = a * b
    assert y.dtype == np.float64
    for variable, gradient in zip((a, b), grad(y.sum(), [a, b])):
        assert gradient.dtype == variable.dtype and gradient.shape == variable.shape
    assert (a * 2.5).dtype == np.float32 and (2 * a).dtype == np.float32


def test_comparisons_give_arrays():
    x = Variable(X, requires_grad=True)
    for got, expected in ((x > 0, X > 0), (0 > x, 0 > X), (x == x, X == X), (x <= X, X <= X), (X != x, X != X)):
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, expected)


def test_truth():
    assert Variable([2.0]) and not Variable(0.0)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(Variable(X))


def test_unknown_operands_are_left_to_them():
    class Other:
        def __rmul__(self, left):
            return "mine"

    assert Variable(X) * Other() == "mine"
    with pytest.raises(TypeError):
        Variable(X) + "text"


@pytest.mark.parametrize("convert", [float, int, complex, np.asarray, operator.index, lambda v: [0, 1, 2][v], lambda v: v.numpy()])
def test_nothing_detaches_silently(convert):
    x = Variable(2.0, requires_grad=True)
    with pytest.raises(NonDifferentiableError, match=r"silently lose its gradient(.|\n)*item"):
        convert(x)
    if convert is float:
        assert convert(Variable(2.0)) == 2.0


def test_a_list_of_variables_is_not_swallowed():
    x = Variable(X, requires_grad=True)
    array = np.zeros(3)
    for swallow in (lambda: np.array([x[0, 0], x[0, 1]]), lambda: np.array([x, x]), lambda: array.__setitem__(0, x[0, 0])):
        with pytest.raises((NonDifferentiableError, ValueError)) as raised:
            swallow()
        told = raised.value if isinstance(raised.value, NonDifferentiableError) else raised.value.__cause__  # NumPy wraps some
        assert "np.stack" in str(told)


def test_printing():
    x = Variable(np.ones((2, 2)), requires_grad=True)
    assert str(x) == "Variable containing:\n[[1. 1.]\n [1. 1.]]\n[float64 array of size 2x2]"
    assert repr(x * 2).endswith("[float64 array of size 2x2] made by np.multiply")
    assert str(Variable(2.0)) == "Variable containing:\n2.0\n[float64 number]"
    assert f"{(x * 2).sum():.1f}" == "8.0"


def test_leaves_can_be_copied_and_pickled():
    x = Variable(X.copy(), requires_grad=True)
    (x * x).sum().backward()
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.requires_grad and y.data is not x.data
        np.testing.assert_array_equal(y.data, X)
    assert copy.deepcopy(x).grad.data.tolist() == x.grad.data.tolist()
    with pytest.raises(NonDifferentiableError, match="graph"):
        copy.deepcopy(x * 2)
    with pytest.raises(NonDifferentiableError, match="graph"):
        pickle.dumps(x * 2)
