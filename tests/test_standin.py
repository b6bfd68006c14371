"""The stand-in for CuPy is as strict as CuPy: with ``--device cupy`` the same is asserted of CuPy itself."""

import copy
import importlib.util
import json
import operator
import pickle

import numpy as np
import pytest

from tests.standin import cupy as standin
from tests.standin import read_facts, to_device, to_host, transfers
from tests.standin.arrays import FACTS

A = np.arange(1.0, 7.0).reshape(2, 3)


def same(found, wanted):
    assert type(found).__module__ == "cupy" and found.dtype == np.asarray(wanted).dtype and found.shape == np.shape(wanted)
    np.testing.assert_allclose(found.get(), wanted, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:cupyx.jit.rawkernel:FutureWarning")
def test_facts_are_those_of_the_cupy_that_is_installed():
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("CuPy is not installed: its names and signatures are read where it is")
    found = read_facts.read()
    for library, version in (("CuPy", "version"), ("NumPy", "numpy")):
        if found[version] != FACTS[version]:
            pytest.skip(f"{library} {found[version]} is installed, the facts were read with {FACTS[version]}")
    assert found == json.loads(read_facts.PATH.read_text())


def test_there_is_what_the_facts_name():
    names = {name for kind in read_facts.KINDS for name in FACTS["cupy"][kind]}
    assert names <= set(vars(standin)) and not {"errstate", "block", "insert", "vecdot", "longdouble", "object_"} & set(vars(standin))
    assert set(FACTS["ndarray"]["methods"]) <= set(dir(standin.ndarray))
    extra = {name for name in vars(standin.ndarray) if not name.startswith("_")}
    assert extra <= {*FACTS["ndarray"]["methods"], *FACTS["ndarray"]["attributes"]}
    of_classes = {"__weakref__", "__annotations__", "__firstlineno__", "__static_attributes__", *dir(object)}
    own = {name for name in vars(standin.ndarray) if name.startswith("__")} - of_classes
    assert own <= {*FACTS["ndarray"]["attributes"], "__slots__", "__module__"}


def test_an_entry_is_a_view(device):
    a = device.asarray(A)
    t, row = a[0, 1], a[1]
    a[0, 1] = 50
    a[1] = 60
    same(t, 50.0)
    same(row, np.full(3, 60.0))
    t *= 2
    row[0] += 1
    same(a, [[1.0, 100, 3], [61, 60, 60]])
    assert t.base is a and row.base is a and a.base is None and a.T[1:].base is a and a.reshape(-1).base is a
    for entry in a[0]:
        entry += 1
    same(a[0], [2.0, 101, 4])
    same(a[device.array(0)], a[0].get())
    assert a[device.array(0)].base is None and a[[0]].base is None


def test_results_without_dimensions_are_arrays(device):
    a = device.asarray(A)
    for found, wanted in (
        (a.sum(), 21.0),
        (device.max(a), 6.0),
        (np.mean(a), 3.5),
        (device.sqrt(4.0), 2.0),
        (a[0] @ a[0], 14.0),
        (device.linalg.norm(a[0]), 14**0.5),
        (device.allclose(a, a), True),
        (device.count_nonzero(a), 6),
        (np.linalg.det(a[:, :2]), -3.0),
        (np.argmax(a), 5),
        (a.sum() * 2.0, 42.0),
        (device.where(a > 3, a, 0.0).sum(), 15.0),
    ):
        same(found, wanted)
    total = same_object = a.sum()
    total += 1
    assert total is same_object
    same(same_object, 22.0)


@pytest.mark.parametrize(
    "mixed",
    [
        lambda a: np.asarray(a),
        lambda a: np.array([a, a]),
        lambda a: np.array([a[0, 0], 1.0]),
        lambda a: a * A,
        lambda a: A * a,
        lambda a: np.add(A, a),
        lambda a: operator.iadd(A.copy(), a),
        lambda a: operator.iadd(a, A),
        lambda a: np.concatenate([a, A]),
        lambda a: np.block([a, a]),
        lambda a: np.insert(a, 0, 1.0),
        lambda a: np.sum(a, where=a > 1),
        lambda a: np.sum(a, initial=1.0),
        lambda a: a.sum(where=a > 1),
        lambda a: np.max(a, initial=0.0),
        lambda a: np.add(a, a, where=a > 1),
        lambda a: np.add.reduce(a, where=a > 1),
        lambda a: [1, 2][a[0, 0]],
        lambda a: range(a[0, 0]),
        lambda a: round(a[0, 0]),
        lambda a: a + [1.0, 2.0, 3.0],
        lambda a: hash(a),
        lambda a: iter(a[0, 0]),
        lambda a: len(a[0, 0]),
        lambda a: np.add.at(a, (0, 0), 1.0),
        lambda a: np.geomspace(a, 2 * a),
        lambda a: np.vecdot(a, a),
        lambda a: np.sin(a, casting="no", subok=False),
        lambda a: a + "x",
        lambda a: a + None,
        lambda a: np.clip(a, min=0.0),
        lambda a: a.sum(axis=0, ddof=1),
    ],
)
def test_what_raises_type_error(device, mixed):
    with pytest.raises(TypeError):
        mixed(device.asarray(A))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda cupy, a: cupy.sin([1.0, 2.0]),
        lambda cupy, a: cupy.sum([1.0]),
        lambda cupy, a: cupy.sum(1.0),
        lambda cupy, a: cupy.mean([1.0]),
        lambda cupy, a: cupy.zeros_like(1.0),
        lambda cupy, a: cupy.reshape([1.0], (1, 1)),
        lambda cupy, a: cupy.where(True, a, a),
        lambda cupy, a: cupy.stack([a, 1.0]),
        lambda cupy, a: cupy.concatenate([a, [1.0]]),
        lambda cupy, a: cupy.array([a[0, 0], 1.0]),
        lambda cupy, a: cupy.array([a[0], a[0, 0]]),
        lambda cupy, a: cupy.linalg.norm([1.0]),
        lambda cupy, a: cupy.dot(a, 2.0),
        lambda cupy, a: cupy.ones(2, dtype=object),
        lambda cupy, a: cupy.array("x"),
        lambda cupy, a: a.astype(np.longdouble),
        lambda cupy, a: cupy.array([None]),
        lambda cupy, a: cupy.sum(a, where=a > 1),
        lambda cupy, a: cupy.add(a, a, where=a > 1),
        lambda cupy, a: cupy.errstate,
        lambda cupy, a: cupy.block,
        lambda cupy, a: cupy.linalg.multi_dot,
        lambda cupy, a: a.setflags,
        lambda cupy, a: a.__array_interface__,
        lambda cupy, a: setattr(a, "note", 1),
        lambda cupy, a: a.flags.writeable,
        lambda cupy, a: cupy.maximum.reduce(a),
        lambda cupy, a: cupy.multiply.at(a, [0], 2.0),
        lambda cupy, a: cupy.linalg.eigh(a.T @ a).eigenvalues,
        lambda cupy, a: cupy.add.at(a + 0j, cupy.array([0]), 1.0),
        lambda cupy, a: cupy.bitwise_and(a, a),
        lambda cupy, a: a.tolist(1),
        lambda cupy, a: a.__setitem__(..., A),
        lambda cupy, a: a.__setitem__(0, [1.0, 2.0, 3.0]),
        lambda cupy, a: cupy.concatenate([A, A]),
        lambda cupy, a: a[2, 0],
        lambda cupy, a: a[0, 0, 0],
        lambda cupy, a: a["x"],
        lambda cupy, a: bool(a),
        lambda cupy, a: cupy.array([1.0, 2.0]).__iadd__(1j),
        lambda cupy, a: cupy.float128,
        lambda cupy, a: cupy.clip(a, min=0.0),
    ],
)
def test_what_raises_somehow(device, wrong):
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError, NotImplementedError)):
        wrong(device, device.asarray(A))


