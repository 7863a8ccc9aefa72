// RUN: teloom-opt %s -p 'buffer-reuse{in_place=false}' --split-input-file | filecheck %s

// Three stages, each smaller than the one before, take turns in two buffers, of the largest size.
// CHECK-LABEL: func.func @shrinking
// CHECK-NEXT: %[[A:.*]] = loop.element_count [%n + 4, %m]
// CHECK-NEXT: %a = memref.alloc(%[[A]])
// CHECK-NEXT: %[[B:.*]] = loop.element_count [%n + 2, %m]
// CHECK-NEXT: %b = memref.alloc(%[[B]])
// CHECK-NOT: element_count
// CHECK-NOT: memref.alloc
// CHECK: memref.load %b
// CHECK-NEXT: memref.store %{{.*}}, %a
// CHECK: memref.dealloc %b
// CHECK-NEXT: memref.dealloc %a
// CHECK-NEXT: func.return
func.func @shrinking(%n: index, %m: index, %x: f32, %C: memref<?xf32>) {
  %0 = loop.element_count [%n + 4, %m]
  %a = memref.alloc(%0) {alignment = 64 : i64} : memref<?xf32>
  %1 = loop.element_count [%n + 2, %m]
  %b = memref.alloc(%1) {alignment = 64 : i64} : memref<?xf32>
  %2 = loop.element_count [%n, %m]
  %c = memref.alloc(%2) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  loop.for %i = 0 to %n {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %b[%i] : memref<?xf32>
  }
  loop.for %i = 0 to %n {
    %v = memref.load %b[%i] : memref<?xf32>
    memref.store %v, %c[%i] : memref<?xf32>
  }
  loop.for %i = 0 to %n {
    %v = memref.load %c[%i] : memref<?xf32>
    memref.store %v, %C[%i] : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  func.return
}

// -----

// The size of a larger one that comes later is computed in front.
// CHECK-LABEL: func.func @growing
// CHECK-NEXT: %[[SIZE:.*]] = loop.element_count [%n + 8]
// CHECK-NEXT: memref.alloc(%[[SIZE]])
// CHECK-NOT: element_count
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @growing(%n: index, %x: f32) {
  %0 = loop.element_count [%n]
  %a = memref.alloc(%0) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  %1 = loop.element_count [%n + 8]
  %b = memref.alloc(%1) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n + 8 {
    memref.store %x, %b[%i] : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  func.return
}

// -----

// Of sizes that nobody can compare the larger is found at the call.
// CHECK-LABEL: func.func @unrelated
// CHECK-NEXT: %[[N:.*]] = loop.element_count [%n]
// CHECK-NEXT: %[[M:.*]] = loop.element_count [%m]
// CHECK-NEXT: %[[SIZE:.*]] = arith.maxsi %[[N]], %[[M]] : index
// CHECK-NEXT: %a = memref.alloc(%[[SIZE]])
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @unrelated(%n: index, %m: index, %x: f32) {
  %0 = loop.element_count [%n]
  %a = memref.alloc(%0) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  %1 = loop.element_count [%m]
  %b = memref.alloc(%1) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %m {
    memref.store %x, %b[%i] : memref<?xf32>
  }
  memref.dealloc %b : memref<?xf32>
  func.return
}

// -----

// Buffers of several types are views of one allocation of bytes, each of its own size.
// CHECK-LABEL: func.func @types
// CHECK-NEXT: %[[A:.*]] = loop.element_count [%n + 1]
// CHECK-NEXT: %[[B:.*]] = loop.element_count [%n]
// CHECK-NEXT: %[[BYTES_OF_A:.*]] = loop.element_count [%n + 1, 4]
// CHECK-NEXT: %[[BYTES_OF_B:.*]] = loop.element_count [%n, 8]
// CHECK-NEXT: %[[SIZE:.*]] = arith.maxsi %[[BYTES_OF_A]], %[[BYTES_OF_B]] : index
// CHECK-NEXT: %storage = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK: %a = memref.view %storage[%{{.*}}][%[[A]]] : memref<?xi8> to memref<?xf32>
// CHECK: %b = memref.view %storage[%{{.*}}][%[[B]]] : memref<?xi8> to memref<?xi64>
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @types(%n: index, %x: f32, %k: i64) {
  %0 = loop.element_count [%n + 1]
  %a = memref.alloc(%0) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  %1 = loop.element_count [%n]
  %b = memref.alloc(%1) {alignment = 64 : i64} : memref<?xi64>
  loop.for %i = 0 to %n {
    memref.store %k, %b[%i] : memref<?xi64>
  }
  memref.dealloc %b : memref<?xi64>
  func.return
}

// -----

// A size that depends on data is not known in front: its buffers share among themselves.
// CHECK-LABEL: func.func @data
// CHECK: memref.alloc(%n)
// CHECK: memref.alloc(%size)
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @data(%n: index, %x: f32, %S: memref<1xindex>) {
  %zero = arith.constant 0 : index
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  %size = memref.load %S[%zero] : memref<1xindex>
  %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %size {
    memref.store %x, %b[%i] : memref<?xf32>
  }
  memref.dealloc %b : memref<?xf32>
  %c = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %size {
    memref.store %x, %c[%i] : memref<?xf32>
  }
  memref.dealloc %c : memref<?xf32>
  func.return
}

// -----

// What a loop's iterations need alike leaves the loop; it does not stay for one that cannot.
// CHECK-LABEL: func.func @leaves_the_loop
// CHECK-NEXT: %a = memref.alloc(%n)
// CHECK-NEXT: loop.for %y = 0 to %n {
// CHECK: %size = loop.element_count [%y]
// CHECK-NEXT: memref.alloc(%size)
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @leaves_the_loop(%n: index, %x: f32) {
  loop.for %y = 0 to %n {
    %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    loop.for %i = 0 to %n {
      memref.store %x, %a[%i] : memref<?xf32>
    }
    memref.dealloc %a : memref<?xf32>
    %size = loop.element_count [%y]
    %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    loop.for %i = 0 to %y {
      memref.store %x, %b[%i] : memref<?xf32>
    }
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}
