"""``python -m sourcediff``: see :mod:`sourcediff.api.command`."""

import sys

from .api.command import main

if __name__ == "__main__":
    sys.exit(main())
