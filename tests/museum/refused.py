"""What is refused today, and the faults that are known. Whoever makes an entry work takes it out: the test insists.

``python -m tests.museum`` prints the table as it has to be.
"""

REFUSED: dict[str, dict[str, str]] = {
    "overwriting.inserted_among_constants": {
        "compiled": "MissingRuleError: insert is applied to a differentiated value",
        "auto": "MissingRuleError: np.insert has no derivative rule",
        "eager": "MissingRuleError: np.insert has no derivative rule",
        "second": "MissingRuleError: np.insert has no derivative rule",
    },
    "views.halves_changed_in_place": {
        "compiled": "AliasingError: v is changed in place while z, which may share its memory, is still in use",
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
