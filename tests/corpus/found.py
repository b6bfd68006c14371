"""Counterexamples: what the fuzzer, the cross-check and trying it out found wrong once, each as small as it got."""

import numpy as np

from .case import array, case, number


def reversed_into_its_own_name(x):
    x = x[::-1]
    return np.sum(np.sin(x))


case(reversed_into_its_own_name, array("n"))


def result_and_old_value_under_one_name(x, y):
    y = np.hypot(y[::-1], 0.3 + x**2)
    return np.sum(y)


case(result_and_old_value_under_one_name, array("n"), array("n"))


def array_stored_into_itself(y):
    y[:] = y
    return np.sum(np.sin(y))


case(array_stored_into_itself, array("n"))


def slice_times_the_whole(x):
    x[::-1] *= x
    return np.sum(x**2)


case(slice_times_the_whole, array("n"))


def slice_plus_two_slices(y):
    y[1:] += y[:-1] + y[:-1]
    return np.sum(y)


case(slice_plus_two_slices, array("n"))


def whole_plus_two_views(x):
    x += x[::-1] + x[::-1]
    return np.sum(x**2)


case(whole_plus_two_views, array("n"))


def slices_of_the_product_overlap(u):
    u[1:-1] += u[2:] * u[:-2]
    return np.sum(u**2)


case(slices_of_the_product_overlap, array("n"))


def view_of_a_view_times(x):
    x[:2] *= x[-3:][:2]
    return np.sum(x)


case(view_of_a_view_times, array("n"))


def concatenation_added_to_a_part(x, y):
    x += np.concatenate((y[3:4], x[1:]))
    x[-3] -= 0.2
    return np.sum(x)


case(concatenation_added_to_a_part, array("n"), array("n"))


def mask_of_what_is_stored(b):
    for _ in range(2):
        b[b > 0.4] -= 0.9
    b *= b[0]
    return np.sum(b**2)


case(mask_of_what_is_stored, array("n"))


def parameter_rebound_in_a_loop(t):
    for _ in range(3):
        t = (t / 1.5) * (-t)
    return t


case(parameter_rebound_in_a_loop, number(0.9))


def old_value_needed_by_what_is_computed_again(x, t):
    s = np.sum(x[x > 0.1])
    for _ in range(2):
        t, s = s, t * -1.3
        t = 0.5 * np.sum(x[x > -0.5]) * (s - t)
    return t


case(old_value_needed_by_what_is_computed_again, array("n"), number(0.4))


def update_by_a_number_of_unknown_kind(x, b):
    x /= 1.5 + np.mean(np.outer(b[[0, -1, 0]], x)) ** 2
    return np.sum(x)


case(update_by_a_number_of_unknown_kind, array("n"), array("n"))


def product_in_place_by_a_branch(x, b):
    v = b[[0, -1, 0]]
    s = v[1] * v[0]
    if s > 0:
        factor = s * s * s * 0.5
    else:
        factor = s * 0.5
    x *= factor
    return np.sum(x) + np.sum(v)


case(product_in_place_by_a_branch, array("n"), array("n"))


def test_kept_beside_what_changes(x, y, s):
    if y[0] < s:
        pass
    elif np.sum(y) < 0.15 and not np.sum(x) < 0.15:
        y[1], y[-2] = y[-2], y[1]
    x /= 1.5 + np.log1p(x[2] ** 2) ** 2
    s -= np.mean(np.outer(y[1:4], y[::-1]))
    return s + np.sum(x)


case(test_kept_beside_what_changes, array("n"), array("n"), number(-3.0))


def bound_in_a_branch_never_taken(a, s, t):
    for row in a:
        if 0.9 > 0.9:
            t = s / (1.5 + row[0] ** 2)
    return t


case(bound_in_a_branch_never_taken, array("m n"), number(0.3), number(-0.7))


def only_passes(s):
    for _ in range(0):
        pass
    return s


case(only_passes, number(0.3))


