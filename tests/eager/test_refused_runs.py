"""Library runs that are refused: what the message says, what is as before, what cannot be caught; and what must not be refused."""

import ast
import io
import json
import warnings
from collections.abc import Iterable

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Variable, grad
from sourcediff.eager.library_run.recording import run_gradient
from sourcediff.errors import AliasingError, MissingRuleError, NonDifferentiableError, UnsupportedSyntaxError

from ..corpus.asserts import assert_clear, assert_right, line_of

X = np.array([0.75, 1.625])


# What the message says.


def two_steps(x):
    y = x * 2; z = np.spacing(y)  # noqa: E702
    return np.sum(z)


def calls_two_steps(x):
    return two_steps(x + 1)


def test_the_innermost_line_is_named_with_a_caret():
    with pytest.raises(MissingRuleError) as caught:
        run_gradient(calls_two_steps, {"x": X}, ("x",))
    assert_clear(caught.value, "np.spacing", "in two_steps", at=line_of(two_steps, "np.spacing"))
    (place,) = caught.value.places
    assert place.column in (None, place.text.index("np.spacing"))  # before Python 3.11 columns are not known


def unsummed(x):
    return x * 2


def test_an_output_without_a_gradient_names_the_function_and_its_file():
    with pytest.raises(NonDifferentiableError) as caught:
        run_gradient(unsummed, {"x": X}, ("x",))
    assert_clear(caught.value, "unsummed", "(2,)", at=line_of(unsummed, "def unsummed"))


def test_an_argument_without_a_gradient_names_the_function_and_its_file():
    with pytest.raises(NonDifferentiableError) as caught:
        run_gradient(unsummed, {"x": {"w": [np.arange(2)]}}, ("x",))
    assert_clear(caught.value, "x['w'][0]", "int64", at=line_of(unsummed, "def unsummed"))


def writes_the_second(x, p):
    p["w"][0] = 5.0
    return np.sum(x * p["w"])


def test_shared_memory_names_both_arguments_and_changes_nothing():
    base = np.array([0.5, -1.0, 2.0])
    with pytest.raises(AliasingError) as caught:
        run_gradient(writes_the_second, {"x": base[:2], "p": {"w": base[1:]}}, ("x",))
    assert_clear(caught.value, "arguments x and p['w']", at=line_of(writes_the_second, "= 5.0"))
    assert base.tolist() == [0.5, -1.0, 2.0]


def test_interleaved_arguments_share_nothing():
    base = np.array([0.5, -1.0, 2.0, 1.0])
    _, (gradient,) = run_gradient(writes_the_second, {"x": base[::2], "p": {"w": base[1::2]}}, ("x",))
    assert gradient.tolist() == [5.0, 1.0] and base.tolist() == [0.5, 5.0, 2.0, 1.0]


# After a refusal everything is as before; after the program's own exception, as a plain call leaves it.


GLOBAL = np.array([1.0, 2.0])
TABLE = {"calls": 0, "seen": [1], "deep": {"a": 1}}


class Model:
    def __init__(self):
        self.steps = 0

    def __call__(self, x, y, counts, p):
        self.steps += 1
        TABLE["calls"] += 1
        TABLE["seen"].append(2)
        TABLE["deep"]["a"] = 7
        GLOBAL[0] = 9.0
        x[0] = x[1]
        y[:] *= 2
        y[::2][0] = 3.0
        counts[0] += 1
        p["w"][0] = 0.0
        p["new"] = x * 2
        p["list"].append(1.0)
        return self.end(x)

    def end(self, x):
        return np.sum(np.spacing(x))


class Failing(Model):
    def end(self, x):
        raise LookupError("the program's own")


def state(model, arguments):
    return repr((arguments, GLOBAL, TABLE, vars(model)))


def arguments_of_a_model():
    return {"x": X.copy(), "y": X + 1, "counts": np.arange(2), "p": {"w": X.copy(), "list": [0.0]}}


