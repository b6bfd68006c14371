"""EAGER_API, section Variable: one test for each of its lines, in its order. Operators and methods have files of their own."""

import copy
import pickle
import threading

import numpy as np
import pytest

from sourcediff.eager import Function, Variable, enable_grad, grad, no_grad
from sourcediff.errors import InPlaceError, NonDifferentiableError

from .numbers import agree, differences

X = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]])


def leaf(data=X):
    return Variable(np.array(data), requires_grad=True)


# Variable(data, requires_grad=False, volatile=False)


@pytest.mark.parametrize("data", [X, X[::-1, 1:], np.zeros((0, 3)), np.array(2.0), X.astype(np.float32), np.arange(3)], ids=repr)
def test_an_array_is_wrapped_without_copying(data):
    assert Variable(data).data is data


def test_data_is_an_array_a_nested_list_or_a_number():
    assert type(Variable([[1, 2], [3, 4.5]]).data) is np.ndarray and Variable([[1, 2], [3, 4.5]]).dtype == np.float64
    assert Variable(((1.0,), (2.0,))).shape == (2, 1) and Variable([]).shape == (0,)
    for number in (2.5, np.float32(2.5), 3):
        assert Variable(number).data is number and Variable(number).shape == ()
    assert Variable(Variable(X)).data is X
    for data in (leaf(), leaf() * 2, [leaf(), leaf()], [[leaf()[0, 0], 1.0]]):
        with pytest.raises((NonDifferentiableError, ValueError)) as raised:
            Variable(data)
        told = raised.value if isinstance(raised.value, NonDifferentiableError) else raised.value.__cause__  # NumPy wraps some
        assert "silently lose its gradient" in str(told)


def test_by_default_nothing_is_required_and_nothing_volatile():
    x = Variable(X)
    assert (x.requires_grad, x.volatile, x.is_leaf, x.grad, x.grad_fn) == (False, False, True, None, None)


@pytest.mark.parametrize("data", [3, True, [1, 2], np.arange(3), np.array([True]), np.int8(3)], ids=repr)
def test_ints_with_requires_grad_are_refused_with_a_clear_error(data):
    with pytest.raises(NonDifferentiableError, match=r"only floats can require grad(.|\n)*give floats"):
        Variable(data, requires_grad=True)
    x = Variable(data)
    with pytest.raises(NonDifferentiableError, match="only floats can require grad"):
        x.requires_grad = True
    assert not x.requires_grad and not x.volatile


# .data


def test_data_is_assignable():
    w = leaf()
    (w * w).sum().backward()
    array = w.data
    w.data -= 0.5 * w.grad.data
    assert w.data is array and not w.data.any()
    w.data = w.data + 1.0
    assert w.data is not array and w.requires_grad and w.is_leaf and w.grad is not None
    w.data = [[1, 2, 3.5], [0, 0, 0]]
    assert w.data.dtype == np.float64
    w.data = Variable(X)
    assert w.data is X


def test_assigned_data_has_to_fit():
    w = leaf()
    with pytest.raises(NonDifferentiableError, match="only floats can require grad"):
        w.data = np.arange(6).reshape(2, 3)
    w.data = np.ones(4)  # a leaf whose gradient nobody has asked for yet
    assert w.shape == (4,)
    (w * w).sum().backward()
    with pytest.raises(ValueError, match=r"shape \(1,\)(.|\n)*shape \(4,\)(.|\n)*grad = None"):
        w.data = np.ones(1)
    w.grad = None
    w.data = np.ones(1)
    y = w * 2
    with pytest.raises(ValueError, match=r"shape \(1, 1\)(.|\n)*shape \(1,\)"):
        y.data = np.ones((1, 1))
    y.data = np.full(1, 7.0)
    y.sum().backward()
    assert w.grad.data.tolist() == [2.0]


def test_new_data_between_forward_and_backward_leave_the_gradient_that_of_the_forward_pass():
    x = leaf()
    y = (x * x).sum()
    x.data = x.data + 100.0
    y.backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X)


