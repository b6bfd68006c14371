"""``match`` as ``if`` and ``elif``: what a pattern asks becomes a condition, what it captures assignments.

>>> from sourcediff.syntax.text import to_source
>>> import gast
>>> print(to_source(unmatched(gast.parse('''
... def f(shape):
...     match shape:
...         case ("circle", r):
...             return r ** 2
...         case None:
...             return 0.0
... ''').body[0])).strip())
def f(shape):
    if isinstance(shape, (list, tuple)) and len(shape) == 2 and shape[0] == 'circle':
        r = shape[1]
        return r ** 2
    elif shape is None:
        return 0.0
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any, NamedTuple

from . import nodes as n
from .container_methods import mutating
from .quote import clone, expression, place, statement

WRITTEN = frozenset({"isinstance", "len", "list", "tuple", "dict"})
"""The builtins that conditions are written with."""

ITSELF = frozenset({"bool", "bytes", "dict", "float", "int", "list", "str", "tuple"})
"""Classes of which ``case float(x)`` captures the object itself."""


class PatternTest(NamedTuple):
    """What a pattern asks of an object, all of it to be true, and what it captures, by name."""

    tests: list[n.expr]
    captures: dict[str, n.expr]


class Unread(Exception):
    """A pattern that conditions are not written for."""


def unmatched(tree: n.FunctionDef) -> n.FunctionDef:
    """The function without ``match``, as far as its patterns are read; a statement whose patterns are not stays as it is."""
    parts = list(n.walk(tree))
    if not any(isinstance(part, n.Match) for part in parts):
        return tree
    bound = {part.id for part in parts if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)}
    return tree if bound & WRITTEN else Spelling(tree).visit(tree)


class Spelling(n.NodeTransformer):
    """Writes each ``match`` of a function as a chain of branches."""

    def __init__(self, tree: n.FunctionDef):
        self.taken = {part.id for part in n.walk(tree) if isinstance(part, n.Name)}
        self.reads = reads_subject(tree)

    def visit_Match(self, node: Any) -> Any:
        """The chain, after the subject was given a name."""
        self.generic_visit(node)
        bound = {part.name for part in n.walk(node) if isinstance(part, (n.MatchAs, n.MatchStar))}
        given = isinstance(node.subject, n.Name) and node.subject.id not in bound
        new = (f"subject{number or ''}" for number in count())
        name = node.subject.id if given else next(name for name in new if name not in self.taken)
        if any(case.guard is not None and changes_names(case.guard) for case in node.cases):
            return node
        try:
            asked = [tests_of(case.pattern, expression(name)) for case in node.cases]
        except Unread:
            return node
        if self.read_after_refusal(node.cases, asked):
            return node
        self.taken.add(name)
        chain: list[n.stmt] = []
        for case, (tests, captures) in reversed(list(zip(node.cases, asked))):
            tests += [] if case.guard is None else [clone(case.guard, dict(captures))]
            bindings = [place(statement("$x = $v", x=capture, v=value), case.pattern) for capture, value in captures.items()]
            body = [*bindings, *case.body]
            if tests:
                test = tests[0] if len(tests) == 1 else n.BoolOp(op=n.And(), values=tests)
                chain = [place(n.If(test=test, body=body, orelse=chain), case.pattern)]
            else:
                chain = body
        return chain if given else [place(statement("$s = $v", s=name, v=node.subject), node), *chain]

    def read_after_refusal(self, cases: list[Any], asked: list[PatternTest]) -> bool:
        """Whether anybody reads what was captured where a guard then refused it: it is bound all the same."""
        own: Counter[str] = Counter()
        for case, (_, captures) in zip(cases, asked):
            within = reads_subject(n.Module(body=case.body, type_ignores=[]))
            within += Counter() if case.guard is None else reads_subject(case.guard)
            own.update({name: within[name] for name in captures})
        guarded = [captures for case, (_, captures) in zip(cases, asked) if case.guard is not None]
        return any(self.reads[name] != own[name] for captures in guarded for name in captures)


def tests_of(pattern: Any, subject: n.expr) -> PatternTest:
    """What a pattern asks of a subject, and captures of it."""
    if isinstance(pattern, n.MatchValue):
        return PatternTest([expression("$s == $v", s=subject, v=pattern.value)], {})
    if isinstance(pattern, n.MatchSingleton):
        return PatternTest([expression("$s is $v", s=subject, v=n.Constant(value=pattern.value, kind=None))], {})
    if isinstance(pattern, n.MatchAs):
        tests, captures = PatternTest([], {}) if pattern.pattern is None else tests_of(pattern.pattern, subject)
        return PatternTest(tests, captures if pattern.name is None else {**captures, pattern.name: subject})
    if isinstance(pattern, n.MatchOr):
        return any_of([tests_of(part, subject) for part in pattern.patterns])
    if isinstance(pattern, n.MatchSequence):
        return items_of_pattern(pattern.patterns, subject)
    if isinstance(pattern, n.MatchMapping) and pattern.rest is None:
        found = PatternTest([expression("isinstance($s, dict)", s=subject)], {})
        found.tests.extend(expression("$k in $s", k=key, s=subject) for key in pattern.keys)
        return all_of(found, [(part, expression("$s[$k]", s=subject, k=key)) for key, part in zip(pattern.keys, pattern.patterns)])
    if isinstance(pattern, n.MatchClass):
        found = PatternTest([expression("isinstance($s, $c)", s=subject, c=pattern.cls)], {})
        itself = isinstance(pattern.cls, n.Name) and pattern.cls.id in ITSELF and len(pattern.patterns) == 1
        if pattern.patterns and not itself:
            raise Unread
        inner = [(part, subject) for part in pattern.patterns]
        inner += [(part, expression(f"$s.{name}", s=subject)) for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns)]
        return all_of(found, inner)
    raise Unread


def all_of(found: PatternTest, inner: list[tuple[Any, n.expr]]) -> PatternTest:
    """What is asked already, and what patterns within ask of the parts."""
    for pattern, part in inner:
        tests, captures = tests_of(pattern, part)
        found.tests.extend(tests)
        found.captures.update(captures)
    return found


def any_of(alternatives: list[PatternTest]) -> PatternTest:
    """What ``one | other`` asks; captures would depend on which one it is."""
    if any(captures for _, captures in alternatives):
        raise Unread
    if not all(tests for tests, _ in alternatives):
        return PatternTest([], {})
    values = [tests[0] if len(tests) == 1 else n.BoolOp(op=n.And(), values=tests) for tests, _ in alternatives]
    return PatternTest([n.BoolOp(op=n.Or(), values=values)], {})


def items_of_pattern(patterns: list[Any], subject: n.expr) -> PatternTest:
    """What ``(first, *rest)`` asks: so many items, each as its pattern wants it."""
    star = next((position for position, part in enumerate(patterns) if isinstance(part, n.MatchStar)), None)
    length, compared = (len(patterns), "==") if star is None else (len(patterns) - 1, ">=")
    found = PatternTest([expression("isinstance($s, (list, tuple))", s=subject), expression(f"len($s) {compared} {length}", s=subject)], {})
    inner = [(part, expression(f"$s[{position if star is None or position < star else position - len(patterns)}]", s=subject))
             for position, part in enumerate(patterns) if position != star]
    if star is not None and patterns[star].name is not None:
        end = star - length
        found.captures[patterns[star].name] = expression(f"list($s[{star}:{end or ''}])", s=subject)
    return all_of(found, inner)


def changes_names(node: n.AST) -> bool:
    """Whether an expression binds a name, or calls a method that changes a container: what is captured is so before it."""
    methods = {part.func.attr for part in n.walk(node) if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)}
    return bool(methods & mutating()) or any(isinstance(part, n.NamedExpr) for part in n.walk(node))


def reads_subject(node: n.AST) -> Counter[str]:
    """How often each name is read in a tree."""
    return Counter(part.id for part in n.walk(node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Load))

