// RUN: teloom-opt %s -p te-to-memref | filecheck %s

// A call passes the result first, then what it is computed from; no tensor is left.
te.func @result_first(%A: tensor<8xf32>, %B: tensor<8xf32>) -> (tensor<8xf32>) order [2, 0, 1] {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    %b = te.read %B[%i] : f32
    %c = arith.addf %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<8xf32>
}

// CHECK-LABEL:    func.func @result_first(
// CHECK-SAME:     order = array<i64: 2, 0, 1>}
// CHECK-NOT:      tensor
// CHECK:          memref.store %c, %C[%i]
// CHECK-NOT:      tensor
// CHECK:          func.return
