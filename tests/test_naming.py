"""Names, paths and words that come from outside stay words: nothing of them is run, whatever they are made of."""

from __future__ import annotations

import builtins
import linecache
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff import UnsupportedSyntaxError, grad, gradient_source, save_gradient, value_and_grad
from sourcediff.backends.python import origin, source_head
from sourcediff.errors import SourcediffError, UnknownParameterError
from sourcediff.naming import as_part, is_name, label, one_line, read_path, readable, written_path
from tests.sampling import sampled

X = np.array([0.5, -2.0])
RUN = "RAN.append(1)"

BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
HOSTILE = [
    *(f"a{end}{RUN}{end}    {RUN}#" for end in BREAKS), f'a"""\n{RUN}\n"""', f"a'''\n{RUN}\n'''", f"a\\\n{RUN}", "a#b", "a = b",
    "'a'", '"a"',
    "a\\", "a\\n", "a\x1b[31m", "a\x9b31m", "\u202ea", "\u2066a", "\udce9t\udce9", "a\tb", " a ", "class", "None", "a b",
    "coding: utf-7", "\ufb01t", "σ²", "a" * 10_000, "a.b", "a:12", "", "a}{b", "%s", "{0}",
]
PATHS = [*HOSTILE, "a\0b", "\ud800"]
def WORDS(test):
    """Every sixth of the hostile words for each place, all of them with ``--long``."""
    return sampled(6, "word", HOSTILE, ids=lambda word: ascii(word)[:40], name=ascii)(test)


@pytest.fixture(autouse=True)
def nothing_ran(monkeypatch):
    """No text that is made here runs what stands in a name."""
    ran: list[int] = []
    monkeypatch.setattr(builtins, "RAN", ran, raising=False)
    yield
    assert not ran


SOURCE = """\
def compound(x):
    y = x * 2
    for i in range(3):
        y = y * x
    return np.sum(y)
"""


