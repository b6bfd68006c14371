"""``explain``: the text after every stage, readable as Python."""

from __future__ import annotations

import ast
import io
import re
import threading
import tokenize

import numpy as np
import pytest

import sourcediff
from sourcediff import UnknownParameterError
from sourcediff.api.explain import UNCHANGED
from sourcediff.compiler.pipeline import PIPELINE, program_passes
from sourcediff.frontend.passes import AFTER
from tests.corpus import CASES
from tests.golden.experts import EXPERTS, arguments, heat, huber, loss, newton_sqrt


def stages(text: str) -> dict[str, str]:
    """The part under each heading."""
    parts = re.split(r"^# -- \w+/(\w+): .+\n", text, flags=re.MULTILINE)
    assert parts[0] == ""
    return dict(zip(parts[1::2], parts[2::2]))


@pytest.mark.parametrize("name", EXPERTS)
@pytest.mark.parametrize("specialised", [False, True])
def test_every_stage_is_shown_and_is_python(name, specialised):
    program, _, wrt, _ = EXPERTS[name]
    text = sourcediff.explain(program, wrt, args=arguments(name) if specialised else None)
    assert list(tokenize.generate_tokens(io.StringIO(text).readline))
    shown = stages(text)
    assert list(shown) == [each.name for each in program_passes()]
    for part in shown.values():
        if part.strip() == UNCHANGED:
            continue
        (function,) = [node for node in ast.parse(part).body if isinstance(node, ast.FunctionDef)]
        assert function.body


@pytest.mark.parametrize("case", CASES[::50], ids=lambda case: case.name)
def test_functions_of_all_sorts_are_explained(case):
    try:
        text = sourcediff.explain(case.function, case.wrt)
    except sourcediff.AliasingError:
        return
    except sourcediff.UnsupportedSyntaxError:  # how many a star stands for is known of given arguments only
        text = sourcediff.explain(case.function, case.wrt, args=case.make()[0])
    assert all(ast.parse(part) for part in stages(text).values())


def test_each_heading_says_what_the_pass_does():
    text = sourcediff.explain(heat)
    for each in program_passes():
        assert f"# -- {each.phase}/{each.name}: {each.run.__doc__.splitlines()[0]}\n" in text


def test_the_last_stage_is_the_module_that_is_written():
    args = arguments("heat")
    assert stages(sourcediff.explain(heat, args=args))["write"].strip() == sourcediff.gradient_source(heat, args=args).strip()


def test_the_normal_form_computes_what_the_function_does():
    for program, name in ((loss, "loss"), (huber, "huber"), (newton_sqrt, "newton_sqrt")):
        namespace = {"np": np}
        exec(stages(sourcediff.explain(program, args=arguments(name)))["output"], namespace)
        assert namespace[name](*arguments(name)) == program(*arguments(name))


def test_the_facts_stand_beside_the_statements():
    facts = stages(sourcediff.explain(heat, args=arguments("heat")))["values"]
    assert "# c: Python number of float64" in facts
    assert re.search(r"t1 = u\[1:-1\] +# t1: array of float64, max\(0, u\.0 - 2\)", facts)
    assert re.search(r"for k in range\(steps\): +# k: Python number of int64", facts)
    assert "experts.py" not in facts


def test_without_arguments_less_is_known():
    assert "# u: unknown" in stages(sourcediff.explain(heat))["values"]


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(UnknownParameterError):
        sourcediff.explain(heat, "velocity")


def test_the_pipeline_is_a_tuple_that_can_be_printed_and_sliced():
    assert [each.name for each in PIPELINE if each.phase == "tidy"] == ["dead_code", "inline_temporaries", "two_functions"]
    assert all(f"{each.phase}/{each.name}: {each.run.__doc__.strip().splitlines()[0]}" in str(each) for each in PIPELINE)
    assert "lower/lowering" in repr(PIPELINE)


def folded(v):
    if v.sum() > 3:
        return v
    return v * 2


def with_passes(x):
    with np.errstate(all="ignore"):
        y = np.zeros(3)
        np.copyto(y, x)
    for i in range(3):
        if i == 1:
            continue
        y = folded(y) * x
    return np.sum(y)


def test_the_passes_are_shown_that_change_something_of_the_function_and_of_what_it_calls():
    text = sourcediff.explain(with_passes, args=(np.ones(3),), passes=True)
    headings = re.findall(r"^# -- \w+/(\w+)(?:, of (\w+))?: ", text, flags=re.MULTILINE)
    of = "with_passes"
    assert headings[:4] == [("source", ""), ("with_and_try", of), ("single_exit", of), ("mutating_calls", of)]
    assert [name for name, function in headings if not function] == [each.name for each in program_passes()]
    parts = re.split(r"^# -- .+\n", text, flags=re.MULTILINE)[1:]
    assert all(ast.parse(part) is not None for part in parts)
    read, opened, unified, stored = parts[:4]
    assert "with np" in read and "with np" not in opened and "y.sum() > 3" in read and "folded" not in read
    assert "continue" in opened and "continue" not in unified
    assert "np.copyto(y, x)" in unified and "y[...] = x" in stored
    stages_alone = [part for part, (_, function) in zip(parts, headings) if not function]
    without = re.split(r"^# -- .+\n", sourcediff.explain(with_passes, args=(np.ones(3),)), flags=re.MULTILINE)[1:]
    assert [part.strip() for part in stages_alone] == [part.strip() for part in without]


def test_what_another_thread_compiles_meanwhile_is_not_shown():
    def meanwhile():
        sourcediff.gradient_source(folded)

    def look(row, body, source):
        if row.name == "single_exit" and source.tree.name == "with_passes":
            seen.append(row)
            thread = threading.Thread(target=meanwhile)
            thread.start()
            thread.join()

    seen = []
    token = AFTER.set((*AFTER.get(), look))
    try:
        text = sourcediff.explain(with_passes, args=(np.ones(3),), passes=True)
    finally:
        AFTER.reset(token)
    assert seen and ", of folded: " not in text
