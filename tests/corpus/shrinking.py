"""Lists that become shorter, or get their items at other places than the end."""

import numpy as np

from .case import array, case


def stack(x):
    st = []
    for i in range(4):
        st.append(x[i])
        if i % 2 == 1:
            b = st.pop()
            a = st.pop()
            st.append(a * b)
    t = st.pop()
    return t * st.pop()


case(stack, array("n"))


def pop_expr(x):
    st = [x[0], x[1], x[2]]
    t = st.pop() * 2 + st.pop() ** 2
    return t * st[-1]


case(pop_expr, array("n"))


def pop_statement(x):
    st = [v ** 2 for v in x]
    st.pop()
    return sum(st)


case(pop_statement, array("n"))


def while_pop(x):
    st = [v ** 2 for v in x]
    t = 0.0
    while st:
        t = t * 0.5 + st.pop()
    return t


case(while_pop, array("n"))


def pop_zero(x):
    q = [v ** 2 for v in x]
    t = 0.0
    while len(q) > 0:
        v = q.pop(0)
        t = t * 0.5 + v
    return t


case(pop_zero, array("n"))


def pop_index(x):
    q = [v ** 2 for v in x]
    v = q.pop(1)
    return v * q[0] + q[1] * q[2] ** 2


case(pop_index, array("n"))


def insert_zero(x):
    q = []
    for v in x:
        q.insert(0, v ** 2)
    return q[0] * q[1] + q[2] ** 2


case(insert_zero, array("n"))


def window(x):
    q = [0.0, 0.0]
    t = 0.0
    for i in range(4):
        q.append(x[i])
        q.pop(0)
        t += q[0] * q[1] ** 2
    return t


case(window, array("n"))


def del_item(x):
    q = [v ** 2 for v in x]
    del q[0]
    return q[0] * q[1] + q[-1]


case(del_item, array("n"))


def reverse_in_place(x):
    q = [v ** 2 for v in x]
    q.reverse()
    return q[0] + 2 * q[1] * q[2] + 4 * q[3]


case(reverse_in_place, array("n"))


def clear_list(x):
    q = []
    t = 0.0
    for i in range(4):
        q.append(x[i] ** 2)
        if len(q) == 2:
            t += q[0] * q[1]
            q.clear()
    return t


case(clear_list, array("n"))


def copy_list(x):
    q = [v ** 2 for v in x]
    r = q.copy()
    r.append(x[0])
    return q[-1] * r[-1] + r[0] + len(q)


case(copy_list, array("n"))


def concat_list(x):
    a = [x[0], x[1] ** 2]
    b = [x[2], x[3] ** 3]
    c = a + b
    return c[0] * c[1] + c[2] * c[3]


case(concat_list, array("n"))


def concat_list_loop(x):
    c = [x[0]]
    for i in range(1, 4):
        c = c + [c[-1] * x[i]]
    return c[0] + 2 * c[1] + 3 * c[3]


case(concat_list_loop, array("n"))


def times_list(x):
    a = [x[0], x[1] ** 2]
    c = a * 2
    return c[0] * c[3] + c[2]


case(times_list, array("n"))


def slice_list(x):
    a = [v ** 2 for v in x]
    b = a[1:]
    t = 0.0
    for v, w in zip(a[:-1], b):
        t += v * w
    return t * b[0]


case(slice_list, array("n"))


def extend_slice(x):
    a = [v ** 2 for v in x]
    a += a[1:]
    return sum(a) * a[5]


case(extend_slice, array("n"))


def none_then_pop(x):
    st = [x[0], x[1], x[2]]
    s = 0.0
    for i in range(3):
        t = st[-1]
        s += t * t
        st.pop()
        st.insert(0, t * x[3])
    return s * st[0]


case(none_then_pop, array("n"))


def pop_before_use(x):
    st = [v ** 2 for v in x]
    t = st[-1]
    a = st.pop()
    y = t * a * st[-1]
    return y


case(pop_before_use, array("n"))


def list_truth(x):
    items = [x[0]]
    t = 0.0
    for i in range(4):
        if items and x[i] > -5:
            t += items.pop() * x[i] ** 2
        else:
            items.append(x[i] ** 3)
    return t


case(list_truth, array("n"))


def mixed_pop(x):
    items = [x[0] ** 2, x * 2]
    items.pop(0)
    return np.sum(items[0] * x)


