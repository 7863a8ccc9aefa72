// RUN: teloom-opt %s -p partition-loops | filecheck %s

// Lanes read vectors where an index is not clamped: the iterations at the borders are apart, and
// none of these asks, either.
// CHECK-LABEL: func.func @borders
func.func @borders(%A: memref<64xf32>, %C: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %c = loop.bind %C [0 : 64] : memref<64xf32>
  %first = arith.constant 0 : index
  %last = arith.constant 63 : index
  // CHECK:      loop.for %i = 0 to 2 vectorized {
  // CHECK-NOT:    arith.m
  // CHECK:        loop.load %a[%first]
  // CHECK-NOT:    arith.m
  // CHECK:      loop.for %i_1 = 2 to 63 vectorized {
  // CHECK-NEXT:   %[[AT:.*]] = affine.apply affine_map<(d0) -> ((d0 + -2))> (%i_1)
  // CHECK-NEXT:   loop.load %a[%[[AT]]]
  // CHECK:      loop.for %i_2 = 63 to 64 vectorized {
  // CHECK-NOT:    arith.m
  // CHECK:        loop.load %a[%{{.*}}]
  // CHECK:        loop.load %a[%last]
  // CHECK:        loop.store %{{.*}}, %c[63]
  loop.for %i = 0 to 64 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 - 2)> (%i)
    %below = arith.minsi %at, %last : index
    %inside = arith.maxsi %below, %first : index
    %x = loop.load %a[%inside] : f32
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %inside_too = arith.minsi %next, %last : index
    %y = loop.load %a[%inside_too] : f32
    %z = arith.addf %x, %y : f32
    loop.store %z, %c[%i] : f32
  }
  func.return
}

// What no iteration needs is gone: an element is read twice, and is never before the first one.
// CHECK-LABEL: func.func @never
// CHECK:      loop.for %i = 0 to 64 vectorized {
// CHECK-NOT:    arith.m
// CHECK:        loop.load %a
func.func @never(%A: memref<32xf32>, %C: memref<64xf32>) {
  %a = loop.bind %A [0 : 32] : memref<32xf32>
  %c = loop.bind %C [0 : 64] : memref<64xf32>
  %first = arith.constant 0 : index
  %last = arith.constant 31 : index
  loop.for %i = 0 to 64 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 2)> (%i)
    %below = arith.minsi %at, %last : index
    %inside = arith.maxsi %below, %first : index
    %x = loop.load %a[%inside] : f32
    loop.store %x, %c[%i] : f32
  }
  func.return
}

// Serial loops, and the copies of a loop, have one instruction more.
// CHECK-LABEL: func.func @serial
// CHECK:     loop.for %i = 0 to 64 {
// CHECK:       arith.maxsi
// CHECK-NOT: loop.for
func.func @serial(%A: memref<64xf32>, %C: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %c = loop.bind %C [0 : 64] : memref<64xf32>
  %first = arith.constant 0 : index
  loop.for %i = 0 to 64 {
    %at = affine.apply affine_map<(d0) -> (d0 - 2)> (%i)
    %inside = arith.maxsi %at, %first : index
    %x = loop.load %a[%inside] : f32
    loop.store %x, %c[%i] : f32
  }
  func.return
}
