// RUN: teloom-opt %s -p te-to-memref | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix MACHINE

// Code that loads and stores is code on flat buffers like any other; a C function gets the
// address of the first element of its slice, and reads and writes what it is promised to.
// CHECK-LABEL: func.func @between
// CHECK: %B = memref.alloca() {alignment = 16 : i64} : memref<4xi32>
// CHECK: %C = memref.alloca() {alignment = 16 : i64} : memref<4xi32>
// CHECK: memref.extract_aligned_pointer_as_index %B
// CHECK: memref.extract_aligned_pointer_as_index %C
// CHECK: func.call @memcpy
// CHECK: memref.load %C
// MACHINE-LABEL: llvm.func @between
// MACHINE: %[[from:.*]] = llvm.ptrtoint %B : !llvm.ptr to i64
// MACHINE: llvm.inttoptr
// MACHINE: llvm.call @memcpy
func.func private @memcpy(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
te.func @between(%A: tensor<8x8xi32>) -> (tensor<4xi32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xi32> {
    %a = te.read %A[%i, %j] : i32
    %b = arith.addi %a, %a : i32
    te.yield %b : i32
  }
  %C = te.extern "C" (%c: tensor<4xi32>) {
    %0 = te.buffer %B[5 : 1, 2 : 4] : memref<1x4xi32, strided<[?, 1], offset: ?>>
    %1 = te.buffer %c[0 : 4] : memref<4xi32>
    %base, %offset, %s0, %s1, %t0, %t1 = memref.extract_strided_metadata %0 : memref<1x4xi32, strided<[?, 1], offset: ?>> -> memref<i32>, index, index, index, index, index
    %start = "memref.extract_aligned_pointer_as_index"(%0) : (memref<1x4xi32, strided<[?, 1], offset: ?>>) -> index
    %width = arith.constant 4 : index
    %bytes = arith.muli %offset, %width : index
    %first = arith.addi %start, %bytes : index
    %from = arith.index_cast %first : index to i64
    %source = llvm.inttoptr %from : i64 to !llvm.ptr
    %goal = "memref.extract_aligned_pointer_as_index"(%1) : (memref<4xi32>) -> index
    %to = arith.index_cast %goal : index to i64
    %target = llvm.inttoptr %to : i64 to !llvm.ptr
    %size = arith.constant 16 : i64
    %end = func.call @memcpy(%target, %source, %size) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  }
  %D = te.compute "D" (%k = 4) : tensor<4xi32> {
    %c = te.read %C[%k] : i32
    te.yield %c : i32
  }
  te.return %D : tensor<4xi32>
}

// Memory of the body's own is a flat buffer as well, also where it is seen through a view: a
// store to that is no store to an input.
// CHECK-LABEL: func.func @own
// CHECK-NEXT: %total = memref.alloca() {alignment = 4 : i64} : memref<1xf32>
// CHECK: loop.for %i = 0 to 8 {
// CHECK-NEXT: %row = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// CHECK: scf.if
// CHECK: memref.store %x, %row
// CHECK: else
// CHECK: memref.store %zero, %row
te.func @own(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.extern "B" (%out: tensor<8xf32>) {
    %a = te.buffer %A[0 : 8] : memref<8xf32>
    %b = te.buffer %out[0 : 8] : memref<8xf32>
    %total = loop.realize "total" [] : !loop.tensor<0, f32>
    %zero = arith.constant 0.0 : f32
    loop.store %zero, %total[] : f32
    loop.for %i = 0 to 8 {
      %row = loop.realize "row" [0 : 4] : !loop.tensor<1, f32>
      %view = loop.buffer %row[0 : 4] : memref<4xf32>
      %x = memref.load %a[%i] : memref<8xf32>
      %positive = arith.cmpf ogt, %x, %zero : f32
      %at = arith.constant 3 : index
      scf.if %positive {
        memref.store %x, %view[%at] : memref<4xf32>
      } else {
        loop.store %zero, %row[3] : f32
      }
      %y = loop.load %row[3] : f32
      %before = loop.load %total[] : f32
      %sum = arith.addf %before, %y : f32
      loop.store %sum, %total[] : f32
      memref.store %sum, %b[%i] : memref<8xf32>
    }
  }
  te.return %B : tensor<8xf32>
}
