"""Random programs that change Variables and views of them in place, against central differences and against PyTorch.

A gradient is right or refused with InPlaceError, and where PyTorch gives one, so do we: PyTorch counts changes by whole storages.
"""

import inspect
import random
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Variable, grad
from sourcediff.errors import FallbackWarning, InPlaceError, NonDifferentiableError, SourcediffError
from tests.corpus import CASES, GROUPS
from tests.corpus.judge import floating, leaves, without_output

from .numbers import differences

A = np.array([[0.3, -0.5, 0.8], [1.1, 0.4, -0.7], [-0.2, 0.9, 0.6]])
B = np.array([[0.7, 0.2, -0.4], [0.1, -0.8, 0.5], [1.2, -0.3, 0.25]])
MADE = "add mul sin exp tanh sum square copy".split()
VIEWED = "row column rows corner transposed flat reshaped every".split()
CHANGED = (
    "iadd imul isub iadd_row set_row set_column set_entry set_block set_entries set_where set_all set_constant chain fill swap update"
).split()
NUMPY = SimpleNamespace(sin=np.sin, exp=np.exp, tanh=np.tanh, sum=np.sum, copy=np.copy)


def torch_functions():
    torch = pytest.importorskip("torch", reason="PyTorch, the reference here, is not installed")
    return SimpleNamespace(sin=torch.sin, exp=torch.exp, tanh=torch.tanh, sum=torch.sum, copy=torch.clone)


def steps_of(seed):
    """A program: for each step what it does, its two operands, two positions and a factor."""
    rng = random.Random(seed)
    return [
        (rng.choice(rng.choice((MADE, VIEWED, CHANGED))), rng.randrange(50), rng.randrange(50), rng.randrange(3), rng.randrange(3),
         rng.uniform(0.3, 1.3))
        for _ in range(rng.randint(3, 12))
    ]


def run(steps, a, b, lib):
    """The program on arrays, Variables or tensors. Every 3×3 value can be changed, and so can its views."""
    values, views = [a * 1.0, b * 1.0], []
    for kind, first, second, i, j, c in steps:
        x, y = values[first % len(values)], values[second % len(values)]
        view = views[first % len(views)] if views else None
        if kind == "add":
            values.append(x + y * c)
        elif kind == "mul":
            values.append(x * y)
        elif kind in ("sin", "tanh"):
            values.append(getattr(lib, kind)(x))
        elif kind == "exp":
            values.append(lib.exp(x * 0.3))
        elif kind == "sum":
            values.append(x * lib.sum(y))
        elif kind == "square":
            values.append(x ** 2)
        elif kind == "copy":
            values.append(lib.copy(x))
        elif kind == "row":
            views.append(x[i])
        elif kind == "column":
            views.append(x[:, j])
        elif kind == "rows":
            views.append(x[1:])
        elif kind == "corner":
            views.append(x[:2, 1:])
        elif kind == "transposed":
            views.append(x.T)
        elif kind == "flat":
            views.append(x.reshape(-1)[2:7])
        elif kind == "reshaped":
            views.append(x.T.reshape(-1)[:3])  # of a copy
        elif kind == "every":
            views.append(x[::2])
        elif kind == "iadd":
            x += y * c
        elif kind == "imul":
            x *= y
        elif kind == "isub":
            x -= x.T
        elif kind == "iadd_row":
            x += y[i]
        elif kind == "set_row":
            x[i] = y[:, j] * c
        elif kind == "set_column":
            x[:, j] = lib.sin(y[i])
        elif kind == "set_entry":
            x[i, j] = y[j, i] * c
        elif kind == "set_block":
            x[:2, 1:] = y[1:, :2] + y[i, j]
        elif kind == "set_entries":
            x[[0, 2, 1], [j, 0, i]] = y[1] * c
        elif kind == "set_where":
            x[x > c] = c
        elif kind == "set_all":
            x[...] = y + c
        elif kind == "set_constant":
            x[...] = c
            if view is not None:
                view[1:] = -c
        elif kind == "chain":
            x[i][j] = y[i, j] ** 2
        elif kind == "swap":
            x[0], x[1] = x[1] * 1.0, x[0] * 1.0
        elif kind == "update":
            x[1:] *= y[:2]
        elif view is not None and kind == "fill":
            view *= c
        if view is not None and kind in ("iadd", "set_all"):
            view += c
    total = sum(lib.sum(value * value * (0.3 + 0.1 * n)) for n, value in enumerate(values))
    return total + sum(lib.sum(view * (0.2 + 0.1 * n)) for n, view in enumerate(views))


def ours(steps):
    """The gradient on Variables, None where it is refused."""
    a, b = Variable(A, requires_grad=True), Variable(B, requires_grad=True)
    try:
        return [gradient.data for gradient in grad(run(steps, a, b, NUMPY), (a, b))]
    except InPlaceError as refusal:
        assert "in-place operation" in refusal.problem and refusal.remedy
        return None


def torchs(steps, lib):
    import torch

    a, b = torch.tensor(A, requires_grad=True), torch.tensor(B, requires_grad=True)
    try:
        found = torch.autograd.grad(run(steps, a, b, lib), (a, b), allow_unused=True)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error) or "refer to a single memory location" in str(error), error
        return None
    return [np.zeros_like(A) if gradient is None else gradient.numpy() for gradient in found]


