"""Questions about trees of functions: what they bind, how their blocks are left, what is in an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.literals import constant
from ..core.single_exit import falls
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, place, remade, statement

Block = Sequence[n.stmt]

RESULT = "return"
"""The part of a frame that holds what its call gives."""

NO_ARGUMENTS: Any = statement("def empty(): pass").args
"""Of what is looked at as if it were the body of a function."""

SHORT = 6
"""How many statements a short function has."""

ENDS = (n.Return, n.Break, n.Continue)


def own_parts(tree: Any) -> list[n.AST]:
    """The nodes of a function, but for those of functions within."""
    found: list[n.AST] = n.below(tree) if not isinstance(tree, n.Lambda) else [tree.body]
    for part in found:
        if not isinstance(part, (n.FunctionDef, n.Lambda)):
            found += n.below(part)
    return found


def bound_in(tree: Any) -> frozenset[str]:
    """The names that a function binds."""
    args = tree.args
    stars = [part for part in (args.vararg, args.kwarg) if part is not None]
    found = {part.id for part in (*args.posonlyargs, *args.args, *args.kwonlyargs, *stars)}
    if isinstance(tree, n.Lambda):
        return frozenset(found | {part.target.id for part in own_parts(tree) if isinstance(part, n.NamedExpr)})
    pending: list[n.AST] = list(tree.body)
    while pending:
        part = pending.pop()
        if isinstance(part, n.FunctionDef):
            found.add(part.name)
        elif isinstance(part, (n.Import, n.ImportFrom)):
            found |= {alias.asname or alias.name.split(".")[0] for alias in part.names}
        elif isinstance(part, n.Name) and not isinstance(part.ctx, n.Load):
            found.add(part.id)
        if not isinstance(part, (n.FunctionDef, n.Lambda)):
            if isinstance(part, n.COMPREHENSIONS):
                walrus = [inner.target.id for inner in n.walk(part) if isinstance(inner, n.NamedExpr)]
                found |= set(walrus)
            else:
                pending += n.below(part)
    return frozenset(found)


def targets_of(node: Any) -> frozenset[str]:
    """The names that a comprehension binds, which are its own."""
    return frozenset(
        part.id for generator in node.generators for part in n.walk(generator.target)
        if isinstance(part, n.Name) and isinstance(part.ctx, n.Store))


def binds_more(node: Any) -> bool:
    """Whether a comprehension binds names that are not its own."""
    return any(isinstance(part, n.NamedExpr) for part in n.walk(node))


def makes_function(tree: Any) -> bool:
    """Whether a function returns a function that is defined in it."""
    inner = {part.name for part in tree.body if isinstance(part, n.FunctionDef)}
    returned = [part.value for part in n.walk(tree) if isinstance(part, n.Return)]
    return any(isinstance(value, n.Lambda) or isinstance(value, n.Name) and value.id in inner for value in returned)


def is_walk(tree: Any) -> bool:
    """Whether a method is a generator that goes on with other objects' methods of the same name."""
    parts = own_parts(tree)
    calls = [part.func for part in parts if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)]
    return any(isinstance(part, (n.Yield, n.YieldFrom)) for part in parts) and any(call.attr == tree.name for call in calls)


def says_alone(tree: Any) -> bool:
    """Whether a function is some names for expressions, and a result: its body says more than a call of it."""
    body = [node for node in tree.body if not (isinstance(node, n.Expr) and isinstance(node.value, n.Constant))]
    plain = all(isinstance(node, n.Assign) and all(isinstance(target, n.Name) for target in node.targets) for node in body[:-1])
    inner = [part for node in body for part in n.walk(node) if isinstance(part, (*n.COMPREHENSIONS, n.Lambda, n.FunctionDef))]
    return 0 < len(body) <= SHORT and plain and isinstance(body[-1], n.Return) and not inner


def is_deleted(name: str, tree: Any) -> bool:
    """Whether a function unbinds a variable."""
    parts = (part for part in n.walk(tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Del)) if tree is not None else ()
    return any(part.id == name for part in parts)


def leaves(body: Block, ways: tuple[type, ...] = ENDS) -> bool:
    """Whether a statement of a block may leave it, in one of these ways; a break within ends a loop of the block's own."""
    for node in body:
        if isinstance(node, ways):
            return True
        if isinstance(node, n.FunctionDef):
            continue
        looping = isinstance(node, (n.For, n.While))
        for part in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            if leaves(getattr(part, "body", []), (n.Return,) if looping else ways):
                return True
        if leaves(getattr(node, "orelse", []), ways) or leaves(getattr(node, "finalbody", []), ways):
            return True
    return False


def may_be_left(node: Any) -> bool:
    """Whether there are ways out of a block besides its end."""
    return leaves([*node.body, *getattr(node, "orelse", [])])