def test_data_changed_in_place_between_forward_and_backward_are_refused():
    x = leaf()
    y = (x * x).sum()
    x.data += 100.0
    with pytest.raises(InPlaceError, match=r"\.data"):
        y.backward()


# .grad


def test_grad_is_a_variable_or_none_and_accumulates_over_calls_of_backward():
    x = leaf()
    assert x.grad is None
    for times in (1, 2, 3):
        (x * x).sum().backward()
        assert type(x.grad) is Variable and not x.grad.requires_grad
        np.testing.assert_array_equal(x.grad.data, times * 2 * X)


def test_grad_can_be_set():
    x = leaf()
    (x * x).sum().backward()
    x.grad = None
    assert x.grad is None
    x.grad = np.ones((2, 3))
    assert type(x.grad) is Variable
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X + 1)
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        x.grad = np.ones(3)
    x.grad.zero_()
    assert not x.grad.data.any() and x.grad.shape == (2, 3)


# .grad_fn, .creator


def test_grad_fn_alias_creator_is_the_function_that_made_it_and_none_for_leaves():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    x = leaf()
    made_by = {"np.add": x + 1, "np.sin": np.sin(x), "operator.getitem": x[0], "np.sum": x.sum(), "Twice": Twice.apply(x)}
    for name, made in made_by.items():
        assert made.grad_fn.name == name and name in repr(made.grad_fn) and made.creator is made.grad_fn
    for made in (x, Variable(X), Variable(X) + 1, x.detach()):
        assert made.grad_fn is None and made.creator is None


# .requires_grad


def test_requires_grad_is_settable_on_leaves():
    x = Variable(X)
    x.requires_grad = True
    agree(lambda v: np.sum(v * v), X)
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X)
    x.requires_grad = False
    assert not (x * x).requires_grad
    for value in (True, False):
        with pytest.raises(InPlaceError, match="leaves"):
            (leaf() * 2).requires_grad = value
    v = Variable(X, volatile=True)
    v.requires_grad = False
    assert v.volatile


def test_fine_tuning_turns_requires_grad_on_halfway():
    """A frozen first layer and a trained second one; then the first layer is trained too, and both have the right gradient."""
    rng = np.random.default_rng(1)
    x, target = rng.standard_normal((16, 5)), rng.standard_normal((16, 2))
    w1 = Variable(rng.standard_normal((5, 4)) / 2)
    w2 = Variable(rng.standard_normal((4, 2)) / 2, requires_grad=True)

    def loss(first, second):
        return np.mean((np.tanh(x @ first) @ second - target) ** 2)

    def step():
        value = loss(w1, w2)
        value.backward()
        for w in (w1, w2):
            if w.requires_grad:
                w.data -= 0.1 * w.grad.data
        return value.item()

    frozen = w1.data.copy()
    losses = []
    for _ in range(20):
        losses.append(step())
        w2.grad.zero_()
    np.testing.assert_array_equal(w1.data, frozen)
    assert w1.grad is None and losses[-1] < losses[0]

    w1.requires_grad = True
    expected = differences(lambda a, b: float(loss(a, b)), w1.data.copy(), w2.data.copy())
    loss(w1, w2).backward()
    for w, slope in zip((w1, w2), expected):
        np.testing.assert_allclose(w.grad.data, slope, rtol=1e-6, atol=1e-8)
        w.grad.zero_()
    plateau = losses[-1]
    for _ in range(40):
        losses.append(step())
        w1.grad.zero_()
        w2.grad.zero_()
    assert losses[-1] < 0.9 * plateau and not np.array_equal(w1.data, frozen)


# .volatile, .is_leaf, .shape, .ndim, .dtype, .T, .size, .dim(), .numel(), .item(), len, iteration, indexing


def test_volatile_is_settable_on_leaves():
    x = Variable(X)
    x.volatile = True
    assert x.volatile and (x * 2).volatile
    x.volatile = False
    assert not x.volatile and not (x * 2).volatile
    with pytest.raises(ValueError, match="leaves"):
        (leaf() * 2).volatile = True


