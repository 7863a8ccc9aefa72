// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// A recurrent cell: the product of each step is computed for four elements at a time, in the
// loop over these. The product reads what the step before has stored.

// CHECK-LABEL: func.func @rnn
// CHECK:       loop.for %t = 0 to %m {
// CHECK-NEXT:    %cell = loop.realize "cell" [%t : 1, 0 : %n]
// CHECK:         loop.for %jo = 0 to %n ceildiv 4 {
// CHECK-NEXT:      %product = loop.realize "product" [%t : 1, %jo * 4 : 4]
// CHECK:           loop.for %k = 0 to %n {
// CHECK:           loop.load %h_1[%t - 1, %k] : f32
// CHECK:         loop.for %i
// CHECK:           loop.store %{{.*}}, %h_1[%t, %i

// LLVM-LABEL: llvm.func @rnn
// LLVM:       llvm.return
te.func @rnn(%m: index, %n: index, %W: tensor<?x?xf32>[%n, %n], %X: tensor<?x?xf32>[%m, %n], %H: tensor<1x?xf32>[1, %n]) -> (tensor<?x?xf32>) {
  %h = te.scan "h" (%t = %m, %i = %n) init %H until 1 state %s : tensor<?x?xf32> {
    %product = te.compute "product" (%u = %m, %j = %n) reduce (%k = %n) : tensor<?x?xf32> {
      %w = te.read %W[%j, %k] : f32
      %0 = te.read %s[%u - 1, %k] : f32
      %1 = arith.mulf %w, %0 : f32
      te.yield %1 : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %sum = arith.addf %x, %y : f32
      te.yield %sum : f32
    }
    %cell = te.compute "cell" (%u = %m, %j = %n) : tensor<?x?xf32> {
      %p = te.read %product[%u, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %0 = arith.addf %p, %x : f32
      %1 = math.tanh %0 : f32
      te.yield %1 : f32
    }
    te.yield %cell : tensor<?x?xf32>
  }
  te.return %h : tensor<?x?xf32>
}
schedule.sequence @tiled on @rnn {
  %cell = schedule.get "cell"
  %u, %j = schedule.axes 2 of %cell
  %jo, %ji = schedule.split %j factor 4
  %product = schedule.get "product"
  schedule.compute_at %product, %cell, %jo
}