def ends_with_return(body: Block) -> bool:
    """Whether the last statement of a block is its only way out, a return."""
    last = body[-1]
    if leaves(body[:-1]):
        return False
    return isinstance(last, n.Return) or isinstance(last, n.With) and ends_with_return(last.body)


def ends_with_items(tree: Any) -> bool:
    """Whether a generator does nothing after the loop of its only ``yield``, which is in no other loop."""
    last = tree.body[-1]
    inner: list[n.AST] = [part for part in n.walk(last) if isinstance(part, (n.For, n.While, n.Try, n.With))]
    yields = [part for part in n.walk(tree) if isinstance(part, (n.Yield, n.YieldFrom))]
    return len(yields) == 1 and [id(part) for part in inner] == [id(last)]


def returning_after(body: list[Any]) -> list[Any]:
    """Statements of a function, of which the only return in a loop of it gives what it gives after the loop: of a tuple or a dict that is
    made there the text keeps the parts.

    >>> from sourcediff.syntax.quote import statements
    >>> from sourcediff.syntax.text import to_source
    >>> print("\\n".join(map(to_source, returning_after(statements('''
    ... for _ in range(9):
    ...     y += step(y)
    ...     if small(y):
    ...         return dict(y=y)
    ... raise ValueError
    ... ''')))))
    for _ in range(9):
        y += step(y)
        if small(y):
            break
    else:
        raise ValueError
    return dict(y=y)
    """
    for position, loop in enumerate(body):
        if not isinstance(loop, (n.For, n.While)) or loop.orelse:
            continue
        parts = own_parts(loop)
        returns = [part for part in parts if isinstance(part, n.Return)]
        blocks = [part for part in parts if isinstance(part, (n.For, n.While, n.Try, n.With)) and part is not loop]
        if len(returns) != 1 or any(isinstance(part, n.Break) for part in parts) or any(returns[0] in own_parts(block) for block in blocks):
            continue
        if returns[0].value is None or not any(isinstance(part, (n.Call, n.Dict, n.List)) for part in n.walk(returns[0].value)):
            continue

        def left(node: Any, given: Any = returns[0]) -> Any:
            return place(n.Break(), node) if node is given else remade(node, left)

        rest = [*body[position + 1:], place(n.Return(value=None), loop)] if falls(body[position + 1:]) else body[position + 1:]
        return [*body[:position], altered(loop, body=[*map(left, loop.body)], orelse=returning_after(rest)), returns[0]]
    return body


def stopping(body: Block, flag: str, fresh: Callable[[str], str]) -> list[n.stmt]:
    """Statements of a generator that returns after an item if a ``flag`` is set.

    >>> from sourcediff.syntax.quote import statements
    >>> from sourcediff.syntax.text import to_source
    >>> print("\\n".join(map(to_source, stopping(statements("yield from xs"), "stopped", str))))
    for item in xs:
        yield item
        if stopped:
            return
    """
    found: list[n.stmt] = []
    for node in body:
        value = node.value if isinstance(node, n.Expr) else None
        if isinstance(value, n.YieldFrom):
            name = fresh("item")
            inner = stopping([place(statement(f"yield {name}"), node)], flag, fresh)
            target = n.Name(id=name, ctx=n.Store())
            found.append(place(n.For(target=target, iter=value.value, body=inner, orelse=[], type_comment=None), node))
        elif isinstance(value, n.Yield):
            found += [node, place(n.If(test=expression(flag), body=[n.Return(value=None)], orelse=[]), node)]
        elif isinstance(node, (n.If, n.For, n.While)):
            found.append(altered(node, body=stopping(node.body, flag, fresh), orelse=stopping(node.orelse, flag, fresh)))
        else:
            found.append(node)
    return found


def leaving_last(body: list[Any]) -> list[Any]:
    """Statements of a generator, of which a ``return`` in the loop that they end with leaves that loop."""
    last = body[-1]
    if isinstance(last, n.If):
        return [*body[:-1], altered(last, body=leaving_last(last.body), orelse=leaving_last(last.orelse) if last.orelse else [])]
    if not isinstance(last, (n.For, n.While)) or last.orelse:
        return body
    inner = [part for block in own_parts(last) if isinstance(block, (n.For, n.While, n.Try, n.With)) and block is not last
             for part in own_parts(block)]

    def left(node: Any) -> Any:
        return place(n.Break(), node) if isinstance(node, n.Return) and node not in inner else remade(node, left)

    return [*body[:-1], altered(last, body=[*map(left, last.body)])]


