// RUN: teloom-opt %s --split-input-file -p partition-loops | filecheck %s

// A tile in a buffer of its own is as large as all are: nobody reads the elements that do not
// exist, so that only what is read from %a and written to %b is masked.
// CHECK-LABEL: func.func @in_a_buffer
func.func @in_a_buffer(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  // CHECK:      loop.for %io_1 = %n floordiv 8 to %n ceildiv 8 {
  // CHECK-NEXT:   loop.realize
  // CHECK-NEXT:   loop.for %i_1 = %io_1 * 8 to %io_1 * 8 + 8 vectorized {
  // CHECK-NEXT:     %[[THERE:.*]] = arith.cmpi slt, %i_1, %n : index
  // CHECK-NEXT:     %[[V:.*]] = scf.if %[[THERE]] -> (f32) {
  // CHECK-NEXT:       loop.load %a
  // CHECK:          loop.store %[[V]], %t
  // CHECK-NEXT:   }
  // CHECK-NEXT:   loop.for %j_1 = %io_1 * 8 to %io_1 * 8 + 8 vectorized {
  // CHECK:          %[[W:.*]] = loop.load %t
  // CHECK-NEXT:     scf.if
  // CHECK-NEXT:       loop.store %[[W]], %b
  loop.for %io = 0 to %n ceildiv 8 {
    %t = loop.realize "t" [%io * 8 : 8] : !loop.tensor<1, f32>
    loop.for %i = %io * 8 to min(%n, %io * 8 + 8) vectorized {
      %v = loop.load %a[%i] : f32
      loop.store %v, %t[%i] : f32
    }
    loop.for %j = %io * 8 to min(%n, %io * 8 + 8) vectorized {
      %w = loop.load %t[%j] : f32
      loop.store %w, %b[%j] : f32
    }
  }
  func.return
}

// -----

// Elements of a window belong to other iterations as well: what is written there is masked, too.
// CHECK-LABEL: func.func @window
func.func @window(%n: index, %B: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  %x = arith.constant 1.0 : f32
  %t = loop.realize "t" [0 : %n + 8] : !loop.tensor<1, f32>
  loop.for %k = 0 to %n + 8 {
    loop.store %x, %t[%k] : f32
  }
  // CHECK:      loop.for %io_1 = %n floordiv 8 to %n ceildiv 8 {
  // CHECK:          scf.if
  // CHECK-NEXT:       loop.store %x, %t
  loop.for %io = 0 to %n ceildiv 8 {
    loop.for %i = %io * 8 to min(%n, %io * 8 + 8) vectorized {
      loop.store %x, %t[%i] : f32
    }
  }
  loop.for %k = 0 to %n {
    %w = loop.load %t[%k + 8] : f32
    loop.store %w, %b[%k] : f32
  }
  func.return
}

// -----

// The whole of a buffer may be computed: its region is longer, and what is read is there.
// CHECK-LABEL: func.func @round_up
func.func @round_up(%x: f32, %B: memref<13xf32>) {
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %a = loop.realize "a" [0 : 16] : !loop.tensor<1, f32>
  loop.for %k = 0 to 16 {
    loop.store %x, %a[%k] : f32
  }
  %t = loop.realize "t" [0 : 16] : !loop.tensor<1, f32>
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK-NEXT:   loop.for %ii = 0 to 4 {
  // CHECK-NEXT:     loop.load
  // CHECK-NEXT:     loop.store
  loop.for %io = 0 to 4 attributes {loop.partition = "never"} {
    loop.for %ii = 0 to min(4, %io * -4 + 13) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%io * 4 + %ii] : f32
      loop.store %v, %t[%io * 4 + %ii] : f32
    }
  }
  loop.for %k = 0 to 13 {
    %w = loop.load %t[%k] : f32
    loop.store %w, %b[%k] : f32
  }
  func.return
}

// -----

