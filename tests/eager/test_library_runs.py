"""Library runs: the user's unmodified function on the eager engine (DESIGN §5), against differences of the plain function."""

import copy
import functools
import gc
import inspect
import math
import threading
import types
import weakref

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from sourcediff.eager import Variable, grad
from sourcediff.eager.library_run.recording import gradients_of, held_by_run, record_run, run_gradient
from sourcediff.errors import AliasingError, MissingRuleError, NonDifferentiableError, UnknownParameterError, UnsupportedSyntaxError

from ..corpus import CASES
from ..corpus.judge import copied, differing_bits, reference, without_output, wrong_gradient
from ..sampling import name_of, sampled

X = np.array([0.3, 0.5, -0.7, 1.2])


def run(case, args, kwargs):
    bound = inspect.signature(case.function).bind(*args, **kwargs)
    bound.apply_defaults()
    names = list(bound.signature.parameters)
    wrt = case.wrt if isinstance(case.wrt, tuple) else (case.wrt,)
    value, gradients = run_gradient(case.function, dict(bound.arguments), tuple(names[w] if isinstance(w, int) else w for w in wrt))
    return value, gradients if isinstance(case.wrt, tuple) else gradients[0]


@sampled(16, "case", CASES, ids=name_of)
def test_the_corpus(case):
    for dtype in (np.float64, np.float32) if case.float32 else (np.float64,):
        for sizes in case.sizes:
            args, kwargs = case.make(sizes, dtype)
            truth = reference(case.function, args, kwargs, case.wrt)
            given = copied((args, kwargs))
            (value, gradient), printed = without_output(run, case, *given)
            assert printed == truth.printed
            assert not differing_bits(value, truth.value)
            assert not differing_bits(given, truth.after), "the arguments are not as a plain call leaves them"
            wrong = wrong_gradient(gradient, case.function, args, kwargs, case.wrt, truth)
            assert not wrong, "\n".join(wrong)


def check(f, *args, wrt=None):
    """Assert that value, arguments afterwards and gradients are right."""
    wrt = tuple(range(len(args))) if wrt is None else wrt
    names = list(inspect.signature(f).parameters)
    truth = reference(f, args, {}, wrt)
    given = copied(args)
    value, gradients = run_gradient(f, dict(zip(names, given)), tuple(names[i] for i in wrt))
    assert not differing_bits(value, truth.value) and not differing_bits(given, truth.after[0])
    wrong = wrong_gradient(gradients, f, args, {}, wrt, truth)
    assert not wrong, "\n".join(wrong)


SCALE = np.array([1.0, 2.0, 0.5, -1.0])
TABLE = {"w": np.array([2.0, 3.0])}


def helper(u):
    out = np.zeros(len(u))
    for i, value in enumerate(u):
        out[i] = value * value
    return out


def calls_a_helper_with_a_buffer(x):
    return np.sum(helper(x) * x)


def collects_in_lists(x):
    parts = [x[0] * x[1]]
    for value in x:
        parts.append(value ** 2)
    stacked = np.array(parts)
    both = np.array([[parts[0], 1.0], [x[2], parts[1]]])
    return np.sum(stacked * np.arange(len(parts))) + np.sum(both ** 2) + np.mean(parts) + sum(parts)


def joins(x):
    a = np.r_[x[0], x, 2.0, x ** 2]
    b = np.concatenate([[x[1]], x[1:]])
    return np.sum(a ** 2) + np.sum(b ** 3)


def keeps_state_in_a_dict(x):
    state = {"h": np.zeros(2), "log": []}
    for value in x:
        state["h"] = np.tanh(state["h"] + value)
        state["log"].append(state["h"][0])
    return np.sum(state["h"]) + np.sum(np.asarray(state["log"]) ** 2)


def uses_builtins_and_math(x):
    a = float(x[0]) + abs(x[1]) * max(x[2], x[3]) + min(x) + math.sin(x[1]) * math.exp(float(x[0]))
    if isinstance(a, float) and isinstance(x, np.ndarray):
        a = a * 2
    k = int(x[3])
    return a + pow(x[0], 2) + x[k] + round(x[1]) + divmod(x[3], 0.5)[1]


