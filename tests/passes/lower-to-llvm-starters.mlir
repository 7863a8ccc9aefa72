// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// A function that only calls others is translated as it stands.
// CHECK-LABEL: llvm.func @starts
// CHECK-SAME: passthrough = ["teloom.vectorized", "noinline", "optnone"]
func.func @starts(%A: memref<8xf32>) {
  func.call @works(%A) : (memref<8xf32>) -> ()
  func.call @works(%A) : (memref<8xf32>) -> ()
  func.return
}

// CHECK-LABEL: llvm.func internal @works
// CHECK-NOT: optnone
func.func private @works(%A: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %x = memref.load %A[%zero] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %A[%zero] : memref<8xf32>
  func.return
}

// So is one that shares a loop among threads, with memory for each of them, and so is the function
// by which a thread comes to the loop's body.
// CHECK-LABEL: llvm.func @shares
// CHECK-SAME: passthrough = ["teloom.vectorized", "noinline", "optnone"]
func.func @shares(%n: index, %A: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %memory = memref.alloc(%n) : memref<?xi8>
  %b = memref.view %memory[%zero][%n] : memref<?xi8> to memref<?xf32>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %A[%i] : memref<?xf32>
    memref.store %a, %b[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %memory : memref<?xi8>
  func.return
}

// CHECK-LABEL: llvm.func internal @shares.parallel0
// CHECK-NOT: optnone

// What has a loop, or reads or writes elements, runs for longer.
// CHECK-LABEL: llvm.func @repeats
// CHECK-NOT: optnone
func.func @repeats(%n: index, %A: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    func.call @works(%A) : (memref<8xf32>) -> ()
  }
  func.return
}

// CHECK-LABEL: llvm.func @works_too
// CHECK-NOT: optnone
func.func @works_too(%x: f32, %A: memref<8xf32>) {
  %zero = arith.constant 0 : index
  memref.store %x, %A[%zero] : memref<8xf32>
  func.call @works(%A) : (memref<8xf32>) -> ()
  func.return
}

// CHECK: llvm.func internal @shares.parallel0.entry
// CHECK-SAME: passthrough = ["teloom.vectorized", "noinline", "optnone"]
