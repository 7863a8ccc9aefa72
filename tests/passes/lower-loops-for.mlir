// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// Bounds become the largest and the least of their parts; what a loop says of itself
// goes along.
// CHECK-LABEL: func.func @bounds
func.func @bounds(%n: index, %m: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: scf.for %i = %[[C0]] to %n step %[[C1]] {
  loop.for %i = 0 to %n {
    // CHECK-NEXT: %[[LOW:.*]] = arith.maxsi %i, %m : index
    // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %i, %{{.*}} : index
    // CHECK-NEXT: %[[HIGH:.*]] = arith.minsi %[[NEXT]], %n : index
    // CHECK-NEXT: scf.for %j = %[[LOW]] to %[[HIGH]] step %[[C1]] {
    loop.for %j = max(%i, %m) to min(%i + 8, %n) attributes {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>} {
      memref.store %x, %A[%j] : memref<?xf32>
    // CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    }
  }
  func.return
}

// The kinds that are left are hints, and what runs is a serial loop.
// CHECK-LABEL: func.func @kinds
func.func @kinds(%A: memref<?xf32>, %x: f32) {
  // CHECK: scf.for %i
  loop.for %i = 0 to 4 unrolled {
    // CHECK: scf.for %j
    loop.for %j = 0 to 4 vectorized {
      memref.store %x, %A[%j] : memref<?xf32>
    }
  }
  func.return
}
