"""Queueing: closed network mean value analysis with load-dependent stations, plus an M/M/c front desk; staffing cost."""
from functools import reduce
from math import factorial

import numpy as np


def erlang_c(servers, load):
    if load >= servers:
        return 1.0
    top = load**servers / factorial(servers) * servers / (servers - load)
    return top / (sum(load**k / factorial(k) for k in range(servers)) + top)


class Station:
    registry = []

    def __init__(self, name, demand, *, kind="queue"):
        self.name = name
        self.demand = demand
        self.kind = kind
        self.queue = 0.0

    def residence(self):
        if self.kind == "delay":
            return self.demand
        return self.demand * (1 + self.queue)

    def __repr__(self):
        return f"<{self.name}: {self.queue:.2f}>"


def mva(stations, customers, think_time):
    history = []
    for n in range(1, customers + 1):
        times = {s.name: s.residence() for s in stations}
        total = think_time + sum(times.values())
        throughput = n / total
        for s in stations:
            s.queue = throughput * times[s.name]
        history.append((n, throughput, total))
    bottleneck = max(stations, key=lambda s: s.queue)
    return history, bottleneck


def waiting_percentile(rate, mu, servers, level):
    pw = erlang_c(servers, rate / mu)
    if pw <= level:
        return 0.0
    return np.log(pw / level) / (servers * mu - rate)


def f(demands, arrival, mu, prices):
    stations = [Station(name, d, kind="delay" if name == "network" else "queue") for name, d in demands.items()]
    history, bottleneck = mva(stations, customers=12, think_time=4.0)
    *_, (n, x, r) = history
    overall = reduce(lambda a, b: a * b, (1 + s.queue / 10 for s in stations), 1.0)
    servers = int(np.ceil(arrival / mu)) + 1
    wait = waiting_percentile(arrival, mu, servers, level=0.05)
    cost = sum(prices[name] / d for name, d in demands.items())
    return r + 0.3 * bottleneck.queue + 0.1 * overall + 2.0 * wait + 0.05 * cost - x


WRT = (0, 1, 2)


def args():
    return {"cpu": 0.4, "disk": 0.55, "network": 0.2, "db": 0.35}, 4.3, 1.6, {"cpu": 1.0, "disk": 0.5, "network": 0.2, "db": 2.0}
