// RUN: not teloom-opt %s -p check-parallel --allow-unregistered-dialect --split-input-file 2>&1 | filecheck %s

// An op of which nobody says what it accesses may do anything, but not with memory of an iteration.
// CHECK: error: check-parallel: axis i cannot be parallel: it is not known whether two of its iterations touch the same element of A
func.func @touched(%A: memref<64xf32>) {
  loop.for %i = 0 to 64 parallel {
    "other.touch"(%A) : (memref<64xf32>) -> ()
  }
  func.return
}

// -----

// CHECK: error: check-parallel: axis i cannot be parallel: it is not known whether two of its iterations touch the same element of A
func.func @view(%A: memref<64xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  loop.for %i = 0 to 64 parallel {
    %same = memref.cast %A : memref<64xf32> to memref<?xf32>
    memref.store %x, %same[%zero] : memref<?xf32>
  }
  func.return
}

// -----

// CHECK-LABEL: @apart
func.func @apart(%A: memref<64xf32>) {
  loop.for %i = 0 to 64 parallel {
    %own = memref.alloca() : memref<4xf32>
    "other.touch"(%own) : (memref<4xf32>) -> ()
    func.call @outside(%A) : (memref<64xf32>) -> ()
  }
  func.return
}
func.func private @outside(memref<64xf32>)
