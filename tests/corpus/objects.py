"""Objects: methods, properties, callables, those that are given and those that are made inside; functions as values."""

import dataclasses
import enum
import functools
from typing import NamedTuple

import numpy as np

from . import objects as here
from .calls import sigmoid
from .case import array, case, mask, number, positive

RATE = 0.5


class Spring:
    unit = 0.5

    def __init__(self, stiffness, rest=0.0):
        self.stiffness = stiffness
        self.rest = rest
        self.shape = np.tanh

    def force(self, x):
        return -self.stiffness * self.shape(x - self.rest)

    def energy(self, x):
        return self.unit * np.sum(self.force(x) * x) * self.period * RATE

    @property
    def period(self):
        return 1 / np.sqrt(self.stiffness)

    @staticmethod
    def squared(x):
        return x ** 2

    @classmethod
    def soft(cls, x):
        return cls(0.3, x)

    def stretched(self, x):
        return np.sum(self.squared(x)) * self.stiffness if self.count(3) > 2 else np.sum(x)

    def count(self, n):
        return n * self.stiffness

    def __call__(self, x):
        return self.energy(x) + np.sum(x)


class Damped(Spring):
    def __init__(self, stiffness, damping):
        super().__init__(stiffness, 0.1)
        self.damping = damping
        self.inner = Spring(damping)

    def force(self, x):
        return super().force(x) * self.damping + self.inner.force(x)


SPRING, DAMPED = Spring(2.0, np.array([0.1, 0.2, 0.3])), Damped(2.0, 0.3)

case(SPRING.energy, array("3"))
case(SPRING.stretched, array("n"))
case(DAMPED.__call__, array("n"))


def method_of_an_argument(spring, x):
    return spring.energy(x) * spring.stiffness


case(method_of_an_argument, DAMPED, array("n"))


def method_of_a_global(x):
    return DAMPED.energy(x) + np.sum(SPRING.rest)


case(method_of_a_global, array("n"))


def made_inside(k, x):
    spring = Spring(k, x[0])
    spring.rest = spring.rest * k
    return spring.energy(x)


case(made_inside, number(1.5), array("n"))


def made_in_an_expression(k, x):
    return Spring(k).energy(x) * Spring.soft(k).rest


case(made_in_an_expression, number(1.5), array("n"))


def made_of_a_derived_class(k, x):
    return Damped(k, k * 0.1).energy(x)


case(made_of_a_derived_class, number(1.5), array("n"))


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def swapped(self):
        return Point(self.y, self.x)

    def move_to(self, x, y):
        self.x = x
        self.y = y

    def doubled_x(self):
        self.x = self.x * 2
        return self.y

    def size(self):
        return self.x ** 2 + 3 * self.y ** 2


def made_of_its_own_attributes(x):
    p = Point(x[0], x[1])
    p = Point(p.y, p.x)
    p.move_to(p.y * p.x, p.x)
    return p.size()


case(made_of_its_own_attributes, array("3"))


def made_anew_in_a_loop(x):
    p = Point(x[0], x[1])
    for _ in range(3):
        p = Point(p.y * 0.5, p.x * x[2])
        p = p.swapped()
        p.x = p.x * 2
    return p.size()


case(made_anew_in_a_loop, array("3"))


def read_before_a_method_changes_it(x):
    p = Point(x[0], x[1])
    z = p.x + p.y * p.doubled_x()
    return z * p.x


case(read_before_a_method_changes_it, array("3"))


def two_names_of_one_object(x):
    p = Point(x[0], x[1])
    q = p
    q.x = x[2]
    r = handed_through(q)
    r.y = r.y * 2
    return p.size()


def handed_through(p):
    return p


case(two_names_of_one_object, array("3"))


def made_under_a_branch(x):
    total = 0.0
    for v in x:
        if v > 0:
            p = Point(v, x[0])
        else:
            p = Point(1.0, v)
        if p.x > 0.5:
            p.x = p.x * 3
        while p.size() < 4:
            p.x = p.x * 2 + 0.1
        total = total + p.size()
    return total


case(made_under_a_branch, array("n"))


def of_another_trip(x):
    q = Point(x[1], x[2])
    total = 0.0
    for i in range(3):
        if i > 0:
            total = total + q.x
        q = Point(x[0] * q.y, q.x)
    return total + q.size()


case(of_another_trip, array("3"))


def made_by_a_function(x):
    return pointed(x).size() * pointed(x * 2).y


def pointed(x):
    p = Point(x[0], 2.0)
    p.y = p.y * x[1]
    return p


case(made_by_a_function, array("3"))


