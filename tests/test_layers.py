"""The layers of ``docs/how-it-works.md``: imports point downwards only."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import sourcediff

ROOT = Path(sourcediff.__file__).parent
LAYERS = (
    ("errors", "naming", "version"),
    ("on_cupy", "runtime"),
    ("syntax",),
    ("rules",),
    ("analysis", "eager"),
    ("core.facts", "core.form", "core.before_exit", "core.single_exit"),
    ("core.prepare", "core.tidy"),
    ("core.derive",),
    ("frontend", "interpret"),
    ("compiler", "backends"),
    ("dispatch",),
    ("__init__", "__main__", "api", "autograd", "checks", "distributed", "extend", "interop"),
)
"""The rooms of the house, from the ground up: a package, or a file of one that stands apart."""

LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
STRANGERS = {
    "eager": {"frontend", "interpret", "analysis", "core"}, "frontend": {"eager", "interpret"}, "interpret": {"eager", "frontend"},
    "core": {"eager"}, "analysis": {"eager"},
}
PARSERS = {"gast", "astor"}


def module_name(path: Path) -> str:
    """``sourcediff/syntax/nodes.py`` → ``syntax.nodes``; a package by its own name, the root ``__init__``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


FILES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


class Import(NamedTuple):
    """``target`` is absolute, a name in a module included; ``at_import``: not in a function, and not for types alone."""

    target: str
    line: int
    at_import: bool


@functools.cache
def imports(module: str, text: str) -> tuple[Import, ...]:
    """Every import statement of a module, wherever it stands."""
    is_package = module in FILES and FILES[module].name == "__init__.py"
    package = ["sourcediff", *(part for part in module.split(".") if part != "__init__")]
    package = package if is_package else package[:-1]

    def visit(node: ast.AST, at_import: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, at_import)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            for alias in node.names:
                yield Import(".".join([*base, *filter(None, [node.module]), alias.name]), node.lineno, at_import)
        in_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # in which no statement stands
                yield from visit(child, at_import and not in_function and not for_types)

    return tuple(visit(ast.parse(text), True))


def room(module: str) -> str:
    """``core.facts.values`` → ``core.facts``, ``eager.view`` → ``eager``: the longest beginning that has a layer; "" for none."""
    parts = module.split(".")
    return next((name for end in range(len(parts), 0, -1) if (name := ".".join(parts[:end])) in LAYER), "")


def module_of(target: str) -> str | None:
    """``sourcediff.syntax.nodes.Name`` → ``syntax.nodes``; None for what is not ours."""
    parts = target.split(".")
    if parts[0] != "sourcediff":
        return None
    prefixes = (".".join(parts[1:end]) for end in range(len(parts), 1, -1))
    return next((prefix for prefix in prefixes if prefix in FILES), "__init__")


def violations(module: str, text: str) -> list[str]:
    """What the imports of a module break, as sentences."""
    part, own = room(module), module.split(".")[0]
    found = []
    for target, line, _ in imports(module, text):
        where = f"{module}:{line} imports {target}"
        if target.split(".")[0] in PARSERS and own != "syntax":
            found.append(f"{where}: only syntax/ may")
        other = module_of(target)
        if other is not None and LAYER[room(other) or "__init__"] > LAYER[part]:
            found.append(f"{where}: {part} is below {room(other) or '__init__'}")
        if other is not None and other.split(".")[0] in STRANGERS.get(own, ()):
            found.append(f"{where}: these two never import one another")
    return found


def test_every_module_has_a_layer():
    unknown = {module for module in FILES if not room(module) and FILES[module].read_text(encoding="utf-8").count("\n") > 1}
    assert not unknown, "give these a place in LAYERS, and in docs/how-it-works.md"


def test_imports_point_downwards():
    assert not [sentence for module in filter(room, FILES) for sentence in violations(module, FILES[module].read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    ("module", "text", "broken"),
    [
        ("errors", "from .syntax import nodes", "errors is below syntax"),
        ("rules.products", "from ..api import gradients", "rules is below api"),
        ("rules.products", "import sourcediff", "rules is below __init__"),
        ("rules.products", "from sourcediff import grad", "rules is below __init__"),
        ("rules.products", "def f():\n    from ..dispatch import cache", "rules is below dispatch"),
        ("core.facts.values", "from ..derive import reverse", "core.facts is below core.derive"),
        ("eager.engine.graph", "from ...core.tidy import dead_code", "never import one another"),
        ("analysis.scope", "if True:\n    import sourcediff.eager", "never import one another"),
        ("core.derive.reverse", "import gast as g", "only syntax/ may"),
        ("core.derive.reverse", "def f():\n    from astor.code_gen import SourceGenerator", "only syntax/ may"),
    ],
)
def test_the_check_sees_a_broken_layer(module, text, broken):
    assert any(broken in sentence for sentence in violations(module, text))


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("rules.products", "from ..syntax import nodes as n\nfrom sourcediff import runtime\nimport numpy as np"),
        ("syntax.text", "import gast\nfrom astor.code_gen import SourceGenerator"),
        ("compiler.pipeline", "from ..syntax.quote import names"),
    ],
)
def test_the_check_lets_a_kept_layer_pass(module, text):
    assert violations(module, text) == []


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Some cycle of a graph, empty if there is none."""
    done: set[str] = set()

    def search(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node):], node]
        if node in done:
            return []
        for neighbour in sorted(graph.get(node, ())):
            if found := search(neighbour, [*path, node]):
                return found
        done.add(node)
        return []

    return next((found for node in graph if (found := search(node, []))), [])


def test_no_module_imports_itself_in_a_circle():
    graph: dict[str, set[str]] = {}
    for module, path in FILES.items():
        targets = [found.target for found in imports(module, path.read_text(encoding="utf-8")) if found.at_import]
        graph[module] = {own for target in targets if (own := module_of(target)) not in (None, module)}
    assert cycle(graph) == []


def test_the_search_for_circles_finds_one():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_module_is_named_like_one_of_the_standard_library():
    names = {part for module in FILES for part in module.split(".")} - {"__init__", "__main__"}
    assert not names & (set(sys.stdlib_module_names) | {"utils"})


def test_importing_the_package_is_light():
    heavy = ["gast", "astor", "scipy", "numba", "cupy", "cloudpickle", "dask", "joblib", "torch", "jax", "pytensor"]
    program = f"import sys, sourcediff; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert run.stdout.strip() == "[]"


def test_the_version_is_said_once():
    assert sourcediff.__version__.count(".") == 2
    assert not re.search(r"^version\b", (ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
