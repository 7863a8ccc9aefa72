// RUN: teloom-opt %s -p 'outline-nests{few=1}' | filecheck %s
// RUN: teloom-opt %s -p outline-nests | filecheck %s --check-prefix=WHOLE
// RUN: teloom-opt %s -p 'outline-nests{few=1},lower-scf,lower-to-llvm' | filecheck %s --check-prefix=LLVM

// Few nests stay where they are.
// WHOLE-NOT: func.call

// Views that have no byte in common are noalias; where two have, neither is. The three nests do
// the same, but one is computed in place.
// CHECK-LABEL: func.func private @layers.nest0(
// CHECK-SAME: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias}) attributes {no_inline}
// CHECK-LABEL: func.func private @layers.nest1(
// CHECK-SAME: memref<4xf32>, %{{.*}}: memref<4xf32>) attributes {no_inline}
// CHECK: func.func @layers
// CHECK: func.call @layers.nest0(%a, %b)
// CHECK-NEXT: func.call @layers.nest0(%b, %c)
// CHECK-NEXT: func.call @layers.nest1(%c, %d)
// LLVM: llvm.func internal @layers.nest0(%{{.*}} {llvm.noalias}, %{{.*}} {llvm.noalias}) -> i32 attributes {no_inline}
func.func @layers() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  %twenty = arith.constant 20 : index
  %memory = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %a = memref.view %memory[%zero][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %memory[%sixteen][] : memref<64xi8> to memref<4xf32>
  %c = memref.view %memory[%zero][] : memref<64xi8> to memref<4xf32>
  %d = memref.view %memory[%four][] : memref<64xi8> to memref<4xf32>
  scf.for %i = %zero to %four step %one {
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %b[%i] : memref<4xf32>
  }
  scf.for %i = %zero to %four step %one {
    %v = memref.load %b[%i] : memref<4xf32>
    memref.store %v, %c[%i] : memref<4xf32>
  }
  scf.for %i = %zero to %four step %one {
    %v = memref.load %c[%i] : memref<4xf32>
    memref.store %v, %d[%i] : memref<4xf32>
  }
  memref.dealloc %memory : memref<64xi8>
  func.return
}

// Constants are computed in the nest, and it has the stack buffer that it alone uses. Sizes,
// scalars and the buffer of both nests are passed. What may alias stays so.
// CHECK-LABEL: func.func private @captured.nest0(
// CHECK-SAME: %n: index, %A: memref<?xf32>, %B: memref<?xf32>, %both: memref<1xf32> {llvm.noalias})
// CHECK-DAG: arith.constant 0 : index
// CHECK-DAG: %own = memref.alloca() : memref<1xf32>
// CHECK: scf.for
// CHECK-LABEL: func.func private @captured.nest1(
// CHECK-SAME: %c: i1, %x: f32, %both: memref<1xf32> {llvm.noalias})
// CHECK: scf.if %c
// CHECK-LABEL: func.func @captured(
// CHECK-NEXT: %both = memref.alloca() : memref<1xf32>
// CHECK-NEXT: func.call @captured.nest0(%n, %A, %B, %both)
// CHECK-NEXT: func.call @captured.nest1(%c, %x, %both)
// CHECK-NEXT: func.return
func.func @captured(%n: index, %c: i1, %x: f32, %A: memref<?xf32>, %B: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %own = memref.alloca() : memref<1xf32>
  %both = memref.alloca() : memref<1xf32>
  scf.for %i = %zero to %n step %one {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %own[%zero] : memref<1xf32>
    %w = memref.load %own[%zero] : memref<1xf32>
    memref.store %w, %B[%i] : memref<?xf32>
    memref.store %w, %both[%zero] : memref<1xf32>
  }
  scf.if %c {
    memref.store %x, %both[%zero] : memref<1xf32>
  }
  func.return
}

// A function with a result has no status, and stays whole; so does a nest with a result.
// CHECK-LABEL: func.func private @result(
// CHECK-NOT: func.call
// CHECK: func.return
func.func private @result(%n: index, %A: memref<?xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (f32) {
    %v = memref.load %A[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  scf.for %i = %zero to %n step %one {
    memref.store %sum, %A[%i] : memref<?xf32>
  }
  scf.for %i = %zero to %n step %one {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return %sum : f32
}
