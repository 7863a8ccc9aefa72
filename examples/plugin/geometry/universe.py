"""What this package adds; the entry point of `pyproject.toml` names `UNIVERSE`."""

from xdsl.universe import Universe

from geometry.dialect import Geometry, MoveOp
from geometry.rules import move, move_in_c, move_in_lanes, move_to_llvm
from geometry.simplify_hypot import SimplifyHypotPass
from teloom.backend.c.source import RULES
from teloom.backend.interpreter.externs import EFFECTS
from teloom.passes.lanes.lanes import LANES
from teloom.passes.llvm.lower_to_llvm import CONVERSIONS

UNIVERSE = Universe(
    all_dialects={"geometry": lambda: Geometry},
    all_passes={"simplify-hypot": lambda: SimplifyHypotPass},
)

CONVERSIONS[MoveOp] = move_to_llvm
LANES[MoveOp] = move_in_lanes
EFFECTS[MoveOp] = move
RULES[MoveOp] = move_in_c
