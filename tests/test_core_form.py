"""The core form: what breaks it is found. That every program has it after every stage, all tests hold (``verified.py``)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import InternalError
from sourcediff.analysis.scope import Scope
from sourcediff.compiler import pipeline as compiler
from sourcediff.core.form import CORE, BoundNames, verify
from sourcediff.frontend import body_passes as body
from sourcediff.frontend import passes
from sourcediff.frontend.inline.linked_calls import INSIDE
from sourcediff.frontend.lowering import Lowering
from sourcediff.syntax import nodes as n
from sourcediff.syntax.quote import place, statement
from tests import verified

HERE = n.parse("here").body[0]
NAMES = BoundNames({"x", "d"}, {"np", "f"})


def block(*lines: str) -> list[n.stmt]:
    """The statements of these lines, each with a place."""
    return [place(node, HERE) for line in lines for node in n.parse(line).body]


def problems(body: list[n.stmt], **options: Any) -> list[str]:
    return [fault.problem for fault in verify(body, NAMES, **options)]


def active(node: n.AST) -> bool:
    """Whether x, or y, is in it."""
    return any(isinstance(part, n.Name) and part.id in ("x", "y") for part in n.walk(node))


@pytest.mark.parametrize("lines", [
    ("y = np.sin(x)", "y[0] += 2.0 * d", "while d > 0:\n    y = y * x\n    break"),
    ("y = np.stack((x, x))", "z = x[1:].T[0]", "del d['a']", "p = [x, d]", "p.append(x)", "f(x * x)"),
    ("i = max(d, key=lambda k: d[k])",),
    ("for i, j in np.ndindex(*d):\n    y = x[i]", "s = sum(i * k for k in d)", "assert d, 'd'", "raise ValueError(d)"),
])
def test_what_is_in_the_form_has_no_fault(lines: tuple[str, ...]) -> None:
    assert problems(block(*lines), active=active) == []


@pytest.mark.parametrize(("line", "problem"), [
    ("y = f(lambda v: v)", "Lambda is no expression of the core form"),
    ("y = (z := d)", "NamedExpr is no expression of the core form"),
    ("def g():\n    return d", "FunctionDef is no statement of the core form"),
    ("with f():\n    y = d", "With is no statement of the core form"),
    ("try:\n    y = d\nfinally:\n    y = d", "Try is no statement of the core form"),
    ("while d:\n    continue", "Continue is no statement of the core form"),
    ("y = z = d", "it has several targets"),
    ("d.a = 1.0", "Attribute is no target of Assign"),
    ("for y in d:\n    pass\nelse:\n    pass", "Pass is no orelse of For"),
    ("d", "Name is no value of Expr"),
    ("del d", "Name is no target of Delete"),
    ("y = q", "nothing binds q"),
    ("y = sum(k for k in d if q)", "nothing binds q"),
    ("y = np.sin(x * x)", "an operation on what carries a derivative has no name"),
    ("d[0] = (x + 1.0) * 2.0", "an operation on what carries a derivative has no name"),
    ("y, z = x", "what carries a derivative is taken apart"),
    ("for y, z in x:\n    pass", "what carries a derivative is taken apart"),
])
def test_a_fault_is_found(line: str, problem: str) -> None:
    assert problem in problems(block(line), active=active)


def test_what_must_be_gone_is_found() -> None:
    body = block("y = [v for v in d]")
    assert problems(body) == [] and problems(body, gone={n.ListComp}) == ["ListComp is no expression of the core form"]


def test_a_node_with_two_parents_is_found() -> None:
    shared = n.Name("x", n.Load(), None, None)
    body = [place(statement("y = 1.0"), HERE), place(n.Expr(n.Call(n.Name("f", n.Load(), None, None), [shared, shared], [])), HERE)]
    assert problems(body) == ["Name is a part of the tree twice"]
    body[0].value = body[1].value
    assert problems(body).count("Call is a part of the tree twice") == 1


def test_a_statement_without_a_place_and_a_target_that_is_read_are_found() -> None:
    assert problems([statement("y = d")]) == ["it has no position"]
    assert problems([place(n.Assign([n.Name("y", n.Load(), None, None)], n.Constant(1.0, None), None), HERE)]) == [
        "its target is read, not bound",
    ]


def test_the_grammar_names_what_there_is() -> None:
    for kind, fields in CORE.items():
        assert set(fields) <= set(n.children[kind]), kind


def test_a_pass_that_breaks_the_form_is_found_in_every_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared node, a lambda that is left over, and an unbound name, planted in a stage."""
    assert verified.look_at_some in compiler.AFTER
    monkeypatch.setattr(verified, "is_looked_at", lambda function: True)
    recording = next(each for each in compiler.PIPELINE if each.name == "record_control_flow")

    def square(x: Any) -> Any:
        return np.sum(x * x)

    for planted, said in (("value = value + np.sin(lost)", "nothing binds lost"), ("value = (lambda v: v)(value)", "Lambda is no"),
                          ("value = value + value", "a part of the tree twice")):
        def broken(unit: Any, planted: str = planted) -> None:
            recording.run(unit)
            node = place(statement(planted), unit.body[-1])
            if planted == "value = value + value":
                node.value.right = node.value.left
            unit.body.append(node)

        stages = tuple(each._replace(run=broken) if each.name == recording.name else each for each in compiler.PIPELINE)
        monkeypatch.setattr(compiler, "PIPELINE", stages)
        with pytest.raises(InternalError, match=said):
            sourcediff.grad(square, mode="compiled")(np.ones(3))


