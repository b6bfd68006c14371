"""Bind a name to a value, and note what it stands for from then on."""

from __future__ import annotations

import enum
from typing import Any

from ...analysis.abstract import record_known
from ...analysis.applications import record_of
from ...analysis.scope import MISSING
from ...analysis.source.sharing import grouped
from ...syntax import nodes as n
from ...syntax.quote import expression, place, statement
from ..room import Room


class Bindings(Room):
    """The one place where names are bound."""

    def bound(self, target: str, value: n.expr, at: n.AST) -> n.expr:
        """Append ``target = value`` and give the name back."""
        self.lower.for_loops.comes(expression(target), self.lower.for_loops.kinds_of(value))
        self.shares(target, value)
        if isinstance(value, n.Name) and value.id in self.state.instances:
            self.lower.construction.named_again(target, value.id, at)
            return expression(target)
        if target in self.state.instances:
            return self.refused(at, f"{target}, which stands for several things,", "which one it is is not known before the program runs",
                                "use a name for each")
        if isinstance(value, n.Name) and value.id in self.state.partly:
            if target in self.state.often or target in self.state.partly or target in self.state.callees:
                return self.refused(at, "a name for several functions", "which one it is is not known", "use two names")
            self.state.partly[target] = self.state.partly[value.id]
            self.state.names.add(target)
            return expression(target)
        if isinstance(value, n.Name) and value.id in self.state.functions and value.id != target:
            if target in self.state.often or target in self.state.functions or target in self.state.callees:
                return self.refused(at, "a name for several functions", "which one it is is not known", "use two names")
            self.state.functions[target] = self.state.functions[value.id]
            self.state.names.add(target)
            return expression(target)
        value = self.state.callees.get(getattr(value, "id", ""), value)
        self.stands_for(target, value, at)
        known = None if self.carries(value) else record_of(value, self.scope) or record_known(self.known(value))
        if self.scope.records.get(target, known) is not known:
            return self.refused(at, f"{target}, which stands for several things,", "which one it is is not known before the program runs",
                                "use a name for each")
        if known is not None and (target not in self.state.often or target not in self.state.kinds or target in self.scope.records):
            self.scope.records[target] = known
        (self.state.unset.add if isinstance(value, n.Constant) and value.value is None else self.state.unset.discard)(target)
        if self.carries(value):
            self.state.names.add(target)
        if target not in self.state.often and self.lower.kinds.is_array(value):
            self.state.arrays.add(target)
        self.state.kinds[target] = self.known(value)
        if target in self.state.unsure and target in self.state.locals.values():
            self.state.unsure.discard(target)
        if isinstance(value, n.Name):
            self.state.unsure |= {target} if value.id in self.state.unsure else set()
            self.state.lists |= {target} if value.id in self.state.lists else set()
        if isinstance(value, (n.List, n.ListComp)) or isinstance(value, n.BinOp) and self.lower.kinds.is_sequence(value):
            self.state.lists.add(target)
        elif isinstance(value, n.Call) and self.lower.kinds.new_list(value):
            self.state.lists.add(target)
        if self.lower.kinds.is_set(value):
            self.state.sets.add(target)
        self.state.out.append(place(statement("$t = $v", t=target, v=value), at))
        return expression(target)

    def stands_for(self, target: str, value: n.expr, at: n.AST) -> None:
        """Note the function that a name is bound to. One that is an attribute may be bound to another one in another body."""
        function = self.scope.resolve(value) if isinstance(value, (n.Attribute, n.Name)) else MISSING
        if target not in self.state.locals.values():
            if isinstance(value, n.Attribute) and callable(function) and target not in self.state.often:
                self.scope.functions[target] = function
        elif target in self.state.functions or target in self.state.partly:
            self.refused(at, "a name for several functions", "which one it is is not known", "use two names")
        elif callable(function):
            self.state.callees[target] = value
            self.scope.functions[target] = function
        elif self.state.callees.pop(target, None) is not None:
            self.scope.functions.pop(target, None)

    def default_read(self, default: Any, parameter: str, function: Any, written: str) -> n.expr | None:
        """A default that is a class, or a member of an enumeration, as what it is at each call; None of any other."""
        if not isinstance(default, (type, enum.Enum)):
            return None
        return expression(self.scope.outside(f"{parameter}=", function, written=written))

    def shares(self, name: str, value: n.expr) -> None:
        """Note that a name stands for the list or dict that another one stands for."""
        if isinstance(value, n.Name) and (value.id in self.state.lists or self.known(value).kind in ("sequence", "mapping")):
            self.state.shared.append({name, value.id})

    def sharing(self, name: str, once: bool = False) -> set[str]:
        """The names of the list or dict that a name stands for, as far as they have been met; ``once``: that are bound once."""
        return grouped(pair for pair in self.state.shared if not once or not pair & self.state.often).get(name, {name})