def test_is_leaf():
    x = leaf()
    assert x.is_leaf and Variable(X).is_leaf and (Variable(X) * 2).is_leaf and x.detach().is_leaf
    assert not (x * 2).is_leaf and not x[0].is_leaf


@pytest.mark.parametrize("data", [X, np.float32(1.5), 2.5, np.zeros((0, 2), np.float32), np.array(1.0), [1, 2]], ids=repr)
def test_shape_ndim_dtype_are_those_of_the_array(data):
    x, array = Variable(data), np.asarray(data)
    assert (x.shape, x.ndim, x.dim(), x.dtype, x.numel(), x.nelement()) == (
        array.shape, array.ndim, array.ndim, array.dtype, array.size, array.size,
    )
    assert (x.nbytes, x.itemsize, x.element_size()) == (array.nbytes, array.itemsize, array.itemsize)


def test_T_is_the_transpose():
    x = leaf()
    np.testing.assert_array_equal(x.T.data, X.T)
    agree(lambda v: np.sum(v.T * X.T ** 2), X)
    agree(lambda v: np.sum(v.T * v.T), X[0])


def test_size_is_an_int_that_can_also_be_called():
    x = leaf()
    assert x.size == 6 and isinstance(x.size, int) and x.size + 1 == 7 and list(range(x.size)) == list(range(6))
    assert x.size() == (2, 3) and x.size(0) == 2 and x.size(-1) == 3 and x.size(dim=1) == 3
    with pytest.raises(IndexError):
        x.size(2)
    assert Variable(2.0).size == 1 and Variable(2.0).size() == ()


def test_item_is_a_python_number():
    x = leaf()
    assert type((x * 2).sum().item()) is float and (x * 2).sum().item() == 2 * X.sum()
    assert x.item(1, 2) == -1.0 and x.item(4) == 3.0 and type(Variable([3]).item()) is int
    with pytest.raises(ValueError):
        x.item()


def test_len():
    assert len(leaf()) == 2 and len(Variable([])) == 0
    for x in (Variable(2.0), Variable(np.array(2.0)), leaf().sum()):
        with pytest.raises(TypeError):
            len(x)


def test_iteration_gives_rows_that_are_recorded():
    def f(x):
        total = 0.0
        for i, row in enumerate(x):
            for entry in row:
                total = total + (i + 1) * entry * entry
        a, b = x
        return total + np.sum(a * b) + sum(reversed(list(x)))[0]

    agree(f, X)
    assert [type(row) for row in leaf()] == [Variable, Variable]
    with pytest.raises(TypeError, match="0-d"):
        iter(Variable(2.0))


@pytest.mark.parametrize("key", [
    0, -1, (1, 2), (-1, -3), slice(None, None, -1), (slice(None), 1), (Ellipsis, 0), (None, 0), (0, None, slice(1, None)), [1, 0, 1],
    np.array([0, -1, 0]), (np.array([0, 1]), np.array([2, 2])), ([[0, 1]], [1, 0]), X > 0, (slice(None), np.array([True, False, True])),
    (0, X[0] > 0), np.int64(1), (Variable(np.array([1, 0])), 0), Ellipsis, (), (slice(0, 0),), np.array([], int),
], ids=repr)
def test_indexing(key):
    weights = np.cos(np.arange(12.0))

    def f(x):
        part = np.ravel(x[key])
        return np.sum(part * part * weights[:part.shape[0]])

    if isinstance(key, tuple) and any(isinstance(part, Variable) for part in key):
        np.testing.assert_array_equal(leaf()[key].data, X[[1, 0], 0])
    else:
        np.testing.assert_array_equal(leaf()[key].data, X[key])
        agree(f, X)


def test_an_index_out_of_bounds_is_numpys_error():
    for key in (2, (0, 3), [0, 5]):
        with pytest.raises(IndexError):
            leaf()[key]


