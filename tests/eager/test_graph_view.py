"""EAGER_API, "Looking at the graph": each test is named after what it holds."""

from __future__ import annotations

import gc
import itertools
import re
import subprocess
import sys
import weakref
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import sourcediff
from sourcediff import Function, GraphFreedError, NonDifferentiableError, SourcediffError, Variable, detect_anomaly, graph, no_grad
from sourcediff.autograd import grad
from sourcediff.eager.library_run.recording import record_run
from sourcediff.eager.view.layout import Box, EdgeRoute, layout
from tests.standin import transfers

SVG = "{http://www.w3.org/2000/svg}"


def leaf(*shape: int, dtype: type = np.float64) -> Variable:
    return Variable(np.linspace(0.1, 1.0, int(np.prod(shape))).reshape(shape).astype(dtype), requires_grad=True)


class Halves(Function):
    """Two results; it saves an input and, as an attribute, an array of its own."""

    @staticmethod
    def forward(ctx, x, factor, *more):
        ctx.save_for_backward(x)
        ctx.mask = x > 0.5
        return x[: len(x) // 2] * factor, x[len(x) // 2 :] * factor

    @staticmethod
    def backward(ctx, first, second):
        return np.concatenate([first, second]), None, *[None] * 2


def two_layers():
    x, t = Variable(np.ones((8, 5))), Variable(np.zeros((8, 3)))
    w1, b1, w2 = leaf(5, 4), leaf(4), leaf(4, 3)
    hidden = (x.mm(w1) + b1).clamp(min=0)
    return ((hidden.mm(w2) - t) ** 2).sum(), {"w1": w1, "b1": b1, "w2": w2, "hidden": hidden}


def recurrent(steps: int):
    wh, wx, b, h = leaf(4, 4), leaf(2, 4), leaf(4), Variable(np.zeros((1, 4)))
    for _ in range(steps):
        h = np.tanh(h @ wh + Variable(np.ones((1, 2))) @ wx + b)
    return (h * h).mean(), {"wh": wh, "wx": wx, "b": b}


def diamond():
    x = leaf(3)
    y = x * 2.0
    return np.sin(y) * np.cos(y) + y, {"x": x, "y": y}


def several():
    m = leaf(6)
    a, b = Halves.apply(m, 2.0, 1, 2)
    _, log = np.linalg.slogdet(np.outer(a, b) + np.eye(3))
    return [np.stack([log, a.sum(), log * 2.0]), b], {"m": m, "log": log}


OPERATIONS = [
    lambda x, y: x + y, lambda x, y: x * y, lambda x, y: np.maximum(x, y), lambda x, y: x @ y, lambda x, y: np.concatenate([x, y]),
    lambda x, y: np.exp(x * 0.1), lambda x, y: np.tanh(x), lambda x, y: x.T, lambda x, y: x.sum(axis=-1) if x.ndim else -x,
    lambda x, y: x[..., :1], lambda x, y: x * 2.0, lambda x, y: -x, lambda x, y: x.mean(), lambda x, y: np.reshape(x, -1),
]


def in_place():
    x, y = leaf(6), leaf(3)
    z = x * 1.0
    view = z[2:5]
    view *= y
    z[0] = y[1]
    z += 1.0
    return [view, z.sum()], {"x": x, "z": z}


def random_program(seed: int):
    """The last results of a program with a few shapes and dtypes and a random choice of operations; all that it makes is named."""
    rng = np.random.default_rng(seed)
    made = [leaf(3, 4), leaf(3, 4, dtype=np.float32), leaf(4), leaf(3, 1)]
    for _ in range(int(rng.integers(5, 40))):
        x, y = (made[i] for i in rng.integers(len(made), size=2))
        try:
            made.append(OPERATIONS[rng.integers(len(OPERATIONS))](x, y))
        except (ValueError, IndexError, TypeError):  # the shapes do not fit, or it is a number
            continue
    return made[-5:], {f"v{i}": v for i, v in enumerate(made)}


PROGRAMS = {
    "two layers": two_layers, "diamond": diamond, "recurrent": lambda: recurrent(5), "long": lambda: recurrent(40), "several": several,
    "in place": in_place,
    "a leaf": lambda: (leaf(2), {}), "a constant": lambda: (Variable(1.0), {}),
    "wide": lambda: (np.stack([leaf(2).sum() for _ in range(40)]), {}),
    **{f"random {seed}": lambda seed=seed: random_program(seed) for seed in range(8)},
}


@pytest.fixture(params=PROGRAMS)
def drawn(request):
    output, names = PROGRAMS[request.param]()
    return graph(output, names=names)


# nodes and edges to walk in a program


def test_nodes_and_edges_can_be_walked_and_say_how_the_result_was_made():
    g = graph(*two_layers())
    assert [(node.kind, node.title) for node in g.nodes] == [
        ("leaf", "w1"), ("leaf", "b1"), ("leaf", "w2"), ("operation", "np.matmul"), ("operation", "np.add"),
        ("operation", "hidden = np.maximum"), ("operation", "np.matmul"), ("operation", "np.subtract"), ("operation", "np.square"),
        ("operation", "np.sum"), ("output", "output"),
    ]
    assert [(edge.source.number, edge.target.number, edge.argument) for edge in g.edges] == [
        (0, 3, "b"), (3, 4, "x"), (1, 4, "y"), (4, 5, "x"), (5, 6, "a"), (2, 6, "b"), (6, 7, "x"), (7, 8, "x"), (8, 9, "a"), (9, 10, ""),
    ]


def test_nodes_stand_after_those_they_were_made_of(drawn):
    assert [node.number for node in drawn.nodes] == list(range(len(drawn.nodes)))
    assert all(edge.source.number < edge.target.number and edge.result < len(edge.source.results) for edge in drawn.edges)


@pytest.mark.parametrize("seed", range(12))
def test_shapes_and_dtypes_are_right_where_they_are_told(seed):
    outputs, names = random_program(seed)
    nodes = graph([np.sum(output) for output in outputs], names=names).nodes  # the sums, so that the results are inner ones
    found = {label: node for node in nodes for label in node.label.split(", ") if label}
    told = [(found[name].results[0], variable) for name, variable in names.items()]
    assert all(shape in (None, v.shape) and dtype in (None, v.dtype) for (shape, dtype), v in told)
    assert sum(node.shape is not None for node in nodes) > 0.5 * len(nodes)


def test_shapes_and_dtypes_are_told_of_nearly_all_of_a_net():
    nodes = [*graph(*two_layers()).nodes, *graph(*recurrent(3)).nodes]
    assert all(node.shape is not None and node.dtype == np.float64 for node in nodes)


def test_what_was_recorded_wins_over_what_a_leaf_holds_now():
    x = leaf(3)
    y = np.sum(np.exp(x + 1.0))
    x.data = np.zeros((5, 5), np.float32)
    kinds = {node.name: tuple(node.results[0]) for node in graph(y).nodes}
    assert kinds["np.exp"] == ((3,), np.float64)
    assert kinds["leaf"] == ((5, 5), np.float32)


def test_a_view_shows_what_was_done_to_its_memory():
    x = leaf(4)
    y = x * 1.0
    view = y[1:3]
    y *= 2.0
    g = graph(view, names={"y": y})
    assert [node.title for node in g.nodes] == ["leaf", "np.multiply", "y = np.multiply", "operator.getitem", "output"]
    view.backward(np.ones(2))
    np.testing.assert_array_equal(x.grad.data, [0, 2, 2, 0])


def test_a_leaf_that_was_given_other_data_between_its_uses_does_not_mix_them_up():
    x = leaf(3)
    first = np.exp(x).sum()
    x.data = np.zeros((5, 2), np.float32)
    second = np.exp(x).sum()
    assert [tuple(node.results[0]) for node in graph([first, second]).nodes if node.name == "np.exp"] == [
        ((3,), np.float64), ((5, 2), np.float32),
    ]


def test_an_unknown_shape_is_not_guessed():
    x = leaf(2, 3)
    inner = np.transpose(x[:, :2])
    node = graph(np.linalg.slogdet(inner @ np.eye(2))[1]).nodes[1]
    assert node.name == "operator.getitem" and node.shape is None and node.dtype is None


def test_a_node_of_a_diamond_is_there_once():
    g = graph(*diamond())
    names = [node.name for node in g.nodes]
    assert names == ["leaf", "np.multiply", "np.sin", "np.cos", "np.multiply", "np.add", "output"]
    assert sorted(edge.target.number for edge in g.edges if edge.source.number == 1) == [2, 3, 5]


def test_an_input_given_twice_has_two_edges():
    x = leaf(2)
    g = graph(x * x)
    assert [edge.argument for edge in g.edges if edge.target.name == "np.multiply"] == ["x", "y"]


def test_an_operation_with_several_results_is_one_node():
    output, names = several()
    g = graph(output, names=names)
    by_name = {node.name: node for node in g.nodes}
    assert not {"pick", "collect", "same"} & set(by_name)
    assert [result.shape for result in by_name["Halves"].results] == [(3,), (3,)]
    assert by_name["Halves"].shape is None  # no single one
    assert {(edge.source.name, edge.result, edge.target.name) for edge in g.edges} >= {
        ("Halves", 0, "np.outer"), ("Halves", 1, "np.outer"), ("Halves", 1, "output"), ("np.linalg.slogdet", 1, "np.stack"),
    }
    assert by_name["np.linalg.slogdet"].note == "result 1 is log"
    assert "(1.0, 1.1)" in repr(g)


def test_the_inputs_of_a_sequence_are_named_by_their_positions():
    x, y = leaf(2), leaf(2)
    g = graph(np.concatenate([x, np.ones(2), y]))
    (parameter,) = {re.sub(r"\[.*", "", edge.argument) for edge in g.edges if edge.target.name == "np.concatenate"}
    assert [edge.argument for edge in g.edges][:2] == [f"{parameter}[0]", f"{parameter}[2]"]


def test_a_function_has_its_class_name_and_its_own_arguments():
    x = leaf(4)
    g = graph(Halves.apply(x, 2.0, x, x))
    node = next(node for node in g.nodes if node.kind == "operation")
    assert node.name == "Halves"
    assert [edge.argument for edge in g.edges if edge.target is node] == ["x", "more[0]", "more[1]"]
    assert [(saved.name, saved.shape, saved.bytes) for saved in node.saved] == [("saved_tensors[0]", (4,), 32), ("ctx.mask", (4,), 4)]


def test_several_variables_have_one_graph():
    x = leaf(3)
    y = np.exp(x)
    z = np.sum(y)
    g = graph((y, z), names={"y": y, "z": z})
    assert [node.title for node in g.nodes] == ["leaf", "np.exp", "np.sum", "y", "z"]
    assert graph([y, z], names={"y": y, "z": z}).dot() == g.dot()


def test_a_graph_of_gradients_can_be_looked_at():
    x = leaf(3)
    (g,) = grad(np.sum(np.sin(x)), x, create_graph=True)
    names = [node.name for node in graph(g).nodes]
    assert names[0] == "leaf" and "np.cos" in names and names[-1] == "output"


def test_library_runs_can_be_looked_at():
    def f(x, k):
        out = np.zeros(3)
        for i in range(3):
            out[i] = x[i] * k
        out[1:] *= out[0]
        return np.sum(out)

    run = record_run(f, {"x": np.arange(1.0, 4.0), "k": 2.0}, ("x",))
    g = graph(run.result, names={"x": run.inputs[0]})
    assert g.nodes[0].title == "x" and g.nodes[0].shape == (3,)
    assert {"operator.getitem", "np.multiply", "np.sum"} < {node.name for node in g.nodes}
    ET.fromstring(g.svg())


def test_a_library_run_within_a_graph_shows_no_steps_of_the_engine():
    x = leaf(3)
    inner = x * 2.0
    run = record_run(lambda y: np.sum(y * y), {"y": inner}, ("y",))
    assert [node.title for node in graph(run.result, names={"inner": inner}).nodes] == [
        "leaf", "inner = np.multiply", "np.multiply", "np.sum", "output",
    ]
    assert [node.name for node in graph(run.inputs[0]).nodes] == ["leaf", "np.multiply", "output"]


def test_constants_and_volatile_variables_say_why_there_is_nothing():
    x = leaf(2)
    with no_grad():
        under = x * 2
    for variable, note in ((Variable(1.0), "constant"), (under, "constant"), (Variable(x.data, volatile=True) * 2, "volatile")):
        (node,) = graph(variable).nodes
        assert (node.kind, graph(variable).edges) == ("output", ()) and node.note.startswith(note) and note in repr(graph(variable))


def test_a_leaf_alone_is_a_leaf_and_an_output():
    x = leaf(2)
    g = graph(x, names={"x": x})
    assert [node.kind for node in g.nodes] == ["leaf", "output"] and len(g.edges) == 1
    assert all(node.variable is x for node in g.nodes)


def test_names_label_leaves_and_results_and_show_what_is_not_reached():
    loss, names = two_layers()
    off, constant = leaf(7), Variable(3.0)
    g = graph(loss, names={**names, "loss": loss, "off": off, "c": constant, "also w2": names["w2"]})
    titles = {node.title: node for node in g.nodes}
    assert {"w1", "b1", "w2, also w2", "hidden = np.maximum", "loss", "off", "c"} < set(titles)
    assert titles["off"].kind == titles["c"].kind == "apart"
    assert titles["off"].note == "the outputs do not lead here" and titles["c"].note.startswith("constant")
    assert titles["w1"].variable is names["w1"]


def test_a_leaf_knows_its_variable_its_grad_and_its_hooks():
    x, gone = leaf(2), leaf(3)
    x.register_hook(lambda g: None)
    y = x.sum() * gone.sum()
    hooked = y * 1.0
    hooked.register_hook(lambda g: None)
    hooked.register_hook(lambda g: None)
    hooked.backward(retain_graph=True)
    del gone
    first, second = (node for node in graph(hooked).nodes if node.kind == "leaf")
    assert first.variable is x and first.has_grad and first.hooks == 1
    assert second.variable is None and second.note == "its Variable is gone" and not second.has_grad
    assert [node.hooks for node in graph(hooked).nodes if node.kind == "operation"][-1] == 2


def test_a_hook_on_one_of_several_results_is_counted():
    a, b = Halves.apply(leaf(4), 2.0, 1, 2)
    b.register_hook(lambda g: None)
    assert [node.hooks for node in graph((a, b)).nodes if node.name == "Halves"] == [1]


def test_detect_anomaly_lets_nodes_tell_the_users_line():
    x = leaf(2)
    with detect_anomaly():
        y = np.sqrt(x)  # this very line
    g = graph(y.sum())
    assert [node.line.rsplit(": ", 1)[-1] for node in g.nodes if node.line] == ["y = np.sqrt(x)  # this very line"]
    assert "this very line" in g.dot() and "this very line" in g.svg()


def test_a_freed_graph_says_so():
    x = leaf(3)
    y = np.exp(x)
    z = np.sum(y * y)
    z.backward()
    g = graph(z)
    assert [(node.name, node.freed) for node in g.nodes] == [
        ("leaf", False), ("np.exp", True), ("np.multiply", True), ("np.sum", True), ("output", False),
    ]
    assert g.saved_bytes == 0 and "freed" in repr(g) and "freed" in g.svg() and "freed" in g.dot()
    with pytest.raises(GraphFreedError):
        z.backward()


def test_a_graph_that_is_freed_in_part_shows_the_rest():
    x = leaf(3)
    y = np.exp(x)
    z, other = np.sum(y), np.sin(y) + x
    z.backward()
    g = graph(other)
    assert [(node.name, node.freed) for node in g.nodes] == [
        ("leaf", False), ("np.exp", True), ("np.sin", False), ("np.add", False), ("output", False),
    ]
    assert [node.saved_bytes for node in g.nodes] == [0, 0, 24, 0, 0]


def test_an_operation_with_several_results_is_one_node_when_it_is_freed_too():
    a, b = Halves.apply(leaf(4), 2.0, 1, 2)
    (a.sum() + b.sum()).backward()
    assert [(node.name, node.freed, len(node.results)) for node in graph((b, a)).nodes] == [
        ("leaf", False, 1), ("Halves", True, 2), ("output", False, 1), ("output", False, 1),
    ]


@pytest.mark.parametrize("wrong", [np.ones(2), None, [], (), [Variable(1.0), 2.0], "x"])
def test_anything_but_variables_is_refused(wrong):
    with pytest.raises(NonDifferentiableError, match=r"graph\(\) got .*\n.*why: only Variables have a graph"):
        graph(wrong)
    with pytest.raises(NonDifferentiableError, match=r"names\['w'\]"):
        graph(Variable(1.0), names={"w": wrong})


# leaves, saved arrays and their bytes


def arrays_saved(outputs: list[Variable]) -> list:
    """All arrays in the graph's nodes, found anew: in tuples and lists too, but not in ctx."""
    seen, stack, found = set(), [output.grad_fn for output in outputs if output.grad_fn], []
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        stack += node.edges
        parts = list(getattr(node, "saved", ()))
        while parts:
            part = parts.pop()
            if isinstance(part, (tuple, list)):
                parts += part
            elif isinstance(part, np.ndarray):
                found.append(part)
    return found


def base_of(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


@pytest.mark.parametrize("seed", range(12))
def test_the_bytes_in_all_are_those_of_the_arrays_that_are_kept_alive(seed):
    outputs, _ = random_program(seed)
    owners = {id(base): base.nbytes for base in map(base_of, arrays_saved(outputs))}
    assert graph(outputs).saved_bytes == sum(owners.values()) > 0


def test_saved_arrays_have_the_names_of_the_rule_shapes_dtypes_and_bytes():
    x, w = leaf(2, 3, dtype=np.float32), leaf(3, 4, dtype=np.float32)
    (node,) = (node for node in graph(np.tanh(x @ w)).nodes if node.name == "np.matmul")
    assert node.saved == (("a", (2, 3), np.float32, 24, 24), ("b", (3, 4), np.float32, 48, 48))
    assert node.saved_bytes == 72
    (node,) = (node for node in graph(np.tanh(x)).nodes if node.name == "np.tanh")
    assert node.saved == (("result", (2, 3), np.float32, 24, 24),)


def test_what_saves_nothing_shows_nothing():
    x = leaf(2, 3)
    assert [node.saved_bytes for node in graph((x + 1.0).T[0].sum()).nodes] == [0] * 6
    assert "saved" not in graph(x + x).svg().replace("0 B saved", "")


def test_an_array_that_two_nodes_saved_is_counted_once_in_all():
    x = leaf(100)
    g = graph(np.sin(x) + np.cos(x))
    assert [node.saved_bytes for node in g.nodes if node.saved] == [800, 800]
    assert g.saved_bytes == 800


def test_a_view_counts_the_bytes_that_it_keeps_alive():
    big = leaf(1000, 10)
    row, column = np.sin(big[3]), np.cos(big[:, 0])
    nodes = {node.name: node for node in graph([row, column]).nodes}
    assert nodes["np.sin"].saved == (("x", (10,), np.float64, 80, 80_000),)
    assert nodes["np.cos"].saved_bytes == 80_000
    assert graph([row, column]).saved_bytes == 80_000
    assert "80 B, keeps 80 kB" in graph(row).svg()


def test_a_broadcast_array_counts_what_is_in_memory():
    x = leaf(1)
    node = next(node for node in graph(np.broadcast_to(x, (100, 100)) * leaf(100, 100)).nodes if node.name == "np.multiply")
    assert [(saved.bytes, saved.keeps) for saved in node.saved if saved.name == "x"] == [(80_000, 8)]
    windows = np.lib.stride_tricks.sliding_window_view(np.ones(50), 20)
    node = next(node for node in graph(leaf(31, 20) * windows).nodes if node.saved)
    assert node.saved_bytes == 400


def test_the_arrays_of_an_index_are_counted():
    node = next(node for node in graph(leaf(10, 10)[np.array([1, 2]), np.array([3, 4])]).nodes if node.kind == "operation")
    assert node.saved_bytes == 2 * 16


def test_memory_that_is_no_arrays_own_is_counted():
    data = np.frombuffer(bytes(800)).reshape(10, 10)
    node = next(node for node in graph(leaf(10) * data[2]).nodes if node.saved)
    assert node.saved_bytes == 800


def test_arrays_of_another_library_are_counted_without_waiting_for_their_values(device):
    x = Variable(device.ones((100, 4)), requires_grad=True)
    y = np.sum(np.exp(x)[2])
    with transfers() as found:
        g = graph(y, names={"x": x})
        g.svg(), g.dot()
    assert not found
    assert (g.nodes[0].shape, g.nodes[0].dtype, g.saved_bytes) == ((100, 4), np.float64, 3200)


def test_numbers_are_arrays_without_dimensions():
    x, c = Variable(2.0, requires_grad=True), Variable(1.0 + 2.0j, requires_grad=True)
    assert [tuple(node.results[0]) for node in graph(x * 3.0).nodes] == [((), np.float64)] * 3
    assert [tuple(node.results[0]) for node in graph(c * 3.0).nodes] == [((), np.complex128)] * 3


def test_looking_keeps_nothing_alive_and_frees_nothing():
    gc.collect()
    gc.disable()
    try:
        x = leaf(1000)
        y = np.exp(x)
        z = np.sum(y * y)
        kept, node = weakref.ref(y.data), weakref.ref(z.grad_fn)
        g = graph(z, names={"x": x})
        del y, z
        assert kept() is None and node() is None
        assert [node.name for node in g.nodes][-2:] == ["np.sum", "output"] and g.nodes[-1].variable is None
        del x
        assert g.nodes[0].variable is None
        g_alive = weakref.ref(g)
        del g
        assert g_alive() is None  # no cycles
    finally:
        gc.enable()


def test_looking_changes_no_gradient():
    x = leaf(4)
    y = np.sum(np.exp(x) * x)
    graph(y).svg()
    y.backward()
    np.testing.assert_allclose(x.grad.data, np.exp(x.data) * (1 + x.data), rtol=1e-15)


# .dot() text

ATTRIBUTES = r'\[(?:\w+=(?:"(?:[^"\\]|\\.)*"|[\w.]+)(?:, |(?=\])))+\]'
LINE = re.compile(rf"  (?:(?:graph|node|edge|n\d+) {ATTRIBUTES}|n\d+ -> n\d+(?: {ATTRIBUTES})?)")


def labels(dot: str) -> list[str]:
    """The labels as graphviz shows them: its escapes and entities undone."""
    undone = {r"\n": "\n", r"\"": '"', r"\\": "\\"}
    found = re.findall(r'^  n\d+ \[label="((?:[^"\\]|\\.)*)"', dot, re.MULTILINE)
    return [re.sub(r"\\.", lambda match: undone[match[0]], text).replace("&amp;", "&") for text in found]


def test_dot_is_a_digraph_with_a_line_for_each_node_and_edge(drawn):
    first, *lines, last = drawn.dot().splitlines()
    assert (first, last) == ("digraph {", "}") and all(map(LINE.fullmatch, lines))
    assert labels(drawn.dot()) == [node.description for node in drawn.nodes]
    arrows = re.findall(r"^  n(\d+) -> n(\d+)", drawn.dot(), re.MULTILINE)
    assert arrows == [(str(edge.source.number), str(edge.target.number)) for edge in drawn.edges]


HOSTILE = ['say "hi"', "back\\slash\\N", "a\nb", "<b>&amp;</b>", "]; } digraph", "ünï→çødé 漢字", "--> ]]>", "' onload='"]


@pytest.mark.parametrize("name", HOSTILE)
def test_dot_and_svg_escape_any_name(name):
    x = leaf(2)
    g = graph(x.sum(), names={name: x})
    assert labels(g.dot())[0].startswith(name) and all(map(LINE.fullmatch, g.dot().splitlines()[1:-1]))
    titles = [title.text for title in ET.fromstring(g.svg()).iter(f"{SVG}title")]
    assert any(title.startswith(name) for title in titles)


def test_what_no_text_can_hold_is_replaced():
    x = leaf(2)
    g = graph(x.sum(), names={"a\x00b\ud800c": x})
    assert labels(g.dot())[0].startswith("a\ufffdb\ufffdc")
    assert any(title.text.startswith("a\ufffdb\ufffdc") for title in ET.fromstring(g.svg()).iter(f"{SVG}title"))
    g.dot().encode(), g.svg().encode()


def test_dot_and_svg_are_the_same_each_time():
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.eager.test_graph_view import PROGRAMS\nfrom sourcediff import graph\n"
        "for name in sorted(PROGRAMS):\n"
        "    output, names = PROGRAMS[name]()\n"
        "    g = graph(output, names=names)\n"
        "    print(g.dot(), g.svg(), g)\n"
    )
    root = str(Path(sourcediff.__file__).parents[1])
    texts = {
        subprocess.run(
            [sys.executable, "-c", program, root], env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}, capture_output=True, check=True,
            cwd=root,
        ).stdout for seed in ("1", "2")
    }
    assert len(texts) == 1 and len(texts.pop()) > 10_000


