"""scipy.ndimage."""

import numpy as np
import scipy.ndimage as ndi
from scipy import ndimage
from scipy.ndimage import convolve, convolve1d, gaussian_filter, gaussian_filter1d, map_coordinates, uniform_filter

from tests.corpus.case import array, number, positive

from .call import between, call, near

KERNEL = np.array([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.5]])


@call(array("6 5"))
def convolved(a):
    return np.sum(convolve(a, KERNEL) ** 2)


@call(array("6 5"), array("3 3"))
def convolved_with_constant_edges(a, k):
    return np.sum(ndimage.convolve(a, k, mode="constant", cval=0.0) ** 2)


@call(array("6 5"))
def correlated_around_the_torus(a):
    return np.sum(ndimage.correlate(a, KERNEL, mode="wrap") ** 2)


@call(array("6 5"), array("3"))
def convolved_along_an_axis(a, w):
    return np.sum(convolve1d(a, w, axis=0, mode="nearest") ** 2)


@call(array("8"))
def correlated_along_a_line(a):
    return np.sum(ndimage.correlate1d(a, weights=[1, 3, -1], mode="mirror") ** 2)


@call(array("6 6"))
def blurred(image):
    return np.sum(gaussian_filter(image, sigma=1) ** 2)


@call(array("6 6"))
def blurred_derivative(image):
    gx = gaussian_filter(image, sigma=(1.0, 2.0), order=(0, 1), mode="wrap")
    return np.sum(gx**2)


@call(array("10"))
def smoothed_line(x):
    return np.sum(gaussian_filter1d(x, 1.5, mode="mirror") ** 2)


@call(array("6 5"))
def box_filter(a):
    return np.sum(uniform_filter(a, size=3) ** 2)


@call(array("9"))
def running_mean(x):
    return np.sum(ndimage.uniform_filter1d(x, size=4, mode="reflect") ** 2)


@call(array("6 5"))
def laplacian(a):
    return np.sum(ndi.laplace(a) ** 2)


@call(array("6 5"))
def laplacian_of_gaussian(a):
    return np.sum(ndimage.gaussian_laplace(a, sigma=1) ** 2)


@call(array("6 5"))
def edges_by_sobel(image):
    sx = ndimage.sobel(image, axis=0)
    sy = ndimage.sobel(image, axis=1)
    return np.sum(np.hypot(sx, sy))


@call(array("6 5"))
def magnitude_of_the_gradient(image):
    return np.sum(ndimage.gaussian_gradient_magnitude(image, 1.0))


@call(array("6 5"))
def shifted_image(a):
    return np.sum(ndimage.shift(a, (0.6, -1.3)) ** 2)


@call(array("6 5"), number(0.4))
def shifted_linearly(a, s):
    return np.sum(ndimage.shift(a, (0, s), order=1, mode="nearest") ** 2)


@call(array("5 4"))
def zoomed(a):
    return np.sum(ndimage.zoom(a, 1.7) ** 2)


@call(array("6 6"))
def rotated(image):
    return np.sum(ndimage.rotate(image, 25, reshape=False, order=1) ** 2)


@call(array("5 5"), near([0.93, 0.21], [-0.17, 1.08]), near(0.313, -0.24))
def affine(image, matrix, offset):
    return np.sum(ndimage.affine_transform(image, matrix, offset=offset, mode="mirror") ** 2)


@call(array("6 6"), near([0.7, 1.4, 2.5, 3.3, 4.4], [4.6, 3.7, 0.4, 2.6, 1.5]))
def sampled_linearly(image, coords):
    return np.sum(map_coordinates(image, coords, order=1) ** 2)


@call(array("6 6"), between(0.6, 4.4, "2 5"))
def sampled_by_splines(image, coords):
    return np.sum(map_coordinates(image, coords, order=3, mode="reflect") ** 2)


@call(array("6 5"))
def median_of_a_window(image):
    return np.sum(ndimage.median_filter(image, size=3) ** 2)


@call(array("6 5"))
def dilated(image):
    return np.sum(ndimage.maximum_filter(image, size=3) ** 2)


@call(array("8"), np.array([0, 0, 1, 1, 1, 2, 2, 2]))
def means_of_labels(x, labels):
    return np.sum(np.asarray(ndimage.mean(x, labels, index=[0, 1, 2])) ** 2)


@call(positive("4 5"))
def centre_of_mass(image):
    cy, cx = ndimage.center_of_mass(image)
    return cx * cy
