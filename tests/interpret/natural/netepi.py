"""Epidemic on a contact network by pairwise mean-field; adjacency in dicts of sets, vaccination by degree; fit of weekly counts."""
from collections import defaultdict
import numpy as np
from scipy.special import gammaln


def build_network(edges):
    adjacency = defaultdict(set)
    for a, b in edges:
        if a == b:
            continue
        adjacency[a].add(b)
        adjacency[b].add(a)
    return dict(adjacency)


def vaccinate(adjacency, doses):
    by_degree = sorted(adjacency, key=lambda n: (-len(adjacency[n]), n))
    return set(by_degree[:doses])


def step(S, I, R, adjacency, vaccinated, beta, gamma, efficacy, dt):
    newS, newI, newR = {}, {}, {}
    for node, neighbours in adjacency.items():
        escape = 1.0
        for other in neighbours:
            escape *= 1 - beta * dt * I[other]
        if node in vaccinated:
            escape = 1 - (1 - escape) * (1 - efficacy)
        infected = S[node] * (1 - escape)
        recovered = gamma * dt * I[node]
        newS[node] = S[node] - infected
        newI[node] = I[node] + infected - recovered
        newR[node] = R[node] + recovered
    return newS, newI, newR


def simulate(adjacency, vaccinated, beta, gamma, efficacy, seeds, weeks, per_week=7):
    I = {n: (1.0 if n in seeds else 0.0) for n in adjacency}
    S = {n: 1.0 - I[n] for n in adjacency}
    R = dict.fromkeys(adjacency, 0.0)
    incidence = []
    for week in range(weeks):
        before = sum(S.values())
        for _ in range(per_week):
            S, I, R = step(S, I, R, adjacency, vaccinated, beta, gamma, efficacy, 1 / per_week)
        incidence.append(before - sum(S.values()))
        if sum(I.values()) < 1e-4:
            incidence += [1e-6] * (weeks - len(incidence))
            break
    return np.array(incidence), R


def negative_binomial(k, mu, r):
    return gammaln(k + r) - gammaln(r) - gammaln(k + 1) + r * np.log(r / (r + mu)) + k * np.log(mu / (r + mu))


def f(theta, edges, cases):
    beta, gamma, efficacy, dispersion = np.exp(theta)
    net = build_network(edges)
    inc, R = simulate(net, vaccinate(net, 3), beta, gamma, efficacy, {0}, len(cases))
    ll = sum(negative_binomial(k, mu, dispersion) for k, mu in zip(cases, inc))
    attack = np.mean(list(R.values()))
    return -ll + 5 * (attack - 0.4) ** 2


def args():
    rng = np.random.default_rng(1)
    edges = [(i, (i + 1) % 14) for i in range(14)] + [tuple(map(int, rng.integers(0, 14, 2))) for _ in range(10)]
    return np.log([0.6, 0.5, 0.7, 4.0]), edges, [1, 2, 2, 3, 1, 0]
