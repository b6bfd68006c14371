"""A variational autoencoder of handwritten digits, on the eager engine: it learns to draw digits that nobody has written.

    python examples/autoencoder.py [--epochs 40]

The data come with scikit-learn: 1797 pictures of 8 x 8 pixels. An encoder says of each picture where in a space of eight dimensions
it lies, and how sure that is; a decoder draws what lies at a point (Kingma and Welling, 2014: Auto-encoding variational Bayes). Written
with Variables as for PyTorch 0.3. Some held-out digits, what is left of them after the way through the space, and digits drawn at random
points go to examples/output/autoencoder.png.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sourcediff import Variable, no_grad

Array = Any
OUTPUT = Path(__file__).parent / "output"
PIXELS, HIDDEN, LATENT = 64, 96, 8


class Result(NamedTuple):
    untrained: float  # the bound on −log p of a held-out picture, in nats, before training
    trained: float  # … after it
    independent: float  # −log p of such a picture, if each pixel is drawn by itself: what a model that has learnt nothing of digits reaches
    picture: Path


class Linear:
    """x @ w + b."""

    def __init__(self, inputs: int, outputs: int, rng: np.random.Generator):
        self.w = Variable(rng.standard_normal((inputs, outputs)) / np.sqrt(inputs), requires_grad=True)
        self.b = Variable(np.zeros(outputs), requires_grad=True)

    def __call__(self, x: Any) -> Variable:
        return x @ self.w + self.b


class Autoencoder:
    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.read, self.mean, self.log_variance = Linear(PIXELS, HIDDEN, rng), Linear(HIDDEN, LATENT, rng), Linear(HIDDEN, LATENT, rng)
        self.draw, self.pixels = Linear(LATENT, HIDDEN, rng), Linear(HIDDEN, PIXELS, rng)

    @property
    def parameters(self) -> list[Variable]:
        return [p for layer in (self.read, self.mean, self.log_variance, self.draw, self.pixels) for p in (layer.w, layer.b)]

    def encode(self, images: Array) -> tuple[Variable, Variable]:
        """The mean and the logarithm of the variance of the points (n, 8) where the images (n, 64) may lie."""
        hidden = self.read(images).tanh()
        return self.mean(hidden), self.log_variance(hidden)

    def decode(self, points: Any) -> Variable:
        """The logits of the pixels (n, 64) at points (n, 8)."""
        return self.pixels(self.draw(points).tanh())

    def loss(self, images: Array) -> Variable:
        """A bound on −log p of the images, their mean: what their pixels cost at a random point, and what the point costs."""
        mean, log_variance = self.encode(images)
        noise = self.rng.standard_normal(mean.shape)
        logits = self.decode(mean + (0.5 * log_variance).exp() * noise)  # so the point is a smooth function of what was learnt
        likelihood = cross_entropy(logits, images)
        divergence = 0.5 * (mean.pow(2) + log_variance.exp() - log_variance - 1).sum(1)
        return (likelihood + divergence).mean()


def cross_entropy(logits: Any, images: Array) -> Any:
    """−log p of the images (n, 64), if each pixel is ink with the probability that its logit says; grey counts as partly ink."""
    return np.sum(np.logaddexp(0, logits) - logits * images, axis=1)


class Adam:
    """Kingma and Ba (2015), algorithm 1."""

    def __init__(self, parameters: list[Variable], rate: float):
        self.parameters = parameters
        self.rate = rate
        self.steps = 0
        self.means = [np.zeros(p.shape) for p in parameters]
        self.squares = [np.zeros(p.shape) for p in parameters]

    @no_grad()
    def step(self) -> None:
        self.steps += 1
        for p, mean, square in zip(self.parameters, self.means, self.squares):
            g = p.grad.data
            mean += 0.1 * (g - mean)
            square += 0.001 * (g**2 - square)
            p -= self.rate * (mean / (1 - 0.9**self.steps)) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            p.grad.zero_()


@no_grad()
def bound(model: Autoencoder, images: Array) -> float:
    """The loss of images, over twenty random points for each."""
    return float(np.mean([model.loss(images).item() for _ in range(20)]))


def data(rng: np.random.Generator) -> tuple[Array, Array]:
    """Images (n, 64) between 0 and 1, for training and (a fifth) for the test."""
    from sklearn.datasets import load_digits

    images = load_digits().data / 16
    train, test = np.split(rng.permutation(len(images)), [len(images) * 4 // 5])
    return images[train], images[test]


def main(epochs: int = 40, batch: int = 64, rate: float = 0.003, output: Path = OUTPUT) -> Result:
    """Train, print how the bound falls, save the picture."""
    rng = np.random.default_rng(0)
    images, held_out = data(rng)
    model = Autoencoder(rng)
    optimiser = Adam(model.parameters, rate)
    untrained = bound(model, held_out)

    for epoch in range(1, epochs + 1):
        losses = []
        for some in np.array_split(rng.permutation(len(images)), len(images) // batch):
            loss = model.loss(images[some])
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        if epoch % max(epochs // 8, 1) == 0:
            print(f"epoch {epoch:3} of {epochs}: {np.mean(losses):.2f} nats for a picture", flush=True)

    ink = np.clip(images.mean(0), 1e-3, 1 - 1e-3)
    independent = float(cross_entropy(np.log(ink / (1 - ink)), held_out).mean())
    result = Result(untrained, bound(model, held_out), independent, show(model, held_out, output))
    print(f"held out: {result.untrained:.2f} nats untrained, {result.trained:.2f} trained, {independent:.2f} if pixels were independent")
    print(f"digits, what is left of them, and new ones: {result.picture}")
    return result


@no_grad()
def show(model: Autoencoder, images: Array, output: Path) -> Path:
    """Twelve images, their reconstructions, and what is drawn at twelve random points."""
    from matplotlib.figure import Figure

    count = 12
    means, _ = model.encode(images[:count])
    drawn = model.decode(model.rng.standard_normal((count, LATENT)))
    rows = {"held out": images[:count], "decoded": model.decode(means).sigmoid().data, "new": drawn.sigmoid().data}
    figure = Figure(figsize=(count * 0.7, 2.6), layout="constrained")
    for axes_of_row, (name, pictures) in zip(figure.subplots(len(rows), count), rows.items()):
        for axes, picture in zip(axes_of_row, pictures):
            axes.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
        axes_of_row[0].set_ylabel(name, fontsize="small")

    output.mkdir(parents=True, exist_ok=True)
    path = output / "autoencoder.png"
    figure.savefig(path, dpi=110)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=40)
    main(parser.parse_args().epochs)
