// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds,build-loops{keep_trivial_loops=true},storage-flatten' | filecheck %s --check-prefix=KEPT
// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops,storage-flatten | filecheck %s --check-prefix=LOOPS

// C at D at E: each has one element at a time, whose address is that of its loops of one iteration.
te.func @chain(%A: tensor<20xi32>) -> (tensor<5x16xi32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xi32> {
    %a = te.read %A[%ci + %cj] : i32
    te.yield %a : i32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xi32> {
    %c = te.read %C[%di, %dj] : i32
    %two = arith.constant 2 : i32
    %t = arith.muli %c, %two : i32
    te.yield %t : i32
  }
  %E = te.compute "E" (%ei = 5, %ej = 16) : tensor<5x16xi32> {
    %d = te.read %D[%ei, %ej] : i32
    %four = arith.constant 4 : i32
    %t = arith.muli %d, %four : i32
    te.yield %t : i32
  }
  te.return %E : tensor<5x16xi32>
}
schedule.sequence @s on @chain {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %E = schedule.get "E"
  %di, %dj = schedule.axes 2 of %D
  %ei, %ej = schedule.axes 2 of %E
  schedule.compute_at %C, %D, %dj
  schedule.compute_at %D, %E, %ej
}

// KEPT-LABEL: func.func @chain
// KEPT-NEXT:   loop.for %ei = 0 to 5 {
// KEPT-NEXT:     loop.for %ej = 0 to 16 {
// KEPT-NEXT:       %D = memref.alloca() {alignment = 4 : i64} : memref<1xi32>
// KEPT-NEXT:       loop.for %di = 0 to 1 {
// KEPT-NEXT:         loop.for %dj = 0 to 1 {
// KEPT-NEXT:           %C = memref.alloca() {alignment = 4 : i64} : memref<1xi32>
// KEPT-NEXT:           loop.for %ci = 0 to 1 {
// KEPT-NEXT:             loop.for %cj = 0 to 1 {
// KEPT-NEXT:               %0 = affine.apply affine_map<(d0, d1, d2, d3) -> ((((d0 + d1) + d2) + d3))> (%ei, %ci, %ej, %cj)
// KEPT-NEXT:               %a = memref.load %A[%0] : memref<20xi32>
// KEPT-NEXT:               %1 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%ci, %cj)
// KEPT-NEXT:               memref.store %a, %C[%1] : memref<1xi32>
// KEPT-NEXT:             }
// KEPT-NEXT:           }
// KEPT-NEXT:           %2 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%di, %dj)
// KEPT-NEXT:           %c = memref.load %C[%2] : memref<1xi32>
// KEPT-NEXT:           %two = arith.constant 2 : i32
// KEPT-NEXT:           %t = arith.muli %c, %two : i32
// KEPT-NEXT:           %3 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%di, %dj)
// KEPT-NEXT:           memref.store %t, %D[%3] : memref<1xi32>
// KEPT-NEXT:         }
// KEPT-NEXT:       }
// KEPT-NEXT:       %4 = arith.constant 0 : index
// KEPT-NEXT:       %d = memref.load %D[%4] : memref<1xi32>
// KEPT-NEXT:       %four = arith.constant 4 : i32
// KEPT-NEXT:       %t_1 = arith.muli %d, %four : i32
// KEPT-NEXT:       %5 = affine.apply affine_map<(d0, d1) -> (((d0 * 16) + d1))> (%ei, %ej)
// KEPT-NEXT:       memref.store %t_1, %E[%5] : memref<80xi32>
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// LOOPS-LABEL: func.func @chain
// LOOPS-NEXT:   loop.for %ei = 0 to 5 {
// LOOPS-NEXT:     loop.for %ej = 0 to 16 {
// LOOPS-NEXT:       %D = memref.alloca() {alignment = 4 : i64} : memref<1xi32>
// LOOPS-NEXT:       %C = memref.alloca() {alignment = 4 : i64} : memref<1xi32>
// LOOPS-NEXT:       %0 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%ei, %ej)
// LOOPS-NEXT:       %a = memref.load %A[%0] : memref<20xi32>
// LOOPS-NEXT:       %1 = arith.constant 0 : index
// LOOPS-NEXT:       memref.store %a, %C[%1] : memref<1xi32>
// LOOPS-NEXT:       %2 = arith.constant 0 : index
// LOOPS-NEXT:       %c = memref.load %C[%2] : memref<1xi32>
// LOOPS-NEXT:       %two = arith.constant 2 : i32
// LOOPS-NEXT:       %t = arith.muli %c, %two : i32
// LOOPS-NEXT:       %3 = arith.constant 0 : index
// LOOPS-NEXT:       memref.store %t, %D[%3] : memref<1xi32>
// LOOPS-NEXT:       %4 = arith.constant 0 : index
// LOOPS-NEXT:       %d = memref.load %D[%4] : memref<1xi32>
// LOOPS-NEXT:       %four = arith.constant 4 : i32
// LOOPS-NEXT:       %t_1 = arith.muli %d, %four : i32
// LOOPS-NEXT:       %5 = affine.apply affine_map<(d0, d1) -> (((d0 * 16) + d1))> (%ei, %ej)
// LOOPS-NEXT:       memref.store %t_1, %E[%5] : memref<80xi32>
// LOOPS-NEXT:     }
// LOOPS-NEXT:   }
