// RUN: not teloom-opt %s -p flatten-views --split-input-file 2>&1 | filecheck %s

// A row is as far behind the one before it as the view says.
// CHECK-LABEL: func.func @of_a_view
func.func @of_a_view(%A: memref<?xi8>, %i: index, %n: index) {
  %zero = arith.constant 0 : index
  %c = arith.constant 4 : index
  // CHECK: %[[AT:.*]] = affine.apply affine_map<(d0) -> ((d0 + 4))> (%i)
  // CHECK-NEXT: amx.tile_load %A[%[[AT]]], %n : memref<?xi8> into !amx.tile<16x64xi8>
  %a = memref.reinterpret_cast %A to offset: [%i], sizes: [16, 64], strides: [%n, 1]
     : memref<?xi8> to memref<16x64xi8, strided<[?, 1], offset: ?>>
  %t = amx.tile_load %a[%zero, %c] : memref<16x64xi8, strided<[?, 1], offset: ?>> into !amx.tile<16x64xi8>
  // CHECK: %[[ROW:.*]] = arith.constant 80 : index
  // CHECK-NEXT: amx.tile_store %A[%{{.*}}], %{{.*}}, %[[ROW]] : memref<?xi8>, !amx.tile<16x64xi8>
  %b = memref.reinterpret_cast %A to offset: [0], sizes: [16, 64], strides: [80, 1]
     : memref<?xi8> to memref<16x64xi8, strided<[80, 1]>>
  amx.tile_store %b[%zero, %zero], %t : memref<16x64xi8, strided<[80, 1]>>, !amx.tile<16x64xi8>
  func.return
}

// One axis of a view says nothing of rows: the op does.
// CHECK-LABEL: func.func @of_a_row
func.func @of_a_row(%A: memref<?xi8>, %i: index, %n: index) {
  // CHECK: %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%i, %n)
  // CHECK-NEXT: amx.tile_load %A[%[[AT]]], %n : memref<?xi8> into !amx.tile<16x64xi8>
  %a = memref.reinterpret_cast %A to offset: [%i], sizes: [%n], strides: [1]
     : memref<?xi8> to memref<?xi8, strided<[1], offset: ?>>
  %t = amx.tile_load %a[%n], %n : memref<?xi8, strided<[1], offset: ?>> into !amx.tile<16x64xi8>
  "test.op"(%t) : (!amx.tile<16x64xi8>) -> ()
  func.return
}

// -----

// CHECK: amx.tile_load wants rows of neighbours, not of the stride 2
func.func @apart(%A: memref<?xi8>) {
  %zero = arith.constant 0 : index
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [16, 64], strides: [128, 2]
     : memref<?xi8> to memref<16x64xi8, strided<[128, 2]>>
  %t = amx.tile_load %a[%zero, %zero] : memref<16x64xi8, strided<[128, 2]>> into !amx.tile<16x64xi8>
  "test.op"(%t) : (!amx.tile<16x64xi8>) -> ()
  func.return
}
