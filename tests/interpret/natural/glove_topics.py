"""Word embeddings with topic mixtures over a tiny corpus: GloVe loss + document likelihood."""
from collections import Counter, defaultdict

import numpy as np
from scipy.special import gammaln, logsumexp, softmax

CORPUS = """the star formed in a cold cloud of gas and dust
the gas cloud collapsed and the star began to burn hydrogen
a planet orbits the star and its light dims in transit
the enzyme binds the protein and the cell begins to divide
a protein folds in the cell and the gene makes an enzyme
the gene in a cell codes for the protein
light from the planet shows gas and dust in its atmosphere
the market price of a bond falls when the rate rises
a trader sells the bond and the price of the stock rises
the rate of the market moves the stock price""".split("\n")

STOP = {"the", "a", "an", "of", "in", "and", "its", "to", "for", "from", "when"}


def tokenize(line):
    return [w for w in line.lower().split() if w not in STOP]


def build_vocab(docs, min_count=1):
    counts = Counter(w for d in docs for w in d)
    vocab = {}
    for w, c in counts.most_common():
        if c < min_count:
            break
        vocab[w] = len(vocab)
    return vocab


def cooccurrence(docs, vocab, window=3):
    X = defaultdict(float)
    for d in docs:
        ids = [vocab[w] for w in d if w in vocab]
        for i, wi in enumerate(ids):
            for j in range(max(0, i - window), i):
                X[wi, ids[j]] += 1.0 / (i - j)
                X[ids[j], wi] += 1.0 / (i - j)
    return X


def glove_loss(params, X, x_max=3.0, power=0.75):
    W, C, b, c = params["W"], params["C"], params["b"], params["c"]
    total = 0.0
    for (i, j), x in X.items():
        weight = min(1.0, (x / x_max) ** power)
        diff = W[i] @ C[j] + b[i] + c[j] - np.log(x)
        total += weight * diff**2
    return total / len(X)


def topic_word(params):
    """Topic distributions from topic vectors in the embedding space."""
    return softmax(params["topics"] @ params["W"].T + params["b"], axis=1)


def doc_loglik(params, docs, vocab):
    log_beta = np.log(topic_word(params))
    out = []
    for d, words in enumerate(docs):
        log_theta = params["theta"][d] - logsumexp(params["theta"][d])
        ll = 0.0
        for w, n in Counter(words).items():
            if w not in vocab:
                continue
            ll += n * logsumexp(log_theta + log_beta[:, vocab[w]])
        alpha = np.exp(params["log_alpha"])
        K = len(alpha)
        ll += gammaln(alpha.sum()) - gammaln(alpha).sum() + np.sum((alpha - 1) * log_theta)
        out.append(ll)
    return np.array(out)


def coherence_penalty(params, top=4):
    """Spread of the leading words of each topic."""
    W = params["W"]
    beta = topic_word(params)
    pen = 0.0
    for k in range(len(beta)):
        best = np.argsort(beta[k])[::-1][:top]
        V = W[best]
        U = V / np.linalg.norm(V, axis=1, keepdims=True)
        pen += top**2 - np.sum(U @ U.T)
    return pen / len(beta)


def f(params, corpus, lam=0.05):
    docs = [tokenize(line) for line in corpus]
    vocab = build_vocab(docs)
    X = cooccurrence(docs, vocab)
    ll = doc_loglik(params, docs, vocab)
    n_tok = sum(map(len, docs))
    l2 = sum(np.sum(np.square(params[k])) for k in ("W", "C", "topics"))
    return glove_loss(params, X) - ll.sum() / n_tok + lam * coherence_penalty(params) + 1e-3 * l2


def args(dim=6, K=3):
    rng = np.random.default_rng(6)
    V = len(build_vocab([tokenize(line) for line in CORPUS]))
    params = {"W": 0.4 * rng.standard_normal((V, dim)), "C": 0.4 * rng.standard_normal((V, dim)),
              "b": 0.1 * rng.standard_normal(V), "c": np.zeros(V),
              "topics": rng.standard_normal((K, dim)),
              "theta": rng.standard_normal((len(CORPUS), K)), "log_alpha": np.full(K, -0.5)}
    return params, CORPUS


WRT = (0,)
