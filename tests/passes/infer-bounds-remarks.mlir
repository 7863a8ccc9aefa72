// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{budget=10}' 2>&1 | filecheck %s --check-prefix=BUDGET
// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{mode=hull}' 2>&1 | filecheck %s --check-prefix=HULL
// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds 2>&1 | filecheck %s --check-prefix=EXACT

// A stage that is not computed exactly is named, with the reason and with what that costs; of
// an output, which is computed as a whole, there is nothing to say.
// BUDGET: infer-bounds-remarks.mlir:11:8: remark: stage "T" is computed as a box, exact and hull took more than 10 isl operations; at all places together 16 elements are computed, 8 are needed
// BUDGET-NOT: stage "C" is computed
// HULL: remark: stage "T" is computed as a hull, as asked; at all places together 16 elements are computed, 8 are needed
te.func @two_squares(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %T = te.compute "T" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 2, %x = 2) : tensor<2x2xf32> {
    %r0 = te.read %T[%y, %x] : f32
    %r1 = te.read %T[%y + 2, %x + 2] : f32
    %s = arith.addf %r0, %r1 : f32
    te.yield %s : f32
  }
  te.return %C : tensor<2x2xf32>
}

// -----

// Counts are for all places together. Where three elements of the fused axis go on in the next row,
// they have a hull without others, but no box.
// BUDGET: remark: stage "B" is computed as a box, {{.*}}; at all places together 40 elements are computed, 16 are needed
// HULL: remark: stage "B" is computed as a hull, as asked; that costs nothing: all 16 elements that are computed are needed
te.func @by_three(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %B = te.compute "B" (%x = 4, %y = 4) : tensor<4x4xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<4x4xf32>
}
schedule.sequence @s on @by_three {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
  %fo, %fi = schedule.split %f factor 3
  schedule.compute_at %B, %C, %fo
}

// -----

// With symbolic sizes the counts are not known.
// HULL: remark: stage "T" is computed as a hull, as asked{{$}}
te.func @symbolic(%n: index, %A: tensor<?xf32>[%n * 2]) -> (tensor<?xf32>) {
  %T = te.compute "T" (%i = %n * 2) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = %n) : tensor<?xf32> {
    %r = te.read %T[%y * 2] : f32
    te.yield %r : f32
  }
  te.return %C : tensor<?xf32>
}

// -----

// Between two values of the outer axis, rows and columns of a symbolic fusion are not affine.
// EXACT: remark: stage "B" is computed for all of C.i, C.j: how they follow from the loops around it is not affine, for an extent is symbolic
te.func @at_outer(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %B = te.compute "B" (%x = %n, %y = %m) : tensor<?x?xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @at_outer {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
  %fo, %fi = schedule.split %f factor 8
  schedule.compute_at %B, %C, %fo
}

// -----

// What does not depend on those rows and columns is exact; and so is everything in a loop that
// fixes them.
// EXACT-NOT: remark:
te.func @independent(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<?x?xf32>) {
  %B = te.compute "B" (%x = 1) : tensor<1xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%x = %n) : tensor<?xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %b = te.read %B[0] : f32
    %d = te.read %D[%i] : f32
    %s = arith.addf %b, %d : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @independent {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
  %fo, %fi = schedule.split %f factor 8
  schedule.compute_at %B, %C, %fo
  schedule.compute_at %D, %C, %fi
}

// -----

// Two elements are needed at a time, and fold to less than the extent: in a hull, too, for each
// of them has one of its own.
// HULL: remark: stage "B" is computed as a hull, as asked; that costs nothing
// HULL-NOT: is not folded
// EXACT-NOT: remark:
// EXACT: schedule.region [0 : 21]
te.func @from_both_ends(%A: tensor<21xf32>) -> (tensor<10xf32>) {
  %B = te.compute "B" (%j = 21) : tensor<21xf32> {
    %a = te.read %A[%j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 10) : tensor<10xf32> {
    %r0 = te.read %B[%i] : f32
    %r1 = te.read %B[%i * -1 + 20] : f32
    %s = arith.addf %r0, %r1 : f32
    te.yield %s : f32
  }
  te.return %C : tensor<10xf32>
}
schedule.sequence @s on @from_both_ends {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %j = schedule.axes 1 of %B
  schedule.compute_at %B, %C, %i
  schedule.store_root %B
  schedule.fold_storage %j
}