def test_in_looks_at_values_and_lists_of_variables_behave_as_lists_of_arrays():
    x, y = leaf(), leaf()
    assert 3.0 in x and 7.0 not in x and Variable(3.0) in x
    assert x in [x, y]  # by identity, before any comparison
    with pytest.raises(ValueError, match="ambiguous"):
        y in [x]  # noqa: B015  (as of arrays)
    assert {x: 1, y: 2}[y] == 2 and hash(x) != hash(y)


# An output requires grad iff some input does


def test_an_output_requires_grad_iff_some_input_does():
    x, c = leaf(), Variable(X)
    for made in (x + c, c + x, X * x, np.sin(x), np.where(X > 0, c, x), np.concatenate([c, x]), x[0], x.sum(), c @ x.T):
        assert made.requires_grad and made.grad_fn is not None and not made.is_leaf
    for made in (c + c, 2 * c, np.sin(c), c[0], c.sum(), np.stack([c, c])):
        assert not made.requires_grad and made.grad_fn is None and made.is_leaf


def test_backward_never_enters_a_subgraph_in_which_nothing_requires_grad():
    entered = []

    class Named(Function):
        @staticmethod
        def forward(ctx, x, name):
            ctx.name = name
            return x * 2

        @staticmethod
        def backward(ctx, g):
            entered.append(ctx.name)
            return 2 * g, None

    x, c, w = leaf(), Variable(X), leaf()
    constant = c
    for i in range(50):
        constant = Named.apply(constant, f"constant {i}")
    active = Named.apply(x, "x")
    out = (active * constant + active * np.tanh(Named.apply(constant, "more"))).sum()
    out.backward()
    assert entered == ["x"]

    entered.clear()
    total = Named.apply(x, "x") + Named.apply(Named.apply(w, "inner w"), "w")
    grad(total.sum(), x, retain_graph=True)  # nor one that does not lead to what is asked for
    assert entered == ["x"]
    grad(total.sum(), w)
    assert entered == ["x", "w", "inner w"]


# volatile, no_grad, enable_grad


def test_volatile_is_contagious_and_stronger():
    x, v = leaf(), Variable(X, volatile=True)
    for y in (
        x + v, v + x, v * 2, 2 * v, X - v, np.sin(v), np.maximum(x, v), np.concatenate([x, v]), np.stack([v, x]), v[0], v.sum(), v @ x.T,
        v.clone(), v.detach(), v.T, v.view(6), v.clamp(min=0), np.where(X > 0, x, v), v.float(), v.chunk(3, 1)[0], (v + x) * x,
    ):
        assert y.volatile and not y.requires_grad and y.grad_fn is None and y.is_leaf
    with pytest.raises(NonDifferentiableError, match=r"does not require grad(.|\n)*volatile"):
        (x * v).sum().backward()
    with pytest.raises(ValueError, match="volatile"):
        Variable(X, requires_grad=True, volatile=True)
    with enable_grad():
        assert (x + v).volatile


def test_no_grad_and_enable_grad_are_scopes_per_thread_and_decorators():
    x = leaf()
    seen = {}
    with no_grad():
        assert not (x * 2).requires_grad and not (x * 2).volatile
        thread = threading.Thread(target=lambda: seen.update(other=(x * 2).requires_grad))
        thread.start()
        thread.join()
        with enable_grad():
            assert (x * 2).requires_grad
        assert not (x * 2).requires_grad
    assert seen == {"other": True} and (x * 2).requires_grad
    assert not no_grad()(lambda: x * 2)().requires_grad


# .detach(), .detach_(), .clone(), .zero_(), conversions


def test_detach_shares_the_array_and_has_no_graph():
    x = leaf()
    y = (x * 2).detach()
    assert y.is_leaf and not y.requires_grad and x.detach().data is x.data
    (g,) = grad((x * x.detach()).sum(), x)
    np.testing.assert_array_equal(g.data, X)


