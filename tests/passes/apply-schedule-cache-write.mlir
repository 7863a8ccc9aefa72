// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The new stage has the equation, the reduce axis and the scope; C is a copy of it. Handles from
// before are C's axes, but for that of the reduce axis, which goes along with the equation.
te.func @matmul(%A: tensor<8x4xf32>, %B: tensor<4x6xf32>) -> (tensor<8x6xf32>) {
  %C = te.compute "C" (%i = 8, %j = 6) reduce (%k = 1 to 4) : tensor<8x6xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p, %q) {
    %a = te.read %A[%p, 0] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<8x6xf32>
}
schedule.sequence @s on @matmul {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %CL = schedule.cache_write %C "local"
  %io, %ii = schedule.split %i factor 4
  schedule.unroll %k
}

// CHECK-LABEL: te.func @matmul
// CHECK-NEXT:    %C.local = schedule.stage "C.local" in "local" (%i.c = 8, %j.c = 6) reduce (%k = 1 to 4) : tensor<8x6xf32> {
// CHECK-NEXT:      schedule.order %i.c, %j.c, %k unrolled
// CHECK-NEXT:      schedule.equation (%i, %j, %k_1) {
// CHECK-NEXT:        %a = te.read %A[%i, %k_1] : f32
// CHECK:           } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
// CHECK:           } init (%p, %q) {
// CHECK:         %C = schedule.stage "C" (%i_1 = 8, %j_1 = 6) : tensor<8x6xf32> {
// CHECK-NEXT:      %io, %ii = schedule.split %i_1 factor 4
// CHECK-NEXT:      schedule.order %io, %ii, %j_1
// CHECK-NEXT:      schedule.equation (%i_2, %j_2) {
// CHECK-NEXT:        [[C:%.*]] = te.read %C.local[%i_2, %j_2] : f32
// CHECK-NEXT:        te.yield [[C]] : f32
// CHECK:         te.return %C

// -----

// The new stage is scheduled like any other; here it is computed in the copy.
te.func @attached(%n: index, %A: tensor<?xf32>[%n + 1]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n + 1) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @attached {
  %C = schedule.get "C"
  %CS = schedule.cache_write %C "global.vtcm"
  %i = schedule.axes 1 of %C
  %ic = schedule.axes 1 of %CS
  schedule.compute_at %CS, %C, %i
  schedule.vectorize %ic
}

// CHECK-LABEL: te.func @attached
// CHECK-NEXT:    %C = schedule.stage "C" (%i = %n + 1) : tensor<?xf32> {
// CHECK-NEXT:      schedule.order %i
// CHECK-NEXT:      %C.global.vtcm = schedule.stage "C.global.vtcm" at %i in "global.vtcm" (%i.c = %n + 1)
// CHECK-NEXT:        schedule.order %i.c vectorized

// -----

