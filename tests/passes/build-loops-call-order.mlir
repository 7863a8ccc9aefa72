// RUN: teloom-opt %s -p build-loops | filecheck %s

// A call passes the result first, then what it is computed from; no tensor is left.
te.func @result_first(%A: tensor<8xf32>, %B: tensor<8xf32>) -> (tensor<8xf32>) order [2, 0, 1] {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.region [0 : 8]
    schedule.range %i = 0 to 8
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      %b = te.read %B[%i_1] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// CHECK-LABEL: func.func @result_first(
// CHECK-SAME:    %A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>)
// CHECK-SAME:    {name = "A", {{[^}]*}}}, {name = "B", {{[^}]*}}}, {name = "C", {{[^}]*}}output}], order = array<i64: 2, 0, 1>}

