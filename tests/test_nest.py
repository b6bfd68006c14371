"""The pass that puts values where they are used: what no function of the corpus happens to bring about."""

from sourcediff.core.tidy.inline_temporaries import Inline
from sourcediff.syntax import nodes as n
from sourcediff.syntax.text import to_source

LONG = " + ".join(f"a * b{k}" for k in range(6))


def test_a_value_that_is_too_long_is_not_passed_over_for_an_earlier_one():
    """The second ``x_bar`` does not fit where it is used; the first, which does, is not the one that is used there."""
    lines = ["x_bar = p * q", f"x_bar = x_bar + {LONG}", "y_bar = 0.9 * x_bar * r", "return y_bar"]
    made = Inline({"x_bar"}, {"x_bar", "y_bar"}, lambda tree: True).block(n.parse("\n".join(lines)).body)
    assert [to_source(node) for node in made] == lines
