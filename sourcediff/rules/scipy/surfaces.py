"""SciPy's interpolants on grids and of scattered points, and its splines of two variables."""

import numpy as np
from scipy import interpolate
from scipy.spatial import Delaunay, cKDTree

from ...errors import MissingRuleError
from ..frames import constant, general
from ..library_functions import composite
from ..library_objects import record
from .pieces import piece, upright


def as_places(x, dimensions):
    """Places as rows, given so or as a tuple of coordinates."""
    if isinstance(x, tuple):
        whole = x[0]
        for part in x[1:]:
            whole = whole + part
        return np.stack([np.broadcast_to(part, np.shape(whole)) for part in x], axis=-1)
    x = np.asarray(x)
    return np.reshape(x, (-1, dimensions)) if np.ndim(x) == 1 else x


def sides(knots, lengths):
    """The points of a grid along each of its sides."""
    points = np.split(knots, np.cumsum(lengths)[:-1])
    if len(knots) != sum(lengths) or min(lengths) < 2 or any(np.any(np.diff(p) <= 0) for p in points):
        raise MissingRuleError(
            "interpolation on grids has a derivative rule, but of one value for each of ascending points only",
            remedy="flip what is descending, the values too")
    return points


def cell(knots, lengths, x):
    """The numbers, among all points along the sides of a grid, of the points before places."""
    return np.stack([piece(p, x[..., k]) + sum(lengths[:k]) for k, p in enumerate(sides(knots, lengths))], axis=-1)


def corners(knots, lengths, x):
    """The numbers, in a raveled grid, of the corners of the cells that places are in, along a first axis."""
    low = np.stack([piece(p, x[..., k]) for k, p in enumerate(sides(knots, lengths))])
    return np.stack([np.ravel_multi_index(low + upright(up, low), lengths) for up in upper(len(lengths))])


def upper(dimensions):
    """Which ones of a cell's corners are its upper end in which dimension."""
    return np.moveaxis(np.indices((2,) * dimensions), 0, -1).reshape(-1, dimensions)


def off_grid(knots, lengths, x, bounds_error, goes_on):
    """Which places are not on the grid. ValueError if none may be."""
    found = np.any([(x[..., k] < p[0]) | (x[..., k] > p[-1]) for k, p in enumerate(sides(knots, lengths))], axis=0)
    if bounds_error and np.any(found):
        raise ValueError("One of the requested xi is out of bounds.")
    return found & (not goes_on)


constant(cell, corners, upper, off_grid)


def on_grid(x, knots, values, method, bounds_error, goes_on, fill_value):
    """What is linear along each side of each cell of a grid, at places; or the value at the nearest point."""
    if method != "linear" and method != "nearest":
        raise MissingRuleError(f"interpolation on grids has a derivative rule, but not with method={method!r}", remedy="use 'linear'")
    dimensions = np.shape(x)[-1]
    lengths = np.shape(values)[:dimensions]
    low, outside = cell(knots, lengths, x), off_grid(knots, lengths, x, bounds_error, goes_on)
    w = (x - knots[low]) / (knots[low + 1] - knots[low])
    if method == "nearest":
        w = np.where(np.isnan(w), np.nan, np.where(w <= 0.5, 0.0, 1.0))
    w = np.prod(np.where(np.expand_dims(upper(dimensions), tuple(range(1, np.ndim(x)))) == 1, w, 1 - w), axis=-1)
    z = np.reshape(values, (-1,) + np.shape(values)[dimensions:])[corners(knots, lengths, x)]
    if method == "nearest":
        z = np.where(np.reshape(w == 0, np.shape(w) + (1,) * (np.ndim(z) - np.ndim(w))), 0.0, z)
    z = np.sum(np.reshape(w, np.shape(w) + (1,) * (np.ndim(z) - np.ndim(w))) * z, axis=0)
    return np.where(np.reshape(outside, np.shape(outside) + (1,) * (np.ndim(z) - np.ndim(outside))), fill_value, z)


@composite(interpolate.RegularGridInterpolator)
class Grid:
    def __init__(self, points, values, method="linear", bounds_error=True, fill_value="nan"):
        self.knots, self.values, self.method, self.dimensions = np.concatenate(points), np.asarray(values), method, len(points)
        self.bounds_error, self.goes_on, self.fill_value = bounds_error, fill_value is None, 0.0 if fill_value is None else fill_value
        if isinstance(fill_value, str):
            self.fill_value = np.full((), np.nan)

    def __call__(self, xi, method=None):
        x, method = as_places(xi, self.dimensions), self.method if method is None else method
        return on_grid(x, self.knots, self.values, method, self.bounds_error, self.goes_on, self.fill_value)


