"""Idioms as people write them, and programs in which order and aliases decide: right, or refused where it says so.

A program is called twice with other values, and some a third time with other strings, lengths and tables (``THEN``).
"""

from __future__ import annotations

import copy
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff

TABLES = {name: importlib.import_module(f"{__package__}.{name}") for name in ("idioms", "order_and_aliases")}
PROGRAMS = [(table, name) for table, module in TABLES.items() for name in module.REGISTRY]

REFUSED = frozenset("""
    acc_starts_as_number alias_hist_same_array alias_rows_times alias_swap_arrays
    branch_objects cached_property_stale class_aug_makes_instance
    class_changed_at_run_time class_list_shared class_vs_instance decorated_helper
    dict_overwrite_keeps_order early_return enumerate_zip_gens exception_partial_effects
    gen_exhausted gen_finally gen_interleaved gen_resumed gen_send_return gen_shared_zip
    getitem_iteration getitem_setitem global_state inplace_param_dict_arg islice_count iter_protocol list_subclass
    match_captures_rebind memo_dict module_dict_state mutable_default
    one_branch_rebinds_list one_history_inplace_after
    one_history_of_views one_list_imul one_loop_alias_conditional_copy one_transposed_buffer
    operator_iadd_alias operator_reflected_subclass order_aug_target ordered_move_to_end property_setter reduce
    slice_assignment stop_iteration_value tee_and_map_lazy tree_map unpack_theta with_contextmanager
    one_params_loop_update order_compare_chain with_return_inside with_swallow
""".split())
"""Those that are refused, by name."""


def numeric(f: Callable[..., Any], args: tuple[Any, ...], reset: Callable[[], None] | None) -> Any:
    x = np.asarray(args[0], float)

    def at(value: np.ndarray) -> float:
        if reset:
            reset()
        return float(f(value if x.ndim else float(value), *copy.deepcopy(args[1:])))

    found, h = np.zeros_like(x), 1e-5
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = h
        found[index] = (at(x + step) - at(x - step)) / (2 * h)
    return found


@pytest.mark.parametrize(("table", "name"), PROGRAMS, ids=[name for _, name in PROGRAMS])
def test_a_program_is_right_or_refused(table: str, name: str) -> None:
    module = TABLES[table]
    f, args, options = module.REGISTRY[name]
    second = args[0] * 1.01 + 0.003 if options["x2"] is None else options["x2"]
    points = [args, (second, *args[1:]), *([(args[0], *module.THEN[name])] if name in module.THEN else [])]
    gradient = None
    try:
        for point in points:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = numeric(f, point, options["reset"])
                if options["reset"]:
                    options["reset"]()
                gradient = gradient or sourcediff.grad(f, mode="compiled")
                found = gradient(*copy.deepcopy(point))
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    except sourcediff.SourcediffError as refusal:
        assert name in REFUSED, refusal
    else:
        assert name not in REFUSED, "it is right now"
