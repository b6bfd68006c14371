"""What a library run leaves behind: the user's objects, classes, containers and variables as after a plain call, in any thread."""

import collections
import contextlib
import enum
import functools
import gc
import queue
import threading
import types
import weakref

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Variable
from sourcediff.eager.library_run.recording import run_gradient
from sourcediff.errors import MissingRuleError, UnsupportedSyntaxError

from ..corpus.judge import differing_bits

X = np.array([0.75, 1.625])


class Meter:
    """A bit of everything that a program keeps: a count in the class, a list, a dict, attributes, a cache."""

    made = 0
    shared = []  # noqa: RUF012  (one for all is what is tried)
    _cache = {}  # noqa: RUF012

    def __init__(self, scale=2.0):
        Meter.made += 1
        self.scale = scale
        self.readings = []

    def read(self, x, refuse=False):
        value = self.scale * x ** 2
        self.readings.append(value[0])
        self.shared.append(value)
        self._cache["last"] = {"value": value, "meter": self}
        self.latest = value
        Meter.unit = np.sum(value)
        if refuse:
            return np.sum(np.spacing(value))
        return np.sum(value)


class Fine(Meter):
    __slots__ = ("extra",)

    def read(self, x, refuse=False):
        self.extra = np.sum(x)
        return super().read(x, refuse) + self.extra


def fresh():
    """A module of its own with classes, objects and variables that a function changes."""
    space = types.ModuleType("users")
    for kind in (Meter, Fine):
        space.__dict__[kind.__name__] = None
    text = '''
import numpy as np
from collections import OrderedDict, deque
LOG = [1.0]
TABLE = OrderedDict(first=[0.0], second=2.0)
RECENT = deque([0.0, 1.0], maxlen=2)
SEEN = {"a"}
class Point:
    count = 0
    names = ["p"]
    def __init__(self, v):
        self.v = v
        self.child = None
        Point.count += 1
    def grow(self):
        self.child = Point(self.v * 2)
        return self.child
class Slotted:
    __slots__ = ("a", "b")
    def __init__(self):
        self.a = 1.0
ROOT = Point(np.array([1.0, 2.0]))
SLOTTED = Slotted()
def tracked(x):
    tracked.calls += 1
    tracked.last = x * 2
    return np.sum(tracked.last)
tracked.calls = 0
def f(x):
    LOG.append(np.sum(x))
    LOG[0] = x * 1.0
    TABLE["third"] = {"x": x, "root": ROOT}
    TABLE.move_to_end("first")
    del TABLE["second"]
    RECENT.append(x[0])
    SEEN.add("b")
    ROOT.v = ROOT.v * x
    ROOT.grow().grow()
    ROOT.square = lambda u: u * x
    Point.names.append("q")
    Point.latest = ROOT
    SLOTTED.a, SLOTTED.b = x[0], (x, [ROOT])
    return tracked(x) + np.sum(ROOT.child.v)
'''
    exec(text, vars(space))
    return space


def shown(space):
    """All that the function may change, in plain terms."""
    root = space.ROOT
    return {
        "log": space.LOG, "table": dict(space.TABLE), "order": list(space.TABLE), "recent": list(space.RECENT), "seen": sorted(space.SEEN),
        "root": root.v, "child": root.child and root.child.child and root.child.child.v, "count": space.Point.count,
        "names": space.Point.names, "slotted": getattr(space.SLOTTED, "a", None), "pair": getattr(space.SLOTTED, "b", [0])[0],
        "calls": space.tracked.calls, "last": getattr(space.tracked, "last", None),
        "square": root.square(2.0) if hasattr(root, "square") else None, "latest": getattr(space.Point, "latest", None) is root,
    }


def comparable(state):
    state = dict(state, table={key: value for key, value in state["table"].items() if key != "third"})
    return state


