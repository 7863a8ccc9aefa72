// RUN: teloom-opt %s -p check-schedule --split-input-file 2>&1 | filecheck %s

// Loops whose number of iterations is a size divided by another are proved to compute all, each
// element once. The text has no value for %i and %k, which are products of two symbols.
// CHECK-NOT: it is not proved
// CHECK-LABEL: @right
te.func @right(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %whole = arith.maxsi %m, %0 : index
  %number = arith.maxsi %n, %1 : index
  %less = arith.subi %number, %1 : index
  %sum = arith.addi %whole, %less : index
  %parts = arith.divsi %sum, %number : index
  %C = schedule.stage "C" (%i = %n) reduce (%k = %m) : tensor<?xf32> {
    %io, %ii = schedule.split %i nparts 4
    %late = schedule.shift %io by -1
    %ko, %ki = schedule.split %k factor size 0
    schedule.order %late parallel, %ii, %ki, %ko
    schedule.region [0 : %n]
    schedule.range %i = 0 to %n
    schedule.range %late = -1 to 3
    schedule.range %io = 0 to 4
    schedule.range %ii = 0 to %n ceildiv 4
    schedule.range %k = 0 to %m
    schedule.range %ko = 0 to %parts
    schedule.range %ki = 0 to %n
    schedule.value %io = %late + 1
    schedule.guard (%n - %i - 1 >= 0)
    schedule.guard (%m - %k - 1 >= 0)
    schedule.promised (%n - 1 >= 0) "split of axis k of C by n, which must be at least 1"
    schedule.equation (%p, %q) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// The last iteration of %late is one part further than the axis has parts.
// CHECK: remark: it is not proved that the loops of stage "C" run through its points: an extent of a fused or split axis of "C" is symbolic
te.func @value(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i nparts 4
    %late = schedule.shift %io by -1
    schedule.order %late, %ii
    schedule.region [0 : %n]
    schedule.range %i = 0 to %n
    schedule.range %late = -1 to 3
    schedule.range %io = 0 to 4
    schedule.range %ii = 0 to %n ceildiv 4
    schedule.value %io = %late + 2
    schedule.guard (%n - %i - 1 >= 0)
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// Each part has an iteration more than it has elements: a sum would have some of them twice.
// CHECK: remark: it is not proved that the loops of stage "C" run through its points: an extent of a fused or split axis of "C" is symbolic
te.func @twice(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<2xf32>) {
  %C = schedule.stage "C" (%i = 2) reduce (%k = %n) : tensor<2xf32> {
    %ko, %ki = schedule.split %k nparts 4
    schedule.order %i, %ko, %ki
    schedule.region [0 : 2]
    schedule.range %i = 0 to 2
    schedule.range %k = 0 to %n
    schedule.range %ko = 0 to 4
    schedule.range %ki = 0 to %n ceildiv 4 + 1
    schedule.guard (%n - %k - 1 >= 0)
    schedule.equation (%p, %q) {
      %a = te.read %A[%q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<2xf32>
}

// -----

// The number of parts is not that of the size: it is one less.
// CHECK: remark: it is not proved that the loops of stage "C" run through its points: an extent of a fused or split axis of "C" is symbolic
te.func @parts(%n: index, %m: index, %A: tensor<?xf32>[%m]) -> (tensor<?xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %whole = arith.maxsi %m, %0 : index
  %number = arith.maxsi %n, %1 : index
  %parts = arith.divsi %whole, %number : index
  %C = schedule.stage "C" (%i = %m) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor size 0
    schedule.order %io, %ii
    schedule.region [0 : %m]
    schedule.range %i = 0 to %m
    schedule.range %io = 0 to %parts
    schedule.range %ii = 0 to %n
    schedule.guard (%m - %i - 1 >= 0)
    schedule.promised (%n - 1 >= 0) "split of axis i of C by n, which must be at least 1"
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// The loop of the fused axes has an iteration too many, which is beyond the end of all rows.
// CHECK: remark: it is not proved that the loops of stage "C" run through its points: an extent of a fused or split axis of "C" is symbolic
te.func @fused(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %all = arith.muli %n, %m : index
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    schedule.region [0 : %n, 0 : %m]
    schedule.range %f = 0 to %all + 1
    schedule.range %i = 0 to %n
    schedule.range %j = 0 to %m
    schedule.equation (%p, %q) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// -----

// The last part may be longer than what is left, and nothing guards it.
// CHECK: remark: it is not proved that the loops of stage "C" run through its points: an extent of a fused or split axis of "C" is symbolic
te.func @unguarded(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i nparts 4
    schedule.order %io, %ii
    schedule.region [0 : %n]
    schedule.range %i = 0 to %n
    schedule.range %io = 0 to 4
    schedule.range %ii = 0 to %n ceildiv 4
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}
