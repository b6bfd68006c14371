"""Programs for PyTorch 0.3, written as they were written there and changed as little as could be: their gradients, and that they learn.

The tables of calls are in test_api_like_torch; here are the idioms: truncated backpropagation through time, sampling, rewards, running
statistics, penalties of gradients. The second half holds what such programs stumbled over.
"""

import numpy as np
import pytest

from sourcediff import Function, Variable, autograd, cat, no_grad
from sourcediff.errors import InPlaceError

from .numbers import agree, differences, second_order_agrees


def leaves(shapes, seed=0, scale=0.5):
    rng = np.random.default_rng(seed)
    return [Variable(scale * rng.standard_normal(shape), requires_grad=True) for shape in shapes]


def slopes(loss, variables):
    """The gradient of ``loss()`` with respect to Variables, by central differences of their data."""

    def at(*arrays):
        kept = [v.data for v in variables]
        for v, array in zip(variables, arrays):
            v.data = array
        try:
            return loss().item()
        finally:
            for v, array in zip(variables, kept):
                v.data = array

    return differences(at, *(v.data for v in variables))


def checked(loss, variables):
    """``loss().backward()``, its gradients compared with numbers; the loss."""
    expected = slopes(loss, variables)
    value = loss()
    value.backward()
    for v, slope in zip(variables, expected):
        np.testing.assert_allclose(v.grad.data, slope, rtol=1e-5, atol=1e-7)
    return value


def zero_grad(variables):
    for v in variables:
        if v.grad is not None:
            v.grad.zero_()


# A recurrent net that reads characters

