"""Ways in which a derivative gets lost: each must be right or refused, never zero and never wrong."""

import math
import operator
import types
from typing import Any

import numpy as np

BUFFER = np.zeros(2)
STORE: dict[str, Any] = {}
HISTORY: list[Any] = []


class Holder:
    value = 0.0


def by_float(x):
    return float(x[0]) ** 2 + float(np.sum(x))


def by_item(x):
    return x[0].item() * x.item(1) + np.sum(x).item()


def by_tolist(x):
    a, b = x.tolist()
    return a * b


def by_numpy_scalar(x):
    return np.float64(x[0]) * np.float64(x[1])


def by_astype(x):
    return np.sum(x.astype(float) * x.astype("float64") + x.astype(np.float64, copy=False))


def by_single_precision(x):
    return np.sum(x.astype(np.float32) ** 2)


def by_int(x):
    return x[0] * int(x[1] * 3)


def by_integer_buffer(x):
    b = np.zeros(2, dtype=int)
    b[:] = x * 3
    return x[0] * b[1]


def by_buffer_like_an_integer_array(x):
    b = np.zeros_like(np.arange(2))
    b[0] = x[0] * 5
    b += 1
    return x[1] ** 2 * b[0]


def by_array_of_elements(x):
    return np.sum(np.array([x[0], x[1], x[0] * x[1]]) ** 2)


def by_array_of_rows(x):
    return np.sum(np.array([x, x * 2]) ** 2)


def by_asarray(x):
    return np.sum(np.asarray([x[0] * 2, 1.0]) ** 2)


def by_fromiter(x):
    return np.sum(np.fromiter((v * v for v in x), dtype=float))


def by_copyto(x):
    b = np.zeros(2)
    np.copyto(b, x)
    return np.sum(b ** 2)


def by_out(x):
    b = np.zeros(2)
    np.multiply(x, x, out=b)
    return np.sum(b)


def by_positional_out(x):
    b = np.zeros(2)
    np.sin(x, b)
    return np.sum(b)


def by_add_at(x):
    b = np.zeros(2)
    np.add.at(b, [0, 0], x)
    return np.sum(b ** 2)


def by_put(x):
    b = np.zeros(2)
    np.put(b, [1, 0], x)
    return b[0] * 2 + b[1] ** 2


def by_fill(x):
    b = np.zeros(3)
    b.fill(x[0])
    return np.sum(b ** 2)


def by_flat(x):
    b = np.zeros((1, 2))
    b.flat[:] = x
    return np.sum(b ** 2)


def by_view(x):
    b = x.copy()
    v = b.view()
    v[0] = x[1] ** 2
    return np.sum(b ** 2)


def by_frombuffer(x):
    return np.sum(np.frombuffer(x.tobytes()) ** 2)


def by_reduce(x):
    return np.add.reduce(x ** 2) + np.multiply.reduce(x)


def by_accumulate(x):
    return np.sum(np.add.accumulate(x) ** 2)


def by_outer_method(x):
    return np.sum(np.multiply.outer(x, x) ** 2)


def by_vectorize(x):
    return np.sum(np.vectorize(lambda v: v * v)(x))


def by_apply_along_axis(x):
    return np.sum(np.apply_along_axis(np.square, 0, x))


def by_sort_method(x):
    b = x * x
    b.sort()
    return b[0] * 2 + b[1]


def by_fill_diagonal(x):
    b = np.zeros((2, 2))
    np.fill_diagonal(b, x)
    return np.sum(b ** 2)


def by_setitem_method(x):
    b = np.zeros(2)
    b.__setitem__(0, x[0])
    return np.sum(b ** 2)


def by_setitem_of_operator(x):
    b = np.zeros(2)
    operator.setitem(b, 0, x[0] * x[1])
    return np.sum(b ** 2)


def by_setattr(x):
    h = Holder()
    h.value = x[0] * x[1]
    return h.value ** 2


def by_list_append(x):
    parts = []
    for v in x:
        parts.append(v * v)
    return parts[0] + parts[1] * parts[0]


def by_list_store(x):
    parts = [0.0, 0.0]
    parts[1] = x[0] * x[1]
    return sum(parts) ** 2


def by_dict_store(x):
    d = {"a": 0.0}
    d["a"] = x[0] ** 2
    d["b"] = x[1]
    return d["a"] * d["b"]


def by_global_buffer(x):
    BUFFER[:] = x
    return np.sum(BUFFER ** 2)


def by_global_dict(x):
    STORE["x"] = x * 2
    return np.sum(STORE["x"] ** 2)


def by_global_list(x):
    HISTORY.append(x[0] * x[1])
    return HISTORY[-1] ** 2


def by_mutable_default(x, memory=[0.0]):  # noqa: B006
    memory[0] = x[0] * x[1]
    return memory[0] ** 2


def by_round(x):
    return np.sum(x * np.round(x, 1))


def by_math(x):
    return math.fsum(x) + math.prod(x) + math.fabs(x[0]) + math.dist(x, [0.0, 1.0])


def by_complex(x):
    return ((x[0] + 1j * x[1]) ** 2).real + abs(complex(x[0], x[1]))


def by_real_part(x):
    return np.sum(np.real(x * (1 + 2j)) ** 2 + np.abs(x * 1j))


def by_meshgrid(x):
    a, b = np.meshgrid(x, x)
    return np.sum(a * b)


def by_divmod(x):
    q, r = divmod(x[0], 0.3)
    return r ** 2 + q


def by_comparison_product(x):
    return np.sum((x > 0.7) * x ** 2)


def by_where_indices(x):
    (i,) = np.where(x > 0)
    return np.sum(x[i] ** 2)


def by_take(x):
    return np.sum(np.take(x, [0, 0, 1]) ** 2) + x.take(1)


def by_pad(x):
    return np.sum(np.pad(x, 2, mode="edge") ** 2)


def by_r_underscore(x):
    return np.sum(np.r_[x, x[0], 3.0] ** 2)


def by_nditer(x):
    total = 0.0
    for v in np.nditer(x):
        total = total + v * v
    return total


def by_ndindex(x):
    total = 0.0
    for i in np.ndindex(x.shape):
        total = total + x[i] ** 2
    return total


def by_map(x):
    return sum(map(abs, x)) + sum(map(math.sin, x))


def by_reversed(x):
    total = 0.0
    for v in reversed(x):
        total = total * 0.5 + v
    return total


def by_sorted(x):
    a, b = sorted(x)
    return a * 2 + b ** 2


def by_star_argument(x):
    return math.hypot(*x)


def by_method_of_a_slice(x):
    b = np.zeros(4)
    b[1:3].__iadd__(x)
    return np.sum(b ** 2)


LAUNDERERS = [f for name, f in list(globals().items()) if name.startswith("by_") and isinstance(f, types.FunctionType)]
