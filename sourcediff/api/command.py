"""The command line: show, save and check the gradient of a function in a file, and look after the cache."""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .. import __version__
from ..errors import NonDifferentiableError, SourcediffError
from ..naming import one_line, readable
from .colour import coloured, wanted

_EXAMPLES = """\
examples:
  python -m sourcediff show heat.py:heat                      the gradient of heat with respect to its first parameter
  python -m sourcediff show heat.py:heat --wrt u,c --value    ... to two parameters, and the value beside it
  python -m sourcediff show heat.py:heat --args "np.ones(9), 0.1, 3"
                                                              ... for arguments of these kinds, dtypes and ranks
  python -m sourcediff show heat.py:heat --explain            the text after every stage of the compiler
  python -m sourcediff save heat.py:heat heat_grad.py         a module of its own, that needs no sourcediff
  python -m sourcediff check heat.py:heat --args "np.ones(9), 0.1, 3"
                                                              compiled against eager, and all of it against numbers
  python -m sourcediff cache --clear                          forget all generated code
"""


class _UsageError(Exception):
    """The command line asks for something that is not there."""


class _Raised(Exception):
    """The user's own code raised an exception, in these words."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0, 1 for a refusal, 2 for wrong usage, 141 for a reader that went away."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except (SourcediffError, _Raised) as error:
        print(readable(str(error)), file=sys.stderr)
        return 1
    except _UsageError as error:
        print(readable(f"{parser.prog}: {error}"), file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter's own last flush complains
        return 141
    return 0


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m sourcediff", description=__doc__, epilog=_EXAMPLES, formatter_class=layout)
    parser.add_argument("--version", action="version", version=f"sourcediff {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    subject = argparse.ArgumentParser(add_help=False)
    subject.add_argument("function", metavar="FILE:FUNCTION", help="a Python file or a module, and a function or Class.method in it")
    subject.add_argument("--wrt", metavar="NAMES", type=_wrt, default=0, help="names or positions of parameters, with commas (default: 0)")

    def command(run: Callable[[argparse.Namespace], None], *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        made = commands.add_parser(run.__name__, parents=parents, help=run.__doc__, description=run.__doc__)
        made.set_defaults(run=run)
        return made

    def takes_arguments(to: argparse.ArgumentParser, *, required: bool = False) -> None:
        text = "the call's arguments, as between its parentheses; np and the file's own names are known"
        to.add_argument("--args", metavar="EXPR", required=required, help=text)

    showing = command(show, subject)
    takes_arguments(showing)
    what = showing.add_mutually_exclusive_group()
    what.add_argument("--value", action="store_true", help="the function's value beside the gradient")
    what.add_argument("--explain", action="store_true", help="the text after every stage of the compiler")
    what.add_argument("--passes", action="store_true", help="the same, and the text after every pass over a function that changes it")
    showing.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: on a terminal without NO_COLOR")

    saving = command(save, subject)
    saving.add_argument("out", metavar="OUT", help="the file to write")
    takes_arguments(saving)

    takes_arguments(command(check, subject), required=True)

    command(cache).add_argument("--clear", action="store_true", help="delete all of it")
    return parser


def show(options: argparse.Namespace) -> None:
    """print the gradient's source"""
    import sourcediff

    function, args = _subject(options)
    if options.explain or options.passes:
        text = sourcediff.explain(function, wrt=options.wrt, args=args, passes=options.passes)
    else:
        text = sourcediff.gradient_source(function, wrt=options.wrt, args=args, value=options.value)
    text = text.rstrip("\n")
    print(coloured(text) if wanted(options.color, sys.stdout) else text)


def save(options: argparse.Namespace) -> None:
    """write the gradient as a module of its own"""
    import sourcediff

    function, args = _subject(options)
    try:
        sourcediff.save_gradient(function, options.out, wrt=options.wrt, args=args)
    except OSError as error:
        raise _UsageError(f"{options.out} cannot be written: {error.strerror}") from error
    print(one_line(f"saved the gradient of {function.__name__} to {options.out}"))


