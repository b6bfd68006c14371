"""``save_gradient``: a module of its own, without sourcediff, written whole or not at all."""

from __future__ import annotations

import ast
import inspect
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import sourcediff
from sourcediff.api.save import closed, helper_definition, standalone
from sourcediff.checks.numeric import compare
from sourcediff.errors import SourcediffError
from tests.corpus import CASES
from tests.corpus.objects import Kind
from tests.golden.experts import EXPERTS, arguments, heat, rnn
from tests.sampling import name_of, sampled

SCALE = 2.5
WEIGHTS = np.arange(4.0).reshape(2, 2)


def saved(function, path, **options):
    """The namespace of a saved gradient, and its text."""
    sourcediff.save_gradient(function, path, **options)
    text = path.read_text(encoding="utf-8")
    namespace: dict = {}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace, text


@pytest.mark.parametrize("name", EXPERTS)
@pytest.mark.parametrize("specialised", [False, True])
def test_the_seven_programs(name, specialised, tmp_path):
    program, expert, wrt, with_value = EXPERTS[name]
    namespace, text = saved(program, tmp_path / "saved.py", wrt=wrt, args=arguments(name) if specialised else None)
    assert "import" not in text or "sourcediff" not in "".join(line for line in text.splitlines() if "import" in line)
    expected = expert(*arguments(name))
    compare(namespace[f"{name}_grad"](*arguments(name)), expected[1] if with_value else expected, rtol=1e-11, atol=1e-13)


@sampled(6, "case", CASES[3::12], ids=name_of)
def test_functions_of_all_sorts(case, tmp_path):
    args, kwargs = case.make()
    signature = inspect.signature(case.function)
    try:
        expected = sourcediff.grad(case.function, case.wrt, mode="compiled")(*args, **kwargs)
        more = [value for name, value in kwargs.items() if signature.parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY]
        namespace, _ = saved(case.function, tmp_path / "saved.py", wrt=case.wrt, args=(*args, *more))
    except sourcediff.AliasingError as refusal:
        pytest.skip(f"the compiler refuses it: {refusal.problem}")  # whether it may is judged in test_corpus.py
    except sourcediff.SourcediffError as refusal:
        assert case.name.startswith("recursion."), refusal
        assert "cannot stand alone" in refusal.problem
        return
    gradient = namespace[f"{case.function.__name__}_grad"]
    names = inspect.signature(gradient).parameters
    args, kwargs = case.make()
    given = signature.bind(*args, **kwargs)
    given.apply_defaults()
    defaults = {"kind1": Kind.LINEAR}  # of functions that are called
    outside = {"self": getattr(case.function, "__self__", None), **defaults, **case.function.__globals__}
    more = {name: outside[name] for name in names if name not in signature.parameters}
    # the text of a call may take lengths for equal, and sum in another order
    compare(gradient(**given.arguments, **more), expected, rtol=1e-14, atol=1e-15)


def test_it_runs_where_there_is_no_sourcediff(tmp_path):
    saved(rnn, tmp_path / "rnn_saved.py")
    program = """
import sys; sys.modules["sourcediff"] = None
import numpy as np, rnn_saved
p = {"wx": np.ones((2, 1)), "wh": np.eye(2), "b": np.zeros(2)}
print(sorted(rnn_saved.rnn_grad(p, np.ones((3, 1)), np.zeros(2), np.ones(2))))
"""
    environment = {**os.environ, "PYTHONPATH": ""}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60)
    assert run.stdout.strip() == "['b', 'wh', 'wx']", run.stderr


def test_only_the_gradient_has_the_functions_name(tmp_path):
    namespace, _ = saved(heat, tmp_path / "saved.py")
    assert [name for name, value in namespace.items() if callable(value) and name.startswith("heat")] == ["heat_grad"]
    assert "_like" in namespace and "like" not in namespace


def test_helpers_bring_what_they_call_themselves():
    assert {"sum_to", "matmul_adjoint"} <= set(closed({"matmul_adjoint": "sourcediff.runtime.arrays"}))
    assert set(closed({"split_like": "sourcediff.runtime.arrays"})) == {"split_like"}, "its parameter shapes is not the helper of that name"


