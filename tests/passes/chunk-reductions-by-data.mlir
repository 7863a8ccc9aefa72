// RUN: teloom-opt %s -p chunk-reductions --verify-diagnostics | filecheck %s

// Data says into which elements iterations fold: each chunk has partial results of all of them.
// CHECK-LABEL: func.func @histogram
// CHECK: %S_chunks = loop.realize "S.chunks" [0 : 64, 2 : 10] : !loop.tensor<2, i32>
// CHECK-NEXT: loop.for %chunk = 0 to 64 parallel {
// CHECK-NEXT: loop.for %e0 = 2 to 12 {
// CHECK: loop.init %{{.*}}, %S_chunks[%chunk, %e0] : i32
// CHECK: loop.for %r =
// CHECK: loop.reduce %one{{.*}} into %S_chunks[%chunk, %at{{.*}}] : i32
// CHECK: loop.for %e0_1 = 2 to 12 {
// CHECK-NEXT: loop.for %chunk_1 = 0 to 64 {
// CHECK-NEXT: loop.load %S_chunks[%chunk_1, %e0_1] : i32
// CHECK-NEXT: loop.reduce %{{.*}} into %S[%e0_1] : i32
func.func @histogram(%n: index, %x: memref<?xi32>, %s: memref<10xi32>) {
  %X = loop.bind %x [0 : %n] : memref<?xi32>
  %S = loop.bind %s [2 : 10] : memref<10xi32>
  loop.for %r = 0 to %n parallel {
    %one = arith.constant 1 : i32
    %v = loop.load %X[%r] : i32
    %at = arith.index_cast %v : i32 to index
    loop.reduce %one into %S[%at] : i32 combine (%a, %b) identity [0 : i32] {
      %c = arith.addi %a, %b : i32
      loop.yield %c : i32
    }
  }
  func.return
}

// Columns are apart, whatever rows data names.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: chunks
// CHECK: loop.for %q = 0 to 5 parallel {
func.func @columns(%n: index, %m: index, %x: memref<?xi32>, %s: memref<?xf32>, %v: f32) {
  %X = loop.bind %x [0 : %n] : memref<?xi32>
  %S = loop.bind %s [0 : %m, 0 : 5] : memref<?xf32>
  loop.for %q = 0 to 5 parallel {
    loop.for %r = 0 to %n {
      %i = loop.load %X[%r] : i32
      %at = arith.index_cast %i : i32 to index
      loop.reduce %v into %S[%at, %q] : f32 combine (%a, %b) identity [0.0 : f32] {
        %c = arith.addf %a, %b : f32
        loop.yield %c : f32
      }
    }
  }
  func.return
}

// Of a number of elements that is not known there are no partial results.
// CHECK-LABEL: func.func @unknown
// CHECK: loop.for %r = 0 to %n {
func.func @unknown(%n: index, %m: index, %x: memref<?xi32>, %s: memref<?xf32>, %v: f32) {
  %X = loop.bind %x [0 : %n] : memref<?xi32>
  %S = loop.bind %s [0 : %m] : memref<?xf32>
  loop.for %r = 0 to %n parallel {
    %i = loop.load %X[%r] : i32
    %at = arith.index_cast %i : i32 to index
    // expected-remark@+1 {{axis r is not parallel: data says which elements its iterations fold into}}
    loop.reduce %v into %S[%at] : f32 combine (%a, %b) identity [0.0 : f32] {
      %c = arith.addf %a, %b : f32
      loop.yield %c : f32
    }
  }
  func.return
}
