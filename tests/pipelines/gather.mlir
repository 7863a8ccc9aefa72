// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// Which row is read is known only at run time, so all rows of "doubled" are stored, but
// only the columns of the loop in which it is computed.

// CHECK-LABEL: func.func @gather
// CHECK:       loop.for %[[JO:.*]] = 0 to %w floordiv 8
// CHECK-NEXT:    loop.realize "doubled" [0 : %h, %[[JO]] * 8 : 8]
// CHECK:         %[[ROW:.*]] = arith.index_cast {{.*}} : i32 to index
// CHECK-NEXT:    loop.load %{{.*}}[%[[ROW]], %[[JO]] * 8 + %{{.*}}]

// LLVM-LABEL: llvm.func @gather
// LLVM:       llvm.return
te.func @gather(%h: index, %w: index, %n: index, %A: tensor<?x?xf32>[%h, %w], %rows: tensor<?xi32>[%n]) -> (tensor<?x?xf32>) {
  %doubled = te.compute "doubled" (%i = %h, %j = %w) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    %aa = arith.addf %a, %a : f32
    te.yield %aa : f32
  }
  %out = te.compute "out" (%i = %n, %j = %w) : tensor<?x?xf32> {
    %r = te.read %rows[%i] : i32
    %row = arith.index_cast %r : i32 to index
    %d = te.read %doubled[%row, %j] : f32
    te.yield %d : f32
  }
  te.return %out : tensor<?x?xf32>
}
schedule.sequence @columns on @gather {
  %out = schedule.get "out"
  %doubled = schedule.get "doubled"
  %i, %j = schedule.axes 2 of %out
  %jo, %ji = schedule.split %j factor 8
  schedule.reorder %jo, %i, %ji
  schedule.compute_at %doubled, %out, %jo
  schedule.vectorize %ji
}