// Readers of C go on reading C. Its place, its scope and its strides stay with it; the new stage is
// at the root.
te.func @place(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%x = 8) : tensor<8xf32> {
    %c = te.read %C[%x] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @place {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %x = schedule.axes 1 of %D
  schedule.compute_at %C, %D, %x
  schedule.set_scope %C "shared"
  %i = schedule.axes 1 of %C
  schedule.storage_align %i factor 4 offset 1
  %CL = schedule.cache_write %C "local"
}

// CHECK-LABEL: te.func @place
// CHECK-NEXT:    %C.local = schedule.stage "C.local" in "local"
// CHECK:         %D = schedule.stage "D"
// CHECK-NEXT:      schedule.order %x
// CHECK-NEXT:      %C = schedule.stage "C" at %x in "shared" aligned axis 0 factor 4 offset 1 (
// CHECK:               te.read %C.local
// CHECK:           te.read %C[

// -----

// All results of a stage are computed in the cache.
te.func @pair(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %V, %W = te.compute "V" (%i = 8) : tensor<8xf32>, tensor<8xi32> {
    %a = te.read %A[%i] : f32
    %b = arith.fptosi %a : f32 to i32
    te.yield %a, %b : f32, i32
  }
  te.return %V, %W : tensor<8xf32>, tensor<8xi32>
}
schedule.sequence @s on @pair {
  %V = schedule.get "V"
  %VL = schedule.cache_write %V "local"
}

// CHECK-LABEL: te.func @pair
// CHECK-NEXT:    %V.local, %W.local = schedule.stage "V.local" in "local" (%i.c = 8) : tensor<8xf32>, tensor<8xi32>
// CHECK:         %V, %W = schedule.stage "V" (%i_1 = 8)
// CHECK:           [[V:%.*]] = te.read %V.local[%i_2] : f32
// CHECK-NEXT:      [[W:%.*]] = te.read %W.local[%i_2] : i32
// CHECK-NEXT:      te.yield [[V]], [[W]] : f32, i32

// -----

// Twice, and the cache of a cache: names stay different, also from one that was inlined.
te.func @again(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @again {
  %C = schedule.get "C"
  %first = schedule.cache_write %C "local"
  %second = schedule.cache_write %C "local"
  %cache = schedule.cache_write %second "shared"
  schedule.compute_inline %second
  %third = schedule.cache_write %C "local"
}

// CHECK-LABEL: te.func @again
// CHECK-NEXT:    schedule.stage "C.local" in "local"
// CHECK:           te.read %A[
// CHECK:         schedule.stage "C.local_1.shared" in "shared"
// CHECK:           te.read %C.local[
// CHECK:         schedule.stage "C.local_2" in "local"
// CHECK:           te.read %C.local.shared[
// CHECK:         schedule.stage "C"

// -----

// A tensor without axes.
te.func @scalar(%A: tensor<f32>) -> (tensor<f32>) {
  %C = te.compute "C" () : tensor<f32> {
    %a = te.read %A[] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<f32>
}
schedule.sequence @s on @scalar {
  %C = schedule.get "C"
  %CL = schedule.cache_write %C "local"
}

// CHECK-LABEL: te.func @scalar
// CHECK-NEXT:    schedule.stage "C.local" in "local" () : tensor<f32>
// CHECK:         schedule.stage "C" () : tensor<f32>
// CHECK:           te.read %C.local[] : f32

// -----

// Loops that commands have changed are those of the cache, which has an axis for each, of the kind
// that it had; reduce axes keep their relations. C begins anew, and reads each element at the
// coordinates of the loops.
te.func @packed(%n: index, %A: tensor<?x4xf32>[%n, 4]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) reduce (%k = 4) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p) {
    %a = te.read %A[%p, 0] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @packed {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 8
  %ko, %ki = schedule.split %k factor 2
  schedule.reorder %io, %ko, %ii, %ki
  schedule.vectorize %ii
  %CL = schedule.cache_write %C "local"
  %j = schedule.axes 1 of %C
  schedule.unroll %j
  schedule.parallel %io
}

// CHECK-LABEL: te.func @packed
// CHECK-NEXT:    %C.local = schedule.stage "C.local" in "local" (%io.c = %n ceildiv 8, %ii.c = 8) reduce (%k = 4) : tensor<?x8xf32> {
// CHECK-NEXT:      %ko, %ki = schedule.split %k factor 2
// CHECK-NEXT:      schedule.order %io.c parallel, %ko, %ii.c vectorized, %ki
// CHECK-NEXT:      schedule.equation (%io.c_1, %ii.c_1, %k_1) {
// CHECK-NEXT:        %a = te.read %A[%io.c_1 * 8 + %ii.c_1, %k_1] : f32
// CHECK:           } init (%io.c_2, %ii.c_2) {
// CHECK-NEXT:        %a_1 = te.read %A[%io.c_2 * 8 + %ii.c_2, 0] : f32
// CHECK:         %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
// CHECK-NEXT:      schedule.order %i unrolled
// CHECK:             te.read %C.local[%i_1 floordiv 8, %i_1 mod 8] : f32
