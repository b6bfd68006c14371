"""The digest of a request, by which its text is found in the cache: of what is asked for, and of the library itself."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..rules.library_objects import RECORDS
from ..version import __version__


def own_records() -> list[str]:
    """The classes that a program has registered as records, with the methods named: no source tells of them."""
    return sorted(
        f"{kind.__module__}.{kind.__qualname__} {sorted(known.methods)} {sorted(known.alike)}"
        for kind, known in RECORDS.items() if not kind.__module__.startswith("scipy.")
    )


def files() -> list[tuple[str, str]]:
    """The library's own files: their paths, and where they stand in it."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = []
    for folder, _, names in os.walk(root):
        if not folder.endswith("__pycache__"):
            paths = [os.path.join(folder, name) for name in names if name.endswith(".py")]
            found += [(path, os.path.relpath(path, root).replace(os.sep, "/")) for path in paths]
    return found


def installation() -> str:
    """A digest of the library's own files: an edited library misses what an older one cached."""
    global _installed
    if not _installed:
        found = [(path, os.stat(path).st_mtime_ns) for path, _ in files()]
        _installed = hashlib.sha256(repr(sorted(found)).encode()).hexdigest()
    return _installed


@functools.cache
def contents() -> str:
    """A digest of what these files say, the same wherever they are."""
    found = hashlib.sha256()
    for path, place in sorted(files(), key=lambda file: file[1]):
        with open(path, "rb") as file:
            found.update(place.encode() + file.read())
    return found.hexdigest()


_installed = ""


def digest(request: tuple[Any, ...], described: Iterable[str], sent: bool) -> str:
    """A digest of everything that a generated text depends on: the ``request``, and what the function and its surroundings are
    ``described`` as; ``sent``: as another machine finds it, too.
    """
    versions = (__version__, sys.version, np.__version__, installation())
    if sent:
        versions = (__version__, repr(sys.version_info), np.__version__, contents())
    records = [] if sent else own_records()  # the text that is sent has been made with those that it needs
    text = "\0".join([repr(versions), repr(request), *records, *described])
    if sent:  # a child of multiprocessing calls its parent's main module otherwise
        text = text.replace("__mp_main__", "__main__")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
