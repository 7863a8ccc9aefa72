// RUN: teloom-opt %s --split-input-file -p partition-loops | filecheck %s

// On one side of the diagonal the comparison holds, on the other one it does not: tiles of both
// sides run without it, and those on the diagonal ask.
func.func @both_sides(%T: memref<4096xf32>, %C: memref<4096xf32>) {
  loop.for %io = 0 to 8 {
    loop.for %jo = 0 to 8 {
      loop.for %ii = 0 to 8 {
        loop.for %ji = 0 to 8 vectorized {
          %i = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%io, %ii)
          %j = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%jo, %ji)
          %below = arith.cmpi sle, %j, %i : index
          %v = scf.if %below -> (f32) {
            %p = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%i, %j)
            %x = memref.load %T[%p] : memref<4096xf32>
            scf.yield %x : f32
          } else {
            %p = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%j, %i)
            %x = memref.load %T[%p] : memref<4096xf32>
            scf.yield %x : f32
          }
          %q = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%i, %j)
          memref.store %v, %C[%q] : memref<4096xf32>
        }
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @both_sides
// CHECK:       loop.for [[IO:%.*]] = 0 to 8
// CHECK-NEXT:    loop.for %jo = 0 to [[IO]] {
// CHECK-NOT:       arith.cmpi
// CHECK:         loop.for [[DIAGONAL:%.*]] = [[IO]] to [[IO]] + 1 {
// CHECK:           arith.cmpi sle
// CHECK-NEXT:      scf.if
// CHECK:         loop.for [[ABOVE:%.*]] = [[IO]] + 1 to 8 {
// CHECK-NOT:       arith.cmpi
// CHECK:         func.return

// -----

