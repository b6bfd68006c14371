"""Save a gradient as a module of its own: the few helpers that it calls are pasted above it, and nothing of sourcediff is imported."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import os
import re
from functools import cache
from itertools import count
from types import ModuleType
from typing import Any, NamedTuple

from .. import errors
from ..compiler.write import write
from ..dispatch.internal_errors import attempted
from ..errors import SourcediffError
from ..naming import one_line
from ..runtime import linked_calls
from ..syntax.function import name_of
from ..syntax.quote import names
from . import requirements
from .explain import abstract_in_words
from .requirements import equal_requirement, required


class Edit(NamedTuple):
    """A stretch of a text, in (line, column) of its start and end, and what stands there instead."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def save(unit: Any, path: Any) -> None:
    """Write the gradient of a compiled ``unit`` to ``path``, all of it or nothing.

    Raises OSError where the file cannot be written, SourcediffError for a helper that cannot leave the library.
    """
    text = attempted(unit.function, lambda: module_of(unit))
    target = os.fspath(path)
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def module_of(unit: Any) -> str:
    """The text of the module, of a compiled unit."""
    unit.importing = True
    write(unit)
    device = unit.request.library != "numpy"  # there the helpers are imported: they are made of the library that is at hand
    head, first, rest = (unit.text if device else demanding(unit)).partition('"""\n')
    text = f"{head}{first}{assumed(unit)}{rest}"
    return text if device else standalone(text, name_of(unit.function))


def assumed(unit: Any) -> str:
    """What the text takes for granted of its arguments, as comments: their kinds, and the lengths that must be equal."""
    if not unit.request.arguments:
        return ""
    lines = ["", "# Made for arguments of these kinds; lengths that are 0 or 1 stay so, others do not become 0 or 1:"]
    lines += [f"#   {name}: {abstract_in_words(value)}" for name, value in unit.request.arguments]
    pairs = [one_line(" = ".join(pair)) for pair in equal_lengths(unit)]
    lines += [f"# and these lengths equal: {', '.join(pairs)}"] if pairs else []
    return "\n".join(lines) + "\n"


def equal_lengths(unit: Any) -> list[tuple[str, ...]]:
    """The pairs of lengths that the text takes to be equal."""
    return sorted(tuple(sorted(map(str, pair))) for pair in unit.values.equal | unit.equal)


def demanding(unit: Any) -> str:
    """The text of a unit, with calls before all else that make sure of what it takes for granted of its arguments."""
    known = dict(unit.request.arguments)
    read = names(unit.derived.body)
    opened = {path: value for local, (path, value) in unit.opened.items() if local in read and path.split(".")[0] in known}
    tree = ast.parse(unit.text)
    taken = names_in_text(tree)
    stem = name_of(unit.function)
    each = free_name("entry", taken, stem)
    calls = [line for path, value in (known | opened).items() for line in required(path, value, each)]
    calls += [call for pair in equal_lengths(unit) if len(pair) == 2 and (call := equal_requirement(pair)) is not None]
    helpers = sorted({line.strip().partition("(")[0] for line in calls if line.strip().startswith("require_")})
    called = {helper: free_name(helper, taken, stem) for helper in helpers}
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lines = unit.text.split("\n")
    at = function.body[0].lineno - 1
    written = [re.sub(r"^( *)(require_\w+)", lambda found: f"    {found[1]}{called[found[2]]}", line) for line in calls]
    written = [line if "require_" in line else f"    {line}" for line in written]
    imports = [f"from {requirements.__name__} import {helper} as {name}" for helper, name in called.items()]
    return "\n".join([lines[0], *imports, *lines[1:at], *written, *lines[at:]])


