// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// All constraints have to hold.
// CHECK-LABEL: func.func @guard
func.func @guard(%n: index, %i: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: %[[D:.*]] = arith.subi %i, %n : index
  // CHECK-NEXT: %[[EQ:.*]] = arith.cmpi eq, %[[D]], %[[C0:.*]] : index
  // CHECK-NEXT: %[[GE:.*]] = arith.cmpi sge, %i, %[[C0]] : index
  // CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[EQ]], %[[GE]] : i1
  // CHECK-NEXT: scf.if %[[ALL]] {
  loop.if (%i - %n == 0, %i >= 0) {
    memref.store %x, %A[%i] : memref<?xf32>
  // CHECK: } else {
  } else {
    memref.store %x, %A[%n] : memref<?xf32>
  }
  func.return
}
