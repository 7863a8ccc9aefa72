// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// Three stages of a group in one tile: each computes just what the next one reads there.
te.func @stencils(%A: tensor<70xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%x = 68) : tensor<68xf32> {
    %l = te.read %A[%x] : f32
    %r = te.read %A[%x + 2] : f32
    %s = arith.addf %l, %r : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%y = 66) : tensor<66xf32> {
    %l = te.read %B[%y] : f32
    %r = te.read %B[%y + 2] : f32
    %s = arith.addf %l, %r : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%z = 66) : tensor<66xf32> {
    %c = te.read %C[%z] : f32
    te.yield %c : f32
  }
  %E = te.compute "E" (%i = 64) : tensor<64xf32> {
    %l = te.read %D[%i] : f32
    %r = te.read %D[%i + 2] : f32
    %s = arith.addf %l, %r : f32
    te.yield %s : f32
  }
  te.return %E : tensor<64xf32>
}
schedule.sequence @s on @stencils {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %E = schedule.get "E"
  %i = schedule.axes 1 of %E
  %io, %ii = schedule.split %i factor 16
  %g = schedule.group %B, %C, %D
  schedule.compute_at %g, %E, %io
}

// CHECK-LABEL: te.func @stencils
// CHECK:         schedule.stage "B" at %io
// CHECK:         schedule.region [%io * 16 : 20]
// CHECK-NEXT:    schedule.range %x = %io * 16 to %io * 16 + 20
// CHECK:         schedule.stage "C" at %io
// CHECK:         schedule.region [%io * 16 : 18]
// CHECK:         schedule.stage "D" at %io
// CHECK:         schedule.region [%io * 16 : 18]

// -----

// One of them with a place of its own, inside the next: it computes what a point reads.
te.func @own_place(%A: tensor<68x8xf32>) -> (tensor<64x8xf32>) {
  %B = te.compute "B" (%x = 68, %p = 8) : tensor<68x8xf32> {
    %a = te.read %A[%x, %p] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 66, %q = 8) : tensor<66x8xf32> {
    %l = te.read %B[%y, %q] : f32
    %r = te.read %B[%y + 2, %q] : f32
    %s = arith.addf %l, %r : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 64, %j = 8) : tensor<64x8xf32> {
    %l = te.read %C[%i, %j] : f32
    %r = te.read %C[%i + 2, %j] : f32
    %s = arith.addf %l, %r : f32
    te.yield %s : f32
  }
  te.return %D : tensor<64x8xf32>
}
schedule.sequence @s on @own_place {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %q = schedule.axes 2 of %C
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 16, 4
  %g = schedule.group %B, %C
  schedule.compute_at %g, %D, %jo
  schedule.compute_at %B, %C, %y
}

// CHECK-LABEL: te.func @own_place
// CHECK:         schedule.stage "C" at %jo
// CHECK:         schedule.region [%io * 16 : 18, %jo * 4 : 4]
// CHECK:         schedule.stage "B" at %y
// CHECK:         schedule.region [%y : 3, %jo * 4 : 4]
