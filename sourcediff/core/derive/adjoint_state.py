"""Bind, accumulate and reshape adjoints: the state of the reverse sweep while it is written."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from ...analysis.abstract import FLOAT, INT, UNKNOWN, Abstract, item_of, same_dtype
from ...analysis.abstraction import sampled
from ...analysis.statements import base, binds, grown, shrunk
from ...analysis.states import extended
from ...errors import UnsupportedSyntaxError
from ...runtime import structures
from ...syntax import nodes as n
from ...syntax.quote import expression, names, negated, statement
from .adjoints import Adjoint, Contribution
from .emit import Emitter, Moment
from .steps import Step

NUMBERS = ("array", "python", "numpy")
"""The kinds of values that are numbers, or arrays of them, for certain."""

Block = list[n.stmt]


class AdjointState(Emitter):
    """Holds the adjoints of the moment and writes the code that changes them."""

    def __init__(self, moment: Moment, mutable: set[str], unbound: set[str]):
        super().__init__(moment)
        values = moment.values
        self.mutable = mutable
        self.unbound = unbound  # names that some path reads before it binds them
        self.grown = {name for node in values.before if (name := grown(node) or shrunk(node))}  # lists: so are their adjoints
        self.renamed = {name for node, known in values.after.items() for name in binds(node) & self.grown
                        if known.get(name, UNKNOWN).kind != "sequence"}  # those that stand for something else, too
        self.passed: set[str] = set()  # lists that lose an entry of which the adjoint is zero
        self.to_bind: set[str] = set()  # those of them of which a zero adjoint is made
        self.dimensionless: set[str] = set()  # adjoints of numbers that may be arrays without dimensions
        self.bar = values.scope.bar
        self.adjoints: dict[str, Adjoint] = {}
        self.step: Step | None = None

    def shaped_after(self, name: str) -> None:
        """Note that the code makes an adjoint in the shape of ``name``: the old value of it, where its own statement binds it."""
        if self.step is not None and self.step.node is not None and name in binds(self.step.node) and self.moment.code is self.step.code:
            self.step.reads_old = True

    def settle(self, name: str, in_place: bool) -> None:
        """Before ``name``'s adjoint is written: give those that borrow it a form of their own."""
        written = self.bar(name)
        for other, adjoint in list(self.adjoints.items()):
            if other != name and adjoint.borrows(written):
                self.emit(statement("$o = $e", o=self.bar(other), e=adjoint.expr))
                self.adjoints[other] = replace(adjoint, expr=expression(self.bar(other)), owned=False)
                if name in self.adjoints:
                    self.adjoints[name] = replace(self.adjoints[name], owned=False)
            elif other != name and adjoint.view_of == name and in_place and adjoint.made_by is not None:
                self.mend(adjoint.made_by)
                self.adjoints[other] = replace(adjoint, view_of=None, made_by=None, owned=True)

    def canonical(self, name: str, owned: bool, narrow: bool) -> Adjoint:
        """Bring an adjoint into the form of its own name: ``x_bar``, full unless ``narrow``, its own array if ``owned``."""
        adjoint = self.adjoints.get(name)
        known = self.moment.environment.get(name, UNKNOWN)
        target = self.bar(name)
        if adjoint is None:
            self.settle(name, in_place=False)  # another may still be written as this name
            value = adjoint_value(known)
            self.shaped_after(name)
            if known.scalar:
                self.emit(statement("$t = 0.0", t=target))
                value = FLOAT
            elif name in self.scope.tapes - self.passed:
                self.emit(statement("$t = []", t=target))
                self.scope.tapes.add(target)
            elif name in self.unbound:
                self.to_bind.add(name)
                self.emit(statement("$t = $z", t=target, z=self.helper("zeros_like", name)))
            elif known.kind == "array":
                self.emit(statement("$t = $z", t=target, z=self.numpy("np.zeros_like($x)", x=name)))
            else:
                self.emit(statement("$t = $z", t=target, z=self.helper("zeros_like", name)))
            made = Adjoint(expression(target), value, owned=True, selected=True)
        elif adjoint.narrow and not narrow and not known.scalar:
            made = self.widened(name, adjoint)
        elif not adjoint.borrows(target):
            self.settle(name, in_place=False)
            borrowed = isinstance(adjoint.expr, n.Name) and not adjoint.owned and not known.scalar
            copied = owned and borrowed
            value = self.copied(adjoint.expr, known) if copied else adjoint.expr
            if owned and known.kind == "array" and not known.dims:  # arithmetic on 0-d arrays gives numbers
                value = self.numpy("np.array($e)", e=adjoint.expr)
            self.emit(statement("$t = $e", t=target, e=value))
            shared = borrowed and not copied
            made = replace(adjoint, expr=expression(target), owned=not shared, view_of=None, made_by=None)
            if shared:  # both names now hold one array
                for other, held in list(self.adjoints.items()):
                    if other != name and held.borrows(adjoint.expr.id):
                        self.adjoints[other] = replace(held, owned=False)
        elif owned and known.kind == "array" and not known.dims and not adjoint.owned:  # arithmetic on 0-d arrays gives numbers
            self.settle(name, in_place=False)
            self.emit(statement("$t = $a", t=target, a=self.numpy("np.array($t)", t=target)))
            made = replace(adjoint, owned=True, view_of=None, made_by=None)
        elif owned and not adjoint.owned and not known.scalar:
            self.settle(name, in_place=False)
            own = self.helper("own", target, name) if known.kind == "unknown" else self.copied(target, known)
            self.emit(statement("$t = $c", t=target, c=own))
            made = replace(adjoint, owned=True, view_of=None, made_by=None)
        else:
            made = adjoint
        if owned and not known.scalar:
            made = self.roomy(name, made)
        self.adjoints[name] = made
        return made

    def roomy(self, name: str, adjoint: Adjoint) -> Adjoint:
        """The adjoint of what may be complex, about to be changed in place, as an array that can hold complex numbers."""
        known = self.moment.environment.get(name, UNKNOWN)
        if not self.may_be_complex(expression(name), known) or adjoint.value.dtype is not None and adjoint.value.dtype.kind == "c":
            return adjoint
        target = self.bar(name)
        if known.kind == "array" and known.dtype is not None:
            self.emit(statement("$t = $c", t=target, c=self.numpy(f"$t.astype(np.{known.dtype.name})", t=target)))
            return replace(adjoint, value=adjoint_value(known), owned=True, view_of=None, made_by=None)
        self.shaped_after(name)
        self.emit(statement("$t = $c", t=target, c=self.helper("own", target, name)))
        return replace(adjoint, owned=True, view_of=None, made_by=None)

    def widened(self, name: str, adjoint: Adjoint) -> Adjoint:
        """A narrow adjoint written out as a full array."""
        known = self.moment.environment.get(name, UNKNOWN)
        self.settle(name, in_place=False)
        self.shaped_after(name)
        self.emit(statement("$t = $f", t=self.bar(name), f=self.numpy("np.full_like($x, $e)", x=name, e=adjoint.expr)))
        made = Adjoint(expression(self.bar(name)), adjoint_value(known), owned=True, selected=adjoint.selected)
        self.adjoints[name] = made
        return made

    def buffer(self, name: str) -> None:
        """Make ``name``'s adjoint an array of its own, in the full shape, that may be written in place."""
        if name in self.adjoints and self.adjoints[name].borrows(self.bar(name)):
            self.settle(name, in_place=True)
        adjoint = self.adjoints.get(name)
        if adjoint is None or not adjoint.owned or adjoint.narrow or not adjoint.borrows(self.bar(name)) or self.complexes.names:
            self.canonical(name, owned=True, narrow=False)

    def add(self, name: str, found: Contribution) -> None:
        """Add a contribution to ``name``'s adjoint: the first binds, later ones add, in place only where that is safe."""
        found = self.in_kind(name, found)
        adjoint = self.adjoints.get(name)
        known = self.moment.environment.get(name, UNKNOWN)
        target = self.bar(name)
        listed = self.is_grown(name, known)
        alone = listed and item_of(known).scalar  # a new list of numbers shares nothing
        if listed:
            found = replace_contribution(found, self.listed(found.expr), value=UNKNOWN, view=False)
        fresh = self.is_new(found.expr)
        full = known.kind == "array" and bool(known.dims) and not found.narrow
        if adjoint is None:
            self.settle(name, in_place=False)
            may_view = not fresh and not isinstance(found.expr, n.Name) and found.view_of is None
            like = found.value if known.scalar or found.narrow else known
            if may_view and known.scalar and found.value.kind == "array":  # without dimensions: what it may be a view of may change
                found = replace_contribution(found, expression("$e[()]", e=found.expr), value=Abstract("numpy", found.value.dtype))
            elif may_view and not known.scalar and any(self.is_live(expression(part)) for part in names(found.expr)):
                found, fresh = replace_contribution(found, self.copied(found.expr, like), view=False), True
            elif self.may_change(found.expr) and not like.scalar:
                found, fresh = replace_contribution(found, self.copied(found.expr, like), view=False), True
            if known.scalar and self.is_dimensionless(found.expr):
                self.dimensionless.add(target)
            borrowed = isinstance(found.expr, n.Constant) or isinstance(found.expr, n.Name) and self.is_bar(found.expr.id)
            made_by = None if borrowed else self.emit(statement("$t = $c", t=target, c=found.expr))
            expr = found.expr if borrowed else expression(target)
            alone = alone or listed and self.is_new(found.expr)  # nor does a copy
            self.adjoints[name] = Adjoint(
                expr, found.value, found.narrow, owned=alone or full and (fresh or found.owned), selected=found.selected,
                view_of=found.view_of, made_by=made_by if found.view_of else None,
            )
            return
        if known.kind in ("sequence", "mapping", "mixed") or known.kind == "unknown" and self.may_be_list(found.expr):
            value = self.helper("added", adjoint.expr, found.expr)
            self.settle(name, in_place=False)
            self.emit(statement("$t = $v", t=target, v=value))
            self.adjoints[name] = Adjoint(expression(target), found.value, owned=alone, selected=True)
            return
        own = adjoint.borrows(target)
        narrow = adjoint.narrow and found.narrow
        same = found.value == adjoint.value or found.value.scalar and (found.narrow or found.value.kind == "python")
        same = same or not self.complexes.names and goes_into(adjoint.value, found.value)
        number = known.scalar and adjoint.value.kind != "array" and target not in self.dimensionless  # which may be views
        in_place = own and (number or adjoint.owned and not adjoint.narrow and full_in_place(adjoint.value, found, same))
        self.settle(name, in_place=in_place and not number)
        in_place = in_place and (number or self.adjoints[name].owned)
        added = spread(found.expr) if in_place and not number else found.expr
        negative = negated(added)
        term, sign = (negative, "-") if negative is not None else (added, "+")
        value = adjoint.value if in_place and not number else sum_value(adjoint.value, found.value)
        if in_place:
            self.emit(statement(f"$t {sign}= $c", t=target, c=term))
        else:
            self.emit(statement(f"$t = $e {sign} $c", t=target, e=adjoint.expr, c=term))
        owned = full or not adjoint.narrow and known.kind == "array" and bool(known.dims)
        self.adjoints[name] = Adjoint(expression(target), value, narrow, owned, adjoint.selected or found.selected)

    def is_dimensionless(self, node: n.expr) -> bool:
        """Whether an adjoint of a number may be an array without dimensions, which ``np.where`` gives of numbers too."""
        if isinstance(node, n.Name):
            return node.id in self.dimensionless
        return isinstance(node, n.Call) and getattr(node.func, "attr", "") in ("where", "select")

    def is_grown(self, name: str, known: Abstract) -> bool:
        """Whether a variable is a list here that becomes longer or shorter."""
        if name not in self.grown or known.kind == "array" or known.scalar:
            return False
        if known.kind == "unknown" and name in self.renamed:
            raise UnsupportedSyntaxError("a name for a list that grows, and for something else", places=[self.pointer(
                self.moment.at, f"{name} need not be a list here", "the adjoint of a list is one, too", "use two names",
            )])
        return True

    def may_be_list(self, node: n.expr) -> bool:
        """Whether a contribution is a list where the variable is one: that is not added with ``+``."""
        return isinstance(node, n.Call) and isinstance(node.func, n.Name) and self.helpers.get(node.func.id) is structures.matched

    def mend(self, made: n.stmt) -> None:
        """Turn the statement that bound an adjoint to a view of a buffer into one that copies it."""
        if not self.is_new(made.value):
            made.value = self.copied(made.value, self.value_of(made.value))

    def apart(self, name: str) -> None:
        """Before paths meet, where it would be forgotten: an adjoint that is a view of another one's buffer becomes a copy."""
        adjoint = self.adjoints[name]
        if adjoint.view_of is not None and adjoint.made_by is not None:
            self.mend(adjoint.made_by)
            self.adjoints[name] = replace(adjoint, view_of=None, made_by=None, owned=True)

    def is_bar(self, name: str) -> bool:
        """Whether a name is that of an adjoint."""
        return name in self.scope.adjoints

    def in_kind(self, name: str, found: Contribution) -> Contribution:
        """A contribution to ``name``: if that is real, the real part alone (the adjoint of x + iy is ∂u/∂x − i ∂u/∂y)."""
        known, dtype = self.moment.environment.get(name, UNKNOWN), found.value.dtype
        if not self.complexes.names or known.kind in ("sequence", "mapping") or isinstance(found.expr, n.Constant):
            return found
        if self.may_be_complex(expression(name), known) or dtype is not None and dtype.kind != "c" or is_real_part(found.expr):
            return found
        part = self.numpy("np.real($c)", c=found.expr) if known.kind in NUMBERS else self.helper("real_part", found.expr)
        real = None if dtype is None else np.zeros(0, dtype).real.dtype
        return replace_contribution(found, part, value=found.value._replace(dtype=real))

    def of_real(self, name: str, value: n.expr, known: Abstract, adjoint: Adjoint) -> Adjoint:
        """The adjoint of a real value of complex numbers, which is bound to a name that is complex on another path."""
        dtype = adjoint.value.dtype
        if name not in self.complexes.names or self.may_be_complex(value, known) or dtype is not None and dtype.kind != "c":
            return adjoint
        if isinstance(adjoint.expr, n.Constant) or not any(map(self.complexes.may_be, n.iter_child_nodes(value))):
            return adjoint
        real = adjoint.value._replace(dtype=None if dtype is None else np.zeros(0, dtype).real.dtype)
        part = self.numpy("np.real($c)", c=adjoint.expr) if known.kind in NUMBERS else self.helper("real_part", adjoint.expr)
        held = self.held(Contribution(part if real.scalar else self.copied(part, real), real))
        return replace(adjoint, expr=held.expr, value=real, owned=not real.scalar, view_of=None, made_by=None)

    def listed(self, node: n.expr) -> n.expr:
        """An expression as a new list."""
        return expression("[*$x]" if "list" in self.scope.taken else "list($x)", x=node)

    def may_change(self, node: n.expr) -> bool:
        """Whether an expression is (or may be a view of) a primal array that the reverse sweep may change as it is rewound."""
        if isinstance(node, n.Call):  # sum_to gives its argument back where there was nothing to sum
            return not self.is_new(node) and any(map(self.may_change, node.args))
        return base(node) in self.mutable

    def is_live(self, g: n.expr) -> bool:
        """Whether an expression is the adjoint of a variable that goes on collecting."""
        return isinstance(g, n.Name) and any(adjoint.borrows(g.id) and self.bar(name) == g.id for name, adjoint in self.adjoints.items())

    def held(self, found: Contribution) -> Contribution:
        """A contribution computed now, for use after what it is computed from has changed."""
        name = self.scope.fresh("adjoint")
        self.emit(statement("$t = $c", t=name, c=found.expr))
        self.moment.environment = extended(self.moment.environment, {name: found.value})
        return replace_contribution(found, expression(name), view=False)


