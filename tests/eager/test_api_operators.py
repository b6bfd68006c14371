"""EAGER_API: operators, both ways round, with broadcasting, against arrays and numbers; comparisons; nothing detaches silently."""

import decimal
import fractions
import operator
import warnings

import numpy as np
import pytest

from sourcediff.eager import Variable, no_grad
from sourcediff.errors import MissingRuleError, NonDifferentiableError
from tests.sampling import sampled

from .numbers import agree

OPERATORS = {
    name: getattr(operator, name)
    for name in "add sub mul truediv floordiv mod pow matmul eq ne lt le gt ge".split()
} | {"divmod": divmod}
ARRAYS = {
    "vector": np.array([1.5, 2.0, 0.5]), "float32 vector": np.array([1.5, 2.0, 0.5], np.float32),
    "matrix": np.arange(1.0, 10.0).reshape(3, 3),
    "float16 column": np.array([[1.0], [2.0], [0.5]], np.float16), "0-d": np.array(1.5), "float32 0-d": np.array(1.5, np.float32),
    "empty": np.zeros((0, 3)), "longdouble": np.array([1.5, 2.0, 0.5], np.longdouble),
}
SCALARS = {"float": 1.5, "np.float64": np.float64(1.5), "np.float32": np.float32(1.5), "np.float16": np.float16(1.5)}
CONSTANTS = {
    "int": 2, "bool": True, "np.int64": np.int64(2), "np.int8": np.int8(2), "ints": np.array([1, 2, 3]),
    "bools": np.array([True, False, True]),
    "np.bool": np.True_, "list": [1.5, 2.0, 0.5], "list of ints": [1, 2, 3], "tuple": (1.5, 2.0, 0.5), "nested list": [[1.0], [2.0], [3.0]],
    "int32 column": np.array([[1], [2], [3]], np.int32),
}
OPERANDS = ARRAYS | SCALARS | CONSTANTS


