// RUN: teloom-opt %s --split-input-file -p partition-loops | filecheck %s

// The sums of a tile of 4 rows are in registers, where it is known how many rows there are. The
// last tile has 1, 2 or 3: there is a version for each, in which the size follows from the length.
// CHECK-LABEL: func.func @rows
// CHECK:         loop.for %io = 0 to %n floordiv 4 {
// CHECK:           loop.for %ii_1 = %io * 4 to %io * 4 + 4 unrolled {
// CHECK:         loop.for %io_1 = %n floordiv 4 to %n ceildiv 4 {
// CHECK-NEXT:      loop.if (%n - %io_1 * 4 - 1 == 0) {
// CHECK-NEXT:        %s_1 = loop.realize "s" [%io_1 * 4 : 4, 0 : 8] : !loop.tensor<2, f32>
// CHECK:             loop.for %k_1 = 0 to %m {
// CHECK-NEXT:          loop.for %ii_4 = %io_1 * 4 to %io_1 * 4 + 1 unrolled {
// CHECK:             loop.for %ii_5 = 0 to 1 unrolled {
// CHECK:           } else {
// CHECK-NEXT:        loop.if (%n - %io_1 * 4 - 2 == 0) {
// CHECK:               loop.for %k_2 = 0 to %m {
// CHECK-NEXT:            loop.for %ii_7 = %io_1 * 4 to %io_1 * 4 + 2 unrolled {
// CHECK:             } else {
// CHECK-NEXT:          %s_3 = loop.realize "s"
// CHECK:               loop.for %k_3 = 0 to %m {
// CHECK-NEXT:            loop.for %ii_10 = %io_1 * 4 to %io_1 * 4 + 3 unrolled {
// CHECK-NOT:     min
func.func @rows(%n: index, %m: index, %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) attributes {te.signature = {sizes = ["n", "m"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, s1)>}, {name = "B", dtype = "float32", shape = affine_map<()[s0, s1] -> (s1, 8)>}, {name = "C", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, 8)>, output}]}} {
  %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
  %b = loop.bind %B [0 : %m, 0 : 8] : memref<?xf32>
  %c = loop.bind %C [0 : %n, 0 : 8] : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  loop.for %io = 0 to %n ceildiv 4 {
    %s = loop.realize "s" [%io * 4 : 4, 0 : 8] : !loop.tensor<2, f32>
    loop.for %ii = %io * 4 to min(%io * 4 + 4, %n) unrolled {
      loop.for %j = 0 to 8 vectorized {
        loop.init %zero, %s[%ii, %j] : f32
      }
    }
    loop.for %k = 0 to %m {
      loop.for %ii = %io * 4 to min(%io * 4 + 4, %n) unrolled {
        loop.for %j = 0 to 8 vectorized {
          %x = loop.load %a[%ii, %k] : f32
          %y = loop.load %b[%k, %j] : f32
          %p = arith.mulf %x, %y : f32
          loop.reduce %p into %s[%ii, %j] : f32 combine (%u, %v) {
            %w = arith.addf %u, %v : f32
            loop.yield %w : f32
          }
        }
      }
    }
    loop.for %ii = 0 to min(4, %n - %io * 4) unrolled {
      loop.for %j = 0 to 8 vectorized {
        %sum = loop.load %s[%io * 4 + %ii, %j] : f32
        loop.store %sum, %c[%io * 4 + %ii, %j] : f32
      }
    }
  }
  func.return
}

// -----

// Rows that are not summed up end where the call knows: they are no slower for it. So do those of
// sums that are the smaller part of what an iteration does.
// CHECK-LABEL: func.func @no_versions
// CHECK:         loop.for %io_1 = %n floordiv 4 to %n ceildiv 4 {
// CHECK-NEXT:      loop.for %ii_1 = 0 to min(4, %n - %io_1 * 4) {
// CHECK:         loop.for %lo_1 = %n floordiv 4 to %n ceildiv 4 {
// CHECK-NOT:       loop.if
func.func @no_versions(%n: index, %m: index, %A: memref<?xf32>, %C: memref<?xf32>) attributes {te.signature = {sizes = ["n", "m"], arrays = [{name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, s1)>}, {name = "C", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, s1)>, output}]}} {
  %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
  %c = loop.bind %C [0 : %n, 0 : %m] : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  loop.for %io = 0 to %n ceildiv 4 {
    loop.for %ii = 0 to min(4, %n - %io * 4) unrolled {
      loop.for %j = 0 to %m {
        %x = loop.load %a[%io * 4 + %ii, %j] : f32
        loop.store %x, %c[%io * 4 + %ii, %j] : f32
      }
    }
  }
  loop.for %lo = 0 to %n ceildiv 4 {
    %s = loop.realize "s" [%lo * 4 : 4] : !loop.tensor<1, f32>
    loop.for %li = %lo * 4 to min(%lo * 4 + 4, %n) unrolled {
      loop.reduce %zero into %s[%li] : f32 combine (%u, %v) {
        %w = arith.addf %u, %v : f32
        loop.yield %w : f32
      }
    }
    loop.for %l = %lo * 4 to min(%lo * 4 + 4, %n) {
      loop.for %j = 0 to %m {
        %x = loop.load %a[%l, %j] : f32
        %y = loop.load %s[%l] : f32
        %z = arith.mulf %x, %y : f32
        %0 = arith.addf %z, %z : f32
        %1 = arith.addf %0, %z : f32
        %2 = arith.addf %1, %z : f32
        loop.store %2, %c[%l, %j] : f32
      }
    }
  }
  func.return
}
