// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// What both of two values are made of is read and computed in front of their choice, so that lanes
// read it without a mask.
te.func @rotated(%A: tensor<8xf32>, %W: tensor<4xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %r = affine.apply affine_map<(d0) -> (d0 mod 2)> (%i)
    %zero = arith.constant 0 : index
    %is_even = arith.cmpi eq, %r, %zero : index
    %v = scf.if %is_even -> (f32) {
      %a = te.read %A[%i] : f32
      %w = te.read %W[%i floordiv 2] : f32
      %x = arith.mulf %a, %w : f32
      %b = te.read %A[%i + 1] : f32
      %y = arith.subf %x, %b : f32
      scf.yield %y : f32
    } else {
      %a = te.read %A[%i] : f32
      %w = te.read %W[%i floordiv 2] : f32
      %x = arith.mulf %a, %w : f32
      %b = te.read %A[%i - 1] : f32
      %y = arith.addf %x, %b : f32
      scf.yield %y : f32
    }
    te.yield %v : f32
  }
  te.return %C : tensor<8xf32>
}

// CHECK:      schedule.equation (%i_1) {
// CHECK:        [[A:%.*]] = te.read %A[%i_1] : f32
// CHECK-NEXT:   [[W:%.*]] = te.read %W[%i_1 floordiv 2] : f32
// CHECK-NEXT:   [[X:%.*]] = arith.mulf [[A]], [[W]] : f32
// CHECK-NEXT:   scf.if
// CHECK-NEXT:     [[B:%.*]] = te.read %A[%i_1 + 1] : f32
// CHECK-NEXT:     arith.subf [[X]], [[B]] : f32
// CHECK:        } else {
// CHECK-NEXT:     [[D:%.*]] = te.read %A[%i_1 - 1] : f32
// CHECK-NEXT:     arith.addf [[X]], [[D]] : f32
