"""Named tuples that a function makes: filters, steppers and states are written with them."""

import collections
import typing

import numpy as np

from .case import array, case, number, positive

Moments = collections.namedtuple("Moments", "mean spread", defaults=(1.0,))


class Walker(typing.NamedTuple):
    place: object
    speed: object = 2.0

    @property
    def energy(self):
        return 0.5 * np.sum(self.speed ** 2) + np.sum(self.place)

    def after(self, h):
        return Walker(self.place + h * self.speed, self.speed - h * np.sin(self.place))


def filtered(z, noise):
    state = Moments(0.0, 10.0)
    misfit = 0.0
    for measured in z:
        spread = state.spread + 0.5
        gain = spread / (spread + noise)
        error = measured - state.mean
        misfit += error ** 2 / (spread + noise) + np.log(spread + noise)
        state = Moments(state.mean + gain * error, (1 - gain) * spread)
    return misfit + state.mean


case(filtered, array("n"), number(0.7))


def walked(x, h):
    walker = Walker(x, x ** 2)
    for _ in range(4):
        walker = walker.after(h)
    return walker.energy


case(walked, array("n"), number(0.1))


def unpacked_and_counted(x):
    state = Moments(spread=np.sin(x), mean=x)
    for _ in range(2):
        mean, spread = state
        state = Moments(spread * 0.5, np.sin(mean))
    return np.sum(state[0] * state[-1]) * len(state)


case(unpacked_and_counted, array("n"))


def with_a_default(x):
    return np.sum(Moments(x).mean * Walker(x).speed) * Moments(x).spread


case(with_a_default, array("n"))


def with_one_field_replaced(x):
    state = Moments(x, 3.0)
    for k in range(3):
        state = state._replace(mean=state.mean * state.spread, spread=state.spread * 0.5 + k)
    return np.sum(state.mean ** 2)


case(with_one_field_replaced, array("n"))


def made_by_branch(x):
    state = Moments(x, x)
    if x[0] > 0:
        state = Moments(x * 2, state.spread)
    else:
        state = Moments(x * 3, np.cos(state.spread))
    return np.sum(state.mean * state.spread)


case(made_by_branch, positive("n"))


def starred(x):
    state = Moments(x, np.exp(x))
    return np.sum(np.multiply(*state))


case(starred, array("n"))
