// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// Copies of the body begin at one address, and take steps of a row's length from there.
// CHECK-LABEL: @rows
// CHECK: ^[[loop:.*]](%j: i64):
func.func @rows(%i: index, %n: index, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    // CHECK-NEXT: %[[fixed:.*]] = llvm.mul %i, %n : i64
    // CHECK-NEXT: %[[begin:.*]] = llvm.add %[[fixed]], %i : i64
    // CHECK-NEXT: %[[steps:.*]] = llvm.mul %j, %n : i64
    // CHECK-NEXT: %[[at:.*]] = llvm.getelementptr %A[%[[begin]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    // CHECK-NEXT: %[[row:.*]] = llvm.getelementptr %[[at]][%[[steps]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    // CHECK-NEXT: %v = llvm.load %[[row]]
    %row = arith.addi %i, %j : index
    %begin = arith.muli %row, %n : index
    %index = arith.addi %begin, %i : index
    %v = memref.load %A[%index] : memref<?xf32>
    // CHECK-NEXT: %[[to:.*]] = llvm.getelementptr inbounds %A[%j]
    memref.store %v, %A[%j] : memref<?xf32>
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  func.return
}

// Each length has steps of its own; what a constant multiplies comes last.
// CHECK-LABEL: @planes
// CHECK: ^{{.*}}(%j: i64):
func.func @planes(%i: index, %n: index, %m: index, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    // CHECK-NEXT: %[[three:.*]] = llvm.mul %j, %{{.*}} : i64
    // CHECK-NEXT: %[[lane:.*]] = llvm.mul %j, %{{.*}} : i64
    // CHECK-NEXT: %[[planes:.*]] = llvm.mul %[[three]], %m : i64
    // CHECK-NEXT: %[[rows:.*]] = llvm.mul %j, %n : i64
    // CHECK-NEXT: %[[p:.*]] = llvm.getelementptr %A[%i]
    // CHECK-NEXT: %[[q:.*]] = llvm.getelementptr %[[p]][%[[planes]]]
    // CHECK-NEXT: %[[r:.*]] = llvm.getelementptr %[[q]][%[[rows]]]
    // CHECK-NEXT: llvm.getelementptr %[[r]][%[[lane]]]
    %three = arith.muli %j, %c3 : index
    %plane = arith.muli %three, %m : index
    %row = arith.muli %j, %n : index
    %lane = arith.muli %j, %c4 : index
    %s = arith.addi %plane, %row : index
    %t = arith.addi %s, %lane : index
    %index = arith.addi %t, %i : index
    %v = memref.load %A[%index] : memref<?xf32>
    memref.store %v, %A[%j] : memref<?xf32>
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  func.return
}

// What is steps alone stays in the buffer.
// CHECK-LABEL: @column
// CHECK: ^{{.*}}(%j: i64):
func.func @column(%n: index, %A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    // CHECK-NEXT: %[[steps:.*]] = llvm.mul %j, %n : i64
    // CHECK-NEXT: llvm.getelementptr inbounds %A[%[[steps]]]
    %row = arith.muli %j, %n : index
    memref.store %x, %A[%row] : memref<?xf32>
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  func.return
}

// A product of two counters is one number, and a loop that stays a loop has one address.
// CHECK-LABEL: @whole
func.func @whole(%n: index, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[row:.*]] = llvm.mul %i, %n
    // CHECK-NEXT: llvm.getelementptr inbounds %A[%[[row]]]
    %row = arith.muli %i, %n : index
    %v = memref.load %A[%row] : memref<?xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      // CHECK: %[[square:.*]] = llvm.mul %j, %j
      // CHECK-NEXT: llvm.getelementptr inbounds %A[%[[square]]]
      %square = arith.muli %j, %j : index
      memref.store %v, %A[%square] : memref<?xf32>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  }
  func.return
}
