"""Tuples of words that a class holds, as names of what is differentiated, where the object is given."""

from typing import ClassVar

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError


class Growth:
    names = ("rate", "scale")

    def loss(self, theta):
        given = dict(zip(self.names, theta))
        return given["rate"] * given["scale"] ** 2


class Turned(Growth):
    names = ("scale", "rate")


class Listed(Growth):
    names: ClassVar = ["scale", "rate"]


class Asked(Growth):
    @property
    def names(self):
        return ("scale", "rate")


THETA = np.array([2.0, 3.0])
AS_SAID, TURNED = [9.0, 12.0], [12.0, 4.0]


def loss_of(model, theta):
    return model.loss(theta)


@pytest.mark.parametrize("kind, expected", [(Growth, AS_SAID), (Turned, TURNED), (Asked, TURNED)])
def test_the_class_of_the_object_decides(kind, expected):
    np.testing.assert_allclose(sourcediff.grad(kind().loss, mode="compiled")(THETA), expected)
    np.testing.assert_allclose(sourcediff.grad(loss_of, 1, mode="compiled")(kind(), THETA), expected)


def test_a_list_is_not_taken_for_the_tuple_that_it_hides():
    np.testing.assert_allclose(sourcediff.grad(loss_of, 1, mode="eager")(Listed(), THETA), TURNED)
    with pytest.raises(SourcediffError, match="a key is not known"):
        sourcediff.grad(loss_of, 1, mode="compiled")(Listed(), THETA)


def test_what_changes_between_calls_is_seen(monkeypatch):
    model = Growth()
    slope = sourcediff.grad(loss_of, 1, mode="compiled")
    np.testing.assert_allclose(slope(model, THETA), AS_SAID)
    monkeypatch.setattr(Growth, "names", ("scale", "rate"))
    np.testing.assert_allclose(slope(model, THETA), TURNED)
    model.names = ("rate", "scale")
    np.testing.assert_allclose(slope(model, THETA), AS_SAID)
