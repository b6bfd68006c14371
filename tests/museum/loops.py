"""Loops: what is carried from trip to trip, how many trips there are, what stands before and after."""

import numpy as np

from tests.corpus.case import array, count, number, positive

from .exhibit import exhibit, given


def plastic_strain(theta, modulus, limit):
    """A return map that reads e[i] and writes e[i + 1] under a branch: 4.8 times the gradient, and the checker saw nothing."""
    n = 12
    strain = np.zeros(n + 1)
    accumulated = 0.0
    for i in range(n):
        trial = modulus * (theta * np.sin(2 * np.pi * i / n) - strain[i])
        d = 0.0
        if abs(trial) > limit:
            d = (abs(trial) - limit) / modulus
            accumulated += d
        if trial > 0:
            strain[i + 1] = strain[i] + d
        else:
            strain[i + 1] = strain[i] - d
    return accumulated


exhibit(plastic_strain, "taichi-dev/taichi#8802", number(0.45), number(10.0), number(2.0))


def exponential_average(x, decay):
    """Each entry depends on the one before it."""
    average = np.zeros(len(x))
    average[0] = x[0]
    for i in range(1, len(x)):
        average[i] = decay * average[i - 1] + (1 - decay) * x[i]
    return np.sum(average**2)


exhibit(exponential_average, "taichi-dev/taichi#2425", array("n"), number(0.7))


def every_entry_to_every_entry(x, y):
    """``x[i] += y[j]`` in two loops: 1 for 5; with the inner sum in a variable it was right."""
    for i in range(len(x)):
        for j in range(len(y)):
            x[i] += y[j]
    return np.sum(x)


exhibit(every_entry_to_every_entry, "taichi-dev/taichi#8356", array("5"), array("3"))


def exchanged_in_each_trip(x):
    """The adjoints were exchanged one after the other, and one got lost: nothing for 2."""
    a, b = x, 2 * x
    for _ in range(3):
        a, b = b, a
    return a


exhibit(exchanged_in_each_trip, "FluxML/Zygote.jl#1198 FluxML/Zygote.jl#1637", number(1.0))


def three_buffers_in_turn(v, c, steps):
    """A Chebyshev recurrence that rotates three arrays: the original of that report."""
    v0, v1 = v, c * v
    for _ in range(steps):
        v2 = 2 * c * v1 - v0
        v0, v1 = v1, v2
    return np.sum(v1**2)


exhibit(three_buffers_in_turn, "FluxML/Zygote.jl#1198", array("3"), number(0.4), count("n"))


def bound_of_an_integral(lower, upper):
    """The loop runs from one parameter to the other: 0 and 0."""
    total = 0.0
    interval = 0.25
    x = lower
    while x <= upper:
        total += x * x * interval
        x += interval
    return total


exhibit(bound_of_an_integral, "vgvassilev/clad#474", number(1.03), number(2.1))


def divisor_in_a_sum(p):
    """1 / (x + a²) written inline was saved twice and never read back; with a name for the divisor it was right."""
    total = 0.0
    for i in range(2):
        x = i + 1.0
        total += 1.0 / (x + p * p)
    return total


exhibit(divisor_in_a_sum, "vgvassilev/clad#1865", number(0.7))


def rotations_along_a_chain(q, starts):
    """Two loops whose bounds are known at run time alone: twice the gradient."""
    c, s = 1.0, 0.0
    total = 0.0
    for branch in range(len(starts) - 1):
        for i in range(starts[branch], starts[branch + 1]):
            c, s = c * np.cos(q[i]) - s * np.sin(q[i]), s * np.cos(q[i]) + c * np.sin(q[i])
        total += c + 2.0 * s
    return total


exhibit(rotations_along_a_chain, "NVIDIA/warp#1293", array("5"), given([0, 2, 5], differentiable=False))


def used_before_and_after(x, s, n):
    """A value from before a loop of unknown length that is used after it: its adjoint was zero."""
    area = x[0] * x[1]
    stress = 0.0
    for k in range(n):
        stress += s[k] ** 2
    return area * stress