# SVG without needing the graphviz binary


def picture_of(svg: str):
    """The boxes (x, y, width, height) by key, and the edges as (source, target, points, whether it starts anew)."""
    root = ET.fromstring(svg)
    boxes, edges = {}, []
    for element in root.iter():
        if "data-node" in element.attrib:
            rect = element.find(f"{SVG}rect")
            boxes[element.get("data-node")] = tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))
        elif "data-edge" in element.attrib:
            source, target = element.get("data-edge").split("-")
            edges.append((source, target, element.get("d")))
    return root, boxes, edges


def sampled(d: str) -> list[tuple[float, float]]:
    """Points on a path of M, L and C."""
    points: list[tuple[float, float]] = []
    for command, numbers in re.findall(r"([MLC])([^MLC]*)", d):
        values = [float(number) for number in re.findall(r"-?\d+\.?\d*", numbers)]
        ends = list(zip(values[::2], values[1::2]))
        if command == "C":
            start = points[-1]
            for t in np.linspace(0, 1, 20)[1:]:
                weights = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3
                points.append(tuple(sum(w * p[i] for w, p in zip(weights, [start, *ends])) for i in (0, 1)))
        elif command == "L":
            start = points[-1]
            points += [tuple(start[i] + (ends[0][i] - start[i]) * t for i in (0, 1)) for t in np.linspace(0, 1, 8)[1:]]
        else:
            points.append(ends[0])
    return points


