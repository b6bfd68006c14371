"""Rewrite uses of views of arrays that change in place as uses of the arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.applications import application
from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import base, binds, grown, loads, shrunk, simple, target_names
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, clone, expression, names, place, statement
from ..before_exit import ended
from ..facts.aliases import Aliases
from ..facts.liveness import Liveness
from ..facts.values import Values
from .shadow_copies import mirror
from .view_inverse import basic, is_split, whole_number

Block = list[n.stmt]
CONTAINERS = ("sequence", "mapping")
Spelled = dict[str, n.expr]
"""What a name is another name for: ``{"v": a[1:]}``."""


def respell(body: Block, parameters: list[str], values: Values, output: str) -> tuple[Block, Aliases]:
    """Write ``a[1:]`` for ``v`` after ``v = a[1:]``, and ``x`` for ``y`` after ``y = x``, where one of the two is changed in place
    while the other is still read. Names that nothing of the kind happens to stay as they are.

    >>> import numpy as np
    >>> from sourcediff.api.explain import text_after
    >>> def doubled(x):
    ...     a = x * 2
    ...     b = a
    ...     v = b[1:]
    ...     v *= 3
    ...     return np.sum(a * b) + np.sum(v)
    >>> print(text_after("rewrite_views", doubled, args=(np.ones(3),)))
    a = x * 2
    a[1:] *= 3
    t = a * a
    t1 = np.sum(t)
    t3 = a[1:]
    t2 = np.sum(t3)
    value = t1 + t2

    A view that outlives the binding of its array, or of its index, is taken anew before that, and is a name of its own from there on.
    Where that is not enough, a name becomes a mirror (``shadow_copies.py``).
    With the program comes what in it may share memory (and the values that this was found with).
    """
    first = respelled(body, parameters, values, output)
    done, aliases, left = first
    may_be = binds(done) - set(parameters)
    while left and (made := mirror(done, aliases, output, left, may_be)) is not None:
        done, aliases, left = respelled(made, parameters, known_spellings(made, values, body), output)
    return first[:2] if left else (done, aliases)


def known_spellings(body: Block, values: Values, like: Block) -> Values:
    """The abstract values of a program that begins with what another one begins with."""
    found = Values(values.scope)
    found.block(body, dict(values.before[like[0]]))
    return found


def respelled(body: Block, parameters: list[str], values: Values, output: str) -> tuple[Block, Aliases, set[str]]:
    """The program with views respelled, what may share memory in it, and the names of which one still changes while another is in use."""
    chosen: set[str] = set()
    own = {*binds(body), *parameters}  # the others have been made on the way
    kinds, done = values, body
    first: Aliases | None = None
    while True:
        aliases = Aliases(done, parameters, kinds, Liveness(done, {output}))
        found, left = conflicts(aliases, done)
        if found & own <= chosen:
            return done, aliases, left
        chosen |= found
        first = first or aliases  # of the program as it came
        done = Respeller(chosen, values, Liveness(body, {output}), output, first).whole(body)
        kinds = known_spellings(done, values, body)


def conflicts(aliases: Aliases, body: Block) -> tuple[set[str], set[str]]:
    """The names to respell, and those of them of which one is changed in place while another is in use that may share its memory."""
    left: set[str] = set()
    aliases.conflicts(lambda node, changed, seen: left.update((changed, seen)))
    found = set(left)
    for node in simple(body):
        if isinstance(node, n.AugAssign) and is_entry(as_read(node.target), aliases.values, node):  # that array changes, not the container
            found |= {base(node.target) or ""}
    return found, left


class Respeller:
    """Walks the program with what each chosen name is another name for."""

    def __init__(self, chosen: set[str], values: Values, live: Liveness, output: str, aliases: Aliases):
        self.aliases = aliases
        self.chosen = chosen
        self.values = values
        self.scope: Scope = values.scope
        self.live = live
        self.output = output
        made = (node for node in values.after if isinstance(node, n.Assign) and is_split(node.value, self.scope))
        self.parts = set().union(*map(binds, made))

    def whole(self, body: Block) -> Block:
        """The program; a name that is returned is taken anew at its end."""
        done, spelled = self.block(body, {})
        if self.output in spelled:
            done += self.taken({self.output}, spelled, body[-1])
        return done

    def block(self, body: Block, spelled: Spelled) -> tuple[Block, Spelled]:
        done: Block = []
        for node in body:
            made, spelled = self.statement(node, spelled)
            for part in made:
                done += self.opened(part)
        return done, spelled

    def opened(self, node: n.stmt) -> Block:
        """``w = a[1:].T`` as two statements: what has a rule is applied to a name."""
        value = node.value if isinstance(node, n.Assign) else None
        if not isinstance(value, n.Attribute) or isinstance(value.value, n.Name):
            return [node]
        inner = self.scope.fresh("t")
        whole = altered(node, value=altered(value, value=expression(inner)))
        return [place(statement("$t = $e", t=inner, e=value.value), node), whole]

    def statement(self, node: n.stmt, spelled: Spelled) -> tuple[Block, Spelled]:
        if isinstance(node, n.If):
            return self._if(node, spelled)
        if isinstance(node, (n.For, n.While)):
            return self._loop(node, spelled)
        if isinstance(node, n.AugAssign) and not self.updates(node) and (unsure := target_names(node.target) & spelled.keys()):
            taken = self.taken(unsure, spelled, node)  # what is perhaps a number
            made, kept = self.statement(node, {name: spelling for name, spelling in spelled.items() if name not in unsure})
            return [*taken, *made], kept
        before, copied = self.simple(node, spelled)
        spelling = self.spelling(node, spelled)
        if spelling is not None:
            (name,) = binds([node])
            lost, kept = self.lost({name}, spelled, self.live.after[node])
            return [*self.taken(lost, spelled, node)], {**kept, name: spelling}
        lost, kept = self.ended(node, spelled)
        if entries := self.entries(node, kept):
            kept = {name: clone(spelling, entries) for name, spelling in kept.items()} | entries
        return [*self.taken(lost, spelled, node), *before, copied], kept

    # -- what a name is another name for --------------------------------------------------------------------------------

    def spelling(self, node: n.stmt, spelled: Spelled) -> n.expr | None:
        """``a[1:]`` for ``v = a[1:]``, if ``v`` is chosen and certainly an array that is a view; else None."""
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Name) or node.targets[0].id not in self.chosen:
            return None
        known = self.values.after[node].get(node.targets[0].id)
        view = self.view(node.value, node)
        if known is None or known.kind not in ("array", *CONTAINERS) or view is None:
            return None
        value = clone(view, spelled)
        root = base(value)
        if root is None or root in self.scope.free or node.targets[0].id in names(value):
            return None
        return joined_spellings(value, self.values, node)

    def entries(self, node: n.stmt, spelled: Spelled) -> Spelled:
        """``{"a": pair[0], "b": pair[1]}`` after ``pair = a, b``: the arrays have two names each from there on."""
        value = getattr(node, "value", None)
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Name) or not isinstance(value, (n.List, n.Tuple, n.Dict)):
            return {}
        holder = node.targets[0].id
        parts = value.values if isinstance(value, n.Dict) else value.elts
        keys = value.keys if isinstance(value, n.Dict) else [n.Constant(value=position, kind=None) for position in range(len(parts))]
        held = [part.id for part in parts if isinstance(part, n.Name)]
        return {
            part.id: expression("$h[$k]", h=holder, k=key) for key, part in zip(keys, parts)
            if isinstance(part, n.Name) and part.id in self.chosen and part.id not in spelled and held.count(part.id) == 1
            and isinstance(key, n.Constant) and self.values.before[node].get(part.id, UNKNOWN).kind == "array"
        }

    def view(self, node: n.expr, at: n.stmt) -> n.expr | None:
        """An expression that is a name, or certainly a view of one (or the entry of a container), in names, indices and ``.T`` alone."""
        if isinstance(node, n.Name):
            return node
        if isinstance(node, n.Subscript):
            inner, holder = self.view(node.value, at), self.values.of(node.value, self.values.before[at])
            entry = isinstance(node.slice, n.Constant) or whole_number(node.slice, self.values, at) or is_key(node.slice, self.values, at)
            entry = entry and getattr(node.value, "id", "") not in self.parts
            certain = entry if holder.kind in CONTAINERS else holder.kind == "array" and basic(node.slice, self.values, at)
            return expression("$a[$i]", a=inner, i=node.slice) if inner is not None and certain else None
        applied = application(node, self.scope)
        spell = VIEWS.get(applied.function) if applied is not None and not applied.kwargs else None
        if applied is None or spell is None or (array := self.view(applied.args[0], at)) is None:
            return None
        known = self.values.of(applied.args[0], self.values.before[at])
        return spell(array, known, [constant(part) for part in applied.args[1:]]) if known.kind == "array" else None

    def ended(self, node: n.stmt, spelled: Spelled) -> tuple[set[str], Spelled]:
        """The names in use whose spelling ends with a statement, and what is left: a list or dict may hold something else after it."""
        changed, live = self.container(node), self.live.after[node]
        inside = {name for name, spelling in spelled.items() if changed is not None and self.moved(spelling, changed, node, spelled)}
        kept = {name: spelling for name, spelling in spelled.items() if name not in inside}
        lost, kept = self.lost(set() if self.updates(node) else binds([node]), kept, live)
        return lost | {name for name in inside if name in live}, kept

    def container(self, node: n.stmt) -> n.expr | None:
        """The list or dict of which a statement replaces an entry, or which it makes longer or shorter."""
        if (name := grown(node) or shrunk(node)) is not None:
            return expression(name)
        target = node.targets[0] if isinstance(node, (n.Assign, n.Delete)) else None
        if not isinstance(target, n.Subscript) or self.values.of(target.value, self.values.before[node]).kind not in CONTAINERS:
            return None
        return as_read(target.value)

    def moved(self, spelling: n.expr, changed: n.expr, at: n.stmt, spelled: Spelled) -> bool:
        """Whether an entry of a list or dict that changes may be on the way from a name to what it is spelled as."""
        holder, root = clone(changed, spelled), base(spelling)
        if base(holder) not in names(spelling):
            return bool(depth(spelling)) and self.aliases.identity.may_reach(base(changed), root)  # type: ignore[arg-type]
        appended = isinstance(holder, n.Name) and isinstance(at, n.Expr) and at.value.func.attr == "append"
        return depth(spelling) > depth(holder) and not (appended and self.counted(spelling))

    def counted(self, spelling: n.expr) -> bool:
        """Whether the first index of a spelling counts from the beginning, so that it means the same if something is appended."""
        while isinstance(spelling, (n.Subscript, n.Attribute)) and not isinstance(spelling.value, n.Name):
            spelling = spelling.value
        index = spelling.slice if isinstance(spelling, n.Subscript) else None
        return isinstance(index, n.Name) and index.id in self.scope.counters or type(constant(index)) is int and constant(index) >= 0

    def updates(self, node: n.stmt) -> bool:
        """Whether a statement like ``a += v`` changes an array in place, so that ``a`` goes on being what it was."""
        if not isinstance(node, n.AugAssign) or not isinstance(node.target, n.Name):
            return False
        known = self.values.before[node].get(node.target.id)
        return known is not None and known.kind == "array"

    def lost(self, bound: set[str], spelled: Spelled, live: frozenset[str]) -> tuple[set[str], Spelled]:
        """The names in use whose spelling ends where ``bound`` get another value, and what is left."""
        kept = {name: spelling for name, spelling in spelled.items() if not bound & {name, *names(spelling)}}
        return {name for name in spelled if name not in kept and name not in bound and name in live}, kept

    def taken(self, wanted: set[str], spelled: Spelled, at: n.stmt) -> Block:
        """Views taken anew."""
        return [place(statement("$v = $e", v=name, e=spelled[name]), at) for name in sorted(wanted)]

    # -- statements -----------------------------------------------------------------------------------------------------

    def simple(self, node: n.stmt, spelled: Spelled) -> tuple[Block, n.stmt]:
        """A statement with its names respelled: operands are taken just before it, since they have to be names."""
        target = node.targets[0] if isinstance(node, n.Assign) else node.target if isinstance(node, n.AugAssign) else None
        before: Block = []
        operands: dict[str, n.AST] = {}
        read = loads(node.value) if target is not None or isinstance(node, n.Expr) else set()
        whole = isinstance(node, n.Assign) and isinstance(target, n.Name) and isinstance(node.value, (n.Subscript, n.Name, n.Attribute))
        whole = whole and getattr(node.value, "attr", "") not in ("real", "imag")
        for name in sorted(read & set(spelled)):
            if whole or isinstance(spelled[name], n.Name):
                operands[name] = spelled[name]
                continue
            view = self.scope.fresh("t")
            before.append(place(statement("$t = $e", t=view, e=spelled[name]), node))
            operands[name] = expression(view)
        copied = clone(node)
        for field in ("value", "test", "exc", "msg"):
            if isinstance(part := getattr(copied, field, None), n.AST):
                setattr(copied, field, clone(part, operands if field == "value" else spelled))
        if target is not None and (isinstance(target, n.Subscript) or self.updates(node)):
            slot = clone(target, spelled)
            if isinstance(slot, n.Attribute) or isinstance(node, n.AugAssign) and is_entry(as_read(slot), self.values, node):
                slot = expression("$s[...]", s=as_read(slot))
            slot = as_target(joined_spellings(slot, self.values, node))
            if isinstance(node, n.Assign):
                copied.targets = [slot]
            else:
                copied.target = slot
        return before, copied

    def _if(self, node: n.If, spelled: Spelled) -> tuple[Block, Spelled]:
        """A branch: what is spelled in one way at both ends stays so, the rest is taken anew in each of them."""
        then, one = self.block(node.body, spelled)
        other_, other = self.block(node.orelse, spelled)
        both = {name: spelling for name, spelling in one.items() if name in other and same_spelling(spelling, other[name])}
        then, other_ = (
            ended(made, self.taken({name for name in end if name not in both and name in self.live.after[node]}, end, node))
            for made, end in ((then, one), (other_, other))
        )
        return [place(n.If(test=clone(node.test, spelled), body=then or [n.Pass()], orelse=other_), node)], both

    def _loop(self, node: n.For | n.While, spelled: Spelled) -> tuple[Block, Spelled]:
        """A loop: spelled throughout is what no trip spells otherwise. The rest is taken anew before the loop, and at a trip's end."""
        bound = target_names(node.target) if isinstance(node, n.For) else set()
        _, kept = self.lost(bound, spelled, frozenset())
        while True:
            taken = set(self.scope.taken)
            _, end = self.block(node.body, kept)
            self.scope.taken = taken  # that was a trial
            stable = {name: spelling for name, spelling in kept.items() if name in end and same_spelling(spelling, end[name])}
            if len(stable) == len(kept):
                break
            kept = stable
        live = self.live.at_head[node]
        before = self.taken({name for name in spelled if name not in kept and name in live}, spelled, node)
        body, end = self.block(node.body, kept)
        body = ended(body, self.taken({name for name in end if name not in kept and name in live - bound}, end, node))
        if isinstance(node, n.For):
            made: n.stmt = n.For(target=node.target, iter=clone(node.iter, spelled), body=body or [n.Pass()], orelse=[], type_comment=None)
        else:
            made = n.While(test=clone(node.test, kept), body=body or [n.Pass()], orelse=[])
        return [*before, place(made, node)], kept


