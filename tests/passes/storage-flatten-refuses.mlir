// RUN: not teloom-opt %s -p 'storage-flatten' --split-input-file 2>&1 | filecheck %s

// A region that another op uses.
// CHECK: error: storage-flatten: test.op uses a tensor region; storage-flatten knows loop.load, loop.store, loop.prefetch and loop.buffer
func.func @passed_on(%A: memref<4xf32>) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  "test.op"(%a) : (!loop.tensor<1, f32>) -> ()
  func.return
}

// -----

// A buffer that is larger than memory is.
// CHECK: error: storage-flatten: a buffer of 18446744073709551616 elements of 4 bytes is too large
func.func @too_many_elements() {
  %a = loop.realize "a" [0 : 4294967296, 0 : 4294967296] : !loop.tensor<2, f32>
  func.return
}

// -----

// One whose elements fit into 64 bits, but not its bytes.
// CHECK: error: storage-flatten: a buffer of 4611686018427387904 elements of 8 bytes is too large
func.func @too_many_bytes(%n: index) {
  %a = loop.realize "a" [0 : %n, 0 : 4611686018427387904] : !loop.tensor<2, f64>
  func.return
}

// -----

// CHECK: error: storage-flatten: a buffer of 4294967296000000000 elements of 4 bytes is too large
func.func @too_large_an_array(%n: index, %A: memref<?xf32>) {
  %a = loop.bind %A [0 : 4294967296, 0 : %n, 0 : 1000000000] : memref<?xf32>
  func.return
}

// -----

// An empty region may still have strides that are too large.
// CHECK: error: storage-flatten: axis 0 has stride 18446744073709551616, which no buffer has
func.func @too_large_a_stride(%A: memref<?xf32>) {
  %a = loop.bind %A [0 : 0, 0 : 4294967296, 0 : 4294967296] : memref<?xf32>
  func.return
}

// -----

// CHECK: error: storage-flatten: axis 1 has stride 9223372036854775807, which no buffer has
func.func @too_large_a_given_stride(%A: memref<?xf32>) {
  %a = loop.bind %A [0 : 2, 0 : 4] strides [4, 9223372036854775807] : memref<?xf32>
  func.return
}

// -----

// CHECK: error: storage-flatten: no stride is a multiple of 2199023255552
func.func @too_large_a_factor(%n: index) {
  %a = loop.realize "a" [0 : 2, 0 : %n] aligned axis 0 factor 2199023255552 offset 0 : !loop.tensor<2, f32>
  func.return
}

// -----

// An extent whose value may wrap, for sizes that a call may have.
// CHECK: error: storage-flatten: the extent of axis 0 may not fit into 64 bits, for a size up to 1099511627776; its factors are too large
func.func @too_large_an_extent(%n: index) {
  %a = loop.realize "a" [0 : 4194304 * %n] : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: error: storage-flatten: a bound or subscript needs the number 9223372036854775808, which does not fit into 64 bits
// CHECK-NEXT: %b = loop.bind
func.func @large_factor(%data: memref<8xf32>) {
  %b = loop.bind %data [0 : 8] layout affine_map<(d0) -> (d0 mod 3, d0 * 9223372036854775807 + d0)> : memref<8xf32>
  func.return
}