def test_everything_is_left_as_by_a_plain_call():
    plain, mine = fresh(), fresh()
    value = plain.f(X)
    objects = mine.ROOT, mine.Point, mine.Slotted, mine.LOG, mine.TABLE, mine.f, mine.tracked, mine.Point.grow
    got, (gradient,) = run_gradient(mine.f, {"x": X}, ("x",))
    assert got == value
    np.testing.assert_allclose(gradient, 2.0 + 4.0 * np.array([1.0, 2.0]) / 2.0)
    assert not differing_bits(comparable(shown(mine)), comparable(shown(plain)))
    assert mine.TABLE["third"]["root"] is mine.ROOT and mine.SLOTTED.b[1][0] is mine.ROOT and mine.TABLE["third"]["x"] is not None
    assert type(mine.ROOT.child.child) is mine.Point and mine.ROOT.square.__globals__ is vars(mine)
    for before, now in zip(objects, (mine.ROOT, mine.Point, mine.Slotted, mine.LOG, mine.TABLE, mine.f, mine.tracked, mine.Point.grow)):
        assert before is now
    assert no_variables(mine.TABLE, mine.LOG, vars(mine.ROOT), vars(mine.Point), vars(mine.tracked))


def no_variables(*roots):
    """Whether no Variable can be reached from what was left."""
    seen, pending = set(), list(roots)
    while pending:
        value = pending.pop()
        if isinstance(value, Variable):
            return False
        if id(value) not in seen and not isinstance(value, (str, type, np.ndarray)):
            seen.add(id(value))
            pending += value.values() if hasattr(value, "values") else value if isinstance(value, (list, tuple)) else []
            pending += getattr(value, "__dict__", {}).values()
    return True


def test_a_refused_run_changes_nothing():
    space = fresh()
    exec("def g(x):\n    f(x)\n    return np.sum(np.spacing(x))\n", vars(space))
    before = shown(fresh())
    with pytest.raises(MissingRuleError):
        run_gradient(space.g, {"x": X}, ("x",))
    assert not differing_bits(comparable(shown(space)), comparable(before))
    assert not hasattr(space.Point, "latest") and not hasattr(space.ROOT, "square") and not hasattr(space.SLOTTED, "b")


def test_the_programs_own_exception_leaves_what_a_plain_call_leaves_and_holds_no_variables():
    plain, mine = fresh(), fresh()
    text = "class Stop(Exception):\n    pass\ndef g(x):\n    f(x)\n    stop = Stop(x[0], [x])\n    stop.value = np.sum(x)\n    raise stop\n"
    for space in (plain, mine):
        exec(text, vars(space))
    with pytest.raises(plain.Stop):
        plain.g(X)
    with pytest.raises(mine.Stop) as caught:
        run_gradient(mine.g, {"x": X}, ("x",))
    assert not differing_bits(comparable(shown(mine)), comparable(shown(plain)))
    error = caught.value
    assert type(error.args[0]) is np.float64 and type(error.args[1][0]) is np.ndarray and type(error.value) is np.float64


@pytest.fixture
def _meters():
    yield
    Meter.made = 0
    Meter.shared.clear()
    Meter._cache.clear()
    if "unit" in vars(Meter):
        del Meter.unit


@pytest.mark.usefixtures("_meters")
def test_class_attributes_and_methods():
    fine = Fine()
    read = Meter.read

    def f(x):
        other = Fine(3.0)
        return fine.read(x) * other.read(x) / Meter.made

    value, (gradient,) = run_gradient(f, {"x": X}, ("x",))
    s, q = np.sum(X), np.sum(X ** 2)
    assert np.isclose(value, (2 * q + s) * (3 * q + s) / 2)
    np.testing.assert_allclose(gradient, ((4 * X + 1) * (3 * q + s) + (2 * q + s) * (6 * X + 1)) / 2)
    assert Meter.read is read and Meter.made == 2 == Fine.made + 0 and "made" not in vars(Fine)
    assert type(Meter.unit) is np.float64 and [type(v) for v in Meter.shared] == [np.ndarray] * 2
    assert type(Meter._cache["last"]["meter"]) is Fine and type(fine.extra) is np.float64 and type(fine.readings[0]) is np.float64