@composite(interpolate.interpn)
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value="nan"):
    return Grid(points, values, method, bounds_error, fill_value)(xi)


@composite(interpolate.RegularGridInterpolator.__call__)
def on_constant_grid(self, xi, method=None):
    return Grid(self.grid, self.values, self.method, self.bounds_error, self.fill_value)(xi, method)


record(interpolate.RegularGridInterpolator)


def vertices(tri, x):
    """The numbers of the corners of the triangles that places are in."""
    return tri.simplices[tri.find_simplex(x)]


def out_of_triangles(tri, x):
    return tri.find_simplex(x) < 0


def nearest(y, x):
    return cKDTree(y).query(x)[1]


def triangulation(points):
    return Delaunay(points)


constant(vertices, out_of_triangles, nearest, triangulation)


def on_triangles(x, points, tri, values, fill_value):
    """What is linear on each triangle, at places: by their barycentric coordinates."""
    corners = points[vertices(tri, x)]
    sides = np.swapaxes(corners[..., :-1, :] - corners[..., -1:, :], -1, -2)
    w = np.linalg.solve(sides, np.expand_dims(x - corners[..., -1, :], -1))[..., 0]
    w = np.concatenate([w, 1 - np.sum(w, axis=-1, keepdims=True)], axis=-1)
    z = values[vertices(tri, x)]
    z = np.sum(np.reshape(w, np.shape(w) + (1,) * (np.ndim(values) - 1)) * z, axis=np.ndim(x) - 1)
    outside = out_of_triangles(tri, x)
    return np.where(np.reshape(outside, np.shape(outside) + (1,) * (np.ndim(values) - 1)), fill_value, z)


@composite(interpolate.LinearNDInterpolator)
class Triangles:
    def __init__(self, points, values, fill_value="nan"):
        self.points, self.values = np.stack(points, -1) if isinstance(points, tuple) else points, values
        self.fill_value = np.full((), np.nan) if isinstance(fill_value, str) else fill_value

    def __call__(self, xi):
        return griddata(self.points, self.values, xi, "linear", self.fill_value)


@composite(interpolate.griddata)
def griddata(points, values, xi, method="linear", fill_value="nan"):
    points = np.stack(points, axis=-1) if isinstance(points, tuple) else np.asarray(points)
    if np.ndim(points) == 1 or method == "cubic":
        raise MissingRuleError("griddata has a derivative rule, but linear or nearest in the plane and beyond only",
            remedy="use np.interp")
    x = as_places(xi, np.shape(points)[1])
    if method == "nearest":
        return np.asarray(values)[nearest(points, x)]
    beyond = np.full((), np.nan) if isinstance(fill_value, str) else fill_value
    return on_triangles(x, points, triangulation(points), np.asarray(values), beyond)


@composite(interpolate.LinearNDInterpolator.__call__)
def on_constant_triangles(self, xi):
    x = as_places(xi, self.points.shape[1])
    return on_triangles(x, self.points, self.tri, np.reshape(self.values, (-1,) + self.values_shape), self.fill_value)


record(interpolate.LinearNDInterpolator)


def in_range(self, x, axis):
    """Whether places are in the rectangle of a spline along an axis: outside of it the spline goes on as it ends."""
    knots = self.get_knots()[axis]
    return (x >= knots[0]) & (x <= knots[-1])


constant(in_range)


@general(interpolate.RectBivariateSpline.ev)
def bivariate(g, z, self, xi, yi, dx=0, dy=0):
    x_slope = self.ev(xi, yi, dx + 1, dy)
    y_slope = self.ev(xi, yi, dx, dy + 1)
    return None, g * np.where(in_range(self, xi, 0), x_slope, 0.0), g * np.where(in_range(self, yi, 1), y_slope, 0.0)


@bivariate.pushforward
def bivariate_forward(z, dxi, dyi, self, xi, yi, dx=0, dy=0):
    x_slope = self.ev(xi, yi, dx + 1, dy)
    y_slope = self.ev(xi, yi, dx, dy + 1)
    return dxi * np.where(in_range(self, xi, 0), x_slope, 0.0) + dyi * np.where(in_range(self, yi, 1), y_slope, 0.0)


@composite(interpolate.RectBivariateSpline.__call__)
def on_rectangle(self, x, y, dx=0, dy=0, grid=True):
    x, y = np.asarray(x), np.asarray(y)
    if grid:
        x, y = np.reshape(x, (-1, 1)), np.reshape(y, (1, -1))
    return self.ev(x + np.zeros(np.shape(y)), y + np.zeros(np.shape(x)), dx, dy)


record(interpolate.RectBivariateSpline)
