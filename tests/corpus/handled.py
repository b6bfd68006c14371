"""``match``, ``try``, ``with`` and ``del``: statements that say how others are run."""

import numpy as np

from .case import array, case, count, number, positive


def match_a_word(x, kind="smooth"):
    match kind:
        case "rough":
            y = np.abs(x)
        case "smooth" | "soft":
            y = np.sin(x)
        case _:
            y = x
    return np.sum(y * x)


case(match_a_word, array("n"))


def match_a_count(x, k):
    total = 0.0
    for i in range(k):
        match i % 3:
            case 0:
                total += x[i] ** 2
            case 1 if total > 0.5:
                total *= x[i]
            case rest:
                total += rest * x[i]
    return total


case(match_a_count, array("n"), count("n"))


def match_a_pair(x, s):
    match (x[0], s * 2.0):
        case (a, b) if a > 5:
            return a * b
        case (a, b):
            return a + b ** 2


case(match_a_pair, array("n"), number(0.6))


def match_nested_patterns(x, shape=("box", (2.0, None))):
    match shape:
        case ["circle", radius]:
            scale = radius ** 2
        case ["box", (float() as width, None)]:
            scale = width
        case {"scale": scale}:
            pass
        case _:
            scale = 0.0
    return np.sum(x ** 2) * scale


case(match_nested_patterns, array("n"))


def match_in_a_helper(x, p):
    return weighted(x, p) + weighted(x, None) * weighted(p["b"], {"scale": p["b"]})


def weighted(x, how):
    match how:
        case None:
            return np.sum(x)
        case {"w": w, "b": b}:
            return np.sum(x * w) + b
        case {"scale": s}:
            return s * x


case(match_in_a_helper, array("n"), {"w": array("n"), "b": number(0.7)})


def match_the_rest(x):
    p = [x[0], x[1] * x[2], x[2]]
    match p:
        case [first, *others]:
            return first * sum(others)
        case _:
            return 0.0


case(match_the_rest, array("n"))


def tried(x):
    try:
        y = np.log(x)
        z = y * x
    except ZeroDivisionError:
        z = x
    return np.sum(z)


case(tried, positive("n"))


def tried_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        try:
            total += x[i] ** 2
            x[i] *= total
        except IndexError as error:
            print(error)
            break
        else:
            total *= 1.1
        finally:
            total += 0.1 * x[i]
    return total


case(tried_in_a_loop, array("n"))


def tried_and_returned(x):
    try:
        return halved(x) * x[1]
    except (ValueError, np.linalg.LinAlgError):
        return 0.0


def halved(x):
    if len(x) < 1:
        raise ValueError("nothing to halve")
    return np.sum(x) / 2


case(tried_and_returned, array("n"))


def at_last_alone(x, s):
    try:
        y = np.exp(x * s)
        if s > 5:
            raise RuntimeError("s is too large")
    finally:
        s = s * 2
    return np.sum(y) * s


case(at_last_alone, array("n"), number(0.6))


def tried_matrix(a):
    try:
        b = np.linalg.inv(a @ a.T + 3 * np.eye(len(a)))
    except np.linalg.LinAlgError:
        b = np.eye(len(a))
    return np.sum(b * a)


case(tried_matrix, array("m m"))


def in_a_quiet_block(x):
    total = 0.0
    for v in x:
        with np.errstate(divide="ignore"):
            total += v / (1.0 + v ** 2)
    return total * x[0]


case(in_a_quiet_block, array("n"))


def deleted_and_bound_again(x):
    y = np.sin(x)
    total = np.sum(y)
    del y
    for v in x:
        y = v ** 2
        total = total + y
        del y, v
    return total


case(deleted_and_bound_again, array("n"))


def returned_before_a_finally(x):
    buffer = np.zeros(len(x))
    try:
        if x[0] > 0:
            buffer[:] = x
            return np.sum(buffer * x)
        return np.sum(np.sin(x) + buffer)
    finally:
        buffer[:] = 0.0


case(returned_before_a_finally, array("n"))


def name_bound_anew_in_a_finally(x):
    y = x * 2
    try:
        return np.sum(y ** 2) * y[0]
    finally:
        y = y * 3


case(name_bound_anew_in_a_finally, array("n"))


def left_and_finished(x):
    total = 0.0
    for i in range(len(x)):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            total = total + x[i] ** 2
            for j in range(3):
                if j > i:
                    break
                total = total * x[j]
        finally:
            total = np.sin(total) * x[i]
    else:
        total = total * x[1]
    return total


case(left_and_finished, array("n"))


def finished_twice(x):
    count = 0
    scale = x[0]
    for value in x:
        try:
            try:
                if value > 0:
                    count += 1
                    continue
                scale = scale * value
            except ValueError:
                scale = 0.0
            finally:
                scale = scale + 0.1
        finally:
            scale = scale * 1.5
    return scale * count + np.sum(x ** 2)


case(finished_twice, array("n"), left=True)


class Scaled:
    def __init__(self, by):
        self.by = by
        self.left = 0.0

    def __enter__(self):
        return self.by * 2

    def __exit__(self, kind, value, traceback):
        self.left = self.by ** 2


class Counted:
    def __init__(self):
        self.count = 0
        self.left = 0

    def __enter__(self):
        self.count += 1
        return self

    def __exit__(self, *raised):
        self.left = self.count + 10
        return False


def user_managers(x):
    with Scaled(x[0]) as by, Counted() as counted:
        y = by * x * counted.count
    with np.errstate(all="ignore"), Counted():
        return np.sum(y ** 2) * counted.left


case(user_managers, array("n"))


def left_out_of_a_manager(x):
    total = 0.0
    for i in range(len(x)):
        with Counted() as counted, Scaled(x[i]) as by:
            if i == 2:
                continue
            total = total + by * counted.count * x[0]
            if i > 3:
                return total
        total = total * counted.count
    return total


case(left_out_of_a_manager, array("n"))
