// RUN: teloom-opt %s -p 'buffer-reuse{in_place=false}' | filecheck %s

// Sizes may be as far apart as they like, the smaller one first or the larger.
// CHECK-LABEL: func.func @far_apart
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<64000xi8>
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @far_apart(%x: f32, %h: i16) {
  %small = memref.alloc() : memref<32xi16>
  loop.for %i = 0 to 32 {
    memref.store %h, %small[%i] : memref<32xi16>
  }
  memref.dealloc %small : memref<32xi16>
  %large = memref.alloc() : memref<16000xf32>
  loop.for %i = 0 to 16000 {
    memref.store %x, %large[%i] : memref<16000xf32>
  }
  memref.dealloc %large : memref<16000xf32>
  %last = memref.alloc() : memref<2xf32>
  loop.for %i = 0 to 2 {
    memref.store %x, %last[%i] : memref<2xf32>
  }
  memref.dealloc %last : memref<2xf32>
  func.return
}

// A size of more bytes than 32 bits count.
// CHECK-LABEL: func.func @large
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<12000000000xi8>
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @large(%x: f32, %h: i16) {
  %p = memref.alloc() : memref<3000000000xf32>
  loop.for %i = 0 to 200 {
    memref.store %x, %p[%i] : memref<3000000000xf32>
  }
  %q = memref.alloc() : memref<3000000000xi16>
  loop.for %i = 0 to 200 {
    memref.store %h, %q[%i] : memref<3000000000xi16>
  }
  memref.dealloc %p : memref<3000000000xf32>
  memref.dealloc %q : memref<3000000000xi16>
  func.return
}

// Four bytes are not shared, five are.
// CHECK-LABEL: func.func @few
// CHECK: %a = memref.alloc() : memref<1xf32>
// CHECK: %b = memref.alloc() : memref<4xi8>
// CHECK: %c = memref.alloc() {alignment = 64 : i64} : memref<5xi8>
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @few(%i: index, %x: f32, %k: i8) {
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  memref.dealloc %a : memref<1xf32>
  %b = memref.alloc() : memref<4xi8>
  memref.store %k, %b[%i] : memref<4xi8>
  memref.dealloc %b : memref<4xi8>
  %c = memref.alloc() : memref<5xi8>
  memref.store %k, %c[%i] : memref<5xi8>
  memref.dealloc %c : memref<5xi8>
  %d = memref.alloc() : memref<5xi8>
  memref.store %k, %d[%i] : memref<5xi8>
  memref.dealloc %d : memref<5xi8>
  func.return
}
