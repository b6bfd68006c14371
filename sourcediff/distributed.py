"""Losses over more rows than one process holds: the value and the gradient of a sum over parts, by Dask or by joblib.

The loss is a sum (or a mean) over rows, so each part of the data has a value and a gradient of its own, and these add up. Which worker
holds which part, what is done when one is lost, and all transport is Dask's business.

Parts are put together in groups, one for each worker, of parts that follow one another; a group is added up where it lies, part after part,
and the groups then in pairs. The groups stay as they are, so equal calls give equal bits, also where a worker was lost between them.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import operator
import shutil
import sys
import tempfile
import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .api import gradients
from .api.gradients import Wrt
from .dispatch.arguments import parameters_named
from .errors import SourcediffError
from .runtime.arrays.library import is_host_array
from .runtime.trees import leaves, mapped

REDUCTIONS = ("sum", "mean")
SMALL = 1_000_000
"""Bytes of arguments that travel with each task; more are sent to the workers once a step."""
FAN = 8
"""How many groups are added in one task; as many or fewer are added by the caller."""
ATTEMPTS = 5
"""How often parameters are sent again in a step."""
PATIENCE = 2
"""Seconds after which progress is shown."""
EXAMPLE = 4
"""Rows of the first part of which the caller makes the code that all workers run."""


def value_and_grad(
    function: Callable[..., Any], over: str | Sequence[str], reduce: str = "sum", *, wrt: Wrt = 0, client: Any = None,
) -> OverParts:
    """The value of a loss over many rows and its gradient, as a function of the same arguments.

    ``over`` names the parameters that hold rows. Each is given a Dask array (cut along its first axis), a Dask frame, or a list with
    a part an entry: delayed objects or futures; without Dask a NumPy array, which is cut for all processors, or a list of arrays. The
    loss has to be their ``"sum"`` over rows, or their ``"mean"``: that is tried with a few rows of the first part. The other arguments are
    the same for all parts. ``wrt`` is that of :func:`sourcediff.value_and_grad`; the gradient has the shapes and dtypes of the argument.

    ``client`` is a ``distributed.Client``; with None it is the current one, or, if there is none, the parts are computed by processes
    of joblib. The data is sent to the workers (or read there) in the first call, and stays there for calls with the same objects.
    A function that the compiler does not take raises UnsupportedSyntaxError: no worker runs it on the eager engine.

    Raises ValueError for a loss that is no sum (mean) over rows, for parts that do not fit each other and for unknown parameters.

    >>> import numpy as np
    >>> from sourcediff import distributed
    >>> def loss(w, X, y):
    ...     return np.sum((X @ w - y) ** 2)
    >>> distributed.value_and_grad(loss, over=("X", "y"))
    <value and gradient of loss, the sum over the rows of X, y>
    """
    return OverParts(function, (over,) if isinstance(over, str) else tuple(over), reduce, wrt, client)


class Total(NamedTuple):
    """What has been added up: the number of rows (of a mean), the value and the gradient."""

    rows: int
    value: Any
    gradient: Any


class OverParts:
    """What :func:`value_and_grad` returns. ``steps`` counts its calls; ``close()`` lets go of the data."""

    def __init__(self, function: Callable[..., Any], over: tuple[str, ...], reduce: str, wrt: Wrt, client: Any):
        self.signature = inspect.signature(function)
        unknown = [name for name in over if name not in self.signature.parameters]
        if unknown or not over:
            raise ValueError(f"{name_of(function)} has no parameter {unknown[0]!r}" if over else "over names no parameter")
        if reduce not in REDUCTIONS:
            raise ValueError(f"reduce is 'sum' or 'mean', not {reduce!r}")
        self.function = function
        self.over = over
        self.reduce = reduce
        self.wrt = wrt
        self.client = client
        self.steps = 0
        self.derivative = gradients.value_and_grad(function, wrt, mode="compiled")
        asked, _ = parameters_named(function, wrt)
        if any(name in over for name in asked):
            raise ValueError(f"{', '.join(asked)} is differentiated, and holds rows")
        self.data: tuple[Any, ...] = ()
        self.placed: Any = None
        self.packed = b""

    def __repr__(self) -> str:
        return f"<value and gradient of {name_of(self.function)}, the {self.reduce} over the rows of {', '.join(self.over)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        call = self.signature.bind(*args, **kwargs)
        call.apply_defaults()
        given = {name: value for name, value in call.arguments.items() if name not in self.over}
        data = tuple(call.arguments[name] for name in self.over)
        if len(data) != len(self.data) or any(new is not old for new, old in zip(data, self.data)):
            self.place(data)
            self.pack(given)
        self.steps += 1
        total = self.placed.added(functools.partial(on_worker, self.packed, self.over, self.reduce), given, self.steps)
        if self.reduce == "sum":
            return total.value, total.gradient
        return total.value / total.rows, mapped(lambda part: scaled(part, 1 / total.rows), total.gradient)

    def place(self, data: tuple[Any, ...]) -> None:
        """Send the parts to the workers."""
        self.close()
        client = self.client if self.client is not None else current_client()
        self.placed = Files(data) if client is None else Workers(client, data)
        self.data = data

    def pack(self, given: Mapping[str, Any]) -> None:
        """Make the code that the workers run, of a few rows, and try with these that the loss is what it was said to be."""
        import cloudpickle

        rows = self.placed.example()
        with np.errstate(all="ignore"):
            try:
                whole = self.derivative(**given, **dict(zip(self.over, rows)))[0]
                number = length(rows)
                parts = [tuple(row[part] for row in rows) for part in (slice(0, 1), slice(1, number))]
                weights = [1.0, 1.0] if self.reduce == "sum" else [1 / number, (number - 1) / number]
                total = sum(w * self.function(**given, **dict(zip(self.over, part))) for w, part in zip(weights, parts))
                wrong = number > 1 and not np.isclose(whole, total, 1e-6, equal_nan=True)
            except SourcediffError:
                raise
            except Exception:  # so few rows are too few: whether it is right is seen in the call
                wrong = False
        if wrong:
            self.close()
            raise ValueError(
                f"{name_of(self.function)} is no {self.reduce} over the rows of {', '.join(self.over)}: of {number} rows it is {whole}, "
                f"and its parts give {total}")
        self.packed = cloudpickle.dumps(self.derivative)

    def close(self) -> None:
        """Let go of the data."""
        self.data, self.placed = (), None


def name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


def current_client() -> Any:
    """The client of Dask that has been made last, None without one."""
    distributed = sys.modules.get("distributed")
    try:
        return None if distributed is None else distributed.default_client()
    except ValueError:
        return None


# -- What a worker does ---------------------------------------------------------------------------------------------------


def on_worker(packed: bytes, over: Sequence[str], reduce: str, given: Mapping[str, Any], *parts: Sequence[Any]) -> Total:
    """The total of some parts, in their order."""
    derivative = unpacked(packed)
    return added(*(one_part(derivative, given, dict(zip(over, map(as_array, part))), reduce) for part in parts))


def one_part(derivative: Callable[..., Any], given: Mapping[str, Any], data: dict[str, Any], reduce: str) -> Total:
    """The value and the gradient of one part; of a mean the sum of its rows."""
    rows = length(data.values())
    value, gradient = derivative(**given, **data)
    if reduce == "sum":
        return Total(rows, value, gradient)
    return Total(rows, value * rows, mapped(lambda part: scaled(part, rows), gradient))


def added(*totals: Total) -> Total:
    """The sum, one after the other."""
    return functools.reduce(lambda a, b: Total(a.rows + b.rows, a.value + b.value, mapped(operator.add, a.gradient, b.gradient)), totals)


def scaled(part: Any, factor: float) -> Any:
    """A part of a gradient times a number, in its dtype."""
    return part * (part.dtype.type(factor) if hasattr(part, "dtype") else factor)


@functools.lru_cache(maxsize=16)
def unpacked(packed: bytes) -> Callable[..., Any]:
    """A derivative that has been sent here: the same object in each step, which knows its generated code."""
    import cloudpickle

    made: Callable[..., Any] = cloudpickle.loads(packed)
    return made


def as_array(part: Any) -> Any:
    """An array as it lies in memory in any process: one that was sent may begin at an odd byte, and sums are rounded otherwise then."""
    return np.require(part, requirements="A") if is_host_array(part) else part


def held(part: Sequence[Any]) -> tuple[Any, ...]:
    """What belongs to one part, where it is to stay."""
    return tuple(map(as_array, part))


def length(parts: Any) -> int:
    """The number of rows. Raises ValueError where parts have different ones."""
    lengths = {len(part) for part in parts}
    if len(lengths) != 1:
        raise ValueError(f"the parts of one place have {' and '.join(map(str, sorted(lengths)))} rows")
    return lengths.pop()


def first_rows(part: Sequence[Any]) -> tuple[Any, ...]:
    """A few rows of a part."""
    return tuple(np.copy(rows[:EXAMPLE]) if is_host_array(rows) else rows[:EXAMPLE] for rows in part)


# -- Dask -------------------------------------------------------------------------------------------------------------------


class Workers:
    """Parts on the workers of Dask, in groups: ``places`` is the worker of each."""

    def __init__(self, client: Any, data: Sequence[Any]):
        self.client = client
        self.places = sorted(client.nthreads())
        if not self.places:
            raise ValueError("the client has no workers")
        parts = parts_of(data)
        self.parts = [parts[cut] for cut in cut(len(parts), len(self.places))]
        self.places = self.places[:len(self.parts)]
        self.groups = [self.sent(*group) for group in zip(self.parts, self.places)]

    def sent(self, parts: Sequence[tuple[Any, ...]], place: str) -> list[Any]:
        """The parts of a group as futures of tuples, on a worker."""
        from dask.delayed import delayed

        made = [delayed(held, pure=False)(list(part)) for part in parts]
        return list(self.client.compute(made, workers=[place], allow_other_workers=True))

    def example(self) -> tuple[Any, ...]:
        """A few rows of the first part."""
        found: tuple[Any, ...] = self.client.submit(first_rows, self.groups[0][0], pure=False).result()
        return found

    def added(self, work: Callable[..., Any], given: Mapping[str, Any], step: int) -> Total:
        """The total of all groups."""
        if sum(getattr(leaf, "nbytes", 0) for _, leaf in leaves(dict(given))) < SMALL:
            return self.total(work, given, step)
        from distributed import CancelledError

        for attempt in range(ATTEMPTS):
            try:  # in a list: of a dict the entries are sent; unhashed: another step may have equal ones, and let them go
                return self.total(work, self.client.scatter([given], broadcast=True, hash=False)[0], step)
            except CancelledError:  # a worker that is lost may have held what was sent: that cannot be computed again
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError

    def total(self, work: Callable[..., Any], given: Any, step: int) -> Total:
        """The same, with the arguments or a future of them."""
        self.look()
        submit = functools.partial(self.client.submit, pure=False)  # pure: equal arguments would be one task
        name = f"sourcediff-{step}-{uuid.uuid4().hex}"
        level = [submit(work, given, *group, key=f"{name}-{number}", workers=[place], allow_other_workers=True)
                 for number, (group, place) in enumerate(zip(self.groups, self.places))]
        all_of_them = list(level)  # which are not to be let go before the end
        while len(level) > FAN:
            level = [submit(added, *level[at:at + FAN], key=f"{name}-of-{len(level)}-{at}") for at in range(0, len(level), FAN)]
            all_of_them += level
        self.wait(all_of_them, step)
        return added(*self.client.gather(level))

    def look(self) -> None:
        """Give the groups of workers that are gone to those that have the fewest, where their parts are computed again.

        Where a worker has come since, it is given one of those that have several: Dask would drop copies of their parts there.
        """
        there = sorted(self.client.nthreads())
        for number, place in enumerate(self.places):
            least = min(there, key=self.places.count, default=place)
            if place not in there or self.places.count(place) > self.places.count(least) + 1:
                self.places[number] = least
                self.groups[number] = self.sent(self.parts[number], least)

    def wait(self, futures: Sequence[Any], step: int) -> None:
        """Wait for tasks, and say how many are done where it takes long."""
        shown = False
        for future in futures:
            while not future.done():
                try:
                    future.exception(timeout=PATIENCE)
                except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
                    done = sum(other.done() for other in futures)
                    sys.stderr.write(f"\rsourcediff: step {step}, {done} of {len(futures)} tasks done")
                    sys.stderr.flush()
                    shown = True
        if shown:
            sys.stderr.write("\n")


def parts_of(data: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The parts of Dask's collections that belong together."""
    rows = next((value.chunks[0] for value in data if hasattr(value, "chunks")), None)
    columns = [blocks(value, rows) for value in data]
    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"the data has {' and '.join(str(len(column)) for column in columns)} parts")
    return list(zip(*columns))


