"""Expected outbreak size on a temporal contact list (individual-based mean field)."""
from dataclasses import dataclass, field
import heapq

import numpy as np


@dataclass
class Person:
    pid: int
    age: float
    vaccinated: bool = False
    p_sus: float = 1.0
    p_exp: float = 0.0
    p_inf: float = 0.0
    p_rec: float = 0.0
    last: float = 0.0
    history: list = field(default_factory=list)

    def advance(self, t, incubation, recovery):
        """Move E -> I -> R mass analytically between events."""
        dt = t - self.last
        if dt <= 0:
            return
        stay_e = np.exp(-incubation * dt)
        stay_i = np.exp(-recovery * dt)
        onset = self.p_exp * incubation / (recovery - incubation) * (stay_e - stay_i)
        new_inf = self.p_inf * stay_i + onset
        self.p_rec += self.p_exp * (1 - stay_e) + self.p_inf - new_inf
        self.p_exp *= stay_e
        self.p_inf = new_inf
        self.last = t

    def expose(self, hazard):
        new = self.p_sus * (1 - np.exp(-hazard))
        self.p_sus -= new
        self.p_exp += new
        self.history.append((self.last, new))
        return new


def susceptibility(person, params):
    s = 1.0 / (1.0 + np.exp(-(person.age - params["age_mid"]) / 15.0))
    if person.vaccinated:
        s *= 1.0 - params["efficacy"]
    return s


def f(params, ages, contacts, vaccinated, seeds, horizon=30.0):
    people = {i: Person(i, a, i in vaccinated) for i, a in enumerate(ages)}
    for i in seeds:
        people[i].p_sus, people[i].p_inf = 0.0, 1.0

    queue = [(t, i, j, d) for t, i, j, d in contacts]
    heapq.heapify(queue)
    infections = 0.0
    while queue:
        t, i, j, duration = heapq.heappop(queue)
        if t > horizon:
            break
        a, b = people[i], people[j]
        for p in (a, b):
            p.advance(t, params["incubation"], params["recovery"])
        # distancing ramps in after the intervention day
        level = 1.0 - params["distancing"] / (1 + np.exp(-(t - params["t_lock"])))
        haz_ab = params["beta"] * duration * level * a.p_inf * susceptibility(b, params)
        haz_ba = params["beta"] * duration * level * b.p_inf * susceptibility(a, params)
        infections += b.expose(haz_ab) + a.expose(haz_ba)
        if t < horizon - 7 and duration > 0.8:      # weekly repeating contact
            heapq.heappush(queue, (t + 7, i, j, duration))

    for p in people.values():
        p.advance(horizon, params["incubation"], params["recovery"])
    recovered = sum(p.p_rec for p in people.values())
    worst = max(people.values(), key=lambda p: len(p.history))
    return infections + 0.1 * recovered + 0.01 * sum(h for _, h in worst.history)


def args():
    rng = np.random.default_rng(3)
    n = 25
    ages = rng.uniform(5, 80, n)
    contacts = []
    for _ in range(180):
        i, j = rng.choice(n, 2, replace=False)
        contacts.append((float(rng.uniform(0, 32)), int(i), int(j), float(rng.uniform(0.1, 1.0))))
    params = dict(beta=0.9, incubation=0.35, recovery=0.14, efficacy=0.7,
                  distancing=0.4, t_lock=14.0, age_mid=30.0)
    return params, ages, contacts, {1, 4, 9, 16}, [0, 2]


WRT = (0, 1)
