// RUN: teloom-opt %s -p lower-to-llvm --cpu sapphirerapids | filecheck %s
// RUN: teloom-opt %s -p lower-to-llvm --cpu sapphirerapids | teloom-translate - --to llvm-ir | filecheck %s --check-prefix LLVM
// RUN: not teloom-opt %s -p lower-to-llvm --cpu znver4 2>&1 | filecheck %s --check-prefix WITHOUT

// WITHOUT: lower-to-llvm: amx.tile_zero needs amx-tile, which znver4 lacks

// Shapes are rows and bytes, distances bytes. LLVM chooses registers, and says their shapes.
func.func @tiles(%i: index, %A: memref<?xi8>, %B: memref<?xbf16>, %C: memref<?xi32>, %D: memref<?xf32>) {
  %row = arith.constant 80 : index
  // CHECK-DAG: %[[ROWS:.*]] = llvm.mlir.constant(9 : i16) : i16
  // CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(64 : i16) : i16
  // CHECK: %[[C:.*]] = llvm.call_intrinsic "llvm.x86.tilezero.internal"(%[[ROWS]], %[[BYTES]]) : (i16, i16) -> !amx.tile<9x16xi32>
  // LLVM: call x86_amx @llvm.x86.tilezero.internal(i16 9, i16 64)
  %c = amx.tile_zero : !amx.tile<9x16xi32>
  // CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
  // LLVM: call x86_amx @llvm.x86.tileloadd64.internal(i16 9, i16 64, ptr
  %a = amx.tile_load %A[%i], %row : memref<?xi8> into !amx.tile<9x64xi8>
  %b = amx.tile_load %A[%i], %row : memref<?xi8> into !amx.tile<16x64xi8>
  // LLVM: call x86_amx @llvm.x86.tdpbssd.internal(i16 9, i16 64, i16 64, x86_amx
  %d = amx.tile_muli %a, %b, %c : !amx.tile<9x64xi8>, !amx.tile<16x64xi8>, !amx.tile<9x16xi32>
  // LLVM: @llvm.x86.tdpbsud.internal
  %e = amx.tile_muli %a, %b zext, %d : !amx.tile<9x64xi8>, !amx.tile<16x64xi8>, !amx.tile<9x16xi32>
  // LLVM: @llvm.x86.tdpbusd.internal
  %f = amx.tile_muli %a zext, %b, %e : !amx.tile<9x64xi8>, !amx.tile<16x64xi8>, !amx.tile<9x16xi32>
  // LLVM: @llvm.x86.tdpbuud.internal
  %g = amx.tile_muli %a zext, %b zext, %f : !amx.tile<9x64xi8>, !amx.tile<16x64xi8>, !amx.tile<9x16xi32>
  // LLVM: call void @llvm.x86.tilestored64.internal(i16 9, i16 64, ptr
  amx.tile_store %C[%i], %g, %row : memref<?xi32>, !amx.tile<9x16xi32>
  %x = amx.tile_load %B[%i], %row : memref<?xbf16> into !amx.tile<8x10xbf16>
  %y = amx.tile_load %B[%i], %row : memref<?xbf16> into !amx.tile<5x32xbf16>
  %s = amx.tile_load %D[%i], %row : memref<?xf32> into !amx.tile<8x16xf32>
  // LLVM: call x86_amx @llvm.x86.tdpbf16ps.internal(i16 8, i16 64, i16 20, x86_amx
  %t = amx.tile_mulf %x, %y, %s : !amx.tile<8x10xbf16>, !amx.tile<5x32xbf16>, !amx.tile<8x16xf32>
  amx.tile_store %D[%i], %t, %row : memref<?xf32>, !amx.tile<8x16xf32>
  func.return
}
