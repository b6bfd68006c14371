"""The order within the layers of a layout: few crossings, by medians (Gansner, Koutsofios, North and Vo 1993)."""

from __future__ import annotations

from bisect import bisect_right, insort
from itertools import pairwise

SWEEPS = 16


def ordered(rows: list[list[int]], above: list[list[int]]) -> list[list[int]]:
    """The rows in an order with fewer crossings; ``above[v]`` are the neighbours of ``v`` in the row over its own.

    Each sweep, downwards and upwards by turns, moves everything to the median of its neighbours in the row before; the best order
    that was met is kept.

    >>> ordered([[0, 1], [2, 3]], [[], [], [1], [0]])
    [[0, 1], [3, 2]]
    """
    below: list[list[int]] = [[] for _ in above]
    for v, ends in enumerate(above):
        for u in ends:
            below[u].append(v)
    best, fewest = rows, crossings(rows, above)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        downwards = sweep % 2 == 0
        rows = [list(row) for row in (rows if downwards else rows[::-1])]
        neighbours = above if downwards else below
        for fixed, free in pairwise(rows):
            place = {v: i for i, v in enumerate(fixed)}
            _by_medians(free, {v: _median([place[u] for u in neighbours[v]]) for v in free}, sweep % 4 > 1)
        rows = rows if downwards else rows[::-1]
        _swapped(rows, above, below)
        number = crossings(rows, above)
        if number < fewest:
            best, fewest = [list(row) for row in rows], number
    return best


def _median(places: list[int]) -> float | None:
    """The median; between two in the middle the one towards which the others crowd. None without neighbours."""
    if not places:
        return None
    places = sorted(places)
    middle = len(places) // 2
    if len(places) % 2:
        return places[middle]
    if len(places) == 2:
        return sum(places) / 2
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    return (places[middle - 1] * right + places[middle] * left) / (left + right) if left + right else places[middle]


def _by_medians(row: list[int], medians: dict[int, float | None], mirrored: bool) -> None:
    """Sort a row; what has no median keeps its place. ``mirrored``: equal ones change places, so that no order is stuck."""
    movable = [v for v in row if medians[v] is not None]
    movable = sorted(movable[::-1] if mirrored else movable, key=lambda v: medians[v])  # type: ignore[arg-type, return-value]
    following = iter(movable)
    row[:] = [v if medians[v] is None else next(following) for v in row]


def _swapped(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Swap neighbours within the rows as long as that saves crossings."""
    place = {v: i for row in rows for i, v in enumerate(row)}
    for _ in range(4):
        better = False
        for row in rows:
            for i in range(len(row) - 1):
                v, w = row[i], row[i + 1]
                saved = sum(
                    _between(neighbours[v], neighbours[w], place) - _between(neighbours[w], neighbours[v], place)
                    for neighbours in (above, below)
                )
                if saved > 0:
                    row[i], row[i + 1] = w, v
                    place[v], place[w] = i + 1, i
                    better = True
        if not better:
            return


def _between(left: list[int], right: list[int], place: dict[int, int]) -> int:
    """The crossings of the edges of two neighbours in a row, of which the one with the neighbours ``left`` stands first."""
    if len(left) == 1 and len(right) == 1:
        return place[left[0]] > place[right[0]]
    others = sorted(place[u] for u in right)
    return sum(bisect_right(others, place[u] - 1) for u in left)


def crossings(rows: list[list[int]], above: list[list[int]]) -> int:
    """How many pairs of edges between neighbouring rows cross.

    >>> crossings([[0, 1], [2, 3]], [[], [], [1], [0]]), crossings([[0, 1], [3, 2]], [[], [], [1], [0]])
    (1, 0)
    """
    number = 0
    for upper, lower in pairwise(rows):
        place = {v: i for i, v in enumerate(upper)}
        passed: list[int] = []
        for v in lower:
            ends = sorted(place[u] for u in above[v])
            number += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return number
