"""Horizontal coordinates of a layered layout: straight long edges, balanced boxes (Brandes and Köpf 2002).

Four layouts are made, one towards each corner: each aligns everything with a median neighbour, then pushes the blocks so made together.
The result is the mean of the two in the middle, in which neighbours are as far apart as in each of them.
"""

from __future__ import annotations

from itertools import pairwise

Conflicts = set[tuple[int, int]]


def aligned(rows: list[list[int]], above: list[list[int]], halves: list[float], weights: list[int]) -> list[float]:
    """The centre of each vertex. ``halves`` is half its width with the space that it needs.

    The boxes come first and have ``weights``, the rest are bends: between two medians the heavier is preferred.
    """
    boxes = len(weights)
    below: list[list[int]] = [[] for _ in above]
    for v, ends in enumerate(above):
        for u in ends:
            below[u].append(v)
    conflicts = _conflicts(rows, above, boxes) | _branches(above, below, boxes)
    candidates = []
    for upwards in (False, True):
        for mirrored in (False, True):
            turned = rows[::-1] if upwards else rows
            turned = [row[::-1] for row in turned] if mirrored else turned
            root = _blocks(turned, below if upwards else above, conflicts, weights + [0] * (len(above) - boxes))
            centres = _pushed(turned, root, halves)
            candidates.append([-x for x in centres] if mirrored else centres)
    return _balanced(candidates, halves)


def _conflicts(rows: list[list[int]], above: list[list[int]], boxes: int) -> Conflicts:
    """The edges that cross a piece of a long edge, between two bends: the long edge is the one that shall be straight."""
    found: Conflicts = set()
    for upper, lower in pairwise(rows):
        place = {v: i for i, v in enumerate(upper)}
        start, first = 0, 0
        for last, v in enumerate(lower):
            inner = v >= boxes and above[v][0] >= boxes
            if not inner and last < len(lower) - 1:
                continue
            end = place[above[v][0]] if inner else len(upper) - 1
            for w in lower[first:last + 1]:
                found.update((u, w) for u in above[w] if not start <= place[u] <= end)
            start, first = end, last + 1
    return found


def _branches(above: list[list[int]], below: list[list[int]], boxes: int) -> Conflicts:
    """The edges that leave a trunk which goes on: it is the trunk that shall be straight."""
    going_on = {above[v][0] for v in range(boxes, len(above))}
    return {(u, v) for u in going_on if u >= boxes for v in below[u] if v < boxes}


def _blocks(rows: list[list[int]], neighbours: list[list[int]], conflicts: Conflicts, weights: list[int]) -> list[int]:
    """The first vertex of the block that each is in: those that stand exactly below one another, along medians, without crossings."""
    root = list(range(len(neighbours)))
    for before, row in pairwise(rows):
        place = {v: i for i, v in enumerate(before)}
        last = -1
        for v in row:
            known = sorted(neighbours[v], key=place.__getitem__)
            middle = len(known) // 2
            medians = known[middle - 1 + len(known) % 2:middle + 1]
            for u in sorted(medians, key=weights.__getitem__, reverse=True):
                crossing = (u, v) in conflicts or (v, u) in conflicts
                if root[v] == v and not crossing and place[u] > last:
                    root[v] = root[u]
                    last = place[u]
    return root


def _pushed(rows: list[list[int]], root: list[int], halves: list[float]) -> list[float]:
    """The centres, with all blocks as far to the left as they can be, and then as near to what is right of them."""
    left: dict[int, list[tuple[int, float]]] = {block: [] for block in root}
    right: dict[int, list[tuple[int, float]]] = {block: [] for block in root}
    for row in rows:
        for v, w in pairwise(row):
            apart = halves[v] + halves[w]
            left[root[w]].append((root[v], apart))
            right[root[v]].append((root[w], apart))
    waiting = {block: len(edges) for block, edges in left.items()}
    order = [block for block, number in waiting.items() if not number]
    centre: dict[int, float] = {}
    for block in order:  # grows: a block follows once all that is left of it is placed
        centre[block] = max((centre[other] + apart for other, apart in left[block]), default=0.0)
        for other, _ in right[block]:
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    for block in reversed(order):
        if right[block]:
            centre[block] = max(centre[block], min(centre[other] - apart for other, apart in right[block]))
    return [centre[block] for block in root]


def _balanced(candidates: list[list[float]], halves: list[float]) -> list[float]:
    """The mean of the middle two of the four candidates, all moved to where the narrowest is."""
    if not halves:
        return []
    ends = [(min(x - h for x, h in zip(xs, halves)), max(x + h for x, h in zip(xs, halves))) for xs in candidates]
    left, right = min(ends, key=lambda end: end[1] - end[0])
    moved = []
    for number, (xs, end) in enumerate(zip(candidates, ends)):
        shift = right - end[1] if number % 2 else left - end[0]
        moved.append([x + shift for x in xs])
    return [sum(sorted(xs)[1:3]) / 2 for xs in zip(*moved)]
