"""What is refused today, and the faults that are known. Whoever makes an entry work takes it out: the test insists.

``python -m tests.museum`` prints the table as it has to be.
"""

REFUSED: dict[str, dict[str, str]] = {
    "overwriting.copied_over_a_dead_value": {
        "compiled": "UnsupportedSyntaxError: a statement that is only an expression",
    },
    "overwriting.product_into_a_workspace": {
        "compiled": "UnsupportedSyntaxError: a statement that is only an expression",
    },
    "overwriting.placed_under_a_mask": {
        "compiled": "UnsupportedSyntaxError: a statement that is only an expression",
    },
    "overwriting.inserted_among_constants": {
        "compiled": "MissingRuleError: insert is applied to a differentiated value",
        "auto": "MissingRuleError: np.insert has no derivative rule",
        "eager": "MissingRuleError: np.insert has no derivative rule",
        "second": "MissingRuleError: np.insert has no derivative rule",
    },
    "overwriting.state_overwritten_by_an_exponential": {
        "compiled": "UnsupportedSyntaxError: a statement that is only an expression",
    },
    "views.part_of_a_row_doubled": {
        "compiled": "AliasingError: v2 is changed in place while x, which may share its memory, is still in use",
    },
    "views.base_changed_under_its_views": {
        "compiled": (
            "AliasingError: z is changed in place while y, which may share its memory, is still in use; z is changed in "
            "place while zz, which may share its memory, is still in use"
        ),
    },
    "views.halves_changed_in_place": {
        "compiled": "AliasingError: v is changed in place while z, which may share its memory, is still in use",
    },
    "views.element_by_reference": {
        "compiled": "AliasingError: ref is changed in place while arr, which may share its memory, is still in use",
    },
    "indexing.scattered_sum": {
        "compiled": "UnsupportedSyntaxError: a statement that is only an expression",
    },
    "complexes.modulus": {
        "compiled": "ComplexError: the argument x of modulus is complex",
    },
    "complexes.modulus_by_parts": {
        "compiled": "ComplexError: the argument x of modulus_by_parts is complex",
    },
    "complexes.squared_modulus": {
        "compiled": "ComplexError: the argument z of squared_modulus is complex",
    },
    "complexes.squared_imaginary_part": {
        "compiled": "ComplexError: the argument x of squared_imaginary_part is complex",
    },
    "complexes.imaginary_part_of_a_rotation": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "complexes.imaginary_parts_summed": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "complexes.through_a_transmission_line": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "complexes.rotated_in_place": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
}

_SPLIT = "the eager engine follows no in-place change of a part that np.split has made: ValueError"
_PYTHON_POWER = "a power of a Python float at 0: ZeroDivisionError, where NumPy's is infinite"

FAULTS: dict[str, dict[str, str]] = {
    "views.halves_changed_in_place": {"auto": _SPLIT, "eager": _SPLIT, "second": _SPLIT},
    "kinks.bell_around_a_point": {"second": "the second derivative of |x|² by way of the norm is 0 at 0"},
    "powers.root_of_a_python_number": {"compiled": _PYTHON_POWER, "auto": _PYTHON_POWER, "eager": _PYTHON_POWER},
}