def replace_contribution(
    found: Contribution, expr: n.expr, value: Abstract | None = None, narrow: bool | None = None, view: bool = True
) -> Contribution:
    """The contribution with another expression; ``view`` False: one that is a view of nothing."""
    return replace(
        found, expr=expr, value=found.value if value is None else value, narrow=found.narrow if narrow is None else narrow,
        view_of=found.view_of if view else None,
    )


def spread(node: n.expr) -> n.expr:
    """What an expression spreads to a larger shape, if that is all that it does: an update in place does so by itself."""
    return node.args[0] if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr == "broadcast_to" else node


def is_real_part(node: n.expr) -> bool:
    """Whether an expression is a call of ``np.real``, or of ``real_part``."""
    called = getattr(node, "func", None)
    return isinstance(called, n.Attribute) and called.attr == "real" or isinstance(called, n.Name) and called.id == "real_part"


def goes_into(own: Abstract, found: Abstract) -> bool:
    """Whether real numbers of whatever precision keep that of double ones that they are added to."""
    return own.kind == found.kind == "array" and own.dtype == np.float64 and found.dtype is None and found.dims == own.dims


def full_in_place(own: Abstract, found: Contribution, same: bool) -> bool:
    """Whether ``x_bar += c`` keeps shape and dtype: both arrays alike, or ``c`` a number."""
    if found.value.dtype is not None and found.value.dtype.kind == "c" and (own.dtype is None or own.dtype.kind != "c"):
        return False
    return same and own.kind == "array" and own.dtype is not None and None not in own.dims or found.narrow and found.value.kind == "python"


