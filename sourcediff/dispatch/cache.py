"""Generated text is kept twice: in memory, and as real, readable ``.py`` files in a folder of the user's own.

The folder is ``$SOURCEDIFF_CACHE_DIR``, else the place that the platform has for caches; it holds at most
``$SOURCEDIFF_CACHE_SIZE`` (a number of bytes, ``K``, ``M`` or ``G`` may follow; default ``256M``; ``0``: no files at all), and
then the oldest files go. What makes a file fit to be run is said in :mod:`sourcediff.dispatch.store`.

Where the folder cannot be trusted or cannot be written there is one warning, and text lives in memory alone, under a pseudo
name such as ``<sourcediff heat_grad_0f3c…>``.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import types
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from ..backends.python import execute, withdrawal
from ..runtime.function_cache import forget_functions
from . import store

_DEFAULT_SIZE = 256 << 20


RECENT = 256
"""Modules that are kept in memory, those that were asked for last; others stay as long as something uses them."""


class Loaded:
    """A generated module that has been run: its namespace, the path that its lines go by, and its text.

    With it what Python's tracebacks know of its lines is let go.
    """

    __slots__ = ("__weakref__", "namespace", "path", "text")

    def __init__(self, text: str, path: str):
        self.namespace: dict[str, Any] = execute(text, path)
        self.path = path
        self.text = text
        weakref.finalize(self, withdrawal(path)).atexit = False

    def stands(self) -> bool:
        """Whether an import would still give the modules that it has imported."""
        modules = [value for value in self.namespace.values() if isinstance(value, types.ModuleType)]
        return all(sys.modules.get(module.__name__) is module for module in modules)


class Info(NamedTuple):
    """What the cache holds on disk, and what it did in this process."""

    folder: str
    files: int
    bytes: int
    memory_hits: int
    disk_hits: int
    misses: int


class _State:
    """All that this process remembers. One lock for building (it nests, since building may fetch), one for the counts."""

    def __init__(self) -> None:
        self.recent: OrderedDict[str, Loaded] = OrderedDict()
        self.memory: weakref.WeakValueDictionary[str, Loaded] = weakref.WeakValueDictionary()
        self.counts = {"memory_hits": 0, "disk_hits": 0, "misses": 0}
        self.written: dict[str, int] = {}  # bytes written to each folder since its size was last taken
        self.warned: set[str] = set()
        self.renew_locks()

    def renew_locks(self) -> None:
        self.building = threading.RLock()
        self.counting = threading.Lock()

    def count(self, what: str) -> None:
        with self.counting:
            self.counts[what] += 1

    def find(self, key: str) -> Loaded | None:
        """The module for a key, if it is in memory, and what it imports is what an import gives now."""
        loaded = self.memory.get(key)
        if loaded is None or not loaded.stands():
            return None
        self.count("memory_hits")
        self.keep(key, loaded)
        return loaded

    def keep(self, key: str, loaded: Loaded) -> None:
        """Note that a module has been asked for."""
        with self.counting:
            self.memory[key] = self.recent[key] = loaded
            self.recent.move_to_end(key)
            while len(self.recent) > RECENT:
                self.recent.popitem(last=False)


_state = _State()
if hasattr(os, "register_at_fork"):  # a lock that another thread held at the fork would stay locked in the child for ever
    os.register_at_fork(after_in_child=_state.renew_locks)


def fetch(key: str, build: Callable[[], str], stem: str, sent: str | None = None) -> Loaded:
    """The generated module for ``key``: from memory, else from disk, else of the text that was ``sent``, or that ``build()`` returns.

    ``key`` is a hexadecimal digest (at least 16 digits) of everything that the text depends on; ``stem`` is a readable start for
    the file's name. Safe in threads (``build`` runs once per key) and beside other processes. Raises ValueError for a key
    that is no digest, and whatever ``build`` or the module raises; trouble with the disk is one warning.

    >>> fetch("2a" * 32, lambda: "answer = 42", "example").namespace["answer"]
    42
    """
    if (loaded := _state.find(key)) is not None:
        return loaded
    if not re.fullmatch(r"[0-9a-f]{16,}", key):
        raise ValueError(f"a cache key is a hexadecimal digest, not {key!r}")
    with _state.building:
        if (loaded := _state.find(key)) is not None:
            return loaded
        where = folder()
        name = f"{re.sub(r'[^0-9A-Za-z_]', '_', stem)[:80] or 'generated'}_{key[:16]}"
        text = _read(where, name, key)
        if text is not None or sent is None:
            _state.count("misses" if text is None else "disk_hits")
        if text is None:
            text = (build() if sent is None else sent).rstrip("\n") + "\n"
            path = _write(where, name, key, text)
        else:
            path = os.path.join(where, name + ".py")
        loaded = Loaded(text, path)
        _state.keep(key, loaded)
        return loaded


def load_file(path: str | os.PathLike[str]) -> Loaded:
    """Run a generated file as it is now, edited or not, without looking at its seal. Nothing is cached.

    For whoever changes a generated file on purpose. Raises OSError where the file cannot be read, SyntaxError where it is
    no Python, and whatever it raises itself.
    """
    full = os.path.abspath(path)
    with open(full, encoding="utf-8", newline="") as file:
        text = file.read()
    return Loaded(text, full)


def info() -> Info:
    """The folder, its number of files and bytes, and this process's hits in memory, hits on disk and misses.

    >>> info()._fields
    ('folder', 'files', 'bytes', 'memory_hits', 'disk_hits', 'misses')
    """
    where = folder()
    sizes = [module.size for module in store.modules(where)]
    with _state.counting:
        return Info(where, len(sizes), sum(sizes), **_state.counts)


def clear() -> None:
    """Empty the cache, in memory and on disk. Only the cache's own files are deleted, the folder stays.

    >>> clear()
    >>> info().files
    0
    """
    with _state.building:
        forget()
        store.remove_files(folder())


def forget() -> None:
    """Empty the cache in memory alone, and forget what is kept of functions: the next derivative that is made reads from disk."""
    forget_functions()
    _state.memory.clear()
    _state.recent.clear()


def folder() -> str:
    """The folder of the cache, from the environment as it is now. It need not exist yet.

    ``$SOURCEDIFF_CACHE_DIR``; else ``sourcediff`` under ``$XDG_CACHE_HOME`` or under the platform's folder for caches; else,
    for a user without a home, a folder of the user's own among the temporary files.
    """
    if chosen := os.environ.get("SOURCEDIFF_CACHE_DIR"):
        return os.path.abspath(os.path.expanduser(chosen))
    if os.path.isabs(xdg := os.environ.get("XDG_CACHE_HOME", "")):
        return os.path.join(xdg, "sourcediff")
    if sys.platform == "win32":
        place = os.environ.get("LOCALAPPDATA", os.path.expanduser("~"))
    elif sys.platform == "darwin":
        place = os.path.expanduser("~/Library/Caches")
    else:
        place = os.path.expanduser("~/.cache")
    if os.path.isabs(place):
        return os.path.join(place, "sourcediff")
    import tempfile  # slow to import, seldom needed

    return os.path.join(tempfile.gettempdir(), f"sourcediff-{os.getuid() if hasattr(os, 'getuid') else 'cache'}")


def limit() -> int:
    """The most bytes that the folder may hold, from the environment as it is now."""
    wanted = os.environ.get("SOURCEDIFF_CACHE_SIZE", "").strip()
    match = re.fullmatch(r"(\d+)\s*([KMG]?)B?", wanted, re.IGNORECASE | re.ASCII)
    if match:
        return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2].upper()]
    if wanted:
        _warn(f"size {wanted}", f"SOURCEDIFF_CACHE_SIZE={wanted} is no size such as 64M; 256M is used")
    return _DEFAULT_SIZE


def _read(where: str, name: str, key: str) -> str | None:
    try:
        return store.read_sealed(where, name, key)
    except store.Unusable as problem:
        _warn_of_folder(where, problem)
        return None


def _write(where: str, name: str, key: str, text: str) -> str:
    """Store a text and return its path, a pseudo name where it cannot be stored.

    Taking a folder's size costs time in proportion to its files, so it is taken at a process's first write, and then once for
    every sixteenth of the room that the process has written.
    """
    room = limit()
    if len(text) > room:
        return f"<sourcediff {name}>"
    try:
        path, size = store.write_sealed(where, name, key, text)
    except store.Unusable as problem:
        _warn_of_folder(where, problem)
        return f"<sourcediff {name}>"
    written = _state.written.get(where, room) + size
    if written > room // 16:
        store.trim(where, room, keep=path)
        written = 0
    _state.written[where] = written
    return path


def _warn_of_folder(where: str, problem: store.Unusable) -> None:
    remedy = "set SOURCEDIFF_CACHE_DIR to a folder that only you can write to"
    _warn(where, f"the cache folder {where} {problem}; generated code is kept in memory alone ({remedy})")


def _warn(about: str, message: str) -> None:
    """Warn once in a process about each thing."""
    if about not in _state.warned:
        _state.warned.add(about)
        warnings.warn(message, RuntimeWarning, stacklevel=2)
