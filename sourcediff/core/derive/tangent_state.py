"""The tangents that forward mode holds at one moment: binding them, giving them memory of their own, zeros where there is none."""

from __future__ import annotations

from ...analysis.abstract import FLOAT, UNKNOWN, Abstract
from ...analysis.applications import application
from ...analysis.fresh import always_copies, is_fresh, may_not_copy
from ...analysis.source.sharing import VIEWS
from ...analysis.statements import loads, popped
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, names, place, statement
from ..facts.aliases import Aliases
from ..facts.liveness import Liveness
from .emit import Emitter, Moment
from .jvp_terms import JvpTerms, Tangent

Block = list[n.stmt]


class TangentState(Emitter):
    """Writes an assignment with its tangent, and knows in which variable each tangent is."""

    def __init__(
        self, moment: Moment, terms: JvpTerms, aliases: Aliases, live: Liveness, mutable: set[str], unbound: set[str],
    ):
        super().__init__(moment)
        self.terms = terms
        self.aliases = aliases
        self.live = live
        self.mutable = mutable
        self.unbound = unbound  # names that some path reads before it binds them
        self.to_bind: set[str] = set()  # those of them of which a zero tangent is made
        self.dot = self.scope.dot
        self.dots: dict[str, Abstract] = {}
        self.lent: set[str] = set()  # names of which a tangent has ever been in the variable of another one, on whatever path

    def bind(self, name: str, tangent: Tangent) -> None:
        """Note that the tangent of ``name`` is in its own variable now."""
        self.dots[self.dot(name)] = self.moment.environment[self.dot(name)] = tangent.value
        self.terms.tangents[name] = Tangent(expression(self.dot(name)), tangent.value, tangent.selected)

    def is_own(self, name: str) -> bool:
        """Whether a tangent is in its own variable, and not in that of another one which it equals."""
        found = self.terms.tangents[name].expr
        return isinstance(found, n.Name) and found.id == self.dot(name)

    def settle(self, changing: str | None = None) -> None:
        """Give tangents a variable of their own: those that are in the one about to be ``changing``, or all of them."""
        for name, tangent in [pair for pair in self.terms.tangents.items() if pair[0] in self.lent] if self.lent else ():
            if not self.is_own(name) and (changing is None or self.dot(changing) in names(tangent.expr)):
                self.emit(statement("$t = $e", t=self.dot(name), e=tangent.expr))
                self.bind(name, tangent)

    def zeros(self, name: str) -> None:
        """Give a variable a tangent of zeros, an array of its own."""
        known = self.moment.environment.get(name, UNKNOWN)
        empty = known.kind == "sequence" and known.items == ()
        if empty:
            zero = expression("[]")
        elif name in self.unbound and not known.scalar:
            zero = self.helper("zeros_like", name)
            self.to_bind.add(name)
        else:
            zero = self.terms.zero(expression(name))
        self.settle(name)
        self.emit(statement("$t = $z", t=self.dot(name), z=zero))
        if empty and name in self.scope.tapes:
            self.scope.tapes.add(self.dot(name))
        value = known if empty or known.kind == "array" and known.inexact else FLOAT if known.scalar else UNKNOWN
        self.bind(name, Tangent(zero, value, selected=True))

    def assign(self, node: n.stmt, target: str, value: n.expr) -> None:
        """``x = f(y)``: ``x_dot = f'(y) y_dot``."""
        result = self.values.after[node].get(target, UNKNOWN)
        counted = result.dtype is not None and result.dtype.kind in "iub"
        outer, self.moment.code = self.moment.code, []
        tangent = None if counted else self.terms.pushed(value, result, expression(self.terms.new))
        parts, self.moment.code = self.moment.code, outer
        if tangent is None:
            self.terms.tangents.pop(target, None)
            self.moment.code.append(node)
            return
        expr = self.roomy(target, self.own(target, value, tangent, result), tangent, result)
        self.settle(target)
        if isinstance(expr, n.Name) and expr.id in self.dots and expr.id != self.dot(target):
            self.beside(node, parts, target, value)
            self.terms.tangents[target] = Tangent(expr, tangent.value, tangent.selected)
            self.lent.add(target)
            return
        parts.append(place(statement("$t = $e", t=self.dot(target), e=expr), node))
        self.beside(node, parts, target, value)
        self.bind(target, Tangent(expr, tangent.value if expr is tangent.expr else self.value_of(expr), tangent.selected))

    def beside(self, node: n.stmt, parts: Block, target: str, value: n.expr) -> None:
        """Append a statement and the code of its tangent: first what reads the old value, then what reads the new one."""
        if self.terms.new not in names(list(parts)):
            self.moment.code += [*parts, node]
        elif target not in loads(list(parts)) and not (isinstance(node, n.AugAssign) and self.sees(node, target)):
            self.moment.code += [node, *(clone(part, {self.terms.new: expression(target)}) for part in parts)]
        elif isinstance(node, n.AugAssign):  # it may change an array in place, so it stays as it is
            self.moment.code += [*(clone(part, {self.terms.new: value}) for part in parts), node]
        else:
            new = self.scope.fresh(f"{target}_new")
            self.emit(statement("$t = $v", t=new, v=value))
            self.moment.code += [clone(part, {self.terms.new: expression(new)}) for part in parts]
            self.emit(statement("$x = $t", x=target, t=new))

    def sees(self, node: n.AugAssign, changed: str) -> bool:
        """Whether what an update reads may be a view of what it changes, so that it is another value afterwards."""
        return bool(self.aliases.of(changed, node) & loads(node.value))

    def own(self, target: str, value: n.expr, tangent: Tangent, result: Abstract) -> n.expr:
        """The tangent in memory of its own, where the value has some of its own and one of the two is changed in place."""
        if result.scalar or is_fresh(tangent.expr) or self.views(value):
            return tangent.expr
        if target not in self.mutable and not names(tangent.expr) & {self.dot(name) for name in self.mutable}:
            return tangent.expr
        if result.kind == "array" and not result.dims:  # arithmetic on arrays without dimensions gives numbers
            return self.numpy("np.array($t)", t=tangent.expr)
        return self.copied(tangent.expr, tangent.value)

    def roomy(self, target: str, expr: n.expr, tangent: Tangent, result: Abstract) -> n.expr:
        """The tangent of what may be complex, and is changed in place, as an array that can hold complex numbers."""
        complex_already = tangent.value.dtype is not None and tangent.value.dtype.kind == "c"
        if target not in self.mutable or result.scalar or complex_already or not self.may_be_complex(expression(target), result):
            return expr
        return self.helper("own", expr, self.terms.new)

    def views(self, value: n.expr) -> bool:
        """Whether an expression may be a view of its operand; then its tangent is the same view."""
        if isinstance(value, (n.Name, n.Subscript, n.Tuple, n.List, n.Dict)) or popped(value) is not None:
            return True
        applied = application(value, self.scope)
        return applied is not None and (applied.function in VIEWS or may_not_copy(value)) and not always_copies(value)
