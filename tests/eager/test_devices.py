"""``.cuda()`` without CuPy, with CuPy but without a GPU, and there and back."""

import sys

import numpy as np
import pytest

from sourcediff.eager import Variable, grad
from sourcediff.errors import DeviceError
from tests.standin import installed

X = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]])


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match=r"needs CuPy: pip install 'sourcediff\[cuda12\]'"):
        Variable(X).cuda()
    assert (x := Variable(X)).cpu() is x


def test_without_a_gpu(monkeypatch):
    def asarray(array):
        raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")

    with installed() as cupy:
        monkeypatch.setattr(cupy, "asarray", asarray)
        with pytest.raises(DeviceError, match=r"found no GPU(.|\n)*cudaErrorNoDevice(.|\n)*nvidia-smi"):
            Variable(X, requires_grad=True).cuda()


def test_there_and_back(device):
    x = Variable(X, requires_grad=True)
    there = x.cuda()
    assert type(there.data) is device.ndarray and there.cuda() is there and there.requires_grad and not there.is_leaf
    y = (there * 2).cpu()
    assert type(y.data) is np.ndarray
    (g,) = grad((y * y).sum(), x, create_graph=True)
    (h,) = grad((g * g).sum(), x)
    np.testing.assert_array_equal(g.data, 8 * X)
    np.testing.assert_array_equal(h.data, 128 * X)
    assert not Variable(X).cuda().requires_grad and Variable(X, volatile=True).cuda().volatile
    assert (Variable(1.5, requires_grad=True).cuda() * 2).cpu().requires_grad
