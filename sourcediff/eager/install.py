"""What the parts of the engine give to one another: operators and methods to Variable, and to the graph what needs Variables."""

from __future__ import annotations

from .engine import equal_value_limits, hooks, inplace, operators
from .engine.backward import of_variable
from .engine.double_backward import Again
from .engine.nodes import Node
from .engine.plans import Plan
from .engine.variable import Variable
from .numpy_api.indexing import item
from .numpy_api.protocols import PROTOCOLS
from .torch_api import names
from .torch_api.porting import OF_NODES, Elsewhere, elsewhere

METHODS = {
    **operators.METHODS, **inplace.METHODS, "__getitem__": item, **PROTOCOLS,
    "backward": of_variable, "register_hook": hooks.register_hook, "retain_grad": hooks.retain_grad, **names.METHODS, **names.PROPERTIES,
}


def install() -> None:
    """Give Variable its methods, and plans and the walk what they take at second order and at limits."""
    for name, member in METHODS.items():
        setattr(Variable, name, member)
    for name, stand_in in elsewhere(dir(Variable), names.FUNCTIONS).items():
        setattr(Variable, name, stand_in)
    for name, remedy in OF_NODES.items():
        setattr(Node, name, Elsewhere(name, remedy))
    Plan.again = Again
    equal_value_limits.take_limits()
