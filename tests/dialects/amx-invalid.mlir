// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: 17 rows of a tile; it has 1 to 16
%a = "test.op"() : () -> !amx.tile<17x64xi8>

// -----

// CHECK: 0 rows of a tile; it has 1 to 16
%a = "test.op"() : () -> !amx.tile<0x64xi8>

// -----

// CHECK: rows of 62 bytes; those of a tile have a multiple of 4, at most 64
%a = "test.op"() : () -> !amx.tile<1x62xi8>

// -----

// CHECK: rows of 128 bytes; those of a tile have a multiple of 4, at most 64
%a = "test.op"() : () -> !amx.tile<16x32xf32>

// -----

// CHECK: a tile of i16; it may be of i8, bf16, i32, f32
%a = "test.op"() : () -> !amx.tile<16x32xi16>

// -----

// CHECK: 1 indices for memref<?x?xi8>
%A, %i = "test.op"() : () -> (memref<?x?xi8>, index)
%a = amx.tile_load %A[%i] : memref<?x?xi8> into !amx.tile<16x64xi8>

// -----

// CHECK: memref<?xi8> is no matrix; a buffer of one axis needs the distance of its rows
%A, %i = "test.op"() : () -> (memref<?xi8>, index)
%a = amx.tile_load %A[%i] : memref<?xi8> into !amx.tile<16x64xi8>

// -----

// CHECK: memref<?x?xi8> is no matrix
%A, %i = "test.op"() : () -> (memref<?x?xi8>, index)
%a = amx.tile_load %A[%i, %i], %i : memref<?x?xi8> into !amx.tile<16x64xi8>

// -----

// CHECK: !amx.tile<16x16xi32> and memref<?x?xf32> have other elements
%A, %i, %t = "test.op"() : () -> (memref<?x?xf32>, index, !amx.tile<16x16xi32>)
amx.tile_store %A[%i, %i], %t : memref<?x?xf32>, !amx.tile<16x16xi32>

// -----

// CHECK: amx.tile_muli adds products of i8 to sums of i32
%a, %c = "test.op"() : () -> (!amx.tile<16x32xbf16>, !amx.tile<16x16xf32>)
%d = amx.tile_muli %a, %a, %c : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>

// -----

// CHECK: amx.tile_mulf adds products of bf16 to sums of f32
%a, %b, %c = "test.op"() : () -> (!amx.tile<16x32xbf16>, !amx.tile<16x64xi8>, !amx.tile<16x16xf32>)
%d = amx.tile_mulf %a, %b, %c : !amx.tile<16x32xbf16>, !amx.tile<16x64xi8>, !amx.tile<16x16xf32>

// -----

// CHECK: !amx.tile<8x16xi32> for !amx.tile<8x64xi8> times !amx.tile<8x64xi8>, which are 8 x 64 and 32 x 16
%a, %c = "test.op"() : () -> (!amx.tile<8x64xi8>, !amx.tile<8x16xi32>)
%d = amx.tile_muli %a, %a, %c : !amx.tile<8x64xi8>, !amx.tile<8x64xi8>, !amx.tile<8x16xi32>
