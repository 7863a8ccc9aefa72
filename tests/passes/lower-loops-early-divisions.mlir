// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// A division in a branch whose operands no iteration of the loop changes stands in front of the
// loop; one that uses the counter stays.
// CHECK-LABEL: func.func @row
func.func @row(%n: index, %row: index, %A: memref<?xindex>) {
  // CHECK: %quotient = arith.divsi %row, %n : index
  // CHECK: scf.for %i
  loop.for %i = 0 to 8 {
    loop.if (%i - %n >= 0) {
      // CHECK: scf.if
      // CHECK-NOT: arith.divsi %row
      // CHECK: arith.divsi %i, %n
      %quotient = arith.divsi %row, %n : index
      %of_counter = arith.divsi %i, %n : index
      %sum = arith.addi %quotient, %of_counter : index
      memref.store %sum, %A[%i] : memref<?xindex>
    }
  }
  func.return
}