def test_numbers_mix_well(device):
    a = device.asarray(A)
    for found, wanted in (
        (np.float64(2) * a, 2 * A),
        (a * np.float64(2), 2 * A),
        (2 - a, 2 - A),
        (a**2, A**2),
        (2.0**a, 2.0**A),
        (a // 2, A // 2),
        (np.float32(2) * a, 2 * A),
        (np.array(3.0) > a, A < 3.0),
        (device.asarray(A.astype("f")) * 2.0, A.astype("f") * 2),
        (device.asarray(A.astype("f")) * np.float64(2.0), 2 * A),
        (1 + device.array([True]), np.array([2])),
        (operator.eq(a, None), np.zeros((2, 3), bool)),
        (device.floor(device.array([1, 2])), np.array([1, 2])),
        (a * (1 + 2j), A * (1 + 2j)),
        (device.add(1, 2.5), 3.5),
    ):
        same(found, wanted)


def test_bringing_over(device):
    a = device.asarray(A)
    assert device.asarray(a) is a and device.array(a) is not a and device.get_array_module(a) is device
    same(device.array([[1.0, 2], [3, 4]]), [[1.0, 2], [3, 4]])
    same(device.array([a[0, 0], a[1, 1]]), [1.0, 5])
    same(device.array([[a[0], a[1]], (a[1], a[0])]), [[A[0], A[1]], [A[1], A[0]]])
    same(device.zeros((2, 3)) + np.zeros(3, like=a), np.zeros((2, 3)))
    same(device.array(3.0), 3.0)
    assert type(device.asnumpy(a)) is np.ndarray and to_host(to_device({"a": (A, [2.0])}))["a"][0].tolist() == A.tolist()
    assert type(a.tolist()) is list and type(a[0, 0].item()) is float
    assert f"{a.sum():.1f}" == "21.0" and str(a) == str(A) and repr(a) == repr(A)
    same(pickle.loads(pickle.dumps(a)), A)
    same(copy.deepcopy({"a": a})["a"], A)
    assert type(a).__name__ == "ndarray" and isinstance(a, device.ndarray)


def test_indices(device):
    a, i = device.arange(5.0), device.array([0, 6, -1])
    same(a[i], [0.0, 1, 4])
    same(a[[7]], [2.0])
    same(a[np.array([7])], [2.0])
    same(device.take(a, device.array([5, 6])), [0.0, 1])
    a[i] = device.array([10.0, 11, 12])
    same(a, [10.0, 11, 2, 3, 12])
    b = device.asarray(A.copy())
    b[:, [0, 4]] = 0.0
    same(b[:, device.array([2, 5])], [[3.0, 3], [6, 6]])
    same(b, [[0.0, 0, 3], [0, 0, 6]])
    same(b[b > 3], [6.0])
    same(b[b[:, 2] > 3], [[0.0, 0, 6]])
    same(b[1, b[1] > 3], [6.0])
    same(b[None, ..., -1], [[3.0, 6]])
    same(b[device.array([1, 0]), 1:], [[0.0, 6], [0, 3]])
    b[b > 3] = device.array([7.0])
    b[0, :2] = np.float64(8)
    b[1, 0] = np.array(9.0)
    b[[0], [2]] = [10.0]
    same(b, [[8.0, 8, 10], [9, 0, 7]])
    same(b[:, :0], np.zeros((2, 0)))
    same(b[[]], np.zeros((0, 3)))


def test_any_of_the_values_stored_to_an_entry_may_win(device):
    a, n = device.zeros(2), 10_000
    a[device.arange(n) % 2] = device.arange(float(n))
    values = a.get()
    assert values[0] % 2 == 0 and values[1] % 2 == 1 and (device is not standin or values.tolist() == [0.0, 1.0])
    device.add.at(a, device.array([0, 0, 3]), 1.0)
    same(a - device.array(values), [2.0, 1.0])
    np.add.at(a, device.array([0, 0]), device.array([1.0, 2.0]))
    same(a - device.array(values), [5.0, 1.0])
    np.add.at(a, np.array([0]), -5.0)
    device.maximum.at(a, device.array([1]), 1e9)
    same(a, [values[0], 1e9])


def test_stores_of_overlapping_memory(device):
    a = device.asarray(A.copy())
    a[:, 1:] = a[:, :-1]
    same(a, [[1.0, 1, 2], [4, 4, 5]])
    a[:, 1:] += a[:, :-1]
    same(a, [[1.0, 2, 3], [4, 8, 9]])
    if device is standin:  # of CuPy nothing can be said
        a = device.arange(4.0)
        a[1:] = a[:-1]
        same(a, np.zeros(4))


def test_ufuncs_have_methods_by_name(device):
    a = device.asarray(A)
    same(np.add.reduce(a), A.sum(0))
    same(np.multiply.outer(a, a), np.multiply.outer(A, A))
    same(device.add.accumulate(a, axis=1), A.cumsum(1))
    out = device.empty((2, 3))
    assert np.add(a, 1.0, out=out) is out and np.sum(a, axis=0, out=out[0]).shape == (3,)
    same(out, [[5.0, 7, 9], [5, 6, 7]])


def test_nothing_warns_of_numbers(device):
    a = device.array([0.0, 1.0])
    same(1 / a, [np.inf, 1.0])
    same(device.log(a), [-np.inf, 0.0])
    same(a / a, [np.nan, 1.0])
    same(device.array([2**62]) * 4, [0])
    assert device.array([np.nan]).astype(int).shape == (1,)


def test_solvers_do_not_say_that_they_fail(device):
    a = device.zeros((2, 2))
    assert device.linalg.inv(a).shape == (2, 2) and device.linalg.solve(a, a[0]).shape == (2,)
    assert device.linalg.cholesky(device.eye(2) - 2.0).shape == (2, 2)
    with pytest.raises(np.linalg.LinAlgError):
        device.linalg.inv(a[0])


def test_functions_of_modules(device):
    a = device.asarray(A)
    same(np.linalg.inv(a[:, :2]), np.linalg.inv(A[:, :2]))
    same(device.fft.rfft(a), np.fft.rfft(A))
    same(np.fft.ifft(a), np.fft.ifft(A))
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    same((u * s) @ vt, A)
    same(device.einsum("ij,ij->i", a, a), (A * A).sum(1))
    same(np.concatenate([a, a], axis=1), np.concatenate([A, A], axis=1))
    same(device.linspace(0, 1, 3) + device.arange(3), [0.0, 1.5, 3])
    same(device.tril(a) + device.cumsum(a, axis=0) + np.flip(a, 0), np.tril(A) + np.cumsum(A, 0) + A[::-1])
    same(a.reshape(3, 2) @ a.T[:2, :2] + a.std() + a.clip(2, 3).sum(), A.reshape(3, 2) @ A.T[:2, :2] + A.std() + A.clip(2, 3).sum())
    assert (
        np.shape(a) == (2, 3)
        and np.ndim(a) == 2
        and np.size(a) == 6
        and np.result_type(a, 1.0) is np.dtype(float)
        and not np.iscomplexobj(a)
    )


@pytest.mark.parametrize(
    "act",
    [
        lambda cupy, a: float(a[0, 0]),
        lambda cupy, a: int(a[0, 0]),
        lambda cupy, a: bool(a[0, 0] > 0),
        lambda cupy, a: complex(a[0, 0]),
        lambda cupy, a: a.get(),
        lambda cupy, a: cupy.asnumpy(a),
        lambda cupy, a: a.tolist(),
        lambda cupy, a: a[0, 0].item(),
        lambda cupy, a: str(a),
        lambda cupy, a: repr(a),
        lambda cupy, a: f"{a[0, 0]:.1f}",
        lambda cupy, a: a[a > 2],
        lambda cupy, a: a.__setitem__(a > 2, 0.0),
        lambda cupy, a: cupy.where(a > 2),
        lambda cupy, a: cupy.nonzero(a),
        lambda cupy, a: a.nonzero(),
        lambda cupy, a: cupy.unique(a),
        lambda cupy, a: a[: cupy.array(1)],
        lambda cupy, a: pickle.dumps(a),
    ],
)
def test_waits_are_counted_with_their_lines(act):
    from tests.standin import installed

    with installed() as cupy:
        a = cupy.asarray(A)
        with transfers() as found:
            act(cupy, a)
    (one,) = found
    assert one.kind == "wait" and one.place == f"{__file__}:{act.__code__.co_firstlineno}"


def test_what_does_not_wait():
    from tests.standin import installed

    with installed() as cupy:
        a = cupy.asarray(A)
        with transfers() as found:
            a[0, 0] = a[1, 1] * 2.0
            a[cupy.array(0)] += cupy.where(a > 2, a, 0.0)[0]
            a[:, None].sum(0), np.exp(a) @ a.T, len(a), list(a), a.shape, cupy.zeros(3), copy.deepcopy(a), a.copy(), cupy.full_like(a, 2.0)
        assert not found
        with transfers("send") as found:
            cupy.asarray(A)
        assert len(found) == 1
