"""Derivatives against numbers, and the two engines against one another."""

from __future__ import annotations

from typing import Any

from ..dispatch.hooks import CHECKS


def _run_watched(*given: Any) -> Any:
    from .cross import anomalies

    return anomalies.run_watched(*given)


def _check_tangents(*given: Any) -> Any:
    from .cross import tangents

    return tangents.check_tangents(*given)


def _check_entry(*given: Any) -> Any:
    from . import cross

    return cross.check_entry(*given)


CHECKS.update(run_watched=_run_watched, check_tangents=_check_tangents, check_entry=_check_entry)  # imported when they are first asked for
