"""Arrays that are changed in place: what the reverse sweep needs is no longer there, or an adjoint outlives its value."""

import numpy as np

from tests.corpus.case import array, number

from .exhibit import exhibit, given


def read_then_overwritten(x, b):
    """The reverse sweep read b as it was left: a gradient of 110 for x[1], where it is 10."""
    y = x[1] * b[0]
    b[0] += 100
    return y


exhibit(read_then_overwritten, "NVIDIA/warp#947", array("4"), given([10.0]))


def overwritten_by_a_function_of_itself(x, theta):
    """An element that is read and then stored into: refused by a rule that users have to know, or wrong."""
    x[0] = np.cos(theta) * x[0]
    return x[0] * x[1]


exhibit(overwritten_by_a_function_of_itself, "taichi-dev/taichi#2505", array("3"), number(0.7))


def component_added_to_itself(x):
    """``v[i] = v[i] + x`` counted each earlier store twice per later one, and ``v[i] += x`` did not: 3.75ⁿ over n launches."""
    v = np.zeros(3)
    v[0] = v[0] + x[0]
    v[0] = v[0] + x[1]
    v[0] = v[0] + x[2]
    v[0] += x[0] * x[1]
    return v[0] * v[0]


exhibit(component_added_to_itself, "NVIDIA/warp#1697", array("3"))


def written_twice(a, b):
    """The first value never gets out, but its adjoint did: 2 for a, where it is 0."""
    y = np.zeros(4)
    for i in range(4):
        y[i] = 2.0 * a[i]
    for i in range(4):
        y[i] = 3.0 * b[i]
    return np.sum(y)


exhibit(written_twice, "NVIDIA/warp#1062", array("4"), array("4"))


def copied_and_read_again(x):
    """The adjoint of a copy was assigned to its source, which had been given another one: the gradient came out zero."""
    y = np.zeros_like(x)
    y[:] = x
    return np.sum(y**2) + 2.0 * np.sum(x)


exhibit(copied_and_read_again, "NVIDIA/warp#1728", array("4"))


def copied_over_a_dead_value(x, z):
    """The copy did not consume the adjoint of what it overwrote: a phantom gradient through a dead store."""
    y = 5.0 * x
    np.copyto(y, z)
    return np.sum(y**2)


exhibit(copied_over_a_dead_value, "NVIDIA/warp#1728", array("4"), array("4"))


def one_entry_replaced(t, value):
    """Asked by a user who took the zero for a mistake: what is overwritten has no gradient."""
    a = t * t
    a[0] = value
    return a.sum()


exhibit(one_entry_replaced, "pytorch/pytorch#61946", given([1.0, 2.0, 3.0, 4.0]), number(5.0))


def entry_of_a_saved_result_replaced(a):
    """An error for one spelling of the sigmoid, which saves its result, and none for another."""
    b = 1.0 / (np.exp(-a) + 1.0)
    b[1] = 2.0
    return np.sum(b * b)


exhibit(entry_of_a_saved_result_replaced, "pytorch/pytorch#9391", given([1.0, 2.0, 3.0]))


def one_entry_from_its_neighbour(x):
    """Refused: one version counter for the whole buffer, though the entries are different ones."""
    a = x.copy()
    a[0] = np.sin(a[1])
    return a.sum()


exhibit(one_entry_from_its_neighbour, "pytorch/pytorch#114505", given([1.0, 2.0]))


def row_times_itself_stored(x, factors):
    """``x[0] *= v`` ran, ``x[0] = x[0] * v`` did not: the slice that the product had saved was overwritten."""
    x[0, :, 0] = x[0, :, 0] * factors
    return np.mean(x**2)


exhibit(row_times_itself_stored, "pytorch/pytorch#55980", array("2 3 2"), array("3"))


def results_kept_in_a_buffer(param):
    """An array of zeros that is filled in a loop: ``setting an array element with a sequence``."""
    res = np.zeros(5)
    for m in range(5):
        res[m] = np.sum(param[m] * param[0])
    return np.sum(res)


exhibit(results_kept_in_a_buffer, "HIPS/autograd#177 HIPS/autograd#515", array("5 3"))


def block_of_a_buffer(a):
    """``float() argument must be a string or a number``."""
    b = np.zeros((4, 4))
    b[:2, :2] = a
    return (b @ b).sum()


exhibit(block_of_a_buffer, "HIPS/autograd#58", array("2 2"))


def columns_zeroed(w, x):
    """In place on one accelerator another gradient than on the next: norm 1519 for 2937."""
    h = x @ w
    h[:, :3] = 0
    return np.sum(h**2)


exhibit(columns_zeroed, "pytorch/xla#1718", array("m n"), array("2 m"))


def bias_added_in_place(x, bias):
    """``x += bias`` trained nothing, ``x = x + bias`` did."""
    x += bias
    return np.sum(x**2)


exhibit(bias_added_in_place, "pytorch/pytorch#9634", array("m n"), array("n"))


def product_into_a_workspace(y, features, beta):
    """A workspace that is no argument of the derivative: the gradient was zero, without a word."""
    storage = np.zeros(4)
    np.dot(features, beta, out=storage)
    storage[:] = y - storage
    return 0.5 * np.sum(storage**2)


exhibit(product_into_a_workspace, "EnzymeAD/Enzyme.jl#1340", array("4"), array("4 2"), array("2"))


def temporaries_used_again(u, p):
    """Temporaries that a closure keeps between calls: the gradient of u was dropped in reverse mode alone."""
    du = np.zeros(2)
    temporary = np.zeros(1)
    rate = np.zeros(1)
    temporary[:] = -p
    rate[:] = temporary * u[0]
    du[0] = u[1]
    du[1] = rate[0]
    return np.sum(du * np.array([2.0, 3.0]))


exhibit(temporaries_used_again, "EnzymeAD/Enzyme.jl#1492", given([1.0, 3.0]), given([1.0]))


def placed_under_a_mask(x, w):
    """Entries put among constants: an error, and ``concatenate`` as the only way round."""
    result = w.copy()
    np.place(result, np.array([True, True, False, True]), x)
    return np.sum(result**2)


exhibit(placed_under_a_mask, "HIPS/autograd#420", array("3"), array("4"))


def inserted_among_constants(x):
    """The other spelling in the same report."""
    return np.sum(np.insert(x, 2, 8.0) ** 2)


exhibit(inserted_among_constants, "HIPS/autograd#420", array("4"))


def state_overwritten_by_an_exponential(r, x):
    """A gradient through ``copyto!`` came out imaginary."""
    tt = np.sin(x) * r
    np.copyto(r, tt)
    return np.abs(r @ np.array([0.3, -0.8]))


exhibit(state_overwritten_by_an_exponential, "FluxML/Zygote.jl#199 FluxML/Zygote.jl#39", given([1.0, 0.5]), number(0.1))


def columns_of_a_solution(b, m):
    """A solver's results stored column by column, with a matrix that depends on the argument: an ArrayBox in an array."""
    x = np.zeros((3, 2))
    for z in range(2):
        x[:, z] = np.linalg.solve(m.T @ np.diag(b) @ m + 3 * np.eye(3), m[:, z])
    return np.sum((np.diag(b) @ m @ x) ** 2)


exhibit(columns_of_a_solution, "HIPS/autograd#556", array("3"), array("3 3"))


def shadow_of_a_parameter(i, j):
    """A parameter that is not differentiated was overwritten with one that is: 0 for 1."""
    j = i
    return j


exhibit(shadow_of_a_parameter, "vgvassilev/clad#265", number(3.0), number(5.0), wrt=0)
