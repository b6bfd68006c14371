"""Interpret texts, and what is put into words: of an object its words."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered
from .subscripts import Subscripts
from .values import Known, NotInterpreted, Run, Structure, Value


class Messages(Subscripts):
    """The values of texts."""

    def _JoinedStr(self, node: Any) -> Value:
        parts = [part.value if isinstance(part, n.FormattedValue) else part for part in node.values]
        specs = [spec_of(part) for part in node.values]
        if None not in specs and all(map(is_plain, parts)) and parts != node.values:
            values = self.several(parts)
            if all(isinstance(value, Known) and isinstance(value.object, (str, int)) for value in values):
                return Known("".join(format(value.object, spec) for value, spec in zip(values, specs)))  # type: ignore[attr-defined,arg-type]
        made: Any = self._other(node)
        return self.run(altered(made.node, values=[piece for part in made.node.values for piece in pieces_of(part)]), node)

    def _FormattedValue(self, node: Any) -> Value:
        shown = [node.value] if node.format_spec is None else [node.value, node.format_spec]
        value, *specs = [self.text(self.shown(value, node.conversion == ord("r"))) for value in self.several(shown)]
        if not specs:
            return self.run(altered(node, value=value), node)
        spec = specs[0]
        spec = spec if isinstance(spec, n.JoinedStr) else n.JoinedStr(values=[spec])
        return self.run(altered(node, value=value, format_spec=spec), node)

    def shown(self, value: Value, represented: bool = False) -> Value:
        """A value that is put into words: of an object the words."""
        if not isinstance(value, Structure) or not self.holds_object(value):
            return value
        names_ = ("__repr__",) if represented else ("__str__", "__repr__")
        found = [self.member(value.kind, name) for name in names_ if is_users(value.kind)]
        method = next((each for each in found if is_user_function(each) and not hasattr(each, "__wrapped__")), None)
        if method is not None:
            return self.called(self.bound(method, value), [], {}, n.Constant(value=None, kind=None))
        held = self.state.held[value.identity]
        if value.kind in (list, tuple, dict):
            left, right = {list: ("[", "]"), tuple: ("(", ",)" if len(held) == 1 else ")"), dict: ("{", "}")}[value.kind]
            parts = [(f"{key!r}: " if value.kind is dict else "", part) for key, part in held.items()]
        elif dataclasses.is_dataclass(value.kind) and "__repr__" in vars(value.kind):
            fields = [field.name for field in dataclasses.fields(value.kind) if field.repr]
            left, right, parts = f"{value.kind.__qualname__}(", ")", [(f"{name}=", held[name]) for name in fields]
        else:
            raise NotInterpreted(f"a {value.kind.__name__}, which has no words of its own, is shown")
        pieces: list[n.expr] = [n.Constant(value=left, kind=None)]
        for number, (name, part) in enumerate(parts):
            pieces.append(n.Constant(value=", " * bool(number) + name, kind=None))
            text = self.text(self.shown(self.loaded(part), True))
            conversion = -1 if isinstance(text, n.JoinedStr) else ord("r")
            pieces += pieces_of(n.FormattedValue(value=text, conversion=conversion, format_spec=None))
        return Run(n.JoinedStr(values=[*pieces, n.Constant(value=right, kind=None)]))

    def holds_object(self, value: Value) -> bool:
        """Whether a value is an object, or a container of one."""
        if not isinstance(value, Structure):
            return False
        return value.kind not in (list, tuple, dict) or any(map(self.holds_object, self.state.held[value.identity].values()))


def spec_of(part: Any) -> str | None:
    """The format with which a piece of a text is shown, None of one that only the run tells, or that is converted."""
    if not isinstance(part, n.FormattedValue) or part.conversion == -1 and part.format_spec is None:
        return ""
    pieces = [part.format_spec] if isinstance(part.format_spec, n.Constant) else getattr(part.format_spec, "values", [None])
    if part.conversion != -1 or not all(isinstance(piece, n.Constant) for piece in pieces):
        return None
    return "".join(piece.value for piece in pieces)


def is_plain(node: n.AST) -> bool:
    """Whether an expression is a constant, a name, or an operation on such."""
    return isinstance(node, (n.Constant, n.Name)) or isinstance(node, n.BinOp) and is_plain(node.left) and is_plain(node.right)


def pieces_of(part: Any) -> list[n.expr]:
    """A piece of a text as it stands in another text: one that is a text itself, piece by piece."""
    within = isinstance(part, n.FormattedValue) and isinstance(part.value, n.JoinedStr) and part.format_spec is None
    return [*part.value.values] if within and part.conversion == -1 else [part]
