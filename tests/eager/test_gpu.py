"""The core on a GPU's arrays, where CuPy and a GPU are at hand."""

import numpy as np
import pytest

from sourcediff.eager import Variable, grad

from .core import PROGRAMS, X, gradients_of_net, same_on, train

cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'sourcediff[cuda]'")
try:
    cupy.zeros(1)
except cupy.cuda.runtime.CUDARuntimeError as error:
    pytest.skip(f"CuPy finds no GPU: {error}", allow_module_level=True)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "prod"])
def test_programs(name):
    same_on(cupy.asarray, cupy.asnumpy, PROGRAMS[name], tolerance=1e-4 if name == "float32" else 1e-9)


def test_the_two_layer_net():
    np.testing.assert_allclose([float(loss) for loss in train(cupy.asarray)], train(np.array), rtol=1e-9)


def test_library_runs():
    for got, expected in zip(gradients_of_net(cupy.asarray), gradients_of_net(np.array), strict=True):
        np.testing.assert_allclose(cupy.asnumpy(got), expected, rtol=1e-9)


def test_there_and_back():
    x = Variable(X, requires_grad=True)
    y = (x.cuda() * 2).cpu()
    assert type(x.cuda().data) is cupy.ndarray and type(y.data) is np.ndarray
    (g,) = grad((y * y).sum(), x, create_graph=True)
    (h,) = grad((g * g).sum(), x)
    np.testing.assert_allclose(g.data, 8 * X)
    np.testing.assert_allclose(h.data, 128 * X)
