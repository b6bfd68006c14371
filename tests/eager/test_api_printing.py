"""EAGER_API, printing: ``Variable containing:`` then the values, then a line that says what they are; ``repr`` shows ``grad_fn``."""

import numpy as np
import pytest

from sourcediff.eager import Variable

MATRIX = np.ones((2, 2))


@pytest.mark.parametrize("data, last", [
    (MATRIX, "[float64 array of size 2x2]"), (MATRIX.astype(np.float32), "[float32 array of size 2x2]"),
    (np.arange(3, dtype=np.int32), "[int32 array of size 3]"),
    (np.zeros((0, 3)), "[float64 array of size 0x3]"), (np.array(2.5), "[float64 number]"), (np.float32(2.5), "[float32 number]"),
    (2.5, "[float64 number]"), (np.zeros((100, 200)), "[float64 array of size 100x200]"),
    (np.zeros((2, 1, 3)), "[float64 array of size 2x1x3]"),
], ids=repr)
def test_variable_containing_then_the_values_then_what_they_are(data, last):
    assert str(Variable(data)) == f"Variable containing:\n{data}\n{last}"


def test_large_arrays_are_elided_as_numpy_does():
    text = str(Variable(np.zeros((100, 200))))
    assert "..." in text and len(text.splitlines()) == 9
    with np.printoptions(precision=2):
        assert "0.33" in str(Variable([1 / 3])) and "0.333" not in str(Variable([1 / 3]))


def test_repr_shows_grad_fn_where_there_is_one():
    x = Variable(MATRIX, requires_grad=True)
    plain = "Variable containing:\n[[2. 2.]\n [2. 2.]]\n[float64 array of size 2x2]"
    assert repr(x * 2) == f"{plain} made by np.multiply"
    assert str(x * 2) == plain == repr((x * 2).detach())
    assert repr(x.sum()) == "Variable containing:\n4.0\n[float64 number] made by np.sum"
    assert repr(x) == str(x) and "volatile" not in str(x)


def test_format_takes_a_number_format_for_one_entry():
    x = Variable(MATRIX, requires_grad=True)
    assert f"{x.sum():.2f}" == "4.00" and f"{x}" == str(x) and f"{x!r}" == repr(x)
    with pytest.raises(ValueError):
        f"{x:.2f}"
