"""``graph``: the recorded graph as something to walk in a program, to print, and to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import NonDifferentiableError
from ..engine.mutation import REWRITTEN
from ..engine.nodes import Recorded
from ..engine.views import refresh

if TYPE_CHECKING:
    from ..engine.variable import Variable
    from .diagram import Graph


def graph(variables: Variable | Sequence[Variable], names: Mapping[str, Variable] | None = None) -> Graph:
    """The graph behind a Variable, or behind several, to walk in a program or to look at; a notebook draws it.

    ``names`` labels leaves and results; a Variable in it that ``variables`` do not depend on is shown apart from the rest. Nothing is
    computed, freed or kept alive: the returned :class:`Graph` is a snapshot without arrays. Nodes that a backward pass has freed say
    so; a Variable without a graph (constant, volatile) is a single node that says why.
    Raises NonDifferentiableError for anything but Variables, InPlaceError for one whose memory was changed in a way that is not followed.

    >>> from sourcediff.eager import Variable
    >>> x = Variable([[1.0, 2.0]], requires_grad=True)
    >>> y = x + 2
    >>> graph((y * y).mean(), names={"x": x, "y": y})
    graph of 1 leaf, 3 operations, 5 edges, 16 B saved
       0  leaf x               float64 (1, 2)
       1  y = np.add   (0)     float64 (1, 2)
       2  np.multiply  (1, 1)  float64 (1, 2)  saved x, y (16 B)
       3  np.mean      (2)     float64 ()
       4  output       (3)     float64 ()
    """
    from .survey import Survey  # who looks at no graph does not wait for what that takes

    outputs = [variables] if isinstance(variables, Recorded) else variables
    if not isinstance(outputs, (list, tuple)) or not outputs:
        raise _no_variable("graph()", variables)
    for output in outputs:
        if not isinstance(output, Recorded):
            raise _no_variable("graph()", output)
    for name, variable in (names or {}).items():
        if not isinstance(variable, Recorded):
            raise _no_variable(f"names[{name!r}] of graph()", variable)
    if REWRITTEN:
        for variable in [*outputs, *(names or {}).values()]:
            refresh(variable)
    return Survey(outputs, names or {}).graph()


def _no_variable(where: str, value: Any) -> NonDifferentiableError:
    what = f"{value!r}" if isinstance(value, (list, tuple)) and not value else f"a {type(value).__name__}"
    return NonDifferentiableError(
        f"{where} got {what}", why="only Variables have a graph", remedy="give a Variable, or a list or tuple of Variables",
    )
