// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A layout is over the data axes.
// CHECK: error: apply-schedule: a layout over 3 axes for "B", whose data axes are x, y
te.func @axes(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8x16xf32>
}
schedule.sequence @s on @axes {
  %B = schedule.get "B"
  schedule.transform_layout %B affine_map<(d0, d1, d2) -> (d2, d1, d0)>
}

// -----

// What is no physical axis cannot be aligned, whichever command comes first.
// CHECK: error: apply-schedule: axis y of "B" has no stride to align: it is no axis with a stride in the layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))>
te.func @aligned_first(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
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
schedule.sequence @s on @aligned_first {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  schedule.storage_align %y factor 32 offset 1
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>
}

// -----

// CHECK: error: apply-schedule: axis y of "B" has no stride to align
te.func @aligned_later(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
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
schedule.sequence @s on @aligned_later {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>
  schedule.storage_align %y factor 32 offset 1
}

// -----

// CHECK: error: apply-schedule: a layout over 1 axes for A, which has 2
te.func @axes_of_an_argument(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8x16xf32>
}
schedule.sequence @s on @axes_of_an_argument {
  schedule.transform_layout argument 0 affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
}

// -----

// CHECK: error: apply-schedule: transform_layout of argument 1: the function has tensor arguments 0..0
te.func @no_argument(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @no_argument {
  schedule.transform_layout argument 1 affine_map<(d0) -> (d0 * 2)>
}

// -----

// A triangle stores what is in it, and nothing beside.
// CHECK: error: apply-schedule: "B" cannot be packed: its element [1, 0] has row 0 and column 1, for n = 2, and of row r the layout has columns 0 to r; give it a domain that is such a triangle, or store the other one
te.func @upper(%n: index) -> (tensor<?x?xf32>) {
  %B = te.compute "B" (%x = %n, %y = %n) where (%x - %y >= 0) : tensor<?x?xf32> {
    %zero = arith.constant 0.0 : f32
    te.yield %zero : f32
  }
  te.return %B : tensor<?x?xf32>
}
schedule.sequence @s on @upper {
  %B = schedule.get "B"
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1, d0)> packed lower
}
