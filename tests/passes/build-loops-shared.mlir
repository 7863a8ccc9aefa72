// RUN: teloom-opt %s --split-input-file -p te-to-loops | filecheck %s

// A shared loop runs through the iterations of both stages; where one has none is tested where it
// is alone. Each tests only what the loop does not say.
// CHECK-LABEL: func.func @hull
// CHECK:         loop.for %i = 0 to 14 {
// CHECK-NEXT:      loop.for %j = 0 to 8 {
// CHECK-NEXT:        loop.if (%i * -1 + 11 >= 0) {
// CHECK-NEXT:          loop.load %{{.*}}[%i, %j]
// CHECK-NEXT:          loop.store %{{.*}}[%i, %j]
// CHECK-NEXT:        }
// CHECK-NEXT:        loop.if (%i - 3 >= 0, %j * -1 + 5 >= 0) {
// CHECK-NEXT:          loop.load %{{.*}}[%i - 3, %j]
// CHECK-NEXT:          loop.store %{{.*}}[%i - 3, %j]
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
te.func @hull(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<11x6xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 11, %x = 6) : tensor<11x6xf32> {
    %a = te.read %A[%y, %x] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<12x8xf32>, tensor<11x6xf32>
}
schedule.sequence @s on @hull {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  %y, %x = schedule.axes 2 of %C
  %z = schedule.shift %y by 3
  schedule.compute_with %B, %C, %x
}

// -----

// Of symbolic ends the last one is found once, in front of the loop; `n + 2` is known to be above n.
// CHECK-LABEL: func.func @symbolic
// CHECK:         %[[END:.*]] = arith.maxsi
// CHECK-NEXT:    loop.for %i = 0 to %[[END]] {
// CHECK-NEXT:      loop.if (%n - %i - 1 >= 0) {
// CHECK:           loop.if (%m - %i - 1 >= 0) {
te.func @symbolic(%n: index, %m: index, %A: tensor<?xf32>[%n], %D: tensor<?xf32>[%m]) -> (tensor<?xf32>, tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %m) : tensor<?xf32> {
    %a = te.read %D[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<?xf32>, tensor<?xf32>
}
schedule.sequence @s on @symbolic {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i
}

// -----

// CHECK-LABEL: func.func @known
// CHECK-NOT:     arith.maxsi
// CHECK:         loop.for %i = 0 to %n + 2 {
// CHECK-NEXT:      loop.if (%n - %i - 1 >= 0) {
// CHECK:           }
// CHECK-NOT:       loop.if
te.func @known(%n: index, %A: tensor<?xf32>[%n + 2]) -> (tensor<?xf32>, tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n + 2) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<?xf32>, tensor<?xf32>
}
schedule.sequence @s on @known {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i
}

// -----

// Two reductions: both begin in front of the loop that they share.
// CHECK-LABEL: func.func @two_sums
// CHECK:         loop.for %i = 0 to 4 {
// CHECK:           loop.init %{{.*}}, %S_1[%i]
// CHECK:           loop.init %{{.*}}, %Q_1[%i]
// CHECK-NEXT:      loop.for %k = 0 to 8 {
// CHECK:             loop.reduce %{{.*}} into %S_1[%i]
// CHECK:             loop.reduce %{{.*}} into %Q_1[%i]
te.func @two_sums(%A: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %Q = te.compute "Q" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = arith.mulf %a, %a : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S, %Q : tensor<4xf32>, tensor<4xf32>
}
schedule.sequence @s on @two_sums {
  %S = schedule.get "S"
  %Q = schedule.get "Q"
  %i, %k = schedule.axes 2 of %S
  schedule.compute_with %Q, %S, %k
}

// -----

// A stage without elements has no part in the loop.
// CHECK-LABEL: func.func @empty
// CHECK:         loop.for %i = 0 to 4 {
// CHECK-NOT:       loop.if
te.func @empty(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<0xf32>) {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 0) : tensor<0xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<4xf32>, tensor<0xf32>
}
schedule.sequence @s on @empty {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i align ["start"]
}
