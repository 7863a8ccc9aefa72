// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: error: step 0: a loop steps by 1 or more
// CHECK-NEXT: scf.for %i =
%zero = arith.constant 0 : index
%four = arith.constant 4 : index
scf.for %i = %zero to %four step %zero {
}

// -----

// CHECK: error: step -1: a loop steps by 1 or more
// CHECK-NEXT: scf.parallel (%i, %j) =
%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%back = arith.constant -1 : index
scf.parallel (%i, %j) = (%zero, %zero) to (%one, %one) step (%one, %back) {
}
