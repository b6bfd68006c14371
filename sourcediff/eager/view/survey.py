"""``graph``: goes over the recorded graph behind Variables and writes down what is there."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..engine.graph import COLLECT, SAME, WalkStep
from ..engine.nodes import VOLATILE, Kind, Leaf, Node, kind_of
from ..engine.plans import Plan
from .diagram import Graph
from .facts import GraphEdge, GraphNode, Result
from .holdings import holdings, weighed

Place = tuple[Any, int]
"""A node and the number of one of its results."""


class Survey:
    """One look at a graph. The engine's own steps are left out: an operation with several results is one node."""

    def __init__(self, outputs: Sequence[Any], names: Mapping[str, Any]):
        self.outputs = outputs
        self.kinds: dict[Place, Kind] = {}  # what has been recorded of results
        self.widths: dict[Any, int] = {}  # of operations with several results: how many
        self.hidden: dict[Any, Place] = {}  # of the engine's own steps: what they lead to
        self.hooks: dict[Any, int] = {}  # those of the steps, by what they lead to
        self.labels: dict[Any, list[str]] = {}
        self.asked = {self._key(output) for output in outputs}
        self.apart: dict[str, Any] = {}
        self.operations = self._reached()
        self._label(names)

    def place(self, node: Any) -> Place:
        """The operation (or leaf) whose result stands at a node, and the number of that result."""
        if type(node) is Leaf or not isinstance(node.plan, WalkStep):
            return node, 0
        if node not in self.hidden:
            way, position = [], 0
            while type(node) is Node and isinstance(node.plan, WalkStep):
                way.append(node)
                if node.plan is COLLECT:
                    self._several(node, position)
                elif node.plan is not SAME:
                    (position,) = node.plan.backward(None, ())  # a pick tells its position by what it makes of an adjoint
                (node,) = node.edges
            for step in way:
                if step not in self.hidden:
                    self.hidden[step] = node, position
                    self.hooks[node] = self.hooks.get(node, 0) + len(getattr(step, "hooks", ()))
            return node, position
        return self.hidden[node]

    def _several(self, collected: Node, position: int) -> None:
        """Note how many results the operation has (once it is freed, only how many are known of) and of which kinds."""
        (node,) = collected.edges
        kinds = collected.saved or ()
        self.widths[node] = max(self.widths.get(node, 0), len(kinds), position + 1)
        for position, kind in enumerate(kinds):
            self.kinds[node, position] = kind

    def _reached(self) -> list[Any]:
        """The nodes behind the outputs, each after its inputs."""
        seen: dict[Any, None] = {}
        stack = [self.place(output._node)[0] for output in self.outputs if output.requires_grad]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen[node] = None
                stack += [self.place(edge)[0] for edge in node.edges]
        nodes = sorted(seen, key=lambda node: node.seq)
        for output in self.outputs:
            if output.requires_grad:
                self.kinds[self.place(output._node)] = kind_of(output._value)
        for node in filter(lambda node: type(node) is Node, nodes):
            self._tell(node)
        return nodes

    def _tell(self, node: Node) -> None:
        """Note what a node keeps of the shapes and dtypes of its result and of its inputs."""
        if node.kind is not None:
            self.kinds[node, 0] = node.kind
        inputs = [self.place(edge) for edge in node.edges]
        kinds: list[Any] = list(zip(inputs, node.restore or ()))
        if isinstance(node.plan, Plan) and not node.plan.rule.sequence:
            places = {"z": (node, 0), **dict(zip(node.plan.wanted, inputs))} if node.plan.rule.outputs == 1 else {}
            kinds += [(places[name], kind_of(value)) for (name, what), value in zip(node.plan.reads, node.saved or ())
                      if what == "value" and name in places]
        elif isinstance(node.plan, Plan):
            kinds = [(place, part[1]) for place, part in kinds if part is not None]
        for place, kind in kinds:
            if kind is not None:
                self.kinds.setdefault(place, kind)

    def result(self, place: Place) -> Result:
        """What is known of a result."""
        shape, dtype = self.kinds.get(place, (None, None))
        return Result(shape, dtype and np.dtype(dtype))

    def _key(self, variable: Any) -> Any:
        """What a Variable is found by: its place in the graph, or itself."""
        return self.place(variable._node) if variable.requires_grad else id(variable)

    def _label(self, names: Mapping[str, Any]) -> None:
        """Find what ``names`` names: an output, a node, or something apart."""
        reached = set(self.operations)
        for name, variable in names.items():
            key = self._key(variable)
            if key in self.asked or variable.requires_grad and key[0] in reached:
                self.labels.setdefault(key, []).append(name)
            else:
                self.apart[name] = variable

    def label(self, key: Any) -> str:
        """What ``names`` calls it."""
        return ", ".join(self.labels.get(key, ()))

    def graph(self) -> Graph:
        """The facts."""
        nodes: list[GraphNode] = []
        edges: list[GraphEdge] = []
        made: dict[Any, GraphNode] = {}
        owners: dict[int, int] = {}

        def add(**facts: Any) -> GraphNode:
            nodes.append(GraphNode(number=len(nodes), **facts))
            return nodes[-1]

        for node in self.operations:
            width = self.widths.get(node, 1)
            hooks = len(getattr(node, "hooks", ())) + self.hooks.get(node, 0)
            if type(node) is Leaf:
                made[node] = add(kind="leaf", name="leaf", label=self.label((node, 0)), hooks=hooks, **self._leaf(node))
                continue
            saved, memory = weighed(holdings(node))
            owners.update(memory)
            made[node] = add(
                kind="operation", name=node.name,
                label=self.label((node, 0)) if width == 1 and (node, 0) not in self.asked else "",
                results=tuple(self.result((node, i)) for i in range(width)), note=self._parts(node, width),
                saved=saved, saved_bytes=sum(memory.values()), freed=node.saved is None, hooks=hooks, line=getattr(node, "line", ""),
            )
            arguments = _arguments(node)
            for i, edge in enumerate(node.edges):
                source, position = self.place(edge)
                edges.append(GraphEdge(made[source], made[node], position, arguments[i] if i < len(arguments) else ""))
        for output in self.outputs:
            key = self._key(output)
            shown = add(kind="output", name="output", label=self.label(key), note=_why_nothing(output), **_variable(output))
            if output.requires_grad:
                edges.append(GraphEdge(made[key[0]], shown, key[1], ""))
        for name, variable in self.apart.items():
            note = _why_nothing(variable) or "the outputs do not lead here"
            add(kind="apart", name="leaf" if variable.is_leaf else variable.grad_fn.name, label=name, note=note, **_variable(variable))
        return Graph(tuple(nodes), tuple(edges), sum(owners.values()))

    def _parts(self, node: Node, width: int) -> str:
        """Which of several results have which labels."""
        labels = [self.label((node, i)) for i in range(width if width > 1 else 0)]
        return ", ".join(f"result {i} is {label}" for i, label in enumerate(labels) if label)

    def _leaf(self, leaf: Leaf) -> dict[str, Any]:
        variable = leaf.owner()
        if variable is None or variable._node is not leaf:
            return {"results": (self.result((leaf, 0)),), "note": "its Variable is gone" if variable is None else "detached since"}
        return _variable(variable)


