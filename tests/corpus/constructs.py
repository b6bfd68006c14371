"""Python outside the compiler's language. ``$`` stands before each place that a refusal has to point at."""

import sys

# Nobody can differentiate these: they have to be refused.
HOPELESS = {
    "yield": """
        def f(x):
            $yield np.sum(x)
    """,
    "yield_as_a_value": """
        def f(x):
            y = $yield np.sum(x)
            return y
    """,
    "yield_from": """
        def f(x):
            $yield from x
    """,
    "async_function": """
        $async def f(x):
            return np.sum(x)
    """,
    "await": """
        $async def f(x):
            y = $await x
            return np.sum(y)
    """,
    "async_for": """
        $async def f(x):
            total = 0.0
            $async for v in x:
                total += v
            return total
    """,
}

# The compiler cannot see through these, though the eager engine may.
OPAQUE = {
    "eval": """
        def f(x):
            return $eval("np.sum(x ** 2)")
    """,
    "exec": """
        def f(x):
            $exec("pass")
            return np.sum(x ** 2)
    """,
    "locals": """
        def f(x):
            y = $locals()["x"]
            return np.sum(y ** 2)
    """,
    "globals": """
        def f(x):
            y = $globals()["np"]
            return y.sum(x ** 2)
    """,
    "global_store": """
        def f(x):
            $global counter
            counter = 1
            return np.sum(x ** 2)
    """,
}