def outcome(function, *operands):
    """What a call gives: its value, shape and dtype, or that it fails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*operands)
        except (TypeError, ValueError) as error:
            return type(error)


def same(got, expected):
    """Whether a result in Variables is the one in arrays: numbers, shape and dtype."""
    if isinstance(expected, type):
        return isinstance(got, type) and (issubclass(got, expected) or issubclass(expected, got))
    if isinstance(expected, tuple):
        return isinstance(got, tuple) and len(got) == len(expected) and all(map(same, got, expected))
    got = got.data if isinstance(got, Variable) else got
    if isinstance(got, type) or np.shape(got) != np.shape(expected) or np.asarray(got).dtype != np.asarray(expected).dtype:
        return False
    return np.array_equal(got, expected, equal_nan=True)


@sampled(2, "name, recording", OPERATORS, ["requires grad", "constant", "no_grad", "volatile"])
def test_operators_give_numpys_values_shapes_and_dtypes_both_ways_round(name, recording):
    op = OPERATORS[name]
    wrong = []
    for kind, data in (ARRAYS | SCALARS).items():
        for other_kind, other in OPERANDS.items():
            x = Variable(data, requires_grad=recording in ("requires grad", "no_grad"), volatile=recording == "volatile")
            others = [other] if other_kind in CONSTANTS else [other, Variable(other, requires_grad=recording == "requires grad")]
            for y in others:
                for way, got, expected in (
                    ("v op o", (x, y), (data, other)), ("o op v", (y, x), (other, data)),
                ):
                    if recording == "no_grad":
                        with no_grad():
                            found = outcome(op, *got)
                    else:
                        found = outcome(op, *got)
                    plain = outcome(op, *expected)
                    if not same(found, plain):
                        wrong.append(f"{kind} {way} {other_kind} ({type(y).__name__}): {found!r} for {plain!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["neg", "pos", "abs"])
def test_unary_operators_give_numpys_values_and_gradients(name):
    op = getattr(operator, name)
    for data in (ARRAYS | SCALARS).values():
        assert same(op(Variable(data, requires_grad=True)), op(data))
    agree(lambda v: np.sum(op(v) * v), np.array([1.5, -2.0]))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "mod"])
@pytest.mark.parametrize("other", [
    2, 2.5, True, np.float32(1.5), np.int64(2), np.array([1.5, 2.0, 0.5]), np.array(1.5), np.array([[2.0], [3.0]]), [1.5, 2.0, 0.5],
    ((2.0,), (3.0,)), np.array([[1, 2, 3]]),
], ids=repr)
def test_gradients_both_ways_round(name, other):
    op = getattr(operator, name)
    x = np.array([[1.57, 2.26, 0.7], [0.26, 3.1, 1.3]])  # of no entry is mod at a jump
    agree(lambda v: np.sum(op(v, other)), x)
    agree(lambda v: np.sum(op(other, v)), x)


@pytest.mark.parametrize("kind", ARRAYS | SCALARS)
def test_gradients_have_the_shape_and_dtype_of_what_they_belong_to(kind):
    data = (ARRAYS | SCALARS)[kind]
    wrong = []
    for other, operand in OPERANDS.items():
        for product in (lambda v, y=operand: v * y, lambda v, y=operand: y / v if np.size(v.data) else v * y):
            x = Variable(data, requires_grad=True)
            if isinstance(outcome(product, x), type):
                continue  # as on arrays: the table above
            product(x).sum().backward()
            if (x.grad.shape, x.grad.dtype, type(x.grad.data)) != (x.shape, x.dtype, type(data)):
                wrong.append(f"{other}: {x.grad!r}")
    assert not wrong, "\n".join(wrong)


def test_a_list_on_the_left_is_an_array():
    weights = [0.5, -1.0, 2.0]
    agree(lambda v: np.sum(weights * v + np.dot(weights, v) - weights @ v), np.array([1.0, 2.0, 3.0]))


def test_a_list_of_variables_as_an_operand_is_refused_with_the_remedy():
    x = Variable(np.ones(2), requires_grad=True)
    for operation in (lambda: [x[0], x[1]] * x, lambda: x + [x[0], 1.0], lambda: x @ (x[0], x[1])):
        with pytest.raises((NonDifferentiableError, MissingRuleError), match=r"np\.stack"):
            operation()


NO_NUMBERS = [fractions.Fraction(1, 2), decimal.Decimal("0.5"), None, "text", {}, {1.0}, object()]


@pytest.mark.parametrize("other", NO_NUMBERS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["add", "mul", "truediv", "pow", "matmul", "lt"])
def test_what_is_no_number_is_refused_with_a_type_error(name, other):
    op = getattr(operator, name)
    for data in (np.ones(2), 2.0, np.float64(2.0)):
        for active in (True, False):
            x = Variable(data, requires_grad=active)
            for operands in ((x, other), (other, x)):
                if name == "pow" and isinstance(other, fractions.Fraction):  # before Python 3.13 it makes a float of itself
                    found = outcome(op, *operands)
                    assert found is TypeError or same(found, op(*(0.5 if part is other else data for part in operands)))
                else:
                    with pytest.raises(TypeError):
                        op(*operands)


def test_operands_with_an_operation_of_their_own_are_asked():
    class Other:
        def __rmul__(self, left):
            return "mine"

        def __rlshift__(self, left):
            return "shifted"

    assert Variable(np.ones(2)) * Other() == "mine" and Variable(2.0) << Other() == "shifted"


def test_comparisons_give_arrays_not_variables():
    data = np.array([1.0, -2.0, 0.0])
    x = Variable(data, requires_grad=True)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        op = getattr(operator, name)
        for got, expected in (
            (op(x, 0), op(data, 0)), (op(0, x), op(0, data)), (op(x, x), op(data, data)), (op(data[::-1], x), op(data[::-1], data)),
            (getattr(x, name)(0.0), op(data, 0)),
        ):
            assert type(got) is np.ndarray and got.dtype == bool
            np.testing.assert_array_equal(got, expected)
    assert type(x[0] > 0) is np.bool_ and (x == None) is False  # noqa: E711


@pytest.mark.parametrize("convert", [
    float, int, complex, np.asarray, operator.index, range, round and (lambda v: [0, 1, 2][v]), lambda v: v.numpy(), np.float64, np.array,
    lambda v: v.__array__(), lambda v: "ab" * v,
])
def test_nothing_detaches_silently(convert):
    with pytest.raises((NonDifferentiableError, TypeError)) as raised:
        convert(Variable(2.0, requires_grad=True))
    assert "silently lose its gradient" in str(raised.value) and "item" in str(raised.value)


def test_what_requires_no_grad_converts_as_numbers_do():
    x = Variable(2.0)
    assert (float(x), int(x), complex(x), np.asarray(x)) == (2.0, 2, 2 + 0j, 2.0) and [5, 6, 7][Variable(1)] == 6
