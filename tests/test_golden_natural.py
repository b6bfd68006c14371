"""Natural programs: the generated text is the stored one, and gives what an expert's gradient gives.

``python -m pytest tests/test_golden_natural.py --update-golden`` stores the texts anew; the difference is then to be reviewed as prose.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sourcediff
from tests.golden.natural import NATURAL, arguments

ROOT = Path(__file__).parents[1]
each = pytest.mark.parametrize("name", NATURAL)


@each
def test_the_text_is_the_stored_one(name, request):
    program, _, wrt, value = NATURAL[name]
    path = ROOT / "tests" / "golden" / f"natural_{name}.py"
    text = sourcediff.gradient_source(program, wrt, args=arguments(name), value=value).replace(f"{ROOT}/", "")
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@each
@pytest.mark.parametrize("size", [2, 3, 6, 11])
def test_it_gives_what_the_expert_s_gives(name, size):
    program, by_hand, wrt, value = NATURAL[name]
    transform = sourcediff.value_and_grad if value else sourcediff.grad
    for mode in ("compiled", "eager"):
        args = arguments(name, size)
        found, expected = transform(program, wrt, mode=mode)(*args), by_hand(*arguments(name, size))
        np.testing.assert_allclose(sourcediff.ravel(found)[0], sourcediff.ravel(expected)[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(sourcediff.ravel(args[1:])[0], sourcediff.ravel(arguments(name, size)[1:])[0])
