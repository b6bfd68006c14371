"""Refuse what the compiler does not take, all places at once. The only pass that changes nothing."""

from __future__ import annotations

from ..errors import Place, UnsupportedSyntaxError
from ..syntax import nodes as n
from ..syntax.source import Source

# node class → (what it is, why it is refused, what to write instead)
REFUSED: dict[str, tuple[str, str, str]] = {
    "AsyncFunctionDef": ("an async function", "its statements do not run in order", "write a plain function"),
    "AsyncFor": ("async for", "its statements do not run in order", "use a plain for loop"),
    "AsyncWith": ("async with", "its statements do not run in order", "write a plain function"),
    "Await": ("await", "other code runs in between", "write a plain function"),
    "Yield": ("yield", "a generator is resumed from outside, so its reverse sweep has no fixed order", "return the values"),
    "YieldFrom": ("yield from", "a generator is resumed from outside", "return the values"),
    "Lambda": ("a lambda", "functions made at run time are not followed", "define a function at module level"),
    "FunctionDef": ("a nested function", "functions made at run time are not followed", "define it at module level and pass what it needs"),
    "ClassDef": ("a class definition", "classes made at run time are not followed", "define it at module level"),
    "Try": ("try", "which statement was left by an exception is not recorded", "test the condition with if"),
    "TryStar": ("try", "which statement was left by an exception is not recorded", "test the condition with if"),
    "With": ("with", "what its context manager does is not known", "do it around the call of the gradient"),
    "Match": ("match", "its patterns bind names", "use if and elif"),
    "Raise": ("raise", "the compiler does not follow exceptions yet", "use assert"),
    "Delete": ("del", "it unbinds a name that the reverse sweep may read", "leave it out"),
    "Global": ("global", "a gradient must not change module state", "pass the value as an argument and return it"),
    "Nonlocal": ("nonlocal", "a gradient must not change outer state", "pass the value as an argument and return it"),
    "Import": ("import inside the function", "names must mean the same at every call", "import at the top of the module"),
    "ImportFrom": ("import inside the function", "names must mean the same at every call", "import at the top of the module"),
    "Break": ("break", "leaving a loop early is not recorded yet", "put the condition into a while, or mask with if"),
    "Continue": ("continue", "skipping the rest of a trip is not recorded yet", "put the rest of the body under an if"),
    "ListComp": ("a comprehension", "it is a loop inside an expression", "write the loop, storing into np.zeros(n)"),
    "SetComp": ("a comprehension", "it is a loop inside an expression", "write the loop"),
    "DictComp": ("a comprehension", "it is a loop inside an expression", "write the loop"),
    "GeneratorExp": ("a generator expression", "it is a loop inside an expression", "write the loop, adding up in a variable"),
    "NamedExpr": ("the walrus :=", "it binds a name inside an expression", "assign on a line of its own"),
    "Starred": ("a starred expression", "how many values it stands for is not known", "name each value"),
    "Set": ("a set", "its order is not defined", "use a list or a tuple"),
}


def refuse(source: Source) -> Source:
    """Raise UnsupportedSyntaxError listing every construct that is outside the compiler's language.

    Before and after are the same tree; a refusal looks like this::

        heat.py:7: break is not taken by the compiler
            break
            ^
          why: leaving a loop early is not recorded yet
          instead: put the condition into a while, or mask with if
    """
    places = places_of(source)
    if places:
        name = source.function.__qualname__
        raise UnsupportedSyntaxError(f"{name} cannot be compiled: {len(places)} place(s)", places=places)
    return source


def places_of(source: Source) -> list[Place]:
    """Every place of a function that is refused, in reading order."""
    return sorted(_places(source), key=lambda place: (place.line, place.column or 0))


def _places(source: Source) -> list[Place]:
    found: list[Place] = []
    tree = source.tree

    def refused(node: n.AST, what: str, why: str, remedy: str) -> None:
        found.append(source.place(node, f"{what} is not taken by the compiler", why, remedy))

    def visit(node: n.AST, in_loop: bool, last: bool) -> None:
        name = type(node).__name__
        if name in REFUSED and node is not tree:
            refused(node, *REFUSED[name])
            if name in ("FunctionDef", "ClassDef", "Lambda"):
                return
        if name == "Return" and in_loop:
            refused(node, "return inside a loop", "leaving a loop early is not recorded yet", "set a variable and return it after the loop")
        if isinstance(node, (n.For, n.While)) and node.orelse:
            refused(node.orelse[0], "else on a loop", "it depends on break", "put it after the loop")
        for target in _targets(node):
            for part in n.walk(target):
                if isinstance(part, n.Attribute) and isinstance(part.ctx, n.Store):
                    refused(part, "storing to an attribute", "objects with state are not followed yet", "use local variables and return the result")
        loop = in_loop or isinstance(node, (n.For, n.While))
        for child in n.iter_child_nodes(node):
            visit(child, loop, False)

    if type(tree).__name__ == "AsyncFunctionDef":
        refused(tree, *REFUSED["AsyncFunctionDef"])
    if tree.args.vararg or tree.args.kwarg:
        refused(tree, "*args or **kwargs", "what they hold is not known before the call", "name each parameter")
    for statement in tree.body:
        visit(statement, False, True)
    return found


def _targets(node: n.AST) -> list[n.AST]:
    if isinstance(node, n.Assign):
        return list(node.targets)
    if isinstance(node, (n.AugAssign, n.AnnAssign, n.For)):
        return [node.target]
    return []
