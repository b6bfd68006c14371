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
}

FAULTS: dict[str, dict[str, str]] = {
    "kinks.bell_around_a_point": {"second": "the second derivative of |x|² by way of the norm is 0 at 0"},
}