def uses_a_global_array(x):
    scale = SCALE.copy()
    scale[0] = x[1]
    SCALE_VIEW = SCALE[1:]
    return np.sum(scale * x) + np.sum(SCALE_VIEW * x[1:]) + np.sum(TABLE["w"] * x[:2] ** 2)


def fills_an_inactive_result(x):
    table = np.exp(SCALE)
    table[1:] = x[1:] * table[1:]
    return np.sum(table ** 2)


def writes_with_out(x):
    out = np.empty_like(x)
    np.multiply(x, x, out=out)
    np.add(out, x, out=out)
    out.fill(2.0) if x[0] > 5 else None
    return np.sum(out ** 2)


def broadcasts_into(x):
    grid = np.empty((3, 4))
    grid[:] = x
    grid[1] *= x[0]
    grid.T[2] = x[1]
    flat = grid.ravel()
    flat[3] = x[3] ** 2
    return np.sum(grid ** 2)


def imports_inside(x):
    import numpy
    from numpy import zeros
    out = zeros(2)
    out[0] = x[0] ** 2
    other = numpy.ones(2)
    other[1] = x[1]
    return numpy.sum(out * other) + out[0]


def recursion(x, n):
    if n == 0:
        return x[0]
    out = np.zeros(2)
    out[0] = recursion(x, n - 1)
    return out[0] * x[n]


def local_function(x):
    buffer = np.zeros(3)

    def put(i, value):
        buffer[i] = value

    for i in range(3):
        put(i, x[i] * x[i + 1])
    return np.sum(buffer ** 2)


def comprehension_and_lambda(x):
    square = lambda v: v * v  # noqa: E731
    return np.sum(np.stack([square(v) for v in x])) + np.sum(np.array([v for v in x if v > 0]) ** 3)


def constants_changed_after_use(x):
    weight = np.array([1.0, 2.0, 3.0, 4.0])
    picked = np.array([0, 1])
    y = np.sum(x * weight) + np.sum(x[picked] ** 2)
    weight *= 10
    picked[:] = 3
    mask = x > 0
    z = np.sum(np.where(mask, x ** 2, x ** 3))
    mask[:] = False
    return y + z + np.sum(weight * x)


def long_chain_of_views(x):
    a = np.concatenate([x] * 100)
    v = a
    for _ in range(300):
        v = v[1:]
    a *= 2
    v[0] = x[0]
    return np.sum(a ** 2) + np.sum(v)


def updates_a_global_array_view(x):
    work = SCALE * 1.0
    work[::2] += x[::2]
    return np.sum(work * x)


def looks_at_types(x):
    s = x[0] * 2
    a = 1.0 if type(s) is np.float64 and type(x) is np.ndarray and isinstance(float(s), float) else 100.0
    kinds = {float: 1.0, np.float64: 2.0}
    seen = {s: a}
    return seen[s] * s * kinds[type(s)] + np.float32(x[1]) * 1.0 + np.float64(x[2]) ** 2 + len({type(s), np.float64})


def copies_deeply(x):
    state = {"h": x * 1.0, "n": 2.0}
    other = copy.deepcopy(state)
    other["h"][0] = 5.0 * x[1]
    same = x.astype(float, copy=False)
    new = x.astype(np.float64)
    new *= 2
    return np.sum(state["h"] * other["h"]) + np.sum(same ** 2) + np.sum(new * x)


