// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A permutation with an offset: the coordinates of the new axis begin at 4.
te.func @swapped(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %p, %q = schedule.remap %i, %j by affine_map<(d0, d1) -> (d1, d0 + 4)>
    schedule.order %p, %q
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @swapped
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %p = 0 to 8
// CHECK-NEXT:     schedule.range %q = 4 to 16
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.value %i = %q - 4
// CHECK-NEXT:     schedule.value %j = %p
// CHECK-NOT:      schedule.guard

// -----

// Half of the sums and differences come from no instance: these do not run.
te.func @holes(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %p, %q = schedule.remap %i, %j by affine_map<(d0, d1) -> (d0 + d1, d0 - d1)>
    schedule.order %p, %q
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @holes
// CHECK:          schedule.range %p = 0 to 19
// CHECK-NEXT:     schedule.range %q = max(%p - 14, %p * -1) to min(%p * -1 + 23, %p + 1)
// CHECK:          schedule.value %i = (%p + %q) floordiv 2
// CHECK-NEXT:     schedule.value %j = (%p + %q) floordiv 2 - %q
// CHECK-NEXT:     schedule.guard ((%p + %q) mod 2 == 0)

// -----

// Quotient and remainder: a split of any extent, whose last tile ends where the axis does.
te.func @split(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?x8xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = 8) : tensor<?x8xf32> {
    %p, %q, %r = schedule.remap %i, %j by affine_map<(d0, d1) -> (d0 floordiv 5, d1, d0 mod 5)>
    schedule.order %p, %q, %r
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x8xf32>
}

// CHECK-LABEL: te.func @split
// CHECK:          schedule.range %p = 0 to %n ceildiv 5
// CHECK-NEXT:     schedule.range %q = 0 to 8
// CHECK-NEXT:     schedule.range %r = 0 to min(5, %n - %p * 5)
// CHECK:          schedule.value %i = %p * 5 + %r
// CHECK-NEXT:     schedule.value %j = %q
// CHECK-NOT:      schedule.guard

// -----

// The inverse divides; a relation on top of it sees exact bounds, too.
te.func @blocks_of_rows(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %p, %q = schedule.remap %i, %j by affine_map<(d0, d1) -> ((d0 * 8 + d1) floordiv 5, (d0 * 8 + d1) mod 5)>
    %po, %pi = schedule.split %p factor 3
    schedule.order %po, %pi, %q
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @blocks_of_rows
// CHECK:          schedule.range %po = 0 to 7
// CHECK-NEXT:     schedule.range %pi = 0 to min(3, %po * -3 + 20)
// CHECK-NEXT:     schedule.range %q = 0 to min(5, %po * -15 - %pi * 5 + 96)
// CHECK:          schedule.value %j = (%po * 15 + %pi * 5 + %q) mod 8
// CHECK-NOT:      schedule.guard

// -----

// What a diagonal reads is computed at it; a unit axis gets its only coordinate.
te.func @producer(%A: tensor<1x12x8xf32>) -> (tensor<1x12x8xf32>) {
  %C = schedule.stage "C" (%u = 1, %i = 12, %j = 8) : tensor<1x12x8xf32> {
    %d, %p = schedule.remap %u, %i, %j by affine_map<(d0, d1, d2) -> (d1 + d2, d2)>
    schedule.order %d, %p
    %B = schedule.stage "B" at %d (%w = 1, %x = 12, %y = 8) : tensor<1x12x8xf32> {
      schedule.order %w, %x, %y
      schedule.equation (%w_1, %x_1, %y_1) {
        %a = te.read %A[%w_1, %x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%u_1, %i_1, %j_1) {
      %b = te.read %B[%u_1, %i_1, %j_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<1x12x8xf32>
}

// CHECK-LABEL: te.func @producer
// CHECK:          schedule.range %d = 0 to 19
// CHECK-NEXT:     schedule.range %p = max(0, %d - 11) to min(8, %d + 1)
// CHECK:          schedule.value %u = 0
// CHECK-NEXT:     schedule.value %i = %d - %p
// CHECK:          schedule.stage "B" at %d
// CHECK:            schedule.range %x = max(0, %d - 7) to min(12, %d + 1)
// CHECK-NEXT:       schedule.range %y = %d - %x to %d - %x + 1

// -----

// From the last to the first, whatever the size is: no point is left out, and none is a hole.
te.func @from_the_last(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?x8xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = 8) : tensor<?x8xf32> {
    %p, %q = schedule.remap %i, %j by affine_map<(d0, d1)[s0] -> (d1, s0 - d0 - 1)>
    schedule.order %p, %q
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x8xf32>
}

// CHECK-LABEL: te.func @from_the_last
// CHECK:          schedule.range %p = 0 to 8
// CHECK-NEXT:     schedule.range %q = 0 to %n
// CHECK:          schedule.value %i = %n - %q - 1
// CHECK-NEXT:     schedule.value %j = %p
// CHECK-NOT:      schedule.guard