def without_else(body: Block, fresh: Callable[[str], str], flag: str = "") -> list[n.stmt]:
    """Statements in which no loop has an ``else``: a ``flag`` says that the loop around them has not been left by ``break``."""
    found: list[n.stmt] = []
    for node in body:
        if isinstance(node, n.Break) and flag:
            found += [place(statement("$x = False", x=flag), node), node]
        elif isinstance(node, (n.For, n.While)):
            inner = fresh("completed") if node.orelse else ""
            rest = without_else(node.orelse, fresh, flag)
            found += [place(statement("$x = True", x=inner), node)] if inner else []
            found.append(altered(node, body=without_else(node.body, fresh, inner), orelse=[]))
            found += [place(n.If(test=expression(inner), body=rest, orelse=[]), node)] if inner else []
        elif isinstance(node, (n.If, n.With, n.Try)):
            blocks = [name for name in ("body", "orelse", "finalbody") if hasattr(node, name)]
            fields = {name: without_else(getattr(node, name), fresh, flag) for name in blocks}
            if isinstance(node, n.Try):
                fields["handlers"] = [altered(part, body=without_else(part.body, fresh, flag)) for part in node.handlers]
            found.append(altered(node, **fields))
        else:
            found.append(node)
    return found


def count_loops(body: Block, counts: Callable[[n.stmt], bool], fresh: Callable[[str], str]) -> list[n.stmt]:
    """Statements in which ``for k in itertools.count(first, step)`` is a ``while`` that counts itself."""
    found: list[n.stmt] = []
    for node in body:
        blocks = [name for name in ("body", "orelse", "finalbody") if isinstance(getattr(node, name, None), list)]
        fields: dict[str, Any] = {name: count_loops(getattr(node, name), counts, fresh) for name in blocks}
        if isinstance(node, n.Try):
            fields["handlers"] = [altered(part, body=count_loops(part.body, counts, fresh)) for part in node.handlers]
        if counts(node):
            given = [*node.iter.args, *(n.Constant(value=each, kind=None) for each in (0, 1)[len(node.iter.args):])]
            following = fresh("count")
            found.append(place(statement("$x = $y", x=following, y=given[0]), node))
            once = [place(n.Assign(targets=[node.target], value=expression(following), type_comment=None), node),
                    place(statement("$x = $x + $y", x=following, y=given[1]), node)]
            node, fields["body"] = place(n.While(test=expression("True"), body=[], orelse=[]), node), [*once, *fields["body"]]
        found.append(altered(node, **fields) if fields and not isinstance(node, n.SCOPES) else node)
    return found


def is_shape(node: n.expr) -> bool:
    """Whether an expression is a shape, or a slice of one."""
    if isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice):
        return is_shape(node.value)
    return isinstance(node, n.Attribute) and node.attr == "shape"


def indices(node: Any) -> list[n.expr]:
    """The expressions in an index, in order."""
    if isinstance(node, n.Tuple):
        return [inner for part in node.elts for inner in indices(part)]
    if isinstance(node, n.Slice):
        return [part for part in (node.lower, node.upper, node.step) if part is not None]
    return [node]


def with_indices(node: Any, texts: list[n.expr]) -> n.expr:
    """An index with other expressions in it, in order."""
    pending = iter(texts)

    def made(node: Any) -> Any:
        if isinstance(node, n.Tuple):
            return altered(node, elts=[made(part) for part in node.elts])
        if isinstance(node, n.Slice):
            ends = ("lower", "upper", "step")
            return altered(node, **{name: None if getattr(node, name) is None else next(pending) for name in ends})
        return next(pending)

    found: n.expr = made(node)
    return found


def last_ones(target: n.Subscript) -> n.stmt | None:
    """``del xs[-2:]`` as a loop that takes the last items out of a list, one after the other; None for another entry or slice."""
    part, of = target.slice, target.value
    lower = part.lower if isinstance(part, n.Slice) and part.upper is None and part.step is None else None
    count = constant(lower) if lower is not None else None
    if type(count) is not int or count >= 0 or not isinstance(of, (n.Name, n.Attribute)):
        return None
    return statement("for _deleted in range(min($k, len($x))):\n    $x.pop()", k=n.Constant(value=-count, kind=None), x=clone(of))


def makes_empty(call: n.AST) -> bool:
    """Whether the last argument of a call is written as a list or dict without entries."""
    last = call.args[-1] if isinstance(call, n.Call) and call.args else None
    return isinstance(last, n.List) and not last.elts or isinstance(last, n.Dict) and not last.keys


