// RUN: teloom-opt %s -p lower-loops | filecheck %s

// What constants and the bounds of loops show not to wrap says so, as a signed and an unsigned
// number; a negative number only as a signed one; what a size bounds says nothing.
// CHECK-LABEL: func.func @indices
func.func @indices(%n: index, %A: memref<4096xf32>, %B: memref<?xf32>) {
  %x = arith.constant 1.0 : f32
  loop.for %i = 0 to 64 {
    loop.for %j = 1 to min(%n, 64) {
      // CHECK:      %[[ROW:.*]] = arith.muli %i, %{{.*}} overflow<nsw,nuw> : index
      // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[ROW]], %j overflow<nsw,nuw> : index
      // CHECK-NEXT: memref.store %x, %A[%[[AT]]]
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)> (%i, %j)
      memref.store %x, %A[%0] : memref<4096xf32>
      // CHECK-NEXT: %[[BACK:.*]] = arith.subi %{{.*}}, %j overflow<nsw> : index
      // CHECK-NEXT: memref.store %x, %A[%[[BACK]]]
      %1 = affine.apply affine_map<(d0, d1) -> (d0 * 64 - d1)> (%i, %j)
      memref.store %x, %A[%1] : memref<4096xf32>
    }
    // CHECK: scf.for %k
    loop.for %k = 0 to %n {
      // CHECK-NEXT: %[[MORE:.*]] = arith.muli %k, %{{.*}} : index
      // CHECK-NEXT: memref.store %x, %B[%[[MORE]]]
      %2 = affine.apply affine_map<(d0) -> (d0 * 64)> (%k)
      memref.store %x, %B[%2] : memref<?xf32>
    }
  }
  func.return
}