def test_the_picture_has_a_box_for_each_node_and_a_line_for_each_edge(drawn):
    _, boxes, edges = picture_of(drawn.svg(most=10_000))
    assert list(boxes) == [str(node.number) for node in drawn.nodes]
    assert [(source, target) for source, target, _ in edges] == [(str(e.source.number), str(e.target.number)) for e in drawn.edges]


def test_no_two_boxes_overlap_and_all_are_in_the_picture(drawn):
    root, boxes, _ = picture_of(drawn.svg())
    for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(boxes.values(), 2):
        assert x + w < x2 or x2 + w2 < x or y + h < y2 or y2 + h2 < y
    width, height = float(root.get("width")), float(root.get("height"))
    shift, top = (float(number) for number in re.findall(r"[\d.]+", root.find(f"{SVG}g").get("transform")))
    assert all(0 < x + shift and x + w + shift < width and 0 < y + top and y + h + top < height for x, y, w, h in boxes.values())


def test_every_edge_ends_at_its_boxes(drawn):
    _, boxes, edges = picture_of(drawn.svg())
    trunks: dict[str, set] = {}
    for source, target, d in edges:
        points = sampled(d)
        x, y, w, h = boxes[target]
        assert x < points[-1][0] < x + w and abs(points[-1][1] - (y - 4)) < 0.2  # the arrow's head covers the last 4
        x, y, w, h = boxes[source]
        at_the_box = x < points[0][0] < x + w and abs(points[0][1] - (y + h)) < 0.2
        assert at_the_box or points[0] in trunks[source]
        trunks.setdefault(source, set()).update(tuple(float(n) for n in pair) for pair in re.findall(r"(-?[\d.]+),(-?[\d.]+)", d))


