"""Replace ``*args`` and ``**kwargs`` of a callee by as many parameters as the call gives.

>>> from sourcediff.syntax.text import to_source
>>> tree = n.parse('''
... def wrapper(*args, **kwargs):
...     kwargs.setdefault("k", 3)
...     scale = kwargs.pop("scale", 1.0)
...     args = [np.asarray(part) for part in args]
...     return scale * f(*args, **kwargs) / len(args)
... ''').body[0]
>>> call = n.parse("wrapper(x, y, scale=2.0)").body[0].value
>>> tree, call = numbered(tree, call)
>>> print(to_source(call))
wrapper(x, y, scale_given=2.0)
>>> print(to_source(tree))
def wrapper(args_0, args_1, *, scale_given):
    k = 3
    scale = scale_given
    args_0 = np.asarray(args_0)
    args_1 = np.asarray(args_1)
    return scale * f(args_0, args_1, k=k) / 2

What else is done with them is done with a tuple and a dict, which are made first; where they may be others by then, all stays as it is.
"""

from __future__ import annotations

from typing import Any

from ...naming import is_name
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, place, remade, statement


class Unclear(Exception):
    """What the stars hold at some point is not known."""


def numbered(tree: n.FunctionDef, call: n.Call) -> tuple[n.FunctionDef, n.Call]:
    """A function that takes stars, and a call of it, without them; both as they are where it is not known what the stars hold."""
    if tree.args.vararg is None and tree.args.kwarg is None:
        return tree, call
    if any(isinstance(part, n.Starred) for part in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return tree, call
    try:
        return Numbering(tree, call).done()
    except Unclear:
        return tree, call


class Numbering:
    """Rewrites one function for one call: ``items`` are the names of what ``*args`` holds, ``fields`` those of what ``**kwargs`` does."""

    def __init__(self, tree: n.FunctionDef, call: n.Call):
        self.tree, self.call = tree, call
        self.taken = names(tree)
        args = tree.args
        fixed = [*args.posonlyargs, *args.args]
        own = {part.id for part in (*args.args, *args.kwonlyargs)}
        self.star, self.stars = (None if part is None else part.id for part in (args.vararg, args.kwarg))
        others = [keyword.arg for keyword in call.keywords if keyword.arg not in own]
        if self.star is None and len(call.args) > len(fixed) or self.stars is None and others or len(set(others)) < len(others):
            raise Unclear  # Python would raise TypeError
        self.items = [self.free(f"{self.star}_{k}") for k in range(len(call.args) - len(fixed))]
        self.fields = {key: self.free(key, f"{key}_given") for key in others}
        self.is_list = False  # args has become a list
        self.read_later = False  # by an inner function

    def free(self, *wanted: str) -> str:
        """The first of these names that nothing else has, or one like it."""
        found = next((name for name in wanted if name not in self.taken), wanted[-1])
        while found in self.taken:
            found += "_"
        self.taken = self.taken | {found}
        return found

    def done(self) -> tuple[n.FunctionDef, n.Call]:
        """The function and the call."""
        old = self.tree.args
        items, named = ([as_parameter(name) for name in found] for found in (self.items, self.fields.values()))
        keywords = [altered(keyword, arg=self.fields.get(keyword.arg, keyword.arg)) for keyword in self.call.keywords]
        args = n.arguments(
            posonlyargs=old.posonlyargs, args=[*old.args, *items], vararg=None, kwonlyargs=[*old.kwonlyargs, *named],
            kw_defaults=[*old.kw_defaults, *([None] * len(named))], kwarg=None, defaults=[] if items else old.defaults,
        )
        body = [made for node in self.tree.body for made in self.statement(node)]
        return altered(self.tree, args=args, body=body), altered(self.call, keywords=keywords)

    def statement(self, node: Any) -> list[n.stmt]:
        """A statement of the body itself: it may change what the stars hold."""
        if isinstance(node, n.Expr) and self.method(node.value) == "setdefault" and len(node.value.args) == 2:
            return self.stored(self.key(node.value.args[0]), node.value.args[1], node, again=False)
        if isinstance(node, n.Assign) and len(node.targets) == 1:
            (target,) = node.targets
            if self.is_(target, self.star):
                return self.each(node)
            if isinstance(target, n.Subscript) and self.is_(target.value, self.stars):
                return self.stored(self.key(target.slice), node.value, node, again=True)
        if isinstance(node, n.If) and isinstance(test := self.read(node.test), n.Constant):
            return [made for part in (node.body if test.value else node.orelse) for made in self.statement(part)]
        if isinstance(node, (n.Assign, n.Expr)) and self.method(node.value) == "pop" and len(node.value.args) in (1, 2):
            return [altered(self.read(altered(node, value=n.Constant(value=None, kind=None))), value=self.taken_out(node.value))]
        return [self.read(node)]

    def changing(self) -> None:
        """Raise Unclear where an inner function may ask what the stars hold before and after a change of it."""
        if self.read_later:
            raise Unclear

    def stored(self, key: str, value: n.expr, node: n.stmt, again: bool) -> list[n.stmt]:
        """``kwargs[key] = value``, or the same where there is no such entry."""
        self.changing()
        value = self.read(value)
        if key in self.fields and not again:
            return [place(n.Expr(value=value), node)] if isinstance(value, n.Call) else []
        self.fields.setdefault(key, self.free(key, f"{key}_given"))
        return [place(statement("$k = $v", k=self.fields[key], v=value), node)]

    def each(self, node: n.Assign) -> list[n.stmt]:
        """``args = [f(a) for a in args]``, and the same as a tuple."""
        self.changing()
        made = node.value
        self.is_list = isinstance(made, n.ListComp)
        if isinstance(made, n.Call) and isinstance(made.func, n.Name) and made.func.id in ("tuple", "list") and len(made.args) == 1:
            self.is_list = made.func.id == "list"
            made = made.args[0]
        over = made.generators[0] if isinstance(made, n.ITEM_BY_ITEM) and len(made.generators) == 1 else None
        if over is None or over.ifs or not self.is_(over.iter, self.star) or not isinstance(over.target, n.Name):
            raise Unclear
        if self.star in names(made.elt) or any(isinstance(part, (n.NamedExpr, n.Lambda)) for part in n.walk(made.elt)):
            raise Unclear
        element = self.read(made.elt)
        return [place(statement("$a = $v", a=name, v=clone(element, {over.target.id: expression(name)})), node) for name in self.items]

    def taken_out(self, node: Any) -> n.expr:
        """What ``kwargs.pop("k", v)`` gives."""
        self.changing()
        key, *default = node.args
        if not default and self.key(key) not in self.fields:
            raise Unclear
        kept = self.fields.pop(self.key(key), None)
        found: n.expr = self.read(default[0]) if kept is None else place(expression(kept), node)
        return found

    def method(self, node: n.AST) -> str:
        """The method of ``**kwargs`` that a call is of."""
        if not isinstance(node, n.Call) or not isinstance(node.func, n.Attribute) or node.keywords:
            return ""
        return node.func.attr if self.is_(node.func.value, self.stars) else ""

    def key(self, node: n.AST) -> str:
        """The key that an expression is. Raises Unclear where it is none."""
        if not isinstance(node, n.Constant) or not isinstance(node.value, str) or not is_name(node.value):
            raise Unclear
        return node.value

    def read(self, node: Any) -> Any:
        """A node that only reads what the stars hold."""
        if isinstance(node, (n.FunctionDef, n.Lambda)) and names(node) & {self.star, self.stars}:
            self.read_later = True
        if isinstance(node, n.Call):
            return self.call_of(node)
        if isinstance(node, (n.Tuple, n.List)) and isinstance(node.ctx, n.Load):
            return altered(node, elts=self.spread(node.elts))
        if isinstance(node, n.Subscript):
            return self.entry(node)
        if isinstance(node, n.IfExp) and isinstance(test := self.read(node.test), n.Constant):
            return self.read(node.body if test.value else node.orelse)
        if isinstance(node, n.BoolOp):
            return self.either(node)
        if isinstance(node, n.Compare) and len(node.ops) == 1 and self.is_(node.comparators[0], self.stars):
            return self.asked(node)
        if isinstance(node, n.Name) and node.id in (self.star, self.stars):
            if not isinstance(node.ctx, n.Load) or node.id == self.stars or self.is_list:
                raise Unclear
            return place(n.Tuple(elts=[expression(name) for name in self.items], ctx=n.Load()), node)
        return remade(node, self.read)

    def call_of(self, node: n.Call) -> n.expr:
        """A call, with what the stars hold written out."""
        name = node.func.id if isinstance(node.func, n.Name) and len(node.args) == 1 and not node.keywords else ""
        if name == "len" and self.is_(node.args[0], self.star):
            return place(n.Constant(value=len(self.items), kind=None), node)
        if name == "len" and self.is_(node.args[0], self.stars):
            return place(n.Constant(value=len(self.fields), kind=None), node)
        if name in ("sorted", "list", "tuple") and self.is_(node.args[0], self.stars):
            keys = [n.Constant(value=key, kind=None) for key in self.fields]
            return altered(node, args=[place(n.Tuple(elts=keys, ctx=n.Load()), node)])
        if self.method(node) in ("items", "keys", "values") and not node.args:
            return self.seen(node)
        if self.method(node) == "get" and len(node.args) in (1, 2):
            missing = n.Constant(value=None, kind=None) if len(node.args) == 1 else self.read(node.args[1])
            kept = self.fields.get(self.key(node.args[0]))
            return place(missing if kept is None else expression(kept), node)
        keywords = [part for keyword in node.keywords for part in self.named(keyword)]
        return altered(node, func=self.read(node.func), args=self.spread(node.args), keywords=keywords)

    def seen(self, node: Any) -> n.expr:
        """``kwargs.items()`` and the like, of which only the entries are asked."""
        keys = [n.Constant(value=key, kind=None) for key in self.fields]
        values = [expression(name) for name in self.fields.values()]
        pairs = [n.Tuple(elts=[key, value], ctx=n.Load()) for key, value in zip(keys, values)]
        parts = {"items": pairs, "keys": keys, "values": values}[node.func.attr]
        return place(n.Tuple(elts=parts, ctx=n.Load()), node)

    def entry(self, node: Any) -> n.expr:
        """``args[0]`` and ``kwargs["k"]``."""
        owner = next((name for name in (self.star, self.stars) if self.is_(node.value, name)), None)
        key = node.slice.value if isinstance(node.slice, n.Constant) else None
        if owner is not None and isinstance(node.ctx, n.Load):
            if owner == self.star and isinstance(key, int) and -len(self.items) <= key < len(self.items):
                return place(expression(self.items[key]), node)
            if owner == self.stars and key in self.fields:
                return place(expression(self.fields[key]), node)
        if owner is not None and (owner == self.stars or not isinstance(node.ctx, n.Load)):
            raise Unclear
        return remade(node, self.read)  # type: ignore[no-any-return]

    def asked(self, node: n.Compare) -> n.expr:
        """``"k" in kwargs``."""
        if not isinstance(node.ops[0], (n.In, n.NotIn)):
            raise Unclear
        found = (self.key(node.left) in self.fields) == isinstance(node.ops[0], n.In)
        return place(n.Constant(value=found, kind=None), node)

    def either(self, node: n.BoolOp) -> n.expr:
        """``a and b``, up to where it is decided."""
        values: list[n.expr] = []
        for part in node.values:
            value = self.read(part)
            values.append(value)
            if isinstance(value, n.Constant) and bool(value.value) == isinstance(node.op, n.Or):
                break
        return altered(node, values=values) if len(values) > 1 else values[0]

    def spread(self, parts: list[n.expr]) -> list[n.expr]:
        """The parts of a display or a call, what ``*args`` holds in place of it."""
        done: list[n.expr] = []
        for part in parts:
            star = isinstance(part, n.Starred) and self.is_(part.value, self.star)
            done += [place(expression(name), part) for name in self.items] if star else [self.read(part)]
        return done

    def named(self, keyword: n.keyword) -> list[n.keyword]:
        """A keyword of a call, what ``**kwargs`` holds in place of it."""
        if keyword.arg is None and self.is_(keyword.value, self.stars):
            return [n.keyword(arg=key, value=place(expression(name), keyword.value)) for key, name in self.fields.items()]
        return [altered(keyword, value=self.read(keyword.value))]

    def is_(self, node: n.AST, name: str | None) -> bool:
        """Whether an expression is this name."""
        return isinstance(node, n.Name) and node.id == name


def as_parameter(name: str) -> n.expr:
    """A name as a parameter."""
    node = expression(name)
    node.ctx = n.Param()
    return node
