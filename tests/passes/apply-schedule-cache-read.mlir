// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// D reads the copy, in its body and in its init region; E goes on reading B.
te.func @one_reader(%A: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 4) : tensor<8x4xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%x = 8) reduce (%k = 3) : tensor<8xf32> {
    %b = te.read %B[%x, %k + 1] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p) {
    %b = te.read %B[%p, 0] : f32
    te.yield %b : f32
  }
  %E = te.compute "E" (%e = 8) : tensor<8xf32> {
    %b = te.read %B[%e, 0] : f32
    te.yield %b : f32
  }
  te.return %D, %E : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @one_reader {
  %B = schedule.get "B"
  %D = schedule.get "D"
  %BS = schedule.cache_read %B "shared" readers %D
}

// CHECK-LABEL: te.func @one_reader
// CHECK-NEXT:    %B = schedule.stage "B" (
// CHECK:         %B.shared = schedule.stage "B.shared" in "shared" (%ax0 = 8, %ax1 = 4) : tensor<8x4xf32> {
// CHECK-NEXT:      schedule.order %ax0, %ax1
// CHECK-NEXT:      schedule.equation (%ax0_1, %ax1_1) {
// CHECK-NEXT:        [[B:%.*]] = te.read %B[%ax0_1, %ax1_1] : f32
// CHECK-NEXT:        te.yield [[B]] : f32
// CHECK:         schedule.stage "D"
// CHECK:           te.read %B.shared[%x_1, %k_1 + 1]
// CHECK:         } init (%p) {
// CHECK-NEXT:      te.read %B.shared[%p, 0]
// CHECK:         schedule.stage "E"
// CHECK:           te.read %B[%e_1, 0]

// -----

// An argument is named by its number among the tensors; its shape gives the axes. Both readers read
// one copy, every time that they did.
te.func @argument(%n: index, %A: tensor<4xf32>, %B: tensor<?x4xf32>[%n * 2, 4]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n * 2) : tensor<?xf32> {
    %a = te.read %A[0] : f32
    %b = te.read %B[%i, 0] : f32
    %c = te.read %B[%i, 1] : f32
    %d = arith.addf %b, %c : f32
    %e = arith.addf %a, %d : f32
    te.yield %e : f32
  }
  %D = te.compute "D" (%x = %n * 2) : tensor<?xf32> {
    %b = te.read %B[%x, 0] : f32
    %c = te.read %C[%x] : f32
    %d = arith.addf %b, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<?xf32>
}
schedule.sequence @s on @argument {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %BL = schedule.cache_read argument 1 "local" readers %D, %C
}

// CHECK-LABEL: te.func @argument
// CHECK-NEXT:    %B.local = schedule.stage "B.local" in "local" (%ax0 = %n * 2, %ax1 = 4) : tensor<?x4xf32> {
// CHECK:           te.read %B[%ax0_1, %ax1_1] : f32
// CHECK:         schedule.stage "C"
// CHECK:           te.read %A[0]
// CHECK-NEXT:      te.read %B.local[%i_1, 0]
// CHECK-NEXT:      te.read %B.local[%i_1, 1]
// CHECK:         schedule.stage "D"
// CHECK:           te.read %B.local[%x_1, 0]

// -----