def rule_locals_like_the_users_names(a, b):
    a = a + 3 * np.eye(3)
    x = np.linalg.solve(a, b)
    for _ in range(2):
        r = b - a @ x
        x += 0.5 * r * x
    return x.T @ x


case(rule_locals_like_the_users_names, array("3 3"), array("3"))


def names_of_helpers(x, b):
    like = x * 2.0
    zeros_like = b * x + b
    return np.prod(zeros_like) * np.sum(like) + np.linalg.norm(x)


case(names_of_helpers, array("n"), array("n"))


def adjoint_names_of_the_users_own(x):
    x_bar = x * 3
    x_bar_bar = x_bar * x
    return np.sum(x_bar * x_bar_bar)


case(adjoint_names_of_the_users_own, array("n"))


def lists_in_a_dict(p):
    u = p["b"][0]
    return u.dot(u) * p["b"][1]


case(lists_in_a_dict, {"b": [array("n"), number(0.7)]})


def element_of_its_own_result(x):
    for _ in range(2):
        x = np.tanh(x) - 0.1 * x[1]
    return np.sum(x)


case(element_of_its_own_result, array("n"))


def matrix_times_view_under_a_scalars_name(x, a, t):
    t = np.sum(0.4 * (x[-3:][:3] @ a))
    x[[1, 0]] /= 1.5 + t**2
    return np.sum(x)


case(matrix_times_view_under_a_scalars_name, array("n"), array("3 m"), number(0.2))


def double_precision_inside(a):
    a = a.copy() + 5 * np.eye(4)
    for i in range(3):
        a[i + 1, i:] -= 0.3 * a[i, i:]
    return np.sum(np.log(np.abs(np.diag(a))))


case(double_precision_inside, array("4 4"), float32=True)


def floored_in_place(x):
    a = x * 1.0
    a[0] //= 0.3
    a[1] %= 0.4
    return np.sum(a * a)


case(floored_in_place, array("n"))


def loop_target_in_an_array(x):
    y = x * 1.0
    total = 0.0
    for y[0] in range(3):
        total += y[0] * y[1]
    return total


case(loop_target_in_an_array, array("n"))


def loop_target_at_the_place_it_names(x):
    y = x * 1.0
    total = 0.0
    for i, y[i] in enumerate(range(2)):
        total += np.sum(y**3)
    return total


case(loop_target_at_the_place_it_names, array("n"))


def numbers_unpacked_into_an_array(x):
    y = x * 1.0
    i = 0
    y[i], i = divmod(7, 6)
    return np.sum(y * y) * y[i]


case(numbers_unpacked_into_an_array, array("n"))


def loop_target_before_the_place_it_names(x):
    y = x * 1.0
    i = 0
    total = 0.0
    for y[i], i in zip(range(5, 7), range(2)):
        total += np.sum(y * y) * i
    return total


case(loop_target_before_the_place_it_names, array("n"))


def copy_that_need_not_be_one(x):
    x = x.copy()
    d = x.astype(float, copy=False)
    d[0] = x[1] * 2
    return np.sum(d * x)


case(copy_that_need_not_be_one, array("n"), may_refuse=True)


def flattened_is_a_copy(x):
    a = x * 1.5
    d = a.flatten()
    d *= x[1, 1]
    return np.sum(a**2) + np.sum(d)


case(flattened_is_a_copy, array("m n"))


def copied_in_rows(x):
    a = x.T.copy()
    b = a.T.reshape(-1)
    b[0] = 0.0
    return np.sum(a) + np.sum(b * b)


case(copied_in_rows, array("m n"), may_refuse=True)


def adjoint_shared_by_a_sum_and_its_parts(x, b):
    x = np.concatenate((x[-2:][:1], x[1:])) + (x[3] + x)
    b[1:] -= x[::-2][:1]
    return np.sum(b**2)


case(adjoint_shared_by_a_sum_and_its_parts, array("n"), array("n"))


def number_that_forgets_its_input(t):
    for _ in range(2):
        t = 0.9 if t < t else -0.2
    return t


case(number_that_forgets_its_input, number(0.4))


