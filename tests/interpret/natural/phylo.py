"""Likelihood of a phylogenetic tree by Felsenstein's pruning algorithm: GTR model, four gamma rate classes, Newick input."""
import re
from collections import namedtuple
from functools import lru_cache, reduce
import numpy as np
from scipy.linalg import expm
from scipy.stats import gamma

Node = namedtuple("Node", "name index children")

TREE = "((human,chimp),gorilla,(mouse,rat));"
SEQS = {
    "human":   "ACGTTGCAAGCTTACGGT",
    "chimp":   "ACGTTGCAAGCTTACGAT",
    "gorilla": "ACGTCGCAAGCTTGCGAT",
    "mouse":   "ATGTCGCTAGATTGCAAC",
    "rat":     "ATGTCGCTAGNTTACAAC",
}
CODE = dict(zip("ACGT", np.eye(4)), N=np.ones(4), **{"-": np.ones(4)})


def parse_newick(text):
    tokens = iter(re.findall(r"[(),;]|\w+", text))
    counter = iter(range(1000))

    def node():
        tok = next(tokens)
        if tok != "(":
            return Node(tok, next(counter), ()), next(tokens)
        children, sep = [], ","
        while sep == ",":
            child, sep = node()
            children.append(child)
        assert sep == ")"
        return Node(None, next(counter), tuple(children)), next(tokens)

    root, end = node()
    assert end == ";"
    return root


def leaves(node):
    if not node.children:
        yield node
    for c in node.children:
        yield from leaves(c)


def patterns(seqs):
    """Compress the alignment to its distinct columns."""
    counts = {}
    for col in zip(*seqs.values()):
        counts[col] = counts.get(col, 0) + 1
    return list(counts), np.array(list(counts.values()))


def gtr(exch, freqs):
    Q = np.zeros((4, 4))
    Q[np.triu_indices(4, 1)] = exch
    Q = (Q + Q.T) * freqs
    Q -= np.diag(Q.sum(axis=1))
    return Q / -np.dot(freqs, np.diag(Q))


def f(logbranch, logexch, logfreq, shape):
    root = parse_newick(TREE)
    freqs = np.exp(logfreq)
    freqs /= freqs.sum()
    Q = gtr(np.append(np.exp(logexch), 1.0), freqs)
    t = np.exp(logbranch)
    rates = gamma.ppf((np.arange(4) + 0.5) / 4, shape, scale=1 / shape)
    rates /= rates.mean()

    @lru_cache(maxsize=None)
    def transition(branch, cls):
        return expm(Q * (t[branch] * rates[cls]))

    columns, weight = patterns(SEQS)
    tips = {name: np.array([CODE[c[i]] for c in columns]) for i, name in enumerate(SEQS)}
    assert {n.name for n in leaves(root)} <= set(tips)

    def partial(node, cls):
        if not node.children:
            return tips[node.name]
        return reduce(np.multiply, (partial(c, cls) @ transition(c.index, cls).T for c in node.children))

    site = sum(partial(root, k) @ freqs for k in range(4)) / 4
    return float(-(weight * np.log(site)).sum() + 10 * t.sum())


WRT = (0, 1, 2)


def args():
    return (np.log([0.02, 0.03, 0.05, 0.04, 0.1, 0.12, 0.2]), np.log([1.2, 4.0, 0.9, 1.1, 3.6]), np.log([0.3, 0.2, 0.2, 0.3]), 0.7)
