// RUN: teloom-opt %s --split-input-file -p partition-loops | filecheck %s

// The last tile begins earlier, with the sums that are kept for it: so all tiles are whole. Loops of
// a tile begin with it, whether they count from 0 or from a point of the axis.
// CHECK-LABEL: func.func @sums
func.func @sums(%A: memref<104xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13, 0 : 8] : memref<104xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %zero = arith.constant 0.0 : f32
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK-NEXT:   %begin = affine.min affine_map<(d0) -> ((d0 * 4), 9)> (%io)
  // CHECK-NEXT:   %t = loop.realize "t" [%begin : 4]
  // CHECK-NEXT:   loop.for %i = %begin to %begin + 4 unrolled {
  // CHECK-NEXT:     loop.init %zero, %t[%i]
  // CHECK-NEXT:     loop.for %k = 0 to 8 {
  // CHECK-NEXT:       loop.load %a[%i, %k]
  // CHECK:        loop.for %ii = %begin - %io * 4 to %begin - %io * 4 + 4 {
  // CHECK-NEXT:     loop.load %t[%io * 4 + %ii]
  // CHECK-NEXT:     loop.store %{{.*}}, %b[%io * 4 + %ii]
  // CHECK-NOT:  loop.for
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
    loop.for %i = %io * 4 to min(13, %io * 4 + 4) unrolled {
      loop.init %zero, %t[%i] : f32
      loop.for %k = 0 to 8 {
        %v = loop.load %a[%i, %k] : f32
        loop.reduce %v into %t[%i] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "shift_inwards"} {
      %w = loop.load %t[%io * 4 + %ii] : f32
      loop.store %w, %b[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// A tile that reads two elements per point takes its window along, twice as far. What a condition or
// a division asks follows from the axis.
// CHECK-LABEL: func.func @window
func.func @window(%A: memref<27xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 27] : memref<27xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  // CHECK:        %t = loop.realize "t" [%begin * 2 : 9]
  // CHECK-NEXT:   loop.for %x = %begin * 2 to %begin * 2 + 9 {
  // CHECK:        loop.for %ii = %begin - %io * 4 to %begin - %io * 4 + 4 {
  // CHECK-NEXT:     loop.load %t[%io * 8 + %ii * 2]
  // CHECK-NEXT:     loop.load %a[%io * 2 + %ii floordiv 2]
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 8 : 9] : !loop.tensor<1, f32>
    loop.for %x = %io * 8 to min(27, %io * 8 + 9) {
      %v = loop.load %a[%x] : f32
      loop.store %v, %t[%x] : f32
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %w = loop.load %t[%io * 8 + %ii * 2] : f32
      %h = loop.load %a[%io * 2 + %ii floordiv 2] : f32
      %s = arith.addf %w, %h : f32
      loop.store %s, %b[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// A temporary has room for a tile that is rounded up, which therefore does nothing twice.
// CHECK-LABEL: func.func @has_room
// CHECK-NOT: %begin
func.func @has_room(%x: f32, %B: memref<13xf32>) {
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %t = loop.realize "t" [0 : 13] : !loop.tensor<1, f32>
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      loop.store %x, %t[%io * 4 + %ii] : f32
    }
  }
  loop.for %k = 0 to 13 {
    %w = loop.load %t[%k] : f32
    loop.store %w, %b[%k] : f32
  }
  func.return
}

// -----

// A tile that has moved is known to end with the axis: nothing in it asks for that.
// CHECK-LABEL: func.func @asks_nothing
// CHECK:         loop.for %ii = %begin - %io * 4 to %begin - %io * 4 + 4 unrolled {
// CHECK-NOT:       arith.minsi
// CHECK:           loop.load %a[%i]
func.func @asks_nothing(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %last = arith.constant 12 : index
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) unrolled attributes {loop.tail = "shift_inwards"} {
      %i = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%io, %ii)
      %at = arith.minsi %i, %last : index
      %v = loop.load %a[%at] : f32
      loop.store %v, %b[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// One that an extern sees keeps its size.
// CHECK-LABEL: func.func @has_no_room
// CHECK:         loop.for %ii = %begin - %io * 4 to %begin - %io * 4 + 4 {
func.func @has_no_room(%x: f32) {
  %t = loop.realize "t" [0 : 13] : !loop.tensor<1, f32>
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      loop.store %x, %t[%io * 4 + %ii] : f32
    }
  }
  %buffer = loop.buffer %t[0 : 13] : memref<13xf32>
  func.call @extern(%buffer) : (memref<13xf32>) -> ()
  func.return
}
func.func private @extern(memref<13xf32>)

// -----

// What must not run twice, or would not move with its tile, does not: a sum in an argument, what the
// tile reads and writes, an element that all points write, a number of the tile itself, a place in
// the tile, a remainder by more than the tile, blocks in memory, a tile that may be too short.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: %begin
func.func @stays(%n: index, %A: memref<16xf32>, %B: memref<13xf32>, %C: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (16)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (13)>, output}, {name = "C", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %c = loop.bind %C [0 : %n] : memref<?xf32>
  %p = loop.realize "p" [0 : 13] layout affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)> : !loop.tensor<1, f32>
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%io * 4 + %ii] : f32
      loop.reduce %v into %b[%io * 4 + %ii] : f32 combine (%x, %y) {
        %s = arith.addf %x, %y : f32
        loop.yield %s : f32
      }
    }
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %b[12 - %io * 4 - %ii] : f32
      loop.store %v, %b[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%io * 4 + %ii] : f32
      loop.store %v, %b[0] : f32
    }
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%io] : f32
      loop.store %v, %b[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%ii] : f32
      loop.store %v, %b[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[(%io * 4 + %ii) mod 3] : f32
      %w = loop.load %a[%io mod 2 * 4 + %ii] : f32
      %s = arith.addf %v, %w : f32
      loop.store %s, %b[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %a[%io * 4 + %ii] : f32
      loop.store %v, %p[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to %n ceildiv 4 {
    loop.for %ii = 0 to min(4, %n - %io * 4) attributes {loop.tail = "round_up"} {
      %v = loop.load %p[%ii] : f32
      loop.store %v, %c[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// A buffer moves that two loops fill together, columns of 3 after columns of 3. One is left of which
// each second column is written: elsewhere, it has what was there before.
// CHECK-LABEL: func.func @filled_by_two_loops
func.func @filled_by_two_loops(%A: memref<78xf32>, %B: memref<78xf32>) {
  %a = loop.bind %A [0 : 13, 0 : 6] : memref<78xf32>
  %b = loop.bind %B [0 : 13, 0 : 6] : memref<78xf32>
  // CHECK:      loop.for %io = 0 to 4 {
  // CHECK-NEXT:   %begin = affine.min affine_map<(d0) -> ((d0 * 4), 9)> (%io)
  // CHECK-NEXT:   %t = loop.realize "t" [%begin : 4, 0 : 6]
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4, 0 : 6] : !loop.tensor<2, f32>
    loop.for %jo = 0 to 2 {
      loop.for %i = %io * 4 to min(13, %io * 4 + 4) {
        loop.for %ji = 0 to 3 {
          %v = loop.load %a[%i, %jo * 3 + %ji] : f32
          loop.store %v, %t[%i, %jo * 3 + %ji] : f32
        }
      }
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      loop.for %j = 0 to 6 {
        %w = loop.load %t[%io * 4 + %ii, %j] : f32
        loop.store %w, %b[%io * 4 + %ii, %j] : f32
      }
    }
  }
  // CHECK:      loop.for %io_1 = 0 to 4 {
  // CHECK-NEXT:   %t_1 = loop.realize "t" [%io_1 * 4 : 4, 0 : 5]
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4, 0 : 5] : !loop.tensor<2, f32>
    loop.for %i = %io * 4 to min(13, %io * 4 + 4) {
      loop.for %j = 0 to 3 {
        %v = loop.load %a[%i, %j] : f32
        loop.store %v, %t[%i, %j * 2] : f32
      }
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      loop.for %j = 0 to 3 {
        %w = loop.load %t[%io * 4 + %ii, %j * 2] : f32
        loop.store %w, %b[%io * 4 + %ii, %j * 2] : f32
      }
    }
  }
  func.return
}

// -----

// A block of the axis does not move with a tile: terms of a sum are those of the point. Nor does a
// buffer of which conditions say what is written, or in which a quotient says where.
// CHECK-LABEL: func.func @stays_with_its_buffer
// CHECK-NOT: %begin
func.func @stays_with_its_buffer(%A: memref<16xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 16] : memref<16xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  %zero = arith.constant 0.0 : f32
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
    loop.for %i = %io * 4 to min(13, %io * 4 + 4) {
      loop.init %zero, %t[%i] : f32
      loop.for %k = %io * 4 to %io * 4 + 4 {
        %v = loop.load %a[%k] : f32
        loop.reduce %v into %t[%i] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %w = loop.load %t[%io * 4 + %ii] : f32
      loop.store %w, %b[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
    loop.for %i = %io * 4 to min(13, %io * 4 + 4) {
      loop.if (%i mod 2 == 0) {
        %v = loop.load %a[%i] : f32
        loop.store %v, %t[%i] : f32
      }
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %w = loop.load %t[%io * 4 + %ii floordiv 2 * 2] : f32
      loop.store %w, %b[%io * 4 + %ii] : f32
    }
  }
  loop.for %io = 0 to 4 {
    %t = loop.realize "t" [%io * 2 : 2] : !loop.tensor<1, f32>
    loop.for %i = %io * 2 to %io * 2 + 2 {
      %v = loop.load %a[%i] : f32
      loop.store %v, %t[%i] : f32
    }
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      %w = loop.load %t[%io * 2 + %ii floordiv 2] : f32
      loop.store %w, %b[%io * 4 + %ii] : f32
    }
  }
  func.return
}

// -----

// Loops around may count parts of the axis: all whole tiles that end where the axis does begin at 9.
// The last part may have fewer tiles.
// CHECK-LABEL: func.func @parts
func.func @parts(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  // CHECK:        loop.for %p = 0 to 2 parallel {
  // CHECK-NEXT:     loop.for %io = 0 to min(3, %p * -3 + 4) {
  // CHECK-NEXT:       %begin = affine.min affine_map<(d0, d1) -> ((d0 * 4), ((d1 * -12) + 9))> (%io, %p)
  // CHECK-NEXT:       %t = loop.realize "t" [%p * 12 + %begin : 4]
  // CHECK-NEXT:       loop.for %i = %p * 12 + %begin to %p * 12 + %begin + 4 unrolled {
  // CHECK:            loop.for %ii = %begin - %io * 4 to %begin - %io * 4 + 4 {
  // CHECK-NEXT:         loop.load %t[%p * 12 + %io * 4 + %ii]
  // CHECK-NEXT:         loop.store %{{.*}}, %b[%p * 12 + %io * 4 + %ii]
  // CHECK-NOT:  loop.for
  loop.for %p = 0 to 2 parallel {
    loop.for %io = 0 to min(3, 4 - %p * 3) {
      %t = loop.realize "t" [%p * 12 + %io * 4 : 4] : !loop.tensor<1, f32>
      loop.for %i = %p * 12 + %io * 4 to min(13, %p * 12 + %io * 4 + 4) unrolled {
        %v = loop.load %a[%i] : f32
        loop.store %v, %t[%i] : f32
      }
      loop.for %ii = 0 to min(4, 13 - %p * 12 - %io * 4) attributes {loop.tail = "round_up"} {
        %w = loop.load %t[%p * 12 + %io * 4 + %ii] : f32
        loop.store %w, %b[%p * 12 + %io * 4 + %ii] : f32
      }
    }
  }
  func.return
}

// -----

// Here a loop around says where the axis ends: in its last iterations the first tile is not whole.
// CHECK-LABEL: func.func @triangle
// CHECK-NOT: %begin
func.func @triangle(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  loop.for %p = 0 to 6 {
    loop.for %io = 0 to 3 {
      %t = loop.realize "t" [%io * 4 : 4] : !loop.tensor<1, f32>
      loop.for %i = %io * 4 to min(13 - %p * 2, %io * 4 + 4) unrolled {
        %v = loop.load %a[%i] : f32
        loop.store %v, %t[%i] : f32
      }
      loop.for %ii = 0 to min(4, 13 - %p * 2 - %io * 4) attributes {loop.tail = "round_up"} {
        %w = loop.load %t[%io * 4 + %ii] : f32
        loop.store %w, %b[%io * 4 + %ii] : f32
      }
    }
  }
  func.return
}

// -----

// What is stored in the loop over the parts has no elements of the part before: the tile at 12 must
// not begin at 9.
// CHECK-LABEL: func.func @stored_in_a_part
// CHECK-NOT: %begin
func.func @stored_in_a_part(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  loop.for %p = 0 to 2 {
    %s = loop.realize "s" [%p * 12 : 12] : !loop.tensor<1, f32>
    loop.for %io = 0 to min(3, 4 - %p * 3) {
      %t = loop.realize "t" [%p * 12 + %io * 4 : 4] : !loop.tensor<1, f32>
      loop.for %i = %p * 12 + %io * 4 to min(13, %p * 12 + %io * 4 + 4) unrolled {
        %v = loop.load %a[%i] : f32
        loop.store %v, %t[%i] : f32
      }
      loop.for %ii = 0 to min(4, 13 - %p * 12 - %io * 4) attributes {loop.tail = "round_up"} {
        %w = loop.load %t[%p * 12 + %io * 4 + %ii] : f32
        loop.store %w, %s[%p * 12 + %io * 4 + %ii] : f32
      }
    }
    loop.for %j = %p * 12 to min(13, %p * 12 + 12) {
      %w = loop.load %s[%j] : f32
      loop.store %w, %b[%j] : f32
    }
  }
  func.return
}

// -----

// Nor where an element is of the part, not of the axis alone: a tile of part 1 that begins at 9
// would not store what part 0 stores there.
// CHECK-LABEL: func.func @of_the_part
// CHECK-NOT: %begin
func.func @of_the_part(%A: memref<13xf32>, %B: memref<24xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 2, 0 : 12] : memref<24xf32>
  loop.for %p = 0 to 2 {
    loop.for %io = 0 to min(3, 4 - %p * 3) {
      %t = loop.realize "t" [%p * 12 + %io * 4 : 4] : !loop.tensor<1, f32>
      loop.for %i = %p * 12 + %io * 4 to min(13, %p * 12 + %io * 4 + 4) unrolled {
        %v = loop.load %a[%i] : f32
        loop.store %v, %t[%i] : f32
      }
      loop.for %ii = 0 to min(4, 13 - %p * 12 - %io * 4) attributes {loop.tail = "round_up"} {
        %w = loop.load %t[%p * 12 + %io * 4 + %ii] : f32
        loop.store %w, %b[%p, %io * 4 + %ii] : f32
      }
    }
  }
  func.return
}

// -----

// Nor where a part goes on with what its tiles have stored: what is stored again would be as before.
// CHECK-LABEL: func.func @twice_per_part
// CHECK-NOT: %begin
func.func @twice_per_part(%A: memref<13xf32>, %B: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %b = loop.bind %B [0 : 13] : memref<13xf32>
  loop.for %p = 0 to 2 {
    loop.for %io = 0 to min(3, 4 - %p * 3) {
      %t = loop.realize "t" [%p * 12 + %io * 4 : 4] : !loop.tensor<1, f32>
      loop.for %i = %p * 12 + %io * 4 to min(13, %p * 12 + %io * 4 + 4) unrolled {
        %v = loop.load %a[%i] : f32
        loop.store %v, %t[%i] : f32
      }
      loop.for %ii = 0 to min(4, 13 - %p * 12 - %io * 4) attributes {loop.tail = "round_up"} {
        %w = loop.load %t[%p * 12 + %io * 4 + %ii] : f32
        loop.store %w, %b[%p * 12 + %io * 4 + %ii] : f32
      }
    }
    loop.for %j = %p * 12 to min(13, %p * 12 + 12) {
      %v = loop.load %b[%j] : f32
      %w = arith.addf %v, %v : f32
      loop.store %w, %b[%j] : f32
    }
  }
  func.return
}

// -----

// What lies in blocks along another axis may be read by any tile.
// CHECK-LABEL: func.func @in_blocks
// CHECK:         loop.for %io = 0 to 4 {
// CHECK-NEXT:      %begin = affine.min
// CHECK-NEXT:      loop.for %ii = %begin - %io * 4 to %begin - %io * 4 + 4 {
func.func @in_blocks(%x: f32, %B: memref<104xf32>) {
  %b = loop.bind %B [0 : 13, 0 : 8] : memref<104xf32>
  %p = loop.realize "p" [0 : 8] layout affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)> : !loop.tensor<1, f32>
  loop.for %j = 0 to 8 {
    loop.store %x, %p[%j] : f32
  }
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) attributes {loop.tail = "round_up"} {
      loop.for %j = 0 to 8 {
        %v = loop.load %p[%j] : f32
        loop.store %v, %b[%io * 4 + %ii, %j] : f32
      }
    }
  }
  func.return
}
