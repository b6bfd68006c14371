"""Linear-chain CRF over strings with feature extraction into a vocabulary dict; log-likelihood by forward in log space, Viterbi margin."""
from collections import Counter, defaultdict

import numpy as np
from scipy.special import logsumexp

TAGS = ["DET", "NOUN", "VERB"]
TAG_ID = {t: i for i, t in enumerate(TAGS)}
CORPUS = [
    ("the dog barks", "DET NOUN VERB"),
    ("a cat sleeps", "DET NOUN VERB"),
    ("dogs chase the cats", "NOUN VERB DET NOUN"),
    ("the old man sleeps", "DET NOUN NOUN VERB"),
]


def features(words, i):
    w = words[i]
    yield f"w={w}"
    yield f"suffix={w[-1:]}"
    if i == 0:
        yield "first"
    if len(w) > 3:
        yield "long"
    if i > 0:
        yield f"prev={words[i - 1]}"


def build_vocab(corpus, min_count=1):
    counts = Counter()
    for text, _ in corpus:
        words = text.split()
        for i in range(len(words)):
            counts.update(features(words, i))
    kept = [k for k, n in sorted(counts.items()) if n >= min_count]
    return {k: i for i, k in enumerate(kept)}


VOCAB = build_vocab(CORPUS)


def potentials(words, W):
    scores = np.zeros((len(words), len(TAGS)))
    for i in range(len(words)):
        for feat in features(words, i):
            idx = VOCAB.get(feat)
            if idx is not None:
                scores[i] += W[idx]
    return scores


def log_partition(scores, trans):
    alpha = scores[0]
    for s in scores[1:]:
        alpha = logsumexp(alpha[:, None] + trans, axis=0) + s
    return logsumexp(alpha)


def path_score(scores, trans, tags):
    total = scores[0, tags[0]]
    for i, (a, b) in enumerate(zip(tags[:-1], tags[1:]), start=1):
        total += trans[a, b] + scores[i, b]
    return total


def viterbi(scores, trans):
    best, back = scores[0], []
    for s in scores[1:]:
        cand = best[:, None] + trans
        back.append(cand.argmax(axis=0))
        best = cand.max(axis=0) + s
    tag = int(np.argmax(best))
    path = [tag]
    for b in back[::-1]:
        path.insert(0, int(b[path[0]]))
    return path, best.max()


def f(W, trans, l2=0.01):
    nll = 0.0
    errors = defaultdict(int)
    for text, gold in CORPUS:
        words = text.split()
        tags = [TAG_ID[t] for t in gold.split()]
        scores = potentials(words, W)
        gold_score = path_score(scores, trans, tags)
        nll += log_partition(scores, trans) - gold_score
        predicted, top = viterbi(scores, trans)
        if predicted != tags:
            nll += 0.1 * (top - gold_score)
            for p, t in zip(predicted, tags):
                if p != t:
                    errors[TAGS[t]] += 1
    return nll / len(CORPUS) + l2 * (np.sum(W * W) + np.sum(trans * trans)) + 0.001 * sum(errors.values())


WRT = (0, 1)


def args():
    rng = np.random.default_rng(6)
    return 0.3 * rng.normal(size=(len(VOCAB), len(TAGS))), 0.5 * rng.normal(size=(3, 3))