def _spelled_transposed(a: n.expr, known: Abstract, given: list[Any]) -> n.expr | None:
    return None if given else expression("$a.T", a=a)


def _swapped(a: n.expr, known: Abstract, given: list[Any]) -> n.expr | None:
    return expression("$a.T", a=a) if known.rank == 2 and sorted(axis % 2 for axis in given if axis is not MISSING) == [0, 1] else None


def _itself(a: n.expr, known: Abstract, given: list[Any]) -> n.expr | None:
    return None if given or known.dtype is None or known.dtype.kind == "c" else a


def _spelled_flipped(a: n.expr, known: Abstract, given: list[Any]) -> n.expr | None:
    return expression("$a[::-1]", a=a) if known.rank == 1 and not given else None


VIEWS: dict[Any, Callable[[n.expr, Abstract, list[Any]], n.expr | None]] = {
    np.transpose: _spelled_transposed, np.swapaxes: _swapped, np.asarray: _itself, np.asanyarray: _itself, np.real: _itself,
    np.flip: _spelled_flipped,
}
"""Function that gives a view → how that is written with an index or ``.T``, or as the array itself; None where it cannot be."""


def is_entry(node: n.expr, values: Values, at: n.stmt) -> bool:
    """Whether an expression is an array that is an entry of a list, tuple or dict."""
    holder = values.of(node.value, values.before[at]) if isinstance(node, n.Subscript) else UNKNOWN
    return holder.kind in CONTAINERS and values.of(node, values.before[at]).kind == "array"


