"""Interpret functions that the text has as functions: a solver, a transform or a sort is given them, and calls them when it runs."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, place, remade, statement
from .record_forms import Form
from .text_containers import TextContainers
from .values import Bound, Closure, Items, Known, NotInterpreted, Run, Structure, Value


class TextFunctions(TextContainers):
    """Functions that the text defines, each where it is given away."""

    def as_function(self, value: Value, at: n.AST) -> n.expr:
        """A function that is known as one of the text: a lambda, or the name of a definition. Raises NotInterpreted for one that changes
        what is around it, or of which it is not known how many arguments it takes.
        """
        if isinstance(value, Structure):
            value = self.attribute(value, "__call__", at)
        closure, given = self.unbound(value)
        args = closure.tree.args
        if args.vararg is not None or args.kwarg is not None:
            raise NotInterpreted("a function of any number of arguments as a value")
        of = [part.id for part in (*args.posonlyargs, *args.args)][len(given.given):]
        of = [name for name in of if name not in given.named]
        parameters = [self.state.fresh(name) for name in of]
        self.state.final.update(parameters)
        self.state.active.update(parameters)
        defaults = [self.text(closure.defaults[name]) for name in of if name in closure.defaults]
        taken = [Run(expression(name)) for name in parameters]
        called, given_ = (Bound(value, [], dict(zip(of, taken))), []) if given.named else (value, taken)
        block, result = self.rerun(lambda: self.body_of(called, given_, at))
        *block, result = self.with_attributes_read([*block, result])
        shown: Any = place(expression(f"lambda {', '.join(parameters)}: 0"), at)
        shown = altered(shown, args=altered(shown.args, args=[*map(parameter, parameters)], defaults=defaults), body=result)
        if not block:
            return shown
        name = self.state.fresh(getattr(closure.tree, "name", "function"))
        self.state.final.add(name)
        made: Any = statement(f"def {name}(): pass")
        self.state.emit(place(altered(made, args=shown.args, body=[*block, place(n.Return(value=result), at)]), at))
        return expression(name)

    def body_of(self, function: Value, given: Sequence[Value], at: n.AST) -> tuple[list[n.stmt], n.expr]:
        """What a function of the text does, and the expression that it returns."""
        saved = self.state.saved()
        with self.state.block() as block:
            value = self.called(function, [*given], {}, at)
            result = self.text(self.listed(value, at) if isinstance(value, Items) else value)
        if self.state.changed(saved):
            raise NotInterpreted("a function that is given away and changes what is around it")
        return block, result

    def with_attributes_read(self, parts: list[Any]) -> list[Any]:
        """Parts of a function, of which the numbers that they read of objects given to the whole are read before it is defined."""
        found: dict[str, Run] = {}

        def read(node: Any) -> Any:
            if isinstance(node, n.Attribute) and self.is_number_of_given(node):
                shown = n.dump(node)
                if shown not in found:
                    found[shown] = self.state.temporary(clone(node), node.attr)
                return clone(found[shown].node)
            return remade(node, read)

        return list(map(read, parts))

    def is_number_of_given(self, node: n.Attribute) -> bool:
        """Whether an expression is an attribute of an object in an argument, and a number or an array."""
        root: Any = node.value
        while isinstance(root, (n.Attribute, n.Subscript)):
            root = root.value
        known = self.outside.known(node) if isinstance(root, n.Name) and root.id in self.state.given else None
        return known is not None and known.rank is not None and self.outside.kind_of(Run(node.value)) is not None

    def plain_value(self, node: Any) -> n.expr | None:
        """What a statement gives a name to that nothing else does, if that is read and no more; None for any other statement."""
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Name) or node.targets[0].id not in self.state.final:
            return None
        return node.value if isinstance(node.value, (n.Name, n.Subscript, n.Attribute, n.BinOp, n.UnaryOp)) else None

    def with_values(self, block: list[n.stmt], result: n.expr) -> n.expr:
        """An expression with what the last statements of a block give a name to in place of the names; they leave the block."""
        while block and (value := self.plain_value(block[-1])) is not None:
            last: Any = block.pop()
            result = clone(result, {last.targets[0].id: value})
        return result

    def unbound(self, value: Value) -> tuple[Closure, Bound]:
        """The function within partials and methods, and all that it is given."""
        given = Bound(value, [], {})
        while not isinstance(value, Closure):
            if isinstance(value, Bound):
                given = Bound(value, [*value.given, *given.given], {**value.named, **given.named})
                value = value.function
            elif isinstance(value, Known) and is_user_function(value.object):
                value = self.outside.function(value.object)
            else:
                raise NotInterpreted("a function as a value")
        return value, given

    def is_function(self, value: Value) -> bool:
        """Whether a value is a function of the user's, or an object that is called like one."""
        if isinstance(value, Structure):
            return is_users(value.kind) and isinstance(self.member(value.kind, "__call__"), types.FunctionType)
        return isinstance(value, (Closure, Bound)) or isinstance(value, Known) and is_user_function(value.object)

    def as_lambda(self, function: Value, carries: bool, node: n.expr, record: Form | None = None) -> Run:
        """A function of one argument, which may carry a derivative, or is an object, as a lambda of the text. Raises NotInterpreted for one
        that is none.
        """
        name = self.state.fresh("item")
        self.state.final.add(name)
        self.state.active |= {name} if carries else set()
        item = Run(expression(name)) if record is None else self.shown_record(expression(name), record)
        block, result = self.body_of(function, [item], node)
        result = self.with_values(block, result)
        if block:
            raise NotInterpreted("a key that does more than look")
        return self.run(altered(expression(f"lambda {name}: 0"), body=result), node)


def parameter(name: str) -> n.Name:
    """A name as a parameter."""
    return n.Name(id=name, ctx=n.Param(), annotation=None, type_comment=None)
