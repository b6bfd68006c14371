"""Long chains, what is saved, and that graphs die by reference counting alone."""

import gc
import threading
import tracemalloc
import warnings
import weakref
from itertools import pairwise

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Function, Variable, detect_anomaly, grad, no_grad
from sourcediff.eager.engine.apply import apply, variables_in
from sourcediff.eager.engine.nodes import Leaf, Node
from sourcediff.errors import AnomalyError, DegenerateError, GraphFreedError, InPlaceError, MissingRuleError, NonDifferentiableError
from sourcediff.rules import RULES
from sourcediff.runtime.arrays import keep_zeros
from sourcediff.runtime.structures import added, like, matched, spread, tangent_like, with_added, with_entry
from sourcediff.runtime.zero_lengths import of_tangent
from tests.rules.checker import Trial
from tests.rules.samples import SAMPLES
from tests.sampling import name_of, sampled

LENGTH = 100_000
ENGINES_OWN = {"same", "pick", "collect"}
UNREAD = {added, keep_zeros, like, matched, of_tangent, spread, tangent_like, with_added, with_entry}
"""Rules that keep what may be a whole structure, of which the shapes are read. (For ``keep_zeros`` see below; ``of_tangent`` asks where a
length is 0 alone.)"""


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    gc.freeze()  # to look through what was there before would take longer than the tests
    yield
    gc.enable()


def alive():
    """How many things of the engine there are, in a test without collector: that were made in it."""
    # by type(): isinstance would ask objects of other libraries for their __class__, and some warn then
    return sum(issubclass(type(thing), (Variable, Node, Leaf)) for thing in gc.get_objects())


def test_a_chain_of_100_000_operations_is_built_walked_and_dropped():
    x = Variable(np.ones(1), requires_grad=True)
    y = x
    for _ in range(LENGTH):
        y = y + x
    y.backward()
    assert x.grad.data[0] == LENGTH + 1


def test_a_chain_that_was_never_walked_is_dropped(no_collector):
    x = Variable(np.ones(1), requires_grad=True)
    y = x * 1.0
    first = weakref.ref(y.grad_fn)
    for _ in range(LENGTH):
        y = y * 1.0
    assert first() is not None
    del y
    assert first() is None


@pytest.mark.parametrize("walk", ["not", "backward", "retained", "second order", "in place", "several results"])
def test_graphs_die_without_the_collector(no_collector, walk):
    x = Variable(np.ones(3), requires_grad=True)
    y = np.exp(x * x)
    nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.edges[0])]
    if walk == "in place":
        y[0] = x[1]
        y *= 2
        nodes.append(weakref.ref(y.grad_fn))
    if walk == "several results":
        y = np.linalg.slogdet(np.outer(y, y) + np.eye(3))[1]
    z = np.sum(y)
    nodes.append(weakref.ref(z.grad_fn))
    if walk == "backward":
        z.backward()
    elif walk == "retained":
        z.backward(retain_graph=True)
    elif walk == "second order":
        (g,) = grad(z, x, create_graph=True)
        nodes.append(weakref.ref(g.grad_fn))
        del g
    del y, z
    assert [node() for node in nodes] == [None] * len(nodes)
    x_alive = weakref.ref(x)
    del x
    assert x_alive() is None


def test_only_what_the_slice_reads_is_saved():
    x, c = Variable(np.ones((50, 50)), requires_grad=True), Variable(np.ones((50, 50)))
    saved = {
        "sum": np.sum(x), "add": x + x, "constant factor": x * 2.0, "other factor": x * c, "exp": np.exp(x), "transpose": x.T, "row": x[0],
    }
    arrays = {name: [a for a in y.grad_fn.saved if isinstance(a, np.ndarray)] for name, y in saved.items()}
    assert [name for name in arrays if not arrays[name]] == ["sum", "add", "constant factor", "transpose", "row"]
    assert arrays["other factor"][0] is c.data and len(arrays["other factor"]) == 1
    assert arrays["exp"][0] is saved["exp"].data


def test_backward_frees_as_it_walks():
    x = Variable(np.ones(1000), requires_grad=True)
    y = np.exp(x)
    saved = weakref.ref(y.data)
    z = np.sum(y * y)
    del y
    assert saved() is not None
    z.backward()
    assert saved() is None


def nodes_behind(variables):
    """The nodes that rules have made, behind these Variables."""
    seen, stack = {}, [variable._node for variable in variables if variable._node is not None]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack += node.edges
    return [node for node in seen if isinstance(node, Node) and node.plan.name not in ENGINES_OWN]


def contributions(node, saved, g):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of NaN and empty slices, which are among the samples
        found = node.plan.backward(g, saved)
    return [np.array(part) for part in (found if isinstance(found, (tuple, list)) else [found])]


