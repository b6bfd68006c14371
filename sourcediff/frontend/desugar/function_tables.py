"""Resolve tables of functions, ``f = {"square": lambda v: v * v, "sine": np.sin}[kind]``, where they are called.

A table that is only asked for its functions, and gone over, is no value any more: ``table["sine"]`` is the function, ``table[kind]`` its
number, and a call of it a choice.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def energy(x, kind):
...     powers = {"square": lambda v: v * v, "sine": np.sin}
...     return powers[kind](x) * powers["sine"](x)
>>> print(text_after("unbound_names", energy, args=(1.0, "sine")))
if {'square': 0, 'sine': 1}[kind] == 0:
    value = x * x
    t = value
else:
    t = np.sin(x)
t1 = np.sin(x)
value1 = t * t1
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope, bound_names
from ...analysis.statements import breaks, target_names
from ...syntax import nodes as n
from ...syntax.quote import altered, as_target, clone, expression, names, place, placed, remade
from .function_choices import MANY, is_function

Block = list[n.stmt]
SCOPES = (n.Lambda, n.FunctionDef)
DISPLAYS = (n.List, n.Tuple, n.Dict)
BLOCKS = (*n.BLOCKS, "handlers")
SIMPLE = (n.Assign, n.AugAssign, n.AnnAssign, n.Expr, n.Return, n.For)
"""Statements whose own expressions are evaluated once, before anything else."""


GROWTH = 20
"""So many times may the functions of a table make a function longer: calls in calls are written as often as both have functions."""


class CannotResolve(Exception):
    """A table is more than asked for its functions."""


def tabled(body: Block, scope: Scope, refused: set[str]) -> Block:
    """A function's body in which no table of functions is left that is only asked for them; ``refused`` are names bound elsewhere too."""
    nodes = [part for statement in body for part in n.walk(statement)]
    if any(type(part) is n.Call and type(part.func) is n.IfExp for part in nodes):
        body = _called_directly(body)
    inner = Counter(part.name for part in nodes if type(part) is n.FunctionDef)
    once = {name for name, count in inner.items() if count == 1} - refused
    if not any(_of_functions(part, scope, once) for part in nodes if type(part) in DISPLAYS):
        return body
    body = _named_functions(body, scope, once)
    body = _apart(body, scope, set(_literal_tables(body, scope, once, refused)))
    for name in _literal_tables(body, scope, once, refused):
        try:
            body = Table(name, _literal_tables(body, scope, once, refused)[name], body, scope).written(refused)
        except CannotResolve:
            continue
    return body


def _display(node: Any) -> list[n.expr]:
    """The entries of a list, a tuple, or a dict with literal keys."""
    if isinstance(node, (n.List, n.Tuple)) and isinstance(node.ctx, n.Load):
        return list(node.elts)
    if isinstance(node, n.Dict) and node.keys and all(isinstance(key, n.Constant) for key in node.keys):
        return list(node.values) if len({key.value for key in node.keys}) == len(node.keys) else []
    return []


def _of_functions(node: Any, scope: Scope, inner: set[str]) -> bool:
    """Whether an expression is a table of functions."""
    entries = _display(node)
    return 0 < len(entries) <= MANY and all(
        isinstance(entry, n.Lambda) or isinstance(entry, n.Name) and entry.id in inner or is_function(entry, scope) for entry in entries)


def counted_names(body: Sequence[n.AST]) -> Counter[str]:
    """How often each name is seen."""
    return Counter(part.id for node in body for part in n.walk(node) if isinstance(part, n.Name))


def _table_bindings(body: Block) -> Counter[str]:
    """How often each name is bound."""
    nodes = (part for statement in body for part in n.walk(statement))
    return Counter(part.id for part in nodes if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load))


def _literal_tables(body: Block, scope: Scope, inner: set[str], refused: set[str]) -> dict[str, Any]:
    """The names that are bound once, to a table of functions."""
    bound = _table_bindings(body)
    return {part.targets[0].id: part.value for statement in body for part in n.walk(statement)
            if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name)
            and bound[part.targets[0].id] == 1 and part.targets[0].id not in refused and _of_functions(part.value, scope, inner)}


def _called_directly(body: Block) -> Block:
    """``(f if c else g)(x)`` as ``f(x) if c else g(x)``."""

    def one(node: Any) -> Any:
        node = remade(node, one)
        if isinstance(node, n.Call) and isinstance(node.func, n.IfExp):
            sides = [one(altered(node, func=side, args=[*map(clone, node.args)], keywords=[*map(clone, node.keywords)]))
                     for side in (node.func.body, node.func.orelse)]
            return place(n.IfExp(test=node.func.test, body=sides[0], orelse=sides[1]), node)
        return node

    return [one(statement) for statement in body]


