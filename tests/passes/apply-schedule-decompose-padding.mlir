// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// The constant everywhere, and then the inside; what is read there needs no condition.
// CHECK-LABEL: te.func @zeros_around
// CHECK: %P = schedule.stage "P" (%i = %n + 2, %j = 10) reduce (%i.inside = 1 to %n + 1, %j.inside = 1 to 9) : tensor<?x10xf32> {
// CHECK-NEXT: schedule.order %i, %j vectorized, %i.inside, %j.inside
// CHECK-NEXT: schedule.update (%i_1, %j_1) state %P_1 reorderable : tensor<?x10xf32> {
// CHECK-NEXT: te.read %A[%i_1 - 1, %j_1 - 1] : f32
// CHECK-NEXT: te.write %{{.*}}, %P_1[%i_1, %j_1] : f32
// CHECK-NEXT: } init (%i_2, %j_2) {
// CHECK-NEXT: arith.constant 0.000000e+00 : f32
te.func @zeros_around(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?x10xf32>) {
  %P = te.compute "P" (%i = %n + 2, %j = 10) : tensor<?x10xf32> {
    %0 = arith.constant 1 : index
    %1 = arith.cmpi sge, %i, %0 : index
    %2 = affine.apply affine_map<(d0) -> (d0 + 1)>(%n)
    %3 = arith.cmpi slt, %i, %2 : index
    %4 = arith.andi %1, %3 : i1
    %5 = arith.cmpi sge, %j, %0 : index
    %6 = arith.andi %4, %5 : i1
    %7 = arith.constant 9 : index
    %8 = arith.cmpi slt, %j, %7 : index
    %9 = arith.andi %6, %8 : i1
    %10 = scf.if %9 -> (f32) {
      %11 = te.read %A[%i - 1, %j - 1] : f32
      scf.yield %11 : f32
    } else {
      %12 = arith.constant 0.0 : f32
      scf.yield %12 : f32
    }
    te.yield %10 : f32
  }
  te.return %P : tensor<?x10xf32>
}
schedule.sequence @s on @zeros_around {
  %P = schedule.get "P"
  schedule.decompose_padding %P
  %i, %j, %ii, %ji = schedule.axes 4 of %P
  schedule.vectorize %j
}

// The constant may be in the other branch.
// CHECK-LABEL: te.func @outside_first
// CHECK: schedule.stage "P" (%i = 10) reduce (%i.inside = 2 to 10) : tensor<10xf32> {
te.func @outside_first(%A: tensor<8xf32>) -> (tensor<10xf32>) {
  %P = te.compute "P" (%i = 10) : tensor<10xf32> {
    %0 = arith.constant 2 : index
    %1 = arith.cmpi slt, %i, %0 : index
    %2 = scf.if %1 -> (f32) {
      %3 = arith.constant 0.0 : f32
      scf.yield %3 : f32
    } else {
      %4 = te.read %A[%i - 2] : f32
      scf.yield %4 : f32
    }
    te.yield %2 : f32
  }
  te.return %P : tensor<10xf32>
}
schedule.sequence @t on @outside_first {
  %P = schedule.get "P"
  schedule.decompose_padding %P
}

// The axis may begin anywhere.
// CHECK-LABEL: te.func @from_below
// CHECK: schedule.stage "P" (%i = -3 to 7) reduce (%i.inside = -1 to 7) : tensor<10xf32> {
te.func @from_below(%A: tensor<8xf32>) -> (tensor<10xf32>) {
  %P = te.compute "P" (%i = -3 to 7) : tensor<10xf32> {
    %0 = arith.constant -1 : index
    %1 = arith.cmpi slt, %i, %0 : index
    %2 = scf.if %1 -> (f32) {
      %3 = arith.constant 0.0 : f32
      scf.yield %3 : f32
    } else {
      %4 = te.read %A[%i + 1] : f32
      scf.yield %4 : f32
    }
    te.yield %2 : f32
  }
  te.return %P : tensor<10xf32>
}
schedule.sequence @u on @from_below {
  %P = schedule.get "P"
  schedule.decompose_padding %P
}
