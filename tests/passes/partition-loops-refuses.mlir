// RUN: not teloom-opt %s --split-input-file -p partition-loops 2>&1 | filecheck %s

// CHECK: error: partition-loops: cannot shift axis ii inwards: b[{{9|10|11}}] would be added to a second time; use tail "predicate", "guard" or "cut"
func.func @adds_twice(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  loop.for %io = 0 to 4 attributes {loop.partition = "always"} {
    loop.for %ii = 0 to min(4, %io * -4 + 13) attributes {loop.tail = "shift_inwards"} {
      %v = loop.load %a[%io * 4 + %ii] : f32
      loop.reduce %v into %b[%io * 4 + %ii] : f32 combine (%x, %y) {
        %s = arith.addf %x, %y : f32
        loop.yield %s : f32
      }
    }
  }
  func.return
}

// -----

// CHECK: error: partition-loops: cannot shift axis ii inwards: t[{{9|10|11}}] is there for one tile, and the tile before has its own
func.func @of_one_tile(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  loop.for %io = 0 to 4 attributes {loop.partition = "always"} {
    %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
    loop.for %i = %io * 4 to min(13, %io * 4 + 4) {
      %v = loop.load %a[%io] : f32
      loop.store %v, %t[%i] : f32
    }
    loop.for %ii = 0 to min(4, %io * -4 + 13) attributes {loop.tail = "shift_inwards"} {
      %w = loop.load %t[%io * 4 + %ii] : f32
      loop.store %w, %b[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// CHECK: error: partition-loops: cannot mask axis ii: its loop holds func.call, which must not run for elements that do not exist; use tail "guard" or "cut"
func.func private @next(i32) -> i32
func.func @asks(%A: memref<13xi32>) {
  %a = loop.bind %A [0 : 13] : memref<13xi32>
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, %io * -4 + 13) vectorized attributes {loop.tail = "predicate"} {
      %v = loop.load %a[%io * 4 + %ii] : i32
      %w = func.call @next(%v) : (i32) -> i32
      loop.store %w, %a[%io * 4 + %ii] : i32
    }
  }
  func.return
}

// -----

// CHECK: error: partition-loops: a bound or subscript needs the number -9223372036854775809, which does not fit into 64 bits
// CHECK-NEXT: loop.for %i = 0 to %n {
func.func @large_number(%n: index, %x: f32, %A: memref<?xf32>) {
  loop.for %i = 0 to %n {
    loop.if (%i * 4 - 9223372036854775807 - 2 >= 0) {
      memref.store %x, %A[%i] : memref<?xf32>
    }
  }
  func.return
}
