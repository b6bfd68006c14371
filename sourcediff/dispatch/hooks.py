"""What calls ask of the rooms above: checks of what they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CHECKS: dict[str, Callable[..., Any]] = {}
"""``run_watched``, a generated function statement by statement; ``check_tangents`` of a call, ``check_entry`` of a text.

Filled by ``checks/__init__.py``."""
