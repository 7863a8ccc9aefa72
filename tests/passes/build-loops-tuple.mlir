// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// Both results are updated together: all is read before anything is stored.
te.func @argmax(%A: tensor<4x8xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %I, %M = schedule.stage "M" (%i = 4) reduce (%k = 8) : tensor<4xi32>, tensor<4xf32> {
    schedule.order %i, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    schedule.equation (%i_1, %k_1) {
      %index = arith.index_cast %k_1 : index to i32
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %index, %a : i32, f32
    } combine (%i0: i32, %v0: f32, %i1: i32, %v1: f32) identity [-1 : i32, 0xff800000 : f32] {
      %more = arith.cmpf ogt, %v1, %v0 : f32
      %index = arith.select %more, %i1, %i0 : i32
      %value = arith.select %more, %v1, %v0 : f32
      te.yield %index, %value : i32, f32
    }
  }
  te.return %I, %M : tensor<4xi32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @argmax
// CHECK:        loop.for %i = 0 to 4 {
// CHECK-NEXT:     %0 = arith.constant -1 : i32
// CHECK-NEXT:     %1 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     loop.init %0, %I_1[%i] : i32
// CHECK-NEXT:     loop.init %1, %M_1[%i] : f32
// CHECK-NEXT:     loop.for %k = 0 to 8 {
// CHECK-NEXT:       %index = arith.index_cast %k : index to i32
// CHECK-NEXT:       %a = loop.load %A_1[%i, %k] : f32
// CHECK-NEXT:       loop.reduce %index, %a into %I_1, %M_1[%i] : i32, f32 combine (%i0, %v0, %i1, %v1) identity [-1 : i32, 0xff800000 : f32] {
// CHECK-NEXT:         %more = arith.cmpf ogt, %v1, %v0 : f32
// CHECK-NEXT:         %index_1 = arith.select %more, %i1, %i0 : i32
// CHECK-NEXT:         %value = arith.select %more, %v1, %v0 : f32
// CHECK-NEXT:         loop.yield %index_1, %value : i32, f32

// -----

// Only one of two results is an output: the other one is stored here.
te.func @max_only(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %I, %M = schedule.stage "M" (%i = 4) reduce (%k = 8) : tensor<4xi32>, tensor<4xf32> {
    schedule.order %i, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    schedule.equation (%i_1, %k_1) {
      %index = arith.index_cast %k_1 : index to i32
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %index, %a : i32, f32
    } combine (%i0: i32, %v0: f32, %i1: i32, %v1: f32) identity [-1 : i32, 0xff800000 : f32] {
      %more = arith.cmpf ogt, %v1, %v0 : f32
      %index = arith.select %more, %i1, %i0 : i32
      %value = arith.select %more, %v1, %v0 : f32
      te.yield %index, %value : i32, f32
    }
  }
  te.return %M : tensor<4xf32>
}

// CHECK-LABEL: func.func @max_only
// CHECK-NEXT:   %A_1 = loop.bind %A [0 : 4, 0 : 8] : memref<32xf32>
// CHECK-NEXT:   %M_1 = loop.bind %M [0 : 4] : memref<4xf32>
// CHECK-NEXT:   %I = loop.realize "M" [0 : 4] : !loop.tensor<1, i32>
// CHECK-NEXT:   loop.for %i = 0 to 4 {
// CHECK:          loop.init %0, %I[%i] : i32
// CHECK-NEXT:     loop.init %1, %M_1[%i] : f32
// CHECK-NEXT:     loop.for %k = 0 to 8 {
// CHECK:            %a = loop.load %A_1[%i, %k] : f32
// CHECK-NEXT:       loop.reduce %index, %a into %I, %M_1[%i] : i32, f32 combine (

// -----

// Both results of B are stored, though C reads only the first.
te.func @one_is_read(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B0, %B1 = schedule.stage "B" (%x = 8) : tensor<8xf32>, tensor<8xi32> {
    schedule.order %x
    schedule.region [0 : 8]
    schedule.range %x = 0 to 8
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      %b = arith.fptosi %a : f32 to i32
      te.yield %a, %b : f32, i32
    }
  }
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.region [0 : 8]
    schedule.range %i = 0 to 8
    schedule.equation (%i_1) {
      %b = te.read %B0[%i_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// CHECK-LABEL: func.func @one_is_read
// CHECK:        %B0 = loop.realize "B" [0 : 8] : !loop.tensor<1, f32>
// CHECK-NEXT:   %B1 = loop.realize "B" [0 : 8] : !loop.tensor<1, i32>
// CHECK-NEXT:   loop.for %x = 0 to 8 {
// CHECK:          loop.store %a, %B0[%x] : f32
// CHECK-NEXT:     loop.store %b, %B1[%x] : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %i = 0 to 8 {
// CHECK-NEXT:     loop.load %B0[%i] : f32
