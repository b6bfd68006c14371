"""Complex numbers: in between, from and to real ones, in buffers, in loops, under branches; and as arguments."""

import numpy as np

from .case import array, case, complex_array, complex_number, number


def modulus_of_a_sum(x):
    return np.abs(np.sum(np.exp(1j * x)))


case(modulus_of_a_sum, array("n"), units=True)


def rotated(x, angle):
    return np.sum(np.imag(np.exp(1j * angle) * x) ** 2) + np.real(x[0] * 1j**0.5)


case(rotated, array("n"), number(0.4), float32=True)


def parts_and_conjugates(x, y):
    z = x + 1j * y
    w = z.conj() * np.sqrt(z) + np.conjugate(z) / z
    return np.sum(w.real * w.imag) + np.sum(np.angle(z) * np.abs(w))


case(parts_and_conjugates, array("n"), array("n"))


def holomorphic_functions(x, y):
    z = x + 1j * y
    w = np.sin(z) + np.cosh(z) * np.log(z) - np.tanh(z) + z**3 + np.square(z) + np.arctan(z) + 2.0**z + z**0.5
    return np.sum(np.abs(w) ** 2)


case(holomorphic_functions, array("n"), array("n"))


def reductions_of_complex_numbers(x, y):
    z = x * np.exp(1j * y)
    total = np.abs(np.mean(z, axis=0)) @ np.abs(np.sum(z, axis=0)) + np.var(z) + np.std(z) + np.linalg.norm(z)
    return total + np.abs(np.prod(z[0])) + np.sum(np.abs(np.cumsum(z)) ** 2)


case(reductions_of_complex_numbers, array("n m"), array("n m"))


def products_of_complex_matrices(a, b):
    z = a + 1j * b
    w = z @ a.T
    return np.sum(np.abs(w @ b) ** 2) + np.real(np.trace(w)) + np.abs(np.vdot(z, w @ z)) + np.abs(np.dot(z[0], a[1]))


case(products_of_complex_matrices, array("n m"), array("n m"))


def spectra(x, w):
    f = np.fft.fft(x * w)
    g = np.fft.rfft(x, 8)
    back = np.fft.ifft(f * np.conj(f))
    return np.sum(np.abs(g) ** 2) + np.sum(np.real(back) * x) + np.sum(np.fft.irfft(g, 6) ** 2) + np.sum(np.abs(np.fft.fftshift(f)) * w)


case(spectra, array("n"), array("n"))


def spectra_of_images(x):
    f = np.fft.fft2(x)
    smooth = np.real(np.fft.ifft2(f * np.exp(-np.abs(np.fft.fftfreq(x.shape[1])))))
    return np.sum(smooth * x) + np.sum(np.abs(np.fft.rfft2(x)) ** 2) + np.sum(np.abs(np.fft.fftn(x, axes=(0,))))


case(spectra_of_images, array("n m"))


def solved_with_a_complex_shift(a, b):
    x = np.linalg.solve(a + (2.0 + 1.0j) * np.eye(len(a)), b)
    return np.sum(np.abs(x) ** 2) + np.abs(np.linalg.det(a + 1j * np.eye(len(a)))) + np.sum(np.abs(np.linalg.inv(a + 3j * np.eye(len(a)))))


case(solved_with_a_complex_shift, array("m m"), array("m"))


def joined_and_selected(x, y):
    z = np.concatenate([x, 1j * y])
    w = np.where(np.abs(z) > 0.5, z, 2 * z)
    s = np.stack([x, y * (1 + 1j)])
    return np.sum(np.abs(w[::2]) ** 2) + np.abs(s[0, 1] * s[1, 0]) + np.sum(np.abs(np.array([x[0], 1j * y[1], 0.5])))


case(joined_and_selected, array("n"), array("n"))


def complex_buffer_filled_in_a_loop(x, y):
    z = np.zeros(len(x), dtype=complex)
    for i in range(len(x)):
        z[i] = x[i] + 1j * y[i]
        if i > 0:
            z[i] += z[i - 1] * 0.5j
    return np.sum(np.abs(z) ** 2)


case(complex_buffer_filled_in_a_loop, array("n"), array("n"))


def complex_buffer_of_unknown_dtype(x, y):
    z = np.zeros(len(x), dtype=(x * 1j).dtype)
    z[:] = x
    z += 1j * y
    z[1:] *= z[:-1].copy()
    z[0] = y[0]
    return np.sum(np.imag(z) * np.real(z)) + np.sum(np.abs(z))


case(complex_buffer_of_unknown_dtype, array("n"), array("n"))


def real_at_first(x, steps):
    z = x
    for _ in range(steps):
        z = z * (0.9 + 0.1j) + 0.2
    return np.sum(np.abs(z) ** 2)


case(real_at_first, array("n"), 3)


def real_after_no_trip(x, steps):
    z = x
    for _ in range(steps):
        z = z * 1j
    return np.sum(np.abs(z) ** 3)


case(real_after_no_trip, array("n"), 0)


