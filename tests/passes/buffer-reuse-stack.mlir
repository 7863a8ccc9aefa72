// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// Large buffers on the stack that are not needed together share memory.
// CHECK-LABEL: func.func @large
// CHECK-NEXT: %storage = memref.alloca() {alignment = 64 : i64} : memref<32768xi8>
// CHECK: %a = memref.view %storage
// CHECK: %b = memref.view %storage
// CHECK-NOT: alloc
// CHECK: return
func.func @large(%x: f32, %k: i16) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
    memref.store %x, %a[%y] : memref<8192xf32>
  }
  loop.for %y = 0 to 8 {
    %b = memref.alloca() {alignment = 64 : i64} : memref<8192xi16>
    memref.store %k, %b[%y] : memref<8192xi16>
  }
  func.return
}

// Those of one type are one buffer.
// CHECK-LABEL: func.func @alike
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
// CHECK-NOT: alloc
// CHECK: return
func.func @alike(%x: f32) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
    memref.store %x, %a[%y] : memref<8192xf32>
  }
  loop.for %y = 0 to 8 {
    %b = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
    memref.store %x, %b[%y] : memref<8192xf32>
  }
  func.return
}

// Small ones have memory of their own, which may become registers.
// CHECK-LABEL: func.func @small
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
func.func @small(%x: f32) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
    memref.store %x, %a[%y] : memref<1024xf32>
  }
  loop.for %y = 0 to 8 {
    %b = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
    memref.store %x, %b[%y] : memref<1024xf32>
  }
  func.return
}

// The stack and the heap share nothing.
// CHECK-LABEL: func.func @heap
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8192xf32>
func.func @heap(%x: f32) {
  %a = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
  loop.for %y = 0 to 8 {
    memref.store %x, %a[%y] : memref<8192xf32>
  }
  %b = memref.alloc() {alignment = 64 : i64} : memref<8192xf32>
  loop.for %y = 0 to 8 {
    memref.store %x, %b[%y] : memref<8192xf32>
  }
  memref.dealloc %b : memref<8192xf32>
  func.return
}

// Of what does not fit on the stack the largest are on the heap, outside of loops.
// CHECK-LABEL: func.func @too_many
// CHECK-NEXT: %large = memref.alloc() {alignment = 64 : i64} : memref<200000xf32>
// CHECK-NEXT: loop.for
// CHECK-NEXT: %a = memref.alloca() {alignment = 64 : i64} : memref<100000xf32>
// CHECK: memref.dealloc %large
// CHECK-NEXT: func.return
func.func @too_many(%x: f32) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<100000xf32>
    %large = memref.alloca() {alignment = 64 : i64} : memref<200000xf32>
    memref.store %x, %a[%y] : memref<100000xf32>
    memref.store %x, %large[%y] : memref<200000xf32>
    memref.store %x, %a[%y] : memref<100000xf32>
    memref.store %x, %large[%y] : memref<200000xf32>
  }
  func.return
}

// A function with a result could not say that there is no memory.
// CHECK-LABEL: func.func private @result
// CHECK-NEXT: memref.alloca()
func.func private @result(%i: index, %x: f32) -> f32 {
  %a = memref.alloca() {alignment = 64 : i64} : memref<300000xf32>
  memref.store %x, %a[%i] : memref<300000xf32>
  %y = memref.load %a[%i] : memref<300000xf32>
  func.return %y : f32
}
