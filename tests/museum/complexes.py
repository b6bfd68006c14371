"""Complex numbers: the convention is ∂u/∂x − i ∂u/∂y, in every function alike."""

import numpy as np

from tests.corpus.case import number

from .exhibit import exhibit, given


def modulus(x):
    """One spelling of the absolute value gave the conjugate of what the other gave."""
    return np.abs(x)


def modulus_by_parts(x):
    """The other spelling."""
    return np.sqrt(np.real(x) ** 2 + np.imag(x) ** 2)


_AT = 1.0 + 0.5j
for _function in (modulus, modulus_by_parts):
    exhibit(_function, "jax-ml/jax#979 jax-ml/jax#1853", given(_AT), answer=np.conj(_AT) / abs(_AT))


def squared_modulus(z):
    """Reported as an error, and a convention."""
    x, y = np.real(z), np.imag(z)
    return x**2 + y**2


exhibit(squared_modulus, "jax-ml/jax#9110 jax-ml/jax#4891", given(3.0 + 4.0j), answer=6.0 - 8.0j)


def squared_imaginary_part(x):
    """The sign of the imaginary part."""
    return np.imag(x) ** 2


exhibit(squared_imaginary_part, "jax-ml/jax#15872", given(2j), answer=-4j)


def imaginary_part_of_a_rotation(x):
    """A real argument, a complex number in between: −0.5 for 0.5."""
    return np.imag(np.exp(1j * x[0]))


exhibit(imaginary_part_of_a_rotation, "EnzymeAD/Enzyme-JAX#2105", given([np.pi / 3]))


def imaginary_parts_summed(x):
    """Right for the numbers one by one, i for all of them together."""
    return np.sum(np.imag(np.exp(x * (1.0 + 0.3j))))


exhibit(imaginary_parts_summed, "FluxML/Zygote.jl#705", given([1.0, 2.0, 3.0]))


def through_a_transmission_line(widths):
    """A product of complex matrices, one for each width: zeros."""
    acc = np.eye(2, dtype=complex)
    for w in widths:
        gamma = np.sqrt((w + 0.2j) * (0.1 + 0.4j * w))
        acc = acc @ np.array([[np.cosh(gamma), np.sinh(gamma)], [np.sinh(gamma), np.cosh(gamma)]])
    return np.abs(acc[0, 0]) ** 2


exhibit(through_a_transmission_line, "EnzymeAD/Enzyme.jl#1389", given([0.7, 0.9, 1.1]))


def rotated_in_place(theta):
    """A complex buffer that is changed by a real number."""
    state = np.array([1.0 + 0.0j, 0.5j])
    state *= np.exp(1j * theta)
    state[0] += theta * state[1]
    return np.abs(state[0]) ** 2 + np.real(state[1])


exhibit(rotated_in_place, "FluxML/Zygote.jl#199", number(0.4))
