"""Running generated text: it is seen by Python's tools, and its errors name the user's line."""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback

import pytest

from sourcediff.backends.python import annotate, execute, origin, source_head

USER = """\
import numpy as np


def heat(u, c):
    u[1:-1] += c * 2
    helper(c)
    return u
"""

GENERATED = """\
def heat_grad(u, c):
    u_bar = 2 * u  # heat.py:5
    t_bar = (
        c
        / 0)  # heat.py:6
    return t_bar


def other(u):
    raise ValueError("no provenance here")


def alone(u):  # heat.py:4
    # heat.py:6
    first = u[0]
    return first
"""


@pytest.fixture
def text(tmp_path) -> str:
    user = tmp_path / "my heat" / "heat.py"
    user.parent.mkdir()
    user.write_text(USER)
    return source_head({"heat.py": str(user)}) + GENERATED


@pytest.fixture
def run(text, tmp_path):
    return execute(text, str(tmp_path / "heat_grad.py"))


def notes(error: BaseException) -> list[str]:
    """What is printed with the error beside its own first line."""
    return [line for line in "".join(traceback.format_exception(error)).splitlines() if line.startswith("while ")]


def raised(call, *arguments) -> Exception:
    with pytest.raises(Exception) as caught:
        call(*arguments)
    annotate(caught.value)
    return caught.value


def test_the_namespace_knows_its_file(run, tmp_path):
    assert run["__file__"] == str(tmp_path / "heat_grad.py")
    assert run["heat_grad"].__module__ == "sourcediff.generated.heat_grad"


def test_tools_see_the_text(run, text):
    assert inspect.getsource(run["alone"]).startswith("def alone(u):")
    linecache.checkcache()
    assert inspect.getsource(run["alone"]).startswith("def alone(u):")
    assert "/ 0)  # heat.py:6" in text


def test_future_imports_of_the_library_do_not_leak_in():
    assert execute("def f(x: int): pass\n", "<sourcediff f_0>")["f"].__annotations__ == {"x": int}


def test_a_syntax_error_comes_through():
    with pytest.raises(SyntaxError):
        execute("def f(:\n", "<sourcediff f_1>")


def test_an_error_names_the_users_line(run):
    assert notes(raised(run["heat_grad"], None, 1)) == ["while differentiating heat.py:5: u[1:-1] += c * 2"]


def test_a_statement_of_several_lines_has_its_comment_at_its_end(run):
    assert notes(raised(run["heat_grad"], 1, 1)) == ["while differentiating heat.py:6: helper(c)"]


def test_a_comment_line_above_counts(run):
    assert notes(raised(run["alone"], ())) == ["while differentiating heat.py:6: helper(c)"]


def test_an_error_below_generated_code_names_the_line_that_called(tmp_path, text):
    def helper(c):
        raise ValueError("too cold")

    made = execute(text + "\n\ndef calls(c, helper):\n    return helper(c)  # heat.py:6\n", str(tmp_path / "calls.py"))
    error = raised(made["calls"], 1, helper)
    assert notes(error) == ["while differentiating heat.py:6: helper(c)"]
    assert str(error).startswith("too cold")


def test_no_line_is_made_up(run):
    assert notes(raised(run["other"], 1)) == []


def test_an_error_elsewhere_stays_as_it_is():
    error = raised(int, "x")
    assert notes(error) == []
    assert error.args == ("invalid literal for int() with base 10: 'x'",)


def test_an_error_is_annotated_once(run):
    error = raised(run["alone"], ())
    annotate(error)
    annotate(error)
    assert len(notes(error)) == 1


def test_the_key_of_a_key_error_stays_a_key(run):
    error = raised(run["alone"], {})
    assert isinstance(error, KeyError) and error.args == (0,)
    error = raised(execute("def f(d):  # a.py:1\n    return d['x']\n# source: a.py = /a.py\n", "<sourcediff k_0>")["f"], {})
    assert error.args == ("x",)
    assert error.__notes__ == ["while differentiating a.py:1"]


def test_an_interrupt_is_nobodys_line():
    def interrupt():
        raise KeyboardInterrupt

    made = execute("# source: a.py = /a.py\ndef f(g):\n    g()  # a.py:1\n", "<sourcediff i_0>")
    with pytest.raises(KeyboardInterrupt) as caught:
        made["f"](interrupt)
    annotate(caught.value)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.skipif(sys.version_info >= (3, 11), reason="from 3.11 on Python prints notes itself")
def test_on_3_10_the_message_grows(run):
    assert str(raised(run["alone"], ())).endswith("\nwhile differentiating heat.py:6: helper(c)")


def test_a_file_that_is_gone_still_has_a_name():
    text = source_head({"gone.py": "/nowhere/gone.py"}) + "a = 1  # gone.py:3\n"
    assert str(origin(text, 2)) == "gone.py:3"


def test_labels_with_colons_and_spaces(tmp_path):
    text = source_head({"<ipython-input-3-ab>": "<ipython-input-3-ab>", "a b.py": "/x/a b.py"})
    text += "a = 1  # <ipython-input-3-ab>:7\nb = 2  # a b.py:9\nc = '# a b.py:10'\n"
    assert origin(text, 3)[::2] == ("<ipython-input-3-ab>", 7)
    assert origin(text, 4)[::2] == ("a b.py", 9)
    assert origin(text, 5)[::2] == ("a b.py", 9)


def test_a_hostile_file_name_stays_in_its_comment():
    head = source_head({"a.py": "/tmp/a\nimport os\r\x0cos.abort()\u2028/a.py"})
    assert len(head.splitlines()) == 1 and head.startswith("# source: a.py = ")
