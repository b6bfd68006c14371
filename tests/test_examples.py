"""The programs in ``examples/``: each does what it says that it does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
NEEDS = {"many_rows": "distributed"}


def load(name: str) -> ModuleType:
    spec = spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_picture(path: Path) -> bool:
    content = path.read_bytes()
    return content.startswith(b"\x89PNG") and len(content) > 5000


def test_all_are_tested():
    assert NAMES == ["autoencoder", "define_by_run", "digits", "heat", "many_rows", "sequences", "tour", "two_layer_net"]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_and_how_to_run_it(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason="the example needs it")
    assert f"python examples/{name}.py" in load(name).__doc__


def test_the_four_variants_of_the_two_layer_net_have_the_same_losses(capsys):
    losses = load("two_layer_net").main()
    assert list(losses) == ["by_hand", "variables", "function", "compiled"]
    by_hand = losses["by_hand"]
    assert len(by_hand) == 500 and by_hand[0] > 1e7 and by_hand[-1] <= 1e-2
    for variant, history in losses.items():
        np.testing.assert_allclose(history, by_hand, rtol=1e-4, err_msg=variant)
    table = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip()[:1].isdigit()]
    assert len(table) == 6 and all(len(row) == 4 and len(set(row)) == 1 for row in table), table


def test_the_first_steps_give_the_gradients_of_the_tutorials(capsys):
    steps = load("define_by_run")
    np.testing.assert_array_equal(steps.a_gradient(), np.full((2, 2), 4.5))
    printed = capsys.readouterr().out
    assert "x.grad = Variable containing:\n[[4.5 4.5]\n [4.5 4.5]]\n[float64 array of size 2x2]\n" in printed
    assert "= Variable containing:\n27.0\n[float64 number]\n" in printed
    np.testing.assert_array_equal(steps.a_gradient(factor=2), np.full((2, 2), 3.0))

    doublings, gradient = steps.a_loop()
    assert doublings > 5
    np.testing.assert_array_equal(gradient, 2.0**doublings * np.array([0.1, 1.0, 0.0001]))

    capsys.readouterr()
    found = steps.three_graphs()
    ones = np.ones((2, 2))
    np.testing.assert_allclose(found["total"][0].data, ones @ found["y"].T)
    np.testing.assert_array_equal(found["total"][1].data, ones)
    np.testing.assert_allclose(found["quotient"][0].data, (ones / found["z"]) @ found["y"].T)
    np.testing.assert_allclose(found["quotient"][1].data, -found["x"] @ found["y"] / found["z"] ** 2)
    assert re.findall(r"requires grad: (\w+)", capsys.readouterr().out) == ["False", "True", "True"]


def test_sequences_of_different_lengths_are_read(capsys):
    result = load("sequences").main(samples=1500)
    assert result.untrained > 0.3 and result.trained < 0.12 and result.longer < 0.12
    assert " 1500 samples, mean loss" in capsys.readouterr().out


def test_the_digits_are_read(tmp_path, capsys):
    result = load("digits").main(epochs=20, output=tmp_path)
    assert result.accuracy > 0.94
    assert result.losses[-1] < 0.2 * result.losses[0]
    assert is_picture(result.picture) and result.picture.parent == tmp_path
    assert "epoch  10 of 20" in capsys.readouterr().out


def test_the_autoencoder_learns_what_digits_look_like(tmp_path, capsys):
    result = load("autoencoder").main(epochs=20, output=tmp_path)
    assert result.trained < result.independent - 1 and result.independent < result.untrained - 10
    assert is_picture(result.picture) and result.picture.parent == tmp_path
    assert "epoch  10 of 20" in capsys.readouterr().out


def test_the_autoencoder_gives_the_gradient_of_what_it_is_trained_by():
    example = load("autoencoder")
    rng = np.random.default_rng(1)
    model, images = example.Autoencoder(rng), rng.uniform(size=(3, example.PIXELS))

    def loss():
        model.rng = np.random.default_rng(2)  # the same noise each time
        return model.loss(images)

    loss().backward()
    for p in model.parameters:
        direction = rng.standard_normal(p.shape)
        start, values = p.data, []
        for step in (1e-6, -1e-6):
            p.data = start + step * direction
            values.append(loss().item())
        p.data = start
        np.testing.assert_allclose(np.sum(p.grad.data * direction), (values[0] - values[1]) / 2e-6, rtol=1e-6, atol=1e-7)


def test_the_hidden_temperature_and_conductivity_are_recovered(tmp_path, capsys):
    temperature, material = load("heat").main(points=40, output=tmp_path)
    assert temperature.error < 0.02 and material.error < 0.001
    assert np.max(np.abs(material.guess - material.hidden)) > 0.1  # the search did not begin at its end
    assert is_picture(tmp_path / "heat.png")
    assert "recovered to within" in capsys.readouterr().out


def test_the_misfit_of_the_heat_example_leaves_its_arguments_alone():
    heat = load("heat")
    start, conductivity = np.linspace(0.0, 1.0, 9) ** 2, np.full(8, 0.3)
    measured = heat.measure(start, conductivity, 3, 2)
    before = start.copy(), conductivity.copy(), measured.copy()
    gradient = heat.value_and_grad(heat.misfit, wrt=("start", "conductivity"))
    value, (start_bar, conductivity_bar) = gradient(start, conductivity, measured, 2)
    assert value == 0 and not np.any(start_bar) and not np.any(conductivity_bar)
    for now, then in zip((start, conductivity, measured), before):
        np.testing.assert_array_equal(now, then)


def test_the_tour_runs_as_a_program(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    command = [sys.executable, str(EXAMPLES / "tour.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "u_bar" in done.stdout and "the compiled gradient and the eager graph agree" in done.stdout
    assert "generated" in done.stdout and "by hand" in done.stdout


def test_the_regression_over_many_rows_loses_a_worker(capsys):
    pytest.importorskip("distributed", reason="the example needs it")
    fitted = load("many_rows").main(rows=60_000, parts=8)
    np.testing.assert_array_equal(fitted.after_loss, fitted.gradient)
    np.testing.assert_allclose(fitted.found, fitted.hidden, atol=0.1)
    assert "a worker was killed; the largest difference of the gradient is 0.0" in capsys.readouterr().out
