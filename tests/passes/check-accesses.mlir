// RUN: teloom-opt %s -p check-accesses | filecheck %s

// Every array of the caller has a shadow as long as the array: what is read may be read,
// what is written holds nothing, and of an array of which nothing is said both is possible.
// CHECK-LABEL: @arguments
// CHECK-DAG: [[ANYTHING:%\w+]] = arith.constant -1 : index
// CHECK-DAG: [[GIVEN:%\w+]] = arith.constant -2 : index
// CHECK: @teloom_shadow_fill({{.*}}, [[GIVEN]])
// CHECK: @teloom_shadow_fill({{.*}}, [[ANYTHING]])
func.func @arguments(%A: memref<8xf32> {llvm.readonly}, %B: memref<8xf32>) {
  func.return
}

// Memory with views has a shadow per byte: an element of a view is several entries.
// CHECK-LABEL: @views
// CHECK: [[FOUR:%\w+]] = arith.constant 4 : index
// CHECK: [[START:%\w+]] = arith.addi {{.*}} : index
// CHECK: @teloom_shadow_write({{.*}}, [[START]], [[FOUR]], %i,
func.func @views(%i: index, %x: f32) {
  %storage = memref.alloca() : memref<64xi8>
  %0 = arith.constant 0 : index
  %b = memref.view %storage[%0][] : memref<64xi8> to memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  func.return
}

// A parallel loop runs serially, and a store looks at what earlier iterations wrote.
// CHECK-LABEL: @parallel
func.func @parallel(%x: f32) {
  %b = memref.alloca() : memref<1xf32>
  %0 = arith.constant 0 : index
  // CHECK: loop.for %i = 0 to 8 {
  loop.for %i = 0 to 8 parallel {
    %r = shadow.region "b" [%i : 1]
    %w = shadow.stored %x, %r[%i] : f32
    // CHECK: @teloom_shadow_apart
    // CHECK-NEXT: @teloom_shadow_write
    memref.store %w, %b[%0] : memref<1xf32>
  }
  func.return
}

// Memory of the iteration cannot meet another one's.
// CHECK-LABEL: @inside
// CHECK-NOT: @teloom_shadow_apart
// CHECK: func.return
func.func @inside(%x: f32) {
  %0 = arith.constant 0 : index
  loop.for %i = 0 to 8 parallel {
    %b = memref.alloca() : memref<1xf32>
    %r = shadow.region "b" [%i : 1]
    %w = shadow.stored %x, %r[%i] : f32
    memref.store %w, %b[%0] : memref<1xf32>
  }
  func.return
}
