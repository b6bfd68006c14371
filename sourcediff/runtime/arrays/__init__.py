"""The few helpers that rules and generated code may call. They are the narrow waist: a backend that has these has all.

They take and return plain arrays (or scalars) and never change their arguments; the dtype is that of the first argument.
Each has a derivative rule itself (``rules/helpers.py``), so that any order of derivative works.
"""

from .binning import *
from .broadcasting import *
from .filters import *
from .indexing import *
from .joining import *
from .library import *
from .linear_algebra import *
from .products import *
from .splines import *
from .static import *
