// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// bx has as many rows as by, which reads two rows further: these are computed by nothing.
// CHECK: error: infer-bounds: stage "by" at [97, 197] reads bx[98, 197], but axis 0 of bx runs from 0 to 97
te.func @rows_short(%A: tensor<98x200xf32>) -> (tensor<98x198xf32>) {
  %bx = te.compute "bx" (%bi = 98, %bj = 198) : tensor<98x198xf32> {
    %r0 = te.read %A[%bi, %bj] : f32
    %r1 = te.read %A[%bi, %bj + 1] : f32
    %r2 = te.read %A[%bi, %bj + 2] : f32
    %t1 = arith.addf %r0, %r1 : f32
    %t2 = arith.addf %t1, %r2 : f32
    te.yield %t2 : f32
  }
  %by = te.compute "by" (%i = 98, %j = 198) : tensor<98x198xf32> {
    %r0 = te.read %bx[%i, %j] : f32
    %r1 = te.read %bx[%i + 1, %j] : f32
    %r2 = te.read %bx[%i + 2, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    %t2 = arith.addf %t1, %r2 : f32
    te.yield %t2 : f32
  }
  te.return %by : tensor<98x198xf32>
}

// -----

// In tiles it is the last one, all the same.
// CHECK: error: infer-bounds: stage "by" at [97, 197] reads bx[98, 197], but axis 0 of bx runs from 0 to 97
te.func @rows_short_in_tiles(%A: tensor<98x200xf32>) -> (tensor<98x198xf32>) {
  %bx = te.compute "bx" (%bi = 98, %bj = 198) : tensor<98x198xf32> {
    %r0 = te.read %A[%bi, %bj] : f32
    %r1 = te.read %A[%bi, %bj + 1] : f32
    %r2 = te.read %A[%bi, %bj + 2] : f32
    %t1 = arith.addf %r0, %r1 : f32
    %t2 = arith.addf %t1, %r2 : f32
    te.yield %t2 : f32
  }
  %by = te.compute "by" (%i = 98, %j = 198) : tensor<98x198xf32> {
    %r0 = te.read %bx[%i, %j] : f32
    %r1 = te.read %bx[%i + 1, %j] : f32
    %r2 = te.read %bx[%i + 2, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    %t2 = arith.addf %t1, %r2 : f32
    te.yield %t2 : f32
  }
  te.return %by : tensor<98x198xf32>
}
schedule.sequence @s on @rows_short_in_tiles {
  %bx = schedule.get "bx"
  %by = schedule.get "by"
  %i, %j = schedule.axes 2 of %by
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 32, 32
  schedule.compute_at %bx, %by, %jo
}
