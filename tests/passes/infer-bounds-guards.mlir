// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// Only the diagonal is read: in the fused order every third element, whose row and column are
// still those of the fusion.
te.func @diagonal(%A: tensor<2xf32>) -> (tensor<2xf32>) {
  %B = te.compute "B" (%x = 2, %y = 2) : tensor<2x2xf32> {
    %r0 = te.read %A[%x] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 2) : tensor<2xf32> {
    %r0 = te.read %B[%i, %i] : f32
    te.yield %r0 : f32
  }
  te.return %C : tensor<2xf32>
}
schedule.sequence @s on @diagonal {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %f = schedule.fuse %x, %y
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
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %r0 = te.read %A[%i] : f32
    te.yield %r0 : f32
  }
  te.return %C : tensor<20xf32>
}
schedule.sequence @s on @none {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 6
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
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %r0 = te.read %A[%x + 1] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%y = 4) : tensor<4xf32> {
    %r0 = te.read %B[%y * 2] : f32
    te.yield %r0 : f32
  }
  %D = te.compute "D" (%i = %n) : tensor<?xf32> {
    %two = arith.constant 2 : index
    %in = arith.cmpi slt, %i, %two : index
    %v = scf.if %in -> (f32) {
      %c = te.read %C[%i] : f32
      scf.yield %c : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    te.yield %v : f32
  }
  te.return %D : tensor<?xf32>
}
schedule.sequence @s on @own {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %D = schedule.get "D"
  %i = schedule.axes 1 of %D
  schedule.compute_at %B, %C, %y
  schedule.compute_at %C, %D, %i
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
  %B = te.compute "B" (%x = 6) : tensor<6xf32> {
    %r0 = te.read %A[%x] : f32
    te.yield %r0 : f32
  }
  %S = te.compute "S" (%i = 6) reduce (%k = 2, %l = %n) : tensor<6xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  } init (%i) {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<6xf32>
}
schedule.sequence @s on @empty_reduction {
  %S = schedule.get "S"
  %i, %k, %l = schedule.axes 3 of %S
  %f = schedule.fuse %k, %l
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
  %B = te.compute "B" (%x = 20) : tensor<20xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %three = arith.constant 3 : index
    %five = arith.constant 5 : index
    %twelve = arith.constant 12 : index
    %0 = arith.muli %i, %three : index
    %1 = arith.subi %0, %five : index
    %inside = arith.cmpi sge, %1, %three : index
    %small = arith.cmpi slt, %1, %twelve : index
    %both = arith.andi %inside, %small : i1
    %c = scf.if %both -> (f32) {
      %2 = arith.addi %1, %i : index
      %b = te.read %B[%2] : f32
      scf.yield %b : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    te.yield %c : f32
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
  %B = te.compute "B" (%y = 18, %x = 18) : tensor<18x18xi32> {
    %0 = te.read %A[%y, %x] : i32
    te.yield %0 : i32
  }
  %C = te.compute "C" (%y = 16, %x = 16) : tensor<16x16xi32> {
    %zero = arith.constant 0 : index
    %px = affine.apply affine_map<(d0) -> (d0 mod 2)> (%x)
    %py = affine.apply affine_map<(d0) -> (d0 mod 2)> (%y)
    %even_x = arith.cmpi eq, %px, %zero : index
    %even_y = arith.cmpi eq, %py, %zero : index
    %v = scf.if %even_y -> (i32) {
      %red_or_green = scf.if %even_x -> (i32) {
        %0 = te.read %B[%y, %x] : i32
        scf.yield %0 : i32
      } else {
        %0 = te.read %B[%y, %x + 2] : i32
        scf.yield %0 : i32
      }
      scf.yield %red_or_green : i32
    } else {
      %green_or_blue = scf.if %even_x -> (i32) {
        %0 = te.read %B[%y + 2, %x] : i32
        scf.yield %0 : i32
      } else {
        %0 = te.read %B[%y + 1, %x + 1] : i32
        scf.yield %0 : i32
      }
      scf.yield %green_or_blue : i32
    }
    te.yield %v : i32
  }
  te.return %C : tensor<16x16xi32>
}
schedule.sequence @s on @mosaic {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 8, 8
  schedule.compute_at %B, %C, %xo
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
  %G = te.compute "G" (%y = 10, %x = 10) : tensor<10x10xi32> {
    %0 = te.read %A[%y, %x] : i32
    te.yield %0 : i32
  }
  %C = te.compute "C" (%y = 16, %x = 16) : tensor<16x16xi32> {
    %0 = te.read %G[%y floordiv 2, %x floordiv 2] : i32
    %1 = te.read %G[%y floordiv 2 + 1, %x floordiv 2] : i32
    %2 = te.read %G[%y floordiv 2, %x floordiv 2 + 1] : i32
    %3 = arith.addi %0, %1 : i32
    %4 = arith.addi %3, %2 : i32
    te.yield %4 : i32
  }
  te.return %C : tensor<16x16xi32>
}
schedule.sequence @s on @half {
  %G = schedule.get "G"
  schedule.set_mode %G "exact"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 5, 5
  schedule.compute_at %G, %C, %xo
}

// CHECK-LABEL: te.func @half
// CHECK: schedule.stage "G"
// CHECK: schedule.guard (%y_1 * -1 + 7 >= 0, %yo * 5 - %y_1 * 2 + 4 >= 0) or (%x_1 * -1 + 7 >= 0, %xo * 5 - %x_1 * 2 + 4 >= 0)
// CHECK: schedule.equation
