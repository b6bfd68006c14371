"""EAGER_API, scopes: ``no_grad``/``enable_grad`` per thread, re-entrant, safe after errors, as decorators of every kind of function."""

import asyncio
import inspect
import threading

import numpy as np
import pytest

from sourcediff.eager import Variable, enable_grad, is_grad_enabled, no_grad
from sourcediff.eager.engine.scopes import OFF

X = Variable(np.ones(2), requires_grad=True)


@pytest.fixture(autouse=True)
def nothing_stays_open():
    yield
    assert not OFF and is_grad_enabled()


def test_scopes_nest_and_restore_what_they_found():
    with no_grad():
        with no_grad():
            with enable_grad():
                with enable_grad():
                    assert is_grad_enabled()
                assert is_grad_enabled()
            assert not is_grad_enabled()
        assert not is_grad_enabled()
    with enable_grad():
        assert is_grad_enabled()


def test_one_scope_can_be_entered_again():
    scope = no_grad()
    for _ in range(2):
        with scope, scope:
            assert not is_grad_enabled()
        assert is_grad_enabled()


def test_they_are_safe_after_errors():
    for scope in (no_grad, enable_grad):
        with pytest.raises(KeyError), scope():
            raise KeyError

    @no_grad()
    def failing():
        raise KeyError

    with pytest.raises(KeyError):
        failing()


def test_one_scope_shared_by_threads_is_each_ones_own():
    scope, seen = no_grad(), {}
    inside, leave = threading.Event(), threading.Event()

    def other():
        with scope:
            inside.set()
            leave.wait(10)
            seen["inside"] = is_grad_enabled()
        seen["after"] = is_grad_enabled()

    thread = threading.Thread(target=other)
    with no_grad():
        thread.start()
        assert inside.wait(10)
        with scope:
            pass
        seen["here"] = is_grad_enabled()
        leave.set()
        thread.join()
    assert seen == {"inside": False, "after": True, "here": False}


def test_a_scope_left_by_another_thread_is_closed_where_it_was_opened():
    """A generator that was suspended within the scope, and is closed by whoever drops it last."""

    def suspended():
        with no_grad():
            yield threading.get_ident()

    generator = suspended()
    started, closed = threading.Event(), threading.Event()
    seen = {}

    def starts():
        next(generator)
        seen["suspended"] = is_grad_enabled()
        started.set()
        closed.wait(10)
        seen["closed"] = is_grad_enabled()

    thread = threading.Thread(target=starts)
    thread.start()
    assert started.wait(10)
    with no_grad():
        generator.close()
        assert not is_grad_enabled()
    closed.set()
    thread.join()
    assert seen == {"suspended": False, "closed": True}


def test_as_decorators_with_and_without_a_call():
    @no_grad()
    def called(x, *, factor=2):
        """Evaluates."""
        return x * factor

    @no_grad
    def bare(x):
        return x * 2

    @enable_grad
    def training(x):
        return x * 2

    class Model:
        @no_grad()
        def predict(self, x):
            return x * 2

    assert not called(X, factor=3).requires_grad and called.__doc__ == "Evaluates." and called.__name__ == "called"
    assert list(inspect.signature(called).parameters) == ["x", "factor"]
    assert not bare(X).requires_grad and not Model().predict(X).requires_grad
    with no_grad():
        assert training(X).requires_grad


def test_a_decorated_function_may_call_itself():
    @no_grad()
    def down(n):
        assert not is_grad_enabled()
        return down(n - 1) if n else X * 2

    assert not down(3).requires_grad


def test_a_generator_function_runs_its_body_in_the_scope_and_its_caller_outside():
    events = []

    @no_grad()
    def batches(n):
        """Batches."""
        try:
            for i in range(n):
                sent = yield (X * i).requires_grad, is_grad_enabled()
                events.append(sent)
            return "done"
        except KeyError:
            events.append(("caught", is_grad_enabled()))
            yield "after"
        finally:
            events.append(("closed", is_grad_enabled()))

    assert batches.__doc__ == "Batches." and inspect.isgeneratorfunction(batches)
    generator = batches(3)
    assert next(generator) == (False, False) and is_grad_enabled()
    assert generator.send("sent") == (False, False) and is_grad_enabled()
    assert generator.throw(KeyError) == "after" and is_grad_enabled()
    generator.close()
    assert events == ["sent", ("caught", False), ("closed", False)]

    def outer():
        return (yield from batches(1))

    generator = outer()
    next(generator)
    with pytest.raises(StopIteration, match="done"):
        next(generator)

    @enable_grad()
    def trained():
        yield (X * 2).requires_grad

    with no_grad():
        assert list(trained()) == [True] and not is_grad_enabled()


def test_a_coroutine_runs_its_body_in_the_scope_and_others_outside():
    seen = []

    @no_grad()
    async def evaluate():
        seen.append(("evaluates", is_grad_enabled()))
        await asyncio.sleep(0)
        seen.append(("evaluates", is_grad_enabled()))
        return (X * 2).requires_grad

    async def train():
        for _ in range(3):
            seen.append(("trains", is_grad_enabled()))
            await asyncio.sleep(0)

    async def both():
        return (await asyncio.gather(evaluate(), train()))[0]

    assert inspect.iscoroutinefunction(evaluate)
    assert asyncio.run(both()) is False
    assert set(seen) == {("evaluates", False), ("trains", True)}


@pytest.mark.parametrize("scope", [no_grad, enable_grad])
def test_what_cannot_be_decorated_is_refused(scope):
    async def asynchronous():
        yield 1

    class Model:
        pass

    with pytest.raises(TypeError, match=r"asynchronous generator(.|\n)*with"):
        scope()(asynchronous)
    with pytest.raises(TypeError, match=r"class Model(.|\n)*methods"):
        scope()(Model)
    with pytest.raises(TypeError, match="cannot decorate a int"):
        scope()(3)
