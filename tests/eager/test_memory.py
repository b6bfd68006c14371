"""Long chains, what is saved, and that graphs die by reference counting alone."""

import gc
import weakref

import numpy as np
import pytest

from sourcediff.eager import Variable, grad

LENGTH = 100_000


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


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