@pytest.mark.usefixtures("_meters")
def test_a_refusal_in_a_method():
    fine = Fine()
    with pytest.raises(MissingRuleError, match=r"in (Meter\.)?read"):
        run_gradient(lambda x: fine.read(x, True), {"x": X}, ("x",))
    assert Meter.made == 1 and not Meter.shared and not Meter._cache and not fine.readings and not hasattr(fine, "extra")


def test_variables_of_outer_functions_are_shared_by_the_functions_that_use_them():
    log, total = [], 0.0

    def reset():
        nonlocal log
        log = []

    def add(value):
        nonlocal total
        total += value
        log.append(value)

    def f(x):
        add(x[0])
        reset()
        add(x[1] ** 2)
        return sum(log) * total

    _, (gradient,) = run_gradient(f, {"x": X}, ("x",))
    np.testing.assert_allclose(gradient, [X[1] ** 2, 2 * X[1] * (X[0] + X[1] ** 2) + 2 * X[1] ** 3])
    assert log == [X[1] ** 2] and type(log[0]) is np.float64 and total == X[0] + X[1] ** 2 and type(total) is np.float64


def test_containers_that_hold_themselves():
    ring = [np.array([2.0, 3.0])]
    ring.append(ring)
    table = collections.defaultdict(list)
    table["self"] = table

    def f(x):
        table["new"].append(ring[1][1][0] * x)
        return np.sum(table["self"]["self"]["new"][0])

    _, (gradient,) = run_gradient(f, {"x": X}, ("x",))
    assert gradient.tolist() == [2.0, 3.0]
    assert ring[1] is ring and table["self"] is table and type(table["new"][0]) is np.ndarray


def test_assigning_globals_is_refused_in_a_method_too():
    space = types.ModuleType("users")
    exec(
        "import numpy as np\nSTATE = 0\nclass A:\n    def go(self, x):\n"
        "        global STATE\n        STATE = x\n        return np.sum(STATE)\n"
        "def f(x):\n    return A().go(x)\n", vars(space),
    )
    with pytest.raises(UnsupportedSyntaxError, match="global STATE"):
        run_gradient(space.f, {"x": X}, ("x",))
    assert space.STATE == 0


class Celsius:
    """Keeps what a property shows under the property's own name, and refuses to be changed otherwise."""

    def __init__(self, degrees):
        self.__dict__["degrees"] = degrees

    @property
    def degrees(self):
        return self.__dict__["degrees"] * 1.0

    def __setattr__(self, name, value):
        raise AttributeError("frozen")

    def warmed(self, x):
        out = np.zeros(2)
        out[:] = self.degrees * x
        self.__dict__["last"] = out
        return np.sum(out ** 2)


def test_objects_with_properties_over_their_own_entries():
    celsius = Celsius(np.array([1.0, 2.0]))
    _, (gradient,) = run_gradient(lambda x: celsius.warmed(x), {"x": X}, ("x",))
    np.testing.assert_allclose(gradient, 2 * X * np.array([1.0, 4.0]))
    assert type(vars(celsius)["last"]) is np.ndarray and vars(celsius)["degrees"].tolist() == [1.0, 2.0]


class Accumulator:
    total = 0.0

    def __init__(self):
        self.buffer = np.zeros(2)

    def add(self, x):
        self.buffer = self.buffer + x
        self.total = self.total + np.sum(x ** 2)
        return self

    def measured(self, x):
        return Accumulator().add(x).total


SHARED = Accumulator()
STEPS = [lambda a, x: a.add(x), lambda a, x: a.add(x * 2)]


def accumulates(x):
    for step in STEPS:
        step(SHARED, x)
    own = functools.reduce(lambda a, step: step(a, x), STEPS, Accumulator())
    return own.total * np.sum(own.buffer)