def standalone(text: str, stem: str) -> str:
    """A generated module's text without its imports from sourcediff: the helpers stand in it, with an underscore before their names.

    No helper's name starts with ``stem``, so that what does is the gradient.
    """
    tree = ast.parse(text)
    wanted: dict[str, str] = {}  # helper → its module
    called: dict[str, str] = {}  # the name that it has in the text → helper
    imports: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sourcediff":
            wanted.update({alias.name: node.module or "" for alias in node.names})
            called.update({alias.asname or alias.name: alias.name for alias in node.names})
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(ast.unparse(node))
    helpers = closed(wanted)
    taken = names_in_text(tree) | {name for helper, module in helpers.items() for name in names_in_text(definitions(module)[helper])}
    renamed = {helper: other_name(helper, taken, stem) for helper in helpers}
    pasted = []
    for helper, module in sorted(helpers.items(), key=lambda item: (item[1], definitions(item[1])[item[0]].lineno)):
        own = dict(renamed)
        for name, statement in imported_by(helper, module).items():
            if statement not in imports and name in names_in_text(tree):  # the gradient means something else by it
                own[name] = renamed.setdefault(name, other_name(name, taken, stem))
                statement = f"{statement.partition(' as ')[0]} as {own[name]}"
            if statement not in imports:
                imports.append(statement)
        pasted.append(helper_definition(helper, module, own))
    return assembled(text, tree, imports, pasted, {name: renamed[helper] for name, helper in called.items()})


def assembled(text: str, tree: ast.Module, imports: list[str], pasted: list[str], renamed: dict[str, str]) -> str:
    """Head, imports, helpers, the gradient: one text."""
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    trailers = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    captured = trailers.get("CAPTURED")  # it, MUTATED and RESIZED are for the dispatcher alone
    head = [line for line in text.splitlines()[:first_line(function) - 1] if not line.startswith(("import ", "from "))]
    parts = ["\n".join(head).strip("\n")]
    if imports:
        parts.append("\n" + "\n".join(sorted(imports)))
    said = "" if captured is None else f"# {', '.join(ast.literal_eval(captured))}: what the function reads from outside is passed in\n"
    parts += [f"\n\n{part}" for part in [*pasted, said + edited(text, function, renaming(function, renamed))]]
    return "\n".join(parts) + "\n"


# Helpers


@cache
def definitions(module: str) -> dict[str, ast.stmt]:
    """The functions, classes and constants of a module of helpers, by name."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(module_source(module)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
    return found


@cache
def module_source(module: str) -> str:
    return inspect.getsource(importlib.import_module(module))


def home(helper: str, module: str) -> str:
    """The module in which a helper is written that another one hands on."""
    return str(getattr(getattr(importlib.import_module(module), helper, None), "__module__", module))


def closed(wanted: dict[str, str]) -> dict[str, str]:
    """The helpers, and those that they call in turn, each with its module. Refuses what cannot be pasted, by name."""
    found: dict[str, str] = {}
    pending = list(wanted.items())
    while pending:
        helper, module = pending.pop()
        if helper in found:
            continue
        module = home(helper, module)
        if module == linked_calls.__name__:
            raise SourcediffError(
                "the gradient calls a function that is not written into it, and cannot stand alone",
                why="its derivative is made by the library at each call: it calls itself, is a solver, or makes a spline",
                remedy="write the recursion as a loop, or use the gradient through grad",
            )
        if helper not in definitions(module):
            raise SourcediffError(f"{module}.{helper} cannot be pasted into a module of its own", remedy="use the gradient through grad")
        found[helper] = module
        namespace = vars(importlib.import_module(module))
        for name in read_by_helper(definitions(module)[helper]):
            value = namespace.get(name)
            if name in definitions(module):
                pending.append((name, module))
            elif inspect.isfunction(value) and value.__module__.startswith("sourcediff."):
                pending.append((name, value.__module__))
    return found


def read_by_helper(node: ast.stmt) -> set[str]:
    """The names that a definition reads from outside of it; annotations are not pasted and do not count."""
    if isinstance(node, ast.ClassDef):
        return set().union(*map(read_by_helper, node.body), *map(names_in_text, bare(node).bases))
    if not isinstance(node, ast.FunctionDef):
        return names_in_text(node)
    parts: list[ast.AST] = [*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list]
    local = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
    local |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return set().union(*map(names_in_text, parts)) - local


def bare(node: ast.ClassDef) -> ast.ClassDef:
    """A class without docstrings and without types."""
    made = copy.deepcopy(node)
    made.bases = [base.value if isinstance(base, ast.Subscript) else base for base in made.bases]
    for part in ast.walk(made):
        if isinstance(part, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(part) is not None:
            part.body = part.body[1:]
        if isinstance(part, ast.FunctionDef):
            part.returns = None
        if isinstance(part, ast.arg):
            part.annotation = None
    return made


def imported_by(helper: str, module: str) -> dict[str, str]:
    """The import statements of modules that a helper needs, by the name that each binds."""
    namespace = vars(importlib.import_module(module))
    used = {name: namespace.get(name) for name in sorted(read_by_helper(definitions(module)[helper]))}
    return {
        name: f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
        for name, value in used.items() if isinstance(value, ModuleType)
    }


def helper_definition(helper: str, module: str, renamed: dict[str, str]) -> str:
    """The text of a helper: no annotations, one line of docstring, names as ``renamed`` says, plain errors for the library's."""
    node = definitions(module)[helper]
    text = module_source(module)
    if isinstance(node, ast.ClassDef):
        text = ast.unparse(bare(node)).replace(f"class {helper}", f"class {renamed[helper]}", 1)
        (node,) = ast.parse(text).body
    renamed = {name: other for name, other in renamed.items() if name in read_by_helper(node) or name == helper}
    if not isinstance(node, ast.FunctionDef):
        return edited(text, node, renaming(node, renamed))
    plain = plain_errors(node)
    edits = [*renaming(node, renamed)]
    for part, kind in plain.items():
        edits.append(Edit(start(part), end(part), f"{kind}({ast.get_source_segment(text, part.args[0])})"))
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        summary = str(ast.get_docstring(node)).splitlines()[0]
        for part, kind in plain.items():
            summary = summary.replace(part.func.id, kind)
        edits.append(Edit(start(first), end(first), f'"""{summary}"""'))
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    signature = ast.unparse(node.args)
    edits = [edit for edit in edits if edit.start >= start(first)]
    edits.append(Edit(start(node), (first.lineno, 0), f"def {renamed[helper]}({signature}):\n"))
    return edited(text, node, edits)


