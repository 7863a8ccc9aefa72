// RUN: teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// What earlier iterations have computed is not computed again: two rows each in the
// first two iterations, then one. Of 66 rows three are stored, in a circle.
te.func @rolled(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %C = schedule.stage "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    schedule.order %y, %x
    %B = schedule.stage "B" at %y stored at root folded axis 0, axis 1 (%i = 66, %j = 64) : tensor<66x64xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %0 = te.read %B[%y_1, %x_1] : f32
      %1 = te.read %B[%y_1 + 2, %x_1] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64x64xf32>
}

// CHECK-LABEL: te.func @rolled
// CHECK:         schedule.stage "B" at %y stored at root folded axis 0 factor 3 (
// CHECK:           schedule.region [0 : 66, 0 : 64]
// CHECK-NEXT:      schedule.range %i = %y to %y + 3
// CHECK-NEXT:      schedule.range %j = 0 to 64
// CHECK-NEXT:      schedule.guard (%i - %y - 2 == 0) or (%i - %y == 0, %y * -1 + 1 >= 0)

// -----

// Stored in a strip, the rows of a strip are computed once; the strip is the box.
te.func @strip(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %C = schedule.stage "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %yo, %yi = schedule.split %y factor 8
    schedule.order %yo, %yi, %x
    %B = schedule.stage "B" at %yi stored at %yo (%i = 66, %j = 64) : tensor<66x64xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %0 = te.read %B[%y_1, %x_1] : f32
      %1 = te.read %B[%y_1 + 2, %x_1] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64x64xf32>
}

// CHECK-LABEL: te.func @strip
// CHECK:         schedule.stage "B" at %yi stored at %yo (
// CHECK:           schedule.region [%yo * 8 : 10, 0 : 64]
// CHECK-NEXT:      schedule.range %i = %yo * 8 + %yi to %yo * 8 + %yi + 3

// -----

// A larger factor than the smallest is taken as it is.
te.func @larger(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %C = schedule.stage "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    schedule.order %y, %x
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 4 (%i = 66, %j = 64) : tensor<66x64xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %0 = te.read %B[%y_1, %x_1] : f32
      %1 = te.read %B[%y_1 + 2, %x_1] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64x64xf32>
}

// CHECK-LABEL: te.func @larger
// CHECK:         schedule.stage "B" at %y stored at root folded axis 0 factor 4 (
// CHECK:           schedule.region [0 : 66, 0 : 64]

// -----

// Elements of one place are needed at the same time: there is nothing to fold where the stage is
// computed. A remark says so.
// CHECK: remark: stage "B" is not folded along i: no factor below the extent is proved to keep apart what is needed at the same time
te.func @nothing(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %C = schedule.stage "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    schedule.order %y, %x
    %B = schedule.stage "B" at %y folded axis 0 (%i = 66, %j = 64) : tensor<66x64xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %0 = te.read %B[%y_1, %x_1] : f32
      %1 = te.read %B[%y_1 + 2, %x_1] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64x64xf32>
}

// CHECK-LABEL: te.func @nothing
// CHECK:           schedule.region [%y : 3, 0 : 64]

// -----

// An update is computed whole, in the first iteration of the loops between, and so is what it reads
// in its own loops.
te.func @update(%A: tensor<9xf32>) -> (tensor<4x6x9xf32>) {
  %C = schedule.stage "C" (%y = 4, %x = 6, %z = 9) : tensor<4x6x9xf32> {
    schedule.order %y, %x, %z
    %U = schedule.stage "U" at %x stored at %y (%i = 9) reduce (%j = 1 to 9) : tensor<9xf32> {
      schedule.order %i, %j
      %B = schedule.stage "B" at %j (%k = 9) : tensor<9xf32> {
        schedule.order %k
        schedule.equation (%k_1) {
          %a = te.read %A[%k_1] : f32
          te.yield %a : f32
        }
      }
      schedule.update (%j_1) state %u : tensor<9xf32> {
        %before = te.read %u[%j_1 - 1] : f32
        %b = te.read %B[%j_1] : f32
        %new = arith.addf %before, %b : f32
        te.write %new, %u[%j_1] : f32
      } init (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1, %z_1) {
      %u = te.read %U[%z_1] : f32
      te.yield %u : f32
    }
  }
  te.return %C : tensor<4x6x9xf32>
}

// CHECK-LABEL: te.func @update
// CHECK:         schedule.stage "U" at %x stored at %y
// CHECK-NEXT:      schedule.order %i, %j
// CHECK-NEXT:      schedule.region [0 : 9]
// CHECK-NEXT:      schedule.range %i = 0 to 1
// CHECK-NEXT:      schedule.range %j = 1 to 9
// CHECK-NEXT:      schedule.guard (%x == 0)
// CHECK-NEXT:      %B = schedule.stage "B" at %j
// CHECK-NEXT:        schedule.order %k
// CHECK-NEXT:        schedule.region [%j : 1]
// CHECK-NEXT:        schedule.range %k = %j to %j + 1
// CHECK-NEXT:        schedule.guard (%x == 0)