def is_key(node: n.expr, values: Values, at: n.stmt) -> bool:
    """Whether an expression is the name of a key that is a word."""
    return isinstance(node, n.Name) and values.of(node, values.before[at]).kind == "static"


def joined_spellings(node: n.expr, values: Values, at: n.stmt) -> n.expr:
    """``a[i, 1:]`` for ``a[i][1:]``, where ``i`` is an integer, and ``a[1:]`` for ``a[1:][...]``; anything else as it is."""
    inner = node.value if isinstance(node, n.Subscript) else None
    if not isinstance(inner, n.Subscript) or not basic(node.slice, values, at):
        return node
    if values.of(inner.value, values.before[at]).kind != "array" or not basic(inner.slice, values, at):
        return node
    if isinstance(node.slice, n.Constant) and node.slice.value is Ellipsis:
        return inner
    first, then = (part.elts if isinstance(part, n.Tuple) else [part] for part in (inner.slice, node.slice))
    if not all(whole_number(part, values, at) for part in first):
        return node
    return n.Subscript(value=inner.value, slice=n.Tuple(elts=[*first, *then], ctx=n.Load()), ctx=n.Load())


def depth(node: n.expr) -> int:
    """How many indices and attributes stand behind a name: 2 for ``a[i][j]``."""
    return 1 + depth(node.value) if isinstance(node, (n.Subscript, n.Attribute)) else 0


def same_spelling(one: n.expr, other: n.expr) -> bool:
    """Whether two expressions are written alike."""
    return n.dump(one) == n.dump(other)
