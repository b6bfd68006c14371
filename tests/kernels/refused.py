"""What is refused today, and what has no derivative. Whoever makes an entry work takes it out: the test insists.

``python -m tests.kernels`` prints the table as it has to be.
"""

REFUSED: dict[str, dict[str, str]] = {
    "products.covariance_mirrored": {
        "compiled": "AliasingError: a vector is stored into memory that overlaps it in another stride",
        "auto": "AliasingError: a vector is stored into memory that overlaps it in another stride",
        "eager": "AliasingError: a vector is stored into memory that overlaps it in another stride",
    },
    "stencils.smoothed_by_turns": {
        "compiled": (
            "AliasingError: B1 is changed in place while A, which may share its memory, is still in use; B1 is changed in "
            "place while B, which may share its memory, is still in use"
        ),
    },
}

NONE = ("programs.crc16",)
"""A checksum is made of integers."""
