"""The doors to the other forms of the derivative: ``vjp``, ``jvp``, ``jacobian``, ``hessian``, ``hvp``, ``elementwise_grad``.

All of them are compiled: ``jvp`` as one sweep, the others as a pair of sweeps (or as a sweep that carries many tangents at once), and what
is of second order by differentiating generated code again. Where the compiler must refuse, the eager engine runs the function once,
and the same linear map is applied by walks of its graph.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..dispatch.arguments import located, parameters_named
from ..dispatch.called_directly import as_python
from ..dispatch.forwarding import Forwarding
from ..dispatch.parcels import parcel_of
from ..dispatch.sent import Parcel
from ..dispatch.tangents import pushed_again
from ..dispatch.transform_calls import TransformCall, check_mode, is_none, value_and_tangent
from ..dispatch.wrappers import forwarding_of_call, forwards
from ..errors import DegenerateError, NonDifferentiableError, UnsupportedSyntaxError, article
from ..runtime.derivative import form
from ..runtime.function_cache import lasting
from ..syntax.function import TRANSFORMS, as_transform, definition, plain
from .gradients import DECORATING, Wrt, grad, gradient_source, offered
from .prepared import Prepared, forward_again

if TYPE_CHECKING:
    from ..eager.engine.linear_maps import Map

Pullback = Callable[[Any], Any]
DIRECTIONS = ("auto", "reverse", "forward")


def vjp(
    function: Callable[..., Any], *primals: Any, wrt: Wrt | None = None, mode: str = "auto", has_aux: bool = False, **keywords: Any,
) -> tuple[Any, ...]:
    """The value of ``function(*primals, **keywords)`` and its pullback there: ``(value, pullback)``, and the aux with ``has_aux``.

    ``pullback(cotangent)`` takes a cotangent in the structure and the shapes of the value (None for a part without one) and returns
    the adjoint of each primal, as a tuple; with ``wrt`` the adjoint of that parameter, or a tuple for a tuple. It is linear, can be
    called any number of times, and keeps what it reads: changing arrays between two calls does not change it. The zeros of a
    cotangent are strong: what they leave out stays zero, also where a derivative is infinite (of finite arguments).

    Raises NonDifferentiableError for a primal that has no derivative and for a cotangent of another structure, shape or kind,
    UnknownParameterError, MissingRuleError; UnsupportedSyntaxError with ``mode="compiled"``.

    >>> import numpy as np, sourcediff
    >>> def scaled(x, s):
    ...     return x * s
    >>> value, pullback = sourcediff.vjp(scaled, np.array([1.0, 2.0]), 3.0)
    >>> value, pullback(np.array([1.0, 0.0]))
    (array([3., 6.]), (array([3., 0.]), 1.0))
    """
    if wrt is None and not (has_aux or keywords) and (found := forward_again(function, primals, mode)) is not None:
        return found
    return Prepared(function, wrt, mode, has_aux).forward(*primals, **keywords)


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], mode: str = "auto", has_aux: bool = False,
    check: bool = False, **keywords: Any,
) -> tuple[Any, ...]:
    """The value of ``function(*primals, **keywords)`` and its derivative along ``tangents``: ``(value, tangent)``, then the aux.

    There is one tangent for each primal, in its structure and shapes; a primal whose tangent is None is not differentiated (it can be
    anything). The tangent of the value has its structure, shapes and dtypes, with None for what is no floating-point number. The zeros
    of a tangent are strong, as those of a cotangent are, at finite primals. ``mode`` and ``check`` are those of :func:`~sourcediff.grad`.

    Raises as :func:`vjp` does; in mode ``"compiled"`` also SourceUnavailableError and AliasingError.

    >>> import sourcediff
    >>> def product(x, y):
    ...     return x * y
    >>> sourcediff.jvp(product, (2.0, 3.0), (1.0, None))
    (6.0, 3.0)
    """
    usual = mode in ("auto", "compiled") and not (has_aux or check or keywords)
    if usual and type(function) is types.FunctionType and type(primals) is tuple:
        try:
            if (found := pushed_again(function, primals, tangents, mode)) is not None and found[0] is not None:
                return found
        except DegenerateError:
            pass  # it comes again, and then it is known whose it is
    function = as_python(form(function))
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise NonDifferentiableError(
                f"the {what} are {article(type(given).__name__)}", why="there is one for each argument", remedy=f"give a tuple of {what}",
            )
    if forwards(function):
        function, _ = forwarding_of_call(function, len(primals), tuple(keywords))
    call = TransformCall(function, primals, keywords, mode, "jvp")
    if len(primals) != len(tangents):
        raise NonDifferentiableError(
            f"{call.name} was given {len(primals)} primals and {len(tangents)} tangents", why="each primal has a tangent",
            remedy="give None for a primal that is not to be differentiated",
        )
    named = {name: tangent for name, tangent in call.by_name(tangents).items() if not is_none(tangent)}

    def moving() -> tuple[Any, ...]:
        moved = call.moving(named)
        call.keep(moved)
        return value_and_tangent(call, moved, has_aux, check)

    found = call.answered(moving)
    call.refuse_none(found[0])
    return found


@as_transform
def jacobian(
    function: Any = DECORATING, wrt: Wrt = 0, direction: str = "auto", *, sparsity: Any = None, mode: str = "auto", has_aux: bool = False,
) -> Any:
    """The matrix of all derivatives of a function's result, as a function of the same arguments. Also a decorator.

    Its shape is that of the result, then that of the argument, and its dtype the argument's. A structure in the result, and then one
    in the argument, becomes a structure of such arrays. ``direction`` is ``"reverse"`` (one sweep for each entry of the result),
    ``"forward"`` (one for each entry of the argument) or ``"auto"``, by their numbers. With ``has_aux`` the function returns
    ``(result, anything)``, and its Jacobian ``(jacobian, anything)``.

    With ``sparsity`` the matrix is a SciPy ``csr_array``: a row for each entry of the result, a column for each entry of the arguments in
    ``wrt``, one after the other. ``sparsity`` is its pattern (a boolean array, dense or of ``scipy.sparse``, of the matrix's shape) or
    ``"detect"``: then it is found in the first call. Columns (or rows, whichever takes fewer) that have no row in common are swept as
    one, and each call checks the pattern by one product with a random vector, up to entries that are lost beside others of their row
    (1.5e-8 of them). One that was given and does not hold raises NonDifferentiableError, one that was found grows.

    Raises as :func:`~sourcediff.grad` does, NonDifferentiableError for a result that holds something else than floats, and ValueError
    for a pattern of another shape.

    >>> import numpy as np, sourcediff
    >>> @sourcediff.jacobian
    ... def polar(p):
    ...     return np.array([p[0] * np.cos(p[1]), p[0] * np.sin(p[1])])
    >>> polar(np.array([2.0, 0.0]))
    array([[1., 0.],
           [0., 2.]])
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is one of {', '.join(DIRECTIONS)}, not {direction!r}")
    compute = functools.partial(_jacobian, direction=direction, **_sparse(sparsity))
    return _transform_of(function, wrt, mode, has_aux, compute, "jacobian")


@as_transform
def hessian(function: Any = DECORATING, wrt: Wrt = 0, *, sparsity: Any = None, mode: str = "auto", has_aux: bool = False) -> Any:
    """The matrix of all second derivatives of a function that returns a scalar. Also a decorator.

    It is the Jacobian of the gradient: of the argument's shape twice over, for a structure the structure twice over, symmetric up to
    rounding. With ``sparsity``, its pattern or ``"detect"``, it is a SciPy ``csr_array``, and columns of which one can be read from the
    other by symmetry share a sweep, too. Otherwise as :func:`jacobian`.

    >>> import numpy as np, sourcediff
    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> sourcediff.hessian(f)(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    return _transform_of(function, wrt, mode, has_aux, functools.partial(_hessian, **_sparse(sparsity)), "hessian")


@as_transform
def hvp(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto", has_aux: bool = False) -> Any:
    """The product of the Hessian of a scalar function and a vector, ``hvp(f)(*args, v)``, in a small multiple of the time of ``f``.

    ``v`` has the structure and shapes of the argument (a tuple for a tuple ``wrt``), and so has the result. Also a decorator.

    A tangent is pushed through the generated gradient (Pearlmutter, "Fast exact multiplication by the Hessian", 1994). On the eager engine
    the gradient is walked backwards a second time, with ``v`` as the seed, since the Hessian is its own transpose.

    >>> import numpy as np, sourcediff
    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> sourcediff.hvp(f)(np.array([3.0, 5.0]), np.array([1.0, 0.0]))
    array([10.,  6.])
    """
    return _transform_of(function, wrt, mode, has_aux, _hvp, "hvp", extra=1)


@as_transform
def elementwise_grad(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto") -> Any:
    """The derivative, entry by entry, of a function that treats each entry of its argument alike. Also a decorator.

    The result has the shape of the argument, which is the result's too. Each call makes sure that the Jacobian is a diagonal matrix;
    where it is not, NonDifferentiableError is raised, since the column sums that one walk gives would be no derivative.

    >>> import numpy as np, sourcediff
    >>> @sourcediff.elementwise_grad
    ... def soft(x):
    ...     return np.log(1 + np.exp(x))
    >>> soft(np.array([0.0, 100.0]))
    array([0.5, 1. ])
    """
    return _transform_of(function, wrt, mode, False, _elementwise, "elementwise_grad")


class Transform:
    """A function made by a decorator: it computes something of the linear map that one run of ``function`` leaves.

    ``compute(linear, transform, *given)`` gets it, and the ``extra`` arguments that are given after the function's own.
    """

    def __init__(
        self, function: Any, wrt: tuple[str, ...], single: bool, mode: str, has_aux: bool, compute: Callable[..., Any], door: str,
        extra: int,
    ):
        self.function = function
        self.wrt = wrt
        self.single = single
        self.mode = mode
        self.has_aux = has_aux
        self.compute = compute
        self.door = door
        self.extra = extra

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) < self.extra:
            raise TypeError(f"{self.door}({self.function.__qualname__}) takes the arguments of the function and then a vector")
        own = len(args) - self.extra
        call = TransformCall(self.function, args[:own], kwargs, self.mode, self.door)
        try:
            try:
                return call.answered(lambda: self.compute(self, call, *args[own:]))
            except DegenerateError as error:
                return self.compute(self, call.where_degenerate(error), *args[own:])
        except NonDifferentiableError as error:
            if call.name not in str(error):  # raised by generated code, which does not know whose it is
                problem = f"{self.door} of {call.name}: {error.problem}"
                error = error.said(problem, located(error, self.function).places)
            raise located(error, self.function) from None

    def __repr__(self) -> str:
        return f"<{self.door} of {self.function.__qualname__} with respect to {self.wrt} ({self.single}, {self.mode}, {self.has_aux})>"

    @property
    def sparse(self) -> bool:
        """Whether a sparse matrix was asked for."""
        return isinstance(self.compute, functools.partial) and "sparsity" in self.compute.keywords

    @functools.cached_property
    def gradient(self) -> Any:
        """The gradient of the function, as a function: what is differentiated for second derivatives."""
        return lasting(self.function, ("its gradient", self.wrt, self.function.__code__), lambda: form(grad(self.function, self.wrt)))

    def source(self) -> str:
        """The general text of the sweeps (what is generated for a call is kept by its kind)."""
        if self.door in ("hessian", "hvp"):
            return gradient_source(self.gradient, self.wrt, mode="pullback" if self.door == "hessian" else "forward")
        return gradient_source(self.function, self.wrt, mode="pullback")

    def file(self) -> str | None:
        """The file of the generated text, where there is one for all kinds of calls; there is none."""
        return None

    def parcel(self) -> Parcel:
        """What is sent with it to another process."""
        return parcel_of(self)

    def second(self, call: TransformCall) -> tuple[Map, Any]:
        """The derivative of the gradient, and the aux."""
        if not self.has_aux and (found := call.generated(self.gradient, self.wrt)) is not None:
            return found[0], None
        linear, _, aux = call.recorded(self.wrt, self.has_aux)
        return linear.gradient(call.name), aux

    def request(self, arguments: Any) -> Any:
        """Refuse what the compiler does not write where this is differentiated in turn."""
        if self.mode == "eager" or self.has_aux or self.extra or self.sparse:
            raise UnsupportedSyntaxError(
                f"{self.door} of {self.function.__qualname__} cannot be differentiated by the compiler",
                why="it takes a vector too" if self.extra else "it was asked for with mode='eager', has_aux=True or sparsity",
                remedy="differentiate a function that calls it, and leave mode, has_aux and sparsity out",
                places=[definition(self.function, f"{self.door} was asked of this function")],
            )

    def of_arguments(self, parts: tuple[Any, ...]) -> Any:
        """One part for each parameter in ``wrt``: the part alone, if that is no tuple."""
        return parts[0] if self.single else parts


def _transform_of(
    function: Any, wrt: Wrt, mode: str, has_aux: bool, compute: Callable[..., Any], door: str, extra: int = 0,
) -> Any:
    if function is DECORATING:
        return functools.partial(_transform_of, wrt=wrt, mode=mode, has_aux=has_aux, compute=compute, door=door, extra=extra)
    function = as_python(function)
    inner = plain(function)
    check_mode(mode, has_aux, inner)
    if forwards(function, wrt):
        runner: Any = Forwarding(function, wrt, lambda f, asked: _transform_of(f, asked, mode, has_aux, compute, door, extra), extra)
    else:
        runner = Transform(inner, *parameters_named(function, wrt), mode, has_aux, compute, door, extra)
    options: dict[str, Any] = {"wrt": wrt, "mode": mode} | ({} if door == "elementwise_grad" else {"has_aux": has_aux})
    options |= compute.keywords if isinstance(compute, functools.partial) else {}
    return offered(function, runner, globals()[door], **options)


def _sparse(sparsity: Any) -> dict[str, Any]:
    """The option, where it was given."""
    if sparsity is None:
        return {}
    from .sparsity.matrices import as_sparsity

    return {"sparsity": as_sparsity(sparsity)}


def _jacobian(transform: Transform, call: TransformCall, direction: str = "auto", sparsity: Any = None) -> Any:
    if sparsity is not None:
        return _sparse_jacobian(transform, call, direction, sparsity)
    linear, _, aux = call.linearised(transform.wrt, transform.has_aux)
    linear.require_floats(call.name)
    found = linear.outputs.like([transform.of_arguments(linear.inputs.like(row)) for row in linear.jacobian(direction)])
    return (found, aux) if transform.has_aux else found


def _sparse_jacobian(transform: Transform, call: TransformCall, direction: str, sparsity: Any) -> Any:
    from .sparsity.matrices import DETECT, found_of, of_gathered_rows, sparse_matrix

    found = found_of(call, transform.wrt, "Jacobian")
    if sparsity == DETECT and direction == "auto" and call.mode == "auto" and not transform.has_aux:
        if (matrix := of_gathered_rows(call, transform.wrt, found)) is not None:
            return matrix
    linear, _, aux = call.linearised(transform.wrt, transform.has_aux)
    matrix = sparse_matrix(linear, found, sparsity, direction, "Jacobian", call.name)
    return (matrix, aux) if transform.has_aux else matrix


def _hessian(transform: Transform, call: TransformCall, sparsity: Any = None) -> Any:
    gradient, aux = transform.second(call)
    if sparsity is not None:
        from .sparsity.matrices import found_of, sparse_matrix

        matrix = sparse_matrix(gradient, found_of(call, transform.wrt, "Hessian"), sparsity, "symmetric", "Hessian", call.name)
        return (matrix, aux) if transform.has_aux else matrix
    rows = [transform.of_arguments(gradient.inputs.like(row)) for row in gradient.jacobian("reverse")]
    found = transform.of_arguments(gradient.outputs.like(rows))
    return (found, aux) if transform.has_aux else found


def _hvp(transform: Transform, call: TransformCall, v: Any) -> Any:
    call.refuse_objects(transform.wrt)
    vectors = (v,) if transform.single else v
    if not transform.has_aux and (pushed := call.pushed(transform.gradient, dict(zip(transform.wrt, vectors)))) is not None:
        return transform.of_arguments(pushed[1])
    gradient, aux = transform.second(call)
    found = transform.of_arguments(gradient.pulled(gradient.inputs.seeds(vectors, "vector", call.name)))
    return (found, aux) if transform.has_aux else found


def _elementwise(transform: Transform, call: TransformCall) -> Any:
    linear, _, _ = call.linearised(transform.wrt, False)
    linear.require_floats(call.name)
    return transform.of_arguments(linear.diagonal(call.name))


TRANSFORMS.update((vjp, jvp))
