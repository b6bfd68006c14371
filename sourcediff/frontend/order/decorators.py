"""Write decorators of inner functions as calls: ``@d`` above a definition is ``f = d(f)`` below it.

>>> from sourcediff.analysis.scope import Scope
>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import to_source
>>> scope = Scope()
>>> scope.taken.add("cube")
>>> body = undecorated(statements('''
... @twice
... @scaled(k)
... def cube(t):
...     return t ** 3
... '''), scope)
>>> print("\\n".join(map(to_source, body)))
def cube1(t):
    return t ** 3
cube = twice(scaled(k)(cube1))
"""

from __future__ import annotations

import functools

from ...analysis.scope import Scope
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, place, statement

Block = list[n.stmt]


def undecorated(body: Block, scope: Scope) -> Block:
    """The statements of a body, those within them too, with calls for decorators; ``functools.wraps`` changes no result."""
    done: Block = []
    for node in body:
        blocks = {name: undecorated(block, scope) for name in n.BLOCKS if isinstance(block := getattr(node, name, None), list)}
        if not isinstance(node, n.FunctionDef):
            done.append(altered(node, **blocks) if blocks else node)
            continue
        decorators = [each for each in node.decorator_list
                      if not isinstance(each, n.Call) or scope.resolve(each.func) is not functools.wraps]
        name = scope.fresh(node.name) if decorators else node.name
        done.append(altered(node, **blocks, name=name, decorator_list=[]))
        if decorators:
            value: n.expr = expression(name)
            for decorator in reversed(decorators):
                partly = isinstance(decorator, n.Call) and scope.resolve(decorator.func) is functools.partial
                func, given, keywords = (decorator.args[0], decorator.args[1:], decorator.keywords) if partly else (decorator, [], [])
                value = place(n.Call(func=func, args=[*given, value], keywords=keywords), decorator)
            done.append(place(statement("$f = $v", f=node.name, v=value), node))
    return done
