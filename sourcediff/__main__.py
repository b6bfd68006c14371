"""``python -m sourcediff``: see :mod:`sourcediff.command`."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
