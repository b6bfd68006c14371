"""SciPy's quadrature: the integral by the nodes that the adaptive rule settled on, so that integrand and limits have derivatives.

The rule is QUADPACK's: 21 nodes of Gauss and Kronrod on each interval (R. Piessens et al., "QUADPACK", 1983); an infinite limit is mapped
to a finite one as there.
"""

import itertools

import numpy as np
from scipy import integrate, special

from ...runtime.solving import settled
from ..frames import constant, linear, named
from ..library_functions import composite, functional, repeated
from . import odes  # noqa: F401  (filling the table)
from .optimize import refuse

KRONROD = np.array([
    0.995657163025808080735527280689003, 0.973906528517171720077964012084452, 0.930157491355708226001207180059508,
    0.865063366688984510732096688423493, 0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
    0.562757134668604683339000099272694, 0.433395394129247190799265943165784, 0.294392862701460198131126603103866,
    0.14887433898163121088482600112972, 0.0,
])
WEIGHTS = np.array([
    0.011694638867371874278064396062192, 0.03255816230796472747881897245939, 0.05475589657435199603138130024458,
    0.07503967481091995276704314091619, 0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717,
    0.147739104901338491374841515972068, 0.149445554002916905664936468389821,
])
NODES = np.concatenate([-KRONROD, KRONROD[-2::-1]])
OF_NODES = np.concatenate([WEIGHTS, WEIGHTS[-2::-1]])


def as_tuple(args):
    """Arguments that may be given as one."""
    return args if isinstance(args, tuple) else (args,)


def integral(found, func, a, b, args=(), *positions, **options):
    of_limit, scale, nodes, weights = found
    start, factor = 0.0, 1.0
    if of_limit == 3:
        start, scale, factor = a, b - a, b - a
    elif of_limit == 1:
        start = a
    elif of_limit == 2:
        start = b
    total = 0.0
    for node, weight in zip(nodes, weights):
        total = total + weight * func(start + scale * node, *args)
    return factor * total


@functional(integrate.quad)
def quad(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None, weight=None, **options):
    refuse("scipy.integrate.quad", weight=weight)
    if options.get("complex_func"):
        refuse("scipy.integrate.quad", complex_func=True)
    options = {key: value for key, value in options.items() if value is not None}
    found = settled(integrate.quad, func, a, b, args, 1, epsabs, epsrel, limit, points, **options)
    total = integral(nodes_of(found[2], *settled(list, (a, b))), func, a, b, as_tuple(args))
    total = total + (found[0] - settled(lambda: total))
    return (total, *found[1:]) if full_output else (total, found[1])


def nodes_of(settings, a, b):
    """The nodes on which the adaptive rule has settled, and their weights: ``start + scale * node``; start is 0, or the limit of that
    number, scale is the interval's length where there are two limits."""
    count = settings["last"]
    left, right = settings["alist"][:count, None], settings["blist"][:count, None]
    nodes, weights = 0.5 * (left + right) + 0.5 * (right - left) * NODES, 0.5 * (right - left) * OF_NODES
    weights = weights if a <= b else -weights
    finite = [number for number, limit in enumerate((a, b), 1) if np.isfinite(limit)]
    if len(finite) == 2:
        length = b - a if a != b else 1.0
        return [3, 0.0, ((nodes - a) / length).ravel().tolist(), (weights / length).ravel().tolist()]
    far, weights = ((1 - nodes) / nodes).ravel(), (weights / nodes**2).ravel()
    if not finite:
        return [0, 1.0, [*far.tolist(), *(-far).tolist()], 2 * weights.tolist()]
    return [finite[0], 1.0 if np.inf in (a, b) else -1.0, far.tolist(), weights.tolist()]


constant(nodes_of)


def settle_quad(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None, weight=None, **options):
    """The answer of ``quad`` and its nodes."""
    if full_output or weight is not None or options.get("complex_func") or not isinstance(args, tuple):
        return None, None
    found = integrate.quad(func, a, b, args, 1, epsabs, epsrel, limit, points, **options)
    of_limit, scale, nodes, weights = nodes_of(found[2], a, b)
    return found[:2], (of_limit, scale, np.array(nodes), np.array(weights))


repeated(integrate.quad, settle_quad, integral, ranks=(0, 0))