# Outside the language as it stands: refused now, perhaps right one day.
OUTSIDE = {
    "break": """
        def f(x):
            total = 0.0
            for v in x:
                if v > 1.0:
                    $break
                total += v ** 2
            return total
    """,
    "continue": """
        def f(x):
            total = 0.0
            for v in x:
                if v > 1.0:
                    $continue
                total += v ** 2
            return total
    """,
    "break_out_of_while": """
        def f(x):
            s = x[0]
            while True:
                s = s * 1.5 + x[1]
                if s > 10:
                    $break
            return s
    """,
    "return_inside_a_for": """
        def f(x):
            for v in x:
                if v > 1.0:
                    $return v ** 2
            return np.sum(x)
    """,
    "return_inside_a_while": """
        def f(x):
            s = x[0]
            while s < 100:
                s = s * 2
                if s > 4:
                    $return s * x[1]
            return s
    """,
    "early_return": """
        def f(x):
            if np.sum(x) > 0:
                $return np.sum(x ** 2)
            y = x * 2
            return np.sum(y ** 3)
    """,
    "code_after_return": """
        def f(x):
            return np.sum(x ** 2)
            $return np.sum(x ** 3)
    """,
    "missing_return_in_a_branch": """
        def f(x):
            $if np.sum(x) > 0:
                return np.sum(x ** 2)
    """,
    "for_else": """
        def f(x):
            total = 0.0
            $for v in x:
                total += v ** 2
            else:
                total *= 2
            return total
    """,
    "while_else": """
        def f(x):
            s = x[0]
            $while s < 5:
                s = s * 2
            else:
                s = s + x[1]
            return s
    """,
    "try": """
        def f(x):
            $try:
                y = x ** 2
            except ValueError:
                y = x
            return np.sum(y)
    """,
    "try_finally": """
        def f(x):
            $try:
                y = x ** 2
            finally:
                z = x * 3
            return np.sum(y * z)
    """,
    "with": """
        def f(x):
            $with np.errstate(all="ignore"):
                y = x ** 2
            return np.sum(y)
    """,
    "raise": """
        def f(x):
            if x[0] > 100:
                $raise ValueError("too large")
            return np.sum(x ** 2)
    """,
    "lambda": """
        def f(x):
            g = $lambda v: v ** 2
            return np.sum(g(x))
    """,
    "nested_function": """
        def f(x):
            $def g(v):
                return v ** 2
            return np.sum(g(x))
    """,
    "function_bound_twice": """
        def f(x):
            g = lambda v: v ** 2
            for v in x:
                x = g(x)
                $g = lambda v: v ** 3
            return np.sum(x)
    """,
    "function_bound_in_branches": """
        def f(x):
            if x[0] > 0.5:
                $def g(v):
                    return v ** 2
            else:
                def g(v):
                    return v ** 3
            return np.sum(g(x))
    """,
    "function_that_is_more_than_called": """
        def f(x):
            $def g(v):
                return v ** 2
            h = g
            return np.sum(h(x))
    """,
    "functions_in_a_list": """
        def f(x):
            functions = [lambda v: v * 2, lambda v: v ** 2]
            return sum($g(x[0]) for g in functions)
    """,
    "inner_recursion": """
        def f(x):
            def g(v):
                return v if v > 2.5 else $g(v * 2) * v
            return g(x[0])
    """,
    "inner_function_with_a_star": """
        def f(x):
            def g($*values):
                return values[0] * values[1]
            return g(x[0], x[1])
    """,
    "inner_function_in_a_condition": """
        def f(x):
            def g(v):
                return np.sum(v)
            while all([$g(x) < 9 for _ in x]):
                x = x * 2
            return np.sum(x)
    """,
    "decorated_inner_function": """
        def f(x):
            import functools
            @functools.lru_cache
            $def g(v):
                return v ** 2
            return g(x[0])
    """,
    "nested_class": """
        def f(x):
            $class Box:
                value = 2.0
            return np.sum(x ** 2) * Box.value
    """,
    "list_comprehension": """
        def f(x):
            parts = $[v ** 2 for v in x]
            return parts[0] + parts[1] * parts[0]
    """,
    "conditional_comprehension": """
        def f(x):
            return sum($[v ** 2 for v in x if v > 0.8])
    """,
    "dict_comprehension": """
        def f(x):
            d = ${k: v * 2 for k, v in enumerate(x)}
            return d[0] * d[1]
    """,
    "set_comprehension": """
        def f(x):
            s = ${k for k in range(3)}
            return np.sum(x ** 2) * len(s)
    """,
    "generator_expression": """
        def f(x):
            return sum($(v ** 2 for v in x))
    """,
    "del_name": """
        def f(x):
            y = x ** 2
            $del x
            return np.sum(y)
    """,
    "del_item": """
        def f(x):
            d = {"a": x, "b": x * 2}
            $del d["b"]
            return np.sum(d["a"] ** 2)
    """,
    "starred_target": """
        def f(x):
            a, $*b = x
            return a * b[0]
    """,
    "starred_argument": """
        def f(x):
            return np.hypot($*x)
    """,
    "double_starred_argument": """
        def f(x):
            options = {"axis": 0}
            return np.sum(x ** 2, $**options)
    """,
    "variable_parameters": """
        def f(x, $*rest):
            return np.sum(x ** 2)
    """,
    "variable_keywords": """
        def f(x, $**rest):
            return np.sum(x ** 2)
    """,
    "walrus": """
        def f(x):
            y = ($z := x * 2) * x
            return np.sum(y * z)
    """,
    "walrus_in_a_condition": """
        def f(x):
            if ($s := np.sum(x)) > 0:
                return s ** 2
            else:
                return s
    """,
    "walrus_that_comes_too_late": """
        def f(x):
            y = $x * (x := 2.0)
            return np.sum(y * x)
    """,
    "walrus_of_a_later_operand": """
        def f(x):
            s = 1.0
            y = s * x[0] if (s := np.sum(x)) > 0 else s
            return y * s
    """,
    "walrus_of_what_is_updated": """
        def f(x):
            s = x[0]
            $s += (s := x[1] * 2) * s
            return s
    """,
    "walrus_after_a_comprehension": """
        def f(x):
            k = 1
            return sum(k * v for v in x) + ($k := 2) * x[0] * k
    """,
    "walrus_in_a_key": """
        def f(x):
            d = {($k := 1): x[0] * k, (k := 2): x[1] * k}
            return d[1] * d[2]
    """,
    "with_open": """
        def f(x):
            import os
            $with open(os.devnull):
                y = x ** 2
            return np.sum(y)
    """,
    "match": """
        def f(x):
            $match len(x):
                case 2:
                    return np.sum(x ** 2)
                case _:
                    return np.sum(x)
    """,
    "import_inside": """
        def f(x):
            $import math
            return math.sin(x[0]) * x[1]
    """,
    "import_from_inside": """
        def f(x):
            $from math import sin
            return sin(x[0]) * x[1]
    """,
    "nonlocal": """
        def maker():
            count = 0

            def f(x):
                $nonlocal count
                count = count + 1
                return np.sum(x ** 2)

            return f

        f = maker()
    """,
    "attribute_store": """
        class Box:
            value = 0.0

        box = Box()

        def f(x):
            $box.value = x[0] * x[1]
            return box.value ** 2
    """,
    "global_item_store": """
        memory = {}

        def f(x):
            $memory["y"] = x * 2
            return np.sum(memory["y"] ** 2)
    """,
    "recursion": """
        def f(x, depth=3):
            if depth == 0:
                return np.sum(x ** 2)
            else:
                return $f(np.sin(x), depth - 1)
    """,
    "mutual_recursion": """
        def f(x, depth=3):
            return np.sum(x) if depth == 0 else $g(x * x, depth - 1)

        def g(x, depth):
            return np.sum(x) if depth == 0 else f(np.sin(x), depth - 1)
    """,
    "iteration_over_a_dict": """
        def f(x):
            d = {"a": x, "b": x * 2}
            total = 0.0
            for k in $d:
                total += np.sum(d[k] ** 2)
            return total
    """,
    "iteration_over_items": """
        def f(x):
            d = {"a": x, "b": x * 2}
            total = 0.0
            for k, v in $d.items():
                total += np.sum(v ** 2)
            return total
    """,
    "iteration_over_a_set": """
        def f(x):
            total = 0.0
            for k in ${1, 2, 3}:
                total += np.sum(x) ** k
            return total
    """,
    "reversed": """
        def f(x):
            total = 0.0
            for v in $reversed(x):
                total = total * 0.5 + v
            return total
    """,
    "list_append": """
        def f(x):
            parts = []
            for v in x:
                $parts.append(v ** 2)
            return parts[0] * parts[1]
    """,
    "list_append_through_another_name": """
        def f(x):
            parts = [x[0]]
            other = parts
            $other.append(x[1])
            return parts[0] * parts[1]
    """,
    "list_pop_and_extend": """
        def f(x):
            parts = [x[0], x[1], x[0] * 2]
            last = parts.pop()
            parts.extend([x[1] ** 2])
            return parts[2] * last
    """,
    "list_multiplication": """
        def f(x):
            parts = [x] * 2
            return np.sum(parts[0] * parts[1])
    """,
    "string_formatting_as_a_value": """
        def f(x):
            name = f"{len(x)}"
            return np.sum(x) ** int(name)
    """,
    "matrix_class_operator": """
        def f(x):
            y = x
            y @= np.eye(2)
            return np.sum(y ** 2)
    """,
    "bit_operators": """
        def f(x):
            keep = (x > 0) & ~(x > 100) | (x < -100)
            return np.sum(x[keep] ** 2) * (3 ^ 1) * (1 << 2)
    """,
    "loop_over_a_string": """
        def f(x):
            total = 0.0
            for letter in "ab":
                total += np.sum(x ** 2) * len(letter)
            return total
    """,
    "loop_target_is_an_element": """
        def f(x):
            b = np.zeros(2)
            for $b[0] in x:
                pass
            return np.sum(b ** 2)
    """,
    "store_into_a_list": """
        def f(x):
            parts = [x, x]
            $parts[0] = x * 3
            return np.sum(parts[0] * parts[1])
    """,
    "decorated_helper": """
        def twice(g):
            def doubled(x):
                return 2 * g(x)
            return doubled

        @twice
        def helper(x):
            return np.sum(x ** 2)

        def f(x):
            return helper(x) * x[0]
    """,
    "method_of_an_object": """
        class Model:
            scale = 3.0

            def loss(self, x):
                return np.sum(x ** 2) * self.scale

        model = Model()

        def f(x):
            return $model.loss(x)
    """,
    "callable_object": """
        class Model:
            def __call__(self, x):
                return np.sum(x ** 2)

        model = Model()

        def f(x):
            return $model(x)
    """,
    "function_from_a_container": """
        activations = {"square": np.square}

        def f(x):
            return np.sum($activations["square"](x))
    """,
    "partial": """
        import functools
        cubed = functools.partial(np.power, x2=3)

        def power(x, p):
            return np.sum(x ** p)

        cube = functools.partial(power, p=3)

        def f(x):
            return $cube(x)
    """,
    "conditional_function": """
        def f(x):
            g = np.sin if x[0] > 0 else np.cos
            return np.sum(g(x))
    """,
    "short_circuit_value": """
        def f(x):
            y = None
            z = y or x
            return np.sum(z ** 2)
    """,
    "type_switch": """
        def f(x):
            if isinstance(x, np.ndarray):
                return np.sum(x ** 2)
            else:
                return x
    """,
}

if sys.version_info >= (3, 11):
    OUTSIDE["except_star"] = """
        def f(x):
            $try:
                y = x ** 2
            except* ValueError:
                y = x
            return np.sum(y)
    """
if sys.version_info >= (3, 12):
    OUTSIDE["type_alias_and_parameters"] = """
        $def f[T](x: T):
            return np.sum(x ** 2)
    """
