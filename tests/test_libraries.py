"""``runtime/arrays/library.py`` is the one place that knows libraries of arrays: nobody else asks whether a value is NumPy's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.test_layers import FILES

KNOWING = ("runtime", "on_cupy")
"""The rooms whose modules there is one of for each library: there ``np`` stands for it."""

QUICK = {
    "dispatch.made": "the shapes of arguments, at each call",
    "dispatch.restore": "what holds no others, at each call",
    "dispatch.shapes": "the shapes of arguments, at each call",
    "dispatch.tangents": "the kinds of primals and tangents, at each call of jvp",
    "eager.engine.apply": "types that hold no Variables, at each application",
    "eager.engine.backward": "a gradient that fits as it is",
    "eager.engine.graph": "the walk",
    "eager.engine.operators": "operators of Variables",
    "eager.engine.plans": "what a backward reads, at each node",
    "eager.engine.unary_fast_path": "functions of one Variable",
    "eager.engine.variable": "each new Variable",
    "eager.library_run.live": "stores at integers and slices in a run",
    "eager.library_run.live_items": "items of arrays in a run",
    "eager.library_run.live_joins": "np.where and joins of arrays in a run",
    "eager.library_run.live_steps": "each number and array of a run",
    "eager.library_run.operators": "operators of Variables in a run",
    "eager.numpy_api.indexing": "an entry of a Variable",
    "eager.torch_api.names": "products of Variables",
    "eager.torch_api.spelling": "methods of Variables under no_grad",
    "interop.torch": "what a call is given by PyTorch, whose arrays on the host are NumPy's",
}
"""Where the commonest class is asked for first, ``type(x) is np.ndarray``, since it is asked at every call or operation: what is right for
other arrays stands behind it."""

NUMPYS = {
    "api.requirements": "text of modules that import NumPy alone",
}
"""Where NumPy's own arrays are meant in text that is pasted."""

CLASSES = {
    "analysis.source.effects": "the names of methods",
    "frontend.inline.calls": "the class that a composite is told of",
    "frontend.inline.methods": "the names of attributes",
}
"""Where the class is meant, not what a value is of."""

LOOKING = ("dir", "getattr", "hasattr")


def is_class(node: ast.AST) -> bool:
    """Whether an expression names the class: ``np.ndarray``, or ``ndarray`` where a module gives it that name."""
    if isinstance(node, ast.Attribute):
        return node.attr == "ndarray" and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy")
    return isinstance(node, ast.Name) and node.id == "ndarray"


def questions(text: str) -> Iterator[int]:
    """The lines of a module in which the class of NumPy's arrays is named, other than in annotations or to read its attributes."""

    def visit(node: ast.AST) -> Iterator[int]:
        if is_class(node):
            yield node.lineno  # type: ignore[attr-defined]
            return
        passed: set[ast.AST | None] = {getattr(node, "annotation", None), getattr(node, "returns", None)}
        if isinstance(node, ast.Attribute):
            passed.add(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LOOKING:
            passed.add(node.args[0])
        for child in ast.iter_child_nodes(node):
            if child not in passed:
                yield from visit(child)

    yield from visit(ast.parse(text))


FOUND = {
    module: lines for module, path in FILES.items()
    if module.split(".")[0] not in KNOWING and (lines := list(questions(path.read_text(encoding="utf-8"))))
}
LISTED = QUICK | NUMPYS | CLASSES


def test_nobody_else_asks_whether_a_value_is_an_array_of_numpys():
    others = {module: lines for module, lines in FOUND.items() if module not in LISTED}
    assert not others, "ask is_array, is_host_array, is_plain_array, library_of or on_device of runtime/arrays/library.py"


def test_the_lists_name_none_that_does_not():
    assert not LISTED.keys() - FOUND.keys()


def test_a_quick_question_is_one_of_the_type_itself():
    for module in QUICK:
        for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                assert not any(map(is_class, ast.walk(node.args[1]))), f"{module}:{node.lineno}"


@pytest.mark.parametrize("text, count", [
    ("isinstance(x, np.ndarray)", 1), ("type(x) is not np.ndarray", 1), ("isinstance(x, (list, np.ndarray))", 1),
    ("ARRAYS = (np.ndarray,)", 1),
    ("ndarray = np.ndarray", 2), ("def f(x: np.ndarray) -> np.ndarray: pass", 0), ("x: list[np.ndarray] = []", 0), ("dir(np.ndarray)", 0),
    ("np.ndarray.view(x)", 0), ("hasattr(np.ndarray, name)", 0), ("cupy.ndarray", 0),
])
def test_questions_are_seen(text, count):
    assert len(list(questions(text))) == count
