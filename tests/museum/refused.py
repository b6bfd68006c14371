"""What is refused today, and the faults that are known. Whoever makes an entry work takes it out: the test insists.

``python -m tests.museum`` prints the table as it has to be.
"""

REFUSED: dict[str, dict[str, str]] = {}

FAULTS: dict[str, dict[str, str]] = {
    "kinks.bell_around_a_point": {"second": "the second derivative of |x|² by way of the norm is 0 at 0"},
}
