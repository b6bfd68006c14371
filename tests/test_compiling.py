"""The compiler as a guest in a process: it leaves the garbage collector as it found it."""

import gc

import numpy as np
import pytest

from sourcediff import grad
from sourcediff.errors import MissingRuleError


def plain(x):
    return np.sum(x ** 2)


def without_rule(x):
    return np.sum(np.spacing(x))


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_on_or_off_as_before(enabled):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        grad(plain, mode="compiled")(np.ones(2))
        assert gc.isenabled() is enabled
        with pytest.raises(MissingRuleError):
            grad(without_rule, mode="compiled")(np.ones(2))
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
