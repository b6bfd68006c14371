"""What is known of a function beside its derivative: whose memory its result has, what it writes to, what its results can be.

One row is one fact and the functions of which it holds; a function may stand in several. Every analysis, pass and engine asks here:
what is said of a function in two places comes to be two things.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

TABLE = {
    # whose memory the result has; that of every other function with a rule is new
    "view": """
        np.transpose np.matrix_transpose np.permute_dims np.swapaxes np.moveaxis np.rollaxis np.linalg.matrix_transpose
        np.squeeze np.expand_dims np.atleast_1d np.atleast_2d np.atleast_3d np.diagonal np.linalg.diagonal np.broadcast_to
        np.flip np.fliplr np.flipud np.rot90 np.real np.imag np.split np.array_split np.hsplit np.vsplit np.dsplit np.unstack
        np.broadcast_arrays np.trim_zeros""",
    "may share": """
        np.reshape np.ravel np.diag np.asarray np.asanyarray np.ascontiguousarray np.asfortranarray np.require np.astype
        np.einsum np.diff np.real_if_close np.float64 np.meshgrid np.ix_ operator.getitem
        np.lib.stride_tricks.sliding_window_view np.histogram_bin_edges""",
    "of one array": "np.reshape np.transpose np.swapaxes np.moveaxis np.expand_dims np.squeeze np.broadcast_to",
    "spreads": "np.diag",
    # what is changed: the first argument
    "writes": """
        np.copyto np.put np.place np.putmask np.fill_diagonal np.put_along_axis np.ufunc.at np.random.shuffle
        random.shuffle bisect.insort_left bisect.insort_right
        operator.setitem operator.delitem operator.iadd operator.isub operator.imul operator.itruediv operator.ifloordiv operator.imod
        operator.ipow operator.imatmul operator.iconcat operator.iand operator.ior operator.ixor operator.ilshift operator.irshift
        builtins.setattr builtins.delattr builtins.next""",
    "exchanges": """
        heapq.heapify heapq.heappush heapq.heappop heapq.heappushpop heapq.heapreplace heapq.heapify_max heapq.heappush_max
        heapq.heappop_max heapq.heappushpop_max heapq.heapreplace_max""",
    "takes out": "heapq.heappop heapq.heappushpop heapq.heapreplace heapq.heappop_max heapq.heappushpop_max heapq.heapreplace_max",
    "shuffles": "np.random.shuffle random.shuffle",
    # arrays that nothing else holds
    "creates": """
        np.zeros np.ones np.empty np.full np.zeros_like np.ones_like np.empty_like np.full_like np.array np.copy np.arange np.linspace
        np.eye np.identity""",
    # of which an int that is given is the length, and no more
    "as long as said": "np.arange np.linspace np.zeros np.ones np.empty np.full",
    # of integers that are no two alike, or indices that name no entry twice
    "names no entry twice": """
        np.arange np.argsort np.nonzero np.flatnonzero np.unique np.where np.argwhere np.ix_ np.triu_indices np.tril_indices
        np.diag_indices np.triu_indices_from np.tril_indices_from np.diag_indices_from np.lexsort np.argpartition""",
    "converts": "np.array np.asarray np.asanyarray np.ascontiguousarray",
    "joins": "np.stack np.concatenate np.column_stack np.hstack np.vstack np.dstack np.append",
    # what is read
    "measures": "builtins.len np.shape np.ndim np.size np.may_share_memory",
    "tests finite": """
        np.isnan np.isfinite np.isinf math.isnan math.isfinite math.isinf np.nan_to_num np.nansum np.nanmean np.nanprod np.nanvar
        np.nanstd np.nanmax np.nanmin""",
    # what results can be
    "bounded": """
        np.tanh np.sin np.cos np.arctan np.arctan2 np.clip np.nan_to_num np.sinc np.angle np.heaviside np.minimum np.copysign""",
    "evaluates a polynomial": "np.poly1d.__call__ np.polynomial.Polynomial.__call__",
    "grows": """
        np.multiply np.square np.sqrt np.cbrt np.log np.log2 np.log10 np.log1p np.absolute np.hypot np.arcsinh np.arccosh np.prod""",
    "divides": "np.divide np.remainder np.fmod operator.mod",
    "real": """
        np.absolute builtins.abs np.real np.imag np.angle np.var np.std np.linalg.norm np.linalg.vector_norm np.fft.irfft np.fft.irfftn
        np.fft.irfft2 np.fft.hfft builtins.int builtins.len""",
    # without a rule, and the same whenever they are called with the same arguments
    "pure": """
        np.unique np.histogram np.histogram2d np.meshgrid np.ix_ np.mask_indices np.poly
        np.polyder np.polyint np.union1d np.intersect1d np.setdiff1d np.setxor1d np.hanning np.hamming np.blackman np.bartlett np.kaiser""",
    "gives a tuple": """
        np.nonzero np.where np.triu_indices np.tril_indices np.diag_indices np.triu_indices_from np.tril_indices_from np.diag_indices_from
        np.unravel_index np.ix_ np.mask_indices""",
    # what the shape of a result depends on
    "rank depends on lengths": "np.squeeze",
    "lengths depend on numbers": """
        np.nonzero np.flatnonzero np.argwhere np.where np.compress np.extract np.delete np.insert np.repeat np.resize np.bincount
        np.trim_zeros np.histogram_bin_edges np.linalg.lstsq np.unique np.histogram np.union1d np.intersect1d np.setdiff1d np.setxor1d
        operator.getitem""",
    "dtype depends on numbers": "np.real_if_close np.linalg.eig np.linalg.eigvals",
    # how they may be asked
    "lazy": """
        builtins.iter builtins.zip builtins.map builtins.filter builtins.enumerate builtins.reversed np.ndindex np.ndenumerate
        np.nditer""",
    "picks": "operator.getitem np.take np.take_along_axis np.compress np.extract np.delete np.diagonal np.trace",
}
"""Fact → the functions.