def test_a_pass_that_leaves_what_should_be_gone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A with that is left over, and a shared node, planted in a row."""
    assert verified.look_at_rows_of_some in passes.AFTER.get()
    monkeypatch.setattr(verified, "is_looked_at", lambda function: True)

    def guarded(x: Any) -> Any:
        with np.errstate(all="ignore"):
            y = np.sqrt(x)
        return np.sum(y)

    def twice(block: list[n.stmt], frame: Any) -> list[n.stmt]:
        return [*block, block[0]]

    right = body.BODY
    for name, run, said in (("with_and_try", lambda block, frame: block, "there is still a With in guarded"),
                            ("mutating_calls", twice, "is a part of the tree of guarded twice")):
        table = tuple(row._replace(run=run) if row.name == name else row for row in right)
        monkeypatch.setattr(body, "BODY", table)
        with pytest.raises(InternalError, match=said):
            sourcediff.grad(guarded, mode="compiled")(np.ones(3))


def test_a_pass_is_a_row_with_a_docstring_and_a_module_of_its_name() -> None:
    for row in compiler.PIPELINE:
        assert row.says.endswith(".") and f"<{row.phase}/{row.name}: {row.says}>" == repr(row)
        if row.of != "program":
            places = f"frontend.{row.phase}", "core"  # where both front ends ask for it
            assert any(importlib.util.find_spec(f"sourcediff.{place}.{row.name}") for place in places), row


def test_a_pass_is_added_by_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """As CONTRIBUTING says: a function from tree to tree, and a row, which says what is gone after it."""
    monkeypatch.setattr(verified, "is_looked_at", lambda function: True)
    def asserted(block: list[n.stmt], frame: Any) -> list[n.stmt]:
        """Leave out assertions."""
        return [node for node in block if not isinstance(node, n.Assert)]

    def checked(x: Any) -> Any:
        assert np.all(x > 0)
        return np.sum(np.log(x))

    row = passes.Pass("desugar", "assertions", asserted, "body", frozenset({n.Assert}))
    before = sourcediff.gradient_source(checked)
    monkeypatch.setattr(body, "BODY", (row, *body.BODY))
    assert "assert" in before and "assert" not in sourcediff.gradient_source(checked)
    assert "# -- desugar/assertions, of checked: Leave out assertions." in sourcediff.explain(checked, passes=True)
    monkeypatch.setattr(body, "BODY", (row._replace(run=lambda block, frame: block), *body.BODY))
    with pytest.raises(InternalError, match="there is still a Assert in checked"):
        sourcediff.gradient_source(checked)


def test_every_module_of_the_front_end_is_a_pass_or_a_room_of_the_lowering() -> None:
    """Or what one of these is written with."""
    rows = {f"{row.phase}.{row.name}" for row in compiler.PIPELINE}
    rooms = {type(room).__module__.partition("frontend.")[2] for room in vars(Lowering(Scope(), {}, None, INSIDE)).values()}
    folder = Path(passes.__file__).parent
    modules = {".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.glob("*/[a-z]*.py")}
    assert modules - rows - rooms == PARTS


PARTS = {
    "desugar.comprehension_loops", "desugar.index_tricks", "desugar.numpy_functions", "lower.certain_lists", "lower.forms",
}
"""Modules that passes and rooms are written with."""
