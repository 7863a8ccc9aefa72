// RUN: teloom-opt %s --verify-diagnostics --split-input-file -p privatize-reductions | filecheck %s

// Partial results of 4096 elements do not fit registers: the axis stays serial.
// CHECK-LABEL: func.func @many
// CHECK-NOT:     vectorized
func.func @many(%A: memref<65536xf32>, %C: memref<4096xf32>) {
  %a = loop.bind %A [0 : 16, 0 : 4096] : memref<65536xf32>
  %c = loop.bind %C [0 : 4096] : memref<4096xf32>
  loop.for %k = 0 to 16 vectorized {
    loop.for %i = 0 to 4096 {
      %v = loop.load %a[%k, %i] : f32
      // expected-remark@below {{axis k is not vectorized: registers do not hold a partial result per lane for all elements that a lane folds into; reorder its loop inside of those over data axes, or split these}}
      loop.reduce %v into %c[%i] : f32 combine (%x, %y) identity [0.0 : f32] {
        %z = arith.addf %x, %y : f32
        loop.yield %z : f32
      }
    }
  }
  func.return
}

// -----

// Without an identity no partial result can start.
// CHECK-LABEL: func.func @no_identity
// CHECK-NOT:     vectorized
func.func @no_identity(%A: memref<16xf32>, %C: memref<1xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %c = loop.bind %C [] : memref<1xf32>
  loop.for %k = 0 to 16 vectorized {
    %v = loop.load %a[%k] : f32
    // expected-remark@below {{axis k is not vectorized: its loop.reduce says no identity, from which partial results start}}
    loop.reduce %v into %c[] : f32 combine (%x, %y) {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}
