// RUN: teloom-opt %s -p 'buffer-reuse{in_place=false}' | filecheck %s
// RUN: teloom-opt %s -p 'buffer-reuse{share=false}' | filecheck %s --check-prefix=APART

// Five stages, each of the one before: four temporaries are two that take turns.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %t0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: memref.store %{{.*}}, %t0
// CHECK: %t1 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: memref.load %t0
// CHECK-NEXT: memref.store %{{.*}}, %t1
// CHECK: memref.load %t1
// CHECK-NEXT: memref.store %{{.*}}, %t0
// CHECK: memref.load %t0
// CHECK-NEXT: memref.store %{{.*}}, %t1
// CHECK: memref.load %t1
// CHECK-NEXT: memref.store %{{.*}}, %B
// CHECK: memref.dealloc %t0
// CHECK-NEXT: memref.dealloc %t1
// CHECK-NEXT: func.return
// APART-LABEL: func.func @chain
// APART-COUNT-4: memref.alloc()
func.func @chain(%A: memref<64xf32>, %B: memref<64xf32>) {
  %t0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %v = memref.load %A[%i] : memref<64xf32>
    memref.store %v, %t0[%i] : memref<64xf32>
  }
  %t1 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %v = memref.load %t0[%i] : memref<64xf32>
    memref.store %v, %t1[%i] : memref<64xf32>
  }
  %t2 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %v = memref.load %t1[%i] : memref<64xf32>
    memref.store %v, %t2[%i] : memref<64xf32>
  }
  %t3 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %v = memref.load %t2[%i] : memref<64xf32>
    memref.store %v, %t3[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    %v = memref.load %t3[%i] : memref<64xf32>
    memref.store %v, %B[%i] : memref<64xf32>
  }
  memref.dealloc %t0 : memref<64xf32>
  memref.dealloc %t1 : memref<64xf32>
  memref.dealloc %t2 : memref<64xf32>
  memref.dealloc %t3 : memref<64xf32>
  func.return
}

// So are those of one symbolic size.
// CHECK-LABEL: func.func @symbolic
// CHECK-COUNT-2: memref.alloc(%n)
// CHECK-NOT: memref.alloc
// CHECK: memref.store %{{.*}}, %B
// APART-LABEL: func.func @symbolic
// APART-COUNT-4: memref.alloc(%n)
func.func @symbolic(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  %t0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %t0[%i] : memref<?xf32>
  }
  %t1 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    %v = memref.load %t0[%i] : memref<?xf32>
    memref.store %v, %t1[%i] : memref<?xf32>
  }
  %t2 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    %v = memref.load %t1[%i] : memref<?xf32>
    memref.store %v, %t2[%i] : memref<?xf32>
  }
  %t3 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    %v = memref.load %t2[%i] : memref<?xf32>
    memref.store %v, %t3[%i] : memref<?xf32>
  }
  loop.for %i = 0 to %n {
    %v = memref.load %t3[%i] : memref<?xf32>
    memref.store %v, %B[%i] : memref<?xf32>
  }
  memref.dealloc %t0 : memref<?xf32>
  memref.dealloc %t1 : memref<?xf32>
  memref.dealloc %t2 : memref<?xf32>
  memref.dealloc %t3 : memref<?xf32>
  func.return
}

// Buffers of several types are views of one allocation of bytes, as large as the largest.
// CHECK-LABEL: func.func @types
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<800xi8>
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0 : index
// CHECK-NEXT: %p = memref.view %storage[%[[Z]]][] : memref<800xi8> to memref<200xf32>
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0 : index
// CHECK-NEXT: %q = memref.view %storage[%[[Z]]][] : memref<800xi8> to memref<400xi16>
// CHECK: memref.store %x, %p[
// CHECK: memref.store %h, %q[
// CHECK: memref.store %x, %p[
// CHECK: memref.dealloc %storage
// CHECK-NOT: dealloc
// CHECK: func.return
func.func @types(%x: f32, %h: i16) {
  %p = memref.alloc() {alignment = 64 : i64} : memref<200xf32>
  loop.for %i = 0 to 200 {
    memref.store %x, %p[%i] : memref<200xf32>
  }
  memref.dealloc %p : memref<200xf32>
  %q = memref.alloc() {alignment = 64 : i64} : memref<400xi16>
  loop.for %i = 0 to 400 {
    memref.store %h, %q[%i] : memref<400xi16>
  }
  memref.dealloc %q : memref<400xi16>
  %r = memref.alloc() {alignment = 64 : i64} : memref<200xf32>
  loop.for %i = 0 to 200 {
    memref.store %x, %r[%i] : memref<200xf32>
  }
  memref.dealloc %r : memref<200xf32>
  func.return
}

