"""What this package adds, by name; the entry point of `pyproject.toml` names it."""

from xdsl.universe import Universe

from geometry.dialect import Geometry
from geometry.simplify_hypot import SimplifyHypotPass

UNIVERSE = Universe(
    all_dialects={"geometry": lambda: Geometry},
    all_passes={"simplify-hypot": lambda: SimplifyHypotPass},
)
