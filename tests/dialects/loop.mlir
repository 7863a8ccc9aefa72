// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// What is known of a memory: how much it holds, on which boundaries, or both.
// CHECK: loop.memory "global.vtcm" limit 1024 alignment 128
loop.memory "global.vtcm" limit 1024 alignment 128
// CHECK-NEXT: loop.memory "shared.bank" limit 64
loop.memory "shared.bank" limit 64
// CHECK-NEXT: loop.memory "local.acc" alignment 8
loop.memory "local.acc" alignment 8

// A bound is one expression, or the largest or least of several; serial is not written.
// CHECK-LABEL: @bounds
func.func @bounds(%n: index, %m: index, %data: memref<?xf32>) {
  // CHECK: loop.bind %data [0 : %n] : memref<?xf32>
  %A = loop.bind %data [0 : %n] : memref<?xf32>
  %one = arith.constant 1.0 : f32
  // CHECK: loop.for %i = 0 to %n {
  loop.for %i = 0 to %n {
    // CHECK: loop.for %j = max(0, %i - %m) to min(%n, %i + 1, %m ceildiv 2) {
    loop.for %j = max(0, %i - %m) to min(%n, %i + 1, %m ceildiv 2) {
      // CHECK: loop.store %one, %A[%i - %j] : f32
      loop.store %one, %A[%i - %j] : f32
    }
  }
  func.return
}

// CHECK-LABEL: @kinds
func.func @kinds(%x: f32, %data: memref<64xf32>) {
  %A = loop.bind %data [0 : 2, 0 : 4, 0 : 8] : memref<64xf32>
  // CHECK: loop.for %i = 0 to 2 parallel {
  loop.for %i = 0 to 2 parallel {
    // CHECK: loop.for %j = 0 to 4 unrolled {
    loop.for %j = 0 to 4 unrolled {
      // CHECK: loop.for %k = 0 to 8 vectorized {
      loop.for %k = 0 to 8 vectorized {
        loop.store %x, %A[%i, %j, %k] : f32
      }
    }
  }
  // Passes may leave attributes.
  // CHECK: loop.for %l = 0 to 3 attributes {hint = 1 : i64} {
  loop.for %l = 0 to 3 serial attributes {hint = 1 : i64} {
    loop.store %x, %A[0, 0, %l] : f32
    // CHECK: loop.store %x, %A[0, 1, %l] : f32 streamed
    loop.store %x, %A[0, 1, %l] : f32 streamed
  }
  func.return
}

// A region may lie in its storage with strides, and not from its start on.
// CHECK-LABEL: @placed
func.func @placed(%n: index, %s: index, %data: memref<?xf32>, %few: memref<13xf32>) {
  // CHECK: loop.bind %data [0 : %n, 1 : 4] strides [%s, %n * 2] offset %n + 3 : memref<?xf32>
  %A = loop.bind %data [0 : %n, 1 : 4] strides [%s, 2 * %n] offset 3 + %n : memref<?xf32>
  // CHECK: loop.bind %data [0 : %n] strides [0] : memref<?xf32>
  %B = loop.bind %data [0 : %n] strides [0] offset 0 : memref<?xf32>
  // CHECK: loop.bind %few [0 : 3, 0 : 2] strides [5, 2] : memref<13xf32>
  %C = loop.bind %few [0 : 3, 0 : 2] strides [5, 2] : memref<13xf32>
  // CHECK: loop.bind %few [0 : 2, 0 : 2] offset 9 : memref<13xf32>
  %D = loop.bind %few [0 : 2, 0 : 2] offset 9 : memref<13xf32>
  func.return
}

// A loop over blocks or threads.
// CHECK-LABEL: @threads
func.func @threads(%x: f32, %data: memref<64xf32>) {
  %A = loop.bind %data [0 : 2, 0 : 4, 0 : 8] : memref<64xf32>
  // CHECK: loop.for %i = 0 to 2 blockIdx.z {
  loop.for %i = 0 to 2 blockIdx.z {
    // CHECK: loop.for %j = 0 to 4 threadIdx.y {
    loop.for %j = 0 to 4 threadIdx.y {
      // CHECK: loop.for %k = 0 to 8 threadIdx.x attributes {hint = 1 : i64} {
      loop.for %k = 0 to 8 threadIdx.x attributes {hint = 1 : i64} {
        loop.store %x, %A[%i, %j, %k] : f32
      }
    }
  }
  func.return
}

// Equalities come first; the other branch may be left out.
// CHECK-LABEL: @branches
func.func @branches(%i: index, %j: index, %x: f32, %data: memref<9xf32>) {
  %A = loop.bind %data [0 : 9] : memref<9xf32>
  // CHECK: loop.if (%i - %j == 0, %i - 3 >= 0) {
  loop.if (%i - 3 >= 0, %i - %j == 0) {
    loop.store %x, %A[%i] : f32
  }
  // CHECK: loop.if (%i * -1 + 8 >= 0) {
  loop.if (8 - %i >= 0) {
    loop.store %x, %A[%i] : f32
  // CHECK: } else {
  } else {
    loop.store %x, %A[8] : f32
  }
  func.return
}