def shaped_like(known: Abstract) -> Abstract:
    """The abstract value of a contribution in its variable's shape, of unknown dtype."""
    return Abstract("array", None, known.dims) if known.kind == "array" else UNKNOWN


def adjoint_value(known: Abstract) -> Abstract:
    """The abstract value of a full adjoint made like its variable."""
    return known._replace(length=None) if known.kind == "array" else Abstract(known.kind, known.dtype) if known.scalar else UNKNOWN


def sum_value(a: Abstract, b: Abstract) -> Abstract:
    """The abstract value of a sum of two adjoints of one variable."""
    if a.kind == "array" or b.kind == "array":
        array, other = (a, b) if a.kind == "array" else (b, a)
        dtype = array.dtype if same_dtype(a, b) or other == FLOAT or other == INT else None
        if dtype is None and array.dtype is not None and other.dtype is not None and other.kind in ("array", "numpy"):
            dtype = np.result_type(array.dtype, other.dtype)
        return Abstract("array", dtype, array.dims)
    if a.scalar and b.scalar and a.dtype is not None and b.dtype is not None:
        return sampled(operator.add, ((a.kind, a.dtype, 0), (b.kind, b.dtype, 0)))
    return UNKNOWN


def same_expression(a: n.expr, b: n.expr) -> bool:
    """Whether two expressions are the same name or the same number."""
    if isinstance(a, n.Name) and isinstance(b, n.Name):
        return a.id == b.id
    return isinstance(a, n.Constant) and isinstance(b, n.Constant) and a.value == b.value


def entries_of_bar(slot: n.expr) -> n.expr:
    """``a`` for ``a[...]``, where only the entries count; anything else as it is."""
    whole = isinstance(slot, n.Subscript) and isinstance(slot.slice, n.Constant) and slot.slice.value is Ellipsis
    return slot.value if whole else slot