def test_detach_in_place_makes_it_a_leaf():
    x = leaf()
    y = x * 2
    z = y * 3
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    z.sum().backward()  # what was recorded before stays
    np.testing.assert_array_equal(x.grad.data, np.full((2, 3), 6.0))


def test_clone_is_a_copy_that_is_recorded():
    x = leaf()
    y = x.clone()
    assert y.requires_grad and not y.is_leaf and not np.shares_memory(x.data, y.data)
    agree(lambda v: np.sum((v.clone() if isinstance(v, Variable) else v) ** 2), X)


def test_zero_in_place_clears_a_gradient():
    x = leaf()
    for _ in range(2):
        (x * x).sum().backward()
        gradient = x.grad
        assert gradient.zero_() is gradient and x.grad is gradient and not gradient.data.any()
    number = Variable(2.0, requires_grad=True)
    (number * number).backward()
    number.grad.zero_()
    assert number.grad.data == 0.0
    with pytest.raises(InPlaceError, match="leaf"):
        x.zero_()


@pytest.mark.parametrize("convert, dtype", [
    (lambda v: v.type(np.float32), np.float32), (lambda v: v.type("float16"), np.float16), (lambda v: v.float(), np.float32),
    (lambda v: v.double(), np.float64), (lambda v: v.half(), np.float16), (lambda v: v.astype(np.float32), np.float32),
    (lambda v: v.type_as(Variable(np.zeros(1, np.float32))), np.float32),
])
def test_conversions_are_recorded_and_the_gradient_has_the_leafs_dtype(convert, dtype):
    x = leaf()
    y = convert(x)
    assert y.dtype == dtype and y.requires_grad
    (g,) = grad((y * y).sum(), x)
    assert g.dtype == np.float64
    np.testing.assert_array_equal(g.data, 2 * X)  # these values are exact in every format


def test_type_without_a_dtype_says_what_it_is():
    assert leaf().type() == "float64" and Variable(np.float32(1)).type() == "float32"


def test_conversions_to_ints_give_arrays():
    for y in (leaf().long(), leaf().int(), leaf().byte(), leaf().astype(int)):
        assert type(y) is np.ndarray and y.dtype.kind in "iu"


def test_cpu_and_cuda():
    x = leaf()
    assert x.cpu() is x and x.is_cuda is False
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="CuPy"):
            x.cuda()


def test_numpy_gives_the_array_of_what_requires_no_grad():
    assert Variable(X).numpy() is X and leaf().detach().numpy().tolist() == X.tolist()
    with pytest.raises(NonDifferentiableError, match=r"\.data"):
        leaf().numpy()


def test_truth_of_one_element_works_and_of_more_raises_as_numpy_does():
    assert leaf([[2.0]]) and not Variable(0.0) and bool(leaf()[0, 0]) and not leaf([0.0])
    for x in (leaf(), leaf()[0]):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(x)


# Copies


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))], ids=["copy", "deepcopy", "pickle"],
)
def test_copies_of_leaves_carry_value_requires_grad_volatile_and_grad(copied):
    x = leaf()
    (x * x).sum().backward()
    y = copied(x)
    assert y.requires_grad and y.is_leaf and not np.shares_memory(x.data, y.data) and not np.shares_memory(x.grad.data, y.grad.data)
    np.testing.assert_array_equal(y.data, X)
    np.testing.assert_array_equal(y.grad.data, 2 * X)
    (y * y).sum().backward()
    np.testing.assert_array_equal(y.grad.data, 4 * X)
    np.testing.assert_array_equal(x.grad.data, 2 * X)
    volatile = copied(Variable(X, volatile=True))
    assert volatile.volatile and volatile.grad is None
    assert type(copied(Variable(2.5)).data) is float and not copied(Variable(2.5)).requires_grad
    with pytest.raises(NonDifferentiableError, match=r"graph(.|\n)*detach"):
        copied(x * 2)


def test_a_copy_of_a_structure_keeps_what_it_shares():
    x = leaf()
    a, b, array = copy.deepcopy([x, x, x.data])
    assert a is b and a.data is array and a is not x