// Storage for a region that moves with a loop; an axis may start anywhere.
// CHECK-LABEL: @regions
func.func @regions(%n: index) {
  %one = arith.constant 1.0 : f32
  loop.for %y = 0 to %n {
    // CHECK: %b = loop.realize "b" [%y * 8 - 1 : 10, 0 : %n] : !loop.tensor<2, f32>
    %b = loop.realize "b" [%y * 8 - 1 : 10, 0 : %n] : !loop.tensor<2, f32>
    loop.store %one, %b[%y * 8 - 1, 0] : f32
    // CHECK: %c = loop.realize "c" [] : !loop.tensor<0, i1>
    %c = loop.realize "c" [] : !loop.tensor<0, i1>
    // CHECK: loop.load %c[] : i1
    %0 = loop.load %c[] : i1
  }
  func.return
}

// The memory of a region; global is not written.
// CHECK-LABEL: @scopes
func.func @scopes() {
  // CHECK: loop.realize "a" [0 : 8] in "shared" : !loop.tensor<1, f32>
  %a = loop.realize "a" [0 : 8] in "shared" : !loop.tensor<1, f32>
  // CHECK: loop.realize "b" [0 : 8] in "global.vtcm" {hint = 1 : i64} : !loop.tensor<1, f32>
  %b = loop.realize "b" [0 : 8] in "global.vtcm" {hint = 1 : i64} : !loop.tensor<1, f32>
  // CHECK: loop.realize "d" [0 : 8, 0 : 9] in "local" aligned axis 1 factor 2 offset 0, axis 0 factor 32 offset 1 : !loop.tensor<2, f32>
  %d = loop.realize "d" [0 : 8, 0 : 9] in "local" aligned axis 1 factor 2 offset 0, axis 0 factor 32 offset 1 : !loop.tensor<2, f32>
  // CHECK: loop.realize "c" [0 : 8] in "global" : !loop.tensor<1, f32>
  %c = loop.realize "c" [0 : 8] in "global" : !loop.tensor<1, f32>
  func.return
}

// Where elements lie; separators stand behind the map.
// CHECK-LABEL: @layouts
func.func @layouts(%data: memref<72xf32>) {
  // CHECK: loop.realize "a" [0 : 8, 0 : 9] layout affine_map<(d0, d1) -> (d1, d0)> : !loop.tensor<2, f32>
  %a = loop.realize "a" [0 : 8, 0 : 9] layout affine_map<(d0, d1) -> (d1, d0)> : !loop.tensor<2, f32>
  // CHECK: loop.realize "b" [0 : 8, 0 : 9] in "global.texture" aligned axis 0 factor 2 offset 1 layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))> separators [1, 2] {hint = 1 : i64} : !loop.tensor<2, f32>
  %b = loop.realize "b" [0 : 8, 0 : 9] in "global.texture" aligned axis 0 factor 2 offset 1 layout affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)> separators [1, 2] {hint = 1 : i64} : !loop.tensor<2, f32>
  // CHECK: loop.realize "e" [0 : 8, 0 : 9] folded axis 1 factor 3, axis 0 factor 2 : !loop.tensor<2, f32>
  %e = loop.realize "e" [0 : 8, 0 : 9] folded axis 1 factor 3, axis 0 factor 2 : !loop.tensor<2, f32>
  // CHECK: loop.realize "d" [0 : 8] layout affine_map<(d0) -> ((d0 * 2))> double_buffered {hint = 1 : i64} : !loop.tensor<1, f32>
  %d = loop.realize "d" [0 : 8] layout affine_map<(d0) -> (d0 * 2)> double_buffered {hint = 1 : i64} : !loop.tensor<1, f32>
  // CHECK: loop.bind %data [0 : 8, 0 : 9] layout affine_map<(d0, d1) -> (d1, (d0 * 2))> : memref<72xf32>
  %c = loop.bind %data [0 : 8, 0 : 9] layout affine_map<(d0, d1) -> (d1, 2 * d0)> : memref<72xf32>
  // CHECK: loop.realize "l" [0 : 2, 0 : 8, 0 : 8] layout affine_map<(d0, d1, d2) -> (d0, d2, d1)> separators [1] packed lower double_buffered : !loop.tensor<3, f32>
  %l = loop.realize "l" [0 : 2, 0 : 8, 0 : 8] layout affine_map<(d0, d1, d2) -> (d0, d2, d1)> separators [1] packed lower double_buffered : !loop.tensor<3, f32>
  // CHECK: loop.bind %data [0 : 8, 0 : 8] layout affine_map<(d0, d1) -> (d0, d1)> packed upper offset 2 : memref<72xf32>
  %u = loop.bind %data [0 : 8, 0 : 8] layout affine_map<(d0, d1) -> (d0, d1)> packed upper offset 2 : memref<72xf32>
  func.return
}

