"""Applying a function that has a rule: compute on the arrays, and record a node if an input requires grad."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...errors import MissingRuleError, NonDifferentiableError, article
from ...rules.frames import Rule, rule_for, spelling
from ...rules.suggestions import instead_of, way_out
from ...runtime.arrays import as_number, has_complex, is_foreign, is_host_array, on_device
from ...runtime.device_facts import FAULTY, arguments_named, in_library, lacks
from ...runtime.device_lists import gathered, sent_each
from ...runtime.user_objects import computes
from ..library_run.watch import WATCH, refused
from .accepting import plainly
from .graph import record
from .mutation import REWRITTEN
from .nodes import VOLATILE, Node, Recorded, kind_of
from .plans import plan_for
from .scopes import OFF, is_grad_enabled
from .views import refresh


def apply(rule: Rule | None, args: tuple[Any, ...], kwargs: dict[str, Any], compute: Callable[..., Any] | None = None) -> Any:
    """Call the rule's function on arguments that may be (or contain) Variables; record it where one of them requires grad.

    ``compute`` stands in for the function where another one gives the same: ``x * y`` for ``np.multiply(x, y)``.
    Raises MissingRuleError for a keyword that the rule does not know and for an active argument without a derivative.
    """
    assert rule is not None
    variables = variables_in(args)
    plain_args = tuple(map(raw, args))
    plain_kwargs = kwargs
    if kwargs:
        variables += variables_in(kwargs.values())
        plain_kwargs = {name: raw(value) for name, value in kwargs.items()}
    function = compute or rule.function
    if rule.otherwise_on_device and any(map(on_device, plain_args)):
        function = instead_on_device(rule, plain_args, plain_kwargs)
    z = function(*plain_args, **plain_kwargs)
    if type(z) not in ATOMS:
        z = as_number(z)
    if not variables:
        return z
    lead = leader(variables)
    if not records(variables):
        return lead._result(z, mixed_node(variables), rule.function, args, kwargs)
    if rule.kind == "constant":
        if rule.for_complex is None and has_complex(plain_args):
            over_complex(rule)
        return lead._result(z, None, rule.function, args, kwargs)
    values = bound(rule, args, kwargs)
    node = node_for(rule, values, z)
    if node is not None:
        check_numbers(z, rule)
    return lead._result(z, node, rule.function, args, kwargs)


def instead_on_device(rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """CuPy's function for one of SciPy's, or one that is faulty. Raises MissingRuleError where it has none, or is faulty in this call."""
    path = rule.name.removeprefix("np.")
    found = in_library(path)
    if lacking := lacks(path, [*arguments_named(path, len(args)), *kwargs] if path in FAULTY else []):
        raise refused(MissingRuleError(
            f"{lacking} is given an array on a device", why="CuPy does not have it",
            remedy="write it with what CuPy has, or compute on the computer's own arrays: x.get()",
        ))
    return found


def check_numbers(z: Any, rule: Rule) -> None:
    """Raise NonDifferentiableError unless an active result holds numbers: text and objects come of arguments that hold such."""
    if type(z) is np.float64:
        return
    dtype = getattr(z, "dtype", None)
    if dtype is not None and dtype.kind in "fciub" or isinstance(z, (float, complex, int)):
        return
    if isinstance(z, (list, tuple)):
        for part in z:
            check_numbers(part, rule)
        return
    what = f"an array of {dtype}" if dtype is not None else f"{article(type(z).__name__)}"
    raise refused(NonDifferentiableError(
        f"{rule.name} of a Variable that requires grad gave {what}", why="it holds no numbers, and would silently lose the gradient",
        remedy="give arrays of floats, and let no object take part that computes in a way of its own",
    ))


def records(variables: list[Recorded]) -> bool:
    """Whether what is made of these Variables requires grad."""
    if REWRITTEN and (not OFF or is_grad_enabled()):
        for variable in variables:
            refresh(variable)
    active = False
    for variable in variables:
        node = variable._node
        if node is VOLATILE:
            return False
        active = active or node is not None
    return active and (not OFF or is_grad_enabled())


def mixed_node(variables: list[Recorded]) -> Any:
    """The node of a result that is not recorded: VOLATILE if an input is volatile, else none."""
    return VOLATILE if any(variable._node is VOLATILE for variable in variables) else None


def node_for(rule: Rule, values: tuple[Any, ...], z: Any) -> Node | None:
    """The node of one application: ``values`` are the arguments in the order of the rule's parameters, ``z`` the result.

    None if the result depends on active arguments only where its derivative is zero (a bound of ``np.arange``).
    """
    wanted: list[str] = []
    edges: list[Any] = []
    kinds: list[Any] = []
    plain_values = tuple(map(raw, values))
    differentiable = rule.differentiable
    on_complex = has_complex(z)
    if list in map(type, plain_values) or tuple in map(type, plain_values):
        plain_values = _arrays_for_lists(rule, plain_values)
    for name, value, data in zip(rule.parameters, values, plain_values):
        kind = type(data)
        if data is value and kind in ATOMS and (kind is not ndarray or data.dtype.kind != "c"):
            continue  # a constant
        if name in differentiable:
            if kind not in ATOMS:
                of_plain_kind(rule, data)
            on_complex = on_complex or has_complex(data)
            if isinstance(value, Recorded):
                if value._node is not None:
                    wanted.append(name)
                    edges.append(value._node)
                    kinds.append(kind_of(data))
                continue
            if isinstance(value, (list, tuple)) and rule.sequence and name == next(iter(rule.parameters)):
                found = [(i, part) for i, part in enumerate(value) if isinstance(part, Recorded) and part._node is not None]
                if found:
                    wanted.append(name)
                    edges += [part._node for _, part in found]
                    kinds += [(i, kind_of(part._value)) for i, part in found]
                value = [part for part in value if not isinstance(part, Recorded)]  # lists within the sequence hide none
        elif name in rule.flat:
            continue
        for variable in variables_in([value]):
            if variable._node is not None:
                raise refused(MissingRuleError(
                    f"{rule.name} has no derivative with respect to its argument {name}=, which requires grad",
                    why=f"the rule has derivatives for {', '.join(differentiable) or 'none'}",
                    remedy="give a constant there" if variable._leads else
                    "join a list of Variables by np.stack; give variable.data where a constant is meant",
                ))
    if not wanted:
        return None
    if on_complex:
        rule = over_complex(rule)
    if rule.variants:
        rule = rule.variant(tuple(np.ndim(data) for name, data in zip(rule.parameters, plain_values) if name in differentiable))
    plan = plan_for(rule, tuple(wanted), type(z) not in ATOMS and on_device(z[0] if type(z) is tuple else z))
    saved = plan.save(z, *plain_values)
    restore: Any = tuple(kinds)
    if rule.function in DECOMPOSITIONS:
        return DECOMPOSITIONS[rule.function](rule, record(plan, tuple(edges), saved, restore), z, plain_values[0])
    if not rule.sequence and rule.outputs == 1:
        z_kind = kind_of(z)
        if rule.kind == "elementwise":
            if all(kind == z_kind for kind in kinds):
                restore = None
        elif all(kind[1] == z_kind[1] for kind in kinds):
            restore = None
    return record(plan, tuple(edges), saved, restore)


DECOMPOSITIONS: dict[Any, Callable[..., Node]] = {}
"""Functions whose values may be equal, so that their derivative is a limit: what makes the node (``equal_value_limits.py``)."""


def of_plain_kind(rule: Rule, data: Any) -> None:
    """Raise an error for an operand whose class computes in a way of its own (a library run reads such arrays as any others)."""
    if is_host_array(data):
        plainly(data)
    elif not isinstance(data, (np.generic, float, int, complex, list, tuple)) and not is_foreign(data) and computes(type(data)):
        raise refused(NonDifferentiableError(
            f"{rule.name} of a Variable that requires grad was given {article(type(data).__name__)}",
            why="its class says itself what operators mean",
            remedy="give numbers and arrays, or write x * y for np.multiply(x, y)",
        ))


def over_complex(rule: Rule) -> Rule:
    """The rule for complex numbers. Raises NonDifferentiableError if there is none."""
    try:
        return rule.over_complex()
    except NonDifferentiableError as error:
        refused(error)
        raise


def _arrays_for_lists(rule: Rule, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with arrays instead of lists for what has a derivative: a formula computes with it, but for a sequence of arrays."""
    names = rule.differentiable[1:] if rule.sequence else rule.differentiable
    return tuple(
        np.asarray(value) if type(value) in (list, tuple) and name in names else value for name, value in zip(rule.parameters, values)
    )