// A division by 0 is 0, so extra iterations may divide by anything.
// CHECK-LABEL: func.func @divides
func.func @divides(%n: index, %B: memref<13xf32>) {
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %t = loop.realize "t" [0 : 16] : !loop.tensor<1, f32>
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK-NEXT:   loop.for %ii = 0 to 4 {
  loop.for %io = 0 to 4 attributes {loop.partition = "never"} {
    loop.for %ii = 0 to min(4, %io * -4 + 13) attributes {loop.tail = "round_up"} {
      // CHECK: arith.remsi
      %i = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%io, %ii)
      %r = arith.remsi %i, %n : index
      %f = arith.index_cast %r : index to i32
      %v = arith.sitofp %f : i32 to f32
      loop.store %v, %t[%io * 4 + %ii] : f32
    }
  }
  loop.for %k = 0 to 13 {
    %w = loop.load %t[%k] : f32
    loop.store %w, %b[%k] : f32
  }
  func.return
}

// -----

// The storage of a temporary has room for the tiles that are rounded up: so they ask nothing of it.
// Of an argument a loop reads its last element again, and lanes read and write nothing.
// CHECK-LABEL: func.func @room
func.func @room(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  // CHECK: loop.realize "t" [0 : %n + 7]
  %t = loop.realize "t" [0 : %n] : !loop.tensor<1, f32>
  // CHECK:      loop.for %io = 0 to %n ceildiv 8 {
  // CHECK-NEXT:   loop.for %ii = 0 to 8 unrolled {
  // CHECK-NEXT:     %[[END:.*]] = affine.apply
  // CHECK-NEXT:     %[[LAST:.*]] = arith.minsi %ii, %[[END]] : index
  // CHECK-NEXT:     loop.load %a[%io * 8 + %[[LAST]]]
  // CHECK-NEXT:     loop.store %{{.*}}, %t[%io * 8 + %ii]
  loop.for %io = 0 to %n ceildiv 8 {
    loop.for %ii = 0 to min(8, %n - %io * 8) unrolled attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%io * 8 + %ii] : f32
      loop.store %v, %t[%io * 8 + %ii] : f32
    }
  }
  // CHECK:      loop.for %jo_1 = %n floordiv 8 to %n ceildiv 8 {
  // CHECK-NEXT:   loop.for %ji_1 = 0 to 8 vectorized {
  // CHECK:          loop.load %t[%jo_1 * 8 + %ji_1]
  // CHECK-NEXT:     scf.if
  // CHECK-NEXT:       loop.store %{{.*}}, %b
  loop.for %jo = 0 to %n ceildiv 8 {
    loop.for %ji = 0 to min(8, %n - %jo * 8) vectorized attributes {loop.tail = "round_up"} {
      %w = loop.load %t[%jo * 8 + %ji] : f32
      loop.store %w, %b[%jo * 8 + %ji] : f32
    }
  }
  func.return
}

// -----

// Where a longer loop around has no iteration of the tile at all, there is no last element to read.
// CHECK-LABEL: func.func @no_last_one
// CHECK:       loop.for %j = 0 to 4 {
// CHECK:         scf.if
// CHECK-NEXT:      loop.load %a
func.func @no_last_one(%A: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [0 : 4, 0 : 4] : !loop.tensor<2, f32>
    loop.for %i = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      loop.for %j = 0 to min(4, 13 - %io * 4 - %i) attributes {loop.tail = "round_up"} {
        %v = loop.load %a[%j + %io * 4 + %i] : f32
        loop.store %v, %t[%i, %j] : f32
      }
    }
  }
  func.return
}

// -----

