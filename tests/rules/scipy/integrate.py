"""Samples of SciPy's quadrature of given values, and of the functions that optimisers are tried on."""

from scipy import integrate, optimize

from sourcediff.rules.scipy import loaded

from ..calls import call, positive, x

loaded("integrate"), loaded("optimize")

SAMPLES = {integrate.romb: [call(x(5)), call(x(2, 9), 0.5), call(x(3, 2), dx=0.25, axis=0)]}

COMPOSITES = {
    optimize.rosen: [call(x(4)), call(x(3, 2))], optimize.rosen_der: [call(x(4))],
    integrate.trapezoid: [call(x(5)), call(x(2, 3), dx=0.5, axis=0)],
    integrate.cumulative_trapezoid: [call(x(5)), call(x(2, 3), dx=0.5, axis=0, initial=0)],
    integrate.simpson: [call(x(5)), call(x(2, 6)), call(x(4), x=positive(4).cumsum()), call(x(2, 3), dx=0.5, axis=0), call(x(2))],
}
if hasattr(integrate, "cumulative_simpson"):
    COMPOSITES[integrate.cumulative_simpson] = [
        call(x(6)), call(x(2, 5), dx=0.5, axis=1, initial=0.3), call(x(5, 2), x=positive(5).cumsum(), axis=0), call(x(2)),
    ]
