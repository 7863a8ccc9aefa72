// RUN: teloom-opt %s -p buffer-reuse | filecheck %s

// Buffers that share memory are aligned as the one of them that asks for most.
// CHECK-LABEL: func.func @most
func.func @most(%x: f32, %y: i32) {
  // CHECK: %[[SHARED:.*]] = memref.alloc() {alignment = 32 : i64} : memref<4xf32>
  // CHECK-NOT: memref.alloc
  %a = memref.alloc() {alignment = 16 : i64} : memref<4xf32>
  %b = memref.alloc() {alignment = 32 : i64} : memref<4xf32>
  loop.for %i = 0 to 4 {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  loop.for %i = 0 to 4 {
    memref.store %x, %b[%i] : memref<4xf32>
  }
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  func.return
}

// Views of one piece of memory too.
// CHECK-LABEL: func.func @views
func.func @views(%x: f32, %y: i32) {
  // CHECK: memref.alloc() {alignment = 8 : i64} : memref<16xi8>
  %a = memref.alloc() {alignment = 8 : i64} : memref<4xf32>
  %b = memref.alloc() {alignment = 4 : i64} : memref<3xi32>
  loop.for %i = 0 to 4 {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  loop.for %i = 0 to 3 {
    memref.store %y, %b[%i] : memref<3xi32>
  }
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<3xi32>
  func.return
}

// One that asks for more than a line shares with its like, one that asks for nothing is
// aligned to a line.
// CHECK-LABEL: func.func @lines
func.func @lines(%x: f32) {
  // CHECK: memref.alloc() {alignment = 128 : i64} : memref<4xf32>
  // CHECK: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %a = memref.alloc() {alignment = 128 : i64} : memref<4xf32>
  %b = memref.alloc() {alignment = 4 : i64} : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  loop.for %i = 0 to 4 {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  loop.for %i = 0 to 4 {
    memref.store %x, %b[%i] : memref<4xf32>
  }
  loop.for %i = 0 to 4 {
    memref.store %x, %c[%i] : memref<4xf32>
  }
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  memref.dealloc %c : memref<4xf32>
  func.return
}

// Views of memory with longer lines begin at multiples of these.
// CHECK-LABEL: func.func @long_lines
func.func @long_lines(%x: f32, %y: i32) {
  // CHECK: %[[SHARED:.*]] = memref.alloc() {alignment = 256 : i64} : memref<752xi8>
  // CHECK: %[[SECOND:.*]] = arith.constant 512 : index
  // CHECK: %a = memref.view %[[SHARED]][%[[SECOND]]][]
  // CHECK: %[[FIRST:.*]] = arith.constant 0 : index
  // CHECK: %b = memref.view %[[SHARED]][%[[FIRST]]][]
  %a = memref.alloc() {alignment = 256 : i64} : memref<60xf32>
  %b = memref.alloc() {alignment = 256 : i64} : memref<90xf32>
  loop.for %i = 0 to 60 {
    memref.store %x, %a[%i] : memref<60xf32>
    memref.store %x, %b[%i] : memref<90xf32>
  }
  loop.for %i = 0 to 60 {
    %v = memref.load %a[%i] : memref<60xf32>
    memref.store %v, %b[%i] : memref<90xf32>
  }
  memref.dealloc %a : memref<60xf32>
  memref.dealloc %b : memref<90xf32>
  %c = memref.alloc() {alignment = 256 : i64} : memref<160xi32>
  loop.for %i = 0 to 160 {
    memref.store %y, %c[%i] : memref<160xi32>
  }
  memref.dealloc %c : memref<160xi32>
  func.return
}