@pytest.mark.parametrize("start", range(0, 300, 30))
def test_random_programs_are_right_or_refused(start):
    for seed in range(start, start + 30):
        steps = steps_of(seed)
        found = ours(steps)
        if found is not None:
            expected = differences(lambda a, b: float(run(steps, a, b, NUMPY)), A, B)  # noqa: B023  (called at once)
            for got, slope in zip(found, expected):
                np.testing.assert_allclose(got, slope, rtol=1e-5, atol=1e-5, err_msg=f"seed {seed}: {steps}")


def test_pytorch_refuses_more_and_agrees_otherwise():
    lib = torch_functions()
    counts = {"both": 0, "ours alone": 0, "PyTorch alone": 0, "neither": 0}
    for seed in range(1000):
        steps = steps_of(seed)
        mine, theirs = ours(steps), torchs(steps, lib)
        if mine is not None and theirs is not None:
            for got, expected in zip(mine, theirs):
                np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11, err_msg=f"seed {seed}: {steps}")
        who = ("both", "ours alone")[theirs is None] if mine is not None else ("PyTorch alone", "neither")[theirs is None]
        counts[who] += 1
    assert counts["PyTorch alone"] == 0, counts
    assert counts["both"] > 300 and counts["ours alone"] > 20 and counts["neither"] > 100, counts


# The corpus as plain functions over Variables that the user made: what the compiler says, or refused.


def wrapped(tree, found):
    """An argument with every float in it a Variable that is no leaf; the leaves go to ``found``."""
    if isinstance(tree, dict):
        return {key: wrapped(part, found) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(wrapped(part, found) for part in tree)
    if not floating(tree):
        return tree
    found.append(Variable(tree, requires_grad=True))
    return found[-1] * 1.0


def on_variables(case):
    """The gradient of a case of the corpus, leaf by leaf, on Variables; where it is refused, the refusal."""
    args, kwargs = case.make()
    given = inspect.signature(case.function).bind(*args, **kwargs).arguments
    names = list(given)
    inputs = []
    for name in case.wrt if isinstance(case.wrt, tuple) else (case.wrt,):
        name = names[name] if isinstance(name, int) else name
        given[name] = wrapped(given[name], inputs)
    try:
        call = inspect.BoundArguments(inspect.signature(case.function), given)
        value, _ = without_output(case.function, *call.args, **call.kwargs)
    except SourcediffError as refusal:
        assert refusal.remedy
        return refusal
    except ValueError as error:  # an entry of a plain array is given a Variable: NumPy wraps the refusal, or forgets it (a.flat[i] = v)
        assert isinstance(error.__cause__, NonDifferentiableError) or "single item" in str(error), error
        return error
    if not isinstance(value, Variable) or not value.requires_grad:
        return [np.zeros_like(variable.data) for variable in inputs]
    try:
        found = grad(value, inputs, allow_unused=True)
    except InPlaceError as refusal:
        return refusal
    return [np.zeros_like(v.data) if gradient is None else gradient.data for v, gradient in zip(inputs, found)]


REFUSED = 0.08
"""The share of the corpus that may be refused on a user's Variables.

What NumPy does not ask Variables about is not counted, for it is refused whatever the program: an array of a list of Variables, which is
read number by number, and a Variable that is put into a plain buffer. A library run would rebind both.
"""

OF_LISTS = ("np.array(", "np.r_[", "np.c_[")
ALL_OF_LISTS = "beside."


def beyond_protocols(case, refusal):
    problem = getattr(refusal, "problem", str(refusal))
    if problem.startswith("np.asarray"):
        source = inspect.getsource(case.function)
        return any(making in source for making in OF_LISTS)
    return "into a plain a" in problem or "array element with a sequence" in problem


UNSEEN = ("buffers.", "shaped.only_entr", "shaped.argument_without")
"""Programs that change plain arrays which Variables were computed with: no Variable can know of that (docs/eager.md says so). And those
that take numbers out of the graph by ``item()``, as one does of Variables, or store into what is a number once it was computed with.
"""


def test_the_corpus_on_variables_gives_the_compiled_gradients_or_is_refused(long):
    """Every eighth program, all of them with ``--long``."""
    refused, beyond, cases = [], [], CASES if long else CASES[::8]
    for case in cases:
        if case.name.startswith(UNSEEN):
            continue
        found = on_variables(case)
        if isinstance(found, Exception):
            (beyond if beyond_protocols(case, found) else refused).append(case.name)
            continue
        args, kwargs = case.make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if case.may_refuse else "error", FallbackWarning)
            compiled, _ = without_output(sourcediff.grad(case.function, case.wrt), *args, **kwargs)
        for (path, expected), got in zip(leaves(compiled), found, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10, err_msg=f"{case.name} at {path}")
    assert 0 < len(refused) < REFUSED * len(cases), refused
    for group in GROUPS:
        own = [case.name for case in cases if case.name.startswith(group)]
        works = len(own) < (1 if long else 4) or any(name not in {*refused, *beyond} for name in own)
        assert works or group + "." in (*UNSEEN, ALL_OF_LISTS), group
