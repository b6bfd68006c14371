"""Layers and nets: convolution, pooling, attention."""

import numpy as np

from tests.corpus.case import array

from .kernel import kernel, scaled


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    largest = np.max(x, axis=-1, keepdims=True)
    exponentials = np.exp(x - largest)
    total = np.sum(exponentials, axis=-1, keepdims=True)
    return exponentials / total


kernel(softmax, x=array("2 2 2 3"))


def mlp(input, w1, b1, w2, b2, w3, b3):
    x = relu(input @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


kernel(
    mlp, input=array("2 3"), w1=array("3 4"), b1=array("4"), w2=array("4 3"), b2=array("3"), w3=array("3 2"), b3=array("2"),
)


def conv2d(input, weights):
    k = weights.shape[0]
    samples, height, width = input.shape[0], input.shape[1] - k + 1, input.shape[2] - k + 1
    output = np.empty((samples, height, width, weights.shape[3]), dtype=input.dtype)
    for i in range(height):
        for j in range(width):
            output[:, i, j, :] = np.sum(
                input[:, i:i + k, j:j + k, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3),
            )
    return output


def conv2d_bias(input, weights, bias):
    return conv2d(input, weights) + bias


kernel(conv2d_bias, input=array("2 4 4 2"), weights=array("2 2 2 3"), bias=array("3"))


def maxpool2d(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return output


def lenet(input, conv1, bias1, conv2, bias2, fc1, fc1bias, fc2, fc2bias, samples, flat):
    x = relu(conv2d(input, conv1) + bias1)
    x = maxpool2d(x)
    x = relu(conv2d(x, conv2) + bias2)
    x = maxpool2d(x)
    x = np.reshape(x, (samples, flat))
    x = relu(x @ fc1 + fc1bias)
    return x @ fc2 + fc2bias


kernel(
    lenet, input=array("1 10 10 1"), conv1=array("3 3 1 2"), bias1=array("2"), conv2=scaled(array("3 3 2 2"), 0.3), bias2=array("2"),
    fc1=array("2 4"), fc1bias=array("4"), fc2=array("4 3"), fc2bias=array("3"), samples=1, flat=2,
)


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    deviation = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(deviation + eps)


def resnet_block(input, conv1, conv2, conv3):
    padded = np.zeros((input.shape[0], input.shape[1] + 2, input.shape[2] + 2, conv1.shape[3]))
    padded[:, 1:-1, 1:-1, :] = conv2d(input, conv1)
    x = relu(batchnorm2d(padded))
    x = relu(batchnorm2d(conv2d(x, conv2)))
    x = batchnorm2d(conv2d(x, conv3))
    return relu(x + input)


kernel(resnet_block, input=array("3 3 3 2"), conv1=array("1 1 2 1"), conv2=array("3 3 1 1"), conv3=array("1 1 1 2"))


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def layernorm(x, gain, offset):
    mean = x.mean(axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) + offset


def attention_block(x, wq, wk, wv, wo, gain, offset, w1, w2, heads):
    batch, length, width = x.shape
    q = (x @ wq).reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
    k = (x @ wk).reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
    v = (x @ wv).reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
    weights = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // heads))
    mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    x = layernorm(x + mixed @ wo, gain, offset)
    return layernorm(x + gelu(x @ w1) @ w2, gain, offset)


kernel(
    attention_block, x=array("1 3 4"), wq=array("4 4"), wk=array("4 4"), wv=array("4 4"), wo=array("4 4"), gain=array("4"),
    offset=array("4"), w1=array("4 3"), w2=array("3 4"), heads=2,
)
