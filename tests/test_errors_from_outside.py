"""What a signal handler or a debugger raises while a derivative runs comes out of it unchanged; a second engine is not asked."""

from __future__ import annotations

import bdb
import gc
import os
import signal
import sys
import threading
import types

import numpy as np
import pytest

import sourcediff
from sourcediff.compiler import pipeline as compiler
from sourcediff.dispatch import cache
from sourcediff.runtime.whose_error import from_outside, may_be_ours

if os.name != "posix" or threading.current_thread() is not threading.main_thread():
    pytest.skip("signals are raised on POSIX, in the main thread", allow_module_level=True)

X = np.array([0.5, 1.25, 2.0])


class Timeout(Exception):
    """What a handler raises."""


class WrongValue(ValueError):
    """Of the kind of what wrong code raises."""


@pytest.fixture(params=[Timeout, WrongValue])
def raised(request):
    """An exception that the handler of SIGALRM raises."""
    error = request.param("too late")

    def handler(signum, frame):
        raise error

    before = signal.signal(signal.SIGALRM, handler)
    yield error
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def interrupted(call, *args):
    """Call something that takes a tenth of a second or more, and interrupt it after a hundredth."""
    gc.collect()  # what a handler raises while garbage is collected, Python itself throws away
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    return call(*args)


def through(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) + x
    return np.sum(y * y)


def in_try(x, n):
    y = x
    try:
        for _ in range(n):
            y = np.sin(y) + x
    except ValueError:
        y = x * np.nan
    return np.sum(y * y)


def cubes(x):
    return np.sum(x * x * x)


def refused(x, n):
    sys.intern("an expression that only has an effect")
    return through(x, n)


SHORT, LONG = 3, 40_000
DOORS = {
    "grad": lambda f, mode, n: sourcediff.grad(f, mode=mode)(X, n),
    "value_and_grad": lambda f, mode, n: sourcediff.value_and_grad(f, mode=mode)(X, n),
    "vjp": lambda f, mode, n: sourcediff.vjp(f, X, n, wrt=0, mode=mode),
    "jvp": lambda f, mode, n: sourcediff.jvp(f, (X, n), (np.ones(3), None), mode=mode),
    "hessian": lambda f, mode, n: sourcediff.hessian(f, mode=mode)(X, n),
}


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
@pytest.mark.parametrize("door", DOORS)
def test_a_signal_handlers_exception_comes_through(door, mode, raised):
    DOORS[door](through, mode, SHORT)
    with pytest.raises(type(raised)) as found:
        interrupted(DOORS[door], through, mode, LONG)
    assert found.value is raised and raised.args == ("too late",) and not getattr(raised, "__notes__", [])


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
def test_it_comes_through_the_pullback(mode, raised):
    _, pull = sourcediff.vjp(through, X, LONG, wrt=0, mode=mode)
    with pytest.raises(type(raised)) as found:
        interrupted(pull, 1.0)
    assert found.value is raised


def test_it_comes_through_where_the_eager_engine_answers(raised):
    """Nothing is said of a fall that has not come to an end: warnings are errors here, and would take the place of the exception."""
    DOORS["grad"](through, "auto", SHORT)  # the file is known now: Python's own readers of files keep what a handler raises in them
    with pytest.raises(type(raised)) as found:
        interrupted(sourcediff.grad(refused), X, LONG)
    assert found.value is raised


@pytest.mark.parametrize("mode", ["auto", "compiled"])
def test_a_try_that_is_not_compiled_with_its_handlers_refuses_nothing(mode, raised):
    derivative = sourcediff.grad(in_try, mode=mode)
    derivative(X, SHORT)
    with pytest.raises(type(raised)) as found:
        interrupted(derivative, X, LONG)
    assert found.value is raised


@pytest.mark.parametrize("mode", ["auto", "compiled"])
def test_it_comes_through_while_compiling(mode, raised, monkeypatch):
    def stage(unit):
        signal.raise_signal(signal.SIGALRM)
        return unit

    passes = tuple(each._replace(run=stage) if each.name == "derive" else each for each in compiler.PIPELINE)
    monkeypatch.setattr(compiler, "PIPELINE", passes)
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "0")
    cache.forget()
    with pytest.raises(type(raised)) as found:
        sourcediff.grad(types.FunctionType(cubes.__code__, globals()), mode=mode)(X)
    assert found.value is raised


class Quits(bdb.Bdb):
    """A debugger in which one has typed ``q`` in generated code."""

    def user_line(self, frame):
        if "generated" in frame.f_globals.get("__name__", ""):
            self.set_quit()


def test_quitting_the_debugger_ends_the_call():
    def square(x):
        return np.sum(x * x)

    derivative = sourcediff.grad(square)
    assert np.array_equal(derivative(X), 2 * X)
    debugger, before = Quits(), sys.gettrace()
    debugger.reset()
    with pytest.raises(bdb.BdbQuit):
        sys.settrace(debugger.trace_dispatch)
        try:
            derivative(X)
        finally:
            sys.settrace(before)


def test_numbers_tell_the_judge():
    """What the library's frames raise of the kinds of faults may be its own; anything else is not."""
    space: dict = {"__name__": "sourcediff.generated.f"}
    exec("def wrong(error):\n    raise error\ndef through(call, error):\n    call(error)", space)

    def users(error):
        raise error

    def met(call, *args):
        with pytest.raises(Exception) as found:
            call(*args)
        trace = found.value.__traceback__.tb_next
        return may_be_ours(found.value.with_traceback(trace)), from_outside(found.value)

    assert met(space["wrong"], ValueError()) == (True, False)
    assert met(space["wrong"], Timeout()) == (False, False)
    assert met(space["through"], users, ValueError()) == (False, False)
    assert met(space["through"], space["wrong"], KeyError()) == (True, False)