// CHECK-LABEL: @accesses
func.func @accesses(%i: index, %data: memref<12xbf16>) -> bf16 {
  // CHECK: loop.bind %data [-1 : 3, %i : 4] : memref<12xbf16>
  %A = loop.bind %data [-1 : 3, %i : 4] : memref<12xbf16>
  // CHECK: loop.load %A[%i floordiv 3 mod 2, %i + 1] : bf16
  %a = loop.load %A[%i floordiv 3 mod 2, %i + 1] : bf16
  func.return %a : bf16
}

// A box of a region as a buffer, with what it asks of its memory.
// CHECK-LABEL: func.func @buffer
func.func @buffer(%i: index, %n: index, %A: memref<?xf32>) {
  %a = loop.bind %A [0 : %n, 0 : 4] : memref<?xf32>
  // CHECK: loop.buffer %a[%i * 2 : 2, 0 : 4] aligned 4 factor 8 {note} : memref<2x4xf32, strided<[4, 1], offset: ?>>
  %b = loop.buffer %a[2 * %i : 2, 0 : 4] aligned 4 factor 8 {note} : memref<2x4xf32, strided<[4, 1], offset: ?>>
  func.return
}

// CHECK-LABEL: func.func @count
func.func @count(%n: index, %m: index) -> index {
  // CHECK: loop.element_count [%n floordiv 2 + 4, %m, 16] {note}
  %count = loop.element_count [%n floordiv 2 + 4, %m, 16] {note}
  func.return %count : index
}

// Products of neighbours, by lanes.
// CHECK-LABEL: func.func @dot
func.func @dot(%a: vector<8xi8>, %b: vector<8xi8>, %s: vector<2xi32>) -> vector<2xi32> {
  // CHECK: loop.dot unsigned %a, %b into %s : vector<8xi8>, vector<8xi8>, vector<2xi32>
  %t = loop.dot unsigned %a, %b into %s : vector<8xi8>, vector<8xi8>, vector<2xi32>
  // CHECK-NEXT: loop.dot unsigned %a, unsigned %b into %t {note} : vector<8xi8>
  %u = loop.dot unsigned %a, unsigned %b into %t {note} : vector<8xi8>, vector<8xi8>, vector<2xi32>
  func.return %u : vector<2xi32>
}

// CHECK-LABEL: func.func @dot_of_floats
func.func @dot_of_floats(%a: vector<4xbf16>, %s: vector<2xf32>) -> vector<2xf32> {
  // CHECK: loop.dot %a, %a into %s : vector<4xbf16>, vector<4xbf16>, vector<2xf32>
  %t = loop.dot %a, %a into %s : vector<4xbf16>, vector<4xbf16>, vector<2xf32>
  func.return %t : vector<2xf32>
}

// An element that is wanted near.
// CHECK-LABEL: func.func @prefetch
func.func @prefetch(%i: index, %A: memref<12xi1>) {
  %a = loop.bind %A [0 : 3, 0 : 4] : memref<12xi1>
  // CHECK: loop.prefetch %a[%i + 1, 0] : i1
  loop.prefetch %a[1 + %i, 0] : i1
  func.return
}

// CHECK-LABEL: @reduction
func.func @reduction(%i: index, %x: f32, %n: i32, %data: memref<8xf32>, %count: memref<8xi32>) {
  %A = loop.bind %data [0 : 8] : memref<8xf32>
  %N = loop.bind %count [0 : 8] : memref<8xi32>
  // CHECK: loop.init %x, %A[%i + 1] : f32
  loop.init %x, %A[1 + %i] : f32
  // CHECK-NEXT: loop.reduce %x into %A[%i + 1] : f32 combine (%p, %q) {
  // CHECK-NEXT:   %s = arith.addf %p, %q : f32
  // CHECK-NEXT:   loop.yield %s : f32
  // CHECK-NEXT: }
  loop.reduce %x into %A[1 + %i] : f32 combine (%p, %q) {
    %s = arith.addf %p, %q : f32
    loop.yield %s : f32
  }
  // CHECK-NEXT: loop.reduce %x, %n into %A, %N[7] : f32, i32 combine (%p_1, %k, %q_1, %l) identity [0xff800000 : f32, -1 : i32] {
  // CHECK-NEXT:   loop.yield %q_1, %k : f32, i32
  // CHECK-NEXT: } {hint = 1 : i64}
  loop.reduce %x, %n into %A, %N[7] : f32, i32 combine (%p, %k, %q, %l) identity [0xff800000 : f32, -1 : i32] {
    loop.yield %q, %k : f32, i32
  } {hint = 1 : i64}
  func.return
}
