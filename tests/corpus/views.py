"""Views that live while their array changes, and arrays that are known by several names: right, and none of them refused."""

import itertools

import numpy as np

from .case import array, case, number


def parts_of_a_state(y, dt):
    u, v = y[:2], y[2:4]
    for _ in range(3):
        v -= dt * u
        u += dt * v
    return np.sum(y ** 2)


case(parts_of_a_state, array("4"), number(0.1))


def view_read_around_a_change(x):
    a = x * 2
    v = a[1:]
    before = np.sum(v ** 2)
    a[2] *= x[0]
    after = np.sum(v ** 3)
    v[0] = before
    return np.sum(a) * after


case(view_read_around_a_change, array("n"))


def view_taken_anew_in_each_trip(x):
    a = x * 1.0
    for k in range(len(x) - 1):
        w = a[k:k + 2]
        w *= w[::-1] + x[k]
    return np.sum(a ** 2)


case(view_taken_anew_in_each_trip, array("n"))


def view_that_outlives_its_trip(x):
    a = x * 1.0
    w = a[:2]
    for k in range(2):
        w[0] += a[k]
        w = a[k:k + 2]
    return np.sum(a * x) + np.sum(w)


case(view_that_outlives_its_trip, array("n"))


def view_in_a_loop_that_is_left(x):
    a = x * 1.0
    for k in range(len(x)):
        w = a[k:]
        w[0] *= 2
        if np.sum(w) < 0.5:
            break
        a[k] += 0.1
    return np.sum(a ** 2) + np.sum(w)


case(view_in_a_loop_that_is_left, array("n"))


def no_trip_over_a_view(x):
    v = x[1:]
    for _ in range(0):
        v *= 2
    x[1] = x[0] ** 2
    return np.sum(v ** 2)


case(no_trip_over_a_view, array("n"))


def one_view_on_each_branch(x, s):
    if s > 0:
        v = x[1:]
        v *= s
    else:
        v = x[:-1]
        v -= s
    return np.sum(x ** 2) + np.sum(v)


case(one_view_on_each_branch, array("n"), number(0.3))


def base_bound_anew_under_its_view(x):
    a = x * 2
    v = a[1:]
    a[1] = 3 * x[0]
    a = a[::-1] * 2
    return np.sum(v ** 2) + np.sum(a)


case(base_bound_anew_under_its_view, array("n"))


def index_changed_under_its_view(a):
    k = 0
    row = a[k]
    row *= 2
    k = 1
    a[k] += row
    return np.sum(a ** 2)


case(index_changed_under_its_view, array("m n"))


def transposed_and_stored_into(a):
    t = a.T
    t[0, 1] = t[1, 0] ** 2
    t[1] += a[:, 0]
    a *= 2
    return np.sum(t ** 3)


case(transposed_and_stored_into, array("m n"))


def chained_store(a, i):
    a[i][1] = a[0][0] ** 2
    a[i][1:][0] += a[i][0]
    a[:, 1][0] *= 3
    return np.sum(a ** 2)


case(chained_store, array("m n"), 1, wrt=0)


def two_names_two_changes(x, y):
    p, q = x, y
    p += 1.0
    q *= x
    return np.sum(x * y) + np.sum(p * q)


case(two_names_two_changes, array("n"), array("n"))


def advanced(p, q, dt):
    q += dt * p
    p -= dt * q


def callee_changes_two_arguments(p, q, dt):
    for _ in range(3):
        advanced(p, q, dt)
        advanced(q[:-1], p[1:], dt)
    return np.sum(p ** 2) + np.sum(q ** 2)


case(callee_changes_two_arguments, array("n"), array("n"), number(0.1))


def swapped_buffers(x, steps):
    now, later = x * 1.0, np.zeros_like(x)
    for _ in range(steps):
        later[1:-1] = 0.5 * (now[2:] + now[:-2]) + now[1:-1] ** 2
        now, later = later, now
    return np.sum(now ** 2) + np.sum(later)


case(swapped_buffers, array("n"), 3, wrt=0)


def row_changed_and_read_through_the_matrix(a):
    for k, row in enumerate(a):
        row[1:] -= row[0] * a[0, 1:]
        a[k, 0] = np.sum(row)
    return np.sum(a ** 2)


case(row_changed_and_read_through_the_matrix, array("m n"))


def buffers_in_a_list(x, y):
    a, b = x * 2, y * 3
    for u in [a, b]:
        u *= x
    return np.sum(a * b)


case(buffers_in_a_list, array("n"), array("n"))


def arguments_in_a_tuple(x, y):
    for u in (x, y):
        u *= 2 * u[0]
    return np.sum(x * y)