PROGRAMS = [
    looks_at_types, copies_deeply,
    calls_a_helper_with_a_buffer, collects_in_lists, joins, keeps_state_in_a_dict, uses_builtins_and_math, uses_a_global_array,
    fills_an_inactive_result, writes_with_out, broadcasts_into, imports_inside, local_function, comprehension_and_lambda,
    constants_changed_after_use, long_chain_of_views, updates_a_global_array_view,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    check(f, X)


def test_recursion():
    check(recursion, X, 3, wrt=(0,))


def closure_over(array, function):
    def f(x):
        work = array * 1.0
        work[0] = x[0]
        return np.sum(work * function(x))

    return f


def test_closures():
    check(closure_over(np.array([1.0, 2.0, 3.0, 4.0]), helper), X)

    def even(x, n):
        return x[0] if n == 0 else odd(x, n - 1) * x[1]

    def odd(x, n):
        out = np.zeros(1)
        out[0] = even(x, n - 1) + x[2]
        return out[0]

    check(even, X, 4, wrt=(0,))


def test_bound_methods():
    class Model:
        def __init__(self):
            self.scale = np.array([1.0, 2.0, 3.0, 4.0])

        def loss(self, x):
            out = np.zeros(4)
            out[1:] = (self.scale * x)[1:]
            return np.sum(out ** 2)

    check(Model().loss, X)


def test_partials_and_callable_objects():
    def scaled(array, x):
        out = np.zeros(4)
        out[:] = array * x
        return np.sum(out ** 2)

    class Scaled:
        def __call__(self, x):
            return scaled(np.arange(4.0), x)

    for f in (functools.partial(scaled, np.arange(4.0)), Scaled()):
        value, (g,) = run_gradient(f, {"x": X}, ("x",))
        np.testing.assert_allclose(g, 2 * np.arange(4.0) ** 2 * X)
        assert value == f(X)


def test_second_order_by_a_run_within_a_run():
    def f(x):
        u = x.copy()
        u[1:] *= u[:-1]
        u[0] = np.sin(u[1])
        return np.sum(u ** 3)

    def squared_gradient(x):
        (g,) = run_gradient(f, {"x": x}, ("x",))[1]
        return np.sum(g * g)

    check(squared_gradient, X)


def test_no_perturbation_confusion():
    def inner(y, x):
        return x * y

    def outer(x):
        (g,) = run_gradient(inner, {"y": 1.0, "x": x}, ("y",))[1]
        return x * g

    assert run_gradient(outer, {"x": 3.0}, ("x",)) == (9.0, (6.0,))


def test_variables_in_variables_out():
    x = Variable(2.0, requires_grad=True)
    value, (gradient,) = run_gradient(lambda t: t ** 3, {"t": x}, ("t",))
    assert isinstance(value, Variable) and gradient.item() == 12.0
    assert grad(gradient, x)[0].item() == 12.0


def test_an_int_counts_as_a_float_and_structures_keep_theirs():
    assert run_gradient(lambda x, n: x * n, {"x": 3, "n": 2}, ("x",)) == (6.0, (2.0,))
    params = {"w": np.ones(2), "more": [2.0, (np.float32(3.0),)]}
    _, (g,) = run_gradient(lambda p: np.sum(p["w"]) * p["more"][0] * p["more"][1][0], {"p": params}, ("p",))
    assert g["w"].tolist() == [6.0, 6.0] and g["more"] == [6.0, (4.0,)] and type(g["more"][1][0]) is np.float32


def test_has_aux():
    value, (g,) = run_gradient(lambda x: (np.sum(x), {"twice": 2 * x}), {"x": X}, ("x",), has_aux=True)
    assert value[0] == np.sum(X) and type(value[1]["twice"]) is np.ndarray and g.tolist() == [1.0] * 4


def test_an_argument_that_is_not_used_has_zeros():
    _, (gx, gy) = run_gradient(lambda x, y: np.sum(x), {"x": X, "y": np.ones((2, 2))}, ("x", "y"))
    assert gy.tolist() == [[0.0, 0.0], [0.0, 0.0]] and gx.tolist() == [1.0] * 4


@pytest.mark.parametrize("bad", [np.arange(3), "text", None, True, np.array(["a"]), [1.0, np.arange(2)], {"w": None}], ids=repr)
def test_arguments_without_a_gradient_are_refused(bad):
    with pytest.raises(NonDifferentiableError, match=r"^the argument x"):
        run_gradient(lambda x: 1.0, {"x": bad}, ("x",))


@pytest.mark.parametrize("f", [lambda x: x, lambda x: x > 0, lambda x: 3, lambda x: None, lambda x: [x[0]], lambda x: x.astype(int)[0]])
def test_results_without_a_gradient_are_refused(f):
    with pytest.raises(NonDifferentiableError, match="returned"):
        run_gradient(f, {"x": X}, ("x",))
    with pytest.raises(UnknownParameterError, match="'y'"):
        run_gradient(f, {"x": X}, ("y",))


def test_nothing_is_swallowed():
    def unknown(x):
        return np.sum(np.spacing(x))

    def as_index(x):
        return float(sum(range(x[0])))

    def method(x):
        y = x * 1.0
        y.resize((2, 2))
        return y[0, 0]

    for f, error in ((unknown, MissingRuleError), (as_index, TypeError), (method, MissingRuleError)):
        with pytest.raises(error):
            run_gradient(f, {"x": X}, ("x",))


def changes_both(x, y):
    x[0] = y[1] * 2
    return np.sum(x) + np.sum(y)


def test_arguments_that_share_memory_are_read_but_not_written():
    base = np.arange(6.0)
    for x, y in ((base, base), (base[:4], base[2:])):
        with pytest.raises(AliasingError, match="share"):
            run_gradient(changes_both, {"x": x, "y": y}, ("x",))
        assert base.tolist() == [0, 1, 2, 3, 4, 5]
        assert run_gradient(lambda x, y: np.sum(x) * np.sum(y), {"x": x, "y": y}, ("x",))[1][0].tolist() == [float(np.sum(y))] * len(x)
    check(changes_both, base[:2].copy(), base[2:].copy())


@pytest.mark.parametrize("order", ["F", "sliced", "reversed", "read-only"])
def test_arguments_in_any_memory_order(order):
    base = np.random.default_rng(0).standard_normal((4, 6))
    a = {"F": np.asfortranarray(base), "sliced": base[::2, 1:5], "reversed": base[::-1, ::-1], "read-only": base.copy()}[order]
    a.flags.writeable = order != "read-only"

    def f(a):
        b = a.copy()
        b[1] *= b[0]
        return np.sum(b.T[1] * b[:, 0]) + np.sum(a ** 2)

    def changes(a):
        a[0] *= a[1]
        a.T[1] += 1.0
        return np.sum(a ** 2)

    _, (g,) = run_gradient(f, {"a": a}, ("a",))
    assert not wrong_gradient((g,), f, (a,), {}, (0,), reference(f, (np.array(a),), {}, (0,)))
    if order == "read-only":
        with pytest.raises(ValueError, match="read-only"):
            run_gradient(changes, {"a": a}, ("a",))
    else:
        truth = reference(changes, (np.array(a),), {}, (0,))
        _, (g,) = run_gradient(changes, {"a": a}, ("a",))
        np.testing.assert_array_equal(a, truth.after[0][0])
        assert not wrong_gradient((g,), changes, (a,), {}, (0,), truth)


def test_containers_of_the_caller_are_changed_as_by_a_plain_call():
    def f(params, log):
        params["w"] = params["w"] * 2
        params["new"] = np.sum(params["w"])
        log.append(params["new"] * 1.0)
        params["b"] += 1.0
        return params["new"] + np.sum(params["b"])

    def fresh():
        return {"w": np.ones(2), "b": np.zeros(2), "gone": 1.0}, [0.0]

    plain, mine = fresh(), fresh()
    value = f(*plain)
    got, (g,) = run_gradient(f, {"params": mine[0], "log": mine[1]}, ("params",))
    assert got == value and not differing_bits(mine, plain)
    assert g["w"].tolist() == [2.0, 2.0] and g["b"].tolist() == [1.0, 1.0] and g["gone"] == 0.0


def test_after_an_error_the_arguments_are_as_a_plain_call_leaves_them():
    def f(x, log):
        x[0] = x[1] * 2
        log.append(x[0])
        raise KeyError("the program's own")

    x, log = X.copy(), []
    with pytest.raises(KeyError, match="own"):
        run_gradient(f, {"x": x, "log": log}, ("x",))
    assert x[0] == 1.0 and log == [1.0] and type(log[0]) is np.float64


def test_the_users_module_is_never_changed():
    module = types.ModuleType("users_module")
    exec(
        "import numpy as np\nimport math\nfrom numpy import sin\nSTATE = np.ones(3)\n"
        "def helper(x):\n    return sin(x) * math.pi\n"
        "def f(x):\n    out = np.zeros(3)\n    out[:] = helper(x)\n    return np.sum(out * STATE)\n"
        "def g(x):\n    global STATE\n    STATE = x\n    return np.sum(STATE)\n",
        vars(module),
    )
    before = dict(vars(module))
    x = np.array([0.1, 0.2, 0.3])
    _, (g,) = run_gradient(module.f, {"x": x}, ("x",))
    np.testing.assert_allclose(g, np.cos(x) * math.pi)
    with pytest.raises(UnsupportedSyntaxError, match="assigns to the global STATE"):
        run_gradient(module.g, {"x": x}, ("x",))
    assert vars(module) == before and module.f.__globals__ is vars(module)
    module.STATE = 2 * module.STATE  # the view of the globals is a live one
    np.testing.assert_allclose(run_gradient(module.f, {"x": x}, ("x",))[1][0], 2 * np.cos(x) * math.pi)


WORK = np.zeros(4)


def test_arrays_of_others_take_no_active_values():
    class Model:
        def __init__(self):
            self.work = np.zeros(4)

        def loss(self, x):
            work = np.asarray(self.work)
            work[0] = x[0]
            return np.sum(self.work)

    def global_array(x):
        WORK[0] = x[0]
        return np.sum(WORK)

    def cached_array(x):
        work = cached(3)
        work[0] = x[0]
        return np.sum(cached(3))

    def of_a_spline(x):
        spline = make_interp_spline(np.arange(4.0), np.ones(4))
        spline.c[0] = x[0]
        return spline(0.2) * spline.c[0]

    def constants_only(x):
        WORK[1:] = 2.0
        return np.sum(WORK * x)

    def reads_first(x):
        total = np.sum(WORK)
        x[0] = x[1] * 2
        return np.sum(x) + total

    def writes_first(x):
        x[0] = x[1] * 2
        return np.sum(x) + np.sum(WORK)

    for f in (reads_first, writes_first):
        with pytest.raises(AliasingError, match="in two ways"):
            run_gradient(f, {"x": WORK}, ("x",))
    model = Model()
    for f in (model.loss, global_array, cached_array, of_a_spline):
        with pytest.raises(AliasingError, match="no argument of the function"):
            run_gradient(f, {"x": X}, ("x",))
    assert not model.work.any() and not WORK.any() and cached(3).all()
    assert run_gradient(constants_only, {"x": X}, ("x",))[1][0].tolist() == WORK.tolist() == [0.0, 2.0, 2.0, 2.0]


LOG = []
HISTORY = {"values": []}


class Counter:
    def __init__(self):
        self.total = 0.0
        self.last = None

    def add(self, x):
        self.total = self.total + np.sum(x)
        self.last = x * 2
        return self.total ** 2


def test_the_graph_of_a_run_dies_with_it():
    refs = []

    def f(x):
        work = np.exp(x * SCALE)
        refs.append(weakref.ref(work._node))
        work[1:] *= work[:-1]
        refs.append(weakref.ref(work._node))
        return np.sum(work * SCALE)

    gc.collect()
    gc.disable()
    try:
        run_gradient(f, {"x": X}, ("x",))
        assert [ref() for ref in refs] == [None, None]
    finally:
        gc.enable()


def test_no_variables_are_left_behind():
    counter, total, given = Counter(), 0.0, Counter()

    def f(x, state):
        nonlocal total
        total = np.sum(x)
        LOG.append(x[0] * 2)
        HISTORY["values"].append((total, x * 1.0))
        state.last = [x * 3]
        return counter.add(x) * total

    LOG.clear()
    _, (g,) = run_gradient(f, {"x": X, "state": given}, ("x",))
    np.testing.assert_allclose(g, 3 * np.sum(X) ** 2)
    run_gradient(counter.add, {"x": X}, ("x",))
    left = [*LOG, *HISTORY["values"][0], total, counter.total, counter.last, given.last[0]]
    assert [type(item) for item in left] == [np.float64, np.float64, np.ndarray, np.float64, np.float64, np.ndarray, np.ndarray]


def test_functions_among_the_arguments_see_what_the_function_sees():
    def f(x, activation):
        return np.sum(activation(x))

    def activation(x):
        out = np.zeros_like(x)
        out[x > 0] = x[x > 0]
        buffer = np.empty(4)
        buffer[:] = out
        return buffer

    check(f, X, activation, wrt=(0,))


def test_assigning_to_a_module_is_refused():
    def f(x):
        np.spam = x
        return np.sum(x)

    with pytest.raises(UnsupportedSyntaxError, match=r"numpy.spam"):
        run_gradient(f, {"x": X}, ("x",))
    assert not hasattr(np, "spam")


def test_threads_run_side_by_side():
    wrong = []

    def work(k):
        x = X * k
        for _ in range(10):
            value, (g,) = run_gradient(keeps_state_in_a_dict, {"x": x}, ("x",))
            if value != keeps_state_in_a_dict(x) or not np.array_equal(g, expected[k]):
                wrong.append(k)

    expected = {k: run_gradient(keeps_state_in_a_dict, {"x": X * k}, ("x",))[1][0] for k in (1, 2, 3)}
    threads = [threading.Thread(target=work, args=(k,)) for k in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_was_assigned_can_be_watched():
    seen = []

    def f(x, watch):
        u = x * 2
        watch("u", u)
        u[0] = u[1] * u[1]
        watch("u", u)
        s = np.sum(u * x)
        watch("s", s)
        return s

    def watch(name, value):
        seen.append((name, held_by_run(value)))

    watch.__module__ = "sourcediff.checks.numeric"  # as one of the library's own, it is not rebound
    result = record_run(f, {"x": X, "watch": watch}, ("x",)).result
    gradients = gradients_of(result, [value for _, value in seen])
    assert [name for name, _ in seen] == ["u", "u", "s"]
    u = 2 * X
    np.testing.assert_array_equal(seen[0][1].data, u)
    assert seen[1][1].data[0] == u[1] ** 2
    np.testing.assert_allclose(gradients[1].data, X)
    np.testing.assert_allclose(gradients[0].data, [0.0, X[1] + 2 * u[1] * X[0], X[2], X[3]])
    assert gradients[2].data == 1.0


@functools.lru_cache
def cached(n):
    return np.ones(n)


@functools.lru_cache
def cached_square(s):
    return s * s


def test_cached_helpers_keep_no_variables():
    def f(x):
        return cached_square(x[0]) * cached_square(x[1] * 1.0) + cached_square(2.0)

    cached_square.cache_clear()
    equal = np.array([0.7, 0.7, 0.0])  # for the cache x[0] and x[1] are one
    _, (g,) = run_gradient(f, {"x": equal}, ("x",))
    np.testing.assert_allclose(g, [2 * 0.7 ** 3, 2 * 0.7 ** 3, 0.0])
    assert type(cached_square(0.7)) is float and cached_square.cache_info().currsize == 2


def test_cached_helpers_keep_their_arrays():
    def f(x):
        y = cached(4) * x
        y[0] = x[1]
        return np.sum(y * cached(4))

    check(f, X)
    assert type(cached(4)) is np.ndarray and cached(4).tolist() == [1.0] * 4