def test_no_edge_runs_through_a_box(drawn):
    _, boxes, edges = picture_of(drawn.svg())
    corners = np.array(list(boxes.values()))
    for _, _, d in edges:
        points = np.array(sampled(d))[:, None]
        inside = (points > corners[:, :2] + 0.2) & (points < corners[:, :2] + corners[:, 2:] - 0.2)
        assert not np.any(np.all(inside, axis=-1)), d


def test_data_flows_downwards(drawn):
    _, boxes, edges = picture_of(drawn.svg())
    assert all(boxes[source][1] + boxes[source][3] < boxes[target][1] for source, target, _ in edges)


def test_the_text_fits_its_box(drawn):
    root, boxes, _ = picture_of(drawn.svg())
    for element in root.iter():
        if "data-node" in element.attrib:
            _, y, w, h = boxes[element.get("data-node")]
            for text in element.iter(f"{SVG}text"):
                size = float(text.get("font-size"))
                assert size >= 11 and len(text.text) * size * 0.602 <= w and y < float(text.get("y")) - size * 0.7
                assert float(text.get("y")) + size * 0.25 < y + h


def test_leaves_and_saved_arrays_and_their_bytes_are_marked():
    svg = graph(*two_layers()).svg()
    texts = [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]
    assert "saved b float64 (4, 3) 96 B" in texts and "hidden = np.maximum" in texts
    root, *_ = picture_of(svg)
    grounds = {element.get("data-node"): element.find(f"{SVG}rect").get("fill") for element in root.iter() if "data-node" in element.attrib}
    assert len({grounds["0"], grounds["3"], grounds["10"]}) == 3
    assert texts[-1] == graph(*two_layers()).summary


