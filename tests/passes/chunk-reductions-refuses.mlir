// RUN: teloom-opt %s --verify-diagnostics --split-input-file -p chunk-reductions | filecheck %s

// Without an identity no partial result can start.
// CHECK-LABEL: func.func @no_identity
// CHECK-NOT:     parallel
func.func @no_identity(%A: memref<16xf32>, %C: memref<1xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %c = loop.bind %C [] : memref<1xf32>
  loop.for %k = 0 to 16 parallel {
    %v = loop.load %a[%k] : f32
    // expected-remark@below {{axis k is not parallel: its loop.reduce says no identity, from which partial results start}}
    loop.reduce %v into %c[] : f32 combine (%x, %y) {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}

// -----

// The storage of partial results has an affine size.
// CHECK-LABEL: func.func @how_many
// CHECK-NOT:     parallel
func.func @how_many(%n: index, %m: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  %size = arith.muli %n, %m : index
  %a = loop.bind %A [0 : 16, 0 : %size] : memref<?xf32>
  %c = loop.bind %C [0 : %size] : memref<?xf32>
  loop.for %k = 0 to 16 parallel {
    loop.for %f = 0 to %size {
      %v = loop.load %a[%k, %f] : f32
      // expected-remark@below {{axis k is not parallel: it is not known which elements its iterations fold into, or how many}}
      loop.reduce %v into %c[%f] : f32 combine (%x, %y) identity [0.0 : f32] {
        %z = arith.addf %x, %y : f32
        loop.yield %z : f32
      }
    }
  }
  func.return
}
