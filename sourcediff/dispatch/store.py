"""A folder of text files that will be run, so that only this user can have written them, and only whole.

A file is named ``<name>.py`` and ends in a *seal*, a comment with the full key and a hash of the text. What does not bear the
right seal (half-written, truncated, edited, made for another key) is as good as missing. A folder or a file that somebody else
could have written is not read.
"""

from __future__ import annotations

import os
import re
import stat
import time
from typing import NamedTuple

from ..runtime.whose_error import pass_on

_SEAL = "# sourcediff cache"
_MODULE = re.compile(r"\w+_[0-9a-f]{16}\.py", re.ASCII)
_TEMPORARY = re.compile(r"\.\w+\.sourcediff-tmp", re.ASCII)
_ABANDONED = 600.0  # seconds after which a temporary file surely has no writer any more


class Unusable(Exception):
    """The folder is not to be used; the message continues "the folder …"."""


class _Damaged(Exception):
    """A file that is not to be run."""


class File(NamedTuple):
    """A module in the folder: its age in seconds, its size in bytes, its path."""

    age: float
    size: int
    path: str


def read_sealed(folder: str, name: str, key: str) -> str | None:
    """The text that the folder holds under a name for a key, or None. Raises Unusable."""
    try:
        _require_own_folder(folder)
        return _unsealed(_own_content(os.path.join(folder, f"{name}.py")), key)
    except (FileNotFoundError, NotADirectoryError, _Damaged):
        return None
    except OSError as problem:
        pass_on(problem)
        raise Unusable(f"cannot be read ({problem.strerror})") from problem


def write_sealed(folder: str, name: str, key: str, text: str) -> tuple[str, int]:
    """Store a text under a name, for a key, and return its path and its size in bytes. Raises Unusable.

    Readers see the old file or the whole new one, never a part.
    """
    content = (text + seal(key, text)).encode()
    path = os.path.join(folder, f"{name}.py")
    temporary = os.path.join(folder, f".{name}_{os.urandom(8).hex()}.sourcediff-tmp")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _require_own_folder(folder)
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            _delete(temporary)
            raise
    except OSError as problem:
        pass_on(problem)
        raise Unusable(f"cannot be written ({problem.strerror})") from problem
    return path, len(content)


def modules(folder: str) -> list[File]:
    """The modules in the folder, by their names; none where there is no such folder."""
    return _files(folder, _MODULE)


def remove_files(folder: str) -> None:
    """Delete the modules; other files and the folder itself stay. Of a folder that is not this user's nothing is deleted."""
    try:
        _require_own_folder(folder)
    except (Unusable, OSError):  # nothing of ours was ever put there
        return
    for module in modules(folder):
        _delete(module.path)
    _sweep(folder)


def trim(folder: str, room: int, keep: str) -> None:
    """Where the modules take more than ``room`` bytes, delete the oldest until they take nine tenths of it; never ``keep``."""
    _sweep(folder)
    found = sorted(modules(folder), reverse=True)
    total = sum(module.size for module in found)
    if total <= room:
        return
    for module in found:
        if total > room * 9 // 10 and module.path != keep:
            _delete(module.path)
            total -= module.size


def seal(key: str, text: str) -> str:
    """The last line of the file that holds this text for this key."""
    import hashlib  # who only imports sourcediff does not pay for it

    return f"{_SEAL} {key} {hashlib.sha256(f'{key} {text}'.encode()).hexdigest()}\n"


def _unsealed(content: bytes, key: str) -> str:
    """The text of a file that bears the right seal, without it. Raises _Damaged for any other."""
    try:
        text, mark, _ = content.decode().rpartition(_SEAL)
    except UnicodeDecodeError:
        raise _Damaged from None
    if not mark or content != (text + seal(key, text)).encode():
        raise _Damaged
    return text


def _require_own_folder(folder: str) -> None:
    """Raise Unusable unless this user alone can put files into the folder; OSError where there is none."""
    if os.name != "posix":  # Windows keeps a user's folders from others by other means than mode bits
        return
    user = os.geteuid()
    if os.lstat(folder).st_uid != user:
        raise Unusable("belongs to another user")
    found = os.stat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise Unusable("is no folder")
    if found.st_uid != user:
        raise Unusable("leads to a folder of another user")
    if _others_can_write(found):
        raise Unusable("can be written by other users")


def _own_content(path: str) -> bytes:
    """The bytes of a file that only this user can have put there. Raises _Damaged for a link or somebody else's file."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError:  # a symbolic link, a socket, no permission: whatever it is, it is none of ours
        raise _Damaged from None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _Damaged
        if os.name == "posix" and (found.st_uid != os.geteuid() or _others_can_write(found) or found.st_nlink > 1):
            raise _Damaged
        return file.read()


def _others_can_write(found: os.stat_result) -> bool:
    return bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _files(folder: str, names: re.Pattern[str]) -> list[File]:
    """The regular files whose names fit; none where there is no such folder."""
    found = []
    now = time.time()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if names.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    try:
                        facts = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # another process has just deleted it
                        continue
                    found.append(File(now - facts.st_mtime, facts.st_size, entry.path))
    except OSError:
        return []
    return found


def _sweep(folder: str) -> None:
    """Delete what killed processes have left half-written; what others are writing now is theirs."""
    for file in _files(folder, _TEMPORARY):
        if file.age > _ABANDONED:
            _delete(file.path)


def _delete(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # gone already, or not ours to delete: the folder is no worse for it
        return