// One result of a stage with two, by its number. The new stage is scheduled like others.
te.func @result(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %V, %W = te.compute "T" (%i = 8) : tensor<8xf32>, tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a, %a : f32, f32
  }
  %C = te.compute "C" (%x = 8) : tensor<8xf32> {
    %v = te.read %V[%x] : f32
    %w = te.read %W[%x] : f32
    %c = arith.addf %v, %w : f32
    te.yield %c : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @result {
  %T = schedule.get "T"
  %C = schedule.get "C"
  %WL = schedule.cache_read %T result 1 "local" readers %C
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 4
  schedule.compute_at %WL, %C, %xo
  %ax0 = schedule.axes 1 of %WL
  schedule.vectorize %ax0
}

// CHECK-LABEL: te.func @result
// CHECK:         schedule.stage "C" (
// CHECK:           %W.local = schedule.stage "T.v1.local" at %xo in "local" (%ax0 = 8) : tensor<8xf32> {
// CHECK-NEXT:        schedule.order %ax0 vectorized
// CHECK:             te.read %W[
// CHECK:           te.read %V[
// CHECK-NEXT:      te.read %W.local[

// -----

// The copy of a copy, and two copies of one tensor: names stay different.
te.func @chain(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %C, %D : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @chain {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %AS = schedule.cache_read argument 0 "shared" readers %C
  %AL = schedule.cache_read %AS "local" readers %C
  %second = schedule.cache_read argument 0 "shared" readers %D
  %between = schedule.cache_read argument 0 "global" readers %AS
}

// CHECK-LABEL: te.func @chain
// CHECK-NEXT:    schedule.stage "A.global" in "global"
// CHECK:           te.read %A[
// CHECK:         %A.shared = schedule.stage "A.shared" in "shared"
// CHECK:           te.read %A.global[
// CHECK:         %A.shared.local = schedule.stage "A.shared.local" in "local"
// CHECK:           te.read %A.shared[
// CHECK:         schedule.stage "C"
// CHECK:           te.read %A.shared.local[
// CHECK:         %[[SECOND:.*]] = schedule.stage "A.shared_1" in "shared"
// CHECK:           te.read %A[
// CHECK:         schedule.stage "D"
// CHECK:           te.read %[[SECOND]][

// -----

// Also of an output, which is stored as it was.
te.func @output(%A: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %C = te.compute "C" () : tensor<f32> {
    %a = te.read %A[] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" () : tensor<f32> {
    %c = te.read %C[] : f32
    te.yield %c : f32
  }
  te.return %C, %D : tensor<f32>, tensor<f32>
}
schedule.sequence @s on @output {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %CL = schedule.cache_read %C "local" readers %D
}

// CHECK-LABEL: te.func @output
// CHECK-NEXT:    %C = schedule.stage "C" ()
// CHECK:         %C.local = schedule.stage "C.local" in "local" ()
// CHECK:           te.read %C[] : f32
// CHECK:         schedule.stage "D" ()
// CHECK:           te.read %C.local[] : f32
// CHECK:         te.return %C, %D

// -----

// A copy as another type holds what C converts each element to, in its body and in its init.
te.func @converted(%A: tensor<8x4xui8>) -> (tensor<8xf32>, tensor<8xui8>) {
  %C = te.compute "C" (%x = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%x, %k] : i8
    %f = arith.uitofp %a : i8 to f32
    %s = arith.mulf %f, %f : f32
    te.yield %s : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p) {
    %a = te.read %A[%p, 0] : i8
    %f = arith.uitofp %a : i8 to f32
    te.yield %f : f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xui8> {
    %a = te.read %A[%y, 1] : i8
    te.yield %a : i8
  }
  te.return %C, %D : tensor<8xf32>, tensor<8xui8>
}
schedule.sequence @s on @converted {
  %C = schedule.get "C"
  %AF = schedule.cache_read argument 0 "global" as f32 readers %C
}

// CHECK-LABEL: te.func @converted
// CHECK-NEXT:    %A.global = schedule.stage "A.global" in "global" (%ax0 = 8, %ax1 = 4) : tensor<8x4xf32> {
// CHECK:           schedule.equation (%ax0_1, %ax1_1) {
// CHECK-NEXT:        [[A:%.*]] = te.read %A[%ax0_1, %ax1_1] : i8
// CHECK-NEXT:        [[F:%.*]] = arith.uitofp [[A]] : i8 to f32
// CHECK-NEXT:        te.yield [[F]] : f32
// CHECK:         schedule.stage "C"
// CHECK:           [[C:%.*]] = te.read %A.global[%x_1, %k_1] : f32
// CHECK-NEXT:      [[S:%.*]] = arith.mulf [[C]], [[C]] : f32
// CHECK-NEXT:      te.yield [[S]] : f32
// CHECK:         } init (%p) {
// CHECK-NEXT:      [[P:%.*]] = te.read %A.global[%p, 0] : f32
// CHECK-NEXT:      te.yield [[P]] : f32
// CHECK:         schedule.stage "D"
// CHECK:           te.read %A[%y_2, 1] : i8

// -----

// As its own type it is a copy like all others.
te.func @as_it_is(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @as_it_is {
  %C = schedule.get "C"
  %AF = schedule.cache_read argument 0 "global" as f32 readers %C
}

// CHECK-LABEL: te.func @as_it_is
// CHECK-NEXT:    %A.global = schedule.stage "A.global" in "global" (%ax0 = 8) : tensor<8xf32> {
// CHECK:           te.read %A.global[%x_1] : f32