def luminance(colour: str) -> float:
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_colours_can_be_read_on_light_and_on_dark_ground():
    loss, _ = two_layers()
    loss.backward()
    root, *_ = picture_of(graph([loss, several()[0][0]], names={"off": leaf(2)}).svg())
    for group in (element for element in root.iter() if "data-node" in element.attrib):
        rects, texts = list(group.iter(f"{SVG}rect")), list(group.iter(f"{SVG}text"))
        for text in texts:
            ground = rects[1 if "saved" in text.text else 0].get("fill")
            assert contrast(ground, text.get("fill")) > 4.5
    lines = {element.get("stroke") for element in root.iter(f"{SVG}g") if element.get("stroke")} | {root.find(f"{SVG}text").get("fill")}
    assert all(contrast(line, ground) > 3 for line in lines for ground in ("#ffffff", "#111111"))


def test_a_large_graph_is_drawn_abridged_and_says_so():
    output, names = recurrent(60)
    g = graph(output, names=names)
    root, boxes, edges = picture_of(g.svg(most=60))
    assert len(boxes) <= 61 and "rest" in boxes
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert f"… {len(g.nodes) - len(boxes) + 1:,} earlier nodes left out" in texts
    assert {"wh", "wx", "b", "output"} < set(texts)  # what the steps read stays
    inside = {(str(e.source.number), str(e.target.number)) for e in g.edges if {str(e.source.number), str(e.target.number)} <= set(boxes)}
    assert {(source, target) for source, target, _ in edges if source != "rest"} == inside
    cut = {str(edge.target.number) for edge in g.edges if str(edge.target.number) in boxes and str(edge.source.number) not in boxes}
    assert {target for source, target, _ in edges if source == "rest"} == cut
    assert "left out" not in g.svg(most=len(g.nodes))


