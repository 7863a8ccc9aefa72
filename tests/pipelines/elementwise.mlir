// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// Inlined stages leave one nest and no storage; a row and a column are read as often as
// the matrix.

// CHECK-LABEL: func.func @elementwise
// CHECK-NOT:   loop.realize
// CHECK:       loop.for %[[I:.*]] = 0 to %m parallel
// CHECK:           loop.for %[[JO:.*]] = 0 to %n ceildiv 8
// CHECK:             loop.for %[[JI:.*]] = %{{.*}} vectorized
// CHECK:               loop.load %{{.*}}[%[[JO]] * 8 + %[[JI]]]
// CHECK:               loop.load %{{.*}}[%[[I]], 0]
// CHECK:         else
// CHECK-NEXT:      loop.for %[[REST:.*]] = 0 to %n ceildiv 8
// CHECK-NEXT:        loop.for {{.*}} = 0 to 8 vectorized
// CHECK:               scf.if
// CHECK-NOT:   loop.for

// LLVM-LABEL: llvm.func @elementwise
// LLVM:       llvm.mul {{.*}} : vector<8xi32>
te.func @elementwise(%m: index, %n: index, %A: tensor<?x?xi32>[%m, %n], %row: tensor<?xi32>[%n], %col: tensor<?x1xi32>[%m, 1]) -> (tensor<?x?xi32>) {
  %moved = te.compute "moved" (%i = %m, %j = %n) : tensor<?x?xi32> {
    %a = te.read %A[%i, %j] : i32
    %r = te.read %row[%j] : i32
    %s = arith.addi %a, %r : i32
    te.yield %s : i32
  }
  %scaled = te.compute "scaled" (%i = %m, %j = %n) : tensor<?x?xi32> {
    %x = te.read %moved[%i, %j] : i32
    %c = te.read %col[%i, 0] : i32
    %p = arith.muli %x, %c : i32
    te.yield %p : i32
  }
  %out = te.compute "out" (%i = %m, %j = %n) : tensor<?x?xi32> {
    %x = te.read %scaled[%i, %j] : i32
    %a = te.read %A[%i, %j] : i32
    %d = arith.subi %x, %a : i32
    te.yield %d : i32
  }
  te.return %out : tensor<?x?xi32>
}
schedule.sequence @inlined on @elementwise {
  %moved = schedule.get "moved"
  schedule.compute_inline %moved
  %scaled = schedule.get "scaled"
  schedule.compute_inline %scaled
  %out = schedule.get "out"
  %i, %j = schedule.axes 2 of %out
  %jo, %ji = schedule.split %j factor 8
  schedule.parallel %i
  schedule.vectorize %ji
}
