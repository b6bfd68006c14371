"""Bring the generated parts of README.md and docs/ up to date: ``python docs/update.py``.

A part stands between ``<!-- made: NAME -->`` and ``<!-- end -->``; what belongs there is made by the function of that name in
:data:`PARTS`. Nothing else of a document is touched. The tests hold the documents to this.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for a run as a script

import sourcediff  # noqa: E402
from tests.standin import installed  # noqa: E402

DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_PART = re.compile(r"(?P<start><!-- made: (?P<name>[\w-]+) -->\n)(?P<text>.*?)(?P<end><!-- end -->)", re.DOTALL)


def code(text: str) -> str:
    """A fenced block of Python that depends on no machine: paths in it count from the root of the project."""
    text = text.replace(f"{ROOT}/", "").strip("\n")
    return f"```python\n{text}\n```"


def load(path: str) -> ModuleType:
    """A program of the project as a module."""
    spec = spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    sys.modules.setdefault(spec.name, module)  # a dataclass looks there
    spec.loader.exec_module(module)
    return module


def function() -> str:
    return code(inspect.getsource(load("examples/tour.py").heat))


def gradient() -> str:
    return code(sourcediff.gradient_source(load("examples/tour.py").heat, args=(np.ones(9), 0.25, 3)))


def on_device() -> str:
    """A function, and its gradient on a device without branches: the stand-in tells what CuPy has."""
    plate = load("docs/on_device.py").plate
    with installed() as cupy:
        text = sourcediff.gradient_source(plate, args=(cupy.ones((5, 5)), 3))
    return f"{code(inspect.getsource(plate))}\n\n{code(text)}"


def waiting() -> str:
    """A function with a branch, and its gradient on a device."""
    shrunk = load("docs/on_device.py").shrunk
    with installed() as cupy:
        text = sourcediff.gradient_source(shrunk, args=(cupy.ones(3), 1.0))
    return f"{code(inspect.getsource(shrunk))}\n\n{code(text)}"


def stages() -> str:
    """``explain`` taken apart at its headings: a title, what the stage does, and the text after it (or that it is as before)."""
    from sourcediff.api.explain import UNCHANGED
    from sourcediff.compiler.pipeline import program_passes

    waves = load("docs/waves.py").waves
    names = "|".join(each.name for each in program_passes())
    parts = re.split(rf"^# -- \w+/({names}): .*\n", sourcediff.explain(waves, args=(np.ones(9), 0.2, 3)), flags=re.MULTILINE)
    texts = dict(zip(parts[1::2], parts[2::2]))
    shown = []
    for number, each in enumerate(program_passes(), 1):
        text = texts[each.name].strip()
        shown += [f"### {number}. {each.phase}/{each.name}", inspect.getdoc(each.run) or "", text[2:] if text == UNCHANGED else code(text)]
    return "\n\n".join(shown)


def forward() -> str:
    waves = load("docs/waves.py").waves
    return code(sourcediff.gradient_source(waves, args=(np.ones(9), 0.2, 3), mode="forward"))


def refused() -> str:
    from sourcediff.frontend.read.unsupported import REFUSED

    names = dict.fromkeys(what for what, _, _ in REFUSED.values())
    return ", ".join(names) + "."


def refusals() -> str:
    """A row for each program of ``docs/refused.py``, as the library refuses it: what, the line, why, the remedy, what runs eagerly."""
    rows = ["| refused | for example | why | write instead | the eager engine runs |", "|---|---|---|---|---|"]
    for refusal, place, eagerly in refused_programs():
        what = place.problem.removesuffix(" is not taken by the compiler") if place.why else refusal.problem
        line = place.text.partition("  # noqa")[0].strip()
        rows.append(row(what, f"`{line}`", place.why or refusal.why, place.remedy or refusal.remedy, eagerly))
    return "\n".join(rows)


def refused_shortly() -> str:
    """What the compiler refuses of a function's source, and what to write instead."""
    from sourcediff.errors import UnsupportedSyntaxError

    found = {place.problem.removesuffix(" is not taken by the compiler"): place.remedy for error, place, _ in refused_programs()
             if isinstance(error, UnsupportedSyntaxError) and place.why}
    return "\n".join(["| refused | write instead |", "|---|---|", *(row(what, remedy) for what, remedy in found.items())])