def blocks(value: Any, rows: Any) -> list[Any]:
    """The parts of a Dask array (cut at ``rows``), of a frame, or of a list."""
    if hasattr(value, "rechunk"):
        whole = dict.fromkeys(range(1, value.ndim), -1)
        return list(value.rechunk({0: rows, **whole}).to_delayed().ravel())
    if hasattr(value, "to_delayed"):
        return list(value.to_delayed())
    if isinstance(value, (list, tuple)):
        return list(value)
    raise ValueError(f"an object of {type(value).__name__} holds the rows: with Dask give its array or frame, or a list of delayed parts")


# -- joblib -----------------------------------------------------------------------------------------------------------------


class Files:
    """Parts in files, which the processes of joblib read as they need them; one group for each processor."""

    def __init__(self, data: Sequence[Any]):
        import joblib

        number = joblib.cpu_count()
        self.folder = tempfile.mkdtemp(prefix="sourcediff-")
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        columns = [self.kept(value, number, f"{position}") for position, value in enumerate(data)]
        if len({len(column) for column in columns}) != 1:
            raise ValueError(f"the data has {' and '.join(str(len(column)) for column in columns)} parts")
        parts = list(zip(*columns))
        self.groups = [parts[cut] for cut in cut(len(parts), number)]
        self.parallel = joblib.Parallel(n_jobs=len(self.groups))

    def kept(self, value: Any, number: int, name: str) -> list[Any]:
        """The parts of an array, or of a list of them, as arrays in files."""
        import joblib

        if any(hasattr(part, "dask") for part in (value, *(value if isinstance(value, (list, tuple)) else ()))):
            raise ValueError("a Dask collection holds the rows, and there is no client: make a distributed.Client()")
        parts = value if isinstance(value, (list, tuple)) else [value[cut] for cut in cut(len(value), number)]
        found = []
        for position, part in enumerate(parts):
            if is_host_array(part) and not isinstance(part, np.memmap) and part.nbytes > SMALL:
                path = f"{self.folder}/{name}-{position}"
                joblib.dump(part, path)
                part = joblib.load(path, mmap_mode="r")
            found.append(part)
        return found

    def example(self) -> tuple[Any, ...]:
        """A few rows of the first part."""
        return first_rows([as_array(part) for part in self.groups[0][0]])

    def added(self, work: Callable[..., Any], given: Mapping[str, Any], step: int) -> Total:
        """The total of all groups."""
        import joblib

        return added(*self.parallel(joblib.delayed(work)(given, *group) for group in self.groups))


def cut(number: int, groups: int) -> list[slice]:
    """Groups of things that follow one another, of nearly equal size; none is empty.

    >>> cut(5, 2), cut(1, 4)
    ([slice(0, 3, None), slice(3, 5, None)], [slice(0, 1, None)])
    """
    groups = max(1, min(number, groups))
    ends = [-(-number * group // groups) for group in range(groups + 1)]
    return [slice(start, end) for start, end in itertools.pairwise(ends)]
