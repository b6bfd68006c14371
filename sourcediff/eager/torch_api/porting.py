"""What to write for the names that a Variable does not have: methods of PyTorch 0.3, and of arrays, that mean nothing here."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

REMEDIES: dict[str, str] = {}
"""Name → what to write instead."""

for _names, _remedy in {
    "new new_zeros new_ones new_empty new_full":
        "np.zeros(shape, x.dtype), np.ones, np.empty, np.full; in a Variable(…) where one is meant",
    "resize resize_ resize_as_ unsqueeze_ squeeze_ t_ transpose_ view_": "a new Variable: x.view(shape), x.squeeze(), x.t() …",
    "scatter scatter_ index_copy index_copy_ index_put_":
        "x[index] = values, with an array of integers or a tuple of them, one for each axis",
    "index_fill index_fill_": "x[index] = value, or x[:, index] = value along the next axis",
    "scatter_add scatter_add_ index_add index_add_": "np.add.at(y, index, values) for y = x.clone(), or x itself where it is no leaf",
    "masked_scatter masked_scatter_ masked_copy masked_copy_": "x[mask] = values",
    "normal_ uniform_ random_ bernoulli_ exponential_ cauchy_ log_normal_ geometric_":
        "x.data[...] = rng.normal(size=x.shape) and its like, with a generator rng = np.random.default_rng(seed)",
    "multinomial": "rng.choice(len(p), p=p) for p = x.data, with a generator rng = np.random.default_rng(seed)",
    "bernoulli": "rng.random(x.shape) < x.data, with a generator rng = np.random.default_rng(seed)",
    "reinforce": "the loss itself: (-log_prob * reward).sum().backward()",
    "kthvalue": "x.sort(dim=dim)[0].select(dim, k - 1)",
    "median": "np.median(x, axis)",
    "mode": "np.unique(x.data, return_counts=True)",
    "unfold": "a loop over slices of x; of constants np.lib.stride_tricks.sliding_window_view(x.data, size, axis)",
    "erf erfinv lgamma digamma": "the function of scipy.special that has this name (gammaln for lgamma)",
    "eig symeig svd qr inverse potrf potri pinverse btrifact gesv gels trtrs":
        "the functions of np.linalg: eigh, svd, qr, inv, cholesky, solve, lstsq, pinv",
    "renorm": "x * (maxnorm / x.norm(p, dim=dim, keepdim=True)).clamp(max=1)",
    "histc": "np.histogram(x.data, bins)",
    "unique": "np.unique(x.data)",
    "equal": "np.array_equal(x.data, y.data)",
    "stride": "x.strides, in bytes",
    "storage storage_offset data_ptr set_ share_memory_ is_shared pin_memory is_pinned tensor": "x.data, the array",
    "apply_ map_ map2_": "NumPy's functions of the whole array",
    "get_device": "x.is_cuda",
    "requires_grad_": "x.requires_grad = True",
    "register_backward_hook": "x.register_hook(function)",
    "nll_loss cross_entropy": "-x.log_softmax(1)[np.arange(len(target)), target].mean()",
    "mse_loss": "((x - target) ** 2).mean()",
    "binary_cross_entropy": "-np.where(target, x, 1 - x).log().mean(), or of logits x (np.logaddexp(0, x) - target * x).mean()",
    "dropout": "x * (rng.random(x.shape) >= p) / (1 - p), with a generator rng = np.random.default_rng(seed)",
    "threshold leaky_relu elu": "np.where(x > 0, x, other), where other is a * x or np.exp(np.minimum(x, 0)) - 1",
    "softplus": "np.logaddexp(0, x)",
    "logsigmoid": "-np.logaddexp(0, -x)",
    "partition": "y = np.partition(x, kth), or x.sort()",
    "base": "x.data.base",
}.items():
    REMEDIES.update(dict.fromkeys(_names.split(), _remedy))

OF_NODES = {
    **dict.fromkeys(("next_functions", "previous_functions"), "grad_fn.edges, the nodes behind it; sourcediff.graph(x) shows all of them"),
    **dict.fromkeys(("saved_tensors", "saved_variables"), "grad_fn.saved, the arrays (or None once backward has freed them)"),
}
"""The same for the names that a ``grad_fn`` does not have."""


class Elsewhere:
    """Stands for a name that a class (Variable) does not have: reading it is an AttributeError that says what to write instead.

    (One for each name, and no ``__getattr__``, which would make every look for an empty slot slow.)
    """

    def __init__(self, name: str, remedy: str):
        self.name = name
        self.remedy = remedy

    def __get__(self, instance: Any, owner: type) -> Any:
        raise AttributeError(f"'{owner.__name__}' object has no attribute '{self.name}'\n  instead: {self.remedy}")


def elsewhere(have: Collection[str], functions: Iterable[str]) -> dict[str, Elsewhere]:
    """What stands for the names that PyTorch's tensors or NumPy's arrays have, and a class that has the names ``have`` has not.

    ``functions`` are those of them that keep a shape: they may be asked for in place.

    >>> names = elsewhere(["sum", "acos"], ["acos"])
    >>> names["searchsorted"].remedy, names["acos_"].remedy, "sum" in names
    ('np.searchsorted(x, …)', 'x = x.acos(…), or x[...] = x.acos(…) in place', False)
    """
    remedies = {f"{name}_": f"x = x.{name}(…), or x[...] = x.{name}(…) in place" for name in functions}
    for name in dir(np.ndarray):
        remedies[name] = f"np.{name}(x, …)" if callable(getattr(np, name, None)) else f"x.data.{name}, of the array"
    return {
        name: Elsewhere(name, remedy) for name, remedy in {**remedies, **REMEDIES}.items() if name not in have and not name.startswith("_")
    }
