"""Freight assignment on a small regional network.

Flows are split over shippers' k candidate paths by a logit rule, link costs
follow BPR curves, and we iterate (method of successive averages, then a
damped fixed point) until the path flows settle.  The objective is the total
generalised cost plus an emission charge plus mismatch to roadside counts.
"""
from collections import defaultdict
import heapq
import itertools
import logging

import numpy as np

log = logging.getLogger("freight")

NODES = ["port", "hub_n", "hub_s", "plant", "city", "border"]
# (i, j): length km, free speed km/h, capacity trucks/h, mode
ARCS = {
    ("port", "hub_n"): (42.0, 70.0, 520.0, "road"),
    ("port", "hub_s"): (55.0, 85.0, 610.0, "road"),
    ("port", "plant"): (120.0, 60.0, 260.0, "rail"),
    ("hub_n", "plant"): (60.0, 80.0, 430.0, "road"),
    ("hub_n", "city"): (75.0, 75.0, 380.0, "road"),
    ("hub_s", "city"): (48.0, 80.0, 450.0, "road"),
    ("hub_s", "hub_n"): (18.0, 60.0, 300.0, "road"),
    ("plant", "city"): (35.0, 55.0, 240.0, "road"),
    ("plant", "border"): (90.0, 65.0, 330.0, "rail"),
    ("city", "border"): (66.0, 90.0, 500.0, "road"),
}
COUNTS = {("port", "hub_n"): 330.0, ("hub_s", "city"): 290.0, ("city", "border"): 240.0}
EMISSION = {"road": 0.92, "rail": 0.21}

def enumerate_paths(origin, dest, limit=4):
    """k shortest simple paths by distance, best first, with a heap."""
    out = defaultdict(list)
    for (i, j), row in ARCS.items():
        out[i].append((j, row[0]))
    tie = itertools.count()
    heap = [(0.0, next(tie), (origin,))]
    found = []
    while heap and len(found) < limit:
        dist, _, path = heapq.heappop(heap)
        if path[-1] == dest:
            found.append(path)
            continue
        for nxt, d in out[path[-1]]:
            if nxt not in path:
                heapq.heappush(heap, (dist + d, next(tie), path + (nxt,)))
    return [list(zip(p[:-1], p[1:])) for p in found]

PATHS = {}

def paths_for(od):
    if od not in PATHS:
        PATHS[od] = enumerate_paths(*od)
    return PATHS[od]

def arc_time(arc, flow, cap_scale, bpr):
    length, speed, cap, mode = ARCS[arc]
    a, b = bpr[mode]
    return length / speed * (1.0 + a * (flow / (cap * cap_scale.get(arc, 1.0))) ** b)

def load(path_flow):
    x = {arc: 0.0 for arc in ARCS}
    for od, h in path_flow.items():
        for p, hp in zip(paths_for(od), h):
            for arc in p:
                x[arc] += hp
    return x

def f(demand, cap_scale, bpr, theta, tolls):
    h = {od: np.full(len(paths_for(od)), q / len(paths_for(od))) for od, q in demand.items()}
    it = 0
    while True:
        it += 1
        x = load(h)
        gc = {a: 38.0 * arc_time(a, x[a], cap_scale, bpr) + tolls.get(a, 0.0) + 0.31 * ARCS[a][0]
              for a in ARCS}
        gap = 0.0
        new = {}
        for od, q in demand.items():
            c = np.array([sum(gc[a] for a in p) for p in paths_for(od)])
            w = np.exp(-theta * (c - c.min()))
            target = q * w / w.sum()
            new[od] = h[od] + (target - h[od]) * 0.6
            gap += np.abs(target - h[od]).sum()
        h = new
        if gap < 1e-10 or it >= 200:
            log.debug("assignment stopped after %d rounds, gap %.2e", it, gap)
            break
    x = load(h)
    cost = sum(x[a] * (38.0 * arc_time(a, x[a], cap_scale, bpr) + 0.31 * ARCS[a][0]) for a in ARCS)
    co2 = sum(EMISSION[row[3]] * row[0] * x[a] for a, row in ARCS.items())
    misfit = sum((x[a] - n) ** 2 / n for a, n in COUNTS.items())
    return float(1e-3 * (cost + 0.09 * co2) + misfit)

def args():
    demand = {("port", "city"): 410.0, ("port", "border"): 220.0, ("hub_n", "border"): 95.0}
    cap_scale = {("port", "hub_n"): 0.9, ("hub_s", "city"): 1.1, ("plant", "city"): 1.0}
    bpr = {"road": (0.15, 4.0), "rail": (0.45, 2.2)}
    tolls = {("city", "border"): 6.5, ("port", "hub_s"): 3.0}
    return demand, cap_scale, bpr, 0.08, tolls

WRT = (0, 1, 2, 3, 4)
