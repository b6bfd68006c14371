"""All that generated code may call: it imports from here, ``from sourcediff.runtime import like, sum_to``.

NumPy and the errors are the only things imported below, so a gradient that is read from the cache costs no compiler.
"""

from .arrays import *
from .checks import *
from .counters import *
from .device_lists import *
from .equal_spectra import *
from .held_twice import *
from .incomplete import *
from .linked_calls import *
from .sparse import *
from .structures import *
from .waits import *
from .zero_lengths import *
