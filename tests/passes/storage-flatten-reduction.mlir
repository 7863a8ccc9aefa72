// RUN: teloom-opt %s --split-input-file -p storage-flatten | filecheck %s

// Both elements are loaded before either result is stored.
// CHECK-LABEL: func.func @argmax
// CHECK:         loop.for %k = 0 to 8 {
// CHECK:           %[[V:.*]] = memref.load %A[%k]
// CHECK-NEXT:      %[[W:.*]] = arith.constant 0 : index
// CHECK-NEXT:      %[[P:.*]] = memref.load %I[%[[W]]]
// CHECK-NEXT:      %[[X:.*]] = arith.constant 0 : index
// CHECK-NEXT:      %[[M:.*]] = memref.load %M[%[[X]]]
// CHECK-NEXT:      %more = arith.cmpf ogt, %[[V]], %[[M]] : f32
// CHECK-NEXT:      %at = arith.select %more, %index, %[[P]] : i32
// CHECK-NEXT:      %of = arith.select %more, %[[V]], %[[M]] : f32
// CHECK:           memref.store %at, %I
// CHECK:           memref.store %of, %M
func.func @argmax(%A: memref<8xf32>, %I: memref<1xi32>, %M: memref<1xf32>) {
  %a = loop.bind %A [0 : 8] : memref<8xf32>
  %i = loop.bind %I [] : memref<1xi32>
  %m = loop.bind %M [] : memref<1xf32>
  loop.for %k = 0 to 8 {
    %index = arith.index_cast %k : index to i32
    %v = loop.load %a[%k] : f32
    loop.reduce %index, %v into %i, %m[] : i32, f32 combine (%p, %x, %q, %y) {
      %more = arith.cmpf ogt, %y, %x : f32
      %at = arith.select %more, %q, %p : i32
      %of = arith.select %more, %y, %x : f32
      loop.yield %at, %of : i32, f32
    }
  }
  func.return
}

// -----

// What the region yields may be a value from outside, or an argument of its own.
// CHECK-LABEL: func.func @last
// CHECK:         memref.store %v, %M
// CHECK-NOT:     memref.store
func.func @last(%v: f32, %M: memref<1xf32>) {
  %m = loop.bind %M [] : memref<1xf32>
  loop.reduce %v into %m[] : f32 combine (%x, %y) {
    loop.yield %y : f32
  }
  func.return
}
