// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The stage moves into its reader, to the axis named.
te.func @at_outer(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @at_outer {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
}

// CHECK-LABEL: te.func @at_outer
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:       schedule.order %x, %y

// -----

// The axis may come from a split that is made before.
te.func @at_split(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @at_split {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %jo, %ji = schedule.split %j factor 4
  schedule.compute_at %B, %C, %jo
}

// CHECK-LABEL: te.func @at_split
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %i, %jo, %ji
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:       schedule.order %x, %y

// -----

// When the axis is split later, the stage is computed at the inner one: once per iteration of the
// axis, as before.
te.func @split_later(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @split_later {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  %io, %ii = schedule.split %i factor 4
}

// CHECK-LABEL: te.func @split_later
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     schedule.order %io, %ii, %j
// CHECK-NEXT:     %B = schedule.stage "B" at %ii (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:       schedule.order %x, %y

// -----

// When the axis is fused later, the stage is computed at the fused one.
te.func @fused_later(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @fused_later {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  %f = schedule.fuse %i, %j
}

// CHECK-LABEL: te.func @fused_later
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     schedule.order %f
// CHECK-NEXT:     %B = schedule.stage "B" at %f (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:       schedule.order %x, %y

// -----

// A tile moves the stage too.
te.func @tiled_later(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @tiled_later {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %j
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
}

// CHECK-LABEL: te.func @tiled_later
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     %B = schedule.stage "B" at %ji (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:       schedule.order %x, %y

// -----

// The last command on the place of a stage counts.
te.func @moved_again(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @moved_again {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  schedule.compute_at %B, %C, %j
}

// CHECK-LABEL: te.func @moved_again
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     %B = schedule.stage "B" at %j (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:       schedule.order %x, %y

// -----

// A stage takes those along that are computed inside it; the order of the commands does not
// matter. Here B is placed before its reader C is inside D.
te.func @nested(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 12) : tensor<12xf32> {
    %c = te.read %C[%z] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12xf32>
}
schedule.sequence @s on @nested {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  %zo, %zi = schedule.split %z factor 4
  schedule.compute_at %B, %D, %zo
  schedule.compute_at %C, %D, %zi
}

// CHECK-LABEL: te.func @nested
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 12) : tensor<12xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 4
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     %B = schedule.stage "B" at %zo (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK:          %C = schedule.stage "C" at %zi (%y = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %y

// -----

// Two stages at one axis stand in the order in which one reads the other, whichever was placed
// first.
te.func @sorted(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 12) : tensor<12xf32> {
    %c = te.read %C[%z] : f32
    %b = te.read %B[%z] : f32
    %d = arith.addf %b, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<12xf32>
}
schedule.sequence @s on @sorted {
  %C = schedule.get "C"
  %B = schedule.get "B"
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  schedule.compute_at %C, %D, %z
  schedule.compute_at %B, %D, %z
}

// CHECK-LABEL: te.func @sorted
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 12) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %z
// CHECK-NEXT:     %B = schedule.stage "B" at %z (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK:          %C = schedule.stage "C" at %z (%y = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %y

// -----

// A stage with two readers may be computed where the loop of both is.
te.func @two_readers(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 12) : tensor<12xf32> {
    %c = te.read %C[%z] : f32
    %b = te.read %B[%z] : f32
    %d = arith.addf %b, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<12xf32>
}
schedule.sequence @s on @two_readers {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  %zo, %zi = schedule.split %z factor 4
  schedule.compute_at %B, %D, %zo
  schedule.compute_at %C, %D, %zo
  schedule.vectorize %y
}

// CHECK-LABEL: te.func @two_readers
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 12) : tensor<12xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 4
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     %B = schedule.stage "B" at %zo (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK:          %C = schedule.stage "C" at %zo (%y = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %y vectorized

// -----

// A stage that only the init region reads may be computed outside the loop of the first reduce
// axis.
te.func @for_init(%A: tensor<12x8xf32>, %D: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %d = te.read %D[%x] : f32
    te.yield %d : f32
  }
  %S = te.compute "S" (%i = 12) reduce (%k = 8) : tensor<12xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  } init (%i) {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<12xf32>
}
schedule.sequence @s on @for_init {
  %B = schedule.get "B"
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  schedule.compute_at %B, %S, %i
}

// CHECK-LABEL: te.func @for_init
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 12) reduce (%k = 8) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %i, %k
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x

// -----

// An output is computed in a loop of its reader, and stays the caller's array.
te.func @output(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  te.return %B, %C : tensor<12xf32>, tensor<12xf32>
}
schedule.sequence @s on @output {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %y
}

// CHECK-LABEL: te.func @output
// CHECK-NEXT:   %C = schedule.stage "C" (%y = 12) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %y
// CHECK-NEXT:     %B = schedule.stage "B" at %y stored at root (%x = 12) : tensor<12xf32>
// CHECK:        %B_1 = schedule.result "B" 0 : tensor<12xf32>
// CHECK-NEXT:   te.return %B_1, %C

// -----

// Two sequences: the second brings it back to the root.
te.func @back(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  te.return %B, %C : tensor<12xf32>, tensor<12xf32>
}
schedule.sequence @s on @back {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %y
}
schedule.sequence @t on @back {
  %B = schedule.get "B"
  schedule.compute_root %B
}

// CHECK-LABEL: te.func @back
// CHECK-NEXT:   %B = schedule.stage "B"
// CHECK-NOT:    schedule.result
// CHECK:        te.return %B, %C
