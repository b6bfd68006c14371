"""Threads build and walk their own graphs side by side, and may share leaves; nothing that one does shows in another."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Variable, enable_grad, grad, is_grad_enabled, no_grad
from sourcediff.eager.engine import mutation, scopes
from sourcediff.eager.engine.plans import plan_for
from sourcediff.errors import GraphFreedError, InPlaceError
from sourcediff.rules.frames import rule_for

THREADS = 8
X = np.array([0.5, -1.0, 1.5])


@pytest.fixture(autouse=True)
def switching():
    """Threads take turns as often as they can, so that what can come in between does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work, count=THREADS):
    """What ``work(0)``, ``work(1)`` … return, each in a thread of its own, started together."""
    barrier = threading.Barrier(count)

    def begin(number):
        barrier.wait(30)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def arithmetic(x):
    y = x
    for _ in range(10):
        y = np.tanh(y * 1.1 + x[0]) - y / 3
    return np.sum(y * y)


def in_place(x):
    y = x * 1.0
    part = y[1:]
    for i in range(5):
        y += x
        part *= 0.5 + y[0]
        y[i % 3] = x[2] * i
    return np.sum(y * y[::-1])


def buffers(x):
    out = Variable(np.zeros((6, 3)))
    out[0] = x
    for i in range(5):
        out[i + 1] = out[i] * np.sin(out[i])
    return np.sum(out)


def part_without(x):
    with no_grad():
        scale = np.sum(x * x)
        with enable_grad():
            y = x * scale
        scale = scale * 2
    return np.sum(y * scale)


def second_order(x):
    (g,) = grad(np.sum(np.exp(x) * x), x, create_graph=True)
    return np.sum(g * g)


def refusals(x):
    y = x * 1.0
    z = np.sum(y * y)
    y += 1
    with pytest.raises(InPlaceError):
        z.backward()
    return np.sum(y * x)


def hooked(x):
    y = x * 2
    y.register_hook(lambda g: g * 3)
    return np.sum(y * y)


PROGRAMS = [arithmetic, in_place, buffers, part_without, second_order, refusals, hooked]


def gradient(program, point):
    x = Variable(point.copy(), requires_grad=True)
    program(x).backward()
    return x.grad.data


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_many_threads_get_what_one_gets(program):
    points = [X + 0.1 * number for number in range(THREADS)]
    expected = [gradient(program, point) for point in points]

    def work(number):
        return all(np.array_equal(gradient(program, points[number]), expected[number]) for _ in range(15))

    assert at_once(work) == [True] * THREADS


def test_different_programs_at_the_same_time():
    expected = [gradient(program, X) for program in PROGRAMS]

    def work(number):
        order = np.random.default_rng(number).integers(0, len(PROGRAMS), 40)
        return all(np.array_equal(gradient(PROGRAMS[k], X), expected[k]) for k in order)

    assert at_once(work) == [True] * THREADS


def test_library_runs_side_by_side():
    def f(a):
        out = np.zeros(3)
        for i in range(3):
            out[i] = np.sin(a[i]) * a[0]
        out[1:] *= out[:-1]
        return np.sum(out)

    transformed = sourcediff.grad(f, mode="eager")
    expected = [transformed(X + number) for number in range(THREADS)]

    def work(number):
        return all(np.array_equal(transformed(X + number), expected[number]) for _ in range(5))

    assert at_once(work) == [True] * THREADS


def test_one_parameter_read_by_many():
    w = Variable(X.copy(), requires_grad=True)
    (expected,) = grad(arithmetic(w), w)

    def work(number):
        return all(np.array_equal(grad(arithmetic(w), w)[0].data, expected.data) for _ in range(10))

    assert at_once(work) == [True] * THREADS and w.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
def test_no_gradient_is_lost_where_threads_share_a_leaf(create_graph):
    w = Variable(X.copy(), requires_grad=True)
    y = w * 1.0
    y.retain_grad()

    def work(number):
        for _ in range(100):
            np.sum(w * 2.0).backward(create_graph=create_graph)
            np.sum(y * 2.0).backward(retain_graph=True)

    at_once(work)
    assert w.grad.data.tolist() == [4.0 * 100 * THREADS] * 3
    assert y.grad.data.tolist() == [2.0 * 100 * THREADS] * 3


def test_one_graph_is_walked_by_one_thread_or_kept():
    x = Variable(X.copy(), requires_grad=True)
    for _ in range(20):
        y = x
        for _ in range(30):
            y = np.sin(y) * x
        z = np.sum(y)
        (expected,) = grad(z, x, retain_graph=True)

        def kept(number, z=z):
            return grad(z, x, retain_graph=True)[0].data

        assert all(np.array_equal(found, expected.data) for found in at_once(kept))

        def freeing(number, z=z):
            try:
                return grad(z, x)[0].data
            except GraphFreedError:
                return None

        found = [g for g in at_once(freeing) if g is not None]
        assert all(np.array_equal(g, expected.data) for g in found)  # never a part of the gradient


def test_changes_are_noted_and_forgotten_side_by_side():
    """Tables of changes are shared: entries come and go while others look into them."""
    shared = Variable(np.ones((50, 3)))
    before = len(mutation.MUTATED), len(mutation.REWRITTEN)

    def work(number):
        for i in range(100):
            with no_grad():
                shared[1 + (7 * i + number) % 49] = 1.0
            y = Variable(X.copy(), requires_grad=True) * 1.0
            y[i % 3] = 2.0
            part = y[1:]
            part += 1
            assert np.array_equal(grad(np.sum(y * shared[0].detach()), y)[0].data, np.ones(3))

    at_once(work)
    assert (len(mutation.MUTATED), len(mutation.REWRITTEN)) == (before[0] + 1, before[1])


def test_plans_are_made_once_or_alike():
    rule = rule_for(np.hypot)
    plan_for.cache_clear()
    plans = at_once(lambda number: plan_for(rule, tuple(rule.parameters)[:2]))
    assert len({plan.reads for plan in plans}) == 1
    x = Variable(X.copy(), requires_grad=True)
    expected = grad(np.sum(np.hypot(x, 2.0)), x)[0].data

    def work(number):
        if number == 0:
            plan_for.cache_clear()
        return np.array_equal(grad(np.sum(np.hypot(x, 2.0)), x)[0].data, expected)

    assert at_once(work) == [True] * THREADS


def test_a_thread_that_ends_within_no_grad_leaves_nothing_behind():
    """Its identity is given to another thread sooner or later."""

    def entered():
        with no_grad():
            yield threading.get_ident()

    suspended, idents = [], []

    def die():
        no_grad().__enter__()
        suspended.append(entered())
        idents.append(next(suspended[-1]))

    seen = []

    def look():
        idents.append(threading.get_ident())
        seen.append(is_grad_enabled() and (Variable(X, requires_grad=True) * 1).requires_grad)

    for _ in range(20):
        for work in (die, look):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    assert all(seen)
    assert len(set(idents)) < len(idents), "no identity was used twice: nothing is shown"
    assert not scopes.OFF & set(idents)
    with no_grad():
        for generator in suspended:
            generator.close()  # leaves the scope of a thread that is no more
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_scopes_of_one_thread_do_not_show_in_another():
    def work(number):
        found = []
        for i in range(200):
            if (i + number) % 2:
                with no_grad():
                    found.append(not (Variable(X, requires_grad=True) * 1).requires_grad)
            else:
                found.append((Variable(X, requires_grad=True) * 1).requires_grad)
        return all(found)

    assert at_once(work) == [True] * THREADS
    assert is_grad_enabled()
