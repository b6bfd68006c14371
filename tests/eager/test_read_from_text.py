"""Numbers that are made of a value by way of text, or of numbers without derivatives: refused, never detached in silence."""

from __future__ import annotations

import decimal
import fractions
import json
import math
import re
import statistics
import struct
from array import array
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

CONTEXT = decimal.Context(prec=8)
CREATE = CONTEXT.create_decimal


def locally(x):
    with decimal.localcontext() as context:
        return float(context.create_decimal(str(x))) * x


def rounded_to_thirds(x):
    with decimal.localcontext(ctx=CONTEXT) as context:
        context.prec = 3
        third = decimal.Decimal(1) / decimal.Decimal(3)
        assert type(context) is decimal.Context and isinstance(context.copy(), decimal.Context) and decimal.getcontext().prec == 3
    return float(third) * x * x


def by_settings(x):
    before = decimal.getcontext()
    decimal.setcontext(decimal.Context(prec=4))
    root = decimal.Decimal(2).sqrt()
    decimal.setcontext(before)
    return float(root) * x * x + float(Decimal("2.345678").quantize(Decimal("0.01"), context=CONTEXT)) * x + 0.65 * x


LOSING = {
    "text in a new context": lambda x: float(decimal.Context(prec=10).create_decimal(str(x))) * x,
    "text in the context at hand": lambda x: float(decimal.getcontext().create_decimal(repr(x)) * 2) * x,
    "text in a global context": lambda x: np.float64(CONTEXT.create_decimal(f"{x:.5f}")) * x,
    "text in a method of a context": lambda x: float(CREATE(str(x))) * x,
    "text in a local context": locally,
    "complex of an f-string": lambda x: complex(f"{x}").real * x,
    "complex of repr": lambda x: (complex(f"{x!r}") * 1j).imag * x,
    "complex of joined text": lambda x: complex(str(x) + "+0j").real * x,
    "complex128 of text": lambda x: np.complex128(str(x)).real * x,
    "Decimal of str": lambda x: float(Decimal(str(x))) * x,
    "Decimal of an f-string": lambda x: float(decimal.Decimal(f"{x:.20f}")) * x,
    "Decimal": lambda x: float(Decimal(x)) * x,
    "Decimal.from_float": lambda x: float(Decimal.from_float(x)) * x,
    "Decimal of a context": lambda x: float(decimal.getcontext().create_decimal(x)) * x,
    "Fraction": lambda x: float(Fraction(x)) * x,
    "Fraction of str": lambda x: float(fractions.Fraction(str(x))) * x,
    "Fraction.from_float": lambda x: float(Fraction.from_float(x)) * x,
    "Fraction times a value": lambda x: float(Fraction(1, 3) * Fraction(x)),
    "float of str": lambda x: float(str(x)) * x,
    "float of format": lambda x: float(format(x, ".17g")) * x,
    "float of %": lambda x: float("%.6g" % x) * x,  # noqa: UP031
    "float of text that is cut": lambda x: float(str(x)[:5]) * x,
    "float of text with an exponent": lambda x: float(f"{x}e3") * x,
    "float of text with a sign": lambda x: float(f"-{x}") * x,
    "float of text that is searched": lambda x: float(re.sub("[^0-9.]", "", f"<{x}>")) * x,
    "float64 of str": lambda x: np.float64(str(x)) * x,
    "eval of text": lambda x: eval(f"{x} ** 2") * x,
    "json": lambda x: json.loads(json.dumps(x)) * x,
    "struct": lambda x: struct.unpack("d", struct.pack("d", x))[0] * x,
    "array.array": lambda x: array("d", [x])[0] * x,
    "hex": lambda x: float.fromhex(x.hex()) * x,
    "as_integer_ratio": lambda x: x.as_integer_ratio()[0] * x,
    "bytes": lambda x: np.frombuffer(np.float64(x).tobytes())[0] * x,
    "statistics.mean": lambda x: statistics.mean([x, 1.0]) * x,
    "statistics.fmean": lambda x: statistics.fmean([x, 1.0]) * x,
    "statistics.stdev": lambda x: statistics.stdev([x, 1.0]) * x,
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("name", LOSING)
def test_what_would_lose_the_gradient_is_refused(name):
    for mode in ("eager", "auto", "compiled"):
        with pytest.raises(SourcediffError):
            print(mode, sourcediff.grad(LOSING[name], mode=mode)(1.23456))  # shown where it fails


KEEPING = {
    "a local context": (rounded_to_thirds, 0.666, 0.0),
    "contexts that are set and given": (by_settings, 2.828, 3.0),
    "constants made in a context": (lambda x: float(CONTEXT.create_decimal("2.5")) * x**2 + len(str(x)) * 0.0, 5.0, 0.0),
    "exact numbers that are constants": (lambda x: float(Fraction(1, 3) + Fraction("1/3")) * x**2 + float(Decimal("1.5")) * x, 4 / 3, 1.5),
    "their classes": (
        lambda x: x**2 if isinstance(Fraction(1, 2), Fraction) and type(Decimal(1)) is Decimal and Fraction(1, 2) == 0.5 else x, 2.0, 0.0),
    "made by way of their classes": (lambda x: float(Decimal.from_float(1.5).quantize(Decimal("1.0"))) * x**2, 3.0, 0.0),
    "numbers in other text": (lambda x: float("2.5") * x + len(f"{x:.3f}") * x + float("1e-3") * x**2, 2e-3, 7.5),
    "an integer, which is piecewise constant": (lambda x: int(x) * x**2, 2.0, 0.0),
    "NumPy's floats": (lambda x: np.float64(x) ** 2 + np.complex128(x).real, 2.0, 1.0),
    "math.fsum": (lambda x: math.fsum([x, x * x, 3.0]), 2.0, 1.0),
    "math.prod": (lambda x: math.prod([x, 3.0, x]), 6.0, 0.0),
    "the median": (lambda x: statistics.median([x, 0.0, 9.0]) ** 2, 2.0, 0.0),
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto"])
@pytest.mark.parametrize("name", KEEPING)
def test_what_keeps_it_is_right(name, mode):
    function, square, linear = KEEPING[name]  # the slope is square * x + linear
    np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(1.25), square * 1.25 + linear, rtol=1e-12)
