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

// -----

// Where not all iterations run, those that do prefetch.
te.func @rolling(%A: tensor<10x8xf32>) -> (tensor<8x8xf32>) {
  %by = schedule.stage "by" (%y = 8, %x = 8) : tensor<8x8xf32> {
    schedule.order %y, %x
    schedule.region [0 : 8, 0 : 8]
    schedule.range %y = 0 to 8
    schedule.range %x = 0 to 8
    %bx = schedule.stage "bx" at %y stored at root folded axis 0 factor 3 (%y_1 = 10, %x_1 = 8) : tensor<10x8xf32> {
      schedule.order %y_1, %x_1
      schedule.region [0 : 10, 0 : 8]
      schedule.range %y_1 = %y to %y + 3
      schedule.range %x_1 = 0 to 8
      schedule.guard (%y_1 - %y - 2 == 0) or (%y_1 - %y == 0, %y * -1 + 1 >= 0)
      schedule.prefetched %A at %y_1 offset 1 [%y_1 + 1 to min(10, %y_1 + 2), 0 to 8]
      schedule.equation (%y_2, %x_2) {
        %0 = te.read %A[%y_2, %x_2] : f32
        te.yield %0 : f32
      }
    }
    schedule.equation (%y_3, %x_3) {
      %1 = te.read %bx[%y_3, %x_3] : f32
      %2 = te.read %bx[%y_3 + 2, %x_3] : f32
      %3 = arith.addf %1, %2 : f32
      te.yield %3 : f32
    }
  }
  te.return %by : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @rolling
// CHECK:           loop.for %y_1 = %y to %y + 3 {
// CHECK-NEXT:        loop.if (%y_1 - %y - 2 == 0) or (%y_1 - %y == 0, %y * -1 + 1 >= 0) {
// CHECK-NEXT:          loop.for %[[y:.*]] = %y_1 + 1 to min(10, %y_1 + 2) {
// CHECK-NEXT:            loop.for %[[x:.*]] = 0 to 8 {
// CHECK-NEXT:              loop.prefetch %A_1[%[[y]], %[[x]]] : f32
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        loop.if (%y_1 - %y - 2 == 0) or (%y_1 - %y == 0, %y * -1 + 1 >= 0) {
// CHECK-NEXT:          loop.for %x = 0 to 8 {
