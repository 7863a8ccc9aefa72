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

// -----

// The iterations of a tile that is masked fold under a condition: no place around it is a loop's.
// CHECK-LABEL: func.func @masked
// CHECK-NOT:     vectorized
func.func @masked(%n: index, %A: memref<?xf32>, %C: memref<1xf32>) attributes {
    te.signature = {sizes = ["n"], arrays = [
      {name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>},
      {name = "C", dtype = "float32", shape = affine_map<()[s0] -> (1)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %c = loop.bind %C [] : memref<1xf32>
  loop.for %k = 0 to 8 vectorized {
    %there = arith.cmpi slt, %k, %n : index
    scf.if %there {
      %v = loop.load %a[%k] : f32
      // expected-remark@below {{axis k is not vectorized: its iterations fold under conditions of their own, as in a last tile of tail "predicate" or "round_up", beside which whole tiles are vectorized; use tail "cut" or "guard"}}
      loop.reduce %v into %c[] : f32 combine (%x, %y) identity [0.0 : f32] {
        %z = arith.addf %x, %y : f32
        loop.yield %z : f32
      }
    }
  }
  func.return
}

// -----

// Each iteration reads the sum so far: a partial result is none.
// CHECK-LABEL: func.func @read_between
// CHECK-NOT:     vectorized
func.func @read_between(%A: memref<16xf32>, %C: memref<1xf32>, %D: memref<16xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %c = loop.bind %C [] : memref<1xf32>
  %d = loop.bind %D [0 : 16] : memref<16xf32>
  loop.for %k = 0 to 16 vectorized {
    %v = loop.load %a[%k] : f32
    // expected-remark@below {{axis k is not vectorized: its iterations use what they fold into, or compute which elements these are}}
    loop.reduce %v into %c[] : f32 combine (%x, %y) identity [0.0 : f32] {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
    %w = loop.load %c[] : f32
    loop.store %w, %d[%k] : f32
  }
  func.return
}