@pytest.fixture(autouse=True)
def _globals_as_they_were():
    yield
    GLOBAL[:] = 1.0, 2.0
    TABLE.update(calls=0, seen=[1], deep={"a": 1})


def test_a_refusal_restores_everything():
    model, arguments = Model(), arguments_of_a_model()
    before = state(model, arguments)
    with pytest.raises(MissingRuleError):
        run_gradient(model, arguments, ("x",))
    assert state(model, arguments) == before


def test_the_programs_own_exception_restores_nothing():
    model, arguments = Failing(), arguments_of_a_model()
    with pytest.raises(LookupError):
        model(**arguments)
    expected = state(model, arguments)
    _ = TABLE.update(calls=0, seen=[1], deep={"a": 1}), GLOBAL.__setitem__(0, 1.0)
    model, arguments = Failing(), arguments_of_a_model()
    with pytest.raises(LookupError):
        run_gradient(model, arguments, ("x",))
    assert state(model, arguments) == expected


def test_variables_of_an_outer_function_are_restored():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return np.sum(np.spacing(x))

    with pytest.raises(MissingRuleError):
        run_gradient(f, {"x": X}, ("x",))
    assert count == 0


# The program cannot catch a refusal and go on as if nothing had happened.


def catches_a_conversion(x):
    try:
        scale = x[0].__complex__().real
    except (TypeError, ValueError):
        scale = 1.0
    return np.sum(x) * scale


def catches_everything(x):
    try:
        y = np.spacing(x)
    except Exception:
        y = 1.0
    return np.sum(x * y)


def asks_for_an_attribute(x):
    try:
        return x.tobytes()[0] * np.sum(x)
    except Exception as error:
        raise RuntimeError("no bytes") from error


@pytest.mark.parametrize("f", [catches_a_conversion, catches_everything, asks_for_an_attribute], ids=lambda f: f.__name__)
def test_a_refusal_ends_the_run_though_it_is_caught(f):
    with pytest.raises((MissingRuleError, NonDifferentiableError)) as caught:
        run_gradient(f, {"x": X}, ("x",))
    assert_clear(caught.value, f"in {f.__name__}")


def test_a_store_that_depends_on_the_order_of_copying_ends_the_run_though_it_is_caught():
    def f(x):
        total = np.sum(x)
        try:
            x[1:] = x[::2]
            total = 2 * total
        except ValueError:
            pass
        return total

    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(AliasingError, match="another stride") as caught:
        run_gradient(f, {"x": x}, ("x",))
    assert_clear(caught.value, "x[1:] = x[::2]")
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_a_refusal_of_an_inner_run_ends_the_outer_one():
    def f(x):
        try:
            run_gradient(two_steps, {"x": x}, ("x",))
        except MissingRuleError:
            return np.sum(x)

    with pytest.raises(MissingRuleError, match="in two_steps"):
        run_gradient(f, {"x": X}, ("x",))


def test_a_refusal_is_forgotten_with_its_run():
    for f in (two_steps, catches_everything):
        with pytest.raises(MissingRuleError):
            run_gradient(f, {"x": X}, ("x",))
    assert run_gradient(lambda x: np.sum(x), {"x": X}, ("x",))[1][0].tolist() == [1.0, 1.0]


# Text.


def test_a_number_read_from_text_of_an_active_value_is_refused():
    def by_format(x):
        return float(f"{x[0]:.17g}") ** 2

    def by_str(x):
        return np.float64(str(x[0] * 2))

    def by_words(x):
        return float(str(x).strip("[]").split()[0])

    def by_array(x):
        return np.sum(np.array([f"{v}" for v in x]).astype(float) ** 2)

    def by_joined_text(x):
        return np.sum(np.fromstring(" ".join(str(v) for v in x), sep=" "))

    for f in (by_format, by_str, by_words, by_array, by_joined_text):
        with pytest.raises(NonDifferentiableError) as caught:
            run_gradient(f, {"x": X}, ("x",))
        assert_clear(caught.value, "text")


