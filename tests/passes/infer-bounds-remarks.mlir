// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{budget=10}' 2>&1 | filecheck %s --check-prefix=BUDGET
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=hull}' 2>&1 | filecheck %s --check-prefix=HULL
// RUN: teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s --check-prefix=EXACT

// A stage that is not computed exactly is named, with the reason and with what that costs; of
// an output, which is computed as a whole, there is nothing to say.
// BUDGET: infer-bounds-remarks.mlir:11:8: remark: stage "T" is computed as a box, exact and hull took more than 10 isl operations; at all places together 16 elements are computed, 8 are needed
// BUDGET-NOT: stage "C" is computed
// HULL: remark: stage "T" is computed as a hull, as asked; at all places together 16 elements are computed, 8 are needed
te.func @two_squares(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %T = schedule.stage "T" (%i = 4, %j = 4) : tensor<4x4xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%y = 2, %x = 2) : tensor<2x2xf32> {
    schedule.order %y, %x
    schedule.equation (%y_1, %x_1) {
      %r0 = te.read %T[%y_1, %x_1] : f32
      %r1 = te.read %T[%y_1 + 2, %x_1 + 2] : f32
      %s = arith.addf %r0, %r1 : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<2x2xf32>
}

// -----

// Counts are for all places together. Where three elements of the fused axis go on in the next row,
// they have a hull without others, but no box.
// BUDGET: remark: stage "B" is computed as a box, {{.*}}; at all places together 40 elements are computed, 16 are needed
// HULL: remark: stage "B" is computed as a hull, as asked; that costs nothing: all 16 elements that are computed are needed
te.func @by_three(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 3
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[%i_1, %j_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<4x4xf32>
}

// -----

// With symbolic sizes the counts are not known.
// HULL: remark: stage "T" is computed as a hull, as asked{{$}}
te.func @symbolic(%n: index, %A: tensor<?xf32>[%n * 2]) -> (tensor<?xf32>) {
  %T = schedule.stage "T" (%i = %n * 2) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%y = %n) : tensor<?xf32> {
    schedule.order %y
    schedule.equation (%y_1) {
      %r = te.read %T[%y_1 * 2] : f32
      te.yield %r : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// Between two values of the outer axis, rows and columns of a symbolic fusion are not affine.
// EXACT: remark: stage "B" is computed for all of C.i, C.j: how they follow from the loops around it is not affine, for an extent is symbolic
te.func @at_outer(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 8
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = %n, %y = %m) : tensor<?x?xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[%i_1, %j_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// -----

// What does not depend on those rows and columns is exact; and so is everything in a loop that
// fixes them.
// EXACT-NOT: remark:
te.func @independent(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 8
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 1) : tensor<1xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %a = te.read %A[%x_1] : f32
        te.yield %a : f32
      }
    }
    %D = schedule.stage "D" at %fi (%x_2 = %n) : tensor<?xf32> {
      schedule.order %x_2
      schedule.equation (%x_3) {
        %a = te.read %A[%x_3] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[0] : f32
      %d = te.read %D[%i_1] : f32
      %s = arith.addf %b, %d : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// -----

// Two elements are needed at a time, and fold to less than the extent: in a hull, too, for each
// of them has one of its own.
// HULL: remark: stage "B" is computed as a hull, as asked; that costs nothing
// HULL-NOT: is not folded
// EXACT-NOT: remark:
// EXACT: schedule.region [0 : 21]
te.func @from_both_ends(%A: tensor<21xf32>) -> (tensor<10xf32>) {
  %C = schedule.stage "C" (%i = 10) : tensor<10xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i stored at root folded axis 0 (%j = 21) : tensor<21xf32> {
      schedule.order %j
      schedule.equation (%j_1) {
        %a = te.read %A[%j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      %r1 = te.read %B[%i_1 * -1 + 20] : f32
      %s = arith.addf %r0, %r1 : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<10xf32>
}
