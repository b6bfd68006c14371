"""How a Variable is printed."""

from __future__ import annotations

from .nodes import Node, Recorded


def printed(variable: Recorded) -> str:
    """The values, then one line with what they are.

    >>> from sourcediff.eager.engine.variable import Variable
    >>> print(Variable([[1.0, 1.0], [1.0, 1.0]]))
    Variable containing:
    [[1. 1.]
     [1. 1.]]
    [float64 array of size 2x2]
    """
    return f"Variable containing:\n{variable._value}\n[{kind(variable)}]"


def maker(variable: Recorded) -> str:
    """What ``repr`` says of where a Variable comes from: of one that an operation made, its name.

    >>> from sourcediff.eager.engine.variable import Variable
    >>> maker(Variable([1.0], requires_grad=True) * 2), maker(Variable([1.0]))
    (' made by np.multiply', '')
    """
    node = variable._node  # not grad_fn, which would be refused after some changes in place: what is refused can still be looked at
    return f" made by {node.name}" if isinstance(node, Node) else ""


def kind(variable: Recorded) -> str:
    """``float64 array of size 2x2``, or ``float64 number`` for a scalar."""
    if variable.ndim:
        return f"{variable.dtype} array of size {'x'.join(map(str, variable.shape))}"
    return f"{variable.dtype} number"