class Mean:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, v):
        self.total += v * v
        self.count += 1

    def value(self):
        return self.total / self.count


def running_mean(x):
    mean = Mean()
    for v in x:
        mean.add(v)
    return mean.value()


case(running_mean, array("n"))


def running_mean_without_trips(x, n):
    mean = Mean()
    mean.add(x[0])
    for i in range(n):
        mean.add(x[i])
    return mean.value()


case(running_mean_without_trips, array("n"), 0)


class Buffered:
    def __init__(self, n):
        self.buffer = np.zeros(n)

    def put(self, i, v):
        self.buffer[i] = v * v
        self.buffer[0] += v


def buffer_in_an_object(x):
    made = Buffered(len(x))
    for i in range(1, len(x)):
        made.put(i, x[i])
    made.buffer *= 2
    return np.sum(made.buffer * x)


case(buffer_in_an_object, array("n"))


@dataclasses.dataclass(frozen=True)
class Layer:
    w: object
    b: float = 0.5
    activation: object = dataclasses.field(default=None)

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


@dataclasses.dataclass
class Scaled:
    w: object
    factor: float = 2.0

    def __post_init__(self):
        self.w = self.w * self.factor


def layers_made_inside(x):
    first, second = Layer(x, b=x[0]), Scaled(x)
    return first(x) * np.sum(second.w) + Layer(second.w)(x)


case(layers_made_inside, array("n"))


def layer_given(layer, x):
    return layer(x) * layer.b


case(layer_given, Layer(np.array([0.3, -0.2, 0.5])), array("3"))


def applied(f, x, times=2):
    for _ in range(times):
        x = f(x)
    return np.sum(x)


case(applied, np.sin, array("n"))


def functions_handed_over(x, k):
    return applied(lambda v: v * k, x) * applied(np.tanh, x, times=1) + applied(SPRING.squared, x) + applied(Spring(k).force, x)


case(functions_handed_over, array("n"), number(0.7))


def one_of_two_functions(x, chosen):
    f = np.sin if chosen[0] else sigmoid
    total = np.sum(f(x))
    for i in range(2):
        if i:
            g = np.cos
        else:
            g = np.tanh
        total = total * np.sum(g(x) * f(x * total))
    return total


case(one_of_two_functions, array("n"), mask("2"))

FUNCTIONS, BY_NAME = [np.sin, sigmoid], {"tanh": np.tanh, "sigmoid": sigmoid}


def functions_in_containers(x):
    for f in FUNCTIONS:
        x = f(x) * x
    for f in (np.cos, sigmoid):
        x = f(x)
    return np.sum(BY_NAME["sigmoid"](x) * FUNCTIONS[0](x))


case(functions_in_containers, array("n"))


def scaled_power(x, scale, n=2):
    return scale * x ** n


cubed = functools.partial(scaled_power, n=3)


def functions_partly_given(x, s):
    square = functools.partial(scaled_power, n=2, scale=s)
    s = s * 2
    return np.sum(square(x)) + np.sum(cubed(x, s)) + np.sum(square(x, scale=x[0]))


case(functions_partly_given, array("n"), number(0.7))


def reduced_and_mapped(x):
    product = functools.reduce(lambda a, b: a * b, x)
    return product + functools.reduce(np.add, [x[0], x[1] ** 2], x[2]) + sum(map(sigmoid, x)) * sum(map(lambda v: v * v, x))  # noqa: C417


case(reduced_and_mapped, positive("3"))


def twice(function):
    @functools.wraps(function)
    def wrapper(x):
        return 2 * function(x)

    return wrapper


@twice
def wrapped(x):
    return np.sum(x ** 2)


def function_with_a_wrapper(x):
    return wrapped(x) * x[0]


case(wrapped, array("n"))
case(function_with_a_wrapper, array("n"))

cube_of_a_lambda = lambda x: np.sum(x ** 3) * RATE  # noqa: E731


def calls_a_lambda(x):
    return cube_of_a_lambda(x) * (lambda v, n=2: v ** n)(x[0])


case(calls_a_lambda, array("n"))


class Box:
    def __init__(self, a, b):
        self.point = Point(a, b)


def object_in_an_object_made_of_itself(x):
    box = Box(x[0], x[1])
    for _ in range(2):
        box.point = Point(box.point.y, box.point.x * x[2])
    return box.point.size()


case(object_in_an_object_made_of_itself, array("3"))


def object_changed_by_an_inner_function(x):
    p = Point(x[0], x[1])

    def triple():
        p.x = p.x * 3
        return x[2]

    return p.x * triple() + p.x


case(object_changed_by_an_inner_function, array("3"))