def test_printing_and_other_text_are_free(capsys):
    def f(x, text):
        loss = np.sum(x ** 2)
        print(f"loss {loss:.3f}", loss, x, [x])
        print(str(x), repr(loss))
        return loss * float(text)

    plain = f(X, "2.5")
    expected = capsys.readouterr().out
    value, (gradient,) = run_gradient(f, {"x": X, "text": "2.5"}, ("x",))
    assert capsys.readouterr().out == expected
    assert value == plain and gradient.tolist() == (5 * X).tolist()


# Text that is run, and globals() and locals().


SCALE = 3.0


def evaluates(x):
    y = x * 2  # noqa: F841  (the text reads it)
    return eval("np.sum(y ** 2) * SCALE + float(y[0])")


def executes(x):
    space = {"np": np, "x": x}
    exec("y = np.zeros(2)\ny[:] = x * x\nresult = np.sum(y)", globals(), space)
    exec("np.sum(x)")
    return space["result"]


def looks_up(x):
    assert "SCALE" in globals() and globals().get("absent") is None and "absent" not in globals()
    return globals()["np"].sum(locals()["x"] ** 2) * globals()["SCALE"]


def comprehends(x):
    return eval("sum(v * v for v in x) + (lambda u: np.prod(u) * SCALE)(x)")


@pytest.mark.parametrize("f", [evaluates, executes, looks_up, comprehends], ids=lambda f: f.__name__)
def test_text_that_is_run_sees_what_the_function_sees(f):
    assert_right(f, X, mode="eager")


def test_text_that_changes_the_program_is_refused():
    def by_text(x):
        exec("global SCALE\nSCALE = 4.0")
        return np.sum(x)

    def by_item(x):
        globals()["SCALE"] = 4.0
        return np.sum(x)

    for f in (by_text, by_item):
        with pytest.raises(UnsupportedSyntaxError) as caught:
            run_gradient(f, {"x": X}, ("x",))
        assert_clear(caught.value, "global", "SCALE" if f is by_item else "exec")
    assert SCALE == 3.0


# Methods.


def items(x):
    m = np.outer(x, x) + 1.0
    return x.item(1) * x.item(-1) * m.item(2) + m.item(0, 1) * m.item((1, 1)) + x[0].item()


def views(x):
    b = x.copy()
    v = b.view()
    v[0] = x[1] ** 2
    w = v.view(np.float64)
    w[1] *= 2
    return np.sum(b ** 3)


def lists(x):
    (a, b), (c, d) = np.outer(x, x).tolist()
    return a * b + c * d ** 2


@pytest.mark.parametrize("f", [items, views, lists], ids=lambda f: f.__name__)
def test_methods_of_arrays(f):
    assert_right(f, X, mode="eager")


def test_items_of_variables_are_numpys():
    v = Variable(np.arange(6.0).reshape(2, 3))
    assert v.item(4) == 4.0 and v.item(-1) == 5.0 and v.item(1, 0) == 3.0 and v.item((0, 2)) == 2.0
    with pytest.raises(ValueError, match="size 1"):
        v.item()
    with pytest.raises(IndexError):
        v.item(6)
    for wrong, error in (((6,), IndexError), ((0, 0, 0), ValueError)):
        with pytest.raises(error):
            run_gradient(lambda x: np.outer(x, x).item(*wrong), {"x": X}, ("x",))  # noqa: B023


def test_entries_handed_out_by_an_iterator_of_c_are_refused():
    def f(x):
        return sum(float(v) for v, _ in np.nditer([x, x]))

    with pytest.raises(MissingRuleError) as caught:
        run_gradient(f, {"x": X}, ("x",))
    assert_clear(caught.value, "nditer", "ndindex")


def by_objects(x):
    return float(np.sum(x.astype(object) ** 2))


def by_array_of_objects(x):
    return float(np.sum(np.array([x[0], x[1]], dtype=object)))


def by_text_dtype(x):
    return np.sum(x.astype(str).astype(float))


