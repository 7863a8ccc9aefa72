// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// Loops of an output run through its domain, in tiles, too; its region is the array of the caller.
te.func @tiles(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  %L = te.compute "L" (%i = %n, %j = %n) where (%i - %j >= 0) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %L : tensor<?x?xf32>
}
schedule.sequence @s on @tiles {
  %L = schedule.get "L"
  %i, %j = schedule.axes 2 of %L
  %io, %jo, %ii, %ji = schedule.tile %j, %i by 4, 8
}

// CHECK-LABEL: te.func @tiles
// CHECK:         schedule.stage "L" (%i = %n, %j = %n) where (%i - %j >= 0) : tensor<?x?xf32>
// CHECK:         schedule.region [0 : %n, 0 : %n]
// CHECK-NEXT:    schedule.range %io = 0 to %n ceildiv 4
// CHECK-NEXT:    schedule.range %jo = %io floordiv 2 to %n ceildiv 8
// CHECK-NEXT:    schedule.range %ii = 0 to min(4, %n - %io * 4)
// CHECK-NEXT:    schedule.range %ji = max(0, %io * 4 + %ii - %jo * 8) to min(8, %n - %jo * 8)
// CHECK-NOT:     schedule.guard

// -----

// A stage at a loop of its reader computes what is read; one at the root what its domain has, and
// the box around that is stored. No box around reads reaches beyond the domain.
te.func @places(%A: tensor<9x9xf32>) -> (tensor<9x9xf32>) {
  %T = te.compute "T" (%p = 9, %q = 9) where (%p - %q - 2 >= 0) : tensor<9x9xf32> {
    %a = te.read %A[%p, %q] : f32
    te.yield %a : f32
  }
  %B = te.compute "B" (%u = 9, %v = 9) where (%u - %v - 2 >= 0) : tensor<9x9xf32> {
    %t = te.read %T[%u, %v] : f32
    te.yield %t : f32
  }
  %C = te.compute "C" (%i = 9, %j = 9) where (%i - %j - 4 >= 0) : tensor<9x9xf32> {
    %a = te.read %B[%i, %j] : f32
    %b = te.read %B[%i, %j + 2] : f32
    %c = arith.addf %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9x9xf32>
}
schedule.sequence @s on @places {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %B = schedule.get "B"
  schedule.set_mode %B "box"
  schedule.compute_at %B, %C, %i
}

// CHECK-LABEL: te.func @places
// CHECK:         schedule.stage "T"
// CHECK:           schedule.region [4 : 5, 0 : 7]
// CHECK-NEXT:      schedule.range %p = 4 to 9
// CHECK-NEXT:      schedule.range %q = 0 to %p - 1
// CHECK:         schedule.stage "C"
// CHECK:           schedule.range %j = 0 to %i - 3
// CHECK:           schedule.stage "B" at %i
// CHECK:             schedule.range %v = 0 to %i - 1