def zero_or_a_float(x, s):
    s = np.maximum(np.tanh(1.6), x[1] if -0.2 > 1.6 else s)
    return s + np.sum(x**2)


case(zero_or_a_float, array("n"), number(-0.1))


def rows_of_a_renamed_buffer(t):
    b = np.ones((2, 3))
    c = b
    c *= t
    total = 0.0
    for row in b:
        total += np.sum(row * row)
    return total


case(rows_of_a_renamed_buffer, number(1.5))


def renamed_array_unpacked(t, b):
    c = b
    c *= t
    u, v, w = b
    return u * v + w


case(renamed_array_unpacked, number(1.5), array("3"), wrt=0)


def renamed_array_read_by_its_first_name(t, b):
    c = b
    c[0] += t
    s = 0.0
    for i in range(len(b)):
        s = s + np.sin(b[i]) * c[i]
    return s


case(renamed_array_read_by_its_first_name, number(1.5), array("n"), wrt=0)


def _scaled(z, factor):
    z *= factor


def _filled_at_one(z, value):
    z[1] = value


def entries_after_a_callee_scaled_them(t, b):
    total = 0.0
    _scaled(b, t)
    for x in b:
        total += x * x
    return total


case(entries_after_a_callee_scaled_them, number(1.5), array("n"), wrt=0)


def entries_before_a_callee_fills_one(t, b):
    total = 0.0
    for _ in range(2):
        for x in b:
            total += x * x
        total += np.sin(b[1])
        _filled_at_one(b, t)
    return total


case(entries_before_a_callee_fills_one, number(1.5), array("n"), wrt=0)


def parameter_bound_to_what_a_loop_has_changed(x, y):
    for i in range(3):
        y += y[0] * x[i]
    x = y
    return np.sum(x**2)


case(parameter_bound_to_what_a_loop_has_changed, array("n"), array("n"))


def three_names_in_turn_after_a_loop(x, y):
    z = x * 1.0
    for i in range(3):
        z = z + y * z[0]
        x = x * y
    x, y, z = y, z, x
    return np.sum(x) + np.sum(y) + z @ z


case(three_names_in_turn_after_a_loop, array("n"), array("n"))


def scaled_by(scale):
    def scaled(x):
        return np.sum(x * scale)

    return scaled


doubled, sevenfold = scaled_by(2.0), scaled_by(7.0)


def two_functions_of_one_maker(x):
    return doubled(x) + sevenfold(x) * x[0]


case(two_functions_of_one_maker, array("n"))


def assigned_where_it_is_returned(x):
    return (y := x[0] * x[1]) * x[0] + y


case(assigned_where_it_is_returned, array("n"))


def filled_and_added_to_what_fills_it(x):
    p = np.zeros(np.shape(x))
    for i in range(len(x)):
        p[i] = x[i]
    return np.sum(np.sin(p + x))


case(filled_and_added_to_what_fills_it, array("n 3"), float32=True)


def reduced_along_the_last_axis(x):
    return np.sum(x * x, axis=-1) * np.prod(np.sin(x), axis=0) + np.max(x, axis=-1)


case(reduced_along_the_last_axis, array(""))


def number_beside_a_buffer_that_is_overwritten(x):
    y = x * 1.0
    z = np.array(x)
    z[...] = z * z
    return z * y


case(number_beside_a_buffer_that_is_overwritten, array(""))


def conjugate_changed_in_place(x):
    y = x.conj()
    y *= 2.0
    return np.sum(x * x)


case(conjugate_changed_in_place, array("n"), may_refuse=True)


def second_half_scaled_by_the_first(z):
    u, v = np.split(z, 2)
    v *= u
    return np.sum(z * z)


case(second_half_scaled_by_the_first, array("4"), may_refuse=True)


def third_of_three_parts_changed(z):
    a, _, c = np.array_split(z, 3)
    c += np.sum(a)
    a *= 2.0
    return np.sum(np.sin(z))


case(third_of_three_parts_changed, array("n"), may_refuse=True)


def cleared_and_filled_again(x):
    w = x * 1.0
    t = w.copy()
    w[...] = 0
    w = w + t
    y = w.copy()
    return np.sum(y ** 2)


