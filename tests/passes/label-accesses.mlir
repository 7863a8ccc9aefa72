// RUN: teloom-opt %s -p label-accesses | filecheck %s

// Each load says which stage reads, by what is written next; in a branch too.
// CHECK-LABEL: @readers
func.func @readers(%A: memref<8xf32>) {
  // CHECK: [[A:%\w+]] = shadow.region "A" [0 : 8]
  %a = loop.bind %A [0 : 8] : memref<8xf32>
  %b = loop.realize "B" [0 : 8] : !loop.tensor<1, f32>
  loop.for %i = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    %true = arith.constant true
    %x = scf.if %true -> (f32) {
      // CHECK: shadow.loaded %v, [[A]][%i] by "B" : f32
      %v = loop.load %a[%i] : f32
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    loop.store %x, %b[%i] : f32
  }
  func.return
}

// The name of an argument is what the function calls it.
// CHECK-LABEL: @names
func.func @names(%image: memref<8xf32>) {
  // CHECK: shadow.region "image" [0 : 8]
  %a = loop.bind %image [0 : 8] : memref<8xf32>
  func.return
}

// Flat buffers are regions of one axis; arguments at that level have no labels.
// CHECK-LABEL: @buffers
func.func @buffers(%n: index, %A: memref<?xf32>, %i: index) {
  // CHECK: [[B:%\w+]] = shadow.region "b" [0 : %n]
  %b = memref.alloc(%n) : memref<?xf32>
  // CHECK: memref.load %A
  // CHECK-NOT: shadow.loaded
  %v = memref.load %A[%i] : memref<?xf32>
  // CHECK: [[W:%\w+]] = shadow.stored %v, [[B]][%i] : f32
  // CHECK: memref.store [[W]], %b[%i]
  memref.store %v, %b[%i] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  func.return
}