case(arguments_in_a_tuple, array("n"), array("n"))


def list_of_layers(us):
    for u in us:
        u[1:] *= us[0][0]
    return np.sum(us[0] * us[1])


case(list_of_layers, [array("n"), array("n")])


def fields_of_a_state(u, v, dt):
    state = {"u": u.copy(), "v": v.copy()}
    for _ in range(3):
        state["v"][1:-1] += dt * (state["u"][2:] - 2 * state["u"][1:-1] + state["u"][:-2])
        state["u"] += dt * state["v"]
    return np.sum(state["u"] ** 2)


case(fields_of_a_state, array("n"), array("n"), number(0.1))


def clock_in_a_state(x, dt):
    state = {"t": 0, "x": x}
    for _ in range(3):
        state["t"] += dt
        state["x"] = state["x"] * (1 + state["t"])
    return state["x"]


case(clock_in_a_state, number(0.4), number(0.1))


def pair_unpacked_and_changed(x, y):
    pair = x * 1.0, y
    p, q = pair
    p[0] = q[0] ** 2
    q *= p
    return np.sum(pair[0] * pair[1])


case(pair_unpacked_and_changed, array("n"), array("n"))


def one_array_twice_in_a_list(x):
    a = x * 2
    both = [a, a]
    both[0] *= 3
    return np.sum(both[1])


case(one_array_twice_in_a_list, array("n"))


def parameter_changed_while_its_view_is_weighed(x, w):
    tail = x[1:]
    for k in range(len(w)):
        x[0] += w[k] * tail[0]
        tail[0] *= w[k]
        x *= 1.1
    return np.sum(tail * x[:-1])


case(parameter_changed_while_its_view_is_weighed, array("n"), array("k"))


def condition_through_a_view(x):
    a = x * 1.0
    v = a[1:]
    while v[0] < 2.0:
        a += 0.7
        if v[1] > 1.0:
            v[1] *= 0.5
    return np.sum(a * v[0])


case(condition_through_a_view, array("n"))


def transposed_by_a_function(a):
    t = np.transpose(a)
    t[0] *= 2
    a[0] += t[1, 0]
    return np.sum(t ** 2)


case(transposed_by_a_function, array("m n"))


def reversed_and_stored_into(x):
    back = np.flip(x)
    back[0] = x[1] ** 2
    x *= 2
    column = x[:, None]
    column[1] += back[0]
    return np.sum(x * back)


case(reversed_and_stored_into, array("n"))


def entry_of_an_index_array(x):
    places = np.array([0, 2])
    v = x[places[0]:]
    places[0] = 1
    x[1] *= 3
    return np.sum(v ** 2)


case(entry_of_an_index_array, array("n"), may_refuse=True)


def view_whose_name_is_bound_again(x):
    f = x * 1.0
    t = f[:-1]
    f[1:] *= t
    t = f[1:] * 2
    f[0] *= t[0]
    return np.sum(f ** 2) + np.sum(t ** 3)


case(view_whose_name_is_bound_again, array("n"))


def view_of_the_whole_bound_again(x):
    f = x * 1.0
    t = f[::-1]
    f *= t
    t = f[1:]
    return np.sum(f ** 2) + np.sum(t ** 3)


case(view_of_the_whole_bound_again, array("n"))


def view_at_a_place_that_moves(x):
    f = x * 1.0
    k = 0
    while k < len(x) - 1:
        t = f[k:]
        f[k + 1:] *= t[:-1]
        k += 1
    return np.sum(f ** 2)


case(view_at_a_place_that_moves, array("n"))


def columns_of_a_split(a):
    b = a @ a.T
    left, right = np.hsplit(b, [1])
    left *= right[:, :1]
    return np.sum(b ** 2)


case(columns_of_a_split, array("m n"))


def reversed_in_place(x):
    b = x * 2
    v = b[::-1]
    b[:] = v
    return np.sum(b * np.arange(len(x))) + v[0]


case(reversed_in_place, array("n"))


def row_of_the_array_stored_into(a, s):
    for i in range(2):
        row = a[i]
        a[:, 1:] *= s
        a[...] = row
    return np.sum(a ** 2)


case(row_of_the_array_stored_into, array("n m"), number(0.7))


def argument_reversed_in_place(x):
    v = x[::-1]
    x[:] = v
    return np.sum(np.sin(v))


case(argument_reversed_in_place, array("n"))


def sums_as_they_go(x):
    s = 0.5
    for e in itertools.accumulate([0.3, 0.4 - s]):
        if x[2] > 0:
            s, e = e, s * -1.3
        s += 0.1 * e
    return s * np.sum(x)


case(sums_as_they_go, array("n"))
