// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// bx has as many rows as by, which reads two rows further: these are computed by nothing.
// CHECK: error: infer-bounds: stage "by" at [97, 0] reads bx[98, 0], but axis 0 of bx runs from 0 to 97
te.func @rows_short(%A: tensor<98x200xf32>) -> (tensor<98x198xf32>) {
  %bx = schedule.stage "bx" (%bi = 98, %bj = 198) : tensor<98x198xf32> {
    schedule.order %bi, %bj
    schedule.equation (%bi_1, %bj_1) {
      %r0 = te.read %A[%bi_1, %bj_1] : f32
      %r1 = te.read %A[%bi_1, %bj_1 + 1] : f32
      %r2 = te.read %A[%bi_1, %bj_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  %by = schedule.stage "by" (%i = 98, %j = 198) : tensor<98x198xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %bx[%i_1, %j_1] : f32
      %r1 = te.read %bx[%i_1 + 1, %j_1] : f32
      %r2 = te.read %bx[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  te.return %by : tensor<98x198xf32>
}

// -----

// In tiles it is the last one, all the same.
// CHECK: error: infer-bounds: stage "by" at [97, 0] reads bx[98, 0], but axis 0 of bx runs from 0 to 97
te.func @rows_short_in_tiles(%A: tensor<98x200xf32>) -> (tensor<98x198xf32>) {
  %by = schedule.stage "by" (%i = 98, %j = 198) : tensor<98x198xf32> {
    %io, %ii = schedule.split %i factor 32
    %jo, %ji = schedule.split %j factor 32
    schedule.order %io, %jo, %ii, %ji
    %bx = schedule.stage "bx" at %jo (%bi = 98, %bj = 198) : tensor<98x198xf32> {
      schedule.order %bi, %bj
      schedule.equation (%bi_1, %bj_1) {
        %r0 = te.read %A[%bi_1, %bj_1] : f32
        %r1 = te.read %A[%bi_1, %bj_1 + 1] : f32
        %r2 = te.read %A[%bi_1, %bj_1 + 2] : f32
        %t1 = arith.addf %r0, %r1 : f32
        %t2 = arith.addf %t1, %r2 : f32
        te.yield %t2 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %bx[%i_1, %j_1] : f32
      %r1 = te.read %bx[%i_1 + 1, %j_1] : f32
      %r2 = te.read %bx[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  te.return %by : tensor<98x198xf32>
}
