"""``python -m tests.museum``: print how every exhibit stands today, as the table that the test holds."""

import sys

from tests.museum import EXHIBITS
from tests.museum.judge import standing_of_second, truth
from tests.standing import MODES, standing, table


def main() -> None:
    found: dict[str, dict[str, str]] = {}
    for exhibit in EXHIBITS:
        stands = found[exhibit.case.name] = {}
        for order in (*MODES, *["second"] * exhibit.second):
            try:
                stands[order] = (
                    standing_of_second(exhibit) if order == "second" else standing(exhibit.case, order, truth(exhibit), exhibit.answer)
                )
            except Exception as fault:  # whatever it is, it is a finding
                print(f"{exhibit.case.name}, {order}: {type(fault).__name__}: {fault}", file=sys.stderr)
    print(table(found), end="")


if __name__ == "__main__":
    main()
