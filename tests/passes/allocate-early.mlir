// RUN: teloom-opt %s -p allocate-early | filecheck %s

// Sizes that the arguments tell are computed, and allocated, before anything is written.
// CHECK-LABEL: @sizes
// CHECK-NEXT: %zero = arith.constant
// CHECK-NEXT: %m = affine.apply
// CHECK-NEXT: %size = arith.maxsi %m, %zero
// CHECK-NEXT: %b = memref.alloc(%size)
// CHECK-NEXT: memref.alloc() {{.*}} memref<100000xf32>
// CHECK-NEXT: memref.store
// CHECK-NEXT: %other = affine.apply
func.func @sizes(%n: index, %x: f32, %A: memref<?xf32>) {
  %zero = arith.constant 0 : index
  memref.store %x, %A[%zero] : memref<?xf32>
  %m = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
  %other = affine.apply affine_map<(d0) -> (d0 + 2)> (%n)
  %size = arith.maxsi %m, %zero : index
  %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
  memref.store %x, %b[%other] : memref<?xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<100000xf32>
  memref.store %x, %c[%other] : memref<100000xf32>
  func.return
}

// What has nothing before it that acts stays where it is.
// CHECK-LABEL: @early
// CHECK-NEXT: %b = memref.alloc(%n)
// CHECK-NEXT: %zero = arith.constant
// CHECK-NEXT: %c = memref.alloc(%n)
// CHECK-NEXT: memref.store
func.func @early(%n: index, %x: f32) {
  %b = memref.alloc(%n) : memref<?xf32>
  %zero = arith.constant 0 : index
  %c = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %c[%zero] : memref<?xf32>
  func.return
}

// A size that is read from memory is not known at entry.
// CHECK-LABEL: @size_from_data
// CHECK: memref.load
// CHECK-NEXT: memref.alloc
func.func @size_from_data(%N: memref<1xindex>) {
  %zero = arith.constant 0 : index
  %n = memref.load %N[%zero] : memref<1xindex>
  %b = memref.alloc(%n) : memref<?xf32>
  func.return
}

// Behind a buffer that is freed another one may get its memory.
// CHECK-LABEL: @one_after_another
// CHECK: memref.dealloc %b
// CHECK-NEXT: %c = memref.alloc(%n)
func.func @one_after_another(%n: index, %x: f32) {
  %zero = arith.constant 0 : index
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %b[%zero] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %c[%zero] : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  func.return
}

// Memory in a loop or a branch may never be needed.
// CHECK-LABEL: @in_a_loop
// CHECK-NEXT: loop.for
// CHECK-NEXT: memref.alloc
func.func @in_a_loop(%n: index, %x: f32) {
  loop.for %i = 0 to %n parallel {
    %b = memref.alloc(%n) : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}