// Rows above a symbolic one and those below are both of any number.
func.func @symbolic(%n: index, %m: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  loop.for %i = 0 to %n {
    loop.for %j = 0 to 16 vectorized {
      %above = arith.cmpi slt, %i, %m : index
      %q = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%i, %j)
      %v = scf.if %above -> (f32) {
        %x = memref.load %A[%q] : memref<?xf32>
        scf.yield %x : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      memref.store %v, %C[%q] : memref<?xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @symbolic
// CHECK:       loop.for %i = 0 to min(%m, %n) {
// CHECK-NOT:     arith.cmpi
// CHECK:       loop.for [[BELOW:%.*]] = max(%m, 0) to %n {
// CHECK-NOT:     arith.cmpi
// CHECK:       func.return

// -----

// A long row of lanes is divided, too: nothing is computed for the lanes of the other side.
func.func @lanes(%A: memref<10000xf32>, %C: memref<10000xf32>) {
  loop.for %i = 0 to 100 {
    loop.for %j = 0 to 100 vectorized {
      %below = arith.cmpi sle, %j, %i : index
      %q = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1)>(%i, %j)
      %v = scf.if %below -> (f32) {
        %x = memref.load %A[%q] : memref<10000xf32>
        %e = math.exp %x : f32
        scf.yield %e : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      memref.store %v, %C[%q] : memref<10000xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @lanes
// CHECK:       loop.for %i = 0 to 100 {
// CHECK-NEXT:    loop.for %j = 0 to %i + 1 vectorized {
// CHECK-NOT:       arith.cmpi
// CHECK:           math.exp
// CHECK:         loop.for [[J:%.*]] = %i + 1 to 100 vectorized {
// CHECK-NOT:       math.exp
// CHECK:         func.return

// -----

// In a short one some vector has lanes of both sides.
func.func @few_lanes(%A: memref<4096xf32>, %C: memref<4096xf32>) {
  loop.for %i = 0 to 64 {
    loop.for %j = 0 to 64 vectorized {
      %below = arith.cmpi sle, %j, %i : index
      %q = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%i, %j)
      %v = scf.if %below -> (f32) {
        %x = memref.load %A[%q] : memref<4096xf32>
        scf.yield %x : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      memref.store %v, %C[%q] : memref<4096xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @few_lanes
// CHECK:         loop.for %j = 0 to 64 vectorized {
// CHECK-NEXT:      arith.cmpi
// CHECK-NOT:     loop.for
// CHECK:       func.return

// -----

// Nothing is folded where a condition never holds: there is no loop for it.
// CHECK-LABEL: func.func @nothing
func.func @nothing(%A: memref<64xf32>, %B: memref<64xf32>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
  %b = loop.bind %B [0 : 8, 0 : 8] : memref<64xf32>
  // CHECK-NOT:  loop.for %{{.*}} = 0 to 4 {
  // CHECK:      loop.for %i = 4 to 8 {
  // CHECK:          loop.reduce
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to 8 vectorized {
      %four = arith.constant 4 : index
      %p = arith.cmpi sge, %i, %four : index
      %t = scf.if %p -> (f32) {
        %x = loop.load %a[%i, %j] : f32
        scf.yield %x : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      loop.reduce %t into %b[%i, %j] : f32 combine (%x, %y) identity [0.0 : f32] {
        %s = arith.addf %x, %y : f32
        loop.yield %s : f32
      }
    }
  }
  func.return
}

// -----

// Tiles of a product that is asked for below a diagonal: the nest is in branches, for tiles
// below and for those on it. Those above fold nothing. Where the last tile begins earlier,
// it is known how much earlier.
func.func @product(%A: memref<1000xf32>, %B: memref<1000xf32>, %C: memref<10000xf32>) {
  %a = loop.bind %A [0 : 100, 0 : 10] : memref<1000xf32>
  %b = loop.bind %B [0 : 10, 0 : 100] : memref<1000xf32>
  %c = loop.bind %C [0 : 100, 0 : 100] : memref<10000xf32>
  loop.for %jo = 0 to 7 {
    %begin = affine.min affine_map<(d0) -> (d0 * 16, 84)>(%jo)
    loop.for %io = 0 to 25 {
      %t = loop.realize "T" [%io * 4 : 4, %begin : 16] in "global" : !loop.tensor<2, f32>
      loop.for %i = %io * 4 to %io * 4 + 4 unrolled {
        loop.for %j = %begin to %begin + 16 vectorized {
          %start = arith.constant 0.0 : f32
          loop.init %start, %t[%i, %j] : f32
        }
      }
      loop.for %k = 0 to 10 {
        loop.for %i = %io * 4 to %io * 4 + 4 unrolled {
          loop.for %j = %begin to %begin + 16 vectorized {
            %below = arith.cmpi sle, %j, %i : index
            %v = scf.if %below -> (f32) {
              %x = loop.load %a[%i, %k] : f32
              %y = loop.load %b[%k, %j] : f32
              %p = arith.mulf %x, %y : f32
              scf.yield %p : f32
            } else {
              %zero = arith.constant 0.0 : f32
              scf.yield %zero : f32
            }
            loop.reduce %v into %t[%i, %j] : f32 combine (%p, %q) identity [0.0 : f32] {
              %s = arith.addf %p, %q : f32
              loop.yield %s : f32
            }
          }
        }
      }
      loop.for %i = %io * 4 to %io * 4 + 4 unrolled {
        loop.for %j = %begin to %begin + 16 vectorized {
          %v = loop.load %t[%i, %j] : f32
          loop.store %v, %c[%i, %j] : f32
        }
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @product
// CHECK:         loop.if (%io - (%begin + 2) floordiv 4 - 4 >= 0) {
// CHECK-NEXT:      loop.for %k = 0 to 10 {
// CHECK-NOT:         arith.cmpi
// CHECK:           loop.reduce
// CHECK:         } else {
// CHECK-NEXT:      loop.if (%io - %begin floordiv 4 >= 0) {
// CHECK-NEXT:        loop.for [[K:%.*]] = 0 to 10 {
// CHECK:               arith.cmpi
// CHECK:               loop.reduce
// CHECK-NOT:     loop.if
// CHECK:         func.return

// -----

// A minimum of one value is that value.
// CHECK-LABEL: func.func @minimum_of_one
// CHECK: arith.cmpi sle
func.func @minimum_of_one(%A: memref<80xf32>, %n: index) {
  loop.for %io = 0 to 3 {
    %b = affine.min affine_map<(d0) -> (d0 * 4)> (%io)
    loop.for %i = 0 to 4 vectorized {
      %x = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%b, %i)
      %c = arith.cmpi sle, %x, %n : index
      %v = scf.if %c -> (f32) {
        %one = arith.constant 1.0 : f32
        scf.yield %one : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      memref.store %v, %A[%x] : memref<80xf32>
    }
  }
  func.return
}
