"""``no_grad`` and ``enable_grad``: per thread and per task, nested, as decorators."""

import asyncio
import contextvars
import gc
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


def test_scopes_are_of_one_task():
    """What a task has entered holds for it and for the tasks that it starts, however they take turns."""
    seen = {}

    async def child(name):
        await asyncio.sleep(0)
        seen[name] = (X * 2).requires_grad, (X[0] * X).requires_grad, np.sin(X).requires_grad

    async def evaluate():
        with no_grad():
            started = asyncio.create_task(child("started within"))
            await asyncio.sleep(0.001)
            seen["within"] = (X * 2).requires_grad
            with enable_grad():
                await asyncio.sleep(0.001)
                seen["enabled"] = (X * 2).requires_grad
        await started
        seen["after"] = (X * 2).requires_grad

    async def train():
        for turn in range(4):
            await asyncio.sleep(0.0005)
            seen[f"beside, turn {turn}"] = (X * 2).requires_grad, X[0].requires_grad, X.exp().requires_grad

    async def both():
        await asyncio.gather(evaluate(), train())

    asyncio.run(both())
    assert seen.pop("within") is False and seen.pop("enabled") is True and seen.pop("after") is True
    assert seen.pop("started within") == (False, False, False)
    assert len(seen) == 4 and set(seen.values()) == {(True, True, True)}


def test_a_task_that_outlives_the_scope_that_it_was_started_in_stays_in_it():
    async def later(leave):
        await leave.wait()
        return (X * 2).requires_grad

    async def run():
        leave = asyncio.Event()
        with no_grad():
            task = asyncio.create_task(later(leave))
            await asyncio.sleep(0)
        assert (X * 2).requires_grad
        leave.set()
        return await task

    assert asyncio.run(run()) is False
    gc.collect()
    assert (X * 2).requires_grad


def test_a_scope_that_another_context_leaves_counts_no_more():
    def steps():
        with no_grad():
            yield (X * 2).requires_grad
            yield

    context, suspended = contextvars.copy_context(), steps()
    assert context.run(next, suspended) is False
    suspended.close()
    assert is_grad_enabled() and context.run(is_grad_enabled) and context.run(lambda: (X * 2).requires_grad)


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
