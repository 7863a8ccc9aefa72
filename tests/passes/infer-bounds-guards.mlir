// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Only the diagonal is read: in the fused order every third element, whose row and column are
// still those of the fusion.
te.func @diagonal(%A: tensor<2xf32>) -> (tensor<2xf32>) {
  %B = schedule.stage "B" (%x = 2, %y = 2) : tensor<2x2xf32> {
    %f = schedule.fuse %x, %y
    schedule.order %f
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 2) : tensor<2xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1, %i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<2xf32>
}

// CHECK-LABEL: te.func @diagonal
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 2, %y = 2) : tensor<2x2xf32>
// CHECK-NEXT:     %f = schedule.fuse %x, %y
// CHECK-NEXT:     schedule.order %f
// CHECK-NEXT:     schedule.region [0 : 2, 0 : 2]
// CHECK-NEXT:     schedule.range %f = 0 to 4
// CHECK-NEXT:     schedule.range %x = 0 to 2
// CHECK-NEXT:     schedule.range %y = 0 to 2
// CHECK-NEXT:     schedule.value %y = %f mod 2
// CHECK-NEXT:     schedule.value %x = %f floordiv 2
// CHECK-NEXT:     schedule.guard (%f - %f floordiv 2 * 3 == 0)
// CHECK:        %C = schedule.stage "C" (%i = 2) : tensor<2xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 2]
// CHECK-NEXT:     schedule.range %i = 0 to 2

// -----

