"""Bring control flow to a single exit: one return, no ``continue``, no ``else`` on loops, ``break`` last in its trip.

The analyses may then take a ``break`` for nothing at all: what it leaves is what the end of a trip leaves.
"""

from __future__ import annotations

from collections.abc import Callable

from ..analysis.statements import breaks, nested
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, place, statement

RESULT = "value"

SHORT = 3  # statements that are rather written twice than put under a flag

Block = list[n.stmt]


def unify(body: Block, result: str = RESULT, fresh: Callable[[str], str] = str, apart: bool = False) -> Block:
    """Rewrite a function's body; ``fresh`` makes names for flags. What follows an ``if`` that leaves goes into its ``else``.

    >>> from sourcediff.syntax.quote import statements
    >>> from sourcediff.syntax.text import to_source
    >>> print("\\n".join(map(to_source, unify(statements('''
    ... for x in xs:
    ...     if x < 0:
    ...         continue
    ...     if x > 9:
    ...         return x
    ...     total += x
    ... return total
    ... ''')))))
    returned = False
    for x in xs:
        if x < 0:
            pass
        elif x > 9:
            value = x
            returned = True
            break
        else:
            total += x
    if not returned:
        value = total
    return value

    Where each return gives the same variables, they are returned at the end, if the result is not kept ``apart``: nothing runs in between.

    >>> print("\\n".join(map(to_source, unify(statements('''
    ... for _ in range(9):
    ...     y += step(y)
    ...     if small(y):
    ...         return y
    ... return y
    ... ''')))))
    for _ in range(9):
        y += step(y)
        if small(y):
            break
    return y
    """
    parts = list(nested(body))
    returns = [part for part in parts if isinstance(part, n.Return)]
    unlike = any(isinstance(part, (n.Break, n.Continue)) or isinstance(part, LOOPS) and part.orelse for part in parts)
    if not unlike and returns in ([], body[-1:]):
        return body
    if not apart and (same := same_names(returns)) is not None and not falls(body):
        unified = Unifier("", fresh).block(body[:-1] if isinstance(body[-1], n.Return) else body)
        return [*unified, place(n.Return(value=clone(same)), body[-1])]
    whole = [*body, place(n.Return(value=None), body[-1])] if returns and falls(body) else body
    unified = Unifier(result, fresh).block(whole)
    return [*unified, place(statement("return $result", result=result), body[-1])] if returns else unified


def same_names(returns: list[n.stmt]) -> n.expr | None:
    """The variable, or the tuple of variables, that each of some returns gives; None if they give something else."""
    values = [node.value for node in returns if isinstance(node, n.Return)]
    parts = [part for value in values for part in (value.elts if isinstance(value, n.Tuple) else [value])]
    if not values or not all(isinstance(part, n.Name) for part in parts) or len({n.dump(value) for value in values}) > 1:
        return None
    return values[0]


LOOPS = (n.For, n.While)
EXITS = (n.Return, n.Break, n.Continue)


def may_leave(node: n.stmt) -> bool:
    """Whether a statement may leave the block around it: by ``return``, or by ``break`` or ``continue`` of a loop around both."""
    return any(isinstance(part, (n.Break, n.Continue)) for part in nested([node], loops=False)) or any(
        isinstance(part, n.Return) for part in nested([node]))


def falls(body: Block) -> bool:
    """Whether the end of a block can be reached."""
    return not any(
        isinstance(node, (*EXITS, n.Raise)) or isinstance(node, n.If) and not falls(node.body) and not falls(node.orelse) or _endless(node)
        for node in body
    )


def _endless(node: n.stmt) -> bool:
    return isinstance(node, n.While) and isinstance(node.test, n.Constant) and bool(node.test.value) and not breaks(node.body)