case(mixed_pop, array("n"))


def pop_computed(x):
    items = [v ** 2 for v in x]
    t = 1.0
    for i in [1, 0, -1]:
        v = items.pop(i)
        t = t * v + items[0]
    return t


case(pop_computed, array("n"))


def insert_computed(x):
    items = []
    for i in range(4):
        items.insert(i - 2, x[i] ** 2)
    return items[0] + 2 * items[1] * items[2] + 3 * items[3]


case(insert_computed, array("n"))


def index_pop(x):
    idx = [0, 2, 3]
    t = 1.0
    for i in range(3):
        t = t * 0.5 + t * x[idx.pop()] ** 2
    return t


case(index_pop, array("n"))


def pop_plus(x):
    idx = [3, 2, 1, 0]
    t = 0.0
    for i in range(4):
        k = idx.pop() + 0
        if idx:
            t = t + x[k] ** 2
        else:
            t = t * x[k]
    return t


case(pop_plus, array("n"))


def test_pop(x):
    st = list(x)
    t = 1.0
    while len(st) > 1:
        if st.pop() > 0:
            t = t * st[-1]
    return t * st[0]


case(test_pop, array("n"))


def while_test_pop(x):
    st = list(x)
    t = 1.0
    while len(st) > 2 and st.pop() > 0:
        t = t * st[-1]
    return t * st[0]


case(while_test_pop, array("n"))


def arg_order2(x):
    st = list(x)
    t = st[-1] * len(st) - st.pop() * len(st) ** 2
    return t * st[-1]


case(arg_order2, array("n"))


def comp_pop(x):
    st = list(x)
    ys = [st.pop() ** 2 for _ in range(3)]
    return ys[0] * ys[2] + st[0]


case(comp_pop, array("n"))


def ternary_pop(x):
    st = list(x)
    a = st.pop() if x[0] > 0 else 2.0
    b = st.pop() if x[0] < 0 else 2.0
    return a * st[-1] + b


case(ternary_pop, array("n"))


def graph(x):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: []}
    stack = [0]
    seen = set()
    t = 1.0
    while stack:
        i = stack.pop()
        if i in seen:
            continue
        seen.add(i)
        t = t * x[i] + x[i] ** 2
        for j in edges[i]:
            if j not in seen:
                stack.append(j)
    return t


case(graph, array("n"))


def bfs(x):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: []}
    queue = [0]
    depth = {0: 1}
    t = 1.0
    while queue:
        i = queue.pop(0)
        t = t * x[i] ** depth[i]
        for j in edges[i]:
            if j not in depth:
                depth[j] = depth[i] + 1
                queue.append(j)
    return t


case(bfs, array("n"))


def remove(x):
    free = [0, 1, 2, 3]
    t = 1.0
    while free:
        i = max(free, key=lambda j: x[j])
        free.remove(i)
        t = t * 0.5 + x[i] * t ** 2
    return t


case(remove, array("n"))


def order_list(x):
    order = []
    for i in range(4):
        order.insert(0, i)
    order.sort(key=lambda i: -i % 3)
    t = 1.0
    for i in order:
        t = t * 0.3 + x[i] ** 2
    order.pop()
    for i in order:
        t = t * 0.3 + x[i] ** 2
    return t


case(order_list, array("n"))


def swap_index(x):
    p = [0, 1, 2, 3]
    t = 1.0
    for k in range(3):
        p[k], p[k + 1] = p[k + 1], p[k]
        t = t * x[p[k]] + x[p[0]] ** 2
    return t


case(swap_index, array("n"))


def flags(x):
    done = [False] * 4
    t = 1.0
    for i in [0, 1, 0, 3]:
        if done[i]:
            t = t * x[i]
        done[i] = True
        t = t + x[i] ** 2
    return t


case(flags, array("n"))


def pop_within_append(x):
    queue = [x[0], x[1] * x[2]]
    for e in x:
        queue.append(queue.pop(0) * e + 0.4)
    return queue[0] * queue[-1]


case(pop_within_append, array("n"))


def pop_within_insert(x):
    queue = [x[0], x[1] * x[2], x[0] * 2]
    for e in x:
        queue.insert(len(queue) - 1, queue.pop() * e * len(queue) + queue[0])
    return queue[0] + queue[1] * queue[2]


case(pop_within_insert, array("n"))