def test_threads_that_share_objects_see_no_variables_of_each_other():
    wrong = []
    stop = threading.Event()

    def watches():
        while not stop.is_set():
            if isinstance(SHARED.total, Variable) or isinstance(SHARED.buffer, Variable) or any(isinstance(s, Variable) for s in STEPS):
                wrong.append("a Variable was seen")

    def works(k):
        x = X * k
        q, s = 5 * np.sum(x ** 2), 3 * np.sum(x)
        for _ in range(15):
            value, (gradient,) = run_gradient(accumulates, {"x": x}, ("x",))
            if not np.isclose(value, q * s) or not np.allclose(gradient, 10 * x * s + 3 * q):
                wrong.append(k)

    threads = [threading.Thread(target=works, args=(k,)) for k in (1.0, 2.0, 3.0)]
    watcher = threading.Thread(target=watches)
    for thread in (watcher, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    watcher.join()
    assert not wrong and Accumulator.total == 0.0 and type(SHARED) is Accumulator


def test_a_run_within_a_run_sees_the_same_objects():
    def inner(y, x):
        return np.sum(Accumulator().add(y * x).buffer ** 2)

    def outer(x):
        (gradient,) = run_gradient(inner, {"y": np.ones(2), "x": x}, ("y",))[1]
        return np.sum(gradient * Accumulator().add(x).buffer)

    _, (gradient,) = run_gradient(outer, {"x": X}, ("x",))
    np.testing.assert_allclose(gradient, 6 * X ** 2)  # of Σ 2x²·x


def test_methods_are_differentiated_as_functions_are():
    accumulator = Accumulator()

    class Model:
        def __init__(self):
            self.accumulator = accumulator

        @sourcediff.grad(mode="eager")
        def slope(self, x):
            return self.accumulator.add(x).total

    np.testing.assert_allclose(Model().slope(X), 2 * X)
    np.testing.assert_allclose(sourcediff.grad(Accumulator.measured, wrt="x", mode="eager")(accumulator, X), 2 * X)
    np.testing.assert_allclose(sourcediff.grad(accumulator.measured, mode="eager")(X), 2 * X)


def test_the_graph_of_a_run_with_objects_dies_without_the_collector():
    seen = []

    def f(x):
        accumulator = Accumulator().add(x * 2)
        seen.append(weakref.ref(accumulator.total._node))
        return accumulator.total

    gc.collect()
    gc.disable()
    try:
        run_gradient(f, {"x": X}, ("x",))
        assert seen[0]() is None
    finally:
        gc.enable()


# Objects that are reached through what Python's library holds


class Total:
    def __init__(self):
        self.value = 0.0


class Part:
    def __init__(self, total):
        self.total = weakref.ref(total)

    def add(self, v):
        self.total().value += v


TOTAL = Total()
PART = Part(TOTAL)
LOCAL = threading.local()
LOCAL.total = TOTAL
QUEUE: queue.Queue = queue.Queue()
REFERENCE, PROXY, METHOD = weakref.ref(TOTAL), weakref.proxy(TOTAL), weakref.WeakMethod(PART.add)
HELD = {
    "weakref": lambda v: Part.add(PART, v) if REFERENCE() is TOTAL else None,
    "proxy": lambda v: setattr(PROXY, "value", PROXY.value + v),
    "method": lambda v: METHOD()(v),
    "mapping": lambda v, mapping=types.MappingProxyType({"total": TOTAL}): setattr(mapping["total"], "value", v),
    "user dict": lambda v, held=collections.UserDict(total=TOTAL): setattr(held["total"], "value", v),
    "weak set": lambda v, held=weakref.WeakSet([TOTAL]): [setattr(total, "value", v) for total in held],
    "weak values": lambda v, held=weakref.WeakValueDictionary(total=TOTAL): setattr(held["total"], "value", v),
    "frozenset": lambda v, held=frozenset([TOTAL]): [setattr(total, "value", v) for total in held if TOTAL in held],
    "local": lambda v: setattr(LOCAL.total, "value", v),
    "queue": lambda v: [QUEUE.put(TOTAL), setattr(QUEUE.get(), "value", v)],
}


@pytest.mark.parametrize("name", HELD)
def test_what_the_standard_library_holds_is_the_same_object(name):
    def f(x):
        TOTAL.value = 0.0
        HELD[name](x[0] ** 2)
        return TOTAL.value * x[1]

    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(np.array([0.75, 1.5])), [2.25, 0.5625])
    assert type(TOTAL.value) is np.float64
    assert TOTAL.value == 0.5625