def test_svg_needs_no_other_program(monkeypatch):
    def refused(*args, **kwargs):
        raise AssertionError("another program was started")

    monkeypatch.setattr(subprocess, "Popen", refused)
    monkeypatch.setattr("os.system", refused)
    assert graph(*diamond()).svg().startswith("<svg ")


def test_without_grandalf_a_picture_is_refused_and_the_rest_is_there(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "grandalf" or name.startswith("sourcediff.eager.view.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "grandalf", None)
    monkeypatch.setitem(sys.modules, "grandalf.graphs", None)
    g = graph(*diamond())
    with pytest.raises(SourcediffError, match=r"sourcediff\[graph\]"):
        g.svg()
    assert g.dot().startswith("digraph") and repr(g).startswith("graph of") and g._repr_svg_() is None


def test_the_long_edges_of_a_loop_are_straight_trunks():
    output, names = recurrent(60)
    g = graph(output, names=names)
    for svg in (g.svg(), g.svg(most=len(g.nodes))):
        _, boxes, edges = picture_of(svg)
        assert max(x + w for x, _, w, _ in boxes.values()) < 1000  # however many steps: each stands below the one before
    steps = [boxes[str(node.number)] for node in g.nodes if node.name == "np.tanh"]
    assert len({round(x + w / 2) for x, _, w, _ in steps[1:-1]}) == 1
    trunk = [d for source, _, d in edges if source == "0"]
    columns = [x for d in trunk for x, lower in itertools.pairwise(x for x, _ in sampled(d)) if x == lower]
    assert len(set(columns)) <= 3  # the trunk, and at most two that go straight down
    assert sum(map(len, trunk)) < 60 * 300  # each drawn once


# The layout by itself, on graphs of no particular kind


def random_layout(seed: int):
    rng = np.random.default_rng(seed)
    boxes = [Box(float(rng.integers(30, 300)), float(rng.integers(20, 120)), int(rng.integers(1, 4))) for _ in range(rng.integers(1, 50))]
    links = []
    for target in range(1, len(boxes)):
        for source in rng.integers(max(0, target - rng.integers(1, 40)), target, size=rng.integers(4)):
            links.append(EdgeRoute(int(source), target, int(rng.integers(boxes[source].exits))))
    return boxes, links, layout(boxes, links)


@pytest.mark.parametrize("seed", range(40))
def test_boxes_of_any_graph_stand_apart_and_edges_start_and_end_at_them(seed):
    boxes, links, found = random_layout(seed)
    sides = [(x, y, x + box.width, y + box.height) for (x, y), box in zip(found.corners, boxes)]
    for one, other in itertools.combinations(sides, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    for link, route in zip(links, found.routes):
        (left, _, right, bottom), start = sides[link.source], route[0]
        assert left < start[0] < right and start[1] == pytest.approx(bottom, abs=1e-3)
        (left, top, right, _), end = sides[link.target], route[-1]
        assert left < end[0] < right and end[1] == pytest.approx(top, abs=1e-3)
        assert all(y < lower for (_, y), (_, lower) in itertools.pairwise(route))
    assert min(side[0] for side in sides) > -1e-9
    assert max(side[2] for side in sides) <= found.width + 1e-9 and max(side[3] for side in sides) <= found.height + 1e-9


# _repr_svg_ in notebooks, printing, saving


def test_notebooks_get_the_picture_of_a_graph_and_the_text_of_a_variable():
    g = graph(*diamond())
    assert g._repr_svg_() == g.svg()
    assert not hasattr(Variable, "_repr_svg_")


def test_a_long_graph_is_printed_with_both_its_ends():
    lines = repr(graph(recurrent(100)[0])).splitlines()
    assert len(lines) == 42 and re.fullmatch(r"… \d+ more nodes", lines[21])
    assert lines[1].split()[:2] == ["0", "leaf"] and "output" in lines[-1]


def test_a_graph_can_be_saved(tmp_path):
    g = graph(*diamond())
    g.save(tmp_path / "graph.svg")
    g.save(str(tmp_path / "graph.dot"))
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == g.svg()
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8") == g.dot()
    with pytest.raises(SourcediffError, match=r"ends in \.svg"):
        g.save(tmp_path / "graph.png")
    assert not (tmp_path / "graph.png").exists()


def test_10_000_operations_can_be_walked_written_and_drawn():
    x = leaf(1)
    y = x
    for _ in range(10_000):
        y = y + x
    g = graph(y)
    assert len(g.nodes) == 10_002 and len(g.edges) == 20_001
    assert g.dot().count("->") == 20_001
    assert "earlier nodes left out" in g.svg()
    assert len(repr(g).splitlines()) == 42
