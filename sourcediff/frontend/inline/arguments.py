"""Bind the arguments of an inlined call to the parameters: which name stands for which, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...analysis.environment.captured import is_user_function
from ...analysis.literals import literal
from ...runtime.checks import check_arguments
from ...syntax import nodes as n
from ...syntax.quote import expression, place, statement
from ...syntax.source import Source
from ..function_trees import captured, parameters_of
from ..lower.kinds import star_of
from ..room import Room


class Arguments(Room):
    """From a call to the names of a callee's parameters."""

    def given_names(self, tree: n.FunctionDef, node: n.Call) -> dict[str, n.expr] | None:
        """The argument of each parameter that the call fills; None if the call is refused."""
        positional = [parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)]
        keywords = [parameter.id for parameter in (*tree.args.args, *tree.args.kwonlyargs)]
        required = positional[:len(positional) - len(tree.args.defaults)] if tree.args.vararg is None else []
        node = self.unstarred(node, required) if len(required) == len(positional) else node
        if (star := star_of(node)) is not None:
            self.refused(star, "this star", "how many values it stands for is not known", "write the arguments out")
            return None
        wrong = "Python would raise TypeError", "check the call"
        if len(node.args) > len(positional) and tree.args.vararg is None:
            self.refused(node, f"a call of {tree.name} with too many arguments", *wrong)
            return None
        given: dict[str, n.expr] = dict(zip(positional, node.args))
        others: dict[str, n.expr] = {}
        for keyword in node.keywords:
            known = keyword.arg in keywords
            if keyword.arg in given or keyword.arg in others or not known and tree.args.kwarg is None:
                self.refused(node, f"a call of {tree.name} with a wrong keyword", *wrong)
                return None
            (given if known else others)[keyword.arg] = keyword.value
        if tree.args.vararg is not None:
            given[tree.args.vararg.id] = place(n.Tuple(elts=node.args[len(positional):], ctx=n.Load()), node)
        if tree.args.kwarg is not None:
            keys = [n.Constant(value=key, kind=None) for key in others]
            given[tree.args.kwarg.id] = place(n.Dict(keys=keys, values=list(others.values())), node)
        return given

    def has_no_order(self, node: n.expr) -> bool:
        """Whether an expression gives a dict or a set, which has no item at a position."""
        return self.known(node).kind == "mapping" or isinstance(node, (n.Set, n.SetComp, n.Dict, n.DictComp)) or (
            isinstance(node, n.Name) and node.id in self.state.sets)

    def unstarred(self, node: n.Call, positional: Sequence[str]) -> n.Call:
        """A call with as many arguments in place of its one star as there are parameters left, none of which has a default."""
        stars = [part for part in node.args if isinstance(part, n.Starred)]
        left = len(positional) - len(node.args) + 1 - sum(keyword.arg in positional for keyword in node.keywords)
        if len(stars) != 1 or left < 1 or any(keyword.arg is None for keyword in node.keywords):
            return node
        (star,) = stars
        if self.has_no_order(star.value):
            return node
        known = self.lower.assignments.note_length(star.value, left, node)
        whole = self.operand(star.value, always=True)
        if not known:
            given = {"c": self.scope.imported("check_arguments", check_arguments), "w": whole, "k": n.Constant(value=left, kind=None)}
            name = n.Constant(value=getattr(node.func, "id", getattr(node.func, "attr", "function")), kind=None)
            check = place(expression("$c($w, $k, $name)", **given, name=name), node)
            self.state.out.append(place(n.Expr(value=check), node))
        values = [place(expression(f"$s[{position}]", s=whole), star) for position in range(left)]
        args = [part for given in node.args for part in (values if given is star else [given])]
        return place(n.Call(func=node.func, args=args, keywords=node.keywords), node)

    def passed_on(
        self, source: Source, node: n.Call, operands: dict[str, n.expr], renamed: dict[str, str], defaults: dict[str, Any],
    ) -> set[str] | None:
        """Bind the parameters, or rename them to the arguments' own names; the new names that may carry, None if the call is refused."""
        stored = {part.id for part in n.walk(source.tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        called = source.tree.name
        start: set[str] = set()
        inside = captured(source.tree)
        functions = {*self.state.functions, *self.state.partly, *self.state.instances}
        for parameter in parameters_of(source.tree):
            new = renamed.get(parameter, parameter)
            if parameter not in operands and (function := self.function_by_default(defaults.get(parameter))) is not None:
                operands[parameter] = function
            if parameter not in operands and getattr(defaults.get(parameter), "id", None) in self.state.instances:
                operands[parameter] = defaults[parameter]
            if parameter in operands:
                argument = operands[parameter]
                named = isinstance(argument, n.Name) and (parameter not in inside or self.stays(argument.id))
                if named and parameter not in stored:
                    renamed[parameter] = new = argument.id  # type: ignore[attr-defined]
                elif isinstance(argument, n.Name) and argument.id in functions:
                    self.refused(node, "a parameter that is a function or an object, and is bound anew",
                                 "which one it is is not known", "use two names")
                if self.carries(argument):
                    start.add(new)
                if new == getattr(argument, "id", None):
                    continue
                self.state.kinds[new] = self.known(argument)
                self.lower.bindings.shares(new, argument)
                self.scope.once[new] = argument
            elif parameter in defaults and isinstance(defaults[parameter], n.AST):
                argument = defaults[parameter]
                if self.carries(argument):
                    start.add(new)
            elif parameter in defaults and (shown := literal(defaults[parameter])) is not None:
                argument = shown
                self.state.kinds[new] = self.known(argument)
                self.scope.once[new] = argument
            elif (read_now := self.lower.bindings.default_read(defaults.get(parameter), parameter, source.function, new)) is not None:
                argument = read_now
            else:
                what = f"a call of {called} without {parameter}"
                self.refused(node, what, "it has no simple default", "pass it")
                return None
            self.state.out.append(place(statement("$p = $a", p=new, a=argument), node))
        return start

    def stays(self, name: str) -> bool:
        """Whether a name certainly goes on standing for what it stands for here: functions do, and what is bound once, in no loop."""
        if name in {*self.state.functions, *self.state.partly, *self.state.instances} or callable(self.scope.resolve(expression(name))):
            return True
        return not self.state.loops and name not in self.state.often and name not in self.state.locals.values()

    def function_by_default(self, default: Any) -> n.expr | None:
        """A name for a default that is a function, of an inner function's the one that it has."""
        if isinstance(default, n.expr):
            known = isinstance(default, n.Name) and default.id in self.state.functions or callable(self.scope.resolve(default))
            return self.operand(default, always=True) if known else None
        if is_user_function(default):
            return self.lower.methods.standing(default)
        name = getattr(default, "__name__", "")
        if default is None or getattr(np, name, None) is not default:
            return None
        return self.operand(expression(f"$np.{name}", np=self.scope.imported("np", np)), always=True)
