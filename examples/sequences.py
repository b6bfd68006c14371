"""A recurrent net that reads sequences of any length and says their largest number, on the eager engine.

    python examples/sequences.py [--samples 3000]

Each sample has a length of its own, so each has a graph of its own: what runs is what is recorded. One sequence is read per
step of gradient descent (Adam, written out), and the net is judged on sequences that it has not seen, longer ones too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sourcediff import Variable, no_grad

Array = Any
UNITS = 8


class Result(NamedTuple):
    untrained: float  # mean absolute error before training
    trained: float  # … after it, on lengths as in training
    longer: float  # … on sequences longer than any in training


def sequences(count: int, lengths: Iterable[int], seed: int) -> list[Array]:
    """``count`` sequences of numbers between 0 and 1, each with one of the ``lengths``."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(size=rng.choice(list(lengths))) for _ in range(count)]


class Net:
    """h ← relu(number · w_in + h @ w + bias) for each number, and a weighted sum of the last h."""

    def __init__(self, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.w_in = Variable(rng.uniform(-0.5, 0.5, UNITS), requires_grad=True)
        self.w = Variable(np.eye(UNITS) + rng.normal(0, 0.1, (UNITS, UNITS)), requires_grad=True)
        self.bias = Variable(np.zeros(UNITS), requires_grad=True)
        self.w_out = Variable(rng.uniform(-0.5, 0.5, UNITS), requires_grad=True)

    @property
    def parameters(self) -> list[Variable]:
        return [self.w_in, self.w, self.bias, self.w_out]

    def __call__(self, sequence: Array) -> Variable:
        h = Variable(np.zeros(UNITS))
        for number in sequence:
            h = (number * self.w_in + h @ self.w + self.bias).relu()
        return h @ self.w_out


class Adam:
    """Kingma and Ba (2015), algorithm 1; the learning rate falls off with the square root of the step."""

    def __init__(self, parameters: list[Variable], rate: float):
        self.parameters = parameters
        self.rate = rate
        self.steps = 0
        self.means = [np.zeros(p.shape) for p in parameters]
        self.squares = [np.zeros(p.shape) for p in parameters]

    def step(self) -> None:
        self.steps += 1
        rate = self.rate / np.sqrt(1 + self.steps / 300)
        for p, mean, square in zip(self.parameters, self.means, self.squares):
            g = p.grad.data
            mean += 0.1 * (g - mean)
            square += 0.001 * (g**2 - square)
            p.data -= rate * (mean / (1 - 0.9**self.steps)) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            p.grad = None


@no_grad()
def mean_error(net: Net, samples: list[Array]) -> float:
    return float(np.mean([abs(net(sequence).item() - np.max(sequence)) for sequence in samples]))


def main(samples: int = 3000) -> Result:
    """Train, print how the loss falls, and return the errors before and after."""
    net = Net()
    optimiser = Adam(net.parameters, rate=0.01)
    seen, longer = sequences(200, range(1, 7), seed=1), sequences(200, range(7, 10), seed=2)
    untrained = mean_error(net, seen)

    losses = []
    for number, sequence in enumerate(sequences(samples, range(1, 7), seed=3), 1):
        loss = (net(sequence) - np.max(sequence)) ** 2
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if number % max(samples // 10, 1) == 0:
            print(f"{number:5} samples, mean loss of the last tenth {np.mean(losses[-samples // 10:]):.5f}")

    result = Result(untrained, mean_error(net, seen), mean_error(net, longer))
    print(f"mean error: {result.untrained:.3f} untrained, {result.trained:.3f} trained, {result.longer:.3f} on longer sequences")
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=3000)
    main(parser.parse_args().samples)