def _named_functions(body: Block, scope: Scope, inner: set[str]) -> Block:
    """The body with names for the tables that are written out where they are used, but for those that a loop alone goes over."""
    done: Block = []
    for statement in body:
        fields = {field: getattr(statement, field, None) for field in BLOCKS} if not isinstance(statement, n.FunctionDef) else {}
        blocks = {field: _named_functions(block, scope, inner) for field, block in fields.items() if type(block) is list and block}
        statement = altered(statement, **blocks) if blocks else statement
        if isinstance(statement, SIMPLE):
            done += _without_tables(statement, scope, inner, set(blocks))
        else:
            done.append(statement)
    return done


def _apart(body: Block, scope: Scope, tables: set[str]) -> Block:
    """The body with names of their own for what comprehensions over tables bind, where they mean something else around them."""
    seen = counted_names(body)

    def one(node: Any) -> Any:
        node = remade(node, one)
        if not isinstance(node, n.COMPREHENSIONS) or tables.isdisjoint(set().union(*(names(loop.iter) for loop in node.generators))):
            return node
        own = set().union(*(target_names(loop.target) for loop in node.generators)) - names(node.generators[0].iter)
        here = counted_names([node])
        return clone(node, {name: expression(scope.fresh(name)) for name in sorted(own) if here[name] < seen[name]})

    return [one(statement) for statement in body] if tables else body


def _without_tables(statement: Any, scope: Scope, inner: set[str], blocks: set[str]) -> Block:
    """A statement, and before it names for the tables in its own expressions; of its ``blocks`` that is done already."""
    whole = statement.value if isinstance(statement, n.Assign) else None
    own = [value for field, value in vars(statement).items() if field not in blocks]
    trees = [each for value in own for each in (value if type(value) is list else [value]) if isinstance(each, n.AST)]
    parts = [part for tree in trees for part in n.walk(tree)]
    scoped = {other for part in parts if isinstance(part, SCOPES) for other in n.walk(part) if other is not part}
    bound = set().union(*(target_names(part.target) for part in parts if isinstance(part, (n.comprehension, n.NamedExpr))))
    loops = [part for part in (statement, *parts) if isinstance(part, (n.For, n.comprehension))]
    asked = [part.value for part in parts if isinstance(part, n.Subscript)]
    asked += [over for loop in loops for over in _gone_over(loop.iter, scope)]
    found = {part: scope.fresh("functions") for part in asked
             if part is not whole and part not in scoped and bound.isdisjoint(names(part)) and _of_functions(part, scope, inner)
             and not (isinstance(statement, n.For) and part is statement.iter and _known_ones(part))}  # written once for each of them
    if not found:
        return [statement]

    def one(node: Any) -> Any:
        return place(expression(found[node]), node) if node in found else remade(node, one)

    before: Block = [place(n.Assign(targets=[place(as_target(expression(name)), part)], value=part, type_comment=None), part)
                     for part, name in found.items()]
    kept = {field: [one(part) if isinstance(part, n.AST) else part for part in value] if type(value) is list else one(value)
            for field, value in vars(statement).items() if field not in blocks and isinstance(value, (n.AST, list))}
    return [*before, altered(statement, **kept)]


def _known_ones(node: Any) -> bool:
    """Whether no function of a table is made there."""
    return not any(isinstance(entry, n.Lambda) for entry in _display(node))


def _gone_over(node: Any, scope: Scope) -> Iterator[Any]:
    """What a loop goes over: a table, or several things side by side."""
    if not isinstance(node, n.Call):
        yield node
        return
    walking = scope.resolve(node.func) in (builtins.zip, builtins.enumerate, builtins.reversed)
    for part in [*node.args, *([node.func.value] if isinstance(node.func, n.Attribute) else [])]:
        if walking or isinstance(node.func, n.Attribute) and node.func.attr in ("items", "values", "keys"):
            yield from _gone_over(part, scope)


