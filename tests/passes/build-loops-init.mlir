// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// The init region gives the first value; the identity is not used.
te.func @bias(%A: tensor<4x8xf32>, %D: tensor<4xf32>) -> (tensor<4xf32>) {
  %B = schedule.stage "B" (%x = 4) : tensor<4xf32> {
    schedule.order %x
    schedule.region [0 : 4]
    schedule.range %x = 0 to 4
    schedule.equation (%x_1) {
      %d = te.read %D[%x_1] : f32
      te.yield %d : f32
    }
  }
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %a : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    } init (%i_2) {
      %b = te.read %B[%i_2] : f32
      te.yield %b : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @bias
// CHECK:        %B = loop.realize "B" [0 : 4] : !loop.tensor<1, f32>
// CHECK-NEXT:   loop.for %x = 0 to 4 {
// CHECK-NEXT:     %d = loop.load %D_1[%x] : f32
// CHECK-NEXT:     loop.store %d, %B[%x] : f32
// CHECK:        loop.for %i = 0 to 4 {
// CHECK-NEXT:     %b = loop.load %B[%i] : f32
// CHECK-NEXT:     loop.init %b, %S_1[%i] : f32
// CHECK-NEXT:     loop.for %k = 0 to 8 {
// CHECK-NEXT:       %a = loop.load %A_1[%i, %k] : f32
// CHECK-NEXT:       loop.reduce %a into %S_1[%i] : f32 combine (

// -----

// What only the init region reads is computed before the reduction starts.
te.func @at_row(%A: tensor<4x8xf32>, %D: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    %B = schedule.stage "B" at %i (%x = 4) : tensor<4xf32> {
      schedule.order %x
      schedule.region [%i : 1]
      schedule.range %x = %i to %i + 1
      schedule.equation (%x_1) {
        %d = te.read %D[%x_1] : f32
        te.yield %d : f32
      }
    }
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %a : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    } init (%i_2) {
      %b = te.read %B[%i_2] : f32
      te.yield %b : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @at_row
// CHECK:        loop.for %i = 0 to 4 {
// CHECK-NEXT:     %B = loop.realize "B" [%i : 1] : !loop.tensor<1, f32>
// CHECK-NEXT:     %d = loop.load %D_1[%i] : f32
// CHECK-NEXT:     loop.store %d, %B[%i] : f32
// CHECK-NEXT:     %b = loop.load %B[%i] : f32
// CHECK-NEXT:     loop.init %b, %S_1[%i] : f32
// CHECK-NEXT:     loop.for %k = 0 to 8 {
// CHECK-NEXT:       %a = loop.load %A_1[%i, %k] : f32
// CHECK-NEXT:       loop.reduce %a into %S_1[%i] : f32 combine (

// -----

// 10 is stored once, in front of all 33 parts of a sum, the last of which has 3 terms.
te.func @from_ten(%A: tensor<1027xi32>) -> (tensor<1xi32>) {
  %S = schedule.stage "S" (%i = 1) reduce (%k = 1027) : tensor<1xi32> {
    %ko, %ki = schedule.split %k factor 32
    schedule.order %i, %ko, %ki
    schedule.region [0 : 1]
    schedule.range %i = 0 to 1
    schedule.range %ko = 0 to 33
    schedule.range %ki = 0 to min(32, %ko * -32 + 1027)
    schedule.range %k = 0 to 1027
    schedule.value %k = %ko * 32 + %ki
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%k_1] : i32
      te.yield %a : i32
    } combine (%p: i32, %q: i32) identity [0 : i32] {
      %s = arith.addi %p, %q : i32
      te.yield %s : i32
    } init (%j) {
      %ten = arith.constant 10 : i32
      te.yield %ten : i32
    }
  }
  te.return %S : tensor<1xi32>
}

// CHECK-LABEL: func.func @from_ten
// CHECK:        %ten = arith.constant 10 : i32
// CHECK-NEXT:   loop.init %ten, %S_1[0] : i32
// CHECK-NEXT:   loop.for %ko = 0 to 33 {
// CHECK-NEXT:     loop.for %ki = 0 to min(32, %ko * -32 + 1027) {
// CHECK:            loop.reduce %a into %S_1[0] : i32 combine (
// CHECK-NOT:    loop.init
// CHECK:        func.return