def _variable(variable: Any) -> dict[str, Any]:
    """The facts of a Variable as it is now."""
    shape, dtype = kind_of(variable._value)
    return {"results": (Result(shape, np.dtype(dtype)),), "has_grad": variable.grad is not None, "_variable": weakref.ref(variable)}


def _why_nothing(variable: Any) -> str:
    if variable.requires_grad:
        return ""
    return "volatile: nothing is recorded" if variable._node is VOLATILE else "constant: requires no grad"


def _arguments(node: Node) -> list[str]:
    """The names of the arguments that the edges of a node are."""
    plan = node.plan
    if isinstance(plan, Plan):
        if plan.rule.sequence:
            return [f"{plan.wanted[0]}[{kind[0]}]" for kind in node.restore or () if kind is not None]
        return list(plan.wanted)
    if hasattr(plan, "cls"):
        return [_parameter(plan.cls.forward, position) for position, needs in enumerate(plan.needs) if needs]
    return []


@cache
def _parameter(forward: Any, position: int) -> str:
    """The name of the argument of a Function that stands at a position, ctx not counted.

    >>> _parameter(lambda ctx, x, *more: x, 0), _parameter(lambda ctx, x, *more: x, 2)
    ('x', 'more[1]')
    """
    parameters = list(inspect.signature(forward).parameters.values())[1:]
    for i, parameter in enumerate(parameters[:position + 1]):
        if parameter.kind is parameter.VAR_POSITIONAL:
            return f"{parameter.name}[{position - i}]"
    return parameters[position].name