def from_file(name: str, source: str = SOURCE, **given):
    """The first function of a source, as if it stood in a file of that name."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = {"np": np, **given}
    code = compile(source, "a file", "exec")
    exec(code, namespace)
    found = [value for value in namespace.values() if isinstance(value, types.FunctionType)]
    function = next(value for value in found if value.__code__.co_filename == "a file")
    function.__code__ = function.__code__.replace(co_filename=name)
    return function


def run_alone(text: str) -> dict:
    """Run a text as a file."""
    namespace: dict = {"__name__": "alone"}
    exec(compile(text.encode(), "alone", "exec"), namespace)
    return namespace


@sampled(6, "name", PATHS, ids=lambda name: ascii(name)[:40], name=ascii)
def test_a_file_may_be_called_anything(name, tmp_path):
    f = from_file(name)
    if name in ("a\0b", "\ud800"):  # no file can be called that: there is no source, the eager engine needs none
        del linecache.cache[name]
        with pytest.raises(sourcediff.SourceUnavailableError, match="compound"):
            grad(f, mode="compiled")(X)
        np.testing.assert_allclose(grad(f, mode="eager")(X), 8 * X**3)
        return
    np.testing.assert_allclose(grad(f, mode="compiled")(X), 8 * X**3)
    text = gradient_source(f, args=(X,))
    assert "\n\n\ndef compound_grad(x):  # " in text
    assert text.count("\n") == gradient_source(from_file("plain.py"), args=(X,)).count("\n")
    run_alone(sourcediff.explain(f, args=(X,)))
    save_gradient(f, tmp_path / "saved.py", args=(X,))
    saved = run_alone((tmp_path / "saved.py").read_text(encoding="utf-8"))
    np.testing.assert_allclose(saved["compound_grad"](X), 8 * X**3)


@WORDS
def test_a_function_may_be_called_anything(word, tmp_path):
    f = from_file("plain.py")
    f.__name__ = f.__qualname__ = word
    f.__module__ = word
    expected = 8 * X**3
    np.testing.assert_allclose(grad(f, mode="compiled")(X), expected)
    np.testing.assert_allclose(sourcediff.jvp(f, (X,), (np.ones(2),), mode="compiled")[1], np.sum(expected))
    np.testing.assert_allclose(sourcediff.hvp(f, mode="compiled")(X, np.ones(2)), 24 * X**2)
    run_alone(sourcediff.explain(f, args=(X,)))
    save_gradient(f, tmp_path / "saved.py", args=(X,))
    run_alone((tmp_path / "saved.py").read_text(encoding="utf-8"))


@WORDS
def test_a_function_among_the_arguments_may_be_called_anything(word, tmp_path):
    def h(x):
        return 2 * x

    def f(x, k):
        return np.sum(k(x) * x)

    h.__qualname__ = h.__module__ = word
    np.testing.assert_allclose(grad(f, mode="compiled")(X, h), 4 * X)
    run_alone(sourcediff.explain(f, args=(X, h)))


class Model:
    def loss(self, x):
        return np.sum(x * x) * self.rate


def of_model(model, x):
    return np.sum(x * x) * model.rate


@WORDS
def test_an_attribute_that_is_no_name_is_refused(word):
    model = Model()
    model.rate = 3.0
    setattr(model, word, 2.0)
    if is_name(word):
        return  # nothing hostile in it
    with pytest.raises(UnknownParameterError):
        grad(model.loss, wrt="self." + word)(X)
    if "." not in word:
        with pytest.raises(UnsupportedSyntaxError, match="no name, or a keyword"):
            grad(of_model, mode="compiled")(model, X)
        with pytest.warns(sourcediff.FallbackWarning):
            found = grad(of_model)(model, X)  # the eager engine writes no program
        assert found.rate == np.sum(X * X)
    np.testing.assert_allclose(grad(model.loss, mode="compiled")(X), 6 * X)  # what is not asked for is not written


@WORDS
def test_a_key_may_be_anything(word):
    def f(entries, x):
        return np.sum(x * x) * entries["rate"] * sum(entries.values())

    if word == "rate":
        return
    found = grad(f, mode="compiled")({"rate": 2.0, word: 3.0}, X)
    s = np.sum(X * X)
    assert found == {"rate": pytest.approx(7 * s), word: pytest.approx(2 * s)}


def test_keys_that_python_would_take_for_one_name_are_two():
    def f(entries):
        return entries["\ufb01t"] ** 2 * entries["fit"]

    found = grad(f, mode="compiled")({"\ufb01t": 3.0, "fit": 5.0})
    assert found == {"\ufb01t": 30.0, "fit": 9.0}


@WORDS
def test_an_entry_of_a_table_of_functions_may_be_called_anything(word):
    table = {word: lambda x: 2 * x, "other": lambda x: 3 * x}

    def f(x):
        return np.sum(table[word](x) * table["other"](x))

    np.testing.assert_allclose(grad(f)(X), 12 * X)


class Layer:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return self.slope * x


@WORDS
def test_an_object_in_a_dict_may_be_called_anything(word):
    layers = {word: Layer(2.0), "other": Layer(3.0)}

    def f(x):
        total = x
        for name in layers:
            total = layers[name](total)
        return np.sum(total**2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sourcediff.FallbackWarning)
        np.testing.assert_allclose(grad(f)(X), 72 * X)


@WORDS
def test_a_keyword_argument_may_be_called_anything(word):
    def f(x, *args, **options):
        return np.sum(x * x) * sum(options.values())

    np.testing.assert_allclose(grad(f, wrt="x")(X, **{word: 3.0}), 6 * X)
    try:
        assert grad(f, wrt=word)(X, **{word: 3.0}) == pytest.approx(np.sum(X * X))
    except (UnsupportedSyntaxError, UnknownParameterError):
        assert not is_name(word)


@WORDS
def test_a_module_may_be_called_anything(word, tmp_path):
    module = types.ModuleType(word)
    module.np, module.K = np, 2.0
    f = from_file("plain.py", "def f(x):\n    y = m.np.sin(x) * m.K\n    return m.np.sum(y)\n", m=module)
    np.testing.assert_allclose(grad(f, mode="compiled")(X), 2 * np.cos(X))
    save_gradient(f, tmp_path / "saved.py", args=(X,))
    run_alone((tmp_path / "saved.py").read_text(encoding="utf-8"))


def test_a_module_that_shares_its_name_with_another_is_itself():
    module = types.ModuleType("json")  # not the one that import gives
    module.np = np
    f = from_file("plain.py", "def f(x):\n    return m.np.sum(m.np.exp(x))\n", m=module)
    np.testing.assert_allclose(grad(f, mode="compiled")(X), np.exp(X))


@WORDS
def test_a_field_of_records_may_be_called_anything(word, tmp_path):
    records = np.zeros(2, [(word or "f0", float), ("plain", float)])

    def f(x, r):
        return np.sum(x * x) + r.shape[0]

    np.testing.assert_allclose(grad(f)(X, records), 2 * X)
    save_gradient(f, tmp_path / "saved.py", args=(X, records))
    run_alone((tmp_path / "saved.py").read_text(encoding="utf-8"))
    run_alone(sourcediff.explain(f, args=(X, records)))


@WORDS
def test_messages_keep_to_what_a_terminal_shows(word):
    f = from_file(word or "plain.py", "def f(x, k):\n    k = eval('2')\n    return x\n")
    f.__qualname__ = word
    for call in (lambda: grad(f, mode="compiled")(X, 2), lambda: grad(f, wrt=word + "?"), lambda: value_and_grad(f, mode="eager")(X, 2.0)):
        with pytest.raises(SourcediffError) as caught:
            call()
        assert all(letter.isprintable() or letter in "\n\t" for letter in str(caught.value))


def test_a_parameter_called_coding_does_not_choose_the_encoding_of_a_file(tmp_path):
    def f(coding, encoding):
        return np.sum(coding * encoding)

    save_gradient(f, tmp_path / "saved.py", args=(X, X))
    saved = run_alone((tmp_path / "saved.py").read_text(encoding="utf-8"))
    np.testing.assert_allclose(saved["f_grad"](X, 3 * X), 3 * X)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there, not bytes")
def test_a_file_whose_name_is_not_utf8(tmp_path):
    folder = tmp_path / "d\udce9"
    folder.mkdir()
    path = folder / "caf\udce9.py"
    path.write_text("import numpy as np\n\ndef f(x):\n    y = np.log(x)\n    return np.sum(y) / np.zeros(3)[int(x[0])]\n", encoding="utf-8")
    script = (
        "import importlib.util, os, sys, numpy as np, sourcediff\n"
        "spec = importlib.util.spec_from_file_location('cafe', sys.argv[1])\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "with np.errstate(all='ignore'): print(sourcediff.grad(module.f, mode='compiled')(np.ones(2)))\n"
        "sourcediff.save_gradient(module.f, sys.argv[2])\n"
        "try: sourcediff.grad(module.f, mode='compiled')(np.full(2, 9.0))\n"
        "except IndexError as error: print(*getattr(error, '__notes__', ()), error)\n"
    )
    environment = {**__import__("os").environ, "PYTHONPATH": str(__import__("pathlib").Path(sourcediff.__file__).parents[1])}
    given = [sys.executable, "-c", script, str(path), str(folder / "out\udce9.py")]
    done = subprocess.run(given, capture_output=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert b"[inf inf]" in done.stdout
    assert b"while differentiating caf_udce9.py:4: y = np.log(x)" in done.stdout  # the line is found by the path
    shown = subprocess.run([sys.executable, "-m", "sourcediff", "save", f"{path}:f", str(folder / "o\udce9.py")],
                           capture_output=True, env=environment, timeout=120, check=False)
    assert shown.returncode == 0, shown.stderr.decode(errors="replace")


@WORDS
def test_the_line_of_an_error_is_found_by_any_path(word):
    path = f"/somewhere/{word}"
    text = source_head({label(path): path}) + f"def f(u):\n    a = 1  # {label(path)}:12\n    return a\n"
    assert text.count("\n") == 4
    found = origin(text, 3)
    assert found is not None if label(path) else found is None
    assert found is None or (found.path, found.line) == (path, 12)


@WORDS
def test_words_are_written_as_one_line_that_can_be_seen(word):
    for written in (one_line(word), label(word), written_path(word)):
        assert written.isprintable() and len(written.splitlines()) <= 1
    assert read_path(written_path(word)) == word
    assert f"a{as_part(word)}".isidentifier()
    assert readable(word) == word or not word.isprintable()
    assert not is_name(word) or compile(f"{word} = 1", "a name", "exec")
