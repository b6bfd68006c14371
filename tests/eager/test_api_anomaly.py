"""EAGER_API: ``detect_anomaly()`` names the forward line of a NaN or an infinity that is born in backward; it sees unseen writes."""

import re
import threading

import numpy as np
import pytest

from sourcediff.eager import Function, Variable, detect_anomaly, grad
from sourcediff.eager.engine.anomaly import ANOMALY
from sourcediff.eager.engine.scopes import OFF
from sourcediff.errors import AnomalyError, InPlaceError

X = np.array([0.0, 1.0])


def leaf(data=X):
    return Variable(np.array(data), requires_grad=True)


@pytest.fixture(autouse=True)
def nothing_stays_open():
    yield
    assert not ANOMALY and not OFF


@pytest.mark.parametrize("line, value", [
    ("np.sqrt(x)", "inf"), ("x / x.detach()", "nan|inf"), ("np.log(x)", "inf"), ("x ** 0.5", "inf"), ("1 / x", "inf"), ("x.sqrt()", "inf"),
    ("np.arccos(x)", "inf"),
])
@np.errstate(all="ignore")
def test_an_infinity_or_nan_born_in_backward_names_the_forward_line(line, value):
    program = f"y = (x * 1.0)\nz = {line}\nout = (z * 3).sum()\n"
    scope = {"x": leaf(), "np": np}
    for create_graph in (False, True):
        with detect_anomaly():
            exec(compile(program, "program.py", "exec"), scope)
            with pytest.raises(AnomalyError, match=rf"gave ({value})(.|\n)*program\.py:2"):
                grad(scope["out"], scope["x"], create_graph=create_graph)


@np.errstate(all="ignore")
def test_outside_of_the_scope_infinities_flow():
    x = leaf()
    with detect_anomaly():
        pass
    np.sqrt(x).sum().backward()
    assert x.grad.data[0] == np.inf


@np.errstate(all="ignore")
def test_what_came_in_with_the_seed_was_not_born():
    x = leaf()
    with detect_anomaly():
        (x * 2).backward(np.array([np.nan, np.inf]))
    assert np.isnan(x.grad.data[0])


@np.errstate(all="ignore")
def test_a_graph_from_before_the_scope_is_watched_without_its_lines():
    x = leaf()
    y = np.sqrt(x).sum()
    with detect_anomaly(), pytest.raises(AnomalyError, match=r"np\.sqrt gave inf"):
        y.backward()


@np.errstate(all="ignore")
def test_scopes_are_of_one_thread():
    """A thread beside the scope neither notes lines nor raises."""
    seen = {}

    def beside():
        x = leaf()
        y = np.sqrt(x)
        seen["noted"] = hasattr(y.grad_fn, "line")
        with np.errstate(all="ignore"):
            y.sum().backward()
        seen["gradient"] = x.grad.data.tolist()

    with detect_anomaly():
        thread = threading.Thread(target=beside)
        thread.start()
        thread.join()
        assert hasattr(np.sqrt(leaf()).grad_fn, "line")
    assert seen == {"noted": False, "gradient": [np.inf, 0.5]}


def test_scopes_nest_and_close_after_an_error():
    with detect_anomaly():
        with detect_anomaly():
            pass
        with pytest.raises(AnomalyError), np.errstate(all="ignore"):
            np.sqrt(leaf()).sum().backward()
    with pytest.raises(KeyError), detect_anomaly():
        raise KeyError
    one = detect_anomaly()
    with one, one:
        pass


@np.errstate(all="ignore")
def test_as_a_decorator():
    @detect_anomaly()
    def train(x):
        """Trains."""
        np.sqrt(x).sum().backward()

    with pytest.raises(AnomalyError):
        train(leaf())
    assert train.__doc__ == "Trains."


def test_a_write_through_data_that_backward_would_be_wrong_by_is_found():
    with detect_anomaly():
        x = leaf()
        y = x * x
        x.data[0] = 100.0
        with pytest.raises(InPlaceError, match=r"np\.multiply(.|\n)*test_api_anomaly\.py:\d+: y = x \* x"):
            y.sum().backward()


def test_every_kind_of_saved_memory_is_watched():
    class Saving(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 2

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    constant = np.array([2.0, 3.0])
    for operation in (
        lambda x: x * constant, lambda x: constant * x, lambda x: np.exp(x), lambda x: Saving.apply(x), lambda x: x @ constant,
        lambda x: np.einsum("i,i->i", x, constant), lambda x: np.where(x > 0, x, 0.0) * constant, lambda x: np.stack([x, x * constant]),
        lambda x: np.maximum(x, constant),
    ):
        for create_graph in (False, True):
            with detect_anomaly():
                x = leaf([1.0, 2.0])
                y = operation(x)
                kept = y.data.copy() if y.ndim else y.data, x.data.copy(), constant.copy()
                for array in (y.data, x.data, constant):
                    if isinstance(array, np.ndarray):
                        array += 1.0
                with pytest.raises(InPlaceError, match="unseen"):
                    grad(y.sum(), x, create_graph=create_graph)
                constant[...] = kept[2]


def test_a_change_and_a_change_back_is_none_and_what_is_not_needed_may_change():
    with detect_anomaly():
        x = leaf()
        y = x * x
        x.data[0] = 5.0
        x.data[0] = 0.0
        z = y + x
        z.data[:] = 7.0
        z.sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X + 1)


def test_seen_changes_keep_their_own_error_and_allowed_ones_are_allowed():
    with detect_anomaly():
        x = leaf()
        y = x * 2
        z = y * y
        y += 1
        with pytest.raises(InPlaceError, match=r"\+="):
            z.sum().backward()
        y = x * 2
        y *= 3
        y[0] = 1.0
        y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 6.0])


def test_the_line_is_the_users():
    with detect_anomaly():
        node = (leaf() * 2).grad_fn
    assert re.search(r"test_api_anomaly\.py:\d+: node = \(leaf\(\) \* 2\)\.grad_fn", node.line)