def is_read_once(tree: Any, pairs: n.expr) -> bool:
    """Whether the second of the pairs that a function loops over, by their name too, or by number, is read once in each trip."""
    parts = list(n.walk(tree))
    stored = [part.targets[0] for part in parts if isinstance(part, n.Assign) and part.value is pairs]
    given = [target.id for target in stored if isinstance(target, n.Name)]
    uses = [part for part in parts if isinstance(part, n.Name) and part.id in given]
    over = uses[1] if len(uses) == 2 else pairs if not given else None
    for loop in parts:
        trip: list[Any] = []
        if isinstance(loop, n.For):
            target, iterated, trip = loop.target, loop.iter, loop.body
        elif isinstance(loop, n.COMPREHENSIONS):
            first, *others = loop.generators
            target, iterated = first.target, first.iter
            trip = [*first.ifs, *others] or [getattr(loop, name) for name in ("elt", "key", "value") if hasattr(loop, name)]
        if trip and over in n.walk(iterated):
            if iterated is not over:  # enumerate
                target = target.elts[1] if isinstance(target, n.Tuple) and len(target.elts) == 2 else target
            named = target.elts[1] if isinstance(target, n.Tuple) and len(target.elts) == 2 else None
            if not isinstance(named, n.Name):
                return False
            first_read = next((part for part in trip if reads(part, named.id)), None)
            if isinstance(first_read, n.Assign) and getattr(first_read.targets[0], "id", "") == named.id and takes_all(first_read.value):
                return True  # what is read from then on is a list
            loads = [part for part in parts if isinstance(part, n.Name) and part.id == named.id and isinstance(part.ctx, n.Load)]
            return len(loads) == 1 == sum(reads(part, named.id) for part in trip)
    return False


def is_left_alone(tree: Any, call: Any) -> bool:
    """Whether nothing changes what the first argument of a call is, as long as a loop goes over what the call gives: something new, or a
    variable that no other name, no inner function and no container has, and that the loop only reads.
    """
    of = call.args[0] if call.args else None
    if isinstance(of, n.Call) and getattr(of.func, "id", "") in ("sorted", "list", "tuple", "range", "zip", "enumerate"):
        return not isinstance(of.func, n.Name) or of.func.id not in ("zip", "enumerate") or all(
            isinstance(part, n.Call) for part in of.args)
    if not isinstance(of, n.Name):
        return isinstance(of, (n.List, n.Tuple, *n.COMPREHENSIONS))
    around = {child: node for node in n.walk(tree) for child in n.iter_child_nodes(node)}
    loop = next((part for part in n.walk(tree) if isinstance(part, n.For) and call in n.walk(part.iter)), None)
    within = [] if loop is None else [part for node in loop.body for part in n.walk(node)]
    inner = [part for node in n.walk(tree) if isinstance(node, (n.FunctionDef, n.Lambda)) and node is not tree for part in n.walk(node)]
    for part in n.walk(tree):
        if not isinstance(part, n.Name) or part.id != of.id or part is of:
            continue
        if isinstance(part.ctx, (n.Store, n.Param)) and part not in within:
            continue
        use: Any = around[part]
        read = isinstance(use, n.Subscript) and isinstance(use.ctx, n.Load) or isinstance(use, n.Call) and part in use.args and (
            getattr(use.func, "id", "") in ("len", "sum", "min", "max", "sorted"))
        before = isinstance(use, (n.Attribute, n.Return, n.Subscript)) and part not in within
        if part in inner or not (read or before):
            return False
    return True


def takes_all(node: n.expr) -> bool:
    """Whether an expression is of all items of a variable, in a list or a tuple."""
    call: Any = node
    named = isinstance(node, n.Call) and getattr(call.func, "id", "") in ("list", "tuple", "sorted")
    return named and len(call.args) == 1 and isinstance(call.args[0], n.Name) and not call.keywords


def reads(node: n.AST, name: str) -> int:
    """How often a name is read, more than once wherever that is in a loop."""
    if isinstance(node, n.Name):
        return int(node.id == name and isinstance(node.ctx, n.Load))
    inner = sum(reads(part, name) for part in n.below(node))
    if isinstance(node, (n.For, n.comprehension, *n.COMPREHENSIONS)):
        once: Any = node
        return 2 * inner - reads(once.generators[0].iter if isinstance(node, n.COMPREHENSIONS) else once.iter, name)
    return 2 * inner if isinstance(node, (n.While, n.Lambda, n.FunctionDef)) else inner


def order_key(tree: Any) -> n.Lambda | None:
    """What ``__lt__`` compares of an object, as a function of the object, if it is the same of both; None of any other method."""
    body = tree.body[1:] if isinstance(tree.body[0], n.Expr) and isinstance(tree.body[0].value, n.Constant) else tree.body
    test = body[0].value if len(body) == 1 and isinstance(body[0], n.Return) else None
    if not isinstance(test, n.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], n.Lt) or len(tree.args.args) != 2:
        return None
    own, other = (part.id for part in tree.args.args)
    first, second = test.left, test.comparators[0]
    if reads(first, other) or n.dump(clone(second, {other: expression(own)})) != n.dump(first):
        return None
    made: Any = expression(f"lambda {own}: 0")
    return place(altered(made, body=first), tree)
