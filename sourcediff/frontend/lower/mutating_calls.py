"""Write calls that mutate an array (``np.copyto``, ``a.sort()``, ``out=``) as stores into it."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ...analysis.applications import METHODS, application
from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.source.out_arguments import among
from ...analysis.source.sharing import VIEWS
from ...analysis.statements import grown
from ...runtime.arrays import flat_index, incremented, maximum_at, minimum_at
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place, placed, statement

Block = list[n.stmt]
Given = dict[str, n.expr]
Spelling = Callable[["Storer", Given], "Block | None"]


def mutations_as_stores(body: Block, scope: Scope, function: Any, objects: Collection[str] = ()) -> Block:
    """Spell ``np.copyto``, ``a.fill``, ``a.sort``, ``np.add.at``, ``out=`` and their like as stores; what they do is what these do.

    >>> import numpy as np
    >>> from sourcediff.api.explain import text_after
    >>> def filled(x, w, places):
    ...     a = np.empty_like(x)
    ...     np.multiply(x, w, out=a)
    ...     a[:2].fill(0.5)
    ...     np.copyto(w, a)
    ...     w.sort()
    ...     np.add.at(w, places, x)
    ...     return np.sum(w)
    >>> print(text_after("unbound_names", filled))
    a = np.empty_like(x)
    t = np.multiply(x, w)
    a[...] = t
    t1 = a[:2]
    t1[...] = 0.5
    w[...] = a
    t2 = np.sort(w)
    w[...] = t2
    t3 = incremented(w, places, x)
    w[...] = t3
    value = np.sum(w)

    A call that cannot be spelled so stays as it is, and is refused later. ``objects`` are names of objects and lists, which have
    methods of their own.
    """
    return Storer(scope, function, objects).block(body)


class Storer:
    """Walks the statements of one function."""

    def __init__(self, scope: Scope, function: Any, objects: Collection[str]):
        self.scope = scope
        self.function = function
        self.objects = objects

    def block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            spelled = self.statement(node)
            done += [node] if spelled is None else [placed(part, node) for part in spelled]
        return done

    def statement(self, node: n.stmt) -> Block | None:
        """The stores that a statement is; None if it is to stay."""
        if isinstance(node, n.Expr) and isinstance(node.value, n.Call) and grown(node) is None:
            return self.called(node.value)
        if isinstance(node, n.Assign) and isinstance(node.value, n.Call) and isinstance(node.targets[0], n.Name):
            of_list = isinstance(node.value.func, n.Attribute) and node.value.func.attr == "sort"  # perhaps
            stores, value = self.with_out(node.value) or (None if of_list else self.called(node.value), n.Constant(value=None, kind=None))
            return None if stores is None else [*stores, place(n.Assign(targets=node.targets, value=value, type_comment=None), node)]
        if isinstance(node, n.FunctionDef):  # what it is given, is known where it is called
            return None
        blocks = {field: self.block(part) for field in ("body", "orelse") if isinstance(part := getattr(node, field, None), list)}
        return [altered(node, **blocks)] if blocks else None

    def called(self, call: n.Call) -> Block | None:
        """The stores that a call is, of which the result is thrown away."""
        function = self.scope.resolve(call.func)
        spelling = SPELLINGS[function] if among(function, SPELLINGS) else None
        owner = getattr(function, "__self__", None)
        if isinstance(owner, np.ufunc) and owner in AT and function.__name__ == "at":
            return self.scattered(*AT[owner], arguments_given(call, ("a", "indices", "b")))
        if spelling is not None:
            names, spell = spelling
            arguments = arguments_given(call, names)
        elif function is MISSING and isinstance(call.func, n.Attribute) and call.func.attr in SPELLED_METHODS:
            if getattr(call.func.value, "id", None) in self.objects:
                return None
            names, spell = SPELLED_METHODS[call.func.attr]
            arguments = arguments_given(n.Call(func=call.func, args=[call.func.value, *call.args], keywords=call.keywords), names)
        else:
            result = self.with_out(call)
            return None if result is None else result[0]
        return None if arguments is None or not is_slot(arguments.get(names[0]), self.scope) else spell(self, arguments)

    def with_out(self, call: n.Call) -> tuple[Block, n.expr] | None:
        """The store that a call with ``out=`` is, and what the call gives back."""
        function = self.scope.resolve(call.func)
        method = function is MISSING and isinstance(call.func, n.Attribute) and call.func.attr in METHODS
        if not method and (function is MISSING or isinstance(function, type) or is_user(function)):
            return None
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        args = list(call.args)
        out = keywords.pop("out", None)
        if out is None and isinstance(function, np.ufunc) and len(args) == function.nin + 1 and function.nout == 1:
            out = args.pop()
        if isinstance(out, n.Tuple) and len(out.elts) == 1:
            out = out.elts[0]
        if not is_slot(out, self.scope):
            return None
        where = keywords.pop("where", None) if isinstance(function, np.ufunc) else None
        value = n.Call(func=call.func, args=args, keywords=[n.keyword(arg=name, value=part) for name, part in keywords.items()])
        if where is None:
            return [statement("$a[...] = $v", a=out, v=value)], out
        if keywords:
            return None
        chosen = self.numpy("np.broadcast_to($m, np.shape($a))", m=where, a=out)
        mask = expression(self.scope.fresh("mask"))
        value.args = [self.numpy("np.broadcast_to($x, np.shape($a))[$m]", x=part, a=out, m=mask) for part in args]
        return [statement("$m = $c", m=mask, c=chosen), statement("$a[$m] = $v", a=out, m=mask, v=value)], out

    def numpy(self, text: str, **holes: n.AST) -> n.expr:
        """An expression that calls NumPy, under the name that it has in the program."""
        spelled = self.scope.known(np, "np", self.function)
        return clone(expression(text, **holes), {"np": expression(spelled)})

    def copied(self, given: Given) -> Block | None:
        """``np.copyto(a, b)``; entries that ``where`` does not choose keep their value."""
        if "casting" in given:
            return None
        value = self.numpy("np.where($m, $b, $a)", m=given["where"], b=given["src"], a=given["dst"]) if "where" in given else given["src"]
        return [statement("$a[...] = $b", a=given["dst"], b=value)]

    def filled(self, given: Given) -> Block | None:
        """``a.fill(v)``."""
        return [statement("$a[...] = $v", a=given["a"], v=given["value"])] if len(given) == 2 else None

    def sorted(self, given: Given) -> Block | None:
        """``a.sort(axis)``."""
        return self.reordered("np.sort", given)

    def partitioned(self, given: Given) -> Block | None:
        """``a.partition(kth, axis)``."""
        return self.reordered("np.partition", given)

    def reordered(self, function: str, given: Given) -> Block | None:
        array, *others = given.items()
        call = self.numpy(f"{function}($a)", a=array[1])
        call.keywords = [n.keyword(arg=name, value=value) for name, value in others]
        return [statement("$a[...] = $v", a=array[1], v=call)]

    def put(self, given: Given) -> Block | None:
        """``np.put(a, places, v)``: places in the flat array, and as many values, repeated or cut off."""
        if len(given) != 3:
            return None
        literal = constant(given["ind"])
        flat = isinstance(literal, tuple) and all(isinstance(one, int) for one in literal)
        places = given["ind"] if flat else self.numpy("np.ravel($i)", i=given["ind"])
        index = self.numpy("$f($i, np.shape($a))", f=self.scope.imported("flat_index", flat_index), i=places, a=given["a"])
        values = self.repeated(given["v"], self.numpy("np.size($i)", i=given["ind"]))
        return [statement("$a[$i] = $v", a=given["a"], i=index, v=values)]

    def repeated(self, values: n.expr, count: n.expr) -> n.expr:
        """Values repeated or cut off until there are so many; a number is enough for all."""
        return values if isinstance(values, n.Constant) else self.numpy("np.resize($v, $n)", v=values, n=count)

    def placed(self, given: Given) -> Block | None:
        """``np.place(a, mask, v)``, of as many values as the mask chooses, repeated or cut off."""
        mask = given["mask"]
        if not isinstance(mask, n.Compare):
            mask = self.numpy("np.asarray($m, $bool)", m=mask, bool=expression("bool"))
        if len(given) != 3:
            return None
        values = self.repeated(given["vals"], self.numpy("np.count_nonzero($m)", m=mask))
        return [statement("$a[$m] = $v", a=given["arr"], m=mask, v=values)]

    def masked(self, given: Given) -> Block | None:
        """``np.putmask(a, mask, v)``, of a number, or of an array as large as ``a``, which is what is repeated otherwise."""
        if len(given) != 3:
            return None
        values = given["values"]
        if not isinstance(values, n.Constant):
            values = self.numpy("np.resize($v, np.shape($a))", v=values, a=given["a"])
        return [statement("$a[...] = $v", a=given["a"], v=self.numpy("np.where($m, $v, $a)", m=given["mask"], v=values, a=given["a"]))]

    def diagonal_filled(self, given: Given) -> Block | None:
        """``np.fill_diagonal(a, v)``, of as many values as the diagonal is long, repeated or cut off."""
        if len(given) != 2:
            return None
        length = self.numpy("$min(np.shape($a))", min=expression("min"), a=given["a"])
        index = self.numpy("np.diag_indices($n, np.ndim($a))", n=length, a=given["a"])
        return [statement("$a[$i] = $v", a=given["a"], i=index, v=self.repeated(given["val"], length))]

    def scattered(self, changed: Callable[..., Any], sign: str, given: Given | None) -> Block | None:
        """``np.add.at(a, places, v)``: each place gets all that is added to it."""
        if given is None or len(given) != 3 or not is_slot(given["a"], self.scope):
            return None
        array, places, value = given["a"], given["indices"], given["b"]
        spelled = self.scope.imported(changed.__name__, changed)
        return [statement(f"$a[...] = {spelled}($a, $i, {sign}$v)", a=array, i=places, v=value)]


def arguments_given(call: n.Call, names: tuple[str, ...]) -> Given | None:
    """The arguments of a call by the names of its parameters; None where they do not fit."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if len(call.args) > len(names) or not keywords.keys() <= {*names} or any(isinstance(part, n.Starred) for part in call.args):
        return None
    return {**dict(zip(names, call.args)), **keywords}


