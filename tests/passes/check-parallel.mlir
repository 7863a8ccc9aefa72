// RUN: teloom-opt %s -p check-parallel | filecheck %s

// Each iteration has a row for itself, reads what none writes, and makes a buffer of its own.
// CHECK-LABEL: @rows
// CHECK: loop.for %i = 0 to %n parallel {
func.func @rows(%n: index, %A: memref<?xf32>, %data: memref<?xf32>) {
  %C = loop.bind %data [0 : %n, 0 : %n] : memref<?xf32>
  loop.for %i = 0 to %n parallel {
    %b = memref.alloca() : memref<1xf32>
    %zero = arith.constant 0 : index
    loop.for %j = 0 to %n {
      %a = memref.load %A[%j] : memref<?xf32>
      memref.store %a, %b[%zero] : memref<1xf32>
      %v = memref.load %b[%zero] : memref<1xf32>
      loop.store %v, %C[%i, %j] : f32
    }
  }
  func.return
}

// Odd and even elements never meet.
// CHECK-LABEL: @apart
// CHECK: loop.for %i = 0 to 16 parallel_dynamic {
func.func @apart(%A: memref<33xf32>) {
  loop.for %i = 0 to 16 parallel_dynamic {
    %even = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %odd = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%i)
    %a = memref.load %A[%even] : memref<33xf32>
    memref.store %a, %A[%odd] : memref<33xf32>
  }
  func.return
}

// A reduction that states its identity can fold into partial results first.
// CHECK-LABEL: @sum
// CHECK: loop.for %i = 0 to 16 parallel {
func.func @sum(%A: memref<16xf32>, %data: memref<1xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %s = loop.bind %data [] : memref<1xf32>
  loop.for %i = 0 to 16 parallel {
    %v = loop.load %a[%i] : f32
    loop.reduce %v into %s[] : f32 combine (%x, %y) identity [0.0 : f32] {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}
