// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The axes of a symbolic fusion are no affine expressions of the fused one. In its loop they
// are fixed all the same: the region is said in terms of them, and is exact.
te.func @at_fused(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m + 2]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    %B = schedule.stage "B" at %f (%x = %n, %y = %m + 2) : tensor<?x?xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[%i_1, %j_1] : f32
      %c = te.read %B[%i_1, %j_1 + 1] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @at_fused
// CHECK:        %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     schedule.order %f
// CHECK-NEXT:     schedule.region [0 : %n, 0 : %m]
// CHECK-NEXT:     schedule.range %f = 0 to %3
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to %m
// CHECK-NEXT:     %B = schedule.stage "B" at %f (%x = %n, %y = %m + 2) : tensor<?x?xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, %j : 2]
// CHECK-NEXT:       schedule.range %x = %i to %i + 1
// CHECK-NEXT:       schedule.range %y = %j to %j + 2
// CHECK-NEXT:       schedule.equation

// -----

// At the inner loop of a split of the fused axis, that axis is fixed, and with it both others.
te.func @at_inner(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 8
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fi (%x = %n, %y = %m) : tensor<?x?xf32> {
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

// CHECK-LABEL: te.func @at_inner
// CHECK:          schedule.order %fo, %fi
// CHECK:          %B = schedule.stage "B" at %fi
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, %j : 1]

// -----

// At the outer loop eight consecutive values of the fused axis can lie in any rows and columns.
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

// CHECK-LABEL: te.func @at_outer
// CHECK:          %B = schedule.stage "B" at %fo
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [0 : %n, 0 : %m]

// -----

// A stage two levels inside knows the axes of both fusions.
te.func @chain(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %D = schedule.stage "D" (%u = %n, %v = %m) : tensor<?x?xf32> {
    %uv = schedule.fuse %u, %v
    schedule.order %uv
    %C = schedule.stage "C" at %uv (%i = %n, %j = %m) : tensor<?x?xf32> {
      schedule.order %i, %j
      %B = schedule.stage "B" at %j (%x = %n, %y = %m) : tensor<?x?xf32> {
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
    schedule.equation (%u_1, %v_1) {
      %c = te.read %C[%u_1, %v_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @chain
// CHECK:          %C = schedule.stage "C" at %uv
// CHECK:            schedule.region [%u : 1, %v : 1]
// CHECK-NEXT:       schedule.range %i = %u to %u + 1
// CHECK-NEXT:       schedule.range %j = %v to %v + 1
// CHECK-NEXT:       %B = schedule.stage "B" at %j
// CHECK-NEXT:         schedule.order %x, %y
// CHECK-NEXT:         schedule.region [%u : 1, %v : 1]

// -----

// The parts of a symbolic split, in the loop of its inner axis: the root axis is fixed there.
te.func @nparts(%n: index, %A: tensor<?xf32>[%n + 1]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i nparts 4
    schedule.order %io, %ii
    %B = schedule.stage "B" at %ii (%x = %n + 1) : tensor<?xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %a = te.read %A[%x_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1) {
      %b = te.read %B[%i_1] : f32
      %c = te.read %B[%i_1 + 1] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @nparts
// CHECK:          schedule.guard (%n - %i - 1 >= 0)
// CHECK:          %B = schedule.stage "B" at %ii
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%i : 2]
// CHECK-NEXT:       schedule.range %x = %i to %i + 2

// -----

// Along a third axis a skew says what the fused one is only together with that axis.
te.func @skewed(%n: index, %m: index, %A: tensor<?x?x4xf32>[%n, %m, 4]) -> (tensor<?x?x4xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m, %k = 4) : tensor<?x?x4xf32> {
    %f = schedule.fuse %i, %j
    %s = schedule.skew %f along %k factor 2
    schedule.order %s, %k
    %B = schedule.stage "B" at %s (%x = %n, %y = %m, %z = 4) : tensor<?x?x4xf32> {
      schedule.order %x, %y, %z
      schedule.equation (%x_1, %y_1, %z_1) {
        %a = te.read %A[%x_1, %y_1, %z_1] : f32
        te.yield %a : f32
      }
    }
    %D = schedule.stage "D" at %k (%x_2 = %n, %y_2 = %m, %z_2 = 4) : tensor<?x?x4xf32> {
      schedule.order %x_2, %y_2, %z_2
      schedule.equation (%x_3, %y_3, %z_3) {
        %a = te.read %A[%x_3, %y_3, %z_3] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1, %k_1) {
      %b = te.read %B[%i_1, %j_1, %k_1] : f32
      %d = te.read %D[%i_1, %j_1, %k_1] : f32
      %c = arith.addf %b, %d : f32
      te.yield %c : f32
    }
  }
  te.return %C : tensor<?x?x4xf32>
}

// CHECK-LABEL: te.func @skewed
// CHECK:          schedule.value %f = %s - %k * 2
// CHECK:          %B = schedule.stage "B" at %s
// CHECK-NEXT:       schedule.order %x, %y, %z
// CHECK-NEXT:       schedule.region [0 : %n, 0 : %m, 0 : 4]
// CHECK:          %D = schedule.stage "D" at %k
// CHECK-NEXT:       schedule.order %x_2, %y_2, %z_2
// CHECK-NEXT:       schedule.region [%i : 1, %j : 1, %k : 1]
