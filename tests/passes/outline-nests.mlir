// RUN: teloom-opt %s -p 'outline-nests{few=1}' | filecheck %s
// RUN: teloom-opt %s -p outline-nests | filecheck %s --check-prefix=WHOLE
// RUN: teloom-opt %s -p 'outline-nests{few=1},lower-loops,outline-parallel,lower-scf,lower-to-llvm' | filecheck %s --check-prefix=LLVM

// Few nests stay where they are.
// WHOLE-NOT: no_inline

// Views that have no byte in common are passed, with their alignment. Where two have, their memory
// is: what a function gets has no byte in common. The three nests do the same, but one is computed
// in place.
// CHECK-LABEL: func.func private @layers.nest0(
// CHECK-SAME: memref<4xf32> {llvm.align = 16 : i64}, %{{.*}}: memref<4xf32> {llvm.align = 16 : i64}) attributes {no_inline}
// CHECK-LABEL: func.func private @layers.nest1(
// CHECK-SAME: %memory: memref<64xi8> {llvm.align = 64 : i64}) attributes {no_inline}
// CHECK-DAG: %c = memref.view %memory[%{{.*}}][] : memref<64xi8> to memref<4xf32>
// CHECK-DAG: %d = memref.view %memory[%{{.*}}][] : memref<64xi8> to memref<4xf32>
// CHECK-LABEL: func.func @layers
// CHECK: func.call @layers.nest0(%a, %b)
// CHECK-NEXT: func.call @layers.nest0(%b, %a)
// CHECK-NEXT: func.call @layers.nest1(%memory)
// LLVM: llvm.func internal @layers.nest0(
// LLVM-SAME: llvm.align = 16 : i64, llvm.noalias, llvm.readonly
// LLVM-SAME: -> i32 attributes {no_inline
func.func @layers() {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  %memory = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %first = memref.alloc() {alignment = 16 : i64} : memref<64xi8>
  %a = memref.view %first[%zero][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %first[%sixteen][] : memref<64xi8> to memref<4xf32>
  %c = memref.view %memory[%zero][] : memref<64xi8> to memref<4xf32>
  %d = memref.view %memory[%four][] : memref<64xi8> to memref<4xf32>
  loop.for %i = 0 to 4 {
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %b[%i] : memref<4xf32>
  }
  loop.for %i = 0 to 4 {
    %v = memref.load %b[%i] : memref<4xf32>
    memref.store %v, %a[%i] : memref<4xf32>
  }
  loop.for %i = 0 to 4 {
    %v = memref.load %c[%i] : memref<4xf32>
    memref.store %v, %d[%i] : memref<4xf32>
  }
  memref.dealloc %memory : memref<64xi8>
  memref.dealloc %first : memref<64xi8>
  func.return
}

// Index values and conditions are computed in the nest, so that all is known of them that was, and
// it has the stack buffer that it alone uses. Sizes, scalars and the buffer of both nests are passed.
// CHECK-LABEL: func.func private @captured.nest0(
// CHECK-SAME: %n: index, %A: memref<?xf32>, %B: memref<?xf32>, %both: memref<1xf32>)
// CHECK-DAG: %half = affine.apply affine_map<(d0) -> ((d0 floordiv 2))> (%n)
// CHECK-DAG: %own = memref.alloca() : memref<1xf32>
// CHECK: loop.for %{{.*}} = 0 to %half
// CHECK-LABEL: func.func private @captured.nest1(
// CHECK-SAME: %n: index, %x: f32, %both: memref<1xf32>)
// CHECK: %c = arith.cmpi
// CHECK: scf.if %c
// CHECK-LABEL: func.func @captured(
// CHECK-NEXT: %both = memref.alloca() : memref<1xf32>
// CHECK-NEXT: func.call @captured.nest0(%n, %A, %B, %both)
// CHECK-NEXT: func.call @captured.nest1(%n, %x, %both)
// CHECK-NEXT: func.return
func.func @captured(%n: index, %x: f32, %A: memref<?xf32>, %B: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %half = affine.apply affine_map<(d0) -> (d0 floordiv 2)> (%n)
  %c = arith.cmpi sgt, %half, %zero : index
  %own = memref.alloca() : memref<1xf32>
  %both = memref.alloca() : memref<1xf32>
  loop.for %i = 0 to %half {
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

// Loops that threads share are joined to teams, and what a nest allocates is taken when the function
// begins: these stay, as do nests over what is read from memory, or over another view of a buffer.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: func.call
// CHECK: func.return
func.func @stay(%n: index, %x: f32, %A: memref<?xf32>, %N: memref<1xindex>) {
  %zero = arith.constant 0 : index
  %read = memref.load %N[%zero] : memref<1xindex>
  loop.for %i = 0 to %n parallel {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  loop.for %i = 0 to %n {
    %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  %twice = arith.addi %read, %read : index
  loop.for %i = 0 to %twice {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  %cast = memref.cast %A : memref<?xf32> to memref<8xf32>
  loop.for %i = 0 to 8 {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %cast[%i] : memref<8xf32>
  }
  func.return
}

// A function with a result has no status, and stays whole.
// CHECK-LABEL: func.func private @result(
// CHECK-NOT: func.call
// CHECK: func.return
func.func private @result(%n: index, %x: f32, %A: memref<?xf32>) -> f32 {
  loop.for %i = 0 to %n {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  loop.for %i = 0 to %n {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return %x : f32
}
