"""``no_grad`` and ``enable_grad``: per thread, nested, as decorators."""

import threading

import numpy as np
import pytest

from sourcediff.eager import Variable, enable_grad, is_grad_enabled, no_grad

X = Variable(np.ones(2), requires_grad=True)


def test_nothing_is_recorded_under_no_grad():
    with no_grad():
        for y in (X * 2, 2 * X, np.sin(X), X[0], X.sum(), np.stack([X, X]), -X):
            assert not y.requires_grad and y.grad_fn is None
        with enable_grad():
            assert (X * 2).requires_grad
        assert not is_grad_enabled()
    assert is_grad_enabled() and (X * 2).requires_grad


def test_scopes_restore_after_an_error():
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert is_grad_enabled()


def test_scopes_are_decorators():
    @no_grad()
    def evaluate(x):
        """Evaluates."""
        return x * 2

    @enable_grad()
    def train(x):
        return x * 2

    assert not evaluate(X).requires_grad and evaluate.__doc__ == "Evaluates."
    with no_grad():
        assert train(X).requires_grad


def test_scopes_are_of_one_thread():
    inside, leave = threading.Event(), threading.Event()
    seen = {}

    def without():
        with no_grad():
            inside.set()
            leave.wait(10)
            seen["other"] = (X * 2).requires_grad

    thread = threading.Thread(target=without)
    thread.start()
    assert inside.wait(10)
    seen["this"] = (X * 2).requires_grad
    leave.set()
    thread.join()
    assert seen == {"this": True, "other": False}


def test_threads_build_and_walk_their_own_graphs_side_by_side():
    wrong = []

    def work(seed):
        x = Variable(np.full(3, float(seed)), requires_grad=True)
        for _ in range(30):
            y = x
            for _ in range(20):
                y = y * 1.01 + x[0]
            x.grad = None
            y.sum().backward()
            first = wrong_or(x.grad.data)
        if not np.array_equal(first, expected):
            wrong.append((seed, first))

    def wrong_or(gradient):
        return gradient.copy()

    x = Variable(np.ones(3), requires_grad=True)
    y = x
    for _ in range(20):
        y = y * 1.01 + x[0]
    y.sum().backward()
    expected = x.grad.data  # the program is linear: the same at every point
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