def plain_errors(node: ast.AST) -> dict[Any, str]:
    """Each place where one of the library's errors is made, with the name of the built-in error that it is a kind of."""
    found = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            kind = getattr(errors, part.func.id, None)
            if isinstance(kind, type) and issubclass(kind, SourcediffError):
                found[part] = next((base.__name__ for base in (TypeError, ValueError) if issubclass(kind, base)), "RuntimeError")
    return found


# Texts and names


def other_name(name: str, taken: set[str], stem: str) -> str:
    """A private name for a helper that nothing else has; it is taken from now on."""
    candidates = (f"{before}{name}{number or ''}" for number in count() for before in ("_", "own_"))
    chosen = next(candidate for candidate in candidates if candidate not in taken and not candidate.startswith(stem))
    taken.add(chosen)
    return chosen


def free_name(name: str, taken: set[str], stem: str) -> str:
    """The name itself where nothing has it, else a private one; it is taken from now on."""
    if name in taken or name.startswith(stem):
        return other_name(name, taken, stem)
    taken.add(name)
    return name


def names_in_text(node: ast.AST) -> set[str]:
    """Every name that occurs in a tree, parameters and imports included."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    found |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    found |= {part.asname or part.name for part in ast.walk(node) if isinstance(part, ast.alias)}
    return found


def renaming(node: ast.AST, renamed: dict[str, str]) -> list[Edit]:
    """The edits that rename names in a tree."""
    return [
        Edit(start(part), end(part), renamed[part.id]) for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in renamed
    ]


def start(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def first_line(node: ast.stmt) -> int:
    """The line that a statement begins on, decorators included."""
    lines: list[int] = [node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))]
    return min(lines)


def edited(text: str, node: ast.stmt, edits: list[Edit]) -> str:
    """The lines of a statement, comments and all, with edits; one edit within another gives way to it."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]  # columns count bytes
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    raw = b"".join(lines)

    def place(at: tuple[int, int]) -> int:
        return offsets[at[0] - 1] + at[1]

    stop = offsets[(node.end_lineno or node.lineno) - 1] + len(lines[(node.end_lineno or node.lineno) - 1])
    done, at = b"", offsets[first_line(node) - 1]
    for edit in sorted(edits, key=lambda edit: (edit.start, [-number for number in edit.end])):
        if place(edit.start) < at:
            continue
        done += raw[at:place(edit.start)] + edit.text.encode()
        at = place(edit.end)
    return (done + raw[at:stop]).decode().rstrip("\n")
