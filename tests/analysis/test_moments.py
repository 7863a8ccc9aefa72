"""Moments of nested loops, and from which to which a buffer is needed."""

from standard_kernels import parse
from xdsl.dialects import memref

from teloom.analysis.memory.moments import lives_of, moments_in
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects import loop

NESTED = """
func.func @nested(%x: f32, %i0: index) {                      // 1
  %a = memref.alloc() : memref<8xf32>                         // 2
  %b = memref.alloc() : memref<8xf32>                         // 3
  %c = memref.alloc() : memref<8xf32>                         // 4
  %d = memref.alloc() : memref<8xf32>                         // 5
  loop.for %i = 0 to 8 {                                      // 6
    loop.for %j = 0 to 8 {                                    // 7
      memref.store %x, %a[%j] : memref<8xf32>                 // 8
      memref.store %x, %b[%j] : memref<8xf32>                 // 9
    }
    loop.for %j = 0 to 8 {                                    // 10
      %v = memref.load %b[%j] : memref<8xf32>                 // 11
      memref.store %v, %c[%j] : memref<8xf32>                 // 12
      memref.store %x, %c[%j] : memref<8xf32>                 // 13
    }
    memref.store %x, %d[%i] : memref<8xf32>                   // 14
  }
  %u = memref.load %d[%i0] : memref<8xf32>                    // 15
  func.return                                                 // 16
}
"""


def test_operations_are_numbered_in_their_order():
    module = parse(NESTED)
    moments = moments_in(module)
    assert moments[module] == Lifetime(0, 16)
    assert [moments[op].first for op in module.walk()] == list(range(17))
    loops = [op for op in module.walk() if isinstance(op, loop.ForOp)]
    assert [moments[op] for op in loops] == [Lifetime(6, 14), Lifetime(7, 9), Lifetime(10, 13)]


def test_a_buffer_has_a_life_in_each_block_around_all_its_uses():
    module = parse(NESTED)
    moments = moments_in(module)
    allocations = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    lives = [lives_of(op.memref, moments) for op in allocations]
    assert lives == [
        [(6, 14), (7, 9), (8, 8)],  # one store
        [(6, 14), (7, 13)],  # from the begin of one loop to the end of the next
        [(6, 14), (10, 13), (12, 13)],  # in one loop
        [(6, 15)],  # from the begin of the outer loop on
    ]


def test_a_buffer_without_uses_has_no_life():
    module = parse("func.func @f() { %a = memref.alloc() : memref<8xf32> func.return }")
    (allocation,) = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert lives_of(allocation.memref, moments_in(module)) == []
