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

// What is divided by n is the same where its quotient and its remainder are.
// CHECK-LABEL: @divided
// CHECK: loop.for %i = 0 to %n * 5 ceildiv 64 parallel {
func.func @divided(%n: index, %data: memref<?xf32>, %x: f32) {
  %A = loop.bind %data [0 : 5, 0 : %n] : memref<?xf32>
  %one = arith.constant 1 : index
  loop.for %i = 0 to %n * 5 ceildiv 64 parallel {
    loop.for %j = 0 to min(64, %n * 5 - %i * 64) {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)> (%i, %j)
      %divisor = arith.maxsi %n, %one : index
      %row = arith.divsi %at, %divisor : index
      %again = arith.maxsi %n, %one : index
      %column = arith.remsi %at, %again : index
      loop.store %x, %A[%row, %column] : f32
    }
  }
  func.return
}

// The same in memory: columns are fewer than n, so that no two rows meet.
// CHECK-LABEL: @divided_in_memory
// CHECK: loop.for %i = 0 to %all ceildiv 64 parallel {
func.func @divided_in_memory(%n: index, %A: memref<?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.maxsi %n, %zero : index
  %all = arith.muli %rows, %rows : index
  %divisor = arith.maxsi %n, %one : index
  loop.for %i = 0 to %all ceildiv 64 parallel {
    loop.for %j = 0 to min(64, %all - %i * 64) {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)> (%i, %j)
      %row = arith.divsi %at, %divisor : index
      %column = arith.remsi %at, %divisor : index
      %start = arith.muli %row, %n : index
      %place = arith.addi %start, %column : index
      memref.store %x, %A[%place] : memref<?xf32>
    }
  }
  func.return
}

// Rows of n + 1 elements.
// CHECK-LABEL: @longer_rows
// CHECK: loop.for %i = 0 to 8 parallel {
func.func @longer_rows(%n: index, %A: memref<?xf32>, %x: f32) {
  %stride = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
  loop.for %i = 0 to 8 parallel {
    loop.for %j = 0 to %n + 1 {
      %start = arith.muli %i, %stride : index
      %place = arith.addi %start, %j : index
      memref.store %x, %A[%place] : memref<?xf32>
    }
  }
  func.return
}

// The size of a signature is not negative: then the last, partial tile has rows of its own.
// CHECK-LABEL: @rest
// CHECK: loop.for %i = 0 to 3 parallel {
func.func @rest(%n: index, %A: memref<?xf32>, %x: f32) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (3, s0)>, output}]}} {
  loop.for %i = 0 to 3 parallel {
    loop.for %tile = %n floordiv 4 to %n ceildiv 4 {
      loop.for %j = 0 to min(4, %n - %tile * 4) {
        %start = arith.muli %i, %n : index
        %column = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%tile, %j)
        %place = arith.addi %start, %column : index
        memref.store %x, %A[%place] : memref<?xf32>
      }
    }
  }
  func.return
}

// Parts of a row, of which the last one is short: they do not divide the row.
// CHECK-LABEL: @parts
// CHECK: loop.for %i = 0 to 8 parallel {
func.func @parts(%n: index, %A: memref<?xf32>, %x: f32) {
  %part = affine.apply affine_map<(d0) -> (d0 ceildiv 3)> (%n)
  loop.for %i = 0 to 8 parallel {
    loop.for %outer = 0 to 3 {
      loop.for %inner = 0 to %n ceildiv 3 {
        %begin = arith.muli %outer, %part : index
        loop.if (%n - %begin - %inner - 1 >= 0) {
          %row = arith.muli %i, %n : index
          %column = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%begin, %inner)
          %place = arith.addi %row, %column : index
          memref.store %x, %A[%place] : memref<?xf32>
        }
      }
    }
  }
  func.return
}
