"""The first steps with Variables, as the tutorials of PyTorch's first releases had them: a gradient, a loop, three graphs.

    python examples/define_by_run.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sourcediff import Variable, autograd

Array = Any


def a_gradient(factor: float = 3.0) -> Array:
    """out is the mean of factor · (x + 2)², so its gradient is factor · (x + 2) / 2, 4.5 where x is 1."""
    x = Variable(np.ones((2, 2)), requires_grad=True)
    print(f"x = {x}\n")
    y = x + 2
    print(f"y = x + 2 = {y}\n")
    z = y * y * factor
    out = z.mean()
    print(f"out = (y * y * {factor:g}).mean() = {out}\n")
    out.backward()
    print(f"x.grad = {x.grad}\n")
    return x.grad.data


def a_loop() -> tuple[int, Array]:
    """How often y is doubled depends on its values; the result is a vector, so backward needs a seed."""
    x = Variable(np.random.default_rng(0).standard_normal(3), requires_grad=True)
    y = x * 2
    doublings = 1
    while np.linalg.norm(y.data) < 1000:
        y = y * 2
        doublings += 1
    print(f"y = 2 ** {doublings} * x = {y}\n")
    y.backward(np.array([0.1, 1.0, 0.0001]))
    print(f"x.grad = {x.grad}\n")
    return doublings, x.grad.data


def three_graphs() -> dict[str, Any]:
    """What requires grad, and what autograd.grad gives, of a constant, a sum and a quotient of matrices."""
    rng = np.random.default_rng(1)
    x = Variable(rng.standard_normal((2, 3)), requires_grad=True)
    y = Variable(rng.standard_normal((3, 2)))
    z = Variable(rng.uniform(1, 2, (2, 2)), requires_grad=True)
    constant, total, quotient = y.mm(y.data.T), x.mm(y) + z, x.mm(y) / z
    for name, variable in {"y @ y.T": constant, "x @ y + z": total, "x @ y / z": quotient}.items():
        print(f"{name:10} requires grad: {variable.requires_grad!s:5}  made by: {variable.grad_fn}")
    seed = np.ones((2, 2))
    of_total = autograd.grad(total, (x, z), grad_outputs=seed)
    of_quotient = autograd.grad(quotient, (x, z), grad_outputs=seed)
    print(f"\nd(x @ y + z) / dx = {of_total[0]}\n\nd(x @ y / z) / dz = {of_quotient[1]}")
    assert x.grad is None and z.grad is None  # autograd.grad returns gradients and touches no .grad
    return {"x": x.data, "y": y.data, "z": z.data, "total": of_total, "quotient": of_quotient}


def main() -> None:
    a_gradient()
    a_loop()
    three_graphs()


if __name__ == "__main__":
    main()