@pytest.mark.parametrize("module", [
    "arrays.broadcasting", "arrays.indexing", "arrays.joining", "arrays.linear_algebra", "arrays.products", "arrays.static", "checks",
    "structures",
])
def test_every_helper_can_be_pasted(module):
    """Each with all that it calls makes a module that needs nothing undefined."""
    full = f"sourcediff.runtime.{module}"
    namespace = vars(sys.modules[full])
    helpers = [name for name, value in namespace.items() if callable(value) and getattr(value, "__module__", "") == full]
    assert len(helpers) >= 5
    for helper in helpers:
        text = standalone(f"from {full} import {helper}\n\n\ndef f_grad(x):\n    return {helper}(x)\n", "f")
        made: dict = {}
        exec(text, made)
        functions = [value for value in made.values() if hasattr(value, "__code__")]
        for function in functions:
            unknown = {name for name in function.__code__.co_names if name not in made and not hasattr(__builtins__, name)}
            for name in unknown:
                assert name not in namespace or hasattr(np, name) or hasattr(math, name), f"{helper} needs {name}"
        assert "sourcediff" not in text


def test_names_that_are_taken_are_not_taken_again():
    text = standalone("import numpy as np\nfrom sourcediff.runtime import sum_to\ndef f_grad(x, _sum_to):\n    return sum_to(x, ())\n", "f")
    namespace: dict = {}
    exec(text, namespace)
    assert namespace["f_grad"](np.ones(3), None) == 3.0


def test_another_meaning_of_np_is_kept():
    text = standalone("import math as np\nfrom sourcediff.runtime import sum_to\ndef f_grad(x):\n    return np.pi * sum_to(x, ())\n", "f")
    namespace: dict = {}
    exec(text, namespace)
    np.testing.assert_allclose(namespace["f_grad"](np.ones(2)), 2 * np.pi)


def scaled(x):
    return SCALE * np.sum(WEIGHTS @ x)


def test_what_is_read_from_outside_is_passed_in(tmp_path):
    namespace, text = saved(scaled, tmp_path / "saved.py", args=(np.ones(2),))
    assert "# SCALE, WEIGHTS: what the function reads from outside is passed in\n" in text
    assert "CAPTURED" not in text and "MUTATED" not in text
    gradient = namespace["scaled_grad"]
    np.testing.assert_allclose(gradient(np.ones(2), SCALE=2.0, WEIGHTS=np.eye(2)), [2.0, 2.0])


def vector(x):
    return x * 2.0


def test_the_librarys_errors_become_pythons(tmp_path):
    namespace, text = saved(vector, tmp_path / "saved.py")
    with pytest.raises(TypeError, match="does not return a scalar"):
        namespace["vector_grad"](np.ones(3))
    assert "NonDifferentiableError" not in text


def test_what_cannot_be_pasted_is_named():
    with pytest.raises(SourcediffError, match=r"sourcediff\.runtime\.arrays\.no_such"):
        standalone("from sourcediff.runtime.arrays import no_such\n\n\ndef f_grad(x):\n    return no_such(x)\n", "f")


def test_comments_and_provenance_stay():
    assert "# " in helper_definition("einsum_adjoint", "sourcediff.runtime.arrays.products", {"einsum_adjoint": "_einsum_adjoint"})


def test_the_text_is_the_same_every_time(tmp_path):
    texts = [saved(rnn, tmp_path / f"{k}.py")[1] for k in range(2)]
    assert texts[0] == texts[1]
    assert ast.get_docstring(ast.parse(texts[0])).startswith("Gradient of rnn")


def test_nothing_is_left_of_a_failure(tmp_path, monkeypatch):
    path = tmp_path / "saved.py"
    path.write_text("what was there\n")

    def fails(*names):
        raise OSError("no room")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="no room"):
        sourcediff.save_gradient(heat, path)
    assert [file.name for file in tmp_path.iterdir()] == ["saved.py"]
    assert path.read_text() == "what was there\n"


def test_a_place_that_is_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        sourcediff.save_gradient(heat, tmp_path / "none" / "saved.py")


def decomposed(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.exp(w)) @ v.T)


def test_what_a_helper_refuses_is_an_error_of_python(tmp_path):
    namespace, _ = saved(decomposed, tmp_path / "saved.py", args=(np.diag([1.0, 2.0, 3.0]),))
    with pytest.raises(TypeError, match="equal eigenvalues"):
        namespace["decomposed_grad"](np.eye(3))
