"""Penalised likelihood of a Glicko-style rating system over a match history."""
from collections import defaultdict, namedtuple

import numpy as np
from scipy.special import expit

Match = namedtuple("Match", "period white black score")

Q = np.log(10.0) / 400.0


def g(rd):
    return 1.0 / np.sqrt(1.0 + 3.0 * (Q * rd / np.pi) ** 2)


def expected(r, r_opp, rd_opp):
    return expit(Q * g(rd_opp) * (r - r_opp))


class Player:
    def __init__(self, name, rating, rd):
        self.name = name
        self.rating = rating
        self.rd = rd
        self.last_period = None

    def inflate(self, period, c, rd_max=350.0):
        """Grow the deviation for the periods in which the player was idle."""
        if self.last_period is None:
            return
        idle = period - self.last_period
        self.rd = min(np.sqrt(self.rd ** 2 + c ** 2 * idle), rd_max)

    def update(self, results):
        dinv, total = 0.0, 0.0
        for r_opp, rd_opp, s in results:
            e = expected(self.rating, r_opp, rd_opp)
            gj = g(rd_opp)
            dinv += (Q * gj) ** 2 * e * (1.0 - e)
            total += gj * (s - e)
        prec = 1.0 / self.rd ** 2 + dinv
        return self.rating + Q / prec * total, np.sqrt(1.0 / prec)


def by_period(matches):
    groups = defaultdict(list)
    for m in matches:
        groups[m.period].append(m)
    for period in sorted(groups):
        yield period, groups[period]


def f(r0, params, matches, names, prior_sd=200.0):
    players = {n: Player(n, r0[i], params["rd0"]) for i, n in enumerate(names)}
    nll = 0.0
    for period, games in by_period(matches):
        results = defaultdict(list)
        for n in {m.white for m in games} | {m.black for m in games}:
            players[n].inflate(period, params["c"])
        for m in games:
            w, b = players[m.white], players[m.black]
            rd = np.hypot(w.rd, b.rd)
            p = expit(Q * g(rd) * (w.rating + params["adv"] - b.rating))
            p = np.clip(p, 1e-6, 1 - 1e-6)
            nll -= m.score * np.log(p) + (1 - m.score) * np.log1p(-p)
            results[m.white].append((b.rating - params["adv"], b.rd, m.score))
            results[m.black].append((w.rating + params["adv"], w.rd, 1 - m.score))
        # simultaneous update: all new values come from the start of the period
        new = {n: players[n].update(res) for n, res in results.items()}
        for n, (r, rd) in new.items():
            players[n].rating, players[n].rd = r, rd
            players[n].last_period = period
    nll += 0.5 * np.sum(((r0 - 1500.0) / prior_sd) ** 2)
    return nll / len(matches)


def args():
    rng = np.random.default_rng(3)
    names = ["anna", "boris", "chen", "dara", "emil", "fay"]
    strength = rng.normal(1500, 150, len(names))
    matches = []
    for period in [0, 1, 2, 4, 5]:
        for _ in range(8):
            i, j = rng.choice(len(names), 2, replace=False)
            p = expit(Q * (strength[i] + 30 - strength[j]))
            u = rng.random()
            s = 0.5 if abs(u - p) < 0.1 else float(u < p)
            matches.append(Match(period, names[i], names[j], s))
    r0 = 1500.0 + 40.0 * rng.standard_normal(len(names))
    return r0, {"rd0": 180.0, "c": 35.0, "adv": 25.0}, matches, names


WRT = (0, 1)