def check(options: argparse.Namespace) -> None:
    """compare the compiled gradient and tangent with the eager ones, and the gradient with numbers"""
    import sourcediff

    from ..checks.cross.copying import Bench
    from ..runtime.copies import copied

    function, args = _subject(options)
    assert args is not None
    try:
        with Bench([]).run():
            function(*copied(args))
    except Exception as error:
        raise _Raised(_told(function.__name__, error)) from error
    print(sourcediff.cross_check(function, *args, wrt=options.wrt))
    print(sourcediff.cross_check(function, *args, wrt=options.wrt, mode="forward"))
    try:
        print(sourcediff.check_grads(function, *args, wrt=options.wrt))
    except NonDifferentiableError as error:  # at this point: it says nothing against the gradient
        print(error)


def _told(what: str, error: Exception) -> str:
    """An exception of the user's own code in two lines: what it says, and the innermost line that is the user's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith((os.path.dirname(__file__), "<"))]
    place = f"\n{own[-1].filename}:{own[-1].lineno}: {own[-1].line}" if own else ""
    return f"{what} raised {type(error).__name__}: {error}{place}"


def cache(options: argparse.Namespace) -> None:
    """say where generated code is kept, or clear it"""
    from ..dispatch import cache as store

    before = store.info()
    if options.clear:
        store.clear()
    now = store.info()
    print(one_line(f"folder: {now.folder}"))
    print(f"files:  {now.files} ({now.bytes / 1024:.1f} KiB of at most {store.limit() / 1024:.0f} KiB)")
    if options.clear:
        print(f"cleared {before.files - now.files} files")


def _wrt(text: str) -> Any:
    """``x`` or ``0``: one parameter; ``x,b`` or ``x,``: a tuple of them."""
    parts = [part.strip() for part in text.split(",")]
    several = len(parts) > 1
    if several and not parts[-1]:
        parts.pop()
    if not all(part.isidentifier() or part.lstrip("-").isdigit() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of names or positions")
    made = tuple(part if part.isidentifier() else int(part) for part in parts)
    return made if several else made[0]


def _subject(options: argparse.Namespace) -> tuple[Callable[..., Any], tuple[Any, ...] | None]:
    """The function that is meant, and the arguments for it, if any."""
    file, colon, name = options.function.rpartition(":")
    if not colon or not file or not name:
        raise _UsageError(f"{options.function} is not FILE:FUNCTION")
    module = _imported(file)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, dir(found), n=1)
            raise _UsageError(f"{file} has no {name}" + (f"; did you mean {near[0]}?" if near else ""))
        found = getattr(found, part)
    if not callable(found):
        raise _UsageError(f"{name} in {file} is no function but {type(found).__name__}")
    return found, None if options.args is None else _evaluated(options.args, module)


def _imported(file: str) -> ModuleType:
    """The file as a module, run as Python runs a script: its folder on the path, but not its ``__main__`` part."""
    sys.argv = [file]  # what a script reads as it is imported is not for it
    if not os.path.exists(file):
        if not all(part.isidentifier() for part in file.split(".")) or file.endswith(".py"):
            raise _UsageError(f"there is no file {file}")
        sys.path.insert(0, os.getcwd())
        try:
            return importlib.import_module(file)
        except ModuleNotFoundError as error:
            raise _UsageError(f"there is no file and no module {file} ({error})") from error
    path = os.path.abspath(file)
    stem = os.path.splitext(os.path.basename(path))[0]
    name = f"_{stem}_" if stem in sys.modules or stem in sys.stdlib_module_names else stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _UsageError(f"{file} is no Python file")
    sys.path.insert(0, os.path.dirname(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise _UsageError(f"{file} exits when it is imported; put that under if __name__ == '__main__':") from error
    except Exception as error:
        raise _UsageError(_told(file, error)) from error
    return module


def _evaluated(expression: str, module: ModuleType) -> tuple[Any, ...]:
    """The positional arguments that ``expression`` stands for between the parentheses of a call."""
    import numpy as np

    def arguments(*given: Any) -> tuple[Any, ...]:
        return given

    try:
        call = compile(f"arguments({expression}\n)", "--args", "eval")
        made: tuple[Any, ...] = eval(call, {"np": np, **vars(module), "arguments": arguments})
    except Exception as error:
        raise _UsageError(f"--args {expression}: {type(error).__name__}: {error}") from error
    return made
