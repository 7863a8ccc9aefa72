// RUN: teloom-opt %s -p storage-flatten | filecheck %s

// Symbolic extents are counted as they are.
// CHECK-LABEL: func.func @product
func.func @product(%n: index, %m: index) {
  // CHECK-NEXT: %[[SIZE:.*]] = loop.element_count [%n + %m, %m, 4096]
  // CHECK-NEXT: memref.alloc(%[[SIZE]])
  %a = loop.realize "a" [0 : %n + %m, 0 : %m, 0 : 4096] : !loop.tensor<3, f32>
  func.return
}

// A stride with gaps is made of sizes that are not negative, and does not wrap either.
// CHECK-LABEL: func.func @gaps
func.func @gaps(%n: index, %m: index, %k: index) {
  // CHECK: %[[K:.*]] = loop.element_count [%k]
  // CHECK: %[[ROW:.*]] = loop.element_count [%[[K]], %m]
  // CHECK: %[[STRIDE:.*]] = affine.apply affine_map<(d0) -> (((((d0 + 23) floordiv 32) * 32) + 8))> (%[[ROW]])
  // CHECK: %[[COUNT:.*]] = loop.element_count [%n, %[[STRIDE]]]
  // CHECK: memref.alloc(%[[COUNT]])
  %a = loop.realize "a" [0 : %n, 0 : %m, 0 : %k] aligned axis 0 factor 32 offset 8 : !loop.tensor<3, f32>
  func.return
}