def test_what_the_standard_library_is_given_holds_no_variable():
    held = collections.UserDict()

    def f(x):
        held["a"] = QUEUE.put(x[0]) or x[0]
        LOCAL.number = x[1] * 2
        return held["a"] * LOCAL.number

    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(np.array([0.75, 1.5])), [3, 1.5])
    assert [type(value) for value in (held["a"], LOCAL.number, QUEUE.get())] == [np.float64] * 3
    assert QUEUE.empty()


# Enumerations and exceptions with methods of their own


def own_kind(v):
    return v * v if isinstance(v, (float, np.floating)) else 5 * v


class Law(enum.Enum):
    SQUARE = 1
    DOUBLE = 2
    QUADRATIC = SQUARE

    def __call__(self, v):
        return own_kind(v) if self is Law.SQUARE else v * self.value

    @property
    def table(self):
        return TABLE


class Weight(enum.IntEnum):
    ONE = 1

    def of(self, v):
        return own_kind(v) * self


class Word(str, enum.Enum):
    ONE = "one"

    def of(self, v):
        return own_kind(v) * (self == "one")


class Failure(Exception):
    def __init__(self, v):
        super().__init__("failed")
        self.v = own_kind(v)


class WorseFailure(Failure):
    pass


TABLE = np.zeros(3)
RULES = {Law.SQUARE: lambda v: Law.SQUARE(v), Law.DOUBLE: None}
SQUARES = frozenset([Law.SQUARE])


def by_enumeration(x, law=Law.SQUARE):
    assert law is Law(1) is Law["SQUARE"] is Law.QUADRATIC
    assert len(Law) == 2
    assert law in SQUARES
    assert isinstance(law, Law)
    return RULES[law](x[0]) * Law.DOUBLE(x[1])


def by_property(x):
    Law.SQUARE.table[0] = 2.0
    return TABLE[0] * x[0] ** 2 * x[1]


def by_exception(x):
    try:
        raise WorseFailure(x[0])
    except Failure as failure:
        return failure.v * x[1] * 2


@pytest.mark.parametrize("f", [
    by_enumeration, by_property, by_exception, lambda x: 2 * Weight.ONE.of(x[0]) * x[1], lambda x: 2 * Word("one").of(x[0]) * x[1],
])
def test_methods_of_enumerations_and_exceptions_see_what_the_function_sees(f):
    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(np.array([0.75, 1.5])), [4.5, 1.125])


def test_enumerations_and_exceptions_leave_a_run_as_their_own():
    caught = []

    def f(x):
        try:
            raise Failure(x[0])
        except Failure as failure:
            caught.append(failure)
        return x[0], Law.SQUARE

    (_, law), _ = sourcediff.value_and_grad(f, mode="eager", has_aux=True)(X)
    assert law is Law.SQUARE
    assert type(caught[0]) is Failure
    assert type(caught[0].v) is np.float64

    def fails(x):
        raise ValueError from Failure(x[0])

    with pytest.raises(ValueError) as error:
        sourcediff.grad(fails, mode="eager")(X)
    assert type(error.value.__cause__) is Failure
    assert type(error.value.__cause__.v) is np.float64


@functools.cache
def other_law(law):
    if law is not Law.SQUARE:
        raise Failure(2.0)
    return Law.DOUBLE


def test_a_cached_function_knows_the_members_of_an_enumeration():
    def f(x):
        with contextlib.suppress(Failure):
            other_law(Law.DOUBLE)
        return x[0] ** 2 if other_law(Law.SQUARE) is Law.DOUBLE else x[0]

    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(X), [2 * X[0], 0])