def bound(rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All the rule's arguments in order, of a call. Raises MissingRuleError for a keyword that the rule does not know."""
    try:
        return binder(rule, len(args), tuple(kwargs))(args, kwargs)
    except MissingRuleError as error:
        known = without_defaults(rule, args, kwargs)
        if known == (len(args), set(kwargs)):
            refused(error)
            raise
        count, names = known
        more = dict(zip(list(inspect.signature(rule.function).parameters)[count:], args[count:])) if count < len(args) else {}
        return bound(rule, args[:count], {name: value for name, value in {**more, **kwargs}.items() if name in names})


def without_defaults(rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, set[str]]:
    """How many arguments to give by position, and which by name, so that none is given that has its default."""
    try:
        parameters = inspect.signature(rule.function).parameters
    except (ValueError, TypeError):  # of a function in C that does not say
        return len(args), {name for name, value in kwargs.items() if value is not None}
    if len(args) > len(parameters) or any(known.kind in (known.VAR_POSITIONAL, known.VAR_KEYWORD) for known in parameters.values()):
        return len(args), set(kwargs)
    count = min(len(args), sum(known.kind is not known.KEYWORD_ONLY for known in rule.parameters.values()))
    given = {**dict(zip(parameters, args)), **kwargs}
    return count, {name for name in list(given)[count:] if name not in parameters or given[name] is not parameters[name].default}


@cache
def binder(rule: Rule, count: int, names: tuple[str, ...]) -> Callable[[Any, Any], tuple[Any, ...]]:
    """A function from a call's ``(args, kwargs)``, of this form, to all the rule's arguments in order, defaults filled in."""
    places: dict[int, str] = {}

    class Place:
        def __init__(self, text: str):
            places[id(self)] = text

    args = tuple(Place(f"args[{i}]") for i in range(count))
    kwargs = {name: Place(f"kwargs[{name!r}]") for name in names}
    bound = rule.bind(args, kwargs)
    defaults = list(bound.values())
    picks = "".join(places.get(id(value), f"defaults[{i}]") + ", " for i, value in enumerate(defaults))
    checks = "".join(f"check({name!r}, {places[id(bound[name])]}); " for name in rule.only if id(bound[name]) in places)
    scope: dict[str, Any] = {"defaults": defaults, "check": rule.check}
    exec(f"def bind(args, kwargs):\n    {checks}return ({picks})", scope)
    return scope["bind"]  # type: ignore[no-any-return]


ndarray = np.ndarray
ATOMS = frozenset((np.ndarray, np.float64, float, int, bool, str, type(None)))
"""The usual types of values that neither are nor hold Variables."""


def raw(value: Any) -> Any:
    """A value with the arrays of the Variables in it instead of these."""
    if isinstance(value, Recorded):
        return value._value
    kind = type(value)
    if kind in ATOMS:
        return value
    if isinstance(value, (list, tuple)):
        items = [raw(item) for item in value]
        return kind(items) if kind is list or kind is tuple else kind(*items) if hasattr(kind, "_fields") else items
    if isinstance(value, dict):
        return {key: raw(item) for key, item in value.items()}
    if kind is slice and variables_in([value.start, value.stop, value.step]):
        return slice(raw(value.start), raw(value.stop), raw(value.step))
    if isinstance(value, int) and kind is not int:
        return int(value)  # the number of entries, which can be called
    if is_host_array(value):
        plainly(value)
    return value


def variables_in(values: Any) -> list[Recorded]:
    """The Variables among values, and in the lists, tuples and dicts among them."""
    found: list[Recorded] = []
    for value in values:
        if isinstance(value, Recorded):
            found.append(value)
        elif type(value) in ATOMS:
            continue
        elif isinstance(value, (list, tuple)):
            found += variables_in(value)
        elif isinstance(value, dict):
            found += variables_in(value.values())
    return found


def stacked(values: Any) -> Any:
    """``np.array`` of a (nested) list with Variables in it."""
    if not isinstance(values, (list, tuple)):
        return values
    if not variables_in(values):
        return in_library("array")(gathered(values)) if WATCH.on_device else np.array(values)
    parts = [stacked(value) for value in values]
    if WATCH.on_device:
        return apply(rule_for(np.stack), (parts,), {}, compute=lambda arrays: in_library("stack")(sent_each(arrays)))
    numbers = all(isinstance(part, (float, int)) for part in map(raw, parts))  # of which an array is made much sooner
    return apply(rule_for(np.stack), (parts,), {}, compute=np.array if numbers else None)


def in_library_run(value: Any) -> bool:
    """Whether a value is a Variable of a library run."""
    return isinstance(value, Recorded) and value._leads


def leader(variables: list[Recorded]) -> Recorded:
    """The Variable whose class makes the result: one of a library run before one of the user's."""
    for variable in variables:
        if variable._leads:
            return variable
    return variables[0]


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply a function that may have no rule: then nothing that requires grad may go in.

    Raises MissingRuleError that names the function.
    """
    rule = rule_for(function)
    if rule is not None:
        if rule.sequence and args and isinstance(args[0], Recorded):
            args = (list(args[0]), *args[1:])  # type: ignore[call-overload]  # a Variable is the sequence of its rows
        return apply(rule, args, kwargs)
    variables = variables_in([*args, *kwargs.values()])
    if not variables:
        return function(*args, **kwargs)
    lead = leader(variables)
    if records(variables):
        raise refused(missing(function, lead._leads))
    return lead._ruleless(function, args, kwargs, mixed_node(variables))


def missing(function: Any, in_library_run: bool = False) -> MissingRuleError:
    """The error for an active value in a function without a rule."""
    otherwise = "keep the value that is being differentiated out of it" if in_library_run else (
        "pass variable.detach() where a constant is meant"
    )
    name = spelling(function)
    ways = instead_of(function) or way_out(function)
    return MissingRuleError(
        f"{name} has no derivative rule", why="an argument requires grad, and the result would silently lose its gradient",
        remedy=f"{ways}, or {otherwise}",
    )
