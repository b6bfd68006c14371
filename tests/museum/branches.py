"""Branches, and what is defined or constant in one of them."""

import numpy as np

from tests.corpus.case import number

from .exhibit import exhibit, given


def constant_first(x):
    """Swapping the branches broke the text: TypeError; the other way round it ran."""
    if x <= 0:
        y = 2
    else:
        y = x + 2
    return y


exhibit(constant_first, "google/tangent#82", number(1.5))


def diagonal_entry_in_one_trip(d, n):
    """A name of the generated code that nobody had bound: NameError."""
    s = np.zeros((n, n))
    for i in range(n):
        s[i, 2] = 1.0
        if i == 2:
            s[i, i] += d[i]
    return np.sum(s**3)


exhibit(diagonal_entry_in_one_trip, "google/tangent#69", given([0.5, -0.3, 0.8, 0.1]), given(4, differentiable=False))


def logarithm_of_summed_exponentials(a):
    """The largest entry found by a loop: the gradient was zero."""
    result = 0.0
    largest = a[0]
    for i in range(1, len(a)):
        if a[i] > largest:
            largest = a[i]
    for i in range(len(a)):
        result += np.exp(a[i] - largest)
    return np.log(result) + largest


exhibit(
    logarithm_of_summed_exponentials, "google/tangent#66", given([1.0, 2.0, 3.0, 4.0]),
    answer=np.exp([1.0, 2.0, 3.0, 4.0]) / np.sum(np.exp([1.0, 2.0, 3.0, 4.0])), second=True,
)


def power_of_a_compressor(w_in, w_out, ht_in, ht_out, eff, b1_w, b1_ht):
    """Values that are added to further down: a term of the gradient was missing."""
    ht = w_in / w_out * (ht_in * (1.0 - eff) + ht_out * eff)
    power = w_in * eff * (ht_in - ht_out) * 1.4148532
    ht += b1_w / w_out * (b1_ht * (1.0 - eff) + ht_out * eff)
    power += b1_w * eff * (b1_ht - ht_out) * 1.4148532
    return power


exhibit(power_of_a_compressor, "google/tangent#64", *map(number, (30.0, 31.0, 2.0, 1.2, 0.9, 1.5, 1.7)))


def bounded(x, lower, upper):
    """A logarithm between bounds, as a callee with flags: the Jacobian was zero."""
    has_upper = np.isfinite(upper)
    if lower and has_upper:
        return np.log(x / upper), 0.0
    elif lower:
        return np.log(x), 0.0
    return x, 0.0


def first_of_a_pair(x):
    """The caller of :func:`bounded`."""
    y = bounded(x, True, 1.0)
    return y[0]


exhibit(first_of_a_pair, "EnzymeAD/Enzyme.jl#2987", number(0.5))


def scaled_where_small(vec):
    """1.5 for 1 in forward mode: an argument of a constructor that does nothing."""
    x = vec[0]
    limit = {"unused": 0.0, "b": 1.0}
    return x * limit["b"] if x <= limit["b"] else 0.0 * x


exhibit(scaled_where_small, "EnzymeAD/Enzyme.jl#1595", given([0.5]))


def never_used(c, a):
    """An invalid value that nobody reads made every derivative NaN."""
    unused = np.arccos(-c / a)  # noqa: F841
    return 2 * c * c * a


exhibit(never_used, "vgvassilev/clad#1108", number(5.0), number(3.0), answer=(60.0, 50.0))


def one_of_several(c, x):
    """A constant in one of the cases made the whole choice constant: 0 for −sin x."""
    cases = [np.sin(x), np.cos(x), 0.0]
    return cases[c]


exhibit(one_of_several, "casadi/casadi#1553", given(1, differentiable=False), number(0.7))


def beyond_ten(x):
    """A branch that does not depend on x: a derivative that could not be evaluated."""
    return x if x > 10 else 0


exhibit(beyond_ten, "casadi/casadi#1792", number(11.0))


def both_sides_of_a_loop(x, limit):
    """Loop, branch, and a table that is read: each alone worked."""
    table = np.array([0.3, 0.5, 0.7])
    total = 0.0
    for i in range(3):
        if x[i] > limit:
            total += table[i] * x[i] ** 2
    return total


exhibit(both_sides_of_a_loop, "taichi-dev/taichi#4226", given([0.2, 0.9, 1.4]), number(0.5))


def not_on_the_way(x):
    """A function that does not depend on its argument: second derivatives failed."""
    return 42.0


exhibit(not_on_the_way, "JuliaDiff/DifferentiationInterface.jl#1013", given([1.0, 2.0, 3.0]))
