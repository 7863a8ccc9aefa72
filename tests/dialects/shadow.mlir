// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// A region has an offset and an extent per axis; one of a scalar has none.
// CHECK-LABEL: @regions
func.func @regions(%n: index) {
  // CHECK: shadow.region "b" [%n * 2 : 3, 0 : %n + 1]
  %0 = shadow.region "b" [%n * 2 : 3, 0 : %n + 1]
  // CHECK: shadow.region "s" []
  %1 = shadow.region "s" []
  func.return
}

// What is loaded and what is stored name their element in coordinates.
// CHECK-LABEL: @elements
func.func @elements(%A: memref<12xf32>, %i: index) {
  %0 = shadow.region "A" [0 : 3, 0 : 4]
  %v = memref.load %A[%i] : memref<12xf32>
  // CHECK: shadow.loaded %v, %0[%i floordiv 4, %i mod 4] by "B" : f32
  shadow.loaded %v, %0[%i floordiv 4, %i mod 4] by "B" : f32
  // CHECK: %w = shadow.stored %v, %0[2, 3] : f32
  %w = shadow.stored %v, %0[2, 3] : f32
  memref.store %w, %A[%i] : memref<12xf32>
  func.return
}
