// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The layout stands on the stage, wherever that is computed; the last one counts, and loops stay.
te.func @blocked(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8x16xf32>
}
schedule.sequence @s on @blocked {
  %B = schedule.get "B"
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1, d0)>
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)> separators [1]
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  schedule.set_scope %B "global.texture"
}

// CHECK-LABEL: te.func @blocked
// CHECK:         %B = schedule.stage "B" at %i in "global.texture" layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))> separators [1] (%x = 8, %y = 16) : tensor<8x16xf32>
// CHECK-NEXT:      schedule.order %x, %y

// -----

// An axis that is a physical axis can be aligned.
te.func @aligned(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8x16xf32>
}
schedule.sequence @s on @aligned {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1, d0)>
  schedule.storage_align %y factor 32 offset 1
}

// CHECK-LABEL: te.func @aligned
// CHECK-NEXT:    %B = schedule.stage "B" aligned axis 1 factor 32 offset 1 layout affine_map<(d0, d1) -> (d1, d0)> (%x = 8, %y = 16)

// -----

// That of an argument stands there, beside what else is said of the array; the last one counts.
te.func @argument(%n: index, %A: tensor<8xf32>, %B: tensor<?xf32>[%n] offset 4) -> (tensor<8xf32> aligned 64) {
  %C = te.compute "C" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @argument {
  schedule.transform_layout argument 1 affine_map<(d0) -> (d0 * 2)>
  schedule.transform_layout argument 1 affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
}

// CHECK-LABEL: te.func @argument
// CHECK-SAME:    (%n: index, %A: tensor<8xf32>, %B: tensor<?xf32>[%n] layout affine_map<(d0) -> ((d0 floordiv 4), (d0 mod 4))> offset 4) -> (tensor<8xf32> aligned 64)
