"""Forward pass of a tiny GPT in numpy (loading weights trained elsewhere, we just
evaluate the loss here).  Layout of the parameter tree follows the usual
wte / wpe / blocks / ln_f naming."""
import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, g, b, eps: float = 1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b


def linear(x, w, b):
    return x @ w + b


def ffn(x, c_fc, c_proj):
    return linear(gelu(linear(x, **c_fc)), **c_proj)


def attention(q, k, v, mask):
    return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v


def mha(x, c_attn, c_proj, n_head):
    x = linear(x, **c_attn)
    qkv = np.split(x, 3, axis=-1)
    qkv_heads = list(map(lambda x: np.split(x, n_head, axis=-1), qkv))
    causal_mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e10
    out_heads = [attention(q, k, v, causal_mask) for q, k, v in zip(*qkv_heads)]
    return linear(np.hstack(out_heads), **c_proj)


def transformer_block(x, mlp, attn, ln_1, ln_2, n_head):
    x = x + mha(layer_norm(x, **ln_1), **attn, n_head=n_head)
    x = x + ffn(layer_norm(x, **ln_2), **mlp)
    return x


def gpt2(inputs, wte, wpe, blocks, ln_f, n_head):
    x = wte[inputs] + wpe[range(len(inputs))]
    for block in blocks:
        x = transformer_block(x, **block, n_head=n_head)
    return layer_norm(x, **ln_f) @ wte.T


def lm_loss(logits, targets):
    m = logits.max(axis=-1)
    logz = m + np.log(np.exp(logits - m[:, None]).sum(axis=-1))
    picked = logits[np.arange(len(targets)), targets]
    return (logz - picked).mean()


def f(params, batch, hparams):
    losses = []
    for seq in batch:
        logits = gpt2(seq[:-1], **params, n_head=hparams["n_head"])
        losses.append(lm_loss(logits, seq[1:]))
    wd = 0.0
    for block in params["blocks"]:
        for mod in ("attn", "mlp"):
            for name, lin in block[mod].items():
                wd += (lin["w"] ** 2).sum()
    return np.mean(losses) + hparams["weight_decay"] * wd


def _lin(rng, n_in, n_out):
    return {"w": rng.normal(0, 1 / np.sqrt(n_in), (n_in, n_out)), "b": 0.02 * rng.normal(size=n_out)}


def _ln(rng, n):
    return {"g": 1 + 0.05 * rng.normal(size=n), "b": 0.05 * rng.normal(size=n)}


def args():
    rng = np.random.default_rng(0)
    hp = {"n_vocab": 30, "n_ctx": 16, "n_embd": 24, "n_head": 3, "n_layer": 2, "weight_decay": 1e-4}
    d = hp["n_embd"]
    params = {
        "wte": rng.normal(0, 0.3, (hp["n_vocab"], d)),
        "wpe": rng.normal(0, 0.1, (hp["n_ctx"], d)),
        "blocks": [
            {
                "ln_1": _ln(rng, d),
                "attn": {"c_attn": _lin(rng, d, 3 * d), "c_proj": _lin(rng, d, d)},
                "ln_2": _ln(rng, d),
                "mlp": {"c_fc": _lin(rng, d, 4 * d), "c_proj": _lin(rng, 4 * d, d)},
            }
            for _ in range(hp["n_layer"])
        ],
        "ln_f": _ln(rng, d),
    }
    batch = rng.integers(0, hp["n_vocab"], (6, hp["n_ctx"] + 1))
    return params, batch, hp
