// RUN: teloom-opt %s --split-input-file -p double-buffer | filecheck %s

// The first load stands in front of a loop that runs once less; it writes copy (i + 1) mod 2 while
// copy i mod 2 is read; the last iteration stands behind.
func.func @constant(%A: memref<32xf32>, %C: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %b = memref.alloc() {loop.double_buffered} : memref<8xf32>
    loop.for %j = 0 to 8 {
      %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      %a = memref.load %A[%from] : memref<32xf32>
      memref.store %a, %b[%j] : memref<8xf32>
    }
    loop.for %k = 0 to 8 {
      %v = memref.load %b[%k] : memref<8xf32>
      %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %k)
      memref.store %v, %C[%to] : memref<32xf32>
    }
    memref.dealloc %b : memref<8xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %b = memref.alloc() : memref<16xf32>
// CHECK-NEXT:    %[[FIRST:.*]] = arith.constant 0 : index
// CHECK-NEXT:    loop.for %j = 0 to 8 {
// CHECK-NEXT:      %from = affine.apply affine_map<(d0, d1) -> (((d0 * 8) + d1))> (%[[FIRST]], %j)
// CHECK:           memref.store %a, %b[%j] : memref<16xf32>
// CHECK:         loop.for %i = 0 to 3 {
// CHECK-NEXT:      %[[NEXT:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))> (%i)
// CHECK:             affine.apply affine_map<(d0, d1) -> (((d0 * 8) + d1))> (%[[NEXT]],
// CHECK:             affine.apply affine_map<(d0, d1) -> ((d0 + (((d1 + 1) mod 2) * 8)))> (%{{.*}}, %i)
// CHECK-NEXT:        memref.store
// CHECK:             affine.apply affine_map<(d0, d1) -> ((d0 + ((d1 mod 2) * 8)))> (%{{.*}}, %i)
// CHECK-NEXT:        memref.load %b
// CHECK:         %[[LAST:.*]] = arith.constant 3 : index
// CHECK-NEXT:    loop.for
// CHECK-NEXT:      %[[AT:.*]] = affine.apply affine_map<(d0) -> ((d0 + 8))>
// CHECK-NEXT:      memref.load %b[%[[AT]]] : memref<16xf32>
// CHECK:         memref.dealloc %b : memref<16xf32>

// -----

// A size that no iteration changes is computed in front of the loop; of several bounds, one counts.
func.func @symbolic(%n: index, %m: index, %l: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  loop.for %i = max(0, %l) to min(%n, %m) {
    %size = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
    %b = memref.alloc(%size) {loop.double_buffered} : memref<?xf32>
    %a = memref.load %A[%i] : memref<?xf32>
    memref.store %a, %b[%i] : memref<?xf32>
    %v = memref.load %b[%i] : memref<?xf32>
    memref.store %v, %C[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT:    %size = affine.apply affine_map<(d0) -> ((d0 + 1))> (%n)
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %[[SIZES:.*]] = arith.muli %size, %[[TWO]] : index
// CHECK-NEXT:    %b = memref.alloc(%[[SIZES]]) : memref<?xf32>
// CHECK:         %[[LOWER:.*]] = arith.maxsi
// CHECK-NEXT:    %[[UPPER:.*]] = arith.minsi %n, %m : index
// CHECK-NEXT:    loop.if (%[[UPPER]] - %[[LOWER]] - 1 >= 0) {
// CHECK:           loop.for %i = %[[LOWER]] to %[[UPPER]] - 1 {
// CHECK:             %[[COPY:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 + (d1 * -1)) + 1) mod 2))> (%i, %[[LOWER]])
// CHECK-NEXT:        %[[START:.*]] = arith.muli %[[COPY]], %size : index
// CHECK-NEXT:        arith.addi %[[START]],

// -----

// Only what the buffer is computed from goes ahead, with memory of its own.
func.func @chain(%A: memref<32xf32>, %C: memref<32xf32>) {
  loop.for %i = 0 to 32 {
    %zero = arith.constant 0 : index
    %t = memref.alloca() : memref<1xf32>
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %t[%zero] : memref<1xf32>
    %u = memref.load %t[%zero] : memref<1xf32>
    memref.store %u, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    memref.store %v, %C[%i] : memref<32xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @chain
// CHECK:         loop.for %i = 0 to 31 {
// CHECK:           memref.alloca() : memref<1xf32>
// CHECK:           memref.load %A
// CHECK:           memref.store {{.*}}, %b
// CHECK:           memref.load %b
// CHECK:           memref.store {{.*}}, %C
// CHECK:         }
// CHECK-NOT:     memref.alloca
// CHECK-NOT:     memref.load %A
// CHECK:         memref.load %b
// CHECK:         func.return

// -----

// A loop that runs at most once has no next iteration: there is one copy.
func.func @once(%A: memref<4xf32>, %C: memref<4xf32>) {
  loop.for %i = 0 to 1 {
    %b = memref.alloca() {loop.double_buffered} : memref<4xf32>
    %a = memref.load %A[%i] : memref<4xf32>
    memref.store %a, %b[%i] : memref<4xf32>
    %v = memref.load %b[%i] : memref<4xf32>
    memref.store %v, %C[%i] : memref<4xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @once
// CHECK-NEXT:    loop.for %i = 0 to 1 {
// CHECK-NEXT:      %b = memref.alloca() : memref<4xf32>

// -----

// What an iteration writes is another element than the next one reads ahead of it.
func.func @apart(%n: index, %A: memref<?xf32>) {
  loop.for %i = 0 to %n {
    %zero = arith.constant 0 : index
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %a = memref.load %A[%i] : memref<?xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    memref.store %v, %A[%i] : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @apart
// CHECK:         loop.for %i
// CHECK:           memref.load %A
// CHECK-NOT:       memref.store {{.*}}, %A
// CHECK:           memref.load %b
// CHECK:           memref.store {{.*}}, %A

// -----

// The inner loop is first, wherever the buffers of the outer one are.
func.func @nested(%A: memref<32xf32>, %C: memref<32xf32>) {
  %zero = arith.constant 0 : index
  loop.for %i = 0 to 4 {
    loop.for %j = 0 to 8 {
      %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      %a = memref.load %A[%at] : memref<32xf32>
      memref.store %a, %b[%zero] : memref<1xf32>
      %v = memref.load %b[%zero] : memref<1xf32>
      memref.store %v, %C[%at] : memref<32xf32>
    }
    %c = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %w = memref.load %A[%i] : memref<32xf32>
    memref.store %w, %c[%zero] : memref<1xf32>
    %x = memref.load %c[%zero] : memref<1xf32>
    memref.store %x, %C[%i] : memref<32xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @nested
// CHECK:         %c = memref.alloca() {{.*}}: memref<2xf32>
// CHECK:         loop.for %i = 0 to 3 {
// CHECK:           %b = memref.alloca() {{.*}}: memref<2xf32>
// CHECK:           loop.for %j = 0 to 7 {
