"""Objects in lists within lists and dicts, grids and buckets: the text has lists of keys (``Listing`` in ``interpret/records.py``)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])
N = 4


class Cell:
    def __init__(self, t, k):
        self.t, self.k, self.flux, self.right = t, k, 0.0, None

    def update(self, dt):
        self.t = self.t + dt * self.flux
        self.flux = 0.0

    def hit(self, other):
        self.t = self.t + 0.1 * self.k * other.t

    def place(self):
        return int(abs(self.t) * 2) % 3


def total(cells):
    return sum(cell.t * cell.k * (1 + 0.1 * i) for i, cell in enumerate(cells))


def in_a_row(x):
    return [Cell(x[i % 5] * (1 + 0.1 * i), x[(i + 1) % 5]) for i in range(8)]


def diffusion(x):
    """What leaves a cell for its neighbours, which a list of lists has."""
    grid = [[Cell(x[0] * i + x[1] * j, x[2]) for j in range(N)] for i in range(N)]
    for _ in range(3):
        for i in range(N):
            for j in range(N):
                cell = grid[i][j]
                for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    a, b = i + di, j + dj
                    if 0 <= a < N and 0 <= b < N:
                        cell.flux += cell.k * (grid[a][b].t - cell.t)
        for row in grid:
            for cell in row:
                cell.update(0.1)
    return grid[1][2].t ** 2 + x[3] * grid[0][0].t + x[4]


class Plate:
    def __init__(self, x):
        self.cells = [[None] * N for _ in range(N)]
        for i in range(N):
            for j in range(N):
                self.cells[i][j] = Cell(x[0] * i + x[1] * j, x[2])
        self.all = [cell for row in self.cells for cell in row]

    def around(self, i, j):
        return [self.cells[(i + 1) % N][j], self.cells[i - 1][j], self.cells[i][(j + 1) % N], self.cells[i][j - 1]]

    def step(self, dt):
        for i in range(N):
            for j in range(N):
                cell = self.cells[i][j]
                cell.flux = sum(cell.k * (other.t - cell.t) for other in self.around(i, j))
        for cell in self.all:
            cell.update(dt)


def plate(x):
    """A grid that is made of None, and filled."""
    made = Plate(x)
    for _ in range(3):
        made.step(0.1)
    return made.cells[1][2].t ** 2 + x[3] * made.cells[0][0].t + x[4]


def path(x):
    """A way through a grid that what it finds there decides."""
    grid = [[Cell(x[0] * i + x[1] * j, x[2]) for j in range(N)] for i in range(N)]
    i = j = 0
    spent = 0.0
    while i < N - 1 and j < N - 1:
        spent += grid[i][j].t ** 2 * x[3]
        grid[i][j].flux = spent
        if grid[i + 1][j].t > grid[i][j + 1].t:
            i += 1
        else:
            j += 1
    return spent + sum(cell.flux for row in grid for cell in row) * x[4] + grid[i][j].t


def linked(x):
    """Cells that know the next one of their row."""
    grid = [[Cell(x[0] * i + x[1] * j, x[2]) for j in range(N)] for i in range(N)]
    for row in grid:
        for left, right in zip(row[:-1], row[1:]):  # noqa: RUF007
            left.right = right
    return sum(cell.k * (cell.right.t - cell.t) ** 2 for row in grid for cell in row if cell.right is not None) + x[4]


def buckets(x):
    cells = in_a_row(x)
    for _ in range(3):
        near = [[] for _ in range(3)]
        for cell in cells:
            near[cell.place()].append(cell)
        for row in near:
            for one in row:
                for other in row:
                    if one is not other:
                        one.hit(other)
    return total(cells)


def dict_of_buckets(x):
    cells = in_a_row(x)
    for _ in range(3):
        near = defaultdict(list)
        for cell in cells:
            near[cell.place()].append(cell)
        for key, row in near.items():
            for one in row:
                for other in row:
                    if one is not other:
                        one.hit(other)
                one.t = one.t + 0.01 * key
    return total(cells)


def one_row_twice(x):
    """What is stored into one row stands in the other."""
    grid = [[None] * 3] * 2
    cells = in_a_row(x)
    for j in range(3):
        grid[0][j] = cells[j]
    grid[1][1] = cells[5]
    found = 0.0
    for row in grid:
        for cell in row:
            found = found + cell.t
            cell.t = cell.t * cell.k
    return found + total(cells)


def rows_exchanged(x):
    cells = in_a_row(x)
    grid = [[cells[2 * i], cells[2 * i + 1]] for i in range(4)]
    for i in range(4):
        if grid[i][0].t > grid[(i + 1) % 4][0].t:
            grid[i], grid[(i + 1) % 4] = grid[(i + 1) % 4], grid[i]
        grid[i][0].hit(grid[i][1])
    return sum((i + 1) * cell.t for i, row in enumerate(grid) for cell in row) + total(cells)


def rows_in_order(x):
    cells = in_a_row(x)
    grid = [[cells[2 * i], cells[2 * i + 1]] for i in range(4)]
    for row in grid:
        row.sort(key=lambda cell: cell.t)
    grid.reverse()
    return sum(row[0].t * (i + 1) - row[-1].k for i, row in enumerate(grid))


def merged(x):
    """Clusters: the two next to one another become one."""
    found = [[cell] for cell in in_a_row(x)]
    while len(found) > 3:
        best, at = 1e9, (0, 1)
        for i in range(len(found)):
            for j in range(i + 1, len(found)):
                apart = abs(sum(c.t for c in found[i]) / len(found[i]) - sum(c.t for c in found[j]) / len(found[j]))
                if apart < best:
                    best, at = apart, (i, j)
        i, j = at
        found[i] = found[i] + found[j]
        del found[j]
        found[i][0].t = found[i][0].t * 0.9
    return sum(len(row) * sum(cell.t for cell in row) ** 2 for row in found) + x[1]


def generations(x):
    rows = [[Cell(x[0], x[1])]]
    for _ in range(3):
        new = []
        for cell in rows[-1]:
            if cell.t > 0.3:
                new.append(Cell(cell.t * x[2], cell.k))
            new.append(Cell(cell.t * x[3], cell.k + x[4]))
        rows.append(new)
    for k in range(len(rows) - 1, 0, -1):
        for i, cell in enumerate(rows[k]):
            rows[k - 1][i % len(rows[k - 1])].t += 0.5 * cell.t
    return rows[0][0].t + sum(len(row) for row in rows) * x[0]


def by_differences(program, x):
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.parametrize(
    "program",
    [
        diffusion, plate, path, linked, buckets, dict_of_buckets, one_row_twice, rows_exchanged, rows_in_order, merged, generations,
    ],
)
def test_it_is_compiled(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-5, atol=1e-5)


def rows_by_their_first(x):
    cells = in_a_row(x)
    grid = [[cells[2 * i], cells[2 * i + 1]] for i in range(4)]
    grid.sort(key=lambda row: row[0].t)
    return sum(row[0].t * (i + 1) - row[-1].k for i, row in enumerate(grid))


@pytest.mark.parametrize("program", [rows_by_their_first])
def test_the_rest_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(X)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(X), by_differences(program, X), rtol=1e-5, atol=1e-5)