@functools.cache
def refused_programs() -> list[tuple[Any, Any, str]]:
    """The refusal of each program of ``docs/refused.py``, its first place, and what runs on the eager engine in mode ``"auto"``."""
    found = []
    for program, args in load("docs/refused.py").CASES.items():
        try:
            sourcediff.grad(program, mode="compiled")(*copy.deepcopy(args))
        except sourcediff.SourcediffError as error:
            found.append((error, error.places[0], run_eagerly(program, args)))
            continue
        raise ValueError(f"{program.__name__} is compiled: it is no example of a refusal any more")
    return found


def run_eagerly(program: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What runs on the eager engine in mode ``"auto"``, as the warning says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            sourcediff.grad(program)(*copy.deepcopy(args))
        except sourcediff.SourcediffError:
            return "nothing: it refuses, too"
    return "this statement" if str(caught[0].message).startswith("a part of") else "the function"


def cost() -> str:
    from sourcediff.dispatch.fallback import RANGE

    return f"{RANGE[0].upper()}{RANGE[1:]}."


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"


def ratios() -> str:
    from benchmarks import report

    return report.summary(report.load()[1])


def table() -> str:
    from benchmarks import report

    facts, rows = report.load()
    return "\n\n".join(filter(None, [report.said(facts), report.markdown(rows), report.notes(rows)]))


def files(room: str) -> str:
    """The files of a room, ``files-frontend-order``, and what the first line of each says."""
    folder = ROOT / "sourcediff" / room.removeprefix("files-").replace("-", "/")
    said = {path.name: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in sorted(folder.glob("[a-z]*.py"))}
    return "\n".join(["| file | |", "|---|---|", *(f"| `{name}` | {first_sentence(text)} |" for name, text in said.items())])


def first_sentence(text: str) -> str:
    """What a docstring says at its beginning, on one line of a table."""
    return " ".join(text.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")


def versions() -> str:
    """What the installed packages are: of others the table of functions is another one."""
    import scipy

    return f"NumPy {'.'.join(np.__version__.split('.')[:2])} and SciPy {'.'.join(scipy.__version__.split('.')[:2])}"


def coverage() -> str:
    """A table for each package: the functions that have a derivative, those in one row of which the same is said."""
    found = [f"As of {versions()}: {lines_of_rules()}"]
    for package, functions in by_package(each for each in functions_known() if each.kind not in (None, "constant")).items():
        rows: dict[tuple[str, ...], list[str]] = {}
        for each in functions:
            rows.setdefault(said_of(each), []).append(each.name.rpartition(".")[2])
        tables = [row(", ".join(f"`{name}`" for name in names), *said) for said, names in rows.items()]
        found += [f"## {package}", "\n".join(["| function | kind | derivative in | complex | lines |", "|---|---|---|---|---|", *tables])]
    return "\n\n".join(found)


def said_of(support: sourcediff.api.supported.Support) -> tuple[str, ...]:
    """The cells of a function's row after its name."""
    places = support.differentiable if support.kind not in ("composite", "functional") else ("what it takes",)
    if support.kind == "record":
        places = tuple(name for name in support.methods if not name.startswith("_")) or ("its calls and operators",)
    note = f"{support.kind}, {support.note}" if support.note else support.kind or ""
    takes = {True: "yes", False: "", None: "as its parts"}[support.complex]
    lines = "" if support.kind == "record" or not support.lines else str(support.lines)
    return note, ", ".join(places), takes, lines


def by_package(functions: Iterable[sourcediff.api.supported.Support]) -> dict[str, list[sourcediff.api.supported.Support]]:
    """Functions by the package that they are public in."""
    found: dict[str, list[sourcediff.api.supported.Support]] = {}
    for each in functions:
        found.setdefault(each.name.rpartition(".")[0] or "builtins", []).append(each)
    return found


def lines_of_rules() -> str:
    """How long rules are: what is written of them, each formula once."""
    from sourcediff.api.supported import lines_of
    from sourcediff.rules.frames import RULES
    from sourcediff.rules.library_functions import COMPOSITES, FUNCTIONALS

    functions = functions_known()  # which loads all rules
    rules = [rule for rule in RULES.values() if str(getattr(rule.formula, "__module__", "")).startswith("sourcediff.rules")]
    formulas = {part.__code__: part for rule in rules for part in rule.formulas if part is not None}
    plain = {part for function, part in COMPOSITES.items() if function not in FUNCTIONALS and inspect.isfunction(part)
             and part.__module__.startswith("sourcediff.rules")}
    count = sum(map(lines_of, formulas.values()))
    files = {inspect.getfile(inspect.unwrap(part)) for part in formulas.values()} | {part.__code__.co_filename for part in plain}
    code_lines = sum(bool(line.strip()) and not line.strip().startswith(("#", "import", "from"))
                     for file in files if Path(file).is_file() for line in Path(file).read_text(encoding="utf-8").splitlines())
    known = sum(each.kind is not None for each in functions)
    return (
        f"{known} of {len(functions)} public functions and classes. {len(rules)} functions have a formula, {count / len(rules):.1f} "
        f"lines for each of them in both modes together; what is said by others has {sum(map(lines_of, plain)) / len(plain):.1f}. "
        f"By whole files, without comments and imports, that is {code_lines / (len(rules) + len(plain)):.1f} lines for each function "
        "said; the files of HIPS autograd 1.9.1 (`numpy_vjps.py`, `numpy_jvps.py`, `linalg.py`, `fft.py`, `scipy/`) have 9.4 for each "
        "that they name."
    )


@functools.cache
def functions_known() -> list[sourcediff.api.supported.Support]:
    """The table of all public functions."""
    return sourcediff.supported()


def uncovered() -> str:
    """The functions without a derivative, by reason and package, and those of which it is zero."""
    table = functions_known()
    groups: dict[str, list[Any]] = {"the derivative is zero wherever there is one": [each for each in table if each.kind == "constant"]}
    for each in table:
        if each.kind is None:
            groups.setdefault(each.note, []).append(each)
    found = []
    for reason, functions in groups.items():
        lists = [f"- {package}: {', '.join(f'`{each.name.rpartition(chr(46))[2]}`' for each in group)}"
                 for package, group in by_package(functions).items()]
        found += [f"### {reason[0].upper()}{reason[1:]} ({len(functions)})", "\n".join(lists)]
    return "\n\n".join(found)


def api(owner: Any = sourcediff, spelled: str = "sourcediff") -> str:
    """Of every public name its signature, what its docstring says first, and an example of it."""
    found, errors = [], ["| | |", "|---|---|"]
    for name in sorted(owner.__all__, key=str.lower):
        value = getattr(owner, name)
        said = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split()).replace("``", "`").rstrip(":;")
        said = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", said)
        if isinstance(value, type) and issubclass(value, (Exception, Warning)):
            errors.append(row(f"`{name}`", said))
        elif not isinstance(value, str):
            head = [f"```text\n{head_of(name, value)}\n```"] if callable(value) else []
            found += [f"### `{spelled}.{name}`", *head, said, *example_of(value)]
    return "\n\n".join([*found, *(["### Errors and warnings", "\n".join(errors)] if errors[2:] else [])])


def head_of(name: str, value: Any) -> str:
    """The head of a function, or of a class, with a line for each parameter if it is long."""
    text = str(inspect.signature(value))
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace("Callable[..., Any]", "Callable").replace("-> None", "")
    short = f"{name}{text}".strip()
    if len(short) < 120:
        return short
    inner, _, result = short.removeprefix(f"{name}(").rpartition(")")
    lines, depth = [""], 0
    for letter in inner:
        depth += (letter in "[(") - (letter in "])")
        lines[-1] += letter
        if letter == "," and not depth:
            lines.append("")
    return "\n".join([f"{name}(", *(f"    {line.strip()}" for line in lines), f"){result}"])


def example_of(value: Any) -> list[str]:
    """The first example of a docstring, with the lines that it stands on."""
    found = re.search(r"^( *)>>> .*?(?=\n\s*\n|\Z)", inspect.getdoc(value) or "", re.DOTALL | re.MULTILINE)
    return [f"```python\n{found[0]}\n\n```"] if found else []


def api_of_extend() -> str:
    return api(sourcediff.extend, "sourcediff.extend")


PARTS: dict[str, Callable[[], str]] = {made.__name__: made for made in (
    function, gradient, on_device, waiting, stages, forward, refused, refusals, refused_shortly, cost, ratios, table,
    coverage, uncovered, api, api_of_extend,
)}


def made(name: str) -> str:
    """The part of a name."""
    return files(name) if name.startswith("files-") else PARTS[name]()


def updated(text: str) -> str:
    """The document with every made part made anew. Raises KeyError for a part that nobody makes."""
    return _PART.sub(lambda part: f"{part['start']}{made(part['name'])}\n{part['end']}", text)


def main() -> None:
    for path in DOCUMENTS:
        before = path.read_text(encoding="utf-8")
        after = updated(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'as it was' if after == before else 'updated'}")


if __name__ == "__main__":
    main()