def is_read(node, position, g):
    """Whether the contributions change (or fail) if other numbers are in a saved array of the same shape and dtype."""
    expected = contributions(node, node.saved, g)
    value = node.saved[position]
    spoilt = [np.full_like(value, wrong) for wrong in (np.nan, np.inf, -np.inf, 0.0, 1e3)] if value.dtype.kind in "fc" else [
        np.zeros_like(value), ~value if value.dtype.kind == "b" else value - 1,
    ]
    for other in (*spoilt, np.roll(value, 1), np.flip(value)):
        saved = (*node.saved[:position], other, *node.saved[position + 1:])
        try:
            found = contributions(node, saved, g)
        except (IndexError, ValueError, np.linalg.LinAlgError, DegenerateError):
            return True
        if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found, expected)):
            return True
    return False


DIFFERENTIABLE = [RULES[function] for function in SAMPLES if RULES[function].kind != "constant"]


@sampled(4, "rule", DIFFERENTIABLE, ids=name_of)
def test_every_array_that_a_node_saves_is_read(rule):
    """Seen by spoiling them one by one; what only a shape is wanted of must not be saved as an array.

    One by one will not do for ``keep_zeros``, which asks whether one array is 0 where another is NaN.
    """
    read: dict[tuple[str, int], bool] = {}
    for sample in SAMPLES[rule.function]:
        trial = Trial(rule, sample)
        variables = {
            name: [Variable(part, requires_grad=True) for part in value] if isinstance(value, (list, tuple)) else
            Variable(value, requires_grad=True) for name, value in trial.bound.items() if name in trial.wanted
        }
        given = {**trial.bound, **variables}
        args = [given[name] for name in rule.parameters]
        keywords = {name: given[name] for name in list(rule.parameters)[len(sample.args):] if name in sample.kwargs}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                result = apply(rule, tuple(args[:len(sample.args)]), keywords)
        except (TypeError, MissingRuleError):
            continue  # not a call that Variables can be in
        made = nodes_behind(variables_in(list(result) if isinstance(result, tuple) else [result]))
        if not made:
            assert np.asarray(result).dtype.kind in "biu"
            continue
        (node,) = made
        inputs = [id(part) for value in trial.bound.values() for part in (value if isinstance(value, (list, tuple)) else [value])]
        for position, ((name, kind), value) in enumerate(zip(node.plan.reads, node.saved, strict=True)):
            if kind != "value":
                assert not isinstance(value, np.ndarray), f"{name} is saved for its {kind}"
            elif isinstance(value, np.ndarray) and value.size > 1:
                if name in trial.wanted:
                    assert id(value) in inputs, f"{name} was copied"
                found = read.get((node.plan.wanted, name), False) or is_read(node, position, trial.g)
                read[node.plan.wanted, name] = found
    for (wanted, name), found in read.items():
        assert found or rule.function in UNREAD, f"{name} is saved for the derivatives by {wanted}, but nothing depends on it"


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.extra = x.sum()
        ctx.itself = ctx if x.size > 100 else None
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x


def hooked(x):
    y = x * 2
    removed = y.register_hook(lambda g: g * 2)
    y.register_hook(lambda g: None)
    removed()
    y.retain_grad()
    np.sum(y * y).backward()


def changed(x):
    y = x * 1.0
    view = y[1:]
    y *= x
    view += 1
    part = y.reshape(-1)[:2]
    part[0] = x[1]
    y.retain_grad()
    np.sum(view * y[1:]).backward(retain_graph=True)


def twice(x):
    (g,) = grad(np.sum(np.exp(x) * x), x, create_graph=True)
    (h,) = grad(np.sum(g * g), x, create_graph=True)
    np.sum(h).backward()


def in_a_library_run(x):
    def f(a):
        out = np.zeros_like(a)
        for i in range(a.size):
            out[i] = a[i] * np.sin(a[0])
        return np.sum(out)

    sourcediff.grad(f, mode="eager")(x.data.copy())
    np.sum(sourcediff.grad(f, mode="eager")(x)).backward()


def refused(x):
    y = x * 1.0
    z = np.sum(y * y)
    y += 1
    for attempt in (z.backward, lambda: x.__iadd__(1), lambda: np.nancumprod(y), lambda: float(y[0]), lambda: grad(y, x)):
        try:
            attempt()
        except (InPlaceError, MissingRuleError, NonDifferentiableError, TypeError):
            pass  # what it has raised is gone with the end of this block
        else:
            raise AssertionError("not refused")


def freed(x):
    z = np.sum(np.exp(x))
    z.backward()
    try:
        z.backward()
    except GraphFreedError:
        pass


def refused_in_a_library_run(x):
    def f(a):
        return np.sum(np.nancumprod(a * a))

    try:
        sourcediff.grad(f, mode="eager")(x.data.copy())
    except MissingRuleError:
        pass


def anomalous(x):
    with detect_anomaly(), np.errstate(all="ignore"):
        z = np.sum(np.sqrt(x * 0.0))
        try:
            z.backward()
        except AnomalyError:
            pass