class Table:
    """Writes one table's uses anew. Raises Told where it is more than asked for its functions."""

    def __init__(self, name: str, display: Any, body: Block, scope: Scope):
        self.name, self.display, self.body, self.scope = name, display, body, scope
        self.nodes = [part for statement in body for part in n.walk(statement)]
        self.by_key = isinstance(display, n.Dict)
        self.keys: list[Any] = [key.value for key in display.keys] if self.by_key else [*range(len(_display(display)))]
        self.functions = [scope.fresh("function") if isinstance(entry, n.Lambda) else entry for entry in _display(display)]
        self.leaves = [expression(part) if isinstance(part, str) else part for part in self.functions]
        self.numbers: set[str] = set()  # names of the number of one of its functions

    def written(self, refused: set[str]) -> Block:
        """The body of the function without the table."""
        if not self.reached(self.body):
            raise CannotResolve
        self.numbers = self.numbered()
        body = [new for statement in self.body for new in self.statement(statement)]
        nodes = [part for statement in body for part in n.walk(statement)]
        seen = counted_names(body)
        if self.name in seen or self.numbers & refused or len(nodes) > GROWTH * len(self.nodes):
            raise CannotResolve
        meant = set().union(*map(names, self.leaves))
        for part in nodes:  # where a name is another one than around it
            if isinstance(part, SCOPES):
                here = counted_names([part])
                if meant & (bound := bound_names(part)) or any(here[name] < seen[name] for name in self.numbers & bound):
                    raise CannotResolve
        return body

    def reached(self, block: Block) -> bool:
        """Whether the table is bound wherever it is asked: all that asks it comes after it in the same block."""
        for position, statement in enumerate(block):
            if isinstance(statement, n.Assign) and statement.value is self.display:
                after = [part for other in block[position + 1:] for part in n.walk(other)]
                return sum(map(self.is_it, after)) + 1 == sum(map(self.is_it, self.nodes))
            blocks = [getattr(statement, field, None) for field in BLOCKS]
            if any(self.reached(inner) for inner in blocks if type(inner) is list):
                return True
        return False

    def numbered(self) -> set[str]:
        """The names that are bound to one of the table's functions, by a loop over it or by an index, and only called."""
        binding: set[Any] = set()
        for part in self.nodes:
            if isinstance(part, (n.For, n.comprehension)) and not (isinstance(part, n.For) and self.unrolled(part)):
                binding |= set(self.taken(part.target, part.iter))
            elif self.keeps(part):
                binding.add(part.targets[0])
        found = {target.id for target in binding}
        called = {part.func for part in self.nodes if isinstance(part, n.Call)}
        if any(isinstance(part, n.Name) and part.id in found and part not in binding and part not in called for part in self.nodes):
            raise CannotResolve
        return found

    def keeps(self, node: Any) -> bool:
        """Whether a statement is ``f = table[key]``."""
        return isinstance(node, n.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], n.Name) and self.asked(node.value)

    def is_it(self, node: Any) -> bool:
        return isinstance(node, n.Name) and node.id == self.name

    def asked(self, node: Any) -> bool:
        """Whether an expression is ``table[key]`` with a key that is not known."""
        if not isinstance(node, n.Subscript) or not self.is_it(node.value) or constant(node.slice) is not MISSING:
            return False
        if isinstance(node.slice, (n.Slice, n.Tuple)):
            raise CannotResolve
        return True

    def unrolled(self, node: n.For) -> bool:
        """Whether a loop over the table is to be written once for each of its functions."""
        target = node.target
        if not self.is_it(node.iter) or self.by_key or not isinstance(target, n.Name) or breaks(node.body) or node.orelse:
            return False
        return target.id not in set().union(*map(bound_names, node.body))

    def taken(self, target: Any, over: Any) -> Iterator[Any]:
        """The names in a loop's target that are bound to functions of the table."""
        if self.is_it(over) and not self.by_key:
            yield self.single(target)
        if not isinstance(over, n.Call) or not any(map(self.is_it, n.walk(over))):
            return
        method = over.func.attr if isinstance(over.func, n.Attribute) and self.is_it(over.func.value) and not over.args else ""
        elements = target.elts if isinstance(target, (n.Tuple, n.List)) else []
        function = self.scope.resolve(over.func)
        if method == "values":
            yield self.single(target)
        elif method == "items" and len(elements) == 2:
            yield self.single(elements[1])
        elif function is builtins.zip and len(elements) == len(over.args) and not over.keywords:
            for part, given in zip(elements, over.args):
                yield from self.taken(part, given)
        elif function is builtins.enumerate and len(elements) == 2 and over.args:
            yield from self.taken(elements[1], over.args[0])
        elif function is builtins.reversed and [*map(self.is_it, over.args)] == [True]:
            yield from self.taken(target, over.args[0])
        elif method != "keys":
            raise CannotResolve

    def single(self, target: Any) -> Any:
        if not isinstance(target, n.Name):
            raise CannotResolve
        return target

    def statement(self, node: Any) -> Block:
        """One statement as one or several; the table itself as names for its lambdas."""
        if isinstance(node, n.Assign) and node.value is self.display:
            return [placed(n.Assign(targets=[as_target(expression(name))], value=entry, type_comment=None), entry)
                    for name, entry in zip(self.functions, _display(node.value)) if isinstance(name, str)] or [place(n.Pass(), node)]
        fields = {field: getattr(node, field, None) for field in BLOCKS}
        blocks = {field: [new for part in block for new in self.statement(part)] for field, block in fields.items() if type(block) is list}
        handled = {*blocks, "value"} if self.keeps(node) else {*blocks, "iter"} if isinstance(node, n.For) else {*blocks}
        own = {field: self.listed(value) if type(value) is list else self.expression(value)
               for field, value in vars(node).items() if field not in handled and isinstance(value, (n.AST, list))}
        if self.keeps(node):
            own["value"] = placed(self.number(self.expression(node.value.slice)), node.value)
        elif isinstance(node, n.For):
            if self.unrolled(node):
                own["iter"] = place(n.Tuple(elts=[*map(clone, self.leaves)], ctx=n.Load()), node.iter)
            else:
                own["iter"] = self.over(node.iter)
        return [altered(node, **own, **blocks)]

    def listed(self, parts: list[Any]) -> list[Any]:
        return [self.expression(part) if isinstance(part, n.AST) else part for part in parts]

    def over(self, node: Any) -> Any:
        """What a loop goes over, with the numbers of functions in place of the table."""
        count = len(self.leaves)
        if self.is_it(node):
            if self.by_key:
                return placed(self.keys_written(), node)
            return placed(expression("range($n)", n=count), node)
        if isinstance(node, n.Call):
            if isinstance(node.func, n.Attribute) and self.is_it(node.func.value) and self.by_key and not node.args:
                ways = {"values": "range($n)", "keys": "$k", "items": "zip($k, range($n))"}
                if node.func.attr in ways:
                    return placed(expression(ways[node.func.attr], k=self.keys_written(), n=count), node)
            if self.scope.resolve(node.func) in (builtins.zip, builtins.enumerate, builtins.reversed):
                return altered(node, args=[*map(self.over, node.args)])
        return self.expression(node)

    def keys_written(self) -> n.expr:
        return n.Tuple(elts=[n.Constant(value=key, kind=None) for key in self.keys], ctx=n.Load())

    def number(self, key: n.expr) -> n.expr:
        """The number of the function that a key stands for; Python raises what it would."""
        if not self.by_key:
            return expression("range($n)[$k]", n=len(self.leaves), k=key)
        values: list[n.expr] = [n.Constant(value=number, kind=None) for number in range(len(self.keys))]
        keys: list[n.expr | None] = [n.Constant(value=known, kind=None) for known in self.keys]
        return expression("$d[$k]", d=n.Dict(keys=keys, values=values), k=key)

    def expression(self, node: Any) -> Any:
        """An expression without the table."""
        if isinstance(node, n.comprehension):
            return altered(node, iter=self.over(node.iter), ifs=self.listed(node.ifs))
        if isinstance(node, n.Call) and self.scope.resolve(node.func) is builtins.len and [*map(self.is_it, node.args)] == [True]:
            return place(n.Constant(value=len(self.leaves), kind=None), node)
        within = isinstance(node, n.Compare) and isinstance(node.ops[0], (n.In, n.NotIn)) and self.by_key
        if within and [*map(self.is_it, node.comparators)] == [True]:
            return altered(node, left=self.expression(node.left), comparators=[placed(self.keys_written(), node)])
        if isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id in self.numbers:
            return self.choice(node, lambda: expression(node.func.id))
        if isinstance(node, n.Call) and self.asked(node.func):
            key = self.expression(node.func.slice)
            if not any(isinstance(part, (n.Call, n.NamedExpr, *n.COMPREHENSIONS)) for part in n.walk(key)):
                return self.choice(node, lambda: self.number(clone(key)))
            name = self.scope.fresh("chosen")
            first = n.NamedExpr(target=as_target(expression(name)), value=self.number(key))
            spelled = iter([first])
            return self.choice(node, lambda: next(spelled, expression(name)))
        if self.asked(node):  # and handed on
            raise CannotResolve
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            return self.at(constant(node.slice), node)
        return remade(node, self.expression)

    def at(self, key: Any, node: Any) -> n.expr:
        """The function that a known key stands for."""
        if not isinstance(node.ctx, n.Load):
            raise CannotResolve
        if not self.by_key and type(key) is int and key < 0:
            key += len(self.keys)
        if key not in self.keys or type(key) is not type(self.keys[self.keys.index(key)]):
            raise CannotResolve  # Python raises, or means a slice
        return place(clone(self.leaves[self.keys.index(key)]), node)

    def choice(self, node: n.Call, number: Any) -> n.expr:
        """A call of the function that has a number."""
        tests = [number() for _ in self.leaves[1:]]
        made: n.expr | None = None
        for position in reversed(range(len(self.leaves))):
            call = altered(node, func=place(clone(self.leaves[position]), node.func), args=self.listed(node.args),
                           keywords=self.listed(node.keywords))
            if made is None:
                made = call
            else:
                test = placed(expression("$t == $n", t=tests[position], n=position), node)
                made = place(n.IfExp(test=test, body=call, orelse=made), node)
        assert made is not None
        return made
