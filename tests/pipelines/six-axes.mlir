// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// Six axes, each split twice by factors that do not divide: eighteen loops and no
// condition, because every loop ends where its axis does.

// CHECK-LABEL: func.func @six
// CHECK-NOT:     loop.if
// CHECK-COUNT-18: loop.for
// CHECK-NOT:     loop.if
// CHECK:         loop.store

// LLVM-LABEL: llvm.func @six
// LLVM:       llvm.return
te.func @six(%n: index, %A: tensor<?x?x?x?x?x?xf32>[%n, %n, %n, %n, %n, %n]) -> (tensor<?x?x?x?x?x?xf32>) {
  %B = te.compute "B" (%a = %n, %b = %n, %c = %n, %d = %n, %e = %n, %f = %n) : tensor<?x?x?x?x?x?xf32> {
    %x = te.read %A[%f, %e, %d, %c, %b, %n - %a - 1] : f32
    te.yield %x : f32
  }
  te.return %B : tensor<?x?x?x?x?x?xf32>
}
schedule.sequence @twice on @six {
  %B = schedule.get "B"
  %a, %b, %c, %d, %e, %f = schedule.axes 6 of %B
  %a0, %a_rest = schedule.split %a factor 7
  %a1, %a2 = schedule.split %a_rest factor 3
  %b0, %b_rest = schedule.split %b factor 7
  %b1, %b2 = schedule.split %b_rest factor 3
  %c0, %c_rest = schedule.split %c factor 7
  %c1, %c2 = schedule.split %c_rest factor 3
  %d0, %d_rest = schedule.split %d factor 7
  %d1, %d2 = schedule.split %d_rest factor 3
  %e0, %e_rest = schedule.split %e factor 7
  %e1, %e2 = schedule.split %e_rest factor 3
  %f0, %f_rest = schedule.split %f factor 7
  %f1, %f2 = schedule.split %f_rest factor 3
}