// A large buffer leaves room for two small ones, the second on a boundary of 64 bytes.
// CHECK-LABEL: func.func @offsets
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<400xi8>
// CHECK-NEXT: %[[A:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.view %storage[%[[A]]][] : memref<400xi8> to memref<100xf32>
// CHECK-NEXT: %[[B:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.view %storage[%[[B]]][] : memref<400xi8> to memref<33xf32>
// CHECK-NEXT: %[[C:.*]] = arith.constant 192 : index
// CHECK-NEXT: memref.view %storage[%[[C]]][] : memref<400xi8> to memref<33xf32>
// CHECK: loop.for
func.func @offsets(%x: f32) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<100xf32>
  loop.for %i = 0 to 100 {
    memref.store %x, %a[%i] : memref<100xf32>
  }
  %b = memref.alloc() {alignment = 64 : i64} : memref<33xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<33xf32>
  loop.for %i = 0 to 33 {
    memref.store %x, %b[%i] : memref<33xf32>
    memref.store %x, %c[%i] : memref<33xf32>
  }
  memref.dealloc %a : memref<100xf32>
  memref.dealloc %b : memref<33xf32>
  memref.dealloc %c : memref<33xf32>
  func.return
}

// Buffers of loops side by side share, and so do those of the two branches of a condition;
// what is needed around them does not.
// CHECK-LABEL: func.func @siblings
// CHECK-NEXT: %outer = memref.alloc()
// CHECK-NEXT: %s0 = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: memref.store %x, %s0[
// CHECK: memref.store %x, %s0[
// CHECK: memref.store %x, %s0[
// CHECK: memref.store %x, %s0[
// CHECK: memref.store %x, %outer
func.func @siblings(%x: f32) {
  loop.for %y = 0 to 8 {
    %outer = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    memref.store %x, %outer[%y] : memref<64xf32>
    loop.for %i = 0 to 8 {
      %s0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
      memref.store %x, %s0[%i] : memref<64xf32>
      memref.dealloc %s0 : memref<64xf32>
    }
    loop.for %i = 0 to 8 {
      %s1 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
      memref.store %x, %s1[%i] : memref<64xf32>
      memref.dealloc %s1 : memref<64xf32>
    }
    loop.for %i = 0 to 8 {
      loop.if (%i - 4 >= 0) {
        %s2 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
        memref.store %x, %s2[%i] : memref<64xf32>
        memref.dealloc %s2 : memref<64xf32>
      } else {
        %s3 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
        memref.store %x, %s3[%i] : memref<64xf32>
        memref.dealloc %s3 : memref<64xf32>
      }
    }
    memref.store %x, %outer[%y] : memref<64xf32>
    memref.dealloc %outer : memref<64xf32>
  }
  func.return
}

// A loop needs a buffer from its first iteration to its last, though each use is at one end.
// CHECK-LABEL: func.func @around
// CHECK-NEXT: %first = memref.alloc()
// CHECK-NEXT: %second = memref.alloc()
// CHECK-NEXT: loop.for %y
// CHECK-NEXT: memref.store %x, %first
// CHECK-NEXT: memref.store %x, %second
func.func @around(%x: f32) {
  %first = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  %second = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %y = 0 to 8 {
    memref.store %x, %first[%y] : memref<64xf32>
    memref.store %x, %second[%y] : memref<64xf32>
  }
  memref.dealloc %first : memref<64xf32>
  memref.dealloc %second : memref<64xf32>
  func.return
}

// Arguments share with nothing, however short they are needed.
// CHECK-LABEL: func.func @arguments
// CHECK: memref.store %x, %A[
// CHECK: %own = memref.alloc()
// CHECK: memref.store %x, %own[
func.func @arguments(%A: memref<64xf32>, %x: f32) {
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %own = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %own[%i] : memref<64xf32>
  }
  memref.dealloc %own : memref<64xf32>
  func.return
}