LIVES = {
    "not walked": lambda x: np.exp(x) * x, "walked": lambda x: np.sum(np.exp(x) * x).backward(), "retained": lambda x: np.sum(
        np.exp(x)).backward(retain_graph=True), "second order": twice, "hooks": hooked, "in place": changed,
    "a Function": lambda x: np.sum(Square.apply(x)).backward(), "a Function, not walked": lambda x: Square.apply(x * 1),
    "several results": lambda x: np.linalg.slogdet(np.outer(x, x) + np.eye(3))[1].backward(),
    "a sequence": lambda x: np.sum(np.stack([x, x * 2, x[0] + x])).backward(), "a library run": in_a_library_run,
    "a refused library run": refused_in_a_library_run, "refused": refused, "walked twice": freed, "an anomaly": anomalous,
}


@pytest.mark.parametrize("name", LIVES)
def test_nothing_stays_alive(no_collector, name):
    LIVES[name](Variable(np.array([0.5, 1.5, 2.5]), requires_grad=True))  # caches are filled
    gc.collect()
    before = alive()
    LIVES[name](Variable(np.array([0.5, 1.5, 2.5]), requires_grad=True))
    assert alive() == before


@sampled(3, "build, walked", ["chain", "in place", "views", "fan-in", "adjoint", "ladder"], [False, True])
def test_100_000_nodes_die_at_once(no_collector, build, walked):
    x = Variable(np.ones(2), requires_grad=True)
    before = alive()
    y = x * 1.0
    if build == "fan-in":
        y = np.sum(np.stack([x[0] * 1.0 for _ in range(LENGTH // 2)]))
    elif build == "ladder":  # each node is used twice
        for _ in range(LENGTH // 2):
            y = (y + 0.5) * (y + 0.25) * 0.5 - y * y * 0.5
    elif build == "adjoint":
        for _ in range(LENGTH // 4):
            y = y * x
        (y,) = grad(np.sum(y), x, create_graph=True)
    else:
        for _ in range(LENGTH // 4 if build == "in place" else LENGTH):
            if build == "chain":
                y = y + x
            elif build == "in place":
                y += x
            else:
                y = y[:]
    if walked:
        np.sum(y).backward()
        x.grad = None
    assert alive() > before + 1000
    y = None
    assert alive() == before


def test_a_graph_dropped_by_another_thread(no_collector):
    x = Variable(np.ones(2), requires_grad=True)
    before = alive()
    held = [x * 1.0]
    for _ in range(LENGTH):
        held[0] = held[0] * x
    threading.stack_size(1024 * 1024)
    try:
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert alive() == before


def test_saved_arrays_die_during_the_walk():
    """A hook at every 50th node of a chain sees how many of the saved results are still there."""
    x = Variable(np.ones(1000), requires_grad=True)
    y, results, seen = x, [], []
    for i in range(500):
        y = np.sin(y)  # saves its input, which is the result before
        results.append(weakref.ref(y.data))
        if i % 50 == 0:
            y.register_hook(lambda _: seen.append(sum(result() is not None for result in results)))
    y = np.sum(y)
    y.backward()
    assert len(seen) == 10 and all(later + 45 < sooner for sooner, later in pairwise(seen)), seen
    assert not any(result() is not None for result in results)


def peak_of(function):
    """The most memory that was allocated at one time while the function ran, in bytes."""
    function()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        function()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_the_peak_of_a_loop_is_what_its_rules_save():
    """1,000 steps of a recurrence on 4,096 numbers: only ``tanh`` saves an array; ``x + …`` and a constant factor save none."""
    size, steps = 4096, 1000
    x = Variable(np.linspace(0, 1, size), requires_grad=True)

    def loop():
        y = x
        for _ in range(steps):
            y = np.tanh(y * 0.9 + x)
        np.sum(y).backward()
        x.grad = None

    assert 1.0 < peak_of(loop) / (size * 8 * steps) < 1.1


def test_without_a_graph_a_loop_takes_no_more_than_its_arrays():
    x = Variable(np.linspace(0, 1, 4096), requires_grad=True)

    def loop():
        y = x
        with no_grad():
            for _ in range(1000):
                y = np.tanh(y * 0.9 + x)

    assert peak_of(loop) < 6 * x.data.nbytes


def test_a_loop_in_place_takes_no_copies_of_its_buffer():
    """What is stored saves nothing but where: 1,000 rows of a buffer are written, and each is read by the next."""
    size, steps = 4096, 1000
    x = Variable(np.linspace(0, 1, size), requires_grad=True)

    def loop():
        rows = Variable(np.zeros((steps, size)))
        rows[0] = x
        for i in range(1, steps):
            rows[i] = rows[i - 1] * 0.9 + x
        total = np.sum(rows[-1])
        assert total.requires_grad

    assert peak_of(loop) / (size * 8 * steps) < 1.2