@dataclasses.dataclass
class State:
    q: object
    p: object
    energy: float = 0.0

    def after(self, h):
        p = self.p - h * np.sin(self.q)
        return State(self.q + h * p, p, self.energy + np.sum(p ** 2))


STATE = State(np.array([0.4, -0.7, 1.1]), np.array([0.1, 0.2, 0.3]))


def state_after_two_steps(x, h):
    state = State(x, STATE.p).after(h).after(h)
    return state.energy + np.sum(state.q * STATE.after(h).p)


case(state_after_two_steps, array("3"), number(0.1), wrt=(0, 1))


def doubled_result(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2 * function(*args, **kwargs)

    return wrapper


@doubled_result
def power_sum(x, scale=2.0):
    return np.sum(scale * x ** 3)


def calls_of_a_decorated_function(x):
    return power_sum(x) + power_sum(x, scale=x[0])


case(calls_of_a_decorated_function, array("n"))


class Gauge:
    unit = 2.0

    def __init__(self, v):
        self.v = v


def attribute_of_the_class_until_an_inner_function_stores_it(x):
    gauge = Gauge(x[0])

    def turned(z):
        gauge.unit = z

    y = 1.0
    for i in range(3):
        y = y * gauge.unit
        turned(x[i])
    return y * gauge.v


case(attribute_of_the_class_until_an_inner_function_stores_it, array("3"))


def attribute_of_a_class_in_a_module_until_it_is_stored(x):
    y = 1.0
    for i in range(3):
        gauge = here.Gauge(x[i])
        if i == 0:
            gauge.unit = x[1]
        y = y * gauge.unit * gauge.v
    return y


case(attribute_of_a_class_in_a_module_until_it_is_stored, array("3"))


class Tuned(Spring):
    @property
    def period(self):
        return super().period * 2 + self.stiffness

    @classmethod
    def soft(cls, x):
        return cls(0.6, x)

    def softer(self, x):
        return super().soft(x[0]).rest * self.period + super().squared(x[1])


def properties_and_class_methods_of_the_parent(k, x):
    return Tuned(k).softer(x) * Tuned(2.0).period


case(properties_and_class_methods_of_the_parent, number(1.5), array("n"))


class Metered:
    unit = 2.0

    @classmethod
    def rate(cls):
        return cls.unit * 10

    @classmethod
    def made(cls, w):
        meter = cls()
        meter.w = w
        return meter

    def read(self, x):
        return self.rate() * x ** 2

    def by_its_class(self, x):
        return self.__class__.unit * x + type(self).rate() * x ** 2

    def by_another_name(self, x):
        kind = self.__class__
        return x ** 3 * kind.unit if kind is Metered else kind.rate() * x

    def another(self, x):
        return self.__class__().read(x) * self.made(x).w


class Doubled(Metered):
    unit = 3.0

    @classmethod
    def rate(cls):
        return 2 * super().rate()


class Reading(NamedTuple):
    level: float
    unit: float = 2.0

    @classmethod
    def scale(cls):
        return 3.0 if cls.__name__ == "Reading" else 5.0

    def scaled(self):
        return self.level * self.scale() * self.unit

    def finer(self):
        return self._replace(unit=self.unit / 7)


METER, DOUBLED, READING = Metered(), Doubled(), Reading(1.5)
METERS = {"plain": METER, "doubled": DOUBLED}


def class_methods_of_objects_made_here(x):
    return Metered().read(x[0]) + Doubled().by_its_class(x[1]) * Metered().another(x[2]) + Doubled().by_another_name(x[0])


case(class_methods_of_objects_made_here, array("3"))


def class_methods_of_objects_from_outside(x):
    return METER.read(x[0]) + DOUBLED.by_its_class(x[1]) * DOUBLED.another(x[2]) + METER.by_another_name(x[0])


case(class_methods_of_objects_from_outside, array("3"))


def class_methods_of_objects_in_containers(x):
    return METERS["plain"].read(x[0]) * METERS["doubled"].by_its_class(x[1]) + METERS["doubled"].another(x[2])


case(class_methods_of_objects_in_containers, array("3"))


def class_methods_of_a_class_by_another_name(x):
    kind = Doubled
    return kind().read(x[0]) * kind.rate() * x[1]


case(class_methods_of_a_class_by_another_name, array("3"))


def class_methods_of_named_tuples(x):
    return Reading(x[0]).scaled() + READING._replace(level=x[1]).finer().scaled() * READING.finer().scaled() * x[2]


case(class_methods_of_named_tuples, array("3"))


class Chained:
    def __init__(self, value):
        self.value = value

    def damped(self, by):
        self.value = self.value * (1 - by)
        return self

    def moved(self, by):
        self.value = self.value + by * by
        return self

    def reset(self, value):
        self.value = self.value * value


def chains_of_methods(x):
    state = Chained(x[0])
    for i in range(3):
        state.damped(0.1).moved(x[i]).damped(x[0])
    state.moved(x[1]).reset(x[2])
    return state.value


case(chains_of_methods, array("3"))


class Stepper:
    def __init__(self, slope, dt):
        self.slope = slope
        self.dt = dt

    def step(self, t, y):
        half = y + self.dt / 2 * self.slope(t, y)
        return y + self.dt * self.slope(t + self.dt / 2, half)

    def run(self, y, times):
        t = 0.0
        for _ in range(times):
            y = self.step(t, y)
            t += self.dt
        return y


def inner_functions_kept_as_attributes(x):
    def slope(t, y):
        return -x[0] * y + t

    decay = Stepper(lambda t, y: -x[1] * y, 0.1)
    return np.sum(Stepper(slope, x[2]).run(x, 3)) + np.sum(decay.run(x, 2))


case(inner_functions_kept_as_attributes, array("3"))


def decaying(k):
    k = k * 2
    return Stepper(lambda t, y: -k * y, 0.1)


def functions_of_two_objects_made_by_a_function(x):
    one, other = decaying(x[0]), decaying(x[1])
    total = 0.0
    for i in range(2):
        mine = Stepper(lambda t, y: y * x[i], 0.2)  # noqa: B023
        total = total + one.step(0.0, x[2]) * other.step(0.0, x[0]) + mine.step(0.0, x[1])
    return total


case(functions_of_two_objects_made_by_a_function, array("3"))


class Kind(enum.Enum):
    LINEAR = 1
    SQUARE = 2


def by_kind(v, kind=Kind.LINEAR, of=float):
    return v if kind is Kind.LINEAR and of is float else v * v


@dataclasses.dataclass
class Setup:
    rate: float
    table: dict = dataclasses.field(default_factory=dict)
    parts: list = dataclasses.field(default_factory=list)
    weights: np.ndarray = dataclasses.field(default_factory=lambda: np.full(3, RATE))
    kind: Kind = Kind.LINEAR

    def value(self, x):
        return by_kind(self.rate * x, self.kind)


def defaults_that_are_members_of_enumerations(x):
    return by_kind(x[0]) * by_kind(x[1], Kind.SQUARE) * Setup(x[0]).value(x[1]) * Setup(x[1], kind=Kind.SQUARE).value(x[2])


case(defaults_that_are_members_of_enumerations, array("3"))


def fields_that_are_made_anew(x):
    one, other = Setup(x[0]), Setup(x[1])
    one.table["u"] = x[1]
    other.table["u"] = x[2] * 2
    one.weights[0] = x[2]
    one.parts.append(x[1])
    other.parts.append(x[0] * 2)
    return one.rate * one.table["u"] * other.table["u"] * np.sum(one.weights) * np.sum(other.weights) + one.parts[0] * other.parts[0]


case(fields_that_are_made_anew, array("3"))


class Dense:
    def __init__(self, k):
        self.k, self.weights = k, np.eye(3) * k

    def forward(self, x):
        return self.k * np.tanh(self.weights @ x)

    def __call__(self, x):
        return self.forward(x)


class Stack:
    def __init__(self):
        self.layers, self.act = [Dense(1.0), Dense(2.0)], np.tanh

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = self.act(layer(x)) * (i + 1)
        return x


STACK, DENSE = Stack(), Dense(2.0)
FORWARD, HALVES = DENSE.forward, functools.partial(DENSE.forward)
MODELS, DENSE_ONES = [DENSE, Dense(1.5)], {"a": DENSE, "b": Dense(3.0)}


def objects_in_objects_from_outside(x):
    total = np.sum(STACK.forward(x)) + np.sum(STACK.layers[-1](x)) + sum(layer.k for layer in STACK.layers) * x[0]
    for model in MODELS:
        x = model(x)
    return total + np.sum(x) + np.sum(FORWARD(x)) + np.sum(HALVES(x))


case(objects_in_objects_from_outside, array("3"))


def objects_under_names_from_outside(x):
    total = 0.0
    for name in DENSE_ONES:
        total = total + np.sum(DENSE_ONES[name].forward(x))
    return total + sum(np.sum(model.forward(x)) for model in DENSE_ONES.values()) + np.sum(DENSE_ONES["b"](x))


case(objects_under_names_from_outside, array("3"))
