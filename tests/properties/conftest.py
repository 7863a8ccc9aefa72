"""How many examples: TELOOM_EXAMPLES=1000 runs that many random ones, for a long run."""

import os

from hypothesis import settings

settings.register_profile("short", derandomize=True, database=None, deadline=None)
settings.register_profile("long", deadline=None, print_blob=True)
EXAMPLES = os.environ.get("TELOOM_EXAMPLES")
settings.load_profile("long" if EXAMPLES else "short")
