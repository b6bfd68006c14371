"""Losses over rows that lie with several processes: the whole's value and gradient, whatever is lost meanwhile."""

from __future__ import annotations

import itertools
import os
import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError

from . import losses

dask = pytest.importorskip("dask", reason="needs sourcediff[dask]")
distributed = pytest.importorskip("distributed", reason="needs sourcediff[dask]")
import dask.array as da  # noqa: E402

from sourcediff.distributed import cut, value_and_grad  # noqa: E402

ROWS, PARTS = losses.ROWS, 8
WEIGHTS = {"w": np.linspace(-1, 1, losses.COLUMNS), "b": 0.3}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two workers, which find no generated code in the cache that they are given."""
    folder = str(tmp_path_factory.mktemp("cache"))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", env={"SOURCEDIFF_CACHE_DIR": folder},
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def count_compilations():
    """Count the calls of the compiler in this process."""
    from sourcediff.compiler import pipeline

    if hasattr(pipeline, "counted"):
        return
    compiled, pipeline.compile_gradient = pipeline.compile_gradient, lambda *asked: counted.append(asked) or compiled(*asked)
    pipeline.counted = counted = []


def compilations():
    from sourcediff.compiler import pipeline

    return len(pipeline.counted)


def delayed_parts(parts=PARTS, rows=losses.rows):
    """Table and labels as lists of delayed parts."""
    ends = [ROWS * part // parts for part in range(parts + 1)]
    return tuple([dask.delayed(rows)(which, *pair) for pair in itertools.pairwise(ends)] for which in (0, 1))


def same(found, expected):
    (value, gradient), (expected_value, expected_gradient) = found, expected
    np.testing.assert_allclose(value, expected_value, rtol=1e-12)
    assert sorted(gradient) == sorted(expected_gradient)
    for key, part in expected_gradient.items():
        np.testing.assert_allclose(gradient[key], part, rtol=1e-11, atol=1e-10)
        assert type(gradient[key]) is type(part)


@pytest.mark.parametrize(("f", "reduce"), [(losses.squares, "sum"), (losses.mean_of_squares, "mean")])
def test_arrays_and_delayed_parts(client, f, reduce):
    expected = sourcediff.value_and_grad(f)(WEIGHTS, losses.TABLE, losses.LABELS)
    over = value_and_grad(f, ("X", "y"), reduce)
    arrays = da.from_array(losses.TABLE, chunks=(700, 2)), da.from_array(losses.LABELS, chunks=1000)
    for data in (arrays, delayed_parts(), delayed_parts(1)):
        same(over(WEIGHTS, *data), expected)
        same(over(WEIGHTS, y=data[1], X=data[0]), expected)
    assert over.steps == 6
    over.close()


def test_frames(client):
    frames = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    pandas = pytest.importorskip("pandas")
    names = [f"x{k}" for k in range(losses.COLUMNS)]
    whole = pandas.DataFrame(losses.TABLE, columns=names).assign(label=losses.LABELS)
    over = value_and_grad(losses.squares_of_frame, "rows", client=client)
    expected = sourcediff.value_and_grad(losses.squares)(WEIGHTS, losses.TABLE, losses.LABELS)
    same(over(WEIGHTS, frames.from_pandas(whole, npartitions=PARTS)), expected)
    over.close()


def test_without_dask_processes_of_joblib():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sourcediff.distributed.current_client", lambda: None)
        expected = sourcediff.value_and_grad(losses.squares)(WEIGHTS, losses.TABLE, losses.LABELS)
        over = value_and_grad(losses.squares, over=("X", "y"))
        same(over(WEIGHTS, losses.TABLE, losses.LABELS), expected)
        same(over(WEIGHTS, np.array_split(losses.TABLE, 7), np.array_split(losses.LABELS, 7)), expected)
        mean = value_and_grad(losses.mean_of_squares, ("X", "y"), "mean")
        expected = sourcediff.value_and_grad(losses.mean_of_squares)(WEIGHTS, losses.TABLE, losses.LABELS)
        same(mean(WEIGHTS, losses.TABLE, losses.LABELS), expected)
        with pytest.raises(ValueError, match="there is no client"):
            over(WEIGHTS, *delayed_parts())


def test_a_client_that_is_not_the_current_one(client):
    with distributed.Client(client.scheduler.address, set_as_default=False) as other:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sourcediff.distributed.current_client", lambda: None)
            patch.setattr("distributed.client._get_global_client", lambda: None)
            over = value_and_grad(losses.squares, ("X", "y"), client=other)
            with ThreadPoolExecutor(1) as thread:  # where no client is the current one
                found = thread.submit(over, WEIGHTS, *delayed_parts()).result()
    same(found, sourcediff.value_and_grad(losses.squares)(WEIGHTS, losses.TABLE, losses.LABELS))


def test_equal_calls_give_equal_bits(client):
    expected = value_and_grad(losses.squares, ("X", "y"))(WEIGHTS, *delayed_parts())
    for _ in range(3):
        found = value_and_grad(losses.squares, ("X", "y"))(WEIGHTS, *delayed_parts())
        assert found[0] == expected[0] and found[1]["b"] == expected[1]["b"]
        np.testing.assert_array_equal(found[1]["w"], expected[1]["w"])


def test_a_worker_is_lost_within_a_call(client):
    over, data = value_and_grad(losses.slow_squares, ("X", "y")), delayed_parts(rows=losses.slow_rows)
    expected = over(WEIGHTS, *data)
    victim, pid = next(iter(client.run(os.getpid).items()))
    killing = threading.Timer(0.05, os.kill, (pid, signal.SIGKILL))
    killing.start()
    for _ in range(3):  # meanwhile, without it, and with the one that has come in its place
        found = over(WEIGHTS, *data)
        killing.join()
        np.testing.assert_array_equal(found[1]["w"], expected[1]["w"])
        assert found[0] == expected[0]
        client.wait_for_workers(2)
    assert victim not in over.placed.places and len(set(over.placed.places)) == 2


def test_many_weights_are_sent_once(client, monkeypatch):
    sent = []
    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lambda *given, **options: sent.append(options) or scatter(*given, **options))
    over = value_and_grad(losses.of_many_weights, "X")
    (table, _), w = delayed_parts(), np.ones(200_000)
    for factor in (1.0, 1.0, 2.0):
        value, gradient = over(factor * w, table)
        np.testing.assert_allclose(value, np.sum(losses.TABLE) * factor ** 2 * len(w))
        np.testing.assert_allclose(gradient, np.sum(losses.TABLE) * 2 * factor * w)
    assert sent == [{"broadcast": True, "hash": False}] * 3
    over(np.ones(3), table)
    assert len(sent) == 3


def test_progress_is_shown_where_it_takes_long(client, monkeypatch, capsys):
    monkeypatch.setattr("sourcediff.distributed.PATIENCE", 0.01)
    over, data = value_and_grad(losses.slow_squares, ("X", "y")), delayed_parts(rows=losses.slow_rows)
    same(over(WEIGHTS, *data), sourcediff.value_and_grad(losses.squares)(WEIGHTS, losses.TABLE, losses.LABELS))
    assert re.search("sourcediff: step 1, [01] of 2 tasks done", capsys.readouterr().err)


def test_large_parameters_that_are_lost_are_sent_again(client, monkeypatch):
    over, (table, _), w = value_and_grad(losses.of_many_weights, "X"), delayed_parts(), np.ones(200_000)
    expected = over(w, table)
    sent, lost = client.scatter, []

    def losing(*given, **options):
        made = sent(*given, **options)
        if len(lost) < 2:
            lost.append(made)
            client.cancel(made, reason="lost")
        return made

    monkeypatch.setattr(client, "scatter", losing)
    found = over(w, table)
    assert found[0] == expected[0] and len(lost) == 2


def test_a_tree_of_workers(client, monkeypatch):
    over, data = value_and_grad(losses.squares, ("X", "y")), delayed_parts()
    expected = over(WEIGHTS, *data)
    over.placed.places = over.placed.places * 4  # as if there were eight
    over.placed.groups = [group[at:at + 1] for group in over.placed.groups for at in range(4)]
    monkeypatch.setattr("sourcediff.distributed.FAN", 2)
    monkeypatch.setattr(over.placed, "look", lambda: None)
    same(over(WEIGHTS, *data), expected)


# What is refused


def test_no_worker_runs_eagerly(client):
    for over in (value_and_grad(losses.not_compiled, ("X", "y")), value_and_grad(losses.not_compiled, ("X", "y"), client=client)):
        with pytest.raises(UnsupportedSyntaxError, match="not_compiled"):
            over(WEIGHTS, *delayed_parts())


def test_errors_of_workers_are_raised(client):
    with pytest.raises(KeyError, match="more than ten rows"):
        value_and_grad(losses.fails, ("X", "y"))(WEIGHTS, *delayed_parts())


@pytest.mark.parametrize(("f", "reduce"), [(losses.squares, "mean"), (losses.mean_of_squares, "sum")])
def test_a_loss_that_is_no_such_sum_is_refused(client, f, reduce):
    with pytest.raises(ValueError, match=f"is no {reduce} over the rows of X, y"):
        value_and_grad(f, ("X", "y"), reduce)(WEIGHTS, *delayed_parts())


def test_parts_that_do_not_fit_are_refused(client):
    over = value_and_grad(losses.squares, ("X", "y"))
    table, labels = delayed_parts()
    with pytest.raises(ValueError, match="8 and 7 parts"):
        over(WEIGHTS, table, labels[:7])
    with pytest.raises(ValueError, match="have 500 and 4000 rows"):
        over(WEIGHTS, table[:1], [dask.delayed(losses.LABELS)])
    with pytest.raises(ValueError, match="ndarray holds the rows"):
        over(WEIGHTS, losses.TABLE, losses.LABELS)


def test_options_are_checked():
    with pytest.raises(ValueError, match="has no parameter 'z'"):
        value_and_grad(losses.squares, "z")
    with pytest.raises(ValueError, match="names no parameter"):
        value_and_grad(losses.squares, ())
    with pytest.raises(ValueError, match="'sum' or 'mean'"):
        value_and_grad(losses.squares, "X", "max")
    with pytest.raises(ValueError, match="X is differentiated, and holds rows"):
        value_and_grad(losses.squares, ("X", "y"), wrt="X")


@pytest.mark.parametrize(("number", "groups"), [(16, 2), (5, 2), (3, 8), (1, 1), (17, 5)])
def test_groups_are_nearly_equal(number, groups):
    sizes = [part.stop - part.start for part in cut(number, groups)]
    assert sum(sizes) == number and max(sizes) - min(sizes) <= 1 and min(sizes) > 0


# Text that is sent


def test_a_worker_with_an_empty_cache_compiles_nothing(client):
    def loss(w, X, y):  # pickled by value: no worker has this module's source
        return np.sum(np.cosh(X @ w) * y)

    client.run(count_compilations)
    w = np.linspace(0, 0.1, losses.COLUMNS)
    value, gradient = value_and_grad(loss, ("X", "y"))(w, *delayed_parts())
    expected = sourcediff.value_and_grad(loss)(w, losses.TABLE, losses.LABELS)
    np.testing.assert_allclose(value, expected[0], rtol=1e-12)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-11)
    value_and_grad(losses.asked_of_once, ("X", "y"))(w, *delayed_parts())  # by name, from a module that they have
    assert list(client.run(compilations).values()) == [0, 0]
