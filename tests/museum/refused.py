"""What is refused today, and the faults that are known. Whoever makes an entry work takes it out: the test insists.

``python -m tests.museum`` prints the table as it has to be.
"""

REFUSED: dict[str, dict[str, str]] = {}

FAULTS: dict[str, dict[str, str]] = {}
