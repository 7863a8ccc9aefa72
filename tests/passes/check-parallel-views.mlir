// RUN: teloom-opt %s -p check-parallel | filecheck %s

// Two views of one memory have their elements at the same places, whatever the first extent is.
// CHECK-LABEL: @in_place
// CHECK: loop.for %i = 0 to 4 parallel
func.func @in_place(%n: index, %memory: memref<480xi8>) {
  %zero = arith.constant 0 : index
  %begin = arith.constant 0 : index
  %A = memref.view %memory[%zero][] : memref<480xi8> to memref<10x12xf32>
  %B = memref.view %memory[%begin][%n] : memref<480xi8> to memref<?x12xf32>
  loop.for %i = 0 to 4 parallel {
    %next = affine.apply affine_map<(d0) -> (d0 + 4)> (%i)
    %a = memref.load %A[%next, %i] : memref<10x12xf32>
    memref.store %a, %B[%i, %i] : memref<?x12xf32>
  }
  func.return
}
