// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// What is added to the sum starts it. The loops are those of the reduction, the elements those of D.
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  %io, %ii = schedule.split %i factor 4
  schedule.reorder %io, %k, %ii
  schedule.transform_layout %D affine_map<(d0) -> (d0 mod 4, d0 floordiv 4)>
  schedule.fuse_reduction_epilogue %C, %D
}

// CHECK-LABEL: te.func @f
// CHECK-NEXT:    %D = schedule.stage "C" layout affine_map<(d0) -> ((d0 mod 4), (d0 floordiv 4))> (%i = 8) reduce (%k = 4)
// CHECK-NEXT:      %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:      schedule.order %io, %k, %ii
// CHECK-NEXT:      schedule.equation (%i_1, %k_1) {
// CHECK:           } combine
// CHECK:           } init (%p) {
// CHECK-NEXT:        %v = te.read %b[%p] : f32
// CHECK-NEXT:        %w = arith.mulf %v, %v : f32
// CHECK-NEXT:        te.yield %w : f32
// CHECK:         te.return %D

// -----

// A start that was there is combined with it. The reduction takes the place of the epilogue.
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p) {
    %v = te.read %b[%p] : f32
    te.yield %v : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  %E = te.compute "E" (%q = 8) : tensor<8xf32> {
    %d = te.read %D[%q] : f32
    te.yield %d : f32
  }
  te.return %E : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  %E = schedule.get "E"
  %q = schedule.axes 1 of %E
  schedule.compute_at %D, %E, %q
  schedule.fuse_reduction_epilogue %C, %D
}

// CHECK-LABEL: te.func @f
// CHECK-NEXT:    %E = schedule.stage "E" (%q = 8)
// CHECK-NEXT:      schedule.order %q
// CHECK-NEXT:      %D = schedule.stage "C" at %q (%i = 8) reduce (%k = 4)
// CHECK:             } init (%p) {
// CHECK-NEXT:          %v = te.read %b[%p] : f32
// CHECK-NEXT:          %w = arith.mulf %v, %v : f32
// CHECK-NEXT:          %v_1 = te.read %b[%p] : f32
// CHECK-NEXT:          [[BOTH:%.*]] = arith.addf %v_1, %w : f32
// CHECK-NEXT:          te.yield [[BOTH]] : f32
// CHECK:           te.read %D[