``view``: the result has the memory of the first argument (or is a list of arrays that have it), where that is an array.
``may share``: it may, which depends on the arguments. ``spreads``: a result of two dimensions is new.
``of one array``: all that is given beside the array are lengths and axes.
``writes``: changes its first argument in place. ``exchanges``: so it does, a list, which takes the second in, and gives an entry of it.
``shuffles``: draws the order from a generator that others draw from.
``creates``: the result is an array that nothing else holds, of numbers that the call itself names or copies.
``as long as said``: an int that is given is the length, and makes no matrix.
``converts``: the result is an array of the argument's entries, ``joins``: one of several arguments' entries.
``measures``: of the argument only the shape, or the memory, is read.
``tests finite``: applied to numbers of which some may be none. ``bounded``: finite, whatever goes in (or the smaller of two, of which
one bounds it). ``grows``: infinite where an argument is. ``divides``: has a pole. ``real``: whatever goes in, no complex number comes out.
``pure``: has no rule and no effect. ``gives a tuple``: an index for each axis.
``rank depends on lengths``, ``lengths depend on numbers``, ``dtype depends on numbers``: those of the arguments.
``lazy``: makes an iterator. ``picks``: selects entries, and its tangent has no zeros that the tangent of the argument has not.
"""


def found(name: str) -> Any:
    """The function of a qualified name, None where this version of NumPy has none."""
    module, *path = name.split(".")
    start: Any = importlib.import_module({"np": "numpy"}.get(module, module))
    return functools.reduce(lambda owner, part: getattr(owner, part, None), path, start)


FACTS: dict[str, frozenset[Any]] = {
    fact: frozenset(function for name in names.split() if (function := found(name)) is not None) for fact, names in TABLE.items()
}


@functools.cache
def having(*facts: str) -> frozenset[Any]:
    """The functions of which one of some facts holds.

    >>> import numpy as np
    >>> np.ravel in having("view"), np.ravel in having("view", "may share")
    (False, True)
    """
    return frozenset().union(*(FACTS[fact] for fact in facts))


def facts_of(function: Any) -> set[str]:
    """All that is known of a function in this table.

    >>> import numpy as np
    >>> sorted(facts_of(np.asarray))
    ['converts', 'may share']
    """
    return {fact for fact, functions in FACTS.items() if function in functions}
