// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// Loops and buffers have no signs; the argument says what the array holds.
te.func @unsigned(%A: tensor<4xui8>) -> (tensor<4xui8>) {
  %B = schedule.stage "B" (%i = 4) : tensor<4xui8> {
    schedule.order %i
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : i8
      te.yield %a : i8
    }
  }
  te.return %B : tensor<4xui8>
}

// CHECK-LABEL: builtin.module
// CHECK-NEXT: func.func @unsigned(%A: memref<4xi8>, %B: memref<4xi8>) attributes {te.signature = {arrays = [{name = "A", dtype = "uint8", shape = affine_map<() -> (4)>}, {name = "B", dtype = "uint8", shape = affine_map<() -> (4)>, output}]}}
// CHECK-NEXT:   %A_1 = loop.bind %A [0 : 4] : memref<4xi8>
// CHECK-NEXT:   %B_1 = loop.bind %B [0 : 4] : memref<4xi8>
// CHECK-NEXT:   loop.for %i = 0 to 4 {
// CHECK-NEXT:     %a = loop.load %A_1[%i] : i8
// CHECK-NEXT:     loop.store %a, %B_1[%i] : i8
