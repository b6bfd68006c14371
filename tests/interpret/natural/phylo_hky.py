#!/usr/bin/env python
# Felsenstein pruning, HKY85 + discrete gamma rates, fixed topology
import re
from collections import Counter
import numpy as np
from scipy.stats import gamma as gamma_dist

BASES = "ACGT"
AMBIG = {"R": "AG", "Y": "CT", "N": "ACGT", "-": "ACGT"}


class Node:
    def __init__(self, name=None):
        self.name = name
        self.children = []
        self.index = None

    def is_tip(self):
        return not self.children

    def postorder(self):
        for c in self.children:
            yield from c.postorder()
        yield self


def parse_newick(s):
    """topology only; branch lengths live in a separate vector"""
    root = Node()
    stack = [root]
    for tok in re.findall(r"[(),;]|[^(),;]+", s):
        if tok == "(":
            n = Node()
            stack[-1].children.append(n)
            stack.append(n)
        elif tok == ",":
            stack.pop()
            n = Node()
            stack[-1].children.append(n)
            stack.append(n)
        elif tok == ")":
            stack.pop()
        elif tok == ";":
            break
        else:
            stack[-1].name = tok.strip()
    for i, n in enumerate(root.postorder()):
        n.index = i
    return root


def site_patterns(aln):
    names = list(aln)
    if len({len(s) for s in aln.values()}) != 1:
        raise ValueError("sequences are not aligned")
    counts = Counter(zip(*(aln[n] for n in names)))
    pats, w = zip(*sorted(counts.items()))
    tips = {}
    for j, n in enumerate(names):
        m = np.zeros((len(pats), 4))
        for i, p in enumerate(pats):
            for b in AMBIG.get(p[j], p[j]):
                m[i, BASES.index(b)] = 1.0
        tips[n] = m
    return tips, np.array(w, float)


def hky_eigen(kappa, pi):
    Q = np.tile(pi, (4, 1))
    for i, j in [(0, 2), (2, 0), (1, 3), (3, 1)]:
        Q[i, j] = Q[i, j] * kappa
    np.fill_diagonal(Q, 0.0)
    Q -= np.diag(Q.sum(axis=1))
    Q /= -(pi * np.diag(Q)).sum()
    # symmetrise so eigh can be used
    sq = np.sqrt(pi)
    S = sq[:, None] * Q / sq[None, :]
    lam, U = np.linalg.eigh((S + S.T) / 2)
    return lam, U / sq[:, None], U.T * sq[None, :]


def gamma_rates(rel):
    r = np.cumsum(np.exp(rel))
    return r / r.mean()


def f(log_bl, log_kappa, pi_logit, rate_par, data):
    tree, tips, weights = data
    pi = np.exp(np.append(pi_logit, 0.0))
    pi /= pi.sum()
    lam, L, R = hky_eigen(np.exp(log_kappa), pi)
    bl = np.exp(log_bl)
    rates = gamma_rates(rate_par)

    site_lik = np.zeros(len(weights))
    for r in rates:
        partial = {}
        for node in tree.postorder():
            if node.is_tip():
                partial[node.index] = tips[node.name]
                continue
            acc = np.ones((len(weights), 4))
            for c in node.children:
                P = (L * np.exp(lam * bl[c.index] * r)) @ R
                acc *= partial[c.index] @ P.T
            partial[node.index] = acc
        site_lik += partial[tree.index] @ pi / len(rates)
    lnL = weights @ np.log(site_lik)
    prior = -10.0 * bl.sum() - 0.5 * (log_kappa - 1.0) ** 2
    return -(lnL + prior)


def args():
    tree = parse_newick("((human,chimp),gorilla,(orang,gibbon));")
    aln = {"human": "ACGTTGCAATGCCGTAAGCTTACGGATC", "chimp": "ACGTTGCAGTGCCGTAAGCTTACGGATC",
           "gorilla": "ACGTCGCAATGCCATAAGCTTATGGNTC", "orang": "ATGTCGTAATGACATAGGCTTACGAATC",
           "gibbon": "ATGCCGTAACGACATAGGCTAACGA-TT"}
    tips, w = site_patterns(aln)
    n = sum(1 for _ in tree.postorder())
    bl = np.log(0.05 + 0.02 * np.arange(n - 1))
    g = gamma_dist.ppf([0.125, 0.375, 0.625, 0.875], 0.8)
    return bl, 1.2, np.array([0.2, -0.1, 0.05]), np.log(np.diff(g, prepend=0.0)), (tree, tips, w)


WRT = (0, 1, 2, 3)
