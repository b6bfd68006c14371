"""A derivative that is sent to another process takes its source and its text along: nothing is compiled there, nothing falls back."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.compiler import pipeline
from sourcediff.dispatch import sent

pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

PROGRAM = '''
import dataclasses, functools, sys, warnings
import cloudpickle, numpy as np, sourcediff
from sourcediff import grad, hessian, hvp, jacobian, prepared, value_and_grad

X = np.array([0.5, -2.0, 3.0])
scale = 2.0


@dataclasses.dataclass
class Line:
    w: np.ndarray
    b: float

    def zero(self):
        return -self.b / self.w

    def at(self, x):
        return self.w * x + self.b


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return self.k * np.sum(x ** 3)

    @grad(wrt="x")
    def slope(self, x):
        return self.k * np.sum(x ** 2)


def helper(x):
    return np.tanh(x) * scale


def loss(x):
    return np.sum(helper(x) ** 2)


def of_line(p, x):
    return np.sum(helper(p.at(x)))


def maker(k):
    def inner(x):
        return k * np.sum(helper(x) ** 2)
    return inner


def recursive(x, n):
    return x if n == 0 else np.sin(recursive(x, n - 1))


def of_recursive(x, n):
    return np.sum(recursive(x, n))


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2.0 * function(*args, **kwargs)
    return wrapper


@twice
def wrapped(x):
    return np.sum(helper(x))


@grad
def decorated(x):
    return np.sum(helper(x) ** 3)


@jacobian
def naming_itself(x):
    return helper(x) if naming_itself else x


def entrywise(x):
    return helper(x) * np.sum(x)


WORK = {
    "function": (grad(loss), (X,)),
    "value too": (value_and_grad(loss), (X,)),
    "closure": (grad(maker(3.0)), (X,)),
    "lambda": (grad(lambda x: np.sum(helper(x)
                                     * x)), (X,)),
    "dataclass": (grad(of_line, wrt=("p", "x")), (Line(X, 2.0), X)),
    "method": (grad(Model(2.0).loss), (X,)),
    "decorated method": (Model(2.0).slope, (X,)),
    "recursion": (grad(of_recursive), (X, 3)),
    "wrapper": (grad(wrapped), (X,)),
    "decorated": (decorated, (X,)),
    "naming itself": (naming_itself, (X,)),
    "jacobian": (jacobian(entrywise), (X,)),
    "hessian": (hessian(maker(2.0)), (X,)),
    "hessian, of a module": (hessian(loss), (X,)),
    "hvp": (hvp(loss), (X, X)),
    "derivative of one": (jacobian(grad(loss)), (X,)),
    "partial": (functools.partial(grad(of_recursive), n=2), (X,)),
}
PREPARED = prepared(entrywise, 0)

def main():
    warnings.simplefilter("error")
    values = {name: made(*args) for name, (made, args) in WORK.items()}
    value, pull = PREPARED.forward(X)
    pulled = pull(X)
    pickle_ = __import__(sys.argv[2])
    with open(sys.argv[1], "wb") as file:
        for name, (made, args) in WORK.items():
            pickle_.dump((name, made, args, values[name]), file)
        pickle_.dump((PREPARED, X, pulled), file)


if __name__ == "__main__":
    main()
'''

ARRIVED = '''
import pickle, sys, warnings
import numpy as np
import sourcediff
from sourcediff.compiler import pipeline

def leaves(tree):
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in leaves(part)]
    return leaves((tree.w, tree.b)) if hasattr(tree, "w") else [tree]

compiled = []
compile_gradient = pipeline.compile_gradient

def counted(function, request):
    compiled.append((function.__qualname__, request.mode))
    return compile_gradient(function, request)

pipeline.compile_gradient = counted
warnings.simplefilter("error")
if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        while True:
            name, *rest = pickle.load(file)
            if not isinstance(name, str):
                break
            made, args, expected = rest
            for _ in range(2):
                found = made(*args)
                for one, other in zip(leaves(found), leaves(expected)):
                    np.testing.assert_array_equal(one, other, err_msg=name)
            assert not compiled, (name, compiled)
        prepared, (x, expected) = name, rest
        np.testing.assert_array_equal(prepared.forward(x)[1](x), expected)
        assert not compiled, compiled
        assert sourcediff.cache.info().misses == 0
        print("all arrived")
        file.seek(0)
        made = pickle.load(file)[1]
        made(np.float32(2.0) * np.ones((2, 2)))  # another kind of call is compiled, of the source that came
        assert compiled, "what is new has to be compiled"
        print(made.source)
'''


def run(folder: pathlib.Path, cache: str, *command: str) -> str:
    environment = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(folder / cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_worker_without_a_cache_compiles_nothing_of_the_main_programs(tmp_path: pathlib.Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "arrived.py").write_text(ARRIVED)
    run(tmp_path, "here", "program.py", "sent.pickle", "cloudpickle")
    (tmp_path / "program.py").unlink()  # the worker has no such file
    said = run(tmp_path, "there", "arrived.py", "sent.pickle")
    assert "all arrived" in said and "# program.py:" in said


def test_nor_what_is_imported(tmp_path: pathlib.Path) -> None:
    """(A method goes by the name of its class, and takes nothing along.)"""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "arrived.py").write_text(ARRIVED)
    start = "import program\nfor name in ('closure', 'lambda', 'hessian', 'decorated method'): program.WORK.pop(name)\nprogram.main()"
    run(tmp_path, "here", "-c", start, "sent.pickle", "pickle")
    assert "all arrived" in run(tmp_path, "there", "arrived.py", "sent.pickle")


POOLS = '''
import concurrent.futures, multiprocessing, os, sys, warnings
import numpy as np
import arrived
from sourcediff import grad

warnings.simplefilter("error")
scale = 3.0

def helper(x):
    return scale * x

def loss(x):
    return np.sum(helper(x) ** 2)

@grad
def slope(x):
    return np.sum(helper(x) ** 3)

def work(made, x):
    return made(x), arrived.compiled

if __name__ == "__main__":
    x = np.arange(3.0)
    made = grad(loss)
    expected = made(x), slope(x)
    os.environ["SOURCEDIFF_CACHE_DIR"] = sys.argv[1]  # the children's
    if sys.argv[2] == "spawn":
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            found = [pool.submit(work, one, x).result() for one in (made, slope)]
    elif sys.argv[2] == "dask":
        import dask
        tasks = [dask.delayed(work)(one, x) for one in (made, slope)]
        found = dask.compute(*tasks, scheduler="processes", num_workers=2)
    else:
        import joblib
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(work)(one, x) for one in (made, slope))
    for (got, compiled), wanted in zip(found, expected):
        np.testing.assert_array_equal(got, wanted)
        assert not compiled, compiled
    assert not os.path.isdir(sys.argv[1]) or os.listdir(sys.argv[1]), "the children have an empty cache of their own"
'''


@pytest.mark.parametrize("pool", ["spawn", "joblib", "dask"])
def test_pools(tmp_path: pathlib.Path, pool: str) -> None:
    if pool != "spawn":
        pytest.importorskip(pool, reason=f"{pool} is not installed")
    (tmp_path / "program.py").write_text(POOLS)
    (tmp_path / "arrived.py").write_text(ARRIVED)
    run(tmp_path, "here", "program.py", str(tmp_path / "there"), pool)


def test_notebooks(tmp_path: pathlib.Path) -> None:
    """What is typed into a notebook has its lines in linecache alone."""
    cell = textwrap.dedent('''
        import linecache, sys, cloudpickle, numpy as np, sourcediff
        cell = "def loss(x):\\n    return np.sum(x ** 3)\\nslope = sourcediff.grad(loss)\\n"
        cell += "other = sourcediff.grad(lambda x: np.sum(x ** 4)); prepared = sourcediff.prepared(loss, 0); prepared.forward(1.0)\\n"
        name = "/tmp/ipykernel_1/123.py"
        linecache.cache[name] = len(cell), None, cell.splitlines(True), name
        exec(compile(cell, name, "exec"))
        x = np.arange(3.0)
        with open(sys.argv[1], "wb") as file:
            for made in (slope, other):
                cloudpickle.dump(("notebook", made, (x,), made(x)), file)
            cloudpickle.dump((prepared, 1.0, 3.0), file)
    ''')
    (tmp_path / "notebook.py").write_text(cell)
    (tmp_path / "arrived.py").write_text(ARRIVED)
    run(tmp_path, "here", "notebook.py", "sent.pickle")
    assert "# 123.py:" in run(tmp_path, "there", "arrived.py", "sent.pickle")


def loss(x: Any) -> Any:
    return np.sum(x**2)


def test_a_text_of_another_library_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sourcediff.grad(loss)
    made(2.0)
    parcel = made.sourcediff.parcel()
    assert len(parcel.texts) == 1 and [one.lines[0] for one in parcel.sources.values()] == ["def loss(x: Any) -> Any:"]
    compiled = []
    compile_gradient = pipeline.compile_gradient
    monkeypatch.setattr(pipeline, "compile_gradient", lambda *asked: compiled.append(asked) or compile_gradient(*asked))
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "0")
    (key,) = parcel.texts
    planted = "def loss_grad(x):\n    return 42.0\n"
    for other, text, times in ((key, planted, 0), (key[::-1], planted, 1), (key, "import nothing_of_the_kind", 1)):
        monkeypatch.setattr(sent, "_texts", {other: text})
        sourcediff.cache.clear()
        compiled.clear()
        assert sourcediff.grad(loss)(2.0) == (4.0 if times else 42.0) and len(compiled) == times


def test_hashes_do_not_depend_on_what_was_called() -> None:
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    sourcediff.cache.forget()
    made, prepared = sourcediff.grad(loss), sourcediff.prepared(loss)
    before = joblib.hash(made), joblib.hash(prepared)
    for x in (2.0, np.ones(2)):
        made(x), prepared.forward(x)
    assert (joblib.hash(made), joblib.hash(prepared)) == before
    assert pickle.loads(pickle.dumps(made, 2))(2.0) == 4.0
    if find_spec("dask"):
        from dask.base import tokenize

        assert tokenize(prepared) == tokenize(sourcediff.prepared(loss)) != tokenize(sourcediff.prepared(loss, 0))
