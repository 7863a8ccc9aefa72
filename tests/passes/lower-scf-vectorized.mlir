// RUN: teloom-opt %s -p lower-scf | filecheck %s
// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s --check-prefix=LLVM
// RUN: teloom-translate %s --to llvm-ir | filecheck %s --check-prefix=TEXT

// The innermost loop stores vectors, and the loop around one number a row: nothing is left for LLVM
// to make vectors of.
// CHECK-LABEL: @vectors
// CHECK-SAME:  attributes {teloom.vectorized}
// LLVM-LABEL:  @vectors
// LLVM-SAME:   passthrough = ["teloom.vectorized"]
// TEXT:        "teloom.vectorized"
func.func @vectors(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %n step %one {
      %v = vector.load %A[%j] : memref<?xf32>, vector<8xf32>
      vector.store %v, %B[%j] : memref<?xf32>, vector<8xf32>
    }
    %x = memref.load %A[%i] : memref<?xf32>
    memref.store %x, %B[%i] : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: @scalars
// CHECK-NOT:   teloom.vectorized
// LLVM-LABEL:  @scalars
// LLVM-NOT:    teloom.vectorized
func.func @scalars(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %x = memref.load %A[%i] : memref<?xf32>
    memref.store %x, %B[%i] : memref<?xf32>
  }
  func.return
}

// A loop that LLVM unrolls is none: the loop around it stores its lanes.
// CHECK-LABEL: @unrolled
// CHECK-NOT:   teloom.vectorized
func.func @unrolled(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %four step %one {
      %x = memref.load %A[%i] : memref<?xf32>
      memref.store %x, %B[%j] : memref<?xf32>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  }
  func.return
}

// The sum is a scalar that each iteration passes on.
// CHECK-LABEL: @sum
// CHECK-NOT:   teloom.vectorized
func.func @sum(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%so_far = %start) -> (i32) {
    %x = memref.load %A[%i] : memref<?xi32>
    %next = arith.addi %so_far, %x : i32
    scf.yield %next : i32
  }
  memref.store %sum, %B[%zero] : memref<?xi32>
  func.return
}

// Where it stores a vector, too, LLVM makes none of the loop.
// CHECK-LABEL: @unrolled_beside_a_vector
// CHECK-SAME:  attributes {teloom.vectorized}
// LLVM-LABEL:  @unrolled_beside_a_vector
// LLVM-SAME:   passthrough = ["teloom.vectorized"]
func.func @unrolled_beside_a_vector(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %lanes = memref.alloca() : memref<4xf32>
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %four step %one {
      %x = memref.load %A[%i] : memref<?xf32>
      memref.store %x, %lanes[%j] : memref<4xf32>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
    %all = vector.load %lanes[%zero] : memref<4xf32>, vector<4xf32>
    vector.store %all, %B[%i] : memref<?xf32>, vector<4xf32>
  }
  func.return
}