@functional(integrate.dblquad)
def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    def inner(x):
        low, high = (end(x) if callable(end) else end for end in (gfun, hfun))
        return quad(lambda y: func(y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return quad(inner, a, b, epsabs=epsabs, epsrel=epsrel)


@functional(integrate.nquad)
def nquad(func, ranges, args=None, opts=None, full_output=False):
    refuse("scipy.integrate.nquad", opts=opts, full_output=full_output or None)

    def over(known, left):
        if not left:
            return func(*known, *(args or ()))
        limits = left[-1](*known, *(args or ())) if callable(left[-1]) else left[-1]
        return quad(lambda x: over((x, *known), left[:-1]), *limits)[0]

    value, error = settled(integrate.nquad, func, ranges, args)
    total = over((), list(ranges))
    return total + (value - settled(lambda: total)), error


@functional(integrate.quad_vec)
def quad_vec(f, a, b, epsabs=1e-200, epsrel=1e-8, *positions, args=(), full_output=False, **options):
    value, error = settled(integrate.quad_vec, f, a, b, epsabs, epsrel, *positions, args=args, **options)[:2]
    parts = 16
    edges = np.linspace(0.0, 1.0, parts + 1)
    total = 0.0
    for left, right in itertools.pairwise(edges):
        for node, share in zip(NODES, OF_NODES):
            u = 0.5 * (left + right) + 0.5 * (right - left) * node
            total = total + 0.5 * (right - left) * share * f(a + (b - a) * u, *args)
    total = (b - a) * total
    return total + (value - settled(lambda: total)), error


@composite(integrate.fixed_quad)
def fixed_quad(func, a, b, args=(), n=5):
    nodes, weights = special.roots_legendre(n)
    y = (b - a) * (nodes + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(weights * func(y, *args), axis=-1), None


@composite(*named(integrate, "trapezoid trapz"))
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


@composite(*named(integrate, "cumulative_trapezoid cumtrapz"))
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    lines = np.moveaxis(np.asarray(y), axis, -1)
    widths = dx if x is None else np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    areas = np.cumsum(widths * (lines[..., 1:] + lines[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        areas = np.concatenate([np.zeros_like(lines[..., :1]), areas], axis=-1)
    return np.moveaxis(areas, -1, axis)


@composite(*named(integrate, "cumulative_simpson"))
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    lines = np.moveaxis(np.asarray(y), axis, -1)
    count = np.shape(lines)[-1]
    if x is not None:
        widths = np.diff(x if np.ndim(x) == 1 else np.moveaxis(np.asarray(x), axis, -1))
        if count > 2 and np.any(widths <= 0):
            raise ValueError("Input x must be strictly increasing.")
    else:
        widths = np.full(count - 1, dx) if np.ndim(dx) == 0 else np.repeat(np.moveaxis(np.asarray(dx), axis, -1), count - 1, axis=-1)
    if count < 3:
        areas = widths * (lines[..., 1:] + lines[..., :-1]) / 2.0
    else:  # every other interval by the parabola through the point after it, the rest and the last one through the point before
        right, left = first_of_pairs(lines, widths), first_of_pairs(lines[..., ::-1], widths[..., ::-1])[..., ::-1]
        right, left = np.concatenate([right, left[..., -1:]], axis=-1), np.concatenate([right[..., :1], left], axis=-1)
        areas = np.where(np.arange(count - 1) % 2 == 0, right, left)
    sums = np.cumsum(areas, axis=-1)
    if initial is not None:
        start = np.full(np.shape(lines[..., :1]), initial) if np.ndim(initial) == 0 else np.moveaxis(np.asarray(initial), axis, -1)
        sums = np.concatenate([start, start + sums], axis=-1)
    return np.moveaxis(sums, -1, axis)


def first_of_pairs(lines, widths):
    """The area over each interval but the last, of the parabola through its ends and the next point (Cartwright 2017)."""
    h, k = widths[..., :-1], widths[..., 1:]
    share, third = h / (h + k), h**2 / (k * (h + k))
    return h / 6 * ((3 - share) * lines[..., :-2] + (3 + third + share) * lines[..., 1:-1] - third * lines[..., 2:])


@composite(integrate.simpson)
def simpson(y, x=None, dx=1.0, axis=-1):
    lines = np.moveaxis(np.asarray(y), axis, -1)
    count = np.shape(lines)[-1]
    if x is None:
        widths = np.full(count - 1, dx)
    else:
        widths = np.diff(x if np.ndim(x) == 1 else np.moveaxis(np.asarray(x), axis, -1))
    if count == 2:
        return 0.5 * widths[..., 0] * (lines[..., 0] + lines[..., 1])
    if count % 2 == 1:
        return of_pairs(lines, widths)
    h, k = widths[..., -2], widths[..., -1]  # the last interval by the parabola through the last three points (Cartwright 2017)
    last = (2 * k**2 + 3 * h * k) / (6 * (k + h)) * lines[..., -1] + (k**2 + 3 * h * k) / (6 * h) * lines[..., -2]
    return of_pairs(lines[..., :-1], widths[..., :-1]) + last - k**3 / (6 * h * (h + k)) * lines[..., -3]


def of_pairs(lines, widths):
    """Simpson's rule for an even number of intervals, of any widths."""
    h, k = widths[..., 0::2], widths[..., 1::2]
    first, middle, last = lines[..., 0:-2:2], lines[..., 1:-1:2], lines[..., 2::2]
    return np.sum((h + k) / 6 * (first * (2 - k / h) + middle * (h + k) ** 2 / (h * k) + last * (2 - h / k)), axis=-1)


@linear(integrate.romb)
def romb(g, z, y, dx=1.0, axis=-1):
    return np.moveaxis(np.expand_dims(g, -1) * integrate.romb(np.eye(np.shape(y)[axis]), dx), -1, axis)