case(cleared_and_filled_again, array("n"))


def cleared_and_filled_with_a_view(x):
    w = x * 2.0
    t = w.copy()
    w[1:] = x[:-1]
    w = w + t[::-1]
    y = w.copy()
    return np.sum(y ** 3)


case(cleared_and_filled_with_a_view, array("n"))


def cleared_in_a_loop(x, n):
    w = x * 1.0
    for k in range(n):
        t = w.copy()
        w[k:] = 0
        w = w - t * 0.5
        w = np.copy(w + t)
    return np.sum(w ** 2)


case(cleared_in_a_loop, array("n"), 3)


def tripled_by_an_inner_function(x):
    total = x

    def triple():
        nonlocal total
        total = total * 3
        return 1.0

    one = triple()
    return total + one


def inner_function_binds_a_name_that_the_caller_has_too(x):
    total = x[0] * x[0]
    return tripled_by_an_inner_function(total) + total


case(inner_function_binds_a_name_that_the_caller_has_too, array("n"))


def read_before_a_call_binds_it_anew(x):
    k = x[0]

    def bump():
        nonlocal k
        k = k * x[1]
        return x[0]

    for _ in range(2):
        y = k * bump()
        y = y + bump() * k
    return k * bump() + k * y


case(read_before_a_call_binds_it_anew, array("n"))


def handed_on_before_a_call_binds_it_anew(x):
    k = x[0]

    def bump(before):
        nonlocal k
        k = k * x[1]
        return before

    return bump(k) * k


case(handed_on_before_a_call_binds_it_anew, array("n"))


def each_added_to_the_other(x):
    c = x * 2.0
    a = x * 3.0
    c += a
    a += c
    return np.sum(a ** 2)


case(each_added_to_the_other, array("n"))


def each_added_to_the_other_in_a_loop(x, n):
    p = x * 2.0
    q = x * 3.0
    for _ in range(n):
        q += p
        p -= q
    return np.sum(p ** 2)


case(each_added_to_the_other_in_a_loop, array("n"), 3)


def added_twice_after_clearing(x):
    a = x * 1.5
    a[1:] = x[:-1]
    a *= x
    c = a.copy()
    a += c
    return np.sum(c ** 2) + np.sum(a ** 2) * 1.3


case(added_twice_after_clearing, array("n"))


# Integers that come along with differentiated values, as indices


def numbers_in_pairs(x):
    total = 0.0
    for i, v in [(i, v * 2) for i, v in enumerate(x)]:
        total += x[i] * v
    for i, v in reversed(list(enumerate(x))):
        total = total * x[i] + v
    return total


case(numbers_in_pairs, array("3"))


def places_of_sorted_values(x):
    total = 1.0
    for v, i in sorted([(v, i) for i, v in enumerate(x)]):
        total = total * x[i] + v * i
    return total


case(places_of_sorted_values, array("4"))


def largest_and_its_place(x):
    k = 0
    for i in range(len(x)):
        if x[i] > x[k]:
            k = i
    return x[k], k


def place_that_a_function_returns(x):
    value, k = largest_and_its_place(x)
    found = largest_and_its_place(-x)
    weights = np.zeros(len(x))
    weights[k] = value * x[k - 1]
    return np.sum(weights * x) * weights[k] + found[0] * x[found[1]]


case(place_that_a_function_returns, array("4"))


class Reading:
    place = 0

    def __init__(self, x):
        self.x = x

    def next(self):
        self.place += 1
        return self.x[self.place]


def place_that_a_class_begins_with(x):
    reading = Reading(x)
    return reading.next() * reading.next() * reading.place


case(place_that_a_class_begins_with, array("3"))


def its_own_square_where_nobody_goes(x):
    if x[0] > 100:
        p = p * p  # noqa: F821
        q = r * 2  # noqa: F821
        r = q + 1
        return np.sum(x ** p) + r
    return np.sum(x * x)


case(its_own_square_where_nobody_goes, array("4"))
