// RUN: teloom-opt %s -p lower-loops | filecheck %s

// LLVM is not to make vectors of a loop around a loop with a branch; the inner one it may.
func.func @around(%n: index, %x: f32, %A: memref<?xf32>) {
  loop.for %i = 0 to 64 {
    loop.for %j = 0 to 4 {
      loop.if (%n - %j - 1 >= 0) {
        memref.store %x, %A[%i] : memref<?xf32>
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @around
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK-NEXT:          memref.store
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    } {llvm.loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>>}
