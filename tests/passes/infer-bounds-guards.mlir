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
