// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// A division in a branch whose operands no iteration of the loop changes stands in front of the
// loop; one that uses the counter stays, and LLVM makes no vectors of the loop.
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
  // CHECK: {llvm.loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>>}
  func.return
}

// What is said of a loop already is said together with it, and where copies of the loop are put
// into the one around it, that one is kept from vectors too.
// CHECK-LABEL: func.func @unrolled
func.func @unrolled(%n: index, %A: memref<?xindex>) {
  loop.for %i = 0 to 64 {
    loop.for %j = 0 to 8 attributes {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>} {
      loop.if (%j - %n >= 0) {
        %of_counter = arith.divsi %j, %n : index
        memref.store %of_counter, %A[%j] : memref<?xindex>
      }
    // CHECK: unroll = <disable = false, full = true>, vectorize = <disable = true>
    }
  // CHECK: {llvm.loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>>}
  }
  func.return
}
