// RUN: teloom-opt %s --split-input-file -p partition-loops | filecheck %s

// Tiles of 8 of 100 elements: twelve are whole, the last one has 4. The counter of a single
// iteration is its number, so that all extents are constant.
// CHECK-LABEL: func.func @known
func.func @known(%A: memref<100xf32>) {
  %a = loop.bind %A [0 : 100] : memref<100xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %io = 0 to 12 {
  // CHECK-NEXT:   loop.for %ii = 0 to 8 unrolled {
  // CHECK:      loop.for %io_1 = 12 to 13 {
  // CHECK-NEXT:   loop.for %ii_1 = 0 to 4 unrolled {
  // CHECK-NEXT:     loop.store %x, %a[%ii_1 + 96] : f32
  loop.for %io = 0 to 13 {
    loop.for %ii = 0 to min(8, %io * -8 + 100) unrolled {
      loop.store %x, %a[%io * 8 + %ii] : f32
    }
  }
  func.return
}

// -----

// In the interior of a border nothing is asked; where it is known not to hold, the other value is
// taken. The rows of the border are few.
// CHECK-LABEL: func.func @border
func.func @border(%A: memref<1024xf32>, %B: memref<1024xf32>) {
  %a = loop.bind %A [0 : 32, 0 : 32] : memref<1024xf32>
  %b = loop.bind %B [0 : 32, 0 : 32] : memref<1024xf32>
  %zero = arith.constant 0 : index
  // CHECK:      loop.for %i = 0 to 1 {
  // CHECK-NEXT:   loop.for %j = 0 to 32 vectorized {
  // CHECK-NEXT:     arith.constant 0.0
  // CHECK-NEXT:     loop.store
  // CHECK:      loop.for %i_1 = 1 to 32 {
  // CHECK-NEXT:   loop.for %j_1 = 0 to 1 vectorized {
  // CHECK-NEXT:     arith.constant 0.0
  // CHECK-NEXT:     loop.store
  // CHECK:        loop.for %j_2 = 1 to 32 vectorized {
  // CHECK-NEXT:     loop.load %a[%i_1 - 1, %j_2 - 1] : f32
  // CHECK-NEXT:     loop.store
  // CHECK-NOT:  scf.if
  loop.for %i = 0 to 32 {
    loop.for %j = 0 to 32 vectorized {
      %below = arith.cmpi sgt, %i, %zero : index
      %right = arith.cmpi sgt, %j, %zero : index
      %inside = arith.andi %below, %right : i1
      %v = scf.if %inside -> (f32) {
        %w = loop.load %a[%i - 1, %j - 1] : f32
        scf.yield %w : f32
      } else {
        %o = arith.constant 0.0 : f32
        scf.yield %o : f32
      }
      loop.store %v, %b[%i, %j] : f32
    }
  }
  func.return
}

// -----

// A parallel loop stays one, so that its threads start once.
// CHECK-LABEL: func.func @threads
func.func @threads(%n: index, %A: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %io = 0 to %n ceildiv 8 parallel {
  // CHECK-NEXT:   loop.if (%n floordiv 8 - %io - 1 >= 0) {
  // CHECK-NEXT:     loop.for %ii = 0 to 8 vectorized {
  // CHECK:        } else {
  // CHECK-NEXT:     loop.for %ii_1 = 0 to 8 vectorized {
  // CHECK:            scf.if
  loop.for %io = 0 to %n ceildiv 8 parallel {
    loop.for %ii = 0 to min(8, %n - %io * 8) vectorized {
      loop.store %x, %a[%io * 8 + %ii] : f32
    }
  }
  func.return
}

// -----

// Of several loops each is divided in the whole part of those around it. What a part at least a
// 64th as large asks is settled, too. The last rows of the last columns are too few.
// CHECK-LABEL: func.func @several
func.func @several(%A: memref<246356xf32>) {
  %a = loop.bind %A [0 : 509, 0 : 484] : memref<246356xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %io = 0 to 63 {
  // CHECK-NEXT:   loop.for %jo = 0 to 15 {
  // CHECK-NEXT:     loop.for %ii = 0 to 8 unrolled {
  // CHECK-NEXT:       loop.for %ji = 0 to 32 vectorized {
  // CHECK:        loop.for %jo_1 = 15 to 16 {
  // CHECK-NEXT:     loop.for %ii_1 = 0 to 8 unrolled {
  // CHECK-NEXT:       loop.for %ji_1 = 0 to 4 vectorized {
  // CHECK:      loop.for %io_1 = 63 to 64 {
  // CHECK-NEXT:   loop.for %jo_2 = 0 to 15 {
  // CHECK-NEXT:     loop.for %ii_2 = 0 to 5 unrolled {
  // CHECK:        loop.for %jo_3 = 15 to 16 {
  // CHECK-NEXT:     loop.for %ii_3 = 0 to 5 {
  loop.for %io = 0 to 64 {
    loop.for %jo = 0 to 16 {
      loop.for %ii = 0 to min(8, %io * -8 + 509) unrolled {
        loop.for %ji = 0 to min(32, %jo * -32 + 484) vectorized {
          loop.store %x, %a[%io * 8 + %ii, %jo * 32 + %ji] : f32
        }
      }
    }
  }
  func.return
}

// -----

// What is always so is not asked, whatever a loop is; a guard that never holds leaves nothing.
// CHECK-LABEL: func.func @always
func.func @always(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %i = 0 to 64 {
  // CHECK-NEXT:   loop.store %x, %a[%i] : f32
  // CHECK-NEXT:   loop.if (%i - 9 >= 0) {
  // CHECK-NEXT:     loop.store %x, %a[%i] : f32
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return
  loop.for %i = 0 to 64 {
    loop.if (%i * -1 + 63 >= 0) {
      loop.store %x, %a[%i] : f32
    }
    loop.if (%i >= 0, %i - 9 >= 0) {
      loop.store %x, %a[%i] : f32
    }
    loop.if (%i - 64 >= 0) {
      loop.store %x, %a[%i] : f32
    }
  }
  func.return
}

// -----

// Where no number limits the iterations that are not whole, and where loops are neither lanes nor
// copies, nothing changes.
// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%n: index, %m: index, %A: memref<?xf32>) attributes {te.signature = {sizes = ["n", "m"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %x = arith.constant 1.0 : f32
  // CHECK:      loop.for %i = 0 to %n {
  // CHECK-NEXT:   loop.for %j = 0 to min(8, %i - %m) vectorized {
  // CHECK:      loop.for %io = 0 to %n ceildiv 8 {
  // CHECK-NEXT:   loop.for %ii = 0 to min(8, %n - %io * 8) {
  // CHECK:      func.return
  loop.for %i = 0 to %n {
    loop.for %j = 0 to min(8, %i - %m) vectorized {
      loop.store %x, %a[%j] : f32
    }
  }
  loop.for %io = 0 to %n ceildiv 8 {
    loop.for %ii = 0 to min(8, %n - %io * 8) {
      loop.store %x, %a[%io * 8 + %ii] : f32
    }
  }
  func.return
}

// -----

// Six tiles of 96 elements, in tiles of 6: the last of them has 20 elements left. The loop over the
// small tiles asks how many there are, so that it is in the parts, though most that it does does not
// ask.
// CHECK-LABEL: func.func @tiles_in_tiles
func.func @tiles_in_tiles(%A: memref<500xf32>) {
  %a = loop.bind %A [0 : 500] : memref<500xf32>
  %x = arith.constant 1.0 : f32
  // CHECK: loop.for %io = 0 to 5 {
  // CHECK-NEXT: loop.for %im = 0 to 16 {
  // CHECK: loop.for %io_1 = 5 to 6 {
  // CHECK-NEXT: loop.for %im_1 = 0 to 4 {
  loop.for %io = 0 to 6 {
    loop.for %im = 0 to min(16, %io * -16 + 84) {
      %v = loop.realize "v" [0 : 8] : !loop.tensor<1, f32>
      loop.for %k = 0 to 8 {
        %0 = loop.load %a[%k] : f32
        %1 = arith.addf %0, %x : f32
        %2 = arith.mulf %1, %0 : f32
        %3 = arith.addf %2, %x : f32
        %4 = arith.mulf %3, %0 : f32
        %5 = arith.addf %4, %x : f32
        %6 = arith.mulf %5, %0 : f32
        %7 = arith.addf %6, %x : f32
        %8 = arith.mulf %7, %0 : f32
        %9 = arith.addf %8, %x : f32
        %10 = arith.mulf %9, %0 : f32
        %11 = arith.addf %10, %x : f32
        %12 = arith.mulf %11, %0 : f32
        %13 = arith.addf %12, %x : f32
        %14 = arith.mulf %13, %0 : f32
        %15 = arith.addf %14, %x : f32
        %16 = arith.mulf %15, %0 : f32
        %17 = arith.addf %16, %x : f32
        loop.store %17, %v[%k] : f32
      }
      loop.for %ii = 0 to min(6, %io * -96 - %im * 6 + 500) unrolled {
        %w = loop.load %v[%ii] : f32
        loop.store %w, %a[%io * 96 + %im * 6 + %ii] : f32
      }
    }
  }
  func.return
}

// -----

// The lesser of two values is known in whole iterations.
// CHECK-LABEL: func.func @least
func.func @least(%A: memref<13xf32>) {
  %a = loop.bind %A [0 : 13] : memref<13xf32>
  %one = arith.constant 1.0 : f32
  %last = arith.constant 12 : index
  // CHECK:      loop.for %io = 0 to 3 {
  // CHECK-NEXT:   loop.for %ii = 0 to 4 unrolled {
  // CHECK-NEXT:     %i = affine.apply
  // CHECK-NEXT:     loop.store %one, %a[%i]
  // CHECK:      loop.for %io_1 = 3 to 4 {
  // CHECK-NOT:    arith.minsi
  loop.for %io = 0 to 4 {
    loop.for %ii = 0 to min(4, 13 - %io * 4) unrolled {
      %i = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%io, %ii)
      %least = arith.minsi %i, %last : index
      loop.store %one, %a[%least] : f32
    }
  }
  func.return
}

// -----

// A function grows to a limit. What it grows by is for the tiles that are whole, of all six axes,
// before it is for partial ones.
// CHECK-LABEL: func.func @whole_first
// CHECK-NEXT:    loop.bind
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    loop.for %ho = 0 to 1 {
// CHECK-NEXT:      loop.for %io = 0 to 1 {
// CHECK-NEXT:        loop.for %jo = 0 to 1 {
// CHECK-NEXT:          loop.for %ko = 0 to 1 {
// CHECK-NEXT:            loop.for %lo = 0 to 1 {
// CHECK-NEXT:              loop.for %mo = 0 to 1 {
// CHECK-NEXT:                loop.for %hi = 0 to 4 unrolled {
// CHECK-NEXT:                  loop.for %ii = 0 to 4 unrolled {
// CHECK-NEXT:                    loop.for %ji = 0 to 4 unrolled {
// CHECK-NEXT:                      loop.for %ki = 0 to 4 unrolled {
// CHECK-NEXT:                        loop.for %li = 0 to 4 unrolled {
// CHECK-NEXT:                          loop.for %mi = 0 to 4 unrolled {
// CHECK:         loop.for {{.*}} = 0 to 2 {
func.func @whole_first(%A: memref<117649xf32>) {
  %a = loop.bind %A [0 : 7, 0 : 7, 0 : 7, 0 : 7, 0 : 7, 0 : 7] : memref<117649xf32>
  %one = arith.constant 1.0 : f32
  loop.for %ho = 0 to 2 {
    loop.for %io = 0 to 2 {
      loop.for %jo = 0 to 2 {
        loop.for %ko = 0 to 2 {
          loop.for %lo = 0 to 2 {
            loop.for %mo = 0 to 2 {
              loop.for %hi = 0 to min(4, %ho * -4 + 7) unrolled {
                loop.for %ii = 0 to min(4, %io * -4 + 7) unrolled {
                  loop.for %ji = 0 to min(4, %jo * -4 + 7) unrolled {
                    loop.for %ki = 0 to min(4, %ko * -4 + 7) unrolled {
                      loop.for %li = 0 to min(4, %lo * -4 + 7) unrolled {
                        loop.for %mi = 0 to min(4, %mo * -4 + 7) unrolled {
                          %two = arith.addf %one, %one : f32
                          %three = arith.addf %two, %one : f32
                          %four = arith.addf %three, %one : f32
                          %five = arith.addf %four, %one : f32
                          %six = arith.addf %five, %one : f32
                          loop.store %six, %a[%ho * 4 + %hi, %io * 4 + %ii, %jo * 4 + %ji, %ko * 4 + %ki, %lo * 4 + %li, %mo * 4 + %mi] : f32
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  func.return
}

// -----

// The last of the parts is little, but the loop over the rows of a small buffer from outside is
// unrolled in it, too: with constant indices LLVM keeps the buffer in registers everywhere. A buffer
// of more bytes than registers hold is in memory anyway.
// CHECK-LABEL: func.func @rows_in_registers
func.func @rows_in_registers(%A: memref<3180xf32>, %B: memref<400xf32>) {
  %a = loop.bind %A [0 : 4, 0 : 795] : memref<3180xf32>
  %b = loop.bind %B [0 : 4, 0 : 100] : memref<400xf32>
  loop.for %jo = 0 to 100 parallel {
    %t = loop.realize "t" [0 : 4, 0 : 8] : !loop.tensor<2, f32>
    %m = loop.realize "m" [0 : 4, 0 : 80000] : !loop.tensor<2, f32>
    loop.for %r = 0 to 4 unrolled {
      loop.for %l = 0 to 8 vectorized {
        %0 = loop.load %b[%r, %jo] : f32
        loop.store %0, %t[%r, %l] : f32
        loop.store %0, %m[%r, %l] : f32
      }
    }
    // CHECK: loop.if (%jo * -1 + 98 >= 0) {
    // CHECK: loop.for %i = 0 to 4 unrolled {
    // CHECK: } else {
    // CHECK: loop.for %i_1 = 0 to 4 unrolled {
    loop.for %i = 0 to 4 unrolled {
      loop.for %j = 0 to min(8, %jo * -8 + 795) vectorized {
        %1 = loop.load %t[%i, %j] : f32
        loop.store %1, %a[%i, %jo * 8 + %j] : f32
      }
    }
    // CHECK: loop.if (%jo * -1 + 98 >= 0) {
    // CHECK: loop.for %k = 0 to 4 unrolled {
    // CHECK: } else {
    // CHECK: loop.for %k_1 = 0 to 4 {
    loop.for %k = 0 to 4 unrolled {
      loop.for %n = 0 to min(8, %jo * -8 + 795) vectorized {
        %2 = loop.load %m[%k, %n] : f32
        loop.store %2, %a[%k, %jo * 8 + %n] : f32
      }
    }
  }
  func.return
}

// -----

// Sizes that a test is not about divide nothing: there are whole tiles of rows, whether a row has
// elements or not.
// CHECK-LABEL: func.func @other_sizes
// CHECK:         loop.for %io = 0 to %n floordiv 4 {
// CHECK-NEXT:      loop.if (%m - 1 >= 0) {
// CHECK-NEXT:        loop.for %ii = 0 to 4 unrolled {
// CHECK:         loop.for %io_1 = %n floordiv 4 to %n ceildiv 4 {
func.func @other_sizes(%n: index, %m: index, %A: memref<?xf32>) attributes {te.signature = {sizes = ["n", "m"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, s1)>, output}]}} {
  %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
  %one = arith.constant 1.0 : f32
  loop.for %io = 0 to %n ceildiv 4 {
    loop.if (%m - 1 >= 0) {
      loop.for %ii = 0 to min(4, %n - %io * 4) unrolled {
        loop.store %one, %a[%io * 4 + %ii, 0] : f32
      }
    }
  }
  func.return
}

// -----

// The first tile has the border in front, and no other one but where it is the only tile: that is
// apart. So the others are whole but for one border.
// CHECK-LABEL: func.func @both_borders
// CHECK:         loop.for %io = 0 to min(1, %n ceildiv 4 - 1) {
// CHECK-NEXT:      loop.for %ii = 0 to 4 unrolled {
// CHECK-NEXT:        arith.constant 1
// CHECK-NEXT:        arith.cmpi sge, %ii, %{{.*}} : index
// CHECK-NEXT:        scf.if
// CHECK-NEXT:          loop.load
// CHECK:         loop.for %io_1 = max(%n ceildiv 4 - 1, 0) to min(1, %n ceildiv 4) {
// CHECK-NEXT:      loop.for %ii_1 = %io_1 * 4 to min(%io_1 * 4 + 4, %n) {
// CHECK-NEXT:        arith.constant 1
// CHECK:             arith.andi
// CHECK:         loop.for %io_2 = 1 to %n ceildiv 4 - 1 {
// CHECK-NEXT:      loop.for %ii_2 = %io_2 * 4 to %io_2 * 4 + 4 unrolled {
// CHECK-NEXT:        loop.load
// CHECK:         loop.for %io_3 = max(%n ceildiv 4 - 1, 1) to %n ceildiv 4 {
// CHECK-NEXT:      loop.for %ii_3 = %io_3 * 4 to min(%io_3 * 4 + 4, %n) {
// CHECK-NOT:         arith.andi
func.func @both_borders(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) attributes {te.signature = {sizes = ["n"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  loop.for %io = 0 to %n ceildiv 4 {
    loop.for %ii = %io * 4 to min(%io * 4 + 4, %n) unrolled {
      %first = arith.constant 1 : index
      %before = arith.cmpi sge, %ii, %first : index
      %last = affine.apply affine_map<(d0) -> (d0 - 1)> (%n)
      %behind = arith.cmpi slt, %ii, %last : index
      %inside = arith.andi %before, %behind : i1
      %v = scf.if %inside -> (f32) {
        %w = loop.load %a[%ii - 1] : f32
        scf.yield %w : f32
      } else {
        scf.yield %zero : f32
      }
      loop.store %v, %b[%ii] : f32
    }
  }
  func.return
}

// -----

// Where the condition of a branch fails, others that ask the same are settled: the first iteration
// has nothing of what the others do alone.
// CHECK-LABEL: func.func @asked_again
func.func @asked_again(%A: memref<32xf32>, %B: memref<320xf32>) {
  %a = loop.bind %A [0 : 32] : memref<32xf32>
  %b = loop.bind %B [0 : 10, 0 : 32] : memref<320xf32>
  // CHECK:      loop.for %i = 0 to 10 parallel {
  // CHECK-NEXT:   loop.if (%i - 1 >= 0) {
  // CHECK:          arith.constant 1.0
  // CHECK:          arith.constant 2.0
  // CHECK:        } else {
  // CHECK-NOT:      loop.if
  // CHECK-NOT:      arith.constant {{[12]}}.0
  // CHECK:          arith.constant 3.0
  loop.for %i = 0 to 10 parallel {
    loop.for %j = 0 to 32 vectorized {
      %first = arith.constant 1 : index
      %later = arith.cmpi sge, %i, %first : index
      scf.if %later {
        %v = loop.load %a[%j] : f32
        %one = arith.constant 1.0 : f32
        %w = arith.addf %v, %one : f32
        loop.store %w, %b[%i, %j] : f32
      }
    }
    loop.if (%i - 1 >= 0) {
      %two = arith.constant 2.0 : f32
      loop.store %two, %b[%i, 0] : f32
    }
    loop.if (%i * -1 >= 0) {
      %three = arith.constant 3.0 : f32
      loop.store %three, %b[%i, 0] : f32
    }
  }
  func.return
}

// -----

// What a branch tests is known in both of its regions.
// CHECK-LABEL: func.func @otherwise
func.func @otherwise(%A: memref<128xf32>, %x: f32) {
  %T = loop.bind %A [0 : 128] : memref<128xf32>
  // CHECK: loop.for %p = 0 to 2 parallel {
  loop.for %p = 0 to 2 parallel {
    loop.if (%p - 1 >= 0) {
      loop.store %x, %T[%p] : f32
    } else {
      // CHECK: loop.for %t = 0 to 2 {
      // CHECK-NEXT: loop.for %i = 0 to 16 vectorized {
      // CHECK: loop.for %t_1 = 2 to 4 {
      // CHECK-NEXT: loop.for %i_1 = 0 to 16 vectorized {
      // CHECK: scf.if
      loop.for %t = 0 to 4 {
        loop.for %i = 0 to min(16, %p * -64 - %t * 16 + 47) vectorized {
          loop.store %x, %T[%p * 64 + %t * 16 + %i] : f32
        }
      }
    }
  }
  func.return
}

// -----

// What no iteration behind the whole ones fulfils is not asked there, either.
// CHECK-LABEL: func.func @joined
func.func @joined(%A: memref<32xf32>, %B: memref<32xf32>, %C: memref<64xf32>) {
  %a = loop.bind %A [0 : 32] : memref<32xf32>
  %b = loop.bind %B [0 : 32] : memref<32xf32>
  %c = loop.bind %C [0 : 64] : memref<64xf32>
  %half = arith.constant 32 : index
  // CHECK:      loop.for %i = 0 to 32 vectorized {
  // CHECK-NEXT:   %{{.*}} = loop.load %a[%i] : f32
  // CHECK-NEXT:   loop.store
  // CHECK:      loop.for %i_1 = 32 to 64 vectorized {
  // CHECK-NEXT:   %{{.*}} = loop.load %b[%i_1 - 32] : f32
  // CHECK-NEXT:   loop.store
  loop.for %i = 0 to 64 vectorized {
    %first = arith.cmpi slt, %i, %half : index
    %x = scf.if %first -> (f32) {
      %y = loop.load %a[%i] : f32
      scf.yield %y : f32
    } else {
      %z = loop.load %b[%i - 32] : f32
      scf.yield %z : f32
    }
    loop.store %x, %c[%i] : f32
  }
  func.return
}

// -----

// Of eight rows each is one place behind the one before. Both pairs of bounds have a constant
// distance, of 8 and of 300 iterations; there are never more than 8, which all run but at the ends.
// CHECK-LABEL: func.func @chains
func.func @chains(%A: memref<2400xf32>) {
  %a = loop.bind %A [0 : 8, 0 : 300] : memref<2400xf32>
  // CHECK:      loop.for %j = 0 to 7 {
  // CHECK-NEXT:   loop.for %i = max(0, %j - 299) to min(8, %j + 1) {
  // CHECK:      loop.for %j_1 = 7 to 300 {
  // CHECK-NEXT:   loop.for %i_1 = 0 to 8 unrolled {
  // CHECK:      loop.for %j_2 = 300 to 307 {
  // CHECK-NEXT:   loop.for %i_2 = max(0, %j_2 - 299) to min(8, %j_2 + 1) {
  loop.for %j = 0 to 307 {
    loop.for %i = max(0, %j - 299) to min(8, %j + 1) unrolled {
      %x = loop.load %a[%i, %j - %i] : f32
      %y = arith.addf %x, %x : f32
      loop.store %y, %a[%i, %j - %i] : f32
    }
  }
  func.return
}

// -----

// The last eight rows are four. In front of them nothing asks for that.
// CHECK-LABEL: func.func @last_chains
func.func @last_chains(%A: memref<3000xf32>) {
  %a = loop.bind %A [0 : 12, 0 : 250] : memref<3000xf32>
  // CHECK:      loop.for %io = 0 to 1 {
  // CHECK:          loop.for %i_1 = 0 to 8 unrolled {
  // CHECK:      loop.for %io_1 = 1 to 2 {
  // CHECK:          loop.for %i_4 = 0 to 4 unrolled {
  loop.for %io = 0 to 2 {
    loop.for %j = 0 to 257 {
      loop.for %i = max(0, %j - 249) to min(8, %io * -8 + 12, %j + 1) unrolled {
        %x = loop.load %a[%io * 8 + %i, %j - %i] : f32
        %y = arith.addf %x, %x : f32
        loop.store %y, %a[%io * 8 + %i, %j - %i] : f32
      }
    }
  }
  func.return
}
