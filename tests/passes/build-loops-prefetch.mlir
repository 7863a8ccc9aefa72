// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// At the begin of the loop, in front of what is computed there; not in the loops of the init part.
te.func @matvec(%n: index, %A: tensor<?x100xf32>[%n, 100]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) reduce (%k = 100) : tensor<?xf32> {
    schedule.prefetched %A at %i offset 1 [%i + 1 to min(%n, %i + 2), 0 to 100]
    schedule.order %k, %i
    schedule.region [0 : %n]
    schedule.range %k = 0 to 100
    schedule.range %i = 0 to %n
    schedule.equation (%p, %q) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: func.func @matvec
// CHECK:         loop.for %i = 0 to %n {
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      loop.init
// CHECK:         loop.for %k = 0 to 100 {
// CHECK-NEXT:      loop.for %i_1 = 0 to %n {
// CHECK-NEXT:        loop.for %[[y:.*]] = %i_1 + 1 to min(%n, %i_1 + 2) {
// CHECK-NEXT:          loop.for %[[x:.*]] = 0 to 100 {
// CHECK-NEXT:            loop.prefetch %A_1[%[[y]], %[[x]]] : f32
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        loop.load

// -----

// Of a loop that runs once, nothing is left, nor of a prefetch of nothing.
te.func @once(%A: tensor<8xf32>) -> (tensor<1xf32>) {
  %C = schedule.stage "C" (%i = 1) : tensor<1xf32> {
    schedule.prefetched %A at %i offset 1 [%i + 1 to %i + 2]
    schedule.prefetched %A at %i offset 2 [0 to 0]
    schedule.order %i
    schedule.region [0 : 1]
    schedule.range %i = 0 to 1
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<1xf32>
}

// CHECK-LABEL: func.func @once
// CHECK:         loop.for %[[x:.*]] = 1 to 2 {
// CHECK-NEXT:      loop.prefetch %A_1[%[[x]]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.load
