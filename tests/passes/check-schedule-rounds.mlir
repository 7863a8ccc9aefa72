// RUN: not teloom-opt %s -p check-schedule --split-input-file 2>&1 | filecheck %s

// Rounds of split, reorder and fuse by factors that divide nothing: each axis in between is a value
// of its own, so that the quotients of one round are found. Sets, with all rounds at once, take
// more operations than they may.
// CHECK-NOT: it is not proved
// CHECK-LABEL: @right
te.func @right(%A: tensor<37x41xf32>) -> (tensor<37x41xf32>) {
  %C = schedule.stage "C" (%i = 37, %j = 41) : tensor<37x41xf32> {
    %all = schedule.fuse %i, %j
    %o, %q = schedule.split %all factor 7
    %second = schedule.fuse %q, %o
    %o2, %q2 = schedule.split %second factor 11
    %third = schedule.fuse %q2, %o2
    %o3, %q3 = schedule.split %third factor 5
    %fourth = schedule.fuse %q3, %o3
    schedule.order %fourth
    schedule.region [0 : 37, 0 : 41]
    schedule.range %fourth = 0 to 1529
    schedule.range %i = 0 to 37
    schedule.range %j = 0 to 41
    schedule.range %all = 0 to 1517
    schedule.range %o = 0 to 217
    schedule.range %q = 0 to 7
    schedule.range %second = 0 to 1519
    schedule.range %o2 = 0 to 139
    schedule.range %q2 = 0 to 11
    schedule.range %third = 0 to 1529
    schedule.range %o3 = 0 to 306
    schedule.range %q3 = 0 to 5
    schedule.value %j = (%fourth * 385 - %fourth * 5 floordiv 139 * 10696 - %fourth floordiv 306 * 77 - (%fourth * 55 - %fourth * 5 floordiv 139 * 1528 - %fourth floordiv 306 * 11) floordiv 217 * 1518) mod 41
    schedule.value %i = (%fourth * 385 - %fourth * 5 floordiv 139 * 10696 - %fourth floordiv 306 * 77 - (%fourth * 55 - %fourth * 5 floordiv 139 * 1528 - %fourth floordiv 306 * 11) floordiv 217 * 1518) floordiv 41
    schedule.guard ((%fourth * 55 - %fourth * 5 floordiv 139 * 1528 - %fourth floordiv 306 * 11) floordiv 217 * -1 + 6 >= 0, (%fourth * 385 - %fourth * 5 floordiv 139 * 10696 - %fourth floordiv 306 * 77 - (%fourth * 55 - %fourth * 5 floordiv 139 * 1528 - %fourth floordiv 306 * 11) floordiv 217 * 1518) floordiv 41 * -1 + 36 >= 0)
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<37x41xf32>
}

// -----

// The guard leaves the last row out.
// CHECK: nothing computes C[36, 0], which is an output
te.func @guard(%A: tensor<37x41xf32>) -> (tensor<37x41xf32>) {
  %C = schedule.stage "C" (%i = 37, %j = 41) : tensor<37x41xf32> {
    %all = schedule.fuse %i, %j
    %o, %q = schedule.split %all factor 7
    %second = schedule.fuse %q, %o
    schedule.order %second
    schedule.region [0 : 37, 0 : 41]
    schedule.range %second = 0 to 1519
    schedule.range %i = 0 to 37
    schedule.range %j = 0 to 41
    schedule.range %all = 0 to 1517
    schedule.range %o = 0 to 217
    schedule.range %q = 0 to 7
    schedule.value %j = (%second * 7 - %second floordiv 217 * 1518) mod 41
    schedule.value %i = (%second * 7 - %second floordiv 217 * 1518) floordiv 41
    schedule.guard ((%second * 7 - %second floordiv 217 * 1518) floordiv 41 * -1 + 35 >= 0)
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<37x41xf32>
}

// -----

// The loop is too short.
// CHECK: nothing computes C[0, 6], which is an output
te.func @loop(%A: tensor<37x41xf32>) -> (tensor<37x41xf32>) {
  %C = schedule.stage "C" (%i = 37, %j = 41) : tensor<37x41xf32> {
    %all = schedule.fuse %i, %j
    %o, %q = schedule.split %all factor 7
    %second = schedule.fuse %q, %o
    schedule.order %second
    schedule.region [0 : 37, 0 : 41]
    schedule.range %second = 0 to 1300
    schedule.range %i = 0 to 37
    schedule.range %j = 0 to 41
    schedule.range %all = 0 to 1517
    schedule.range %o = 0 to 217
    schedule.range %q = 0 to 7
    schedule.value %j = (%second * 7 - %second floordiv 217 * 1518) mod 41
    schedule.value %i = (%second * 7 - %second floordiv 217 * 1518) floordiv 41
    schedule.guard ((%second * 7 - %second floordiv 217 * 1518) floordiv 41 * -1 + 36 >= 0)
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<37x41xf32>
}
