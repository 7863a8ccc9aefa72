// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The axis is split after B was put there: B stays in the loop of the inner part, two rows at a
// time, two apart.
te.func @split(%A: tensor<22x16xf32>) -> (tensor<20x16xf32>) {
  %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii, %j
    %B = schedule.stage "B" at %ii (%x = 22, %y = 16) : tensor<22x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<20x16xf32>
}

// CHECK-LABEL: te.func @split
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %ii, %j
// CHECK-NEXT:     schedule.region [0 : 20, 0 : 16]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %io * -8 + 20)
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %ii (%x = 22, %y = 16) : tensor<22x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%io * 8 + %ii : 3, 0 : 16]
// CHECK-NEXT:       schedule.range %x = %io * 8 + %ii to %io * 8 + %ii + 3
// CHECK-NEXT:       schedule.range %y = 0 to 16
// CHECK-NEXT:       schedule.guard (%x - %io * 8 - %ii - 2 == 0) or (%x - %io * 8 - %ii == 0)

// -----

// The axis is fused: B is computed per element of the fused axis.
te.func @fuse(%A: tensor<22x16xf32>) -> (tensor<20x16xf32>) {
  %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    %B = schedule.stage "B" at %f (%x = 22, %y = 16) : tensor<22x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<20x16xf32>
}

// CHECK-LABEL: te.func @fuse
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     schedule.order %f
// CHECK-NEXT:     schedule.region [0 : 20, 0 : 16]
// CHECK-NEXT:     schedule.range %f = 0 to 320
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.value %j = %f mod 16
// CHECK-NEXT:     schedule.value %i = %f floordiv 16
// CHECK-NEXT:     %B = schedule.stage "B" at %f (%x = 22, %y = 16) : tensor<22x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%f floordiv 16 : 3, %f mod 16 : 1]
// CHECK-NEXT:       schedule.range %x = %f floordiv 16 to %f floordiv 16 + 3
// CHECK-NEXT:       schedule.range %y = %f mod 16 to %f mod 16 + 1
// CHECK-NEXT:       schedule.guard (%x - %f floordiv 16 - 2 == 0) or (%x - %f floordiv 16 == 0)

// -----

// Fused, split and put again: two rows of C per iteration, four of B.
te.func @fuse_and_split(%A: tensor<22x16xf32>) -> (tensor<20x16xf32>) {
  %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 32
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 22, %y = 16) : tensor<22x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<20x16xf32>
}

// CHECK-LABEL: te.func @fuse_and_split
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 32
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 20, 0 : 16]
// CHECK-NEXT:     schedule.range %fo = 0 to 10
// CHECK-NEXT:     schedule.range %fi = 0 to 32
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.range %f = 0 to 320
// CHECK-NEXT:     schedule.value %j = %fi mod 16
// CHECK-NEXT:     schedule.value %i = %fo * 2 + %fi floordiv 16
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 22, %y = 16) : tensor<22x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 2 : 4, 0 : 16]
// CHECK-NEXT:       schedule.range %x = %fo * 2 to %fo * 2 + 4
// CHECK-NEXT:       schedule.range %y = 0 to 16

// -----

// Another loop goes around it: B is computed per element, two of the three rows being read.
te.func @reorder(%A: tensor<22x16xf32>) -> (tensor<20x16xf32>) {
  %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32> {
    schedule.order %j, %i
    %B = schedule.stage "B" at %i (%x = 22, %y = 16) : tensor<22x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<20x16xf32>
}

// CHECK-LABEL: te.func @reorder
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32>
// CHECK-NEXT:     schedule.order %j, %i
// CHECK-NEXT:     schedule.region [0 : 20, 0 : 16]
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 22, %y = 16) : tensor<22x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 3, %j : 1]
// CHECK-NEXT:       schedule.range %x = %i to %i + 3
// CHECK-NEXT:       schedule.range %y = %j to %j + 1
// CHECK-NEXT:       schedule.guard (%x - %i - 2 == 0) or (%x - %i == 0)