def is_slot(node: n.AST | None, scope: Scope) -> bool:
    """Whether an expression is a name, or an index, slice or view of one: what can be stored into."""
    while not isinstance(node, n.Name):
        applied = application(node, scope) if node is not None else None
        if applied is None or applied.function not in VIEWS or not applied.args:
            return False
        node = applied.args[0]
    return True


def is_user(function: Any) -> bool:
    """Whether a callable is none of NumPy's, SciPy's or Python's own."""
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.split(".")[0] not in ("numpy", "scipy", "math", builtins.__name__)


AT = {np.add: (incremented, ""), np.subtract: (incremented, "-"), np.maximum: (maximum_at, ""), np.minimum: (minimum_at, "")}
"""Function → how its ``at`` is spelled, and the sign of what it is given."""

SPELLINGS: dict[Any, tuple[tuple[str, ...], Spelling]] = {
    np.copyto: (("dst", "src", "casting", "where"), Storer.copied),
    np.put: (("a", "ind", "v", "mode"), Storer.put),
    np.place: (("arr", "mask", "vals"), Storer.placed),
    np.fill_diagonal: (("a", "val", "wrap"), Storer.diagonal_filled),
    np.putmask: (("a", "mask", "values"), Storer.masked),
}
"""Function → the names of its parameters, and how it is spelled."""


SPELLED_METHODS: dict[str, tuple[tuple[str, ...], Spelling]] = {
    "fill": (("a", "value"), Storer.filled),
    "sort": (("a", "axis", "kind"), Storer.sorted),
    "partition": (("a", "kth", "axis", "kind"), Storer.partitioned),
    "put": (("a", "ind", "v", "mode"), Storer.put),
}
"""Method of arrays → the same."""
