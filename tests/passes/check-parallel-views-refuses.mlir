// RUN: not teloom-opt %s --split-input-file -p check-parallel 2>&1 | filecheck %s

// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 reads A[3], which i = 3 writes
func.func @meet(%memory: memref<480xi8>) {
  %zero = arith.constant 0 : index
  %A = memref.view %memory[%zero][] : memref<480xi8> to memref<120xf32>
  %B = memref.view %memory[%zero][] : memref<480xi8> to memref<40xf32>
  loop.for %i = 0 to 4 parallel {
    %next = affine.apply affine_map<(d0) -> (d0 + 3)> (%i)
    %a = memref.load %A[%next] : memref<120xf32>
    memref.store %a, %B[%i] : memref<40xf32>
  }
  func.return
}

// -----

// Rows of other lengths are other places.
// CHECK: error: check-parallel: axis i cannot be parallel: it is not known whether two of its iterations touch the same element of A and B
func.func @other_rows(%memory: memref<480xi8>) {
  %zero = arith.constant 0 : index
  %A = memref.view %memory[%zero][] : memref<480xi8> to memref<10x12xf32>
  %B = memref.view %memory[%zero][] : memref<480xi8> to memref<4x10xf32>
  loop.for %i = 0 to 4 parallel {
    %next = affine.apply affine_map<(d0) -> (d0 + 4)> (%i)
    %a = memref.load %A[%next, %i] : memref<10x12xf32>
    memref.store %a, %B[%i, %i] : memref<4x10xf32>
  }
  func.return
}
