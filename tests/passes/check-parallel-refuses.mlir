// RUN: not teloom-opt %s -p check-parallel --split-input-file 2>&1 | filecheck %s

// An iteration reads what another one writes, and two write one element.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 1 reads A[1], which i = 0 writes
func.func @reads(%data: memref<8xf32>) {
  %A = loop.bind %data [0 : 8] : memref<8xf32>
  loop.for %i = 0 to 7 parallel {
    %x = loop.load %A[%i] : f32
    loop.store %x, %A[%i + 1] : f32
  }
  func.return
}

// -----

// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 1 both write A[3]
func.func @writes(%x: f32, %A: memref<8xf32>) {
  loop.for %i = 0 to 2 parallel_dynamic {
    %three = arith.constant 3 : index
    memref.store %x, %A[%three] : memref<8xf32>
  }
  func.return
}

// -----

// With sizes, the witness says theirs.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 1 both write A[0, 0], for n = 2
func.func @sizes(%n: index, %x: f32, %data: memref<?xf32>) {
  %A = loop.bind %data [0 : %n, 0 : %n] : memref<?xf32>
  loop.for %i = 0 to %n parallel {
    loop.for %j = 0 to %n {
      loop.store %x, %A[%j, %j] : f32
    }
  }
  func.return
}

// -----

// What depends on data may be any element.
// CHECK: error: check-parallel: axis i cannot be parallel: it is not known whether two of its iterations touch the same element of A, which one of them writes
func.func @scatter(%x: f32, %I: memref<8xindex>, %A: memref<8xf32>) {
  loop.for %i = 0 to 8 parallel {
    %k = memref.load %I[%i] : memref<8xindex>
    memref.store %x, %A[%k] : memref<8xf32>
  }
  func.return
}

// -----

// Without an identity no partial result can start.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 15 both write s[]
func.func @no_identity(%A: memref<16xf32>, %data: memref<1xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %s = loop.bind %data [] : memref<1xf32>
  loop.for %i = 0 to 16 parallel {
    %v = loop.load %a[%i] : f32
    loop.reduce %v into %s[] : f32 combine (%x, %y) {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}

// -----

// Who reads a sum in front of the end needs the iterations before.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 15 both write s[]
func.func @prefix(%A: memref<16xf32>, %data: memref<1xf32>, %B: memref<16xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %b = loop.bind %B [0 : 16] : memref<16xf32>
  %s = loop.bind %data [] : memref<1xf32>
  loop.for %i = 0 to 16 parallel {
    %v = loop.load %a[%i] : f32
    loop.reduce %v into %s[] : f32 combine (%x, %y) identity [0.0 : f32] {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
    %w = loop.load %s[] : f32
    loop.store %w, %b[%i] : f32
  }
  func.return
}

// -----

// Pairs of iterations share an element.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 1 both write s[0]
func.func @pairs(%A: memref<16xf32>, %data: memref<8xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %s = loop.bind %data [0 : 8] : memref<8xf32>
  loop.for %i = 0 to 16 parallel {
    %v = loop.load %a[%i] : f32
    loop.reduce %v into %s[%i floordiv 2] : f32 combine (%x, %y) identity [0.0 : f32] {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}

// -----

// Quotients and remainders by 0 are 0, whatever is divided.
// CHECK: error: check-parallel: axis i cannot be parallel: i = {{.*}} and i = {{.*}} both write A[0, 0], for n = 0
func.func @by_zero(%n: index, %x: f32, %data: memref<64xf32>) {
  %A = loop.bind %data [0 : 8, 0 : 8] : memref<64xf32>
  loop.for %i = 0 to 8 parallel {
    %row = arith.divsi %i, %n : index
    %column = arith.remsi %i, %n : index
    loop.store %x, %A[%row, %column] : f32
  }
  func.return
}

// -----

// Iterations meet in what a maximum gives.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 1 both write A[0]
func.func @clamped(%x: f32, %A: memref<8xf32>) {
  %zero = arith.constant 0 : index
  loop.for %i = 0 to 8 parallel {
    %before = affine.apply affine_map<(d0) -> (d0 - 1)> (%i)
    %at = arith.maxsi %before, %zero : index
    memref.store %x, %A[%at] : memref<8xf32>
  }
  func.return
}

// -----

// Tensors in one memory may meet.
// CHECK: error: check-parallel: axis i cannot be parallel: it is not known whether two of its iterations touch the same element of a and b, which one of them writes
func.func @one_memory(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %b = loop.bind %A [0 : 63] strides [1] offset 1 : memref<64xf32>
  loop.for %i = 0 to 63 parallel {
    %v = loop.load %a[%i] : f32
    loop.store %v, %b[%i] : f32
  }
  func.return
}

// -----

// Partial results would not have what the loop reads of the memory into which it folds.
// CHECK: error: check-parallel: axis i cannot be parallel: i = 0 and i = 63 both write b[0]
func.func @folds_into_what_it_reads(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %b = loop.bind %A [0 : 1] strides [1] offset 5 : memref<64xf32>
  loop.for %i = 0 to 64 parallel {
    %v = loop.load %a[%i] : f32
    loop.reduce %v into %b[0] : f32 combine (%x, %y) identity [0.0 : f32] {
      %z = arith.addf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}

// -----

// Parts of a row that reach into the next one.
// CHECK: error: check-parallel: axis i cannot be parallel: it is not known whether two of its iterations touch the same element of A
func.func @parts(%n: index, %A: memref<?xf32>, %x: f32) {
  %part = affine.apply affine_map<(d0) -> (d0 ceildiv 3)> (%n)
  loop.for %i = 0 to 8 parallel {
    loop.for %outer = 0 to 3 {
      loop.for %inner = 0 to %n ceildiv 3 {
        %begin = arith.muli %outer, %part : index
        %row = arith.muli %i, %n : index
        %column = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%begin, %inner)
        %place = arith.addi %row, %column : index
        memref.store %x, %A[%place] : memref<?xf32>
      }
    }
  }
  func.return
}
