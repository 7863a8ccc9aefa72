// RUN: teloom-opt %s -p apply-schedule,infer-bounds,build-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-memref | filecheck %s --check-prefix=FLAT

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

// CHECK-LABEL: func.func @result_first(
// CHECK-SAME:    %A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>)
// CHECK-SAME:    {name = "A", {{[^}]*}}}, {name = "B", {{[^}]*}}}, {name = "C", {{[^}]*}}output}], order = array<i64: 2, 0, 1>}

// FLAT-LABEL:    func.func @result_first(
// FLAT-SAME:     order = array<i64: 2, 0, 1>}
// FLAT-NOT:      tensor
// FLAT:          memref.store %c, %C[%i]
// FLAT-NOT:      tensor
// FLAT:          func.return