def by_data(x):
    return np.sum(np.asarray(x.data) ** 2)


def by_json(x):
    return json.loads(json.dumps([x[0]]))[0] ** 2


def by_shape(x):
    y = x * 2
    y.shape = (2, 1)
    return np.sum(y)


def by_bytes(x):
    return np.sum(np.array(memoryview(x)))


@pytest.mark.filterwarnings("ignore:Setting the shape on a NumPy array:DeprecationWarning")
@pytest.mark.parametrize(
    "f", [by_objects, by_array_of_objects, by_text_dtype, by_data, by_json, by_shape, by_bytes], ids=lambda f: f.__name__,
)
def test_ways_out_of_the_array_are_refused(f):
    f(X.copy())
    with pytest.raises(NonDifferentiableError) as caught:
        run_gradient(f, {"x": X}, ("x",))
    assert_clear(caught.value, f"in {f.__name__}")


def asks_what_it_is(x):
    entry = x[0]
    if isinstance(entry, Iterable) or isinstance(x, float) or hasattr(entry, "__len__") and not hasattr(entry, "shape"):
        return np.sum(x)
    if type(entry) is np.float64 and isinstance(entry, float) and isinstance(x, np.ndarray) and hasattr(x, "__array_interface__"):
        return entry ** 2 if not float(entry).is_integer() else np.sum(x)
    return np.sum(x)


def test_a_value_is_judged_as_what_it_stands_for():
    assert_right(asks_what_it_is, X, mode="eager")


# Warnings: of what is singular, but not of what a selection has put aside.


def put_aside(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def reached(x):
    return np.sum(np.where(x >= 0, np.sqrt(x), 0.0))


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_guarded_singular_rule_does_not_warn(create_graph):
    x = Variable([0.0, 4.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (g,) = grad(put_aside(x), x, create_graph=create_graph)
    assert g.data.tolist() == [0.0, 0.25]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sourcediff.grad(put_aside, mode="eager")(np.array([0.0, 4.0])).tolist() == [0.0, 0.25]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_singular_value_that_was_selected_warns(create_graph):
    x = Variable([0.0, 4.0, -1.0], requires_grad=True)
    with np.errstate(invalid="ignore"):  # of sqrt(-1), which is put aside
        y = reached(x)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        (g,) = grad(y, x, create_graph=create_graph)
    assert g.data.tolist() == [np.inf, 0.25, 0.0]


# Memory that two arrays have from elsewhere, and numbers that are read from text


def two_of_one_buffer(x):
    buffer = bytearray(24)
    one, other = np.frombuffer(buffer), np.frombuffer(buffer)
    one[0] = x[0] ** 2
    return other[0] * x[1]


def test_two_arrays_over_one_buffer_are_not_changed():
    with pytest.raises(AliasingError, match="in two ways"):
        sourcediff.grad(two_of_one_buffer, mode="eager")(X)

    def f(x):
        one, other = np.frombuffer(bytearray(24)), np.frombuffer(bytearray(24))
        one[0] = x[0] ** 2
        other[1] = one[0]
        return other.sum() * x[1]

    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(X), [2 * X[0] * X[1], X[0] ** 2])


@pytest.mark.parametrize("read", [
    lambda text: json.loads(f'{{"a": {text}}}')["a"], lambda text: ast.literal_eval(f"[{text}, 2]")[0], lambda text: eval(f"{text}*2"),
    lambda text: eval(f"-(-{text}+3)"), lambda text: np.loadtxt(io.StringIO(f"{text}")),
])
def test_numbers_are_not_read_from_the_text_of_a_value(read):
    with pytest.raises(NonDifferentiableError, match="read from the text"):
        sourcediff.grad(lambda x: read(str(x[0])) * x[1], mode="eager")(X)
    np.testing.assert_allclose(sourcediff.grad(lambda x: read("4.25") * x[1] + 0 * len(str(x[0])), mode="eager")(X), [0, read("4.25")])