def complex_on_one_path(x):
    total = 0.0
    for v in x:
        if v > 0:
            z = v * np.exp(1j * v)
        else:
            z = v**2
        total += np.abs(z) ** 2 + np.real(z)
    return total


case(complex_on_one_path, array("n"))


def numbers_of_python(a, b):
    z = complex(a, b)
    w = z * z + 1j
    for _ in range(2):
        w = w * z.conjugate() + a
    return abs(w) + w.real * w.imag


case(numbers_of_python, number(0.7), number(-0.4))


def while_it_stays_inside(a, b):
    z = 0j
    c = a + 1j * b
    trips = 0
    while abs(z) < 2.0 and trips < 6:
        z = z**2 + c
        trips += 1
    return abs(z) ** 2


case(while_it_stays_inside, number(-0.4), number(0.6))


def accumulated_phases(x):
    phase = 1.0 + 0.0j
    total = 0.0
    for v in x:
        phase *= np.exp(1j * v)
        total += phase.real * v - phase.imag
    return total


case(accumulated_phases, array("n"))


def transmission_lines(widths):
    acc = np.eye(2, dtype=complex)
    for w in widths:
        gamma = np.sqrt((w + 0.2j) * (0.1 + 0.4j * w))
        acc = acc @ np.array([[np.cosh(gamma), np.sinh(gamma)], [np.sinh(gamma), np.cosh(gamma)]])
    return np.abs(acc[0, 0]) ** 2


case(transmission_lines, array("n"))


# Complex arguments


def energy_of_a_complex_array(z, w):
    return np.sum(np.abs(z) ** 2 * w) + np.real(np.sum(z * z)) + np.imag(z[0])


case(energy_of_a_complex_array, complex_array("n"), array("n"), units=True)


def complex_number_given(z, x):
    return abs(z) * x + np.real(z**3) - np.imag(np.conj(z) / x)


case(complex_number_given, complex_number(0.6 - 1.1j), number(0.8))


def complex_argument_changed_in_place(z, x):
    z[1:] += x * z[:-1]
    z *= 1j
    z[0] = x
    return np.sum(np.abs(z) ** 2) + np.sum(np.real(z))


case(complex_argument_changed_in_place, complex_array("n"), number(0.7))


def real_part_read_in_a_loop(z):
    total = 0.0
    for i in range(len(z)):
        total += z[i].real * z[i].imag + np.abs(z.real[i] - z.imag[i]) ** 3
    return total


case(real_part_read_in_a_loop, complex_array("n"))


def constant_complex_matrix(x, u):
    y = u @ x
    return np.real(np.vdot(y, y)) + np.sum(np.abs(u.conj().T @ y))


case(constant_complex_matrix, array("m"), complex_array("m m"), wrt=0)


def unused_complex_argument(z, x):
    return np.sum(x**2)


case(unused_complex_argument, complex_array("n"), array("n"))


def parts_assigned(x):
    z = np.zeros(4, complex)
    z.real = x
    z.imag = x ** 2
    z.real[1:] *= x[1:]
    z.imag -= x[0]
    np.real(z)[1] = x[2] ** 2
    return np.sum(np.abs(z) ** 2) + np.sum(np.real(z ** 3))


case(parts_assigned, array("4"))


def parts_of_a_real_array(x):
    a = x * 1.0
    a.real = x[::-1] * 2
    a.real[0] = x[1] * x[2]
    a.real += x[3]
    return np.sum(a ** 2)


case(parts_of_a_real_array, array("4"))


def set_parts(z, v):
    z.real = v
    z.imag[0] = v[1] * 2


def parts_under_other_names(x):
    z = np.ones(4, complex)
    set_parts(z, x * x)
    v = z[1:]
    v.imag = x[0]
    v.real[0] *= 3
    d = {"z": x * 1j}
    d["z"].real = x ** 2
    parts = [x * 1j]
    parts[0].imag += x
    return np.sum(np.abs(z) ** 4) + np.sum(np.abs(d["z"] + parts[0]) ** 4)


case(parts_under_other_names, array("4"))


def parts_in_a_loop(x):
    z = np.zeros((2, 2), complex)
    w = z
    total = 0.0
    for i in range(2):
        w.real[i] = x[2 * i:2 * i + 2]
        z.imag[:, i] += x[i] * z.real[0]
        y = np.zeros(4, complex)
        if x[i] > 0:
            y.real = x * (i + total)
        else:
            y.imag = x
        y.imag[i] = x[i]
        y.real[2] = 1.0
        total = total * 0.1 + np.sum(np.abs(y) ** 2)
    z.real = z.imag
    return np.sum(np.abs(z) ** 4) + total


case(parts_in_a_loop, array("4"))


def real_vector_with_one_entry_in_a_complex_number(x):
    z = x[0] ** 2 + 1j * x[2]
    return np.sum(x**2) + z.real * z.imag


case(real_vector_with_one_entry_in_a_complex_number, array("4"))


def real_and_imaginary_part_of_one_number(x):
    z = 2.0 + 1j * x[0]
    return z.real * z.imag * x[1]


case(real_and_imaginary_part_of_one_number, array("2"))
