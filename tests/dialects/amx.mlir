// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

%A, %R, %i = "test.op"() : () -> (memref<?x?xi8, strided<[?, 1]>>, memref<?xi8>, index)
%C, %S = "test.op"() : () -> (memref<?x?xi32>, memref<?xi32>)
%f, %g = "test.op"() : () -> (!amx.tile<8x32xbf16>, !amx.tile<16x32xbf16>)

// Of a matrix, or of a buffer and the distance of its rows.
// CHECK: %a = amx.tile_load %A[%i, %i] : memref<?x?xi8, strided<[?, 1]>> into !amx.tile<8x32xi8>
%a = amx.tile_load %A[%i, %i] : memref<?x?xi8, strided<[?, 1]>> into !amx.tile<8x32xi8>
// CHECK: %b = amx.tile_load %R[%i], %i {note} : memref<?xi8> into !amx.tile<8x64xi8>
%b = amx.tile_load %R[%i], %i {note} : memref<?xi8> into !amx.tile<8x64xi8>

// CHECK: %c = amx.tile_zero {note} : !amx.tile<8x16xi32>
%c = amx.tile_zero {note} : !amx.tile<8x16xi32>
// CHECK: %d = amx.tile_muli %a, %b, %c : !amx.tile<8x32xi8>, !amx.tile<8x64xi8>, !amx.tile<8x16xi32>
%d = amx.tile_muli %a, %b, %c : !amx.tile<8x32xi8>, !amx.tile<8x64xi8>, !amx.tile<8x16xi32>
// CHECK: %e = amx.tile_muli %a zext, %b zext, %d {note} : !amx.tile<8x32xi8>
%e = amx.tile_muli %a zext, %b zext, %d {note} : !amx.tile<8x32xi8>, !amx.tile<8x64xi8>, !amx.tile<8x16xi32>

// CHECK: %s = amx.tile_zero : !amx.tile<8x16xf32>
%s = amx.tile_zero : !amx.tile<8x16xf32>
// CHECK: amx.tile_mulf %f, %g, %s {note} : !amx.tile<8x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<8x16xf32>
%t = amx.tile_mulf %f, %g, %s {note} : !amx.tile<8x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<8x16xf32>

// CHECK: amx.tile_store %C[%i, %i], %e {note} : memref<?x?xi32>, !amx.tile<8x16xi32>
amx.tile_store %C[%i, %i], %e {note} : memref<?x?xi32>, !amx.tile<8x16xi32>
// CHECK: amx.tile_store %S[%i], %d, %i : memref<?xi32>, !amx.tile<8x16xi32>
amx.tile_store %S[%i], %d, %i : memref<?xi32>, !amx.tile<8x16xi32>
