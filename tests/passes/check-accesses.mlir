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

// What lies behind the end of the memory is not in a view of it.
// CHECK-LABEL: @too_long
// CHECK: [[BYTES:%\w+]] = arith.constant 64 : index
// CHECK: [[INSIDE:%\w+]] = arith.cmpi ult, %start, [[BYTES]] : index
// CHECK: [[ROOM:%\w+]] = affine.apply affine_map<(d0, d1) -> {{.*}}> ([[BYTES]], %start)
// CHECK: [[SOME:%\w+]] = arith.minui [[ROOM]], {{.*}} : index
// CHECK: [[SIZE:%\w+]] = arith.select [[INSIDE]], [[SOME]], {{.*}} : index
// CHECK: @teloom_shadow_write({{.*}}, %i, [[SIZE]])
func.func @too_long(%start: index, %i: index, %x: f32) {
  %storage = memref.alloca() : memref<64xi8>
  %b = memref.view %storage[%start][] : memref<64xi8> to memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  func.return
}

// A vector is looked at element by element, of those that its mask lets through; then it is
// loaded if none of them is wrong.
// CHECK-LABEL: @vectors
func.func @vectors(%A: memref<64xf32>, %i: index, %mask: vector<8xi1>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  // CHECK: scf.for [[LANE:%\w+]] =
  // CHECK: [[BIT:%\w+]] = vector.extract %mask[[[LANE]]]
  // CHECK: scf.if [[BIT]]
  // CHECK: [[AT:%\w+]] = arith.addi %i, [[LANE]] : index
  // CHECK: @teloom_shadow_read({{.*}}, [[AT]],
  // CHECK: [[AFTER:%\w+]] = memref.load %state
  // CHECK: [[RIGHT:%\w+]] = arith.cmpi eq, {{.*}}, [[AFTER]] : index
  // CHECK: scf.if [[RIGHT]] -> (vector<8xf32>)
  // CHECK: vector.maskedload
  %v = vector.maskedload %A[%i], %mask, %zero
      : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  func.return
}

// A function that another one calls has no state: nothing looks into it.
// CHECK-LABEL: @inner
// CHECK-SAME: (%A: memref<8xf32>) {
// CHECK-NOT: teloom_shadow
// CHECK-NOT: shadow.region
// CHECK: func.return
func.func private @inner(%A: memref<8xf32>) {
  %b = memref.alloca() : memref<8xf32>
  %r = shadow.region "b" [0 : 8]
  func.return
}

// CHECK-LABEL: @outer
// CHECK: func.call @inner(%A)
func.func @outer(%A: memref<8xf32>) {
  func.call @inner(%A) : (memref<8xf32>) -> ()
  func.return
}
