"""Whether two codes do the same, wherever they stand: the text that is read of a function is to be the one that it was compiled from."""

from __future__ import annotations

import ast
import dis
import types
from bisect import bisect_left
from collections.abc import Collection
from typing import Any, NamedTuple

JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
CALLS = {"LOAD_METHOD": "LOAD_ATTR", "CALL_METHOD": "CALL", "CALL_FUNCTION": "CALL"}
SILENT = ("PUSH_NULL", "PRECALL", "CACHE", "RESUME", "COPY_FREE_VARS", "EXTENDED_ARG", "NOP")
"""Instructions that do nothing of their own. (A call through an imported module is made in another way.)"""


class CodeStep(NamedTuple):
    """An instruction: its name, what it is applied to (of a jump, how many steps there are up to where it goes), and where it stands."""

    name: str
    value: Any
    place: tuple[int, int | None]


def same_code(one: types.CodeType, other: types.CodeType, asserts: Collection[int] = ()) -> bool:
    """Whether two codes do the same; of what stands on the lines of ``asserts``, counted from the first line, nothing is asked.

    >>> loop = compile("for i in x:\\n    a(i)\\n    b(i)", "", "exec")
    >>> same_code(loop, compile("\\n\\nfor i in x:\\n    a(i)\\n    b(i)", "", "exec"))
    True
    >>> same_code(loop, compile("for i in x:\\n    a(i)\\nb(i)", "", "exec"))
    False
    """
    if [step[:2] for step in steps(one, asserts)] == [step[:2] for step in steps(other, asserts)]:
        return guarded_instructions(one, asserts) == guarded_instructions(other, asserts)
    if not asserts:
        return False
    mine, theirs = ([step for step in steps(code, asserts) if counts(step)] for code in (one, other))
    return mine == theirs


def steps(code: types.CodeType, asserts: Collection[int]) -> list[CodeStep]:
    """What a code does, step by step, whatever its place."""
    found: list[CodeStep] = []
    offsets, lines = numbered_constants(code, asserts), lines_of(code)
    kept = set(offsets)
    for instruction in dis.get_instructions(code):
        if instruction.offset not in kept:
            continue
        name, value = instruction.opname, instruction.argval
        if instruction.opcode in JUMPS:
            value = bisect_left(offsets, value)
        elif isinstance(value, types.CodeType):
            below = value.co_firstlineno - code.co_firstlineno
            value = [step[:2] for step in steps(value, frozenset(line - below for line in asserts))]
        elif isinstance(value, str) and ".<locals>." in value:  # 3.10 loads the full name of a function within
            value = value.rpartition(".")[2]
        found.append(CodeStep(CALLS.get(name, name), repr(value), (lines[instruction.offset], column_of(instruction))))
    return found


def numbered_constants(code: types.CodeType, asserts: Collection[int]) -> list[int]:
    """The offsets of the instructions that count as steps, in order."""
    lines = lines_of(code)
    return [instruction.offset for instruction in dis.get_instructions(code)
            if instruction.opname not in SILENT and lines[instruction.offset] not in asserts]


def lines_of(code: types.CodeType) -> dict[int, int]:
    """The line of each instruction, counted from the first one; what has none counts to the one before."""
    found: dict[int, int] = {}
    line = code.co_firstlineno
    spans = [(end, where) for _, end, where in code.co_lines()]
    position = 0
    for instruction in dis.get_instructions(code):
        while instruction.offset >= spans[position][0]:
            position += 1
        line = spans[position][1] or line
        found[instruction.offset] = line - code.co_firstlineno
    return found


def column_of(instruction: dis.Instruction) -> int | None:
    """The column of an instruction; None before 3.11, and of what the compiler of Python adds."""
    place = getattr(instruction, "positions", None)
    return place.col_offset if place is not None else None


def guarded_instructions(code: types.CodeType, asserts: Collection[int]) -> list[tuple[int, ...]]:
    """What is done on an exception, from 3.11 on a table beside the instructions: which steps are guarded, and where it goes on."""
    entries = getattr(dis.Bytecode(code), "exception_entries", ()) if not asserts else ()
    offsets = numbered_constants(code, asserts) if entries else []
    return [(*(bisect_left(offsets, offset) for offset in (entry.start, entry.end, entry.target)), entry.depth) for entry in entries]


def counts(step: CodeStep) -> bool:
    """Whether a step is one of those that no rewriting of asserts takes away."""
    return step.name.startswith(("BINARY_", "INPLACE_", "UNARY_", "COMPARE_", "STORE_SUBSCR", "LOAD_CONST", "LOAD_ATTR", "STORE_FAST"))


def rewritten(code: types.CodeType) -> bool:
    """Whether pytest has written the asserts of a function anew, or of one in it: what it calls then has names that nobody can write."""
    return any(name.startswith("@py") for name in (*code.co_names, *code.co_varnames)) or any(
        isinstance(value, types.CodeType) and rewritten(value) for value in code.co_consts)


def asserted(tree: ast.AST) -> frozenset[int]:
    """The lines of the asserts of a definition and of those in it, counted from its first one."""
    first = min([tree.lineno, *(decorator.lineno for decorator in getattr(tree, "decorator_list", ()))])  # type: ignore[attr-defined]
    return frozenset(
        line - first for node in ast.walk(tree) if isinstance(node, ast.Assert) for line in range(node.lineno, (node.end_lineno or 0) + 1))
