// RUN: teloom-opt %s -p apply-schedule | filecheck %s
// RUN: teloom-opt %s -p te-to-memref | filecheck %s --check-prefix=MEMREF

// A temporary and an output say that they are streamed; so do the stores of their loops.
te.func @rows(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %b = te.read %B[%i, 15 - %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8x16xf32>
}
schedule.sequence @s on @rows {
  %B = schedule.get "B"
  schedule.stream_stores %B
  %C = schedule.get "C"
  schedule.stream_stores %C
}

// CHECK-LABEL: te.func @rows
// CHECK:         %B = schedule.stage "B" streamed (%x = 8, %y = 16) : tensor<8x16xf32>
// CHECK:         %C = schedule.stage "C" streamed (%i = 8, %j = 16) : tensor<8x16xf32>

// MEMREF-LABEL: func.func @rows
// MEMREF:         memref.store %{{.*}}, %B[%{{.*}}] {nontemporal = true}
// MEMREF:         memref.store %{{.*}}, %C[%{{.*}}] {nontemporal = true}
