"""`import teloom.te` and `from teloom.te import compute` find the module that `teloom.te` is."""

import sys

from teloom.frontend import te

sys.modules[__name__] = te