class Unifier:
    """Rewrites block after block.

    ``returned`` is the flag of a return from within a loop, ``broken`` that of a break of the innermost loop, if one is needed, and
    ``left`` one that is set in place of leaving. ``result`` is empty where the same variables are returned wherever that is.
    """

    def __init__(self, result: str, fresh: Callable[[str], str]):
        self.result = result
        self.fresh = fresh
        self.depth = 0
        self.returned = ""
        self.broken = ""
        self.left = ""

    def block(self, body: Block) -> Block:
        """The block with what follows a way out moved to where nothing has been left."""
        done: Block = []
        for position, node in enumerate(body):
            rest = body[position + 1:]
            if isinstance(node, EXITS):
                return [*done, *self.exit(node)]
            if isinstance(node, n.If) and may_leave(node):
                return [*done, *self.branch(node, rest)]
            if isinstance(node, LOOPS):
                before, rest = self.loop(node, rest)
                return [*done, *before, *self.block(rest)]
            if isinstance(node, n.If):
                node = place(n.If(test=node.test, body=self.block(node.body), orelse=self.block(node.orelse)), node)
            done.append(node)
            if isinstance(node, n.Raise):
                break
        return done

    def exit(self, node: n.stmt) -> Block:
        """A return sets the result, and leaves the loop that it is in. A continue is nothing at the end of a trip."""
        flags = []
        done: Block = []
        if isinstance(node, n.Return):
            value = node.value if node.value is not None else n.Constant(value=None, kind=None)
            if self.result:
                done.append(place(statement("$result = $value", result=self.result, value=value), node))
            flags.append(self.returned if self.depth else "")
        elif isinstance(node, n.Break):
            flags.append(self.broken)
        done += [_set(flag, True, node) for flag in (*flags, self.left) if flag]
        if self.depth and not self.left and not isinstance(node, n.Continue):
            done.append(place(n.Break(), node))
        return done

    def branch(self, node: n.If, rest: Block) -> Block:
        """A branch that may leave: what follows it runs where it did not."""
        then, other = falls(node.body), falls(node.orelse)
        if then and other and sum(1 for _ in nested(rest)) > SHORT and self.one_way(node):
            return self.flagged(node, rest)
        body = [*node.body, *(map(clone, rest) if other else rest)] if then else node.body
        orelse = [*node.orelse, *rest] if other else node.orelse
        return [place(n.If(test=node.test, body=self.block(body) or [n.Pass()], orelse=self.block(orelse)), node)]

    def one_way(self, node: n.If) -> bool:
        """Whether a branch leaves the loop around it only, or only its trip, and from no loop within."""
        exits = {isinstance(part, n.Continue) for part in nested([node], loops=False) if isinstance(part, EXITS)}
        return len(exits) == 1 and not any(isinstance(part, LOOPS) and may_leave(part) for part in nested([node]))

    def flagged(self, node: n.If, rest: Block) -> Block:
        """A branch that may leave, deep inside, and falls through else: a flag tells which."""
        flag = self.fresh("left")
        outer, self.left = self.left, flag
        inner = self.branch(node, [])
        self.left = outer
        after = self.block(rest) or [n.Pass()]
        skips = any(isinstance(part, n.Continue) for part in nested([node], loops=False))
        if outer:
            follow = n.If(test=expression(flag), body=[_set(outer, True, node)], orelse=after)
        elif self.depth and not skips:
            follow = n.If(test=expression(flag), body=[place(n.Break(), node)], orelse=after)
        else:
            follow = n.If(test=expression("not $flag", flag=flag), body=after, orelse=[])
        return [_set(flag, False, node), *inner, place(follow, rest[0])]

    def loop(self, node: n.For | n.While, rest: Block) -> tuple[Block, Block]:
        """A loop with its exits at the ends of its trips, and what follows it."""
        returns = any(isinstance(part, n.Return) for part in nested(node.body))
        before: Block = []
        outer = self.broken, self.left
        self.broken = self.left = ""
        if returns and not self.depth:
            inner = any(isinstance(part, LOOPS) and may_leave(part) for part in nested(node.body))
            asked = not _endless(node) and (rest or self.result)  # whether it was left so
            self.returned = self.fresh("returned") if inner or asked else ""
            before += [_set(self.returned, False, node)] if self.returned else []
        if node.orelse and breaks(node.body):
            self.broken = self.fresh("broken")
            before.append(_set(self.broken, False, node))
            rest = [place(n.If(test=expression("not $flag", flag=self.broken), body=node.orelse, orelse=[]), node.orelse[0]), *rest]
        elif node.orelse:
            rest = [*node.orelse, *rest]
        self.depth += 1
        body = self.block(node.body) or [n.Pass()]
        self.depth -= 1
        self.broken, self.left = outer
        if _endless(node):
            rest = []
        if returns and self.depth:
            rest = [place(n.If(test=expression(self.returned), body=[place(n.Break(), node)], orelse=[]), node), *rest]
        elif returns and rest:
            rest = [place(n.If(test=expression("not $flag", flag=self.returned), body=rest, orelse=[]), rest[0])]
        return [*before, remade_loop(node, body)], rest


def remade_loop(node: n.For | n.While, body: Block) -> n.stmt:
    """The loop with another body, and nothing after it."""
    if isinstance(node, n.While):
        return place(n.While(test=node.test, body=body, orelse=[]), node)
    return place(n.For(target=node.target, iter=node.iter, body=body, orelse=[], type_comment=None), node)


def _set(flag: str, value: bool, at: n.stmt) -> n.stmt:
    return place(statement("$flag = $value", flag=flag, value=value), at)
