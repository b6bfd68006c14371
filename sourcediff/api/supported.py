"""What has a derivative: the tables of rules, read out."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, overload

import numpy as np

from ..errors import MissingRuleError
from ..rules.frames import rule_for, spelling
from ..rules.library_functions import FUNCTIONALS, composite_for
from ..rules.library_objects import record_for

OF_SCIPY = """
    sparse sparse.linalg linalg integrate optimize interpolate signal ndimage fft special stats spatial spatial.distance
    spatial.transform"""
PACKAGES = ("builtins", "math", "numpy", "numpy.linalg", "numpy.fft", *(f"scipy.{name}" for name in OF_SCIPY.split()))
"""The packages whose public functions are in the table."""

REASONS = {
    "gives no numbers that move with its arguments: labels, tests, indices, settings, texts, files, draws": r"""
        math\.(comb|factorial|gcd|lcm|isqrt|perm|isclose|ulp) .*\.(is_?[svbdf]|isn|ispos|get_|num_obs|check_|choose_|find_)\w*
        numpy\.(array_equiv|bitwise_count|broadcast\w*|busday\w*|einsum_path|[fi]info|info|format\w+|genfromtxt|memmap|nested_iters|dtype)
        numpy\.(from(buffer|file|regex|string)|(un)?packbits|\w+_(repr|cast|from|indices|type\w*|string|data)|test|ix_|gcd|lcm|iterable|ufunc)
        numpy\.(get\w+|set\w+|show\w+|print\w+|load\w*|save\w*|typename|mintypecode|spacing|linalg\.matrix_rank) .*\.(.eterr\w*)
        .*\.(\w+_(backend|options|plot|plot_2d|workers|npz)|OptimizeResult|RootResults|errstate|find|findfreqs|arg[rm]\w+|peak_\w+|\w+_lags)
        scipy\.\w+\.(random_\w+|\w*ortho_group|unitary_group|uniform_direction|binned_\w+|mode|\w+freq|value_indices|histogram|unit_impulse)""",
    "makes windows, nodes, matrices or filters of counts and settings: constants where nothing in them is differentiated": r"""
        numpy\.(bartlett|blackman|hamming|hanning|kaiser) scipy\.special\.(\w*roots\w*|\w{1,2}_roots|\w+_zeros|bernoulli|euler|factorial\w+)
        scipy\.linalg\.(hadamard|helmert|\w*hilbert|\w*pascal|dft|fiedler\w*|leslie|companion) scipy\.integrate\.(newton_cotes|lebedev_rule)
        scipy\.signal\.(\w+ap|\w+ord|bilinear\w*|butter|cheby.|bessel|ellip|fir\w+|iir\w+|remez|gammatone|kaiser_\w+|(lp|ss|tf|zpk|sos)2\w+)""",
    "no closed form of its derivative is known, or none in SciPy's functions": r"""
        scipy\.special\.(mathieu_[ab]|obl_cv\w*|pro_cv\w*|ellip_normal|stdtridf|chdtriv|gdtrib|btdtri[ab]|\w+tri(k|n|nc|df\w?)|smir\w+)
        scipy\.special\.(kolmog\w+|log_wright\w+) scipy\.stats\.(levy_stable|studentized_range|kstwo\w*|ksone)""",
    "a search among cases: differentiate the problem at its answer, with optimize.minimize or sourcediff.implicit": r"""
        scipy\.optimize\.(linprog|milp|quadratic_\w+|brute|basinhopping|shgo|direct|dual_\w+|differential_\w+|bracket|line_search)
        scipy\.spatial\.(ConvexHull|Delaunay|HalfspaceIntersection|\w*Voronoi|tsearch)""",
    "a test of a hypothesis": r"scipy\.stats\.(\w*test\w*|anderson\w*|ks_\w+|\w+exact|kruskal|shapiro|levene|fligner|wilcoxon|\w+Method)",
}
"""Reason why there is no rule → expressions of the names; of every other function it is not written yet."""

LANGUAGE = (sum, max, min, sorted)
"""Builtins that both engines read as they do loops."""


class Support(NamedTuple):
    """What the tables say of one function.

    ``kind``: that of its rule; ``"composite"``: said by others that have rules; ``"functional"``: a solver, given functions;
    ``"record"``: a class, or what makes objects of one, and ``methods`` those that have a derivative; None: there is none, and ``note``
    says why. ``differentiable``: the parameters with a derivative, of a composite or a solver all (what it does with them decides).
    ``keywords``: the other parameters known, and the values that are taken, () for any. ``complex``: whether complex numbers are, None
    where the parts decide. ``forward``: whether the compiler has its forward mode. ``lines``: of all its formulas together.
    """

    name: str
    kind: str | None
    differentiable: tuple[str, ...] = ()
    keywords: Mapping[str, tuple[Any, ...]] = types.MappingProxyType({})
    complex: bool | None = None
    forward: bool = False
    lines: int = 0
    methods: tuple[str, ...] = ()
    note: str = ""


@overload
def supported(f: None = None) -> list[Support]: ...
@overload
def supported(f: Callable[..., Any] | str) -> Support: ...
def supported(f: Callable[..., Any] | str | None = None) -> Support | list[Support]:
    """What is known of a function, NumPy's, SciPy's or Python's, given itself or by name; of all of them where none is given.

    The whole table has every public function of NumPy's and SciPy's packages, also those without a derivative; for it SciPy is imported,
    where it is installed. Raises MissingRuleError for a name that nothing has.

    >>> import numpy as np, sourcediff
    >>> found = sourcediff.supported(np.arctan2)
    >>> found.kind, found.differentiable, found.complex
    ('elementwise', ('y', 'x'), False)
    >>> sourcediff.supported("numpy.linalg.matrix_rank").note
    'gives no numbers that move with its arguments: labels, tests, indices, settings, texts, files, draws'
    """
    if f is None:
        return [_support(name, function) for package in PACKAGES for name, function in _public(package)]
    from pydoc import locate

    name = re.sub(r"^np\.", "numpy.", f if isinstance(f, str) else spelling(f))
    if isinstance(f, str) and (f := locate(name)) is None:  # type: ignore[assignment]
        raise MissingRuleError(f"there is no function {name}", remedy="give its full name, like scipy.signal.lfilter, or itself")
    return _support(name, f)


def _public(package: str) -> Iterator[tuple[str, Any]]:
    """The public functions of a package with their names, and its classes, other than those of dtypes and errors."""
    if package.startswith("scipy.") and importlib.util.find_spec("scipy") is None:
        return
    module = importlib.import_module(package)
    for name in sorted({*(getattr(module, "__all__", None) or dir(module))}):
        function = getattr(module, name, None)
        if callable(function) and not name.startswith("_") and (package != "builtins" or function in LANGUAGE or rule_for(function)):
            if not isinstance(function, type) or not issubclass(function, (BaseException, np.generic)):
                yield f"{package}.{name}".removeprefix("builtins."), function


def _support(name: str, function: Any) -> Support:
    from ..eager.library_run.recorded_math import COMPOSED, ITERATING
    from ..eager.library_run.type_proxies import OTHERS
    from ..eager.numpy_api.writing import INSTEAD
    from ..frontend.desugar.numpy_functions import SUBSTITUTES
    from ..frontend.lower.mutating_calls import SPELLINGS
    from ..rules.facts import FACTS

    rule, plain, record = rule_for(function), composite_for(function), record_for(function)
    if rule is not None:
        known = dict.fromkeys([*rule.parameters, *_parameters(plain)])
        others = [key for key in known if key not in (*rule.differentiable, "self")]
        keywords = {key: () if plain is not None else rule.only.get(key, ()) for key in others}
        forward = rule.kind != "general" or rule.tangent is not None
        lines = sum(map(lines_of, rule.formulas))
        return Support(name, rule.kind, rule.differentiable, keywords, rule.for_complex is not None, forward, lines)
    if record is not None or isinstance(plain, type):
        own = [key for key in vars(plain) if key[0] != "_" or key == "__call__"] if plain is not None else []
        if not isinstance(function, type):  # a distribution, which also has methods that are SciPy's own
            own = [key for key in own if _differentiated(getattr(function, key, None))]
        methods = dict.fromkeys([*own, *(key for key in dir(record.kind) if _differentiated(record.method(key)))] if record else own)
        return Support(name, "record", _parameters(plain), forward=True, lines=lines_of(plain), methods=tuple(methods))
    if plain is not None:
        kind = "functional" if function in FUNCTIONALS else "composite"
        return Support(name, kind, _parameters(plain), forward=True, lines=lines_of(plain))
    hashable = type(function).__hash__ is not None
    if hashable and (function in SUBSTITUTES or function in SPELLINGS or function in LANGUAGE):
        return Support(name, "composite", forward=True)
    of_math = name.startswith("math.") and name[5:] in {**COMPOSED, **ITERATING}
    if of_math or hashable and (function in INSTEAD or function in OTHERS or function in FACTS["converts"]):
        return Support(name, "composite", note="on the eager engine alone")
    if isinstance(function, types.FunctionType) and function.__module__.split(".")[0] not in ("numpy", "scipy"):
        return Support(name, None, note="it has no rule: its source is read")
    return Support(name, None, note=next((reason for reason, names in _reasons() if names.fullmatch(name)), "not written yet"))


@functools.cache
def _reasons() -> list[tuple[str, re.Pattern[str]]]:
    return [(reason, re.compile("|".join(names.split()))) for reason, names in REASONS.items()]


def _differentiated(method: Any) -> bool:
    """Whether a method has a derivative."""
    rule = rule_for(method)
    return composite_for(method) is not None if rule is None else rule.kind != "constant"


def _parameters(plain: Any) -> tuple[str, ...]:
    """The names of what a function, or a class, takes."""
    return () if plain is None else tuple(inspect.signature(plain).parameters)


@functools.cache
def lines_of(written: Any) -> int:
    """The lines of a formula, or of the methods of a class, without decorators and docstrings."""
    if isinstance(written, type):
        return sum(lines_of(method) for method in vars(written).values() if isinstance(method, types.FunctionType))
    if written is None:
        return 0
    tree: Any = ast.parse(textwrap.dedent(inspect.getsource(written))).body[0]
    said = tree.body[0].end_lineno - tree.body[0].lineno + 1 if ast.get_docstring(tree) else 0
    return int(tree.end_lineno) - int(tree.lineno) + 1 - said