exhibit(used_before_and_after, "NVIDIA/warp#1694", array("2"), array("4"), given(4, differentiable=False))


def power_by_multiplication(x):
    """∂body/∂acc depends on x: 1.25 for 1, at 0.5."""
    acc = 1.0
    i = 0
    while i < 2:
        acc = acc * x
        i += 1
    return acc


exhibit(power_by_multiplication, "elixir-nx/nx#1747", number(0.5))


def power_with_a_condition(x, n):
    """Three times the gradient: a condition inside of a scan."""
    value = 1.0
    going = True
    for i in range(6):
        if going:
            value = value * x
            going = i + 1 < n
    return value


exhibit(power_with_a_condition, "jax-ml/jax#5900", number(3.0), given(4, differentiable=False))


def upper_triangle(x):
    """The inner loop starts where the outer one stands; ``np.arange`` in place of ``range``: an error."""
    total = 0
    rows, cols = x.shape
    for i in np.arange(rows):
        for j in np.arange(i, cols):
            total = total + x[i, j] ** 2
    return total


exhibit(upper_triangle, "google/tangent#31", array("3 4"))


def last_layer(x):
    """``can't assign to literal``."""
    for f in range(np.shape(x)[2]):
        r = x[:, :, f]
    return np.sum(r**2)


exhibit(last_layer, "google/tangent#56", array("2 3 2"))


def appended_in_a_loop(x):
    """``Failed to resolve name``."""
    values = []
    for i in range(5):
        values.append(x * i)
    return values[1] * values[2] + values[4]


exhibit(appended_in_a_loop, "google/tangent#57", number(0.3))


def numbered(x):
    """``enumerate``: TypeError, and a result that does not depend on the loop."""
    elem = -1
    for r, row in enumerate(x):
        elem = r * np.sum(row)
    return elem


exhibit(numbered, "google/tangent#58", array("3 2"))


def a_sum_over_time(x, us, a, b):
    """A rollout: no reverse mode for ``fori_loop``."""
    outs = np.zeros((len(us), len(x)))
    for t in range(len(us)):
        x = a @ x + b @ us[t]
        outs[t] = x
    return np.sum(np.square(outs))


exhibit(a_sum_over_time, "jax-ml/jax#1954", array("2"), array("4 2"), array("2 2"), array("2 2"))


def columns_added(w, x):
    """Results collected in an array of arrays, then joined: undefined reference."""
    result = []
    for i in range(x.shape[1]):
        result.append(w[:, i] + x[:, i] ** 2)
    joined = np.stack(result)
    return np.sum(joined**2)


exhibit(columns_added, "FluxML/Zygote.jl#148", array("2 3"), array("2 3"))


def each_in_a_list(x, params):
    """Forward mode changed its own argument between the parameters: 0.152 for 0.076."""
    for p in params:
        x = np.cos(x + p)
    return np.sum(x)


exhibit(each_in_a_list, "EnzymeAD/Enzyme.jl#701", given([1.0]), given([1.0, 0.5]))


def advected(u, v, dt):
    """Advection across components: wrong signs."""
    for _ in range(2):
        un = u.copy()
        vn = v.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - dt * (
            un[1:-1, 1:-1] * (un[1:-1, 2:] - un[1:-1, :-2]) + vn[1:-1, 1:-1] * (un[2:, 1:-1] - un[:-2, 1:-1])
        )
        v[1:-1, 1:-1] -= dt * vn[1:-1, 1:-1] * (vn[2:, 1:-1] - vn[:-2, 1:-1])
    return np.sum(u**2) + np.sum(u * v)


exhibit(advected, "NVIDIA/warp#1472", array("4 4"), array("4 4"), number(0.1))


def weights_of_a_loop_summed(x, n):
    """A loop within a loop that is long was an illegal access to memory."""
    total = 0.0
    for i in range(3):
        weight = 0.0
        for j in range(n):
            weight += x[i] / (j + 1.0)
        total += weight**2
    return total


exhibit(weights_of_a_loop_summed, "taichi-dev/taichi#8027", positive("3"), given(200, differentiable=False))
