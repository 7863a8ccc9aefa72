"""The registers for tiles that x86-64 has with AMX: what they hold, and LLVM's names of them."""

TILES, OF_BYTES, OF_BF16 = "amx-tile", "amx-int8", "amx-bf16"
"""The extensions: tiles, and what multiplies them."""

REGISTERS = 8
"""How many there are."""

MOST_ROWS = 16
"""Of a tile."""

MOST_BYTES = 64
"""Of a row of a tile."""

SUM_BYTES = 4
"""Of an element that sums are in, and of the neighbours in a row whose products are added."""
