// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The map becomes a relation of the stage; the new axes take the place of the outermost of theirs.
te.func @swapped(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @swapped {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %jo, %ji = schedule.split %j factor 4
  schedule.reorder %jo, %i, %ji
  %p, %q = schedule.remap %i, %ji by affine_map<(d0, d1) -> (d1, d0 + 4)>
}

// CHECK-LABEL: te.func @swapped
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     %p, %q = schedule.remap %i, %ji by affine_map<(d0, d1) -> (d1, (d0 + 4))>
// CHECK-NEXT:     schedule.order %jo, %p, %q

// -----

// Axes that are apart are joined at the outer one; there may be more axes than before, or fewer.
te.func @tiles(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @tiles {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %jo, %ji = schedule.split %j factor 4
  %p, %q, %r = schedule.remap %ji, %i by affine_map<(d0, d1) -> (d1 floordiv 3, d0, d1 mod 3)>
  %f = schedule.remap %p, %q by affine_map<(d0, d1) -> (d0 * 4 + d1)>
}

// CHECK-LABEL: te.func @tiles
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     %p, %q, %r = schedule.remap %ji, %i by affine_map<(d0, d1) -> ((d1 floordiv 3), d0, (d1 mod 3))>
// CHECK-NEXT:     %f = schedule.remap %p, %q by affine_map<(d0, d1) -> (((d0 * 4) + d1))>
// CHECK-NEXT:     schedule.order %f, %r, %jo

// -----

// Reduce axes are remapped among themselves.
te.func @reduce(%A: tensor<4x9x5xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 2 to 9, %l = 5) : tensor<4xf32> {
    %a = te.read %A[%i, %k, %l] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @reduce {
  %S = schedule.get "S"
  %i, %k, %l = schedule.axes 3 of %S
  %d, %p = schedule.remap %k, %l by affine_map<(d0, d1) -> (d0 + d1, d1)>
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9, %l = 5)
// CHECK-NEXT:     %d, %p = schedule.remap %k, %l by affine_map<(d0, d1) -> ((d0 + d1), d1)>
// CHECK-NEXT:     schedule.order %i, %d, %p