// Bounds that say all need no guard.
te.func @none(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 6
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @none
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 6
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to min(6, %io * -6 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 6 + %ii

// -----

// B is inside the loop of C, but outside its guard: it has its own.
te.func @own(%n: index, %A: tensor<9xf32>) -> (tensor<?xf32>) {
  %D = schedule.stage "D" (%i = %n) : tensor<?xf32> {
    schedule.order %i
    %C = schedule.stage "C" at %i (%y = 4) : tensor<4xf32> {
      schedule.order %y
      %B = schedule.stage "B" at %y (%x = 8) : tensor<8xf32> {
        schedule.order %x
        schedule.equation (%x_1) {
          %r0 = te.read %A[%x_1 + 1] : f32
          te.yield %r0 : f32
        }
      }
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1 * 2] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %two = arith.constant 2 : index
      %in = arith.cmpi slt, %i_1, %two : index
      %v = scf.if %in -> (f32) {
        %c = te.read %C[%i_1] : f32
        scf.yield %c : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %D : tensor<?xf32>
}

// CHECK-LABEL: te.func @own
// CHECK-NEXT:   %D = schedule.stage "D" (%i = %n) : tensor<?xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     %C = schedule.stage "C" at %i (%y = 4) : tensor<4xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%i : 1]
// CHECK-NEXT:       schedule.range %y = %i to %i + 1
// CHECK-NEXT:       schedule.guard (%i * -1 + 1 >= 0)
// CHECK-NEXT:       %B = schedule.stage "B" at %y (%x = 8) : tensor<8xf32>
// CHECK-NEXT:         schedule.order %x
// CHECK-NEXT:         schedule.region [%i * 2 : 1]
// CHECK-NEXT:         schedule.range %x = %i * 2 to %i * 2 + 1
// CHECK-NEXT:         schedule.guard (%i * -1 + 1 >= 0)

// -----

// The reduction may be empty, and then nothing in it reads B; but the init region does.
te.func @empty_reduction(%n: index, %A: tensor<6xf32>) -> (tensor<6xf32>) {
  %B = schedule.stage "B" (%x = 6) : tensor<6xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %S = schedule.stage "S" (%i = 6) reduce (%k = 2, %l = %n) : tensor<6xf32> {
    %f = schedule.fuse %k, %l
    schedule.order %i, %f
    schedule.equation (%i_1, %k_1, %l_1) {
      %b = te.read %B[%k_1] : f32
      te.yield %b : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    } init (%i_2) {
      %b_1 = te.read %B[%i_2] : f32
      te.yield %b_1 : f32
    }
  }
  te.return %S : tensor<6xf32>
}

// CHECK-LABEL: te.func @empty_reduction
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 6) : tensor<6xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 6]
// CHECK-NEXT:     schedule.range %x = 0 to 6
// CHECK:        %S = schedule.stage "S" (%i = 6) reduce (%k = 2, %l = %n) : tensor<6xf32>
// CHECK-NEXT:     %f = schedule.fuse %k, %l
// CHECK-NEXT:     schedule.order %i, %f
// CHECK-NEXT:     schedule.region [0 : 6]
// CHECK-NEXT:     schedule.range %i = 0 to 6
// CHECK-NEXT:     schedule.range %f = 0 to %n * 2
// CHECK-NEXT:     schedule.range %k = 0 to 2
// CHECK-NEXT:     schedule.range %l = 0 to %n

// -----

// Arithmetic on positions is followed into conditions and subscripts; a product of two is not.
te.func @arithmetic(%A: tensor<20xf32>) -> (tensor<8xf32>) {
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %three = arith.constant 3 : index
      %five = arith.constant 5 : index
      %twelve = arith.constant 12 : index
      %0 = arith.muli %i_1, %three : index
      %1 = arith.subi %0, %five : index
      %inside = arith.cmpi sge, %1, %three : index
      %small = arith.cmpi slt, %1, %twelve : index
      %both = arith.andi %inside, %small : i1
      %c = scf.if %both -> (f32) {
        %2 = arith.addi %1, %i_1 : index
        %b = te.read %B[%2] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %c : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// CHECK-LABEL: te.func @arithmetic
// CHECK:         schedule.region [7 : 9]
// CHECK-NEXT:    schedule.range %x = 7 to 16
// CHECK-NEXT:    schedule.guard ((%x + 1) mod 4 == 0)

// -----

// Of a mosaic, four colours are read, each at one of four places. isl has nine constraints for
// what a tile needs; that remainders of 2 are 0 or 1, which are four of them, is not said.
te.func @mosaic(%A: tensor<18x18xi32>) -> (tensor<16x16xi32>) {
  %C = schedule.stage "C" (%y = 16, %x = 16) : tensor<16x16xi32> {
    %yo, %yi = schedule.split %y factor 8
    %xo, %xi = schedule.split %x factor 8
    schedule.order %yo, %xo, %yi, %xi
    %B = schedule.stage "B" at %xo (%y_1 = 18, %x_1 = 18) : tensor<18x18xi32> {
      schedule.order %y_1, %x_1
      schedule.equation (%y_2, %x_2) {
        %0 = te.read %A[%y_2, %x_2] : i32
        te.yield %0 : i32
      }
    }
    schedule.equation (%y_3, %x_3) {
      %zero = arith.constant 0 : index
      %px = affine.apply affine_map<(d0) -> ((d0 mod 2))> (%x_3)
      %py = affine.apply affine_map<(d0) -> ((d0 mod 2))> (%y_3)
      %even_x = arith.cmpi eq, %px, %zero : index
      %even_y = arith.cmpi eq, %py, %zero : index
      %v = scf.if %even_y -> (i32) {
        %red_or_green = scf.if %even_x -> (i32) {
          %1 = te.read %B[%y_3, %x_3] : i32
          scf.yield %1 : i32
        } else {
          %2 = te.read %B[%y_3, %x_3 + 2] : i32
          scf.yield %2 : i32
        }
        scf.yield %red_or_green : i32
      } else {
        %green_or_blue = scf.if %even_x -> (i32) {
          %3 = te.read %B[%y_3 + 2, %x_3] : i32
          scf.yield %3 : i32
        } else {
          %4 = te.read %B[%y_3 + 1, %x_3 + 1] : i32
          scf.yield %4 : i32
        }
        scf.yield %green_or_blue : i32
      }
      te.yield %v : i32
    }
  }
  te.return %C : tensor<16x16xi32>
}

// CHECK-LABEL: te.func @mosaic
// CHECK: schedule.stage "B"
// CHECK: schedule.guard (%y_1 floordiv 2 * 3
// CHECK-NOT: (%x_1 mod 2 >= 0
// CHECK-NOT: , %x_1 mod 2 >= 0
// CHECK-NOT: (%y_1 mod 2 >= 0
// CHECK-NOT: , %y_1 mod 2 >= 0
// CHECK: schedule.equation

// -----

// Half the size, and in tiles that do not divide: of three alternatives with eleven
// constraints, as isl has them, two with four are left.
te.func @half(%A: tensor<10x10xi32>) -> (tensor<16x16xi32>) {
  %C = schedule.stage "C" (%y = 16, %x = 16) : tensor<16x16xi32> {
    %yo, %yi = schedule.split %y factor 5
    %xo, %xi = schedule.split %x factor 5
    schedule.order %yo, %xo, %yi, %xi
    %G = schedule.stage "G" at %xo mode "exact" (%y_1 = 10, %x_1 = 10) : tensor<10x10xi32> {
      schedule.order %y_1, %x_1
      schedule.equation (%y_2, %x_2) {
        %0 = te.read %A[%y_2, %x_2] : i32
        te.yield %0 : i32
      }
    }
    schedule.equation (%y_3, %x_3) {
      %1 = te.read %G[%y_3 floordiv 2, %x_3 floordiv 2] : i32
      %2 = te.read %G[%y_3 floordiv 2 + 1, %x_3 floordiv 2] : i32
      %3 = te.read %G[%y_3 floordiv 2, %x_3 floordiv 2 + 1] : i32
      %4 = arith.addi %1, %2 : i32
      %5 = arith.addi %4, %3 : i32
      te.yield %5 : i32
    }
  }
  te.return %C : tensor<16x16xi32>
}

// CHECK-LABEL: te.func @half
// CHECK: schedule.stage "G"
// CHECK: schedule.guard (%y_1 * -1 + 7 >= 0, %yo * 5 - %y_1 * 2 + 4 >= 0) or (%x_1 * -1 + 7 >= 0, %xo * 5 - %x_1 * 2 + 4 >= 0)
// CHECK: schedule.equation