TEXT = "it was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, "
CHARS = sorted(set(TEXT))
BATCH = 4
LINES = np.array([CHARS.index(c) for c in TEXT[:len(TEXT) // BATCH * BATCH]]).reshape(BATCH, -1).T  # (time, batch)


class CharRNN:
    def __init__(self, units):
        n = len(CHARS)
        shapes = [(n, units), (units, 4 * units), (units, 4 * units), (4 * units,), (units, n), (n,)]
        self.units = units
        self.embedding, self.wx, self.wh, self.b, self.wo, self.bo = self.parameters = leaves(shapes, scale=0.3)

    def cell(self, x, h, c):
        gates = x.mm(self.wx) + h.mm(self.wh) + self.b.expand(x.size(0), self.b.size(0))
        i, f, o, g = gates.chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    def start(self, batch, volatile=False):
        return tuple(Variable(np.zeros((batch, self.units)), volatile=volatile) for _ in range(2))

    def __call__(self, x, hidden):
        h, c = hidden
        steps = []
        embedded = self.embedding.index_select(0, x.view(-1)).view(x.size(0), x.size(1), -1)
        for e in embedded:
            h, c = self.cell(e, h, c)
            steps.append(h)
        out = cat(steps, 0)
        return self.bo.expand(out.size(0), self.bo.size(0)).addmm(out, self.wo), (h, c)


def nll(logits, target):
    return -logits.log_softmax(dim=1).gather(1, target.view(-1, 1)).mean()


def window(begin, length):
    return Variable(LINES[begin:begin + length]), Variable(LINES[begin + 1:begin + length + 1])


def repackage_hidden(h):
    """As in the example of a language model: new Variables of the same data."""
    return Variable(h.data) if isinstance(h, Variable) else tuple(repackage_hidden(v) for v in h)


def test_a_window_of_truncated_backpropagation_through_time():
    net = CharRNN(units=3)
    x, target = window(0, 4)
    _, hidden = net(x, net.start(BATCH))
    hidden = repackage_hidden(hidden)
    x, target = window(4, 4)
    checked(lambda: nll(net(x, hidden)[0], target), net.parameters)
    assert all(h.grad_fn is None and h.grad is None for h in hidden)


def test_a_character_net_learns_a_sentence_and_says_it_again():
    net = CharRNN(units=16)
    hidden, losses, length = net.start(BATCH), [], 9
    means = [np.zeros(p.shape) for p in net.parameters]
    for step in range(240):
        begin = step * length % (len(LINES) - length)
        if begin < length:
            hidden = net.start(BATCH)
        x, target = window(begin, length)
        hidden = repackage_hidden(hidden)
        out, hidden = net(x, hidden)
        loss = nll(out, target)
        zero_grad(net.parameters)
        loss.backward()
        total = sum(p.grad.norm().item() ** 2 for p in net.parameters) ** 0.5
        for p, mean in zip(net.parameters, means):
            p.grad.data *= min(1.0, 2.0 / (total + 1e-6))
            mean *= 0.9
            mean += p.grad.data
            p.data -= 0.15 * mean
        losses.append(loss.item())
    assert losses[0] > 2.5 and np.mean(losses[-10:]) < 0.9

    hidden, x = net.start(1, volatile=True), Variable(LINES[:1, :1], volatile=True)
    said = [CHARS[x.data[0, 0]]]
    for _ in range(20):
        out, hidden = net(x, hidden)
        assert out.volatile and out.grad_fn is None
        _, best = out.max(dim=1)
        x = best.view(1, 1)
        said.append(CHARS[best.data[0]])
    assert "".join(said).startswith("it was the ")


# A policy, and the rewards of what it did


def rewarded(rng, policy, count):
    """Log-probabilities and rewards of ``count`` draws: the second of three arms pays most."""
    log_probs, rewards = [], []
    for _ in range(count):
        log_p = policy.log_softmax(dim=0)
        action = int(rng.choice(3, p=np.exp(log_p.data) / np.exp(log_p.data).sum()))
        log_probs.append(log_p[action])
        rewards.append([0.0, 1.0, 0.3][action] + 0.1 * rng.standard_normal())
    rewards = np.array(rewards)
    return log_probs, (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def test_reinforce_learns_which_arm_pays():
    def policy_loss():
        log_probs, rewards = rewarded(np.random.default_rng(0), policy, 8)
        return cat([-log_p * reward for log_p, reward in zip(log_probs, rewards)]).sum()

    policy = Variable(np.array([0.3, -0.2, 0.1]), requires_grad=True)
    checked(policy_loss, [policy])

    rng = np.random.default_rng(1)
    for _ in range(60):
        log_probs, rewards = rewarded(rng, policy, 16)
        policy.grad = None
        cat([-log_p * reward for log_p, reward in zip(log_probs, rewards)]).sum().backward()
        policy.data -= 0.05 * policy.grad.data
    assert policy.softmax(dim=0).data[1] > 0.9


# Convolution by index arrays, a Function of one's own, a mask, running statistics


class MaxPool(Function):
    """The largest of each 2 x 2 entries."""

    @staticmethod
    def forward(ctx, x):
        n, c, h, w = x.shape
        parts = x.reshape(n, c, h // 2, 2, w // 2, 2)
        largest = parts.max(axis=(3, 5))
        ctx.chosen = parts == largest[:, :, :, None, :, None]
        return largest

    @staticmethod
    def backward(ctx, g):
        chosen = ctx.chosen * g[:, :, :, None, :, None]
        n, c, h, _, w, _ = chosen.shape
        return chosen.reshape(n, c, 2 * h, 2 * w)


class BatchNorm:
    def __init__(self, features):
        self.gamma, self.beta = (Variable(a, requires_grad=True) for a in (np.ones(features), np.zeros(features)))
        self.running_mean, self.running_var = Variable(np.zeros(features)), Variable(np.ones(features))
        self.training = True

    def __call__(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            mean = x.mean(0)
            var = x.var(0)
            self.running_mean.mul_(0.9).add_(0.1, mean.detach())
            self.running_var.data *= 0.9
            self.running_var.data += 0.1 * var.data
        return (x - mean.expand_as(x)) / (var + 1e-5).sqrt().expand_as(x) * self.gamma + self.beta


def convolved(x, w, b, k=3):
    n, _, height, width = x.size()
    rows, columns = height - k + 1, width - k + 1
    i = np.repeat(np.arange(k), k)[:, None] + np.repeat(np.arange(rows), columns)
    j = np.tile(np.arange(k), k)[:, None] + np.tile(np.arange(columns), rows)
    patches = x[:, 0, i, j]
    return (w.unsqueeze(0).matmul(patches) + b.view(1, -1, 1)).view(n, w.size(0), rows, columns)


def test_a_convolutional_net_with_dropout_and_batch_norm():
    rng = np.random.default_rng(0)
    images, target = Variable(rng.standard_normal((5, 1, 6, 6)), requires_grad=True), Variable(rng.integers(0, 3, 5))
    w, b, out = leaves([(2, 9), (2,), (8, 3)], seed=1)
    norm = BatchNorm(8)
    mask = Variable((rng.random((5, 8)) >= 0.3) / 0.7)

    def features():
        h = MaxPool.apply(convolved(images, w, b).clamp(min=0))
        return h.view(h.size(0), -1)

    def loss():
        norm.running_mean, norm.running_var = Variable(np.zeros(8)), Variable(np.ones(8))
        return nll((norm(features()) * mask).mm(out), target)

    checked(loss, [images, w, b, norm.gamma, norm.beta, out])
    np.testing.assert_allclose(norm.running_mean.data, 0.1 * features().data.mean(0), rtol=1e-12)
    np.testing.assert_allclose(norm.running_var.data, 0.9 + 0.1 * features().data.var(0), rtol=1e-12)
    assert not norm.running_mean.requires_grad and norm.running_mean.grad_fn is None

    norm.training = False
    before = norm.running_mean.data.copy()
    quiet = norm(features().detach())
    np.testing.assert_array_equal(norm.running_mean.data, before)
    np.testing.assert_allclose(
        quiet.data, (features().data - before) / np.sqrt(norm.running_var.data + 1e-5) * norm.gamma.data + norm.beta.data, rtol=1e-12)


# Derivatives of derivatives


def test_a_gradient_penalty():
    """As for a critic: the length of the gradient between real and made-up samples is drawn to 1."""
    w1, w2 = leaves([(4, 6), (6, 1)], seed=3)
    between = Variable(np.random.default_rng(4).standard_normal((5, 4)), requires_grad=True)

    def penalty():
        critic = between.mm(w1).tanh().mm(w2).sigmoid()
        (gradients,) = autograd.grad(
            outputs=critic, inputs=between, grad_outputs=np.ones(critic.size()), create_graph=True, retain_graph=True, only_inputs=True)
        return ((gradients.view(gradients.size(0), -1).norm(2, dim=1) - 1) ** 2).mean() * 10

    checked(penalty, [w1, w2])
    with pytest.raises(ValueError, match="use backward"):
        autograd.grad(penalty(), w1, only_inputs=False)


def test_newtons_method_finds_the_bottom_of_rosenbrocks_valley():
    x = Variable(np.array([-1.2, 1.0]), requires_grad=True)
    for _ in range(8):
        f = 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
        (g,) = autograd.grad(f, x, create_graph=True)
        hessian = np.stack([autograd.grad(entry, x, retain_graph=True)[0].data for entry in g])
        x.data -= np.linalg.solve(hessian, g.data)
    np.testing.assert_allclose(x.data, 1.0, atol=1e-9)


# What they stumbled over


def test_integers_stay_a_variable_in_another_shape():
    i = Variable(np.arange(6).reshape(2, 3))
    for made in (i.view(-1, 1), i.t(), i.unsqueeze(0), i.clone(), i[:, :1].expand(2, 3), i.index_select(0, [1]), cat([i, i], 1), i.max(1)):
        assert type(made) is Variable and made.dtype == i.dtype and not made.requires_grad
    assert i.view(-1).size(0) == 6
    i.view(3, 2)[0] = 7
    assert i.data.tolist() == [[7, 7, 2], [3, 4, 5]]  # a view
    mask = Variable(np.array([True, False])).unsqueeze(1).expand(2, 2)
    x = Variable(np.ones((2, 2)), requires_grad=True)
    x.masked_fill(mask, 0).sum().backward()
    assert x.grad.data.tolist() == [[0, 0], [1, 1]]
    assert type(i > 2) is np.ndarray and type(i.eq(i)) is np.ndarray and type(x.argmax()) is np.int64
    assert Variable(i.data, volatile=True).view(-1).volatile


def test_indices_that_come_with_values_are_a_variable_too():
    x = Variable(np.array([[0.1, 0.7, 0.2], [0.9, 0.5, 0.4]]), requires_grad=True)
    target = Variable(np.array([1, 2]))
    for _, indices in (x.max(dim=1), x.topk(1, dim=1), x.sort(dim=1, descending=True), x.min(dim=1)):
        assert type(indices) is Variable and type(indices.data) is np.ndarray and not indices.requires_grad
    _, predicted = x.max(dim=1)
    assert (predicted.data == target.data).sum() == 1 and predicted.eq(target).mean() == 0.5
    assert x.data[np.arange(2), predicted].tolist() == x[np.arange(2), predicted].data.tolist() == [0.7, 0.9]
    assert Variable(x.data, volatile=True).max(dim=1)[1].volatile


def test_the_accuracy_among_the_first_k():
    """The helper of the ImageNet example."""
    output = Variable(np.array([[0.1, 0.7, 0.2], [0.9, 0.5, 0.4], [0.2, 0.1, 0.7]]), requires_grad=True)
    target = Variable(np.array([2, 2, 2]))
    _, predicted = output.topk(2, 1, True, True)
    predicted = predicted.t()
    correct = predicted.eq(target.view(1, -1).expand_as(predicted))
    assert [correct[:k].reshape(-1).sum() for k in (1, 2)] == [1, 2]


def test_a_mask_of_bytes_selects_as_one_of_bools_does():
    x = Variable(np.array([[1.5, -1.0], [2.0, -3.0]]), requires_grad=True)
    mask = (x.data > 0).astype(np.uint8)
    chosen = x.masked_select(mask)
    assert chosen.data.tolist() == [1.5, 2.0] and x.masked_select(mask[0]).data.tolist() == [1.5, 2.0]
    (chosen * chosen).sum().backward()
    assert x.grad.data.tolist() == [[3.0, 0.0], [4.0, 0.0]]


def test_the_older_name_of_retain_graph():
    x = Variable(np.array([1.0, 2.0]), requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_variables=True)
    y.backward()
    assert x.grad.data.tolist() == [4.0, 8.0]


def test_a_number_takes_a_seed_of_one_entry():
    """Numbers were arrays of one entry there, and a critic's were seeded with ``one`` and ``mone``."""
    x = Variable(np.array([1.0, 2.0]), requires_grad=True)
    (x * x).sum().backward(np.array([-1.0]))
    assert x.grad.data.tolist() == [-2.0, -4.0]
    autograd.backward([x.sum(), x.sum()], [np.ones(1), Variable(np.ones((1, 1)))])
    assert x.grad.data.tolist() == [0.0, -2.0]
    seed = Variable(np.array([3.0]), requires_grad=True)
    (g,) = autograd.grad((x * x).sum(), x, seed, create_graph=True)
    g.sum().backward()
    assert seed.grad.data.tolist() == [6.0] and x.grad.data.tolist() == [6.0, 4.0]


def test_numbers_are_joined_as_arrays_of_one_entry():
    agree(lambda x: (cat([np.sum(x), np.prod(x) * 2, x[0]]) ** 2).sum(), np.array([1.5, -2.0, 0.5]))
    assert cat([np.float64(1.0), np.array([2.0, 3.0])]).tolist() == [1.0, 2.0, 3.0]


def test_the_logarithm_of_a_tiny_sigmoid_is_finite():
    x = np.array([-700.0, -40.0, -1e-9, 0.0, 1e-9, 2.5, 40.0, 700.0])
    v = Variable(x, requires_grad=True)
    np.testing.assert_allclose(v.sigmoid().data, np.exp(-np.logaddexp(0, -x)), rtol=1e-12)
    log = v.sigmoid().log()
    np.testing.assert_allclose(log.data, -np.logaddexp(0, -x), rtol=1e-13, atol=1e-17)
    (g,) = autograd.grad(log.sum(), v)
    np.testing.assert_allclose(g.data, np.exp(-np.logaddexp(0, x)), rtol=1e-12, atol=1e-17)
    for kind in (np.float16, np.float32):
        assert Variable(x.astype(kind)).sigmoid().dtype == kind
    assert Variable(2.0).sigmoid().item() == pytest.approx(0.8807970779778823, rel=1e-15)
    second_order_agrees(lambda v: (v.sigmoid() * v).sum(), np.array([-3.0, -0.5, 0.0, 0.3, 2.0]))


@pytest.mark.parametrize("name", ["sigmoid", "softmax", "log_softmax"])
def test_what_makes_probabilities_is_one_node_that_can_be_differentiated_twice(name):
    x = Variable(np.ones(2), requires_grad=True)
    node = getattr(x, name)().grad_fn
    assert node.name == name and node.edges == (x._node,)
    scores = np.array([[0.3, -1.2, 2.0], [5.0, 0.0, 0.1]])
    for args in ([()] if name == "sigmoid" else [(), (0,), (1,)]):
        second_order_agrees(lambda v, args=args: (getattr(v, name)(*args) ** 3).sum(), scores)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_scores_of_minus_infinity_have_no_part(name):
    """As in a policy that masks what is not allowed: the others have the gradient that they have among themselves."""
    scores, allowed, weights = np.array([1.0, 0.5, 2.0]), np.array([True, False, True]), np.array([1.0, -3.0])
    x, few = Variable(scores, requires_grad=True), Variable(scores[allowed], requires_grad=True)
    masked = np.where(allowed, x, -np.inf)
    (getattr(masked, name)(dim=0)[allowed] * weights).sum().backward()
    (getattr(few, name)(dim=0) * weights).sum().backward()
    np.testing.assert_allclose(x.grad.data[allowed], few.grad.data, rtol=1e-12)
    assert x.grad.data[1] == 0 and np.all(few.grad.data != 0)


@pytest.mark.parametrize(("call", "remedy"), [
    (lambda x: x.repeat(1, 1, 2), r"np\.tile\(x, \(1, 1, 2\)\)"), (lambda x: x.sort(1, True), r"x\.sort\(dim=1, descending=True\)"),
    (lambda x: x.gather(1, np.array([0, 1])), r"index\.reshape\(-1, 1\)"), (lambda x: x.type("torch.FloatTensor"), r"np\.float32"),
], ids=["repeat", "sort", "gather", "type"])
def test_what_is_spelled_otherwise_says_how(call, remedy):
    with pytest.raises((TypeError, ValueError), match=remedy):
        call(Variable(np.ones((2, 2)), requires_grad=True))


@pytest.mark.parametrize(("name", "remedy"), [
    ("next_functions", "grad_fn.edges"), ("previous_functions", "sourcediff.graph"), ("saved_tensors", "grad_fn.saved"),
])
def test_what_a_grad_fn_does_not_have_says_what_to_look_at(name, remedy):
    x = Variable(np.ones(2), requires_grad=True)
    y = x * x
    with pytest.raises(AttributeError, match=remedy):
        getattr(y.grad_fn, name)
    assert y.grad_fn.edges == (x._node, x._node) and len(y.grad_fn.saved) == 2


def test_a_remedy_works_as_it_is_written():
    """Of names that programs had from ``torch.nn.functional``: what they are told to write gives that function's values."""
    data = np.array([-2.0, 0.5, 3.0])
    agree(lambda x: (np.logaddexp(0, x) * np.arange(3.0)).sum(), data)
    target = np.array([0.0, 1.0, 1.0])
    probability = 1 / (1 + np.exp(-data))
    np.testing.assert_allclose(np.logaddexp(0, data) - target * data, -np.log(np.where(target, probability, 1 - probability)))

    def scattered(v):
        y = v.clone() if isinstance(v, Variable) else v.copy()
        np.add.at(y, [0, 0, 2], v * v)
        return (y * y).sum()

    agree(scattered, data)
    for name, word in (("scatter_add", "add.at"), ("softplus", "logaddexp"), ("dropout", "rng.random"), ("masked_scatter", "mask")):
        with pytest.raises(AttributeError, match=word):
            getattr(Variable(data), name)


def test_a_hook_that_changes_the_gradient_in_place_is_told_to_return_it():
    x = Variable(np.array([1.0, 2.0]), requires_grad=True)
    y = x * 3
    handle = y.register_hook(lambda g: g.clamp_(-1, 1))
    with pytest.raises(InPlaceError, match=r"return g\.clamp"):
        (y * y).sum().backward()
    handle.remove()
    y = x * 3
    y.register_hook(lambda g: g.clamp(-1, 1))
    (y * y).sum().backward()
    assert x.grad.data.tolist() == [3.0, 3.0]


def test_parameters_are_updated_as_each_release_did_it():
    """By the array, by a new array, and under ``no_grad``: the same numbers, and the leaf stays one."""
    def stepped(update):
        w = Variable(np.array([1.0, -2.0]), requires_grad=True)
        for _ in range(3):
            w.grad = None
            (w * w * w).sum().backward()
            update(w)
        assert w.is_leaf and w.requires_grad
        return w.data

    def by_array(w):
        w.data -= 0.1 * w.grad.data

    def by_new_array(w):
        w.data = w.data - 0.1 * w.grad.data

    @no_grad()
    def without_recording(w):
        w.add_(-0.1, w.grad)

    expected = stepped(by_array)
    np.testing.assert_allclose(stepped(by_new_array), expected, rtol=1e-14)
    np.testing.assert_allclose(stepped(without_recording), expected, rtol=1e-14)