// Short vectors of which nothing is said are as long as all are, where that is of no harm. What
// else asks is little: it runs in branches of the loop, of which there is one.
// CHECK-LABEL: func.func @little_asks
func.func @little_asks(%A: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK:        loop.for %k = 0 to 100 {
  // CHECK-NEXT:     loop.for %{{.*}} = %io * 4 to %io * 4 + 4 vectorized {
  // CHECK:        loop.if (%io * -1 + 2 >= 0) {
  // CHECK-NEXT:     loop.for %ii = 0 to 4 vectorized {
  // CHECK:        } else {
  // CHECK-NEXT:     loop.for %ii_1 = 0 to 4 vectorized {
  // CHECK:            scf.if
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
    loop.for %i = %io * 4 to min(13, %io * 4 + 4) vectorized {
      loop.init %x, %t[%i] : f32
    }
    loop.for %k = 0 to 100 {
      loop.for %i = %io * 4 to min(13, %io * 4 + 4) vectorized {
        %y = arith.mulf %x, %x : f32
        %z = arith.mulf %y, %x : f32
        loop.reduce %z into %t[%i] : f32 combine (%p, %q) {
          %s = arith.addf %p, %q : f32
          loop.yield %s : f32
        }
      }
    }
    loop.for %ii = 0 to min(4, %io * -4 + 13) vectorized {
      %w = loop.load %t[%io * 4 + %ii] : f32
      loop.store %w, %a[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// The last tile begins earlier, if there is one before it.
// CHECK-LABEL: func.func @shifted
func.func @shifted(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  // CHECK:      loop.for %io_1 = %n floordiv 8 to %n ceildiv 8 {
  // CHECK-NEXT:   loop.if (%io_1 - 1 >= 0) {
  // CHECK-NEXT:     loop.for %ii_1 = %n - %io_1 * 8 - 8 to %n - %io_1 * 8 vectorized {
  // CHECK:        } else {
  // CHECK-NEXT:     loop.for %ii_2 = 0 to min(8, %n - %io_1 * 8) vectorized {
  loop.for %io = 0 to %n ceildiv 8 attributes {loop.partition = "always"} {
    loop.for %ii = 0 to min(8, %n - %io * 8) vectorized attributes {loop.tail = "shift_inwards"} {
      %v = loop.load %a[%io * 8 + %ii] : f32
      loop.store %v, %b[%io * 8 + %ii] : f32
    }
  }
  func.return
}

// -----

// What is never divided stays, and loops that are neither lanes nor copies are if they have to be.
// CHECK-LABEL: func.func @policies
func.func @policies(%A: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK-NEXT:   loop.for %ii = 0 to min(4, %io * -4 + 13) vectorized {
  loop.for %io = 0 to 4 attributes {loop.partition = "never"} {
    loop.for %ii = 0 to min(4, %io * -4 + 13) vectorized {
      loop.store %x, %a[%io * 4 + %ii] : f32
    }
  }
  // CHECK:      loop.for %jo = 0 to 3 {
  // CHECK-NEXT:   loop.for %ji = 0 to 4 {
  // CHECK:      loop.for %jo_1 = 3 to 4 {
  // CHECK-NEXT:   loop.for %ji_1 = 0 to 1 {
  loop.for %jo = 0 to 4 attributes {loop.partition = "always"} {
    loop.for %ji = 0 to min(4, %jo * -4 + 13) {
      loop.store %x, %a[%jo * 4 + %ji] : f32
    }
  }
  func.return
}

// -----

// Code of others fills the box that it takes, and no more: no lane reads beyond it.
// CHECK-LABEL: func.func @filled_by_others
// CHECK:         loop.for %ii = 0 to 4 vectorized {
// CHECK:         loop.for %ii_1 = 0 to 1 vectorized {
func.func @filled_by_others(%C: memref<13xf32>, %x: f32) {
  %c = loop.bind %C [0 : 13] : memref<13xf32>
  %u = loop.realize "u" [0 : 16] : !loop.tensor<1, f32>
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
    loop.if (%io * -1 + 2 >= 0) {
      %b = loop.buffer %t[%io * 4 : 4] : memref<4xf32, strided<[?], offset: ?>>
      loop.for %j = 0 to 4 {
        memref.store %x, %b[%j] : memref<4xf32, strided<[?], offset: ?>>
      }
    } else {
      loop.store %x, %t[12] : f32
    }
    loop.for %ii = 0 to min(4, %io * -4 + 13) vectorized {
      %v = loop.load %t[%io * 4 + %ii] : f32
      loop.store %v, %u[%io * 4 + %ii] : f32
    }
  }
  loop.for %i = 0 to 13 {
    %w = loop.load %u[%i] : f32
    loop.store %w, %c[%i] : f32
  }
  func.return
}

// -----

// What a condition keeps from reading outside in extra iterations, too, needs no mask.
// CHECK-LABEL: func.func @guarded
func.func @guarded(%B: memref<13xf32>) {
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %end = arith.constant 13 : index
  %zero = arith.constant 0.0 : f32
  %a = loop.realize "a" [0 : 13] : !loop.tensor<1, f32>
  loop.for %k = 0 to 13 {
    loop.store %zero, %a[%k] : f32
  }
  %t = loop.realize "t" [0 : 16] : !loop.tensor<1, f32>
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK-NEXT:   loop.for %ii = 0 to 4 {
  // CHECK-NEXT:     %at = affine.apply
  // CHECK-NEXT:     %holds = arith.cmpi slt, %at, %end : index
  // CHECK-NEXT:     %v = scf.if %holds -> (f32) {
  // CHECK-NEXT:       loop.load %a
  // CHECK:          loop.store %v, %t
  loop.for %io = 0 to 4 attributes {loop.partition = "never"} {
    loop.for %ii = 0 to min(4, %io * -4 + 13) attributes {loop.tail = "round_up"} {
      %at = affine.apply affine_map<(i, j) -> (i * 4 + j)> (%io, %ii)
      %holds = arith.cmpi slt, %at, %end : index
      %v = scf.if %holds -> (f32) {
        %x = loop.load %a[%io * 4 + %ii] : f32
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      loop.store %v, %t[%io * 4 + %ii] : f32
    }
  }
  loop.for %k = 0 to 13 {
    %w = loop.load %t[%k] : f32
    loop.store %w, %b[%k] : f32
  }
  func.return
}

// -----

// The first bound that is a number is the end of the tile. Those behind it are ends of what tiles
// cover, also where this one does not reach them.
// CHECK-LABEL: func.func @not_reached
func.func @not_reached(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  // CHECK:      loop.for %i = 1 to 4 vectorized {
  // CHECK-NEXT:   loop.load
  // CHECK-NEXT:   loop.store
  loop.for %i = 1 to min(4, 13) vectorized attributes {loop.tail = "predicate"} {
    %v = loop.load %a[%i] : f32
    loop.store %v, %b[%i] : f32
  }
  func.return
}

// -----

// What a later iteration of a loop around writes is not there yet: so the last element is read
// again. What an earlier one has written is.
// CHECK-LABEL: func.func @not_yet_written
func.func @not_yet_written(%A: memref<24xf32>, %B: memref<16xf32>) {
  %a = loop.bind %A [0 : 24] : memref<24xf32>
  %b = loop.bind %B [0 : 16] : memref<16xf32>
  %t = loop.realize "t" [0 : 24] : !loop.tensor<1, f32>
  %u = loop.realize "u" [0 : 3, 0 : 8] : !loop.tensor<2, f32>
  %v = loop.realize "v" [0 : 3, 0 : 8] : !loop.tensor<2, f32>
  loop.for %o = 0 to 3 attributes {loop.partition = "never"} {
    loop.for %i = 0 to 8 {
      %x = loop.load %a[%o * 8 + %i] : f32
      loop.store %x, %t[%o * 8 + %i] : f32
    }
    loop.if (1 - %o >= 0) {
      // CHECK:      loop.for %j = 0 to 8 {
      // CHECK:        %[[LAST:.*]] = arith.minsi %j
      // CHECK-NEXT:   loop.load %t[%o * 8 + %[[LAST]] + 2]
      loop.for %j = 0 to min(8, 5) attributes {loop.tail = "round_up"} {
        %x = loop.load %t[%o * 8 + %j + 2] : f32
        loop.store %x, %u[%o, %j] : f32
      }
    }
    loop.if (%o - 1 >= 0) {
      // CHECK:      loop.for %k = 0 to 8 {
      // CHECK-NEXT:   loop.load %t[%o * 8 + %k - 6]
      loop.for %k = 0 to min(8, 5) attributes {loop.tail = "round_up"} {
        %x = loop.load %t[%o * 8 + %k - 6] : f32
        loop.store %x, %v[%o, %k] : f32
      }
    }
  }
  loop.for %i = 0 to 5 {
    %x = loop.load %u[0, %i] : f32
    %y = loop.load %v[1, %i] : f32
    %z = arith.addf %x, %y : f32
    loop.store %z, %b[%i] : f32
  }
  func.return
}

// -----

// A tile of a triangle reads beyond the diagonal what is there as well: lanes are asked for where a
// row ends alone, and rows behind the last one read that again, as their lanes are as many.
// CHECK-LABEL: func.func @triangle
func.func @triangle(%A: memref<21xf32>, %B: memref<21xf32>) {
  %a = loop.bind %A [0 : 21] : memref<21xf32>
  %b = loop.bind %B [0 : 21] : memref<21xf32>
  // CHECK:      loop.for %jo = 0 to 3 parallel {
  // CHECK-NEXT:   loop.if (%jo * -1 + 1 >= 0) {
  // CHECK:          %[[LAST:.*]] = arith.minsi %ii
  // CHECK-NEXT:     loop.for %ji = 0 to 8 vectorized {
  // CHECK-NEXT:       loop.load %a[%io * 4 + %[[LAST]]]
  // CHECK-NEXT:       loop.load %b[%jo * 8 + %ji]
  // CHECK-NEXT:       arith.mulf
  // CHECK-NEXT:       loop.store
  // CHECK:        } else {
  // CHECK:          arith.minsi
  // CHECK-NEXT:     loop.for %ji_1 = 0 to 8 vectorized {
  // CHECK:            %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 * 8) + d1))>
  // CHECK-NEXT:       %[[END:.*]] = arith.constant 21
  // CHECK-NEXT:       %[[THERE:.*]] = arith.cmpi slt, %[[AT]], %[[END]]
  // CHECK-NEXT:       scf.if %[[THERE]]
  // CHECK-NEXT:         loop.load %b
  loop.for %jo = 0 to 3 parallel {
    loop.for %io = %jo * 2 to 6 {
      %t = loop.realize "t" [%io * 4 : 4, %jo * 8 : 8] : !loop.tensor<2, f32>
      loop.for %ii = 0 to min(4, 21 - %io * 4) attributes {loop.tail = "round_up"} {
        loop.for %ji = 0 to min(8, %io * 4 + %ii - %jo * 8 + 1) vectorized attributes {loop.tail = "round_up"} {
          %v = loop.load %a[%io * 4 + %ii] : f32
          %w = loop.load %b[%jo * 8 + %ji] : f32
          %x = arith.mulf %v, %w : f32
          loop.store %x, %t[%io * 4 + %ii, %jo * 8 + %ji] : f32
        }
      }
    }
  }
  func.return
}

// -----

// An extern sees the memory of a tensor: it keeps its size, and stores are masked.
// CHECK-LABEL: func.func @in_an_extern
func.func @in_an_extern(%n: index, %x: f32, %at: index) -> f32 {
  // CHECK:      loop.realize "t" [0 : %n]
  // CHECK:        %[[THERE:.*]] = arith.cmpi slt, %i
  // CHECK:        scf.if %[[THERE]] {
  // CHECK-NEXT:     loop.store %x, %t
  %t = loop.realize "t" [0 : %n] : !loop.tensor<1, f32>
  loop.for %io = 0 to %n ceildiv 4 {
    loop.for %i = %io * 4 to min(%n, %io * 4 + 4) vectorized attributes {loop.tail = "round_up"} {
      loop.store %x, %t[%i] : f32
    }
  }
  %buffer = loop.buffer %t[0 : %n] : memref<?xf32>
  %y = memref.load %buffer[%at] : memref<?xf32>
  func.return %y : f32
}

// -----

// Rows of tiles begin at the diagonal. Where rows and columns are longer, what is read may be behind
// the last row or column; what is written is behind the diagonal, and in front of the end.
// CHECK-LABEL: func.func @begins_late
func.func @begins_late(%A: memref<169xf32>, %B: memref<169xf32>) {
  %a = loop.bind %A [0 : 13, 0 : 13] : memref<169xf32>
  %b = loop.bind %B [0 : 13, 0 : 13] : memref<169xf32>
  loop.for %io = 0 to 4 {
    loop.for %jo = %io floordiv 2 to 2 {
      // CHECK:      loop.for %ii = 0 to 4 {
      // CHECK-NEXT:   loop.for %ji = 0 to 8 {
      // CHECK:          %[[BEGUN:.*]] = arith.cmpi sge, %ji, %{{.*}}
      // CHECK:          %[[ON:.*]] = arith.cmpi slt, %ji, %{{.*}}
      // CHECK-NEXT:     %[[THERE:.*]] = arith.andi %[[BEGUN]], %[[ON]]
      // CHECK:          %[[ROW:.*]] = arith.cmpi slt
      // CHECK:          %[[COLUMN:.*]] = arith.cmpi slt
      // CHECK-NEXT:     %[[INSIDE:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
      // CHECK-NEXT:     scf.if %[[INSIDE]]
      // CHECK-NEXT:       loop.load %a
      // CHECK:          scf.if %[[THERE]]
      // CHECK-NEXT:       loop.store {{.*}}, %b
      loop.for %ii = 0 to min(4, 13 - %io * 4, %jo * 8 - %io * 4 + 8) attributes {loop.tail = "round_up"} {
        loop.for %ji = max(0, %io * 4 + %ii - %jo * 8) to min(8, 13 - %jo * 8) attributes {loop.tail = "round_up"} {
          %v = loop.load %a[%io * 4 + %ii, %jo * 8 + %ji] : f32
          loop.store %v, %b[%io * 4 + %ii, %jo * 8 + %ji] : f32
        }
      }
    }
  }
  func.return
}

// -----

// Where it always has an iteration, extra ones read what the nearest iteration reads.
// CHECK-LABEL: func.func @reads_the_nearest
func.func @reads_the_nearest(%A: memref<20xf32>, %B: memref<20xf32>) {
  %a = loop.bind %A [0 : 20] : memref<20xf32>
  %b = loop.bind %B [0 : 20] : memref<20xf32>
  loop.for %i = 0 to 4 {
    // CHECK:      loop.for %j = -8 to 8 {
    // CHECK:        %[[END:.*]] = arith.minsi %j, %{{.*}}
    // CHECK:        %[[AT:.*]] = arith.maxsi %[[END]], %i
    // CHECK:        loop.load %a[%[[AT]]]
    // CHECK:        scf.if
    // CHECK-NEXT:     loop.store {{.*}}, %b[%j]
    loop.for %j = max(-8, %i) to min(8, 6 + %i) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%j] : f32
      loop.store %v, %b[%j] : f32
    }
  }
  func.return
}

// -----

// A loop around comes back to the elements of the last tile. Where it ends alike each time, it is
// masked, and can stay in registers meanwhile. Where each time begins later, stores under a mask would
// be waited for.
// CHECK-LABEL: func.func @comes_back
func.func @comes_back(%n: index, %A: memref<9xf32>, %B: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<() -> (9)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : 9] : memref<9xf32>
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  // CHECK:      loop.for %io_1 = %n floordiv 8 to %n ceildiv 8 {
  // CHECK-NEXT:   loop.for %k_2 = 0 to 4 {
  // CHECK-NEXT:     loop.for %i_1 = 0 to 8 vectorized {
  // CHECK:            scf.if %{{[0-9]+}} {
  // CHECK-NEXT:         loop.store
  // CHECK:        loop.for %k_3 = 4 to 9 {
  // CHECK-NEXT:     loop.for %j_1 = max(0, %k_3 - 4) to min(8, %n - %io_1 * 8) vectorized {
  // CHECK-NOT:        scf.if
  loop.for %io = 0 to %n ceildiv 8 {
    loop.for %k = 0 to 4 {
      loop.for %i = 0 to min(8, %n - %io * 8) vectorized {
        %v = loop.load %b[%io * 8 + %i] : f32
        %w = loop.load %a[%k] : f32
        %x = arith.addf %v, %w : f32
        loop.store %x, %b[%io * 8 + %i] : f32
      }
    }
    loop.for %k = 4 to 9 {
      loop.for %j = max(0, %k - 4) to min(8, %n - %io * 8) vectorized {
        %v = loop.load %b[%io * 8 + %j] : f32
        %w = loop.load %a[%k] : f32
        %x = arith.addf %v, %w : f32
        loop.store %x, %b[%io * 8 + %j] : f32
      }
    }
  }
  func.return
}
