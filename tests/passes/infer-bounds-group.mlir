// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Three stages of a group in one tile: each computes just what the next one reads there.
te.func @stencils(%A: tensor<70xf32>) -> (tensor<64xf32>) {
  %E = schedule.stage "E" (%i = 64) : tensor<64xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 68) : tensor<68xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %l = te.read %A[%x_1] : f32
        %r = te.read %A[%x_1 + 2] : f32
        %s = arith.addf %l, %r : f32
        te.yield %s : f32
      }
    }
    %C = schedule.stage "C" at %io (%y = 66) : tensor<66xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %l = te.read %B[%y_1] : f32
        %r = te.read %B[%y_1 + 2] : f32
        %s = arith.addf %l, %r : f32
        te.yield %s : f32
      }
    }
    %D = schedule.stage "D" at %io (%z = 66) : tensor<66xf32> {
      schedule.order %z
      schedule.equation (%z_1) {
        %c = te.read %C[%z_1] : f32
        te.yield %c : f32
      }
    }
    schedule.equation (%i_1) {
      %l = te.read %D[%i_1] : f32
      %r = te.read %D[%i_1 + 2] : f32
      %s = arith.addf %l, %r : f32
      te.yield %s : f32
    }
  }
  te.return %E : tensor<64xf32>
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
  %D = schedule.stage "D" (%i = 64, %j = 8) : tensor<64x8xf32> {
    %io, %ii = schedule.split %i factor 16
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %C = schedule.stage "C" at %jo (%y = 66, %q = 8) : tensor<66x8xf32> {
      schedule.order %y, %q
      %B = schedule.stage "B" at %y (%x = 68, %p = 8) : tensor<68x8xf32> {
        schedule.order %x, %p
        schedule.equation (%x_1, %p_1) {
          %a = te.read %A[%x_1, %p_1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%y_1, %q_1) {
        %l = te.read %B[%y_1, %q_1] : f32
        %r = te.read %B[%y_1 + 2, %q_1] : f32
        %s = arith.addf %l, %r : f32
        te.yield %s : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %l = te.read %C[%i_1, %j_1] : f32
      %r = te.read %C[%i_1 + 2, %j_1] : f32
      %s = arith.addf %l, %r : f32
      te.yield %s : f32
    }
  }
  te.return %D : tensor<64x8xf32>
}

// CHECK-LABEL: te.func @own_place
// CHECK:         schedule.stage "C" at %jo
// CHECK:         schedule.region [%io * 16 : 18, %jo * 4 : 4]
// CHECK:         schedule.stage "B" at %y
// CHECK:         schedule.region [%y : 3, %jo * 4 : 4]
