// RUN: teloom-opt %s -p outline-parallel | filecheck %s

// The body gets what it needs from outside; constants it makes itself, and views that may meet, so
// that the buffers it gets are apart. What only it used of these is gone outside.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: %c1
// CHECK-NOT: memref.view
// CHECK: func.call @scaled.parallel0(%c0, %n, %{{.*}}, %A, %x, %bytes, %n) {teloom.shared = "static"}
// CHECK-LABEL: func.func private @scaled.parallel0(
// CHECK-SAME: %first: index, %last: index, %thread: index, %A: memref<?xf32> {llvm.noalias}, %x: f32, %bytes: memref<128xi8> {llvm.noalias}, %n: index) attributes {no_inline}
// CHECK: %v = memref.view %bytes
// CHECK: %w = memref.view %bytes
// CHECK: scf.for %i = %first to %last step
// CHECK-NEXT: %a = memref.load %A[%i]
func.func @scaled(%n: index, %x: f32, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bytes = memref.alloca() : memref<128xi8>
  %v = memref.view %bytes[%c0][] : memref<128xi8> to memref<16xf32>
  %w = memref.view %bytes[%n][] : memref<128xi8> to memref<16xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %A[%i] : memref<?xf32>
    %b = arith.mulf %a, %x : f32
    memref.store %b, %v[%i] : memref<16xf32>
    memref.store %b, %w[%i] : memref<16xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// Two loops run in one team: what computes stands in front of it, as does memory of the stack,
// what frees behind it.
// CHECK-LABEL: func.func @team
// CHECK: %m = arith.addi %n, %n
// CHECK: %S = memref.alloca
// CHECK: func.call @team.parallel0({{.*}}) {teloom.shared = "dynamic", teloom.joined}
// CHECK: func.call @team.parallel0({{.*}}) {teloom.shared = "static"}
// CHECK-NEXT: memref.dealloc %B
func.func @team(%n: index, %x: f32, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = memref.alloc(%n) : memref<?xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %x, %B[%i] : memref<?xf32>
    scf.reduce
  }) {teloom.shared = "dynamic"} : (index, index, index) -> ()
  memref.dealloc %B : memref<?xf32>
  %m = arith.addi %n, %n : index
  %S = memref.alloca() : memref<8xf32>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    memref.store %x, %A[%j] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// What reads memory between them needs the first loop's result: two teams.
// CHECK-LABEL: func.func @apart
// CHECK: func.call @team.parallel0({{.*}}) {teloom.shared = "static"}
// CHECK: memref.load
// CHECK: func.call @team.parallel0({{.*}}) {teloom.shared = "static"}
func.func @apart(%n: index, %x: f32, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %x, %A[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  %y = memref.load %A[%c0] : memref<?xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    memref.store %y, %A[%j] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A loop inside is serial; the thread is that of the loop around.
// CHECK-LABEL: func.func private @nested.parallel0(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: arith.index_cast %thread : index to i32
func.func @nested(%n: index, %A: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb1(%j: index):
      %t = func.call @omp_get_thread_num() : () -> i32
      memref.store %t, %A[%j] : memref<?xi32>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
func.func private @omp_get_thread_num() -> i32

// A function with a result cannot report what fails in a thread.
// CHECK-LABEL: func.func private @result
// CHECK: scf.for
func.func private @result(%n: index, %A: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %x, %A[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %n : index
}

// Bodies that do the same with other pieces of memory are one function, and views that are apart
// are passed.
// CHECK-LABEL: func.func @alike
// CHECK: func.call @alike.parallel0(%c0, %c8, %{{.*}}, %v, %w) {teloom.shared = "static", teloom.joined}
// CHECK: func.call @alike.parallel0(%c0, %c8, %{{.*}}, %w, %v) {teloom.shared = "static"}
// CHECK: func.func private @alike.parallel0(
// CHECK-SAME: memref<8xf32> {llvm.noalias}, %{{.*}}: memref<8xf32> {llvm.noalias})
// CHECK-NOT: @alike.parallel1
func.func @alike() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %bytes = memref.alloca() : memref<64xi8>
  %v = memref.view %bytes[%c0][] : memref<64xi8> to memref<8xf32>
  %w = memref.view %bytes[%c32][] : memref<64xi8> to memref<8xf32>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %v[%i] : memref<8xf32>
    memref.store %a, %w[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %w[%i] : memref<8xf32>
    memref.store %a, %v[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
